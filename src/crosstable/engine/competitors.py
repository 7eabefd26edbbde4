"""Who plays in a section: rows of one member become one competitor, cells become games (readings 104, 106)."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from crosstable.terms import GAME_SCORES, Background, Entry, Result, Section


class GameSide(NamedTuple):
    """One game as one player sees it; ``opponent`` is the opponent's position among the competitors."""

    round_number: int
    opponent: int
    opponent_number: int
    colour: str
    result: Result
    score: float


class Competitor(NamedTuple):
    """A player of a section with all rows that are his and all games on them."""

    entries: tuple[Entry, ...]
    background: Background
    sides: tuple[GameSide, ...]

    @property
    def score(self) -> float:
        """S, the points of the rated games."""
        total = 0.0
        for side in self.sides:
            total += side.score
        return total

    @property
    def most_meetings(self) -> int:
        """How often the most frequent opponent was met (§4.2; readings 42)."""
        return max(Counter(side.opponent for side in self.sides).values(), default=0)

    def count(self, score: float) -> int:
        """How many games had this result."""
        return sum(side.score == score for side in self.sides)


def competitors(section: Section, backgrounds: Mapping[int, Background]) -> tuple[Competitor, ...]:
    """The competitors of a section in the order of their first rows."""
    rows: dict[str, list[Entry]] = {}
    for entry in section.entries:
        rows.setdefault(entry.member_id or f"row {entry.number}", []).append(entry)
    position = {entry.number: at for at, entries in enumerate(rows.values()) for entry in entries}
    return tuple(
        Competitor(tuple(entries), backgrounds[entries[0].number], tuple(_sides(entries, position)))
        for entries in rows.values()
    )


def _sides(entries: list[Entry], position: dict[int, int]) -> list[GameSide]:
    return [
        GameSide(at, position[cell.opponent], cell.opponent, cell.colour, cell.result, GAME_SCORES[cell.result])
        for entry in entries
        for at, cell in enumerate(entry.cells, start=1)
        if cell.result.is_game
    ]

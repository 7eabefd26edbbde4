"""Who plays in a section: rows of one member become one competitor, cells become games (readings 104, 106)."""

from collections.abc import Mapping, Sequence

from crosstable.engine.records import RatedPlayer
from crosstable.terms import GAME_SCORES, Background, Entry, Result, Section
from crosstable.tuples import NamedTuple


class GameSide(NamedTuple):
    """One game as one player sees it; ``opponent`` is the opponent's position among the competitors."""

    round_number: int
    opponent: int
    opponent_number: int
    colour: str
    result: Result
    score: float


class Competitor(NamedTuple):
    """A player of a section with all rows that are theirs, all games on them, and what they add up to.

    ``most_meetings`` says how often the most frequent opponent was met (§4.2; readings 42).
    """

    entries: tuple[Entry, ...]
    background: Background
    sides: tuple[GameSide, ...]
    score: float
    most_meetings: int
    wins: int
    draws: int
    losses: int


def competitor_of(entries: tuple[Entry, ...], background: Background, sides: tuple[GameSide, ...]) -> Competitor:
    """A competitor with their games added up."""
    # By member, across the rows of a re-entry: the text speaks of opponents, not of rows (readings 106).
    meetings: dict[int, int] = {}
    scores = [side.score for side in sides]
    for side in sides:
        meetings[side.opponent] = meetings.get(side.opponent, 0) + 1
    wins, draws = scores.count(1.0), scores.count(0.5)
    return Competitor(
        entries,
        background,
        sides,
        score=wins + 0.5 * draws,
        most_meetings=max(meetings.values(), default=0),
        wins=wins,
        draws=draws,
        losses=len(scores) - wins - draws,
    )


def competitors(section: Section, backgrounds: Mapping[int, Background]) -> tuple[Competitor, ...]:
    """The competitors of a section in the order of their first rows."""
    # A row without a member id is somebody of their own, whatever the name.
    rows: dict[str, list[Entry]] = {}
    for entry in section.entries:
        rows.setdefault(entry.member_id or f"row {entry.number}", []).append(entry)
    position = {entry.number: at for at, entries in enumerate(rows.values()) for entry in entries}
    return tuple(
        competitor_of(tuple(entries), backgrounds[entries[0].number], tuple(_sides(entries, position)))
        for entries in rows.values()
    )


def on_every_row(
    section: Section, who: Sequence[Competitor], results: Sequence[RatedPlayer]
) -> tuple[RatedPlayer, ...]:
    """A record per row of the section, in its order; rows of one member show the same result (readings 104)."""
    # Official crosstables show the one result on every row of a member.
    by_number: dict[int, RatedPlayer] = {}
    for competitor, result in zip(who, results, strict=True):
        numbers = [entry.number for entry in competitor.entries]
        if len(numbers) == 1:
            by_number[numbers[0]] = result
            continue
        for number in numbers:
            others = tuple(other for other in numbers if other != number)
            by_number[number] = result._replace(number=number, merged_with=others)
    return tuple(by_number[entry.number] for entry in section.entries)


def _sides(entries: list[Entry], position: dict[int, int]) -> list[GameSide]:
    return [
        GameSide(at, position[cell.opponent], cell.opponent, cell.colour, cell.result, GAME_SCORES[cell.result])
        for entry in entries
        for at, cell in enumerate(entry.cells, start=1)
        if cell.result in GAME_SCORES
    ]

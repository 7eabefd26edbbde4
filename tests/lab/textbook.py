"""The metrics of a back-test once more, written from their definitions in plain Python, over the plain engine."""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from crosstable.history.archive import Archive
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import Result
from tests.history.interpreted import InterpretedReplay

SCORES = {Result.WIN: 1.0, Result.DRAW: 0.5, Result.LOSS: 0.0}


class Prediction(NamedTuple):
    """A game in one system: with which ratings before it, the first player's score, and who played (-1: no member)."""

    section: int
    system: str
    ratings: tuple[float, float]
    had_rating: tuple[bool, bool]
    score: float
    members: tuple[int, int]

    @property
    def expected(self) -> float:
        """The winning expectancy of the document (§4.2), from its own words: 1 / (1 + 10^(-d/400))."""
        return 1.0 / (1.0 + math.pow(10.0, (self.ratings[1] - self.ratings[0]) / 400.0))

    @property
    def deviance(self) -> float:
        """The negative log likelihood of a score, a draw half a win and half a loss."""
        return -(self.score * math.log(self.expected) + (1.0 - self.score) * math.log(1.0 - self.expected))

    @property
    def brier(self) -> float:
        """The squared error."""
        return (self.score - self.expected) ** 2


def predictions(archive: Archive, rules: RuleSet = OFFICIAL) -> Iterator[Prediction]:
    """Every game whose two players are rated in a system, section by section."""
    for taken in InterpretedReplay(archive, rules):
        numbers = {entry.number: member for entry, member in taken.archived.rows}
        for rated in taken.rated:
            players = {player.number: player for player in rated.players}
            for entry in taken.archived.section.entries:
                for cell in entry.cells:
                    other = players.get(cell.opponent)
                    if cell.result not in SCORES or other is None or entry.number > other.number:
                        continue
                    own = players[entry.number]
                    if own.after is None or other.after is None or numbers[own.number] == numbers[other.number]:
                        continue
                    if taken.archived.section.kind.is_foreign:
                        continue
                    yield Prediction(
                        taken.archived.at,
                        rated.system.name,
                        (own.prior, other.prior),
                        (own.before is not None, other.before is not None),
                        SCORES[cell.result],
                        (numbers[own.number], numbers[other.number]),
                    )


def mean(values: list[float]) -> float:
    """The mean."""
    return math.fsum(values) / len(values)


def by_rating_band(found: list[Prediction]) -> dict[str, list[float]]:
    """The deviances of every player's games, by the band of their rating, which is rounded half up."""
    limits = (400, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200)
    bands: dict[str, list[float]] = defaultdict(list)
    for one in found:
        for rating in one.ratings:
            whole = math.floor(rating + 0.5)
            above = [limit for limit in limits if limit <= whole]
            below = [limit for limit in limits if limit > whole]
            name = f"under {below[0]}" if not above else f"{above[-1]} and over"
            bands[f"{above[-1]} to {below[0] - 1}" if above and below else name].append(one.deviance)
    return bands

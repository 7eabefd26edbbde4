"""The old calculator page's own arithmetic, to be shown beside ours; none of it is a rule (readings 59, 88).

The page takes K = 32, 24 or 16 by the number of games, and a bonus of 4 (performance - rating - 12) / (games + 3) up to
26 games. The rating system has K = 800/(N' + m) and a bonus above 10 times the root of the games.
"""

from collections.abc import Sequence
from typing import NamedTuple

from crosstable.calculator.performance import logarithmic_performance
from crosstable.formulas.standard import expected_score, odds
from crosstable.terms import total

LABEL = "as the old calculator page had it"
PAGE_THRESHOLD = 12.0
PAGE_BONUS_GAMES = 26
# What the old page is given for an established player whose count is not known: K = 16 and no bonus.
PAGE_ESTABLISHED = 50.0


class OldPage(NamedTuple):
    """What the old page's formulas give; the last field is its result."""

    k: float
    expected: float
    change: float
    performance: float
    bonus: float
    rating: float


def page_k(games: float) -> float:
    """The page's K: 32 below 8 games, 24 below 20, then 16."""
    if games < 8.0:
        return 32.0
    return 24.0 if games < 20.0 else 16.0


def page_bonus(rating: float, performance: float, games: float) -> float:
    """The page's bonus, none beyond 26 games and never negative."""
    if games > PAGE_BONUS_GAMES:
        return 0.0
    return max(0.0, 4.0 * (performance - rating - PAGE_THRESHOLD) / (games + 3.0))


def old_page(rating: float, games: float, opponents: Sequence[float], scores: Sequence[float]) -> OldPage:
    """A whole estimate by the page's formulas; the performance is by its "FIDE method"."""
    score = total(scores)
    k = page_k(games)
    expected = expected_score(odds(rating), [odds(opponent) for opponent in opponents], range(len(opponents)))
    change = k * (score - expected)
    performance = logarithmic_performance(total(opponents) / len(opponents), score, len(opponents))
    bonus = page_bonus(rating, performance, games)
    return OldPage(k, expected, change, performance, bonus, rating + change + bonus)

"""The quick figures beside an estimate: class, badge, performance, the old calculator page's numbers, typical errors.

The linear method and the algorithm of 400 are one formula: the average opponent plus 800 times what the score exceeds
one half by. The logarithm is what the old calculator page calls "FIDE"; FIDE itself reads a table, dp. The method of
the rating system is the special formula with no games before (§4.1), which a player's first rating follows.
"""

import math
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from crosstable.calculator.requests import OpponentsAt
from crosstable.formulas.outcome import official_rating
from crosstable.formulas.special import special_rating
from crosstable.formulas.standard import expected_score, odds
from crosstable.rules.constants import Constants
from crosstable.terms import Formula, Past, total


class RatingClass(NamedTuple):
    """A rating class (official facts §2): its letter or short name, what people say, and the lowest rating in it."""

    code: str
    title: str
    lowest: int


CLASSES = (
    RatingClass("SM", "Senior Master", 2400),
    RatingClass("M", "National Master", 2200),
    RatingClass("X", "Expert", 2000),
    RatingClass("A", "Class A", 1800),
    RatingClass("B", "Class B", 1600),
    RatingClass("C", "Class C", 1400),
    RatingClass("D", "Class D", 1200),
    RatingClass("E", "Class E", 1000),
    RatingClass("F", "Class F", 800),
    RatingClass("G", "Class G", 600),
    RatingClass("H", "Class H", 400),
    RatingClass("I", "Class I", 200),
    RatingClass("J", "Class J", 100),
)
# The old calculator page has one class below 1000 and calls it F; the official list goes down to J.
PAGE_CLASSES = (*CLASSES[:8], RatingClass("F", "Class F", 0))


def rating_class(rating: float) -> RatingClass:
    """The class of a rating, by the official figure; nobody is rated below the last one."""
    official = official_rating(rating)
    return next((each for each in CLASSES if official >= each.lowest), CLASSES[-1])


def page_class(rating: float) -> RatingClass:
    """The class as the old calculator page has it: everything below 1000 is F."""
    official = official_rating(rating)
    return next((each for each in PAGE_CLASSES if official >= each.lowest), PAGE_CLASSES[-1])


FEW_GAMES = 3
# Expected scores are sums of floats: a difference this near to a threshold is on it.
SLACK = 1e-9


class Badge(NamedTuple):
    """A performance badge of the old page: symbol and colour for the eye, words for everybody, a code for programs."""

    code: str
    symbol: str
    name: str
    colour: str
    words: str


_LED = "the ratings led to expect."
OUTSTANDING = Badge(
    "outstanding", "\N{TROPHY}", "Outstanding Performance", "green", f"The score is far above what {_LED}"
)
STRONG = Badge("strong", "\N{CHART WITH UPWARDS TREND}", "Strong Showing", "blue", f"The score is better than {_LED}")
CONSISTENT = Badge("consistent", "\N{SCALES}\ufe0f", "Consistent Player", "gray", f"The score is close to what {_LED}")
IMPROVEMENT = Badge(
    "improvement",
    "\N{CHART WITH DOWNWARDS TREND}",
    "Room for Improvement",
    "orange",
    f"The score is somewhat below what {_LED}",
)
NEEDS_WORK = Badge("needs-work", "\N{WARNING SIGN}\ufe0f", "Needs Work", "red", f"The score is far below what {_LED}")
BADGES = (OUTSTANDING, STRONG, CONSISTENT, IMPROVEMENT, NEEDS_WORK)


class Thresholds(NamedTuple):
    """Where the badges begin, in points of score."""

    high: float
    low: float


def thresholds(played: int) -> Thresholds:
    """The page's thresholds: lower ones for three games or fewer."""
    return Thresholds(1.0, 0.3) if played <= FEW_GAMES else Thresholds(1.5, 0.5)


def badge(score: float, expected: float, played: int) -> Badge:
    """The badge of a score against what was expected; a difference of exactly the low threshold is consistent."""
    high, low = thresholds(played)
    difference = score - expected
    if difference >= high - SLACK:
        return OUTSTANDING
    if difference <= SLACK - high:
        return NEEDS_WORK
    if abs(difference) <= low + SLACK:
        return CONSISTENT
    return STRONG if difference > 0.0 else IMPROVEMENT


# Neither a full score nor none has a logarithm; FIDE's table ends at 800 (readings 88, 114).
FULL_SCORE_DIFFERENCE = 800.0
# FIDE Rating Regulations, table 8.1.1: dp for a score of 50, 51 … 100 per cent; below one half it is the negative.
FIDE_DP = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65),
    *(72, 80, 87, 95, 102, 110, 117, 125, 133, 141),
    *(149, 158, 166, 175, 184, 193, 202, 211, 220, 230),
    *(240, 251, 262, 273, 284, 296, 309, 322, 336, 351),
    *(366, 383, 401, 422, 444, 470, 501, 538, 589, 677),
    800,
)


class PerformanceRatings(NamedTuple):
    """A performance by every method; ``is_limit`` says that the score was full or none, where 800 points are used."""

    average: float
    score: float
    played: int
    logarithmic: float
    linear: float
    algorithm_of_400: float
    fide_table: int
    special: float
    is_limit: bool


def logarithmic_performance(average: float, score: float, played: int) -> float:
    """The old page's "FIDE method": average + 400 log10(S / (N - S)), and 800 at a full score or none."""
    if score <= 0.0:
        return average - FULL_SCORE_DIFFERENCE
    if score >= played:
        return average + FULL_SCORE_DIFFERENCE
    return average + 400.0 * math.log10(score / (played - score))


def linear_performance(average: float, score: float, played: int) -> float:
    """The linear method: average + 8 (S% - 50)."""
    return average + 8.0 * (100.0 * score / played - 50.0)


def algorithm_of_400(opponents: Sequence[float], wins: int, losses: int) -> float:
    """(sum of opponents + 400 (wins - losses)) / games: the linear method in other words."""
    return (total(opponents) + 400.0 * (wins - losses)) / len(opponents)


def fide_difference(score: float, played: int) -> int:
    """FIDE's dp for a score, its fraction rounded to whole per cent, halves up."""
    per_cent = math.floor(100.0 * score / played + 0.5)
    return FIDE_DP[per_cent - 50] if per_cent >= 50 else -FIDE_DP[50 - per_cent]


def fide_performance(average: float, score: float, played: int) -> int:
    """FIDE's own performance rating: the average opponent, rounded, plus dp from the table."""
    return official_rating(average) + fide_difference(score, played)


def special_performance(constants: Constants, opponents: Sequence[float], score: float) -> float:
    """The rating at which the special formula, with no games before, expects just this score (§4.1)."""
    start = total(opponents) / len(opponents)
    return special_rating(constants, start, 0.0, Past.MIXED, score, opponents).uncapped


def performance_ratings(
    constants: Constants, opponents: Sequence[float], scores: Sequence[float]
) -> PerformanceRatings:
    """The performance against these opponents, a score per game, by every method."""
    played = len(opponents)
    score = total(scores)
    average = total(opponents) / played
    wins, losses = list(scores).count(1.0), list(scores).count(0.0)
    return PerformanceRatings(
        average,
        score,
        played,
        logarithmic_performance(average, score, played),
        linear_performance(average, score, played),
        algorithm_of_400(opponents, wins, losses),
        fide_performance(average, score, played),
        special_performance(constants, opponents, score),
        score in (0.0, float(played)),
    )


LABEL = "as the old calculator page had it"
PAGE_THRESHOLD = 12.0
PAGE_BONUS_GAMES = 26
# What the old page is given for an established player whose count is not known: K = 16 and no bonus.
PAGE_ESTABLISHED = 50.0


class OldPage(NamedTuple):
    """What the old calculator page's own formulas give, to be shown beside ours (readings 59, 88); the result is last.

    The page takes K = 32, 24 or 16 by the number of games, and a bonus of 4 (performance - rating - 12) / (games + 3)
    up to 26 games. None of it is a rule.
    """

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


MEASURED_ON = date(2026, 11, 15)
SOURCE = (
    "clean rows of 1,061 official crosstables of 2001 to 2021, each estimated from its own row alone, with "
    "whole-number ratings and without knowing peaks, floors and earlier results"
)


# Low ratings move more, and so do the errors: the lowest rating of each band under the standard formula.
BANDS = (1800.0, 1200.0, 0.0)


class Measured(NamedTuple):
    """Sizes of errors, estimate less posted rating, in points: half, nine tenths and 99 of 100 are not larger.

    ``lowest`` is the lowest rating of the band. ``tools/measure_estimates.py`` prints these figures.
    """

    kind: OpponentsAt
    formula: Formula
    lowest: float
    rows: int
    half: float
    nine_tenths: float
    ninety_nine: float
    largest: float

    @property
    def sentence(self) -> str:
        """In plain words."""
        return (
            f"Half of {self.rows:,} such estimates were within {_points(self.half)} of the posted rating, nine in ten "
            f"within {_points(self.nine_tenths)}."
        )


def _points(size: float) -> str:
    return "1 point" if size < 1.5 else f"{size:.0f} points"


def band_of(formula: Formula, rating: float) -> float:
    """The lowest rating of the band that a rating belongs to; under the special formula all are one band."""
    if formula is Formula.SPECIAL:
        return 0.0
    return next(lowest for lowest in BANDS if rating >= lowest)


MEASURED = (
    Measured(OpponentsAt.BEFORE, Formula.SPECIAL, 0.0, 472, 5.50, 35.00, 310.40, 470.00),
    Measured(OpponentsAt.BEFORE, Formula.STANDARD, 0.0, 2402, 5.01, 24.00, 56.12, 142.62),
    Measured(OpponentsAt.BEFORE, Formula.STANDARD, 1200.0, 5036, 2.00, 8.67, 36.00, 101.50),
    Measured(OpponentsAt.BEFORE, Formula.STANDARD, 1800.0, 4359, 1.00, 4.73, 29.00, 57.23),
    Measured(OpponentsAt.AFTER, Formula.SPECIAL, 0.0, 472, 1.17, 9.00, 332.00, 471.75),
    Measured(OpponentsAt.AFTER, Formula.STANDARD, 0.0, 2402, 1.00, 8.00, 27.92, 141.65),
    Measured(OpponentsAt.AFTER, Formula.STANDARD, 1200.0, 5036, 0.43, 2.00, 30.70, 104.07),
    Measured(OpponentsAt.AFTER, Formula.STANDARD, 1800.0, 4359, 0.18, 1.02, 26.52, 55.00),
    Measured(OpponentsAt.SCORES, Formula.SPECIAL, 0.0, 472, 4.27, 21.00, 353.32, 486.72),
    Measured(OpponentsAt.SCORES, Formula.STANDARD, 0.0, 2402, 3.88, 18.90, 43.00, 142.67),
    Measured(OpponentsAt.SCORES, Formula.STANDARD, 1200.0, 5036, 1.71, 7.00, 33.68, 105.64),
    Measured(OpponentsAt.SCORES, Formula.STANDARD, 1800.0, 4359, 1.00, 5.00, 26.66, 58.00),
)


def typical_error(kind: OpponentsAt, formula: Formula, rating: float) -> Measured:
    """What was measured for this kind of estimate, this formula and ratings like this one."""
    wanted = (kind, formula, band_of(formula, rating))
    return next(each for each in MEASURED if (each.kind, each.formula, each.lowest) == wanted)

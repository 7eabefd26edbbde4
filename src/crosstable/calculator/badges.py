"""The five performance badges of the old calculator page: actual less expected score, with its thresholds."""

from typing import NamedTuple

FEW_GAMES = 3
# Expected scores are sums of floats: a difference this near to a threshold is on it.
SLACK = 1e-9


class Badge(NamedTuple):
    """A badge: symbol and colour for the eye, name and words for everybody; ``code`` is for programs."""

    code: str
    symbol: str
    name: str
    colour: str
    words: str


OUTSTANDING = Badge(
    "outstanding",
    "\N{TROPHY}",
    "Outstanding Performance",
    "green",
    "The score is far above what the ratings led to expect.",
)
STRONG = Badge(
    "strong",
    "\N{CHART WITH UPWARDS TREND}",
    "Strong Showing",
    "blue",
    "The score is better than the ratings led to expect.",
)
CONSISTENT = Badge(
    "consistent",
    "\N{SCALES}\N{VARIATION SELECTOR-16}",
    "Consistent Player",
    "gray",
    "The score is close to what the ratings led to expect.",
)
IMPROVEMENT = Badge(
    "improvement",
    "\N{CHART WITH DOWNWARDS TREND}",
    "Room for Improvement",
    "orange",
    "The score is somewhat below what the ratings led to expect.",
)
NEEDS_WORK = Badge(
    "needs-work",
    "\N{WARNING SIGN}\N{VARIATION SELECTOR-16}",
    "Needs Work",
    "red",
    "The score is far below what the ratings led to expect.",
)
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

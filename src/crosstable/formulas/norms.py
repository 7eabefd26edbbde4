"""Norms toward the norm titles, Regular over the board (official facts §1).

A norm at a level is earned when the score in played games exceeds, by more than one point, what a player of that
level is expected to make against the opponents' post-event ratings. The formula was reconstructed and then verified
on official results; it has no § of its own in the rating document.
"""

from collections.abc import Sequence

NORM_LEVELS = (1200.0, 1400.0, 1600.0, 1800.0, 2000.0, 2200.0, 2400.0)
NORM_GAMES = 4
NORM_MEETINGS = 2
NORM_MARGIN = 1.0
NORM_WIDTH_BELOW = 800.0
NORM_WIDTH_ABOVE = 400.0
NO_NORM = -1
# Sums of eighths of hundredths: a margin this little above one is not above it.
MARGIN_SLACK = 1e-9


def expectancy_width(lead: float) -> float:
    """The points over which C rises from 0 to 1, by its slope on this side of the level."""
    # Against stronger opponents it falls half as fast as it rises against weaker ones: so the verified formula has it.
    return NORM_WIDTH_BELOW if lead <= 0.0 else NORM_WIDTH_ABOVE


def level_expectancy(level: float, opponent: float) -> float:
    """C, what a player of this level is expected to score against an opponent (official facts §1)."""
    # Positive where the opponent is below the level.
    lead = level - opponent
    share = 0.5 + lead / expectancy_width(lead)
    if share < 0.0:
        return 0.0
    return 1.0 if share > 1.0 else share


def margin(level: float, score: float, opponents: Sequence[float]) -> float:
    """The score less the sum of C (official facts §1)."""
    expected = 0.0
    for opponent in opponents:
        expected += level_expectancy(level, opponent)
    return score - expected


def highest_norm(score: float, opponents: Sequence[float], most_meetings: int) -> int:
    """The position of the highest level reached, or ``NO_NORM``: four games, nobody met more than twice."""
    best = NO_NORM
    if len(opponents) < NORM_GAMES or most_meetings > NORM_MEETINGS:
        return best
    for position in range(len(NORM_LEVELS)):  # the margin shrinks as the level rises
        if margin(NORM_LEVELS[position], score, opponents) <= NORM_MARGIN + MARGIN_SLACK:
            break
        best = position
    return best

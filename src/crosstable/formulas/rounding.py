"""§1 and §7: how ratings are shown and stored.

Ratings are computed as floats. The official figure is the nearest whole number, halves up. Before 2014-09-01
whole numbers were stored, rounded away from the pre-event rating (readings 81).
"""

import math

# A computed rating this close to a whole number is that number: sums of floats miss it by less.
WHOLE_SLACK = 1e-9


def official_rating(rating: float) -> int:
    """The whole number shown and published: halves go up (§1, §7)."""
    return math.floor(rating + 0.5)


def stored_whole(pre_event: float, post_event: float) -> float:
    """The whole number stored before 2014-09: up on a gain, down on a loss (2004 text; readings 81)."""
    if post_event > pre_event:
        return float(math.ceil(post_event - WHOLE_SLACK))
    return float(math.floor(post_event + WHOLE_SLACK))


def stored_first(post_event: float) -> float:
    """The whole number stored before 2014-09 for a brand-new rating: the nearest (readings 81)."""
    return float(math.floor(post_event + 0.5 + WHOLE_SLACK))

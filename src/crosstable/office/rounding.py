"""Numbers to so many places, as the office shows them."""

import math

# In how many places the public sees a rating, and where the office shows decimals.
WHOLE, DECIMALS = 0, 2


def half_up(value: float, places: int) -> float:
    """A number to so many places, halves upward as official ratings are rounded."""
    unit = 10.0**places
    return math.floor(value * unit + 0.5) / unit

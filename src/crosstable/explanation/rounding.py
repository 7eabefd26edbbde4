"""Lines of an explanation with rounded numbers: what a public page may print of them."""

import math
import re
from collections.abc import Callable

from crosstable.explanation.lines import Line

# Lines about parts of a score, counts of games and weights: their numbers keep two places.
_SHARES = frozenset(
    {
        *("expectancy", "expected", "score", "adjusted_score", "effective", "most_effective", "games"),
        *("game_factor", "strength_for_age", "staleness_factor", "weight", "total_weight"),
    }
)
SHARE_PLACES = 2
# No strength is lower than this, and no score or count of games in a line about them as high.
_LEAST_RATING = 100.0
# A number with decimals; not a section of the document (§4.2), nor a constant under a root sign.
_NUMBER = re.compile(r"(?<![§\d.])\d+\.\d+(?!\d|\.\d|√)")


def rounded(line: Line, places: int) -> Line:
    """A line whose ratings and points have at most so many places, expected scores and counts at most two."""
    is_share = line.name in _SHARES

    def places_of(value: float) -> int:
        return max(places, SHARE_PLACES) if is_share and abs(value) < _LEAST_RATING else places

    text = _NUMBER.sub(lambda found: _written(found[0], places_of), line.text)
    value = line.value if math.isnan(line.value) else half_up(line.value, places_of(line.value))
    return line._replace(text=text, value=value)


def half_up(value: float, places: int) -> float:
    """A number to so many places, halves upward as official ratings are rounded."""
    unit = 10.0**places
    return math.floor(value * unit + 0.5) / unit


def _written(number: str, places_of: Callable[[float], int]) -> str:
    """A number of a sentence; one with fewer decimals stays as it is."""
    value = float(number)
    places = places_of(value)
    return number if len(number.partition(".")[2]) <= places else f"{half_up(value, places):.{places}f}"

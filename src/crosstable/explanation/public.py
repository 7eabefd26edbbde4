"""The working that may be public: without ages, and in whole numbers where a start by age would give a birth date away.

An age-based start moves by a fixed number of points a day (§2.3). Whoever reads the first estimate of such a player
(Step 1), or the strength that the first pass takes for them (Step 3), can compute the birth date to the day; so both
stand on nobody's lines.
"""

import math
import re
from collections.abc import Iterator

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.explanation.lines import Line, explain
from crosstable.explanation.rounding import rounded
from crosstable.rules.constants import Initialisation
from crosstable.terms import Source

_MET_AT = re.compile(r"player (\d+), met at [\d.]+")
# What an age decides in a start: alone, or as the weight of another rating.
_OF_AGE = frozenset({"age", "age_based", "mean", "most_effective", "adjusted_prior"})
_OF_BLEND = frozenset({"age_based_then", "strength_for_age", "staleness_factor", "weight", "total_weight", "mean"})


def public_lines(rated: RatedSection, number: int) -> tuple[Line, ...]:
    """The calculation of one player as anybody may read it; raises ``KeyError`` if there is no such number."""
    lines = explain(rated, number)
    player = next(player for player in rated.players if player.number == number)
    return tuple(_public(rated, player, lines)) if is_coarse(rated) else lines


def is_coarse(rated: RatedSection) -> bool:
    """Whether somebody in the section started by age, so that its public working has whole numbers."""
    return any(_starts_by_age(player) or _is_blended_with_age(rated, player) for player in rated.players)


def _starts_by_age(player: RatedPlayer) -> bool:
    start = player.start
    return start is not None and start.initial.source == Source.AGE and not math.isnan(start.age)


def _is_blended_with_age(rated: RatedSection, player: RatedPlayer) -> bool:
    start = player.start
    if start is None or math.isnan(start.age) or not start.sources:
        return False
    return rated.edition.constants.initialisation == Initialisation.BLEND


def _public(rated: RatedSection, player: RatedPlayer, lines: tuple[Line, ...]) -> Iterator[Line]:
    by_age = {str(other.number) for other in rated.players if _starts_by_age(other)}
    is_said = False
    for line in lines:
        if _is_hidden(rated, player, line):
            if not is_said:
                yield Line("Step 1", "§2", "The numbers of a start by age are not public.", "", math.nan)
            is_said = True
            continue
        if line.part in ("Step 3", "Step 4"):
            text = _MET_AT.sub(lambda met: f"player {met[1]}" if met[1] in by_age else met[0], line.text)
            yield rounded(line._replace(text=text), 0)
        else:
            yield rounded(line, 0)


def _is_hidden(rated: RatedSection, player: RatedPlayer, line: Line) -> bool:
    if _starts_by_age(player):
        is_start = line.part == "Step 1" and line.name == "rating"
        return line.part == "Step 3" or is_start or line.name in _OF_AGE
    return _is_blended_with_age(rated, player) and line.part == "Step 1" and line.name in _OF_BLEND

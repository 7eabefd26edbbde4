"""§6: updating a Regular rating from a foreign FIDE event.

Opponents' FIDE ratings are converted (§2.1, or the youth conversion), opponents without one are ignored, and the
standard formula with bonus is applied once, without the smaller K of dual-rated sections (readings 78, 79).
"""

import math
from collections.abc import Sequence

from crosstable.formulas.initial import converted_rating
from crosstable.formulas.outcome import is_established
from crosstable.formulas.standard import StandardUpdate, effective_games, k_factor, odds, standard_update
from crosstable.formulas.steps import Field, Sheet
from crosstable.rules.constants import Constants

NOBODY = -1


def opponent_strength(constants: Constants, fide: float, is_youth: bool) -> float:
    """An opponent's FIDE rating on the US Chess scale (§6); NaN where that conversion was not found."""
    # In a youth event every opponent is converted by its formula, whatever their age (readings 79).
    return converted_rating(constants.fide_youth if is_youth else constants.fide, fide)


def is_eligible(constants: Constants, games: float, fide: float, has_flag: bool, has_opted_in: bool) -> bool:
    """Whether a member's rating is updated: automatic from 2200 FIDE with the flag, else by opting in (§6)."""
    return has_enough_games(constants, games) and (has_opted_in or is_automatic(constants, fide, has_flag))


def has_enough_games(constants: Constants, games: float) -> bool:
    """Whether a rating stands on enough games to be updated: an established one, where the text asks for it (§6)."""
    # The 2020 and 2025 texts do, the 2015 text does not (readings 78).
    return is_established(constants, games) or not constants.foreign_needs_established


def is_automatic(constants: Constants, fide: float, has_flag: bool) -> bool:
    """Whether a rating is updated without the member's opting in: from 2200 FIDE, under the flag (§6)."""
    return has_flag and fide >= constants.foreign_automatic_from


def foreign_update(
    constants: Constants, prior: float, games: float, score: float, opponents_odds: Sequence[float], earns_bonus: bool
) -> StandardUpdate:
    """The standard formula, applied once (§6; readings 78, 110)."""
    # Once: opponents stand at converted ratings, not at results of a first pass.
    effective = effective_games(constants, prior, games)
    k = k_factor(constants, effective, float(len(opponents_odds)))
    return standard_update(constants, prior, k, score, opponents_odds, earns_bonus)


def without_conversion(field: Field, sheet: Sheet, is_rated: Sequence[bool]) -> int:
    """The position of the first opponent whose FIDE rating cannot be converted, or ``NOBODY``."""
    for i in range(len(field.prior)):
        if is_rated[i]:
            for side in range(field.first[i], field.first[i + 1]):
                if math.isnan(sheet.strength[field.opponent[side]]):
                    return field.opponent[side]
    return NOBODY


def foreign_pass(constants: Constants, field: Field, sheet: Sheet, is_rated: Sequence[bool]) -> None:
    """Every player who is rated, once, against the converted strengths of the sheet (§6)."""
    for i in range(len(field.prior)):
        begin = field.first[i]
        end = field.first[i + 1]
        # Two members who meet abroad are each met at their FIDE rating, as all others are.
        if is_rated[i]:
            for side in range(begin, end):
                sheet.met[side] = odds(sheet.strength[field.opponent[side]])
            update = foreign_update(
                constants, field.prior[i], field.games[i], field.score[i], sheet.met[begin:end], field.earns_bonus[i]
            )
            sheet.effective[i] = effective_games(constants, field.prior[i], field.games[i])
            sheet.final.k[i] = update.k
            sheet.final.expected[i] = update.expected
            sheet.final.bonus[i] = update.bonus
            sheet.final.computed[i] = update.rating
            sheet.final.rating[i] = max(update.rating, constants.absolute_floor)

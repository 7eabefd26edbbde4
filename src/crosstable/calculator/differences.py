"""Why other calculators differ: each difference with an example, both sides computed when asked.

The other side is written down here only to be compared with; none of it is a rule. Sources: the old calculator page's
own text, and public calculators and the estimator of the federation's site as they were found.
"""

import math
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from crosstable.calculator.classes import page_class, rating_class
from crosstable.calculator.estimate import Estimate, estimate
from crosstable.calculator.notation import read_game
from crosstable.calculator.old_page import old_page, page_bonus, page_k
from crosstable.calculator.performance import algorithm_of_400, logarithmic_performance
from crosstable.calculator.requests import EstimateRequest, OpponentsAt
from crosstable.formulas.effective import effective_games
from crosstable.formulas.floors import level_below
from crosstable.formulas.initial import age_based_rating, converted_rating
from crosstable.formulas.rounding import official_rating, stored_whole
from crosstable.formulas.standard import k_factor, odds, winning_expectancy
from crosstable.notation import read_rating
from crosstable.rules.editions import LAW_SEEN_THROUGH, edition_for
from crosstable.terms import RatingSystem, total

EDITION = edition_for(LAW_SEEN_THROUGH)
CONSTANTS = EDITION.constants


class Difference(NamedTuple):
    """One difference: what others do, what the document says and where, and an example with both results."""

    code: str
    title: str
    others: str
    document: str
    section: str
    example: str
    theirs: str
    ours: str


def differences() -> tuple[Difference, ...]:
    """Every difference, the most frequent first; the examples are computed now, under the rules of 2025."""
    return tuple(make() for make in _ALL)


def _asked(player: str, games: str, system: RatingSystem | None = None, *, is_dual: bool = False) -> Estimate:
    rating, played = read_rating(player)
    opponents = tuple(read_game(game) for game in games.split())
    request = EstimateRequest(
        LAW_SEEN_THROUGH, opponents, rating, played, system=system, is_dual=is_dual, opponents_at=OpponentsAt.BEFORE
    )
    return estimate(request)


def _k_of_the_page() -> Difference:
    found = _asked("554.22", "W499.22 W494.53 W142.69")
    theirs = old_page(554.22, 50.0, [499.22, 494.53, 142.69], [1.0, 1.0, 1.0])
    return Difference(
        "k",
        "K by steps",
        "K is 32, 24 or 16, by the number of games or by the rating.",
        "K = 800/(N' + m): the lower a rating and the fewer its games, the more it moves.",
        "§4.2",
        "An established 554.22 wins three games against opponents whom the first pass put at 499.22, 494.53 and 142.69 "
        "(an official section of 2026).",
        f"K {theirs.k:g}, new rating {theirs.rating:.2f}",
        f"K {found.k:.2f}, new rating {found.rating:.2f}, as posted",
    )


def _games_capped_at_fifty() -> Difference:
    k_of_50 = k_factor(CONSTANTS, 50.0, 5.0)
    effective = effective_games(CONSTANTS, 1200.0, 300.0)
    return Difference(
        "effective-games",
        "Effective games",
        "Everybody with many games counts as having 50.",
        "A rating is worth at most N* games, and N* falls with the rating: about 50 only above 2355.",
        "§3",
        "A 1200 on 300 games plays five games.",
        f"K {k_of_50:.2f}",
        f"N' {effective:.2f}, K {k_factor(CONSTANTS, effective, 5.0):.2f}",
    )


def _old_thresholds() -> Difference:
    found = _asked("1700/30", "W1600 W1750 W1800 W1900")
    assert found.change is not None
    theirs = [1700.0 + found.change + max(0.0, found.change - b * math.sqrt(4.0)) for b in (14.0, 12.0)]
    return Difference(
        "threshold",
        "An older bonus threshold",
        "The bonus begins at 14√m or 12√m, the values of 2017 and 2023.",
        "The bonus begins at 10√m since 2025-01-01, with at least four games counted.",
        "§4.2",
        "A 1700 on 30 games wins against 1600, 1750, 1800 and 1900.",
        f"{theirs[0]:.2f} with 14, {theirs[1]:.2f} with 12",
        f"{found.rating:.2f}",
    )


def _bonus_of_the_page() -> Difference:
    found = _asked("1700/30", "W1600 W1750 W1800 W1900")
    return Difference(
        "bonus",
        "A bonus for newcomers only",
        "The bonus is 4 (performance - rating - 12)/(games + 3) and ends after 26 games.",
        "The bonus is what the change exceeds 10√m by, for everybody under the standard formula; on eight games or "
        "fewer there is none, because the special formula moves freely by itself.",
        "§4.2",
        "A 1200 on 5 games who performs at 1400; a 1700 on 30 games who wins against 1600, 1750, 1800 and 1900.",
        f"{page_bonus(1200.0, 1400.0, 5.0):g} and {page_bonus(1700.0, 2162.5, 30.0):g} points",
        f"0 and {found.bonus:.2f} points",
    )


def _short_events() -> Difference:
    found = _asked("1500/100", "W1500 W1500 W1500 W1500 W1500 W1500 D1500")
    assert found.change is not None
    theirs = 1500.0 + found.change + found.change - CONSTANTS.bonus_threshold * math.sqrt(min(4.0, 7.0))
    return Difference(
        "long-events",
        "The bonus of long events",
        "The threshold takes the smaller of four and the number of games.",
        "It takes the larger: m' = max(m, 4).",
        "§4.2",
        "A 1500 scores 6.5 of 7 against seven others of 1500.",
        f"{theirs:.2f}",
        f"{found.rating:.2f}",
    )


def _averaging() -> Difference:
    found = _asked("1500/6", "W900")
    theirs = (6.0 * 1500.0 + algorithm_of_400([900.0], 1, 0)) / 7.0
    return Difference(
        "special",
        "First ratings by averages",
        "On eight games or fewer the old rating and the performance are averaged.",
        "The special formula finds the rating at which the expected score equals the score; a win never costs.",
        "§4.1",
        "A 1500 on 6 games wins against a 900.",
        f"{theirs:.2f}",
        f"{found.rating:.2f}",
    )


def _one_pass() -> Difference:
    games = "W1640@3/4 D1720@3/4 L1600@3/4 W1500@2/4"
    found = _asked("1512/40", games)
    twice = estimate(found.request._replace(opponents_at=OpponentsAt.SCORES))
    return Difference(
        "one-pass",
        "One pass instead of two",
        "Opponents are met at the ratings they had before the event.",
        "All players are rated twice, the second time against what the first pass made of their opponents.",
        "§1",
        "A 1512 on 40 games: a win over a 1640, a draw with a 1720, a loss to a 1600, who all score 3 of 4, and a win "
        "over a 1500 who scores 2.",
        f"{found.rating:.2f}",
        f"{twice.rating:.2f}, with the opponents' scores",
    )


def _same_ratings() -> Difference:
    found = _asked("1500/50", "W1600 W1600 W1600 W1600")
    assert found.bonus is not None
    return Difference(
        "repeats",
        "Equal ratings taken for the same opponent",
        "Four opponents with the same rating count as one who is met four times, so the bonus is lost.",
        "Only the same person counts as the same opponent, and may be met twice.",
        "§4.2",
        "A 1500 on 50 games wins against four different 1600s.",
        f"{found.rating - found.bonus:.2f}",
        f"{found.rating:.2f}",
    )


def _dual() -> Difference:
    games = "W2250 W2300 D2350 L2400"
    plain = _asked("2300/200", games, RatingSystem.OTBR)
    dual = _asked("2300/200", games, RatingSystem.OTBR, is_dual=True)
    return Difference(
        "dual",
        "Dual-rated sections above 2200",
        "K is the same at every time control, or always smaller above 2200.",
        "K is smaller above 2200 in dual-rated sections only, and for Regular ratings only.",
        "§4.2",
        "A 2300 on 200 games scores 2.5 of 4 against 2250, 2300, 2350 and 2400 at G/60;d5.",
        f"K {plain.k:.2f}, {plain.rating:.2f}",
        f"K {dual.k:.2f}, {dual.rating:.2f}",
    )


def _peaks() -> Difference:
    theirs = math.floor((1999.51 - CONSTANTS.peak_drop) / CONSTANTS.peak_step) * CONSTANTS.peak_step
    return Difference(
        "floor",
        "Floors",
        "The floor is taken from the current rating, or from the highest one without rounding it.",
        "The highest established rating is rounded, less 200, down to the hundred, from 1200 to 2100.",
        "§5",
        "The highest rating ever was 1999.51.",
        f"{theirs:g}",
        f"{level_below(CONSTANTS, 1999.51):g}",
    )


def _conversions() -> Difference:
    old = edition_for(date(2015, 6, 1)).constants
    return Difference(
        "fide",
        "Starts from a FIDE rating",
        "The conversion of 2015 or an older one is used.",
        "FIDE ratings below 2000 changed on 2024-03-01, and the conversion with them.",
        "§2.1",
        "An unrated player has 1500 FIDE.",
        f"{converted_rating(old.fide, 1500.0):.0f}",
        f"{converted_rating(CONSTANTS.fide, 1500.0):.0f}",
    )


def _ages() -> Difference:
    old = edition_for(date(2001, 1, 1)).constants
    return Difference(
        "age",
        "Starts from an age",
        "A child starts at 300 + 50 for every year, the rule until 2006.",
        "A young player starts at 50 for every year of age, an adult at 1300.",
        "§2.3",
        "An unrated player is 12 years old.",
        f"{age_based_rating(old, 12.0, False):.0f}",
        f"{age_based_rating(CONSTANTS, 12.0, False):.0f}",
    )


def _rounding() -> Difference:
    found = _asked("1512/40", "W1640 L1720 D1500")
    return Difference(
        "rounding",
        "Rounding away from the old rating",
        "Gains are rounded up and losses down, as before September 2014.",
        "Ratings are kept with all their decimals; the official figure is the nearest whole number.",
        "§1",
        "A 1512 on 40 games wins against a 1640, loses to a 1720 and draws with a 1500.",
        f"{stored_whole(1512.0, found.rating):.0f}",
        f"{official_rating(found.rating)} ({found.rating:.2f})",
    )


def _expectancies() -> Difference:
    gaps = (-50.0, 50.0, 100.0)
    exact = [winning_expectancy(odds(gap), odds(0.0)) for gap in gaps]
    change = page_k(15.0) * (2.5 - total(exact) - winning_expectancy(odds(-100.0), odds(0.0)))
    return Difference(
        "expected",
        "Expected scores of the old page's example",
        "Expected scores of 0.40, 0.53 and 0.57 are printed for ratings 50 lower, 50 higher and 100 higher, and a "
        "change of 15.36.",
        "We = 1/(1 + 10^(-d/400)).",
        "§4.2",
        "A 1500 scores 2.5 of 4 against 1600, 1550, 1450 and 1400 with the page's own K of 24.",
        "0.40, 0.53, 0.57; +15.36",
        f"{exact[0]:.2f}, {exact[1]:.2f}, {exact[2]:.2f}; {change:+.2f}",
    )


def _performances() -> Difference:
    by_400 = algorithm_of_400([1500.0, 1600.0, 1400.0, 1700.0], 3, 1)
    return Difference(
        "performance",
        "Performance ratings of the old page's examples",
        "1598 is printed for 2.5 of 4 against an average of 1500, and 1700 for the algorithm of 400 with three wins "
        "and a loss against 1500, 1600, 1400 and 1700.",
        "The formulas as the page writes them give other numbers.",
        "",
        "The same figures, computed.",
        "1598; 1700",
        f"{logarithmic_performance(1500.0, 2.5, 4):.0f}; {by_400:.0f}",
    )


def _classes() -> Difference:
    return Difference(
        "class",
        "Classes below 1000",
        "Everything below 1000 is Class F.",
        "The official list goes on in steps of 200: F from 800, G, H, I, and J below 200.",
        "",
        "A rating of 450.",
        page_class(450.0).title,
        rating_class(450.0).title,
    )


def _controls() -> Difference:
    ranges = EDITION.controls
    return Difference(
        "controls",
        "Time controls",
        "Regular is more than 60 minutes, Quick 10 to 60, Blitz less than 10.",
        f"Minutes and seconds are added: Blitz {ranges.blitz_from} to {ranges.blitz_to}, Quick up to "
        f"{ranges.regular_from - 1}, Regular from {ranges.regular_from}; over the board {ranges.regular_from} to "
        f"{ranges.dual_to} count for Regular and Quick.",
        "§1",
        "G/45;d5, over the board.",
        "Quick",
        "Regular and Quick (dual)",
    )


_ALL: tuple[Callable[[], Difference], ...] = (
    _k_of_the_page,
    _one_pass,
    _old_thresholds,
    _bonus_of_the_page,
    _averaging,
    _games_capped_at_fifty,
    _short_events,
    _same_ratings,
    _dual,
    _peaks,
    _conversions,
    _ages,
    _rounding,
    _expectancies,
    _performances,
    _classes,
    _controls,
)

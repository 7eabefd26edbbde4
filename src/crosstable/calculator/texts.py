"""The calculator's texts: how ratings work, what a rated tournament needs, why other calculators differ.

The examples of the differences are computed on both sides when asked for. The other side is written down here only to
be compared with; none of it is a rule. Sources: the old calculator page's own text, and public calculators and the
estimator of the federation's site as they were found.
"""

import math
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from crosstable.calculator.estimate import Estimate, estimate
from crosstable.calculator.figures import (
    PAGE_BONUS_GAMES,
    PAGE_ESTABLISHED,
    PAGE_THRESHOLD,
    algorithm_of_400,
    logarithmic_performance,
    old_page,
    page_bonus,
    page_class,
    page_k,
    rating_class,
)
from crosstable.calculator.reading import read_game
from crosstable.calculator.requests import EstimateRequest, OpponentsAt
from crosstable.formulas.initial import age_based_rating, converted_rating
from crosstable.formulas.outcome import level_below, official_rating, stored_whole
from crosstable.formulas.standard import effective_games, k_factor, odds, winning_expectancy
from crosstable.limits import REPORT_DUE
from crosstable.notation import read_rating
from crosstable.rules.amending import Edition
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH, edition_for, last_changed
from crosstable.rules.in_words import age_based, converted_by, month_of, times
from crosstable.rules.statements import FLOORS, TIME_CONTROLS, said_of
from crosstable.sentences import Template
from crosstable.terms import RatingSystem, total

EDITION = edition_for(LAW_SEEN_THROUGH)
# Days of older rules that other calculators still have.
OLDER_THRESHOLDS = (date(2017, 6, 1), date(2023, 2, 1))
OLDER_CONVERSION = date(2015, 6, 1)


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


def differences(rules: Edition = EDITION) -> tuple[Difference, ...]:
    """Every difference, the most frequent first; the examples are computed now, under the rules of 2025."""
    return tuple(make(rules) for make in _ALL)


def _asked(player: str, games: str, system: RatingSystem | None = None, *, is_dual: bool = False) -> Estimate:
    rating, played = read_rating(player)
    opponents = tuple(read_game(game) for game in games.split())
    request = EstimateRequest(
        LAW_SEEN_THROUGH, opponents, rating, played, system=system, is_dual=is_dual, opponents_at=OpponentsAt.BEFORE
    )
    return estimate(request)


def _k_of_the_page(rules: Edition) -> Difference:
    found = _asked("554.22", "W499.22 W494.53 W142.69")
    theirs = old_page(554.22, PAGE_ESTABLISHED, [499.22, 494.53, 142.69], [1.0, 1.0, 1.0])
    return Difference(
        "k",
        "K by steps",
        "K is 32, 24 or 16, by the number of games or by the rating.",
        f"K = {rules.constants.k_numerator:g}/(N' + m): the lower a rating and the fewer its games, the more it moves.",
        "§4.2",
        "An established 554.22 wins three games against opponents whom the first pass put at 499.22, 494.53 and 142.69 "
        "(an official section of 2026).",
        f"K {theirs.k:g}, new rating {theirs.rating:.2f}",
        f"K {found.k:.2f}, new rating {found.rating:.2f}, as posted",
    )


def _games_capped_at_fifty(rules: Edition) -> Difference:
    k_of_50 = k_factor(rules.constants, PAGE_ESTABLISHED, 5.0)
    effective = effective_games(rules.constants, 1200.0, 300.0)
    return Difference(
        "effective-games",
        "Effective games",
        f"Everybody with many games counts as having {PAGE_ESTABLISHED:g}.",
        "A rating is worth at most N* games, and N* falls with the rating: "
        f"{rules.constants.effective_cap:g} only above {rules.constants.effective_limit:g}.",
        "§3",
        "A 1200 on 300 games plays five games.",
        f"K {k_of_50:.2f}",
        f"N' {effective:.2f}, K {k_factor(rules.constants, effective, 5.0):.2f}",
    )


def _old_thresholds(rules: Edition) -> Difference:
    found = _asked("1700/30", "W1600 W1750 W1800 W1900")
    assert found.change is not None
    constants, older = rules.constants, [edition_for(day).constants.bonus_threshold for day in OLDER_THRESHOLDS]
    root = math.sqrt(constants.bonus_least_games)
    theirs = [1700.0 + found.change + max(0.0, found.change - threshold * root) for threshold in older]
    years = " and ".join(str(day.year) for day in OLDER_THRESHOLDS)
    return Difference(
        "threshold",
        "An older bonus threshold",
        f"The bonus begins at {older[0]:g}√m or {older[1]:g}√m, the values of {years}.",
        f"The bonus begins at {constants.bonus_threshold:g}√m since {last_changed(rules, 'bonus_threshold')}, with at "
        f"least {constants.bonus_least_games:g} games counted. {older[1]:g} held since {OLDER_THRESHOLDS[1]}, though "
        "it was announced in October of that year.",
        "§4.2",
        "A 1700 on 30 games wins against 1600, 1750, 1800 and 1900.",
        f"{theirs[0]:.2f} with {older[0]:g}, {theirs[1]:.2f} with {older[1]:g}",
        f"{found.rating:.2f}",
    )


def _bonus_of_the_page(rules: Edition) -> Difference:
    found = _asked("1700/30", "W1600 W1750 W1800 W1900")
    return Difference(
        "bonus",
        "A bonus for new players only",
        f"The bonus is 4 (performance - rating - {PAGE_THRESHOLD:g})/(games + 3) and ends after {PAGE_BONUS_GAMES} "
        "games.",
        f"The bonus is what the change exceeds {rules.constants.bonus_threshold:g}√m by, for everybody under the "
        f"standard formula; on {rules.constants.special_games:g} games or fewer there is none, because the special "
        "formula moves freely by itself.",
        "§4.2",
        "A 1200 on 5 games who performs at 1400; a 1700 on 30 games who wins against 1600, 1750, 1800 and 1900.",
        f"{page_bonus(1200.0, 1400.0, 5.0):g} and {page_bonus(1700.0, 2162.5, 30.0):g} points",
        f"0 and {found.bonus:.2f} points",
    )


def _short_events(rules: Edition) -> Difference:
    found = _asked("1500/100", "W1500 W1500 W1500 W1500 W1500 W1500 D1500")
    assert found.change is not None
    constants = rules.constants
    root = math.sqrt(min(constants.bonus_least_games, 7.0))
    theirs = 1500.0 + found.change + found.change - constants.bonus_threshold * root
    return Difference(
        "long-events",
        "The bonus of long events",
        f"The threshold takes the smaller of {constants.bonus_least_games:g} and the number of games.",
        f"It takes the larger: m' = max(m, {constants.bonus_least_games:g}).",
        "§4.2",
        "A 1500 scores 6.5 of 7 against seven others of 1500.",
        f"{theirs:.2f}",
        f"{found.rating:.2f}",
    )


def _averaging(rules: Edition) -> Difference:
    found = _asked("1500/6", "W900")
    theirs = (6.0 * 1500.0 + algorithm_of_400([900.0], 1, 0)) / 7.0
    return Difference(
        "special",
        "First ratings by averages",
        f"On {rules.constants.special_games:g} games or fewer the old rating and the performance are averaged.",
        "The special formula finds the rating at which the expected score equals the score; a win never costs.",
        "§4.1",
        "A 1500 on 6 games wins against a 900.",
        f"{theirs:.2f}",
        f"{found.rating:.2f}",
    )


def _one_pass(rules: Edition) -> Difference:
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


def _same_ratings(rules: Edition) -> Difference:
    found = _asked("1500/50", "W1600 W1600 W1600 W1600")
    assert found.bonus is not None
    return Difference(
        "repeats",
        "Equal ratings taken for the same opponent",
        "Four opponents with the same rating count as one who is met four times, so the bonus is lost.",
        f"Only the same person counts as the same opponent, and may be met {times(rules.constants.bonus_meetings)}.",
        "§4.2",
        "A 1500 on 50 games wins against four different 1600s.",
        f"{found.rating - found.bonus:.2f}",
        f"{found.rating:.2f}",
    )


def _dual(rules: Edition) -> Difference:
    games = "W2250 W2300 D2350 L2400"
    limit = f"{rules.constants.dual_k_above:g}"
    plain = _asked("2300/200", games, RatingSystem.OTBR)
    dual = _asked("2300/200", games, RatingSystem.OTBR, is_dual=True)
    return Difference(
        "dual",
        f"Dual-rated sections above {limit}",
        f"K is the same at every time control, or always smaller above {limit}.",
        f"K is smaller above {limit} in dual-rated sections only, and for Regular ratings only.",
        "§4.2",
        "A 2300 on 200 games scores 2.5 of 4 against 2250, 2300, 2350 and 2400 at G/60;d5.",
        f"K {plain.k:.2f}, {plain.rating:.2f}",
        f"K {dual.k:.2f}, {dual.rating:.2f}",
    )


def _peaks(rules: Edition) -> Difference:
    constants = rules.constants
    theirs = math.floor((1999.51 - constants.peak_drop) / constants.peak_step) * constants.peak_step
    lowest = min(constants.peak_lowest, constants.peak_lowest_since_2010)
    return Difference(
        "floor",
        "Floors",
        "The floor is taken from the current rating, or from the highest one without rounding it.",
        f"The highest established rating is rounded, less {constants.peak_drop:g}, down to a multiple of "
        f"{constants.peak_step:g}, from {lowest:g} to {constants.peak_highest:g}.",
        "§5",
        "The highest rating ever was 1999.51.",
        f"{theirs:g}",
        f"{level_below(constants, 1999.51):g}",
    )


def _conversions(rules: Edition) -> Difference:
    old = edition_for(OLDER_CONVERSION).constants
    return Difference(
        "fide",
        "Starts from a FIDE rating",
        f"The conversion of {OLDER_CONVERSION.year} or an older one is used.",
        f"The conversion changed on {last_changed(rules, 'fide')}: {converted_by(rules.constants.fide, 'FIDE')}.",
        "§2.1",
        "An unrated player has 1500 FIDE.",
        f"{converted_rating(old.fide, 1500.0):.0f}",
        f"{converted_rating(rules.constants.fide, 1500.0):.0f}",
    )


def _ages(rules: Edition) -> Difference:
    old, constants = EDITIONS[0].constants, rules.constants
    return Difference(
        "age",
        "Starts from an age",
        f"A child starts at {age_based(old)}, the rule until {last_changed(rules, 'age_base').year}.",
        f"A young player starts at {age_based(constants)}, an adult at {constants.adult_start:g}.",
        "§2.3",
        "An unrated player is 12 years old.",
        f"{age_based_rating(old, 12.0, False):.0f}",
        f"{age_based_rating(constants, 12.0, False):.0f}",
    )


def _rounding(rules: Edition) -> Difference:
    found = _asked("1512/40", "W1640 L1720 D1500")
    return Difference(
        "rounding",
        "Rounding away from the old rating",
        f"Gains are rounded up and losses down, as before {month_of(last_changed(rules, 'stores_whole_numbers'))}.",
        "Ratings are kept with all their decimals; the official figure is the nearest whole number.",
        "§1",
        "A 1512 on 40 games wins against a 1640, loses to a 1720 and draws with a 1500.",
        f"{stored_whole(1512.0, found.rating):.0f}",
        f"{official_rating(found.rating)} ({found.rating:.2f})",
    )


def _expectancies(rules: Edition) -> Difference:
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


def _performances(rules: Edition) -> Difference:
    by_400 = algorithm_of_400([1500.0, 1600.0, 1400.0, 1700.0], 3, 1)
    return Difference(
        "performance",
        "Performance ratings of the old page's examples",
        "1598 is printed for 2.5 of 4 and 1690 for 3 of 4 against an average of 1500, and 1700 for the algorithm of "
        "400 with three wins and a loss against 1500, 1600, 1400 and 1700.",
        "The formulas as the page writes them give other numbers.",
        "",
        "The same figures, computed.",
        "1598; 1690; 1700",
        "; ".join(f"{one:.0f}" for one in (*(logarithmic_performance(1500.0, s, 4) for s in (2.5, 3.0)), by_400)),
    )


def _classes(rules: Edition) -> Difference:
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


def _controls(rules: Edition) -> Difference:
    ranges = rules.controls
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


_ALL: tuple[Callable[[Edition], Difference], ...] = (
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


class Text(NamedTuple):
    """A part of the calculator's page: a code for programs, a title, and its paragraphs."""

    code: str
    title: str
    paragraphs: tuple[str, ...]


class Resource(NamedTuple):
    """A page of the federation."""

    title: str
    address: str


DISCLAIMER = Text(
    "disclaimer",
    "What an estimate is not",
    (
        "Crosstable is not US Chess, and an estimate is not a rating. It takes what you enter and the rules of the "
        "day; the office also knows what all others did in the event, the decimals of every rating, and corrections to "
        "earlier events. Only what US Chess publishes is official.",
    ),
)
RESOURCES = (
    Resource("US Chess", "https://www.uschess.org/"),
    Resource("Overview of the rating system", "https://www.uschess.org/content/view/11469/329/"),
    Resource("Member lookup: ratings and tournament results", "https://www.uschess.org/msa/MbrDtlMain.php"),
    Resource(
        "Rulebook, chapters 1, 2, 10 and 11 (PDF)",
        "https://new.uschess.org/sites/default/files/media/documents/"
        "us-chess-rule-book-online-only-edition-chapters-1-2-10-11-9-1-20.pdf",
    ),
)


def how_ratings_work(edition: Edition) -> Text:
    """How ratings work under an edition, in plain words (§1, §4, §5)."""
    constants = edition.constants
    said = [Template(f"about:{key}", text).say(**constants._asdict()) for key, text in _HOW.items()]
    return Text("ratings", "How ratings work", tuple(sentence.text for sentence in said))


_HOW = {
    "expected": "A rating says how strong somebody has played so far. Before every game the two ratings say what score "
    "is expected: one half against an equal, about three quarters against somebody 200 points lower, one tenth against "
    "somebody about 380 points higher.",
    "k": "After the event the expected scores of all games are added up. A player who scores more gains, one who "
    "scores less loses: the difference is multiplied by K. K is {k_numerator:g} divided by the games the rating is "
    "worth, at most {effective_cap:g}, and the games just played, so new and low ratings move quickly and old and high "
    "ones slowly.",
    "bonus": "A player who gains very much in one event gets a bonus on top: whatever the gain exceeds "
    "{bonus_threshold:g} times the root of the number of games by. A player who has {special_games:g} games or fewer, "
    "or has won or lost all of them, is rated by another formula, which looks for the rating that explains all results "
    "at once.",
    "passes": "Everybody is rated twice: first against the opponents' ratings from before the event, then against what "
    "that made of them. A rating never falls below its floor, and never below {absolute_floor:g}. It is provisional "
    "until it is based on more than {established_above:g} games.",
}


def requirements(edition: Edition) -> Text:
    """What a rated tournament needs under an edition, its time controls first (§1, §5; official facts §6)."""
    return Text(
        "requirements",
        "What a rated tournament needs",
        (
            *said_of(edition, TIME_CONTROLS),
            "The organizer is a US Chess affiliate, the director is certified, and all players are members.",
            "Both players have the same time. Games in which one side never moved, byes and forfeits are not rated.",
            "The director sends in a report with every section, player and result, within "
            f"{REPORT_DUE} days of the end; crosstable check finds its mistakes before the office does.",
            *said_of(edition, FLOORS),
        ),
    )


def texts(edition: Edition) -> tuple[Text, ...]:
    """All parts, in the order of a page."""
    return how_ratings_work(edition), requirements(edition), DISCLAIMER

"""§4.2 of the 2025 text: the standard rating formula."""

import math
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.formulas.standard import (
    bonus_points,
    dual_k_factor,
    effective_games,
    expected_score,
    half_k_factor,
    k_factor,
    may_earn_bonus,
    odds,
    standard_update,
    winning_expectancy,
)
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.terms import KRule, RatingSystem
from tests.engine.wallcharts import Played, player, post_event, rate_wallchart

CONSTANTS = edition_for(date(2026, 7, 4)).constants
FLOAT_NOISE = 1e-9
SIX_DECIMALS = 5.001e-7
TWO_DECIMALS = 0.005001


def expectancy(rating: float, opponent: float) -> float:
    """We of two ratings, through their odds."""
    return winning_expectancy(odds(rating), odds(opponent))


# Winning expectancy


@pytest.mark.parametrize(
    ("rating", "opponent", "expected"),
    [
        (2000.0, 1800.0, 0.759747),
        (1500.0, 1600.0, 0.359935),
        (1500.0, 1550.0, 0.428537),
        (1500.0, 1450.0, 0.571463),
        (1500.0, 1400.0, 0.640065),
    ],
)
def test_winning_expectancies_of_the_readings(rating: float, opponent: float, expected: float) -> None:
    """§4.2 (readings, Part 1): recomputed to six decimals."""
    assert expectancy(rating, opponent) == pytest.approx(expected, abs=SIX_DECIMALS)


@given(st.floats(100.0, 3000.0), st.floats(100.0, 3000.0))
def test_odds_give_the_printed_expectancy(rating: float, opponent: float) -> None:
    """§4.2 (2025 text): q/(q + q_i) is 1/(1 + 10^(-(R - R_i)/400)), and the two sides share one point."""
    printed = 1 / (1 + 10 ** (-(rating - opponent) / 400))
    assert expectancy(rating, opponent) == pytest.approx(printed, abs=FLOAT_NOISE)
    assert expectancy(rating, opponent) + expectancy(opponent, rating) == pytest.approx(1.0, abs=FLOAT_NOISE)


def test_expected_score_is_the_sum_of_expectancies() -> None:
    """§4.2 (readings, Part 1): 1500 against 1600, 1550, 1450 and 1400 expects exactly 2."""
    field = [odds(opponent) for opponent in (1600.0, 1550.0, 1450.0, 1400.0)]
    assert expected_score(odds(1500.0), field, range(4)) == pytest.approx(2.0, abs=FLOAT_NOISE)


# K


@pytest.mark.parametrize(
    ("effective", "played", "k"),
    [
        (6, 4, 80),
        (6, 6, 66.67),
        (6, 10, 50),
        (20, 4, 33.33),
        (20, 6, 30.77),
        (20, 10, 26.67),
        (50, 4, 14.81),
        (50, 6, 14.29),
        (50, 10, 13.33),
    ],
)
def test_the_table_of_k(effective: float, played: float, k: float) -> None:
    """§4.2 (2025 text): the nine printed rows, to two decimals."""
    assert k_factor(CONSTANTS, effective, played) == pytest.approx(k, abs=TWO_DECIMALS)


def test_every_edition_counts_effective_games_once() -> None:
    """§4.2, readings 103: K = 800/(2N' + m) was a fault of old online pages, and no rule of any date."""
    for edition in EDITIONS:
        assert k_factor(edition.constants, 20.0, 4.0) == pytest.approx(800 / 24, abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("effective", "played", "k"),
    [
        (6, 4, 50),
        (6, 6, 44.44),
        (6, 10, 36.36),
        (20, 4, 18.18),
        (20, 6, 17.39),
        (20, 10, 16),
        (50, 4, 7.69),
        (50, 6, 7.547),
        (50, 10, 7.27),
    ],
)
def test_the_table_of_half_k(effective: float, played: float, k: float) -> None:
    """§4.2 of the 2004 text (rules history §8): 400/(N' + m/2); 7.547 is exact where the table prints 7.54."""
    assert half_k_factor(CONSTANTS, effective, played) == pytest.approx(k, abs=TWO_DECIMALS)


def test_a_half_k_section_uses_half_k_and_adds_half_the_games() -> None:
    """§4.2 of the 2004 text (rules history §8): N grows by m/2 instead of m."""
    chart = "1 | W2 | R: 1500/40 \n 2 | L1 | R: 1500/40"
    played = Played(start=date(2005, 3, 5), is_half_k=True)
    rated = rate_wallchart(chart, played)
    winner = player(rated, 1)
    effective = 50 / math.sqrt(1 + (2200 - 1500) ** 2 / 100000)
    assert rated.k_rule is KRule.HALF
    assert winner.intermediate.k == pytest.approx(400 / (effective + 0.5), abs=FLOAT_NOISE)
    assert winner.after is not None
    assert winner.after.games == 40.5


@pytest.mark.parametrize(
    ("rating", "numerator"),
    [(2000, 800), (2200, 800), (2250, 700), (2300, 600), (2400, 400), (2499, 202), (2500, 200), (2700, 200)],
)
def test_the_smaller_k_of_dual_rated_sections(rating: float, numerator: float) -> None:
    """§4.2 (readings, Part 1): 800 at 2200, 600 at 2300, 400 at 2400, 200 from 2500 on."""
    assert dual_k_factor(CONSTANTS, rating, 46.0, 4.0) == pytest.approx(numerator / 50, abs=FLOAT_NOISE)


@pytest.mark.parametrize("joint", [2200.0, 2500.0])
def test_the_smaller_k_is_continuous(joint: float) -> None:
    """§4.2, readings 56: strict above 2200, from 2500 on; no leap at either."""
    below = dual_k_factor(CONSTANTS, math.nextafter(joint, 0.0), 46.0, 4.0)
    above = dual_k_factor(CONSTANTS, math.nextafter(joint, 3000.0), 46.0, 4.0)
    assert below == pytest.approx(above, abs=FLOAT_NOISE)
    assert dual_k_factor(CONSTANTS, joint, 46.0, 4.0) == pytest.approx(above, abs=FLOAT_NOISE)


def test_no_edition_limits_k_and_a_rule_set_may() -> None:
    """§4.2: by hand 800/(4 + 4) = 100, half of 800 over 4 + 2, 400 and 200 over 8; a limit of 20 holds all of them."""
    assert all(edition.constants.k_cap == math.inf for edition in EDITIONS)
    capped = CONSTANTS._replace(k_cap=20.0)
    for constants, expected in ((CONSTANTS, (100.0, 400 / 6, 50.0, 25.0)), (capped, (20.0,) * 4)):
        found = (
            *(k_factor(constants, 4.0, 4.0), half_k_factor(constants, 4.0, 4.0)),
            *(dual_k_factor(constants, prior, 4.0, 4.0) for prior in (2400.0, 2500.0)),
        )
        assert found == pytest.approx(expected, abs=FLOAT_NOISE)
    assert k_factor(capped, 50.0, 4.0) == k_factor(CONSTANTS, 50.0, 4.0)


STRONG = "1 | W2 | R: 2400/200 | Q: 2400/200 \n 2 | L1 | R: 2400/200 | Q: 2400/200"


@pytest.mark.parametrize(
    ("day", "control", "system", "numerator"),
    [
        (date(2026, 7, 4), "G/25;d5", RatingSystem.OTBR, 400),
        (date(2026, 7, 4), "G/60;d5", RatingSystem.OTBR, 400),
        (date(2026, 7, 4), "G/61;d5", RatingSystem.OTBR, 800),
        (date(2026, 7, 4), "G/60;d5", RatingSystem.OTBQ, 800),
        (date(2026, 7, 4), "G/25;d4", RatingSystem.OTBQ, 800),
        (date(2013, 5, 8), "G/60;d5", RatingSystem.OTBR, 400),
        (date(2013, 5, 7), "G/60;d5", RatingSystem.OTBR, 800),
    ],
)
def test_only_regular_ratings_in_dual_rated_sections_get_the_smaller_k(
    day: date, control: str, system: RatingSystem, numerator: float
) -> None:
    """§4.2, readings 56 to 58 and 99: from 2013-05-08, 30 to 65 minutes, never the Quick rating."""
    rated = rate_wallchart(STRONG, Played(start=day, control=control), system)
    assert player(rated, 1).final.k == pytest.approx(numerator / 51, abs=FLOAT_NOISE)


def test_an_online_section_of_the_same_length_has_the_full_k() -> None:
    """§4.2, readings 57: OTBR only, not online Regular."""
    chart = "1 | W2 | OR: 2400/200 \n 2 | L1 | OR: 2400/200"
    rated = rate_wallchart(chart, Played(control="G/60;d5", is_online=True), RatingSystem.OLR)
    assert rated.k_rule is KRule.FULL
    assert player(rated, 1).final.k == pytest.approx(800 / 51, abs=FLOAT_NOISE)


def test_both_passes_take_k_from_the_pre_event_rating() -> None:
    """§4.2, readings 56: R of the smaller K is R0 in both passes."""
    winner = player(rate_wallchart(STRONG, Played(control="G/60;d5")), 1)
    assert winner.intermediate.k == winner.final.k


def test_the_bonus_uses_the_smaller_k() -> None:
    """§4.2, readings 58: 2300 beats four of 2500; K, change and bonus by hand."""
    chart = """
        1 | W2 W3 W4 W5 | R: 2300/99
        2 | L1 | R: 2500/99
        3 | U L1 | R: 2500/99
        4 | U U L1 | R: 2500/99
        5 | U U U L1 | R: 2500/99
    """
    working = player(rate_wallchart(chart, Played(control="G/60;d5")), 1).intermediate
    effective = 50 / math.sqrt(0.662 + 0.00000739 * (2569 - 2300) ** 2)
    k = 800 * (6.5 - 0.0025 * 2300) / (effective + 4)
    change = k * (4 - 4 / (1 + 10**0.5))
    assert working.bonus == pytest.approx(change - 20, abs=FLOAT_NOISE)


# The update and its bonus

OPPONENTS = (1600.0, 1750.0, 1800.0, 1900.0)


@pytest.mark.parametrize(
    ("day", "threshold", "rating"),
    [
        (date(2008, 6, 6), 6, 1843.3377),
        (date(2012, 8, 3), 8, 1839.3377),
        (date(2025, 1, 1), 10, 1835.3377),
        (date(2015, 6, 1), 12, 1831.3377),
        (date(2017, 6, 1), 14, 1827.3377),
    ],
)
def test_the_reference_update_under_five_thresholds(day: date, threshold: float, rating: float) -> None:
    """§4.2 (readings, Part 1): 1700 on 30 games, 4/4; K 33.316971, E 1.668790, change 77.668857; four decimals."""
    k = k_factor(CONSTANTS, effective_games(CONSTANTS, 1700.0, 30.0), 4.0)
    field = [odds(opponent) for opponent in OPPONENTS]
    update = standard_update(edition_for(day).constants, 1700.0, k, 4.0, field, earns_bonus=True)
    assert (update.k, update.expected, update.change) == pytest.approx(
        (33.316971, 1.668790, 77.668857), abs=SIX_DECIMALS
    )
    assert update.bonus == pytest.approx(77.668857 - threshold * 2, abs=SIX_DECIMALS)
    assert update.rating == pytest.approx(rating, abs=5.001e-5)


def test_without_the_bonus_the_change_alone_stands() -> None:
    """§4.2 (2025 text): R0 + K(S - E)."""
    field = [odds(opponent) for opponent in OPPONENTS]
    k = k_factor(CONSTANTS, effective_games(CONSTANTS, 1700.0, 30.0), 4.0)
    update = standard_update(CONSTANTS, 1700.0, k, 4.0, field, earns_bonus=False)
    assert (update.bonus, update.rating) == pytest.approx((0.0, 1777.668857), abs=SIX_DECIMALS)


@pytest.mark.parametrize(
    ("change", "played", "bonus"),
    [(20.0, 4.0, 0.0), (20.5, 4.0, 0.5), (20.5, 3.0, 0.5), (30.0, 9.0, 0.0), (31.0, 9.0, 1.0), (-80.0, 4.0, 0.0)],
)
def test_the_bonus_is_what_exceeds_the_threshold(change: float, played: float, bonus: float) -> None:
    """§4.2 (2025 text): max(0, change - 10 √m'), m' = max(m, 4): three rounds count as four."""
    assert bonus_points(CONSTANTS, change, played) == pytest.approx(bonus, abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("played", "most_meetings", "earns"),
    [
        (1, 1, False),
        (2, 1, False),
        (3, 1, True),
        (3, 2, False),
        (3, 3, False),
        (4, 1, True),
        (4, 2, True),
        (4, 3, False),
        (9, 2, True),
        (9, 3, False),
    ],
)
@pytest.mark.parametrize("day", [date(2001, 1, 1), date(2013, 8, 3), date(2026, 7, 4)])
def test_when_the_bonus_applies(day: date, played: int, most_meetings: int, earns: bool) -> None:
    """§4.2, readings 41 and 91: at all dates no bonus on three games with a repeat, nor after a third meeting."""
    assert may_earn_bonus(edition_for(day).constants, played, most_meetings) is earns


@pytest.mark.parametrize(
    ("rounds", "earns"),
    [
        ("W2 W3", False),
        ("W2 W3 W4", True),
        ("W2 W2 W3", False),
        ("W2 W2 W3 W3", True),
        ("W2 W2 W3 W4", True),
        ("W2 W2 W2 W3", False),
        ("W2 W2 X2 W3 W4", True),
        ("W2 W3 X4", False),
    ],
    ids=["two games", "three", "three with a repeat", "2+2", "2+1+1", "third meeting", "a forfeit is none", "2 and X"],
)
def test_repeats_and_the_bonus_on_the_wallchart(rounds: str, earns: bool) -> None:
    """§4.2, readings 41, 42 and 91: every rated game against an opponent counts, forfeits do not."""
    chart = f"1 | {rounds} | R: 1000/99 \n 2 | U | R: 2200/99 \n 3 | U | R: Unrated \n 4 | U | R: 2200/99"
    winner = player(rate_wallchart(chart), 1)
    assert winner.earns_bonus is earns
    assert (winner.final.bonus > 0.0) is earns


def test_meeting_an_unrated_opponent_twice_is_a_repeat_too() -> None:
    """§4.2, readings 42: rated or unrated, they are the same opponent."""
    chart = "1 | W2 W2 W3 | R: 1000/99 \n 2 | L1 L1 | R: Unrated \n 3 | U U L1 | R: 2200/99"
    assert not player(rate_wallchart(chart), 1).earns_bonus


@given(st.floats(100.0, 2700.0), st.lists(st.floats(100.0, 2700.0), min_size=1, max_size=9), st.booleans())
def test_a_better_score_never_lowers_a_standard_rating(rating: float, field: list[float], earns: bool) -> None:
    """§4.2: the rating grows with S, by K for each point and at least as fast with the bonus."""
    k = k_factor(CONSTANTS, 20.0, float(len(field)))
    results = [
        standard_update(CONSTANTS, rating, k, half / 2, [odds(one) for one in field], earns).rating
        for half in range(2 * len(field) + 1)
    ]
    for worse, better in pairwise(results):
        assert better - worse >= k / 2 - FLOAT_NOISE


def test_a_standard_rating_has_no_cap_at_2700() -> None:
    """§4.2, readings 52: the cap belongs to the special formula."""
    rated = rate_wallchart("1 | W2 | R: 2790/99 \n 2 | L1 | R: 2790/99")
    assert post_event(rated, 1) > 2790.0

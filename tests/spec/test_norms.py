"""Norms (official facts §1): reconstructed from official results; the rating document has no § for them.

All 64 norm codes of an official event are in ``tests/engine/test_rating_official_2015.py``; the cases here are by hand.
"""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.formulas.norms import NO_NORM, NORM_LEVELS, highest_norm, level_expectancy, margin
from crosstable.terms import NORM_CODES, RatingSystem, SectionType
from tests.engine.wallcharts import Played, player, rate_wallchart


@pytest.mark.parametrize(
    ("opponent", "expectancy"),
    [
        (2500.0, 0.0),
        (2400.0, 0.0),
        (2399.0, 0.00125),
        (2200.0, 0.25),
        (2000.0, 0.5),
        (1999.0, 0.5025),
        (1900.0, 0.75),
        (1800.0, 1.0),
        (1799.0, 1.0),
        (1200.0, 1.0),
    ],
)
def test_each_branch_of_c(opponent: float, expectancy: float) -> None:
    """Official facts §1, level 2000: 0 from 400 points up, then slopes 1/800 and 1/400, 1 from 200 points down."""
    assert level_expectancy(2000.0, opponent) == pytest.approx(expectancy, abs=1e-12)


def test_the_margin_is_the_score_less_the_sum_of_c() -> None:
    """Official facts §1, by hand at level 1800: C of 2200, 2000, 1800, 1700 is 0, 0.25, 0.5, 0.75."""
    assert margin(1800.0, 3.0, (2200.0, 2000.0, 1800.0, 1700.0)) == pytest.approx(1.5, abs=1e-12)


def test_the_levels_and_their_codes() -> None:
    """Official facts §1: fourth category 1200 to life senior master 2400."""
    assert dict(zip(NORM_CODES, NORM_LEVELS, strict=True)) == {
        "4": 1200.0,
        "3": 1400.0,
        "2": 1600.0,
        "1": 1800.0,
        "C": 2000.0,
        "M": 2200.0,
        "S": 2400.0,
    }


def code(score: float, opponents: tuple[float, ...], most_meetings: int = 1) -> str | None:
    """The code of the norm earned, or none."""
    level = highest_norm(score, opponents, most_meetings)
    return None if level == NO_NORM else NORM_CODES[level]


@pytest.mark.parametrize(
    ("score", "opponents", "earned"),
    [
        # Against four of 1800: C sums to 4 at 2000, 2 at 1800, 1 at 1600, 0 at 1400.
        (3.0, (1800.0,) * 4, "2"),
        (3.5, (1800.0,) * 4, "1"),
        (2.0, (1800.0,) * 4, "3"),
        (1.5, (1800.0,) * 4, "3"),
        (1.0, (1800.0,) * 4, None),
        # The margin must be MORE than one: at 1800, 3 - 2 is exactly one, so only 1600 is reached above.
        (4.0, (2400.0,) * 4, "S"),
        (3.0, (2400.0,) * 4, "M"),
        (4.0, (2150.0,) * 4, "M"),
        (4.0, (2100.0,) * 4, "C"),
        (4.0, (1000.0,) * 4, None),
        (4.0, (1100.0,) * 4, None),
        (4.0, (1130.0,) * 4, "4"),
    ],
)
def test_the_highest_level_with_a_margin_of_more_than_one_is_earned(
    score: float, opponents: tuple[float, ...], earned: str | None
) -> None:
    """Official facts §1: one norm per section, the highest; by hand."""
    assert code(score, opponents) == earned


def test_a_margin_of_exactly_one_is_not_enough() -> None:
    """Official facts §1: MORE than 1.0; level 1400 expects nothing at all against 1800."""
    assert code(1.0, (1800.0,) * 4) is None
    assert code(1.5, (1800.0,) * 4) == "3"


def test_a_sum_that_misses_one_by_rounding_alone_is_still_one() -> None:
    """Official facts §1: ten opponents with C of 0.1 at level 1200 add up to 1, in doubles to a little less."""
    opponents = (1520.0,) * 10
    expected = 0.0
    for opponent in opponents:
        expected += level_expectancy(1200.0, opponent)
    assert 0.0 < 1.0 - expected < 1e-12
    assert code(2.0, opponents) is None
    assert code(2.5, opponents) == "4"


@pytest.mark.parametrize(("games", "earned"), [(3, None), (4, "1"), (5, "1")])
def test_a_norm_needs_four_games(games: int, earned: str | None) -> None:
    """Official facts §1: three wins over 1800 are too few; four are a norm at 1800."""
    assert code(float(games), (1800.0,) * games) == earned


@pytest.mark.parametrize(("most_meetings", "earned"), [(1, "1"), (2, "1"), (3, None), (4, None)])
def test_nobody_may_be_met_more_than_twice(most_meetings: int, earned: str | None) -> None:
    """Official facts §1."""
    assert code(4.0, (1800.0,) * 4, most_meetings) == earned


@given(st.lists(st.integers(100, 2800).map(float), min_size=4, max_size=9).map(tuple), st.integers(0, 18))
def test_a_norm_at_a_level_is_one_at_every_lower_level(opponents: tuple[float, ...], half_points: int) -> None:
    """Official facts §1: C grows with the level, so the margin shrinks."""
    score = min(half_points / 2, float(len(opponents)))
    reached = [margin(level, score, opponents) > 1.0 + 1e-9 for level in NORM_LEVELS]
    assert reached == sorted(reached, reverse=True)
    assert highest_norm(score, opponents, 1) == sum(reached) - 1


# In sections

WINS_OVER_FOUR = """
    1 | W2 W3 W4 W5 | {system}: 1500/99
    2 | L1          | {system}: 1800/300
    3 | U  L1       | {system}: 1800/300
    4 | U  U  L1    | {system}: 1800/300
    5 | U  U  U  L1 | {system}: 1800/300
"""


def test_opponents_count_at_their_post_event_ratings() -> None:
    """Official facts §1: four wins over 1705 are a norm at 1800 (C 0.7375 each), but the losers end lower."""
    winner = player(rate_wallchart(WINS_OVER_FOUR.format(system="R").replace("1800/", "1705/")), 1)
    assert code(4.0, (1705.0,) * 4) == "1"
    # At 1700 C is 0.75 each and the margin no more than one; each of the four lost more than five points.
    assert all(game.post_event < 1700.0 for game in winner.games)
    assert winner.norm == "2"


@pytest.mark.parametrize(
    ("system", "played", "earned"),
    [
        ("R", Played(), "1"),
        ("R", Played(control="G/60;d5"), "1"),
        ("R", Played(kind=SectionType.ROUND_ROBIN), "1"),
        ("R", Played(kind=SectionType.MATCH), None),
        ("Q", Played(control="G/60;d5"), None),
        ("B", Played(control="G/5;d0"), None),
        ("OR", Played(is_online=True), None),
    ],
)
def test_norms_are_earned_in_regular_over_the_board_sections(system: str, played: Played, earned: str | None) -> None:
    """Official facts §1: dual-rated sections count by their Regular side; matches, Quick, Blitz and online do not."""
    systems = {"R": RatingSystem.OTBR, "Q": RatingSystem.OTBQ, "B": RatingSystem.OTBB, "OR": RatingSystem.OLR}
    rated = rate_wallchart(WINS_OVER_FOUR.format(system=system), played, systems[system])
    assert player(rated, 1).norm == earned


def test_unrated_and_provisional_players_can_earn_norms() -> None:
    """Official facts §1: a title needs an established rating, a norm does not."""
    for brought in ("Unrated", "1500/3"):
        chart = WINS_OVER_FOUR.format(system="R").replace("1500/99", brought)
        assert player(rate_wallchart(chart, Played(start=date(2016, 2, 6))), 1).norm is not None

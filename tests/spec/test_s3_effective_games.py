"""§3 of the 2025 text: the effective number of games."""

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.engine.after import assumptions
from crosstable.engine.records import Assumption
from crosstable.formulas.outcome import fewest_established
from crosstable.formulas.standard import effective_games, most_effective_games
from crosstable.rules.editions import edition_for
from crosstable.rules.rule_files import rule_set
from crosstable.terms import Background, PlayerRating, RatingSystem
from tests.engine.wallcharts import Played, player, rate_wallchart

NOW = edition_for(date(2026, 7, 4)).constants
OLD = edition_for(date(2013, 5, 7)).constants
FLOAT_NOISE = 1e-9


def test_the_worked_example() -> None:
    """§3 (2025 text; readings, Part 1): 1700 on 30 games; the text prints 20.0, which is 20.01178675."""
    assert effective_games(NOW, 1700.0, 30.0) == pytest.approx(20.01178675, abs=5.001e-9)
    assert effective_games(NOW, 1700.0, 30.0) == pytest.approx(50 / math.sqrt(6.24263979), abs=FLOAT_NOISE)


def test_the_worked_example_under_the_old_curve() -> None:
    """§3 of the 2004 text (rules history §3): the same player until 2013-05-07; inner sum 3.5, printed 26.7."""
    assert effective_games(OLD, 1700.0, 30.0) == pytest.approx(26.726124, abs=5.001e-7)
    assert effective_games(OLD, 1700.0, 30.0) == pytest.approx(50 / math.sqrt(3.5), abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("day", "games"), [(date(2013, 5, 7), 26.726124), (date(2013, 5, 8), 20.011787), (date(2013, 5, 9), 20.011787)]
)
def test_the_curve_changed_on_2013_05_08(day: date, games: float) -> None:
    """§3, §8 (2025 text): by the start of the section, values of both texts' example to six decimals."""
    assert effective_games(edition_for(day).constants, 1700.0, 30.0) == pytest.approx(games, abs=5.001e-7)


@pytest.mark.parametrize(("rating", "ratio"), [(1900.0, 1.384), (2000.0, 1.419), (2100.0, 1.394)])
def test_the_new_curve_raised_k_by_about_40_percent(rating: float, ratio: float) -> None:
    """§3, rules history §3: K with four games, new against old, as the notice of May 2013 says; three decimals."""
    old, new = effective_games(OLD, rating, 300.0), effective_games(NOW, rating, 300.0)
    assert (old + 4) / (new + 4) == pytest.approx(ratio, abs=5.001e-4)


def test_the_joint_at_2355_leaps_a_hundredth() -> None:
    """§3, readings, Part 1: 49.98919 at 2355, 50 just above."""
    assert most_effective_games(NOW, 2355.0) == pytest.approx(49.98919, abs=5.001e-6)
    assert most_effective_games(NOW, math.nextafter(2355.0, 3000.0)) == 50.0
    assert most_effective_games(NOW, 2800.0) == 50.0


def test_the_old_curve_reached_50_at_2200() -> None:
    """§3 of the 2004 text (rules history §3): continuous at 2200."""
    assert most_effective_games(OLD, 2200.0) == 50.0
    assert most_effective_games(OLD, 2200.1) == 50.0
    assert most_effective_games(OLD, 2199.0) == pytest.approx(50 / math.sqrt(1 + 1 / 100000), abs=FLOAT_NOISE)


@pytest.mark.parametrize("games", [0.0, 1.0, 8.0, 20.0])
def test_fewer_games_than_the_cap_count_in_full(games: float) -> None:
    """§3 (2025 text): N' is the smaller of N and N*, here 20.01 at 1700."""
    assert effective_games(NOW, 1700.0, games) == games


def test_an_unknown_count_is_the_cap_and_marked_only_where_it_matters() -> None:
    """§3: every established N is 26 or more, so only a cap above 26 is an assumption (above about 1928)."""
    for rating, is_assumed in ((1928.0, False), (1929.0, True)):
        known = Background({RatingSystem.OTBR: PlayerRating(rating, None, 50, 5, 50, 20, 1990.0, 1990.0)})
        rated = player(rate_wallchart("1 | D2 | R: Unrated \n 2 | D1 | R: 1900/40", known={1: known}), 1)
        assert rated.effective == most_effective_games(NOW, rating)
        assert (Assumption.GAMES in rated.assumed) is is_assumed
        assert rated.after is not None
        assert rated.after.games is None


def test_an_unknown_count_mattered_from_lower_ratings_under_the_old_curve() -> None:
    """§3 of the 2004 text: before 2013-05-08 the cap passes 26 at about 1681."""
    for rating, is_assumed in ((1680.0, False), (1682.0, True)):
        known = Background({RatingSystem.OTBR: PlayerRating(rating, None, 50, 5, 50, 20, 1700.0)})
        played = Played(start=date(2009, 5, 2))
        rated = player(rate_wallchart("1 | D2 | R: Unrated \n 2 | D1 | R: 1700/40", played, known={1: known}), 1)
        assert (Assumption.GAMES in rated.assumed) is is_assumed


def test_an_unknown_count_matters_under_a_rule_set_from_the_next_whole_number_of_games() -> None:
    """§1, §3: on more than 10.5 games means 11 or more; N* passes 11 at about 924, and 11.5 at about 998."""
    constants = rule_set(established_above=10.5).edition(edition_for(date(2026, 7, 4))).constants
    assert fewest_established(constants) == 11.0
    assert fewest_established(NOW) == 26.0
    for rating, is_assumed in ((920.0, False), (960.0, True), (1000.0, True)):
        record = PlayerRating(rating, None, 50, 5, 50, 20, 990.0, 990.0)
        assert (Assumption.GAMES in assumptions(constants, record)) is is_assumed


@given(st.floats(100.0, 3000.0), st.floats(0.0, 2000.0))
def test_effective_games_never_exceed_games_nor_50(rating: float, games: float) -> None:
    """§3 (2025 text): N' can be no larger than 50, nor than N."""
    for constants in (NOW, OLD):
        assert 0.0 <= effective_games(constants, rating, games) <= min(games, 50.0)


@given(st.floats(100.0, 3000.0), st.floats(0.0, 500.0))
def test_a_higher_rating_is_worth_no_fewer_games(rating: float, more: float) -> None:
    """§3 (2025 text): N* is "substantially smaller especially when the player's rating is low"."""
    for constants in (NOW, OLD):
        assert most_effective_games(constants, rating + more) >= most_effective_games(constants, rating)

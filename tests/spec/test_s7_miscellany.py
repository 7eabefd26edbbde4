"""§7 of the 2025 text: matches, counts, rounding and storage. Ceilings are tested with the floors of §5."""

import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.engine import RatedSection
from crosstable.engine.after import match_past
from crosstable.formulas.outcome import (
    Level,
    MatchPast,
    held,
    match_change,
    may_play_match,
    official_rating,
    outcome,
    stored_first,
    stored_whole,
    years_before,
)
from crosstable.rules.editions import edition_for
from crosstable.terms import Background, Floor, FloorKind, MatchChange, PlayerRating, RatingSystem, SectionType
from tests.engine.wallcharts import Played, player, post_event, rate_wallchart, section_of, wallchart

OTBR = RatingSystem.OTBR
TODAY = date(2026, 7, 4)
CONSTANTS = edition_for(TODAY).constants
FLOAT_NOISE = 1e-9
MATCH = Played(kind=SectionType.MATCH)
FOUR_WINS = "1 | W2 W2 W2 W2 | R: 1500/99 \n 2 | L1 L1 L1 L1 | R: 1500/99"


def match(rounds: str, standing: PlayerRating, played: Played = MATCH) -> RatedSection:
    """A match of a player with this standing against somebody rated 1500 on 99 games."""
    back = " ".join({"W": "L1", "L": "W1", "D": "D1"}[cell[0]] for cell in rounds.split())
    known = {1: Background({OTBR: standing}), 2: Background({OTBR: PlayerRating(1500.0, 99.0)})}
    return rate_wallchart(f"1 | {rounds} | \n 2 | {back} |", played, known=known)


# Who may play a match


@pytest.mark.parametrize(
    ("games", "gap", "may"),
    [
        (26.0, 0.0, True),
        (26.0, 400.0, True),
        (26.0, -400.0, True),
        (26.0, 400.5, False),
        (26.0, -401.0, False),
        (25.0, 0.0, False),
        (math.inf, 399.0, True),
    ],
)
def test_a_match_needs_established_ratings_within_400_points(games: float, gap: float, may: bool) -> None:
    """§7, item 1 (2025 text), readings 73: 400 itself is allowed."""
    assert may_play_match(CONSTANTS, games, gap) is may


@pytest.mark.parametrize(("day", "may"), [(date(2006, 1, 31), True), (date(2006, 2, 1), False)])
def test_provisional_players_could_play_matches_before_2006(day: date, may: bool) -> None:
    """§7, rules history §11: until the rules of 2006 a published rating was enough; the 400 points are older."""
    assert may_play_match(edition_for(day).constants, 10.0, 400.0) is may
    assert not may_play_match(edition_for(day).constants, 99.0, 401.0)


# How far a match can move a rating


@pytest.mark.parametrize(
    ("change", "half_year", "three_years", "stands"),
    [
        (49.0, 0.0, 0.0, 49.0),
        (51.0, 0.0, 0.0, 50.0),
        (-51.0, 0.0, 0.0, -50.0),
        (60.0, 80.0, 80.0, 20.0),
        (60.0, 100.0, 100.0, 0.0),
        (60.0, 120.0, 120.0, 0.0),
        (-60.0, 120.0, 120.0, -50.0),
        (60.0, -80.0, -80.0, 50.0),
        (-60.0, -80.0, -80.0, -20.0),
        (60.0, 0.0, 190.0, 10.0),
        (60.0, 70.0, 190.0, 10.0),
        (60.0, 90.0, 170.0, 10.0),
        (60.0, 30.0, -250.0, 50.0),
        (-60.0, 30.0, -250.0, 0.0),
    ],
)
def test_limits_of_a_match(change: float, half_year: float, three_years: float, stands: float) -> None:
    """§7, item 2 (2025 text), readings 74: 50 a match, then 100 net in 180 days, then 200 net in three years."""
    assert match_change(CONSTANTS, change, half_year, three_years).change == stands


def test_the_working_of_the_limits_shows_each_of_them() -> None:
    """§7, item 2, readings 74: 60 becomes 50, then 30 beside a net of 70, then 10 beside a net of 190."""
    assert match_change(CONSTANTS, 60.0, 70.0, 190.0) == (60.0, 50.0, 30.0, 10.0)


@given(st.floats(-300.0, 300.0), st.floats(-300.0, 300.0), st.floats(-300.0, 300.0))
def test_a_limit_never_turns_or_enlarges_a_change(change: float, half_year: float, three_years: float) -> None:
    """§7, item 2: what stands has the sign of what was computed and is no larger, nor than 50."""
    stands = match_change(CONSTANTS, change, half_year, three_years).change
    assert abs(stands) <= min(abs(change), 50.0)
    assert stands * change >= 0.0


@given(st.floats(-100.0, 100.0), st.floats(-100.0, 100.0))
def test_a_net_change_within_its_limit_stays_there(change: float, net_before: float) -> None:
    """§7, item 2, readings 74: the net sum is held to ± 100."""
    assert abs(net_before + held(change, net_before, 100.0)) <= 100.0 + FLOAT_NOISE


@pytest.mark.parametrize(
    ("day", "stands"),
    [
        (date(2005, 12, 31), 130.0),
        (date(2006, 1, 1), 50.0),
        (date(2006, 1, 31), 50.0),
        (date(2006, 2, 1), 30.0),
    ],
)
def test_match_limits_by_date(day: date, stands: float) -> None:
    """§7, rules history §11: 200 in three years in 2004; 50 a match by 2006; then 100 in 180 days."""
    assert match_change(edition_for(day).constants, 140.0, 70.0, 70.0).change == stands


def test_a_match_moves_both_players_by_50_at_most() -> None:
    """§7, item 2 (2025 text): four wins between equals are worth more than 50 to a Swiss, and exactly 50 here."""
    in_a_match, in_a_swiss = rate_wallchart(FOUR_WINS, MATCH), rate_wallchart(FOUR_WINS)
    assert (post_event(in_a_match, 1), post_event(in_a_match, 2)) == (1550.0, 1450.0)
    assert post_event(in_a_swiss, 1) > 1550.0
    assert player(in_a_match, 1).outcome.limited_change == 50.0


def test_within_its_limits_a_match_is_rated_like_any_section() -> None:
    """§7, readings 75: both passes; one game between equals, by hand."""
    rated = rate_wallchart("1 | W2 | R: 1500/99 \n 2 | L1 | R: 1500/99", MATCH)
    k = 800 / (50 / math.sqrt(0.662 + 0.00000739 * (2569 - 1500) ** 2) + 1)
    loser_after_step_4 = 1500 - k / 2
    by_hand = 1500 + k * (1 - 1 / (1 + 10 ** (-(1500 - loser_after_step_4) / 400)))
    assert post_event(rated, 1) == pytest.approx(by_hand, abs=FLOAT_NOISE)
    assert math.isnan(player(rated, 1).outcome.limited_change)


def test_a_match_has_no_bonus() -> None:
    """§7, item 3 (2025 text), readings 75: not in the intermediate pass either; two games each way would earn one."""
    chart = "1 | W2 W2 W3 W3 | R: 1500/99 \n 2 | L1 L1 | R: 1900/99 \n 3 | U U L1 L1 | R: 1900/99"
    assert player(rate_wallchart(chart), 1).final.bonus > 0.0
    winner = player(rate_wallchart(chart, MATCH), 1)
    assert not winner.earns_bonus
    assert (winner.intermediate.bonus, winner.final.bonus) == (0.0, 0.0)


def test_n_grows_by_all_games_though_the_change_is_limited() -> None:
    """§7, readings 60: four games are four games."""
    after = player(rate_wallchart(FOUR_WINS, MATCH), 1).after
    assert after is not None
    assert after.games == 103


# Windows


@pytest.mark.parametrize(
    ("days_before", "half_year", "three_years"),
    [(0, 30.0, 30.0), (179, 30.0, 30.0), (180, 30.0, 30.0), (181, 0.0, 30.0), (-1, 0.0, 0.0)],
)
def test_180_days_end_with_the_match(days_before: int, half_year: float, three_years: float) -> None:
    """§7, readings 74 and 107: counted in days, both ends included; what comes later does not count."""
    change = MatchChange(TODAY - timedelta(days=days_before), 30.0)
    section = section_of(wallchart(FOUR_WINS), MATCH)
    assert match_past(CONSTANTS, section, PlayerRating(1500.0, 99.0, match_changes=(change,))) == (
        True,
        half_year,
        three_years,
    )


@pytest.mark.parametrize(
    ("end", "on", "counts"),
    [
        (date(2026, 7, 4), date(2023, 7, 4), True),
        (date(2026, 7, 4), date(2023, 7, 3), False),
        (date(2024, 2, 29), date(2021, 2, 28), True),
        (date(2024, 2, 29), date(2021, 2, 27), False),
        (date(2027, 2, 28), date(2024, 2, 28), True),
        (date(2027, 2, 28), date(2024, 2, 27), False),
        (date(2028, 2, 29), date(2025, 2, 28), True),
    ],
)
def test_three_years_go_back_to_the_same_calendar_date(end: date, on: date, counts: bool) -> None:
    """§7, readings 107: from 29 February to 28 February."""
    section = section_of(wallchart(FOUR_WINS), MATCH._replace(start=end))
    past = match_past(CONSTANTS, section, PlayerRating(1500.0, 99.0, match_changes=(MatchChange(on, 30.0),)))
    assert past.net_three_years == (30.0 if counts else 0.0)


def test_years_go_back_as_the_calendar_does() -> None:
    """§7, readings 107: every day of 130 years, against the calendar of the standard library."""
    for ordinal in range(date(1970, 1, 1).toordinal(), date(2100, 12, 31).toordinal()):
        day = date.fromordinal(ordinal)
        same = day.replace(day=28) if (day.month, day.day) == (2, 29) else day
        assert years_before(ordinal, 3) == same.replace(year=day.year - 3).toordinal()


def test_the_windows_are_those_of_the_rules() -> None:
    """§7: a rule set may count 90 days and one year instead."""
    constants = CONSTANTS._replace(match_half_year_days=90, match_years=1)
    section = section_of(wallchart(FOUR_WINS), MATCH)
    changes = tuple(MatchChange(TODAY - timedelta(days=days), 10.0) for days in (90, 91, 365, 366))
    assert match_past(constants, section, PlayerRating(1500.0, 99.0, match_changes=changes)) == (True, 10.0, 30.0)


def test_windows_end_with_the_end_of_the_match_and_not_its_start() -> None:
    """§7, readings 107: 180 days before the last day of a match over three days."""
    played = MATCH._replace(start=date(2026, 7, 2), end=date(2026, 7, 4))
    section = section_of(wallchart(FOUR_WINS), played)
    late, early = (MatchChange(date(2026, 7, 4) - timedelta(days=days), 30.0) for days in (180, 181))
    assert match_past(CONSTANTS, section, PlayerRating(1500.0, 99.0, match_changes=(late, early))).net_half_year == 30.0


def test_changes_of_a_window_are_summed_with_their_signs() -> None:
    """§7, readings 74: net is the signed sum; +50 +40 -30 leave 40 of the 100."""
    changes = tuple(MatchChange(TODAY - timedelta(days=9), change) for change in (50.0, 40.0, -30.0))
    rated = match("W2 W2 W2 W2", PlayerRating(1500.0, 99.0, match_changes=changes))
    assert post_event(rated, 1) == 1540.0


def test_a_match_is_remembered_with_the_change_that_stands() -> None:
    """§7: the change after all limits, on the day the match ended; other sections leave no such memory."""
    earlier = MatchChange(date(2020, 1, 1), -12.0)
    standing = PlayerRating(1500.0, 99.0, match_changes=(earlier,))
    after = player(match("W2 W2 W2 W2", standing), 1).after
    assert after is not None
    assert after.match_changes == (earlier, MatchChange(TODAY, 50.0))
    in_a_swiss = player(match("W2 W2 W2 W2", standing, Played()), 1).after
    assert in_a_swiss is not None
    assert in_a_swiss.match_changes == (earlier,)


def test_a_newcomer_in_a_waived_match_has_no_change_to_limit() -> None:
    """§7, readings 100: an office may waive the conditions; somebody unrated has no rating to change from."""
    rated = rate_wallchart("1 | W2 W2 W2 | R: Unrated \n 2 | L1 L1 L1 | R: 1500/99", MATCH)
    newcomer = player(rated, 1)
    assert math.isnan(newcomer.outcome.limited_change)
    assert newcomer.after is not None
    assert newcomer.after.match_changes == ()
    assert newcomer.after.rating > 800.0


# Floors in matches


@pytest.mark.parametrize(
    ("standing", "floor"),
    [
        (PlayerRating(1510.0, 99.0, peak=1700.0), 1500.0),
        (PlayerRating(1510.0, 99.0, peak=1600.0, floors=(Floor(FloorKind.MONEY, 1500.0),)), 1500.0),
        (PlayerRating(1510.0, 99.0, peak=1600.0, floors=(Floor(FloorKind.OFFICE, 1505.0),)), 1505.0),
        (PlayerRating(1510.0, 99.0, peak=1800.0, lowered_floor=1500.0), 1500.0),
    ],
    ids=["peak", "money", "office", "lowered before"],
)
def test_a_floor_met_in_a_match_is_a_request_to_lower_it(standing: PlayerRating, floor: float) -> None:
    """§7, item 4 (2025 text), readings 76 and 95: the floored rating stands, and 100 points less are asked for."""
    loser = player(match("L2 L2 L2 L2", standing), 1)
    assert loser.outcome.rating == floor
    assert loser.outcome.requested_floor == floor - 100.0


def test_no_floor_met_asks_for_nothing() -> None:
    """§7, item 4: a match that stays above the floor, and a Swiss that meets it."""
    standing = PlayerRating(1510.0, 99.0, peak=1700.0)
    assert math.isnan(player(match("D2", standing), 1).outcome.requested_floor)
    assert math.isnan(player(match("L2 L2 L2 L2", standing, Played()), 1).outcome.requested_floor)


def test_absolute_floors_cannot_be_lowered() -> None:
    """§7, item 4, §5: nobody's rating can be lower than the absolute floor, so nothing is asked for."""
    for kind in (FloorKind.ABSOLUTE, FloorKind.PERSONAL):
        found = outcome(CONSTANTS, 120.0, 90.0, MatchPast(True, 0.0, 0.0), Level(kind, 110.0), math.inf)
        assert (found.floor_kind, found.rating) == (kind, 110.0)
        assert math.isnan(found.requested_floor)


@pytest.mark.parametrize(("day", "asks"), [(date(2006, 1, 31), False), (date(2006, 2, 1), True)])
def test_floor_requests_began_with_the_match_rules_of_2006(day: date, asks: bool) -> None:
    """§7, rules history §11."""
    loser = player(match("L2 L2 L2 L2", PlayerRating(1510.0, 99.0, peak=1700.0), MATCH._replace(start=day)), 1)
    assert loser.outcome.rating == 1500.0
    assert math.isnan(loser.outcome.requested_floor) is not asks


def test_limits_act_before_floors() -> None:
    """§7, readings 75: -50 from 1510 would be 1460; the floor of 1500 holds, and the change remembered is -10."""
    loser = player(match("L2 L2 L2 L2", PlayerRating(1510.0, 99.0, peak=1700.0)), 1)
    assert loser.outcome.limited_change == -50.0
    assert loser.after is not None
    assert loser.after.match_changes == (MatchChange(TODAY, -10.0),)


# Counts


def test_counts_grow_by_the_results_of_the_section() -> None:
    """§7, §5, readings 60 and 65: N by m, wins, draws, losses and events of three or more games."""
    before = PlayerRating(1500.0, 40.0, 10, 10, 20, 7, 1600.0, 1600.0)
    chart = "1 | W2 D3 L4 X U | \n 2 | L1 | R: 1500 \n 3 | U D1 | R: 1500 \n 4 | U U W1 | R: 1500"
    played = Played(start=date(2026, 7, 3), end=date(2026, 7, 5))
    after = player(rate_wallchart(chart, played, known={1: Background({OTBR: before})}), 1).after
    assert after is not None
    assert after[1:6] == (43.0, 11, 11, 21, 8)
    assert after.as_of == date(2026, 7, 5)


def test_two_games_are_no_event_for_the_floor_count() -> None:
    """§5, readings 65: at least three rated games; unknown counts stay unknown."""
    before = PlayerRating(1500.0, 40.0, 10, 10, 20, 7)
    chart = "1 | W2 D3 X | \n 2 | L1 | R: 1500 \n 3 | U D1 | R: 1500"
    rated = rate_wallchart(chart, known={1: Background({OTBR: before})})
    after, unknown = player(rated, 1).after, player(rated, 2).after
    assert after is not None
    assert unknown is not None
    assert after.events == 7
    assert unknown[1:6] == (None, None, None, None, None)


# Rounding and storage


@pytest.mark.parametrize(
    ("rating", "official"),
    [
        (1643.759, 1644),
        (1431.034, 1431),
        (1999.50, 2000),
        (1999.4999, 1999),
        (1500.5, 1501),
        (1501.5, 1502),
        (100.0, 100),
    ],
)
def test_official_ratings_are_rounded_half_up(rating: float, official: int) -> None:
    """§1, §7 (2025 text), readings 80: 1644 and 1431 are the text's; 1999.50 publishes as 2000; never half to even."""
    assert official_rating(rating) == official


@pytest.mark.parametrize(
    ("before", "computed", "stored"),
    [
        (1500.0, 1500.1, 1501.0),
        (1500.0, 1499.9, 1499.0),
        (1500.0, 1500.0, 1500.0),
        (1500.0, 1510.0000000001, 1510.0),
        (1500.0, 1490.9999999999, 1491.0),
        (1500.0, 1510.9, 1511.0),
        (1500.0, 1490.9, 1490.0),
    ],
)
def test_whole_numbers_were_rounded_away_from_the_old_rating(before: float, computed: float, stored: float) -> None:
    """§7 of the 2004 text (rules history §9), readings 81: up on a gain, down on a loss; noise is no change."""
    assert stored_whole(before, computed) == stored


@pytest.mark.parametrize(("computed", "stored"), [(1500.4999, 1500.0), (1500.5, 1501.0), (1500.6, 1501.0)])
def test_a_brand_new_whole_number_is_the_nearest(computed: float, stored: float) -> None:
    """§7, readings 81: for somebody without an old rating."""
    assert stored_first(computed) == stored


@pytest.mark.parametrize(
    ("day", "is_whole"), [(date(2014, 8, 31), True), (date(2014, 9, 1), False), (date(2014, 9, 2), False)]
)
def test_decimals_are_stored_since_2014_09_01(day: date, is_whole: bool) -> None:
    """§7, §8 (2025 text), readings 84: whole numbers before, away from the old rating; a newcomer's to the nearest."""
    chart = "1 | W2 L3 | R: 1500/40 \n 2 | L1 W3 | R: 1452/40 \n 3 | U L2 | R: Unrated \n 4 | W3 U | R: 1300/40"
    rated = rate_wallchart(chart.replace("U L2", "W1 L2"), Played(start=day))
    for p in rated.players:
        assert p.after is not None
        computed = p.final.computed
        if not is_whole:
            assert p.after.rating == computed
        elif p.before is None:
            assert p.after.rating == math.floor(computed + 0.5)
        elif computed > p.before.rating:
            assert p.after.rating == math.ceil(computed)
        else:
            assert p.after.rating == math.floor(computed)
    assert all(p.final.computed != round(p.final.computed) for p in rated.players)
    assert [p.before is None or p.final.computed > p.before.rating for p in rated.players].count(True) >= 2


@pytest.mark.parametrize("system", list(RatingSystem), ids=lambda system: system.name)
def test_the_calculation_is_the_same_in_all_six_systems(system: RatingSystem) -> None:
    """§7 (2025 text): no formal connection among the systems; equal inputs give equal results."""
    known = {1: Background({system: PlayerRating(1500.0, 99.0)}), 2: Background({system: PlayerRating(1620.0, 99.0)})}
    rated = rate_wallchart("1 | W2 | \n 2 | L1 |", Played(), system, known=known)
    regular = rate_wallchart("1 | W2 | R: 1500/99 \n 2 | L1 | R: 1620/99")
    assert [post_event(rated, n) for n in (1, 2)] == [post_event(regular, n) for n in (1, 2)]

"""§5 of the 2025 text: rating floors; and the ceilings of §7."""

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.engine import RatedPlayer
from crosstable.engine.records import Assumption, numbers_of
from crosstable.formulas.outcome import (
    Level,
    higher,
    is_above_floors,
    is_life_master_game,
    level_below,
    life_master_floor,
    limited,
    money_floor,
    peak_floor,
    personal_absolute_floor,
    standing_floor,
)
from crosstable.formulas.section import Share, merits_of
from crosstable.rules.amending import Edition
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.terms import Background, Floor, FloorKind, PlayerRating, RatingSystem
from tests.engine.wallcharts import Played, player, post_event, rate_wallchart

OTBR, OTBQ, OTBB, OLR, OLQ, OLB = RatingSystem
TODAY = date(2026, 7, 4)
CONSTANTS = edition_for(TODAY).constants
NONE = -math.inf


def fall(standing: PlayerRating, on: date = TODAY, system: RatingSystem = OTBR) -> RatedPlayer:
    """A player who loses eight games to opponents of 100, so that nothing but a floor can hold them."""
    weak = Background({system: PlayerRating(100.0, 99.0)})
    chart = "1 | L2 L2 L2 L2 L2 L2 L2 L2 | \n 2 | W1 W1 W1 W1 W1 W1 W1 W1 |"
    rated = rate_wallchart(chart, Played(start=on), system, known={1: Background({system: standing}), 2: weak})
    return player(rated, 1)


def landing(standing: PlayerRating, on: date = TODAY, system: RatingSystem = OTBR) -> tuple[FloorKind, float]:
    """The floor that caught a falling player, NONE and their rating where none did."""
    fallen = fall(standing, on, system)
    assert fallen.after is not None
    if fallen.outcome.floor_kind is not FloorKind.NONE:
        assert fallen.after.rating == fallen.outcome.floor_level
    return fallen.outcome.floor_kind, fallen.after.rating


# Absolute floors


def test_the_worked_example_of_the_personal_absolute_floor() -> None:
    """§5 (2025 text): 3 wins, 1 draw, 10 events of at least three games: 124."""
    assert personal_absolute_floor(CONSTANTS, 3.0, 1.0, 10.0) == 124.0


@pytest.mark.parametrize(
    ("wins", "draws", "events", "floor"),
    [
        (0, 0, 0, 100),
        (1, 0, 0, 104),
        (0, 1, 0, 102),
        (0, 0, 1, 101),
        (12, 1, 0, 150),
        (12, 0, 1, 149),
        (900, 9, 9, 150),
    ],
)
def test_the_personal_absolute_floor_grows_to_150(wins: float, draws: float, events: float, floor: float) -> None:
    """§5 (2025 text): AF = min(100 + 4 wins + 2 draws + events, 150)."""
    assert personal_absolute_floor(CONSTANTS, wins, draws, events) == floor


def test_the_worked_example_in_a_section() -> None:
    """§5: one more game, lost, leaves the 3 wins, 1 draw and 10 events of the example: 124."""
    low = Background({OTBR: PlayerRating(125.0, 40.0, wins=3, draws=1, losses=36, events=10, peak=130.0)})
    rated = rate_wallchart("1 | L2 | R: Unrated \n 2 | W1 | R: 100/40", known={1: low})
    assert post_event(rated, 1) == 124.0
    assert player(rated, 1).outcome.floor_kind is FloorKind.PERSONAL


@pytest.mark.parametrize(
    ("rounds", "floor", "kind"),
    [
        ("L2 L2", 100.0, FloorKind.ABSOLUTE),
        ("L2 L2 L2", 101.0, FloorKind.PERSONAL),
        ("L2 L2 L2 D2", 103.0, FloorKind.PERSONAL),
    ],
)
def test_a_first_section_counts_for_its_own_floor(rounds: str, floor: float, kind: FloorKind) -> None:
    """§5, readings 65 and 97: three losses end at 101; a section of fewer than three games adds nothing."""
    # Against 100 even one draw in four gives -200: PWe of an eighth is 300 points below.
    rated = rate_wallchart(f"1 | {rounds} | R: Unrated \n 2 | U | R: 100/99")
    assert post_event(rated, 1) == floor
    assert player(rated, 1).outcome.floor_kind is kind


@pytest.mark.parametrize(
    ("day", "kind", "rating"),
    [
        (date(2008, 8, 6), FloorKind.ABSOLUTE, 100.0),
        (date(2008, 8, 7), FloorKind.PERSONAL, 150.0),
        (date(2008, 8, 8), FloorKind.PERSONAL, 150.0),
    ],
)
def test_personal_floors_began_on_2008_08_07(day: date, kind: FloorKind, rating: float) -> None:
    """§5, §8 (2025 text): the day before, the day, the day after."""
    assert landing(PlayerRating(160.0, 99.0, wins=30, draws=0, losses=69, events=30), day) == (kind, rating)


@pytest.mark.parametrize("system", [OTBR, OTBQ, OTBB])
def test_every_over_the_board_system_has_personal_floors(system: RatingSystem) -> None:
    """§5 (2025 text): for OTB ratings."""
    standing = PlayerRating(160.0, 99.0, wins=30, draws=0, losses=69, events=30)
    assert landing(standing, system=system) == (FloorKind.PERSONAL, 150.0)


@pytest.mark.parametrize("system", [OLR, OLQ, OLB])
@pytest.mark.parametrize("day", [date(2020, 6, 1), TODAY])
def test_no_online_system_has_personal_floors(system: RatingSystem, day: date) -> None:
    """§5, readings 66 and 97: online the floor is 100, whatever was won."""
    standing = PlayerRating(160.0, 99.0, wins=30, draws=0, losses=69, events=30)
    assert landing(standing, day, system) == (FloorKind.ABSOLUTE, 100.0)


def test_online_blitz_under_the_2015_text_had_no_personal_floor_either() -> None:
    """§5 of the 2015 text, readings 66: it does not say so, official results do."""
    standing = PlayerRating(160.0, 99.0, wins=30, draws=0, losses=69, events=30)
    assert landing(standing, date(2016, 2, 6), OLB) == (FloorKind.ABSOLUTE, 100.0)


# Peak floors


@pytest.mark.parametrize(
    ("peak", "floor"),
    [
        (1941.0, 1700.0),
        (1999.51, 1800.0),
        (1388.0, NONE),
        (1399.49, NONE),
        (1399.5, 1200.0),
        (1400.0, 1200.0),
        (1499.49, 1200.0),
        (1500.0, 1300.0),
        (1600.0, 1400.0),
        (2299.0, 2000.0),
        (2300.0, 2100.0),
        (2400.0, 2100.0),
        (2850.0, 2100.0),
        (math.nan, NONE),
    ],
)
def test_peak_floors_of_today(peak: float, floor: float) -> None:
    """§5 (2025 text), readings 62 and 63: the peak rounded half up, less 200, the hundred at or just below."""
    assert peak_floor(CONSTANTS, peak, peak) == floor


def test_all_levels_from_1200_to_2100_exist() -> None:
    """§5 (2025 text): higher floors exist at 1200, 1300, …, 2100."""
    floors = {peak_floor(CONSTANTS, float(peak), float(peak)) for peak in range(100, 2900)}
    assert floors == {NONE, *(float(level) for level in range(1200, 2101, 100))}


def test_all_levels_before_april_2010() -> None:
    """§5, §8 (2025 text): the bottom earned floor had been 1400."""
    constants = edition_for(date(2010, 3, 31)).constants
    floors = {peak_floor(constants, float(peak), float(peak)) for peak in range(100, 2900)}
    assert floors == {NONE, *(float(level) for level in range(1400, 2101, 100))}


@pytest.mark.parametrize(
    ("day", "peak", "since_2010", "floor"),
    [
        (date(2010, 3, 31), 1599.0, 1599.0, None),
        (date(2010, 3, 31), 1600.0, 1600.0, 1400.0),
        (date(2010, 4, 1), 1599.0, 1599.0, 1300.0),
        (date(2010, 4, 2), 1400.0, 1400.0, 1200.0),
        (TODAY, 1525.0, 1350.0, None),
        (TODAY, 1418.0, 1390.0, None),
        (TODAY, 1525.0, 1410.0, 1200.0),
        (TODAY, 1599.5, 1350.0, 1400.0),
        (TODAY, 1525.0, math.nan, None),
    ],
)
def test_only_peaks_since_april_2010_earn_the_two_lowest_floors(
    day: date, peak: float, since_2010: float, floor: float | None
) -> None:
    """§5, §8, readings 94: older peaks of 1525 and 1418 gave none; from 1400 up every peak counts."""
    found = peak_floor(edition_for(day).constants, peak, since_2010)
    assert found == (NONE if floor is None else floor)


@pytest.mark.parametrize(("peak", "level"), [(1941.0, 1700.0), (1999.51, 1800.0), (1388.0, 1100.0), (150.0, -100.0)])
def test_the_hundred_below_a_peak(peak: float, level: float) -> None:
    """§5 (2025 text): the worked examples before the question which floors exist."""
    assert level_below(CONSTANTS, peak) == level


@pytest.mark.parametrize(
    ("standing", "kind", "rating"),
    [
        (PlayerRating(1810.0, 99.0, peak=1941.0), FloorKind.PEAK, 1700.0),
        (PlayerRating(1850.0, 99.0, peak=1999.51), FloorKind.PEAK, 1800.0),
        (PlayerRating(1850.0, None, peak=1999.51), FloorKind.PEAK, 1800.0),
        (PlayerRating(1850.0, 26.0, peak=1999.51), FloorKind.PEAK, 1800.0),
        (PlayerRating(2150.0, 99.0, peak=2400.0), FloorKind.PEAK, 2100.0),
        (PlayerRating(1320.0, 99.0, peak=1525.0), FloorKind.PEAK, 1300.0),
        (PlayerRating(1405.0, 99.0), FloorKind.PEAK, 1200.0),
    ],
)
def test_a_peak_floor_catches_a_fall(standing: PlayerRating, kind: FloorKind, rating: float) -> None:
    """§5, readings 61 and 62: on 26 games or an unknown count; an unknown peak is the pre-event rating."""
    assert landing(standing) == (kind, rating)


@pytest.mark.parametrize(
    "standing",
    [
        PlayerRating(1250.0, 99.0, peak=1388.0),
        PlayerRating(1850.0, 25.0, peak=1999.51),
        PlayerRating(1320.0, 99.0, peak=1525.0, peak_since_2010=1350.0),
    ],
    ids=["peak below 1400", "not established", "peak before 2010"],
)
def test_no_peak_floor_catches_this_fall(standing: PlayerRating) -> None:
    """§5, readings 61, 63 and 94."""
    kind, rating = landing(standing)
    assert kind is FloorKind.NONE
    assert rating < standing.rating - 50.0


@pytest.mark.parametrize("system", list(RatingSystem), ids=lambda system: system.name)
def test_peak_floors_exist_in_all_six_systems(system: RatingSystem) -> None:
    """§5, readings 64 and 95: each from its own peak."""
    assert landing(PlayerRating(1810.0, 99.0, peak=1941.0), system=system) == (FloorKind.PEAK, 1700.0)


def test_a_peak_in_another_system_earns_nothing() -> None:
    """§5, §7, readings 64: a Regular peak of 1941 is no floor for a Quick rating."""
    brought = Background({OTBR: PlayerRating(1941.0, 99.0, peak=1941.0), OTBQ: PlayerRating(1500.0, 99.0, peak=1500.0)})
    rated = rate_wallchart(
        "1 | L2 | R: Unrated \n 2 | W1 | Q: 1500/99", Played(control="G/20;d3"), OTBQ, known={1: brought}
    )
    assert post_event(rated, 1) < 1500.0


@given(st.floats(100.0, 2800.0), st.floats(0.0, 400.0))
def test_a_higher_peak_never_earns_a_lower_floor(peak: float, more: float) -> None:
    """§5: floors grow with the peak."""
    assert peak_floor(CONSTANTS, peak + more, peak + more) >= peak_floor(CONSTANTS, peak, peak)


# How peaks come about


def after_one_win(standing: PlayerRating, on: date = TODAY) -> PlayerRating:
    """The standing after one win over somebody rated 400 points more."""
    strong = Background({OTBR: PlayerRating(standing.rating + 400.0, 99.0)})
    chart = "1 | W2 | \n 2 | L1 |"
    after = player(rate_wallchart(chart, Played(start=on), known={1: Background({OTBR: standing}), 2: strong}), 1).after
    assert after is not None
    return after


def test_a_new_high_on_more_than_25_games_is_the_new_peak() -> None:
    """§5, readings 62 and 115: both peaks grow with an established post-event rating, published or not."""
    after = after_one_win(PlayerRating(1500.0, 25.0, peak=None))
    assert after.games == 26.0
    assert (after.peak, after.peak_since_2010) == (after.rating, after.rating)


def test_a_provisional_high_is_no_peak() -> None:
    """§5, readings 62: 25 games after the section are not more than 25."""
    after = after_one_win(PlayerRating(1500.0, 24.0))
    assert (after.games, after.peak, after.peak_since_2010) == (25.0, None, None)


def test_a_peak_stays_where_the_rating_does_not_pass_it() -> None:
    """§5: the highest attained rating, not the latest."""
    after = after_one_win(PlayerRating(1500.0, 99.0, peak=1800.0, peak_since_2010=1750.0))
    assert (after.peak, after.peak_since_2010) == (1800.0, 1750.0)


def test_an_established_rating_without_a_recorded_peak_is_itself_one() -> None:
    """§5, readings 62: a loss from 1500 leaves a peak of 1500; whether it was reached since 2010 is not known."""
    weak = Background({OTBR: PlayerRating(1500.0, 99.0)})
    rated = rate_wallchart("1 | L2 | \n 2 | W1 |", known={1: Background({OTBR: PlayerRating(1500.0, 99.0)}), 2: weak})
    after = player(rated, 1).after
    assert after is not None
    assert (after.peak, after.peak_since_2010) == (1500.0, None)


@pytest.mark.parametrize(("day", "counts"), [(date(2010, 3, 31), False), (date(2010, 4, 1), True)])
def test_the_newer_peak_counts_from_2010_04_01(day: date, counts: bool) -> None:
    """§5, readings 94 and 115: by the day the section ended."""
    after = after_one_win(PlayerRating(1500.0, 25.0), day)
    assert after.peak == after.rating
    assert after.peak_since_2010 == (after.rating if counts else None)


# Floors from titles, money and the office


@pytest.mark.parametrize(("games", "floor"), [(0, NONE), (299, NONE), (300, 2200.0), (1000, 2200.0)])
def test_three_hundred_games_make_an_original_life_master(games: int, floor: float) -> None:
    """§5 (2025 text): 300, not necessarily consecutive."""
    assert life_master_floor(CONSTANTS, games) == floor


@pytest.mark.parametrize(
    ("rating", "games", "counts"),
    [(2200.0, 26.0, True), (2199.5, 26.0, True), (2199.49, 26.0, False), (2300.0, 25.0, False)],
)
def test_which_games_count_toward_life_master(rating: float, games: float, counts: bool) -> None:
    """§5, readings 69: established before the section, at 2200 or more after rounding."""
    assert is_life_master_game(CONSTANTS, rating, games) is counts


def test_games_of_a_section_are_added_to_the_life_master_count() -> None:
    """§5, readings 69: eight games from an established 2250, none from 2150."""
    for rating, counted in ((2250.0, 298), (2150.0, 290)):
        after = fall(PlayerRating(rating, 99.0, games_at_2200=290)).after
        assert after is not None
        assert after.games_at_2200 == counted


def test_the_life_master_floor_holds_a_regular_rating_only() -> None:
    """§5 (2025 text): for OTBR ratings only."""
    master = PlayerRating(2210.0, 400.0, peak=2250.0, games_at_2200=300)
    assert landing(master) == (FloorKind.LIFE_MASTER, 2200.0)
    kind, rating = landing(master, system=OTBQ)
    assert kind is FloorKind.NONE
    assert rating < 2200.0


def test_other_titles_set_no_floor() -> None:
    """§5 (2025 text), readings 70: a norm leaves no floor behind."""
    chart = "1 | W2 W3 W4 W5 | R: 1500/99 \n" + "\n".join(
        f"{n} | {'U ' * (n - 2)}L1 | R: 1800/99" for n in (2, 3, 4, 5)
    )
    winner = player(rate_wallchart(chart), 1)
    assert winner.norm is not None
    assert winner.after is not None
    assert winner.after.floors == ()


@pytest.mark.parametrize(
    ("limit", "floor"),
    [
        (1000.0, 1000.0),
        (1200.0, 1200.0),
        (1800.0, 1800.0),
        (1801.0, 1900.0),
        (1850.0, 1900.0),
        (1950.0, 2000.0),
        (2000.0, 2000.0),
        (2001.0, NONE),
        (2100.0, NONE),
        (2200.0, NONE),
    ],
)
def test_the_level_of_a_money_floor(limit: float, floor: float) -> None:
    """§5, readings 68: U1800 -> 1800, U1850 -> 1900, U2000 -> 2000; higher prizes and open ones set none."""
    assert money_floor(CONSTANTS, 4000.0, limit) == floor


@pytest.mark.parametrize(
    ("first_day", "last_day", "prize"),
    [
        (date(2001, 1, 1), date(2006, 2, 28), 1000.0),
        (date(2006, 3, 1), date(2016, 12, 31), 2000.0),
        (date(2017, 1, 1), TODAY, 4000.0),
    ],
)
def test_the_prize_that_sets_a_money_floor_by_date(first_day: date, last_day: date, prize: float) -> None:
    """§5 of each text, rules history §10, readings 68: the sum itself is enough at all dates."""
    for day in (first_day, last_day):
        constants = edition_for(day).constants
        assert money_floor(constants, prize, 1800.0) == 1800.0
        assert money_floor(constants, prize - 0.01, 1800.0) == NONE


@pytest.mark.parametrize("kind", [FloorKind.MONEY, FloorKind.LIFE_MASTER, FloorKind.OFFICE])
def test_a_decided_floor_catches_a_fall(kind: FloorKind) -> None:
    """§5, §7 (2025 text): floors from money, titles and the office; the highest of several."""
    floors = (Floor(FloorKind.OFFICE, 1300.0), Floor(kind, 1650.0))
    assert landing(PlayerRating(1700.0, 99.0, peak=1700.0, floors=floors)) == (kind, 1650.0)


@pytest.mark.parametrize("games", [12.0, 99.0])
def test_a_floor_above_the_rating_raises_it_at_the_next_section(games: float) -> None:
    """§5, readings 67 and 96: whether the player wins or loses there."""
    raised = PlayerRating(1500.0, games, floors=(Floor(FloorKind.MONEY, 1800.0),))
    assert landing(raised) == (FloorKind.MONEY, 1800.0)
    assert after_one_win(raised).rating == 1800.0


def test_equal_levels_are_named_by_the_earned_floor() -> None:
    """§5: peak before life master, money and office; any of them before the absolute ones."""
    peak, money = Level(FloorKind.PEAK, 1500.0), Level(FloorKind.MONEY, 1500.0)
    assert higher(peak, money) == higher(money, peak) == peak
    assert higher(peak, Level(FloorKind.MONEY, 1600.0)).kind is FloorKind.MONEY
    assert higher(Level(FloorKind.ABSOLUTE, 100.0), Level(FloorKind.PERSONAL, 100.0)).kind is FloorKind.ABSOLUTE


# Floors that the office lowered


def test_a_lowered_floor_replaces_the_one_of_the_peak() -> None:
    """§5, §7, readings 71: 1700 from a peak of 1941, lowered by 100."""
    lowered = PlayerRating(1650.0, 99.0, peak=1941.0, lowered_floor=1600.0)
    assert landing(lowered) == (FloorKind.PEAK, 1600.0)


def test_a_lowered_floor_stays_until_a_new_peak() -> None:
    """§5, §7, readings 71: it stands while the rating is below the old peak, and a higher peak earns anew."""
    assert after_one_win(PlayerRating(1650.0, 99.0, peak=1941.0, lowered_floor=1600.0)).lowered_floor == 1600.0
    assert after_one_win(PlayerRating(1940.0, 99.0, peak=1941.0, lowered_floor=1600.0)).lowered_floor is None


def test_the_floor_of_a_life_master_is_lowered_too() -> None:
    """§5, §7, readings 71: 2200 after 300 games, lowered by 100; a prize's floor comes lowered from the office."""
    master = PlayerRating(2150.0, 99.0, peak=2250.0, games_at_2200=300, lowered_floor=2100.0)
    assert landing(master._replace(rating=2105.0)) == (FloorKind.LIFE_MASTER, 2100.0)
    assert landing(master._replace(rating=2205.0, lowered_floor=None)) == (FloorKind.LIFE_MASTER, 2200.0)


def test_a_new_title_ends_a_lowered_floor() -> None:
    """§5, readings 71: the 300th game at 2200 earns a floor that nobody lowered; in Regular alone there is one."""
    nearly = PlayerRating(2205.0, 99.0, peak=2400.0, games_at_2200=298, lowered_floor=2000.0)
    assert after_one_win(nearly).lowered_floor == 2000.0
    titled = after_one_win(nearly._replace(games_at_2200=299))
    assert (titled.games_at_2200, titled.lowered_floor) == (300, None)
    lowered_since = after_one_win(nearly._replace(games_at_2200=300, lowered_floor=2100.0))
    assert lowered_since.lowered_floor == 2100.0
    quick = {number: Background({OTBQ: nearly._replace(games_at_2200=299)}) for number in (1, 2)}
    rated = rate_wallchart("1 | W2 | \n 2 | L1 |", Played(start=TODAY, control="G/15;d5"), OTBQ, known=quick)
    after = player(rated, 1).after
    assert after is not None
    assert (after.games_at_2200, after.lowered_floor) == (300, 2000.0)


# Ceilings


def test_a_ceiling_holds_a_rating_down() -> None:
    """§7 (2025 text), readings 72: a level above which a rating may not rise, after Step 5 and floors."""
    assert after_one_win(PlayerRating(1500.0, 99.0, ceiling=1501.0)).rating == 1501.0
    assert (
        after_one_win(PlayerRating(1500.0, 99.0, ceiling=1501.0, floors=(Floor(FloorKind.MONEY, 1800.0),))).rating
        == 1501.0
    )
    assert after_one_win(PlayerRating(1500.0, 99.0, ceiling=2500.0)).rating > 1501.0


@pytest.mark.parametrize(
    ("rating", "kind", "level", "is_at_ceiling", "result"),
    [
        (1500.0, FloorKind.NONE, NONE, False, 1500.0),
        (1400.0, FloorKind.NONE, NONE, False, 1400.0),
        (1399.9, FloorKind.PEAK, 1400.0, False, 1400.0),
        (1600.0, FloorKind.NONE, NONE, False, 1600.0),
        (1600.1, FloorKind.NONE, NONE, True, 1600.0),
    ],
)
def test_a_floor_or_ceiling_is_named_only_where_it_acts(
    rating: float, kind: FloorKind, level: float, is_at_ceiling: bool, result: float
) -> None:
    """§5, §7: a floor of 1400 and a ceiling of 1600 around a computed rating."""
    found = limited(rating, Level(FloorKind.PEAK, 1400.0), 1600.0)
    assert found == (kind, level, is_at_ceiling, result)


# What had to be assumed


@pytest.mark.parametrize(
    ("standing", "assumed"),
    [
        (PlayerRating(1500.0, 99.0, 40, 9, 50, 20, 1700.0, 1700.0), ()),
        (PlayerRating(1500.0, 99.0, 40, 9, 50, None, 1700.0, 1700.0), (Assumption.COUNTS,)),
        (PlayerRating(1500.0, 99.0, 40, 9, 50, 20), (Assumption.PEAK,)),
        (PlayerRating(1500.0, 20.0, 5, 5, 10, 5), ()),
        (PlayerRating(1300.0, 99.0, 40, 9, 50, 20, 1500.0), (Assumption.PEAK_SINCE_2010,)),
        (PlayerRating(1500.0, 99.0, 40, 9, 50, 20, 1700.0), ()),
        (PlayerRating(1200.0, 99.0, 40, 9, 50, 20, 1300.0), ()),
    ],
    ids=["all known", "no events", "no peak", "provisional", "no newer peak at 1300", "at 1500", "at 1100"],
)
def test_what_a_floor_had_to_assume_is_listed(standing: PlayerRating, assumed: tuple[str, ...]) -> None:
    """§5, readings 94 and 115: only where it can matter."""
    assert fall(standing).assumed == assumed


@given(
    st.floats(100.0, 2600.0),
    st.floats(100.0, 2800.0),
    st.sampled_from([None, 20.0, 26.0, 300.0]),
    st.sampled_from(list(RatingSystem)),
)
def test_no_rating_ends_below_its_floor(rating: float, peak: float, games: float | None, system: RatingSystem) -> None:
    """§5 (2025 text): no rating can be lower than the absolute floor, nor an established one than its peak floor."""
    fallen = fall(PlayerRating(rating, games, peak=max(rating, peak)), system=system)
    assert fallen.after is not None
    earned = peak_floor(CONSTANTS, max(rating, peak), max(rating, peak)) if games != 20.0 else 100.0
    assert fallen.after.rating >= max(100.0, earned)


PEAKS = st.one_of(st.just(math.nan), st.floats(100.0, 2900.0), st.integers(200, 5800).map(lambda half: half / 2.0))


@given(
    st.sampled_from(EDITIONS),
    st.floats(50.0, 3000.0),
    st.tuples(PEAKS, PEAKS, PEAKS),
    st.sampled_from([0.0, 26.0, math.inf]),
    st.sampled_from([0, 299, 300, 5000]),
    st.sampled_from(RatingSystem),
)
def test_a_rating_that_is_above_floors_meets_none(
    edition: Edition,
    rating: float,
    ratings: tuple[float, float, float],
    games: float,
    at_2200: int,
    system: RatingSystem,
) -> None:
    """§5: whenever no floor is worked out, the highest one of the record is not above the rating."""
    pre_event, peak, since_2010 = ratings
    if is_above_floors(edition.constants, rating, pre_event, peak, since_2010, at_2200):
        brought = PlayerRating(pre_event, games, 300, 300, 10, 300, peak, since_2010, at_2200)
        merits = merits_of(edition.constants, numbers_of(brought), Share(5, 5, 0, 0, 5.0), math.inf)
        floor = standing_floor(edition.constants, system, merits, Level(FloorKind.OFFICE, -math.inf))
        assert floor.level <= rating


def test_a_player_far_below_his_peak_is_not_above_floors() -> None:
    """§5 by hand: a peak of 1800 holds at 1600, so 1600.5 is where floors begin to be asked; 2200 games of a master."""
    assert is_above_floors(CONSTANTS, 1601.0, 1700.0, 1800.0, math.nan, 0)
    assert not is_above_floors(CONSTANTS, 1600.0, 1700.0, 1800.0, math.nan, 0)
    assert not is_above_floors(CONSTANTS, 149.0, math.nan, math.nan, math.nan, 0)
    assert not is_above_floors(CONSTANTS, 2300.0, 2250.0, 2250.0, math.nan, 300)

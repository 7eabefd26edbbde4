"""§2 of the 2025 text (and of the 2015 text, before 2020-06-01): where unrated players start."""

import math
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

import pytest

from crosstable.engine import RatedPlayer, Start
from crosstable.engine.records import Assumption
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.foreign import opponent_strength
from crosstable.formulas.initial import (
    NO_DAY,
    Sources,
    Unrated,
    age_based_rating,
    age_on,
    blended_start,
    cfc_games,
    converted_rating,
    credited_games,
    fide_games,
    game_factor,
    initial_rating,
    rounded_start,
    source_rating,
    source_weight,
)
from crosstable.rules.constants import Constants, Credit, Priority
from crosstable.rules.editions import edition_for
from crosstable.terms import Background, GivenStart, OutsideRating, PlayerRating, RatingSystem, Source
from tests.engine.wallcharts import Played, player, rate_wallchart

OTBR, OTBQ, OTBB, OLR, OLQ, OLB = RatingSystem
BLEND_DAY = date(2026, 7, 4)
LIST_DAY = date(2016, 2, 6)
NOBODY_YOUNG = Unrated(NO_DAY, BLEND_DAY.toordinal(), BLEND_DAY.toordinal(), is_adult=True, is_canadian_resident=False)

# Reference values of readings, Part 1 are printed with six decimals, the tables of the text with two.
SIX_DECIMALS = 5.001e-7
TWO_DECIMALS = 0.005001
FLOAT_NOISE = 1e-9


def constants_on(section_start: date) -> Constants:
    """The numbers in force for a section starting on this day."""
    return edition_for(section_start).constants


def newcomer(background: Background, system: RatingSystem, played: Played) -> RatedPlayer:
    """A player who is unrated in a system, after one game against somebody rated."""
    opponent = Background(dict.fromkeys(RatingSystem, PlayerRating(1500.0, 50.0)))
    rated = rate_wallchart("1 | W2 | \n 2 | L1 |", played, system, known={1: background, 2: opponent})
    return player(rated, 1)


def start_of(background: Background, system: RatingSystem, played: Played) -> Start:
    """The start of a player who is unrated in a system."""
    start = newcomer(background, system, played).start
    assert start is not None
    return start


def start(background: Background, system: RatingSystem, on: date) -> tuple[float, float]:
    """R0 and N of a player who is unrated in a system, in a section of one day."""
    initial = start_of(background, system, Played(start=on)).initial
    return initial.rating, initial.games


# The worked example of the blend: born 2000-07-01, unrated in OLB, the tournament ends on 2020-09-01.


class Line(NamedTuple):
    """A line of the example's table: X, date, G as printed; D to W first as printed, then as recomputed."""

    source: Source
    rating: float
    as_of: date
    game_factor: float
    printed: tuple[float, float, float, float, float]
    exact: tuple[float, float, float, float, float]
    age_days: int


EXAMPLE = (
    Line(
        Source.OTBR,
        1759.0,
        date(2018, 3, 25),
        10.0,
        (891, 886.52, 2.49, 0.60, 5.98),
        (891, 886.516085, 2.492811, 0.598498, 5.984984),
        6476,
    ),
    Line(
        Source.OTBQ,
        1643.0,
        date(2018, 1, 13),
        5.0,
        (962, 876.80, 2.19, 0.55, 2.74),
        (962, 876.796715, 2.189152, 0.547593, 2.737964),
        6405,
    ),
    Line(
        Source.OTBB,
        1658.0,
        date(2016, 7, 16),
        10.0,
        (1508, 802.05, 2.45, 0.41, 4.15),
        (1508, 802.053388, 2.445562, 0.414572, 4.145722),
        5859,
    ),
)
BORN = date(2000, 7, 1)
HER = Background(
    {RatingSystem(line.source): PlayerRating(line.rating, 60.0, as_of=line.as_of) for line in EXAMPLE}, birth_date=BORN
)
HER_EVENT = Played(start=date(2020, 8, 31), end=date(2020, 9, 1), is_online=True)


@pytest.mark.parametrize("line", EXAMPLE, ids=lambda line: line.source.name)
def test_every_column_of_the_blend_example(line: Line) -> None:
    """§2, items 1 to 5 (2025 text and readings, Part 1): D, P, Z, S, W as printed and to six decimals."""
    working = next(w for w in start_of(HER, OLB, HER_EVENT).sources if w.source is line.source)
    weight = working.weight
    columns = (
        working.staleness_days,
        weight.age_based_then,
        weight.strength_for_age,
        weight.staleness_factor,
        weight.weight,
    )
    assert (weight.converted, weight.game_factor) == (line.rating, line.game_factor)
    assert columns == pytest.approx(line.exact, abs=SIX_DECIMALS)
    assert columns == pytest.approx(line.printed, abs=TWO_DECIMALS)


@pytest.mark.parametrize("line", EXAMPLE, ids=lambda line: line.source.name)
def test_the_blend_example_through_the_formula_alone(line: Line) -> None:
    """§2, items 1 to 5: the columns written by hand, ages from the days of the readings, Part 1."""
    ages = [math.nan] * 8
    days = [math.nan] * 8
    ratings = [math.nan] * 8
    ages[line.source], days[line.source], ratings[line.source] = line.age_days / 365.25, line.exact[0], line.rating
    sources = Sources(ratings, [60.0] * 8, days, ages)
    weight = source_weight(constants_on(HER_EVENT.start), OLB, line.source, sources, is_adult=False)
    assert weight.weight == pytest.approx(line.exact[4], abs=SIX_DECIMALS)


def test_the_blend_example_starts_at_1702_on_ten_games() -> None:
    """§2 (2025 text): 1701.781831 in full precision, rounded to 1702; weights 12.868670, so N = 10."""
    initial = start_of(HER, OLB, HER_EVENT).initial
    assert initial.total_weight == pytest.approx(12.868670, abs=SIX_DECIMALS)
    assert initial.mean == pytest.approx(1701.781831, abs=SIX_DECIMALS)
    assert (initial.rating, initial.games) == (1702.0, 10.0)
    assert initial.source == Source.OTBR


def test_the_heaviest_source_is_named_wherever_it_stands() -> None:
    """§2: her Blitz rating alone beside the Quick one weighs more, and comes later in the order of sources."""
    quick_and_blitz = {system: HER.standings[system] for system in (OTBQ, OTBB)}
    assert start_of(HER._replace(standings=quick_and_blitz), OLB, HER_EVENT).initial.source == Source.OTBB


def test_credited_games_are_ordinary_games_after_the_first_section() -> None:
    """§7, readings 30: N = 10 credited and one played make 11."""
    after = newcomer(HER, OLB, HER_EVENT).after
    assert after is not None
    assert (after.games, after.wins, after.losses) == (11.0, 1, 0)


# Rounding


@pytest.mark.parametrize(
    ("mean", "rating"), [(1514.8, 1515.0), (1514.5, 1515.0), (1514.499, 1514.0), (1701.781831, 1702.0)]
)
def test_a_blended_start_is_rounded_half_up(mean: float, rating: float) -> None:
    """§2, readings 29: the nearest integer; 1514.8 -> 1515 is a real case of June 2021."""
    assert rounded_start(mean) == rating


def test_two_equal_weights_meet_half_way_up() -> None:
    """§2, readings 29: 1500 and 1501 on three games each, both of today: 1500.5 -> 1501 on six games."""
    pair = Background(
        {OTBR: PlayerRating(1500.0, 3.0, as_of=BLEND_DAY), OTBQ: PlayerRating(1501.0, 3.0, as_of=BLEND_DAY)}
    )
    assert start(pair, OLR, BLEND_DAY) == (1501.0, 6.0)


@pytest.mark.parametrize(
    ("total", "games"),
    [(12.868670, 10.0), (10.0, 10.0), (9.2, 10.0), (5.0, 5.0), (5.0 + 1e-12, 5.0), (5.01, 6.0), (0.2, 1.0)],
)
def test_credited_games_are_the_weights_rounded_up_and_capped(total: float, games: float) -> None:
    """§2, readings 29: the ceiling, at least 1, at most 10; a sum off by rounding alone is not pushed up."""
    assert credited_games(constants_on(BLEND_DAY), total) == games


def test_a_very_old_rating_is_still_worth_a_game() -> None:
    """§2: 800 of 1995 against an adult's 1300 weighs next to nothing by hand, and N is 1."""
    old = Background({OTBR: PlayerRating(800.0, 90.0, as_of=date(1995, 7, 4))}, adult=True)
    years = (BLEND_DAY - date(1995, 7, 4)).days / 365.25
    by_hand = 10 * math.exp(0.06 * ((800 - 1300) / 350 - 6) * years)
    initial = start_of(old, OTBQ, Played(start=BLEND_DAY)).initial
    assert initial.total_weight == pytest.approx(by_hand, abs=FLOAT_NOISE)
    assert (initial.rating, initial.games) == (800.0, 1.0)


def test_an_age_based_start_is_not_rounded() -> None:
    """§2.3, readings 29 and 90: 9496 days make 25.9986 years on the 26th birthday, and 1299.93 points."""
    child = Background(birth_date=date(2000, 7, 1))
    assert start(child, OTBR, date(2026, 7, 1)) == pytest.approx((50 * 9496 / 365.25, 0.0), abs=FLOAT_NOISE)


# Game factors

TENS = {(OLB, Source.OTBB), (OLQ, Source.OTBQ)}
PAIRS = [(target, source) for target in RatingSystem for source in list(Source)[:6] if int(source) != int(target)]


@pytest.mark.parametrize(("target", "source"), PAIRS, ids=lambda one: one.name)
def test_game_factors_of_all_pairs_of_systems(target: RatingSystem, source: Source) -> None:
    """§2, item 1 (2025 text): OTBR 10; OLB from OTBB 10; OLQ from OTBQ 10; everything else 5."""
    most = 10.0 if source == Source.OTBR or (target, source) in TENS else 5.0
    constants = constants_on(BLEND_DAY)
    assert game_factor(constants, target, source, 1500.0, 300.0) == most
    assert game_factor(constants, target, source, 1500.0, math.inf) == most
    assert game_factor(constants, target, source, 1500.0, most - 1.0) == most - 1.0


def test_a_game_factor_is_at_most_the_games_credited() -> None:
    """§2, item 1 (2025 text): credited with 7 games under OTBR, the factor is 7; readings 26."""
    seven = Background({OTBR: PlayerRating(1500.0, 7.0, as_of=BLEND_DAY)})
    assert start(seven, OTBQ, BLEND_DAY) == (1500.0, 7.0)


@pytest.mark.parametrize("games", [1.0, 2.0, 3.0])
def test_a_source_on_few_games_counts_since_the_blend(games: float) -> None:
    """§2, readings 27: any rating counts from 2020-06-01, its weight capped by its N; before, four were needed."""
    few = Background({OTBQ: PlayerRating(1400.0, games)})
    assert start(few, OTBR, date(2020, 6, 1)) == (1400.0, games)
    assert start(few, OTBR, date(2020, 5, 31)) == (750.0, 0.0)


def test_seven_other_ratings_are_sources_and_no_more() -> None:
    """§2, readings 86: the five other US Chess ratings, FIDE and CFC."""
    every = dict.fromkeys((OTBQ, OTBB, OLR, OLQ, OLB), PlayerRating(1500.0, 50.0))
    fide, cfc = OutsideRating(2100.0), OutsideRating(1700.0)
    found = start_of(Background(every, fide, cfc, canadian_resident=True), OTBR, Played(start=BLEND_DAY))
    names = sorted(one.source.name for one in found.sources)
    assert names == ["CFC", "FIDE", "OLB", "OLQ", "OLR", "OTBB", "OTBQ"]


def test_a_rating_in_the_system_itself_is_no_source() -> None:
    """§2: the five *other* US Chess ratings; the formula leaves the system being started out."""
    constants = constants_on(BLEND_DAY)
    ratings = [2000.0, 1500.0] + [math.nan] * 6
    sources = Sources(ratings, [5.0] * 8, [0.0] * 8, [math.nan] * 8)
    weights = [0.0] * 8
    initial = blended_start(constants, OTBR, NOBODY_YOUNG, sources, weights)
    assert (initial.rating, initial.games) == (1500.0, 5.0)
    assert weights == [0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_source_keeps_its_decimals() -> None:
    """§2, readings 105: X is taken as stored; 1500.4 and 1500.8 on equal games are 1500.6, so 1501."""
    pair = Background({OTBQ: PlayerRating(1500.4, 5.0), OTBB: PlayerRating(1500.8, 5.0)})
    initial = start_of(pair, OLR, Played(start=BLEND_DAY)).initial
    assert initial.mean == pytest.approx(1500.6, abs=FLOAT_NOISE)
    assert initial.rating == 1501.0


# Staleness


def staleness(rating: float, as_of: date | None, played: Played, birth: date | None) -> tuple[int, float]:
    """D and S of a lone OTBR source for an OTBQ start."""
    known = Background({OTBR: PlayerRating(rating, 40.0, as_of=as_of)}, birth_date=birth)
    (source,) = start_of(known, OTBQ, played).sources
    return source.staleness_days, source.weight.staleness_factor


def test_staleness_is_counted_to_the_end_of_the_section() -> None:
    """§2, item 2 (2025 text): the days to the end date, not the start."""
    played = Played(start=date(2026, 7, 1), end=date(2026, 7, 4))
    assert staleness(1500.0, date(2026, 6, 24), played, BORN)[0] == 10


def test_a_rating_of_later_date_is_not_stale() -> None:
    """§2, readings 25: negative D is 0, and the weight is whole."""
    assert staleness(1500.0, date(2026, 8, 1), Played(start=BLEND_DAY), BORN) == (0, 1.0)


def test_a_rating_without_a_date_is_taken_as_of_the_end_and_marked() -> None:
    """§2, readings 25: a missing date is the section's end, listed as assumed."""
    undated = Background({OTBR: PlayerRating(1500.0, 40.0)}, birth_date=BORN)
    rated = newcomer(undated, OTBQ, Played(start=BLEND_DAY))
    assert rated.start is not None
    assert rated.start.sources[0].staleness_days == 0
    assert Assumption.AS_OF in rated.assumed
    dated = Background({OTBR: PlayerRating(1500.0, 40.0, as_of=BLEND_DAY)}, birth_date=BORN)
    assert newcomer(dated, OTBQ, Played(start=BLEND_DAY)).assumed == ()


def test_somebody_six_units_above_their_age_never_goes_stale() -> None:
    """§2, items 3 and 4: Z is capped at 6, so S = 1; from 150 (age 3) that is 2250 points and more."""
    born = date(2016, 7, 4)
    as_of = date(2019, 7, 5)  # 1096 days: a little over three years
    assert staleness(2300.0, as_of, Played(start=BLEND_DAY), born)[1] == 1.0
    assert staleness(2200.0, as_of, Played(start=BLEND_DAY), born)[1] < 1.0


def test_strength_for_age_has_no_lower_limit() -> None:
    """§2, readings 30: Z of 100 against an adult's 1300 is -3.43, whose S after a year is exp(-0.5657)."""
    adult = date(1980, 1, 1)
    days, factor = staleness(100.0, date(2025, 7, 4), Played(start=BLEND_DAY), adult)
    assert days == 365
    assert factor == pytest.approx(math.exp(0.06 * (-1200 / 350 - 6) * 365 / 365.25), abs=FLOAT_NOISE)


def test_the_age_of_a_source_is_that_of_its_own_day() -> None:
    """§2, item 3, readings 24: P from the date of the source rating, not from the tournament's end."""
    (source,) = start_of(
        Background({OTBR: PlayerRating(1500.0, 40.0, as_of=date(2010, 7, 1))}, birth_date=BORN),
        OTBQ,
        Played(start=date(2026, 7, 1)),
    ).sources
    assert source.weight.age_based_then == pytest.approx(50 * 3652 / 365.25, abs=FLOAT_NOISE)


def test_a_fide_rating_is_as_old_as_its_list() -> None:
    """§2.1, rules history §5: FIDE 1420 in June 2021 gave 1515 on 5 games though unplayed since 2017."""
    known = Background(fide=OutsideRating(1420.0, date(2021, 6, 1)), adult=True)
    assert start(known, OTBR, date(2021, 6, 1)) == (1515.0, 5.0)


# Conversions


@pytest.mark.parametrize(
    ("first_day", "last_day", "fide", "converted"),
    [
        (date(2001, 1, 1), date(2007, 12, 31), 1420.0, 1470.0),
        (date(2001, 1, 1), date(2007, 12, 31), 2200.0, 2250.0),
        (date(2008, 1, 1), date(2008, 6, 30), 2151.0, 2151.0),
        (date(2008, 1, 1), date(2008, 6, 30), 2199.0, 2199.0),
        (date(2008, 1, 1), date(2008, 6, 30), 2200.0, 2250.0),
        (date(2008, 7, 1), date(2015, 5, 31), 1420.0, 1607.5),
        (date(2008, 7, 1), date(2015, 5, 31), 1999.0, 1969.375),
        (date(2008, 7, 1), date(2015, 5, 31), 2000.0, math.nan),
        (date(2008, 7, 1), date(2015, 5, 31), 2600.0, math.nan),
        (date(2015, 6, 1), date(2024, 2, 29), 1420.0, 1514.8),
        (date(2015, 6, 1), date(2024, 2, 29), 2000.0, 2060.0),
        (date(2015, 6, 1), date(2024, 2, 29), 2001.0, 2061.02),
        (date(2024, 3, 1), date(2026, 7, 4), 1420.0, 1151.714),
        (date(2024, 3, 1), date(2026, 7, 4), 1840.0, 1809.728),
        (date(2024, 3, 1), date(2026, 7, 4), 2000.0, 2060.4),
        (date(2024, 3, 1), date(2026, 7, 4), 2001.0, 2061.02),
    ],
)
def test_fide_conversions_by_date(first_day: date, last_day: date, fide: float, converted: float) -> None:
    """§2.1 of each text, rules history §5: on the first and the last day of each formula."""
    for day in (first_day, last_day):
        found = converted_rating(constants_on(day).fide, fide)
        assert found == pytest.approx(converted, abs=FLOAT_NOISE, nan_ok=True)


def test_the_fide_formula_of_2024_drops_at_its_joint() -> None:
    """§2.1, readings 32: 2060.4 at 2000 and 2060.0 just above, as printed."""
    conversion = constants_on(date(2024, 3, 1)).fide
    assert converted_rating(conversion, 2000.0) == pytest.approx(2060.4, abs=FLOAT_NOISE)
    assert converted_rating(conversion, math.nextafter(2000.0, 3000.0)) == pytest.approx(2060.0, abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("day", "fide", "games"),
    [
        (date(2001, 1, 1), 2150.0, 5.0),
        (date(2001, 1, 1), 2151.0, 10.0),
        (date(2020, 5, 31), 2001.0, 5.0),
        (date(2020, 5, 31), 2150.0, 5.0),
        (date(2020, 5, 31), 2151.0, 10.0),
        (date(2020, 6, 1), 2000.0, 5.0),
        (date(2020, 6, 1), 2001.0, 10.0),
        (date(2026, 7, 4), 2000.0, 5.0),
        (date(2026, 7, 4), 2001.0, 10.0),
    ],
)
def test_games_of_a_fide_rating_by_date(day: date, fide: float, games: float) -> None:
    """§2.1, readings 28: split at 2150 in the 2015 text, at 2000 since the blend; exactly 2000 is worth 5."""
    assert fide_games(constants_on(day), fide) == games
    assert game_factor(constants_on(day), OTBR, Source.FIDE, fide, math.inf) == games


@pytest.mark.parametrize(
    ("first_day", "last_day", "cfc", "converted"),
    [
        (date(2001, 1, 1), date(2024, 12, 31), 1000.0, 910.0),
        (date(2001, 1, 1), date(2024, 12, 31), 1500.0, 1410.0),
        (date(2001, 1, 1), date(2024, 12, 31), 1501.0, 1411.1),
        (date(2001, 1, 1), date(2024, 12, 31), 2000.0, 1960.0),
        (date(2025, 1, 1), date(2026, 7, 4), 250.0, 88.75),
        (date(2025, 1, 1), date(2026, 7, 4), 1000.0, 700.0),
        (date(2025, 1, 1), date(2026, 7, 4), 1150.0, 822.0),
        (date(2025, 1, 1), date(2026, 7, 4), 1500.0, 1270.0),
        (date(2025, 1, 1), date(2026, 7, 4), 1610.0, 1414.1),
        (date(2025, 1, 1), date(2026, 7, 4), 1800.0, 1682.0),
        (date(2025, 1, 1), date(2026, 7, 4), 2000.0, 1960.0),
        (date(2025, 1, 1), date(2026, 7, 4), 2300.0, 2290.0),
    ],
)
def test_cfc_conversions_by_date(first_day: date, last_day: date, cfc: float, converted: float) -> None:
    """§2.2 of each text, rules history §6; readings 32: values below 100 are not raised here."""
    for day in (first_day, last_day):
        assert converted_rating(constants_on(day).cfc, cfc) == pytest.approx(converted, abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("joint", "below", "at"), [(1150.0, 822.25, 822.0), (1610.0, 1410.8, 1414.1), (2000.0, 1964.0, 1960.0)]
)
def test_the_four_cfc_pieces_of_2025_do_not_quite_meet(joint: float, below: float, at: float) -> None:
    """§2.2, readings 32: as printed, not repaired."""
    conversion = constants_on(date(2025, 1, 1)).cfc
    assert converted_rating(conversion, math.nextafter(joint, 0.0)) == pytest.approx(below, abs=FLOAT_NOISE)
    assert converted_rating(conversion, joint) == pytest.approx(at, abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("day", "cfc", "games"),
    [
        (date(2001, 1, 1), 1500.0, 0.0),
        (date(2001, 1, 1), 1501.0, 5.0),
        (date(2020, 5, 31), 1500.0, 0.0),
        (date(2020, 5, 31), 1501.0, 5.0),
        (date(2020, 6, 1), 1500.0, 5.0),
        (date(2026, 7, 4), 2300.0, 5.0),
    ],
)
def test_games_of_a_cfc_rating_by_date(day: date, cfc: float, games: float) -> None:
    """§2.2, rules history §6: 5 above 1500 and 0 below until the blend, 5 always since."""
    assert cfc_games(constants_on(day), cfc) == games
    assert game_factor(constants_on(day), OTBR, Source.CFC, cfc, math.inf) == games


def test_a_cfc_rating_needs_a_resident_of_canada_since_the_blend() -> None:
    """§2.2, readings 33: the 2015 text has no such condition."""
    abroad = Background(cfc=OutsideRating(2000.0))
    at_home = abroad._replace(canadian_resident=True)
    assert start(abroad, OTBR, date(2020, 5, 31)) == (1960.0, 5.0)
    assert start(abroad, OTBR, date(2020, 6, 1)) == (750.0, 0.0)
    assert start(at_home, OTBR, date(2020, 6, 1)) == (1960.0, 5.0)


@pytest.mark.parametrize(
    ("first_day", "last_day", "fide", "converted"),
    [
        (date(2001, 1, 1), date(2008, 12, 31), 1500.0, math.nan),
        (date(2001, 1, 1), date(2008, 12, 31), 2100.0, math.nan),
        (date(2009, 1, 1), date(2024, 2, 29), 1500.0, 1700.0),
        (date(2009, 1, 1), date(2024, 2, 29), 2000.0, 2080.0),
        (date(2009, 1, 1), date(2024, 2, 29), 2001.0, 2081.0),
        (date(2024, 3, 1), date(2026, 7, 4), 1500.0, 1447.05),
        (date(2024, 3, 1), date(2026, 7, 4), 2000.0, 2080.4),
        (date(2024, 3, 1), date(2026, 7, 4), 2001.0, 2081.0),
    ],
)
def test_youth_conversions_by_date(first_day: date, last_day: date, fide: float, converted: float) -> None:
    """§6 of each text, rules history §5: not found before 2009."""
    for day in (first_day, last_day):
        found = opponent_strength(constants_on(day), fide, is_youth=True)
        assert found == pytest.approx(converted, abs=FLOAT_NOISE, nan_ok=True)


def test_us_ratings_are_not_converted_and_no_rating_is_none() -> None:
    """§2: X of a US Chess rating is the rating; what is not there converts to nothing."""
    constants = constants_on(BLEND_DAY)
    assert source_rating(constants, Source.OLB, 1234.5) == 1234.5
    assert source_rating(constants, Source.FIDE, 2100.0) == 2162.0
    assert source_rating(constants, Source.CFC, 2000.0) == 1960.0
    assert math.isnan(converted_rating(constants.fide, math.nan))


def test_the_formula_follows_the_start_of_the_section_and_the_age_its_end() -> None:
    """§2.1, §8, readings 1 and 34: a section over the turn of a month takes the formula of its first day."""
    across = Played(start=date(2024, 2, 29), end=date(2024, 3, 3))
    known = Background(fide=OutsideRating(1420.0, date(2024, 2, 1)), birth_date=date(1980, 1, 1))
    begun = start_of(known, OTBR, across)
    assert begun.sources[0].weight.converted == pytest.approx(1514.8, abs=FLOAT_NOISE)
    assert begun.age == (date(2024, 3, 3) - date(1980, 1, 1)).days / 365.25


# Age


@pytest.mark.parametrize(
    ("first_day", "last_day", "age", "is_adult", "rating"),
    [
        # 2004 text: 300 + 50 x Age from 4 to 20, otherwise 1300; nothing known 750.
        (date(2001, 1, 1), date(2006, 6, 30), 4.0, False, 500.0),
        (date(2001, 1, 1), date(2006, 6, 30), 12.5, False, 925.0),
        (date(2001, 1, 1), date(2006, 6, 30), 20.0, False, 1300.0),
        (date(2001, 1, 1), date(2006, 6, 30), 20.1, False, 1300.0),
        (date(2001, 1, 1), date(2006, 6, 30), 3.99, False, 1300.0),
        (date(2001, 1, 1), date(2006, 6, 30), 1.0, True, 1300.0),
        (date(2001, 1, 1), date(2006, 6, 30), math.nan, True, 1300.0),
        (date(2001, 1, 1), date(2006, 6, 30), math.nan, False, 750.0),
        # 2015 text §2.6: 50 x Age from 3 to 26; younger is taken for 26.
        (date(2006, 7, 1), date(2020, 5, 31), 3.0, False, 150.0),
        (date(2006, 7, 1), date(2020, 5, 31), 12.5, False, 625.0),
        (date(2006, 7, 1), date(2020, 5, 31), 26.0, False, 1300.0),
        (date(2006, 7, 1), date(2020, 5, 31), 40.0, False, 1300.0),
        (date(2006, 7, 1), date(2020, 5, 31), 2.99, False, 1300.0),
        (date(2006, 7, 1), date(2020, 5, 31), 2.99, True, 1300.0),
        (date(2006, 7, 1), date(2020, 5, 31), math.nan, True, 1300.0),
        (date(2006, 7, 1), date(2020, 5, 31), math.nan, False, 750.0),
        # 2020 text §2.3, 2025 text §2.3: younger than 3 is 26 if an adult, else 15.
        (date(2020, 6, 1), date(2026, 7, 4), 3.0, False, 150.0),
        (date(2020, 6, 1), date(2026, 7, 4), 12.5, False, 625.0),
        (date(2020, 6, 1), date(2026, 7, 4), 26.0, False, 1300.0),
        (date(2020, 6, 1), date(2026, 7, 4), 26.1, False, 1300.0),
        (date(2020, 6, 1), date(2026, 7, 4), 2.5, False, 750.0),
        (date(2020, 6, 1), date(2026, 7, 4), 1.0, False, 750.0),
        (date(2020, 6, 1), date(2026, 7, 4), 1.0, True, 1300.0),
        (date(2020, 6, 1), date(2026, 7, 4), math.nan, True, 1300.0),
        (date(2020, 6, 1), date(2026, 7, 4), math.nan, False, 750.0),
    ],
)
def test_age_based_ratings_of_the_three_eras(
    first_day: date, last_day: date, age: float, is_adult: bool, rating: float
) -> None:
    """§2.3 (2015 text §2.6), rules history §4; readings 21 and 22: below 3 is a wrong birth date."""
    for day in (first_day, last_day):
        assert age_based_rating(constants_on(day), age, is_adult) == pytest.approx(rating, abs=FLOAT_NOISE)


def test_age_is_taken_at_the_end_of_the_section() -> None:
    """§2.3 (2025 text): days to the tournament end date over 365.25."""
    child = Background(birth_date=date(2014, 7, 1))
    begun = start_of(child, OTBR, Played(start=date(2026, 6, 28), end=date(2026, 7, 4)))
    assert begun.age == (date(2026, 7, 4) - date(2014, 7, 1)).days / 365.25
    assert begun.initial.rating == pytest.approx(50 * begun.age, abs=FLOAT_NOISE)
    assert math.isnan(age_on(NO_DAY, date(2026, 7, 4).toordinal()))


def test_of_a_year_of_birth_alone_age_is_counted_from_its_first_of_july_and_marked() -> None:
    """§2.3: listed as assumed; a birth date beside it decides, and where no age is used nothing is said."""
    played = Played(start=date(2026, 6, 28), end=date(2026, 7, 4))
    by_year, by_date = Background(birth_year=2014), Background(birth_date=date(2014, 7, 1))
    assert start_of(by_year, OTBR, played) == start_of(by_date, OTBR, played)
    assert newcomer(by_year, OTBR, played).assumed == (Assumption.BIRTH_YEAR,)
    assert newcomer(by_date, OTBR, played).assumed == ()
    both = Background(birth_date=date(2010, 1, 5), birth_year=2014)
    assert both.born == date(2010, 1, 5)
    assert newcomer(both, OTBR, played).assumed == ()
    given = by_year._replace(given_start=GivenStart(900.0, 4.0))
    assert newcomer(given, OTBR, played).assumed == ()


def test_a_newcomer_of_unknown_age_is_rated_as_no_adult_and_marked() -> None:
    """§2.3, readings 23: 750 as the text says, listed as assumed; a plain no is not an assumption."""
    unknown = newcomer(Background(), OTBR, Played(start=BLEND_DAY))
    assert (unknown.prior, unknown.assumed) == (750.0, (Assumption.NOT_ADULT,))
    told = newcomer(Background(adult=False), OTBR, Played(start=BLEND_DAY))
    assert (told.prior, told.assumed) == (750.0, ())


def test_an_unknown_age_is_marked_in_a_blend_but_not_in_a_list() -> None:
    """§2, item 3: the blend needs P, so the assumption matters there; a priority list asks for no age."""
    known = Background({OTBR: PlayerRating(1500.0, 40.0, as_of=date(2016, 1, 1))})
    assert Assumption.NOT_ADULT in newcomer(known, OTBQ, Played(start=BLEND_DAY)).assumed
    assert newcomer(known, OTBQ, Played(start=LIST_DAY)).assumed == ()


# Priority lists before the blend


class Brings(NamedTuple):
    """What a newcomer brings to a priority list: rating and games, FIDE, CFC, and whether a birth date."""

    us: Mapping[RatingSystem, tuple[float, float | None]] = {}
    fide: float | None = None
    cfc: float | None = None
    born: bool = False


def background_of(brings: Brings) -> Background:
    """The background a line of a priority list is tried with."""
    return Background(
        {system: PlayerRating(rating, games) for system, (rating, games) in brings.us.items()},
        fide=None if brings.fide is None else OutsideRating(brings.fide),
        cfc=None if brings.cfc is None else OutsideRating(brings.cfc),
        birth_date=date(2004, 2, 6) if brings.born else None,
    )


# Twelve years to the day before LIST_DAY: 4383 days, twelve years of 365.25 exactly.
TWELVE = 600.0

LISTS_2015 = {
    OTBR: [  # 2015 text §2.1
        (Brings({OTBQ: (1400, 30)}, fide=2151, cfc=1501, born=True), 2214.02, 10),
        (Brings({OTBQ: (1400, 30)}, fide=2150, cfc=1501, born=True), 2213.0, 5),
        (Brings({OTBQ: (1400, 30)}, cfc=1501, born=True), 1411.1, 5),
        (Brings({OTBQ: (1400, 30)}, cfc=1500, born=True), 1410.0, 0),
        (Brings({OTBQ: (1400, 4), OTBB: (1350, 99)}, born=True), 1400.0, 0),
        (Brings({OTBQ: (1400, 3), OTBB: (1350, 99), OLB: (1, 99)}, born=True), TWELVE, 0),
        (Brings({OTBQ: (1400, 3)}), 750.0, 0),
    ],
    OTBQ: [  # 2015 text §2.2
        (Brings({OTBR: (1600.5, 7)}, fide=2300, cfc=1600, born=True), 1600.5, 7),
        (Brings({OTBR: (1600.5, 4)}, fide=2300), 1600.5, 4),
        (Brings({OTBR: (1600.5, None)}, fide=2300), 1600.5, 10),
        (Brings({OTBR: (1600.5, 3)}, fide=2151, cfc=1600, born=True), 2214.02, 10),
        (Brings({OTBR: (1600.5, 3)}, cfc=1600, born=True), 1520.0, 5),
        (Brings({OTBR: (1600.5, 3), OTBB: (1350, 99)}, born=True), TWELVE, 0),
        (Brings({OTBB: (1350, 99), OLQ: (1, 99)}), 750.0, 0),
    ],
    OTBB: [  # 2015 text §2.3
        (Brings({OTBR: (1900, 26), OTBQ: (1400, 30)}, fide=2300, cfc=1600, born=True), 1900.0, 10),
        (Brings({OTBR: (1900, None)}, fide=2300), 1900.0, 10),
        (Brings({OTBR: (1900, 25.5)}, fide=2300), 1900.0, 10),
        (Brings({OTBR: (1900, 25), OTBQ: (1400, 30)}, fide=2151, cfc=1600, born=True), 2214.02, 10),
        (Brings({OTBR: (1900, 25), OTBQ: (1400, 30)}, cfc=1500, born=True), 1410.0, 0),
        (Brings({OTBR: (1900, 25), OTBQ: (1400, 30)}, born=True), 1900.0, 10),
        (Brings({OTBR: (1900, 4), OTBQ: (1400, 30)}, born=True), 1900.0, 4),
        (Brings({OTBR: (1900, 3), OTBQ: (1400, 4)}, born=True), 1400.0, 0),
        (Brings({OTBR: (1900, 3), OTBQ: (1400, 3)}, born=True), TWELVE, 0),
        (Brings({OTBR: (1900, 3), OTBQ: (1400, 3)}), 750.0, 0),
    ],
    OLQ: [  # 2015 text §2.4
        (
            Brings({OLB: (1200, 1), OTBQ: (1300, 9), OTBB: (1400, 9), OTBR: (1500, 99)}, fide=2300, cfc=1600),
            1200.0,
            10,
        ),
        (Brings({OTBQ: (1300, 1), OTBB: (1400, 9), OTBR: (1500, 99)}, fide=2300, cfc=1600), 1300.0, 0),
        (Brings({OTBB: (1400, 1), OTBR: (1500, 99)}, fide=2300, cfc=1600), 1400.0, 0),
        (Brings({OTBR: (1500, 1)}, fide=2300, cfc=1600), 1500.0, 0),
        (Brings(fide=2300, cfc=1600, born=True), 2366.0, 0),
        (Brings(cfc=1600, born=True), 1520.0, 0),
        (Brings(born=True), TWELVE, 0),
        (Brings(), 750.0, 0),
    ],
    OLB: [  # 2015 text §2.5
        (
            Brings({OLQ: (1200, 90), OTBB: (1300, 9), OTBQ: (1400, 9), OTBR: (1500, 99)}, fide=2300, cfc=1600),
            1200.0,
            0,
        ),
        (Brings({OTBB: (1300, 1), OTBQ: (1400, 9), OTBR: (1500, 99)}, fide=2300, cfc=1600), 1300.0, 0),
        (Brings({OTBQ: (1400, 1), OTBR: (1500, 99)}, fide=2300, cfc=1600), 1400.0, 0),
        (Brings({OTBR: (1500, 1)}, fide=2300, cfc=1600), 1500.0, 0),
        (Brings(fide=2300, cfc=1600, born=True), 2366.0, 0),
        (Brings(cfc=1600, born=True), 1520.0, 0),
        (Brings(born=True), TWELVE, 0),
        (Brings(), 750.0, 0),
    ],
}


@pytest.mark.parametrize(
    ("system", "brings", "rating", "games"),
    [(system, *line) for system, lines in LISTS_2015.items() for line in lines],
)
def test_the_five_lists_of_the_2015_text_line_by_line(
    system: RatingSystem, brings: Brings, rating: float, games: float
) -> None:
    """§2.1 to §2.5 of the 2015 text, rules history §7; readings 35, 36, 89, 101: the first source there is."""
    assert start(background_of(brings), system, LIST_DAY) == pytest.approx((rating, games), abs=FLOAT_NOISE)


LIST_2001_DAY = date(2003, 2, 6)
LISTS_2001 = {
    OTBR: [
        (Brings({OTBQ: (1400, 30)}, fide=2151, cfc=1501), 2201.0, 10),
        (Brings({OTBQ: (1400, 30)}, fide=2150, cfc=1501), 2200.0, 5),
        (Brings({OTBQ: (1400, 30)}, cfc=1501), 1411.1, 5),
        (Brings({OTBQ: (1400, 30)}, cfc=1500), 1410.0, 0),
        (Brings({OTBQ: (1400, 4)}), 1400.0, 0),
        (Brings({OTBQ: (1400, 3)}), 750.0, 0),
    ],
    OTBQ: [
        (Brings({OTBR: (1600, 30)}, fide=2151, cfc=1501), 2201.0, 10),
        (Brings({OTBR: (1600, 30)}, cfc=1501), 1411.1, 5),
        (Brings({OTBR: (1600, 30)}), 1600.0, 10),
        (Brings({OTBR: (1600, 4)}), 1600.0, 4),
        (Brings({OTBR: (1600, 3)}), 750.0, 0),
    ],
}


@pytest.mark.parametrize(
    ("system", "brings", "rating", "games"),
    [(system, *line) for system, lines in LISTS_2001.items() for line in lines],
)
def test_the_list_of_2001_for_two_systems_line_by_line(
    system: RatingSystem, brings: Brings, rating: float, games: float
) -> None:
    """§2 of the 2004 text, rules history §7: FIDE and CFC come first even in Quick sections."""
    assert start(background_of(brings), system, LIST_2001_DAY) == pytest.approx((rating, games), abs=FLOAT_NOISE)


def test_the_list_of_2001_ends_with_age() -> None:
    """§2 of the 2004 text, rules history §4: 300 + 50 x 12 for a child of twelve years, 4383 days."""
    child = Background(birth_date=date(1991, 2, 6))
    assert start(child, OTBQ, LIST_2001_DAY) == pytest.approx((900.0, 0.0), abs=FLOAT_NOISE)


def test_quick_starts_from_regular_first_since_2013() -> None:
    """§2.2 of the 2015 text, rules history §7: before, FIDE preceded the Regular rating."""
    brings = background_of(Brings({OTBR: (1600, 7)}, fide=1900))
    assert start(brings, OTBQ, date(2013, 2, 28)) == (720 + 0.625 * 1900, 5.0)
    assert start(brings, OTBQ, date(2013, 3, 1)) == (1600.0, 7.0)


def test_a_source_worth_no_games_goes_through_step_3() -> None:
    """§1 Step 3, readings 36: a Quick rating starts a Regular one on N = 0, so a first estimate is made."""
    brought = background_of(Brings({OTBQ: (1400, 30)}))
    rated = newcomer(brought, OTBR, Played(start=LIST_DAY))
    # 1400 with N' = 1 and a win over 1500: 1 + (2R - 2900)/800 = 1.5, so R = 1650.
    assert (rated.prior, rated.strength) == pytest.approx((1400.0, 1650.0), abs=FLOAT_NOISE)


def test_a_list_names_the_source_it_took() -> None:
    """§2.2 of the 2015 text: the working shows the one source, and none where age decided."""
    begun = start_of(background_of(Brings({OTBR: (1600, 7)}, fide=1900)), OTBQ, Played(start=LIST_DAY))
    (source,) = begun.sources
    assert (begun.initial.source, source.source, source.games) == (Source.OTBR, Source.OTBR, 7.0)
    assert begun.initial.total_weight == 0.0
    assert start_of(Background(adult=True), OTBQ, Played(start=LIST_DAY)).sources == ()
    (fide,) = start_of(background_of(Brings(fide=1900)), OTBQ, Played(start=LIST_DAY)).sources
    assert fide.games is None
    (uncounted,) = start_of(background_of(Brings({OTBR: (1600, None)})), OTBQ, Played(start=LIST_DAY)).sources
    assert uncounted.games is None


def test_a_list_without_an_age_line_ends_with_age_all_the_same() -> None:
    """§2: eight sources and none of them known leave nothing but age; no list in force is that long."""
    constants = constants_on(LIST_DAY)
    line = Priority(Source.FIDE, 0.0, math.inf, Credit.BY_RATING)
    eight = (line, line, line, line, line, line, line, line)
    lists = (eight, *constants.priorities[1:])
    nothing = Sources([math.nan] * 8, [math.inf] * 8, [0.0] * 8, [math.nan] * 8)
    found = initial_rating(constants._replace(priorities=lists), OTBR, NOBODY_YOUNG, nothing, [0.0] * 8)
    assert (found.source, found.rating, found.games) == (Source.AGE, 1300.0, 0.0)


# Starts by hand


@pytest.mark.parametrize("games", [0.0, 7.0])
@pytest.mark.parametrize("day", [LIST_DAY, BLEND_DAY])
def test_a_start_given_by_hand_goes_before_every_source(games: float, day: date) -> None:
    """§2 of the 2015 text, readings 36: the office may convert another country's rating at its discretion."""
    given_to = Background(
        {OTBQ: PlayerRating(1400.0, 40.0)},
        fide=OutsideRating(1900.0),
        birth_date=date(2000, 7, 4),
        given_start=GivenStart(1550.5, games),
    )
    rated = newcomer(given_to, OTBR, Played(start=day))
    assert rated.start is not None
    assert (rated.prior, rated.games_before) == (1550.5, games)
    assert (rated.start.initial.source, rated.start.sources, rated.assumed) == (Source.GIVEN, (), ())
    # On no games it goes through Step 3: a win over 1500 with N' = 1 is (1550.5 + 1500 + 400)/2.
    assert rated.strength == pytest.approx(1725.25 if games == 0.0 else 1550.5, abs=FLOAT_NOISE)


def test_a_start_given_by_hand_stands_in_for_a_rule_that_was_not_found() -> None:
    """§2.1, readings 36 and 112: a FIDE rating of 2345 cannot be converted in 2010, but somebody may know."""
    known = Background(fide=OutsideRating(2345.0), given_start=GivenStart(2380.0, 10.0))
    assert start(known, OTBR, date(2010, 5, 1)) == (2380.0, 10.0)


# What was not found


@pytest.mark.parametrize("day", [date(2008, 7, 1), date(2010, 5, 1), date(2015, 5, 31)])
@pytest.mark.parametrize("fide", [2000.0, 2345.0])
def test_the_missing_upper_branch_is_an_error_that_names_it(day: date, fide: float) -> None:
    """§2.1, rules history §5 and §16: from July 2008 to May 2015 nothing is known from 2000 up."""
    with pytest.raises(UnsupportedEditionError) as raised:
        start(Background(fide=OutsideRating(fide)), OTBR, day)
    message = str(raised.value)
    assert "FIDE conversion" in message
    assert f"at {fide:g}" in message
    assert "between July 2008 and May 2015" in message
    assert "was not found" in message


@pytest.mark.parametrize("day", [date(2008, 7, 1), date(2015, 5, 31)])
def test_the_lower_branch_of_2008_is_known(day: date) -> None:
    """§2.1, rules history §5: 720 + 0.625 FIDE below 2000, on 5 games."""
    assert start(Background(fide=OutsideRating(1999.0)), OTBR, day) == (1969.375, 5.0)


def test_the_missing_branch_stops_nobody_who_does_not_need_it() -> None:
    """§2.2 of the 2015 text: a Regular rating comes first in a Quick section of 2014, whatever the FIDE rating."""
    brought = background_of(Brings({OTBR: (2300, 40)}, fide=2345))
    assert start(brought, OTBQ, date(2014, 5, 1)) == (2300.0, 10.0)

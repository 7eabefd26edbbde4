"""§6 of the 2025 text: Regular ratings updated from foreign FIDE events."""

import math
from datetime import date

import pytest

from crosstable.engine import RatedPlayer, RatedSection, rate
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.foreign import foreign_update, is_eligible, opponent_strength
from crosstable.formulas.standard import odds
from crosstable.rules.editions import edition_for
from crosstable.terms import Background, FloorKind, Formula, OutsideRating, PlayerRating, RatingSystem, SectionType
from tests.engine.wallcharts import Played, player, section_of, wallchart

OTBR = RatingSystem.OTBR
TODAY = date(2026, 7, 4)
CONSTANTS = edition_for(TODAY).constants
FLOAT_NOISE = 1e-9
ABROAD = Played(kind=SectionType.FOREIGN_FIDE)


def standard(prior: float, effective: float, score: float, opponents: list[float], bonus: float) -> float:
    """The standard formula once, by hand: 800/(N' + m), logistic expectancies, max(0, change - B√m')."""
    expected = sum(1 / (1 + 10 ** (-(prior - opponent) / 400)) for opponent in opponents)
    change = 800 / (effective + len(opponents)) * (score - expected)
    extra = max(0.0, change - bonus * math.sqrt(max(len(opponents), 4))) if len(opponents) >= 3 else 0.0
    return prior + change + extra


def effective(prior: float) -> float:
    """Equation (1) of §3 for somebody with many games."""
    return 50 / math.sqrt(0.662 + 0.00000739 * (2569 - prior) ** 2)


def rate_abroad(text: str, known: dict[int, Background], played: Played = ABROAD, rows_rated: int = 1) -> RatedSection:
    """A foreign event in which the first rows are to be rated; FIDE ratings come with ``known``."""
    rows = wallchart(text)
    section = section_of(rows, played)
    entries = tuple(entry._replace(is_rated=entry.number <= rows_rated) for entry in section.entries)
    section = section._replace(entries=entries).with_backgrounds({**section.backgrounds, **known})
    return rate(section, OTBR, edition_for(section.start))


def fide(rating: float) -> Background:
    """A foreign opponent: a FIDE rating and nothing else."""
    return Background(fide=OutsideRating(rating))


# Who is updated


@pytest.mark.parametrize(
    ("games", "rating", "has_flag", "has_opted_in", "eligible"),
    [
        (26.0, 2200.0, True, False, True),
        (26.0, 2199.0, True, False, False),
        (26.0, 2199.0, True, True, True),
        (26.0, 2300.0, False, False, False),
        (26.0, 2300.0, False, True, True),
        (26.0, math.nan, True, False, False),
        (26.0, math.nan, True, True, True),
        (25.0, 2300.0, True, True, False),
        (math.inf, 2300.0, True, False, True),
    ],
    ids=[
        "automatic from 2200 with the flag",
        "below 2200",
        "below 2200, opted in",
        "no flag",
        "no flag, opted in",
        "no FIDE rating",
        "no FIDE rating, opted in",
        "not established",
        "established, count unknown",
    ],
)
def test_whose_rating_is_updated(
    games: float, rating: float, has_flag: bool, has_opted_in: bool, eligible: bool
) -> None:
    """§6 (2025 text): automatic from 2200 FIDE under the USA flag, else by opting in; established only."""
    assert is_eligible(CONSTANTS, games, rating, has_flag, has_opted_in) is eligible


@pytest.mark.parametrize(("day", "eligible"), [(date(2020, 5, 31), True), (date(2020, 6, 1), False)])
def test_the_2015_text_asks_for_no_established_rating(day: date, eligible: bool) -> None:
    """§6, readings 78: the condition stands in the 2020 and 2025 texts."""
    assert is_eligible(edition_for(day).constants, 12.0, 2300.0, True, False) is eligible


# How it is updated


def test_the_standard_formula_is_applied_once_to_converted_ratings() -> None:
    """§6, §2.1 (2025 text): FIDE 2300 is 2366, FIDE 1900 is 1903.73; win and draw from 2300, by hand."""
    rated = rate_abroad(
        "1 | W2 D3 | R: 2300/99 \n 2 | L1 | R: Unrated \n 3 | U D1 | R: 1500/50",
        {2: fide(2300.0), 3: fide(1900.0)._replace(standings={OTBR: PlayerRating(1500.0, 50.0)})},
    )
    one = player(rated, 1)
    assert [game.strength for game in one.games] == pytest.approx([2366.0, 1903.73], abs=FLOAT_NOISE)
    assert one.after is not None
    by_hand = standard(2300.0, effective(2300.0), 1.5, [2366.0, 1903.73], 10.0)
    assert one.after.rating == pytest.approx(by_hand, abs=FLOAT_NOISE)
    assert one.formula is Formula.STANDARD


def test_opponents_are_untouched_even_if_they_have_us_ratings() -> None:
    """§6: only the players marked to be rated are."""
    rated = rate_abroad(
        "1 | W2 D3 | R: 2300/99 \n 2 | L1 | R: Unrated \n 3 | U D1 | R: 1500/50",
        {2: fide(2300.0), 3: fide(1900.0)._replace(standings={OTBR: PlayerRating(1500.0, 50.0)})},
    )
    assert player(rated, 2).after is None
    assert player(rated, 3).after == PlayerRating(1500.0, 50.0)
    assert (player(rated, 3).formula, player(rated, 3).score, player(rated, 3).games) == (Formula.NONE, 0.0, ())


def test_a_youth_event_converts_every_opponent_by_its_own_formula() -> None:
    """§6, readings 79: FIDE 2300 is 2380, FIDE 1900 is 1953.73 (2025 text, from 2024-03-01)."""
    rated = rate_abroad(
        "1 | W2 D3 | R: 2300/99 \n 2 | L1 | R: Unrated \n 3 | U D1 | R: Unrated",
        {2: fide(2300.0), 3: fide(1900.0)},
        ABROAD._replace(kind=SectionType.FOREIGN_FIDE_YOUTH),
    )
    assert [game.strength for game in player(rated, 1).games] == pytest.approx([2380.0, 1953.73], abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("day", "general", "youth"),
    [
        (date(2020, 5, 31), 1966.0, 2004.0),
        (date(2024, 2, 29), 1966.0, 2004.0),
        (date(2024, 3, 1), 1903.73, 1953.73),
        (date(2026, 7, 4), 1903.73, 1953.73),
    ],
)
def test_opponents_conversions_by_date(day: date, general: float, youth: float) -> None:
    """§6, §2.1 of each text: FIDE 1900 is 180 + 0.94 x 1900, or 560 + 0.76 x 1900, until 2024-02-29."""
    constants = edition_for(day).constants
    assert opponent_strength(constants, 1900.0, is_youth=False) == pytest.approx(general, abs=FLOAT_NOISE)
    assert opponent_strength(constants, 1900.0, is_youth=True) == pytest.approx(youth, abs=FLOAT_NOISE)


def test_opponents_without_a_fide_rating_are_ignored() -> None:
    """§6 (2025 text), readings 78: m, K, score and repeats count games against FIDE-rated opponents."""
    known = {2: fide(2300.0), 3: fide(1900.0)}
    with_ignored = rate_abroad(
        "1 | W2 W4 D3 L4 | R: 2300/99 \n 2 | L1 | \n 3 | U U D1 | \n 4 | U L1 U W1 | R: 2400/99", known
    )
    without = rate_abroad("1 | W2 D3 | R: 2300/99 \n 2 | L1 | \n 3 | U D1 |", known)
    assert player(with_ignored, 1).played == 2
    assert player(with_ignored, 1).score == 1.5
    assert player(with_ignored, 1).after == player(without, 1).after


def test_the_bonus_applies_as_usual() -> None:
    """§6 (2025 text): the standard rating formula (with bonus): four wins over FIDE 2100 (2162) from 1900."""
    known = {number: fide(2100.0) for number in (2, 3, 4, 5)}
    one = player(rate_abroad("1 | W2 W3 W4 W5 | R: 1900/99 \n 2 | \n 3 | \n 4 | \n 5 |", known), 1)
    assert one.after is not None
    assert one.final.bonus > 0.0
    assert one.after.rating == pytest.approx(
        standard(1900.0, effective(1900.0), 4.0, [2162.0] * 4, 10.0), abs=FLOAT_NOISE
    )
    repeats = player(rate_abroad("1 | W2 W2 W2 W3 | R: 1900/99 \n 2 | \n 3 |", known), 1)
    assert repeats.final.bonus == 0.0


def test_k_has_no_dual_clause() -> None:
    """§6, readings 78: 2400 at a dual-rated control keeps the full K of 800/(50 + 1)."""
    one = player(rate_abroad("1 | W2 | R: 2400/99 \n 2 |", {2: fide(2400.0)}, ABROAD._replace(control="G/60;d5")), 1)
    assert one.final.k == pytest.approx(800 / 51, abs=FLOAT_NOISE)


def test_the_formula_alone() -> None:
    """§6: the same update through the formula."""
    update = foreign_update(CONSTANTS, 2300.0, 99.0, 1.5, [odds(2366.0), odds(1903.73)], False)
    by_hand = standard(2300.0, effective(2300.0), 1.5, [2366.0, 1903.73], 10.0)
    assert update.rating == pytest.approx(by_hand, abs=FLOAT_NOISE)


def test_counts_grow_as_usual_and_no_norm_is_earned() -> None:
    """§6, readings 78 and 110: N, wins, draws and events grow; there are no norms abroad."""
    before = PlayerRating(1900.0, 99.0, 40, 9, 50, 20, 2000.0, 2000.0)
    known = {number: fide(2300.0) for number in (2, 3, 4, 5)} | {1: Background({OTBR: before})}
    one = player(rate_abroad("1 | W2 W3 W4 D5 | \n 2 | \n 3 | \n 4 | \n 5 |", known), 1)
    assert one.norm is None
    assert one.after is not None
    assert one.after[1:6] == (103.0, 43, 10, 50, 21)
    assert one.after.as_of == TODAY
    assert one.assumed == ()


def test_floors_and_ceilings_apply() -> None:
    """§6, §5, readings 78: eight losses to FIDE 1400 stop at the floor of a peak of 2000; a ceiling holds a gain."""
    losses = "1 | L2 L2 L2 L2 L2 L2 L2 L2 | \n 2 |"
    fallen = player(rate_abroad(losses, {1: _established(1850.0, 2000.0), 2: fide(1400.0)}), 1)
    assert (fallen.outcome.floor_kind, fallen.outcome.rating) == (FloorKind.PEAK, 1800.0)
    held = Background({OTBR: PlayerRating(1850.0, 99.0, peak=2000.0, ceiling=1851.0)})
    assert player(rate_abroad("1 | W2 | \n 2 |", {1: held, 2: fide(2400.0)}), 1).outcome.rating == 1851.0


def _established(rating: float, peak: float) -> Background:
    return Background({OTBR: PlayerRating(rating, 99.0, peak=peak)})


@pytest.mark.parametrize(
    ("chart", "known"),
    [
        ("1 | W2 | R: 2300/99 \n 2 | L1 | R: 2200/99", {}),
        ("1 | X2 | R: 2300/99 \n 2 | F1 |", {2: Background(fide=OutsideRating(2300.0))}),
        ("1 | W2 | R: Unrated \n 2 | L1 |", {2: Background(fide=OutsideRating(2300.0))}),
    ],
    ids=["no FIDE-rated opponent", "no game", "no Regular rating"],
)
def test_nothing_to_update_leaves_the_rating_untouched(chart: str, known: dict[int, Background]) -> None:
    """§6: without a game against a FIDE-rated opponent, or without a rating, nothing happens."""
    one: RatedPlayer = player(rate_abroad(chart, known), 1)
    assert one.formula is Formula.NONE
    assert one.after == one.before


def test_two_us_players_who_meet_abroad_are_each_met_at_their_fide_ratings() -> None:
    """§6 (2025 text): opponents stand at their FIDE ratings, US Chess members too, and one pass moves neither."""
    chart = "1 | W2 | \n 2 | L1 |"
    known = {
        1: Background({OTBR: PlayerRating(2300.0, 99.0)}, fide=OutsideRating(2250.0)),
        2: Background({OTBR: PlayerRating(2320.0, 99.0)}, fide=OutsideRating(2150.0)),
    }
    rated = rate_abroad(chart, known, rows_rated=2)
    assert [player(rated, n).games[0].strength for n in (1, 2)] == [20 + 1.02 * 2150, 20 + 1.02 * 2250]


def test_a_member_on_two_rows_abroad_is_rated_once_and_shown_twice() -> None:
    """§6, readings 104: both rows show the same result, on all games of both."""
    rows = wallchart("1 | W2 | R: 2300/99 \n 2 | L1 D3 | \n 3 | U D2 | R: 2300/99")
    section = section_of(rows, ABROAD)
    first, second, third = section.entries
    section = section._replace(
        entries=(first, second._replace(is_rated=False), third._replace(member_id=first.member_id))
    )
    section = section.with_backgrounds({**section.backgrounds, 2: fide(2300.0)})
    rated = rate(section, OTBR, edition_for(section.start))
    assert [p.number for p in rated.players] == [1, 2, 3]
    one, three = player(rated, 1), player(rated, 3)
    assert (one.merged_with, three.merged_with) == ((3,), (1,))
    assert one.after == three.after
    assert one.after is not None
    assert one.after.games == 101.0


# What was not found


@pytest.mark.parametrize(
    ("day", "kind", "rating", "words"),
    [
        (date(2008, 12, 31), SectionType.FOREIGN_FIDE_YOUTH, 1500.0, "youth FIDE conversion"),
        (date(2010, 5, 1), SectionType.FOREIGN_FIDE, 2000.0, "the FIDE conversion"),
        (date(2015, 5, 31), SectionType.FOREIGN_FIDE, 2500.0, "the FIDE conversion"),
    ],
)
def test_a_missing_conversion_is_an_error_that_names_it(
    day: date, kind: SectionType, rating: float, words: str
) -> None:
    """§6, rules history §5 and §16: no youth formula before 2009, no upper branch from July 2008 to May 2015."""
    with pytest.raises(UnsupportedEditionError, match=f"{words} .* at {rating:g}: .* was not found"):
        rate_abroad("1 | W2 | R: 2300/99 \n 2 | L1 |", {2: fide(rating)}, Played(start=day, kind=kind))


def test_in_2004_fifty_points_were_added() -> None:
    """§6, rules history §5: in 2004 an opponent of FIDE 2400 is met at 2450."""
    one = player(
        rate_abroad(
            "1 | W2 | R: 2300/99 \n 2 | L1 |",
            {2: fide(2400.0)},
            Played(date(2004, 6, 5), kind=SectionType.FOREIGN_FIDE),
        ),
        1,
    )
    assert one.games[0].strength == 2450.0

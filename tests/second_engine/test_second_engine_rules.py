"""The second engine rule by rule: controls, starts, floors, matches, foreign events, rows, norms."""

from datetime import date
from fractions import Fraction

import pytest

from . import NotKnown, NotRatable, systems_of
from .conversions import age_based, cfc_to_us, fide_to_us, youth_fide_to_us
from .limits import stored, three_years_before
from .norms import norm_expectancy
from .standard import effective_games, k_factor, winning_expectancy
from .test_second_engine import TODAY, Row, case, player, rate


def control_systems(control: str | list[str], on: str = TODAY, online: bool = False) -> list[str]:
    """Name the systems of a control on a day (rules history §12)."""
    return systems_of({"time_control": control, "online": online}, {"start_date": on, "end_date": on})


BOARD = {
    "OTBB": ["G/3;+2", "G/5;d0", "G/5d0", "G/3+2", "G/7;d3", "G/10;d0"],
    "OTBQ": ["G/10;+1", "G/20;+5", "G/25;d4", "G/26;d3", "G/26d3"],
    "OTBR OTBQ": [
        "G/25;d5",
        "G/25;+5",
        "G/25+5",
        "G/27;d3",
        "G/20;d10",
        "G/30;d0",
        "G/30;d5",
        "30/30,SD/30;d5",
    ],
    "OTBR": ["G/61;d5", "G/45;+30", "G/45;inc30", "G/65;d5", "40/90,SD/30;d5", "40/120, 20/60, SD/30"],
}


@pytest.mark.parametrize(("names", "control"), [(names, text) for names in BOARD for text in BOARD[names]])
def test_controls_of_today(names: str, control: str) -> None:
    """Official facts §5: the table of examples."""
    assert control_systems(control) == names.split()
    online = {"OTBB": "OLB", "OTBQ": "OLQ"}.get(names, "OLR")
    assert control_systems(control, online=True) == [online]


@pytest.mark.parametrize("control", ["G/4;+25", "G/2;+3", "G/1;d2", "10/10,SD/10;d5", "40/20", "blitz", "d5", ""])
def test_controls_that_cannot_be_rated(control: str) -> None:
    """Official facts §5, readings 16."""
    with pytest.raises(NotRatable):
        control_systems(control)


@pytest.mark.parametrize(
    ("control", "on", "names"),
    [
        ("G/30", "2001-12-31", "OTBR"),
        ("G/30", "2002-01-01", "OTBR OTBQ"),
        ("G/29;d5", "2001-06-01", "OTBQ"),
        ("G/25;d5", "2011-12-31", "OTBQ"),
        ("G/25;d5", "2012-01-01", "OTBR OTBQ"),
        ("G/60;d5", "2011-12-31", "OTBR OTBQ"),
        ("G/61", "2003-01-01", "OTBR"),
        ("G/45;+30", "2008-07-31", "OTBR OTBQ"),
        ("G/45;+30", "2008-08-01", "OTBR"),
        ("G/5", "2004-01-01", "OTBQ"),
        ("G/5;d0", "2013-02-28", "OTBQ"),
        ("G/5;d0", "2013-03-01", "OTBB"),
    ],
)
def test_controls_by_date(control: str, on: str, names: str) -> None:
    """Rules history §12."""
    assert control_systems(control, on) == names.split()


def test_systems_before_their_dates() -> None:
    """2025 text §8, readings 13: nothing before 2001, and no system before its date."""
    for control, on, online in (
        ("G/90", "2000-12-31", False),
        ("G/5", "2003-12-31", False),
        ("G/5;d0", "2014-09-30", True),
        ("G/15;d0", "2015-02-28", True),
        ("G/60;d5", "2020-05-31", True),
    ):
        with pytest.raises(NotRatable):
            control_systems(control, on, online)
    assert control_systems("G/60;d5", "2020-06-01", True) == ["OLR"]
    with pytest.raises(NotRatable):
        rate([], "2013-02-28", "OTBB")


def test_merged_schedules_and_overrides() -> None:
    """Design of the event file: the slowest decides, fast rounds may not be mixed in, `systems` overrides."""
    assert control_systems(["G/60;d5", "40/90,SD/30;d5"]) == ["OTBR"]
    assert control_systems(["G/30;d5", "G/60;d5"]) == ["OTBR", "OTBQ"]
    for mixed in (["G/20;d3", "G/60;d5"], ["G/5;d0", "G/20;d3"], ["G/5;d0", "G/3;+2"]):
        with pytest.raises(NotRatable):
            control_systems(mixed)
    assert systems_of({"systems": ["OTBQ"], "time_control": "G/90"}, {"start_date": TODAY}) == ["OTBQ"]
    assert systems_of({"type": "foreign_fide"}, {"event": {"start_date": TODAY}}) == ["OTBR"]


def test_conversions_by_date() -> None:
    """Rules history §5, §6; 2025 text §2.1, §2.2, §6; readings 32."""
    day = date.fromisoformat
    fide = [fide_to_us(day(on), 1420) for on in ("2007-12-31", "2008-01-01", "2008-07-01", "2021-06-01")]
    assert fide == pytest.approx([1470, 1420, 1607.5, 1514.8])
    assert [fide_to_us(day("2008-01-01"), rating) for rating in (2199, 2200)] == [2199, 2250]
    assert [fide_to_us(day("2024-03-01"), rating) for rating in (2000, 2001)] == pytest.approx([2060.4, 2061.02])
    with pytest.raises(NotKnown):
        fide_to_us(day("2015-05-31"), 2000)
    with pytest.raises(NotKnown):
        youth_fide_to_us(day("2008-12-31"), 1500)
    youth = [youth_fide_to_us(day(on), 1500) for on in ("2009-01-01", "2024-02-29", "2024-03-01")]
    assert youth == pytest.approx([1700, 1700, 1447.05])
    assert [cfc_to_us(day("2024-12-31"), rating) for rating in (1500, 1600)] == pytest.approx([1410, 1520])
    new = [cfc_to_us(day("2025-01-01"), rating) for rating in (1149.999, 1150, 1609.999, 1610, 1999.999, 2000)]
    assert new == pytest.approx([822.25, 822, 1410.8, 1414.1, 1964, 1960], abs=0.01)


def test_ages_by_date() -> None:
    """Rules history §4, 2025 text §2.3, readings 21, 22, 90."""
    birth, day = date(1990, 1, 1), date(2006, 1, 1)
    age = (day - birth).days / 365.25
    assert age_based(date(2006, 6, 30), birth, False, day) == 300 + 50 * age
    assert age_based(date(2006, 7, 1), birth, False, day) == 50 * age
    for start, infant in ((date(2006, 1, 1), 1300), (date(2010, 1, 1), 1300), (date(2020, 6, 1), 750)):
        assert age_based(start, day, False, day) == infant
        assert age_based(start, None, False, day) == 750
        assert age_based(start, None, True, day) == 1300


def start_of(ratings: Row, on: str, system: str, **more: object) -> tuple[float, float]:
    """Give the initial rating and games of a player who is unrated in the system."""
    players = [player(1, ["W2"]) | {"ratings": ratings} | more, player(2, ["L1"])]
    initial = rate(players, on, system)[1]["initial"]
    return initial["rating"], initial["games"]


def test_lists_before_the_blend() -> None:
    """2015 text §2, rules history §7, readings 35, 89."""
    fide, cfc = {"FIDE": {"rating": 2200}}, {"CFC": {"rating": 1500}}
    regular = {"OTBR": {"rating": 1600.5, "games": 7}}
    quick = {"OTBQ": {"rating": 1400, "games": 4}}
    assert start_of(fide | cfc | quick, "2016-01-01", "OTBR") == (2264, 10)
    assert start_of(cfc | quick, "2016-01-01", "OTBR") == (1410, 0)
    assert start_of(quick, "2016-01-01", "OTBR") == (1400, 0)
    assert start_of({"OTBQ": {"rating": 1400, "games": 3}}, "2016-01-01", "OTBR") == (750, 0)
    assert start_of(fide | regular, "2004-01-01", "OTBQ") == (2250, 10)
    assert start_of(fide | regular, "2016-01-01", "OTBQ") == (1600.5, 7)
    assert start_of(fide | regular, "2016-01-01", "OTBB") == (2264, 10)
    assert start_of(cfc | {"OTBR": {"rating": 1600, "games": None}}, "2016-01-01", "OTBB") == (1600, 10)
    assert start_of(regular | quick, "2016-01-01", "OTBB") == (1600.5, 7)
    assert start_of({"OLB": {"rating": 1200, "games": 1}} | regular, "2016-01-01", "OLQ") == (1200, 10)
    assert start_of({"OLQ": {"rating": 1200, "games": 90}} | regular, "2016-01-01", "OLB") == (1200, 0)
    assert start_of(fide | cfc, "2016-01-01", "OLB") == (2264, 0)


def test_blend_rules() -> None:
    """2025 text §2, readings 27-29, 33; rules history §5: 1515 on 5 games in June 2021."""
    assert start_of({"FIDE": {"rating": 1420}}, "2021-06-01", "OTBR", adult=True) == (1515, 5)
    assert start_of({"FIDE": {"rating": 1420, "as_of": "2023-01-01"}}, "2021-06-01", "OTBR") == (1515, 5)
    assert start_of({"OTBR": {"rating": 1000, "games": 7}}, TODAY, "OTBQ") == (1000, 7)
    assert start_of({"OTBB": {"rating": 1000, "games": 1}}, TODAY, "OTBR") == (1000, 1)
    cfc = {"CFC": {"rating": 2000}}
    assert start_of(cfc, TODAY, "OTBR") == (750, 0)
    assert start_of(cfc, TODAY, "OTBR", canadian_resident=True) == (1960, 5)
    assert start_of({"OTBR": {"rating": 1501, "games": 3}, "OTBQ": {"rating": 1500, "games": 3}}, TODAY, "OLR") == (
        1501,
        6,
    )
    old = {"OTBR": {"rating": 800, "games": 90, "as_of": "1995-08-01"}}
    assert start_of(old, TODAY, "OTBQ", adult=True) == (800, 1)


def test_no_rated_game() -> None:
    """Readings 40: untouched without a game; an unmirrored code counts on its own row alone (readings 92)."""
    rated = rate([player(1, ["X", "H"], 1500, 30), player(2, ["B", "U3"]), player(3, ["N2", "*", "F1"], 1400, 30)])
    assert (rated[1]["post"], rated[1]["formula"], rated[1]["games_after"]) == (1500, None, 30)
    assert (rated[2]["pre"], rated[2]["post"], rated[2]["rounded"], rated[2]["initial"]) == (None,) * 4
    k = k_factor(case(), 1400, effective_games(case(), 1400, 30), 1)
    assert rated[3]["post"] == pytest.approx(1400 + k * (1 - winning_expectancy(1400, 750)))


@pytest.mark.parametrize(
    ("rounds", "bonus"),
    [
        (["W2", "W3"], False),
        (["W2", "W3", "W4"], True),
        (["W2", "W2", "W3"], False),
        (["W2", "W2", "W3", "W3"], True),
        (["W2", "W2", "W2", "W3"], False),
    ],
)
def test_bonus_conditions(rounds: list[str], bonus: bool) -> None:
    """2025 text §4.2, readings 41, 91; no bonus in matches (2025 text §7)."""
    others = [player(number, [], 2200, 99) for number in (2, 3, 4)]
    for on in ("2005-01-01", TODAY):
        assert (rate([player(1, rounds, 1000, 99), *others], on)[1]["bonus"] > 0) is bonus
        assert rate([player(1, rounds, 1000, 99), *others], on, type="match")[1]["bonus"] == 0


def test_member_listed_twice() -> None:
    """Readings 104, 106: one result on all games; repeats are counted by member."""
    others = [player(number, [], 2200, 99) for number in (2, 3)]
    first = player(1, ["W2", "L3"], 1000, 99, member_id="7")
    second = player(9, ["W2", "W2"], 1000, 99, member_id="7")
    rated = rate([first, *others, second])
    assert rated[1] == rated[9]
    assert (rated[1]["score"], rated[1]["games_after"], rated[1]["bonus"]) == (3.0, 103, 0)
    twice = [player(2, [], 2200, 99, member_id="8"), player(3, [], 2200, 99, member_id="8")]
    assert rate([player(1, ["W2", "W2", "W3", "W3"], 1000, 99), *twice])[1]["bonus"] == 0


def fall(on: str, rating: float, games: float | None, record: Row, system: str = "OTBR") -> Row:
    """Rate a player who loses eight games to much weaker ones."""
    weak = player(2, [], ratings={system: {"rating": 100, "games": 99}})
    own = {system: {"rating": rating, "games": games, **record}}
    return rate([player(1, ["L2"] * 8, ratings=own), weak], on, system)[1]


@pytest.mark.parametrize(
    ("on", "rating", "games", "record", "floor"),
    [
        (TODAY, 1510, 99, {"peak": 1941}, ("peak", 1700)),
        (TODAY, 1850, 99, {"peak": 1999.51}, ("peak", 1800)),
        (TODAY, 1250, 99, {"peak": 1388}, None),
        (TODAY, 1320, 99, {"peak": 1525}, ("peak", 1300)),
        (TODAY, 1320, 99, {"peak": 1525, "peak_since_2010": 1350}, None),
        (TODAY, 1320, 99, {"peak": 1599.5, "peak_since_2010": 1350}, ("peak", 1400)),
        ("2010-03-31", 1320, 99, {"peak": 1525}, None),
        (TODAY, 2150, 99, {"peak": 2400}, ("peak", 2100)),
        (TODAY, 1405, None, {}, ("peak", 1200)),
        (TODAY, 1510, 25, {"peak": 1941}, None),
        (TODAY, 1510, 99, {"floor": 1500}, ("office", 1500)),
        (TODAY, 1510, 99, {"floor": {"level": 1600, "origin": "money"}}, ("money", 1600)),
        (TODAY, 1510, 99, {"peak": 1720, "floor": {"level": 1500, "origin": "money"}}, ("peak", 1500)),
        (TODAY, 150, 99, {"wins": 30}, ("personal", 150)),
        (TODAY, 150, 99, {}, ("personal", 101)),
        ("2008-08-06", 150, 99, {"wins": 30}, ("absolute", 100)),
    ],
)
def test_floors(on: str, rating: float, games: float | None, record: Row, floor: tuple[str, float] | None) -> None:
    """2025 text §5, rules history §10, readings 45, 61-67, 94-97."""
    done = fall(on, rating, games, record)
    assert done["floor"] == (None if floor is None else {"name": floor[0], "level": floor[1]})
    if floor is not None:
        assert done["post"] == floor[1]


def test_floors_online_and_ceilings() -> None:
    """Readings 64, 66, 72: no personal floor online, peak floors everywhere, ceilings last."""
    assert fall(TODAY, 150, 99, {"wins": 30}, "OLB")["floor"] == {"name": "absolute", "level": 100}
    assert fall(TODAY, 1510, 99, {"peak": 1941}, "OLB")["post"] == 1700
    held = rate([player(1, ["W2"], 1500, 99, {"ceiling": 1501}), player(2, ["L1"], 1500, 99)])
    assert held[1]["post"] == 1501


def test_whole_numbers_before_september_2014() -> None:
    """Rules history §9, readings 81: up on a gain, down on a loss, a newcomer to the nearest."""
    old = case("2014-08-31")
    values = [stored(old, 1500.0, value) for value in (1500.1, 1499.9, 1500.0, 1510.0000000001, 1490.9999999999)]
    assert values == [1501, 1499, 1500, 1510, 1491]
    assert [stored(old, None, value) for value in (1500.4, 1500.5, 1500.6)] == [1500, 1501, 1501]
    assert stored(case("2014-09-01"), 1500.0, 1500.1) == 1500.1


def test_half_k() -> None:
    """Rules history §8: half K, half the games; not from March 2006 on; the special formula unchanged."""
    pair = [player(1, ["W2"], 1500, 40), player(2, ["L1"], 1500, 6)]
    half = rate(pair, "2006-02-28", k_factor="half")
    assert half[1]["k"] == pytest.approx(400 / (half[1]["effective_games"] + 0.5))
    assert (half[1]["games_after"], half[2]["games_after"]) == (40.5, 6.5)
    with pytest.raises(NotRatable):
        rate(pair, "2006-03-01", k_factor="half")


def match_change(on: str, *changes: tuple[str, float], rounds: str = "W") -> float:
    """Give the change of a 1500 player who wins (or loses) twelve match games against 1900 (or 1100)."""
    earlier = [{"date": day, "change": change} for day, change in changes]
    opponent, mirror = (1900, "L1") if rounds == "W" else (1100, "W1")
    own = {"match_changes": earlier, "peak": 1500}
    pair = [player(1, [rounds + "2"] * 12, 1500, 99, own), player(2, [mirror] * 12, opponent, 99)]
    return float(rate(pair, on, type="match")[1]["post"]) - 1500


def test_match_limits() -> None:
    """2025 text §7, rules history §11, readings 74, 75, 107."""
    assert match_change("2005-12-31") == 200
    assert match_change("2006-01-01") == 50
    assert match_change("2024-07-29", ("2024-02-01", 70)) == pytest.approx(30)
    assert match_change("2024-07-30", ("2024-02-01", 70)) == pytest.approx(30)
    assert match_change("2024-07-31", ("2024-02-01", 70)) == 50
    assert match_change("2006-01-31", ("2006-01-02", 70)) == 50
    assert match_change("2024-02-29", ("2021-02-28", 170)) == pytest.approx(30)
    assert match_change("2024-02-29", ("2021-02-27", 170)) == 50
    assert match_change("2024-02-29", ("2024-02-01", 150)) == 0
    assert match_change("2024-02-29", ("2024-02-01", 150), rounds="L") == -50
    assert match_change("2024-02-29", ("2024-02-01", -80), rounds="L") == -20
    assert three_years_before(date(2024, 2, 29)) == date(2021, 2, 28)


def test_foreign_events() -> None:
    """2025 text §6, readings 78, 79, 110: one pass, FIDE-rated opponents only, others untouched."""
    players = [
        player(1, ["W2", "D3", "W4"], 2300, 99, rate=True),
        player(2, ["L1"], ratings={"FIDE": {"rating": 2300}}),
        player(3, ["D1"], 1500, 50, ratings={"FIDE": {"rating": 1900}}),
        player(4, ["L1"]),
    ]
    for kind, converted in (("foreign_fide", (2366, 1903.73)), ("foreign_fide_youth", (2380, 1953.73))):
        rated = rate(players, type=kind, time_control="G/60;d5")
        k = 800 / (effective_games(case(), 2300, 99) + 2)
        expected = sum(winning_expectancy(2300, opponent) for opponent in converted)
        assert rated[1]["post"] == pytest.approx(2300 + k * (1.5 - expected))
        assert (rated[1]["games_after"], rated[1]["norm"]) == (101, None)
        assert (rated[2]["post"], rated[3]["post"], rated[4]["post"]) == (None, 1500, None)
    with pytest.raises(NotKnown):
        rate(players, "2010-01-01", type="foreign_fide")


def test_norms() -> None:
    """Official facts §1: C, more than 1.0 over, four games, nobody met more than twice."""
    values = [norm_expectancy(2000, Fraction(rating)) for rating in (2400, 2200, 2000, 1900, 1800, 1799)]
    assert values == [0, Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), 1, 1]
    others = [player(number, [], 1800, 99) for number in (2, 3)]
    winner = player(1, ["W2", "W2", "W3", "W3"], 1500, 99)
    assert rate([winner, *others])[1]["norm"] == "1"
    assert rate([winner, *others], type="match")[1]["norm"] is None
    assert rate([player(1, ["W2", "W2", "W2", "W3"], 1500, 99), *others])[1]["norm"] is None
    even = player(1, ["W2", "W2", "D3", "D3"], 1500, 99)
    assert rate([even, *others])[1]["norm"] == "2"

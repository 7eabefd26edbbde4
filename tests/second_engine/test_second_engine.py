"""The second engine against every worked example of readings, Part 1, and its special formula."""

import random
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from . import rate_section, special_rating_exact
from .initial import blend_sources
from .law import Case, bonus_multiplier
from .limits import hundreds_below
from .rows import read_members
from .standard import effective_games, k_factor, standard_rating, winning_expectancy
from .steps import step_1, step_2, step_3, step_4

Row = dict[str, Any]
TODAY = "2025-08-01"


def player(
    number: int,
    rounds: list[str],
    rating: float | None = None,
    games: float | None = None,
    record: Row | None = None,
    **more: object,
) -> Row:
    """Make a player with an OTBR record; `record` adds to it, `more` to the player."""
    made: Row = {"number": number, "rounds": rounds, "ratings": {}, **more}
    if rating is not None:
        own = {"rating": rating, "games": games, **(record or {})}
        made["ratings"] = {"OTBR": own, **made["ratings"]}
    return made


def rate(players: list[Row], on: str = TODAY, system: str = "OTBR", **more: object) -> dict[int, Row]:
    """Rate a section of one day; `more` adds to the section."""
    event = {"id": "1", "start_date": on, "end_date": on}
    return rate_section(event, {"number": 1, "time_control": "G/90;d5", "players": players, **more}, system)


def case(on: str = TODAY, system: str = "OTBR", kind: str = "swiss", half_k: bool = False, dual: bool = False) -> Case:
    """Make a case of one day."""
    day = date.fromisoformat(on)
    return Case(system, day, day, kind, half_k, dual)


# The worked examples of the readings, Part 1


BLEND_ROWS = {
    "OTBR": (1759, "2018-03-25", 10, 891, 886.516085, 2.492811, 0.598498, 5.984984),
    "OTBQ": (1643, "2018-01-13", 5, 962, 876.796715, 2.189152, 0.547593, 2.737964),
    "OTBB": (1658, "2016-07-16", 10, 1508, 802.053388, 2.445562, 0.414572, 4.145722),
}


def blend_player(number: int, rounds: list[str]) -> Row:
    """Make the player of the blend's example (2025 text §2)."""
    ratings = {name: {"rating": row[0], "games": 60, "as_of": row[1]} for name, row in BLEND_ROWS.items()}
    return player(number, rounds, ratings=ratings, birth_date="2000-07-01")


def test_blend_example() -> None:
    """2025 text §2, readings Part 1: the three rows of the table, 1702 on 10 games."""
    member = read_members({"players": [blend_player(1, [])]})[1]
    sources = blend_sources(case("2020-09-01", "OLB"), member)
    assert [source.name for source in sources] == list(BLEND_ROWS)
    for source in sources:
        _, _, factor, days, age_rating, z, staleness, weight = BLEND_ROWS[source.name]
        assert (source.game_factor, source.days) == (factor, days)
        assert (source.age_rating, source.z, source.staleness, source.weight) == pytest.approx(
            (age_rating, z, staleness, weight), abs=6e-7
        )
    total = sum(source.weight for source in sources)
    assert total == pytest.approx(12.868670, abs=1e-6)
    assert sum(s.weight * s.rating for s in sources) / total == pytest.approx(1701.781831, abs=1e-6)
    rated = rate([blend_player(1, ["W2"]), blend_player(2, ["L1"])], "2020-09-01", "OLB")
    assert rated[1]["initial"] == {"rating": 1702.0, "games": 10}
    assert (rated[1]["formula"], rated[1]["games_after"]) == ("standard", 11)


def test_effective_games_examples() -> None:
    """2025 text §3 and rules history §3: 20.01178675 now, 26.7 before May 2013; the joint at 2355."""
    assert effective_games(case(), 1700, 30) == pytest.approx(20.01178675, abs=1e-8)
    assert effective_games(case("2013-05-07"), 1700, 30) == pytest.approx(26.726124, abs=1e-6)
    assert effective_games(case("2013-05-08"), 1700, 30) == pytest.approx(20.01178675, abs=1e-8)
    assert effective_games(case(), 2355, 99) == pytest.approx(49.98919, abs=1e-5)
    assert effective_games(case(), 2355.01, None) == 50.0
    assert effective_games(case(), 1700, 12) == 12.0


@pytest.mark.parametrize(
    ("effective", "games", "full", "half"),
    [
        (6, 4, 80, 50),
        (6, 6, 66.67, 44.44),
        (6, 10, 50, 36.36),
        (20, 4, 33.33, 18.18),
        (20, 6, 30.77, 17.39),
        (20, 10, 26.67, 16),
        (50, 4, 14.81, 7.69),
        (50, 6, 14.29, 7.547),
        (50, 10, 13.33, 7.27),
    ],
)
def test_k_tables(effective: float, games: int, full: float, half: float) -> None:
    """2025 text §4.2 and rules history §8: the tables of K and of half K."""
    assert k_factor(case(), 1500, effective, games) == pytest.approx(full, abs=0.005)
    assert k_factor(case("2004-01-01", half_k=True), 1500, effective, games) == pytest.approx(half, abs=0.005)


def test_smaller_k_over_2200() -> None:
    """2025 text §4.2, readings 56-58: 800, 600, 400, 200; Regular and dual only, from May 2013."""
    dual = case(dual=True)
    scaled = [k_factor(dual, rating, 46, 4) * 50 for rating in (2200, 2300, 2400, 2500, 2700)]
    assert scaled == pytest.approx([800, 600, 400, 200, 200])
    for other in (case(), case(system="OTBQ", dual=True), case("2013-05-07", dual=True)):
        assert k_factor(other, 2400, 46, 4) * 50 == pytest.approx(800)
    strong = [player(1, ["W2"], 2400, 200), player(2, ["L1"], 2400, 200)]
    assert rate(strong, time_control="G/60;d5")[1]["k"] == pytest.approx(400 / 51)
    assert rate(strong, time_control="G/60;d5", systems=["OTBR"])[1]["k"] == pytest.approx(400 / 51)
    assert rate(strong, time_control="G/61;d5")[1]["k"] == pytest.approx(800 / 51)
    assert rate(strong, time_control=["G/60;d5", "G/90;d5"])[1]["k"] == pytest.approx(800 / 51)
    assert rate(strong, time_control=None, systems=["OTBR", "OTBQ"])[1]["k"] == pytest.approx(800 / 51)


def test_floor_examples() -> None:
    """2025 text §5: the absolute floor 124; peaks of 1941, 1999.51 and 1388."""
    counts = {"wins": 3, "draws": 1, "losses": 30, "events": 10}
    loser = player(1, ["L2"], 125.0, 40, record=counts)
    rated = rate([loser, player(2, ["W1"], 100.0, 40)])
    assert rated[1]["post"] == 124
    assert rated[1]["floor"] == {"name": "personal", "level": 124}
    assert [hundreds_below(peak) for peak in (1941, 1999.51, 1388, 2400)] == [1700, 1800, 1100, 2100]


def test_special_example() -> None:
    """Rules history §14: 1500 on 6 games, 1400 win, 1550 loss, 1650 draw gives 13600/9 = 1511.11."""
    opponents = [Fraction(1400), Fraction(1550), Fraction(1650)]
    result = special_rating_exact(Fraction(1500), Fraction(6), "mixed", Fraction(3, 2), opponents)
    assert result == Fraction(13600, 9)
    fixed = [player(2, ["L1"], 1400), player(3, ["W1"], 1550), player(4, ["D1"], 1650)]
    one = rate([player(1, ["W2", "L3", "D4"], 1500, 6), *fixed])[1]
    assert (one["formula"], one["k"], one["expected"], one["bonus"]) == ("special", None, None, None)


def test_expectancy_examples() -> None:
    """Readings Part 1: 2000 against 1800, and the four expectations that add up to 2."""
    chance = winning_expectancy(2000, 1800)
    assert chance == pytest.approx(0.759747, abs=1e-6)
    assert [16 * (points - chance) for points in (1, 0.5, 0)] == pytest.approx(
        [3.844049, -4.155951, -12.155951], abs=1e-5
    )
    four = [winning_expectancy(1500, opponent) for opponent in (1600, 1550, 1450, 1400)]
    assert four == pytest.approx([0.359935, 0.428537, 0.571463, 0.640065], abs=1e-6)
    assert standard_rating(1500, 24, 2.5, [1600, 1550, 1450, 1400], None).rating == pytest.approx(1512)


def test_round_robin_reference() -> None:
    """Readings Part 1: the round robin of a, b, c and an unrated adult d."""
    players = [
        player(1, ["W2", "D3", "W4"], 1850, 120),
        player(2, ["L1", "L4", "L3"], 1700, 30),
        player(3, ["L4", "D1", "W2"], 1500, 12),
        player(4, ["W3", "W2", "L1"], adult=True),
    ]
    members = read_members({"players": players})
    priors = step_1(case(), members)
    third = step_3(members, priors)
    fourth = step_4(case(), members, priors, step_2(case(), priors), third)
    assert list(third.values()) == [1850, 1700, 1500, 1687.5]
    assert list(fourth.values()) == pytest.approx([1855.894126, 1645.268288, 1574.768392, 1816.666667], abs=1e-6)
    rated = rate(players, type="round_robin")
    posts = [rated[number]["post"] for number in (1, 2, 3, 4)]
    assert posts == pytest.approx([1860.750324, 1654.787342, 1580.735741, 1825.310269], abs=1e-6)
    assert [rated[number]["games_after"] for number in (1, 2, 3, 4)] == [123, 33, 15, 3]
    assert rated[4]["initial"] == {"rating": 1300.0, "games": 0}
    assert [rated[number]["rounded"] for number in (1, 2, 3, 4)] == [1861, 1655, 1581, 1825]


@pytest.mark.parametrize(
    ("on", "multiplier", "rating"),
    [
        ("2008-06-06", 6, 1843.3377),
        ("2012-08-03", 8, 1839.3377),
        ("2014-03-20", 10, 1835.3377),
        ("2015-06-01", 12, 1831.3377),
        ("2017-06-01", 14, 1827.3377),
    ],
)
def test_bonus_reference(on: str, multiplier: float, rating: float) -> None:
    """Readings Part 1: 1700 on 30 games, 4/4 against fixed opponents, under five values of B."""
    assert bonus_multiplier(date.fromisoformat(on)) == multiplier
    k = k_factor(case(), 1700, effective_games(case(), 1700, 30), 4)
    done = standard_rating(1700, k, 4, [1600, 1750, 1800, 1900], multiplier)
    assert (k, done.expected) == pytest.approx((33.316971, 1.668790), abs=1e-6)
    assert k * (4 - done.expected) == pytest.approx(77.668857, abs=1e-6)
    assert done.rating == pytest.approx(rating, abs=5e-5)


def test_bonus_dates() -> None:
    """Rules history §1: B on the eve of each change and on the day."""
    days = ("2001-01-01", "2008-06-05", "2012-08-02", "2014-03-19", "2015-05-31", "2017-05-31", "2023-01-31")
    assert [bonus_multiplier(date.fromisoformat(day)) for day in days] == [10, 10, 6, 8, 10, 12, 14]
    assert [bonus_multiplier(date.fromisoformat(day)) for day in ("2023-02-01", "2024-12-31")] == [12, 12]
    assert bonus_multiplier(date(2025, 1, 1)) == 10


# The special formula


def iterated(prior: float, effective: float, past: str, score: float, opponents: list[float]) -> float:
    """Follow the document's own iteration from R0', with the slack of readings 47 (2025 text §4.1)."""
    centre = prior + {"wins": -400, "losses": 400, "mixed": 0}[past]
    target = score + {"wins": effective, "losses": 0, "mixed": effective / 2}[past]

    def f(rating: float) -> float:
        """Give the surplus of expected over attained score (2025 text §4.1)."""

        def pwe(opponent: float) -> float:
            """Give PWe(R, Ri) (2025 text §4.1)."""
            return min(1.0, max(0.0, 0.5 + (rating - opponent) / 800))

        return effective * pwe(centre) + sum(pwe(opponent) for opponent in opponents) - target

    knots = sorted({value + shift for value in [centre, *opponents] for shift in (-400, 400)})
    m = centre
    while abs(f(m)) > 1e-7:
        down = f(m) > 0
        knot = max(z for z in knots if z < m) if down else min(z for z in knots if z > m)
        if abs(f(m) - f(knot)) < 1e-7:
            m = knot
            continue
        step = m - f(m) * (m - knot) / (f(m) - f(knot))
        m = max(step, knot) if down else min(step, knot)
    return min(m, 2700.0)


def test_special_agrees_with_the_iteration() -> None:
    """2025 text §4.1, readings 46-49: the exact zero set and the printed iteration give one answer."""
    dice = random.Random(4)
    for _ in range(1500):
        prior = dice.choice([float(dice.randint(100, 2800)), dice.uniform(100, 2800)])
        opponents = [float(dice.randint(100, 2800)) for _ in range(dice.randint(1, 7))]
        effective = dice.choice([0.0, 1.0, float(dice.randint(1, 8)), dice.uniform(1, 20)])
        past = dice.choice(["mixed", "wins", "losses"]) if effective else "mixed"
        score = dice.randint(0, 2 * len(opponents)) / 2
        exact = special_rating_exact(
            Fraction(prior), Fraction(effective), past, Fraction(score), [Fraction(o) for o in opponents]
        )
        assert float(exact) == pytest.approx(iterated(prior, effective, past, score, opponents), abs=1e-6)


@pytest.mark.parametrize(
    ("prior", "score", "opponents", "expected"),
    [
        ("1300", 4, ["500"] * 4, "1300"),  # readings 46
        ("228.8", 1, ["745.4", "1916"], "1145.4"),  # readings 47
        ("1300", 2, ["1500", "1200"], "1900"),  # readings 49: best opponent + 400
        ("1300", 0, ["1500", "1200"], "800"),  # readings 49: weakest opponent - 400
        ("1300", 3, ["2400"] * 3, "2700"),  # readings 52
    ],
)
def test_special_without_effective_games(prior: str, score: int, opponents: list[str], expected: str) -> None:
    """2025 text §4.1 with N' = 0."""
    result = special_rating_exact(
        Fraction(prior), Fraction(0), "mixed", Fraction(score), [Fraction(o) for o in opponents]
    )
    assert result == Fraction(expected)


def test_all_wins_and_all_losses() -> None:
    """2025 text §4.1, readings 38, 39, 93: the past counts only if wins or losses equal N."""
    second = player(2, ["L1"], 1500, 50)
    winner = {"wins": 30, "losses": 0}
    won = rate([player(1, ["W2"], 1500, 30, record=winner), second])[1]
    opponent = 1500 - k_factor(case(), 1500, effective_games(case(), 1500, 50), 1) / 2
    assert (won["formula"], won["post"]) == ("special", pytest.approx(opponent + 400))
    assert rate([player(1, ["W2"], 1500, 31, record=winner), second])[1]["formula"] == "standard"
    assert rate([player(1, ["W2"], 1500, None, record=winner), second])[1]["formula"] == "standard"
    assert rate([player(1, ["W2"], 1500, 30), second])[1]["formula"] == "standard"
    lost = rate([player(1, ["L2"], 900, 30, record={"losses": 30}), player(2, ["W1"], 1500, 50)])[1]
    assert (lost["formula"], lost["post"]) == ("special", 900)

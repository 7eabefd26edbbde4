"""The parts of a back-test on numbers small enough for a pencil, and intervals on data whose truth is known."""

import math
from datetime import date
from typing import Any

import numpy as np
import pytest

from crosstable.history.kernel.arrays import SECTION
from crosstable.lab.drawing import (
    Cells,
    Clusters,
    Draws,
    Estimate,
    Table,
    clusters_of,
    drawn_table,
    estimates,
    replicated,
    totals,
    weighted_sums,
    weights_of,
)
from crosstable.lab.effects import (
    Waiting,
    clocks_of,
    cohort_table,
    cohorts_from,
    points_from,
    points_table,
    showing_of,
    time_rises,
)
from crosstable.lab.measures import (
    AGES,
    BINS,
    COLUMNS,
    ERA_NAMES,
    GAMES,
    Arena,
    Grouping,
    bands,
    era_of,
    measures_of,
    of_age,
    of_games,
    of_rating,
    of_status,
    table_of,
)
from crosstable.lab.predictions import (
    Brought,
    Floats,
    Games,
    Losses,
    People,
    brier,
    deviance,
    lay_losses,
    losses_of,
)
from tests.amounts import amount

NOBODY = np.zeros(0)
HISTORIES = amount(90, 400)


def by_section(games: Games, losses: Losses, ways: list[Grouping], error: Floats, draws: Draws, bins: int = 1) -> Table:
    """A table whose sections are drawn anew, and nobody's games together."""
    section = np.arange(int(games.section.max()) + 1, dtype=np.int32)
    clusters = Clusters(np.zeros(len(error), dtype=np.int32), 1, section, len(section))
    return table_of(Arena(games, ways, clusters, draws), losses, error, bins=bins)


def games_from(section: list[int], one: list[int], other: list[int], score: list[float]) -> Games:
    system = np.zeros(len(one), dtype=np.uint8)
    return Games(
        np.array(section, dtype=np.int32),
        system,
        np.array(one, dtype=np.int32),
        np.array(other, dtype=np.int32),
        np.array(score),
    )


def brought_from(**columns: list[float]) -> Brought:
    """Rows of results of which only some columns matter; the others are what they are without anything special."""
    count = len(next(iter(columns.values())))
    usual = {"bonus": 0.0, "floor_level": -math.inf, "games_after": 40.0, "prior": 0.0, "before": 1.0, "computed": 0.0}
    filled = {name: np.full(count, usual.get(name, 0.0)) for name in Brought._fields}
    return Brought(**{**filled, **{name: np.array(column) for name, column in columns.items()}})


def people_from(section: list[int], member: list[int], age: list[float], strength: list[float]) -> People:
    count = len(section)
    return People(
        np.array(section, dtype=np.uint32),
        np.array(member, dtype=np.int32),
        np.zeros(count, dtype=np.uint8),
        np.array(age),
        np.array(strength),
        np.full(count, 5.0),
    )


@pytest.mark.parametrize(
    ("score", "cost", "square"),
    [
        # By pocket calculator: an expectancy of 0.75 has ln 0.75 = -0.287682, ln 0.25 = -1.386294.
        (1.0, 0.287682, 0.0625),
        (0.0, 1.386294, 0.5625),
        (0.5, 0.836988, 0.0625),
    ],
)
def test_losses_by_hand(score: float, cost: float, square: float) -> None:
    assert deviance(score, 0.75, 0.25) == pytest.approx(cost, abs=5e-7)
    assert brier(score, 0.75) == square


def test_a_sure_prediction_that_comes_true_costs_nothing() -> None:
    assert deviance(1.0, 1.0, 0.0) == 0.0
    assert deviance(0.0, 0.0, 1.0) == 0.0


def test_expectancies_are_those_of_the_document() -> None:
    """§4.2: 400 points are odds of ten to one, equal ratings one half; 200 points 0.7597 by the printed formula."""
    games = games_from([0] * 3, [0, 0, 1], [1, 0, 2], [1.0, 0.5, 0.0])
    found = losses_of(games, np.array([1900.0, 1500.0, 1300.0]))
    assert found.expected == pytest.approx([10 / 11, 0.5, 0.759746926], abs=1e-9)
    assert found.deviance == pytest.approx([-math.log(10 / 11), math.log(2), -math.log(1 - 0.759746926)], abs=1e-8)


def interpreted(function: Any) -> Any:
    """The function as it is written, not compiled."""
    return function.py_func


def test_compiled_sums_have_the_bits_of_the_interpreted_ones() -> None:
    games, rating = null_history(7)
    games = games._replace(score=np.where(np.arange(len(games.one)) % 5 == 0, 0.5, games.score))
    out = np.empty((2, len(games.one)))
    interpreted(lay_losses)(rating, games.one, games.other, games.score, out)
    losses = losses_of(games, rating)
    assert np.stack(losses).tobytes() == out.tobytes()
    each = [interpreted(deviance)(s, e, 1.0 - e) for s, e in zip(games.score, losses.expected, strict=True)]
    assert each == pytest.approx(losses.deviance.tolist(), abs=1e-12)
    assert interpreted(brier)(0.5, 0.75) == 0.0625
    rng = np.random.default_rng(2)
    cells = Cells(np.arange(300) // 2, np.arange(300) % 3, rng.random((300, COLUMNS)), 150)
    weights = np.stack([weights_of(Draws(), replicate, 150) for replicate in range(4)], axis=1)
    sums, again = np.zeros((3, COLUMNS, 4)), np.zeros((3, COLUMNS, 4))
    weighted_sums(weights, cells.cluster, cells.group, cells.sums, sums)
    interpreted(weighted_sums)(weights, cells.cluster, cells.group, cells.sums, again)
    assert sums.tobytes() == again.tobytes()


@pytest.mark.parametrize("of_players", [False, True])
@pytest.mark.parametrize("bins", [1, BINS])
def test_sums_of_groups_and_bins_are_those_of_a_plain_loop(of_players: bool, bins: int) -> None:
    """Each game once, of its favourite, or once for each player; 1e-12 for the order of sums."""
    games, rating = null_history(7)
    games = games._replace(score=np.where(np.arange(len(games.one)) % 5 == 0, 0.5, games.score))
    error, losses = rating - np.round(rating, -2), losses_of(games, rating)
    labels = (rating > 1500.0) if of_players else games.section % 2
    way = Grouping("two", ("low", "high"), labels.astype(np.uint8), of_players=of_players)
    due = np.zeros((2 * bins, 6))
    for at, (expected, *costs) in enumerate(zip(*losses, strict=True)):
        rows, score = (games.one[at], games.other[at]), games.score[at]
        sides = [(expected, score), (1.0 - expected, 1.0 - score)]
        for row, (own, scored) in zip(rows, sides, strict=True) if of_players else [(None, max(sides))]:
            place = min(int((own - way.lowest) / (1.0 - way.lowest) * BINS), BINS - 1) if bins > 1 else 0
            sure = min(max(expected, 0.01), 0.99)
            clipped = -(score * math.log(sure) + (1.0 - score) * math.log(1.0 - sure))
            due[labels[at if row is None else row] * bins + place] += [
                1.0,
                own,
                scored,
                *costs,
                (score - expected) ** 2,
                clipped,
            ]
    found = by_section(games, losses, [way], error, Draws(replicates=1), bins).whole
    assert found[:, :6] == pytest.approx(due[:, : found.shape[1]], rel=1e-12)
    assert found.shape[1] == (COLUMNS if bins == 1 else 3)


def test_a_tie_of_favourites_is_halved() -> None:
    """Nobody is the favourite where one half was expected, whoever stands first: nothing was scored above it."""
    games = games_from([0, 0, 0], [0, 0, 2], [1, 1, 1], [1.0, 1.0, 1.0])
    rating = np.array([1500.0, 1500.0, 1900.0])
    ways = [Grouping("all", ("all",), np.zeros(3, dtype=np.uint8), of_players=False)]
    losses, error = losses_of(games, rating), np.full(3, np.nan)
    (found,) = measures_of(by_section(games, losses, ways, error, Draws(replicates=0)))
    assert found.surplus.value == pytest.approx((1.0 - 10 / 11) / 3)
    bins = by_section(games, losses, ways, error, Draws(replicates=0), BINS).whole
    assert bins[0].tolist() == [2.0, 1.0, 1.0]


def test_the_best_slope_is_that_of_a_search_and_its_deviance_is_the_least() -> None:
    """Results follow the ratings; ratings spread by 1.6 are too sure, and 1 / 1.6 mends them, as does a fine search."""
    games, rating = null_history(3)
    losses = losses_of(games, 1500.0 + 1.6 * (rating - 1500.0))
    ways = [Grouping("two", ("even", "odd"), (games.section % 2).astype(np.uint8), of_players=False)]
    table = by_section(games, losses, ways, np.full(len(rating), np.nan), Draws(replicates=200))
    for at, one in enumerate(measures_of(table)):
        inside = games.section % 2 == at
        logit = np.log(losses.expected / (1.0 - losses.expected))[inside]
        score = games.score[inside]
        tried = np.arange(0.3, 1.0, 0.0005)
        costs = [float(np.mean(np.log1p(np.exp(slope * logit)) - score * slope * logit)) for slope in tried]
        assert one.slope.value == pytest.approx(tried[int(np.argmin(costs))], abs=0.0005)
        assert one.recalibrated.value == pytest.approx(min(costs), abs=1e-7)
        assert one.slope.low < 1.0 / 1.6 < one.slope.high < 1.0
        assert one.recalibrated.high < one.deviance.value


def test_members_and_times_are_drawn_together() -> None:
    """Once more with a plain loop: a game counts once, more or less by how often its players and its time are drawn."""
    rng = np.random.default_rng(5)
    rows = np.array([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]])
    games = games_from([0, 0, 1, 1, 2, 2], rows[:, 0].tolist(), rows[:, 1].tolist(), [1.0, 0.0, 0.5, 1.0, 1.0, 0.0])
    member = [0, 1, 2, 3, 0, 2, 1, -1, 3, 0, 2, -1]
    people = people_from([0] * 4 + [1] * 4 + [2] * 4, member, [30.0] * 12, [1500.0] * 12)
    start = np.array([1000, 1030, 1200], dtype=np.int32)
    clusters = clusters_of(people, start, np.arange(3))
    assert (clusters.people, clusters.blocks, clusters.block.tolist()) == (6, 30, [0, 4, 29])
    ways = [Grouping("all", ("all",), np.zeros(6, dtype=np.uint8), of_players=False)]
    draws, losses = Draws(4, 9), losses_of(games, rng.normal(1500.0, 200.0, 12))
    found = table_of(Arena(games, ways, clusters, draws), losses, np.zeros(12)).drawn[:, 0, 3]
    for replicate in range(9):
        drawn = [weights_of(draws, replicate, count, part) for part, count in enumerate((6, 30))]
        many, often = (
            [math.sqrt(n / (n - 1)) * (w - 1.0) for w in some] for n, some in zip((6, 30), drawn, strict=True)
        )
        due = 0.0
        for at, cost in enumerate(losses.deviance):
            who = [clusters.who[row] for row in rows[at]]
            due += cost * (1.0 + many[who[0]] + many[who[1]] + often[clusters.block[games.section[at]]])
        assert found[replicate] == pytest.approx(due, rel=1e-9)
    alone = Cells(np.zeros(2, int), np.arange(2), np.ones((2, 1)), 1)
    once = drawn_table((alone,), [("a", "b")] * 2, np.ones(2, dtype=np.int64), draws)
    assert np.all(once.drawn == 1.0), "one cluster alone says nothing about others"


def test_compiled_clocks_are_the_interpreted_ones() -> None:
    rng = np.random.default_rng(3)
    member = np.repeat(np.arange(20), 10)
    day, played = np.arange(200.0), np.full(200, 4.0)
    strength = np.sort(rng.normal(1400.0, 250.0, (20, 10)), axis=1).ravel()
    after = strength - 60.0 + rng.normal(0.0, 60.0, 200)
    found = [np.zeros((4, 300)), np.zeros((4, 300))]
    counts = [
        f(member, day, played, strength, after, out)
        for f, out in zip((time_rises, interpreted(time_rises)), found, strict=True)
    ]
    assert counts[0] == counts[1] > 50
    assert found[0].tobytes() == found[1].tobytes()
    assert interpreted(time_rises)(member, day, played, strength, after, np.zeros((4, 3))) == -1


def test_bands_have_their_limits_on_the_upper_side() -> None:
    assert bands(AGES)[:2] == ("under 9", "9 to 11")
    assert bands(AGES)[-1] == "65 and over"
    assert of_age(np.array([8.99, 9.0, 64.9, 65.0, np.nan])).tolist() == [0, 1, 6, 7, 8]
    assert of_rating(np.array([399.49, 399.5, 2199.4, 2200.0])).tolist() == [0, 1, 8, 9]
    rows = brought_from(games_after=[5.0, 13.0, 14.0, 30.0, 31.0, 106.0, 3.0], before=[1.0] * 6 + [math.nan])
    assert GAMES == (9, 26, 101)
    assert of_games(rows, np.full(7, 5.0)).tolist() == [0, 0, 1, 1, 2, 3, 4]
    assert of_status(rows, np.full(7, 5.0)).tolist() == [1, 1, 1, 1, 2, 2, 0]


def test_eras_begin_where_rules_changed_that_move_every_rating() -> None:
    """2025 text §8: the thresholds of 2001 to 2025, the effective games of 2013-05-08, the blend of 2020-06-01."""
    early = ["2001-01-01", "2008-06-06", "2012-08-03", "2013-05-08", "2014-03-20", "2015-06-01"]
    later = ["2017-06-01", "2020-06-01", "2023-02-01", "2025-01-01"]
    assert list(ERA_NAMES) == [f"from {day}" for day in (*early, *later)]
    around = [date(2008, 6, 5), date(2008, 6, 6), date(2026, 1, 1)]
    assert era_of(np.array([day.toordinal() for day in around], dtype=np.int32)).tolist() == [0, 1, 9]


def test_drawn_sums_are_those_of_the_drawn_clusters() -> None:
    """Written once more with a list of drawn clusters instead of weights."""
    cells = Cells(
        np.array([0, 0, 1, 2]), np.array([0, 1, 0, 1]), np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 1.0], [1, 1]]), 3
    )
    draws = Draws(seed=9, replicates=7)
    found = replicated(cells, 2, draws)
    for replicate in range(7):
        rng = np.random.Generator(np.random.PCG64([9, replicate]))
        drawn = rng.integers(0, 3, 3).tolist()
        expected = np.zeros((2, 2))
        for cluster in drawn:
            for at, name in enumerate((0, 0, 1, 2)):
                if name == cluster:
                    expected[cells.group[at]] += cells.sums[at]
        assert found[replicate].tolist() == expected.tolist()
        assert weights_of(draws, replicate, 3).tolist() == [drawn.count(one) for one in range(3)]
    assert totals(cells, 2).tolist() == [[5.0, 6.0], [3.0, 4.0]]
    nothing = Cells(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 2)), 0)
    assert replicated(nothing, 2, draws).sum() == 0.0


def test_an_interval_leaves_a_fortieth_of_the_draws_on_each_side() -> None:
    drawn = np.arange(1001.0)[:, None]
    (found,) = estimates(np.array([500.0]), drawn, np.array([30]))
    assert found == pytest.approx(Estimate(500.0, 25.0, 975.0), abs=1e-9)
    assert str(found) == "500.0000 [25.0000, 975.0000]"
    (few,) = estimates(np.array([500.0]), drawn, np.array([29]))
    assert math.isnan(few.low)
    assert str(few) == "500.0000"


def test_an_end_among_times_that_were_never_seen_is_infinite() -> None:
    """Of a thousand draws 30 are infinite, then 980: leaving them out would make the interval too short."""
    times = np.arange(1001.0)
    some, most = (np.where(times > limit, np.inf, times)[:, None] for limit in (970.0, 20.0))
    assert estimates(np.array([500.0]), some, np.array([30])) == [Estimate(500.0, 25.0, math.inf)]
    assert estimates(np.array([math.inf]), most, np.array([30])) == [Estimate(math.inf, math.inf, math.inf)]
    unknown = np.where(times > 900.0, np.nan, times)[:, None]
    (left,) = estimates(np.array([450.0]), unknown, np.array([30]))
    assert left == pytest.approx(Estimate(450.0, 22.5, 877.5))


def null_history(seed: int) -> tuple[Games, Floats]:
    """Sections whose results are drawn by the expectancies of their players' ratings, and those ratings.

    They are of four to forty players, most small, and their games hang together: in each a fifth of the games are
    decided by one and the same number, so that favourites do well or badly there, each still with their expectancy.
    """
    rng = np.random.default_rng(seed)
    sections = 150
    size = np.clip(np.rint(rng.lognormal(2.4, 0.5, sections)), 4, 40).astype(np.int64)
    first = np.cumsum(size) - size
    rating = np.repeat(rng.normal(1500.0, 300.0, sections), size) + rng.normal(0.0, 200.0, int(size.sum()))
    section = np.repeat(np.arange(sections), 2 * size)
    one = rng.integers(0, size[section])
    other = first[section] + (one + rng.integers(1, size[section])) % size[section]
    one = first[section] + one
    one, other = np.where(rating[one] >= rating[other], (one, other), (other, one))
    expected = 1.0 / (1.0 + 10.0 ** ((rating[other] - rating[one]) / 400.0))
    luck = np.where(rng.random(len(section)) < 0.2, rng.random(sections)[section], rng.random(len(section)))
    score = (luck < expected).astype(np.float64)
    return games_from(section.tolist(), one.tolist(), other.tolist(), score.tolist()), rating


def is_as_promised(covered: int) -> bool:
    """Whether so many of the 95 % intervals lie within three standard deviations of a binomial of 0.95."""
    return abs(covered - 0.95 * HISTORIES) <= 3.0 * math.sqrt(0.95 * 0.05 * HISTORIES)


def test_intervals_cover_a_known_truth_as_often_as_they_promise() -> None:
    """Results follow the expectancies, so what is scored above them is 0 in truth, for favourites and for the weaker.

    How often 95 % intervals should cover it: see ``is_as_promised``.
    """
    covered = {"all": 0, "weak": 0}
    for seed in range(HISTORIES):
        games, rating = null_history(seed)
        ways = [
            Grouping("all", ("all",), np.zeros(len(games.one), dtype=np.uint8), of_players=False),
            Grouping("side", ("strong", "weak"), (rating < 1400.0).astype(np.uint8), of_players=True),
        ]
        error = np.full(len(rating), np.nan)
        table = by_section(games, losses_of(games, rating), ways, error, Draws(seed, 300))
        for one in measures_of(table):
            if one.group in covered:
                covered[one.group] += one.surplus.low <= 0.0 <= one.surplus.high
    assert all(is_as_promised(count) for count in covered.values()), covered


def test_paired_intervals_cover_a_known_difference_as_often_as_they_promise() -> None:
    """Two who know the ratings up to errors of their own of the same size predict equally well: the difference is 0.

    Every second player of a section is misjudged by the same amount, beside an error of their own.
    How often 95 % intervals should cover it: see ``is_as_promised``.
    """
    covered = {"deviance": 0, "brier": 0}
    for seed in range(HISTORIES):
        games, rating = null_history(seed)
        rng = np.random.default_rng([seed, 1])
        ways = [Grouping("all", ("all",), np.zeros(len(games.one), dtype=np.uint8), of_players=False)]
        error = np.full(len(rating), np.nan)
        section = np.zeros(len(rating), dtype=np.int64)
        section[games.one], section[games.other] = games.section, games.section
        shared = [rng.normal(0.0, 60.0, section.max() + 1)[section] * (np.arange(len(rating)) % 2) for _ in range(2)]
        guesses = (rating + rng.normal(0.0, 60.0, len(rating)) + one for one in shared)
        one, other = (by_section(games, losses_of(games, guess), ways, error, Draws(seed, 300)) for guess in guesses)
        (found,) = measures_of(one, other)
        for metric in covered:
            low, high = getattr(found, metric)[1:]
            covered[metric] += low <= 0.0 <= high
    assert all(is_as_promised(count) for count in covered.values()), covered


def test_errors_are_ratings_less_strengths_and_nothing_where_no_truth_is() -> None:
    games = games_from([0], [0], [1], [1.0])
    rating, way = np.array([1500.0, 1400.0]), Grouping("all", ("all",), np.zeros(1, dtype=np.uint8), of_players=False)
    for strength, *due in (
        ((1520.0, 1400.0), -10.0, 10.0, math.sqrt(200.0), 20.0),
        ((math.nan, math.nan), *[math.nan] * 4),
    ):
        error = rating - np.array(strength)
        (found,) = measures_of(by_section(games, losses_of(games, rating), [way], error, Draws(replicates=1)))
        errors = [one.value for one in (found.bias, found.spread, found.rms, found.gap)]
        assert errors == pytest.approx(due, nan_ok=True)


def sections_ending(*days: date, kind: int = 0) -> np.ndarray:
    table = np.zeros(len(days) + 1, dtype=SECTION)
    table["start"][:-1] = table["end"][:-1] = [day.toordinal() for day in days]
    table["kind"] = kind
    return table


def test_cohorts_are_the_same_established_players_at_the_ends_of_two_years() -> None:
    """By hand: 2001 has one player with +20, 2002 two with -10 and +40.

    Member 0, 30 years old: 1500, then 1520, then 1510. Member 1, of the same age, plays in 2001 and 2003 only; member
    2 is provisional in 2001.
    """
    days = [date(2001, 3, 1), date(2001, 9, 1), date(2002, 3, 1), date(2003, 3, 1)]
    sections = sections_ending(*days)
    rows = [
        (0, 0, 1490.0, 40.0),
        (1, 0, 1500.0, 45.0),
        (2, 0, 1520.0, 50.0),
        (3, 0, 1510.0, 55.0),
        (1, 1, 1700.0, 90.0),
        (3, 1, 1800.0, 95.0),
        (1, 2, 1000.0, 20.0),
        (2, 2, 1100.0, 26.0),
        (3, 2, 1140.0, 30.0),
    ]
    people = people_from([r[0] for r in rows], [r[1] for r in rows], [30.0] * 9, [1000.0 + r[0] for r in rows])
    brought = brought_from(after=[r[2] for r in rows], games_after=[r[3] for r in rows])
    found = cohorts_from(
        cohort_table(people, brought, sections["end"][:-1], np.ones(9, dtype=np.bool_), Draws(replicates=5))
    )
    assert [(one.age, one.year, one.players, one.change.value, one.added_up.value) for one in found] == [
        ("25 to 49", 2001, 1, 20.0, 20.0),
        ("25 to 49", 2002, 2, 15.0, 35.0),
    ]
    assert [(one.true_change, one.true_added_up) for one in found] == [(1.0, 1.0), (1.0, 2.0)]
    nothing = cohorts_from(
        cohort_table(people, brought, sections["end"][:-1], np.zeros(9, dtype=np.bool_), Draws(replicates=5))
    )
    assert nothing == []


def test_points_of_bonus_and_floors_by_hand() -> None:
    """A bonus of 12, one lifted from 1480 to a floor of 1500, one not rated, one in a match at a floor."""
    sections = sections_ending(date(2010, 1, 1), date(2020, 1, 1))
    sections["kind"][1] = 2
    people = people_from([0, 0, 0, 1], [0, 1, 2, 3], [30.0] * 4, [math.nan] * 4)
    brought = brought_from(
        prior=[1600.0, 1510.0, 1500.0, 1600.0],
        after=[1640.0, 1500.0, math.nan, 1600.0],
        computed=[1640.0, 1480.0, 0.0, 1500.0],
        bonus=[12.0, math.nan, 0.0, 0.0],
        floor_level=[-math.inf, 1500.0, 0.0, 1600.0],
    )
    drawn = (clusters_of(people, sections["start"][:-1], np.arange(2)), Draws(replicates=5))
    found = points_from(points_table(people, brought, sections, np.ones(4, dtype=np.bool_), drawn))
    assert [
        (one.group, one.ratings, one.bonus_earners, one.bonus_points, one.floored, one.floor_points) for one in found
    ] == [
        ("all", 3, 1, 12.0, 1, 20.0),
        ("from 2008-06-06", 2, 1, 12.0, 1, 20.0),
        ("from 2017-06-01", 1, 0, 0.0, 0, 0.0),
        ("OTBR", 3, 1, 12.0, 1, 20.0),
    ]
    assert found[0].change_a_rating.value == pytest.approx((40.0 - 10.0 + 0.0) / 3)


def test_the_median_of_kaplan_and_meier_is_that_of_the_textbook_example() -> None:
    """Remission times of the 6-MP trial (Freireich and others 1963), + for those who left: medians 23 and 8 weeks."""
    treated = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
    placebo = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"
    for texts, median in ((treated, 23.0), (placebo, 8.0)):
        time = np.array([float(text.rstrip("+")) for text in texts.split()])
        seen = np.array([not text.endswith("+") for text in texts.split()])
        assert Waiting(time, seen).median(np.ones(len(time))) == median
    assert Waiting(np.array([3.0]), np.array([False])).median(np.ones(1)) == math.inf
    assert Waiting(NOBODY, NOBODY.astype(np.bool_)).median(NOBODY) == math.inf


def test_clocks_start_with_a_hundred_passed_and_stop_when_the_rating_passes_it() -> None:
    """By hand, five games a section.

    Member 0 rises past 1100 in the second section, and the rating follows in the third: 20 days, ten games. Member 1
    rises past 1200 and 1300 at once; the rating was 1250 before and ends at 1290, so the first shows at once and the
    second is not seen. Member 2 never rises.
    """
    days = [date(2020, 1, 1), date(2020, 1, 11), date(2020, 1, 31)]
    sections = sections_ending(*days)
    people = people_from(
        [0, 1, 2] * 3, [0] * 3 + [1] * 3 + [2] * 3, [30.0] * 9, [1050, 1100, 1100, 1150, 1301, 1301, 1500, 1500, 1499.0]
    )
    after = [1000.0, 1090.0, 1104.0, 1250.0, 1280.0, 1290.0, 1400.0, 1600.0, 1700.0]
    every = np.ones(9, dtype=np.bool_)
    clocks = clocks_of(people, brought_from(after=after), sections["end"][:-1], every)
    assert clocks.member.tolist() == [0, 1, 1]
    assert clocks.days.tolist() == [20.0, 0.0, 20.0]
    assert clocks.games.tolist() == [10.0, 0.0, 10.0]
    assert clocks.is_shown.tolist() == [True, True, False]
    showing = showing_of(clocks, Draws(replicates=5))
    assert (showing.rises, showing.shown, showing.median_days.value) == (3, 2, 20.0)
    nobody = clocks_of(people, brought_from(after=after), sections["end"][:-1], ~every)
    assert showing_of(nobody, Draws(replicates=5)).median_games.value == math.inf


def test_many_hundreds_at_once_find_room() -> None:
    people = people_from([0, 1], [0, 0], [30.0] * 2, [100.0, 2800.0])
    sections = sections_ending(date(2020, 1, 1), date(2020, 1, 11))
    clocks = clocks_of(people, brought_from(after=[100.0, 450.0]), sections["end"][:-1], np.ones(2, dtype=np.bool_))
    assert len(clocks.member) == 27
    assert int(clocks.is_shown.sum()) == 3

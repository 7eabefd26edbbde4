"""Targets: what they are by hand, the two halves, and how far a federation is from them."""

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crosstable.cli import main
from crosstable.history.archive import write
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.lab.targets import (
    HALVES,
    Distance,
    Seen,
    Target,
    Weighed,
    as_years,
    distances_text,
    figures_of,
    half_of,
    lists_of,
    official,
    only_half,
    packaged,
    seen_archive,
    slope_and_deviance,
)
from tests.documents import valid

SMALL = Federation(members=150, sections=60, years=3, seed=1)._replace(founders=0.6)


@pytest.fixture(scope="module")
def seen() -> Seen:
    return seen_archive(simulate(SMALL), 1)


def value_of(found: dict[tuple[str, str], float], words: str) -> float:
    return next(value for (group, name), value in found.items() if words in f"{group}: {name}")


def test_figures_by_hand(seen: Seen) -> None:
    """The same figures from the tables row by row; every row counts once."""
    weights = [np.ones(table.height) for table in seen]
    rows = seen.rows.to_dicts()
    tables = as_years(seen, dict(seen.rows["year"].value_counts().iter_rows()))
    assert tables[0].weight == pytest.approx(weights[0])
    found = {(group, name): value for group, name, value, _ in figures_of(tables)}
    first = sorted(row["after"] for row in rows if row["before"] is None)
    assert value_of(found, "first rating: 50 %") == first[math.ceil(len(first) / 2) - 1]
    band = [row for row in rows if row["before"] is not None and row["is_settled"] and 1600 <= row["before"] < 1800]
    changes = [row["after"] - row["before"] for row in band]
    assert value_of(found, "an event, established: 1600 to 1799") == pytest.approx(sum(changes) / len(changes))
    assert math.isnan(value_of(found, "years or more apart"))
    assert math.isnan(value_of(found, "bonus points a rating: 2015"))


def test_a_year_between_two_rows(seen: Seen) -> None:
    """Every pair, found anew: an established row and the member's first rated row 300 to 430 days later."""
    rows = [row for row in seen.rows.to_dicts() if row["before"] is not None]
    expected = []
    for row in rows:
        later = [one for one in rows if one["member"] == row["member"] and 300 <= one["day"] - row["day"] <= 430]
        if row["is_settled"] and later:
            one = min(later, key=lambda one: one["day"])
            expected.append((one["before"] - row["before"]) / (one["day"] - row["day"]) * 365.25)
    assert expected
    assert len(expected) == seen.pairs.height
    same_day = [one for one in expected if any(abs(one - two) < 1e-6 for two in seen.pairs["change"])]
    assert len(same_day) >= 0.9 * len(expected)  # of two sections of one day either may be the first


def test_lists_by_hand() -> None:
    """Three played in the year before the list's day; one of them is at 2230."""
    day = (np.datetime64("2011-04-30") - np.datetime64("1970-01-01")).astype(int)
    rows = pl.DataFrame(
        {
            "member": [1, 1, 2, 3, 4],
            "day": [day - 300, day - 10, day - 20, day - 364, day - 800],
            "after": [2100.0, 2230.0, 1500.0, 900.0, 2500.0],
            "after_games": [30.0, 34.0, 20.0, 8.0, 50.0],
            "age": [30.0, 30.0, 12.0, None, 40.0],
            "played": [4.0, 4.0, 5.0, 3.0, 6.0],
        }
    )
    found = {(group, name): value for group, name, value, _ in lists_of(rows)}
    assert value_of(found, "2230 and over, 2011") == pytest.approx(100.0 / 3.0)
    assert value_of(found, "2093 and over, 2011") == pytest.approx(100.0 / 3.0)
    assert value_of(found, "under 21, 2011") == pytest.approx(50.0)
    assert value_of(found, "games a year, 2011") == pytest.approx((8.0 + 5.0 + 3.0) / 3.0)
    assert value_of(found, "established, 2014") == pytest.approx(50.0)
    assert math.isnan(value_of(found, "2200 and over, 2004"))


def test_the_slope_of_games_that_follow_half_of_every_difference() -> None:
    difference = np.repeat([100.0, 300.0, 500.0], 1000)
    expected = 1.0 / (1.0 + 10.0 ** (0.5 * difference / 400.0))
    games = Weighed({"difference": difference, "low_score": expected}, np.ones(len(difference)))
    slope, cost = slope_and_deviance(games)
    assert slope == pytest.approx(0.5)
    whole = 1.0 / (1.0 + 10.0 ** (difference / 400.0))
    assert cost == pytest.approx(float(-np.mean(expected * np.log(whole) + (1.0 - expected) * np.log(1.0 - whole))))


def test_halves_have_all_events_once(seen: Seen) -> None:
    first, second = only_half(seen, 0), only_half(seen, 1)
    assert first.rows.height + second.rows.height == seen.rows.height
    assert {half_of(event) for event in second.games["event"]} == {1}


def test_errors_come_from_drawing_events(seen: Seen) -> None:
    """The error of a mean is near that of independent events: the deviation of their sums over their number."""
    found = next(one for one in official(seen, 200) if one.name == "deviance")
    assert 0.0 < found.error < 0.1
    assert found.seen == seen.games.height


def test_the_packaged_figures_are_whole() -> None:
    """Both halves have the same targets; half of the unrated had 610 or less after their first section (all pages)."""
    fitted, judged = (packaged(half) for half in HALVES)
    assert [one[:2] for one in fitted.targets] == [one[:2] for one in judged.targets]
    assert len(fitted.targets) >= 20
    medians = sorted(half.targets[1].value for half in (fitted, judged))
    assert medians[0] < 610.0 < medians[1]
    assert all(one.error > 0.0 for half in (fitted, judged) for one in half.targets)
    assert all(one.source or one.seen for one in fitted.targets)
    assert sum(fitted.years.values()) + sum(judged.years.values()) == 14752


def test_near_is_two_errors_or_five_percent() -> None:
    target = Target("group", "name", 100.0, 1.0, 10)
    assert target.is_near(105.0)
    assert not target.is_near(105.1)
    assert target._replace(error=4.0).is_near(108.0)
    text = distances_text([Distance(target, 105.0, math.nan), Distance(target, 90.0, math.nan)])
    assert text.splitlines()[-2].endswith("-10.0  *")
    assert text.splitlines()[-1].startswith("1 of 2 within 2 standard errors or 5 %")


def test_a_federation_is_compared_with_every_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(simulate(SMALL), str(tmp_path / "made"))
    assert main(["lab", "compare", str(tmp_path / "made"), "--threads", "1", "--json", "--seeds", "2"]) == 0
    found = valid(json.loads(capsys.readouterr().out))
    assert (found["half"], found["federations"]) == ("judged", 2)
    assert [one["official"] for one in found["targets"]] == [one.value for one in packaged("judged").targets]
    assert found["near"] == sum(one["is_near"] for one in found["targets"])
    assert main(["lab", "compare", str(tmp_path / "made"), "--threads", "1", "--fitted-half"]) == 0
    assert " of 32 within 2 standard errors" in capsys.readouterr().out

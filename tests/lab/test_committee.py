"""The committee's report: what is said of figures, and a whole run on small federations."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from crosstable.cli import main
from crosstable.lab.committee import FIGURES, TOPICS, Answer, Committee, Moved, Size, committee, committee_document
from crosstable.lab.committee_page import page
from crosstable.lab.drawing import Estimate
from crosstable.lab.known_systems import other_system
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import OFFICIAL
from tests.documents import valid

NOTHING = Estimate(0.0, 0.0, 0.0)


def answer(*ends: tuple[float, float]) -> Answer:
    moved = [
        Moved(f"f{at}", NOTHING, NOTHING, Estimate((low + high) / 2, low, high)) for at, (low, high) in enumerate(ends)
    ]
    return Answer(FIGURES[0], tuple(moved))


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([(1.0, 2.0), (0.5, 3.0)], "rises"),
        ([(-2.0, -1.0), (-3.0, -0.5)], "falls"),
        ([(-2.0, -1.0), (1.0, 2.0)], "rises in some federations, falls in others"),
        ([(-2.0, -1.0), (-1.0, 2.0)], "falls in 1 of 2 federations, of the others it cannot be told"),
        ([(-1.0, 2.0), (1.0, 2.0), (1.0, 2.0)], "rises in 2 of 3 federations, of the others it cannot be told"),
        ([(-1.0, 2.0), (-1.0, 1.0)], "cannot be told"),
        ([(0.0, 0.0), (0.0, 0.0)], "does not change"),
        ([(math.nan, math.nan)], "cannot be told"),
    ],
)
def test_what_is_said_of_intervals(ends: list[tuple[float, float]], said: str) -> None:
    assert answer(*ends).verdict == said


@pytest.fixture(scope="module")
def found() -> Committee:
    """No floors, in two small federations of one kind and two of another."""
    rules = rule_set(name="No floors", personal_floor_is_used=False, peak_drop=4000.0, money_prize=1e9)
    return committee(rules, OFFICIAL, ("quick-growth", "long-growth"), Size(150, 3))


def test_without_floors_none_creates_points(found: Committee) -> None:
    by_name = {one.figure.name: one for one in found.answers}
    held = by_name["points that floors create, a rating"]
    assert all(one.now.value > one.then.value for one in held.moved)
    assert {one.figure.topic for one in found.answers} == set(TOPICS)
    bonus = by_name["bonus points, a rating"].moved[0]
    assert bonus.difference.value == pytest.approx(bonus.then.value - bonus.now.value)


def test_the_same_rules_move_nothing() -> None:
    again = committee(OFFICIAL, OFFICIAL, ("long-growth",), Size(150, 3))
    known = [one for one in again.answers if np.isfinite(one.moved[0].difference.low)]
    assert known
    assert {one.verdict for one in known} == {"does not change"}


def test_the_report_as_text_json_and_page(found: Committee) -> None:
    text = str(found)
    assert text.startswith("No floors instead of official: 3 simulated federations of 150 members of each kind")
    assert all(words in text for words in TOPICS.values())
    document = valid(json.loads(json.dumps(committee_document(found))))
    assert [one["topic"] for one in document["figures"]] == [one.topic for one in FIGURES]
    assert document["seeds"] == [1, 2, 3]
    shown = page(found)
    assert "crosstable lab committee --rules no-floors.toml --federation quick-growth" in shown
    assert "peak_drop = 4000" in shown


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = ("--members", "150", "--seeds", "3", "--federation", "long-growth", "--threads", "1")
    target = tmp_path / "page.html"
    asked = ("--change", "bonus_threshold=14", "--now", "bonus_threshold=10", "--out", str(target))
    assert main(["lab", "committee", *asked, *size, "--json"]) == 0
    document = valid(json.loads(capsys.readouterr().out))
    assert document["rules"]["changes"] == {"bonus_threshold": 14}
    assert document["against"]["changes"] == {"bonus_threshold": 10}
    assert "<!doctype html>" in target.read_text("utf-8")


def test_a_largest_k_is_asked_for_by_systems() -> None:
    """Ratings move less with a K of at most 10; floors and bonus are not told of systems."""
    capped, plain = (other_system(f"standard:{words}same_starts=1") for words in ("k_cap=10,", ""))
    found = committee(capped, plain, ("long-growth",), Size(150, 3))
    by_name = {one.figure.name: one.moved[0] for one in found.answers}
    assert by_name["deviance, no unrated player"].difference.value != 0.0
    assert math.isnan(by_name["bonus points, a rating"].now.value)
    assert math.isnan(by_name["ratings held by a floor, %"].now.value)
    assert valid(json.loads(json.dumps(committee_document(found))))["rules"]["system"] == "standard"
    assert "--rules standard:same_starts=1,k_cap=10 --against standard:same_starts=1" in page(found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--rules", "elo", "--change", "k=3"), "elo is no rule set; write its parameters after it"),
        ((), "both rule sets are the same; give --rules FILE or --change NAME=VALUE"),
        (("--change", "bonus_threshold"), "'bonus_threshold' changes nothing; write it as NAME=VALUE"),
        (("--change", "bonus_threshold=a lot"), "'bonus_threshold=a lot' changes nothing"),
        (("--change", "bonus_treshold=14"), "bonus_threshold"),
    ],
)
def test_what_cannot_be_asked(given: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "committee", *given]) in (1, 2)
    assert said in capsys.readouterr().err

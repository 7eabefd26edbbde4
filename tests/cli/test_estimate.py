"""§1 to §5: ``estimate`` and ``calculator`` from the command line, as a player would type them."""

import json
import shlex

import pytest

from crosstable.cli.estimate import EPILOG
from tests.architecture.source import ROOT
from tests.cli.conftest import Run

DAY = ("--date", "2026-07-04")
# Readings, Part 1: 1700 on 30 games, 4/4, K 33.316971, change 77.668857, 1835.3377 with B = 10.
READINGS = ("1700/30", "W1600", "W1750", "W1800", "W1900", *DAY)


# estimate


def test_the_answer_comes_first_and_in_plain_words(run: Run) -> None:
    """Readings, Part 1."""
    ran = run("estimate", *READINGS)
    assert (ran.code, ran.err) == (0, "")
    first, second, *_ = ran.out.splitlines()
    assert first == "1700 → 1835 (+135), Class B → Class A"
    assert second == "Regular, rules of 2025-01-01"
    assert "worth K = 33.32: +77.67." in " ".join(ran.out.split())
    assert "  1. win  1600              expected 0.64   this win brought 12\n" in ran.out
    assert "🏆 Outstanding Performance" in ran.out
    assert "as the old calculator page had it (not a rule): K 16" in ran.out
    assert "nine in ten within 9 points." in " ".join(ran.out.split())
    assert "§" not in ran.out
    assert ran.out.splitlines()[-1] == (
        "Link: /estimate?date=2026-07-04&rating=1700&games=30&game=W1600,W1750,W1800,W1900"
    )


def test_the_link_is_a_question_too(run: Run) -> None:
    ran = run("estimate", *READINGS)
    link = ran.out.splitlines()[-1].removeprefix("Link: ")
    assert run("estimate", link).out == ran.out
    assert json.loads(run("estimate", link, "--json").out) == json.loads(run("estimate", *READINGS, "--json").out)


def test_estimate_as_json_has_every_number_in_full(run: Run) -> None:
    """Readings, Part 1, to the digits printed there."""
    found = json.loads(run("estimate", *READINGS, "--json").out)
    assert (found["format"], found["law_seen_through"]) == ("crosstable-estimate/1", "2025-07-26")
    one = found["estimate"]
    assert one["k"] == pytest.approx(33.316971, abs=5.1e-7)
    assert one["post"] == pytest.approx(1835.3377, abs=5.1e-5)
    assert (one["rounded"], one["games_after"], one["edition"], one["norm"]) == (1835, 34, "2025-01-01", "1")
    assert found["request"]["game"] == ["W1600", "W1750", "W1800", "W1900"]


def test_the_calculation_is_explained_when_asked(run: Run) -> None:
    """§4.2: the working with its sections, in both forms."""
    ran = run("estimate", *READINGS, "--explain")
    assert "K = 800 / (20.011787 + 4) = 33.316971, with the effective games N' and m = 4 games. (§4.2)" in ran.out
    found = json.loads(run("estimate", *READINGS, "--explain", "--json").out)
    assert {line["section"] for line in found["working"]} >= {"§1", "§3", "§4.2", "§8"}


def test_the_special_formula_says_so(run: Run) -> None:
    """§4.1, the official example: 1511."""
    ran = run("estimate", "1500/6", "W1400", "L1550", "D1650", *DAY)
    assert ran.out.startswith("1500 → 1511 (+11), stays Class C\n")
    assert "You have 8 games or fewer" in ran.out
    assert "they do not add up" in ran.out


def test_options_reach_the_request(run: Run) -> None:
    """Every option that is a field of a link shows in the link."""
    options = {
        "--record": "5-0-1",
        "--events": "3",
        "--peak": "1600",
        "--floor": "1200",
        "--control": "G/60;d5",
        "--system": "OTBQ",
        "--field": "1450",
        "--opponents": "scores",
        "--games": "6",
    }
    given = [text for pair in options.items() for text in pair]
    found = json.loads(run("estimate", "1500", "W1400@2/4", *DAY, *given, "--json").out)["request"]
    assert found == {
        "date": "2026-07-04",
        "rating": "1500",
        "game": ["W1400@2/4"],
        **{name.removeprefix("--"): text for name, text in options.items()},
    }
    unrated = ["--birth-date", "2010-01-01", "--fide", "1500@2026-06-01", "--cfc", "1400", "--canadian", "--adult"]
    more = ["--other", "OTBQ:1300/20@2026-01-31", "--other", "OLB:1200"]
    found = json.loads(run("estimate", "U", "W1400", *DAY, *unrated, *more, "--json").out)
    assert found["request"]["other"] == ["OTBQ:1300/20@2026-01-31", "OLB:1200"]
    assert set(found["estimate"]["initial"]["sources"]) == {"OTBQ", "OLB", "FIDE", "CFC"}
    flags = json.loads(run("estimate", "1500", "WW1400", *DAY, "--match", "--dual", "--json").out)["request"]
    assert (flags["match"], flags["dual"]) == ("1", "1")
    online = json.loads(run("estimate", "1500", "W1400", *DAY, "--online", "--json").out)["estimate"]
    assert online["system"] == "OLR"


def test_a_day_may_be_written_as_americans_do(run: Run) -> None:
    one = run("estimate", "U", "W1400", "--date", "2026-07-04", "--birth-date", "2014-02-03", "--json")
    other = run("estimate", "U", "W1400", "--date", "7/4/2026", "--birth-date", "2/3/2014", "--json")
    assert one.code == other.code == 0
    assert one.out == other.out
    assert run("rules", "--on", "7/4/2026").out == run("rules", "--on", "2026-07-04").out


def test_what_if_questions(run: Run) -> None:
    """The range of outcomes with bars, a target, norms, the next game."""
    ran = run("estimate", "1512/40", "W1640", "D1720", "T1600", "T1800", *DAY, "--range", "--target", "1600", "--norms")
    assert (ran.code, ran.err) == (0, "")
    bars = [line for line in ran.out.splitlines() if "█" in line]
    assert [line.split()[0] for line in bars] == ["1.5", "2", "2.5", "3", "3.5"]
    assert bars == sorted(bars, key=lambda line: line.count("█"))
    assert "1600 needs 2.5 of 4, 1 of the remaining 2: that gives" in ran.out
    assert "1200 4th Category" in ran.out
    assert "no score is enough" in ran.out
    following = run("estimate", "1641P17", "--next", "1800", *DAY)
    assert following.out.startswith("Next, against 1800 (now 1641):\n  win ")
    assert len(following.out.splitlines()) == 4
    found = json.loads(
        run(
            "estimate",
            "1512/40",
            "W1640",
            "T1600",
            *DAY,
            "--range",
            "--target",
            "2000",
            "--norms",
            "--next",
            "1700",
            "--json",
        ).out
    )
    assert len(found["outcomes"]["possibilities"]) == 3
    assert found["target"] == {"target": 2000.0, "needed": None}
    assert found["norms"]["reason"] == "A norm needs at least 4 games in the section."
    assert set(found["next_game"]) == {"now", "win", "draw", "loss"}


def test_games_to_come_alone_show_their_range(run: Run) -> None:
    ran = run("estimate", "1512/40", "T1600", "T1800", *DAY, "--target", "2000")
    assert ran.out.startswith("Every possible score (from 1512):\n")
    assert "2000 is out of reach: 2 of 2 gives" in ran.out


def test_a_norm_and_a_floor_are_named(run: Run) -> None:
    assert "Norm: 1, 1st Category\n" in run("estimate", *READINGS).out
    floored = run("estimate", "1310", "L900", "L900", "L900", "--peak", "1500", *DAY)
    assert "the floor from the highest rating holds it at 1300." in floored.out


def test_all_faults_are_printed_and_nothing_else(run: Run) -> None:
    ran = run("estimate", "nan", "W1e5", "L99999", "--control", "G/0", "--record", "x", *DAY)
    assert (ran.code, ran.out) == (1, "")
    places = [line.split(": ")[2] for line in ran.err.splitlines() if not line.startswith(" ")]
    assert places == ["rating", "game 1", "record", "control", "game 2"]
    found = json.loads(run("estimate", "nan", "W1500", "--json").out)
    assert [fault["code"] for fault in found["faults"]] == ["bad-value"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["1500"], "No game is given."),
        (["1500", "--next", "abc"], "is no game"),
        (["1500", "W1500", "--next", "abc"], "is no game"),
        (["1500", "W1500", "--next", "99999"], "is no rating"),
        (["1500", "W1500", "--date", "1999-01-01"], "began on 2001-01-01"),
        (["1500", *["T1500"] * 41, "--range"], "at most 40"),
        (["U", "W1500", "--fide", "2100", "--adult", "--date", "2012-01-15"], "was not found"),
        (["/estimate?rating=1500"], "No game is given."),
    ],
)
def test_what_cannot_be_answered_says_why(run: Run, arguments: list[str], words: str) -> None:
    ran = run("estimate", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err


@pytest.mark.parametrize("target", ["nan", "inf", "-1", "1e9", "x"])
def test_a_target_that_is_no_number_is_wrong_usage(run: Run, target: str) -> None:
    ran = run("estimate", "1500", "T1500", f"--target={target}", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "is no number" in ran.err


def test_an_unknown_field_of_a_link_is_a_warning(run: Run) -> None:
    ran = run("estimate", "/estimate?rating=1500&game=W1500&date=2026-07-04&x=1")
    assert ran.code == 0
    assert "warning" in ran.err


@pytest.mark.parametrize("line", [line.strip() for line in EPILOG.splitlines() if line.startswith("  crosstable ")])
def test_every_example_of_the_help_works(run: Run, line: str) -> None:
    ran = run(*shlex.split(line)[1:])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out


def test_every_command_of_the_guide_works(run: Run) -> None:
    """docs/calculator.md: what it shows can be typed."""
    text = (ROOT / "docs" / "calculator.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("crosstable ")]
    assert len(lines) > 5
    for line in lines:
        ran = run(*shlex.split(line)[1:])
        assert (ran.code, ran.err) == (0, ""), line


# calculator


@pytest.mark.parametrize(
    ("arguments", "words", "document"),
    [
        (
            ["performance", "W1500", "W1600", "W1400", "L1700"],
            "1750.00",
            {"algorithm_of_400": 1750.0, "fide_table": 1743},
        ),
        (["performance", "WW1500"], "counts as 800 points", {"logarithmic": 2300.0, "special": 1900.0}),
        (
            ["badge", "1500", "W1600", "D1550", "W1450", "L1400"],
            "Consistent Player",
            {"code": "consistent", "high": 1.5},
        ),
        (
            ["class", "450"],
            "Class H (as the old calculator page had it: Class F)",
            {"code": "H", "old_page": "Class F"},
        ),
        (["class", "1512"], "Class C\n", {"code": "C"}),
        (["class"], "100 and up  Class J", {}),
        (["k", "1700/30", "4"], "K 33.3170 for 4 games", {"games": 30.0, "played": 4}),
        (["k", "1500/6", "4"], "special formula applies", {"k": None}),
        (["k", "2500", "6", "--dual"], "effective games 50.0000, K 3.5714", {}),
        (["expected", "2000", "1800"], "expected 0.759747 of 1", {}),
        (["old-page", "1500/15", "W1600", "D1550", "W1450", "L1400"], "change +12.00", {"k": 24.0}),
        (["differences"], "One pass instead of two", {}),
        (["about"], "Official resources", {}),
        (["about", "requirements"], "Blitz: 5 to 10", {}),
        (["about", "resources"], "https://www.uschess.org/", {}),
    ],
)
def test_quick_figures(run: Run, arguments: list[str], words: str, document: dict[str, object]) -> None:
    """Readings Part 1 and official facts §2; K of the 2025 text: 800/(20.0118 + 4), and 200/(50 + 6) above 2500."""
    ran = run("calculator", *arguments, *DAY)
    assert (ran.code, ran.err) == (0, "")
    assert words in ran.out
    found = json.loads(run("calculator", *arguments, *DAY, "--json").out)
    assert document.items() <= found.items()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["performance", "X1500"], "is no game"),
        (["performance", "WU"], "give a result and a rated opponent"),
        (["performance", "T1500"], "give a result and a rated opponent"),
        (["performance", "W99999"], "is not a rating between 100 and 3500"),
        (["class", "nan"], "is no rating"),
        (["class", "U"], "for unrated players use crosstable estimate"),
        (["k", "1500", "0"], "is not a number of games"),
        (["k", "1500", "99999999"], "is not a number of games"),
        (["class", "1500", "--date", "soon"], "is not a date"),
        (["nothing"], "invalid choice"),
    ],
)
def test_wrong_usage_of_the_calculator(run: Run, arguments: list[str], words: str) -> None:
    ran = run("calculator", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_there_are_no_figures_before_the_rules(run: Run) -> None:
    ran = run("calculator", "k", "1500", "4", "--date", "1999-01-01")
    assert (ran.code, ran.out) == (1, "")
    assert "began on 2001-01-01" in ran.err

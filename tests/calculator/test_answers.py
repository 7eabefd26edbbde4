"""What stands beside an estimate: its words, other calculators' differences, measured errors, texts, JSON."""

import gzip
import json
import re
from datetime import date
from pathlib import Path

import pytest

from crosstable.calculator.answers import (
    answer,
    answer_object,
    headline,
    norm_chances_object,
    notes,
    outcomes_object,
    sentences,
)
from crosstable.calculator.figures import BANDS, MEASURED, typical_error
from crosstable.calculator.requests import OpponentsAt
from crosstable.calculator.texts import DISCLAIMER, RESOURCES, differences, texts
from crosstable.calculator.what_if import norm_chances, outcomes
from crosstable.rules.editions import edition_for
from crosstable.rules.statements import TIME_CONTROLS, said_of
from crosstable.terms import Formula
from tests.calculator.requested import asked
from tools import measure_estimates

# Words


def test_the_headline_says_rating_change_and_class() -> None:
    """Readings, Part 1: 1700 on 30 games ends at 1835.34."""
    up = answer(asked("1700/30", "W1600 W1750 W1800 W1900")).estimate
    assert headline(up) == "1700 → 1835 (+135), Class B → Class A"
    same = answer(asked("1500/6", "W900")).estimate
    assert headline(same) == "1500 → 1500 (unchanged), stays Class C"
    first = answer(asked("U", "W1300", adult="1")).estimate
    assert headline(first) == "Unrated → 1700 on 1 game, Class B"


def test_sentences_come_before_any_section_number() -> None:
    """In plain words: score, K, bonus; no § in them."""
    found = sentences(answer(asked("1700/30", "W1600 W1750 W1800 W1900")).estimate)
    assert found == (
        "You scored 4 of 4; the ratings led to expect 1.67, so you made 2.33 more.",
        "Your rating counts for 20.01 games, so one point of score is worth K = 33.32: +77.67.",
        "That is more than 10√4 = 20.00, and the rest counts twice: bonus +57.67.",
    )


@pytest.mark.parametrize(
    ("rating", "games", "fields", "words"),
    [
        ("1500", "D1500", {}, "You scored 0.5 of 1; the ratings led to expect 0.50, so you made just that."),
        ("1500", "L1500", {}, "so you made 0.50 less."),
        ("U", "W1300", {"adult": "1"}, "You start at 1300 on 0 games, by age."),
        ("U", "W1300", {"fide": "1500"}, "You start at 1277 on 5 games, from FIDE."),
        ("U", "W1300", {"adult": "1"}, "This is your first event"),
        ("1500/6", "W900", {}, "You have 8 games or fewer"),
        ("1500/3", "W1600", {"record": "3-0-0"}, "All your games so far were wins"),
        ("1500/3", "W1600", {"record": "0-0-3"}, "All your games so far were losses"),
        ("1310", "L900 L900 L900", {"peak": "1500"}, "the floor from the highest rating holds it at 1300."),
        ("1500", "WWWW1600", {"match": "1"}, "the change is held at +50."),
    ],
)
def test_sentences_of_special_cases(rating: str, games: str, fields: dict[str, str], words: str) -> None:
    assert words in " ".join(sentences(answer(asked(rating, games, **fields)).estimate))


@pytest.mark.parametrize(
    ("rating", "games", "fields", "words"),
    [
        ("2100", "W2000", {}, "The number of your games is not known"),
        ("1500/12", "W1500", {}, "If all your games so far were wins"),
        ("1500", "L1500", {}, "a floor may hold your rating"),
        ("U", "W1000", {}, "Your age is not known"),
        ("U", "W1000", {"fide": "1500", "adult": "1"}, "has no date"),
        ("1500", "WU", {}, "Opponent 1 is unrated"),
        ("1500", "W1500 T1600", {}, "Games to come"),
        ("1500", "W1500", {"match": "1"}, "Earlier matches"),
        ("1500", "W1500", {"control": "G/60;d5"}, "also counts for Quick"),
    ],
)
def test_notes_say_what_would_make_it_better(rating: str, games: str, fields: dict[str, str], words: str) -> None:
    assert words in " ".join(notes(answer(asked(rating, games, **fields)).estimate))


def test_a_complete_question_has_no_notes() -> None:
    assert notes(answer(asked("1500/50", "W1500", record="20-10-20", events="10", peak="1600")).estimate) == ()


# The column of the old page


def test_the_old_page_stands_beside_our_estimate() -> None:
    """The page's formulas by hand: 1500 on 15 games, 2.5 of 4 against an average of 1500, K 24: +12, bonus 17.05.

    Its performance is 1588.7395, so the bonus is 4 × (88.7395 - 12)/18 = 17.0532.
    """
    found = answer(asked("1500/15", "W1600 D1550 W1450 L1400"))
    assert found.old_page is not None
    assert (found.old_page.k, found.old_page.bonus, found.old_page.rating) == pytest.approx(
        (24.0, 17.0532, 1529.0532), abs=5.1e-5
    )
    assert found.estimate.rating != found.old_page.rating
    assert answer(asked("U", "W1300", adult="1")).old_page is None


# Why other calculators differ

SHOWN = {
    "k": ("568.97", "656.85"),  # official result of 2026
    "threshold": ("1827.34 with 14, 1831.34 with 12", "1835.34"),  # readings, Part 1
    "bonus": ("94 and 0 points", "0 and 57.67 points"),  # the page, readings Part 1
    "special": ("1471.43", "1500.00"),  # another calculator: loses 29, right is 0
    "long-events": ("1683.66", "1677.20"),  # another calculator: 1684; right is 1677.2
    "floor": ("1700", "1800"),  # 2025 text §5: 1999.51 rounds to 2000
    "fide": ("1590", "1277"),  # rules history §5: 1590 then, 1277 now
    "age": ("900", "600"),  # 2004 text; §2.3
    "expected": ("+15.36", "+12.00"),  # the page; readings Part 1
    "performance": ("1598; 1690; 1700", "1589; 1691; 1750"),  # the page; readings Part 1
    "class": ("Class F", "Class H"),  # the page; official facts §2
    "controls": ("Quick", "Regular and Quick (dual)"),  # the page; §1, readings 20
}


def test_every_difference_is_shown_by_an_example() -> None:
    """Both sides computed; the figures named above come from documents and from the comparison with others."""
    found = {each.code: each for each in differences()}
    assert len(found) == len(differences()) == 17
    for code, (theirs, ours) in SHOWN.items():
        assert theirs in found[code].theirs
        assert ours in found[code].ours
    assert "12 held since 2023-02-01" in found["threshold"].document  # readings 9: the page says October 2023
    for each in found.values():
        assert each.theirs != each.ours
        assert all((each.title, each.others, each.document, each.example))


def test_one_pass_and_two_differ_in_the_example() -> None:
    """§1: opponents who did well count for more in the second pass."""
    each = next(each for each in differences() if each.code == "one-pass")
    first, second = (float(re.findall(r"\d+\.\d\d", side)[0]) for side in (each.theirs, each.ours))
    assert second > first + 1.0


# Measured errors


def test_every_kind_and_formula_was_measured() -> None:
    bands = [(Formula.STANDARD, lowest) for lowest in BANDS] + [(Formula.SPECIAL, 0.0)]
    assert {(each.kind, each.formula, each.lowest) for each in MEASURED} == {
        (kind, formula, lowest) for kind in OpponentsAt for formula, lowest in bands
    }
    for each in MEASURED:
        assert 0.0 < each.half < each.nine_tenths < each.ninety_nine < each.largest
    found = typical_error(OpponentsAt.BEFORE, Formula.STANDARD, 1512.0)
    assert found.sentence == (
        "Half of 5,036 such estimates were within 2 points of the posted rating, nine in ten within 9 points."
    )
    errors = [typical_error(OpponentsAt.BEFORE, Formula.STANDARD, rating).nine_tenths for rating in (500, 1200, 1800)]
    assert errors == sorted(errors, reverse=True)
    better = typical_error(OpponentsAt.AFTER, Formula.STANDARD, 1512.0)
    assert better.nine_tenths < found.nine_tenths
    assert answer(asked("U", "W1300", adult="1")).typical_error is None


def crosstable_page() -> dict[str, object]:
    """A made-up page of the archive: three established players, whole numbers, one row posted five points off."""

    def row(number: int, pre: int, post: int, cells: list[tuple[str, int]]) -> dict[str, object]:
        rounds = [{"result": letter, "opp": opponent, "color": None} for letter, opponent in cells]
        return {
            "no": number,
            "id": f"m{number}",
            "name": "",
            "pre": pre,
            "pre_games": None,
            "post": post,
            "post_games": None,
            "status": "established",
            "score": 1.0,
            "norm": None,
            "rounds": rounds,
            "quality": "clean",
        }

    event = {
        "id": "201607010011",
        "section_no": 1,
        "start_date": "2016-07-01",
        "end_date": "2016-07-01",
        "time_control": "G/90;d5",
        "this_system": "R",
        "tnmt_type": "R",
        "rating_sys_code": "R",
        "k_factor_code": "F",
        "processed": None,
        "notes": [],
    }
    players = [
        row(1, 1500, 1505, [("W", 2), ("L", 3)]),
        row(2, 1500, 1500, [("L", 1), ("W", 3)]),
        row(3, 1500, 1500, [("L", 2), ("W", 1)]),
    ]
    return {"event": event, "players": players}


def test_the_measuring_tool_counts_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: equals who score one of two stay at 1500, so in one pass two rows are right and one is five off."""
    text = json.dumps(crosstable_page()) + "\n"
    (tmp_path / "2016.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr("sys.argv", ["measure", str(tmp_path)])
    assert measure_estimates.main() == 0
    lines = {tuple(line.split()[:2]): line.split()[3:] for line in capsys.readouterr().out.splitlines()[2:]}
    assert lines["before", "all"] == ["3", "0.00", "5.00", "5.00", "5.00", "-1.67"]
    assert lines["scores", "all"] == ["3", "0.00", "5.00", "5.00", "5.00", "-1.67"]
    assert ("after", "special") not in lines


# Texts


def test_the_time_controls_are_those_of_the_rules() -> None:
    """§1, footnote 1: Blitz 5 to 10, Quick to 29, Regular from 30, dual 30 to 65; no Blitz before 2013."""
    now = " ".join(said_of(edition_for(date(2026, 1, 1)), TIME_CONTROLS))
    for words in ("Regular: 30 or more", "30 to 65", "more than 10, less than 30", "Blitz: 5 to 10"):
        assert words in now
    then = " ".join(said_of(edition_for(date(2004, 1, 1)), TIME_CONTROLS))
    assert "30 to 60" in then
    assert "delay and increment do not count" in then
    assert "Blitz" not in then


def test_the_texts_of_the_page_have_their_place() -> None:
    found = texts(edition_for(date(2026, 1, 1)))
    assert [text.code for text in found] == ["ratings", "requirements", "disclaimer"]
    assert "K is 800 divided by" in found[0].paragraphs[1]
    assert found[2] == DISCLAIMER
    assert all(each.address.startswith("https://") for each in RESOURCES)


def test_what_a_rated_tournament_needs_answers_the_page() -> None:
    """The page: time controls, floors, affiliate, conditions, and a report in time (official facts §6: seven days)."""
    (needed,) = (text for text in texts(edition_for(date(2026, 1, 1))) if text.code == "requirements")
    said = " ".join(needed.paragraphs)
    for words in (
        "a US Chess affiliate, the director is certified, and all players are members",
        "Both players have the same time",
        "within 7 days of the end",
        "No rating is below 100.",
        "from 1400 to 2100 (from 1200 for peaks since 2010-04-01)",
        "Regular: 30 or more",
        "more than 10, less than 30",
        "Blitz: 5 to 10",
    ):
        assert words in said
    assert any("rule-book" in each.address for each in RESOURCES)


# JSON


def test_answers_are_plain_json() -> None:
    """Everything is finite and plain; None stands where there is nothing."""
    questions = [
        asked("1700/30", "W1600 W1750 W1800 W1900"),
        asked("U", "W900 LU", age="12"),
        asked("1310", "L900 L900 L900", peak="1500"),
        asked("1512/40", "W1640:1650@2/4 D1720"),
    ]
    for request in questions:
        found = json.loads(json.dumps(answer_object(answer(request)), allow_nan=False))
        assert found["format"] == "crosstable-estimate/1"
        assert found["link"].startswith("/estimate?")
        assert len(found["estimate"]["games"]) == request.games_with_result
    floored = answer_object(answer(questions[2]))["estimate"]
    assert (floored["floor"], floored["rounded"]) == ({"kind": "peak", "level": 1300.0}, 1300)
    first = answer_object(answer(questions[1]))["estimate"]
    assert (first["pre"], first["k"], first["initial"]["sources"]) == (None, None, ["AGE"])
    json.dumps([outcomes_object(outcomes(each)) for each in questions], allow_nan=False)
    json.dumps([norm_chances_object(norm_chances(each)) for each in questions], allow_nan=False)

"""``audit``: posted ratings that are right, and errors of a federation that are planted and have to be found.

A planted error is rated by our own engine with one input changed; the posted numbers are those results in whole
numbers, as pages show them, and the file shows the input as it should have been.
"""

import json
import math
import re
from datetime import date
from operator import mul
from pathlib import Path
from typing import Any

import pytest

import crosstable as ct
from crosstable.cli import main
from crosstable.engine import rate
from crosstable.pipeline.auditing import AuditedEvent, audit_reports
from crosstable.pipeline.verifying import posted_pages
from crosstable.rules.editions import edition_for
from crosstable.rules.rule_files import rule_set
from crosstable.terms import GivenStart, PlayerRating
from crosstable.verification.audit import AuditedRow, AuditVerdict, audit
from crosstable.verification.pages import ONLINE_FAULT, REPAIRED
from crosstable.verification.slopes import Bearing, Effect, Slopes
from crosstable.verification.trials import Trials
from tests.documents import valid
from tests.uschess.stand_in import StandIn, api_of
from tests.verification.made_pages import line, pages, quad
from tests.verification.planted import RATINGS, ROUNDS, event, posted, turned

ROOT = Path(__file__).parents[2]


def audited(shown: dict[str, Any]) -> AuditedEvent:
    return audit_reports([("page", ct.read(shown))])


def row_of(found: AuditedEvent, number: int) -> AuditedRow:
    return next(row for row in found.rows if row.number == number)


def test_posted_ratings_that_are_right_are_reproduced() -> None:
    found = audited(posted(event(), event()))
    assert found.verdict is AuditVerdict.REPRODUCED
    assert [row.verdict for row in found.rows] == [AuditVerdict.REPRODUCED] * 8
    assert not any(row.hypotheses for row in found.rows)


def test_a_result_that_was_turned_is_found_and_named_first() -> None:
    found = audited(turned())
    for number in (1, 2):
        row = row_of(found, number)
        assert row.verdict is AuditVerdict.DIFFERS
        first = row.hypotheses[0]
        assert "player 1 against player 2 in round 1" in first.what or "player 2 against player 1" in first.what
        assert round(first.ratings[number]) == row.posted
    assert found.verdict is AuditVerdict.DIFFERS


def test_another_bonus_is_found() -> None:
    """Player 7 scores 3.5 of 4, so B decides: 14 until 2023, 12 until 2025, 10 since (2025 text §8)."""
    found = audited(posted(event(), event(), rules=rule_set(bonus_threshold=14)))
    row = row_of(found, 7)
    assert row.verdict is AuditVerdict.DIFFERS
    assert row.hypotheses[0].what == "a bonus threshold of 14 instead of 10"


def test_another_rating_before_the_event_is_found() -> None:
    found = audited(posted(event(), event(p3={"rating": 1448})))
    row = row_of(found, 3)
    assert row.verdict is AuditVerdict.DIFFERS
    assert any(one.what.startswith("player 3 at 144") for one in row.hypotheses)


def test_a_floor_that_was_left_out_is_found() -> None:
    """A peak of 1655 gives a floor of 1400 (§5): 200 below, down to a hundred."""
    shown, used = event(p6={"rating": 1405, "peak": 1655}), event(p6={"rating": 1405, "peak": 1405})
    row = row_of(audited(posted(shown, used)), 6)
    assert row.verdict is AuditVerdict.DIFFERS
    assert row.hypotheses[0].what == "the floor of 1400 left out for player 6"


def test_a_floor_that_the_page_does_not_show_explains() -> None:
    shown, used = event(p6={"rating": 1405}), event(p6={"rating": 1405, "floor": 1400})
    row = row_of(audited(posted(shown, used)), 6)
    assert (row.verdict, row.cause) == (AuditVerdict.EXPLAINED, "a floor")


def test_a_floor_does_not_explain_what_the_reason_of_the_other_rows_explains() -> None:
    """Player 4 falls to 1482; with their loss to player 8 counted as a draw to 1500, where a floor could stand."""
    drawn = [*ROUNDS[:3], ("D3", "D8", "W6", "L5"), *ROUNDS[4:7], ("L7", "D4", "L3", "L1")]
    shown, used = event(p4={"rating": 1515}), event(tuple(drawn), p4={"rating": 1515})
    row = row_of(audited(posted(shown, used)), 4)
    assert (row.posted, row.verdict) == (1500, AuditVerdict.UNKNOWN)
    game = "the game of player 4 against player 8 in round 2 counted as ½ instead of 0"
    assert row.hypotheses[0].what == game


def test_an_unknown_count_leaves_it_open() -> None:
    """Above about 1928 the number of games matters (§3), and pages do not show it."""
    shown, used = event(p5={"rating": 2250, "games": None}), event(p5={"rating": 2250, "games": 27})
    row = row_of(audited(posted(shown, used)), 5)
    assert row.verdict is AuditVerdict.UNKNOWN
    assert row.low < row.posted < row.high + 1
    assert any(one.what.startswith("a count of 27 games") for one in row.hypotheses)


def test_a_re_entry_of_which_one_row_was_left_out_is_found() -> None:
    shown, alone = event(), event()
    shown["sections"][0]["players"][5]["member_id"] = "90000004"
    shown["sections"][0]["players"][5]["ratings"] = shown["sections"][0]["players"][3]["ratings"]
    shown["sections"][0]["players"][3]["rounds"] = ["D3", "L8", "", "L5"]
    shown["sections"][0]["players"][5]["rounds"] = ["", "L2", "", ""]
    for at, cells in ((4, ["", "L1", "L2", "W4"]), (2, ["D4", "L7", "W8", ""])):
        shown["sections"][0]["players"][at]["rounds"] = cells
    alone = json.loads(json.dumps(shown))
    alone["sections"][0]["players"][5]["member_id"] = "90000009"
    found = audited(posted(shown, alone))
    row = row_of(found, 4)
    assert row.verdict is AuditVerdict.DIFFERS
    assert row.hypotheses[0].what.startswith("the re-entry of player 4: only the games of row 4")


def test_two_results_that_were_turned_are_found_together() -> None:
    """Neither brings all rows about alone: player 1 beat 2 in round 1, and 3 beat 8 in round 3."""
    rounds = [list(cells) for cells in ROUNDS]
    rounds[0][0], rounds[1][0], rounds[2][2], rounds[7][2] = "L2", "W1", "L8", "W3"
    found = audited(posted(event(), event(tuple(tuple(cells) for cells in rounds))))
    for number in (1, 2, 3, 8):
        first = row_of(found, number).hypotheses[0].what
        assert "player 1 against player 2 in round 1" in first
        assert "player 3 against player 8 in round 3" in first


def test_a_past_that_two_rows_agree_on_explains() -> None:
    """An all-wins past takes the special formula (§4.1), which a page does not show; opponents feel it too."""
    past = {"rating": 1580, "games": 12}
    found = audited(posted(event(p7=past), event(p7={**past, "wins": 12, "draws": 0, "losses": 0})))
    row = row_of(found, 7)
    assert row.verdict is AuditVerdict.EXPLAINED
    assert row.cause.startswith("player 7 had won all earlier games (ratings of")


def decimals(off: float) -> AuditedRow:
    """Row 3 of a page that posts two decimals, posted so far off."""
    brought: dict[str, Any] = {f"p{at}": {"rating": rating + 0.37} for at, rating in enumerate(RATINGS, start=1)}
    shown = event(ROUNDS, **brought)
    rows = ct.rate(ct.read(shown)).sections[0].systems["OTBR"].players
    for player, row in zip(shown["sections"][0]["players"], rows, strict=True):
        assert row.post is not None
        player["posted"] = {"OTBR": {"rating": round(row.post + off * (row.number == 3), 3)}}
    return row_of(audited(shown), 3)


def test_posted_decimals_are_right_to_a_hundredth() -> None:
    """Design: within 0.01 of decimals; the ratings before the event are rounded too, so one more is explained."""
    assert [decimals(off).verdict for off in (0.0, 0.009, 0.015, 0.05, 0.6)] == [
        *(AuditVerdict.REPRODUCED, AuditVerdict.REPRODUCED, AuditVerdict.EXPLAINED),
        *(AuditVerdict.DIFFERS, AuditVerdict.DIFFERS),
    ]


def test_trials_give_what_the_engine_gives() -> None:
    """Only what a change can move is rated again: facts of rated and unrated players, results, games left out."""
    shown = posted(event(), event())
    for number in (2, 5):  # unrated: their first estimates reach one game further
        shown["sections"][0]["players"][number - 1]["ratings"] = {}
    (page,) = posted_pages([("page", ct.read(shown))]).pages
    brought = page.backgrounds
    trials = Trials(page, brought)
    record = brought[3].standings[page.system]
    facts: list[tuple[int, PlayerRating | GivenStart]] = [
        (3, record._replace(rating=1700.0)),
        (3, record._replace(games=5.0, wins=0, draws=0, losses=5)),
        (2, GivenStart(900.0, 0.0)),
        (5, GivenStart(1400.0, 6.0)),
    ]
    plain = trials.ratings()
    for number, fact in facts:
        own = brought[number]
        if isinstance(fact, GivenStart):
            changed = own._replace(given_start=fact)
        else:
            changed = own._replace(standings={page.system: fact})
        section, edition = page.checked.section.with_backgrounds({**brought, number: changed}), page.checked.edition
        rated = rate(section, page.system, edition).players
        players = {number: trials.brought(number, fact)}
        for row in rated:
            assert row.after is not None
            assert trials.rating_if(row.number, players) == trials.ratings_if(players)[row.number] == row.after.rating
    assert trials.ratings() == plain


def test_slopes_are_what_a_start_moves_in_the_whole_section() -> None:
    """Effects of single games, multiplied from step to step, against the engine with a start moved by 8 points.

    Ratings bend a little over 8 points, so the two agree to a fiftieth; a game too many or too few would be far more.
    """
    shown = posted(event(), event())
    for number in (2, 5):
        shown["sections"][0]["players"][number - 1]["ratings"] = {}
    (page,) = posted_pages([("page", ct.read(shown))]).pages
    brought = page.backgrounds
    brought[2] = brought[2]._replace(given_start=GivenStart(1300.0, 0.0))  # by age: a first estimate lies between
    brought[5] = brought[5]._replace(given_start=GivenStart(1400.0, 6.0))
    trials = Trials(page, brought)
    numbers = sorted(trials.position)
    bearing = Bearing(
        trials.slopes(), [trials.position[one] for one in (2, 5)], [trials.position[one] for one in numbers]
    )
    section, edition = page.checked.section, page.checked.edition
    for number, start in ((2, GivenStart(1308.0, 0.0)), (5, GivenStart(1408.0, 6.0))):
        changed = {**brought, number: brought[number]._replace(given_start=start)}
        before, after = (
            {
                row.number: row.final.computed
                for row in rate(section.with_backgrounds(one), page.system, edition).players
            }
            for one in (brought, changed)
        )
        moved = {one: (after[one] - before[one]) / 8.0 for one in before}
        assert sum(math.fabs(slope) > 0.0005 for slope in moved.values()) > 2
        slopes = dict(zip(numbers, bearing.ahead([float(one == number) for one in (2, 5)]), strict=True))
        for one, slope in moved.items():
            assert slopes[one] == pytest.approx(slope, rel=0.02, abs=1e-6)


def test_slopes_pull_back_as_they_push_ahead_and_learn_what_a_step_did() -> None:
    """The two products of one matrix: u J v is one number, whichever way; Broyden: the last step is met exactly."""
    effects = (
        [Effect(1, 0.25, [(0, 0.5)])],
        [Effect(0, 0.0, [(1, 0.5)]), Effect(1, 0.125, [(2, 1.0)]), Effect(2, 1.0, [])],
    )
    bearing = Bearing(Slopes(3, *effects, [Effect(0, 0.0, [(1, 0.5)]), Effect(2, 0.0, [(0, 0.25)])]), [0, 1], [2, 0])
    moves, pulls = [3.0, -2.0], [1.0, 5.0]
    # Step 3: player 1 at 0.25 (-2) + 0.5 (3) = 1. First pass: 0 at 0.5, 1 at 0.125 (-2) = -0.25 (2 does not move).
    assert bearing.ahead(moves) == [0.25 * 0.5, 0.5 * -0.25]
    assert math.fsum(map(mul, bearing.ahead(moves), pulls)) == math.fsum(map(mul, moves, bearing.back(pulls)))
    bearing.learn(moves, [7.0, 1.0])
    assert bearing.ahead(moves) == pytest.approx([7.0, 1.0])
    assert math.fsum(map(mul, bearing.ahead([1.0, 4.0]), pulls)) == pytest.approx(
        math.fsum(map(mul, [1.0, 4.0], bearing.back(pulls)))
    )
    bearing.learn([0.0, 0.0], [9.0, 9.0])  # nothing moved, nothing is learned
    assert bearing.ahead(moves) == pytest.approx([7.0, 1.0])


def test_the_disputed_rating_of_the_guide() -> None:
    """1532 posted as 1577 (forum.uschess.org/t/60296); the figures of the guide, opponents at their ratings before.

    Without bonus: 1532 + K (3 - E), K = 800 / (17.041 + 5) = 36.296, E = 1.6005 by the winning expectancies of §4.2.
    """
    opponents, results = (1608, 1685, 1746, 1600, 1691), "WLWLW"
    whole = ct.estimate("1532/60", [f"{result}{rating}" for result, rating in zip(results, opponents, strict=True)])
    assert math.isclose(1532 + 36.296 * (3 - 1.6005), 1582.80, abs_tol=0.01)
    gain, root = whole.post - 1532 - (50.796 - 10 * math.sqrt(5)), math.sqrt(5)
    assert math.isclose(gain, 50.796, abs_tol=0.01)
    expected = {"all five games": whole.post, "no bonus": 1532 + gain}
    for threshold in (12, 14):
        expected[f"a bonus threshold of {threshold} instead of 10"] = 1532 + gain + (gain - threshold * root)
    for left in range(5):
        games = [f"{results[at]}{opponents[at]}" for at in range(5) if at != left]
        expected[f"round {left + 1} left out"] = ct.estimate("1532/60", games).post
    lower = [f"{result}{rating - 72}" for result, rating in zip(results, opponents, strict=True)]
    expected["every opponent 72 points lower"] = ct.estimate("1532/60", lower).post
    told = re.findall(r"^\| (.+?) +\| (\d{4}) \|$", (ROOT / "docs" / "audit.md").read_text(), re.MULTILINE)
    assert {what: int(figure) for what, figure in told} == {what: round(one) for what, one in expected.items()}
    assert [what for what, one in expected.items() if math.fabs(one - 1577) <= 1] == ["every opponent 72 points lower"]


def test_a_start_that_nobody_knows_is_not_printed() -> None:
    """Design: an audit prints no fitted start of a person."""
    shown = event()
    for player in shown["sections"][0]["players"][:2]:
        player["ratings"] = {}
    used = json.loads(json.dumps(shown))
    for player in used["sections"][0]["players"][:2]:
        player["birth_date"] = "2014-03-02"
    page = posted(shown, used)
    page["sections"][0]["details"] = {"rated": "2026-05-03"}
    found = audited(page)
    assert [row_of(found, number).pre for number in (1, 2, 3)] == [None, None, 1388.0]
    starts = [one.what for row in found.rows for one in row.hypotheses if "start of" in one.what]
    assert all(
        re.fullmatch(r"another start of player \d, who was unrated: from other sources", what) for what in starts
    )
    # the posted counts are not shown, so nothing settles the starts: what leans on them is neither right nor wrong
    assert {row.verdict for row in found.rows} == {AuditVerdict.UNKNOWN}


def test_the_command_on_an_event_of_the_api_and_on_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.json"
    path.write_text(json.dumps(turned()))
    assert main(["audit", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Some posted ratings differ from what the rules give.")
    assert "Possible reason: the game of Player, 1 (No. 1) against Player, 2" in text
    assert "US Chess takes corrections from the tournament director" in text
    page = tmp_path / "audit.html"
    assert main(["audit", str(path), "--html", str(page)]) == 0
    assert "<h1>Some posted ratings differ" in page.read_text()
    assert "Possible reason: the game of Player, 1 (No. 1) against Player, 2" in page.read_text()
    report = page.read_text()  # what a director needs: the working of the rows that differ, and the sources
    assert "<h3>No. 1 Player, 1, section 1, " in report
    assert "Section 1 of event 202605020012" in report
    assert "rules in force on May 2, 2026" in report
    assert main(["audit", str(path), "--player", "5"]) == 0
    text = capsys.readouterr().out
    assert "No. 5 Player, 5 (1700 before)" in text
    assert "No. 1" not in text
    assert "Step 5" in text
    assert "Sources" in text
    assert main(["audit", str(path), "--player", "9"]) == 2
    assert main(["audit", str(path), "--html", str(page)]) == 1  # never over another file without --force
    capsys.readouterr()
    with StandIn(api_of(event())) as server:
        command = ["audit", "202605020012", "--api", server.address, "--cache", str(tmp_path / "kept"), "--json"]
        assert main(command) == 0
    told = valid(json.loads(capsys.readouterr().out))
    assert (told["verdict"], len(told["rows"])) == ("reproduced", 8)
    assert math.fabs(told["rows"][0]["computed"] - told["rows"][0]["posted"]) < 0.01


def test_a_file_without_posted_ratings_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event()))
    assert main(["audit", str(path)]) == 1
    assert "no posted ratings that can be compared" in capsys.readouterr().err


def online_error(edition_on: str, weight: float) -> list[AuditedRow]:
    """The audit of a page last rated before the repair, posted by the rules of a day with this weight of N' in K."""
    made = line("202101010001", "2021-01-01", quad(), this_system="OR", processed="Rated: 2021-01-02")
    [page] = pages(made)
    assert page.apart == ONLINE_FAULT
    edition = edition_for(date.fromisoformat(edition_on))
    edition = edition._replace(constants=edition.constants._replace(k_effective_weight=weight))
    players = dict(page.players)
    for row in rate(page.checked.section, page.system, edition).players:
        assert row.after is not None
        shown = players[row.number].posted[page.system]._replace(rating=float(math.floor(row.after.rating + 0.5)))
        players[row.number] = players[row.number]._replace(posted={page.system: shown})
    return audit([page._replace(players=players)])


def test_a_page_of_the_online_error_that_was_posted_without_it_is_explained_so() -> None:
    """Readings 103: rated by 2021-06-16 with K = 800 / (2N' + m); here the posted numbers have K = 800 / (N' + m)."""
    assert {(row.verdict, row.cause) for row in online_error("2021-01-01", 1.0)} == {(AuditVerdict.EXPLAINED, REPAIRED)}


def test_the_rules_of_another_day_are_tried_with_the_online_error() -> None:
    """One thing is changed at a time, so no reason names the same day twice."""
    reasons = {one.what for row in online_error("2001-01-01", 2.0) for one in row.hypotheses}
    assert "the rules of 2001-01-01 instead of those of 2020-06-01" in reasons
    days = [re.findall(r"\d{4}-\d\d-\d\d", reason) for reason in reasons]
    assert not any(len(named) != len(set(named)) for named in days)

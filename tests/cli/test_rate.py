"""§1, §4.2, §5: ``crosstable rate``: the crosstable as directors know it, and the document for programs."""

import json
import re
from typing import Any

import pytest

from crosstable.rules.editions import LAW_SEEN_THROUGH
from tests.architecture.source import ROOT
from tests.checks.provoked import pair, sound
from tests.cli.conftest import Run, Write, in_short
from tests.event_files import EventFile, event_file, player, quad, record

SAMPLE = str(ROOT / "examples" / "summer-quads.json")
PLAYER_FIELDS = {
    *("number", "pre", "games_before", "initial", "post", "rounded", "games_after", "formula", "effective_games", "k"),
    *("score", "expected", "bonus", "floor", "norm", "assumed"),
}
FAULT_FIELDS = {"code", "severity", "level", "place", "message", "remedy"}


def wrong() -> EventFile:
    """A file with two errors and a warning."""
    return pair("W2 U", "W1 Q", k_factor="full", colour="none")


def line_of(table: str, start: str) -> str:
    """The line of a table that begins with a number and a name."""
    (found,) = (line for line in table.splitlines() if re.match(rf"\W*{start}", line))
    return found


# The table


def test_the_table_shows_ratings_before_and_after(run: Run) -> None:
    """§1: the quad of readings, Part 1: 1860.75, 1654.79, 1580.74 on 15 games, 1825.31 on 3."""
    ran = run("rate", SAMPLE)
    assert (ran.code, ran.err) == (0, "")
    assert "R:    1850 -> 1861" in line_of(ran.out, "1 +1 +Abbott, Ruth +2.5 +W2w")
    assert "R:    1700 -> 1655" in ran.out
    assert "R: 1500P12 -> 1581P15" in line_of(ran.out, "3 +3 +Castle, Ines +1.5 +L4w")
    assert "R: Unrated -> 1825P3" in line_of(ran.out, "2 +4 +Dunne, Pat +2.0 +W3b +W2b +L1b")


def test_the_table_shows_both_systems_of_a_dual_section(run: Run) -> None:
    """§1, footnote 1: G/45;d5 is Regular and Quick, G/3;+2 Blitz."""
    out = run("rate", SAMPLE).out
    assert "G/45;d5, OTBR and OTBQ, rules in force since January 1, 2025" in out
    assert "G/3;+2, OTBB, rules in force since January 1, 2025" in out
    table = out.split("Section 2")[0]
    assert len(re.findall(r"R: .* -> ", table)) == len(re.findall(r"Q: .* -> ", table)) == 4


def test_the_table_shows_points_of_byes_and_forfeits(run: Run) -> None:
    """Castle has a full-point bye, a win and two losses; Dunne a draw and a forfeit win."""
    blitz = run("rate", SAMPLE).out.split("Section 2")[1]
    assert re.search(r"3 +Castle, Ines +2\.0 +B +L1b +W5w +L2w", blitz)
    assert re.search(r"4 +Dunne, Pat +1\.5 +L1w +D2w +X +U", blitz)


def test_the_table_marks_norms_floors_and_assumptions(run: Run, write: Write) -> None:
    """§5 and official facts §1: four wins over 1600s are a norm at 1600; a peak of 1941 holds at 1700."""
    rivals = [player(2 + at, ["U"] * at + ["L1"], 1600.0, 60) for at in range(3)]
    floored = player(5, "U U U L1", ratings={"OTBR": record(1700.0, 60, peak=1941.0)})
    unknown = player(6, "U U U U X", 2300.0, None)
    event = event_file(player(1, "W2 W3 W4 W5", 1400.0), *rivals, floored, unknown)
    out = run("rate", write(event)).out
    assert "N:2" in line_of(out, "1 +1 +Player, 1")
    assert "floor 1700" in line_of(out, "3 +5 +Player, 5")
    assert "*" not in out
    event["sections"][0]["players"][5]["rounds"] = ["U", "U", "U", "U", "D1"]
    event["sections"][0]["players"][0]["rounds"].append("D6")
    out = run("rate", write(event)).out
    assert re.search(r"R: +2300 -> \d+ +\* \(\d+ to \d+\)$", line_of(out, "2 +6 +Player, 6").rstrip())
    assert "Assumed (*):\n  Section 1, player 6: games: the count is not known" in out


def test_an_assumption_in_both_systems_is_told_once(run: Run, write: Write) -> None:
    """§5: counts that are not given concern Regular and Quick alike."""
    event = pair("W2", "L1", time_control="G/45;d5")
    for row in event["sections"][0]["players"]:
        row["ratings"] = {name: {"rating": 1200.0, "games": 20} for name in ("OTBR", "OTBQ")}
    assert "Section 1, players 1-2: wins, draws, losses, events: not given" in run("rate", write(event)).out


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_a_long_crosstable_is_not_squeezed(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    """Eighteen rounds and a long name do not fit eighty columns; every row still has all its cells on its line."""
    monkeypatch.setenv("COLUMNS", width)
    name = "Wolfeschlegelsteinhausenbergerdorff, Hubert Blaine Senior"
    one, other = player(1, ["W2w", "D2b"] * 9, 1700.0), player(2, ["L1b", "D1w"] * 9, 1650.0)
    accept = "--accept", "two-player-section=a long one"
    out = run("rate", write(event_file(one | {"name": name}, other)), *accept).out
    row = line_of(out, f"1 +1 +{name}")
    assert row.count("W2w") == row.count("D2b") == 9
    assert "R:    1700 -> " in row
    assert "R18" in out
    assert "…" not in out


def test_a_name_cannot_write_on_the_terminal(run: Run, write: Write) -> None:
    """Markup of the drawing library and emoji codes stand as written; control characters are refused on reading."""
    event = sound()
    event["sections"][0]["players"][0]["name"] = "[red]Smiley[/red] :smile: [link=x]"
    event["sections"][0]["name"] = "[bold]Open[/bold]"
    event["event"]["name"] = "[blink]Cup"
    out = run("rate", write(event)).out
    for text in ("[red]Smiley[/red] :smile: [link=x]", "[bold]Open[/bold]", "[blink]Cup"):
        assert text in out


def test_an_unrated_player_without_a_game_stays_unrated(run: Run, write: Write) -> None:
    """§7, readings 40."""
    event = sound()
    event["sections"][0]["players"].append(player(4, "B H"))
    assert "R: Unrated -> Unrated" in run("rate", write(event)).out


def test_an_online_section_says_so(run: Run, write: Write) -> None:
    """Official facts §4: online systems are marked ONL."""
    event = pair("W2", "L1", online=True, time_control="G/5;+0")
    for row in event["sections"][0]["players"]:
        row["ratings"] = {"OLB": record(1500.0)}
    assert "ONL:B:    1500 -> " in run("rate", write(event)).out


# Faults


def test_faults_go_to_standard_error_and_nothing_is_printed(run: Run, write: Write) -> None:
    """Design: exit code 1, every fault with place and remedy, errors first, no crosstable."""
    path = write(wrong())
    ran = run("rate", path)
    assert (ran.code, ran.out) == (1, "")
    firsts = [line.split(": ")[1] for line in ran.err.splitlines() if line.startswith(f"{path}: ") and "; " not in line]
    assert firsts == ["error", "error", "error", "warning"]
    assert "error: section 1, player 2, round 2: 'Q' is no known result." in in_short(ran.err)
    assert "player 2 (Player, 2), round 2 [sections[0].players[1]]: 'Q'" in ran.err
    assert "Use W, L, D with the opponent's number, or X F Y B H U Z. [unknown-code]" in ran.err
    assert ran.err.splitlines()[-1] == f"{path}: 3 errors; nothing was rated"


def test_one_error_is_singular(run: Run, write: Write) -> None:
    assert run("rate", write(pair("W2", "U"))).err.endswith(": 1 error; nothing was rated\n")


def test_warnings_do_not_change_the_exit_code(run: Run, write: Write) -> None:
    """Readings 92: a one-sided result is rated, with a warning on standard error."""
    ran = run("rate", write(pair("N2", "U")))
    assert ran.code == 0
    assert "warning: section 1, player 1, round 1: 'N2' is rated on this row alone." in in_short(ran.err)
    assert "nothing was rated" not in ran.err
    assert "R:    1700 -> " in ran.out


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("missing.json", None, "cannot be opened"),
        ("broken.json", b"{", "not valid JSON"),
        ("latin.json", b'{"format": "crosstable-event/1", "event": {"name": "Caf\xe9"}}', "not UTF-8"),
        ("picture.json", b"\x89PNG\r\n", "of no format"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_file_that_cannot_be_read_is_a_fault(
    run: Run, write: Write, name: str, data: bytes | None, words: str, form: list[str]
) -> None:
    path = write(data, name) if data is not None else write(b"", "other").replace("other", name)
    ran = run("rate", path, *form)
    assert ran.code == 1
    assert words in (ran.out if form else ran.err)
    assert "[not-readable]" in ran.err if not form else json.loads(ran.out)["faults"][0]["code"] == "not-readable"


# The document


def document(text: str) -> dict[str, Any]:
    """The only document of an output."""
    (line,) = text.splitlines()
    read: dict[str, Any] = json.loads(line)
    return read


def test_the_document_has_the_fields_of_the_design(run: Run, write: Write) -> None:
    """The names that others rely on; numbers of the round robin of readings, Part 1, to six decimals."""
    ran = run("rate", write(quad()), "--json")
    assert (ran.code, ran.err) == (0, "")
    found = document(ran.out)
    assert set(found) == {"format", "event", "law_seen_through", "sections", "faults"}
    assert (found["format"], found["event"]) == ("crosstable-rated/1", "test-1")
    assert found["law_seen_through"] == LAW_SEEN_THROUGH.isoformat() == "2025-07-26"
    (section,) = found["sections"]
    assert section["number"] == 1
    assert section["systems"]["OTBR"]["edition"] == "2025-01-01"
    rows = section["systems"]["OTBR"]["players"]
    assert all(set(row) >= PLAYER_FIELDS for row in rows)
    posts = [1860.750324, 1654.787342, 1580.735741, 1825.310269]
    assert [row["post"] for row in rows] == pytest.approx(posts, abs=6e-7)
    assert [row["rounded"] for row in rows] == [1861, 1655, 1581, 1825]
    assert [row["games_after"] for row in rows] == [123, 33, 15, 3]
    assert [row["formula"] for row in rows] == ["standard", "standard", "standard", "special"]


def test_the_document_says_null_where_the_design_says_null(run: Run, write: Write) -> None:
    """§2, §4.1: K, E and bonus are null under the special formula, the start is null for rated players."""
    event = quad()
    event["sections"][0]["players"].append(player(5, "B"))
    rows = document(run("rate", write(event), "--json").out)["sections"][0]["systems"]["OTBR"]["players"]
    first, newcomer, idle = rows[0], rows[3], rows[4]
    assert (first["initial"], first["floor"], first["norm"], first["assumed"]) == (None, None, None, [])
    assert [newcomer[name] for name in ("pre", "games_before", "k", "expected", "bonus")] == [None] * 5
    assert newcomer["initial"] == {"rating": 1300.0, "games": 0, "sources": [{"source": "AGE", "age": None}]}
    assert [idle[name] for name in ("pre", "post", "rounded", "games_after", "formula")] == [None] * 5


def test_the_document_names_the_floor_with_its_level(run: Run, write: Write) -> None:
    """§5: the peak of 1941 is the text's own example, with the floor 1700."""
    event = pair("L2", "W1")
    event["sections"][0]["players"][0]["ratings"]["OTBR"] = record(1701.0, peak=1941.0)
    row = document(run("rate", write(event), "--json").out)["sections"][0]["systems"]["OTBR"]["players"][0]
    assert row["floor"] == {"name": "peak", "level": 1700}
    assert row["post"] == 1700.0


def test_a_faulty_file_has_faults_and_no_sections_in_its_document(run: Run, write: Write) -> None:
    ran = run("rate", write(wrong()), "--json")
    assert (ran.code, ran.err) == (1, "")
    found = document(ran.out)
    assert found["sections"] == []
    assert [set(fault) for fault in found["faults"]] == [FAULT_FIELDS] * 4
    assert {fault["severity"] for fault in found["faults"]} == {"error", "warning"}


def test_several_files_give_a_document_a_line(run: Run, write: Write) -> None:
    """Design: one document per line, and one bad file of three is exit code 1."""
    paths = [write(quad(), "a.json"), write(wrong(), "b.json"), write(sound(), "c.json")]
    ran = run("rate", "--json", *paths)
    assert ran.code == 1
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert [len(each["sections"]) for each in found] == [1, 0, 1]
    assert run("rate", "--json", paths[0], paths[2]).code == 0


def test_re_entries_say_with_whom_they_were_merged(run: Run, write: Write) -> None:
    """Readings 104: rated once on all games, both rows show the same."""
    again = player(2, "U W3", 1500.0) | {"member_id": "10000001", "name": "Player, 1"}
    others = player(3, "W1 L2 D4", 1500.0), player(4, "U U D3", 1500.0)
    event = event_file(player(1, "L3 U", 1500.0), again, *others)
    rows = document(run("rate", write(event), "--json").out)["sections"][0]["systems"]["OTBR"]["players"]
    assert [row.get("merged_with") for row in rows] == [[2], [1], None, None]
    assert rows[0]["post"] == rows[1]["post"]
    assert (rows[0]["score"], rows[0]["games_after"]) == (1.0, 42)


def test_the_calendar_of_the_announcements_goes_by_the_end(run: Run, write: Write) -> None:
    """§8, readings 98: a section of 2014-03-17 to 04-07 has B = 8 by its start, B = 10 by its end, so less bonus."""
    rivals = [player(2 + at, ["U"] * at + ["L1"], 1500.0, 60) for at in range(4)]
    event = event_file(player(1, "W2 W3 W4 W5", 1500.0), *rivals, on="2014-03-17")
    event["event"]["end_date"] = "2014-04-07"
    path = write(event)
    systems = [
        document(run("rate", path, "--json", "--calendar", calendar).out)["sections"][0]["systems"]["OTBR"]
        for calendar in ("listed", "announced")
    ]
    assert [system["edition"] for system in systems] == ["2013-09-01", "2014-03-20"]
    by_start, by_end = (system["players"][0] for system in systems)
    changes = [row["k"] * (row["score"] - row["expected"]) for row in (by_start, by_end)]
    assert by_start["bonus"] == pytest.approx(changes[0] - 8 * 2, abs=1e-9)
    assert by_end["bonus"] == pytest.approx(changes[1] - 10 * 2, abs=1e-9)
    assert by_start["post"] > by_end["post"]


def test_a_section_that_is_not_over_is_not_rated(run: Run, write: Write) -> None:
    """The door knows what day it is."""
    ran = run("rate", write(pair("W2", "L1", "2999-01-01")))
    assert ran.code == 1
    assert "[in-the-future]" in ran.err


# Ratings that the file does not carry


def test_a_pairing_rating_is_no_rating_unless_asked_for(run: Run, write: Write) -> None:
    """Design: never taken for a rating silently; with --pairing-ratings it is, and the result says so."""
    event = event_file(player(1, "W2", pairing_rating=1700), player(2, "L1", pairing_rating=1650))
    path = write(event)
    ran = run("rate", path)
    assert (ran.code, ran.out) == (1, "")
    assert "Nothing but a pairing rating is known of players 1, 2." in ran.err
    assert "[rating-not-known]" in ran.err
    rows = document(run("rate", path, "--json", "--pairing-ratings").out)["sections"][0]["systems"]["OTBR"]["players"]
    assert [row["pre"] for row in rows] == [1700.0, 1650.0]
    assert all(any("pairing rating" in note for note in row["assumed"]) for row in rows)

"""``crosstable convert --to dbf``: what is cut is told, and what would not be accepted is not written."""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstable.cli import main
from tests.event_files import event_file
from tests.event_files import player as row
from tests.formats.swisssys_event import EVENT, packed, player

Capture = pytest.CaptureFixture[str]
LONG = "The Annual Spring Open of Springfield and Neighbours"


def event(**overview: str) -> dict[str, Any]:
    return {**EVENT, "Overview": {**EVENT["Overview"], **overview}}


def waiting() -> dict[str, Any]:
    rows = [player(1), player(2)]
    return {"Section name": "Waiting list", "Number of players": 2, "Final round": 3, "Players": rows}


def written(tmp_path: Path, made: dict[str, Any], *options: str) -> tuple[int, Path]:
    file = tmp_path / "event.sjson"
    file.write_bytes(packed(made))
    return main(["convert", str(file), "--to", "dbf", "--out", str(tmp_path / "out"), *options]), tmp_path / "out"


def ratings(capsys: Capture, *arguments: str) -> dict[tuple[int, str, int], float]:
    capsys.readouterr()
    main(["rate", *arguments, "--json"])
    sections = json.loads(capsys.readouterr().out)["sections"]
    return {
        (section["number"], system, one["number"]): one["post"]
        for section in sections
        for system, found in section["systems"].items()
        for one in found["players"]
        if one["formula"] is not None
    }


def test_a_long_name_is_cut_with_a_warning_or_given_another(tmp_path: Path, capsys: Capture) -> None:
    made = event(**{"Tournament title": LONG})
    code, folder = written(tmp_path, made)
    assert code == 0
    assert f"'{LONG[:35]}' was written" in capsys.readouterr().err
    assert LONG[:35].encode() in (folder / "THEXPORT.DBF").read_bytes()
    code, folder = written(tmp_path, made, "--event-name", "Spring Open", "--force")
    assert code == 0
    assert "was written" not in capsys.readouterr().err
    assert b"Spring Open " in (folder / "THEXPORT.DBF").read_bytes()


def test_a_section_without_a_game_stays_away_and_the_rest_rates_the_same(tmp_path: Path, capsys: Capture) -> None:
    made = event(**{"Tournament title": LONG})
    made["Sections"] = [waiting(), *made["Sections"]]
    members = tmp_path / "members.csv"
    rows = "".join(f"3000000{at},{1400 + 50 * at},30\n" for at in range(1, 4))
    members.write_text(f"ID,OTBR rating,OTBR games\n{rows}")
    code, folder = written(tmp_path, made)
    assert code == 0
    assert "The section has no game and was left out." in capsys.readouterr().err
    before = ratings(capsys, str(tmp_path / "event.sjson"), "--members", str(members))
    after = ratings(capsys, str(folder), "--members", str(members))
    assert len(after) >= 6
    assert after == {(section - 1, system, number): post for (section, system, number), post in before.items()}


def test_what_has_errors_is_not_written(tmp_path: Path, capsys: Capture) -> None:
    made = event(**{"Tournament time controls": ""})
    code, folder = written(tmp_path, made)
    assert code == 1
    assert not folder.exists()
    assert "no-time-control" in capsys.readouterr().err
    assert written(tmp_path, made, "--control", "G/45;d5")[0] == 0


def test_an_entry_list_is_no_report(tmp_path: Path, capsys: Capture) -> None:
    made = event()
    made["Sections"] = [waiting()]
    code, folder = written(tmp_path, made)
    assert code == 1
    assert not folder.exists()
    assert "[no-game]" in capsys.readouterr().err


def test_a_match_is_written_though_its_file_has_no_ratings(tmp_path: Path, capsys: Capture) -> None:
    rows = [{"number": at, "member_id": f"1234567{at}", "rounds": cells} for at, cells in ((1, ["W2"]), (2, ["L1"]))]
    days = {"start_date": "2026-06-14", "end_date": "2026-06-15"}
    section = {"number": 1, "type": "match", "time_control": "G/90;d5", "players": rows}
    file = tmp_path / "event.json"
    file.write_text(json.dumps({"format": "crosstable-event/1", "event": {"name": "x", **days}, "sections": [section]}))
    assert main(["convert", str(file), "--to", "dbf", "--out", str(tmp_path / "out.zip")]) == 0, capsys.readouterr().err


def test_players_and_sections_are_numbered_from_one_on_and_rate_the_same(tmp_path: Path, capsys: Capture) -> None:
    players = [
        {"number": 7, "member_id": "12345671", "pairing_rating": 1500, "rounds": ["W12w", "D3"]},
        {"number": 12, "member_id": "12345672", "pairing_rating": 1450, "rounds": ["L7b", "X"]},
        {"number": 3, "member_id": "12345673", "pairing_rating": 1400, "rounds": ["B", "D7"]},
    ]
    days = {"start_date": "2026-06-14", "end_date": "2026-06-15"}
    section = {"number": 104, "type": "swiss", "time_control": "G/90;d5", "players": players, **days}
    content = {"format": "crosstable-event/1", "event": {"name": "x"}, "sections": [section]}
    file = tmp_path / "event.json"
    file.write_text(json.dumps(content))
    assert main(["convert", str(file), "--to", "dbf", "--out", str(tmp_path / "out")]) == 0
    assert "numbered anew" in capsys.readouterr().err
    before = ratings(capsys, str(file), "--pairing-ratings")
    after = ratings(capsys, str(tmp_path / "out"), "--pairing-ratings")
    assert list(before.values()) == list(after.values())
    assert list(after) == [(1, "OTBR", 1), (1, "OTBR", 2), (1, "OTBR", 3)]


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"online": True}, "Mark it so where you submit"),
        ({"systems": ["OTBR"]}, "cannot name the systems"),
        ({"start_date": "2005-01-01", "end_date": "2005-01-01", "k_factor": "half"}, "has half K"),
        ({}, "The ratings of 2 players were left out"),
    ],
)
def test_what_the_files_cannot_say_is_told(
    tmp_path: Path, capsys: Capture, section: dict[str, Any], words: str
) -> None:
    players = [
        {"number": 1, "member_id": "12345671", "ratings": {"OTBR": {"rating": 1500}}, "rounds": ["W2"]},
        {"number": 2, "member_id": "12345672", "ratings": {"OTBR": {"rating": 1400}}, "rounds": ["L1"]},
    ]
    days = {"start_date": "2026-06-14", "end_date": "2026-06-14"}
    made = {"number": 1, "name": "Open", "type": "swiss", "time_control": "G/60;d5", "players": players}
    file = tmp_path / "event.json"
    content = {"format": "crosstable-event/1", "event": {"name": "x", **days}, "sections": [{**made, **section}]}
    file.write_text(json.dumps(content))
    assert main(["convert", str(file), "--to", "dbf", "--out", str(tmp_path / "out.zip")]) == 0
    assert words in capsys.readouterr().err


SECTIONS: tuple[dict[str, Any], ...] = (
    {"time_control": "G/45;d5"},
    {"time_control": "G/45;d5", "online": True, "name": "A section with a name that is rather long"},
    {"time_control": "G/10;d0", "online": True, "name": "Blitz (online)"},
    {"time_control": "G/45;d5", "systems": ["OTBR"]},
    *({"systems": [system]} for system in ("OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB")),
    {"systems": ["OTBR", "OTBQ"], "name": ""},
    {"systems": ["OLR"], "online": True},
    {"time_control": "G/90;d5", "type": "match", "match_waiver": "the office said so"},
    {"time_control": "40/120,SD/60", "k_factor": "half", "start_date": "2005-08-01", "end_date": "2005-08-02"},
)


def test_whatever_rates_is_written_and_read_back_rates_the_same(tmp_path: Path, capsys: Capture) -> None:
    """With the same members file: systems, online play and half K, which the files have no field for, are kept."""
    systems = ("OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB")
    lines = [",".join(("ID", *(f"{system} rating,{system} games" for system in systems)))]
    cells = {at: ",".join(f"{1500 + 37 * at + 11 * k},{5 + at + k}" for k in range(6)) for at in range(1, 5)}
    lines += [f"{10_000_000 + at},{text}" for at, text in cells.items()]
    (tmp_path / "members.csv").write_text("\n".join(lines))
    for number, more in enumerate(SECTIONS):
        made = event_file(row(1, "W2 D4"), row(2, "L1 W3"), row(3, "W4 L2"), row(4, "L3 D1"))
        section = made["sections"][0]
        if "time_control" not in more:
            del section["time_control"]
        section |= more
        if "type" in more:  # provisional ratings: no match without a waiver
            section["players"] = [row(1, "W2 D2"), row(2, "L1 D1")]
        if "start_date" in more:
            made["event"] |= {"start_date": more["start_date"], "end_date": more["end_date"]}
        source, out = tmp_path / f"{number}.json", tmp_path / f"{number}.zip"
        source.write_text(json.dumps(made))
        assert main(["convert", str(source), "--to", "dbf", "--out", str(out)]) == 0
        before = ratings(capsys, str(source), "--members", str(tmp_path / "members.csv"))
        assert len(before) >= len(section["players"])
        assert ratings(capsys, str(out), "--members", str(tmp_path / "members.csv")) == before, more
        again = tmp_path / f"{number}-again.zip"
        assert main(["convert", str(out), "--to", "dbf", "--out", str(again)]) == 0
        assert again.read_bytes() == out.read_bytes()


def test_a_damaged_section_can_be_left_out(tmp_path: Path, capsys: Capture) -> None:
    made = event()
    broken = {**made["Sections"][0], "Section name": "Broken", "Players": made["Sections"][0]["Players"][:1]}
    made["Sections"] = [*made["Sections"], broken]
    number = str(len(made["Sections"]))
    code, folder = written(tmp_path, made)
    assert (code, folder.exists()) == (1, False)
    assert "[damaged-file]" in capsys.readouterr().err
    code, folder = written(tmp_path, made, "--exclude", number)
    assert (code, folder.exists(), "[damaged-file]" in capsys.readouterr().err) == (0, True, False)


def test_what_must_be_confirmed_is_written_when_it_is(tmp_path: Path, capsys: Capture) -> None:
    source, out = tmp_path / "event.json", str(tmp_path / "out.zip")
    source.write_text(json.dumps(event_file(row(1, "W2 D2", 1500.0), row(2, "L1 D1", 1400.0))))
    convert = ["convert", str(source), "--to", "dbf", "--out", out]
    for command in (convert, ["rate", str(source)]):
        assert main(command) == 1
        assert '--accept two-player-section="your reason". [two-player-section]' in capsys.readouterr().err
    assert main([*convert, "--accept", "two-player-section=it was a Swiss of two"]) == 0
    assert main([*convert, "--accept", "two-player-section"]) == 2
    assert "only with a reason" in capsys.readouterr().err


def test_a_date_that_was_given_stands_for_one_that_is_not_read(tmp_path: Path, capsys: Capture) -> None:
    made = event(**{"Ending date": "soon"})
    code, folder = written(tmp_path, made)
    assert (code, folder.exists()) == (1, False)
    assert "--end YYYY-MM-DD" in capsys.readouterr().err
    code, folder = written(tmp_path, made, "--end", "2026-04-29")
    assert (code, folder.exists()) == (0, True)


def test_games_of_a_provisional_rating_that_the_files_cannot_carry_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """D_RATING has four digits: what rates the files again would take 1333P11 for an established 1333."""
    chart = tmp_path / "quad.csv"
    chart.write_text("Name,ID,Rating,Rd 1\nDrake,10000001,1333P11,W2\nFrost,10000002,1400,L1\n")
    given = ["--control", "G/60;d5", "--start", "2026-06-14", "--out", str(tmp_path / "files.zip")]
    assert main(["convert", str(chart), "--to", "dbf", *given]) == 0
    assert "Game counts of provisional ratings were left out (1)" in "".join(capsys.readouterr())

"""What a director does: hand over pairing files, add what members had, see the crosstable, convert, verify."""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstable.cli import main
from tests.documents import valid
from tests.verification.made_pages import archive_bytes, page_line, player

Capture = pytest.CaptureFixture[str]

MEMBERS = """\
Member ID,Name,OTBR rating,OTBR games,OTBR as of,Birth date
10000001,"Abbott, Ruth",1850,120,2026-05-01,1980-01-01
10000002,"Bishop, Carl",1700,30,2026-05-01,1985-01-01
10000003,"Castle, Ines",1500,12,2026-05-01,1990-01-01
10000004,"Dunne, Pat",,,,1970-01-01
"""


def event(**changes: Any) -> dict[str, Any]:
    """The round robin of the documents' reference values (readings, part 1), as a pairing file would carry it."""
    rounds = [["W2", "D3", "W4"], ["L1", "L4", "L3"], ["L4", "D1", "W2"], ["W3", "W2", "L1"]]
    names = ["Abbott, Ruth", "Bishop, Carl", "Castle, Ines", "Dunne, Pat"]
    players = [
        {"number": at + 1, "member_id": f"1000000{at + 1}", "name": name, "pairing_rating": rating, "rounds": cells}
        for at, (name, rating, cells) in enumerate(zip(names, (1840, 1690, 1480, None), rounds, strict=True))
    ]
    section = {"number": 1, "name": "A", "type": "round_robin", "time_control": "G/90;d5", "players": players}
    return {
        "format": "crosstable-event/1",
        "event": {"id": "", "name": "Quad", "start_date": "2026-06-14", "end_date": "2026-06-14"},
        "sections": [{**section, **changes}],
    }


@pytest.fixture
def quad(tmp_path: Path) -> Path:
    path = tmp_path / "quad.json"
    path.write_text(json.dumps(event()))
    return path


@pytest.fixture
def members(tmp_path: Path) -> Path:
    path = tmp_path / "members.csv"
    path.write_text(MEMBERS)
    return path


def rated(out: str) -> dict[int, dict[str, Any]]:
    document = json.loads(out)
    return {one["number"]: one for one in document["sections"][0]["systems"]["OTBR"]["players"]}


def test_pairing_ratings_alone_are_not_rated_from(quad: Path, capsys: Capture) -> None:
    assert main(["rate", str(quad), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["sections"] == []
    assert [fault["code"] for fault in document["faults"] if fault["severity"] == "error"] == ["rating-not-known"]


def test_a_members_file_gives_the_exact_preview(quad: Path, members: Path, capsys: Capture) -> None:
    """The reference values of readings, part 1: 1860.750324, 1654.787342, 1580.735741, 1825.310269."""
    assert main(["rate", str(quad), "--members", str(members), "--json"]) == 0
    players = rated(capsys.readouterr().out)
    expected = {1: 1860.750324, 2: 1654.787342, 3: 1580.735741, 4: 1825.310269}
    assert {number: one["post"] for number, one in players.items()} == pytest.approx(expected, abs=1e-6)
    assert "members.csv" in players[1]["rating_from"]


def test_the_three_dbf_files_are_rated_in_any_order_and_as_a_folder(
    quad: Path, members: Path, tmp_path: Path, capsys: Capture
) -> None:
    folder = tmp_path / "dbf"
    assert main(["convert", str(quad), "--to", "dbf", "--out", str(folder)]) == 0
    files = sorted((str(path) for path in folder.iterdir()), reverse=True)
    assert len(files) == 3
    capsys.readouterr()
    for given in ([str(folder)], files):
        assert main(["rate", *given, "--members", str(members), "--json"]) == 0
        assert rated(capsys.readouterr().out)[4]["post"] == pytest.approx(1825.310269, abs=1e-6)


def test_pairing_ratings_count_when_asked_for_and_say_so(quad: Path, capsys: Capture) -> None:
    assert main(["rate", str(quad), "--pairing-ratings", "--json"]) == 0
    players = rated(capsys.readouterr().out)
    assert players[1]["pre"] == 1840
    assert any(note.startswith("rating: the pairing rating") for note in players[1]["assumed"])
    assert players[4]["pre"] is None


def test_an_unknown_age_shows_the_range_of_results(tmp_path: Path, capsys: Capture) -> None:
    """Readings 23, 49: on one loss to 1840 the start stays, 750 if nothing is known and 1300 for an adult."""
    made = event()
    for one, cells in zip(made["sections"][0]["players"], (["W4"], [""], [""], ["L1"]), strict=True):
        one["rounds"] = cells
    path = tmp_path / "age.json"
    path.write_text(json.dumps(made))
    assert main(["rate", str(path), "--pairing-ratings", "--json"]) == 0
    assert rated(capsys.readouterr().out)[4]["range"] == [750.0, 1300.0]
    assert main(["rate", str(path), "--pairing-ratings"]) == 0
    assert "(750 to 1300)" in capsys.readouterr().out


def test_an_event_is_rated_as_it_stood_after_a_round(quad: Path, members: Path, capsys: Capture) -> None:
    given = ["rate", str(quad), "--members", str(members)]
    assert main([*given, "--after-round", "1", "--json"]) == 0
    after_one = rated(capsys.readouterr().out)
    assert {number: one["games_after"] for number, one in after_one.items()} == {1: 121, 2: 31, 3: 13, 4: 1}
    assert main([*given, "--each-round"]) == 0
    table = capsys.readouterr().out
    assert "after 3" in table
    assert "1861" in table


def test_a_member_in_two_sections_goes_on_from_the_first(members: Path, tmp_path: Path, capsys: Capture) -> None:
    """Ratings of a members file chain in the order of the fold: the later section starts where the earlier ended."""
    made = event(start_date="2026-06-13", end_date="2026-06-13")
    second = event(number=2)["sections"][0]
    made["sections"].insert(0, second)
    path = tmp_path / "two.json"
    path.write_text(json.dumps(made))
    assert main(["rate", str(path), "--members", str(members), "--json"]) == 0
    sections = json.loads(capsys.readouterr().out)["sections"]
    by_number = {section["number"]: section["systems"]["OTBR"]["players"] for section in sections}
    assert [section["number"] for section in sections] == [2, 1]
    assert by_number[1][0]["post"] == pytest.approx(1860.750324, abs=1e-6)
    assert by_number[2][0]["pre"] == by_number[1][0]["post"]
    assert by_number[2][0]["games_before"] == 123


@pytest.mark.parametrize(("form", "mark"), [("--text", "1500P12"), ("--html", "<table"), ("--csv", "Castle")])
def test_a_crosstable_comes_in_the_form_that_is_asked_for(
    form: str, mark: str, quad: Path, members: Path, capsys: Capture
) -> None:
    assert main(["rate", str(quad), "--members", str(members), form]) == 0
    assert mark in capsys.readouterr().out


def test_a_workbook_is_written(quad: Path, members: Path, tmp_path: Path) -> None:
    out = tmp_path / "quad.xlsx"
    assert main(["rate", str(quad), "--members", str(members), "--xlsx", str(out)]) == 0
    assert out.read_bytes().startswith(b"PK")


@pytest.mark.parametrize("form", ["json", "trf16", "trf26", "csv", "xlsx"])
def test_what_is_converted_can_be_read_again(form: str, quad: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / f"out.{form}"
    assert main(["convert", str(quad), "--to", form, "--out", str(out)]) == 0
    capsys.readouterr()
    assert main(["convert", str(out), "--to", "json"]) == 0
    [section] = json.loads(capsys.readouterr().out)["sections"]
    assert [len(section["players"]), section["players"][0]["name"]] == [4, "Abbott, Ruth"]


def test_convert_wants_one_event_and_a_section_that_exists(quad: Path, capsys: Capture) -> None:
    assert main(["convert", str(quad), str(quad), "--to", "json"]) == 2
    assert main(["convert", str(quad), "--to", "json", "--section", "9"]) == 2
    assert main(["convert", str(quad.with_name("none.json")), "--to", "json"]) == 1
    assert "cannot be opened" in capsys.readouterr().err
    assert main(["convert", str(quad), "--to", "trf26", "--section", "1"]) == 0
    assert "Abbott" in capsys.readouterr().out


def test_a_faulty_file_is_printed_as_far_as_it_was_read_but_never_stored(tmp_path: Path, capsys: Capture) -> None:
    made = event(start_date="2026-13-01")
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(made))
    out = tmp_path / "out.json"
    assert main(["convert", str(path), "--to", "json", "--out", str(out)]) == 1
    assert not out.exists()
    assert main(["convert", str(path), "--to", "json"]) == 1
    assert "bad-date" in capsys.readouterr().err


def test_a_warning_can_be_accepted_with_a_reason_and_an_error_cannot(
    tmp_path: Path, members: Path, capsys: Capture
) -> None:
    made = event(end_date="2026-06-14", start_date="2026-04-01")
    path = tmp_path / "long.json"
    path.write_text(json.dumps(made))
    given = [str(path), "--members", str(members)]
    assert main(["check", *given, "--json"]) == 0
    assert "long-section" in {fault["code"] for fault in json.loads(capsys.readouterr().out)["faults"]}
    assert main(["check", *given, "--json", "--accept", "long-section=a league"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert "long-section" not in {fault["code"] for fault in document["faults"]}
    assert [kept["reason"] for kept in document["accepted"] if kept["code"] == "long-section"] == ["a league"]
    assert main(["check", *given, "--accept", "long-section=a league"]) == 0
    assert "accepted" in capsys.readouterr().out
    assert main(["check", *given, "--accept", "long-sektion=a league"]) == 2
    assert "long-section" in capsys.readouterr().err
    assert main(["rate", *given, "--json", "--accept", "long-section=a league"]) == 0
    assert json.loads(capsys.readouterr().out)["accepted"]


def test_files_of_no_known_format_are_refused_with_what_is_known(tmp_path: Path, capsys: Capture) -> None:
    for name, data in (("a.bin", b"\x00\x01\x02"), ("b.gz", b"\x1f\x8b\x00"), ("c.dbf", b"\x03nothing")):
        path = tmp_path / name
        path.write_bytes(data)
        assert main(["rate", str(path), "--json"]) == 1
        [fault] = json.loads(capsys.readouterr().out)["faults"][:1]
        assert fault["code"] in ("not-readable", "damaged-file", "missing-field")


def test_templates_are_printed_and_read(tmp_path: Path, capsys: Capture) -> None:
    for shape in ("members", "wallchart"):
        assert main(["schema", shape]) == 0
        path = tmp_path / f"{shape}.csv"
        path.write_text(capsys.readouterr().out)
    assert main(["convert", str(tmp_path / "wallchart.csv"), "--to", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["sections"]


def archive_file(tmp_path: Path) -> Path:
    rows = [player(1, 1500.0, 80, ["W2", "W3"]), player(2, 1500.0, 80, ["L1", ""]), player(3, 1400.0, 80, ["", "L1"])]
    path = tmp_path / "2016.jsonl.gz"
    path.write_bytes(archive_bytes(page_line("201601010001", "2016-01-01", rows)))
    return path


def test_verify_prints_counts_that_add_up(tmp_path: Path, capsys: Capture) -> None:
    path = archive_file(tmp_path)
    page = tmp_path / "report.html"
    assert main(["verify", str(path), "--json", "--html", str(page)]) == 0
    document = valid(json.loads(capsys.readouterr().out))
    total = document["total"]
    assert total["clean_rows"] == total["within_1"] + total["at_floor"] + total["unexplained"] == 3
    assert document["carried"]["within_1"] == 3
    assert "<svg" in page.read_text("utf-8")
    assert main(["verify", str(tmp_path / "2016.jsonl.gz"), "--online-fault"]) == 0
    assert "each section alone" in capsys.readouterr().out


def test_verify_compares_an_event_file_with_its_posted_decimals(tmp_path: Path, capsys: Capture) -> None:
    """Posted figures of two players with decimals (reference values of readings, part 1), one of them wrong by 5."""
    made = event()
    posted = (1860.75, 1654.79, 1585.74, 1825.31)
    standings = ({"rating": 1850, "games": 120}, {"rating": 1700, "games": 30}, {"rating": 1500, "games": 12}, None)
    for one, figure, standing in zip(made["sections"][0]["players"], posted, standings, strict=True):
        one["posted"] = {"OTBR": {"rating": figure}}
        one["ratings"] = {"OTBR": standing} if standing else {}
        one["adult"] = True
    path = tmp_path / "posted.json"
    path.write_text(json.dumps(made))
    assert main(["verify", str(path), "--json"]) == 0
    document = valid(json.loads(capsys.readouterr().out))
    assert document["total"]["within_001"] == 3
    assert [row["number"] for row in document["unexplained"]] == [3]
    assert main(["verify", str(path)]) == 0
    assert "Rows that differ" in capsys.readouterr().out


def test_verify_without_posted_figures_says_so(quad: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["verify", str(quad)]) == 1
    assert "there are no posted ratings" in capsys.readouterr().err
    bad = tmp_path / "bad.jsonl.gz"
    bad.write_bytes(b"\x1f\x8bxx")
    assert main(["verify", str(bad)]) == 1
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "2016.jsonl.gz").write_bytes(archive_file(tmp_path).read_bytes())
    assert main(["verify", str(folder)]) == 0


def test_verify_names_the_faults_of_a_file_it_cannot_compare_and_goes_on_with_others(
    tmp_path: Path, capsys: Capture
) -> None:
    made = event()
    for one in made["sections"][0]["players"]:
        one["posted"] = {"OTBR": {"rating": 1500}}
    made["sections"][0]["players"][0]["rounds"][0] = "L2"
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(made))
    assert main(["verify", str(bad)]) == 1
    assert "not-mirrored" in capsys.readouterr().err
    assert main(["verify", str(bad), str(archive_file(tmp_path))]) == 1
    out = capsys.readouterr()
    assert "not-mirrored" in out.err
    assert "each section alone" in out.out


def test_a_path_that_cannot_be_written_is_said_and_is_no_error_of_the_program(
    quad: Path, members: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = str(tmp_path / "nowhere" / "x.xlsx")
    assert main(["rate", str(quad), "--members", str(members), "--xlsx", out]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_folder_may_be_called_anything(quad: Path, members: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "event.dbf"
    assert main(["convert", str(quad), "--to", "dbf", "--out", str(folder)]) == 0
    assert main(["rate", str(folder), "--members", str(members), "--json"]) == 0
    capsys.readouterr()


def test_check_says_what_rating_will_need(quad: Path, capsys: Capture) -> None:
    assert main(["check", str(quad)]) == 1
    assert "--pairing-ratings" in capsys.readouterr().out
    assert main(["check", str(quad), "--pairing-ratings"]) == 0


def test_one_event_to_a_page(quad: Path, capsys: Capture) -> None:
    assert main(["rate", str(quad), str(quad), "--html"]) == 2
    assert "one event" in capsys.readouterr().err


def test_a_members_file_for_an_event_has_a_row_for_each_player(quad: Path, members: Path, capsys: Capture) -> None:
    """Filled from a list it rates the event as the list does: the round robin of readings, part 1."""
    assert main(["members", "for", str(quad)]) == 0
    lines = capsys.readouterr().out.lstrip("\ufeff").splitlines()
    assert lines[0] == "Member ID,Name,State,Member until,FIDE id,Birth date,OTBR rating,OTBR games,OTBR peak"
    assert lines[1] == '10000001,"Abbott, Ruth",,,,,,,'
    filled = str(quad.parent / "filled.csv")
    assert main(["members", "for", str(quad), "--members", str(members), "--out", filled]) == 0
    assert capsys.readouterr() == ("", "")
    posts = []
    for path in (filled, str(members)):
        assert main(["rate", str(quad), "--members", path, "--json"]) == 0
        posts.append([one["post"] for one in rated(capsys.readouterr().out).values()])
    assert posts[0] == posts[1]


def test_players_without_an_id_have_a_row_that_says_so(tmp_path: Path, capsys: Capture) -> None:
    chart = tmp_path / "list.csv"
    chart.write_text("Name,ID,Rating\nAnn,,1500\nBo,10000001,\n")
    out = str(tmp_path / "members.csv")
    assert main(["members", "for", str(chart), "--out", out]) == 0
    assert capsys.readouterr().err == "1 player has no member id: look them up, or their rows are left out\n"
    assert main(["check", str(chart), "--members", out, "--json"]) == 0
    codes = [one["code"] for one in json.loads(capsys.readouterr().out)["faults"]]
    assert codes.count("ignored-record") == 1
    (tmp_path / "no.csv").write_text("nothing")
    assert main(["members", "for", str(tmp_path / "no.csv")]) == 1
    assert "no player was found" in capsys.readouterr().err


def test_everything_that_is_missing_is_asked_for_at_once_and_one_day_is_enough(tmp_path: Path, capsys: Capture) -> None:
    """A spreadsheet with pairing ratings alone: no control, no date, no rating to start from."""
    chart = tmp_path / "quad.csv"
    chart.write_text("No,Name,Rating,R1\n1,Ann,1322P11,W2\n2,Bo,1410,L1\n")
    assert main(["check", str(chart), "--json"]) == 1
    codes = [found["code"] for found in json.loads(capsys.readouterr().out)["faults"]]
    assert {"no-dates", "no-time-control", "rating-not-known"} <= set(codes)
    given = ["rate", str(chart), "--control", "G/60;d5", "--start", "6/14/2026", "--pairing-ratings"]
    assert main(given) == 0
    out = capsys.readouterr().out
    assert "end_date: not given, so the start date given beside the file" in out
    assert "R: 1322P11 -> " in out
    assert main([*given, "--html"]) == 0
    page = capsys.readouterr().out
    assert page.count(">Regular and Quick</th>") == 1
    assert ">Quick</th>" not in page

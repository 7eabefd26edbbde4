"""One number for a player in every output, standings, and the manners of commands that write or refuse."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook

from crosstable.formats import msa
from tests.architecture.source import ROOT
from tests.checks.provoked import pair
from tests.cli.conftest import Run, Write
from tests.event_files import EventFile, quad
from tests.formats.reports import texts

SAMPLE = str(ROOT / "examples" / "summer-quads.json")
Games = dict[int, tuple[int, list[str]]]
# The quad of readings, part 1: points 2.5, 2, 1.5, 0 of players 1, 4, 3, 2.
QUAD: Games = {
    1: (1, ["W2", "D3", "W4"]),
    4: (2, ["W3", "W2", "L1"]),
    3: (3, ["L4", "D1", "W2"]),
    2: (4, ["L1", "L4", "L3"]),
}


def upside_down() -> EventFile:
    """The quad with its rows the other way around: no order of the file helps."""
    event = quad()
    event["sections"][0]["players"].reverse()
    return event


def test_a_player_has_one_number_and_one_rank_in_every_output(run: Run, write: Write, tmp_path: Path) -> None:
    path, book = write(upside_down()), tmp_path / "wall.xlsx"
    rated = json.loads(run("rate", path, "--json").out)
    ranks = {one["number"]: one["rank"] for one in rated["sections"][0]["systems"]["OTBR"]["players"]}
    assert ranks == {number: rank for number, (rank, _) in QUAD.items()}
    table = re.findall(r"^ +(\d) +(\d) +Player, \d +\S+ +(\S+) +(\S+) +(\S+) ", run("rate", path).out, re.MULTILINE)
    assert {int(row[1]): (int(row[0]), list(row[2:])) for row in table} == QUAD
    text = run("rate", path, "--text").out
    read = msa.read(text.encode(), "text").report.sections[0].players
    assert {row.number: (at, texts(row)) for at, row in enumerate(read, start=1)} == QUAD
    page = run("rate", path, "--html").out
    rows = re.findall(r'class="rank">(\d)</td><td class="number">(\d)</td>(.*)</tr>', page)
    cells = {int(number): (int(rank), re.findall(r'data-round="\d">(\w+)', rest)) for rank, number, rest in rows}
    assert cells == QUAD
    sheet = csv.DictReader(io.StringIO(run("rate", path, "--csv").out))
    found = {int(row["number"]): (int(row["rank"]), [row[f"round_{at}"] for at in (1, 2, 3)]) for row in sheet}
    assert found == QUAD
    assert run("rate", path, "--xlsx", str(book)).code == 0
    wall = CalamineWorkbook.from_path(str(book)).get_sheet_by_index(0).to_python()
    assert {row[1]: (row[0], row[-3:]) for row in wall[5:9]} == QUAD
    assert run("explain", path, "--player", "4").out.startswith("Player, 4, ")


@pytest.mark.parametrize("who", ["4", "10000004", "Dunne, Pat", "dunne", "PAT"])
def test_a_player_is_found_by_number_member_id_or_name(run: Run, who: str) -> None:
    """An id or a name alone would be in both sections of the sample; with the section it is one."""
    ran = run("explain", SAMPLE, "--section", "2", "--player", who, "--json")
    assert (ran.code, json.loads(ran.out)["player"]) == (0, 4)


def test_a_name_finds_its_section(run: Run) -> None:
    """Ellis plays in the second section only."""
    players = json.loads(Path(SAMPLE).read_text("utf-8"))["sections"][1]["players"]
    names = {one["name"]: one["number"] for one in players}
    (only,) = set(names) - {"Abbott, Ruth", "Bishop, Carl", "Castle, Ines", "Dunne, Pat"}
    ran = json.loads(run("explain", SAMPLE, "--player", only.split(",")[0], "--json").out)
    assert (ran["section"], ran["player"]) == (2, names[only])


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("Dunne", "'Dunne' may be several: section 1, player 4 (Dunne, Pat); section 2, player 4 (Dunne, Pat)"),
        ("Nobody", "nobody here has the number, member id or name 'Nobody'"),
        ("4", "the event has sections 1, 2; name one"),
        ("99", "the event has sections 1, 2; name one"),
    ],
)
def test_who_cannot_be_found_is_told(run: Run, who: str, words: str) -> None:
    ran = run("explain", SAMPLE, "--player", who)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"crosstable explain: {words}")
    assert "there is no rated section 7" in run("explain", SAMPLE, "--section", "7", "--player", "Dunne").err


def test_standings_show_tie_breaks_in_every_output_that_has_them(run: Run, write: Write, tmp_path: Path) -> None:
    """The quad as a Swiss, by hand: the opponents of 1 scored 0, 1.5 and 2, cumulated 0, 2 and 5; 1 + 1.5 + 2.5 = 5."""
    event, book = quad(), tmp_path / "wall.xlsx"
    event["sections"][0]["type"] = "swiss"
    path = write(event)
    out = run("rate", path, "--standings").out
    assert re.search(r"ModMed +Solkoff +Cumul +CumOpp", out)
    assert re.search(r"1 +1 +Player, 1 +2\.5 +W2 +D3 +W4 +3\.5 +3\.5 +5 +7", out)
    page = run("rate", path, "--html", "--tie-break", "solkoff").out
    assert '<td class="tie-break" data-method="Solkoff">3.5</td>' in page
    assert "Ranks go by points, then by Solkoff." in page
    row = next(csv.DictReader(io.StringIO(run("rate", path, "--csv", "--standings").out)))
    assert (row["ModMed"], row["Cumul"]) == ("3.5", "5")
    assert run("rate", path, "--xlsx", str(book), "--standings").code == 0
    wall = CalamineWorkbook.from_path(str(book)).get_sheet_by_index(0).to_python()
    assert wall[5][wall[4].index("ModMed")] == 3.5


def test_an_event_without_a_name_can_be_given_one(run: Run, write: Write) -> None:
    event = quad()
    event["event"]["name"] = ""
    assert "<title>Saturday Swiss</title>" in run("rate", write(event), "--html", "--event-name", "Saturday Swiss").out
    assert run("rate", write(event), "--event-name", "Saturday Swiss").out.startswith("Saturday Swiss · ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--standings", "--json"], "standings are for the terminal, --html, --csv and --xlsx"),
        (["--tie-break", "solkoff", "--text"], "standings are for the terminal, --html, --csv and --xlsx"),
        (["--tie-break", "buchholz"], "'buchholz' is no tie-break; there are modified-median, solkoff"),
        (["--out", "table.txt"], "--out goes with --html, --text or --csv"),
    ],
)
def test_what_does_not_go_together_is_refused(run: Run, options: list[str], words: str) -> None:
    ran = run("rate", SAMPLE, *options)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize(
    "command",
    [
        ("rate", SAMPLE, "--html", "--out"),
        ("rate", SAMPLE, "--xlsx"),
        ("convert", SAMPLE, "--to", "json", "--out"),
        ("verify", SAMPLE, "--html"),
        ("members", "for", SAMPLE, "--out"),
    ],
    ids=lambda words: " ".join(word for word in words if word != SAMPLE),
)
def test_no_file_is_replaced_without_force(run: Run, write: Write, tmp_path: Path, command: tuple[str, ...]) -> None:
    event = quad()
    event["sections"][0]["players"][0]["posted"] = {"OTBR": {"rating": 1861.0}}
    words = [write(event) if word == SAMPLE else word for word in command]
    out = tmp_path / "there"
    out.write_text("mine", "utf-8")
    ran = run(*words, str(out))
    assert (ran.code, out.read_text("utf-8")) == (1, "mine")
    assert ran.err.endswith(f"{out} already exists; give another name, or --force to replace it\n")
    assert run(*words, str(out), "--force").code == 0
    assert out.read_bytes() != b"mine"


def test_the_files_of_a_folder_are_replaced_all_or_none(run: Run, tmp_path: Path) -> None:
    """Converting a folder into itself would have lost what was there."""
    folder = tmp_path / "dbf"
    folder.mkdir()
    (folder / "TSEXPORT.DBF").write_text("mine", "utf-8")
    ran = run("convert", SAMPLE, "--to", "dbf", "--out", str(folder))
    assert (ran.code, [path.name for path in folder.iterdir()]) == (1, ["TSEXPORT.DBF"])


def test_checks_are_printed_for_github(run: Run, write: Write) -> None:
    """Workflow commands: a message ends with its line; in a property a colon and a comma are written as numbers."""
    path = write(pair("W2", "W1"))
    ran = run("check", path, "--format", "github")
    lines = ran.out.splitlines()
    assert (ran.code, len(lines)) == (1, len(json.loads(run("check", path, "--json").out)["faults"]))
    assert lines[0].startswith(f"::error file={path},title=")
    assert re.fullmatch(r"::(error|warning) file=[^,:]+,title=[a-z-]+::.*", lines[0])
    chart = write(b"No,Name,ID,Rd 1\n1,Ann,10000001,Q9%\n2,Bo,10000002,L1\n", "a,b.csv")
    found = run("check", chart, "--format", "github").out
    assert re.search(r"::error file=\S*a%2Cb\.csv,line=2,title=\S+::", found)
    assert "Q9%25" in found


@pytest.mark.parametrize("command", ["rate", "check", "convert", "explain", "verify"])
def test_a_dash_is_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    event = quad()
    event["sections"][0]["players"][0]["posted"] = {"OTBR": {"rating": 1861.0}}
    stream = io.TextIOWrapper(io.BytesIO(json.dumps(event).encode()))
    monkeypatch.setattr("sys.stdin", stream)
    more = {"convert": ["--to", "csv"], "explain": ["--player", "1"]}.get(command, [])
    ran = run(command, "-", *more)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out


def test_an_unknown_option_of_an_inner_command_shows_the_usage_of_that_command(run: Run) -> None:
    for words in (("office", "submit", "FILE"), ("office", "members", "import", "FILE"), ("lab", "parameters")):
        ran = run(*words, "--wrong-option")
        assert ran.code == 2
        name = " ".join(word for word in words if word != "FILE")
        assert ran.err.startswith(f"usage: crosstable {name} [-h]")
        assert ran.err.endswith(f"crosstable {name}: error: unrecognized arguments: --wrong-option\n")

"""Standings that pairing programs publish, as pages and as texts: SwissSys, WinTD, chess-results, Vega."""

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, standings
from crosstable.formats.detect import read_data
from tests.formats.mutations import must_read_or_refuse, mutations, shape_of, share

HEADING = "SwissSys 11.76 - Standings. Spring &#39;26 Open: U1600 (Standings (no tiebrk))"
ROWS = (
    ("#", "Place", "Name", "ID", "Rating", "Rd 1", "Rd 2", "Total"),
    ("1", "1", "IM Adams, Ann", "12345671", "1590 (1480)", "W3", "D2", "1.5"),
    ("2", "2-3", "O&#39;Brien, Bea", "12345672", "1402", "H---", "D1", "1.0"),
    ("3", "&nbsp;", "Clark, Cy", "12345673", "unr.", "L1", "X---", "1.0"),
)
CROSSTABLE = (
    ("No.", "", "Name", "Rtg", "FED", "1.Rd", "2.Rd", "Rk.", "TB1"),
    ("1", "GM", "Adams, Ann", "1590", "ENG", "3b1", "2w&frac12;", "1", "4,5"),
    ("2", "", "Brown, Bea", "1402", "ENG", " -&frac12;", "1b&frac12;", "2", "4"),
    ("3", "", "Clark, Cy", "0", "USA", "1w0", "-1", "3", "2"),
)
GAMES = """<title>Chess-Results Server Chess-results.com - Club Match</title><h2>Pairings</h2><table>
<tr><td colspan=10>Round 1 on 2026/08/08 at 08:30</td></tr>
<tr><th>Bo.<th>No.<th>Rtg<th><th>White<th>Result<th><th>Black<th>Rtg<th>No.</tr>
<tr><td>1<td>1<td>1590<td>IM<td>Adams, Ann<td>1 - 0<td><td>Brown, Bea<td>1402<td>2</tr>
<tr><td>2<td>3<td>0<td><td>Clark, Cy<td>1<td><td>bye<td>0<td>-1</tr>
<tr><td colspan=10>Round 2 on 2026/08/08 at 10:45</td></tr>
<tr><th>Bo.<th>No.<th>Rtg<th><th>White<th>Result<th><th>Black<th>Rtg<th>No.</tr>
<tr><td>1<td>2<td>1402<td><td>Brown, Bea<td>- - +<td><td>Clark, Cy<td>0<td>3</tr>
<tr><td>2<td>1<td>1590<td>IM<td>Adams, Ann<td>0<td><td>bye<td>0<td>-1</tr>
</table>"""
VEGA = """<title>April Rapid</title><table>
<thead><tr><th>#</th><th>Player</th><th>Pts</th><th>1</th><th>2</th></tr></thead>
<tr><td><span>1</span></td><td><div class="player-container"
<div class="left"><div class="player-name-box2"><span>Adams,Ann</span></div><div class="rating">1590</div></div></td>
<td class="score"> 1.5</td><td><div class="res"> &frac12; </div><div class="cf">BYE</div>
<td><div class="res">1</div><div class="cw">2  </div></td></tr>
<tr><td><span>2</span></td><td><div class="player-container"
<div class="left"><div class="player-name-box2"><span>Brown,Bea</span></div><div class="rating">0</div></div></td>
<td class="score"> 1</td><td><div class="res"> 1 </div><div class="cf">BYE</div>
<td><div class="res">0</div><div class="cb">1  </div></td></tr></table>"""
TEXT = """\
Standings. Spring Open: Reserve

#   Place Name              Rtng  Rd 1  Rd 2  Tot
--------------------------------------------------
1   1     Abbott, John      1850  W2    D3    1.5
2   2-3   Van Der Meer, Al  unr.  L1    H---  0.5
3         Dunn, Zoe         1250  B---  D1    1.5

No.  Name              Rate Rnd1 Rnd2  Pts
  1  Smith, A          1900 W  2 D  2  1.5
  2  Jones-Brown, B    1850 L  1 D  1  0.5
"""
PLAYERS = "NAME = Adams, Ann\nID# = 12345671\nRATING = 1590\n\nNAME = Brown, Bea\nID# = AB12\nRATING = 0\nCLUB = x\n"


def page(*rows: tuple[str, ...], heading: str = HEADING) -> str:
    cells = ("".join(f'<td class="x">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>\n" for row in cells)
    return f"<style>td {{ }}</style><h2>Standings</h2><h3>{heading}</h3><table>{body}</table>"


def read(text: str) -> Reading:
    return read_data(text.encode(), "page.html")


def rows(reading: Reading, section: int = 0) -> list[list[str]]:
    return [[cell.text for cell in player.cells] for player in reading.report.sections[section].players]


def test_standings_of_swisssys_are_read_from_the_page() -> None:
    reading = read(page(*ROWS))
    assert not any(found.severity.value == "error" for found in reading.faults)
    assert reading.report.name == "Spring '26 Open"
    (section,) = reading.report.sections
    assert section.name == "U1600"
    first, second, third = section.players
    assert (first.number, first.name, first.member_id, first.pairing_rating) == (1, "IM Adams, Ann", "12345671", 1590.0)
    assert (second.name, third.pairing_rating) == ("O'Brien, Bea", None)
    assert rows(reading) == [["W3", "D2"], ["H", "D1"], ["L1", "X"]]
    assert [player.total for player in section.players] == [1.5, 1.0, 1.0]


def test_two_tables_are_two_sections() -> None:
    other = page(*ROWS, heading="SwissSys 11.79.8 - Standings. Spring &#39;26 Open: Open")
    report = read(page(*ROWS) + "<table><tr><td>menu</td></tr></table>" + other).report
    assert [section.name for section in report.sections] == ["U1600", "Open"]
    assert [len(section.players) for section in report.sections] == [3, 3]


def test_a_crosstable_of_chess_results_is_read() -> None:
    table = page(*CROSSTABLE, heading="Starting rank crosstable")
    inside = (
        f"<title>Chess-Results Server Chess-results.com - Club Open</title><table><tr><td>{table}</td></tr></table>"
    )
    reading = read(inside)
    assert reading.report.name == "Club Open"
    assert rows(reading) == [["W3b", "D2w"], ["H", "D1b"], ["L1w", "B"]]


def test_a_list_of_games_becomes_a_crosstable() -> None:
    reading = read(GAMES)
    assert reading.report.name == "Club Match"
    assert rows(reading) == [["W2w", "Z"], ["L1b", "F3w"], ["B", "X2b"]]
    assert [player.pairing_rating for player in reading.report.sections[0].players] == [1590.0, 1402.0, None]


def test_a_crosstable_of_vega_is_read_though_its_tags_are_broken() -> None:
    reading = read(VEGA)
    (section,) = reading.report.sections
    assert [(player.name, player.pairing_rating) for player in section.players] == [
        ("Adams,Ann", 1590.0),
        ("Brown,Bea", None),
    ]
    assert rows(reading) == [["H", "W2w"], ["B", "L1b"]]


def test_columns_of_a_text_are_found_by_their_blanks() -> None:
    reading = read(TEXT)
    assert not any(found.severity.value == "error" for found in reading.faults)
    assert reading.report.name == "Spring Open"
    reserve, other = reading.report.sections
    assert (reserve.name, other.name) == ("Reserve", "")
    assert [player.name for player in reserve.players] == ["Abbott, John", "Van Der Meer, Al", "Dunn, Zoe"]
    assert [player.pairing_rating for player in reserve.players] == [1850.0, None, 1250.0]
    assert rows(reading) == [["W2", "D3"], ["L1", "H"], ["B", "D1"]]
    assert rows(reading, 1) == [["W2", "D2"], ["L1", "D1"]]
    assert [player.pairing_rating for player in other.players] == [1900.0, 1850.0]


def test_a_list_of_players_is_an_entry_list_without_local_ids() -> None:
    (section,) = read(PLAYERS).report.sections
    assert [(player.number, player.name, player.member_id, player.pairing_rating) for player in section.players] == [
        (1, "Adams, Ann", "12345671", 1590.0),
        (2, "Brown, Bea", "", None),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<table><tr><td>Bd</td><td>White</td><td>Res</td><td>Black</td></tr></table>", "the pairings of a round"),
        ("<table><tr><td>1</td></tr></table>", "names players and rounds"),
        ("<table>", "names players and rounds"),
    ],
)
def test_a_page_without_results_is_refused(text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        read(text)


def test_a_story_is_no_table() -> None:
    assert not standings.looks_like(b"Player 1 beat Player 2 in Round 3, and Name is a name.\n")
    assert not standings.looks_like(b"\0\1\2")


ENTRIES = (
    "Adams, Ann\t2000001 [USA]\t1852\t12345671\t1590\tTX\tU2000\t1/2:R2 R4\n"
    "Baker, Bo (Withdrawn)\t\tUnr\t12345672\t1489P5\t\tOpen\t\nCole, Cy\t\t\t12345673\t\tOH\tOpen\t\n"
)


def test_byes_that_were_asked_for_are_read_and_other_words_are_told() -> None:
    found = read(f"{ENTRIES}Dunn, Di\t\t\t12345674\t1300\tOH\tOpen\t0: R3, 1/2:R1 late\n")
    (under, open_) = found.report.sections
    assert [cell.text for cell in under.players[0].cells] == ["", "H", "", "H"]
    assert [[cell.text for cell in player.cells[:3]] for player in open_.players] == [["", "", ""], ["H", "", "Z"]]
    assert any("Byes asked for" in fault.message for fault in found.faults)


@pytest.mark.parametrize(
    "sound",
    [page(*ROWS), GAMES, VEGA, TEXT, PLAYERS, ENTRIES],
    ids=["page", "games", "vega", "text", "list", "entries"],
)
def test_a_damaged_file_is_read_or_refused_in_time(sound: str) -> None:
    """Nothing in such a file says how many rows it should have, so a lost row cannot be missed."""

    def read_bytes(data: bytes) -> Reading:
        return standings.read(data, "page.html")

    original = read_bytes(sound.encode())
    for changed in mutations(sound.encode(), seed=18, count=share(5)):
        must_read_or_refuse(read_bytes, original, changed, lambda data: shape_of(read_bytes(data)))

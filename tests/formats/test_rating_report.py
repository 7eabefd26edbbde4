"""The rating report sent to directors as text: ``id pair NAME ST pre* post* W--14 D---9 H---0 … score``."""

import re
from datetime import date

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, rating_report
from crosstable.formats.pages import LARGEST_PAGE
from crosstable.terms import PlayerRating, Posted, RatingSystem, Result
from tests.formats.mutations import Shape, must_read_or_refuse, mutations
from tests.formats.reports import players, texts

OTBR = RatingSystem.OTBR
# Established players have a star, provisional ones a slash and their games; dashes stand for blanks.
ROWS = """\
12345671    1 ADAMS, ANN             TX 1641/17  1657/19  W---2 W---3 X---0   3.0
12345672    2 O'BRIEN, BEA MARIE     OK 1540*    1555*    L---1 D---3 B---0   1.5
12345673    3 CLARK, CY                 UNR.      952/2   H---0 L---1 U---0   0.5
12345674   14 DE LA CRUZ, DEE        NY 2205.5*  2200*    F---0 Z---0 *----   0
"""
FILE = f"""\
Event: SUMMER QUADS  (202608300103)
Event Date(s): 2026-08-29 thru 2026-08-30

Section 1 - RESERVE
3 Rounds, 4 Players; K Factor: F  Rating Sys: R  Tnmt Type: S  Time Control: G/90;d5
{ROWS}
Section 2 - BLITZ
1 Rounds, 2 Players; K Factor: F  Rating Sys: B  Tnmt Type: S  Time Control: G/5;d0
12345675    1 EVANS, EVE             NY 1803*    1810*    W---2   1.0
12345676    2 FOX, FAY               NY 1790*    1785*    L---1   0.0
""".encode()


def read(data: bytes) -> Reading:
    return rating_report.read(data, "report.txt")


def test_the_text_is_recognised_by_its_lines() -> None:
    assert rating_report.looks_like(FILE)
    assert rating_report.looks_like(ROWS.encode())
    assert not rating_report.looks_like(b"12345678 1 ADAMS, ANN TX 1641 1657 3.0\n")
    assert not rating_report.looks_like(b"No,Name\n1,W--14\n")


def test_event_and_sections_are_read_from_the_lines_between() -> None:
    reading = read(FILE)
    assert reading.faults == ()
    report = reading.report
    assert (report.event_id, report.name) == ("202608300103", "SUMMER QUADS")
    assert (report.start, report.end) == (date(2026, 8, 29), date(2026, 8, 30))
    reserve, blitz = report.sections
    assert (reserve.number, reserve.name, reserve.time_controls) == (1, "RESERVE", ("G/90;d5",))
    assert (reserve.systems, blitz.systems) == ((OTBR,), (RatingSystem.OTBB,))
    assert blitz.players[0].background.standings == {RatingSystem.OTBB: PlayerRating(1803.0)}


def test_a_line_is_a_player() -> None:
    ann, bea, cy, dee = read(FILE).report.sections[0].players
    assert (ann.number, ann.member_id, ann.name, ann.state, ann.total) == (1, "12345671", "ADAMS, ANN", "TX", 3.0)
    assert ann.background.standings == {OTBR: PlayerRating(1641.0, 17.0)}
    assert ann.posted == {OTBR: Posted(1657.0, 19.0)}
    assert texts(ann) == ["W2", "W3", "X"]
    assert (bea.name, bea.background.standings) == ("O'BRIEN, BEA MARIE", {OTBR: PlayerRating(1540.0)})
    assert (cy.name, cy.state, cy.background.standings) == ("CLARK, CY", "", {})
    assert cy.posted == {OTBR: Posted(952.0, 2.0)}
    assert (dee.number, dee.name, dee.state, dee.total) == (14, "DE LA CRUZ, DEE", "NY", 0.0)
    assert dee.background.standings == {OTBR: PlayerRating(2205.5)}
    assert [cell.result for cell in dee.cells] == [Result.FORFEIT_LOSS, Result.ZERO_BYE, Result.OWN_COLUMN]
    assert dee.place == "report.txt, line 9, pairing number 14"


def test_lines_alone_are_a_section_of_regular_ratings() -> None:
    reading = read(ROWS.encode())
    assert reading.faults == ()
    (section,) = reading.report.sections
    assert (section.number, section.systems, len(section.players)) == (1, (OTBR,), 4)


def test_a_line_that_states_the_size_opens_a_section_without_a_heading() -> None:
    text = f"3 Rounds, 4 Players;\n{ROWS}\n3 Rounds, 4 Players; Rating Sys: Q\n{ROWS}\nThat is all.\n"
    reading = read(text.encode())
    assert reading.faults == ()
    assert [section.systems for section in reading.report.sections] == [(OTBR,), (RatingSystem.OTBQ,)]


def test_opponents_of_four_digits_leave_no_room_for_dashes() -> None:
    line = b"12345671 1200 ADAMS, ANN TX 1641* 1657* W1014 L--99 1.0\n"
    (player,) = players(read(line))
    assert (player.number, texts(player)) == (1200, ["W1014", "L99"])


@pytest.mark.parametrize("word", ["UNR", "Unrated", "NR", "NEW", "----", "0"])
def test_an_unrated_player_has_no_rating_before(word: str) -> None:
    line = f"12345671 1 ADAMS, ANN TX {word} 1657/3 W---2 W---3 W---4 3.0\n"
    (player,) = players(read(line.encode()))
    assert player.background.standings == {}
    assert player.posted == {OTBR: Posted(1657.0, 3.0)}


@pytest.mark.parametrize(
    "line",
    [
        "12345671    1 ADAMS, ANN  TX 1641/17  W---2 W---3 X---0   3.0",
        "12345671    1 ADAMS, ANN  TX 16411*  1657*  W---2 W---3 X---0   3.0",
        "12345671    1 ADAMS, ANN  TX 1641*  1657*  W---2 W---3 X---0",
        "12345671    x ADAMS, ANN  TX 1641*  1657*  W---2 W---3 X---0   3.0",
        "1234567     1 ADAMS, ANN  TX 1641*  1657*  W---2 W---3 X---0   3.0",
        "12345671",
        "12345671 1 3.0",
        "W---2 W---3",
    ],
)
def test_a_line_that_is_not_whole_is_a_fault(line: str) -> None:
    reading = read(f"{ROWS}{line}\n".encode())
    assert [(fault.code, fault.place) for fault in reading.faults] == [("bad-value", "report.txt, line 5")]
    assert len(players(reading)) == 5


def test_a_name_longer_than_any_is_a_fault() -> None:
    reading = read(f"12345671 1 {'A' * 501} TX 1641* 1657* W---2 W---3 2.0\n".encode())
    assert [fault.code for fault in reading.faults] == ["bad-value"]


@pytest.mark.parametrize("bad", ["\x07", "\x1b[2J", "\u202e", "\u2066", "\x85", "\x1c", "\u2028"])
def test_a_character_that_cannot_be_printed_is_a_fault(bad: str) -> None:
    reading = read(ROWS.replace("ADAMS", f"AD{bad}AMS").encode())
    assert [(fault.code, fault.place) for fault in reading.faults] == [("bad-value", "report.txt, line 1")]


def test_a_section_with_another_number_of_players_than_it_says_is_a_fault() -> None:
    reading = read(FILE.replace(b"2 Players", b"3 Players"))
    assert [(fault.code, fault.place) for fault in reading.faults] == [("damaged-file", "report.txt, section 2")]


@pytest.mark.parametrize("data", [b"", b"Nothing here.\n", b"\0\0", b"x" * (LARGEST_PAGE + 1)])
def test_what_holds_no_player_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        read(data)
    assert refusal.value.fault.code == "not-readable"


def test_lines_made_to_take_long_do_not() -> None:
    original = read(FILE)
    for filling in (b"W-" * 900_000, b"12345671 1 " * 300_000, b"12345671 1 A\n" * 20_000, b" " * 2_000_000):
        must_read_or_refuse(read, original, FILE + filling, lambda _: Shape(0, 0))
        rating_report.looks_like(FILE + filling)


def _stated(data: bytes) -> Shape | None:
    """Counted in a way of its own: parts between headings or sizes, and the lines in them that begin with an id."""
    text = data.replace(b"\r", b"\n")
    parts = re.split(rb"(?m)^\s*Section\s+\d{1,3}\s+-\s.*$|^.*\d+ Rounds?, .*\d Players?\b.*$", text)
    counts = [len(re.findall(rb"(?m)^[ \t]*\d{8}(?!\S)", part)) for part in parts]
    return Shape(sum(map(bool, counts)), sum(counts))


def test_damaged_texts_are_read_or_refused() -> None:
    original = read(FILE)
    assert _stated(FILE) == Shape(2, 6)
    for mutated in mutations(FILE, seed=11):
        must_read_or_refuse(read, original, mutated, _stated)


@pytest.mark.parametrize(
    ("written", "name", "state"),
    [
        ("LEE, AL", "LEE, AL", ""),
        ("LEE, AL AL", "LEE, AL", "AL"),
        ("CLARK, CY JO", "CLARK, CY JO", ""),
        ("ANN ADAMS ON", "ANN ADAMS", "ON"),
        ("LI", "LI", ""),
    ],
)
def test_a_state_is_told_from_the_end_of_a_name(written: str, name: str, state: str) -> None:
    (player,) = players(read(f"12345671 1 {written} 1641* 1657* W---2 W---3 2.0\n".encode()))
    assert (player.name, player.state) == (name, state)

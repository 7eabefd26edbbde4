"""Published crosstables, as pages and as text: ratings before and after, norms, colours, several sections."""

import re
from datetime import date

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, msa
from crosstable.formats.pages import LARGEST_PAGE, MOST_TAGS
from crosstable.terms import PlayerRating, Posted, RatingSystem, ReportedCell, Result, SectionType
from tests.formats.msa_pages import QUAD, RESERVE, RESERVE_QUICK, RULE, page, section, table
from tests.formats.mutations import Shape, must_read_or_refuse, mutations
from tests.formats.reports import errors, players, texts

PAGE = page()
OTBR, OTBQ = RatingSystem.OTBR, RatingSystem.OTBQ


def read(data: bytes) -> Reading:
    return msa.read(data, "page.html")


def read_text(*lines: str) -> Reading:
    return msa.read("\n".join(lines).replace("&#39;", "'").encode(), "table.txt")


def test_a_page_and_its_text_are_recognised() -> None:
    assert msa.looks_like(PAGE)
    assert msa.looks_like("\n".join(table(QUAD)).encode())
    assert not msa.looks_like(b"No,Name,ID\n1,Ann,12345678\n")
    assert not msa.looks_like(b"")


def test_the_event_is_read_from_the_summary() -> None:
    report = read(PAGE).report
    assert read(PAGE).faults == ()
    assert (report.event_id, report.name) == ("202608300103", 'SUMMER "QUADS" & MORE')
    assert (report.start, report.end) == (date(2026, 8, 29), date(2026, 8, 30))
    assert report.details == {
        "city": "SPRINGFIELD",
        "state": "TX",
        "zip": "73301",
        "country": "USA",
        "affiliate": "A6000001",
        "chief_td": "10000001",
        "other_tds": "10000002,10000004",
        "received": "2026-09-01",
        "entered": "2026-09-02",
        "rated": "2026-09-02",
    }


def test_the_title_names_the_event_where_the_summary_is_missing() -> None:
    short = b"<html><title>US Chess MSA - Cross Table for SUMMER QUADS (Event 202608300103)</title><pre>%s</pre></html>"
    report = read(short % "\n".join(table(QUAD)).encode()).report
    assert (report.event_id, report.name, report.start) == ("202608300103", "SUMMER QUADS", None)


def test_a_section_is_read_with_everything_its_header_says() -> None:
    reserve, quad = read(PAGE).report.sections
    assert (reserve.number, reserve.name, reserve.kind) == (1, "RESERVE", SectionType.SWISS)
    assert (reserve.systems, reserve.time_controls) == ((OTBR, OTBQ), ("G/60;d5",))
    assert (reserve.start, reserve.end) == (date(2026, 8, 29), date(2026, 8, 30))
    assert (reserve.is_online, reserve.is_half_k) == (False, False)
    assert reserve.details == {
        "assistant_td": "10000003",
        "system_code": "D",
        "type_code": "S",
        "k_factor": "F",
        "rounds": "3",
        "fide": "Y",
        "received": "2026-09-01",
        "entered": "2026-09-02",
        "rated": "2026-09-02",
        "re_rated": "2026-10-01",
    }
    assert (quad.number, quad.name, quad.kind) == (2, "", SectionType.ROUND_ROBIN)
    assert (quad.systems, quad.time_controls) == ((OTBQ,), ("G/25;d3", "G/20;d3"))
    assert (quad.start, quad.end) == (date(2026, 8, 29), date(2026, 8, 29))
    assert quad.is_half_k
    assert "fide" not in quad.details


def test_a_player_is_read_from_all_his_lines() -> None:
    ann, bea, cy, dee = read(PAGE).report.sections[0].players
    assert (ann.number, ann.name, ann.member_id, ann.state, ann.total) == (1, "ANN ADAMS", "12345671", "TX", 3.0)
    assert ann.background.standings == {OTBR: PlayerRating(1641.0, 17.0), OTBQ: PlayerRating(1500.0, 5.0)}
    assert ann.posted == {OTBR: Posted(1657.0, 19.0), OTBQ: Posted(1521.0, 7.0)}
    assert ann.details == {"norm": "2"}
    assert texts(ann) == ["W2w", "W3b", "X"]
    assert bea.name == "BEA O'BRIEN"
    assert bea.background.standings[OTBR] == PlayerRating(1540.0, None)
    assert bea.posted[OTBR] == Posted(1555.0, None)
    assert bea.details == {}
    assert (cy.state, cy.background.standings, cy.posted[OTBR]) == ("", {}, Posted(952.0, 2.0))
    assert cy.cells[2] == ReportedCell("", Result.BLANK, 0, "")
    assert (dee.state, dee.member_id, dee.background.standings, dee.posted) == ("CAN", "12345674", {}, {})
    assert texts(dee) == ["F", "U", "Z"]
    assert dee.place == "page.html, section 1, pairing number 4"


def test_a_round_robin_has_stars_in_the_own_column() -> None:
    eve, fay, gus = read(PAGE).report.sections[1].players
    assert [texts(player) for player in (eve, fay, gus)] == [["*", "W2", "D3"], ["L1", "*", "W3"], ["D1", "L2", "*"]]


def test_a_round_robin_without_numbers_takes_the_columns_for_opponents() -> None:
    rows = [(*row[:3], tuple(cell[:1] for cell in row[3]), *row[4:]) for row in QUAD]
    reading = read_text("3 Rounds, 3 Players; K Factor: F  Rating Sys: Q  Tnmt Type: R", *table(rows))
    assert [texts(player) for player in players(reading)] == [["*", "W2", "D3"], ["L1", "*", "W3"], ["D1", "L2", "*"]]


def test_the_text_of_a_page_is_read_like_the_page() -> None:
    reading = read_text(
        "Event\tSUMMER QUADS  (202608300103)",
        "Event Date(s)\t2026-08-29 thru 2026-08-30",
        "Section 1 - RESERVE",
        "Section Date(s): 2026-08-29 thru 2026-08-30",
        "3 Rounds, 4 Players; K Factor: F  Rating Sys: D  Tnmt Type: S  Time Control: G/60;d5",
        *table(RESERVE, RESERVE_QUICK),
        "Section 2 - QUAD",
        "3 Rounds, 3 Players; K Factor: F  Rating Sys: Q  Tnmt Type: R  Time Control: G/25;d3",
        *table(QUAD),
    )
    assert reading.faults == ()
    assert (reading.report.event_id, reading.report.name) == ("202608300103", "SUMMER QUADS")
    assert reading.report.sections[0].time_controls == ("G/60;d5",)
    from_page = [player._replace(place="") for player in players(read(PAGE))]
    assert [player._replace(place="") for player in players(reading)] == from_page


def test_a_bare_table_is_a_section_of_its_own() -> None:
    reading = read_text(*table(RESERVE, RESERVE_QUICK), *table(QUAD))
    assert reading.faults == ()
    assert [(s.number, len(s.players), s.systems) for s in reading.report.sections] == [(1, 4, ()), (2, 3, ())]


def test_lines_of_three_systems_are_read() -> None:
    lines = table(QUAD[:1], ["B: 1700.25P4->1710.5P7"])
    lines.insert(-1, "      |            R: 1600   ->1602     |     |     |     |     |")
    (player,) = players(read_text(*lines))
    assert player.background.standings == {
        OTBQ: PlayerRating(1803.0),
        RatingSystem.OTBB: PlayerRating(1700.25, 4.0),
        OTBR: PlayerRating(1600.0),
    }
    assert player.posted[RatingSystem.OTBB] == Posted(1710.5, 7.0)


@pytest.mark.parametrize(
    ("code", "system"), [("OR", RatingSystem.OLR), ("OQ", RatingSystem.OLQ), ("OB", RatingSystem.OLB)]
)
def test_online_systems_have_two_letters(code: str, system: RatingSystem) -> None:
    rows = [(*QUAD[0][:5], f"12345675 / {code}: 2528P15->2557P21", "", "WB ")]
    reading = read_text(f"3 Rounds, 1 Players; K Factor: F  Rating Sys: {code}  Tnmt Type: S", *table(rows))
    (found,) = reading.report.sections
    assert (found.is_online, found.systems) == (True, (system,))
    assert found.players[0].background.standings == {system: PlayerRating(2528.0, 15.0)}


def test_two_players_of_type_m_are_a_match_and_more_are_not() -> None:
    """A team match stands on one page as type M with all its players (seen in 2013)."""
    stats = "3 Rounds, {} Players; K Factor: F  Rating Sys: R  Tnmt Type: M"
    assert read_text(stats.format(2), *table(QUAD[:2])).report.sections[0].kind is SectionType.MATCH
    assert read_text(stats.format(3), *table(QUAD)).report.sections[0].kind is SectionType.SWISS


def test_a_bye_written_out_is_a_bye() -> None:
    """Two pages print it in full, cut by the width of the column."""
    rows = [(*QUAD[0][:3], ("B  YE", "W   1", "N   2"), *QUAD[0][4:])]
    assert texts(players(read_text(*table(rows)))[0]) == ["B", "W1", "N2"]


def test_a_name_wider_than_its_column_moves_the_bars() -> None:
    rows = [(QUAD[0][0], "X" * 40, *QUAD[0][2:])]
    assert players(read_text(*table(rows)))[0].name == "X" * 40


def test_a_note_of_a_correction_is_kept() -> None:
    data = PAGE.replace(b"Re-Rated: 2026-10-01", b"<br>Note: A correction has been made to this section.", 1)
    assert read(data).report.sections[0].details["corrected_since"] == "Y"


def test_a_letter_whose_small_form_is_longer_moves_nothing() -> None:
    data = PAGE.replace(b"<style", "\u0130\u0130\u0130<style".encode(), 1)
    assert read(data).faults == ()
    assert players(read(data)) == players(read(PAGE))


def test_a_player_without_a_total_or_a_number_above_zero_is_read_as_far_as_he_can_be() -> None:
    rows = [("0", QUAD[0][1], "", *QUAD[0][3:])]
    (player,) = players(read_text(*table(rows)))
    assert (player.number, player.total) == (None, None)


def _damaged(*pairs: tuple[bytes, bytes]) -> list[tuple[str, str]]:
    data = PAGE
    for old, new in pairs:
        assert old in data
        data = data.replace(old, new, 1)
    return [(fault.code, fault.place.removeprefix("page.html").lstrip(", ")) for fault in read(data).faults]


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        (b"4 Players", b"5 Players", "damaged-file", "section 1"),
        (b"4 Players", b"4 Plxyers", "damaged-file", "section 1"),
        (b"</html>", b"", "damaged-file", ""),
        (b"2 Section(s)", b"3 Section(s)", "damaged-file", ""),
        (b"|W   2|W   3|", b"|W   2|", "damaged-file", "section 1, pairing number 1"),
        (b"1641P17", b"1641P", "bad-value", "section 1, pairing number 1"),
        (b"1641P17", b"16411P17", "bad-value", "section 1, pairing number 1"),
        (b"->1657P19", b"->1657P1999", "bad-value", "section 1, pairing number 1"),
        (b"Q: 1500P5", b"R: 1500P5", "bad-value", "section 1, pairing number 1"),
        (b"|3.0  |", b"|3,0  |", "bad-value", "section 1, pairing number 1"),
        (b"   TX |", b"   T1 |", "bad-value", "section 1, pairing number 1"),
        (b"|N:2  |", b"|N?2  |", "ignored-record", "section 1, pairing number 1"),
        (b"|W    |B    |", b"|V    |B    |", "ignored-record", "section 1, pairing number 1"),
        (b"ANN ADAMS", b"ANN \x07ADAMS", "bad-value", "section 1, pairing number 1"),
        (b"ANN ADAMS", "ANN \u202eADAMS".encode(), "bad-value", "section 1, pairing number 1"),
        (b"ANN ADAMS", "ANN\u2066 ADAMS".encode(), "bad-value", "section 1, pairing number 1"),
        (b"ANN ADAMS", b"ANN\tADAMS", "bad-value", "section 1, pairing number 1"),
        (b"ANN ADAMS", b"ANN &#8238;ADAMS", "bad-value", "section 1, pairing number 1"),
        (b"ANN ADAMS", b"A" * 501, "bad-value", "section 1, pairing number 1"),
    ],
)
def test_damage_is_a_fault_with_its_place(old: bytes, new: bytes, code: str, place: str) -> None:
    assert (code, place) in _damaged((old, new))


def test_a_first_line_that_is_none_is_not_taken_for_another_line_of_the_player_above() -> None:
    found = _damaged((b">2</a> | ", b">x</a> | "))
    assert ("damaged-file", "section 1, pairing number 1") in found
    assert ("damaged-file", "section 1") in found


def test_a_player_without_a_second_line_is_a_fault() -> None:
    lines = [line for line in table(QUAD) if "12345676" not in line]
    assert [(fault.code, fault.place) for fault in errors(read_text(*lines))] == [
        ("missing-field", "table.txt, section 1, pairing number 2")
    ]


def test_a_section_whose_heading_is_lost_is_still_a_section() -> None:
    data = PAGE.replace(b"<b>Section 2 - (unnamed)</b>", b"")
    assert [len(found.players) for found in read(data).report.sections] == [4, 3]


def test_rows_whose_bars_are_few_are_no_rows() -> None:
    reading = read_text("Home | Members | Help", *table(QUAD), "About | Press")
    assert reading.faults == ()
    assert len(players(reading)) == 3


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html><body>Nothing here.</body></html>",
        b"\0" * 100,
        b"\xff\xfe<\0p\0r\0e\0>\0",
        PAGE[: PAGE.index(b"<pre>", PAGE.index(b"Stats"))],
        b"<pre>" + b"<a>" * (MOST_TAGS + 1) + b"</pre>",
        b"x" * (LARGEST_PAGE + 1),
    ],
)
def test_what_holds_no_table_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        read(data)
    assert refusal.value.fault.code == "not-readable"


@pytest.mark.parametrize(
    "filling",
    [
        b"<a" * 90_000,
        b"<!--" * 90_000,
        b"<![CDATA[" * 90_000,
        b"<script>" * 90_000,
        b"&#" * 900_000,
        b"<a a='" + b"b" * 900_000,
        b"<!" * 90_000,
        b"|" * 900_000,
        b"1 | a | b |" * 90_000,
        b" " * 2_000_000,
    ],
)
def test_pages_made_to_take_long_do_not(filling: bytes) -> None:
    original = read(PAGE)
    for data in (PAGE.replace(b"<pre>", b"<pre>" + filling, 1), PAGE.replace(b"<title>", filling + b"<title>", 1)):
        must_read_or_refuse(read, original, data, lambda _: Shape(0, 0))


def _stated(data: bytes) -> Shape | None:
    """Counted in a way of its own: tables by their title lines, players by lines with a number before the first bar."""
    text = re.sub(rb"<!--.*?-->", b"", data, flags=re.DOTALL)
    text = re.sub(rb"<[^<>]*>", b"", text)
    tables = re.split(rb"(?m)^.*Rounds,.* Players\b.*$", text)[1:]
    counts = [len(re.findall(rb"(?m)^[ \t]*\d{1,5}[ \t]*\|.*\|.*\|", each)) for each in tables]
    return Shape(len([count for count in counts if count]), sum(counts))


def test_damaged_pages_are_read_or_refused() -> None:
    original = read(PAGE)
    assert _stated(PAGE) == Shape(2, 7)
    for mutated in mutations(PAGE, seed=2025):
        must_read_or_refuse(read, original, mutated, _stated)


def _stated_text(data: bytes) -> Shape | None:
    """Counted in a way of its own: tables by the first line of their titles, players by the number before a bar."""
    firsts = [line.partition(b"|")[0].strip() for line in data.replace(b"\r", b"\n").split(b"\n") if b"|" in line]
    tables = b"\n".join(firsts).lower().split(b"pair")
    counts = [sum(first.isdigit() and len(first) <= 5 for first in each.split(b"\n")) for each in tables]
    return Shape(sum(map(bool, counts)), sum(counts))


def test_damaged_texts_are_read_or_refused() -> None:
    data = "\n".join(table(RESERVE, RESERVE_QUICK)).encode()
    original = read(data)
    assert _stated_text(data) == Shape(1, 4)
    for mutated in mutations(data, seed=7):
        must_read_or_refuse(read, original, mutated, _stated_text)


def test_a_line_that_belongs_to_nobody_is_a_fault() -> None:
    lines = [*table(QUAD), "   TX | 12345678 / R: 1500->1510 |     |     |     |     |", RULE]
    assert [fault.code for fault in read_text(*lines).faults] == ["damaged-file"]


def test_section_pages_may_show_one_section_of_several() -> None:
    one = section(2, "QUAD", "3 Rounds,&nbsp; 3 Players; K Factor: F Rating Sys: Q Tnmt Type: R", table(QUAD))
    data = page(one).replace(b"1 Section(s)", b"4 Section(s)")
    reading = read(data)
    assert reading.faults == ()
    assert [found.number for found in reading.report.sections] == [2]


@pytest.mark.parametrize(
    ("cell", "total", "read_as"),
    [
        ("F W10", "0.0", "F10"),  # lost with White
        ("F W10", "1.0", "X10"),  # won
        ("F L10", "0.0", "F10"),
        ("F D10", "0.5", "Y10"),
        ("X W10", "1.0", "X10"),
        ("X B10", "1.0", "X10"),
        ("F B10", "0.0", "F10"),
    ],
)
def test_forfeits_of_old_pages_are_not_rated_and_add_up(cell: str, total: str, read_as: str) -> None:
    row = ("1", "ANN ADAMS", total, (cell,), "TX", "12345671 / R: 1641P17->1657P19", "", " ")
    (player,) = players(read_text(*table((row,))))
    assert [one.text for one in player.cells] == [read_as]
    assert player.total == float(total)

"""The text crosstable: in the published order and style, and read back by our own reader of such pages."""

import pytest

from crosstable.formats import msa
from crosstable.output.crosstable_text import crosstable_text, print_crosstables
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import PlayerRating, Posted, RatingSystem, ReportedPlayer, Result, SectionType
from tests.checks.provoked import abroad, pair
from tests.event_files import event_file, player, quad, record
from tests.formats.reports import texts
from tests.output.rated_events import SAMPLE, crossed, decorated, official, rated, renamed

OTBR, OTBQ = RatingSystem.OTBR, RatingSystem.OTBQ


def read_back(event: RatedEvent) -> list[ReportedPlayer]:
    """The players of the first section as our reader sees them; it must have nothing to say against the text."""
    text = crosstable_text(event).encode()
    assert msa.looks_like(text)
    reading = msa.read(text, "crosstable.txt")
    assert reading.faults == ()
    return list(reading.report.sections[0].players)


def test_a_quad_is_read_back_by_rank() -> None:
    """§1: the quad of readings, Part 1 ends at 1860.75, 1825.31 on 3 games, 1580.74 on 15, 1654.79.

    Rows follow the points 2.5, 2, 1.5, 0 of players 1, 4, 3, 2; numbers are those of the report.
    """
    players = read_back(rated(quad()))
    assert [row.number for row in players] == [1, 4, 3, 2]
    assert [row.name for row in players] == ["Player, 1", "Player, 4", "Player, 3", "Player, 2"]
    assert [row.member_id for row in players] == ["10000001", "10000004", "10000003", "10000002"]
    assert [row.total for row in players] == [2.5, 2.0, 1.5, 0.0]
    assert [texts(row) for row in players] == [
        ["W2", "D3", "W4"],
        ["W3", "W2", "L1"],
        ["L4", "D1", "W2"],
        ["L1", "L4", "L3"],
    ]
    before = [row.background.standings.get(OTBR) for row in players]
    assert before == [PlayerRating(1850.0), None, PlayerRating(1500.0, 12.0), PlayerRating(1700.0)]
    assert [row.posted[OTBR] for row in players] == [
        Posted(1861.0),
        Posted(1825.0, 3.0),
        Posted(1581.0, 15.0),
        Posted(1655.0),
    ]


def test_published_results_are_read_back_in_both_systems() -> None:
    """The dual-rated section of 2026, published to two decimals, here rounded half up; byes and points as published."""
    players = read_back(rated(official()))
    assert [row.number for row in players] == [int(row.member_id) - 10_000_000 for row in players]
    assert [row.posted[OTBR] for row in players] == [
        *(Posted(657.0), Posted(500.0, 24.0), Posted(134.0)),
        *(Posted(514.0), Posted(188.0, 18.0), Posted(149.0, 19.0)),
    ]
    assert [row.posted[OTBQ].rating for row in players] == [650.0, 495.0, 135.0, 506.0, 187.0, 148.0]
    assert [row.background.standings[OTBQ] for row in players[:2]] == [PlayerRating(546.0), PlayerRating(440.0, 21.0)]
    assert [row.total for row in players] == [3.0, 2.0, 1.5, 1.0, 1.0, 1.0]
    assert texts(players[2]) == ["H", "W6", "L5"]


def test_a_player_takes_a_line_for_each_system_below_his_name() -> None:
    """Formats, part 2: name, total, cells; then state, member id, ratings, norm, colours; then the second system."""
    event = quad(time_control="G/45;d5")
    row = event["sections"][0]["players"][0]
    row["ratings"]["OTBQ"] = record(1641.0, 17)
    row |= {"state": "NY", "rounds": ["W2w", "D3b", "W4w"]}
    lines = crosstable_text(rated(event)).splitlines()
    at = next(at for at, line in enumerate(lines) if "| Player, 1 " in line)
    assert lines[at] == "   1 |    1 | Player, 1                       |2.5  |W   2|D   3|W   4|"
    assert lines[at + 1] == "     |   NY | 10000001 / R: 1850   ->1861     |     |W    |B    |W    |"
    assert lines[at + 2].startswith("     |      |            Q: 1641P17->")
    assert lines[at + 2].endswith("P20  |     |     |     |     |")
    assert set(lines[at + 3]) == {"-"}
    assert len(lines[at + 3]) == len(lines[at])


def test_the_header_of_a_section_says_what_it_was() -> None:
    """Formats, part 2."""
    lines = crosstable_text(rated(SAMPLE)).splitlines()
    assert lines[:3] == [
        "Event: Summer Quads (202606140012)",
        "Event Date(s): 2026-06-14",
        "Stats: 2 Section(s), 9 Players",
    ]
    assert "Section 1 - Quad A" in lines
    assert "3 Rounds, 4 Players; K Factor: F  Rating Sys: D  Tnmt Type: R  Time Control: G/45;d5" in lines
    assert "4 Rounds, 5 Players; K Factor: F  Rating Sys: B  Tnmt Type: S  Time Control: G/3;+2" in lines


def test_the_event_and_its_sections_are_read_back() -> None:
    report = msa.read(crosstable_text(rated(SAMPLE)).encode(), "crosstable.txt").report
    assert (report.event_id, report.name, str(report.start)) == ("202606140012", "Summer Quads", "2026-06-14")
    quads, blitz = report.sections
    assert (quads.number, quads.name, quads.kind, quads.systems) == (
        1,
        "Quad A",
        SectionType.ROUND_ROBIN,
        (OTBR, OTBQ),
    )
    assert (blitz.number, blitz.name, blitz.systems) == (2, "Blitz", (RatingSystem.OTBB,))
    assert [texts(row) for row in blitz.players][2:4] == [["B", "L1b", "W5w", "L2w"], ["L1w", "D2w", "X", "U"]]


def test_equal_points_are_ordered_by_the_rating_after_and_unrated_players_come_last() -> None:
    """Official facts §4: by score group, then by post-event rating. All four have one point."""
    event = event_file(
        player(1, "B U"), player(2, "W4 L3", 1500.0), player(3, "U W2", 1400.0), player(4, "L2 B", 1800.0)
    )
    assert [row.name for row in read_back(rated(event))] == ["Player, 4", "Player, 2", "Player, 3", "Player, 1"]


def test_columns_of_opponents_are_put_in_the_order_of_the_rows() -> None:
    """Players 2, 3, 1 in this order: each own column stands on the diagonal, under the number of its player."""
    players = read_back(rated(crossed()))
    assert "| Pts |  2  |  3  |  1  |" in crosstable_text(rated(crossed()))
    assert [row.name for row in players] == ["Player, 2", "Player, 3", "Player, 1"]
    assert [texts(row) for row in players] == [["*", "W3", "W1"], ["L2", "*", "D1"], ["L2", "D3", "*"]]


def test_rounds_stay_in_order_where_only_some_rows_have_an_own_column() -> None:
    event = event_file(player(1, "* W2", 1500.0), player(2, "U L1", 1600.0))
    assert [texts(row) for row in read_back(rated(event))] == [["*", "W2"], ["U", "L1"]]


def test_norms_stand_under_the_total_and_floors_below_the_table() -> None:
    event = rated(decorated())
    assert [row.details for row in read_back(event)] == [{"norm": "2"}, {}, {}, {}, {}]
    text = crosstable_text(event)
    assert "  Section 1, norm 2, Second Category: Player, 1 (No. 1).\n" in text
    assert "  Section 1, player 5, Player, 5, Regular: held at the peak floor 1700.\n" in text


@pytest.mark.parametrize("name", ["A | B", "<pre>", "<table>|<html>", "x" * 60])
def test_a_name_cannot_break_the_table(name: str) -> None:
    """What ends a column or begins a tag is written as an escape; a long name widens its column."""
    event = quad()
    event["sections"][0]["players"][0]["name"] = name
    event["event"]["name"] = name
    players = read_back(rated(event))
    assert players[0].name == name.replace("|", "\\u007c").replace("<", "\\u003c")
    assert len(players) == 4


def test_characters_that_change_the_direction_are_shown() -> None:
    text = crosstable_text(renamed(rated(quad()), "evil\u202ename\x1b[31m"))
    assert "evil\\u202ename\\u001b[31m" in text
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_an_opponent_abroad_has_no_rating_line() -> None:
    """§6: only the member is rated; the other row is an opponent."""
    member, opponent = sorted(read_back(rated(abroad())), key=lambda row: row.name)
    assert member.posted.keys() == {OTBR}
    assert opponent.posted == {}
    assert "Tnmt Type: O" in crosstable_text(rated(abroad()))


def test_online_systems_have_codes_of_their_own() -> None:
    event = pair("W2", "L1", online=True, time_control="G/5;+0")
    for row in event["sections"][0]["players"]:
        row["ratings"] = {"OLB": record(1500.0)}
    (winner, _) = read_back(rated(event))
    assert winner.background.standings == {RatingSystem.OLB: PlayerRating(1500.0)}
    assert "Rating Sys: OB" in crosstable_text(rated(event))


def test_a_half_game_is_not_shown() -> None:
    """Half-K sections until March 2006 count half: 12 games and one more are 12.5, shown as P12."""
    event = pair("W2", "L1", on="2005-06-04", k_factor="half")
    for row in event["sections"][0]["players"]:
        row["ratings"] = {"OTBR": record(1500.0, 12)}
    assert [row.posted[OTBR].games for row in read_back(rated(event))] == [12.0, 12.0]
    assert "K Factor: H" in crosstable_text(rated(event))


def test_what_an_event_lacks_is_left_out() -> None:
    """No official id, no name, a section without a name, systems without a time control."""
    event = pair("W2", "L1", name="", time_control=None, systems=["OTBR", "OTBB"])
    event["event"] |= {"id": "club-7", "name": "", "start_date": None, "end_date": None}
    event["sections"][0] |= {"start_date": "2025-08-01", "end_date": "2025-08-02"}
    lines = crosstable_text(rated(event)).splitlines()
    assert lines[:3] == ["Event: (unnamed)", "Id: club-7", "Stats: 1 Section(s), 2 Players"]
    assert "Section 1 - (unnamed)" in lines
    assert "Section Date(s): 2025-08-01 thru 2025-08-02" in lines
    assert "1 Round, 2 Players; K Factor: F  Tnmt Type: S" in lines


def test_controls_that_differ_are_all_named() -> None:
    rows = player(1, "W2 D3", 1700.0), player(2, "L1 U", 1650.0), player(3, "U D1", 1600.0)
    event = event_file(*rows, time_control=["G/90;d5", "G/120;d5"])
    (section,) = msa.read(crosstable_text(rated(event)).encode(), "crosstable.txt").report.sections
    assert section.time_controls == ("G/90;d5", "G/120;d5")


def test_a_short_row_is_filled_with_blanks() -> None:
    event = event_file(player(1, "W2 B", 1500.0), player(2, "L1", 1500.0))
    assert [cell.result for cell in read_back(rated(event))[1].cells] == [Result.LOSS, Result.BLANK]


def test_the_text_says_how_its_rows_are_ranked_and_where_the_event_was() -> None:
    event = quad()
    event["event"]["details"] = {"city": "Dayton", "state": "OH", "affiliate": "A6000001", "chief_td": "12345678"}
    text = crosstable_text(rated(event))
    assert "Ranks go by points, then by the rating after the section" in text
    assert "Location: Dayton, OH\nAffiliate: A6000001\nChief TD: 12345678\n" in text


def test_an_event_without_a_name_is_printed_without_an_empty_heading(capsys: pytest.CaptureFixture[str]) -> None:
    event = rated(quad())
    bare = event.report._replace(event_id="", name="", start=None, end=None)
    print_crosstables(event._replace(report=bare))
    assert capsys.readouterr().out.startswith("Section 1")
    print_crosstables(event)
    heading, blank, section = capsys.readouterr().out.splitlines()[:3]
    assert heading
    assert not blank
    assert section.startswith("Section 1")

"""Every fault says where it is twice: in a director's words, and where the file has it."""

import json

import pytest

from crosstable.checks import check
from crosstable.checks.findings import in_file, player_words, section_place
from crosstable.errors import Fault
from crosstable.formats import event_json, uschess_dbf
from tests.checks.provoked import sound, third_round, with_section
from tests.event_files import EventFile
from tests.formats.uschess_event import PLAYERS, tables


def faults(event: EventFile) -> tuple[Fault, ...]:
    """The faults of an event file that was read without one."""
    reading = event_json.read(json.dumps(event).encode(), "event.json")
    assert reading.faults == ()
    return check(reading.report).faults


def test_a_cell_of_an_event_file_is_named_with_its_row() -> None:
    (found,) = faults(third_round("Q"))
    assert found.place == "section 1, player 1 (Player, 1), round 3 [sections[0].players[0]]"


def test_a_section_of_an_event_file_is_named_with_its_path() -> None:
    (found,) = faults(with_section(time_control="G/1;d2"))
    assert found.place == "section 1 [sections[0]]"


def test_a_row_without_a_number_is_counted_from_the_top() -> None:
    event = sound()
    event["sections"][0]["players"][2].update(number=None, rounds=["U", "W", "U"])
    places = {found.code: found.place for found in faults(event)}
    assert places["no-number"] == "section 1, row 3 [sections[0].players[2]]"
    assert places["no-opponent"] == "section 1, row without a number, round 2 [sections[0].players[2]]"


def test_a_cell_of_the_dbf_files_is_named_with_its_record() -> None:
    """Player 1 beats player 2 in the first round of the sample, until they play somebody who is not there."""
    rows = [{**row, "D_RND01": "W9"} if at == 0 else row for at, row in enumerate(PLAYERS)]
    reading = uschess_dbf.read(tables(players=rows), "spring")
    (found,) = (each for each in check(reading.report).faults if each.code == "opponent-missing")
    assert found.place == (
        "section 1, player 1 (PLAYER, A), round 1 [TDEXPORT.DBF, record 1 (section 1, pairing number 1)]"
    )


def test_a_section_without_a_number_is_called_by_where_it_stands() -> None:
    event = sound()
    del event["sections"][0]["number"]
    reading = event_json.read(json.dumps(event).encode(), "event.json")
    assert section_place(reading.report.sections[0], 4).whole == "section 5 [sections[0]]"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "player 7"),
        ("Smith, J", "player 7 (Smith, J)"),
        ("x" * 40, f"player 7 ({'x' * 40})"),
        ("x" * 41, f"player 7 ({'x' * 39}…)"),
    ],
)
def test_long_names_are_cut_and_missing_ones_left_out(name: str, words: str) -> None:
    assert player_words(7, name) == words


def test_without_a_file_only_the_words_are_left() -> None:
    assert in_file("section 1", "") == "section 1"

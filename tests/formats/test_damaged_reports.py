"""Damaged rating reports, zips and SwissSys files are read as they were, or refused; rows are never lost unseen."""

import json
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.formats import Reading, bundles, swisssys, uschess_dbf, uschess_write
from tests.formats.mutations import Shape, must_read_or_refuse, mutations, shape_of, share
from tests.formats.swisssys_event import EVENT, packed
from tests.formats.uschess_event import EVENT as EVENT_LAYOUT
from tests.formats.uschess_event import PLAYERS, SECTION, SECTIONS, event_row, one_section, player_layout, tables

FILES = tables()
ORIGINAL = uschess_dbf.read(FILES, "event")
ROWS = {"THEXPORT.DBF": [event_row()], "TSEXPORT.DBF": SECTIONS, "TDEXPORT.DBF": PLAYERS}
WIDTHS = {name: width for name, _, width in (*EVENT_LAYOUT, *SECTION, *player_layout(3))}
DOUBLE = one_section(["$2W #3B H0", "L1B X0 W3W", "U0 D1W W2B"], 3, S_TRN_TYPE="2")


@pytest.mark.parametrize("files", [FILES, DOUBLE], ids=["two sections", "double games"])
@pytest.mark.parametrize("name", list(FILES))
def test_a_damaged_table_is_read_as_it_was_or_refused(files: dict[str, bytes], name: str) -> None:
    """The tables count each other's rows, so that no damage to one of them can change the number of players unseen."""
    original = uschess_dbf.read(files, "event")
    seen: Counter[bool] = Counter()
    for damaged in mutations(files[name], seed=2006, count=share(6)):

        def read(data: bytes) -> Reading:
            return uschess_dbf.read({**files, name: data}, "event")

        seen[must_read_or_refuse(read, original, damaged) is None] += 1
    assert seen[True] > 0, "no damage was ever refused: the mutations do not reach the reader"


def test_a_damaged_zip_is_read_as_it_was_or_refused() -> None:
    data = uschess_write.write_zip(uschess_dbf.read(FILES, "event").report)
    original = bundles.read_zip(data, "event.zip")
    for damaged in mutations(data, seed=1989):
        must_read_or_refuse(lambda data: bundles.read_zip(data, "event.zip"), original, damaged)


def stated(data: bytes) -> Shape | None:
    """The sections with players, and the players, of a file as another reader of JSON sees it."""
    try:
        rows = [section["Players"] for section in json.loads(data, strict=False)["Sections"]]
    except (ValueError, TypeError, LookupError):
        return None
    return Shape(sum(bool(players) for players in rows), sum(len(players) for players in rows))


def test_a_damaged_swisssys_file_is_read_as_it_was_or_refused() -> None:
    data = packed(EVENT)
    original = swisssys.read(data, "event.sjson")
    assert stated(data) == shape_of(original)
    for damaged in mutations(data, seed=2011):
        must_read_or_refuse(lambda data: swisssys.read(data, "event.sjson"), original, damaged, stated)


@pytest.mark.parametrize("name", list(FILES))
def test_looking_at_damaged_files_never_raises(name: str) -> None:
    for damaged in mutations(FILES[name], seed=7, count=share(4)):
        uschess_dbf.looks_like(damaged)
        swisssys.looks_like(damaged)
        bundles.looks_like(damaged)


FIELDS = [(file, at, name) for file, rows in ROWS.items() for at, row in enumerate(rows) for name in row]


@given(st.lists(st.tuples(st.sampled_from(FIELDS), st.binary(max_size=7)), min_size=1, max_size=4))
def test_whatever_stands_in_a_field_is_read_or_reported(changes: list[tuple[tuple[str, int, str], bytes]]) -> None:
    rows = {file: [dict(row) for row in rows] for file, rows in ROWS.items()}
    for (file, at, name), value in changes:
        rows[file][at][name] = value[: WIDTHS[name]]
    files = tables(rows["THEXPORT.DBF"][0], rows["TSEXPORT.DBF"], rows["TDEXPORT.DBF"])
    must_read_or_refuse(
        lambda data: uschess_dbf.read({**files, "TDEXPORT.DBF": data}, "event"), ORIGINAL, files["TDEXPORT.DBF"]
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.just(""),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=5,
)
PLACES = [
    *(["Overview", name] for name in EVENT["Overview"]),
    *(["Sections", 0, name] for name in EVENT["Sections"][0]),
    *(["Sections", 0, "Players", 1, name] for name in EVENT["Sections"][0]["Players"][1]),
    *(["Sections", 0, "Players", 1, "Results", at] for at in range(3)),
    *(["Overview"], ["Sections"], ["Sections", 0], ["Sections", 0, "Players", 1]),
]


@given(st.sampled_from(PLACES), JSON)
def test_whatever_stands_in_a_swisssys_file_is_read_or_reported(place: list[str | int], value: object) -> None:
    event = deepcopy(EVENT)
    inner: Any = event
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    original = swisssys.read(packed(EVENT), "event.sjson")
    must_read_or_refuse(lambda data: swisssys.read(data, "event.sjson"), original, packed(event), stated)

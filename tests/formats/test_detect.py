"""Files that are not events are refused for a reason."""

import json

import pytest

from crosstable.errors import FormatError
from crosstable.formats.detect import read_data
from crosstable.output.crosstable_html import crosstable_page
from crosstable.output.crosstable_sheets import crosstable_csv, crosstable_xlsx
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import read
from tests.architecture.source import ROOT


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'[Event "Rapid"]\n[Site "?"]\n[Round "1"]\n[Result "1-0"]\n\n*\n', r"games \(PGN\)"),
        (b'{"id": "12345678", "firstName": "Ann", "ratings": [{"rating": 1500}]}', "no sections"),
        (b'{"items": [{"id": "01H", "ratingRecords": []}], "offset": 0}', "no sections"),
        (b'{"items": [{"event": {"id": "202608300103"}}]}', "no sections"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), r"old Excel \(.xls\)"),
        (b"Ann Adams\t2000001 USA\tUnr\t12345671\t1590\tTX\n", "names its columns"),
        (b"once upon a time\nthere was a player\n", "no format that is known"),
    ],
)
def test_what_is_no_event_is_refused_for_a_reason(data: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        read_data(data, "file")


@pytest.mark.parametrize(
    "data",
    [
        b"ID Number      Name   Fed Sex SRtng SGm B-day Flag\n",
        b"CFC#,Expiry,Last,First,Prov,City,Rating,High\n",
        b"BAKER,BO\t12345672\t2027-03-31\tOH\t1820\t1700\n",
        b"id\tname\tst\tx\tx\tx\tx\tx\trtglistdate\trtgreg\n",
    ],
)
def test_a_rating_list_is_no_event_and_says_where_to_give_it(data: bytes) -> None:
    with pytest.raises(FormatError, match="a list of members or players, not an event") as caught:
        read_data(data, "list.txt")
    assert "--members FILE" in caught.value.fault.remedy


@pytest.mark.parametrize("form", ["csv", "xlsx", "html", "json", "checked"])
def test_what_was_made_of_an_event_is_refused_in_one_sentence(form: str) -> None:
    """A crosstable that somebody rates again: one finding, and not one for every cell."""
    event = rate(read(ROOT / "examples" / "summer-quads.json"), today=None)
    made: dict[str, bytes] = {
        "csv": crosstable_csv(event).encode(),
        "xlsx": crosstable_xlsx(event),
        "html": crosstable_page(event).encode(),
        "json": json.dumps(event.to_dict(), indent=2).encode(),
        "checked": b'{"format": "crosstable-checked/1", "sections": []}',
    }
    with pytest.raises(FormatError, match="what crosstable made of an event") as caught:
        read_data(made[form], f"file.{form}")
    assert caught.value.fault.remedy == "Give the file that was rated."

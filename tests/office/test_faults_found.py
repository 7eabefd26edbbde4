"""The checker of the fault tests is shown what a torn write would leave, and must find it."""

from pathlib import Path

import pytest

from crosstable.office.ledger.rerate import rerate
from crosstable.office.submissions import submit
from tests.office.faults import raw
from tests.office.made_office import AUTHOR, club
from tests.office.small_season import TODAY, file_number
from tests.office.wholeness import flaws_of

# What could be left of a deed that was stored in part, and what must be said of it.
TORN = {
    "an entry without its player": ("DELETE FROM entry WHERE act = 5", "half an event"),
    "a submission without its file": ("DELETE FROM document WHERE act = 5", "the file is not the one submitted"),
    "another file": ("UPDATE document SET content = x'00'", "the file is not the one submitted"),
    "a submission without its event": ("DELETE FROM event WHERE act = 5", "the event is not the one submitted"),
    "a section without its act": ("INSERT INTO merge VALUES (77, 'a', 'b', 0)", "1 rows of merge belong to no act"),
    "an act that was changed": ("UPDATE act SET reason = 'other' WHERE seq = 2", "act 2 breaks the chain"),
    "an act that is gone": ("DELETE FROM act WHERE seq = 4", "breaks the chain"),
    "a posting that is gone": ("DELETE FROM posting WHERE posting_id = 8", "the postings are not those of its act"),
    "a posting that was changed": ("UPDATE posting SET rating_after = 1 WHERE posting_id = 8", "not the sum"),
    "a posting of no run": ("UPDATE posting SET run = 77 WHERE posting_id = 8", "rows of posting belong to no act"),
    "a run without its act": ("DELETE FROM run", "runs and acts of rating are not the same"),
    "a ripple that is gone": ("DELETE FROM ripple", "the ripple is not about those who changed"),
    "another superseded": ("UPDATE posting SET supersedes = 8 WHERE posting_id = 9", "another than the newest"),
    "one system of two": ("DELETE FROM posting WHERE system = 1", "is posted in ['OTBR'] alone"),
}


@pytest.fixture
def torn(tmp_path: Path) -> str:
    """The address of an office with two events rated, whose rows nothing guards any more."""
    office = club(str(tmp_path / "office.db"))
    for number in (1, 2):
        submit(office, AUTHOR, file_number(number), TODAY)
        rerate(office, AUTHOR)
    office.close()
    address = str(tmp_path / "office.db")
    with raw(address) as connection:
        for (name,) in connection.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            connection.do(f"DROP TRIGGER {name}")
    return address


@pytest.mark.parametrize("how", TORN)
def test_a_torn_record_is_found(how: str, torn: str) -> None:
    assert flaws_of(torn) == []
    statement, sentence = TORN[how]
    with raw(torn) as connection:
        connection.do(statement)
    assert any(sentence in flaw for flaw in flaws_of(torn)), flaws_of(torn)


def test_a_damaged_file_is_found(torn: str) -> None:
    content = bytearray(Path(torn).read_bytes())
    content[8192:8400] = bytes(208)
    Path(torn).write_bytes(content)
    assert flaws_of(torn)

"""Offices that older programs left: brought up to date they hold together, and go on from there."""

import zipfile
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import text

from crosstable.office.audit import audit
from crosstable.office.backups import restore
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office, open_office
from crosstable.office.ledger.acts import head
from tests.office.claims import Claims
from tests.office.made_office import DEED, run, unguarded

KEPT = Path(__file__).parent / "kept_office_0003.txt"
TODAY = date(2026, 11, 15)


def kept_backup(folder: Path) -> str:
    """The backup that a program of schema 0003 wrote, from its files as one text."""
    path = folder / "kept.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for part in KEPT.read_text(encoding="utf-8").split("== ")[1:]:
            name, _, content = part.partition("\n")
            archive.writestr(name, content)
    return str(path)


@pytest.fixture
def kept(address: str, tmp_path: Path) -> Office:
    restore(kept_backup(tmp_path), address)
    return open_office(address)


def test_the_runs_of_an_older_program_still_hold(kept: Office) -> None:
    """Its runs hashed postings as JSON; they are checked as they were written."""
    with closing(kept), kept.reading() as connection:
        last = head(connection)
        assert audit(kept).findings == ()
    assert last is not None
    assert last.seq == 13


def test_the_next_run_counts_the_state_anew(kept: Office) -> None:
    with closing(kept):
        claims = Claims(kept)
        assert correct_result(kept, DEED, "q", ChangedResult(1, 3, 1, "D4"), TODAY).is_stored
        done = run(kept)
        assert done is not None
        assert done.sections == 2
        claims.after_a_run()
        assert audit(kept).findings == ()


def test_a_posting_that_an_older_run_did_not_write_is_found(kept: Office) -> None:
    with closing(kept):
        with kept.writing("nobody", "tampering") as connection, unguarded(connection, "posting"):
            connection.execute(text("UPDATE posting SET k = k + 1 WHERE posting_id = 21"))
        found = audit(kept).findings
    assert any("act 10 (rate ): what it wrote is no longer" in one for one in found)
    assert any("the state after run 13" in one for one in found)

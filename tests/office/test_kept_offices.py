"""What older programs wrote down about their runs is checked as they wrote it, and counted anew by the next run."""

from contextlib import closing

import pytest
from sqlalchemy import text

from crosstable.office.audit import audit
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office, open_office
from crosstable.office.upgrading import upgrade_office
from tests.office.claims import Claims
from tests.office.kept_offices import TODAY, place
from tests.office.made_office import AUTHOR, HandClock, run, unguarded


@pytest.fixture
def kept(address: str) -> Office:
    place(address, "0003")
    upgrade_office(address, AUTHOR)
    return open_office(address, HandClock())


def test_the_next_run_counts_the_state_anew(kept: Office) -> None:
    with closing(kept):
        claims = Claims(kept)
        assert correct_result(kept, AUTHOR, "q", ChangedResult(1, 2, 2, "W4"), TODAY).is_stored
        assert run(kept) is not None
        claims.after_a_run()
        assert audit(kept).findings == ()


def test_a_posting_that_an_older_run_did_not_write_is_found(kept: Office) -> None:
    with closing(kept):
        with kept.writing("nobody", "tampering") as connection, unguarded(connection, "posting"):
            newest = connection.execute(text("SELECT max(posting_id) FROM posting WHERE k IS NOT NULL")).scalar()
            connection.execute(text(f"UPDATE posting SET k = k + 1 WHERE posting_id = {newest}"))
        found = audit(kept).findings
    assert any("a row that it wrote into posting was changed" in one.what for one in found)
    assert any("the state after run" in one.what for one in found)

"""Erasing a person: no byte of the name and the birth date is left, and every rating, supplement and proof holds.

The office is that of ``kept_offices.story``: member 9 is a child who starts by age in a dual-rated section, member 8 has
a birth date that arrived late and a second id that was merged, both are on a published supplement.
"""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import select, text

from crosstable.errors import OfficeError
from crosstable.office import tables
from crosstable.office.audit import audit
from crosstable.office.database import Office
from crosstable.office.erasing import ERASED, erase_member, erased_members
from crosstable.office.ledger.journal import Author
from crosstable.office.proposals import fact_wish, propose
from crosstable.office.public_views import PublicOffice
from crosstable.office.supplements import published_rows
from crosstable.office.views import known
from tests.office.conftest import CopyOf
from tests.office.kept_offices import story
from tests.office.made_office import AUTHOR, member_id, posted, run

CHILD, ADULT = member_id(9), member_id(8)
ASKED = Author("anna", "asked to be erased")
RATINGS = ("rating_before", "rating_after", "games_after", "prior", "computed", "k", "expected")


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    return copy_of(story)


def ratings(office: Office) -> dict[object, list[object]]:
    return {key: [getattr(one.posting, name) for name in RATINGS] for key, one in posted_rows(office).items()}


def posted_rows(office: Office) -> dict[object, object]:
    from crosstable.office.ledger.postings import all_current

    with office.reading() as connection:
        return dict(all_current(connection))  # type: ignore[arg-type]


def every_text(office: Office) -> str:
    """Everything that the tables hold, as one text; contents of files as Latin-1, so that no byte is lost."""
    found = []
    with office.reading() as connection:
        for table in (*tables.metadata.sorted_tables,):
            for row in connection.execute(select(table)):
                found += [one.decode("latin-1") if isinstance(one, bytes | memoryview) else str(one) for one in row]
        found += [str(row) for row in connection.execute(text("SELECT * FROM proposal"))]
    return "\n".join(found)


def is_named(said: str, name: str) -> bool:
    """Another member is called almost the same, with a digit more."""
    return re.search(rf"{re.escape(name)}(?!\d)", said) is not None


@pytest.mark.parametrize(("member", "name", "born"), [(CHILD, "Member, Jonas 9", "2014-03-09"), (ADULT, "Member, Irene 8", "1971-02-03")])
def test_nothing_of_a_person_is_left_and_everything_holds(club: Office, member: str, name: str, born: str) -> None:
    assert audit(club).findings == ()
    propose(club, ASKED, fact_wish(member, f"birth-date={born}"))
    before, lists = ratings(club), published(club)
    assert name in every_text(club)
    assert born in every_text(club)
    made = erase_member(club, ASKED, member)
    said = every_text(club)
    assert not is_named(said, name)
    assert not is_named(said, " ".join(reversed(name.split(", "))))
    assert born not in said
    assert made.remains == ()
    assert ratings(club) == before
    assert published(club) == [row._replace(name=ERASED, state="") if row.member_id == member else row for row in lists]  # type: ignore[attr-defined]
    assert audit(club).findings == ()
    assert run(club) is None
    with club.reading() as connection:
        assert PublicOffice(connection, None).member(member).name == ERASED


def published(office: Office) -> list[object]:
    with office.reading() as connection:
        return list(published_rows(connection, "2026-11"))

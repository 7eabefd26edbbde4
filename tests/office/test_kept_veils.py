"""Veils kept beside the record are those that a walk gives for their run, and where later walks go on from."""

import pytest
from sqlalchemy import select

from crosstable.office import kept_veils
from crosstable.office.account_tables import kept_veils as table
from crosstable.office.database import Office
from crosstable.office.kept_veils import is_prepared, kept, prepare, veils_of
from crosstable.office.veiled_record import RecordVeils
from crosstable.office.views import known
from tests.office.made_office import club_members, join, run
from tests.office.test_veils_resumed import STORY


def told(office: Office, until: int) -> None:
    """The beginning of a story, a run after each deed."""
    for deed in STORY[:until]:
        deed(office)
        run(office)


def of_walk(found: RecordVeils) -> tuple[object, ...]:
    return found.record.through, found.postings, found.sections, found.spans_by(None), found.walked


def test_what_is_kept_is_what_the_walk_gave(office: Office) -> None:
    join(office, *club_members())
    told(office, 6)
    prepare(office, large=0)
    with office.reading() as connection:
        due = RecordVeils(connection, known(connection).run)
        found = kept(connection)
        assert found is not None
        assert of_walk(found) == of_walk(due)
        assert due.spans_by(None), "the story hides something"
        assert is_prepared(connection)


def test_a_later_run_goes_on_from_what_was_kept(office: Office) -> None:
    join(office, *club_members())
    told(office, 6)
    prepare(office, large=0)
    STORY[13](office)
    run(office)
    with office.reading() as connection:
        assert not is_prepared(connection)
        newest = known(connection).run
        due, found = RecordVeils(connection, newest), veils_of(connection, newest)
        assert of_walk(found)[:4] == of_walk(due)[:4]
    prepare(office, large=0)
    with office.reading() as connection:
        assert [row.run for row in connection.execute(select(table.c.run))] == [newest]


def test_another_text_of_the_rules_about_veils_does_it_anew(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    join(office, *club_members())
    told(office, 3)
    prepare(office, large=0)
    monkeypatch.setattr(kept_veils, "program", lambda: "another")
    with office.reading() as connection:
        assert kept(connection) is None
        assert not is_prepared(connection)


def test_a_small_office_keeps_nothing(office: Office) -> None:
    join(office, *club_members())
    told(office, 3)
    prepare(office)
    with office.reading() as connection:
        assert kept(connection) is None

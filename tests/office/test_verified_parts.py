"""A verify that was stopped goes on where it was, and says what it does not look at again."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import text

from crosstable.office.audit import Kept, audit, verify
from crosstable.office.database import Office
from crosstable.office.proof import PARTS
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.office.verified_parts import NotesError
from tests.office.conftest import CopyOf
from tests.office.faults import Failure, address_of, failing_at
from tests.office.made_office import AUTHOR, enter, quad, run, unguarded
from tests.office.test_proof import with_more, without_guards

BOTH = pytest.mark.parametrize("store", ["sqlite", "postgresql"])
ALL_PARTS = [*(part[0].name for part in PARTS), "originals", "ratings"]


@pytest.fixture
def full(copy_of: CopyOf) -> Office:
    return copy_of(with_more)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes"


def stop(done: int) -> None:
    """Interrupt a verify while it recomputes the ratings, which it does last."""
    raise KeyboardInterrupt


def stopped_last(office: Office, notes: Path, since: str = "") -> list[str]:
    """A verify that was interrupted at its last part; returns what it noted."""
    with suppress(KeyboardInterrupt):
        audit(office, stop, Kept(since=since, resume=str(notes)))
    return noted(notes)


def noted(notes: Path) -> list[str]:
    return list(json.loads(notes.read_text(encoding="utf-8"))["done"]) if notes.exists() else []


@pytest.mark.parametrize("store", ["sqlite"])
def test_a_verify_goes_on_where_it_was_stopped(full: Office, notes: Path) -> None:
    """Interrupted at one statement after the other, it never does a part twice, and finds what a whole one finds.

    ``test_faults_kill_deeds`` has the same with a kill, on both databases.
    """
    whole, at, stops = audit(full), 1, 0
    while True:
        before = noted(notes)
        try:
            with failing_at(at, Failure.INTERRUPTED):
                found = audit(full, kept=Kept(resume=str(notes)))
            break
        except KeyboardInterrupt:
            assert noted(notes)[: len(before)] == before
            assert noted(notes) == ALL_PARTS[: len(noted(notes))]
            at, stops = at + 7, stops + 1
            full.close()
    assert stops > 3
    assert found._replace(held=()) == whole
    assert found.held == (f"verified before this verify was stopped, and not looked at again: {', '.join(before)}",)
    assert not notes.exists()
    assert (notes.parent / "notes.partial").exists() is False


@BOTH
def test_what_comes_in_meanwhile_is_left_to_the_next_verify(full: Office, notes: Path) -> None:
    """It ends at the entry at which it began, whatever was rated and published since."""
    whole = audit(full)
    assert stopped_last(full, notes) == ALL_PARTS[:-1]
    enter(full, quad("later"))
    run(full)
    publish(full, AUTHOR, Month(2027, 1), Basis.NOW)
    found = audit(full, kept=Kept(resume=str(notes)))
    assert found._replace(held=()) == whole
    assert f"entries {whole.acts + 1} to {whole.acts + 3} were written after this verify began" in found.held[1]
    assert f"crosstable office verify --since {whole.head} looks at them" in found.held[1]
    assert audit(full, kept=Kept(since=whole.head)).findings == ()


def test_parts_that_were_not_done_end_at_the_same_entry(full: Office, notes: Path) -> None:
    """Rows, originals and supplements of later entries are not held against what the earlier ones say."""
    whole = audit(full)
    stopped_last(full, notes)
    said = json.loads(notes.read_text(encoding="utf-8"))
    notes.write_text(json.dumps({**said, "done": {}}), encoding="utf-8")
    enter(full, quad("later"))
    run(full)
    publish(full, AUTHOR, Month(2027, 1), Basis.NOW)
    assert audit(full, kept=Kept(resume=str(notes)))._replace(held=()) == whole


def changed(office: Office, statement: str) -> None:
    with office.writing("nobody", "tampering") as connection, unguarded(connection, "ripple", "posting"):
        assert connection.execute(text(statement)).rowcount


def test_what_was_verified_is_not_seen_again_and_what_was_not_is(full: Office, notes: Path) -> None:
    stopped_last(full, notes)
    changed(full, "UPDATE ripple SET rating_after = rating_after + 1")
    resumed = audit(full, kept=Kept(resume=str(notes)))
    assert without_guards(resumed) == []
    assert any("wrote into ripple was changed" in one for one in without_guards(audit(full)))


def test_a_part_in_which_something_was_found_is_looked_at_again(full: Office, notes: Path) -> None:
    changed(full, "UPDATE posting SET rating_after = rating_after + 1 WHERE rating_after IS NOT NULL")
    assert stopped_last(full, notes) == []  # the guards are gone, too, which is found before anything is noted
    assert any("wrote into posting was changed" in one for one in without_guards(audit(full)))


def rewritten(notes: Path, **said: object) -> None:
    notes.write_text(json.dumps(json.loads(notes.read_text(encoding="utf-8")) | said), encoding="utf-8")


def test_a_journal_that_lost_the_head_is_found_and_everything_looked_at(full: Office, notes: Path) -> None:
    stopped_last(full, notes)
    rewritten(notes, head="f" * 64)
    changed(full, "UPDATE ripple SET rating_after = rating_after + 1")
    found = without_guards(audit(full, kept=Kept(resume=str(notes))))
    assert "the journal never had that head, it was cut off or rewritten" in found[0]
    assert any("wrote into ripple was changed" in one for one in found)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"office": "0" * 64}, "it is about another office"),
        ({"version": "0.0"}, "another version of this program wrote it"),
        ({"since": "0" * 64}, "it was made with another --since, or with none"),
        ({"format": "else"}, "it is of another kind"),
    ],
)
def test_notes_of_another_verify_are_refused(full: Office, notes: Path, said: dict[str, str], why: str) -> None:
    stopped_last(full, notes)
    rewritten(notes, **said)
    with pytest.raises(NotesError, match=f"cannot be gone on from: {why}; remove it, or name another"):
        verify(address_of(full), Kept(resume=str(notes)))


@pytest.mark.parametrize("content", ["no JSON", "[]"])
def test_a_file_that_is_none_is_refused_and_left_alone(full: Office, notes: Path, content: str) -> None:
    notes.write_text(content, encoding="utf-8")
    with pytest.raises(NotesError, match="is no file in which a verify notes how far it has come"):
        verify(address_of(full), Kept(resume=str(notes)))
    assert notes.read_text(encoding="utf-8") == content


def test_a_verify_since_a_head_goes_on_too(full: Office, notes: Path) -> None:
    kept = audit(full).head
    enter(full, quad("later"))
    run(full)
    assert stopped_last(full, notes, kept) == ALL_PARTS[:-1]
    found = audit(full, kept=Kept(since=kept, resume=str(notes)))
    assert (found.findings, found.sections) == ((), 1)

"""A whole record without texts gives a compiled replay the same arrays and the same postings as one with everything."""

import random
from collections.abc import Sequence
from datetime import date

import polars as pl
import pytest

from crosstable.history.index import build
from crosstable.office.audit import audit
from crosstable.office.bulk import deriving, entry_rows
from crosstable.office.bulk.deriving import sum_due
from crosstable.office.bulk.record import Known, known_at, known_for_replay
from crosstable.office.bulk.run import state_of
from crosstable.office.database import Office
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.facts import Record
from crosstable.office.members import merge_members
from tests.amounts import amount
from tests.office.conftest import NewOffice
from tests.office.made_office import AUTHOR, member_id, record_of
from tests.office.random_federation import federation
from tests.office.test_rerate_bulk import attempted, some_act
from tests.office.two_ways import PLAIN, rated


@pytest.fixture
def settled(new_office: NewOffice, seeds: Sequence[int]) -> list[Office]:
    """Offices with events of every kind, some of them in several versions, and a member with two ids."""
    made = []
    for seed in seeds:
        fed, chance = federation(seed, events=amount(20, 30)), random.Random(seed)
        made.append(new_office())
        fed.settle(made[-1])
        for at in range(6):
            attempted(some_act(chance, fed, date(2021, 1, 2), f"late{at}"))(made[-1])
        attempted(lambda office: merge_members(office, AUTHOR, member_id(2), member_id(1)))(made[-1])
        rated(made[-1], PLAIN)
    return made


@pytest.mark.parametrize("together", [1, 7, 100_000])
def test_the_arrays_of_a_replay_are_the_same_without_texts(
    settled: list[Office], together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many rows are read together: those of a section may come in several portions."""
    monkeypatch.setattr(entry_rows, "_LEAN_TOGETHER", together)
    monkeypatch.setattr("crosstable.office.bulk.frames.PORTION", 5)
    for office in settled:
        with office.reading() as connection:
            record = record_of(connection)
            whole, lean = known_at(record, {}), known_for_replay(record)
            assert lean.archive.told is not None
            assert lean.archive.told.height < whole.archive.entries.height == lean.archive.entries.height
            assert lean.rounds.len() == 0
            pairs = zip(build(whole.archive).history, build(lean.archive).history, strict=True)
            assert all(one.tobytes() == other.tobytes() for one, other in pairs)


def test_a_section_that_comes_in_two_parts_is_refused(settled: list[Office], monkeypatch: pytest.MonkeyPatch) -> None:
    """As from a store whose index is damaged: compiled code takes what it is given."""
    monkeypatch.setattr(entry_rows, "section_starts", lambda rows: [rows.height - 1])
    monkeypatch.setattr(entry_rows, "_LEAN_TOGETHER", 1)
    monkeypatch.setattr("crosstable.office.bulk.frames.PORTION", 5)
    with settled[0].reading() as connection, pytest.raises(ValueError, match="do not follow upon each other"):
        known_for_replay(record_of(connection))


def test_an_office_without_entries_has_none_to_be_read(office: Office) -> None:
    with office.reading() as connection:
        found = known_for_replay(record_of(connection)).archive
    assert (found.entries.height, found.games.height) == (0, 0)
    assert isinstance(found.told, pl.DataFrame)


def test_a_long_record_is_verified_without_texts(settled: list[Office], monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum of what is due is that of what was posted by the plain engine, and nothing is found."""
    read = list[Known]()

    def noted(record: Record) -> Known:
        read.append(known_for_replay(record))
        return read[-1]

    monkeypatch.setattr(deriving, "is_worth_compiling", lambda steps: steps > 0)
    monkeypatch.setattr(deriving, "known_for_replay", noted)
    for office in settled:
        with office.reading() as connection:
            assert text_of(sum_due(record_of(connection))) == text_of(state_of(connection))
        assert audit(office).findings == ()
    assert len(read) == 2 * len(settled)

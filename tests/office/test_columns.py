"""The current postings in files of columns: the same rows as the database has, or none."""

import json
import logging
import os
import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sqlalchemy import Connection

from crosstable.office.bulk import columns, compiled, run
from crosstable.office.bulk.checkpoints import folder_of
from crosstable.office.bulk.columns import COLUMNS, Since, columns_of, month_of, stored_since
from crosstable.office.bulk.frames import frame_of
from crosstable.office.bulk.run import state_of
from crosstable.office.bulk.steps import STORED, current_since
from crosstable.office.database import Office
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.runs import StageClock, Watch
from tests.amounts import amount
from tests.office.claims import Claims
from tests.office.conftest import NewOffice
from tests.office.made_office import AUTHOR
from tests.office.random_federation import federation
from tests.office.test_rerate_bulk import a_club, attempted, draw_in, some_act
from tests.office.two_ways import LONG, PLAIN, rated, rated_both_ways


@pytest.fixture(autouse=True)
def even_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offices of any size keep columns, and hand over a few sections at a time."""
    monkeypatch.setattr(run, "MANY", 0)
    monkeypatch.setattr(compiled, "BLOCK", 3)


def in_order(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.sort("posting_id")


def files_of(office: Office) -> list[Path]:
    return sorted(Path(folder_of(office, COLUMNS)).glob("*"))


def in_database(connection: Connection, day: date) -> Since:
    return stored_since(connection, day, frame_of(connection, current_since(day), STORED))


def assert_the_same(office: Office, days: Sequence[date], first: int | None = None) -> None:
    """What the files say of the days from any on is what the database says; a month is where they begin."""
    with office.reading() as connection:
        kept = columns_of(office, connection)
        assert kept is not None
        assert first in (None, kept.first)
        for day in days:
            found = kept.since(connection, day)
            assert (found is None) == (month_of(day) < kept.first)
            if found is not None:
                there = in_database(connection, day)
                assert_frame_equal(in_order(found.rows), in_order(there.rows))
                assert_frame_equal(in_order(found.earlier), in_order(there.earlier))


def test_random_histories_are_kept_as_they_are_posted(new_office: NewOffice, seeds: Sequence[int]) -> None:
    """Some runs are compiled and write files, some are interpreted and leave that to the next one."""
    for seed in seeds:
        rng = random.Random(seed)
        first = date(2021, 1, 2)
        fed = federation(seed, events=amount(16, 24), first_day=first)
        office, plain = new_office(), new_office()
        days = [first + timedelta(days=rng.randrange(1500)) for _ in range(5)]
        for one in (office, plain):
            fed.settle(one)
        assert rated_both_ways(plain, office) is not None
        assert_the_same(office, days)
        for turn in range(4):
            acts = [attempted(some_act(rng, fed, first, f"late{turn}{at}")) for at in range(rng.choice((1, 3)))]
            for act in acts:
                act(office)
                act(plain)
            if rng.random() < 0.5:
                rated_both_ways(plain, office)
            else:
                assert (rated(plain, PLAIN) is None) == (rated(office, PLAIN) is None)
            assert_the_same(office, days)
        Claims(office).after_a_run()


def test_files_begin_with_the_first_month_that_a_run_reads(new_office: NewOffice) -> None:
    office = new_office()
    a_club(office)
    rated(office, PLAIN)  # an interpreted run writes no files
    assert files_of(office) == []
    draw_in(office, "q1")
    rated(office, LONG)
    days = [date(2026, 2, 1), date(2026, 5, 1), date(2026, 7, 1)]
    assert_the_same(office, days, month_of(date(2026, 5, 1)))
    draw_in(office, "q0")  # earlier than the files begin: the database is asked
    rated(office, LONG)
    assert_the_same(office, days, month_of(date(2026, 3, 1)))
    draw_in(office, "apart")
    rated(office, LONG)
    Claims(office).after_a_run()


def test_files_are_for_their_owner_and_none_is_left_over(new_office: NewOffice) -> None:
    office = new_office()
    a_club(office)
    rated(office, LONG)
    first = {path.name for path in files_of(office)}
    assert {os.stat(path).st_mode & 0o777 for path in files_of(office)} == {0o600}
    for event_id in ("q0", "q1", "q2"):
        draw_in(office, event_id)
        rated(office, LONG)
    lists = [path for path in files_of(office) if path.suffix == ".json"]
    assert len(lists) == 2  # that of the last run, and that of the one before, should this one not have been stored
    named = {file[0] for path in lists for file in json.loads(path.read_text())["months"].values()}
    assert {path.name for path in files_of(office) if path not in lists} == named
    assert len(first - named) == len(first) - 1  # only starting ratings end in a month that nothing has changed


@pytest.mark.parametrize("which", [".arrow", ".json"])
@pytest.mark.parametrize("how", ["cut", "changed", "gone"])
def test_files_that_are_damaged_are_not_used_and_made_anew(
    new_office: NewOffice, caplog: pytest.LogCaptureFixture, which: str, how: str
) -> None:
    plain, office = new_office(), new_office()
    for one in (plain, office):
        a_club(one)
    rated_both_ways(plain, office)
    for path in files_of(office):
        if path.suffix == which:
            content = path.read_bytes()
            path.write_bytes(content[: len(content) // 2] if how == "cut" else content.replace(b"1", b"2"))
            if how == "gone":
                path.unlink()
    for one in (plain, office):
        draw_in(one, "q0")
    with caplog.at_level(logging.WARNING):
        rated_both_ways(plain, office)
    is_told = "be used" in caplog.text or "be read" in caplog.text
    assert is_told == (which == ".arrow" or how == "cut")  # a list that says something else is that of another record
    assert_the_same(office, [date(2026, 3, 1)], month_of(date(2026, 3, 1)))


def test_files_of_another_history_with_the_same_ratings_do_not_count(new_office: NewOffice) -> None:
    """As after a restore: the same corrections in another order give the same ratings, under other numbers."""
    one, other = new_office(), new_office()
    for office, order in ((one, ("q0", "apart")), (other, ("apart", "q0"))):
        a_club(office)
        rated(office, LONG)
        for event_id in order:
            draw_in(office, event_id)
            rated(office, LONG)
    with one.reading() as here, other.reading() as there:
        assert state_of(here) == state_of(there)
        assert columns_of(one, here) is not None
        assert columns_of(one, there) is None


def test_a_damaged_file_of_an_earlier_month_stops_no_run(
    new_office: NewOffice, caplog: pytest.LogCaptureFixture
) -> None:
    """A run that begins later has to write it anew, because an interpreted one has posted something there since."""
    office = new_office()
    a_club(office)
    rated(office, LONG)
    draw_in(office, "q0")
    rated(office, PLAIN)
    for path in files_of(office):
        if path.name.startswith("2026-03"):
            path.write_bytes(b"not what was written")
    draw_in(office, "q2")
    with caplog.at_level(logging.WARNING):
        rated(office, LONG)
    assert "begin later" in caplog.text
    assert_the_same(office, [date(2026, 3, 1), date(2026, 7, 1)], month_of(date(2026, 7, 1)))
    Claims(office).after_a_run()


def test_files_of_a_run_that_was_not_stored_do_not_count(
    new_office: NewOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = new_office()
    a_club(office)
    rated(office, LONG)
    draw_in(office, "q0")
    with monkeypatch.context() as patched:
        patched.setattr(columns.Renewal, "finish", stopped_after(columns.Renewal.finish))
        with pytest.raises(InterruptedError):
            rated(office, LONG)
    lists = [path for path in files_of(office) if path.suffix == ".json"]
    with office.reading() as connection:
        kept = columns_of(office, connection)
    assert len(lists) == 2
    assert kept is not None
    assert kept.run == min(int(path.stem.partition("-")[2]) for path in lists)
    assert_the_same(office, [date(2026, 3, 1)])
    draw_in(office, "q1")
    rated(office, LONG)
    assert_the_same(office, [date(2026, 3, 1)])
    Claims(office).after_a_run()


def stopped_after(finish: object) -> object:
    """As if the program were killed once the files are there, before the run is stored."""

    def stop(renewal: columns.Renewal, state: str) -> None:
        finish(renewal, state)  # type: ignore[operator]
        raise InterruptedError

    return stop


def test_a_folder_that_cannot_be_written_stops_no_run(new_office: NewOffice, caplog: pytest.LogCaptureFixture) -> None:
    office = new_office()
    a_club(office)
    Path(folder_of(office, COLUMNS)).write_text("a file in the place of the folder")
    with caplog.at_level(logging.WARNING):
        rated(office, LONG)
    assert "cannot be kept as columns" in caplog.text
    Claims(office).after_a_run()


def test_small_offices_keep_none(new_office: NewOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MANY", columns.MANY)
    office = new_office()
    a_club(office)
    rerate(office, AUTHOR, watch=Watch(clock=StageClock(), long=LONG))
    assert files_of(office) == []

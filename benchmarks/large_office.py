"""Large offices on both databases: an archive imported in bulk, rated, an old result corrected, and exported again.

Without an argument a federation of about two million games goes through both; ``--whole`` puts twenty million on
PostgreSQL, which takes the better part of an hour with the first rating.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from crosstable.history.archive import write
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office import tables
from crosstable.office.bulk.archive_in import import_archive
from crosstable.office.bulk.archive_out import export_archive
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office
from crosstable.office.founding import found_office
from crosstable.office.ledger.acts import Deed
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.watching import StageClock, Watch
from tests.office.postgres import Server

DEED = Deed("benchmark", "measuring")
TODAY = date(2026, 11, 15)
YEARS_BACK = 5
SIZE, WHOLE = (100_000, 50_000), (1_000_000, 500_000)


def large_office() -> str:
    """Seconds of each step and of the stages of runs."""
    is_whole = "--whole" in sys.argv
    members, sections = WHOLE if is_whole else SIZE
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        archive = simulate(Federation(members=members, sections=sections, seed=1))
        write(archive, str(Path(folder, "archive")))
        games = archive.games.height
        del archive
        for name in ("PostgreSQL",) if is_whole else ("SQLite", "PostgreSQL"):
            lines.append(f"office on {name}, {members:,} members, {sections:,} sections, {games:,} games")
            with _address(name, folder) as address:
                lines += _measured(address, folder)
    return "\n".join(lines) + "\n"


@contextmanager
def _address(name: str, folder: str) -> Iterator[str]:
    if name == "SQLite":
        yield str(Path(folder, "office.db"))
        return
    with Server() as server:
        yield server.new_database("office")


def _measured(address: str, folder: str) -> Iterator[str]:
    made = found_office(address, "Benchmark", DEED)
    taken, seconds = _timed(lambda: import_archive(made, DEED, str(Path(folder, "archive"))))
    yield f"  imported    {seconds:8.1f} s   {_stages(taken.stages)}"
    yield from _rated(made, "rated")
    event_id, change = _mistake(made)
    result, seconds = _timed(lambda: correct_result(made, DEED, event_id, change, TODAY))
    assert result.is_stored
    yield f"  corrected   {seconds:8.1f} s   one result of an event {YEARS_BACK} years back"
    yield from _rated(made, "rated again")
    written, seconds = _timed(lambda: export_archive(made, str(Path(folder, "out"))))
    yield f"  exported    {seconds:8.1f} s   {_stages(written.stages)}"
    made.close()


def _rated(made: Office, name: str) -> Iterator[str]:
    clock = StageClock()
    run, seconds = _timed(lambda: rerate(made, DEED, watch=Watch(clock=clock)))
    assert run is not None
    moved = f"{run.sections:,} sections, {run.postings:,} postings, a ripple of {len(run.ripple):,} ratings"
    yield f"  {name:<12}{seconds:8.1f} s   {moved}"
    yield f"                           {_stages(clock.seconds)}"


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    done = work()
    return done, time.perf_counter() - began


def _stages(seconds: dict[str, float]) -> str:
    return ", ".join(f"{name} {took:.1f}" for name, took in seconds.items() if took >= 0.05)


def _mistake(made: Office) -> tuple[str, ChangedResult]:
    """A result in the last event that ended five years before the end."""
    with made.reading() as connection:
        event_id, number = _old_section(connection)
        entry = tables.entry.c
        rows = connection.execute(
            select(entry.number, entry.rounds).where(entry.event_id == event_id, entry.section == number)
        ).all()
    for row, rounds in rows:
        for at, cell in enumerate(rounds.split(), start=1):
            if cell.startswith("W"):
                return event_id, ChangedResult(number, row, at, f"L{cell[1:]}")
    raise AssertionError("nobody won in that section")


def _old_section(connection: Connection) -> tuple[str, int]:
    section = tables.section.c
    last = connection.execute(select(section.ended).order_by(section.ended.desc()).limit(1)).scalar()
    assert last is not None
    day = last.replace(year=last.year - YEARS_BACK, day=1)
    query = select(section.event_id, section.number).where(section.ended <= day, section.kind == "swiss")
    found = connection.execute(query.order_by(section.ended.desc(), section.event_id.desc()).limit(1)).one()
    return found[0], found[1]

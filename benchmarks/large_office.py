"""Large offices on PostgreSQL with fsync: imported, rated, an ordinary event, corrections, verified, exported.

Without an argument an office of 200,000 members; ``--whole`` adds one of a million, which takes about twenty minutes.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, and_, func, select

from crosstable.history.archive import write
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office import tables
from crosstable.office.bulk.archive_in import import_archive
from crosstable.office.bulk.archive_out import export_archive
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office
from crosstable.office.founding import found_office
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.runs import StageClock, Watch
from crosstable.office.published import Month
from crosstable.office.submissions import Status, document_of_bytes, submit
from crosstable.office.supplements import Basis, publish
from tests.office.postgres import Server

AUTHOR = Author("benchmark", "measuring")
TODAY = date(2026, 11, 15)
# How far back a result is corrected, in days, and the words for it.
CORRECTIONS = ((30, "a month"), (365, "a year"), (5 * 365, "five years"))
SIZES = ((200_000, 100_000), (1_000_000, 500_000))
SUPPLEMENTS = 24
# What docs/office.md advises for a large office; the rest is as PostgreSQL comes.
SETTINGS = {"shared_buffers": "4GB", "max_wal_size": "8GB", "checkpoint_timeout": "15min", "wal_compression": "lz4"}


def large_office() -> str:
    """Seconds of each step and of the stages of runs."""
    lines = []
    for members, sections in SIZES if "--whole" in sys.argv else SIZES[:1]:
        with tempfile.TemporaryDirectory() as folder, Server(is_safe=True, settings=SETTINGS) as server:
            archive = simulate(Federation(members=members, sections=sections, seed=1))
            write(archive, str(Path(folder, "archive")))
            games = archive.games.height
            del archive
            lines.append(f"office on PostgreSQL, {members:,} members, {sections:,} sections, {games:,} games")
            made = found_office(server.new_database("office"), "Benchmark", AUTHOR)
            lines += [*founded(made, folder), *changed(made), *verified(made), *exported(made, folder)]
            made.close()
    return "\n".join(lines) + "\n"


def founded(made: Office, folder: str) -> Iterator[str]:
    """The archive comes in and is rated for the first time."""
    taken, seconds = _timed(lambda: import_archive(made, AUTHOR, str(Path(folder, "archive"))))
    yield f"  imported    {seconds:8.1f} s   {_stages(taken.stages)}"
    yield from _rated(made, "rated", 0.0)


def changed(made: Office) -> Iterator[str]:
    """What an office does from day to day; each takes from the act to the posted ratings."""
    began = time.perf_counter()
    done = submit(made, AUTHOR, document_of_bytes(_ordinary_event(made), "ordinary.json"), TODAY)
    assert done.status is Status.ACCEPTED, done
    yield from _rated(made, "an event", time.perf_counter() - began)
    for days, words in CORRECTIONS:
        event_id, change = _mistake(made, days)
        began = time.perf_counter()
        assert correct_result(made, AUTHOR, event_id, change, TODAY).is_stored
        yield from _rated(made, words, time.perf_counter() - began)


def verified(made: Office) -> Iterator[str]:
    """Supplements of two years are published, and everything is verified, by a process whose memory is told."""
    with made.reading() as connection:
        last = _newest_day(connection)
    first = 12 * last.year + last.month - SUPPLEMENTS
    months = [Month(at // 12, at % 12 + 1) for at in range(first, first + SUPPLEMENTS)]
    _, seconds = _timed(lambda: [publish(made, AUTHOR, month, Basis.PLAYED) for month in months])
    yield f"  published   {seconds:8.1f} s   {SUPPLEMENTS} supplements"
    program = [sys.executable, "-m", "crosstable", "office", "verify", "--database", made.url, "--json"]
    began = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(program, stdout=said, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        found = json.load(said)
    assert child.returncode == 0, found
    seconds = time.perf_counter() - began
    memory = f"{used.ru_maxrss >> 10:,} MB at most"
    yield f"  verified    {seconds:8.1f} s   by a process of its own, {memory} (limits 900 s, 4,096 MB)"


def exported(made: Office, folder: str) -> Iterator[str]:
    """The record goes out as an archive."""
    written, seconds = _timed(lambda: export_archive(made, str(Path(folder, "out"))))
    yield f"  exported    {seconds:8.1f} s   {_stages(written.stages)}"


def _rated(made: Office, name: str, before: float) -> Iterator[str]:
    clock = StageClock()
    run, seconds = _timed(lambda: rerate(made, AUTHOR, watch=Watch(clock=clock)))
    assert run is not None
    moved = f"{run.sections:,} sections, {run.postings:,} postings, {len(run.ripple):,} ratings change"
    yield f"  {name:<12}{before + seconds:8.2f} s   {moved}"
    stages = {"until it is recorded": before, **clock.seconds} if before else clock.seconds
    yield f"                           {_stages(stages)}"


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    done = work()
    return done, time.perf_counter() - began


def _stages(seconds: dict[str, float]) -> str:
    return ", ".join(f"{name} {took:.2f}" for name, took in seconds.items() if took >= 0.005)


def _ordinary_event(made: Office) -> bytes:
    """The last section of the record once more, as a new event of the week after: a file as directors send it."""
    with made.reading() as connection:
        section, entry = tables.section.c, tables.entry.c
        last = _newest_day(connection)
        event_id, number = _section_before(connection, last)
        rows = connection.execute(
            select(entry.number, entry.member_id, entry.name, entry.rounds)
            .where(entry.event_id == event_id, entry.section == number)
            .order_by(entry.row)
        ).all()
        control = connection.execute(
            select(section.time_controls).where(section.event_id == event_id, section.number == number)
        ).scalar_one()
    day = str(last + timedelta(days=7))
    players = [
        {"number": row, "member_id": member_id, "name": name, "rounds": ["" if c == "-" else c for c in rounds.split()]}
        for row, member_id, name, rounds in rows
    ]
    whole = {
        "format": "crosstable-event/1",
        "event": {"id": "ordinary", "name": "An ordinary event", "start_date": day, "end_date": day},
        "sections": [{"number": 1, "name": "Open", "time_control": json.loads(control), "players": players}],
    }
    return json.dumps(whole).encode()


def _mistake(made: Office, days: int) -> tuple[str, ChangedResult]:
    """A win in a section that ended so many days before the end."""
    with made.reading() as connection:
        event_id, number = _section_before(connection, _newest_day(connection) - timedelta(days=days))
        entry = tables.entry.c
        where = and_(entry.event_id == event_id, entry.section == number)
        newest = select(func.max(entry.act)).where(where).scalar_subquery()
        rows = connection.execute(select(entry.number, entry.rounds).where(where, entry.act == newest)).all()
    for row, rounds in rows:
        for at, cell in enumerate(rounds.split(), start=1):
            if cell.startswith("W"):
                return event_id, ChangedResult(number, row, at, f"L{cell[1:]}")
    raise AssertionError("nobody won in that section")


def _newest_day(connection: Connection) -> date:
    section = tables.section.c
    imported = section.event_id != "ordinary"
    last = connection.execute(select(section.ended).where(imported).order_by(section.ended.desc()).limit(1)).scalar()
    assert isinstance(last, date)
    return last


def _section_before(connection: Connection, day: date) -> tuple[str, int]:
    """The largest section of the week before a day."""
    section, entry = tables.section.c, tables.entry.c
    same = and_(section.event_id == entry.event_id, section.number == entry.section, section.act == entry.act)
    query = select(section.event_id, section.number).join_from(tables.section, tables.entry, same)
    query = query.where(section.ended <= day, section.ended > day - timedelta(days=7), section.kind == "swiss")
    query = query.group_by(section.event_id, section.number).order_by(func.count().desc(), section.event_id)
    found = connection.execute(query.limit(1)).one()
    return found[0], found[1]

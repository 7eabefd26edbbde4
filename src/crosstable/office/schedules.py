"""Schedules: when runs, supplements, backups and verifications are made without anybody asking.

They are settings of the office, so the journal says who set them. Times are UTC. Each time has one job, whoever looks
first; one that was missed while nothing ran is made up for once.
"""

import os
import re
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import NamedTuple

from sqlalchemy import Connection, select

from crosstable.errors import OfficeError
from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.jobs import JobKind, NewJob
from crosstable.office.ledger.journal import Author, Change, EntryKind, acts, append
from crosstable.office.published import Month, cut_off

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SCHEDULED = (JobKind.RATE, JobKind.PUBLISH, JobKind.BACKUP, JobKind.VERIFY)
# Before a cut-off everything that came in is rated, so that it is on the list.
_RUN_BEFORE = timedelta(minutes=15)
_AT = re.compile(r"(?:(?P<day>[a-z]+) )?(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)")
_RULE = "cut-off"
_MONTHS = 12


class Schedule(NamedTuple):
    """When jobs of a kind are made: a day of the week and a time, a time of every day, or by the cut-off rule."""

    kind: JobKind
    when: str
    since: datetime
    folder: str = ""


def _setting(kind: JobKind) -> str:
    return f"schedule_{kind.value}"


def set_schedule(office: Office, author: Author, kind: JobKind, when: str, folder: str = "") -> int:
    """Say when jobs of a kind are made, or with an empty text that none are; returns the journal entry."""
    if when and when != _RULE:
        _parts(when)
    if when and (kind is JobKind.PUBLISH) != (when == _RULE):
        raise OfficeError(
            "supplements are published by the cut-off rule: crosstable office schedule publish cut-off"
            if kind is JobKind.PUBLISH
            else f"a {kind.value} has no cut-off; say a time, like tuesday 06:00"
        )
    if when and kind is JobKind.BACKUP and not os.path.isdir(folder):
        raise OfficeError(f"backups need a folder that is there, not {folder!r}: --folder FOLDER")
    said = {"when": when, "folder": os.path.abspath(folder) if folder else ""} if when else None
    with office.writing(author.actor, "schedules") as connection:
        before = next((one for one in schedules(connection) if one.kind is kind), None)
        was = None if before is None else {"when": before.when, "folder": before.folder}
        change = Change(EntryKind.SETTINGS, f"schedule {kind.value}", {_setting(kind): said}, {_setting(kind): was})
        return append(connection, office.clock, author, change)


def _parts(when: str) -> tuple[int | None, time]:
    found = _AT.fullmatch(when)
    if found is None or found["day"] not in (None, *WEEKDAYS):
        raise OfficeError(f"{when!r} is no time of a schedule; write 06:00 or tuesday 06:00 (UTC)")
    day = None if found["day"] is None else WEEKDAYS.index(found["day"])
    return day, time(int(found["hour"]), int(found["minute"]))


def schedules(connection: Connection) -> list[Schedule]:
    """Every schedule that is set."""
    found: dict[JobKind, Schedule | None] = {}
    for entry in acts(connection):
        if entry.kind is not EntryKind.SETTINGS:
            continue
        for kind in SCHEDULED:
            if _setting(kind) in entry.after:
                said = entry.after[_setting(kind)]
                found[kind] = None if said is None else Schedule(kind, said["when"], entry.at, said["folder"])
    return [one for one in found.values() if one is not None]


def due_jobs(connection: Connection, now: datetime) -> Iterator[NewJob]:
    """The jobs whose time has come, each with the time that it is for: one that has a job already gets no other."""
    for one in schedules(connection):
        author = Author("schedule", f"{one.kind.value} by schedule ({one.when})")
        if one.when == _RULE:
            yield from _by_rule(connection, one, author, now)
            continue
        at = _last(one.when, now)
        if at >= one.since:
            wish = {"folder": one.folder} if one.folder else {}
            yield NewJob(one.kind, author, wish, slot=f"{one.kind.value} {at:%Y-%m-%dT%H:%M}")


def _last(when: str, now: datetime) -> datetime:
    """The newest time of a schedule that is not to come."""
    day, at = _parts(when)
    found = datetime.combine(now.date(), at, tzinfo=now.tzinfo)
    if day is not None:
        found -= timedelta(days=(found.weekday() - day) % 7)
    return found if found <= now else found - timedelta(days=1 if day is None else 7)


def _by_rule(connection: Connection, one: Schedule, author: Author, now: datetime) -> Iterator[NewJob]:
    """A run before the next cut-off, and the supplement whose cut-off is past and which nobody has published."""
    for ahead in range(3):
        number = now.year * _MONTHS + now.month - 1 + ahead
        month = Month(number // _MONTHS, number % _MONTHS + 1)
        until = cut_off(month)
        if one.since <= until - _RUN_BEFORE <= now < until:
            yield NewJob(JobKind.RATE, author, slot=f"rate before {month}")
        is_published = select(tables.supplement.c.month).where(tables.supplement.c.month == str(month))
        if one.since <= until <= now and connection.execute(is_published).first() is None:
            yield NewJob(JobKind.PUBLISH, author, {"month": str(month)}, slot=f"publish {month}")

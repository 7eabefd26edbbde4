"""The list of erasures: who was erased and when, by id, in a small file that outlives the database.

A backup that is older than an erasure still holds what was erased. The list lies beside the database and holds no
personal value but the ids; a restore reads it and erases these people again before anything is stored.
"""

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection

from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.erased import erased_members, erasures, named_again
from crosstable.office.erasing import erase_in, erase_member
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import Author, last_act_of
from crosstable.office.persons import cancel_waiting, clear_ended
from crosstable.office.plain_errors import plain_os_errors

FORMAT = "crosstable-office-erasures/1"
ENDING = ".erasures"
_FILE = "sqlite:///"


class ListedErasure(NamedTuple):
    """Somebody who was erased: every id of theirs, and when."""

    members: tuple[str, ...]
    at: str


def list_path(url: str) -> str:
    """Where the list of an office lies: beside its file; for one on a server nowhere by itself."""
    return f"{url.removeprefix(_FILE)}{ENDING}" if url.startswith(_FILE) else ""


def listed_in(connection: Connection) -> list[ListedErasure]:
    """The erasures that the journal knows."""
    return [ListedErasure(members, _at(at)) for _, at, members in erasures(connection) if members]


def _at(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def write_list(office: Office, path: str) -> int:
    """Write the erasures of the journal and those that the file has already; returns how many there are."""
    with office.reading() as connection:
        found = listed_in(connection)
    known = read_list(path) if os.path.exists(path) else []
    ids = {one.members for one in found}
    every = [*(one for one in known if one.members not in ids), *found]
    rows = [{"members": list(one.members), "at": one.at} for one in sorted(every, key=lambda one: one.at)]
    partial = f"{path}.partial"
    with plain_os_errors(path):
        with suppress(FileNotFoundError):
            os.remove(partial)
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps({"format": FORMAT, "erasures": rows}, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    return len(rows)


def read_list(path: str) -> list[ListedErasure]:
    """The erasures of a list."""
    try:
        with plain_os_errors(path), open(path, encoding="utf-8") as file:
            said = json.load(file)
        if said["format"] != FORMAT:
            raise OfficeError(f"{path} is no list of erasures")
        return [ListedErasure(tuple(map(str, one["members"])), str(one["at"])) for one in said["erasures"]]
    except (ValueError, KeyError, TypeError) as error:
        raise OfficeError(f"{path} is no list of erasures, or it is damaged") from error


def lists_for(url: str, backup: str) -> list[str]:
    """Lists that lie beside a database and beside a backup."""
    return [path for path in (list_path(url), f"{backup}{ENDING}") if path and os.path.isfile(path)]


def erase_again(office: Office, connection: Connection, apart: Connection, listed: Sequence[ListedErasure]) -> int:
    """Erase everybody of a list who is still there, and files that wait and name them; returns how many people."""
    count = 0
    for one in listed:
        record = Record(connection, last_act_of(connection, None))
        missing = _not_erased(record, one.members)
        while missing:  # ids that were merged later are several people here
            author = Author("restore", f"erased on {one.at[:10]}, after this backup was made")
            made = erase_in(office, connection, author, missing[0])
            cancel_waiting(apart, made.person, office.clock())
            clear_ended(apart, made.person)
            count += 1
            record = Record(connection, last_act_of(connection, None))
            missing = _not_erased(record, one.members)
    return count


def not_erased(connection: Connection, listed: Sequence[ListedErasure]) -> list[tuple[str, str]]:
    """Everybody of a list who is there, or is back: an id of theirs, and when they were erased."""
    record = Record(connection, last_act_of(connection, None))
    return [(member, one.at) for one in listed for member in _not_erased(record, one.members)]


def erase_listed(office: Office, author: Author, listed: Sequence[ListedErasure]) -> int:
    """Erase everybody of a list who is there, after a server put back a record of before; returns how many people."""
    count = 0
    while True:
        with office.reading() as connection:
            found = not_erased(connection, listed)
        if not found:
            return count
        member, at = found[0]
        usual = f"erased on {at[:10]}, and put back since"
        erase_member(office, author._replace(reason=author.reason or usual), member)
        count += 1


def _not_erased(record: Record, members: Iterable[str]) -> list[str]:
    there = record.people(list(members))
    again = {one for one, _, _ in named_again(record.connection, list(there))}
    return sorted((there.keys() - erased_members(record.connection)) | again)

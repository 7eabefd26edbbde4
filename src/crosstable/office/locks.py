"""One writer at a time: the lock of a file beside a SQLite office, an advisory lock on a PostgreSQL server.

Both are gone when their holder is, however they end, and both say who the holder is.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from crosstable.errors import OfficeBusyError
from crosstable.machine import try_lock
from crosstable.office.plain_errors import plain_os_errors

# How often one who waits for a file looks again, in seconds.
_GLANCE = 0.02
# How long one who is refused looks for the name of a holder that has only just taken the lock, in seconds.
_NAMING = 0.5
# One lock per PostgreSQL database; the number only has to be ours.
_ADVISORY_KEY = 0x6372_6F73_7374
# And one for its accounts and jobs.
_ACCOUNTS_KEY = _ADVISORY_KEY + 1
_LOCK_NOT_AVAILABLE = "55P03"
# So often one who waited in vain tries again when nobody holds the lock any more.
_LOOKS = 5


class Holder(NamedTuple):
    """Who is writing in the office."""

    who: str
    doing: str

    @property
    def sentence(self) -> str:
        """What others are told."""
        return f"{self.who} is at work ({self.doing}, process {os.getpid()})"


@contextmanager
def held_file(path: str, holder: Holder, patience: float) -> Iterator[None]:
    """The lock of a file, which the system takes back when the process ends in whatever way."""
    with plain_os_errors(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_for(handle, time.monotonic() + patience)
        try:
            with plain_os_errors(path):
                os.ftruncate(handle, 0)
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, holder.sentence.encode())
            yield
        finally:
            # A courtesy: a name that a killed holder left is never read, for only a held lock asks whose it is.
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _wait_for(handle: int, deadline: float) -> None:
    """Wait in no queue, but who has waited longer looks more often, so that nobody is always too late."""
    began = time.monotonic()
    while not try_lock(handle):
        now = time.monotonic()
        if now >= deadline:
            os.lseek(handle, 0, os.SEEK_SET)
            holder = os.read(handle, 1000).decode(errors="replace")
            if holder or now > deadline + _NAMING:
                raise OfficeBusyError(_busy(holder))
        time.sleep(_GLANCE / (1 + now - began))


def take_advisory_lock(connection: Connection, holder: Holder, patience: float) -> None:
    """Stand in the server's queue for the lock, as long as patience lasts."""
    connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": holder.sentence[:60]})
    connection.commit()
    other = ""
    for _ in range(_LOOKS):
        if _gets_advisory_lock(connection, patience):
            return
        other = _advisory_holder(connection)
        connection.rollback()
        if other:  # otherwise it has just become free
            break
    raise OfficeBusyError(_busy(other))


def _gets_advisory_lock(connection: Connection, patience: float) -> bool:
    _limit_waiting(connection, patience)
    try:
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _ADVISORY_KEY})
    except OperationalError as error:
        connection.rollback()
        if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
            raise
        return False
    connection.commit()
    return True


def take_accounts_lock(connection: Connection, holder: Holder, patience: float) -> None:
    """Inside a transaction, to whose end it is held: those transactions are short."""
    _limit_waiting(connection, patience)
    try:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ACCOUNTS_KEY})
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
            raise
        raise OfficeBusyError(_busy("")) from error
    connection.execute(text("SELECT set_config('application_name', :name, true)"), {"name": holder.sentence[:60]})


def _limit_waiting(connection: Connection, patience: float) -> None:
    wait = f"{max(1, round(1000 * patience))}ms"  # 0 would mean for ever
    connection.execute(text("SELECT set_config('lock_timeout', :wait, true)"), {"wait": wait})


def give_advisory_lock_back(connection: Connection) -> None:
    """Before the session is used again; one that cannot do this is dropped, and the lock with it."""
    if connection.invalidated:
        return
    try:
        connection.execute(text("SELECT pg_advisory_unlock_all()"))
        connection.commit()
    except SQLAlchemyError:
        connection.invalidate()
    except BaseException:
        connection.invalidate()
        raise


def held_file_for(path: str) -> float:
    """For how many seconds the present holder has had the lock of a file, 0 where nobody has."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return 0.0
    try:
        began = os.fstat(handle).st_mtime  # the holder writes its name when it comes
        return 0.0 if try_lock(handle) else max(0.0, time.time() - began)
    finally:
        os.close(handle)


def advisory_lock_held_for(connection: Connection) -> float:
    """The same for the lock on a server: how long its transaction has lasted."""
    found = connection.execute(
        text(
            "SELECT extract(epoch FROM clock_timestamp() - a.xact_start) FROM pg_locks l JOIN pg_stat_activity a "
            "ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.granted AND l.classid = :high AND l.objid = :low AND "
            "l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1"
        ),
        {"high": _ADVISORY_KEY >> 32, "low": _ADVISORY_KEY & 0xFFFF_FFFF},
    ).scalar()
    return float(found or 0.0)


def _advisory_holder(connection: Connection) -> str:
    found = connection.execute(
        text(
            "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
            "WHERE l.locktype = 'advisory' AND l.granted AND l.classid = :high AND l.objid = :low AND l.database = "
            "(SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1"
        ),
        {"high": _ADVISORY_KEY >> 32, "low": _ADVISORY_KEY & 0xFFFF_FFFF},
    ).scalar()
    return found or ""


def _busy(holder: str) -> str:
    return f"the office is busy: {holder or 'another program is writing'}; try again when that is done"

"""Faults of a database or a disk as sentences that say what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, OperationalError

from crosstable.errors import OfficeBusyError, OfficeError


@contextmanager
def plain_errors() -> Iterator[None]:
    """Faults of the store as sentences that say what to do; everything was rolled back by then."""
    try:
        yield
    except DBAPIError as error:
        _tell(error)
        raise


def _tell(error: DBAPIError) -> None:
    """Say what a database says, with what to do about it, where we know."""
    said = str(error.orig)
    for sign in _NOT_YET:
        if sign in said:  # the rest of it holds the address, which is nobody's business
            raise OfficeBusyError(f"the office is busy: {sign}; nothing was stored. {_SOON}") from error
    remedy = _LOST if error.connection_invalidated else _remedy(said) or _remedy_of_connecting(error)
    if remedy is not None:
        raise OfficeError(f"the database says: {said.strip()}; nothing was stored. {remedy}") from error


@contextmanager
def plain_os_errors(path: str) -> Iterator[None]:
    """Faults of a file's folder or disk, in the same way."""
    try:
        yield
    except OSError as error:
        said = f"{path}: {error.strerror}; nothing was stored."
        raise OfficeError(f"{said} {_remedy(said) or 'Check the path and the rights of its folder.'}") from error


def _remedy(said: str) -> str | None:
    for part, remedy in _REMEDIES.items():
        if part in said.lower():
            return remedy
    return None


def _remedy_of_connecting(error: DBAPIError) -> str | None:
    """A server that goes while a connection is being made: no statement was sent, and nothing tells it was lost."""
    return _LOST if isinstance(error, OperationalError) and error.statement is None else None


# What a PostgreSQL server says for some seconds while it starts, stops or recovers from a crash.
_NOT_YET = (
    "the database system is starting up",
    "the database system is in recovery mode",
    "the database system is shutting down",
    "the database system is not yet accepting connections",
)
_SOON = "Try again in a moment."
_LOST = "The connection was lost; check that the server runs, and try again."
_REMEDIES = {
    "disk is full": "Make room on the disk and try again.",
    "no space left": "Make room on the disk and try again.",
    "disk i/o error": "The disk failed, or it is full; check it and try again.",
    "not a database": "The file is not an office, or it is damaged: restore a backup.",
    "could not decode": "The file is damaged: restore a backup (crosstable office restore).",
    "malformed": "The file is damaged: restore a backup (crosstable office restore).",
    "readonly": "The file may not be written to; check its owner and its folder.",
    "unable to open": "Check the path and the rights of its folder.",
    "password authentication": "Check the name and the password in the address.",
    "connection refused": "Check that the server runs and that the address is right.",
    "could not connect": "Check that the server runs and that the address is right.",
    "connection failed": "Check that the server runs and that the address is right.",
    "connection is bad": "Check that the server runs and that the address is right.",
    "failed to resolve host": "Check the name of the server in the address.",
    "invalid connection option": "Check the options after the ? of the address.",
    "does not exist": "Check the name of the database and of the user.",
    "lock timeout": "Somebody is putting the database back, or changing its tables; try again when that is done.",
    "database is locked": "Another program is writing; try again.",
    "append-only": "The record is never changed; write a correction or a decision instead.",
}

"""How far a verify has come, in a file of whoever verifies: one that was stopped goes on from there.

The file is no part of an office. It says which office it is about, up to which journal entry, and which parts of the
record were found sound; ``audit`` looks for the head of that entry before any of it counts.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, Self

from sqlalchemy import Connection

from crosstable import __version__
from crosstable.errors import OfficeError
from crosstable.office.complete_files import complete_file
from crosstable.office.ledger.commitments import NOTHING, digest_at, head_in
from crosstable.office.plain_errors import plain_os_errors

# Of a file that only this program reads, and deletes when it is done.
FORMAT = "verifying an office, 1"
# What a file must say of itself, in words.
_WORDS = {
    "format": "it is of another kind",
    "office": "it is about another office",
    "version": "another version of this program wrote it",
    "since": "it was made with another --since, or with none",
}


class NotesError(OfficeError):
    """A file from which a verify cannot go on."""


class VerifiedParts:
    """The parts of a record that were verified up to an entry; without a file nothing is noted down."""

    def __init__(self) -> None:
        self._path = ""
        self._about: Mapping[str, str] = {}
        self.entry, self.head = NOTHING
        # What was noted before, by part.
        self.before: Mapping[str, Any] = {}
        self._done: dict[str, Any] = {}

    @classmethod
    def at(cls, connection: Connection, path: str, since: str) -> Self:
        """What a file says, or nothing yet, up to the newest entry."""
        made = cls()
        made._path = path
        made._about = {"format": FORMAT, "office": digest_at(connection, 1), "version": __version__, "since": since}
        made.begin_anew(connection)
        if path and os.path.exists(path):
            made._take(_read(path))
        return made

    def _take(self, said: Mapping[str, Any]) -> None:
        for name, value in self._about.items():
            if said.get(name) != value:
                raise NotesError(f"{self._path} cannot be gone on from: {_WORDS[name]}; remove it, or name another")
        self.entry, self.head = said["entry"], said["head"]
        self.before, self._done = said["done"], dict(said["done"])

    def begin_anew(self, connection: Connection) -> None:
        """Nothing is verified yet."""
        self.entry, self.head = head_in(connection)
        self.before, self._done = {}, {}

    def note(self, part: str, value: object) -> None:
        """Write down that a part is sound, and what later parts want to know of it."""
        self._done[part] = value
        if self._path:
            said = {**self._about, "entry": self.entry, "head": self.head, "done": self._done}
            with plain_os_errors(self._path), complete_file(self._path) as file:
                file.write(json.dumps(said).encode())

    def finish(self) -> None:
        """Everything was looked at: the next verify begins anew."""
        if self._path and os.path.exists(self._path):
            with plain_os_errors(self._path):
                os.remove(self._path)


NO_PARTS = VerifiedParts()


def _read(path: str) -> Mapping[str, Any]:
    with plain_os_errors(path), open(path, "rb") as file:
        content = file.read()
    try:
        said = json.loads(content)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise NotesError(f"{path} is no file in which a verify notes how far it has come; name another one")
    return said

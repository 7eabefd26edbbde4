"""Files to and from ``Report``: one module per format, no judgement about chess.

``read_file`` finds the format by content and returns a ``Reading``: the report and every fault of the file's shape.
May import terms, errors, the catalogue of faults, and ``rules.systems`` and ``rules.time_controls``.
"""

from pathlib import Path
from typing import NamedTuple

from crosstable.catalogue import fault
from crosstable.errors import Fault, FormatError
from crosstable.terms import Report

LARGEST_FILE = 50_000_000


class Reading(NamedTuple):
    """What reading a file gave: the report, as far as it could be read, and every fault of its shape."""

    report: Report
    faults: tuple[Fault, ...]


def read_file(path: Path) -> Reading:
    """Read an event file; raises ``FormatError`` where nothing of it can be read."""
    from crosstable.formats import event_json

    return event_json.read(file_bytes(path), path.name)


def file_bytes(path: Path) -> bytes:
    """The bytes of a file that may be any size, any kind, or not there."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FormatError(
                fault("not-readable", path.name, f"The file is larger than {LARGEST_FILE // 1_000_000} MB.")
            )
        return path.read_bytes()
    except OSError as error:
        raise FormatError(
            fault("not-readable", str(path), f"The file cannot be opened: {error.strerror}.", "Check its name.")
        ) from error

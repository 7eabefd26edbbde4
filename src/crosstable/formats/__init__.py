"""Files to and from ``Report``: one module per format, no judgement about chess.

``detect.read_input`` finds the format by content and returns a ``Reading``: the report and every fault of the file's
shape. May import terms, errors, the catalogue of faults, and ``rules.editions`` and ``rules.time_controls``.
"""

import os

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.terms import Report
from crosstable.tuples import NamedTuple

LARGEST_FILE = 50_000_000


class Reading(NamedTuple):
    """What reading a file gave: the report, as far as it could be read, and every fault of its shape."""

    report: Report
    faults: tuple[Fault, ...]


# Paths are plain strings here: pathlib alone would cost a tenth of the time that rating one event may take.
def file_bytes(path: str) -> bytes:
    """The bytes of a file that may be any size, any kind, or not there."""
    try:
        if not os.path.isfile(path) and os.path.exists(path):
            raise FormatError(
                fault("not-readable", path, "This is not a file.", "Give a file or a folder of DBF files.")
            )
        if os.path.getsize(path) > LARGEST_FILE:
            raise FormatError(fault("not-readable", path, f"The file is larger than {LARGEST_FILE // 1_000_000} MB."))
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise FormatError(
            fault("not-readable", path, f"The file cannot be opened: {error.strerror}.", "Check its name.")
        ) from error

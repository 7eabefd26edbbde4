"""Files to and from ``Report``: one module per format, no judgement about chess.

``detect.read_input`` finds the format by content and returns a ``Reading``: the report and every fault of the file's
shape. May import terms, errors, the catalogue of faults, and ``rules.editions`` and ``rules.time_controls``.
"""

import os
import re
from collections.abc import Iterable

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.sentences import counted
from crosstable.terms import Report
from crosstable.tuples import NamedTuple

LARGEST_FILE = 50_000_000
MOST_FAULTS = 500  # of one file: past these they are counted, so that a list of a million mistakes stays readable


OWN_DOCUMENT = re.compile(rb'"format"\s*:\s*"crosstable-(?!event/)[a-z-]{1,40}/\d')
OWN_TITLES = ("section", "section_name", "system", "rank", "number")  # of the tables that are made of a rated event
OWN_PAGE = '<meta name="generator" content="crosstable">'


class Reading(NamedTuple):
    """What reading a file gave: the report, as far as it could be read, and every fault of its shape."""

    report: Report
    faults: tuple[Fault, ...]


class FaultList(list[Fault]):
    """Faults in the order of finding; past ``MOST_FAULTS`` they are only counted."""

    def __init__(self, found: Iterable[Fault] = ()) -> None:
        super().__init__()
        self.unlisted = 0
        self.extend(found)

    def append(self, found: Fault) -> None:
        """Keep a fault, or count it where enough are kept."""
        if len(self) < MOST_FAULTS:
            super().append(found)
        else:
            self.unlisted += 1

    def extend(self, found: Iterable[Fault]) -> None:
        """Keep or count several faults."""
        for each in found:
            self.append(each)

    def closed(self, place: str) -> tuple[Fault, ...]:
        """All that was kept, and a last fault that says how many more there are."""
        if not self.unlisted:
            return tuple(self)
        message = f"Not listed: {counted(self.unlisted, 'more fault')}."
        return (*self, fault("damaged-file", place, message, "Correct the faults above first."))


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
    except ValueError as error:  # a NUL in the path
        raise FormatError(
            fault("not-readable", path, "The file cannot be opened: this is no path.", "Check its name.")
        ) from error


def own_output(name: str) -> Fault:
    """That a file is what this program made of a rated event, and so no event."""
    message = "The file is what crosstable made of an event, with computed ratings; it is no event file."
    return fault("not-readable", name, message, "Give the file that was rated.")

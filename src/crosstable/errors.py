"""The exceptions, and the fault: a finding about the input, with its place.

    CrosstableError
    ├── FormatError               a file could not be read at all
    ├── UnratableSectionError     checked and refused; carries every Fault
    ├── AcceptanceError           a warning that cannot be accepted as asked
    ├── TimeControlError          a time control that cannot be understood
    ├── NoEditionError            no rules for this date
    │   └── UnsupportedEditionError   rules existed, their text is missing
    ├── RuleSetError              a rule set that cannot be used; carries every Fault
    ├── ConvergenceError          a bounded loop met its bound; carries the inputs to replay
    ├── MissingLibraryError       an optional library is not installed; the message says the line to type
    ├── HistoryError              a history cannot be replayed as asked
    ├── FetchError                the ratings API did not give what was asked for
    │   └── NotThereError             there is nothing under this id
    └── OfficeError               the office cannot do what was asked; nothing was stored
        ├── NoOfficeError             there is no office at this address
        ├── SchemaError               the office's tables are older or newer than this program
        └── OfficeBusyError           somebody else is writing, or the server recovers; the message says which

Faults of the input are values, all of them reported at once; faults of the caller are exceptions.
"""

from collections.abc import Sequence
from enum import StrEnum

from crosstable.tuples import NamedTuple

# The exit codes of commands: the input has faults; the command was typed wrongly.
FAULTY = 1
USAGE = 2


class Severity(StrEnum):
    """Whether a finding stops the rating (error), stops it until somebody accepts it (confirm), or only warns."""

    ERROR = "error"
    CONFIRM = "confirm"
    WARNING = "warning"

    @property
    def stops(self) -> bool:
        """Whether a section with such a finding is not rated as it stands."""
        return self is not Severity.WARNING


class Level(StrEnum):
    """How US Chess's own validation of an uploaded report would rank a finding; the ranking is ours, code by code."""

    FATAL = "Fatal"
    HOT = "Hot"
    MEDIUM = "Medium"
    MILD = "Mild"


class Fault(NamedTuple):
    """One finding: a stable code, its severity, the place, what is wrong, and how to fix it."""

    code: str
    severity: Severity
    place: str
    message: str
    remedy: str


class CrosstableError(Exception):
    """The base class of every exception of this package."""


class FormatError(CrosstableError):
    """A file could not be read at all. ``fault`` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.place}: {fault.message} {fault.remedy}")
        self.fault = fault


class UnratableSectionError(CrosstableError):
    """A report or a request was checked and refused. ``faults`` has every mistake."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(f"{fault.place}: {fault.message}" for fault in faults))
        self.faults = tuple(faults)


class AcceptanceError(CrosstableError):
    """A code cannot be accepted: it is not known, it is an error, or no reason is given."""


class TimeControlError(CrosstableError):
    """A time control that cannot be understood, or that rates nowhere."""


class NoEditionError(CrosstableError):
    """No rules are known for this date."""


class UnsupportedEditionError(NoEditionError):
    """Rules existed on this date, but the document that states them was not found."""


class RuleSetError(CrosstableError):
    """A rule set that cannot be used; carries every fault."""

    def __init__(self, where: str, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(f"{where}: {fault.place}: {fault.message}" for fault in faults))
        self.where = where
        self.faults = tuple(faults)


class ConvergenceError(CrosstableError):
    """A bounded loop met its bound; the message ends with the inputs to replay."""


class MissingLibraryError(CrosstableError):
    """An optional library is not installed; the message says the line to type."""


def install_line(extra: str = "") -> str:
    """The line that installs crosstable with an extra; the quotes are those that every shell takes.

    Where it came from a file, such as a wheel that was built or downloaded, or from the folder of the project, the line
    names that; where pipx installed it, the line is one for pipx.
    """
    if not extra:
        return "pip install crosstable"
    import json
    import os
    import sys
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        came = json.loads(distribution("crosstable").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:  # a single file, or the source folder
        came = {}
    has_pipx = os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json"))
    install = "pipx install --force" if has_pipx else "pip install"
    if came.get("dir_info", {}).get("editable"):
        from urllib.parse import urlsplit
        from urllib.request import url2pathname

        return f'{install} --editable "{url2pathname(urlsplit(came["url"]).path)}[{extra}]"'
    return f'{install} "crosstable[{extra}]{" @ " + came["url"] if came else ""}"'


class HistoryError(CrosstableError):
    """A history cannot be replayed as asked; the message says why and what to do."""


class FetchError(CrosstableError):
    """The ratings API did not give what was asked for; the message says why and what to do. Nothing was written."""


class NotThereError(FetchError):
    """The ratings API has nothing under this id."""


class OfficeError(CrosstableError):
    """The office cannot do what was asked; the message says why and what to do. Nothing was stored."""


class NoOfficeError(OfficeError):
    """There is no office at this address."""


class SchemaError(OfficeError):
    """The office's tables are older or newer than this program."""


class ReplacedOfficeError(OfficeError):
    """The database is no longer the one that was opened. Nothing was stored, and nothing of it is to be shown."""


class OfficeBusyError(OfficeError):
    """Somebody else is writing, or the database is not ready yet; the message says which. Trying again helps."""


class RefusedError(Exception):
    """A command that cannot be done as it was typed: why, and the exit code."""

    def __init__(self, why: str, code: int = USAGE) -> None:
        super().__init__(why)
        self.code = code

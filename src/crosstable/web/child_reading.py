"""Reading a stranger's files in a process of its own, with little memory, little time and nothing to do harm to.

The child gets the files on its standard input and answers with a ``Reading``. What it answers is taken back through an
unpickler that knows only our own nouns: even a child that a file had taken over could say nothing else.
"""

import importlib
import io
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats import Reading

MOST_MEMORY = 512 * 1024 * 1024
# Of a processor's time. The clock has a wider limit: that a machine is busy is no fault of a file.
MOST_SECONDS = 10
PATIENCE = 60.0
# Even the largest tournaments have fewer rows; what comes after reading takes time for each of them.
MOST_ROWS = 10_000
MOST_SECTIONS = 500
# A reading is a few times as long as its file.
MOST_ANSWER = 200 * 1024 * 1024
# No program starts on Windows without the name of its folder.
_AROUND = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
_OURS = frozenset({"crosstable.terms", "crosstable.errors", "crosstable.formats"})
_OTHERS = frozenset({("datetime", "date"), ("builtins", "dict"), ("builtins", "tuple"), ("builtins", "frozenset")})


class File(NamedTuple):
    """A file as it was sent; the name serves messages only."""

    name: str
    content: bytes


def read_in_child(files: Sequence[File]) -> Reading:
    """Read files that belong together; raises ``FormatError`` where that cannot be done, or not within the limits."""
    name = " + ".join(file.name for file in files)
    command = [sys.executable, "-I", "-m", "crosstable.web.child_reading"]
    asked = pickle.dumps([tuple(file) for file in files])
    try:
        done = subprocess.run(command, input=asked, capture_output=True, timeout=PATIENCE, check=False, env=_AROUND)
    except subprocess.TimeoutExpired as error:
        raise FormatError(_refused(name, f"Reading it took longer than {PATIENCE:g} seconds.")) from error
    if done.returncode or len(done.stdout) > MOST_ANSWER:
        raise FormatError(_refused(name, "It cannot be read within the limits of memory and time."))
    answer = _answer(done.stdout)
    if isinstance(answer, Fault):
        raise FormatError(answer)
    _require_few(answer, name)
    return answer


def _require_few(reading: Reading, name: str) -> None:
    sections = reading.report.sections
    rows = sum(len(section.players) for section in sections)
    if rows > MOST_ROWS or len(sections) > MOST_SECTIONS:
        said = f"It has {len(sections):,} sections and {rows:,} rows"
        most = f"at most {MOST_SECTIONS:,} and {MOST_ROWS:,} are read here"
        raise FormatError(_refused(name, f"{said}; {most}."))


def _refused(name: str, message: str) -> Fault:
    return fault("not-readable", name, message, "Send each event by itself, as the pairing program exported it.")


class _OnlyNouns(pickle.Unpickler):
    """Takes back named tuples and enumerations of our own, and dates; everything else is refused."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401
        if module in _OURS and "." not in name:
            found = getattr(importlib.import_module(module), name)
            if isinstance(found, type) and issubclass(found, tuple | str | int):
                return found
        elif (module, name) in _OTHERS:
            return getattr(importlib.import_module(module), name)
        raise pickle.UnpicklingError(f"{module}.{name} is no noun of ours")


def _answer(data: bytes) -> Reading | Fault:
    answer = _OnlyNouns(io.BytesIO(data)).load()
    if not isinstance(answer, Reading | Fault):
        raise pickle.UnpicklingError("no reading")
    return answer


# The child.


def main() -> None:
    """Read what stands on standard input and say what it is on standard output."""
    _limit()
    files = [File(*one) for one in pickle.loads(sys.stdin.buffer.read())]  # from our own parent
    try:
        answer: Reading | Fault = read_together(files)
    except FormatError as error:
        answer = error.fault
    sys.stdout.buffer.write(pickle.dumps(answer))


def _limit() -> None:
    """Limits of the system; Windows has none of them, and there the clock of the parent alone ends a child."""
    try:
        import resource
    except ImportError:
        return
    with suppress(ValueError):  # macOS has no limit of memory
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    os.nice(5)


def read_together(files: Sequence[File]) -> Reading:
    """Files that belong together: one of any format, or the tables of one report."""
    from crosstable.formats.bundles import read_files
    from crosstable.formats.detect import read_data

    if len(files) == 1:
        return read_data(files[0].content, files[0].name)
    return read_files([(file.name, file.content) for file in files], " + ".join(file.name for file in files))


if __name__ == "__main__":
    main()

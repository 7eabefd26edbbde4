"""What commands print: lines, JSON, tables, findings, and a progress bar where somebody watches.

Every text that a file or a person brought is made printable first: nothing in it can write on the terminal.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from crosstable.errors import FAULTY, CrosstableError, Fault, RefusedError, RuleSetError, Severity
from crosstable.sentences import spans

if TYPE_CHECKING:
    from rich.progress import Progress

GAP = "  "


def say(text: str) -> None:
    """A line on standard output."""
    from crosstable.output.words import printable

    sys.stdout.write(f"{printable(text)}\n")


def warn(text: str) -> None:
    """A line on standard error."""
    from crosstable.output.words import printable

    sys.stderr.write(f"{printable(text)}\n")


def print_json(document: object) -> None:
    """A document for programs, in one line."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False, default=str) + "\n")


def print_answer(document: object, text: str, *, as_json: bool) -> None:
    """An answer for programs or for people."""
    if as_json:
        print_json(document)
    else:
        sys.stdout.write(text)


def sections_text(numbers: Sequence[int | None]) -> str:
    """Sections by number: ``section 2``, ``sections 1, 3``, ``no section``."""
    noun = "section" if len(numbers) == 1 else "sections"
    return f"{noun} {', '.join(map(str, numbers))}" if numbers else "no section"


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph that fits a terminal, further lines indented."""
    from textwrap import fill

    from crosstable.cli.options import width

    return fill(text, width(), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) + "\n"


def refuse_to_replace(paths: Iterable[str], *, is_forced: bool) -> None:
    """Refuse to write where a file stands already, unless with ``--force``."""
    for path in paths:
        if os.path.isfile(path) and not is_forced:
            raise RefusedError(f"{path} already exists; give another name, or --force to replace it", FAULTY)


def write_files(files: Mapping[str, bytes], *, is_forced: bool) -> None:
    """Write files, all of them or none; one that exists is replaced only with ``--force``."""
    refuse_to_replace(files, is_forced=is_forced)
    for path, data in files.items():
        with open(path, "wb") as file:
            file.write(data)


# Findings and refusals


def error_text(command: str, error: CrosstableError, known_on: object = None) -> str:
    """Why a command is refused: every fault of a rule set or an archive, otherwise one line without a password."""
    from crosstable.output.words import printable

    if where := getattr(error, "where", "") or getattr(error, "folder", ""):
        faults: Sequence[Fault] = error.faults  # type: ignore[attr-defined]
        lines = [f"{where}: {fault.place}: {fault.message}\n" for fault in faults]
        return "".join([*lines, f"    {faults[0].remedy}\n"] if isinstance(error, RuleSetError) else lines)
    said = " ".join(str(error).split())
    then = "" if known_on is None else f" (as known on {known_on})"
    return f"crosstable {command}: {printable(shown_address(said + then))}\n"


def shown_address(text: str) -> str:
    """A text without the passwords of the addresses in it."""
    return re.sub(r"(://[^/@:\s]*):[^/@\s]*@", r"\1:…@", text)


def fault_text(name: str, fault: Fault, *, can_accept: bool = False) -> str:
    """A finding as people read it: where, what, and what would be right; ``can_accept``: the command has --accept."""
    where = f"{name}: {fault.severity.value}: {fault.place}"
    accept = f' To accept it: --accept {fault.code}="your reason".' if fault.severity is Severity.CONFIRM else ""
    return f"{where}: {fault.message}\n    {fault.remedy}{accept if can_accept else ''} [{fault.code}]\n"


def faults_text(name: str, faults: Sequence[Fault], *, can_accept: bool = False) -> str:
    """Findings as people read them: equal ones about several rows are one."""
    if not faults:
        return ""
    from crosstable.cli.printing import grouped

    return "".join(fault_text(name, fault, can_accept=can_accept) for fault in grouped(faults))


def github_text(name: str, faults: Sequence[Fault]) -> str:
    """Findings as commands of a GitHub workflow, which shows them beside the lines of the file."""
    lines = []
    for fault in faults:
        line = re.search(r"\b(?:line|row) (\d+)", fault.place)
        about = {"file": name, **({"line": line[1]} if line else {}), "title": fault.code}
        told = ",".join(f"{key}={_escaped(text, ':,')}" for key, text in about.items())
        said = _escaped(f"{fault.place}: {fault.message} {fault.remedy}")
        lines.append(f"::{'error' if fault.severity.stops else 'warning'} {told}::{said}\n")
    return "".join(lines)


def _escaped(text: str, also: str = "") -> str:
    """A text as workflow commands take it: what would end it is written as its number."""
    return "".join(f"%{ord(char):02X}" if char in f"%\r\n{also}" else char for char in text)


def warn_of_faults(name: str, faults: Sequence[Fault]) -> None:
    """Every finding with its place and remedy on standard error, errors first."""
    in_order = sorted(faults, key=lambda fault: not fault.severity.stops)
    for line in faults_text(name, in_order).splitlines():
        warn(line)


# Tables: drawn with rich on a terminal, plain columns in a file or a pipe


# The title of a column, whether its cells stand to the right, and whether they may be broken on a terminal.
Column = tuple[str, bool, bool]


def columns(*titles: str) -> tuple[Column, ...]:
    """Columns by their titles: ``>Games`` stands to the right, ``~Why`` may be broken."""
    return tuple((title.lstrip(">~"), title[0] == ">", title[0] == "~") for title in titles)


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], empty: str = "") -> None:
    """A table; a column in which nothing stands is left out. ``empty`` is said where there is no row."""
    from crosstable.output.words import printable

    if not rows:
        sys.stdout.write(empty and f"{empty}\n")
        return
    kept = [at for at in range(len(columns)) if any(row[at] for row in rows)]
    shown = [[printable(row[at]) for at in kept] for row in rows]
    chosen = [columns[at] for at in kept]
    if sys.stdout.isatty():
        _draw(chosen, shown)
    else:
        sys.stdout.write(plain_table(chosen, shown))


def plain_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain columns."""
    titles = [title for title, _, _ in columns]
    widths = [max(map(len, cells)) for cells in zip(titles, *rows, strict=True)]
    lines = []
    for row in (titles, *rows):
        cells = [
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, (_, is_right, _) in zip(row, widths, columns, strict=True)
        ]
        lines.append(GAP.join(cells).rstrip() + "\n")
    return "".join(lines)


def _draw(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for title, is_right, is_broken in columns:
        table.add_column(title, justify="right" if is_right else "left", no_wrap=not is_broken)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False, markup=False, emoji=False)
    if any(is_broken for _, _, is_broken in columns):
        console.print(table)
        return
    needed = Measurement.get(console, console.options.update(width=10_000), table).maximum
    Console(highlight=False, markup=False, emoji=False, width=max(console.width, needed)).print(table)


# Progress


class Bar:
    """A progress bar on a terminal, and silence when the output is piped; its length may be told later."""

    def __init__(self, title: str, total: int | None = None) -> None:
        self._title, self._total = title, total
        self._drawn: Progress | None = None

    def __enter__(self) -> "Bar":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self._drawn = Progress(console=Console(stderr=True), transient=True)
            self._task = self._drawn.add_task(self._title, total=self._total)
            self._drawn.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def start(self, total: int) -> None:
        """Tell how much there is to do."""
        self._update(total=total)

    def done(self, done: int) -> None:
        """Tell how much is done."""
        self._update(completed=done)

    def _update(self, **told: Any) -> None:  # noqa: ANN401 (what rich takes)
        if self._drawn is not None:
            self._drawn.update(self._task, **told)


FEWEST = 3
# The last row that a place names: "section 1, player 7 (Smith, J), round 3", "chart.csv, line 12, column Rating".
_ROW = re.compile(
    r"(?P<head>.*?)(?P<what>player|row|line|record) (?P<number>\d+)(?: \(.*?\))?(?P<rest>[^()]*)", re.DOTALL
)
_FILE = re.compile(r"(?P<words>.*?) \[(?P<file>.*)\]", re.DOTALL)
_ITEM = re.compile(r"(?P<head>.*players\[)(?P<number>\d+)(?P<rest>\].*)", re.DOTALL)
# What only says whose row it is: a member id.
_ID = re.compile(r"'?\b\d{5,8}\b'?")


def grouped(faults: Iterable[Fault]) -> list[Fault]:
    """The findings in their order, each group of equal ones where its first stood."""
    groups: dict[tuple[object, ...], list[Fault]] = {}
    for found in faults:
        head, _, rest = _row(_words(found.place))
        same = (found.code, found.severity, found.remedy, _ID.sub("#", found.message), head, rest)
        groups.setdefault(same, []).append(found)
    return [found for group in groups.values() for found in (group if len(group) < FEWEST else [_one(group)])]


def _one(group: Sequence[Fault]) -> Fault:
    first = group[0]
    if len({found.message for found in group}) == 1:
        message = f"{first.message} ({len(group)} times)"
    else:
        message = f"{first.message} (and {len(group) - 1} more like this)"
    return first._replace(place=_places([found.place for found in group]), message=message)


def _places(places: Sequence[str]) -> str:
    """The rows of places that differ in nothing else, and where the file has them."""
    words = _merged([_words(place) for place in places])
    files = [found["file"] for found in map(_FILE.fullmatch, places) if found]
    merged = _merged(files) if len(files) == len(places) else ""
    return f"{words} [{merged}]" if merged and "…" not in merged else words


def _merged(texts: Sequence[str]) -> str:
    rows = [_row(text) for text in texts]
    heads = {(head, rest) for head, _, rest in rows}
    if len(heads) > 1 or not rows[0][1]:
        return f"{texts[0]} …"
    head, _, rest = rows[0]
    between = "" if head.endswith("[") else "s "
    return f"{head}{between}{spans(int(number) for _, number, _ in rows)}{rest}"


def _row(words: str) -> tuple[str, str, str]:
    """What stands before the number of a row, the number, and what stands behind."""
    if found := _ROW.fullmatch(words):
        return found["head"] + found["what"], found["number"], found["rest"]
    if found := _ITEM.fullmatch(words):
        return found["head"], found["number"], found["rest"]
    return words, "", ""


def _words(place: str) -> str:
    found = _FILE.fullmatch(place)
    return found["words"] if found else place

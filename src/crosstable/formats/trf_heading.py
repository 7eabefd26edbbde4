"""The lines of a TRF and its heading: name, dates, counts, time controls, and what is kept to be written back.

The lines of a TRF: bytes to records with columns, and everything found wrong on the way. A TRF is text with one record
a line: a code of three characters, a blank, then fields at fixed columns. Columns are counted from 1 and in
characters, not bytes.

Time controls in a TRF: the coded one of TRF26 (record 222, in seconds) and the free text of record 122. ``5400+30`` is
90 minutes and 30 seconds a move, ours ``G/90;+30``; ``40/6000+30:900+30`` is ``40/100,SD/15;+30``. The code knows
increments only. A delay, and a control that leaves it open, can be written as text alone.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from crosstable.errors import Fault, FormatError, TimeControlError
from crosstable.faults import fault
from crosstable.formats.dates import FIDE, read_day
from crosstable.rules.time_controls import parse_time_control, split_schedule, stages_disagree
from crosstable.terms import SectionType, Stage, TimeControl

# record → the detail that keeps its text
KEPT: Mapping[str, str] = {
    "022": "city",
    "032": "federation",
    "092": "tournament_type",
    "102": "chief_arbiter",
    "122": "allotted_time",
    "152": "first_colour",
    "162": "points",
    "172": "ranking_method",
    "182": "program",
    "192": "tournament_type_code",
    "202": "tie_breaks",
    "212": "standings_tie_breaks",
    "222": "coded_time_control",
    "352": "board_colours",
    "362": "team_points",
}
# records that may stand several times; their texts are kept together, parted by semicolons
SEVERAL: Mapping[str, str] = {
    "112": "deputy_arbiters",
    "XXS": "javafo_points",
    "XXC": "javafo_settings",
    **dict.fromkeys(("BBW", "BBD", "BBL", "BBZ", "BBF", "BBU"), "bbp_points"),
}
READ = frozenset({"012", "042", "052", "062", "072", "082", "132", "142", "XXR"})
CODES = frozenset({*KEPT, *SEVERAL, *READ})
DATE_CODES = {"042": "start-not-read", "052": "end-not-read"}
NO_METHOD = "OTHER"  # what record 172 says after the federation where the ranking method is not known
FIRST_DATE = 92
_ROUND_ROBIN = re.compile(r"round[\s_-]*robin|berger", re.IGNORECASE)
_WHOLE = re.compile(r"[0-9]{1,9}")
_OF_TEAMS = frozenset({"352", "362"})


class Heading(NamedTuple):
    """What the tournament lines say; ``None`` where they say nothing."""

    name: str
    start: date | None
    end: date | None
    players: int | None
    rounds: int | None
    has_teams: bool | None
    kind: SectionType
    time_controls: tuple[str, ...]
    details: Mapping[str, str]


LARGEST_FILE = 4_000_000  # the most players a TRF can number (9,999) over thirty rounds
MOST_FAULTS = 1_000
MOST_LINES = 100_000
LONGEST_LINE = 12_000  # a player line with the most rounds a TRF can number (999) has 10,080
LONGEST_TEXT = 500
PLAYER = "001"

_LINE_END = re.compile(r"\r\n|\r|\n")
_CODE = re.compile(r"(?:[0-9]{3}|[A-Z]{3})(?: |$)")
_NUMBER = re.compile(r"[0-9]+")
# Where Latin-1 has control characters, Windows has letters and quotation marks, and Windows is what wrote the file.
_WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}
_NOT_PRINTABLE = "\N{REPLACEMENT CHARACTER}"


class Line(NamedTuple):
    """A record: the file it is in, its line number, its text, and whose it is where that is known."""

    file: str
    number: int
    text: str
    owner: str = ""

    @property
    def code(self) -> str:
        """The three characters that say what kind of record this is."""
        return self.text[:3]

    @property
    def content(self) -> str:
        """What stands after the code."""
        return self.text[4:].strip()

    @property
    def place(self) -> str:
        """Where the record is, in words."""
        owner = f" ({self.owner})" if self.owner else ""
        return f"{self.file}, line {self.number}{owner}"

    def columns(self, first: int, last: int) -> str:
        """The field at these columns, without the blanks around it; empty where the line is too short."""
        return self.text[first - 1 : last].strip()

    def at(self, first: int, last: int, what: str) -> str:
        """The place of a field."""
        where = f"column {first}" if first == last else f"columns {first}-{last}"
        return f"{self.place}, {where} ({what})"


class Findings:
    """Everything found wrong in one file: faults, and the kinds of records that were left out."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._faults: list[Fault] = []
        self._left_out: dict[str, tuple[Line, str, int]] = {}

    def report(self, code: str, place: str, message: str, remedy: str = "") -> None:
        """Collect a fault; a file with very many is refused, because it is no TRF or a badly damaged one."""
        self._faults.append(fault(code, place, message, remedy))
        if len(self._faults) + len(self._left_out) > MOST_FAULTS:
            message = f"More than {MOST_FAULTS} things are wrong with the file, the first at {self._faults[0].place}."
            raise FormatError(fault("damaged-file", self._file, message))

    def leave_out(self, kind: str, line: Line, why: str) -> None:
        """Note that a record of this kind is not used; each kind is reported once, with how many there were."""
        first, said, count = self._left_out.get(kind, (line, why, 0))
        self._left_out[kind] = first, said, count + 1

    def faults(self) -> tuple[Fault, ...]:
        """All faults, then one warning for each kind of record that was left out."""
        for kind, (first, why, count) in self._left_out.items():
            records = f"{count} records" if count > 1 else "One record"
            self.report("ignored-record", first.place, f"{records} of the kind {kind}: {why}.")
        self._left_out.clear()
        return tuple(self._faults)


_PERIOD = re.compile(r"(?:(?P<moves>[0-9]{1,3})/)?(?P<seconds>[0-9]{1,6})(?:\+(?P<increment>[0-9]{1,3}))?")


def read_heading(lines: list[Line], findings: Findings) -> Heading:
    """Read all tournament lines; a record that stands twice and says two things is a fault."""
    first: dict[str, Line] = {}
    several: dict[str, list[str]] = {}
    for line in lines:
        line = _shortened(line, findings)
        if line.code in SEVERAL:
            several.setdefault(SEVERAL[line.code], []).extend(_parts(line))
        elif first.setdefault(line.code, line).content != line.content:
            message = f"Record {line.code} already stands in line {first[line.code].number} and says something else."
            findings.report("bad-value", line.place, message, "Keep the one that is right.")
    details = {KEPT[code]: line.content for code, line in first.items() if code in KEPT}
    details |= {name: "; ".join(parts) for name, parts in several.items()}
    if details.get("ranking_method", "").endswith(f" {NO_METHOD}"):
        del details["ranking_method"]
    _check_code(first.get("222"), findings)
    rounds = _rounds(first, findings)
    details |= {"rounds": str(rounds or ""), "round_dates": _round_dates(first.get("132"), findings)}
    return Heading(
        name=first["012"].content if "012" in first else "",
        start=_day(first.get("042"), first.get("052"), findings),
        end=_day(first.get("052"), first.get("042"), findings),
        players=_whole(first.get("062"), findings),
        rounds=rounds,
        has_teams=_has_teams(first, findings),
        kind=kind_of(details),
        time_controls=time_controls_of(details),
        details={name: text for name, text in details.items() if text},
    )


def kind_of(details: Mapping[str, str]) -> SectionType:
    """How the section was run: a round robin where the type or its code says so, else a Swiss."""
    said = f"{details.get('tournament_type', '')} {details.get('tournament_type_code', '')}"
    return SectionType.ROUND_ROBIN if _ROUND_ROBIN.search(said) else SectionType.SWISS


def _parts(line: Line) -> list[str]:
    parts = [part.strip() for part in line.content.split(";") if part.strip()]
    return [f"{line.code} {' '.join(parts)}"] if parts and SEVERAL[line.code] == "bbp_points" else parts


def _shortened(line: Line, findings: Findings) -> Line:
    if line.code == "132" or len(line.content) <= LONGEST_TEXT:
        return line
    message = f"Record {line.code} has {len(line.content)} characters; at most {LONGEST_TEXT} are read."
    findings.report("bad-value", line.place, message, "Shorten it.")
    return line._replace(text=line.text[: 4 + LONGEST_TEXT])


def _whole(line: Line | None, findings: Findings) -> int | None:
    if line is None or not line.content:
        return None
    if not _WHOLE.fullmatch(line.content):
        findings.report("wrong-type", line.at(5, len(line.text), "number"), f"{line.content!r} is not a whole number.")
        return None
    return int(line.content)


def _rounds(first: Mapping[str, Line], findings: Findings) -> int | None:
    """The number of rounds, which record 142 gives and before it the pairing program JaVaFo's XXR."""
    official, extension = _whole(first.get("142"), findings), _whole(first.get("XXR"), findings)
    if official and extension and official != extension:
        message = f"Record XXR says {extension} rounds, record 142 says {official}."
        findings.report("bad-value", first["XXR"].place, message, "Keep the one that is right.")
    return official or extension


def _has_teams(first: Mapping[str, Line], findings: Findings) -> bool | None:
    teams = _whole(first.get("082"), findings)
    if teams is not None:
        return teams > 0
    return None if _OF_TEAMS.isdisjoint(first) else True


def _day(line: Line | None, other: Line | None, findings: Findings) -> date | None:
    """The date of a line; the other date of the tournament may settle whether the day or the month comes first."""
    if line is None or not line.content:
        return None
    try:
        return read_day(line.content, FIDE, like=other.content if other is not None else "")
    except ValueError as error:
        findings.report(DATE_CODES[line.code], line.at(5, len(line.text), "date"), str(error))
        return None


def _round_dates(line: Line | None, findings: Findings) -> str:
    """The dates of the rounds as YYYY-MM-DD, one after another, a dash where a round has none."""
    if line is None:
        return ""
    dates: list[str] = []
    for column in range(FIRST_DATE, len(line.text) + 1, 10):
        text = line.columns(column, column + 9)
        try:
            dates.append(read_day(text, FIDE).isoformat() if text else "-")
        except ValueError as error:
            place = line.at(column, column + 7, f"date of round {len(dates) + 1}")
            findings.report("bad-date", place, str(error), "Write it as YY/MM/DD.")
            dates.append("-")
    return " ".join(dates) if any(text != "-" for text in dates) else ""


def time_controls_of(details: Mapping[str, str]) -> tuple[str, ...]:
    """The time controls that the texts of records 222 and 122 give; the coded one stands before the announced."""
    control = from_code(details.get("coded_time_control", ""))
    return (control,) if control else from_text(details.get("allotted_time", ""))


def _check_code(line: Line | None, findings: Findings) -> None:
    if line is not None and line.content and not from_code(line.content):
        message = f"{line.content!r} is no time control in whole minutes that is the same for both sides."
        remedy = "Write it in seconds, like 5400+30 or 40/6000+30:900+30."
        findings.report("bad-value", line.at(5, len(line.text), "coded time control"), message, remedy)


def read_lines(data: bytes, file: str, findings: Findings) -> list[Line]:
    """The records of a file; comments, empty lines and rulers are passed over, lines that are no record reported."""
    if len(data) > LARGEST_FILE:
        message = f"The file is larger than {LARGEST_FILE // 1_000_000} MB, more than any tournament needs."
        raise FormatError(fault("not-readable", file, message))
    lines = []
    for number, text in enumerate(_LINE_END.split(_text(data, file)), start=1):
        text = text.rstrip(" \t")
        if not text or text.startswith("#") or _is_ruler(text):
            continue
        line = _printable(_of_length(Line(file, number, text), findings), findings)
        if _CODE.match(line.text):
            lines.append(line)
        else:
            message = f"{line.text[:4]!r} begins no record: three digits or capital letters and a blank do."
            findings.report("bad-value", line.at(1, 4, "kind of record"), message, "Correct or remove the line.")
        if len(lines) > MOST_LINES:
            message = f"The file has more than {MOST_LINES} records, more than any tournament needs."
            raise FormatError(fault("damaged-file", file, message))
    return lines


def _is_ruler(text: str) -> bool:
    """Whether a line counts the columns, as samples do: ``1234567890…``, or the tens."""
    whole, rest = divmod(len(text), 10)
    ones, tens = "1234567890" * (whole + 1), "".join(f"{ten:>10}" for ten in range(1, whole + 1))
    return whole > 0 and (text == ones[: len(text)] or (not rest and text == tens))


def _of_length(line: Line, findings: Findings) -> Line:
    if len(line.text) <= LONGEST_LINE:
        return line
    message = f"The line has {len(line.text)} characters; at most {LONGEST_LINE} are read."
    findings.report("bad-value", line.place, message, "Shorten it.")
    return line._replace(text=line.text[:LONGEST_LINE])


def _text(data: bytes, file: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(fault("not-readable", file, "The file is UTF-16 text.", "Save it as UTF-8."))
    data = data.rstrip(b" \r\n\t").removesuffix(b"\x1a")  # the end mark of old systems
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1").translate(_WINDOWS)


def _printable(line: Line, findings: Findings) -> Line:
    """The line with odd blanks made plain; a character nobody can see is a fault and marked, columns kept."""
    if line.text.isprintable():
        return line
    tidy = "".join([_tidy(char, line.code == PLAYER) for char in line.text])
    column = next((at for at, char in enumerate(tidy, start=1) if char != line.text[at - 1] and char != " "), 0)
    if column:
        char = line.text[column - 1]
        message = f"The line holds the character U+{ord(char):04X}, which cannot be printed."
        findings.report("bad-value", f"{line.place}, column {column}", message, "Remove the character.")
    return line._replace(text=tidy)


@lru_cache(maxsize=4096)
def _tidy(char: str, is_player: bool) -> str:
    if char.isprintable():
        return char
    # A tab is a blank where text stands, but a player's columns cannot be counted across one.
    is_blank = unicodedata.category(char) == "Zs" or (char == "\t" and not is_player)
    return " " if is_blank else _NOT_PRINTABLE


def whole_number(line: Line, columns: tuple[int, int], what: str, findings: Findings) -> int | None:
    """The whole number at these columns; ``None`` where they are blank, or hold something else (a fault)."""
    text = line.columns(*columns)
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        findings.report("wrong-type", line.at(*columns, what), f"{text!r} is not a whole number.")
        return None
    return int(text)


def numbers_from(line: Line, column: int, findings: Findings) -> list[int]:
    """Starting ranks in fields of four columns, five columns apart, from this column on."""
    found = (whole_number(line, (at, at + 3), "starting rank", findings) for at in range(column, len(line.text) + 1, 5))
    return [number for number in found if number]


def from_code(coded: str) -> str:
    """Our notation of a coded time control, or nothing where it has none."""
    periods = [_PERIOD.fullmatch(part) for part in coded.replace(" ", "").split(":")]
    stages, increments = [], []
    for at, period in enumerate(periods):
        is_last = at == len(periods) - 1
        if period is None or int(period["seconds"]) % 60 or (period["moves"] is None and not is_last):
            return ""
        stages.append(Stage(int(period["moves"] or 0), int(period["seconds"]) // 60))
        increments.append(int(period["increment"] or 0))
    text = _notation(stages, increments)
    control = _parsed(text)
    return text if control is not None and control.stages == tuple(stages) else ""


def _notation(stages: list[Stage], increments: list[int]) -> str:
    names = [
        f"{stage.moves}/{stage.minutes}" if stage.moves else f"{'SD' if at else 'G'}/{stage.minutes}"
        for at, stage in enumerate(stages)
    ]
    if len(set(increments)) > 1:
        return ",".join(f"{name};+{increment}" for name, increment in zip(names, increments, strict=True))
    return ",".join(names) + (f";+{increments[0]}" if increments[0] else ";d0")


def to_code(text: str) -> str:
    """The coded time control of one in our notation, or nothing where the code cannot say the same."""
    control = _parsed(text)
    if control is None or control.seconds < 0 or stages_disagree(control):
        return ""
    if control.seconds and not control.is_increment:
        return ""
    increment = f"+{control.seconds}" if control.seconds else ""
    coded = ":".join(
        f"{f'{stage.moves}/' if stage.moves else ''}{stage.minutes * 60}{increment}" for stage in control.stages
    )
    back = _parsed(from_code(coded))
    return coded if back is not None and back.stages == control.stages else ""


def from_text(text: str) -> tuple[str, ...]:
    """The time controls that record 122 announces, one or one a round; none where the text has no number."""
    return split_schedule(text) if any(map(str.isdigit, text)) else ()


def to_text(controls: tuple[str, ...]) -> str:
    """Time controls as record 122 announces them."""
    if len(controls) == 1:
        return controls[0]
    return ", ".join(f"Round {at}: {control}" for at, control in enumerate(controls, start=1))


def _parsed(text: str) -> TimeControl | None:
    try:
        return parse_time_control(text)
    except TimeControlError:
        return None

"""The US Chess rating report, format 2C: three dBASE III tables to a report.

The tables are known by their fields, whatever the files are called. What one table says about another (how many
sections, how many players, how many rounds) is held against what is there, and every disagreement is a fault.

Reading the records of a rating report: typed access by field, every fault collected with its place.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats import FaultList, Reading, dbf
from crosstable.formats.dbf import Record, Table
from crosstable.formats.event_json import read_cell
from crosstable.formats.uschess_2c import (
    DOUBLE_SWISS,
    EVENT_DETAILS,
    EVENT_FIELDS,
    EVENT_FILE,
    FORFEIT_DRAW,
    FORMAT,
    GAMES_PER_ROUND,
    HALF_K,
    MOST_ROUNDS,
    MOST_SECTIONS,
    NEEDED,
    OLD_LAYOUT,
    ONLINE,
    PLAYER_FIELDS,
    PLAYER_FILE,
    PROGRAM,
    SECTION_DETAILS,
    SECTION_FIELDS,
    SECTION_FILE,
    WAIVED,
    WHAT_IT_LISTS,
    are_double_games,
    expanded,
    round_field,
    unmarked,
)
from crosstable.notation import read_member_id
from crosstable.rules.time_controls import split_schedule
from crosstable.terms import (
    Background,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)

_KINDS = {"R": SectionType.ROUND_ROBIN, "M": SectionType.MATCH}
_EMPTY_CELLS = frozenset({"", "U", "U0", "Z0"})
_LONGEST_LABEL = 60

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_DATE_LENGTH = 8
_LONGEST_NUMBER = 5


class Row:
    """One record being read."""

    def __init__(self, table: Table, record: Record, faults: FaultList) -> None:
        self._table = table
        self._record = record
        self._faults = faults

    @property
    def place(self) -> str:
        """File, record, and what the record itself says it is about."""
        return f"{self._table.name}, record {self._record.number}{self._about()}"

    def _about(self) -> str:
        values = self._record.values
        section = values.get("S_SEC_NUM") or values.get("D_SEC_NUM") or ""
        pairing = values.get("D_PAIR_NUM") or ""
        words = [f"section {section}"] if section.isalnum() else []
        words += [f"pairing number {pairing}"] if pairing.isalnum() else []
        return f" ({', '.join(words)})" if words else ""

    def at(self, field: str) -> str:
        """The place of a field."""
        return f"{self.place}, field {field}"

    def report(self, code: str, field: str, message: str, remedy: str = "") -> None:
        """Collect a fault about a field."""
        self._faults.append(fault(code, self.at(field), message, remedy))

    def raw(self, field: str) -> str:
        """What stands in a field, good or bad."""
        return self._record.values.get(field, "")

    def text(self, field: str) -> str:
        """The text of a field, empty where there is none; what cannot be printed is a fault."""
        text = self.raw(field).replace("\N{NO-BREAK SPACE}", " ").strip()
        if text.isprintable():
            return text
        shown = "".join(letter if letter.isprintable() else _REPLACEMENT for letter in text)
        self.report("bad-value", field, f"{shown!r} holds characters that cannot be printed.")
        return shown

    def name(self, field: str) -> str:
        """A name, tidied."""
        tidy = tidy_name(self.raw(field))
        return tidy if tidy.isprintable() else self.text(field)

    def whole(self, field: str) -> int | None:
        """A whole number, or ``None`` where the field is blank or holds something else, which is a fault."""
        text = self.text(field)
        if not text:
            return None
        if not (text.isascii() and text.isdigit()):
            self.report("wrong-type", field, f"{text!r} is no whole number.")
            return None
        if len(text) > _LONGEST_NUMBER:
            self.report("bad-value", field, f"{text} is too large.")
            return None
        return int(text)

    def day(self, field: str) -> date | None:
        """A date written YYYYMMDD, or ``None`` where the field is blank."""
        text = self.text(field)
        if not text.strip("0"):
            return None
        if len(text) == _DATE_LENGTH and text.isascii() and text.isdigit():
            try:
                return date(int(text[:4]), int(text[4:6]), int(text[6:]))
            except ValueError:
                pass
        self.report("bad-date", field, f"{text!r} is not a date.", "Write it as YYYYMMDD.")
        return None

    def details(self, fields: Mapping[str, str]) -> dict[str, str]:
        """What the file carries beyond rating, by the names that all formats share."""
        texts = {detail: self.text(field) for detail, field in fields.items()}
        return {detail: text for detail, text in texts.items() if text}


def looks_like(data: bytes) -> bool:
    """Whether these bytes are one of the three tables."""
    return dbf.looks_like(data) and any(name.encode() in data[:600] for name in ("H_NAME", "S_SEC_NUM", "D_SEC_NUM"))


def read(tables: Mapping[str, bytes], name: str, code_page: str = "") -> Reading:
    """Read the three tables of a report, given by file name in any order.

    Raises ``FormatError`` where one of them is missing, damaged, or there twice.
    """
    faults = FaultList()
    found = _by_content([dbf.read(data, _label(file), code_page) for file, data in tables.items()], name, faults)
    for kind, table in found.items():
        _check_fields(kind, table, faults)
    event = _event_row(found[EVENT_FILE], faults)
    sections = _sections(found, faults, is_ours=event.text("H_PROGRAM") == PROGRAM)
    _check_event_ids(event, found, faults)
    total = event.whole("H_TOT_SECT")
    if total != len(sections):
        message = f"The event is said to have {total or 'no'} sections, but {len(sections)} are listed."
        event.report("damaged-file", "H_TOT_SECT", message)
    report = Report(
        event_id=event.text("H_EVENT_ID"),
        name=event.name("H_NAME"),
        start=event.day("H_BEG_DATE"),
        end=event.day("H_END_DATE"),
        sections=sections,
        place=name,
        details=event.details(EVENT_DETAILS),
    )
    return Reading(report, faults.closed(name))


def _label(file: str) -> str:
    """The last part of a file name, fit to be printed."""
    last = file.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable())[:_LONGEST_LABEL] or "a file without a name"


def _by_content(tables: Sequence[Table], name: str, faults: FaultList) -> dict[str, Table]:
    found: dict[str, Table] = {}
    for table in tables:
        kind = _kind_of(table)
        if not kind:
            faults.append(
                fault("ignored-record", table.name, "The table is no part of a rating report; it was left out.")
            )
        elif kind in found:
            message = f"{table.name} and {found[kind].name} both list {WHAT_IT_LISTS[kind]}."
            raise FormatError(fault("not-readable", name, message, "Give the three files of one event."))
        else:
            found[kind] = table
    missing = [f"{kind} ({what})" for kind, what in WHAT_IT_LISTS.items() if kind not in found]
    if missing:
        message = f"A rating report is three files; {' and '.join(missing)} cannot be found."
        raise FormatError(fault("not-readable", name, message, "Give the three files together, in a folder or a zip."))
    return found


def _kind_of(table: Table) -> str:
    """Which of the three tables this is: the one of whose needed fields it has more than half."""
    names = table.field_names
    if names & OLD_LAYOUT:
        message = "The file has the layout of the 1990s, with a record per ten rounds, which is not read."
        raise FormatError(fault("not-readable", table.name, message, f"Export the report in format {FORMAT}."))
    for kind, needed in NEEDED.items():
        if 2 * len(names.intersection(needed)) > len(needed):
            return kind
    return ""


def _check_fields(kind: str, table: Table, faults: FaultList) -> None:
    known = {field.name for field in (*EVENT_FIELDS, *SECTION_FIELDS, *PLAYER_FIELDS)}
    known.update(round_field(number) for number in range(1, _columns(table) + 1))
    for field in NEEDED[kind]:
        if field not in table.field_names:
            faults.append(fault("missing-field", table.name, f"The field {field} is missing."))
    for each in table.fields:
        if each.name not in known:
            faults.append(fault("unknown-field", f"{table.name}, field {each.name}", f"{each.name} is not known."))
    if table.is_guess:
        message = (
            f"The text is not plain ASCII; nothing says in which code page it is, so it was read as {table.code_page}."
        )
        faults.append(fault("code-page-guessed", table.name, message))


def _columns(table: Table) -> int:
    """How many columns of rounds there are, up to the first that is missing."""
    there = (number for number in range(MOST_ROUNDS) if round_field(number + 1) not in table.field_names)
    return next(there, MOST_ROUNDS)


def _event_row(table: Table, faults: FaultList) -> Row:
    rows = live_rows(table, faults)
    if len(rows) != 1:
        message = f"The table must list one event; it lists {len(rows)}."
        raise FormatError(fault("not-readable", table.name, message, "Export each event by itself."))
    if rows[0].text("H_FORMAT") != FORMAT:
        rows[0].report("bad-value", "H_FORMAT", f"The format is {rows[0].text('H_FORMAT')!r}; only {FORMAT} is read.")
    return rows[0]


def _check_event_ids(event: Row, found: Mapping[str, Table], faults: FaultList) -> None:
    """Where the tables name an event, it is the same one; a blank is no name."""
    event_id = event.text("H_EVENT_ID")
    for kind, field in ((SECTION_FILE, "S_EVENT_ID"), (PLAYER_FILE, "D_EVENT_ID")):
        for record in found[kind].records:
            other = record.values.get(field, "")
            if event_id and other and other != event_id and not record.is_deleted:
                row = Row(found[kind], record, faults)
                message = f"{row.text(field)!r} is not the event {event_id!r} of {found[EVENT_FILE].name}."
                row.report("bad-value", field, message, "Give the three files of one event.")
                break


def _sections(found: Mapping[str, Table], faults: FaultList, *, is_ours: bool) -> tuple[ReportedSection, ...]:
    columns = _columns(found[PLAYER_FILE])
    players: dict[int, list[Row]] = {}
    rows = live_rows(found[SECTION_FILE], faults)
    if len(rows) > MOST_SECTIONS:
        message = f"{len(rows)} sections are more than an event can have."
        raise FormatError(fault("not-readable", found[SECTION_FILE].name, message))
    numbers = [row.whole("S_SEC_NUM") for row in rows]
    counts = Counter(numbers)
    for row in live_rows(found[PLAYER_FILE], faults):
        section = row.whole("D_SEC_NUM")
        if section is None or section not in counts:
            listed = found[SECTION_FILE].name
            shown = "The player is in no section" if section is None else f"Section {section} is not in {listed}"
            row.report("bad-value", "D_SEC_NUM", f"{shown}; the player was left out.")
        else:
            players.setdefault(section, []).append(row)
    sections = []
    for row, number in zip(rows, numbers, strict=True):
        if number is None:
            row.report("missing-field", "S_SEC_NUM", "The section has no number.")
        elif counts[number] > 1:
            row.report("bad-value", "S_SEC_NUM", f"There are {counts[number]} sections with number {number}.")
        made = _section(row, number, players.pop(number or 0, []), columns)
        sections.append(_told(made) if is_ours else made)
    return tuple(sections)


def _told(section: ReportedSection) -> ReportedSection:
    """A section of a file of ours, with what stands behind its name."""
    name, marks = unmarked(section.name)
    systems = tuple(system for system in RatingSystem if system.name in marks)
    waiver = "as the report says" if WAIVED in marks else ""
    section = section._replace(name=name, systems=systems, match_waiver=waiver)
    return section._replace(is_online=ONLINE in marks, is_half_k=HALF_K in marks)


def _section(row: Row, number: int | None, player_rows: Sequence[Row], columns: int) -> ReportedSection:
    details = row.details(SECTION_DETAILS)
    code = details.get("type_code", "").upper()
    kind = _KINDS.get(code, SectionType.SWISS)
    pairings = [player.whole("D_PAIR_NUM") for player in player_rows]
    _check_pairings(row, pairings)
    rounds = _rounds(row, player_rows, columns, is_round_robin=kind is SectionType.ROUND_ROBIN)
    players = tuple(
        _player(player, pairing, rounds, columns) for player, pairing in zip(player_rows, pairings, strict=True)
    )
    if are_double_games(players, is_declared=code == DOUBLE_SWISS):
        players = tuple(expanded(player) for player in players)
        details[GAMES_PER_ROUND] = "2"
    control = row.text("S_TIMECTL")
    return ReportedSection(
        number=number,
        name=row.name("S_SEC_NAME"),
        kind=kind,
        is_online=False,
        time_controls=split_schedule(control) if control else (),
        systems=(),
        start=row.day("S_BEG_DATE"),
        end=row.day("S_END_DATE"),
        players=players,
        place=row.place,
        details=details,
    )


def _check_pairings(row: Row, pairings: Sequence[int | None]) -> None:
    """Pairing numbers run from 1 to S_LST_PAIR, each once; anything else means that a record is lost or strayed."""
    last = row.whole("S_LST_PAIR")
    if last is None:
        row.report("missing-field", "S_LST_PAIR", "The highest pairing number of the section is missing.")
        return
    there = {number for number in pairings if number is not None}
    if len(pairings) == last and there == set(range(1, last + 1)):
        return
    message = f"The section is said to have the pairing numbers 1 to {last}; {len(pairings)} players are listed"
    lost = next((number for number in range(1, last + 1) if number not in there), None)
    stray = next((number for number in sorted(there) if not 1 <= number <= last), None)
    message += f", none with number {lost}" if lost is not None else ""
    message += f", one with number {stray}" if stray is not None else ""
    row.report("damaged-file", "S_LST_PAIR", f"{message}.")


def _rounds(row: Row, players: Sequence[Row], columns: int, *, is_round_robin: bool) -> int:
    """How many columns of cells belong to the section.

    A round robin's columns may be opponents instead of rounds: four for the three rounds of a quad.
    """
    rounds = row.whole("S_TOT_RNDS")
    if not rounds:
        if players:
            row.report("missing-field", "S_TOT_RNDS", "The number of rounds is missing.")
        return columns
    if rounds > columns:
        row.report(
            "rounds-missing", "S_TOT_RNDS", f"{rounds} rounds are announced, but players have {columns} columns."
        )
        return columns
    opponents = min(len(players), columns)
    if is_round_robin and opponents > rounds and any(_spare_cells(player, rounds, opponents) for player in players):
        return opponents
    return rounds


def _spare_cells(player: Row, rounds: int, columns: int) -> list[str]:
    """The fields after a section's last round that hold anything but 'unpaired'."""
    fields = [round_field(number) for number in range(rounds + 1, columns + 1)]
    return [field for field in fields if player.raw(field).upper() not in _EMPTY_CELLS]


def _player(row: Row, pairing: int | None, rounds: int, columns: int) -> ReportedPlayer:
    for field in _spare_cells(row, rounds, columns):
        row.report("bad-value", field, f"{row.text(field)!r} stands after the section's last round, {rounds}.")
    member_id = row.text("D_MEM_ID")
    rating = row.whole("D_RATING")
    return ReportedPlayer(
        number=pairing,
        member_id=read_member_id(member_id),
        name=row.name("D_NAME"),
        cells=tuple(_cell(row.text(round_field(number))) for number in range(1, rounds + 1)),
        background=Background(),
        place=row.place,
        state=row.text("D_STATE"),
        pairing_rating=float(rating) if rating else None,
    )


def _cell(text: str) -> ReportedCell:
    """A cell of the file, where Z is a draw by forfeit and Y nothing."""
    letter = text[:1].upper()
    if letter == Result.FORFEIT_DRAW.value:
        return ReportedCell(text, None, 0, "")
    return read_cell(f"{Result.FORFEIT_DRAW.value}{text[1:]}" if letter == FORFEIT_DRAW else text)


def tidy_name(text: str) -> str:
    """A name without the tabulator that some people put after its comma."""
    return ", ".join(part.strip() for part in text.split(",")) if ",\t" in text else text.strip()


def live_rows(table: Table, faults: FaultList) -> list[Row]:
    """The records that are not marked as deleted, with a warning for each that is."""
    rows = []
    for record in table.records:
        row = Row(table, record, faults)
        if record.is_deleted:
            faults.append(_deleted(row.place))
        else:
            rows.append(row)
    return rows


def _deleted(place: str) -> Fault:
    return fault("ignored-record", place, "The record is marked as deleted and was left out.")

"""Writing a US Chess rating report in format 2C.

What does not fit a field is refused, or, where the caller takes a list of the changes, cut and respelled as pairing
programs do, each change with a warning. Only texts are cut: an id that does not fit is left out, a number refused.

The format has no place for ratings other than the pairing rating, for online play, half K, or for systems: US Chess
takes the system from the time control, so the code of the system is only advice. What a section needs of these to be
rated the same stands behind its name: ``Open (online)``.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date

from crosstable.errors import Fault, FormatError, NoEditionError, TimeControlError
from crosstable.faults import fault
from crosstable.formats import dbf
from crosstable.formats.dbf import Field
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
    ONLINE,
    ONLY_DOUBLE,
    PLAYER_FILE,
    PROGRAM,
    SECTION_DETAILS,
    SECTION_FIELDS,
    SECTION_FILE,
    WAIVED,
    cell_of,
    make_fit,
    marked,
    player_fields,
    round_field,
)
from crosstable.rules.editions import edition_for
from crosstable.rules.time_controls import parse_time_control, stored_spelling, systems_of_schedule
from crosstable.terms import (
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)

_TYPE_CODES = {SectionType.SWISS: "S", SectionType.ROUND_ROBIN: "R", SectionType.MATCH: "M"}
_OWN_TYPE_CODES = frozenset("RM")
_UNPAIRED = "U0"
_LETTERS = {Result.FORFEIT_DRAW.value: FORFEIT_DRAW, Result.ZERO_BYE.value: Result.UNPAIRED.value}
_EARLIEST = date(1980, 1, 1)


def write(report: Report, changes: list[Fault] | None = None) -> dict[str, bytes]:
    """The three tables of a report, by file name; raises ``FormatError`` where the format cannot carry something.

    With a list for the ``changes`` texts are made to fit, and what was changed is added to it.
    """
    cells = [[_cells(report, section, player) for player in section.players] for section in report.sections]
    columns = max((len(row) for rows in cells for row in rows), default=0)
    if columns > MOST_ROUNDS:
        raise FormatError(fault("bad-value", report.place, f"{columns} rounds do not fit; {MOST_ROUNDS} do."))
    columns = max(columns, 1)
    section_rows = []
    player_rows = []
    for number, (section, rows) in enumerate(zip(report.sections, cells, strict=True), 1):
        section_row = _section_row(report, section, rows, number)
        section_rows.append(section_row)
        player_rows += [
            _player_row(section_row, player, row, columns) for player, row in zip(section.players, rows, strict=True)
        ]
    day = report.end or report.start or _EARLIEST
    tables: dict[str, tuple[Sequence[Field], list[dict[str, str]]]] = {
        EVENT_FILE: (EVENT_FIELDS, [_event_row(report)]),
        SECTION_FILE: (SECTION_FIELDS, section_rows),
        PLAYER_FILE: (player_fields(columns), player_rows),
    }
    if changes is not None:
        for name, (fields, records) in tables.items():
            make_fit(name, fields, records, changes)
    return {name: dbf.write(name, fields, records, day) for name, (fields, records) in tables.items()}


def write_zip(report: Report, changes: list[Fault] | None = None) -> bytes:
    """The three tables in one zip; the same report gives the same bytes."""
    import io
    import zipfile

    day = max(report.end or report.start or _EARLIEST, _EARLIEST)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in write(report, changes).items():
            entry = zipfile.ZipInfo(name, (min(day.year, 2107), day.month, day.day, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return packed.getvalue()


def _is_from_2c(report: Report) -> bool:
    """Whether the report was read from this format, so that what it left blank stays blank."""
    return report.details.get("format_version") == FORMAT


def _event_row(report: Report) -> dict[str, str]:
    details = report.details
    usual = {} if _is_from_2c(report) else {"country": "USA", "send_crosstable": "N"}
    row = _from_details({**usual, **details}, EVENT_DETAILS)
    return {
        **row,
        "H_FORMAT": FORMAT,
        "H_PROGRAM": row["H_PROGRAM"] if _is_from_2c(report) else PROGRAM,
        "H_EVENT_ID": report.event_id,
        "H_NAME": report.name,
        "H_TOT_SECT": str(len(report.sections)),
        "H_BEG_DATE": _day(report.start),
        "H_END_DATE": _day(report.end),
    }


def _section_row(report: Report, section: ReportedSection, cells: list[list[str]], at: int) -> dict[str, str]:
    by_control = _by_control(report, section)
    code = _system_code(section.systems or by_control)
    usual = {} if _is_from_2c(report) else {"system_code": code, "grand_prix": "N", "fide": "N"}
    named = [system.name for system in section.systems] if set(section.systems) != set(by_control) else []
    said = {ONLINE: section.is_online, HALF_K: section.is_half_k, WAIVED: bool(section.match_waiver)}
    marks = [*(mark for mark, is_said in said.items() if is_said), *named]
    every = section if _is_from_2c(report) else report  # a section without days of its own has those of the event
    return {
        **_from_details({**usual, **section.details}, SECTION_DETAILS),
        "S_EVENT_ID": report.event_id,
        "S_SEC_NUM": str(at if section.number is None else section.number),
        "S_SEC_NAME": marked(section.name, marks),
        "S_TIMECTL": _time_control(section.time_controls),
        "S_TRN_TYPE": _type_code(section, cells),
        "S_TOT_RNDS": _rounds(section, max((len(row) for row in cells), default=0)),
        "S_LST_PAIR": str(max((player.number or 0 for player in section.players), default=0)),
        "S_BEG_DATE": _day(section.start or every.start),
        "S_END_DATE": _day(section.end or every.end),
    }


def _rounds(section: ReportedSection, columns: int) -> str:
    """The number of rounds; a round robin's columns may be opponents, and then only its own file knew the number."""
    known = section.details.get("rounds", "")
    is_known = known.isascii() and known.isdigit()
    if is_known and int(known) and (not columns or (section.kind is SectionType.ROUND_ROBIN and int(known) <= columns)):
        return known
    return str(columns or 1)


def _from_details(details: Mapping[str, str], fields: Mapping[str, str]) -> dict[str, str]:
    return {field: details.get(detail, "") for detail, field in fields.items()}


def _day(day: date | None) -> str:
    return f"{day:%Y%m%d}" if day is not None else ""


def _time_control(controls: tuple[str, ...]) -> str:
    stored = [stored_spelling(control) for control in controls]
    if len(stored) < 2:
        return "".join(stored)
    return ", ".join(f"Rd {number}: {control}" for number, control in enumerate(stored, 1))


def _type_code(section: ReportedSection, cells: list[list[str]]) -> str:
    """The letter of the type: the one the section came with, unless it says another kind."""
    usual = _TYPE_CODES.get(section.kind)
    if usual is None:
        message = f"A section of type {section.kind.value} cannot be written in format {FORMAT}."
        raise FormatError(fault("bad-value", section.place, message))
    given = section.details.get("type_code", "").upper()
    if section.details.get(GAMES_PER_ROUND) == "2" and not any(
        cell[:1] in ONLY_DOUBLE for row in cells for cell in row
    ):
        return DOUBLE_SWISS  # nothing else would tell that a cell holds two games
    is_same_kind = given == usual or (usual == "S" and given not in _OWN_TYPE_CODES)
    is_letter = len(given) == 1 and (given.isalpha() or given == DOUBLE_SWISS)
    return given if is_letter and is_same_kind else usual


def _by_control(report: Report, section: ReportedSection) -> tuple[RatingSystem, ...]:
    """The systems of a section by its time control and day, nothing where they do not tell."""
    start = section.start or report.start
    try:
        controls = [parse_time_control(control) for control in section.time_controls]
        if start is None or not controls:
            return ()
        return systems_of_schedule(controls, is_online=section.is_online, ranges=edition_for(start).controls)
    except (TimeControlError, NoEditionError):
        return ()


def _system_code(named: Sequence[RatingSystem]) -> str:
    """R regular, D dual, Q quick; blitz has no code of its own and goes as D, as pairing programs write it."""
    systems = {RatingSystem(system % 3) for system in named}
    if systems == {RatingSystem.OTBQ}:
        return "Q"
    return "R" if systems <= {RatingSystem.OTBR} else "D"


def _player_row(section: Mapping[str, str], player: ReportedPlayer, cells: list[str], columns: int) -> dict[str, str]:
    if player.number is None:
        raise FormatError(fault("missing-field", player.place, "A player without a pairing number cannot be written."))
    padded = cells + [_UNPAIRED] * (columns - len(cells))
    return {
        "D_EVENT_ID": section["S_EVENT_ID"],
        "D_SEC_NUM": section["S_SEC_NUM"],
        "D_PAIR_NUM": str(player.number),
        "D_MEM_ID": player.member_id,
        "D_NAME": player.name,
        "D_STATE": player.state,
        "D_RATING": str(math.floor(_rating(player) + 0.5)),
        **{round_field(at): cell for at, cell in enumerate(padded, 1)},
    }


def _rating(player: ReportedPlayer) -> float:
    """The rating for pairing, or else the one before the event, Regular first; 0 where there is none."""
    before = player.background.standings
    known = [player.pairing_rating, *(before[system].rating for system in RatingSystem if system in before)]
    return next((rating for rating in known if rating), 0.0)


def _cells(report: Report, section: ReportedSection, player: ReportedPlayer) -> list[str]:
    if section.details.get(GAMES_PER_ROUND) != "2":
        return [_cell(cell, player, is_from_2c=_is_from_2c(report)) for cell in player.cells]
    firsts, seconds = player.cells[::2], player.cells[1::2]
    texts = [cell_of(first, second, player.number or 0) for first, second in zip(firsts, seconds, strict=False)]
    if None in texts or len(firsts) != len(seconds):
        message = "The two games of a round cannot be written in one cell."
        raise FormatError(fault("bad-value", player.place, message))
    return [f"{_LETTERS.get(text[:1], text[:1])}{text[1:]}" for text in texts if text is not None]


def _cell(cell: ReportedCell, player: ReportedPlayer, *, is_from_2c: bool) -> str:
    """Letter, opponent, colour; a text that means nothing known is given back as it came."""
    if cell.result is None:
        if read_cell(cell.text).result is not None:
            message = f"{cell.text!r} was not understood, but would be where it is written."
            raise FormatError(fault("bad-value", player.place, message))
        return cell.text
    if cell.result is Result.BLANK:
        return ""
    if cell.result is Result.OWN_COLUMN:
        return cell.result.value if is_from_2c else _UNPAIRED
    letter = _LETTERS.get(cell.result.value, cell.result.value)
    return f"{letter}{cell.opponent}{cell.colour.upper()}"

"""Sections as rows of the record, and back into a report: what was submitted, without judging it.

One mistake of a report is put right here: a result on both rows, a member id wherever it stands.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from sqlalchemy import Connection

from crosstable.checks import CheckedSection
from crosstable.checks.owners import Asked, asked_in
from crosstable.errors import Fault, OfficeError
from crosstable.formats.event_json import read_cell
from crosstable.formats.event_json_write import written_cell
from crosstable.office import tables
from crosstable.office.ledger.commitments import write_rows
from crosstable.office.ledger.facts import NO_CELL, EntryFact, Heading, Record, State
from crosstable.office.ledger.journal import canonical, digest_of_rows
from crosstable.record_rows import starts_by_system
from crosstable.terms import (
    Background,
    GivenStart,
    OutsideRating,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    Section,
)

# What a row of a report says beside the columns of an entry, by the name it has in ``extra``.
_PLAIN_EXTRAS = {
    "state": "state",
    "rate": "is_rated",
    "fide_flag": "fide_flag",
    "member": "is_member",
    "fide_opt_in": "has_opted_in",
    "pairing_rating": "pairing_rating",
    "total": "total",
}


class SectionRows(NamedTuple):
    """A section as it enters the tables."""

    heading: Mapping[str, Any]
    entries: Sequence[Mapping[str, Any]]


def section_rows(
    event_id: str, number: int, reported: ReportedSection, checked: CheckedSection | None, days: Sequence[date | None]
) -> SectionRows:
    """A section's rows without their act, state and faults; what checking found out is kept beside what was said."""
    entries = [
        EntryFact(at, player.number, player.member_id, player.name, player.cells, _extra(player))
        for at, player in enumerate(reported.players)
    ]
    found = None if checked is None else checked.section
    return _rows(_heading_row(event_id, number, reported, found, days), entries)


def _heading_row(
    event_id: str,
    number: int,
    reported: ReportedSection,
    checked: Section | Heading | None,
    days: Sequence[date | None],
) -> dict[str, Any]:
    return {
        "event_id": event_id,
        "number": number,
        "name": reported.name,
        "kind": reported.kind.value,
        "is_online": reported.is_online,
        "time_controls": canonical(reported.time_controls),
        "asked_systems": " ".join(system.name for system in reported.systems),
        "systems": "" if checked is None else " ".join(system.name for system in checked.systems),
        "is_dual_control": checked is not None and checked.is_dual_control,
        "is_half_k": reported.is_half_k,
        "match_waiver": reported.match_waiver,
        "started": days[0],
        "ended": days[1],
        "details": canonical(dict(reported.details)),
    }


def _rows(heading: Mapping[str, Any], entries: Sequence[EntryFact]) -> SectionRows:
    rows = [
        {
            "event_id": heading["event_id"],
            "section": heading["number"],
            "row": entry.row,
            "number": entry.number,
            "member_id": entry.member_id,
            "name": entry.name,
            "rounds": " ".join("_".join(written_cell(cell).split()) or NO_CELL for cell in entry.cells),
            "extra": canonical(dict(entry.extra)) if entry.extra else None,
        }
        for entry in entries
    ]
    return SectionRows({**heading, "digest": digest_of_rows([heading, *rows])}, rows)


def _extra(player: ReportedPlayer) -> dict[str, Any]:
    extra = {name: getattr(player, field) for name, field in _PLAIN_EXTRAS.items()}
    background = player.background
    if background.fide is not None:
        extra["fide"] = [background.fide.rating, background.fide.as_of]
    if background.cfc is not None:
        extra["cfc"] = [background.cfc.rating, background.cfc.as_of]
    if background.given_start is not None:
        extra["start"] = list(background.given_start[:2])
        extra["starts"] = {one.name: list(start) for one, start in background.given_start.others.items()} or None
    if player.details:
        extra["details"] = dict(player.details)
    return {name: value for name, value in extra.items() if value is not None and value != ""}


def write_section(
    connection: Connection, act: int, rows: SectionRows, state: State, faults: Sequence[Fault] = ()
) -> None:
    """Put a section into the record, as of an act."""
    found = [fault._asdict() for fault in faults]
    heading = {**rows.heading, "act": act, "state": state.value, "faults": canonical(found)}
    write_rows(connection, tables.section, [heading])
    write_rows(connection, tables.entry, [{**row, "act": act} for row in rows.entries])


def rows_of(heading: Heading, entries: Sequence[EntryFact]) -> SectionRows:
    """The rows of a section that stands in the record, to be written again under another act."""
    said, days = reported_section(heading, ()), (heading.started, heading.ended)
    return _rows(_heading_row(heading.event_id, heading.number, said, heading, days), entries)


def reported_section(heading: Heading, entries: Sequence[EntryFact]) -> ReportedSection:
    """A section of the record as a report would say it, so that it can be checked and corrected."""
    return ReportedSection(
        number=heading.number,
        name=heading.name,
        kind=heading.kind,
        is_online=heading.is_online,
        time_controls=heading.time_controls,
        systems=heading.asked_systems,
        start=heading.started,
        end=heading.ended,
        players=tuple(_reported_player(entry) for entry in entries),
        place="",
        is_half_k=heading.is_half_k,
        match_waiver=heading.match_waiver,
        details=heading.details,
    )


def _reported_player(entry: EntryFact) -> ReportedPlayer:
    extra = entry.extra
    start, others = extra.get("start"), starts_by_system(extra.get("starts", {}))
    background = Background(
        fide=outside_of(extra, "fide"),
        cfc=outside_of(extra, "cfc"),
        given_start=None if start is None else GivenStart(start[0], start[1], others),
    )
    known = {field: extra[name] for name, field in _PLAIN_EXTRAS.items() if name in extra}
    return ReportedPlayer(
        number=entry.number,
        member_id=entry.member_id,
        name=entry.name,
        cells=entry.cells,
        background=background,
        place="",
        details=extra.get("details", {}),
        **known,
    )


def granted_in(record: Record, event_id: str, number: int) -> Asked:
    """What the office agreed to in a section: it stands accepted with that."""
    heading = record.heading(event_id, number)
    if heading is None or heading.state is not State.ACCEPTED:
        return {}
    return asked_in(reported_section(heading, record.entries([heading])[event_id, number]))


def outside_of(extra: Mapping[str, Any], federation: str) -> OutsideRating | None:
    """The FIDE or CFC rating that a row of a report says."""
    rating, as_of = extra.get(federation) or (None, None)
    return None if rating is None else OutsideRating(rating, date.fromisoformat(as_of) if as_of else None)


class EventFact(NamedTuple):
    """An event of the record without its sections."""

    event_id: str
    act: int
    name: str
    started: date | None
    ended: date | None
    details: Mapping[str, str]
    document: str


def reported_event(record: Record, event: EventFact) -> Report:
    """An event of the record as a report, those of its sections that were not withdrawn."""
    headings = [one for one in record.headings_of(event.event_id) if one.state is not State.WITHDRAWN]
    entries = record.entries(headings)
    sections = tuple(reported_section(one, entries[one.event_id, one.number]) for one in headings)
    return Report(event.event_id, event.name, event.started, event.ended, sections, "", event.details)


_OTHER_SIDE = {
    Result.WIN: Result.LOSS,
    Result.LOSS: Result.WIN,
    Result.DRAW: Result.DRAW,
    Result.FORFEIT_WIN: Result.FORFEIT_LOSS,
    Result.FORFEIT_LOSS: Result.FORFEIT_WIN,
    Result.FORFEIT_DRAW: Result.FORFEIT_DRAW,
}
_OTHER_COLOUR = {"w": "b", "b": "w", "": ""}


class ChangedResult(NamedTuple):
    """One result put right: the cell of a player in a round, as it should read."""

    section: int
    player: int
    round_number: int
    cell: str


def with_result(report: Report, change: ChangedResult) -> Report:
    """A report with one result changed, and its other side with it."""
    at = _section_index(report, change.section)
    section = report.sections[at]
    cell = read_cell(change.cell)
    if cell.result is None:
        raise OfficeError(f"{change.cell!r} is no result; write W7, L7b, D3, X, H …")
    players = {player.number: row for row, player in enumerate(section.players)}
    if change.player not in players:
        raise OfficeError(f"section {change.section} has no player {change.player}")
    rows = list(section.players)
    cell, text = _with_old_colour(rows[players[change.player]], change.round_number, cell)
    rows[players[change.player]] = _with_cell(rows[players[change.player]], change.round_number, text)
    if cell.opponent and cell.result in _OTHER_SIDE:
        if cell.opponent not in players:
            raise OfficeError(f"section {change.section} has no player {cell.opponent}")
        other = f"{_OTHER_SIDE[cell.result].value}{change.player}{_OTHER_COLOUR[cell.colour]}"
        rows[players[cell.opponent]] = _with_cell(rows[players[cell.opponent]], change.round_number, other)
    return _with_section(report, at, section._replace(players=tuple(rows)))


def _with_old_colour(player: ReportedPlayer, round_number: int, cell: ReportedCell) -> tuple[ReportedCell, str]:
    """A result that says nothing of the colour keeps the one the game had."""
    old = player.cells[round_number - 1] if 1 <= round_number <= len(player.cells) else cell
    if not cell.colour and old.opponent == cell.opponent:
        cell = cell._replace(colour=old.colour)
    return cell, written_cell(cell)


def _with_cell(player: ReportedPlayer, round_number: int, text: str) -> ReportedPlayer:
    cells = list(player.cells)
    if not 1 <= round_number <= len(cells):
        raise OfficeError(f"player {player.number} has no round {round_number}")
    cells[round_number - 1] = read_cell(text)
    return player._replace(cells=tuple(cells), total=None)


def _section_index(report: Report, number: int) -> int:
    for at, section in enumerate(report.sections):
        if section.number == number:
            return at
    raise OfficeError(f"event {report.event_id} has no section {number}")


def _with_section(report: Report, at: int, section: ReportedSection) -> Report:
    return report._replace(sections=(*report.sections[:at], section, *report.sections[at + 1 :]))


def with_member(report: Report, wrong: str, right: str) -> Report:
    """A report with one member id in the place of another."""
    found = False
    sections = []
    for section in report.sections:
        players = []
        for player in section.players:
            found |= player.member_id == wrong
            players.append(player._replace(member_id=right) if player.member_id == wrong else player)
        sections.append(section._replace(players=tuple(players)))
    if not found:
        raise OfficeError(f"event {report.event_id} has no player with the id {wrong}")
    return report._replace(sections=tuple(sections))

"""Corrections, withdrawals and confirmations: new versions of sections; the old ones stay readable.

What is only asked for is stored beside what stands: sections as they should be, those that should go without players,
and what a file says of the event itself (its name, its days) in the act. ``confirm`` makes it stand.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from sqlalchemy import Connection

from crosstable.errors import Fault, OfficeError, Severity
from crosstable.formats.event_json import read_cell
from crosstable.formats.event_json_write import written_cell
from crosstable.office.checking import CheckedRows, CheckedSubmission, check_submission
from crosstable.office.database import Office
from crosstable.office.differences import event_differences
from crosstable.office.ledger.acts import ActKind, Change, Deed, act_of, append, head
from crosstable.office.ledger.facts import Heading, Record, State
from crosstable.office.sections import EventFact, SectionRows, reported_event, reported_section, write_section
from crosstable.office.submissions import (
    Document,
    event_of,
    present_rows,
    version_differences,
    write_document,
    write_event,
)
from crosstable.terms import Report, ReportedCell, ReportedPlayer, ReportedSection, Result

_OTHER_SIDE = {
    Result.WIN: Result.LOSS,
    Result.LOSS: Result.WIN,
    Result.DRAW: Result.DRAW,
    Result.FORFEIT_WIN: Result.FORFEIT_LOSS,
    Result.FORFEIT_LOSS: Result.FORFEIT_WIN,
}
_OTHER_COLOUR = {"w": "b", "b": "w", "": ""}


class Correction(NamedTuple):
    """What a correction did, or would do: its differences, or the faults for which it was refused."""

    event_id: str
    act: int
    differences: tuple[str, ...]
    faults: tuple[Fault, ...]
    is_requested: bool = False
    checked: CheckedSubmission | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the correction is in the record."""
        return self.act > 0


class ChangedResult(NamedTuple):
    """One result put right: the cell of a player in a round, as it should read."""

    section: int
    player: int
    round_number: int
    cell: str


Mend = Callable[[Report], Report]


def correct_by_file(
    office: Office, deed: Deed, event_id: str, document: Document, today: date, *, is_request: bool = False
) -> Correction:
    """Another file takes the place of what was submitted: sections that it does not have are withdrawn."""

    def mend(report: Report) -> Report:
        return document.reading.report._replace(event_id=report.event_id)

    return _correct(office, deed, event_id, (mend, document, today), is_request=is_request)


def correct_result(
    office: Office, deed: Deed, event_id: str, change: ChangedResult, today: date, *, is_request: bool = False
) -> Correction:
    """One result put right on both rows."""
    return _correct(
        office, deed, event_id, (lambda report: with_result(report, change), None, today), is_request=is_request
    )


def correct_member(
    office: Office, deed: Deed, event_id: str, swap: tuple[str, str], today: date, *, is_request: bool = False
) -> Correction:
    """A wrong member id put right wherever it stands in the event."""
    return _correct(
        office, deed, event_id, (lambda report: with_member(report, *swap), None, today), is_request=is_request
    )


def _correct(
    office: Office, deed: Deed, event_id: str, how: tuple[Mend, Document | None, date], *, is_request: bool
) -> Correction:
    mend, document, today = how
    with office.writing(deed.actor, f"correcting {event_id}") as connection:
        record = _record(connection)
        event = event_of(record, event_id)
        report = mend(reported_event(record, event))
        read = () if document is None else document.reading.faults
        checked = check_submission(record, report, read, today)
        old = present_rows(record, event_id)
        found = tuple(version_differences(record, checked))
        if checked.is_refused or _is_wrong(old, checked.sections) or not found:
            return Correction(event_id, 0, found, checked.faults, checked=checked)
        after = {
            "event": event_id,
            "differences": list(found),
            "requested": is_request,
            "document": None if document is None else document.digest,
        }
        if is_request and document is not None:
            after["asked"] = _of_the_event(report)
        before = {number: rows.heading["digest"] for number, rows in old.items()}
        act = append(connection, office.clock, deed, Change(ActKind.CORRECT, event_id, after, before))
        if document is not None:
            write_document(connection, act, event_id, document)
        if is_request:
            _write_requests(connection, act, old, checked.sections)
        else:
            write_event(connection, act, report, event.document if document is None else document.digest)
            _write_versions(connection, act, old, checked.sections)
        return Correction(event_id, act, found, checked.faults, is_request, checked)


def _of_the_event(report: Report) -> dict[str, object]:
    """What a file says of the event itself: with a request it waits in the act until somebody accepts it."""
    return {"name": report.name, "started": report.start, "ended": report.end, "details": dict(report.details)}


def _is_wrong(old: dict[int, SectionRows], new: Sequence[CheckedRows]) -> bool:
    """Whether a section that is to be written has an error; one that is held and stays as it is does not count."""
    return any(fault.severity is Severity.ERROR for one in _changed(old, new) for fault in one.faults)


def _changed(old: dict[int, SectionRows], new: Sequence[CheckedRows]) -> list[CheckedRows]:
    """Sections that are new, or of which another version stands."""
    return [
        one for one in new if one.number not in old or old[one.number].heading["digest"] != one.rows.heading["digest"]
    ]


def _dropped(old: dict[int, SectionRows], new: Sequence[CheckedRows]) -> list[SectionRows]:
    """Sections that the new version of an event does not have."""
    numbers = {one.number for one in new}
    return [rows for number, rows in old.items() if number not in numbers]


def _write_versions(connection: Connection, act: int, old: dict[int, SectionRows], new: Sequence[CheckedRows]) -> None:
    for one in _changed(old, new):
        write_section(connection, act, one.rows, State.ACCEPTED, one.faults)
    for rows in _dropped(old, new):
        write_section(connection, act, SectionRows(rows.heading, ()), State.WITHDRAWN)


def _write_requests(connection: Connection, act: int, old: dict[int, SectionRows], new: Sequence[CheckedRows]) -> None:
    """What is asked for; a section that is to go is asked for without players, which no section can be else."""
    dropped = _dropped(old, new)
    # where only the event itself is to change, its first section stands for it, so that there is something to accept
    for one in _changed(old, new) or (() if dropped else new[:1]):
        write_section(connection, act, one.rows, State.REQUESTED, one.faults)
    for rows in dropped:
        write_section(connection, act, SectionRows(rows.heading, ()), State.REQUESTED)


def _record(connection: Connection) -> Record:
    last = head(connection)
    assert last is not None
    return Record(connection, last.seq)


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


def withdraw(office: Office, deed: Deed, event_id: str, numbers: Sequence[int] = ()) -> int:
    """Take an event, or some of its sections, back; what it did to ratings goes with the next run."""
    with office.writing(deed.actor, f"withdrawing {event_id}") as connection:
        record = _record(connection)
        event_of(record, event_id)
        present = present_rows(record, event_id)
        for number in numbers:
            if number not in present:
                raise OfficeError(f"event {event_id} has no section {number} that could be withdrawn")
        chosen = [number for number in present if not numbers or number in numbers]
        if not chosen:
            raise OfficeError(f"event {event_id} is withdrawn already")
        before = {number: present[number].heading["digest"] for number in chosen}
        act = append(connection, office.clock, deed, Change(ActKind.WITHDRAW, event_id, {"sections": chosen}, before))
        for number in chosen:
            write_section(connection, act, SectionRows(present[number].heading, ()), State.WITHDRAWN)
        return act


def confirm(office: Office, deed: Deed, event_id: str, today: date, numbers: Sequence[int] = ()) -> Correction:
    """Accept what is held or was asked for, when its checks pass now; otherwise every fault is told."""
    with office.writing(deed.actor, f"confirming {event_id}") as connection:
        record = _record(connection)
        event = event_of(record, event_id)
        requests = record.requests(event_id)
        held = [one for one in record.headings_of(event_id) if one.state is State.HELD]
        waiting = {one.number for one in (*held, *requests) if not numbers or one.number in numbers}
        if not waiting:
            raise OfficeError(f"nothing of event {event_id} waits to be confirmed")
        gone = sorted(waiting & sections_to_go(record, requests))
        asked = asked_of_event(connection, [one for one in requests if one.number in waiting])
        report = _with_requests(record, reported_event(record, event), requests)
        checked = check_submission(record, report if asked is None else report._replace(**asked.said), (), today)
        chosen = [one for one in checked.sections if one.number in waiting]
        errors = [one for rows in chosen for one in rows.faults if one.severity is Severity.ERROR]
        if errors or checked.is_refused:
            return Correction(event_id, 0, (), checked.faults, checked=checked)
        after = {"sections": {one.number: one.rows.heading["digest"] for one in chosen}, "withdrawn": gone}
        act = append(connection, office.clock, deed, Change(ActKind.CONFIRM, event_id, after))
        if asked is not None:
            write_event(connection, act, checked.report, asked.document)
        for one in chosen:
            write_section(connection, act, one.rows, State.ACCEPTED, one.faults)
        standing = present_rows(record, event_id)
        for number in gone:
            write_section(connection, act, SectionRows(standing[number].heading, ()), State.WITHDRAWN)
        said = [f"section {one.number} is confirmed" for one in chosen]
        said += [f"section {number} is withdrawn" for number in gone]
        return Correction(event_id, act, tuple(said), checked.faults, checked=checked)


class AskedOfEvent(NamedTuple):
    """What a file that was sent as a request says of the event itself."""

    said: Mapping[str, Any]
    document: str


def asked_of_event(connection: Connection, requests: Sequence[Heading]) -> AskedOfEvent | None:
    """What the newest of some requests says of their event, nothing where none came with a file."""
    for number in sorted({one.act for one in requests}, reverse=True):
        act = act_of(connection, number)
        asked = None if act is None else act.after.get("asked")
        if act is not None and asked is not None:
            days = {name: _day(asked[column]) for name, column in (("start", "started"), ("end", "ended"))}
            return AskedOfEvent({"name": asked["name"], **days, "details": asked["details"]}, act.after["document"])
    return None


def asked_differences(record: Record, event: EventFact, request: Heading) -> list[str]:
    """What a request changes of the event itself."""
    asked = asked_of_event(record.connection, [request])
    if asked is None:
        return []
    return event_differences(event, (asked.said["name"], asked.said["start"], asked.said["end"]))


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def sections_to_go(record: Record, requests: Sequence[Heading]) -> set[int]:
    """Of what was asked for, the sections that are to be withdrawn: those without players."""
    entries = record.entries(requests)
    return {one.number for one in requests if not entries[one.event_id, one.number]}


def _with_requests(record: Record, report: Report, requests: Sequence[Heading]) -> Report:
    """A report with the versions that were asked for in the place of those that stand, without those that are to go."""
    entries, gone = record.entries(requests), sections_to_go(record, requests)
    asked = {
        one.number: reported_section(one, entries[one.event_id, one.number])
        for one in requests
        if one.number not in gone
    }
    sections = [asked.pop(one.number or 0, one) for one in report.sections if one.number not in gone]
    return report._replace(sections=(*sections, *asked.values()))

"""Corrections, withdrawals and confirmations: new versions of sections; the old ones stay readable.

What is only asked for is stored beside what stands: sections as they should be, those that should go without players,
and what a file says of the event itself (its name, its days) in the act. ``confirm`` makes it stand.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection

from crosstable import __version__
from crosstable.checks.owners import without_requests
from crosstable.errors import Fault, OfficeError, Severity
from crosstable.office.checking import CheckedRows, CheckedSubmission, check_submission
from crosstable.office.comparing import differences, event_differences
from crosstable.office.database import Office
from crosstable.office.ledger.facts import Heading, Person, Record, State
from crosstable.office.ledger.journal import Author, Change, EntryKind, act_of, append, head
from crosstable.office.members import import_into
from crosstable.office.sections import ChangedResult as ChangedResult
from crosstable.office.sections import (
    EventFact,
    SectionRows,
    granted_in,
    reported_event,
    reported_section,
    with_member,
    with_result,
    write_section,
)
from crosstable.office.submissions import (
    Document,
    as_kept,
    as_version_of,
    event_of,
    present_rows,
    version_differences,
    write_document,
    write_event,
)
from crosstable.terms import Report


class Correction(NamedTuple):
    """What a correction did, or would do: its differences, or the faults for which it was refused."""

    event_id: str
    act: int
    differences: tuple[str, ...]
    faults: tuple[Fault, ...]
    is_requested: bool = False
    proposal: int | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the correction is in the record."""
        return self.act > 0


Mend = Callable[[EventFact, Report], Report]


class RequestPolicy(NamedTuple):
    """Decides inside the transaction whether a correction is only asked for; what then follows may be a proposal."""

    is_needed: Callable[[Record, Report], bool]
    follow: Callable[[Record, int], int | None]


def correct_by_file(
    office: Office,
    author: Author,
    event_id: str,
    document: Document,
    today: date,
    *,
    is_request: bool | RequestPolicy = False,
) -> Correction:
    """Another file takes the place of what was submitted: sections that it does not have are withdrawn."""
    said = document.reading.report

    def mend(event: EventFact, report: Report) -> Report:
        return as_version_of(said, event)

    return _correct(office, author, event_id, (mend, document, today), is_request=is_request)


def correct_result(
    office: Office,
    author: Author,
    event_id: str,
    change: ChangedResult,
    today: date,
    *,
    is_request: bool | RequestPolicy = False,
) -> Correction:
    """One result put right on both rows."""
    return _correct(
        office, author, event_id, (lambda _, report: with_result(report, change), None, today), is_request=is_request
    )


def correct_member(
    office: Office,
    author: Author,
    event_id: str,
    swap: tuple[str, str],
    today: date,
    *,
    is_request: bool | RequestPolicy = False,
) -> Correction:
    """A wrong member id put right wherever it stands in the event."""
    return _correct(
        office, author, event_id, (lambda _, report: with_member(report, *swap), None, today), is_request=is_request
    )


def asked_version(record: Record, event_id: str) -> Report:
    """An event as it would be with everything accepted that waits of it."""
    waiting, event = waiting_of(record, event_id), event_of(record, event_id)
    return _as_asked(record, event, waiting, asked_of_event(record.connection, waiting.requests))


def _correct(
    office: Office,
    author: Author,
    event_id: str,
    how: tuple[Mend, Document | None, date],
    *,
    is_request: bool | RequestPolicy,
) -> Correction:
    mend, document, today = how
    with office.writing(author.actor, f"correcting {event_id}") as connection:
        record = _record(connection)
        event = event_of(record, event_id)
        report = mend(event, reported_event(record, event))
        document = None if document is None else as_kept(record, document)
        read = () if document is None else document.reading.faults
        checked = check_submission(record, report, read, today)
        old = present_rows(record, event_id)
        found = tuple(version_differences(record, checked))
        if checked.is_refused or _is_wrong(old, checked.sections) or not found:
            return Correction(event_id, 0, found, checked.faults)
        policy = is_request if isinstance(is_request, RequestPolicy) else None
        is_asked = policy.is_needed(record, report) if policy is not None else bool(is_request)
        asks = is_asked or _has(Severity.CONFIRM, old, checked.sections)
        asked = _to_ask_for(record, event_id, old, checked.sections) if asks else []
        act = append(connection, office.clock, author, _change(checked, document, old, found, asks=asks))
        if document is not None:
            write_document(connection, act, event_id, document)
        if not asks:
            write_event(connection, act, report, event.document if document is None else document.digest)
            _write_versions(connection, act, old, checked.sections)
            return Correction(event_id, act, found, checked.faults)
        _write_requests(connection, act, asked, _dropped(old, checked.sections))
        proposal = policy.follow(_record(connection), act) if policy is not None and is_asked else None
        return Correction(event_id, act, found, checked.faults, is_requested=True, proposal=proposal)


def _change(
    checked: CheckedSubmission,
    document: Document | None,
    old: Mapping[int, SectionRows],
    found: Sequence[str],
    *,
    asks: bool,
) -> Change:
    """The act of a correction. What is asked for of the event itself, and which sections are to go, waits in it."""
    report = checked.report
    after = {
        "event": report.event_id,
        "differences": list(found),
        "requested": asks,
        "document": None if document is None else document.digest,
    }
    if document is not None:
        after["reader"] = __version__
    if asks:
        after["to_go"] = [rows.heading["number"] for rows in _dropped(old, checked.sections)]
    if asks and document is not None:
        after["asked"] = _of_the_event(report)
    before = {number: rows.heading["digest"] for number, rows in old.items()}
    return Change(EntryKind.CORRECT, report.event_id, after, before)


def _of_the_event(report: Report) -> dict[str, object]:
    """What a file says of the event itself: with a request it waits in the act until somebody accepts it."""
    return {"name": report.name, "started": report.start, "ended": report.end, "details": dict(report.details)}


def _is_wrong(old: Mapping[int, SectionRows], new: Sequence[CheckedRows]) -> bool:
    """Whether a section that is to be written has an error; one that is held and stays as it is does not count."""
    return _has(Severity.ERROR, old, new)


def _has(severity: Severity, old: Mapping[int, SectionRows], new: Sequence[CheckedRows]) -> bool:
    return any(fault.severity is severity for one in _changed(old, new) for fault in one.faults)


def _changed(old: Mapping[int, SectionRows], new: Sequence[CheckedRows]) -> list[CheckedRows]:
    """Sections that are new, or of which another version stands."""
    return [
        one for one in new if one.number not in old or old[one.number].heading["digest"] != one.rows.heading["digest"]
    ]


def _dropped(old: Mapping[int, SectionRows], new: Sequence[CheckedRows]) -> list[SectionRows]:
    """Sections that the new version of an event does not have."""
    numbers = {one.number for one in new}
    return [rows for number, rows in old.items() if number not in numbers]


def _write_versions(connection: Connection, act: int, old: dict[int, SectionRows], new: Sequence[CheckedRows]) -> None:
    for one in _changed(old, new):
        write_section(connection, act, one.rows, State.ACCEPTED, one.faults)
    for rows in _dropped(old, new):
        write_section(connection, act, SectionRows(rows.heading, ()), State.WITHDRAWN)


def _to_ask_for(
    record: Record, event_id: str, old: Mapping[int, SectionRows], new: Sequence[CheckedRows]
) -> list[CheckedRows]:
    """Sections of which another version is asked for.

    Where only the event itself is to change, an accepted section stands for it, so that there is something to accept;
    never one that is held, or of which something else is asked for.
    """
    changed = _changed(old, new)
    if changed or _dropped(old, new):
        return changed
    requests = record.requests(event_id)
    gone = sections_to_go(record, requests)
    taken = {one.number for one in requests if one.number in gone or one.digest != old[one.number].heading["digest"]}
    free = {one.number for one in record.headings_of(event_id) if one.state is State.ACCEPTED} - taken
    for one in new:
        if one.number in free and one.state is State.ACCEPTED:
            return [one]
    raise OfficeError(f"only event {event_id} itself is to change, and each of its sections waits; settle them first")


def _write_requests(
    connection: Connection, act: int, asked: Sequence[CheckedRows], dropped: Sequence[SectionRows]
) -> None:
    """What is asked for; a section that is to go is asked for without players, and named in the act."""
    for one in asked:
        write_section(connection, act, one.rows, State.REQUESTED, one.faults)
    for rows in dropped:
        write_section(connection, act, SectionRows(rows.heading, ()), State.REQUESTED)


def _record(connection: Connection) -> Record:
    last = head(connection)
    assert last is not None
    return Record(connection, last.seq)


def withdraw(office: Office, author: Author, event_id: str, numbers: Sequence[int] = ()) -> int:
    """Take an event, or some of its sections, back; what it did to ratings goes with the next run."""
    with office.writing(author.actor, f"withdrawing {event_id}") as connection:
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
        act = append(
            connection, office.clock, author, Change(EntryKind.WITHDRAW, event_id, {"sections": chosen}, before)
        )
        for number in chosen:
            write_section(connection, act, SectionRows(present[number].heading, ()), State.WITHDRAWN)
        return act


class Waiting(NamedTuple):
    """What waits of an event, by section: what is held, or was asked for; ``gone`` are those that are to go."""

    headings: Mapping[int, Heading]
    gone: frozenset[int]

    @property
    def versions(self) -> dict[int, int]:
        """The act of each version."""
        return {number: one.act for number, one in sorted(self.headings.items())}

    @property
    def requests(self) -> list[Heading]:
        """Those that were asked for."""
        return [one for one in self.headings.values() if one.state is State.REQUESTED]


def waiting_of(record: Record, event_id: str, numbers: Collection[int] = ()) -> Waiting:
    """What waits of an event, of some sections or of all."""
    held = [one for one in record.headings_of(event_id) if one.state is State.HELD]
    requests = record.requests(event_id)
    found = {one.number: one for one in (*held, *requests) if not numbers or one.number in numbers}
    if not found:
        raise OfficeError(f"nothing of event {event_id} waits to be confirmed")
    return Waiting(found, frozenset(sections_to_go(record, requests) & found.keys()))


class Seen(NamedTuple):
    """What somebody agrees to: the version of each section (nothing: whatever waits), and who is a new member.

    ``refuses`` accepts the sections without what only the office may say in them.
    """

    versions: Mapping[int, int] | None = None
    newcomers: Sequence[Person] = ()
    refuses: bool = False


WHATEVER_WAITS = Seen()


class _NotAcceptedError(Exception):
    """Nothing of the transaction is to stay."""

    def __init__(self, made: Correction) -> None:
        super().__init__()
        self.made = made


def confirm(
    office: Office,
    author: Author,
    event_id: str,
    today: date,
    numbers: Collection[int] = (),
    seen: Seen = WHATEVER_WAITS,
) -> Correction:
    """Accept what is held or was asked for, when its checks find no error now; otherwise every fault is told.

    Findings to confirm are confirmed by it; the journal entry names them.
    """
    try:
        with office.writing(author.actor, f"confirming {event_id}") as connection:
            _add_newcomers(office, connection, Author(author.actor, f"new in event {event_id}"), seen.newcomers)
            record = _record(connection)
            event = event_of(record, event_id)
            waiting = waiting_of(record, event_id, seen.versions or numbers)
            if seen.versions is not None:
                require_versions(waiting, event_id, seen.versions)
            asked = asked_of_event(connection, waiting.requests)
            report = _as_asked(record, event, waiting, asked)
            if seen.refuses:
                report = _refusing(record, report, waiting)
            checked = check_submission(record, report, (), today)
            chosen = [one for one in checked.sections if one.number in waiting.headings]
            errors = [one for rows in chosen for one in rows.faults if one.severity is Severity.ERROR]
            if errors or checked.is_refused:
                raise _NotAcceptedError(Correction(event_id, 0, (), checked.faults))
            act = append(connection, office.clock, author, _confirming(record, event, waiting, checked))
            if asked is not None:
                write_event(connection, act, checked.report, asked.document)
            return _accepted(record, act, waiting, checked)
    except _NotAcceptedError as refused:
        return refused.made


def require_versions(waiting: Waiting, event_id: str, versions: Mapping[int, int]) -> None:
    """Nobody accepts a version that they have not seen."""
    if waiting.versions != dict(versions):
        raise OfficeError(f"what waits of event {event_id} is no longer what was proposed; look at it again")


def _add_newcomers(office: Office, connection: Connection, author: Author, people: Sequence[Person]) -> None:
    """Members who came in with what is accepted; whoever is known by now stays as they are known."""
    known = _record(connection).people([one.member_id for one in people])
    missing = [one for one in people if one.member_id not in known]
    if missing:
        import_into(office, connection, author, missing)


def _as_asked(record: Record, event: EventFact, waiting: Waiting, asked: "AskedOfEvent | None") -> Report:
    """The event as it would be with what waits accepted."""
    report = _with_requests(record, reported_event(record, event), waiting.requests)
    return report if asked is None else as_version_of(asked.said._replace(sections=report.sections), event)


def _refusing(record: Record, report: Report, waiting: Waiting) -> Report:
    """The event without what its waiting sections ask the office for, beyond what was granted before."""
    sections = tuple(
        without_requests(one, granted_in(record, report.event_id, one.number))
        if one.number in waiting.headings
        else one
        for one in report.sections
        if one.number is not None
    )
    return report._replace(sections=sections)


def _confirming(record: Record, event: EventFact, waiting: Waiting, checked: CheckedSubmission) -> Change:
    """The act of a confirmation: which versions, and what they change."""
    standing = present_rows(record, event.event_id)
    new = {one.number: one.rows for one in checked.sections}
    found = event_differences(event, checked.report)
    for one in sorted(waiting.requests, key=lambda one: one.number):
        found += differences(standing.get(one.number), new.get(one.number))
    after = {
        "sections": {number: new[number].heading["digest"] for number in new if number in waiting.headings},
        "withdrawn": sorted(waiting.gone),
        "differences": found,
        "granted": _granted(waiting, checked),
    }
    return Change(EntryKind.CONFIRM, event.event_id, after)


def _granted(waiting: Waiting, checked: CheckedSubmission) -> list[str]:
    """What whoever accepts what waits agrees to by that."""
    chosen = [one for one in checked.sections if one.number in waiting.headings]
    return [
        f"{fault.place}: {fault.message}"
        for one in chosen
        for fault in one.faults
        if fault.severity is Severity.CONFIRM
    ]


def _accepted(record: Record, act: int, waiting: Waiting, checked: CheckedSubmission) -> Correction:
    """What waited takes its place in the record."""
    connection, event_id = record.connection, checked.report.event_id
    chosen = [one for one in checked.sections if one.number in waiting.headings]
    for one in chosen:
        write_section(connection, act, one.rows, State.ACCEPTED, one.faults)
    standing = present_rows(record, event_id)
    for number in sorted(waiting.gone):
        write_section(connection, act, SectionRows(standing[number].heading, ()), State.WITHDRAWN)
    said = [f"section {one.number} is confirmed" for one in chosen]
    said += [f"section {number} is withdrawn" for number in sorted(waiting.gone)]
    said += [f"agreed: {text}" for text in _granted(waiting, checked)]
    return Correction(event_id, act, tuple(said), checked.faults)


class AskedOfEvent(NamedTuple):
    """What a file that was sent as a request says of the event itself."""

    said: Report
    document: str


def asked_of_event(connection: Connection, requests: Sequence[Heading]) -> AskedOfEvent | None:
    """What the newest of some requests says of their event, nothing where none came with a file."""
    for number in sorted({one.act for one in requests}, reverse=True):
        act = act_of(connection, number)
        asked = None if act is None else act.after.get("asked")
        if act is not None and asked is not None:
            start, end = _day(asked["started"]), _day(asked["ended"])
            said = Report(act.subject, asked["name"], start, end, (), "", asked["details"])
            return AskedOfEvent(said, act.after["document"])
    return None


def asked_differences(record: Record, event: EventFact, request: Heading) -> list[str]:
    """What a request changes of the event itself."""
    asked = asked_of_event(record.connection, [request])
    return [] if asked is None else event_differences(event, asked.said)


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def sections_to_go(record: Record, requests: Sequence[Heading]) -> set[int]:
    """Of what was asked for, the sections that are to be withdrawn: their acts name them."""
    named = {number: act_of(record.connection, number) for number in {one.act for one in requests}}
    return {one.number for one in requests if (act := named[one.act]) and one.number in act.after.get("to_go", ())}


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

"""``office verify``: everything recomputed from the record with the plain engine and compared, posting by posting.

The chain of hashes, the rows that each act vouches for, the original files, the cache, every current posting against
the fold from nothing, and every published list against the record as it was known when the list was made.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, func, select

from crosstable.office import tables
from crosstable.office.bulk.deriving import derived
from crosstable.office.database import Office
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import (
    EntryKind,
    JournalEntry,
    act_of,
    acts,
    broken_links,
    canonical,
    digest_of,
    digest_of_rows,
)
from crosstable.office.ledger.postings import (
    COLUMNS,
    LAYOUT,
    Posting,
    PostingKey,
    Stored,
    all_current,
    posting_from,
)
from crosstable.office.ledger.runs import DIGESTS, last_run
from crosstable.office.ledger.watching import Progress, in_silence
from crosstable.office.published import CENTRAL, cut_off, month_of
from crosstable.office.sections import rows_of
from crosstable.office.supplements import Basis, Supplement, as_row, published_rows, rows_from, supplements

_BYTES_AT_ONCE = 50


class Audit(NamedTuple):
    """What was compared, and every difference as a sentence."""

    acts: int
    sections: int
    postings: int
    lists: int
    findings: tuple[str, ...]


def audit(office: Office, progress: Progress = in_silence) -> Audit:
    """Recompute everything; no finding means that every rating and every list follows from the record."""
    with office.reading() as connection:
        last = list(acts(connection))
        record = Record(connection, last[-1].seq if last else 0)
        current = all_current(connection)
        made = supplements(connection)
        findings = [
            *broken_links(connection),
            *_changed_rows(connection, last),
            *_changed_sections(record),
            *_changed_documents(connection),
            *_wrong_postings(record, current, progress),
            *(finding for one in made for finding in _wrong_list(connection, one)),
        ]
        return Audit(len(last), len(record.headings()), len(current), len(made), tuple(findings))


def sections_to_check(connection: Connection) -> int:
    """About how many steps of progress an audit tells."""
    return connection.execute(select(func.count()).select_from(tables.section)).scalar_one()


def _rows_of_act(connection: Connection, table: Table, act: int) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(select(table).where(table.c.act == act)).mappings()]


def _changed_rows(connection: Connection, written: Iterable[JournalEntry]) -> Iterator[str]:
    """Rows that are no longer what the act that wrote them says."""
    checks: Mapping[EntryKind, Callable[[Connection, JournalEntry], bool]] = {
        EntryKind.MEMBERS: _members_hold,
        EntryKind.OPENING: _members_hold,
        EntryKind.DECIDE: _decision_holds,
        EntryKind.MERGE: _merge_holds,
        EntryKind.UNMERGE: _merge_holds,
        EntryKind.RATE: _run_holds,
    }
    for act in written:
        check = checks.get(act.kind)
        if check is not None and not check(connection, act):
            yield f"act {act.seq} ({act.kind.value} {act.subject}): what it wrote is no longer what it says"


def _members_hold(connection: Connection, act: JournalEntry) -> bool:
    rows = _rows_of_act(connection, tables.member, act.seq)
    if "members" not in act.after:  # one member's facts, written whole
        return len(rows) == 1 and canonical(_known(rows[0])) == canonical(_known(act.after))
    return act.after["members"] == digest_of_rows(rows) and all(
        act.after[name] == digest_of_rows(_rows_of_act(connection, table, act.seq))
        for name, table in (("outside", tables.outside_rating), ("openings", tables.opening))
    )


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row about a member says; a column that is newer than the row says nothing in it."""
    return {key: value for key, value in row.items() if key != "act" and value is not None}


def _without(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def _decision_holds(connection: Connection, act: JournalEntry) -> bool:
    rows = _rows_of_act(connection, tables.decision, act.seq)
    return len(rows) == 1 and canonical(_without(rows[0], "act")) == canonical(act.after)


def _merge_holds(connection: Connection, act: JournalEntry) -> bool:
    rows = _rows_of_act(connection, tables.merge, act.seq)
    is_undone = act.kind is EntryKind.UNMERGE
    said = [act.after["member"], act.after["into"], is_undone]
    return [[row["member_id"], row["into_id"], row["is_undone"]] for row in rows] == [said]


def _run_holds(connection: Connection, act: JournalEntry) -> bool:
    """Whether a run wrote these postings; the runs of older programs hashed JSON."""
    posting = tables.posting
    query = select(*COLUMNS).where(posting.c.run == act.seq).order_by(posting.c.posting_id)
    rows = [posting_from(row) for row in connection.execute(query)]
    if act.after.get("digests") == DIGESTS:
        entered = hashlib.sha256(b"".join([LAYOUT.digest(row) for row in rows])).hexdigest()
    else:
        entered = digest_of([[f"{_older_fingerprint(row):064x}"] for row in rows])
    return [len(rows), entered] == [act.after["postings"], act.after["entered"]]


def _older_fingerprint(posting: Posting) -> int:
    """What stood for a posting before there were digests of rows: the hash of its canonical JSON."""
    kinds: Iterable[tuple[Any, str]] = zip(posting, LAYOUT.kinds, strict=True)
    values = [value + 0.0 if kind == "real" and value is not None else value for value, kind in kinds]
    return int(digest_of(values), 16)


def _changed_sections(record: Record) -> Iterator[str]:
    """Sections whose rows are no longer what was submitted."""
    headings = [one for one in record.headings() if one.state is not State.WITHDRAWN]
    for at in range(0, len(headings), _BYTES_AT_ONCE):
        some = headings[at : at + _BYTES_AT_ONCE]
        entries = record.entries(some)
        for one in some:
            if rows_of(one, entries[one.event_id, one.number]).heading["digest"] != one.digest:
                yield f"event {one.event_id}, section {one.number}: the rows are no longer what was submitted"


def _changed_documents(connection: Connection) -> Iterator[str]:
    table = tables.document
    for digest, name in connection.execute(select(table.c.digest, table.c.name)).all():
        content = connection.execute(select(table.c.content).where(table.c.digest == digest)).scalar_one()
        if hashlib.sha256(content).hexdigest() != digest:
            yield f"the original file {name} is damaged"


def _wrong_postings(record: Record, current: Mapping[PostingKey, Stored], progress: Progress) -> Iterator[str]:
    run = last_run(record.connection)
    as_rated = Record(record.connection, run)
    computed = derived(as_rated, progress).postings
    yield from posting_differences(computed, current)
    last = act_of(record.connection, run)
    if last is None:
        return
    counted = _fingerprint if last.after.get("digests") == DIGESTS else _older_fingerprint
    total = sum(int(counted(stored.posting)) for stored in current.values())
    table = tables.run
    stored_state = record.connection.execute(select(table.c.state_after).where(table.c.act == run)).scalar()
    if {stored_state, last.after["state"]} != {text_of(total)}:
        yield f"the state after run {run} is not the one that the run wrote down"


def _fingerprint(posting: Posting) -> int:
    return posting.fingerprint


def posting_differences(computed: Mapping[PostingKey, Posting], posted: Mapping[PostingKey, Stored]) -> Iterator[str]:
    """Every posting that is not what the record gives."""
    for about in sorted(computed.keys() | posted.keys()):
        where = f"member {about.member_id}, {about.system.name}, event {about.event_id}, section {about.section}"
        if about not in posted:
            yield f"{where}: {computed[about].rating_after:.2f} follows from the record and is not posted"
        elif about not in computed:
            yield f"{where}: {posted[about].posting.rating_after:.2f} is posted and does not follow from the record"
        elif computed[about] != posted[about].posting:
            found, made = posted[about].posting, computed[about]
            yield f"{where}: {found.rating_after} is posted, {made.rating_after} follows from the record"


def _wrong_list(connection: Connection, made: Supplement) -> Iterator[str]:
    """A list against its own digest, and against the record as it was known when the list was made."""
    rows = published_rows(connection, made.month)
    if digest_of_rows([as_row(made.month, row) for row in rows]) != made.digest or len(rows) != made.rows:
        yield f"the list of {made.month} is no longer what was published"
        return
    month = month_of(made.month)
    until = cut_off(month).astimezone(CENTRAL).date() if made.basis is Basis.PLAYED else None
    record = Record(connection, made.run)
    computed = {about: Stored(0, posting) for about, posting in derived(record).postings.items()}
    if rows_from(record, computed, month, until) != rows:
        yield f"the list of {made.month} does not follow from the record as known at act {made.run}"

"""``office verify``: everything recomputed from the record with the plain engine and compared, posting by posting.

The chain of hashes, the rows that each act vouches for, the original files, the cache, every current posting against
the fold from nothing, and every published list against the record as it was known when the list was made.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, select

from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.acts import Act, ActKind, acts, broken_links, canonical, digest_of, digest_of_rows
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.fold import Progress, fold, in_silence
from crosstable.office.ledger.postings import (
    COLUMNS,
    Posting,
    PostingKey,
    Stored,
    all_current,
    posting_from,
    state_digest,
)
from crosstable.office.ledger.rerate import last_run
from crosstable.office.published import CENTRAL, cut_off, month_of
from crosstable.office.sections import rows_of
from crosstable.office.supplements import Basis, Supplement, as_row, published_rows, rows_from, supplements
from crosstable.terms import RatingSystem

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
            *_stale_cache(connection, current),
            *_wrong_postings(record, current, progress),
            *(finding for one in made for finding in _wrong_list(connection, one)),
        ]
        return Audit(len(last), len(record.headings()), len(current), len(made), tuple(findings))


def _rows_of_act(connection: Connection, table: Table, act: int) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(select(table).where(table.c.act == act)).mappings()]


def _changed_rows(connection: Connection, written: Iterable[Act]) -> Iterator[str]:
    """Rows that are no longer what the act that wrote them says."""
    checks: Mapping[ActKind, Callable[[Connection, Act], bool]] = {
        ActKind.MEMBERS: _members_hold,
        ActKind.OPENING: _members_hold,
        ActKind.DECIDE: _decision_holds,
        ActKind.MERGE: _merge_holds,
        ActKind.UNMERGE: _merge_holds,
        ActKind.RATE: _run_holds,
    }
    for act in written:
        check = checks.get(act.kind)
        if check is not None and not check(connection, act):
            yield f"act {act.seq} ({act.kind.value} {act.subject}): what it wrote is no longer what it says"


def _members_hold(connection: Connection, act: Act) -> bool:
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


def _decision_holds(connection: Connection, act: Act) -> bool:
    rows = _rows_of_act(connection, tables.decision, act.seq)
    return len(rows) == 1 and canonical(_without(rows[0], "act")) == canonical(act.after)


def _merge_holds(connection: Connection, act: Act) -> bool:
    rows = _rows_of_act(connection, tables.merge, act.seq)
    is_undone = act.kind is ActKind.UNMERGE
    said = [act.after["member"], act.after["into"], is_undone]
    return [[row["member_id"], row["into_id"], row["is_undone"]] for row in rows] == [said]


def _run_holds(connection: Connection, act: Act) -> bool:
    posting = tables.posting
    query = select(*COLUMNS).where(posting.c.run == act.seq).order_by(posting.c.posting_id)
    entered = [[f"{posting_from(row).fingerprint:064x}"] for row in connection.execute(query)]
    return [len(entered), digest_of(entered)] == [act.after["postings"], act.after["entered"]]


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
    import hashlib

    table = tables.document
    for digest, name in connection.execute(select(table.c.digest, table.c.name)).all():
        content = connection.execute(select(table.c.content).where(table.c.digest == digest)).scalar_one()
        if hashlib.sha256(content).hexdigest() != digest:
            yield f"the original file {name} is damaged"


def _stale_cache(connection: Connection, current: Mapping[PostingKey, Stored]) -> Iterator[str]:
    table = tables.current_posting
    cached = {
        PostingKey(member, RatingSystem(system), event_id, section): posting_id
        for member, system, event_id, section, posting_id in connection.execute(select(table))
    }
    if cached != {about: stored.posting_id for about, stored in current.items()}:
        yield "the cache of current postings is not what the postings say; crosstable office upgrade --rebuild mends it"


def _wrong_postings(record: Record, current: Mapping[PostingKey, Stored], progress: Progress) -> Iterator[str]:
    run = last_run(record.connection)
    as_rated = Record(record.connection, run)
    computed = fold(as_rated, progress).postings
    yield from posting_differences(computed, current)
    total = sum(stored.posting.fingerprint for stored in current.values())
    table = tables.run
    stored_state = record.connection.execute(select(table.c.state_after).where(table.c.act == run)).scalar()
    if stored_state is not None and stored_state != state_digest(total):
        yield f"the state after run {run} is not the one that the run wrote down"


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
    folded = fold(record).postings
    computed = {about: Stored(0, posting) for about, posting in folded.items()}
    if rows_from(record, computed, month, until) != rows:
        yield f"the list of {made.month} does not follow from the record as known at act {made.run}"

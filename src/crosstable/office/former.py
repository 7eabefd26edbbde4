"""What offices of before commitments wrote down about themselves, and whether it holds.

Their entries were bound by hashes of JSON, and some said which rows they wrote. An upgrade looks at all of it before it
commits to what is there; afterwards the chain is kept as evidence.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Table, select

from crosstable.office import tables
from crosstable.office.ledger.commitments import NO_HASH, commit, note_digests, row_layout
from crosstable.office.ledger.journal import EntryKind, JournalEntry, acts, canonical, digest_of, digest_of_rows
from crosstable.office.ledger.postings import COLUMNS, LAYOUT, Posting, posting_from
from crosstable.office.ledger.runs import DIGESTS
from crosstable.office.proof import Finding, journal_digests, recommitted

_ENTRY = ("seq", "at", "kind", "actor", "reason", "subject", "before", "after")


def former_head(connection: Connection) -> str:
    """The head of the chain that an office had before."""
    table = tables.former_chain
    return connection.execute(select(table.c.digest).order_by(table.c.seq.desc()).limit(1)).scalar() or NO_HASH


def broken_links(connection: Connection) -> Iterator[Finding]:
    """Every place where the chain of before does not hold; an entry of which something was erased cannot be hashed."""
    act, chain = tables.act, tables.former_chain
    columns = [act.c[name] for name in _ENTRY]
    query = select(*columns, act.c.salt, chain.c.previous, chain.c.digest).join_from(
        chain, act, act.c.seq == chain.c.seq
    )
    previous = NO_HASH
    for row in connection.execute(query.order_by(chain.c.seq)).mappings():
        fields = {name: row[name] for name in (*_ENTRY, "previous")}
        is_erased = len(row["salt"] or "") == len(NO_HASH)
        if row["previous"] != previous or (not is_erased and digest_of(fields) != row["digest"]):
            what = f"journal entry {row['seq']} is not what the chain of before its upgrade says"
            yield Finding(what, row["seq"], chain.name)
        previous = row["digest"]


def recommit(connection: Connection) -> list[Finding]:
    """Commit to every row of an office that has not yet; returns what does not hold of what it said of itself."""
    found = [*broken_links(connection), *_changed_rows(connection)]
    commit(connection, journal_digests(connection), recommitted(connection))
    return found


def keep_chain(connection: Connection, entry: int) -> None:
    """Let the entry of an upgrade commit to the chain of before."""
    layout = row_layout(tables.former_chain)
    rows = connection.execute(select(*(tables.former_chain.c[name] for name in layout.names)))
    note_digests(connection, entry, tables.former_chain, b"".join([layout.digest(row) for row in rows]))


def _rows_of_act(connection: Connection, table: Table, act: int) -> list[dict[str, Any]]:
    rows = connection.execute(select(table).where(table.c.act == act)).mappings()
    return [{name: value for name, value in row.items() if name != "salt"} for row in rows]


def _changed_rows(connection: Connection) -> Iterator[Finding]:
    """Rows that are no longer what the entry that wrote them says."""
    checks: Mapping[EntryKind, Callable[[Connection, JournalEntry], bool]] = {
        EntryKind.MEMBERS: _members_hold,
        EntryKind.OPENING: _members_hold,
        EntryKind.DECIDE: _decision_holds,
        EntryKind.MERGE: _merge_holds,
        EntryKind.UNMERGE: _merge_holds,
        EntryKind.RATE: _run_holds,
    }
    for entry in list(acts(connection)):
        check = checks.get(entry.kind)
        if check is not None and not check(connection, entry):
            what = f"journal entry {entry.seq} ({entry.kind.value}): what it wrote is no longer what it says"
            yield Finding(what, entry.seq)


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


def _decision_holds(connection: Connection, act: JournalEntry) -> bool:
    rows = _rows_of_act(connection, tables.decision, act.seq)
    said = [{name: value for name, value in row.items() if name != "act"} for row in rows]
    return canonical(said) == canonical([act.after])


def _merge_holds(connection: Connection, act: JournalEntry) -> bool:
    rows = _rows_of_act(connection, tables.merge, act.seq)
    is_undone = act.kind is EntryKind.UNMERGE
    said = [act.after["member"], act.after["into"], is_undone]
    return [[row["member_id"], row["into_id"], row["is_undone"]] for row in rows] == [said]


def _run_holds(connection: Connection, act: JournalEntry) -> bool:
    """Whether a run wrote these postings; the runs of the first programs hashed JSON."""
    posting = tables.posting
    query = select(*COLUMNS).where(posting.c.run == act.seq).order_by(posting.c.posting_id)
    rows = [posting_from(row) for row in connection.execute(query)]
    if act.after.get("digests") == DIGESTS:
        entered = hashlib.sha256(b"".join([LAYOUT.digest(row) for row in rows])).hexdigest()
    else:
        entered = digest_of([[f"{older_fingerprint(row):064x}"] for row in rows])
    return [len(rows), entered] == [act.after["postings"], act.after["entered"]]


def older_fingerprint(posting: Posting) -> int:
    """What stood for a posting before there were digests of rows: the hash of its canonical JSON."""
    kinds: Iterator[tuple[Any, str]] = zip(posting, LAYOUT.kinds, strict=True)
    values = [value + 0.0 if kind == "real" and value is not None else value for value, kind in kinds]
    return int(digest_of(values), 16)

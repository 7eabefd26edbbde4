"""Whether a database holds whole deeds and nothing else, seen past the office's own readers.

Every row belongs to an act, every act has all its rows, the chain holds, the postings of a run are as many as its act
says and have the digest it says, and the state is what the postings make it.
"""

import hashlib
import json
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from crosstable.office.ledger.postings import Posting
from crosstable.terms import RatingSystem
from tests.office.faults import Raw, raw

_FACTS = ("document", "member", "outside_rating", "merge", "event", "section", "entry", "opening", "decision")
_OF_RUNS = ("posting", "rated_section", "ripple")
_ENTRIES = (
    "SELECT act.seq, act.at, act.kind, act.actor, act.subject, act.reason, act.before, act.after, act.salt, c.rows, "
    "c.previous, c.digest FROM act LEFT JOIN commitment c ON c.seq = act.seq ORDER BY act.seq"
)
_POSTING = ", ".join(Posting._fields)


def flaws_of(address: str) -> list[str]:
    """Everything that is wrong with what is stored, as sentences."""
    with raw(address) as connection:
        return _damage(connection) or [
            *_chain(connection),
            *_rows_without_act(connection),
            *_submissions(connection),
            *_runs(connection),
            *_current(connection),
            *_systems(connection),
        ]


def _damage(connection: Raw) -> list[str]:
    """What SQLite itself says of a file; a server has its own ways."""
    if not connection.is_sqlite:
        return []
    try:
        return [text for (text,) in connection.rows("PRAGMA integrity_check") if text != "ok"]
    except sqlite3.DatabaseError as error:
        return [str(error)]


def _chain(connection: Raw) -> Iterator[str]:
    """The entries are numbered through, and each commits to itself, to its rows and to the entry before it."""
    previous = "0" * 64
    for at, row in enumerate(connection.rows(_ENTRIES), 1):
        (seq, *plain), personal, salt, rows, before, digest = row[:5], row[5:8], row[8], *row[9:]
        hidden = hashlib.sha256(salt.encode() + _encoded(personal)).digest()
        entry = hashlib.sha256(_encoded((seq, *plain)) + hidden).digest()
        said = hashlib.sha256(previous.encode() + entry + (rows or "").encode()).hexdigest()
        if (seq, before, digest) != (at, previous, said):
            yield f"act {seq} breaks the chain"
        previous = digest or ""


def _encoded(values: Sequence[int | str]) -> bytes:
    """No column is empty: a mask of zeros, then numbers and the lengths of texts in 8 bytes each, then the texts."""
    texts = [value.encode() for value in values if isinstance(value, str)]
    numbers = [len(value.encode()) if isinstance(value, str) else value for value in values]
    return struct.pack(f"<Q{len(numbers)}q", 0, *numbers) + b"".join(texts)


def _rows_without_act(connection: Raw) -> Iterator[str]:
    kinds = ("act NOT IN (SELECT seq FROM act WHERE kind <> 'rate')", "run NOT IN (SELECT act FROM run)")
    for tables, where in zip((_FACTS, _OF_RUNS), kinds, strict=True):
        for table in tables:
            ((rows,),) = connection.rows(f"SELECT count(*) FROM {table} WHERE {where}")
            if rows:
                yield f"{rows} rows of {table} belong to no act"


def _submissions(connection: Raw) -> Iterator[str]:
    """A submission has its file, its event and every section with its players."""
    entries = {(act, number): count for act, number, count in connection.rows(_COUNTED)}
    for seq, after in connection.rows("SELECT seq, after FROM act WHERE kind = 'submit'"):
        said = json.loads(after)
        written = {
            str(number): [state, digest]
            for number, state, digest in connection.rows(f"SELECT number, state, digest FROM section WHERE act = {seq}")
        }
        kept = connection.rows(f"SELECT digest, event_id, content FROM document WHERE act = {seq}")
        events = connection.rows(f"SELECT event_id, document FROM event WHERE act = {seq}")
        hashes = [(hashlib.sha256(content).hexdigest(), digest, event_id) for digest, event_id, content in kept]
        if hashes != [(said["document"], said["document"], said["event"])]:
            yield f"act {seq}: the file is not the one submitted"
        if events != [(said["event"], said["document"])]:
            yield f"act {seq}: the event is not the one submitted"
        if written != said["sections"] or any(not entries.get((seq, int(number))) for number in written):
            yield f"act {seq}: half an event"


_CURRENT = (
    "WHERE rating_after IS NOT NULL AND posting_id NOT IN (SELECT supersedes FROM posting WHERE supersedes IS NOT NULL)"
)
_COUNTED = "SELECT act, section, count(*) FROM entry GROUP BY act, section"


def _runs(connection: Raw) -> Iterator[str]:
    """A run has its act, as many postings as that says, with the digest that it says, and a line of ripple for each."""
    acts: dict[int, str] = dict(connection.rows("SELECT seq, after FROM act WHERE kind = 'rate'"))
    runs = connection.rows("SELECT act, postings, state_after FROM run ORDER BY act")
    if {act for act, *_ in runs} != set(acts):
        yield "runs and acts of rating are not the same"
        return
    numbers = [act for act, *_ in runs]
    yield from (f"run {act} rates what the run before it rated" for act in numbers if act - 1 in numbers)
    for act, postings, state in runs:
        said = json.loads(acts[act])
        entered = _fingerprints(connection, f"WHERE run = {act} ORDER BY posting_id")
        if (len(entered), state) != (said["postings"], said["state"]):
            yield f"run {act}: the postings are not those of its act"
        changed, told = (
            set(connection.rows(f"SELECT member_id, system FROM {table} WHERE run = {act}"))
            for table in ("posting", "ripple")
        )
        if postings != len(entered) or told != changed:
            yield f"run {act}: the ripple is not about those who changed"


def _fingerprints(connection: Raw, where: str) -> list[int]:
    return [_fingerprint(row) for row in connection.rows(f"SELECT {_POSTING} FROM posting {where}")]


@lru_cache(maxsize=10_000)  # rows are never changed, and after a kill most of them are the ones of before
def _fingerprint(row: tuple[Any, ...]) -> int:
    fields = dict(zip(Posting._fields, row, strict=True))
    for name in ("ended", "started", "as_of"):
        if isinstance(fields[name], str):  # SQLite keeps days as text
            fields[name] = date.fromisoformat(fields[name])
    return Posting(**fields | {"system": RatingSystem(fields["system"])}).fingerprint


def _current(connection: Raw) -> Iterator[str]:
    """The newest posting about each thing is current, and their sum is the state after the last run."""
    newest = "SELECT max(posting_id) FROM posting GROUP BY member_id, system, event_id, section"
    where = f"WHERE posting_id IN ({newest}) AND rating_after IS NOT NULL"
    due = set(connection.rows(f"SELECT posting_id FROM posting {where}"))
    if due != set(connection.rows(f"SELECT posting_id FROM posting {_CURRENT}")):
        yield "a posting supersedes another than the newest"
    total = sum(_fingerprints(connection, where)) % (1 << 256)
    states = connection.rows("SELECT state_after FROM run ORDER BY act DESC LIMIT 1")
    if states and states != [(f"{total:064x}",)]:
        yield "the state after the last run is not the sum of what is current"


def _systems(connection: Raw) -> Iterator[str]:
    """A section is posted in each of its systems or in none."""
    posted: dict[tuple[str, int], set[str]] = {}
    for event_id, number, system in connection.rows(
        f"SELECT DISTINCT event_id, section, system FROM posting {_CURRENT}"
    ):
        posted.setdefault((event_id, number), set()).add(RatingSystem(system).name)
    newest = "SELECT event_id, number, systems FROM section ORDER BY act"
    systems = {(event_id, number): set(text.split()) for event_id, number, text in connection.rows(newest)}
    for place, found in posted.items():
        if place in systems and found != systems[place]:
            yield f"section {place} is posted in {sorted(found)} alone"

"""The journal: who did what, when and why, what stood before and after. Appended, never changed.

Each entry commits to the rows it wrote and to the entry before it (``commitments``), so a record whose head somebody
kept cannot have been rewritten.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, select

from crosstable.errors import OfficeError
from crosstable.limits import CLOCK_AHEAD, CLOCK_BEHIND
from crosstable.office import tables
from crosstable.office.database import Clock
from crosstable.office.ledger.commitments import NO_HASH as NO_HASH
from crosstable.office.ledger.commitments import is_timed, write_entries, write_rows
from crosstable.office.ledger.digests import canonical as canonical
from crosstable.sentences import american, counted

_TICK = timedelta(microseconds=1)


class EntryKind(StrEnum):
    """What a journal entry can be about."""

    FOUNDED = "founded"
    MEMBERS = "members"
    MERGE = "merge"
    UNMERGE = "unmerge"
    OPENING = "opening"
    SUBMIT = "submit"
    IMPORT = "import"
    CONFIRM = "confirm"
    CORRECT = "correct"
    WITHDRAW = "withdraw"
    DECIDE = "decide"
    RATE = "rate"
    PUBLISH = "publish"
    SETTINGS = "settings"
    UPGRADE = "upgrade"
    CLOCK = "clock"
    ERASE = "erase"


# Entries from which no rating follows.
AT_REST = frozenset(
    {
        EntryKind.FOUNDED,
        EntryKind.RATE,
        EntryKind.PUBLISH,
        EntryKind.SETTINGS,
        EntryKind.UPGRADE,
        EntryKind.CLOCK,
    }
)
# Entries whose time nobody has to confirm: one says that the clock is right, and before the other nobody could.
_OF_ANY_TIME = frozenset({EntryKind.CLOCK, EntryKind.UPGRADE})
# The setting that says how many days after the last entry the next one may be.
CLOCK_DAYS = "clock_days"


class Approval(NamedTuple):
    """Somebody else's consent to a proposal, and the credential with which they gave it."""

    proposal: int
    approved_by: str
    credential: str


class Author(NamedTuple):
    """Who writes a journal entry, and why; ``login`` is that of the machine, where they gave another name.

    Whoever makes an ``approval`` has seen the approver's credential (``proposals.approve``).
    """

    actor: str
    reason: str
    login: str = ""
    approval: Approval | None = None


class JournalEntry(NamedTuple):
    """One entry of the journal."""

    seq: int
    at: datetime
    kind: EntryKind
    actor: str
    reason: str
    subject: str
    before: Any
    after: Any
    previous: str
    digest: str
    login: str = ""
    approved_by: str = ""

    @property
    def author(self) -> str:
        """Who wrote it, and who is proven to have approved it."""
        return f"{self.actor}, approved by {self.approved_by}" if self.approved_by else self.actor


def digest_of(value: object) -> str:
    """The hash of a value's canonical form."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def digest_of_rows(rows: Iterable[Mapping[str, Any]]) -> str:
    """The hash of rows as the tables hold them, in whatever order; what is not there is left out."""
    whole = hashlib.sha256()
    for line in sorted(_line(row) for row in rows):
        whole.update(line.encode() + b"\n")
    return whole.hexdigest()


def _line(row: Mapping[str, Any]) -> str:
    """A row in one spelling: a whole number reads the same whether its column holds whole numbers or not."""
    kept = {name: value for name, value in row.items() if value is not None and name != "act"}
    return canonical({name: float(value) if type(value) is int else value for name, value in kept.items()})


class Change(NamedTuple):
    """What an act is about: the subject, and what stood before and after."""

    kind: EntryKind
    subject: str
    after: Any
    before: Any = None


def append(connection: Connection, clock: Clock, author: Author, change: Change) -> int:
    """Append an act and return its number. Times run backwards only where the office confirms its clock."""
    return append_all(connection, clock, author, [change])


def append_all(connection: Connection, clock: Clock, author: Author, changes: Sequence[Change]) -> int:
    """Append entries and return the number of the first; the end of the transaction binds them to the one before."""
    last = head(connection)
    seq, at = 1, clock()
    kinds = {change.kind for change in changes}
    if last is not None:
        if is_timed(connection) and not kinds & _OF_ANY_TIME:
            require_likely(connection, last, at)
        seq, at = last.seq + 1, at if EntryKind.CLOCK in kinds else max(at, last.at + _TICK)
    rows = []
    for number, change in enumerate(changes):
        row = {
            "seq": seq + number,
            "at": (at + number * _TICK).isoformat(timespec="microseconds"),
            "kind": change.kind.value,
            "actor": author.actor,
            "reason": author.reason,
            "subject": change.subject,
            "before": canonical(change.before),
            "after": canonical(change.after),
        }
        rows.append(row)
    write_entries(connection, rows)
    if author.login or author.approval:
        proven = {"login": author.login, **(author.approval._asdict() if author.approval else {})}
        write_rows(connection, tables.authorship, [{"act": row["seq"], **proven} for row in rows])
    return seq


def require_likely(connection: Connection, last: JournalEntry, at: datetime) -> None:
    """Refuse a clock that is far from the last entry; a founding says nothing of when an office is used."""
    ahead, behind = (at - last.at).days, (last.at - at).days
    if last.seq == 1 or (behind < CLOCK_BEHIND and ahead <= clock_days(connection)):
        return
    where = counted(ahead, "day") + " after" if ahead > 0 else counted(behind, "day") + " before"
    raise OfficeError(
        f"the clock of this machine says {american(at.date())}, {where} the last entry of the journal; nothing was "
        "stored. Set the clock, or, if it is right, type: crosstable office clock --confirm"
    )


def clock_days(connection: Connection) -> int:
    """How many days after the last entry the next one may be before somebody has to confirm the clock."""
    said = setting_of(connection, CLOCK_DAYS)
    return said if isinstance(said, int) else CLOCK_AHEAD


def setting_of(connection: Connection, setting: str, through: int | None = None) -> object:
    """What a setting is, as known at a journal entry or now; nothing where nobody has said."""
    act = tables.act.c
    query = select(act.after).where(act.kind == EntryKind.SETTINGS.value).order_by(act.seq.desc())
    if through is not None:
        query = query.where(act.seq <= through)
    said = (json.loads(after) for after in connection.execute(query).scalars())
    return next((one[setting] for one in said if setting in one), None)


def _entries() -> Select[Any]:
    """Entries with what they commit to; those of a transaction that is still open have no digest yet."""
    act, commitment, proven = tables.act, tables.commitment, tables.authorship
    columns = [act.c[name] for name in JournalEntry._fields if name in act.c]
    columns += [commitment.c.previous, commitment.c.digest, proven.c.login, proven.c.approved_by]
    joined = act.outerjoin(commitment, commitment.c.seq == act.c.seq).outerjoin(proven, proven.c.act == act.c.seq)
    return select(*columns).select_from(joined)


def head(connection: Connection) -> JournalEntry | None:
    """The newest act."""
    found = connection.execute(_entries().order_by(tables.act.c.seq.desc()).limit(1)).mappings().first()
    return None if found is None else _act(found)


def acts(connection: Connection, after: int = 0) -> Iterator[JournalEntry]:
    """The acts after a number, oldest first."""
    for row in connection.execute(_entries().where(tables.act.c.seq > after).order_by(tables.act.c.seq)).mappings():
        yield _act(row)


def act_of(connection: Connection, seq: int) -> JournalEntry | None:
    """One act."""
    found = connection.execute(_entries().where(tables.act.c.seq == seq)).mappings().first()
    return None if found is None else _act(found)


def last_act_of(connection: Connection, day: date | datetime | None) -> int:
    """The newest act that was written by the end of a day (UTC), or by an instant; without either, the newest."""
    column = tables.act.c.at
    wanted = select(func.max(tables.act.c.seq))
    if isinstance(day, datetime):
        wanted = wanted.where(column <= day.isoformat(timespec="microseconds"))
    elif day is not None:
        wanted = wanted.where(column < (day + timedelta(days=1)).isoformat())
    return connection.execute(wanted).scalar() or 0


def _act(row: Mapping[Any, Any]) -> JournalEntry:
    fields = {**row, "previous": row["previous"] or NO_HASH, "digest": row["digest"] or NO_HASH}
    fields |= {name: row[name] or "" for name in ("login", "approved_by")}
    fields["at"] = datetime.fromisoformat(fields["at"])
    fields["kind"] = EntryKind(fields["kind"])
    fields["before"], fields["after"] = json.loads(fields["before"]), json.loads(fields["after"])
    return JournalEntry(**fields)

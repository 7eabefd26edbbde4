"""The security log: who did what to accounts and tokens, who of the office logged in, who read birth dates.

It is chained like the journal: each entry covers the one before it. Names and details enter only through a salted hash,
so that they can be erased when they are old while the chain still holds.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, text

from crosstable.office.account_tables import security_log
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import NO_HASH, new_salt
from crosstable.office.ledger.digests import canonical
from crosstable.office.proof import Finding

# Somebody waits for what is logged, in seconds.
PATIENCE = 8.0
# The key of the lock under which one writer at a time appends on a server.
_LOCK = 7_302_519_004


class SecurityKind(StrEnum):
    """What an entry of the security log is about."""

    ACCOUNT_ADDED = "account added"
    ACCOUNT_DISABLED = "account disabled"
    ACCOUNT_ENABLED = "account enabled"
    PASSWORD_CHANGED = "password changed"
    TOKEN_ADDED = "token added"
    TOKEN_REVOKED = "token revoked"
    SECOND_FACTOR_ADDED = "second factor set up"
    SECOND_FACTOR_REMOVED = "second factor removed"
    LOGIN = "office login"
    PROPOSED = "proposed"
    APPROVED = "approved"
    REFUSED = "refused"
    BIRTH_DATE_READ = "birth date read"
    EXPORTED = "person exported"
    ERASED = "person erased"
    CLEARED = "old data cleared"
    OTHER = "other"


class SecurityEntry(NamedTuple):
    """One entry of the security log."""

    seq: int
    at: datetime
    kind: str
    actor: str
    subject: str
    details: Mapping[str, Any]
    digest: str


def note(
    connection: Connection, at: datetime, kind: SecurityKind, actor: str, subject: str = "", **details: object
) -> int:
    """Append an entry inside the transaction of what it is about; returns its number."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    table = security_log.c
    last = connection.execute(select(table.seq, table.digest).order_by(table.seq.desc()).limit(1)).first()
    seq, previous = (1, NO_HASH) if last is None else (last[0] + 1, last[1])
    row = {
        "seq": seq,
        "at": at.isoformat(timespec="microseconds"),
        "kind": kind.value,
        "actor": actor,
        "subject": subject,
        "details": canonical(details),
        "salt": new_salt(),
        "previous": previous,
    }
    connection.execute(insert(security_log), {**row, "digest": digest_of_entry(row)})
    return int(seq)


def note_apart(office: Office, kind: SecurityKind, actor: str, subject: str = "", **details: object) -> int:
    """The same in a transaction of its own."""
    with office.writing_accounts(actor, "the security log", PATIENCE) as connection:
        return note(connection, office.clock(), kind, actor, subject, **details)


def hidden_texts(row: Mapping[Any, Any]) -> str:
    """What the texts of an entry enter its digest with: their salted hash, or what an erasure left of it."""
    if len(row["salt"]) == len(NO_HASH):
        return str(row["salt"])
    texts = canonical([row[name] for name in ("actor", "subject", "details")])
    return hashlib.sha256(row["salt"].encode() + texts.encode()).hexdigest()


def digest_of_entry(row: Mapping[Any, Any]) -> str:
    """The digest of an entry, over the one before it."""
    plain = canonical([row["previous"], row["seq"], row["at"], row["kind"], hidden_texts(row)])
    return hashlib.sha256(plain.encode()).hexdigest()


def security_entries(connection: Connection, most: int | None = None) -> list[SecurityEntry]:
    """The newest entries, oldest first; all of them where no number is given."""
    query = select(security_log).order_by(security_log.c.seq.desc()).limit(most)
    found = [
        SecurityEntry(
            row["seq"],
            datetime.fromisoformat(row["at"]),
            row["kind"],
            row["actor"],
            row["subject"],
            json.loads(row["details"]),
            row["digest"],
        )
        for row in connection.execute(query).mappings()
    ]
    return found[::-1]


def security_findings(connection: Connection) -> Iterator[Finding]:
    """Every place where the security log does not hold together."""
    previous = NO_HASH
    rows = [dict(row) for row in connection.execute(select(security_log).order_by(security_log.c.seq)).mappings()]
    for number, row in enumerate(rows, 1):
        table = security_log.name
        if row["seq"] != number:
            yield Finding(f"entry {number} of the security log is missing", None, table)
            return
        if row["previous"] != previous:
            yield Finding(f"entry {number} of the security log is not bound to the one before it", None, table)
        if digest_of_entry(row) != row["digest"]:
            yield Finding(f"entry {number} of the security log was changed after it was written", None, table)
        if len(row["salt"]) == len(NO_HASH) and (row["actor"] or row["subject"] or row["details"] != "{}"):
            yield Finding(f"entry {number} of the security log says more than an erasure leaves", None, table)
        previous = row["digest"]

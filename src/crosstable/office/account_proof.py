"""Accounts and tokens against the security log, which is chained: nobody gets one, or another role, beside it.

What the log says of an account, a token or a second factor when it is made or changed holds a hash of its row. Entries
that an older program wrote have none, and what retention has erased says nothing: there only the time of the entry is
compared. A token that the log says has ended stays so.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Table, select

from crosstable.office import tables
from crosstable.office.account_tables import account, second_factor, security_log, token
from crosstable.office.ledger.commitments import NO_HASH
from crosstable.office.ledger.journal import digest_of
from crosstable.office.proof import Finding
from crosstable.office.security_log import SecurityKind

# The name of the hash among the details of an entry.
PROOF = "proof"
# An entry is written in the transaction that makes the row, which may have waited for another one.
_SOON = timedelta(minutes=10)
# Columns that nothing vouches for: they change with every use, or end a token.
_IN_USE = frozenset({"last_login", "last_used", "revoked"})
_OF_ACCOUNTS = (
    SecurityKind.ACCOUNT_ADDED,
    SecurityKind.ACCOUNT_DISABLED,
    SecurityKind.ACCOUNT_ENABLED,
    SecurityKind.PASSWORD_CHANGED,
)
_OF_FACTORS = (SecurityKind.SECOND_FACTOR_ADDED, SecurityKind.SECOND_FACTOR_REMOVED)
# What is in the second factor of an account from its first code on; the rest of the row changes with every login.
_FACTOR = ("account", "secret", "confirmed")
# Offices that were founded with this schema or a later one have had the log from the beginning.
_LOG_SINCE = "0007"
_Entry = Mapping[str, Any]


def proof_of(table: Table, row: Mapping[Any, Any]) -> str:
    """The hash of an account or a token, to stand in the security log."""
    return digest_of([row[column.name] for column in table.columns if column.name not in _IN_USE])


def proof_in(connection: Connection, name: str) -> str:
    """The same of an account as it stands."""
    row = connection.execute(select(account).where(account.c.name == name)).mappings().one()
    return proof_of(account, row)


def proof_of_factor(connection: Connection, name: str) -> str:
    """The same of the second factor of an account."""
    query = select(*(second_factor.c[one] for one in _FACTOR)).where(second_factor.c.account == name)
    return digest_of([*connection.execute(query).one()])


def account_findings(connection: Connection) -> Iterator[Finding]:
    """Every account and token that is not what the security log says, and every account that is gone."""
    log = [dict(row) for row in connection.execute(select(security_log).order_by(security_log.c.seq)).mappings()]
    newest = {one["subject"]: one for one in log if one["kind"] in _OF_ACCOUNTS}
    made = {_details(one).get("token"): one for one in log if one["kind"] == SecurityKind.TOKEN_ADDED}
    seen = _Seen(log)
    there = set()
    for row in connection.execute(select(account)).mappings():
        there.add(name := row["name"])
        yield from _compared(account, row, f"the account {name}", newest.get(name), seen)
    for name in sorted(newest.keys() - {""} - there):
        yield Finding(f"the account {name} is gone, and nothing ever takes one away", table=account.name, row=name)
    ended = _Ended(log)
    for row in connection.execute(select(token)).mappings():
        name = row["token_id"]
        yield from _compared(token, row, f"the token {name}", made.get(name), seen)
        by = ended.by(row, made.get(name))
        if by is not None and row["revoked"] is None:
            what = f"the token {name} is in use, and entry {by} of the security log ended it"
            yield Finding(what, None, token.name, name)
    yield from _factor_findings(connection, log)


def _factor_findings(connection: Connection, log: Sequence[_Entry]) -> Iterator[Finding]:
    """Second factors that were taken away, or changed, beside the log."""
    newest = {one["subject"]: one for one in log if one["kind"] in _OF_FACTORS}
    confirmed = second_factor.c.confirmed.is_not(None)
    there = set(connection.execute(select(second_factor.c.account).where(confirmed)).scalars())
    for name, entry in sorted(newest.items()):
        was_added = entry["kind"] == SecurityKind.SECOND_FACTOR_ADDED
        if not name or (not was_added and name not in there):
            continue
        said = _details(entry).get(PROOF)
        if not was_added or name not in there or said != proof_of_factor(connection, name):
            what = f"the second factor of {name} is not what entry {entry['seq']} of the security log says"
            yield Finding(what, None, second_factor.name, name)


def unlogged_findings(connection: Connection) -> Iterator[Finding]:
    """Accounts and tokens of before the log, in an office that has had one from the beginning: it was cut off."""
    founding = json.loads(
        connection.execute(select(tables.act.c.after).order_by(tables.act.c.seq).limit(1)).scalar_one()
    )
    if founding.get("schema", "") < _LOG_SINCE:
        return
    first = connection.execute(select(security_log.c.at).order_by(security_log.c.seq).limit(1)).scalar()
    for table in (account, token):
        for row in connection.execute(select(table)).mappings():
            key = row[next(iter(table.primary_key)).name]
            if first is None or _soon_after(row["made"]) < first:
                what = f"the {table.name} {key} is older than the security log, which this office has always had"
                yield Finding(what, None, table.name, key)


def _soon_after(made: str) -> str:
    return (datetime.fromisoformat(made) + _SOON).isoformat(timespec="microseconds")


class _Ended:
    """Which tokens have ended by what the security log says: one was revoked, or its owner got another password."""

    def __init__(self, log: Sequence[_Entry]) -> None:
        revoked = [one for one in log if one["kind"] == SecurityKind.TOKEN_REVOKED]
        self._revoked = {_details(one).get("token"): one["seq"] for one in revoked}
        passwords = [one for one in log if one["kind"] == SecurityKind.PASSWORD_CHANGED and PROOF in _details(one)]
        self._passwords = {one["subject"]: one["seq"] for one in passwords}

    def by(self, row: Mapping[Any, Any], made: _Entry | None) -> int | None:
        """The entry that ended a token."""
        password = self._passwords.get(row["owner"])
        if password is not None and made is not None and made["seq"] < password:
            return int(password)
        revoked = self._revoked.get(row["token_id"])
        return None if revoked is None else int(revoked)


class _Seen:
    """Of when the security log says something, and when what it says was erased."""

    def __init__(self, log: Sequence[_Entry]) -> None:
        self._first = log[0]["at"] if log else ""
        self._erased = sorted(one["at"] for one in log if len(one["salt"]) == len(NO_HASH))

    def nothing_of(self, made: str) -> bool:
        """Whether something is from before the log, or the entry about it was erased."""
        if not self._first or made < self._first:
            return True
        return bisect_left(self._erased, made) < bisect_right(self._erased, _soon_after(made))


def _compared(table: Table, row: Mapping[Any, Any], what: str, entry: _Entry | None, seen: _Seen) -> Iterator[Finding]:
    key = row[next(iter(table.primary_key)).name]
    if entry is None:
        if not seen.nothing_of(row["made"]):
            yield Finding(f"{what} is in no entry of the security log", None, table.name, key)
        return
    said = _details(entry).get(PROOF)
    if said is not None and said != proof_of(table, row):
        yield Finding(f"{what} is not what entry {entry['seq']} of the security log says", None, table.name, key)


def _details(entry: _Entry) -> Mapping[str, Any]:
    found = json.loads(entry["details"])
    return found if isinstance(found, dict) else {}

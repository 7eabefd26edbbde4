"""Accounts and tokens against the security log, which is chained: nobody gets one, or another role, beside it.

What the log says of an account or a token when it is made or changed holds a hash of its row. Entries that an older
program wrote have none, and what retention has erased says nothing: there only the time of the entry is compared.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Table, select

from crosstable.office.account_tables import account, security_log, token
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
_Entry = Mapping[str, Any]


def proof_of(table: Table, row: Mapping[Any, Any]) -> str:
    """The hash of an account or a token, to stand in the security log."""
    return digest_of([row[column.name] for column in table.columns if column.name not in _IN_USE])


def proof_in(connection: Connection, name: str) -> str:
    """The same of an account as it stands."""
    row = connection.execute(select(account).where(account.c.name == name)).mappings().one()
    return proof_of(account, row)


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
    for row in connection.execute(select(token)).mappings():
        name = row["token_id"]
        yield from _compared(token, row, f"the token {name}", made.get(name), seen)


class _Seen:
    """Of when the security log says something, and when what it says was erased."""

    def __init__(self, log: Sequence[_Entry]) -> None:
        self._first = log[0]["at"] if log else ""
        self._erased = sorted(one["at"] for one in log if len(one["salt"]) == len(NO_HASH))

    def nothing_of(self, made: str) -> bool:
        """Whether something is from before the log, or the entry about it was erased."""
        if not self._first or made < self._first:
            return True
        soon = (datetime.fromisoformat(made) + _SOON).isoformat(timespec="microseconds")
        return bisect_left(self._erased, made) < bisect_right(self._erased, soon)


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

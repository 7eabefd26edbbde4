"""How long an office keeps what it no longer needs, and letting go of what is older."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, or_, select, update

from crosstable.errors import OfficeError
from crosstable.office import account_tables, tables
from crosstable.office.accounts import instant
from crosstable.office.database import Office
from crosstable.office.erasing import drop_originals, unguarded
from crosstable.office.ledger.commitments import NO_HASH
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import Author, Change, EntryKind, append, last_act_of, setting_of
from crosstable.office.proposals import ProposalState
from crosstable.office.security_log import SecurityKind, hidden_texts, note


class Keep(NamedTuple):
    """For how many days something is kept; nothing: for ever.

    ``originals`` are submitted files, counted from the day they came in; ``proposals`` those that are settled;
    ``security_log`` the names and details of its entries; ``access`` sessions, tokens and tries to log in that
    are over.
    """

    originals: int | None = None
    proposals: int | None = None
    security_log: int | None = None
    access: int | None = None


def kept_days(connection: Connection) -> Keep:
    """What the office has decided."""
    found = {name: setting_of(connection, f"keep_{name}") for name in Keep._fields}
    return Keep(**{name: days if isinstance(days, int) else None for name, days in found.items()})


def set_kept_days(office: Office, author: Author, keep: Keep) -> int | None:
    """Change it; returns the journal entry, nothing where it is so already."""
    if any(days is not None and days < 1 for days in keep):
        raise OfficeError("something is kept for one day at least")
    with office.writing(author.actor, "settings") as connection:
        before = kept_days(connection)
        if before == keep:
            return None
        said = [{f"keep_{name}": days for name, days in one._asdict().items()} for one in (keep, before)]
        return append(connection, office.clock, author, Change(EntryKind.SETTINGS, "retention", *said))


def let_go(office: Office, author: Author) -> dict[str, int]:
    """Let go of everything that is older than the office keeps it; returns how much of each there was."""
    now = office.clock()
    with office.writing(author.actor, "retention") as connection:
        keep = kept_days(connection)
        found = {
            "originals": _originals(office, connection, author, _before(now, keep.originals)),
            "proposals": _proposals(connection, _before(now, keep.proposals)),
        }
    with office.writing_accounts(author.actor, "retention") as connection:
        found["security_log"] = _security_log(connection, _before(now, keep.security_log))
        found["access"] = _access(connection, _before(now, keep.access))
        if any(found.values()):
            note(connection, now, SecurityKind.CLEARED, author.actor, "", **found)
    return found


def _before(now: datetime, days: int | None) -> str:
    """Everything before this instant goes; nothing where there is none."""
    return "" if days is None else instant(now - timedelta(days=days))


def _originals(office: Office, connection: Connection, author: Author, before: str) -> int:
    """Files of events of which nothing waits; their commitments stay."""
    record = Record(connection, last_act_of(connection, None))
    document, act = tables.document, tables.act
    came = select(document.c.event_id, document.c.digest).join_from(document, act, document.c.act == act.c.seq)
    rows = connection.execute(came.where(act.c.at < before).order_by(document.c.event_id)).all() if before else []
    old = [digest for event_id, digest in rows if not digest.startswith("erased") and not _waits(record, event_id)]
    if not old:
        return 0
    change = Change(EntryKind.ERASE, "retention", {"members": [], "originals": len(old)})
    made = append(connection, office.clock, author._replace(reason=author.reason or "no longer kept"), change)
    drop_originals(connection, made, old)
    return len(old)


def _waits(record: Record, event_id: str) -> bool:
    is_held = any(one.state is State.HELD for one in record.headings_of(event_id))
    return is_held or bool(record.requests(event_id))


def _proposals(connection: Connection, before: str) -> int:
    table = account_tables.proposal.c
    old = (table.state != ProposalState.OPEN.value) & (table.settled_at < before)
    return connection.execute(delete(account_tables.proposal).where(old)).rowcount if before else 0


def _security_log(connection: Connection, before: str) -> int:
    table = account_tables.security_log
    rows: list[Mapping[Any, Any]] = []
    if before:
        query = select(table).where(table.c.at < before)
        rows = [row for row in connection.execute(query).mappings() if len(row["salt"]) < len(NO_HASH)]
    with unguarded(connection, [table] if rows else []):
        for row in rows:
            new = {"actor": "", "subject": "", "details": "{}", "salt": hidden_texts(row)}
            connection.execute(update(table).where(table.c.seq == row["seq"]).values(new))
    return len(rows)


def _access(connection: Connection, before: str) -> int:
    if not before:
        return 0
    token, session, tried = account_tables.token, account_tables.session, account_tables.failed_login
    over = or_(token.c.expires < before, token.c.revoked < before)
    statements = (
        delete(token).where(over),
        delete(session).where(session.c.expires < before),
        delete(tried).where(tried.c.at < before),
        delete(account_tables.job).where(account_tables.job.c.ended < before),
    )
    return sum(int(connection.execute(one).rowcount) for one in statements)

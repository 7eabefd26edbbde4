"""Settings of an office, each on or off, kept in the record by journal entries of their own."""

import json

from sqlalchemy import Connection, select

from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.journal import Author, Change, EntryKind, append
from crosstable.office.rounding import DECIMALS, WHOLE

PUBLIC_DECIMALS = "public_decimals"
MEMBERSHIPS = "memberships"
# Every setting, and what it means where it is on; all are off until the office switches them on.
SETTINGS = {
    PUBLIC_DECIMALS: "the public sees two decimals of ratings",
    MEMBERSHIPS: "sections with a player who was no member are held",
}


def is_on(connection: Connection, setting: str, through: int | None = None) -> bool:
    """Whether a setting is on, as known at a journal entry or now."""
    act = tables.act.c
    query = select(act.after).where(act.kind == EntryKind.SETTINGS.value).order_by(act.seq.desc())
    if through is not None:
        query = query.where(act.seq <= through)
    said = (json.loads(after) for after in connection.execute(query).scalars())
    return next((bool(one[setting]) for one in said if setting in one), False)


def public_places(connection: Connection, through: int | None = None) -> int:
    """To how many places the public sees ratings."""
    return DECIMALS if is_on(connection, PUBLIC_DECIMALS, through) else WHOLE


def switch(office: Office, author: Author, setting: str, *, on: bool) -> int | None:
    """Switch a setting on or off; returns the journal entry, nothing where it is so already."""
    with office.writing(author.actor, "settings") as connection:
        before = is_on(connection, setting)
        if before is on:
            return None
        change = Change(EntryKind.SETTINGS, setting.replace("_", " "), {setting: on}, {setting: before})
        return append(connection, office.clock, author, change)

"""Settings of an office, kept in the record by acts of their own: whether the public sees decimals of ratings."""

import json

from sqlalchemy import Connection, select

from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.journal import Author, Change, EntryKind, append
from crosstable.office.public import DECIMALS, WHOLE

_DECIMALS = "public_decimals"


def shows_decimals(connection: Connection, through: int | None = None) -> bool:
    """Whether the office shows decimals in public, as known at an act or now; it does not unless it says so."""
    act = tables.act.c
    query = select(act.after).where(act.kind == EntryKind.SETTINGS.value).order_by(act.seq.desc()).limit(1)
    if through is not None:
        query = query.where(act.seq <= through)
    found = connection.execute(query).scalar()
    return found is not None and bool(json.loads(found)[_DECIMALS])


def public_places(connection: Connection, through: int | None = None) -> int:
    """To how many places the public sees ratings."""
    return DECIMALS if shows_decimals(connection, through) else WHOLE


def show_decimals(office: Office, author: Author, *, is_on: bool) -> int | None:
    """Switch public decimals on or off; returns the act, nothing where they are so already."""
    with office.writing(author.actor, "settings") as connection:
        before = shows_decimals(connection)
        if before is is_on:
            return None
        change = Change(EntryKind.SETTINGS, "public decimals", {_DECIMALS: is_on}, {_DECIMALS: before})
        return append(connection, office.clock, author, change)

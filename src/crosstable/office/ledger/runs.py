"""Runs as they are recorded: what a run did, which was the last, and the state of the office after it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from crosstable.office import tables
from crosstable.office.ledger.postings import Key
from crosstable.terms import PlayerRating, RatingSystem

# How postings are encoded for their digests; runs of before wrote nothing and took JSON.
DIGESTS = 2


class RatingChange(NamedTuple):
    """What a run did to one member's rating in one system: the record before and after, by which sections and why."""

    member_id: str
    system: RatingSystem
    before: PlayerRating | None
    after: PlayerRating | None
    sections: tuple[tuple[str, int], ...]
    causes: tuple[int, ...]


class Run(NamedTuple):
    """A run as it was posted."""

    act: int
    sections: int
    postings: int
    ripple: Sequence[RatingChange]
    unratable: Mapping[Key, str]


def last_run(connection: Connection, through: int | None = None) -> int:
    """The journal entry of the newest run, or of the newest up to an entry; 0 where none was."""
    query = select(func.max(tables.run.c.act))
    return connection.execute(query if through is None else query.where(tables.run.c.act <= through)).scalar() or 0

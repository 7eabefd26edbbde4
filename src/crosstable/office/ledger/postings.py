"""Postings: what one section, or one decision, did to one member's rating in one system; written once, never changed.

A posting holds the standing before and after and the working of the final pass. A later run that finds another result
writes a new posting that supersedes the old one; both stay. A posting without a rating after says that the section no
longer rates the member.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Date, Float, Row, Select, delete, func, insert, select

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.folding import DAWN as DAWN
from crosstable.folding import OWN as OWN
from crosstable.folding import Key as Key
from crosstable.office import tables
from crosstable.office.ledger.acts import canonical
from crosstable.record_rows import POSTED, posted_name, rating_from, row_of
from crosstable.terms import FloorKind, Formula, PlayerRating, RatingSystem

# Databases take only so many values in one statement.
CHUNK = 500
NO_EVENT = ""
_MODULUS = 1 << 256


class PostingKey(NamedTuple):
    """What a posting is about: at most one posting about it is current."""

    member_id: str
    system: RatingSystem
    event_id: str
    section: int


class Posting(NamedTuple):
    """A posting as it stands in its table, without its number, its run and what it supersedes."""

    member_id: str
    system: RatingSystem
    event_id: str
    section: int
    ended: date
    started: date
    rating_before: float | None = None
    games_before: float | None = None
    rating_after: float | None = None
    games_after: float | None = None
    wins: int | None = None
    draws: int | None = None
    losses: int | None = None
    events: int | None = None
    peak: float | None = None
    peak_since_2010: float | None = None
    games_at_2200: int | None = None
    match_changes: str | None = None
    lowered_floor: float | None = None
    as_of: date | None = None
    number: int | None = None
    prior: float | None = None
    start_games: float | None = None
    start_sources: str | None = None
    formula: int | None = None
    played: int | None = None
    score: float | None = None
    effective: float | None = None
    k: float | None = None
    expected: float | None = None
    bonus: float | None = None
    computed: float | None = None
    floor_kind: int | None = None
    floor_level: float | None = None
    requested_floor: float | None = None
    norm: str | None = None
    assumed: str | None = None

    @property
    def key(self) -> Key:
        """Where the posting stands in the fold."""
        return Key(self.ended, self.started, self.event_id, self.section)

    @property
    def about(self) -> PostingKey:
        """What the posting is about."""
        return PostingKey(self.member_id, self.system, self.event_id, self.section)

    @property
    def standing(self) -> PlayerRating | None:
        """The standing after, nothing where the section no longer rates the member."""
        if self.rating_after is None:
            return None
        return rating_from({name: getattr(self, posted_name(name)) for name in POSTED}, POSTED)

    @property
    def fingerprint(self) -> int:
        """A number of 256 bits for this content; the sum of all current ones is the state of the office."""
        values: list[Any] = list(self)
        for at in _REAL:  # as a database gives them back: 40 games are 40.0, and there is one zero
            if values[at] is not None:
                values[at] += 0.0
        for at in _DAYS:
            if values[at] is not None:
                values[at] = values[at].isoformat()
        return int.from_bytes(hashlib.sha256(canonical(values).encode()).digest(), "big")


COLUMNS = [tables.posting.c[name] for name in Posting._fields]
_REAL = tuple(at for at, column in enumerate(COLUMNS) if isinstance(column.type, Float))
_DAYS = tuple(at for at, column in enumerate(COLUMNS) if isinstance(column.type, Date))


class Stored(NamedTuple):
    """A posting with its number."""

    posting_id: int
    posting: Posting


def state_digest(total: int) -> str:
    """The state of the office as its digest: the sum of the fingerprints of all current postings."""
    return f"{total % _MODULUS:064x}"


def postings_of(rated: RatedSection, key: Key) -> Iterator[Posting]:
    """A posting per member who played a rated game; both rows of a re-entry are one posting."""
    seen: set[str] = set()
    for player in rated.players:
        if player.member_id and player.played and player.member_id not in seen:
            seen.add(player.member_id)
            yield _posting(rated, player, key)


def posting_of_standing(about: PostingKey, key: Key, before: PlayerRating | None, after: PlayerRating) -> Posting:
    """A posting that an opening or a decision makes: no game was played."""
    return Posting(
        *about,
        ended=key.ended,
        started=key.started,
        rating_before=None if before is None else before.rating,
        games_before=None if before is None else before.games,
        **_after(after),
    )


def _after(after: PlayerRating) -> dict[str, Any]:
    return {posted_name(name): value for name, value in row_of(after, POSTED).items()}


def _posting(rated: RatedSection, player: RatedPlayer, key: Key) -> Posting:
    assert player.after is not None
    outcome, final = player.outcome, player.final
    is_standard = player.formula is Formula.STANDARD
    start = player.start
    return Posting(
        member_id=player.member_id,
        system=rated.system,
        event_id=key.event_id,
        section=key.section,
        ended=key.ended,
        started=key.started,
        rating_before=None if player.before is None else player.before.rating,
        games_before=None if player.before is None else player.before.games,
        **_after(player.after),
        number=player.number,
        prior=player.prior,
        start_games=None if start is None else start.initial.games,
        start_sources=None if start is None else canonical([source.source.name for source in start.sources]),
        formula=player.formula.value,
        played=player.played,
        score=player.score,
        effective=player.effective,
        k=final.k if is_standard else None,
        expected=final.expected if is_standard else None,
        bonus=final.bonus if is_standard else None,
        computed=final.computed,
        floor_kind=outcome.floor_kind.value if outcome.floor_kind != FloorKind.NONE else None,
        floor_level=outcome.floor_level if outcome.floor_kind != FloorKind.NONE else None,
        requested_floor=None if math.isnan(outcome.requested_floor) else outcome.requested_floor,
        norm=player.norm,
        assumed=canonical(list(player.assumed)) if player.assumed else None,
    )


def posting_from(row: Row[Any] | Sequence[Any]) -> Posting:
    """A posting from its columns."""
    made = Posting(*row)
    return made._replace(system=RatingSystem(made.system))


def current_where(condition: ColumnElement[bool]) -> Select[Any]:
    """The current postings that a condition on ``current_posting`` picks."""
    current = tables.current_posting
    joined = current.join(tables.posting, tables.posting.c.posting_id == current.c.posting_id)
    return select(tables.posting.c.posting_id, *COLUMNS).select_from(joined).where(condition)


def current_of_members(connection: Connection, members: Iterable[str]) -> Iterator[Stored]:
    """The current postings of members, in no order."""
    for some in chunks(sorted(members)):
        for row in connection.execute(current_where(tables.current_posting.c.member_id.in_(some))):
            yield Stored(row[0], posting_from(row[1:]))


def current_of_section(connection: Connection, event_id: str, number: int) -> list[Stored]:
    """The current postings of a section, in the order in which they were written."""
    current = tables.current_posting
    wanted = current_where((current.c.event_id == event_id) & (current.c.section == number))
    rows = connection.execute(wanted.order_by(current.c.posting_id))
    return [Stored(row[0], posting_from(row[1:])) for row in rows]


def known_of_members(connection: Connection, members: Iterable[str], run: int) -> Iterator[Stored]:
    """The postings of members that were current after a run, in no order."""
    for some in chunks(sorted(members)):
        yield from all_current(connection, run, tables.posting.c.member_id.in_(some)).values()


def all_current(
    connection: Connection, run: int | None = None, *where: ColumnElement[bool]
) -> dict[PostingKey, Stored]:
    """Every posting that is current, or that was current after a run; from the postings, not from the cache."""
    wanted = select(func.max(tables.posting.c.posting_id).label("newest")).where(*where)
    if run is not None:
        wanted = wanted.where(tables.posting.c.run <= run)
    newest = wanted.group_by(*(tables.posting.c[name] for name in PostingKey._fields)).subquery()
    query = select(tables.posting.c.posting_id, *COLUMNS).join(newest, newest.c.newest == tables.posting.c.posting_id)
    found = {}
    for row in connection.execute(query):
        posting = posting_from(row[1:])
        if posting.rating_after is not None:
            found[posting.about] = Stored(row[0], posting)
    return found


def chunks(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Values in portions that a statement takes."""
    for at in range(0, len(values), CHUNK):
        yield values[at : at + CHUNK]


class Entering(NamedTuple):
    """A new posting and the one it supersedes."""

    posting: Posting
    old: Stored | None


def post(connection: Connection, run: int, entering: Sequence[Entering]) -> None:
    """Write postings of a run and make them current. The caller's transaction makes it all or nothing."""
    first = (connection.execute(select(func.max(tables.posting.c.posting_id))).scalar() or 0) + 1
    rows = [
        {
            "posting_id": first + at,
            "run": run,
            "supersedes": None if one.old is None else one.old.posting_id,
            **one.posting._asdict(),
            "system": int(one.posting.system),
        }
        for at, one in enumerate(entering)
    ]
    if not rows:
        return
    connection.execute(insert(tables.posting), rows)
    _make_current(connection, rows)


def _make_current(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    current = tables.current_posting
    old = sorted(row["supersedes"] for row in rows if row["supersedes"] is not None)
    for at in range(0, len(old), CHUNK):
        connection.execute(delete(current).where(current.c.posting_id.in_(old[at : at + CHUNK])))
    fresh = [
        {name: row[name] for name in (*PostingKey._fields, "posting_id")}
        for row in rows
        if row["rating_after"] is not None
    ]
    if fresh:
        connection.execute(insert(current), fresh)


def rebuild_current(connection: Connection) -> None:
    """Make the cache of current postings anew from the postings."""
    connection.execute(delete(tables.current_posting))
    fresh = [
        {**about._asdict(), "system": int(about.system), "posting_id": stored.posting_id}
        for about, stored in all_current(connection).items()
    ]
    if fresh:
        connection.execute(insert(tables.current_posting), fresh)

"""Postings: what one section, or one decision, did to one member's rating in one system; written once, never changed.

A posting holds the standing before and after and the working of the final pass. A later run that finds another result
writes a new posting that supersedes the old one; both stay. A posting without a rating after says that the section no
longer rates the member.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    and_,
    cast,
    collate,
    column,
    func,
    literal,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.types import TypeEngine

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.office import tables
from crosstable.office.ledger.digests import layout_of
from crosstable.office.ledger.journal import canonical
from crosstable.record_rows import POSTED, posted_name, rating_from, row_of, with_posted
from crosstable.replaying import DAWN as DAWN
from crosstable.replaying import OWN as OWN
from crosstable.replaying import Key as Key
from crosstable.terms import FloorKind, Formula, PlayerRating, RatingSystem

# Databases take only so many values in one statement.
CHUNK = 500


class PostingKey(NamedTuple):
    """What a posting is about: at most one posting about it is current."""

    member_id: str
    system: RatingSystem
    event_id: str
    section: int


@with_posted
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
        return int.from_bytes(LAYOUT.digest(self), "big")


COLUMNS = [tables.posting.c[name] for name in Posting._fields]
LAYOUT = layout_of(COLUMNS)


class Stored(NamedTuple):
    """A posting with its number."""

    posting_id: int
    posting: Posting


def postings_of(rated: RatedSection) -> Iterator[Posting]:
    """A posting per member who played a rated game; both rows of a re-entry are one posting."""
    seen: set[str] = set()
    for player in rated.players:
        if player.member_id and player.played and player.member_id not in seen:
            seen.add(player.member_id)
            yield _posting(rated, player)


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


def _posting(rated: RatedSection, player: RatedPlayer) -> Posting:
    assert player.after is not None
    key, outcome, final = rated.section.key, player.outcome, player.final
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
    member_id, system, *rest = tuple[Any, ...](row)
    return Posting(member_id, RatingSystem(system), *rest)


def is_current(run: int | None = None) -> ColumnElement[bool]:
    """Whether a posting is current, or was after a run: it has a rating after, and no other supersedes it."""
    posting, later = tables.posting.c, tables.posting.alias("later")
    superseding = select(later.c.posting_id).where(later.c.supersedes == posting.posting_id)
    if run is None:
        return and_(posting.rating_after.is_not(None), ~superseding.exists())
    superseded = superseding.where(later.c.run <= run).exists()
    return and_(posting.rating_after.is_not(None), posting.run <= run, ~superseded)


def rows_asked(connection: Connection, rows: str, types: Mapping[str, TypeEngine[Any]]) -> FromClause:
    """Rows, a JSON list of objects, as something that a statement may join."""
    if connection.dialect.name == "postgresql":
        columns = [column(name, kind) for name, kind in types.items()]
        return (
            func.json_to_recordset(cast(literal(rows), JSON))
            .table_valued(*columns, name="asked")
            .render_derived(with_types=True)
        )
    each = func.json_each(literal(rows)).table_valued("value", name="each")
    return select(
        *(func.json_extract(each.c.value, f"$.{name}", type_=kind).label(name) for name, kind in types.items())
    ).subquery("asked")


def last_before(
    connection: Connection,
    wanted: FromClause,
    names: Iterable[str],
    day: date | None = None,
    run: int | None = None,
) -> Select[Any]:
    """A query for the last posting of members in every system before a day, or each before a key of their own.

    Of those that are current, or that were after a run.
    """
    posting = tables.posting
    systems = union_all(*(select(literal(int(system)).label("system")) for system in RatingSystem)).subquery("systems")
    is_theirs = (posting.c.member_id == wanted.c.member_id) & (posting.c.system == systems.c.system)
    key = _in_order(connection, posting)
    if day is None:
        is_before: ColumnElement[bool] = (posting.c.ended <= wanted.c.ended) & (
            tuple_(*key) < tuple_(*_in_order(connection, wanted))
        )
    else:
        is_before = posting.c.ended < day
    last = select(posting.c.posting_id).where(is_theirs, is_before, is_current(run))
    last = last.order_by(*(one.desc() for one in key)).limit(1).correlate(wanted, systems)
    numbers = select(last.scalar_subquery().label("posting_id")).select_from(wanted.join(systems, literal(True)))
    found = numbers.subquery("found")
    return select(*(posting.c[name] for name in names)).join(found, found.c.posting_id == posting.c.posting_id)


def _in_order(connection: Connection, keyed: FromClause) -> list[ColumnElement[Any]]:
    """The columns of a key; the texts of a server may have another order than those of Python."""
    is_server = connection.dialect.name == "postgresql"
    columns: list[ColumnElement[Any]] = [keyed.c[name] for name in Key._fields]
    return [collate(one, "C") if is_server and one.name == "event_id" else one for one in columns]


def last_of_members(connection: Connection, members: Iterable[str], key: Key) -> Iterator[Posting]:
    """The last current posting of members in every system before a key."""
    rows = canonical([{"member_id": one, **key._asdict()} for one in members])
    wanted = rows_asked(connection, rows, {name: tables.posting.c[name].type for name in ("member_id", *Key._fields)})
    for row in connection.execute(last_before(connection, wanted, Posting._fields)):
        yield posting_from(row)


def current_of_members(connection: Connection, members: Iterable[str], run: int | None = None) -> Iterator[Stored]:
    """The postings of members that are current, or were after a run, in no order."""
    for some in chunks(sorted(members)):
        yield from all_current(connection, run, tables.posting.c.member_id.in_(some)).values()


def current_of_section(connection: Connection, event_id: str, number: int) -> list[Stored]:
    """The current postings of a section, in the order in which they were written."""
    posting = tables.posting.c
    return [*all_current(connection, None, posting.event_id == event_id, posting.section == number).values()]


def all_current(
    connection: Connection, run: int | None = None, *where: ColumnElement[bool]
) -> dict[PostingKey, Stored]:
    """Every posting that is current, or that was current after a run, in the order in which they were written."""
    query = select(tables.posting.c.posting_id, *COLUMNS).where(is_current(run), *where)
    stored = (Stored(row[0], posting_from(row[1:])) for row in connection.execute(query.order_by("posting_id")))
    return {one.posting.about: one for one in stored}


def chunks(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Values in portions that a statement takes."""
    for at in range(0, len(values), CHUNK):
        yield values[at : at + CHUNK]

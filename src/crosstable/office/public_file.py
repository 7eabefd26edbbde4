"""A member's whole public file, read in a handful of statements: a site is asked for members more than for all else.

What is the same for everybody is read once (decisions, openings that set floors); a member's own statements are made
once and only bound. Somebody under several ids is read the long way, through the questions of ``public``; both
ways give the same.
"""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, func, select

from crosstable.office import tables
from crosstable.office.ledger.backgrounds import MemberDecisions
from crosstable.office.ledger.facts import Decision, Record, State, cells_of
from crosstable.office.ledger.postings import COLUMNS, OWN, Posting, PostingKey, chunks, is_current
from crosstable.office.public import (
    PublicMember,
    PublicOffice,
    PublicPosting,
    PublicSystem,
    Shown,
    public_posting,
    shown,
)
from crosstable.office.public_index import Listed
from crosstable.office.titles import Norm, Version, merits_of_versions, norms_of
from crosstable.office.views import StoredChange, standing_floor_of
from crosstable.terms import GAME_SCORES, FloorKind, RatingSystem

_posting, _ripple, _listed = tables.posting.c, tables.ripple.c, tables.supplement_row.c
_VERSIONS = (
    select(_posting.run, *COLUMNS)
    .where(_posting.member_id == bindparam("member"), _posting.run <= bindparam("run"))
    .order_by(_posting.posting_id)
)
_MOVE = select(_ripple.rating_before, _ripple.rating_after, _ripple.sections, _ripple.causes).where(
    _ripple.run == bindparam("run"), _ripple.member_id == bindparam("member"), _ripple.system == bindparam("system")
)
_OFFICIAL = select(_listed.system, _listed.rating, _listed.games).where(
    _listed.month == bindparam("month"), _listed.member_id == bindparam("member")
)
_SYSTEMS = {int(system): system for system in RatingSystem}


class PublicFile(NamedTuple):
    """A member, every posting of theirs in order, their norms, and what moved them though they did not play.

    ``moves`` are newest first, as the office has them.
    """

    member: PublicMember
    postings: tuple[PublicPosting, ...]
    norms: tuple[Norm, ...]
    moves: tuple[StoredChange, ...]


class PublicGame(NamedTuple):
    """A rated game of a member in one system: where, in which round, with what colour and result, against whom.

    ``before`` is the opponent's rating before the section, ``own`` the member's.
    """

    event_id: str
    section: int
    round: int
    score: float
    colour: str
    opponent_id: str
    opponent_name: str
    own: Shown | None
    before: Shown | None


class PublicFiles:
    """The public files of an office at one state of its record."""

    def __init__(self, office: PublicOffice, connection: Connection, record: Record, month: str | None) -> None:
        """``month`` is that of the newest list."""
        self._office = office
        self._connection = connection
        self._run = office.run
        self._month = month
        self._record = record
        self._member_decisions = MemberDecisions(record)
        self._decisions: dict[str, list[Decision]] = {}
        decided = record.decisions()
        for decision in decided:
            self._decisions.setdefault(record.one_id(decision.member_id), []).append(decision)
        self._by_act = {decision.act: decision for decision in decided}
        floored = {
            one.member_id for one in record.openings() if one.standing.floors or one.standing.ceiling is not None
        }
        self._member_decisions.know({record.one_id(one) for one in (*self._decisions, *floored)})

    def decision(self, act: int) -> Decision | None:
        """The decision that a posting of a member's own comes from."""
        return self._by_act.get(act)

    def file(self, listed: Listed) -> PublicFile:
        """The file of a member."""
        versions = self._versions(listed.member_id)
        moves = tuple(self._moves(listed, versions))
        if listed.also:
            member = self._office.member(listed.member_id)
            every = tuple(norms_of(self._connection, listed.member_id))
            return PublicFile(member, tuple(self._office.postings(listed.member_id)), every, moves)
        postings = self._postings(versions)
        norms, titles = merits_of_versions(versions, self._decisions.get(listed.member_id, ()))
        systems = tuple(self._systems(listed.member_id, postings))
        member = PublicMember(listed.member_id, (), listed.name, listed.state, listed.fide_id, systems, tuple(titles))
        public = tuple(self._public(posting) for posting in postings)
        return PublicFile(member, public, tuple(norms), moves)

    def _versions(self, member_id: str) -> list[Version]:
        rows = self._connection.execute(_VERSIONS, {"member": member_id, "run": self._run})
        return [Version(run, Posting(member, _SYSTEMS[system], *rest)) for run, member, system, *rest in rows]

    @staticmethod
    def _postings(versions: Sequence[Version]) -> list[Posting]:
        """What is current: the newest version about each thing, unless it says that nothing is left."""
        newest: dict[PostingKey, Posting] = {version.posting.about: version.posting for version in versions}
        current = [posting for posting in newest.values() if posting.rating_after is not None]
        return sorted(current, key=lambda posting: (posting.key, posting.system))

    def _public(self, posting: Posting) -> PublicPosting:
        return public_posting(posting, self._office.places)

    def _systems(self, member_id: str, postings: Sequence[Posting]) -> Iterator[PublicSystem]:
        last = {posting.system: posting for posting in postings}
        official = self._official(member_id) if last else {}
        for system in sorted(last):
            live = self._public(last[system]).after
            assert live is not None
            _, floor = standing_floor_of(self._member_decisions, last[system], member_id)
            listed = official.get(system)
            rating = None if listed is None else shown(float(listed[0]), listed[1])
            is_held = floor.kind is not FloorKind.NONE
            yield PublicSystem(system, live, rating, self._month if rating else None, floor if is_held else None)

    def _official(self, member_id: str) -> dict[RatingSystem, tuple[int, float | None]]:
        if self._month is None:
            return {}
        rows = self._connection.execute(_OFFICIAL, {"month": self._month, "member": member_id})
        return {RatingSystem(system): (rating, games) for system, rating, games in rows}

    def _moves(self, listed: Listed, versions: Sequence[Version]) -> Iterator[StoredChange]:
        """The runs in which nothing of a member was rated for the first time, and yet something of theirs anew."""
        first: dict[PostingKey, int] = {}
        touched: dict[tuple[int, RatingSystem], set[PostingKey]] = {}
        for run, posting in versions:
            first.setdefault(posting.about, run)
            touched.setdefault((run, posting.system), set()).add(posting.about)
        for (run, system), abouts in sorted(touched.items(), reverse=True):
            if all(first[about] < run for about in abouts):
                yield from self._move(listed, run, system)

    def _move(self, listed: Listed, run: int, system: RatingSystem) -> Iterator[StoredChange]:
        asked = {"run": run, "member": listed.member_id, "system": int(system)}
        found = self._connection.execute(_MOVE, asked).first()
        if found is None or found[0] == found[1]:
            return
        before, after, sections, causes = found
        through = tuple((event_id, section) for event_id, section in json.loads(sections))
        yield StoredChange(
            run, listed.member_id, listed.name, system, before, after, through, tuple(json.loads(causes))
        )

    def games(self, listed: Listed, postings: Sequence[PublicPosting], system: RatingSystem) -> list[PublicGame]:
        """The games of a member in a system, in the order of the replay and of the rounds."""
        mine = [one for one in postings if one.posting.system is system and not one.posting.event_id.startswith(OWN)]
        ratings = self._brought({one.posting.event_id for one in mine}, system)
        rows = self._entries({one.posting.event_id for one in mine}, {listed.member_id, *listed.also})
        found = []
        for one in mine:
            place = one.posting.event_id, one.posting.section
            others = rows.get(place, {})
            for member_id, _, rounds in others.values():
                if member_id != listed.member_id or not rounds:
                    continue
                for at, cell in enumerate(cells_of(rounds), start=1):
                    if cell.result is None or not cell.result.is_game or cell.opponent not in others:
                        continue
                    who, name, _ = others[cell.opponent]
                    before = ratings.get((*place, who))
                    score = GAME_SCORES[cell.result]
                    found.append(PublicGame(*place, at, score, cell.colour, who, name, one.before, before))
        return found

    def _brought(self, events: set[str], system: RatingSystem) -> dict[tuple[str, int, str], Shown | None]:
        """What everybody brought to the sections of events."""
        names = (_posting.event_id, _posting.section, _posting.member_id, _posting.rating_before, _posting.games_before)
        found = {}
        for some in chunks(sorted(events)):
            where = _posting.event_id.in_(some), _posting.system == int(system), is_current(self._run)
            for event_id, section, member, rating, games in self._connection.execute(select(*names).where(*where)):
                found[event_id, section, member] = shown(rating, games, self._office.places)
        return found

    def _entries(self, events: set[str], ids: set[str]) -> dict[tuple[str, int], dict[int, tuple[str, str, str]]]:
        """The rows of those sections of events in which somebody has a row: member, name, and their own rounds."""
        entry, section, own = tables.entry.c, tables.section.c, tables.entry.alias("own").c
        found: dict[tuple[str, int], dict[int, tuple[str, str, str]]] = {}
        for some in chunks(sorted(events)):
            stands = section.act <= self._run, section.state != State.REQUESTED.value
            newest = (
                select(section.event_id, section.number, func.max(section.act).label("act"))
                .where(section.event_id.in_(some), *stands)
                .group_by(section.event_id, section.number)
                .subquery()
            )
            place = and_(
                newest.c.event_id == entry.event_id, newest.c.number == entry.section, newest.c.act == entry.act
            )
            is_there = select(own.row).where(
                own.event_id == entry.event_id,
                own.section == entry.section,
                own.act == entry.act,
                own.member_id.in_(ids),
            )
            columns = entry.event_id, entry.section, entry.number, entry.member_id, entry.name, entry.rounds
            query = select(*columns).join(newest, place).where(is_there.exists()).order_by(entry.row)
            for event_id, number, row, member, name, rounds in self._connection.execute(query):
                root = self._record.one_id(member)
                rows = found.setdefault((event_id, number), {})
                rows[row] = (root, name, rounds if member in ids else "")
        return found

"""Rating runs: from the first section touched, only what changed, posted in one transaction, with its ripple.

What is pending is a function of the record: the acts after the last run. Nothing marks sections, so nothing can be
forgotten by a crash: a run that did not finish left no trace, and the next one finds the same acts.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, insert, select

from crosstable import __version__
from crosstable.engine import RatedSection
from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.acts import ActKind, Change, Deed, append, canonical, digest_of, head, last_act_of
from crosstable.office.ledger.chains import Chains
from crosstable.office.ledger.facts import Heading, Record, State
from crosstable.office.ledger.fold import Progress, Standings, Step, Taken, Walk, in_silence, portions, steps_of
from crosstable.office.ledger.postings import (
    Entering,
    Key,
    Posting,
    Stored,
    current_of_section,
    post,
    state_digest,
)
from crosstable.office.ledger.touched import Ghost, Touched, touched_since
from crosstable.office.ledger.watching import LONG, StageClock, Watch, can_be_long
from crosstable.terms import PlayerRating, RatingSystem

# A long run looks at more than this part of the record; less is sooner done by reading that part alone.
LONG_SHARE = 25
# Of so many acts a run says which are behind each change; of more it names those that touch a section or a member.
MOST_FOLLOWED = 500
Causes = frozenset[int]
MemberSystem = tuple[str, RatingSystem]


class RippleLine(NamedTuple):
    """What a run did to one member in one system: the standing before and after, by which sections, by which acts."""

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
    ripple: Sequence[RippleLine]
    unratable: Mapping[Key, str]


class _Moved(NamedTuple):
    """A standing that differs from the recorded one at this place of the fold, and the acts that made it so."""

    standing: PlayerRating | None
    causes: Causes


def rerate(
    office: Office, deed: Deed, progress: Progress = in_silence, *, patience: float = 30.0, watch: Watch | None = None
) -> Run | None:
    """Rate what the acts since the last run touched; nothing is written where there is nothing to rate."""
    with office.writing(deed.actor, "rating run", patience) as connection:
        return rate_pending(office, connection, deed, watch or Watch(progress, StageClock()))


def rate_pending(office: Office, connection: Connection, deed: Deed, watch: Watch) -> Run | None:
    """A run inside a transaction that is already open; a long one goes through the compiled replay."""
    last = head(connection)
    assert last is not None
    record = Record(connection, last.seq)
    run = last_run(connection)
    if not can_be_long():
        watch = watch._replace(long=sys.maxsize)
    if _sections_since(connection, run) > watch.long:
        return _long_run(office, connection, deed, run, watch)
    with watch.clock.timed("find what is touched"):
        touched = touched_since(record, run)
    if touched is None:
        return None
    if _is_long(connection, touched, watch.long):
        return _long_run(office, connection, deed, run, watch)
    replay = _Replay(record, touched)
    with watch.clock.timed("rate"):
        replay.go(watch.progress)
    with watch.clock.timed("post"):
        return replay.posted(office, connection, deed, last.digest)


def sections_ahead(connection: Connection) -> int:
    """About how many sections a run will look at."""
    run = last_run(connection)
    if _sections_since(connection, run) > LONG:
        return _sections(connection)
    touched = touched_since(Record(connection, last_act_of(connection, None)), run)
    return 0 if touched is None else _sections(connection, tables.section.c.ended >= touched.first.ended)


def _sections(connection: Connection, *where: ColumnElement[bool]) -> int:
    return connection.execute(select(func.count()).select_from(tables.section).where(*where)).scalar_one()


def _sections_since(connection: Connection, run: int) -> int:
    """How many versions of sections acts wrote after a run."""
    table = tables.section
    return _sections(connection, table.c.act > run, table.c.state != State.REQUESTED.value)


def _is_long(connection: Connection, touched: Touched, long: int) -> bool:
    """Whether enough stands after the first place that is touched to read everything at once; 0: always."""
    ahead = _sections(connection, tables.section.c.ended >= touched.first.ended)
    return not long or ahead > max(long, _sections(connection) // LONG_SHARE)


def _long_run(office: Office, connection: Connection, deed: Deed, run: int, watch: Watch) -> Run:
    from crosstable.office.bulk.run import long_run

    return long_run(office, connection, deed, run, watch)


def last_run(connection: Connection) -> int:
    """The act of the newest run, 0 where none was."""
    newest = connection.execute(select(tables.run.c.act).order_by(tables.run.c.act.desc()).limit(1)).scalar()
    return newest or 0


class _Replay:
    """The steps from the first one touched; ``moved`` holds every standing that is no longer the recorded one."""

    def __init__(self, record: Record, touched: Touched) -> None:
        self.record = record
        self.touched = touched
        self.chains = Chains(record.connection)
        self.walk = Walk(record, self.standings)
        self._follows = len(touched.acts) <= MOST_FOLLOWED
        self.moved: dict[MemberSystem, _Moved] = {}
        self.entering: list[Entering] = []
        self.causes: dict[MemberSystem, Causes] = {}
        self.rated: dict[Key, Sequence[RatedSection]] = {}
        self.unratable: dict[Key, str] = {}

    def standings(self, member: str, key: Key) -> Standings:
        """A member's standings before a place of the fold: the recorded ones, but for those that moved."""
        found = dict(self.chains.before(member, key))
        for system in RatingSystem:
            moved = self.moved.get((member, system))
            if moved is not None and moved.standing is not None:
                found[system] = moved.standing
            elif moved is not None:
                found.pop(system, None)
        return found

    def go(self, progress: Progress) -> None:
        """Take every step that is touched, or that reads a standing that moved."""
        first = self.touched.first
        steps = [step for step in steps_of(self.record, since=first.ended) if step.key >= first]
        ghosts = sorted(self.touched.ghosts, key=lambda ghost: (ghost.key, ghost.stored.posting_id))
        done = 0
        for portion in portions(steps):
            self.walk.prepare(portion)
            self._load(portion, ghosts)
            for step in portion:
                while ghosts and ghosts[0].key <= step.key:
                    self._lay(ghosts.pop(0))
                self._consider(step)
            done += len(portion)
            progress(done)
        self.chains.load({ghost.stored.posting.member_id for ghost in ghosts})
        for ghost in ghosts:
            self._lay(ghost)

    def _load(self, portion: Sequence[Step], ghosts: Sequence[Ghost]) -> None:
        members = {member for step in portion for member in self.walk.members_of(step)}
        self.chains.load(members | {ghost.stored.posting.member_id for ghost in ghosts})

    def _consider(self, step: Step) -> None:
        members = self.walk.members_of(step)
        causes = self.touched.causes_of(step, members)
        places = ((member, system) for member in members for system in RatingSystem)
        moved = [self.moved[place] for place in places if place in self.moved]
        if self._follows:
            causes = causes.union(*(one.causes for one in moved))
        if causes or moved:
            self._take(step, causes)

    def _take(self, step: Step, causes: Causes) -> None:
        taken = self.walk.take(step)
        if taken.unratable:
            self.unratable[step.key] = taken.unratable
        old = {stored.posting.about: stored for stored in self._posted_before(step)}
        changed = False
        for posting in taken.postings:
            changed |= self._compare(posting, old.pop(posting.about, None), causes)
        for stored in old.values():
            self._remove(stored, step.key, causes)
        if changed or old:
            self._note(step, taken)

    def _posted_before(self, step: Step) -> list[Stored]:
        """What is posted at this step's place: an opening or a decision is about one system."""
        found = current_of_section(self.record.connection, step.key.event_id, step.key.section)
        if isinstance(step, Heading):
            return found
        return [stored for stored in found if stored.posting.system is step.system]

    def _compare(self, posting: Posting, stored: Stored | None, causes: Causes) -> bool:
        place = posting.member_id, posting.system
        if stored is not None and stored.posting == posting:
            self.moved.pop(place, None)  # from here on the record is right again
            return False
        self.entering.append(Entering(posting, stored))
        self.moved[place] = _Moved(posting.standing, causes)
        self.causes[place] = self.causes.get(place, frozenset()) | causes
        return True

    def _remove(self, stored: Stored, key: Key, causes: Causes) -> None:
        """The section, or decision, no longer rates this member: a posting without a rating after says so."""
        old = stored.posting
        self.chains.load({old.member_id})
        before = self.standings(old.member_id, key).get(old.system)
        gone = Posting(old.member_id, old.system, old.event_id, old.section, old.ended, old.started)
        self.entering.append(Entering(gone, stored))
        place = old.member_id, old.system
        self.moved[place] = _Moved(before, causes)
        self.causes[place] = self.causes.get(place, frozenset()) | causes

    def _lay(self, ghost: Ghost) -> None:
        """A posting whose place in the fold is no more: what comes after it starts from what stood before it."""
        posting = ghost.stored.posting
        if ghost.is_gone:
            self._remove(ghost.stored, ghost.key, ghost.causes)
            return
        before = self.standings(posting.member_id, ghost.key).get(posting.system)
        self.moved[posting.member_id, posting.system] = _Moved(before, ghost.causes)

    def _note(self, step: Step, taken: Taken) -> None:
        if isinstance(step, Heading):
            self.rated[step.key] = taken.rated

    # posting

    def posted(self, office: Office, connection: Connection, deed: Deed, signature: str) -> Run:
        """Write the run, its postings and its ripple."""
        ripple = tuple(self._ripple())
        before = newest_state(connection)
        total = int(before, 16)
        entered = [one.posting.fingerprint for one in self.entering]
        for one, fingerprint in zip(self.entering, entered, strict=True):
            total -= one.old.posting.fingerprint if one.old is not None else 0
            total += fingerprint if one.posting.rating_after is not None else 0
        after = state_digest(total)
        counts = {
            "engine": __version__,
            "sections": len(self.rated),
            "postings": len(self.entering),
            "entered": digest_of([[f"{fingerprint:064x}"] for fingerprint in entered]),
            "state": after,
        }
        change = Change(ActKind.RATE, "", counts, {"state": before})
        act = append(connection, office.clock, deed, change)
        run = {
            "act": act,
            "engine_version": __version__,
            "signature": signature,
            "sections": len(self.rated),
            "postings": len(self.entering),
            "state_before": before,
            "state_after": after,
        }
        connection.execute(insert(tables.run), run)
        self._write_sections(connection, act)
        post(connection, act, self.entering)
        _write_ripple(connection, act, ripple)
        return Run(act, len(self.rated), len(self.entering), ripple, self.unratable)

    def _write_sections(self, connection: Connection, act: int) -> None:
        rows = [
            {
                "run": act,
                "event_id": key.event_id,
                "section": key.section,
                "system": int(rated.system),
                "edition": rated.edition.name,
                "signature": signature_of(rated),
            }
            for key, sections in self.rated.items()
            for rated in sections
        ]
        if rows:
            connection.execute(insert(tables.rated_section), rows)

    def _ripple(self) -> Iterable[RippleLine]:
        sections: dict[MemberSystem, list[tuple[str, int]]] = {}
        for one in self.entering:
            place = one.posting.member_id, one.posting.system
            sections.setdefault(place, []).append((one.posting.event_id, one.posting.section))
        for place, through in sections.items():
            before = self.chains.last(*place)
            moved = self.moved.get(place)
            after = before if moved is None else moved.standing
            yield RippleLine(*place, before, after, tuple(dict.fromkeys(through)), tuple(sorted(self.causes[place])))


def signature_of(rated: RatedSection) -> str:
    """What went into a rated section: two equal signatures under one edition and engine mean equal results."""
    entered = [
        [player.number, player.member_id, player.before, None if player.start is None else player.start.initial]
        for player in rated.players
    ]
    cells = [[entry.number, entry.cells] for entry in rated.section.entries]
    return digest_of([rated.edition.name, int(rated.system), entered, cells])


def newest_state(connection: Connection) -> str:
    """The state of the office after its last run."""
    run = tables.run
    newest = connection.execute(select(run.c.state_after).order_by(run.c.act.desc()).limit(1)).scalar()
    return newest or state_digest(0)


def _write_ripple(connection: Connection, act: int, ripple: Sequence[RippleLine]) -> None:
    rows = [
        {
            "run": act,
            "member_id": line.member_id,
            "system": int(line.system),
            "rating_before": None if line.before is None else line.before.rating,
            "games_before": None if line.before is None else line.before.games,
            "rating_after": None if line.after is None else line.after.rating,
            "games_after": None if line.after is None else line.after.games,
            "sections": canonical(line.sections),
            "causes": canonical(line.causes),
        }
        for line in ripple
    ]
    if rows:
        connection.execute(insert(tables.ripple), rows)

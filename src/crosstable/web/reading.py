"""The public record, kept at hand: a snapshot per state of the record, made in the background, served until the next.

A snapshot has one connection and one lock: whoever makes a view holds it. What takes long (a list, a ripple, the counts
of all runs) is read on a connection of its own, in a queue, before a view is made; no page works on it while it holds
the lock.
"""

import logging
import math
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import cached_property
from typing import NamedTuple, TypeVar

from crosstable.engine import RatedSection
from crosstable.errors import OfficeError, ReplacedOfficeError
from crosstable.office.database import Office
from crosstable.office.erased import erasures
from crosstable.office.ledger.commitments import head_in
from crosstable.office.ledger.facts import Heading, Record
from crosstable.office.ledger.journal import EntryKind, JournalEntry, act_of, acts, head
from crosstable.office.list_files import ListTable, list_table
from crosstable.office.public import PublicChange, PublicOffice, public_ripple
from crosstable.office.public_file import PublicFiles
from crosstable.office.public_index import (
    Listed,
    ListedEvent,
    Ranks,
    RunLine,
    has_few_postings,
    listed_events,
    listed_members,
    office_name,
    run_days,
    runs,
)
from crosstable.office.settings import WHOLE, Identity, identity
from crosstable.office.supplements import Supplement, supplements
from crosstable.office.time_limits import TooSlowError, still_answers, time_limit
from crosstable.office.top_lists import AgeRanks, TopList, Wanted, age_ranks, top_list
from crosstable.office.views import known, ripple
from crosstable.web.kept_files import Few
from crosstable.web.problems import Problem, replaced
from crosstable.web.search import Index, Places, folded, places_of

LOG = logging.getLogger("crosstable.web")

# Up to so many postings what takes long in a large office is read while somebody waits.
SMALL = 5_000
# Published lists are kept in full up to so many members in all: every list of a small office, three of a large one.
MOST_LISTED = 300_000
# Top lists are kept up to so many rows in all.
MOST_TOP_ROWS = 50_000
# Ripples are kept up to so many lines in all.
MOST_LINES = 200_000
# Sections as they are rated are kept up to so many rows in all.
MOST_RATED = 6_000
# So many acts are kept at hand.
MOST_ACTS = 5_000
# The small line beside a rating goes back so many lists.
MOST_PAST = 13
# A transaction that only reads is begun anew after so many seconds: a server cannot clear up behind it.
TRANSACTION_SECONDS = 5.0
# How long a reader waits for tables that somebody has to themselves, who may wait for our transactions, in seconds.
LOCK_SECONDS = 2.0
# How long a snapshot outlives its successor, in seconds.
GRACE = 30.0
# So many that wait for their end are enough; more of them outlive their successors for as long as this only.
MOST_RETIRED = 5
SHORT_GRACE = 1.0
# How long one statement of a public page may take, in seconds.
STATEMENT_SECONDS = 2.0
# Acts after which members, or events, are found by what they were found by before.
_OF_RATINGS = frozenset({EntryKind.RATE, EntryKind.PUBLISH, EntryKind.SETTINGS})
NOT_ABOUT_MEMBERS = _OF_RATINGS | {EntryKind.SUBMIT, EntryKind.CONFIRM, EntryKind.CORRECT, EntryKind.WITHDRAW}
NOT_ABOUT_EVENTS = _OF_RATINGS | {
    EntryKind.MEMBERS,
    EntryKind.OPENING,
    EntryKind.MERGE,
    EntryKind.UNMERGE,
    EntryKind.DECIDE,
}


Kept = TypeVar("Kept")


class Listing(NamedTuple):
    """A published list, and what is looked for in it: names in plain letters, states."""

    table: ListTable
    names: tuple[str, ...]
    states: list[str]

    @property
    def size(self) -> int:
        """How many members are on it."""
        return 1 + len(self.names)


class TopAsked(NamedTuple):
    """A top list of a month, by what members wished at an act: who asks to be left out is left out at once."""

    month: str
    wanted: Wanted
    members_act: int


class Found(NamedTuple):
    """What only an erasure changes once it was found out: lists, ripples by run and places, runs, top lists, sections.

    Sections stand by event, number, version and run.
    """

    tables: Few[str, Listing]
    ripples: Few[tuple[int, int], list[PublicChange]]
    runs: Few[int, list[RunLine]]
    tops: Few[TopAsked, TopList]
    rated: Few[tuple[str, int, int, int], tuple[RatedSection, ...]]


def nothing_found() -> Found:
    """Before anything was found out."""
    return Found(
        Few(MOST_LISTED, lambda listing: listing.size),
        Few(MOST_LINES, lambda lines: 1 + len(lines)),
        Few(2),
        Few(MOST_TOP_ROWS, lambda top: 1 + len(top.rows)),
        Few(MOST_RATED, lambda some: 1 + sum(len(one.players) for one in some)),
    )


class Snapshot:
    """The record at one act, as anybody may see it. Hold ``lock`` while asking it anything that reads."""

    def __init__(self, office: Office, before: "Snapshot | None" = None) -> None:
        self.lock = threading.RLock()
        self.office = office
        self._acts: dict[int, JournalEntry | None] = {}
        self._open = ExitStack()
        self._begun = time.monotonic()
        self.is_outgrown = False
        self.connection = self._open.enter_context(office.reading())
        newest = head(self.connection)
        assert newest is not None
        self.head: JournalEntry = newest
        self.record: Record
        self.record, self.run = known(self.connection)
        self.tag = f"{newest.seq}-{newest.digest[:16]}"
        rated = act_of(self.connection, self.run)
        self.rated_at = None if rated is None else rated.at
        self.erasures = len(erasures(self.connection))
        is_known = before is not None and before.erasures == self.erasures  # what was found before names who was erased
        self.found: Found = before.found if before is not None and is_known else nothing_found()
        self.public = PublicOffice(self.connection)
        self.identity: Identity = identity(self.connection)
        self.name = self.identity.name or office_name(self.connection)
        self._find_by(before)
        self.lists: list[Supplement] = supplements(self.connection)
        newest_list = self.lists[-1].month if self.lists else None
        is_same = before is not None and before.ranks.month == newest_list
        self.ranks: Ranks = before.ranks if before is not None and is_same else Ranks(self.connection, newest_list)
        # by the wishes of members, who may have changed them
        if before is not None and is_same and before.members_act == self.members_act:
            self.age_ranks: AgeRanks = before.age_ranks
        else:
            self.age_ranks = age_ranks(self.connection, newest_list) if newest_list else {}
        self.files = PublicFiles(self.public, self.connection, self.record, newest_list)
        self.is_small = has_few_postings(self.connection, SMALL)
        # only now: making a snapshot of a large office takes long
        self.limit = time_limit(self.connection, STATEMENT_SECONDS)
        self._open.callback(self.limit.drop)

    def is_still_it(self) -> bool:
        """Whether the record is as it was read, in a transaction that is begun anew where it is old.

        A server keeps every row that its oldest transaction could see. Where the record grew just now, nothing more is
        read here, for it would be of the new one.
        """
        if self.connection.dialect.name == "sqlite" or time.monotonic() - self._begun < TRANSACTION_SECONDS:
            return True
        return self._if_free(self._is_it_anew)

    def _is_it_anew(self) -> bool:
        self._step_back()
        self.is_outgrown = head_in(self.connection) != (self.head.seq, self.head.digest)
        self._begun = time.monotonic()
        return not self.is_outgrown

    def let_go(self) -> None:
        """End the transaction, for which somebody may wait; nothing is read here before it is known to be still it."""
        if self.connection.dialect.name != "sqlite":
            self._if_free(self._step_back)

    def _step_back(self) -> bool:
        self.is_outgrown, self._begun = True, -math.inf
        self.connection.rollback()
        return True

    def _if_free(self, work: Callable[[], bool]) -> bool:
        """What comes of some work; all is well while somebody is asking just now."""
        if not self.lock.acquire(blocking=False):
            return True
        try:
            return work()
        finally:
            self.lock.release()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Nobody else asks meanwhile, and no statement takes long; a problem where one would."""
        if self.is_outgrown:
            raise Problem(503, "The record has grown and is being read; ask again.", headers={"Retry-After": "2"})
        try:
            with self.lock, self.limit.on():
                yield
        except TooSlowError as error:
            said = (
                f"Looking this up takes longer than {self.limit.seconds:g} seconds. Ask for less, or once more later."
            )
            raise Problem(503, said, headers={"Retry-After": "30"}) from error

    def _find_by(self, before: "Snapshot | None") -> None:
        """What things are found by; what no act has touched since the snapshot before is taken over."""
        kinds = set(EntryKind) if before is None else {act.kind for act in acts(self.connection, before.head.seq)}
        self.members: list[Listed]
        self.index: Index
        self.events: list[ListedEvent]
        self.event_by_id: dict[str, ListedEvent]
        self.places: Places
        # an act not before the newest one about members
        self.members_act: int
        if before is not None and kinds <= NOT_ABOUT_MEMBERS:
            self.members, self.index, self.members_act = before.members, before.index, before.members_act
        else:
            self.members = listed_members(self.record)
            self.index = Index(self.members)
            self.members_act = self.head.seq
        if before is not None and kinds <= NOT_ABOUT_EVENTS:
            self.events, self.event_by_id, self.places = before.events, before.event_by_id, before.places
        else:
            self.events = listed_events(self.record)
            self.places = places_of(self.events)
            self.event_by_id = {event.event_id: event for event in self.events}

    def member(self, member_id: str) -> Listed | None:
        """A member by their id, or by one that was merged into it."""
        return self.index.by_id.get(member_id)

    def event(self, event_id: str) -> ListedEvent:
        """An event, or a problem that says there is none."""
        event = self.event_by_id.get(event_id)
        if event is None:
            raise Problem(404, "There is no event with this number.")
        return event

    def section_name(self, event_id: str, number: int) -> str:
        """A section by name: of its event, and its own where that says more."""
        event = self.event_by_id.get(event_id)
        if event is None:
            return event_id
        section = next((one for one in event.sections if one.number == number), None)
        if section is None or section.name in ("", event.name):
            return event.name
        return f"{event.name}, {section.name}"

    def rated(self, heading: Heading) -> tuple[RatedSection, ...]:
        """A section as it is rated, in each of its systems; nothing where it is not rated yet."""
        if heading.act > self.run:
            return ()
        key = heading.event_id, heading.number, heading.act, self.run
        found = self.found.rated.get(key)
        if found is None:
            found = self.found.rated[key] = self.public.rated(heading)
        return found

    @cached_property
    def _run_days(self) -> list[tuple[int, date]]:
        return run_days(self.connection)

    def rated_on(self, act: int) -> date | None:
        """The day of the first run after an act, which took it into account; nothing while it waits."""
        days = self._run_days
        at = bisect_left(days, (act, date.min))
        return days[at][1] if at < len(days) else None

    @property
    def runs(self) -> list[RunLine]:
        """Every rating run, newest first; counting what each moved takes long in a large office, once a run."""
        return self._at_hand(self.found.runs.get(self.run), self.read_runs)

    def read_runs(self) -> list[RunLine]:
        """The same, read now."""
        found = self.found.runs.get(self.run)
        if found is None:
            with self.office.reading() as connection:  # which may see a newer run
                found = [one for one in runs(connection) if one.run <= self.run]
            self.found.runs[self.run] = found
        return found

    def _at_hand(self, found: Kept | None, read: Callable[[], Kept]) -> Kept:
        """What was read before, because it takes long; somebody else's may have taken its place since."""
        if found is not None:
            return found
        if not self.is_small:
            raise Problem(503, "This is being read; please ask again.", headers={"Retry-After": "10"})
        return read()

    def act(self, seq: int) -> JournalEntry | None:
        """An act of the record; those of runs and corrections are asked for again and again."""
        if seq not in self._acts:
            if len(self._acts) >= MOST_ACTS:
                self._acts.clear()
            self._acts[seq] = act_of(self.connection, seq)
        return self._acts[seq]

    def ripple(self, run: int) -> list[PublicChange]:
        """What a run did to whom."""
        return self._at_hand(self.found.ripples.get((run, self.public.places)), lambda: self.read_ripple(run))

    def read_ripple(self, run: int) -> list[PublicChange]:
        """The same, read now."""
        places = self.public.places
        found = self.found.ripples.get((run, places))
        if found is None:
            with self.office.reading() as connection:
                found = [public_ripple(row, places) for row in ripple(connection, run)]
            self.found.ripples[run, places] = found
        return found

    def months_before(self, month: str) -> list[str]:
        """The last lists up to one, oldest first: as far back as the small line beside a rating goes."""
        return [one.month for one in self.lists if one.month <= month][-MOST_PAST:]

    def listing(self, month: str) -> Listing:
        """A published list; the last few are kept."""
        return self._at_hand(self.found.tables.get(month), lambda: self.read_list(month))

    def top(self, month: str, wanted: Wanted) -> TopList:
        """The top of a published list."""
        return self._at_hand(self.found.tops.get(self.top_asked(month, wanted)), lambda: self.read_top(month, wanted))

    def top_asked(self, month: str, wanted: Wanted) -> TopAsked:
        """Under what a top list is kept."""
        return TopAsked(month, wanted, self.members_act)

    def read_top(self, month: str, wanted: Wanted) -> TopList:
        """The same, read now, with all of its list."""
        self.read_list(month)
        asked = self.top_asked(month, wanted)
        found = self.found.tops.get(asked)
        if found is None:
            with self.office.reading() as connection:
                found = top_list(connection, month, wanted)
            self.found.tops[asked] = found
        return found

    def read_list(self, month: str) -> Listing:
        """A published list, read now."""
        found = self.found.tables.get(month)
        if found is None:
            with self.office.reading() as connection:
                table = list_table(connection, month)
            names = tuple(folded(member.name) for member in table.members)
            found = Listing(table, names, sorted({member.state for member in table.members if member.state}))
            self.found.tables[month] = found
        return found

    def answers(self) -> bool:
        """Whether its connection still does: an error of a server, or its end, takes a whole transaction along."""
        return self._if_free(lambda: still_answers(self.connection))

    def close(self) -> None:
        """Let the connection go once nobody uses it any more."""
        with self.lock:
            self._open.close()


class Reading:
    """Holds the newest snapshot and makes the next one when the record has grown."""

    def __init__(self, office: Office) -> None:
        self.office = office
        office.hurry(LOCK_SECONDS)
        self._now: Snapshot | None = None
        self._renewing = threading.Lock()
        self._retired: list[tuple[float, Snapshot]] = []

    @property
    def now(self) -> Snapshot:
        """The newest snapshot; a problem while the first one is still being made."""
        if self._now is None:
            raise Problem(503, "The record is being read; please ask again in a moment.", headers={"Retry-After": "2"})
        try:
            self.office.require_same_file()
        except ReplacedOfficeError as error:
            raise replaced() from error
        return self._now

    @property
    def places(self) -> int:
        """To how many places the public sees ratings; whole numbers while the first snapshot is being made."""
        return WHOLE if self._now is None else self._now.public.places

    @property
    def name(self) -> str:
        """What the office is called; the program's name while the first snapshot is being made."""
        return "Crosstable" if self._now is None else self._now.name

    @property
    def identity(self) -> Identity:
        """How the office shows itself."""
        return Identity() if self._now is None else self._now.identity

    @property
    def tag(self) -> str | None:
        """The state of the record that is served; none where it was replaced, or before it was read."""
        return None if (read := self.served) is None else read.tag

    @property
    def served(self) -> Snapshot | None:
        """The snapshot that is served; none where the record was replaced, or before it was read."""
        return self._now if self._now is not None and self.office.is_same_file() else None

    @property
    def entry(self) -> int | None:
        """The newest journal entry that is served; none while the first snapshot is being made."""
        return None if self._now is None else self._now.head.seq

    def ask(self) -> None:
        """Ask the database something; an ``OfficeError`` where it does not answer, or no longer has our tables."""
        self.office.newest()
        self.office.require_schema()

    @property
    def is_crowded(self) -> bool:
        """Whether so many snapshots were made just now that the next one waits for the watch: each has a connection."""
        just_now = time.monotonic() + GRACE - SHORT_GRACE
        return sum(until > just_now for until, _ in self._retired) >= MOST_RETIRED

    def renew(self) -> Snapshot:
        """Make a new snapshot if the record has grown; returns the newest. Takes long after a run."""
        with self._renewing:
            self._let_go(time.monotonic())
            old = self._now
            try:
                if old is not None and not self._has_grown(old) and old.answers() and old.is_still_it():
                    return old
                new = Snapshot(self.office, old)
            except OfficeError:
                if old is not None:
                    old.let_go()
                raise
            self._now = new
            if old is not None:
                self._retired.append((time.monotonic() + GRACE, old))
            return new

    def _let_go(self, now: float) -> None:
        """Close old snapshots; whoever asked just before the change may still be about to use one for a while."""
        newest = len(self._retired) - MOST_RETIRED
        ends = [until - (GRACE - SHORT_GRACE) * (at < newest) for at, (until, _) in enumerate(self._retired)]
        over = [old for end, (_, old) in zip(ends, self._retired, strict=True) if end <= now]
        self._retired = [one for end, one in zip(ends, self._retired, strict=True) if end > now]
        for old in over:
            try:
                old.close()
            except OfficeError:  # its server has ended it
                LOG.warning("a snapshot could not be closed", exc_info=True)

    def _has_grown(self, old: Snapshot) -> bool:
        return self.office.newest() != old.head.seq  # another office in its place is refused before

    def close(self) -> None:
        """Let everything go."""
        with self._renewing:
            self._let_go(math.inf)
            if self._now is not None:
                self._now.close()
                self._now = None
        self.office.close()

"""The public record, kept at hand: a snapshot per state of the record, made in the background, served until the next.

Finding out what may be shown walks the whole record (``PublicOffice``), so it is done once per rating run, and what it
found is handed on to snapshots that only see newer acts. A snapshot has one connection and one lock: whoever makes a
view holds it.
"""

import math
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import date
from functools import cached_property
from typing import NamedTuple, TypeVar

from crosstable.errors import OfficeBusyError
from crosstable.office.database import Office
from crosstable.office.kept_veils import keep, veils_of
from crosstable.office.ledger.acts import Act, ActKind, act_of, acts, head
from crosstable.office.ledger.facts import Record
from crosstable.office.list_files import ListTable, list_table
from crosstable.office.public import PublicRipple
from crosstable.office.public_file import PublicFiles
from crosstable.office.public_index import (
    Listed,
    ListedEvent,
    RunLine,
    listed_events,
    listed_members,
    newest_act,
    office_name,
    postings_count,
    run_before,
    run_days,
    runs,
)
from crosstable.office.public_views import PublicOffice
from crosstable.office.supplements import Supplement, supplements
from crosstable.office.time_limits import TooSlowError, time_limit
from crosstable.office.veiled_record import RecordVeils
from crosstable.office.veils import Spans
from crosstable.office.views import known
from crosstable.terms import RatingSystem
from crosstable.web.problems import Problem
from crosstable.web.search import Index

# Up to so many postings the ripple of an old run is worked out while somebody waits.
SMALL = 5_000
# So many published lists are kept in full.
MOST_TABLES = 3
# Of so many published lists it is kept what is hidden on them: a year.
MOST_LISTS = 12
# Ripples are kept up to so many lines in all.
MOST_LINES = 200_000
# So many acts are kept at hand.
MOST_ACTS = 5_000
# How long a snapshot outlives its successor, in seconds.
GRACE = 30.0
# How long one statement of a public page may take, in seconds.
STATEMENT_SECONDS = 2.0
# Acts after which members, or events, are found by what they were found by before.
_OF_RATINGS = frozenset({ActKind.RATE, ActKind.PUBLISH})
NOT_ABOUT_MEMBERS = _OF_RATINGS | {ActKind.SUBMIT, ActKind.CONFIRM, ActKind.CORRECT, ActKind.WITHDRAW}
NOT_ABOUT_EVENTS = _OF_RATINGS | {ActKind.MEMBERS, ActKind.OPENING, ActKind.MERGE, ActKind.UNMERGE, ActKind.DECIDE}


Name = TypeVar("Name")
Kept = TypeVar("Kept")


class Few(dict[Name, Kept]):
    """What was kept last; of what came before only as much as a limit leaves."""

    def __init__(self, most: int, size: Callable[[Kept], int] = lambda _: 1) -> None:
        super().__init__()
        self._most = most
        self._size = size
        self._writing = threading.Lock()

    def __setitem__(self, name: Name, kept: Kept) -> None:
        """Keep something, and forget the oldest until there is room for it."""
        with self._writing:
            self.pop(name, None)
            room = self._most - self._size(kept)
            while self and sum(map(self._size, self.values())) > room:
                self.pop(next(iter(self)))
            super().__setitem__(name, kept)


class Found(NamedTuple):
    """What never changes once it was found out: hidden ratings of lists, lists, ripples of runs."""

    lists: Few[str, Spans]
    tables: Few[str, ListTable]
    ripples: Few[int, list[PublicRipple]]
    in_work: set[int]


def nothing_found() -> Found:
    """Before anything was found out."""
    return Found(Few(MOST_LISTS), Few(MOST_TABLES), Few(MOST_LINES, lambda lines: 1 + len(lines)), set())


class Snapshot:
    """The record at one act, as anybody may see it. Hold ``lock`` while asking it anything that reads."""

    def __init__(self, office: Office, found: Found, before: "Snapshot | None" = None) -> None:
        self.lock = threading.RLock()
        self.office = office
        self._acts: dict[int, Act | None] = {}
        self._lines: Few[int, dict[tuple[str, RatingSystem], PublicRipple]] = Few(MOST_LINES, len)
        self._open = ExitStack()
        self.connection = self._open.enter_context(office.reading())
        newest = head(self.connection)
        assert newest is not None
        self.head: Act = newest
        self.record: Record
        self.record, self.run = known(self.connection)
        self.tag = f"{newest.seq}-{newest.digest[:16]}"
        rated = act_of(self.connection, self.run)
        self.rated_at = None if rated is None else rated.at
        self.found = found
        veils = self._veils(before)
        self.public = PublicOffice(self.connection, veils=veils, lists=found.lists)
        self.name = office_name(self.connection)
        self._find_by(before)
        self.lists: list[Supplement] = supplements(self.connection)
        newest_list = self.lists[-1].month if self.lists else None
        self.files = PublicFiles(self.public, self.connection, self.record, newest_list)
        self.is_small = postings_count(self.connection) <= SMALL
        if self.lists:
            self.public.hidden_on_list(self.lists[-1].month)
        if before is not None and before.run != self.run:
            self._note_ripple(before)
        # only now: making a snapshot of a large office takes long
        self.limit = time_limit(self.connection, STATEMENT_SECONDS)
        self._open.callback(self.limit.drop)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Nobody else asks meanwhile, and no statement takes long; a problem where one would."""
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
        kinds = set(ActKind) if before is None else {act.kind for act in acts(self.connection, before.head.seq)}
        self.members: list[Listed]
        self.index: Index
        self.events: list[ListedEvent]
        self.event_by_id: dict[str, ListedEvent]
        if before is not None and kinds <= NOT_ABOUT_MEMBERS:
            self.members, self.index = before.members, before.index
        else:
            self.members = listed_members(self.record)
            self.index = Index(self.members)
        if before is not None and kinds <= NOT_ABOUT_EVENTS:
            self.events, self.event_by_id = before.events, before.event_by_id
        else:
            self.events = listed_events(self.record)
            self.event_by_id = {event.event_id: event for event in self.events}

    def _note_ripple(self, before: "Snapshot") -> None:
        """The ripple of a run costs nothing while the veils of the run before it are at hand."""
        if run_before(self.connection, self.run) == before.run:
            self.found.ripples[self.run] = self.public.ripple(self.run, before.public.veils)

    def _veils(self, before: "Snapshot | None") -> RecordVeils:
        """The veils of this run, on this connection; what an older snapshot found is taken over as far as it holds."""
        known = None if before is None else before.public.veils
        if before is not None and known is not None and before.run == self.run:
            return known.on(self.connection)
        if known is None:
            return veils_of(self.connection, self.run).on(self.connection)
        return RecordVeils(self.connection, self.run, before=known).on(self.connection)

    def member(self, member_id: str) -> Listed | None:
        """A member by his id, or by one that was merged into his."""
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

    @cached_property
    def _run_days(self) -> list[tuple[int, date]]:
        return run_days(self.connection)

    def rated_on(self, act: int) -> date | None:
        """The day of the first run after an act, which took it into account; nothing while it waits."""
        days = self._run_days
        at = bisect_left(days, (act, date.min))
        return days[at][1] if at < len(days) else None

    @cached_property
    def runs(self) -> list[RunLine]:
        """Every rating run, newest first; counting what each moved takes long in a large office, once."""
        with self.limit.off():
            return runs(self.connection)

    def act(self, seq: int) -> Act | None:
        """An act of the record; those of runs and corrections are asked for again and again."""
        if seq not in self._acts:
            if len(self._acts) >= MOST_ACTS:
                self._acts.clear()
            self._acts[seq] = act_of(self.connection, seq)
        return self._acts[seq]

    def ripple(self, run: int) -> list[PublicRipple]:
        """What a run did to whom; worked out once, in a large office while whoever asks comes back."""
        found = self.found.ripples.get(run)
        if found is None:
            if not self.is_small:
                self._work_out(run)
                raise Problem(503, "This ripple is being worked out; please ask again.", headers={"Retry-After": "30"})
            found = self.found.ripples[run] = self.public.ripple(run)
        return found

    def ripple_at_hand(self, run: int) -> list[PublicRipple]:
        """The same without waiting: nothing where it would take long."""
        return self.ripple(run) if self.is_small else self.found.ripples.get(run, [])

    def ripple_line(self, run: int, member_id: str, system: RatingSystem) -> PublicRipple | None:
        """What a run did to one rating, where that can be said without waiting."""
        lines = self._lines.get(run)
        if lines is None:
            rows = self.ripple_at_hand(run)
            if not rows:
                return None
            lines = self._lines[run] = {(row.member_id, row.system): row for row in rows}
        return lines.get((member_id, system))

    def _work_out(self, run: int) -> None:
        """Work a ripple out in the background, on a connection of its own."""
        if run in self.found.in_work:
            return
        self.found.in_work.add(run)

        def work() -> None:
            try:
                with self.office.reading() as connection:
                    found = PublicOffice(connection, veils=self.public.veils.on(connection)).ripple(run)
                self.found.ripples[run] = found
            finally:
                self.found.in_work.discard(run)

        threading.Thread(target=work, daemon=True).start()

    def list_table(self, month: str) -> ListTable:
        """A published list with what may be shown of it; the last few are kept."""
        found = self.found.tables.get(month)
        if found is None:
            hidden = self.hidden_on_list(month)
            with self.limit.off():
                found = list_table(self.connection, month, hidden)
            self.found.tables[month] = found
        return found

    def hidden_on_list(self, month: str) -> Spans:
        """What is hidden on a published list; found out once, which takes long for an older one."""
        with self.limit.off():
            return self.public.hidden_on_list(month)

    def close(self) -> None:
        """Let the connection go once nobody uses it any more."""
        with self.lock:
            self._open.close()


class Reading:
    """Holds the newest snapshot and makes the next one when the record has grown."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self._found = nothing_found()
        self._now: Snapshot | None = None
        self._renewing = threading.Lock()
        self._retired: list[tuple[float, Snapshot]] = []

    @property
    def now(self) -> Snapshot:
        """The newest snapshot; a problem while the first one is still being made."""
        if self._now is None:
            raise Problem(503, "The record is being read; please ask again in a moment.", headers={"Retry-After": "2"})
        return self._now

    @property
    def veils(self) -> RecordVeils | None:
        """What is hidden in the newest snapshot; nothing is known of it while the first one is being made."""
        return None if self._now is None else self._now.public.veils

    @property
    def tag(self) -> str | None:
        """The state of the record that is served."""
        return None if self._now is None else self._now.tag

    def renew(self) -> Snapshot:
        """Make a new snapshot if the record has grown; returns the newest. Takes long after a run."""
        with self._renewing:
            self._let_go(time.monotonic())
            old = self._now
            if old is not None and not self._has_grown(old):
                return old
            new = Snapshot(self.office, self._found, old)
            self._now = new
            if not new.is_small and (old is None or old.run != new.run):
                with suppress(OfficeBusyError):  # somebody is writing; then the next run's are kept
                    keep(self.office, new.public.veils)
            if old is not None:
                self._retired.append((time.monotonic() + GRACE, old))
            return new

    def _let_go(self, now: float) -> None:
        """Close old snapshots; whoever asked just before the change may still be about to use one for a while."""
        waiting = []
        for until, old in self._retired:
            if until <= now:
                old.close()
            else:
                waiting.append((until, old))
        self._retired = waiting

    def _has_grown(self, old: Snapshot) -> bool:
        with self.office.reading() as connection:
            return newest_act(connection) != old.head.seq

    def close(self) -> None:
        """Let everything go."""
        with self._renewing:
            self._let_go(math.inf)
            if self._now is not None:
                self._now.close()
                self._now = None
        self.office.close()

"""What happens in a history beside ordinary sections: openings, decisions, foreign events, starts set by hand.

Each is rare, so plain code does it, on the same standings as the compiled walk.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.folding import MOVING, Decision, DecisionKind, Key, Opening, bare, moved
from crosstable.formulas.norms import NO_NORM
from crosstable.history.archive import Archive
from crosstable.history.archive_facts import Decided, Opened, decisions_of, openings_of
from crosstable.history.archive_sections import ArchivedSection, sections_of
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import AFTER, BEFORE, GAMES_AFTER, NO_COUNT, Array
from crosstable.history.kernel.section import NO_DOCUMENT
from crosstable.history.plain import PlainSections, rows_of
from crosstable.history.replay import DECIDING, RATING, Stop, Walker
from crosstable.history.standings import ArrayStandings, Limits, Pair, decided_rows, keep_places
from crosstable.terms import NORM_CODES, FloorKind, Formula, MatchChange, PlayerRating, RatingSystem

# Decisions that change a standing; the others limit what a section may make of it.
_CHANGING = frozenset({*MOVING, DecisionKind.GRANT_MATCH_FLOOR})
_MORE_THAN_NUMBERS = ("match_changes", "floors", "ceiling", "lowered_floor")


class Occasion(NamedTuple):
    """Something that happens to one member in one system before a section."""

    before: int
    key: Key
    member: int
    what: Opening | Decision


class Happenings:
    """The rare steps of an archive, as stops of a walk."""

    def __init__(self, archive: Archive, index: Index) -> None:
        self.archive = archive
        self.index = index
        self.decisions = decisions_of(archive)
        deciding = {member for member, _ in self.decisions}
        frame = archive.openings.with_row_index("at")
        says_more = pl.any_horizontal(pl.col(name).is_not_null() for name in _MORE_THAN_NUMBERS)
        is_one_of_two = pl.struct("member", "system").is_duplicated()  # as in an office that merged two ids
        telling = frame.filter(says_more | is_one_of_two)["member"].to_list()
        special = pl.col("member").is_in([*deciding, *telling])  # all openings of a member, so that they keep order
        self.plain = frame.filter(~special)
        self.openings = openings_of(archive._replace(openings=frame.filter(special).drop("at")))
        self.pairs = _pairs(self.openings, self.decisions)
        self._ends = index.history.sections["end"][:-1].astype(np.int64)  # as numbers that are looked for in it are
        self._extra = sum(len(opened.opening.standing.match_changes) for opened in self.openings)

    def prepare(self, walker: Walker) -> None:
        """Make room in the arrays for what will be decided, and for match changes that openings bring."""
        arrays = walker.standings
        changes = np.concatenate([arrays.match_changes, np.zeros(self._extra, dtype=arrays.match_changes.dtype)])
        walker.standings = arrays._replace(decided=decided_rows(self.pairs, self._limits()), match_changes=changes)
        keep_places(walker.standings, walker.index.history.place_of, self.pairs)

    def stops(self) -> list[Stop]:
        """Every stop in the order of the fold."""
        found = [*self._plain_openings(), *self._moves(), *self._slow_sections()]
        return sorted(found, key=lambda stop: stop.place)  # sorting keeps the order of equal places

    def _limits(self) -> list[Limits]:
        """Floors and ceilings after each occasion: they follow from what is decided, not from ratings."""
        sections = PlainSections(self.archive, lambda member: {}, self.openings, self.decisions)
        rows = self.index.history.sections["row"]
        found = []
        for occasion in self._occasions():
            system, key = occasion.what.system, occasion.key
            assert system is not None
            after = Key(key.ended, key.started, key.event_id, key.section + 1)
            standing = sections.limits(occasion.member, system, PlayerRating(0.0), after)
            pair = occasion.member, system
            found.append(Limits(pair, int(rows[occasion.before]), standing.floors, standing.ceiling))
        return found

    def why_not(self, walker: Walker, section: int) -> str:
        """Why a section cannot be rated from the standings of now; asked of archives that are read whole."""
        part = _part(self.archive, np.array([section]))
        arrays = ArrayStandings(walker.standings, walker.index.history.place_of)
        sections = PlainSections(part, arrays.of, self.openings, self.decisions, walker.rules)
        return sections.take(next(sections_of(part))).unratable

    def _place(self, day: date) -> int:
        """The first section that does not end before a day."""
        return int(np.searchsorted(self._ends, day.toordinal()))

    def _plain_openings(self) -> Iterator[Stop]:
        """Openings that bring numbers alone, all of a day at once."""
        for (day,), rows in self.plain.group_by("as_of", maintain_order=True):
            assert isinstance(day, date)
            yield Stop(self._place(day), day.toordinal(), DECIDING, partial(_open_all, rows=rows, day=day))

    def _occasions(self) -> list[Occasion]:
        """Openings that say more than numbers, and decisions, in the order of the fold."""
        occasions = []
        for opened in self.openings:
            standing = opened.opening.standing
            assert standing.as_of is not None
            occasions.append(Occasion(self._place(standing.as_of), opened.opening.key, opened.member, opened.opening))
        for member, decision in self.decisions:
            if decision.system is not None and member != NO_MEMBER:  # opting in or out moves no standing
                occasions.append(Occasion(self._place_of(decision), decision.key, member, decision))
        return sorted(occasions, key=lambda one: (one.before, one.key))

    def _moves(self) -> Iterator[Stop]:
        """Those that change a standing; floors and ceilings are laid out beforehand."""
        slot = 1 + self.index.match_slots
        slots = {}
        for opened in self.openings:
            slots[opened.opening.key, opened.opening.system] = slot
            slot += len(opened.opening.standing.match_changes)
        for occasion in self._occasions():
            if isinstance(occasion.what, Opening) or occasion.what.kind in _CHANGING:
                yield Stop(occasion.before, self._day(occasion), DECIDING, _Happening(occasion, slots).act)

    def _place_of(self, decision: Decision) -> int:
        if decision.kind is DecisionKind.GRANT_MATCH_FLOOR:
            return self._section_at(decision)
        return self._place(decision.effective)

    def _day(self, occasion: Occasion) -> int:
        """The day of an occasion; a match floor is granted for the day of its match."""
        what = occasion.what
        if isinstance(what, Decision) and what.kind is DecisionKind.GRANT_MATCH_FLOOR:
            return int(self.index.history.sections[occasion.before]["end"])
        return occasion.key.ended.toordinal()

    def _section_at(self, decision: Decision) -> int:
        frame = self.archive.sections
        mask = (frame["event_id"] == decision.event_id) & (frame["number"] == decision.section)
        found = mask.arg_true()
        return int(found[0]) if len(found) else self.index.sections

    def _slow_sections(self) -> Iterator[Stop]:
        numbers = np.flatnonzero(self.index.history.sections["is_slow"][:-1])
        if not len(numbers):
            return
        part = _part(self.archive, numbers)
        slow = _SlowSections(part, self.openings, self.decisions)
        for at, archived in zip(numbers.tolist(), sections_of(part), strict=True):
            day = archived.section.end.toordinal()
            yield Stop(at, day, RATING, partial(slow.take, at=at, archived=archived))


def _pairs(openings: Sequence[Opened], decisions: Sequence[Decided]) -> list[Pair]:
    found: dict[Pair, None] = {}
    for member, opening in openings:
        found[member, opening.system] = None
    for member, decision in decisions:
        if decision.system is not None and member != NO_MEMBER:
            found[member, decision.system] = None
    return list(found)


def _part(archive: Archive, numbers: Array) -> Archive:
    """The archive with some of its sections only, numbered anew."""

    def renumbered(frame: pl.DataFrame) -> pl.DataFrame:
        column = frame["section"]  # in order, so that nobody has to look through the whole of it
        wanted = pl.Series(numbers, dtype=column.dtype)
        low, high = (column.search_sorted(wanted, side).to_numpy() for side in ("left", "right"))
        rows = [np.arange(begin, end) for begin, end in zip(low, high, strict=True)]
        new = np.repeat(np.arange(len(numbers), dtype=np.uint32), high - low)
        return frame[np.concatenate(rows)].with_columns(section=pl.Series(new))

    entries = renumbered(archive.all_told)
    here = entries["member"].unique().implode()
    return archive._replace(
        sections=archive.sections[numbers],
        entries=entries,
        games=renumbered(archive.games),
        outside=archive.outside.filter(pl.col("member").is_in(here)),
        told=None,
    )


def _open_all(walker: Walker, rows: pl.DataFrame, day: date) -> None:
    """Openings of one day that bring numbers alone."""
    table = walker.standings.standings
    members, systems = rows["member"].to_numpy(), rows["system"].to_numpy()
    at = walker.index.history.place_of[members, systems]
    np.bitwise_or.at(walker.standings.rated, members, np.uint8(1) << systems)
    walker.note_openings(rows, table[at])
    for name in ("rating", "peak", "peak_since_2010"):
        table[name][at] = rows[name].fill_null(float("nan")).to_numpy()
    table["games"][at] = rows["games"].fill_null(float("inf")).to_numpy()
    for name in ("wins", "draws", "losses", "events"):
        table[name][at] = rows[name].fill_null(NO_COUNT).to_numpy()
    table["games_at_2200"][at] = rows["games_at_2200"].to_numpy()
    table["as_of"][at] = day.toordinal()
    table["match"][at] = 0  # match changes of a past that the opening replaces


class _Happening:
    """One opening or decision, done on the arrays."""

    def __init__(self, occasion: Occasion, slots: dict[tuple[Key, RatingSystem], int]) -> None:
        self.occasion = occasion
        self.slots = slots

    def act(self, walker: Walker) -> None:
        """Do it."""
        arrays = ArrayStandings(walker.standings, walker.index.history.place_of)
        member, what = self.occasion.member, self.occasion.what
        assert what.system is not None
        before = arrays.of(member).get(what.system)
        if isinstance(what, Opening):
            walker.note_move(what, member, before, bare(what.standing))
            arrays.put(member, what.system, bare(what.standing))
            arrays.put_match_changes(member, what.system, self._changes(what))
        elif what.kind in MOVING:
            after = moved(what, before)
            if after is not None:
                walker.note_move(what, member, before, after)
                arrays.put(member, what.system, after)
        elif what.kind is DecisionKind.GRANT_MATCH_FLOOR and before is not None:
            arrays.put(member, what.system, before._replace(lowered_floor=what.value))

    def _changes(self, opening: Opening) -> dict[int, MatchChange]:
        first = self.slots[opening.key, opening.system]
        return {first + at: change for at, change in enumerate(opening.standing.match_changes)}


class _SlowSections:
    """Sections that the plain engine rates, on the arrays."""

    def __init__(
        self,
        part: Archive,
        openings: Sequence[Opened],
        decisions: Sequence[Decided],
    ) -> None:
        self._part = part
        self._openings, self._decisions = openings, decisions
        self._walker: Walker | None = None
        self._sections: PlainSections | None = None

    def take(self, walker: Walker, at: int, archived: ArchivedSection) -> None:
        """Rate one section and write what it gave."""
        arrays = ArrayStandings(walker.standings, walker.index.history.place_of)
        if self._walker is not walker or self._sections is None:
            self._walker = walker
            self._sections = PlainSections(self._part, arrays.of, self._openings, self._decisions, walker.rules)
        taken = self._sections.take(archived)
        walker.note_rated(at, taken.rated, taken.unratable)
        if taken.unratable:
            walker.results.faults[at] = NO_DOCUMENT
        for rank, rated in enumerate(taken.rated):
            _write(walker, at, rank, rated)
        for rated in taken.rated:
            for member, player in _members(archived, rated):
                if player.played and player.after is not None and member != NO_MEMBER:
                    arrays.put(member, rated.system, bare(player.after))
        for rank, rated in enumerate(taken.rated):
            _keep_match_changes(walker, at, rank, (archived, rated))


def _members(archived: ArchivedSection, rated: RatedSection) -> Iterator[tuple[int, RatedPlayer]]:
    for (_, row), player in zip(rows_of(archived), rated.players, strict=True):
        yield row.member, player


def _keep_match_changes(walker: Walker, at: int, rank: int, taken: tuple[ArchivedSection, RatedSection]) -> None:
    """What a match that plain code rated adds to the changes by match play (§7), where the index kept room for it."""
    archived, rated = taken
    arrays = ArrayStandings(walker.standings, walker.index.history.place_of)
    members = {player.number: member for member, player in _members(archived, rated)}
    section = walker.index.history.sections[at]
    n = int(walker.index.history.sections[at + 1]["first"] - section["first"])
    for position, player in enumerate(_competitors(rated)):
        before = player.before.match_changes if player.before is not None else ()
        after = player.after.match_changes if player.after is not None else ()
        if player.played and len(after) > len(before) and members[player.number] != NO_MEMBER:
            place = int(section["match"]) + rank * n + position
            arrays.add_match_change(members[player.number], rated.system, place, after[-1])


def _write(walker: Walker, at: int, rank: int, rated: RatedSection) -> None:
    """The rows of results of one section and system; both rows of a re-entry are one competitor."""
    section = walker.index.history.sections[at]
    n = int(walker.index.history.sections[at + 1]["first"] - section["first"])
    for position, player in enumerate(_competitors(rated)):
        row = int(section["row"]) + rank * n + position
        ratings = walker.results.ratings[:, row]
        ratings[BEFORE] = np.nan if player.before is None else player.before.rating
        if player.played and player.after is not None:
            ratings[AFTER] = player.after.rating
            ratings[GAMES_AFTER] = np.inf if player.after.games is None else player.after.games
            if len(walker.results.working):
                _write_working(walker.results.working[row], player)


def _competitors(rated: RatedSection) -> list[RatedPlayer]:
    """The players of a section, one for each competitor."""
    return [next(group)[1] for _, group in groupby(_by_competitor(rated), key=lambda one: one[0])]


def _by_competitor(rated: RatedSection) -> list[tuple[int, RatedPlayer]]:
    """Players with the place of their competitor: the first row of each member."""
    places: dict[str, int] = {}
    found = []
    for player in rated.players:
        who = player.member_id or f"row {player.number}"
        found.append((places.setdefault(who, len(places)), player))
    return sorted(found, key=lambda one: one[0])


def _write_working(working: np.void, player: RatedPlayer) -> None:
    final, outcome = player.final, player.outcome
    working["prior"] = player.prior
    working["start_games"] = np.nan if player.start is None else player.start.initial.games
    working["effective"] = player.effective
    working["k"], working["expected"], working["bonus"] = final.k, final.expected, final.bonus
    working["computed"] = final.computed
    working["floor_level"], working["requested_floor"] = outcome.floor_level, outcome.requested_floor
    working["floor_kind"] = FloorKind(outcome.floor_kind).value
    working["formula"] = Formula(player.formula).value
    working["norm"] = NO_NORM if player.norm is None else NORM_CODES.index(player.norm)

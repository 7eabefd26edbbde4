"""Norms and titles, Regular over the board (official facts §1), from postings.

A norm stands in the posting of its section. Titles are for life: one that a run once awarded stays, whatever a later
run finds (readings 62), so every state that the record ever had is looked at, run by run.

Where the document is silent: a norm counts at its own level and at all lower ones (a public member page dates four
category titles on one day, which no other counting gives); "a rating above the level at some time" is the level or
more, rounded half up, as for the National Master; that rating may have been provisional, but no title is awarded before
the rating is established. A title belongs to the id under which its norms were posted, and to what that id is merged
into.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import Connection, select

from crosstable.errors import OfficeError
from crosstable.formulas.norms import NORM_LEVELS
from crosstable.formulas.outcome import is_established, life_master_floor, official_rating
from crosstable.office import tables
from crosstable.office.ledger.facts import Decision, DecisionKind
from crosstable.office.ledger.postings import COLUMNS, Posting, chunks, posting_from
from crosstable.office.views import Known, KnownOn, known
from crosstable.rules.editions import EDITIONS
from crosstable.terms import NORM_CODES, RatingSystem

NORMS_NEEDED = 5
MASTER_LEVEL = 2200
NEAR_MASTER = MASTER_LEVEL - 1.0
CONSTANTS = EDITIONS[-1].constants


class TitleKind(StrEnum):
    """Titles, from the lowest norm title to the one that gives a floor."""

    FOURTH_CATEGORY = "4th Category"
    THIRD_CATEGORY = "3rd Category"
    SECOND_CATEGORY = "2nd Category"
    FIRST_CATEGORY = "1st Category"
    CANDIDATE_MASTER = "Candidate Master"
    LIFE_MASTER = "Life Master"
    LIFE_SENIOR_MASTER = "Life Senior Master"
    NATIONAL_MASTER = "National Master"
    ORIGINAL_LIFE_MASTER = "Original Life Master"


NORM_TITLES = tuple(TitleKind)[: len(NORM_LEVELS)]
# The three upper norm titles also need a rating of their level (official facts §1).
_NEED_RATING = frozenset(NORM_TITLES[4:])


class Norm(NamedTuple):
    """A norm that stands: its code and level, where it was earned, and the run that posted it."""

    code: str
    level: int
    title: TitleKind
    event_id: str
    section: int
    ended: date
    run: int


class Title(NamedTuple):
    """A title: when it was earned, where, and the run or the decision that awarded it."""

    kind: TitleKind
    earned: date
    event_id: str
    section: int | None
    act: int


class Version(NamedTuple):
    """A posting as a run wrote it; a later run may write another about the same thing."""

    run: int
    posting: Posting


_Posted = Version
_State = Mapping[tuple[str, int], _Posted]


def norms_of(connection: Connection, member_id: str, known_on: KnownOn = None) -> list[Norm]:
    """The norms that stand as known on a day, in the order of the fold."""
    what = known(connection, known_on)
    _require(what, member_id)
    found = []
    for history in _histories(connection, what, member_id):
        *_, (_, state) = _states(history)
        found += [posted for posted in _in_order(state) if posted.posting.norm]
    return [_norm(posted) for posted in sorted(found, key=lambda posted: posted.posting.key)]


def titles_of(connection: Connection, member_id: str, known_on: KnownOn = None) -> list[Title]:
    """The titles that were ever awarded as known on a day, in the order of ``TitleKind``."""
    what = known(connection, known_on)
    _require(what, member_id)
    found: dict[TitleKind, Title] = {}
    for title in _awarded(connection, what, member_id):
        if title.kind not in found or title.act < found[title.kind].act:
            found[title.kind] = title
    return [found[kind] for kind in TitleKind if kind in found]


def merits_of_versions(versions: Sequence[Version], decisions: Iterable[Decision]) -> tuple[list[Norm], list[Title]]:
    """The norms and titles of one id, from all its postings in the order they were written, and its decisions."""
    history = [version for version in versions if version.posting.system is RatingSystem.OTBR]
    awarded: dict[TitleKind, Title] = {}
    norms: list[Norm] = []
    if history and _may_have_merits(history):
        for run, state in _states(history):
            for title in _earned(state, run):
                awarded.setdefault(title.kind, title)
        norms = [_norm(posted) for posted in _in_order(state) if posted.posting.norm]
    for decision in decisions:
        if decision.kind is DecisionKind.LIFE_MASTER:
            title = _decided(decision)
            if title.kind not in awarded or title.act < awarded[title.kind].act:
                awarded[title.kind] = title
    return norms, [awarded[kind] for kind in TitleKind if kind in awarded]


def _may_have_merits(history: Sequence[_Posted]) -> bool:
    """Whether there is anything to look for: most members never earned a norm, nor were they masters."""
    return any(
        posting.norm
        or (posting.games_at_2200 or 0)
        or max(posting.rating_after or 0.0, posting.peak or 0.0) >= NEAR_MASTER
        for _, posting in history
    )


def _require(what: Known, member_id: str) -> None:
    root = what.record.one_id(member_id)
    if root not in what.record.people([root]):
        raise OfficeError(f"member {member_id} is not known")


def _awarded(connection: Connection, what: Known, member_id: str) -> Iterator[Title]:
    for history in _histories(connection, what, member_id):
        awarded: set[TitleKind] = set()
        for run, state in _states(history):
            for title in _earned(state, run):
                if title.kind not in awarded:
                    awarded.add(title.kind)
                    yield title
    for decision in what.record.decisions(what.record.same_member(member_id)):
        if decision.kind is DecisionKind.LIFE_MASTER:
            yield _decided(decision)


def _decided(decision: Decision) -> Title:
    return Title(TitleKind.ORIGINAL_LIFE_MASTER, decision.effective, decision.event_id, decision.section, decision.act)


# States of the record, run by run.


def _histories(connection: Connection, what: Known, member_id: str) -> list[list[_Posted]]:
    """All Regular postings there ever were of every id that stands for a member, an id at a time, oldest first."""
    table = tables.posting
    by_id: dict[str, list[_Posted]] = {}
    for some in chunks(sorted(what.record.same_member(member_id))):
        query = (
            select(table.c.run, *COLUMNS)
            .where(table.c.member_id.in_(some), table.c.system == int(RatingSystem.OTBR), table.c.run <= what.run)
            .order_by(table.c.posting_id)
        )
        for row in connection.execute(query):
            posting = posting_from(row[1:])
            by_id.setdefault(posting.member_id, []).append(_Posted(row[0], posting))
    return [by_id[one] for one in sorted(by_id)]


def _states(history: Sequence[_Posted]) -> Iterator[tuple[int, _State]]:
    """Each run that touched a member, and what was current after it."""
    state: dict[tuple[str, int], _Posted] = {}
    for at, posted in enumerate(history):
        place = posted.posting.event_id, posted.posting.section
        if posted.posting.rating_after is None:
            state.pop(place, None)
        else:
            state[place] = posted
        if at + 1 == len(history) or history[at + 1].run != posted.run:
            yield posted.run, dict(state)


def _in_order(state: _State) -> list[_Posted]:
    return sorted(state.values(), key=lambda posted: posted.posting.key)


# What a state earns.


def _earned(state: _State, run: int) -> Iterator[Title]:
    """The titles that follow from one state, each at the posting that completed it."""
    norms = [0] * len(NORM_LEVELS)
    best = 0
    done: set[TitleKind] = set()
    for _, posting in _in_order(state):
        best = max(best, *(official_rating(rating) for rating in (posting.rating_after, posting.peak) if rating))
        if posting.norm:
            for level in range(NORM_CODES.index(posting.norm) + 1):
                norms[level] += 1
        for kind in _complete(posting, norms, best):
            if kind not in done:
                done.add(kind)
                yield Title(kind, posting.ended, posting.event_id, posting.section, run)


def _complete(posting: Posting, norms: Sequence[int], best: int) -> Iterable[TitleKind]:
    """The titles whose conditions hold after a posting; ``best`` is the highest rating so far."""
    if not _is_established(posting):
        return
    for kind, level, count in zip(NORM_TITLES, NORM_LEVELS, norms, strict=True):
        if count >= NORMS_NEEDED and (kind not in _NEED_RATING or best >= level):
            yield kind
    established = max(official_rating(posting.rating_after or 0.0), official_rating(posting.peak or 0.0))
    if established >= MASTER_LEVEL:
        yield TitleKind.NATIONAL_MASTER
    if math.isfinite(life_master_floor(CONSTANTS, posting.games_at_2200 or 0)):
        yield TitleKind.ORIGINAL_LIFE_MASTER


def _is_established(posting: Posting) -> bool:
    return posting.games_after is None or is_established(CONSTANTS, posting.games_after)


def _norm(posted: _Posted) -> Norm:
    posting = posted.posting
    assert posting.norm is not None
    at = NORM_CODES.index(posting.norm)
    key = posting.key
    return Norm(posting.norm, int(NORM_LEVELS[at]), NORM_TITLES[at], key.event_id, key.section, key.ended, posted.run)

"""A member: six systems, official and live side by side, floors, norms, titles, every section, and what moved them."""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel

from crosstable.calculator.figures import CLASSES, rating_class
from crosstable.calculator.uncertainty import plus_minus
from crosstable.errors import NoEditionError, OfficeError
from crosstable.formulas.outcome import official_rating
from crosstable.office.ledger.postings import OWN, Posting
from crosstable.office.public import PublicChange, PublicPosting, PublicSystem, public_act, public_ripple
from crosstable.office.public_file import PublicFile
from crosstable.office.public_index import Listed
from crosstable.office.published import CENTRAL, Month, cut_off, month_of
from crosstable.office.titles import NORMS_NEEDED, Norm, Title
from crosstable.rules.editions import edition_for
from crosstable.terms import RatingSystem
from crosstable.web.pages.member_history import HistoryRow, history_row
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import Paging, View, as_of, paged
from crosstable.web.routes import Page
from crosstable.web.shapes import (
    SYSTEM_NAMES,
    Floor,
    JournalEntryShape,
    Place,
    Rating,
    act_of,
    floor_of,
    place_of,
    rating_of,
)

MOST_NOTICES = 3
MONTHS = 12
MOST_ID = 40


class Peak(BaseModel):
    """The highest established rating, and when it was reached."""

    rating: int
    on: str
    place: Place | None


class Coming(BaseModel):
    """With which list the live rating becomes official, unless something moves it before the cut-off."""

    month: str
    cut_off: str
    official_from: str
    fewest_games: float


class ClassShape(BaseModel):
    """The class of a rating, and the next one with the points that it still takes."""

    title: str
    next: str | None
    points: int | None


class RankShape(BaseModel):
    """A place among the established ratings of the newest list."""

    state: str
    rank: int
    of: int
    below: float


class AgeRankShape(BaseModel):
    """A place on the newest list of an age group, of those who are on it."""

    age: str
    rank: int


class Record(BaseModel):
    """Wins, draws and losses so far."""

    wins: int
    draws: int
    losses: int


class SystemRating(BaseModel):
    """A member in one system.

    ``plus_minus``: by how many points the live rating may be off, 95 times of a hundred; of Regular ratings, where the
    office shows it.
    """

    system: str
    name: str
    live: Rating
    live_since: str
    live_place: Place | None
    live_player: int | None
    plus_minus: int | None
    official: Rating | None
    official_month: str | None
    floor: Floor | None
    peak: Peak | None
    sections: int
    rating_class: ClassShape | None
    record: Record | None
    ranks: list[RankShape]
    age_ranks: list[AgeRankShape]


class NormShape(BaseModel):
    """A norm: its code, level and title, and where it was earned."""

    code: str
    level: int
    title: str
    earned: str
    place: Place


class TitleShape(BaseModel):
    """A title for life."""

    title: str
    earned: str
    place: Place | None


class NormProgress(BaseModel):
    """How many of the norms that a title needs are there; a norm counts for all lower titles too."""

    title: str
    norms: int
    needed: int


class Notice(BaseModel):
    """A rating that moved although its holder did not play: by which run, how far, and because of which acts."""

    run: int
    at: str
    system: str
    name: str
    before: Rating | None
    after: Rating | None
    change: float | None
    through: list[Place]
    causes: list[JournalEntryShape]


class MemberView(View):
    """A member, their ratings, and everything that moved them, newest first."""

    member_id: str
    name: str
    state: str
    fide_id: str
    other_ids: tuple[str, ...]
    systems: list[SystemRating]
    coming: Coming | None
    titles: list[TitleShape]
    norms: list[NormShape]
    progress: list[NormProgress]
    notices: list[Notice]
    axis: str
    history: list[HistoryRow]
    paging: Paging

    _drawn: Sequence[HistoryRow] = ()

    @property
    def drawn(self) -> Sequence[HistoryRow]:
        """The whole history, oldest first, for the graph."""
        return self._drawn


MemberId = Annotated[str, Path(max_length=MOST_ID, description="The member's id.")]
SystemName = Literal["OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB", ""]
OneSystem = Annotated[SystemName, Query(description="Only this system.")]
Axis = Annotated[Literal["date", "games"], Query(description="What the graph runs over.")]


def member(
    read: Snapshot,
    member_id: MemberId,
    system: OneSystem = "",
    axis: Axis = "date",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=500)] = 10,
) -> MemberView:
    """A member: ratings in six systems, official and live, floors, norms, titles, and their history."""
    listed = require_member(read, member_id)
    file = read.files.file(listed)
    found, postings = file.member, file.postings
    rows = [history_row(read, posting) for posting in postings]
    chosen = [row for row in rows if system in ("", row.system)]
    some, paging = paged(chosen[::-1], page, size)
    view = MemberView(
        as_of=as_of(read),
        member_id=found.member_id,
        name=found.name,
        state=found.state,
        fide_id=found.fide_id,
        other_ids=found.other_ids,
        systems=[_standing(read, found.member_id, one, postings, found.state) for one in found.systems],
        coming=coming(read),
        titles=[_title(read, title) for title in found.titles],
        norms=[_norm(read, norm) for norm in file.norms],
        progress=list(_progress(file.norms, found.titles)),
        notices=list(islice(_notices(read, file), MOST_NOTICES)),
        axis=axis,
        history=some,
        paging=paging,
    )
    view._drawn = chosen
    return view


def require_member(read: Snapshot, member_id: str) -> Listed:
    """A member by their id, or a problem that says there is none."""
    listed = read.member(member_id)
    if listed is None:
        raise not_found("There is no member with this id.")
    return listed


def _standing(
    read: Snapshot, member_id: str, one: PublicSystem, postings: Sequence[PublicPosting], state: str
) -> SystemRating:
    mine = [posting for posting in postings if posting.posting.system is one.system]
    last = mine[-1].posting
    live = rating_of(one.live)
    assert live is not None
    return SystemRating(
        system=one.system.name,
        name=SYSTEM_NAMES[one.system.name],
        live=live,
        live_since=(last.as_of or last.ended).isoformat(),
        live_place=None if last.event_id.startswith(OWN) else place_of(read, last.event_id, last.section),
        live_player=last.number,
        plus_minus=_plus_minus(read, one),
        official=rating_of(one.official),
        official_month=one.month,
        floor=floor_of(one.floor),
        peak=_peak(read, mine),
        sections=sum(posting.posting.played is not None for posting in mine),
        rating_class=_class(live),
        record=_record(last),
        ranks=list(_ranks(read, one, state)),
        age_ranks=_age_ranks(read, member_id, one),
    )


def _plus_minus(read: Snapshot, one: PublicSystem) -> int | None:
    if not read.public.has_uncertainty or one.system is not RatingSystem.OTBR:
        return None
    return round(plus_minus(one.live.rating, math.inf if one.live.games is None else one.live.games))


def _record(last: Posting) -> Record | None:
    if last.wins is None or last.draws is None or last.losses is None:
        return None
    return Record(wins=last.wins, draws=last.draws, losses=last.losses)


def _class(live: Rating) -> ClassShape | None:
    if live.provisional:
        return None
    now = rating_class(live.rating)
    at = CLASSES.index(now)
    if at == 0:
        return ClassShape(title=now.title, next=None, points=None)
    above = CLASSES[at - 1]
    return ClassShape(title=now.title, next=above.title, points=above.lowest - official_rating(live.rating))


def _ranks(read: Snapshot, one: PublicSystem, state: str) -> Iterator[RankShape]:
    """Where the official rating stands, in all and in the member's state."""
    if one.official is None or one.official.is_provisional:
        return
    for where in ("", state) if state else ("",):
        found = read.ranks.rank(one.system, one.official.rating, where)
        if found is not None:
            yield RankShape(state=where, rank=found.rank, of=found.of, below=round(found.below, 1))


def _age_ranks(read: Snapshot, member_id: str, one: PublicSystem) -> list[AgeRankShape]:
    """Places on age lists that anybody can ask for; no page says more of an age."""
    if one.month is None or one.month != read.ranks.month:
        return []
    found = read.age_ranks.get((member_id, one.system), ())
    return [AgeRankShape(age=place.band, rank=place.rank) for place in found]


def _peak(read: Snapshot, mine: Sequence[PublicPosting]) -> Peak | None:
    """The highest established rating; the earliest of equals."""
    reached = [
        (official_rating(one.after.rating), one.posting)
        for one in mine
        if one.after is not None and not one.after.is_provisional
    ]
    if not reached:
        return None
    rating, posting = max(reached, key=lambda one: one[0])
    place = None if posting.event_id.startswith(OWN) else place_of(read, posting.event_id, posting.section)
    return Peak(rating=rating, on=posting.ended.isoformat(), place=place)


def coming(read: Snapshot) -> Coming | None:
    """The next list, where there is a rating that it may hold."""
    newest = read.lists[-1].month if read.lists else None
    if read.rated_at is None:
        return None
    now = max(read.rated_at, datetime.now(tz=UTC))
    return _coming_after(now.replace(minute=0, second=0, microsecond=0), newest)


@lru_cache(maxsize=8)
def _coming_after(now: datetime, newest: str | None) -> Coming | None:
    """The first list that is not out and whose cut-off has not passed; the same for all members."""
    month = Month(now.year, now.month)
    try:
        while cut_off(month) < now or (newest is not None and month_of(newest) >= month):
            month = _next(month)
        closing: datetime = cut_off(month).astimezone(CENTRAL)
        fewest = edition_for(month.first_day).lists.fewest_games
    except (OfficeError, NoEditionError):  # no cut-off is known for those years
        return None
    return Coming(
        month=str(month), cut_off=closing.isoformat(), official_from=month.first_day.isoformat(), fewest_games=fewest
    )


def _next(month: Month) -> Month:
    return Month(month.year + month.month // MONTHS, month.month % MONTHS + 1)


def _title(read: Snapshot, title: Title) -> TitleShape:
    is_somewhere = title.section is not None and title.event_id and not title.event_id.startswith(OWN)
    place = place_of(read, title.event_id, title.section or 0) if is_somewhere else None
    return TitleShape(title=title.kind.value, earned=title.earned.isoformat(), place=place)


def _norm(read: Snapshot, norm: Norm) -> NormShape:
    return NormShape(
        code=norm.code,
        level=norm.level,
        title=norm.title.value,
        earned=norm.ended.isoformat(),
        place=place_of(read, norm.event_id, norm.section),
    )


def _progress(norms: Sequence[Norm], titles: Sequence[Title]) -> Iterator[NormProgress]:
    """Titles that some norms count for and that are not there yet, the lowest first."""
    held = {title.kind for title in titles}
    for level, title in sorted({(norm.level, norm.title) for norm in norms}):
        if title not in held:
            count = sum(norm.level >= level for norm in norms)
            yield NormProgress(title=title.value, norms=min(count, NORMS_NEEDED), needed=NORMS_NEEDED)


def _notices(read: Snapshot, file: PublicFile) -> Iterator[Notice]:
    """The newest moves that can be seen: some decimals more or less are no news."""
    for move in file.moves:
        line = public_ripple(move, read.public.places)
        if line.before != line.after:
            yield _notice(read, line)


def _notice(read: Snapshot, line: PublicChange) -> Notice:
    act = read.act(line.run)
    assert act is not None
    causes = [read.act(cause) for cause in line.causes]
    return Notice(
        run=line.run,
        at=act.at.date().isoformat(),
        system=line.system.name,
        name=SYSTEM_NAMES[line.system.name],
        before=rating_of(line.before),
        after=rating_of(line.after),
        change=line.change,
        through=[place_of(read, *place) for place in line.sections if not place[0].startswith(OWN)],
        causes=[act_of(public_act(cause)) for cause in causes if cause is not None],
    )


class HistoryView(View):
    """Everything that moved a member's ratings, newest first."""

    member_id: str
    name: str
    history: list[HistoryRow]
    paging: Paging


def member_history(
    read: Snapshot,
    member_id: MemberId,
    system: OneSystem = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=500)] = 100,
) -> HistoryView:
    """Everything that moved a member's ratings, newest first, in one system or in all."""
    listed = require_member(read, member_id)
    rows = [history_row(read, posting) for posting in read.files.file(listed).postings]
    some, paging = paged([row for row in reversed(rows) if system in ("", row.system)], page, size)
    return HistoryView(as_of=as_of(read), member_id=listed.member_id, name=listed.name, history=some, paging=paging)


MEMBER = Page(
    "/members/{member_id}",
    member,
    "member.html",
    api="/members/{member_id}",
    summary="A member and their history",
    tag="members",
)
PAGES = (
    Page(
        "/members/{member_id}/history",
        member_history,
        "",
        api="/members/{member_id}/history",
        summary="A member's history",
        tag="members",
    ),
    MEMBER,
)

"""What the office did, act by act, and the ripple of each rating run: who moved, how far, through what, and why."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel

from crosstable.office.ledger.journal import AT_REST, EntryKind, JournalEntry
from crosstable.office.ledger.postings import OWN
from crosstable.office.public import PublicChange, public_act
from crosstable.office.public_index import acts_since, run_after, run_line, some_acts
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import Paging, View, as_of, paged
from crosstable.web.routes import Page
from crosstable.web.shapes import SYSTEM_NAMES, JournalEntryShape, Place, Rating, act_of, place_of, rating_of

# fmt: off
Kind = Literal[
    "", "founded", "members", "merge", "unmerge", "opening", "submit", "import",
    "confirm", "correct", "withdraw", "decide", "rate", "publish", "settings", "upgrade", "clock",
]
# fmt: on
KINDS = {
    "correct": "corrections",
    "rate": "rating runs",
    "submit": "submissions",
    "decide": "decisions",
    "publish": "lists",
    "withdraw": "withdrawals",
    "merge": "merges",
}


class ChangesView(View):
    """Acts of the office, newest first."""

    kind: str
    acts: list[JournalEntryShape]
    paging: Paging


class JournalEntryView(View):
    """One journal entry, with what it says of the record."""

    act: JournalEntryShape
    differences: list[str]
    event: str | None
    event_name: str | None
    run: int | None


class RunShape(BaseModel):
    """A rating run: when, how much it rated, how many ratings it moved."""

    run: int
    at: str
    actor: str
    reason: str
    sections: int
    moved: int


class RunsView(View):
    """Rating runs, newest first."""

    runs: list[RunShape]
    paging: Paging


class RatingChangeShape(BaseModel):
    """What a run did to one member in one system."""

    member_id: str
    name: str
    system: str
    system_name: str
    before: Rating | None
    after: Rating | None
    change: float | None
    through: list[Place]
    causes: list[int]


class RatingChangesView(View):
    """What a run did to whom, largest change first; ``unseen`` ratings moved by less than can be seen."""

    run: RunShape
    every: bool
    unseen: int
    causes: list[JournalEntryShape]
    lines: list[RatingChangeShape]
    paging: Paging


PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]
Size = Annotated[int, Query(ge=1, le=500)]
Seq = Annotated[int, Path(ge=1, le=2_000_000_000, description="The number of the act.")]


def changes(
    read: Snapshot,
    kind: Annotated[Kind, Query(description="Only acts of this kind.")] = "",
    since: Annotated[
        int | None, Query(ge=0, le=2_000_000_000, description="Only entries after this number, oldest first: a feed.")
    ] = None,
    page: PageNumber = 1,
    size: Size = 50,
) -> ChangesView:
    """The public log of the office, newest first; with ``since`` what came after an entry, oldest first."""
    if since is not None:
        later, total = acts_since(read.connection, since, [kind] if kind else [], size)
        paging = Paging(page=1, size=size, total=total)
        return ChangesView(as_of=as_of(read), kind=kind, acts=[act_of(public_act(act)) for act in later], paging=paging)
    found, total = some_acts(read.connection, [kind] if kind else [], page, size)
    paging = Paging(page=page, size=size, total=total)
    if page > paging.last:
        raise not_found(f"There are {paging.last} pages.")
    return ChangesView(as_of=as_of(read), kind=kind, acts=[act_of(public_act(act)) for act in found], paging=paging)


def change(read: Snapshot, seq: Seq) -> JournalEntryView:
    """One act of the office."""
    act = _require(read, seq)
    shape = act_of(public_act(act))
    event = read.event_by_id.get(act.subject)
    differences = shape.said.get("differences")
    return JournalEntryView(
        as_of=as_of(read),
        act=shape,
        differences=[str(one) for one in differences] if isinstance(differences, list) else [],
        event=None if event is None else event.event_id,
        event_name=None if event is None else event.name,
        run=seq if shape.kind == "rate" else _run_after(read, act),
    )


def _require(read: Snapshot, seq: int) -> JournalEntry:
    act = read.act(seq)
    if act is None:
        raise not_found("There is no such act.")
    return act


def _run_after(read: Snapshot, act: JournalEntry) -> int | None:
    """The run that took an act into account: the first one after it."""
    is_rated = act.kind is EntryKind.RATE or act.kind not in AT_REST
    return run_after(read.connection, act.seq) if is_rated else None


def ripples(read: Snapshot, page: PageNumber = 1, size: Size = 50) -> RunsView:
    """Rating runs, newest first; each has its ripple."""
    some, paging = paged(read.runs, page, size)
    return RunsView(
        as_of=as_of(read), runs=[_run(read, one.run, one.sections, one.moved) for one in some], paging=paging
    )


def _run(read: Snapshot, run: int, sections: int, moved: int) -> RunShape:
    act = public_act(_require(read, run))
    return RunShape(run=run, at=act.at.isoformat(), actor=act.actor, reason=act.reason, sections=sections, moved=moved)


def ripple(
    read: Snapshot,
    run: Seq,
    every: Annotated[bool, Query(description="Also ratings that moved by less than can be seen.")] = False,
    page: PageNumber = 1,
    size: Size = 100,
) -> RatingChangesView:
    """What a rating run did to whom: before, after, through which sections, because of which acts."""
    known = run_line(read.connection, run)
    if known is None:
        raise not_found("There is no such rating run.")
    lines = sorted(read.ripple(run), key=_weight)
    seen = [line for line in lines if line.before != line.after]
    some, paging = paged(lines if every else seen, page, size)
    causes = sorted({cause for line in lines for cause in line.causes})[:50]
    return RatingChangesView(
        as_of=as_of(read),
        run=_run(read, known.run, known.sections, known.moved),
        every=every,
        unseen=len(lines) - len(seen),
        causes=[act_of(public_act(_require(read, cause))) for cause in causes],
        lines=[_line(read, line) for line in some],
        paging=paging,
    )


def _weight(line: PublicChange) -> tuple[float, bool]:
    """Large changes first, then players who were unrated before."""
    return -abs(line.change or 0.0), line.before is None


def _line(read: Snapshot, line: PublicChange) -> RatingChangeShape:
    return RatingChangeShape(
        member_id=line.member_id,
        name=line.name,
        system=line.system.name,
        system_name=SYSTEM_NAMES[line.system.name],
        before=rating_of(line.before),
        after=rating_of(line.after),
        change=line.change,
        through=[place_of(read, *place) for place in line.sections if not place[0].startswith(OWN)],
        causes=list(line.causes),
    )


def _reading_ripple(read: Snapshot, asked: Mapping[str, Any]) -> Callable[[], object] | None:
    run = asked["run"]
    return None if (run, read.public.places) in read.found.ripples else partial(read.read_ripple, run)


def _reading_runs(read: Snapshot, asked: Mapping[str, Any]) -> Callable[[], object] | None:
    return None if read.run in read.found.runs else read.read_runs


PAGES = (
    Page("/changes", changes, "changes.html", api="/log", summary="What the office did", tag="log"),
    Page("/changes/{seq}", change, "change.html", api="/log/{seq}", summary="One act of the office", tag="log"),
    Page("/ripples", ripples, "ripples.html", api="/ripples", summary="Rating runs", tag="log", prepare=_reading_runs),
    Page(
        "/ripples/{run}",
        ripple,
        "ripple.html",
        api="/ripples/{run}",
        summary="What a run did to whom",
        tag="log",
        prepare=_reading_ripple,
    ),
)

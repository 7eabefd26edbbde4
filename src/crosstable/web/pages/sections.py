"""A section as a crosstable: rows by points, then by the rating after it; both systems where it is dual-rated."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from fastapi import Path
from pydantic import BaseModel, Field

from crosstable.engine import RatedSection
from crosstable.office.ledger.facts import Heading, State
from crosstable.office.public import PublicRow, public_rows
from crosstable.office.submissions import event_of
from crosstable.output.crosstable import columns_of, padded
from crosstable.output.tie_breaks import METHODS, field_of, standings, usual_methods
from crosstable.output.words import KINDS, cell_text, controls_text
from crosstable.terms import Cell, Entry
from crosstable.web.pages.events import STATES, WAITS
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import View, as_of
from crosstable.web.routes import Page
from crosstable.web.shapes import Rating, change_of, rating_of

# A section with more rounds is printed on its side.
UPRIGHT_ROUNDS = 7
# A section with more players does not fit a sheet on its side.
SIDEWAYS_ROWS = 28
# So many sections stand on one page.
MOST_SECTIONS = 60


class RowInSystem(BaseModel):
    """A player's result in one system."""

    system: str
    before: Rating | None
    after: Rating | None
    change: float | None
    formula: str | None
    floor: str | None
    norm: str | None
    assumed: tuple[str, ...]


class CrosstableRow(BaseModel):
    """A row: its rank, the number of the report, the player, points, rounds, ratings.

    ``rounds`` names opponents by their row, ``cells`` by their number. ``place`` is by points and tie-breaks.
    """

    row: int
    number: int
    member_id: str
    name: str
    points: float
    rounds: list[str]
    cells: list[str]
    ratings: list[RowInSystem]
    place: int
    tie_breaks: list[float]
    opponents: list[int] = Field(
        description="For each of the cells, the number of the opponent, 0 where there is none."
    )


class EventHead(BaseModel):
    """What a crosstable says of its event."""

    affiliate: str
    city: str
    state: str
    director: str


class SectionView(View):
    """A section; without rows where it is not rated."""

    event_id: str
    event_name: str
    number: int
    name: str
    state: str
    kind: str
    online: bool
    started: str | None
    ended: str | None
    time_control: str
    half_k: bool
    systems: list[str]
    edition: str | None
    rounds: int
    columns: list[int]
    rows: list[CrosstableRow]
    others: list[int]
    head: EventHead
    tie_breaks: list[str] = Field(description="The titles of the rows' tie-breaks, by the rulebook's order.")

    @property
    def is_tall(self) -> bool:
        """Whether it is printed small, so that it fits one upright sheet."""
        return len(self.rows) > SIDEWAYS_ROWS

    @property
    def is_wide(self) -> bool:
        """Whether it is printed on its side."""
        return self.rounds > UPRIGHT_ROUNDS


class Rated(NamedTuple):
    """A section in one system, with its public rows by pairing number."""

    rated: RatedSection
    rows: dict[int, PublicRow]


EventId = Annotated[str, Path(max_length=48, description="The number of the event.")]
SectionNumber = Annotated[int, Path(ge=0, le=100_000, description="The number of the section in its event.")]


def section(read: Snapshot, event_id: EventId, number: SectionNumber) -> SectionView:
    """The crosstable of a section, in each system that it is rated in."""
    event = read.event(event_id)
    heading = require_section(read, event_id, number)
    rated = rated_section(read, heading)
    entries = rated[0].rated.section.entries if rated else ()
    rounds = max((len(entry.cells) for entry in entries), default=0)
    columns, rows = _crosstable(entries, rated, rounds)
    methods = usual_methods(heading.kind) if rated else ()
    return SectionView(
        as_of=as_of(read),
        event_id=event_id,
        event_name=event.name,
        number=number,
        name=heading.name,
        state=WAITS if heading.state is State.ACCEPTED and not rated else STATES[heading.state],
        kind=KINDS[heading.kind],
        online=heading.is_online,
        started=None if heading.started is None else heading.started.isoformat(),
        ended=None if heading.ended is None else heading.ended.isoformat(),
        time_control=controls_text(heading.time_controls),
        half_k=heading.is_half_k,
        systems=[one.rated.system.name for one in rated],
        edition=rated[0].rated.edition.name if rated else None,
        rounds=rounds,
        columns=columns,
        rows=rows,
        others=[one.number for one in event.sections if one.number != number],
        head=head_of(read, event_id),
        tie_breaks=[METHODS[name].title for name in methods],
    )


def head_of(read: Snapshot, event_id: str) -> EventHead:
    """Who held an event and where, as its report says."""
    details = event_of(read.record, event_id).details
    said = {name: str(details.get(name, "")) for name in ("affiliate", "city", "state")}
    return EventHead(**said, director=str(details.get("chief_td", "") or details.get("chief_arbiter", "")))


def require_section(read: Snapshot, event_id: str, number: int) -> Heading:
    """A section as it stands for the newest run, or as it came in where no run has seen it."""
    read.event(event_id)
    heading = read.public.record.heading(event_id, number) or read.record.heading(event_id, number)
    if heading is None:
        raise not_found("This event has no such section.")
    return heading


def rated_section(read: Snapshot, heading: Heading) -> list[Rated]:
    """The section in each of its systems; nothing where it is not rated yet."""
    return [
        Rated(rated, {row.number: row for row in public_rows(rated, read.public.places)})
        for rated in read.rated(heading)
    ]


def _crosstable(entries: Sequence[Entry], rated: Sequence[Rated], rounds: int) -> tuple[list[int], list[CrosstableRow]]:
    """The columns by their numbers in the report, as the rows show them, and the rows."""
    if not rated:
        return [], []
    first, kind = rated[0].rows, rated[0].rated.section.kind
    placed = {one.number: one for one in standings(field_of(rated[0].rated), usual_methods(kind))}
    ordered = sorted(entries, key=lambda entry: (-entry.points, -_after(first[entry.number]), entry.number))
    cells = [padded(entry, rounds) for entry in ordered]
    columns = columns_of(cells, rounds)
    numbers = {entry.number: at for at, entry in enumerate(ordered, start=1)}
    rows = [
        CrosstableRow(
            row=at,
            number=entry.number,
            member_id=entry.member_id,
            name=entry.name,
            points=entry.points,
            rounds=[cell_text(_by_row(cells[at - 1][column], numbers)) for column in columns],
            cells=[cell_text(cells[at - 1][column]) for column in columns],
            ratings=[_in_system(one, one.rows[entry.number]) for one in rated],
            place=placed[entry.number].place,
            tie_breaks=list(placed[entry.number].values),
            opponents=[cells[at - 1][column].opponent for column in columns],
        )
        for at, entry in enumerate(ordered, start=1)
    ]
    return [column + 1 for column in columns], rows


def _by_row(cell: Cell, numbers: dict[int, int]) -> Cell:
    return cell._replace(opponent=numbers.get(cell.opponent, 0))


def _after(row: PublicRow) -> float:
    return -1.0 if row.after is None else row.after.rating


def _in_system(one: Rated, row: PublicRow) -> RowInSystem:
    before, after = rating_of(row.before), rating_of(row.after)
    return RowInSystem(
        system=one.rated.system.name,
        before=before,
        after=after,
        change=change_of(before, after),
        formula=row.formula,
        floor=None if row.floor is None else f"{row.floor[0].replace('_', ' ')} {row.floor[1]:g}",
        norm=row.norm,
        assumed=row.assumed,
    )


class EventCrosstables(View):
    """Every rated section of an event, one after the other."""

    event_id: str
    name: str
    sections: list[SectionView]


def crosstables(read: Snapshot, event_id: EventId) -> EventCrosstables:
    """All sections of an event on one page."""
    event = read.event(event_id)
    sections = [section(read, event_id, one.number) for one in event.sections[:MOST_SECTIONS]]
    return EventCrosstables(as_of=as_of(read), event_id=event_id, name=event.name, sections=sections)


PAGES = (
    Page(
        "/events/{event_id}/crosstables",
        crosstables,
        "crosstables.html",
        api="/events/{event_id}/crosstables",
        summary="All crosstables of an event",
        tag="events",
    ),
    Page(
        "/events/{event_id}/sections/{number}",
        section,
        "section.html",
        api="/events/{event_id}/sections/{number}",
        summary="The crosstable of a section",
        tag="events",
    ),
)

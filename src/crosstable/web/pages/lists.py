"""Published lists, frozen with their digests; top lists by system, and by state or age; and lists as files."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import Path as InPath
from fastapi import Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from crosstable import __version__
from crosstable.errors import FormatError, OfficeError
from crosstable.formats import sheet_rows
from crosstable.office import list_files, public, supplements
from crosstable.office.list_files import BASES, ListMember, list_csv, list_parquet, list_xlsx
from crosstable.office.public_index import listed_ratings
from crosstable.office.published import CENTRAL
from crosstable.office.supplements import Supplement
from crosstable.office.top_lists import AGE_BANDS, MOST_TOP, NOT_BY_STATE, TopRow, Wanted, band_of
from crosstable.terms import RatingSystem
from crosstable.web.cache import is_named
from crosstable.web.forms import in_queue
from crosstable.web.gate import actor_of, charge, client_address, reading_of
from crosstable.web.kept_files import KeptFiles, OpenFile
from crosstable.web.limits import LIST_FILE_COST, LIST_FILES
from crosstable.web.pages.members import SystemName
from crosstable.web.problems import Problem, not_found
from crosstable.web.reading import Listing, Snapshot
from crosstable.web.replies import REVALIDATE, Paging, View, as_of, paged
from crosstable.web.routes import Page, Policy, Route
from crosstable.web.search import folded
from crosstable.web.shapes import Rating, rating_of

BIN = 100
# A page of a top list has so many rows.
TOP_PAGE = 100
BANDS = [band.name for band in AGE_BANDS]


class ListLine(BaseModel):
    """A published list: when its ratings are official, what is in it, and the hash of its rows."""

    month: str
    official_from: str
    basis: str
    basis_words: str
    cut_off: str
    ratings: int
    act: int


class Bin(BaseModel):
    """How many established ratings lie from a level on, up to the next."""

    level: int
    members: int


class ListsView(View):
    """Every published list, newest first, and how the established Regular ratings of the newest one are spread."""

    lists: list[ListLine]
    distribution: list[Bin]


class ListedMember(BaseModel):
    """A member on a list, with their rating in every system."""

    member_id: str
    name: str
    state: str
    fide_id: str
    ratings: dict[str, Rating]


class ListView(View):
    """A published list, or a part of it."""

    listed: ListLine
    heading: list[tuple[str, str]]
    query: str
    state: str
    sort: str
    states: list[str]
    members: list[ListedMember]
    paging: Paging


class TopLine(BaseModel):
    """A member on a top list; ties share a rank."""

    rank: int
    member_id: str
    name: str
    state: str
    rating: int
    games: float | None
    provisional: bool
    past: list[int]


class TopView(View):
    """A top list of a month."""

    month: str
    title: str
    system: str
    state: str
    age: str
    provisional: bool
    top: int
    states: list[str]
    bands: list[str]
    months: list[str]
    rows: list[TopLine]
    page: int

    @property
    def parts(self) -> Paging:
        """Where in the whole list the rows stand that a page shows; programs get all of them."""
        return Paging(page=self.page, size=TOP_PAGE, total=len(self.rows))

    @property
    def shown(self) -> list[TopLine]:
        """The rows that a page shows."""
        return paged(self.rows, self.page, TOP_PAGE)[0]


MonthText = Annotated[str, InPath(pattern=r"^\d{4}-\d{2}$", description="The month of the list: 2026-10.")]


def lists(read: Snapshot) -> ListsView:
    """Every published list, newest first. A list is never changed once it is out."""
    spread = read.ranks.distribution(RatingSystem.OTBR, BIN)
    bins = [Bin(level=level, members=count) for level, count in spread]
    return ListsView(as_of=as_of(read), lists=[_line(one) for one in reversed(read.lists)], distribution=bins)


def _line(one: Supplement) -> ListLine:
    return ListLine(
        month=one.month,
        official_from=f"{one.month}-01",
        basis=one.basis.value,
        basis_words=BASES[one.basis],
        cut_off=f"{one.cut_off.astimezone(CENTRAL):%Y-%m-%d %H:%M} Central",
        ratings=one.rows,
        act=one.act,
    )


def _require(read: Snapshot, month: str) -> Supplement:
    found = next((one for one in read.lists if one.month == month), None)
    if found is None:
        raise not_found("The list of that month is not published.")
    return found


class ListAsked(BaseModel):
    """What part of a list is asked for."""

    q: Annotated[str, Field(max_length=200, description="A part of the name, or an id.")] = ""
    state: Annotated[str, Field(max_length=40, description="Only members of this state.")] = ""
    sort: Annotated[SystemName | Literal["name"], Field(description="By name, or by the ratings of a system.")] = "name"
    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    size: Annotated[int, Field(ge=1, le=500, description="Rows on a page, at most 500.")] = 50

    def chosen(self, listing: Listing) -> list[ListMember]:
        """The members that belong to that part."""
        wanted, state = folded(self.q.strip()), self.state.casefold()
        return [
            member
            for member, name in zip(listing.table.members, listing.names, strict=True)
            if (not wanted or wanted in name or wanted == member.member_id)
            and (not state or member.state.casefold() == state)
        ]


def rating_list(read: Snapshot, month: MonthText, asked: Annotated[ListAsked, Query()]) -> ListView:
    """A published list: a row per member, all six systems side by side."""
    listed = _require(read, month)
    listing = read.listing(month)
    chosen = asked.chosen(listing)
    if asked.sort not in ("name", ""):
        system = RatingSystem[asked.sort]
        chosen = sorted((one for one in chosen if system in one.ratings), key=lambda one: -one.ratings[system].rating)
    some, paging = paged(chosen, asked.page, asked.size)
    return ListView(
        as_of=as_of(read),
        listed=_line(listed),
        heading=[(name, value) for name, value in listing.table.heading],
        query=asked.q.strip(),
        state=asked.state,
        sort=asked.sort or "name",
        states=listing.states,
        members=[_member(one) for one in some],
        paging=paging,
    )


def _member(one: ListMember) -> ListedMember:
    ratings = {system.name: rating_of(shown) for system, shown in one.ratings.items()}
    return ListedMember(
        member_id=one.member_id,
        name=one.name,
        state=one.state,
        fide_id=one.fide_id,
        ratings={name: rating for name, rating in ratings.items() if rating is not None},
    )


class TopAsked(BaseModel):
    """Which top list is asked for."""

    system: Annotated[SystemName, Field(description="The system of the list.")] = "OTBR"
    state: Annotated[str, Field(max_length=40, description="Only members of this state.")] = ""
    age: Annotated[str, Field(description="An age band.", json_schema_extra={"enum": ["", *BANDS]})] = ""
    provisional: Annotated[bool, Field(description="Provisional ratings too.")] = False
    top: Annotated[int, Field(ge=1, le=MOST_TOP, description="The first so many.")] = 100
    page: Annotated[int, Field(ge=1, le=MOST_TOP, description="For readers, a hundred rows; programs get all.")] = 1

    @property
    def wanted(self) -> Wanted:
        """The list in the office's words; a band that there is not is a problem."""
        try:
            band = band_of(self.age) if self.age else None
        except OfficeError as error:
            raise Problem(422, f"{error}.") from error
        if band is not None and self.state:
            raise Problem(422, f"{NOT_BY_STATE[0].upper()}{NOT_BY_STATE[1:]}.")
        return Wanted(RatingSystem[self.system or "OTBR"], self.state, band, self.top, self.provisional)


def top(read: Snapshot, month: MonthText, asked: Annotated[TopAsked, Query()]) -> TopView:
    """The highest ratings of a list, by system, and by state or age group; who ties with the last one is on it too."""
    _require(read, month)
    wanted = asked.wanted
    found = read.top(month, wanted)
    return TopView(
        as_of=as_of(read),
        month=month,
        title=found.title,
        system=wanted.system.name,
        state=asked.state,
        age=asked.age,
        provisional=asked.provisional,
        top=asked.top,
        states=read.listing(month).states,
        bands=BANDS,
        months=[one.month for one in reversed(read.lists)],
        rows=_top_lines(read, month, wanted.system, found.rows),
        page=asked.page,
    )


def _top_lines(read: Snapshot, month: str, system: RatingSystem, rows: Sequence[TopRow]) -> list[TopLine]:
    """The rows of a top list, each with the ratings of the lists before it."""
    past = listed_ratings(read.connection, read.months_before(month), [row.member_id for row in rows])
    return [
        TopLine(
            rank=row.rank,
            member_id=row.member_id,
            name=row.name,
            state=row.state,
            rating=row.rating,
            games=row.games,
            provisional=row.is_provisional,
            past=past.get((row.member_id, system), []),
        )
        for row in rows
    ]


# files

_WRITERS = (public, supplements, list_files, sheet_rows)
FILES = {
    "csv": (list_csv, "text/csv; charset=utf-8"),
    "xlsx": (list_xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "parquet": (list_parquet, "application/vnd.apache.parquet"),
}


async def list_file(request: Request, month: MonthText, form: Literal["csv", "xlsx", "parquet"]) -> Response:
    """A published list as a file; it never changes, so it is made once, and who has it already is told so."""
    read = reading_of(request).now
    key = _key(_require(read, month), form, read.erasures)
    headers = {
        "Content-Disposition": f'attachment; filename="ratings-{month}.{form}"',
        "ETag": f'"{key}"',
        "Cache-Control": REVALIDATE,
    }
    wanted = request.headers.get("if-none-match", "").encode("latin-1")
    if wanted and is_named(wanted, f'"{key}"'.encode()):
        return Response(status_code=304, headers=headers)
    kept: KeptFiles = request.app.state.kept_files
    name = kept.name_of(f"{month}-{key}.{form}", read.erasures)
    found: BinaryIO | bytes | None = await run_in_threadpool(kept.find, name)
    if found is None:
        charge(request, await actor_of(request), LIST_FILE_COST)
        queue = LIST_FILES.of(client_address(request))
        found = await in_queue(queue, _made, kept, name, read, (month, form))
    media_type = FILES[form][1]
    if isinstance(found, bytes):
        return Response(found, media_type=media_type, headers=headers)
    return OpenFile(found, media_type, headers)


def program(*modules: ModuleType) -> str:
    """What writes files: another version, or another text of the modules that make them, writes them anew."""
    digest = hashlib.sha256(__version__.encode())
    for module in modules:
        assert module.__file__ is not None
        digest.update(Path(module.__file__).read_bytes())
    return digest.hexdigest()


@cache
def _program() -> str:
    return program(*_WRITERS)


def _key(listed: Supplement, form: str, erasures: int) -> str:
    """What a file depends on: the list, by the public head of the record, who was erased, the program, and its form."""
    said = (_program(), listed.month, listed.head, form, *([str(erasures)] if erasures else []))
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:24]


def _made(kept: KeptFiles, name: str, read: Snapshot, which: tuple[str, str]) -> BinaryIO | bytes:
    """The file, as somebody who waited before has made it, or new."""
    month, form = which

    def content() -> bytes:
        table = read.read_list(month).table  # on a connection of its own: nobody waits for it
        try:
            return FILES[form][0](table)
        except FormatError as error:
            raise Problem(406, f"{error.fault.message}") from error

    return kept.find(name) or kept.keep(name, content)


def _reading(read: Snapshot, asked: Mapping[str, Any]) -> Callable[[], object] | None:
    """What a page of a list needs first, where it is not at hand."""
    month = _require(read, asked["month"]).month
    return None if month in read.found.tables else partial(read.read_list, month)


def _reading_top(read: Snapshot, asked: Mapping[str, Any]) -> Callable[[], object] | None:
    """The same for a top list."""
    month, wanted = _require(read, asked["month"]).month, asked["asked"].wanted
    is_at_hand = month in read.found.tables and read.top_asked(month, wanted) in read.found.tops
    return None if is_at_hand else partial(read.read_top, month, wanted)


_LISTED, _TOP = "/lists/{month}", "/lists/{month}/top"
# Whoever makes a page of a list that is at hand asks the record nothing more, and holds nobody up.
PAGES = (
    Page("/lists", lists, "lists.html", api="/lists", summary="Published lists", tag="lists"),
    Page(_TOP, top, "top.html", _TOP, "A top list", "lists", prepare=_reading_top, holds_record=False),
    Page(_LISTED, rating_list, "list.html", _LISTED, "A published list", "lists", prepare=_reading, holds_record=False),
)
ROUTES = (Route("/lists/{month}/ratings.{form}", list_file, Policy.PUBLIC),)

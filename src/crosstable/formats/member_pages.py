"""What US Chess published of one member until November 2025: the saved page of details, or of the tournament history.

Details name the published rating in every system with its supplement, the games of a provisional one, and the floor. A
history has a row for each event, newest first, with the ratings before and after (``ONL:`` marks an online system):

    2026-08-30 202608300103 | SUMMER QUADS 1: OPEN | 1641 (P22) => 1657 | | ONL:(Unrated) => 1540 (P7)

The archive of such pages is gzipped JSON lines, one page a line.
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from datetime import date
from typing import Any

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats.dates import iso_day
from crosstable.formats.msa_header import SYSTEMS
from crosstable.formats.pages import Page, read_page
from crosstable.record_rows import CareerRow, MemberPage
from crosstable.terms import Floor, FloorKind, PlayerRating, RatingSystem

_MARK = b"US Chess MSA - Member Details"
_MEMBER = re.compile(r"\b(\d{8}): (\S[^|]*)", re.ASCII)
_TITLES = dict(
    zip(
        ("Regular", "Quick", "Blitz", "Online-Regular", "Online-Quick", "Online-Blitz"),
        SYSTEMS.values(),
        strict=True,
    )
)
_PUBLISHED = re.compile(
    r"(\d{3,4})(?: \(Based on (\d{1,2}) games?\))? (\d{4}-\d\d)(?: \(Current floor is (\d{3,4})\))?"
)
_EVENT = re.compile(r"(\d{4}-\d\d-\d\d) (\d{12})", re.ASCII)
_CHANGE = re.compile(r"(ONL:)?\(?(Unrated|\d{3,4})\)?(?: \(P(\d{1,2})\))? => (\d{3,4})(?: \(P(\d{1,2})\))?", re.ASCII)
_SINCE_1991 = re.compile(r"Events for this player since late 1991: (\d{1,5})", re.ASCII)


def looks_like(data: bytes) -> bool:
    """Whether this is a saved page of a member."""
    return _MARK in data[:4000]


def read(data: bytes, name: str) -> MemberPage:
    """Read a page of details or a tournament history; raises ``FormatError`` where it names no member or no rating."""
    page = read_page(data, name)
    texts = [cell for table in page.tables for row in table.rows for cell in row]
    member = next((found for text in texts if (found := _MEMBER.fullmatch(text))), None)
    if member is None:
        raise FormatError(fault("not-readable", name, "The page names no member.", "Save the whole page again."))
    career = tuple(_career(page))[::-1]
    since = next((found for text in texts if (found := _SINCE_1991.search(text))), None)
    events = {(row.on, row.event) for row in career}
    is_whole = since is not None and len(events) <= int(since[1]) <= len(career)
    return MemberPage(member[1], member[2], _published(page), career, is_whole)


def _published(page: Page) -> dict[RatingSystem, PlayerRating]:
    standings = {}
    for row in (row for table in page.tables for row in table.rows if len(row) > 1):
        system = _TITLES.get(row[0].removesuffix(" Rating"))
        if system is not None and (found := _PUBLISHED.match(row[1])) and (as_of := iso_day(f"{found[3]}-01")):
            rating = PlayerRating(float(found[1]), float(found[2]) if found[2] else None, published=float(found[1]))
            floors = (Floor(FloorKind.OFFICE, float(found[4])),) if found[4] else ()
            standings[system] = rating._replace(as_of=as_of, floors=floors)
    return standings


def _career(page: Page) -> Iterator[CareerRow]:
    over_the_board, online = tuple(_TITLES.values())[:3], tuple(_TITLES.values())[3:]
    for row in (row for table in page.tables for row in table.rows):
        found = _EVENT.fullmatch(row[0]) if row else None
        day = iso_day(found[1]) if found else None
        if found is None or day is None:
            continue
        for at, cell in enumerate(row[2 : 2 + len(over_the_board)]):
            if change := _CHANGE.fullmatch(cell):
                system = (online if change[1] else over_the_board)[at]
                before = None if change[2] == "Unrated" else _rating(change[2], change[3])
                yield CareerRow(day, found[2], system, before, _rating(change[4], change[5]))


def _rating(rating: str, games: str | None) -> PlayerRating:
    return PlayerRating(float(rating), None if games is None else float(games))


def archived(data: bytes) -> bool:
    """Whether these are the gzipped lines of an archive of such pages."""
    if not data.startswith(b"\x1f\x8b"):
        return False
    try:
        head = zlib.decompressobj(wbits=31).decompress(data, 400)
    except zlib.error:
        return False
    return head.startswith(b'{"member"') and b'"page"' in head


def read_archive(data: bytes, name: str) -> Iterator[MemberPage]:
    """The pages of an archive; raises ``FormatError`` where it does not unpack, or at a line that is not one."""
    try:
        lines = gzip.decompress(data).splitlines()
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(fault("not-readable", name, f"The file does not unpack: {error}.")) from error
    for number, line in enumerate(lines, start=1):
        try:
            yield _archived_page(json.loads(line))
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
            place = f"{name}, line {number}"
            raise FormatError(fault("not-readable", place, f"The line is no page of a member: {error!r}.")) from error


def _archived_page(page: dict[str, Any]) -> MemberPage:
    standings = {}
    for letter, one in page.get("ratings", {}).items():
        if one and one["rating"] is not None:
            floors = (Floor(FloorKind.OFFICE, float(one["floor"])),) if one.get("floor") else ()
            as_of = date.fromisoformat(f"{one['supplement']}-01") if one.get("supplement") else None
            standings[SYSTEMS[letter]] = PlayerRating(
                float(one["rating"]), _games(one["games"]), as_of=as_of, floors=floors
            )
    career = tuple(
        CareerRow(date.fromisoformat(row["end_date"]), row["event"], system, _pair(row[letter]["pre"]), after)
        for row in reversed(page.get("rows", []))
        for letter, system in SYSTEMS.items()
        if letter in row and (after := _pair(row[letter]["post"])) is not None
    )
    return MemberPage(page["member"], "", standings, career, page.get("events_since_1991") == len(page.get("rows", [])))


def _pair(pair: list[float | None] | None) -> PlayerRating | None:
    return None if pair is None or pair[0] is None else PlayerRating(float(pair[0]), _games(pair[1]))


def _games(count: float | None) -> float | None:
    return None if count is None else float(count)

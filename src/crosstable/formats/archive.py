"""The archive of official crosstables: gzipped JSON lines, one section and rating system a line, read only.

Each line becomes a report with one section in one system. What the page showed beside the games is kept in details,
under the names of the saved pages: the days it was rated, ``corrected_since``, and per player ``quality``, ``status``
and ``norm``.
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from datetime import date
from typing import Any

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats.msa_header import SYSTEMS, processed_days
from crosstable.rules.time_controls import split_schedule
from crosstable.terms import (
    Background,
    PlayerRating,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)

TYPE_CODES = {"R": SectionType.ROUND_ROBIN, "M": SectionType.MATCH}
# Two pages print a bye in full.
_SPELT_OUT = {"BYE": Result.FULL_BYE}
GZIP = b"\x1f\x8b"
LARGEST = 200_000_000


def looks_like(data: bytes) -> bool:
    """Whether these are the gzipped lines of such an archive."""
    if not data.startswith(GZIP):
        return False
    try:
        head = zlib.decompressobj(wbits=31).decompress(data, 400)
    except zlib.error:
        return False
    return (b'"event"' in head and b'"this_system"' in head) or b'"source"' in head


def read(data: bytes, name: str) -> Iterator[Report]:
    """The reports of one file of the archive, in its order; raises ``FormatError`` at a line that is not one."""
    try:
        text = gzip.decompress(data).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise FormatError(fault("not-readable", name, "The file is not a gzipped archive of crosstables.")) from error
    for number, line in enumerate(text.splitlines(), start=1):
        place = f"{name}, line {number}"
        try:
            yield _report(json.loads(line), place)
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(fault("not-readable", place, f"The line is not a crosstable: {error!r}.")) from error


def _report(page: dict[str, Any], place: str) -> Report:
    event = page["event"]
    system = SYSTEMS[event["this_system"]]
    start, end = date.fromisoformat(event["start_date"]), date.fromisoformat(event["end_date"])
    players = tuple(_player(row, system, place) for row in page["players"])
    codes = ("tnmt_type", "rating_sys_code", "k_factor_code")
    section = ReportedSection(
        number=event["section_no"],
        name="",
        kind=TYPE_CODES.get(event["tnmt_type"], SectionType.SWISS),
        is_online=system.is_online,
        time_controls=split_schedule(event["time_control"]) if event["time_control"] else (),
        systems=(system,),
        start=start,
        end=end,
        players=players,
        place=place,
        match_waiver="official result" if event["tnmt_type"] == "M" else "",
        details={
            **{code: str(event[code]) for code in codes},
            **processed_days(event.get("processed") or ""),
            **({"corrected_since": "Y"} if "corrected_since" in (event.get("notes") or ()) else {}),
        },
    )
    return Report(event["id"], "", start, end, (section,), place)


def _player(row: dict[str, Any], system: RatingSystem, place: str) -> ReportedPlayer:
    number = row["no"]
    standings = {}
    if row["pre"] is not None:
        standings[system] = PlayerRating(rating=float(row["pre"]), games=row["pre_games"])
    posted = {}
    if row["post"] is not None:
        posted[system] = Posted(float(row["post"]), row["post_games"])
    return ReportedPlayer(
        number=number,
        member_id=row["id"] or "",
        name=row["name"],
        cells=tuple(_cell(cell) for cell in row["rounds"]),
        background=Background(standings=standings),
        place=f"{place}, player {number}",
        posted=posted,
        total=row["score"],
        details={
            "quality": row["quality"],
            "status": row["status"],
            "norm": (row.get("norm") or "").removeprefix("N:"),
        },
    )


def _cell(cell: dict[str, Any]) -> ReportedCell:
    letter = cell["result"] or ""
    if letter.startswith(Result.OWN_COLUMN):  # the own column of a round robin, however many stars it has
        letter = Result.OWN_COLUMN.value
    opponent = cell.get("opp") or 0
    colour = (cell.get("color") or "").lower()
    if letter in ("", *Result):
        return ReportedCell(f"{letter}{opponent or ''}{colour}", Result(letter), opponent, colour)
    return ReportedCell(letter, _SPELT_OUT.get(letter.replace(" ", "")), opponent, colour)

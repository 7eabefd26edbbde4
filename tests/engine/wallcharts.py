"""Wallcharts as text, the way a director reads them, and the sections under test that they stand for.

A row is ``number | a cell per round | ratings | norm``::

     8 | W3 W32 L14 L9 W47 W28 W19 | R: 1641P17 -> 1657P24 | N:3
    62 | W55 U  U   U  U   U   U   | R: 1530    -> 1535    |

Ratings are written as published crosstables write them: ``R Q B OR OQ OB`` name the system, ``1641P17`` is a
provisional rating on 17 games, ``1530`` an established one whose count is not shown, ``Unrated`` none at all. Two
things are our own: ``1850/120`` is a rating on 120 games, and the rating after the section may be left out. ``#``
begins a comment.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection, rate
from crosstable.rules.editions import edition_for
from crosstable.rules.time_controls import is_dual_control, parse_time_control, systems_for
from crosstable.terms import Background, Cell, Entry, PlayerRating, RatingSystem, Result, Section, SectionType

PREFIXES = {
    "R": RatingSystem.OTBR,
    "Q": RatingSystem.OTBQ,
    "B": RatingSystem.OTBB,
    "OR": RatingSystem.OLR,
    "OQ": RatingSystem.OLQ,
    "OB": RatingSystem.OLB,
}
_CELL = re.compile(r"([A-Z*])(\d*)([wb]?)")
_RATING = re.compile(r"(\d+(?:\.\d+)?)(?:([P/])(\d+))?")
_RATINGS = re.compile(r"([A-Z]{1,2}): *(\S+)(?: *-> *(\S+))?")


class Printed(NamedTuple):
    """A rating as printed; ``games`` is ``None`` where an established rating shows no count."""

    rating: float
    games: int | None


class Row(NamedTuple):
    """One row of a wallchart: what was played, what was brought, what was posted."""

    number: int
    cells: tuple[Cell, ...]
    before: Mapping[RatingSystem, Printed]
    after: Mapping[RatingSystem, Printed]
    norm: str | None


class Played(NamedTuple):
    """When and how a section under test was played; unless said otherwise, long games under the 2025 text."""

    start: date = date(2026, 7, 4)
    end: date | None = None
    kind: SectionType = SectionType.SWISS
    control: str = "G/90;d5"
    is_online: bool = False
    is_half_k: bool = False


def wallchart(text: str) -> tuple[Row, ...]:
    """Read a wallchart; anything in it that is not understood is an error of the test."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(_row(line) for line in lines if line)


def _row(line: str) -> Row:
    number, cells, *fields = (field.strip() for field in line.split("|"))
    before: dict[RatingSystem, Printed] = {}
    after: dict[RatingSystem, Printed] = {}
    norm = None
    for field in filter(None, fields):
        if field.startswith("N:"):
            norm = field[2:]
            continue
        found = _RATINGS.fullmatch(field)
        assert found is not None, f"{field!r} is no rating"
        system = PREFIXES[found[1]]
        if found[2] != "Unrated":
            before[system] = _printed(found[2])
        if found[3] is not None:
            after[system] = _printed(found[3])
    return Row(int(number), tuple(_cell(cell) for cell in cells.split()), before, after, norm)


def _cell(text: str) -> Cell:
    found = _CELL.fullmatch(text)
    assert found is not None, f"{text!r} is no cell"
    return Cell(Result(found[1]), int(found[2] or 0), found[3])


def _printed(text: str) -> Printed:
    found = _RATING.fullmatch(text)
    assert found is not None, f"{text!r} is no rating"
    return Printed(float(found[1]), int(found[3]) if found[3] else None)


def section_of(rows: tuple[Row, ...], played: Played) -> Section:
    """The section a wallchart stands for; every row is a member of its own."""
    control = parse_time_control(played.control)
    ranges = edition_for(played.start).controls
    return Section(
        number=1,
        name="Under test",
        kind=played.kind,
        is_online=played.is_online,
        time_control=control,
        systems=systems_for(control, is_online=played.is_online, ranges=ranges),
        start=played.start,
        end=played.end or played.start,
        entries=tuple(_entry(row) for row in rows),
        is_half_k=played.is_half_k,
        is_dual_control=is_dual_control(control, ranges) and not played.is_online,
    )


def _entry(row: Row) -> Entry:
    """The row of a player who brings the printed ratings and nothing else."""
    ratings = {system: PlayerRating(printed.rating, printed.games) for system, printed in row.before.items()}
    member_id, name = f"{10_000_000 + row.number}", f"Row {row.number}"
    return Entry(row.number, member_id, name, row.cells, background=Background(standings=ratings))


def rate_wallchart(
    text: str,
    played: Played = Played(),  # noqa: B008 (an immutable record)
    system: RatingSystem = RatingSystem.OTBR,
    *,
    known: Mapping[int, Background] | None = None,
) -> RatedSection:
    """Rate a wallchart in one system; ``known`` says more about some players than a wallchart can."""
    section = section_of(wallchart(text), played)
    brought = {**section.backgrounds, **(known or {})}
    return rate(section.with_backgrounds(brought), system, edition_for(section.start))


def player(rated: RatedSection, number: int) -> RatedPlayer:
    """The player of a row."""
    (found,) = (player for player in rated.players if player.number == number)
    return found


def post_event(rated: RatedSection, number: int) -> float:
    """The rating of a row after the section."""
    after = player(rated, number).after
    assert after is not None, f"row {number} is unrated"
    return after.rating

"""Posted crosstables as an archive: a folder of official pages becomes a history for the laboratory.

Every page, a section in one system, becomes a section. Each row brings the rating that was posted before it; so what a
player did between two pages is not lost, and one page says nothing of the next: everybody is somebody new on every
page. Where somebody without a posted rating started is not published: their games are rated, but not predicted.
*Carried*, a member is the same on all pages and brings what the replay made of them, from their first page on. Pages
show no birth dates, and of an established player no number of games.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from crosstable.errors import HistoryError
from crosstable.formats import archive as crosstables
from crosstable.formats import file_bytes
from crosstable.history.archive import Archive, empty_table, table_of
from crosstable.history.archive_tables import COLOURS, KINDS, RESULTS
from crosstable.record_rows import row_of
from crosstable.terms import AS_ONE_SIDED, MIRRORED, Entry, PlayerRating, Section
from crosstable.verification.pages import Page, pages_of

CODES = {own: code for code, (own, _) in RESULTS.items()}


def pages_in(folder: str) -> list[Page]:
    """Every page that the engine can rate, in the order of the replay."""
    found = []
    paths = sorted(Path(folder).glob("*.jsonl.gz"))
    if not paths:
        raise HistoryError(f"{folder} holds no pages: give a folder of posted crosstables (*.jsonl.gz)")
    for path in paths:
        for report in crosstables.read(file_bytes(str(path)), path.name):
            found += [page for page in pages_of(report) if not page.checked.section.kind.is_foreign]
    if not found:
        raise HistoryError(f"{folder} holds no page that can be rated")
    return sorted(found, key=lambda page: (*page.order[:3], number_of(page)))


def number_of(page: Page) -> int:
    """A number of its own for each page of a section: one is posted per system."""
    return page.checked.section.number * 10 + int(page.system)


def games_of(section: Section, at: int, unknown: AbstractSet[int] = frozenset()) -> Iterator[dict[str, Any]]:
    """The games of a section, each once; those of players who are not known as two games, one for each side.

    So they count for both, but nobody is judged by what was expected of them.
    """
    row_of = {entry.number: row for row, entry in enumerate(section.entries)}
    for row, entry in enumerate(section.entries):
        for round_number, cell in enumerate(entry.cells, 1):
            other = row_of.get(cell.opponent)
            if cell.result not in CODES or other is None:
                continue
            result = cell.result
            if result in MIRRORED:
                there = section.entries[other].cells[round_number - 1]
                if (there.result, there.opponent) != (MIRRORED[result], entry.number):
                    result = AS_ONE_SIDED[result]  # the other row shows the game in another column
                elif {entry.number, cell.opponent} & unknown:
                    result = AS_ONE_SIDED[result]
                elif other < row:
                    continue
            colour = next((code for code, (own, _) in enumerate(COLOURS) if own == cell.colour), 0)
            yield {
                "section": at,
                "round": round_number,
                "first": row,
                "second": other,
                "result": CODES[result],
                "colour": colour,
            }


def section_row(page: Page) -> dict[str, Any]:
    """A page as a section of the archive."""
    section = page.checked.section
    return {
        "event_id": page.event_id,
        "number": number_of(page),
        **dict.fromkeys(("event_name", "name", "time_control", "match_waiver"), ""),
        "start": section.start,
        "end": section.end,
        "kind": KINDS.index(section.kind),
        "is_online": section.is_online,
        "asked_systems": 0,
        "systems": 1 << page.system,
        "is_dual_control": section.is_dual_control,
        "is_half_k": section.is_half_k,
    }


def history_of(pages: list[Page], *, is_carried: bool = False) -> Archive:
    """The pages as one archive; carried, a member is the same on all of them."""
    ids: dict[str, int] = {}
    births: dict[int, date | None] = {}
    sections: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    games: list[dict[str, Any]] = []
    openings: list[dict[str, Any]] = []
    opened: set[tuple[int, int]] = set()
    for at, page in enumerate(pages):
        section = page.checked.section
        sections.append(section_row(page))
        for entry in section.entries:
            member = ids.setdefault(name_of(entry, at, is_carried=is_carried), len(ids))
            background = page.checked.backgrounds[entry.number]
            births.setdefault(member, background.birth_date)
            entries.append({"section": at, "number": entry.number, "member": member})
            rating = background.standings.get(page.system)
            if rating is not None and (member, int(page.system)) not in opened:
                openings.append(starting_rating(member, page, rating, len(openings)))
            opened.add((member, int(page.system)))
        unknown = frozenset() if is_carried else _unknown(page)
        games += sorted(games_of(section, at, unknown), key=lambda game: (game["round"], game["first"]))
    members = {
        "member_id": list(ids),
        **{name: [""] * len(ids) for name in ("name", "state", "fide_id", "cfc_id", "fide_flag")},
        "birth_date": pl.Series([births[member] for member in ids.values()], dtype=pl.Date),
        "canadian_resident": [False] * len(ids),
    }
    return Archive(
        table_of("members", members),
        empty_table("outside"),
        _table("openings", openings),
        empty_table("decisions"),
        _table("sections", sections),
        _table("entries", entries),
        _table("games", games),
        source={"pages": len(pages), "carried": is_carried},
    )


def _unknown(page: Page) -> frozenset[int]:
    """The pairing numbers of those without a posted rating: where they started is not published."""
    backgrounds = page.checked.backgrounds
    return frozenset(number for number, one in backgrounds.items() if one.standings.get(page.system) is None)


def name_of(entry: Entry, at: int, *, is_carried: bool) -> str:
    """Who a row is: a member, or somebody new; the rows of a re-entry are one."""
    if is_carried:
        return entry.member_id or f"row {entry.number} of page {at}"
    return f"{entry.member_id or f'row {entry.number}'} of page {at}"


def starting_rating(member: int, page: Page, rating: PlayerRating, entry: int) -> dict[str, Any]:
    """What a member brought to their first page in a system."""
    counted = ("rating", "games", "wins", "draws", "losses", "events", "peak", "peak_since_2010", "games_at_2200")
    return {
        "member": member,
        "system": int(page.system),
        "as_of": page.checked.section.end,
        **row_of(rating, counted),
        "source": "official",
        "act": entry,
    }


def _table(name: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return table_of(name, {column: [row[column] for row in rows] for column in rows[0]}) if rows else empty_table(name)

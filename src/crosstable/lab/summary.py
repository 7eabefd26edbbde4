"""What an archive holds, in numbers: how much was played, by whom, in which systems and how it ended."""

from datetime import date
from typing import NamedTuple

import polars as pl

from crosstable.history.archive import Archive
from crosstable.history.archive_tables import KINDS, NO_MEMBER
from crosstable.terms import RatingSystem

_DRAW = 1


class Played(NamedTuple):
    """Sections and games."""

    sections: int
    games: int


class Summary(NamedTuple):
    """An archive in numbers; a dual-rated section counts in both of its systems."""

    first: date | None
    last: date | None
    members: int
    members_who_played: int
    events: int
    sections: int
    entries: int
    games: int
    draws: int
    decisions: int
    by_kind: dict[str, int]
    by_system: dict[RatingSystem, Played]


def summary_of(archive: Archive) -> Summary:
    """Count what an archive holds."""
    sections, entries, games = archive.sections, archive.entries, archive.games
    in_section = games.group_by("section").len("games")
    counted = sections.select("systems", section=pl.int_range(pl.len(), dtype=pl.UInt32)).join(
        in_section, on="section", how="left"
    )
    by_system = {}
    for system in RatingSystem:
        own = counted.filter((pl.col("systems") // (1 << system)) % 2 == 1)
        by_system[system] = Played(own.height, int(own["games"].sum()))
    kinds = dict(sections["kind"].value_counts().iter_rows())
    played = entries.filter(pl.col("member") != NO_MEMBER)["member"].n_unique()
    return Summary(
        sections["start"].min(),  # type: ignore[arg-type]
        sections["end"].max(),  # type: ignore[arg-type]
        archive.members.height,
        played,
        sections["event_id"].n_unique(),
        sections.height,
        entries.height,
        games.height,
        int((games["result"] % 4 == _DRAW).sum()),
        archive.decisions.height,
        {kind.value: kinds[at] for at, kind in enumerate(KINDS) if at in kinds},
        by_system,
    )

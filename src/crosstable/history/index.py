"""The index of an archive: its sections, competitors, sides and people as the arrays that the compiled replay reads.

Building it takes about as long as rating; a saved one reopens at once (its arrays are mapped, not read). It is kept
beside the archive under a name made of the content and of this program's layout, so a changed archive never meets an
old index. What entries tell beside games (FIDE ratings, starts set by hand) stands in it too: with the rating record
of that day it says whether a foreign event rates a member (§6).
"""

import hashlib
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.errors import HistoryError
from crosstable.formulas.initial import NO_DAY
from crosstable.history.archive import Archive, telling_sections
from crosstable.history.archive_tables import FIDE, FIRST_ABROAD, NO_MEMBER, other_starts
from crosstable.history.kernel.arrays import (
    COMPETITOR,
    OUTSIDE,
    PERSON,
    SECTION,
    SYSTEMS,
    TOLD,
    WINDOW,
    Array,
    History,
)
from crosstable.history.kernel.indexing import Abroad, Games, People, Rows, counted, lay_previous, strangers_in
from crosstable.history.kernel.replaying import record_places
from crosstable.history.row_checks import portions
from crosstable.replaying import DecisionKind
from crosstable.rules.editions import EDITIONS
from crosstable.terms import USA, SectionType

FOLDER = "index"
_EPOCH = date(1970, 1, 1).toordinal()
_MATCH = tuple(SectionType).index(SectionType.MATCH)


class Index(NamedTuple):
    """A history as arrays, and how many of its people are members; those behind them are met once and not kept."""

    history: History
    members: int
    match_slots: int
    standings: int

    @property
    def sections(self) -> int:
        """How many sections there are."""
        return len(self.history.sections) - 1

    @property
    def rows(self) -> int:
        """How many rows of results there will be."""
        return int(self.history.sections[-1]["row"])


def days(column: pl.Series) -> Array:
    """Dates as day numbers, 0 for none."""
    numbers = column.cast(pl.Int32).fill_null(NO_DAY - _EPOCH).to_numpy()
    found: Array = numbers + np.int32(_EPOCH)
    return found


def build(archive: Archive) -> Index:
    """Lay an archive out as arrays."""
    rows, entered = entry_rows(archive)
    everybody = entered.everybody
    games = [Games(*columns) for columns in portions(archive.games, Games._fields)]
    told, telling = told_of(archive)
    with ThreadPoolExecutor(3) as pool:  # two lay out games; the third does not wait for them
        laid = counted(rows, games, abroad_in(archive, told, telling), entered, pool)
        laying = [pool.submit(laid.lay, part) for part in range(len(laid.parts))]
        table, slots = _sections(archive, laid.begin)
        table["told"][:-1] = telling
        placed = pool.submit(record_places, table, laid.member, everybody)
        table["level"][:-1] = lay_previous(laid.begin, laid.member, everybody, laid.competitors)
        people, outside = _people(archive, everybody)
        places, place_of, used = placed.result()
        for one in laying:
            one.result()
    used = _more_places(archive, place_of, used)
    history = History(table, laid.competitors, laid.opponents, people, outside, told, places, place_of)
    return Index(history, archive.members.height, slots, used)


def entry_rows(archive: Archive) -> tuple[list[Rows], People]:
    """The entries as rows, and how many people there are: whoever is no member is a person of their own, met once."""
    rows = [Rows(*columns) for columns in portions(archive.entries, Rows._fields)]
    return rows, People(archive.members.height, archive.members.height + strangers_in(rows))


def _more_places(archive: Archive, place_of: Array, used: int) -> int:
    """Places for rating records that only starting ratings and decisions speak of."""
    told = [frame.select(pl.col("member", "system").cast(pl.Int64)) for frame in (archive.openings, archive.decisions)]
    pairs = pl.concat(told).drop_nulls().filter(pl.col("member") >= 0).unique(maintain_order=True).to_numpy().T
    member, system = pairs[:, place_of[pairs[0], pairs[1]] == 0]
    place_of[member, system] = used + np.arange(len(member))
    return used + len(member)


def _sections(archive: Archive, begin: Array) -> tuple[Array, int]:
    """The sections but for their levels, and how many match changes they may bring."""
    frame = archive.sections
    table = np.zeros(frame.height + 1, dtype=SECTION)
    inside = table[:-1]
    for name in ("kind", "systems", "is_dual_control", "is_half_k"):
        inside[name] = frame[name].to_numpy()
    inside["start"], inside["end"] = days(frame["start"]), days(frame["end"])
    effective = np.array([edition.effective.toordinal() for edition in EDITIONS])
    edition = np.searchsorted(effective, inside["start"], side="right") - 1
    if np.any(edition < 0):  # an archive that was made in memory, which nobody checked
        raise HistoryError(f"a section starts before {EDITIONS[0].effective}, and no rules are known from before")
    inside["edition"] = edition
    table["first"] = begin
    width = np.diff(begin) * _bits(inside["systems"])
    table["row"][1:] = np.cumsum(width)
    is_match = inside["kind"] == _MATCH
    slots = np.where(is_match, width, 0)
    inside["match"] = 1 + np.cumsum(slots) - slots
    return table, int(slots.sum())


def _bits(masks: Array) -> Array:
    found: Array = sum(((masks >> system) & 1 for system in range(SYSTEMS)), np.zeros(len(masks), dtype=np.int64))
    return found


def _people(archive: Archive, everybody: int) -> tuple[Array, Array]:
    people = np.zeros(everybody, dtype=PERSON)
    members = archive.members.height
    people["born"][:members] = days(archive.members["birth_date"])
    people["is_adult"][:members] = archive.members["adult"].fill_null(False).to_numpy()
    people["is_canadian"][:members] = archive.members["canadian_resident"].to_numpy()
    frame = archive.outside
    outside = np.zeros(frame.height, dtype=OUTSIDE)
    outside["body"], outside["rating"] = frame["body"].to_numpy(), frame["rating"].to_numpy()
    outside["as_of"] = days(frame["as_of"])
    counts = np.bincount(frame["member"].to_numpy(), minlength=everybody)
    people["outside_end"] = ends = np.cumsum(counts)
    people["outside"] = ends - counts
    return people, outside


def layout() -> str:
    """A name for the layout of the arrays, and for the windows and editions that saved numbers point to.

    Levels of other windows would let a section come before one that it waits for.
    """
    parts = [repr(dtype.descr) for dtype in (SECTION, COMPETITOR, PERSON, OUTSIDE, TOLD)]
    parts += [*History._fields, str(WINDOW), *(edition.name for edition in EDITIONS)]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:12]


def _folder(archive_folder: str, content: str) -> str:
    return os.path.join(archive_folder, f"{FOLDER}-{content[:16]}-{layout()}")


def save(index: Index, archive_folder: str, content: str) -> None:
    """Keep an index beside its archive, whole or not at all; older ones are removed."""
    target = _folder(archive_folder, content)
    partial = f"{target}.partial-{os.getpid()}"
    os.makedirs(partial, exist_ok=True)
    for name, array in zip(History._fields, index.history, strict=True):
        np.save(os.path.join(partial, f"{name}.npy"), array)
    np.save(os.path.join(partial, "counts.npy"), np.array([index.members, index.match_slots, index.standings]))
    for name in os.listdir(archive_folder):
        if name.startswith(f"{FOLDER}-") and ".partial-" not in name:
            shutil.rmtree(os.path.join(archive_folder, name))
    os.replace(partial, target)


def saved(archive_folder: str, content: str) -> Index | None:
    """The index that was kept for this content, if there is one."""
    folder = _folder(archive_folder, content)
    if not os.path.isdir(folder):
        return None
    # Mapped as ours to write, though nobody does: compiled code takes arrays that may not be written for another type.
    arrays = [np.asarray(np.load(os.path.join(folder, f"{name}.npy"), mmap_mode="c")) for name in History._fields]
    members, slots, used = np.load(os.path.join(folder, "counts.npy")).tolist()
    return Index(History(*arrays), members, slots, used)


_NO_FLAG = ""
_OPTING = (DecisionKind.OPT_IN.value, DecisionKind.OPT_OUT.value)


def told_of(archive: Archive) -> tuple[Array, Array]:
    """A row per competitor of the sections that tell more, after one of nobody; and by section where its rows begin."""
    begin = np.zeros(archive.sections.height, dtype=np.int32)
    numbers = telling_sections(archive.all_told.lazy(), archive.sections)
    frame = _competitors(archive, archive.all_told.filter(pl.col("section").is_in(numbers.implode())))
    section = frame["section"].to_numpy()
    begin[numbers.to_numpy()] = 1 + np.searchsorted(section, numbers.to_numpy())
    told = np.zeros(1 + frame.height, dtype=TOLD)
    for name in ("fide", "automatic_fide", "start_rating", "start_games"):
        told[name][0] = np.nan
        told[name][1:].T[:] = frame[name].fill_null(np.nan).to_numpy()
    for at in np.flatnonzero(frame["other_starts"].is_not_null().to_numpy()).tolist():
        for system, start in other_starts(frame["other_starts"][at]).items():
            told["start_rating"][1 + at, system], told["start_games"][1 + at, system] = start
    told["fide_as_of"][1:] = frame["fide_as_of"].cast(pl.Int32).fill_null(-_EPOCH).to_numpy() + _EPOCH
    told["has_opted_in"][1:] = frame["has_opted_in"].to_numpy()
    return told, begin


def abroad_in(archive: Archive, told: Array, begin: Array) -> Abroad:
    """The FIDE ratings by which games of foreign events count."""
    is_abroad = (archive.sections["kind"] >= FIRST_ABROAD).to_numpy()
    return Abroad(np.where(is_abroad, begin, 0).astype(np.int32), np.ascontiguousarray(told["fide"]))


def _competitors(archive: Archive, entries: pl.DataFrame) -> pl.DataFrame:
    """What is told of each competitor: by the first row of a re-entry, but any row may ask for a rating abroad."""
    rows = _known(archive, entries.with_row_index("row"))
    if "other_starts" not in rows.columns:  # most archives have none
        rows = rows.with_columns(pl.lit(None, dtype=pl.String()).alias("other_starts"))
    until, flag = (
        pl.col("member_until"),
        pl.when(pl.col("own_flag") != _NO_FLAG).then("own_flag").otherwise("fide_flag"),
    )
    is_marked = pl.col("rate").fill_null(False) & (until.is_null() | (until >= pl.col("end")))
    is_marked &= pl.col("member") != NO_MEMBER
    has_flag = flag.is_null() | (flag.str.to_uppercase() == USA)
    has_opted_in = pl.col("is_in").fill_null(False) | pl.col("fide_opt_in").fill_null(False)
    who = pl.when(pl.col("member") == NO_MEMBER).then(-2 - pl.col("row").cast(pl.Int64)).otherwise("member")
    known = pl.coalesce("listed", "fide")
    return (
        rows.with_columns(
            who.alias("who"),
            known.alias("fide"),
            pl.when(pl.col("listed").is_not_null()).then("listed_as_of").otherwise("fide_as_of").alias("fide_as_of"),
            pl.when(is_marked & has_flag).then(known).alias("automatic_fide"),
            (is_marked & has_opted_in).alias("has_opted_in"),
        )
        .sort("row")
        .group_by("section", "who", maintain_order=True)
        .agg(
            pl.col("fide", "fide_as_of", "start_rating", "start_games", "other_starts").first(),
            pl.col("automatic_fide").max(),
            pl.col("has_opted_in").any(),
        )
    )


def _known(archive: Archive, entries: pl.DataFrame) -> pl.DataFrame:
    """Entries with what the record knows when a section starts: FIDE rating in force, flag, membership, opting in."""
    days = archive.sections.select("start", "end").with_row_index("section")
    members = archive.members.select(pl.col("fide_flag").alias("own_flag"), "member_until").with_row_index("member")
    here = entries["member"].unique().implode()
    listed = (
        archive.outside.filter((pl.col("body") == FIDE) & pl.col("member").cast(pl.Int32).is_in(here))
        .select(pl.col("member").cast(pl.Int32), "as_of", pl.col("rating").alias("listed"))
        .sort("as_of", maintain_order=True)
    )
    opting = (
        archive.decisions.filter(pl.col("kind").is_in(_OPTING))
        .select("member", "effective", "act", (pl.col("kind") == DecisionKind.OPT_IN.value).alias("is_in"))
        .sort("effective", "act", "is_in")
        .drop("act")
    )
    return (
        entries.join(days, on="section", how="left")
        .join(members.with_columns(pl.col("member").cast(pl.Int32)), on="member", how="left")
        .sort("start", maintain_order=True)
        .join_asof(
            listed.with_columns(pl.col("as_of").alias("listed_as_of")),
            left_on="start",
            right_on="as_of",
            by="member",
            check_sortedness=False,
        )
        .join_asof(opting, left_on="start", right_on="effective", by="member", check_sortedness=False)
    )

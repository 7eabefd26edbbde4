"""What entries tell of competitors beside their games, as compiled code reads it: FIDE ratings, starts set by hand.

Whether a foreign event rates a member follows from what stands here and from the rating record of that day (§6).
"""

from datetime import date

import numpy as np
import polars as pl

from crosstable.history.archive import Archive, telling_sections
from crosstable.history.archive_tables import FIDE, FIRST_ABROAD, NO_MEMBER
from crosstable.history.kernel.arrays import TOLD, Array
from crosstable.history.kernel.indexing import Abroad
from crosstable.replaying import DecisionKind

_EPOCH = date(1970, 1, 1).toordinal()
_NO_FLAG = ""
_FLAG = "USA"
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
        told[name][1:] = frame[name].fill_null(np.nan).to_numpy()
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
    until, flag = (
        pl.col("member_until"),
        pl.when(pl.col("own_flag") != _NO_FLAG).then("own_flag").otherwise("fide_flag"),
    )
    is_marked = pl.col("rate").fill_null(False) & (until.is_null() | (until >= pl.col("end")))
    is_marked &= pl.col("member") != NO_MEMBER
    has_flag = flag.is_null() | (flag.str.to_uppercase() == _FLAG)
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
            pl.col("fide", "fide_as_of", "start_rating", "start_games").first(),
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

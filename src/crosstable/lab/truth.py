"""True strengths beside an archive: how strong everybody was in the games of each section.

Only a generator knows them. They lie in a file of their own, ``truth.parquet``, which is no table of the archive: a row
for each entry, in the order of the entries. Who held back is as strong as ever, but played with less.
"""

import os

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.exceptions import PolarsError

from crosstable.errors import HistoryError
from crosstable.history.archive import Archive, write
from crosstable.history.archive_tables import HEADING
from crosstable.lab.month import MonthPlayed

FILE = "truth.parquet"
SCHEMA = {"section": pl.UInt32(), "member": pl.Int32(), "strength": pl.Float64()}
HELD_BACK = "held_back"


def no_truth() -> pl.DataFrame:
    """The truth about nobody."""
    return pl.DataFrame(schema={**SCHEMA, HELD_BACK: pl.Float64()})


def truth_of_month(entries: pl.DataFrame, month: MonthPlayed) -> pl.DataFrame:
    """The true strengths of a month's entries."""
    strength = month.draft.strength[month.seats.draft].astype(np.float64)
    held_back = strength - month.draft.shown[month.seats.draft]
    made = entries.select("section", "member", strength=pl.Series(strength), held_back=pl.Series(held_back))
    return made.cast(dict(no_truth().schema))  # type: ignore[arg-type]


def write_truth(truth: pl.DataFrame, folder: str) -> None:
    """Write true strengths beside an archive."""
    truth.write_parquet(os.path.join(folder, FILE), compression="zstd")


def write_with_truth(archive: Archive, truth: pl.DataFrame, folder: str) -> None:
    """Write an archive and its truth; the heading, which makes a folder an archive, is gone before and comes last."""
    os.makedirs(folder, exist_ok=True)
    heading = os.path.join(folder, HEADING)
    if os.path.exists(heading):
        os.remove(heading)
    write_truth(truth, folder)
    write(archive, folder)


def read_truth(archive: Archive, folder: str) -> NDArray[np.float64] | None:
    """The true strength of every entry, where the archive has a truth beside it that fits."""
    path = os.path.join(folder, FILE)
    if not os.path.exists(path):
        return None
    try:
        frame = pl.read_parquet(path)
    except (PolarsError, OSError) as error:
        raise HistoryError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error
    return strengths_of(archive, frame, path)


def strengths_of(archive: Archive, truth: pl.DataFrame, path: str = FILE) -> NDArray[np.float64]:
    """The true strength of every entry; a truth that is not about these entries is refused."""
    if not SCHEMA.items() <= dict(truth.schema).items():
        raise HistoryError(f"{path} should have the columns {', '.join(SCHEMA)}")
    about = ["section", "member"]
    if not truth.select(about).equals(archive.entries.select(about)):
        raise HistoryError(f"{path} is about other entries than those of the archive beside it; remove it")
    found: NDArray[np.float64] = truth["strength"].to_numpy()
    if not np.all(np.isfinite(found)):
        row = int(np.flatnonzero(~np.isfinite(found))[0])
        raise HistoryError(f"{path}: the strength in row {row} is no number; give one for every entry, or no truth")
    return found

"""An office's record as an archive: facts alone, as known now or on a day; ratings follow from them."""

from datetime import date
from typing import Any, NamedTuple

import polars as pl

from crosstable.errors import OfficeError
from crosstable.history.archive import Archive, write
from crosstable.history.archive_tables import schema_of
from crosstable.history.running import Stages
from crosstable.office.bulk.record import known_at
from crosstable.office.database import Office
from crosstable.office.ledger.acts import act_of, last_act_of
from crosstable.office.ledger.facts import Record


class Exported(NamedTuple):
    """What an export wrote, and how long each stage took in seconds."""

    members: int
    sections: int
    games: int
    stages: dict[str, float]


def export_archive(office: Office, folder: str, known_on: date | None = None) -> Exported:
    """Write what an office knows, or knew on a day, into a folder as an archive."""
    stages = Stages()
    with office.reading() as connection:
        through = last_act_of(connection, known_on)
        last = act_of(connection, through)
        if last is None:
            raise OfficeError(f"nothing was known on {known_on}: the office was founded later")
        source: dict[str, Any] = {"office": {"act": last.seq, "head": last.digest}}
        with stages.timed("read"):
            archive = portable(known_at(Record(connection, through), source).archive)
    with stages.timed("write"):
        write(archive, folder)
    return Exported(archive.members.height, archive.sections.height, archive.games.height, stages.seconds)


def portable(archive: Archive) -> Archive:
    """An archive whose acts are counted from 1, so that the same record gives the same archive from every office.

    Of two openings of one member in one system, which a merge can bring together, the one that stands later is kept.
    """
    openings = archive.openings.unique(["member", "system"], keep="last", maintain_order=True)
    acts = pl.concat([openings["act"], archive.decisions["act"]]).unique().sort()
    ranks = pl.DataFrame({"act": acts, "rank": pl.Series(range(1, acts.len() + 1), dtype=pl.Int32)})
    left_out = archive.openings.height - openings.height
    more = {"openings_left_out": left_out} if left_out else {}

    def ranked(frame: pl.DataFrame, name: str) -> pl.DataFrame:
        joined = frame.join(ranks, on="act", maintain_order="left")
        return joined.with_columns(act=pl.col("rank")).select(*schema_of(name))

    return archive._replace(
        openings=ranked(openings, "openings").sort("member", "system"),
        decisions=ranked(archive.decisions, "decisions"),
        source={**archive.source, **more},
    )

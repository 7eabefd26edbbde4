"""An archive into an office that is still empty: members, sections, openings and decisions, in one transaction.

Members come in by one act, all sections by another, and what stands between them in time by acts of its own, in the
order that the archive gives. What an archive says has been checked when it was read; nothing is held.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import Connection, Table, func, select, text

from crosstable.errors import OfficeError
from crosstable.history.archive import Archive, read
from crosstable.history.archive_contents import systems_of
from crosstable.history.archive_tables import BETWEEN_CONTROLS, BODIES, HEADING, KINDS
from crosstable.history.running import Stages
from crosstable.office import tables
from crosstable.office.bulk.archive_out import IN_COLUMNS
from crosstable.office.bulk.cells import Rows, games_of, parsed, rounds_of, unplayed_of
from crosstable.office.bulk.entry_rows import whole_sections
from crosstable.office.bulk.frames import give_room, schema_of, write_frame
from crosstable.office.bulk.hashes import digest_of_lines, lines_of
from crosstable.office.bulk.record import mapped
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import write_rows
from crosstable.office.ledger.facts import State
from crosstable.office.ledger.journal import Author, Change, EntryKind, append, append_all, canonical, digest_of
from crosstable.office.ledger.runs import Progress, in_silence
from crosstable.office.members import LONGEST_ID

_ID = r"^[^\s@][^\s]{0,39}$"
_SECTION = ("event_id", "number", "name", "kind", "is_online", "time_controls", "asked_systems", "systems",
            "is_dual_control", "is_half_k", "match_waiver", "started", "ended", "details")  # fmt: skip


class Taken(NamedTuple):
    """What an import brought, and how long each stage took in seconds."""

    members: int
    events: int
    sections: int
    games: int
    acts: int
    stages: dict[str, float]


def import_archive(
    office: Office, author: Author, folder: str, progress: Progress = in_silence, starting: Progress = in_silence
) -> Taken:
    """Bring an archive into an empty office, all of it or nothing; ``starting`` is told how many sections there are."""
    stages = Stages()
    with stages.timed("read"):
        archive = read(folder)
        _require_ids(archive)
        with open(os.path.join(folder, HEADING), "rb") as file:
            heading = file.read()
    starting(archive.sections.height)
    with office.writing(author.actor, "importing an archive") as connection:
        _require_empty(connection)
        give_room(connection)
        arriving = _Arriving(office, connection, author, archive)
        with stages.timed("members"):
            arriving.members()
        with stages.timed("sections"):
            arriving.sections(heading, progress)
        with stages.timed("decisions"):
            arriving.merges()
            arriving.openings_and_decisions()
        with stages.timed("store"):
            _gather_statistics(connection)
    events = archive.sections["event_id"].n_unique()
    counts = archive.members.height, events, archive.sections.height, archive.games.height
    return Taken(*counts, arriving.acts, stages.seconds)


def _require_ids(archive: Archive) -> None:
    """Ids that an office can keep, as ``members`` and ``checking`` ask of those that come one by one."""
    ids = pl.concat([archive.members["member_id"], archive.merged["member_id"]])
    for what, column in (("a member id", ids), ("an event id", archive.sections["event_id"])):
        wrong = column.filter(~column.str.contains(_ID))
        if wrong.len():
            raise OfficeError(f"{wrong[0]!r} cannot be {what} of an office; use up to 40 letters and digits")
    if "member_id" in archive.entries.columns:  # whatever a director wrote of somebody who is no member
        reported = archive.entries["member_id"]
        if (reported.str.len_chars() > LONGEST_ID).any():
            raise OfficeError(f"an entry has a member id of more than {LONGEST_ID} characters, which no office keeps")


def _require_empty(connection: Connection) -> None:
    for table in (tables.member, tables.event):
        if connection.execute(select(func.count()).select_from(table)).scalar():
            raise OfficeError("the office is not empty; an archive is imported into one that was only just made")


def _gather_statistics(connection: Connection) -> None:
    """What a server knows of its tables decides how it reads them, and it has not seen these rows yet."""
    if connection.dialect.name == "postgresql":
        for table in (tables.member, tables.event, tables.section, tables.entry, tables.opening, tables.decision):
            connection.execute(text(f"ANALYZE {table.name}"))


class _Arriving:
    """An archive on its way into an office."""

    def __init__(self, office: Office, connection: Connection, author: Author, archive: Archive) -> None:
        self.office, self.connection, self.author, self.archive = office, connection, author, archive
        self.acts = 0
        self.ids = archive.members["member_id"]
        nobody = pl.DataFrame({"member_id": [""], "name": [""]})
        self._people = pl.concat([archive.members.select("member_id", "name"), nobody])

    def _append(self, change: Change) -> int:
        self.acts += 1
        return append(self.connection, self.office.clock, self.author, change)

    def _write(self, table: Table, act: int, frame: pl.DataFrame) -> None:
        kept = frame.select(name for name in schema_of(table) if name in frame.columns)
        write_frame(self.connection, table, kept.with_columns(pl.lit(act, dtype=pl.Int32).alias("act")))

    def members(self) -> None:
        """Everybody, with the ratings of other federations."""
        people, outside = _people(self.archive), self._outside()
        after = {
            "members": digest_of_lines(lines_of(people)),
            "outside": digest_of_lines(lines_of(outside)),
            "openings": digest_of_lines([]),
            "new": people.height,
            "changed": 0,
            "opened": 0,
        }
        act = self._append(Change(EntryKind.MEMBERS, f"{people.height} members", after))
        self._write(tables.member, act, people)
        self._write(tables.outside_rating, act, outside)

    def _outside(self) -> pl.DataFrame:
        frame = self.archive.outside
        named = frame.with_columns(
            self.ids.gather(frame["member"]).alias("member_id"),
            pl.Series(BODIES).gather(frame["body"]).alias("body"),
        ).select("member_id", "body", "as_of", "rating")
        of_merged = [
            (member_id, body, date.fromisoformat(on), rating)
            for member_id, text in self.archive.merged.select("member_id", "outside").iter_rows()
            for body, on, rating in json.loads(text or "[]")
        ]
        return pl.concat([named, pl.DataFrame(of_merged, schema=named.schema, orient="row")])

    def merges(self) -> None:
        """An act for every id that is merged into another."""
        pairs = self.archive.merged.select("member_id", "into_id").rows()
        if not pairs:
            return
        changes = [Change(EntryKind.MERGE, one, {"member": one, "into": other}) for one, other in pairs]
        first = append_all(self.connection, self.office.clock, self.author, changes)
        self.acts += len(changes)
        rows = [
            {"act": act, "member_id": one, "into_id": other, "is_undone": False}
            for act, (one, other) in enumerate(pairs, first)
        ]
        write_rows(self.connection, tables.merge, rows)

    def sections(self, heading: bytes, progress: Progress) -> None:
        """Every event, section and row. What describes the archive is kept as the original of all of them."""
        sections = _section_rows(self.archive.sections)
        document = hashlib.sha256(heading).hexdigest()
        digests: list[str] = []
        _without_indexes(self.connection, tables.entry)
        after: dict[str, Any] = {"events": sections["event_id"].n_unique(), "sections": sections.height}
        act = _next_act(self.connection)
        headings = lines_of(sections).to_list()
        for last, rows in self._entries(sections):
            digests += _section_digests(headings[len(digests) : last], len(digests), rows)
            self._write(tables.entry, act, rows.drop("at"))
            progress(last)
        for index in tables.entry.indexes:
            index.create(self.connection)
        after |= {"document": document, "rows": digest_of(digests)}
        assert self._append(Change(EntryKind.IMPORT, f"{after['events']} events", after)) == act
        row = {"digest": document, "act": act, "event_id": "", "name": HEADING, "content": heading}
        write_rows(self.connection, tables.document, [row])
        self._write(tables.event, act, _event_rows(self.archive, document))
        whole = sections.with_columns(
            pl.Series("digest", digests, dtype=pl.String), state=pl.lit(State.ACCEPTED.value), faults=pl.lit("[]")
        )
        self._write(tables.section, act, whole)

    def _entries(self, sections: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
        """The rows of sections as the office keeps them, some sections at a time, and the section where they end."""
        entries, games = self.archive.entries, self.archive.games
        section = entries["section"].to_numpy()
        of_games = games["section"].to_numpy()
        for first, last in whole_sections(section):
            end = sections.height if last == entries.height else int(section[last])
            low, high = np.searchsorted(of_games, [section[first], end])
            yield end, self._rows(entries[first:last], games[int(low) : int(high)], sections)

    def _rows(self, part: pl.DataFrame, games: pl.DataFrame, sections: pl.DataFrame) -> pl.DataFrame:
        rows = Rows(part["section"].to_numpy(), part["number"].to_numpy())
        first = np.searchsorted(rows.section, rows.section)
        place: pl.DataFrame = sections.select("event_id", pl.col("number").alias("section"))[rows.section]
        own = self._people[part["member"].to_numpy()]  # nobody stands last
        return place.with_columns(
            pl.Series("row", np.arange(len(rows.section)) - first, dtype=pl.Int32),
            part["number"],
            _given(part, "member_id", own["member_id"]),
            pl.coalesce(part["name"], own["name"]).alias("name"),
            _rounds(part, games, rows),
            _extras(part).alias("extra"),
            part["section"].alias("at"),
        )

    def openings_and_decisions(self) -> None:
        """By acts in the order of the archive's: one for the openings of an act, one for every decision."""
        openings = self.archive.openings
        openings = openings.with_columns(_given(openings, "member_id", self.ids.gather(openings["member"])))
        decisions = self._decisions()
        changes: list[tuple[int, int, Change]] = []
        parts = {key[0]: part for key, part in openings.group_by("act", maintain_order=True)}
        kept = [name for name in schema_of(tables.opening) if name != "act"]
        for act, part in parts.items():
            changes.append((act, 0, _opening_change(part.select(kept))))
        for at, row in enumerate(decisions.iter_rows(named=True), 1):
            changes.append((row["act"], at, _decision_change(row)))
        if not changes:
            return
        changes.sort(key=lambda one: one[:2])
        first = append_all(self.connection, self.office.clock, self.author, [change for _, _, change in changes])
        self.acts += len(changes)
        numbers = {(act, at): first + place for place, (act, at, _) in enumerate(changes)}
        for act, part in parts.items():
            self._write(tables.opening, numbers[act, 0], part.select(kept))
        acts = [numbers[act, at] for at, act in enumerate(decisions["act"], 1)]
        write_frame(
            self.connection,
            tables.decision,
            decisions.with_columns(pl.Series("act", acts, dtype=pl.Int32)).select(
                name for name in schema_of(tables.decision) if name != "salt"
            ),
        )

    def _decisions(self) -> pl.DataFrame:
        frame = self.archive.decisions
        own = self._people["member_id"][frame["member"].to_numpy()]
        return frame.with_columns(_given(frame, "member_id", own), _details(frame).alias("details"))


def _given(frame: pl.DataFrame, name: str, otherwise: pl.Series) -> pl.Series:
    """An optional column, and something else where it says nothing."""
    given = frame[name].fill_null(otherwise) if name in frame.columns else otherwise
    return given.alias(name)


def _people(archive: Archive) -> pl.DataFrame:
    """Everybody as the office keeps them, merged ids among them."""
    members = archive.members
    if "is_year_only" in members.columns:
        known = pl.when(pl.col("is_year_only").fill_null(False)).then(None).otherwise(pl.col("birth_date"))
        members = members.with_columns(known.alias("birth_date"))
    parts = [members.drop("is_year_only", strict=False), archive.merged.drop("into_id", "outside")]
    return pl.concat(parts, how="diagonal")


def _next_act(connection: Connection) -> int:
    return int(connection.execute(select(func.max(tables.act.c.seq))).scalar_one()) + 1


def _without_indexes(connection: Connection, table: Table) -> None:
    """An index is made faster when all rows are there."""
    for index in table.indexes:
        index.drop(connection)


def _section_rows(sections: pl.DataFrame) -> pl.DataFrame:
    controls = mapped(sections["time_control"], _controls)
    asked, systems = (mapped(sections[name], _system_names) for name in ("asked_systems", "systems"))
    return sections.with_columns(
        pl.col("kind").replace_strict({at: kind.value for at, kind in enumerate(KINDS)}, return_dtype=pl.String),
        controls.alias("time_controls"),
        asked.alias("asked_systems"),
        systems.alias("systems"),
        pl.col("start").alias("started"),
        pl.col("end").alias("ended"),
        _details(sections).alias("details"),
    ).select(_SECTION)


def _details(frame: pl.DataFrame) -> pl.Series:
    """What else was reported, in the one spelling of the record."""
    nothing = pl.Series(["{}"], dtype=pl.String).new_from_index(0, frame.height)
    return mapped(_given(frame, "details", nothing), lambda text: canonical(json.loads(text)))


def _controls(joined: str) -> str:
    return canonical(joined.split(BETWEEN_CONTROLS) if joined else [])


def _system_names(mask: int) -> str:
    return " ".join(system.name for system in systems_of(mask))


def _event_rows(archive: Archive, document: str) -> pl.DataFrame:
    """Events as their sections have them, but for those of which more is known."""
    made = archive.sections.group_by("event_id", maintain_order=True).agg(
        pl.col("event_name").first().alias("name"),
        pl.col("start").min().alias("started"),
        pl.col("end").max().alias("ended"),
    )
    said = archive.events.with_columns(_details(archive.events).alias("details"))
    joined = made.join(said, on="event_id", how="left", maintain_order="left")
    is_said = pl.col("details").is_not_null()
    return joined.select(
        "event_id",
        "name",
        pl.when(is_said).then("start").otherwise("started").alias("started"),
        pl.when(is_said).then("end").otherwise("ended").alias("ended"),
        pl.col("details").fill_null("{}"),
        pl.lit(document).alias("document"),
    )


def _rounds(part: pl.DataFrame, games: pl.DataFrame, rows: Rows) -> pl.Series:
    """The cells of rows as they were reported, which must be the games and byes that the archive has."""
    made = rounds_of(games, part["unplayed"], rows)
    if "rounds" not in part.columns:
        return made.alias("rounds")
    reported = part["rounds"].fill_null(made)
    cells = parsed(reported)
    if not games_of(cells, rows).equals(games) or not unplayed_of(cells).equals(
        part["unplayed"], check_names=False, null_equal=True
    ):
        raise OfficeError("the archive's entries have rounds that are not the games and unplayed cells it has")
    return reported


def _section_digests(headings: Sequence[str], first: int, rows: pl.DataFrame) -> list[str]:
    """The digests of sections from one on, as ``sections.section_rows`` makes them."""
    lines = lines_of(rows.drop("at")).to_list()
    ends = np.searchsorted(rows["at"].to_numpy(), np.arange(first, first + len(headings) + 1)).tolist()
    return [digest_of_lines([heading, *lines[ends[at] : ends[at + 1]]]) for at, heading in enumerate(headings)]


def _extras(part: pl.DataFrame) -> pl.Series:
    """What rows say beside their columns, as the office keeps it; nothing for most."""
    names = [
        name for name in ("rate", "fide", "fide_flag", "fide_opt_in", "start_rating", "extra") if name in part.columns
    ]
    says = part.select(pl.any_horizontal(pl.col(name).is_not_null() for name in names)).to_series()
    places = np.flatnonzero(says.to_numpy())
    texts = [_extra(row) for row in part[places].iter_rows(named=True)]
    made = pl.Series("extra", [None], dtype=pl.String).new_from_index(0, part.height)
    return made.scatter(places, texts) if len(places) else made


def _extra(row: Mapping[str, Any]) -> str | None:
    said = {name: row[name] for name in ("rate", "fide_flag", "fide_opt_in") if row[name] is not None}
    if row["fide"] is not None:
        said["fide"] = [row["fide"], None if row["fide_as_of"] is None else row["fide_as_of"].isoformat()]
    if row["start_rating"] is not None:
        said["start"] = [row["start_rating"], row["start_games"]]
    if row.get("other_starts") is not None:
        said["starts"] = json.loads(row["other_starts"])
    said = {name: value for name, value in said.items() if value != ""}
    more = json.loads(row.get("extra") or "{}")
    if any(said.get(name) != more[name] for name in IN_COLUMNS & more.keys()):
        raise OfficeError("the archive's entries have an extra that is not what their columns say")
    return canonical({**said, **more}) if said or more else None


def _opening_change(rows: pl.DataFrame) -> Change:
    nothing = digest_of_lines([])
    after = {
        "members": nothing,
        "outside": nothing,
        "openings": digest_of_lines(lines_of(rows)),
        "new": 0,
        "changed": 0,
        "opened": rows.height,
    }
    return Change(EntryKind.OPENING, f"{rows['member_id'].n_unique()} members", after)


def _decision_change(row: Mapping[str, Any]) -> Change:
    names = ("kind", "member_id", "system", "effective", "value", "event_id", "section", "details")
    after = {name: row[name] for name in names}
    subject = row["member_id"] or f"{row['event_id']} section {row['section']}"
    return Change(EntryKind.DECIDE, subject, after)

"""What a month of play adds to an archive: sections, entries, games, and the decisions that follow from it."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.folding import DecisionKind
from crosstable.formulas.floors import money_floor
from crosstable.history.archive import table_of
from crosstable.lab.controls import Choices
from crosstable.lab.entering import Draft
from crosstable.lab.pairings import LETTERS
from crosstable.lab.playing import Sheet, Whole
from crosstable.lab.population import EPOCH, Federation
from crosstable.lab.schedule import Headings, event_columns, section_names
from crosstable.rules.editions import edition_for
from crosstable.terms import RatingSystem

DAYS_TO_A_CEILING = 5
POINTS_TO_A_CEILING = 100
# The list from which an opponent abroad has his rating is so old at most.
NEWEST_LIST_DAYS = 30
_FIRST_ACT = 2  # the openings came with the first act


class DecisionRow(NamedTuple):
    """A decision before it has its act; ``effective`` is counted from 1970-01-01."""

    effective: int
    kind: DecisionKind
    member: int
    system: RatingSystem | None = None
    value: float | None = None
    event_id: str = ""
    section: int | None = None
    details: str = "{}"


class Seats(NamedTuple):
    """The rows of a month's sections: the section, in the order of the fold, and the row of the draft that each is."""

    section: Whole
    draft: Whole


class MonthPlayed(NamedTuple):
    """A month's sections as they were drawn, held and played; ``first`` is the place of its first section."""

    first: int
    draft: Draft
    headings: Headings
    seats: Seats
    sheet: Sheet


def merged(months: Sequence[MonthPlayed]) -> MonthPlayed:
    """Several months as one, so that tables are made of many rows at once."""
    sections = _before([len(month.headings.draft) for month in months])
    rows = _before([len(month.seats.section) for month in months])
    events = _before([int(month.headings.event.max()) + 1 for month in months])
    parts = list(zip(months, sections, rows, events, strict=True))
    drafts = [month.draft._replace(section=month.draft.section + at) for month, at, _, _ in parts]
    headings = [
        month.headings._replace(draft=month.headings.draft + at, event=month.headings.event + event)
        for month, at, _, event in parts
    ]
    seats = [Seats(month.seats.section + at, month.seats.draft + row) for month, at, row, _ in parts]
    sheets = [
        month.sheet._replace(section=month.sheet.section + at, cell_row=month.sheet.cell_row + row)
        for month, at, row, _ in parts
    ]
    return MonthPlayed(months[0].first, *(_concatenated(records) for records in (drafts, headings, seats, sheets)))


def _before(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:at]) for at in range(len(counts))]


def _concatenated(records: Sequence[Any]) -> Any:  # noqa: ANN401 (one of four records of columns)
    return type(records[0])(*(np.concatenate(columns) for columns in zip(*records, strict=True)))


def _dates(days: Whole) -> pl.Series:
    return pl.Series(days, dtype=pl.Int32).cast(pl.Date)


def sections_table(month: MonthPlayed, choices: Choices, towns: list[str], rng: np.random.Generator) -> pl.DataFrame:
    """The month's sections."""
    headings = month.headings
    event_id, event_name = event_columns(headings, towns, rng)
    named = headings.control >= 0
    texts = pl.Series([*choices.texts, ""]).gather(np.where(named, headings.control, len(choices.texts)))
    online = RatingSystem.OLR
    columns = {
        "event_id": event_id,
        "number": headings.number,
        "event_name": event_name,
        "name": section_names(headings, month.draft),
        "start": _dates(headings.start),
        "end": _dates(headings.end),
        "kind": month.draft.kind[headings.draft],
        "is_online": headings.systems >> online > 0,
        "time_control": texts,
        "asked_systems": headings.asked_systems,
        "systems": headings.systems,
        "is_dual_control": headings.is_dual_control,
        "is_half_k": headings.is_half_k,
    }
    return table_of("sections", pl.DataFrame(columns).with_columns(match_waiver=pl.lit("")).to_dict())


def entries_table(month: MonthPlayed, foreigners: pl.Series) -> pl.DataFrame:
    """The month's entries, with the cells that are no games."""
    seats, draft = month.seats, month.draft
    member, fide = draft.member[seats.draft], draft.fide[seats.draft]
    is_guest = (draft.guests[draft.section[seats.draft]] > 0) & (member >= 0)
    listed = month.headings.start[seats.section] - NEWEST_LIST_DAYS
    columns = pl.DataFrame(
        {
            "section": seats.section + month.first,
            "number": _numbers(seats.section),
            "member": member,
            "stranger": foreigners.gather(np.arange(len(member)) % len(foreigners)),
            "is_guest": is_guest,
            "fide": pl.Series(fide).fill_nan(None),
            "listed": _dates(listed),
            "unplayed": _unplayed(month),
        }
    )
    is_stranger = pl.col("member") < 0
    made = columns.select(
        "section",
        "number",
        "member",
        "fide",
        "unplayed",
        name=pl.when(is_stranger).then("stranger"),
        rate=pl.when("is_guest").then(pl.lit(True)),
        fide_as_of=pl.when(pl.col("fide").is_not_null()).then(pl.col("listed").dt.month_start()),
    )
    return table_of("entries", made.to_dict())


def _numbers(section: Whole) -> Whole:
    """Pairing numbers: rows counted from 1 in each section."""
    first = np.flatnonzero(np.diff(section, prepend=-1))
    return np.arange(len(section)) - np.repeat(first, np.diff(first, append=len(section))) + 1


def _unplayed(month: MonthPlayed) -> pl.Series:
    """By row, the cells that are no games: ``2:H 5:U``; null where every cell is one."""
    sheet = month.sheet
    opponent = np.asarray(sheet.cell_opponent) + 1
    cells = pl.DataFrame(
        {
            "row": np.asarray(sheet.cell_row),
            "round": np.asarray(sheet.cell_round),
            "letter": pl.Series(list(LETTERS)).gather(np.asarray(sheet.cell)),
            "opponent": opponent,
        }
    ).sort("row", "round")
    number = pl.when(pl.col("opponent") > 0).then(pl.col("opponent").cast(pl.String)).otherwise(pl.lit(""))
    text = pl.concat_str(pl.col("round").cast(pl.String), pl.lit(":"), "letter", number)
    by_row = cells.group_by("row", maintain_order=True).agg(text.alias("text").str.join(" "))
    rows = pl.DataFrame({"row": np.arange(len(month.seats.section))})
    return rows.join(by_row, on="row", how="left", maintain_order="left")["text"]


def games_table(month: MonthPlayed) -> pl.DataFrame:
    """The month's games."""
    sheet = month.sheet
    columns = {name: getattr(sheet, name) for name in ("round", "first", "second", "result", "colour")}
    return table_of("games", {"section": np.asarray(sheet.section) + month.first, **columns})


def decisions_after(
    month: MonthPlayed, federation: Federation, event_ids: pl.Series, rng: np.random.Generator
) -> list[DecisionRow]:
    """Floors for prizes that were won, and ceilings for players who should not be rated so high."""
    headings = month.headings
    is_money = month.draft.is_money[headings.draft]
    of_money = federation.prizes / max(federation.money, federation.prizes, 1e-9)
    chance = rng.random(len(headings.draft))
    first = np.searchsorted(month.seats.section, np.arange(len(headings.draft) + 1))
    found = []
    for section in np.flatnonzero(is_money & (chance < of_money)):
        points = np.asarray(month.sheet.points[first[section] : first[section + 1]])
        row = _money_floor(month, int(section), int(first[section] + np.argmax(points)), event_ids[int(section)])
        found += [row] if row is not None else []
    for section in np.flatnonzero(chance > 1.0 - federation.ceilings):
        seat = month.seats.draft[first[section]]
        if month.draft.member[seat] >= 0:
            found.append(_ceiling(month, int(section), int(seat)))
    return found


def _money_floor(month: MonthPlayed, section: int, row: int, event_id: str) -> DecisionRow | None:
    """The floor of somebody who won a class prize: nothing where the prize or the class sets none (§5)."""
    seat = month.seats.draft[row]
    end = EPOCH + timedelta(days=int(month.headings.end[section]))
    constants = edition_for(end).constants
    limit = float(np.ceil(month.draft.known[seat] / 100.0) * 100.0)
    level = money_floor(constants, constants.money_prize, limit)
    if level < constants.absolute_floor:
        return None
    details = json.dumps({"limit": limit, "prize": constants.money_prize})
    member = int(month.draft.member[seat])
    day = int(month.headings.end[section]) + 1
    return DecisionRow(day, DecisionKind.MONEY_FLOOR, member, RatingSystem.OTBR, level, event_id, None, details)


def _ceiling(month: MonthPlayed, section: int, seat: int) -> DecisionRow:
    systems = int(month.headings.systems[section])
    system = next(one for one in RatingSystem if systems >> one & 1)
    level = float(month.draft.strength[seat] + POINTS_TO_A_CEILING)
    day = int(month.headings.end[section]) + DAYS_TO_A_CEILING
    return DecisionRow(day, DecisionKind.CEILING, int(month.draft.member[seat]), system, level)


def opt_in(member: int, day: int) -> DecisionRow:
    """A member's word that foreign events are to be rated."""
    return DecisionRow(day, DecisionKind.OPT_IN, member)


def decision_table(rows: list[DecisionRow]) -> pl.DataFrame:
    """Decisions in the order of their days, numbered as acts."""
    ordered = sorted(rows, key=lambda row: row[:3])
    columns = {name: [getattr(row, name) for row in ordered] for name in DecisionRow._fields}
    schema = {"system": pl.Int64, "value": pl.Float64, "section": pl.Int64}
    made = {name: pl.Series(name, column, dtype=schema.get(name)) for name, column in columns.items()}
    made["kind"] = pl.Series([row.kind.value for row in ordered], dtype=pl.String)
    made["effective"] = pl.Series([row.effective for row in ordered], dtype=pl.Int32).cast(pl.Date)
    acts = np.arange(len(ordered)) + _FIRST_ACT
    return table_of("decisions", {"act": acts, **made})

"""The tables of a simulated archive: what the record knows of the members, and what every month of play adds to it."""

import json
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.formulas.outcome import money_floor
from crosstable.history.archive import table_of
from crosstable.lab.entering import Draft
from crosstable.lab.pairings import LETTERS, Sheet
from crosstable.lab.population import (
    EPOCH,
    GAP_FROM,
    GAP_TO,
    HIGHEST_IN_GAP,
    STATES,
    WEAKEST,
    Federation,
    Population,
    Whole,
    member_names,
    numbered,
    strength_on,
)
from crosstable.lab.schedule import Choices, Headings, event_columns, section_names
from crosstable.replaying import DecisionKind
from crosstable.rules.editions import edition_for
from crosstable.terms import RatingSystem

FIRST_ID = 10_000_000


class Facts(NamedTuple):
    """What the record knows of members beside their results: the archive's first three tables."""

    members: pl.DataFrame
    outside: pl.DataFrame
    openings: pl.DataFrame


def made_facts(federation: Federation, people: Population, rng: np.random.Generator) -> Facts:
    """What the record knows of the people of a federation."""
    fide, cfc = _has_fide(people, rng), rng.random(len(people.joined)) < federation.canadians
    lists = pl.concat(
        [
            _lists(federation, people, np.flatnonzero(fide), 0, rng),
            _lists(federation, people, np.flatnonzero(cfc), 1, rng),
        ]
    )
    members = _members(federation, people, (fide, cfc), rng)
    outside = table_of("outside", lists.sort("member", "body", "as_of").to_dict())
    return Facts(members, outside, _openings(federation, people, rng))


def _members(
    federation: Federation,
    people: Population,
    outside: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    rng: np.random.Generator,
) -> pl.DataFrame:
    count = len(people.joined)
    fide, cfc = outside
    number = pl.int_range(count, eager=True, dtype=pl.Int64)
    columns = pl.DataFrame(
        {
            "number": number,
            "name": member_names(count, rng),
            "state": pl.Series(STATES).gather(people.region),
            "born": people.born,
            "is_dated": rng.random(count) < federation.dated,
            "is_junior": people.is_junior,
            "says_age": rng.random(count) < np.where(people.is_junior, 0.3, 0.6),
            "canadian_resident": cfc & (rng.random(count) < 0.6),
            "fide": fide,
            "cfc": cfc,
            "flag": rng.random(count) < 0.9,
            "until": people.left + 365,
        }
    )
    made = columns.select(
        member_id=(pl.col("number") + FIRST_ID).cast(pl.String),
        name="name",
        state="state",
        birth_date=pl.when("is_dated").then(pl.col("born").cast(pl.Int32).cast(pl.Date)),
        adult=pl.when(~pl.col("is_dated") & pl.col("says_age")).then(~pl.col("is_junior")),
        canadian_resident="canadian_resident",
        fide_id=pl.when("fide").then((pl.col("number") + 2_000_000).cast(pl.String)).otherwise(pl.lit("")),
        cfc_id=pl.when("cfc").then((pl.col("number") + 100_000).cast(pl.String)).otherwise(pl.lit("")),
        fide_flag=pl.when(~pl.col("fide")).then(pl.lit("")).when("flag").then(pl.lit("USA")).otherwise(pl.lit("CAN")),
        member_until=pl.col("until").cast(pl.Int32).cast(pl.Date),
    )
    return table_of("members", made.to_dict())


def _has_fide(people: Population, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Who has a FIDE rating: most masters, some experts, few others."""
    share = np.select([people.peak >= 2200, people.peak >= 2000, people.peak >= 1700], [0.6, 0.25, 0.03], 0.0)
    return np.asarray(rng.random(len(people.joined)) < share)


def _lists(
    federation: Federation, people: Population, who: NDArray[np.int64], body: int, rng: np.random.Generator
) -> pl.DataFrame:
    """Outside ratings, a list a year: from before joining for those who come from abroad, from later for the others."""
    begins = people.joined[who] + np.where(rng.random(len(who)) < 0.3, -200, rng.integers(200, 1500, len(who)))
    ends = np.minimum(people.left[who], federation.last_day)
    first = _year_of(begins) + 1
    count = np.maximum(_year_of(ends) - first + 1, 0)
    member = np.repeat(who, count)
    year = np.repeat(first, count) + numbered(count)
    as_of = (year - 1970).astype("M8[Y]").astype("M8[D]").astype(np.int64)
    rating = strength_on(people, member, as_of) - 60 + np.rint(rng.normal(0.0, 40.0, len(member))).astype(np.int64)
    is_clear = (rating < HIGHEST_IN_GAP) | (as_of >= GAP_TO) | (people.left[member] < GAP_FROM)
    kept = is_clear & (rating >= 1000) if body == 0 else rating >= 400
    return pl.DataFrame(
        {
            "member": member[kept],
            "body": np.full(int(kept.sum()), body),
            "as_of": pl.Series(as_of[kept], dtype=pl.Int32).cast(pl.Date),
            "rating": rating[kept].astype(np.float64),
        }
    )


def _year_of(days: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(days.astype("M8[D]").astype("M8[Y]").astype(np.int64) + 1970)


def _openings(federation: Federation, people: Population, rng: np.random.Generator) -> pl.DataFrame:
    """Regular ratings that founders bring; of half of them the record of wins, draws and losses is not known."""
    founders = np.flatnonzero(people.joined < federation.first_day)
    who = founders[rng.random(len(founders)) < federation.opened]
    count = len(who)
    games = np.rint(rng.lognormal(3.7, 0.8, count)) + 1.0
    rating = strength_on(people, who, federation.first_day) + np.rint(
        rng.normal(0.0, 60.0, count) - federation.opened_below
    )
    rating = np.maximum(rating, WEAKEST)
    is_counted = rng.random(count) < 0.5
    wins, losses = np.floor(games * 0.4), np.floor(games * 0.45)
    columns = pl.DataFrame(
        {
            "member": who,
            "rating": rating,
            "games": games,
            "wins": wins,
            "draws": games - wins - losses,
            "losses": losses,
            "events": np.ceil(games / 5.0),
            "peak": rating + np.rint(rng.exponential(40.0, count)),
            "is_counted": is_counted,
        }
    )
    is_established = pl.col("games") > edition_for(federation.start).constants.established_above
    made = columns.select(
        "member",
        "rating",
        system=pl.lit(0),
        as_of=pl.lit(date.fromordinal(federation.start.toordinal() - 1)),
        games=pl.when(pl.col("is_counted") | ~is_established).then("games"),
        **{name: pl.when("is_counted").then(pl.col(name)) for name in ("wins", "draws", "losses", "events")},
        peak=pl.when(pl.col("is_counted") & is_established).then("peak"),
        games_at_2200=pl.lit(0),
        source=pl.lit("the list of the founding day"),
        act=pl.lit(1),
    )
    return table_of("openings", made.to_dict())


DAYS_TO_A_CEILING = 5
POINTS_TO_A_CEILING = 100
# The list from which an opponent abroad has a rating is so old at most.
NEWEST_LIST_DAYS = 30
_FIRST_ENTRY = 2  # the starting ratings came with the first entry of the journal


class DecisionRow(NamedTuple):
    """A decision before it has its journal entry; ``effective`` is counted from 1970-01-01."""

    effective: int
    kind: DecisionKind
    member: int
    system: RatingSystem | None = None
    value: float | None = None
    event_id: str = ""
    section: int | None = None
    details: str = "{}"


class Seats(NamedTuple):
    """The rows of a month's sections, in the order of the replay, and the row of the draft that each is."""

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
            "number": numbered(np.unique(seats.section, return_counts=True)[1]) + 1,
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


def decision_table(rows: list[DecisionRow]) -> pl.DataFrame:
    """Decisions in the order of their days, numbered as journal entries."""
    ordered = sorted(rows, key=lambda row: row[:3])
    columns = {name: [getattr(row, name) for row in ordered] for name in DecisionRow._fields}
    schema = {"system": pl.Int64, "value": pl.Float64, "section": pl.Int64}
    made = {name: pl.Series(name, column, dtype=schema.get(name)) for name, column in columns.items()}
    made["kind"] = pl.Series([row.kind.value for row in ordered], dtype=pl.String)
    made["effective"] = pl.Series([row.effective for row in ordered], dtype=pl.Int32).cast(pl.Date)
    acts = np.arange(len(ordered)) + _FIRST_ENTRY
    return table_of("decisions", {"act": acts, **made})

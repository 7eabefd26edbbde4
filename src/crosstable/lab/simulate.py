"""A federation from a seed, written as an archive: people join, improve, play, withdraw, go abroad and leave.

Month by month: who is active, who enters which section, when it is held and at which time control, what is played.
Nobody is rated here; true strengths decide the games, and only results go into the archive. The strengths lie in a file
beside it, ``truth.parquet``, which is no table of the archive: a row for each entry, in the order of the entries.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.exceptions import PolarsError

from crosstable.errors import HistoryError
from crosstable.history.archive import Archive, empty_table, write
from crosstable.history.archive_tables import FIDE, HEADING, KINDS, NO_MEMBER
from crosstable.lab.documents import plain
from crosstable.lab.entering import ESTABLISHED_GAMES, Draft, Present, drafted
from crosstable.lab.pairings import Field, Luck, played
from crosstable.lab.population import (
    STRONGEST,
    WEAKEST,
    Federation,
    Population,
    Whole,
    made_population,
    member_names,
    town_names,
)
from crosstable.lab.schedule import Choices, Headings, Month, choices, months_of, scheduled
from crosstable.lab.tables import (
    DecisionRow,
    Facts,
    MonthPlayed,
    Seats,
    decision_table,
    decisions_after,
    entries_table,
    games_table,
    made_facts,
    merged,
    sections_table,
)
from crosstable.replaying import DecisionKind
from crosstable.rules.editions import edition_for
from crosstable.sentences import counted
from crosstable.terms import RatingSystem

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

    def __str__(self) -> str:
        """The numbers as people read them."""
        per_section = self.games / self.sections if self.sections else 0.0
        drawn = 100.0 * self.draws / self.games if self.games else 0.0
        when = f"from {self.first} to {self.last}" if self.first else "no section"
        kinds = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in self.by_kind.items())
        lines = [
            f"  members    {self.members:>11,}  of whom {self.members_who_played:,} played",
            f"  events     {self.events:>11,}  {when}",
            f"  sections   {self.sections:>11,}  {kinds}",
            f"  entries    {self.entries:>11,}",
            f"  games      {self.games:>11,}  {per_section:.1f} a section, {drawn:.1f} % drawn",
            f"  decisions  {self.decisions:>11,}",
        ]
        for system, (sections, games) in self.by_system.items():
            lines.append(f"  {system.name:<9}  {games:>11,}  games in {counted(sections, 'section')}, {system.title}")
        return "".join(f"{line}\n" for line in lines)


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


# So many games are played in a section of a large federation.
GAMES_A_SECTION = 39
TOWNS = 400
FOREIGN_NAMES = 500
# Compiling takes some seconds; so many sections are played in about as long without it.
COMPILED_FROM = 5_000
# Tables are made of about so many rows at a time.
PORTION = 400_000
OPT_IN_SHARE = 0.3
# What a starting rating stands for at most: somebody who never played here is not yet settled.
OPENED_GAMES = ESTABLISHED_GAMES - 1


Progress = Callable[[int], None]


class World(NamedTuple):
    """What stays the same from month to month: who there is, what is known of them, what may be chosen.

    ``lists`` are the members, days and ratings of FIDE lists; ``opted_in`` says whose foreign events are to be rated.
    """

    federation: Federation
    people: Population
    facts: Facts
    choices: Choices
    towns: list[str]
    foreigners: pl.Series
    lists: tuple[Whole, Whole, NDArray[np.float64]]
    opted_in: NDArray[np.bool_]
    has_flag: NDArray[np.bool_]
    region: NDArray[np.int16]


def in_silence(done: int) -> None:
    """Progress that nobody watches; that of a replay would bring its compiler."""


class Simulated(NamedTuple):
    """A federation's archive, and the true strengths of its entries, which no archive knows."""

    archive: Archive
    truth: pl.DataFrame


def simulate(federation: Federation, progress: Progress = in_silence, *, is_compiled: bool | None = None) -> Archive:
    """Make a federation. The same federation gives the same archive, compiled or not."""
    return simulated(federation, progress, is_compiled=is_compiled).archive


def simulated(federation: Federation, progress: Progress = in_silence, *, is_compiled: bool | None = None) -> Simulated:
    """Make a federation, and say how strong everybody truly was."""
    # What is played does not hang on how its tables are made: each has luck of its own.
    rng, writing = (
        np.random.Generator(np.random.PCG64(seed)) for seed in np.random.SeedSequence(federation.seed).spawn(2)
    )
    world = _world(federation, rng)
    if is_compiled is None:
        is_compiled = federation.sections >= COMPILED_FROM
    tables: dict[str, list[pl.DataFrame]] = {"sections": [], "entries": [], "games": []}
    decisions = _opt_ins(world)
    truth = []
    for month in _portions(_months(world, rng, progress, is_compiled=is_compiled)):
        tables["sections"].append(sections_table(month, world.choices, world.towns, writing))
        tables["entries"].append(entries_table(month, world.foreigners))
        tables["games"].append(games_table(month))
        truth.append(truth_of_month(tables["entries"][-1], month))
        decisions += decisions_after(month, federation, tables["sections"][-1]["event_id"], writing)
    archive = Archive(
        members=world.facts.members,
        outside=world.facts.outside,
        openings=world.facts.openings,
        decisions=decision_table(decisions),
        **{name: pl.concat(frames, rechunk=True) if frames else empty_table(name) for name, frames in tables.items()},
        source={"simulated": plain(federation)},
    )
    return Simulated(archive, pl.concat(truth, rechunk=True) if truth else no_truth())


def _world(federation: Federation, rng: np.random.Generator) -> World:
    people = made_population(federation, rng)
    facts = made_facts(federation, people, rng)
    lists = facts.outside.filter(pl.col("body") == FIDE)
    member = lists["member"].to_numpy().astype(np.int64)
    has_list = np.zeros(federation.members, dtype=np.bool_)
    has_list[member] = True
    return World(
        federation,
        people,
        facts,
        choices(),
        town_names(TOWNS, rng),
        member_names(FOREIGN_NAMES, rng),
        (member, lists["as_of"].to_physical().to_numpy().astype(np.int64), lists["rating"].to_numpy()),
        has_list & (rng.random(federation.members) < OPT_IN_SHARE),
        (facts.members["fide_flag"] == "USA").to_numpy(),
        people.region.astype(np.int16),  # small numbers are sorted in one pass
    )


def _opt_ins(world: World) -> list[DecisionRow]:
    """Those who want foreign events rated say so when their first list comes out."""
    member, as_of, _ = world.lists
    is_first = np.diff(member, prepend=-1) > 0
    chosen = is_first & world.opted_in[member]
    return [
        DecisionRow(int(day), DecisionKind.OPT_IN, int(who))
        for who, day in zip(member[chosen], as_of[chosen], strict=True)
    ]


def _portions(months: Iterable[MonthPlayed]) -> Iterator[MonthPlayed]:
    """Months put together until they have enough rows for a table."""
    waiting: list[MonthPlayed] = []
    rows = 0
    for month in months:
        waiting.append(month)
        rows += len(month.seats.section)
        if rows >= PORTION:
            yield merged(waiting)
            waiting, rows = [], 0
    if waiting:
        yield merged(waiting)


def _months(world: World, rng: np.random.Generator, progress: Progress, *, is_compiled: bool) -> Iterator[MonthPlayed]:
    federation = world.federation
    luck = Luck(*(getattr(federation, name) for name in Luck._fields))
    regular_games = _games_before(world)
    done = 0
    for month in months_of(federation, world.people):
        present = _present(world, month, regular_games)
        draft = drafted(federation, world.people, present, month.sections, rng)
        if not len(draft.kind):
            continue
        headings = scheduled(federation, month, draft, world.choices, rng)
        seats = _seats(draft, headings, rng)
        field = _in_form(_field(draft, headings, seats), federation.form, rng)
        sheet = played(field, luck, rng, is_compiled=is_compiled)
        made = MonthPlayed(done, draft, headings, seats, sheet)
        _count_regular_games(made, regular_games)
        done += len(headings.draft)
        progress(done)
        yield made


def _games_before(world: World) -> Whole:
    """The Regular games that starting ratings stand for."""
    games = np.zeros(world.federation.members, dtype=np.int64)
    openings = world.facts.openings
    counted = openings["games"].fill_null(OPENED_GAMES).to_numpy().astype(np.int64)
    games[openings["member"].to_numpy()] = np.minimum(counted, OPENED_GAMES)
    return games


def _present(world: World, month: Month, regular_games: Whole) -> Present:
    people = world.people
    member, as_of, rating = world.lists
    fide = np.full(len(people.joined), np.nan)
    in_force = as_of <= month.first
    fide[member[in_force]] = rating[in_force]  # of several the newest, which stands last
    with_flag = world.has_flag & (fide >= edition_for(world.federation.start).constants.foreign_automatic_from)
    there = slice(0, int(np.searchsorted(people.joined, month.first, side="right")))
    is_active = people.left[there] >= month.first
    is_active &= (people.away[there] > month.first) | (people.back[there] <= month.first)
    active = np.flatnonzero(is_active)
    active = active[np.argsort(world.region[active], kind="stable")]
    return Present(month.first, active, regular_games, with_flag | (world.opted_in & ~np.isnan(fide)))


def _seats(draft: Draft, headings: Headings, rng: np.random.Generator) -> Seats:
    """The rows of all sections in the order of the replay, by strength as far as a director knows it; guests first."""
    place = np.empty(len(headings.draft), dtype=np.int64)
    place[headings.draft] = np.arange(len(headings.draft))
    section = place[draft.section]
    is_host = (draft.guests[draft.section] > 0) & (draft.member < 0)
    judged = -draft.known + rng.normal(0.0, 60.0, len(section))
    order = np.lexsort((judged, is_host, section))
    return Seats(section[order], order)


def _field(draft: Draft, headings: Headings, seats: Seats) -> Field:
    first = np.searchsorted(seats.section, np.arange(len(headings.draft) + 1))
    which = headings.draft
    columns = (draft.rounds[which], draft.games[which], draft.manner[which], draft.guests[which])
    return Field(first, *columns, draft.shown[seats.draft])


def _in_form(field: Field, form: float, rng: np.random.Generator) -> Field:
    """Everybody as strong as they are in this section: the truth says how strong they are on a usual day."""
    if not form:
        return field
    felt = np.rint(rng.normal(0.0, form, len(field.strength))).astype(np.int64)
    return field._replace(strength=np.clip(field.strength + felt, WEAKEST, STRONGEST))


def _count_regular_games(month: MonthPlayed, regular_games: Whole) -> None:
    member = month.draft.member[month.seats.draft]
    is_regular = (month.headings.systems >> RatingSystem.OTBR) & 1
    counted = (member >= 0) & (is_regular[month.seats.section] == 1)
    np.add.at(regular_games, member[counted], month.sheet.played[counted])

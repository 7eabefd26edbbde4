"""A federation from a seed, written as an archive: people join, improve, play, withdraw, go abroad and leave.

Month by month: who is active, who enters which section, when it is held and at which time control, what is played.
Nobody is rated here; true strengths decide the games, and only results go into the archive.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.history.archive import Archive, empty_table
from crosstable.history.archive_tables import FIDE
from crosstable.lab.controls import Choices, choices
from crosstable.lab.drawing import Present
from crosstable.lab.entering import ESTABLISHED_GAMES, Draft, drafted
from crosstable.lab.facts import Facts, made_facts
from crosstable.lab.month import (
    DecisionRow,
    MonthPlayed,
    Seats,
    decision_table,
    decisions_after,
    entries_table,
    games_table,
    merged,
    opt_in,
    sections_table,
)
from crosstable.lab.names import member_names, town_names
from crosstable.lab.playing import Field, Luck, Whole, played
from crosstable.lab.population import Federation, Population, made_population
from crosstable.lab.schedule import Headings, Month, months_of, scheduled
from crosstable.lab.truth import no_truth, truth_of_month
from crosstable.rules.editions import edition_for
from crosstable.terms import RatingSystem

# So many games are played in a section of a large federation.
GAMES_A_SECTION = 39
TOWNS = 400
FOREIGN_NAMES = 500
# Compiling takes some seconds; so many sections are played in about as long without it.
COMPILED_FROM = 5_000
# Tables are made of about so many rows at a time.
PORTION = 400_000
OPT_IN_SHARE = 0.3
# What an opening stands for at most: somebody who never played here is not yet settled.
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
    """Progress that nobody watches."""


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
        source={"simulated": {name: _plain(value) for name, value in federation._asdict().items()}},
    )
    return Simulated(archive, pl.concat(truth, rechunk=True) if truth else no_truth())


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | None) else str(value)


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
    return [opt_in(int(who), int(day)) for who, day in zip(member[chosen], as_of[chosen], strict=True)]


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
    luck = Luck(
        federation.withdrawals,
        federation.half_byes,
        federation.forfeits,
        federation.white_advantage,
        federation.draws,
        federation.draws_growth,
    )
    regular_games = _games_before(world)
    done = 0
    for month in months_of(federation, world.people):
        present = _present(world, month, regular_games)
        draft = drafted(federation, world.people, present, month.sections, rng)
        if not len(draft.kind):
            continue
        headings = scheduled(federation, month, draft, world.choices, rng)
        seats = _seats(draft, headings, rng)
        sheet = played(_field(draft, headings, seats), luck, rng, is_compiled=is_compiled)
        made = MonthPlayed(done, draft, headings, seats, sheet)
        _count_regular_games(made, regular_games)
        done += len(headings.draft)
        progress(done)
        yield made


def _games_before(world: World) -> Whole:
    """The Regular games that openings stand for."""
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
    """The rows of all sections in the order of the fold, by strength as far as a director knows it; guests first."""
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


def _count_regular_games(month: MonthPlayed, regular_games: Whole) -> None:
    member = month.draft.member[month.seats.draft]
    is_regular = (month.headings.systems >> RatingSystem.OTBR) & 1
    counted = (member >= 0) & (is_regular[month.seats.section] == 1)
    np.add.at(regular_games, member[counted], month.sheet.played[counted])

"""A section as a crosstable: rows by points, then by the rating after it; both systems where it is dual-rated.

``shares_of`` is what each game brought, in points that add up to the posted change, as far as the working is public.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from fastapi import Path
from pydantic import BaseModel, Field

from crosstable.calculator.estimate import points_of
from crosstable.engine import RatedPlayer, RatedSection
from crosstable.explanation.lines import as_public, has_age_start, is_coarse
from crosstable.formulas.special import special_rating
from crosstable.office.ledger.facts import Heading, State
from crosstable.office.public import PublicRow, public_rows
from crosstable.office.settings import DECIMALS, WHOLE, half_up
from crosstable.office.submissions import event_of
from crosstable.output.crosstable import columns_of, padded
from crosstable.output.tie_breaks import METHODS, field_of, standings, usual_methods
from crosstable.output.words import KINDS, cell_text, controls_text
from crosstable.rules.constants import Constants
from crosstable.terms import Cell, Entry, Formula, total
from crosstable.web.pages.events import STATES, WAITS
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import View, as_of
from crosstable.web.routes import Page
from crosstable.web.shapes import Rating, change_of, rating_of

# A section with more rounds is printed on its side.
UPRIGHT_ROUNDS = 7
# A section with more players does not fit a sheet on its side.
SIDEWAYS_ROWS = 28
# Results of more rows than these are made links by a script.
LINKED_ROWS = 60
# So many sections stand on one page.
MOST_SECTIONS = 60


class RowInSystem(BaseModel):
    """A player's result in one system."""

    system: str
    before: Rating | None
    after: Rating | None
    change: float | None
    formula: str | None
    floor: str | None
    norm: str | None
    assumed: tuple[str, ...]


class CrosstableRow(BaseModel):
    """A row: its rank, the number of the report, the player, points, rounds, ratings.

    ``rounds`` names opponents by their row, ``cells`` by their number. ``place`` is by points and tie-breaks.
    """

    row: int
    number: int
    member_id: str
    name: str
    points: float
    rounds: list[str]
    cells: list[str]
    ratings: list[RowInSystem]
    place: int
    tie_breaks: list[float]
    opponents: list[int] = Field(
        description="For each of the cells, the number of the opponent, 0 where there is none."
    )


class EventHead(BaseModel):
    """What a crosstable says of its event; ``director_name`` is empty where the director is no member of the office."""

    affiliate: str
    city: str
    state: str
    director: str
    club: str
    director_name: str


class SectionView(View):
    """A section; without rows where it is not rated."""

    event_id: str
    event_name: str
    number: int
    name: str
    state: str
    kind: str
    online: bool
    started: str | None
    ended: str | None
    time_control: str
    half_k: bool
    systems: list[str]
    edition: str | None
    rounds: int
    columns: list[int]
    rows: list[CrosstableRow]
    others: list[int]
    head: EventHead
    tie_breaks: list[str] = Field(description="The titles of the rows' tie-breaks, by the rulebook's order.")

    @property
    def is_tall(self) -> bool:
        """Whether it is printed small, so that it fits one upright sheet."""
        return len(self.rows) > SIDEWAYS_ROWS

    @property
    def is_long(self) -> bool:
        """Whether its page would be heavy with links that a script can make."""
        return len(self.rows) > LINKED_ROWS

    @property
    def is_wide(self) -> bool:
        """Whether it is printed on its side."""
        return self.rounds > UPRIGHT_ROUNDS


class Rated(NamedTuple):
    """A section in one system, with its public rows by pairing number."""

    rated: RatedSection
    rows: dict[int, PublicRow]


EventId = Annotated[str, Path(max_length=48, description="The number of the event.")]
SectionNumber = Annotated[int, Path(ge=0, le=100_000, description="The number of the section in its event.")]


def section(read: Snapshot, event_id: EventId, number: SectionNumber) -> SectionView:
    """The crosstable of a section, in each system that it is rated in."""
    event = read.event(event_id)
    heading = require_section(read, event_id, number)
    rated = rated_section(read, heading)
    entries = rated[0].rated.section.entries if rated else ()
    rounds = max((len(entry.cells) for entry in entries), default=0)
    columns, rows = _crosstable(entries, rated, rounds)
    methods = usual_methods(heading.kind) if rated else ()
    return SectionView(
        as_of=as_of(read),
        event_id=event_id,
        event_name=event.name,
        number=number,
        name=heading.name,
        state=WAITS if heading.state is State.ACCEPTED and not rated else STATES[heading.state],
        kind=KINDS[heading.kind],
        online=heading.is_online,
        started=None if heading.started is None else heading.started.isoformat(),
        ended=None if heading.ended is None else heading.ended.isoformat(),
        time_control=controls_text(heading.time_controls),
        half_k=heading.is_half_k,
        systems=[one.rated.system.name for one in rated],
        edition=rated[0].rated.edition.name if rated else None,
        rounds=rounds,
        columns=columns,
        rows=rows,
        others=[one.number for one in event.sections if one.number != number],
        head=head_of(read, event_id),
        tie_breaks=[METHODS[name].title for name in methods],
    )


def head_of(read: Snapshot, event_id: str) -> EventHead:
    """Who held an event and where, as its report says."""
    details = event_of(read.record, event_id).details
    said = {name: str(details.get(name, "")) for name in ("affiliate", "city", "state")}
    director = str(details.get("chief_td", "") or details.get("chief_arbiter", ""))
    member = read.member(director) if director else None
    return EventHead(
        **said,
        director=director if member is None else member.member_id,
        club=str(details.get("affiliate_name", "")),
        director_name="" if member is None else member.name,
    )


def require_section(read: Snapshot, event_id: str, number: int) -> Heading:
    """A section as it stands for the newest run, or as it came in where no run has seen it."""
    read.event(event_id)
    heading = read.public.record.heading(event_id, number) or read.record.heading(event_id, number)
    if heading is None:
        raise not_found("This event has no such section.")
    return heading


def rated_section(read: Snapshot, heading: Heading) -> list[Rated]:
    """The section in each of its systems; nothing where it is not rated yet."""
    return [
        Rated(rated, {row.number: row for row in public_rows(rated, read.public.places)})
        for rated in read.rated(heading)
    ]


def rows_of(rated: Sequence[Rated]) -> list[CrosstableRow]:
    """The rows of a section, in the order of its crosstable; nothing where it is not rated."""
    entries = rated[0].rated.section.entries if rated else ()
    return _crosstable(entries, rated, max((len(entry.cells) for entry in entries), default=0))[1]


def _crosstable(entries: Sequence[Entry], rated: Sequence[Rated], rounds: int) -> tuple[list[int], list[CrosstableRow]]:
    """The columns by their numbers in the report, as the rows show them, and the rows."""
    if not rated:
        return [], []
    first, kind = rated[0].rows, rated[0].rated.section.kind
    placed = {one.number: one for one in standings(field_of(rated[0].rated), usual_methods(kind))}
    ordered = sorted(entries, key=lambda entry: (-entry.points, -_after(first[entry.number]), entry.number))
    cells = [padded(entry, rounds) for entry in ordered]
    columns = columns_of(cells, rounds)
    numbers = {entry.number: at for at, entry in enumerate(ordered, start=1)}
    rows = [
        CrosstableRow(
            row=at,
            number=entry.number,
            member_id=entry.member_id,
            name=entry.name,
            points=entry.points,
            rounds=[cell_text(_by_row(cells[at - 1][column], numbers)) for column in columns],
            cells=[cell_text(cells[at - 1][column]) for column in columns],
            ratings=[_in_system(one, one.rows[entry.number]) for one in rated],
            place=placed[entry.number].place,
            tie_breaks=list(placed[entry.number].values),
            opponents=[cells[at - 1][column].opponent for column in columns],
        )
        for at, entry in enumerate(ordered, start=1)
    ]
    return [column + 1 for column in columns], rows


def _by_row(cell: Cell, numbers: dict[int, int]) -> Cell:
    return cell._replace(opponent=numbers.get(cell.opponent, 0))


def _after(row: PublicRow) -> float:
    return -1.0 if row.after is None else row.after.rating


def _in_system(one: Rated, row: PublicRow) -> RowInSystem:
    before, after = rating_of(row.before), rating_of(row.after)
    return RowInSystem(
        system=one.rated.system.name,
        before=before,
        after=after,
        change=change_of(before, after),
        formula=row.formula,
        floor=None if row.floor is None else f"{row.floor[0].replace('_', ' ')} {row.floor[1]:g}",
        norm=row.norm,
        assumed=row.assumed,
    )


class EventCrosstables(View):
    """Every rated section of an event, one after the other."""

    event_id: str
    name: str
    sections: list[SectionView]


def crosstables(read: Snapshot, event_id: EventId) -> EventCrosstables:
    """All sections of an event on one page."""
    event = read.event(event_id)
    sections = [section(read, event_id, one.number) for one in event.sections[:MOST_SECTIONS]]
    return EventCrosstables(as_of=as_of(read), event_id=event_id, name=event.name, sections=sections)


PAGES = (
    Page(
        "/events/{event_id}/crosstables",
        crosstables,
        "crosstables.html",
        api="/events/{event_id}/crosstables",
        summary="All crosstables of an event",
        tag="events",
    ),
    Page(
        "/events/{event_id}/sections/{number}",
        section,
        "section.html",
        api="/events/{event_id}/sections/{number}",
        summary="The crosstable of a section",
        tag="events",
    ),
)


EXPECTED_DECIMALS = 2
BONUS, FLOOR, CEILING, MATCH = "Bonus", "Floor", "Ceiling", "Limit of match play"
AGE, ROUNDING = "A first rating that is not public", "Rounding of the posted ratings"


class GameShare(NamedTuple):
    """What was expected of a game, and what it brought."""

    expected: float
    points: float


class Shares(NamedTuple):
    """The games of a row by their rounds, and what else moved the rating; together they are the posted change.

    Under the special formula (§4.1), which has no parts, a game counts for how far it moves the rating that the games
    before it give (``is_in_turn``).
    """

    games: Mapping[int, GameShare]
    others: tuple[tuple[str, float], ...]
    change: float
    is_in_turn: bool


def shares_of(one: Rated, number: int) -> Shares | None:
    """The shares of a row; nothing for an unrated player, whose start is no rating, nor for a row of several."""
    row = one.rows[number]
    player = next(player for player in one.rated.players if player.number == number)
    if row.before is None or row.after is None or row.formula is None or player.merged_with:
        return None
    rounds = [at for at, _ in games_of(one, number)]
    if one.rated.section.kind.is_foreign or len(rounds) != len(player.games):
        return None
    shown, constants = as_public(one.rated, player), one.rated.edition.constants
    is_in_turn = shown.formula is Formula.SPECIAL
    known = points_of(shown, constants)
    points = _in_turn(shown, constants) if is_in_turn else [game.points for game in known]
    change = round(row.after.rating - row.before.rating, DECIMALS)
    others = dict(_others(one, shown, change - total(points)))
    at = WHOLE if is_coarse(one.rated) else DECIMALS
    parts = _rounded([*points, *others.values()], change, at)
    if at == DECIMALS:
        others[ROUNDING] = round(change - total(parts), DECIMALS)
        parts.append(others[ROUNDING])
    expected = (half_up(game.expected, EXPECTED_DECIMALS) for game in known)
    games = dict(zip(rounds, map(GameShare, expected, parts), strict=True))
    left = zip(others, parts[len(points) :], strict=True)
    return Shares(games, tuple((name, value) for name, value in left if value), change, is_in_turn)


def games_of(one: Rated, number: int) -> list[tuple[int, Cell]]:
    """The rated games of a row, each with its round."""
    entry = next(entry for entry in one.rated.section.entries if entry.number == number)
    return [
        (at, cell) for at, cell in enumerate(entry.cells, start=1) if cell.result.is_game and cell.opponent in one.rows
    ]


def _in_turn(player: RatedPlayer, constants: Constants) -> list[float]:
    """How far each game moves what the special formula gives for the games before it."""
    found, score, before = [], 0.0, player.prior
    for at, game in enumerate(player.games, start=1):
        score += game.score
        met = [one.intermediate for one in player.games[:at]]
        rating = special_rating(constants, player.prior, player.effective, player.past, score, met).rating
        found.append(rating - before)
        before = rating
    return found


def _others(one: Rated, player: RatedPlayer, rest: float) -> Iterator[tuple[str, float]]:
    """What moved the rating beside the games; ``rest`` is all that they leave of the posted change."""
    bonus = player.final.bonus if player.formula is Formula.STANDARD else 0.0
    if bonus:
        yield BONUS, bonus
    outcome = player.outcome
    if one.rows[player.number].floor is not None:
        yield FLOOR, rest - bonus
    elif outcome.is_at_ceiling:
        yield CEILING, rest - bonus
    elif not math.isnan(outcome.limited_change):
        yield MATCH, rest - bonus
    elif has_age_start(one.rated):
        yield AGE, rest - bonus


def _rounded(parts: Sequence[float], whole: float, places: int) -> list[float]:
    """Parts to so many places; whole numbers so that they add up to the whole, those that lose most going up first."""
    if places:
        return [round(part, places) for part in parts]
    down = [float(math.floor(part)) for part in parts]
    order = sorted(range(len(parts)), key=lambda at: down[at] - parts[at])
    missing = round(whole - total(down))
    for step in range(abs(missing)):
        down[order[step % len(order) if missing > 0 else -1 - step % len(order)]] += math.copysign(1.0, missing)
    return down

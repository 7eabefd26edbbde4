"""A request as a section that the engine rates: the player's row, a row per opponent, and what each brings.

Opponents who keep their rating are met one-sidedly (N, R, S): the engine then rates the player's row alone, against
ratings that stand still in both passes. Opponents whose scores are known are rated too: their other games are played
against strangers, so that Steps 4 and 5 run as they do in the office (§1).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from crosstable.calculator.requests import EstimateRequest, Opponent, OpponentsAt, Timing
from crosstable.formulas.initial import DAYS_A_YEAR
from crosstable.terms import (
    GAME_SCORES,
    Background,
    Cell,
    Entry,
    Floor,
    FloorKind,
    PlayerRating,
    RatingSystem,
    Result,
    Section,
    SectionType,
    total,
)

ONE_SIDED = {
    Result.WIN: Result.WIN_ONE_SIDED,
    Result.DRAW: Result.DRAW_ONE_SIDED,
    Result.LOSS: Result.LOSS_ONE_SIDED,
}
MIRRORED = {Result.WIN: Result.LOSS, Result.DRAW: Result.DRAW, Result.LOSS: Result.WIN}
# Where nobody's rating is known there is no average; any value will do, because nobody needs it then.
NO_AVERAGE = 1500.0


class OneRow(NamedTuple):
    """What the engine takes: the section, what each row brings, and the number of the player's row."""

    section: Section
    backgrounds: Mapping[int, Background]
    number: int


def one_row(request: EstimateRequest, timing: Timing, kind: OpponentsAt) -> OneRow:
    """The section of a request: opponents are rows 1 to n in their order, the player is row n + 1."""
    number = len(request.opponents) + 1
    backgrounds = {number: background_of(request, timing.system)}
    rows: list[Entry] = []
    strangers: list[Entry] = []
    own: list[Cell] = []
    for at, opponent in enumerate(request.opponents, start=1):
        backgrounds[at] = _opponent_background(opponent, timing.system, kind)
        results = [result for result in opponent.results if result is not None]
        if kind is not OpponentsAt.SCORES or opponent.score is None:
            rows.append(Entry(at, "", "", ()))
            own += [Cell(ONE_SIDED[result], at, "") for result in results]
            continue
        others = _other_games(opponent, number + 1 + len(strangers))
        met = [Cell(MIRRORED[result], number, "") for result in results]
        rows.append(Entry(at, "", "", (*met, *others)))
        own += [Cell(result, at, "") for result in results]
        stranger = Background(standings={timing.system: PlayerRating(strength_of_others(request, opponent))})
        backgrounds.update({cell.opponent: stranger for cell in others})
        strangers += [Entry(cell.opponent, "", "", ()) for cell in others]
    entries = (*rows, Entry(number, "", "", tuple(own)), *strangers)
    return OneRow(_section(request, timing, entries), backgrounds, number)


def rows_of(request: EstimateRequest, ways: Iterable[Sequence[Result]], timing: Timing, kind: OpponentsAt) -> OneRow:
    """The section of a request in which the player has a row per way his games may go, from ``number`` on.

    The opponents keep their ratings, so nobody moves anybody else, and each row is rated as it is alone.
    """
    assert kind is not OpponentsAt.SCORES
    row = one_row(request, timing, kind)
    met = [at for at, opponent in enumerate(request.opponents, start=1) for _ in opponent.results]
    own = [
        Entry(number, "", "", tuple(Cell(ONE_SIDED[result], at, "") for at, result in zip(met, way, strict=True)))
        for number, way in enumerate(ways, start=row.number)
    ]
    backgrounds = {**row.backgrounds, **dict.fromkeys((entry.number for entry in own), row.backgrounds[row.number])}
    entries = (*row.section.entries[: row.number - 1], *own)
    return OneRow(row.section._replace(entries=entries), backgrounds, row.number)


def _section(request: EstimateRequest, timing: Timing, entries: tuple[Entry, ...]) -> Section:
    return Section(
        number=1,
        name="",
        kind=SectionType.MATCH if request.is_match else SectionType.SWISS,
        is_online=timing.system.is_online,
        time_control=None,
        systems=timing.systems,
        start=request.section_date,
        end=request.section_date,
        entries=entries,
        is_dual_control=timing.is_dual,
    )


def strength_of_others(request: EstimateRequest, opponent: Opponent) -> float:
    """The strength of an opponent's other opponents: as given, else halfway from the average to the opponent himself.

    The average is that of all ratings in the request. Halfway errs least on official results, above all among strong
    players, whom pairings bring together.
    """
    if request.field_rating is not None:
        return request.field_rating
    known = [each.rating for each in request.opponents if each.rating is not None]
    if request.rating is not None:
        known.append(request.rating)
    if not known:
        return NO_AVERAGE
    average = total(known) / len(known)
    return average if opponent.rating is None else (average + opponent.rating) / 2.0


def _other_games(opponent: Opponent, first: int) -> list[Cell]:
    """An opponent's games against others, who are rows from ``first`` on; they make up the rest of his score."""
    assert opponent.score is not None
    assert opponent.played is not None
    results = [result for result in opponent.results if result is not None]
    rest = opponent.score - total(GAME_SCORES[MIRRORED[result]] for result in results)
    others = results_worth(rest, opponent.played - len(results))
    return [Cell(ONE_SIDED[result], first + at, "") for at, result in enumerate(others)]


def results_worth(score: float, games: int) -> Iterator[Result]:
    """Results of so many games that add up to a score: wins first, at most one draw, then losses."""
    left = score
    for _ in range(games):
        if left >= 1.0:
            yield Result.WIN
        elif left >= 0.5:
            yield Result.DRAW
        else:
            yield Result.LOSS
        left -= 1.0 if left >= 1.0 else 0.5 if left >= 0.5 else 0.0


def background_of(request: EstimateRequest, system: RatingSystem) -> Background:
    """What the player brings: his standing in the system, or everything that an unrated player may start from."""
    standings = dict(request.others)
    if request.rating is not None:
        standings[system] = _standing(request)
    return Background(
        standings=standings,
        fide=request.fide,
        cfc=request.cfc,
        birth_date=_birth_date(request),
        adult=request.adult,
        canadian_resident=request.canadian_resident,
    )


def _standing(request: EstimateRequest) -> PlayerRating:
    assert request.rating is not None
    wins, draws, losses = request.record if request.record is not None else (None, None, None)
    return PlayerRating(
        rating=request.rating,
        games=request.games,
        wins=wins,
        draws=draws,
        losses=losses,
        events=request.events,
        peak=request.peak,
        peak_since_2010=request.peak,
        floors=() if request.floor is None else (Floor(FloorKind.OFFICE, request.floor),),
    )


def _birth_date(request: EstimateRequest) -> date | None:
    """The birth date, or the day on which somebody of exactly this age was born (§2.3 counts days)."""
    if request.age is None:
        return request.birth_date
    return request.section_date - timedelta(days=round(request.age * DAYS_A_YEAR))


def _opponent_background(opponent: Opponent, system: RatingSystem, kind: OpponentsAt) -> Background:
    rating = opponent.rating
    is_held = kind is OpponentsAt.AFTER or (kind is OpponentsAt.SCORES and opponent.score is None)
    if is_held and opponent.post_event is not None:
        rating = opponent.post_event
    if rating is None:
        return Background()
    return Background(standings={system: PlayerRating(rating, opponent.games)})

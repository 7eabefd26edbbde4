"""One player's estimate: the engine's own five steps over the one row that he knows."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from crosstable.calculator.classes import RatingClass, rating_class
from crosstable.calculator.one_row import background_of, one_row, rows_of
from crosstable.calculator.points import GamePoints, points_of
from crosstable.calculator.requests import (
    EstimateRequest,
    OpponentsAt,
    Timing,
    kind_of,
    player_and_games_faults,
    timing_of,
)
from crosstable.engine import RatedPlayer, RatedSection, Start, rate
from crosstable.engine.competitors import competitors
from crosstable.engine.rating import rated_field
from crosstable.engine.starts import start_of
from crosstable.errors import UnratableSectionError, UnsupportedEditionError
from crosstable.explanation import Line, explain
from crosstable.faults import fault
from crosstable.formulas.rounding import official_rating
from crosstable.formulas.steps import formula_for
from crosstable.terms import FloorKind, Formula, RatingSystem, Result, total

NO_RESULT = "No game has a result yet."


class OtherKind(NamedTuple):
    """The result of the same request with opponents met at other ratings."""

    kind: OpponentsAt
    rating: float


class Estimate(NamedTuple):
    """An estimate with its working. ``rating`` is the full float, ``official`` what would be published.

    ``k``, ``change`` and ``bonus`` are ``None`` under the special formula, which has none; ``start`` is there for a
    player who was unrated, ``limited_change`` and ``floor_level`` where the limit of a match or a floor acted.
    ``expected`` adds up the winning expectancies of the games at the pre-event or initial rating under either formula.
    ``points`` say what each game brought.
    """

    request: EstimateRequest
    kind: OpponentsAt
    edition: str
    system: RatingSystem
    systems: tuple[RatingSystem, ...]
    is_dual: bool
    start: Start | None
    before: float | None
    games_before: float | None
    class_before: RatingClass | None
    prior: float
    formula: Formula
    effective_games: float
    k: float | None
    score: float
    played: int
    expected: float
    change: float | None
    bonus: float | None
    earns_bonus: bool
    computed: float
    limited_change: float | None
    floor_kind: FloorKind
    floor_level: float | None
    rating: float
    official: int
    games_after: float | None
    class_after: RatingClass
    norm: str | None
    points: tuple[GamePoints, ...]
    others: tuple[OtherKind, ...]
    assumed: tuple[str, ...]
    rated: RatedSection

    @property
    def player(self) -> RatedPlayer:
        """The player's record as the engine made it."""
        return self.rated.players[len(self.request.opponents)]

    @property
    def post(self) -> float:
        """The rating after the event in full, by the name that rated files use."""
        return self.rating

    @property
    def gain(self) -> float:
        """What the event brings, measured from the pre-event rating, or from the start of an unrated player."""
        return self.rating - (self.prior if self.before is None else self.before)


class RowResult(NamedTuple):
    """What a score gives: the rating after the section, and the bonus in it."""

    score: float
    rating: float
    bonus: float


def estimate(request: EstimateRequest) -> Estimate:
    """The estimate of a request; raises ``UnratableSectionError`` with every fault if it cannot be answered."""
    timing = checked(request)
    if not request.games_with_result:
        remedy = "Give a result for at least one game, or ask for the range of outcomes."
        raise UnratableSectionError([fault("missing-field", "game", NO_RESULT, remedy)])
    kind = kind_of(request)
    rated, player = rate_row(request, timing, kind)
    others = tuple(
        OtherKind(other, final_rating(rate_row(request, timing, other)[1]))
        for other in OpponentsAt
        if other is not kind and _has_figures(request, other)
    )
    return _estimate(request, timing, kind, rated, player)._replace(others=others)


def checked(request: EstimateRequest) -> Timing:
    """The rules and system of a sound request; raises ``UnratableSectionError`` with every fault of another."""
    timing, faults = timing_of(request)
    faults += player_and_games_faults(request)
    if faults or timing is None:
        raise UnratableSectionError(faults)
    return timing


def rate_row(request: EstimateRequest, timing: Timing, kind: OpponentsAt) -> tuple[RatedSection, RatedPlayer]:
    """The section that a request makes, rated by the engine, and the player's own record in it."""
    row = one_row(request, timing, kind)
    try:
        rated = rate(row.section, timing.system, row.backgrounds, timing.edition)
    except UnsupportedEditionError as error:
        raise _not_found(error) from error
    return rated, rated.players[row.number - 1]


def rate_ways(
    request: EstimateRequest, ways: Iterable[Sequence[Result]], timing: Timing, kind: OpponentsAt
) -> Iterator[RowResult]:
    """What each way that the games of a request may go gives the player; the opponents keep their ratings."""
    row = rows_of(request, ways, timing, kind)
    who = competitors(row.section, row.backgrounds)
    try:
        rated = rated_field(row.section, timing.system, who, timing.edition)
    except UnsupportedEditionError as error:
        raise _not_found(error) from error
    for at in range(row.number - 1, len(who)):
        formula = formula_for(timing.edition.constants, rated.field.games[at], rated.field.past[at])
        bonus = rated.sheet.final.bonus[at] if formula is Formula.STANDARD else 0.0
        yield RowResult(rated.field.score[at], rated.finals[at], bonus)


def rating_before(request: EstimateRequest, timing: Timing) -> float:
    """The rating before the event, or where an unrated player starts (§2)."""
    if request.rating is not None:
        return request.rating
    background = background_of(request, timing.system)
    try:
        days = request.section_date, request.section_date
        start, _ = start_of(background, timing.system, days, timing.edition)
    except UnsupportedEditionError as error:
        raise _not_found(error) from error
    return start.initial.rating


def _not_found(error: UnsupportedEditionError) -> UnratableSectionError:
    text = str(error)
    return UnratableSectionError([fault("rule-not-found", "date", f"{text[0].upper()}{text[1:]}.")])


def final_rating(player: RatedPlayer) -> float:
    """The rating after the section of somebody who played."""
    assert player.after is not None
    return player.after.rating


def _has_figures(request: EstimateRequest, kind: OpponentsAt) -> bool:
    if kind is OpponentsAt.AFTER:
        return any(opponent.post_event is not None for opponent in request.opponents)
    if kind is OpponentsAt.SCORES:
        return any(opponent.score is not None for opponent in request.opponents)
    return True


def _estimate(
    request: EstimateRequest, timing: Timing, kind: OpponentsAt, rated: RatedSection, player: RatedPlayer
) -> Estimate:
    assert player.after is not None
    is_standard = player.formula is Formula.STANDARD
    points = points_of(player, timing.edition.constants)
    outcome = player.outcome
    rating = player.after.rating
    return Estimate(
        request=request,
        kind=kind,
        edition=timing.edition.name,
        system=timing.system,
        systems=timing.systems,
        is_dual=timing.is_dual,
        start=player.start,
        before=request.rating,
        games_before=request.games,
        class_before=None if request.rating is None else rating_class(request.rating),
        prior=player.prior,
        formula=player.formula,
        effective_games=player.effective,
        k=player.final.k if is_standard else None,
        score=player.score,
        played=player.played,
        expected=total(game.expected for game in points),
        change=player.final.k * (player.score - player.final.expected) if is_standard else None,
        bonus=player.final.bonus if is_standard else None,
        earns_bonus=player.earns_bonus,
        computed=player.final.computed,
        limited_change=None if math.isnan(outcome.limited_change) else outcome.limited_change,
        floor_kind=outcome.floor_kind,
        floor_level=outcome.floor_level if math.isfinite(outcome.floor_level) else None,
        rating=rating,
        official=official_rating(rating),
        games_after=player.after.games,
        class_after=rating_class(rating),
        norm=player.norm,
        points=points,
        others=(),
        assumed=tuple(str(note) for note in player.assumed),
        rated=rated,
    )


def working(found: Estimate) -> tuple[Line, ...]:
    """The whole calculation of an estimate, step by step, each line with its section of the document (§1)."""
    return explain(found.rated, len(found.request.opponents) + 1)

"""One player's estimate: the engine's own five steps over the one row that the player knows.

A request becomes a section: the player's row, a row per opponent, and what each brings. Opponents who keep their rating
are met one-sidedly (N, R, S): the engine then rates the player's row alone, against ratings that stand still in both
passes. Opponents whose scores are known are rated too: their other games are played against strangers, so that Steps 4
and 5 run as they do in the office (§1).
"""

import math
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from crosstable.calculator.figures import RatingClass, rating_class
from crosstable.calculator.requests import (
    EstimateRequest,
    Opponent,
    OpponentsAt,
    Timing,
    kind_of,
    player_and_games_faults,
    timing_of,
)
from crosstable.engine import RatedPlayer, RatedSection, Start, rate
from crosstable.engine.after import limits_of, system_section, unrated_record
from crosstable.engine.records import numbers_of
from crosstable.engine.starts import start_of
from crosstable.errors import UnratableSectionError, UnsupportedEditionError
from crosstable.explanation import Line, explain
from crosstable.faults import fault
from crosstable.formulas.initial import DAYS_A_YEAR
from crosstable.formulas.outcome import official_rating
from crosstable.formulas.section import is_held, section_outcome, share_of
from crosstable.formulas.special import special_rating
from crosstable.formulas.standard import odds, updated, winning_expectancy
from crosstable.rules.constants import Constants
from crosstable.sentences import sentence_of
from crosstable.terms import (
    AS_ONE_SIDED,
    GAME_SCORES,
    MIRRORED,
    Background,
    Cell,
    Entry,
    Floor,
    FloorKind,
    Formula,
    PlayerRating,
    RatingSystem,
    Result,
    Section,
    SectionType,
    total,
)

VERBS = {1.0: "win", 0.5: "draw", 0.0: "loss"}


class GamePoints(NamedTuple):
    """One game: the opponent's place in the request, their rating when met, what was expected, what it brought.

    Under the standard formula (§4.2) a game's points are its own K(S - E); with the bonus they add up to the change
    before floors. The special formula (§4.1) has no such parts, so a game counts for what the rating would lack without
    it; these do not add up, because every game changes what the others are worth.
    """

    opponent: int
    score: float
    met_at: float
    expected: float
    points: float
    is_leave_one_out: bool

    @property
    def sentence(self) -> str:
        """In plain words: this loss cost 14."""
        return points_sentence(self.score, self.points)


def points_sentence(score: float, points: float) -> str:
    """What a game brought, in plain words and whole points."""
    whole = abs(round(points))
    verb = VERBS[score]
    if not whole:
        return f"this {verb} changed next to nothing"
    return f"this {verb} {'brought' if points > 0.0 else 'cost'} {whole}"


def points_of(player: RatedPlayer, constants: Constants) -> tuple[GamePoints, ...]:
    """The points of every game of a rated player, in the order of the games."""
    own = odds(player.prior)
    met = [game.intermediate for game in player.games]
    found = []
    for at, game in enumerate(player.games):
        expected = winning_expectancy(own, odds(met[at]))
        if player.formula is Formula.STANDARD:
            points = player.final.k * (game.score - expected)
        else:
            without = special_rating(
                constants,
                player.prior,
                player.effective,
                player.past,
                player.score - game.score,
                met[:at] + met[at + 1 :],
            )
            points = player.final.computed - without.rating
        is_left_out = player.formula is Formula.SPECIAL
        found.append(GamePoints(game.opponent, game.score, met[at], expected, points, is_left_out))
    return tuple(found)


# Where nobody's rating is known there is no average; any value will do, because nobody needs it then.
NO_AVERAGE = 1500.0


def one_row(request: EstimateRequest, timing: Timing, kind: OpponentsAt) -> tuple[Section, int]:
    """The section of a request, and the player's row: opponents are rows 1 to n in their order, the player n + 1."""
    number = len(request.opponents) + 1
    rows: list[Entry] = []
    strangers: list[Entry] = []
    own: list[Cell] = []
    for at, opponent in enumerate(request.opponents, start=1):
        background = _opponent_background(opponent, timing.system, kind)
        if kind is not OpponentsAt.SCORES or opponent.score is None:
            rows.append(Entry(at, "", "", (), background=background))
            own += [Cell(AS_ONE_SIDED[result], at, "") for result in opponent.over]
            continue
        others = _other_games(opponent, number + 1 + len(strangers))
        met = [Cell(MIRRORED[result], number, "") for result in opponent.over]
        rows.append(Entry(at, "", "", (*met, *others), background=background))
        own += [Cell(result, at, "") for result in opponent.over]
        stranger = Background(standings={timing.system: PlayerRating(strength_of_others(request, opponent))})
        strangers += [Entry(cell.opponent, "", "", (), background=stranger) for cell in others]
    player = Entry(number, "", "", tuple(own), background=background_of(request, timing.system))
    return _section(request, timing, (*rows, player, *strangers)), number


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
    """The strength of an opponent's other opponents: as given, else halfway from the average to the opponent.

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
    """An opponent's games against others, who are rows from ``first`` on; these make up the rest of their score."""
    assert opponent.score is not None
    assert opponent.played is not None
    rest = opponent.score - total(GAME_SCORES[MIRRORED[result]] for result in opponent.over)
    others = results_worth(rest, opponent.played - len(opponent.over))
    return [Cell(AS_ONE_SIDED[result], first + at, "") for at, result in enumerate(others)]


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
    """What the player brings: the rating record in the system, or all that an unrated player may start from."""
    ratings = dict(request.others)
    if request.rating is not None:
        ratings[system] = _rating_record(request)
    return Background(
        standings=ratings,
        fide=request.fide,
        cfc=request.cfc,
        birth_date=_birth_date(request),
        adult=request.adult,
        canadian_resident=request.canadian_resident,
    )


def _rating_record(request: EstimateRequest) -> PlayerRating:
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


NO_RESULT = "No game has a result yet."


class OtherKind(NamedTuple):
    """The result of the same request with opponents met at other ratings."""

    kind: OpponentsAt
    rating: float


class Estimate(NamedTuple):
    """An estimate with its calculation. ``rating`` has all decimals, ``official`` is the whole number to be published.

    Some fields may be ``None``: ``k``, ``change`` and ``bonus`` under the special formula, ``start`` if the player was
    rated, ``limited_change`` if no limit of a match applied, ``floor_level`` if no floor applied. ``expected`` is the
    sum of the winning expectancies. Whichever formula rated the player, it is computed from the rating before the
    event, or for an unrated player from the initial rating. ``points`` has the rating points that the player gained or
    lost in each game.
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
    def timing(self) -> Timing:
        """The rules and systems that it was made by."""
        return Timing(self.rated.edition, self.system, self.systems, self.is_dual)

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


# Wins, draws and losses.
Results = tuple[int, int, int]


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
    others = [
        OtherKind(other, final_rating(rate_row(request, timing, other)[1]))
        for other in OpponentsAt
        if other is not kind and _has_figures(request, other)
    ]
    return _estimate(request, timing, (kind, tuple(others)), rated, player)


def checked(request: EstimateRequest) -> Timing:
    """The rules and system of a sound request; raises ``UnratableSectionError`` with every fault of another."""
    timing, faults = timing_of(request)
    faults += player_and_games_faults(request)
    if faults or timing is None:
        raise UnratableSectionError(faults)
    return timing


def rate_row(request: EstimateRequest, timing: Timing, kind: OpponentsAt) -> tuple[RatedSection, RatedPlayer]:
    """The section that a request makes, rated by the engine, and the player's own record in it."""
    section, number = one_row(request, timing, kind)
    try:
        rated = rate(section, timing.system, timing.edition)
    except UnsupportedEditionError as error:
        raise _not_found(error) from error
    return rated, rated.players[number - 1]


def rate_ways(rated: RatedSection, player: RatedPlayer, ways: Iterable[Results]) -> Iterator[RowResult]:
    """What other results in the same games give a player whose opponents keep their ratings.

    Nobody they meet is moved, so K, the expected score and the strengths met stay, and only the score differs.
    """
    constants = rated.edition.constants
    at = system_section(rated.section, rated.system, rated.edition)
    record = player.before if player.start is None else unrated_record(player.games_before)
    assert record is not None
    numbers = numbers_of(record)
    limits = limits_of(at, record, numbers)
    met = [game.intermediate for game in player.games]
    bonus_games = float(player.played) if player.earns_bonus else 0.0
    k, expected = player.final.k, player.final.expected
    for wins, draws, losses in ways:
        score, bonus = wins + 0.5 * draws, 0.0
        if player.formula is Formula.SPECIAL:
            special = special_rating(constants, player.prior, player.effective, player.past, score, met)
            assert special.converged
            computed = special.rating
        else:
            update = updated(constants, player.prior, k, score - expected, expected, bonus_games)
            computed, bonus = update.rating, update.bonus
        if is_held(constants, at.facts, numbers, computed, limits):
            share = share_of(at.facts, wins, draws, losses)
            computed = section_outcome(constants, at.facts, numbers, share, computed, limits).rating
        yield RowResult(score, computed, bonus)


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
    return UnratableSectionError([fault("rule-not-found", "date", sentence_of(error))])


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
    request: EstimateRequest,
    timing: Timing,
    kinds: tuple[OpponentsAt, tuple[OtherKind, ...]],
    rated: RatedSection,
    player: RatedPlayer,
) -> Estimate:
    assert player.after is not None
    kind, others = kinds
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
        others=others,
        assumed=tuple(str(note) for note in player.assumed),
        rated=rated,
    )


def working(found: Estimate) -> tuple[Line, ...]:
    """The whole calculation of an estimate, step by step, each line with its section of the document (§1)."""
    return explain(found.rated, len(found.request.opponents) + 1)

"""What somebody asks the calculator: one player, the opponents met, the day, the system; and what is wrong with it."""

import math
from collections.abc import Iterator, Mapping
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from crosstable.errors import Fault, NoEditionError, TimeControlError
from crosstable.faults import fault
from crosstable.rules.amending import Edition
from crosstable.rules.editions import LOWEST_FLOOR, edition_for
from crosstable.rules.time_controls import is_dual_control, parse_time_control, systems_for
from crosstable.sentences import sentence_of
from crosstable.terms import GAME_SCORES, MIRRORED, OutsideRating, PlayerRating, RatingSystem, Result, total

# What a request may hold. Nobody plays more in one section, and no request may keep a server busy.
MOST_GAMES = 100
MOST_OTHER_SYSTEMS = 6
MOST_OTHER_GAMES = 1000
LOWEST_RATING = LOWEST_FLOOR
HIGHEST_RATING = 3500.0
MOST_COUNTED = 100_000
OLDEST_AGE = 120.0
LAST_YEAR = 2100


class OpponentsAt(StrEnum):
    """At which rating opponents are met in an estimate."""

    BEFORE = "before"
    AFTER = "after"
    SCORES = "scores"

    @property
    def assumes(self) -> str:
        """What an estimate of this kind takes for granted, in plain words."""
        return ASSUMES[self]


ASSUMES: Mapping[OpponentsAt, str] = {
    OpponentsAt.BEFORE: "Opponents are met at the ratings they had before the event, as if they learned nothing in it. "
    "The office rates twice, the second time against what the first pass made of the opponents.",
    OpponentsAt.AFTER: "Opponents are met at the ratings they have after the event, which stand for the results of the "
    "office's first pass. Opponents without one are met at the rating they had before.",
    OpponentsAt.SCORES: "Opponents are first rated themselves, on the scores given for them, and on other opponents "
    "between the average and their own strength; then you are rated against the results, as the office does it in two "
    "passes.",
}


class Opponent(NamedTuple):
    """An opponent and the results against them; ``None`` among them is a game still to come.

    ``rating`` is ``None`` for an unrated opponent; ``post_event`` is what they have after the event, ``score``
    and ``played`` what they made in all rated games of the section, those against the player included.
    """

    rating: float | None
    results: tuple[Result | None, ...]
    games: float | None = None
    post_event: float | None = None
    score: float | None = None
    played: int | None = None

    @property
    def over(self) -> tuple[Result, ...]:
        """The results of the games that are over."""
        return tuple([result for result in self.results if result is not None])


class EstimateRequest(NamedTuple):
    """One player's question: what they had, whom they met, when and in which system.

    ``rating`` is ``None`` for an unrated player, who starts by age, FIDE, CFC and other systems (§2). ``games`` is
    ``None`` where an established player does not know the count.
    """

    section_date: date
    opponents: tuple[Opponent, ...] = ()
    rating: float | None = None
    games: float | None = None
    record: tuple[int, int, int] | None = None
    events: int | None = None
    peak: float | None = None
    floor: float | None = None
    birth_date: date | None = None
    age: float | None = None
    adult: bool | None = None
    fide: OutsideRating | None = None
    cfc: OutsideRating | None = None
    canadian_resident: bool = False
    others: tuple[tuple[RatingSystem, PlayerRating], ...] = ()
    system: RatingSystem | None = None
    control: str = ""
    is_online: bool = False
    is_dual: bool = False
    is_match: bool = False
    opponents_at: OpponentsAt | None = None
    field_rating: float | None = None

    @property
    def games_with_result(self) -> int:
        """m, the games that are over."""
        return sum([len(opponent.results) - opponent.results.count(None) for opponent in self.opponents])

    @property
    def games_to_come(self) -> int:
        """The games that have no result yet."""
        return sum([opponent.results.count(None) for opponent in self.opponents])


class Timing(NamedTuple):
    """The edition of the day, the system of the estimate, all systems of the control, and whether K is the dual one."""

    edition: Edition
    system: RatingSystem
    systems: tuple[RatingSystem, ...]
    is_dual: bool


def kind_of(request: EstimateRequest) -> OpponentsAt:
    """The kind of estimate: as asked, else the one that errs least of those the request has figures for (measured)."""
    if request.opponents_at is not None:
        return request.opponents_at
    kind = OpponentsAt.BEFORE
    for opponent in request.opponents:
        if opponent.post_event is not None:
            return OpponentsAt.AFTER
        if opponent.score is not None:
            kind = OpponentsAt.SCORES
    return kind


def timing_of(request: EstimateRequest) -> tuple[Timing | None, list[Fault]]:
    """Rules and system of a request, or every fault of its date, control and system."""
    timing, faults = _timing_of(
        request.section_date, request.system, request.control, request.is_online, request.is_dual
    )
    return timing, list(faults)


# One request is asked for its rules several times, and most requests are about few days and controls.
@lru_cache(maxsize=512)
def _timing_of(
    day: date, system: RatingSystem | None, written: str, is_online: bool, is_dual: bool
) -> tuple[Timing | None, list[Fault]]:
    try:
        edition = edition_for(day)
    except NoEditionError as error:
        return None, [fault("no-rules", "date", sentence_of(error))]
    systems: tuple[RatingSystem, ...] = () if system is None else (system,)
    unsaid = RatingSystem.OLR if is_online else RatingSystem.OTBR
    if written:
        is_online = is_online or (system is not None and system.is_online)
        try:
            control = parse_time_control(written)
        except TimeControlError as error:
            return None, [fault("time-control-not-read", "control", sentence_of(error))]
        try:
            systems = systems_for(control, is_online=is_online, ranges=edition.controls)
        except TimeControlError as error:
            return None, [fault("time-control-not-rated", "control", sentence_of(error))]
        is_dual = is_dual or (is_dual_control(control, edition.controls) and not is_online)
        if system is not None and system not in systems:
            told = " and ".join(each.name for each in systems)
            return None, [fault("bad-value", "system", f"{written} is rated {told}, not {system.name}.")]
    chosen = system or (systems[0] if systems else unsaid)
    if chosen not in edition.systems:
        message = f"{chosen.name} ratings did not exist on {day}."
        return None, [fault("system-not-in-force", "system", message)]
    if is_dual and not written and chosen not in (RatingSystem.OTBR, RatingSystem.OTBQ):
        return None, [fault("bad-value", "dual", "Only Regular and Quick over the board are dual-rated.")]
    return Timing(edition, chosen, systems or (chosen,), is_dual), []


def faults_of(request: EstimateRequest) -> tuple[Fault, ...]:
    """Everything that is wrong with a request, each with its place and remedy; nothing if it can be answered."""
    return (*timing_of(request)[1], *player_and_games_faults(request))


# The same request is looked at when it is read, estimated, and varied.
@lru_cache(maxsize=64)
def player_and_games_faults(request: EstimateRequest) -> tuple[Fault, ...]:
    """What is wrong with a request apart from its date, control and system."""
    return (*_player_faults(request), *_opponents_faults(request))


def _player_faults(request: EstimateRequest) -> Iterator[Fault]:
    for name in ("rating", "peak", "floor", "field_rating"):
        yield from _rating_faults(getattr(request, name), name.removesuffix("_rating"))
    for name, outside in (("fide", request.fide), ("cfc", request.cfc)):
        if outside is not None:
            yield from _rating_faults(outside.rating, name)
            yield from _dated_faults(outside.as_of, request.section_date, name)
    yield from _count_faults(request.games, "games")
    yield from _count_faults(request.events, "events")
    yield from _record_faults(request)
    yield from _age_faults(request)
    yield from _others_faults(request)
    if request.rating is None and (request.games is not None or request.record is not None or request.peak is not None):
        message = "An unrated player has no games, record or peak in this system."
        yield fault("bad-value", "rating", message, "Give the rating, or leave games, record and peak out.")


def _rating_faults(rating: float | None, place: str) -> Iterator[Fault]:
    if rating is not None and not LOWEST_RATING <= rating <= HIGHEST_RATING:  # NaN is not between either
        message = f"{rating:g} is no rating; one lies between {LOWEST_RATING:g} and {HIGHEST_RATING:g}."
        yield fault("bad-value", place, message)


def _count_faults(count: float | None, place: str) -> Iterator[Fault]:
    if count is not None and not 0 <= count <= MOST_COUNTED:
        yield fault("bad-value", place, f"{count:g} is no count; one lies between 0 and {MOST_COUNTED}.")


def _dated_faults(as_of: date | None, section_date: date, place: str) -> Iterator[Fault]:
    if as_of is not None and as_of > section_date:
        yield fault("bad-date", place, f"The rating is of {as_of}, after the event.", "Give one from before the event.")


def _record_faults(request: EstimateRequest) -> Iterator[Fault]:
    if request.record is None:
        return
    if any(not 0 <= count <= MOST_COUNTED for count in request.record):
        yield fault("bad-value", "record", f"A count lies between 0 and {MOST_COUNTED}.")
    elif request.games is not None and sum(request.record) > request.games:
        message = f"The record has {sum(request.record)} games, the rating is based on {request.games:g}."
        yield fault("counts-disagree", "record", message)


def _age_faults(request: EstimateRequest) -> Iterator[Fault]:
    if request.birth_date is not None and request.birth_date > request.section_date:
        yield fault("birth-date", "birth", f"The birth date {request.birth_date} is after the event.")
    if request.age is not None and request.birth_date is not None:
        yield fault("bad-value", "age", "Both an age and a birth date are given.", "Give one of them.")
    if request.age is not None and not 0.0 <= request.age <= OLDEST_AGE:
        yield fault("bad-value", "age", f"{request.age:g} is no age; one lies between 0 and {OLDEST_AGE:g} years.")
    if not 1 <= request.section_date.year <= LAST_YEAR:
        yield fault("bad-date", "date", f"The year {request.section_date.year} is too far away.")


def _others_faults(request: EstimateRequest) -> Iterator[Fault]:
    systems = [system for system, _ in request.others]
    if len(systems) > len(set(systems)):
        yield fault("bad-value", "other", "A system is named twice.", "Name each other system once.")
    for system, rating in request.others[:MOST_OTHER_SYSTEMS]:
        yield from _rating_faults(rating.rating, f"other {system.name}")
        yield from _count_faults(rating.games, f"other {system.name}")
        yield from _dated_faults(rating.as_of, request.section_date, f"other {system.name}")


def _opponents_faults(request: EstimateRequest) -> Iterator[Fault]:
    games = sum(len(opponent.results) for opponent in request.opponents)
    if not games:
        yield fault("missing-field", "game", "No game is given.", "Give each game, like W1640 for a win over a 1640.")
    if games > MOST_GAMES:
        message = f"There are {games} games; an estimate takes at most {MOST_GAMES}."
        yield fault("bad-value", "game", message, "Leave games out; a section has far fewer.")
        return
    if request.is_match and len(request.opponents) > 1:
        yield fault("match-players", "match", "A match has one opponent.", "Write all games of it as one: WWDL1640.")
    if sum(opponent.played or 0 for opponent in request.opponents) > MOST_OTHER_GAMES:
        message = f"The opponents have more than {MOST_OTHER_GAMES} games together."
        yield fault("bad-value", "game", message, "Leave the scores of some opponents out.")
        return
    for number, opponent in enumerate(request.opponents, start=1):
        yield from _opponent_faults(opponent, f"game {number}")


def _opponent_faults(opponent: Opponent, place: str) -> Iterator[Fault]:
    if not opponent.results or not set(opponent.over) <= MIRRORED.keys():
        yield fault("unknown-code", place, "The result is none of W, D and L.", "Use W, D or L, or T for one to come.")
    yield from _rating_faults(opponent.rating, place)
    yield from _rating_faults(opponent.post_event, place)
    yield from _count_faults(opponent.games, place)
    if opponent.score is None or opponent.played is None:
        return
    if not 1 <= opponent.played <= MOST_GAMES:
        yield fault("bad-value", place, f"The opponent has {opponent.played} games; 1 to {MOST_GAMES} are possible.")
        return
    against = total(1.0 - GAME_SCORES.get(result, math.nan) for result in opponent.over)
    rest = opponent.score - against
    other_games = opponent.played - len(opponent.over)
    if not 0.0 <= rest <= other_games or rest * 2.0 != math.floor(rest * 2.0):
        message = (
            f"The opponent's {opponent.score:g} of {opponent.played} cannot be: {against:g} of it is from "
            f"{len(opponent.over)} against you, which leaves {rest:g} of {other_games}."
        )
        yield fault("bad-value", place, message, "Give their total in rated games, the one against you included.")

"""What the ratings API answers, as records. A field that is missing or of another type is a changed shape."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import NamedTuple, TypeVar

from crosstable.errors import Fault, FetchError
from crosstable.formats.json_fields import Fields
from crosstable.formats.msa_header import SYSTEMS
from crosstable.formats.ratings_api import OUTCOMES, full_name, rating_of
from crosstable.terms import RatingSystem, Result

Made = TypeVar("Made")


class EventSummary(NamedTuple):
    """A rated event of a list of them."""

    event_id: str
    name: str
    start: date | None
    end: date | None
    sections: int
    players: int


class PostedChange(NamedTuple):
    """A member's posted ratings before and after a section in one system.

    ``games_after`` is the count of a provisional rating. Old rows carry no decimals: then these are whole numbers.
    """

    system: RatingSystem
    before: float | None
    after: float | None
    games_after: float | None


class MemberSection(NamedTuple):
    """A section that a member played in, and what it did to their ratings."""

    event_id: str
    number: int
    name: str
    start: date | None
    end: date | None
    changes: tuple[PostedChange, ...]


class MemberGame(NamedTuple):
    """A rated game of a member."""

    event_id: str
    section: int
    opponent_id: str
    opponent_name: str
    result: Result
    colour: str


class SupplementRating(NamedTuple):
    """A rating on a supplement; ``games`` is the count of a provisional rating."""

    system: RatingSystem
    rating: float
    games: float | None


class Supplement(NamedTuple):
    """What a member's official ratings were from a day on."""

    on: date
    ratings: tuple[SupplementRating, ...]


class MemberNorm(NamedTuple):
    """A norm that a member earned or missed, with the sum behind it."""

    event_id: str
    section: int | None
    level: str
    status: str
    score: float
    expected: float
    games: int


def each(value: object, where: str, made: Callable[[Fields], Made]) -> list[Made]:
    """Every item of an answer as a record; refused where the shape is not the one that was published."""
    faults: list[Fault] = []
    answer = Fields(value, "", faults)
    records = [made(item) for item in answer.each("items", needed=True)]
    if faults:
        what = f"{where} answered in a shape that is not known: {faults[0].place}: {faults[0].message}"
        raise FetchError(f"{what} Ask anew with --fresh.")
    return records


def standing(item: Fields) -> None:
    """Report what the row of a section's standings has to have and has not: its rounds, and in which system it is."""
    for name in ("roundOutcomes", "ratings"):
        if not isinstance(item.raw(name), list):
            item.report("missing-field", name, f"{name} is needed.")
    for row in item.each("ratings"):
        row.text("ratingSystem", needed=True)
        others = set(row.names()) - {
            "ratingSystem",
            "preRatingDecimal",
            "postRatingDecimal",
            "postProvisionalGameCount",
        }
        if others and others.isdisjoint({"preRating", "postRating"}):
            row.report("missing-field", "postRating", "postRating is needed.")


def event_summary(item: Fields) -> EventSummary:
    """An item of ``/rated-events``."""
    counts = item.whole("sectionCount") or 0, item.whole("playerCount") or 0
    return EventSummary(item.text("id", needed=True), item.text("name"), *_days(item), *counts)


def member_section(item: Fields) -> MemberSection:
    """An item of ``/members/ID/sections``."""
    changes = tuple(_changes(item))
    number = item.whole("sectionNumber") or 0
    return MemberSection(_event(item), number, item.text("sectionName"), *_days(item), changes)


def _changes(item: Fields) -> Iterator[PostedChange]:
    for row in item.each("ratingRecords"):
        system = SYSTEMS.get(row.text("ratingSource"))
        if system is not None:
            before, after = rating_of(row, "preRating"), rating_of(row, "postRating")
            yield PostedChange(system, before, after, row.number("postProvisionalGameCount"))


def member_game(item: Fields) -> MemberGame:
    """An item of ``/members/ID/games``."""
    own, other = item.inner("player"), item.inner("opponent")
    section = item.inner("section").whole("number") or 0
    outcome = own.text("outcome")
    if outcome not in OUTCOMES:
        own.report("bad-value", "outcome", f"{outcome!r} is no outcome that is known.")
    result = OUTCOMES.get(outcome, Result.BLANK)
    colour = own.text("color")[:1].lower()
    return MemberGame(_event(item), section, other.text("id"), full_name(other), result, colour)


def supplement(item: Fields) -> Supplement:
    """An item of ``/members/ID/rating-supplements``."""
    ratings = []
    for row in item.each("ratings"):
        system, rating = SYSTEMS.get(row.text("source")), row.number("rating")
        if system is not None and rating is not None:
            ratings.append(SupplementRating(system, rating, row.number("provisionalGameCount")))
    day = item.day("ratingSupplementDate")
    if day is None:
        item.report("missing-field", "ratingSupplementDate", "ratingSupplementDate is needed.")
    return Supplement(day or date.min, tuple(ratings))


def member_norm(item: Fields) -> MemberNorm:
    """An item of ``/members/ID/norms``."""
    sums = item.number("score") or 0.0, item.number("expected") or 0.0
    section, games = item.whole("sectionNumber"), item.whole("games") or 0
    return MemberNorm(_event(item), section, item.text("level"), item.text("status"), *sums, games)


def _event(item: Fields) -> str:
    return item.inner("event").text("id", needed=True)


def _days(item: Fields) -> tuple[date | None, date | None]:
    return item.day("startDate"), item.day("endDate")

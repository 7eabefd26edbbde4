"""What rating a section returns: every player's result with the working of every step; and rating records in numbers.

Rating records in numbers, as formulas read and change them; and back. What is written here with attributes holds for
the objects of this module and for the rows of the replay's arrays alike.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from enum import StrEnum
from operator import attrgetter
from typing import Any, Protocol

from crosstable.formulas.initial import NO_DAY, Initial, SourceWeight
from crosstable.formulas.outcome import Outcome
from crosstable.formulas.section import NO_COUNT, FloorRecord, RatingNumbers
from crosstable.rules.amending import Edition
from crosstable.terms import RECORD_FIELDS, FieldKind, Formula, KRule, Past, PlayerRating, RatingSystem, Section, Source
from crosstable.tuples import NamedTuple


class Assumption(StrEnum):
    """What was taken for granted because the input did not say; listed with the result it may have changed."""

    GAMES = "games: the count is not known, so N' is its cap N*"
    COUNTS = "wins, draws, losses, events: not given, so a mixed past and no earlier ones for the personal floor"
    PEAK = "peak: not given, so the pre-event rating"
    PEAK_SINCE_2010 = "peak_since_2010: not given, so the peak of all time"
    AS_OF = "as_of: a rating used for the start has no date, so the section's end"
    FIDE_CARRIED = "FIDE rating: of a list on another scale than the section's day, so carried over as FIDE did"
    NOT_ADULT = "birth_date, adult: not given, so not an adult"
    BIRTH_YEAR = "birth_date: only the year is known, so age is counted from July 1 of it"
    PUBLISHED = "published: not given, so the pre-event rating stands for it"
    FOREIGN_MEMBER = "member, fide_flag: not both given, so a member under the USA flag"
    FOREIGN_FLAG = "fide_flag: not USA, so whoever let the player opt in is taken to include them"
    OPTED_IN = "fide_opt_in: the file's word for what the member told the office"
    START_BY_HAND = "start: set by hand in the file, which takes the office's consent"
    MATCH_WAIVED = "match_waiver: in the file, which takes the office's consent"
    MATCH_SYSTEMS = "systems: a dual-rated match is judged in each system by itself"
    PAIRING_RATING = "rating: the pairing rating of the report, with everything else assumed"
    NO_CONTROL = "time_control: not given, so K is that of sections that are not dual-rated"
    SYSTEMS_NAMED = "systems: the file names others than those of the time control, so the named ones"
    SLOW_ONLINE_QUICK = "time_control: online and as slow as Regular, so Quick by the letter of the 2015 text"
    CONTROL_GIVEN = "time_control: given beside the file"
    START_GIVEN = "start_date: given beside the file"
    END_GIVEN = "end_date: given beside the file"
    END_IS_START = "end_date: not given, so the start date given beside the file"


class SourceWorking(NamedTuple):
    """One source of an unrated player's start: what it says, since when, and what it weighs.

    ``listed`` is its rating as its list has it, ``rating`` that on the scale of the section's day.
    """

    source: Source
    listed: float
    rating: float
    games: float | None
    as_of: date
    staleness_days: int
    weight: SourceWeight


class Start(NamedTuple):
    """Step 1 for one unrated player: the start, its age (NaN: no birth date) and every source that counted.

    ``unused`` are the sources that did not count, with the games that each is based on. ``is_hidden``: it was set by
    hand and is not public.
    """

    initial: Initial
    age: float
    sources: tuple[SourceWorking, ...]
    unused: tuple[tuple[Source, float], ...] = ()
    is_hidden: bool = False


class PassWorking(NamedTuple):
    """One player's working of Step 4 or Step 5; K, E and bonus are 0 under the special formula."""

    k: float
    expected: float
    bonus: float
    computed: float
    rating: float


class RatedGame(NamedTuple):
    """One game of a player: the opponent, and the strength they are met at in Steps 3, 4 and 5.

    ``fide`` is the opponent's FIDE rating where the strength was converted from it (§6), else NaN; ``fide_listed`` the
    same as its list has it.
    """

    round_number: int
    opponent: int
    colour: str
    score: float
    prior: float
    strength: float
    intermediate: float
    post_event: float
    fide: float = math.nan
    fide_listed: float = math.nan


class RatedPlayer(NamedTuple):
    """A player's result in one section and system, with the whole working."""

    number: int
    merged_with: tuple[int, ...]
    member_id: str
    name: str
    origin: str
    before: PlayerRating | None
    start: Start | None
    past: Past
    prior: float
    games_before: float
    formula: Formula
    effective: float
    score: float
    games: tuple[RatedGame, ...]
    earns_bonus: bool
    most_meetings: int
    strength: float
    intermediate: PassWorking
    final: PassWorking
    outcome: Outcome
    after: PlayerRating | None
    norm: str | None
    assumed: tuple[str, ...]

    @property
    def played(self) -> int:
        """m, the rated games of this section."""
        return len(self.games)


class RatedSection(NamedTuple):
    """A section rated in one system under one edition."""

    section: Section
    system: RatingSystem
    edition: Edition
    k_rule: KRule
    players: tuple[RatedPlayer, ...]


# Rows of compiled arrays have no None, so each kind of field has a number that stands for it.
# A kind of field in numbers: what stands for nothing known or set, how a value is written and read.
Form = tuple[float, Callable[[Any], float], Callable[[Any], object]]
FORMS: Mapping[FieldKind, Form] = {
    FieldKind.RATING: (math.nan, float, float),
    FieldKind.GAMES: (math.inf, float, float),
    FieldKind.LEVEL: (math.inf, float, float),
    FieldKind.COUNT: (NO_COUNT, int, int),
    FieldKind.DAY: (NO_DAY, date.toordinal, date.fromordinal),
}
# The fields that are numbers. What follows from decisions, and match changes, are kept elsewhere.
NUMBERS = {name: FORMS[kept.kind] for name, kept in RECORD_FIELDS.items() if kept.is_posted and kept.kind in FORMS}


class Numbers(RatingNumbers, FloorRecord, Protocol):
    """A rating record in numbers, with the types that formulas give them."""


_MADE: type = type("_Numbers", (), {"__slots__": tuple(NUMBERS)})


# Every field that is a number, what stands for nothing in it, and how a value is written; and all of them of a record.
_WRITTEN = tuple([(name, nothing, written) for name, (nothing, written, _) in NUMBERS.items()])
_VALUES = attrgetter(*NUMBERS)


def numbers_of(record: PlayerRating) -> Numbers:
    """A rating record in numbers."""
    made: Numbers = _MADE()
    for (name, nothing, written), value in zip(_WRITTEN, _VALUES(record), strict=True):
        setattr(made, name, nothing if value is None else written(value))
    return made


def put_numbers(numbers: Any, record: PlayerRating, names: Iterable[str]) -> None:  # noqa: ANN401 (see above)
    """Write some fields of a rating record."""
    for name in names:
        value, (nothing, written, _) = getattr(record, name), NUMBERS[name]
        setattr(numbers, name, nothing if value is None else written(value))


def with_numbers(record: PlayerRating, numbers: Any, names: Iterable[str]) -> PlayerRating:  # noqa: ANN401 (see above)
    """A rating record with some other fields."""
    changed: dict[str, Any] = {}
    for name in names:
        value, (nothing, _, read) = getattr(numbers, name), NUMBERS[name]
        changed[name] = None if value == nothing or value != value else read(value)
    return record._replace(**changed)


def known_games(record: PlayerRating) -> float:
    """N of a rating record, infinite where it is established with a count that is not known."""
    return math.inf if record.games is None else record.games

"""Step 1: who plays, and where unrated players start.

Rows of one member become one competitor, cells become games (readings 104, 106). An unrated player's start goes from
dates and rating records to the columns that §2 reads.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from crosstable.engine.records import Assumption, Numbers, RatedPlayer, SourceWorking, Start, known_games, numbers_of
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.initial import (
    NO_DAY,
    SOURCES,
    SYSTEMS,
    Sources,
    Unrated,
    age_on,
    carried_fide,
    given_start,
    initial_rating,
    is_counted,
    lay_source,
    no_sources,
    source_weight,
)
from crosstable.rules.amending import Edition
from crosstable.rules.constants import Initialisation
from crosstable.terms import (
    GAME_SCORES,
    Background,
    Entry,
    OutsideRating,
    PlayerRating,
    RatingSystem,
    Result,
    Section,
    Source,
)
from crosstable.tuples import NamedTuple


class GameSide(NamedTuple):
    """One game as one player sees it; ``opponent`` is the opponent's position among the competitors."""

    round_number: int
    opponent: int
    opponent_number: int
    colour: str
    result: Result
    score: float


# The record of somebody who has none.
NO_RECORD = PlayerRating(math.nan)


class Competitor(NamedTuple):
    """A player of a section with all rows that are theirs, all games on them, and what they add up to.

    ``most_meetings`` says how often the most frequent opponent was met (§4.2; readings 42). The rest is of one system,
    once ``in_system`` says it: the rating record before the section, the start of one who was unrated (§1, Step
    1), and what was assumed. ``numbers`` are those of the record, until ``record_after`` brings them up to date.
    """

    entries: tuple[Entry, ...]
    sides: tuple[GameSide, ...] = ()
    score: float = 0.0
    most_meetings: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    record: PlayerRating = NO_RECORD
    numbers: Numbers = numbers_of(NO_RECORD)
    start: Start | None = None
    assumed: tuple[str, ...] = ()

    @property
    def background(self) -> Background:
        """What the player brings, by their first row."""
        return self.entries[0].background

    @property
    def results(self) -> tuple[int, int, int]:
        """Wins, draws and losses of the section."""
        return self.wins, self.draws, self.losses

    def in_system(self, record: PlayerRating, start: Start | None = None, assumed: Iterable[str] = ()) -> "Competitor":
        """The player with the rating record in a system, or with a start there."""
        # The fields up to ``losses`` are of the section, the others of a system.
        return Competitor(*self[:7], record, numbers_of(record), start, tuple(assumed))

    def with_games(self, sides: tuple[GameSide, ...]) -> "Competitor":
        """The player with other games."""
        return Competitor(*competitor_of(self.entries, sides)[:7], *self[7:])


def competitor_of(entries: tuple[Entry, ...], sides: tuple[GameSide, ...]) -> Competitor:
    """A competitor with their games added up; of no system yet."""
    if not sides:
        return Competitor(entries)
    # By member, across the rows of a re-entry: the text speaks of opponents, not of rows (readings 106).
    meetings: dict[int, int] = {}
    scores = [side.score for side in sides]
    for side in sides:
        meetings[side.opponent] = meetings.get(side.opponent, 0) + 1
    wins, draws = scores.count(1.0), scores.count(0.5)
    losses = len(scores) - wins - draws
    return Competitor(entries, sides, wins + 0.5 * draws, max(meetings.values()), wins, draws, losses)


def competitors(section: Section) -> tuple[Competitor, ...]:
    """The competitors of a section in the order of their first rows."""
    # A row without a member id is somebody of their own, whatever the name.
    rows: dict[str, list[Entry]] = {}
    for entry in section.entries:
        rows.setdefault(entry.member_id or f"row {entry.number}", []).append(entry)
    position = {entry.number: at for at, entries in enumerate(rows.values()) for entry in entries}
    return tuple(competitor_of(tuple(entries), tuple(_sides(entries, position))) for entries in rows.values())


def on_every_row(
    section: Section, who: Sequence[Competitor], results: Sequence[RatedPlayer]
) -> tuple[RatedPlayer, ...]:
    """A record per row of the section, in its order; rows of one member show the same result (readings 104)."""
    # Official crosstables show the one result on every row of a member.
    by_number: dict[int, RatedPlayer] = {}
    for competitor, result in zip(who, results, strict=True):
        numbers = [entry.number for entry in competitor.entries]
        if len(numbers) == 1:
            by_number[numbers[0]] = result
            continue
        for number in numbers:
            others = tuple(other for other in numbers if other != number)
            by_number[number] = result._replace(number=number, merged_with=others)
    return tuple(by_number[entry.number] for entry in section.entries)


def _sides(entries: list[Entry], position: dict[int, int]) -> list[GameSide]:
    return [
        GameSide(at, position[cell.opponent], cell.opponent, cell.colour, cell.result, GAME_SCORES[cell.result])
        for entry in entries
        for at, cell in enumerate(entry.cells, start=1)
        if cell.result in GAME_SCORES
    ]


def start_of(
    background: Background, system: RatingSystem, days: tuple[date, date], edition: Edition
) -> tuple[Start, list[str]]:
    """The start of an unrated player in a section of these days, its working, what was assumed (§2; readings 19)."""
    constants, born, (section_start, section_end) = edition.constants, background.born, days
    who = Unrated(
        NO_DAY if born is None else born.toordinal(),
        section_start.toordinal(),
        section_end.toordinal(),
        bool(background.adult),
        background.canadian_resident,
    )
    age = age_on(who.born, who.end)
    # A start by hand goes before every source: the office may convert a rating that no formula knows (2015 text §2).
    if (given := background.given_start) is not None:
        return Start(given_start(*given.of(system)), age, (), is_hidden=given.is_hidden), []
    # Ratings from before the section only: of 447 players unrated in both halves of a dual section none was credited
    # (readings 19).
    sources, dates = _sources(background, who)
    initial = initial_rating(constants, system, who, sources, [0.0] * SOURCES)
    counted = [Source(k) for k in range(SOURCES) if is_counted(constants, system, who, sources, initial, k)]
    workings = tuple(
        SourceWorking(
            k,
            background.fide.rating if k == Source.FIDE and background.fide else sources.rating[k],
            sources.rating[k],
            None if math.isinf(sources.games[k]) or k >= SYSTEMS else sources.games[k],
            dates[k] or section_end,
            int(sources.staleness_days[k]),
            source_weight(constants, system, k, sources, who.is_adult),
        )
        for k in counted
    )
    if math.isnan(initial.rating):
        missing = next(one for one in workings if math.isnan(one.weight.converted))
        raise UnsupportedEditionError(not_found(edition, missing.source, missing.rating))
    # Only the blend weighs a source by its date; a list takes it whatever its age.
    is_blend = constants.initialisation == Initialisation.BLEND
    is_undated = is_blend and any(dates[k] is None for k in counted)
    assumed = _assumptions(background, is_undated, uses_age=not counted or is_blend)
    if Source.FIDE in counted and is_carried(background.fide, section_start):
        assumed.append(Assumption.FIDE_CARRIED)
    # An explanation says of these why they do not count: a reader would look for them.
    unused = tuple(
        (Source(k), sources.games[k])
        for k in range(SOURCES)
        if k not in (system, *counted) and not math.isnan(sources.rating[k])
    )
    return Start(initial, age, workings, unused), assumed


def on_scale(fide: OutsideRating, section_start: date) -> float:
    """A FIDE rating on the scale of the section's day."""
    list_day = NO_DAY if fide.as_of is None else fide.as_of.toordinal()
    return carried_fide(fide.rating, list_day, section_start.toordinal())


def is_carried(fide: OutsideRating | None, section_start: date) -> bool:
    """Whether a FIDE rating is of a list on another scale than the section's."""
    return fide is not None and on_scale(fide, section_start) != fide.rating


def not_found(edition: Edition, source: Source, rating: float) -> str:
    """Why nobody can start from a rating."""
    return (
        f"the {source.name} conversion in force for the edition of {edition.name} is not known at {rating:g}: "
        "the document of that time (between July 2008 and May 2015) was not found"
    )


def _sources(background: Background, who: Unrated) -> tuple[Sources, Mapping[int, date | None]]:
    """What the sources say, and the day that each is from; games are infinite where no count is known or kept."""
    sources = Sources(*([0.0] * SOURCES for _ in Sources._fields))
    no_sources(sources)
    dates: dict[int, date | None] = {}
    for system, record in background.standings.items():
        _lay(sources, system, record.rating, known_games(record), record.as_of, who)
        dates[system] = record.as_of
    for source, outside in ((Source.FIDE, background.fide), (Source.CFC, background.cfc)):
        if outside is not None:
            dates[source] = outside.as_of
            _lay(sources, source, outside.rating, math.inf, outside.as_of, who)
    return sources, dates


def _lay(sources: Sources, source: int, rating: float, games: float, as_of: date | None, who: Unrated) -> None:
    lay_source(sources, source, rating, games, NO_DAY if as_of is None else as_of.toordinal(), who)


def _assumptions(background: Background, is_undated: bool, *, uses_age: bool) -> list[str]:
    assumed: list[str] = []
    if is_undated:
        assumed.append(Assumption.AS_OF)
    # Nothing said counts as not an adult, which starts lower (readings 23).
    if uses_age and background.born is None and background.adult is None:
        assumed.append(Assumption.NOT_ADULT)
    if uses_age and background.birth_date is None and background.birth_year is not None:
        assumed.append(Assumption.BIRTH_YEAR)
    return assumed

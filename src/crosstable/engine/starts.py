"""Step 1: where unrated players start, from dates and rating records to the columns that §2 reads."""

import math
from collections.abc import Mapping
from datetime import date

from crosstable.engine.records import Assumption, SourceWorking, Start, known_games
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
from crosstable.terms import Background, OutsideRating, RatingSystem, Source


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

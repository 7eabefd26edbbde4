"""Step 1: where unrated players start, from dates and standings to the columns that §2 reads."""

import math
from datetime import date

from crosstable.engine.records import Assumption, SourceWorking, Start
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.initial import (
    DAYS_A_YEAR,
    SOURCES,
    SYSTEMS,
    Initial,
    Newcomer,
    Sources,
    initial_rating,
    is_source,
    source_weight,
)
from crosstable.rules.constants import Initialisation
from crosstable.rules.law import Edition
from crosstable.terms import Background, RatingSystem, Source


def age_in_years(birth_date: date | None, day: date) -> float:
    """Age on a day, as the document counts it (§2.3; readings 90); NaN without a birth date."""
    return math.nan if birth_date is None else (day - birth_date).days / DAYS_A_YEAR


def start_of(
    background: Background, system: RatingSystem, section_end: date, edition: Edition
) -> tuple[Start, list[str]]:
    """The start of an unrated player with its working, and what had to be assumed (§2; readings 19)."""
    if background.given_start is not None:
        return _given(background, section_end), []
    newcomer = Newcomer(
        age_in_years(background.born, section_end), bool(background.adult), background.canadian_resident
    )
    known = [_source(background, Source(source)) for source in range(SOURCES)]
    dates = [as_of or section_end for _, _, as_of in known]
    sources = Sources(
        rating=[rating for rating, _, _ in known],
        games=[games for _, games, _ in known],
        staleness_days=[float(max(0, (section_end - day).days)) for day in dates],
        age_then=[age_in_years(background.born, day) for day in dates],
    )
    constants = edition.constants
    initial = initial_rating(constants, system, newcomer, sources, [0.0] * SOURCES)
    if constants.initialisation == Initialisation.BLEND:
        counted = [
            Source(k) for k in range(SOURCES) if k != system and is_source(constants, newcomer, k, sources.rating[k])
        ]
    else:
        counted = [] if initial.source == Source.AGE else [Source(initial.source)]
    workings = tuple(
        SourceWorking(
            k,
            sources.rating[k],
            None if math.isinf(sources.games[k]) or k >= SYSTEMS else sources.games[k],
            dates[k],
            int(sources.staleness_days[k]),
            source_weight(constants, system, k, sources, newcomer.is_adult),
        )
        for k in counted
    )
    if math.isnan(initial.rating):
        raise _missing_conversion(workings, edition)
    assumed = _assumptions(background, known, counted, uses_dates=constants.initialisation == Initialisation.BLEND)
    return Start(initial, newcomer.age, workings), assumed


def _given(background: Background, section_end: date) -> Start:
    """A start set by hand, as the office may for a rating of another country (2015 text §2; readings 36)."""
    assert background.given_start is not None
    rating, games = background.given_start
    return Start(
        Initial(Source.GIVEN.value, 0.0, rating, rating, games), age_in_years(background.born, section_end), ()
    )


def _source(background: Background, source: Source) -> tuple[float, float, date | None]:
    """Rating, games and date of a source; games are infinite where the count is not known or not kept."""
    if source in (Source.FIDE, Source.CFC):
        outside = background.fide if source == Source.FIDE else background.cfc
        return (math.nan, math.inf, None) if outside is None else (outside.rating, math.inf, outside.as_of)
    standing = background.standings.get(RatingSystem(source))
    if standing is None:
        return math.nan, math.inf, None
    return standing.rating, math.inf if standing.games is None else standing.games, standing.as_of


def _assumptions(
    background: Background, known: list[tuple[float, float, date | None]], counted: list[Source], *, uses_dates: bool
) -> list[str]:
    assumed: list[str] = []
    if uses_dates and any(known[k][2] is None for k in counted):
        assumed.append(Assumption.AS_OF)
    uses_age = not counted or uses_dates
    if uses_age and background.born is None and background.adult is None:
        assumed.append(Assumption.NOT_ADULT)
    if uses_age and background.birth_date is None and background.birth_year is not None:
        assumed.append(Assumption.BIRTH_YEAR)
    return assumed


def _missing_conversion(workings: tuple[SourceWorking, ...], edition: Edition) -> UnsupportedEditionError:
    missing = next(w for w in workings if math.isnan(w.weight.converted))
    return UnsupportedEditionError(
        f"the {missing.source.name} conversion in force for the edition of {edition.name} is not known at "
        f"{missing.rating:g}: the document of that time (between July 2008 and May 2015) was not found"
    )

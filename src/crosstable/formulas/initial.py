"""§2: initial ratings of unrated players.

Since 2020-06-01 all other ratings are blended (2020 and 2025 texts); before, the first source of a priority list
was taken (2015 text §2.1 to §2.5).

=========  =======================================================================
symbol     here
=========  =======================================================================
X_k        ``converted``: the source's rating on the US Chess scale
G_k        ``game_factor``
D_k        ``staleness_days``
P_k        ``age_based_then``: the age-based rating when X_k was computed
Z_k        ``strength_for_age``
S_k        ``staleness_factor``
W_k        ``weight``
R0, N      ``rating``, ``games`` of ``Initial``
=========  =======================================================================

Sources are positions 0 to 7 in the order of ``terms.Source``. A source that does not exist has the rating NaN; so
has a conversion whose document was not found, which the caller reports.
"""

import math
from collections.abc import MutableSequence

from crosstable.rules.constants import (
    FIDE_RESCALED_BELOW,
    FIDE_RESCALED_BY,
    FIDE_RESCALED_ON,
    Constants,
    Conversion,
    Credit,
    Initialisation,
    Priority,
)
from crosstable.terms import Source
from crosstable.tuples import NamedTuple

SYSTEMS = 6
SOURCES = 8
# Days are counted as the calendar of ``matches`` does; 0 stands for none.
NO_DAY = 0
DAYS_A_YEAR = 365.25
# A sum of weights this little above a whole number is that number, and a mean this little below a half is that half:
# sums of floats miss them by less (readings 29).
CEILING_SLACK = 1e-9


class Unrated(NamedTuple):
    """What is known of an unrated player apart from ratings, and the days on which the section starts and ends."""

    born: int
    start: int
    end: int
    is_adult: bool
    is_canadian_resident: bool


class Sources(NamedTuple):
    """What an unrated player's sources say, a column each, one position per source of ``terms.Source``."""

    rating: MutableSequence[float]
    games: MutableSequence[float]
    staleness_days: MutableSequence[float]
    age_then: MutableSequence[float]


class SourceWeight(NamedTuple):
    """The working of one source of a blend (§2, items 1 to 5); the last field is the result."""

    converted: float
    game_factor: float
    age_based_then: float
    strength_for_age: float
    staleness_factor: float
    weight: float


class Initial(NamedTuple):
    """Where an unrated player starts (§2): the source taken (AGE for none, or the heaviest of a blend), R0 and N."""

    source: int
    total_weight: float
    mean: float
    rating: float
    games: float


def age_on(born: int, day: int) -> float:
    """Age on a day, as the document counts it (§2.3; readings 90); NaN without a birth date."""
    return math.nan if born == NO_DAY else (day - born) / DAYS_A_YEAR


def no_sources(sources: Sources) -> None:
    """Begin with no source at all; of a source whose rating is NaN nothing else is read."""
    for source in range(SOURCES):
        sources.rating[source] = math.nan


def lay_source(sources: Sources, source: int, rating: float, games: float, as_of: int, who: Unrated) -> None:
    """What one source says (§2): its rating and games, and its day, the section's end where it has none."""
    day = who.end if as_of == NO_DAY else as_of
    sources.rating[source] = carried_fide(rating, as_of, who.start) if source == Source.FIDE else rating
    sources.games[source] = games
    # A list that came out after the section is no fresher than fresh: a negative staleness is 0 (readings 25).
    sources.staleness_days[source] = float(max(0, who.end - day))
    sources.age_then[source] = age_on(who.born, day)


def carried_fide(rating: float, list_day: int, section_start: int) -> float:
    """A FIDE rating on the scale of the section's day, where FIDE changed it between the list and the section (§2.1).

    The conversions before and since 2024-03-01 are for the scales before and since; without a date it is the section's.
    """
    # Both conversions describe one strength on two scales, so a rating never goes into the formula of the other
    # (readings 34).
    if list_day == NO_DAY or rating >= FIDE_RESCALED_BELOW:
        return rating
    if list_day < FIDE_RESCALED_ON <= section_start:
        return rating + FIDE_RESCALED_BY * (FIDE_RESCALED_BELOW - rating)
    if section_start < FIDE_RESCALED_ON <= list_day:
        return (rating - FIDE_RESCALED_BY * FIDE_RESCALED_BELOW) / (1.0 - FIDE_RESCALED_BY)
    return rating


def age_based_rating(constants: Constants, age: float, is_adult: bool) -> float:
    """The rating that age alone suggests (§2.3; readings 21 to 23)."""
    if math.isnan(age):
        return constants.adult_start if is_adult else constants.unknown_start
    # The text first gives formulas for such ages and then calls the age an error; the second sentence overrides
    # (readings 21).
    if age < constants.age_youngest:  # almost certainly a wrong birth date
        is_treated_as_adult = is_adult or constants.too_young_is_adult
        return constants.adult_start if is_treated_as_adult else constants.unknown_start
    if age > constants.age_oldest:
        return constants.adult_start
    return constants.age_base + constants.age_slope * age


def converted_rating(conversion: Conversion, rating: float) -> float:
    """An outside rating on the US Chess scale (§2.1, §2.2, §6; readings 32, 34); NaN where that piece was not found."""
    # Pieces that do not meet stand as printed: 2060.4 at FIDE 2000, 2060.0 just above it (readings 32).
    for piece in conversion:
        if rating < piece.limit or (piece.is_closed and rating == piece.limit):
            return piece.intercept + piece.slope * rating
    return math.nan


def fide_games(constants: Constants, rating: float) -> float:
    """The games a FIDE rating is worth (§2.1; readings 28)."""
    # "Greater than" in all texts, so exactly the split is credited with the fewer games.
    return constants.fide_games_above if rating > constants.fide_split else constants.fide_games_below


def cfc_games(constants: Constants, rating: float) -> float:
    """The games a CFC rating is worth (§2.2; 2015 text §2.1)."""
    return constants.cfc_games_above if rating > constants.cfc_split else constants.cfc_games_below


def is_source(constants: Constants, who: Unrated, source: int, rating: float) -> bool:
    """Whether a source exists and counts: CFC since 2020 only for residents of Canada (§2.2; readings 33)."""
    if math.isnan(rating):
        return False
    # The 2015 text did not ask for residence.
    return source != Source.CFC or who.is_canadian_resident or not constants.cfc_needs_residence


def source_rating(constants: Constants, source: int, rating: float) -> float:
    """X_k, a source's rating on the US Chess scale (§2)."""
    if source == Source.FIDE:
        return converted_rating(constants.fide, rating)
    if source == Source.CFC:
        return converted_rating(constants.cfc, rating)
    return rating


def game_factor(constants: Constants, target: int, source: int, rating: float, games: float) -> float:
    """G_k, at most the games the source is credited with (§2, item 1; readings 26, 27)."""
    if source == Source.FIDE:
        return fide_games(constants, rating)
    if source == Source.CFC:
        return cfc_games(constants, rating)
    # Games credited at the start of the source count as its own; from the first game on it is a source
    # (readings 26, 27).
    return min(constants.game_factors[target][source], games)


def source_weight(constants: Constants, target: int, source: int, sources: Sources, is_adult: bool) -> SourceWeight:
    """W_k, what one source weighs in the blend (§2, items 1 to 5; readings 24, 25, 30)."""
    rating = sources.rating[source]
    converted = source_rating(constants, source, rating)
    factor = game_factor(constants, target, source, rating, sources.games[source])
    # At the age on the day of the source, not at the end of the section: only so the worked example comes out
    # (readings 24).
    age_based = age_based_rating(constants, sources.age_then[source], is_adult)
    # Held from above only: no text keeps Z from being negative (readings 30).
    strength = min(constants.strength_cap, (converted - age_based) / constants.strength_unit)
    years = sources.staleness_days[source] / DAYS_A_YEAR
    # At the cap of Z the exponent is 0: a rating that is very high for an age does not grow stale.
    staleness = math.exp(constants.staleness_rate * (strength - constants.strength_cap) * years)
    return SourceWeight(converted, factor, age_based, strength, staleness, factor * staleness)


def rounded_start(mean: float) -> float:
    """R0 of a blend: the nearest whole number, halves up (§2; readings 29); NaN where a conversion was not found."""
    # The text rounds the blend and nothing else; a real start of 1514.8 was shown as 1515.
    return mean if math.isnan(mean) else float(math.floor(mean + 0.5 + CEILING_SLACK))


def credited_games(constants: Constants, total_weight: float) -> float:
    """N of a blend: the sum of weights, at most 10, rounded up, at least 1 (§2; readings 29)."""
    capped = min(constants.credited_cap, total_weight)
    return float(max(1, math.ceil(capped - CEILING_SLACK)))


def blended_start(
    constants: Constants, target: int, who: Unrated, sources: Sources, weights: MutableSequence[float]
) -> Initial:
    """The weighted average of all sources; ``weights`` receives W_k, 0 where one does not count (§2; readings 86)."""
    total = 0.0
    sum_of_products = 0.0
    heaviest = Source.AGE.value
    for source in range(SOURCES):
        weights[source] = 0.0
        # The seven others: five US Chess ratings, FIDE and CFC (readings 86).
        if source != target and is_source(constants, who, source, sources.rating[source]):
            working = source_weight(constants, target, source, sources, who.is_adult)
            weights[source] = working.weight
            total += working.weight
            sum_of_products += working.weight * working.converted
            if heaviest == Source.AGE or working.weight > weights[heaviest]:
                heaviest = source
    # Nothing that weighs: no other rating, or only one on no games.
    if total == 0.0:
        return age_start(constants, who)
    mean = sum_of_products / total
    return Initial(heaviest, total, mean, rounded_start(mean), credited_games(constants, total))


def age_start(constants: Constants, who: Unrated) -> Initial:
    """The start of an unrated player without any other rating: by age, on no games, not rounded (§2.3; readings 29)."""
    rating = age_based_rating(constants, age_on(who.born, who.end), who.is_adult)
    return Initial(Source.AGE.value, 0.0, rating, rating, 0.0)


def given_start(rating: float, games: float) -> Initial:
    """A start set by hand, as the office may for a rating of another country (2015 text §2; readings 36)."""
    return Initial(Source.GIVEN.value, 0.0, rating, rating, games)


def priority_credit(constants: Constants, line: Priority, rating: float, games: float) -> float:
    """The games a line of a priority list gives (2015 text §2.1 to §2.5)."""
    if line.credit == Credit.ITS_GAMES:
        return min(constants.credited_cap, games)
    if line.credit == Credit.FULL:
        return constants.credited_cap
    if line.credit == Credit.BY_RATING and line.source == Source.FIDE:
        return fide_games(constants, rating)
    if line.credit == Credit.BY_RATING:
        return cfc_games(constants, rating)
    return 0.0


def priority_start(constants: Constants, target: int, who: Unrated, sources: Sources) -> Initial:
    """The first source of the list that the player has (2015 text §2.1 to §2.5; 2004 text; readings 35, 89)."""
    for line in constants.priorities[target]:
        # Age answers for everybody, so what a list prints behind it is never reached (readings 89).
        if line.source == Source.AGE:
            break
        rating = sources.rating[line.source]
        games = sources.games[line.source]
        if is_source(constants, who, line.source, rating) and line.at_least <= games <= line.at_most:
            start = source_rating(constants, line.source, rating)
            return Initial(line.source, 0.0, start, start, priority_credit(constants, line, rating, games))
    return age_start(constants, who)


def initial_rating(
    constants: Constants, target: int, who: Unrated, sources: Sources, weights: MutableSequence[float]
) -> Initial:
    """R0 and N of an unrated player in the system ``target`` (§2)."""
    if constants.initialisation == Initialisation.BLEND:
        return blended_start(constants, target, who, sources, weights)
    return priority_start(constants, target, who, sources)


def is_counted(constants: Constants, target: int, who: Unrated, sources: Sources, start: Initial, source: int) -> bool:
    """Whether a start rests on a source: on each of a blend, or on the one of a list that was taken (§2)."""
    if constants.initialisation == Initialisation.BLEND:
        return source != target and is_source(constants, who, source, sources.rating[source])
    return source == start.source

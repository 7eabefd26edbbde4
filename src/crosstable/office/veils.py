"""What of a rated section hangs on a birth date, and within which bounds the public may see it.

An age-based start moves by 50 points a year (§2.3), a start blended with age by less; both pass into everybody's result
of the section. A *veil* says, row by row, how far a rating could lie elsewhere had the newcomers been born at another
time of the same ``YEARS`` calendar years. A rating that all such births leave the same whole number is shown; another
one is shown only as the span that those births give, which says no more than the years. Established ratings are what an
office publishes (official facts §3): they are shown unless they still hang on their own holder's start by more than a
point a year.

Why calendar years: age lists tell a year of birth at most, and two cuts at the same borders leave whole years. The
games that a blended start is credited with are shown as they are; they hardly change more than once in a block.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection, rate
from crosstable.engine.after import known_games
from crosstable.engine.starts import age_in_years
from crosstable.formulas.effective import effective_games
from crosstable.formulas.initial import DAYS_A_YEAR, SOURCES, Newcomer, Sources, age_based_rating, blended_start
from crosstable.formulas.rounding import official_rating
from crosstable.formulas.special import special_rating
from crosstable.formulas.standard import odds, standard_update
from crosstable.formulas.steps import section_k
from crosstable.rules.constants import Constants, Initialisation
from crosstable.rules.editions import EDITIONS
from crosstable.terms import Background, Formula, GivenStart, RatingSystem, Source, Standing

# Four years of birth are a class of 200 points of an age-based start.
YEARS = 4
# An established rating is shown when its span is no wider than a point a year: it then tells no less than a year.
ESTABLISHED_WITHIN = 1.0 * YEARS
# A settled span this narrow is forgotten: it would move a later whole number once in ten times, then less and less.
FORGOTTEN_WITHIN = 0.1
# Spans are shown in tens, outward.
STEP = 10
ESTABLISHED_ABOVE = EDITIONS[-1].constants.established_above


class Span(NamedTuple):
    """The ratings that a member would have, had somebody been born at any time of his block of years."""

    low: float
    high: float

    @property
    def is_settled(self) -> bool:
        """Whether all these ratings are the same whole number, which may then be shown."""
        return official_rating(self.low) == official_rating(self.high)

    def is_hidden(self, games: float | None) -> bool:
        """Whether only the span is shown of a rating on so many games (``None``: established, count not known)."""
        is_established = games is None or games > ESTABLISHED_ABOVE
        return not self.is_settled and not (is_established and self.high - self.low <= ESTABLISHED_WITHIN)

    @property
    def is_forgotten(self) -> bool:
        """Whether the bounds are so close that they will not matter later on either."""
        return self.is_settled and self.high - self.low <= FORGOTTEN_WITHIN

    @property
    def shown(self) -> tuple[int, int]:
        """The bounds as the public sees them, in tens, outward."""
        return math.floor(self.low / STEP) * STEP, math.ceil(self.high / STEP) * STEP


Spans = Mapping[tuple[str, RatingSystem], Span]
Pick = Callable[[Span], float]
NOTHING_HIDDEN: Spans = {}


class Veil(NamedTuple):
    """What is hidden of a section: nothing (``is_clear``), or all working and decimals, and some ratings.

    ``before`` and ``after`` hold, by pairing number, the spans of the ratings that are not shown.
    """

    is_clear: bool
    before: Mapping[int, Span]
    after: Mapping[int, Span]


class StartSpan(NamedTuple):
    """The lowest and the highest start that births of a newcomer's block of years give."""

    low: GivenStart
    high: GivenStart


CLEAR = Veil(is_clear=True, before={}, after={})


def veil_of(rated: RatedSection, spans: Spans = NOTHING_HIDDEN, *, has_hidden_decimals: bool = False) -> Veil:
    """The veil of a section; ``spans`` are ratings that were hidden before it, by member and system.

    ``has_hidden_decimals``: somebody's pre-event rating hangs on a birth date by decimals only.
    """
    before = {
        player.number: spans[player.member_id, rated.system]
        for player in rated.players
        if player.before is not None and (player.member_id, rated.system) in spans
    }
    starts = {
        player.number: span
        for player in rated.players
        if player.start is not None and (span := start_span(rated, player, spans)) is not None
    }
    if not before and not starts:
        return Veil(not has_hidden_decimals, {}, {})
    return Veil(False, before, dict(_after(rated, before, starts)))


def _after(
    rated: RatedSection, before: Mapping[int, Span], starts: Mapping[int, StartSpan]
) -> Iterator[tuple[int, Span]]:
    """The spans that are left after a section, by pairing number."""
    reach = _reach(rated, before, starts)
    for player in rated.players:
        if not player.played:
            if player.number in before:
                yield player.number, before[player.number]
            continue
        span = _own_span(rated, player, before, reach)
        if (span is None or span.is_forgotten) and not _is_established(rated, player):
            span = reach[player.number]
        if span is not None and not span.is_forgotten:
            yield player.number, span


def _is_established(rated: RatedSection, player: RatedPlayer) -> bool:
    assert player.after is not None
    return known_games(player.after) > rated.edition.constants.established_above


def _own_span(
    rated: RatedSection, player: RatedPlayer, before: Mapping[int, Span], reach: Mapping[int, Span]
) -> Span | None:
    """The span that a player's own start leaves him: a newcomer's from the whole section, a later one from his prior.

    Later ones are not taken from the whole section: where all hang on their starts together, as in a new club, that
    would never narrow, though each one's own start soon says little.
    """
    if player.start is not None:
        return reach[player.number]
    if player.number not in before:
        return None
    low, high = (own_result(rated, player, prior) for prior in before[player.number])
    return Span(min(low, high), max(low, high))


def own_result(rated: RatedSection, player: RatedPlayer, prior: float) -> float:
    """The result of the final pass from another prior against the same opponents, with the limits that acted."""
    constants, outcome = rated.edition.constants, player.outcome
    effective = effective_games(constants, prior, player.games_before)
    opponents = [game.intermediate for game in player.games]
    if player.formula is Formula.SPECIAL:
        value = special_rating(constants, prior, effective, player.past, player.score, opponents).rating
    else:
        k = section_k(constants, rated.k_rule, prior, effective, float(player.played))
        met = [odds(opponent) for opponent in opponents]
        value = standard_update(constants, prior, k, player.score, met, player.earns_bonus).rating
    if not math.isnan(outcome.limited_change):
        value = prior + outcome.limited_change
    value = max(value, constants.absolute_floor, outcome.floor_level)
    return min(value, outcome.rating) if outcome.is_at_ceiling else value


# The whole section at either end of the spans.


def _reach(rated: RatedSection, before: Mapping[int, Span], starts: Mapping[int, StartSpan]) -> dict[int, Span]:
    """Within which bounds everybody's result lies, when all that is hidden goes low, and high, together."""
    if rated.section.kind.is_foreign:  # opponents abroad stand at outside ratings: nobody reaches another
        results = {player.number: player.outcome.rating for player in rated.players}
        return {number: Span(rating, rating) for number, rating in results.items()}
    low = _results(rated, before, {number: span.low for number, span in starts.items()}, lambda span: span.low)
    high = _results(rated, before, {number: span.high for number, span in starts.items()}, lambda span: span.high)
    return {number: Span(min(low[number], high[number]), max(low[number], high[number])) for number in low}


def _results(
    rated: RatedSection, before: Mapping[int, Span], starts: Mapping[int, GivenStart], pick: Pick
) -> dict[int, float]:
    """Everybody's result with other starts and other hidden ratings."""
    standings = {
        player.number: player.before._replace(rating=pick(before[player.number]))
        for player in rated.players
        if player.before is not None and player.number in before
    }
    return {player.number: player.outcome.rating for player in rated_again(rated, standings, starts).players}


def rated_again(
    rated: RatedSection, standings: Mapping[int, Standing], starts: Mapping[int, GivenStart]
) -> RatedSection:
    """A section with other standings and starts, by pairing number; those not named stay as they are."""
    backgrounds = {}
    for player in rated.players:
        if player.start is not None:
            initial = player.start.initial
            start = starts.get(player.number, GivenStart(initial.rating, initial.games))
            backgrounds[player.number] = Background(given_start=start)
        else:
            assert player.before is not None
            standing = standings.get(player.number, player.before)
            backgrounds[player.number] = Background(standings={rated.system: standing})
    return rate(rated.section, rated.system, backgrounds, rated.edition)


# Starts at other births of the same years.


def start_span(rated: RatedSection, player: RatedPlayer, spans: Spans) -> StartSpan | None:
    """The starts that births of the same years give, nothing where they all give the same one."""
    assert player.start is not None
    found = [start.rating for start in possible_starts(rated, player, spans)]
    low, high = (GivenStart(rating, player.start.initial.games) for rating in (min(found), max(found)))
    return None if low == high else StartSpan(low, high)


def possible_starts(
    rated: RatedSection, player: RatedPlayer, spans: Spans, *, is_adult: bool | None = None
) -> list[GivenStart]:
    """The starts at births of the same years and at either end of what is hidden, each with its games.

    ``is_adult``: whether the player is given as an adult, where that is known; else it is taken from his own start.
    """
    assert player.start is not None
    start = player.start
    ratings = [start.initial.rating]
    if start.initial.source != Source.GIVEN:
        constants = rated.edition.constants
        ages = [math.nan] if math.isnan(start.age) else _ages_of_block(start.age, rated.section.end)
        if is_adult is None:
            then = [working.weight.age_based_then for working in start.sources] or ratings
            is_adult = constants.adult_start in then
        if not start.sources:
            ratings = ratings if len(ages) == 1 else _age_starts(constants, ages, is_adult=is_adult)
        elif constants.initialisation == Initialisation.BLEND:
            births = [Newcomer(age, is_adult, is_canadian_resident=True) for age in ages]
            return [_blend(rated, player, spans, birth, pick) for birth in births for pick in (_lower, _higher)]
        elif (span := _span_of_source(spans, player, start.sources[0].source)) is not None:
            ratings = [*span]
    return [GivenStart(rating, start.initial.games) for rating in ratings]


def _lower(span: Span) -> float:
    return span.low


def _higher(span: Span) -> float:
    return span.high


def block_of(birth_date: date) -> tuple[date, date]:
    """The first and the last day of the years of birth that the public cannot tell apart."""
    first = birth_date.year // YEARS * YEARS
    return date(max(first, 1), 1, 1), date(first + YEARS - 1, 12, 31)


def _ages_of_block(age: float, section_end: date) -> list[float]:
    """Ages, at a section's end, of those born in a newcomer's block of years, youngest first, a quarter apart."""
    first, last = block_of(section_end - timedelta(days=round(age * DAYS_A_YEAR)))
    youngest, oldest = age_in_years(last, section_end), age_in_years(first, section_end)
    between = 4 * YEARS
    return [youngest + (oldest - youngest) * at / between for at in range(between + 1)]


def _age_starts(constants: Constants, ages: Sequence[float], *, is_adult: bool) -> list[float]:
    """The age-based starts of a block: at its ages, and where the slope begins and ends between them."""
    bends = [age for age in (constants.age_youngest, constants.age_oldest) if ages[0] < age < ages[-1]]
    # who is given as an adult starts elsewhere only where age does not decide
    return [age_based_rating(constants, age, is_adult) for age in (*ages, *bends)]


def _blend(rated: RatedSection, player: RatedPlayer, spans: Spans, newcomer: Newcomer, pick: Pick) -> GivenStart:
    """A blended start of another age, with hidden sources at one end of their spans."""
    assert player.start is not None
    columns = Sources([math.nan] * SOURCES, [math.inf] * SOURCES, [0.0] * SOURCES, [math.nan] * SOURCES)
    rating, games, days, ages = (list(column) for column in columns)
    for working in player.start.sources:
        at = working.source
        span = _span_of_source(spans, player, at)
        rating[at] = working.rating if span is None else pick(span)
        games[at] = math.inf if working.games is None else working.games
        days[at] = float(working.staleness_days)
        ages[at] = newcomer.age - working.staleness_days / DAYS_A_YEAR
    columns = Sources(rating, games, days, ages)
    initial = blended_start(rated.edition.constants, rated.system, newcomer, columns, [0.0] * SOURCES)
    return GivenStart(initial.rating, initial.games)


def _span_of_source(spans: Spans, player: RatedPlayer, source: Source) -> Span | None:
    return spans.get((player.member_id, RatingSystem(source))) if source < Source.FIDE else None

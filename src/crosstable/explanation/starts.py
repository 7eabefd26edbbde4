"""Step 1: what a player came with, or where an unrated one starts (§2)."""

import itertools
import math
from collections.abc import Iterator
from datetime import date

from crosstable.engine import SourceWorking
from crosstable.explanation.telling import Line, Telling
from crosstable.formulas.initial import CEILING_SLACK, DAYS_A_YEAR, SYSTEMS
from crosstable.formulas.outcome import is_established
from crosstable.rules.constants import (
    FIDE_RESCALED_BELOW,
    FIDE_RESCALED_BY,
    FIDE_RESCALED_ON,
    Conversion,
    Credit,
    Initialisation,
    Piece,
)
from crosstable.terms import Source

STEP_1 = "Step 1"


def first_step(tell: Telling) -> Iterator[Line]:
    """The rating before the section, or the start of an unrated player with all that it was made of."""
    player = tell.player
    if player.start is None:
        if math.isinf(player.games_before):
            yield tell.line(STEP_1, "start.rated_unknown", player.prior)
        else:
            key = "established" if is_established(tell.constants, player.games_before) else "provisional"
            yield tell.line(STEP_1, f"start.{key}", player.prior, games=player.games_before)
        return
    yield tell.line(STEP_1, "start.unrated", system=tell.rated.system.name)
    yield from _unused(tell)
    if player.start.initial.source == Source.GIVEN:
        yield tell.line(STEP_1, "start.given")
    elif not player.start.sources:
        yield from _by_age(tell)
    elif tell.constants.initialisation == Initialisation.BLEND:
        yield from _blended(tell)
        return
    else:
        yield from _first_of_list(tell)
        return
    initial = player.start.initial
    yield tell.line(STEP_1, "start.rating", initial.rating, start=initial.rating)
    yield tell.line(STEP_1, "start.credit_nothing", initial.games)


def _by_age(tell: Telling) -> Iterator[Line]:
    assert tell.player.start is not None
    age = tell.player.start.age
    if math.isnan(age):
        yield tell.line(STEP_1, "start.no_birth_date", age)
    else:
        yield tell.line(STEP_1, "start.age", age, days=_days(age), days_a_year=DAYS_A_YEAR)
    key = f"age.{_age_reason(tell, age, tell.player.prior)}"
    yield tell.line(STEP_1, key, tell.player.prior, age_days=_days(age), days_a_year=DAYS_A_YEAR)


def _days(age: float) -> int:
    return 0 if math.isnan(age) else round(age * DAYS_A_YEAR)


def _unused(tell: Telling) -> Iterator[Line]:
    """Why a rating that a player has does not count: the reader would look for it (§2)."""
    start = tell.player.start
    assert start is not None
    taken = start.initial.source
    lists = tell.constants.priorities[tell.rated.system]
    is_list = tell.constants.initialisation == Initialisation.PRIORITY
    before = [line for line in itertools.takewhile(lambda line: line.source != taken, lists) if is_list]
    for source, games in start.unused:
        if source == Source.CFC and tell.constants.cfc_needs_residence:
            if tell.is_exact:  # where somebody lives is not public
                yield tell.line(STEP_1, "start.no_resident", source=source.name)
        elif least := [line.at_least for line in before if line.source == source]:
            yield tell.line(STEP_1, "start.few_games", source=source.name, games=games, least=min(least))


def _age_reason(tell: Telling, age: float, rating: float) -> str:
    """Which case of the age-based rating gave this one (§2.3)."""
    constants = tell.constants
    is_adult = rating == constants.adult_start
    if math.isnan(age):
        return "adult" if is_adult else "unknown"
    if age < constants.age_youngest:
        return "too_young_adult" if is_adult else "too_young"
    if age > constants.age_oldest:
        return "too_old"
    return "by_years" if constants.age_base == 0.0 else "by_years_2001"


def _sources(tell: Telling, working: SourceWorking) -> Iterator[Line]:
    said = {"source": working.source.name, "rating": working.listed}
    when = {"as_of": working.as_of, "days": working.staleness_days}
    if working.games is None:
        yield tell.line(STEP_1, "start.source_uncounted", **said, **when)
    else:
        yield tell.line(STEP_1, "start.source", games=working.games, **said, **when)
    if working.rating != working.listed:
        yield carried(tell, STEP_1, working.source.name, working.listed, working.rating)


def carried(tell: Telling, part: str, source: str, listed: float, rating: float) -> Line:
    """A FIDE rating of a list on another scale than the section's day (§2.1)."""
    return tell.line(
        *(part, "start.carried_after" if rating > listed else "start.carried_before", rating),
        **{"source": source, "changed": date.fromordinal(FIDE_RESCALED_ON), "listed": listed},
        **{"share": FIDE_RESCALED_BY, "level": FIDE_RESCALED_BELOW},
    )


def _converted(tell: Telling, working: SourceWorking) -> Line:
    name = working.source.name
    converted = working.weight.converted
    if working.source < SYSTEMS:
        return tell.line(STEP_1, "start.own_scale", converted, source=name)
    conversion = tell.constants.fide if working.source == Source.FIDE else tell.constants.cfc
    reach, limit, piece = piece_of(conversion, working.rating)
    return tell.line(
        *(STEP_1, f"start.converted_{name}_{reach}", converted),
        **{"source": name, "rating": working.rating, "limit": limit},
        **{"intercept": piece.intercept, "slope": piece.slope},
    )


def piece_of(conversion: Conversion, rating: float) -> tuple[str, float, Piece]:
    """The piece that converts a rating, and how far it reaches: up to or below a limit, or beyond the last one."""
    last = math.nan
    for piece in conversion:
        if rating < piece.limit or (piece.is_closed and rating == piece.limit):
            if math.isinf(piece.limit):
                return "everywhere" if math.isnan(last) else "beyond", last, piece
            return "up_to" if piece.is_closed else "below", piece.limit, piece
        last = piece.limit
    raise AssertionError(f"no piece of the conversion reaches {rating}")


def _factor(tell: Telling, working: SourceWorking) -> Line:
    name = working.source.name
    factor = working.weight.game_factor
    if working.source >= SYSTEMS:
        return tell.line(STEP_1, f"start.factor_{name}_{_side(tell, working)}", factor, source=name)
    most = tell.constants.game_factors[tell.rated.system][working.source]
    if working.games is None:
        return tell.line(STEP_1, "start.factor_uncounted", factor, source=name)
    return tell.line(STEP_1, "start.factor", factor, source=name, factor=most, games=working.games)


def _side(tell: Telling, working: SourceWorking) -> str:
    split = tell.constants.fide_split if working.source == Source.FIDE else tell.constants.cfc_split
    return "above" if working.rating > split else "below"


def _weighed(tell: Telling, working: SourceWorking) -> Iterator[Line]:
    """The strength for age of a source, its staleness and its weight (§2, items 3 to 5)."""
    assert tell.player.start is not None
    source = {"source": working.source.name}
    weight = working.weight
    age_now = tell.player.start.age
    days = _days(age_now) - (tell.rated.section.end - working.as_of).days
    age = age_now if math.isnan(age_now) else days / DAYS_A_YEAR
    key = f"age_then.{_age_reason(tell, age, weight.age_based_then)}"
    yield tell.line(STEP_1, key, weight.age_based_then, age_days=days, days_a_year=DAYS_A_YEAR, **source)
    yield tell.line(
        *(STEP_1, "start.strength", weight.strength_for_age),
        **{"converted": weight.converted, "age_based": weight.age_based_then},
        **source,
    )
    yield tell.line(
        *(STEP_1, "start.staleness", weight.staleness_factor),
        **{"strength": weight.strength_for_age, "days": working.staleness_days, "days_a_year": DAYS_A_YEAR},
        **source,
    )
    yield tell.line(
        *(STEP_1, "start.weight", weight.weight),
        **{"factor": weight.game_factor, "staleness": weight.staleness_factor},
        **source,
    )


def _blended(tell: Telling) -> Iterator[Line]:
    assert tell.player.start is not None
    initial = tell.player.start.initial
    weights = []
    for working in tell.player.start.sources:
        yield from _sources(tell, working)
        yield _converted(tell, working)
        yield _factor(tell, working)
        yield from _weighed(tell, working)
        weights.append((working.weight.weight, working.weight.converted))
    total = initial.total_weight
    yield tell.line(STEP_1, "start.total", total, weights=tuple(weight for weight, _ in weights))
    yield tell.line(STEP_1, "start.mean", initial.mean, products=tuple(weights), total=total)
    yield tell.line(STEP_1, "start.rounded", initial.rating, mean=initial.mean, slack=CEILING_SLACK)
    yield tell.line(STEP_1, "start.credited", initial.games, total=total, slack=CEILING_SLACK)


def _first_of_list(tell: Telling) -> Iterator[Line]:
    """The one source that a priority list chose, and the games it is credited with (2015 text §2.1 to §2.5)."""
    assert tell.player.start is not None
    initial = tell.player.start.initial
    (working,) = tell.player.start.sources
    games = math.inf if working.games is None else working.games
    yield from _sources(tell, working)
    yield tell.line(STEP_1, "start.first", source=working.source.name)
    yield _converted(tell, working)
    yield tell.line(STEP_1, "start.rating", initial.rating, start=working.weight.converted)
    line = next(
        line
        for line in tell.constants.priorities[tell.rated.system]
        if line.source == working.source and line.at_least <= games <= line.at_most
    )
    if line.credit == Credit.ITS_GAMES and not math.isinf(games):
        yield tell.line(STEP_1, "start.credit_its_games", initial.games, games=games)
    elif line.credit in (Credit.ITS_GAMES, Credit.FULL):
        yield tell.line(STEP_1, "start.credit_full", initial.games)
    elif line.credit == Credit.BY_RATING:
        yield tell.line(STEP_1, f"start.credit_{working.source.name}_{_side(tell, working)}", initial.games)
    else:
        yield tell.line(STEP_1, "start.credit_nothing", initial.games)

"""What becomes of the computed rating: match limits, floors, ceiling, storage, and the counts after it (§5, §7)."""

import math
from collections.abc import Iterator

from crosstable.engine.after import match_past, system_section, unrated_record
from crosstable.engine.numbers import numbers_of
from crosstable.explanation import words
from crosstable.explanation.telling import Line, Telling
from crosstable.formulas.floors import level_below
from crosstable.formulas.matches import match_change
from crosstable.formulas.norms import NORM_LEVELS
from crosstable.formulas.outcome import Merits
from crosstable.formulas.rounding import WHOLE_SLACK, official_rating
from crosstable.formulas.tally import merits_of, share_of
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import NORM_CODES, FloorKind

RESULT = "Result"


def result(tell: Telling) -> Iterator[Line]:
    """From the last pass to the rating that stands."""
    outcome = tell.player.outcome
    if not math.isnan(outcome.limited_change):
        yield from _match_limits(tell)
    if outcome.floor_kind is not FloorKind.NONE:
        yield _floor(tell)
    if not math.isnan(outcome.requested_floor):
        yield tell.line(RESULT, "floor.request", outcome.requested_floor, level=outcome.floor_level)
    if outcome.is_at_ceiling:
        assert tell.player.before is not None
        yield tell.line(RESULT, "result.ceiling", tell.player.before.ceiling or math.nan)
    if tell.constants.stores_whole_numbers:
        how = words.ROUNDED_NEAREST if tell.player.before is None else words.ROUNDED_AWAY
        yield tell.line(RESULT, "result.stored", how=how)
    yield _standing(tell)
    official = float(official_rating(outcome.rating))
    yield tell.line(RESULT, "result.official", official, rating=outcome.rating)


def closing(tell: Telling) -> Iterator[Line]:
    """Games after the section, a norm, and what was assumed."""
    player = tell.player
    assert player.after is not None
    if player.after.games is not None:
        key = "result.games_half" if tell.rated.section.is_half_k else "result.games"
        yield tell.line(RESULT, key, player.after.games, games=player.games_before, played=player.played)
    if player.norm is not None:
        yield tell.line(RESULT, "result.norm", norm=player.norm, level=NORM_LEVELS[NORM_CODES.index(player.norm)])
    for note in player.assumed:
        yield tell.line("Assumed", "assumed", note=str(note))


def _match_limits(tell: Telling) -> Iterator[Line]:
    player, constants = tell.player, tell.constants
    assert player.before is not None
    past = match_past(constants, tell.rated.section, player.before)
    before, computed = player.before.rating, player.final.computed
    limits = match_change(constants, computed - before, past.net_half_year, past.net_three_years)
    yield tell.line(RESULT, "match.computed", limits.computed, computed=computed, before=before)
    for key, limit, change, held, net in (
        ("match.one", constants.match_change, limits.computed, limits.within_match, 0.0),
        ("match.days", constants.match_half_year, limits.within_match, limits.within_half_year, past.net_half_year),
        ("match.years", constants.match_three_years, limits.within_half_year, limits.change, past.net_three_years),
    ):
        if not math.isinf(limit):
            yield tell.line(RESULT, key, held, change=change, net=net)
    yield tell.line(RESULT, "match.limited", player.outcome.limited_change, change=limits.change)


def _merits(tell: Telling) -> Merits:
    """What floors look at: the record before, and the counts with those of this section."""
    player = tell.player
    scores = [game.score for game in player.games]
    facts = system_section(tell.rated.section, tell.rated.system, tell.rated.edition).facts
    share = share_of(facts, scores.count(1.0), scores.count(0.5), scores.count(0.0))
    numbers = numbers_of(player.before or unrated_record(player.games_before))
    return merits_of(tell.constants, numbers, share, numbers.lowered_floor)


def _floor(tell: Telling) -> Line:
    """The floor that holds the rating up, and where it comes from (§5)."""
    kind, level = tell.player.outcome.floor_kind, tell.player.outcome.floor_level
    merits = _merits(tell)
    if kind is FloorKind.ABSOLUTE:
        return tell.line(RESULT, "floor.absolute", level)
    if kind is FloorKind.PERSONAL:
        return tell.line(RESULT, "floor.personal", level, wins=merits.wins, draws=merits.draws, events=merits.events)
    if kind in (FloorKind.PEAK, FloorKind.LIFE_MASTER) and merits.lowered_floor == level:
        return tell.line(RESULT, "floor.lowered", level, floor=words.FLOOR_NAMES[kind])
    if kind is FloorKind.PEAK:
        return _peak_floor(tell, merits, level)
    if kind is FloorKind.LIFE_MASTER and merits.games_at_2200 >= tell.constants.life_master_games:
        return tell.line(RESULT, "floor.life_master", level, games=merits.games_at_2200)
    return tell.line(RESULT, "floor.decided", level, floor=words.FLOOR_NAMES[kind])


def _peak_floor(tell: Telling, merits: Merits, level: float) -> Line:
    constants = tell.constants
    if level_below(constants, merits.peak) >= constants.peak_lowest:
        return tell.line(RESULT, "floor.peak", level, peak=merits.peak)
    since = PEAKS_COUNT_FROM.isoformat()
    return tell.line(RESULT, "floor.peak_since_2010", level, peak=merits.peak_since_2010, since=since)


def _standing(tell: Telling) -> Line:
    """The rating that stands, with the formula of every step that was taken on the way to it."""
    player = tell.player
    outcome = player.outcome
    values: dict[str, float] = {"computed": player.final.computed, "slack": WHOLE_SLACK}
    formula = words.COMPUTED
    held = player.final.computed
    if not math.isnan(outcome.limited_change):
        assert player.before is not None
        formula = words.LIMITED
        values |= {"before": player.before.rating, "change": outcome.limited_change}
        held = player.before.rating + outcome.limited_change
    if outcome.floor_kind is not FloorKind.NONE:
        formula = words.AT_FLOOR.replace("{rating}", formula)
        values["floor"] = outcome.floor_level
        held = max(held, outcome.floor_level)
    if outcome.is_at_ceiling:
        assert player.before is not None
        assert player.before.ceiling is not None
        formula = words.AT_CEILING.replace("{rating}", formula)
        values["ceiling"] = player.before.ceiling
        held = min(held, player.before.ceiling)
    if tell.constants.stores_whole_numbers:
        stored = words.STORED_NEAREST
        if player.before is not None:
            stored = words.STORED_UP if held > player.before.rating else words.STORED_DOWN
        formula = stored.replace("{rating}", formula)
    return tell.computed(RESULT, "result.rating", outcome.rating, formula, **values)

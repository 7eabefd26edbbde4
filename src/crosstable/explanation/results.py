"""What becomes of the computed rating: match limits, floors, ceiling, storage, and the counts after it (§5, §7)."""

import math
from collections.abc import Iterator

from crosstable.engine.after import match_past, system_section, unrated_record
from crosstable.engine.numbers import numbers_of
from crosstable.explanation import words
from crosstable.explanation.telling import Line, Telling
from crosstable.formulas.floors import level_below
from crosstable.formulas.matches import match_change
from crosstable.formulas.norms import NORM_LEVELS, NORM_MARGIN, expectancy_width, level_expectancy, margin
from crosstable.formulas.outcome import Merits
from crosstable.formulas.rounding import WHOLE_SLACK, official_rating
from crosstable.formulas.tally import merits_of, share_of
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import NORM_CODES, FloorKind, SectionType

RESULT = "Result"


def result(tell: Telling) -> Iterator[Line]:
    """From the last pass to the rating that stands."""
    outcome = tell.player.outcome
    if tell.rated.section.kind is SectionType.MATCH and tell.player.before is not None:
        yield from _match_limits(tell)
    if outcome.floor_kind is not FloorKind.NONE:
        yield _floor(tell)
    if not math.isnan(outcome.requested_floor):
        yield tell.line(RESULT, "floor.request", outcome.requested_floor, level=outcome.floor_level)
    if outcome.is_at_ceiling:
        assert tell.player.before is not None
        yield tell.line(RESULT, "result.ceiling", tell.player.before.ceiling or math.nan)
    yield from _standing(tell)
    official = float(official_rating(outcome.rating))
    yield tell.line(RESULT, "result.official", official, rating=outcome.rating)


def closing(tell: Telling) -> Iterator[Line]:
    """Games after the section, a norm, and what was assumed."""
    player = tell.player
    assert player.after is not None
    if player.after.games is not None:
        key = "result.games_half" if tell.rated.section.is_half_k else "result.games"
        yield tell.line(RESULT, key, player.after.games, games=player.games_before, played=player.played)
    else:
        yield tell.line(RESULT, "result.games_unknown")
    if player.norm is not None:
        yield from _norm(tell, player.norm)
    for note in player.assumed:
        yield tell.line("Assumed", "assumed", note=str(note))


def _match_limits(tell: Telling) -> Iterator[Line]:
    player, constants = tell.player, tell.constants
    assert player.before is not None
    section, record = tell.rated.section, player.before
    past = match_past(constants, section, record)
    before, computed = record.rating, player.final.computed
    limits = match_change(constants, computed - before, past.net_half_year, past.net_three_years)
    yield tell.line(RESULT, "match.computed", limits.computed, computed=computed, before=before)
    each = [
        (one, match_past(constants, section, record._replace(match_changes=(one,)))) for one in record.match_changes
    ]
    for one, alone in each:
        if alone.net_half_year or alone.net_three_years:
            yield tell.line(RESULT, "match.past", day=one.on, change=one.change)
    half_year = tuple(alone.net_half_year for _, alone in each if alone.net_half_year) or (0.0,)
    years = tuple(alone.net_three_years for _, alone in each if alone.net_three_years) or (0.0,)
    for key, limit, change, held, net in (
        ("match.one", constants.match_change, limits.computed, limits.within_match, ()),
        ("match.days", constants.match_half_year, limits.within_match, limits.within_half_year, half_year),
        ("match.years", constants.match_three_years, limits.within_half_year, limits.change, years),
    ):
        if not math.isinf(limit):
            yield tell.line(RESULT, key, held, change=change, net=net)
    if math.isnan(player.outcome.limited_change):
        yield tell.line(RESULT, "match.unlimited")
    else:
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
    return tell.line(RESULT, "floor.peak_since_2010", level, peak=merits.peak_since_2010, since=PEAKS_COUNT_FROM)


def _standing(tell: Telling) -> Iterator[Line]:
    """The rating that stands, and every step that was taken on the way to it."""
    player = tell.player
    outcome = player.outcome
    before = math.nan if player.before is None else player.before.rating
    ceiling = math.inf if player.before is None or player.before.ceiling is None else player.before.ceiling
    held, by = player.final.computed, ""
    if not math.isnan(outcome.limited_change):
        held, by = before + outcome.limited_change, "_match"
    if outcome.floor_kind is not FloorKind.NONE:
        held, by = max(held, outcome.floor_level), f"{by}_floor"
    if outcome.is_at_ceiling:
        held, by = min(held, ceiling), f"{by}_ceiling"
    if by:
        values = {"computed": player.final.computed, "before": before, "change": outcome.limited_change}
        yield tell.line(RESULT, f"held.by{by}", held, floor=outcome.floor_level, ceiling=ceiling, **values)
    if tell.constants.stores_whole_numbers:
        way = "first" if math.isnan(before) else "up" if held > before else "down"
        yield tell.line(RESULT, f"held.stored_{way}", outcome.rating, held=held, slack=WHOLE_SLACK)
        held = outcome.rating
    yield tell.line(RESULT, "result.rating", outcome.rating, standing=held)


def _norm(tell: Telling, norm: str) -> Iterator[Line]:
    """A norm and the sum by which it was earned, opponents at their ratings after the section."""
    player, level = tell.player, NORM_LEVELS[NORM_CODES.index(norm)]
    yield tell.line(RESULT, "result.norm", norm=norm, level=level)
    expectancies = []
    for game in player.games:
        met = game.post_event
        expectancies.append(level_expectancy(level, met))
        yield tell.line(
            *(RESULT, "norm.expectancy", expectancies[-1]),
            **{"round": game.round_number, "opponent": game.opponent, "strength": met},
            **{
                "level": level,
                "width": expectancy_width(level - met),
                "side": "below" if met < level else "at or above",
            },
        )
    surplus = margin(level, player.score, [game.post_event for game in player.games])
    yield tell.line(
        *(RESULT, "norm.margin", surplus), score=player.score, expectancies=tuple(expectancies), margin=NORM_MARGIN
    )

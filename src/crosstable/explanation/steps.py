"""Steps 2 to 5, foreign events, and what becomes of the computed rating (§1, §3 to §7), line by line."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crosstable.engine import RatedGame
from crosstable.engine.after import match_past, system_section, unrated_record
from crosstable.engine.records import numbers_of
from crosstable.explanation import words
from crosstable.explanation.starts import carried, piece_of
from crosstable.explanation.telling import Line, Telling, plain
from crosstable.formulas.norms import NORM_LEVELS, NORM_MARGIN, expectancy_width, level_expectancy, margin
from crosstable.formulas.outcome import WHOLE_SLACK, Merits, level_below, match_change, official_rating
from crosstable.formulas.section import merits_of, share_of
from crosstable.formulas.special import (
    SPREAD_SLACK,
    SpecialRating,
    piece_at,
    provisional_expectancy,
    special_rating,
)
from crosstable.formulas.standard import RATING_SCALE, most_effective_games, odds, winning_expectancy
from crosstable.formulas.steps import section_k
from crosstable.rules.constants import NO_LIMIT
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import NORM_CODES, ONE_SIDED, Entry, FloorKind, Formula, KRule, Past, SectionType, total

ABROAD = "Foreign event"
# Sums in another order differ by less.
_SAME = 1e-9


def second_step(tell: Telling) -> Iterator[Line]:
    """How many games the rating counts for (§3)."""
    player = tell.player
    most = most_effective_games(tell.constants, player.prior)
    capped = "games.most_capped" if player.prior > tell.constants.effective_limit else "games.most"
    yield tell.line("Step 2", capped, most, prior=player.prior)
    if math.isinf(player.games_before):
        yield tell.line("Step 2", "games.effective_unknown", player.effective, most=most)
    else:
        yield tell.line("Step 2", "games.effective", player.effective, games=player.games_before, most=most)


def third_step(tell: Telling) -> Iterator[Line]:
    """The first estimate of a player who starts on no games (§1)."""
    player = tell.player
    if player.start is None or player.games_before > 0.0:
        return
    yield tell.line("Step 3", "estimate.why", games=player.games_before)
    met = [Met(game, game.prior, origin(tell, game, "Step 3")) for game in player.games]
    found = special_rating(
        *(tell.constants, player.prior, tell.constants.step_3_games, Past.MIXED, player.score),
        [one.strength for one in met],
    )
    yield from special(tell, "Step 3", found, tell.constants.step_3_games, met)
    yield tell.line("Step 3", "estimate.strength", player.strength, rating=found.rating)


class Met(NamedTuple):
    """A game, the strength that the opponent is met at, and what that strength is."""

    game: RatedGame
    strength: float
    origin: str


def origin(tell: Telling, game: RatedGame, part: str) -> str:
    """What the strength is that an opponent is met at in a step (§1)."""
    if part == "Step 5":
        return words.INTERMEDIATE
    opponent = next(player for player in tell.rated.players if player.number == game.opponent)
    if opponent.start is None:
        return words.PRE_EVENT
    return words.ESTIMATE if part == "Step 4" and opponent.games_before == 0.0 else words.INITIAL


def one_pass(tell: Telling, part: str) -> Iterator[Line]:
    """Step 4 or Step 5."""
    player = tell.player
    is_fourth = part == "Step 4"
    working = player.intermediate if is_fourth else player.final
    if is_fourth:
        yield choice(tell)
        yield from unrated_rounds(tell, part)
    yield tell.line(part, "pass.fourth" if is_fourth else "pass.fifth")
    met = [
        Met(game, game.strength if is_fourth else game.intermediate, origin(tell, game, part)) for game in player.games
    ]
    if player.formula is Formula.SPECIAL:
        found = special_rating(
            *(tell.constants, player.prior, player.effective, player.past, player.score),
            [one.strength for one in met],
        )
        yield from special(tell, part, found, player.effective, met)
    else:
        yield from standard(tell, part, met)
    if working.rating != working.computed:
        yield tell.line(part, "pass.floor", working.rating, computed=working.computed)


def abroad(tell: Telling) -> Iterator[Line]:
    """A foreign event: the standard formula once, against converted FIDE ratings (§6)."""
    is_youth = tell.rated.section.kind is SectionType.FOREIGN_FIDE_YOUTH
    conversion = tell.constants.fide_youth if is_youth else tell.constants.fide
    yield tell.line(ABROAD, "formula.abroad")
    yield tell.line(ABROAD, "abroad.conversion", kind="youth conversion" if is_youth else "conversion")
    for opponent, game in {game.opponent: game for game in tell.player.games}.items():
        if game.fide != game.fide_listed:
            yield carried(tell, ABROAD, f"Player {opponent}", game.fide_listed, game.fide)
        reach, limit, piece = piece_of(conversion, game.fide)
        yield tell.line(
            *(ABROAD, f"abroad.opponent_{reach}", game.strength),
            **{"opponent": opponent, "rating": game.fide, "limit": limit},
            **{"intercept": piece.intercept, "slope": piece.slope},
        )
    yield from unrated_rounds(tell, ABROAD)
    digits = tell.figures.digits["r"]
    met = [Met(game, game.strength, f"FIDE {plain(game.fide, digits)}") for game in tell.player.games]
    yield from standard(tell, ABROAD, met)


def unrated_rounds(tell: Telling, part: str) -> Iterator[Line]:
    """The rounds without a rated game, and games abroad that do not count for want of a FIDE rating (§6, §7)."""
    counted = {(game.round_number, game.opponent) for game in tell.player.games}
    for entry in own_rows(tell):
        for at, cell in enumerate(entry.cells, start=1):
            if cell.result.is_game and part == ABROAD and (at, cell.opponent) not in counted:
                yield tell.line(part, "abroad.ignored", round=at, opponent=cell.opponent)
            elif cell.result in words.UNRATED_ROUNDS:
                key = "round.unrated_met" if cell.opponent else "round.unrated"
                yield tell.line(part, key, round=at, what=words.UNRATED_ROUNDS[cell.result], opponent=cell.opponent)


def choice(tell: Telling) -> Line:
    """Why the special or the standard formula applies (§1, Step 4)."""
    player = tell.player
    if player.formula is Formula.STANDARD and math.isinf(player.games_before):
        return tell.line("Step 4", "formula.standard_unknown")
    if player.formula is Formula.STANDARD:
        return tell.line("Step 4", "formula.standard", games=player.games_before)
    if player.games_before > tell.constants.special_games:
        return tell.line("Step 4", words.PASTS[player.past], games=player.games_before)
    return tell.line("Step 4", "formula.few_games", games=player.games_before)


# The standard formula.


def standard(tell: Telling, part: str, met: Sequence[Met]) -> Iterator[Line]:
    """The standard formula against these opponents (§4.2)."""
    player = tell.player
    working = player.intermediate if part == "Step 4" else player.final
    own = odds(player.prior)
    expectancies = []
    for one in met:
        expectancy = winning_expectancy(own, odds(one.strength))
        expectancies.append(expectancy)
        yield tell.line(
            *(part, "game.standard", expectancy), **_game(tell, one), prior=player.prior, scale=RATING_SCALE
        )
    yield tell.line(part, "game.score", player.score, scores=tuple(one.game.score for one in met))
    yield tell.line(part, "standard.expected", working.expected, expectancies=tuple(expectancies))
    yield from _k(tell, part, working.k)
    change = working.k * (player.score - working.expected)
    yield tell.line(*(part, "standard.change", change), k=working.k, score=player.score, expected=working.expected)
    yield _bonus(tell, part, change, working.bonus)
    rating = player.prior + change + working.bonus
    yield tell.line(part, "standard.rating", rating, prior=player.prior, change=change, bonus=working.bonus)


def _game(tell: Telling, one: Met) -> dict[str, object]:
    return {**said_of(tell, one.game), "strength": one.strength, "origin": one.origin}


def said_of(tell: Telling, game: RatedGame) -> dict[str, object]:
    """What the line of a game says of it; a result on one row alone is rated on that row (§7)."""
    at = game.round_number - 1
    cells = [entry.cells[at] for entry in own_rows(tell) if at < len(entry.cells)]
    is_alone = any(cell.opponent == game.opponent and cell.result in ONE_SIDED for cell in cells)
    alone = words.ALONE if is_alone else ""
    said = {"round": game.round_number, "result": words.RESULTS[game.score], "opponent": game.opponent}
    return {**said, "alone": alone}


def own_rows(tell: Telling) -> list[Entry]:
    """The rows of the player: more than one where a member is listed more than once."""
    own = {tell.player.number, *tell.player.merged_with}
    return [entry for entry in tell.rated.section.entries if entry.number in own]


def _k(tell: Telling, part: str, k: float) -> Iterator[Line]:
    """K, and the limit of it, which no edition has and a rule set may have (§4.2)."""
    constants, player = tell.constants, tell.player
    rule = KRule.FULL if tell.rated.section.kind.is_foreign else tell.rated.k_rule
    said = {"effective": player.effective, "played": player.played, "prior": player.prior}
    key = _k_key(tell, rule)
    if math.isinf(constants.k_cap):
        yield tell.line(part, key, k, **said)
        return
    any_k = constants._replace(k_cap=NO_LIMIT)
    uncapped = section_k(any_k, rule, player.prior, player.effective, float(player.played))
    yield tell.line(part, key, uncapped, **said)
    yield tell.line(part, "standard.k_capped", k, uncapped=uncapped)


def _k_key(tell: Telling, rule: KRule) -> str:
    """Which K applies (§4.2)."""
    constants, prior = tell.constants, tell.player.prior
    if rule is KRule.HALF:
        return "standard.k_half"
    if rule is KRule.DUAL and constants.dual_k_is_reduced and prior > constants.dual_k_above:
        return "standard.k_dual_flat" if prior >= constants.dual_k_flat_from else "standard.k_dual"
    return "standard.k" if constants.k_effective_weight == 1.0 else "standard.k_weighted"


def _bonus(tell: Telling, part: str, change: float, bonus: float) -> Line:
    """The bonus, or why there is none and through whom (§4.2, §7)."""
    player, constants = tell.player, tell.constants
    if player.earns_bonus:
        return tell.line(part, "bonus.earned", bonus, change=change, played=player.played)
    if tell.rated.section.kind is SectionType.MATCH:
        return tell.line(part, "bonus.match", bonus)
    if player.played < constants.bonus_games:
        return tell.line(part, "bonus.few_games", bonus, played=player.played)
    key = "bonus.met_often" if player.most_meetings > constants.bonus_meetings else "bonus.met_again"
    return tell.line(part, key, bonus, opponent=_most_met(tell), meetings=player.most_meetings)


def _most_met(tell: Telling) -> int:
    """The opponent who was met most often, by the first of the rows where a member has several."""
    first_row = {player.number: min((player.number, *player.merged_with)) for player in tell.rated.players}
    met = [first_row[game.opponent] for game in tell.player.games]
    return max(met, key=met.count)


# The special formula.


def special(tell: Telling, part: str, found: SpecialRating, effective: float, met: Sequence[Met]) -> Iterator[Line]:
    """The special formula as its function at the solution (§4.1)."""
    player = tell.player
    past = Past.MIXED if part == "Step 3" else player.past
    how = {Past.MIXED: "", Past.ALL_WINS: "_wins", Past.ALL_LOSSES: "_losses"}[past]
    start, target, solution = found.adjusted_prior, found.adjusted_score, found.uncapped
    spread = tell.constants.special_spread
    yield tell.line(part, f"special.prior{how}", start, prior=player.prior)
    yield tell.line(part, "game.score", player.score, scores=tuple(one.game.score for one in met))
    yield tell.line(part, f"special.score{how}", target, score=player.score, effective=effective)
    yield from _knots(tell, part, start, met)
    yield _solved(tell, part, found, effective, met)
    expectancies = []
    for one in met:
        expectancy = provisional_expectancy(solution, one.strength, spread)
        expectancies.append(expectancy)
        yield tell.line(part, "game.special", expectancy, **_game(tell, one), solution=solution)
    if effective > 0.0:
        share = effective * provisional_expectancy(solution, start, spread)
        expectancies.append(share)
        yield tell.line(part, "special.before", share, effective=effective, solution=solution, strength=start)
    surplus = total(expectancies) - target
    yield tell.line(part, "special.surplus", surplus, expectancies=tuple(expectancies), target=target)
    yield tell.line(part, "special.rating", found.rating, solution=solution)


def _knots(tell: Telling, part: str, start: float, met: Sequence[Met]) -> Iterator[Line]:
    """The points between which the function is straight, those of one strength once (§4.1)."""
    spread = tell.constants.special_spread
    whose = {one.strength: f"player {one.game.opponent}" for one in reversed(met)} | {start: "R0'"}
    knots = [(strength - spread, "low", strength) for strength in whose]
    knots += [(strength + spread, "high", strength) for strength in whose]
    yield tell.line(part, "special.knots")
    for knot, side, strength in sorted(knots):
        yield tell.line(part, f"special.knot_{side}", knot, whose=whose[strength], strength=strength)


def _solved(tell: Telling, part: str, special: SpecialRating, effective: float, met: Sequence[Met]) -> Line:
    """How M comes about: by the straight piece it lies on, or by the rules for a whole stretch of solutions (§4.1)."""
    start, target, solution = special.adjusted_prior, special.adjusted_score, special.uncapped
    spread = tell.constants.special_spread
    strengths = [one.strength for one in met]
    if solution == start:
        return tell.line(part, "special.at_start", solution, start=start)
    near = [strength for strength in strengths if math.fabs(solution - strength) <= spread + SPREAD_SLACK]
    is_near_start = math.fabs(solution - start) <= spread + SPREAD_SLACK
    weight = len(near) + (effective if is_near_start else 0.0)
    piece = piece_at(solution, start, effective, target, strengths, spread)
    if weight > 0.0 and piece.slope_below > 0.0 and piece.slope_above > 0.0:
        within = ((effective, start), *near) if is_near_start and effective > 0.0 else tuple(near)
        beaten: float = sum(solution > strength + spread + SPREAD_SLACK for strength in strengths)
        beaten += 0.0 if is_near_start or solution < start else effective
        found = (total(near) + (effective * start if is_near_start else 0.0)) / weight
        found += 2.0 * spread * (target - beaten - weight / 2.0) / weight
        if math.fabs(found - solution) <= _SAME:
            return tell.line(
                *(part, "special.solved", solution),
                **{"within": _counted(len(near), with_start=len(within) > len(near)), "ratings": within},
                **{"target": target, "beaten": beaten, "weight": weight},
            )
    for strength in (start, *strengths):
        for key, knot in (("special.at_low_knot", strength - spread), ("special.at_high_knot", strength + spread)):
            if math.fabs(knot - solution) <= _SAME:
                return tell.line(part, key, solution, strength=strength)
    return tell.line(part, "special.near", solution)


def _counted(opponents: int, *, with_start: bool) -> str:
    games = "one game" if opponents == 1 else f"{opponents} games"
    if not with_start:
        return games
    return f"{games} and R0'" if opponents else "R0'"


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
    if not math.isinf(constants.match_published_gap):
        yield tell.line(RESULT, "match.gap")
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

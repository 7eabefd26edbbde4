"""Steps 2 to 5, and foreign events: effective games, the games, and the two formulas (§1, §3, §4, §6)."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crosstable.engine import RatedGame
from crosstable.explanation import words
from crosstable.explanation.figures import plain
from crosstable.explanation.starts import carried, piece_of
from crosstable.explanation.telling import Line, Telling
from crosstable.formulas.effective import most_effective_games
from crosstable.formulas.special import (
    SPREAD_SLACK,
    SpecialRating,
    piece_at,
    provisional_expectancy,
    special_rating,
)
from crosstable.formulas.standard import RATING_SCALE, odds, winning_expectancy
from crosstable.terms import ONE_SIDED, Entry, Formula, KRule, Past, SectionType, total

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
    yield tell.line(
        *(part, _k_key(tell), working.k), effective=player.effective, played=player.played, prior=player.prior
    )
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


def _k_key(tell: Telling) -> str:
    """Which K applies (§4.2)."""
    constants, prior = tell.constants, tell.player.prior
    rule = KRule.FULL if tell.rated.section.kind.is_foreign else tell.rated.k_rule
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

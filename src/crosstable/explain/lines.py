"""``explain``: every step of one player's calculation as a line, in the order of §1."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from crosstable.engine import RatedGame, RatedPlayer, RatedSection
from crosstable.engine.after import match_past
from crosstable.explain.words import WORDS
from crosstable.formulas.effective import most_effective_games
from crosstable.formulas.initial import Initial, SourceWeight
from crosstable.formulas.matches import MatchLimits, match_change
from crosstable.formulas.outcome import Outcome
from crosstable.formulas.rounding import official_rating
from crosstable.formulas.special import SpecialRating, provisional_expectancy, special_rating
from crosstable.formulas.standard import StandardUpdate, odds, winning_expectancy
from crosstable.rules.constants import Constants, Initialisation
from crosstable.rules.editions import LAW_SEEN_THROUGH, doubts
from crosstable.rules.law import Amendment
from crosstable.terms import FloorKind, Formula, KRule, Past, SectionType, Source

FLOOR_NAMES = {
    FloorKind.ABSOLUTE: "absolute floor",
    FloorKind.PERSONAL: "personal absolute floor",
    FloorKind.PEAK: "floor from the highest rating",
    FloorKind.LIFE_MASTER: "Original Life Master floor",
    FloorKind.MONEY: "money floor",
    FloorKind.OFFICE: "floor set by the office",
}
RESULTS = {1.0: "won against", 0.5: "drew with", 0.0: "lost to"}
PASTS = {Past.ALL_WINS: "All earlier games were wins", Past.ALL_LOSSES: "All earlier games were losses"}


# What the rules with doubtful dates bear on: newcomers, matches, foreign events, and things outside a section's rating.
START_RULES = frozenset({"fide", "priorities", "age_base"})
MATCH_RULES = frozenset({"match_change", "match_half_year"})
FOREIGN_RULES = frozenset({"fide_youth", "foreign_needs_established"})
OTHER_RULES = frozenset({"money_prize"})


class Line(NamedTuple):
    """One sentence of an explanation: its part, the §, the words, and the number it speaks of (NaN: none)."""

    part: str
    section: str
    text: str
    name: str
    value: float


def explain(rated: RatedSection, number: int) -> tuple[Line, ...]:
    """The whole calculation of the player with this number; raises ``KeyError`` if there is none."""
    player = next((player for player in rated.players if player.number == number), None)
    if player is None:
        raise KeyError(number)
    return tuple(_lines(rated, player))


def _lines(rated: RatedSection, player: RatedPlayer) -> Iterator[Line]:
    yield from _rules(rated, player)
    if player.formula is Formula.NONE:
        yield _say("Result", "§7", "No rated game was played, so the rating is untouched.", "post", _post(player))
        return
    yield from _step_1(rated, player)
    yield from _step_2(rated, player)
    if rated.section.kind.is_foreign:
        yield from _foreign(rated, player)
    else:
        yield from _step_3(rated, player)
        yield from _pass(rated, player, "Step 4")
        yield from _pass(rated, player, "Step 5")
    yield from _outcome(rated, player)
    yield from _closing(player)


def _say(part: str, section: str, text: str, name: str = "", value: float = math.nan) -> Line:
    return Line(part, section, text, name, value)


Working = SourceWeight | Initial | SpecialRating | StandardUpdate | MatchLimits | Outcome


def _record(part: str, record: Working, leave_out: tuple[str, ...] = (), prefix: str = "") -> Iterator[Line]:
    """A line per field of a working record, in the words of ``explain.words``."""
    for name, value in record._asdict().items():
        words = WORDS[type(record).__name__][name]
        if words is not None and name not in leave_out:
            yield Line(part, words.section, prefix + words.sentence.format(value=value), name, float(value))


def _post(player: RatedPlayer) -> float:
    return math.nan if player.after is None else player.after.rating


def _touches(amendment: Amendment, rated: RatedSection, player: RatedPlayer) -> bool:
    """Whether a rule whose date is in doubt can bear on this player's result."""
    names = set(amendment.changes)
    if names & START_RULES:
        return player.start is not None
    if names & MATCH_RULES:
        return rated.section.kind is SectionType.MATCH
    if names & FOREIGN_RULES:
        return rated.section.kind.is_foreign
    return not names & OTHER_RULES


def _rules(rated: RatedSection, player: RatedPlayer) -> Iterator[Line]:
    section = rated.section
    yield _say(
        "Rules",
        "§8",
        f"The section started on {section.start} and is rated {rated.system.title} under the edition of "
        f"{rated.edition.title}, the law as seen through the text of {LAW_SEEN_THROUGH}.",
    )
    for amendment in (one for one in doubts(section.start) if _touches(one, rated, player)):
        yield _say(
            "Rules",
            "§8",
            f"Date assumed: “{amendment.summary}” is stated as {amendment.stated}; taken from {amendment.effective}.",
        )


def _step_1(rated: RatedSection, player: RatedPlayer) -> Iterator[Line]:
    if player.start is None:
        games = "an unknown number of" if math.isinf(player.games_before) else f"{player.games_before:g}"
        text = f"The pre-event rating is R0 = {player.prior:.4f} on N = {games} games."
        yield _say("Step 1", "§1", text, "prior", player.prior)
        if player.past is not Past.MIXED:
            yield _say("Step 1", "§4.1", f"{PASTS[player.past]}, so the special formula applies.")
        return
    initial = player.start.initial
    blends = rated.edition.constants.initialisation == Initialisation.BLEND
    yield _say("Step 1", "§2", f"The player is unrated in {rated.system.name}.")
    for working in player.start.sources:
        name = working.source.name
        games = "" if working.games is None else f" on {working.games:g} games"
        yield _say(
            "Step 1", "§2", f"{name}: {working.rating:g}{games}, of {working.as_of}, {working.staleness_days} days old."
        )
        weighed = _record("Step 1", working.weight, prefix=f"{name}: ")
        if blends:
            yield from weighed
        else:
            yield _say("Step 1", "§2", f"The first source of the priority list is {name}.")
            yield next(weighed)  # what it is on the US Chess scale
    if initial.source == Source.AGE:
        yield from _age(rated.edition.constants, player)
    if initial.source == Source.GIVEN:
        yield _say("Step 1", "§2", "The start was given by hand.")
    leave_out = () if blends and player.start.sources else ("total_weight", "mean")
    yield from _record("Step 1", initial, leave_out)


def _age(constants: Constants, player: RatedPlayer) -> Iterator[Line]:
    assert player.start is not None
    age = player.start.age
    known = f"the age at the section's end is {age:.4f}"
    if math.isnan(age):
        is_adult = player.prior == constants.adult_start
        known = f"no birth date is known, and the player is {'reported as' if is_adult else 'not known to be'} an adult"
    yield _say("Step 1", "§2.3", f"No other rating is known, so age decides: {known}.", "age", age)
    yield _say("Step 1", "§2.3", f"The age-based rating is {player.prior:.4f}.", "age_based", player.prior)


def _step_2(rated: RatedSection, player: RatedPlayer) -> Iterator[Line]:
    most = most_effective_games(rated.edition.constants, player.prior)
    yield _say(
        "Step 2", "§3", f"A rating of {player.prior:.2f} can be worth N* = {most:.4f} games.", "most_effective", most
    )
    text = f"The effective games are N' = {player.effective:.4f}, the smaller of N and N*."
    yield _say("Step 2", "§3", text, "effective", player.effective)


def _step_3(rated: RatedSection, player: RatedPlayer) -> Iterator[Line]:
    if player.start is None or player.games_before > 0.0:
        return
    constants = rated.edition.constants
    opponents = [game.prior for game in player.games]
    yield _say("Step 3", "§1", "For the opponents' sake a first estimate is made, with N' = 1 for this step only.")
    yield from _special(rated, player, constants.step_3_games, opponents, "Step 3")
    text = f"In Step 4 the opponents meet this player at {player.strength:.4f}."
    yield _say("Step 3", "§1", text, "strength", player.strength)


def _pass(rated: RatedSection, player: RatedPlayer, part: str) -> Iterator[Line]:
    is_fourth = part == "Step 4"
    working = player.intermediate if is_fourth else player.final
    opponents = [game.strength if is_fourth else game.intermediate for game in player.games]
    whose = "pre-event ratings, initial ratings or first estimates" if is_fourth else "results of Step 4"
    yield _say(part, "§1", f"Opponents stand at their {whose}.")
    if player.formula is Formula.SPECIAL:
        yield from _special(rated, player, player.effective, opponents, part)
    else:
        yield from _standard_games(player, opponents, part)
        yield from _standard(rated, player, part, working.k, working.expected, working.bonus)
    if working.rating != working.computed:
        yield _say(part, "§1", f"No rating is below 100, so it is {working.rating:.4f}.", "rating", working.rating)


def _foreign(rated: RatedSection, player: RatedPlayer) -> Iterator[Line]:
    kind = "youth conversion" if rated.section.kind.value.endswith("youth") else "conversion"
    yield _say(
        "Foreign event", "§6", f"Opponents stand at their FIDE ratings by the {kind}; the formula is applied once."
    )
    opponents = [game.strength for game in player.games]
    yield from _standard_games(player, opponents, "Foreign event")
    working = player.final
    yield from _standard(rated, player, "Foreign event", working.k, working.expected, working.bonus)


def _standard(
    rated: RatedSection, player: RatedPlayer, part: str, k: float, expected: float, bonus: float
) -> Iterator[Line]:
    change = k * (player.score - expected)
    yield _say(part, "§4.2", _k_words(rated, player))
    update = StandardUpdate(k, expected, change, bonus, player.prior + change + bonus)
    for line in _record(part, update):
        yield (
            line._replace(text=f"{line.text} {_why_no_bonus(rated, player)}".strip()) if line.name == "bonus" else line
        )


def _k_words(rated: RatedSection, player: RatedPlayer) -> str:
    if rated.k_rule is KRule.HALF:
        return f"Half K: 400/(N' + m/2) with m = {player.played} games."
    constants = rated.edition.constants
    if rated.k_rule is KRule.DUAL and constants.dual_k_is_reduced and player.prior > constants.dual_k_above:
        return f"The section is dual-rated and the rating above 2200, so K is smaller; m = {player.played} games."
    return f"K = 800/(N' + m) with m = {player.played} games."


def _why_no_bonus(rated: RatedSection, player: RatedPlayer) -> str:
    constants = rated.edition.constants
    if player.earns_bonus:
        rounds = max(float(player.played), constants.bonus_least_games)
        return f"It is what the change exceeds {constants.bonus_threshold:g}√{rounds:g} by, and never negative."
    if rated.section.kind.value == "match":
        return "Matches have none (§7)."
    if player.played < constants.bonus_games:
        return "It needs three games."
    return "An opponent was met too often."


def _met(game: RatedGame, strength: float, expectancy: float) -> str:
    return (
        f"Round {game.round_number}: {RESULTS[game.score]} player {game.opponent}, met at {strength:.4f}; "
        f"expected {expectancy:.4f}."
    )


def _standard_games(player: RatedPlayer, opponents: list[float], part: str) -> Iterator[Line]:
    own = odds(player.prior)
    for game, strength in zip(player.games, opponents, strict=True):
        expectancy = winning_expectancy(own, odds(strength))
        yield _say(part, "§4.2", _met(game, strength, expectancy), "expectancy", expectancy)
    yield _say(part, "§4.2", f"The score is S = {player.score:g}.", "score", player.score)


def _special(
    rated: RatedSection, player: RatedPlayer, effective: float, opponents: list[float], part: str
) -> Iterator[Line]:
    """A special rating: what every game, and the games before, are expected to give at the solution."""
    constants = rated.edition.constants
    past = player.past if part != "Step 3" else Past.MIXED
    special = special_rating(constants, player.prior, effective, past, player.score, opponents)
    spread = constants.special_spread
    for game, strength in zip(player.games, opponents, strict=True):
        expectancy = provisional_expectancy(special.uncapped, strength, spread)
        yield _say(part, "§4.1", _met(game, strength, expectancy), "expectancy", expectancy)
    if effective > 0.0:
        share = effective * provisional_expectancy(special.uncapped, special.adjusted_prior, spread)
        text = f"The N' = {effective:.4f} games before, at R0', are expected to give {share:.4f}."
        yield _say(part, "§4.1", text, "expectancy", share)
    yield _say(part, "§4.1", f"The score is S = {player.score:g}.", "score", player.score)
    yield from _record(part, special)


def _outcome(rated: RatedSection, player: RatedPlayer) -> Iterator[Line]:
    outcome = player.outcome
    if not math.isnan(outcome.limited_change):
        assert player.before is not None
        past = match_past(rated.edition.constants, rated.section, player.before)
        computed = player.final.computed - player.before.rating
        yield from _record(
            "Result",
            match_change(rated.edition.constants, computed, past.net_half_year, past.net_three_years),
        )
    yield from _limits(player)
    if rated.edition.constants.stores_whole_numbers:
        how = "to the nearest" if player.before is None else "up on a gain and down on a loss"
        yield _say("Result", "§8", f"Before September 2014 whole numbers were stored, rounded {how}.")
    yield from _record("Result", outcome, ("limited_change", "requested_floor"))
    official = official_rating(outcome.rating)
    yield _say(
        "Result", "§1", f"The official rating is the nearest whole number, {official}.", "official", float(official)
    )


def _limits(player: RatedPlayer) -> Iterator[Line]:
    outcome = player.outcome
    if not math.isnan(outcome.limited_change):
        yield from (line for line in _record("Result", outcome) if line.name == "limited_change")
    if outcome.floor_kind is not FloorKind.NONE:
        text = f"The {FLOOR_NAMES[outcome.floor_kind]} of {outcome.floor_level:g} holds the rating up."
        yield _say("Result", "§5", text, "floor", outcome.floor_level)
    if not math.isnan(outcome.requested_floor):
        yield from (line for line in _record("Result", outcome) if line.name == "requested_floor")
    if outcome.is_at_ceiling:
        yield _say("Result", "§7", "The ceiling set by the office holds the rating down.")


def _closing(player: RatedPlayer) -> Iterator[Line]:
    assert player.after is not None
    if player.after.games is not None:
        text = f"The rating is now based on N = {player.after.games:g} games."
        yield _say("Result", "§7", text, "games", player.after.games)
    if player.norm is not None:
        yield _say("Result", "norms", f"A norm was earned: {player.norm}.")
    for note in player.assumed:
        yield _say("Assumed", "", f"{note}.")

"""What only the rated result shows: performances that do not fit the rating, bonus lost, match limits (§4.2, §7).

Everything here informs; nothing stops. A performance is the special formula's answer on no earlier games (§4.1 with
N' = 0) against the strengths of Step 5. Unlike an average it never holds it against players that they beat, or lost
to, people far away from them: whoever did what the rating expects performs at the rating.
"""

import math

from crosstable.checks.findings import in_file, player_words
from crosstable.engine.after import highest_floor, system_section
from crosstable.engine.records import RatedPlayer, RatedSection
from crosstable.errors import Fault
from crosstable.faults import Said, fault
from crosstable.formulas.outcome import official_rating
from crosstable.formulas.special import TOLERANCE, provisional_expectancy, special_rating
from crosstable.formulas.standard import bonus_points
from crosstable.limits import FAR_FROM_RATING, FEWEST_GAMES_OF_A_PERFORMANCE
from crosstable.rules.constants import Constants
from crosstable.terms import Formula, Past, PlayerRating, ReportedSection, SectionType

# A performance this little short of the limit is on it.
HAIR = 1e-3


def plausibility(rated: RatedSection, report: ReportedSection | None = None) -> list[Fault]:
    """Every warning about a rated section; with its ``report`` each place names the row of the file too."""
    constants = rated.edition.constants
    faults = []
    for player in rated.players:
        if player.formula is Formula.NONE or (player.merged_with and min(player.merged_with) < player.number):
            continue
        found = []
        outcome = player.outcome
        is_long = len(player.games) >= FEWEST_GAMES_OF_A_PERFORMANCE
        if player.before is not None and is_long and _is_far(player, constants):
            found.append(Said("far-from-performance", _performed(player, constants)))
        if not player.earns_bonus and player.formula is Formula.STANDARD:
            found += _bonus_lost(player, rated)
        if not math.isnan(outcome.limited_change):
            changes = {"computed": player.final.computed - player.prior, "limited": outcome.limited_change}
            found.append(Said("match-limited", changes))
        if not math.isnan(outcome.requested_floor):
            floors = {"floor": outcome.floor_level, "requested": outcome.requested_floor}
            found.append(Said("floor-requested", floors))
        if player.before is not None and player.before.ceiling is not None:
            found += _ceiling_below_floor(player, player.before, rated)
        faults += [fault(key, _place(player, rated, report), **values) for key, values in found]
    return faults


def _ceiling_below_floor(player: RatedPlayer, before: PlayerRating, rated: RatedSection) -> list[Said]:
    """A ceiling that is lower than a floor, of which only one can hold (§5, §7; decision 0008)."""
    scores = [game.score for game in player.games]
    results = scores.count(1.0), scores.count(0.5), scores.count(0.0)
    floor = highest_floor(system_section(rated.section, rated.system, rated.edition), before, results)
    if before.ceiling is None or before.ceiling >= floor.level:
        return []
    kind = floor.kind.name.lower().replace("_", " ")
    return [Said("ceiling-below-floor", {"ceiling": before.ceiling, "kind": kind, "floor": floor.level})]


def _place(player: RatedPlayer, rated: RatedSection, report: ReportedSection | None) -> str:
    words = f"section {rated.section.number}, {player_words(player.number, player.name)}, {rated.system.name}"
    rows = () if report is None else report.players
    return in_file(words, next((row.place for row in rows if row.number == player.number), ""))


def _is_far(player: RatedPlayer, constants: Constants) -> bool:
    """Whether the performance is too far away, without solving for it.

    The expected score grows with the rating, so it is enough to ask whether somebody not quite so much higher would
    still have been expected to score less; or, where the rating fell, somebody so much lower still more.
    """
    is_gain = player.final.computed >= player.prior
    other = player.prior + FAR_FROM_RATING - HAIR if is_gain else player.prior - FAR_FROM_RATING + HAIR
    expected = 0.0
    for game in player.games:
        expected += provisional_expectancy(other, game.intermediate, constants.special_spread)
    return expected < player.score - TOLERANCE if is_gain else expected > player.score + TOLERANCE


def _performed(player: RatedPlayer, constants: Constants) -> dict[str, object]:
    opponents = [game.intermediate for game in player.games]
    performance = special_rating(constants, player.prior, 0.0, Past.MIXED, player.score, opponents).uncapped
    return {
        "performance": official_rating(performance),
        "games": len(opponents),
        "apart": math.fabs(performance - player.prior),
        "side": "above" if performance > player.prior else "below",
        "rating": official_rating(player.prior),
    }


def _bonus_lost(player: RatedPlayer, rated: RatedSection) -> list[Said]:
    """What the bonus would have been, had nobody been met too often; matches have none to lose (§4.2, §7)."""
    constants = rated.edition.constants
    played = len(player.games)
    if rated.section.kind is SectionType.MATCH or played < constants.bonus_games:
        return []
    change = player.final.k * (player.score - player.final.expected)
    lost = bonus_points(constants, change, float(played))
    if lost == 0.0:
        return []
    return [Said("bonus-lost", {"meetings": player.most_meetings, "games": played, "lost": lost})]

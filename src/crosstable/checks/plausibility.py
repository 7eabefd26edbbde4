"""What only the rated result shows: performances that do not fit the rating, bonus lost, match limits (§4.2, §7).

Everything here informs; nothing stops. A performance is the special formula's answer on no earlier games (§4.1 with
N' = 0) against the strengths of Step 5. Unlike an average it never holds it against players that they beat, or lost
to, people far away from them: whoever did what the rating expects performs at the rating.
"""

import math

from crosstable.catalogue import fault
from crosstable.checks.places import in_file, player_words
from crosstable.engine.records import RatedPlayer, RatedSection
from crosstable.errors import Fault
from crosstable.formulas.rounding import official_rating
from crosstable.formulas.special import TOLERANCE, provisional_expectancy, special_rating
from crosstable.formulas.standard import bonus_points
from crosstable.rules.constants import Constants
from crosstable.terms import Formula, Past, ReportedSection, SectionType

# Below this many games a performance says next to nothing.
FEWEST_GAMES = 3
FAR = 600.0
HAIR = 1e-3


def plausibility(rated: RatedSection, report: ReportedSection | None = None) -> list[Fault]:
    """Every warning about a rated section; with its ``report`` each place names the row of the file too."""
    constants = rated.edition.constants
    faults = []
    for player in rated.players:
        if player.formula is Formula.NONE or (player.merged_with and min(player.merged_with) < player.number):
            continue
        found = []
        if player.before is not None and len(player.games) >= FEWEST_GAMES and _is_far(player, constants):
            found.append(("far-from-performance", _performed(player, constants)))
        if not player.earns_bonus and player.formula is Formula.STANDARD:
            found += _bonus_lost(player, rated, constants)
        if not math.isnan(player.outcome.limited_change):
            found.append(("match-limited", _limited(player)))
        if not math.isnan(player.outcome.requested_floor):
            found.append(("floor-requested", _requested(player)))
        faults += [fault(code, _place(player, rated, report), message) for code, message in found]
    return faults


def _place(player: RatedPlayer, rated: RatedSection, report: ReportedSection | None) -> str:
    words = f"section {rated.section.number}, {player_words(player.number, player.name)}, {rated.system.name}"
    rows = () if report is None else report.players
    return in_file(words, next((row.place for row in rows if row.number == player.number), ""))


def _is_far(player: RatedPlayer, constants: Constants) -> bool:
    """Whether the performance is 600 points or more away, without solving for it.

    The expected score grows with the rating, so it is enough to ask whether somebody not quite 600 points higher
    would still have been expected to score less; or, where the rating fell, somebody 600 points lower still more.
    """
    is_gain = player.final.computed >= player.prior
    other = player.prior + FAR - HAIR if is_gain else player.prior - FAR + HAIR
    expected = 0.0
    for game in player.games:
        expected += provisional_expectancy(other, game.intermediate, constants.special_spread)
    return expected < player.score - TOLERANCE if is_gain else expected > player.score + TOLERANCE


def _performed(player: RatedPlayer, constants: Constants) -> str:
    opponents = [game.intermediate for game in player.games]
    performance = special_rating(constants, player.prior, 0.0, Past.MIXED, player.score, opponents).uncapped
    is_above = performance > player.prior
    apart = math.fabs(performance - player.prior)
    return (
        f"The player performed {official_rating(performance)} in {len(opponents)} games, "
        f"{apart:.0f} points {'above' if is_above else 'below'} the rating of {official_rating(player.prior)}."
    )


def _bonus_lost(player: RatedPlayer, rated: RatedSection, constants: Constants) -> list[tuple[str, str]]:
    """What the bonus would have been, had nobody been met too often; matches have none to lose (§4.2, §7)."""
    played = len(player.games)
    if rated.section.kind is SectionType.MATCH or played < constants.bonus_games:
        return []
    change = player.final.k * (player.score - player.final.expected)
    lost = bonus_points(constants, change, float(played))
    if lost == 0.0:
        return []
    message = (
        f"One opponent was met {player.most_meetings} times in {played} games, so {lost:.1f} bonus points are lost."
    )
    return [("bonus-lost", message)]


def _limited(player: RatedPlayer) -> str:
    change = player.final.computed - player.prior
    return f"The match is worth {change:+.1f} points; {player.outcome.limited_change:+.1f} is as far as it may go."


def _requested(player: RatedPlayer) -> str:
    return (
        f"The match took the player to the floor of {player.outcome.floor_level:g}; the office may lower it to "
        f"{player.outcome.requested_floor:g}."
    )

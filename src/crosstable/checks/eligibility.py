"""Who may play a rated match (§7) and whose rating a foreign event updates (§6)."""

import math

from crosstable.catalogue import fault
from crosstable.checks.controls import Timing
from crosstable.checks.places import SectionPlace
from crosstable.errors import Fault
from crosstable.formulas.foreign import is_eligible
from crosstable.formulas.matches import may_play_match
from crosstable.formulas.rounding import official_rating
from crosstable.rules.law import Edition
from crosstable.terms import RatingSystem, ReportedPlayer, ReportedSection, SectionType, Standing


def eligibility_faults(section: ReportedSection, place: SectionPlace, edition: Edition, when: Timing) -> list[Fault]:
    """Every fault of a match or a foreign event that the rules, not the file, make."""
    if section.kind is SectionType.MATCH:
        return _match_faults(section, place, edition, when)
    if section.kind.is_foreign:
        return _foreign_faults(section, place, edition)
    return []


def _match_faults(section: ReportedSection, place: SectionPlace, edition: Edition, when: Timing) -> list[Fault]:
    if len(section.players) != 2:
        return [fault("match-players", place.whole, f"The match has {len(section.players)} players.")]
    if section.match_waiver:
        return [fault("match-waived", place.whole, f"The conditions for a match are waived: {section.match_waiver}.")]
    faults = []
    for system in when.systems:
        standings = [player.background.standings.get(system) for player in section.players]
        published = [_published(standing) for standing in standings]
        gap = published[0] - published[1]
        for player, standing in zip(section.players, standings, strict=True):
            reason = _why_not(standing, gap, system, edition)
            if reason:
                faults.append(fault("match-not-eligible", place.row(player), reason))
    return faults


def _published(standing: Standing | None) -> float:
    """The rating of the last list, or what the pre-event rating would be on one: a whole number (readings 80)."""
    if standing is None:
        return math.nan
    return float(official_rating(standing.rating if standing.published is None else standing.published))


def _why_not(standing: Standing | None, gap: float, system: RatingSystem, edition: Edition) -> str:
    """Why a player may not play a rated match, or nothing (§7; readings 73)."""
    if standing is None:
        return f"The player has no {system.name} rating; a match needs rated players."
    games = math.inf if standing.games is None else standing.games
    if math.isnan(gap) or may_play_match(edition.constants, games, gap):
        return ""
    if math.fabs(gap) > edition.constants.match_published_gap:
        return f"The published {system.name} ratings are {math.fabs(gap):.0f} points apart; 400 is the most."
    return f"The player's {system.name} rating is on {games:g} games; a match needs established ratings (26 or more)."


def _foreign_faults(section: ReportedSection, place: SectionPlace, edition: Edition) -> list[Fault]:
    rated = [player for player in section.players if player.is_rated]
    if not rated:
        return [fault("foreign-nobody", place.whole, "No player is marked to be rated.")]
    faults = []
    for player in rated:
        reason = why_not_abroad(player, edition)
        if reason:
            faults.append(fault("foreign-not-eligible", place.row(player), reason))
    return faults


def why_not_abroad(player: ReportedPlayer, edition: Edition) -> str:
    """Why a player's rating is not updated (§6); what the file does not say is not held against him."""
    standing = player.background.standings.get(RatingSystem.OTBR)
    if standing is None:
        return "The player has no Regular rating."
    if player.is_member is False:
        return "The player is not a current member."
    fide = math.nan if player.background.fide is None else player.background.fide.rating
    games = math.inf if standing.games is None else standing.games
    has_flag = player.fide_flag is None or player.fide_flag.upper() == "USA"
    if is_eligible(edition.constants, games, fide, has_flag, player.has_opted_in is not False):
        return ""
    if games <= edition.constants.established_above:
        return f"The player's Regular rating is on {games:g} games; only established ratings are updated."
    return "The player has not opted in, and is not rated 2200 FIDE or more under the USA flag."

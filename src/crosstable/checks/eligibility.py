"""Who may play a rated match (§7) and whose rating a foreign event updates (§6)."""

import math

from crosstable.catalogue import fault
from crosstable.checks.controls import Timing
from crosstable.checks.places import SectionPlace
from crosstable.errors import Fault
from crosstable.formulas.foreign import is_eligible
from crosstable.formulas.matches import may_play_match
from crosstable.formulas.rounding import official_rating
from crosstable.formulas.tally import is_established
from crosstable.rules.law import Edition
from crosstable.sentences import Said
from crosstable.terms import PlayerRating, RatingSystem, ReportedPlayer, ReportedSection, SectionType


def eligibility_faults(section: ReportedSection, place: SectionPlace, edition: Edition, when: Timing) -> list[Fault]:
    """Every fault of a match or a foreign event that the rules, not the file, make."""
    if section.kind is SectionType.MATCH:
        return _match_faults(section, place, edition, when)
    if section.kind.is_foreign:
        return _foreign_faults(section, place, edition)
    return []


def _match_faults(section: ReportedSection, place: SectionPlace, edition: Edition, when: Timing) -> list[Fault]:
    if len(section.players) != 2:
        return [fault("match-players", place.whole, players=len(section.players))]
    if section.match_waiver:
        return [fault("match-waived", place.whole, reason=section.match_waiver)]
    faults = []
    for system in when.systems:
        standings = [player.background.standings.get(system) for player in section.players]
        published = [_published(standing) for standing in standings]
        gap = published[0] - published[1]
        for player, standing in zip(section.players, standings, strict=True):
            reason = _why_not(standing, gap, edition)
            if reason is not None:
                faults.append(fault(reason.key, place.row(player), system=system.name, **reason.values))
    return faults


def _published(standing: PlayerRating | None) -> float:
    """The rating of the last list, or what the pre-event rating would be on one: a whole number (readings 80)."""
    if standing is None:
        return math.nan
    return float(official_rating(standing.rating if standing.published is None else standing.published))


def _why_not(standing: PlayerRating | None, gap: float, edition: Edition) -> Said | None:
    """Why a player may not play a rated match, or nothing (§7; readings 73)."""
    if standing is None:
        return Said("match-not-eligible:unrated", {})
    constants = edition.constants
    games = math.inf if standing.games is None else standing.games
    if math.isnan(gap) or may_play_match(constants, games, gap):
        return None
    if math.fabs(gap) > constants.match_published_gap:
        values = {"apart": math.fabs(gap), "most": constants.match_published_gap}
        return Said("match-not-eligible:gap", values)
    values = {"games": games, "established_above": constants.established_above}
    return Said("match-not-eligible:provisional", values)


def _foreign_faults(section: ReportedSection, place: SectionPlace, edition: Edition) -> list[Fault]:
    rated = [player for player in section.players if player.is_rated]
    if not rated:
        return [fault("foreign-nobody", place.whole, "No player is marked to be rated.")]
    faults = []
    for player in rated:
        reason = why_not_abroad(player, edition)
        if reason is not None:
            faults.append(fault(reason.key, place.row(player), **reason.values))
    return faults


def why_not_abroad(player: ReportedPlayer, edition: Edition) -> Said | None:
    """Why a player's rating is not updated (§6); what the file does not say is not held against them."""
    constants = edition.constants
    standing = player.background.standings.get(RatingSystem.OTBR)
    if standing is None:
        return Said("foreign-not-eligible:unrated", {})
    if player.is_member is False:
        return Said("foreign-not-eligible:no-member", {})
    fide = math.nan if player.background.fide is None else player.background.fide.rating
    games = math.inf if standing.games is None else standing.games
    has_flag = player.fide_flag is None or player.fide_flag.upper() == "USA"
    if is_eligible(constants, games, fide, has_flag, player.has_opted_in is not False):
        return None
    if constants.foreign_needs_established and not is_established(constants, games):
        values = {"games": games, "established_above": constants.established_above}
        return Said("foreign-not-eligible:provisional", values)
    return Said("foreign-not-eligible:not-opted-in", {"automatic_from": constants.foreign_automatic_from})

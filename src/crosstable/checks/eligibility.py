"""Who may play a rated match (§7) and whose rating a foreign event updates (§6)."""

import math

from crosstable.catalogue import TEMPLATES
from crosstable.checks.controls import Timing
from crosstable.checks.findings import SectionPlace
from crosstable.engine.records import Assumption
from crosstable.errors import Fault
from crosstable.faults import Said, fault
from crosstable.formulas.foreign import is_eligible
from crosstable.formulas.outcome import may_play_match, official_rating
from crosstable.formulas.section import is_established
from crosstable.limits import MOST_GAMES_OF_A_MATCH, MOST_GAMES_OF_A_REPORT
from crosstable.rules.amending import Edition
from crosstable.terms import (
    GAME_SCORES,
    NOT_PUBLISHED,
    PlayerRating,
    RatingSystem,
    ReportedPlayer,
    ReportedSection,
    SectionType,
)


def eligible(
    section: ReportedSection, place: SectionPlace, edition: Edition, when: Timing
) -> tuple[Timing, list[Fault]]:
    """The systems in which a match or a foreign event may be rated, and every fault that the rules make."""
    if section.kind is not SectionType.MATCH:
        return when, _foreign_faults(section, place, edition)
    if len(section.players) != 2:
        return when, [fault("match-players", place.whole, players=len(section.players))]
    faults = _length_faults(section, place, edition)
    if section.match_waiver:
        return when, [*faults, fault("match-waived", place.whole, reason=section.match_waiver)]
    reasons = {system: _reasons(section, system, edition) for system in when.systems}
    left = tuple(system for system in when.systems if not reasons[system])
    for system, found in reasons.items():
        for player, reason in found:
            here, values = place.row(player), {"system": system.name, **reason.values}
            if left:
                why = TEMPLATES[reason.key].say(**values).text
                faults.append(fault("match-system", here, f"The match is not rated in {system.name}. {why}"))
            else:
                faults.append(fault(reason.key, here, **values))
    if left and left != when.systems:
        when = when._replace(systems=left, assumed=(*when.assumed, Assumption.MATCH_SYSTEMS))
    return when, faults


def _length_faults(section: ReportedSection, place: SectionPlace, edition: Edition) -> list[Fault]:
    """Matches of more games than US Chess's rules of 2006 for them know."""
    games = max(sum(cell.result in GAME_SCORES for cell in player.cells) for player in section.players)
    if not edition.constants.match_needs_established or games <= MOST_GAMES_OF_A_MATCH:
        return []
    return [fault("match-long" if games <= MOST_GAMES_OF_A_REPORT else "match-too-long", place.whole, games=games)]


def _reasons(section: ReportedSection, system: RatingSystem, edition: Edition) -> list[tuple[ReportedPlayer, Said]]:
    """Why a match is not rated in a system, player by player (§7; readings 73)."""
    standings = [player.background.standings.get(system) for player in section.players]
    gap = _published(standings[0]) - _published(standings[1])
    reasons = [(player, _why_not(one, gap, edition)) for player, one in zip(section.players, standings, strict=True)]
    return [(player, reason) for player, reason in reasons if reason is not None]


def _published(standing: PlayerRating | None) -> float:
    """The rating of the last list, or what the pre-event rating would be on one: a whole number (readings 80)."""
    if standing is None or standing.published == NOT_PUBLISHED:
        return math.nan
    return float(official_rating(standing.rating if standing.published is None else standing.published))


def _why_not(standing: PlayerRating | None, gap: float, edition: Edition) -> Said | None:
    """Why a player may not play a rated match, or nothing (§7; readings 73)."""
    if standing is None:
        return Said("match-not-eligible:unrated", {})
    if standing.published == NOT_PUBLISHED:
        return Said("match-not-eligible:not-published", {})
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
        elif player.has_opted_in and (needed := why_not_abroad(player._replace(has_opted_in=None), edition)):
            _, _, which = needed.key.partition(":")
            faults.append(fault(f"opted-in:{which}", place.row(player), **needed.values))
    return faults


def why_not_abroad(player: ReportedPlayer, edition: Edition) -> Said | None:
    """Why a player's rating is not updated (§6).

    That they are a member, and that their flag is USA, may be unknown to a file and is not held against them; that they
    opted in must be said where they are below the rating from which nobody has to, or under another flag.
    """
    constants = edition.constants
    standing = player.background.standings.get(RatingSystem.OTBR)
    if standing is None:
        return Said("foreign-not-eligible:unrated", {})
    if player.is_member is False:
        return Said("foreign-not-eligible:no-member", {})
    fide = math.nan if player.background.fide is None else player.background.fide.rating
    games = math.inf if standing.games is None else standing.games
    has_flag = player.fide_flag is None or player.fide_flag.upper() == "USA"
    if is_eligible(constants, games, fide, has_flag, bool(player.has_opted_in)):
        return None
    if constants.foreign_needs_established and not is_established(constants, games):
        values = {"games": games, "established_above": constants.established_above}
        return Said("foreign-not-eligible:provisional", values)
    if not has_flag:
        return Said("foreign-not-eligible:flag", {"flag": player.fide_flag})
    return Said("foreign-not-eligible:not-opted-in", {"automatic_from": constants.foreign_automatic_from})

"""What the pages so far show of one member in one system, and what that says of the next page.

Counts seen are lower bounds and serve the personal floor; an all-wins or all-losses past follows only when the games
seen are all the games the rating is based on. Peaks are the highest established figures seen. A game count is carried
past 25 games only while no other page can lie between: the next page starts where the last one ended. Where another
lies between, the count is not known, but a member whose count was seen twice has a pace of his own to go on with.
A floor seen in action is remembered until a rating below it shows that it was lowered.
"""

import math
from datetime import date
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.formulas.tally import is_established
from crosstable.rules.constants import Constants
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import Floor, FloorKind, MatchChange, PlayerRating, SectionType
from crosstable.verification.rows import Verdict, verdict_of


class Count(NamedTuple):
    """A game count and the end of the section after which it was seen."""

    on: date
    games: float


class Memory(NamedTuple):
    """What the pages so far show of one member in one system.

    ``first_count`` and ``last_count`` are the earliest and the latest count seen, ``since`` the games seen after the
    latest; ``sections`` and ``played`` say how long the member's sections usually are.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    events: int = 0
    peak: float = -math.inf
    peak_since_2010: float = -math.inf
    posted: float = math.nan
    first_count: Count | None = None
    last_count: Count | None = None
    since: int = 0
    sections: int = 0
    played: int = 0
    match_changes: tuple[MatchChange, ...] = ()
    floor: float = -math.inf


def remember(constants: Constants, standing: PlayerRating, memory: Memory) -> PlayerRating:
    """A standing of a page, completed by what was seen before."""
    games = known_count(constants, standing, memory)
    peak, since_2010 = memory.peak, memory.peak_since_2010
    if _is_established(constants, games):
        peak = max(peak, standing.rating)
    return standing._replace(
        games=games,
        wins=memory.wins,
        draws=memory.draws,
        losses=memory.losses,
        events=memory.events,
        peak=peak if math.isfinite(peak) else None,
        peak_since_2010=since_2010 if math.isfinite(since_2010) else None,
        match_changes=memory.match_changes,
        floors=_floors(standing, memory),
    )


def known_count(constants: Constants, standing: PlayerRating, memory: Memory) -> float | None:
    """The count of a standing: the page's own, or the last one seen where the page starts where that one ended."""
    if standing.games is not None or memory.last_count is None or memory.since:
        return standing.games
    follows_on = standing.rating == memory.posted and _is_established(constants, memory.last_count.games)
    return memory.last_count.games if follows_on else None


def expected_count(constants: Constants, memory: Memory, on: date) -> float | None:
    """The count an established member has reached by a day at his own pace; none unless it was seen on two days.

    A section that was not seen lies between, or the count would be known: it is taken to be as long as the member's
    sections usually are.
    """
    first, last = memory.first_count, memory.last_count
    if first is None or last is None or last.on <= first.on:
        return None
    pace = (last.games - first.games) / (last.on - first.on).days
    at_least = memory.since + memory.played / memory.sections
    return max(constants.established_above + 1.0, last.games + max(at_least, pace * (on - last.on).days))


def learned(
    memory: Memory, player: RatedPlayer, shown: PlayerRating | None, rated: RatedSection, posted: float
) -> Memory:
    """The memory with what a page shows; ``shown`` is the standing printed on it, without what was remembered."""
    section = rated.section
    results = [game.score for game in player.games]
    changes = memory.match_changes
    if section.kind is SectionType.MATCH and player.before is not None:
        changes = (*changes, MatchChange(section.end, posted - player.before.rating))
    constants = rated.edition.constants
    before = -math.inf if shown is None or not _is_established(constants, shown.games) else shown.rating
    has_three_games = len(results) >= constants.personal_event_games
    return memory._replace(
        games=memory.games + len(results),
        wins=memory.wins + results.count(1.0),
        draws=memory.draws + results.count(0.5),
        losses=memory.losses + results.count(0.0),
        events=memory.events + has_three_games + _merits_unseen(player, rated, posted),
        peak=max(memory.peak, before),
        posted=posted,
        since=memory.since + len(results),
        sections=memory.sections + 1,
        played=memory.played + len(results),
        match_changes=changes,
        floor=max(memory.floor, _floor_seen(player, rated, posted)),
    )


def with_count(constants: Constants, memory: Memory, count: float | None, section_end: date) -> Memory:
    """The memory with the count after a section, where it is known, and the peak that its posted figure may be."""
    if count is not None:
        seen = Count(section_end, count)
        memory = memory._replace(first_count=memory.first_count or seen, last_count=seen, since=0)
    if not _is_established(constants, count):
        return memory
    since_2010 = memory.peak_since_2010
    if section_end >= PEAKS_COUNT_FROM:
        since_2010 = max(since_2010, memory.posted)
    return memory._replace(peak=max(memory.peak, memory.posted), peak_since_2010=since_2010)


def with_past_shown(constants: Constants, memory: Memory, player: RatedPlayer, posted: float) -> Memory:
    """Losses that leave a rating where it was show that all games before were losses, and wins likewise (§4.1)."""
    before = player.before
    if before is None or before.games is None or posted != before.rating or is_established(constants, before.games):
        return memory
    games = int(before.games)
    if player.score == 0.0:
        return memory._replace(games=games, wins=0, draws=0, losses=games)
    if player.score == len(player.games):
        return memory._replace(games=games, wins=games, draws=0, losses=0)
    return memory


def _is_established(constants: Constants, count: float | None) -> bool:
    return count is None or is_established(constants, count)


def _floors(standing: PlayerRating, memory: Memory) -> tuple[Floor, ...]:
    """The floors of a standing with the one seen in action; a rating below it shows that it was lowered since."""
    if math.isinf(memory.floor) or standing.rating < memory.floor:
        return standing.floors
    return (*standing.floors, Floor(FloorKind.OFFICE, memory.floor))


def _merits_unseen(player: RatedPlayer, rated: RatedSection, posted: float) -> int:
    """By how much a personal floor seen in action is above what the games seen give: wins, draws and events unseen.

    The personal floor only ever rises (§5), so what it was above the games seen it stays above them.
    """
    constants = rated.edition.constants
    is_used = constants.personal_floor_is_used and not rated.system.is_online
    is_personal = player.outcome.floor_kind in (FloorKind.PERSONAL, FloorKind.ABSOLUTE)
    is_low = is_personal and posted <= constants.personal_floor_top
    if not is_used or not is_low or player.after is None:
        return 0
    return max(0, round(posted - player.after.rating))


def _floor_seen(player: RatedPlayer, rated: RatedSection, posted: float) -> float:
    """The level at which a page shows this player stopped, minus infinity if it does not."""
    constants = rated.edition.constants
    if player.before is None or player.after is None or posted <= constants.personal_floor_top:
        return -math.inf
    verdict = verdict_of(constants, player.before.rating, player.after.rating, posted)
    return posted if verdict is Verdict.AT_FLOOR else -math.inf

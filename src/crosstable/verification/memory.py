"""What the pages so far show of one member in one system, and what that says of the next page.

Counts seen are lower bounds and serve the personal floor; an all-wins or all-losses past follows only when the games
seen are all the games the rating is based on. Peaks are the highest established figures seen. A game count is carried
past 25 games only while no other page can lie between: the next page starts where the last one ended. Where another
lies between, the count is not known, but a member whose count was seen twice has a pace of their own to go on with.
What a page does to the record is the engine's text, with the rating that was posted. A floor seen in action is
remembered until a rating below it shows that it was lowered.
"""

import math
from datetime import date
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.engine.after import counted, system_section, unrated_record
from crosstable.engine.numbers import numbers_of
from crosstable.formulas.outcome import peak_floor
from crosstable.formulas.section import is_established, share_of
from crosstable.rules.constants import Constants
from crosstable.terms import Floor, FloorKind, PlayerRating, Posted
from crosstable.verification.pages import Verdict, verdict_of


class Count(NamedTuple):
    """A game count and the end of the section after which it was seen."""

    on: date
    games: float


class Memory(NamedTuple):
    """What the pages so far show of one member in one system.

    ``record`` is the rating record that they lead to, with the last posted rating. ``first_count`` and ``last_count``
    are the earliest and the latest game count seen, ``since`` the games seen after the latest; ``sections`` and
    ``played`` say how long the member's sections usually are.
    """

    record: PlayerRating = unrated_record(0.0)
    first_count: Count | None = None
    last_count: Count | None = None
    since: int = 0
    sections: int = 0
    played: int = 0
    floor: float = -math.inf


def remember(constants: Constants, standing: PlayerRating, memory: Memory) -> PlayerRating:
    """A record of a page, completed by what was seen before."""
    games, seen = known_count(constants, standing, memory), _not_refuted(constants, standing, memory.record)
    peak = seen.peak
    if _is_established(constants, games):
        peak = standing.rating if peak is None else max(peak, standing.rating)
    return standing._replace(
        games=games,
        wins=seen.wins,
        draws=seen.draws,
        losses=seen.losses,
        events=seen.events,
        peak=peak,
        peak_since_2010=seen.peak_since_2010,
        match_changes=seen.match_changes,
        floors=_floors(standing, memory),
    )


def _not_refuted(constants: Constants, standing: PlayerRating, seen: PlayerRating) -> PlayerRating:
    """The record seen without peaks whose floor is above the rating that a page now shows: that refutes them (§5)."""
    peaks = (math.nan if peak is None else peak for peak in (seen.peak, seen.peak_since_2010))
    if standing.rating < peak_floor(constants, *peaks):
        return seen._replace(peak=None, peak_since_2010=None)
    return seen


def known_count(constants: Constants, standing: PlayerRating, memory: Memory) -> float | None:
    """The count of a standing: the page's own, or the last one seen where the page starts where that one ended."""
    if standing.games is not None or memory.last_count is None or memory.since:
        return standing.games
    follows_on = standing.rating == memory.record.rating and _is_established(constants, memory.last_count.games)
    return memory.last_count.games if follows_on else None


def expected_count(constants: Constants, memory: Memory, on: date) -> float | None:
    """The count an established member has reached by a day at their own pace; none unless it was seen on two days.

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
    memory: Memory, player: RatedPlayer, shown: PlayerRating | None, rated: RatedSection, posted: Posted
) -> Memory:
    """The memory with what a page shows; ``shown`` is the record printed on it, without what was remembered."""
    constants, at = rated.edition.constants, system_section(rated.section, rated.system, rated.edition)
    count = _count_after(constants, memory, player, shown, posted)
    before = memory.record._replace(rating=math.nan) if shown is None else remember(constants, shown, memory)
    results = [game.score for game in player.games]
    played = (results.count(1.0), results.count(0.5), results.count(0.0))
    if count is not None:  # what the section adds leads to the count that is known
        before = before._replace(games=count - share_of(at.facts, *played).counted)
    after = counted(at, before, numbers_of(before), played, posted.rating)
    if after.peak_since_2010 is None and at.facts.counts_since_2010 and _is_established(constants, after.games):
        after = after._replace(peak_since_2010=posted.rating)  # the first that was seen since then
    memory = memory._replace(
        record=after._replace(events=(after.events or 0) + _merits_unseen(player, rated, posted.rating)),
        since=memory.since + len(results),
        sections=memory.sections + 1,
        played=memory.played + len(results),
        floor=max(_floor_kept(memory, shown), _floor_seen(player, rated, posted.rating)),
    )
    if count is None:
        return memory
    seen = Count(rated.section.end, count)
    return memory._replace(first_count=memory.first_count or seen, last_count=seen, since=0)


def _count_after(
    constants: Constants, memory: Memory, player: RatedPlayer, shown: PlayerRating | None, posted: Posted
) -> float | None:
    """The count after a page: its own, or the computed one where the count before is known."""
    is_known = shown is None or known_count(constants, shown, memory) is not None
    if posted.games is None and player.after is not None and is_known:
        return player.after.games
    return posted.games


def with_past_shown(constants: Constants, memory: Memory, player: RatedPlayer, posted: float) -> Memory:
    """Losses that leave a rating where it was show that all games before were losses, and wins likewise (§4.1)."""
    before = player.before
    if before is None or before.games is None or posted != before.rating or is_established(constants, before.games):
        return memory
    games = int(before.games)
    if player.score == 0.0:
        return with_past(memory, wins=0, losses=games)
    return with_past(memory, wins=games, losses=0) if player.score == len(player.games) else memory


def with_past(memory: Memory, wins: int, losses: int) -> Memory:
    """The memory of a member whose games so far were all won, or all lost."""
    return memory._replace(record=memory.record._replace(wins=wins, draws=0, losses=losses))


def _is_established(constants: Constants, count: float | None) -> bool:
    return count is None or is_established(constants, count)


def _floors(standing: PlayerRating, memory: Memory) -> tuple[Floor, ...]:
    """The floors of a standing with the one seen in action."""
    floor = _floor_kept(memory, standing)
    return standing.floors if math.isinf(floor) else (*standing.floors, Floor(FloorKind.OFFICE, floor))


def _floor_kept(memory: Memory, shown: PlayerRating | None) -> float:
    """The floor seen in action; a rating below it shows that it was lowered since, and it is forgotten."""
    return -math.inf if shown is not None and shown.rating < memory.floor else memory.floor


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

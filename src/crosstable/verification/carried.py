"""Carried state: the archive is a history, so what a member's earlier pages show is used on later ones.

Pages are met in the order of the replay, and only pages before are looked at. What they show for certain is kept apart
from the counts they lead one to expect: a row with an expected count is never one on which nothing is hidden. Where an
earlier posted figure is explained only by an all-wins or all-losses past, that past is remembered too.

What the pages so far show of one member in one system, and what that says of the next page. Counts seen are lower
bounds and serve the personal floor; an all-wins or all-losses past follows only when the games seen are all the games
the rating is based on. Peaks are the highest established figures seen. A game count is carried past 25 games only
while no other page can lie between: the next page starts where the last one ended. Where another lies between, the
count is not known, but a member whose count was seen twice has a pace of their own to go on with. What a page does to
the record is the engine's text, with the rating that was posted. A floor seen in action is remembered until a rating
below it shows that it was lowered.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.engine.after import count_matters, counted, system_section, unrated_record
from crosstable.engine.records import numbers_of
from crosstable.formulas.outcome import fewest_established, is_established, peak_floor
from crosstable.formulas.section import share_of
from crosstable.record_rows import CareerRow, MemberPage
from crosstable.rules.constants import Constants
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import Background, Floor, FloorKind, PlayerRating, Posted, RatingSystem
from crosstable.verification.causes import ALL_LOSSES, ALL_WINS, Change
from crosstable.verification.pages import Page, Verdict, circle, verdict_of


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


class Carried:
    """The memory of all members, filled page by page in the order of the replay."""

    def __init__(self, members: Iterable[MemberPage] = ()) -> None:
        self._memories: dict[tuple[str, RatingSystem, float], Memory] = {}
        self._pages: dict[str, list[MemberPage]] = {}
        for page in members:
            self._pages.setdefault(page.member_id, []).append(page)

    def backgrounds(self, page: Page) -> dict[int, Background]:
        """What each player brought, with what earlier pages show of them."""
        found = {}
        for number, background in page.backgrounds.items():
            standing = background.standings.get(page.system)
            if standing is not None:
                memory = self._memory(page, number)
                if memory is not None:
                    standing = remember(page.checked.edition.constants, standing, memory)
                for one in self._pages.get(page.players[number].member_id, ()):
                    standing = with_career(page, standing, one)
                background = with_standing(background, page.system, standing)
            found[number] = background
        return found

    def expected(self, page: Page, backgrounds: Mapping[int, Background]) -> dict[int, Background]:
        """The same, with the counts that are not known where a member's own pace leads one to expect them."""
        found = dict(backgrounds)
        for number, background in backgrounds.items():
            standing = background.standings.get(page.system)
            memory = self._memory(page, number)
            if standing is not None and standing.games is None and memory is not None:
                constants, start = page.checked.edition.constants, page.checked.section.start
                standing = standing._replace(games=expected_count(constants, memory, start))
                found[number] = with_standing(background, page.system, standing)
        return found

    def earlier(self, page: Page) -> dict[int, float]:
        """What the last page before posted for each rated player of this page."""
        found = {}
        for number, player in page.players.items():
            memory = self._memory(page, number)
            if memory is not None and page.system in player.background.standings:
                found[number] = memory.record.rating
        return found

    def learn(self, page: Page, rated: RatedSection, changes: Sequence[Change]) -> None:
        """Take in what a page shows; the second row of a re-entry adds nothing."""
        for change in changes:
            if change.cause in (ALL_WINS, ALL_LOSSES):
                self._learn_past(page, change)
        shown = page.backgrounds
        for player in rated.players:
            posted = page.players[player.number].posted.get(page.system)
            if posted is None or not player.games or any(other < player.number for other in player.merged_with):
                continue
            self._learn_row(page, rated, player, shown[player.number].standings.get(page.system), posted)

    def _learn_row(
        self, page: Page, rated: RatedSection, player: RatedPlayer, shown: PlayerRating | None, posted: Posted
    ) -> None:
        memory = self._memory(page, player.number) or Memory()
        memory = with_past_shown(rated.edition.constants, memory, player, posted.rating)
        self._memories[_key(page, player.number)] = learned(memory, player, shown, rated, posted)

    def _learn_past(self, page: Page, change: Change) -> None:
        assert isinstance(change.fact, PlayerRating)
        memory = self._memory(page, change.number) or Memory()
        past = with_past(memory, change.fact.wins or 0, change.fact.losses or 0)
        self._memories[_key(page, change.number)] = past

    def _memory(self, page: Page, number: int) -> Memory | None:
        return self._memories.get(_key(page, number))


def _key(page: Page, number: int) -> tuple[str, RatingSystem, float]:
    """Whose memory: ratings with the online fault and those after its repair are two records (readings 103)."""
    return page.players[number].member_id, page.system, page.checked.edition.constants.k_effective_weight


def with_career(page: Page, standing: PlayerRating, member: MemberPage) -> PlayerRating:
    """A record with the peaks of a member's history before a page, and a floor that was published by then (§5).

    A floor above the rating that the page shows is refuted by it, and so is the peak behind it.
    """
    constants, start = page.checked.edition.constants, page.checked.section.start
    published = member.standings.get(page.system)
    if published is not None and published.as_of is not None and published.as_of <= start:
        floors = tuple(floor for floor in published.floors if floor.level <= standing.rating)
        standing = standing._replace(floors=(*standing.floors, *floors))
    if standing.games is not None and not is_established(constants, standing.games):
        return standing
    rows = [row for row in member.career if row.system is page.system and row.on < start and _was_established(row)]
    peak = max([row.after.rating for row in rows], default=math.nan)
    newer = max([row.after.rating for row in rows if row.on >= PEAKS_COUNT_FROM], default=math.nan)
    if math.isnan(peak) or standing.rating < peak_floor(constants, peak, newer):
        return standing
    newer = standing.rating if math.isnan(newer) else newer
    return standing._replace(
        peak=max(peak, standing.peak or peak), peak_since_2010=max(newer, standing.peak_since_2010 or newer)
    )


def _was_established(row: CareerRow) -> bool:
    """Whether a rating was established before an event and after it: neither shows a count."""
    return row.before is not None and row.before.games is None and row.after.games is None


def with_standing(background: Background, system: RatingSystem, standing: PlayerRating) -> Background:
    """A background with another record in one system."""
    return background._replace(standings={**background.standings, system: standing})


def are_inputs_known(page: Page, backgrounds: Mapping[int, Background], number: int) -> bool:
    """Whether nothing that bears on a row is hidden: counts that matter, and pasts of provisional players."""
    return all(_is_known(page, backgrounds[one].standings.get(page.system)) for one in circle(page, {number}, 2))


def _is_known(page: Page, standing: PlayerRating | None) -> bool:
    if standing is None:
        return False
    constants = page.checked.edition.constants
    if standing.games is None:
        return not count_matters(constants, standing.rating)
    if is_established(constants, standing.games):
        return True
    wins, draws, losses = standing.wins or 0, standing.draws or 0, standing.losses or 0
    is_complete = wins + draws + losses == standing.games
    is_mixed = bool(draws) or bool(wins and losses)
    return is_complete or is_mixed


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
    return max(fewest_established(constants), last.games + max(at_least, pace * (on - last.on).days))


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

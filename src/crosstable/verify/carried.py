"""Carried state: the archive is a history, so what a member's earlier pages show is used on later ones.

Counts seen are lower bounds and serve the personal floor; an all-wins or all-losses past follows only when the games
seen are all the games the rating is based on. Peaks are the highest established figures seen. A game count is carried
past 25 games only while no other page can lie between: the next page starts where the last one ended. A floor seen in
action is remembered until a rating below it shows that it was lowered. Where an earlier posted figure is explained only
by an all-wins or all-losses past, that past is remembered too.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.engine.after import PEAKS_COUNT_FROM
from crosstable.formulas.effective import most_effective_games
from crosstable.terms import Background, Floor, FloorKind, MatchChange, RatingSystem, SectionType, Standing
from crosstable.verify.causes import ALL_LOSSES, ALL_WINS, Change
from crosstable.verify.pages import Page, circle
from crosstable.verify.rows import LOWEST_FLOORS, Verdict, verdict_of

ESTABLISHED_ABOVE = 25.0


class Memory(NamedTuple):
    """What the pages so far show of one member in one system."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    events: int = 0
    peak: float = -math.inf
    peak_since_2010: float = -math.inf
    posted: float = math.nan
    known_count: float | None = None
    match_changes: tuple[MatchChange, ...] = ()
    floor: float = -math.inf


class Carried:
    """The memory of all members, filled page by page in the order of the fold."""

    def __init__(self) -> None:
        self._memories: dict[tuple[str, RatingSystem], Memory] = {}

    def backgrounds(self, page: Page) -> dict[int, Background]:
        """What each player brought, with what earlier pages show of him."""
        found = {}
        for number, background in page.checked.backgrounds.items():
            standing = background.standings.get(page.system)
            memory = self._memories.get((page.players[number].member_id, page.system))
            if standing is not None:
                if memory is not None:
                    standing = remember(standing, memory)
                background = background._replace(standings={**background.standings, page.system: standing})
            found[number] = background
        return found

    def earlier(self, page: Page) -> dict[int, float]:
        """What the last page before posted for each rated player of this page."""
        found = {}
        for number, player in page.players.items():
            memory = self._memories.get((player.member_id, page.system))
            if memory is not None and page.system in player.background.standings:
                found[number] = memory.posted
        return found

    def learn(self, page: Page, rated: RatedSection, changes: Sequence[Change]) -> None:
        """Take in what a page shows; the second row of a re-entry adds nothing."""
        for change in changes:
            if change.cause in (ALL_WINS, ALL_LOSSES):
                self._learn_past(page, change)
        for player in rated.players:
            posted = page.players[player.number].posted.get(page.system)
            if posted is None or not player.games or any(other < player.number for other in player.merged_with):
                continue
            key = (player.member_id, page.system)
            memory = _past_shown(self._memories.get(key, Memory()), player, posted.rating)
            self._memories[key] = _learned(memory, player, rated, posted.rating, posted.games)

    def _learn_past(self, page: Page, change: Change) -> None:
        key = (page.players[change.number].member_id, page.system)
        before = change.standing
        memory = self._memories.get(key, Memory())
        self._memories[key] = memory._replace(
            games=int(before.games or 0), wins=before.wins or 0, draws=0, losses=before.losses or 0
        )


def are_inputs_known(page: Page, backgrounds: Mapping[int, Background], number: int) -> bool:
    """Whether nothing that bears on a row is hidden: counts that matter, and pasts of provisional players."""
    return all(_is_known(page, backgrounds[one].standings.get(page.system)) for one in circle(page, {number}, 2))


def _is_known(page: Page, standing: Standing | None) -> bool:
    if standing is None:
        return False
    if standing.games is None:
        return most_effective_games(page.checked.edition.constants, standing.rating) <= ESTABLISHED_ABOVE + 1.0
    if standing.games > ESTABLISHED_ABOVE:
        return True
    wins, draws, losses = standing.wins or 0, standing.draws or 0, standing.losses or 0
    is_complete = wins + draws + losses == standing.games
    is_mixed = bool(draws) or bool(wins and losses)
    return is_complete or is_mixed


def _past_shown(memory: Memory, player: RatedPlayer, posted: float) -> Memory:
    """Losses that leave a rating where it was show that all games before were losses, and wins likewise (§4.1)."""
    before = player.before
    if before is None or before.games is None or before.games > ESTABLISHED_ABOVE or posted != before.rating:
        return memory
    games = int(before.games)
    if player.score == 0.0:
        return memory._replace(games=games, wins=0, draws=0, losses=games)
    if player.score == len(player.games):
        return memory._replace(games=games, wins=games, draws=0, losses=0)
    return memory


def remember(standing: Standing, memory: Memory) -> Standing:
    """A standing of a page, completed by what was seen before."""
    follows_on = standing.rating == memory.posted
    games = standing.games
    if games is None and follows_on:
        games = memory.known_count
    peak, since_2010 = memory.peak, memory.peak_since_2010
    if games is None or games > ESTABLISHED_ABOVE:
        peak, since_2010 = max(peak, standing.rating), max(since_2010, -math.inf)
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


def _floors(standing: Standing, memory: Memory) -> tuple[Floor, ...]:
    """The floors of a standing with the one seen in action; a rating below it shows that it was lowered since."""
    if math.isinf(memory.floor) or standing.rating < memory.floor:
        return standing.floors
    return (*standing.floors, Floor(FloorKind.OFFICE, memory.floor))


def _learned(memory: Memory, player: RatedPlayer, rated: RatedSection, posted: float, count: float | None) -> Memory:
    section = rated.section
    results = [game.score for game in player.games]
    changes = memory.match_changes
    if section.kind is SectionType.MATCH and player.before is not None:
        changes = (*changes, MatchChange(section.end, posted - player.before.rating))
    is_established = count is None or count > ESTABLISHED_ABOVE
    peak = posted if is_established else -math.inf
    return Memory(
        games=memory.games + len(results),
        wins=memory.wins + results.count(1.0),
        draws=memory.draws + results.count(0.5),
        losses=memory.losses + results.count(0.0),
        events=memory.events + (len(results) >= rated.edition.constants.personal_event_games),
        peak=max(memory.peak, peak),
        peak_since_2010=max(memory.peak_since_2010, peak) if _counts(section.end) else memory.peak_since_2010,
        posted=posted,
        known_count=count if count is not None else _known_count(player),
        match_changes=changes,
        floor=max(memory.floor, _floor_seen(player, rated, posted)),
    )


def _floor_seen(player: RatedPlayer, rated: RatedSection, posted: float) -> float:
    """The level at which a page shows this player stopped, minus infinity if it does not."""
    if player.before is None or player.after is None or posted <= LOWEST_FLOORS:
        return -math.inf
    verdict = verdict_of(player.before.rating, player.after.rating, posted, rated.section.start)
    return posted if verdict is Verdict.AT_FLOOR else -math.inf


def _counts(end: date) -> bool:
    return end >= PEAKS_COUNT_FROM


def _known_count(player: RatedPlayer) -> float | None:
    """The count after the section where the one before was known."""
    return None if player.after is None else player.after.games

"""Carried state: the archive is a history, so what a member's earlier pages show is used on later ones.

Pages are met in the order of the replay, and only pages before are looked at. What they show for certain is kept apart
from the counts they lead one to expect: a row with an expected count is never one on which nothing is hidden. Where an
earlier posted figure is explained only by an all-wins or all-losses past, that past is remembered too.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.formulas.outcome import peak_floor
from crosstable.formulas.section import is_established
from crosstable.formulas.standard import most_effective_games
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import Background, CareerRow, MemberPage, PlayerRating, Posted, RatingSystem
from crosstable.verification.causes import ALL_LOSSES, ALL_WINS, Change
from crosstable.verification.memory import Memory, expected_count, learned, remember, with_past, with_past_shown
from crosstable.verification.pages import Page, circle


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
        for number, background in page.checked.backgrounds.items():
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
        for player in rated.players:
            posted = page.players[player.number].posted.get(page.system)
            if posted is None or not player.games or any(other < player.number for other in player.merged_with):
                continue
            self._learn_row(page, rated, player, posted)

    def _learn_row(self, page: Page, rated: RatedSection, player: RatedPlayer, posted: Posted) -> None:
        shown = page.checked.backgrounds[player.number].standings.get(page.system)
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
    rows = [row for row in member.career if row.system is page.system and row.on < start and _is_established(row)]
    peak = max([row.after.rating for row in rows], default=math.nan)
    newer = max([row.after.rating for row in rows if row.on >= PEAKS_COUNT_FROM], default=math.nan)
    if math.isnan(peak) or standing.rating < peak_floor(constants, peak, newer):
        return standing
    newer = standing.rating if math.isnan(newer) else newer
    return standing._replace(
        peak=max(peak, standing.peak or peak), peak_since_2010=max(newer, standing.peak_since_2010 or newer)
    )


def _is_established(row: CareerRow) -> bool:
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
        return most_effective_games(constants, standing.rating) <= constants.established_above + 1.0
    if is_established(constants, standing.games):
        return True
    wins, draws, losses = standing.wins or 0, standing.draws or 0, standing.losses or 0
    is_complete = wins + draws + losses == standing.games
    is_mixed = bool(draws) or bool(wins and losses)
    return is_complete or is_mixed

"""Trials: rate a page again with one unknown fact changed, and nothing else built anew.

The causes of a difference and the fitting of starts try thousands of values; a trial changes a player's columns and
runs the same five steps and outcomes as the engine, without the records that an explanation would need.
"""

import math
from collections.abc import Mapping

from crosstable.engine.after import newcomer
from crosstable.engine.competitors import competitors
from crosstable.engine.rating import Prepared, blank_sheet, columns, k_rule, outcome_of, prepare
from crosstable.formulas.steps import five_steps, past_of
from crosstable.terms import Background, GivenStart, Past, PlayerRating
from crosstable.verification.pages import Page


class Trials:
    """A page made ready once, to be rated many times."""

    def __init__(self, page: Page, backgrounds: Mapping[int, Background]) -> None:
        self._page = page
        section, edition = page.checked.section, page.checked.edition
        who = competitors(section, backgrounds)
        self.players = [prepare(one, section, page.system, edition, is_needed=True) for one in who]
        self.position = {entry.number: at for at, one in enumerate(who) for entry in one.entries}
        self._field = columns(section, self.players, edition)
        self._sheet = blank_sheet(len(self._field.prior), len(self._field.opponent))
        self._rule = k_rule(section, page.system)

    def with_fact(self, number: int, fact: PlayerRating | GivenStart) -> None:
        """Let a player have brought this standing, or have started so."""
        if isinstance(fact, PlayerRating):
            self.with_standing(number, fact)
        else:
            self.with_start(number, fact)

    def with_standing(self, number: int, standing: PlayerRating) -> None:
        """Let a rated player have brought this standing instead."""
        at = self.position[number]
        games = float("inf") if standing.games is None else standing.games
        past = Past.MIXED
        if standing.wins is not None and standing.losses is not None:
            draws = math.nan if standing.draws is None else float(standing.draws)
            past = past_of(games, float(standing.wins), draws, float(standing.losses))
        self._put(at, self.players[at]._replace(standing=standing, prior=standing.rating, games=games, past=past))

    def with_start(self, number: int, start: GivenStart) -> None:
        """Let an unrated player have started so."""
        at = self.position[number]
        prepared = self.players[at]._replace(standing=newcomer(start.games), prior=start.rating, games=start.games)
        self._put(at, prepared)

    def put_back(self, number: int, prepared: Prepared) -> None:
        """Undo a change."""
        self._put(self.position[number], prepared)

    def prepared(self, number: int) -> Prepared:
        """A player as he stands now."""
        return self.players[self.position[number]]

    def _put(self, at: int, prepared: Prepared) -> None:
        self.players[at] = prepared
        field = self._field
        for column, value in (
            (field.prior, prepared.prior),
            (field.games, prepared.games),
            (field.past, prepared.past),
        ):
            assert isinstance(column, list)
            column[at] = value
        assert isinstance(field.starts_at_zero, list)
        field.starts_at_zero[at] = prepared.start is not None and prepared.games == 0.0

    def ratings(self) -> list[float]:
        """The ratings that stand, by position."""
        page, checked = self._page, self._page.checked
        five_steps(checked.edition.constants, self._rule, self._field, self._sheet)
        computed = self._sheet.final.computed
        return [
            outcome_of(player, computed[at], checked.section, page.system, checked.edition).rating
            for at, player in enumerate(self.players)
        ]

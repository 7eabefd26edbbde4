"""Trials: rate a page again with one unknown fact changed, and nothing else built anew.

The causes of a difference and the fitting of starts try thousands of values; a trial changes a player's columns and
runs the same five steps and outcomes as the engine, without the records that an explanation would need.
"""

from collections.abc import Mapping

from crosstable.engine.after import Prepared, blank_sheet, columns, lay_player, system_section, unrated_record
from crosstable.engine.competitors import competitors
from crosstable.engine.numbers import numbers_of
from crosstable.engine.rating import prepare, result_of, rule_of
from crosstable.formulas.initial import given_start
from crosstable.formulas.steps import five_steps
from crosstable.terms import Background, GivenStart, PlayerRating
from crosstable.verification.pages import Page


class Trials:
    """A page made ready once, to be rated many times."""

    def __init__(self, page: Page, backgrounds: Mapping[int, Background]) -> None:
        section, edition = page.checked.section, page.checked.edition
        who = competitors(section, backgrounds)
        self._at = system_section(section, page.system, edition)
        self.players = [prepare(self._at, one, is_needed=True) for one in who]
        self.position = {entry.number: at for at, one in enumerate(who) for entry in one.entries}
        self._field = columns(self._at, self.players)
        self._sheet = blank_sheet(len(self._field.prior), len(self._field.opponent))
        self._rule = rule_of(section, page.system)

    def with_fact(self, number: int, fact: PlayerRating | GivenStart) -> None:
        """Let a player have brought this rating record, or have started so."""
        if isinstance(fact, PlayerRating):
            self.with_record(number, fact)
        else:
            self.with_start(number, fact)

    def with_record(self, number: int, record: PlayerRating) -> None:
        """Let a rated player have brought this rating record instead."""
        at = self.position[number]
        self._put(at, self.players[at]._replace(record=record, numbers=numbers_of(record)))

    def with_start(self, number: int, start: GivenStart) -> None:
        """Let an unrated player have started so."""
        at = self.position[number]
        player, record = self.players[at], unrated_record(start.games)
        assert player.start is not None
        begun = player.start._replace(initial=given_start(*start))
        self._put(at, player._replace(record=record, numbers=numbers_of(record), start=begun))

    def put_back(self, number: int, prepared: Prepared) -> None:
        """Undo a change."""
        self._put(self.position[number], prepared)

    def prepared(self, number: int) -> Prepared:
        """A player with what they now bring."""
        return self.players[self.position[number]]

    def _put(self, at: int, prepared: Prepared) -> None:
        self.players[at] = prepared
        lay_player(self._field, at, prepared)

    def computed(self) -> list[float]:
        """What is computed, before floors and storage, by position."""
        five_steps(self._at.edition.constants, self._rule, self._field, self._sheet)
        return list(self._sheet.final.computed)

    def ratings(self) -> list[float]:
        """The ratings that stand, by position."""
        prior, computed = self._field.prior, self.computed()
        return [result_of(self._at, player, prior[at], computed[at]).rating for at, player in enumerate(self.players)]

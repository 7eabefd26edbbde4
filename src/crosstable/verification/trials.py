"""Trials: rate a page again with a fact or a result changed, and only what the change can move.

The causes of a difference, the fitting of starts and the audit try thousands of values. A trial changes what a player
brings and runs the same steps and outcomes as the engine, over the players whom the change reaches: their opponents in
Step 4, the opponents of those in Step 5, and one game further where a first estimate of Step 3 lies between (§1).
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from crosstable.engine.after import (
    blank_sheet,
    columns,
    lay_player,
    limits_of,
    system_section,
    unrated_record,
)
from crosstable.engine.rating import prepare, rule_of
from crosstable.engine.records import numbers_of
from crosstable.engine.starts import Competitor, competitors
from crosstable.formulas.initial import given_start
from crosstable.formulas.section import Limits, Share, lay_results, section_outcome, share_of
from crosstable.formulas.standard import effective_games, odds
from crosstable.formulas.steps import Field, Sheet, formula_for, one_pass, section_k, step_2, step_3
from crosstable.terms import Background, Formula, GivenStart, Past, PlayerRating
from crosstable.verification.pages import Page, is_of_old_program, stored_by_pass
from crosstable.verification.slopes import Effect, Slopes, special_effect, standard_effect

NOTHING: Mapping[int, float] = {}
# Looking after so many players who stay as they are takes as long as rating one.
UNMOVED = 4
# One in so many of all players are so many that everybody may as well be rated.
MOST = 1.25


class Layout(NamedTuple):
    """A part of a field, to be rated many times: who is where, the first of them with games, and a sheet for it."""

    order: list[int]
    first: list[int]
    opponent: list[int]
    sheet: Sheet


class Trials:
    """A page made ready once, to be rated many times."""

    def __init__(self, page: Page, backgrounds: Mapping[int, Background], players: Sequence[Competitor] = ()) -> None:
        section, edition = page.checked.section, page.checked.edition
        who = players or competitors(section.with_backgrounds(backgrounds))
        met = {side.opponent for one in who for side in one.sides}
        self._at = system_section(section, page.system, edition)
        # Ratings and given starts are brought whatever the edition, other starts are not.
        brought = {
            at: one for at, one in enumerate(players) if one.start is None or one.background.given_start is not None
        }
        self.players = [
            brought.get(at) or prepare(self._at, one, is_needed=bool(one.sides) or at in met)
            for at, one in enumerate(who)
        ]
        self.position = {entry.number: at for at, one in enumerate(who) for entry in one.entries}
        self._rule = rule_of(section, page.system)
        self._is_of_old_program = is_of_old_program(page)
        self._field = columns(self._at, self.players)
        self._opponents = [[side.opponent for side in one.sides] for one in who]
        self._met_by: list[set[int]] = [set() for _ in who]
        for at, opponents in enumerate(self._opponents):
            for other in opponents:
                self._met_by[other].add(at)
        self._sheet = blank_sheet(len(who), len(self._field.opponent))
        step_2(edition.constants, self._field, self._sheet)
        self._strength, self._middle, self._computed, self._ratings = ([math.nan] * len(who) for _ in range(4))
        self._stale, self._unsettled = set(range(len(who))), set(range(len(who)))
        self._posted, self._turned = [one.sides for one in who], set[int]()
        self._held: dict[int, tuple[Share, Limits]] = {}
        self._layouts: dict[frozenset[int], Layout] = {}
        self.rated = 0  # players rated so far, a measure of time that every machine agrees on

    def with_fact(self, number: int, fact: PlayerRating | GivenStart) -> None:
        """Let a player have brought this rating record, or have started so."""
        self._put(self.position[number], self.brought(number, fact))

    def with_start(self, number: int, start: GivenStart) -> None:
        """Let an unrated player have started so."""
        self.with_fact(number, start)

    def put_back(self, number: int, prepared: Competitor) -> None:
        """Let a player come so again."""
        self._put(self.position[number], prepared)

    def prepared(self, number: int) -> Competitor:
        """A player with what they now bring."""
        return self.players[self.position[number]]

    def brought(self, number: int, fact: PlayerRating | GivenStart) -> Competitor:
        """A player with this rating record, or this start, instead."""
        player = self.prepared(number)
        if isinstance(fact, PlayerRating):
            return player._replace(record=fact, numbers=numbers_of(fact))
        assert player.start is not None
        begun = player.start._replace(initial=given_start(fact.rating, fact.games))
        if fact.games == player.record.games:
            return player._replace(start=begun)
        record = unrated_record(fact.games)
        return player._replace(record=record, numbers=numbers_of(record), start=begun)

    def computed(self) -> list[float]:
        """What is computed, before floors and storage, by position."""
        changed, self._stale = self._stale, set()
        moved = _laid(self._strength, self._strengths(changed))
        middle = self._passed(changed | self._meeting(moved), self._strength)
        moved = _laid(self._middle, {at: rating for at, (_, rating) in middle.items()})
        final = self._passed(changed | self._meeting(moved), self._middle)
        self._unsettled |= _laid(self._computed, {at: computed for at, (computed, _) in final.items()})
        return list(self._computed)

    def slopes(self) -> Slopes:
        """How what is computed follows strengths at the values of now, step by step (§1)."""
        self.computed()
        self.rated += len(self.players) // UNMOVED
        field, constants = self._field, self._at.edition.constants
        estimates = []
        for at, is_zero in enumerate(field.starts_at_zero):
            if is_zero:
                record = field.prior[at], constants.step_3_games, Past.MIXED
                met = [(other, field.prior[other]) for other in self._opponents[at]]
                estimates.append(special_effect(constants, at, record, self._strength[at], met))
        middle = self._effects(self._strength, self._middle)
        lifted = {at for at, rating in enumerate(self._middle) if rating <= constants.absolute_floor}
        middle = [one for one in middle if one.at not in lifted]
        return Slopes(len(self.players), estimates, middle, self._effects(self._middle, self._computed))

    def ratings(self) -> list[float]:
        """The ratings that stand, by position."""
        self.rated += len(self.players) // UNMOVED
        self.computed()
        unsettled, self._unsettled = self._unsettled, set()
        for at in unsettled:
            self._ratings[at] = self._outcome(at, self._computed[at])
        return list(self._ratings)

    def rating_alone(self, number: int) -> float:
        """The rating of one player, computed with no more of the others than bears on it; nothing is kept."""
        at, touched = self.position[number], self._stale
        met = set(self._opponents[at])
        strengths = self._strengths(touched, met.union(*(self._opponents[one] for one in met)))
        moved = {one for one, value in strengths.items() if value != self._strength[one]}
        middle = self._passed(met & (touched | self._meeting(moved)), self._strength, strengths)
        final = self._passed({at}, self._middle, {one: rating for one, (_, rating) in middle.items()})
        return self._outcome(at, final[at][0])

    def rating_if(self, number: int, changed: Mapping[int, Competitor]) -> float:
        """The rating of one player if some came otherwise; everything stays as it is."""
        if self._stale:
            self.computed()
        before = {one: self.prepared(one) for one in changed}
        for one, player in changed.items():
            self._put(self.position[one], player)
        rating = self.rating_alone(number)
        for one, player in before.items():
            self._put(self.position[one], player)
        self._stale = set()
        return rating

    def ratings_if(self, changed: Mapping[int, Competitor]) -> dict[int, float]:
        """The ratings by number if some players came otherwise; everything stays as it is."""
        self.ratings()
        kept = [list(column) for column in (self._strength, self._middle, self._computed, self._ratings)]
        before = {one: self.prepared(one) for one in changed}
        for one, player in changed.items():
            self.put_back(one, player)
        ratings = self.ratings()
        for one, player in before.items():
            self.put_back(one, player)
        self._strength, self._middle, self._computed, self._ratings = kept
        self._stale, self._unsettled = set(), set()
        return {number: ratings[at] for number, at in self.position.items()}

    def _outcome(self, at: int, computed: float) -> float:
        """The rating that stands; what holds a player, and what they scored, are found once (§5, §7; readings 40)."""
        player = self.players[at]
        if not player.sides:
            return self._field.prior[at]
        if at not in self._held:
            limits = limits_of(self._at, player.record, player.numbers)
            self._held[at] = share_of(self._at.facts, *player.results), limits
        share, limits = self._held[at]
        return section_outcome(
            self._at.edition.constants, self._at.facts, player.numbers, share, computed, limits
        ).rating

    def _put(self, at: int, prepared: Competitor) -> None:
        field, was, player = self._field, self._laid_at(at), self.players[at]
        has_games = player.sides == prepared.sides
        self.players[at] = prepared
        self._unsettled.add(at)
        lay_player(field, at, prepared)
        if not has_games or prepared.record is not player.record:
            self._held.pop(at, None)
        if not has_games:
            self._layouts.clear()
            (self._turned.discard if prepared.sides == self._posted[at] else self._turned.add)(at)
            self._opponents[at] = [side.opponent for side in prepared.sides]
            share, meetings = share_of(self._at.facts, *prepared.results), prepared.most_meetings
            lay_results(self._at.edition.constants, self._at.facts, field, at, share, meetings)
        if not has_games or was != self._laid_at(at):
            self._stale.add(at)
            self._sheet.effective[at] = effective_games(self._at.edition.constants, field.prior[at], field.games[at])
            self._sheet.prior_odds[at] = odds(field.prior[at])

    def _laid_at(self, at: int) -> tuple[float, ...]:
        """What is laid out for a player, without the games."""
        field = self._field
        return field.prior[at], field.games[at], field.past[at], field.starts_at_zero[at]

    def _meeting(self, positions: Iterable[int]) -> set[int]:
        """Everybody who meets one of these."""
        return set().union(*[self._met_by[at] for at in positions])

    def _strengths(self, changed: set[int], near: set[int] | None = None) -> dict[int, float]:
        """The strengths before Step 4 of players who changed, and of those whose first estimate meets them.

        With players who are ``near``, only of these.
        """
        reached = changed | self._meeting(changed)
        strengths = {at: self._field.prior[at] for at in changed}
        starting = [at for at in (reached if near is None else reached & near) if self._field.starts_at_zero[at]]
        if starting and self._is_most(starting):
            step_3(self._at.edition.constants, self._field, self._sheet)
            strengths |= {at: self._sheet.strength[at] for at in starting}
        elif starting:
            field, part = self._part(starting)
            step_3(self._at.edition.constants, field, part.sheet)
            strengths |= dict(zip(part.order[: len(starting)], part.sheet.strength, strict=False))
        return strengths

    def _is_most(self, who: Collection[int]) -> bool:
        """Whether these are so many that everybody may as well be rated, in the columns that are laid out."""
        self.rated += len(who)
        return not self._turned and MOST * len(who) > len(self.players)

    def _passed(
        self, who: Collection[int], strength: Sequence[float], instead: Mapping[int, float] = NOTHING
    ) -> dict[int, tuple[float, float]]:
        """What a pass computes for these players, and their ratings after it (§1, Steps 4 and 5)."""
        constants, sheet = self._at.edition.constants, self._sheet
        if not instead and self._is_most(who):
            one_pass(constants, self._rule, self._field, sheet, strength, sheet.final)
            return self._kept({at: (sheet.final.computed[at], sheet.final.rating[at]) for at in who})
        field, part = self._part(who)
        order, own = part.order, part.sheet
        own.effective[: len(who)] = [sheet.effective[at] for at in order[: len(who)]]
        own.prior_odds[:] = [sheet.prior_odds[at] for at in order]
        met = [instead.get(at, strength[at]) for at in order] if instead else [strength[at] for at in order]
        one_pass(constants, self._rule, field, own, met, own.final)
        results = zip(own.final.computed, own.final.rating, strict=True)
        return self._kept(dict(zip(order[: len(who)], results, strict=False)))

    def _kept(self, results: dict[int, tuple[float, float]]) -> dict[int, tuple[float, float]]:
        """What a pass left: as it is, or as the program of before 2004 stored it."""
        if not self._is_of_old_program:
            return results
        field, constants, kept = self._field, self._at.edition.constants, dict(results)
        for at in (at for at in results if self._opponents[at]):
            formula = formula_for(constants, field.games[at], field.past[at])
            stored = stored_by_pass(formula, field.prior[at], results[at][0])
            kept[at] = stored, max(stored, constants.absolute_floor)
        return kept

    def _effects(self, strength: Sequence[float], after: Sequence[float]) -> list[Effect]:
        """What moves the results of a pass: of everybody who played, the own prior and each strength they meet."""
        field, constants, effects = self._field, self._at.edition.constants, []
        for at, opponents in enumerate(self._opponents):
            prior, effective, past = field.prior[at], self._sheet.effective[at], field.past[at]
            met = [(other, strength[other]) for other in opponents]
            if met and formula_for(constants, field.games[at], past) is Formula.SPECIAL:
                effects.append(special_effect(constants, at, (prior, effective, past), after[at], met))
            elif met:
                k = section_k(constants, self._rule, prior, effective, float(len(met)))
                bonus_games = len(met) if field.earns_bonus[at] else 0
                effects.append(standard_effect(constants, at, (prior, k, field.score[at], bonus_games), met))
        return effects

    def _part(self, who: Collection[int]) -> tuple[Field, Layout]:
        """The columns of some players with their games, and of those they meet without; and who is where."""
        whole, part = self._field, self._layout(who)
        own = part.order[: len(who)]  # of those who are only met a pass reads no more than their rating
        field = Field(
            prior=[whole.prior[at] for at in part.order],
            games=[whole.games[at] for at in own],
            past=[whole.past[at] for at in own],
            starts_at_zero=[True] * len(own) + [False] * (len(part.order) - len(own)),  # of those whom Step 3 is for
            score=[whole.score[at] for at in own],
            earns_bonus=[whole.earns_bonus[at] for at in own],
            first=part.first,
            opponent=part.opponent,
        )
        return field, part

    def _layout(self, who: Collection[int]) -> Layout:
        """Where some players and those they meet are in a part of the field; a search asks for the same ones often."""
        key = frozenset(who)
        if key not in self._layouts:
            order = [*who, *{other for at in who for other in self._opponents[at]}.difference(who)]
            local = {at: i for i, at in enumerate(order)}
            games = [[local[other] for other in self._opponents[at]] for at in who]
            first, opponent = [0, *accumulate(map(len, games))], list(chain.from_iterable(games))
            first += first[-1:] * (len(order) - len(who))
            self._layouts[key] = Layout(order, first, opponent, blank_sheet(len(order), len(opponent)))
        return self._layouts[key]


def _laid(column: list[float], values: Mapping[int, float]) -> set[int]:
    """Put values where they belong in a column; the places where they are others than before."""
    moved = {at for at, value in values.items() if column[at] != value}
    for at in moved:
        column[at] = values[at]
    return moved

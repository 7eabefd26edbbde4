"""Trials: rate a page again with a fact or a result changed, and only what the change can move.

The causes of a difference, the fitting of starts and the audit try thousands of values. A trial changes what a player
brings and runs the same steps and outcomes as the engine, over the players whom the change reaches: their opponents in
Step 4, the opponents of those in Step 5, and one game further where a first estimate of Step 3 lies between (§1).
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from operator import add

from crosstable.engine.after import Prepared, blank_sheet, columns, lay_player, system_section, unrated_record
from crosstable.engine.competitors import Competitor, competitors
from crosstable.engine.numbers import numbers_of
from crosstable.engine.rating import prepare, result_of, rule_of
from crosstable.formulas.initial import given_start
from crosstable.formulas.section import lay_results, share_of
from crosstable.formulas.steps import Field, PassColumns, one_pass, step_2, step_3
from crosstable.terms import Background, GivenStart, PlayerRating
from crosstable.verification.pages import Page

Slopes = list[dict[int, float]]
NOTHING: Mapping[int, float] = {}
# So far a strength is moved to see what it bears on: beyond the kinks that rounding hides.
NUDGE = 8.0
# Looking after so many players who stay as they are takes as long as rating one.
UNMOVED = 4


class Trials:
    """A page made ready once, to be rated many times."""

    def __init__(
        self, page: Page, backgrounds: Mapping[int, Background], who: Sequence[Competitor] | None = None
    ) -> None:
        section, edition = page.checked.section, page.checked.edition
        who = competitors(section, backgrounds) if who is None else who
        self._at = system_section(section, page.system, edition)
        self.players = [prepare(self._at, one, is_needed=True) for one in who]
        self.position = {entry.number: at for at, one in enumerate(who) for entry in one.entries}
        self._rule = rule_of(section, page.system)
        self._field = columns(self._at, self.players)
        self._opponents = [[side.opponent for side in one.sides] for one in who]
        self._met_by: list[set[int]] = [set() for _ in who]
        for at, opponents in enumerate(self._opponents):
            for other in opponents:
                self._met_by[other].add(at)
        self._strength, self._middle, self._computed = ([math.nan] * len(who) for _ in range(3))
        self._results: list[tuple[Prepared, float, float] | None] = [None] * len(who)
        self._stale = set(range(len(who)))
        self.rated = 0  # players rated so far, a measure of time that every machine agrees on

    def with_fact(self, number: int, fact: PlayerRating | GivenStart) -> None:
        """Let a player have brought this rating record, or have started so."""
        self._put(self.position[number], self.brought(number, fact))

    def with_start(self, number: int, start: GivenStart) -> None:
        """Let an unrated player have started so."""
        self.with_fact(number, start)

    def put_back(self, number: int, prepared: Prepared) -> None:
        """Let a player come so again."""
        self._put(self.position[number], prepared)

    def prepared(self, number: int) -> Prepared:
        """A player with what they now bring."""
        return self.players[self.position[number]]

    def brought(self, number: int, fact: PlayerRating | GivenStart) -> Prepared:
        """A player with this rating record, or this start, instead."""
        player = self.prepared(number)
        if isinstance(fact, PlayerRating):
            return player._replace(record=fact, numbers=numbers_of(fact))
        assert player.start is not None
        begun = player.start._replace(initial=given_start(*fact))
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
        _laid(self._computed, {at: computed for at, (computed, _) in final.items()})
        return list(self._computed)

    def slopes(self, numbers: Sequence[int]) -> list[dict[int, float]]:
        """By position: how far each of these unrated players, started a point higher, moves what is computed (§1).

        Every player is rated once more for each opponent whom a start can move; from step to step effects multiply.
        """
        self.computed()
        whose = {self.position[number]: number for number in numbers}
        starts: Slopes = [{whose[at]: 1.0} if at in whose else {} for at in range(len(self.players))]
        strengths, zero = list(starts), [at for at, is_zero in enumerate(self._field.starts_at_zero) if is_zero]
        first = self._effects(starts, starts, self._field.prior, zero) if zero else starts
        for at in zero:
            strengths[at] = first[at]
        return self._effects(starts, self._effects(starts, strengths, self._strength), self._middle)

    def ratings(self) -> list[float]:
        """The ratings that stand, by position."""
        self.rated += len(self.players) // UNMOVED
        return [self._result(at, computed) for at, computed in enumerate(self.computed())]

    def rating_alone(self, number: int) -> float:
        """The rating of one player, computed with no more of the others than bears on it; nothing is kept."""
        at, touched = self.position[number], self._stale
        met = set(self._opponents[at])
        strengths = self._strengths(touched, met.union(*(self._opponents[one] for one in met)))
        moved = {one for one, value in strengths.items() if value != self._strength[one]}
        middle = self._passed(met & (touched | self._meeting(moved)), self._strength, strengths)
        final = self._passed({at}, self._middle, {one: rating for one, (_, rating) in middle.items()})
        return result_of(self._at, self.players[at], self._field.prior[at], final[at][0]).rating

    def rating_if(self, number: int, changed: Mapping[int, Prepared]) -> float:
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

    def ratings_if(self, changed: Mapping[int, Prepared]) -> dict[int, float]:
        """The ratings by number if some players came otherwise; everything stays as it is."""
        self.computed()
        kept = [list(column) for column in (self._strength, self._middle, self._computed)]
        before, results = {one: self.prepared(one) for one in changed}, list(self._results)
        for one, player in changed.items():
            self.put_back(one, player)
        ratings = self.ratings()
        for one, player in before.items():
            self.put_back(one, player)
        (self._strength, self._middle, self._computed), self._results, self._stale = kept, results, set()
        return {number: ratings[at] for number, at in self.position.items()}

    def _put(self, at: int, prepared: Prepared) -> None:
        was = self._laid_at(at)
        has_games = self.players[at].competitor.sides == prepared.competitor.sides
        self.players[at] = prepared
        lay_player(self._field, at, prepared)
        if not has_games:
            self._opponents[at] = [side.opponent for side in prepared.competitor.sides]
            share, meetings = share_of(self._at.facts, *prepared.results), prepared.competitor.most_meetings
            lay_results(self._at.edition.constants, self._at.facts, self._field, at, share, meetings)
        if not has_games or was != self._laid_at(at):
            self._stale.add(at)

    def _laid_at(self, at: int) -> tuple[float, ...]:
        """What is laid out for a player, without the games."""
        field = self._field
        return field.prior[at], field.games[at], field.past[at], field.starts_at_zero[at]

    def _meeting(self, positions: Iterable[int]) -> set[int]:
        """Everybody who meets one of these."""
        return {other for at in positions for other in self._met_by[at]}

    def _strengths(self, changed: set[int], near: set[int] | None = None) -> dict[int, float]:
        """The strengths before Step 4 of players who changed, and of those whose first estimate meets them.

        With players who are ``near``, only of these.
        """
        reached = changed | self._meeting(changed)
        strengths = {at: self._field.prior[at] for at in changed}
        starting = [at for at in (reached if near is None else reached & near) if self._field.starts_at_zero[at]]
        if starting:
            estimates = self._step_3(self._part(starting)[0], len(starting))
            strengths |= dict(zip(starting, estimates, strict=True))
        return strengths

    def _step_3(self, field: Field, starting: int) -> Sequence[float]:
        """The first estimates of so many players, the first of a field."""
        field = field._replace(starts_at_zero=[at < starting for at in range(len(field.prior))])
        sheet = blank_sheet(len(field.prior), len(field.opponent))
        step_3(self._at.edition.constants, field, sheet)
        return sheet.strength[:starting]

    def _passed(
        self, who: Collection[int], strength: Sequence[float], instead: Mapping[int, float] = NOTHING
    ) -> dict[int, tuple[float, float]]:
        """What a pass computes for these players, and their ratings after it (§1, Steps 4 and 5)."""
        field, order = self._part(who)
        strengths = [instead.get(at, strength[at]) for at in order]
        final = self._one_pass(field, strengths)
        return {at: (final.computed[i], final.rating[i]) for i, at in enumerate(who)}

    def _one_pass(self, field: Field, strengths: Sequence[float]) -> PassColumns:
        sheet, constants = blank_sheet(len(field.prior), len(field.opponent)), self._at.edition.constants
        step_2(constants, field, sheet)
        one_pass(constants, self._rule, field, sheet, strengths, sheet.final)
        return sheet.final

    def _effects(self, starts: Slopes, met: Slopes, strength: Sequence[float], starting: Sequence[int] = ()) -> Slopes:
        """What a step makes of slopes: those of everybody's own start, and of the strengths they are met at.

        With players who are ``starting`` it is Step 3, else a pass. All are rated as one field: each pair of a player
        and somebody who moves as a player of its own, who meets everybody as they are and that one a nudge higher.
        """
        pairs = [
            (at, other)
            for at in starting or range(len(starts))
            for other in sorted({*self._opponents[at], *([at] if self._opponents[at] else ())})
            if (starts if other == at else met)[other]
        ]
        count = len(self.players)
        order = [*(at for at, _ in pairs), *range(count), *range(count)]
        nudges = [NUDGE if other == at else 0.0 for at, other in pairs] + [0.0] * count + [NUDGE] * count
        games = [[len(pairs) + one + count * (one == other) for one in self._opponents[at]] for at, other in pairs]
        field = self._columns(order, games)
        field = field._replace(prior=list(map(add, field.prior, nudges)))
        if starting:
            after, before = self._step_3(field, len(pairs)), self._strength
        else:
            final = self._one_pass(field, [strength[at] + nudge for at, nudge in zip(order, nudges, strict=True)])
            is_last = strength is self._middle
            after, before = (final.computed, self._computed) if is_last else (final.rating, self._middle)
        effects: Slopes = [{} for _ in starts]
        for i, (at, other) in enumerate(pairs):
            change, own = (after[i] - before[at]) / NUDGE, effects[at]
            for number, slope in (starts if other == at else met)[other].items() if change else ():
                own[number] = own.get(number, 0.0) + change * slope
        return effects

    def _part(self, who: Collection[int]) -> tuple[Field, list[int]]:
        """The columns of some players with their games, and of those they meet without; and who is where."""
        met = {other for at in who for other in self._opponents[at]}
        order = [*who, *met.difference(who)]
        local = {at: i for i, at in enumerate(order)}
        return self._columns(order, [[local[other] for other in self._opponents[at]] for at in who]), order

    def _columns(self, order: Sequence[int], games: Sequence[Sequence[int]]) -> Field:
        """The columns of players in an order, the first of them with games."""
        self.rated += len(games)
        whole = self._field
        first = [0, *accumulate(map(len, games))]
        return Field(
            prior=[whole.prior[at] for at in order],
            games=[whole.games[at] for at in order],
            past=[whole.past[at] for at in order],
            starts_at_zero=[whole.starts_at_zero[at] for at in order],
            score=[whole.score[at] for at in order],
            earns_bonus=[whole.earns_bonus[at] for at in order],
            first=first + first[-1:] * (len(order) - len(games)),
            opponent=list(chain.from_iterable(games)),
        )

    def _result(self, at: int, computed: float) -> float:
        """The rating that stands; kept, because most players come as they came before."""
        kept, player = self._results[at], self.players[at]
        if kept is None or kept[0] is not player or kept[1] != computed:
            rating = result_of(self._at, player, self._field.prior[at], computed).rating
            kept = self._results[at] = (player, computed, rating)
        return kept[2]


def _laid(column: list[float], values: Mapping[int, float]) -> set[int]:
    """Put values where they belong in a column; the places where they are others than before."""
    moved = {at for at, value in values.items() if column[at] != value}
    for at in moved:
        column[at] = values[at]
    return moved

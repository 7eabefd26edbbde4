"""Sections that anybody may make up, rated from nothing but what is public: what a preview may show.

The record shows a section once, with the opponents and on the day that it had; a preview shows as many as somebody
likes to make up, each of which would cut a span, a birth or a decimal that is not shown in two. So nothing true is in
it: everybody whose rating hangs on a birth date comes with the rating as the public sees it, a newcomer with the starts
of his whole block of years, and what is shown is what all these give: a whole number where they agree, else their span.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.formulas.rounding import official_rating
from crosstable.office.public import PublicRow, Shown, public_row
from crosstable.office.veils import ESTABLISHED_ABOVE, Span, Spans, Veil, own_result, possible_starts, rated_again
from crosstable.terms import GivenStart, RatingSystem, Source, Standing

MemberSystem = tuple[str, RatingSystem]
_IN_WHOLE_NUMBERS = Veil(is_clear=False, before={}, after={})


class Ends(NamedTuple):
    """A standing at the lower and at the upper end of what the public knows of it."""

    low: Standing
    high: Standing

    @property
    def span(self) -> Span:
        """The ratings between the ends."""
        return Span(min(self.low.rating, self.high.rating), max(self.low.rating, self.high.rating))


class MadeUp(NamedTuple):
    """A made-up section as anybody may see it, and the standings that it hands on to later ones of its event."""

    rows: tuple[PublicRow, ...]
    after: Mapping[MemberSystem, Ends]


def seen_by_all(rating: float, games: float | None, span: Span | None) -> Span:
    """A rating as the record shows it: its whole number, or the span in its place."""
    if span is not None and span.is_hidden(games):
        low, high = span.shown
        return Span(float(low), float(high))
    return Span(float(official_rating(rating)), float(official_rating(rating)))


def made_up(
    rated: RatedSection, spans: Spans, earlier: Mapping[MemberSystem, Ends], adults: Collection[str]
) -> MadeUp | None:
    """A section as anybody may see it, nothing where it may be seen in full.

    ``spans`` are the standings with something hidden, as they are shown; ``earlier`` those of them that an earlier
    section of the same event made; ``adults`` are members who are given as adults.
    """
    starts = {
        player.number: possible_starts(
            rated, _with_sources(player, earlier), spans, is_adult=player.member_id in adults
        )
        for player in rated.players
        if player.start is not None
    }
    if not spans and all(len(set(found)) == 1 for found in starts.values()):
        return None
    before = {
        player.number: earlier.get(place) or Ends(*(player.before._replace(rating=end) for end in spans[place]))
        for player in rated.players
        if player.before is not None and (place := (player.member_id, rated.system)) in spans
    }
    low, high = _at_both_ends(rated, before, starts)
    rows = [
        _row(player, before.get(player.number), low[player.number], high[player.number]) for player in rated.players
    ]
    after = {
        (player.member_id, rated.system): Ends(one.after, other.after)
        for player in rated.players
        if player.played
        and (one := low[player.number]).after is not None
        and (other := high[player.number]).after is not None
    }
    return MadeUp(tuple(rows), after)


def _with_sources(player: RatedPlayer, earlier: Mapping[MemberSystem, Ends]) -> RatedPlayer:
    """A newcomer whose sources have the games that the public knows of; those of an earlier start are hidden."""
    assert player.start is not None
    sources = []
    for working in player.start.sources:
        ends = None if working.source >= Source.FIDE else earlier.get((player.member_id, RatingSystem(working.source)))
        sources.append(working if ends is None else working._replace(games=ends.low.games))
    return player._replace(start=player.start._replace(sources=tuple(sources)))


def _at_both_ends(
    rated: RatedSection, before: Mapping[int, Ends], starts: Mapping[int, list[GivenStart]]
) -> tuple[dict[int, RatedPlayer], dict[int, RatedPlayer]]:
    """Everybody's result when all that is hidden goes low, and high, together."""
    if rated.section.kind.is_foreign:  # opponents abroad stand at outside ratings: nobody reaches another
        return (
            {player.number: _abroad(rated, player, before.get(player.number), 0) for player in rated.players},
            {player.number: _abroad(rated, player, before.get(player.number), 1) for player in rated.players},
        )
    # the games of a blend hang on the birth too, so that they are those of no birth in particular
    games = {number: max(start.games for start in found) for number, found in starts.items()}
    ends = []
    for at, pick in enumerate((min, max)):
        standings = {number: both[at] for number, both in before.items()}
        begun = {
            number: GivenStart(pick(start.rating for start in found), games[number]) for number, found in starts.items()
        }
        again = rated_again(rated, standings, begun)
        ends.append({player.number: player for player in again.players})
    return ends[0], ends[1]


def _abroad(rated: RatedSection, player: RatedPlayer, before: Ends | None, at: int) -> RatedPlayer:
    """A player of a foreign event from one end of his standing."""
    if before is None or not player.played or player.after is None:
        return player
    rating = own_result(rated, player, before[at].rating)
    outcome = player.outcome._replace(rating=rating)
    return player._replace(before=before[at], outcome=outcome, after=player.after._replace(rating=rating))


def _row(player: RatedPlayer, before: Ends | None, low: RatedPlayer, high: RatedPlayer) -> PublicRow:
    """What is the same at both ends; of ratings their span."""
    one, other = public_row(low, _IN_WHOLE_NUMBERS), public_row(high, _IN_WHOLE_NUMBERS)
    after = before if not player.played or low.after is None or high.after is None else Ends(low.after, high.after)
    return one._replace(
        before=one.before if before is None else _shown(before),
        after=one.after if after is None else _shown(after),
        formula=one.formula if one.formula == other.formula else None,
        floor=one.floor if one.floor == other.floor and one.after == other.after else None,
        norm=one.norm if one.norm == other.norm else None,
        assumed=tuple(str(note) for note in player.assumed),
    )


def _shown(ends: Ends) -> Shown:
    span, games = ends.span, ends.low.games
    is_provisional = games is not None and games <= ESTABLISHED_ABOVE
    if span.is_settled:
        return Shown(float(official_rating(span.low)), None, games, is_provisional)
    return Shown(None, span.shown, games, is_provisional)

"""§6: Regular ratings of US players updated from a foreign FIDE event, the standard formula applied once."""

import math
from collections.abc import Sequence

from crosstable.engine.after import assumptions, decided_floor, known_games, match_past, merits, standing_after
from crosstable.engine.competitors import Competitor, GameSide, competitor_of, on_every_row
from crosstable.engine.records import PassWorking, RatedGame, RatedPlayer
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.effective import effective_games
from crosstable.formulas.foreign import foreign_update, opponent_strength
from crosstable.formulas.outcome import Outcome, outcome, standing_floor
from crosstable.formulas.standard import may_earn_bonus, odds
from crosstable.rules.law import Edition
from crosstable.terms import FloorKind, Formula, Past, RatingSystem, Section, SectionType

_NO_PASS = PassWorking(0.0, 0.0, 0.0, math.nan, math.nan)
_NO_OUTCOME = Outcome(math.nan, FloorKind.NONE, -math.inf, math.nan, False, math.nan)


def rate_foreign(
    section: Section, system: RatingSystem, who: Sequence[Competitor], edition: Edition
) -> tuple[RatedPlayer, ...]:
    """A record per row; only players marked to be rated are, the others are opponents (§6)."""
    results = [
        rated_abroad(competitor, section, system, who, edition)
        if any(entry.is_rated for entry in competitor.entries)
        else opponent_row(competitor, system)
        for competitor in who
    ]
    return on_every_row(section, who, results)


def opponent_row(competitor: Competitor, system: RatingSystem) -> RatedPlayer:
    """A player who is only an opponent: untouched."""
    entry = competitor.entries[0]
    before = competitor.background.standings.get(system)
    return RatedPlayer(
        number=entry.number,
        merged_with=(),
        member_id=entry.member_id,
        name=entry.name,
        origin=competitor.background.origin,
        before=before,
        start=None,
        past=Past.MIXED,
        prior=math.nan if before is None else before.rating,
        games_before=0.0 if before is None else known_games(before),
        formula=Formula.NONE,
        effective=0.0,
        score=0.0,
        games=(),
        earns_bonus=False,
        most_meetings=0,
        strength=math.nan,
        intermediate=_NO_PASS,
        final=_NO_PASS,
        outcome=_NO_OUTCOME,
        after=before,
        norm=None,
        assumed=(),
    )


def rated_abroad(
    competitor: Competitor, section: Section, system: RatingSystem, who: Sequence[Competitor], edition: Edition
) -> RatedPlayer:
    """One player's update against converted opponents; those without a FIDE rating are ignored (§6)."""
    counted = competitor_of(
        competitor.entries,
        competitor.background,
        tuple(side for side in competitor.sides if who[side.opponent].background.fide is not None),
    )
    row = opponent_row(competitor, system)
    if not counted.sides or row.before is None:
        return row
    constants = edition.constants
    strengths = [_strength(side, section, who, edition) for side in counted.sides]
    games = known_games(row.before)
    bonus = may_earn_bonus(constants, len(strengths), counted.most_meetings)
    update = foreign_update(
        constants, row.before.rating, games, counted.score, [odds(strength) for strength in strengths], bonus
    )
    result = outcome(
        constants,
        row.before.rating,
        update.rating,
        match_past(constants, section, row.before),
        standing_floor(constants, system, merits(constants, row.before, section, counted), decided_floor(row.before)),
        math.inf if row.before.ceiling is None else row.before.ceiling,
    )
    working = PassWorking(
        update.k, update.expected, update.bonus, update.rating, max(update.rating, constants.absolute_floor)
    )
    return row._replace(
        formula=Formula.STANDARD,
        effective=effective_games(constants, row.before.rating, games),
        score=counted.score,
        games=tuple(_game(side, who, strength) for side, strength in zip(counted.sides, strengths, strict=True)),
        earns_bonus=bonus,
        most_meetings=counted.most_meetings,
        strength=row.before.rating,
        final=working,
        outcome=result,
        after=standing_after(constants, section, counted, row.before, result.rating),
        assumed=(*competitor.background.assumed, *assumptions(constants, row.before)),
    )


def _strength(side: GameSide, section: Section, who: Sequence[Competitor], edition: Edition) -> float:
    fide = who[side.opponent].background.fide
    assert fide is not None
    is_youth = section.kind is SectionType.FOREIGN_FIDE_YOUTH
    strength = opponent_strength(edition.constants, fide.rating, is_youth)
    if math.isnan(strength):
        kind = "youth FIDE" if is_youth else "FIDE"
        raise UnsupportedEditionError(
            f"the {kind} conversion in force for the edition of {edition.name} is not known at {fide.rating:g}: "
            "the document of that time was not found"
        )
    return strength


def _game(side: GameSide, who: Sequence[Competitor], strength: float) -> RatedGame:
    fide = who[side.opponent].background.fide
    assert fide is not None
    return RatedGame(
        *(side.round_number, side.opponent_number, side.colour, side.score),
        *(strength, strength, strength, strength, fide.rating),
    )

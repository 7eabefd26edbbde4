"""§6: Regular ratings of US players updated from a foreign FIDE event, the standard formula applied once."""

import math
from collections.abc import Sequence

from crosstable.engine.after import (
    SystemSection,
    assumptions,
    blank_sheet,
    columns,
    outcome_of,
    pass_working,
    record_after,
)
from crosstable.engine.records import Assumption, PassWorking, RatedGame, RatedPlayer, known_games
from crosstable.engine.starts import NO_RECORD, Competitor, is_carried, on_every_row, on_scale
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.foreign import NOBODY, foreign_pass, opponent_strength, without_conversion
from crosstable.formulas.outcome import Outcome
from crosstable.formulas.steps import Field, Sheet
from crosstable.rules.amending import Edition
from crosstable.terms import FloorKind, Formula, Past, RatingSystem, SectionType

_NO_PASS = PassWorking(0.0, 0.0, 0.0, math.nan, math.nan)
_NO_OUTCOME = Outcome(math.nan, FloorKind.NONE, -math.inf, math.nan, False, math.nan)


def rate_foreign(at: SystemSection, who: Sequence[Competitor]) -> tuple[RatedPlayer, ...]:
    """A record per row; only players marked to be rated are, the others are opponents (§6)."""
    constants, is_youth = at.edition.constants, at.section.kind is SectionType.FOREIGN_FIDE_YOUTH
    players = [_prepared(at, competitor, who) for competitor in who]
    # Who is not marked in the report, has no Regular rating or met nobody who counts is an opponent only.
    is_rated = [
        player.record is not NO_RECORD and bool(player.sides) and any(entry.is_rated for entry in player.entries)
        for player in players
    ]
    field = columns(at, players)
    sheet = blank_sheet(len(players), len(field.opponent))
    for i, competitor in enumerate(who):
        fide = competitor.background.fide
        rating = math.nan if fide is None else on_scale(fide, at.section.start)
        sheet.strength[i] = opponent_strength(constants, rating, is_youth)
    missing = without_conversion(field, sheet, is_rated)
    if missing != NOBODY:
        raise UnsupportedEditionError(not_found_abroad(at.edition, _fide(at, who[missing])[0], is_youth=is_youth))
    foreign_pass(constants, field, sheet, is_rated)
    results = [
        _rated(at, player, i, who, (field, sheet)) if is_rated[i] else opponent_row(player, at.system)
        for i, player in enumerate(players)
    ]
    return on_every_row(at.section, who, results)


def not_found_abroad(edition: Edition, fide: float, *, is_youth: bool) -> str:
    """Why a foreign event cannot be rated."""
    kind = "youth FIDE" if is_youth else "FIDE"
    return (
        f"the {kind} conversion in force for the edition of {edition.name} is not known at {fide:g}: "
        "the document of that time was not found"
    )


def _prepared(at: SystemSection, competitor: Competitor, who: Sequence[Competitor]) -> Competitor:
    """A competitor with the games that count: those against opponents without a FIDE rating do not (§6)."""
    # So m counts games against FIDE-rated opponents alone (readings 78).
    sides = tuple(side for side in competitor.sides if who[side.opponent].background.fide is not None)
    counted = competitor.with_games(sides)
    record = competitor.background.standings.get(at.system)
    if record is None:
        return counted
    assumed = assumptions(at.edition.constants, record)
    if any(is_carried(who[side.opponent].background.fide, at.section.start) for side in sides):
        assumed.append(Assumption.FIDE_CARRIED)
    return counted.in_system(record, assumed=assumed)


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


def _rated(
    at: SystemSection, player: Competitor, i: int, who: Sequence[Competitor], working: tuple[Field, Sheet]
) -> RatedPlayer:
    """One player's update against converted opponents (§6)."""
    field, sheet = working
    result = outcome_of(at, player, sheet.final.computed[i])
    return opponent_row(player, at.system)._replace(
        formula=Formula.STANDARD,
        effective=sheet.effective[i],
        score=player.score,
        games=tuple(
            RatedGame(
                *(side.round_number, side.opponent_number, side.colour, side.score),
                *(met, met, met, met, *_fide(at, who[side.opponent])),
            )
            for side in player.sides
            for met in (sheet.strength[side.opponent],)
        ),
        earns_bonus=field.earns_bonus[i],
        most_meetings=player.most_meetings,
        strength=player.record.rating,
        final=pass_working(sheet.final, i),
        outcome=result,
        after=record_after(at, player, result.rating),
        assumed=(*player.background.assumed, *player.assumed),
    )


def _fide(at: SystemSection, competitor: Competitor) -> tuple[float, float]:
    """The FIDE rating of an opponent on the scale of the section's day, and as its list has it."""
    fide = competitor.background.fide
    assert fide is not None
    return on_scale(fide, at.section.start), fide.rating

"""Rating one section in one system (§1, §5, §7), and sections one after the other, records carried on."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from crosstable.engine.after import (
    SystemSection,
    assumptions,
    blank_sheet,
    columns,
    outcome_of,
    pass_working,
    record_after,
    system_section,
    unrated_record,
)
from crosstable.engine.records import RatedGame, RatedPlayer, RatedSection
from crosstable.engine.starts import Competitor, competitors, on_every_row, start_of
from crosstable.errors import ConvergenceError
from crosstable.formulas.norms import NO_NORM, highest_norm
from crosstable.formulas.outcome import Outcome
from crosstable.formulas.section import k_rule
from crosstable.formulas.steps import Field, Sheet, five_steps, formula_for
from crosstable.rules.amending import Edition
from crosstable.rules.constants import Constants
from crosstable.terms import (
    NORM_CODES,
    Background,
    FloorKind,
    Formula,
    KRule,
    Past,
    PlayerRating,
    RatingSystem,
    Section,
)
from crosstable.tuples import NamedTuple

# The pasts by their numbers: asking the enumeration for each is slow.
_PASTS = {past.value: past for past in Past}
# The steps over a field; those of another program of the past may be given instead.
Steps = Callable[[Constants, KRule, Field, Sheet], bool]


class RatedField(NamedTuple):
    """A whole section after the five steps.

    ``finals`` are the ratings that stand; a player without a rated game keeps the prior.
    """

    at: SystemSection
    players: Sequence[Competitor]
    field: Field
    sheet: Sheet
    outcomes: Sequence[Outcome]
    finals: Sequence[float]


Member = TypeVar("Member")


def rate(section: Section, system: RatingSystem, edition: Edition, steps: Steps = five_steps) -> RatedSection:
    """Rate a checked section in one system."""
    # Rows of one member are one player before anything is computed (readings 104).
    return rate_competitors(section, system, competitors(section), edition, steps)


def rate_competitors(
    section: Section, system: RatingSystem, who: Sequence[Competitor], edition: Edition, steps: Steps = five_steps
) -> RatedSection:
    """Rate the competitors of a checked section in one system."""
    if section.kind.is_foreign:
        # Few sections are foreign, and every other one starts the quicker without it.
        from crosstable.engine.foreign import rate_foreign

        players = rate_foreign(system_section(section, system, edition), who)
    else:
        players = rows(rated_field(section, system, who, edition, steps))
    return RatedSection(section, system, edition, rule_of(section, system), players)


def rated_field(
    section: Section, system: RatingSystem, who: Sequence[Competitor], edition: Edition, steps: Steps = five_steps
) -> RatedField:
    """The five steps over the competitors of a section, as columns: for whoever needs no record of every row."""
    at = system_section(section, system, edition)
    # Byes and forfeits are no games, so whoever has nothing else neither plays nor is met (readings 40).
    met = {side.opponent for competitor in who for side in competitor.sides}
    players = [
        prepare(at, competitor, is_needed=bool(competitor.sides) or number in met)
        for number, competitor in enumerate(who)
    ]
    field = columns(at, players)
    sheet = blank_sheet(len(field.prior), len(field.opponent))
    if not steps(edition.constants, rule_of(section, system), field, sheet):
        raise ConvergenceError(
            f"section {section.number}, {system.name}, edition {edition.name}: a special rating was not found; "
            f"the field was {field}"
        )
    # Floors and limits act on everybody's result of Step 5, so nobody is met at a floored rating.
    outcomes = [result_of(at, player, field.prior[i], sheet.final.computed[i]) for i, player in enumerate(players)]
    return RatedField(at, players, field, sheet, outcomes, [result.rating for result in outcomes])


def rule_of(section: Section, system: RatingSystem) -> KRule:
    """The K of a section in one system (§4.2)."""
    return k_rule(section.is_half_k, section.is_dual_control, system)


def prepare(at: SystemSection, competitor: Competitor, *, is_needed: bool) -> Competitor:
    """What a competitor brings: the rating record, or the start of Step 1 of an unrated player.

    Somebody who neither plays nor is met needs no start, so none is asked of documents that were not found.
    """
    background = competitor.background
    record = background.standings.get(at.system)
    if record is not None:
        # Of whoever does not play nothing is computed, so nothing is assumed.
        return competitor.in_system(record, None, assumptions(at.edition.constants, record) if competitor.sides else ())
    days = at.section.start, at.section.end
    start, assumed = start_of(background if is_needed else Background(), at.system, days, at.edition)
    # Credited games count in N from now on, but are no wins, draws or losses (readings 30, 38).
    return competitor.in_system(unrated_record(start.initial.games), start, assumed)


def result_of(at: SystemSection, player: Competitor, prior: float, computed: float) -> Outcome:
    """What becomes of a player's computed rating; who did not play is untouched (readings 40)."""
    if not player.sides:
        return Outcome(math.nan, FloorKind.NONE, -math.inf, math.nan, False, prior)
    return outcome_of(at, player, computed)


def rows(rated: RatedField) -> tuple[RatedPlayer, ...]:
    """A record per row of the section."""
    results = [rated_player(i, player, rated) for i, player in enumerate(rated.players)]
    return on_every_row(rated.at.section, rated.players, results)


def rated_player(i: int, player: Competitor, rated: RatedField) -> RatedPlayer:
    """A player's result from the columns; a player without a rated game is untouched (readings 40)."""
    field, sheet, entry = rated.field, rated.sheet, player.entries[0]
    before, has_played = player.record if player.start is None else None, bool(player.sides)
    return RatedPlayer(
        number=entry.number,
        merged_with=(),
        member_id=entry.member_id,
        name=entry.name,
        origin=player.background.origin,
        before=before,
        start=player.start,
        past=_PASTS[field.past[i]],
        prior=field.prior[i],
        games_before=field.games[i],
        formula=formula_for(rated.at.edition.constants, field.games[i], field.past[i]) if has_played else Formula.NONE,
        effective=sheet.effective[i],
        score=player.score,
        games=rated_games(player, rated) if has_played else (),
        earns_bonus=field.earns_bonus[i],
        most_meetings=player.most_meetings,
        strength=sheet.strength[i],
        intermediate=pass_working(sheet.intermediate, i),
        final=pass_working(sheet.final, i),
        outcome=rated.outcomes[i],
        after=record_after(rated.at, player, rated.finals[i]) if has_played else before,
        norm=norm_code(player, rated) if has_played else None,
        assumed=(*player.background.assumed, *player.assumed) if has_played else (),
    )


def rated_games(competitor: Competitor, rated: RatedField) -> tuple[RatedGame, ...]:
    """A player's games with the strengths each opponent was met at."""
    priors, strengths, intermediates = rated.field.prior, rated.sheet.strength, rated.sheet.intermediate.rating
    return tuple(
        RatedGame(
            side.round_number,
            side.opponent_number,
            side.colour,
            side.score,
            priors[side.opponent],
            strengths[side.opponent],
            intermediates[side.opponent],
            rated.finals[side.opponent],
        )
        for side in competitor.sides
    )


def norm_code(competitor: Competitor, rated: RatedField) -> str | None:
    """The norm earned: Regular over the board, Swiss or round robin, post-event strengths (official facts §1)."""
    if rated.at.system is not RatingSystem.OTBR or rated.at.facts.is_match:
        return None
    # After the section: norms look at what the section made of the opponents.
    opponents = [rated.finals[side.opponent] for side in competitor.sides]
    level = highest_norm(competitor.score, opponents, competitor.most_meetings)
    return None if level == NO_NORM else NORM_CODES[level]


def rate_systems(section: Section, edition: Edition) -> tuple[RatedSection, ...]:
    """A section rated in each of its systems from what the players brought; neither sees the other's result."""
    who = competitors(section)
    return tuple(rate_competitors(section, system, who, edition) for system in section.systems)


class Replay(Generic[Member]):
    """The rating records of members, by system, as they are after the last section or adjustment."""

    def __init__(self) -> None:
        self.records: dict[Member, dict[RatingSystem, PlayerRating]] = {}

    def of(self, member: Member) -> Mapping[RatingSystem, PlayerRating]:
        """A member's rating records."""
        return self.records.get(member, {})

    def put(self, member: Member, system: RatingSystem, record: PlayerRating) -> None:
        """Set a member's rating record."""
        self.records.setdefault(member, {})[system] = record

    def carry(self, rated: Sequence[RatedSection], member_of: Callable[[str], Member | None]) -> None:
        """Set the records after a section of everybody who played in it; ``member_of`` tells by id whom to carry."""
        for one in rated:
            for player in one.players:
                # Whoever did not play keeps their record, and with it the day it is of.
                member = member_of(player.member_id) if player.games else None
                if member is not None and player.after is not None:
                    self.put(member, one.system, player.after)

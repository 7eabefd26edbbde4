"""Rating one section in one system: columns in, the five steps, outcomes and new standings out (§1, §5, §7)."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.engine.after import (
    assumptions,
    decided_floor,
    known_games,
    match_past,
    merits,
    newcomer,
    standing_after,
)
from crosstable.engine.competitors import Competitor, competitors, on_every_row
from crosstable.engine.records import PassWorking, RatedGame, RatedPlayer, RatedSection, Start
from crosstable.engine.starts import start_of
from crosstable.errors import ConvergenceError
from crosstable.formulas.norms import NO_NORM, highest_norm
from crosstable.formulas.outcome import Outcome, outcome, standing_floor
from crosstable.formulas.standard import may_earn_bonus
from crosstable.formulas.steps import Field, PassColumns, Sheet, five_steps, formula_for, past_of
from crosstable.rules.law import Edition
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
    SectionType,
)


class Prepared(NamedTuple):
    """A competitor ready for the five steps (§1, Step 1); ``start`` is there for a player who was unrated."""

    competitor: Competitor
    standing: PlayerRating
    start: Start | None
    prior: float
    games: float
    past: Past
    assumed: tuple[str, ...]


class RatedField(NamedTuple):
    """A whole section after the five steps.

    ``finals`` are the ratings that stand; a player without a rated game keeps his prior.
    """

    section: Section
    system: RatingSystem
    edition: Edition
    players: Sequence[Prepared]
    field: Field
    sheet: Sheet
    outcomes: Sequence[Outcome]
    finals: Sequence[float]


def rate(
    section: Section, system: RatingSystem, backgrounds: Mapping[int, Background], edition: Edition
) -> RatedSection:
    """Rate a checked section in one system; ``backgrounds`` holds, by pairing number, what each player brought."""
    rule = k_rule(section, system)
    who = competitors(section, backgrounds)
    if section.kind.is_foreign:
        from crosstable.engine.foreign import rate_foreign

        return RatedSection(section, system, edition, rule, rate_foreign(section, system, who, edition))
    return RatedSection(section, system, edition, rule, rows(rated_field(section, system, who, edition)))


def rated_field(section: Section, system: RatingSystem, who: Sequence[Competitor], edition: Edition) -> RatedField:
    """The five steps over the competitors of a section, as columns: for whoever needs no record of every row."""
    met = {side.opponent for competitor in who for side in competitor.sides}
    players = [
        prepare(competitor, section, system, edition, is_needed=bool(competitor.sides) or at in met)
        for at, competitor in enumerate(who)
    ]
    field = columns(section, players, edition)
    sheet = blank_sheet(len(field.prior), len(field.opponent))
    if not five_steps(edition.constants, k_rule(section, system), field, sheet):
        raise ConvergenceError(
            f"section {section.number}, {system.name}, edition {edition.name}: a special rating was not found; "
            f"the field was {field}"
        )
    outcomes = [
        outcome_of(player, sheet.final.computed[at], section, system, edition) for at, player in enumerate(players)
    ]
    finals = [result.rating for result in outcomes]
    return RatedField(section, system, edition, players, field, sheet, outcomes, finals)


def k_rule(section: Section, system: RatingSystem) -> KRule:
    """Half K where the section asks for it; the dual K for Regular ratings at dual-rated controls (§4.2)."""
    if section.is_half_k:
        return KRule.HALF
    if section.is_dual_control and system is RatingSystem.OTBR:
        return KRule.DUAL
    return KRule.FULL


def prepare(
    competitor: Competitor, section: Section, system: RatingSystem, edition: Edition, *, is_needed: bool
) -> Prepared:
    """A player's prior, games and past: his own, or those of Step 1 where he is unrated.

    Somebody who neither plays nor is met needs no start, so none is asked of documents that were not found.
    """
    before = competitor.background.standings.get(system)
    if before is None:
        background = competitor.background if is_needed else Background()
        start, assumed = start_of(background, system, section.end, edition)
        standing = newcomer(start.initial.games)
        return Prepared(
            competitor, standing, start, start.initial.rating, start.initial.games, Past.MIXED, tuple(assumed)
        )
    games = known_games(before)
    past = Past.MIXED
    if before.wins is not None and before.losses is not None:
        draws = math.nan if before.draws is None else float(before.draws)
        past = past_of(games, float(before.wins), draws, float(before.losses))
    assumed = assumptions(edition.constants, before)
    return Prepared(competitor, before, None, before.rating, games, past, tuple(assumed))


def columns(section: Section, players: Sequence[Prepared], edition: Edition) -> Field:
    """The columns that the five steps read."""
    first = [0]
    for player in players:
        first.append(first[-1] + len(player.competitor.sides))
    return Field(
        prior=[player.prior for player in players],
        games=[player.games for player in players],
        past=[player.past for player in players],
        starts_at_zero=[player.start is not None and player.games == 0.0 for player in players],
        score=[player.competitor.score for player in players],
        earns_bonus=[earns_bonus(section, player.competitor, edition) for player in players],
        first=first,
        opponent=[side.opponent for player in players for side in player.competitor.sides],
    )


def earns_bonus(section: Section, competitor: Competitor, edition: Edition) -> bool:
    """Whether the bonus may apply: never in matches (§7), else by games and repeats (§4.2)."""
    if section.kind is SectionType.MATCH:
        return False
    return may_earn_bonus(edition.constants, len(competitor.sides), competitor.most_meetings)


def blank_sheet(players: int, sides: int) -> Sheet:
    """An empty sheet for the five steps to write on."""

    def one_pass() -> PassColumns:
        return PassColumns(*([0.0] * players for _ in PassColumns._fields))

    return Sheet(
        effective=[0.0] * players,
        strength=[0.0] * players,
        intermediate=one_pass(),
        final=one_pass(),
        prior_odds=[0.0] * players,
        odds=[0.0] * players,
        met=[0.0] * sides,
    )


def outcome_of(player: Prepared, computed: float, section: Section, system: RatingSystem, edition: Edition) -> Outcome:
    """What becomes of a player's computed rating: match limits, floors, ceiling, storage (§5, §7)."""
    if not player.competitor.sides:  # who did not play is untouched (readings 40)
        return Outcome(math.nan, FloorKind.NONE, -math.inf, math.nan, False, player.prior)
    standing = player.standing
    constants = edition.constants
    earned = merits(constants, standing, section, player.competitor)
    floor = standing_floor(constants, system, earned, decided_floor(standing))
    ceiling = math.inf if standing.ceiling is None else standing.ceiling
    return outcome(constants, standing.rating, computed, match_past(constants, section, standing), floor, ceiling)


def rows(rated: RatedField) -> tuple[RatedPlayer, ...]:
    """A record per row of the section."""
    results = [rated_player(at, player, rated) for at, player in enumerate(rated.players)]
    return on_every_row(rated.section, [player.competitor for player in rated.players], results)


def rated_player(at: int, player: Prepared, rated: RatedField) -> RatedPlayer:
    """A player's record from the columns; a player without a rated game is untouched (readings 40)."""
    competitor = player.competitor
    constants = rated.edition.constants
    before = player.standing if player.start is None else None
    played = bool(competitor.sides)
    after = before
    if played:
        after = standing_after(constants, rated.section, competitor, player.standing, rated.outcomes[at].rating)
    return RatedPlayer(
        number=competitor.entries[0].number,
        merged_with=(),
        member_id=competitor.entries[0].member_id,
        name=competitor.entries[0].name,
        origin=competitor.background.origin,
        before=before,
        start=player.start,
        past=player.past,
        prior=player.prior,
        games_before=player.games,
        formula=formula_for(constants, player.games, player.past) if played else Formula.NONE,
        effective=rated.sheet.effective[at],
        score=competitor.score,
        games=rated_games(competitor, rated),
        earns_bonus=rated.field.earns_bonus[at],
        most_meetings=competitor.most_meetings,
        strength=rated.sheet.strength[at],
        intermediate=pass_working(rated.sheet.intermediate, at),
        final=pass_working(rated.sheet.final, at),
        outcome=rated.outcomes[at],
        after=after,
        norm=norm_code(competitor, rated),
        assumed=(*competitor.background.assumed, *player.assumed) if played else (),
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


def pass_working(columns_of_pass: PassColumns, at: int) -> PassWorking:
    """One player's working of a pass."""
    return PassWorking(*(column[at] for column in columns_of_pass))


def norm_code(competitor: Competitor, rated: RatedField) -> str | None:
    """The norm earned: Regular over the board, Swiss or round robin, post-event strengths (official facts §1)."""
    if rated.system is not RatingSystem.OTBR or rated.section.kind is SectionType.MATCH or not competitor.sides:
        return None
    opponents = [rated.finals[side.opponent] for side in competitor.sides]
    level = highest_norm(competitor.score, opponents, competitor.most_meetings)
    return None if level == NO_NORM else NORM_CODES[level]

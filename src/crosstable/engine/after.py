"""A player around a section: the columns they bring, what limits their rating record, what it becomes (§1, §5, §7)."""

import math
from collections.abc import Sequence
from itertools import accumulate

from crosstable.engine.records import (
    NUMBERS,
    Assumption,
    Numbers,
    PassWorking,
    known_games,
    numbers_of,
    with_numbers,
)
from crosstable.engine.starts import Competitor
from crosstable.formulas.outcome import (
    Level,
    MatchPast,
    Outcome,
    fewest_established,
    higher,
    is_established,
    level_below,
    standing_floor,
)
from crosstable.formulas.section import (
    Limits,
    SectionFacts,
    count_section,
    lay_rated,
    lay_results,
    lay_unrated,
    merits_of,
    no_limits,
    section_outcome,
    share_of,
    with_match,
)
from crosstable.formulas.standard import most_effective_games
from crosstable.formulas.steps import Field, PassColumns, Sheet
from crosstable.rules.amending import Edition
from crosstable.rules.constants import Constants
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import MatchChange, PlayerRating, RatingSystem, Section, SectionType
from crosstable.tuples import NamedTuple

NO_LIMITS = no_limits()


class SystemSection(NamedTuple):
    """A section in one system under one edition, and what formulas read of it."""

    section: Section
    system: RatingSystem
    edition: Edition
    facts: SectionFacts


def system_section(section: Section, system: RatingSystem, edition: Edition) -> SystemSection:
    """A section in one system."""
    # A peak is a rating after a section, so its end decides whether it is one since 2010.
    is_match, end = section.kind is SectionType.MATCH, section.end.toordinal()
    facts = SectionFacts(int(system), is_match, section.is_half_k, end, section.end >= PEAKS_COUNT_FROM)
    return SystemSection(section, system, edition, facts)


def unrated_record(credited_games: float) -> PlayerRating:
    """The record of a player who was unrated: no rating, no results, the games credited in Step 1 (§2)."""
    return PlayerRating(rating=math.nan, games=credited_games, wins=0, draws=0, losses=0, events=0)


def columns(at: SystemSection, players: Sequence[Competitor]) -> Field:
    """The columns that the five steps read."""
    count = len(players)
    field = Field(
        prior=[0.0] * count,
        games=[0.0] * count,
        past=[0] * count,
        starts_at_zero=[False] * count,
        score=[0.0] * count,
        earns_bonus=[False] * count,
        first=[0, *accumulate(len(player.sides) for player in players)],
        opponent=[side.opponent for player in players for side in player.sides],
    )
    for i, player in enumerate(players):
        lay_player(field, i, player)
        share = share_of(at.facts, *player.results)
        lay_results(at.edition.constants, at.facts, field, i, share, player.most_meetings)
    return field


def lay_player(field: Field, i: int, player: Competitor) -> None:
    """Lay out what a player brings."""
    if player.start is None:
        lay_rated(field, i, player.numbers)
    else:
        lay_unrated(field, i, player.start.initial)


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


def pass_working(columns_of_pass: PassColumns, i: int) -> PassWorking:
    """One player's working of a pass."""
    k, expected, bonus, computed, rating = columns_of_pass
    return PassWorking(k[i], expected[i], bonus[i], computed[i], rating[i])


def decided_floor(record: PlayerRating) -> Level:
    """The highest floor set by a decision (§5: money, Original Life Master, office)."""
    best = NO_LIMITS.decided
    for floor in record.floors:
        best = higher(best, Level(floor.kind, floor.level))
    return best


def highest_floor(at: SystemSection, record: PlayerRating, results: tuple[int, int, int]) -> Level:
    """The highest floor of a record after a section with these results (§5)."""
    constants, numbers = at.edition.constants, numbers_of(record)
    merits = merits_of(constants, numbers, share_of(at.facts, *results), numbers.lowered_floor)
    return standing_floor(constants, at.facts.system, merits, decided_floor(record))


def match_past(constants: Constants, section: Section, record: PlayerRating) -> MatchPast:
    """Net match changes in the windows that end with this section (§7; readings 74, 107)."""
    if section.kind is not SectionType.MATCH:
        return NO_LIMITS.match
    past = MatchPast(is_match=True, net_half_year=0.0, net_three_years=0.0)
    # The oldest first, as the compiled replay adds them, for the same bits.
    for one in record.match_changes:
        past = with_match(constants, past, section.end.toordinal(), one.on.toordinal(), one.change)
    return past


def limits_of(at: SystemSection, record: PlayerRating, numbers: Numbers) -> Limits:
    """What holds a rating in a section, whatever is computed: decided floors, ceiling, matches (§5, §7)."""
    ceiling = math.inf if record.ceiling is None else record.ceiling
    past = match_past(at.edition.constants, at.section, record)
    return Limits(decided_floor(record), ceiling, numbers.lowered_floor, past)


def outcome_of(at: SystemSection, player: Competitor, computed: float) -> Outcome:
    """What becomes of a player's computed rating: match limits, floors, ceiling, storage (§5, §7)."""
    share, limits = share_of(at.facts, *player.results), limits_of(at, player.record, player.numbers)
    return section_outcome(at.edition.constants, at.facts, player.numbers, share, computed, limits)


def record_after(at: SystemSection, player: Competitor, rating: float) -> PlayerRating:
    """The record after a section; the player's numbers are brought up to date."""
    return counted(at, player.record, player.numbers, player.results, rating)


def counted(
    at: SystemSection, record: PlayerRating, numbers: Numbers, results: tuple[int, int, int], rating: float
) -> PlayerRating:
    """A record after a section with these results and this rating, and the change of a match (§7)."""
    count_section(at.edition.constants, at.facts, numbers, numbers, share_of(at.facts, *results), rating)
    after = with_numbers(record, numbers, NUMBERS)
    if at.facts.is_match and not math.isnan(record.rating):
        # What stood after limits and floors is what later matches add up; N grows by m all the same (readings 60).
        change = MatchChange(at.section.end, rating - record.rating)
        after = after._replace(match_changes=(*record.match_changes, change))
    return after


def count_matters(constants: Constants, rating: float) -> bool:
    """Whether the game count of an established rating can move a section (§3): N' may be less than N*."""
    return most_effective_games(constants, rating) > fewest_established(constants)


def assumptions(constants: Constants, record: PlayerRating) -> list[str]:
    """What the record before the section leaves open and the calculation had to assume."""
    assumed: list[str] = []
    if record.games is None and count_matters(constants, record.rating):
        assumed.append(Assumption.GAMES)
    if None in (record.wins, record.draws, record.losses, record.events):
        assumed.append(Assumption.COUNTS)
    if is_established(constants, known_games(record)) and record.peak is None:
        assumed.append(Assumption.PEAK)
    elif _newer_peak_is_missing(constants, record):
        assumed.append(Assumption.PEAK_SINCE_2010)
    return assumed


def _newer_peak_is_missing(constants: Constants, record: PlayerRating) -> bool:
    """Whether only the peak of all time is given, and it lies where the peak since 2010 decides (readings 94)."""
    if record.peak is None or record.peak_since_2010 is not None:
        return False
    return constants.peak_lowest_since_2010 <= level_below(constants, record.peak) < constants.peak_lowest

"""Why a row differs: named causes, each tried by rating the section again with the one thing changed.

A cause is given only if changing that one unknown fact (or a few of them, one after the other) brings the posted
figure within a point and makes no row wrong that was right. The facts are those that a posted page does not show; two
more trials read the page itself differently, by the rules of its last day or as a match.

The facts behind a difference that a posted page does not show, each as a change that can be tried. A change sets one
fact of one player to one value. The stages put the facts in the order of how likely they matter; the page is rated
again with each and keeps the one that brings the posted figures about.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from crosstable.formulas.outcome import fewest_established, is_established
from crosstable.formulas.standard import most_effective_games
from crosstable.rules.amending import Edition
from crosstable.rules.constants import Constants
from crosstable.rules.editions import announced_edition_for
from crosstable.terms import (
    Background,
    Floor,
    FloorKind,
    GivenStart,
    MatchChange,
    PlayerRating,
    RatingSystem,
    Section,
    SectionType,
)
from crosstable.verification.pages import (
    REPAIRED,
    Page,
    Row,
    Verdict,
    circle,
    is_right,
    judged,
    rated_as_then,
    rows_of,
    without_online_fault,
)
from crosstable.verification.starts import bounds_of, credited_games
from crosstable.verification.trials import Trials

END_DATE = "the rules of the day the section ended"
UNEXPLAINED = "unexplained"
ALL_LOSSES = "an all-losses past that the page does not show"
ALL_WINS = "an all-wins past that the page does not show"
HIDDEN_FLOOR = "a floor that the page does not show"
INITIAL_RATING = "an initial rating not published"
MATCH_CAP = "a limit of match play"
OTHER_PRE = "a pre-event rating that was not the one used"

UNKNOWN_COUNT = "unknown game count"
NAMED_CAUSES = (
    UNKNOWN_COUNT,
    ALL_WINS,
    ALL_LOSSES,
    HIDDEN_FLOOR,
    MATCH_CAP,
    OTHER_PRE,
    INITIAL_RATING,
    END_DATE,
)

NOTHING: Mapping[int, float] = {}
# Facts that a page never shows and can settle: a past is one of three, a count one of few whole numbers.
HIDDEN = (ALL_WINS, ALL_LOSSES, UNKNOWN_COUNT)
MOST_CHANGES = 8
SETTLING_ROWS = 2


class Change(NamedTuple):
    """One unknown fact set to a value: whose, the cause it stands for, and the standing or start that says it."""

    number: int
    cause: str
    note: str
    fact: PlayerRating | GivenStart


class Explained(NamedTuple):
    """Rows with their causes, the facts that had to be changed to explain them, and those that the page settles.

    A page settles a fact that brings two or more rows about: one number was free, the other rows confirm it.
    """

    rows: list[Row]
    changes: tuple[Change, ...]
    settled: Mapping[int, PlayerRating] = {}


LARGEST_FIELD = 300
HALVINGS = 24


class Inquiry(NamedTuple):
    """A page made ready for trials, the rows asked about, and what earlier pages last posted for its players.

    A short inquiry asks for pasts and counts nearby only.
    """

    page: Page
    trials: Trials
    rows: Mapping[int, Row]
    earlier: Mapping[int, float]
    is_short: bool = False

    @property
    def constants(self) -> Constants:
        """The constants that the page is rated under."""
        return self.page.checked.edition.constants


def explained(
    page: Page,
    backgrounds: Mapping[int, Background],
    rows: Sequence[Row],
    earlier: Mapping[int, float] = NOTHING,
    *,
    every_row: bool = False,
) -> Explained:
    """The rows, those that differ with their cause; ``earlier`` holds what earlier pages last posted for players.

    Only clean rows are asked about, unless ``every_row`` is: then unknown starts were fitted before.
    """
    asked = {row.number: row for row in rows if row.is_clean or every_row}
    differ = {number for number, row in asked.items() if row.verdict is Verdict.UNEXPLAINED}
    wrong = {number for number, row in asked.items() if not is_right(row, row.verdict, row.computed)}
    if not wrong:
        return Explained(list(rows), ())
    causes = other_readings(page, backgrounds, differ)
    found: list[tuple[Change, set[int]]] = []
    if not wrong <= causes.keys():
        inquiry = Inquiry(page, Trials(page, backgrounds), _without(asked, causes), earlier, is_short=every_row)
        found = _by_changes(inquiry, wrong - causes.keys())
    for change, numbers in found:
        for number in numbers:
            whose = "" if number == change.number else f", of player {change.number}"
            causes[number] = f"{change.cause}{whose}{change.note}"
    named = [row._replace(cause=causes.get(row.number, UNEXPLAINED)) if row.number in differ else row for row in rows]
    settled = {
        change.number: change.fact
        for change, numbers in found
        if len(numbers) >= SETTLING_ROWS and change.cause in HIDDEN and isinstance(change.fact, PlayerRating)
    }
    implied = tuple(change for change, numbers in found if change.number in settled or change.number in numbers)
    return Explained(named, implied, settled)


def _without(asked: Mapping[int, Row], causes: Mapping[int, str]) -> dict[int, Row]:
    return {number: row for number, row in asked.items() if number not in causes}


def other_readings(page: Page, backgrounds: Mapping[int, Background], wrong: set[int]) -> dict[int, str]:
    """Rows that come out right when the page is read differently; the first reading that does is named."""
    causes: dict[int, str] = {}
    for cause, section, edition in _other_readings(page):
        rated = rated_as_then(page, backgrounds, section, edition)
        within = {row.number for row in rows_of(page, rated) if row.verdict is Verdict.WITHIN}
        causes = dict.fromkeys(wrong & within, cause) | causes
    return causes


def _other_readings(page: Page) -> Iterator[tuple[str, Section, Edition]]:
    """The page by the rules of its last day (readings 98), two players as a match, a match without limits (§7).

    A page that is rated with the online fault also without it (readings 103).
    """
    section, edition = page.checked.section, page.checked.edition
    announced, repaired = announced_edition_for(section.start, section.end), without_online_fault(edition)
    if repaired is not edition:
        yield REPAIRED, section, repaired
    if announced.constants != repaired.constants:
        weight = edition.constants.k_effective_weight  # one thing is changed at a time
        yield END_DATE, section, announced._replace(constants=announced.constants._replace(k_effective_weight=weight))
    if section.kind is SectionType.MATCH:
        free = edition.constants._replace(match_change=math.inf, match_half_year=math.inf, match_three_years=math.inf)
        yield f"{MATCH_CAP} (not applied)", section, edition._replace(constants=free)
    elif len(section.entries) == 2:
        yield f"{MATCH_CAP} (not coded as a match)", section._replace(kind=SectionType.MATCH), edition


def _by_changes(inquiry: Inquiry, left: set[int]) -> list[tuple[Change, set[int]]]:
    """Change one unknown fact after the other, always the one that explains most, until none helps; with its rows."""
    found: list[tuple[Change, set[int]]] = []
    while left and len(found) < MOST_CHANGES:
        chosen = _best_change(inquiry, left)
        if chosen is None:
            break
        change, still = chosen
        inquiry.trials.with_fact(change.number, change.fact)
        found.append((change, left - still))
        left = still
    return found


def _best_change(inquiry: Inquiry, left: set[int]) -> tuple[Change, set[int]] | None:
    """The first stage of changes that explains anything, and in it the one that explains most with least error."""
    for changes in stages(inquiry, left):
        chosen = _best_of(changes, inquiry, left)
        if chosen is not None:
            return chosen
    return None


def _best_of(changes: Iterator[Change], inquiry: Inquiry, left: set[int]) -> tuple[Change, set[int]] | None:
    best: tuple[int, float] | None = None
    chosen: tuple[Change, set[int]] | None = None
    rows, trials = [(inquiry.trials.position[row.number], row) for row in inquiry.rows.values()], inquiry.trials
    before = trials.ratings()
    errors, wrong = [0.0] * len(rows), set()
    for i, (at, row) in enumerate(rows):
        errors[i], is_wrong = _judged(row, before[at], left)
        wrong |= {row.number} if is_wrong else set()
    for change in changes:
        player = trials.prepared(change.number)
        trials.with_fact(change.number, change.fact)
        ratings = trials.ratings()
        trials.put_back(change.number, player)
        still, left_over = set(wrong), list(errors)
        for i, (at, row) in enumerate(rows):
            if ratings[at] != before[at]:  # most rows stay as they are
                left_over[i], is_wrong = _judged(row, ratings[at], left)
                still = still | {row.number} if is_wrong else still - {row.number}
        error = math.fsum(left_over)
        if still < left and (best is None or (len(still), error) < best):
            best, chosen = (len(still), error), (change, still)
    return chosen


def _judged(row: Row, computed: float, left: set[int]) -> tuple[float, bool]:
    """What a trial leaves between computed and posted, and whether the row stays wrong or becomes so."""
    verdict = judged(row, computed)
    is_at_floor = verdict is Verdict.AT_FLOOR
    is_met = not is_at_floor or row.number not in left
    return 0.0 if is_at_floor else math.fabs(row.posted - computed), not (is_met and is_right(row, verdict, computed))


def stages(inquiry: Inquiry, left: set[int]) -> Iterator[Iterator[Change]]:
    """Unknown facts by how likely they matter: pasts nearby, own counts; own ratings and limits; then further off."""
    nearby = circle(inquiry.page, left, 1)
    yield chain(pasts(inquiry, nearby), counts(inquiry, left))
    if inquiry.is_short:
        return
    yield pre_ratings(inquiry, nearby)
    yield match_limits(inquiry, left)
    yield hidden_floors(inquiry, left)
    yield initial_ratings(inquiry, left)
    if len(inquiry.page.players) <= LARGEST_FIELD:
        yield pasts(inquiry, circle(inquiry.page, left, 2) - nearby)
        yield counts(inquiry, nearby - left)


def pasts(inquiry: Inquiry, numbers: set[int]) -> Iterator[Change]:
    """All-wins and all-losses pasts of provisional players (§4.1)."""
    for number in sorted(numbers):
        prepared = inquiry.trials.prepared(number)
        standing = prepared.record
        is_provisional = standing.games is not None and not is_established(inquiry.constants, standing.games)
        if prepared.start is None and is_provisional:
            count = int(standing.games or 0)
            yield Change(number, ALL_WINS, "", standing._replace(wins=count, draws=0, losses=0))
            yield Change(number, ALL_LOSSES, "", standing._replace(wins=0, draws=0, losses=count))


def counts(inquiry: Inquiry, numbers: set[int]) -> Iterator[Change]:
    """Game counts of established players that make a difference (§3), where the page shows none."""
    for number in sorted(numbers):
        prepared = inquiry.trials.prepared(number)
        shown = inquiry.page.backgrounds[number].standings.get(inquiry.page.system)
        if prepared.start is None and shown is not None and shown.games is None:
            most = math.ceil(most_effective_games(inquiry.constants, prepared.record.rating))
            for games in range(int(fewest_established(inquiry.constants)), most + 1):
                counted = prepared.record._replace(games=float(games))
                yield Change(number, UNKNOWN_COUNT, f" ({games} would fit)", counted)


def pre_ratings(inquiry: Inquiry, numbers: set[int]) -> Iterator[Change]:
    """Pre-event ratings that an earlier page posted and this one does not show."""
    for number in sorted(numbers & inquiry.earlier.keys()):
        standing = inquiry.trials.prepared(number).record
        posted = inquiry.earlier[number]
        if standing.rating != posted:
            yield Change(number, OTHER_PRE, f" ({posted:g})", standing._replace(rating=posted))


def match_limits(inquiry: Inquiry, numbers: set[int]) -> Iterator[Change]:
    """Changes of earlier matches that leave less room for this one: net sums of 180 days and three years (§7)."""
    section, constants = inquiry.page.checked.section, inquiry.constants
    limit = min(constants.match_half_year, constants.match_three_years)
    if section.kind is not SectionType.MATCH or math.isinf(limit):
        return
    for number in sorted(numbers):
        row, standing = inquiry.rows[number], inquiry.trials.prepared(number).record
        way = math.copysign(1.0, row.computed - row.pre)
        for points in range(1, int(limit) + 1):
            before = MatchChange(section.end, way * points)
            note = f" (matches before it of {before.change:+.0f} would fit)"
            yield Change(number, MATCH_CAP, note, standing._replace(match_changes=(*standing.match_changes, before)))


def hidden_floors(inquiry: Inquiry, numbers: set[int]) -> Iterator[Change]:
    """A floor at the posted level, where the rules know one: a prize's hundred, or 2200 of a Life Master (§5)."""
    constants, system = inquiry.constants, inquiry.page.system
    for number in sorted(numbers):
        posted, prepared = inquiry.rows[number].posted, inquiry.trials.prepared(number)
        if posted % constants.peak_step == 0.0 and posted <= constants.money_highest:
            floor = Floor(FloorKind.MONEY, posted)
        elif posted == constants.life_master_level and system is RatingSystem.OTBR:
            floor = Floor(FloorKind.LIFE_MASTER, posted)
        else:
            continue
        if prepared.start is None:
            floors = (*prepared.record.floors, floor)
            yield Change(number, HIDDEN_FLOOR, f" ({posted:g})", prepared.record._replace(floors=floors))


def initial_ratings(inquiry: Inquiry, numbers: set[int]) -> Iterator[Change]:
    """Starts of unrated players nearby, each where it brings one of these rows to its posted figure (§2)."""
    for newcomer in sorted(circle(inquiry.page, numbers, 2)):
        prepared = inquiry.trials.prepared(newcomer)
        if prepared.start is None or prepared.background.given_start is not None:
            continue
        credited = credited_games(inquiry.page, newcomer)
        games = prepared.start.initial.games if credited is None else credited
        for number in sorted(numbers):
            start = _start_for(inquiry, newcomer, games, number)
            inquiry.trials.put_back(newcomer, prepared)
            if start is not None:
                yield Change(newcomer, INITIAL_RATING, f" ({start.rating:.0f} would fit)", start)


def _start_for(inquiry: Inquiry, newcomer: int, games: float, number: int) -> GivenStart | None:
    """The start that gives a row its posted figure, found by halving; none if even the lowest or highest misses it."""
    row, trials = inquiry.rows[number], inquiry.trials

    def error(rating: float) -> float:
        trials.with_fact(newcomer, GivenStart(rating, games))
        return row.posted - trials.ratings()[trials.position[number]]

    low, high = bounds_of(inquiry.constants, games)
    at_low, at_high = error(low), error(high)
    if at_low == at_high or at_low * at_high > 0.0:
        return None
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if error(middle) * at_low > 0.0:
            low = middle
        else:
            high = middle
    return GivenStart(high, games)

"""The facts behind a difference that a posted page does not show, each as a change that can be tried.

A change sets one fact of one player to one value. The stages put the facts in the order of how likely they matter;
``causes`` rates the page again with each and keeps the one that brings the posted figures about.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from crosstable.formulas.section import is_established
from crosstable.formulas.standard import most_effective_games
from crosstable.rules.constants import Constants
from crosstable.terms import Floor, FloorKind, GivenStart, MatchChange, PlayerRating, RatingSystem, SectionType
from crosstable.verification.pages import Page, circle
from crosstable.verification.rows import Row
from crosstable.verification.starts import bounds_of, credited_games
from crosstable.verification.trials import Trials

UNKNOWN_COUNT = "unknown game count"
ALL_WINS = "an all-wins past that the page does not show"
ALL_LOSSES = "an all-losses past that the page does not show"
OTHER_PRE = "a pre-event rating that was not the one used"
MATCH_CAP = "a limit of match play"
HIDDEN_FLOOR = "a floor that the page does not show"
INITIAL_RATING = "an initial rating not published"

LARGEST_FIELD = 300
HALVINGS = 24


class Change(NamedTuple):
    """One unknown fact set to a value: whose, the cause it stands for, and the standing or start that says it."""

    number: int
    cause: str
    note: str
    fact: PlayerRating | GivenStart


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
        shown = inquiry.page.checked.backgrounds[number].standings.get(inquiry.page.system)
        if prepared.start is None and shown is not None and shown.games is None:
            most = math.ceil(most_effective_games(inquiry.constants, prepared.record.rating))
            for games in range(math.floor(inquiry.constants.established_above) + 1, most + 1):
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
        if prepared.start is None or prepared.competitor.background.given_start is not None:
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

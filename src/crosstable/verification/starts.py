"""Unknown starts: where an unrated player's start is not published, the start that fits the section best.

The games credited follow from the posted count. The rating is found by least squares over all posted rows of the
section (Gauss-Newton with slopes taken once, bounded). A fitted start is reported as fitted, never as known, and the
rows that rest on it are counted apart.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.rules.editions import EDITIONS, LOWEST_FLOOR
from crosstable.terms import Background, GivenStart, RatingSystem
from crosstable.verification.pages import Page, is_clean
from crosstable.verification.rows import Verdict, verdict_of
from crosstable.verification.trials import Trials

# Between which ratings a start is looked for: one by age, and one that other ratings give.
AGE_BASED = (LOWEST_FLOOR, max(edition.constants.adult_start for edition in EDITIONS))
CREDITED = (LOWEST_FLOOR, 2900.0)
FIRST_GUESS = EDITIONS[-1].constants.unknown_start
NUDGE = 40.0
ROUNDS = 3
LARGEST_ERROR = 40.0
DAMPING = 1e-3
MOST_STARTS = 60


class FittedStart(NamedTuple):
    """The start that fits one unrated player: rating and credited games."""

    number: int
    rating: float
    games: float


class FittedSection(NamedTuple):
    """A section with fitted starts, the rows that rest on them, and how many of those then agree."""

    event: str
    section: int
    system: RatingSystem
    starts: tuple[FittedStart, ...]
    rows: int
    within: int
    at_floor: int


def fitted(page: Page, backgrounds: Mapping[int, Background]) -> FittedSection | None:
    """The section with the best starts for its unrated players, or nothing where there are none to fit."""
    starts = _unknown(page, backgrounds)
    if not starts or len(starts) > MOST_STARTS:
        return None
    trials = Trials(page, backgrounds)
    rows = _posted(page, trials)
    slopes = _slopes(trials, starts, rows)
    for _ in range(ROUNDS):
        starts = _improved(trials, starts, rows, slopes)
    ratings = _ratings(trials, starts)
    resting = [row for row in rows if not row.is_clean]
    constants = page.checked.edition.constants
    verdicts = [verdict_of(constants, row.pre, ratings[row.position], row.posted) for row in resting]
    return FittedSection(
        page.event_id,
        page.checked.section.number,
        page.system,
        tuple(starts),
        rows=len(resting),
        within=verdicts.count(Verdict.WITHIN),
        at_floor=verdicts.count(Verdict.AT_FLOOR),
    )


class PostedRow(NamedTuple):
    """A posted figure that the fit has to meet."""

    position: int
    pre: float
    posted: float
    is_clean: bool


def _posted(page: Page, trials: Trials) -> list[PostedRow]:
    rows = []
    for number, player in page.players.items():
        posted = player.posted.get(page.system)
        prepared = trials.prepared(number)
        is_first_row = prepared.competitor.entries[0].number == number
        if posted is not None and prepared.competitor.sides and is_first_row:
            pre = prepared.record.rating if prepared.start is None else posted.rating
            rows.append(PostedRow(trials.position[number], pre, posted.rating, is_clean(page, number)))
    return rows


def _ratings(trials: Trials, starts: Sequence[FittedStart]) -> list[float]:
    for start in starts:
        trials.with_start(start.number, GivenStart(start.rating, start.games))
    return trials.ratings()


def _unknown(page: Page, backgrounds: Mapping[int, Background]) -> list[FittedStart]:
    """Unrated players with posted counts: what they were credited with, and a first guess."""
    starts = []
    for number, player in page.players.items():
        credited = credited_games(page, number)
        if credited is not None and not backgrounds[number].standings.get(page.system):
            guess = player.posted[page.system].rating if credited else FIRST_GUESS
            starts.append(FittedStart(number, guess, credited))
    return starts


def credited_games(page: Page, number: int) -> float | None:
    """The games an unrated player was credited with, as the posted count tells; none where it cannot be so."""
    player = page.players[number]
    posted = player.posted.get(page.system)
    played = sum(cell.result is not None and cell.result.is_game for cell in player.cells)
    if posted is None or posted.games is None or not played:
        return None
    credited = posted.games - played
    return credited if 0.0 <= credited <= page.checked.edition.constants.credited_cap else None


def bounds_of(credited: float) -> tuple[float, float]:
    """The lowest and highest start that is possible: by age without credited games (§2.3), else of any rating."""
    return CREDITED if credited else AGE_BASED


def _slopes(trials: Trials, starts: list[FittedStart], rows: list[PostedRow]) -> list[list[float]]:
    """How far each start, moved by a point, moves each row."""
    base = _ratings(trials, starts)
    slopes: list[list[float]] = []
    for start in starts:
        nudge = NUDGE if start.rating + NUDGE <= bounds_of(start.games)[1] else -NUDGE
        trials.with_start(start.number, GivenStart(start.rating + nudge, start.games))
        moved = trials.ratings()
        trials.with_start(start.number, GivenStart(start.rating, start.games))
        slopes.append([(moved[row.position] - base[row.position]) / nudge for row in rows])
    return slopes


def _improved(
    trials: Trials, starts: list[FittedStart], rows: list[PostedRow], slopes: list[list[float]]
) -> list[FittedStart]:
    """One round of Gauss-Newton: the step that lowers the squares of all errors."""
    base = _ratings(trials, starts)
    errors = [_bounded(row, base[row.position]) for row in rows]
    step = _solved(_normal(slopes), [_dot(slope, errors) for slope in slopes])
    return [_moved(start, change) for start, change in zip(starts, step, strict=True)]


def _bounded(row: PostedRow, computed: float) -> float:
    """A row's error, held so that a floor or an unseen past does not pull the fit."""
    return max(-LARGEST_ERROR, min(LARGEST_ERROR, row.posted - computed))


def _moved(start: FittedStart, change: float) -> FittedStart:
    least, most = bounds_of(start.games)
    return start._replace(rating=max(least, min(most, start.rating + change)))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True) if a)


def _normal(slopes: list[list[float]]) -> list[list[float]]:
    matrix = [[_dot(one, other) for other in slopes] for one in slopes]
    for at, row in enumerate(matrix):
        row[at] += DAMPING
    return matrix


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a small symmetric positive system, by elimination."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at in range(size):
        for below in range(at + 1, size):
            factor = rows[below][at] / rows[at][at]
            if factor:
                for column in range(at, size + 1):
                    rows[below][column] -= factor * rows[at][column]
    solution = [0.0] * size
    for at in reversed(range(size)):
        known = math.fsum(rows[at][column] * solution[column] for column in range(at + 1, size))
        solution[at] = (rows[at][size] - known) / rows[at][at]
    return solution

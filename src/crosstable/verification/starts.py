"""Unknown starts: where an unrated player's start is not published, the start that fits the section best.

The games credited follow from the posted count, as far as it is shown. The rating is found by least absolute errors
over the posted rows that rest on it: damped Gauss-Newton with slopes taken anew in every round and corrected by every
step, from the one level that fits best and then from jumps of each start that bears on a wrong row, between the bounds
that the rules set. A fitted start is reported as fitted, never as known, and the rows that rest on it are counted
apart, beside the number of starts that were free.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.formulas.outcome import is_established
from crosstable.rules.constants import Constants
from crosstable.rules.editions import LOWEST_FLOOR
from crosstable.terms import Background, GivenStart
from crosstable.verification.pages import Page, Verdict, clean_rows, verdict_of
from crosstable.verification.slopes import Bearing, step_along
from crosstable.verification.trials import Trials

HIGHEST_START = 2900.0
ROUNDS = 12
STEPS = 8
TRIES = 4
LEAST_GAIN = 0.3
FIRST_DAMPING = 0.0005
LEAST_DAMPING = 0.0003
EASING = 4.0
LEVELS = 11
JUMPS = 6
SWEEPS = 2
# A start is left alone if no more than this share of its effects is on rows that are not near.
SLIGHT = 0.02
# A row this near is left alone while others are worse: both its figures are rounded.
NEAR = 0.8
# Players rated in trials after which a search ends, so that a page is judged in a second; so many rounds at least.
MOST_WORK = 14_000
LEAST_ROUNDS = 2


class FittedStart(NamedTuple):
    """The start that fits one unrated player: rating and credited games."""

    number: int
    rating: float
    games: float


class FittedPage(NamedTuple):
    """The best starts for the unrated players of a page, and the ratings by number that they give."""

    starts: Sequence[FittedStart] = ()
    ratings: Mapping[int, float] = {}

    def begun(self, backgrounds: Mapping[int, Background]) -> dict[int, Background]:
        """What the players brought, with these starts."""
        found = dict(backgrounds)
        for number, rating, games in self.starts:
            found[number] = found[number]._replace(given_start=GivenStart(rating, games))
        return found


def fitted_page(page: Page, backgrounds: Mapping[int, Background]) -> FittedPage:
    """The best starts for the unrated players of a page; none where there are none to fit."""
    unknown = _unknown(page, backgrounds)
    if not unknown:
        return FittedPage()
    fit = _Fit(page, Trials(page, backgrounds))
    starts = fit.improved(fit.level(unknown))
    for _ in range(SWEEPS):
        if not fit.goes_on or not fit.wrong(starts):
            break
        starts = fit.improved(fit.jumped(starts))
    return FittedPage(starts, fit.ratings_by_number(starts))


class PostedRow(NamedTuple):
    """A posted figure that the fit has to meet."""

    position: int
    pre: float
    posted: float


class _Fit:
    """The rows of a page that rest on unknown starts, and the search for the starts that bring them about."""

    def __init__(self, page: Page, trials: Trials) -> None:
        self._trials = trials
        self._constants = page.checked.edition.constants
        self._rows = _resting(page, trials)
        self._laid: dict[int, FittedStart] = {}

    @property
    def goes_on(self) -> bool:
        """Whether there is time for more."""
        return self._trials.rated < MOST_WORK

    def ratings_by_number(self, starts: Sequence[FittedStart]) -> dict[int, float]:
        """The ratings that these starts give."""
        ratings = self._ratings(starts)
        return {number: ratings[at] for number, at in self._trials.position.items()}

    def wrong(self, starts: Sequence[FittedStart]) -> int:
        """How many rows these starts leave unexplained."""
        ratings = self._ratings(starts)
        verdicts = (verdict_of(self._constants, row.pre, ratings[row.position], row.posted) for row in self._rows)
        return sum(verdict is Verdict.UNEXPLAINED for verdict in verdicts)

    def level(self, starts: list[FittedStart]) -> list[FittedStart]:
        """A first guess: everybody who was credited with no games at the one level that fits best, others as posted."""
        guesses = ([_at_level(start, level) for start in starts] for level in self._levels(LEVELS))
        return min(guesses, key=self._size)

    def jumped(self, starts: list[FittedStart]) -> list[FittedStart]:
        """A guess further off: each start that bears on a wrong row in turn where it fits best, however far that is."""
        starts = list(starts)
        for at in self._bearing(starts, self._errors(starts))[0]:
            if not self.goes_on:
                break
            start = starts[at]
            moves = [start, *(start._replace(rating=level) for level in self._levels(JUMPS) if not start.games)]
            sizes = [self._size([*starts[:at], move, *starts[at + 1 :]]) for move in moves]
            starts[at] = moves[sizes.index(min(sizes))]
        return starts

    def improved(self, starts: list[FittedStart]) -> list[FittedStart]:
        """Damped Gauss-Newton from a guess, until a step gains too little."""
        errors, damping = self._errors(starts), FIRST_DAMPING
        for done in range(ROUNDS):
            if done >= LEAST_ROUNDS and not self.goes_on:
                break
            before = _size(errors)
            active, bearing = self._bearing(starts, errors)
            for _ in range(STEPS):
                moved, after, damping = self._step(starts, errors, (active, bearing, damping))
                gain = _size(errors) - _size(after)
                if gain > 0.0:
                    changes = [moved[at].rating - starts[at].rating for at in active]
                    bearing.learn(changes, [one - other for one, other in zip(errors, after, strict=True)])
                    starts, errors = moved, after
                if gain < LEAST_GAIN:
                    break
            if before - _size(errors) < LEAST_GAIN:
                break
        return starts

    def _step(
        self, starts: list[FittedStart], errors: list[float], along: tuple[list[int], Bearing, float]
    ) -> tuple[list[FittedStart], list[float], float]:
        """A step along slopes, damped more while it helps nothing; with its errors, and the damping to go on with."""
        active, bearing, damping = along
        before = _size(errors)
        for _ in range(TRIES):
            moved = self._moved(starts, active, step_along(bearing, errors, damping))
            after = self._errors(moved)
            if _size(after) < before:
                return moved, after, max(damping / EASING, LEAST_DAMPING)
            damping *= EASING * EASING
        return moved, after, damping

    def _bearing(self, starts: Sequence[FittedStart], errors: Sequence[float]) -> tuple[list[int], Bearing]:
        """The starts that bear on a row that is not near yet, and what they bear on, before floors and storage."""
        self._ratings(starts)
        slopes = self._trials.slopes()
        positions = [self._trials.position[one.number] for one in starts]
        rows = [row.position for row in self._rows]
        whole = Bearing(slopes, positions, rows)
        far = [1.0 if math.fabs(error) > NEAR else 0.0 for error in errors]
        pulls, all_pulls = whole.back(far), whole.back([1.0] * len(far))
        active = [at for at, pull in enumerate(pulls) if pull >= SLIGHT * all_pulls[at]]
        if len(active) == len(starts):
            return active, whole
        return active, Bearing(slopes, [positions[at] for at in active], rows)

    def _levels(self, steps: int) -> list[float]:
        least, most = bounds_of(self._constants, 0.0)
        return [least + (most - least) * at / steps for at in range(steps + 1)]

    def _size(self, starts: Sequence[FittedStart]) -> float:
        return _size(self._errors(starts))

    def _ratings(self, starts: Sequence[FittedStart]) -> list[float]:
        for start in starts:
            if self._laid.get(start.number) is not start:
                self._laid[start.number] = start
                self._trials.with_start(start.number, GivenStart(start.rating, start.games))
        return self._trials.ratings()

    def _errors(self, starts: Sequence[FittedStart]) -> list[float]:
        """Posted less computed; nothing where a floor explains the row."""
        ratings = self._ratings(starts)
        errors = []
        for row in self._rows:
            verdict = verdict_of(self._constants, row.pre, ratings[row.position], row.posted)
            errors.append(0.0 if verdict is Verdict.AT_FLOOR else row.posted - ratings[row.position])
        return errors

    def _moved(self, starts: Sequence[FittedStart], active: Sequence[int], step: Sequence[float]) -> list[FittedStart]:
        moved = list(starts)
        for at, change in zip(active, step, strict=True):
            least, most = bounds_of(self._constants, moved[at].games)
            moved[at] = moved[at]._replace(rating=max(least, min(most, moved[at].rating + change)))
        return moved


def _resting(page: Page, trials: Trials) -> list[PostedRow]:
    """The posted rows that rest on unknown starts, a re-entry once."""
    rows, clean = [], clean_rows(page)
    for number, player in page.players.items():
        posted = player.posted.get(page.system)
        prepared = trials.prepared(number)
        is_first_row = prepared.entries[0].number == number
        if posted is not None and prepared.sides and is_first_row and number not in clean:
            pre = prepared.record.rating if prepared.start is None else -math.inf
            rows.append(PostedRow(trials.position[number], pre, posted.rating))
    return rows


def _unknown(page: Page, backgrounds: Mapping[int, Background]) -> list[FittedStart]:
    """Unrated players who played, at the posted rating, with the games that the posted count says were credited."""
    starts = []
    for number, player in page.players.items():
        background = backgrounds[number]
        is_given = page.system in background.standings or background.given_start is not None
        credited = None if is_given else credited_games(page, number)
        if credited is not None:
            posted = player.posted.get(page.system)
            starts.append(FittedStart(number, LOWEST_FLOOR if posted is None else posted.rating, credited))
    return starts


def _at_level(start: FittedStart, level: float) -> FittedStart:
    """A start at a level where it is by age, else as posted."""
    return start if start.games else start._replace(rating=level)


def credited_games(page: Page, number: int) -> float | None:
    """The games an unrated player was credited with, as the posted count tells; none where it cannot be so.

    No count after the section is an established rating: the cap leads to it, or nothing does. The second row of a
    re-entry tells nothing of its own.
    """
    player = page.players[number]
    posted = player.posted.get(page.system)
    constants = page.checked.edition.constants
    rows = [one for one in page.players.values() if one is player or (one.member_id == player.member_id != "")]
    played = sum(cell.result is not None and cell.result.is_game for one in rows for cell in one.cells)
    if not played or rows[0] is not player:
        return None
    if posted is None:
        return 0.0
    if posted.games is None:
        return constants.credited_cap if is_established(constants, played + constants.credited_cap) else None
    credited = posted.games - played
    return credited if 0.0 <= credited <= constants.credited_cap else None


def bounds_of(constants: Constants, credited: float) -> tuple[float, float]:
    """The lowest and highest start that is possible: by age without credited games (§2.3), else of any rating."""
    if credited:
        return LOWEST_FLOOR, HIGHEST_START
    return constants.age_base + constants.age_slope * constants.age_youngest, constants.adult_start


def _size(errors: Sequence[float]) -> float:
    return math.fsum(math.fabs(error) for error in errors)

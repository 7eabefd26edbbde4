"""Unknown starts: where an unrated player's start is not published, the start that fits the section best.

The games credited follow from the posted count, as far as it is shown. The rating is found by least absolute errors
over the posted rows that rest on it: damped Gauss-Newton with slopes taken anew in every round and corrected by every
step, from the one level that fits best and then from jumps of each start that bears on a wrong row, between the bounds
that the rules set. A fitted start is reported as fitted, never as known, and the rows that rest on it are counted
apart, beside the number of starts that were free.
"""

import math
from collections.abc import Mapping, Sequence
from operator import mul, truediv
from typing import NamedTuple

from crosstable.rules.constants import Constants
from crosstable.rules.editions import LOWEST_FLOOR
from crosstable.terms import Background, GivenStart
from crosstable.verification.pages import Page, clean_rows
from crosstable.verification.rows import Verdict, verdict_of
from crosstable.verification.trials import Effect, Slopes, Trials

HIGHEST_START = 2900.0
ROUNDS = 30
STEPS = 8
TRIES = 4
LEAST_GAIN = 0.3
FIRST_DAMPING = 0.0005
LEAST_DAMPING = 0.0003
EASING = 4.0
LEVELS = 11
JUMPS = 6
SWEEPS = 2
# A slope of so small a share of the steepest of its start is left out.
SLIGHT = 0.02
# Where the equations of a step are solved well enough: squared, and after so many turns.
PRECISION = 1e-3
MOST_TURNS = 8
# A row this near is left alone while others are worse: both its figures are rounded.
NEAR = 0.8
# Players rated in trials after which a search ends, so that a page is judged in a second; so many rounds at least.
MOST_WORK = 20_000
LEAST_ROUNDS = 2


class FittedStart(NamedTuple):
    """The start that fits one unrated player: rating and credited games."""

    number: int
    rating: float
    games: float


def fitted_starts(page: Page, backgrounds: Mapping[int, Background]) -> list[FittedStart]:
    """The best starts for the unrated players of a page; none where there are none to fit."""
    unknown = _unknown(page, backgrounds)
    if not unknown:
        return []
    fit = _Fit(page, Trials(page, backgrounds))
    starts = fit.improved(fit.level(unknown))
    for _ in range(SWEEPS):
        if not fit.goes_on or not fit.wrong(starts):
            break
        starts = fit.improved(fit.jumped(starts))
    return starts


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
        self, starts: list[FittedStart], errors: list[float], along: tuple[list[int], "Bearing", float]
    ) -> tuple[list[FittedStart], list[float], float]:
        """A step along slopes, damped more while it helps nothing; with its errors, and the damping to go on with."""
        active, bearing, damping = along
        before = _size(errors)
        for _ in range(TRIES):
            moved = self._moved(starts, active, _step_along(bearing, errors, damping))
            after = self._errors(moved)
            if _size(after) < before:
                return moved, after, max(damping / EASING, LEAST_DAMPING)
            damping *= EASING * EASING
        return moved, after, damping

    def _bearing(self, starts: Sequence[FittedStart], errors: Sequence[float]) -> tuple[list[int], "Bearing"]:
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
        is_first_row = prepared.competitor.entries[0].number == number
        if posted is not None and prepared.competitor.sides and is_first_row and number not in clean:
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
        return constants.credited_cap if played + constants.credited_cap > constants.established_above else None
    credited = posted.games - played
    return credited if 0.0 <= credited <= constants.credited_cap else None


def bounds_of(constants: Constants, credited: float) -> tuple[float, float]:
    """The lowest and highest start that is possible: by age without credited games (§2.3), else of any rating."""
    if credited:
        return LOWEST_FLOOR, HIGHEST_START
    return constants.age_base + constants.age_slope * constants.age_youngest, constants.adult_start


def _size(errors: Sequence[float]) -> float:
    return math.fsum(math.fabs(error) for error in errors)


class Bearing:
    """What some starts bear on: the slopes of all steps, multiplied from step to step and never written out."""

    def __init__(self, slopes: Slopes, starts: Sequence[int], rows: Sequence[int]) -> None:
        self._players, self._starts = slopes.players, starts
        moved = set(starts)
        self._estimates, estimated = _kept(slopes.estimates, moved, moved)
        self._zero = [one.at for one in slopes.estimates]
        self._middle, passed = _kept(slopes.intermediate, moved, estimated | moved.difference(self._zero))
        wanted = set(rows)
        final, _ = _kept([one for one in slopes.final if one.at in wanted], moved, passed)
        place = {at: i for i, at in enumerate(rows)}
        self._final = [(place[at], at, own, met) for at, own, met in final]
        self._rows = len(rows)
        self._learned: list[tuple[list[float], list[float]]] = []

    def learn(self, changes: Sequence[float], effects: Sequence[float]) -> None:
        weight = math.fsum(map(mul, changes, changes))
        if weight:
            missed = [(effect - one) / weight for effect, one in zip(effects, self.ahead(changes), strict=True)]
            self._learned.append((list(changes), missed))

    def ahead(self, moves: Sequence[float]) -> list[float]:
        """How far the rows move if the starts move so."""
        priors = [0.0] * self._players
        for at, move in zip(self._starts, moves, strict=True):
            priors[at] = move
        strengths = list(priors)
        for at in self._zero:
            strengths[at] = 0.0
        for at, own, met in self._estimates:
            strengths[at] = own * priors[at] + _product(met, priors)
        middle = [0.0] * self._players
        for at, own, met in self._middle:
            middle[at] = own * priors[at] + _product(met, strengths)
        found = [0.0] * self._rows
        for row, at, own, met in self._final:
            found[row] = own * priors[at] + _product(met, middle)
        for changes, missed in self._learned:
            share = sum(map(mul, changes, moves))
            found = [one + share * other for one, other in zip(found, missed, strict=True)]
        return found

    def back(self, pulls: Sequence[float]) -> list[float]:
        """How far pulls at the rows pull at the starts."""
        priors, strengths, middle = ([0.0] * self._players for _ in range(3))
        for row, at, own, met in self._final:
            pull = pulls[row]
            priors[at] += own * pull
            for other, slope in met:
                middle[other] += slope * pull
        for at, own, met in self._middle:
            pull = middle[at]
            priors[at] += own * pull
            for other, slope in met:
                strengths[other] += slope * pull
        for at, own, met in self._estimates:
            pull, strengths[at] = strengths[at], 0.0
            priors[at] += own * pull
            for other, slope in met:
                priors[other] += slope * pull
        for at in self._zero:
            strengths[at] = 0.0
        back = [priors[at] + strengths[at] for at in self._starts]
        for changes, missed in self._learned:
            share = sum(map(mul, missed, pulls))
            back = [one + share * other for one, other in zip(back, changes, strict=True)]
        return back


def _kept(effects: Sequence[Effect], own: set[int], moved: set[int]) -> tuple[list[Effect], set[int]]:
    """Effects of what moves only, and the players who move by them."""
    kept = []
    for at, slope, met in effects:
        left = [one for one in met if one[0] in moved]
        if left or (slope and at in own):
            kept.append(Effect(at, slope, left))
    return kept, {one.at for one in kept}


def _step_along(bearing: "Bearing", errors: Sequence[float], damping: float) -> list[float]:
    """The damped step of weighted least squares, each row weighted by the inverse of its error (conjugate gradients).
    """
    weights = [1.0 / max(1.0, math.fabs(error)) for error in errors]
    left = bearing.back(list(map(mul, weights, errors)))
    step = [0.0] * len(left)
    own = [damping + math.fabs(one) for one in bearing.back(list(map(mul, weights, bearing.ahead([1.0] * len(left)))))]
    along = eased = list(map(truediv, left, own))
    size = enough = math.fsum(map(mul, left, eased))
    for _ in range(MOST_TURNS):
        if size <= enough * PRECISION:
            break
        pulled = bearing.back(list(map(mul, weights, bearing.ahead(along))))
        image = [one + damping * pull for one, pull in zip(pulled, along, strict=True)]
        share = size / math.fsum(map(mul, along, image))
        step = [one + share * other for one, other in zip(step, along, strict=True)]
        left = [one - share * other for one, other in zip(left, image, strict=True)]
        eased = list(map(truediv, left, own))
        before, size = size, math.fsum(map(mul, left, eased))
        along = [one + size / before * other for one, other in zip(eased, along, strict=True)]
    return step


def _product(sparse: Sequence[tuple[int, float]], dense: Sequence[float]) -> float:
    found = 0.0
    for at, factor in sparse:
        found += factor * dense[at]
    return found

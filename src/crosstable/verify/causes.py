"""Why a row differs: named causes, each tried by rating the section again with the one thing changed.

A cause is given only if changing that one unknown fact (or a few of them, one after the other) brings the posted
figure within a point. The facts are those that a posted page does not show.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from crosstable.engine import rate
from crosstable.formulas.effective import most_effective_games
from crosstable.rules.editions import announced_edition_for
from crosstable.terms import Background, SectionType, Standing
from crosstable.verify.pages import Page, circle
from crosstable.verify.rows import Row, Verdict, rows_of, verdict_of
from crosstable.verify.trials import Trials

UNKNOWN_COUNT = "unknown game count"
ALL_WINS = "an all-wins past that the page does not show"
ALL_LOSSES = "an all-losses past that the page does not show"
MONEY_FLOOR = "a floor above the old rating"
MATCH_CAP = "a limit of match play"
END_DATE = "the rules of the day the section ended"
OTHER_PRE = "a pre-event rating that was not the one used"
UNEXPLAINED = "unexplained"

NOTHING: Mapping[int, float] = {}
FEWEST_ESTABLISHED = 26
MOST_CHANGES = 4
LARGEST_FIELD = 300


class Change(NamedTuple):
    """One unknown fact set to a value: whose, the cause it stands for, and the standing that says it."""

    number: int
    cause: str
    note: str
    standing: Standing


class Explained(NamedTuple):
    """Rows with their causes, and the facts that had to be changed to explain them."""

    rows: list[Row]
    changes: tuple[Change, ...]


def explained(
    page: Page, backgrounds: Mapping[int, Background], rows: Sequence[Row], earlier: Mapping[int, float] = NOTHING
) -> Explained:
    """The rows, those that differ with their cause; ``earlier`` holds what earlier pages last posted for players."""
    wrong = [row for row in rows if row.verdict is Verdict.UNEXPLAINED and row.is_clean]
    if not wrong:
        return Explained(list(rows), ())
    causes = {row.number: simple for row in wrong if (simple := _simple_cause(page, row))}
    causes.update(_by_the_end_date(page, backgrounds, wrong))
    changes: tuple[Change, ...] = ()
    if len(causes) < len(wrong):
        trials = Trials(page, backgrounds)
        by_changes, changes = _by_changes(page, trials, rows, {row.number for row in wrong} - causes.keys(), earlier)
        causes.update(by_changes)
    named = [row._replace(cause=causes.get(row.number, UNEXPLAINED)) if row in wrong else row for row in rows]
    return Explained(named, changes)


def _simple_cause(page: Page, row: Row) -> str:
    """Causes that the figures themselves show."""
    if row.posted > row.computed and row.posted > row.pre and row.posted % 100 == 0:
        return MONEY_FLOOR
    if page.checked.section.kind is SectionType.MATCH and math.fabs(row.posted - row.pre) in (50.0, 100.0):
        return MATCH_CAP
    return ""


def _by_the_end_date(page: Page, backgrounds: Mapping[int, Background], wrong: Sequence[Row]) -> dict[int, str]:
    """Rows of a section that straddles a change and follows the day it ended (readings 98)."""
    section = page.checked.section
    edition = announced_edition_for(section.start, section.end)
    if edition.constants == page.checked.edition.constants:
        return {}
    rated = rate(section, page.system, backgrounds, edition)
    within = {row.number for row in rows_of(page, rated) if row.verdict is Verdict.WITHIN}
    return {row.number: END_DATE for row in wrong if row.number in within}


def _by_changes(
    page: Page, trials: Trials, rows: Sequence[Row], left: set[int], earlier: Mapping[int, float]
) -> tuple[dict[int, str], tuple[Change, ...]]:
    """Change one unknown fact after the other, always the one that explains most, until none helps."""
    causes: dict[int, str] = {}
    changes: list[Change] = []
    for _ in range(MOST_CHANGES):
        chosen = _best_change(page, trials, rows, left, earlier)
        if chosen is None:
            break
        change, still = chosen
        for number in left - still:
            whose = "" if number == change.number else f", of player {change.number}"
            causes[number] = f"{change.cause}{whose}{change.note}"
        trials.with_standing(change.number, change.standing)
        changes.append(change)
        left = still
        if not left:
            break
    return causes, tuple(changes)


def _best_change(
    page: Page, trials: Trials, rows: Sequence[Row], left: set[int], earlier: Mapping[int, float]
) -> tuple[Change, set[int]] | None:
    """The first stage of changes that explains anything, and in it the one that explains most with least error."""
    for changes in _stages(page, trials, left, earlier):
        chosen = _best_of(changes, page, trials, rows, left)
        if chosen is not None:
            return chosen
    return None


def _best_of(
    changes: Iterator[Change], page: Page, trials: Trials, rows: Sequence[Row], left: set[int]
) -> tuple[Change, set[int]] | None:
    best: tuple[int, float] | None = None
    chosen: tuple[Change, set[int]] | None = None
    for change in changes:
        before = trials.prepared(change.number)
        trials.with_standing(change.number, change.standing)
        still, error = _still_wrong(page, trials, rows, left)
        trials.put_back(change.number, before)
        if len(still) < len(left) and (best is None or (len(still), error) < best):
            best, chosen = (len(still), error), (change, still)
    return chosen


def _still_wrong(page: Page, trials: Trials, rows: Sequence[Row], left: set[int]) -> tuple[set[int], float]:
    ratings = trials.ratings()
    still: set[int] = set()
    error = 0.0
    for row in rows:
        if row.is_clean:
            computed = ratings[trials.position[row.number]]
            verdict = verdict_of(row.pre, computed, row.posted, row.start)
            if verdict is not Verdict.AT_FLOOR:
                error += math.fabs(row.posted - computed)
            if row.number in left and verdict is Verdict.UNEXPLAINED:
                still.add(row.number)
    return still, error


def _stages(page: Page, trials: Trials, left: set[int], earlier: Mapping[int, float]) -> Iterator[Iterator[Change]]:
    """Unknown facts by how likely they matter: pasts nearby, own counts, other pre-event ratings, then further off."""
    nearby = circle(page, left, 1)
    yield _pasts(page, trials, nearby)
    yield _counts(page, trials, left)
    yield _pre_ratings(trials, nearby & earlier.keys(), earlier)
    if len(page.players) <= LARGEST_FIELD:
        yield _pasts(page, trials, circle(page, left, 2) - nearby)
        yield _counts(page, trials, nearby - left)


def _pasts(page: Page, trials: Trials, numbers: set[int]) -> Iterator[Change]:
    """All-wins and all-losses pasts of provisional players."""
    for number in sorted(numbers):
        prepared = trials.prepared(number)
        standing = prepared.standing
        is_provisional = (
            standing.games is not None and standing.games <= page.checked.edition.constants.established_above
        )
        if prepared.start is None and is_provisional:
            count = int(standing.games or 0)
            yield Change(number, ALL_WINS, "", standing._replace(wins=count, draws=0, losses=0))
            yield Change(number, ALL_LOSSES, "", standing._replace(wins=0, draws=0, losses=count))


def _pre_ratings(trials: Trials, numbers: set[int], earlier: Mapping[int, float]) -> Iterator[Change]:
    """Pre-event ratings that an earlier page posted and this one does not show."""
    for number in sorted(numbers):
        standing = trials.prepared(number).standing
        if standing.rating != earlier[number]:
            yield Change(number, OTHER_PRE, f" ({earlier[number]:g})", standing._replace(rating=earlier[number]))


def _counts(page: Page, trials: Trials, numbers: set[int]) -> Iterator[Change]:
    """Game counts of established players that make a difference."""
    for number in sorted(numbers):
        prepared = trials.prepared(number)
        standing = prepared.standing
        if prepared.start is None and standing.games is None:
            most = int(most_effective_games(page.checked.edition.constants, standing.rating))
            for games in range(FEWEST_ESTABLISHED, most):
                yield Change(number, UNKNOWN_COUNT, f" ({games} would fit)", standing._replace(games=float(games)))

"""Why a row differs: named causes, each tried by rating the section again with the one thing changed.

A cause is given only if changing that one unknown fact (or a few of them, one after the other) brings the posted
figure within a point and makes no row wrong that was right. The facts are those that a posted page does not show; two
more trials read the page itself differently, by the rules of its last day or as a match.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from crosstable.rules.amending import Edition
from crosstable.rules.editions import announced_edition_for
from crosstable.terms import Background, PlayerRating, Section, SectionType
from crosstable.verification.changes import (
    ALL_LOSSES,
    ALL_WINS,
    HIDDEN_FLOOR,
    INITIAL_RATING,
    MATCH_CAP,
    OTHER_PRE,
    UNKNOWN_COUNT,
    Change,
    Inquiry,
    stages,
)
from crosstable.verification.pages import Page
from crosstable.verification.quirks import REPAIRED, rated_as_then, without_online_fault
from crosstable.verification.rows import Row, Verdict, is_right, judged, rows_of
from crosstable.verification.trials import Trials

END_DATE = "the rules of the day the section ended"
UNEXPLAINED = "unexplained"
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


class Explained(NamedTuple):
    """Rows with their causes, the facts that had to be changed to explain them, and those that the page settles.

    A page settles a fact that brings two or more rows about: one number was free, the other rows confirm it.
    """

    rows: list[Row]
    changes: tuple[Change, ...]
    settled: Mapping[int, PlayerRating] = {}


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

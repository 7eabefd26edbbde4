"""``audit``: is a posted rating right? A verdict for every posted row, with what would explain a difference.

``reproduced``: the rules give the posted number. ``explained``: they do with a floor, a limit of matches, a start that
the section itself settles, or the rules of another day. ``differs``: no value that the unknown inputs may take gives
the posted number. ``unknown``: some value may. A hypothesis that fits is listed in either case, and proves nothing.
"""

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.outcome import is_established
from crosstable.formulas.standard import most_effective_games
from crosstable.terms import GivenStart, PlayerRating, RatingSystem
from crosstable.verification.causes import SETTLING_ROWS, other_readings
from crosstable.verification.hypotheses import Hypothesis, Suspicion, fewest_games, fitting, hypotheses, part_of
from crosstable.verification.pages import (
    FAULT,
    ONLINE_FAULT,
    WITHIN,
    WITHIN_DECIMALS,
    Page,
    Row,
    Verdict,
    circle,
    is_known,
    rated_as_then,
    rows_of,
    with_online_fault,
)
from crosstable.verification.starts import FittedStart, bounds_of, credited_games, fitted_page
from crosstable.verification.trials import Trials
from crosstable.verification.whole import rated_page

# The effects of unknown inputs are added up one by one; together they may be a little more.
TOGETHER = 1.5
LITTLE = 0.5
# A row that leans on something hidden differs only if it is so far beyond what that can give.
SLACK = 4.0
FLOOR = "a floor"
ROUNDED = "the last decimal of the ratings before the event"
STARTED = "the start of an unrated player, as the whole section fits it"


class AuditVerdict(StrEnum):
    """What an audit says about a row, the worst first."""

    DIFFERS = "differs"
    UNKNOWN = "unknown"
    EXPLAINED = "explained"
    REPRODUCED = "reproduced"


class AuditedRow(NamedTuple):
    """One posted row: what was posted, what the rules give, the verdict, why, and what was tried.

    ``low`` and ``high`` enclose what the rules can give a row that differs, whatever the unknown inputs are.
    """

    event: str
    section: int
    system: RatingSystem
    number: int
    member_id: str
    name: str
    pre: float | None
    posted: float
    computed: float
    verdict: AuditVerdict
    cause: str
    low: float
    high: float
    hypotheses: tuple[Hypothesis, ...]


def audit(pages: Iterable[Page]) -> list[AuditedRow]:
    """A verdict for every posted row of some pages, each section alone."""
    rows = []
    for page in pages:
        audited = audited_page(with_online_fault(page))
        rows += [_with_fault(row) for row in audited] if page.apart == ONLINE_FAULT else audited
    return rows


def _with_fault(row: AuditedRow) -> AuditedRow:
    """A row that was rated with the online error: the rules give something else, and what they gave is a guess."""
    if row.verdict is AuditVerdict.REPRODUCED:
        return row._replace(verdict=AuditVerdict.EXPLAINED, cause=FAULT)
    return row._replace(verdict=AuditVerdict.UNKNOWN) if row.verdict is AuditVerdict.DIFFERS else row


def audited_page(page: Page) -> list[AuditedRow]:
    """The rows of one page."""
    if page.checked.section.kind.is_foreign:
        rated = rated_page(page, page.backgrounds)
        return [] if rated is None else [_plain(page, row) for row in rows_of(page, rated)]
    try:
        fit = fitted_page(page, page.backgrounds)
        begun = fit.begun(page.backgrounds)
        rows = rows_of(page, rated_as_then(page, begun))
    except UnsupportedEditionError:
        return []
    hidden = {number for number, player in page.players.items() if not is_known(page, player.background)}
    near = _tolerances(page, rows, hidden | {start.number for start in fit.starts})
    wrong = frozenset(row.number for row in rows if not _is_right(row, near[row.number]))
    about = Suspicion(page, begun, rows, wrong, near)
    return _Audit(about, fit.starts, hidden).rows()


def _tolerances(page: Page, rows: Sequence[Row], unknown: set[int]) -> dict[int, float]:
    """By row: how near it is right. Two decimals count where the page shows them before and after the event.

    The ratings before the event are rounded too, so the last decimal may be off by one more. What rests on a start
    that nobody knows is right to the point.
    """
    records = [one.standings.get(page.system) for one in page.backgrounds.values()]
    brought = [record.rating for record in records if record is not None]
    figures = (brought, [row.posted for row in rows])
    has_decimals = all(2 * sum(one != math.floor(one) for one in shown) > len(shown) for shown in figures)
    resting = circle(page, unknown, 2)
    is_exact = [has_decimals and row.number not in resting for row in rows]
    return {row.number: 2.0 * WITHIN_DECIMALS if one else WITHIN for row, one in zip(rows, is_exact, strict=True)}


class _Audit:
    """A page under audit: its rows with fitted starts, what was tried, and how far the unknown inputs reach."""

    def __init__(self, about: Suspicion, starts: Sequence[FittedStart], hidden: set[int]) -> None:
        self._page, self._about = about.page, about
        page = about.page
        part = part_of(about, about.numbers).page
        part = part if len(part.players) > 2 else page  # two players may be a match, two of a section are none
        self._causes = other_readings(part, about.backgrounds, set(about.numbers)) if about.numbers else {}
        self._fitted = {start.number for start in starts}
        self._own = self._fitted | hidden
        self._resting = circle(page, self._own, 2)
        self._proves = len(starts) < sum(not row.is_clean and row.number not in about.numbers for row in about.rows)
        self._right = {row.number for row in about.rows} - about.numbers
        self._trials = Trials(page, about.backgrounds)
        self._tried = hypotheses(about, self._trials) if about.numbers else []
        self._settle()

    def _settle(self) -> None:
        """Rows that a fact which no page shows brings about, two or more and none to the contrary: that settles it."""
        left = set(self._about.numbers) - self._causes.keys()
        for one in self._tried:
            settled = one.met & left
            is_best = one.is_hidden and len(settled) >= SETTLING_ROWS and not self._right - one.met
            if is_best and not any(other.met > one.met for other in self._tried if not other.is_hidden):
                self._causes |= dict.fromkeys(settled, f"{one.what} (ratings of {len(settled)} players agree on it)")
                left -= settled

    def rows(self) -> list[AuditedRow]:
        """The verdict on every row."""
        return [self._row(row) for row in self._about.rows]

    def _row(self, row: Row) -> AuditedRow:
        verdict, cause = self._judged(row)
        is_open = verdict is AuditVerdict.UNKNOWN and row.number in self._about.numbers
        is_free = row.number in self._own or self._may_be_floor(row)
        low = high = row.computed
        if is_open and not is_free:
            low, high, is_beyond = self._reach(row)
            verdict = AuditVerdict.DIFFERS if is_beyond else AuditVerdict.UNKNOWN
        is_listed = verdict in (AuditVerdict.DIFFERS, AuditVerdict.UNKNOWN)
        found = fitting(self._about, self._tried, row) if is_listed else ()
        return _audited(self._page, row, verdict, cause)._replace(low=low, high=high, hypotheses=found)

    def _reach(self, row: Row) -> tuple[float, float, bool]:
        """The lowest and highest rating that the unknown inputs around a row can give it, and if the posted is beyond.

        They are tried from the nearest player on, and no further than to the posted figure.
        """
        page, trials = self._page, self._trials
        low = high = base = trials.rating_if(row.number, {})
        nearest = circle(page, {row.number}, 1)
        for number in (*sorted(nearest), *sorted(circle(page, nearest, 1) - nearest)):
            facts = _extremes(page, trials, number, is_start=number in self._own)
            given = [base, *(trials.rating_if(row.number, {number: trials.brought(number, fact)}) for fact in facts)]
            low, high = low + TOGETHER * (min(given) - base), high + TOGETHER * (max(given) - base)
            is_little = high - low < LITTLE and row.number not in self._resting
            slack = self._about.tolerance[row.number] if is_little else SLACK
            if low - slack <= row.posted <= high + slack:
                return low, high, False
        return low, high, True

    def _may_be_floor(self, row: Row) -> bool:
        """Whether a floor that came with this very event, for a prize, could stand at the posted figure (§5)."""
        constants = self._page.checked.edition.constants
        is_level = row.posted % constants.peak_step == 0.0 and row.posted <= constants.money_highest
        return is_level and row.posted > row.computed

    def _has_other_reason(self, row: Row) -> bool:
        """Whether something that brings all differing rows about gives a row at a floor its very figure too."""
        about = self._about
        return any(about.numbers <= one.met for one in fitting(about, self._tried, row))

    def _judged(self, row: Row) -> tuple[AuditVerdict, str]:
        """The verdict on a row so far, and why; what is left to bounds is unknown."""
        if row.verdict is Verdict.AT_FLOOR:
            return (AuditVerdict.UNKNOWN, "") if self._has_other_reason(row) else (AuditVerdict.EXPLAINED, FLOOR)
        is_right = row.number not in self._about.numbers
        if is_right and row.number in self._resting:
            is_fitted = circle(self._page, {row.number}, 2) & self._own <= self._fitted
            return (AuditVerdict.EXPLAINED, STARTED) if self._proves and is_fitted else (AuditVerdict.UNKNOWN, "")
        if is_right:
            is_rounded = self._about.tolerance[row.number] < WITHIN and math.fabs(row.error) > WITHIN_DECIMALS
            return (AuditVerdict.EXPLAINED, ROUNDED) if is_rounded else (AuditVerdict.REPRODUCED, "")
        if row.number in self._causes:
            return AuditVerdict.EXPLAINED, self._causes[row.number]
        return AuditVerdict.UNKNOWN, ""


def _is_right(row: Row, near: float) -> bool:
    """Whether a row is reproduced, or held by a floor."""
    return math.fabs(row.error) <= near or row.verdict is Verdict.AT_FLOOR


def _extremes(page: Page, trials: Trials, number: int, *, is_start: bool) -> Iterable[PlayerRating | GivenStart]:
    """What a player may have brought at the most and at the least, where the page does not show it."""
    prepared, constants = trials.prepared(number), page.checked.edition.constants
    record = prepared.record
    if prepared.start is not None:
        if is_start:
            credited = credited_games(page, number)
            games = (prepared.start.initial.games,) if credited is None else (credited,)
            yield from (GivenStart(rating, count) for count in games for rating in bounds_of(constants, count))
        return
    shown = page.backgrounds[number].standings.get(page.system)
    fewest = float(fewest_games(page, number))
    if shown is not None and shown.games is None and most_effective_games(constants, record.rating) > fewest:
        yield record._replace(games=fewest)
        yield record._replace(games=None)
    is_provisional = record.games is not None and not is_established(constants, record.games)
    if is_provisional and record.wins is None:
        count = int(record.games or 0)
        yield record._replace(wins=count, draws=0, losses=0)
        yield record._replace(wins=0, draws=0, losses=count)


def _plain(page: Page, row: Row) -> AuditedRow:
    """A row of a foreign event: its inputs are those of another federation."""
    if _is_right(row, WITHIN):
        return _audited(page, row, AuditVerdict.REPRODUCED, "")
    return _audited(page, row, AuditVerdict.UNKNOWN, "")


def _audited(page: Page, row: Row, verdict: AuditVerdict, cause: str) -> AuditedRow:
    player = page.players[row.number]
    shown = page.backgrounds[row.number].standings.get(page.system)
    pre = None if shown is None else shown.rating  # what an unrated player started from is nobody's to print
    return AuditedRow(
        *(row.event, row.section, row.system, row.number, row.member_id, player.name, pre, row.posted, row.computed),
        *(verdict, cause, row.computed, row.computed, ()),
    )

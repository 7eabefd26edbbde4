"""``audit``: is a posted rating right? A verdict for every posted row, with what would explain a difference.

``reproduced``: the rules give the posted number. ``explained``: they do with a floor, a limit of matches, a start that
the section itself settles, or the rules of another day. ``differs``: no value that the unknown inputs may take gives
the posted number. ``unknown``: some value may. A hypothesis that fits is listed in either case, and proves nothing.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from crosstable.engine import RatedSection, rate
from crosstable.formulas.effective import most_effective_games
from crosstable.formulas.tally import is_established
from crosstable.terms import Background, GivenStart, PlayerRating, RatingSystem
from crosstable.verification.causes import other_readings
from crosstable.verification.hypotheses import Hypothesis, Suspicion, fitting, hypotheses
from crosstable.verification.pages import Page, circle, is_known
from crosstable.verification.quirks import with_online_fault
from crosstable.verification.rows import WITHIN, WITHIN_DECIMALS, Row, Verdict, rows_of
from crosstable.verification.starts import FittedStart, bounds_of, credited_games, fitted_starts
from crosstable.verification.trials import Trials
from crosstable.verification.whole import rated_page

# The effects of unknown inputs are added up one by one; together they may be a little more.
TOGETHER = 1.5
LITTLE = 0.5
# A row that leans on something hidden differs only if it is so far beyond what that can give.
SLACK = 4.0
FLOOR = "a floor"
STARTED = "the start of an unrated player, as the whole section fits it"


class AuditVerdict(StrEnum):
    """What an audit says about a row, the worst first."""

    DIFFERS = "differs"
    UNKNOWN = "unknown"
    EXPLAINED = "explained"
    REPRODUCED = "reproduced"


class AuditedRow(NamedTuple):
    """One posted row: what was posted, what the rules give, the verdict, why, and what was tried.

    ``low`` and ``high`` enclose what the rules can give, whatever the unknown inputs are.
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
    return [row for page in pages for row in audited_page(with_online_fault(page))]


def audited_page(page: Page) -> list[AuditedRow]:
    """The rows of one page."""
    if page.checked.section.kind.is_foreign:
        rated = rated_page(page, page.checked.backgrounds)
        return [] if rated is None else [_plain(page, row) for row in rows_of(page, rated)]
    rated = rated_page(page, page.checked.backgrounds)
    if rated is None:
        return []
    starts = fitted_starts(page, page.checked.backgrounds)
    begun = _started(page.checked.backgrounds, starts)
    rows = rows_of(page, _rated(page, begun) if starts else rated)
    return _Audit(page, Suspicion(page, begun, rows, _wrong(rows)), starts).rows()


def _wrong(rows: Sequence[Row]) -> frozenset[int]:
    return frozenset(row.number for row in rows if not _is_right(row))


class _Audit:
    """A page under audit: its rows with fitted starts, what was tried, and how far the unknown inputs reach."""

    def __init__(self, page: Page, about: Suspicion, starts: Sequence[FittedStart]) -> None:
        self._page, self._about = page, about
        other = other_readings(page, about.backgrounds, set(about.numbers)) if about.numbers else {}
        self._causes: Mapping[int, str] = other
        self._fitted = {start.number for start in starts}
        hidden = {number for number, player in page.players.items() if not is_known(page, player.background)}
        self._own = self._fitted | hidden
        self._resting = circle(page, self._own, 2)
        self._proves = len(starts) < sum(not row.is_clean and _is_right(row) for row in about.rows)
        self._tried = hypotheses(about) if about.numbers else []
        self._reach = _reach(about, self._own) if about.numbers else {}

    def rows(self) -> list[AuditedRow]:
        """The verdict on every row."""
        return [self._row(row) for row in self._about.rows]

    def _row(self, row: Row) -> AuditedRow:
        verdict, cause = self._judged(row)
        low, high = self._reach.get(row.number, (row.computed, row.computed))
        slack = WITHIN if high - low < LITTLE and row.number not in self._resting else SLACK
        is_beyond = not low - slack <= row.posted <= high + slack
        is_free = row.number in self._own or self._may_be_floor(row)
        if verdict is AuditVerdict.UNKNOWN and is_beyond and not is_free:
            verdict = AuditVerdict.DIFFERS
        found: list[Hypothesis] = []
        if verdict in (AuditVerdict.DIFFERS, AuditVerdict.UNKNOWN):
            found = fitting(self._tried, row)
        audited = _audited(self._page, row, verdict, cause)
        return audited._replace(low=low, high=high, hypotheses=tuple(found))

    def _may_be_floor(self, row: Row) -> bool:
        """Whether a floor that came with this very event, for a prize, could stand at the posted figure (§5)."""
        constants = self._page.checked.edition.constants
        is_level = row.posted % constants.peak_step == 0.0 and row.posted <= constants.money_highest
        return is_level and row.posted > row.computed

    def _judged(self, row: Row) -> tuple[AuditVerdict, str]:
        """The verdict on a row so far, and why; what is left to bounds is unknown."""
        if row.verdict is Verdict.AT_FLOOR:
            return AuditVerdict.EXPLAINED, FLOOR
        if _is_right(row) and row.number in self._resting:
            is_fitted = circle(self._page, {row.number}, 2) & self._own <= self._fitted
            return (AuditVerdict.EXPLAINED, STARTED) if self._proves and is_fitted else (AuditVerdict.UNKNOWN, "")
        if _is_right(row):
            return AuditVerdict.REPRODUCED, ""
        if row.number in self._causes:
            return AuditVerdict.EXPLAINED, self._causes[row.number]
        return AuditVerdict.UNKNOWN, ""


def _is_right(row: Row) -> bool:
    """Whether a row is reproduced: to two decimals where both ratings have them, else to the point."""
    if row.has_decimals and math.isfinite(row.pre) and row.pre != math.floor(row.pre):
        return math.fabs(row.error) <= WITHIN_DECIMALS * 2 or row.verdict is Verdict.AT_FLOOR
    return row.verdict is not Verdict.UNEXPLAINED


def _reach(about: Suspicion, free: Collection[int]) -> dict[int, tuple[float, float]]:
    """By row: the lowest and the highest rating that the unknown inputs around it can give."""
    page, trials = about.page, Trials(about.page, about.backgrounds)
    base = trials.ratings()
    reach = {row.number: [0.0, 0.0] for row in about.rows}
    for number in sorted(circle(page, set(about.numbers), 2)):
        if number not in trials.position:
            continue
        prepared = trials.prepared(number)
        effects = [[0.0] * len(base)]
        for fact in _extremes(page, trials, number, is_start=number in free):
            trials.with_fact(number, fact)
            effects.append([one - other for one, other in zip(trials.ratings(), base, strict=True)])
        trials.put_back(number, prepared)
        for row, (low, high) in reach.items():
            at = trials.position[row]
            moved = [effect[at] for effect in effects]
            reach[row] = [low + min(moved), high + max(moved)]
    return {
        row: (base[trials.position[row]] + TOGETHER * low, base[trials.position[row]] + TOGETHER * high)
        for row, (low, high) in reach.items()
    }


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
    shown = page.checked.backgrounds[number].standings.get(page.system)
    established = math.floor(constants.established_above) + 1.0
    if shown is not None and shown.games is None and most_effective_games(constants, record.rating) > established:
        yield record._replace(games=established)
        yield record._replace(games=None)
    is_provisional = record.games is not None and not is_established(constants, record.games)
    if is_provisional and record.wins is None:
        count = int(record.games or 0)
        yield record._replace(wins=count, draws=0, losses=0)
        yield record._replace(wins=0, draws=0, losses=count)


def _started(backgrounds: Mapping[int, Background], starts: Sequence[FittedStart]) -> dict[int, Background]:
    begun = dict(backgrounds)
    for start in starts:
        begun[start.number] = begun[start.number]._replace(given_start=GivenStart(start.rating, start.games))
    return begun


def _rated(page: Page, backgrounds: Mapping[int, Background]) -> RatedSection:
    return rate(page.checked.section, page.system, backgrounds, page.checked.edition)


def _plain(page: Page, row: Row) -> AuditedRow:
    """A row of a foreign event: its inputs are those of another federation."""
    if _is_right(row):
        return _audited(page, row, AuditVerdict.REPRODUCED, "")
    return _audited(page, row, AuditVerdict.UNKNOWN, "")


def _audited(page: Page, row: Row, verdict: AuditVerdict, cause: str) -> AuditedRow:
    player = page.players[row.number]
    shown = page.checked.backgrounds[row.number].standings.get(page.system)
    pre = None if shown is None else shown.rating  # what an unrated player started from is nobody's to print
    return AuditedRow(
        *(row.event, row.section, row.system, row.number, row.member_id, player.name, pre, row.posted, row.computed),
        *(verdict, cause, row.computed, row.computed, ()),
    )

"""Evidence for the law: per amendment, how many posted rows tell the two sides of its date apart, and how many agree.

Each page is rated once under its own law and once under the law as it would be without the amendment (on the days it
is in force) or with it already (on the days before). A row tells the two apart when they differ by more than two
points, so that the posted figure can agree with one of them only. Amendments about time controls are tried on the
systems that pages were rated in.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from crosstable.engine import rate
from crosstable.errors import TimeControlError, UnsupportedEditionError
from crosstable.rules.amendments import AMENDMENTS, FIRST_EDITION
from crosstable.rules.law import Amendment, Edition, amended
from crosstable.rules.systems import ControlRanges, systems_of_schedule
from crosstable.rules.time_controls import parse_time_control
from crosstable.terms import RatingSystem
from crosstable.verify.pages import Page
from crosstable.verify.rows import WITHIN, Row, rows_of

APART = 2.0 * WITHIN
# Rules that act on rated players; starts of newcomers are not published, so pages cannot tell those apart.
TELLING = frozenset(
    {
        "bonus_threshold",
        "bonus_meetings_in_three",
        "effective_base",
        "dual_k_is_reduced",
        "personal_floor_is_used",
        "peak_lowest_since_2010",
        "stores_whole_numbers",
        "match_change",
        "match_half_year",
    }
)


class Side(NamedTuple):
    """One page beside an amendment: its own edition and the other side of the date."""

    amendment: Amendment
    other: Edition


class Count(NamedTuple):
    """Rows that tell the two sides apart, those that agree with the side they are on, and those against it."""

    apart: int
    agree: int
    against: int


def evidence(pages: Iterable[Page], progress: Callable[[int], None] = lambda done: None) -> list[tuple[Amendment, Count]]:
    """The counts of every amendment that pages can tell about."""
    counts: dict[int, list[int]] = {}
    for done, page in enumerate(pages, start=1):
        progress(done)
        if page.apart:
            continue
        own = _rows(page, page.checked.edition)
        for side in sides(page.checked.edition):
            found = _compared(own, _rows(page, side.other))
            _add(counts, side.amendment, found)
        for amendment, found in _controls(page):
            _add(counts, amendment, found)
    return [(AMENDMENTS[at], Count(*count)) for at, count in sorted(counts.items())]


def _add(counts: dict[int, list[int]], amendment: Amendment, found: Sequence[int]) -> None:
    count = counts.setdefault(AMENDMENTS.index(amendment), [0, 0, 0])
    for at, number in enumerate(found):
        count[at] += number


def sides(edition: Edition) -> Iterator[Side]:
    """The amendments next to a page's law: those in force that it would have without, those to come that change it."""
    for amendment in AMENDMENTS:
        fields = [name for name in amendment.changes if name in TELLING]
        if not fields:
            continue
        changed = {name: value for name, value in amendment.changes.items() if name in edition.constants._fields}
        in_force = all(getattr(edition.constants, name) == value for name, value in changed.items())
        before = _before(amendment)
        was_before = all(getattr(edition.constants, name) == getattr(before.constants, name) for name in changed)
        if amendment in edition.amendments and in_force:
            old = {name: getattr(before.constants, name) for name in changed}
            yield Side(amendment, edition._replace(constants=edition.constants._replace(**old)))
        elif amendment not in edition.amendments and was_before:
            yield Side(amendment, edition._replace(constants=edition.constants._replace(**changed)))


def _before(amendment: Amendment) -> Edition:
    edition = FIRST_EDITION
    for earlier in AMENDMENTS[: AMENDMENTS.index(amendment)]:
        edition = amended(edition, earlier)
    return edition


def _rows(page: Page, edition: Edition) -> list[Row]:
    try:
        rated = rate(page.checked.section, page.system, page.checked.backgrounds, edition)
    except UnsupportedEditionError:
        return []
    return [row for row in rows_of(page, rated) if row.is_clean]


def _compared(own: Sequence[Row], other: Sequence[Row]) -> tuple[int, int, int]:
    apart = agree = against = 0
    for mine, theirs in zip(own, other, strict=True):
        if math.fabs(mine.computed - theirs.computed) > APART:
            apart += 1
            agree += math.fabs(mine.error) <= WITHIN
            against += math.fabs(theirs.error) <= WITHIN
    return apart, agree, against


def _controls(page: Page) -> Iterator[tuple[Amendment, tuple[int, int, int]]]:
    """Time-control amendments: whether the two sides put this page's control in different systems."""
    report = page.checked.report
    codes = report.details.get("rating_sys_code")
    if not codes or not report.time_controls or page.system is RatingSystem.OTBQ and codes == "D":
        return
    posted = {"D": (RatingSystem.OTBR, RatingSystem.OTBQ)}.get(codes, (page.system,))
    edition = page.checked.edition
    for amendment in AMENDMENTS:
        ranges = amendment.changes.get("controls")
        if ranges is None:
            continue
        before = _before(amendment).controls
        if edition.controls not in (ranges, before):
            continue
        mine, theirs = edition.controls, before if edition.controls == ranges else ranges
        own, other = _systems(page, mine), _systems(page, theirs)
        if own != other:
            yield amendment, (1, int(own == posted), int(other == posted))


def _systems(page: Page, ranges: ControlRanges) -> tuple[RatingSystem, ...]:
    try:
        controls = [parse_time_control(text) for text in page.checked.report.time_controls]
        return systems_of_schedule(controls, is_online=page.checked.section.is_online, ranges=ranges)
    except TimeControlError:
        return ()

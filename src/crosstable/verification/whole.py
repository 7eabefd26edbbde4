"""``verify``: pages in, rows, counts and causes out."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from crosstable.engine import RatedSection
from crosstable.errors import UnsupportedEditionError
from crosstable.terms import Background, MemberPage, PlayerRating, RatingSystem
from crosstable.verification.carried import Carried, are_inputs_known, with_standing
from crosstable.verification.causes import Change, explained
from crosstable.verification.hypotheses import Suspicion, fitting, hypotheses
from crosstable.verification.pages import Page, Row, Verdict, judged, rated_as_then, rows_of, with_online_fault
from crosstable.verification.starts import fitted_page

FITTED_START = "fitted_start"
# Rows that differ times players up to which a section with fitted starts is asked for hidden facts, which takes long.
LARGEST_INQUIRY = 3000
NOTHING: Mapping[int, float] = {}


class FittedSection(NamedTuple):
    """A section with fitted starts, the rows that rest on them, and how many of those then agree.

    ``free_numbers`` are the starts, and the facts that rows resting on them settle.
    """

    event: str
    section: int
    system: RatingSystem
    free_numbers: int
    rows: int
    within: int
    at_floor: int

    @property
    def proves(self) -> bool:
        """Whether fewer numbers were free than rows came about."""
        return self.free_numbers < self.rows


class Verification(NamedTuple):
    """All rows, each section alone and with carried state, what was set apart, and the fitted starts.

    ``settled`` are the hidden facts that pages themselves settle, alone and carried; ``all_posted`` counts every posted
    row with nothing left out, ``all_explained`` those of them that are reproduced or explained.
    """

    alone: tuple[Row, ...]
    carried: tuple[Row, ...]
    apart: Counter[str]
    fitted: tuple[FittedSection, ...]
    pages: int
    settled: tuple[int, int] = (0, 0)
    all_posted: int = 0
    all_explained: int = 0


class Settled(NamedTuple):
    """A page rated with the facts that it settles itself: how many, and what they make of its rows."""

    backgrounds: dict[int, Background]
    rated: RatedSection
    rows: list[Row]
    changes: tuple[Change, ...]
    facts: int


def verify(
    pages: Iterable[Page], progress: Callable[[int], None] = lambda done: None, members: Iterable[MemberPage] = ()
) -> Verification:
    """Compare every page with what the engine computes: each section alone, then with carried state.

    ``members`` are pages of members, whose histories and floors fill gaps of what is carried.
    """
    in_order = sorted(pages, key=lambda page: page.order)
    found = _Found(members)
    for done, page in enumerate(in_order, start=1):
        progress(done)
        found.take(page)
    return Verification(
        tuple(found.alone),
        tuple(found.carried),
        found.apart,
        tuple(found.fits),
        len(in_order),
        (found.settled_alone, found.settled_carried),
        found.all_posted,
        found.all_explained,
    )


class _Found:
    """What the pages so far gave."""

    def __init__(self, members: Iterable[MemberPage]) -> None:
        self.alone: list[Row] = []
        self.carried: list[Row] = []
        self.fits: list[FittedSection] = []
        self.apart: Counter[str] = Counter()
        self.memory = Carried(members)
        self.settled_alone = self.settled_carried = self.all_posted = self.all_explained = 0

    def take(self, posted: Page) -> None:
        """Take in one page; one set apart counts among all rows only, rated with the fault of its time."""
        page = with_online_fault(posted)
        self.all_posted += _posted_rows(page)
        alone = settled(page, page.checked.backgrounds)
        if alone is None:
            return
        known = self.memory.backgrounds(page)
        expected, earlier = self.memory.expected(page, known), self.memory.earlier(page)
        is_new = not earlier and expected == page.checked.backgrounds
        carried = alone if is_new else settled(page, expected, earlier)
        assert carried is not None
        if _explained(alone.rows) > _explained(carried.rows):  # the page refutes what was carried to it
            known, carried = page.checked.backgrounds, alone
        self.memory.learn(page, carried.rated, carried.changes)
        fit = fitted(page, carried)
        rest = [row for row in carried.rows if not row.is_clean] if fit is None else []
        self.all_explained += _explained(carried.rows) + sum(row.verdict is not Verdict.UNEXPLAINED for row in rest)
        if fit is not None and fit.proves:
            self.all_explained += fit.within + fit.at_floor
        if posted.apart:
            self.apart[posted.apart] += sum(row.is_clean for row in alone.rows)
            return
        tried = with_tried(page, alone)
        self.alone += tried
        self.carried += [
            row._replace(inputs_known=row.is_clean and are_inputs_known(page, known, row.number))
            for row in (tried if carried.rows == alone.rows else with_tried(page, carried))
        ]
        self.settled_alone += alone.facts
        self.settled_carried += carried.facts
        if fit is not None:
            self.fits.append(fit)
            self.apart[FITTED_START] += fit.rows


def settled(
    page: Page, backgrounds: Mapping[int, Background], earlier: Mapping[int, float] = NOTHING
) -> Settled | None:
    """A page rated with the facts that its clean rows settle; nothing where a rule of its day is missing."""
    known = dict(backgrounds)
    rated = rated_page(page, known)
    if rated is None:
        return None
    found = explained(page, known, rows_of(page, rated), earlier)
    changes = found.changes
    if found.settled:
        for number, fact in found.settled.items():
            known[number] = with_standing(known[number], page.system, fact)
        rated = rated_as_then(page, known)
        causes = {row.number: row.cause for row in found.rows}
        rows = [row._replace(cause=causes[row.number]) for row in rows_of(page, rated)]
        return Settled(known, rated, rows, changes, len(found.settled))
    return Settled(known, rated, found.rows, changes, 0)


def with_tried(page: Page, found: Settled) -> list[Row]:
    """The rows, those that differ with what was tried and gives their posted figure, the likeliest first."""
    differ = frozenset(row.number for row in found.rows if row.is_clean and row.verdict is Verdict.UNEXPLAINED)
    if not differ:
        return found.rows
    about = Suspicion(page, found.backgrounds, [row for row in found.rows if row.is_clean], differ)
    tried = hypotheses(about)
    fit = {row.number: fitting(about, tried, row) for row in about.rows if row.number in differ}
    return [
        row._replace(tried=tuple((one.what, one.ratings[row.number]) for one in fit.get(row.number, ())))
        for row in found.rows
    ]


def fitted(page: Page, before: Settled) -> FittedSection | None:
    """The section with the best starts for its unrated players, or nothing where there are none to fit."""
    fit = fitted_page(page, before.backgrounds)
    if not fit.starts:
        return None
    rows = _with_ratings(before.rows, fit.ratings)
    wrong = len(rows) - _right(rows)
    facts: Mapping[int, PlayerRating] = {}
    if wrong * len(page.players) <= LARGEST_INQUIRY:
        facts = explained(page, fit.begun(before.backgrounds), rows, every_row=True).settled
    if facts:
        with_facts = dict(before.backgrounds)
        for number, fact in facts.items():
            with_facts[number] = with_standing(with_facts[number], page.system, fact)
        again = _with_ratings(before.rows, fitted_page(page, with_facts).ratings)
        rows, facts = (again, facts) if _right(again) >= _right(rows) + len(facts) else (rows, {})
    verdicts = [row.verdict for row in rows if not row.is_clean]
    return FittedSection(
        page.event_id,
        page.checked.section.number,
        page.system,
        free_numbers=len(fit.starts) + len(facts),
        rows=len(verdicts),
        within=verdicts.count(Verdict.WITHIN),
        at_floor=verdicts.count(Verdict.AT_FLOOR),
    )


def _with_ratings(rows: Sequence[Row], ratings: Mapping[int, float]) -> list[Row]:
    """The rows of a page if these were computed."""
    return [row._replace(computed=ratings[row.number], verdict=judged(row, ratings[row.number])) for row in rows]


def _right(rows: Sequence[Row]) -> int:
    return sum(row.verdict is not Verdict.UNEXPLAINED for row in rows)


def _explained(rows: Sequence[Row]) -> int:
    return sum(row.is_clean and row.verdict is not Verdict.UNEXPLAINED for row in rows)


def _posted_rows(page: Page) -> int:
    """The posted rows of a page with games, a re-entry once."""
    members = set()
    for number, player in page.players.items():
        if page.system in player.posted and any(
            cell.result is not None and cell.result.is_game for cell in player.cells
        ):
            members.add(player.member_id or number)
    return len(members)


def rated_page(page: Page, backgrounds: Mapping[int, Background]) -> RatedSection | None:
    """The page rated in its system, or nothing where a rule of its day is missing."""
    try:
        return rated_as_then(page, backgrounds)
    except UnsupportedEditionError:
        return None

"""``verify``: pages in, rows, counts and causes out.

Counts of a verification: verdicts, by rule period and system, exactness to the point, kinds of causes.

Norm codes: what the formula gives on posted ratings, beside the code the page carries. Re-entries are one player: the
norm follows from all games of both rows and stands on both (readings 104). The opponents' posted ratings are used, so
that this settles the formula and not the rating behind it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from crosstable.engine import RatedSection
from crosstable.engine.starts import Competitor, competitors
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.norms import NO_NORM, NORM_GAMES, highest_norm
from crosstable.record_rows import MemberPage
from crosstable.terms import NORM_CODES, Background, FloorKind, PlayerRating, RatingSystem
from crosstable.verification.carried import Carried, are_inputs_known, with_standing
from crosstable.verification.causes import Change, explained
from crosstable.verification.hypotheses import Suspicion, fitting, hypotheses
from crosstable.verification.pages import (
    WITHIN_DECIMALS,
    Page,
    Row,
    Verdict,
    is_right,
    judged,
    rated_as_then,
    rows_of,
    with_online_fault,
)
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


class Tally(NamedTuple):
    """The counts of one way of computing: clean rows and what became of them.

    ``decimals`` of them have a posted figure with decimals, and ``within_001`` of those agree to a hundredth;
    ``settled_rows`` agree only with a hidden fact that the page itself settles.
    """

    rows: int
    clean_rows: int
    decimals: int
    within_001: int
    within_1: int
    at_floor: int
    unexplained: int
    exact: int
    floors_predicted: int
    settled_rows: int

    @property
    def share(self) -> float:
        """Per cent of the clean rows that a point or a floor explains."""
        return 100.0 * (self.within_1 + self.at_floor) / self.clean_rows if self.clean_rows else 0.0


class Exactness(NamedTuple):
    """Rows explained while whole numbers were stored, and how many of them are right to the point."""

    explained: int
    exact: int

    @property
    def share(self) -> float:
        """Per cent of the explained rows that are exact."""
        return 100.0 * self.exact / self.explained if self.explained else 0.0


class NormRow(NamedTuple):
    """One row of a Regular page: games played (all rows of the member), the code posted and the code computed."""

    event: str
    section: int
    number: int
    games: int
    rows: int
    posted: str
    computed: str

    @property
    def agrees(self) -> bool:
        """Whether both are the same, no norm included."""
        return self.posted == self.computed


class NormTally(NamedTuple):
    """How many rows agree: those with four or more games of their own, and those with fewer."""

    rows: int
    agree: int
    few_games: int
    few_games_with_code: int
    few_games_agree: int
    differ: tuple[NormRow, ...]


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
        alone = settled(page, page.backgrounds)
        if alone is None:
            return
        known = self.memory.backgrounds(page)
        expected, earlier = self.memory.expected(page, known), self.memory.earlier(page)
        is_new = not earlier and expected == page.backgrounds
        carried = alone if is_new else settled(page, expected, earlier)
        assert carried is not None
        if _explained(alone.rows) > _explained(carried.rows):  # the page refutes what was carried to it
            known, carried = page.backgrounds, alone
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


def tally(rows: Sequence[Row]) -> Tally:
    """Count rows and verdicts; only clean rows have one that counts."""
    clean = [row for row in rows if row.is_clean]
    verdicts = Counter(row.verdict for row in clean)
    decimals = [row for row in clean if row.has_decimals]
    return Tally(
        rows=len(rows),
        clean_rows=len(clean),
        decimals=len(decimals),
        within_001=sum(abs(row.error) <= WITHIN_DECIMALS for row in decimals),
        within_1=verdicts[Verdict.WITHIN],
        at_floor=verdicts[Verdict.AT_FLOOR],
        unexplained=verdicts[Verdict.UNEXPLAINED],
        exact=sum(row.verdict is Verdict.WITHIN and abs(row.error) <= 0.5 for row in clean),
        floors_predicted=sum(row.verdict is Verdict.WITHIN and row.floor_kind is not FloorKind.NONE for row in clean),
        settled_rows=sum(bool(row.cause) and row.verdict is not Verdict.UNEXPLAINED for row in clean),
    )


def by_era(rows: Sequence[Row]) -> dict[tuple[str, RatingSystem], list[Row]]:
    """Clean rows by rule period and system, oldest first."""
    groups: dict[tuple[str, RatingSystem], list[Row]] = {}
    for row in rows:
        if row.is_clean:
            groups.setdefault((row.era, row.system), []).append(row)
    return dict(sorted(groups.items()))


def unexplained(rows: Sequence[Row]) -> list[Row]:
    """The rows that neither a point nor a floor explains."""
    return [row for row in rows if row.is_clean and row.verdict is Verdict.UNEXPLAINED]


def inputs_known(rows: Sequence[Row]) -> list[Row]:
    """The rows on which nothing that bears on them is hidden."""
    return [row for row in rows if row.inputs_known]


def exactness(rows: Sequence[Row]) -> Exactness:
    """While whole numbers were stored, a row is right only to the point; pages last rated since 2004."""
    kept = [row for row in rows if row.is_clean and row.verdict is Verdict.WITHIN and row.is_whole_number_era]
    return Exactness(len(kept), sum(is_right(row, row.verdict, row.computed) for row in kept))


def kinds_of_causes(rows: Sequence[Row]) -> Counter[str]:
    """How many of these rows differ for each named cause, whoever's fact it is and whatever value would fit."""
    return Counter(row.cause.split(" (")[0].split(", of player")[0] for row in rows)


def norm_rows(page: Page) -> list[NormRow]:
    """The rows of a Regular page; none of other systems, which carry the code of their Regular twin at most."""
    if page.system is not RatingSystem.OTBR:
        return []
    who = competitors(page.checked.section)
    rows = []
    for competitor in who:
        code = _code(page, competitor, who)
        for entry in competitor.entries:
            own_games = sum(cell.result.is_game for cell in entry.cells)
            posted = page.players[entry.number].details.get("norm", "")
            rows.append(
                NormRow(
                    page.event_id,
                    page.checked.section.number,
                    entry.number,
                    own_games,
                    len(competitor.entries),
                    posted,
                    code,
                )
            )
    return rows


def _code(page: Page, competitor: Competitor, who: tuple[Competitor, ...]) -> str:
    strengths = []
    for side in competitor.sides:
        posted = page.players[who[side.opponent].entries[0].number].posted.get(page.system)
        if posted is None:
            return ""
        strengths.append(posted.rating)
    level = highest_norm(competitor.score, strengths, competitor.most_meetings)
    return "" if level == NO_NORM else NORM_CODES[level]


def norm_tally(rows: Iterable[NormRow]) -> NormTally:
    """Count agreement; rows on fewer than four games of their own are counted apart."""
    every = list(rows)
    enough = [row for row in every if row.games >= NORM_GAMES]
    few = [row for row in every if row.games < NORM_GAMES]
    with_code = [row for row in few if row.posted]
    return NormTally(
        rows=len(enough),
        agree=sum(row.agrees for row in enough),
        few_games=len(few),
        few_games_with_code=len(with_code),
        few_games_agree=sum(row.agrees for row in with_code),
        differ=tuple(row for row in every if not row.agrees),
    )

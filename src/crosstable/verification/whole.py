"""``verify``: pages in, rows, counts and causes out."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from crosstable.engine import RatedSection, rate
from crosstable.errors import UnsupportedEditionError
from crosstable.terms import Background
from crosstable.verification.carried import Carried, are_inputs_known
from crosstable.verification.causes import explained
from crosstable.verification.pages import Page
from crosstable.verification.rows import Row, rows_of
from crosstable.verification.starts import FittedSection, fitted

FITTED_START = "fitted_start"


class Verification(NamedTuple):
    """All rows, each section alone and with carried state, what was set apart, and the fitted starts."""

    alone: tuple[Row, ...]
    carried: tuple[Row, ...]
    apart: Counter[str]
    fitted: tuple[FittedSection, ...]
    pages: int


def verify(pages: Iterable[Page], progress: Callable[[int], None] = lambda done: None) -> Verification:
    """Compare every page with what the engine computes: each section alone, then with carried state."""
    alone: list[Row] = []
    carried: list[Row] = []
    fits: list[FittedSection] = []
    apart: Counter[str] = Counter()
    memory = Carried()
    in_order = sorted(pages, key=lambda page: page.order)
    for done, page in enumerate(in_order, start=1):
        progress(done)
        rated = rated_page(page, page.checked.backgrounds)
        if rated is None:
            continue
        rows = rows_of(page, rated)
        if page.apart:
            apart[page.apart] += sum(row.is_clean for row in rows)
            continue
        alone += explained(page, page.checked.backgrounds, rows).rows
        known = memory.backgrounds(page)
        backgrounds = memory.expected(page, known)
        with_memory = rated_page(page, backgrounds)
        assert with_memory is not None
        with_causes = explained(page, backgrounds, rows_of(page, with_memory), memory.earlier(page))
        carried += [
            row._replace(inputs_known=row.is_clean and are_inputs_known(page, known, row.number))
            for row in with_causes.rows
        ]
        memory.learn(page, with_memory, with_causes.changes)
        fit = fitted(page, backgrounds)
        if fit is not None:
            fits.append(fit)
            apart[FITTED_START] += fit.rows
    return Verification(tuple(alone), tuple(carried), apart, tuple(fits), len(in_order))


def rated_page(page: Page, backgrounds: dict[int, Background]) -> RatedSection | None:
    """The page rated in its system, or nothing where a rule of its day is missing."""
    try:
        return rate(page.checked.section, page.system, backgrounds, page.checked.edition)
    except UnsupportedEditionError:
        return None

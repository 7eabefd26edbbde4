"""What the program before 2004 rounded on the way, as far as posted rows tell: a part of ``docs/fidelity.md``.

While whole numbers were stored, a rating after the section went up to a whole number on a gain and down on a loss. Rows
tell whether the results of the first pass were stored so before the second pass met them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from crosstable.engine.competitors import competitors
from crosstable.engine.rating import rated_field, result_of, rule_of
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.outcome import stored_whole
from crosstable.formulas.steps import one_pass
from crosstable.verification import Page
from crosstable.verification.pages import clean_rows
from crosstable.verification.rows import EXACT_PAGES_FROM, WITHIN

TOLD = (
    "- Of the rows of these older pages that tell whether the results of the first pass were stored as whole numbers "
    "too, before the second pass met them, {} fit with that only and {} without it only; of pages last rated since "
    "2004 {} and {}. So the older program seems to have rounded there; the rules here do not, and these rows stay one "
    "off.\n"
)


def first_pass(pages: Sequence[Page]) -> str:
    """The sentence about the first pass."""
    told: Counter[tuple[bool, bool]] = Counter()
    for page in pages:
        constants = page.checked.edition.constants
        if constants.stores_whole_numbers and not page.apart and not page.checked.section.kind.is_foreign:
            is_older = page.rated_on is not None and page.rated_on < EXACT_PAGES_FROM
            told.update((is_older, is_stored) for is_stored in _telling(page))
    return TOLD.format(told[True, True], told[True, False], told[False, True], told[False, False])


def _telling(page: Page) -> Iterator[bool]:
    """For each clean row that comes out to the point one way only: whether it is with a stored first pass."""
    section, edition = page.checked.section, page.checked.edition
    try:
        rated = rated_field(section, page.system, competitors(section, page.checked.backgrounds), edition)
    except UnsupportedEditionError:
        return
    field, sheet, clean = rated.field, rated.sheet, clean_rows(page)
    strengths = list(map(stored_whole, field.prior, sheet.intermediate.rating))
    one_pass(edition.constants, rule_of(section, page.system), field, sheet, strengths, sheet.final)
    for at, player in enumerate(rated.players):
        number = player.competitor.entries[0].number
        posted = page.players[number].posted.get(page.system)
        if number in clean and posted is not None and player.competitor.sides:
            other = result_of(rated.at, player, field.prior[at], sheet.final.computed[at]).rating
            is_near = max(abs(one - posted.rating) for one in (other, rated.finals[at])) <= WITHIN
            if is_near and (other == posted.rating) != (rated.finals[at] == posted.rating):
                yield other == posted.rating

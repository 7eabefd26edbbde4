"""Named quirks of official pages: never the default, only for telling a fault of the past from one of ours."""

from collections.abc import Mapping
from datetime import date

from crosstable.engine import RatedSection, rate
from crosstable.engine.rating import Steps
from crosstable.formulas.outcome import stored_first, stored_whole
from crosstable.formulas.steps import Field, PassColumns, Sheet, five_steps, formula_for, one_pass, step_2, step_3
from crosstable.rules.amending import Edition
from crosstable.rules.constants import CONSTANTS_2001, Constants
from crosstable.terms import Background, Formula, KRule, Section
from crosstable.verification.pages import ONLINE_FAULT, Page

# The program that rated before this day stored whole numbers after each pass (readings 81).
NEW_PROGRAM_FROM = date(2004, 1, 1)

FAULT = "an error in online ratings that was repaired after June 16, 2021"
REPAIRED = "the rules without the error in online ratings that was repaired after June 16, 2021"


def with_online_fault(page: Page) -> Page:
    """A page of before 2021-06-17 online, rated with the fault of that time: K = 800/(2N' + m) (readings 103)."""
    if page.apart != ONLINE_FAULT:
        return page
    edition = page.checked.edition
    faulty = edition._replace(constants=edition.constants._replace(k_effective_weight=2.0))
    return page._replace(checked=page.checked._replace(edition=faulty), apart="")


def without_online_fault(edition: Edition) -> Edition:
    """The rules that such a page is rated under, without the fault; others as they are."""
    weight = CONSTANTS_2001.k_effective_weight
    if edition.constants.k_effective_weight == weight:
        return edition
    return edition._replace(constants=edition.constants._replace(k_effective_weight=weight))


def is_of_old_program(page: Page) -> bool:
    """Whether a page was last rated by the program of before 2004; that of since then rates older sections its way."""
    is_older = page.rated_on is not None and page.rated_on < NEW_PROGRAM_FROM
    return is_older and page.checked.edition.constants.stores_whole_numbers


def steps_of(page: Page) -> Steps:
    """The steps by which a page was rated."""
    return old_steps if is_of_old_program(page) else five_steps


def old_steps(constants: Constants, rule: KRule, field: Field, sheet: Sheet) -> bool:
    """The five steps as the program of before 2004 took them: both passes end in whole numbers (readings 81)."""
    step_2(constants, field, sheet)
    third = step_3(constants, field, sheet)
    fourth = one_pass(constants, rule, field, sheet, sheet.strength, sheet.intermediate)
    _store(constants, field, sheet.intermediate)
    fifth = one_pass(constants, rule, field, sheet, sheet.intermediate.rating, sheet.final)
    _store(constants, field, sheet.final)
    return third and fourth and fifth


def _store(constants: Constants, field: Field, result: PassColumns) -> None:
    for at, prior in enumerate(field.prior):
        if field.first[at] < field.first[at + 1]:
            formula = formula_for(constants, field.games[at], field.past[at])
            result.computed[at] = stored_by_pass(formula, prior, result.computed[at])
            result.rating[at] = max(result.computed[at], constants.absolute_floor)


def stored_by_pass(formula: Formula, prior: float, computed: float) -> float:
    """What that program kept of a pass: a special rating to the nearest, a standard one up on a gain, else down."""
    return stored_first(computed) if formula is Formula.SPECIAL else stored_whole(prior, computed)


def rated_as_then(
    page: Page, backgrounds: Mapping[int, Background], section: Section | None = None, edition: Edition | None = None
) -> RatedSection:
    """A page rated by the program of its day, or a section that was read otherwise, or under other rules."""
    checked = page.checked._replace(edition=edition or page.checked.edition)
    steps = steps_of(page._replace(checked=checked))
    return rate(section or checked.section, page.system, backgrounds, checked.edition, steps)

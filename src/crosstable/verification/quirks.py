"""Named quirks of official pages: never the default, only for telling a fault of the past from one of ours."""

from crosstable.rules.amending import Edition
from crosstable.rules.constants import CONSTANTS_2001
from crosstable.verification.pages import ONLINE_FAULT, Page

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

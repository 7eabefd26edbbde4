"""What the program before 2004 stored on the way, as far as posted rows tell: a part of ``docs/fidelity.md``.

While whole numbers were stored, a rating after the section went up to a whole number on a gain and down on a loss. The
program of before 2004 did so after each pass, and took special ratings to the nearest. Rows tell that apart.
"""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

from crosstable.engine import rate
from crosstable.formulas.steps import five_steps
from crosstable.verification import Page
from crosstable.verification.pages import CORRECTED_SINCE, NEW_PROGRAM_FROM, Verdict, old_steps, rows_of
from crosstable.verification.whole import settled

PARTS = 2
TOLD = (
    "- **The program of before 2004.** Until then the results of both passes were stored as whole numbers, special "
    "ratings to the nearest, standard ones up on a gain and down on a loss; pages last rated before January 1, 2004, "
    "are rated so. Rows that come out to the point only with that, and only without it: {}. It was found with the rows "
    "of both halves in view; half 1 by itself tells it from every other way tried, and half 2 agrees. The page that "
    "was corrected since, which is set apart and had no say in it, has {}. Pages last rated since 2004 have {}: their "
    "program did not. The other ways, once counted on all these pages of before 2004: only the first pass stored, up "
    "or down, 6 and 1; the first pass to the nearest 1 and 2, cut off 3 and 20, always up 3 and 24; effective games "
    "rounded 0 and 67; expectancies to two digits 5 and 61; bonus points to the nearest 1 and 20. Two rows stay one "
    "off. A count that is not shown would explain each: 29 to 39 games of the player themselves, at 1964, in "
    "200210273410, and 27 to 30 games of an opponent at 2194 in 200203163770.\n"
)


def first_pass(pages: Sequence[Page]) -> str:
    """The sentences about the program of before 2004."""
    told: Counter[tuple[str, bool]] = Counter()
    for page in pages:
        if page.checked.edition.constants.stores_whole_numbers and page.rated_on is not None:
            told.update((_group(page), is_stored) for is_stored in _telling(page))

    def said(group: str) -> str:
        return f"{told[group, True]} and {told[group, False]}"

    older, newer = (
        [f"{said(f'{age}{part}')} in half {part}" for part in range(1, PARTS + 1)] for age in ("old", "new")
    )
    return TOLD.format(", ".join(older), said(CORRECTED_SINCE), ", ".join(newer))


def _group(page: Page) -> str:
    if page.apart:
        return page.apart
    is_old = page.rated_on is not None and page.rated_on < NEW_PROGRAM_FROM
    return f"{'old' if is_old else 'new'}{(zlib.crc32(page.event_id.encode()) >> 8) % PARTS + 1}"


def _telling(page: Page) -> Iterator[bool]:
    """For each clean row that comes out to the point one way only: whether it is with whole numbers in each pass."""
    section, edition = page.checked.section, page.checked.edition
    found = settled(page, page.backgrounds)
    if found is None or section.kind.is_foreign:
        return
    section = section.with_backgrounds(found.backgrounds)
    with_it, without = (rows_of(page, rate(section, page.system, edition, steps)) for steps in (old_steps, five_steps))
    for one, other in zip(with_it, without, strict=True):
        if one.is_clean and Verdict.UNEXPLAINED not in (one.verdict, other.verdict):
            is_one, is_other = (
                row.computed == row.posted or (row.is_floor_level and row.computed < row.posted) for row in (one, other)
            )
            if is_one != is_other:
                yield is_one

"""A comparison with official crosstables as text for people."""

import math
from collections.abc import Iterator
from itertools import groupby

from crosstable.lab.resemblance import Figure, Resemblance


def resemblance_text(found: Resemblance) -> str:
    """The whole text: a line per figure, official and simulated side by side."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Resemblance) -> Iterator[str]:
    yield f"official: {found.pages:,} pages, {found.rows:,} entrants"
    weighed = "" if math.isclose(found.matched, 1.0) else f"; {100.0 * found.matched:.1f} % of the pages have such"
    yield f"simulated: {found.sections:,} pages of the same years and systems, weighed as the official ones{weighed}"
    yield ""
    yield f"  {'':<34} {'official':>9} {'simulated':>9} {'difference':>10}  {'seen':>7}"
    for group, figures in groupby(found.figures, lambda one: one.group):
        yield group
        yield from (_line(one) for one in figures)


def _line(one: Figure) -> str:
    official, simulated, difference = (
        "–" if math.isnan(value) else f"{value:{sign}.{one.digits}f}"
        for value, sign in ((one.official, ""), (one.simulated, ""), (one.difference, "+"))
    )
    return f"  {one.name:<34} {official:>9} {simulated:>9} {difference:>10}  {one.seen:>7,}"

"""The numbers of the search for unknown starts, settled by halves: a part of ``docs/fidelity.md``.

Each number is tried at a few values, the others as they are. The value that explains most on one half of the events is
counted on the other half, which had no say in it.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from crosstable.formats import msa
from crosstable.verification import Page, pages_of, slopes, starts, whole
from crosstable.verification.whole import Settled, fitted, settled


class Constant(NamedTuple):
    """A number of the search: where it is, the other values that are tried, and what it is for."""

    module: ModuleType
    name: str
    others: tuple[float, ...]
    purpose: str


CONSTANTS = (
    Constant(starts, "ROUNDS", (6, 24), "rounds at most"),
    Constant(starts, "STEPS", (4, 16), "steps of a round at most"),
    Constant(starts, "TRIES", (2, 8), "dampings of a step at most"),
    Constant(starts, "LEAST_GAIN", (0.1, 1.0), "points that a step must gain, of all rows together"),
    Constant(starts, "FIRST_DAMPING", (0.0003, 0.002), "first damping"),
    Constant(starts, "LEAST_DAMPING", (0.0001, 0.001), "least damping"),
    Constant(starts, "EASING", (2.0, 8.0), "easing of the damping"),
    Constant(starts, "LEVELS", (6, 22), "levels of the first guess"),
    Constant(starts, "JUMPS", (3, 12), "levels of a jump"),
    Constant(starts, "SWEEPS", (1, 4), "rounds of jumps at most"),
    Constant(starts, "SLIGHT", (0.0, 0.1), "share of its effect on rows not near, below which a start is left alone"),
    Constant(slopes, "PRECISION", (1e-4, 1e-2), "precision of a step, squared"),
    Constant(slopes, "MOST_TURNS", (4, 16), "turns for a step at most"),
    Constant(starts, "NEAR", (0.5, 1.0), "points off at which a row is left alone"),
    Constant(starts, "MOST_WORK", (7_000, 28_000), "players rated, after which a search ends"),
    Constant(starts, "LEAST_ROUNDS", (1, 4), "rounds at least"),
    Constant(slopes, "KINK", (4.0, 16.0), "points around 400 in which a player counts in part"),
    Constant(whole, "LARGEST_INQUIRY", (1000, 9000), "wrong rows times players, beyond which no hidden fact is sought"),
)
HALVES = (0, 1)
NOT_BY_THE_TABLE = (
    "\nThree choices were not made by this table. Both halves gain if a step need only gain 0.1 points, and with 4 "
    "rounds of jumps; what is in use was kept for time. And the end of a search was set to 14,000 (from 20,000) for "
    "time, as the lowest of 12,000, 14,000, 16,000 and 20,000 that lost no row of the online-fault pages, which are "
    "not in the table (392 of 408 rows; with 12,000 386).\n"
)


class Count(NamedTuple):
    """Rows that rest on starts, how many are explained, and the free numbers."""

    rows: int = 0
    explained: int = 0
    free: int = 0

    @property
    def told(self) -> str:
        """The share beyond the free numbers."""
        return f"{100.0 * (self.explained - self.free) / (self.rows - self.free):.2f} %"

    @property
    def beyond(self) -> int:
        """Rows that are explained beyond the free numbers."""
        return self.explained - self.free


def half_of(page: Page) -> int:
    """The half of an event: its number of the day, even or odd; the last digit says only who rated it."""
    return int(page.event_id[-2]) % len(HALVES)


def search_constants(pages: Sequence[Page]) -> str:
    """The section about the search: each number by halves."""
    rated = [(page, settled(page, page.backgrounds)) for page in pages if not page.apart]
    ready = [(page, before) for page, before in rated if before and fitted(page, before) is not None]
    taken = _counted(ready)
    lines = [
        "\n## The search for starts, by halves\n\nThe numbers of the search decide how long and how finely it looks, "
        "never which starts are possible or which rows are right. They were chosen with these pages in view. So each "
        "was tried at other values on the saved pages, the rest as it is. The value that explains most beyond the free "
        "numbers on one half of the events (by the number of the event) was then counted on the other half; of equals "
        f"the one in use. As used: {taken[0].told} of half 1, {taken[1].told} of half 2.\n\n"
        "| number | in use | tried | best on half 1 | gives on half 2 | best on half 2 | gives on half 1 |\n"
        "|---|---|---|---|---|---|---|\n"
    ]
    for one in CONSTANTS:
        found = {float(getattr(one.module, one.name)): taken}
        for value in one.others:
            with _set(one, value):
                found[value] = _counted(ready)
        best = [_best(found, half) for half in HALVES]
        values = [f"{value:g}" for value in (next(iter(found)), *best)]
        lines.append(
            f"| {one.purpose} | {values[0]} | {', '.join(f'{value:g}' for value in one.others)} | {values[1]} | "
            f"{found[best[0]][1].told} | {values[2]} | {found[best[1]][0].told} |\n"
        )
        print(lines[-1], end="", file=sys.stderr, flush=True)
    return "".join(lines) + NOT_BY_THE_TABLE


def _best(found: dict[float, list[Count]], half: int) -> float:
    """The value that explains most on a half; of equals the first."""
    return max(found, key=lambda value: found[value][half].beyond)


@contextmanager
def _set(one: Constant, value: float) -> Iterator[None]:
    before = getattr(one.module, one.name)
    setattr(one.module, one.name, type(before)(value))
    try:
        yield
    finally:
        setattr(one.module, one.name, before)


def _counted(ready: Sequence[tuple[Page, Settled]]) -> list[Count]:
    counts = [Count() for _ in HALVES]
    for page, before in ready:
        fit, half = fitted(page, before), half_of(page)
        assert fit is not None
        rows, explained, free = counts[half]
        counts[half] = Count(rows + fit.rows, explained + fit.within + fit.at_floor, free + fit.free_numbers)
    return counts


def main(folder: str) -> int:
    """Print the section for a folder of saved pages."""
    reports = [msa.read(path.read_bytes(), path.name).report for path in sorted(Path(folder).glob("*.html"))]
    print(search_constants([page for report in reports for page in pages_of(report)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

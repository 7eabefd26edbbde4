"""``make bench``: run every benchmark and print the ratios."""

import sys

from benchmarks.browser import browser
from benchmarks.director import director
from benchmarks.held_record import held_record
from benchmarks.large_office import large_office
from benchmarks.office import office
from benchmarks.replays import replays
from benchmarks.site import site
from benchmarks.start_up import start_up
from benchmarks.sweep import sweep_of_a_hundred
from benchmarks.systems import systems
from benchmarks.workbench import workbench

_ALL = (start_up, director, workbench, replays, office, held_record, large_office, site, browser, systems)
BENCHMARKS = {one.__name__: one for one in _ALL}
BENCHMARKS["sweep"] = sweep_of_a_hundred


def main() -> int:
    """Run those that are named, or all, one after the other; words that begin with ``--`` are for them."""
    for name in [one for one in sys.argv[1:] if not one.startswith("--")] or BENCHMARKS:
        print(BENCHMARKS[name](), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

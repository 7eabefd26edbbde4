"""``make bench``: run every benchmark and print the ratios."""

import sys

from benchmarks.director import director
from benchmarks.office import office
from benchmarks.start_up import start_up

BENCHMARKS = (start_up, director, office)


def main() -> int:
    """Run them all, one after the other."""
    for benchmark in BENCHMARKS:
        print(benchmark())
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Compile what many processes are about to need at once, so that it is compiled once: ``make test`` does it first.

``python -m tools.compile_ahead replays`` compiles a replay and what judges it, ``... sweeps`` a simulation and a sweep;
neither needs anything of the other, so both may run at the same time.
"""

import sys
from tempfile import TemporaryDirectory

from crosstable.history.running import warm_up
from crosstable.lab import Draws, SweepOptions, Where, backtest, sweep
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulated, write_with_truth

FEW = Draws(replicates=2, threads=1)
SMALL = Federation(members=60, sections=60, years=4)


def replays(folder: str) -> None:
    """Compile replays and back-tests, which begin with one."""
    warm_up()
    write_with_truth(*simulated(SMALL), folder)
    backtest(folder, against="official", draws=FEW)


def sweeps(folder: str) -> None:
    """Compile simulations and sweeps."""
    write_with_truth(*simulated(SMALL, is_compiled=True), folder)
    plan = {"grid": {"k_numerator": [400, 800]}}
    sweep(folder, plan, options=SweepOptions(draws=FEW), where=Where(jobs=1))


def main(part: str) -> None:
    """Compile one of the two parts."""
    with TemporaryDirectory() as folder:
        {"replays": replays, "sweeps": sweeps}[part](folder)


if __name__ == "__main__":
    main(*sys.argv[1:])

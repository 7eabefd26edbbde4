"""The laboratory: made-up federations whose players have true strengths, and what can be learned from them.

``simulate`` makes a federation from a seed and writes it as an archive; ``backtest`` judges a rule set by what it
predicts, ``sweep`` tries many, ``report`` makes a page of it. In a notebook:
``from crosstable.lab import backtest, report, rule_set``.
Sees everything but the command line, the site and the office.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosstable.lab.backtesting import backtest as backtest
    from crosstable.lab.drawing import Draws as Draws
    from crosstable.lab.frames import players_frame as players_frame
    from crosstable.lab.frames import predictions_frame as predictions_frame
    from crosstable.lab.judgements import Backtest as Backtest
    from crosstable.lab.known_systems import other_system as other_system
    from crosstable.lab.known_systems import standard_system as standard_system
    from crosstable.lab.plans import undone as undone
    from crosstable.lab.reporting import Report as Report
    from crosstable.lab.reporting import report as report
    from crosstable.lab.sweep_tasks import Days as Days
    from crosstable.lab.sweep_tasks import Where as Where
    from crosstable.lab.sweeping import Sweep as Sweep
    from crosstable.lab.sweeping import SweepOptions as SweepOptions
    from crosstable.lab.sweeping import sweep as sweep
    from crosstable.rules.rule_files import rule_set as rule_set

# What the package offers by name, imported when it is asked for: a simulation needs none of it.
_HOMES = {
    "crosstable.lab.backtesting": ("backtest",),
    "crosstable.lab.frames": ("players_frame", "predictions_frame"),
    "crosstable.lab.judgements": ("Backtest",),
    "crosstable.lab.drawing": ("Draws",),
    "crosstable.lab.known_systems": ("other_system", "standard_system"),
    "crosstable.lab.plans": ("undone",),
    "crosstable.lab.reporting": ("Report", "report"),
    "crosstable.lab.sweep_tasks": ("Days", "Where"),
    "crosstable.lab.sweeping": ("Sweep", "SweepOptions", "sweep"),
    "crosstable.rules.rule_files": ("rule_set",),
}


def __getattr__(name: str) -> object:
    """A name that the package offers, from its module."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(home), name)
    return found

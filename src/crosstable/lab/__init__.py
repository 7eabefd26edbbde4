"""The laboratory: made-up federations whose players have true strengths, and what can be learned from them.

``simulate`` makes a federation from a seed and writes it as an archive; ``season`` makes a small one as event files;
``backtest`` judges a rule set by what it predicts, ``report`` makes a page of it. In a notebook:
``from crosstable.lab import backtest, report, rule_set``.
Sees everything but the doors and the office.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosstable.lab.backtest_results import Backtest
    from crosstable.lab.backtesting import backtest
    from crosstable.lab.measures import Draws
    from crosstable.lab.other_systems import other_system
    from crosstable.lab.plans import undone
    from crosstable.lab.reporting import Report, report
    from crosstable.lab.sweep_tasks import Days, Where
    from crosstable.lab.sweeping import Sweep, Wishes, sweep
    from crosstable.rules.rule_files import rule_set

__all__ = [
    "Backtest",
    "Days",
    "Draws",
    "Report",
    "Sweep",
    "Where",
    "Wishes",
    "backtest",
    "other_system",
    "report",
    "rule_set",
    "sweep",
    "undone",
]

# What the package offers by name, imported when it is asked for: a simulation needs none of it.
_HOMES = {
    "Backtest": "crosstable.lab.backtest_results",
    "Draws": "crosstable.lab.measures",
    "backtest": "crosstable.lab.backtesting",
    "other_system": "crosstable.lab.other_systems",
    "Report": "crosstable.lab.reporting",
    "report": "crosstable.lab.reporting",
    "rule_set": "crosstable.rules.rule_files",
    "Days": "crosstable.lab.sweep_tasks",
    "Sweep": "crosstable.lab.sweeping",
    "Where": "crosstable.lab.sweep_tasks",
    "Wishes": "crosstable.lab.sweeping",
    "sweep": "crosstable.lab.sweeping",
    "undone": "crosstable.lab.plans",
}


def __getattr__(name: str) -> object:
    """A name that the package offers, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOMES[name]), name)
    return found

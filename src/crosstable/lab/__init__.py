"""The laboratory: made-up federations whose players have true strengths, and what can be learned from them.

``simulate`` makes a federation from a seed and writes it as an archive; ``season`` makes a small one as event files;
``backtest`` judges a rule set by what it predicts. In a notebook: ``from crosstable.lab import backtest, rule_set``.
Sees everything but the doors and the office.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosstable.lab.backtesting import Backtest, backtest
    from crosstable.lab.bootstrap import Draws
    from crosstable.rules.rule_files import rule_set

__all__ = ["Backtest", "Draws", "backtest", "rule_set"]

# What the package offers by name, imported when it is asked for: a simulation needs none of it.
_HOMES = {
    "Backtest": "crosstable.lab.backtesting",
    "Draws": "crosstable.lab.bootstrap",
    "backtest": "crosstable.lab.backtesting",
    "rule_set": "crosstable.rules.rule_files",
}


def __getattr__(name: str) -> object:
    """A name that the package offers, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOMES[name]), name)
    return found

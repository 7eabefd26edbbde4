"""Crosstable rates chess events exactly as US Chess does, under the rules of the day they were played.

The library is seven calls: ``read`` a file of any known format, ``check`` it, ``rate`` it, ``explain`` a player's
result, ``estimate`` one player's rating without a file, ``estimates`` of many, ``verify`` computed against posted
ratings. They are documented in docs/library.md. Nothing is imported before it is used, so that a quick question stays
quick.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosstable.calculator.estimate import Estimate
    from crosstable.errors import CrosstableError, Fault, FormatError, Severity, UnratableSectionError
    from crosstable.explanation import Line
    from crosstable.library import RateOptions, check, estimate, estimates, explain, rate, read, verify
    from crosstable.pipeline.checking import CheckedReport
    from crosstable.pipeline.rating import RatedEvent
    from crosstable.pipeline.results import PlayerResult, SectionResult, SystemResult
    from crosstable.pipeline.verifying import VerifiedEvents
    from crosstable.terms import RatingSystem, Report

__version__ = "0.1.0"

__all__ = [
    "CheckedReport",
    "CrosstableError",
    "Estimate",
    "Fault",
    "FormatError",
    "Line",
    "PlayerResult",
    "RateOptions",
    "RatedEvent",
    "RatingSystem",
    "Report",
    "SectionResult",
    "Severity",
    "SystemResult",
    "UnratableSectionError",
    "VerifiedEvents",
    "__version__",
    "check",
    "estimate",
    "estimates",
    "explain",
    "rate",
    "read",
    "verify",
]

_HOMES = {
    "CheckedReport": "crosstable.pipeline.checking",
    "CrosstableError": "crosstable.errors",
    "Estimate": "crosstable.calculator.estimate",
    "Fault": "crosstable.errors",
    "FormatError": "crosstable.errors",
    "Line": "crosstable.explanation",
    "PlayerResult": "crosstable.pipeline.results",
    "RatedEvent": "crosstable.pipeline.rating",
    "RatingSystem": "crosstable.terms",
    "Report": "crosstable.terms",
    "SectionResult": "crosstable.pipeline.results",
    "Severity": "crosstable.errors",
    "SystemResult": "crosstable.pipeline.results",
    "UnratableSectionError": "crosstable.errors",
    "VerifiedEvents": "crosstable.pipeline.verifying",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'crosstable' has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(_HOMES.get(name, "crosstable.library")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)

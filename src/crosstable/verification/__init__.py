"""Computed against posted: how well the engine reproduces official results, and why a row differs where it does.

Works on event files with posted figures and on the archive of official crosstables. A row counts only if everything
that bears on it is known; rows that cannot be compared are counted apart. Sees checks, the engine and below.
"""

from crosstable.verification.pages import Page, Row, Verdict, pages_of
from crosstable.verification.whole import Tally, Verification, by_era, tally, unexplained, verify

__all__ = [
    "Page",
    "Row",
    "Tally",
    "Verdict",
    "Verification",
    "by_era",
    "pages_of",
    "tally",
    "unexplained",
    "verify",
]

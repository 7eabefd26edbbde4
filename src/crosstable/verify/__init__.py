"""Computed against posted: how well the engine reproduces official results, and why a row differs where it does.

Works on event files with posted figures and on the archive of official crosstables. A row counts only if everything
that bears on it is known; rows that cannot be compared are counted apart. Sees checks, the engine and below.
"""

from crosstable.verify.pages import Page, pages_of
from crosstable.verify.rows import Row, Verdict
from crosstable.verify.whole import Verification, verify

__all__ = ["Page", "Row", "Verdict", "Verification", "pages_of", "verify"]

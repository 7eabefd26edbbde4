"""From a report to sections that can be rated, or every fault that stands in the way.

``check`` runs every check over every section, so that a director sees all of it at once; a section with an error is
held back while the others go on. Whatever must be known from outside, such as today's date, is passed in.
Sees the engine and below.
"""

from crosstable.checks.report import CheckedEvent, CheckedSection, check

__all__ = ["CheckedEvent", "CheckedSection", "check"]

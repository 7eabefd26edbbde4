"""The working of a rated section as short sentences with § numbers.

``explain`` returns lines that command line, page and JSON share; each carries the number it speaks of in full, so
that the parts add up to the rating that stands. The words live in ``explain.words``, one sentence per field of every
working record. Sees the engine and below.
"""

from crosstable.explanation.lines import explain
from crosstable.explanation.telling import Line

__all__ = ["Line", "explain"]

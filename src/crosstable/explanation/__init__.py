"""The working of a rated section as short sentences with § numbers.

``explain`` returns lines that command line, page and JSON share; each carries the number it speaks of in full and the
formula that gives it, so that the parts add up to the rating that stands. ``public_lines`` has what of them anybody may
read. The words are in ``explanation.words``; every number of the rules in them comes from the edition that rated. Sees
the engine and below.
"""

from crosstable.explanation.lines import explain, lines_text, usual_document
from crosstable.explanation.telling import Line

__all__ = ["Line", "explain", "lines_text", "usual_document"]

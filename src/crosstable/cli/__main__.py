"""``python -m crosstable.cli`` is the command line."""

from crosstable.cli import entry

entry()

"""``python -m crosstable`` is the command ``crosstable``, where the folder of commands is not in the PATH."""

from crosstable.cli import entry

entry()

"""``python -m crosstable.cli`` is the command line."""

import sys

from crosstable.cli import main

sys.exit(main())

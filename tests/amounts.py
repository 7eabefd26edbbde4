"""How often a test tries something: the amount of every change, or the larger one of ``make soak``."""

import os

# ``make soak`` sets 10.
SOAK = int(os.environ.get("CROSSTABLE_SOAK", "1"))
IS_SOAK = SOAK > 1


def amount(usual: int, soak: int | None = None) -> int:
    """The usual amount; in a soak the one that is given, or so many times the usual one as the soak says."""
    return (soak or SOAK * usual) if IS_SOAK else usual

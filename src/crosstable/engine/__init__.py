"""The five steps of §1 over one checked section: section × system × edition → ``RatedSection``.

Pure: no file, no clock, no database. ``rate`` is the whole interface; the records it returns keep the working of every
step. Imports terms, errors, rules and formulas; everyone above may import it.
"""

from crosstable.engine.rating import rate
from crosstable.engine.records import (
    PassWorking,
    RatedGame,
    RatedPlayer,
    RatedSection,
    SourceWorking,
    Start,
)

__all__ = ["PassWorking", "RatedGame", "RatedPlayer", "RatedSection", "SourceWorking", "Start", "rate"]

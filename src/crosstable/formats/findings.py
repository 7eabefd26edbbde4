"""A list of faults that stays readable: a file with a million mistakes gets the first few hundred of them named."""

from collections.abc import Iterable

from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.sentences import counted

MOST_FAULTS = 500


class FaultList(list[Fault]):
    """Faults in the order of finding; past ``MOST_FAULTS`` they are only counted."""

    def __init__(self, found: Iterable[Fault] = ()) -> None:
        super().__init__()
        self.unlisted = 0
        self.extend(found)

    def append(self, found: Fault) -> None:
        """Keep a fault, or count it where enough are kept."""
        if len(self) < MOST_FAULTS:
            super().append(found)
        else:
            self.unlisted += 1

    def extend(self, found: Iterable[Fault]) -> None:
        """Keep or count several faults."""
        for each in found:
            self.append(each)

    def closed(self, place: str) -> tuple[Fault, ...]:
        """All that was kept, and a last fault that says how many more there are."""
        if not self.unlisted:
            return tuple(self)
        message = f"Not listed: {counted(self.unlisted, 'more fault')}."
        return (*self, fault("damaged-file", place, message, "Correct the faults above first."))

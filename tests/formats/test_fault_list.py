"""The list of faults names enough and counts the rest."""

from crosstable.faults import fault
from crosstable.formats import MOST_FAULTS, FaultList

ONE = fault("bad-value", "here", "Wrong.")


def test_a_short_list_is_given_whole() -> None:
    assert FaultList([ONE, ONE]).closed("file") == (ONE, ONE)


def test_a_long_list_ends_with_how_many_more_there_are() -> None:
    faults = FaultList([ONE] * (MOST_FAULTS - 1))
    faults.extend([ONE, ONE])
    faults.append(ONE)
    closed = faults.closed("file")
    assert len(closed) == MOST_FAULTS + 1
    assert closed[-1].message == "Not listed: 2 more faults."
    assert closed[-1].place == "file"

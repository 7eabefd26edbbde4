"""Two offices with the same record, one interpreted and one compiled: they must stay the same."""

from typing import Any

from sqlalchemy import select

from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.rerate import Run, rerate
from crosstable.office.ledger.runs import StageClock, Watch
from tests.office.made_office import AUTHOR

PLAIN, LONG = 10**9, 0
# Everything that a run writes, and the acts that bind it.
WRITTEN = ("act", "run", "rated_section", "posting", "ripple")


def rated(office: Office, long: int) -> Run | None:
    """A run that is compiled after so many steps."""
    return rerate(office, AUTHOR, watch=Watch(clock=StageClock(), long=long))


def written(office: Office) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table that runs write."""
    with office.reading() as connection:
        found = {name: connection.execute(select(tables.metadata.tables[name])).all() for name in WRITTEN}
    return {name: sorted((tuple(row) for row in rows), key=repr) for name, rows in found.items()}


def rated_both_ways(plain: Office, long: Office) -> Run | None:
    """Rate two offices; every row that the two runs wrote is the same, and so is what they tell."""
    first, second = rated(plain, PLAIN), rated(long, LONG)
    ours, theirs = written(plain), written(long)
    for name in WRITTEN:
        assert theirs[name] == ours[name], name
    if first is None or second is None:
        assert first is second
        return None
    assert (second.act, second.sections, second.postings) == (first.act, first.sections, first.postings)
    assert sorted(second.ripple, key=repr) == sorted(first.ripple, key=repr)
    assert second.unratable == first.unratable
    return first

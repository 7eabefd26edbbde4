"""The parts of a commitment that small offices hardly meet: many rows, and days in another spelling."""

import hashlib
import random
from datetime import date

import pytest

from crosstable.office import tables
from crosstable.office.ledger import commitments
from crosstable.office.ledger.commitments import summary
from crosstable.office.ledger.digests import BYTES, layout_of


@pytest.mark.parametrize("same", [1, 8])
def test_the_rows_of_a_large_entry_are_sorted_like_those_of_a_small_one(same: int) -> None:
    """As bytes compare; the first bytes of many are equal."""
    chance = random.Random(3)
    digests = [bytes(same * chance.randrange(2)) + chance.randbytes(BYTES) for _ in range(commitments._MANY + 1)]
    digests = [one[:BYTES] for one in digests]
    expected = hashlib.sha256(b"".join(sorted(digests))).hexdigest()
    assert summary(b"".join(digests)) == [len(digests), expected]


def test_a_day_in_another_spelling_is_no_day_of_the_record() -> None:
    layout = layout_of([tables.opening.c.as_of])
    assert layout.encoded(["2026-06-14"]) == layout.encoded([date(2026, 6, 14)])
    with pytest.raises(ValueError, match="20260614"):
        layout.encoded(["20260614"])

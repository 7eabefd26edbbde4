"""What the calculator's tests share: a request from the short notation."""

from datetime import date

from crosstable.calculator.reading import read_request
from crosstable.calculator.requests import EstimateRequest

# The 2025 text is in force.
TODAY = date(2026, 7, 4)


def asked(rating: str, games: str, **fields: str) -> EstimateRequest:
    """A sound request; a test that gets faults here is wrong itself."""
    reading = read_request([("rating", rating), ("game", games), *fields.items()], TODAY)
    assert reading.request is not None, reading.faults
    assert not reading.faults
    return reading.request

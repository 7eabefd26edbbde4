"""Days as people write them."""

import re
from datetime import date

_AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})", re.ASCII)


def iso_day(text: str) -> date | None:
    """The day of a text written YYYY-MM-DD and in no other way, or ``None``."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None


def day_of(text: str) -> date | None:
    """A day written 2026-08-30 or, as Americans do, 8/30/2026."""
    found = _AMERICAN.fullmatch(text)
    if found is None:
        return iso_day(text)
    return iso_day(f"{found[3]}-{int(found[1]):02}-{int(found[2]):02}")

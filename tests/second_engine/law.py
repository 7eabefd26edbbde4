"""Dates, the dated numbers of the law, and the frame of one section in one system."""

import math
from dataclasses import dataclass
from datetime import date
from typing import Any

from .errors import NotRatable

OVER_THE_BOARD = ("OTBR", "OTBQ", "OTBB")
ONLINE = ("OLR", "OLQ", "OLB")
SINCE_THE_START = date(2001, 1, 1)

# Systems exist from their dates (2025 text §8; rules history §1).
BORN = {
    "OTBR": SINCE_THE_START,
    "OTBQ": SINCE_THE_START,
    "OTBB": date(2013, 3, 1),
    "OLB": date(2014, 10, 1),
    "OLQ": date(2015, 3, 1),
    "OLR": date(2020, 6, 1),
}

# The bonus multiplier B (2025 text §8; rules history §1, table of B).
BONUS = (
    (date(2001, 1, 1), 10.0),
    (date(2008, 6, 6), 6.0),
    (date(2012, 8, 3), 8.0),
    (date(2014, 3, 20), 10.0),
    (date(2015, 6, 1), 12.0),
    (date(2017, 6, 1), 14.0),
    (date(2023, 2, 1), 12.0),
    (date(2025, 1, 1), 10.0),
)

HALF_K_ENDS = date(2006, 3, 1)
NEW_EFFECTIVE_GAMES = date(2013, 5, 8)
REDUCED_K = date(2013, 5, 8)
FLOATING_POINT = date(2014, 9, 1)
BLEND = date(2020, 6, 1)


@dataclass(frozen=True)
class Case:
    """One section seen in one system: its dates, its type and the switches that K depends on."""

    system: str
    start: date
    end: date
    kind: str
    half_k: bool
    dual_control: bool


def read_date(text: str) -> date:
    """Read a date of the event file (year-month-day)."""
    return date.fromisoformat(text)


def section_dates(event: dict[str, Any], section: dict[str, Any]) -> tuple[date, date]:
    """Give the section's own start and end, else the event's (readings 1, 2).

    `event` is the whole event file or its "event" part alone.
    """
    inner = event.get("event")
    header = inner if isinstance(inner, dict) else event
    start = section.get("start_date") or header.get("start_date") or header["end_date"]
    end = section.get("end_date") or header.get("end_date") or start
    return read_date(start), read_date(end)


def demand_system(system: str, start: date) -> None:
    """Refuse an unknown system, one not yet born, and any day before 2001 (2025 text §8; readings 12, 13)."""
    if system not in BORN:
        raise NotRatable(f"{system} is not one of the six systems")
    if start < SINCE_THE_START:
        raise NotRatable("sections before 2001-01-01 are out of scope")
    if start < BORN[system]:
        raise NotRatable(f"{system} exists only from {BORN[system]}")


def bonus_multiplier(start: date) -> float:
    """Give B on the section's start date (2025 text §4.2 and §8)."""
    return [value for since, value in BONUS if since <= start][-1]


def half_up(value: float) -> int:
    """Round conventionally, half upward (2025 text §7; readings 80)."""
    return math.floor(value + 0.5)

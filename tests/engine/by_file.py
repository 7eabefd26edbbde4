"""The whole way of an event file, for tests: read, check, rate; and the document that others see."""

import json
from collections.abc import Mapping
from typing import Any

from crosstable.catalogue import CATALOGUE
from crosstable.errors import Severity
from crosstable.pipeline.rating import RatedEvent, rate
from crosstable.pipeline.reading import read
from crosstable.rules.editions import Calendar

EventFile = dict[str, Any]
Row = dict[str, Any]


TO_CONFIRM = [code for code, kind in CATALOGUE.items() if kind.severity is Severity.CONFIRM]


def rated_file(event: Mapping[str, Any], calendar: Calendar = Calendar.LISTED) -> RatedEvent:
    """An event file, read from its bytes, checked and rated, with the faults of reading and of checking.

    Whatever somebody would have to confirm is confirmed: random events have no director to ask.
    """
    report = read(json.dumps(event).encode(), "event.json")
    return rate(report, calendar=calendar, today=None, accept=dict.fromkeys(TO_CONFIRM, "random"))


def rows_by_system(event: Mapping[str, Any]) -> dict[str, dict[int, Row]]:
    """The rows of the only section, as ``rate --json`` prints them, by system and pairing number."""
    (section,) = rated_file(event).to_dict()["sections"]
    return {system: {row["number"]: row for row in rated["players"]} for system, rated in section["systems"].items()}


def error_codes(event: RatedEvent) -> list[str]:
    """The codes of the errors, in the order of finding."""
    return [fault.code for fault in event.faults if fault.severity.value == "error"]

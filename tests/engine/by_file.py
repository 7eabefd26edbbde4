"""The whole way of an event file, for tests: read, check, rate; and the document that others see."""

import json
from collections.abc import Mapping
from typing import Any

from crosstable.checks import check
from crosstable.formats import event_json
from crosstable.output.rated_json import rated_document
from crosstable.rules.editions import Calendar
from crosstable.whole_event import RatedEvent, rate_event

EventFile = dict[str, Any]
Row = dict[str, Any]


def rated_file(event: Mapping[str, Any], calendar: Calendar = Calendar.LISTED) -> RatedEvent:
    """An event file, read from its bytes, checked and rated, with the faults of reading and of checking."""
    reading = event_json.read(json.dumps(event).encode(), "event.json")
    checked = check(reading.report, calendar=calendar)
    return rate_event(checked._replace(faults=(*reading.faults, *checked.faults)))


def rows_by_system(event: Mapping[str, Any]) -> dict[str, dict[int, Row]]:
    """The rows of the only section, as ``rate --json`` prints them, by system and pairing number."""
    (section,) = rated_document(rated_file(event))["sections"]
    return {system: {row["number"]: row for row in rated["players"]} for system, rated in section["systems"].items()}


def error_codes(event: RatedEvent) -> list[str]:
    """The codes of the errors, in the order of finding."""
    return [fault.code for fault in event.faults if fault.severity.value == "error"]

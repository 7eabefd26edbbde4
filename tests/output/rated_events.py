"""Rated events for the tests of outputs, made from small event files."""

import json
from datetime import date
from pathlib import Path

from crosstable.engine import RatedSection
from crosstable.pipeline.rating import RatedEvent, rate
from crosstable.pipeline.reading import read
from crosstable.terms import Entry
from tests.architecture.source import ROOT
from tests.engine.wallcharts import wallchart
from tests.event_files import EventFile, event_file, player, record

SAMPLE: EventFile = json.loads((ROOT / "examples" / "summer-quads.json").read_text(encoding="utf-8"))
CASE = (Path(__file__).parents[1] / "cases" / "official-2026-dual-section.txt").read_text(encoding="utf-8")


def rated(event: EventFile) -> RatedEvent:
    """The event, read, checked and rated; it must have no errors."""
    result = rate(read(json.dumps(event).encode(), "event.json"), today=date(2030, 1, 1))
    assert not result.has_errors, result.faults
    return result


def official() -> EventFile:
    """The dual-rated section of 2026 whose results were published."""
    rows = []
    for row in wallchart(CASE):
        ratings = {
            system.name: {"rating": printed.rating, "games": printed.games} for system, printed in row.before.items()
        }
        cells = [f"{cell.result.value}{cell.opponent or ''}" for cell in row.cells]
        rows.append(player(row.number, cells, ratings=ratings))
    return event_file(*rows, on="2026-08-30", time_control="G/25;d5")


def decorated() -> EventFile:
    """Four wins over three 1600s and a 1700 are a norm at 1600; a peak of 1941 holds the 1700 at their floor (§5)."""
    rivals = [player(2 + at, ["U"] * at + ["L1"], 1600.0, 60) for at in range(3)]
    floored = player(5, "U U U L1", ratings={"OTBR": record(1700.0, 60, peak=1941.0)})
    return event_file(player(1, "W2 W3 W4 W5", 1400.0), *rivals, floored)


def crossed() -> EventFile:
    """A round robin whose columns are opponents: 2 beat both others, 1 and 3 drew, and 3 is rated far above 1."""
    return event_file(
        player(1, "* L2 D3", 1500.0),
        player(2, "W1 * W3", 1600.0),
        player(3, "D1 L2 *", 1900.0),
        type="round_robin",
    )


def renamed(event: RatedEvent, name: str) -> RatedEvent:
    """The event with another name for its first player everywhere, even one that no reader would let through."""

    def change(entry: Entry) -> Entry:
        return entry._replace(name=name) if entry.number == 1 else entry

    sections = []
    for by_system in event.rated:
        section = by_system[0].section
        section = section._replace(entries=tuple(change(entry) for entry in section.entries))
        sections.append(tuple(system._replace(section=section) for system in by_system))
    return with_rated(event, *sections)


def with_rated(event: RatedEvent, *sections: tuple[RatedSection, ...]) -> RatedEvent:
    """The event with other rated sections in place of its own."""
    examined = tuple(one._replace(rated=rated) for one, rated in zip(event.examined, sections, strict=True))
    return event._replace(examined=examined)

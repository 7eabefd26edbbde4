"""One faulty section does not stop the others; ratings that chain from it wait, and say so."""

from typing import Any

import crosstable as ct
from crosstable.errors import Severity
from crosstable.formats import members
from tests.event_files import event_file, player, quad
from tests.pipeline.samples import two_sections

KNOWN = members.read(b"Member ID,OTBR rating,OTBR games\n10000001,1850,120\n10000002,1700,30\n", "members.csv")


def codes(event: ct.RatedEvent) -> list[str]:
    return [found.code for found in event.faults if found.severity is Severity.ERROR]


def test_a_faulty_section_is_named_and_the_others_are_rated() -> None:
    rated = ct.rate(two_sections(time_control="nonsense"))
    assert codes(rated) == ["time-control-not-read"]
    assert [section.number for section in rated.sections] == [1]
    assert [section.has_errors for section in rated.examined] == [False, True]
    alone = ct.rate(quad())
    assert rated.sections[0].to_dict() == alone.sections[0].to_dict()


def test_ratings_in_the_file_do_not_wait_and_those_of_a_members_file_do() -> None:
    event = two_sections()
    event["sections"][0]["time_control"] = "nonsense"
    assert [section.number for section in ct.rate(event).sections] == [2]
    rated = ct.rate(event, members=KNOWN)
    assert codes(rated) == ["time-control-not-read", "waits-for-section"]
    assert rated.sections == ()
    assert "follow from section 1" in rated.faults[-1].message


def test_an_earlier_section_does_not_wait_for_a_later_one() -> None:
    event = two_sections(start_date="2025-08-03", end_date="2025-08-03", time_control="nonsense")
    event["event"]["end_date"] = "2025-08-03"
    event["sections"][0]["end_date"] = "2025-08-01"
    event["sections"][0]["start_date"] = "2025-08-01"
    rated = ct.rate(event, members=KNOWN)
    # without a readable control the later section still has its dates, so the first one is known to come first
    assert [section.number for section in rated.sections] == [1]


def test_ratings_of_a_members_file_chain_from_section_to_section() -> None:
    rated = ct.rate(two_sections(), members=KNOWN)
    first, second = (one.systems["OTBR"].players for one in rated.sections)
    assert second[0].pre == first[0].post
    assert second[1].pre == first[1].post


def test_a_fault_of_the_whole_file_stops_everything() -> None:
    data: dict[str, Any] = {**quad(), "format": "crosstable-event/7"}
    rated = ct.rate(data)
    assert (rated.is_refused, rated.sections, codes(rated)) == (True, (), ["bad-value"])


def test_a_given_date_or_control_fills_and_with_override_replaces() -> None:
    event = event_file(player(1, "W2", 1500.0), player(2, "L1", 1600.0))
    filled = ct.rate(event, control="G/5;d0", start="2024-01-01")
    assert list(filled.sections[0].systems) == ["OTBR"]
    replaced = ct.rate(event, control="G/5;d0", start="2024-01-01", end="2024-01-02", override=True)
    (blitz,) = replaced.sections[0].systems.values()
    assert blitz.system == "OTBB"
    assert {"time_control: given beside the file", "start_date: given beside the file"} <= set(blitz.players[0].assumed)

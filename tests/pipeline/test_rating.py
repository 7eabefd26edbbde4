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


def test_a_section_that_is_not_there_is_an_error_that_names_those_that_are() -> None:
    for options in ({"sections": [7]}, {"exclude": [7]}):
        rated = ct.rate(two_sections(), **options)  # type: ignore[arg-type]
        assert codes(rated)[0] == "no-such-section"
        assert rated.faults[0].message == "There is no section 7; the file has 1 (Open), 2 (Open)."
        assert "no-section" not in codes(rated)  # the event has sections
        assert rated.sections == ()


def test_what_is_given_and_not_used_is_told() -> None:
    event = event_file(player(1, "W2", 1500.0), player(2, "L1", 1600.0))
    rated = ct.rate(event, control="G/5;d0", start="2024-01-01", end="8/1/2025")
    told = [found.message for found in rated.faults if found.code == "not-used"]
    assert told == [
        "The start date 2024-01-01 was not used: the file says 2025-08-01.",
        "The time control G/5;d0 was not used: the file says G/90;d5.",
    ]
    assert not [found for found in ct.rate(event, control="G/5;d0", override=True).faults if found.code == "not-used"]


def test_a_section_in_which_nobody_has_a_rating_is_told() -> None:
    event = event_file(player(1, "W2"), player(2, "L1"))
    assert [found.code for found in ct.rate(event).faults] == ["all-unrated"]
    one_rated = event_file(player(1, "W2", 1500.0), player(2, "L1"))
    assert [found.code for found in ct.rate(one_rated).faults] == []


def test_who_is_not_in_the_members_file_or_there_under_another_name_is_told() -> None:
    known = members.read(
        b"Member ID,Name,OTBR rating\n10000001,Quite Somebody Else,1850\n10000003,Three,1700\n", "m.csv"
    )
    event = event_file(player(1, "W2"), player(2, "L1"))
    found = [(one.code, one.message) for one in ct.rate(event, members=known).faults]
    assert found == [
        ("other-name", "The report says Player, 1, the members file Quite Somebody Else for 10000001."),
        ("not-in-members-file", "The members file does not have 10000002; the player is rated as unrated."),
    ]


def test_a_rating_of_no_system_is_an_error() -> None:
    event = event_file(player(1, "W2", ratings={"regular": {"rating": 1500}}), player(2, "L1", 1600.0))
    (found,) = (one for one in ct.rate(event).faults if one.severity is Severity.ERROR)
    systems = "OTBR, OTBQ, OTBB, OLR, OLQ, OLB, CFC, FIDE"
    assert found.message == f"regular is not known here; the rating systems are {systems}."

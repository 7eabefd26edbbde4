"""§1, footnote 1: the time control decides the systems of a section; other systems that a file names are told.

The ranges are those of the 2025 text (5 to 10 Blitz, above 10 and below 30 Quick, 30 to 65 dual, above 65 Regular); the
least main times, 5 minutes and 3 for Blitz, those of rulebook rule 5C; 2015 text, introduction: "The two QC systems
apply to … G/10+0 through G/60+5"; the Board's motion of 2020-03-25: nothing slower than G/29 online.
"""

import json
from typing import Any

import pytest

from crosstable.checks import check
from crosstable.engine.records import Assumption
from crosstable.formats import event_json
from crosstable.pipeline.rating import RatedEvent, rate
from crosstable.verification import pages_of
from tests.event_files import EventFile, event_file, player


def section_event(*rows: Any, **section: object) -> EventFile:
    """Two players who played one game, or these rows, in a section with these fields."""
    return event_file(*(rows or (player(1, "W2", 1700.0), player(2, "L1", 1650.0))), **section)  # type: ignore[arg-type]


def rated(event: EventFile) -> RatedEvent:
    """The event, rated as far as it may be."""
    return rate(event_json.read(json.dumps(event).encode(), "event.json").report, today=None)


def told(event: EventFile) -> list[tuple[str, str]]:
    """Codes and severities of what is said about the time control and the systems."""
    codes = {"systems-disagree", "time-control-not-rated", "system-not-in-force"}
    return [(found.code, found.severity.value) for found in rated(event).faults if found.code in codes]


def systems(event: EventFile) -> list[str]:
    """The systems in which the section is rated."""
    return [one.system.name for by_system in rated(event).rated for one in by_system]


def assumed(event: EventFile) -> set[str]:
    """What is assumed of the first player."""
    return set(rated(event).rated[0][0].players[0].assumed)


@pytest.mark.parametrize(
    ("control", "named", "is_online"),
    [
        ("G/3;+2", ["OTBR"], False),
        ("G/15;d5", ["OTBR"], False),
        ("G/90;d5", ["OTBB"], False),
        ("G/60;d5", ["OTBR"], False),
        ("G/90;d5", ["OTBR"], True),
        ("G/90;d5", ["OTBR", "OLB"], False),
    ],
)
def test_other_systems_than_the_control_s_are_taken_with_a_warning_and_listed(
    control: str, named: list[str], is_online: bool
) -> None:
    """§1, footnote 1: whoever rates a file may name others; every result says that they did."""
    event = section_event(time_control=control, systems=named, online=is_online)
    assert told(event) == [("systems-disagree", "warning")]
    assert systems(event) == named
    assert Assumption.SYSTEMS_NAMED in assumed(event)


def test_the_control_s_own_systems_are_nothing_to_tell() -> None:
    event = section_event(time_control="G/60;d5", systems=["OTBQ", "OTBR"])
    assert told(event) == []
    assert Assumption.SYSTEMS_NAMED not in assumed(event)


@pytest.mark.parametrize(
    ("control", "source"),
    [
        ("G/1;d0", "(rating document, footnote 1)"),
        ("G/4;d0", "(rating document, footnote 1)"),
        ("G/2;+3", "(rulebook, rule 5C)"),
        ("G/4;+25", "(rulebook, rule 5C)"),
        ("G/3;+30", "(rulebook, rule 5C)"),
        ("30/25;d3", "(rulebook, rule 5C)"),
    ],
)
@pytest.mark.parametrize("named", [{}, {"systems": ["OTBR"]}])
def test_a_control_that_rates_nowhere_is_an_error_whatever_the_file_names(
    control: str, source: str, named: dict[str, Any]
) -> None:
    """§1, footnote 1; rulebook 5C: the message says which of the two forbids it."""
    event = section_event(time_control=control, **named)
    assert told(event) == [("time-control-not-rated", "error")]
    assert systems(event) == []
    (found,) = [one for one in rated(event).faults if one.code == "time-control-not-rated"]
    assert found.message.startswith(control)
    assert found.message.endswith(f"{source}.")


def test_results_that_are_posted_decide_the_system() -> None:
    """Old pages are compared in the systems in which they were posted, even at controls that rate nowhere."""
    named = section_event(time_control="G/1;d2", systems=["OTBQ"])
    unnamed = section_event(time_control="G/90;d5")
    for event in (named, unnamed):
        for row in event["sections"][0]["players"]:
            row["posted"] = {"OTBQ": {"rating": 1700}}
        report = event_json.read(json.dumps(event).encode(), "event.json").report
        assert [page.system.name for page in pages_of(report)] == ["OTBQ"]
    report = event_json.read(json.dumps(named).encode(), "event.json").report
    assert check(report).has_errors
    assert not check(report, is_posted=True).has_errors


# F12b: no time control


@pytest.mark.parametrize(
    ("rating", "on", "named", "is_listed"),
    [
        (2400.0, "2025-08-01", ["OTBR"], True),
        (2200.0, "2025-08-01", ["OTBR"], False),
        (2400.0, "2025-08-01", ["OTBR", "OTBQ"], False),
        (2400.0, "2025-08-01", ["OTBQ"], False),
        (2400.0, "2013-05-08", ["OTBR"], True),
        (2400.0, "2013-05-07", ["OTBR"], False),
    ],
)
def test_without_a_control_the_full_k_of_a_strong_player_is_assumed(
    rating: float, on: str, named: list[str], is_listed: bool
) -> None:
    """§4.2: above 2200 K depends on whether the control is dual-rated, since 2013-05-08."""
    rows = player(1, "W2", rating), player(2, "L1", 1650.0)
    event = event_file(*rows, on=on, systems=named, time_control=None)
    assert (Assumption.NO_CONTROL in assumed(event)) is is_listed
    assert Assumption.NO_CONTROL not in rated(event).rated[0][0].players[1].assumed


# F9: online and slow


@pytest.mark.parametrize(
    ("on", "control", "found"),
    [
        ("2015-03-01", "G/30;d0", ["OLQ"]),
        ("2016-05-01", "G/60;d5", ["OLQ"]),
        ("2020-03-24", "G/25;+5", ["OLQ"]),
        ("2016-05-01", "G/29;d0", ["OLQ"]),
        ("2020-05-31", "G/29;d0", ["OLQ"]),
        ("2020-06-01", "G/25;+5", ["OLR"]),
        ("2020-06-01", "G/60;d5", ["OLR"]),
    ],
)
def test_slow_online_sections_by_date(on: str, control: str, found: list[str]) -> None:
    """2015 text, introduction; 2025 text §8: up to 65 online Quick until online Regular begins."""
    event = section_event(on=on, time_control=control, online=True)
    assert systems(event) == found
    is_slow = found == ["OLQ"] and control != "G/29;d0"
    assert (Assumption.SLOW_ONLINE_QUICK in assumed(event)) is is_slow


@pytest.mark.parametrize("control", ["G/30;d0", "G/60;d5", "G/90;+30"])
@pytest.mark.parametrize("on", ["2020-03-25", "2020-05-31"])
def test_nothing_slower_than_g_29_was_rated_online_that_spring(on: str, control: str) -> None:
    """Executive Board, 2020-03-25: the error says so."""
    event = section_event(on=on, time_control=control, online=True)
    assert told(event) == [("time-control-not-rated", "error")]
    (found,) = [one for one in rated(event).faults if one.code == "time-control-not-rated"]
    assert "nothing slower than G/29" in found.message
    assert "Executive Board, 2020-03-25" in found.message


@pytest.mark.parametrize(("on", "control"), [("2015-02-28", "G/60;d5"), ("2016-05-01", "G/60;d6")])
def test_what_no_text_calls_quick_is_still_refused(on: str, control: str) -> None:
    """2025 text §8: online Quick began on 2015-03-01 and went up to 65; online Regular came later."""
    event = section_event(on=on, time_control=control, online=True)
    assert told(event) == [("system-not-in-force", "error")]

"""§2.1, §6: FIDE ratings are converted on the scale of their own list.

FIDE's change of 2024-03-01: every rating R below 2000 became R + 0.4 (2000 - R). So 1500 of January 2024 is 1700 since
March, and -1073 + 1.5667 x 1700 = 1590.39; the formula that belongs to its own scale gives
180 + 0.94 x 1500 = 1590. Fed to the new formula as it stands it would be 1277.05.
"""

import json
from datetime import date
from typing import Any

import pytest

from crosstable.engine.records import Assumption
from crosstable.formats import event_json
from crosstable.formulas.initial import NO_DAY, carried_fide
from crosstable.pipeline.rating import RatedEvent, rate
from tests.event_files import event_file, player, record

FEBRUARY, MARCH = date(2024, 2, 29).toordinal(), date(2024, 3, 1).toordinal()


@pytest.mark.parametrize(
    ("rating", "listed", "start", "carried"),
    [
        (1500.0, FEBRUARY, MARCH, 1700.0),
        (1000.0, FEBRUARY, MARCH, 1400.0),
        (1999.0, FEBRUARY, MARCH, 1999.4),
        (2000.0, FEBRUARY, MARCH, 2000.0),
        (2400.0, FEBRUARY, MARCH, 2400.0),
        (1500.0, FEBRUARY, FEBRUARY, 1500.0),
        (1500.0, MARCH, MARCH, 1500.0),
        (1700.0, MARCH, FEBRUARY, 1500.0),
        (1500.0, NO_DAY, MARCH, 1500.0),
        (1500.0, NO_DAY, FEBRUARY, 1500.0),
    ],
)
def test_a_rating_is_carried_over_fide_s_change(rating: float, listed: int, start: int, carried: float) -> None:
    """§2.1, readings 34: a number of one scale is never fed to the formula of the other."""
    assert carried_fide(rating, listed, start) == pytest.approx(carried, abs=1e-9)


def rated(fide: dict[str, Any], on: str, **section: Any) -> RatedEvent:
    """A section in which somebody with this FIDE rating and no other plays an established player."""
    rows = player(1, "W2", ratings={"FIDE": fide}, birth_date="1990-01-01"), player(2, "L1", 1700.0)
    event = event_file(*rows, on=on, **section)
    return rate(event_json.read(json.dumps(event).encode(), "event.json").report, today=None)


@pytest.mark.parametrize(
    ("as_of", "on", "x", "is_carried"),
    [
        ("2024-01-01", "2024-04-06", 1590.39, True),
        ("2024-03-01", "2024-04-06", 1277.05, False),
        (None, "2024-04-06", 1277.05, False),
        ("2024-01-01", "2024-02-03", 1590.0, False),
    ],
)
def test_a_start_from_an_older_list(as_of: str | None, on: str, x: float, is_carried: bool) -> None:
    """§2.1: what is taken for granted says so."""
    one = rated({"rating": 1500, "as_of": as_of}, on).rated[0][0].players[0]
    assert one.start is not None
    (source,) = one.start.sources
    assert source.weight.converted == pytest.approx(x, abs=1e-9)
    assert (Assumption.FIDE_CARRIED in one.assumed) is is_carried


@pytest.mark.parametrize(
    ("kind", "listed", "strength"),
    [
        ("foreign_fide", "2024-01-01", 1590.39),
        ("foreign_fide", "2024-04-01", 1277.05),
        # -453 + 1.2667 x 1700 and -453 + 1.2667 x 1500
        ("foreign_fide_youth", "2024-01-01", 1700.39),
        ("foreign_fide_youth", "2024-04-01", 1447.05),
    ],
)
def test_opponents_abroad_too(kind: str, listed: str, strength: float) -> None:
    """§6: the conversion of §2.1, or that of youth events, by the list of the opponent."""
    me = player(1, "W2", 2100.0, rate=True, member=True, fide_flag="USA", fide_opt_in=True)
    rival = player(2, "L1", ratings={"FIDE": {"rating": 1500, "as_of": listed}})
    event = event_file(me, rival, on="2024-04-06", type=kind)
    found = rate(event_json.read(json.dumps(event).encode(), "event.json").report, today=None)
    one = found.rated[0][0].players[0]
    assert one.games[0].strength == pytest.approx(strength, abs=1e-9)
    assert (Assumption.FIDE_CARRIED in one.assumed) is (listed == "2024-01-01")


@pytest.mark.parametrize(
    ("as_of", "codes"),
    [
        ("2025-08-02", []),
        ("2025-08-03", ["list-after-start"]),
        ("2025-08-04", ["list-after-start"]),
        ("2025-08-05", ["list-after-end"]),
        (None, []),
    ],
)
def test_a_list_that_came_out_too_late_is_told(as_of: str | None, codes: list[str]) -> None:
    """§2.1, readings 105: the list in force at the start; a later one than the end is an error."""
    found = rated({"rating": 1500, "as_of": as_of}, "2025-08-02", end_date="2025-08-04")
    assert [one.code for one in found.faults if one.code != "section-outside-event"] == codes
    assert found.has_errors is (codes == ["list-after-end"])


def test_a_cfc_rating_may_come_out_during_the_section() -> None:
    """§2.2, readings 25: CFC ratings are of a date that is supplied; only one after the end cannot be."""
    for as_of, codes in (("2025-08-04", []), ("2025-08-05", ["list-after-end"])):
        rows = player(1, "W2", ratings={"CFC": {"rating": 1500, "as_of": as_of}}), player(2, "L1", 1700.0)
        event = event_file(*rows, on="2025-08-02", end_date="2025-08-04")
        found = rate(event_json.read(json.dumps(event).encode(), "event.json").report, today=None)
        assert [one.code for one in found.faults if one.code != "section-outside-event"] == codes


def test_a_mean_that_ends_in_a_half_is_rounded_up() -> None:
    """§2, readings 29: CFC 2025 is 1987.5 (-240 + 1.1 x 2025); stale by a month its weighted mean is the same."""
    ratings = {"CFC": {"rating": 2025, "as_of": "2025-08-04"}}
    rows = (
        player(1, "W2", ratings=ratings, birth_date="1990-01-01", canadian_resident=True),
        player(2, "L1", ratings={"OTBR": record(1700.0)}),
    )
    event = event_file(*rows, on="2025-09-06")
    found = rate(event_json.read(json.dumps(event).encode(), "event.json").report, today=None)
    start = found.rated[0][0].players[0].start
    assert start is not None
    assert start.initial.rating == 1988.0


@pytest.mark.parametrize("days", range(0, 900, 37))
@pytest.mark.parametrize("rating", [501.5, 1234.5, 1987.5, 2222.5])
def test_one_source_that_ends_in_a_half_is_rounded_up_however_stale(rating: float, days: int) -> None:
    """§2: with one source the mean is its rating, whatever it weighs; W X / W misses it by rounding alone."""
    as_of = date.fromordinal(date(2025, 9, 6).toordinal() - days).isoformat()
    rows = (
        player(1, "W2", ratings={"OTBQ": record(rating, as_of=as_of)}, birth_date="2010-01-01"),
        player(2, "L1", 1700.0),
    )
    found = rate(
        event_json.read(json.dumps(event_file(*rows, on="2025-09-06")).encode(), "event.json").report, today=None
    )
    start = found.rated[0][0].players[0].start
    assert start is not None
    assert start.initial.rating == rating + 0.5

"""The one reader of days: every spelling, the orders of day and month, and what can be read in two ways."""

import json
from datetime import date

import pytest

from crosstable.errors import TimeControlError
from crosstable.formats import detect
from crosstable.formats.dates import AMERICAN, FIDE, Custom, day_of, read_day, read_span
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import read
from crosstable.rules.time_controls import parse_time_control
from tests.formats.swisssys_event import EVENT
from tools.wallchart_page import CONTROLS, DATES, TWO_WAYS

CHART = """\
Event: Quad
{dates}
Time control: G/60;d5
No,Name,ID,Rating,Games,Rd 1
1,A,12345671,1850,40,W2
2,B,12345672,1700,50,L1
"""


@pytest.mark.parametrize("custom", [AMERICAN, FIDE])
@pytest.mark.parametrize(
    "text",
    [
        *("2026-08-30", "2026/08/30", "2026/8/30", "2026.08.30", "20260830", "2026-08-30 00:00:00", "2026-08-30T09:30"),
        *("August 30, 2026", "Aug 30, 2026", "Aug. 30 2026", "aug 30,2026", "August 30th, 2026", "30 August 2026"),
        *(
            "30-Aug-2026",
            "30-aug-26",
            "30. August 2026",
            "30th of August 2026",
            "Sunday, August 30, 2026",
            "Sun 30 Aug 2026",
        ),
        *("8/30/2026", "30/08/2026", "30.08.2026", "30. 08. 2026", "8-30-2026", "30-8-2026", "8.30.2026"),
    ],
)
def test_a_day_that_can_be_one_only_is_read_in_every_file(text: str, custom: Custom) -> None:
    assert read_day(text, custom) == date(2026, 8, 30)


@pytest.mark.parametrize(
    ("text", "custom", "day"),
    [
        ("12/19/25", AMERICAN, date(2025, 12, 19)),
        ("4/5/2026", AMERICAN, date(2026, 4, 5)),
        ("4/5/26", AMERICAN, date(2026, 4, 5)),
        ("04.05.2026", FIDE, date(2026, 5, 4)),
        ("04.05.26", FIDE, date(2026, 5, 4)),
        ("24/09/10", FIDE, date(2024, 9, 10)),
        ("6-Mar-2026", AMERICAN, date(2026, 3, 6)),
        ("7-nov-2025", AMERICAN, date(2025, 11, 7)),
        ("Jun 26, 2020", FIDE, date(2020, 6, 26)),
        ("28. 07. 2005", FIDE, date(2005, 7, 28)),
        ("1969.12.06", FIDE, date(1969, 12, 6)),
        ("Sept 3, 2025", AMERICAN, date(2025, 9, 3)),
        ("12/31/69", AMERICAN, date(2069, 12, 31)),
        ("1/1/70", AMERICAN, date(1970, 1, 1)),
    ],
)
def test_the_custom_of_the_file_settles_the_order(text: str, custom: Custom, day: date) -> None:
    assert read_day(text, custom) == day


@pytest.mark.parametrize(
    ("text", "custom", "both"),
    [
        ("07-08-2026", AMERICAN, ("2026-07-08", "2026-08-07")),
        ("07.08.2026", AMERICAN, ("2026-07-08", "2026-08-07")),
        ("07/08/2026", FIDE, ("2026-07-08", "2026-08-07")),
        ("24/09/10", AMERICAN, ("2010-09-24", "2024-09-10")),
        ("07-08-26", FIDE, ("2026-07-08", "2026-08-07", "2007-08-26")),
    ],
)
def test_a_day_that_can_be_several_is_refused_with_all(text: str, custom: Custom, both: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=f"“{text}” can be read as {' or '.join(both)}"):
        read_day(text, custom)


def test_both_orders_may_give_one_day() -> None:
    assert read_day("08-08-2026") == date(2026, 8, 8)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "soon",
            "",
            "2026-02-30",
            "2/30/2026",
            "August 2026",
            "0026/08/29",
            "2026/08-29",
            "May 32, 2026",
            "Foo 3, 2026",
        ),
        *("1/1/1/1", "4/4/99999999999999999999", "Marching 3, 2026", "8/30", "30.30.2026", "٣/٤/2026", "9" * 5000),
    ],
)
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a date"):
        read_day(text)


@pytest.mark.parametrize(
    ("text", "like", "day"),
    [
        ("05/06/2026", "14/06/2026", date(2026, 6, 5)),
        ("05/06/2026", "06/14/2026", date(2026, 5, 6)),
        ("02-10-2010", "24-09-2010", date(2010, 10, 2)),
        ("05/06/2026", "14.06.2026", date(2026, 5, 6)),
        ("05/06/2026", "05/07/2026", date(2026, 5, 6)),
    ],
)
def test_the_other_date_shows_the_order(text: str, like: str, day: date) -> None:
    """With the same separator, and a number that is no month."""
    assert read_day(text, like=like) == day


def test_a_birth_date_needs_its_century_and_a_column_its_order() -> None:
    with pytest.raises(ValueError, match="century"):
        read_day("2/3/14", short_years=False)
    assert day_of("2/3/14") is None
    assert day_of("25/12/2010") is None
    assert day_of("12/25/2010") == day_of("Dec 25, 2010") == date(2010, 12, 25)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("June 13-14, 2026", (6, 13), (6, 14)),
        ("June 13 - 14, 2026", (6, 13), (6, 14)),
        ("May 30 - June 1, 2026", (5, 30), (6, 1)),
        ("6/13/2026 - 6/14/2026", (6, 13), (6, 14)),
        ("6/13-14/2026", (6, 13), (6, 14)),
        ("6/13-6/14/2026", (6, 13), (6, 14)),
        ("6/13 - 6/14/26", (6, 13), (6, 14)),
        ("May 30-June 1, 2026", (5, 30), (6, 1)),
        ("June 13th & 14th, 2026", (6, 13), (6, 14)),
        ("13-14 June 2026", (6, 13), (6, 14)),
        ("2026/08/08-10", (8, 8), (8, 10)),
        ("2026-06-13 to 2026-06-14", (6, 13), (6, 14)),
        ("2026/04/18 – 2026/04/22", (4, 18), (4, 22)),
        ("5/6/2026 - 14/6/2026", (6, 5), (6, 14)),
        ("June 14, 2026", (6, 14), (6, 14)),
    ],
)  # fmt: skip
def test_first_and_last_day_in_one_text(text: str, first: tuple[int, int], last: tuple[int, int]) -> None:
    assert read_span(text) == (date(2026, *first), date(2026, *last))


def test_a_date_that_can_be_two_days_is_settled_by_the_option_that_the_finding_names() -> None:
    data = CHART.format(dates="Start: 07-08-2026\nEnd: 2026-08-09").encode()
    report = read(data, "chart.csv")
    found = [each for each in rate(report, today=None).faults if each.code == "start-not-read"]
    assert [each.message for each in found] == ["Start: “07-08-2026” can be read as 2026-07-08 or 2026-08-07."]
    assert "--start" in found[0].remedy
    settled = rate(report, start=date(2026, 8, 7), today=None)
    assert not settled.has_errors
    assert settled.examined[0].report.start == date(2026, 8, 7)


@pytest.mark.parametrize(("start", "day"), [("6-Mar-2026", date(2026, 3, 6)), ("12/19/25", date(2025, 12, 19))])
def test_every_format_reads_the_same_spellings(start: str, day: date) -> None:
    chart = CHART.format(dates=f"Start: {start}\nEnd: {start}").encode()
    swisssys = json.dumps({**EVENT, "Overview": {**EVENT["Overview"], "Starting date": start}}).encode()
    assert detect.read_data(chart, "chart.csv").report.start == day
    assert detect.read_data(swisssys, "event.sjson").report.start == day


def test_every_spelling_of_the_reference_page_is_read() -> None:
    assert {read_day(text) for text in DATES} == {date(2026, 8, 30)}
    assert all(parse_time_control(text).stages for text in CONTROLS)
    for text in TWO_WAYS:
        with pytest.raises(TimeControlError, match="can be read as"):
            parse_time_control(text)

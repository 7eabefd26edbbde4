"""Charts: where things are drawn, by hand, in both sizes, and that what is drawn can be read."""

import math
import xml.etree.ElementTree as ElementTree
from datetime import date

import pytest

from crosstable.output.charts import (
    RATING_FRAMES,
    Axes,
    Point,
    Row,
    Series,
    day_number,
    legend,
    line_plot,
    picture,
    rating_chart,
    row_plot,
    shortened,
    ticks,
    written,
)

NOTHING = Point(0, math.nan)
LINE = Series("Regular", tuple(Point(float(at), 1500.0 + at, label=f"<{at}>") for at in range(5)), "otbr")


def drawings(text: str) -> list[ElementTree.Element]:
    """The drawings of a plot; anything that is not well-formed raises."""
    return list(ElementTree.fromstring(f"<all>{text}</all>"))


def of_class(drawing: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [one for one in drawing.iter() if one.get("class") == name]


def test_an_axis_of_one_value_has_it_as_its_only_mark() -> None:
    for at, is_by_year, text in ((2014.0, True, "2014"), (0.625, False, "0.625")):
        series = [Series("one", (Point(at, 3.0, 2.0, 4.0),))]
        for drawing in drawings(line_plot(series, Axes("Title", "across", "up"), is_by_year=is_by_year)):
            marks = [one for one in of_class(drawing, "tick") if one.get("text-anchor") == "middle"]
            assert [one.text for one in marks] == [text]
    two = drawings(line_plot([Series("one", (Point(2005, 1.0), Point(2006, 2.0)))], Axes("T", "x"), is_by_year=True))
    marks = [one for one in of_class(two[0], "tick") if one.get("text-anchor") == "middle"]
    assert [one.text for one in marks] == ["2005", "2006"]


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (0.0, 1.0, 5, "0.0 0.2 0.4 0.6 0.8 1.0"),
        (-0.0012, 0.0034, 6, "−0.002 −0.001 0.000 0.001 0.002 0.003 0.004"),
        (-226.0, 3.0, 3, "−300 −200 −100 0 100"),
        (0.62943, 0.65149, 5, "0.625 0.630 0.635 0.640 0.645 0.650 0.655"),
        (0.0, 7000.0, 4, "0 2,000 4,000 6,000 8,000"),
        (12.0, 12.0, 4, "12.0 12.5"),
    ],
)
def test_ticks_are_round_and_hold_the_range(low: float, high: float, most: int, texts: str) -> None:
    """Steps of 1, 2, 2.5 or 5 times a power of ten, by hand."""
    found = ticks(low, high, most)
    assert " ".join(written(found)) == texts
    assert found[0] <= low + 1e-9
    assert high <= found[-1] + 1e-9


def test_a_line_passes_where_its_values_are() -> None:
    """By hand, wide: 58 to 734 across for 2001 to 2003, 276 to 26 upwards for 0 to 10 (level 0 is drawn too)."""
    series = [Series("a", (Point(2001, 2.0), Point(2002, 10.0, 8.0, 10.0), Point(2003, 5.0)))]
    wide, narrow = drawings(line_plot(series, Axes("What it shows", "year", "points", level=0.0), is_by_year=True))
    assert (wide.get("class"), narrow.get("class")) == ("plot wide", "plot narrow")
    assert wide.get("aria-label") == "What it shows"
    assert of_class(wide, "line")[0].get("points") == "58.0,226.0 396.0,26.0 734.0,151.0"
    (interval,) = of_class(wide, "range")
    assert [interval.get(name) for name in ("x1", "y1", "x2", "y2")] == ["396.0", "76.0", "396.0", "26.0"]
    assert [one.get("y1") for one in of_class(wide, "compare")] == ["276.0"]
    assert [one.text for one in of_class(wide, "tick")][-3:] == ["2001", "2002", "2003"]


def test_a_calibration_has_its_diagonal() -> None:
    series = [Series("a", (Point(0.5, 0.5), Point(1.0, 0.9))), Series("b", (Point(0.6, 0.7),), is_plain=True)]
    wide, _ = drawings(line_plot(series, Axes("c", "expected", "scored", is_diagonal=True)))
    (diagonal,) = of_class(wide, "compare")
    # The axis across reaches from 0.48 to 1.02, the one upwards from 0.5 to 0.9: on both, from 0.5 to 0.9.
    left = 58 + (0.5 - 0.48) / 0.54 * 676
    assert float(diagonal.get("x1", "")) == pytest.approx(left, abs=0.06)
    assert (diagonal.get("y1"), diagonal.get("y2")) == ("276.0", "26.0")
    assert len(of_class(wide, "mark")) == 2
    assert len(of_class(wide, "plain")) == 1


def test_rows_stand_below_each_other_with_a_mark_for_each_series() -> None:
    """By hand, wide: 170 to 734 across for -2 to 4; rows of 14 + 2 × 12 from 10 on."""
    rows = [Row("one", (Point(0, 1.0, -2.0, 4.0), Point(0, 4.0))), Row("two", (NOTHING, Point(0, -2.0)))]
    wide, narrow = drawings(row_plot(rows, Axes("t", "points", level=0.0)))
    circles = [one for one in of_class(wide, "mark") if one.tag == "circle"]
    assert [(one.get("cx"), one.get("cy")) for one in circles] == [("452.0", "23.0")]
    assert len(of_class(wide, "mark")) == 3
    (interval,) = of_class(wide, "range")
    assert (interval.get("x1"), interval.get("x2")) == ("170.0", "734.0")
    assert [one.text for one in of_class(narrow, "label")] == ["one", "two"]
    assert [one.get("x1") for one in of_class(wide, "compare")] == ["358.0"]


def test_a_series_keeps_its_colour_where_those_before_it_are_left_out() -> None:
    wide, _ = drawings(row_plot([Row("one", (Point(0, 1.0),))], Axes("t", "x", level=0.0, first=1)))
    assert len(of_class(wide, "s1")) == 1
    (listed,) = drawings(legend(["a"], first=1))
    assert [one.get("class") for one in listed.iter("svg")] == ["key s1"]


def test_where_nothing_is_known_nothing_is_drawn() -> None:
    assert line_plot([Series("a", (NOTHING,))], Axes("t", "x")) == ""
    assert row_plot([Row("one", (NOTHING,))], Axes("t", "x")) == ""
    assert len(drawings(line_plot([Series("a", (Point(3, 1.0),))], Axes("t", "x")))) == 2


def test_names_are_text_whatever_they_hold() -> None:
    name = '<b>"B" & C</b>'
    wide, _ = drawings(row_plot([Row(name, (Point(0, 1.0), Point(0, 2.0)))], Axes(name, name)))
    assert wide.get("aria-label") == name
    assert [one.text for one in of_class(wide, "label")] == [name]
    (listed,) = drawings(legend([name], name))
    assert [one[0].tail for one in listed] == [name, name]


def test_a_long_label_loses_its_middle() -> None:
    assert shortened("short", 70.0) == "short"
    assert shortened("bonus_threshold kept at 10", 70.0) == "bonu…at 10"


def test_labels_too_long_for_their_side_stand_above_their_marks() -> None:
    label = "bonus_threshold still 10 from 2008-06-06"
    wide, narrow = drawings(row_plot([Row(label, (Point(0, 1.0),)), Row("b", (Point(0, 2.0),))], Axes("t", "x")))
    for drawing in (wide, narrow):
        labels, marks = of_class(drawing, "label"), of_class(drawing, "mark")
        assert [one.text for one in labels] == [label, "b"]
        heights = [
            float(one.get(name, ""))
            for pair in zip(labels, marks, strict=True)
            for one, name in zip(pair, ("y", "cy"), strict=True)
        ]
        assert heights == sorted(heights)
        assert {one.get("text-anchor") for one in labels} == {"start"}


def test_labels_that_would_touch_are_thinned() -> None:
    _, narrow = drawings(row_plot([Row("one", (Point(0, -0.035), Point(0, 0.035)))], Axes("t", "x")))
    assert [one.text for one in of_class(narrow, "tick")] == ["−0.050", "0.000", "0.050"]


def test_a_picture_stands_by_itself() -> None:
    drawn = line_plot([Series("a", (Point(1, 1.0), Point(2, 2.0)))], Axes("t", "x"))
    made = ElementTree.fromstring(picture(drawn))
    assert made.tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme: dark" in (made[0].text or "")
    assert made.get("viewBox") == "0 0 760 320"


def test_a_chart_is_drawn_once_for_wide_and_once_for_narrow_screens() -> None:
    wide, narrow = drawings(rating_chart([LINE], 'A "title" <b>', is_by_date=False))
    assert (wide.get("class"), narrow.get("class")) == ("chart wide", "chart narrow")
    for one, frame in zip((wide, narrow), RATING_FRAMES, strict=True):
        assert one.get("aria-label") == 'A "title" <b>'
        circles = list(one.iter("circle"))
        assert len(circles) == 5
        places = [float(circle.get("cx", "nan")) for circle in circles]
        assert places == sorted(places)
        assert places[0] == pytest.approx(frame.left)
        assert places[-1] == pytest.approx(frame.width - frame.right)
        heights = [float(circle.get("cy", "nan")) for circle in circles]
        assert heights == sorted(heights, reverse=True)  # higher ratings are higher up


def test_a_single_point_and_no_point_can_be_drawn() -> None:
    one = Series("Regular", (Point(day_number(date(2026, 7, 4)), 1500.0),), "otbr")
    assert len(drawings(rating_chart([one], "x", is_by_date=True))) == 2
    assert rating_chart([Series("Regular", (), "otbr")], "x", is_by_date=True) == ""


@pytest.mark.parametrize(
    ("played", "marks"),
    [
        ((1.5, 2.0, 2.5), ["1.5", "2", "2.5"]),
        ((0.0, 1.0), ["0", "0.5", "1"]),
        ((0.0, 5.0), ["0", "1", "2.5", "4", "5"]),
        ((0.0, 37.0), ["0", "9", "18", "28", "37"]),
    ],
)
def test_marks_of_scores_and_games_stand_where_they_say(played: tuple[float, ...], marks: list[str]) -> None:
    """Half points on a short axis, whole ones on a long one; no mark is there twice."""
    line = Series("Regular", tuple(Point(at, 1500.0) for at in played), "otbr")
    wide, _ = drawings(rating_chart([line], "x", is_by_date=False))
    frame = RATING_FRAMES[0]
    found = [one for one in wide.iter("text") if one.get("y") == f"{frame.height - 8:.1f}"]
    assert [one.text for one in found] == marks
    width = frame.width - frame.left - frame.right
    for one in found:
        share = (float(one.text or "nan") - played[0]) / (played[-1] - played[0])
        assert float(one.get("x", "nan")) == pytest.approx(frame.left + share * width, abs=0.05)

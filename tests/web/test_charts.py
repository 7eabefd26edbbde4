"""Charts: well-formed SVG in both sizes, points where they belong, nothing for nothing."""

import xml.etree.ElementTree as ElementTree
from datetime import date

import pytest

from crosstable.web.charts import FRAMES, Point, Series, day_number, rating_chart
from crosstable.web.templating import address, counted, day, places, plain, signed

LINE = Series("otbr", "Regular", tuple(Point(float(at), 1500.0 + at, f"<{at}>") for at in range(5)))


def drawn(text: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(f"<both>{text}</both>"))


def test_a_chart_is_drawn_once_for_wide_and_once_for_narrow_screens() -> None:
    wide, narrow = drawn(str(rating_chart([LINE], 'A "title" <b>', is_by_date=False)))
    assert (wide.get("class"), narrow.get("class")) == ("chart wide", "chart narrow")
    for one, frame in zip((wide, narrow), FRAMES, strict=True):
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
    one = Series("otbr", "Regular", (Point(day_number(date(2026, 7, 4)), 1500.0, ""),))
    assert len(drawn(str(rating_chart([one], "x", is_by_date=True)))) == 2
    assert str(rating_chart([Series("otbr", "Regular", ())], "x", is_by_date=True)) == ""


def test_words_of_templates() -> None:
    assert (signed(3.2), signed(-3.2, 1), signed(0.2)) == ("+3", "\N{MINUS SIGN}3.2", "0")
    assert (places(3.0), places(-3.25)) == (0, 2)
    assert address("events", "a/b c", 3) == "/events/a%2Fb%20c/3"
    assert str(plain("<b>\x07")) == "<bdi>&lt;b&gt;\\u0007</bdi>"
    assert (counted(1, "section"), counted(1204, "section")) == ("1 section", "1,204 sections")
    assert str(day("2026-07-04")) == '<time datetime="2026-07-04">2026-07-04</time>'


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
    line = Series("otbr", "Regular", tuple(Point(at, 1500.0, "") for at in played))
    wide, _ = drawn(str(rating_chart([line], "x", is_by_date=False)))
    frame = FRAMES[0]
    found = [one for one in wide.iter("text") if one.get("y") == str(frame.height - 8)]
    assert [one.text for one in found] == marks
    width = frame.width - frame.left - frame.right
    for one in found:
        share = (float(one.text or "nan") - played[0]) / (played[-1] - played[0])
        assert float(one.get("x", "nan")) == pytest.approx(frame.left + share * width, abs=0.05)

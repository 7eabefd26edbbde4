"""What a verification prints: the same counts in the terminal table, the page and the JSON document.

The posted decimals are those of a dual-rated section of 2026, as published.
"""

import json
import re
from html import unescape

import pytest

from crosstable.formats import event_json
from crosstable.output.verify_html import verify_page
from crosstable.output.verify_text import verify_text
from crosstable.pipeline.verifying import verify_document
from crosstable.terms import RatingSystem
from crosstable.verification import Page, Verification, pages_of, tally, verify
from crosstable.verification.whole import exactness, kinds_of_causes, norm_rows, norm_tally
from tests.engine.wallcharts import wallchart
from tests.output.rated_events import CASE, official
from tests.verification.made_pages import line, pages, quad

NO_NORMS = norm_tally(())
ERA = "2025-01-01"


def published(moved: dict[int, float]) -> list[Page]:
    """The section of 2026 with its published decimals, some of the Regular ones moved by so many points."""
    event = official()
    for one, row in zip(event["sections"][0]["players"], wallchart(CASE), strict=True):
        one["birth_date"] = "2016-01-01"
        one["posted"] = {system.name: {"rating": printed.rating} for system, printed in row.after.items()}
        one["posted"]["OTBR"]["rating"] = round(row.after[RatingSystem.OTBR].rating + moved.get(row.number, 0.0), 2)
    return list(pages_of(event_json.read(json.dumps(event).encode(), "event.json").report))


def text_cells(found: Verification, era: str, system: str) -> list[str]:
    """The cells of a line of the terminal table, after era and system."""
    [shown] = [text for text in verify_text(found, NO_NORMS).splitlines() if text.startswith(f"{era}  {system} ")]
    return re.split(r" {2,}", shown.strip())[2:]


def page_cells(found: Verification, era: str, system: str) -> list[str]:
    """The cells of a row of the page's table, after era and system."""
    rows = re.findall(r"<tr>(.*?)</tr>", verify_page(found, NO_NORMS))
    [shown] = [row for row in rows if f"<th scope=row>{era}</th><td>{system}</td>" in row]
    return [unescape(cell).replace("\xa0", " ") for cell in re.findall(r"<td>(.*?)</td>", shown)][1:]


@pytest.mark.parametrize(
    ("moved", "within_001", "within_1"),
    [({}, 6, 6), ({1: 0.5}, 5, 6), ({1: 0.02, 2: -0.4}, 4, 6), ({3: 3.5}, 5, 5)],
)
def test_rows_within_a_hundredth_are_shown_by_era_and_system(
    moved: dict[int, float], within_001: int, within_1: int
) -> None:
    """All six Regular ratings of 2026 are reproduced to a hundredth; a figure moved by more is not."""
    found = verify(published(moved))
    for cells in (text_cells(found, ERA, "OTBR"), page_cells(found, ERA, "OTBR")):
        assert cells[:3] == ["6", f"{within_001} of 6", str(within_1)]
    [by] = [one for one in verify_document(found, NO_NORMS)["by"] if one["system"] == "OTBR"]
    assert (by["era"], by["within_001"], by["within_1"]) == (ERA, within_001, within_1)


def test_the_other_system_is_counted_by_itself() -> None:
    found = verify(published({1: 0.5}))
    assert text_cells(found, ERA, "OTBQ")[1] == page_cells(found, ERA, "OTBQ")[1] == "6 of 6"


def test_where_whole_numbers_are_posted_no_hundredths_are_counted() -> None:
    found = verify(pages(line("201601010001", "2016-01-01", quad())))
    assert text_cells(found, "2015-06-01", "OTBR") == ["4", "-", "4", "0", "0", "100.00%"]
    assert page_cells(found, "2015-06-01", "OTBR") == ["4", "–", "4", "0", "0", "100.00 %"]


def test_the_columns_of_the_terminal_table_stand_under_their_heads() -> None:
    found = verify(published({}))
    head, first, *_ = verify_text(found, NO_NORMS).splitlines()
    for name, text in (("rows", "6"), ("within 0.01", "6 of 6"), ("explained", "100.00%")):
        end = head.index(name) + len(name)
        assert first[:end].endswith(f" {text}")


def test_a_page_shows_the_rows_on_which_nothing_is_hidden() -> None:
    """§3: below about 1928 the count of an established player does not matter."""
    known = quad(p3={"rating": 1500.0, "games": 30}, p4={"rating": 1300.0, "games": 40})
    found = verify(pages(line("201601010001", "2016-01-01", known)))
    assert page_cells(found, "All inputs known", "") == ["4", "–", "4", "0", "0", "100.00 %"]


def test_kinds_of_causes_are_counted_whoever_and_whatever_value_it_is() -> None:
    found = verify(pages(line("201601010001", "2016-01-01", quad(p4={"wins": 0, "draws": 0, "losses": 3}))))
    rows = [row for row in found.alone if row.cause]
    assert len({row.cause for row in rows}) > 1
    assert kinds_of_causes(rows) == {"an all-losses past that the page does not show": len(rows)}


def test_exactness_counts_rows_of_the_time_of_whole_numbers() -> None:
    """Before 2014-09 a row has to be right to the point; one that is a point off is explained and not exact."""
    made = line("201301010001", "2013-01-01", quad(p3={"games": 60}, p4={"games": 60}))
    assert exactness(verify(pages(made)).alone) == (4, 4)
    made["players"][0]["post"] += 1
    counted = exactness(verify(pages(made)).alone)
    assert counted == (4, 3)
    assert counted.share == 75.0
    later = verify(pages(line("201601010001", "2016-01-01", quad())))
    assert exactness(later.alone) == (0, 0)
    assert exactness(later.alone).share == 0.0


def test_the_share_is_that_of_rows_within_a_point_or_at_a_floor() -> None:
    made = line("201601010001", "2016-01-01", quad())
    made["players"][0]["post"] += 41
    assert tally(verify(pages(made)).alone).share == 75.0
    assert tally(()).share == 0.0


def test_norms_are_counted_in_every_output() -> None:
    """The document, the table and the page name the same counts."""
    [page] = pages(line("201601010001", "2016-01-01", quad()))
    norms = norm_tally(norm_rows(page))._replace(rows=4, agree=3)
    found = verify([page])
    assert verify_document(found, norms)["norms"]["agree"] == 3
    assert "Norm codes: 3 of 4 rows" in verify_text(found, norms)
    assert "3 of 4 norm codes agree" in verify_page(found, norms)


def test_every_row_that_differs_is_listed_with_its_cause() -> None:
    made = line("201601010001", "2016-01-01", quad())
    posted = made["players"][0]["post"] = made["players"][0]["post"] + 41
    found = verify(pages(made))
    [row] = verify_document(found, NO_NORMS)["unexplained_with_carried_state"]
    assert (row["number"], row["pre"], row["posted"], row["cause"]) == (1, 1850.0, posted, "unexplained")
    text = verify_text(found, NO_NORMS)
    assert "     1  unexplained\n" in text
    assert f"201601010001 section 1 OTBR player 1: 1850 -> {row['computed']:.2f}, posted {posted}; unexplained" in text
    assert f"<td>{posted}</td><td class=text>unexplained</td>" in verify_page(found, NO_NORMS)

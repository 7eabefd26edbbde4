"""Columns of tables that are not understood: an error wherever ratings would come out otherwise.

A column of ratings that is not understood is an error, never a section of unrated players.
"""

import pytest

from crosstable.formats import members
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import read
from tests.formats.test_wallchart_dialects import GAMES, OTHERS, PEOPLE, RATED, REGULAR, chart, codes, second


@pytest.mark.parametrize("title", ["RRd 3", "Rdx3", "3rd game", "Runde 3", "Third"])
def test_a_round_whose_title_is_not_known_is_not_left_out(title: str) -> None:
    text = chart(RATED, rating="Pre-event rating", titles=f"Rd 1,Rd 2,{title}", keys=REGULAR)
    found = [one for one in rate(read(text.encode(), "chart.csv"), today=None).faults if one.severity == "error"]
    assert [one.code for one in found] == ["bad-value"]
    assert f"“{title}”" in found[0].message
    assert "which could be results" in found[0].message


@pytest.mark.parametrize(("title", "is_refused"), [("R-3", True), ("Gain", False)])
def test_signs_are_results_under_a_number_and_else_changes_of_ratings(title: str, is_refused: bool) -> None:
    signs = "W2,D3,+4\nL1,W4,+3\nW4,D1,-2\nL3,L2,-1"
    found = codes(chart(signs, rating="Pre-event rating", titles=f"Rd 1,Rd 2,{title}x", keys=REGULAR))
    assert ("bad-value" in found) == is_refused


@pytest.mark.parametrize(
    ("title", "meant"),
    [
        ("Regular gamxs", "regular games"),
        ("Regular ratinng", "regular rating"),
        ("FIDE ratinng", "fide rating"),
        ("Birthh date", "birth date"),
        ("Date of brith", "date of birth"),
    ],
)
def test_a_misspelt_title_is_an_error_that_says_what_is_meant(title: str, meant: str) -> None:
    values = ["2001-01-01"] * 4 if "ir" in title and "FIDE" not in title else GAMES
    text = second("Quick rating", title, values)
    found = [one for one in rate(read(text.encode(), "chart.csv"), today=None).faults if one.severity == "error"]
    assert [(one.code, f"(did you mean {meant}?)" in one.message) for one in found] == [("bad-value", True)]
    listed = members.read(f"Member ID,Quick rating,{title}\n12345678,1500,{values[0]}\n".encode(), "members.csv")
    assert [one.code for one in listed.faults] == ["bad-value"]


def test_no_title_is_misspelt_beside_the_column_that_it_is_near_to_or_without_a_value() -> None:
    assert codes(second("Regular rating", "Regular ratings", OTHERS)) == ["unknown-field"]
    assert codes(second("Regular rating", "Birth state", ["TX"] * 4)) == ["unknown-field"]
    assert codes(second("Regular rating", "Birthh date", [""] * 4)) == ["unknown-field"]


@pytest.mark.parametrize("written", ["{}.0", "'{}", '"=""{}"""', "{} "])
def test_an_id_as_spreadsheets_write_it_is_the_members(written: str) -> None:
    text = chart(RATED, rating="Regular rating")
    for _, member_id, _ in PEOPLE:
        text = text.replace(f",{member_id},", f",{written.format(member_id)},")
    assert [player.member_id for player in read(text.encode(), "chart.csv").sections[0].players] == [
        str(one) for _, one, _ in PEOPLE
    ]

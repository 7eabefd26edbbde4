"""Equal findings about several rows are printed as one, with a count and the rows."""

from pathlib import Path

import pytest

from crosstable.checks.findings import SectionPlace
from crosstable.cli import main
from crosstable.cli.printing import grouped
from crosstable.errors import Fault
from crosstable.faults import fault


def no_id(number: int, section: int = 1) -> Fault:
    return fault(
        "no-member-id:player",
        f"section {section}, player {number} (Smith, J (Jr)) [a.csv, line {number + 4} (number {number})]",
    )


def test_sixty_four_equal_findings_are_one_with_a_count_and_the_rows() -> None:
    (found,) = grouped([no_id(number) for number in range(1, 65)])
    assert found.place == "section 1, players 1-64 [a.csv, lines 5-68]"
    assert found.message == "The player has no member id. (64 times)"
    assert (found.code, found.remedy) == (no_id(1).code, no_id(1).remedy)


def test_findings_that_differ_in_the_member_id_alone_are_equal() -> None:
    given = [
        fault("not-in-members-file:unrated", f"section 2, player {at}", member_id=f"1234560{at}") for at in (2, 5, 6, 9)
    ]
    (found,) = grouped(given)
    assert found.place == "section 2, players 2, 5-6, 9"
    assert found.message == f"{given[0].message} (and 3 more like this)"


def test_two_are_no_group_and_what_differs_stays_apart() -> None:
    few = [no_id(1), no_id(2)]
    assert grouped(few) == few
    sections = [no_id(at, section) for section in (1, 2) for at in (1, 2, 3)]
    assert [found.place.split(" [")[0] for found in grouped(sections)] == [
        "section 1, players 1-3",
        "section 2, players 1-3",
    ]
    cells = [fault("unknown-code", f"section 1, player {at}, round 1", cell=f"Q{at}") for at in range(1, 9)]
    assert grouped(cells) == cells


@pytest.mark.parametrize(
    ("place", "merged"),
    [
        ("a.csv, line {}, column Rating", "a.csv, lines 1-3, column Rating"),
        ("sections[0].players[{}].rating", "sections[0].players[1-3].rating"),
        ("TDEXPORT.DBF, record {} (player 7), field D_NAME", "TDEXPORT.DBF, records 1-3, field D_NAME"),
        ("section 1, player {} (Lee, A), round 2", "section 1, players 1-3, round 2"),
        ("section 1, row {}", "section 1, rows 1-3"),
    ],
)
def test_rows_of_every_kind_of_place(place: str, merged: str) -> None:
    (found,) = grouped([fault("bad-value", place.format(at), "Wrong.") for at in (1, 2, 3)])
    assert (found.place, found.message) == (merged, "Wrong. (3 times)")


def test_a_place_without_a_row_is_named_once() -> None:
    (found,) = grouped([fault("bad-value", SectionPlace("section 1", "").whole, "Wrong.")] * 4)
    assert (found.place, found.message) == ("section 1 …", "Wrong. (4 times)")


def test_the_order_is_that_of_the_first_of_each_group() -> None:
    other = fault("no-time-control", "section 1")
    assert [found.code for found in grouped([no_id(1), other, no_id(2), no_id(3)])] == [
        "no-member-id",
        "no-time-control",
    ]


def test_the_command_prints_a_group_and_counts_every_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(
        f"{at},P{at},{at}234567,1500,{'W' if at % 2 else 'L'}{at + 1 if at % 2 else at - 1}\n" for at in range(1, 9)
    )
    path = tmp_path / "chart.csv"
    path.write_text(f"Date: 2026-06-14\nTime control: G/60;d5\nNo,Name,ID,Rating,Rd 1\n{rows}")
    assert main(["check", str(path), "--pairing-ratings"]) == 0
    out = capsys.readouterr().out
    assert out.count("member-id-shape") == 1
    assert "section 1, players 1-8 [chart.csv, lines 4-11]" in out
    assert "0 errors, 8 warnings" in out

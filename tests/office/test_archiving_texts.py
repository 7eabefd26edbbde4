"""Columns as JSON and cells as games: whole columns must come out as the functions for one value have it."""

import math
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.history.archive import table_of
from crosstable.office.bulk.cells import Rows, games_of, parsed, rounds_of, unplayed_of
from crosstable.office.bulk.hashes import digest_of_lines, lines_of, rows_of, spelled
from crosstable.office.ledger.facts import cells_of
from crosstable.office.ledger.journal import canonical, digest_of_rows
from crosstable.terms import Result

REALS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1e-5, 9.99e-5, 1e-4, 1e15, 1e16])
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.lists(REALS | st.none(), max_size=20))
def test_reals_are_written_as_the_record_writes_them(values: list[float | None]) -> None:
    column = pl.Series(values, dtype=pl.Float64)
    assert spelled(column).to_list() == [None if one is None else canonical(one + 0.0) for one in values]


@given(st.lists(TEXTS | st.none(), max_size=20))
def test_texts_are_written_as_the_record_writes_them(values: list[str | None]) -> None:
    texts = spelled(pl.Series(values, dtype=pl.String))
    assert texts.to_list() == [None if one is None else canonical(one) for one in values]


@given(st.lists(st.tuples(TEXTS, REALS | st.none(), st.integers(-5, 5), st.dates()), max_size=10))
def test_rows_are_lists_and_lines_are_those_of_digests(
    rows: list[tuple[str, float | None, int, date]],
) -> None:
    schema = {"text": pl.String, "real": pl.Float64, "whole": pl.Int32, "day": pl.Date}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    plain = [(text, None if real is None else real + 0.0, whole, day) for text, real, whole, day in rows]
    assert rows_of([spelled(column) for column in frame]).to_list() == [canonical(row) for row in plain]
    named = [dict(zip(schema, row, strict=True)) for row in plain]
    assert digest_of_lines(lines_of(frame)) == digest_of_rows(named)


def test_truths_in_lines_are_no_numbers() -> None:
    frame = pl.DataFrame({"b": [True, False, None], "a": [1, 2, 3]})
    assert digest_of_lines(lines_of(frame)) == digest_of_rows(frame.to_dicts())


def test_nan_and_infinity_are_written_as_python_does() -> None:
    values = [math.nan, math.inf, -math.inf]
    assert spelled(pl.Series(values)).to_list() == [canonical(value) for value in values]


CELLS = st.sampled_from(
    ["W2", "L1b", "D3w", "N2", "R1", "S3b", "X2", "F1", "H", "B", "U", "Z", "*", "-", "?x", "W1x", "w2B"],
)


@given(st.lists(st.lists(CELLS, max_size=6).map(" ".join), min_size=1, max_size=8))
def test_cells_are_read_as_one_row_is(rows: list[str]) -> None:
    found = parsed(pl.Series(rows, dtype=pl.String))
    expected = [cells_of(row) for row in rows]
    assert found.counts.tolist() == [len(cells) for cells in expected]
    colours = ["", "w", "b"]
    seen = [
        (chr(letter) if letter else "", int(opponent), colours[colour] if letter else "")
        for letter, opponent, colour in zip(found.letters, found.opponents, found.colours, strict=True)
    ]
    told = [(cell.result or Result.BLANK, cell.opponent, cell.colour) for cells in expected for cell in cells]
    assert seen == [(result.value, opponent, colour) for result, opponent, colour in told]


WALLCHART = ["W2w D3 H", "L1b X3 W4", "U D1 F2", "- B L2b"]


@pytest.mark.parametrize("numbers", [[1, 2, 3, 4], [10, 20, 30, 40]], ids=["by row", "any numbers"])
def test_games_of_a_wallchart_and_back(numbers: list[int]) -> None:
    """A game counts once where both sides agree; a colour that one side alone says is that of both."""
    chart = [
        " ".join("".join(str(numbers[int(one) - 1]) if one.isdigit() else one for one in cell) for cell in row.split())
        for row in WALLCHART
    ]
    rows = Rows(np.zeros(4, dtype=np.uint32), np.array(numbers, dtype=np.int32))
    cells = parsed(pl.Series(chart))
    games = games_of(cells, rows)
    assert games.select("round", "first", "second", "result", "colour").rows() == [
        (1, 0, 1, 2, 1),
        (2, 0, 2, 1, 0),
        (3, 1, 3, 2, 1),
    ]
    unplayed = unplayed_of(cells)
    third = f"2:X{numbers[2]}"
    assert unplayed.to_list() == ["3:H", third, f"1:U 3:F{numbers[1]}", "2:B"]
    again = rounds_of(table_of("games", games.to_dict()), unplayed, rows)
    chart[1] = chart[1].replace(f"W{numbers[3]}", f"W{numbers[3]}w")
    assert again.to_list() == chart


def test_sides_that_do_not_agree_are_games_of_their_own() -> None:
    """The letters N, R and S; a round robin whose columns are opponents; a game that one side alone reports."""
    rows = Rows(np.zeros(3, dtype=np.uint32), np.array([1, 2, 3], dtype=np.int32))
    games = games_of(parsed(pl.Series(["N2 W2 W3", "R1 D1", "L1 W9"])), rows)
    assert games.select("round", "first", "second", "result").rows() == [
        (1, 0, 1, 6),
        (1, 1, 0, 5),
        (1, 2, 0, 4),
        (2, 0, 1, 6),
        (2, 1, 0, 5),
        (3, 0, 2, 6),
    ]


def test_rows_without_cells() -> None:
    rows = Rows(np.zeros(2, dtype=np.uint32), np.array([1, 2], dtype=np.int32))
    cells = parsed(pl.Series(["", ""]))
    games = games_of(cells, rows)
    assert games.height == 0
    assert unplayed_of(cells).to_list() == [None, None]
    assert rounds_of(games, unplayed_of(cells), rows).to_list() == ["", ""]

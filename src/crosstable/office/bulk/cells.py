"""Cells of wallcharts, all at once: the texts of an office's rows as games of an archive, and back.

``formats.event_json.read_cell`` and ``history.archive_sections`` do the same for one row.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.history.archive_tables import COLOURS, ONE_SIDED, RESULTS
from crosstable.office.ledger.facts import NO_CELL
from crosstable.terms import GAME_SCORES, Result
from crosstable.terms import ONE_SIDED as ONE_SIDED_RESULTS

Array = Any

_SPACE, _ZERO, _NINE = ord(" "), ord("0"), ord("9")
_LONGEST_NUMBER = 9
_NO_LETTER = 0


class Parsed(NamedTuple):
    """The cells of rows one after another: how many each row has, and what each says; letter 0 is a blank."""

    counts: Array
    letters: Array
    opponents: Array
    colours: Array


class Rows(NamedTuple):
    """The rows of sections in their order: the section of each, by number from 0, and its pairing number."""

    section: Array
    number: Array


def _table(values: dict[str, int], otherwise: int = 0) -> Array:
    made = np.full(256, otherwise, dtype=np.int8)
    for letter, value in values.items():
        made[ord(letter)] = value
    return made


_LETTERS = "".join(one.value for one in Result)
_KNOWN = _table(dict.fromkeys(_LETTERS + _LETTERS.lower(), 1))
_IS_GAME = _table({one.value: 1 for one in GAME_SCORES})
_IS_ONE_SIDED = _table({one.value: 1 for one in ONE_SIDED_RESULTS})
_HALVES = _table({one.value: int(2 * score) for one, score in GAME_SCORES.items()})
_COLOUR = _table({"w": 1, "b": 2, "W": 1, "B": 2})


def parsed(rounds: pl.Series) -> Parsed:
    """The cells of rows; what is no known result is a blank."""
    is_there = rounds != ""
    counts = (rounds.str.count_matches(" ", literal=True) + 1) * is_there
    there = rounds.filter(is_there)
    if not there.len():
        nothing = np.zeros(0, dtype=np.int64)
        return Parsed(counts.to_numpy().astype(np.int64), nothing, nothing, nothing)
    text = np.frombuffer((" ".join(there.to_list()) + " ").encode(), dtype=np.uint8)
    ends = np.flatnonzero(text == _SPACE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    letters = text[starts]
    colours = np.where(ends - starts > 1, _COLOUR[text[ends - 1]], 0).astype(np.uint8)
    digits = ends - starts - 1 - (colours > 0)
    is_sound = (_KNOWN[letters] == 1) & (digits <= _LONGEST_NUMBER)
    opponents = np.zeros(len(starts), dtype=np.int64)
    for at in range(int(min(digits.max(initial=0), _LONGEST_NUMBER))):
        has_digit = digits > at
        value = text[np.where(has_digit, starts + 1 + at, starts)].astype(np.int64)
        is_sound &= ~has_digit | ((value >= _ZERO) & (value <= _NINE))
        opponents = np.where(has_digit, opponents * 10 + value - _ZERO, opponents)
    letters = np.where(is_sound, np.where(letters >= ord("a"), letters - 32, letters), _NO_LETTER).astype(np.uint8)
    return Parsed(counts.to_numpy().astype(np.int64), letters, np.where(is_sound, opponents, 0), colours)


def entry_of(rows: Rows, section: Array, number: Array) -> Array:
    """The row of a player with a pairing number in a section, -1 where nobody has it."""
    first = np.searchsorted(rows.section, section)
    likely = np.clip(first + number - 1, 0, len(rows.number) - 1)
    found = np.where((rows.section[likely] == section) & (rows.number[likely] == number), likely, -1)
    left = np.flatnonzero(found < 0)
    if len(left):
        known = pl.DataFrame({"section": rows.section, "number": rows.number}).with_row_index("at")
        asked = pl.DataFrame({"section": section[left], "number": number[left].astype(rows.number.dtype)})
        joined = asked.join(known, on=["section", "number"], how="left", maintain_order="left")
        found[left] = joined["at"].cast(pl.Int64).fill_null(-1).to_numpy()
    return found


def games_of(cells: Parsed, rows: Rows) -> pl.DataFrame:
    """The games of sections as an archive has them: one row where both sides agree, one for each side where not."""
    offset = np.cumsum(cells.counts) - cells.counts
    cell = np.flatnonzero(_IS_GAME[cells.letters])
    own = np.repeat(np.arange(len(cells.counts)), cells.counts)[cell]
    round_number = cell - offset[own] + 1
    met = entry_of(rows, rows.section[own], cells.opponents[cell])
    opponent = np.full(len(cells.letters), -1, dtype=np.int64)
    opponent[cell] = met
    halves, letters = _HALVES[cells.letters], cells.letters
    partner = np.where((met >= 0) & (round_number <= cells.counts[met]), offset[met] + round_number - 1, cell)
    agree = (opponent[partner] == own) & (halves[partner] == 2 - halves[cell]) & (partner != cell)
    agree &= (_IS_ONE_SIDED[letters[cell]] == 0) & (_IS_ONE_SIDED[letters[partner]] == 0)
    kept = (met >= 0) & (~agree | (own < met))
    cell, own, met, agree, partner = cell[kept], own[kept], met[kept], agree[kept], partner[kept]
    first = np.searchsorted(rows.section, rows.section[own])
    colour = cells.colours[cell]
    colour = np.where(agree & (colour == 0), _OTHER_COLOUR[cells.colours[partner]], colour)
    made = pl.DataFrame(
        {
            "section": rows.section[own].astype(np.uint32),
            "round": round_number[kept].astype(np.uint8),
            "first": (own - first).astype(np.uint16),
            "second": (met - first).astype(np.uint16),
            "result": (halves[cell] + np.where(agree, 0, ONE_SIDED)).astype(np.uint8),
            "colour": colour.astype(np.uint8),
        }
    )
    return made.sort("section", "round", "first")


_OTHER_COLOUR = np.array([0, 2, 1], dtype=np.uint8)


def unplayed_of(cells: Parsed) -> pl.Series:
    """By row, the cells that are no games as an archive writes them; nothing where there are none."""
    offset = np.cumsum(cells.counts) - cells.counts
    cell = np.flatnonzero((_IS_GAME[cells.letters] == 0) & (cells.letters != _NO_LETTER))
    own = np.repeat(np.arange(len(cells.counts)), cells.counts)[cell]
    number = pl.Series(cells.opponents[cell]).cast(pl.String)
    frame = pl.DataFrame(
        {
            "own": own,
            "round": pl.Series(cell - offset[own] + 1).cast(pl.String),
            "letter": _letters(cells.letters[cell]),
            "number": number.replace("0", ""),
            "colour": _names(cells.colours[cell], ["", "w", "b"]),
        }
    )
    text = pl.concat_str("round", pl.lit(":"), "letter", "number", "colour")
    joined = frame.group_by("own", maintain_order=True).agg(text.str.join(" ").alias("text"))
    made = pl.DataFrame({"own": np.arange(len(cells.counts))}).join(joined, on="own", how="left", maintain_order="left")
    return made["text"]


def _letters(codes: Array) -> pl.Series:
    return _names(codes, [chr(code) if code else "" for code in range(128)])


def _names(codes: Array, names: list[str]) -> pl.Series:
    return pl.Series(names).gather(codes)


# By result: the letter on the row of ``first``, and on that of ``second``.
_OWN_LETTERS = [RESULTS[code][0].value if code in RESULTS else "" for code in range(ONE_SIDED + 3)]
_OTHER_LETTERS = [(RESULTS[code][1] or Result.BLANK).value if code in RESULTS else "" for code in range(ONE_SIDED + 3)]


def rounds_of(games: pl.DataFrame, unplayed: pl.Series, rows: Rows) -> pl.Series:
    """The cells of rows as an office's table has them: a cell per round of the section, ``-`` where there is none."""
    base = np.searchsorted(rows.section, games["section"].to_numpy())
    one, other = base + games["first"].to_numpy(), base + games["second"].to_numpy()
    numbers = pl.Series(rows.number).cast(pl.String)
    is_both = games["result"].to_numpy() < ONE_SIDED
    written = []
    for own, met, letters, side in ((one, other, _OWN_LETTERS, 0), (other, one, _OTHER_LETTERS, 1)):
        frame = pl.DataFrame(
            {
                "row": own,
                "round": games["round"].cast(pl.Int64),
                "text": _names(games["result"], letters)
                + numbers.gather(met)
                + _names(games["colour"], [pair[side] for pair in COLOURS]),
            }
        )
        written.append(frame.filter(is_both) if side else frame)
    cells = pl.concat([*written, _unplayed_cells(unplayed)])
    return _joined_cells(cells, rows)


def _unplayed_cells(unplayed: pl.Series) -> pl.DataFrame:
    frame = pl.DataFrame({"row": np.arange(unplayed.len()), "cell": unplayed}).filter(pl.col("cell").is_not_null())
    parts = (
        frame.with_columns(pl.col("cell").str.split(" "))
        .explode("cell")
        .with_columns(pl.col("cell").str.split_exact(":", 1).struct.rename_fields(["round", "text"]))
    )
    return parts.unnest("cell").with_columns(pl.col("round").cast(pl.Int64))


def _joined_cells(cells: pl.DataFrame, rows: Rows) -> pl.Series:
    section = rows.section - (rows.section[0] if len(rows.section) else 0)
    longest = np.zeros(int(section.max(initial=0)) + 1, dtype=np.int64)
    row, round_number = cells["row"].to_numpy(), cells["round"].to_numpy()
    np.maximum.at(longest, section[row], round_number)
    width = longest[section]
    offset = np.cumsum(width) - width
    place = np.zeros(int(width.sum()), dtype=np.int64)
    place[offset[row] + round_number - 1] = np.arange(1, cells.height + 1)
    texts = pl.concat([pl.Series([NO_CELL]), cells["text"]]).gather(place)
    frame = pl.DataFrame({"row": np.repeat(np.arange(len(width)), width), "text": texts})
    joined = frame.group_by("row", maintain_order=True).agg(pl.col("text").str.join(" "))
    made = pl.DataFrame({"row": np.arange(len(width))}).join(joined, on="row", how="left", maintain_order="left")
    return made["text"].fill_null("")

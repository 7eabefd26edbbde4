"""The reference of wallcharts and lists of games: every key, heading and cell code, from the readers' own tables."""

from collections.abc import Iterable, Mapping, Sequence

from crosstable.formats import game_list, wallchart
from crosstable.formats.columns import COLUMNS, IGNORED, OUTSIDE, PERSON, PLAYER_DETAILS, QUANTITIES, SYSTEM_WORDS
from crosstable.formats.wallchart_players import BESIDE_COLOURS, CODES

DATES = (
    *("2026-08-30", "2026/8/30", "2026.08.30", "20260830", "Aug 30, 2026", "August 30th 2026", "30 August 2026"),
    *("30-Aug-2026", "30-aug-26", "Sunday, August 30, 2026", "8/30/2026", "8/30/26", "30/08/2026", "30.08.2026"),
)
CONTROLS = (
    *("G/60;d5", "G/90;+30", "40/90,SD/30;d5", "G60 d/5", "G/30+5DELAY", "G150/5S", "GAME 100 + 30 SEC INCREMENT"),
    *("40/120, ALL/60", "40/120, 60", "40/2;SD/1", "90+30", "90'+30\"", "60 min + 5 sec", "1h30+30s"),
    *("100'x40 + 15' + 30\"", "90 min for 40 moves + 30 min for the rest + 30 sec", "2 hours", "60;d5"),
)
TWO_WAYS = ("25/5", "G/60;5", "40/90, 30")
_EMPTY = "(empty)"
_INTRODUCTION = """# Wallcharts and lists of games

{note}
A wallchart is a table with a row for each player and a column for each round, in XLSX or in any kind of CSV that Excel
saves (commas, semicolons or tabs; UTF-8, UTF-16 or Windows text). Above the table there may be lines such as `Event:
Saturday Quad`: a key, a colon and a value, in one cell or in two cells side by side ([all keys](#keys)). `crosstable
schema wallchart` prints a template. Case and punctuation of keys and headings do not matter. Crosstable reports
everything that it does not understand. An unknown key or column gives a warning. A result that it cannot read, or a
column of ratings that it does not know, gives an error.

A workbook of Excel 97-2003 (`.xls`) is not read: save it as `.xlsx`. Crosstable reads the CSV export of
chess-results.com, in which a cell holds the opponent's rank or number, the color and the result. Swiss-Manager files
with the same headings should work too; we have not tried one with pairings. Cells such as `W---2` and `HPB`, as pairing
programs print them, are fine too.

## Dates and time controls

These spellings are read in every format. Dates: {dates}. Two dates may stand together (`Date: June 13-14, 2026`,
`6/13/2026 - 6/14/2026`). In a date with slashes the month comes first. If the first number is above 12, or the other
date of the event shows that the day comes first, Crosstable reads the day first. In a FIDE file, a date with periods
has the day first. Any other date with two possible meanings, such as `07-08-2026` (July 8 or August 7), gives an error
that names both. Give the right date with `--start` and `--end`.

Time controls: {controls}. A schedule may name its rounds (`Round 1: G/45;d5, Round 2: G/60;d5`,
`G/40;d10 in rounds 1-3, then 40/120,SD/30;d10`); the slowest one counts. A time control with two possible meanings
gives an error that names both: {two_ways}. (In `G/60;5`, is the 5 a delay or an increment? In
`40/90, 30`, is the 30 more minutes, or seconds?) Give the right one with `--control "G/60;d5" --override`.

## Keys
"""
_VALUES = """
`online` is `yes` or `no`, `k factor` is `full` or `half`, `systems` has codes such as `OTBR`, and `type` is one of
{kinds}. A `match waiver` is the reason for it. In columns of yes or no (`rate`, `member`, `fide opt in`, `adult`,
`canadian resident`), write `yes`, `x` or `no`. `rate`, `member` and `fide flag` serve foreign FIDE events, where only
players with `rate` are rated.
"""
_OTHER_TITLES = """
`#` in a heading counts as `no`. Headings of rounds: {rounds}.

A heading for a rating consists of a system and a quantity, such as `Quick games`. Systems: {systems}. Quantities:
{quantities}. For {outside} there are only `rating` and `as of`. [The rating record](rating-record.md) explains the
quantities.

About the person: {person}. (`dob`, `born` and `date of birth` are birth dates too.)

These headings are known, and Crosstable does not use them: {ignored}. `age` is one of them: for
unrated players give `birth date` or `birth year`.
"""
_RATINGS = """
## What a rating column is taken for

- `Rating` and similar headings mean the ratings used for pairing. Crosstable does not rate from them unless you say so.
  Give exact ratings with `--members FILE`. Or add `--pairing-ratings`: Crosstable then uses these ratings and assumes
  everything else. With a column `Games` beside it, `Rating` is the rating before the event,
  as if the heading were `Pre-event rating`.
- `Pre-event rating` and similar headings always mean the rating before the event, in the first system that the line
  `Systems:` names. Without that line, it is the Regular rating if minutes plus
  seconds of the time control are {minutes} or more. Below {minutes} it counts as a pairing rating only: write `Quick
  rating` or `Blitz rating` in its place.
- `Elo`, `FIDE rating` and similar headings mean FIDE ratings. A section with FIDE ratings alone is not rated
  (`fide-ratings-only`), nor is one without any column of ratings (`no-ratings`).
- If a column with an unknown heading holds numbers that look like ratings, that is an error
  (`rating-column-not-known`).
- A rating may be written `1512`, `1,512`, `1512/40`, `1641P17`; `unr`, `unrated`, `NEW`, `0` or an empty cell is
  unrated.
"""
_CELLS = """
## Cells

A cell names the result, the opponent's number and, if known, the color. In the tables below, the opponent's number
is 4.

A round robin may have one column per opponent instead of one per round. In such a table:

- `1`, `0`, `½`, `W`, `L` or `D` is the result against the player of that column.
- `+` and `-` are a forfeit win and a forfeit loss. If the table has no `1` or `0`, they are a win and a loss.
- A cross, a dash or a star in every player's own column is no game.

Crosstable recognizes such a table by the line `Type: round robin`, or because it has a column for every player.

| read as | written | meaning |
|---|---|---|
"""
_BESIDE = """
If other cells of the table look like `17b1` (opponent, color, result), these cells mean something else:

| read as | written | meaning |
|---|---|---|
"""
_GAMES = """
## Lists of games

A row of headings with `White` and `Black` opens a list of games. The round is a column or a line `Round 2` above the
games. The headings of ids and ratings say whose they are (`White ID`, `Black rating`). Or the same heading appears
twice, left of the result for White and right of it for Black: `Round, White, ID, Result, Black, ID`. Instead of an
opponent's name, these words mean that there was no game: {nobody}.

| column | headings |
|---|---|
{columns}
| White | Black | result |
|---|---|---|
{results}"""


def wallchart_page(note: str) -> str:
    """The page as Markdown."""
    return "".join(
        [
            _INTRODUCTION.format(note=note, dates=_codes(DATES), controls=_codes(CONTROLS), two_ways=_codes(TWO_WAYS)),
            _table(("key", "belongs to", "you may write"), _keys()),
            _VALUES.format(kinds=_codes(wallchart.KINDS)),
            "\n## Column headings\n",
            _table(("column", "headings"), ((name, _codes(titles)) for name, titles in _titles().items())),
            _OTHER_TITLES.format(
                rounds=_codes(("R1", "1", "Rd 1", "Rnd 1", "Round 1", "1.Rd", "1st")),
                systems=_codes(word for word, system in SYSTEM_WORDS.items() if system not in OUTSIDE),
                quantities=_codes((*QUANTITIES, "posted", "posted games")),
                outside=" and ".join(OUTSIDE),
                person=_codes(PERSON),
                ignored=_codes((*IGNORED, "TB1", "Rtg+/-")),
            ),
            _RATINGS.format(minutes=wallchart.REGULAR_FROM),
            _CELLS,
            *(_row(*_cell(*code)) for code in CODES),
            _BESIDE,
            *(_row(*_cell(*code)) for code in BESIDE_COLOURS),
            _GAMES.format(
                nobody=_codes(game_list.NOBODY),
                columns="".join(_row(name, _codes(titles)) for name, titles in game_list.COLUMNS.items()),
                results="".join(
                    _row(white or _EMPTY, black or _EMPTY, _codes(texts))
                    for (white, black), texts in game_list.RESULTS.items()
                ),
            ),
        ]
    )


def _titles() -> Mapping[str, Sequence[str]]:
    details = {name: (name, *COLUMNS.get(name, ())) for name in PLAYER_DETAILS}
    return {**COLUMNS, **details}


def _keys() -> Iterable[tuple[str, str, str]]:
    event, section = wallchart.EVENT_KEYS, wallchart.SECTION_KEYS
    for known, of in ((event, "event"), (section, "event or section")):
        for name in dict.fromkeys(known.values()):
            yield name, of, _codes(key for key, meant in known.items() if meant == name)
    for names, of in ((wallchart.EVENT_DETAILS, "event"), (wallchart.SECTION_DETAILS, "section")):
        yield "(not needed to rate; kept when you convert the file)", of, _codes(names)
    yield "section", "opens a section", "`section`"
    yield "note", "for people", "`note`"


def _cell(code: str, texts: Sequence[str], meaning: str) -> tuple[str, str, str]:
    return f"`{code}`" if code else _EMPTY, _codes(texts), meaning


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n" + _row(*head) + "|" + "---|" * len(head) + "\n" + "".join(_row(*row) for row in rows)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _codes(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" if text else "an empty cell" for text in texts)

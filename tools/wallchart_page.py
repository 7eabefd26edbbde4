"""The reference of wallcharts and lists of games: every key, title and cell code, from the readers' own tables."""

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
_INTRODUCTION = """# Wallcharts and lists of games

{note}
A wallchart is a table with a row for each player and a column for each round, in CSV (commas, semicolons or tabs;
UTF-8, UTF-16 or Windows text) or XLSX. Lines `key: value` may stand above it. `crosstable schema wallchart` prints a
template. Case and punctuation of keys and titles do not matter. What is not understood is told: a key or column that
is not known is a warning, a cell or a column of ratings that is not understood is an error.

A workbook of Excel 97-2003 (`.xls`) is not read: save it as `.xlsx`. Tables of chess-results.com (opponent, colour and
result in one cell, ranks for numbers) are read as its CSV export writes them; Swiss-Manager's are read by the same
titles, and no export of it with pairings was seen. `W---2`, `HPB` and their like are read as pairing programs print
them.

## Dates and time controls

These spellings are read in every format. Dates: {dates}. Two dates may stand together (`Date: June 13-14, 2026`,
`6/13/2026 - 6/14/2026`). With slashes the month comes first, unless it can be no month, or the other date of the event
shows that the day does; in a FIDE file a date with points has the day first. A date that can be two days, like
`07-08-2026`, is an error that names both; `--start` and `--end` settle it.

Time controls: {controls}. A schedule may name its rounds (`Round 1: G/45;d5, Round 2: G/60;d5`,
`G/40;d10 in rounds 1-3, then 40/120,SD/30;d10`); the slowest decides. What can mean two things, like {two_ways}, is an
error that names both; `--control "G/60;d5" --override` settles it.

## Keys
"""
_OTHER_TITLES = """
Rounds: `1`, `Rd 1`, `Rnd 1`, `Round 1`, `1.Rd`, `1st`. Ratings of a system: {systems}, each with {quantities}
(`Quick games`); {outside} with `rating` and `as of`. About the person: {person}.

Known and not needed to rate: {ignored}.
"""
_RATINGS = """
## What a rating column is taken for

- `Rating` and its like are the ratings used for pairing. They are no ratings to start from: give `--members FILE`, or
  `--pairing-ratings` to take them with everything else assumed. With a column `Games` beside it, `Rating` is the rating
  before the event.
- `Pre-event rating` and its like are always the rating before the event, in the first system of the line `Systems`,
  else in the Regular system where the time control is {minutes} minutes or more.
- `Elo`, `FIDE rating` and their like are FIDE ratings. A section with FIDE ratings alone is not rated
  (`fide-ratings-only`), nor is one without any column of ratings (`no-ratings`).
- A column of numbers that look like ratings under a title that is not known is an error (`rating-column-not-known`).
- A rating may be written `1512`, `1,512`, `1512/40`, `1641P17`; `unr`, `unrated`, `NEW`, `0` or an empty cell is
  unrated.
"""
_CELLS = """
## Cells

A cell names the result, the opponent's number (4 below) and, if known, the colour. In a round robin whose columns are
the opponents a bare `1`, `0`, `½`, `W`, `L`, `D` is a game against the player of the column, `+` and `-` are forfeits
where `1` or `0` stand in the table (wins and losses where they do not), and a cross, dash or star in every own column
is no game. Such a table is known by the line `Type: round robin`, or by its own column for every player.

| read as | written | meaning |
|---|---|---|
"""
_GAMES = """
## Lists of games

A row of titles with `White` and `Black` opens a list of games. The round is a column or a line `Round 2` above the
games. Ids and ratings name their side (`White ID`, `Black rating`), or stand once on each side of the result. Opponents
who are nobody: {nobody}.

| column | titles |
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
            _table(("key", "of", "written"), _keys()),
            "\n## Titles of columns\n",
            _table(("column", "titles"), ((name, _codes(titles)) for name, titles in _titles().items())),
            _OTHER_TITLES.format(
                systems=_codes(SYSTEM_WORDS),
                quantities=_codes((*QUANTITIES, "posted", "posted games")),
                outside=_codes(OUTSIDE),
                person=_codes(PERSON),
                ignored=_codes((*IGNORED, "TB1", "Rtg+/-")),
            ),
            _RATINGS.format(minutes=wallchart.REGULAR_FROM),
            _CELLS,
            *(_row(f"`{code}`" if code else "nothing", _codes(texts), meaning) for code, texts, meaning in CODES),
            *(
                _row(f"`{code}`" if code else "nothing", f"{_codes(texts)} beside `17b1`", meaning)
                for code, texts, meaning in BESIDE_COLOURS
            ),
            _GAMES.format(
                nobody=_codes(game_list.NOBODY),
                columns="".join(_row(name, _codes(titles)) for name, titles in game_list.COLUMNS.items()),
                results="".join(
                    _row(white or "nothing", black or "nothing", _codes(texts))
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
        yield "kept and written back", of, _codes(names)
    yield "section", "opens a section", "`section`"
    yield "note", "for people", "`note`"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n" + _row(*head) + "|" + "---|" * len(head) + "\n" + "".join(_row(*row) for row in rows)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _codes(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" if text else "nothing" for text in texts)

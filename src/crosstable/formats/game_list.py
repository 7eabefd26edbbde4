"""Lists of games (round, White, Black, result), as spreadsheets and chess-results hold them, made into wallcharts.

A row of titles names ``White`` and ``Black``; ``Round`` may be a column or a line ``Round 2`` above the games, and
``Section`` a column too. Ids and ratings are columns that name their side (``White ID``), or stand twice, on both sides
of the result. ``RESULTS`` lists what a result may look like. Players are numbered in the order in which they appear.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.formats.columns import OTHER_LINES, column_name, is_ignored
from crosstable.formats.columns import title_score as wallchart_score
from crosstable.formats.refused_columns import refuse_ratings
from crosstable.formats.sheet_rows import Row, tidy_title
from crosstable.formats.wallchart_players import PLAINER
from crosstable.limits import MOST_ROUNDS
from crosstable.notation import shown

SIDES = ("white", "black")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "white": ("white", "white player", "white name", "white player name"),
    "black": ("black", "black player", "black name", "black player name"),
    "result": ("result", "res", "results", "score"),
    "round": ("round", "rd", "rnd", "r", "round no"),
    "section": ("section", "sec"),
}
OF_A_SIDE = ("number", "member id", "rating", "pre", "FIDE rating", "state", "title")
# the letters of White's and Black's cells → how the result may be written
RESULTS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("W", "L"): ("1-0", "1:0", "1", "white", "w", "white wins", "white won"),
    ("L", "W"): ("0-1", "0:1", "0", "black", "b", "black wins", "black won"),
    ("D", "D"): ("1/2-1/2", "0.5-0.5", ".5-.5", "1/2:1/2", "1/2", "0.5", "draw", "d", "="),
    ("X", "F"): ("1-0f", "1x-0f", "1f-0f", "1-0 ff", "1-0 forfeit", "+--", "+:-", "+/-", "+-"),
    ("F", "X"): ("0-1f", "0f-1x", "0f-1f", "0-1 ff", "0-1 forfeit", "--+", "-:+", "-/+", "-+"),
    ("F", "F"): ("0-0", "0f-0f", "0-0f", "---", "-:-", "-/-"),
    ("", ""): ("", "*", "-", ":", "?"),
}
FOR_PEOPLE = ("bo", "no", "game", "pgn", "date", "time", "moves", "eco", "opening", "event", "site", "table")
# What stands for an opponent where there is none.
NOBODY = ("bye", "half bye", "full bye", "zero bye", "not paired", "unpaired", "spielfrei", "no opponent", "none")
_LETTERS = {text.replace(" ", ""): letters for letters, texts in RESULTS.items() for text in texts}
_BYES = {"1": "B", "1-0": "B", "1/2": "H", "0.5": "H", "1/2-1/2": "H", "0": "Z", "0-0": "Z", "0-1": "Z"}
_NAMED = {title: column for column, titles in COLUMNS.items() for title in titles}
_SHORT = 5  # names this short are often alike
_SIDE = re.compile(r"(w|b|white|black) ?(\S.*)")
_ROUND = re.compile(r"(?:round|rd|rnd)\.?\s*(\d{1,3})\b(?!.*[:;,]\s*[gG]/).*", re.IGNORECASE | re.ASCII)


def opens_games(cells: Sequence[str]) -> bool:
    """Whether a row is the titles of a list of games."""
    found = {_NAMED.get(tidy_title(cell)) for cell in cells}
    return {"white", "black"} <= found


def title_score(cells: Sequence[str]) -> int:
    """How many columns of a list of games a row names; 0 where it is no such row of titles."""
    return sum(bool(name) for name in columns_of(cells)) if opens_games(cells) else 0


def columns_of(cells: Sequence[str]) -> list[str]:
    """The name of each column: ``white``, ``round``, ``black rating`` …, or nothing."""
    tidy = [_full_title(tidy_title(cell)) for cell in cells]
    middle = next((at for at, title in enumerate(tidy) if _NAMED.get(title) == "result"), len(tidy))
    return [_column(title, tidy.count(title) == 2, SIDES[at > middle]) for at, title in enumerate(tidy)]


def _full_title(title: str) -> str:
    """``W rating``, ``WRtg`` and ``WhiteElo`` as ``white rating``, ``white rtg`` and ``white elo``."""
    found = _SIDE.fullmatch(title)
    is_known = found is not None and column_name(found[2]) in OF_A_SIDE
    return f"{'white' if title[0] == 'w' else 'black'} {found[2]}" if found and is_known else title


def _column(title: str, is_double: bool, side: str) -> str:
    first, _, rest = title.partition(" ")
    if title in _NAMED:
        return _NAMED[title]
    if first in SIDES and column_name(rest) in OF_A_SIDE:
        return f"{first} {column_name(rest)}"
    return f"{side} {column_name(title)}" if is_double and column_name(title) in OF_A_SIDE else ""


class _Player(NamedTuple):
    number: int
    place: str
    said: dict[str, str]
    cells: dict[int, str]


class _Games:
    """The games of one section while their rows are read."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.players: list[_Player] = []
        self._by_id: dict[str, _Player] = {}
        self._by_name: dict[str, _Player] = {}

    def player(self, said: dict[str, str], place: str) -> _Player:
        """The player of one side of a row."""
        member_id, name = said.get("member id", ""), said["name"].casefold()
        known = self._by_id.get(member_id) or self._by_name.get(name)
        if known is None or (member_id and known.said.get("member id", member_id) != member_id):
            number = said.get("number", "")
            own = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else len(self.players) + 1
            known = _Player(own, place, {}, {})
            self.players.append(known)
        for column, text in said.items():
            known.said.setdefault(column, text)
        self._by_name[name] = known
        if member_id:
            self._by_id[member_id] = known
        return known

    def similar_names(self) -> list[Fault]:
        """Two players whose names differ by a letter or in their order, who may be one under two spellings."""
        found, spelled = [], dict[str, tuple[str, _Player]]()
        for player in self.players:
            words = "".join(sorted(re.findall(r"\w+", player.said["name"].casefold())))
            letters = [at for at, one in enumerate(words) if len(words) > _SHORT and not one.isdigit()]
            forms = {words, *(words[:at] + words[at + 1 :] for at in letters)}
            for known, other in {id(spelled[form][1]): spelled[form] for form in forms & spelled.keys()}.values():
                is_apart = other.cells.keys() & player.cells.keys() or not _are_one_slip_apart(words, known)
                if not is_apart and _may_be_one(player.said, other.said):
                    names = {"name": player.said["name"], "other": other.said["name"]}
                    found.append(fault("similar-names", player.place, **names))
            spelled |= dict.fromkeys(forms, (words, player))
        return found

    def rows(self) -> list[Row]:
        """The wallchart: a row of titles and a row for each player."""
        if not self.players:
            return []
        last = max((max(player.cells, default=0) for player in self.players), default=0)
        columns = [column for column in OF_A_SIDE[1:] if any(column in p.said for p in self.players)]
        titles = {"member id": "ID", "pre": "Pre-event rating"}
        head = ("No", "Name", *(titles.get(column, column.capitalize()) for column in columns))
        place = self.players[0].place
        made = [Row(place, (f"Section: {self.name}",))] if self.name else []
        made.append(Row(place, (*head, *(f"Rd {number}" for number in range(1, last + 1)))))
        for player in self.players:
            said = [player.said.get(column, "") for column in columns]
            cells = [player.cells.get(number, "U") for number in range(1, last + 1)]  # nobody paired them
            made.append(Row(player.place, (str(player.number), player.said["name"], *said, *cells)))
        return made


def _are_one_slip_apart(one: str, other: str) -> bool:
    """Whether a letter is missing, wrong, or has changed places with the next."""
    wrong = [at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    swapped = len(wrong) == 2 and one[wrong[0]] == other[wrong[1]] and one[wrong[1]] == other[wrong[0]]
    return len(one) != len(other) or len(wrong) < 2 or swapped


def _may_be_one(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether nothing that is said of two players tells them apart."""
    return all(one.get(column, "") == other[column] for column in OF_A_SIDE[1:] if one.get(column) and column in other)


class _List:
    """A list of games while its rows are read; other rows are passed on."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        self.made: list[Row] = []
        self.columns: list[str] = []
        self.sections: dict[str, _Games] = {}
        self.round = 0
        self.pending = 0
        self.after: list[Row] = []
        self.titles = Row("", ())
        self.unknown: dict[str, list[str]] = {}

    def take(self, row: Row) -> None:
        """Take in one row."""
        heading = _ROUND.fullmatch(row.cells[0].strip())
        if opens_games(row.cells):
            self.columns = columns_of(row.cells)
            self.titles = row
        elif heading and row.is_alone:
            self.round = int(heading[1])
        elif not self.columns or tidy_title(row.cells[0].partition(":")[0]) == "section" or wallchart_score(row.cells):
            self.close()
            self.made.append(row)
        elif row.is_alone and not row.cells[0].strip().isdigit():
            self._take_line(row)
        else:
            self._take_game(row)

    def _take_line(self, row: Row) -> None:
        """A key stands for the whole list; anything else is for people."""
        if ":" in row.cells[0]:
            self.after.append(row)
        elif not OTHER_LINES.fullmatch(tidy_title(row.cells[0])):
            self.faults.append(fault("unknown-field", row.place, f"{shown(row.cells[0])} is neither a game nor a key."))

    def close(self) -> None:
        """End the list: what follows is another table."""
        for title, values in self.unknown.items():
            message = f"The column {shown(title)} is not known and was ignored."
            self.faults.append(fault("unknown-field", self.titles.place, message))
            if not any(name.endswith((" rating", " pre")) for name in self.columns):
                refuse_ratings(title, values, self.titles.place, self.faults)
        for games in self.sections.values():
            self.faults += games.similar_names()
            self.made += games.rows()
        if self.pending:
            self.faults.append(fault("result-missing:paired", self.made[-1].place, count=self.pending))
        self.made += self.after
        self.columns, self.sections, self.after, self.round, self.pending = [], {}, [], 0, 0
        self.unknown = {}

    def _take_game(self, row: Row) -> None:
        for title, name, cell in zip(self.titles.cells, self.columns, row.cells, strict=False):
            is_known = name or tidy_title(title) in ("", *FOR_PEOPLE) or column_name(title) not in ("", *OF_A_SIDE)
            if not is_known and not is_ignored(title):
                self.unknown.setdefault(title, []).append(cell.strip())
        said = {
            name: cell.strip() for name, cell in zip(self.columns, row.cells, strict=False) if name and cell.strip()
        }
        number = said.get("round", "") or str(self.round or "")
        if not (number.isascii() and number.isdigit() and 1 <= int(number[:6]) <= MOST_ROUNDS):
            message = f"{shown(number)} is no round." if number else "The game names no round."
            self.faults.append(fault("bad-value", row.place, message, "Add a column Round with the number."))
            return
        games = self.sections.setdefault(said.get("section", ""), _Games(said.get("section", "")))
        sides = [self._side(games, said, side, row.place) for side in SIDES]
        self._enter(sides, self._result(row), int(number), row)

    def _result(self, row: Row) -> str:
        """The result of a game, from one column or from one on each side: ``1`` and ``0`` are ``1-0``."""
        cells = [cell for name, cell in zip(self.columns, row.cells, strict=False) if name == "result"]
        plain = ["".join(cell.lower().translate(PLAINER).split()) for cell in cells]
        return "-".join(plain) if any(plain) else ""

    def _side(self, games: _Games, said: Mapping[str, str], side: str, place: str) -> "_Player | None":
        name = said.get(side, "")
        if not name or tidy_title(name) in NOBODY:
            return None
        own = {column: said[f"{side} {column}"] for column in OF_A_SIDE if f"{side} {column}" in said}
        return games.player({"name": name, **own}, place)

    def _enter(self, sides: "list[_Player | None]", result: str, number: int, row: Row) -> None:
        white, black = sides
        if white is not None and black is not None:
            letters = _LETTERS.get(result)
            if letters is None:
                message = f"{shown(result)} is no result of a game; write 1-0, 0-1 or 1/2-1/2."
                self.faults.append(fault("unknown-code", row.place, message))
                return
            self.pending += letters == ("", "")
            self._put(white, number, f"{letters[0]}{black.number}w" if letters[0] else "", row)
            self._put(black, number, f"{letters[1]}{white.number}b" if letters[1] else "", row)
        elif (alone := white or black) is not None:
            named = {
                tidy_title(row.cells[at]) for at, name in enumerate(self.columns[: len(row.cells)]) if name in SIDES
            }
            usual = "H" if "half bye" in named else "B" if named & {"bye", "full bye"} else "U"
            self._put(alone, number, _BYES.get(result.strip("-"), usual), row)
        else:
            self.faults.append(fault("bad-value", row.place, "The row names no player.", "Name White and Black."))

    def _put(self, player: _Player, number: int, cell: str, row: Row) -> None:
        if number in player.cells:
            message = f"{shown(player.said['name'])} stands twice in round {number}."
            remedy = "Correct the round of one of the two games."
            self.faults.append(fault("bad-value", row.place, message, remedy))
        player.cells[number] = cell


def expanded(rows: Sequence[Row], faults: list[Fault]) -> Sequence[Row]:
    """The rows of a file with every list of games made into a wallchart."""
    if not any(opens_games(row.cells) for row in rows):
        return rows
    games = _List(faults)
    for row in rows:
        if not row.is_blank:
            games.take(row)
    games.close()
    return games.made

"""The layout of the US Chess rating report, format 2C (2006, corrected 2025): three tables, their fields, what fits.

Real files hold dates as text; the published layout calls them dates. Both are read, text is written.

Making texts fit the fields of a rating report: cut and respelled as pairing programs do, each change a warning.

Rounds of two games in one cell, as SwissSys reports them; each cell becomes two rated rounds. A cell gives the score
of both games together: ``$`` 2-0, ``#`` 1½-½, ``W`` 1-1 by a win each, ``%`` 1-1 by two draws, ``D`` ½-1½, ``L`` 0-2.
Which game came first is not recorded and does not matter to a rating, so one order is laid down that both rows share:
the better result of the winner first; of a win each, the lower number wins first. Colours are kept where both games
have the same result (the second is played with the other colour); else the file does not say which game had which.
Both cells keep the text of the file, from which the cell can be written again.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from crosstable.errors import Fault, TimeControlError
from crosstable.faults import fault
from crosstable.formats.dbf import Field
from crosstable.formats.event_json import read_cell
from crosstable.rules.time_controls import parse_time_control, split_schedule
from crosstable.terms import ReportedCell, ReportedPlayer, Result, TimeControl

FORMAT = "2C"
PROGRAM = "CROSSTABLE"
EVENT_FILE, SECTION_FILE, PLAYER_FILE = "THEXPORT.DBF", "TSEXPORT.DBF", "TDEXPORT.DBF"
DOUBLE_SWISS = "2"
MOST_ROUNDS = 99
MOST_SECTIONS = 99
ROUND_WIDTH = 7
FORFEIT_DRAW = "Z"  # no zero-point bye, which TRF and our event file mean by it; that is U here

_EVENT = (
    *(("H_FORMAT", 5), ("H_PROGRAM", 10), ("H_EVENT_ID", 12), ("H_NAME", 35), ("H_TOT_SECT", 2)),
    *(("H_BEG_DATE", 8), ("H_END_DATE", 8), ("H_AFF_ID", 8), ("H_CITY", 21), ("H_STATE", 2), ("H_ZIPCODE", 10)),
    *(("H_COUNTRY", 21), ("H_SENDCROS", 1), ("H_CTD_ID", 8), ("H_ATD_ID", 8), ("H_OTHER_TD", 255)),
)
_SECTION = (
    *(("S_EVENT_ID", 12), ("S_SEC_NUM", 2), ("S_SEC_NAME", 30), ("S_R_SYSTEM", 1), ("S_TIMECTL", 40)),
    *(("S_CTD_ID", 8), ("S_ATD_ID", 8), ("S_TRN_TYPE", 1), ("S_TOT_RNDS", 2), ("S_LST_PAIR", 4)),
    *(("S_BEG_DATE", 8), ("S_END_DATE", 8), ("S_SCH_LVL", 1), ("S_GR_PRIX", 1), ("S_GP_PTS", 3), ("S_FIDE", 1)),
)
_PLAYER = (
    *(("D_EVENT_ID", 12), ("D_SEC_NUM", 2), ("D_PAIR_NUM", 4), ("D_MEM_ID", 8), ("D_NAME", 30)),
    *(("D_STATE", 2), ("D_RATING", 4)),
)

EVENT_FIELDS = tuple(Field(name, "C", width) for name, width in _EVENT)
SECTION_FIELDS = tuple(Field(name, "C", width) for name, width in _SECTION)
PLAYER_FIELDS = tuple(Field(name, "C", width) for name, width in _PLAYER)

# Without these a table cannot be understood; the others may be missing.
NEEDED: dict[str, tuple[str, ...]] = {
    EVENT_FILE: ("H_FORMAT", "H_NAME", "H_TOT_SECT", "H_BEG_DATE", "H_END_DATE"),
    SECTION_FILE: ("S_SEC_NUM", "S_SEC_NAME", "S_TIMECTL", "S_TRN_TYPE", "S_TOT_RNDS", "S_LST_PAIR"),
    PLAYER_FILE: ("D_SEC_NUM", "D_PAIR_NUM", "D_MEM_ID", "D_NAME", "D_RND01"),
}
WHAT_IT_LISTS = {EVENT_FILE: "the event", SECTION_FILE: "the sections", PLAYER_FILE: "the players"}
# The layout of the 1990s has a record per ten rounds and pointers between the tables.
OLD_LAYOUT = frozenset({"D_REC_SEQ", "S_DTLREC01"})

# detail → field, for what rating does not need but the file carries.
EVENT_DETAILS = {
    "format_version": "H_FORMAT",
    "program": "H_PROGRAM",
    "affiliate": "H_AFF_ID",
    "city": "H_CITY",
    "state": "H_STATE",
    "zip": "H_ZIPCODE",
    "country": "H_COUNTRY",
    "send_crosstable": "H_SENDCROS",
    "chief_td": "H_CTD_ID",
    "assistant_td": "H_ATD_ID",
    "other_tds": "H_OTHER_TD",
}
SECTION_DETAILS = {
    "system_code": "S_R_SYSTEM",
    "chief_td": "S_CTD_ID",
    "assistant_td": "S_ATD_ID",
    "type_code": "S_TRN_TYPE",
    "rounds": "S_TOT_RNDS",
    "last_pair": "S_LST_PAIR",
    "scholastic_level": "S_SCH_LVL",
    "grand_prix": "S_GR_PRIX",
    "grand_prix_points": "S_GP_PTS",
    "fide": "S_FIDE",
}

_TEXTS = frozenset({"H_NAME", "H_CITY", "H_COUNTRY", "S_SEC_NAME", "D_NAME"})
_CONTROL = "S_TIMECTL"
# What tells apart sections, players and games: where it does not fit, nothing can be written.
_NEEDED = ("H_TOT_SECT", "S_SEC_NUM", "S_TOT_RNDS", "S_LST_PAIR", "D_SEC_NUM", "D_PAIR_NUM", "D_RND")
# Letters that do not come apart into a plain one and an accent.
_PLAIN = str.maketrans(
    {
        **{"ß": "ss", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Ø": "O", "ø": "o", "Ł": "L", "ł": "l"},
        **{"Đ": "D", "đ": "d", "Ð": "D", "ð": "d", "Þ": "Th", "þ": "th", "½": "1/2"},
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
        **{"\N{LEFT SINGLE QUOTATION MARK}": "'", "\N{RIGHT SINGLE QUOTATION MARK}": "'"},
        **{"\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"'},
        **{"\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{NO-BREAK SPACE}": " "},
    }
)

GAMES_PER_ROUND = "games_per_round"
ONLY_DOUBLE = frozenset("$#%")
_PAIRS: Mapping[str, tuple[Result, Result]] = {
    "$": (Result.WIN, Result.WIN),
    "#": (Result.WIN, Result.DRAW),
    "W": (Result.WIN, Result.LOSS),
    "%": (Result.DRAW, Result.DRAW),
    "D": (Result.LOSS, Result.DRAW),
    "L": (Result.LOSS, Result.LOSS),
}
_UNPLAYED = frozenset("XFYBHUZ*")
_DOUBLE_MIRROR = {"$": "L", "L": "$", "#": "D", "D": "#", "W": "W", "%": "%"}
_SINGLE_MIRROR = {"W": "L", "L": "W", "D": "D"}
_OTHER_COLOUR = {"w": "b", "b": "w", "": ""}


def round_field(number: int) -> str:
    """The name of a round's column."""
    return f"D_RND{number:02}"


def player_fields(rounds: int) -> tuple[Field, ...]:
    """The columns of the table of players where the longest section has so many rounds."""
    return (*PLAYER_FIELDS, *(Field(round_field(number), "C", ROUND_WIDTH) for number in range(1, rounds + 1)))


# What the files have no field for stands behind the name of a section, in files that we write: "Open (online)".
ONLINE, HALF_K, WAIVED = "online", "half K", "waived"
_MARK = rf"(?:{ONLINE}|{HALF_K}|{WAIVED}|OTB[RQB]|OL[RQB])"
_MARKED = re.compile(rf"(?P<name>.*?) ?\((?P<marks>{_MARK}(?:, {_MARK})*)\)")


def marked(name: str, marks: Iterable[str]) -> str:
    """The name of a section with its marks behind it."""
    said = ", ".join(marks)
    return f"{name} ({said})" if said else name


def unmarked(name: str) -> tuple[str, frozenset[str]]:
    """The name of a section without its marks, and the marks."""
    found = _MARKED.fullmatch(name)
    return (name, frozenset()) if found is None else (found["name"], frozenset(found["marks"].split(", ")))


def shortened(text: str, width: int) -> str:
    """A text cut to a width; the marks of a section stay."""
    tail = text[len(unmarked(text)[0]) :]
    return f"{text[: width - len(tail)].rstrip()}{tail}"


def make_fit(table: str, fields: Sequence[Field], rows: Sequence[dict[str, str]], changes: list[Fault]) -> None:
    """Change the rows of a table so that they fit its fields."""
    for number, row in enumerate(rows, 1):
        for field in fields:
            text, place = row.get(field.name, ""), f"{table}, record {number}, field {field.name}"
            if text and not field.name.startswith(_NEEDED):
                row[field.name] = _fitted(text, field, place, changes)
        if not row.get("D_NAME", "x"):
            row["D_NAME"] = f"Player {row['D_PAIR_NUM']}"


def _fitted(text: str, field: Field, place: str, changes: list[Fault]) -> str:
    plain = in_plain_letters(text)
    if plain != text:
        changes.append(fault("respelled", place, text=text, written=plain))
    if len(plain) <= field.width:
        return plain
    if field.name in _TEXTS:
        cut = shortened(plain, field.width)
        changes.append(fault("shortened", place, text=plain, width=field.width, written=cut))
        return cut
    if field.name == _CONTROL and (control := _slowest(plain)):
        changes.append(fault("not-written:control", place, text=plain, written=control))
        return control
    changes.append(fault("not-written:field", place, text=plain))
    return ""


def in_plain_letters(text: str) -> str:
    """A text in ASCII: accents go, a few letters are written out, and what has no plain letter is left out."""
    if text.isascii() and text.isprintable():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return " ".join("".join(letter for letter in apart if letter.isascii() and letter.isprintable()).split())


def _slowest(text: str) -> str:
    """The slowest control of a schedule in the spelling of US Chess, by which the section is rated; or nothing."""
    try:
        return _official(max(map(parse_time_control, split_schedule(text)), key=lambda control: control.total))
    except TimeControlError:
        return ""


def _official(control: TimeControl) -> str:
    *first, last = control.stages
    stages = [f"{stage.moves}/{stage.minutes}" for stage in first]
    stages.append(f"{last.moves or ('SD' if first else 'G')}/{last.minutes}")
    sign = "+" if control.is_increment else "d"
    return ",".join(stages) + (f";{sign}{control.seconds}" if control.seconds >= 0 else "")


def are_double_games(players: Sequence[ReportedPlayer], *, is_declared: bool) -> bool:
    """Whether a section's cells hold two games each.

    Only a section that is declared so, or that holds a cell which nothing else can mean, comes into question; and even
    it is read game by game where its rows agree better that way (a column per game, or one mistyped cell).
    """
    holds = any(cell.text[:1] in ONLY_DOUBLE for player in players for cell in player.cells)
    if not (is_declared or holds):
        return False
    rows = {player.number: [_parts(cell.text) for cell in player.cells] for player in players}
    return _agreeing(rows, _DOUBLE_MIRROR) >= _agreeing(rows, _SINGLE_MIRROR)


def _agreeing(rows: Mapping[int | None, Sequence[tuple[str, int, str]]], mirror: Mapping[str, str]) -> int:
    """How many cells the opponent's row confirms, if the letters mean this."""
    agreeing = 0
    for number, cells in rows.items():
        for at, (letter, opponent, _) in enumerate(cells):
            others = rows.get(opponent, ())
            if letter in mirror and at < len(others) and others[at][:2] == (mirror[letter], number):
                agreeing += 1
    return agreeing


def _parts(text: str) -> tuple[str, int, str]:
    """Letter, opponent and colour of a cell, whatever the letter; no letter where the rest makes no sense."""
    cell = read_cell(f"W{text[1:]}")
    return text[:1].upper() if cell.result else "", cell.opponent, cell.colour


def expanded(player: ReportedPlayer) -> ReportedPlayer:
    """The row with two cells for each cell of the file."""
    cells = [game for cell in player.cells for game in games_of(cell.text, player.number or 0)]
    return player._replace(cells=tuple(cells))


def games_of(text: str, number: int) -> tuple[ReportedCell, ReportedCell]:
    """The two games that a cell of this player's row stands for."""
    letter, opponent, colour = _parts(text)
    if letter in _UNPLAYED or not letter:
        unplayed = read_cell(text)
        return unplayed, unplayed
    if letter not in _PAIRS:
        unknown = ReportedCell(text, None, 0, "")
        return unknown, unknown
    first, second = _PAIRS[letter]
    if letter == "W" and number > opponent:
        first, second = second, first
    if first is not second:
        return ReportedCell(text, first, opponent, ""), ReportedCell(text, second, opponent, "")
    return (
        ReportedCell(text, first, opponent, colour),
        ReportedCell(text, second, opponent, _OTHER_COLOUR[colour]),
    )


def cell_of(first: ReportedCell, second: ReportedCell, number: int) -> str | None:
    """The text of the one cell that stands for two games, or ``None`` where there is none."""
    if first.text == second.text and games_of(first.text, number) == (first, second):
        letter, opponent, colour = _parts(first.text)
        return f"{letter}{opponent}{colour.upper()}" if letter else first.text
    if first.opponent != second.opponent or first.result is None or second.result is None:
        return None
    results = {first.result, second.result}
    letter = next((letter for letter, pair in _PAIRS.items() if set(pair) == results), "")
    if not letter and len(results) == 1 and first.result.value in _UNPLAYED:
        letter = first.result.value
    return f"{letter}{first.opponent}{first.colour.upper()}" if letter else None

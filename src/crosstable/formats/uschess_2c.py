"""The layout of the US Chess rating report, format 2C (2006, corrected 2025): three tables and their fields.

Real files hold dates as text; the published layout calls them dates. Both are read, text is written.
"""

import re
from collections.abc import Iterable

from crosstable.formats.dbf import Field

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

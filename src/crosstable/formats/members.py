"""A members file: what is known of members before an event, for reports that carry ids alone (``--members FILE``).

Four forms are read. A table (CSV or TSV) with a row of titles, of which ``TEMPLATE`` is an example: a column for the
member id, any of the columns of ``columns`` (``OTBR rating``, ``Regular games``, ``FIDE rating``,
``Birth date`` …), and what an office keeps of its members beside that (``State``, ``FIDE id``, ``Member until`` …). A
JSON list of objects as the players of an event file. The members of the ratings API, one or several. A saved page of
US Chess with the details or the tournament history of one member.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple, Protocol

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats import FaultList, member_pages
from crosstable.formats.columns import COLUMNS, background_of, column_of
from crosstable.formats.event_json import background_from, refuse_unread
from crosstable.formats.json_fields import Fields, in_short, load_json
from crosstable.formats.ratings_api import full_name, member_background
from crosstable.formats.refused_columns import is_rated_otherwise, refuse_games, refuse_misspelt, refuse_ratings
from crosstable.formats.sheet_rows import Cells, Row, columns_of, csv_rows, tidy_title
from crosstable.notation import tidy_member_id
from crosstable.terms import Background

TEMPLATE = """\
Member ID,Name,State,Member until,FIDE id,FIDE flag,CFC id,Birth date,Adult,Canadian resident,OTBR rating,OTBR games,\
OTBR as of,OTBR wins,OTBR draws,OTBR losses,OTBR events,OTBR peak,OTBR floor,OTBR published,Quick rating,Quick games,\
Quick as of,FIDE rating,FIDE as of,CFC rating,CFC as of
12345678,"Player, One",TX,2027-03-31,,,,2014-02-03,no,no,554.22,120,2026-07-01,60,5,55,30,701.5,,550,546.49,,,,,,
12345679,"Player, Two",OH,,200001,USA,,1961-11-20,yes,no,2205,,2026-07-01,,,,,2251,2000 money,2206,,,,2150,2026-07-01,,
12345680,"Player, Three",,,,,100123,,,yes,,,,,,,,,,,,,,,,1300,2025-12-01
"""

LARGEST = 20_000_000
MOST_ROWS = 100_000
_SHARED = ("name", "member id", "state", "fide flag", "member")
_OWN = {
    "fide id": ("fide id", "fide no", "fide number", "fin"),
    "cfc id": ("cfc id", "cfc no", "cfc number"),
    "member until": (
        *("member until", "membership until", "member expires", "membership expires"),
        *("expires", "expiration", "expiration date", "exp date", "paid until"),
    ),
}
# As US Chess's rating lists and the tables of pairing programs call them.
_OF_LISTS = {
    "member id": ("r mem id",),
    "name": ("mem name", "r mem name"),
    "state": ("r state",),
    "member until": ("expired", "r exp date", "expiry"),
    "fide id": ("fideid",),
    "fide flag": ("federation",),
    "birth year": ("byear",),
    "OTBR rating": ("r lpb rat", "r rating1", "rtgreg"),
    "OTBQ rating": ("q lpb rat", "r rating2"),
    "OTBB rating": ("b lpb rat",),
    "OLR rating": ("onl r rtg",),
    "OLQ rating": ("onl q rtg",),
    "OLB rating": ("onl b rtg",),
}
_TITLES = {title: column for column in _SHARED for title in COLUMNS[column]} | {
    title: column for known in (_OWN, _OF_LISTS) for column, titles in known.items() for title in titles
}
NAME_SYSTEM = "Say which rating it is, like Regular rating or Quick rating, or delete the column."
# Titles of numbers that are none.
_NO_RATING = re.compile(r"\b(?:year|joined|since|zip|phone|street|house|no|number|grade|age)\b")
_DETAILS = ("state", "fide_id", "cfc_id", "fide_flag")


class MemberDetails(NamedTuple):
    """What an office keeps of a member and no rating needs."""

    state: str = ""
    fide_id: str = ""
    cfc_id: str = ""
    fide_flag: str = ""
    member_until: date | None = None


class MemberSource(Protocol):
    """Where ratings before an event come from: a members file, a rating list, the ratings API."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    @property
    def federation(self) -> str:
        """Whose ids it has, if not US Chess's."""

    def of(self, ids: Collection[str], /) -> "MembersFile":
        """What it says of some ids."""


class MembersFile(NamedTuple):
    """What a members file says, by member id, where each member stands in it, and every fault of its shape."""

    backgrounds: Mapping[str, Background]
    names: Mapping[str, str]
    faults: tuple[Fault, ...]
    details: Mapping[str, MemberDetails] = {}
    places: Mapping[str, str] = {}
    name: str = ""

    @property
    def federation(self) -> str:
        """Whose ids these are, if not US Chess's; a rating list may be another federation's."""
        return ""

    def of(self, _ids: Collection[str]) -> "MembersFile":
        """What the file says of some ids: it is small enough to give all it has."""
        return self


def read(data: bytes, name: str) -> MembersFile:
    """Read a members file; raises ``FormatError`` where it is none of the four forms."""
    if len(data) > LARGEST:
        raise FormatError(fault("not-readable", name, f"The file is larger than {LARGEST // 1_000_000} MB."))
    found = _Members(name)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        value, faults = load_json(data, name)
        found.faults.extend(faults)
        _take_json(found, value)
    elif member_pages.looks_like(data):
        page = member_pages.read(data, name)
        found.add(page.member_id, page.name, page.background, MemberDetails(), name)
    else:
        _take_rows(found, csv_rows(data, name, title_score, MOST_ROWS))
    return found.closed()


def read_table(rows: Sequence[Row], name: str) -> MembersFile:
    """A members file of rows, the first of them its titles."""
    found = _Members(name)
    _take_rows(found, rows)
    return found.closed()


class _Members:
    """The members while the file is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.faults = FaultList()
        self.backgrounds: dict[str, Background] = {}
        self.names: dict[str, str] = {}
        self.details: dict[str, MemberDetails] = {}
        self.places: dict[str, str] = {}

    def closed(self) -> MembersFile:
        """The file, read to its end."""
        faults = self.faults.closed(self.name)
        return MembersFile(self.backgrounds, self.names, faults, self.details, self.places, self.name)

    def add(self, member_id: str, name: str, background: Background, details: MemberDetails, place: str) -> None:
        """Keep a member, unless their id is missing or was there before."""
        if not member_id:
            self.faults.append(fault("missing-field", place, "The member id is missing."))
        elif member_id in self.backgrounds:
            message = f"Member {in_short(member_id)} stands in the file twice; this one was ignored."
            self.faults.append(fault("bad-value", place, message, "Keep one of the two."))
        else:
            self.backgrounds[member_id] = background
            self.details[member_id] = details
            self.places[member_id] = place
            if name:
                self.names[member_id] = name


def column_of_members(title: str) -> str:
    """The name under which a column of a members file is known here, or nothing."""
    return _TITLES.get(tidy_title(title)) or column_of(title)


def title_score(cells: Sequence[str]) -> int:
    """How many columns of a members file a row names; 0 where it names no member id, or nothing else."""
    if not any(_TITLES.get(tidy_title(cell)) == "member id" for cell in cells):
        return 0
    found = len({column_of_members(cell) for cell in cells} - {""})
    return found if found > 1 else 0


def _take_rows(found: _Members, rows: Sequence[Row]) -> None:
    columns: dict[str, int] = {}
    titles: Sequence[str] = ()
    for at, row in enumerate(rows):
        if not columns:
            if title_score(row.cells):
                named = _without_ratings(row, rows[at + 1 :], found.faults)
                titles, columns = row.cells, columns_of(named, column_of_members, found.faults)
            else:
                message = "The row stands above the titles and was left out."
                found.faults.append(fault("ignored-record", row.place, message))
            continue
        cells = Cells(row, titles, columns, found.faults)
        cells.report_unnamed()
        texts = {name: cells.text(name.replace("_", " ")) for name in _DETAILS}
        details = MemberDetails(**texts, member_until=cells.day("member until"))
        background = background_of(cells)
        member_id = tidy_member_id(cells.text("member id"))
        if not member_id and background == Background():
            found.faults.append(fault("ignored-record", row.place, "The row has no member id and was left out."))
        else:
            found.add(member_id, cells.text("name"), background, details, row.place)


def _without_ratings(row: Row, rows: Sequence[Row], faults: list[Fault]) -> Row:
    """The titles without those of columns that may be ratings of a system that nobody has named: these are errors.

    Otherwise everybody in the file would be unrated, or rated as if the games behind their rating were not known.
    """
    columns = {column_of_members(title): at for at, title in enumerate(row.cells)}
    kept = list(row.cells)
    for at, title in enumerate(row.cells):
        tidy = tidy_title(title)
        if tidy in COLUMNS["games"] and not column_of_members(title):
            refuse_games({**columns, "games": at}, row, rows, faults)
        if not tidy or column_of_members(title):
            continue
        before = len(faults)
        values = [one.cells[at].strip() for one in rows if len(one.cells) > at and one.cells[at].strip()]
        if refuse_misspelt(title, values, columns, row.place, faults):
            kept[at] = ""
            continue
        if _NO_RATING.search(tidy) or is_rated_otherwise(title, columns):
            continue
        refuse_ratings(title, values, row.place, faults, NAME_SYSTEM)
        kept[at] = title if len(faults) == before else ""
    return row._replace(cells=tuple(kept))


def _take_json(found: _Members, value: object) -> None:
    """A list of members, an object that holds one under ``members`` or ``items``, or one member."""
    top = Fields({"members": value} if isinstance(value, list) else value, "", found.faults)
    listed = next((key for key in ("members", "items") if key in top), "")
    if top.flag("hasNextPage"):
        found.faults.append(fault("damaged-file", found.name, "The members are one page of several."))
    for fields in top.each(listed) if listed else [top]:
        place = fields.place or found.name
        if isinstance(fields.raw("ratings"), list):
            details = MemberDetails(state=fields.text("stateRep"))
            found.add(fields.text("id"), full_name(fields), member_background(fields), details, place)
        else:
            texts = {name: fields.text(name) for name in _DETAILS}
            details = MemberDetails(**texts, member_until=fields.day("member_until"))
            found.add(fields.text("member_id"), fields.text("name"), background_from(fields), details, place)
            refuse_unread(fields)
            fields.warn_of_unknown(also=("number", "rounds", "posted", "pairing_rating", "details"))

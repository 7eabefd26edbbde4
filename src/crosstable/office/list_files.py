"""Published lists and top lists as files, CSV to DBF: a row per member, all six systems side by side.

What is written is what the office has frozen: official ratings are whole numbers for everybody. A
file that was handed out is held against the record, also where people on it were erased since: what it says of them is
put in the place of what is gone, and the digest that was published with the supplement proves that it is the same.
"""

import csv
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection

from crosstable.errors import FormatError, OfficeError, install_line
from crosstable.faults import fault
from crosstable.formats import dbf
from crosstable.formats.sheet_rows import as_text, csv_bytes, defused, undefused
from crosstable.formats.uschess_2c import in_plain_letters
from crosstable.formats.workbook import sheets_of
from crosstable.limits import MEMBER_ID_DIGITS
from crosstable.office.erasing import ERASED
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import digest_of_rows
from crosstable.office.public import Shown
from crosstable.office.published import CENTRAL
from crosstable.office.supplements import Basis, ListRow, Supplement, published_rows, supplements
from crosstable.office.top_lists import TopList
from crosstable.output.words import printable
from crosstable.terms import RatingSystem

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]

Value = str | float | int | bool | None
UNRATED = "Unrated"
_CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # the same list gives the same bytes
_WIDTHS = {"name": 28, "member_id": 11, "fide_id": 11}
_USUAL_WIDTH = 9
_NAME_WIDTH = 32
BASES = {
    Basis.RULE: "what was rated by the cut-off",
    Basis.PLAYED: "what was played by the cut-off",
    Basis.NOW: "everything rated until then",
}


class ListMember(NamedTuple):
    """A member's row: who they are, and their rating in every system that the list has for them."""

    member_id: str
    name: str
    state: str
    fide_id: str
    ratings: Mapping[RatingSystem, Shown]


class ListTable(NamedTuple):
    """A published list as files show it: the heading as pairs of words, and a row per member, by name."""

    title: str
    heading: Sequence[tuple[str, str]]
    members: Sequence[ListMember]


def list_table(connection: Connection, month: str) -> ListTable:
    """The published list of a month."""
    listed = _supplement(connection, month)
    rows = published_rows(connection, month)
    people = Record(connection, listed.act).people({row.member_id for row in rows})
    by_member: dict[str, list[ListRow]] = {}
    for row in rows:
        by_member.setdefault(row.member_id, []).append(row)
    members = [
        ListMember(
            member_id,
            mine[0].name,
            mine[0].state,
            people[member_id].fide_id if member_id in people else "",
            {row.system: Shown(float(row.rating), row.games, row.is_provisional) for row in mine},
        )
        for member_id, mine in by_member.items()
    ]
    members.sort(key=lambda member: (member.name.casefold(), member.member_id))
    return ListTable(f"Ratings of {month}", _heading(listed), members)


def _supplement(connection: Connection, month: str) -> Supplement:
    for one in supplements(connection):
        if one.month == month:
            return one
    raise OfficeError(f"the list of {month} is not published")


def _heading(listed: Supplement) -> list[tuple[str, str]]:
    return [
        ("month", listed.month),
        ("basis", f"{listed.basis.value} ({BASES[listed.basis]})"),
        ("cut-off", f"{listed.cut_off.astimezone(CENTRAL):%Y-%m-%d %H:%M} Central"),
        ("ratings", str(listed.rows)),
        ("digest", listed.digest),
        ("head of the record", listed.head),
    ]


# What stands in the columns.


def columns() -> list[str]:
    """The titles: who, then for each system its rating, games and provisional mark."""
    found = ["member_id", "name", "state", "fide_id"]
    for system in RatingSystem:
        found += [f"{system.name}_{what}" for what in ("rating", "games", "provisional")]
    return found


def values_of(member: ListMember) -> dict[str, Value]:
    """A member's row; texts are printable, numbers are numbers, what is not there is missing."""
    found: dict[str, Value] = {
        "member_id": printable(member.member_id),
        "name": printable(member.name),
        "state": printable(member.state),
        "fide_id": printable(member.fide_id),
    }
    for system, shown in member.ratings.items():
        found[f"{system.name}_rating"] = int(shown.rating)
        found[f"{system.name}_games"] = shown.games
        found[f"{system.name}_provisional"] = "P" if shown.is_provisional else None
    return found


# Files of a list.


def list_csv(table: ListTable) -> bytes:
    """The list with commas and a row of titles; no cell of it begins a formula."""
    return csv_bytes(_with_titles(columns(), (values_of(member) for member in table.members)))


def list_xlsx(table: ListTable) -> bytes:
    """The list as a workbook, with the heading on a sheet of its own; raises ``FormatError`` without xlsxwriter."""
    rows = [values_of(member) for member in table.members]
    return _workbook(table.title, columns(), rows, table.heading)


def list_parquet(table: ListTable) -> bytes:
    """The list as a Parquet file, the heading in its metadata; raises ``FormatError`` without polars."""
    rows = [values_of(member) for member in table.members]
    return _parquet(columns(), rows, table.heading)


def list_text(table: ListTable) -> str:
    """The list for people: ratings as crosstables print them, ``Unrated`` where there is none."""
    titles = ("Name", "Member", "State", "FIDE id", *(system.name for system in RatingSystem))
    rows = [
        (
            printable(member.name)[:_NAME_WIDTH],
            printable(member.member_id),
            printable(member.state),
            printable(member.fide_id),
            *(member.ratings[system].text if system in member.ratings else UNRATED for system in RatingSystem),
        )
        for member in table.members
    ]
    return _text(table.title, table.heading, titles, rows)


# Files that pairing programs load. The names and the order of the fields are those of the table that US Chess gave to
# SwissSys and WinTD (TARATSUP.DBF): Regular is the eighth field and Quick the eleventh, for programs that count.

_DBF_RATINGS = {
    **{RatingSystem.OTBR: "R_LPB_RAT", RatingSystem.OTBQ: "Q_LPB_RAT", RatingSystem.OTBB: "B_LPB_RAT"},
    **{RatingSystem.OLR: "ONL_R_RTG", RatingSystem.OLQ: "ONL_Q_RTG", RatingSystem.OLB: "ONL_B_RTG"},
}
_DBF_FIELDS = (
    *(("MEM_ID", 8), ("MEM_NAME", _NAME_WIDTH), ("EXPIRED", 8), ("STATE", 2)),
    *(("FIDE_ID", 10), ("FEDERATION", 3), ("TITLE", 3), ("R_LPB_RAT", 8), ("R_TYPE", 1), ("R_LISTED", 7)),
    *(("Q_LPB_RAT", 8), ("Q_TYPE", 1), ("B_LPB_RAT", 8), ("ONL_R_RTG", 8), ("ONL_Q_RTG", 8), ("ONL_B_RTG", 8)),
)


def list_dbf(table: ListTable) -> bytes:
    """The list as the table that SwissSys and WinTD load: plain letters, names cut, no memberships.

    Members whose id is longer than US Chess's stay out of it: no pairing program could find them.
    """
    month = date.fromisoformat(f"{dict(table.heading)['month']}-01")
    fields = [dbf.Field(name, "C", width) for name, width in _DBF_FIELDS]
    members = [_for_pairing(member) for member in table.members if len(member.member_id) <= MEMBER_ID_DIGITS]
    fitting = [{name: in_plain_letters(row.get(name, ""))[:width] for name, width in _DBF_FIELDS} for row in members]
    for row in fitting:
        row["R_LISTED"] = f"{month:%Y-%m}"
    return dbf.write("ratings", fields, fitting, month)


def list_tsv(table: ListTable) -> bytes:
    """The list as the text with tabs and without titles that pairing programs load: name, id, two blanks, ratings."""
    rows = map(_for_pairing, table.members)
    columns = ("MEM_NAME", "MEM_ID", "EXPIRED", "STATE", *_DBF_RATINGS.values())
    lines = ["\t".join(row.get(column, "").replace("\t", " ") for column in columns) for row in rows]
    return "".join(f"{line}\r\n" for line in lines).encode()


def _for_pairing(member: ListMember) -> dict[str, str]:
    """A member as pairing programs know them; games stand behind a provisional rating: ``1641/17``."""
    ratings = {}
    for system, shown in member.ratings.items():
        games = f"/{shown.games:.0f}" if shown.is_provisional and shown.games else ""
        ratings[_DBF_RATINGS[system]] = f"{shown.rating:.0f}{games}"
    kinds = {RatingSystem.OTBR: "R_TYPE", RatingSystem.OTBQ: "Q_TYPE"}
    types = {kinds[one]: "P" if shown.is_provisional else "E" for one, shown in member.ratings.items() if one in kinds}
    who = {"MEM_ID": member.member_id, "MEM_NAME": member.name, "STATE": member.state, "FIDE_ID": member.fide_id}
    return {name: printable(text) for name, text in {**who, **ratings, **types}.items()}


# Every form in which a list is written, by the end of the file's name.
FORMS: Mapping[str, Callable[[ListTable], bytes | str]] = {
    ".csv": list_csv,
    ".xlsx": list_xlsx,
    ".parquet": list_parquet,
    ".txt": list_text,
    ".dbf": list_dbf,
    ".tsv": list_tsv,
}


def parts_of(form: str, content: bytes) -> object:
    """What two files with the same list have in common, whichever version of a library wrote them."""
    reader = {".parquet": _parquet_parts, ".xlsx": _workbook_parts}.get(form)
    if reader is None:
        return content
    try:
        return reader(content)
    except OfficeError:  # a library is missing
        raise
    except Exception:  # whatever a reader says of a damaged file: it is not the list
        return content


def _parquet_parts(content: bytes) -> object:
    try:
        import polars
    except ImportError as error:
        raise OfficeError(f"polars is not installed; Parquet files need it: {install_line('site')}") from error
    head = polars.read_parquet_metadata(io.BytesIO(content))
    about = {name: head.get(name) for name in ("month", "digest", "head of the record")}
    return about, polars.read_parquet(io.BytesIO(content)).rows()


def _workbook_parts(content: bytes) -> object:
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    return list(sheets_of(parts))


# Files of a top list.

_TOP_COLUMNS = ("rank", "member_id", "name", "state", "rating", "games", "provisional")


def top_csv(top: TopList) -> bytes:
    """A top list with commas and a row of titles."""
    return csv_bytes(_with_titles(_TOP_COLUMNS, _top_values(top)))


def top_xlsx(top: TopList) -> bytes:
    """A top list as a workbook; raises ``FormatError`` without xlsxwriter."""
    return _workbook(top.title, _TOP_COLUMNS, list(_top_values(top)), _top_heading(top))


def top_parquet(top: TopList) -> bytes:
    """A top list as a Parquet file; raises ``FormatError`` without polars."""
    return _parquet(_TOP_COLUMNS, list(_top_values(top)), _top_heading(top))


def top_text(top: TopList) -> str:
    """A top list for people."""
    rows = [
        (
            str(row.rank),
            Shown(float(row.rating), row.games, row.is_provisional).text,
            printable(row.name)[:_NAME_WIDTH],
            printable(row.state),
            printable(row.member_id),
        )
        for row in top.rows
    ]
    return _text(top.title, _top_heading(top), ("Rank", "Rating", "Name", "State", "Member"), rows)


def _top_heading(top: TopList) -> list[tuple[str, str]]:
    return [("month", top.month), ("rows", str(len(top.rows))), ("digest of the list", top.digest)]


def _top_values(top: TopList) -> Iterator[dict[str, Value]]:
    for row in top.rows:
        yield {
            "rank": row.rank,
            "member_id": printable(row.member_id),
            "name": printable(row.name),
            "state": printable(row.state),
            "rating": row.rating,
            "games": row.games,
            "provisional": "P" if row.is_provisional else None,
        }


# The four forms.


def _with_titles(titles: Sequence[str], rows: Iterable[Mapping[str, Value]]) -> Iterator[Sequence[str]]:
    yield titles
    for row in rows:
        yield [as_text(row.get(title)) for title in titles]


def _text(title: str, heading: Sequence[tuple[str, str]], titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    table = [titles, *rows]
    widths = [max(len(row[at]) for row in table) for at in range(len(titles))]
    lines = [title, *(f"{name}: {value}" for name, value in heading), ""]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    return "\n".join(lines) + "\n"


def _workbook(
    title: str, titles: Sequence[str], rows: Sequence[Mapping[str, Value]], heading: Sequence[tuple[str, str]]
) -> bytes:
    try:
        from xlsxwriter import Workbook  # type: ignore[import-untyped]
    except ImportError as error:
        message = "Workbooks are written with xlsxwriter, which is not installed."
        raise FormatError(fault("not-readable", "workbook", message, "Type: pip install xlsxwriter")) from error
    made = io.BytesIO()
    with Workbook(made, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as workbook:
        workbook.set_properties({"title": title, "created": _CREATED})
        bold = workbook.add_format({"bold": True, "bottom": 1})
        sheet = workbook.add_worksheet("ratings")
        for at, name in enumerate(titles):
            sheet.write_string(0, at, name, bold)
            sheet.set_column(at, at, _WIDTHS.get(name, _USUAL_WIDTH))
            for row, values in enumerate(rows, start=1):
                _write(sheet, row, at, values.get(name))
        sheet.freeze_panes(1, 2)
        sheet.autofilter(0, 0, len(rows), len(titles) - 1)
        sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{len(rows) + 1}"})
        about = workbook.add_worksheet("about")
        about.set_column(0, 1, _WIDTHS["name"])
        for row, (name, value) in enumerate((("list", title), *heading)):
            about.write_string(row, 0, name, bold)
            about.write_string(row, 1, value)
    return made.getvalue()


def _write(sheet: "Worksheet", row: int, column: int, value: Value) -> None:
    if isinstance(value, str):
        sheet.write_string(row, column, defused(value))
    elif value is not None:
        sheet.write_number(row, column, value)


def _parquet(titles: Sequence[str], rows: Sequence[Mapping[str, Value]], heading: Sequence[tuple[str, str]]) -> bytes:
    try:
        import polars
    except ImportError as error:
        message = "Parquet files are written with polars, which is not installed."
        raise FormatError(fault("not-readable", "Parquet", message, f"Type: {install_line('history')}")) from error
    whole, real = ("rank", "rating"), ("games",)
    kinds = {
        title: polars.Int64
        if title.split("_")[-1] in whole
        else polars.Float64
        if title.split("_")[-1] in real
        else polars.String
        for title in titles
    }
    frame = polars.DataFrame({title: [row.get(title) for row in rows] for title in titles}, schema=kinds)
    made = io.BytesIO()
    frame.write_parquet(made, metadata=dict(heading))
    return made.getvalue()


_SAID = ("member_id", "name", "state", "fide_id")
# Forms whose names may be cut, so that nothing can be put in the place of an erased one.
_CUT = (".txt", ".dbf")


class Said(NamedTuple):
    """What a file says of a person."""

    name: str
    state: str
    fide_id: str


def is_that_list(connection: Connection, made: Supplement, form: str, content: bytes) -> bool:
    """Whether a file is a published supplement, in the form that its ending says."""
    table = list_table(connection, made.month)
    erased = {one.member_id for one in table.members if one.name == ERASED}
    if erased and form in _CUT:
        return _rest_of(form, content, erased) == _rest_of(form, _written(form, table), erased)
    if erased:
        said = {key: value for key, value in _said_of(form, content) if key in erased}
        if said.keys() != erased or not _has_digest(connection, made, said):
            return False
        members = [
            one._replace(**said[one.member_id]._asdict()) if one.member_id in erased else one for one in table.members
        ]
        members.sort(key=lambda member: (member.name.casefold(), member.member_id))
        table = table._replace(members=members)
    return parts_of(form, content) == parts_of(form, _written(form, table))


def _written(form: str, table: ListTable) -> bytes:
    made = FORMS[form](table)
    return made.encode() if isinstance(made, str) else made


def _has_digest(connection: Connection, made: Supplement, said: Mapping[str, Said]) -> bool:
    rows = [
        row._replace(name=said[row.member_id].name, state=said[row.member_id].state) if row.name == ERASED else row
        for row in published_rows(connection, made.month)
    ]
    written = [{"month": made.month, **row._asdict(), "system": int(row.system)} for row in rows]
    return digest_of_rows(written) == made.digest


def _said_of(form: str, content: bytes) -> Iterator[tuple[str, Said]]:
    """What a file says of everybody, by id."""
    for row in _rows_of(form, content):
        texts = [str(cell or "") for cell in row]
        yield texts[0], Said(*map(undefused, texts[1:4]))


def _rows_of(form: str, content: bytes) -> Iterable[Sequence[Any]]:
    """The rows of a file, each with the id, the name, the state and the FIDE id first."""
    if form == ".tsv":
        lines = (line.split("\t") for line in content.decode("utf-8", "replace").splitlines())
        return [(one[1], one[0], one[3], "") for one in lines if len(one) > 3]
    if form == ".csv":
        return list(csv.reader(io.StringIO(content.decode("utf-8-sig", "replace"))))
    parts = parts_of(form, content)
    if not isinstance(parts, tuple | list):
        return []  # nothing that could be read
    if form == ".parquet":
        return list(parts[1])
    titles = columns()[: len(_SAID)]
    sheets = [list(rows) for _, rows in parts]
    return [row[:4] for rows in sheets if rows and list(rows[0][:4]) == titles for row in rows[1:]]


def _rest_of(form: str, content: bytes, erased: set[str]) -> list[list[bytes]]:
    """The lines or records of everybody else, however wide their columns are."""
    ids = {one.encode() for one in erased}
    if form == ".dbf":
        start, size = int.from_bytes(content[8:10], "little"), int.from_bytes(content[10:12], "little") or 1
        records = [content[at : at + size] for at in range(start, len(content) - 1, size)]
        return [[one] for one in records if one[1 : 1 + MEMBER_ID_DIGITS].strip() not in ids]
    found = [line.split() for line in content.splitlines()]
    return [one for one in found if not ids & {*one} and any(set(word) - set(b"-") for word in one)]

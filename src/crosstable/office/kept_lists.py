"""A file with a supplement that was handed out, against the record: also where people on it were erased since.

Of an erased person the record has no name any more. What the file says of them is put in its place, and the digest of
the supplement, which was published with it, proves that it is what was published.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from crosstable.formats.sheet_rows import undefused
from crosstable.limits import MEMBER_ID_DIGITS
from crosstable.office.erasing import ERASED
from crosstable.office.ledger.journal import digest_of_rows
from crosstable.office.list_files import FORMS, ListTable, columns, list_table, parts_of
from crosstable.office.supplements import Supplement, published_rows

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

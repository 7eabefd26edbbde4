"""Offices that older programs made, kept as text, and the story that each of them tells.

``tests/office/kept/office-0001.json`` has every row of an office of schema 0001 as the program of that schema wrote it,
and so on. ``story`` is what was done in them: done today, it makes an office with the same facts.
"""

import base64
import hashlib
import json
import zipfile
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Date, LargeBinary, MetaData, Table, insert

from crosstable.office import account_tables
from crosstable.office.backups import FORMAT
from crosstable.office.corrections import ChangedResult, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.founding import migrate
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.members import merge_members, unmerge_members
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.terms import OutsideRating, RatingSystem, SectionType
from tests.engine.wallcharts import Played
from tests.office.made_office import (
    AUTHOR,
    club_members,
    enter,
    join,
    member_id,
    opening,
    person,
    quad,
    report,
    run,
    section,
    send,
)

KEPT = Path(__file__).parent / "kept"
SCHEMAS = sorted(path.stem.removeprefix("office-") for path in KEPT.glob("office-*.json"))
TODAY = date(2026, 11, 15)
OTBR = RatingSystem.OTBR


def story(office: Office) -> None:
    """Members, sections of several kinds, corrections, merges, decisions, three runs and a supplement."""
    people, openings = club_members()
    fide = (OutsideRating(1650.0, date(2024, 1, 1)), OutsideRating(1700.0, date(2025, 1, 1)))
    child = person(9, birth_date=date(2014, 3, 9))
    join(office, [*people, child, person(10, adult=True), person(11, fide=fide, fide_flag="USA")], openings)
    join(office, [], [opening(11, 1750.0, 30.0, as_of=date(2024, 6, 1), peak=1790.0, peak_since_2010=1790.0)])
    decide(office, AUTHOR, Ruling(DecisionKind.OPT_IN, member_id(11), effective=date(2024, 6, 1)))
    run(office)
    swiss = section("1 | W2 D9\n2 | L1 W4\n4 | U L2\n9 =9 | B D1", Played(start=date(2025, 2, 8), control="G/30;d5"))
    match = Played(start=date(2025, 3, 1), end=date(2025, 3, 2), kind=SectionType.MATCH)
    abroad = Played(start=date(2025, 4, 4), end=date(2025, 4, 9), kind=SectionType.FOREIGN_FIDE, control="G/90;+30")
    enter(office, quad("q"), report("s", swiss))
    enter(office, report("m", section("1 =5 | W2 W2 W2\n2 =6 | L1 L1 L1", match)))
    chart = "1 =11 | W2 D3 | rate fide=1700\n2 =77 | L1 U | fide=1800\n3 =78 | U D1 | fide=1900"
    enter(office, report("f", section(chart, abroad)))
    send(office, quad("h", Played(start=date(2025, 5, 3)), "1 | W2\n2 =99 | L1"))
    enter(office, quad("w", Played(start=date(2025, 5, 10))))
    run(office)
    correct_result(office, AUTHOR, "q", ChangedResult(1, 1, 1, "D2"), TODAY)
    withdraw(office, AUTHOR, "w")
    decide(office, AUTHOR, Ruling(DecisionKind.FLOOR, member_id(3), OTBR, date(2025, 6, 1), 1500.0))
    revoked = decide(office, AUTHOR, Ruling(DecisionKind.CEILING, member_id(2), OTBR, date(2025, 6, 1), 1400.0))
    decide(office, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": revoked}))
    adjusted = Ruling(DecisionKind.ADJUST, member_id(7), OTBR, date(2025, 6, 2), 1850.0, details={"games": 12})
    decide(office, AUTHOR, adjusted)
    chart = "1 =10 | W2 D3 W4\n2 =3 | L1 L4 L3\n3 =7 | L4 D1 W2\n4 =11 | W3 W2 L1"
    enter(office, quad("z", Played(start=date(2025, 7, 5)), chart))
    merge_members(office, AUTHOR, member_id(10), member_id(8))
    merge_members(office, AUTHOR, member_id(6), member_id(7))
    unmerge_members(office, AUTHOR, member_id(6))
    set_fact(office, AUTHOR, member_id(8), {"birth_date": date(1971, 2, 3), "state": "NJ"})
    run(office)
    publish(office, AUTHOR, Month(2026, 11), Basis.NOW)


def rows_kept(schema: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of the office of a schema, by table; days are texts, and contents of files are in base64."""
    kept = json.loads((KEPT / f"office-{schema}.json").read_text("utf-8"))
    assert kept["schema"] == schema
    tables: dict[str, Any] = kept["tables"]
    return {
        name: [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]] for name, table in tables.items()
    }


def head_kept(rows: dict[str, list[dict[str, Any]]]) -> str:
    """The hash of the newest entry, which schema 0005 moved into a table of its own."""
    return str(rows.get("commitment", rows["act"])[-1]["digest"])


def place(address: str, schema: str) -> None:
    """Put the office of a schema where there is none, as the program of that schema left it."""
    with closing(Office(address)) as office, office.writing("a test", "an older office") as connection:
        migrate(connection, schema)
        for name, rows in rows_kept(schema).items():
            table = Table(name, MetaData(), autoload_with=connection)
            if rows:
                connection.execute(insert(table), [_typed(table, row) for row in rows])


def _typed(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    return {name: _value(table.c[name], value) for name, value in row.items()}


def _value(column: Column[Any], value: Any) -> Any:
    if value is not None and isinstance(column.type, Date):
        return date.fromisoformat(value)
    return base64.b64decode(value) if isinstance(column.type, LargeBinary) else value


def backed_up(schema: str, path: str) -> None:
    """Write the office of a schema as the backup that the program of that schema would have made."""
    rows = rows_kept(schema)
    lines = {
        name: b"".join(json.dumps(list(row.values()), ensure_ascii=False).encode() + b"\n" for row in rows[name])
        for name in sorted(rows.keys() - account_tables.metadata.tables.keys() - {"kept_veils"})
    }
    manifest = {
        "format": FORMAT,
        "schema": schema,
        "head": head_kept(rows),
        "acts": len(rows["act"]),
        "rows": {name: len(rows[name]) for name in lines},
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in lines.items()},
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in lines.items():
            archive.writestr(f"{name}.jsonl", content)
        archive.writestr("manifest.json", json.dumps(manifest))

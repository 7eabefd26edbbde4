"""``office supplements``: which are published, one of them as a table or a file, and top lists by state or age."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crosstable.cli.files import FAULTY, USAGE
from crosstable.cli.office_desk import SYSTEMS, add_command, add_question_options, opened, size
from crosstable.cli.office_drawing import (
    Column,
    counted,
    games_count,
    print_json,
    print_table,
    say,
    standing_text,
    warn_of_faults,
)
from crosstable.errors import FormatError, OfficeError
from crosstable.office import list_files
from crosstable.office.ledger.acts import last_act_of
from crosstable.office.list_files import ListMember, ListTable, list_table
from crosstable.office.published import CENTRAL, month_of
from crosstable.office.supplements import Supplement, supplements
from crosstable.office.top_lists import AGE_BANDS, DEFAULT_SIZE, NOT_BY_STATE, TopList, Wanted, band_of, top_list
from crosstable.office.views import KnownOn
from crosstable.terms import RatingSystem

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from crosstable.cli.office_desk import Commands

LIST_COLUMNS = (
    Column("Month"),
    Column("Ratings", is_right=True),
    Column("Cut-off"),
    Column("By"),
    Column("Act", is_right=True),
    Column("Digest"),
)
RANKED_COLUMNS = (
    Column("Rank", is_right=True),
    Column("Rating", is_right=True),
    Column("Name"),
    Column("State"),
    Column("Member"),
)
FORMS: Mapping[str, tuple[Callable[[ListTable], bytes | str], Callable[[TopList], bytes | str]]] = {
    ".csv": (list_files.list_csv, list_files.top_csv),
    ".xlsx": (list_files.list_xlsx, list_files.top_xlsx),
    ".parquet": (list_files.list_parquet, list_files.top_parquet),
    ".txt": (list_files.list_text, list_files.top_text),
}


def add_lists(commands: "Commands") -> None:
    """The command of this module."""
    made = add_command(
        commands,
        "supplements",
        "the published rating supplements, one of them, or a top list; as table or file",
        _lists,
    )
    made.epilog = (
        "With --top or --age it is a top list of one system: established ratings, ties share a rank. Ages are those "
        "of 1 January of the list's year; an age group is that of the whole list, without members who asked to be left "
        "out, and with people under 18 only where they asked for it (crosstable office members age-lists)."
    )
    made.add_argument("month", nargs="?", metavar="MONTH", help="the list of this month (default: which there are)")
    made.add_argument("--out", metavar="FILE", help=f"write it to a file: {', '.join(FORMS)}")
    made.add_argument("--system", choices=SYSTEMS, help="one system, highest rating first")
    made.add_argument("--state", help="only members of this state")
    made.add_argument("--top", type=size, metavar="N", help="the first so many, and those who tie with the last")
    made.add_argument("--age", metavar="BAND", help=f"one of: {', '.join(band.name for band in AGE_BANDS)}")
    made.add_argument("--provisional", action="store_true", help="provisional ratings too, on a top list")
    add_question_options(made)


def _lists(options: argparse.Namespace) -> int:
    wrong = _wrong_usage(options)
    if wrong:
        sys.stderr.write(f"crosstable office supplements: {wrong}\n")
        return USAGE
    if options.month is None:
        return _every_list(options)
    month = str(month_of(options.month))
    with opened(options) as office, office.reading() as connection:
        listed = _published(connection, month, options.known_on)
        if options.top is not None or options.age is not None:
            top = top_list(connection, month, _wanted(options))
            if options.out:
                return _write(options.out, top.title, lambda form: form[1](top))
            return _print_top(top, options)
        table = _narrowed(list_table(connection, month), options)
        if options.out:
            return _write(options.out, table.title, lambda form: form[0](table))
        return _print_list(listed, table, options)


def _wrong_usage(options: argparse.Namespace) -> str:
    if options.month is None and (options.out or options.system or options.state or options.top or options.age):
        return "say which list: its MONTH, like 2026-12"
    if options.out and os.path.splitext(options.out)[1].lower() not in FORMS:
        return f"--out {options.out}: the name of the file must end in {', '.join(FORMS)}"
    if options.age and options.state:
        return f"--age and --state do not go together: {NOT_BY_STATE}"
    return ""


def _write(path: str, title: str, written: Callable[[Any], bytes | str]) -> int:
    """A list into a file, in the form that the name of the file asks for."""
    try:
        made = written(FORMS[os.path.splitext(path)[1].lower()])
    except FormatError as error:
        warn_of_faults(path, [error.fault])
        return FAULTY
    with open(path, "wb") as file:
        file.write(made.encode() if isinstance(made, str) else made)
    say(f"{path}: {title}, {os.path.getsize(path):,} bytes")
    return 0


def _published(connection: "Connection", month: str, known_on: KnownOn) -> Supplement:
    through = last_act_of(connection, known_on)
    for one in supplements(connection):
        if one.month == month and one.act <= through:
            return one
    raise OfficeError(f"the list of {month} is not published; crosstable office supplements names those that are")


# Which lists there are


def _every_list(options: argparse.Namespace) -> int:
    with opened(options) as office, office.reading() as connection:
        through = last_act_of(connection, options.known_on)
        found = [one for one in supplements(connection) if one.act <= through]
    if options.json:
        print_json({"format": "crosstable-office-lists/1", "lists": [_heading(one) for one in found]})
    elif found:
        print_table(LIST_COLUMNS, [_list_row(one) for one in found])
    else:
        say("no list is published yet")
    return 0


def _list_row(one: Supplement) -> tuple[str, ...]:
    day = one.cut_off.astimezone(CENTRAL).date().isoformat()
    return one.month, f"{one.rows:,}", day, one.basis.value, str(one.act), one.digest[:16]


def _heading(one: Supplement) -> dict[str, object]:
    return {
        "month": one.month,
        "act": one.act,
        "cut_off": one.cut_off.isoformat(),
        "basis": one.basis.value,
        "rows": one.rows,
        "digest": one.digest,
        "head": one.head,
    }


# One list


def _narrowed(table: ListTable, options: argparse.Namespace) -> ListTable:
    """A list of one system or one state only."""
    state = (options.state or "").casefold()
    members = [member for member in table.members if not state or member.state.casefold() == state]
    heading = [*table.heading, *((("state", options.state),) if state else ())]
    if options.system:
        system = RatingSystem[options.system]
        members = [
            member._replace(ratings={system: member.ratings[system]}) for member in members if system in member.ratings
        ]
        members.sort(key=lambda member: (-member.ratings[system].rating, member.name.casefold(), member.member_id))
        heading.append(("system", system.name))
    return table._replace(members=members, heading=heading)


def _print_list(listed: Supplement, table: ListTable, options: argparse.Namespace) -> int:
    if options.json:
        print_json(_list_document(listed, table))
        return 0
    count = counted(sum(len(member.ratings) for member in table.members), "rating")
    say(f"{table.title}, {count}")
    systems = [system for system in RatingSystem if any(system in member.ratings for member in table.members)]
    rating_columns = [Column("Rating" if options.system else system.name, is_right=True) for system in systems]
    columns = (*rating_columns, Column("Name"), Column("State"), Column("Member"))
    rows = [
        (
            *(member.ratings[system].text if system in member.ratings else "" for system in systems),
            *(member.name, member.state, member.member_id),
        )
        for member in table.members
    ]
    if rows:
        print_table(columns, rows)
    return 0


def _list_document(listed: Supplement, table: ListTable) -> dict[str, object]:
    return {
        "format": "crosstable-office-list/1",
        **_heading(listed),
        "public": True,
        "members": [_member_object(member) for member in table.members],
    }


def _member_object(member: ListMember) -> dict[str, object]:
    return {
        "member": member.member_id,
        "name": member.name,
        "state": member.state,
        "ratings": {
            system.name: {
                "rating": int(shown.rating),
                "games": games_count(shown.games),
                "provisional": shown.is_provisional,
            }
            for system, shown in member.ratings.items()
        },
    }


# Top lists


def _wanted(options: argparse.Namespace) -> Wanted:
    return Wanted(
        system=RatingSystem[options.system or RatingSystem.OTBR.name],
        state=options.state or "",
        band=None if options.age is None else band_of(options.age),
        size=options.top or DEFAULT_SIZE,
        has_provisional=options.provisional,
    )


def _print_top(top: TopList, options: argparse.Namespace) -> int:
    if options.json:
        rows: Sequence[object] = [{**row._asdict(), "games": games_count(row.games)} for row in top.rows]
        print_json({"format": "crosstable-office-top/1", **top._asdict(), "rows": rows})
        return 0
    say(f"{top.title}, {top.month}")
    rows_shown = [
        (str(row.rank), standing_text(float(row.rating), row.games), row.name, row.state, row.member_id)
        for row in top.rows
    ]
    if rows_shown:
        print_table(RANKED_COLUMNS, rows_shown)
    else:
        say("nobody")
    return 0

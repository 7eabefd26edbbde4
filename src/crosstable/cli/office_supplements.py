"""``office publish``, ``supplements`` and ``outside-ratings``: official lists of a month, and FIDE's."""

import argparse
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from crosstable.cli.office_access import author_of, office_command, opened
from crosstable.cli.office_accounts import done_or_proposed, is_by_two, propose_facts
from crosstable.cli.office_changes import rate_and_tell
from crosstable.cli.office_ratings import games_count, posted_text
from crosstable.cli.options import Parser, Takes, add_command, add_commands, count, day, flag, option, take
from crosstable.cli.printing import columns, print_json, print_table, say, warn, warn_of_faults, write_files
from crosstable.errors import FAULTY, FormatError, OfficeError, RefusedError
from crosstable.formats import fide_list
from crosstable.office import list_files
from crosstable.office.ledger.journal import last_act_of
from crosstable.office.list_files import ListMember, ListTable, list_table
from crosstable.office.outside_ratings import Abroad, Candidate, ImportedList, import_fide_list
from crosstable.office.proposals import publication
from crosstable.office.published import CENTRAL, month_of
from crosstable.office.supplements import Basis, Supplement, left_out, require_publishable, supplements
from crosstable.office.top_lists import AGE_BANDS, DEFAULT_SIZE, NOT_BY_STATE, TopList, Wanted, band_of, top_list
from crosstable.sentences import american, counted
from crosstable.terms import RatingSystem

LIST_COLUMNS = columns("Month", ">Ratings", "Cut-off", "By", ">Entry", "Digest")
RANKED_COLUMNS = columns(">Rank", ">Rating", "Name", "State", "Member")
_TOPS: Mapping[str, Callable[[TopList], bytes | str]] = {
    ".csv": list_files.top_csv,
    ".xlsx": list_files.top_xlsx,
    ".parquet": list_files.top_parquet,
    ".txt": list_files.top_text,
}
FORMS: Mapping[str, tuple[Callable[[ListTable], bytes | str], Callable[[TopList], bytes | str] | None]] = {
    form: (written, _TOPS.get(form)) for form, written in list_files.FORMS.items()
}

FIDE = "FIDE"


def add_publish(made: Parser) -> None:
    """What ``office publish`` takes."""
    office_command(made, _publish, "--by", "--reason", "--account")
    option(made, "month MONTH", "the month of the supplement, like 2026-12")
    add_cut_off(made)


def add_cut_off(made: Takes) -> None:
    """What is in a supplement, and whether it may leave something out."""
    made.add_argument(
        "--cut-off",
        choices=[basis.value for basis in Basis],
        default=Basis.RULE.value,
        help="what it holds: what was rated by the cut-off, the third Wednesday of the month before (rule, the "
        "default); what was played by then, whenever it was rated (played); or everything rated until now (now)",
    )
    flag(made, "--anyway", "with played or now: also while entries wait for a rating run or sections are held")


def _publish(options: argparse.Namespace) -> None:
    month = month_of(options.month)
    basis = Basis(options.cut_off)
    with opened(options) as office:
        require_publishable(office, month, basis, anyway=options.anyway)
        with office.reading() as connection:
            waits = left_out(connection, month, basis)
        author = author_of(options, f"the supplement of {month}")
        act = done_or_proposed(office, options, publication(str(month), basis, anyway=options.anyway), author)
        if act is None:
            return
        with office.reading() as connection:
            made = next(one for one in supplements(connection) if one.act == act)
    day = made.cut_off.astimezone(CENTRAL).date()
    cut = f"cut off on {american(day)} ({basis.value}), entry {made.act}"
    say(f"the supplement of {made.month}: {counted(made.rows, 'rating')}, {cut}")
    say(f"digest {made.digest}")
    say(f"head of the journal {made.head}")
    if waits:
        warn(f"note: {waits}; what was not rated by the cut-off is not in it")


def add_supplements(made: Parser) -> None:
    """What ``office supplements`` takes."""
    office_command(
        made,
        _supplements,
        *("--known-on", "--json"),
        epilog="With --top or --age: a top list of one system with established ratings; ties share a rank. Ages are "
        "those of January 1 of the supplement's year. A list by age group is for the whole country or club. It leaves "
        "out members who asked for that, and lists people under 18 only where they asked for it (crosstable office "
        "members age-lists).",
    )
    option(made, "month MONTH", "show the supplement of this month (default: list all)", nargs="?")
    take(
        made,
        "--out",
        "--force",
        "--system",
        out=f"write it to a file ({', '.join(FORMS)}); SwissSys and WinTD load .dbf and .tsv",
        system="one rating system, highest rating first",
    )
    made.add_argument("--state", help="only members of this state")
    option(made, "--top N", "the top N, and everybody who ties with the last", type=count)
    option(made, "--age BAND", f"an age group: {', '.join(band.name for band in AGE_BANDS)}")
    flag(made, "--provisional", "include provisional ratings in a top list")


def _supplements(options: argparse.Namespace) -> int:
    if wrong := _wrong_usage(options):
        raise RefusedError(wrong)
    with opened(options) as office, office.reading() as connection:
        through = last_act_of(connection, options.known_on)
        published = {one.month: one for one in supplements(connection) if one.act <= through}
        if options.month is None:
            _print_headings(published, options)
            return 0
        month = str(month_of(options.month))
        if month not in published:
            raise OfficeError(
                f"the supplement of {month} is not published; crosstable office supplements lists those that are"
            )
        if options.top is not None or options.age is not None:
            top = top_list(connection, month, _wanted(options))
            if options.out:
                return _write(options, top.title, lambda form: form[1](top))
            _print_top(top, options)
        else:
            table = _narrowed(list_table(connection, month), options)
            if options.out:
                return _write(options, table.title, lambda form: form[0](table))
            _print_list(published[month], table, options)
    return 0


def _wrong_usage(options: argparse.Namespace) -> str:
    if options.month is None and (options.out or options.system or options.state or options.top or options.age):
        return "say which supplement: its MONTH, like 2026-12"
    if options.out and os.path.splitext(options.out)[1].lower() not in FORMS:
        return f"--out {options.out}: the name of the file must end in {', '.join(FORMS)}"
    is_top = options.top is not None or options.age is not None
    if options.out and is_top and FORMS[os.path.splitext(options.out)[1].lower()][1] is None:
        return f"--out {options.out}: pairing programs load whole supplements, no top lists"
    if options.age and options.state:
        return f"--age and --state do not go together: {NOT_BY_STATE}"
    return ""


def _write(options: argparse.Namespace, title: str, written: Callable[[Any], bytes | str]) -> int:
    """A list into a file, in the form that the name of the file asks for."""
    path = options.out
    try:
        made = written(FORMS[os.path.splitext(path)[1].lower()])
    except FormatError as error:
        warn_of_faults(path, [error.fault])
        return FAULTY
    write_files({path: made.encode() if isinstance(made, str) else made}, is_forced=options.force)
    say(f"{path}: {title}, {os.path.getsize(path):,} bytes")
    return 0


# Which lists there are


def _print_headings(published: Mapping[str, Supplement], options: argparse.Namespace) -> None:
    if options.json:
        headings = [_heading(one) for one in published.values()]
        print_json({"format": "crosstable-office-lists/1", "lists": headings})
    else:
        print_table(LIST_COLUMNS, [_list_row(one) for one in published.values()], "no supplement is published yet")


def _list_row(one: Supplement) -> tuple[str, ...]:
    day = one.cut_off.astimezone(CENTRAL).date().isoformat()
    return one.month, f"{one.rows:,}", day, one.basis.value, str(one.act), one.digest[:16]


def _heading(one: Supplement) -> dict[str, object]:
    same = ("month", "act", "rows", "digest", "head")
    fields = {name: getattr(one, name) for name in same}
    return {**fields, "cut_off": one.cut_off.isoformat(), "basis": one.basis.value}


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


def _print_list(listed: Supplement, table: ListTable, options: argparse.Namespace) -> None:
    if options.json:
        members = [_member_object(member) for member in table.members]
        print_json({"format": "crosstable-office-list/1", **_heading(listed), "public": True, "members": members})
        return
    say(f"{table.title}, {counted(sum(len(member.ratings) for member in table.members), 'rating')}")
    systems = [system for system in RatingSystem if any(system in member.ratings for member in table.members)]
    titles = [f">{'Rating' if options.system else system.name}" for system in systems]
    rows = [
        (
            *(member.ratings[system].text if system in member.ratings else "" for system in systems),
            *(member.name, member.state, member.member_id),
        )
        for member in table.members
    ]
    print_table(columns(*titles, "Name", "State", "Member"), rows)


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


def _print_top(top: TopList, options: argparse.Namespace) -> None:
    if options.json:
        rows = [{**row._asdict(), "games": games_count(row.games)} for row in top.rows]
        print_json({"format": "crosstable-office-top/1", **top._asdict(), "rows": rows})
        return
    say(f"{top.title}, {top.month}")
    shown = [
        (str(row.rank), posted_text(float(row.rating), row.games), row.name, row.state, row.member_id)
        for row in top.rows
    ]
    print_table(RANKED_COLUMNS, shown, "no members")


def add_outside_ratings(made: Parser) -> None:
    """What ``office outside-ratings`` takes."""
    group = add_commands(made)
    one = add_command(group, "import", "record the ratings and flags that FIDE's list of a month has of members")
    office_command(
        one,
        _import,
        *("--no-rate", "--json", "--by", "--reason", "--account"),
        epilog="Members are found by their FIDE id (office decide fact, or the members file). Give the standard or the "
        "combined list of ratings.fide.com as it is: TXT or XML, zipped or not. Prints who of the members played in "
        "the period and is rated abroad (2025 text §6). The same list again changes nothing. With --json nothing is "
        "rated yet: crosstable office rerate does.",
    )
    option(one, "file FILE", "the list")
    option(one, "--federation NAME", "whose list it is", choices=(FIDE,), required=True)
    option(one, "--date DATE", "the day from which the list holds", type=day, required=True)


def _import(options: argparse.Namespace) -> int:
    try:
        return _imported(options)
    except FormatError as error:
        warn_of_faults(options.file, [error.fault])
        raise RefusedError("nothing was stored", FAULTY) from error


def _imported(options: argparse.Namespace) -> int:
    with fide_list.opened(options.file) as found, opened(options) as office:
        if found.month is not None and found.month != options.date.replace(day=1):
            raise RefusedError(f"{options.file} is the list of {found.month:%B %Y}, not of {options.date:%B %Y}")
        author = author_of(options, f"FIDE list of {options.date}, {os.path.basename(options.file)}")
        propose = partial(propose_facts, office, options, author) if is_by_two(office) else None
        made = import_fide_list(office, author, found.players, options.date, propose)
        if options.json:
            print_json(_document(made, options))
        else:
            _tell(made, options)
        if options.no_rate or options.json:
            return 0
        return rate_and_tell(office, options, f"after importing the FIDE list of {options.date}", is_brief=True)


def _tell(made: ImportedList, options: argparse.Namespace) -> None:
    entry = "nothing new" if made.imported.act is None else f"entry {made.imported.act}"
    listed = f"{counted(made.listed, 'player')}, {made.members:,} of them members"
    say(f"FIDE list of {american(options.date)}: {listed} ({entry})")
    for abroad in Abroad:
        rows = [_row(one) for one in made.candidates if one.abroad is abroad]
        if rows:
            say("")
            say(f"{TITLES[abroad]}:")
            print_table(columns("member", "name", "FIDE id", ">FIDE", ">games"), rows)


TITLES = {
    Abroad.AUTOMATIC: "Rated abroad automatically",
    Abroad.OPTED_IN: "Rated abroad, because they opted in",
    Abroad.INCLUDED: "Rated abroad under another flag, because they opted in",
    Abroad.NOT_OPTED_IN: "Not rated abroad unless they opt in (office decide opt-in)",
}


def _row(one: Candidate) -> tuple[str, ...]:
    return one.member_id, one.name, one.fide_id, "unrated" if one.fide is None else f"{one.fide:g}", str(one.games)


def _document(made: ImportedList, options: argparse.Namespace) -> dict[str, object]:
    return {
        "format": "crosstable-office-fide-list/1",
        "date": options.date,
        "entry": made.imported.act,
        "players": made.listed,
        "members": made.members,
        "candidates": [one._asdict() for one in made.candidates],
    }

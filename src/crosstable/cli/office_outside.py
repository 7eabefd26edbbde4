"""``office outside-ratings``: FIDE's monthly list, and who is rated abroad by it."""

import argparse
import os

from crosstable.cli.office_access import author_of, office_command, opened
from crosstable.cli.office_changes import rate_and_tell
from crosstable.cli.options import Parser, add_command, add_commands, american_day, option
from crosstable.cli.printing import columns, print_json, print_table, say, warn_of_faults
from crosstable.errors import FAULTY, FormatError, RefusedError
from crosstable.formats import fide_list
from crosstable.office.outside_ratings import Abroad, Candidate, ImportedList, import_fide_list
from crosstable.sentences import american, counted

FIDE = "FIDE"


def add_outside_ratings(made: Parser) -> None:
    """What ``office outside-ratings`` takes."""
    group = add_commands(made)
    one = add_command(group, "import", "record the ratings and flags that FIDE's list of a month has of members")
    office_command(
        one,
        _import,
        *("--no-rate", "--json", "--by", "--reason"),
        epilog="Members are found by their FIDE id (office decide fact, or the members file). Give the standard or the "
        "combined list of ratings.fide.com as it is: TXT or XML, zipped or not. Prints who of the members played in "
        "the period and is rated abroad (2025 text §6). The same list again changes nothing. With --json nothing is "
        "rated yet: crosstable office rerate does.",
    )
    option(one, "file FILE", "the list")
    option(one, "--federation NAME", "whose list it is", choices=(FIDE,), required=True)
    option(one, "--date DATE", "the day from which the list holds", type=american_day, required=True)


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
        made = import_fide_list(office, author, found.players, options.date)
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

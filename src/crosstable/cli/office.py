"""``crosstable office``: a record of members, events and decisions that is never overwritten, and the ratings from it.

The commands stand in the modules ``office_…`` beside this one; here they are gathered, and what an office refuses
becomes one sentence and an exit code.
"""

import argparse
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY, Overview
from crosstable.errors import OfficeError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

STOPPED = 130
LONGEST_COMMAND = 300


# Every command with its summary, in the order of the overview.
COMMANDS: Mapping[str, str] = {
    "init": "make a new office",
    "status": "what is in the office, and what waits to be done",
    "members": "who the members are: import, show, age-lists, merge, unmerge",
    "submit": "check event files of any known format, record them and rate them",
    "correct": "put an event right: by another file, one result, or a member id",
    "confirm": "accept what is held or was asked for, if it is sound",
    "withdraw": "take an event, or sections of it, out of the ratings",
    "decide": "decisions of the office about floors, titles, matches, ratings and facts",
    "rerate": "rate what changed since the last run, and print the rating changes",
    "changes": "the rating changes of a run: who, by how much, through what, and why",
    "publish": "freeze the official list of a month; it is never changed again",
    "supplements": "the published rating supplements, one of them, or a top list; as table or file",
    "ratings": "a member's ratings in every system, with floors",
    "history": "everything that moved a member's ratings, section by section",
    "explain": "the whole calculation of a member's rating in a section",
    "log": "every act of the office: who did what, when and why",
    "settings": "what the office decides for all its pages and files",
    "users": "accounts of the site: directors, clubs, office staff, committee",
    "tokens": "tokens of programs that submit events for an affiliate",
    "verify": "recompute everything from the record and compare, list by list",
    "backup": "write the whole office into one file",
    "restore": "make an office from a backup, where there is none yet",
    "upgrade": "bring the tables of an older office up to this program",
}

# Earlier names of commands. They work as before, and neither help nor docs name them.
ALIASES: Mapping[str, str] = {"ripple": "changes", "lists": "supplements", "standings": "ratings"}


def _bare() -> "tuple[argparse.ArgumentParser, Commands]":
    made = argparse.ArgumentParser(
        prog="crosstable office",
        formatter_class=Overview,
        description="A rating office: members, events, corrections and decisions are recorded and never overwritten, "
        "and every rating follows from them. It lives in one SQLite file, or in a PostgreSQL database.",
        epilog="crosstable office COMMAND --help says what a command takes. Exit code 1: a file has faults, or the "
        "office refuses; nothing half-done is ever stored.",
    )
    return made, made.add_subparsers(metavar="COMMAND", required=True, title="commands")


def overview() -> argparse.ArgumentParser:
    """The commands and what each is for, without loading what they need."""
    made, commands = _bare()
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary)
    return made


def parser() -> argparse.ArgumentParser:
    """What the command takes: every command of the office has a parser of its own."""
    from crosstable.cli import (
        accounts,
        office_corrections,
        office_decisions,
        office_house,
        office_lists,
        office_members,
        office_questions,
        office_runs,
        office_settings,
        office_submissions,
    )

    made, commands = _bare()
    office_house.add_founding(commands)
    office_members.add(commands)
    office_submissions.add(commands)
    office_corrections.add(commands)
    office_decisions.add(commands)
    office_runs.add(commands)
    office_lists.add(commands)
    office_questions.add(commands)
    office_settings.add(commands)
    accounts.add(commands)
    office_house.add_keeping(commands)
    return made


def run(arguments: list[str]) -> int:
    """Run a command of the office."""
    if _is_missing("sqlalchemy", "alembic"):
        return FAULTY
    if not arguments or arguments[0] in ("-h", "--help"):
        overview().parse_args(arguments)
    from crosstable.cli.office_desk import database_of

    arguments = [ALIASES.get(arguments[0], arguments[0]), *arguments[1:]]
    options = parser().parse_args(arguments)
    if database_of(options).startswith("postgres") and _is_missing("psycopg"):
        return FAULTY
    try:
        return int(options.run(options))
    except OfficeError as error:
        sys.stderr.write(f"crosstable office: {_sentence(error, options)}\n")
        return FAULTY
    except KeyboardInterrupt:
        sys.stderr.write(
            "\nstopped: nothing half-done was stored. Run the same command again to go on:\n"
            f"  crosstable office {_shown_command(arguments)}\n"
        )
        return STOPPED


def _is_missing(*libraries: str) -> bool:
    """Whether a library is not installed; says so."""
    missing = [library for library in libraries if find_spec(library) is None]
    if missing:
        sys.stderr.write(
            f"crosstable office: {' and '.join(missing)} is not installed; an office needs more than rating a file "
            "does: pip install 'crosstable[office]'\n"
        )
    return bool(missing)


def _shown_command(arguments: list[str]) -> str:
    import shlex

    from crosstable.cli.office_desk import shown_address

    shown = " ".join(shown_address(shlex.quote(argument)) for argument in arguments)
    return shown if len(shown) <= LONGEST_COMMAND else f"{shown[:LONGEST_COMMAND]} …"


def _sentence(error: OfficeError, options: argparse.Namespace) -> str:
    """What the office says, in one line and without a password."""
    from crosstable.cli.office_desk import database_of, shown_address
    from crosstable.output.words import printable

    address = database_of(options)
    said = " ".join(str(error).split())
    if getattr(options, "known_on", None) is not None:
        said += f" (as known on {options.known_on})"
    return printable(said.replace(address, shown_address(address)))

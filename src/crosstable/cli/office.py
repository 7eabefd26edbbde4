"""``crosstable office``: a record of members, events and decisions that is never overwritten, and the ratings from it.

The commands stand in the modules ``office_…`` beside this one; here they are gathered, and what an office refuses
becomes one sentence and an exit code.
"""

import argparse
import sys
from importlib.util import find_spec

from crosstable.cli.files import FAULTY
from crosstable.errors import OfficeError

STOPPED = 130
LONGEST_COMMAND = 300


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
    from crosstable.cli.office_desk import Overview

    made = argparse.ArgumentParser(
        prog="crosstable office",
        formatter_class=Overview,
        description="A rating office: members, events, corrections and decisions are recorded and never overwritten, "
        "and every rating follows from them. It lives in one SQLite file, or in a PostgreSQL database.",
        epilog="crosstable office COMMAND --help says what a command takes. Exit code 1: a file has faults, or the "
        "office refuses; nothing half-done is ever stored.",
    )
    commands = made.add_subparsers(metavar="COMMAND", required=True, title="commands")
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
    from crosstable.cli.office_desk import database_of

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

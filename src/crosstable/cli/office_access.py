"""What every command of the office shares: where the office is, who acts, what day it is; its help loads none of it."""

import argparse
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date

from crosstable.cli import require
from crosstable.cli.options import Parser, Run, take
from crosstable.errors import OfficeError, RefusedError
from crosstable.office.address import DEFAULT, ENVIRONMENT
from crosstable.office.database import Office, open_office, system_clock
from crosstable.office.ledger.journal import Author

GENERAL = ("--by", "--reason", "--reason!", "--account")


def office_command(made: Parser, run: Run, *shared: str, epilog: str = "") -> Parser:
    """Make a parser that of an office command: what it runs, where the office is, and options that others have too."""
    made.set_defaults(run=run)
    made.epilog = epilog
    take(made, *(name for name in shared if name not in GENERAL))
    take(made.add_argument_group("the office"), *(name for name in shared if name in GENERAL), "--database")
    return made


def database_of(options: argparse.Namespace) -> str:
    """Where the office is."""
    address: str = options.database or os.environ.get(ENVIRONMENT) or DEFAULT
    if address.startswith("postgres"):
        require(("psycopg",), "site")
    return address


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Office]:
    """The office, for one command."""
    with closing(open_office(database_of(options), system_clock)) as office:
        yield office


def author_of(options: argparse.Namespace, usual: str = "") -> Author:
    """Who acts and why; ``usual`` is said where no reason is given.

    A name that is given is kept beside the login of the machine, and cannot look like somebody's approval.
    """
    reason = options.reason.strip() or usual
    if not options.by:
        return Author(login_name(), reason)
    if "approved by" in " ".join(options.by.casefold().split()):
        raise RefusedError("--by is a name; who approves does so with their own account: office proposals approve N")
    try:
        login = login_name()
    except OfficeError:
        login = ""
    return Author(options.by, reason, "" if login == options.by else login)


def login_name() -> str:
    """The name under which the user is logged in."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise OfficeError("your login name is not known; say who you are with --by NAME") from error


def today(office: Office) -> date:
    """The day by the office's clock."""
    return office.clock().date()

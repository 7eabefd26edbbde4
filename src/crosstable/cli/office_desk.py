"""What every command of the office shares: where the office is, who asks, and as known on which day."""

import argparse
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from crosstable.cli.files import Help, Overview
from crosstable.errors import OfficeError
from crosstable.office.address import DEFAULT, ENVIRONMENT
from crosstable.office.database import Office, open_office, system_clock
from crosstable.office.ledger.acts import Deed
from crosstable.terms import RatingSystem

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

SYSTEMS = [system.name for system in RatingSystem]
Run = Callable[[argparse.Namespace], int]


def add_command(commands: "Commands", name: str, summary: str, run: Run) -> argparse.ArgumentParser:
    """A command of the office, with the option that every one of them has."""
    sentence = f"{summary[0].upper()}{summary[1:]}."
    made = commands.add_parser(name, help=summary, description=sentence, formatter_class=Help)
    made.set_defaults(run=run)
    made.add_argument_group("the office").add_argument(
        "--database",
        metavar="URL",
        help=f"where it is: a file, or postgresql://… (default: ${ENVIRONMENT}, else {DEFAULT} in this folder)",
    )
    return made


def add_group(commands: "Commands", name: str, summary: str) -> "Commands":
    """A command that is only the first word of several."""
    sentence = f"{summary[0].upper()}{summary[1:]}."
    made = commands.add_parser(name, help=summary, description=sentence, formatter_class=Overview)
    return made.add_subparsers(metavar="COMMAND", required=True)


def add_act_options(parser: argparse.ArgumentParser, *, needs_reason: bool = False) -> None:
    """Who acts, and why."""
    parser.add_argument("--by", metavar="NAME", help="who does this (default: your login name)")
    why = "why; it stays in the record"
    parser.add_argument("--reason", metavar="WHY", required=needs_reason, default="", help=why)


def add_question_options(parser: argparse.ArgumentParser, *, known_on: bool = True) -> None:
    """How an answer is wanted."""
    if known_on:
        parser.add_argument(
            "--known-on",
            type=known_day,
            metavar="DATE",
            help="as the office knew it at the end of this day, or at an instant like 2026-11-15T12:00 (UTC)",
        )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def add_public_option(parser: argparse.ArgumentParser) -> None:
    """Questions that the public may ask too."""
    parser.add_argument("--public", action="store_true", help="as anybody may see it: posted numbers, no ages")


def add_rate_option(parser: argparse.ArgumentParser) -> None:
    """Acts that ratings follow from."""
    parser.add_argument("--rate", action="store_true", help="rate at once, and print the rating changes")


def day(text: str) -> date:
    """A day of an option."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def size(text: str) -> int:
    """A number of rows."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows")
    return int(text)


def known_day(text: str) -> date | datetime:
    """A day, or an instant in UTC."""
    if "T" not in text:
        return day(text)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no instant; write it as 2026-11-15T12:00") from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def database_of(options: argparse.Namespace) -> str:
    """Where the office is."""
    return options.database or os.environ.get(ENVIRONMENT) or DEFAULT


def shown_address(url: str) -> str:
    """An address as it may be printed: without the password in it."""
    return re.sub(r"(://[^/@:]*):[^/@]*@", r"\1:…@", url)


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Office]:
    """The office, for one command."""
    office = open_office(database_of(options), system_clock)
    try:
        yield office
    finally:
        office.close()


def deed_of(options: argparse.Namespace, usual: str = "") -> Deed:
    """Who acts and why; ``usual`` is said where no reason is given."""
    return Deed(options.by or login_name(), options.reason.strip() or usual)


def run_deed(options: argparse.Namespace, why: str) -> Deed:
    """Who starts a rating run, and why: the reason given is that of the act before it."""
    return Deed(options.by or login_name(), why)


def login_name() -> str:
    """The name under which the user is logged in."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise OfficeError("this machine does not say who you are; say it with --by NAME") from error


def today(office: Office) -> date:
    """The day by the office's clock."""
    return office.clock().date()

"""How a command is added, and every option that several commands share, said once."""

import argparse
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from crosstable.formats.dates import day_of
from crosstable.terms import RatingSystem

SYSTEMS = [system.name for system in RatingSystem]
NARROWEST, WIDEST = 20, 100

Run = Callable[[argparse.Namespace], int | None]
Parser = argparse.ArgumentParser
# Help is in English throughout. Looking for translations of argparse's own words costs more than making a parser.
argparse._ = lambda text: text  # type: ignore[attr-defined]
Takes = argparse.ArgumentParser | argparse._ArgumentGroup
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class Help(argparse.HelpFormatter):
    """Help as wide as the terminal, up to a hundred columns; the list of commands inside stands in one column."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=width())

    def add_argument(self, action: argparse.Action) -> None:
        """Make room for the names of commands, which stand further in than options."""
        super().add_argument(action)
        names = [len(inner.dest) for inner in self._iter_indented_subactions(action)]
        self._action_max_length = max([self._action_max_length, *(self._current_indent + 4 + name for name in names)])


def width() -> int:
    """How wide help is. The standard library's own way to ask would load more than rating an event does."""
    try:
        columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size().columns
    except (OSError, ValueError):  # not on a terminal
        return WIDEST
    return min(max(columns - 2, NARROWEST), WIDEST)


def command_parser(name: str, run: Run | None = None, description: str = "", epilog: str = "") -> Parser:
    """The parser of a command; what ``run`` says of itself is the description."""
    words = description or (run and run.__doc__)
    made = Parser(prog=f"crosstable {name}", formatter_class=Help, description=words, epilog=epilog)
    made.set_defaults(run=run, prog=made.prog)
    return made


def add_command(commands: Commands, name: str, summary: str, run: Run | None = None) -> Parser:
    """A command inside a command; what ``run`` says of itself is the description, otherwise the summary."""
    words = (run and run.__doc__) or f"{summary[0].upper()}{summary[1:]}."
    made = commands.add_parser(name, help=summary, description=words, formatter_class=Help)
    made.set_defaults(run=run, prog=made.prog)
    return made


class LazyCommands(argparse._SubParsersAction):  # type: ignore[type-arg]  # the class takes none when it runs
    """Commands that get their options when they are called, so that one of them does not load what others need.

    What such a command does not know is its own error, with its own usage.
    """

    fill: Callable[[str, Parser], None]

    def __call__(
        self,
        parser: Parser,
        namespace: argparse.Namespace,
        values: Any,  # noqa: ANN401 (what argparse gives: a list)
        option_string: str | None = None,
    ) -> None:
        """Add the options of the command that is called, and let it read its arguments."""
        self.fill(values[0], self.choices[values[0]])
        super().__call__(parser, namespace, values, option_string)
        if unknown := getattr(namespace, argparse._UNRECOGNIZED_ARGS_ATTR, None):
            self.choices[values[0]].error(f"unrecognized arguments: {' '.join(unknown)}")

    def filled(self) -> Iterator[Parser]:
        """Every command with its options."""
        for name, made in self.choices.items():
            self.fill(name, made)
            yield made


def add_commands(made: Parser, fill: Callable[[str, Parser], None] | None = None) -> Commands:
    """Room for commands inside a command; with ``fill`` they get their options when they are called."""
    commands = made.add_subparsers(metavar="COMMAND", required=True, title="commands", action=LazyCommands)
    assert isinstance(commands, LazyCommands)
    commands.fill = fill or (lambda name, made: None)
    return commands


def day(text: str) -> date:
    """An argument that is a day, as machines or as American files write it."""
    found = day_of(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; write it as 2026-06-14 or 6/14/2026")
    return found


def iso_or_as_given(text: str) -> str:
    """A day as programs write it; what is no day stays as it is, for whoever reads it says what is wrong."""
    found = day_of(text)
    return text if found is None else found.isoformat()


def instant(text: str) -> date | datetime:
    """An argument that is a day, or an instant in UTC."""
    if "T" not in text:
        return day(text)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date or time; write it as 2026-11-15T12:00") from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def count(text: str) -> int:
    """An argument that is a whole number of at least 1."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def file_or_day(text: str) -> str:
    """An argument that is a file, a day or ``official``."""
    try:
        date.fromisoformat(text)
    except ValueError:
        if text != "official" and not os.path.exists(text):
            raise argparse.ArgumentTypeError(
                f"{text!r} is neither a file nor a date; write a date as YYYY-MM-DD"
            ) from None
    return text


_FLAG: Mapping[str, Any] = {"action": "store_true"}
_SEVERAL: Mapping[str, Any] = {"action": "append", "default": []}

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "--json": {**_FLAG, "help": "print JSON"},
    "--out": {"metavar": "OUT", "help": "write to this file"},
    "--force": {**_FLAG, "help": "replace a file that exists"},
    # event files
    "files": {
        "nargs": "+",
        "metavar": "FILE",
        "help": "event file, folder with the three DBF files, or - (standard input)",
    },
    "--event-name": {"metavar": "NAME", "default": "", "help": "the event's name, instead of the file's"},
    "--control": {"metavar": "CONTROL", "default": "", "help": "time control of sections that have none, like G/60;d5"},
    "--start": {
        "type": day,
        "metavar": "DATE",
        "help": "start date of sections that have none; without --end also their end date",
    },
    "--end": {"type": day, "metavar": "DATE", "help": "end date of sections that have none"},
    "--override": {**_FLAG, "help": "let --control, --start and --end replace what the file says"},
    "--section": {**_SEVERAL, "type": int, "metavar": "N", "help": "only this section (repeatable)"},
    "--exclude": {**_SEVERAL, "type": int, "metavar": "N", "help": "leave this section out (repeatable)"},
    "--system": {"choices": SYSTEMS, "help": "one rating system (default: all)"},
    # rules and histories
    "--rules": {
        "type": file_or_day,
        "metavar": "FILE|DATE",
        "help": "rate by a rule set (TOML, see docs/rule-sets.md), or everything by the rules of one day (default: the "
        "official rules of the day each section starts)",
    },
    "--on": {"type": day, "metavar": "DATE", "help": "the rules for a section that starts on this day"},
    "archive": {"metavar": "ARCHIVE", "help": "the folder of the archive"},
    "--threads": {"type": count, "metavar": "N", "help": "how many threads (default: one per core)"},
    "--from": {
        "dest": "start",
        "type": day,
        "metavar": "DATE",
        "help": "judge sections that start on this day or later",
    },
    "--to": {"dest": "end", "type": day, "metavar": "DATE", "help": "judge sections that start on this day or earlier"},
    "--seed": {"type": count, "default": 1, "metavar": "N", "help": "the random seed (default: 1)"},
    "--draws": {"type": count, "default": 500, "metavar": "N", "help": "how many bootstrap draws (default: 500)"},
    # the office
    "--database": {
        "metavar": "URL",
        "help": "where the office is: a file, or postgresql://… (default: $CROSSTABLE_OFFICE, else office.db in this "
        "folder)",
    },
    "--by": {"metavar": "NAME", "help": "who does this (default: your login name)"},
    "--account": {
        "metavar": "NAME",
        "default": "",
        "help": "your account, where this takes two people (consent); type its password, or pipe it in",
    },
    "--reason": {"metavar": "WHY", "default": "", "help": "why; the journal keeps the reason"},
    "--known-on": {
        "type": instant,
        "metavar": "DATE",
        "help": "as the office knew it at the end of this day, or at a time like 2026-11-15T12:00 (UTC)",
    },
    "--public": {**_FLAG, "help": "what the public may see: posted numbers, no ages"},
    "--rate": {**_FLAG, "help": "rate at once and print the rating changes"},
    "--no-rate": {**_FLAG, "help": "only record; rate later with crosstable office rerate"},
    "--new-members": {**_FLAG, "help": "add players the office does not know yet"},
    "member": {"metavar": "MEMBER", "help": "the member's id"},
    "event": {"metavar": "EVENT", "help": "the event's id"},
    "name": {"metavar": "NAME", "help": "the name of the account"},
    "--affiliate": {"metavar": "ID", "default": "", "help": "the affiliate"},
}


def take(made: Takes, *names: str, **helps: str) -> None:
    """Add shared options by name, ``--reason!`` one that must be given; ``helps`` are other words for some of them."""
    for name in names:
        bare = name.removesuffix("!")
        shared = dict(OPTIONS[bare])
        if name != bare:
            shared["required"] = True
        words = helps.get(bare.strip("-").replace("-", "_"))
        made.add_argument(bare, **shared if words is None else {**shared, "help": words})


def also(made: Takes, earlier: str, action: argparse.Action) -> None:
    """An earlier name of an option: it works as before, and help does not name it."""
    made._option_string_actions[earlier] = action


def flag(made: Takes, name: str, words: str) -> argparse.Action:
    """Add an option that is given or not."""
    return made.add_argument(name, action="store_true", help=words)


def several(made: Takes, name: str, words: str) -> None:
    """Add an option that may be given several times."""
    option(made, name, words, action="append", default=[])


def option(made: Takes, name: str, words: str, **more: Any) -> argparse.Action:  # noqa: ANN401 (as argparse has it)
    """Add an option by its name and what stands for its value: ``--years N``."""
    bare, _, metavar = name.partition(" ")
    return made.add_argument(bare, metavar=metavar, help=words, **more)

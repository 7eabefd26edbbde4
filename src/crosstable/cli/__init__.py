"""The command line, door one: arguments in, text out, and the exit code.

Every command is a module that is imported only when it is called, so that rating one event starts nothing else.
Exit codes: 0 done, 1 the input has faults, 2 wrong usage, 3 an internal error with what to send.
"""

import gc
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

from crosstable import __version__


class Command(NamedTuple):
    """A command: the module that holds it, the line that the overview shows, and whether it works for long."""

    module: str
    summary: str
    is_long: bool = False


COMMANDS: Mapping[str, Command] = {
    "rate": Command("crosstable.cli.rate", "rate an event file and print its crosstable"),
    "explain": Command("crosstable.cli.explain", "the whole calculation of one player, step by step"),
    "estimate": Command("crosstable.cli.estimate", "one player's new rating from the results, no file"),
    "calculator": Command("crosstable.cli.calculator", "performance, badges, classes, K, why calculators differ"),
    "check": Command("crosstable.cli.check", "every fault and warning of an event file"),
    "findings": Command("crosstable.cli.findings", "what the code of a finding means and what to do about it"),
    "convert": Command("crosstable.cli.convert", "from any known format to any that can be written"),
    "verify": Command(
        "crosstable.cli.verify", "computed against posted, with the cause of each difference", is_long=True
    ),
    "office": Command(
        "crosstable.cli.office", "a rating office: members, events, decisions, ratings, lists", is_long=True
    ),
    "history": Command("crosstable.cli.history", "a federation's whole history: replay it in seconds", is_long=True),
    "lab": Command("crosstable.cli.lab", "a laboratory: federations made from a seed", is_long=True),
    "serve": Command("crosstable.cli.serve", "the site and the API of an office; --demo shows one", is_long=True),
    "rules": Command("crosstable.cli.rules", "the rules of a day, their timeline, what changed between two days"),
    "schema": Command("crosstable.cli.schema", "the shapes of the files that crosstable reads and of what it prints"),
}

FAULTY = 1
USAGE = 2
INTERNAL = 3


def entry() -> NoReturn:
    """The installed command. It leaves at once: tidying up the interpreter would take as long as rating an event."""
    code = 0
    try:
        _speak_utf8()
        code = main()
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody reads any more
        pass
    os._exit(code)


def _speak_utf8() -> None:
    """What goes into a file or a pipe is UTF-8; what a terminal cannot show is shown as its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(overview())
        return 0 if arguments else USAGE
    if arguments[0] == "--version":
        sys.stdout.write(f"crosstable {__version__}\n")
        return 0
    command = COMMANDS.get(arguments[0])
    if command is None:
        sys.stderr.write(_unknown(arguments[0]))
        return USAGE
    return _run(command, arguments)


def overview() -> str:
    """What ``crosstable --help`` prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}\n" for name, command in COMMANDS.items()]
    return (
        "usage: crosstable COMMAND …\n\n"
        "Rates chess events exactly as US Chess does, under the rules of the day they were played.\n\n"
        f"commands:\n{''.join(lines)}\n"
        "crosstable COMMAND --help says what a command takes; crosstable --version prints the version.\n"
    )


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    return f"crosstable: there is no command {name!r}.{hint}\nTry crosstable --help.\n"


def _run(command: Command, arguments: list[str]) -> int:
    if not command.is_long:
        gc.disable()  # one event is rated before any garbage could add up
    module = import_module(command.module)
    try:
        code = module.run(arguments[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe went away: that is not our fault, nor a result
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped\n")
        return 130
    except SystemExit as stop:  # argparse: 0 after --help, 2 after wrong usage; rich: 1 when a pipe is closed
        return 0 if stop.code == 1 else stop.code if isinstance(stop.code, int) else USAGE
    except OSError as error:  # a path that cannot be written, a disk that is full
        sys.stderr.write(f"crosstable: {error.filename or 'output'}: {error.strerror or error}\n")
        return FAULTY
    except Exception as error:  # the door: everything that nobody foresaw ends here, with what to send
        sys.stderr.write(internal_error(error, arguments))
        return INTERNAL
    return int(code)


def internal_error(error: Exception, arguments: Sequence[str]) -> str:
    """What a user sees, and may send us, when the program itself is wrong."""
    import traceback

    trace = "".join(traceback.format_exception(error))
    return (
        f"{trace}\ncrosstable {__version__} (Python {sys.version.split()[0]}) met an error of its own; "
        f"nothing was stored.\nPlease send the lines above, this command and the file:\n"
        f"  crosstable {' '.join(arguments)}\n"
    )

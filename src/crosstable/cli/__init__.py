"""The command line: arguments in, text out, and the exit code.

A command is a function that makes its parser; the parser's default ``run`` does the work. Its module is imported when
the command is called, so that rating one event starts nothing else. Exit codes: 0 done, 1 the input has faults, 2 wrong
usage, 3 an internal error with what to send.
"""

import gc
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from crosstable import __version__, errors
from crosstable.errors import FAULTY, USAGE, RefusedError
from crosstable.tuples import NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from types import FrameType


class Command(NamedTuple):
    """The function that makes a command's parser, the line of the overview, and whether the command works for long.

    ``needs`` are libraries without which not even the parser can be made; ``extra`` installs them.
    """

    maker: str
    summary: str
    is_long: bool = False
    needs: tuple[str, ...] = ()
    extra: str = ""


COMMANDS: Mapping[str, Command] = {
    "rate": Command("event_files.rate_parser", "rate an event file and print its crosstable"),
    "explain": Command("event_files.explain_parser", "show one player's whole calculation, step by step"),
    "estimate": Command("estimate.parser", "estimate one player's new rating from results, without a file"),
    "calculator": Command("calculator.parser", "performance rating, badges, classes, K, and why calculators differ"),
    "check": Command("event_files.check_parser", "list every error and warning in an event file"),
    "findings": Command("reference.findings_parser", "explain the code of a finding and what to do about it"),
    "convert": Command("event_files.convert_parser", "convert an event file to another format"),
    "members": Command("members.parser", "write a members file for the players of an event"),
    "verify": Command("posted.verify_parser", "compare computed ratings with posted ones", is_long=True),
    "audit": Command("posted.audit_parser", "is a posted rating right? rate a posted event again", is_long=True),
    "fetch": Command(
        "posted.fetch_parser",
        "fetch an event or a member from the US Chess ratings API",
        is_long=True,
        needs=("httpx",),
        extra="uschess",
    ),
    "office": Command(
        "office.parser",
        "run a rating office: members, events, decisions, ratings, supplements",
        is_long=True,
        needs=("sqlalchemy", "alembic"),
        extra="site",
    ),
    "history": Command("history.parser", "replay a federation's whole history in seconds", is_long=True),
    "lab": Command("lab.parser", "simulate federations and test rule sets", is_long=True),
    "serve": Command(
        "serve.parser",
        "serve the site and the API of an office; --demo shows one",
        is_long=True,
        needs=("fastapi", "uvicorn", "jinja2", "sqlalchemy", "alembic"),
        extra="site",
    ),
    "app": Command(
        "serve.app_parser", "the browser application, which needs no server: a local look at it", is_long=True
    ),
    "rules": Command("reference.rules_parser", "show the rules of a day, their timeline, or what changed"),
    "schema": Command("reference.schema_parser", "print the format of a file that crosstable reads or writes"),
    "doctor": Command("reference.doctor_parser", "show what is installed, what is missing, and where data lies"),
    "completion": Command("reference.completion_parser", "make bash, zsh, fish or PowerShell complete what you type"),
}
# The extra that brings a library which is imported only where it is used.
EXTRA_OF: Mapping[str, str] = {
    **dict.fromkeys(("alembic", "argon2", "fastapi", "jinja2", "psycopg", "sqlalchemy", "uvicorn"), "site"),
    **dict.fromkeys(("joblib", "numba", "numpy", "polars"), "history"),
    "httpx": "uschess",
    "cryptography": "encryption",
}
# Earlier names of commands inside a command. They work as before, and neither help nor docs name them.
ALIASES: Mapping[tuple[str, ...], str] = {
    ("office", "standings"): "ratings",
    ("office", "ripple"): "changes",
    ("office", "lists"): "supplements",
}

INTERNAL = 3
STOPPED = 130
LONGEST_COMMAND = 300
# What is wrong with the request, not with the program; the message says what to do.
REFUSALS = (
    *(errors.FetchError, errors.FormatError, errors.HistoryError, errors.MissingLibraryError),
    *(errors.NoEditionError, errors.OfficeError, errors.RuleSetError),
)


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
    if arguments[0] not in COMMANDS:
        sys.stderr.write(_unknown(arguments[0]))
        return USAGE
    if earlier := ALIASES.get(tuple(arguments[:2])):
        arguments[1] = earlier
    return _run(COMMANDS[arguments[0]], arguments)


def overview() -> str:
    """What ``crosstable --help`` prints."""
    from crosstable.cli.printing import wrapped

    longest = max(map(len, COMMANDS))
    indent = " " * (longest + 4)
    lines = [wrapped(f"  {name:<{longest}}  {command.summary}", indent) for name, command in COMMANDS.items()]
    said = wrapped("Rates chess events exactly as US Chess does, under the rules of the day they were played.")
    more = wrapped(
        "For the options of a command, type crosstable COMMAND --help. For the version, type crosstable --version."
    )
    return f"usage: crosstable COMMAND …\n\n{said}\ncommands:\n{''.join(lines)}\n{more}"


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    return f"crosstable: there is no command {name!r}.{hint}\nTry crosstable --help.\n"


def _run(command: Command, arguments: list[str]) -> int:
    if not command.is_long:
        gc.disable()  # one event is rated before any garbage could add up
    options = None
    try:
        require(command.needs, command.extra)
        options = parser_of(arguments[0]).parse_args(arguments[1:])
        require(getattr(options, "needs", ()), "history")
        code = (interruptible(options.run) if command.is_long else options.run)(options) or 0
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe went away: that is not our fault, nor a result
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        sys.stderr.write(_stopped(arguments))
        return STOPPED
    except SystemExit as stop:  # argparse: 0 after --help, 2 after wrong usage; rich: 1 when a pipe is closed
        return 0 if stop.code == 1 else stop.code if isinstance(stop.code, int) else USAGE
    except OSError as error:  # a path that cannot be written, a disk that is full
        sys.stderr.write(f"crosstable: {error.filename or 'output'}: {error.strerror or error}\n")
        return FAULTY
    except RefusedError as error:
        sys.stderr.write(f"{getattr(options, 'prog', 'crosstable')}: {error}\n")
        return error.code
    except REFUSALS as error:
        from crosstable.cli.printing import error_text

        sys.stderr.write(error_text(arguments[0], error, getattr(options, "known_on", None)))
        return FAULTY
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRA_OF:
            sys.stderr.write(internal_error(error, arguments))
            return INTERNAL
        line = errors.install_line(EXTRA_OF[library])
        sys.stderr.write(f"crosstable {arguments[0]}: {library} is not installed; type: {line}\n")
        return FAULTY
    except Exception as error:  # everything that nobody foresaw ends here, with what to send
        sys.stderr.write(internal_error(error, arguments))
        return INTERNAL
    return int(code)


def interruptible(run: "Callable[[argparse.Namespace], int | None]") -> "Callable[[argparse.Namespace], int | None]":
    """A command in which Ctrl-C is Ctrl-C, whatever a library made of it.

    Polars asks Python for the names of types and drops an interrupt that comes meanwhile: what follows is a TypeError
    or a panic of its own.
    """
    import signal
    import threading

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return run
    interrupts: list[int] = []

    def note(number: int, frame: "FrameType | None") -> None:
        interrupts.append(number)
        signal.default_int_handler(number, frame)

    def noting(options: "argparse.Namespace") -> int | None:
        signal.signal(signal.SIGINT, note)
        try:
            return run(options)
        except BaseException as error:
            if interrupts:
                raise KeyboardInterrupt from error
            raise
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    return noting


def parser_of(name: str) -> "argparse.ArgumentParser":
    """The parser of a command."""
    module, _, maker = COMMANDS[name].maker.partition(".")
    made: argparse.ArgumentParser = getattr(import_module(f"crosstable.cli.{module}"), maker)()
    return made


def require(libraries: Sequence[str], extra: str) -> None:
    """Refuse where a library is not installed, with the line to type."""
    if not libraries:
        return
    from importlib.util import find_spec

    missing = [library for library in libraries if find_spec(library) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise errors.MissingLibraryError(
            f"{', '.join(missing)} {verb} not installed; type: {errors.install_line(extra)}"
        )


def _stopped(arguments: Sequence[str]) -> str:
    """What is said after an interrupt; where an office is written to, also that it is whole."""
    if arguments[0] != "office":
        return "\nstopped\n"
    import shlex

    from crosstable.cli.printing import shown_address

    typed = " ".join(shown_address(shlex.quote(argument)) for argument in arguments)
    shown = typed if len(typed) <= LONGEST_COMMAND else f"{typed[:LONGEST_COMMAND]} …"
    return f"\nstopped: nothing half-done was stored. To continue, run the same command again:\n  crosstable {shown}\n"


def internal_error(error: Exception, arguments: Sequence[str]) -> str:
    """What a user sees, and may send us, when the program itself is wrong."""
    import traceback

    trace = "".join(traceback.format_exception(error))
    return (
        f"{trace}\ncrosstable {__version__} (Python {sys.version.split()[0]}) has hit an internal error; "
        f"nothing was stored.\nPlease send us the lines above, this command and the file:\n"
        f"  crosstable {' '.join(arguments)}\n"
    )

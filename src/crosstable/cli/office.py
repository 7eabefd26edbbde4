"""``crosstable office``: a record of members, events and decisions that is never overwritten, and the ratings from it.

Each command has its options and its work in a module ``office_…``, in the function ``add_NAME``; the module is imported
when the command is called.
"""

from collections.abc import Mapping
from importlib import import_module

from crosstable.cli.options import Parser, add_command, add_commands, command_parser

# Every command, in the order of the overview: the module that adds its options, and its summary.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "init": ("office_upkeep", "make a new office"),
    "status": ("office_upkeep", "what is in the office, and what waits to be done"),
    "members": ("office_members", "who the members are: import, show, age-lists, merge, unmerge"),
    "submit": ("office_events", "check event files of any known format, record them and rate them"),
    "correct": ("office_events", "put an event right: by another file, one result, or a member id"),
    "confirm": ("office_events", "accept what is held or was asked for, if it is sound"),
    "withdraw": ("office_events", "take an event, or sections of it, out of the ratings"),
    "decide": ("office_decisions", "decisions of the office about floors, titles, matches, ratings and facts"),
    "rerate": ("office_changes", "rate what changed since the last run, and print the rating changes"),
    "changes": ("office_changes", "the rating changes of a run: who, by how much, through what, and why"),
    "publish": ("office_supplements", "freeze the official list of a month; it is never changed again"),
    "supplements": (
        "office_supplements",
        "the published rating supplements, one of them, or a top list; as table or file",
    ),
    "ratings": ("office_ratings", "a member's ratings in every system, with floors"),
    "history": ("office_ratings", "everything that moved a member's ratings, section by section"),
    "explain": ("office_ratings", "the whole calculation of a member's rating in a section"),
    "log": ("office_changes", "every act of the office: who did what, when and why"),
    "settings": ("office_decisions", "what the office decides for all its pages and files"),
    "users": ("office_accounts", "accounts of the site: directors, clubs, office staff, committee"),
    "tokens": ("office_accounts", "tokens of programs that submit events for an affiliate"),
    "verify": ("office_upkeep", "recompute everything from the record and compare, list by list"),
    "backup": ("office_upkeep", "write the whole office into one file"),
    "restore": ("office_upkeep", "make an office from a backup, where there is none yet"),
    "upgrade": ("office_upkeep", "bring the tables of an older office up to this program"),
}


def parser() -> Parser:
    """What the command takes."""
    made = command_parser(
        "office",
        "A rating office: members, events, corrections and decisions are recorded and never overwritten, and every "
        "rating follows from them. It lives in one SQLite file, or in a PostgreSQL database.",
        epilog="crosstable office COMMAND --help says what a command takes. Exit code 1: a file has faults, or the "
        "office refuses; nothing half-done is ever stored.",
    )
    commands = add_commands(made, _fill)
    for name, (_, summary) in COMMANDS.items():
        add_command(commands, name, summary)
    return made


def _fill(name: str, made: Parser) -> None:
    module, _ = COMMANDS[name]
    getattr(import_module(f"crosstable.cli.{module}"), f"add_{name}")(made)

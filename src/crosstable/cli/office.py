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
    "status": ("office_upkeep", "show what is in the office and what is waiting"),
    "members": ("office_members", "import, show and merge members"),
    "outside-ratings": ("office_supplements", "import FIDE's monthly list, and show who is rated abroad by it"),
    "submit": ("office_events", "check event files of any known format, record them and rate them"),
    "correct": ("office_events", "correct an event: by a new file, one result, or a member id"),
    "confirm": ("office_events", "accept held sections or requested corrections, if they are sound"),
    "withdraw": ("office_events", "take an event, or some of its sections, out of the ratings"),
    "decide": ("office_decisions", "record decisions about floors, titles, matches, ratings and facts"),
    "proposals": ("office_accounts", "show, approve and refuse what takes two people"),
    "rerate": ("office_changes", "rate what changed since the last run and print the rating changes"),
    "changes": ("office_changes", "show the rating changes of a run: who, by how much, through what, and why"),
    "publish": ("office_supplements", "publish the rating supplement of a month; it never changes again"),
    "supplements": ("office_supplements", "show or write published rating supplements and top lists"),
    "ratings": ("office_ratings", "show a member's ratings in every system, with floors"),
    "history": ("office_ratings", "show everything that changed a member's ratings, section by section"),
    "explain": ("office_ratings", "show the whole calculation of a member's rating in a section"),
    "log": ("office_changes", "show the journal: who did what, when and why"),
    "settings": ("office_decisions", "show or change the settings of the office"),
    "clear": ("office_decisions", "let go of what is older than the office keeps it"),
    "users": ("office_accounts", "manage the site's accounts: directors, clubs, office staff, committee"),
    "tokens": ("office_accounts", "manage the tokens of programs that submit events for an affiliate"),
    "jobs": ("office_upkeep", "show, queue, cancel and retry what the worker does"),
    "schedule": ("office_upkeep", "show or change when runs, supplements, backups and verifications are made"),
    "worker": ("office_upkeep", "do jobs until it is stopped"),
    "verify": ("office_upkeep", "recompute everything from the record and compare"),
    "clock": ("office_upkeep", "compare the journal with the clock, and say that the clock is right"),
    "backup": ("office_upkeep", "write the whole office to one file"),
    "restore": ("office_upkeep", "make an office from a backup"),
    "upgrade": ("office_upkeep", "upgrade the tables of an older office to this version"),
}


def parser() -> Parser:
    """What the command takes."""
    made = command_parser("office")
    made.description = (
        "Run a rating office. Members, events, corrections and decisions are recorded and never overwritten, and every "
        "rating follows from them. An office is one SQLite file or a PostgreSQL database."
    )
    made.epilog = (
        "For the options of a command, type crosstable office COMMAND --help. Exit code 1: a file has errors, or the "
        "office refuses. Nothing half-done is ever stored."
    )
    commands = add_commands(made, _fill)
    for name, (_, summary) in COMMANDS.items():
        add_command(commands, name, summary)
    return made


def _fill(name: str, made: Parser) -> None:
    module, _ = COMMANDS[name]
    getattr(import_module(f"crosstable.cli.{module}"), f"add_{name.replace('-', '_')}")(made)

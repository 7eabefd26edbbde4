"""``office log``: who did what, when and why."""

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from crosstable.cli.office_desk import add_command, add_public_option, add_question_options, opened, size
from crosstable.cli.office_documents import log_document
from crosstable.cli.office_drawing import Column, counted, print_json, print_table, say
from crosstable.office.ledger.acts import Act, ActKind
from crosstable.office.views import log

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands

COLUMNS = (
    Column("Act", is_right=True),
    Column("When (UTC)"),
    Column("Who"),
    Column("What", is_broken=True),
    Column("About"),
    Column("Why", is_broken=True),
)


def add_log(commands: "Commands") -> None:
    """The command of this module."""
    made = add_command(commands, "log", "every act of the office: who did what, when and why", _log)
    made.add_argument("subject", nargs="?", default="", metavar="EVENT|MEMBER", help="only acts about this")
    kinds = [kind.value for kind in ActKind]
    made.add_argument("--kind", action="append", default=[], choices=kinds, help="only acts of this kind (repeatable)")
    made.add_argument("--last", type=size, metavar="N", help="only the newest so many")
    add_question_options(made)
    add_public_option(made)


def _log(options: argparse.Namespace) -> int:
    if options.public:
        from crosstable.cli import office_public

        return office_public.log(options)
    with opened(options) as office, office.reading() as connection:
        found = log(connection, options.known_on, subject=options.subject, kinds=options.kind)
    if options.last is not None:
        found = found[-options.last :]
    if options.json:
        print_json(log_document(found, is_public=False))
    elif found:
        print_table(COLUMNS, [_row(act) for act in found])
    else:
        say("no such act")
    return 0


def _row(act: Act) -> tuple[str, ...]:
    return (
        str(act.seq),
        f"{act.at:%Y-%m-%d %H:%M}",
        act.actor,
        f"{act.kind.value}{f': {what}' if (what := what_was_done(act)) else ''}",
        act.subject,
        act.reason,
    )


def what_was_done(act: Act) -> str:
    """What an act did, in a few words."""
    words = _WORDS.get(act.kind)
    return "" if words is None else words(act)


def _members(act: Act) -> str:
    if "members" not in act.after:
        before = act.before or {}
        return ", ".join(name.replace("_", " ") for name, value in act.after.items() if before.get(name) != value)
    said = {"new": "{} new", "changed": "{} changed", "opened": "{} opened"}
    return ", ".join(words.format(act.after[name]) for name, words in said.items() if act.after.get(name))


def _submitted(act: Act) -> str:
    states = [state for state, _ in act.after["sections"].values()]
    held = states.count("held")
    return counted(len(states), "section") + (f", {held} held" if held else "")


def _corrected(act: Act) -> str:
    found = act.after["differences"]
    asked = "asked for: " if act.after["requested"] else ""
    return f"{asked}{found[0]}" + (f" and {len(found) - 1} more" if len(found) > 1 else "")


def _decided(act: Act) -> str:
    value = act.after["value"]
    return f"{act.after['kind']}{f' {value:g}' if value is not None else ''}"


def _sections(act: Act) -> str:
    said = []
    for name, word in (("sections", "section"), ("withdrawn", "withdrawn: section")):
        if act.after.get(name):
            said.append(f"{word} {', '.join(map(str, act.after[name]))}")
    return "; ".join(said)


_WORDS: Mapping[ActKind, Callable[[Act], str]] = {
    ActKind.MEMBERS: _members,
    ActKind.OPENING: _members,
    ActKind.MERGE: lambda act: f"into {act.after['into']}",
    ActKind.UNMERGE: lambda act: f"from {act.after['into']}",
    ActKind.SUBMIT: _submitted,
    ActKind.IMPORT: lambda act: f"{counted(act.after['events'], 'event')}, {counted(act.after['sections'], 'section')}",
    ActKind.CONFIRM: _sections,
    ActKind.CORRECT: _corrected,
    ActKind.WITHDRAW: _sections,
    ActKind.DECIDE: _decided,
    ActKind.RATE: lambda act: (
        f"{counted(act.after['sections'], 'section')}, {counted(act.after['postings'], 'posting')}"
    ),
    ActKind.PUBLISH: lambda act: f"{counted(act.after['rows'], 'row')}",
    ActKind.SETTINGS: lambda act: f"public decimals {'on' if act.after['public_decimals'] else 'off'}",
}

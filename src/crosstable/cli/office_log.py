"""``office log``: the journal of the office: who did what, when and why."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crosstable.cli.office_access import office_command, opened
from crosstable.cli.options import Parser, count
from crosstable.cli.printing import columns, counted, print_json, print_table
from crosstable.office.ledger.acts import Act, ActKind
from crosstable.office.public import PublicAct
from crosstable.office.public_views import PublicOffice
from crosstable.office.views import log

COLUMNS = columns(">Act", "When (UTC)", "Who", "~What", "About", "~Why")
# What reveals more of a member than the journal may show.
PRIVATE = ("birth_date", "birth_year")


def add_log(made: Parser) -> None:
    """What ``office log`` takes."""
    office_command(made, _log, "--known-on", "--json", "--public")
    made.add_argument("subject", nargs="?", default="", metavar="EVENT|MEMBER", help="only acts about this")
    kinds = [kind.value for kind in ActKind]
    made.add_argument("--kind", action="append", default=[], choices=kinds, help="only acts of this kind (repeatable)")
    made.add_argument("--last", type=count, metavar="N", help="only the newest so many")


def _log(options: argparse.Namespace) -> int:
    found: Sequence[Act | PublicAct]
    with opened(options) as office, office.reading() as connection:
        if options.public:
            every = PublicOffice(connection, options.known_on).log()
            some = [act for act in every if options.subject in ("", act.subject)]
            found = [act for act in some if act.kind in (options.kind or [act.kind])]
        else:
            found = log(connection, options.known_on, subject=options.subject, kinds=options.kind)
    if options.last is not None:
        found = found[-options.last :]
    if options.json:
        public = {"public": True} if options.public else {}
        print_json({"format": "crosstable-office-log/1", **public, "acts": [_act_object(act) for act in found]})
    else:
        print_table(COLUMNS, [_row(act) for act in found], "no such act")
    return 0


def _row(act: Act | PublicAct) -> tuple[str, ...]:
    words = what_was_done(act) if isinstance(act, Act) else ""
    what = f"{act.kind}: {words}" if words else str(act.kind)
    return str(act.seq), f"{act.at:%Y-%m-%d %H:%M}", act.actor, what, act.subject, act.reason


def _act_object(act: Act | PublicAct) -> dict[str, Any]:
    found = {
        "act": act.seq,
        "at": act.at.isoformat(),
        "kind": str(act.kind),
        "by": act.actor,
        "reason": act.reason,
        "about": act.subject,
    }
    if isinstance(act, PublicAct):
        return {**found, "after": dict(act.said)}
    return {**found, "before": _shown(act.before), "after": _shown(act.after), "digest": act.digest}


def _shown(value: Any) -> Any:  # noqa: ANN401 (what an entry wrote is any JSON)
    """What a journal entry wrote, without the birth date of a member."""
    if not isinstance(value, dict):
        return value
    return {name: "not shown" if name in PRIVATE and inner else inner for name, inner in value.items()}


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

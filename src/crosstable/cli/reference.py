"""``crosstable rules``, ``findings`` and ``schema``: what the rules say, what a code means, what shape a file has."""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

from crosstable import schemas
from crosstable.cli.options import Parser, command_parser, day, option, take
from crosstable.cli.printing import print_answer, wrapped
from crosstable.errors import RefusedError
from crosstable.rules.amending import Amendment, Edition
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH, edition_for
from crosstable.sentences import american

# What crosstable reads; everything else it prints or writes.
READ = {
    "event": "the JSON Schema of the event file",
    "members": "a template of a members file",
    "wallchart": "a template of a CSV wallchart",
}
FINDINGS = "crosstable-findings/1"
NEAR = 3


def rules_parser() -> Parser:
    """What ``crosstable rules`` takes."""
    made = command_parser("rules", _rules)
    which = made.add_mutually_exclusive_group()
    take(which, "--on")
    which.add_argument("--diff", nargs=2, type=day, metavar=("D1", "D2"), help="what changed between two days")
    take(made, "--json")
    return made


def _rules(options: argparse.Namespace) -> None:
    """Show the timeline of the rules; with --on, the rules of a day; with --diff, what changed between two days."""
    if options.on:
        text, document = _edition(edition_for(options.on))
    elif options.diff:
        text, document = _difference(*options.diff)
    else:
        text, document = _amendments_text(AMENDMENTS), {"amendments": _amendment_objects(AMENDMENTS)}
    document["law_seen_through"] = LAW_SEEN_THROUGH.isoformat()
    print_answer(document, text, as_json=options.json)


def _amendments_text(amendments: Sequence[Amendment]) -> str:
    from crosstable.rules.documents import evidence_for
    from crosstable.rules.in_words import KNOWN

    lines = []
    for one in amendments:
        stated = f"stated as {one.stated}; " if one.stated != one.effective.isoformat() else ""
        assumed = "date assumed; " if one.is_uncertain else ""
        announced = f"announced {american(one.announced)}; " if one.announced else ""
        lines.append(
            f"{one.effective}  {one.summary}\n"
            f"            {assumed}{stated}{announced}{KNOWN[one.knowledge]}: {one.source}\n"
            f"            official results of 2001 to 2021: {evidence_for(one).verdict}\n"
        )
    return "".join(lines)


def _amendment_objects(amendments: Sequence[Amendment]) -> list[dict[str, Any]]:
    from crosstable.rules.documents import evidence_for

    return [
        {
            "effective": one.effective.isoformat(),
            "stated": one.stated,
            "announced": one.announced.isoformat() if one.announced else None,
            "date_assumed": one.is_uncertain,
            "summary": one.summary,
            "knowledge": one.knowledge.value,
            "source": one.source,
            "evidence": evidence_for(one).verdict,
        }
        for one in amendments
    ]


def _edition(edition: Edition) -> tuple[str, dict[str, Any]]:
    from crosstable.rules.in_words import edition_values
    from crosstable.rules.statements import DOCUMENTS, known_from, statements

    lines = [f"The rules of {american(edition.effective)}, as of the text of {american(LAW_SEEN_THROUGH)}.\n"]
    sentences = []
    part = ""
    for one in statements(edition):
        known = known_from(edition, one)
        lines += [f"\n{one.part}\n"] if one.part != part else []
        part = one.part
        since = f"since {american(known.since)}{' (date assumed)' if known.is_assumed else ''}: {known.source}"
        lines.append(wrapped(f"  {one.sentence}", "  ") + wrapped(f"    {one.mark}{since}", "    "))
        sentences.append(
            {
                "id": one.sentence.key,
                "part": one.part,
                "text": one.sentence.text,
                "section": f"§{one.section}" if one.section else None,
                "since": known.since.isoformat(),
                "date_assumed": known.is_assumed,
                "source": known.source,
            }
        )
    lines.append(f"\n{wrapped(DOCUMENTS)}")
    lines.append("crosstable rules prints every amendment. With --json you get every number of this day by name.\n")
    return "".join(lines), {
        "edition": edition.name,
        "rules": edition_values(edition),
        "sentences": sentences,
        "amendments": _amendment_objects(edition.amendments),
    }


def _difference(one: date, other: date) -> tuple[str, dict[str, Any]]:
    from crosstable.rules.in_words import edition_values

    earlier, later = sorted((one, other))
    before, after = edition_values(edition_for(earlier)), edition_values(edition_for(later))
    pairs = {name: (before.get(name, "-"), after.get(name, "-")) for name in (*before, *after)}
    changed = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    between = [amendment for amendment in AMENDMENTS if earlier < amendment.effective <= later]
    lines = "".join(f"{name}: {old} -> {new}\n" for name, (old, new) in changed.items())
    nothing = f"Nothing changed between {american(earlier)} and {american(later)}.\n"
    said = f"From {american(earlier)} to {american(later)}:\n\n{lines}\n" if changed else nothing
    return said + _amendments_text(between), {
        "from": earlier.isoformat(),
        "to": later.isoformat(),
        "changed": {name: list(pair) for name, pair in changed.items()},
        "amendments": _amendment_objects(between),
    }


def findings_parser() -> Parser:
    """What ``crosstable findings`` takes."""
    made = command_parser("findings", _findings)
    option(made, "code CODE", "the code in brackets at the end of a finding", nargs="?")
    take(made, "--on", "--json", on="by the rules of this day (default: the newest rules)", json=f"print {FINDINGS}")
    return made


def _findings(options: argparse.Namespace) -> None:
    """Explain the code of a finding: what it means, how serious it is, and what to do.

    Without a code, explain all.
    """
    from difflib import get_close_matches

    from crosstable.catalogue import CATALOGUE, meaning_of
    from crosstable.rules.in_words import phrases

    if options.code is not None and options.code not in CATALOGUE:
        near = get_close_matches(options.code.lower(), CATALOGUE, n=NEAR, cutoff=0.4)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise RefusedError(f"there is no code {options.code!r}.{hint}")
    edition = edition_for(options.on) if options.on else EDITIONS[-1]
    words = phrases(edition)
    found = [
        {
            "code": code,
            "severity": CATALOGUE[code].severity.value,
            "level": CATALOGUE[code].level.value,
            "meaning": meaning_of(code, words),
            "remedy": CATALOGUE[code].remedy,
        }
        for code in (CATALOGUE if options.code is None else [options.code])
    ]
    texts = [
        f"{one['code']} ({one['severity']}, {one['level']})\n"
        + wrapped(f"  {one['meaning']}", "  ")
        + wrapped(f"  What to do: {one['remedy']}", "  ")
        for one in found
    ]
    document = {"format": FINDINGS, "edition": edition.name, "findings": found}
    print_answer(document, "\n".join(texts), as_json=options.json)


def schema_parser() -> Parser:
    """What ``crosstable schema`` takes."""
    made = command_parser("schema", _schema)
    option(made, "name NAME", "which format", nargs="?", choices=(*READ, *schemas.names()))
    return made


def _schema(options: argparse.Namespace) -> None:
    """Print the format of a file.

    For event it is the JSON Schema of the event file, for members a template of a members file, for wallchart a
    template of a CSV wallchart. Every other name is a format that crosstable prints or writes, like rated for
    crosstable-rated/1, and you get its JSON Schema. Without a name, list all names.
    """
    sys.stdout.write(_listed() if options.name is None else _shape(options.name))


def _listed() -> str:
    every = {**READ, **{name: str(schemas.schema(name)["description"]) for name in schemas.names()}}
    width = max(map(len, every))
    return "".join(f"{name:<{width}}  {words}\n" for name, words in every.items())


def _shape(name: str) -> str:
    if name == "members":
        from crosstable.formats import members

        return members.TEMPLATE
    if name == "wallchart":
        from crosstable.formats import wallchart

        return wallchart.TEMPLATE
    if name == "event":
        from importlib.resources import files

        return files("crosstable.formats").joinpath("event.schema.json").read_text("utf-8")
    return json.dumps(schemas.schema(name), ensure_ascii=False, indent=1) + "\n"

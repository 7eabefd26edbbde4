"""``crosstable rules``: the timeline, the edition of a day, what changed between two days."""

import argparse
import json
import sys
from datetime import date
from typing import Any

from crosstable.cli.estimate_text import wrapped
from crosstable.cli.files import Help
from crosstable.errors import NoEditionError
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import LAW_SEEN_THROUGH, edition_for
from crosstable.rules.evidence import evidence_for
from crosstable.rules.in_words import KNOWN, edition_values
from crosstable.rules.law import Amendment, Edition
from crosstable.rules.statements import DOCUMENTS, Known, Statement, known_from, statements

FAULTY = 1


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable rules",
        formatter_class=Help,
        description="The timeline of the rules; with --on the rules in force for a section starting that day, in "
        "words; with --diff what changed between two days.",
    )
    which = made.add_mutually_exclusive_group()
    which.add_argument(
        "--on", type=read_day, metavar="DATE", help="the rules for a section starting that day, in words"
    )
    which.add_argument(
        "--diff", nargs=2, type=read_day, metavar=("D1", "D2"), help="what changed from one day to the other"
    )
    made.add_argument("--json", action="store_true", help="print it as JSON")
    return made


def read_day(text: str) -> date:
    """A day of the calendar, as an option gives it."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    try:
        if options.on:
            lines, document = _edition(edition_for(options.on))
        elif options.diff:
            lines, document = _difference(*options.diff)
        else:
            lines, document = _timeline()
    except NoEditionError as error:
        sys.stderr.write(f"crosstable rules: {error}\n")
        return FAULTY
    document["law_seen_through"] = LAW_SEEN_THROUGH.isoformat()
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n" if options.json else "".join(lines))
    return 0


def _amendment_lines(amendment: Amendment) -> list[str]:
    lines = [f"{amendment.effective}  {amendment.summary}\n"]
    stated = f"stated as {amendment.stated}; " if amendment.stated != amendment.effective.isoformat() else ""
    assumed = "date assumed; " if amendment.is_uncertain else ""
    announced = f"announced {amendment.announced}; " if amendment.announced else ""
    lines.append(f"            {assumed}{stated}{announced}{KNOWN[amendment.knowledge]}: {amendment.source}\n")
    lines.append(f"            official results of 2001 to 2021: {evidence_for(amendment).verdict}\n")
    return lines


def _amendment_object(amendment: Amendment) -> dict[str, Any]:
    return {
        "effective": amendment.effective.isoformat(),
        "stated": amendment.stated,
        "announced": amendment.announced.isoformat() if amendment.announced else None,
        "date_assumed": amendment.is_uncertain,
        "summary": amendment.summary,
        "knowledge": amendment.knowledge.value,
        "source": amendment.source,
        "evidence": evidence_for(amendment).verdict,
    }


def _timeline() -> tuple[list[str], dict[str, Any]]:
    lines = [line for amendment in AMENDMENTS for line in _amendment_lines(amendment)]
    return lines, {"amendments": [_amendment_object(amendment) for amendment in AMENDMENTS]}


def _edition(edition: Edition) -> tuple[list[str], dict[str, Any]]:
    lines = [f"The rules of {edition.name}, as seen through the text of {LAW_SEEN_THROUGH}.\n"]
    part = ""
    for one in statements(edition):
        lines += [f"\n{one.part}\n"] if one.part != part else []
        part = one.part
        lines.append(wrapped(f"  {one.sentence}", "  "))
        lines.append(wrapped(f"    {one.mark}{_known(known_from(edition, one))}", "    "))
    lines.append(f"\n{wrapped(DOCUMENTS)}")
    lines.append("crosstable rules prints every amendment; --json has every number of this day by name.\n")
    document = {
        "edition": edition.name,
        "rules": edition_values(edition),
        "sentences": [_statement_object(edition, one) for one in statements(edition)],
        "amendments": [_amendment_object(amendment) for amendment in edition.amendments],
    }
    return lines, document


def _known(known: Known) -> str:
    return f"since {known.since}{' (date assumed)' if known.is_assumed else ''}: {known.source}"


def _statement_object(edition: Edition, statement: Statement) -> dict[str, Any]:
    known = known_from(edition, statement)
    return {
        "id": statement.sentence.key,
        "part": statement.part,
        "text": statement.sentence.text,
        "section": f"§{statement.section}" if statement.section else None,
        "since": known.since.isoformat(),
        "date_assumed": known.is_assumed,
        "source": known.source,
    }


def _difference(one: date, other: date) -> tuple[list[str], dict[str, Any]]:
    earlier, later = sorted((one, other))
    before, after = edition_values(edition_for(earlier)), edition_values(edition_for(later))
    names = dict.fromkeys((*before, *after))
    pairs = {name: (before.get(name, "-"), after.get(name, "-")) for name in names}
    changed = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    between = [a for a in AMENDMENTS if earlier < a.effective <= later]
    lines = [f"From {earlier} to {later}:\n\n"] if changed else []
    lines += [f"{name}: {old} -> {new}\n" for name, (old, new) in changed.items()]
    lines += ["\n"] if changed else [f"Nothing changed between {earlier} and {later}.\n"]
    lines += [line for amendment in between for line in _amendment_lines(amendment)]
    document = {
        "from": earlier.isoformat(),
        "to": later.isoformat(),
        "changed": {name: list(pair) for name, pair in changed.items()},
        "amendments": [_amendment_object(amendment) for amendment in between],
    }
    return lines, document

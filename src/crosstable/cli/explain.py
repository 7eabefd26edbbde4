"""``crosstable explain``: the whole calculation of one player, step by step."""

import argparse
import json
import math
import sys
from typing import Any

from crosstable.cli.files import FAULTY, Help, add_file_options, chosen_inputs, print_faults, rated_input
from crosstable.cli.rule_option import take_rules
from crosstable.engine import RatedSection
from crosstable.explain import Line, explain
from crosstable.terms import RatingSystem
from crosstable.whole_event import RatedEvent

USAGE = 2


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable explain",
        formatter_class=Help,
        description="The whole calculation of one player, step by step, each line with its section of the document.",
    )
    made.add_argument("file", nargs="+", metavar="FILE", help="an event file, or the three DBF files")
    made.add_argument("--section", type=int, metavar="S", help="the section's number (default: the only one)")
    made.add_argument("--player", type=int, required=True, metavar="N", help="the player's number in the section")
    systems = [system.name for system in RatingSystem]
    made.add_argument("--system", choices=systems, help="one system (default: every system of the section)")
    made.add_argument("--json", action="store_true", help="print the lines as JSON, with every number in full")
    add_file_options(made)
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    if not take_rules(options):
        return FAULTY
    event = rated_input(chosen_inputs(options.file)[0], options)
    print_faults(chosen_inputs(options.file)[0].name, event.faults)
    if event.has_errors:
        return FAULTY
    rated = _chosen(event, options)
    if isinstance(rated, str):
        sys.stderr.write(f"crosstable explain: {rated}\n")
        return USAGE
    for section in rated:
        lines = explain(section, options.player)
        if options.json:
            document = explained_document(section, options.player, lines)
            sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
        else:
            sys.stdout.write(explained_text(section, options.player, lines))
    return 0


def _chosen(event: RatedEvent, options: argparse.Namespace) -> list[RatedSection] | str:
    """The rated sections that were asked for, or why there are none."""
    numbers = [by_system[0].section.number for by_system in event.sections]
    wanted = options.section if options.section is not None else numbers[0]
    if options.section is None and len(numbers) > 1:
        return f"the event has sections {', '.join(map(str, numbers))}; choose one with --section"
    if wanted not in numbers:
        return f"there is no section {wanted}; the sections are {', '.join(map(str, numbers))}"
    by_system = event.sections[numbers.index(wanted)]
    chosen = [rated for rated in by_system if options.system in (None, rated.system.name)]
    if not chosen:
        return f"section {wanted} is rated {', '.join(rated.system.name for rated in by_system)}, not {options.system}"
    if all(player.number != options.player for player in chosen[0].players):
        return f"there is no player {options.player} in section {wanted}"
    return chosen


def explained_text(rated: RatedSection, number: int, lines: tuple[Line, ...]) -> str:
    """An explanation as people read it."""
    player = next(player for player in rated.players if player.number == number)
    who = player.name or player.member_id or player.number
    return f"{who}, section {rated.section.number}, {rated.system.name}\n{lines_text(lines)}\n"


def lines_text(lines: tuple[Line, ...]) -> str:
    """The lines of an explanation, part by part, each with its section of the document."""
    out = []
    part = ""
    documents = [line.document for line in lines if line.document and line.part != "Rules"]
    usual = max(documents, key=documents.count, default="")
    for line in lines:
        if line.part != part:
            part = line.part
            out.append(f"\n{part}\n")
        cited = line.section if line.document in ("", usual) else f"{line.document} {line.section}"
        out.append(f"  {line.text} ({cited})\n" if cited else f"  {line.text}\n")
    return "".join(out)


def explained_document(rated: RatedSection, number: int, lines: tuple[Line, ...]) -> dict[str, Any]:
    """An explanation as programs read it."""
    ruled = {} if rated.edition.ruled is None else {"rules": rated.edition.ruled._asdict()}
    return {
        "format": "crosstable-explained/1",
        "section": rated.section.number,
        "player": number,
        "system": rated.system.name,
        "edition": rated.edition.name,
        **ruled,
        "lines": line_objects(lines),
    }


def line_objects(lines: tuple[Line, ...]) -> list[dict[str, Any]]:
    """The lines of an explanation as programs read them, with every number in full."""
    return [
        {
            "part": line.part,
            "section": line.section,
            "text": line.text,
            "name": line.name or None,
            "value": None if math.isnan(line.value) else line.value,
            "key": line.key,
            "document": line.document or None,
            "symbol": line.symbol or None,
            "formula": line.formula,
        }
        for line in lines
    ]

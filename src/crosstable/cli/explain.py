"""``crosstable explain``: the whole calculation of one player, step by step."""

import argparse
import json
import sys

from crosstable.cli.files import FAULTY, USAGE, Help, add_file_options, display_name, print_faults, rated_files
from crosstable.cli.rule_option import take_rules
from crosstable.engine import RatedSection
from crosstable.explanation import Line, explain
from crosstable.pipeline.explaining import chosen, explained_document
from crosstable.terms import RatingSystem


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
    add_file_options(made, chooses_sections=False)
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    if not take_rules(options):
        return FAULTY
    given, event = rated_files(options.file, options)[0]
    print_faults(display_name(given), event)
    if not event.rated:
        return FAULTY
    try:
        rated = chosen(event, options.player, options.section, options.system)
    except LookupError as error:
        sys.stderr.write(f"crosstable explain: {error.args[0]}\n")
        return USAGE
    for section in rated:
        lines = explain(section, options.player)
        if options.json:
            document = explained_document(section, options.player, lines)
            sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
        else:
            sys.stdout.write(explained_text(section, options.player, lines))
    return FAULTY if event.has_errors else 0


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

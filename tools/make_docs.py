"""Make the generated pages of docs/: the spec map, the checks, the commands, the rules.

Each page is printed from the code it describes, so it cannot say anything else; a test compares the committed pages
with what this program makes.
"""

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from crosstable.catalogue import CATALOGUE
from crosstable.cli import COMMANDS, overview
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH
from crosstable.rules.evidence import evidence_for

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(r"§(\d(?:\.\d)?)")
# Sections of other documents are not sections of this one.
FOREIGN_MARK = re.compile(r"(?:official facts|rules history|(?:2004|2015|2020) text)\s+§[\d.]+(?:\s+to\s+§[\d.]+)?")
NOTE = "<!-- Made by tools/make_docs.py; do not edit: run `make docs`. -->\n"

SECTIONS = {
    "1": "Structure of the rating algorithm",
    "2": "Initializing ratings",
    "2.1": "FIDE conversions",
    "2.2": "CFC conversions",
    "2.3": "Age-based ratings",
    "3": "Effective number of games",
    "4": "Main rating algorithm",
    "4.1": "Special rating formula",
    "4.2": "Standard rating formula",
    "5": "Rating floors",
    "6": "Foreign FIDE events",
    "7": "Miscellaneous details",
    "8": "Historical changes",
}


def pages() -> dict[Path, str]:
    """Every generated page by its path."""
    return {
        ROOT / "docs" / "spec-map.md": spec_map(),
        ROOT / "docs" / "checks.md": checks_page(),
        ROOT / "docs" / "commands.md": commands_page(),
        ROOT / "docs" / "rules.md": rules_page(),
    }


def main() -> int:
    """Write the pages that are not as they should be."""
    for path, text in pages().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"made {path.relative_to(ROOT)}")
    return 0


def marked(folder: str) -> Iterator[tuple[str, str, set[str]]]:
    """File, function and § marks of every function, class and module docstring below a folder."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        file = path.relative_to(ROOT).as_posix()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                marks = set(MARK.findall(FOREIGN_MARK.sub("", ast.get_docstring(node) or "")))
                if marks:
                    yield file, node.name, marks


def spec_map() -> str:
    """Which function implements each section of the document, and which tests hold it."""
    code: dict[str, list[str]] = defaultdict(list)
    tests: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for file, name, marks in marked("src/crosstable"):
        for mark in marks:
            code[mark].append(f"`{name}` ({file.removeprefix('src/crosstable/')})")
    for file, name, marks in marked("tests"):
        if name.startswith("test_"):
            for mark in marks:
                tests[mark][file] += 1
    lines = [
        "# Spec map\n\n",
        NOTE,
        "\nEvery section of the rating document of 2025-07-26, the functions that cite it and the tests that do.\n",
    ]
    for section, title in SECTIONS.items():
        lines.append(f"\n## §{section} {title}\n\n")
        lines += [f"- {entry}\n" for entry in sorted(set(code[section]))] or ["- **nothing implements it**\n"]
        held = [f"{file} ({count})" for file, count in sorted(tests[section].items())]
        lines.append(f"\nTests: {', '.join(held) if held else '**none**'}\n")
    return "".join(lines)


def checks_page() -> str:
    """Every code that a fault can have."""
    lines = [
        "# Checks\n\n",
        NOTE,
        "\nWhat `crosstable check` and every command that reads an event file can find. An error stops the rating; a\n"
        "warning informs. Codes are stable.\n\n",
        "| code | severity | what it means | what to do |\n|---|---|---|---|\n",
    ]
    lines += [f"| `{code}` | {kind.severity} | {kind.meaning} | {kind.remedy} |\n" for code, kind in CATALOGUE.items()]
    return "".join(lines)


def commands_page() -> str:
    """The help of every command."""
    lines = ["# Commands\n\n", NOTE, f"\n```\n{overview()}```\n"]
    for name, command in COMMANDS.items():
        module = import_module(command.module)
        lines.append(f"\n## crosstable {name}\n\n{command.summary.capitalize()}.\n\n")
        lines.append(f"```\n{module.parser().format_help()}```\n")
        lines += [_inner_command(parser) for parser in inner_parsers(module.parser())]
    lines.append(
        "\nExit codes: 0 done, 1 the input has faults (all printed) or the office refuses (nothing stored), 2 wrong\n"
        "usage, 3 an internal error with what to send. Warnings do not change the code.\n"
    )
    return "".join(lines)


def inner_parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of the commands inside a command, in their order; those that only group others are left out."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                below = list(inner_parsers(inner))
                yield from below or [inner]


def _inner_command(parser: argparse.ArgumentParser) -> str:
    return f"\n### {parser.prog}\n\n```\n{parser.format_help()}```\n"


def rules_page() -> str:
    """The timeline of the rules."""
    lines = [
        "# The rules and their dates\n\n",
        NOTE,
        f"\n{len(AMENDMENTS)} amendments make {len(EDITIONS)} editions; the law as seen through the text of\n"
        f"{LAW_SEEN_THROUGH}. A section is rated under the edition of the day it started. `crosstable rules --on\n"
        "DATE` prints a whole edition, `crosstable rules --diff D1 D2` what changed between two days.\n\n",
        "| from | as stated | what changed | known from | source | official results |\n|---|---|---|---|---|---|\n",
    ]
    for amendment in AMENDMENTS:
        assumed = " (date assumed)" if amendment.is_uncertain else ""
        known = f"{amendment.knowledge.value} | {amendment.source} | {evidence_for(amendment).verdict}"
        lines.append(f"| {amendment.effective}{assumed} | {amendment.stated} | {amendment.summary} | {known} |\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())

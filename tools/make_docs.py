"""Make the generated pages of docs/: the spec map, checks, commands, JSON formats, rules, what rule sets may change.

Each page is printed from the code it describes, so it cannot say anything else; a test compares the committed pages
with what this program makes.
"""

import argparse
import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from crosstable import schemas
from crosstable.cli import COMMANDS, overview, parser_of
from crosstable.cli.options import WIDEST, LazyCommands
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.constants import Conversion
from crosstable.rules.documents import evidence_for
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH
from crosstable.rules.in_words import DESCRIBED, Described, edition_values
from crosstable.rules.rule_sets import CONVERSIONS, plain_value
from crosstable.sentences import american
from tools.citations import PAGES, ROOT
from tools.findings_page import errors_page, warnings_page
from tools.library_page import library_page
from tools.record_page import SCHEMA, event_schema, record_page
from tools.sentence_map import TITLES, earlier_map, spec_map
from tools.source_pages import source_page
from tools.wallchart_page import wallchart_page

NOTE = "<!-- Made by tools/make_docs.py; do not edit: run `make docs`. -->\n"

# The pages of commands: title, commands, and for parts of the office the words that follow it.
COMMAND_PAGES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "commands": ("Commands", (), ()),
    "commands-events": (
        "Commands: events",
        ("rate", "explain", "check", "findings", "convert", "members", "verify", "audit", "fetch"),
        (),
    ),
    "commands-calculator": ("Commands: estimates and the calculator", ("estimate", "calculator"), ()),
    "commands-office": ("Commands: the office and its events", ("office",), ()),
    "commands-office-members": (
        "Commands: members of the office, and what takes two people",
        (),
        ("members", "outside-ratings", "proposals", "clear"),
    ),
    "commands-office-decide": ("Commands: decisions of the office", (), ("decide",)),
    "commands-office-record": (
        "Commands: ratings, rating lists and the record of the office",
        (),
        (
            *("rerate", "changes", "publish", "supplements", "ratings", "history", "explain", "log"),
            *("verify", "clock", "backup", "restore", "upgrade"),
        ),
    ),
    "commands-office-jobs": ("Commands: jobs, schedules and the worker", (), ("jobs", "schedule", "worker")),
    "commands-office-settings": ("Commands: settings of the office", (), ("settings",)),
    "commands-office-accounts": ("Commands: accounts of the office", (), ("users", "tokens")),
    "commands-lab": ("Commands: histories and the laboratory", ("history", "lab"), ()),
}
EXIT_CODES = """Exit codes: 0 done; 1 the input has errors (all are printed) or the office refuses (nothing is stored);
2 wrong usage; 3 an internal error, with what to send us. Warnings do not change the exit code.

The help of every command:

"""
# The pages of formats: title, first words, and how the names of their formats begin; events have the rest.
FORMAT_PAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "formats": (
        "JSON formats",
        "\nWhat crosstable prints with `--json` or writes into a folder names its format in the field `format`.\n"
        "Within a version fields are only added. `crosstable schema NAME` prints the JSON Schema of a format,\n"
        "`crosstable schema` lists the names. A field with `?` may be missing. The event file (`crosstable-event/1`),\n"
        "which `crosstable convert --to json` writes, has the schema `crosstable schema event`.\n\n",
        (),
    ),
    "formats-events": ("JSON formats: events", "", ()),
    "formats-calculator": ("JSON formats: estimates", "", ("estimate",)),
    "formats-office-people": (
        "JSON formats: people and accounts of the office",
        "",
        (
            *("office-member", "office-person", "office-erasures", "office-users", "office-tokens"),
            *("office-security-log", "office-proposals"),
        ),
    ),
    "formats-office": ("JSON formats: the office", "", ("office-",)),
    "formats-lab": (
        "JSON formats: histories and the laboratory",
        "",
        ("archive", "backtest", "comparison", "lab-", "replay", "sweep"),
    ),
}


def pages() -> dict[Path, Callable[[], str]]:
    """What makes every generated page, by the page's path."""
    return {
        ROOT / "docs" / "spec-map.md": lambda: spec_map(NOTE),
        ROOT / "docs" / "spec-map-earlier.md": lambda: earlier_map(NOTE),
        **{path: partial(source_page, source, path) for source, paths in PAGES.items() for path in paths},
        ROOT / "docs" / "checks.md": lambda: errors_page(NOTE),
        ROOT / "docs" / "checks-warnings.md": lambda: warnings_page(NOTE),
        **{ROOT / "docs" / f"{page}.md": partial(commands_page, page) for page in COMMAND_PAGES},
        **{ROOT / "docs" / f"{page}.md": partial(formats_page, page) for page in FORMAT_PAGES},
        ROOT / "docs" / "library.md": lambda: library_page(NOTE),
        ROOT / "docs" / "rating-record.md": lambda: record_page(NOTE),
        SCHEMA: event_schema,
        ROOT / "docs" / "wallcharts.md": lambda: wallchart_page(NOTE),
        ROOT / "docs" / "rules.md": rules_page,
        ROOT / "docs" / "rule-sets.md": rule_sets_page,
    }


def main() -> int:
    """Write the pages that are not as they should be."""
    for path, make in pages().items():
        text = make()
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"made {path.relative_to(ROOT)}")
    return 0


def formats_page(page: str) -> str:
    """JSON formats that are printed or written, field by field; the first page has what several formats share."""
    title, said, _ = FORMAT_PAGES[page]
    lines = [f"# {title}\n\n", NOTE, said]
    every = {name: schemas.schema(name) for name in schemas.names()}
    own, shared = _shapes()
    if page == "formats":
        lines += [f"- [{one['title']}]({_where(name)}): {one['description']}\n" for name, one in every.items()]
        lines.append("\n## Shapes that several formats share\n")
        lines += [_shape_part(name, shape) for name, shape in sorted(shared.items())]
    for name, found in every.items():
        if _page_of_format(name) == page:
            lines.append(
                f"\n## {found['title']}\n\n{found['description']}\n\nFrom: {found['$comment']}\n\n{_fields(found)}"
            )
            lines += [_shape_part(*shape) for shape in own[name].items()]
    return "".join(lines)


@cache
def _shapes() -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """The shapes of each format alone, and those that several formats share."""
    every = {name: schemas.schema(name) for name in schemas.names()}
    # A document that holds others brings their shapes along; they are told where they belong.
    own = {
        name: {} if (shapes := found.get("$defs", {})).keys() & every.keys() else shapes
        for name, found in every.items()
    }
    uses = Counter(shape for shapes in own.values() for shape in shapes)
    shared = {name: shape for shapes in own.values() for name, shape in shapes.items() if uses[name] > 1}
    return {name: {one: shapes[one] for one in shapes if one not in shared} for name, shapes in own.items()}, shared


def _page_of_format(name: str) -> str:
    return next((page for page, (_, _, begins) in FORMAT_PAGES.items() if name.startswith(begins)), "formats-events")


def _where(name: str) -> str:
    """A link to a format or a shape."""
    own, shared = _shapes()
    if name in own:
        return f"{_page_of_format(name)}.md#{_anchor(schemas.schema(name)['title'])}"
    page = "formats" if name in shared else _page_of_format(next(one for one, shapes in own.items() if name in shapes))
    return f"{page}.md#{name}"


def _anchor(heading: str) -> str:
    return re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-")


def _shape_part(name: str, shape: dict[str, Any]) -> str:
    said = _fields(shape) if "properties" in shape else f"{_kind_of(shape)}\n"
    return f"\n### {name}\n\n{shape['description']}\n\n{said}"


def _fields(shape: dict[str, Any]) -> str:
    rows = [f"| `{name}` | {kind} | {words} |\n" for name, kind, words in _rows(shape, "")]
    return "".join(["| field | value | what it is |\n|---|---|---|\n", *rows])


def _rows(shape: dict[str, Any], before: str) -> Iterator[tuple[str, str, str]]:
    """The fields of an object, and those of objects within it that have no name of their own."""
    for name, found in shape["properties"].items():
        is_sure = name in shape.get("required", ())
        yield f"{before}{name}{'' if is_sure else '?'}", _kind_of(found), found["description"]
        values = found.get("additionalProperties")
        for inner, mark in ((found, "."), (found.get("items"), "[]."), (values, ".*.")):
            if isinstance(inner, dict) and "properties" in inner:
                yield from _rows(inner, f"{before}{name}{mark}")


def _kind_of(shape: dict[str, Any]) -> str:
    """What values a field has, in a few words."""
    if "const" in shape:
        return f"`{json.dumps(shape['const'])}`"
    if "enum" in shape:
        return ", ".join("null" if one is None else f"`{one}`" for one in shape["enum"])
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        return f"[{name}]({_where(name)})"
    if "anyOf" in shape:
        return " or ".join(map(_kind_of, shape["anyOf"]))
    if "type" not in shape:
        return "any"
    kinds = [shape["type"]] if isinstance(shape["type"], str) else shape["type"]
    return " or ".join(_plain_kind(kind, shape) for kind in kinds)


def _plain_kind(kind: str, shape: dict[str, Any]) -> str:
    if "prefixItems" in shape:
        return f"list of {' and '.join(map(_kind_of, shape['prefixItems']))}"
    if kind == "array":
        return f"list of {_kind_of(shape['items'])}"
    if kind == "object" and isinstance(shape.get("additionalProperties"), dict):
        return f"object of {_kind_of(shape['additionalProperties'])}"
    return str(shape.get("format", kind)) if kind == "string" else kind


def commands_page(page: str) -> str:
    """The help of the commands of a page, in its greatest width; the first page has the overview and the rest."""
    os.environ["COLUMNS"] = str(WIDEST + 2)
    title, own, _ = COMMAND_PAGES[page]
    lines = [f"# {title}\n\n", NOTE]
    if page == "commands":
        lines += [f"\n```\n{overview()}```\n\n", EXIT_CODES]
        lines += [f"- [{other}]({name}.md)\n" for name, (other, _, _) in COMMAND_PAGES.items() if name != page]
        told = {name for _, names, _ in COMMAND_PAGES.values() for name in names}
        own = tuple(name for name in COMMANDS if name not in told)
    for name, command in COMMANDS.items():
        parser = parser_of(name)
        if name in own:
            lines.append(f"\n## crosstable {name}\n\n{command.summary[0].upper()}{command.summary[1:]}.\n\n")
            lines.append(f"```\n{parser.format_help()}```\n")
        if name in own or name == "office":
            level = "###" if own else "##"
            lines += [_inner_command(inner, level) for inner in inner_parsers(parser) if _page_of(inner) in (page, "")]
    return "".join(lines)


def _page_of(parser: argparse.ArgumentParser) -> str:
    """The page of a command inside ``office``; nothing for those of other commands."""
    _, name, word, *_ = parser.prog.split()
    pages = (page for page, (_, _, inside) in COMMAND_PAGES.items() if word in inside)
    return next(pages, "commands-office") if name == "office" else ""


def inner_parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of the commands inside a command, in their order; those that only group others are left out."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.filled() if isinstance(action, LazyCommands) else action.choices.values():
                below = list(inner_parsers(inner))
                yield from below or [inner]


def _inner_command(parser: argparse.ArgumentParser, level: str) -> str:
    return f"\n{level} {parser.prog}\n\n```\n{parser.format_help()}```\n"


def rules_page() -> str:
    """The timeline of the rules."""
    lines = [
        "# The rules and their dates\n\n",
        NOTE,
        f"\n{len(AMENDMENTS)} amendments make {len(EDITIONS)} editions; the rules as of the text of\n"
        f"{american(LAW_SEEN_THROUGH)}. A section is rated under the edition of the day it started.\n"
        "`crosstable rules --on DATE` prints a whole edition, `crosstable rules --diff D1 D2` what changed\n"
        "between two days.\n\n",
        "| from | as stated | what changed | known from | source | official results |\n|---|---|---|---|---|---|\n",
    ]
    for amendment in AMENDMENTS:
        assumed = " (date assumed)" if amendment.is_uncertain else ""
        known = f"{amendment.knowledge.value} | {amendment.source} | {evidence_for(amendment).verdict}"
        lines.append(f"| {amendment.effective}{assumed} | {amendment.stated} | {amendment.summary} | {known} |\n")
    return "".join(lines)


RULE_SETS = """
A rule set is the official rules with some constants changed, as a TOML file:

```toml
name = "A softer bonus"          # how results name it (default: the name of the file)
base = "by date"                 # each section by its own edition; or a day, for every section
since = "2008-06-06"             # for a time only: the first day, on which an edition begins …
until = "2012-08-03"             # … and before another; the official rules hold before and after
note = "why it was made"         # for you

[changes]
bonus_threshold = 14             # a number
dual_k_is_reduced = false        # true or false
initialisation = "blend"         # a word
game_factors.OTBQ.OTBR = 8       # tables by two systems: for a player unrated in OTBQ who has an OTBR rating
fide.1.slope = 1.5               # conversions and lists by number, from 1: limit, is_closed, intercept, slope
priorities.OTBQ.1.at_least = 10  # source, at_least, at_most, credit
cfc = [{ limit = 1500, intercept = -90, slope = 1 }, { intercept = -240, slope = 1.1 }]  # or as a whole
```

The changes apply to every edition in the time that the rule set covers. A conversion has at most four pieces, in
ascending order of `limit`; the last piece has no limit. For a rating that a conversion calls *not found*, no document
is known, and such a section cannot be rated. A rating exactly at a limit belongs to the piece with that limit, or, with
`is_closed = false`, to the next piece. A list of `priorities` has at most eight lines. The `credit` of a line says how
many games the start counts as: `nothing`, `its_games` (those of the source), `full` (`credited_cap`) or `by_rating`
(as for FIDE and CFC ratings below). Where the allowed values have no upper end, you may write `inf` (infinity).

`crosstable lab rules FILE` checks a rule set and prints what it changes. `crosstable rate`, `explain` and `check`,
`crosstable history replay`, and the commands `backtest`, `report`, `sweep` and `committee` of `crosstable lab` take it
as `--rules FILE`. Results name the rule set and a hash of all constants that result, so two files that say the same
have the same hash. If a name is unknown, the error message suggests the closest known name. All mistakes in a file
are reported at once. A rule set cannot change which rating systems exist or which time controls belong to them: these
are the official ones of the day the section started.

The tables below list the constants by section of the rating document, with the values that are allowed and the
official values. [How a rating is calculated](how-ratings-work.md) explains the steps that they name, and [the
glossary](glossary.md) the codes of the six systems. A value with a day in parentheses holds from that day; a value
without a day holds since 2001. A conversion is given piece by piece: x is the rating that is converted. [The
timeline](rules.md) says which of these days are assumed.
"""


def rule_sets_page() -> str:
    """Every constant that a rule set may change."""
    lines = ["# Rule sets\n\n", NOTE, RULE_SETS]
    for section, title in TITLES.items():
        inside = {name: one for name, one in DESCRIBED.items() if one.paragraph == section}
        if not inside:
            continue
        lines.append(f"\n## §{section} {title}\n\n| name | meaning | allowed values | official |\n|---|---|---|---|\n")
        for name, one in inside.items():
            lines.append(f"| `{name}` | {one.meaning} | {_sense(name, one)} | {_official(name)} |\n")
    return "".join(lines)


def _sense(name: str, described: Described) -> str:
    value = getattr(EDITIONS[-1].constants, name)
    if isinstance(value, bool):
        return "`true`, `false`"
    if described.most <= described.least:
        return {"initialisation": "`priority`, `blend`", "priorities": "lists, as above"}.get(name, "pieces, as above")
    most = "" if described.most == float("inf") else f" to {described.most:g}"
    return f"{described.least:g}{most or ' or more'}"


def _official(name: str) -> str:
    """The official values of a constant, each with the day from which it holds."""
    if name in CONVERSIONS:
        return _periods(name)
    found: list[str] = []
    last = None
    for edition in EDITIONS:
        value = edition_values(edition).get(name)
        if value is not None:
            value = json.dumps(plain_value(getattr(edition.constants, name))).strip('"')
        if value is not None and value != last:
            found.append(value if edition is EDITIONS[0] else f"{value} ({edition.name})")
            last = value
    return ", then ".join(found) or "`crosstable rules --on DATE` prints them"


def _periods(name: str) -> str:
    """The official forms of a conversion, each with the day from which it holds."""
    found: list[str] = []
    last = ""
    for edition in EDITIONS:
        text = _pieces(getattr(edition.constants, name))
        if text != last:
            found.append(text if edition is EDITIONS[0] else f"**From {edition.name}:** {text}")
            last = text
    return ". ".join(found)


def _pieces(conversion: Conversion) -> str:
    """A conversion piece by piece: where a piece applies, then its formula."""
    texts, beyond = [], ""
    for piece in dict.fromkeys(conversion):
        formula = "not found" if math.isnan(piece.slope) else f"{piece.intercept:g} + {piece.slope:g} x"
        is_last = math.isinf(piece.limit)
        where = beyond if is_last else f"{'up to' if piece.is_closed else 'below'} {piece.limit:g}: "
        beyond = f"above {piece.limit:g}: " if piece.is_closed else f"from {piece.limit:g} up: "
        texts.append(f"{where}{formula}")
    return "; ".join(texts)


if __name__ == "__main__":
    sys.exit(main())

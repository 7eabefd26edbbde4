"""The gallery of findings: every code with what one sees, its cause and its cure, from the catalogue itself.

What one sees is what a small file with that one mistake is told; where no single file can provoke a finding, the text
of its message, with dots for what the finding puts in.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache

from crosstable.catalogue import CATALOGUE, meaning_of
from crosstable.checks.owners import FIELDS
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import read
from crosstable.rules.editions import EDITIONS
from crosstable.rules.in_words import phrases
from tests.checks.provoked import CASES


def errors_page(note: str) -> str:
    """The errors, and who may say what."""
    lines = [
        "# Findings: errors\n\n",
        note,
        "\nWhat `crosstable check` and every command that reads an event file can find: what you see, the cause and\n"
        "the cure. An error stops the rating of its section; [warnings](checks-warnings.md) inform. Codes are stable,\n"
        "and `crosstable findings CODE` prints the same. The level is where a finding would stand among the four of\n"
        "US Chess's own validation (Fatal, Hot, Medium, Mild). Its list is not public, so the ranking and the wording\n"
        "are ours. What is marked *confirm* stops an office until somebody says that it is right.\n",
        *(_entry(code) for code, kind in CATALOGUE.items() if kind.severity.stops),
        "\n## Who may say what\n\n"
        "Every field of an event file that comes to an office has an owner. The director's fields are taken as they\n"
        "are. For what the record knows the record counts, and a file that says otherwise is told so. What only the\n"
        "office may say is a request: the section waits until the office agrees (`office confirm`). `crosstable rate`\n"
        "takes every field, warns of those of the office, and lists them in `assumed`.\n\n"
        "| field | owner | findings |\n|---|---|---|\n",
    ]
    for field, owned in FIELDS.items():
        lines.append(f"| `{field}` | {owned.owner} | {', '.join(f'`{code}`' for code in owned.codes)} |\n")
    return "".join(lines)


def warnings_page(note: str) -> str:
    """The warnings."""
    said = "\nThe second part of the [gallery of findings](checks.md): what informs and stops nothing.\n"
    every = (_entry(code) for code, kind in CATALOGUE.items() if not kind.severity.stops)
    return "".join(["# Findings: warnings\n\n", note, said, *every])


def _entry(code: str) -> str:
    kind = CATALOGUE[code]
    seen = _seen().get(code) or next(_messages(kind.says), "")
    example = f" *You see:* {_escaped(seen)}" if seen and seen != kind.meaning else ""
    severity = kind.severity.value.capitalize()
    cause = meaning_of(code, phrases(EDITIONS[-1]))
    return f"\n## {code}\n\n{severity}, {kind.level}. {cause}{example} *What to do:* {_escaped(kind.remedy)}\n"


def _messages(says: str | Mapping[str, str]) -> Iterator[str]:
    for text in filter(None, [says] if isinstance(says, str) else says.values()):
        yield re.sub(r"\{[^}]*\}", "…", text)


@cache
def _seen() -> dict[str, str]:
    """What a file with one mistake is told, by code."""
    found: dict[str, str] = {}
    for case in CASES:
        if case.code not in found:
            told = rate(read(json.dumps(case.event).encode(), "event.json")).faults
            found[case.code] = next(one.message for one in told if one.code == case.code)
    return found


def _escaped(text: str) -> str:
    return re.sub(r"([*_<|])", r"\\\1", text)

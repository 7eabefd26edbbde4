"""``crosstable findings``: what the code of a finding means and what to do about it."""

import argparse
import json
import sys
from difflib import get_close_matches
from typing import Any

from crosstable.catalogue import CATALOGUE, meaning_of
from crosstable.cli.estimate_text import wrapped
from crosstable.cli.files import Help
from crosstable.cli.rules import read_day
from crosstable.errors import NoEditionError
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.rules.law import Edition
from crosstable.rules.phrases import phrases

FORMAT = "crosstable-findings/1"
FAULTY = 1
USAGE = 2
NEAR = 3


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable findings",
        formatter_class=Help,
        description="What the code of a finding means, how grave it is, and what to do about it; without a code, all.",
    )
    made.add_argument("code", nargs="?", metavar="CODE", help="the code in brackets at the end of a finding")
    made.add_argument("--on", type=read_day, metavar="DATE", help="by the rules of this day (default: the newest)")
    made.add_argument("--json", action="store_true", help=f"print {FORMAT}")
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    if options.code is not None and options.code not in CATALOGUE:
        near = get_close_matches(options.code.lower(), CATALOGUE, n=NEAR, cutoff=0.4)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        sys.stderr.write(f"crosstable findings: there is no code {options.code!r}.{hint}\n")
        return USAGE
    try:
        edition = edition_for(options.on) if options.on else EDITIONS[-1]
    except NoEditionError as error:
        sys.stderr.write(f"crosstable findings: {error}\n")
        return FAULTY
    found = finding_objects(edition, options.code)
    if options.json:
        document = {"format": FORMAT, "edition": edition.name, "findings": found}
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(_text(one) for one in found))
    return 0


def finding_objects(edition: Edition, code: str | None = None) -> list[dict[str, Any]]:
    """One code or all of them, with what each means under an edition."""
    words = phrases(edition)
    codes = CATALOGUE if code is None else [code]
    return [
        {
            "code": one,
            "severity": CATALOGUE[one].severity.value,
            "meaning": meaning_of(one, words),
            "remedy": CATALOGUE[one].remedy,
        }
        for one in codes
    ]


def _text(found: dict[str, Any]) -> str:
    meaning, remedy = wrapped(f"  {found['meaning']}", "  "), wrapped(f"  What to do: {found['remedy']}", "  ")
    return f"{found['code']} ({found['severity']})\n{meaning}{remedy}"

"""How to repeat a report: the rule sets as files, the commands, the versions; made from what was found."""

import platform
import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from crosstable import __version__
from crosstable.lab.judged import Backtest
from crosstable.lab.other_systems import OtherSystem
from crosstable.lab.population import Federation
from crosstable.rules.rule_files import rules_text
from crosstable.rules.rule_sets import RuleSet

LIBRARIES = ("numpy", "polars", "numba")
# What lab simulate has options for that are always given; of the rest only what is not usual.
_TOLD = ("members", "sections", "years", "seed")


def file_of(rules: RuleSet | OtherSystem) -> str:
    """What a command is given for a rule set or another system: a name, a day, or the file it is written to."""
    if isinstance(rules, OtherSystem):
        return rules.name
    if not rules.changes and rules.since is None and rules.until is None:
        return "official" if rules.base is None else str(rules.base)
    return f"{re.sub(r'[^a-z0-9]+', '-', rules.name.lower()).strip('-') or 'rules'}.toml"


def files_of(found: Backtest) -> dict[str, str]:
    """The files that the commands need, by name."""
    made = [one.rules for one in found.everyone if isinstance(one.rules, RuleSet)]
    return {file_of(rules): rules_text(rules) for rules in made if file_of(rules).endswith(".toml")}


def commands_of(found: Backtest, source: Mapping[str, Any], sweep: str = "") -> list[str]:
    """The commands that give the same report from the same files."""
    return [*_simulating(found.archive, source), " ".join(_reporting(found, sweep))]


def _simulating(archive: str, source: Mapping[str, Any]) -> Iterator[str]:
    told = source.get("simulated", {})
    if not all(name in told for name in _TOLD):
        return
    options = [f"--{name} {told[name]}" for name in _TOLD]
    for name, usual in Federation._field_defaults.items():
        given = told.get(name, usual)
        if name not in _TOLD and str(given) != str(usual):
            options.append(f"--set {name}={given}")
    yield f"crosstable lab simulate {' '.join(options)} --out {shlex.quote(archive)}"


def _reporting(found: Backtest, sweep: str) -> Iterator[str]:
    yield f"crosstable lab report {shlex.quote(found.archive)} --rules {file_of(found.judged.rules)}"
    for one in found.rivals:
        yield f"--against {file_of(one.judged.rules)}"
    if found.start is not None:
        yield f"--from {found.start}"
    if found.end is not None:
        yield f"--to {found.end}"
    if sweep:
        yield f"--sweep {shlex.quote(sweep)}"
    yield f"--seed {found.draws.seed} --draws {found.draws.replicates} --out report.html"


def versions() -> dict[str, str]:
    """This program, the interpreter, and the libraries that compute."""
    return {
        "crosstable": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }

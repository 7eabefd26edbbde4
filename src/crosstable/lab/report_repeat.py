"""How to repeat a report: the rule sets as files, the commands, the versions; made from what was found."""

import hashlib
import platform
import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from crosstable import __version__
from crosstable.lab.judged import Backtest
from crosstable.lab.other_systems import OtherSystem
from crosstable.lab.parameters import written
from crosstable.lab.population import Federation
from crosstable.lab.sweep_plan import plan_text
from crosstable.rules.rule_files import rules_text
from crosstable.rules.rule_sets import RuleSet

LIBRARIES = ("numpy", "polars", "numba")
# What lab simulate has options for that are always given; of the rest only what is not usual.
_TOLD = ("members", "sections", "years", "seed")
PLAN = "plan.toml"
# How the folder of posted pages is called in commands: an archive does not keep where it lay.
PAGES = "PAGES"
_DAYS = {"first": "--from", "choose_until": "--choose-until", "last": "--to"}


def file_of(rules: RuleSet | OtherSystem) -> str:
    """What a command is given for a rule set or another system: a name, a day, or the file it is written to."""
    if isinstance(rules, OtherSystem):
        return rules.name
    if not rules.changes and rules.since is None and rules.until is None:
        return "official" if rules.base is None else str(rules.base)
    return f"{re.sub(r'[^a-z0-9]+', '-', rules.name.lower()).strip('-') or 'rules'}.toml"


def files_of(found: Backtest, sweep: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The files that the commands need, by name."""
    files = _plan_of(sweep)
    for one, name in zip(found.everyone, given_of(found, files), strict=True):
        if isinstance(one.rules, RuleSet) and name.endswith(".toml"):
            files[name] = rules_text(one.rules)
    return files


def given_of(found: Backtest, taken: Mapping[str, str]) -> list[str]:
    """What commands are given for everyone who is judged, in order; no two files have one name."""
    texts = dict(taken)
    names = []
    for one in found.everyone:
        name = file_of(one.rules)
        if isinstance(one.rules, RuleSet) and name.endswith(".toml"):
            text = rules_text(one.rules)
            if texts.get(name, text) != text:
                name = f"{name.removesuffix('.toml')}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.toml"
            texts[name] = text
        names.append(name)
    return names


def _plan_of(sweep: Mapping[str, Any] | None) -> dict[str, str]:
    """The plan of a sweep as a file, where the sweep says it."""
    document = (sweep or {}).get("plan", {}).get("document")
    return {PLAN: plan_text(document)} if document else {}


def commands_of(
    found: Backtest, source: Mapping[str, Any], sweep: Mapping[str, Any] | None = None, sweep_folder: str = ""
) -> list[str]:
    """The commands that give the same report from the same files."""
    plan = _plan_of(sweep)
    sweeping = [" ".join(_sweeping(found, sweep, sweep_folder))] if sweep is not None and plan else []
    reporting = " ".join(_reporting(found, given_of(found, plan), sweep_folder))
    return [*_simulating(found.archive, source), *_pages(found.archive, source), *sweeping, reporting]


def _simulating(archive: str, source: Mapping[str, Any]) -> Iterator[str]:
    told = source.get("simulated", {})
    if not all(name in told for name in _TOLD):
        return
    options = [f"--{name} {told[name]}" for name in _TOLD]
    for name, usual in Federation._field_defaults.items():
        given = written(told.get(name, usual))
        if name not in _TOLD and given != written(usual):
            options.append(f"--set {name}={given}")
    yield f"crosstable lab simulate {' '.join(options)} --out {shlex.quote(archive)}"


def _pages(archive: str, source: Mapping[str, Any]) -> Iterator[str]:
    if "pages" in source:
        carried = " --carried" if source.get("carried") else ""
        yield f"crosstable lab pages {PAGES}{carried} --out {shlex.quote(archive)}"


def _sweeping(found: Backtest, sweep: Mapping[str, Any], folder: str) -> Iterator[str]:
    archive = sweep["archive"]
    where = found.archive if archive["digest"] == found.archive_digest else archive["folder"]
    yield f"crosstable lab sweep {shlex.quote(where)} --plan {PLAN}"
    for name, option in _DAYS.items():
        if sweep["days"][name] is not None:
            yield f"{option} {sweep['days'][name]}"
    yield f"--metric {sweep['metric']}"
    if sweep.get("judges_all"):
        yield "--judge-all"
    yield f"--seed {sweep['draws']['seed']} --draws {sweep['draws']['replicates']} --out {shlex.quote(folder)}"


def _reporting(found: Backtest, given: list[str], sweep: str) -> Iterator[str]:
    yield f"crosstable lab report {shlex.quote(found.archive)} --rules {given[0]}"
    for name in given[1:]:
        yield f"--against {name}"
    for python in dict.fromkeys(one.rules.python for one in found.everyone if isinstance(one.rules, OtherSystem)):
        if python:
            yield f"--peers {shlex.quote(python)}"
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

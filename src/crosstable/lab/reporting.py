"""A report of a back-test: one page for people, one document for programs, with everything needed to repeat it.

    from crosstable.lab import report
    report("archive", against=["slow.toml", "elo"]).write("report.html")

In a notebook the last value of a cell shows itself as the page.
"""

import hashlib
import os
import platform
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from crosstable import __version__
from crosstable.errors import HistoryError
from crosstable.history.archive import opened
from crosstable.lab.backtesting import Against, Day, backtest
from crosstable.lab.documents import write_whole
from crosstable.lab.drawing import CONFIDENCE, Draws
from crosstable.lab.judgements import ONE_DRAW, Backtest, backtest_document
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.plans import plan_text
from crosstable.lab.population import Federation, written
from crosstable.lab.report_content import Block, Part, capital, paragraph, parts_of, read_sweep, sweep_part
from crosstable.output.charts import chart_style
from crosstable.rules.rule_files import rules_text
from crosstable.rules.rule_sets import OFFICIAL, RuleSet

FORMAT = "crosstable-lab-report/1"
LIBRARIES = ("numpy", "polars", "numba")
# What lab simulate has options for that are always given; of the rest only what is not usual.
_TOLD = ("members", "sections", "years", "seed")
PLAN = "plan.toml"
# How the folder of posted pages is called in commands: an archive does not keep where it lay.
PAGES = "PAGES"
_DAYS = {"first": "--from", "choose_until": "--choose-until", "last": "--to"}
_FOLDER = Path(__file__).parent


class Report(NamedTuple):
    """A back-test, where its archive comes from, and the results of a sweep if they belong to it, with their folder."""

    found: Backtest
    source: Mapping[str, Any]
    sweep: Mapping[str, Any] | None = None
    sweep_folder: str = ""

    @property
    def html(self) -> str:
        """The page, which needs nothing else: no script, no font, no picture is loaded from anywhere."""
        swept = [] if self.sweep is None else [sweep_part(self.sweep, self.found.archive_digest)]
        return page_of(title_of(self.found), _lead(self.found), [*parts_of(self.found), *swept, _repeat(self)])

    @property
    def document(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "format": FORMAT,
            "backtest": backtest_document(self.found),
            "sweep": self.sweep,
            "source": dict(self.source),
            "versions": versions(),
            "files": files_of(self)[0],
            "commands": commands_of(self),
        }

    def write(self, path: str | os.PathLike[str], *, is_forced: bool = False) -> None:
        """Write the page; another file of this name is kept unless it is to be replaced."""
        target = os.fspath(path)
        if os.path.exists(target) and not is_forced:
            raise HistoryError(f"{target} is there already; give another name, or force it")
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        write_whole(target, self.html)

    def _repr_html_(self) -> str:
        """What a notebook shows: the page in a frame of its own, so that its style stays with it."""
        style = "width: 100%; height: 80vh; border: 0"
        return f'<iframe title="Report" style="{style}" srcdoc="{escape(self.html)}"></iframe>'


def page_of(title: str, lead: str, parts: Sequence[Part]) -> str:
    """One page of parts, which needs nothing else."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = chart_style() + (_FOLDER / "report.css").read_text("utf-8")
    return templates.get_template("report.html").render(
        title=title, lead=lead, parts=parts, style=style, version=__version__
    )


def report(
    archive: str | os.PathLike[str] | Backtest,
    rules: str | RuleSet = OFFICIAL,
    against: Against | Sequence[Against] | None = None,
    *,
    span: tuple[Day, Day] = (None, None),
    draws: Draws | None = None,
    sweep: str | os.PathLike[str] = "",
) -> Report:
    """The report of a back-test that was made, or of one that is made for it; ``sweep`` is a folder of results."""
    folder = os.fspath(sweep)
    swept = read_sweep(folder) if folder else None
    found = archive if isinstance(archive, Backtest) else backtest(archive, rules, against, span=span, draws=draws)
    return Report(found, opened(found.archive).source, swept, folder)


def title_of(found: Backtest) -> str:
    """What the report is about."""
    first, *others = [one.rules.name for one in found.everyone]
    first = capital(first)
    if not others:
        return f"{first}: a back-test"
    *early, last = others
    listed = f"{', '.join(early)} and {last}" if early else last
    return f"{first} against {listed}"


def _lead(found: Backtest) -> str:
    days = "".join(f" {word} {day}" for word, day in (("from", found.start), ("to", found.end)) if day is not None)
    share, draws = f"{100 * CONFIDENCE:g} % intervals", found.draws
    if draws.federations:
        drawn = f"Figures are means of {draws.federations} federations; {share} come from how these differ."
    else:
        drawn = f"{share} come from {draws.replicates} draws of members and of times."
        drawn = f"{drawn} {ONE_DRAW}" if found.best is not None else drawn
    return (
        f"{found.games:,} predictions of games in {found.sections:,} sections{days}, each made before its section was "
        f"played. {drawn}"
    )


def _repeat(report: Report) -> Part:
    found = report.found
    facts = [
        ("archive", found.archive),
        ("its digest", found.archive_digest),
        ("seed of the draws", str(found.draws.seed)),
        ("draws", str(found.draws.replicates)),
        *((f"rules {one.rules.name}", one.rules.title) for one in found.everyone),
        ("versions", ", ".join(f"{name} {number}" for name, number in versions().items())),
    ]
    blocks: list[Block] = [("definitions", (facts,))]
    for name, text in files_of(report)[0].items():
        blocks += [paragraph(f"Put this into {name}:"), ("code", (text,))]
    if "pages" in report.source:
        blocks.append(paragraph(f"{PAGES} is the folder of the {report.source['pages']:,} posted pages."))
    blocks.append(paragraph("Then the same commands give the same numbers:"))
    return Part("repeat", "To repeat it", [*blocks, ("code", ("\n".join(commands_of(report)),))])


def file_of(rules: RuleSet | OtherSystem) -> str:
    """What a command is given for a rule set or another system: a name, a day, or the file it is written to."""
    if isinstance(rules, OtherSystem):
        return rules.name
    if not rules.changes and rules.since is None and rules.until is None:
        return "official" if rules.base is None else str(rules.base)
    return f"{re.sub(r'[^a-z0-9]+', '-', rules.name.lower()).strip('-') or 'rules'}.toml"


def files_of(report: Report) -> tuple[dict[str, str], list[str]]:
    """The files that the commands need, by name, and what they are given for everyone who is judged, in order.

    The plan of a sweep is one of them, where the sweep says it; no two files have one name.
    """
    plan = (report.sweep or {}).get("plan", {}).get("document")
    files = {PLAN: plan_text(plan)} if plan else {}
    given = []
    for one in report.found.everyone:
        name = file_of(one.rules)
        if isinstance(one.rules, RuleSet) and name.endswith(".toml"):
            text = rules_text(one.rules)
            if files.get(name, text) != text:
                name = f"{name.removesuffix('.toml')}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.toml"
            files[name] = text
        given.append(name)
    return files, given


def commands_of(report: Report) -> list[str]:
    """The commands that give the same report from the same files."""
    files, given = files_of(report)
    found, source, sweep, folder = report
    sweeping = [" ".join(_sweeping(found, sweep, folder))] if sweep is not None and PLAN in files else []
    reporting = " ".join(_reporting(found, given, folder))
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
    if found.start is not None:
        yield f"--from {found.start}"
    if found.end is not None:
        yield f"--to {found.end}"
    if sweep:
        yield f"--sweep {shlex.quote(sweep)}"
    if found.draws.federations:
        yield f"--seeds {found.draws.federations}"
    yield f"--seed {found.draws.seed} --draws {found.draws.replicates} --out report.html"


def versions() -> dict[str, str]:
    """This program, the interpreter, and the libraries that compute."""
    return {
        "crosstable": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }

"""A report of a back-test: one page for people, one document for programs, with everything needed to repeat it.

    from crosstable.lab import report
    report("archive", against=["slow.toml", "elo"]).write("report.html")

In a notebook the last value of a cell shows itself as the page.
"""

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from crosstable.errors import HistoryError
from crosstable.history.archive import opened
from crosstable.lab.backtest_document import backtest_document
from crosstable.lab.backtesting import Against, Day, backtest
from crosstable.lab.bootstrap import Draws
from crosstable.lab.judged import Backtest
from crosstable.lab.report_page import report_page
from crosstable.lab.report_parts import Part
from crosstable.lab.report_repeat import commands_of, files_of, versions
from crosstable.lab.report_sweep import read_sweep, sweep_part
from crosstable.rules.rule_sets import OFFICIAL, RuleSet

FORMAT = "crosstable-lab-report/1"


class Report(NamedTuple):
    """A back-test, where its archive comes from, and the results of a sweep if they belong to it, with their folder."""

    found: Backtest
    source: Mapping[str, Any]
    sweep: Mapping[str, Any] | None = None
    sweep_folder: str = ""

    @property
    def html(self) -> str:
        """The page."""
        return report_page(self)

    @property
    def document(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "format": FORMAT,
            "backtest": backtest_document(self.found),
            "sweep": self.sweep,
            "source": dict(self.source),
            "versions": versions(),
            "files": files_of(self.found, self.sweep),
            "commands": commands_of(self.found, self.source, self.sweep, self.sweep_folder),
        }

    @property
    def swept(self) -> Part | None:
        """The part about a sweep."""
        return None if self.sweep is None else sweep_part(self.sweep, self.found.archive_digest)

    def write(self, path: str | os.PathLike[str], *, is_forced: bool = False) -> None:
        """Write the page; another file of this name is kept unless it is to be replaced."""
        target = os.fspath(path)
        if os.path.exists(target) and not is_forced:
            raise HistoryError(f"{target} is there already; give another name, or force it")
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        # Beside its place first, so that nobody sees half a page.
        partial = f"{target}.partial-{os.getpid()}"
        try:
            with open(partial, "w", encoding="utf-8") as file:
                file.write(self.html)
            os.replace(partial, target)
        finally:
            if os.path.exists(partial):
                os.remove(partial)

    def _repr_html_(self) -> str:
        """What a notebook shows: the page in a frame of its own, so that its style stays with it."""
        style = "width: 100%; height: 80vh; border: 0"
        return f'<iframe title="Report" style="{style}" srcdoc="{escape(self.html)}"></iframe>'


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

"""The sweep: try many rule sets on one history, choose on its earlier span, judge on its later one.

    from crosstable.lab import sweep
    found = sweep("archive", {"grid": {"bonus_threshold": [10, 12, 14]}}, out="folder")
    print(found)
    found.frame
    found.judgement.differences["deviance"]

With a folder every result is kept as soon as it is there, and the same call goes on where it was stopped.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.errors import HistoryError
from crosstable.history.archive import digest
from crosstable.lab.bootstrap import Draws, Estimate, Table, drawn_table, estimates
from crosstable.lab.metrics import Cells
from crosstable.lab.predictions import Whole
from crosstable.lab.sweep_backends import Where, check_where, finished
from crosstable.lab.sweep_code import code_digest
from crosstable.lab.sweep_folder import Folder, frame_of
from crosstable.lab.sweep_lanes import BRIER, CHOOSING, COLUMNS, DEVIANCE, GAMES, JUDGING, Sums
from crosstable.lab.sweep_plan import Plan, Varied, plan_of
from crosstable.lab.sweep_tasks import Days, Done, Job, Opened, Scored, begun, forget, scored_from
from crosstable.rules.rule_sets import OFFICIAL, RuleSet

METRICS: Mapping[str, int] = {"deviance": DEVIANCE, "brier": BRIER}
# So many rule sets are walked together: more gain little, and each takes room for its standings and results.
LANES = 4
Progress = Callable[[int, int], None]


def in_silence(done: int, total: int) -> None:
    """Progress that nobody watches."""


class Wishes(NamedTuple):
    """How a sweep is wanted.

    By ``metric`` the best is chosen. With ``judges_all`` every rule set is walked through the later span, not only the
    best; with ``starts_anew`` results in the folder are thrown away.
    """

    days: Days = Days()
    metric: str = "deviance"
    draws: Draws = Draws()
    judges_all: bool = False
    starts_anew: bool = False
    lanes: int = LANES


NO_WISHES = Wishes()


class Tried(NamedTuple):
    """One rule set of a sweep and its scores."""

    varied: Varied
    scored: Scored


class Judgement(NamedTuple):
    """The best rule set of the earlier span beside the official rules, on both spans.

    ``differences`` are those of the later span, by metric: the best less the official, from paired draws of sections;
    below zero the best predicts better.
    """

    best: Tried
    official: Scored
    chosen_by: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    sections: int


class Sweep(NamedTuple):
    """A sweep: of which archive and spans, every rule set with its scores, the best first, and the judgement."""

    archive: str
    archive_digest: str
    plan: Plan
    days: Days
    wishes: Wishes
    tried: tuple[Tried, ...]
    resumed: int
    judgement: Judgement

    def __str__(self) -> str:
        """The sweep in words, as the command prints it."""
        from crosstable.lab.sweep_text import sweep_text

        return sweep_text(self)

    def __repr__(self) -> str:
        """What a notebook shows of it."""
        return f"<Sweep of {len(self.tried)} rule sets: best {self.judgement.best.varied.rules.name}>"

    @property
    def frame(self) -> pl.DataFrame:
        """Every rule set with its scores and a column for each constant that was varied, the best first."""
        frame = frame_of({one.varied.rules.digest: (one.varied, one.scored) for one in self.tried})
        values = {name: [one.varied.values.get(name) for one in self.tried] for name in self.plan.names}
        columns = [pl.Series(name, _column(one), strict=False) for name, one in values.items()]
        return frame.drop("values").with_columns(columns)


def _column(values: Sequence[Any]) -> Sequence[Any]:
    """Values that a column can hold: whole tables as text."""
    return [str(one) if isinstance(one, list | dict) else one for one in values]


def sweep(
    archive: str | os.PathLike[str],
    plan: "str | os.PathLike[str] | Mapping[str, Any] | Plan",
    out: str | os.PathLike[str] | None = None,
    *,
    wishes: Wishes = NO_WISHES,
    where: Where | None = None,
    progress: Progress = in_silence,
) -> Sweep:
    """Score every rule set of a plan on an archive, choose the best on the earlier span and judge it on the later."""
    if wishes.metric not in METRICS:
        raise HistoryError(f"there is no metric {wishes.metric!r}; choose one of {', '.join(METRICS)}")
    where = where or Where()
    plan = plan_of(plan, wishes.draws.seed)
    check_where(where)
    folder = os.path.abspath(os.fspath(archive))
    job = Job(folder, digest(folder), wishes.days, wishes.judges_all, wishes.lanes, code_digest())
    kept: Folder | None = None
    try:
        job, history = begun(job)
        check_spans(history)
        if out is not None:
            kept = Folder(os.fspath(out), job, history.days, starts_anew=wishes.starts_anew)
            kept.begin_plan(plan)
        known = _known(plan, kept)
        tried = _tried(job, plan, known, (kept, where, progress))
        tried = ranked(tried, wishes.metric)
        judgement = judge(history, tried[0], wishes.draws)
    finally:
        if kept is not None:
            kept.close()
        forget()
    return Sweep(folder, job.archive, plan, history.days, wishes, tuple(tried), len(known), judgement)


def check_spans(history: Opened) -> None:
    """Both spans must have games."""
    days = history.days
    if not history.games_in(CHOOSING) and not history.games_in(JUDGING):
        raise HistoryError("there is no game to sweep over: the archive has none that can be predicted in these days")
    for span, said in (
        (CHOOSING, f"up to {days.choose_until} to choose"),
        (JUDGING, f"after {days.choose_until} to judge"),
    ):
        if not history.games_in(span):
            first, last = (history.start[history.predicted.span >= 0][[0, -1]]).tolist()
            raise HistoryError(
                f"there is no game {said} by; choose a day for --choose-until between {_day(first)} and {_day(last)}"
            )


def _day(number: int) -> str:
    return date.fromordinal(number).isoformat()


def _known(plan: Plan, kept: Folder | None) -> dict[str, Scored]:
    """The scores that an earlier run left."""
    found = {one.rules.digest: kept.find(one) for one in plan.varied} if kept is not None else {}
    return {name: scored for name, scored in found.items() if scored is not None}


def _tried(
    job: Job, plan: Plan, known: Mapping[str, Scored], means: tuple[Folder | None, Where, Progress]
) -> list[Tried]:
    """Every rule set of a plan with its scores; those that are not known are scored now."""
    kept, where, progress = means
    left = [one for one in plan.varied if one.rules.digest not in known]
    tasks = {at: left[at : at + job.lanes] for at in range(0, len(left), job.lanes)}
    scored = dict(known)
    progress(len(scored), len(plan.varied))
    if tasks:
        for done in finished(job, {at: [one.rules for one in part] for at, part in tasks.items()}, where):
            for varied, found in zip(tasks[done.task], _sound(done), strict=True):
                scored[varied.rules.digest] = found
                if kept is not None:
                    kept.keep(varied, found)
            progress(len(scored), len(plan.varied))
    return [Tried(one, scored[one.rules.digest]) for one in plan.varied]


def _sound(done: Done) -> tuple[Scored, ...]:
    if done.fault:
        raise HistoryError(f"a worker could not go on: {done.fault}")
    return done.scored


def ranked(tried: Sequence[Tried], metric: str) -> list[Tried]:
    """The best first; behind all others come those that could not rate every game, as means of other games tell little.

    A rule set that cannot rate the sections that are hard to predict would seem to predict well.
    """
    most = max(one.scored.choosing.games for one in tried)

    def rank(one: Tried) -> tuple[int, float]:
        scores = one.scored.choosing
        return most - scores.games, getattr(scores, metric) if scores.games else float("inf")

    return sorted(tried, key=rank)


def judge(history: Opened, best: Tried, draws: Draws) -> Judgement:
    """Walk the best and the official rules through everything and compare them, section by section."""
    if not best.scored.choosing.games:
        raise HistoryError("no rule set of the plan could rate a game of the earlier span")
    one, other = history.sums([best.varied.rules, OFFICIAL], history.index.sections)
    tables = {span: _table(history, (one, other), span, draws) for span in (CHOOSING, JUDGING)}
    return Judgement(
        Tried(best.varied, scored_from(one)),
        scored_from(other),
        _differences(tables[CHOOSING]),
        _differences(tables[JUDGING]),
        int(tables[JUDGING].clusters[0]),
    )


def _table(history: Opened, both: tuple[Sums, Sums], span: int, draws: Draws) -> Table:
    """The sums of a span over the sections that both could rate, drawn together: columns of the one, then the other."""
    inside = history.predicted.span == span
    for sums in both:
        inside = inside & (sums.by_section[:, GAMES] > 0)
    every: Whole = np.flatnonzero(inside)
    columns = np.concatenate([sums.by_section[every] for sums in both], axis=1)
    return drawn_table(Cells(every, np.zeros(len(every), dtype=np.int64), columns), [("all", "all")], every, draws)


def _differences(table: Table) -> dict[str, Estimate]:
    found = {}
    for name, column in METRICS.items():
        values, drawn = (
            sums[..., column] / sums[..., GAMES] - sums[..., COLUMNS + column] / sums[..., COLUMNS + GAMES]
            for sums in (table.whole, table.drawn)
        )
        found[name] = estimates(values, drawn, table.clusters)[0]
    return found


__all__ = ["Days", "Draws", "Plan", "RuleSet", "Sweep", "Where", "Wishes", "sweep"]

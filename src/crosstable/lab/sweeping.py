"""The sweep: try many rule sets on one history, choose on its earlier span, judge on its later one.

    from crosstable.lab import sweep
    found = sweep("archive", {"grid": {"bonus_threshold": [10, 12, 14]}}, out="folder")
    print(found)
    found.frame
    found.judgement.differences["deviance"]

With a folder every result is kept as soon as it is there, and the same call goes on where it was stopped.
"""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

import polars as pl

from crosstable import __version__
from crosstable.errors import HistoryError
from crosstable.history.archive import digest
from crosstable.lab.backtesting import judged_in_brief
from crosstable.lab.documents import plain, write_folder
from crosstable.lab.drawing import CONFIDENCE, Draws, Estimate
from crosstable.lab.judgements import Differences, warnings_of
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.measures import NO_UNRATED, Measure
from crosstable.lab.plans import Plan, plan_of
from crosstable.lab.sweep_folder import DOCUMENT, Folder, Tried, frame_of
from crosstable.lab.sweep_lanes import CHOOSING, JUDGING
from crosstable.lab.sweep_tasks import (
    Days,
    Job,
    Opened,
    Scored,
    Scores,
    Where,
    begun,
    check_where,
    code_digest,
    finished,
    forget,
    scored_from,
)
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.rules.rule_files import rules_text
from crosstable.rules.rule_sets import OFFICIAL, RuleSet, document_of

# What is chosen by: the deviance of games without an unrated player, whose starts would decide otherwise, or of all.
METRICS: Mapping[str, str] = {"rated": "deviance, no unrated", "deviance": "deviance, all", "brier": "Brier score, all"}
# So many rule sets are replayed together: more gain little, and each takes room for its records and results.
LANES = 4
Progress = Callable[[int, int], None]


def in_silence(done: int, total: int) -> None:
    """Progress that nobody watches."""


class SweepOptions(NamedTuple):
    """How a sweep is wanted.

    By ``metric`` the best is chosen. With ``judges_all`` every rule set is replayed through the later span, not only
    the best; with ``starts_anew`` results in the folder are thrown away.
    """

    days: Days = Days()
    metric: str = "rated"
    draws: Draws = Draws()
    judges_all: bool = False
    starts_anew: bool = False
    lanes: int = LANES


USUAL = SweepOptions()


class Judgement(NamedTuple):
    """The best rule set of the earlier span beside the official rules, on both spans.

    ``differences`` are those of the later span, by metric: the best less the official, from paired draws of members and
    times; below zero the best predicts better. ``warnings`` say where metrics disagree.
    """

    best: Tried
    official: Scored
    chosen_by: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    sections: int
    warnings: list[str]


class Sweep(NamedTuple):
    """A sweep: of which archive and spans, every rule set with its scores, the best first, and the judgement."""

    archive: str
    archive_digest: str
    plan: Plan
    days: Days
    options: SweepOptions
    tried: tuple[Tried, ...]
    resumed: int
    judgement: Judgement

    def __str__(self) -> str:
        """The sweep in words, as the command prints it."""
        return sweep_text(self)

    def __repr__(self) -> str:
        """What a notebook shows of it."""
        return f"<Sweep of {self.plan.tried}: best {self.judgement.best.varied.rules.name}>"

    @property
    def frame(self) -> pl.DataFrame:
        """Every rule set with its scores and a column for each constant that was varied, the best first."""
        frame = frame_of(self.tried)
        values = {name: [one.varied.values.get(name) for one in self.tried] for name in self.plan.names}
        columns = {  # whole tables as text
            name: [str(one) if isinstance(one, list | dict) else one for one in column]
            for name, column in values.items()
        }
        return frame.drop("values").with_columns(pl.Series(name, one, strict=False) for name, one in columns.items())


def sweep(
    archive: str | os.PathLike[str],
    plan: "str | os.PathLike[str] | Mapping[str, Any] | Plan",
    out: str | os.PathLike[str] | None = None,
    *,
    options: SweepOptions = USUAL,
    where: Where | None = None,
    progress: Progress = in_silence,
) -> Sweep:
    """Score every rule set of a plan on an archive, choose the best on the earlier span and judge it on the later."""
    if options.metric not in METRICS:
        raise HistoryError(f"there is no metric {options.metric!r}; choose one of {', '.join(METRICS)}")
    where = where or Where()
    plan = plan_of(plan, options.draws.seed)
    check_where(where)
    folder = os.path.abspath(os.fspath(archive))
    job = Job(folder, digest(folder), options.days, options.judges_all, options.lanes, code_digest())
    kept: Folder | None = None
    try:
        job, history = begun(job)
        check_spans(history)
        if out is not None:
            kept = Folder(os.fspath(out), job, history.days, starts_anew=options.starts_anew)
            kept.begin_plan(plan)
        known = _known(plan, kept)
        tried = _tried(job, plan, known, (kept, where, progress))
        tried = ranked(tried, options.metric)
        judgement = judge(folder, history, tried[0], options.draws)
    finally:
        if kept is not None:
            kept.close()
        forget()
    return Sweep(folder, job.archive, plan, history.days, options, tuple(tried), len(known), judgement)


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
            first, last = map(date.fromordinal, history.start[history.predicted.span >= 0][[0, -1]].tolist())
            raise HistoryError(
                f"there is no game {said} by; choose a day for --choose-until between {first} and {last}"
            )


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
            if done.fault:
                raise HistoryError(f"a worker could not go on: {done.fault}")
            for varied, found in zip(tasks[done.task], done.scored, strict=True):
                scored[varied.rules.digest] = found
                if kept is not None:
                    kept.keep(Tried(varied, found))
            progress(len(scored), len(plan.varied))
    return [Tried(one, scored[one.rules.digest]) for one in plan.varied]


def ranked(tried: Sequence[Tried], metric: str) -> list[Tried]:
    """The best first; behind all others come those that could not rate every game, as means of other games tell little.

    A rule set that cannot rate the sections that are hard to predict would seem to predict well.
    """
    most = max(one.scored.choosing.games for one in tried)

    def rank(one: Tried) -> tuple[int, float]:
        scores = one.scored.choosing
        return most - scores.games, getattr(scores, metric) if scores.games else float("inf")

    return sorted(tried, key=rank)


def judge(folder: str, history: Opened, best: Tried, draws: Draws) -> Judgement:
    """Replay the best and the official rules through everything and compare them."""
    if not best.scored.choosing.games:
        raise HistoryError("no rule set of the plan could rate a game of the earlier span")
    one, other = history.sums([best.varied.rules, OFFICIAL], history.index.sections)
    first, until, last = history.days
    assert until is not None
    rules = best.varied.rules
    pair: tuple[RuleSet, RuleSet | OtherSystem] = (rules, OFFICIAL) if isinstance(rules, RuleSet) else (OFFICIAL, rules)
    spans = ((first, until), (until + timedelta(days=1), last))
    chosen, judged = (judged_in_brief(folder, *pair, span, draws) for span in spans)
    gaps = [one.rivals[0].differences for one in (chosen, judged)]
    if isinstance(rules, OtherSystem):  # a back-test judges rule sets: its differences are the other way round
        gaps = [Differences([_turned(one) for one in gap.measures], [], []) for gap in gaps]
    earlier, later = (_differences(gap) for gap in gaps)
    best = Tried(best.varied, scored_from(one))
    return Judgement(best, scored_from(other), earlier, later, judged.sections, warnings_of(gaps[1]))


def _turned(measure: Measure) -> Measure:
    """A difference seen from the other side."""
    turned: dict[str, Any] = {
        name: Estimate(-one.value, -one.high, -one.low)
        for name, one in measure._asdict().items()
        if isinstance(one, Estimate)
    }
    return measure._replace(**turned)


def _differences(found: Differences) -> dict[str, Estimate]:
    rated = [one.deviance for one in found.measures if one.group == NO_UNRATED]
    none = Estimate(math.nan, math.nan, math.nan)
    return {"rated": (rated or [none])[0], "deviance": found.overall.deviance, "brier": found.overall.brier}


FORMAT = "crosstable-sweep/1"
TEXT, TABLE, BEST, BEST_SYSTEM = "sweep.txt", "sweep.parquet", "best.toml", "best.txt"
# So many rule sets are printed; the table has all.
SHOWN = 10


def sweep_text(found: Sweep) -> str:
    """The whole text."""
    return "\n".join([*_heading(found), "", *_ranking(found), "", *_judgement(found)]) + "\n"


def _heading(found: Sweep) -> Iterator[str]:
    days, best = found.days, found.judgement.best.scored
    yield f"{found.archive} ({found.archive_digest[:16]})"
    since = f"from {days.first} " if days.first else ""
    until = f" to {days.last}" if days.last else ""
    yield f"{found.plan.tried}, chosen {since}up to {days.choose_until}, judged after it{until}"
    yield f"{best.choosing.games:,} games to choose by, {best.judging.games:,} to judge by"
    draws = found.options.draws
    yield f"{100 * CONFIDENCE:.0f} % intervals from {draws.replicates} draws of members and of times, seed {draws.seed}"


def _ranking(found: Sweep) -> Iterator[str]:
    shown = found.tried[:SHOWN]
    width = max(len(one.varied.rules.name) for one in shown)
    most = found.tried[0].scored.choosing.games
    yield f"  The best by {METRICS[found.options.metric]}, on the earlier span"
    later = f"  {'later':>8} {'':>8} {'':>8}" if found.options.judges_all else ""
    yield f"  {'':<{width}}  {'rated':>8} {'deviance':>8} {'Brier':>8}{later}".rstrip()
    for one in shown:
        more = _numbers(one.scored.judging) if found.options.judges_all else ""
        fewer = f"  of {one.scored.choosing.games:,} games" if one.scored.choosing.games < most else ""
        yield f"  {one.varied.rules.name:<{width}}{_numbers(one.scored.choosing)}{more}{fewer}"
    fewer_games = sum(one.scored.choosing.games < most for one in found.tried)
    if fewer_games:
        yield f"  {fewer_games:,} could not rate all {most:,} games, and stand last: means of other games tell little"
    if len(found.tried) > SHOWN:
        yield f"  and {len(found.tried) - SHOWN:,} more"


def _numbers(scores: Scores) -> str:
    return f"  {scores.rated:>8.5f} {scores.deviance:>8.5f} {scores.brier:>8.5f}"


def _judgement(found: Sweep) -> Iterator[str]:
    judged = found.judgement
    yield f"  {judged.best.varied.rules.title} against the official rules"
    yield f"  {'':<12} {'':<20}  {'best':>8} {'official':>8}  difference"
    for span, said, differences in (
        ("choosing", "earlier span", judged.chosen_by),
        ("judging", "later span", judged.differences),
    ):
        for metric, name in METRICS.items():
            best, official = (getattr(getattr(one, span), metric) for one in (judged.best.scored, judged.official))
            yield f"  {said:<12} {name:<20}  {best:>8.5f} {official:>8.5f}  {_interval(differences[metric])}"
            said = ""
    yield f"  {_verdict(judged.differences[found.options.metric])} ({judged.sections:,} sections)"
    yield from (f"  {warning}" for warning in judged.warnings)


def _interval(estimate: Estimate) -> str:
    if math.isnan(estimate.low):
        return f"{estimate.value:+.5f}"
    return f"{estimate.value:+.5f} [{estimate.low:+.5f}, {estimate.high:+.5f}]"


def _verdict(difference: Estimate) -> str:
    if difference.high < 0.0:
        return "On the later span it predicts better than the official rules."
    if difference.low > 0.0:
        return "On the later span it predicts worse than the official rules."
    return "The later span does not tell it from the official rules."


def sweep_document(found: Sweep) -> dict[str, Any]:
    """The whole document; a number that nobody knows is null."""
    judged = found.judgement
    return {
        "format": FORMAT,
        "made_by": f"crosstable {__version__}",
        "law_seen_through": LAW_SEEN_THROUGH.isoformat(),
        "archive": {"folder": found.archive, "digest": found.archive_digest},
        "plan": {"name": found.plan.name, "varies": list(found.plan.names), "document": dict(found.plan.document)},
        "days": plain(found.days),
        "metric": found.options.metric,
        "judges_all": found.options.judges_all,
        "draws": {
            "seed": found.options.draws.seed,
            "replicates": found.options.draws.replicates,
            "confidence": CONFIDENCE,
        },
        "best": {**_document_of(judged.best.varied.rules), **plain(judged.best.scored)},
        "official": plain(judged.official),
        "differences": plain({"choosing": judged.chosen_by, "judging": judged.differences}),
        "warnings": judged.warnings,
        "tried": [
            {"name": rules.name, "digest": rules.digest, "values": dict(values), **plain(scored)}
            for (rules, values), scored in found.tried
        ],
    }


def _document_of(rules: RuleSet | OtherSystem) -> dict[str, Any]:
    return document_of(rules) if isinstance(rules, RuleSet) else {**rules.document, "digest": rules.digest}


def write_sweep(found: Sweep, folder: str) -> None:
    """Write the table, the best rule set as a file, the text and the document into the folder of a sweep."""
    best, texts = found.judgement.best.varied.rules, {TEXT: sweep_text(found)}
    texts |= {BEST: rules_text(best)} if isinstance(best, RuleSet) else {BEST_SYSTEM: f"{best.name}\n"}
    write_folder(folder, (DOCUMENT, sweep_document(found)), texts, {TABLE: found.frame})

"""A sweep as text, as JSON and as files; the JSON comes last, so that a half-written folder is no result."""

import json
import math
import os
from collections.abc import Iterator
from typing import Any

from crosstable import __version__
from crosstable.lab.bootstrap import CONFIDENCE, Estimate
from crosstable.lab.sweep_folder import DOCUMENT, PARTIAL, write_whole
from crosstable.lab.sweep_tasks import Scored, Scores
from crosstable.lab.sweeping import METRICS, Sweep, Tried
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.rules.rule_files import rules_text
from crosstable.rules.rule_sets import document_of

FORMAT = "crosstable-sweep/1"
TEXT, TABLE, BEST = "sweep.txt", "sweep.parquet", "best.toml"
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
    yield f"{len(found.tried):,} rule sets, chosen {since}up to {days.choose_until}, judged after it{until}"
    yield f"{best.choosing.games:,} games to choose by, {best.judging.games:,} to judge by"
    draws = found.wishes.draws
    yield f"{100 * CONFIDENCE:.0f} % intervals from {draws.replicates} draws of sections, seed {draws.seed}"


def _ranking(found: Sweep) -> Iterator[str]:
    shown = found.tried[:SHOWN]
    width = max(len(one.varied.rules.name) for one in shown)
    most = found.tried[0].scored.choosing.games
    yield f"  The best by {_said(found.wishes.metric)} on the earlier span"
    later = f"  {'later':>8} {'':>8}" if found.wishes.judges_all else ""
    yield f"  {'':<{width}}  {'deviance':>8} {'Brier':>8}{later}".rstrip()
    for one in shown:
        more = _numbers(one.scored.judging) if found.wishes.judges_all else ""
        fewer = f"  of {one.scored.choosing.games:,} games" if one.scored.choosing.games < most else ""
        yield f"  {one.varied.rules.name:<{width}}{_numbers(one.scored.choosing)}{more}{fewer}"
    fewer_games = sum(one.scored.choosing.games < most for one in found.tried)
    if fewer_games:
        yield f"  {fewer_games:,} could not rate all {most:,} games, and stand last: means of other games tell little"
    if len(found.tried) > SHOWN:
        yield f"  and {len(found.tried) - SHOWN:,} more"


def _numbers(scores: Scores) -> str:
    return f"  {scores.deviance:>8.5f} {scores.brier:>8.5f}"


def _said(metric: str) -> str:
    return "Brier score" if metric == "brier" else metric


def _judgement(found: Sweep) -> Iterator[str]:
    judged = found.judgement
    yield f"  {judged.best.varied.rules.title} against the official rules"
    yield f"  {'':<12} {'':<8}  {'best':>8} {'official':>8}  difference"
    for span, said, differences in (
        ("choosing", "earlier span", judged.chosen_by),
        ("judging", "later span", judged.differences),
    ):
        for metric in METRICS:
            best, official = (getattr(getattr(one, span), metric) for one in (judged.best.scored, judged.official))
            name = "Brier" if metric == "brier" else metric
            yield f"  {said:<12} {name:<8}  {best:>8.5f} {official:>8.5f}  {_interval(differences[metric])}"
            said = ""
    yield f"  {_verdict(judged.differences[found.wishes.metric])} ({judged.sections:,} sections)"


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
    judged, days = found.judgement, found.days
    return {
        "format": FORMAT,
        "made_by": f"crosstable {__version__}",
        "law_seen_through": LAW_SEEN_THROUGH.isoformat(),
        "archive": {"folder": found.archive, "digest": found.archive_digest},
        "plan": {"name": found.plan.name, "varies": list(found.plan.names), "document": dict(found.plan.document)},
        "days": {name: None if day is None else day.isoformat() for name, day in days._asdict().items()},
        "metric": found.wishes.metric,
        "judges_all": found.wishes.judges_all,
        "draws": {
            "seed": found.wishes.draws.seed,
            "replicates": found.wishes.draws.replicates,
            "confidence": CONFIDENCE,
        },
        "best": {**document_of(judged.best.varied.rules), **_scored(judged.best.scored)},
        "official": _scored(judged.official),
        "differences": {
            "choosing": {name: _ends(one) for name, one in judged.chosen_by.items()},
            "judging": {name: _ends(one) for name, one in judged.differences.items()},
        },
        "tried": [_tried(one) for one in found.tried],
    }


def _tried(one: Tried) -> dict[str, Any]:
    rules = one.varied.rules
    return {"name": rules.name, "digest": rules.digest, "values": dict(one.varied.values), **_scored(one.scored)}


def _scored(scored: Scored) -> dict[str, Any]:
    return {span: _ends(getattr(scored, span)) for span in Scored._fields}


def _ends(numbers: Estimate | Scores) -> dict[str, float | None]:
    return {name: None if math.isnan(one) else one for name, one in numbers._asdict().items()}


def write_sweep(found: Sweep, folder: str) -> None:
    """Write the table, the best rule set as a file, the text and the document into the folder of a sweep."""
    os.makedirs(folder, exist_ok=True)
    document = os.path.join(folder, DOCUMENT)
    if os.path.exists(document):
        os.remove(document)
    partial = os.path.join(folder, f"{TABLE}{PARTIAL}{os.getpid()}")
    found.frame.write_parquet(partial)
    os.replace(partial, os.path.join(folder, TABLE))
    write_whole(os.path.join(folder, BEST), rules_text(found.judgement.best.varied.rules))
    write_whole(os.path.join(folder, TEXT), sweep_text(found))
    text = json.dumps(sweep_document(found), ensure_ascii=False, indent=1, allow_nan=False)
    write_whole(document, text + "\n")

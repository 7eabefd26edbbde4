"""A back-test as JSON, and as a folder of tables; the JSON comes last, so that a half-written folder is no result."""

import json
import math
import os
from collections.abc import Sequence
from typing import Any

import polars as pl

from crosstable import __version__
from crosstable.lab.backtest_text import backtest_text
from crosstable.lab.bootstrap import CONFIDENCE, Estimate
from crosstable.lab.judged import Backtest, Judged
from crosstable.lab.other_systems import OtherSystem
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.rules.rule_sets import document_of

FORMAT = "crosstable-backtest/1"
DOCUMENT = "backtest.json"


def backtest_document(found: Backtest) -> dict[str, Any]:
    """The whole document; a number that nobody knows is null."""
    return {
        "format": FORMAT,
        "made_by": f"crosstable {__version__}",
        "law_seen_through": LAW_SEEN_THROUGH.isoformat(),
        "archive": {"folder": found.archive, "digest": found.archive_digest},
        "span": [None if day is None else day.isoformat() for day in (found.start, found.end)],
        "games": found.games,
        "sections": found.sections,
        "draws": {"seed": found.draws.seed, "replicates": found.draws.replicates, "confidence": CONFIDENCE},
        "judged": _judged(found.judged),
        "against": [{**_judged(one.judged), "differences": _plain(one.differences)} for one in found.rivals],
        "best": _plain(found.best),
    }


def _judged(judged: Judged) -> dict[str, Any]:
    parts = {name: _plain(value) for name, value in judged._asdict().items() if name != "rules"}
    rules = judged.rules
    return {"rules": rules.document if isinstance(rules, OtherSystem) else document_of(rules), **parts}


def _plain(value: Any) -> Any:  # noqa: ANN401 (records of records)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(one) for name, one in value._asdict().items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value


def write_backtest(found: Backtest, folder: str) -> None:
    """Write a back-test into a folder: its tables as CSV, its text, and last the JSON document."""
    os.makedirs(folder, exist_ok=True)
    document = os.path.join(folder, DOCUMENT)
    if os.path.exists(document):
        os.remove(document)
    tables = {
        "measures": found.frame,
        "calibration": found.calibration_frame,
        "cohorts": pl.concat([_table(one.rules.name, one.cohorts) for one in found.everyone], how="diagonal"),
        "points": pl.concat([_table(one.rules.name, one.points) for one in found.everyone], how="diagonal"),
    }
    for name, frame in tables.items():
        frame.fill_nan(None).write_csv(os.path.join(folder, f"{name}.csv"))
    with open(os.path.join(folder, "backtest.txt"), "w", encoding="utf-8") as file:
        file.write(backtest_text(found))
    with open(f"{document}.partial", "w", encoding="utf-8") as file:
        json.dump(backtest_document(found), file, ensure_ascii=False, allow_nan=False, indent=1)
    os.replace(f"{document}.partial", document)


def _table(rules: str, records: Sequence[Any]) -> pl.DataFrame:
    """Records as a table: an estimate is three columns."""
    rows = []
    for record in records:
        row: dict[str, Any] = {"rules": rules}
        for name, value in record._asdict().items():
            if isinstance(value, Estimate):
                row |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
            else:
                row[name] = value
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)

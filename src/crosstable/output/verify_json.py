"""``crosstable-verify/1``: what ``crosstable verify --json`` prints."""

from typing import Any

from crosstable.verify import Row, Tally, Verification, by_era, tally, unexplained
from crosstable.verify.norms import NormTally
from crosstable.verify.tallies import exactness, inputs_known
from crosstable.verify.whole import FITTED_START

FORMAT = "crosstable-verify/1"


def verify_document(found: Verification, norms: NormTally) -> dict[str, Any]:
    """The whole document; ``total`` takes each section alone, ``carried`` uses what earlier pages show."""
    total, carried = tally(found.alone), tally(found.carried)
    return {
        "format": FORMAT,
        "total": {"rows": total.rows, **_counts(total), "within_001": total.within_001},
        "carried": {**_counts(carried), "floors_predicted": carried.floors_predicted},
        "apart": {name: found.apart[name] for name in ("online_fault", "corrected_since", FITTED_START)},
        "exact_before_2014_09": exactness(found.carried)._asdict(),
        "inputs_known": _counts(tally(inputs_known(found.carried))),
        "norms": {
            "rows": norms.rows,
            "agree": norms.agree,
            "few_games_with_code": norms.few_games_with_code,
            "few_games_agree": norms.few_games_agree,
        },
        "fitted": {
            "sections": len(found.fitted),
            "rows": sum(fit.rows for fit in found.fitted),
            "within_1": sum(fit.within for fit in found.fitted),
            "at_floor": sum(fit.at_floor for fit in found.fitted),
        },
        "by": [
            {"era": era, "system": system.name, **_counts(tally(rows)), "within_001": tally(rows).within_001}
            for (era, system), rows in by_era(found.alone).items()
        ],
        "unexplained": [_row(row) for row in unexplained(found.alone)],
        "unexplained_with_carried_state": [_row(row) for row in unexplained(found.carried)],
    }


def _counts(counted: Tally) -> dict[str, int]:
    return {
        "clean_rows": counted.clean_rows,
        "within_1": counted.within_1,
        "at_floor": counted.at_floor,
        "unexplained": counted.unexplained,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "event": row.event,
        "section": row.section,
        "system": row.system.name,
        "number": row.number,
        "pre": row.pre,
        "computed": row.computed,
        "posted": row.posted,
        "cause": row.cause,
    }

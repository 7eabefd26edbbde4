"""The verification as one HTML page: the table, and a plot of the error distribution per era as inline SVG."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from crosstable.output.charts import bar_chart
from crosstable.output.verify_text import to_a_hundredth
from crosstable.verification import Row, Tally, Verdict, Verification, by_era, tally, unexplained
from crosstable.verification.whole import NormTally, inputs_known

BIN = 0.25
REACH = 2.0
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
body { color: #1a1a1a; background: #fff }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left; font-weight: 600 }
td, th { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #d8d8d8 }
td:first-child, th:first-child, td.text { text-align: left }
figure { margin: 1rem 0 } figcaption { font-size: .9rem } svg { max-width: 100%; height: auto }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #16181c } td, th { border-color: #444 } }
@media print { body { margin: 0 } }
"""


def verify_page(found: Verification, norms: NormTally) -> str:
    """The whole page; it needs no script and loads nothing."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Computed against posted</title>'
        f"<style>{STYLE}</style></head>\n<body>\n<h1>Computed against posted</h1>\n{verify_body(found, norms)}\n"
        "</body></html>\n"
    )


def verify_body(found: Verification, norms: NormTally) -> str:
    """What there is to say, for a page that has a title."""
    total, carried = tally(found.alone), tally(found.carried)
    rows = unexplained(found.carried)
    body = [
        f"<p>{total.clean_rows} rows whose inputs are known. Each section alone, {total.share:.2f}\N{NO-BREAK SPACE}% "
        f"are within one point or stopped at a floor; with what earlier pages show, "
        f"{carried.share:.2f}\N{NO-BREAK SPACE}%. {norms.agree} of {norms.rows} norm codes agree.</p>",
        _table(found, total, carried),
        "<h2>Errors by rule period</h2>",
        *(_plot(era, rows_of_era) for era, rows_of_era in _eras(found.alone).items()),
        "<h2>Rows that differ</h2>",
        _differences(rows),
    ]
    return "\n".join(body)


def _table(found: Verification, total: Tally, carried: Tally) -> str:
    heads = ("Rules of", "System", "Rows", "Within 0.01", "Within 1", "At a floor", "Differ", "Explained")
    head = "".join(f"<th scope=col>{name}</th>" for name in heads)
    lines = [_row(era, system.name, tally(rows)) for (era, system), rows in by_era(found.alone).items()]
    lines.append(_row("Each section alone", "", total))
    lines.append(_row("With carried state", "", carried))
    lines.append(_row("All inputs known", "", tally(inputs_known(found.carried))))
    caption = "Per rule period and system; within 0.01 where decimals are posted"
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{''.join(lines)}</table>"


def _row(era: str, system: str, counted: Tally) -> str:
    shown = (
        system,
        counted.clean_rows,
        to_a_hundredth(counted, "–"),
        counted.within_1,
        counted.at_floor,
        counted.unexplained,
        f"{counted.share:.2f}&nbsp;%",
    )
    return f"<tr><th scope=row>{era}</th>{''.join(f'<td>{one}</td>' for one in shown)}</tr>"


def _eras(rows: Sequence[Row]) -> dict[str, list[Row]]:
    eras: dict[str, list[Row]] = {}
    for (era, _), found in by_era(rows).items():
        eras.setdefault(era, []).extend(row for row in found if row.verdict is not Verdict.AT_FLOOR)
    return eras


def plot_bins(rows: Sequence[Row]) -> list[tuple[float, int]]:
    """Errors, posted less computed, counted in quarters of a point; the outermost hold all beyond."""
    reach = round(REACH / BIN)
    counts = Counter(max(-reach, min(reach, round(row.error / BIN))) for row in rows)
    return [(at * BIN, counts[at]) for at in range(-reach, reach + 1)]


def _plot(era: str, rows: Sequence[Row]) -> str:
    bins = plot_bins(rows)
    numbers = ", ".join(f"{error:+.2f}: {count}" for error, count in bins if count)
    return (
        f"<figure>{bar_chart(bins, f'Errors, rules of {era}: {numbers}')}<figcaption>Rules of {era}: {len(rows)} rows, "
        "posted less computed, in points (heights are square roots of the counts; the outermost bars hold all beyond)."
        "</figcaption></figure>"
    )


def _differences(rows: Sequence[Row]) -> str:
    if not rows:
        return "<p>None.</p>"
    lines = "".join(
        f"<tr><th scope=row>{escape(row.event)}</th><td>{row.section}</td><td>{row.system.name}</td>"
        f"<td>{row.number}</td><td>{row.pre:.0f}</td><td>{row.computed:.2f}</td><td>{row.posted:g}</td>"
        f"<td class=text>{escape(row.cause)}</td></tr>"
        for row in rows
    )
    heads = ("Event", "Section", "System", "Player", "Before", "Computed", "Posted", "Likely cause")
    head = "".join(f"<th scope=col>{name}</th>" for name in heads)
    return f"<table><tr>{head}</tr>{lines}</table>"

"""An audit in words: what was posted, what the rules give, what would explain a difference; a report to send."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import groupby

from crosstable.output.verify_html import STYLE
from crosstable.output.words import printable
from crosstable.pipeline.auditing import AuditedEvent
from crosstable.verification.audit import AuditedRow, AuditVerdict

MOST_LISTED = 5
HEADS = ("No.", "Player", "Before", "Posted", "The rules give", "Verdict")
WORDS = {
    AuditVerdict.DIFFERS: "The posted ratings differ from what the rules give.",
    AuditVerdict.UNKNOWN: "Some posted ratings cannot be checked with what is known here.",
    AuditVerdict.EXPLAINED: "The rules explain every posted rating.",
    AuditVerdict.REPRODUCED: "The rules give every posted rating.",
}
SENDING = (
    "US Chess takes corrections from the tournament director. If a result or a name is wrong, send this report to the "
    "director of the event. What is listed as a possible reason is a lead, not a proof."
)


def audit_text(audited: AuditedEvent, number: int | None = None) -> str:
    """The whole audit, or that of one player."""
    rows = [row for row in audited.rows if number in (None, row.number)]
    lines = [WORDS[audited.verdict], ""]
    for (section, system), group in groupby(rows, key=lambda row: (row.section, row.system)):
        own = list(group)
        lines += [f"Section {section}, {system.title}: {counts_text(own)}", ""]
        told = own if number is not None else [row for row in own if row.verdict in _OPEN]
        for row in told:
            lines += [*_row(row), ""]
    if any(row.verdict is AuditVerdict.DIFFERS for row in rows):
        lines += [SENDING, ""]
    return "\n".join(lines)


_OPEN = (AuditVerdict.DIFFERS, AuditVerdict.UNKNOWN)


def counts_text(rows: Sequence[AuditedRow]) -> str:
    """How many ratings have which verdict."""
    counted = Counter(row.verdict for row in rows)
    parts = [f"{counted[one]} {one.value}" for one in reversed(AuditVerdict) if counted[one]]
    return f"{len(rows)} ratings: {', '.join(parts)}"


def _row(row: AuditedRow) -> list[str]:
    before = "unrated before" if row.pre is None else f"{row.pre:g} before"
    who = f"No. {row.number} {printable(row.name)}".rstrip()
    lines = [f"  {who} ({before}): posted {row.posted:g}, the rules give {row.computed:.2f}. {_said(row)}"]
    if row.cause:
        lines.append(f"    Because of {row.cause}.")
    lines += [
        f"    Possible reason: {one.what}. That gives {one.ratings[row.number]:.2f}."
        for one in row.hypotheses[:MOST_LISTED]
    ]
    if row.verdict in _OPEN and not row.hypotheses:
        lines.append("    Nothing that was tried gives the posted rating.")
    return lines


def _said(row: AuditedRow) -> str:
    if row.verdict is AuditVerdict.DIFFERS:
        span = f" (between {row.low:.0f} and {row.high:.0f}, whatever is not shown)" if row.high - row.low > 1.0 else ""
        return f"These differ{span}."
    if row.verdict is AuditVerdict.UNKNOWN:
        return "This page does not show enough to say which is right."
    return "The posted rating is right."


def audit_page(audited: AuditedEvent) -> str:
    """The audit as one HTML page to send or print; it needs no script and loads nothing."""
    body = [f"<h1>{WORDS[audited.verdict]}</h1>"]
    for (section, system), group in groupby(audited.rows, key=lambda row: (row.section, row.system)):
        own = list(group)
        heads = "".join(f"<th scope=col>{name}</th>" for name in HEADS)
        rows = "".join(_html_row(row) for row in own)
        caption = f"Section {section}, {system.title}. {counts_text(own)}"
        body.append(f"<table><caption>{escape(caption)}</caption><tr>{heads}</tr>{rows}</table>")
    if audited.verdict is AuditVerdict.DIFFERS:
        body.append(f"<p>{SENDING}</p>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Posted ratings, audited</title>'
        f"<style>{STYLE}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _html_row(row: AuditedRow) -> str:
    said = row.verdict.value + (f": {row.cause}" if row.cause else "")
    reasons = "".join(
        f"<br>Possible reason: {escape(one.what)}. That gives {one.ratings[row.number]:.2f}."
        for one in row.hypotheses[:MOST_LISTED]
    )
    before = "unrated" if row.pre is None else f"{row.pre:g}"
    cells = (str(row.number), escape(printable(row.name)), before, f"{row.posted:g}", f"{row.computed:.2f}")
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}<td class=text>{escape(said)}{reasons}</td></tr>"

"""An audit in words: what was posted, what the rules give, what would explain a difference; a report to send."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

from crosstable.explanation import lines_text
from crosstable.output.verify_html import STYLE
from crosstable.output.words import printable
from crosstable.pipeline.auditing import AuditedEvent, sources, workings
from crosstable.sentences import counted
from crosstable.verification.audit import AuditedRow, AuditVerdict

MOST_LISTED = 5
MOST_WORKED = 12
NOT_SHOWN = "The working rests on the start of an unrated player, which is not public, so it is not shown."
HEADS = ("No.", "Player", "Before", "Posted", "The rules give", "Verdict")
SHORT = {
    AuditVerdict.DIFFERS: "differ",
    AuditVerdict.UNKNOWN: "cannot be checked",
    AuditVerdict.EXPLAINED: "explained",
    AuditVerdict.REPRODUCED: "right",
}
_PLAYER = re.compile(r"\bplayer (\d+)")
WORDS = {
    AuditVerdict.DIFFERS: "Some posted ratings differ from what the rules give.",
    AuditVerdict.UNKNOWN: "Some posted ratings cannot be checked with what is known here.",
    AuditVerdict.EXPLAINED: "The rules explain every posted rating.",
    AuditVerdict.REPRODUCED: "Every posted rating is what the rules give.",
}
SENDING = (
    "US Chess takes corrections from the tournament director. If a result or a name is wrong, send this report to the "
    "director of the event. A possible reason is a lead, not a proof."
)


def headline(audited: AuditedEvent) -> str:
    """The verdict in a sentence; it says so where a section could not be checked."""
    words = WORDS[audited.verdict]
    return f"{words} Not every section could be checked." if audited.faults else words


def audit_text(audited: AuditedEvent, number: int | None = None) -> str:
    """The whole audit, or that of one player."""
    rows = [row for row in audited.rows if number in (None, row.number)]
    lines = [headline(audited._replace(rows=tuple(rows))), ""]
    for (section, system), group in groupby(rows, key=lambda row: (row.section, row.system)):
        own, names = list(group), names_of(audited, section)
        lines += [f"Section {section}, {system.title}: {counts_text(own)}", ""]
        for row in own if number is not None else open_rows(own):
            lines += [*_row(row, names), ""]
        if number is not None:
            lines += [worked(audited, own).get(number, NOT_SHOWN), ""]
    if number is not None:
        lines += ["Sources", "", *(f"  {one}" for one in sources(audited)), ""]
    if any(row.verdict is AuditVerdict.DIFFERS for row in rows):
        lines += [SENDING, ""]
    return "\n".join(lines)


def worked(audited: AuditedEvent, rows: Sequence[AuditedRow]) -> dict[int, str]:
    """By number the calculation of rows of one section, step by step, as far as it may be shown."""
    found = {number: lines_text(lines).splitlines() for number, lines in workings(audited, rows).items()}
    return {number: "\n".join(map(printable, lines)).strip() for number, lines in found.items()}


def open_rows(rows: Sequence[AuditedRow]) -> list[AuditedRow]:
    """The rows that are not right, or not known to be: those that differ first."""
    return [row for verdict in (AuditVerdict.DIFFERS, AuditVerdict.UNKNOWN) for row in rows if row.verdict is verdict]


def counts_text(rows: Sequence[AuditedRow]) -> str:
    """How many ratings have which verdict."""
    by_verdict = Counter(row.verdict for row in rows)
    parts = [f"{by_verdict[one]} {SHORT[one]}" for one in reversed(AuditVerdict) if by_verdict[one]]
    if by_verdict[AuditVerdict.DIFFERS] == 1:
        parts[-1] += "s"
    return f"{counted(len(rows), 'rating')}: {', '.join(parts)}"


def names_of(audited: AuditedEvent, section: int) -> dict[int, str]:
    """The names of a section's players by number."""
    return {row.number: row.name for row in audited.rows if row.section == section and row.name}


class Reason(NamedTuple):
    """What would give the posted rating, in words with the names of players, and the rating that it gives."""

    what: str
    gives: str

    def __str__(self) -> str:
        """Both as sentences."""
        return f"{self.what}. That gives {self.gives}."


def reasons(row: AuditedRow, names: Mapping[int, str]) -> list[Reason]:
    """What would give the posted rating, the likeliest first."""
    return [
        Reason(_PLAYER.sub(lambda found: _name(int(found[1]), names), one.what), figure(one.ratings[row.number], row))
        for one in row.hypotheses[:MOST_LISTED]
    ]


def _name(number: int, names: Mapping[int, str]) -> str:
    name = printable(names.get(number, ""))
    return f"{name} (No. {number})" if name else f"player {number}"


def figure(rating: float, row: AuditedRow) -> str:
    """A computed rating as the page posts ratings: whole numbers, or two decimals."""
    return f"{math.floor(rating + 0.5)}" if row.posted == math.floor(row.posted) else f"{rating:.2f}"


def verdict_text(row: AuditedRow) -> str:
    """The verdict on a row in a few words."""
    if row.verdict is AuditVerdict.DIFFERS:
        span = f"{math.floor(row.low)} to {math.ceil(row.high)}"
        return f"differs (possible: {span})" if row.high - row.low > 1.0 else "differs"
    if row.verdict is AuditVerdict.UNKNOWN:
        return "cannot be checked: the page does not show enough"
    return f"explained by {row.cause}" if row.cause else "right"


def _row(row: AuditedRow, names: Mapping[int, str]) -> list[str]:
    before = "unrated before" if row.pre is None else f"{row.pre:g} before"
    who = f"No. {row.number} {printable(row.name)}".rstrip()
    gives = f"posted {row.posted:g}, the rules give {figure(row.computed, row)}"
    lines = [f"  {who} ({before}): {gives}: {verdict_text(row)}."]
    lines += [f"    Possible reason: {one}" for one in reasons(row, names)]
    if open_rows([row]) and not row.hypotheses:
        lines.append("    Nothing that was tried gives the posted rating.")
    return lines


def audit_page(audited: AuditedEvent, number: int | None = None) -> str:
    """The audit, or that of one player, as one HTML page to send or print; it needs no script and loads nothing."""
    shown = [row for row in audited.rows if number in (None, row.number)]
    body, working = [f"<h1>{headline(audited._replace(rows=tuple(shown)))}</h1>"], []
    for (section, system), group in groupby(shown, key=lambda row: (row.section, row.system)):
        own = list(group)
        heads = "".join(f"<th scope=col>{name}</th>" for name in HEADS)
        rows = "".join(_html_row(row, names_of(audited, section)) for row in own)
        caption = f"Section {section}, {system.title}. {counts_text(own)}"
        body.append(f"<table><caption>{escape(caption)}</caption><tr>{heads}</tr>{rows}</table>")
        asked = own if number is not None else open_rows(own)[:MOST_WORKED]
        found = worked(audited, asked) if number is None else {number: NOT_SHOWN, **worked(audited, asked)}
        for one, how in found.items():
            who = f"No. {one} {printable(names_of(audited, section).get(one, ''))}, section {section}, {system.title}"
            working.append(f"<h3>{escape(who)}</h3><pre>{escape(how)}</pre>")
    if any(row.verdict is AuditVerdict.DIFFERS for row in shown):
        body.append(f"<p>{SENDING}</p>")
    if working:
        limit = f" (at most {MOST_WORKED} players of a section)" if number is None else ""
        body += [f"<h2>The working{limit}</h2>", *working]
    body += ["<h2>Sources</h2>", *(f"<p>{escape(one)}</p>" for one in sources(audited))]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Posted ratings, audited</title>'
        f"<style>{STYLE}pre {{ white-space: pre-wrap }}</style></head>\n"
        "<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _html_row(row: AuditedRow, names: Mapping[int, str]) -> str:
    said = "".join(f"<br>Possible reason: {escape(str(one))}" for one in reasons(row, names))
    before = "unrated" if row.pre is None else f"{row.pre:g}"
    gives = figure(row.computed, row)
    cells = (str(row.number), escape(printable(row.name)), before, f"{row.posted:g}", gives)
    verdict = escape(verdict_text(row))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}<td class=text>{verdict}{said}</td></tr>"

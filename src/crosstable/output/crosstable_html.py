"""A rated event as one HTML page for a browser, a telephone or a printer: no scripts, nothing loaded from elsewhere.

On a narrow screen every row becomes a small card; the table stays a table for those who hear it.
A plain install makes it, without a library for templates (decision 0013).

How the crosstable page looks: on a screen, light or dark; on a telephone, a card for each row; on paper. Every text
keeps a contrast of at least 4.5 to 1 with what is behind it, on the striped rows too.
"""

from collections.abc import Iterator, Sequence
from html import escape

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.output.crosstable import FLOORS, Row, Table, floor_text, legend, notes_of, tables_of
from crosstable.output.words import (
    about_event,
    cell_text,
    event_title,
    post_text,
    pre_text,
    printable,
    rests_on_assumption,
    section_name,
)
from crosstable.pipeline.rating import RatedEvent
from crosstable.sentences import counted
from crosstable.terms import Report

# A section with more columns of rounds and tie-breaks is printed on its side.
MOST_UPRIGHT_ROUNDS = 7

STYLE = """
:root { color-scheme: light dark; --ink: #1b1d21; --faint: #565b65; --line: #d4d7dc; --stripe: #f5f6f8; --paper: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9eaee; --faint: #a6abb6; --line: #3c4048; --stripe: #1e2126; --paper: #15171b }
}
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.4 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
main { width: fit-content; max-width: 100%; min-width: min(44rem, 100%); margin: 0 auto; padding: 1.5rem 1rem 3rem }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere }
h2 { font-size: 1.25rem; margin: 2rem 0 .3rem; overflow-wrap: anywhere }
h3 { font-size: 1rem; margin: 1rem 0 .2rem }
p { margin: 0 0 .5rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
caption { text-align: left; color: var(--faint); padding-bottom: .6rem }
.scroll { overflow-x: auto; max-width: 100% }
.wide .scroll { font-size: .9rem }
th, td { padding: .35rem .45rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
thead th { border-bottom: 2px solid var(--faint); font-size: .875em; vertical-align: bottom }
tr { background: var(--paper) }
tbody tr:nth-child(even) { background: var(--stripe) }
.number, .player { position: sticky; left: 0; background: inherit }
.number { min-width: 2.6rem }
.player { left: 2.6rem; font-weight: 600; min-width: 10.5rem; max-width: 22rem; overflow-wrap: anywhere }
small { display: block; font-size: .8em; font-weight: 400; color: var(--faint) }
.rank, .number, .points, .tie-break { text-align: right }
.rank { min-width: 2.2rem; color: var(--faint) }
.paper { display: none }
.rating, .round, .player small { white-space: nowrap }
.before { display: inline-block; min-width: 4.1em; text-align: right }
.rating small { padding-left: 5.6em }
.notes { font-size: .9rem; max-width: 60rem }
.notes ul { margin: 0; padding-left: 1.2rem }
.notes li { overflow-wrap: anywhere }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media screen and (max-width: 48rem) {
  main { width: auto; padding: 1rem .75rem 2rem }
  table, caption, tbody { display: block }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; padding: .5rem .4rem;
    border-bottom: 1px solid var(--line) }
  tbody td, tbody th { border: 0; padding: 0 }
  td.number, th.player { position: static }
  td.rank { flex: 0 0 2.2rem; min-width: 0; text-align: left; font-weight: 700; color: var(--ink) }
  td.number { flex: 0 0 auto; min-width: 0; padding-right: .5rem; color: var(--faint) }
  td.number::before { content: "No.\\00a0" }
  th.player { flex: 1 1 0; min-width: 0; max-width: none }
  td.points { flex: 0 0 3rem; font-weight: 700 }
  td.rating { flex: 0 0 100%; order: 1; padding-left: 2.2rem }
  tbody tr::after { content: ""; flex: 0 0 100% }
  td.tie-break { order: 1; padding-right: .5rem; font-size: .85rem }
  td.points + td.tie-break { padding-left: 2.2rem }
  td.tie-break::before { content: attr(data-method) "\\00a0"; color: var(--faint) }
  td.rating::before { content: attr(data-system) " "; display: inline-block; min-width: 4.2em; color: var(--faint) }
  .before { min-width: 0 }
  .rating small { display: inline; padding: 0 }
  td.rating, .player small { white-space: normal }
  td.round { order: 2; margin: .3rem .25rem 0 0; padding: 0 .3rem; font-size: .9rem; border: 1px solid var(--line);
    border-radius: .3rem }
  td.round::before { content: attr(data-round) "\\00a0"; font-size: .7rem; color: var(--faint) }
  td.blank { display: none }
}
@page { margin: 12mm 12mm 15mm;
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif } }
@page wide { size: landscape }
@media print {
  :root { color-scheme: light; --ink: #000; --faint: #444; --line: #999; --stripe: #fff; --paper: #fff }
  body { font-size: 9pt }
  main { width: 100%; padding: 0 }
  header, .screen, .sheet h2, caption { display: none }
  .sheet { break-after: page }
  .sheet.wide { page: wide }
  .sheet:has(+ .notes) { break-after: auto }
  p.paper { display: block; margin-top: 2mm; font-size: 7.5pt }
  tr.paper { display: table-row }
  .paper td { padding: 0 0 2mm; border: 0; white-space: normal }
  .paper b { display: block; font-size: 15pt; line-height: 1.2 }
  .paper strong { display: block; margin-top: 1.5mm; font-size: 12pt }
  .scroll { overflow: visible }
  .number, .player { position: static; min-width: 0 }
  .player { min-width: 34mm }
  .wide .scroll { font-size: 8.5pt }
  .notes { font-size: 8pt; max-width: none } h3 { font-size: 8.5pt; margin: 2mm 0 0 }
  th, td { padding: .8mm 1.4mm }
  thead { display: table-header-group }
  tr, li, p { break-inside: avoid }
  h3 { break-after: avoid }
}
"""


def crosstable_page(event: RatedEvent, tie_breaks: Sequence[str] | None = None) -> str:
    """The whole page; the event has no errors. On paper every section is a sheet of its own with the event's head."""
    tables = tables_of(event, tie_breaks)
    title = _plain(event_title(event.report))
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            '<meta name="generator" content="crosstable">',  # by which it is not read as an event
            f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
            f"<header>\n<h1><bdi>{title}</bdi></h1>\n<p>{_event_line(event.report, tables)}</p>\n</header>",
            *(_section(event, table) for table in tables),
            f'<section class="notes screen">\n<h2>Notes</h2>\n<p>{" ".join(legend(tables))}</p>',
            "</section>\n</main>\n</body>\n</html>\n",
        )
    )


def _plain(text: str) -> str:
    """A text from a report: visible, and no markup."""
    return escape(printable(text))


def _event_line(report: Report, tables: tuple[Table, ...]) -> str:
    parts = [
        _plain(about_event(report)),
        f"event {_plain(report.event_id)}" if report.event_id else "",
        counted(len(tables), "section"),
        counted(sum(len(table.rows) for table in tables), "player"),
    ]
    return " · ".join(filter(None, parts))


def _section(event: RatedEvent, table: Table) -> str:
    anchor = f"section-{table.section.number}"
    columns = len(table.columns) + len(table.tie_breaks) * len(table.ratings)
    width = "wide" if columns > MOST_UPRIGHT_ROUNDS else "upright"
    return "\n".join(
        (
            f'<section class="sheet {width}">',
            f'<h2 id="{anchor}"><bdi>{_plain(section_name(table.section))}</bdi></h2>',
            f'<div class="scroll" role="region" aria-labelledby="{anchor}" tabindex="0"><table>',
            f"<caption>{_plain(table.about)}</caption>",
            f"<thead>{_paper_head(event.report, table)}<tr>{_heads(table)}</tr></thead>",
            "<tbody>",
            *(_row(table, row) for row in table.rows),
            "</tbody></table></div>",
            *_notes(event, table),
            "</section>",
        )
    )


def _paper_head(report: Report, table: Table) -> str:
    """What stands above the table on every page of paper: the event, when, where and under whom, and the section."""
    columns = 4 + len(table.ratings) + len(table.columns) + len(table.tie_breaks)
    return (
        f'<tr class="paper"><td colspan="{columns}"><b><bdi>{_plain(event_title(report))}</bdi></b>'
        f"<span>{_plain(about_event(report, table.reported))}</span><strong><bdi>"
        f"{_plain(section_name(table.section))}</bdi></strong><span>{_plain(table.about)}</span>"
        "</td></tr>"
    )


def _heads(table: Table) -> str:
    names = [("rank", "Rank"), ("number", "No."), ("player", "Player"), ("points", "Points")]
    names += [("tie-break", title) for title in table.tie_breaks]
    names += [("rating", title) for title in table.ratings]
    heads = [f'<th scope="col" class="{kind}">{name}</th>' for kind, name in names]
    heads += [
        f'<th scope="col" class="round"><span class="unseen">Round </span>{number}</th>' for number in table.columns
    ]
    return "".join(heads)


def _row(table: Table, row: Row) -> str:
    about = " ".join(filter(None, (_plain(row.state), _plain(row.entry.member_id))))
    cells = [
        f'<td class="rank">{row.rank}</td>',
        f'<td class="number">{row.entry.number}</td>',
        f'<th scope="row" class="player"><bdi>{_plain(row.entry.name)}</bdi> <small>{about}</small></th>',
        f'<td class="points">{row.entry.points:.1f}</td>',
    ]
    cells += [
        f'<td class="tie-break" data-method="{title}">{value:g}</td>'
        for title, value in zip(table.tie_breaks, row.tie_breaks, strict=True)
    ]
    cells += [
        f'<td class="rating" data-system="{title}">{_rating(table.by_system[at], row, row.players[at])}</td>'
        for title, at in table.ratings.items()
    ]
    cells += [
        f'<td class="round{"" if cell.result else " blank"}" data-round="{number}">{cell_text(cell)}</td>'
        for number, cell in zip(table.columns, row.cells, strict=True)
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _rating(rated: RatedSection, row: Row, player: RatedPlayer) -> str:
    """``1641P17 → 1657P24`` with the change to two decimals, norm, floor and a mark for assumptions."""
    if not row.entry.is_rated:
        return "not rated"
    constants = rated.edition.constants
    marks = list(_marks(player))
    return (
        f'<span class="before">{pre_text(constants, player)}</span> '
        '<span class="unseen">to</span><span aria-hidden="true">→</span> '
        f"<b>{post_text(constants, player)}{'*' if rests_on_assumption(player) else ''}</b>"
        + (f" <small>{', '.join(marks)}</small>" if marks else "")
    )


def _marks(player: RatedPlayer) -> Iterator[str]:
    if player.before is not None and player.after is not None and player.games:
        yield f"{player.after.rating - player.before.rating:+.2f}".replace("-", "\N{MINUS SIGN}")
    if player.norm:
        yield f"norm&nbsp;{player.norm}"
    if floor := floor_text(player):
        yield floor.replace(" ", "&nbsp;")


def _notes(event: RatedEvent, table: Table) -> Iterator[str]:
    """Below the table: what belongs on the wall, and on the screen how the numbers came about."""
    yield '<div class="notes">'
    for notes in (notes for notes in notes_of(event, (table,)) if notes.heading != FLOORS):  # those stand in the row
        lines = "\n".join(f"<li>{escape(line)}</li>" for line in notes.lines)
        kind = ' class="screen"' if notes.is_working else ""
        yield f"<div{kind}>\n<h3>{notes.heading}</h3>\n<ul>\n{lines}\n</ul>\n</div>"
    yield f'<p class="paper">{" ".join(legend((table,)))}</p>\n</div>'

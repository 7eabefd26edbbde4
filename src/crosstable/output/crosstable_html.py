"""A rated event as one HTML page for a browser, a telephone or a printer: no scripts, nothing loaded from elsewhere.

On a narrow screen every row becomes a small card; the table stays a table for those who hear it.
"""

from collections.abc import Iterator, Sequence
from html import escape

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.output.by_place import Row, Table, tables_of
from crosstable.output.crosstable_notes import FLOORS, floor_text, legend, notes_of
from crosstable.output.crosstable_style import STYLE
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


def crosstable_page(event: RatedEvent, tie_breaks: Sequence[str] | None = None) -> str:
    """The whole page; the event has no errors. On paper every section is a sheet of its own with the event's head."""
    tables = tables_of(event, tie_breaks)
    title = _plain(event_title(event.report))
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
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

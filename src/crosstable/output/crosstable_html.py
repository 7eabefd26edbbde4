"""A rated event as one HTML page for a browser, a telephone or a printer: no scripts, nothing loaded from elsewhere.

On a narrow screen every row becomes a small card; the table stays a table for those who hear it.
"""

from collections.abc import Iterator, Mapping
from html import escape

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.output.by_place import NUMBERING, Row, Table, tables_of
from crosstable.output.crosstable_notes import floor_text, notes_of
from crosstable.output.crosstable_style import STYLE
from crosstable.output.words import cell_text, post_text, pre_text, printable
from crosstable.pipeline.rating import RatedEvent
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.terms import Report, SectionType

# An event with more rounds is printed on its side.
MOST_UPRIGHT_ROUNDS = 7
KINDS: Mapping[SectionType, str] = {
    SectionType.SWISS: "Swiss",
    SectionType.ROUND_ROBIN: "Round robin",
    SectionType.MATCH: "Match",
    SectionType.FOREIGN_FIDE: "Foreign FIDE event",
    SectionType.FOREIGN_FIDE_YOUTH: "Foreign FIDE youth event",
}
LEGEND = (
    "W won, L lost, D drew, with the opponent's row and w for White, b for Black; N, R, S won, drew, lost where the "
    "two sides disagree; X won by forfeit, F lost by forfeit, B full-point bye, H half-point bye, U or Z not played."
)
RATINGS = (
    "Pairing is the number in the report. 1500P12 is a provisional rating on 12 games. An asterisk marks results that "
    "rest on something assumed."
)


def crosstable_page(event: RatedEvent) -> str:
    """The whole page; the event has no errors."""
    tables = tables_of(event)
    title = _plain(event.report.name) or "Crosstable"
    width = "wide" if any(table.rounds > MOST_UPRIGHT_ROUNDS for table in tables) else "upright"
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main class={width}>",
            f"<h1><bdi>{title}</bdi></h1>",
            f"<p>{_event_line(event.report, tables)}</p>",
            *(_section(table) for table in tables),
            *_notes(event, tables),
            "</main>\n</body>\n</html>\n",
        )
    )


def _plain(text: str) -> str:
    """A text from a report: visible, and no markup."""
    return escape(printable(text))


def _event_line(report: Report, tables: tuple[Table, ...]) -> str:
    days = [day for day in (report.start, report.end) if day]
    parts = [
        " to ".join(dict.fromkeys(f"{day}" for day in days)),
        f"event {_plain(report.event_id)}" if report.event_id else "",
        _counted(len(tables), "section"),
        _counted(sum(len(table.rows) for table in tables), "player"),
    ]
    return ", ".join(filter(None, parts)) + "."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _section(table: Table) -> str:
    section = table.section
    anchor = f"section-{section.number}"
    name = f": <bdi>{_plain(section.name)}</bdi>" if section.name else ""
    return "\n".join(
        (
            "<section>",
            f'<h2 id="{anchor}">Section {section.number}{name}</h2>',
            f'<div class="scroll" role="region" aria-labelledby="{anchor}" tabindex="0"><table>',
            f"<caption>{_caption(table)}</caption>",
            f"<thead><tr>{_heads(table)}</tr></thead>",
            "<tbody>",
            *(_row(table, row) for row in table.rows),
            "</tbody></table></div>\n</section>",
        )
    )


def _caption(table: Table) -> str:
    section, systems = table.section, " and ".join(rated.system.title for rated in table.by_system)
    parts = [
        KINDS[section.kind],
        f"{section.start}" if section.start == section.end else f"{section.start} to {section.end}",
        f"{_counted(table.rounds, 'round')}",
        f"{_counted(len(table.rows), 'player')}",
        _plain(table.time_control),
        f"rated {systems}{', half K' if section.is_half_k else ''}",
        f"rules of {_plain(table.by_system[0].edition.title)}",
    ]
    return ", ".join(filter(None, parts))


def _heads(table: Table) -> str:
    names = [("number", "No."), ("player", "Player"), ("points", "Points")]
    names += [("rating", rated.system.title.capitalize()) for rated in table.by_system]
    heads = [f'<th scope="col" class="{kind}">{name}</th>' for kind, name in names]
    heads += [
        f'<th scope="col" class="round"><span class="unseen">Round </span>{number}</th>'
        for number in range(1, table.rounds + 1)
    ]
    return "".join(heads)


def _row(table: Table, row: Row) -> str:
    about = " ".join(filter(None, (_plain(row.state), _plain(row.entry.member_id))))
    if row.entry.number != row.number:
        about += f"{', ' if about else ''}pairing {row.entry.number}"
    cells = [
        f'<td class="number">{row.number}</td>',
        f'<th scope="row" class="player"><bdi>{_plain(row.entry.name)}</bdi> <small>{about}</small></th>',
        f'<td class="points">{row.total:.1f}</td>',
    ]
    cells += [
        f'<td class="rating" data-system="{rated.system.title.capitalize()}">{_rating(rated, row, player)}</td>'
        for rated, player in zip(table.by_system, row.players, strict=True)
    ]
    cells += [
        f'<td class="round{"" if cell.result else " blank"}" data-round="{number}">{cell_text(cell)}</td>'
        for number, cell in enumerate(row.cells, start=1)
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
        f"<b>{post_text(constants, player)}{'*' if player.assumed else ''}</b>"
        + (f" <small>{', '.join(marks)}</small>" if marks else "")
    )


def _marks(player: RatedPlayer) -> Iterator[str]:
    if player.before is not None and player.after is not None and player.games:
        yield f"{player.after.rating - player.before.rating:+.2f}".replace("-", "\N{MINUS SIGN}")
    if player.norm:
        yield f"norm&nbsp;{player.norm}"
    if floor := floor_text(player):
        yield f"floor&nbsp;{floor.rsplit(' ', 1)[-1]}"


def _notes(event: RatedEvent, tables: tuple[Table, ...]) -> Iterator[str]:
    yield '<section class="notes">\n<h2>Notes</h2>'
    yield f"<p>{NUMBERING} {LEGEND}</p>\n<p>{RATINGS}</p>"
    yield f"<p>Ratings are computed, not official. The rules were seen through the text of {LAW_SEEN_THROUGH}.</p>"
    for notes in notes_of(event, tables):
        lines = "\n".join(f"<li>{escape(line)}</li>" for line in notes.lines)
        yield f"<h3>{notes.heading}</h3>\n<ul>\n{lines}\n</ul>"
    yield "</section>"

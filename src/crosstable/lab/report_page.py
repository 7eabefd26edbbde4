"""A report as one HTML page that needs nothing else: no script, no font, no picture is loaded from anywhere."""

from html import escape
from typing import TYPE_CHECKING

from crosstable import __version__
from crosstable.lab.bootstrap import CONFIDENCE
from crosstable.lab.judged import Backtest
from crosstable.lab.report_measures import calibration, capital, groups, overall
from crosstable.lab.report_parts import Part, code, definitions, paragraph, section
from crosstable.lab.report_ratings import inflation, points, truth
from crosstable.lab.report_repeat import PAGES, commands_of, files_of, versions
from crosstable.lab.report_style import STYLE

if TYPE_CHECKING:
    from crosstable.lab.reporting import Report


def report_page(report: "Report") -> str:
    """The whole page."""
    found = report.found
    parts = [overall(found), calibration(found), groups(found), inflation(found), points(found), truth(found)]
    shown = [one for one in (*parts, report.swept, _repeat(report)) if one is not None]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title_of(found))}</title><style>{STYLE}</style></head>\n<body>\n<main>\n"
        f"<h1>{escape(title_of(found))}</h1>\n{paragraph(_lead(found), 'lead')}\n{_contents(shown)}\n"
        + "\n".join(section(part) for part in shown)
        + f"\n</main>\n<footer>Made by crosstable {__version__}; docs/lab.md explains every figure.</footer>"
        "\n</body></html>\n"
    )


def title_of(found: Backtest) -> str:
    """What the report is about."""
    first, *others = [one.rules.name for one in found.everyone]
    first = capital(first)
    if not others:
        return f"{first}: a back-test"
    *early, last = others
    listed = f"{', '.join(early)} and {last}" if early else last
    return f"{first} against {listed}"


def _lead(found: Backtest) -> str:
    days = " ".join(f"{word} {day}" for word, day in (("from", found.start), ("to", found.end)) if day is not None)
    return (
        f"{found.games:,} predictions of games in {found.sections:,} sections{f' {days}' if days else ''}, each made "
        f"before its section was played. Intervals hold {100 * CONFIDENCE:g} % of {found.draws.replicates} draws in "
        "which sections are drawn anew."
    )


def _contents(parts: list[Part]) -> str:
    links = "".join(f'<li><a href="#{part.anchor}">{escape(part.heading)}</a></li>' for part in parts)
    return f'<nav aria-label="Contents"><ul class="contents">{links}</ul></nav>'


def _repeat(report: "Report") -> Part:
    found = report.found
    facts = [
        ("archive", found.archive),
        ("its digest", found.archive_digest),
        ("seed of the draws", str(found.draws.seed)),
        ("draws", str(found.draws.replicates)),
        *((f"rules {one.rules.name}", one.rules.title) for one in found.everyone),
        ("versions", ", ".join(f"{name} {number}" for name, number in versions().items())),
    ]
    content = definitions(facts)
    for name, text in files_of(found, report.sweep).items():
        content += paragraph(f"Put this into {name}:") + code(text)
    if "pages" in report.source:
        content += paragraph(f"{PAGES} is the folder of the {report.source['pages']:,} posted pages.")
    content += paragraph("Then the same commands give the same numbers:")
    content += code("\n".join(commands_of(found, report.source, report.sweep, report.sweep_folder)))
    return Part("repeat", "To repeat it", content)

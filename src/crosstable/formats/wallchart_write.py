"""Writing wallcharts: keys and tables as ``wallchart`` reads them, as CSV or as rows for a spreadsheet."""

from collections.abc import Iterator, Mapping, Sequence

from crosstable.formats.columns import PLAYER_DETAILS, columns_for, written
from crosstable.formats.event_json_write import written_cell
from crosstable.formats.sheet_rows import as_text, csv_bytes
from crosstable.formats.wallchart import EVENT_DETAILS, SECTION_DETAILS
from crosstable.terms import (
    NOT_GIVEN,
    PAIRING_GAMES,
    RATINGS,
    UNNAMED,
    RatingSystem,
    Report,
    ReportedPlayer,
    ReportedSection,
)

_TITLES = {"number": "No", "name": "Name", "member id": "ID", "state": "State", "rating": "Rating", "total": "Total"}
_ALWAYS = ("number", "name", "member id")
_POSTED = ("posted", "posted games")
_AFTER_ROUNDS = ("total", *(f"{system.name} {quantity}" for system in RatingSystem for quantity in _POSTED))


def write(report: Report) -> bytes:
    """The wallchart of a report as CSV."""
    return csv_bytes(rows_of(report))


def rows_of(report: Report) -> Iterator[list[str]]:
    """The rows of a wallchart: the event's keys, then each section's keys and its table."""
    yield from _keys(
        {
            "Event": report.name,
            "Event ID": report.event_id,
            "Start": as_text(report.start),
            "End": as_text(report.end),
            **_details(report.details, EVENT_DETAILS),
        }
    )
    for order, section in enumerate(report.sections, start=1):
        yield from _section_rows(section, order)


def _section_rows(section: ReportedSection, order: int) -> Iterator[list[str]]:
    yield []
    yield [f"Section: {section.name}"]
    yield from _keys(
        {
            "Section number": "" if section.number == order else as_text(section.number),
            "Time control": _time_control(section.time_controls),
            "Systems": ", ".join(system.name for system in section.systems),
            "Type": section.kind.value.replace("_", " "),
            "Online": as_text(section.is_online),
            "K factor": "half" if section.is_half_k else "",
            "Start": as_text(section.start),
            "End": as_text(section.end),
            "Match waiver": section.match_waiver,
            **_details(section.details, SECTION_DETAILS),
        }
    )
    rounds = [f"Rd {number}" for number in range(1, max((len(p.cells) for p in section.players), default=0) + 1)]
    rows = [_cells(player) for player in section.players]
    columns = [*_before_rounds(section, rows), *rounds, *_filled(_AFTER_ROUNDS, rows)]
    titles = {**_TITLES, "rating": "Pre-event rating"} if section.details.get(RATINGS) == UNNAMED else _TITLES
    yield [titles.get(column, column[:1].upper() + column[1:]) for column in columns]
    for row in rows:
        yield [row.get(column, "") for column in columns]


def _keys(values: dict[str, str]) -> Iterator[list[str]]:
    return ([f"{key}: {value}"] for key, value in values.items() if value)


def _details(details: Mapping[str, str], known: tuple[str, ...]) -> dict[str, str]:
    return {name.capitalize(): details.get(name.replace(" ", "_"), "") for name in known}


def _time_control(controls: tuple[str, ...]) -> str:
    if len(controls) < 2:
        return "".join(controls)
    return ", ".join(f"Round {at}: {control}" for at, control in enumerate(controls, start=1))


def _before_rounds(section: ReportedSection, rows: list[dict[str, str]]) -> list[str]:
    backgrounds = columns_for([player.background for player in section.players])
    rest = ("rate", "fide flag", "member", "fide opt in", *PLAYER_DETAILS)
    columns = _filled(("state", "rating", *backgrounds, *rest), rows)
    # A column without ratings says that all are unrated.
    if "rating" not in columns and section.details.get(RATINGS) != NOT_GIVEN:
        columns.insert(columns.count("state"), "rating")
    return [*_ALWAYS, *columns]


def _filled(columns: Sequence[str], rows: list[dict[str, str]]) -> list[str]:
    """The columns in which some player has something."""
    return [column for column in columns if any(row.get(column) for row in rows)]


def _cells(player: ReportedPlayer) -> dict[str, str]:
    games = player.details.get(PAIRING_GAMES, "")
    cells = {
        "number": as_text(player.number),
        "name": player.name,
        "member id": player.member_id,
        "state": player.state,
        "rating": f"{as_text(player.pairing_rating)}P{games}" if games.isdecimal() else as_text(player.pairing_rating),
        "total": as_text(player.total),
        "rate": as_text(player.is_rated),
        "fide flag": player.fide_flag or "",
        "member": as_text(player.is_member),
        "fide opt in": as_text(player.has_opted_in),
        **written(player.background),
        **{name: player.details.get(name.replace(" ", "_"), "") for name in PLAYER_DETAILS},
    }
    for system, posted in player.posted.items():
        cells[f"{system.name} posted"] = as_text(posted.rating)
        cells[f"{system.name} posted games"] = as_text(posted.games)
    return cells | {f"Rd {at}": written_cell(cell) for at, cell in enumerate(player.cells, start=1)}

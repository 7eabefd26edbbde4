"""Crosstables on a terminal, drawn with rich, the way a director knows them: ``1641P17 -> 1657P24``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosstable.engine import RatedSection
from crosstable.formulas.rounding import official_rating
from crosstable.output.words import cell_text, printable, rating_line, section_title, total_points
from crosstable.pipeline.rating import RatedEvent

if TYPE_CHECKING:
    from rich.table import Table


def print_crosstables(event: RatedEvent) -> None:
    """Print the event's name and every section's crosstable, then what was assumed."""
    from rich.console import Console
    from rich.measure import Measurement
    from rich.text import Text

    # Nothing that a file says is markup, and :B: is no emoji.
    console = Console(highlight=False, markup=False, emoji=False)
    report = event.report
    dates = f"{report.start} to {report.end}" if report.start != report.end else f"{report.start}"
    console.print(Text(f"{report.name or report.event_id}, {dates}", style="bold"), soft_wrap=True)
    for by_system in event.rated:
        table = _table(by_system, event)
        # A crosstable is never squeezed: a line that runs over is readable, a lost column is not.
        needed = Measurement.get(console, console.options.update(width=10_000), table).maximum
        console.print()
        console.print(Text(section_title(by_system)), soft_wrap=True)
        Console(highlight=False, markup=False, emoji=False, width=max(console.width, needed)).print(table)
    for line in (*origins(event), *assumptions(event)):
        console.print(Text(line, style="dim"), soft_wrap=True)


def _table(by_system: Sequence[RatedSection], event: RatedEvent) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("No", justify="right", no_wrap=True)
    table.add_column("Player", no_wrap=True)
    table.add_column("Total", justify="right", no_wrap=True)
    rounds = max((len(entry.cells) for entry in by_system[0].section.entries), default=0)
    for round_number in range(1, rounds + 1):
        table.add_column(f"R{round_number}", no_wrap=True)
    table.add_column("Ratings", no_wrap=True)
    for at, entry in enumerate(by_system[0].section.entries):
        cells = [cell_text(cell) for cell in entry.cells] + [""] * (rounds - len(entry.cells))
        table.add_row(
            str(entry.number),
            Text(printable(entry.name)),
            f"{total_points(entry):.1f}",
            *cells,
            "\n".join(
                rating_line(rated, rated.players[at]) + _range(event, rated, rated.players[at].number)
                for rated in by_system
            ),
        )
    return table


def _range(event: RatedEvent, rated: RatedSection, number: int) -> str:
    """What the result may be where an assumption matters."""
    found = event.ranges.get((rated.section.number, rated.system, number))
    if found is None or official_rating(found[0]) == official_rating(found[1]):
        return ""
    return f" ({official_rating(found[0])} to {official_rating(found[1])})"


def origins(event: RatedEvent) -> list[str]:
    """Where ratings came from that the event file itself did not carry, with the players concerned."""
    who: dict[str, list[str]] = {}
    for by_system in event.rated:
        for player in by_system[0].players:
            if player.origin:
                who.setdefault(player.origin, []).append(f"{by_system[0].section.number}/{player.number}")
    return [f"Ratings from {origin}: section/player {', '.join(places)}" for origin, places in who.items()]


def assumptions(event: RatedEvent) -> list[str]:
    """What was assumed, each with the players it concerns."""
    who: dict[str, list[str]] = {}
    for by_system in event.rated:
        for rated in by_system:
            for player in rated.players:
                for note in player.assumed:
                    place = f"{rated.section.number}/{player.number}"
                    players = who.setdefault(note, [])
                    if place not in players:
                        players.append(place)
    return [f"* assumed, section/player {', '.join(places)}: {note}" for note, places in who.items()]

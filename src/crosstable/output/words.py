"""How a crosstable says things: ratings with their provisional counts, cells, totals, section titles."""

from collections.abc import Sequence

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.formulas.rounding import official_rating
from crosstable.formulas.tally import is_established
from crosstable.rules.constants import Constants
from crosstable.terms import POINTS, Cell, Entry, Formula, PlayerRating, total


def rating_text(constants: Constants, standing: PlayerRating | None) -> str:
    """A rating as crosstables print it: ``1641P17`` provisional, ``1794`` established (official facts §4)."""
    if standing is None:
        return "Unrated"
    whole = str(official_rating(standing.rating))
    if standing.games is None or is_established(constants, standing.games):
        return whole
    return f"{whole}P{standing.games:g}"


def pre_text(constants: Constants, player: RatedPlayer) -> str:
    """The rating before the section."""
    return rating_text(constants, player.before)


def post_text(constants: Constants, player: RatedPlayer) -> str:
    """The rating after the section; nothing for somebody who stayed unrated."""
    if player.formula is Formula.NONE and player.after is None:
        return "Unrated"
    return rating_text(constants, player.after)


SYSTEM_LETTERS = ("R", "Q", "B", "ONL:R", "ONL:Q", "ONL:B")


def rating_line(rated: RatedSection, player: RatedPlayer) -> str:
    """One rating line of a crosstable: ``R: 1641P17 -> 1657P24``, then norm, floor and a mark for assumptions."""
    constants = rated.edition.constants
    line = f"{SYSTEM_LETTERS[rated.system]}: {pre_text(constants, player):>7} -> {post_text(constants, player):<7}"
    if player.norm is not None:
        line += f" N:{player.norm}"
    if player.outcome.floor_kind and player.formula is not Formula.NONE:
        line += f" floor {player.outcome.floor_level:g}"
    return line + (" *" if player.assumed else "")


def printable(text: str) -> str:
    """A name with control and direction characters made visible, so that no file can write on the terminal."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def cell_text(cell: Cell) -> str:
    """A cell as printed: letter, opponent, colour."""
    opponent = str(cell.opponent) if cell.opponent else ""
    return f"{cell.result.value}{opponent}{cell.colour}"


def total_points(entry: Entry) -> float:
    """The points of the wallchart: games, byes and forfeits."""
    return total(POINTS.get(cell.result, 0.0) for cell in entry.cells)


def section_title(by_system: Sequence[RatedSection]) -> str:
    """The line above a section's crosstable."""
    section = by_system[0].section
    control = f", {section.time_control.text}" if section.time_control else ""
    systems = " and ".join(rated.system.name for rated in by_system)
    name = f" {section.name}" if section.name else ""
    dates = f"{section.start}" if section.start == section.end else f"{section.start} to {section.end}"
    return f"Section {section.number}{name}: {dates}{control}, {systems}, rules of {by_system[0].edition.title}"

"""How a crosstable says things: ratings with their provisional counts, cells, totals, section titles."""

import os
from collections.abc import Mapping, Sequence

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.engine.records import Assumption
from crosstable.formulas.outcome import is_established, official_rating
from crosstable.rules.amending import Edition
from crosstable.rules.constants import Constants
from crosstable.sentences import american, american_days
from crosstable.terms import Cell, Formula, PlayerRating, Report, ReportedSection, Section, SectionType


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


KINDS: Mapping[SectionType, str] = {
    SectionType.SWISS: "Swiss",
    SectionType.ROUND_ROBIN: "Round robin",
    SectionType.MATCH: "Match",
    SectionType.FOREIGN_FIDE: "Foreign FIDE event",
    SectionType.FOREIGN_FIDE_YOUTH: "Foreign FIDE youth event",
}
SYSTEM_LETTERS = ("R", "Q", "B", "ONL:R", "ONL:Q", "ONL:B")


def rating_line(rated: RatedSection, player: RatedPlayer) -> str:
    """One rating line of a crosstable: ``R: 1641P17 -> 1657P24``, then norm, floor and a mark for assumptions."""
    constants = rated.edition.constants
    line = f"{SYSTEM_LETTERS[rated.system]}: {pre_text(constants, player):>7} -> {post_text(constants, player):<7}"
    if player.norm is not None:
        line += f" N:{player.norm}"
    if player.outcome.floor_kind and player.formula is not Formula.NONE:
        line += f" floor {player.outcome.floor_level:g}"
    return line + (" *" if rests_on_assumption(player) else "")


# What whoever rates the file gave with it is no assumption; it is listed with them all the same.
_GIVEN = frozenset({Assumption.CONTROL_GIVEN, Assumption.START_GIVEN, Assumption.END_GIVEN, Assumption.END_IS_START})


def rests_on_assumption(player: RatedPlayer) -> bool:
    """Whether anything that a result rests on was assumed: then it has an asterisk."""
    return any(note not in _GIVEN for note in player.assumed)


def event_title(report: Report) -> str:
    """The event's name, or that of its file without the ending."""
    return report.name or os.path.splitext(os.path.basename(report.place))[0] or "Crosstable"


def printable(text: str) -> str:
    """A name with control and direction characters made visible, so that no file can write on the terminal."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def cell_text(cell: Cell) -> str:
    """A cell as printed: letter, opponent, colour."""
    opponent = str(cell.opponent) if cell.opponent else ""
    return f"{cell.result.value}{opponent}{cell.colour}"


def particulars(report: Report, section: ReportedSection | None = None) -> list[tuple[str, str]]:
    """Where an event took place, for which affiliate and under whom, as far as the file says it."""
    details = {**report.details, **({} if section is None else section.details)}
    region = " ".join(filter(None, (details.get("state"), details.get("zip"))))
    found = {
        "Location": ", ".join(filter(None, (details.get("city"), region))),
        "Affiliate": details.get("affiliate", ""),
        "Chief TD": details.get("chief_td") or details.get("chief_arbiter", ""),
    }
    return [(label, text) for label, text in found.items() if text]


def controls_text(controls: Sequence[str]) -> str:
    """Time controls as written: one for all rounds, or each of them."""
    if len(set(controls)) > 1:
        return ", ".join(f"Round {at}: {control}" for at, control in enumerate(controls, start=1))
    return "".join(controls[:1])


def about_event(report: Report, section: ReportedSection | None = None) -> str:
    """When and where, for whom and under whom."""
    days = american_days(report.start, report.end) if report.start and report.end else ""
    found = (
        text if label == "Location" else f"{label} {'ID ' if text.isdecimal() else ''}{text}"
        for label, text in particulars(report, section)
    )
    return " · ".join(filter(None, (days, *found)))


def rules_text(edition: Edition) -> str:
    """By which rules a section was rated, in words."""
    ruled = "" if edition.ruled is None else f", rule set {edition.ruled.name} ({edition.ruled.digest})"
    return f"rules in force since {american(edition.effective)}{ruled}"


def section_name(section: Section) -> str:
    """What stands above a section: ``Section 2: Reserve``."""
    return f"Section {section.number}{f': {section.name}' if section.name else ''}"


def section_title(by_system: Sequence[RatedSection]) -> str:
    """The line above a section's crosstable."""
    section = by_system[0].section
    control = f", {section.time_control.text}" if section.time_control else ""
    systems = " and ".join(rated.system.name for rated in by_system)
    name = f" {section.name}" if section.name else ""
    dates = american_days(section.start, section.end)
    return f"Section {section.number}{name}: {dates}{control}, {systems}, {rules_text(by_system[0].edition)}"

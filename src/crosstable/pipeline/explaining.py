"""``explain``: the calculation of one player of a rated event, and the document ``crosstable-explained/1``."""

import math
from typing import Any

from crosstable.engine import RatedSection
from crosstable.explanation import Line, explain
from crosstable.pipeline.rating import RatedEvent

FORMAT = "crosstable-explained/1"


def player_of(event: RatedEvent, who: str, section: int | None = None) -> tuple[int, int | None]:
    """The number of a player by number, member id or name, and their section; raises ``LookupError`` with who there is.

    A name is found by any part of it, in any case. Where no section is named, an id or a name finds its own.
    """
    entries = [
        (by_system[0].section.number, entry)
        for by_system in event.rated
        for entry in by_system[0].section.entries
        if section in (None, by_system[0].section.number)
    ]
    if who.isdecimal() and any(entry.number == int(who) for _, entry in entries):
        return int(who), section
    wanted = who.casefold()
    same = [one for one in entries if wanted in (one[1].member_id.casefold(), one[1].name.casefold())]
    found = same or [one for one in entries if wanted in one[1].name.casefold()]
    if len(found) == 1:
        return found[0][1].number, found[0][0]
    if not found and (who.isdecimal() or not entries):
        return int(who) if who.isdecimal() else 0, section  # ``chosen`` says what is wrong with it
    if not found:
        raise LookupError(f"nobody here has the number, member id or name {who!r}")
    listed = "; ".join(f"section {at}, player {entry.number} ({entry.name})" for at, entry in found)
    raise LookupError(f"{who!r} may be several: {listed}; name one by number")


def chosen(event: RatedEvent, player: int, section: int | None = None, system: str | None = None) -> list[RatedSection]:
    """The rated sections that a question is about; raises ``LookupError`` with what there is instead."""
    numbers = [by_system[0].section.number for by_system in event.rated]
    if not numbers:
        raise LookupError("no section of the event was rated")
    listed = ", ".join(map(str, numbers))
    if section is None and len(numbers) > 1:
        raise LookupError(f"the event has sections {listed}; name one")
    wanted = numbers[0] if section is None else section
    if wanted in {section.number for section in event.examined} - set(numbers):
        raise LookupError(f"section {wanted} was not rated, because it has errors; rated: {listed}")
    if wanted not in numbers:
        raise LookupError(f"there is no rated section {wanted}; the sections are {listed}")
    by_system = event.rated[numbers.index(wanted)]
    found = [rated for rated in by_system if system in (None, rated.system.name)]
    if not found:
        systems = ", ".join(rated.system.name for rated in by_system)
        raise LookupError(f"section {wanted} is rated {systems}, not {system}")
    if all(row.number != player for row in found[0].players):
        raise LookupError(f"there is no player {player} in section {wanted}")
    return found


def explained_document(rated: RatedSection, number: int, lines: tuple[Line, ...] | None = None) -> dict[str, Any]:
    """An explanation as programs read it."""
    ruled = {} if rated.edition.ruled is None else {"rules": rated.edition.ruled._asdict()}
    return {
        "format": FORMAT,
        "section": rated.section.number,
        "player": number,
        "system": rated.system.name,
        "edition": rated.edition.name,
        **ruled,
        "lines": line_objects(explain(rated, number) if lines is None else lines),
    }


def line_objects(lines: tuple[Line, ...]) -> list[dict[str, Any]]:
    """The lines of an explanation as programs read them, with every number in full."""
    return [
        {
            "part": line.part,
            "section": line.section,
            "text": line.text,
            "name": line.name or None,
            "value": None if math.isnan(line.value) else line.value,
            "key": line.key,
            "document": line.document or None,
            "symbol": line.symbol or None,
            "formula": line.formula,
        }
        for line in lines
    ]

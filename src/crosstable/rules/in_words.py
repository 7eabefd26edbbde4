"""An edition in words: every rule by name, as texts that can be printed and compared."""

import math

from crosstable.rules.amending import Edition, Knowledge
from crosstable.rules.constants import Conversion, Initialisation, PriorityList

KNOWN = {
    Knowledge.TEXT: "known from a text",
    Knowledge.RESULTS: "known from official results",
    Knowledge.ASSUMED: "assumed",
}


def edition_values(edition: Edition) -> dict[str, str]:
    """Every rule of an edition by name, as text."""
    values: dict[str, str] = {}
    blends = edition.constants.initialisation == Initialisation.BLEND
    for name, value in edition.constants._asdict().items():
        if name in ("fide", "fide_youth", "cfc"):
            values[name] = _conversion(value)
        elif name == "priorities" and not blends:
            values.update({f"start in {s.name}": _priorities(value[s]) for s in edition.systems})
        elif name == "game_factors" and blends:
            values.update({f"game factors in {s.name}": _text(value[s]) for s in edition.systems})
        elif name in ("priorities", "game_factors"):
            continue
        else:
            values[name] = _text(value)
    values["systems"] = ", ".join(system.name for system in edition.systems)
    values.update({f"time control: {name}": _text(value) for name, value in edition.controls._asdict().items()})
    values.update({f"lists: {name}": _text(value) for name, value in edition.lists._asdict().items()})
    return values


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "not limited" if math.isinf(value) else f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(_text(item) for item in value)
    return str(getattr(value, "name", value))


def _conversion(pieces: Conversion) -> str:
    """A conversion as it is printed: pieces with their limits."""
    texts = []
    for piece in dict.fromkeys(pieces):
        where = "" if math.isinf(piece.limit) else f" {'up to' if piece.is_closed else 'below'} {piece.limit:g}"
        formula = "not found" if math.isnan(piece.slope) else f"{piece.intercept:g} + {piece.slope:g} x"
        texts.append(f"{formula}{where}")
    return "; ".join(texts)


def _priorities(lines: PriorityList) -> str:
    texts = []
    for line in dict.fromkeys(lines):
        games = f" on {line.at_least:g} games or more" if line.at_least else ""
        texts.append(f"{line.source.name}{games} ({line.credit.name.lower().replace('_', ' ')})")
    return ", ".join(texts)

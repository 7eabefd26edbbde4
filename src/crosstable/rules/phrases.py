"""Rules of an edition as parts of sentences: what statements, findings and answers say in the same words."""

import math
from collections.abc import Iterable, Mapping
from datetime import date

from crosstable.rules.amending import Edition
from crosstable.rules.constants import Constants, Conversion, Piece
from crosstable.rules.editions import HALF_K_ENDED


def phrases(edition: Edition) -> Mapping[str, str]:
    """Rules of an edition as parts of sentences, by name: what the meanings of findings have places for."""
    constants = edition.constants
    return {
        "half_k_ended": month_of(HALF_K_ENDED),
        "bonus_repeats": bonus_repeats(constants),
        "match_limits": match_limits(constants),
        "match_conditions": match_conditions(constants),
        "floor_request_drop": f"{constants.floor_request_drop:g}",
        "foreign_conditions": foreign_conditions(constants),
    }


def month_of(day: date) -> str:
    """A day's month: March 2006."""
    return f"{day:%B %Y}"


def times(count: int) -> str:
    """How often: once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def listed(texts: Iterable[str], word: str = "and") -> str:
    """Texts as a sentence lists them: one, two and three."""
    *most, last = texts
    return f"{', '.join(most)} {word} {last}" if most else last


def bonus_repeats(constants: Constants) -> str:
    """How often one opponent is too often for a bonus (§4.2)."""
    usual = f"more than {times(constants.bonus_meetings)}"
    if constants.bonus_meetings_in_three == constants.bonus_meetings:
        return usual
    return f"{usual}, or more than {times(constants.bonus_meetings_in_three)} in {constants.bonus_games:g} games"


def match_limits(constants: Constants) -> str:
    """The limits on what matches change (§7); a limit that is not in force is left out."""
    limits = {
        "{:g} points in a match": constants.match_change,
        f"{{:g}} net in {constants.match_half_year_days} days": constants.match_half_year,
        f"{{:g}} net in {constants.match_years} years": constants.match_three_years,
    }
    found = [text.format(limit) for text, limit in limits.items() if math.isfinite(limit)]
    return ", ".join(found) or "none"


def match_conditions(constants: Constants) -> str:
    """Who may play a rated match (§7)."""
    status = "established, published" if constants.match_needs_established else "published"
    if math.isinf(constants.match_published_gap):
        return f"Both players need {status} ratings."
    return f"Both players need {status} ratings that are at most {constants.match_published_gap:g} points apart."


def foreign_conditions(constants: Constants) -> str:
    """Whose rating a foreign FIDE event updates (§6)."""
    status = "an established" if constants.foreign_needs_established else "a"
    return (
        f"Current members with {status} Regular rating are updated: from {constants.foreign_automatic_from:g} FIDE up "
        "under the USA flag without asking, others who opted in before the event."
    )


def converted_by(conversion: Conversion, name: str) -> str:
    """A conversion in words, piece by piece (§2.1, §2.2, §6)."""
    pieces = list(dict.fromkeys(conversion))
    if len(pieces) == 1:
        return _piece(pieces[0], name)
    texts = [
        f"{_piece(piece, name)} {'up to' if piece.is_closed else 'below'} {piece.limit:g}" for piece in pieces[:-1]
    ]
    return f"{', '.join(texts)}, {_piece(pieces[-1], name)} beyond"


def _piece(piece: Piece, name: str) -> str:
    if math.isnan(piece.slope):
        return "a number whose formula was not found"
    return f"{piece.intercept:g} + {piece.slope:g} × {name}"


def games_credited(above: float, below: float, split: float) -> str:
    """The games that an outside rating counts for (§2.1, §2.2)."""
    return f"{above:g} games" if above == below else f"{above:g} games above {split:g}, else for {below:g}"


def dual_k(constants: Constants) -> str:
    """What a dual-rated section does to K (§4.2)."""
    return f"K is smaller above {constants.dual_k_above:g}" if constants.dual_k_is_reduced else "K is the same"


def age_based(constants: Constants) -> str:
    """The start that age gives (§2.3)."""
    base = f"{constants.age_base:g} + " if constants.age_base else ""
    return f"{base}{constants.age_slope:g} points for every year"

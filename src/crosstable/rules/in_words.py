"""The rules in words: what every constant means, and the rules of an edition as parts of sentences and as texts.

Rule sets (``rule_files``) are held against the ranges of ``DESCRIBED``, and ``docs/rule-sets.md`` is printed from it. A
range is wide: it keeps out what is surely a slip of the pen or would stop the arithmetic, not what is unwise.
"""

import math
from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple

from crosstable.rules.amending import Edition, Knowledge
from crosstable.rules.constants import NO_LIMIT, Constants, Conversion, Initialisation, Piece, PriorityList
from crosstable.rules.editions import HALF_K_ENDED


class Described(NamedTuple):
    """One constant: the section it belongs to, what it is, and the least and the greatest number that make sense."""

    paragraph: str
    meaning: str
    least: float = 0.0
    most: float = 0.0


_RATING = 4000.0

DESCRIBED: Mapping[str, Described] = {
    "established_above": Described("1", "a rating on more than this many games is established", 0, 500),
    "absolute_floor": Described("5", "no rating is lower", -1000, 1000),
    "effective_cap": Described("3", "the most effective games that any rating is worth", 1, 1000),
    "effective_base": Described("3", "effective games: the constant under the root", 0.01, 10),
    "effective_slope": Described("3", "effective games: the factor of the squared distance to the centre", 0, 0.001),
    "effective_centre": Described("3", "effective games: the rating from which the distance is taken", 0, _RATING),
    "effective_limit": Described("3", "above this rating effective games are at their cap", 0, _RATING),
    "initialisation": Described(
        "2", "how unrated players start: `priority` (the first source of a list) or `blend` (of all)"
    ),
    "priorities": Described("2", "by system, the sources of a start in their order, with the games credited"),
    "game_factors": Described(
        "2",
        "for two systems (unrated in the first, rated in the second): the most games for which the second counts",
        0,
        100,
    ),
    "credited_cap": Described("2", "the most games that a start is credited with", 0, 100),
    "strength_unit": Described(
        "2", "blend: this many points above the age-based start count as one unit of strength", 1, 10000
    ),
    "strength_cap": Described(
        "2", "blend: the maximum of strength; a source with this strength loses no weight with time", 0, 100
    ),
    "staleness_rate": Described("2", "blend: how fast a source loses weight with the years", 0, 10),
    "fide": Described("2.1", "the conversion of FIDE ratings, in at most four pieces"),
    "fide_youth": Described("6", "the conversion of opponents' FIDE ratings in foreign youth events"),
    "fide_split": Described("2.1", "a FIDE rating above it is credited with more games", 0, _RATING),
    "fide_games_above": Described("2.1", "the games credited for a FIDE rating above the split", 0, 100),
    "fide_games_below": Described("2.1", "the games credited for one at or below it", 0, 100),
    "cfc": Described("2.2", "the conversion of CFC ratings, in at most four pieces"),
    "cfc_split": Described("2.2", "a CFC rating above it is credited with more games", 0, _RATING),
    "cfc_games_above": Described("2.2", "the games credited for a CFC rating above the split", 0, 100),
    "cfc_games_below": Described("2.2", "the games credited for one at or below it", 0, 100),
    "cfc_needs_residence": Described("2.2", "whether only residents of Canada start from a CFC rating"),
    "age_base": Described("2.3", "the age-based start at age 0", -1000, 3000),
    "age_slope": Described("2.3", "the points a year of the age-based start", 0, 500),
    "age_youngest": Described("2.3", "a younger age is taken for a wrong birth date", 0, 100),
    "age_oldest": Described("2.3", "beyond this age everybody starts as an adult", 0, 150),
    "too_young_is_adult": Described("2.3", "whether somebody too young is taken for an adult"),
    "adult_start": Described("2.3", "the start of an adult", -1000, _RATING),
    "unknown_start": Described("2.3", "the start of somebody whose age is not known", -1000, _RATING),
    "special_games": Described("4.1", "the special formula is used up to this many games", 0, 500),
    "special_spread": Described(
        "4.1", "within this many points the provisional expectancy is a straight line", 50, 2000
    ),
    "special_cap": Described("4.1", "no special rating is higher", 500, 10000),
    "step_3_games": Described("4.1", "the effective games of a start in Step 3", 0, 100),
    "k_numerator": Described("4.2", "K = this / (effective games + games played)", 1, 100000),
    "k_effective_weight": Described("4.2", "the weight of effective games in K; 1 in every edition", 0, 100),
    "k_cap": Described("4.2", "no K is larger (`inf`: any; so it is in every edition)", 0.01, NO_LIMIT),
    "half_k_is_allowed": Described("4.2", "whether an organiser may ask for half K"),
    "dual_k_is_reduced": Described("4.2", "whether Regular ratings move less in dual-rated sections"),
    "dual_k_above": Described("4.2", "above this rating K is smaller in dual-rated sections", 0, _RATING),
    "dual_k_flat_from": Described(
        "4.2", "from this rating up, K in dual-rated sections has the constant numerator `dual_k_flat`", 0, _RATING
    ),
    "dual_k_base": Described(
        "4.2", "between the two, K is multiplied by (`dual_k_base` - `dual_k_slope` x rating)", -100, 100
    ),
    "dual_k_slope": Described("4.2", "how much that factor falls for each rating point", 0, 1),
    "dual_k_flat": Described("4.2", "the constant numerator of K from `dual_k_flat_from` up", 0, 100000),
    "bonus_threshold": Described(
        "4.2", "B: the part of a gain above B times the square root of the games is added again, as a bonus", 0, 10000
    ),
    "bonus_games": Described("4.2", "fewer games earn no bonus", 1, 100),
    "bonus_least_games": Described("4.2", "the least number of games under the root", 1, 100),
    "bonus_meetings": Described("4.2", "no bonus if one opponent was met more often than this", 1, 1000),
    "bonus_meetings_in_three": Described("4.2", "the same for a player with exactly `bonus_games` games", 1, 1000),
    "personal_floor_is_used": Described("5", "whether each player has a personal lowest rating, over the board"),
    "personal_per_win": Described("5", "the personal floor rises by this with a win", 0, 100),
    "personal_per_draw": Described("5", "with a draw", 0, 100),
    "personal_per_event": Described("5", "with each event of at least `personal_event_games` games", 0, 100),
    "personal_event_games": Described("5", "the fewest games of an event that raises the personal floor", 0, 100),
    "personal_floor_top": Described("5", "the highest personal floor", -1000, _RATING),
    "peak_drop": Described("5", "a peak floor lies this far below the peak", 0, _RATING),
    "peak_step": Described("5", "floors by peak and by prize are multiples of this", 1, 1000),
    "peak_lowest": Described("5", "the lowest peak floor (`inf`: none)", 0, NO_LIMIT),
    "peak_lowest_since_2010": Described("5", "the same for peaks since 2010-04-01 (`inf`: none)", 0, NO_LIMIT),
    "peak_highest": Described("5", "the highest peak floor", 0, NO_LIMIT),
    "life_master_level": Described(
        "5",
        "games played from this rating up count toward Original Life Master; also the floor of the title",
        0,
        _RATING,
    ),
    "life_master_games": Described("5", "this many of them earn the title and its floor", 1, 1_000_000),
    "money_prize": Described("5", "the least prize that sets a floor, in dollars", 0, NO_LIMIT),
    "money_highest": Described("5", "the highest floor that a prize sets", 0, NO_LIMIT),
    "foreign_needs_established": Described("6", "whether foreign events change established ratings only"),
    "foreign_automatic_from": Described("6", "from this FIDE rating foreign events count without asking", 0, NO_LIMIT),
    "match_needs_established": Described("7", "whether only established players play matches"),
    "match_published_gap": Described(
        "7", "how far apart the published ratings of the two players of a match may be", 0, NO_LIMIT
    ),
    "match_change": Described("7", "the most points that a match changes (`inf`: any)", 0, NO_LIMIT),
    "match_half_year": Described("7", "the most net points of matches in the shorter time (`inf`: any)", 0, NO_LIMIT),
    "match_half_year_days": Described("7", "the shorter time, in days", 0, 100000),
    "match_three_years": Described("7", "the most net points of matches in the longer time (`inf`: any)", 0, NO_LIMIT),
    "match_years": Described("7", "the longer time, in years", 0, 100),
    "floor_request_drop": Described("7", "by how much a floor may be lowered after a match", 0, 1000),
    "stores_whole_numbers": Described("7", "whether ratings are stored as whole numbers, up on a gain, down on a loss"),
}

# The numbers inside tables, by field.
INSIDE: Mapping[str, Described] = {
    "limit": Described("2", "up to where a piece reaches", -10000, NO_LIMIT),
    "intercept": Described("2", "the constant of a piece", -10000, 10000),
    "slope": Described("2", "the factor of a piece", -10, 10),
    "at_least": Described("2", "the games that a source must be based on", 0, 1000),
    "at_most": Described("2", "the games that it may be based on", 0, NO_LIMIT),
}

# Pairs of which the first may not be above the second.
ASCENDING = (
    ("age_youngest", "age_oldest"),
    ("dual_k_above", "dual_k_flat_from"),
    ("absolute_floor", "personal_floor_top"),
)


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

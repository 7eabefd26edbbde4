"""The words of what becomes of a computed rating: match limits, floors, ceiling, storage, counts and norms (§5, §7)."""

from collections.abc import Iterator
from itertools import combinations

# A row: the id, the rule, the name and the symbol (``-`` for none); the text; the formula.
Row = tuple[str, ...]

_HELD = "min(max({change:p}, min(0, -{limit} - ({net:p}))), max(0, {limit} - ({net:p})))"

_MATCHES: tuple[Row, ...] = (
    (
        "match.gap 7",
        "The published ratings of the two players of a match may be at most {match_published_gap:c} points apart.",
    ),
    (
        "match.computed 7 computed",
        "The match would change the rating by {formula} = {value:+p}.",
        "{computed:r} - {before:r}",
    ),
    ("match.past 7", "A match that ended on {day} changed it by {change:+p}."),
    (
        "match.one 7 within_match",
        "A match changes a rating by at most {match_change:c}: {formula} = {value:+p}.",
        "min(max({change:p}, -{match_change:c}), {match_change:c})",
    ),
    (
        "match.days 7 within_half_year",
        "Within {match_half_year_days:c} days matches may change it by at most {match_half_year:c} in all. Before "
        "this match they had changed it by "
        "{net:p}: {formula} = {value:+p}.",
        _HELD.replace("{limit}", "{match_half_year:c}"),
    ),
    (
        "match.years 7 change",
        "Within {match_years:c} years matches may change it by at most {match_three_years:c} in all. Before this "
        "match they had changed it by "
        "{net:p}: {formula} = {value:+p}.",
        _HELD.replace("{limit}", "{match_three_years:c}"),
    ),
    ("match.limited 7 limited_change", "The limits of match play leave a change of {value:+p}.", "{change:p}"),
    ("match.unlimited 7", "The limits of match play leave this change as it is."),
)

_FLOORS: tuple[Row, ...] = (
    ("floor.absolute 5 floor", "The absolute floor of {absolute_floor:c} holds the rating up."),
    (
        "floor.personal 5 floor AF",
        "The personal absolute floor holds the rating up: so many points for each win, each draw and each section of "
        "{personal_event_games:c} or more games, this section included: {formula} = {value:c}.",
        "min({absolute_floor:c} + {personal_per_win:c} * {wins:c} + {personal_per_draw:c} * {draws:c} + "
        "{personal_per_event:c} * {events:c}, {personal_floor_top:c})",
    ),
    *(
        (
            f"floor.{key} 5 floor",
            f"The floor from the highest rating holds the rating up: {which} is {{peak:r}}; rounded, less "
            "{peak_drop:c}, and down to a full {peak_step:c}, that is {formula} = {value:c}. Such floors go from "
            f"{{{lowest}:c}} to {{peak_highest:c}}.",
            "min(floor((floor({peak:r} + 0.5) - {peak_drop:c}) / {peak_step:c}) * {peak_step:c}, {peak_highest:c})",
        )
        for key, which, lowest in (
            ("peak", "the highest established rating", "peak_lowest"),
            ("peak_since_2010", "the highest established rating since {since}", "peak_lowest_since_2010"),
        )
    ),
    (
        "floor.lowered 7 floor",
        "The {floor}, which the office lowered to {value:c}, holds the rating up.",
    ),
    (
        "floor.life_master 5 floor",
        "The Original Life Master floor of {life_master_level:c} holds the rating up, for {games:c} games at that "
        "level where {life_master_games:c} are needed.",
    ),
    ("floor.decided 5 floor", "The {floor} of {value:c} holds the rating up; it was decided by the office."),
    (
        "floor.request 7 requested_floor",
        "The match counts as a request to lower the floor to {formula} = {value:c}. Until the office grants it, "
        "the floor holds.",
        "{level:c} - {floor_request_drop:c}",
    ),
)


def _held() -> Iterator[Row]:
    """A rating held by any of three things, in this order: the limits of match play, a floor, a ceiling."""
    steps = {
        "match": "{before:r} + {change:p}",
        "floor": "max({rating}, {floor:c})",
        "ceiling": "min({rating}, {ceiling:r})",
    }
    for count in range(1, len(steps) + 1):
        for taken in combinations(steps, count):
            formula = "{computed:r}"
            for step in taken:
                formula = steps[step].replace("{rating}", formula)
            yield f"held.by_{'_'.join(taken)} 1 held", "So the rating is held at {formula} = {value:r}.", formula


_RESULT: tuple[Row, ...] = (
    ("result.ceiling 7 ceiling", "The ceiling of {value:r} set by the office holds the rating down."),
    *_held(),
    *(
        (
            f"held.{key} whole-numbers stored",
            f"Under this edition whole numbers were stored, {how}: {{formula}} = {{value:c}}.",
            formula,
        )
        for key, how, formula in (
            ("stored_first", "a first rating rounded to the nearest", "floor({held:r} + 0.5 + {slack:c})"),
            ("stored_up", "rounded up on a gain", "ceil({held:r} - {slack:c})"),
            ("stored_down", "rounded down on a loss", "floor({held:r} + {slack:c})"),
        )
    ),
    ("result.rating 1 rating", "The rating after the section is {value:r}.", "{standing:r}"),
    (
        "result.official 1 official",
        "The official rating is the nearest whole number: {formula} = {value:c}.",
        "floor({rating:r} + 0.5)",
    ),
    ("result.games 7 games N", "The rating is now based on N = {formula} = {value:c} games.", "{games:c} + {played:c}"),
    (
        "result.games_half half-K games N",
        "The rating is now based on N = {formula} = {value:c} games: those of a half-K section count half.",
        "{games:c} + {played:c} / 2",
    ),
    ("result.games_unknown 7", "The number of games before is not known, so neither is the number after."),
    (
        "result.norm norms",
        "A norm was earned at the level of {level:c} (norm {norm}), the highest one that the score reaches.",
    ),
    (
        "norm.expectancy norms norm_expectancy C",
        "Round {round}: against player {opponent}, at {strength:r} after the section, a player of {level:c} is "
        "expected to score C = {formula} = {value:e}; the opponent is {side} the level, where it rises over {width:c} "
        "points.",
        "min(1, max(0, 0.5 + ({level:c} - {strength:r}) / {width:c}))",
    ),
    (
        "norm.margin norms norm_margin",
        "The score exceeds the sum of C by {formula} = {value:e}, and more than {margin:c} is needed.",
        "{score:c} - ({expectancies:e})",
    ),
    ("assumed -", "{note}."),
)

RESULT_ROWS = (*_MATCHES, *_FLOORS, *_RESULT)

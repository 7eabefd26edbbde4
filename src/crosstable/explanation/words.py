"""The words: every sentence of an explanation, by its id.

A place that is named like a constant of the rules holds that constant of the edition that rated; every other number
comes from the section. No sentence has a number of the rules in its own words. The kinds after the colons are those of
``explanation.figures``.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from crosstable.explanation.words_result import RESULT_ROWS, Row
from crosstable.sentences import Template
from crosstable.terms import FloorKind, Past, Result


class Words(NamedTuple):
    """A sentence: the rule it cites, the name and symbol of its number, its text, and the formula of that number.

    The text prints the formula at the place ``{formula}`` and the number at ``{value}``.
    """

    rule: str
    template: Template
    name: str = ""
    symbol: str = ""
    formula: str = ""


FLOOR_NAMES = {
    FloorKind.ABSOLUTE: "absolute floor",
    FloorKind.PERSONAL: "personal absolute floor",
    FloorKind.PEAK: "floor from the highest rating",
    FloorKind.LIFE_MASTER: "Original Life Master floor",
    FloorKind.MONEY: "money floor",
    FloorKind.OFFICE: "floor set by the office",
}
RESULTS = {1.0: "won against", 0.5: "drew with", 0.0: "lost to"}
# What the strength is that an opponent is met at.
PRE_EVENT, INITIAL = "the pre-event rating", "the initial rating"
ESTIMATE, INTERMEDIATE = "the estimate of Step 3", "the result of Step 4"
POSTED = "posted after the section"
# Of a game that the opponent's row does not show.
ALONE = " by this row alone"
# The key of the reason for the special formula, by the past that gives it.
PASTS = {Past.ALL_WINS: "formula.all_wins", Past.ALL_LOSSES: "formula.all_losses"}
# What a round was in which no rated game was played; a table's own column is no round.
UNRATED_ROUNDS = {
    Result.FORFEIT_WIN: "a win by forfeit",
    Result.FORFEIT_LOSS: "a loss by forfeit",
    Result.FORFEIT_DRAW: "a draw by forfeit",
    Result.FULL_BYE: "a full-point bye",
    Result.HALF_BYE: "a half-point bye",
    Result.ZERO_BYE: "a zero-point bye",
    Result.UNPAIRED: "no pairing",
    Result.BLANK: "no result",
}

_SCORE_OF_RATING = "1 / (1 + 10 ** (({strength:r} - {prior:r}) / {scale:c}))"
_SHARE_OF_RATING = "min(1, max(0, 0.5 + ({solution:r} - {strength:r}) / (2 * {special_spread:c})))"

_RULES: tuple[Row, ...] = (
    (
        "rules.edition 8",
        "The section started on {start}, ended on {end}, and is rated {system} under the edition of {edition}{ruled}, "
        "the rules as the text of {seen_through} describes them.",
    ),
    ("rules.document -", "Sections (§) are those of {title}, unless another text is named."),
    ("rules.date_assumed 8", "Date assumed: “{summary}” is stated as {stated}; taken from {effective}."),
    ("rules.by_results 8", "“{summary}” is known from official results: {source}."),
    ("rules.assumed 8", "“{summary}” is assumed: {source}."),
    ("public.posted -", "In public, ratings are rounded to {places:c} decimals."),
    (
        "public.coarse -",
        "In public, the ratings and points of this section have {places:c} decimals and its expectancies "
        "{score_places:c}, because not everybody in it was established.",
    ),
    (
        "public.by_age -",
        "An unrated player started by age, and birth dates are not public. So this working is made of posted ratings, "
        "and may end some points off the posted result.",
    ),
    ("public.rating 1 rating", "The rating after the section is {value:r}."),
    ("rules.rows -", "The member is on rows {rows} and is rated once, on the games of all of them."),
    ("result.untouched 7 post", "No rated game was played, so the rating is untouched."),
    ("result.opponent 6 post", "In a foreign event only players entered to be rated are, so the rating is untouched."),
)

# How far the piece of a conversion reaches.
REACHES = (
    ("up_to", "Up to {limit:c}"),
    ("below", "Below {limit:c}"),
    ("beyond", "Beyond {limit:c}"),
    ("everywhere", "At any rating,"),
)

_STARTS: tuple[Row, ...] = (
    (
        "start.established 1 prior R0",
        "The pre-event rating is R0 = {value:r} on N = {games:c} games: established, on more than "
        "{established_above:c}.",
    ),
    (
        "start.provisional 1 prior R0",
        "The pre-event rating is R0 = {value:r} on N = {games:c} games: provisional, on no more than "
        "{established_above:c}.",
    ),
    (
        "start.rated_unknown 1 prior R0",
        "The pre-event rating is R0 = {value:r}; it is established, on a number of games N that is not known.",
    ),
    ("start.unrated 2", "The player is unrated in {system}."),
    ("start.hidden 2", "What age contributes to the start is not public."),
    (
        "start.source 2",
        "{source}: {rating:r} on {games:c} games, of {as_of}, {days:c} days before the section's end.",
    ),
    ("start.source_uncounted 2", "{source}: {rating:r}, of {as_of}, {days:c} days before the section's end."),
    *(
        (
            f"start.carried_{way} 2.1 carried",
            f"{{source}}: FIDE changed its scale on {{changed}}; the list is from {since} that day, the section {way} "
            "it. Carried over, {listed:c} is {formula} = {value:r}.",
            formula,
        )
        for way, since, formula in (
            ("after", "before", "{listed:c} + {share:c} * ({level:c} - {listed:c})"),
            ("before", "after", "({listed:c} - {share:c} * {level:c}) / (1 - {share:c})"),
        )
    ),
    (
        "start.few_games list",
        "{source}: It does not count: it is based on {games:c} games, and at least {least:c} are needed.",
    ),
    ("start.no_resident 2.2", "{source}: It does not count, because the player is not a resident of Canada."),
    ("start.first list", "The first source of the priority list that the player has is {source}."),
    ("start.own_scale 2 converted X", "{source}: That is on the US Chess scale, X = {value:r}."),
    *(
        (
            f"start.converted_{body}_{reach} {rule} converted X",
            f"{{source}}: {where} it is X = {{formula}} = {{value:r}} on the US Chess scale.",
            "{intercept:c} + {slope:c} * {rating:r}",
        )
        for body, rule in (("FIDE", "2.1"), ("CFC", "2.2"))
        for reach, where in REACHES
    ),
    (
        "start.factor 2 game_factor G",
        "{source}: Game Factor G = {formula} = {value:c}, the smaller of the most that this source counts for and "
        "its games.",
        "min({factor:c}, {games:c})",
    ),
    ("start.factor_uncounted 2 game_factor G", "{source}: Game Factor G = {value:c}; its games are not known."),
    *(
        (
            f"start.factor_{body}_{side} {rule} game_factor G",
            f"{{source}}: Game Factor G = {{{body.lower()}_games_{side}:c}}, for a {body} rating {where} "
            f"{{{body.lower()}_split:c}}.",
        )
        for body, rule in (("FIDE", "2.1"), ("CFC", "2.2"))
        for side, where in (("above", "above"), ("below", "up to"))
    ),
    (
        "start.strength 2 strength_for_age Z",
        "{source}: Strength for age Z = {formula} = {value:w}.",
        "min({strength_cap:c}, ({converted:r} - {age_based:w}) / {strength_unit:c})",
    ),
    (
        "start.staleness 2 staleness_factor S",
        "{source}: Staleness Factor S = {formula} = {value:w}.",
        "exp({staleness_rate:c} * ({strength:w} - {strength_cap:c}) * {days:c} / {days_a_year:c})",
    ),
    (
        "start.weight 2 weight W",
        "{source}: Adjusted Weight W = G × S = {formula} = {value:w}.",
        "{factor:c} * {staleness:w}",
    ),
    ("start.total 2 total_weight ΣW", "The weights add up to {formula} = {value:w}.", "{weights:w}"),
    ("start.mean 2 mean", "The weighted average is {formula} = {value:w}.", "({products:w}) / {total:w}"),
    (
        "start.rounded 2 rating R0",
        "The initial rating is that average, rounded to the nearest whole number: R0 = {formula} = {value:r}.",
        "floor({mean:w} + 0.5 + {slack:c})",
    ),
    (
        "start.credited 2 games N",
        "It is treated as based on N = {formula} = {value:c} games: the weights' sum, at most {credited_cap:c}, "
        "rounded up.",
        "max(1, ceil(min({credited_cap:c}, {total:w}) - {slack:c}))",
    ),
    ("start.rating 2 rating R0", "The initial rating is R0 = {value:r}.", "{start:r}"),
    (
        "start.credit_its_games list games N",
        "It is treated as based on N = {formula} = {value:c} games, the smaller of {credited_cap:c} and its own.",
        "min({credited_cap:c}, {games:c})",
    ),
    ("start.credit_full list games N", "It is treated as based on N = {credited_cap:c} games."),
    *(
        (
            f"start.credit_{body}_{side} list games N",
            f"It is treated as based on N = {{{body.lower()}_games_{side}:c}} games, as a {body} rating {where} "
            f"{{{body.lower()}_split:c}} is.",
        )
        for body in ("FIDE", "CFC")
        for side, where in (("above", "above"), ("below", "up to"))
    ),
    ("start.credit_nothing 2 games N", "It is treated as based on N = {value:c} games."),
    ("start.given 2", "The start was given by hand."),
    (
        "start.age 2.3 age Age",
        "No other rating counts, so age decides: the player was born {days:c} days before the section's end, and is "
        "{formula} = {value:w} years old.",
        "{days:c} / {days_a_year:c}",
    ),
    ("start.no_birth_date 2.3 age Age", "No other rating counts, so age decides, and no birth date is known."),
)


def _by_age() -> Iterable[Row]:
    """The rating that age suggests, at the section's end and at the date of another rating."""
    by_years = "{age_slope:c} * {age_days:c} / {days_a_year:c}"
    wrong = "an age under {age_youngest:c} is taken for a wrong birth date"
    for reason, rule, text, formula in (
        ("by_years", "2.3", "{formula} = {value:w}", by_years),
        ("by_years_2001", "age-in-2001", "{formula} = {value:w}", f"{{age_base:c}} + {by_years}"),
        ("too_old", "2.3", "{adult_start:c}: players older than {age_oldest:c} start as adults", ""),
        ("too_young", "2.3", f"{{unknown_start:c}}: {wrong}", ""),
        ("too_young_adult", "2.3", f"{{adult_start:c}}: {wrong}, and the player for an adult", ""),
        ("adult", "2.3", "{adult_start:c}: the birth date is not known, and the player is reported as an adult", ""),
        ("unknown", "2.3", "{unknown_start:c}: neither a birth date is known nor that the player is an adult", ""),
    ):
        yield f"age.{reason} {rule} age_based R0", f"The age-based rating is {text}.", formula
        then = f"{{source}}: The age-based rating at that time was P = {text}."
        yield f"age_then.{reason} {rule} age_based_then P", then, formula


_GAMES_BEFORE: tuple[Row, ...] = (
    (
        "games.most 3 most_effective N*",
        "A rating of {prior:r} counts as based on at most N* = {formula} = {value:n} games.",
        "{effective_cap:c} / sqrt({effective_base:c} + {effective_slope:c} * ({effective_centre:c} - {prior:r}) ** 2)",
    ),
    (
        "games.most_capped 3 most_effective N*",
        "A rating of {prior:r}, above {effective_limit:c}, counts as based on at most N* = {effective_cap:c} games.",
    ),
    (
        "games.effective 3 effective N'",
        "The effective games are N' = {formula} = {value:n}, the smaller of N and N*.",
        "min({games:c}, {most:n})",
    ),
    (
        "games.effective_unknown 3 effective N'",
        "The effective games are N' = {value:n}, the most there can be, N*.",
        "{most:n}",
    ),
    ("formula.few_games 1", "N = {games:c} is at most {special_games:c}, so the special formula applies."),
    ("formula.all_wins 4.1", "All N = {games:c} earlier games were wins, so the special formula applies."),
    ("formula.all_losses 4.1", "All N = {games:c} earlier games were losses, so the special formula applies."),
    (
        "formula.standard 1",
        "N = {games:c} is more than {special_games:c}, and the earlier games were neither all wins nor all losses, "
        "so the standard "
        "formula applies.",
    ),
    (
        "formula.standard_unknown 1",
        "The rating is established, so N is more than {special_games:c}, and the standard formula applies.",
    ),
    ("formula.abroad 6", "The standard formula is applied once."),
)

_PASSES: tuple[Row, ...] = (
    (
        "estimate.why 1",
        "An unrated player on N = {games:c} games: for the opponents' sake a first estimate is made, with N' = "
        "{step_3_games:c} for this step only.",
    ),
    (
        "estimate.strength 1 strength",
        "In Step 4 the opponents meet this player at {formula} = {value:r}.",
        "max({rating:r}, {absolute_floor:c})",
    ),
    (
        "pass.fourth 1",
        "Opponents are met at their pre-event ratings, unrated ones at their initial ratings or estimates of Step 3.",
    ),
    ("pass.fifth 1", "Opponents are met at their results of Step 4."),
    (
        "pass.floor 1 rating",
        "No rating is below {absolute_floor:c}, so it is {formula} = {value:r}.",
        "max({computed:r}, {absolute_floor:c})",
    ),
    (
        "game.standard 4.2 expectancy We",
        "Round {round}: {result} player {opponent}{alone}, met at {strength:r}, {origin}; expected {formula} = "
        "{value:e}.",
        _SCORE_OF_RATING,
    ),
    (
        "game.special 4.1 expectancy PWe",
        "Round {round}: {result} player {opponent}{alone}, met at {strength:r}, {origin}; at M expected {formula} = "
        "{value:e}.",
        _SHARE_OF_RATING,
    ),
    ("game.hidden 1", "Round {round}: {result} player {opponent}{alone}."),
    ("game.score 4 score S", "The score is S = {formula} = {value:c}.", "{scores:c}"),
    ("round.unrated 7", "Round {round}: {what}, which is not a rated game."),
    ("round.unrated_met 7", "Round {round}: {what} against player {opponent}, which is not a rated game."),
    ("abroad.conversion 6", "Opponents stand at their FIDE ratings by the {kind}."),
    *(
        (
            f"abroad.opponent_{reach} 6 converted",
            f"Against player {{opponent}}: {where} FIDE {{rating:r}} is {{formula}} = {{value:r}} on the US Chess "
            "scale.",
            "{intercept:c} + {slope:c} * {rating:r}",
        )
        for reach, where in REACHES
    ),
    ("abroad.ignored 6", "Round {round}: player {opponent} has no FIDE rating, so the game is ignored."),
)

_SPECIAL: tuple[Row, ...] = (
    ("special.prior 4.1 adjusted_prior R0'", "The adjusted initial rating is R0 itself: R0' = {value:r}.", "{prior:r}"),
    (
        "special.prior_wins 4.1 adjusted_prior R0'",
        "After nothing but wins the adjusted initial rating is R0' = {formula} = {value:r}.",
        "{prior:r} - {special_spread:c}",
    ),
    (
        "special.prior_losses 4.1 adjusted_prior R0'",
        "After nothing but losses the adjusted initial rating is R0' = {formula} = {value:r}.",
        "{prior:r} + {special_spread:c}",
    ),
    (
        "special.score 4.1 adjusted_score S'",
        "The adjusted score counts half of the N' games before: S' = {formula} = {value:e}.",
        "{score:c} + {effective:n} / 2",
    ),
    (
        "special.score_wins 4.1 adjusted_score S'",
        "The adjusted score counts the N' games before as won: S' = {formula} = {value:e}.",
        "{score:c} + {effective:n}",
    ),
    (
        "special.score_losses 4.1 adjusted_score S'",
        "The adjusted score counts the N' games before as lost: S' = {formula} = {value:e}.",
        "{score:c}",
    ),
    (
        "special.knots 4.1",
        "M is the rating at which the expected score equals S'. A game counts nothing where M is {special_spread:c} or "
        "more below the opponent, a full point where it is as much above, and rises in a straight line between; R0' "
        "counts like N' opponents. The points where a line begins or ends are the knots, in order.",
    ),
    *(
        (
            f"special.knot_{side} 4.1 knot z",
            "Knot of {whose}: {formula} = {value:r}.",
            f"{{strength:r}} {sign} {{special_spread:c}}",
        )
        for side, sign in (("low", "-"), ("high", "+"))
    ),
    (
        "special.solved 4.1 uncapped M",
        "From {within} within {special_spread:c} points of M follows M = {formula} = {value:r}.",
        "({ratings:r} + 2 * {special_spread:c} * ({target:e} - {beaten:e} - {weight:n} / 2)) / {weight:n}",
    ),
    ("special.at_start 4.1 uncapped M", "The expected score equals S' at R0' itself: M = {value:r}.", "{start:r}"),
    (
        "special.at_low_knot 4.1 uncapped M",
        "The expected score equals S' over a whole range of ratings. The one nearest to R0' is taken: M = {formula} = "
        "{value:r}.",
        "{strength:r} - {special_spread:c}",
    ),
    (
        "special.at_high_knot 4.1 uncapped M",
        "The expected score equals S' over a whole range of ratings. The one nearest to R0' is taken: M = {formula} = "
        "{value:r}.",
        "{strength:r} + {special_spread:c}",
    ),
    (
        "special.near 4.1 uncapped M",
        "The expected score equals S', within the tolerance of the text, at M = {value:r}.",
    ),
    (
        "special.before 4.1 expectancy N'·PWe",
        "The N' games before, at R0', are expected to give {formula} = {value:e}.",
        "{effective:n} * " + _SHARE_OF_RATING,
    ),
    (
        "special.surplus 4.1 surplus f(M)",
        "The expected score less S' is f(M) = {formula} = {value:e}.",
        "{expectancies:e} - {target:e}",
    ),
    (
        "special.rating 4.1 rating",
        "The special rating, at most {special_cap:c}, is {formula} = {value:r}.",
        "min({solution:r}, {special_cap:c})",
    ),
)

_STANDARD: tuple[Row, ...] = (
    (
        "standard.k 4.2 k K",
        "K = {formula} = {value:k}, with the effective games N' and m = {played:c} games.",
        "{k_numerator:c} / ({effective:n} + {played:c})",
    ),
    (
        "standard.k_weighted 4.2 k K",
        "K = {formula} = {value:k}, with the weight {k_effective_weight:c} of the effective games N' and "
        "m = {played:c} games.",
        "{k_numerator:c} / ({k_effective_weight:c} * {effective:n} + {played:c})",
    ),
    (
        "standard.k_half half-K k K",
        "Half K was asked for: K = {formula} = {value:k}, with m = {played:c} games.",
        "{k_numerator:c} / 2 / ({effective:n} + {played:c} / 2)",
    ),
    (
        "standard.k_dual 4.2 k K",
        "The section is dual-rated and the rating is above {dual_k_above:c}, so K is smaller: K = {formula} = "
        "{value:k}, with m = {played:c} games.",
        "{k_numerator:c} * ({dual_k_base:c} - {dual_k_slope:c} * {prior:r}) / ({effective:n} + {played:c})",
    ),
    (
        "standard.k_dual_flat 4.2 k K",
        "The section is dual-rated and the rating is above {dual_k_above:c} and at least {dual_k_flat_from:c}, so K is "
        "smaller: K = {formula} = {value:k}, with m = {played:c} games.",
        "{dual_k_flat:c} / ({effective:n} + {played:c})",
    ),
    ("standard.k_capped 4.2 k K", "K is at most {k_cap:c}: K = {formula} = {value:k}.", "min({uncapped:k}, {k_cap:c})"),
    ("standard.expected 4.2 expected E", "The expected score is E = {formula} = {value:e}.", "{expectancies:e}"),
    ("public.pass 1", "Opponents are met at the ratings posted after the section, in place of the results of Step 4."),
    ("public.differs 1 from_posted", "From posted ratings this gives {value:p}; the posted result is {official:c}."),
    ("standard.change 4.2 change K(S-E)", "K(S - E) = {formula} = {value:+p}.", "{k:k} * ({score:c} - {expected:e})"),
    (
        "bonus.earned 4.2 bonus",
        "The bonus is {formula} = {value:p}: the part of the change above B√m', with B = {bonus_threshold:c} and "
        "m' the "
        "number of games, but at least {bonus_least_games:c}.",
        "max(0, {change:p} - {bonus_threshold:c} * sqrt(max({played:c}, {bonus_least_games:c})))",
    ),
    ("bonus.match 7 bonus", "The bonus is {value:c}: matches have none."),
    (
        "bonus.few_games 4.2 bonus",
        "The bonus is {value:c}: it needs {bonus_games:c} games, and {played:c} were played.",
    ),
    (
        "bonus.met_often 4.2 bonus",
        "The bonus is {value:c}: player {opponent} was met {meetings:c} times; {bonus_meetings:c} are allowed.",
    ),
    (
        "bonus.met_again 4.2 bonus",
        "The bonus is {value:c}: player {opponent} was met {meetings:c} times, and with {bonus_games:c} games "
        "nobody may be met more often than {bonus_meetings_in_three:c} time.",
    ),
    (
        "standard.rating 4.2 rating",
        "The standard rating is R0 + K(S - E) + bonus = {formula} = {value:r}.",
        "{prior:r} + {change:p} + {bonus:p}",
    ),
)


def _words(head: str, text: str, formula: str = "") -> Words:
    key, rule, name, symbol = (*("" if word == "-" else word for word in head.split()), "", "")[:4]
    return Words(rule, Template(key, text), name, symbol, formula)


_ROWS = (_RULES, _STARTS, _by_age(), _GAMES_BEFORE, _PASSES, _SPECIAL, _STANDARD, RESULT_ROWS)
WORDS: Mapping[str, Words] = {words.template.key: words for words in (_words(*row) for rows in _ROWS for row in rows)}

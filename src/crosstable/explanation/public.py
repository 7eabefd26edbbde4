"""Explanations as the public reads them, from which no birth date can be told, nor a decimal that is not posted.

An age-based start moves by a fraction of a point a day (§2.3), so that whatever follows from it in many digits gives a
birth date. Three forms follow from who took part, and ``tools/solve_birth_dates.py`` measures what they give away:

- established players only: the whole calculation, with ratings rounded as they are posted;
- a provisional or unrated player took part: both passes with ratings and points in whole numbers;
- somebody started by age: the rules, what the others came with, the games, S, K and the result. The first pass, the
  strengths, expected scores and the points between are left out: the start shows in all of them.

In all three ``formula`` is ``None``, because rounded numbers give no exact one, and ``values`` holds what is printed.
"""

import math
from collections.abc import Iterator, Mapping

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.explanation.figures import FULL
from crosstable.explanation.lines import lines_of, player_of
from crosstable.explanation.telling import Line, Telling, telling
from crosstable.formulas.tally import is_established
from crosstable.rules.constants import Initialisation
from crosstable.terms import Formula, Source

POSTED_DECIMALS = 2
COARSE: Mapping[str, int] = {"r": 0, "p": 0, "k": 1, "e": 2, "n": 1, "w": 0}

# What is said in a section where somebody started by age, by part; a key stands for all that begin with it.
_SAID: Mapping[str, tuple[str, ...]] = {
    "Rules": ("",),
    "Step 1": ("",),
    "Step 2": ("",),
    "Step 4": ("formula.",),
    "Step 5": ("game.score", "standard.k", "bonus.match", "bonus.few_games", "bonus.met_"),
    "Result": ("match.limited", "floor.", "result."),
    "Assumed": ("",),
}
# Of Step 1 this is said of nobody whose age counted.
_OF_AGE = ("age", "start.age", "start.strength", "start.staleness", "start.weight", "start.total", "start.mean")
_OF_START = ("start.rounded", "start.rating")


def is_coarse(rated: RatedSection) -> bool:
    """Whether the working of a section is public in rounded numbers only: somebody in it was not established."""
    constants = rated.edition.constants
    return any(not is_established(constants, player.games_before) for player in _who_counted(rated))


def public_lines(rated: RatedSection, number: int, *, decimals: bool = False) -> tuple[Line, ...]:
    """The calculation of one player as far as it is public; raises ``KeyError`` if there is no such number.

    ``decimals`` says that the office shows ratings with decimals, which holds where everybody was established.
    """
    player = player_of(rated, number)
    if any(started_by_age(rated, one) for one in _who_counted(rated)):
        return tuple(_without_strengths(telling(rated, player, COARSE)))
    if is_coarse(rated):
        return tuple(_rounded(telling(rated, player, COARSE), "public.coarse"))
    digits = {**FULL, "r": POSTED_DECIMALS if decimals else 0}
    return tuple(_rounded(telling(rated, player, digits), "public.posted"))


def started_by_age(rated: RatedSection, player: RatedPlayer) -> bool:
    """Whether a birth date counted in a player's start: by itself, or in the weights of other ratings (§2)."""
    start = player.start
    if start is None or math.isnan(start.age) or start.initial.source == Source.GIVEN:
        return False
    return start.initial.source == Source.AGE or rated.edition.constants.initialisation == Initialisation.BLEND


def _who_counted(rated: RatedSection) -> Iterator[RatedPlayer]:
    """Everybody whose rating bears on the section: who played, or was met; abroad FIDE ratings stand for opponents."""
    met = {game.opponent for player in rated.players for game in player.games}
    is_abroad = rated.section.kind.is_foreign
    for player in rated.players:
        if player.formula is not Formula.NONE or (player.number in met and not is_abroad):
            yield player


def _rounded(tell: Telling, how: str) -> Iterator[Line]:
    """The whole calculation, and after the rules how it is rounded."""
    is_told = False
    for line in lines_of(tell):
        if line.part != "Rules" and not is_told:
            yield tell.line("Rules", how, places=tell.figures.digits["r"], score_places=tell.figures.digits["e"])
            is_told = True
        yield line


def _without_strengths(tell: Telling) -> Iterator[Line]:
    """The calculation in a section where somebody started by age."""
    is_by_age = started_by_age(tell.rated, tell.player)
    hidden = (*_OF_AGE, *_OF_START) if is_by_age else ()
    is_told = False
    for line in _rounded(tell, "public.by_age"):
        if line.part == "Step 5" and line.name == "expectancy" and line.key.startswith("game."):
            game = {name: line.values[name] for name in ("round", "result", "opponent")}
            yield tell.line("Step 5", "game.hidden", **game)
        elif line.part == "Step 1" and line.key.startswith(hidden):
            if not is_told:
                yield tell.line("Step 1", "start.hidden")
            is_told = True
        elif line.key.startswith(_SAID.get(line.part, ())) and not (is_by_age and _tells_start(line)):
            yield line


def _tells_start(line: Line) -> bool:
    """Whether a line of a player who started by age says how high the start is."""
    return line.part == "Step 2" or line.key.startswith("standard.k")


def has_age_start(rated: RatedSection) -> bool:
    """Whether somebody in a section started by age, so that the points between are nobody's to read."""
    return any(started_by_age(rated, player) for player in _who_counted(rated))


def public_working(rated: RatedSection, player: RatedPlayer) -> dict[str, float]:
    """N', K, E and the bonus of a player as far as the lines tell them, with the same decimals."""
    if player.formula is Formula.NONE or (has_age_start(rated) and started_by_age(rated, player)):
        return {}
    digits = COARSE if is_coarse(rated) else FULL
    found = {"effective_games": (player.effective, "n")}
    if player.formula is Formula.STANDARD:
        found["k"] = (player.final.k, "k")
        if not has_age_start(rated):
            found |= {"expected": (player.final.expected, "e"), "bonus": (player.final.bonus, "p")}
    return {name: round(value, digits[kind]) for name, (value, kind) in found.items()}

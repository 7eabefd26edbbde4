"""``explain``: every step of one player's calculation as a line, in the order of §1; and what is public of it.

An age-based start moves by a fraction of a point a day (§2.3), so that whatever follows from it in many digits gives a
birth date, and no decimal is told that is not posted. Three public forms follow from who took part, and
``tools/solve_birth_dates.py`` measures what they give away:

- established players only: the whole calculation, with ratings rounded as they are posted;
- a provisional or unrated player took part: both passes with ratings and points in whole numbers;
- somebody started by age: the calculation made again with posted numbers alone. Opponents are met at the ratings posted
  for them after the section, which stand for the results of the first pass; a reader can recompute every line, and the
  last one says how far it is from the posted rating. What is computed from posted numbers gives nothing else away.

In all three ``formula`` is ``None``, because rounded numbers give no exact one, and ``values`` holds what is printed.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.engine.records import PassWorking
from crosstable.explanation import words
from crosstable.explanation.starts import first_step
from crosstable.explanation.steps import (
    ABROAD,
    Met,
    abroad,
    choice,
    closing,
    one_pass,
    own_rows,
    result,
    said_of,
    second_step,
    special,
    standard,
    third_step,
    unrated_rounds,
)
from crosstable.explanation.telling import FULL, Line, Telling, kinds_in, telling
from crosstable.explanation.words import WORDS
from crosstable.formulas.outcome import is_established, official_rating
from crosstable.formulas.special import SpecialRating, special_rating
from crosstable.formulas.standard import effective_games, odds, standard_update
from crosstable.formulas.steps import section_k
from crosstable.rules.amending import Amendment, Knowledge
from crosstable.rules.constants import Initialisation
from crosstable.rules.documents import TEXTS_SINCE, document_for
from crosstable.rules.editions import LAW_SEEN_THROUGH, doubts
from crosstable.terms import Formula, SectionType, Source

# What the rules with doubtful dates bear on: unrated players, matches, foreign events, and things outside a section's
# rating.
START_RULES = frozenset({"fide", "priorities", "age_base"})
MATCH_RULES = frozenset({"match_change", "match_half_year"})
FOREIGN_RULES = frozenset({"fide_youth", "foreign_needs_established"})
OTHER_RULES = frozenset({"money_prize"})

# Rules that a sentence rests on without naming a number of them, by how its key begins.
RESTS_ON = (
    ("standard.k_dual", "dual_k_is_reduced"),
    ("start.first", "priorities"),
    ("start.converted_FIDE", "fide"),
)


def explain(rated: RatedSection, number: int) -> tuple[Line, ...]:
    """The whole calculation of the player with this number; raises ``KeyError`` if there is none."""
    return tuple(lines_of(telling(rated, player_of(rated, number))))


def usual_document(lines: Sequence[Line]) -> str:
    """The document that most lines of a working cite, so that only another has to be named with its section."""
    documents = [line.document for line in lines if line.document and line.part != "Rules"]
    return max(documents, key=documents.count, default="")


def lines_text(lines: Sequence[Line]) -> str:
    """The lines of an explanation, part by part, each with its section of the document."""
    out = []
    part = ""
    usual = usual_document(lines)
    for line in lines:
        if line.part != part:
            part = line.part
            out.append(f"\n{part}\n")
        cited = line.section if line.document in ("", usual) else f"{line.document} {line.section}"
        out.append(f"  {line.text} ({cited})\n" if cited else f"  {line.text}\n")
    return "".join(out)


def player_of(rated: RatedSection, number: int) -> RatedPlayer:
    """The player with a number; raises ``KeyError`` if there is none."""
    player = next((player for player in rated.players if player.number == number), None)
    if player is None:
        raise KeyError(number)
    return player


def lines_of(tell: Telling) -> Iterator[Line]:
    """Every line of a telling."""
    working = list(working_of(tell))
    yield from rules(tell)
    yield from not_from_texts(tell, working)
    yield from working


def working_of(tell: Telling) -> Iterator[Line]:
    """What was computed, step by step."""
    if tell.player.formula is Formula.NONE:
        yield from untouched(tell)
        return
    yield from first_step(tell)
    yield from second_step(tell)
    if tell.rated.section.kind.is_foreign:
        yield from abroad(tell)
    else:
        yield from third_step(tell)
        yield from one_pass(tell, "Step 4")
        yield from one_pass(tell, "Step 5")
    yield from result(tell)
    yield from closing(tell)


def rules(tell: Telling) -> Iterator[Line]:
    """Which rules apply, and which of their dates are in doubt (§8)."""
    section, edition = tell.rated.section, tell.rated.edition
    ruled = "" if edition.ruled is None else f", rule set {edition.ruled.name} ({edition.ruled.digest})"
    yield tell.line(
        *("Rules", "rules.edition"),
        **{"start": section.start, "end": section.end, "system": tell.rated.system.title},
        **{"edition": edition.effective, "ruled": ruled, "seen_through": LAW_SEEN_THROUGH},
    )
    yield tell.line("Rules", "rules.document", title=document_for(edition.effective).title)
    if tell.player.merged_with:
        rows = sorted((tell.player.number, *tell.player.merged_with))
        yield tell.line("Rules", "rules.rows", rows=" and ".join(map(str, rows)))
    for amendment in (one for one in doubts(section.start) if _touches(one, tell)):
        yield tell.line(
            *("Rules", "rules.date_assumed"),
            **{"summary": amendment.summary, "stated": amendment.stated, "effective": amendment.effective},
        )


def not_from_texts(tell: Telling, working: Sequence[Line]) -> Iterator[Line]:
    """The rules that the working speaks of and that no whole text of their time has (§8)."""
    effective = tell.rated.edition.effective
    spoken_of = {name for key in {line.key for line in working} for name in _spoken_of(key)}
    latest: dict[str, Amendment] = {}
    for amendment in tell.rated.edition.amendments:
        latest |= dict.fromkeys(amendment.changes, amendment)
    told = dict.fromkeys(latest[name].summary for name in sorted(spoken_of) if name in latest)
    for amendment in tell.rated.edition.amendments:
        is_printed = effective >= (amendment.printed or TEXTS_SINCE)
        if amendment.summary in told and amendment.knowledge is not Knowledge.TEXT and not is_printed:
            key = "rules.by_results" if amendment.knowledge is Knowledge.RESULTS else "rules.assumed"
            yield tell.line("Rules", key, summary=amendment.summary, source=amendment.source)


def _spoken_of(key: str) -> Iterator[str]:
    """The rules that a sentence speaks of: the constants in it, and what it rests on without naming it."""
    yield from kinds_in(WORDS[key].template.text, WORDS[key].formula)
    yield from (rule for begin, rule in RESTS_ON if key.startswith(begin))


def untouched(tell: Telling) -> Iterator[Line]:
    """What is said of somebody without a rated game."""
    after = tell.player.after
    is_opponent = tell.rated.section.kind.is_foreign and not any(entry.is_rated for entry in own_rows(tell))
    key = "result.opponent" if is_opponent else "result.untouched"
    yield tell.line("Result", key, math.nan if after is None else after.rating)
    if not is_opponent:
        yield from unrated_rounds(tell, ABROAD if tell.rated.section.kind.is_foreign else "Result")


def _touches(amendment: Amendment, tell: Telling) -> bool:
    """Whether a rule whose date is in doubt can bear on this player's result."""
    names = set(amendment.changes)
    if names & START_RULES:
        return tell.player.start is not None
    if names & MATCH_RULES:
        return tell.rated.section.kind is SectionType.MATCH
    if names & FOREIGN_RULES:
        return tell.rated.section.kind.is_foreign
    return not names & OTHER_RULES


POSTED_DECIMALS = 2
# Nobody's decimals follow from expectancies in four.
POSTED: Mapping[str, int] = {**dict.fromkeys(FULL, 4), "r": 0}
COARSE: Mapping[str, int] = {"r": 0, "p": 0, "k": 1, "e": 2, "n": 1, "w": 0}
# Of posted numbers everything may be told; ratings and points are whole numbers wherever decimals are not posted.
AGAIN: Mapping[str, int] = {**POSTED, "p": 0}

# Of Step 1 this is said of nobody whose age counted; a key stands for all that begin with it.
_OF_AGE = ("age", "start.age", "start.strength", "start.staleness", "start.weight", "start.total", "start.mean")
_OF_START = ("start.rounded", "start.rating", "start.given")
# Of the special formula of a player who started by age: what the games gave, nothing of the start.
_OF_GAMES = ("game.", "special.score", "special.surplus", "special.rating")
_OF_RESULT = ("match.limited", "floor.", "result.")


def is_coarse(rated: RatedSection) -> bool:
    """Whether the working of a section is public in rounded numbers only: somebody in it was not established."""
    constants = rated.edition.constants
    return any(not is_established(constants, player.games_before) for player in _who_counted(rated))


def public_lines(rated: RatedSection, number: int, *, decimals: bool = False) -> tuple[Line, ...]:
    """The calculation of one player as far as it is public; raises ``KeyError`` if there is no such number.

    ``decimals`` says that the office shows ratings with decimals, which holds where everybody was established.
    """
    player = player_of(rated, number)
    if has_age_start(rated):
        return tuple(_from_posted(rated, player))
    if is_coarse(rated):
        return tuple(_rounded(telling(rated, player, COARSE), "public.coarse"))
    digits = {**POSTED, "r": POSTED_DECIMALS if decimals else 0}
    return tuple(_rounded(telling(rated, player, digits), "public.posted"))


def public_working(rated: RatedSection, player: RatedPlayer) -> dict[str, float]:
    """N', K, E and the bonus of a player as far as the lines tell them, with the same decimals."""
    if player.formula is Formula.NONE or started_by_age(rated, player):
        return {}
    digits = AGAIN if has_age_start(rated) else COARSE if is_coarse(rated) else POSTED
    shown = as_public(rated, player)
    found = {"effective_games": (shown.effective, "n")}
    if shown.formula is Formula.STANDARD:
        final = shown.final
        found |= {"k": (final.k, "k"), "expected": (final.expected, "e"), "bonus": (final.bonus, "p")}
    return {name: round(value, digits[kind]) for name, (value, kind) in found.items()}


def as_public(rated: RatedSection, player: RatedPlayer) -> RatedPlayer:
    """The player whose working is shown: as rated, or made again of posted numbers where somebody started by age."""
    return as_posted(rated, player) if has_age_start(rated) and not rated.section.kind.is_foreign else player


def has_age_start(rated: RatedSection) -> bool:
    """Whether a birth date counted in the start of somebody in a section."""
    return any(started_by_age(rated, player) for player in _who_counted(rated))


def started_by_age(rated: RatedSection, player: RatedPlayer) -> bool:
    """Whether a birth date counted in a player's start: by itself, or in the weights of other ratings (§2).

    It counts for ever in a start that was kept when the birth date was erased.
    """
    start = player.start
    if start is not None and start.is_hidden:
        return True
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


# From posted numbers.


def as_posted(rated: RatedSection, player: RatedPlayer) -> RatedPlayer:
    """The last pass made again with posted whole numbers: the player's before the section, the opponents' after it."""
    if player.formula is Formula.NONE:
        return player
    posted = {one.number: float(official_rating(one.after.rating)) for one in rated.players if one.after is not None}
    known = player.prior if player.before is None else player.before.rating
    prior = posted[player.number] if started_by_age(rated, player) else float(official_rating(known))
    constants = rated.edition.constants
    games = tuple(game._replace(intermediate=posted[game.opponent]) for game in player.games)
    effective = effective_games(constants, prior, player.games_before)
    again = player._replace(prior=prior, games=games, effective=effective)
    opponents = [game.intermediate for game in games]
    if player.formula is Formula.SPECIAL:
        rating = special_rating(constants, prior, effective, player.past, player.score, opponents).rating
        return again._replace(final=PassWorking(0.0, 0.0, 0.0, rating, rating))
    k = section_k(constants, rated.k_rule, prior, effective, float(player.played))
    met = [odds(opponent) for opponent in opponents]
    found = standard_update(constants, prior, k, player.score, met, player.earns_bonus)
    return again._replace(final=PassWorking(found.k, found.expected, found.bonus, found.rating, found.rating))


def _from_posted(rated: RatedSection, player: RatedPlayer) -> Iterator[Line]:
    shown = telling(rated, player, COARSE)
    again = telling(rated, as_public(rated, player), AGAIN)
    working = list(_working(shown, again))
    yield from rules(shown)
    yield from not_from_texts(again, working)
    yield again.line("Rules", "public.by_age")
    yield from working


def _working(shown: Telling, again: Telling) -> Iterator[Line]:
    player = again.player
    if player.formula is Formula.NONE:
        yield from untouched(shown)
        return
    if started_by_age(again.rated, player):
        yield from _start(shown)
    else:
        yield from first_step(again if player.start is None else shown)
        yield from second_step(again)
    yield choice(again)
    yield from unrated_rounds(again, "Step 5")
    yield from _games(again)
    for line in (*result(shown), *closing(shown)):
        if line.key == "result.rating":
            yield shown.line("Result", "public.rating", line.value)
        elif line.part != "Result" or line.key.startswith(_OF_RESULT):
            yield line


def _start(shown: Telling) -> Iterator[Line]:
    """Step 1 of a player whose age counted, without its numbers."""
    is_told = False
    for line in first_step(shown):
        if not line.key.startswith((*_OF_AGE, *_OF_START)):
            yield line
        elif not is_told:
            yield shown.line("Step 1", "start.hidden")
            is_told = True


def _games(tell: Telling) -> Iterator[Line]:
    player, constants = tell.player, tell.constants
    part = "Step 5"
    if started_by_age(tell.rated, player) and player.effective > 0.0:  # the start counts for games, so nothing is told
        for game in player.games:
            yield tell.line(part, "game.hidden", **said_of(tell, game))
        yield tell.line(part, "game.score", player.score, scores=tuple(game.score for game in player.games))
        return
    yield tell.line(part, "public.pass")
    met = [Met(game, game.intermediate, words.POSTED) for game in player.games]
    if player.formula is Formula.STANDARD:
        yield from standard(tell, part, met)
    else:
        found = special_rating(
            *(constants, player.prior, player.effective, player.past, player.score), [one.strength for one in met]
        )
        yield from _solution(tell, part, found, met)
    assert player.after is not None
    official = float(official_rating(player.after.rating))
    yield tell.line(part, "public.differs", player.final.computed, official=official)


def _solution(tell: Telling, part: str, found: SpecialRating, met: list[Met]) -> Iterator[Line]:
    is_hidden = started_by_age(tell.rated, tell.player)
    for line in special(tell, part, found, tell.player.effective, met):
        if not is_hidden or line.key.startswith(_OF_GAMES):
            yield line

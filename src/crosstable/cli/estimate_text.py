"""Estimates as people read them on a terminal: the answer first, then what each game brought, then the rest."""

from collections.abc import Iterator
from textwrap import fill

from crosstable.calculator.answers import Answer, headline, notes, sentences
from crosstable.calculator.figures import FULL_SCORE_DIFFERENCE, LABEL, PerformanceRatings
from crosstable.calculator.what_if import NextGame, NormChances, Outcomes, Possibility, norm_title
from crosstable.explanation import Line
from crosstable.formulas.norms import NORM_MARGIN
from crosstable.formulas.rounding import official_rating

WORDS = {1.0: "win", 0.5: "draw", 0.0: "loss"}
BAR = 30
WIDTH = 100


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph that fits a terminal, further lines indented."""
    return fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) + "\n"


def answer_text(found: Answer, lines: tuple[Line, ...] = ()) -> str:
    """The whole answer; ``lines`` is the working, where it was asked for."""
    return "".join(_answer_lines(found, lines))


def _answer_lines(found: Answer, lines: tuple[Line, ...]) -> Iterator[str]:
    one = found.estimate
    dual = ", dual-rated" if one.is_dual else ""
    yield f"{headline(one)}\n{one.system.title}{dual}, rules of {one.edition}\n\n"
    yield from (wrapped(text) for text in sentences(one))
    yield "\n"
    for number, game in enumerate(one.points, start=1):
        opponent = one.request.opponents[game.opponent - 1]
        rating = "unrated" if opponent.rating is None else f"{opponent.rating:g}"
        met = (
            "" if opponent.rating is not None and abs(game.met_at - opponent.rating) < 0.5 else f" at {game.met_at:.0f}"
        )
        who = f"{WORDS[game.score]:4} {rating}{met}"
        yield f"{number:3}. {who:<22} expected {game.expected:.2f}   {game.sentence}\n"
    if one.points[0].is_leave_one_out:
        yield "     Each is the result with the game less the result without it; these do not add up.\n"
    yield "\n"
    if one.norm is not None:
        yield f"Norm: {one.norm}, {norm_title(one.norm)}\n"
    yield wrapped(f"Performance: {performance_line(found.performance)}", "  ")
    yield wrapped(f"Badge: {found.badge.symbol} {found.badge.name}. {found.badge.words}", "  ")
    yield from _beside(found)
    if lines:
        from crosstable.cli.explain import lines_text

        yield lines_text(lines)
        yield "\n"
    yield f"Link: {found.link}\n"


def _beside(found: Answer) -> Iterator[str]:
    one = found.estimate
    if found.old_page is not None:
        page = found.old_page
        yield (
            f"For comparison, {LABEL} (not a rule): K {page.k:g}, bonus {page.bonus:.0f}, "
            f"new rating {official_rating(page.rating)}\n"
        )
    yield "\n" + wrapped(one.kind.assumes)
    if found.typical_error is not None:
        yield wrapped(found.typical_error.sentence)
    for other in one.others:
        yield f"With opponents {_KINDS[other.kind.value]}: {official_rating(other.rating)}\n"
    yield from (wrapped(f"Note: {note}", "      ") for note in notes(one))


_KINDS = {"before": "at their ratings before", "after": "at their ratings after", "scores": "rated from their scores"}


def performance_line(found: PerformanceRatings) -> str:
    """A performance by every method in one line."""
    note = f"; a full score or none counts as {FULL_SCORE_DIFFERENCE:g} points" if found.is_limit else ""
    return (
        f"{found.special:.0f} by the special formula, {found.logarithmic:.0f} logarithmic, {found.linear:.0f} linear "
        f"(also called algorithm of 400), {found.fide_table} by FIDE's table{note}"
    )


def next_game_text(found: NextGame, opponent: str) -> str:
    """The next game, won, drawn and lost."""
    lines = [f"Next, against {opponent} (now {official_rating(found.now)}):\n"]
    for word, way in (("win", found.win), ("draw", found.draw), ("loss", found.loss)):
        lines.append(f"  {word:4}  {way.change:+7.1f}  → {way.official}\n")
    return "".join(lines)


def outcomes_text(found: Outcomes) -> str:
    """The whole range of outcomes, a bar for each score."""
    lowest, highest = found.possibilities[0].rating, found.possibilities[-1].rating
    spread = max(highest - lowest, 1.0)
    lines = [f"Every score that is possible (from {official_rating(found.before)}):\n"]
    for each in found.possibilities:
        bar = "█" * (1 + round((BAR - 1) * (each.rating - lowest) / spread))
        bonus = f"  bonus {each.bonus:.0f}" if each.bonus >= 0.5 else ""
        line = f"  {each.score:>5g}  {each.official:4}  {each.change:+7.1f}  {bar:<{BAR}}{bonus}"
        lines.append(f"{line.rstrip()}\n")
    return "".join(lines)


def target_text(found: Outcomes, needed: Possibility | None, target: float) -> str:
    """The score that a target needs."""
    games = found.played + found.to_come
    if needed is None:
        best = found.possibilities[-1]
        return f"{target:g} is out of reach: {best.score:g} of {games} gives {best.official}.\n"
    rest = needed.score - found.score
    how = f", {rest:g} of the {found.to_come} to come" if found.played else ""
    return f"{target:g} needs {needed.score:g} of {games}{how}: that gives {needed.official}.\n"


def norm_chances_text(found: NormChances) -> str:
    """The norms that are possible."""
    if found.reason:
        return f"No norm: {found.reason}\n"
    games = found.played + found.to_come
    lines = [f"Norms (the score must exceed what the level expects by more than {NORM_MARGIN:g}):\n"]
    for chance in found.chances:
        if chance.needed is None:
            words = "no score is enough"
        elif chance.from_rest is None:
            words = f"{chance.needed:g} of {games}: out of reach"
        elif not chance.from_rest:
            words = f"{chance.needed:g} of {games}: reached"
        else:
            words = f"{chance.needed:g} of {games}: {chance.from_rest:g} of the {found.to_come} to come"
        lines.append(f"  {chance.level} {chance.title:<19} expects {chance.expected:5.2f}   {words}\n")
    return "".join(lines)

"""``crosstable estimate``: one player's estimate from the command line, no file."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from crosstable.calculator.answers import (
    Answer,
    answer,
    answer_object,
    estimate_document,
    headline,
    next_game_object,
    norm_chances_object,
    notes,
    outcomes_object,
    possibility_object,
    sentences,
)
from crosstable.calculator.estimate import working
from crosstable.calculator.figures import FULL_SCORE_DIFFERENCE, LABEL, PerformanceRatings
from crosstable.calculator.reading import RequestReading, read_game, read_link, read_request
from crosstable.calculator.requests import EstimateRequest, OpponentsAt
from crosstable.calculator.what_if import (
    NextGame,
    NormChances,
    Outcomes,
    Possibility,
    next_game,
    norm_chances,
    norm_title,
    outcomes,
    score_needed,
)
from crosstable.cli.options import Parser, Takes, flag, iso_or_as_given, option, several, take, width
from crosstable.cli.printing import fault_text, print_answer, print_json, wrapped
from crosstable.errors import FAULTY, Fault, UnratableSectionError
from crosstable.explanation import Line
from crosstable.formulas.norms import NORM_MARGIN
from crosstable.formulas.outcome import official_rating
from crosstable.notation import read_number
from crosstable.rules.editions import EDITIONS
from crosstable.rules.in_words import dual_k

# options that are fields of a link of the same name, but for the birth date
FIELDS = (
    *("games", "record", "events", "peak", "floor", "birth_date", "age", "fide", "cfc"),
    *("date", "system", "control", "opponents", "field"),
)
WORDS = {1.0: "win", 0.5: "draw", 0.0: "loss"}
BAR = 30
FLAGS = ("adult", "canadian", "online", "dual", "match")
EPILOG = """\
games:  W1640        a win over a 1640          D1720/12     a draw with a 1720 on 12 games
        LU           a loss to an unrated       T1800        an upcoming game against an 1800
        WDL1500      three games against one    W1500:1520   1500 before the event, 1520 after it
        W1500@3/4    the 1500 scored 3 of 4     W1641P17     a rating copied from a crosstable

examples:
  crosstable estimate 1512/40 W1640 D1720 L1600 --control "G/60;d5"
  crosstable estimate 1512 W1640 D1720 T1800 T1750 --range --target 1600 --norms
  crosstable estimate 1641P17 --next 1800
  crosstable estimate U --birth-date 2014-02-03 W900 L1200 D1050
  crosstable estimate U --fide 1800 --adult W1500 W1700
  crosstable estimate "/estimate?date=2026-11-14&rating=1512&games=40&game=W1640,D1720"

Exit code 1: something in the request is wrong. Everything that is wrong is printed.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose examples stay as they are written."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=width())


class _Intermixed(Parser):
    """A parser that takes options between the games too."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 (as argparse has it)
        """The options of a command line."""
        return self.parse_intermixed_args(args, namespace)


def parser() -> Parser:
    """What the command takes."""
    made = _Intermixed(
        prog="crosstable estimate",
        formatter_class=_Help,
        description="Estimate one player's new rating from what the player knows: the old rating, the opponents and\n"
        "the results. Shows what each game was worth, K, bonus, floor, class and performance, and how\n"
        "far such estimates usually are from the posted rating.",
        epilog=EPILOG,
    )
    made.set_defaults(run=_estimate)
    option(made, "player RATING", "1512, 1512/40 (40 games), 1641P17, U (unrated), or a link")
    option(made, "game GAME", "result and opponent, like W1640 (see below)", nargs="*")
    _add_player_options(made.add_argument_group("the player"))
    _add_event_options(made.add_argument_group("the event"))
    _add_questions(made.add_argument_group("questions"))
    take(made, "--json", json="print crosstable-estimate/1, every number in full")
    return made


def _add_player_options(made: Takes) -> None:
    option(made, "--games N", "games behind the rating (default: established, number unknown)")
    option(made, "--record W-D-L", "wins, draws, losses so far, like 5-0-0 (counts if all are wins)")
    games = EDITIONS[-1].constants.personal_event_games
    option(made, "--events N", f"events of {games:g} or more games so far (for the absolute floor)")
    option(made, "--peak R", "highest established rating ever (for the floor)")
    option(made, "--floor R", "a floor known from elsewhere")
    option(made, "--birth-date DATE", "birth date of an unrated player, who starts by age", type=iso_or_as_given)
    option(made, "--age YEARS", "age, instead of the birth date")
    flag(made, "--adult", "an unrated adult whose birth date is not known")
    option(made, "--fide R[@DATE]", "FIDE rating of an unrated player, and the date of its list")
    option(made, "--cfc R[@DATE]", "CFC rating; counts for residents of Canada")
    flag(made, "--canadian", "the player is a resident of Canada")
    words = "a rating in another system, like OTBQ:1500/20@2026-01-31 (repeatable)"
    several(made, "--other SYSTEM:R[/N][@DATE]", words)


def _add_event_options(made: Takes) -> None:
    option(made, "--date DATE", "the day the event starts (default: today); picks the rules", type=iso_or_as_given)
    option(made, "--control CONTROL", "time control, like G/60;d5; decides the system and dual rating")
    take(made, "--system", system="the rating system (default: by time control, else Regular)")
    flag(made, "--online", "the event is online")
    flag(made, "--dual", f"dual-rated: {dual_k(EDITIONS[-1].constants)}")
    flag(made, "--match", "a match against one opponent: no bonus, and limits")
    made.add_argument(
        "--opponents",
        choices=[kind.value for kind in OpponentsAt],
        help="opponents' strength: their ratings before, after (:1520), or from their scores (@3/4); default: after if "
        "any is given, else scores, else before",
    )
    option(made, "--field R", "average strength of the opponents' other opponents (with @3/4)")


def _add_questions(made: Takes) -> None:
    option(made, "--next OPPONENT", "what a win, draw or loss against this opponent would change")
    option(made, "--target R", "the score needed to reach a rating of R", type=_rating)
    flag(made, "--range", "the new rating for every possible score")
    flag(made, "--norms", "the possible norms, and the score each needs")
    flag(made, "--explain", "the whole calculation, each line with its section of the document")


def _rating(text: str) -> float:
    try:
        return read_number(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _estimate(options: argparse.Namespace) -> int:
    reading = _reading(options)
    if reading.request is None:
        return _refused(reading.faults, options)
    try:
        document, text = _answered(reading.request, options)
    except UnratableSectionError as error:
        return _refused(error.faults, options)
    _print_faults(reading.faults)
    print_answer(document, text, as_json=options.json)
    return 0


def _refused(faults: Sequence[Fault], options: argparse.Namespace) -> int:
    """Say everything that is wrong, to people or to programs."""
    if options.json:
        from crosstable.pipeline.results import fault_object

        print_json(estimate_document({"faults": [fault_object(fault) for fault in faults]}))
    else:
        _print_faults(faults)
    return FAULTY


def _print_faults(faults: Sequence[Fault]) -> None:
    sys.stderr.writelines(fault_text("crosstable estimate", fault) for fault in faults)


def _reading(options: argparse.Namespace) -> RequestReading:
    today = datetime.now(tz=UTC).date()
    if "=" in options.player:
        return read_link(options.player, today)
    fields = [("rating", options.player), ("game", " ".join(options.game))]
    fields += [(name.removesuffix("_date"), getattr(options, name)) for name in FIELDS if getattr(options, name)]
    fields += [(flag, "1") for flag in FLAGS if getattr(options, flag)]
    fields += [("other", other) for other in options.other]
    if options.next is None or options.game:
        return read_request(fields, today)
    # A question about the next game alone needs no game before it.
    first = read_request([*fields, ("game", _open(options.next))], today)
    if first.request is None:
        return first
    return RequestReading(first.request._replace(opponents=()), first.faults)


def _open(text: str) -> str:
    """An opponent's rating as a game to come; a result in front of it is not asked for."""
    return f"T{text.lstrip('WDLTwdlt?')}"


def _answered(request: EstimateRequest, options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """The answer, and the answers to the questions asked beside it, as an object and as text."""
    document = estimate_document({})
    texts = []
    if request.games_with_result:
        found = answer(request)
        document = answer_object(found)
        lines = working(found.estimate) if options.explain else ()
        texts.append(answer_text(found, lines))
        if lines:
            from crosstable.pipeline.explaining import line_objects

            document["working"] = line_objects(lines)
    if options.next:
        try:
            opponent = read_game(_open(options.next))
        except ValueError as error:
            from crosstable.faults import fault

            raise UnratableSectionError([fault("bad-value", "next", str(error))]) from error
        asked = next_game(request, opponent)
        document["next_game"] = next_game_object(asked)
        texts.append(next_game_text(asked, _open(options.next)[1:]))
    texts += _questions(request, options, document)
    return document, "\n".join(texts)


def _questions(request: EstimateRequest, options: argparse.Namespace, document: dict[str, Any]) -> list[str]:
    texts = []
    wants_range = options.range or (not request.games_with_result and request.games_to_come and not options.next)
    if wants_range or options.target is not None:
        found = outcomes(request)
        if wants_range:
            document["outcomes"] = outcomes_object(found)
            texts.append(outcomes_text(found))
        if options.target is not None:
            needed = score_needed(found, options.target)
            document["target"] = {
                "target": options.target,
                "needed": None if needed is None else possibility_object(needed),
            }
            texts.append(target_text(found, needed, options.target))
    if options.norms:
        chances = norm_chances(request)
        document["norms"] = norm_chances_object(chances)
        texts.append(norm_chances_text(chances))
    return texts


# The answer as people read it: first the rating, then what each game brought, then the rest


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
        yield "     Each number is the result with the game minus the result without it; they do not add up.\n"
    yield "\n"
    if one.norm is not None:
        yield f"Norm: {one.norm}, {norm_title(one.norm)}\n"
    yield wrapped(f"Performance: {performance_line(found.performance)}", "  ")
    yield wrapped(f"Badge: {found.badge.symbol} {found.badge.name}. {found.badge.words}", "  ")
    yield from _beside(found)
    if lines:
        from crosstable.explanation import lines_text

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
    lines = [f"Every possible score (from {official_rating(found.before)}):\n"]
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
    how = f", {rest:g} of the remaining {found.to_come}" if found.played else ""
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
            words = f"{chance.needed:g} of {games}: {chance.from_rest:g} of the remaining {found.to_come}"
        lines.append(f"  {chance.level} {chance.title:<19} expects {chance.expected:5.2f}   {words}\n")
    return "".join(lines)

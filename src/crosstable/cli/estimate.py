"""``crosstable estimate``: one player's estimate from the command line, no file."""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from crosstable.calculator.answers import (
    answer,
    answer_object,
    estimate_document,
    next_game_object,
    norm_chances_object,
    outcomes_object,
    possibility_object,
)
from crosstable.calculator.estimate import working
from crosstable.calculator.reading import RequestReading, read_game, read_link, read_request
from crosstable.calculator.requests import EstimateRequest, OpponentsAt
from crosstable.calculator.what_if import next_game, norm_chances, outcomes, score_needed
from crosstable.cli.estimate_text import (
    answer_text,
    next_game_text,
    norm_chances_text,
    outcomes_text,
    target_text,
)
from crosstable.errors import Fault, UnratableSectionError
from crosstable.notation import read_number
from crosstable.rules.editions import EDITIONS
from crosstable.rules.phrases import dual_k
from crosstable.terms import RatingSystem

FAULTY = 1
USAGE = 2
# option of the command → name of the field in a link
FIELDS = {
    "games": "games",
    "record": "record",
    "events": "events",
    "peak": "peak",
    "floor": "floor",
    "birth_date": "birth",
    "age": "age",
    "fide": "fide",
    "cfc": "cfc",
    "date": "date",
    "system": "system",
    "control": "control",
    "opponents": "opponents",
    "field": "field",
}
FLAGS = ("adult", "canadian", "online", "dual", "match")
EPILOG = """\
games:  W1640        a win over a 1640          D1720/12     a draw with a 1720 on 12 games
        LU           a loss to an unrated       T1800        a game to come against an 1800
        WDL1500      three games against one    W1500:1520   1500 before the event, 1520 after it
        W1500@3/4    the 1500 scored 3 of 4     W1641P17     a rating copied from a crosstable

examples:
  crosstable estimate 1512/40 W1640 D1720 L1600 --control "G/60;d5"
  crosstable estimate 1512 W1640 D1720 T1800 T1750 --range --target 1600 --norms
  crosstable estimate 1641P17 --next 1800
  crosstable estimate U --birth-date 2014-02-03 W900 L1200 D1050
  crosstable estimate U --fide 1800 --adult W1500 W1700
  crosstable estimate "/estimate?date=2026-11-14&rating=1512&games=40&game=W1640,D1720"

Exit code 1: the request has faults; all of them are printed.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help of a fixed width whose examples stay as they are written."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable estimate",
        formatter_class=_Help,
        description="One player's new rating from what the player knows: the rating before, the opponents and the\n"
        "results. Says what each game brought, K, bonus, floor, class, performance, and how far such\n"
        "estimates usually are from the posted rating.",
        epilog=EPILOG,
    )
    made.add_argument("player", metavar="RATING", help="1512, 1512/40 with games, 1641P17, U (unrated), or a link")
    made.add_argument("game", nargs="*", metavar="GAME", help="result and opponent, like W1640 (see below)")
    _add_player_options(made.add_argument_group("the player"))
    _add_event_options(made.add_argument_group("the event"))
    _add_questions(made.add_argument_group("questions"))
    made.add_argument("--json", action="store_true", help="print crosstable-estimate/1, every number in full")
    return made


def _add_player_options(made: "argparse._ArgumentGroup") -> None:
    made.add_argument("--games", metavar="N", help="games the rating is based on (default: established, not known)")
    made.add_argument("--record", metavar="W-D-L", help="wins, draws, losses so far, like 5-0-0 (all wins matter)")
    games = EDITIONS[-1].constants.personal_event_games
    made.add_argument(
        "--events", metavar="N", help=f"events of {games:g} or more games so far (for the absolute floor)"
    )
    made.add_argument("--peak", metavar="R", help="highest established rating ever (for the floor)")
    made.add_argument("--floor", metavar="R", help="a floor known from elsewhere")
    made.add_argument("--birth-date", metavar="DATE", help="of an unrated player, who starts by age")
    made.add_argument("--age", metavar="YEARS", help="instead of the birth date")
    made.add_argument("--adult", action="store_true", help="an unrated adult whose birth date is not known")
    made.add_argument("--fide", metavar="R[@DATE]", help="FIDE rating of an unrated player, date of its list")
    made.add_argument("--cfc", metavar="R[@DATE]", help="CFC rating; counts for residents of Canada")
    made.add_argument("--canadian", action="store_true", help="the player is a resident of Canada")
    made.add_argument(
        "--other",
        action="append",
        default=[],
        metavar="SYSTEM:R[/N][@DATE]",
        help="rating in another system, like OTBQ:1500/20@2026-01-31 (repeatable)",
    )


def _add_event_options(made: "argparse._ArgumentGroup") -> None:
    made.add_argument("--date", metavar="DATE", help="the day the event starts (default: today); picks the rules")
    made.add_argument("--control", metavar="CONTROL", help="time control, like G/60;d5; says system and dual rating")
    systems = [system.name for system in RatingSystem]
    made.add_argument("--system", choices=systems, help="the system of the rating (default: Regular, or the control's)")
    made.add_argument("--online", action="store_true", help="the event is online")
    made.add_argument("--dual", action="store_true", help=f"dual-rated: {dual_k(EDITIONS[-1].constants)}")
    made.add_argument("--match", action="store_true", help="a match against one opponent: no bonus, limits")
    made.add_argument(
        "--opponents",
        choices=[kind.value for kind in OpponentsAt],
        help="meet opponents at ratings before, after (:1520), or from their scores (@3/4); default: after if any is "
        "given, else scores, else before",
    )
    made.add_argument("--field", metavar="R", help="average strength of the opponents' other opponents (with @3/4)")


def _add_questions(made: "argparse._ArgumentGroup") -> None:
    made.add_argument("--next", metavar="OPPONENT", help="what a win, draw, loss against this one would bring")
    made.add_argument("--target", type=_rating, metavar="R", help="the score that a rating of R needs")
    made.add_argument("--range", action="store_true", help="the new rating for every possible score")
    made.add_argument("--norms", action="store_true", help="norms that are possible, and the score for each")
    made.add_argument("--explain", action="store_true", help="the whole calculation, each line with its section")


def _rating(text: str) -> float:
    try:
        return read_number(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_intermixed_args(arguments)
    reading = _reading(options)
    if reading.request is None:
        return _refused(reading.faults, options)
    try:
        document, text = _answered(reading.request, options)
    except UnratableSectionError as error:
        return _refused(error.faults, options)
    _print_faults(reading.faults)
    sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n" if options.json else text)
    return 0


def _refused(faults: Sequence[Fault], options: argparse.Namespace) -> int:
    """Say everything that is wrong, to people or to programs."""
    if options.json:
        from crosstable.pipeline.documents import fault_object

        document = estimate_document({"faults": [fault_object(fault) for fault in faults]})
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    else:
        _print_faults(faults)
    return FAULTY


def _print_faults(faults: Sequence[Fault]) -> None:
    for fault in faults:
        sys.stderr.write(
            f"crosstable estimate: {fault.severity.value}: {fault.place}: {fault.message}\n"
            f"    {fault.remedy} [{fault.code}]\n"
        )


def _reading(options: argparse.Namespace) -> RequestReading:
    today = datetime.now(tz=UTC).date()
    if "=" in options.player:
        return read_link(options.player, today)
    fields = [("rating", options.player), ("game", " ".join(options.game))]
    fields += [(name, getattr(options, option)) for option, name in FIELDS.items() if getattr(options, option)]
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

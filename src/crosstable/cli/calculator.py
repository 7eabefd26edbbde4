"""``crosstable calculator``: the quick figures of a calculator page, each a command of its own."""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from crosstable.calculator.answers import badge_object, difference_object, old_page_object
from crosstable.calculator.figures import (
    CLASSES,
    FULL_SCORE_DIFFERENCE,
    LABEL,
    PAGE_ESTABLISHED,
    badge,
    old_page,
    page_class,
    performance_ratings,
    rating_class,
    thresholds,
)
from crosstable.calculator.reading import read_game
from crosstable.calculator.requests import HIGHEST_RATING, LOWEST_RATING, Opponent
from crosstable.cli.options import Commands, Parser, add_command, add_commands, command_parser, day, option, take
from crosstable.cli.printing import print_answer, wrapped
from crosstable.formulas.standard import (
    dual_k_factor,
    effective_games,
    k_factor,
    most_effective_games,
    odds,
    winning_expectancy,
)
from crosstable.notation import read_rating
from crosstable.rules.amending import Edition
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.rules.in_words import dual_k
from crosstable.terms import GAME_SCORES, total

Figures = tuple[str, dict[str, Any]]


def parser() -> Parser:
    """What the command takes."""
    words = "Quick figures for players. crosstable estimate gives them all at once."
    made = command_parser("calculator", description=words)
    commands = add_commands(made)
    games = "result and opponent's rating, like W1640 D1720 L1600"
    one = _command(commands, "performance", "the performance rating by every method", _performance)
    option(one, "game GAME", games, nargs="+", type=_game)
    one = _command(commands, "badge", "the badge that a score earns", _badge)
    option(one, "rating RATING", "your rating before the event", type=_player)
    option(one, "game GAME", games, nargs="+", type=_game)
    one = _command(commands, "class", "the class of a rating, or all classes", _class)
    one.add_argument("rating", nargs="?", metavar="RATING", type=_player)
    one = _command(commands, "k", "K and effective games of a rating", _k)
    option(one, "rating RATING[/GAMES]", "1512, 1512/40 or 1641P17", type=_player)
    option(one, "played M", "games in the event", type=_count)
    one.add_argument("--dual", action="store_true", help=f"a dual-rated section: {dual_k(EDITIONS[-1].constants)}")
    one = _command(commands, "expected", "the expected score against opponents", _expected)
    one.add_argument("rating", metavar="RATING", type=_player)
    one.add_argument("opponent", nargs="+", metavar="OPPONENT", type=_player)
    one = _command(commands, "old-page", f"an estimate {LABEL}; not a rule", _old_page)
    one.add_argument("rating", metavar="RATING/GAMES", type=_player)
    option(one, "game GAME", games, nargs="+", type=_game)
    _command(commands, "differences", "why other calculators differ, with examples", _differences)
    one = _command(
        commands, "about", "how ratings work, what a rated tournament needs, what an estimate is not", _about
    )
    one.add_argument("topic", nargs="?", choices=("ratings", "requirements", "disclaimer", "resources"))
    return made


def _command(
    commands: Commands, name: str, summary: str, figures: Callable[[argparse.Namespace, Edition], Figures]
) -> Parser:
    made = add_command(commands, name, summary, _run)
    option(made, "--date DATE", "the rules of this day (default: today)", type=day)
    take(made, "--json")
    made.set_defaults(figures=figures)
    return made


def _run(options: argparse.Namespace) -> None:
    edition = edition_for(options.date or datetime.now(tz=UTC).date())
    text, document = options.figures(options, edition)
    print_answer(document, text, as_json=options.json)


def _game(text: str) -> Opponent:
    try:
        found = read_game(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if found.rating is None or None in found.results:
        raise argparse.ArgumentTypeError(f"{text!r}: give a result and a rated opponent, like W1640")
    _in_range(found.rating)
    return found


def _player(text: str) -> tuple[float, float | None]:
    try:
        rating, games = read_rating(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if rating is None:
        raise argparse.ArgumentTypeError("give a rating; for unrated players use crosstable estimate")
    return _in_range(rating), games


def _in_range(rating: float) -> float:
    if not LOWEST_RATING <= rating <= HIGHEST_RATING:
        raise argparse.ArgumentTypeError(f"{rating:g} is not a rating between {LOWEST_RATING:g} and {HIGHEST_RATING:g}")
    return rating


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:5]) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of games between 1 and 1000")
    return int(text)


def _games(options: argparse.Namespace) -> tuple[list[float], list[float]]:
    """The opponent's rating and the score of every game."""
    opponents = [each.rating for each in options.game for _ in each.results]
    scores = [GAME_SCORES[result] for each in options.game for result in each.results]
    return opponents, scores


def _performance(options: argparse.Namespace, edition: Edition) -> Figures:
    opponents, scores = _games(options)
    found = performance_ratings(edition.constants, opponents, scores)
    limit = f"  (a full score or none counts as {FULL_SCORE_DIFFERENCE:g} points)" if found.is_limit else ""
    text = (
        f"{found.score:g} of {found.played} against an average of {found.average:.1f}\n"
        f"  special formula, no games before (US Chess)  {found.special:8.2f}\n"
        f"  logarithmic (the old page's “FIDE method”)   {found.logarithmic:8.2f}{limit}\n"
        f"  linear                                       {found.linear:8.2f}\n"
        f"  algorithm of 400: the same formula           {found.algorithm_of_400:8.2f}\n"
        f"  FIDE's own table                             {found.fide_table:5d}\n"
    )
    return text, found._asdict()


def _badge(options: argparse.Namespace, edition: Edition) -> Figures:
    opponents, scores = _games(options)
    own = odds(options.rating[0])
    expected = total(winning_expectancy(own, odds(opponent)) for opponent in opponents)
    score = total(scores)
    found = badge(score, expected, len(scores))
    high, low = thresholds(len(scores))
    text = (
        f"{found.symbol} {found.name}: {score:g} of {len(scores)}, expected {expected:.2f}. {found.words}\n"
        f"The old calculator page's own idea: thresholds {high:g} and {low:g} of score.\n"
    )
    return text, {**badge_object(found), "score": score, "expected": expected, "high": high, "low": low}


def _class(options: argparse.Namespace, edition: Edition) -> Figures:
    if options.rating is None:
        lines = [f"{each.lowest:>5} and up  {each.title}\n" for each in CLASSES]
        lines.append("The old calculator page stops at Class F, “below 1000”.\n")
        return "".join(lines), {"classes": [each._asdict() for each in CLASSES]}
    found, simplified = rating_class(options.rating[0]), page_class(options.rating[0])
    note = "" if simplified == found or found.title == simplified.title else f" ({LABEL}: {simplified.title})"
    return f"{found.title}{note}\n", {**found._asdict(), "old_page": simplified.title}


def _k(options: argparse.Namespace, edition: Edition) -> Figures:
    constants = edition.constants
    rating, games = options.rating
    most = most_effective_games(constants, rating)
    effective = most if games is None else effective_games(constants, rating, games)
    played = float(options.played)
    k = dual_k_factor(constants, rating, effective, played) if options.dual else k_factor(constants, effective, played)
    is_special = games is not None and games <= constants.special_games
    few = f"On {constants.special_games:g} games or fewer the special formula applies, which has no K.\n"
    note = few if is_special else ""
    text = f"N* {most:.4f}, effective games {effective:.4f}, K {k:.4f} for {options.played} games\n{note}"
    return text, {
        "rating": rating,
        "games": games,
        "played": options.played,
        "most_effective_games": most,
        "effective_games": effective,
        "k": None if is_special else k,
    }


def _expected(options: argparse.Namespace, edition: Edition) -> Figures:
    own = odds(options.rating[0])
    found = [(rating, winning_expectancy(own, odds(rating))) for rating, _ in options.opponent]
    whole = total(expected for _, expected in found)
    lines = [f"  {rating:g}  {expected:.6f}\n" for rating, expected in found]
    document = {"games": [{"opponent": rating, "expected": expected} for rating, expected in found], "expected": whole}
    return "".join(lines) + f"expected {whole:.6f} of {len(found)}\n", document


def _old_page(options: argparse.Namespace, edition: Edition) -> Figures:
    opponents, scores = _games(options)
    rating, games = options.rating
    found = old_page(rating, PAGE_ESTABLISHED if games is None else games, opponents, scores)
    text = (
        f"{LABEL.capitalize()}; not a rule of US Chess:\n"
        f"  K {found.k:g}, expected {found.expected:.4f}, change {found.change:+.2f}\n"
        f"  performance {found.performance:.2f}, bonus {found.bonus:.2f}\n"
        f"  new rating {found.rating:.2f}\n"
        "crosstable estimate gives the right one; crosstable calculator differences says why they differ.\n"
    )
    return text, old_page_object(found)


def _differences(options: argparse.Namespace, edition: Edition) -> Figures:
    from crosstable.calculator.texts import differences

    found = differences()
    lines = []
    for each in found:
        section = f" ({each.section})" if each.section else ""
        lines.append(f"{each.title}\n")
        lines.append(wrapped(f"  others: {each.others}", "    "))
        lines.append(wrapped(f"  right:  {each.document}{section}", "    "))
        lines.append(wrapped(f"  example: {each.example}", "    "))
        lines.append(f"    others: {each.theirs}\n    right:  {each.ours}\n\n")
    return "".join(lines), {"differences": [difference_object(each) for each in found]}


def _about(options: argparse.Namespace, edition: Edition) -> Figures:
    from crosstable.calculator.texts import RESOURCES, texts

    chosen = [text for text in texts(edition) if options.topic in (None, text.code)]
    lines = [f"{text.title}\n\n" + "".join(wrapped(part) + "\n" for part in text.paragraphs) for text in chosen]
    document: dict[str, Any] = {"texts": [text._asdict() for text in chosen]}
    if options.topic in (None, "resources"):
        lines.append("Official resources\n\n" + "".join(f"{each.title}: {each.address}\n" for each in RESOURCES))
        document["resources"] = [each._asdict() for each in RESOURCES]
    return "".join(lines), document

"""An estimate by its address: the question that the address holds, every answer to it, and the page that shows them."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

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
from crosstable.calculator.reading import RequestReading, link_of, read_game, read_request
from crosstable.calculator.requests import EstimateRequest
from crosstable.calculator.what_if import (
    MOST_TO_COME,
    NextGame,
    NormChances,
    Outcomes,
    Possibility,
    next_game,
    norm_chances,
    outcomes,
    paths_to,
    score_chances,
    score_needed,
)
from crosstable.errors import Fault, UnratableSectionError
from crosstable.faults import fault
from crosstable.notation import read_number
from crosstable.output.charts import SCORES_FRAME, Point, Series, rating_chart
from crosstable.pipeline.results import fault_object
from crosstable.sentences import counted

Fields = Sequence[tuple[str, str]]
TEMPLATE = "estimate.html"
# What the page says below its form, which its script asks for alone as somebody types.
ANSWER_TEMPLATE = "estimate_answer.html"
# Questions that stand beside a request in an address; everything else in it is the request.
QUESTIONS = ("next", "target", "range", "norms", "steps")
# Fields of an address that the form carries along without showing them.
UNSEEN = frozenset({"events", "floor", "birth", "adult", "canadian", "opponents", "field", "section"})
PARTS = {
    "Rules": "The rules that apply",
    "Step 1": "What the player came with",
    "Step 2": "How many games that rating counts for",
    "Step 3": "A first rating for those who were unrated",
    "Step 4": "First pass",
    "Step 5": "Second pass, against the opponents of the first",
    "Foreign event": "A foreign event",
    "Result": "The result",
    "Assumed": "What had to be assumed",
}


class Asked(NamedTuple):
    """What an address asks: the request, what is wrong with it, and the questions beside it."""

    fields: Fields
    reading: RequestReading
    questions: dict[str, str]


class Answered(NamedTuple):
    """Everything that was answered; ``faults`` where something could not be."""

    found: Answer | None
    outcomes: Outcomes | None
    next_game: NextGame | None
    target: float | None
    needed: Possibility | None
    norms: NormChances | None
    faults: tuple[Fault, ...]


def asked_of(fields: Fields) -> Asked:
    """The question that an address holds. Without a game yet, the next opponent alone is enough."""
    today = datetime.now(tz=UTC).date()
    questions = {name: text.strip() for name, text in fields if name in QUESTIONS and text.strip()}
    plain = [(name, text) for name, text in fields if name not in QUESTIONS]
    if "next" in questions and not any(name == "game" and text.strip() for name, text in plain):
        first = read_request([*plain, ("game", _to_come(questions["next"]))], today)
        if first.request is not None:
            first = first._replace(request=first.request._replace(opponents=()))
        return Asked(plain, first, questions)
    return Asked(plain, read_request(plain, today), questions)


def _to_come(text: str) -> str:
    return f"T{text.lstrip('WDLTwdlt?')}"


def answered(reading: RequestReading, questions: dict[str, str]) -> Answered:
    """The answers to a request and to the questions beside it; what cannot be answered becomes a fault."""
    request = reading.request
    if request is None:
        return Answered(None, None, None, None, None, None, reading.faults)
    try:
        return _answered(request, questions, reading.faults)
    except UnratableSectionError as error:
        return Answered(None, None, None, None, None, None, (*reading.faults, *error.faults))


def _answered(request: EstimateRequest, questions: dict[str, str], faults: tuple[Fault, ...]) -> Answered:
    found = answer(request) if request.games_with_result else None
    coming = None
    if "next" in questions:
        try:
            coming = next_game(request, read_game(_to_come(questions["next"])))
        except ValueError as error:
            faults += (fault("bad-value", "next", str(error)),)
    target = None
    if "target" in questions:
        try:
            target = read_number(questions["target"])
        except ValueError as error:
            faults += (fault("bad-value", "target", str(error)),)
    games = request.games_to_come or (0 if found is None else found.estimate.played)
    is_wanted = "range" in questions or target is not None or (found is None and games > 0)
    made = None if found is None else found.estimate
    all_scores = outcomes(request, made) if is_wanted and 0 < games <= MOST_TO_COME else None
    needed = score_needed(all_scores, target) if all_scores is not None and target is not None else None
    norms = norm_chances(request) if "norms" in questions and games else None
    return Answered(found, all_scores, coming, target, needed, norms, faults)


def document_of(done: Answered) -> dict[str, Any]:
    """The answers for programs: the same as ``crosstable estimate --json`` prints."""
    document = estimate_document({}) if done.found is None else answer_object(done.found)
    if done.next_game is not None:
        document["next_game"] = next_game_object(done.next_game)
    if done.outcomes is not None:
        document["outcomes"] = outcomes_object(done.outcomes)
    if done.target is not None:
        needed = None if done.needed is None else possibility_object(done.needed)
        document["target"] = {"target": done.target, "needed": needed}
    if done.norms is not None:
        document["norms"] = norm_chances_object(done.norms)
    if done.faults:
        document["faults"] = [fault_object(one) for one in done.faults]
    return document


def outcome_chart(found: Outcomes, mine: float | None) -> Markup:
    """The rating for every score, as a line; the score that was made is a point of its own."""
    points = [
        Point(score, rating, math.nan, math.nan, f"{score:g} points: {official} ({change:+.0f})")
        for score, rating, official, change, _ in found.possibilities
    ]
    level = [Point(points[0].at, found.before), Point(points[-1].at, found.before)]
    series = [Series("now", tuple(level), "level"), Series("after", tuple(points), "otbr")]
    if mine is not None:
        series.append(Series("yours", tuple(point for point in points if point.at == mine), "otbq"))
    title = "The new rating for every score; the table below has the same numbers."
    return Markup(rating_chart(series, title, is_by_date=False, frames=(SCORES_FRAME,)))  # its texts are escaped


# The page.


class Nobody(NamedTuple):
    """An address that names no people."""

    games: str
    player: None = None
    names: tuple[str, ...] = ()
    known: None = None


def form_context(fields: Fields, written: Fields, people: Any) -> dict[str, Any]:  # noqa: ANN401
    """What the form shows of an address as it was written, with ratings in the place of people in ``fields``."""
    given = defaultdict(str, fields)
    given["rating"] = _rating_text(given) if people.player is None else people.player.member_id
    given["other"] = next((text for name, text in fields if name == "other"), "")
    context = {"given": given, "people": people, "games": people.games, "done": None, "found": None}
    return {**context, "unseen": list(_unseen(written)), "steps": None, "coming": None, "query": ""}


def is_asked(context: Mapping[str, Any], *, has_games: bool) -> bool:
    """Whether an address asks anything; an empty form does not."""
    given = context["given"]
    if any(given[name].strip() for name in ("game", "next")):
        return True
    return has_games and given["rating"].strip() != ""


def beside(question: Asked) -> dict[str, str]:
    """What the page asks beside a request."""
    return {"range": "1", "norms": "1", **question.questions}


def answer_context(question: Asked, done: Answered, names: Sequence[str] = ()) -> dict[str, Any]:
    """What the page shows of the answers, and beside them: a graph, chances, paths to a target, the working."""
    asked, found = question.reading.request, done.found
    context: dict[str, Any] = {"done": done, "found": found, "link": "" if asked is None else _link(question, done)}
    context |= {"relations": list(relations(done)), "paths": ()}
    if found is not None:
        made = found.estimate
        context |= {"headline": headline(made), "sentences": sentences(made), "notes": notes(made)}
    if done.outcomes is not None:
        assert asked is not None
        context["chart"] = outcome_chart(done.outcomes, None if found is None else found.estimate.score)
        context["chances"] = score_chances(asked, done.outcomes)
        if done.target is not None and done.target > done.outcomes.before:
            context["paths"] = paths_to(asked, done.outcomes, done.target)
    if found is not None and "steps" in question.questions:
        context["steps"] = [
            (PARTS.get(part, part), [(_with_names(line.text, found, names), line.section) for line in lines])
            for part, lines in groupby(working(found.estimate), key=lambda line: line.part)
        ]
    return context


_MET = re.compile(r"\bplayer (\d+)\b(?: by this row alone)?")


def _with_names(text: str, found: Answer, names: Sequence[str]) -> str:
    """A line of the working with opponents by name, or by the place of their game."""

    def name(match: re.Match[str]) -> str:
        at = int(match[1])
        known = names[at - 1] if at <= len(names) else ""
        return known or (f"opponent {at}" if at <= len(found.estimate.request.opponents) else match[0])

    return _MET.sub(name, text)


def relations(done: Answered) -> Iterator[str]:
    """How the answers on a page belong together, where there is more than one."""
    found, ways = done.found, done.outcomes
    if found is not None:
        yield f"The estimate counts the {counted(found.estimate.played, 'game')} with a result, and no other."
    if done.next_game is not None:
        yield "The next game is one more after those; games to come are left out of it."
    if ways is not None and ways.played:
        all_games = ways.played + ways.to_come
        yield (
            f"Every possible score, and the score for a wanted rating, are totals over all {all_games} games: those "
            "with a result stay as they are, those to come vary."
        )
    elif ways is not None and found is not None:
        yield "Every possible score asks anew what each total against these opponents would give."
    if done.norms is not None and done.norms.chances:
        yield "Norms need a total over all games too, at a level of their own."


def _rating_text(given: Mapping[str, str]) -> str:
    """The rating with its games, as the field of the form takes them together."""
    rating, games = given.get("rating", "").strip(), given.get("games", "").strip()
    return f"{rating}/{games}" if games and rating.replace(".", "", 1).isdigit() else rating


def _unseen(fields: Fields) -> Iterator[tuple[str, str]]:
    """What an address may say beside the fields of the form: it must not be lost when the form is sent again."""
    others = 0
    for name, text in fields:
        others += name == "other"
        if text.strip() and (name in UNSEEN or (name == "other" and others > 1)):
            yield name, text.strip()


def _link(question: Asked, done: Answered) -> str:
    """The address that asks the same again, with the questions beside the request."""
    request = question.reading.request
    assert request is not None
    link = link_of(request) if done.found is None else done.found.link
    more = [(name, text) for name, text in question.questions.items() if name in ("next", "target", "steps")]
    return f"{link}&{urlencode(more)}" if more else link


def games_text(fields: Fields) -> str:
    """The games of an address as the field of the form takes them."""
    return " ".join(text for name, text in fields if name == "game").replace(",", " ")


def is_refused(done: Answered) -> bool:
    """Whether nothing could be answered."""
    return done.found is None and done.outcomes is None and done.next_game is None

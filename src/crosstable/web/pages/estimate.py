"""The estimate page: one player's question in the address, so that every answer has a link, and what-if beside it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Request, Response
from markupsafe import Markup
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool

from crosstable.calculator.answers import (
    Answer,
    answer,
    answer_object,
    estimate_document,
    next_game_object,
    norm_chances_object,
    outcomes_object,
    possibility_object,
)
from crosstable.calculator.estimate import working
from crosstable.calculator.reading import LONGEST_LINK, RequestReading, link_of, read_game, read_object, read_request
from crosstable.calculator.requests import MOST_GAMES, EstimateRequest
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
from crosstable.output.charts import Point, Series, rating_chart
from crosstable.pipeline.documents import fault_object
from crosstable.sentences import counted
from crosstable.web.api.described import reply_shape
from crosstable.web.forms import in_queue
from crosstable.web.gate import actor_of, charge, client_address
from crosstable.web.limits import MANY_GAMES_COST, WHAT_IFS, WHAT_IFS_OF_ANYBODY
from crosstable.web.pages.estimate_people import SECTION, Fields, Named, has_people, named
from crosstable.web.pages.explanations import PARTS
from crosstable.web.pages.members import coming
from crosstable.web.problems import RESPONSES, Problem
from crosstable.web.reading import Snapshot
from crosstable.web.replies import HTML, JSON, kept, render
from crosstable.web.routes import Policy, Route

# Questions that stand beside a request in an address; everything else in it is the request.
QUESTIONS = ("next", "target", "range", "norms", "steps")
# Fields of an address that the form carries along without showing them.
UNSEEN = frozenset({"events", "floor", "birth", "adult", "canadian", "opponents", "field", SECTION})
# So many games are answered while others wait; more go through a queue.
MANY_GAMES = 15
# So many games anybody may ask about; whoever is known, as many as the calculator takes.
MOST_GAMES_OF_ANYBODY = 50
LONGEST_BODY = 64 * 1024
# What an answer may have for the page.
_PARTS = ("headline", "estimate", "next_game", "target", "outcomes", "norms", "link", "old_page", "typical_error")


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
    games = request.games_to_come or request.games_with_result
    is_wanted = "range" in questions or target is not None or (found is None and games > 0)
    all_scores = outcomes(request) if is_wanted and 0 < games <= MOST_TO_COME else None
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
        Point(one.score, one.rating, label=f"{one.score:g} points: {one.official} ({one.change:+.0f})")
        for one in found.possibilities
    ]
    level = [Point(points[0].at, found.before), Point(points[-1].at, found.before)]
    series = [Series("now", tuple(level), "level"), Series("after", tuple(points), "otbr")]
    if mine is not None:
        series.append(Series("yours", tuple(point for point in points if point.at == mine), "otbq"))
    title = "The new rating for every score; the table below has the same numbers."
    return Markup(rating_chart(series, title, is_by_date=False))  # its texts are escaped


# doors


async def _people(request: Request) -> Named:
    """What an address asks, with ratings in the place of people; a section of the record may have to be read."""
    _require_short(request)
    fields = request.query_params.multi_items()
    if not has_people(fields):
        return Named(fields, None, (), _games_text(fields), ())
    if request.query_params.get(SECTION):
        return await run_in_threadpool(_named, request, fields)
    return _named(request, fields)


def _named(request: Request, fields: Fields) -> Named:
    read: Snapshot = request.app.state.reading.now
    with read.asking():
        return named(read, fields)


def _with_problems(question: Asked, people: Named) -> Asked:
    faults = tuple(fault("bad-value", "player", said) for said in people.problems)
    return question._replace(reading=question.reading._replace(faults=faults + question.reading.faults))


async def estimate_page(request: Request) -> Response:
    """The page: a form that works by its address, and the answer below it."""
    people = await _people(request)
    fields = people.fields
    given = defaultdict(str, fields)
    given["rating"] = _rating_text(given) if people.player is None else people.player.member_id
    given["other"] = next((text for name, text in fields if name == "other"), "")
    context: dict[str, Any] = {"given": given, "people": people, "games": people.games, "done": None, "document": None}
    context |= {"unseen": list(_unseen(request.query_params.multi_items())), "steps": None}
    is_asked = any(given[name].strip() for name in ("game", "next"))
    is_asked |= given["rating"].strip() != "" and "game" in request.query_params
    if is_asked or people.problems:
        question = _with_problems(asked_of(fields), people)
        done = await _done(request, question.reading, {"range": "1", "norms": "1", **question.questions})
        context |= {"link": _link(question), "twin": f"/estimate.json?{request.url.query}"}
        context |= {"done": done, "document": {**dict.fromkeys(_PARTS), **document_of(done)}}
        context |= _beside(request, question, done, people.names)
    body = render(request, "estimate.html", **context)
    if context["done"] is not None and _is_refused(context["done"]):
        return Response(body, 422, media_type=HTML)
    return _kept_for_its_day(request, body, HTML)


def _beside(request: Request, question: Asked, done: Answered, names: Sequence[str]) -> dict[str, Any]:
    """What the page shows beside the answers: a graph, chances, paths to a target, the working, the next list."""
    asked, found = question.reading.request, done.found
    beside: dict[str, Any] = {"relations": list(relations(done)), "coming": None, "paths": ()}
    if found is not None and request.app.state.reading.tag is not None:
        beside["coming"] = coming(request.app.state.reading.now)
    if done.outcomes is not None:
        assert asked is not None
        beside["chart"] = outcome_chart(done.outcomes, None if found is None else found.estimate.score)
        beside["chances"] = score_chances(asked)
        if done.target is not None and done.target > done.outcomes.before:
            beside["paths"] = paths_to(asked, done.outcomes, done.target)
    if found is not None and "steps" in question.questions:
        beside["steps"] = [
            (PARTS.get(part, part), [(_with_names(line.text, found, names), line.section) for line in lines])
            for part, lines in groupby(working(found.estimate), key=lambda line: line.part)
        ]
    return beside


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


async def _done(request: Request, reading: RequestReading, questions: dict[str, str]) -> Answered:
    """The answers; many games take long, and others shall not wait for them."""
    games = 0 if reading.request is None else reading.request.games_with_result + reading.request.games_to_come
    if games <= MANY_GAMES:
        return answered(reading, questions)
    actor = await actor_of(request)
    if actor.is_known:
        return await in_queue(WHAT_IFS, answered, reading, questions)
    if games > MOST_GAMES_OF_ANYBODY:
        said = (
            f"An estimate has at most {MOST_GAMES_OF_ANYBODY} games, and this one {games}; with an account or a token"
        )
        raise Problem(413, f"{said} it may have {MOST_GAMES}.")
    if request.method == "GET":  # others were counted at the gate
        charge(request, actor, MANY_GAMES_COST)
    return await in_queue(WHAT_IFS_OF_ANYBODY.of(client_address(request)), answered, reading, questions)


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


def _link(question: Asked) -> str:
    """The address that asks the same again, with the questions beside the request."""
    request = question.reading.request
    if request is None:
        return ""
    beside = [(name, text) for name, text in question.questions.items() if name in ("next", "target", "steps")]
    return f"{link_of(request)}{'&' if beside else ''}{urlencode(beside)}"


def _games_text(fields: Fields) -> str:
    return " ".join(text for name, text in fields if name == "game").replace(",", " ")


def _require_short(request: Request) -> None:
    if len(request.url.query) > LONGEST_LINK:
        raise Problem(413, f"The address has more than {LONGEST_LINK} characters.")


def _is_refused(done: Answered) -> bool:
    return done.found is None and done.outcomes is None and done.next_game is None


async def estimate_by_address(request: Request) -> Response:
    """An estimate from the query: ``rating``, ``game`` and the other names of a link, and what-if beside it."""
    people = await _people(request)
    question = _with_problems(asked_of(people.fields), people)
    return _kept_for_its_day(request, _answer(await _done(request, question.reading, question.questions)), JSON)


async def estimate_by_body(request: Request) -> Response:
    """An estimate from a JSON object with the names of a link; ``game`` may be a list."""
    content = await request.body()
    if len(content) > LONGEST_BODY:
        raise Problem(413, f"The body of an estimate has at most {LONGEST_BODY // 1024} KB.")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Problem(400, "The body is no JSON.") from error
    given = document if isinstance(document, dict) else {}
    questions = {
        name: text for name in QUESTIONS if (text := str(given.pop(name, "") or "").strip()) not in ("", "False")
    }
    today = datetime.now(tz=UTC).date()
    reading = read_object(given if isinstance(document, dict) else document, today)
    return Response(_answer(await _done(request, reading, questions)), media_type=JSON)


def _kept_for_its_day(request: Request, body: bytes, media_type: str) -> Response:
    """An answer about a day that is named stays the same; one about today does not."""
    if not request.query_params.get("date"):
        return Response(body, media_type=media_type)
    return kept(request, request.app.state.reading.now, body, media_type, {})


def _answer(done: Answered) -> bytes:
    if _is_refused(done):
        errors = [one for one in done.faults if one.severity.stops] or done.faults
        said = " ".join(f"{one.place}: {one.message}" for one in errors) or "Nothing was asked."
        raise Problem(422, said, faults=[fault_object(one) for one in done.faults])
    return to_json(document_of(done))


_QUERY = [
    ("rating", "string", "Your rating before the event: 1512, 1512/40, 1641P17, U for unrated, or a member's ID."),
    (
        "game",
        "string",
        "The games, with commas or blanks between them: W1640,D1720,L1600; T1800 is one to come. "
        "An ID in the place of a rating is that member.",
    ),
    ("entries", "string", "Opponents to come, a line each: IDs or names, with their scores (3.5/5) where known."),
    (SECTION, "string", "A section of the record, EVENT/NUMBER, with a member as the rating: both passes over it."),
    ("date", "string", "The day the event starts; it picks the rules. Today unless given."),
    ("control", "string", "The time control, like G/60;d5."),
    ("system", "string", "The system of the rating: OTBR unless the control says otherwise."),
    ("next", "string", "An opponent: what would a win, a draw, a loss bring?"),
    ("target", "string", "A rating: which score reaches it?"),
    ("range", "string", "1: the new rating for every possible score."),
    ("norms", "string", "1: the norms that are possible."),
]
_PROBLEMS = {
    401: "The token is not known here, or no longer.",
    413: f"Too long: an address of more than {LONGEST_LINK} characters, a body of more than {LONGEST_BODY // 1024} KB, "
    f"or, for whoever shows no token, more than {MOST_GAMES_OF_ANYBODY} games.",
    422: "The question has faults; all of them are listed.",
    429: "Too many calls from one address; Retry-After says when.",
    503: "Too many estimates of many games wait already, or the record is being read; ask again.",
}
_PROBLEMS_BY_BODY = {
    400: "The body is no JSON.",
    408: "The body came too slowly.",
}


def _answers(problems: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    shape = RESPONSES[422]["content"]
    found: dict[int | str, dict[str, Any]] = {
        status: {"description": said, "content": shape} for status, said in problems.items()
    }
    found[200] = {
        "description": "The document crosstable-estimate/1",
        "content": {JSON: {"schema": reply_shape("estimate")}},
    }
    return found


_PARAMETERS = [
    {"name": name, "in": "query", "required": False, "schema": {"type": kind}, "description": words}
    for name, kind, words in _QUERY
]
_BODY = {
    "required": True,
    "content": {
        JSON: {
            "schema": {
                "type": "object",
                "additionalProperties": True,
                "properties": {
                    "rating": {"type": ["string", "number"]},
                    "game": {"type": ["array", "string"], "items": {"type": "string"}},
                },
                "example": {"rating": "1512/40", "game": ["W1640", "D1720", "L1600"], "control": "G/60;d5"},
            }
        }
    },
}
ROUTES = (
    Route("/estimate", estimate_page, Policy.PUBLIC),
    Route("/estimate.json", estimate_by_address, Policy.PUBLIC),
    Route(
        "/api/v1/estimate",
        estimate_by_address,
        Policy.PUBLIC,
        in_schema=True,
        options={
            "summary": "Estimate a rating, by address",
            "tags": ["estimate"],
            "operation_id": "estimate_by_address",
            "responses": _answers(_PROBLEMS),
            "openapi_extra": {"parameters": _PARAMETERS},
        },
    ),
    Route(
        "/api/v1/estimate",
        estimate_by_body,
        Policy.LIMITED,
        methods=("POST",),
        in_schema=True,
        options={
            "summary": "Estimate a rating, by body",
            "tags": ["estimate"],
            "operation_id": "estimate_by_body",
            "responses": _answers({**_PROBLEMS, **_PROBLEMS_BY_BODY}),
            "openapi_extra": {"requestBody": _BODY},
        },
    ),
)

"""The estimate page: one player's question in the address, so that every answer has a link, and what-if beside it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fastapi import Request, Response
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool

from crosstable.app.estimating import (
    ANSWER_TEMPLATE,
    QUESTIONS,
    TEMPLATE,
    Answered,
    Asked,
    Fields,
    answer_context,
    answered,
    asked_of,
    beside,
    document_of,
    form_context,
    games_text,
    is_asked,
    is_refused,
)
from crosstable.calculator.reading import LONGEST_LINK, RequestReading, read_object
from crosstable.calculator.requests import MOST_GAMES
from crosstable.faults import fault
from crosstable.pipeline.results import fault_object
from crosstable.web.api.described import reply_shape
from crosstable.web.forms import in_queue
from crosstable.web.gate import actor_of, charge, client_address
from crosstable.web.limits import MANY_GAMES_COST, WHAT_IFS, WHAT_IFS_OF_ANYBODY
from crosstable.web.pages.estimate_people import SECTION, Named, has_people, named
from crosstable.web.pages.members import coming
from crosstable.web.problems import RESPONSES, Problem
from crosstable.web.reading import Snapshot
from crosstable.web.replies import HTML, JSON, VARY, kept, render
from crosstable.web.routes import Policy, Route
from crosstable.web.templating import Templates

# So many games are answered while others wait; more go through a queue.
MANY_GAMES = 15
# So many games anybody may ask about; whoever is known, as many as the calculator takes.
MOST_GAMES_OF_ANYBODY = 50
LONGEST_BODY = 64 * 1024
_OF_THE_MOMENT = {"Cache-Control": "no-store", "Vary": VARY}


async def _people(request: Request) -> Named:
    """What an address asks, with ratings in the place of people; a section of the record may have to be read."""
    _require_short(request)
    fields = request.query_params.multi_items()
    if not has_people(fields):
        return Named(fields, None, (), games_text(fields), ())
    if request.query_params.get(SECTION):
        return await run_in_threadpool(_named, request, fields)
    return _named(request, fields)


def _named(request: Request, fields: Fields) -> Named:
    read: Snapshot = request.app.state.reading.now
    with read.asking():
        return named(read, fields)


def _with_problems(question: Asked, people: Named) -> Asked:
    if not people.problems:
        return question
    faults = tuple(fault("bad-value", "player", said) for said in people.problems)
    return question._replace(reading=question.reading._replace(faults=faults + question.reading.faults))


async def estimate_page(request: Request) -> Response:
    """The page: a form that works by its address, and the answer below it."""
    context = await _context(request)
    body = render(request, TEMPLATE, **context)
    if _is_refusal(context):
        return Response(body, 422, media_type=HTML)
    return _kept_for_its_day(request, request.app.state.reading.served, body, HTML)


async def estimate_answer(request: Request) -> Response:
    """What the page says below its form, alone: its script asks for it with every change, so it is kept for nobody."""
    context = await _context(request)
    templates: Templates = request.app.state.templates
    body = templates.part(request, ANSWER_TEMPLATE, context)
    return Response(body, 422 if _is_refusal(context) else 200, media_type=HTML, headers=_OF_THE_MOMENT)


async def _context(request: Request) -> dict[str, Any]:
    """What the page shows of a question."""
    people = await _people(request)
    context = form_context(people.fields, request.query_params.multi_items(), people)
    if is_asked(context, has_games="game" in request.query_params) or people.problems:
        question = _with_problems(asked_of(people.fields), people)
        done = await _done(request, question.reading, beside(question))
        query = _query(request)
        context |= {**answer_context(question, done, people.names), "query": query, "twin": f"/estimate.json?{query}"}
        read: Snapshot | None = request.app.state.reading.served
        if done.found is not None and read is not None:
            context["coming"] = coming(read)
    return context


def _is_refusal(context: Mapping[str, Any]) -> bool:
    return context["done"] is not None and is_refused(context["done"])


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


def _query(request: Request) -> str:
    """What an address asks, as it was written; ``request.url`` would take the whole address apart first."""
    query: bytes = request.scope["query_string"]
    return query.decode("latin-1")


def _require_short(request: Request) -> None:
    if len(request.scope["query_string"]) > LONGEST_LINK:
        raise Problem(413, f"The address has more than {LONGEST_LINK} characters.")


async def estimate_by_address(request: Request) -> Response:
    """An estimate from the query: ``rating``, ``game`` and the other names of a link, and what-if beside it."""
    people = await _people(request)
    question = _with_problems(asked_of(people.fields), people)
    body = _answer(await _done(request, question.reading, question.questions))
    return _kept_for_its_day(request, request.app.state.reading.served, body, JSON)


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


def _kept_for_its_day(request: Request, read: Snapshot | None, body: bytes, media_type: str) -> Response:
    """An answer about a day that is named stays the same; one about today does not."""
    if not request.query_params.get("date"):
        return Response(body, media_type=media_type)
    return kept(request, read or request.app.state.reading.now, body, media_type, {})


def _answer(done: Answered) -> bytes:
    if is_refused(done):
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
    Route("/estimate/answer", estimate_answer, Policy.PUBLIC),
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

"""The API, described on a page of our own: made from the same OpenAPI document that programs read."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from crosstable.office.ledger.facts import State
from crosstable.web.api.described import SAMPLES, localized
from crosstable.web.gate import reading_of
from crosstable.web.problems import REMEDIES, TITLES
from crosstable.web.reading import Snapshot
from crosstable.web.replies import HTML, render
from crosstable.web.routes import Policy, Route

METHODS = ("get", "post", "put", "patch", "delete")


class Parameter(NamedTuple):
    """A parameter of an operation."""

    name: str
    where: str
    is_required: bool
    kind: str
    words: str


class Operation(NamedTuple):
    """An operation as the page shows it."""

    method: str
    path: str
    summary: str
    words: str
    parameters: tuple[Parameter, ...]
    has_body: bool
    statuses: tuple[str, ...]
    example: str


async def api_docs(request: Request) -> Response:
    """Every operation of the API, by subject."""
    document, base, there = request.app.openapi(), str(request.base_url), await run_in_threadpool(_there, request)
    groups: dict[str, list[Operation]] = {}
    for tag, operation in operations(document):
        groups.setdefault(tag, []).append(operation._replace(example=localized(operation.example, base, there)))
    return Response(
        render(request, "api.html", groups=groups, problems={one: (TITLES[one], REMEDIES[one]) for one in TITLES}),
        media_type=HTML,
        headers={"Cache-Control": "no-cache"},
    )


def _there(request: Request) -> dict[str, str]:
    """What this office has, for examples that answer; nothing while its record is read for the first time."""
    reading = reading_of(request)
    if reading.tag is None:
        return {}
    read = reading.now
    found = [("member_id", one.member_id) for one in read.members[:1]]
    found += [("other_id", one.member_id) for one in read.members[1:2]]
    found += [("month", one.month) for one in read.lists[-1:]]
    found += [(f"{one.kind}_{'code' if one.kind == 'state' else 'id'}", one.key) for one in read.places]
    found += [
        ("event_id", one) for one in islice((one.event_id for one in read.events if _is_rated(read, one.event_id)), 1)
    ]
    return {name: value for name, value in [*found, ("run", str(read.run))] if name in SAMPLES}


def _is_rated(read: Snapshot, event_id: str) -> bool:
    first = [one for one in read.public.record.headings_of(event_id) if one.number == 1]
    return any(one.state is State.ACCEPTED and one.act <= read.run for one in first)


def operations(document: Mapping[str, Any]) -> Iterator[tuple[str, Operation]]:
    """The operations of an OpenAPI document, with their subjects."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                found = item[method]
                yield (found.get("tags") or ["other"])[0], _operation(method, path, found)


def _operation(method: str, path: str, found: Mapping[str, Any]) -> Operation:
    return Operation(
        method.upper(),
        path,
        found.get("summary", ""),
        found.get("description", ""),
        tuple(_parameter(one) for one in found.get("parameters", ())),
        "requestBody" in found,
        tuple(found.get("responses", ())),
        found["x-codeSamples"][0]["source"],
    )


def _parameter(one: Mapping[str, Any]) -> Parameter:
    schema = one.get("schema", {})
    choices = schema.get("enum")
    kind = " | ".join(str(choice) for choice in choices if choice != "") if choices else schema.get("type", "")
    return Parameter(one["name"], one["in"], bool(one.get("required")), str(kind), one.get("description", ""))


ROUTES = (Route("/api", api_docs, Policy.PUBLIC),)

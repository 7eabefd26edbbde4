"""The API, described on a page of our own: made from the same OpenAPI document that programs read."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fastapi import Request, Response

from crosstable.web.problems import TITLES
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
    document = request.app.openapi()
    groups: dict[str, list[Operation]] = {}
    for tag, operation in operations(document):
        groups.setdefault(tag, []).append(operation)
    return Response(
        render(request, "api.html", groups=groups, problems=TITLES),
        media_type=HTML,
        headers={"Cache-Control": "no-cache"},
    )


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

"""The description of the API: what FastAPI finds out by itself, the shape of problems, and how a token is shown."""

import re
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from crosstable import schemas
from crosstable.web.problems import ProblemBody

_TOKEN = {"type": "http", "scheme": "bearer", "description": "A token of a director: crosstable_…"}
_PLACE = "#/components/schemas/"
# The documents that the API shares with the command line.
_DOCUMENTS = ("rated", "checked", "explained", "estimate")


def reply_shape(name: str) -> dict[str, Any]:
    """The description of a reply that is the document of that name."""
    if name not in _DOCUMENTS:
        raise ValueError(f"the description of the API does not hold {name}")
    return {"$ref": f"{_PLACE}{name}"}


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of a site, made once."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=_ABOUT, routes=app.routes)
        components = made.setdefault("components", {})
        components.setdefault("securitySchemes", {})["token"] = dict(_TOKEN)
        problem = ProblemBody.model_json_schema(ref_template=f"{_PLACE}{{model}}")
        shapes = components.setdefault("schemas", {})
        shapes.setdefault("ProblemBody", problem)
        shapes |= schemas.components(_DOCUMENTS, _PLACE)
        _state_limits(made)
        _give_examples(made)
        app.openapi_schema = made
    return app.openapi_schema


# What a path or a needed parameter may be, for examples.
EXAMPLE_SITE = "http://127.0.0.1:8000"
SAMPLES = {
    "member_id": "12345678",
    "event_id": "202608300103",
    "month": "2026-12",
    "day": "2026-06-14",
    "to": "csv",
    "form": "csv",
    "other_id": "12345679",
    "other": "12345679",
    "club_id": "A1234567",
    "state_code": "NY",
    "run": "1024",
    "q": "smith",
}


def localized(example: str, base: str, there: Mapping[str, str]) -> str:
    """An example with the address of a site and with things that it has, by the names of parameters."""
    made = example.replace(f"{EXAMPLE_SITE}/", base)
    for name, value in there.items():
        made = made.replace(SAMPLES[name], value)
    return made


_QUERIES = {"estimate_by_address": ["rating=1512/40", "game=W1640,D1720,L1600"]}
_BODIES = {
    "estimate_by_body": """-H 'Content-Type: application/json' -d '{"rating": "1512/40", \
  "game": "W1640 D1720 L1600"}'""",
    "ask_correction": """-H 'Content-Type: application/json' -d '{"event": "202608300103", "reason": "slip", "result": \
  {"section": 1, "player": 3, "round": 2, "result": "D7"}}'""",
    "workbench": """-H 'Content-Type: application/json' -d '{"event": {"format": "crosstable-event/1", "event": {}, \
  "sections": []}}'""",
}


def _give_examples(made: dict[str, Any]) -> None:
    """A call of each operation that can be typed as it stands, but for the names of one's own things."""
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            asked = [
                f"{one['name']}={SAMPLES.get(one['name'], '1')}"
                for one in operation.get("parameters", ())
                if one["in"] == "query" and one.get("required")
            ]
            asked += _QUERIES.get(operation.get("operationId", ""), [])
            filled = re.sub(r"\{(\w+)\}", lambda found: SAMPLES.get(found[1], "1"), path)
            parts = ["curl"]
            if "security" in operation:
                parts.append("-H 'Authorization: Bearer crosstable_…'")
            if method == "post":
                parts.append(_BODIES.get(operation.get("operationId", ""), "--data-binary @event.json"))
            address = f"{EXAMPLE_SITE}{filled}{'?' if asked else ''}{'&'.join(asked)}"
            parts.append(f"'{address}'" if asked else address)
            operation["x-codeSamples"] = [{"lang": "Shell", "source": " ".join(parts)}]


_LIMITS = {
    "RateLimit-Limit": "How many calls that cost something one address has in a minute.",
    "RateLimit-Remaining": "How many of them are left.",
    "RateLimit-Reset": "In how many seconds there are as many again as at first.",
    "RateLimit-Cost": "What this call cost: nothing for reading, one or more for work, by the length of its body.",
}


def _state_limits(made: dict[str, Any]) -> None:
    """Every reply states the limits, so every description of one says so."""
    said = {
        name: {"description": words, "schema": {"type": "integer", "minimum": 0}} for name, words in _LIMITS.items()
    }
    made["components"]["headers"] = said
    named = {name: {"$ref": f"#/components/headers/{name}"} for name in said}
    for operations in made["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                response["headers"] = {**response.get("headers", {}), **named}


_ABOUT = (
    "Ratings of an office: anybody reads, estimates, rates and checks; directors submit events and ask for corrections "
    "with a token of their affiliate. What goes wrong is told as a problem document (RFC 9457)."
)

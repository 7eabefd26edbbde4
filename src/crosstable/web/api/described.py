"""The description of the API: what FastAPI finds out by itself, the shape of problems, and how a token is shown."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from crosstable.web.problems import ProblemBody

_TOKEN = {"type": "http", "scheme": "bearer", "description": "A token of a director: crosstable_…"}
_REFERENCES = "#/components/schemas/{model}"


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of a site, made once."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=_ABOUT, routes=app.routes)
        components = made.setdefault("components", {})
        components.setdefault("securitySchemes", {})["token"] = dict(_TOKEN)
        problem = ProblemBody.model_json_schema(ref_template=_REFERENCES)
        components.setdefault("schemas", {}).setdefault("ProblemBody", problem)
        app.openapi_schema = made
    return app.openapi_schema


_ABOUT = (
    "Ratings of an office: anybody reads, estimates, rates and checks; directors submit events and ask for corrections "
    "with a token of their affiliate. What goes wrong is told as a problem document (RFC 9457)."
)

"""schemathesis on every operation of the API, as nobody and as every role: no server error, no undocumented reply.

Half of the questions are about what is there: ids of this office, and an event that can be rated, so that what lies
behind "there is none" is asked too. The number of cases is that of every change; ``make soak`` asks more. Files are
read in this process: a child for each would take most of the time, and has tests of its own.
"""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from crosstable.office.credentials import Scope
from crosstable.web.child_reading import read_together
from tests.amounts import amount
from tests.engine.wallcharts import Played
from tests.office.made_office import document, member_id, quad
from tests.web.people import OWN, Site, belonging, site

QUESTIONS = amount(40, 5000)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ROLES = {"nobody": None, "tina": Scope.SUBMIT, "clara": Scope.SUBMIT, "anna": Scope.SUBMIT, "rosa": Scope.READ}
# What the office has, by the names of parameters.
THERE: dict[str, Any] = {
    "member_id": member_id(1),
    "other_id": member_id(2),
    "event_id": "own-late",
    "player": 1,
    "month": "2026-11",
    "day": "2026-01-01",
    "seq": 1,
    "run": 1,
    "club_id": OWN,
    "state_code": "NY",
    "event": "own-late",
    "round": 1,
    "result": "L2",
}
SENT = document(belonging(quad("sent", Played(start=date(2026, 10, 3))), OWN)).content


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patch, site(tmp_path_factory.mktemp("fuzzed")) as made:
        for user in ("uploads", "api.rating"):
            patch.setattr(f"crosstable.web.{user}.read_in_child", read_together)
        yield made


@pytest.fixture(scope="module")
def schema(here: Site) -> Any:
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", here.client.app)


@pytest.fixture(scope="module")
def operations(schema: Any) -> list[st.SearchStrategy[Any]]:
    """The cases of each operation."""
    found = [operation.ok().as_strategy() for operation in schema.get_all_operations()]
    assert len(found) > 15
    return found


def about_what_is_there(case: Any) -> None:
    """Put what the office has in the place of what was made up."""
    known = {name: THERE[name] for name in case.path_parameters or {} if name in THERE}
    case.path_parameters = {**(case.path_parameters or {}), **known}
    if isinstance(case.body, bytes):
        case.body = SENT
    elif isinstance(case.body, dict) and "event" in case.body:
        event = json.loads(SENT) if case.path.endswith("/workbench") else THERE["event"]
        case.body = {**case.body, **{name: THERE[name] for name in case.body if name in THERE}, "event": event}


@pytest.mark.parametrize("role", ROLES)
def test_no_question_brings_a_server_error_or_an_undocumented_reply(
    role: str, here: Site, operations: list[st.SearchStrategy[Any]]
) -> None:
    scope = ROLES[role]
    headers = {} if scope is None else here.token(role, scope, OWN)

    def ask(case: Any, is_there: bool) -> None:
        if is_there:
            about_what_is_there(case)
        reply = case.call(session=here.client, headers=headers)
        case.validate_response(reply, checks=CHECKS)

    each = settings(
        max_examples=QUESTIONS // len(operations) + 1, deadline=None, suppress_health_check=list(HealthCheck)
    )
    for cases in operations:
        each(given(cases, st.booleans())(ask))()

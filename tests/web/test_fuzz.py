"""schemathesis on every operation of the API, as nobody and as every role: no server error, no undocumented reply.

The number of cases is that of every change; ``make soak`` asks more.
"""

from collections.abc import Iterator
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
from tests.amounts import amount
from tests.web.people import OWN, Site, site

QUESTIONS = amount(40, 5000)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ROLES = {"nobody": None, "tina": Scope.SUBMIT, "clara": Scope.SUBMIT, "anna": Scope.SUBMIT, "rosa": Scope.READ}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("fuzzed")) as made:
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


@pytest.mark.parametrize("role", ROLES)
def test_no_question_brings_a_server_error_or_an_undocumented_reply(
    role: str, here: Site, operations: list[st.SearchStrategy[Any]]
) -> None:
    scope = ROLES[role]
    headers = {} if scope is None else here.token(role, scope, OWN)

    def ask(case: Any) -> None:
        reply = case.call(session=here.client, headers=headers)
        case.validate_response(reply, checks=CHECKS)

    each = settings(
        max_examples=QUESTIONS // len(operations) + 1, deadline=None, suppress_health_check=list(HealthCheck)
    )
    for cases in operations:
        each(given(cases)(ask))()

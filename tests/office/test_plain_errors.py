"""What a database says, as sentences that say what to do."""

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from crosstable.errors import OfficeBusyError, OfficeError
from crosstable.office.plain_errors import plain_errors
from crosstable.web.forms import refusal

# The messages of PostgreSQL's code 57P03, cannot_connect_now (src/backend/tcop/backend_startup.c).
NOT_YET = ("starting up", "in recovery mode", "shutting down", "not yet accepting connections")


@pytest.mark.parametrize("state", NOT_YET)
def test_a_server_that_recovers_is_busy_and_its_address_stays_unsaid(state: str) -> None:
    said = f"connection to server at 10.1.2.3, port 5432 failed: FATAL:  the database system is {state}"
    with pytest.raises(OfficeBusyError) as found, plain_errors():
        raise OperationalError("SELECT 1", None, psycopg.OperationalError(said))
    assert str(found.value) == (
        f"the office is busy: the database system is {state}; nothing was stored. Try again in a moment."
    )
    problem = refusal(found.value)
    assert (problem.status, problem.headers["Retry-After"]) == (503, "10")


def test_what_nobody_foresaw_stays_what_it_is() -> None:
    with pytest.raises(OperationalError), plain_errors():
        raise OperationalError("SELECT 1", None, psycopg.OperationalError("something else"))


def test_a_server_that_goes_while_a_connection_is_made_is_named() -> None:
    # What SQLAlchemy gives when the server is killed before its first connection is ready: no statement, not "lost".
    gone = psycopg.OperationalError("consuming input failed: server closed the connection unexpectedly")
    with (
        pytest.raises(OfficeError, match=r"server closed.*nothing was stored\. The connection was lost"),
        plain_errors(),
    ):
        raise OperationalError(None, None, gone)

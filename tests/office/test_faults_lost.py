"""A connection to a server that is lost while somebody writes: what they are told is true, the next deed goes on."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.engine import Engine

from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.ledger.rerate import rerate
from tests.office.faults import address_of, raw
from tests.office.made_office import AUTHOR, club_members, derived, enter, join, posted, quad, run
from tests.waiting import FOR_EVER

pytestmark = pytest.mark.parametrize("store", ["postgresql"])

MILLISECONDS = round(1000 * FOR_EVER)


@pytest.fixture
def season(new_office: Callable[[], Office]) -> Office:
    """A club with an event that waits to be rated."""
    office = new_office()
    join(office, *club_members())
    enter(office, quad("summer"))
    return office


def end_session(office: Office, connection: Connection) -> None:
    """Let the server end the session behind a connection."""
    pid = connection.execute(text("SELECT pg_backend_pid()")).scalar()
    end_sessions(office, f"pid = {pid}")


def end_sessions(office: Office, where: str) -> None:
    with raw(address_of(office)) as other:
        ended = f"SELECT pg_terminate_backend(pid, {MILLISECONDS}) FROM pg_stat_activity"
        other.do(f"{ended} WHERE {where} AND pid <> pg_backend_pid()")


def test_a_connection_lost_in_a_statement_stores_nothing_and_says_so(season: Office) -> None:
    run(season)
    with pytest.raises(OfficeError, match=r"nothing was stored\. The connection was lost"):
        lose_connection(season)
    with raw(address_of(season)) as connection:
        assert connection.rows("SELECT count(*) FROM failed_login") == [(0,)]
    assert run(season) is None
    assert posted(season) == derived(season)


def lose_connection(office: Office) -> None:
    """Write something, and lose the connection before the next statement."""
    with office.writing(AUTHOR.actor, "losing") as connection:
        connection.execute(text("INSERT INTO failed_login VALUES ('1', 'now', 'somebody', 'here')"))
        end_session(office, connection)
        connection.execute(text("SELECT 1"))


def test_a_connection_lost_while_committing_leaves_open_whether_it_was_stored(season: Office) -> None:
    with (
        pytest.raises(OfficeError, match=r"it may be in the record or not\. crosstable office log shows it"),
        season.writing(AUTHOR.actor, "losing") as connection,
    ):
        end_session(season, connection)
    assert run(season) is not None
    assert posted(season) == derived(season)


def test_a_session_that_was_ended_between_two_deeds_is_replaced(season: Office) -> None:
    assert posted(season) == {}, "a session that reads is open as well"
    end_sessions(season, "datname = current_database()")
    assert run(season) is not None
    assert posted(season) == derived(season)


def test_ctrl_c_while_the_lock_is_given_back_does_not_keep_it(season: Office) -> None:
    """A session that is kept for the next deed must not keep the lock with it."""
    statements: list[str] = []

    def interrupt(connection: object, cursor: object, statement: str, *more: object) -> None:
        statements.append(statement)
        if "unlock" in statement:
            raise KeyboardInterrupt

    other = Office(address_of(season), season.clock)
    event.listen(Engine, "before_cursor_execute", interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(season)
    finally:
        event.remove(Engine, "before_cursor_execute", interrupt)
    assert "unlock" in statements[-1]
    assert rerate(other, AUTHOR, patience=FOR_EVER) is None, "what was rated was committed before"
    other.close()

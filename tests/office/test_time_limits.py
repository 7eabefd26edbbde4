"""A limit of time for statements: the slow one ends, what comes after it is answered, whoever is next knows nothing."""

import pytest

from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import head_in
from crosstable.office.time_limits import TooSlowError, time_limit
from crosstable.web import reading as reading_module
from crosstable.web.pages.events import events
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from tests.office.made_office import club_members, enter, join, quad, run
from tests.waiting import FOR_EVER

SHORT = 0.02
# Each takes longer than a run of the tests may when nobody ends it.
SLOW = {
    "sqlite": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1e12) SELECT count(*) FROM c",
    "postgresql": "SELECT pg_sleep(100000)",
}
SOME = {
    "sqlite": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5e5) SELECT count(*) FROM c",
    "postgresql": "SELECT pg_sleep(0.5)",
}
LESS = {"sqlite": SHORT, "postgresql": 0.2}


def test_a_slow_statement_ends_and_the_transaction_goes_on(office: Office) -> None:
    with office.reading() as connection:
        kind = connection.dialect.name
        limit = time_limit(connection, SHORT)
        before = head_in(connection)[0]
        for _ in range(2):
            with pytest.raises(TooSlowError, match=r"longer than 0\.02 seconds"), limit.on():
                connection.exec_driver_sql(SLOW[kind]).all()
            limit.seconds = FOR_EVER
            with limit.on():
                assert head_in(connection)[0] == before
            limit.seconds = SHORT
        connection.exec_driver_sql(SOME[kind]).all()  # not limited outside
        limit.seconds = LESS[kind]
        with limit.on(), limit.off():
            connection.exec_driver_sql(SOME[kind]).all()
            limit.seconds = FOR_EVER  # what follows is not slow, but the machine may be
        limit.drop()
    with office.reading() as connection:  # the same connection again, for somebody else
        connection.exec_driver_sql(SOME[kind]).all()


def test_a_snapshot_of_the_site_outlives_a_page_that_took_too_long(office: Office) -> None:
    join(office, *club_members())
    enter(office, quad("q"))
    run(office)
    reading = Reading(office)
    read = reading.renew()
    kind = read.connection.dialect.name
    read.limit.seconds = SHORT
    with pytest.raises(Problem, match="Ask for less") as found, read.asking():
        read.connection.exec_driver_sql(SLOW[kind]).all()
    assert found.value.status == 503
    read.limit.seconds = FOR_EVER
    with read.asking():
        assert [one.state for one in events(read).events] == ["rated"]
        assert len(read.runs) == 1  # not limited, though it is asked for where all else is
        assert events(read, page=1).paging.total == 1
    reading.close()


def test_a_snapshot_that_an_error_has_ended_is_replaced(office: Office) -> None:
    """A server ends the transaction with the first error; a file goes on."""
    join(office, *club_members())
    reading = Reading(office)
    read = reading.renew()
    with pytest.raises(Exception, match="nothing_here"):
        read.connection.exec_driver_sql("SELECT * FROM nothing_here")
    assert (reading.renew() is read) == (read.connection.dialect.name == "sqlite")
    with reading.now.asking():
        assert head_in(reading.now.connection)[0] == read.head.seq
    if read.connection.dialect.name == "sqlite":
        reading.now.connection.close()
    else:
        number = reading.now.connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        with office.reading() as other:
            other.exec_driver_sql(f"SELECT pg_terminate_backend({number})")
    with reading.renew().asking():
        assert head_in(reading.now.connection)[0] == read.head.seq
    reading.close()


def test_other_errors_stay_what_they_are(office: Office) -> None:
    with office.reading() as connection:
        limit = time_limit(connection, FOR_EVER)
        with pytest.raises(Exception, match="nothing_here") as found, limit.on():
            connection.exec_driver_sql("SELECT * FROM nothing_here")
        assert not isinstance(found.value, OfficeError)
        with limit.on():
            assert head_in(connection)[0] == 1
        limit.drop()


def test_no_transaction_of_the_site_grows_old(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server cannot clear up behind one (A9); the record that is served stays the same."""
    monkeypatch.setattr(reading_module, "TRANSACTION_SECONDS", 0.0)
    join(office, *club_members())
    reading = Reading(office)
    read = reading.renew()
    is_server = read.connection.dialect.name == "postgresql"
    begun = "SELECT now()" if is_server else "SELECT 1"
    before = read.connection.exec_driver_sql(begun).scalar()
    assert reading.renew() is read
    assert (read.connection.exec_driver_sql(begun).scalar() != before) is is_server
    with read.asking():
        assert head_in(read.connection)[0] == read.head.seq
    monkeypatch.setattr(Reading, "_has_grown", lambda self, old: False)  # it grows a moment later
    enter(office, quad("q"))
    if is_server:
        assert reading.renew() is not read
        with pytest.raises(Problem, match="has grown"), read.asking():
            pass
    else:
        assert reading.renew() is read
    reading.close()

"""What a run writes does not depend on where a server keeps its rows: room that was freed is filled again."""

from datetime import date

import psycopg

from crosstable.office.database import Office
from tests.office.conftest import EVERY_TABLE, Cluster, nothing
from tests.office.made_office import HandClock, join, run, send
from tests.office.random_federation import federation
from tests.office.two_ways import LONG, PLAIN, rated, written


def scatter(address: str, seed: int) -> None:
    """Put the rows of every table down again, in an order that the seed decides."""
    with psycopg.connect(address) as connection:
        connection.execute("SELECT setseed(%s)", [seed / 100])
        connection.execute("SET LOCAL session_replication_role = replica")  # the guards look away
        for name in EVERY_TABLE:
            for statement in (
                f'CREATE TEMP TABLE held ON COMMIT DROP AS SELECT * FROM "{name}" ORDER BY random()',
                f'DELETE FROM "{name}"',
                f'INSERT INTO "{name}" SELECT * FROM held',
                "DROP TABLE held",
            ):
                connection.execute(statement.encode())


def test_runs_write_the_same_wherever_rows_lie(cluster: Cluster) -> None:
    fed = federation(0, events=8, first_day=date(2003, 1, 1))
    found = []
    for is_scattered, long in ((False, PLAIN), (True, PLAIN), (True, LONG)):
        address = cluster.take(nothing)
        office = Office(address, HandClock())
        join(office, fed.people, fed.openings)
        for at, one in enumerate(fed.reports):
            if is_scattered:
                scatter(address, at)
            if at == 0:
                run(office)
            send(office, one)
        if is_scattered:
            scatter(address, 99)
        assert rated(office, long) is not None
        found.append(written(office))
        office.close()
        cluster.give_back(address)
    assert found[1] == found[0]
    assert found[2] == found[0]

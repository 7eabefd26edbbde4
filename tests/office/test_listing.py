"""Lists from postings that come in any order and in any portions, against one that is made posting by posting."""

import math
import random
from collections.abc import Sequence
from datetime import date
from typing import Any

import polars as pl
import pytest
from sqlalchemy import Connection, select

from crosstable.office import tables
from crosstable.office.bulk import listing
from crosstable.office.bulk.frames import frame_of, schema_of
from crosstable.office.bulk.listing import ROW, PostedRatings, ends_in
from crosstable.office.bulk.steps import KEY
from crosstable.office.database import Office
from crosstable.office.published import Month
from tests.office.conftest import NewOffice
from tests.office.random_federation import federation
from tests.office.test_rerate_bulk import attempted, some_act
from tests.office.two_ways import PLAIN, rated

MONTH = Month(2026, 12)
# A rating is on a list from so many games on (official facts §3), and provisional up to so many (§1).
FEWEST, PROVISIONAL = 4, 25


@pytest.fixture
def settled(new_office: NewOffice) -> Office:
    """An office whose postings were superseded by several runs, and whose members changed their names."""
    fed, chance, office = federation(3, events=20), random.Random(3), new_office()
    fed.settle(office)
    for turn in range(3):
        rated(office, PLAIN)
        for at in range(4):
            attempted(some_act(chance, fed, date(2021, 1, 2), f"late{turn}{at}"))(office)
    rated(office, PLAIN)
    return office


def one_by_one(connection: Connection, run: int, until: date | None) -> list[tuple[Any, ...]]:
    """The list after a run, as the definition says it."""
    posting, member = tables.posting.c, tables.member.c
    rows = [row for row in connection.execute(select(tables.posting)).mappings() if row["run"] <= run]
    gone = {row["supersedes"] for row in rows}
    last: dict[tuple[str, int], Any] = {}
    for row in sorted(rows, key=lambda row: [row[name] for name in KEY]):
        is_there = row["posting_id"] not in gone and row["rating_after"] is not None
        if is_there and (until is None or row["ended"] <= until):
            last[row["member_id"], row["system"]] = row
    people = connection.execute(select(member.member_id, member.name, member.state).where(member.act <= run))
    names = {who: told for who, *told in people.all()}
    found = []
    for (who, system), row in sorted(last.items()):
        games = row[posting.games_after.name]
        if games is None or games >= FEWEST:
            rating = math.floor(row["rating_after"] + 0.5)
            found.append((who, system, *names[who], rating, games, games is not None and games <= PROVISIONAL))
    return found


def read(connection: Connection, table: Any, names: Sequence[str]) -> pl.DataFrame:
    return frame_of(connection, select(*(table.c[name] for name in names)), schema_of(table, names))


@pytest.mark.parametrize("is_in_order", [True, False])
def test_a_list_does_not_depend_on_the_order_of_postings(
    settled: Office, is_in_order: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Portions come and go: an id has one number as long as a list is made from it."""
    monkeypatch.setattr(listing, "_TOGETHER", 7)
    with settled.reading() as connection:
        runs = list(connection.execute(select(tables.run.c.act)).scalars())
        posted = PostedRatings(ends_in(connection, None))
        postings = read(connection, tables.posting, listing._LISTED)
        assert postings.height > 300
        postings = postings if is_in_order else postings.sample(fraction=1.0, shuffle=True, seed=5)
        for at in range(0, postings.height, 11):
            posted.take_postings(postings[at : at + 11])
        posted.take_people(read(connection, tables.member, listing._NAMED))
        for run in [0, *runs]:
            for until in (None, date(2023, 6, 30)):
                made = posted.at(run, MONTH, until)
                assert made.columns == list(ROW)
                assert made.rows() == one_by_one(connection, run, until), (run, until)
        assert made.height > 0

"""Kill -9 at any moment of publishing, backing up, importing an archive and upgrading; backups while others write.

All of a deed is stored or nothing of it, what was there before is as it was, and the next one who tries succeeds.
"""

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import select

from crosstable.history.archive import write
from crosstable.office import tables
from crosstable.office.audit import Kept, audit
from crosstable.office.backups import backup, restore
from crosstable.office.database import SCHEMA, Office, open_office, schema_of
from crosstable.office.ledger.commitments import COMMITTED, entry_column, head_in
from crosstable.office.ledger.rerate import rerate
from crosstable.office.submissions import submit
from crosstable.office.supplements import supplements
from crosstable.office.upgrading import upgrade_office
from tests.amounts import amount
from tests.history.small_archives import small_archive
from tests.office.children import Children
from tests.office.conftest import CopyOf, NewOffice
from tests.office.faults import address_of, raw, state_of
from tests.office.kept_offices import place
from tests.office.made_office import AUTHOR, HandClock, club_members, join
from tests.office.small_season import TODAY, file_number
from tests.office.wholeness import flaws_of

KILLS = amount(1, 250)
LOADED = ("crosstable.office.bulk.archive_in", "crosstable.office.bulk.listing", "alembic.runtime.environment")
EVENTS = 6
# So many events grow an office to a size that is looked through again and again; then another one is taken.
MANY = 60


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children() as made:
        made.load(*LOADED)
        yield made


def with_events(office: Office) -> None:
    """A club whose season is rated."""
    join(office, *club_members())
    for number in range(EVENTS):
        submit(office, AUTHOR, file_number(number), TODAY)
    rerate(office, AUTHOR)


def killed(children: Children, begin: Callable[[], tuple[Any, ...]], look: Callable[[], None]) -> None:
    """Start a chore again and again and kill it at random moments of its life; look at what each left behind."""
    chance, kills = Random(24), 0
    began = time.monotonic()
    assert children.wait(children.start(*begin())) == 0
    longest = time.monotonic() - began
    look()
    while kills < KILLS:
        child = children.start(*begin())
        kills += children.stop(child, chance.uniform(0.0, longest)) == -signal.SIGKILL
        look()


def test_a_supplement_is_published_or_it_is_not(copy_of: CopyOf, children: Children) -> None:
    office = copy_of(with_events)
    address = address_of(office)
    months: list[int] = []

    def begin() -> tuple[Any, ...]:
        office.close()
        months.append(len(months))
        return "publish_one", address, 2010 + months[-1] // 12, 1 + months[-1] % 12

    def look() -> None:
        assert flaws_of(address) == []
        with office.reading() as connection:
            for one in supplements(connection):
                rows = select(tables.supplement_row.c.member_id).where(tables.supplement_row.c.month == one.month)
                assert len(connection.execute(rows).all()) == one.rows > 0
            found = {one.month for one in supplements(connection)}
            stray = connection.execute(select(tables.supplement_row.c.month).distinct()).scalars()
            assert set(stray) == found

    killed(children, begin, look)
    assert children.wait(children.start(*begin())) == 0
    assert audit(office).findings == ()


def test_a_backup_is_complete_or_it_is_not_there(copy_of: CopyOf, children: Children, tmp_path: Path) -> None:
    office, path = copy_of(with_events), tmp_path / "office.zip"
    office.close()
    before = state_at(address_of(office))
    numbers = iter(range(KILLS * 100))

    def look() -> None:
        left = [one for one in tmp_path.iterdir() if one.name.endswith(".partial")]
        assert all(one.stat().st_mode & 0o777 == 0o600 for one in left)
        if path.exists():
            again = tmp_path / f"again-{next(numbers)}.db"
            restore(str(path), str(again))
            path.unlink()
            again.unlink()

    killed(children, lambda: ("back_up", address_of(office), str(path)), look)
    backup(office, str(path))
    assert [one.name for one in tmp_path.iterdir() if ".zip" in one.name] == ["office.zip"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert state_at(address_of(office)) == before


def test_an_archive_is_imported_or_the_office_is_as_it_was(
    new_office: NewOffice, children: Children, tmp_path: Path
) -> None:
    folder = str(tmp_path / "archive")
    write(small_archive(), folder)
    offices: list[Office] = []

    def is_empty() -> bool:
        with raw(address_of(offices[-1])) as connection:
            return connection.rows("SELECT count(*) FROM act") == [(1,)]

    def begin() -> tuple[Any, ...]:
        if not offices or not is_empty():
            offices.append(new_office())
            offices[-1].close()
        return "take_archive", address_of(offices[-1]), folder

    def look() -> None:
        assert flaws_of(address_of(offices[-1])) == []
        with offices[-1].reading() as connection:
            members = len(connection.execute(select(tables.member.c.member_id)).all())
            entries = len(connection.execute(select(tables.entry.c.row)).all())
        offices[-1].close()
        assert (members == 0) == (entries == 0) == is_empty()

    killed(children, begin, look)
    assert children.wait(children.start(*begin())) == 0
    rerate(offices[-1], AUTHOR)
    assert audit(offices[-1]).findings == ()


def test_an_office_is_upgraded_or_it_is_as_the_older_program_left_it(
    store: str, children: Children, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    places: list[str] = []
    before: dict[str, str] = {}

    def begin() -> tuple[Any, ...]:
        if not places or schema_at(places[-1]) == SCHEMA:
            is_file = store == "sqlite"
            new = str(tmp_path / f"{len(places)}.db") if is_file else request.getfixturevalue("cluster").empty()
            place(new, ("0003", "0007")[len(places) % 2])  # whose entries commit to nothing yet, and to all
            places.append(new)
            before.clear()
            before.update(state_at(new))
        return "bring_up_to_date", places[-1]

    def look() -> None:
        if schema_at(places[-1]) != SCHEMA:
            assert state_at(places[-1]) == before

    killed(children, begin, look)
    assert children.wait(children.start(*begin())) == 0
    with closing(open_office(places[-1], HandClock())) as office:
        assert audit(office).findings == ()


def test_a_verify_that_is_killed_goes_on_where_it_was(copy_of: CopyOf, children: Children, tmp_path: Path) -> None:
    """What it has noted is whole after every kill, never less than before, and the last one finishes the rest."""
    office, notes = copy_of(with_events), tmp_path / "notes"
    office.close()
    address, known = address_of(office), 0

    def look() -> None:
        nonlocal known
        done = len(json.loads(notes.read_text(encoding="utf-8"))["done"]) if notes.exists() else 0
        assert done >= known or not notes.exists()
        known = done

    killed(children, lambda: ("verify_from", address, str(notes)), look)
    assert children.wait(children.start("verify_from", address, str(notes))) == 0
    assert [one.name for one in tmp_path.iterdir() if "notes" in one.name] == []


def test_an_upgrade_that_was_killed_while_it_made_the_file_of_accounts_goes_on(tmp_path: Path) -> None:
    """An empty file of accounts beside an office of before: it kept every later upgrade waiting for itself."""
    path = str(tmp_path / "office.db")
    place(path, "0003")
    Path(f"{path}.accounts").touch()
    assert upgrade_office(path, AUTHOR, HandClock()) == ("0003", SCHEMA)
    with closing(open_office(path, HandClock())) as office:
        assert audit(office).findings == ()


def schema_at(address: str) -> str | None:
    with closing(Office(address)) as office:
        return schema_of(office)


def state_at(address: str) -> dict[str, str]:
    with raw(address) as connection:
        return state_of(connection)


def test_backups_while_others_write_are_what_the_office_was_at_one_entry(
    copy_of: CopyOf, children: Children, tmp_path: Path
) -> None:
    """Each is restored and compared, row by row, with what the office had written up to the head of the backup.

    Backups count during which something was written: after the backup began to read, and before it was complete.
    """
    path, again, number = str(tmp_path / "office.zip"), tmp_path / "again.db", 0
    while number < amount(2, 50):
        office = copy_of(with_events)
        office.close()
        writer = children.start("submit_and_rate", address_of(office), EVENTS, MANY)
        while number < amount(2, 50) and not children.is_over(writer):
            made = backup(office, path)
            number += newest_of(office) > made.acts
            again.unlink(missing_ok=True)
            restore(path, str(again))
            with closing(open_office(str(again), HandClock())) as restored:
                assert rows_through(restored, made.acts) == rows_through(office, made.acts)
                assert audit(restored, kept=Kept(made.head)).findings == ()
        assert children.stop(writer, 0.0) in (0, -signal.SIGKILL)
        assert audit(office).findings == ()


def newest_of(office: Office) -> int:
    with office.reading() as connection:
        return head_in(connection)[0]


def rows_through(office: Office, entry: int) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that entries up to one wrote."""
    with office.reading() as connection:
        found = {}
        for table in (*COMMITTED, tables.act, tables.commitment):
            column = "seq" if table in (tables.act, tables.commitment) else entry_column(table)
            query = select(table).order_by(*table.primary_key.columns)
            rows = connection.execute(query if column is None else query.where(table.c[column] <= entry))
            found[table.name] = [tuple(row) for row in rows]
        return found

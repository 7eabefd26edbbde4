"""A full disk, page by page. A clear message, nothing stored, and all is well when there is room again.

``PRAGMA max_page_count`` on the writer's connection makes a disk of any size without rights or mounts. A limit on the
size of files makes writes fail that a page count does not reach: those of the write-ahead log, while committing.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from crosstable.errors import OfficeError
from crosstable.office import tables
from crosstable.office.founding import found_office
from crosstable.office.ledger.rerate import rerate
from crosstable.office.submissions import Status, submit
from tests.amounts import IS_SOAK, amount
from tests.office.children import REFUSED, Children
from tests.office.faults import put_copy, raw, state_of
from tests.office.made_office import AUTHOR, FOUNDED, SECRET, club, derived, posted, run
from tests.office.small_season import TODAY, file_number, new_season, progress_of, states_from_zero
from tests.office.wholeness import flaws_of

STEPS = amount(30, 200)
ENOUGH_PAGES = 200
# The smallest pages there are: a deed takes many of them, and is refused at each.
PAGE = 512
# A submission writes about ten blocks into the log.
BLOCK = 2048
BLOCKS = 30
ENOUGH_EVENTS = 40


@contextmanager
def disk_of(pages: int) -> Iterator[None]:
    """Every connection that is opened finds a disk of so many pages; a file that is larger already stays as it is."""

    def connected(connection: sqlite3.Connection, record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(Engine, "connect", connected)
    try:
        yield
    finally:
        event.remove(Engine, "connect", connected)


class GrowingSeason:
    """A season whose next deed is tried until there is room for it."""

    def __init__(self, path: Path) -> None:
        self.address = str(path)
        self.office = club(self.address)
        self.deeds = 0
        with raw(self.address) as connection:
            for pragma in ("journal_mode=DELETE", f"page_size={PAGE}"):
                connection.do(f"PRAGMA {pragma}")
            connection.do("VACUUM")
            self.first = int(connection.rows("PRAGMA page_count")[0][0])

    def next_deed(self) -> None:
        """Submit an event, and rate it the next time."""
        if self.deeds % 2:
            assert rerate(self.office, AUTHOR) is not None
        else:
            assert submit(self.office, AUTHOR, file_number(self.deeds // 2), TODAY).status is Status.ACCEPTED
        self.deeds += 1

    def refusal(self, pages: int) -> str:
        """Go on until a disk of so many pages is full; returns what is said then."""
        before = self.state()
        with disk_of(pages):
            try:
                while True:
                    self.next_deed()
                    before = self.state()
            except OfficeError as error:
                said = str(error)
        assert self.state() == before, "a deed that was refused left something behind"
        with raw(self.address) as connection:
            assert connection.rows("PRAGMA integrity_check") == [("ok",)]
        return said

    def state(self) -> dict[str, str]:
        """Everything that is stored."""
        with raw(self.address) as connection:
            return state_of(connection)


def test_a_full_disk_is_named_and_nothing_is_stored_at_any_page(tmp_path: Path) -> None:
    season = GrowingSeason(tmp_path / "office.db")
    due = states_from_zero(tmp_path / "oracle.db", ENOUGH_EVENTS)
    places: Counter[int] = Counter()
    for step in range(STEPS + 1):
        said = season.refusal(season.first + step)
        assert "disk is full" in said
        assert "nothing was stored" in said
        assert "Make room on the disk and try again." in said
        places[season.deeds] += 1
    assert max(places.values()) > 1, "no deed was refused at more than one page"
    for _ in range(4):
        season.next_deed()
    run(season.office)
    assert posted(season.office) == derived(season.office)
    assert flaws_of(season.address) == []
    for events, state in progress_of(season.address).states:
        assert state == due[events]
    season.office.close()


def test_a_founding_on_a_full_disk_leaves_no_office(tmp_path: Path) -> None:
    address = str(tmp_path / "office.db")
    refused = 0
    every = 1 if IS_SOAK else 4
    for pages in range(1, ENOUGH_PAGES, every):
        try:
            with disk_of(pages):
                found_office(address, "Office", AUTHOR, lambda: FOUNDED, secret=SECRET).close()
        except OfficeError as error:
            refused += "disk is full" in str(error)
            with raw(address) as connection:
                assert connection.tables() == []
        else:
            break
    assert refused == (pages - 1) // every
    assert refused > len(tables.metadata.tables) // 4, "each table takes a page at least"
    assert flaws_of(address) == []


def test_a_write_that_fails_while_committing_stores_nothing(tmp_path: Path) -> None:
    original, path = new_season(tmp_path / "original.db"), tmp_path / "office.db"
    put_copy(original, path)
    with raw(str(path)) as connection:
        before = state_of(connection)
    endings = []
    with Children() as children:
        children.warm(str(path))
        for blocks in range(BLOCKS):
            put_copy(original, path)
            child = children.start("submit_in_small_files", str(path), 1, blocks * BLOCK)
            endings.append(children.wait(child))
            assert flaws_of(str(path)) == []
            with raw(str(path)) as connection:
                assert (state_of(connection) == before) == (endings[-1] == REFUSED)
    assert endings == sorted(endings, reverse=True), "what fails in a small space is done in a larger one"
    assert set(endings) == {0, REFUSED}


def test_a_lock_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    office = club(str(tmp_path / "office.db"))
    lock = tmp_path / "office.db.lock"
    lock.unlink()
    lock.mkdir()
    with pytest.raises(OfficeError, match=r"office\.db\.lock: Is a directory; nothing was stored\. Check the path"):
        rerate(office, AUTHOR)
    office.close()

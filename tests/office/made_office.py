r"""Members, reports and whole offices, made for tests.

A section is written as a wallchart, the way a director reads it::

    report("open", section("1 | W2 D3\n2 | L1 W3\n3 | D1 L2", Played(start=date(2026, 7, 4))))

Row 1 is member 10000001 unless it names another one (``1 =17 | W2`` is member 10000017 on row 1). After the cells a
row may say more, separated by a second bar: ``rate`` (to be rated abroad), ``opt`` (opted in), ``fide=2150``.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select, text

from crosstable.errors import Severity
from crosstable.formats.event_json import read_cell
from crosstable.formats.event_json_write import write
from crosstable.office import account_tables
from crosstable.office.bulk import deriving
from crosstable.office.corrections import confirm
from crosstable.office.database import Clock, Office
from crosstable.office.founding import found_office
from crosstable.office.ledger import commitments, journal
from crosstable.office.ledger.facts import Heading, Person, Record, heading_from
from crosstable.office.ledger.journal import Author, head
from crosstable.office.ledger.postings import Posting, PostingKey, all_current
from crosstable.office.ledger.rerate import Run, rerate
from crosstable.office.members import NewStartingRating, import_members
from crosstable.office.submissions import (
    NO_OPTIONS,
    Document,
    Status,
    Submission,
    SubmitOptions,
    document_of_bytes,
    submit,
)
from crosstable.terms import (
    Background,
    OutsideRating,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedPlayer,
    ReportedSection,
    SectionType,
)
from tests.engine.wallcharts import Played

# The same salts for every office of the tests, so that two of them can be compared.
commitments.draw = lambda number: "5a" * number
# Their days are fixed and the machine's clock goes on, so nobody has to confirm it, but in the test of that.
REQUIRE_LIKELY = journal.require_likely
setattr(journal, "require_likely", lambda *_: None)  # noqa: B010
AUTHOR = Author("registrar", "made for a test")
# The founding stands long before anything else, so that a test may set its clock to any day after it.
FOUNDED = datetime(2000, 1, 1, tzinfo=UTC)
# The same for every office of the tests, so that two of them can be compared.
SECRET = "no secret"
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
FIRST_ID = 10_000_000
OPENED = date(2023, 12, 31)
OTBR = RatingSystem.OTBR
QUAD = """
    1 | W2 D3 W4
    2 | L1 L4 L3
    3 | L4 D1 W2
    4 | W3 W2 L1
"""


class HandClock:
    """A clock that is set by hand; it stands still until then."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    @property
    def today(self) -> date:
        """The day that the clock shows."""
        return self.now.date()

    def go(self, **much: float) -> None:
        """Move the clock: ``go(days=3)``."""
        self.now += timedelta(**much)


def member_id(number: int) -> str:
    """The id of the member that a wallchart calls ``=number``."""
    return f"{FIRST_ID + number}"


def person(number: int, **facts: Any) -> Person:
    """A member; names differ enough not to be taken for one another."""
    return Person(member_id(number), f"Member, {_NAMES[number % len(_NAMES)]} {number}", **facts)


_NAMES = ("Ada", "Boris", "Clara", "Dmitri", "Edith", "Farid", "Greta", "Hugo", "Irene", "Jonas")


def standing(rating: float, games: float | None = 40.0, as_of: date = OPENED, **more: Any) -> PlayerRating:
    """A standing with a mixed past and no floor of its own, so that nothing about it has to be assumed."""
    third = None if games is None else int(games) // 3
    counts: dict[str, Any] = {"wins": third, "draws": 0, "losses": third, "events": 0}
    peaks = {"peak": rating, "peak_since_2010": rating} if games is None or games > 25 else {}
    return PlayerRating(**{"rating": rating, "games": games, "as_of": as_of} | counts | peaks | more)


def opening(number: int, rating: float, games: float | None = 40.0, **more: Any) -> NewStartingRating:
    """An opening standing in Regular, or in the ``system`` given."""
    system = more.pop("system", OTBR)
    return NewStartingRating(member_id(number), system, standing(rating, games, **more), "an older list")


def section(wallchart: str, played: Played = Played(), number: int = 1, **more: Any) -> ReportedSection:  # noqa: B008
    """A section of a report from its wallchart; ``more`` are other fields of a reported section."""
    rows = [line.strip() for line in wallchart.splitlines() if line.strip()]
    fields = {
        "number": number,
        "name": f"Section {number}",
        "kind": played.kind,
        "is_online": played.is_online,
        "time_controls": (played.control,) if played.control else (),
        "systems": (),
        "start": played.start,
        "end": played.end or played.start,
        "players": tuple(_player(row) for row in rows),
        "place": "",
        "is_half_k": played.is_half_k,
    }
    return ReportedSection(**{**fields, **more})


def _player(row: str) -> ReportedPlayer:
    who, cells, *marks = (part.strip() for part in row.split("|"))
    words = " ".join(marks).split()
    number, _, other = (part.strip() for part in who.partition("="))
    fide = next((float(word.removeprefix("fide=")) for word in words if word.startswith("fide=")), None)
    me = person(int(other or number))
    return ReportedPlayer(
        number=int(number),
        member_id=me.member_id,
        name=me.name,
        cells=tuple(read_cell("" if cell == "-" else cell) for cell in cells.split()),
        background=Background(fide=None if fide is None else OutsideRating(fide)),
        place="",
        is_rated=True if "rate" in words else None,
        has_opted_in=True if "opt" in words else None,
    )


def report(event_id: str, *sections: ReportedSection, name: str = "") -> Report:
    """A report of sections that have dates."""
    starts = [one.start for one in sections if one.start is not None]
    ends = [one.end for one in sections if one.end is not None]
    return Report(event_id, name or f"Event {event_id}", min(starts), max(ends), sections, "")


def quad(event_id: str, played: Played = Played(), wallchart: str = QUAD) -> Report:  # noqa: B008
    """A round robin of four."""
    return report(event_id, section(wallchart, played._replace(kind=SectionType.ROUND_ROBIN)))


def document(made: Report) -> Document:
    """The report as the event file that a director would send."""
    return document_of_bytes(write(made), f"{made.event_id or made.name}.json")


def send(office: Office, made: Report, wishes: SubmitOptions = NO_OPTIONS) -> Submission:
    """Submit a report on the day that the office's clock shows, whatever becomes of it."""
    return submit(office, AUTHOR, document(made), office.clock().date(), wishes)


def bring(office: Office, made: Report) -> Submission:
    """Submit a report and agree to what only the office may say; sections with errors stay held."""
    done = send(office, made)
    waiting = [one.number for one in done.held if all(found.severity is not Severity.ERROR for found in one.faults)]
    if waiting:
        assert confirm(office, AUTHOR, done.event_id, office.clock().date(), waiting).is_stored, done.held
    return done._replace(held=tuple(one for one in done.held if one.number not in waiting))


def enter(office: Office, *reports: Report) -> None:
    """Submit reports that must be accepted whole, with what only the office may say."""
    for made in reports:
        done = bring(office, made)
        assert done.status is Status.ACCEPTED, done
        assert not done.held, done.held


def join(office: Office, people: Sequence[Person], openings: Sequence[NewStartingRating] = ()) -> None:
    """Import members with the standings they bring."""
    import_members(office, AUTHOR, people, openings)


def run(office: Office) -> Run | None:
    """A rating run."""
    return rerate(office, AUTHOR)


def club(address: str, members: int = 8, clock: Clock | None = None) -> Office:
    """A new office whose first members bring established Regular ratings, 100 points apart from 1300 on.

    Every fourth member brings nothing: an unrated adult.
    """
    office = founded(address, clock or HandClock())
    join(office, *club_members(members))
    return office


def club_members(members: int = 8) -> tuple[list[Person], list[NewStartingRating]]:
    """The members of a club, 1 to ``members``, and the standings they bring."""
    people = [person(number, birth_date=date(1980, 1, number % 28 + 1), state="NY") for number in range(1, members + 1)]
    openings = [opening(number, 1200.0 + 100.0 * number) for number in range(1, members + 1) if number % 4]
    return people, openings


# Offices are founded once and copied: a migration takes longer than most tests.


def founded(address: str, clock: Clock | None = None) -> Office:
    """An office at an address where there is none: a SQLite path is filled from a copy, a server is migrated."""
    clock = clock or HandClock()
    if "://" in address:
        found_office(address, "Office", AUTHOR, lambda: FOUNDED, secret=SECRET).close()
    else:
        _put(_first_office(), Path(address))
    return Office(address, clock)


@cache
def _first_office() -> tuple[bytes, bytes]:
    def found(path: Path) -> None:
        found_office(str(path), "Office", AUTHOR, lambda: FOUNDED, secret=SECRET).close()

    return _content(found)


def filled(fill: Callable[[Office], None]) -> bytes:
    """The SQLite file of the record of a founded office that a function filled."""
    return _filled(fill)[0]


def put_filled(fill: Callable[[Office], None], path: Path) -> None:
    """Both files of a founded office that a function filled; once made, they are only copied."""
    _put(_filled(fill), path)


def _put(files: tuple[bytes, bytes], path: Path) -> None:
    for name, content in zip((path.name, f"{path.name}.accounts"), files, strict=True):
        path.with_name(name).write_bytes(content)


@cache
def _filled(fill: Callable[[Office], None]) -> tuple[bytes, bytes]:

    def make(path: Path) -> None:
        office = founded(str(path))
        fill(office)
        office.close()

    return _content(make)


def _content(make: Callable[[Path], None]) -> tuple[bytes, bytes]:
    folder = Path(tempfile.mkdtemp(prefix="crosstable-office-"))
    try:
        path = folder / "office.db"
        make(path)
        both = path, folder / "office.db.accounts"
        for one in both:
            connection = sqlite3.connect(one)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # everything into the one file
            connection.close()
        return both[0].read_bytes(), both[1].read_bytes()
    finally:
        shutil.rmtree(folder)


# What is asked of an office in nearly every test.


def record_of(connection: Connection) -> Record:
    """Everything that an office knows now."""
    last = head(connection)
    assert last is not None
    return Record(connection, last.seq)


def posted(office: Office) -> dict[PostingKey, Posting]:
    """The current postings as they are stored."""
    with office.reading() as connection:
        return {about: stored.posting for about, stored in all_current(connection).items()}


def derived(office: Office) -> dict[PostingKey, Posting]:
    """The postings that follow from the facts, from zero: what must be stored."""
    with office.reading() as connection:
        return dict(deriving.derived(record_of(connection)).postings)


def rating_of(office: Office, number: int, system: RatingSystem = OTBR) -> float:
    """A member's rating after everything."""
    return last_posting(posted(office).values(), member_id(number), system).rating_after or 0.0


def last_posting(postings: Iterable[Posting], member: str, system: RatingSystem = OTBR) -> Posting:
    """A member's last posting in a system."""
    found = [one for one in postings if one.member_id == member and one.system is system]
    return max(found, key=lambda posting: posting.key)


@contextmanager
def unguarded(connection: Connection, *names: str) -> Iterator[None]:
    """Tables without the triggers that guard them, as somebody with a database tool would have them."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        yield
        return
    for name in names:
        for verb in ("update", "delete"):
            connection.execute(text(f"DROP TRIGGER {name}_keeps_{verb}"))
    yield


def headings_of(record: Record) -> list[Heading]:
    """Every section that has dates, in the order of the replay, whatever its state."""
    found = [heading_from(row) for row in record.connection.execute(record.standing_sections()).mappings()]
    return sorted((one for one in found if one.started and one.ended), key=lambda one: one.key)


def failures(office: Office) -> int:
    """How many failed tries to log in are kept."""
    with office.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(account_tables.failed_login)).scalar_one())

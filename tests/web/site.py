"""A small office made for the pages: lists, dual-rated quads, a newcomer with a birth date, hostile names, a ripple."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office
from crosstable.office.ledger.facts import Person
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.web.app import create_app
from crosstable.web.settings import Settings
from tests.engine.wallcharts import Played
from tests.office.made_office import (
    AUTHOR,
    HandClock,
    club_members,
    enter,
    join,
    member_id,
    put_filled,
    quad,
    report,
    run,
    section,
)
from tests.web.client import HOST, TestClient

DUAL = Played(start=date(2026, 7, 4), control="G/45;d5")
LONG = Played(start=date(2026, 8, 1))
LATER = Played(start=date(2026, 9, 5))
HOSTILE_EVENT = 'Open <script>alert("event")</script>'
HOSTILE_SECTION = "A & B <img src=x onerror=alert(1)>"
HOSTILE_MEMBER = '<script>alert("member")</script>, Eve'
# Right-to-left override: what follows would be shown backwards.
BIDI_MEMBER = "Overt, \N{RIGHT-TO-LEFT OVERRIDE}gnp.exe"
JUNIOR_BORN = date(2014, 2, 3)
STRANGERS = (
    Person("20000001", HOSTILE_MEMBER, "NY"),
    Person("20000002", BIDI_MEMBER, "NJ"),
    Person("20000003", "Öztürk-Łukasiewicz, Zoë", "CA"),
    Person("20000004", "O'Neill, Seán", "MA"),
    Person("20000005", "Müller, Jürgen", "TX"),
)
JUNIOR = Person(member_id(12), "Member, Clara 12", "NY", birth_date=JUNIOR_BORN)
# Member 12 is the newcomer; they lose all games, so their rating hangs on their start.
WITH_JUNIOR = """
    1 =12 | L2 L3 L4
    2 =1  | W1 W4 D3
    3 =2  | D4 W1 D2
    4 =3  | D3 L2 W1
"""
LONG_SWISS = """
    1 =5 | W2 D3 W4
    2 =6 | L1 W4 L3
    3 =7 | L4 D1 W2
    4 =8 | W3 L2 L1
"""


def fill(office: Office) -> None:
    """What the office of the pages went through."""
    people, openings = club_members(8)
    join(office, [*people, *STRANGERS, JUNIOR], openings)
    enter(office, quad("202607040001", DUAL))
    run(office)
    publish(office, AUTHOR, Month(2026, 11), Basis.NOW)
    enter(office, report("202608010001", section(LONG_SWISS, LONG, name=HOSTILE_SECTION), name=HOSTILE_EVENT))
    enter(office, report("202609050001", section(WITH_JUNIOR, LATER), name="Autumn Open"))
    run(office)
    publish(office, AUTHOR, Month(2026, 12), Basis.NOW)
    correct_result(
        office,
        AUTHOR._replace(reason="The score sheet says draw."),
        "202607040001",
        ChangedResult(1, 1, 1, "D2"),
        TODAY,
    )
    run(office)


TODAY = date(2026, 11, 15)


def made_file(folder: Path) -> Path:
    """The office's file in a folder of its own."""
    path = folder / "office.db"
    put_filled(fill, path)
    return path


@contextmanager
def client(path: Path, **more: object) -> Iterator[TestClient]:
    """A client of the site on an office."""
    settings = Settings(str(path), hosts=(HOST,))._replace(**more)  # type: ignore[arg-type]
    app = create_app(settings)
    with TestClient(app, follow_redirects=False) as made:
        app.state.reading.renew()  # a busy machine may not have read the record when the site starts
        yield made


__all__ = ["HandClock", "client", "made_file"]

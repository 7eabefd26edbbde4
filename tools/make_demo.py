"""Make the seed of the demonstration anew: ten years of an invented federation, kept with its ratings.

``python -m tools.make_demo`` writes ``src/crosstable/office/demonstration.xz``, which ``crosstable serve --demo``
unpacks. It takes some minutes and needs the lab; serving the demonstration needs neither. Names are ordinary American
given and family names combined at random, and no id lies in the range of official ones.
"""

import lzma
import random
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import polars as pl

from crosstable.errors import OfficeError
from crosstable.formats.event_json_write import write
from crosstable.history.archive import Archive
from crosstable.history.archive_contents import ArchivedSection, openings_of
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office.accounts import add_account
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office
from crosstable.office.demonstration import ACCOUNTS, NAME, PASSWORD, SEED
from crosstable.office.founding import found_office
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import rerate
from crosstable.office.published import Month, cut_off
from crosstable.office.submissions import Status, SubmitOptions, document_of_bytes, submit
from crosstable.office.supplements import publish
from crosstable.terms import Background, PlayerRating, RatingSystem, Report, Result, SectionType
from tools.archive_reports import reports_of

OFFICE = "ratings office"
NEW_MEMBERS = SubmitOptions(adds_members=True, takes_openings=True)
FEDERATION = Federation(
    members=3600,
    sections=1000,
    start=date(2016, 9, 1),
    years=10,
    seed=7,
    regions=8,
    founders=0.35,
    opened=0.9,
    career_years=8.0,
    activity_spread=1.1,
    median_size=12.0,
    size_spread=0.6,
    round_robins=0.22,
    matches=0.02,
    abroad=0.0,
    online=0.1,
    national=0.08,
)
# Lists are published for the last year; before that a run a month is enough.
LISTS_FROM = Month(2025, 9)
GIVEN = """
Aaron Abigail Adam Alan Alex Alice Amanda Amir Amy Ana Andre Andrew Angela Anita Anthony Arjun Ashley Benjamin
Beth Brandon Brian Caleb Carlos Carmen Carol Charles Chloe Chris Claire Daniel David Deborah Diana Diego Dylan
Edward Elena Eli Elizabeth Emily Emma Eric Ethan Eva Evan Fatima Felix Frank Gabriel George Grace Greg Hannah
Harold Henry Ian Irene Isaac Isabel Jack Jacob James Jamal Janet Jason Jasmine Jennifer Jesse Joan Joel John
Jordan Jose Joseph Joshua Julia Justin Karen Katherine Keith Kelly Kevin Kim Kyle Laura Lauren Leah Leo Leslie
Liam Linda Lisa Logan Lucas Lucy Luis Madison Marcus Margaret Maria Mark Martin Mary Matthew Maya Megan Mei
Michael Miguel Mina Nathan Neil Nicholas Nicole Nina Noah Nora Oliver Olivia Omar Oscar Owen Pamela Patricia
Patrick Paul Peter Philip Priya Rachel Ralph Raymond Rebecca Ricardo Richard Robert Rohan Rosa Russell Ruth
Ryan Samantha Samuel Sandra Sara Scott Sean Sofia Stanley Stephen Steven Susan Sylvia Teresa Theo Thomas Tina
Tyler Victor Victoria Vincent Walter Wendy William Xavier Yolanda Zachary Zoe
"""
FAMILY = """
Adams Alexander Allen Alvarez Anderson Bailey Baker Barnes Bell Bennett Brooks Brown Bryant Butler Campbell
Carter Castillo Chang Chen Clark Coleman Collins Cook Cooper Cox Cruz Davis Diaz Edwards Evans Fisher Flores
Ford Foster Garcia Gibson Gomez Gonzalez Graham Grant Gray Green Griffin Gupta Hall Hamilton Harris Harrison
Hayes Henderson Hernandez Hill Howard Hughes Hunter Jackson James Jenkins Johnson Jones Jordan Kaplan Kelly
Kennedy Kim King Kumar Lee Lewis Lin Long Lopez Marshall Martin Martinez Mason McDonald Mendoza Miller
Mitchell Moore Morales Morgan Morris Murphy Murray Myers Nelson Nguyen Olson Ortiz Owens Park Parker Patel
Patterson Perez Perry Peterson Phillips Powell Price Ramirez Ramos Reed Reyes Reynolds Rice Richardson Rivera
Roberts Robinson Rodriguez Rogers Rosen Ross Russell Sanchez Sanders Schmidt Scott Shah Shapiro Silva Simmons
Singh Smith Snyder Stevens Stewart Stone Sullivan Taylor Thomas Thompson Torres Tran Tucker Turner Wagner
Walker Wallace Wang Ward Warren Washington Watson Weaver Webb Weiss West White Williams Wilson Wong Wood
Wright Wu Young Zhang
"""
# By region: a state, and its towns; each town has a club.
PLACES = (
    ("NY", "Albany Buffalo Rochester Syracuse Yonkers"),
    ("CA", "Fresno Oakland Sacramento Pasadena Stockton"),
    ("TX", "Austin Dallas Lubbock Plano Waco"),
    ("IL", "Peoria Rockford Evanston Naperville Joliet"),
    ("OH", "Akron Cleveland Columbus Dayton Toledo"),
    ("FL", "Tampa Orlando Miami Ocala Naples"),
    ("MA", "Lowell Newton Salem Worcester Quincy"),
    ("WA", "Spokane Tacoma Everett Olympia Yakima"),
)
CLUBS = ("Chess Club", "Knights", "Chess Center", "Scholastic Chess", "Castle Chess Society")
_MENDED = {Result.WIN: "D", Result.DRAW: "W", Result.LOSS: "D"}


class _Clock:
    """The time of the demonstration, which passes as its years do."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def main() -> None:
    """Make the seed."""
    rng = random.Random(FEDERATION.seed)
    reports = _reports(_renamed(simulate(FEDERATION), rng), rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "office.db")
        _lived(str(path), reports)
        with closing(sqlite3.connect(path, isolation_level=None)) as made:
            made.execute("PRAGMA journal_mode = DELETE")
            made.execute("VACUUM")
        packed = lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
        SEED.write_bytes(packed)
        sys.stdout.write(f"{len(reports)} events, {path.stat().st_size:,} bytes, packed {len(packed):,}\n")


def _renamed(archive: Archive, rng: random.Random) -> Archive:
    """The archive with American names, states, and ids that nobody has."""
    members = archive.members
    pairs = [f"{family}, {given}" for family in FAMILY.split() for given in GIVEN.split()]
    names = rng.sample(pairs, members.height)
    regions = {region: place[0] for region, place in zip(sorted(set(members["state"])), PLACES, strict=True)}
    changed = members.with_columns(
        pl.Series("name", names),
        pl.col("state").replace_strict(regions),
        pl.Series("member_id", [f"{90_000_001 + at}" for at in range(members.height)]),
    )
    return archive._replace(members=changed)


def _reports(archive: Archive, rng: random.Random) -> list[Report]:
    people = archive.members.to_dicts()
    ratings: dict[int, dict[RatingSystem, PlayerRating]] = {}
    for member, opening in openings_of(archive):
        ratings.setdefault(member, {})[opening.system] = opening.standing

    def brings(archived: ArchivedSection, at: int) -> Background:
        person = people[archived.members[at]]
        own = ratings.get(archived.members[at], {})
        return Background(standings=own, birth_date=person["birth_date"], adult=person["adult"])

    directors = {state: [row["member_id"] for row in people if row["state"] == state][:6] for state, _ in PLACES}
    return [_held_by(report, rng, directors) for report in reports_of(archive, brings)]


def _held_by(report: Report, rng: random.Random, directors: dict[str, list[str]]) -> Report:
    """The report with a club, a town, a director, and a name that fits what was played."""
    states = Counter(player.state for section in report.sections for player in section.players)
    at = next(at for at, (state, _) in enumerate(PLACES) if state == states.most_common(1)[0][0])
    state, towns = PLACES[at]
    town = rng.randrange(len(CLUBS))
    city = towns.split()[town]
    details = {"affiliate": f"A90{at:02}{town:03}", "affiliate_name": f"{city} {CLUBS[town]}"}
    details |= {"city": city, "state": state, "chief_td": directors[state][town]}
    name = f"{_word(report, rng)}".replace("TOWN", city)
    sections = tuple(
        section._replace(name=_section_name(section.name, at)) for at, section in enumerate(report.sections)
    )
    return report._replace(name=name, details=details, sections=sections)


def _section_name(name: str, at: int) -> str:
    return name if at == 0 else f"Section {at + 1}" if name == "Open" else name


def _word(report: Report, rng: random.Random) -> str:
    """What such an event is called."""
    assert report.end is not None
    sections = report.sections
    sizes = [len(section.players) for section in sections]
    season = ("Winter", "Spring", "Summer", "Fall")[report.end.month % 12 // 3]
    if any(section.is_online for section in sections):
        return rng.choice(("TOWN Online Rapid", "TOWN Online Arena", f"{season} Online Open"))
    if all(section.kind is SectionType.MATCH for section in sections):
        return "TOWN Club Match"
    if all(
        section.kind is SectionType.ROUND_ROBIN and size == 4 for section, size in zip(sections, sizes, strict=True)
    ):
        return f"TOWN {season} Quads"
    if any("G/5" in control or "G/3" in control for section in sections for control in section.time_controls):
        return rng.choice(("TOWN Blitz Night", "TOWN Friday Blitz"))
    known = [player.background.birth_date for section in sections for player in section.players]
    young = sum(born is not None and report.end.year - born.year < 15 for born in known)
    if young > 0.6 * len(known):
        return rng.choice(("TOWN Scholastic", f"TOWN {season} Scholastic Swiss"))
    if sum(sizes) > 40:
        return rng.choice((f"TOWN {season} Open", "TOWN Classic", "TOWN Championship"))
    return rng.choice(("TOWN Tuesday Night Swiss", f"TOWN {season} Swiss", "TOWN Tornado", "TOWN Club Championship"))


def _lived(address: str, reports: list[Report]) -> None:
    """Found an office, and let it work through the years: reports, runs, lists, late corrections, accounts."""
    first = min(report.start for report in reports if report.start)
    clock = _Clock(_evening(first - timedelta(days=30)))
    with closing(found_office(address, NAME, Author("host", "a demonstration"), clock)) as office:
        month = Month(first.year, first.month)
        for at, report in enumerate(reports):
            assert report.end is not None
            came_in = _evening(report.end + timedelta(days=2))
            month = _until(office, clock, month, came_in)
            clock.now = max(clock.now, came_in)
            _take(office, report)
            if month >= LISTS_FROM:
                rerate(office, Author(OFFICE, f"rated with {report.name}"))
            if sys.stderr.isatty() or at % 50 == 0:
                sys.stderr.write(f"{at} of {len(reports)}\n")
        clock.now += timedelta(days=3)
        for event_id, change in _mistakes(reports):
            author = Author("director of the event", "The score sheets show another result than the report.")
            correct_result(office, author, event_id, change, clock.now.date())
            rerate(office, Author(OFFICE, "rated again after a correction"))
            clock.now += timedelta(days=1)
        for wanted in ACCOUNTS:
            add_account(office, OFFICE, wanted, PASSWORD)


def _evening(day: date) -> datetime:
    return datetime.combine(day, time(18, 0), tzinfo=UTC)


def _until(office: Office, clock: _Clock, month: Month, until: datetime) -> Month:
    """A run for every month whose cut-off has passed by then, and in the last year its list; returns the next month."""
    while cut_off(month) < until:
        clock.now = max(clock.now, cut_off(month) + timedelta(hours=8))
        if month < LISTS_FROM:
            rerate(office, Author(OFFICE, f"the ratings of {month}"))
        else:
            publish(office, Author(OFFICE, f"the list of {month}"), month)
        month = Month(month.year + month.month // 12, month.month % 12 + 1)
    return month


def _take(office: Office, report: Report) -> None:
    document = document_of_bytes(write(report), f"{report.event_id}.json")
    done = submit(office, Author("director of the event", ""), document, office.clock().date(), NEW_MEMBERS)
    if done.status is not Status.ACCEPTED:
        raise OfficeError(f"the demonstration's own report of {report.event_id} was {done.status.value}: {done}")


def _mistakes(reports: list[Report]) -> list[tuple[str, ChangedResult]]:
    """Some results of the last two years, to be corrected late."""
    found = []
    for report in reports[-160::50]:
        section = next(section for section in report.sections if len(section.players) > 2)
        player = next(player for player in section.players if any(cell.result in _MENDED for cell in player.cells))
        at, cell = next((at, cell) for at, cell in enumerate(player.cells, start=1) if cell.result in _MENDED)
        assert section.number is not None
        assert player.number is not None
        assert cell.result is not None
        change = ChangedResult(section.number, player.number, at, f"{_MENDED[cell.result]}{cell.opponent}")
        found.append((report.event_id, change))
    return found


if __name__ == "__main__":
    main()

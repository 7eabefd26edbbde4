"""A small office for tests: a season of an invented federation, rated and published as played, then corrected."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta

from crosstable.errors import OfficeError
from crosstable.formats.event_json_write import write
from crosstable.history.archive import Archive
from crosstable.history.archive_contents import ArchivedSection, openings_of, outside_of
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office
from crosstable.office.founding import found_office
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import rerate
from crosstable.office.published import Month, cut_off
from crosstable.office.submissions import Status, SubmitOptions, document_of_bytes, submit
from crosstable.office.supplements import publish
from crosstable.replaying import in_force
from crosstable.terms import Background, PlayerRating, RatingSystem, Report, Result
from tools.archive_reports import reports_of

NAME = "Demonstration federation"
OFFICE = "ratings office"
NEW_MEMBERS = SubmitOptions(adds_members=True, takes_openings=True)
# A report comes in two days after its event; the correction comes two months after the season.
_EVENING = time(18, 0)
_MENDED = {Result.WIN: "D", Result.DRAW: "W", Result.LOSS: "D"}


FIRST_DAY = date(2025, 9, 1)


def season_federation(seed: int = 1) -> Federation:
    """About two hundred members, most of them rated already, and some forty sections in a year."""
    return Federation(
        members=200,
        sections=40,
        start=FIRST_DAY,
        years=1,
        seed=seed,
        founders=0.9,
        opened=0.85,
        career_years=15.0,
        activity_spread=0.6,
        median_size=14.0,
        size_spread=0.5,
        matches=0.04,
        abroad=0.0,
        prizes=0.0,
        ceilings=0.0,
    )


def season(seed: int = 1) -> list[Report]:
    """The reports of a season, in the order of their dates; each player brings what they had when it began.

    To be submitted to an office that adds the members and takes their ratings as starting ratings.
    """
    archive = simulate(season_federation(seed))
    people = archive.members.to_dicts()
    outside = outside_of(archive)
    ratings = _starting_ratings(archive)

    def brings(archived: ArchivedSection, at: int) -> Background:
        member = archived.members[at]
        person = people[member]
        fide, cfc = outside.get(member, ([], []))
        return Background(
            standings=ratings.get(member, {}),
            fide=in_force(fide, archived.section.start),
            cfc=in_force(cfc, archived.section.end),
            birth_date=person["birth_date"],
            adult=person["adult"],
            canadian_resident=person["canadian_resident"],
        )

    return reports_of(archive, brings)


def _starting_ratings(archive: Archive) -> dict[int, dict[RatingSystem, PlayerRating]]:
    found: dict[int, dict[RatingSystem, PlayerRating]] = {}
    for member, opening in openings_of(archive):
        found.setdefault(member, {})[opening.system] = opening.standing
    return found


class _Clock:
    """The time of the demonstration, which passes as the season does."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def make_season(address: str, seed: int = 1) -> None:
    """Found an office, and let it work through a season: reports, runs, lists, a late correction."""
    reports = season(seed)
    first = min(report.start for report in reports if report.start)
    clock = _Clock(_evening(first - timedelta(days=30)))
    with closing(found_office(address, NAME, Author("host", "a season"), clock)) as office:
        month = Month(first.year, first.month)
        for report in reports:
            assert report.end is not None
            came_in = _evening(report.end + timedelta(days=2))
            month = _publish_until(office, clock, month, came_in)
            clock.now = max(clock.now, came_in)
            _take(office, report)
        month = _publish_until(office, clock, month, clock.now + timedelta(days=40))
        clock.now += timedelta(days=3)
        _correct(office, *_mistake_in(reports))
        _publish_until(office, clock, month, clock.now + timedelta(days=25))


def _evening(day: date) -> datetime:
    return datetime.combine(day, _EVENING, tzinfo=UTC)


def _publish_until(office: Office, clock: _Clock, month: Month, until: datetime) -> Month:
    """Publish every list whose cut-off has passed by then; returns the next month."""
    while cut_off(month) < until:
        clock.now = max(clock.now, cut_off(month) + timedelta(hours=8))
        publish(office, Author(OFFICE, f"the list of {month}"), month)
        month = Month(month.year + month.month // 12, month.month % 12 + 1)
    return month


def _take(office: Office, report: Report) -> None:
    director = Author("director of the event", "")
    held = {"affiliate": "A6000000", "affiliate_name": "Season Chess Club", "city": "Ordiwater", "state": "AQ"}
    report = report._replace(details={**held, "chief_td": report.sections[0].players[0].member_id})
    document = document_of_bytes(write(report), f"{report.event_id}.json")
    done = submit(office, director, document, office.clock().date(), NEW_MEMBERS)
    if done.status is not Status.ACCEPTED:
        raise OfficeError(f"the season's own report of {report.event_id} was {done.status.value}")
    rerate(office, Author(OFFICE, f"rated with {report.name}"))


def _correct(office: Office, event_id: str, change: ChangedResult) -> None:
    author = Author("director of the event", "The score sheets show another result than the report.")
    correct_result(office, author, event_id, change, office.clock().date())
    rerate(office, Author(OFFICE, "rated again after a correction"))


def _mistake_in(reports: Sequence[Report]) -> tuple[str, ChangedResult]:
    """A result of the season's middle: late enough to be of these members, early enough to change later ratings."""
    for report in reports[len(reports) // 3 :]:
        for section in report.sections:
            for player in section.players:
                for round_number, cell in enumerate(player.cells, start=1):
                    if cell.result in _MENDED and cell.opponent and player.number and section.number:
                        text = f"{_MENDED[cell.result]}{cell.opponent}"
                        change = ChangedResult(section.number, player.number, round_number, text)
                        return report.event_id, change
    raise OfficeError("the season has no game")

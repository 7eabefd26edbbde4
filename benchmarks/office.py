"""An office of 10,000 members, 2,000 sections, 100,000 games on SQLite: submitted, rated, an old result corrected."""

import tempfile
import time
from datetime import date
from pathlib import Path

from crosstable.formats import Reading
from crosstable.formats.event_json_write import write
from crosstable.history.archive import Archive
from crosstable.history.archive_contents import openings_of, outside_of
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office
from crosstable.office.founding import found_office
from crosstable.office.ledger.facts import Person
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import rerate
from crosstable.office.members import NewStartingRating, import_members
from crosstable.office.submissions import Document, Status, submit
from crosstable.terms import Background, Report, Result
from tools.archive_reports import reports_of

AUTHOR = Author("benchmark", "measuring")
TODAY = date(2026, 11, 15)
YEARS_BACK = 5
FEDERATION = Federation(
    members=10_000,
    sections=2_100,
    years=10,
    start=date(2016, 1, 1),
    median_size=20.0,
    abroad=0.0,
    matches=0.0,
    prizes=0.0,
    ceilings=0.0,
    half_k=0.0,
)


def office() -> str:
    """Sections per second submitted and rated, and the seconds of one old correction with its ripple."""
    archive = simulate(FEDERATION)
    with tempfile.TemporaryDirectory() as folder:
        made = found_office(str(Path(folder, "office.db")), "Benchmark", AUTHOR)
        import_members(made, AUTHOR, *_members(archive))
        reports = reports_of(archive, lambda archived, at: Background())
        began = time.perf_counter()
        for report in reports:
            _submit(made, report)
        submitted = time.perf_counter()
        run = rerate(made, AUTHOR)
        rated = time.perf_counter()
        assert run is not None
        corrected, moved = _correct_old(made, reports)
    sections, games = archive.sections.height, archive.games.height
    return (
        f"office on SQLite, {archive.members.height:,} members, {sections:,} sections, {games:,} games, "
        f"{run.postings:,} postings\n"
        f"  submitted   {sections / (submitted - began):8,.0f} sections/s ({submitted - began:.1f} s, checked and "
        f"stored one event at a time)\n"
        f"  rated       {sections / (rated - submitted):8,.0f} sections/s ({rated - submitted:.1f} s, one "
        f"transaction)\n"
        f"  corrected   {corrected:8.2f} s for one result of an event {YEARS_BACK} years back, rerated, with a ripple "
        f"of {moved:,} ratings\n"
    )


def _members(archive: Archive) -> tuple[list[Person], list[NewStartingRating]]:
    outside = outside_of(archive)
    people = []
    for at, row in enumerate(archive.members.iter_rows(named=True)):
        fide, cfc = outside.get(at, ([], []))
        people.append(Person(**row, fide=tuple(fide), cfc=tuple(cfc)))
    openings = [
        NewStartingRating(one.member_id, one.system, one.standing, one.source) for _, one in openings_of(archive)
    ]
    return people, openings


def _submit(made: Office, report: Report) -> None:
    document = Document(report.event_id, write(report), Reading(report, ()))
    done = submit(made, AUTHOR, document, TODAY)
    assert done.status is Status.ACCEPTED, done.faults
    assert not done.held, done.held


def _correct_old(made: Office, reports: list[Report]) -> tuple[float, int]:
    """One win made a loss in the last event that ended five years before the end, and the run after it."""
    last = max(report.end for report in reports if report.end)
    old = [report for report in reports if report.end and (last - report.end).days > YEARS_BACK * 365][-1]
    section = old.sections[0]
    player, round_number, cell = next(
        (player.number, at, cell)
        for player in section.players
        for at, cell in enumerate(player.cells, 1)
        if cell.result is Result.WIN
    )
    assert section.number is not None
    assert player is not None
    change = ChangedResult(section.number, player, round_number, f"L{cell.opponent}{cell.colour}")
    began = time.perf_counter()
    assert correct_result(made, AUTHOR, old.event_id, change, TODAY).is_stored
    run = rerate(made, AUTHOR)
    assert run is not None
    return time.perf_counter() - began, len(run.ripple)

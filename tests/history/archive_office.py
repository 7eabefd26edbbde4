"""An archive brought into an office the long way: members, openings, reports one by one, decisions as they are made."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from crosstable.history.archive import Archive
from crosstable.history.archive_contents import ArchivedSection, openings_of, outside_of
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind, Person
from crosstable.office.members import NewStartingRating
from crosstable.terms import Background, RatingSystem
from tests.office.made_office import AUTHOR, enter, join, run
from tools.archive_reports import reports_of


def people_of(archive: Archive) -> Iterator[Person]:
    """The members as the office knows them."""
    outside = outside_of(archive)
    for at, row in enumerate(archive.members.iter_rows(named=True)):
        fide, cfc = outside.get(at, ([], []))
        yield Person(**row, fide=tuple(fide), cfc=tuple(cfc))


def settle(archive: Archive, office: Office) -> None:
    """Bring an archive into an office; every section must be accepted."""
    openings = [
        NewStartingRating(opening.member_id, opening.system, opening.standing, opening.source)
        for _, opening in openings_of(archive)
    ]
    join(office, list(people_of(archive)), openings)
    run(office)
    reports = reports_of(archive, _own_rating)
    waiting = archive.decisions.to_dicts()
    for report in reports:
        assert report.end is not None
        while waiting and waiting[0]["effective"] <= report.end:
            _decide(archive, office, waiting.pop(0))
        enter(office, report)
        run(office)
    for row in waiting:
        _decide(archive, office, row)
    run(office)


def _own_rating(archived: ArchivedSection, at: int) -> Background:
    """What a report itself says of a player: nothing but the FIDE rating of somebody who is no member."""
    return Background(fide=archived.section.entries[at].background.fide)


def _decide(archive: Archive, office: Office, row: Mapping[str, Any]) -> None:
    kind = DecisionKind(row["kind"])
    ruling = Ruling(
        kind,
        archive.members["member_id"][row["member"]],
        None if row["system"] is None else RatingSystem(row["system"]),
        row["effective"],
        row["value"],
        row["event_id"],
        row["section"],
        json.loads(row["details"]),
    )
    decide(office, AUTHOR, ruling)

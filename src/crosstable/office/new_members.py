"""Members that a report names and the office does not know yet: made from what the report says of them."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from crosstable.office.ledger.facts import Person, Record
from crosstable.office.members import NewStartingRating, could_be_born, could_be_born_in
from crosstable.terms import OutsideRating, Report, ReportedPlayer


def members_of_report(
    record: Record, report: Report, *, takes_openings: bool
) -> tuple[list[Person], list[NewStartingRating]]:
    """New members, and with ``takes_openings`` the ratings they bring, as of the day before their first section."""
    rows: dict[str, tuple[ReportedPlayer, date]] = {}
    for section in report.sections:
        start = section.start or report.start
        for player in section.players:
            if player.member_id and start is not None and start < rows.get(player.member_id, (player, date.max))[1]:
                rows[player.member_id] = player, start
    known = record.people(list(rows))
    people, openings = [], []
    for member_id, (player, start) in rows.items():
        if member_id in known:
            continue
        people.append(_person(player, start))
        if takes_openings:
            openings += _openings(player, start, report.event_id)
    return people, openings


def _person(player: ReportedPlayer, start: date) -> Person:
    """A new member; a birth date that cannot be is a finding of the report, and is not kept."""
    background = player.background
    return Person(
        member_id=player.member_id,
        name=player.name,
        state=player.state,
        birth_date=background.birth_date if could_be_born(background.birth_date, start) else None,
        birth_year=background.birth_year if could_be_born_in(background.birth_year, start) else None,
        adult=background.adult,
        canadian_resident=background.canadian_resident,
        fide_flag=player.fide_flag or "",
        fide=_dated(background.fide, start),
        cfc=_dated(background.cfc, start),
    )


def _dated(rating: OutsideRating | None, start: date) -> tuple[OutsideRating, ...]:
    return () if rating is None else (OutsideRating(rating.rating, rating.as_of or start),)


def _openings(player: ReportedPlayer, start: date, event_id: str) -> list[NewStartingRating]:
    eve = start - timedelta(days=1)
    return [
        NewStartingRating(
            player.member_id,
            system,
            standing._replace(as_of=min(standing.as_of or eve, eve)),
            f"report of event {event_id}",
        )
        for system, standing in player.background.standings.items()
    ]


def written_person(person: Person) -> dict[str, Any]:
    """A new member as JSON, so that a proposal can hold them."""
    return {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in person._asdict().items()
        if name not in ("fide", "cfc")
    } | {name: [[one.rating, _written(one.as_of)] for one in getattr(person, name)] for name in ("fide", "cfc")}


def read_person(said: Mapping[str, Any]) -> Person:
    """The same back again."""
    days = {name: _read(said[name]) for name in ("birth_date", "member_until")}
    outside = {name: tuple(OutsideRating(rating, _read(day)) for rating, day in said[name]) for name in ("fide", "cfc")}
    return Person(**{**said, **days, **outside})


def _written(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _read(day: str | None) -> date | None:
    return None if day is None else date.fromisoformat(day)

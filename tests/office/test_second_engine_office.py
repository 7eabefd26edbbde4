"""A small office history against the second engine of the tests, which shares no line with the program.

The second engine rates one section; what carries a member from section to section (counts, peaks, match changes, dates)
is written out here once more, from §5, §7 and readings 60, 62, 65. Agreement within 1e-9: sums of floats in another
order, a thousand times more than is ever seen.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from crosstable.office.database import Office
from crosstable.terms import RatingSystem, Report, ReportedSection, SectionType
from tests.office.made_office import enter, join, posted, run
from tests.office.random_federation import Federation, federation
from tests.second_engine import rate_section, systems_of

TOLERANCE = 1e-9
ESTABLISHED_ABOVE = 25
FEWEST_GAMES_OF_AN_EVENT = 3
POINTS = {"W": 1.0, "N": 1.0, "D": 0.5, "R": 0.5, "L": 0.0, "S": 0.0}
Rating = dict[str, Any]
Book = dict[str, dict[str, Rating]]


def test_a_history_agrees_with_the_second_engine(office: Office) -> None:
    """All kinds of sections but foreign ones, which ask who is eligible; openings without floors and ceilings."""
    made = _plain(federation(seed=11, members=16, events=16))
    join(office, made.people, made.openings)
    run(office)
    enter(office, *made.reports)
    run(office)
    stored = posted(office)
    book = _opened(made)
    compared = 0
    for one, section in _in_order(made):
        file = _file(one, section, book, made)
        played = {}
        for system in systems_of(file["sections"][0], file["event"]):
            played[system] = rate_section(file, file["sections"][0], system)
        for system, rows in played.items():
            for player in section.players:
                row = rows[player.number or 0]
                about = next(
                    (
                        posting
                        for key, posting in stored.items()
                        if tuple(key) == (player.member_id, RatingSystem[system], one.event_id, section.number)
                    ),
                    None,
                )
                if row["formula"] is None:
                    assert about is None
                    continue
                assert about is not None
                assert about.rating_after == pytest.approx(row["post"], abs=TOLERANCE)
                assert about.games_after == row["games_after"]
                compared += 1
        for system, rows in played.items():
            _carry(book, section, system, rows)
    assert compared > 150


def _plain(made: Federation) -> Federation:
    """Without foreign sections, and without what the event file cannot say of a decision's place in time."""
    reports = []
    for one in made.reports:
        kept = tuple(section for section in one.sections if section.kind is not SectionType.FOREIGN_FIDE)
        if kept:
            reports.append(one._replace(sections=kept))
    openings = [
        one._replace(standing=one.standing._replace(floors=(), ceiling=None, games_at_2200=0)) for one in made.openings
    ]
    return Federation(made.people, openings, reports)


def _in_order(made: Federation) -> list[tuple[Report, ReportedSection]]:
    """Readings 83: end, start, event id, section number."""
    every = [(one, section) for one in made.reports for section in one.sections]
    return sorted(every, key=lambda each: (each[1].end, each[1].start, each[0].event_id, each[1].number))


def _opened(made: Federation) -> Book:
    book: Book = {one.member_id: {} for one in made.people}
    for one in made.openings:
        standing = one.standing
        rating = {
            name: getattr(standing, name)
            for name in ("rating", "games", "wins", "draws", "losses", "events", "peak", "peak_since_2010")
            if getattr(standing, name) is not None
        }
        changes = [{"date": change.on.isoformat(), "change": change.change} for change in standing.match_changes]
        assert standing.as_of is not None
        rating |= {"games": standing.games, "as_of": standing.as_of.isoformat(), "match_changes": changes}
        book[one.member_id][one.system.name] = rating
    return book


def _file(one: Report, section: ReportedSection, book: Book, made: Federation) -> dict[str, Any]:
    """The event file with one section, every player with what they bring to it."""
    assert section.start is not None
    assert section.end is not None
    days = {"start_date": section.start.isoformat(), "end_date": section.end.isoformat()}
    people = {person.member_id: person for person in made.people}
    rows = []
    for player in section.players:
        person = people[player.member_id]
        ratings: dict[str, Any] = {name: dict(rating) for name, rating in book[player.member_id].items()}
        for name, lists, day in (("FIDE", person.fide, section.start), ("CFC", person.cfc, section.end)):
            in_force = [one for one in lists if one.as_of is not None and one.as_of <= day]
            if in_force:
                ratings[name] = {"rating": in_force[-1].rating, "as_of": str(in_force[-1].as_of)}
        row = {
            "number": player.number,
            "member_id": player.member_id,
            "ratings": ratings,
            "canadian_resident": person.canadian_resident,
            "rounds": [cell.text for cell in player.cells],
        }
        if person.birth_date is not None:
            row["birth_date"] = person.birth_date.isoformat()
        if person.adult is not None:
            row["adult"] = person.adult
        rows.append(row)
    own = {
        "number": section.number,
        "type": section.kind.value,
        "online": section.is_online,
        "time_control": section.time_controls[0],
        "match_waiver": "made up",
        "players": rows,
        **days,
    }
    return {"event": {"id": one.event_id, "name": one.name, **days}, "sections": [own]}


def _carry(book: Book, section: ReportedSection, system: str, rows: Mapping[int, Mapping[str, Any]]) -> None:
    """What a section adds to a member's record, their several rows together."""
    members: dict[str, list[str]] = {}
    for player in section.players:
        letters = [cell.text[0] for cell in player.cells if cell.text and cell.text[0] in POINTS]
        members.setdefault(player.member_id, []).extend(letters)
    numbers = {player.member_id: player.number or 0 for player in section.players}
    for member, letters in members.items():
        row = rows[numbers[member]]
        if row["formula"] is not None:
            before = book[member].get(system)
            book[member][system] = _after(before, letters, row, section)


def _after(before: Rating | None, letters: list[str], row: Mapping[str, Any], section: ReportedSection) -> Rating:
    assert section.end is not None
    points = [POINTS[letter] for letter in letters]
    old: Rating = before or {"wins": 0, "draws": 0, "losses": 0, "events": 0, "games": row["initial"]["games"]}
    new: Rating = {"rating": row["post"], "games": row["games_after"], "as_of": section.end.isoformat()}
    grown = {
        "wins": points.count(1.0),
        "draws": points.count(0.5),
        "losses": points.count(0.0),
        "events": int(len(points) >= FEWEST_GAMES_OF_AN_EVENT),
    }
    new |= {name: old[name] + more for name, more in grown.items() if name in old}
    new["match_changes"] = list(old.get("match_changes", []))
    if section.kind is SectionType.MATCH and before is not None:
        change = {"date": section.end.isoformat(), "change": row["post"] - before["rating"]}
        new["match_changes"].append(change)
    return new | _peaks(old, before, new, section.end)


def _peaks(old: Rating, before: Rating | None, new: Rating, end: date) -> Rating:
    """Peaks of established ratings (readings 62, 94); every section here ended after 2010-04-01."""
    assert end > date(2010, 4, 1)
    kept: Rating = {name: old[name] for name in ("peak", "peak_since_2010") if name in old}
    if new["games"] is not None and new["games"] <= ESTABLISHED_ABOVE:
        return kept
    was_established = before is not None and (before["games"] is None or before["games"] > ESTABLISHED_ABOVE)
    peak = old.get("peak", before["rating"] if before is not None and was_established else None)
    kept["peak"] = new["rating"] if peak is None else max(peak, new["rating"])
    if "peak_since_2010" in old or not was_established:
        kept["peak_since_2010"] = max(old.get("peak_since_2010", 0.0), new["rating"])
    return kept

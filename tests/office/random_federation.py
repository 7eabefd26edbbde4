"""A seeded random federation: members with all kinds of pasts, and events of every kind the office rates.

The same seed gives the same federation. Ratings crowd together so that floors, ceilings and match limits are met.
"""

import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from crosstable.office.database import Office
from crosstable.office.ledger.facts import Person
from crosstable.office.members import NewStartingRating
from crosstable.terms import (
    Floor,
    FloorKind,
    MatchChange,
    OutsideRating,
    RatingSystem,
    Report,
    ReportedSection,
    SectionType,
)
from tests.engine.wallcharts import Played
from tests.office.made_office import FIRST_ID, bring, join, opening, person, report, run, section

FIRST_DAY = date(2021, 1, 2)
LAST_DAY = date(2026, 6, 30)
# Time control, online or not, and the first day of its systems.
CONTROLS = (
    ("G/90;d5", False, date(2001, 1, 1)),
    ("G/45;d5", False, date(2001, 1, 1)),
    ("G/15;d5", False, date(2001, 1, 1)),
    ("G/5;d0", False, date(2013, 3, 1)),
    ("G/60;+5", True, date(2020, 6, 1)),
    ("G/15;+2", True, date(2015, 3, 1)),
    ("G/5;+0", True, date(2014, 10, 1)),
)
_CONTROL_WEIGHTS = (8, 4, 2, 2, 1, 1, 1)
# What two rows show of one round: letters for a game on both rows, or one letter on the first row alone.
RESULTS = ("WL", "LW", "DD", "XF", "FF", "HH", "N", "R", "S")
_RESULT_WEIGHTS = (40, 40, 20, 3, 1, 1, 1, 1, 1)


class Federation(NamedTuple):
    """Members, the standings they bring, and the reports of their events in the order of their dates."""

    people: list[Person]
    openings: list[NewStartingRating]
    reports: list[Report]

    def settle(self, office: Office) -> None:
        """Bring everything into an office, in this order; only the openings are rated, which events abroad ask for."""
        join(office, self.people, self.openings)
        run(office)
        for one in self.reports:
            bring(office, one)


class Pool(NamedTuple):
    """The members who may play, those of them who may be rated abroad, and whether reports say that they opted in."""

    members: Sequence[int]
    established: Sequence[int] = ()
    says_opted_in: bool = True


def federation(seed: int, members: int = 40, events: int = 30, first_day: date = FIRST_DAY) -> Federation:
    """A federation of so many members and events."""
    rng = random.Random(seed)
    everyone = range(1, members + 1)
    people = [random_person(rng, number, first_day) for number in everyone]
    openings = [one for number in everyone for one in random_openings(rng, number, first_day - timedelta(days=1))]
    pool = Pool(everyone, established_in(openings))
    days = sorted(random_day(rng, first_day) for _ in range(events))
    made = [random_report(rng, pool, f"e{at:03}", day) for at, day in enumerate(days, start=1)]
    return Federation(people, openings, made)


def established_in(openings: Sequence[NewStartingRating]) -> list[int]:
    """The members whose opening Regular rating is established."""
    found = [one for one in openings if one.system is RatingSystem.OTBR and (one.standing.games or 26) > 25]
    return [int(one.member_id) - FIRST_ID for one in found]


def random_day(rng: random.Random, first_day: date = FIRST_DAY) -> date:
    """A day on which an event may start."""
    return first_day + timedelta(days=rng.randrange((LAST_DAY - first_day).days))


def random_person(rng: random.Random, number: int, born_before: date = FIRST_DAY) -> Person:
    """A member of whom more or less is known."""
    facts: dict[str, Any] = {"state": rng.choice(("", "NY", "CA", "TX"))}
    if rng.random() < 0.7:
        facts["birth_date"] = born_before - timedelta(days=rng.randrange(24000))
    if rng.random() < 0.3:
        facts["adult"] = rng.random() < 0.7
    if rng.random() < 0.1:
        facts["canadian_resident"] = True
    if rng.random() < 0.3:
        facts["fide_flag"] = rng.choice(("USA", "CAN"))
    if rng.random() < 0.3:
        facts["fide"] = random_outside(rng)
    if rng.random() < 0.15:
        facts["cfc"] = random_outside(rng)
    return person(number, **facts)


def random_outside(rng: random.Random) -> tuple[OutsideRating, ...]:
    """One or two ratings of another federation, oldest first."""
    years = sorted(rng.sample(range(2015, 2026), rng.choice((1, 2))))
    return tuple(OutsideRating(float(rng.choice((1420, 1700, 2000, 2150, 2210))), date(year, 3, 1)) for year in years)


def random_openings(rng: random.Random, number: int, as_of: date) -> list[NewStartingRating]:
    """The standings that a member brings: often one, sometimes none or several."""
    level = rng.choice((130.0, 400.0, 1250.0, 1500.0, 1820.0, 2190.0, 2230.0))
    systems = [system for system in RatingSystem if rng.random() < (0.6 if system is RatingSystem.OTBR else 0.12)]
    return [random_opening(rng, number, system, level, as_of) for system in systems]


def random_opening(
    rng: random.Random, number: int, system: RatingSystem, level: float, as_of: date
) -> NewStartingRating:
    """A standing near a level, of any age and with any past."""
    rating = max(100.0, round(level + rng.gauss(0, 50), 2))
    games = rng.choice((3.0, 8.0, 25.0, 26.0, 60.0, 300.0, None))
    more: dict[str, Any] = {"system": system, "as_of": as_of - timedelta(days=rng.choice((0, 0, 30, 900)))}
    if rng.random() < 0.2:
        more |= {"wins": None, "draws": None, "losses": None, "events": None, "peak": None, "peak_since_2010": None}
    elif games is None or games > 25:
        more["peak"] = rating + rng.choice((0.0, 60.0, 210.0))
        more["peak_since_2010"] = rng.choice((more["peak"], rating, None))
    if rng.random() < 0.1:
        more["floors"] = (Floor(rng.choice((FloorKind.MONEY, FloorKind.OFFICE)), rng.choice((1200.0, 1800.0))),)
    if rng.random() < 0.05:
        more["ceiling"] = rating + rng.choice((0.0, 5.0, 20.0))
    if rng.random() < 0.15:
        days = (as_of - timedelta(days=rng.choice((1, 100, 700))) for _ in range(rng.choice((1, 3))))
        more["match_changes"] = tuple(MatchChange(day, rng.choice((-50.0, 30.5, 50.0))) for day in sorted(days))
    if rating > 2150 and rng.random() < 0.5:
        more["games_at_2200"] = rng.choice((150, 290, 299, 300))
    return opening(number, rating, games, **more)


def random_report(rng: random.Random, pool: Pool, event_id: str, day: date) -> Report:
    """An event of one to three sections, in each of which any member may play."""
    return report(
        event_id, *(random_section(rng, pool, number, day) for number in range(1, rng.choice((1, 1, 2, 3)) + 1))
    )


def random_section(rng: random.Random, pool: Pool, number: int, day: date) -> ReportedSection:
    """A section of any kind that starts on a day; matches carry a waiver, so that they are accepted."""
    kinds = [SectionType.SWISS, SectionType.ROUND_ROBIN, SectionType.MATCH, SectionType.FOREIGN_FIDE]
    members = list(pool.members)
    kind = rng.choices(kinds, weights=(12, 4, 3, 1 if pool.established else 0))[0]
    end = min(day + timedelta(days=rng.choice((0, 0, 0, 1, 2, 9))), LAST_DAY + timedelta(days=30))
    if kind is SectionType.FOREIGN_FIDE:
        return section(_abroad(rng, pool), Played(day, end, kind, "G/90;+30"), number)
    there = [(control, weight) for control, weight in zip(CONTROLS, _CONTROL_WEIGHTS, strict=True) if control[2] <= day]
    (control, is_online, _) = rng.choices([one for one, _ in there], weights=[weight for _, weight in there])[0]
    played = Played(day, end, kind, control, is_online, day < date(2006, 3, 1) and rng.random() < 0.2)
    if kind is SectionType.MATCH:
        return random_match(rng, rng.sample(members, 2), day, number)._replace(match_waiver="made up")
    count = rng.choice((2, 3, 4, 4, 6)) if kind is SectionType.ROUND_ROBIN else rng.choice((3, 4, 5, 6, 8, 12))
    chosen = rng.sample(members, min(count, len(members)))
    if kind is SectionType.ROUND_ROBIN:
        return section(_round_robin(rng, chosen), played, number)
    return section(_played(rng, chosen, rng.choice((1, 2, 3, 4, 5))), played, number)


def random_match(rng: random.Random, pair: Sequence[int], day: date, number: int = 1) -> ReportedSection:
    """A match of two to eight games, often a one-sided one."""
    played = Played(day, day, SectionType.MATCH, rng.choice(("G/90;d5", "G/90;d5", "G/45;d5")))
    rounds = rng.randint(2, 8)
    if rng.random() < 0.6:
        return section(_rows(pair, [["W2"] * rounds, ["L1"] * rounds]), played, number)
    return section(_played(rng, pair, rounds), played, number)


def _rows(chosen: Sequence[int], rounds: Sequence[Sequence[str]], marks: Sequence[str] = ()) -> str:
    said = [f" | {mark}" for mark in marks] or [""] * len(chosen)
    lines = [
        f"{at} ={who} | {' '.join(cells)}{more}"
        for at, (who, cells, more) in enumerate(zip(chosen, rounds, said, strict=True), start=1)
    ]
    return "\n".join(lines)


def _played(rng: random.Random, chosen: Sequence[int], rounds: int) -> str:
    """Random pairings; now and then the last two rows are one member who entered again."""
    cells: list[list[str]] = [[] for _ in chosen]
    for _ in range(rounds):
        order = list(range(len(chosen)))
        rng.shuffle(order)
        while len(order) > 1:
            _meet(rng, cells, order.pop(), order.pop())
        for left in order:
            cells[left].append(rng.choice(("B", "H", "U", "-")))
    who = list(chosen)
    own = f"{len(who)}"
    if len(who) > 4 and rng.random() < 0.15 and own not in {cell.strip("WLDXFNRSwb") for cell in cells[-2]}:
        who[-1] = who[-2]
    return _rows(who, cells)


def _round_robin(rng: random.Random, chosen: Sequence[int]) -> str:
    """Everybody meets everybody once, in rounds in which the others rest."""
    cells: list[list[str]] = [[] for _ in chosen]
    for one in range(len(chosen)):
        for other in range(one + 1, len(chosen)):
            _meet(rng, cells, one, other)
            longest = max(len(row) for row in cells)
            for row in cells:
                row.extend(["U"] * (longest - len(row)))
    return _rows(chosen, cells)


def _meet(rng: random.Random, cells: Sequence[list[str]], one: int, other: int) -> None:
    letters = rng.choices(RESULTS, weights=_RESULT_WEIGHTS)[0]
    if letters == "HH":
        cells[one].append("H")
        cells[other].append("H")
    elif len(letters) == 1:
        cells[one].append(f"{letters}{other + 1}")
        cells[other].append("U")
    else:
        cells[one].append(f"{letters[0]}{other + 1}w")
        cells[other].append(f"{letters[1]}{one + 1}b")


def _abroad(rng: random.Random, pool: Pool) -> str:
    """A foreign event: some members marked to be rated, everybody with a FIDE rating in the file."""
    marked = rng.sample(list(pool.established), min(2, len(pool.established)))
    others = [member for member in pool.members if member not in marked]
    chosen = marked + rng.sample(others, min(4, len(others)))
    cells: list[list[str]] = [[] for _ in chosen]
    for _ in range(3):
        order = list(range(len(chosen)))
        rng.shuffle(order)
        while len(order) > 1:
            _meet(rng, cells, order.pop(), order.pop())
        for left in order:
            cells[left].append("U")
    marks = [f"fide={rng.choice((1700, 2000, 2150, 2300))}" for _ in chosen]
    told = "rate opt" if pool.says_opted_in else "rate"
    return _rows(chosen, cells, [f"{mark} {told}" if at < len(marked) else mark for at, mark in enumerate(marks)])

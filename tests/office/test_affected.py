"""A change is followed to the sections whose players' records it changes, and to no others; counted, never timed."""

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import date, timedelta

import polars as pl
import pytest

from crosstable.errors import OfficeError
from crosstable.office.bulk import affected, run, steps
from crosstable.office.bulk.affected import Affected
from crosstable.office.corrections import ChangedResult, correct_by_file, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.members import merge_members, unmerge_members
from crosstable.terms import Floor, FloorKind, Report, SectionType
from tests.amounts import amount
from tests.engine.wallcharts import Played
from tests.office.claims import Claims
from tests.office.conftest import NewOffice
from tests.office.made_office import (
    AUTHOR,
    NOW,
    OTBR,
    document,
    enter,
    join,
    member_id,
    opening,
    person,
    quad,
    rating_of,
    report,
    section,
    send,
)
from tests.office.random_federation import Pool, random_openings, random_person, random_report
from tests.office.two_ways import LONG, PLAIN, rated

TODAY = NOW.date()
CIRCLES, CIRCLE = 8, 6
# Four who play one another; beside them in the same section four others, whom they never meet.
APART = """1 =1 | W2 D3 W4
2 =2 | L1 L4 L3
3 =3 | L4 D1 W2
4 =4 | W3 W2 L1
5 =5 | W6 D7 W8
6 =6 | L5 L8 L7
7 =7 | L8 D5 W6
8 =8 | W7 W6 L5"""


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Affected]:
    """The replays of runs, in their order."""
    made: list[Affected] = []

    def noted(*given: object) -> Affected:
        made.append(Affected(*given))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(run, "Affected", noted)
    return made


def events_of(replay: Affected) -> list[str]:
    """The events whose sections were rated."""
    names: list[str] = replay.span.steps.frame["event_id"].gather(list(replay.steps)).to_list()
    return names


def two_circles(office: Office) -> None:
    """A section in which two circles of four play apart, and twenty quads of each of them, and of two others."""
    join(office, [person(one) for one in range(1, 17)], [opening(one, 1400.0 + 10 * one) for one in range(1, 17)])
    enter(office, report("both", section(APART, Played(start=date(2026, 1, 5)))))
    for at in range(20):
        for circle in range(4):
            first = 4 * circle
            chart = "\n".join(
                f"{row} ={first + row} | {cells}"
                for row, cells in enumerate(("W2 D3 W4", "L1 L4 L3", "L4 D1 W2", "W3 W2 L1"), start=1)
            )
            enter(office, quad(f"c{circle}-{at:02}", Played(start=date(2026, 1, 10) + timedelta(days=at)), chart))


def test_only_those_are_rated_and_read_whose_records_change(office: Office, seen: list[Affected]) -> None:
    """Eighty sections come after the one that is corrected; twenty of them have players whose ratings change."""
    two_circles(office)
    rated(office, PLAIN)
    correct_result(office, AUTHOR, "both", ChangedResult(1, 1, 1, "L2"), TODAY)
    rated(office, PLAIN)
    assert events_of(seen[-1]) == ["both", *(f"c0-{at:02}" for at in range(20))]
    assert seen[-1].members == 8  # those of the section that was corrected
    Claims(office).after_a_run()


def test_floors_go_with_the_match_that_lowered_them(
    office: Office, seen: list[Affected], monkeypatch: pytest.MonkeyPatch
) -> None:
    """§7, item 4: a match is moved behind a day on which a floor was set, so its request lowers that floor as well.

    The section after it ends above the floor either way, with the same records; the one after that does not.
    """
    granted, find = list[pl.DataFrame](), affected._granted

    def noted(span: affected.Reading) -> pl.DataFrame:
        granted.append(find(span))
        return granted[-1]

    monkeypatch.setattr(affected, "_granted", noted)
    floors = (Floor(FloorKind.MONEY, 1500.0), Floor(FloorKind.OFFICE, 1450.0))
    join(office, [person(one) for one in (1, 2, 3)], [opening(1, 1500.0), opening(3, 1900.0)])
    join(office, [], [opening(2, 1505.0, peak=1700.0, floors=floors)])
    lost, (spring, summer) = "1 | W2 W2 W2\n2 | L1 L1 L1", (match_on(date(2024, month, 1)) for month in (5, 7))
    enter(office, report("m", section(lost, spring, match_waiver="made up")))
    rated(office, PLAIN)
    decide(office, AUTHOR, Ruling(DecisionKind.GRANT_MATCH_FLOOR, member_id(2), event_id="m", section=1))
    decide(office, AUTHOR, Ruling(DecisionKind.FLOOR, member_id(2), OTBR, date(2024, 6, 1), 1500.0))
    for at, cells in enumerate(("W2 W2 W2 | L1 L1 L1", "L2 L2 L2 L2 L2 L2 L2 | W1 W1 W1 W1 W1 W1 W1")):
        own, others = cells.split(" | ")
        chart = f"1 =2 | {own}\n2 ={3 - 2 * at} | {others}"
        enter(office, quad(f"q{at}", Played(start=date(2026, 8 + at, 1)), chart))
    rated(office, PLAIN)
    assert rating_of(office, 2) == 1500.0
    moved = report("m", section(lost, summer, match_waiver="made up"))
    assert correct_by_file(office, AUTHOR, "m", document(moved), TODAY).is_stored
    rated(office, PLAIN)
    assert granted[-1]["member_id"].to_list() == [member_id(2)]  # whose sections are all rated again
    assert events_of(seen[-1]) == ["m", "q0", "q1"]
    assert rating_of(office, 2) < 1500.0
    Claims(office).after_a_run()


def match_on(day: date) -> Played:
    """A match on a day."""
    return Played(day, day, SectionType.MATCH, "G/90;d5")


@pytest.mark.parametrize("long", [PLAIN, LONG])
def test_sessions_that_read_beside_one_another_do_not_show(
    office: Office, monkeypatch: pytest.MonkeyPatch, long: int
) -> None:
    monkeypatch.setattr(steps, "_MANY", 2)
    monkeypatch.setattr(affected, "_SEVERAL", 0)
    two_circles(office)
    rated(office, PLAIN)
    correct_result(office, AUTHOR, "both", ChangedResult(1, 1, 1, "L2"), TODAY)
    rated(office, long)
    Claims(office).after_a_run()


# random histories


class Circles:
    """Members who play inside circles and seldom beyond them, so that most changes reach few sections."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.first = date(2021, 1, 2)
        self.people = [random_person(rng, number, self.first) for number in range(1, CIRCLES * CIRCLE + 1)]
        starts = [random_openings(rng, at, self.first) for at in range(1, CIRCLES * CIRCLE + 1) if rng.random() < 0.8]
        self.openings = [one for several in starts for one in several]
        days = sorted(self.first + timedelta(days=rng.randrange(500)) for _ in range(amount(60, 120)))
        self.reports = [self.event(f"e{at:03}", day) for at, day in enumerate(days)]

    def event(self, name: str, day: date) -> Report:
        """An event of a circle, or now and then of two of them."""
        first = CIRCLE * self.rng.randrange(CIRCLES)
        members = [*range(first + 1, first + CIRCLE + 1)]
        if self.rng.random() < 0.08:
            members += [self.rng.randrange(1, CIRCLES * CIRCLE + 1)]
        return random_report(self.rng, Pool(sorted({*members})), name, day)

    def settle(self, office: Office) -> None:
        """Bring everything into an office."""
        join(office, self.people, self.openings)
        for one in self.reports:
            with suppress(OfficeError):
                send(office, one)

    def something(self, name: str) -> Callable[[Office], object]:
        """What may happen in an office; most of it is about something old."""
        rng = self.rng
        event = rng.choice(self.reports[: len(self.reports) // 2]).event_id
        one, other = (rng.choice(self.people).member_id for _ in range(2))
        day = self.first + timedelta(days=rng.randrange(500))
        ruling = Ruling(rng.choice((DecisionKind.FLOOR, DecisionKind.LOWER_FLOOR)), one, OTBR, day, 1200.0)
        changed = ChangedResult(1, 1, 1, rng.choice(("W2", "D2", "L2")))
        late = self.event(name, day)
        born = {"birth_date": date(1950 + rng.randrange(60), 1, 1)}
        started = opening(int(one) - 10_000_000, 1600.0, as_of=day)
        return rng.choice(
            (
                lambda office: correct_result(office, AUTHOR, event, changed, TODAY),
                lambda office: correct_result(office, AUTHOR, event, changed, TODAY),
                lambda office: withdraw(office, AUTHOR, event),
                lambda office: merge_members(office, AUTHOR, one, other),
                lambda office: unmerge_members(office, AUTHOR, one),
                lambda office: decide(office, AUTHOR, ruling),
                lambda office: decide(office, AUTHOR, ruling._replace(kind=DecisionKind.ADJUST)),
                lambda office: set_fact(office, AUTHOR, one, born),
                lambda office: send(office, late),
                lambda office: join(office, [], [started]),
            )
        )


def lived_through(office: Office, seed: int, turns: int) -> None:
    """A history of an office, in which all that is posted follows from the record after every run."""
    circles = Circles(seed)
    circles.settle(office)
    rated(office, PLAIN)
    for turn in range(turns):
        for at in range(circles.rng.choice((1, 1, 2))):
            with suppress(OfficeError):
                circles.something(f"late{turn}-{at}")(office)
        claims = Claims(office)
        rated(office, PLAIN)
        claims.after_a_run()


def all_lived_through(new_office: NewOffice, seeds: Iterable[int]) -> None:
    """One history after another."""
    for seed in seeds:
        lived_through(new_office(), seed, turns=4)


def test_nothing_that_a_change_reaches_is_left_out(
    new_office: NewOffice, seeds: Sequence[int], seen: list[Affected]
) -> None:
    """Random histories of circles, changed in their first halves; few of the later sections are rated again."""
    all_lived_through(new_office, seeds)
    changes = [replay for replay in seen if not replay.span.is_first]
    rated_again = sum(len(replay.steps) for replay in changes)
    later = sum(replay.span.steps.frame.height for replay in changes)
    assert 0 < rated_again < later / 2, (rated_again, later)


@pytest.mark.parametrize("what", ["records", "members"])
def test_a_replay_that_leaves_something_out_is_found(
    new_office: NewOffice, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The claims of these histories are no empty ones."""
    if what == "records":
        monkeypatch.setattr(affected._Posted, "differs", lambda *given: False)
    else:
        monkeypatch.setattr(Affected, "_about", lambda replay: ())
    with pytest.raises(AssertionError):
        all_lived_through(new_office, range(1, 6))

"""A hypothesis machine of an office of 200 members: everything that can happen in one, in any order.

After every rating run what is stored must equal rating everything from zero (``claims``). What the office refuses must
leave no trace. A step is made from seeds, so that a failing story shrinks to few steps with small numbers.
"""

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from crosstable.errors import OfficeError
from crosstable.office.corrections import (
    ChangedResult,
    Correction,
    confirm,
    correct_by_file,
    correct_member,
    correct_result,
    withdraw,
)
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.facts import DecisionKind, Person
from crosstable.office.ledger.journal import head
from crosstable.office.members import NewStartingRating, import_members, merge_members, unmerge_members
from crosstable.office.published import Month
from crosstable.office.sections import reported_event
from crosstable.office.submissions import Status, event_of, submit
from crosstable.office.supplements import Basis, publish
from crosstable.terms import Floor, FloorKind, MatchChange, OutsideRating, RatingSystem, Report
from tests.office.claims import Claims
from tests.office.made_office import (
    AUTHOR,
    HandClock,
    bring,
    document,
    join,
    member_id,
    opening,
    person,
    posted,
    record_of,
    report,
    run,
    send,
)
from tests.office.random_federation import (
    FIRST_DAY,
    Pool,
    random_day,
    random_match,
    random_opening,
    random_openings,
    random_outside,
    random_person,
    random_report,
    random_section,
)

MEMBERS = 200
# Most games are played among few, so that one change reaches many.
REGULARS = 10
EVENTS_BEFORE = 4
SEEDS = st.integers(0, 2**20)
EVE = FIRST_DAY - timedelta(days=1)
# Regulars who may be rated abroad; the first four have opted in.
ABROAD = (1, 2, 3, 4, 5, 9)
LETTERS = "WLDNXF"
RULINGS = (
    DecisionKind.MONEY_FLOOR,
    DecisionKind.LIFE_MASTER,
    DecisionKind.FLOOR,
    DecisionKind.CEILING,
    DecisionKind.LOWER_FLOOR,
    DecisionKind.ADJUST,
    DecisionKind.OPT_IN,
    DecisionKind.OPT_OUT,
)
LEVELS = (100.0, 150.0, 1200.0, 1450.0, 1800.0, 2100.0, 2200.0)


def populate(office: Office) -> None:
    """The 200 members, some with standings; the openings are rated, as an office that starts would have them."""
    rng = random.Random(2026)
    others = range(REGULARS + 1, MEMBERS + 1)
    people = [random_person(rng, number) for number in range(1, MEMBERS + 1)]
    openings = [one for number in others if number % 4 == 0 for one in random_openings(rng, number, EVE)]
    join(office, people, [*regular_standings(), *openings])
    for number in ABROAD[:4]:
        decide(office, AUTHOR, Ruling(DecisionKind.OPT_IN, member_id(number), effective=EVE))
    run(office)


def regular_standings() -> list[NewStartingRating]:
    """Ten who play much: at their floors, near a title, at match limits, with few games, with none."""
    lately = tuple(MatchChange(EVE - timedelta(days=days), -45.0) for days in (20, 10))
    return [
        opening(1, 1804.0, 60.0, as_of=EVE, peak=2010.0, peak_since_2010=2010.0),
        opening(2, 1850.0, 40.0, as_of=EVE),
        opening(3, 1702.5, 300.0, as_of=EVE, peak=1999.0, peak_since_2010=None),
        opening(4, 2230.0, 400.0, as_of=EVE, peak=2240.0, games_at_2200=297),
        opening(5, 2210.0, 26.0, as_of=EVE, ceiling=2215.0),
        opening(6, 1500.0, 30.0, as_of=EVE, system=RatingSystem.OTBQ),
        opening(8, 1500.0, 3.0, as_of=EVE, wins=3, draws=0, losses=0),
        opening(9, 1402.0, None, as_of=EVE, peak=1610.0, match_changes=lately),
        opening(10, 118.0, 30.0, as_of=EVE, wins=0, floors=(Floor(FloorKind.OFFICE, 110.0),)),
    ]


class OfficeMachine(RuleBasedStateMachine):
    """An office to which anything may happen."""

    def __init__(self, new_office: Callable[[HandClock], Office]) -> None:
        super().__init__()
        self._new_office = new_office
        self.events: list[str] = []
        self.sent: list[Report] = []
        self.decided: list[int] = []
        self.merged: list[str] = []
        self.joined: list[int] = []
        self.newcomers = MEMBERS
        self.steps = 0
        self.cadence = 1

    @initialize(seed=SEEDS, cadence=st.integers(1, 4))
    def opens(self, seed: int, cadence: int) -> None:
        """With a few events, so that there is something to correct from the first step on."""
        self.cadence = cadence
        self.clock = HandClock()
        self.office = self._new_office(self.clock)
        self.claims = Claims(self.office)
        rng = random.Random(seed)
        for _ in range(EVENTS_BEFORE):
            self.an_event_comes_in(rng.randrange(2**20))
        self.everything_is_rated()

    def teardown(self) -> None:
        if hasattr(self, "office"):
            self.claims.after_everything()
            self.office.close()

    @invariant()
    def what_is_stored_follows_from_the_facts(self) -> None:
        """After every step, or every second, third or fourth: what is rated at once and what is rated together."""
        self.steps += 1
        if self.steps % self.cadence == 0:
            self.everything_is_rated()

    # what the steps are made of

    def attempt(self, author: Callable[[], Any]) -> Any:
        """Do something that the office may refuse; a refusal must leave no trace."""
        before = self.seq()
        try:
            return author()
        except OfficeError:
            assert self.seq() == before, "something was refused and left an act"
            return None

    def seq(self) -> int:
        with self.office.reading() as connection:
            last = head(connection)
        assert last is not None
        return last.seq

    def member(self, rng: random.Random) -> int:
        """Mostly a regular, sometimes one who was part of a merge, seldom anybody else."""
        if self.joined and rng.random() < 0.3:
            return rng.choice(self.joined)
        return rng.randint(1, REGULARS if rng.random() < 0.85 else MEMBERS)

    def pool(self, rng: random.Random) -> Pool:
        guests = rng.sample(range(REGULARS + 1, MEMBERS + 1), 3)
        return Pool([*range(1, REGULARS + 1), *guests], ABROAD, says_opted_in=rng.random() < 0.3)

    def event(self, rng: random.Random) -> str:
        return rng.choice(self.events)

    def present(self, event_id: str) -> Report:
        """An event as it stands in the record."""
        with self.office.reading() as connection:
            record = record_of(connection)
            return reported_event(record, event_of(record, event_id))

    # events

    @rule(seed=SEEDS)
    def an_event_comes_in(self, seed: int) -> None:
        rng = random.Random(seed)
        made = random_report(rng, self.pool(rng), f"e{len(self.events) + 1:03}", random_day(rng))
        done = (bring if rng.random() < 0.8 else send)(self.office, made)
        assert done.status is Status.ACCEPTED, done
        self.events.append(made.event_id)
        self.sent.append(made)

    @rule(seed=SEEDS)
    def a_match_comes_in(self, seed: int) -> None:
        """Without a waiver: held where the two may not play a rated match, limited where they may."""
        rng = random.Random(seed)
        made = report(f"e{len(self.events) + 1:03}", random_match(rng, rng.sample(ABROAD, 2), random_day(rng)))
        done = send(self.office, made)
        assert done.status is Status.ACCEPTED, done
        self.events.append(made.event_id)
        self.sent.append(made)

    @precondition(lambda self: self.sent)
    @rule(seed=SEEDS)
    def a_file_comes_in_again(self, seed: int) -> None:
        before = self.seq()
        done = send(self.office, random.Random(seed).choice(self.sent))
        assert done.status is Status.KNOWN, done
        assert self.seq() == before

    @precondition(lambda self: self.events)
    @rule(seed=SEEDS)
    def another_file_of_an_event_comes_in(self, seed: int) -> None:
        """It is no submission: nothing is stored."""
        rng = random.Random(seed)
        made = random_report(rng, self.pool(rng), self.event(rng), random_day(rng))
        before = self.seq()
        done = submit(self.office, AUTHOR, document(made), self.clock.today)
        assert done.status in (Status.DIFFERS, Status.KNOWN), done
        assert self.seq() == before

    @precondition(lambda self: self.events)
    @rule(seed=SEEDS, is_request=st.booleans())
    def a_result_is_corrected(self, seed: int, is_request: bool) -> None:
        rng = random.Random(seed)
        event_id = self.event(rng)
        games = [
            (one.number or 0, player.number or 0, at, cell.opponent)
            for one in self.present(event_id).sections
            for player in one.players
            for at, cell in enumerate(player.cells, start=1)
            if cell.opponent
        ]
        if not games:
            return
        section, player, at, opponent = rng.choice(games)
        change = ChangedResult(section, player, at, f"{rng.choice(LETTERS)}{opponent}")
        self.attempt(
            lambda: correct_result(self.office, AUTHOR, event_id, change, self.clock.today, is_request=is_request)
        )

    @precondition(lambda self: self.events)
    @rule(seed=SEEDS)
    def a_member_id_is_corrected(self, seed: int) -> None:
        rng = random.Random(seed)
        event_id = self.event(rng)
        players = [player for one in self.present(event_id).sections for player in one.players]
        wrong = rng.choice(players).member_id if players else member_id(1)
        right = member_id(self.member(rng))
        self.attempt(lambda: correct_member(self.office, AUTHOR, event_id, (wrong, right), self.clock.today))

    @precondition(lambda self: self.events)
    @rule(seed=SEEDS, is_request=st.booleans())
    def an_event_is_corrected_by_a_file(self, seed: int, is_request: bool) -> None:
        rng = random.Random(seed)
        event_id = self.event(rng)
        changed = self.another_version(rng, self.present(event_id))
        self.attempt(
            lambda: correct_by_file(
                self.office, AUTHOR, event_id, document(changed), self.clock.today, is_request=is_request
            )
        )

    def another_version(self, rng: random.Random, made: Report) -> Report:
        """An event on other days, with other sections, fewer or more."""
        sections = list(made.sections)
        way = rng.choice(("days", "day", "replace", "drop", "add", "control"))
        numbers = {one.number or 0 for one in sections}
        if way == "add" or not sections:
            sections.append(random_section(rng, self.pool(rng), max(numbers, default=0) + 1, random_day(rng)))
        elif way == "drop" and len(sections) > 1:
            sections.pop(rng.randrange(len(sections)))
        elif way == "days":
            sections = [_moved(one, rng.choice((-400, -30, -1, 1, 30))) for one in sections]
        else:
            at = rng.randrange(len(sections))
            if way == "day":
                sections[at] = _moved(sections[at], rng.choice((-900, -10, -1, 1, 10, 200)))
            elif way == "control":
                control = rng.choice(("G/90;d5", "G/45;d5", "G/15;d5"))
                sections[at] = sections[at]._replace(time_controls=(control,))
            else:
                sections[at] = random_section(rng, self.pool(rng), sections[at].number or 0, random_day(rng))
        starts = [one.start for one in sections if one.start]
        ends = [one.end for one in sections if one.end]
        return made._replace(sections=tuple(sections), start=min(starts), end=max(ends))

    @precondition(lambda self: self.sent)
    @rule(seed=SEEDS)
    def the_first_file_is_right_after_all(self, seed: int) -> None:
        made = random.Random(seed).choice(self.sent)
        self.attempt(lambda: correct_by_file(self.office, AUTHOR, made.event_id, document(made), self.clock.today))

    @precondition(lambda self: self.events)
    @rule(seed=SEEDS)
    def what_waits_is_confirmed(self, seed: int) -> None:
        event_id = self.event(random.Random(seed))
        done: Correction | None = self.attempt(lambda: confirm(self.office, AUTHOR, event_id, self.clock.today))
        assert done is None or done.is_stored or done.faults

    @precondition(lambda self: self.events)
    @rule(seed=SEEDS)
    def an_event_is_withdrawn(self, seed: int) -> None:
        rng = random.Random(seed)
        event_id = self.event(rng)
        numbers = [one.number or 0 for one in self.present(event_id).sections]
        chosen = [rng.choice(numbers)] if numbers and rng.random() < 0.5 else []
        self.attempt(lambda: withdraw(self.office, AUTHOR, event_id, chosen))

    # members

    @rule(seed=SEEDS)
    def two_ids_are_merged(self, seed: int) -> None:
        rng = random.Random(seed)
        one, other = self.member(rng), rng.choice((self.member(rng), rng.randint(1, MEMBERS)))
        if self.attempt(lambda: merge_members(self.office, AUTHOR, member_id(one), member_id(other))) is not None:
            self.merged.append(member_id(one))
            self.joined += [one, other]

    @precondition(lambda self: self.merged)
    @rule(seed=SEEDS)
    def a_merge_is_undone(self, seed: int) -> None:
        one = random.Random(seed).choice(self.merged)
        self.attempt(lambda: unmerge_members(self.office, AUTHOR, one))

    @rule(seed=SEEDS)
    def a_standing_is_opened(self, seed: int) -> None:
        """Late, or in the place of another one."""
        rng = random.Random(seed)
        system = rng.choice((RatingSystem.OTBR, RatingSystem.OTBR, RatingSystem.OTBQ))
        day = EVE if rng.random() < 0.7 else random_day(rng)
        one = random_opening(rng, self.member(rng), system, rng.choice(LEVELS[2:]), day)
        import_members(self.office, AUTHOR, [], [one])

    @rule(seed=SEEDS)
    def a_fact_becomes_known(self, seed: int) -> None:
        rng = random.Random(seed)
        number = self.member(rng)
        known = person(number)
        said: Person = rng.choice(
            (
                known._replace(birth_date=date(1960, 1, 1) + timedelta(days=rng.randrange(20000))),
                known._replace(fide=random_outside(rng), fide_flag=rng.choice(("USA", "CAN"))),
                known._replace(cfc=(OutsideRating(1609.0, date(2020, 1, 1)),), canadian_resident=True),
                known._replace(adult=rng.random() < 0.5, member_until=random_day(rng)),
            )
        )
        import_members(self.office, AUTHOR, [said])

    @rule(seed=SEEDS)
    def a_fact_was_wrong(self, seed: int) -> None:
        rng = random.Random(seed)
        facts: dict[str, Any] = rng.choice(
            ({"birth_date": None}, {"adult": None}, {"adult": True}, {"fide_flag": ""}, {"member_until": None})
        )
        self.attempt(lambda: set_fact(self.office, AUTHOR, member_id(self.member(rng)), facts))

    @rule(seed=SEEDS)
    def somebody_joins(self, seed: int) -> None:
        rng = random.Random(seed)
        self.newcomers += 1
        join(self.office, [random_person(rng, self.newcomers)], random_openings(rng, self.newcomers, FIRST_DAY))

    # decisions

    @rule(seed=SEEDS, kind=st.sampled_from(RULINGS))
    def something_is_decided(self, seed: int, kind: DecisionKind) -> None:
        rng = random.Random(seed)
        details: dict[str, Any] = {}
        if kind is DecisionKind.MONEY_FLOOR:
            details = {"prize": rng.choice((1000, 5000)), "limit": rng.choice((1400, 1800, 2000))}
        elif kind is DecisionKind.ADJUST and rng.random() < 0.5:
            details = {"games": rng.choice((4, 25, 26, 50))}
        system = rng.choice((RatingSystem.OTBR, RatingSystem.OTBR, RatingSystem.OTBQ))
        effective = rng.choice((None, EVE, random_day(rng)))
        self.decide(Ruling(kind, member_id(self.member(rng)), system, effective, rng.choice(LEVELS), details=details))

    @precondition(lambda self: self.events)
    @rule(seed=SEEDS)
    def match_conditions_are_waived(self, seed: int) -> None:
        rng = random.Random(seed)
        self.decide(Ruling(DecisionKind.WAIVE_MATCH, event_id=self.event(rng), section=rng.choice((1, 1, 2))))

    @rule(seed=SEEDS, kind=st.sampled_from((DecisionKind.GRANT_MATCH_FLOOR, DecisionKind.REFUSE_MATCH_FLOOR)))
    def a_lower_floor_is_granted_or_refused(self, seed: int, kind: DecisionKind) -> None:
        asked = sorted(one.about for one in posted(self.office).values() if one.requested_floor is not None)
        if asked:
            about = random.Random(seed).choice(asked)
            self.decide(Ruling(kind, about.member_id, about.system, event_id=about.event_id, section=about.section))

    @precondition(lambda self: self.decided)
    @rule(seed=SEEDS)
    def a_decision_is_revoked(self, seed: int) -> None:
        act = random.Random(seed).choice(self.decided)
        self.decide(Ruling(DecisionKind.REVOKE, details={"act": act}))

    def decide(self, ruling: Ruling) -> None:
        act = self.attempt(lambda: decide(self.office, AUTHOR, ruling))
        if act is not None:
            self.decided.append(act)

    # runs and lists

    def everything_is_rated(self) -> None:
        run(self.office)
        self.claims.after_a_run()

    @rule(seed=SEEDS, basis=st.sampled_from(Basis))
    def a_list_is_published(self, seed: int, basis: Basis) -> None:
        rng = random.Random(seed)
        month = Month(rng.randint(2021, 2026), rng.randint(1, 12))
        self.attempt(lambda: publish(self.office, AUTHOR, month, basis))
        self.claims.after_a_list()

    @rule(hours=st.integers(1, 2000))
    def time_goes_by(self, hours: int) -> None:
        self.clock.go(hours=hours)


def _moved(one: Any, days: int) -> Any:
    """A section on other days."""
    by = timedelta(days=days)
    return one._replace(start=max(one.start + by, FIRST_DAY), end=max(one.end + by, FIRST_DAY + (one.end - one.start)))

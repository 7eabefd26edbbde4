"""Order, names and repetition do not matter, over seeded random federations.

Oracles: the fold from zero, or another office that came to the same facts by another way.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import pytest
from sqlalchemy import func, select

from crosstable.office import tables
from crosstable.office.corrections import ChangedResult, correct_by_file, correct_member, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.ledger.postings import OWN, Posting, PostingKey
from crosstable.office.members import merge_members, unmerge_members
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.terms import RatingSystem, Report, ReportedCell, ReportedSection
from tests.office.claims import follows_from_the_facts
from tests.office.conftest import CopyOf, NewOffice
from tests.office.made_office import (
    AUTHOR,
    NOW,
    QUAD,
    bring,
    club_members,
    derived,
    document,
    enter,
    join,
    member_id,
    person,
    posted,
    quad,
    report,
    run,
    section,
)
from tests.office.random_federation import Federation, federation

MEMBERS, EVENTS = 10, 6
# Sums of a few floats in another order: a thousand times more than is ever seen, a millionth of what is published.
TOLERANCE = 1e-9
TODAY = NOW.date()
Place = tuple[str, RatingSystem, str, int]


def settled(new_office: NewOffice, made: Federation) -> Office:
    office = new_office()
    made.settle(office)
    run(office)
    return office


def by_place(postings: Mapping[PostingKey, Posting]) -> dict[Place, Posting]:
    """Postings by what they are about; openings and decisions without the number of their act."""
    return {
        (about.member_id, about.system, about.event_id, 0 if about.event_id.startswith(OWN) else about.section): one
        for about, one in postings.items()
    }


def state(office: Office) -> str:
    with office.reading() as connection:
        table = tables.run
        found = connection.execute(select(table.c.state_after).order_by(table.c.act.desc()).limit(1)).scalar()
    return str(found)


def shuffled(rng: random.Random, made: Report) -> Report:
    """The same event with its sections, rows and rounds in another order, the rows numbered anew."""
    sections = [_shuffled_section(rng, one) for one in made.sections]
    rng.shuffle(sections)
    return made._replace(sections=tuple(sections))


def _shuffled_section(rng: random.Random, one: ReportedSection) -> ReportedSection:
    numbers = [player.number or 0 for player in one.players]
    new = dict(zip(numbers, rng.sample(range(1, 2 * len(numbers) + 1), len(numbers)), strict=True))
    order = rng.sample(range(len(one.players[0].cells)), len(one.players[0].cells))

    def cell(old: ReportedCell) -> ReportedCell:
        return old._replace(opponent=new[old.opponent]) if old.opponent else old

    players = [
        player._replace(number=new[player.number or 0], cells=tuple(cell(player.cells[at]) for at in order))
        for player in one.players
    ]
    rng.shuffle(players)
    return one._replace(players=tuple(players))


def test_i1_the_order_of_sections_rows_and_rounds_does_not_matter(new_office: NewOffice, seeds: Sequence[int]) -> None:
    for seed in seeds:
        made = federation(seed, MEMBERS, EVENTS)
        rng = random.Random(seed)
        other = made._replace(reports=[shuffled(rng, one) for one in made.reports])
        first, second = (by_place(posted(settled(new_office, one))) for one in (made, other))
        assert first.keys() == second.keys()
        for place, one in first.items():
            assert one.rating_after == pytest.approx(second[place].rating_after, abs=TOLERANCE), (seed, place)
            assert one.games_after == second[place].games_after


def renamed(made: Federation, names: Mapping[str, str]) -> Federation:
    people = [one._replace(member_id=names[one.member_id]) for one in made.people]
    openings = [one._replace(member_id=names[one.member_id]) for one in made.openings]
    return Federation(people, openings, [_renamed_report(one, names) for one in made.reports])


def _renamed_report(made: Report, names: Mapping[str, str]) -> Report:
    sections = tuple(
        one._replace(players=tuple(player._replace(member_id=names[player.member_id]) for player in one.players))
        for one in made.sections
    )
    return made._replace(sections=sections)


def test_i2_other_member_ids_change_nothing_else(new_office: NewOffice, seeds: Sequence[int]) -> None:
    """Bit for bit: ids in the opposite order, so that nothing can lean on how they sort."""
    for seed in seeds:
        made = federation(seed, MEMBERS, EVENTS)
        names = {one.member_id: f"{99_999_999 - int(one.member_id)}" for one in made.people}
        first = by_place(posted(settled(new_office, made)))
        second = by_place(posted(settled(new_office, renamed(made, names))))
        expected = {}
        for (member, system, event_id, number), posting in first.items():
            event = f"{OWN}{names[member]}" if event_id.startswith(OWN) else event_id
            place = names[member], system, event, number
            expected[place] = posting._replace(member_id=names[member], event_id=event)
        assert second == expected


def test_i3_any_order_of_arrival_gives_what_rating_in_order_gives(new_office: NewOffice, seeds: Sequence[int]) -> None:
    """Published lists are inputs of the record; here some are published on the way, and no match asks for them."""
    for seed in seeds:
        made = federation(seed, MEMBERS, EVENTS)
        in_order = settled(new_office, made)
        rng = random.Random(seed)
        office = new_office()
        join(office, made.people, made.openings)
        run(office)
        for at, one in enumerate(rng.sample(made.reports, len(made.reports))):
            assert bring(office, one).act
            if rng.random() < 0.4:
                run(office)
            if rng.random() < 0.2:
                publish(office, AUTHOR, Month(2025, at + 1), Basis.NOW)
        run(office)
        assert posted(office) == posted(in_order), seed
        follows_from_the_facts(posted(office), derived(office))


def rows(office: Office) -> dict[str, int]:
    with office.reading() as connection:
        return {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in tables.metadata.tables.items()
        }


def test_i4_a_second_run_changes_no_row_and_says_so(new_office: NewOffice, seeds: Sequence[int]) -> None:
    for seed in seeds:
        office = settled(new_office, federation(seed, MEMBERS, EVENTS))
        before, stored, digest = rows(office), posted(office), state(office)
        assert run(office) is None
        assert (rows(office), posted(office), state(office)) == (before, stored, digest)


def test_i5_what_changed_and_its_successors_are_all_that_has_to_be_rated(
    new_office: NewOffice, seeds: Sequence[int]
) -> None:
    """A run after every act gives what one run after all acts gives, and rates fewer sections than there are."""
    for seed in seeds:
        made = federation(seed, MEMBERS, EVENTS)
        often, once = settled(new_office, made), new_office()
        made.settle(once)
        rng = random.Random(seed)
        sections = sum(len(one.sections) for one in made.reports)
        rated = []
        for event_id in rng.sample([one.event_id for one in made.reports], 4):
            for office in (often, once):
                withdraw(office, AUTHOR, event_id)
            done = run(often)
            assert done is not None
            rated.append(done.sections)
        run(once)
        assert by_place(posted(often)) == by_place(posted(once)), seed
        assert min(rated) < sections


class ThereAndBack(NamedTuple):
    """A deed and the one that takes it back."""

    there: Callable[[Office], object]
    back: Callable[[Office], object]


def _result(cell: str) -> Callable[[Office], object]:
    return lambda office: correct_result(office, AUTHOR, "b", ChangedResult(1, 1, 1, cell), TODAY)


def _file(made: Report) -> Callable[[Office], object]:
    return lambda office: correct_by_file(office, AUTHOR, made.event_id, document(made), TODAY)


def _swap(wrong: int, right: int) -> Callable[[Office], object]:
    return lambda office: correct_member(office, AUTHOR, "b", (member_id(wrong), member_id(right)), TODAY)


def _fact(value: date) -> Callable[[Office], object]:
    return lambda office: set_fact(office, AUTHOR, member_id(4), {"birth_date": value})


def _decision(kind: DecisionKind, value: float) -> Callable[[Office], object]:
    ruling = Ruling(kind, member_id(2), RatingSystem.OTBR, date(2026, 2, 1), value)
    return lambda office: decide(office, AUTHOR, ruling)


def _revoke(office: Office) -> object:
    with office.reading() as connection:
        last = connection.execute(select(func.max(tables.decision.c.act))).scalar()
    return decide(office, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": last}))


def on(day: date, event_id: str, wallchart: str = QUAD) -> Report:
    made = section(wallchart, start=day, end=day)
    return report(event_id, made)


MIDDLE = on(date(2026, 4, 1), "b")
RETURNS = {
    "a result": ThereAndBack(_result("L2"), _result("W2")),
    "an earlier day": ThereAndBack(_file(on(date(2026, 1, 1), "b")), _file(MIDDLE)),
    "a later day": ThereAndBack(_file(on(date(2026, 9, 1), "b")), _file(MIDDLE)),
    "another section": ThereAndBack(_file(report("b", section(QUAD, number=7))), _file(MIDDLE)),
    "a member": ThereAndBack(_swap(1, 7), _swap(7, 1)),
    "a withdrawal": ThereAndBack(lambda office: withdraw(office, AUTHOR, "b"), _file(MIDDLE)),
    "a birth date": ThereAndBack(_fact(date(2015, 1, 1)), _fact(date(1980, 1, 5))),
    "a merge": ThereAndBack(
        lambda office: merge_members(office, AUTHOR, member_id(4), member_id(8)),
        lambda office: unmerge_members(office, AUTHOR, member_id(4)),
    ),
    "a floor": ThereAndBack(_decision(DecisionKind.FLOOR, 1390.0), _revoke),
    "a ceiling": ThereAndBack(_decision(DecisionKind.CEILING, 1250.0), _revoke),
    "an adjusted rating": ThereAndBack(_decision(DecisionKind.ADJUST, 1700.0), _revoke),
    "a title": ThereAndBack(_decision(DecisionKind.LIFE_MASTER, 0.0), _revoke),
}


def spring_and_summer(office: Office) -> None:
    join(office, *club_members())
    enter(office, on(date(2026, 3, 1), "a"), MIDDLE, on(date(2026, 6, 1), "c"), quad("d"))
    enter(office, report("e", section("1 =5 | W2\n2 =8 | L1")))
    run(office)


@pytest.mark.parametrize("name", RETURNS)
def test_i6_what_is_done_and_taken_back_leaves_the_state_as_it_was(copy_of: CopyOf, name: str) -> None:
    office = copy_of(spring_and_summer)
    before, stored = state(office), posted(office)
    RETURNS[name].there(office)
    run(office)
    assert state(office) != before
    follows_from_the_facts(posted(office), derived(office))
    RETURNS[name].back(office)
    run(office)
    assert posted(office) == stored
    assert state(office) == before


def test_i6_a_whole_season_of_merges_and_their_undoing_restores_the_state(
    new_office: NewOffice, seeds: Sequence[int]
) -> None:
    for seed in seeds:
        made = federation(seed, MEMBERS, EVENTS)
        office = settled(new_office, made._replace(people=[*made.people, person(90), person(91)]))
        before = state(office)
        for one, other in ((1, 90), (90, 91)):
            merge_members(office, AUTHOR, member_id(one), member_id(other))
            run(office)
            follows_from_the_facts(posted(office), derived(office))
        for one in (90, 1):
            unmerge_members(office, AUTHOR, member_id(one))
            run(office)
        assert state(office) == before, seed

"""Interpreted and compiled runs write the same rows."""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, timedelta
from functools import partial

import pytest
from sqlalchemy import insert, select

from crosstable.errors import OfficeError
from crosstable.office import tables
from crosstable.office.bulk import causes, compiled, run
from crosstable.office.corrections import ChangedResult, correct_by_file, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.ledger.rerate import sections_ahead
from crosstable.office.members import merge_members, unmerge_members
from crosstable.terms import Floor, FloorKind, OutsideRating, RatingSystem, Report, SectionType
from tests.amounts import amount
from tests.engine.wallcharts import Played
from tests.office.claims import Claims
from tests.office.conftest import NewOffice
from tests.office.made_office import (
    AUTHOR,
    NOW,
    OTBR,
    club_members,
    document,
    enter,
    join,
    member_id,
    opening,
    person,
    posted,
    quad,
    rating_of,
    record_of,
    report,
    section,
    send,
)
from tests.office.random_federation import Federation, Pool, federation, random_report
from tests.office.two_ways import LONG, PLAIN, rated, rated_both_ways

# The first test to come here waits for the compiler.
TODAY = NOW.date()
MATCH = Played(date(2026, 5, 1), date(2026, 5, 1), SectionType.MATCH, "G/90;d5")
Pair = tuple[Office, Office]
JournalEntry = Callable[[Office], object]


@pytest.fixture
def pair(new_office: NewOffice) -> Pair:
    return new_office(), new_office()


def both(pair: Pair, *acts: JournalEntry) -> None:
    """The same acts in two offices."""
    for office in pair:
        for act in acts:
            act(office)


def a_club(office: Office) -> None:
    join(office, *club_members(12))
    for at, day in enumerate((date(2026, 3, 1), date(2026, 5, 1), date(2026, 7, 1))):
        enter(office, quad(f"q{at}", Played(start=day)))
    enter(office, quad("apart", wallchart="1 =9 | W2 D3 W4\n2 =10 | L1 L4 L3\n3 =11 | L4 D1 W2\n4 =7 | W3 W2 L1"))


def draw_in(office: Office, event_id: str) -> None:
    """The first game of a quad becomes a draw."""
    correct_result(office, AUTHOR, event_id, ChangedResult(1, 1, 1, "D2"), TODAY)


def entered(office: Office, made: Report) -> None:
    """Submit a report that must be accepted."""
    enter(office, made)


def some_act(rng: random.Random, fed: Federation, first: date, name: str) -> JournalEntry:
    """Something that may happen in an office, decided before it happens, so that it happens twice the same."""
    event = rng.choice(fed.reports).event_id
    one, other = rng.choice(fed.people).member_id, rng.choice(fed.people).member_id
    day = first + timedelta(days=rng.randrange(1500))
    kind = rng.choice((DecisionKind.FLOOR, DecisionKind.CEILING, DecisionKind.LOWER_FLOOR, DecisionKind.ADJUST))
    ruling = Ruling(kind, one, rng.choice((RatingSystem.OTBR, RatingSystem.OTBQ)), day, rng.choice((1200.0, 1500.0)))
    late = random_report(rng, Pool(range(1, len(fed.people) + 1)), name, day)
    born = date(1950 + rng.randrange(60), 1, 1)
    cell = rng.choice(("W2", "D2", "L2"))
    opened = opening(int(one) - 10_000_000, 1600.0, as_of=first + timedelta(days=rng.randrange(300)))
    return rng.choice(
        (
            lambda office: withdraw(office, AUTHOR, event),
            lambda office: correct_result(office, AUTHOR, event, ChangedResult(1, 1, 1, cell), TODAY),
            lambda office: merge_members(office, AUTHOR, one, other),
            lambda office: unmerge_members(office, AUTHOR, one),
            lambda office: decide(office, AUTHOR, ruling),
            lambda office: decide(office, AUTHOR, Ruling(DecisionKind.OPT_IN, one, effective=day)),
            lambda office: send(office, late),
            lambda office: set_fact(office, AUTHOR, one, {"birth_date": born}),
            lambda office: join(office, [], [opened]),
        )
    )


def attempted(act: JournalEntry) -> JournalEntry:
    """An act that the office may refuse."""

    def attempt(office: Office) -> None:
        with suppress(OfficeError):
            act(office)

    return attempt


def test_random_histories_are_posted_the_same_both_ways(new_office: NewOffice, seeds: Sequence[int]) -> None:
    """The plain run is the measure: it posts what the plain engine gives, section by section."""
    for seed in seeds:
        rng = random.Random(seed)
        first = (date(2003, 1, 1), date(2021, 1, 2))[seed % 2]
        fed = federation(seed, events=amount(16, 24), first_day=first)
        pair = new_office(), new_office()
        both(pair, fed.settle)
        assert rated_both_ways(*pair) is not None
        for turn in range(3):
            both(pair, *(attempted(some_act(rng, fed, first, f"late{turn}{at}")) for at in range(rng.choice((1, 3)))))
            rated_both_ways(*pair)
        Claims(pair[1]).after_a_run()


def test_a_section_that_moves_to_another_day_is_followed(pair: Pair) -> None:
    both(pair, a_club)
    rated_both_ways(*pair)
    moved = quad("q1", Played(start=date(2026, 2, 1)))
    both(pair, lambda office: correct_by_file(office, AUTHOR, "q1", document(moved), TODAY))
    done = rated_both_ways(*pair)
    assert done is not None
    assert done.sections == 2  # it changes places with a quad of the same results; what comes after is as it was
    Claims(pair[1]).after_a_run()


def test_years_of_birth_give_the_same_starts_and_the_same_notes(pair: Pair) -> None:
    """Age counts from July 1 of the year; a birth date beside it decides; the start of a blend is marked too."""
    people = [
        person(40, birth_year=2012),
        person(41, birth_date=date(2012, 7, 1)),
        person(42, birth_year=2012, birth_date=date(2010, 2, 3)),
        person(43, birth_year=2011, fide=(OutsideRating(1700.0, date(2026, 1, 1)),)),
    ]
    chart = "1 =40 | W2 D3 W4\n2 =41 | L1 L4 L3\n3 =42 | L4 D1 W2\n4 =43 | W3 W2 L1"
    both(pair, lambda office: join(office, people), lambda office: enter(office, quad("years", wallchart=chart)))
    assert rated_both_ways(*pair) is not None
    found = {about.member_id: one for about, one in posted(pair[0]).items()}
    assert found[member_id(40)].prior == found[member_id(41)].prior
    marked = {member: one.assumed for member, one in found.items() if one.assumed}
    assert marked.keys() == {member_id(40), member_id(43)}
    assert all("July 1" in text for text in marked.values() if text)


def test_merges_with_two_openings_and_their_undoing(pair: Pair) -> None:
    both(pair, a_club)
    rated_both_ways(*pair)
    both(pair, lambda office: merge_members(office, AUTHOR, member_id(10), member_id(1)))
    assert rated_both_ways(*pair) is not None
    both(pair, lambda office: unmerge_members(office, AUTHOR, member_id(10)))
    assert rated_both_ways(*pair) is not None
    Claims(pair[1]).after_a_run()


def test_openings_that_are_replaced_and_decisions_that_are_revoked(pair: Pair) -> None:
    both(pair, a_club)
    rated_both_ways(*pair)
    adjusted = Ruling(DecisionKind.ADJUST, member_id(2), RatingSystem.OTBR, date(2026, 6, 1), 1777.0)
    both(
        pair,
        lambda office: join(office, [], [opening(1, 1999.0, as_of=date(2025, 6, 1))]),
        lambda office: decide(office, AUTHOR, adjusted),
        lambda office: decide(office, AUTHOR, adjusted._replace(kind=DecisionKind.FLOOR, member_id=member_id(3))),
    )
    assert rated_both_ways(*pair) is not None
    with pair[0].reading() as connection:
        acts = [decision.act for decision in record_of(connection).decisions()]
    for act in acts:
        both(pair, partial(decide, author=AUTHOR, ruling=Ruling(DecisionKind.REVOKE, details={"act": act})))
        assert rated_both_ways(*pair) is not None
    Claims(pair[1]).after_a_run()


def enter_one(office: Office, made: Report) -> None:
    enter(office, made)


def test_a_granted_match_floor(pair: Pair) -> None:
    """§7, item 4: a match that takes member 2 to their floors asks for lower ones; other sections lie about it."""
    people = [person(number) for number in (1, 2, 3, 4)]
    floors = (Floor(FloorKind.MONEY, 1500.0), Floor(FloorKind.OFFICE, 1450.0))
    openings = [opening(number, 1500.0) for number in (1, 3, 4)]
    openings.append(opening(2, 1505.0, peak=1700.0, floors=floors))
    match = report("m", section("1 | W2 W2 W2\n2 | L1 L1 L1", MATCH, match_waiver="made up"))
    lost = "1 =2 | L2 L3 L4\n2 =1 | W1 U U\n3 =3 | U W1 U\n4 =4 | U U W1"
    both(pair, lambda office: join(office, people, openings), lambda office: enter(office, match))
    both(pair, lambda office: enter(office, *(quad(name, MATCH, lost) for name in ("a", "z"))))
    set_before = Ruling(DecisionKind.FLOOR, member_id(2), OTBR, date(2025, 1, 1), 1500.0)
    both(pair, lambda office: decide(office, AUTHOR, set_before))
    rated_both_ways(*pair)
    granted = Ruling(DecisionKind.GRANT_MATCH_FLOOR, member_id(2), event_id="m", section=1)
    both(pair, lambda office: decide(office, AUTHOR, granted))
    rated_both_ways(*pair)
    Claims(pair[1]).after_a_run()
    both(pair, lambda office: enter(office, quad("later", Played(start=date(2026, 8, 1)), lost)))
    rated_both_ways(*pair)
    assert 1400.0 <= rating_of(pair[0], 2) < 1450.0
    # lowered once more, then a floor that holds in full
    for kind, level, day in ((DecisionKind.LOWER_FLOOR, 1380.0, 5), (DecisionKind.FLOOR, 1430.0, 12)):
        ruling = Ruling(kind, member_id(2), OTBR, date(2026, 9, day), level)
        fallen = quad(f"n{day}", Played(start=date(2026, 9, day + 1)), lost)
        both(pair, partial(decide, author=AUTHOR, ruling=ruling), partial(enter_one, made=fallen))
        rated_both_ways(*pair)
    assert rating_of(pair[0], 2) == 1430.0
    both(pair, lambda office: withdraw(office, AUTHOR, "m"))
    rated_both_ways(*pair)
    Claims(pair[1]).after_a_run()


def test_a_section_for_which_a_document_is_missing_is_named_with_the_reason(pair: Pair) -> None:
    """The FIDE conversion of 2009 was not found (rules history §5); a FIDE rating that arrives late runs into it."""
    openings = [opening(number, 1500.0, as_of=date(2008, 1, 1)) for number in (1, 2, 3)]
    both(
        pair,
        lambda office: join(office, club_members()[0], openings),
        lambda office: enter(office, quad("old", Played(start=date(2009, 2, 1))), quad("new")),
    )
    rated_both_ways(*pair)
    both(pair, lambda office: join(office, [person(4, fide=(OutsideRating(2060.0, date(2008, 10, 1)),))]))
    done = rated_both_ways(*pair)
    assert done is not None
    assert ["FIDE conversion" in why for why in done.unratable.values()] == [True]
    both(pair, lambda office: set_fact(office, AUTHOR, member_id(5), {"birth_date": date(1970, 1, 1)}))
    rated_both_ways(*pair)


def test_of_more_acts_than_a_run_follows_only_the_nearest_are_named(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(causes, "MOST_FOLLOWED", 2)
    both(pair, a_club)
    rated_both_ways(*pair)
    both(
        pair,
        *(partial(draw_in, event_id=f"q{at}") for at in range(3)),
        lambda office: join(office, [], [opening(9, 1901.0, as_of=date(2025, 6, 1))]),
    )
    done = rated_both_ways(*pair)
    assert done is not None
    assert max(len(line.causes) for line in done.ripple) == 3


def test_blocks_do_not_show(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "BLOCK", 2)
    both(pair, a_club)
    rated_both_ways(*pair)
    both(pair, lambda office: withdraw(office, AUTHOR, "q1"))
    done = rated_both_ways(*pair)
    assert done is not None
    assert done.sections == 2


def test_lines_of_a_ripple_are_made_when_they_are_asked_for(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    both(pair, a_club)
    rated_both_ways(*pair)
    both(pair, lambda office: correct_result(office, AUTHOR, "q1", ChangedResult(1, 1, 1, "L2"), TODAY))
    monkeypatch.setattr(run, "_MADE_AT_ONCE", 0)
    first, second = rated(pair[0], PLAIN), rated(pair[1], LONG)
    assert first is not None
    assert second is not None
    assert isinstance(second.ripple, causes.RatingChanges)
    assert list(second.ripple) == list(first.ripple)
    assert (second.ripple[-1], second.ripple[1:3]) == (first.ripple[-1], list(first.ripple[1:3]))
    with pytest.raises(IndexError):
        second.ripple[len(first.ripple)]


def test_an_office_without_sections_is_rated_too(pair: Pair) -> None:
    both(pair, lambda office: join(office, *club_members()))
    done = rated_both_ways(*pair)
    assert done is not None
    assert (done.sections, done.postings) == (0, 6)


def test_few_steps_are_interpreted_and_many_compiled(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after the change but is not reached by it does not count."""
    a_club(office)
    made: list[str] = []
    monkeypatch.setattr(compiled, "Compiled", partial(chosen, made, "Compiled", compiled.Compiled))
    with office.reading() as connection:
        assert sections_ahead(connection) == 4
    rated(office, 3)
    with office.reading() as connection:
        assert sections_ahead(connection) == 0
    draw_in(office, "q1")
    with office.reading() as connection:
        assert sections_ahead(connection) == 4  # as the second version of q1 is counted too
    assert made == ["Compiled"]
    rated(office, 2)  # q1 and q2
    assert made == ["Compiled"]
    withdraw(office, AUTHOR, "q1")
    rated(office, 1)
    assert made == ["Compiled", "Compiled"]
    monkeypatch.setattr(run, "can_compile", lambda: False)
    withdraw(office, AUTHOR, "q2")
    rated(office, 0)
    assert made == ["Compiled", "Compiled"]


def chosen(made: list[str], name: str, replay: Callable[..., object], *given: object) -> object:
    """Note which replay was made."""
    made.append(name)
    return replay(*given)


def test_a_run_that_fails_leaves_nothing_behind(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    both(pair, a_club)

    def fail(*given: object) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr("crosstable.office.bulk.run.Post.finish", fail)
    with pytest.raises(RuntimeError, match="in the middle"):
        rated(pair[1], LONG)
    monkeypatch.undo()
    with pair[1].reading() as connection:
        assert not connection.execute(select(tables.posting.c.posting_id)).all()
    rated_both_ways(*pair)


def test_ids_that_json_writes_otherwise_are_posted_the_same(pair: Pair) -> None:
    """Quotes, backslashes and letters of other alphabets: fingerprints are hashes of JSON."""
    named = ('e"1"', "e\\2", "é3")
    both(pair, lambda office: join(office, *club_members()))
    for event_id in named:
        made = quad(event_id)
        both(pair, partial(entered, made=made))
    assert rated_both_ways(*pair) is not None
    Claims(pair[1]).after_a_run()


def test_an_unknown_cell_in_an_old_row_counts_as_a_blank(pair: Pair) -> None:
    """Rows as an older program may have left them: a cell that nobody can read is no game."""
    both(pair, lambda office: join(office, *club_members()), lambda office: enter(office, quad("q")))
    for office in pair:
        with office.writing("a test", "older rows") as connection:
            rows = connection.execute(select(tables.entry)).mappings().all()
            head = connection.execute(select(tables.section)).mappings().one()
            connection.execute(insert(tables.section), {**head, "number": 2})
            older = [{**row, "section": 2, "rounds": f"{row['rounds']} ?x -"} for row in rows]
            connection.execute(insert(tables.entry), older)
    assert rated_both_ways(*pair) is not None

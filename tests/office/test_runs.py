"""Rating runs: what is touched is rated, in the order of the fold, with its ripple; portions and chunks do not show."""

import json
from datetime import date
from itertools import pairwise

import pytest
from sqlalchemy import String, select

from crosstable import __version__
from crosstable.office import tables
from crosstable.office.bulk import deriving
from crosstable.office.corrections import ChangedResult, correct_by_file, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.backgrounds import Backgrounds, MemberDecisions, postings_of_member
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.ledger.journal import EntryKind, head
from crosstable.office.ledger.postings import (
    Posting,
    all_current,
    last_before,
    last_of_members,
    posting_from,
    rows_asked,
)
from crosstable.office.ledger.rerate import is_pending, rerate, sections_ahead
from crosstable.replaying import DAWN, Key
from crosstable.terms import OutsideRating, PlayerRating
from tests.engine.wallcharts import Played
from tests.office.claims import Claims
from tests.office.conftest import CopyOf
from tests.office.made_office import (
    AUTHOR,
    NOW,
    OTBR,
    QUAD,
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
    run,
    section,
    send,
)
from tests.office.random_federation import federation

TODAY = NOW.date()
DAYS = (date(2026, 3, 1), date(2026, 5, 1), date(2026, 7, 1))


@pytest.fixture
def season(copy_of: CopyOf) -> Office:
    return copy_of(four_quads)


def four_quads(office: Office) -> None:
    """Three quads of the same four, and one of four others; rated."""
    join(office, *club_members(12))
    for at, day in enumerate(DAYS):
        enter(office, quad(f"q{at}", Played(start=day)))
    enter(office, quad("apart", wallchart="1 =9 | W2 D3 W4\n2 =10 | L1 L4 L3\n3 =11 | L4 D1 W2\n4 =7 | W3 W2 L1"))
    run(office)


def test_a_run_rates_what_was_touched_and_what_follows_from_it(season: Office) -> None:
    correct_result(season, AUTHOR, "q1", ChangedResult(1, 1, 1, "L2"), TODAY)
    done = run(season)
    assert done is not None
    assert (done.sections, done.postings) == (2, 8)
    assert {line.member_id for line in done.ripple} == {member_id(number) for number in (1, 2, 3, 4)}
    assert {line.sections for line in done.ripple} == {(("q1", 1), ("q2", 1))}
    Claims(season).after_a_run()


def test_the_ripple_says_who_moved_from_where_to_where(season: Office) -> None:
    before = {number: rating_of(season, number) for number in (1, 2, 3, 4)}
    act = withdraw(season, AUTHOR, "q2")
    done = run(season)
    assert done is not None
    for line in done.ripple:
        number = int(line.member_id) % 100
        assert line.before is not None
        assert line.after is not None
        assert (line.before.rating, line.after.rating) == (before[number], rating_of(season, number))
        assert (line.system, line.sections, line.causes) == (OTBR, (("q2", 1),), (act,))


def test_a_run_is_an_act_with_its_engine_and_the_state_before_and_after(season: Office) -> None:
    with season.reading() as connection:
        first = head(connection)
    assert first is not None
    correct_result(season, AUTHOR, "q0", ChangedResult(1, 1, 1, "D2"), TODAY)
    done = run(season)
    assert done is not None
    with season.reading() as connection:
        last = head(connection)
        row = connection.execute(select(tables.run).where(tables.run.c.act == done.act)).mappings().one()
        rated = connection.execute(select(tables.rated_section).where(tables.rated_section.c.run == done.act)).all()
    assert last is not None
    assert (last.kind, last.seq) == (EntryKind.RATE, done.act)
    assert row["engine_version"] == __version__
    assert (row["state_before"], row["state_after"]) == (first.after["state"], last.after["state"])
    assert [one.edition for one in rated] == ["2025-01-01"] * 3


def test_a_late_event_is_rated_where_it_belongs(season: Office) -> None:
    enter(season, quad("late", Played(start=date(2026, 4, 1))))
    done = run(season)
    assert done is not None
    assert done.sections == 3  # the late one, and the two after it
    Claims(season).after_a_run()


def test_sections_are_rated_by_end_start_event_and_number(office: Office) -> None:
    """Readings 83, in each of its parts: the postings of one member form one chain in that order."""
    join(office, *club_members())
    late, early = date(2026, 5, 10), date(2026, 5, 1)
    enter(
        office,
        report(
            "z", section(QUAD, Played(start=late, end=late)), section(QUAD, Played(start=early, end=late), number=2)
        ),
        report(
            "a", section(QUAD, Played(start=early, end=late), number=3), section(QUAD, Played(start=late), number=1)
        ),
        report("m", section(QUAD, Played(start=early, end=early))),
    )
    run(office)
    of_first = [one for one in posted(office).values() if one.member_id == member_id(1)]
    after = {one.rating_before: one for one in of_first}
    chain, rating = [], None
    while rating in after:
        chain.append(after[rating])
        rating = chain[-1].rating_after
    assert [(one.event_id, one.section) for one in chain[1:]] == [("m", 1), ("a", 3), ("z", 2), ("a", 1), ("z", 1)]


def test_a_section_that_no_longer_rates_a_member_leaves_a_posting_that_says_so(season: Office) -> None:
    withdraw(season, AUTHOR, "apart")
    done = run(season)
    assert done is not None
    table = tables.posting
    with season.reading() as connection:
        rows = connection.execute(select(table).where(table.c.run == done.act)).mappings().all()
    assert {(row["event_id"], row["rating_after"]) for row in rows} == {("apart", None)}
    assert all(row["supersedes"] for row in rows)
    assert Posting(member_id(9), OTBR, "apart", 1, TODAY, TODAY).standing is None
    newcomers = {line.member_id: line.after for line in done.ripple}
    assert newcomers[member_id(9)] is not None  # back to their opening


def test_a_member_whose_only_section_goes_is_unrated_again(office: Office) -> None:
    join(office, *club_members())
    enter(office, quad("q"))
    run(office)
    withdraw(office, AUTHOR, "q")
    done = run(office)
    assert done is not None
    line = next(line for line in done.ripple if line.member_id == member_id(4))
    assert line.before is not None
    assert line.after is None
    assert not [about for about in posted(office) if about.member_id == member_id(4)]
    Claims(office).after_a_run()


def test_a_section_for_which_a_document_is_missing_is_named_and_blocks_nothing(office: Office) -> None:
    """The FIDE conversion of 2009 was not found (rules history §5); a FIDE rating that arrives late runs into it."""
    join(office, club_members()[0], [opening(number, 1500.0, as_of=date(2008, 1, 1)) for number in (1, 2, 3)])
    enter(office, quad("old", Played(start=date(2009, 2, 1))), quad("new", Played(start=DAYS[0])))
    run(office)
    join(office, [person(4, fide=(OutsideRating(2060.0, date(2008, 10, 1)),))])
    done = run(office)
    assert done is not None
    ((key, why),) = done.unratable.items()
    assert key.event_id == "old"
    assert "FIDE conversion" in why
    assert {about.event_id for about in posted(office) if not about.event_id.startswith("@")} == {"new"}
    with office.reading() as connection:
        assert list(deriving.derived(record_of(connection)).unratable) == [key]
    Claims(office).after_a_run()


def test_what_no_rating_rests_on_starts_no_run(season: Office) -> None:
    with season.reading() as connection:
        before = head(connection)
    join(season, [person(90)])
    assert run(season) is None
    with season.reading() as connection:
        last = head(connection)
        assert last is not None
        assert before is not None
        assert last.seq == before.seq + 1
        assert not is_pending(record_of(connection))
        assert sections_ahead(connection) == 0


def test_a_run_over_a_section_without_dates_touches_nothing(office: Office) -> None:
    join(office, *club_members())
    run(office)
    undated = section(QUAD, start=None, end=None)
    made = report("u", section(QUAD))._replace(sections=(undated,), start=None, end=None)
    assert send(office, made).held
    with office.reading() as connection:
        assert is_pending(record_of(connection))
        assert sections_ahead(connection) == 0
    done = run(office)
    assert done is not None
    assert (done.sections, done.postings, done.ripple) == (0, 0, ())


@pytest.mark.parametrize("chunk", [2, 500])
def test_chunks_do_not_show(office: Office, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """Values in chunks of two and of many give what the usual size gives."""
    made = federation(3, 10, 6)
    made.settle(office)
    run(office)
    monkeypatch.setattr("crosstable.office.ledger.postings.CHUNK", chunk)
    seen: list[int] = []
    set_fact(office, AUTHOR, made.people[0].member_id, {"birth_date": date(1999, 9, 9)})
    withdraw(office, AUTHOR, "e002")
    rerate(office, AUTHOR, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] > len(seen) - 1
    with office.reading() as connection:
        small = deriving.derived(record_of(connection), seen.append).postings
    monkeypatch.undo()
    with office.reading() as connection:
        assert deriving.derived(record_of(connection)).postings == small
    Claims(office).after_a_run()


def test_dates_that_move_take_the_postings_with_them(season: Office) -> None:
    """The first to the end, the last to the beginning, over one another."""
    for event_id, day in (("q0", date(2026, 8, 1)), ("q2", date(2026, 1, 5)), ("q1", date(2026, 7, 31))):
        moved = document(quad(event_id, Played(start=day)))
        assert correct_by_file(season, AUTHOR, event_id, moved, TODAY).is_stored
    run(season)
    Claims(season).after_a_run()
    days = {about.event_id: one.ended for about, one in posted(season).items() if about.event_id[0] == "q"}
    assert sorted(days, key=lambda event_id: days[event_id]) == ["q2", "q1", "q0"]


def test_backgrounds_answer_what_stood_before_any_place(season: Office) -> None:
    stored = sorted((one for one in posted(season).values() if one.member_id == member_id(1)), key=lambda one: one.key)
    with season.reading() as connection:
        backgrounds = Backgrounds(record_of(connection), {member_id(1), member_id(4)})
        assert postings_of_member(connection, member_id(1)) == stored
        assert postings_of_member(connection, member_id(90)) == []
        for one, other in pairwise(stored):
            assert backgrounds.background(member_id(1), other.key).standings == {OTBR: one.standing}
        assert backgrounds.background(member_id(1), stored[0].key).standings == {}
        assert backgrounds.background(member_id(4), stored[0].key).standings == {}


def test_the_last_postings_before_a_day_are_those_before_its_first_place(season: Office) -> None:
    everybody = sorted({one.member_id for one in posted(season).values()})
    rows = json.dumps([{"member_id": one} for one in everybody])
    days = {one.ended for one in posted(season).values()}
    assert len(days) > 1
    for day in days:
        last: dict[tuple[str, int], Posting] = {}
        for one in sorted(posted(season).values(), key=lambda one: one.key):
            if one.ended < day:
                last[one.member_id, one.system] = one
        with season.reading() as connection:
            wanted = rows_asked(connection, rows, {"member_id": String()})
            by_day = {
                posting_from(row) for row in connection.execute(last_before(connection, wanted, Posting._fields, day))
            }
            by_key = {*last_of_members(connection, everybody, Key(day, DAWN, "", 0))}
        assert by_day == by_key == {*last.values()}


def test_postings_can_be_asked_as_of_a_run(season: Office) -> None:
    with season.reading() as connection:
        then = head(connection)
        before = {about: one.posting for about, one in all_current(connection).items()}
    assert then is not None
    withdraw(season, AUTHOR, "q0")
    run(season)
    with season.reading() as connection:
        assert {about: one.posting for about, one in all_current(connection, then.seq).items()} == before
        past = postings_of_member(connection, member_id(1), then.seq)
        assert [one.event_id for one in past][1:] == ["q0", "q1", "q2"]
        assert all_current(connection, 1) == {}


def test_what_is_decided_about_members_is_read_once(season: Office) -> None:
    decide(season, AUTHOR, Ruling(DecisionKind.FLOOR, member_id(1), OTBR, DAYS[0], 1290.0))
    with season.reading() as connection:
        decisions = MemberDecisions(record_of(connection))
        decisions.know([member_id(1)])
        decisions.know([member_id(1)])
        later = next(one.key for one in posted(season).values() if one.event_id == "q2")
        held = decisions.decided(member_id(1), OTBR, PlayerRating(1400.0), later)
    assert [floor.level for floor in held.floors] == [1290.0]

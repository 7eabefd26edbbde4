"""What leaves an office: posted numbers and working, and no birth date, age or start by age in any of it."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

import pytest

from crosstable.errors import OfficeError
from crosstable.formats.event_json_write import write
from crosstable.formulas.outcome import official_rating
from crosstable.office.audit import audit
from crosstable.office.corrections import withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import set_fact
from crosstable.office.ledger.postings import all_current
from crosstable.office.list_files import list_csv, list_parquet, list_table, list_text, list_xlsx, top_text
from crosstable.office.public import PublicOffice, public_document
from crosstable.office.published import Month
from crosstable.office.settings import PUBLIC_DECIMALS, half_up, is_on, switch
from crosstable.office.supplements import Basis, publish
from crosstable.office.titles import norms_of
from crosstable.office.top_lists import AGE_BANDS, Wanted, top_list
from crosstable.terms import RatingSystem
from tests.engine.by_file import rated_file
from tests.engine.wallcharts import Played
from tests.office.made_office import (
    AUTHOR,
    OTBR,
    HandClock,
    enter,
    join,
    member_id,
    opening,
    person,
    posted,
    quad,
    report,
    run,
    section,
)
from tests.office.random_federation import federation

# Newcomers 1 and 5 start by age, 6 by a blend with age; the others bring provisional ratings.
BIRTH = date(2013, 5, 17)
BIRTHS = {1: BIRTH, 5: date(2009, 11, 23), 6: date(2011, 8, 29)}
MONTH = "2026-12"
FIRST, SECOND, DUAL = date(2026, 8, 1), date(2026, 9, 5), date(2026, 10, 3)
SWISS = """
    1 | L2 L3 W5 D4
    2 | W1 D4 L3 W6
    3 | W4 W1 W2 L5
    4 | L3 D2 D6 D1
    5 | D6 L6 L1 W3
    6 | D5 W5 D4 L2
"""
AGAIN = """
    1 =1 | L2 W3 L4
    2 =2 | W1 L4 D3
    3 =5 | D4 L1 D2
    4 =3 | D3 W2 W1
"""


def first_event(office: Office, clock: HandClock, births: dict[int, date]) -> int:
    """Members and the newcomers' first event; returns the run."""
    people = [person(number, birth_date=births.get(number), state="NY") for number in range(1, 7)]
    openings = [opening(number, 600.0 + 83.21 * number, float(4 + number)) for number in (2, 3, 4)]
    openings.append(opening(6, 711.37, 6.0, system=RatingSystem.OLB, as_of=date(2024, 1, 5)))
    openings.append(opening(6, 902.11, 9.0, system=RatingSystem.OLQ, as_of=date(2021, 3, 9)))
    join(office, people, openings)
    enter(office, report("first", section(SWISS, Played(start=FIRST))))
    clock.go(hours=1)
    made = run(office)
    assert made is not None
    return made.act


def season(office: Office, clock: HandClock, births: dict[int, date]) -> int:
    """Three events, two runs, a list; returns the last run."""
    first_event(office, clock, births)
    enter(office, quad("again", Played(start=SECOND), AGAIN))
    enter(office, report("dual", section(SWISS, Played(start=DUAL, control="G/45;d5"))))
    clock.go(hours=1)
    made = run(office)
    assert made is not None
    publish(office, AUTHOR, Month(2026, 12), Basis.NOW)
    return made.act


ALL = (("first", 6), ("again", 4), ("dual", 6))


def public_things(
    office: Office, last_run: int, events: tuple[tuple[str, int], ...] = ALL
) -> Iterator[tuple[str, Any]]:
    """Everything that anybody may see, each with its name."""
    with office.reading() as connection:
        public = PublicOffice(connection)
        for number in range(1, 7):
            yield f"member {number}", public.member(member_id(number))
            yield f"history {number}", public.history(member_id(number))
            yield f"norms {number}", norms_of(connection, member_id(number))
        for event, players in events:
            yield f"section {event}", public.section(event, 1)
            for player in range(1, players + 1):
                yield f"explain {event} {player}", public.explain(event, 1, player)
        yield "log", public.log()
        yield "ripple", public.ripple(last_run)
        table = list_table(connection, MONTH)
        yield "list", table.members
        yield "list text", list_text(table)
        yield "list csv", list_csv(table)
        yield "list xlsx", list_xlsx(table)
        yield "list parquet", list_parquet(table)
        for band in AGE_BANDS:
            yield (
                f"top {band.name}",
                top_text(top_list(connection, MONTH, Wanted(OTBR, band=band, has_provisional=True))),
            )


def written(day: date) -> tuple[str, ...]:
    """The ways in which a date may be written."""
    return (day.isoformat(), f"{day:%m/%d/%Y}", f"{day:%Y%m%d}", repr(day), f"{day.month}/{day.day}/{day.year}")


def test_no_public_thing_holds_a_birth_date_or_an_age(office: Office, clock: HandClock) -> None:
    last = season(office, clock, BIRTHS)
    ages = [f"{(day - birth).days / 365.25:.4f}" for birth in BIRTHS.values() for day in (FIRST, SECOND, DUAL)]
    looked_at = 0
    for name, thing in public_things(office, last):
        text = thing.decode("latin-1") if isinstance(thing, bytes) else str(thing)
        for birth in BIRTHS.values():
            assert not any(form in text for form in written(birth)), name
        assert not any(age in text for age in ages), name
        assert "age at the section" not in text, name
        looked_at += 1
    assert looked_at > 40
    assert any("2013, 5, 17" in form for form in written(BIRTH))  # the forms are those that Python prints


def test_the_office_itself_does_keep_what_the_crawl_looks_for(office: Office, clock: HandClock) -> None:
    """The crawl can fail: the office's own views hold both birth dates and decimals of starts."""
    season(office, clock, BIRTHS)
    with office.reading() as connection:
        postings = [stored.posting for stored in all_current(connection).values()]
        public = PublicOffice(connection)
        assert str(BIRTH.year) in str(public.record.people([member_id(1)]))
    start = 50.0 * (FIRST - BIRTH).days / 365.25  # §2.3, by hand
    (first,) = (one for one in postings if one.member_id == member_id(1) and one.event_id == "first")
    assert first.prior == pytest.approx(start, abs=1e-9)


def test_a_late_birth_date_is_in_the_log_without_being_said(office: Office, clock: HandClock) -> None:
    season(office, clock, BIRTHS)
    set_fact(office, AUTHOR._replace(reason="born 2012-02-29, passport seen"), member_id(2), {"birth_date": BIRTH})
    with office.reading() as connection:
        log = PublicOffice(connection).log()
    assert (log[-1].kind, log[-1].subject, log[-1].reason) == ("members", member_id(2), "")
    assert "2012-02-29" not in str(log)
    assert all(act.at.second == act.at.microsecond == 0 for act in log)


def test_no_hash_of_the_record_is_in_the_public_log(office: Office, clock: HandClock) -> None:
    """A hash over all but one unknown day can be tried out."""
    season(office, clock, BIRTHS)
    with office.reading() as connection:
        text = str(PublicOffice(connection).log())
    words = "".join(char if char in "0123456789abcdef" else " " for char in text).split()
    assert max(map(len, words)) < 32


def test_what_anybody_sees_of_a_ripple_is_whole_numbers(office: Office, clock: HandClock) -> None:
    last = season(office, clock, BIRTHS)
    with office.reading() as connection:
        lines = PublicOffice(connection).ripple(last)
    assert {line.member_id for line in lines} == {member_id(number) for number in range(1, 7)}
    for line in lines:
        for shown in (line.before, line.after):
            assert shown is None or shown.rating == int(shown.rating)


def test_every_section_shows_its_working(office: Office, clock: HandClock) -> None:
    """For everybody who played: the formula, the games, the result; where nobody started by age, both passes whole."""
    season(office, clock, BIRTHS)
    with office.reading() as connection:
        public = PublicOffice(connection)
        rows = [(event, number) for event, players in ALL for number in range(1, players + 1)]
        told = [lines for event, number in rows for lines in public.explain(event, 1, number).values()]
    assert len(told) == 22  # six, four, and six in two systems
    for lines in told:
        assert {"Rules", "Step 1", "Step 4", "Step 5", "Result"} <= {line.part for line in lines}


def test_public_decimals_are_off_until_the_office_switches_them_on(office: Office, clock: HandClock) -> None:
    last = season(office, clock, BIRTHS)
    with office.reading() as connection:
        exact = {one.about: one.rating_after for one in (stored.posting for stored in all_current(connection).values())}
        assert not is_on(connection, PUBLIC_DECIMALS)
    assert switch(office, AUTHOR, PUBLIC_DECIMALS, on=False) is None
    act = switch(office, AUTHOR, PUBLIC_DECIMALS, on=True)
    assert act is not None
    assert switch(office, AUTHOR, PUBLIC_DECIMALS, on=True) is None
    with office.reading() as connection:
        public = PublicOffice(connection)
        lines = [line.posting for number in range(1, 7) for line in public.history(member_id(number))]
        assert all(line.after and line.after.rating == half_up(exact[line.posting.about] or 0.0, 2) for line in lines)
        assert any(line.after and line.after.rating % 1.0 for line in lines)
        assert any(line.change and line.change % 1.0 for line in public.ripple(last))
        listed = [one for row in list_table(connection, MONTH).members for one in row.ratings.values()]
        assert all(one.rating == int(one.rating) for one in listed)
        assert public.log()[-1].said == {"public_decimals": True}
    clock.go(hours=48)
    switch(office, AUTHOR, PUBLIC_DECIMALS, on=False)
    with office.reading() as connection:
        assert not is_on(connection, PUBLIC_DECIMALS)
        assert is_on(connection, PUBLIC_DECIMALS, act)  # as it was known then
        assert audit(office).findings == ()


def test_the_public_document_of_a_file_hides_starts_by_age() -> None:
    made = report("file", section(SWISS, Played(start=FIRST)))
    players = tuple(
        player._replace(background=player.background._replace(birth_date=BIRTHS.get(player.number or 0)))
        for player in made.sections[0].players
    )
    event = rated_file(json.loads(write(made._replace(sections=(made.sections[0]._replace(players=players),)))))
    document = event.to_dict()
    public = public_document(document, event)
    own = document["sections"][0]["systems"]["OTBR"]["players"]
    assert "age" in json.dumps(own[0]["initial"])
    rows = public["sections"][0]["systems"]["OTBR"]["players"]
    assert [row["initial"]["rating"] for row in rows] == [None] * 6
    assert "age" not in json.dumps([source for row in rows for source in row["initial"]["sources"]])
    assert [row["post"] for row in rows] == [float(row["rounded"]) for row in own]


def test_in_random_federations_what_is_shown_is_the_posted_whole_number(
    new_office: Callable[[], Office], seeds: Sequence[int]
) -> None:
    for seed in seeds:
        office = new_office()
        made = federation(seed, members=24, events=14)
        made.settle(office)
        run(office)
        births = [form for one in made.people if one.birth_date is not None for form in written(one.birth_date)[:2]]
        with office.reading() as connection:
            public = PublicOffice(connection)
            lines = [line.posting for one in made.people for line in public.history(one.member_id)]
            text = str([public.member(one.member_id) for one in made.people]) + str(public.log())
        own = posted(office)
        assert len(lines) == len(own)
        for line in lines:
            rating = own[line.posting.about].rating_after
            assert rating is not None
            assert line.after is not None
            assert line.after.rating == official_rating(rating)
        assert not [form for form in births if form in text]


def test_sections_that_rate_nobody_show_nothing(office: Office, clock: HandClock) -> None:
    season(office, clock, BIRTHS)
    withdraw(office, AUTHOR, "again")
    run(office)
    with office.reading() as connection:
        public = PublicOffice(connection)
        assert public.section("again", 1) == []
        with pytest.raises(OfficeError, match="no rated section 1"):
            public.explain("again", 1, 1)
        with pytest.raises(OfficeError, match="no section 9"):
            public.section("again", 9)


def test_what_the_public_saw_on_a_past_day(office: Office, clock: HandClock) -> None:
    """As known before anything happened there is nobody to be seen rated."""
    season(office, clock, BIRTHS)
    with office.reading() as connection:
        assert [act.kind for act in PublicOffice(connection, date(2000, 1, 2)).log()] == ["founded"]

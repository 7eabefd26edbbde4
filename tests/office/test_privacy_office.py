"""What leaves an office: no birth date in anything public, and nothing that changes with one (issue 5 §5; I19)."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from crosstable.formats.event_json_write import write
from crosstable.formulas.rounding import official_rating
from crosstable.office.database import Office
from crosstable.office.decisions import set_fact
from crosstable.office.ledger.postings import all_current
from crosstable.office.list_files import list_csv, list_parquet, list_table, list_text, list_xlsx, top_text
from crosstable.office.public import public_document, veils_of_event
from crosstable.office.public_views import PublicOffice
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish, supplements
from crosstable.office.titles import norms_of
from crosstable.office.top_lists import AGE_BANDS, Wanted, top_list
from crosstable.office.veiled_record import spans_on_list
from crosstable.office.veils import block_of
from crosstable.terms import RatingSystem
from tests.engine.by_file import rated_file
from tests.engine.wallcharts import Played
from tests.office.made_office import (
    DEED,
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
    publish(office, DEED, Month(2026, 12), Basis.NOW)
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
        (listed,) = supplements(connection)
        spans = spans_on_list(connection, listed)
        table = list_table(connection, MONTH, spans)
        yield "list", table.members
        yield "list text", list_text(table)
        yield "list csv", list_csv(table)
        yield "list xlsx", list_xlsx(table)
        yield "list parquet", list_parquet(table)
        for band in AGE_BANDS:
            yield (
                f"top {band.name}",
                top_text(top_list(connection, MONTH, Wanted(OTBR, band=band, has_provisional=True), spans)),
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
        assert str(BIRTH.year) in str(public.veils.record.people([member_id(1)]))
    start = 50.0 * (FIRST - BIRTH).days / 365.25  # §2.3, by hand
    (first,) = (one for one in postings if one.member_id == member_id(1) and one.event_id == "first")
    assert first.prior == pytest.approx(start, abs=1e-9)


def of_other_births(office: Office, clock: HandClock, births: dict[int, date]) -> dict[str, Any]:
    """Everything public of an office after the first event and a list, for given births; all who meet are provisional.

    Left out is only the head of the record: it covers birth dates, and the times of acts to the microsecond, which are
    not public.
    """
    clock.now = datetime(2026, 11, 15, 12, tzinfo=UTC)
    last = first_event(office, clock, births)
    publish(office, DEED, Month(2026, 12), Basis.NOW)
    things = dict(public_things(office, last, ALL[:1]))
    with office.reading() as connection:
        table = list_table(connection, MONTH)
    things["heading"] = [pair for pair in table.heading if pair[0] != "head of the record"]
    return {name: things[name] for name in things if name not in ("list text", "list xlsx", "list parquet")}


def test_nothing_public_changes_with_a_birth_date_of_the_same_years(
    new_office: Callable[[], Office], clock: HandClock
) -> None:
    """The same office with births years apart: everything public is equal, the digest of the list included.

    Age lists tell the year of birth (a year is the bar), so top lists by age are compared within a year only. Member
    6 starts by a blend; the games that it is credited with are public, and the same for these births.
    """
    first, last = block_of(BIRTH)
    assert last - first >= timedelta(days=4 * 365)
    same_year = {1: date(2013, 12, 31), 5: date(2009, 1, 1), 6: date(2011, 1, 2)}
    block_ends = {1: first, 5: block_of(BIRTHS[5])[1], 6: date(2010, 6, 1)}
    true = of_other_births(new_office(), clock, BIRTHS)
    assert b"-" in true["list csv"]  # ranges stand in it
    for births, apart in ((same_year, "none"), (block_ends, "top")):
        other = of_other_births(new_office(), clock, births)
        assert true.keys() == other.keys()
        assert [name for name in true if true[name] != other[name] and not name.startswith(apart)] == []


def test_a_late_birth_date_is_in_the_log_without_being_said(office: Office, clock: HandClock) -> None:
    season(office, clock, BIRTHS)
    set_fact(office, DEED._replace(reason="born 2012-02-29, passport seen"), member_id(2), {"birth_date": BIRTH})
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
            assert shown is None or shown.rating is None or shown.rating == int(shown.rating)
            assert shown is None or (shown.rating is None) != (shown.between is None)


def test_the_public_document_of_a_file_hides_what_hangs_on_age() -> None:
    made = report("file", section(SWISS, Played(start=FIRST)))
    players = tuple(
        player._replace(background=player.background._replace(birth_date=BIRTHS.get(player.number or 0)))
        for player in made.sections[0].players
    )
    event = rated_file(json.loads(write(made._replace(sections=(made.sections[0]._replace(players=players),)))))
    document = event.to_dict()
    public = public_document(document, veils_of_event(event))
    assert "age" in json.dumps(document["sections"][0]["systems"]["OTBR"]["players"][0]["initial"])
    rows = public["sections"][0]["systems"]["OTBR"]["players"]
    assert [row["initial"]["rating"] for row in rows] == [None] * 6
    assert {row["k"] for row in rows} == {row["expected"] for row in rows} == {None}
    assert "age" not in json.dumps([source for row in rows for source in row["initial"]["sources"]])
    assert rows[0]["post"] is None
    low, high = rows[0]["post_between"]
    true = document["sections"][0]["systems"]["OTBR"]["players"][0]["post"]
    assert low <= true <= high
    assert document["sections"][0]["systems"]["OTBR"]["players"][0]["post"] == true  # the office's own is untouched


def test_in_random_federations_what_is_shown_is_true_and_tells_no_birth_date(
    new_office: Callable[[], Office], seeds: Sequence[int]
) -> None:
    """Ranges hold the rating, whole numbers are its rounding, decimals are shown only where they are all there is."""
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
        hidden = 0
        for line in lines:
            rating = own[line.posting.about].rating_after
            assert rating is not None
            assert line.after is not None
            if line.after.between is None:
                assert line.after.rating in (rating, official_rating(rating))
            else:
                hidden += 1
                low, high = line.after.between
                assert low - 1e-9 <= rating <= high + 1e-9  # a bound may be the rating itself, summed in another order
        assert 0 < hidden < len(lines)
        assert not [form for form in births if form in text]

"""Top lists: by system, and by state or age; ties share a rank; no age is shown, and none can be found to the month."""

from datetime import date

import pytest

from crosstable.errors import OfficeError
from crosstable.office.audit import audit
from crosstable.office.database import Office
from crosstable.office.decisions import set_fact
from crosstable.office.ledger.facts import Person
from crosstable.office.list_files import top_text
from crosstable.office.members import merge_members
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, ListRow, publish, supplements
from crosstable.office.top_lists import AGE_BANDS, MOST_TOP, TopRow, Wanted, age_ranks, band_of, ranked, top_list
from crosstable.terms import RatingSystem
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, OTBR, join, member_id, opening, person, run

YEAR = 2026


def row(number: int, rating: int, **more: object) -> ListRow:
    made = ListRow(str(number), OTBR, f"N{number}", "NY", rating, 40.0, False)
    return made._replace(**more)  # type: ignore[arg-type]


def ranks(rows: tuple[TopRow, ...]) -> list[tuple[int, str]]:
    return [(one.rank, one.member_id) for one in rows]


def test_ties_share_a_rank_and_the_next_one_counts_them() -> None:
    rows = [row(1, 1500), row(2, 1700), row(3, 1700), row(4, 1600)]
    assert ranks(ranked(rows, Wanted(OTBR), {}, YEAR)) == [(1, "2"), (1, "3"), (3, "4"), (4, "1")]


@pytest.mark.parametrize(("size", "expected"), [(1, ["2", "3"]), (2, ["2", "3"]), (3, ["2", "3", "4"])])
def test_who_ties_with_the_last_one_is_on_the_list(size: int, expected: list[str]) -> None:
    rows = [row(1, 1500), row(2, 1700), row(3, 1700), row(4, 1600)]
    assert [one.member_id for one in ranked(rows, Wanted(OTBR, size=size), {}, YEAR)] == expected


def test_only_established_ratings_unless_asked_for() -> None:
    rows = [row(1, 1500), row(2, 1700, games=9.0, is_provisional=True)]
    assert ranks(ranked(rows, Wanted(OTBR), {}, YEAR)) == [(1, "1")]
    assert ranks(ranked(rows, Wanted(OTBR, has_provisional=True), {}, YEAR)) == [(1, "2"), (2, "1")]


def test_one_system_and_one_state() -> None:
    rows = [row(1, 1500), row(2, 1700, state="NJ"), row(3, 1800, system=RatingSystem.OTBQ)]
    assert ranks(ranked(rows, Wanted(OTBR, state="ny"), {}, YEAR)) == [(1, "1")]
    assert ranks(ranked(rows, Wanted(RatingSystem.OTBQ), {}, YEAR)) == [(1, "3")]


@pytest.mark.parametrize(
    ("birth_date", "bands"),
    [
        (date(2017, 1, 1), ["8 and under", "20 and under"]),  # 8 at the end of 2025
        (date(2016, 12, 31), ["9-10", "20 and under"]),
        (date(2015, 1, 1), ["9-10", "20 and under"]),
        (date(2014, 12, 31), ["11-12", "20 and under"]),
        (date(2005, 6, 6), ["19-20", "20 and under"]),
        (date(2004, 6, 6), ["21-49"]),
        (date(1976, 6, 6), ["21-49"]),
        (date(1975, 12, 31), ["50 and over"]),
        (date(1960, 1, 1), ["50 and over", "65 and over"]),
        (None, []),
    ],
)
def test_the_bands_of_an_age(birth_date: date | None, bands: list[str]) -> None:
    people = {"1": Person("1", "N1", birth_date=birth_date, age_lists=True)}
    found = [band.name for band in AGE_BANDS if ranked([row(1, 1500)], Wanted(OTBR, band=band), people, YEAR)]
    assert found == bands


def test_everybody_of_one_year_of_birth_changes_bands_at_new_year() -> None:
    """So two lists tell a year of birth, and never a month."""
    for year in (2026, 2027):
        for band in AGE_BANDS:
            found = set()
            for birth in (date(2015, 1, 1), date(2015, 7, 15), date(2015, 12, 31)):
                people = {"1": Person("1", "N1", birth_date=birth, age_lists=True)}
                found.add(ranked([row(1, 1500)], Wanted(OTBR, band=band), people, year))
            assert len(found) == 1


def test_a_year_of_birth_alone_gives_the_band_too() -> None:
    people = {"1": Person("1", "N1", birth_year=1960)}
    found = [band.name for band in AGE_BANDS if ranked([row(1, 1500)], Wanted(OTBR, band=band), people, YEAR)]
    assert found == ["50 and over", "65 and over"]


def test_a_title_says_what_the_list_is() -> None:
    aged = Wanted(RatingSystem.OLB, band=band_of("65 and over"), size=10)
    assert aged.title == "Top 10, online Blitz, age 65 and over"
    assert Wanted(RatingSystem.OLB, state="NY", size=10).title == "Top 10, online Blitz, NY"


@pytest.mark.parametrize(
    ("birth_date", "listed"),
    [
        (date(2008, 1, 1), {None: False, True: True, False: False}),  # 17 at the end of 2025
        (date(2007, 12, 31), {None: True, True: True, False: False}),  # 18
        (date(1950, 6, 6), {None: True, True: True, False: False}),
    ],
)
def test_minors_are_listed_by_age_where_they_asked_and_nobody_who_asked_not_to(
    birth_date: date, listed: dict[bool | None, bool]
) -> None:
    for wish, is_listed in listed.items():
        people = {"1": Person("1", "N1", birth_date=birth_date, age_lists=wish)}
        found = [band.name for band in AGE_BANDS if ranked([row(1, 1500)], Wanted(OTBR, band=band), people, YEAR)]
        assert bool(found) is is_listed
        assert ranks(ranked([row(1, 1500)], Wanted(OTBR), people, YEAR)) == [(1, "1")]  # without an age band, always


def test_a_band_that_is_not_there_is_an_error() -> None:
    assert band_of("9-10").youngest == 9
    with pytest.raises(OfficeError, match="no age band; there are 8 and under, 9-10"):
        band_of("9 to 10")


def fill(office: Office) -> None:
    """Four children and a grown-up on a list."""
    births = {1: date(2016, 3, 3), 2: date(2015, 9, 9), 3: date(1970, 1, 1), 4: None, 5: date(2015, 2, 2)}
    people = [person(number, birth_date=birth, state="NY", age_lists=True) for number, birth in births.items()]
    join(office, people, [opening(number, 1000.0 + number) for number in births])
    run(office)
    publish(office, AUTHOR, Month(2026, 12), Basis.NOW)


@pytest.fixture
def listed(copy_of: CopyOf) -> Office:
    return copy_of(fill)


def test_the_top_of_a_published_list_by_age(listed: Office) -> None:
    with listed.reading() as connection:
        top = top_list(connection, "2026-12", Wanted(OTBR, band=band_of("9-10")))
        (supplement,) = supplements(connection)
    assert ranks(top.rows) == [(1, member_id(5)), (2, member_id(2)), (3, member_id(1))]
    assert (top.title, top.month, top.digest) == ("Top 100, Regular, age 9-10", "2026-12", supplement.digest)
    assert not any(str(year) in top_text(top) for year in (2015, 2016))


def test_places_on_age_lists_are_those_of_the_lists(listed: Office) -> None:
    """A member has a place in a group exactly where the public list of the group names them, and the same one."""
    set_fact(listed, AUTHOR, member_id(5), {"age_lists": False})
    with listed.reading() as connection:
        found = age_ranks(connection, "2026-12")
        tops = {
            band.name: top_list(connection, "2026-12", Wanted(OTBR, band=band, size=MOST_TOP)).rows
            for band in AGE_BANDS
        }
    named = {(row.member_id, name, row.rank) for name, rows in tops.items() for row in rows}
    assert {(member, one.band, one.rank) for (member, _), some in found.items() for one in some} == named
    assert found[member_id(2), OTBR] == [("9-10", 1), ("20 and under", 1)]
    assert (member_id(5), OTBR) not in found  # asked to be left out
    assert (member_id(4), OTBR) not in found  # no birth date


def test_a_birth_date_that_came_later_does_not_change_a_list_of_the_past(listed: Office) -> None:
    join(listed, [person(4, birth_date=date(2015, 5, 5))])
    with listed.reading() as connection:
        top = top_list(connection, "2026-12", Wanted(OTBR, band=band_of("9-10")))
    assert member_id(4) not in {row.member_id for row in top.rows}


def test_a_wish_counts_on_lists_that_are_out_already(listed: Office) -> None:
    """A list is frozen, but who asks to be left out of age groups is left out at once; a merged id has its own wish."""
    set_fact(listed, AUTHOR, member_id(5), {"age_lists": False})
    set_fact(listed, AUTHOR, member_id(2), {"age_lists": None})
    with listed.reading() as connection:
        top = top_list(connection, "2026-12", Wanted(OTBR, band=band_of("9-10")))
        whole = top_list(connection, "2026-12", Wanted(OTBR))
    assert ranks(top.rows) == [(1, member_id(1))]
    assert member_id(5) in {row.member_id for row in whole.rows}
    join(listed, [person(9, age_lists=False)])
    merge_members(listed, AUTHOR, member_id(1), member_id(9))
    with listed.reading() as connection:
        assert top_list(connection, "2026-12", Wanted(OTBR, band=band_of("9-10"))).rows == ()
    assert audit(listed).findings == ()


def test_no_age_group_is_of_one_state(listed: Office) -> None:
    with listed.reading() as connection, pytest.raises(OfficeError, match="not of one state"):
        top_list(connection, "2026-12", Wanted(OTBR, state="NY", band=band_of("9-10")))


def test_a_month_without_a_list_is_an_error(listed: Office) -> None:
    with listed.reading() as connection, pytest.raises(OfficeError, match="2026-11 is not published"):
        top_list(connection, "2026-11", Wanted(OTBR))

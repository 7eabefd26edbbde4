"""Members: who they are, what became known of them and when, merges, starting ratings, members files."""

from datetime import date, timedelta

import pytest

from crosstable.errors import OfficeError
from crosstable.formats.members import MemberDetails, MembersFile, read
from crosstable.office.audit import audit
from crosstable.office.database import Office
from crosstable.office.decisions import set_fact
from crosstable.office.ledger.facts import Merge, Person, Record, aliases_of
from crosstable.office.members import (
    NewStartingRating,
    direct_merges,
    import_members,
    members_of_report,
    merge_members,
    read_fact,
    replace_person,
    unmerge_members,
)
from crosstable.office.members_files import StartingRatingOptions, birth_faults, games_of_2001, taken
from crosstable.terms import Background, OutsideRating, PlayerRating, RatingSystem
from tests.engine.wallcharts import Played
from tests.office.made_office import (
    AUTHOR,
    OPENED,
    OTBR,
    club_members,
    enter,
    join,
    member_id,
    opening,
    person,
    posted,
    quad,
    record_of,
    report,
    run,
    section,
    standing,
)

ADA = Person("12345678", "Lovelace, Ada", state="NY", birth_date=date(1990, 12, 10), fide_id="2001", fide_flag="USA")


def known(office: Office, *ids: str) -> dict[str, Person]:
    with office.reading() as connection:
        return record_of(connection).people(ids)


def test_an_import_says_what_is_new_what_changed_and_what_did_not(office: Office) -> None:
    first = import_members(office, AUTHOR, [ADA, person(1)], [opening(1, 1500.0)])
    assert (first.new, first.changed, first.unchanged, first.openings) == (2, 0, 0, 1)
    second = import_members(office, AUTHOR, [ADA._replace(state="CA"), person(1), person(2)], [opening(1, 1500.0)])
    assert (second.new, second.changed, second.unchanged, second.openings) == (1, 1, 1, 0)
    third = import_members(office, AUTHOR, [ADA._replace(state="CA"), person(2)], [opening(1, 1500.0)])
    assert (third.act, third.unchanged) == (None, 2)
    assert known(office, ADA.member_id)[ADA.member_id] == ADA._replace(state="CA")


def test_silence_changes_nothing(office: Office) -> None:
    """An import that leaves something out does not take it back; that is a decision about a fact."""
    resident = ADA._replace(canadian_resident=True, adult=True)
    join(office, [resident])
    assert import_members(office, AUTHOR, [Person(ADA.member_id, "Lovelace, Ada")]).unchanged == 1
    assert known(office, ADA.member_id)[ADA.member_id] == resident
    set_fact(office, AUTHOR, ADA.member_id, {"canadian_resident": False, "adult": None})
    assert known(office, ADA.member_id)[ADA.member_id] == ADA


def test_outside_ratings_are_kept_with_their_dates_and_the_newest_word_about_a_day_counts(office: Office) -> None:
    old, new = OutsideRating(1800.0, date(2024, 1, 1)), OutsideRating(1850.0, date(2025, 1, 1))
    join(office, [ADA._replace(fide=(new,), cfc=(old,))])
    join(office, [ADA._replace(fide=(old, new._replace(rating=1866.0)))])
    found = known(office, ADA.member_id)[ADA.member_id]
    assert found.fide == (old, OutsideRating(1866.0, date(2025, 1, 1)))
    assert found.cfc == (old,)


def test_what_is_known_of_a_member_can_be_asked_as_of_an_act(office: Office) -> None:
    join(office, [ADA])
    with office.reading() as connection:
        then = record_of(connection).through
    join(office, [ADA._replace(name="King, Ada"), person(1)])
    with office.reading() as connection:
        assert Record(connection, then).people([ADA.member_id])[ADA.member_id].name == "Lovelace, Ada"
        assert Record(connection, then).member_ids() == [ADA.member_id]
        assert record_of(connection).member_ids() == [member_id(1), ADA.member_id]
        assert record_of(connection).people(["nobody"]) == {}


def test_some_texts_cannot_be_a_member_id(office: Office) -> None:
    for wrong in ("", "x" * 41, "@12345678", "12 45", "12\t45", "12\x0045"):
        with pytest.raises(OfficeError, match=r"cannot be a member id|has a space in it"):
            import_members(office, AUTHOR, [Person(wrong, "Nobody")])


def test_an_opening_standing_has_a_date(office: Office) -> None:
    undated = NewStartingRating(member_id(1), OTBR, PlayerRating(1500.0), "hearsay")
    with pytest.raises(OfficeError, match="opening OTBR rating of member 10000001 has no date"):
        import_members(office, AUTHOR, [person(1)], [undated])


def test_an_opening_may_come_alone_and_may_be_replaced(office: Office) -> None:
    join(office, [person(1)])
    join(office, [], [opening(1, 1500.0)])
    run(office)
    join(office, [], [opening(1, 1500.0), opening(1, 1400.0, system=RatingSystem.OTBQ)])
    join(office, [], [opening(1, 1510.0)])
    run(office)
    ratings = {(about.system, posting.rating_after) for about, posting in posted(office).items()}
    assert ratings == {(RatingSystem.OTBR, 1510.0), (RatingSystem.OTBQ, 1400.0)}


def test_a_fact_is_about_somebody_known(office: Office) -> None:
    with pytest.raises(OfficeError, match="is not known"):
        set_fact(office, AUTHOR, member_id(1), {"adult": True})
    with pytest.raises(OfficeError, match="is not known"), office.writing("a test", "a fact") as connection:
        replace_person(office, connection, AUTHOR, person(1))
    join(office, [person(1, adult=True)])
    with pytest.raises(OfficeError, match="nothing of that is new"):
        set_fact(office, AUTHOR, member_id(1), {"adult": True})
    for own in ("member_id", "fide", "cfc"):
        with pytest.raises(OfficeError, match=f"{own}: not something the office keeps"):
            set_fact(office, AUTHOR, member_id(1), {own: ""})


# merges


def test_merges_are_followed_to_their_end_and_can_be_undone_in_any_order() -> None:
    made = [Merge(1, "a", "b", False), Merge(2, "b", "c", False), Merge(3, "d", "a", False)]
    assert aliases_of(made) == {"a": "c", "b": "c", "d": "c"}
    assert aliases_of([*made, Merge(4, "b", "c", True)]) == {"a": "b", "d": "b"}
    assert aliases_of([*made, Merge(4, "x", "y", True)]) == aliases_of(made)
    for circle in ([Merge(4, "c", "c", False)], [Merge(4, "c", "a", False)]):  # a damaged file may say that
        with pytest.raises(OfficeError, match="merged in a circle"):
            aliases_of([*made, *circle])


def test_a_merged_member_is_one_member_with_several_ids(office: Office) -> None:
    join(office, [person(number) for number in (1, 2, 3)])
    merge_members(office, AUTHOR, member_id(1), member_id(2))
    merge_members(office, AUTHOR, member_id(2), member_id(3))
    with office.reading() as connection:
        record = record_of(connection)
        assert record.one_id(member_id(1)) == member_id(3)
        assert record.same_member(member_id(2)) == {member_id(number) for number in (1, 2, 3)}
        assert direct_merges(record) == {member_id(1): member_id(2), member_id(2): member_id(3)}
    unmerge_members(office, AUTHOR, member_id(2))
    with office.reading() as connection:
        assert record_of(connection).aliases() == {member_id(1): member_id(2)}
        assert direct_merges(record_of(connection)) == {member_id(1): member_id(2)}


def test_a_merge_that_cannot_be_is_refused(office: Office) -> None:
    join(office, *club_members())
    enter(office, quad("q"), report("r", section("1 =5 | W2\n2 =6 | L1\n3 =1 | H\n4 =8 | H")))
    for one, other, why in (
        (1, 99, "10000099 is not known"),
        (99, 1, "10000099 is not known"),
        (1, 1, "are the same member already"),
        (1, 2, "played each other in event q, section 1"),
    ):
        with pytest.raises(OfficeError, match=why):
            merge_members(office, AUTHOR, member_id(one), member_id(other))
    merge_members(office, AUTHOR, member_id(1), member_id(8))  # in one section, but not against each other
    with pytest.raises(OfficeError, match="is merged into 10000008 already; unmerge it first"):
        merge_members(office, AUTHOR, member_id(1), member_id(7))
    with pytest.raises(OfficeError, match="are the same member already"):
        merge_members(office, AUTHOR, member_id(8), member_id(1))
    with pytest.raises(OfficeError, match="played each other"):
        merge_members(office, AUTHOR, member_id(2), member_id(8))
    with pytest.raises(OfficeError, match="is not merged into another"):
        unmerge_members(office, AUTHOR, member_id(2))


# who comes with a report, and with a members file


def test_a_report_brings_members_with_what_it_says_of_them(office: Office) -> None:
    """Their ratings open as of the eve of their first section at the latest; those who are known are left alone."""
    join(office, [person(2)])
    late, early = date(2026, 5, 2), date(2026, 5, 1)
    told = Background(
        standings={OTBR: PlayerRating(1500.0, 30.0, as_of=date(2026, 1, 1)), RatingSystem.OTBQ: PlayerRating(1400.0)},
        fide=OutsideRating(1700.0),
        cfc=OutsideRating(1650.0, date(2025, 1, 1)),
        birth_date=date(2001, 1, 1),
    )
    first = section("1 =1 | W2\n2 =2 | L1", Played(start=late))
    second = section("1 =1 | W2\n2 =3 | L1", Played(start=early), number=2)
    players = [player._replace(background=told, state="TX") for player in second.players]
    nameless = second.players[1]._replace(number=3, member_id="")
    made = report("r", first, second._replace(players=(*players, nameless)))
    with office.reading() as connection:
        people, openings = members_of_report(record_of(connection), made, takes_openings=True)
        assert members_of_report(record_of(connection), made, takes_openings=False) == (people, [])
    assert {one.member_id for one in people} == {member_id(1), member_id(3)}
    one = next(one for one in people if one.member_id == member_id(1))
    assert (one.state, one.birth_date) == ("TX", date(2001, 1, 1))
    assert (one.fide, one.cfc) == ((OutsideRating(1700.0, early),), (OutsideRating(1650.0, date(2025, 1, 1)),))
    days = {(each.system, each.standing.as_of) for each in openings if each.member_id == member_id(1)}
    assert days == {(OTBR, date(2026, 1, 1)), (RatingSystem.OTBQ, date(2026, 4, 30))}


def members_file(**standings: PlayerRating) -> MembersFile:
    ids = {name: f"1000000{name[1:]}" for name in standings}
    backgrounds = {
        ids[name]: Background(standings={OTBR: one}, fide=OutsideRating(1700.0)) for name, one in standings.items()
    }
    details = {ids[name]: MemberDetails(state="NY") for name in standings}
    return MembersFile(backgrounds, {one: f"Member, {one}" for one in backgrounds}, (), details)


def test_ratings_of_a_members_file_need_a_day(office: Office) -> None:
    with office.reading() as connection:
        record = record_of(connection)
        with pytest.raises(OfficeError, match="OTBR rating of member 10000001 has no date"):
            taken(record, members_file(m1=PlayerRating(1500.0)), "list.csv", StartingRatingOptions())
        found = taken(record, members_file(m1=PlayerRating(1500.0)), "list.csv", StartingRatingOptions(as_of=OPENED))
    (one,) = found.openings
    assert (one.standing, one.source) == (PlayerRating(1500.0, as_of=OPENED), "members file list.csv")
    assert found.people[0].fide == (OutsideRating(1700.0, OPENED),)
    assert (found.people[0].state, found.left, found.uncounted) == ("NY", 0, 1)


def test_a_members_file_replaces_a_rating_only_when_asked(office: Office) -> None:
    join(office, [person(1), person(2), person(4)], [opening(1, 1500.0), opening(4, 1480.0)])
    enter(office, report("r", section("1 =2 | W2 D2 D2\n2 =4 | L1 D1 D1\n3 =1 | U U U")))
    run(office)
    file = members_file(m1=standing(1600.0), m2=standing(1600.0), m3=standing(1600.0), m4=standing(1480.0))
    with office.reading() as connection:
        record = record_of(connection)
        kept = taken(record, file, "list.csv", StartingRatingOptions(as_of=OPENED))
        assert [one.member_id for one in kept.openings] == [member_id(3)]
        assert kept.left == 2
        assert len(taken(record, file, "list.csv", StartingRatingOptions(OPENED, replaces=True)).openings) == 4


BORN = """\
Member ID,Name,Birth date
10000001,"Member, One",2026-11-15
10000002,"Member, Two",2026-11-16
10000003,"Member, Three",1899-12-31
10000004,"Member, Four",1849-12-31
"""


def test_birth_dates_that_cannot_be_are_found_where_they_stand(office: Office) -> None:
    found = birth_faults(read(BORN.encode(), "born.csv"), date(2026, 11, 15))
    assert [(one.code, one.place, one.severity.value) for one in found] == [
        ("birth-date", "born.csv, line 3", "error"),
        ("birth-date-early", "born.csv, line 4", "warning"),
        ("birth-date", "born.csv, line 5", "error"),
    ]
    assert "2026-11-16, which is still to come" in found[0].message
    assert all(one.remedy == "Correct the birth date, or leave it out." for one in found)
    for born in (date(1849, 12, 31), office.clock().date() + timedelta(days=1)):
        with pytest.raises(OfficeError, match=f"cannot be born on {born}; nothing was stored"):
            import_members(office, AUTHOR, [ADA, person(1, birth_date=born)])
    assert known(office, ADA.member_id) == {}


def test_a_year_of_birth_is_kept_shown_and_counted(office: Office) -> None:
    """An office that keeps years only: from a members file, a report, or a fact; years that cannot be are told."""
    file = read(b"member id,name,birth year\n10000001,One,2014\n10000002,Two,2031\n", "years.csv")
    (wrong,) = birth_faults(file, date(2026, 11, 15))
    assert (wrong.code, wrong.place) == ("birth-date", "years.csv, line 3")
    with office.reading() as connection:
        taken_people = taken(record_of(connection), file, "years.csv", StartingRatingOptions()).people
    assert [one.birth_year for one in taken_people] == [2014, 2031]
    with pytest.raises(OfficeError, match="cannot be born in 2031; nothing was stored"):
        import_members(office, AUTHOR, taken_people)
    import_members(office, AUTHOR, taken_people[:1])
    assert known(office, "10000001")["10000001"].birth_year == 2014
    set_fact(office, AUTHOR, "10000001", dict([read_fact("birth-year=2013")]))
    assert known(office, "10000001")["10000001"].birth_year == 2013
    with pytest.raises(OfficeError, match="2031 is no year in which a member could be born"):
        set_fact(office, AUTHOR, "10000001", {"birth_year": 2031})
    with pytest.raises(ValueError, match="is no year; write it as YYYY"):
        read_fact("birth-year=13")
    assert read_fact("birth-year=") == ("birth_year", None)
    made = quad("q", Played(start=date(2026, 7, 4)))
    (one,) = made.sections
    players = tuple(
        player._replace(background=Background(birth_year=year))
        for player, year in zip(one.players, (2014, 2031, 1700, None), strict=True)
    )
    with office.reading() as connection:
        people, _ = members_of_report(
            record_of(connection), made._replace(sections=(one._replace(players=players),)), takes_openings=False
        )
    assert {each.birth_year for each in people} == {None}  # the first is a member already
    assert audit(office).findings == ()


def test_a_new_member_of_a_report_brings_no_birth_date_that_cannot_be(office: Office) -> None:
    made = quad("q", Played(start=date(2026, 7, 4)))
    (one,) = made.sections
    days = (date(2026, 7, 5), date(1600, 1, 1), date(1990, 1, 1), None)
    players = tuple(
        player._replace(background=Background(birth_date=day)) for player, day in zip(one.players, days, strict=True)
    )
    with office.reading() as connection:
        people, _ = members_of_report(
            record_of(connection), made._replace(sections=(one._replace(players=players),)), takes_openings=False
        )
    assert [each.birth_date for each in people] == [None, None, date(1990, 1, 1), None]


@pytest.mark.parametrize(
    ("rating", "games"),
    [
        # 50 / sqrt(1 + (2200 - R)^2 / 100000), rounded (rules history §13): 50 / sqrt(8.29), / sqrt(1.9), / sqrt(1.4)
        (1500.0, 26.0),
        (1900.0, 36.0),
        (2000.0, 42.0),
        (2200.0, 50.0),
        (2600.0, 50.0),
    ],
)
def test_an_established_rating_of_2001_stands_on_so_many_games(rating: float, games: float) -> None:
    assert games_of_2001(rating) == games


def test_a_members_file_may_count_games_by_the_rule_of_2001(office: Office) -> None:
    with office.reading() as connection:
        wishes = StartingRatingOptions(as_of=OPENED, counts_by_2001=True)
        found = taken(record_of(connection), members_file(m1=PlayerRating(1900.0)), "list.csv", wishes)
    assert found.openings[0].standing.games == 36.0
    assert found.openings[0].source == "members file list.csv, games by the rule of 2001"

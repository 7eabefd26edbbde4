"""FIDE's lists in an office: whose rating counts, who is rated abroad, and what directors tell of CFC ratings."""

from datetime import date

import pytest

from crosstable.errors import OfficeError
from crosstable.formats.fide_list import ListedPlayer
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind, Person
from crosstable.office.members import import_members, merge_members
from crosstable.office.outside_ratings import Abroad, ImportedList, import_fide_list
from crosstable.office.status import questions
from crosstable.office.views import member_view, section_view
from crosstable.terms import OutsideRating
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, club_members, enter, join, member_id, opening, person, quad, record_of, run

LIST = date(2026, 6, 1)


def with_fide_ids(office: Office) -> None:
    """Members 1 to 8 (4 and 8 unrated, the others established), of whom all but 7 have a FIDE id; 9 is provisional."""
    join(office, *club_members())
    join(office, [person(number, fide_id=f"20{number}") for number in (1, 2, 3, 4, 5, 6, 8)])
    join(office, [person(9, fide_id="209")], [opening(9, 1500.0, 20.0)])
    run(office)


@pytest.fixture
def office(copy_of: CopyOf) -> Office:
    return copy_of(with_fide_ids)


def listed(number: int, rating: float | None, games: int = 5, flag: str = "USA") -> ListedPlayer:
    return ListedPlayer(f"20{number}", flag, rating, games)


def imported(office: Office, *players: ListedPlayer, on: date = LIST) -> ImportedList:
    return import_fide_list(office, AUTHOR, players, on)


def facts(office: Office, number: int) -> Person:
    with office.reading() as connection:
        return member_view(connection, member_id(number)).person


def opted(office: Office, number: int, effective: date) -> None:
    decide(office, AUTHOR, Ruling(DecisionKind.OPT_IN, member_id=member_id(number), effective=effective))


def test_a_list_brings_ratings_and_flags_of_members_and_the_same_list_nothing(office: Office) -> None:
    made = imported(office, listed(1, 2300.0), listed(2, None), listed(77, 2000.0), listed(7, 1900.0))
    assert (made.listed, made.members, made.imported.changed) == (4, 2, 2)
    assert (facts(office, 1).fide, facts(office, 1).fide_flag) == ((OutsideRating(2300.0, LIST),), "USA")
    assert (facts(office, 2).fide, facts(office, 2).fide_flag) == ((), "USA")
    again = imported(office, listed(1, 2300.0), listed(2, None))
    assert again.imported.act is None
    assert again.candidates == made.candidates


def test_the_list_in_force_at_the_start_makes_the_start(office: Office) -> None:
    """§2.1, readings 105: member 4 is unrated, 1500 since June and 1800 since July; -1073 + 1.5667 x 1500 = 1277.05."""
    imported(office, listed(4, 1500.0))
    imported(office, listed(4, 1800.0), on=date(2026, 7, 1))
    enter(office, quad("june", Played(start=date(2026, 6, 30))))
    run(office)
    assert [one.rating for one in facts(office, 4).fide] == [1500.0, 1800.0]
    with office.reading() as connection:
        rows = section_view(connection, "june", 1).rated[0].players
    assert [row.start.initial.rating for row in rows if row.start is not None] == [1277.0]


def test_candidates_have_the_usa_flag_a_game_in_the_period_a_membership_and_an_established_rating(
    office: Office,
) -> None:
    """§6: automatic from 2200 FIDE, below by opting in, which must come before; the office may include others."""
    join(office, [person(5, member_until=date(2026, 5, 31)), person(6, member_until=LIST)])
    opted(office, 2, LIST)
    opted(office, 3, date(2026, 6, 2))
    everybody = [listed(1, 2200.0), listed(2, 2199.0), listed(3, None), listed(4, 2300.0), listed(5, 2300.0)]
    everybody += [listed(6, 2400.0, flag="CAN"), listed(9, 2300.0)]
    found = {one.member_id: one.abroad for one in imported(office, *everybody).candidates}
    assert found == {
        member_id(1): Abroad.AUTOMATIC,
        member_id(2): Abroad.OPTED_IN,
        member_id(3): Abroad.NOT_OPTED_IN,
    }
    opted(office, 6, LIST)
    later = imported(office, listed(1, 2200.0, games=0), listed(6, 2400.0, flag="CAN"))
    assert [(one.member_id, one.abroad, one.games) for one in later.candidates] == [(member_id(6), Abroad.INCLUDED, 5)]


def test_one_fide_id_belongs_to_one_member(office: Office) -> None:
    join(office, [person(7, fide_id="201")])
    with pytest.raises(OfficeError, match="10000001 and 10000007 have the same FIDE id 201"):
        imported(office, listed(1, 2300.0))
    merge_members(office, AUTHOR, member_id(7), member_id(1))
    assert imported(office, listed(1, 2300.0)).members == 1
    assert facts(office, 7).fide == (OutsideRating(2300.0, LIST),)


def test_a_cfc_rating_of_a_report_is_a_notice_until_the_office_enters_one(office: Office) -> None:
    """§2.2, footnote 2: directors tell the office, which enters CFC ratings by hand; a file's own never counts."""
    made = quad("q", Played(start=date(2026, 6, 6)))
    players = list(made.sections[0].players)
    cfc = OutsideRating(1610.0, date(2026, 6, 1))
    players[3] = players[3]._replace(background=players[3].background._replace(cfc=cfc))
    enter(office, made._replace(sections=(made.sections[0]._replace(players=tuple(players)),)))
    with office.reading() as connection:
        (question,) = questions(record_of(connection))
        assert questions(record_of(connection), date(2026, 6, 7)) == []
    assert (question.event_id, question.member_id) == ("q", member_id(4))
    assert f"cfc-rating=1610@{cfc.as_of}" in question.remedy
    import_members(office, AUTHOR, [person(4, cfc=(cfc,), canadian_resident=True)])
    with office.reading() as connection:
        assert questions(record_of(connection)) == []

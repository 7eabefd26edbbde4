"""Facts that a file brings about many members need two people where a published period rests on them."""

from datetime import date

import pytest

from crosstable.errors import OfficeError
from crosstable.formats.fide_list import ListedPlayer
from crosstable.office.audit import audit
from crosstable.office.consent import switch_consent
from crosstable.office.database import Office
from crosstable.office.erasing import erase_member
from crosstable.office.jobs import JobKind, JobState, NewJob, add_job, job_of
from crosstable.office.late_facts import divided, facts_wish
from crosstable.office.ledger.commitments import ERASED
from crosstable.office.ledger.facts import Person
from crosstable.office.members import import_members
from crosstable.office.outside_ratings import import_fide_list
from crosstable.office.proposals import approve, needs_two, proposal_of, propose
from crosstable.office.views import known
from crosstable.office.worker import Worker
from crosstable.terms import OutsideRating
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, member_id, person
from tests.office.test_consent import boris, with_two_accounts
from tests.office.test_proposals import ANNA, with_a_list

# The list of November 2026 is cut off on October 21 (official facts §3); members 1 to 4 played on July 4.
CUT_OFF = date(2026, 10, 21)
BORN = date(2014, 2, 3)


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    made = copy_of(with_two_accounts)
    switch_consent(made, AUTHOR, on=True)
    return made


def by_two(office: Office, *people: Person) -> list[str]:
    with office.reading() as connection:
        return [one.member_id for one in divided(known(connection).record, people).by_two]


def said(number: int, **facts: object) -> Person:
    return person(number)._replace(**facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "facts",
    [
        {"birth_date": BORN},
        {"birth_year": 2014},
        {"adult": True},
        {"canadian_resident": True},
        {"fide": (OutsideRating(2300.0, CUT_OFF),)},
        {"cfc": (OutsideRating(2300.0, date(2020, 1, 1)),)},
        {"fide": (OutsideRating(2300.0, None),)},
    ],
)
def test_what_a_rating_of_a_published_period_may_rest_on_takes_two(copy_of: CopyOf, facts: dict[str, object]) -> None:
    office = copy_of(with_a_list)
    assert by_two(office, said(1, **facts)) == [member_id(1)]
    assert by_two(office, said(8, **facts)) == []  # who has not played yet
    assert by_two(office, said(99, **facts)) == []  # whom nobody knows


def test_what_holds_only_since_then_takes_one(copy_of: CopyOf) -> None:
    """The list of the month after the cut-off, a name, a state, an id, and what the office knows already."""
    office = copy_of(with_a_list)
    later = OutsideRating(2300.0, date(2026, 10, 22))
    for facts in ({"fide": (later,)}, {"state": "NJ"}, {"fide_id": "2000001"}, {"fide_flag": "USA"}, {}):
        assert by_two(office, said(1, **facts)) == []
    import_members(office, AUTHOR, [said(1, birth_date=BORN)])
    assert by_two(office, said(1, birth_date=BORN)) == []


def test_before_the_first_list_everything_takes_one(new_office: CopyOf) -> None:
    office = new_office()
    import_members(office, AUTHOR, [person(1)])
    assert by_two(office, said(1, birth_date=BORN)) == []


def test_a_second_person_sees_and_records_them(club: Office) -> None:
    rating = OutsideRating(2300.0, date(2020, 1, 1))
    wish = facts_wish([said(1, birth_date=BORN, fide=(rating,))])
    assert needs_two(club, wish)
    assert wish.summary == f"record facts about member {member_id(1)}"
    ((name, text),) = wish.particulars
    assert name == "member"
    assert f"member id {member_id(1)}" in text
    assert "birth date 2014-02-03" in text
    assert "fide 2300 of 2020-01-01" in text
    act = approve(club, boris(club), propose(club, ANNA, wish))
    with club.reading() as connection:
        found = known(connection).record.people([member_id(1)])[member_id(1)]
    assert act
    assert (found.birth_date, found.fide) == (BORN, (rating,))
    number = propose(club, ANNA, wish)
    with pytest.raises(OfficeError, match="knows all of this already"):
        approve(club, boris(club), number)


def test_whom_the_office_erases_meanwhile_does_not_come_back(club: Office) -> None:
    """What waits for a second person no longer says the name or the birth date, and brings nothing back."""
    number = propose(club, ANNA, facts_wish([said(1, birth_date=BORN), said(2, birth_date=BORN)]))
    erase_member(club, AUTHOR, member_id(1))
    found = proposal_of(club, number)
    assert found is not None
    assert person(1).name not in str(found)
    approve(club, boris(club), number)
    with club.reading() as connection:
        people = known(connection).record.people([member_id(1), member_id(2)])
    assert [(one.name == ERASED, one.birth_date) for one in people.values()] == [(True, None), (False, BORN)]
    assert audit(club).findings == ()


def test_a_worker_records_none_of_them(club: Office) -> None:
    file = f'Member ID,Name,Birth date\n{member_id(1)},"{person(1).name}",2014-02-03\n'
    job = add_job(club, NewJob(JobKind.IMPORT, AUTHOR, {"name": "members.csv"}, file.encode()))
    assert Worker(club).step()
    found = job_of(club, job.job_id)
    assert found is not None
    assert (found.state, "takes two people" in (found.error or "")) == (JobState.FAILED, True)
    with club.reading() as connection:
        assert known(connection).record.people([member_id(1)])[member_id(1)].birth_date != BORN


def test_a_list_of_fide_from_before_the_cut_off_is_proposed(club: Office) -> None:
    import_members(club, AUTHOR, [said(1, fide_id="2000001"), said(8, fide_id="2000008")])
    players = [ListedPlayer(fide_id, "USA", 2300.0, 9) for fide_id in ("2000001", "2000008")]
    asked: list[Person] = []
    made = import_fide_list(club, AUTHOR, players, date(2020, 1, 1), asked.extend)
    assert [one.member_id for one in asked] == [member_id(1)]
    assert made.imported.changed == 1
    with club.reading() as connection:
        people = known(connection).record.people([member_id(1), member_id(8)])
    assert (people[member_id(1)].fide, len(people[member_id(8)].fide)) == ((), 1)

"""Consent of two people: how it is switched, which late events wait for it, and what an approval is bound to."""

from datetime import date

import pytest

from crosstable.errors import OfficeError
from crosstable.office import accounts
from crosstable.office.accounts import NewAccount, Role, add_account, set_disabled
from crosstable.office.audit import audit
from crosstable.office.consent import (
    ConsentLimits,
    consent_state,
    is_by_two,
    is_consent_on,
    set_consent_limits,
    switch_consent,
)
from crosstable.office.credentials import Proven, open_session, proven_by_password, proven_by_session
from crosstable.office.database import Office
from crosstable.office.effects import submit_first
from crosstable.office.ledger.journal import Approval, Author, acts
from crosstable.office.proposals import (
    approve,
    consent_wish,
    needs_two,
    propose,
    ruling_wish,
    starts_wish,
    unmerging,
)
from crosstable.office.security_log import security_entries
from crosstable.office.submissions import SubmitOptions
from crosstable.office.views import known
from crosstable.terms import RatingSystem
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, HandClock, document, join, member_id, opening, person, quad, run
from tests.office.test_proposals import ANNA, EARLY, LATE, floor, with_a_list

PASSWORD = "correct horse battery"
DRAWN = "1 =1 | D2 D3\n2 =2 | D1 W3\n3 =3 | D1 L2"
BOTH = Author("anna", "x", approval=Approval(1, "boris", "password"))


def with_two_accounts(office: Office) -> None:
    with_a_list(office)
    cheap = accounts.PASSES, accounts.MEMORY_KIB
    accounts.PASSES, accounts.MEMORY_KIB = 1, 1024
    for name in ("anna", "boris"):
        add_account(office, "host", NewAccount(name, Role.OFFICE), PASSWORD)
    accounts.PASSES, accounts.MEMORY_KIB = cheap


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    made = copy_of(with_two_accounts)
    switch_consent(made, AUTHOR, on=True)
    return made


def boris(office: Office) -> Proven:
    return proven_by_session(office, open_session(office, "boris"))


def is_on(office: Office) -> bool:
    with office.reading() as connection:
        return is_consent_on(connection, office.clock())


def test_it_takes_two_accounts_and_one_alone_switches_it_off_after_a_week(copy_of: CopyOf, clock: HandClock) -> None:
    office = copy_of(with_two_accounts)
    assert not is_on(office)
    set_disabled(office, "host", "boris", is_disabled=True)
    with pytest.raises(OfficeError, match="add a second account"):
        switch_consent(office, AUTHOR, on=True)
    set_disabled(office, "host", "boris", is_disabled=False)
    assert switch_consent(office, AUTHOR, on=True) is not None
    assert switch_consent(office, AUTHOR, on=True) is None
    switch_consent(office, AUTHOR, on=False)
    assert switch_consent(office, AUTHOR, on=False) is None  # said already: the week goes on
    clock.go(days=6, hours=23)
    assert is_on(office)
    clock.go(hours=1)
    assert not is_on(office)


def test_the_other_takes_back_that_one_switched_it_off(club: Office, clock: HandClock) -> None:
    switch_consent(club, AUTHOR, on=False)
    assert switch_consent(club, AUTHOR, on=True) is not None
    clock.go(days=30)
    assert is_on(club)


def test_two_people_switch_it_off_at_once(club: Office) -> None:
    approve(club, boris(club), propose(club, ANNA, consent_wish()))
    assert not is_on(club)
    with club.reading() as connection:
        assert is_by_two(connection, club.clock())  # on the site there are still two of them


def test_its_limits_are_changed_by_two_while_it_is_on(club: Office) -> None:
    with pytest.raises(OfficeError, match="changed by two people"):
        set_consent_limits(club, AUTHOR, ConsentLimits(days=9000))
    with pytest.raises(OfficeError, match="from 0 up"):
        set_consent_limits(club, BOTH, ConsentLimits(days=-1))
    approve(club, boris(club), propose(club, ANNA, consent_wish(ConsentLimits(9, 8, 7))))
    with club.reading() as connection:
        assert consent_state(connection, club.clock()).limits == ConsentLimits(9, 8, 7)
    number = propose(club, ANNA, consent_wish(ConsentLimits(9, 8, 7)))
    with pytest.raises(OfficeError, match="so already"):
        approve(club, boris(club), number)


@pytest.mark.parametrize(
    ("played", "limits", "is_held"),
    [
        (EARLY, ConsentLimits(days=134), False),  # July 4 is 134 days before November 15
        (EARLY, ConsentLimits(days=133), True),
        (EARLY, ConsentLimits(days=134, players=2), True),
        (EARLY, ConsentLimits(days=134, players=3), False),
        (EARLY, ConsentLimits(days=134, changes=4), False),  # three play, and one whom they met afterwards
        (EARLY, ConsentLimits(days=134, changes=3), True),
        (LATE, ConsentLimits(0, 0, 0), False),  # not published yet
    ],
)
def test_a_late_event_over_a_limit_waits(club: Office, played: Played, limits: ConsentLimits, is_held: bool) -> None:
    set_consent_limits(club, BOTH, limits)
    made = submit_first(club, AUTHOR, document(quad("again", played, DRAWN)), date(2026, 11, 15))
    assert (made.accepted, [one.number for one in made.held]) == (((), [1]) if is_held else ((1,), []))
    assert any(one.code == "late-submission" for one in made.faults) is is_held
    made_run = run(club)
    assert (made_run is None or made_run.ripple == ()) is is_held
    if is_held:
        assert made.checked == ()


def test_without_consent_a_late_event_is_rated_at_once(copy_of: CopyOf) -> None:
    made = submit_first(copy_of(with_two_accounts), AUTHOR, document(quad("again", EARLY, DRAWN)), date(2026, 11, 15))
    assert made.accepted == (1,)


def test_starts_and_floors_take_two_wherever_they_are(club: Office) -> None:
    options, file = SubmitOptions(adds_members=True, takes_openings=True), quad("x", LATE, "1 =1 | W2\n2 =77 | L1")
    with pytest.raises(OfficeError, match="starting ratings take two people"):
        submit_first(club, AUTHOR, document(file), date(2026, 11, 15), options)
    assert needs_two(club, ruling_wish(floor(date(2026, 11, 20))))
    join(club, [person(12)], [])
    new = opening(12, 1650.0, 30.0, peak=1700.0)
    wish = starts_wish([new])
    assert wish.particulars == [("starting rating", f"{member_id(12)} OTBR 1650 on 30 games, an older list")]
    assert needs_two(club, wish)
    act = approve(club, boris(club), propose(club, ANNA, wish))
    with club.reading() as connection:
        (found,) = known(connection).record.openings({member_id(12)})
    assert (found.standing, found.act, found.system) == (new.standing, act, RatingSystem.OTBR)
    number = propose(club, ANNA, wish)
    with pytest.raises(OfficeError, match="has these starting ratings already"):
        approve(club, boris(club), number)


def test_a_merge_is_taken_back_by_two(club: Office) -> None:
    assert needs_two(club, unmerging(member_id(1)))


def test_an_approval_needs_a_credential_of_the_office(club: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)
    add_account(club, "host", NewAccount("tina", Role.TD, "A1111111"), PASSWORD)
    with pytest.raises(OfficeError, match="log in again"):
        proven_by_session(club, "no session")
    with pytest.raises(OfficeError, match="log in again"):
        proven_by_session(club, open_session(club, "tina"))
    for name, password in (("boris", "wrong"), ("tina", PASSWORD), ("emil", PASSWORD)):
        with pytest.raises(OfficeError, match=f"not the password of {name}"):
            proven_by_password(club, name, password)
    second = proven_by_password(club, "boris", PASSWORD)
    number = propose(club, ANNA, ruling_wish(floor(date(2026, 11, 20))))
    set_disabled(club, "host", "boris", is_disabled=True)
    with pytest.raises(OfficeError, match="no enabled account of the office any more"):
        approve(club, second, number)
    set_disabled(club, "host", "boris", is_disabled=False)
    approve(club, second, number)
    with club.reading() as connection:
        made = list(acts(connection))[-1]
        kinds = [(one.kind, one.actor, one.subject) for one in security_entries(connection)]
    assert (made.actor, made.approved_by) == ("anna", "boris")
    assert kinds[:3] == [
        ("account added", "host", "anna"),
        ("account added", "host", "boris"),
        ("account added", "host", "tina"),
    ]
    assert kinds[-1] == ("approved", "boris", f"proposal {number}")
    assert audit(club).findings == ()

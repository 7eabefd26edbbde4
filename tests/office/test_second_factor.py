"""The second factor: the codes of RFC 6238, each good once, and recovery codes."""

import base64
import json
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from crosstable.errors import OfficeError
from crosstable.office import account_tables
from crosstable.office.accounts import Account, NewAccount, Role, add_account
from crosstable.office.database import Office
from crosstable.office.second_factor import (
    RECOVERY_CODES,
    begin_enrolling,
    code_of,
    confirm,
    is_enrolled,
    needs_second,
    opens,
    otpauth,
    remove,
    step_at,
)
from crosstable.office.settings import TOTP, switch
from tests.office.made_office import AUTHOR, HandClock

KEY = base64.b32encode(b"12345678901234567890").decode()


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_codes_are_those_of_rfc_6238(seconds: int, code: str) -> None:
    """Appendix B has eight digits; six are their end."""
    assert code_of(KEY, step_at(datetime.fromtimestamp(seconds, UTC))) == code[-6:]


@pytest.fixture
def anna(office: Office) -> Account:
    return add_account(office, "host", NewAccount("anna", Role.OFFICE), "correct horse battery")


def enrolled(office: Office, clock: HandClock) -> tuple[str, list[str]]:
    key = begin_enrolling(office, "anna")
    codes = confirm(office, "anna", code_of(key, step_at(clock.now)))
    assert codes is not None
    return key, codes


def test_a_code_opens_once_and_a_little_early_or_late(office: Office, anna: Account, clock: HandClock) -> None:
    key = begin_enrolling(office, "anna")
    assert begin_enrolling(office, "anna") == key, "a page that is loaded again shows the same"
    assert confirm(office, "anna", "000000") is None
    assert not is_enrolled(office, "anna")
    assert not opens(office, "anna", code_of(key, step_at(clock.now)))
    now = step_at(clock.now)
    assert confirm(office, "anna", code_of(key, now)) is not None
    assert is_enrolled(office, "anna")
    assert not opens(office, "anna", code_of(key, now)), "it was used"
    assert not opens(office, "anna", code_of(key, now - 1)), "it is older than one that was used"
    assert not opens(office, "anna", code_of(key, now + 2))
    assert opens(office, "anna", code_of(key, now + 1)[:3] + " " + code_of(key, now + 1)[3:])
    clock.go(minutes=5)
    assert opens(office, "anna", code_of(key, step_at(clock.now) - 1))
    with pytest.raises(OfficeError, match="has a second factor already"):
        begin_enrolling(office, "anna")
    with pytest.raises(OfficeError, match="not about to get"):
        confirm(office, "anna", "000000")
    with pytest.raises(OfficeError, match="there is no account"):
        begin_enrolling(office, "nobody")


def test_recovery_codes_open_once_each_and_only_hashes_are_kept(
    office: Office, anna: Account, clock: HandClock
) -> None:
    _, codes = enrolled(office, clock)
    assert len(set(codes)) == RECOVERY_CODES
    with office.reading() as connection:
        kept = connection.execute(select(account_tables.second_factor.c.recovery)).scalar_one()
    assert len(json.loads(kept)) == RECOVERY_CODES
    assert not any(one in kept for one in codes)
    first = codes[0]
    assert opens(office, "anna", f"{first[:5]}-{first[5:]}".upper())
    assert not opens(office, "anna", first)
    assert opens(office, "anna", codes[1])


def test_who_needs_one(office: Office, anna: Account, clock: HandClock) -> None:
    tina = add_account(office, "host", NewAccount("tina", Role.TD, "A1234567"), "correct horse battery")
    assert not needs_second(office, anna)
    switch(office, AUTHOR, TOTP, on=True)
    assert needs_second(office, anna)
    assert not needs_second(office, tina)
    enrolled(office, clock)
    switch(office, AUTHOR, TOTP, on=False)
    assert needs_second(office, anna), "who has one keeps it"
    remove(office, "host", "anna")
    assert not needs_second(office, anna)
    with pytest.raises(OfficeError, match="has no second factor"):
        remove(office, "host", "anna")


def test_an_app_takes_the_address() -> None:
    found = urlsplit(otpauth(KEY, "anna", "Chess Club & Co"))
    assert (found.scheme, found.netloc, found.path) == ("otpauth", "totp", "/Chess%20Club%20%26%20Co:anna")
    assert parse_qs(found.query) == {
        "secret": [KEY],
        "issuer": ["Chess Club & Co"],
        "digits": ["6"],
        "period": ["30"],
    }

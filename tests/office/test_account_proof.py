"""Accounts and tokens that were made or changed beside the security log are found, and nothing else is."""

import json

import pytest
from sqlalchemy import select, text, update

from crosstable.office import accounts
from crosstable.office.account_proof import PROOF, account_findings
from crosstable.office.account_tables import security_log
from crosstable.office.accounts import NewAccount, Role, add_account, set_disabled, set_password
from crosstable.office.audit import audit
from crosstable.office.credentials import NewToken, add_token, revoke_token
from crosstable.office.database import Office
from crosstable.office.retention import Keep, let_go, set_kept_days
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, HandClock, unguarded

BOTH = pytest.mark.parametrize("store", ["sqlite", "postgresql"])
PASSWORD = "correct horse battery"
ACCOUNT = "name, full_name, role, affiliate, password, is_disabled, made"
TOKEN = "token_id, digest, owner, scope, affiliate, made, expires"
# What somebody with a database tool does, and the account or token that is told.
BESIDE = {
    f"INSERT INTO account ({ACCOUNT}) SELECT 'eve', 'Eve', 'office', '', password, is_disabled, made FROM account "
    "WHERE name = 'olga'": "eve",
    "UPDATE account SET role = 'office', affiliate = '' WHERE name = 'tina'": "tina",
    "UPDATE account SET affiliate = 'A7654321' WHERE name = 'tina'": "tina",
    "UPDATE account SET password = 'x' WHERE name = 'olga'": "olga",
    "UPDATE account SET is_disabled = false WHERE name = 'otto'": "otto",
    "DELETE FROM account WHERE name = 'olga'": "olga",
    f"INSERT INTO token ({TOKEN}) SELECT 'abcd', 'x', owner, scope, affiliate, made, expires FROM token": "abcd",
    "UPDATE token SET affiliate = 'A7654321'": "token",
    "UPDATE token SET expires = '2099-01-01T00:00:00.000000+00:00'": "token",
    "UPDATE token SET digest = 'x'": "token",
}


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that cost little."""
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)


def with_people(office: Office) -> None:
    """A director with a token, somebody of the office with another password, and one who was disabled."""
    add_account(office, "host", NewAccount("tina", Role.TD, "A1234567"), PASSWORD)
    for name in ("olga", "otto"):
        add_account(office, "host", NewAccount(name, Role.OFFICE), PASSWORD)
    set_password(office, "host", "olga", f"another {PASSWORD}")
    set_disabled(office, "host", "otto", is_disabled=True)
    add_token(office, "tina", NewToken("tina"))


@BOTH
def test_what_is_changed_beside_the_security_log_is_found(copy_of: CopyOf) -> None:
    office = copy_of(with_people)
    assert audit(office).findings == ()
    with office.writing_accounts("nobody", "tampering") as connection:
        token = connection.execute(text("SELECT token_id FROM token")).scalar_one()
        for statement, told in BESIDE.items():
            with connection.begin_nested() as point:
                assert connection.execute(text(statement)).rowcount
                assert [one.row for one in account_findings(connection)] == [token if told == "token" else told]
                point.rollback()


def test_what_an_office_does_itself_is_no_finding(copy_of: CopyOf, clock: HandClock) -> None:
    """Tokens end, passwords change, people come back; and retention erases what the log said of it."""
    office = copy_of(with_people)
    _, secret = add_token(office, "tina", NewToken("tina"))
    token, _ = add_token(office, "tina", NewToken("tina"))
    revoke_token(office, "tina", token.token_id)
    set_disabled(office, "host", "otto", is_disabled=False)
    assert secret
    assert audit(office).findings == ()
    clock.go(days=40)
    set_kept_days(office, AUTHOR, Keep(security_log=30))
    assert let_go(office, AUTHOR)["security_log"]
    assert audit(office).findings == ()


def test_what_an_older_program_made_is_no_finding(copy_of: CopyOf) -> None:
    """Before the log there were accounts, and its first entries held no hash of a row."""
    office = copy_of(with_people)
    with office.writing_accounts("nobody", "an older program") as connection, unguarded(connection, "security_log"):
        for row in connection.execute(select(security_log)).mappings().all():
            said = {name: value for name, value in json.loads(row["details"]).items() if name != PROOF}
            same = security_log.c.seq == row["seq"]
            connection.execute(update(security_log).where(same).values(details=json.dumps(said)))
        assert list(account_findings(connection)) == []
        connection.execute(security_log.delete())
        assert list(account_findings(connection)) == []

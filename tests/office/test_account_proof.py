"""Accounts and tokens that were made or changed beside the security log are found, and nothing else is."""

import json

import pytest
from sqlalchemy import select, text, update

from crosstable.office import accounts
from crosstable.office.account_proof import PROOF, account_findings, unlogged_findings
from crosstable.office.account_tables import security_log
from crosstable.office.accounts import NewAccount, Role, add_account, set_disabled, set_password
from crosstable.office.audit import audit
from crosstable.office.credentials import NewToken, add_token, revoke_token
from crosstable.office.database import Office
from crosstable.office.retention import Keep, let_go, set_kept_days
from crosstable.office.second_factor import begin_enrolling, code_of, confirm, remove, step_at
from crosstable.office.security_log import security_entries
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


@BOTH
def test_a_token_that_ended_is_not_used_again(copy_of: CopyOf) -> None:
    """One was revoked, one ended with a password: whoever takes that back beside the log is found."""
    office = copy_of(with_people)
    olgas, _ = add_token(office, "olga", NewToken("olga", affiliate="A1234567"))
    tinas, _ = add_token(office, "tina", NewToken("tina"))
    revoke_token(office, "tina", tinas.token_id)
    set_password(office, "host", "olga", PASSWORD)
    assert audit(office).findings == ()
    for one in (olgas, tinas):
        with office.writing_accounts("nobody", "tampering") as connection, connection.begin_nested() as point:
            connection.execute(text("UPDATE token SET revoked = NULL WHERE token_id = :one"), {"one": one.token_id})
            assert [(found.table, found.row) for found in account_findings(connection)] == [("token", one.token_id)]
            point.rollback()


@BOTH
def test_second_factors_are_in_the_security_log(copy_of: CopyOf, clock: HandClock) -> None:
    """Taken away, given back, or with another key beside it: found; the codes that are used up are not."""
    office = copy_of(with_people)
    key = begin_enrolling(office, "olga")
    assert confirm(office, "olga", code_of(key, step_at(clock.now)))
    assert audit(office).findings == ()
    with office.writing_accounts("nobody", "tampering") as connection:
        for statement, is_found in (
            ("DELETE FROM second_factor", True),
            ("UPDATE second_factor SET secret = 'GEZDGNBVGY3TQOJQ'", True),
            ("UPDATE second_factor SET confirmed = NULL", True),
            ("UPDATE second_factor SET used = used + 9, recovery = '[]'", False),
        ):
            with connection.begin_nested() as point:
                connection.execute(text(statement))
                found = [(one.table, one.row) for one in account_findings(connection)]
                assert found == [("second_factor", "olga")] * is_found, statement
                point.rollback()
        row = connection.execute(text("SELECT account, secret, used, recovery, confirmed FROM second_factor")).one()
    remove(office, "host", "olga")
    assert audit(office).findings == ()
    with office.reading() as connection:
        kinds = [(one.kind, one.actor, one.subject) for one in security_entries(connection, 2)]
    assert kinds == [("second factor set up", "olga", "olga"), ("second factor removed", "host", "olga")]
    with office.writing_accounts("nobody", "tampering") as connection:
        names = ("account", "secret", "used", "recovery", "confirmed")
        given = ", ".join(f":{name}" for name in names)
        connection.execute(text(f"INSERT INTO second_factor VALUES ({given})"), dict(zip(names, row, strict=True)))
        assert [one.row for one in account_findings(connection)] == ["olga"]


@BOTH
def test_a_security_log_that_was_cut_off_at_its_beginning_is_found(copy_of: CopyOf, clock: HandClock) -> None:
    office = copy_of(with_people)
    clock.go(minutes=11)
    with office.writing_accounts("nobody", "tampering") as connection, unguarded(connection, "security_log"):
        connection.execute(security_log.delete())
    with office.reading() as connection:
        assert {(one.table, one.row) for one in unlogged_findings(connection)} > {
            ("account", "olga"),
            ("account", "tina"),
        }
    assert audit(office).findings
    add_account(office, "host", NewAccount("eve", Role.OFFICE), PASSWORD)
    with office.reading() as connection:
        assert ("account", "eve") not in {(one.table, one.row) for one in unlogged_findings(connection)}
        assert ("account", "olga") in {(one.table, one.row) for one in unlogged_findings(connection)}
    with office.writing("nobody", "an older office") as connection, unguarded(connection, "act"):
        connection.execute(text('UPDATE act SET after = \'{"schema":"0006"}\' WHERE seq = 1'))
        assert list(unlogged_findings(connection)) == []


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

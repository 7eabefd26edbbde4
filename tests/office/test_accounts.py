"""Accounts, tokens and sessions: what opens the site, what no longer does, and what is kept of it."""

import hashlib
import re
import statistics
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text

from crosstable.errors import OfficeBusyError, OfficeError
from crosstable.office import account_tables, accounts, credentials
from crosstable.office.accounts import (
    Account,
    AccountsAsked,
    NewAccount,
    Role,
    add_account,
    proven,
    set_disabled,
    set_password,
    some_accounts,
)
from crosstable.office.backups import backup, restore
from crosstable.office.credentials import (
    NewToken,
    Scope,
    add_token,
    bearer_of,
    open_session,
    session_of,
    some_tokens,
)
from crosstable.office.database import Office
from crosstable.office.proposals import propose, withdrawal
from tests.office.made_office import AUTHOR, HandClock, enter, failures, join, person, quad

PASSWORD = "correct horse battery"
SECRETS = re.compile(r"crosstable_[A-Za-z0-9_-]{43}", re.ASCII)


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that cost little; that real ones cost more is a test of its own."""
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)


def staff(office: Office, name: str = "anna") -> Account:
    return add_account(office, "host", NewAccount(name, Role.OFFICE), PASSWORD)


def director(office: Office, name: str = "tina", affiliate: str = "A1234567") -> Account:
    return add_account(office, "host", NewAccount(name, Role.TD, affiliate), PASSWORD)


def everything_kept(office: Office) -> str:
    """Every row of the account tables as text."""
    with office.reading() as connection:
        rows = [
            str(tuple(row))
            for table in account_tables.metadata.sorted_tables
            for row in connection.execute(table.select())
        ]
    return "\n".join(rows)


# Accounts.


def test_an_account_opens_with_its_password_only(office: Office) -> None:
    assert not accounts.has_accounts(office)
    made = add_account(office, "host", NewAccount(" Anna ", Role.OFFICE, full_name="Anna  Office"), PASSWORD)
    assert (made.name, made.full_name, made.role, made.is_disabled) == ("anna", "Anna Office", Role.OFFICE, False)
    assert accounts.has_accounts(office)
    assert proven(office, "ANNA", PASSWORD) == made
    for name, password in (("anna", "correct horse"), ("anna", ""), ("nobody", PASSWORD), ("", "")):
        assert proven(office, name, password) is None


def test_passwords_are_kept_as_argon2id_hashes_of_a_sound_cost(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """OWASP's password storage sheet: argon2id with at least 19 MiB and 2 passes."""
    monkeypatch.undo()
    staff(office)
    kept = everything_kept(office)
    assert PASSWORD not in kept
    found = re.search(r"\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$", kept)
    assert found
    assert int(found[1]) >= 19 * 1024
    assert int(found[2]) >= 2


@pytest.mark.parametrize("password", ["", "short", "x" * 201])
def test_a_password_that_is_too_short_or_too_long_is_refused(office: Office, password: str) -> None:
    with pytest.raises(OfficeError, match="10 to 200 characters"):
        add_account(office, "host", NewAccount("anna", Role.OFFICE), password)
    assert accounts.accounts(office) == []


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (NewAccount("anna b", Role.OFFICE), "is no name to log in with"),
        (NewAccount("", Role.OFFICE), "is no name to log in with"),
        (NewAccount("tina", Role.TD), "acts for one affiliate"),
        (NewAccount("clara", Role.CLUB), "acts for one affiliate"),
        (NewAccount("tina", Role.TD, "A 1"), "is no affiliate's id"),
        (NewAccount("anna", Role.OFFICE, "A1234567"), "acts for no affiliate"),
        (NewAccount("anna", Role.OFFICE, full_name="a\u202eb"), "printable"),
    ],
)
def test_an_account_that_lacks_something_is_refused(office: Office, wanted: NewAccount, why: str) -> None:
    with pytest.raises(OfficeError, match=why):
        add_account(office, "host", wanted, PASSWORD)


def test_a_name_is_given_once(office: Office) -> None:
    staff(office)
    with pytest.raises(OfficeError, match="already"):
        director(office, "anna")


def test_some_accounts_and_tokens_are_found_among_many(office: Office) -> None:
    staff(office)
    for name, affiliate in (("tina", "A1"), ("tom", "A1"), ("otto", "B-2")):
        director(office, name, affiliate)
        add_token(office, "host", NewToken(name))

    def found(asked: AccountsAsked, most: int = 9) -> tuple[list[str], int]:
        some, total = some_accounts(office, asked, most)
        return [one.name for one in some], total

    every = AccountsAsked((Role.TD, Role.CLUB))
    assert found(every) == (["otto", "tina", "tom"], 3)
    assert found(every, 1) == (["otto"], 3)
    assert found(every._replace(affiliate="A1")) == (["tina", "tom"], 2)
    assert found(every._replace(text="TI")) == (["tina"], 1)
    assert found(every._replace(text="_")) == ([], 0)  # no wildcard of the database
    assert {one.owner for one in some_tokens(office, ["tina", "otto"], 9)} == {"tina", "otto"}
    assert len(some_tokens(office, None, 2)) == 2
    assert some_tokens(office, [], 9) == []


def test_a_shut_account_is_out_at_once_and_its_tokens_with_it(office: Office) -> None:
    director(office)
    session = open_session(office, "tina")
    _, secret = add_token(office, "host", NewToken("tina"))
    set_disabled(office, "host", "tina", is_disabled=True)
    assert proven(office, "tina", PASSWORD) is None
    assert session_of(office, session) is None
    assert bearer_of(office, secret) is None
    with pytest.raises(OfficeError, match="that could have a token"):
        add_token(office, "host", NewToken("tina"))
    set_disabled(office, "host", "tina", is_disabled=False)
    assert bearer_of(office, secret) is not None
    assert session_of(office, session) is None  # a session does not come back


def test_a_new_password_ends_the_sessions_of_the_old_one(office: Office) -> None:
    staff(office)
    session = open_session(office, "anna")
    set_password(office, "host", "anna", "another long password")
    assert session_of(office, session) is None
    assert proven(office, "anna", PASSWORD) is None
    assert proven(office, "anna", "another long password") is not None
    with pytest.raises(OfficeError, match="there is no account bob"):
        set_password(office, "host", "bob", PASSWORD)
    with pytest.raises(OfficeError, match="there is no account bob"):
        set_disabled(office, "host", "bob", is_disabled=True)


def test_an_unknown_name_takes_as_long_as_a_wrong_password(
    office: Office, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The medians of 200 tries each differ by less than 5 %; processor time, so that neighbours do not count."""
    monkeypatch.setattr(accounts, "MEMORY_KIB", 8 * 1024)
    staff(office)
    names = ("anna", "nobody")
    taken: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(200 if store == "sqlite" else 5):
        for name in names:
            began = time.thread_time()
            assert proven(office, name, "a wrong password") is None
            taken[name].append(time.thread_time() - began)
    known, unknown = (statistics.median(taken[name]) for name in names)
    assert store == "postgresql" or abs(known - unknown) < 0.05 * known


def test_ten_tries_in_fifteen_minutes_from_an_address(office: Office, clock: HandClock) -> None:
    for number in range(10):
        assert accounts.begin_try(office, f"name{number}", "198.51.100.1").failure_id
        clock.go(seconds=1)
    assert accounts.begin_try(office, "boris", "198.51.100.1") == accounts.Begun(
        None, timedelta(minutes=14, seconds=50)
    )
    boris = accounts.begin_try(office, "boris", "192.0.2.1").failure_id
    assert boris
    accounts.forget_try(office, boris)
    clock.go(minutes=14, seconds=49)
    assert not accounts.begin_try(office, "boris", "198.51.100.1").failure_id
    clock.go(seconds=1)
    assert accounts.begin_try(office, "boris", "198.51.100.1").failure_id
    assert failures(office) == 10  # those that no longer count are forgotten


def test_a_browser_that_is_known_waits_for_nobody_else(office: Office, clock: HandClock) -> None:
    """Others use up the tries of its address and of its owner's name; its own are counted by themselves."""
    for name in ("anna", "boris"):
        add_account(office, "host", NewAccount(name, Role.OFFICE), PASSWORD)
    secret = credentials.know_browser(office, "anna")
    assert credentials.session_of(office, secret) is None  # it opens nothing
    for _ in range(accounts.MOST_TRIES):
        assert accounts.begin_try(office, "anna", "192.0.2.1").failure_id
    assert accounts.begin_try(office, "anna", "192.0.2.1").failure_id is None
    known = credentials.known_browser(office, " Anna ", secret)
    for name, shown in (("boris", secret), ("anna", "x"), ("anna", "")):
        assert credentials.known_browser(office, name, shown) == ""
    for _ in range(accounts.MOST_TRIES):
        assert accounts.begin_try(office, "anna", "192.0.2.1", known).failure_id
    assert accounts.begin_try(office, "anna", "192.0.2.1", known) == accounts.Begun(None, timedelta(minutes=15))
    assert accounts.begin_try(office, "boris", "192.0.2.2").failure_id
    accounts.set_password(office, "host", "anna", f"another {PASSWORD}")
    assert credentials.known_browser(office, "anna", secret) == ""
    kept = []
    for _ in range(credentials.MOST_KNOWN + 2):
        clock.go(seconds=1)
        kept.append(credentials.know_browser(office, "anna"))
    assert [bool(credentials.known_browser(office, "anna", one)) for one in kept] == [False] * 2 + [True] * 20
    clock.go(days=365)
    assert credentials.known_browser(office, "anna", kept[-1]) == ""


def test_nobody_shuts_a_name_by_wrong_passwords(office: Office, clock: HandClock) -> None:
    """From many addresses; whoever knows the password waits a minute at most, and their success counts for nothing."""
    for number in range(10):
        assert accounts.begin_try(office, "Anna ", f"192.0.2.{number}").failure_id
    waits = []
    for number in range(8):
        found = accounts.begin_try(office, " ANNA", f"198.51.100.{number}")
        assert found.failure_id is None
        waits.append(found.wait.total_seconds())
        clock.go(seconds=found.wait.total_seconds())
        assert accounts.begin_try(office, "anna", f"198.51.100.{number}").failure_id
    assert waits == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
    clock.go(minutes=1)
    right = accounts.begin_try(office, "anna", "203.0.113.5").failure_id
    assert right
    accounts.forget_try(office, right)
    clock.go(minutes=15)
    assert accounts.begin_try(office, "anna", "203.0.113.5").failure_id
    assert failures(office) == 1


def test_a_try_that_did_not_fail_does_not_count(office: Office) -> None:
    for _ in range(12):
        begun = accounts.begin_try(office, "anna", "192.0.2.1").failure_id
        assert begun
        accounts.forget_try(office, begun)
    assert failures(office) == 0


def test_of_many_tries_at_once_ten_are_looked_at(office: Office) -> None:
    with ThreadPoolExecutor(20) as crowd:
        begun = list(crowd.map(lambda number: accounts.begin_try(office, "anna", f"192.0.2.{number}"), range(20)))
    assert sum(one.failure_id is not None for one in begun) == 10


# Tokens.


def test_a_token_is_shown_once_and_only_its_hash_is_kept(office: Office) -> None:
    director(office)
    made, secret = add_token(office, "tina", NewToken("tina", days=30))
    assert SECRETS.fullmatch(secret)
    assert made.affiliate == "A1234567"
    kept = everything_kept(office)
    assert secret not in kept
    assert secret.removeprefix("crosstable_") not in kept
    assert hashlib.sha256(secret.encode()).hexdigest() in kept
    found = bearer_of(office, secret)
    assert found is not None
    assert (found.account.name, found.token.scope, found.token.affiliate) == ("tina", Scope.SUBMIT, "A1234567")
    assert add_token(office, "tina", NewToken("tina"))[1] != secret


def test_a_token_ends_with_its_time_and_when_it_is_revoked(office: Office, clock: HandClock) -> None:
    director(office)
    _, short = add_token(office, "tina", NewToken("tina", days=1))
    long, secret = add_token(office, "tina", NewToken("tina", Scope.READ, days=365))
    clock.go(hours=23, minutes=59)
    assert bearer_of(office, short) is not None
    clock.go(minutes=1)
    assert bearer_of(office, short) is None
    assert bearer_of(office, secret) is not None
    credentials.revoke_token(office, "tina", long.token_id)
    assert bearer_of(office, secret) is None
    credentials.revoke_token(office, "tina", long.token_id)  # twice does no harm
    with pytest.raises(OfficeError, match="no token 12345678"):
        credentials.revoke_token(office, "tina", "12345678")


def test_the_last_use_of_a_token_is_shown(office: Office, clock: HandClock) -> None:
    director(office)
    _, secret = add_token(office, "tina", NewToken("tina"))
    assert [one.last_used for one in credentials.tokens(office)] == [None]
    first = clock.now
    bearer_of(office, secret)
    clock.go(minutes=4)
    bearer_of(office, secret)  # not written so often
    assert [one.last_used for one in credentials.tokens(office, "tina")] == [first]
    clock.go(minutes=1)
    bearer_of(office, secret)
    assert [one.last_used for one in credentials.tokens(office)] == [clock.now]
    assert credentials.tokens(office, "anna") == []


def test_nothing_about_accounts_waits_for_who_writes_the_record(office: Office, clock: HandClock) -> None:
    director(office)
    _, secret = add_token(office, "tina", NewToken("tina"))
    with office.writing("registrar", "a long run"):
        assert bearer_of(office, secret) is not None
        begun = accounts.begin_try(office, "tina", "192.0.2.1")
        assert begun.failure_id is not None
        assert proven(office, "tina", PASSWORD) is not None
        accounts.forget_try(office, begun.failure_id)
        session = open_session(office, "tina")
        assert session_of(office, session) is not None
        credentials.close_session(office, session)
        accounts.set_mail_address(office, "tina", "tina", "tina@example.org")
        assert session_of(office, session) is None
        assert [one.last_used for one in credentials.tokens(office)] == [clock.now]
        staff(office)
        accounts.set_password(office, "tina", "tina", f"{PASSWORD} anew")
        accounts.set_disabled(office, "anna", "tina", is_disabled=True)
        with pytest.raises(OfficeBusyError):
            busy(office)
    assert [one.name for one in accounts.accounts(office) if one.is_disabled] == ["tina"]


def busy(office: Office) -> None:
    with office.writing("another", "anything", 0.0):
        raise AssertionError("two wrote at once")


def test_a_token_opens_while_somebody_writes_the_accounts(office: Office) -> None:
    director(office)
    _, secret = add_token(office, "tina", NewToken("tina"))
    with office.writing_accounts("anna", "an account"):
        assert bearer_of(office, secret) is not None
    assert [one.last_used for one in credentials.tokens(office)] == [None]


@pytest.mark.parametrize("days", [0, 366])
def test_a_token_lasts_a_year_at_most(office: Office, days: int) -> None:
    director(office)
    with pytest.raises(OfficeError, match="1 to 365 days"):
        add_token(office, "tina", NewToken("tina", days=days))


def test_a_token_acts_for_its_owners_affiliate(office: Office) -> None:
    staff(office)
    director(office)
    with pytest.raises(OfficeError, match="acts for A1234567, not for B7654321"):
        add_token(office, "tina", NewToken("tina", affiliate="B7654321"))
    with pytest.raises(OfficeError, match="say which"):
        add_token(office, "anna", NewToken("anna"))
    assert add_token(office, "anna", NewToken("anna", affiliate="b7654321"))[0].affiliate == "B7654321"
    with pytest.raises(OfficeError, match="there is no account bob"):
        add_token(office, "host", NewToken("bob", affiliate="A1234567"))


@pytest.mark.parametrize("shown", ["", "crosstable_", "crosstable_" + "x" * 43, "x" * 5000, "crosstable_' OR 1=1 --"])
def test_what_is_no_token_opens_nothing(office: Office, shown: str) -> None:
    director(office)
    assert bearer_of(office, shown) is None


# Sessions, and the person at the machine.


def test_a_session_lasts_twelve_hours_and_is_new_at_each_login(office: Office, clock: HandClock) -> None:
    made = staff(office)
    first, second = open_session(office, "anna"), open_session(office, "anna")
    assert first != second
    kept = everything_kept(office)
    assert first not in kept
    found = session_of(office, first)
    assert found is not None
    assert found.account == made._replace(last_login=clock.now)
    clock.go(hours=11, minutes=59)
    assert session_of(office, first) is not None
    clock.go(minutes=1)
    assert session_of(office, first) is None
    third = open_session(office, "anna")  # sweeps the old ones away
    assert session_of(office, third) is not None
    with office.reading() as connection:
        assert len(connection.execute(account_tables.session.select()).all()) == 1
    credentials.close_session(office, third)
    assert session_of(office, third) is None


def test_a_link_lets_the_person_at_the_machine_in_once(office: Office, clock: HandClock) -> None:
    link = credentials.make_link(office)
    assert session_of(office, link) is None  # a link is no session
    assert not credentials.follow_link(office, "another")
    assert credentials.follow_link(office, link)
    assert not credentials.follow_link(office, link)
    late = credentials.make_link(office)
    clock.go(minutes=30)
    assert not credentials.follow_link(office, late)


def test_a_newer_link_ends_the_older_one(office: Office) -> None:
    older = credentials.make_link(office)
    newer = credentials.make_link(office)
    assert not credentials.follow_link(office, older)
    assert credentials.follow_link(office, newer)


def test_the_first_account_ends_the_time_of_the_machine(office: Office) -> None:
    link, session = credentials.make_link(office), open_session(office, "")
    found = session_of(office, session)
    assert found is not None
    assert found.account is None
    staff(office)
    assert session_of(office, session) is None
    assert not credentials.follow_link(office, link)
    with pytest.raises(OfficeError, match="has accounts"):
        credentials.make_link(office)


def test_a_backup_holds_accounts_tokens_and_proposals_but_no_session(office: Office, tmp_path: Path) -> None:
    """Who worked on an office works on the restored one; what opens the site stands nowhere in the file."""
    staff(office)
    director(office)
    session, token = open_session(office, "anna"), add_token(office, "tina", NewToken("tina"))[1]
    join(office, [person(number) for number in (1, 2, 3, 4)])
    enter(office, quad("q"))
    propose(office, AUTHOR, withdrawal("q"))
    path, again = tmp_path / "office.zip", Office(str(tmp_path / "again.db"), office.clock)
    backup(office, str(path))
    with zipfile.ZipFile(path) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    for word in (session, token, PASSWORD, hashlib.sha256(session.encode()).hexdigest()):
        assert word not in whole
    restore(str(path), again.url)
    for table in (account_tables.account, account_tables.token, account_tables.proposal):
        with office.reading() as connection, again.reading() as other:
            rows = connection.execute(select(table)).all()
            assert rows
            assert rows == other.execute(select(table)).all()
    assert proven(again, "anna", PASSWORD)
    assert bearer_of(again, token) is not None
    assert session_of(again, session) is None
    again.close()


def test_account_tables_are_no_part_of_the_append_only_record(office: Office) -> None:
    staff(office)
    with office.writing_accounts("a test", "a change") as connection:
        assert connection.execute(text("UPDATE account SET full_name = 'Anne'")).rowcount == 1
        assert connection.execute(text("DELETE FROM account")).rowcount == 1


def test_days_of_a_token_are_counted_from_its_making(office: Office, clock: HandClock) -> None:
    director(office)
    made, _ = add_token(office, "tina", NewToken("tina", days=10))
    assert made.expires - clock.now == timedelta(days=10)
    assert made.expires.date() == date(2026, 11, 25)

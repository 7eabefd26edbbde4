"""``crosstable office users`` and ``tokens``: the host makes the first account and shuts anybody out."""

import io
import re

import pytest

from crosstable.cli import office_accounts as door
from crosstable.cli.serve import machine_link, why_not
from crosstable.office import accounts
from crosstable.office.accounts import proven
from crosstable.office.credentials import bearer_of, follow_link
from crosstable.office.database import open_office
from tests.cli.club import Desk

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The password on standard input, as often as it is asked for."""
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n" * 9))


@pytest.mark.usefixtures("typed")
def test_the_host_makes_accounts_lists_them_and_shuts_them(club: Desk) -> None:
    assert (
        club.done("users", "list") == "there are no accounts; to add the first one: crosstable office users add NAME\n"
    )
    said = club.done("users", "add", "anna", "--full-name", "Anna Office")
    assert said.startswith("anna may log in as office\n")
    assert "take two people" in said
    assert club.done("users", "add", "boris") == "boris may log in as office\n"
    assert club.done("users", "add", "tina", "--role", "td", "--affiliate", "a1234567") == (
        "tina may log in as td for A1234567\n"
    )
    assert club.refused("users", "add", "tina", "--role", "td").startswith("a td acts for one affiliate")
    listed = club.done("users", "list")
    assert re.search(r"anna +office +Anna Office +never", listed)
    assert club.done("users", "disable", "tina") == "tina is disabled\n"
    assert "disabled" in club.done("users", "list")
    assert [one["is_disabled"] for one in club.asked("users", "list")["users"]] == [False, False, True]
    assert "argon2" not in club.done("users", "list", "--json")
    assert club.done("users", "disable", "tina", "--undo") == "tina may log in again\n"
    assert "new password" in club.done("users", "password", "tina")
    assert club.refused("users", "password", "emil").startswith("there is no account emil")


@pytest.mark.usefixtures("typed")
def test_a_token_is_shown_once_listed_without_its_secret_and_revoked(club: Desk) -> None:
    club.done("users", "add", "tina", "--role", "td", "--affiliate", "A1234567")
    assert club.done("tokens", "list") == "0 tokens\n"
    said = club.done("tokens", "add", "tina", "--days", "30")
    secret = said.splitlines()[-1]
    office = open_office("office.db")
    assert bearer_of(office, secret) is not None
    listed = club.done("tokens", "list", "tina")
    assert secret not in listed
    assert secret not in club.done("tokens", "list", "--json")
    number = club.asked("tokens", "list")["tokens"][0]["token_id"]
    assert number in listed
    assert club.done("tokens", "revoke", number) == f"token {number} is revoked\n"
    assert "revoked" in club.done("tokens", "list")
    assert bearer_of(office, secret) is None
    office.close()
    assert club.refused("tokens", "revoke", "nothing").startswith("there is no token nothing")
    assert club.refused("tokens", "add", "tina", "--days", "400") == "a token lasts 1 to 365 days"


def test_a_password_is_typed_twice_on_a_terminal(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    answers = iter([PASSWORD, PASSWORD, PASSWORD, "another one entirely"])
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr(door.getpass, "getpass", lambda prompt: next(answers))  # type: ignore[attr-defined]
    club.done("users", "add", "anna")
    assert club.refused("users", "add", "boris") == "the two passwords differ; nothing was changed"
    office = open_office("office.db")
    assert proven(office, "anna", PASSWORD) is not None
    office.close()


@pytest.mark.usefixtures("typed")
def test_without_an_account_the_site_stays_on_the_machine(club: Desk) -> None:
    """Nobody could log in, so nobody but the person at the machine may reach it (decision 0006)."""
    for host in ("0.0.0.0", "::", "192.0.2.1", "office.example"):
        assert "nobody is set up to sign in" in why_not("office.db", host)
    for host in ("127.0.0.1", "localhost", "::1"):
        assert why_not("office.db", host) == ""
    link = machine_link("office.db", "http://127.0.0.1:8000/")
    found = re.fullmatch(r"http://127\.0\.0\.1:8000/machine/([A-Za-z0-9_-]{43})", link)
    assert found
    office = open_office("office.db")
    assert follow_link(office, found[1])
    office.close()
    club.done("users", "add", "anna")
    assert why_not("office.db", "0.0.0.0") == ""
    assert machine_link("office.db", "http://127.0.0.1:8000/") == ""


def test_without_the_library_for_passwords_a_sentence_says_so(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    monkeypatch.setitem(__import__("sys").modules, "argon2", None)
    assert "argon2-cffi is not installed" in club.refused("users", "add", "anna")

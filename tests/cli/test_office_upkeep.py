"""``office init``, ``status``, ``verify``, ``backup``, ``restore``, ``upgrade``; and what the door refuses."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crosstable.cli.printing import shown_address
from crosstable.errors import OfficeError
from crosstable.office import database
from tests.cli.club import Desk, founded, season
from tests.cli.conftest import Run

# Founding and the state of things


def test_an_office_is_made_once(desk: Desk) -> None:
    assert "Town Club: a new office at office.db\n" in desk.done("init", "--name", "Town Club")
    assert desk.refused("init") == "there is an office at office.db already; nothing was changed"
    assert desk.asked("status")["name"] == "Town Club"


def test_without_an_office_every_command_says_how_to_make_one(desk: Desk) -> None:
    for command in (("status",), ("log",), ("rerate",), ("verify",), ("ratings", "1"), ("backup", "b.zip")):
        said = desk.refused(*command)
        assert said == (
            "there is no office at office.db; make one with: crosstable office init --database office.db, or bring one "
            "back from a backup: crosstable office restore FILE --database office.db"
        )
    assert not (desk.folder / "office.db").exists()


def test_the_environment_says_where_the_office_is(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSTABLE_OFFICE", "elsewhere.db")
    desk.done("init")
    assert (desk.folder / "elsewhere.db").exists()
    desk.done("init", "--database", "here.db")
    assert (desk.folder / "here.db").exists()
    assert not (desk.folder / "office.db").exists()


def test_a_folder_that_is_not_there_is_named(desk: Desk) -> None:
    ran = desk("init", "--database", "no-such-folder/office.db")
    assert ran.code == 1
    assert "no-such-folder" in ran.err


def test_the_clock_is_confirmed_and_how_far_it_may_be_ahead_is_set(desk: Desk) -> None:
    desk.done("init")
    shown = desk.done("clock")
    assert shown.startswith("entry 1, the last one: ")
    assert "the journal goes on from there (entry 2)" in desk.done("clock", "--confirm")
    assert "clock: the clock is right; the entry before it was stamped" in desk.done("log", "--last", "1")
    assert [desk.done("settings", "clock-days", "40") for _ in "12"] == [
        "clock-days: 40 (entry 3)\n",
        "clock-days: 40 already\n",
    ]
    assert "settings: clock days 40" in desk.done("log", "--last", "1")


def test_status_counts_what_is_there_and_what_waits(club: Desk) -> None:
    found = club.asked("status")
    counts = {name: found[name] for name in ("members", "events", "sections", "ratings", "lists", "pending", "held")}
    assert counts == {
        "members": 13,
        "events": 3,
        "sections": 4,
        "ratings": 12 + 12,  # by hand: everybody but Quince in Regular, everybody but Juniper in Quick
        "lists": [],
        "pending": [],
        "held": [],
    }
    club.done("withdraw", "202603200010", "--reason", "played again")
    assert "1 journal entry waits for a rating run" in club.done("status")
    club.done("rerate")
    assert club.asked("status")["pending"] == []
    club.write("m.csv", "ID,Name\n40000001,Ann\n")
    club.done("members", "import", "m.csv")  # somebody who has not played yet: nothing waits for that
    assert club.asked("status")["pending"] == []


# Verify


def test_verify_finds_nothing_in_an_untouched_office(club: Desk) -> None:
    assert "everything follows from the record" in club.done("verify")
    assert club.asked("verify")["findings"] == []
    assert "everything follows from the record" in club.done("verify", "--resume", "notes")
    (club.folder / "notes").write_text("a letter", encoding="utf-8")
    assert "notes is no file in which a verify notes how far it has come" in club.refused("verify", "--resume", "notes")


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE posting SET rating_after = rating_after + 1 WHERE member_id = '30000001' AND system = 1", "is posted"),
        ("UPDATE act SET reason = 'another' WHERE seq = 2", "journal entry 2 was changed after it was written"),
        ("UPDATE posting SET supersedes = 1 WHERE posting_id = (SELECT max(posting_id) FROM posting)", "is not posted"),
        ("UPDATE entry SET rounds = replace(rounds, 'W2w', 'L2w')", "no longer what was submitted"),
    ],
)
def test_verify_names_what_was_changed_behind_the_offices_back(club: Desk, statement: str, found: str) -> None:
    club.change(statement)
    ran = club("verify")
    assert ran.code == 1
    assert found in ran.out
    assert "difference" in ran.out.splitlines()[-1]


def test_nothing_is_left_to_rebuild(club: Desk) -> None:
    assert "nothing to rebuild" in club.done("upgrade", "--rebuild")


# Backup, restore, upgrade


def test_a_backup_restores_to_the_same_head_and_the_same_ratings(club: Desk) -> None:
    out = club.done("backup", "season.zip")
    head = out.splitlines()[-1]
    assert head in club.done("restore", "season.zip", "--database", "other.db")
    assert club.asked("status", "--database", "other.db") == club.asked("status")
    assert club.done("history", "30000007", "--database", "other.db") == club.done("history", "30000007")
    assert "everything follows" in club.done("verify", "--database", "other.db")


def test_a_backup_is_not_restored_over_an_office(club: Desk) -> None:
    club.done("backup", "season.zip")
    assert "already; restore into an empty place" in club.refused("restore", "season.zip")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 damaged", b"a text"])
def test_what_is_no_backup_is_refused(desk: Desk, content: bytes) -> None:
    (desk.folder / "no.zip").write_bytes(content)
    assert desk.refused("restore", "no.zip").startswith("no.zip is not a backup of an office")
    assert not (desk.folder / "office.db").exists() or desk("status").code == 1


def test_a_backup_into_no_folder_leaves_nothing(club: Desk) -> None:
    ran = club("backup", "no-such-folder/b.zip")
    assert ran.code == 1
    assert "no-such-folder" in ran.err


def test_an_upgrade_of_a_new_office_has_nothing_to_do(club: Desk) -> None:
    assert club.done("upgrade") == f"office.db: the schema is {database.SCHEMA} already\n"


def test_a_newer_schema_is_refused_in_one_sentence(club: Desk) -> None:
    club.change("UPDATE alembic_version SET version_num = '9999'")
    said = club.refused("ratings", "30000001")
    assert "schema 9999, which is newer than this program knows" in said
    assert "9999" in club.refused("upgrade")


# The door


def test_a_password_is_never_printed() -> None:
    url = "postgresql://office:s3cret@db.example/club"
    assert shown_address(url) == "postgresql://office:…@db.example/club"
    assert shown_address("office.db") == "office.db"
    assert shown_address("postgresql://office@/club?host=/run") == "postgresql://office@/club?host=/run"


def test_the_secret_of_the_founding_is_never_printed(club: Desk) -> None:
    """Whoever had it could try birth dates against the heads that supplements print."""
    with closing(sqlite3.connect(club.folder / "office.db")) as opened:
        (first,) = opened.execute("SELECT after FROM act WHERE seq = 1").fetchone()
    secret = json.loads(first)["secret"]
    asked = (
        *(("log", "--last", "999"), ("log", "--last", "999", "--json"), ("log", "--security", "--json")),
        *(("status", "--json"), ("settings", "show", "--json"), ("verify", "--json"), ("backup", "season.zip")),
        *(("members", "export", "30000007"), ("restore", "season.zip", "--database", "other.db")),
    )
    for command in asked:
        assert secret not in club.done(*command), command
    for damage in (f"{first} ", first[:-1]):
        club.change("UPDATE act SET after = ? WHERE seq = 1", damage)
        for words in ("verify", "verify --json", "log --json", "status", "upgrade"):
            ran = club(*words.split())
            assert secret not in ran.out + ran.err, (damage, words)


def test_a_refusal_does_not_repeat_the_password(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(url: str, clock: Any) -> None:
        raise OfficeError(f"there is no office at {url}")

    monkeypatch.setattr("crosstable.cli.office_access.open_office", refuse)
    said = desk.refused("status", "--database", "postgresql://me:s3cret@db.example/club")
    assert said == "there is no office at postgresql://me:…@db.example/club"


@pytest.mark.parametrize(("library", "url"), [("sqlalchemy", "office.db"), ("psycopg", "postgresql://me@/club")])
def test_a_library_that_is_missing_is_named(run: Run, library: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == library else object())
    ran = run("office", "status", "--database", url)
    assert (ran.code, ran.out) == (1, "")
    assert f"{library} is not installed" in ran.err
    assert "[site]" in ran.err


def test_an_office_knows_no_other_database(desk: Desk) -> None:
    assert desk.refused("status", "--database", "mysql://x/y") == (
        "an office lives on sqlite or postgresql, not on 'mysql'"
    )


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("club-members.csv", "not a database"),
        ("postgresql:///club?host=/no-such-folder", "Check that the server runs"),
        ("postgresql://localhost:port/club", "is no address of a database"),
        ("postgresql:///club?colour=red", "Check the options after the ?"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_with_what_to_check(desk: Desk, url: str, said: str) -> None:
    assert said in desk.refused("status", "--database", url)


def test_somebody_without_a_login_name_must_say_who_acts(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert "say who you are with --by NAME" in club.refused("rerate")
    club.done("rerate", "--by", "the office")


def test_a_second_writer_is_told_who_is_writing(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    office = database.open_office("office.db")
    with office.writing("the registrar", "a long import"):
        monkeypatch.setattr(database, "PATIENCE", 0.05)
        monkeypatch.setattr(database.Office.writing.__wrapped__, "__defaults__", (0.05,))  # type: ignore[attr-defined]
        said = club.refused("withdraw", "202603200010", "--reason", "x")
    office.close()
    assert "the office is busy: the registrar is at work (a long import" in said


def test_stopping_says_that_nothing_half_done_is_stored(desk: Desk) -> None:
    """A real interrupt, in a process of its own, at a moment when the office is being written to."""
    (desk.folder / "office.db").write_bytes(founded())
    # the child stops itself inside the transaction of the submission
    child = (
        "import os, signal, crosstable.office.submissions as s\n"
        "from crosstable.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # whoever runs the tests may ignore it
        "real = s.append\n"
        "def append(*given):\n"
        "    made = real(*given)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return made\n"
        "s.append = append\n"
        "raise SystemExit(main(['office', 'submit', 'club-autumn-swiss.csv']))\n"
    )
    stopped = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=False)
    assert stopped.returncode == 128 + signal.SIGINT
    assert "nothing half-done was stored" in stopped.stderr
    assert "crosstable office submit club-autumn-swiss.csv" in stopped.stderr
    assert desk.asked("status")["events"] == 0
    assert "section 1 accepted" in desk.done("submit", "club-autumn-swiss.csv")


# On a terminal


@pytest.mark.parametrize("words", [("ratings", "30000001"), ("log",), ("verify",), ("rerate",)])
def test_a_terminal_gets_tables_and_bars_and_a_pipe_neither(
    club: Desk, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    club.done("withdraw", "202603200010", "--reason", "x")
    plain = club(*words)
    assert (plain.code, plain.err) == (0, "")
    assert "\u2500" not in plain.out
    (club.folder / "office.db").write_bytes(season())
    club.done("withdraw", "202603200010", "--reason", "x")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    drawn = club(*words)
    assert drawn.code == 0
    assert ("\u2500" in drawn.out) == (words != ("verify",))
    assert {"verify": "recomputing", "rerate": "rating"}.get(words[0], "") in drawn.err
    assert "Ash, Miriam" in drawn.out or words[0] in ("log", "verify")


def test_no_command_at_all_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    for words in ((), ("members",), ("decide",), ("decide", "something")):
        ran = run("office", *words)
        assert (ran.code, ran.out) == (2, "")
        assert "usage: crosstable office" in ran.err


@pytest.mark.parametrize("again", [("restore", "club.zip"), ("init", "--name", "Riverside")])
def test_accounts_that_an_office_left_are_never_thrown_away(desk: Desk, again: tuple[str, ...]) -> None:
    """The record is lost; its accounts and security log lie there still. A backup is an entry of that log."""
    desk.done("init", "--name", "Riverside")
    desk.done("backup", "club.zip")
    (desk.folder / "office.db").unlink()
    assert "crosstable office restore FILE" in desk.refused("status")
    ran = desk(*again)
    (aside,) = [one for one in desk.folder.glob("office.db.accounts.2*") if not one.name.endswith(("-wal", "-shm"))]
    assert (ran.code, f"are kept in {aside.name}" in ran.err) == (0, True)
    with closing(sqlite3.connect(aside)) as accounts:
        assert accounts.execute("SELECT count(*) FROM security_log").fetchone() == (1,)


def test_the_settings_show_the_name_that_the_office_was_made_with(desk: Desk) -> None:
    desk.done("init", "--name", "Riverside")
    assert "name: Riverside\n" in desk.done("settings", "show")

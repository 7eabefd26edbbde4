"""Two people on the command line: proposed with one account, approved with the password of another; no text does it."""

import io
import json
import sys
from pathlib import Path

import pytest

from crosstable.office import accounts
from tests.architecture.source import ROOT
from tests.cli.club import CHAMPIONSHIP, SWISS, Desk
from tests.cli.test_commands_of_the_pages import typed
from tests.documents import valid

ANNA, BORIS, CLARA = "anna's long password", "boris' long password", "clara's long password"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)


class Two:
    """The club with two accounts of the office, a published supplement, and consent on."""

    def __init__(self, club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        self.club, self._patch = club, monkeypatch
        self.typing(ANNA).done("users", "add", "anna")
        self.typing(BORIS).done("users", "add", "boris")
        club.done("publish", "2026-06", "--cut-off", "played")
        assert "(entry" in club.done("settings", "consent", "on", "--reason", "two of us")

    def typing(self, *passwords: str) -> Desk:
        """The desk while somebody types passwords."""
        self._patch.setattr(sys, "stdin", io.StringIO("".join(f"{one}\n" for one in passwords)))
        return self.club


@pytest.fixture
def two(club: Desk, monkeypatch: pytest.MonkeyPatch) -> Two:
    return Two(club, monkeypatch)


def test_bypass_4_a_name_does_not_look_like_an_approval(club: Desk) -> None:
    for by in ("alice, approved by bob", "alice,  Approved  BY bob"):
        ran = club("publish", "2026-06", "--cut-off", "played", "--by", by)
        assert (ran.code, "--by is a name" in ran.err) == (2, True)
    club.done("publish", "2026-06", "--cut-off", "played", "--by", "alice")
    entry = club.asked("log", "--last", "1")["acts"][0]
    assert (entry["by"], "approved_by" in entry) == ("alice", False)
    assert entry["login"] not in ("", "alice")  # who it was on this machine stands beside it


def test_what_takes_two_is_proposed_and_approved_by_password(two: Two) -> None:
    club = two.club
    withdraw = ("withdraw", SWISS, "--reason", "never played", "--by", "boris")
    ran = club(*withdraw)
    assert (ran.code, "say who proposes it: --account NAME" in ran.err) == (2, True)
    assert "not the password of anna" in two.typing(BORIS).refused(*withdraw, "--account", "anna")
    assert "proposal 1" in two.typing(ANNA).done(*withdraw, "--account", "anna")
    assert "is proposed already" in two.typing(ANNA).refused(*withdraw, "--account", "anna")
    shown = club.done("proposals", "show", "1")
    assert f"take event {SWISS} out of the ratings" in shown
    assert "30000007" in shown  # whose rating would change
    assert club.done("log", SWISS, "--kind", "withdraw") == "no such journal entry\n"
    approve = ("proposals", "approve", "1")
    assert "--account NAME" in club(*approve).err
    assert "somebody else has to approve" in two.typing(ANNA).refused(*approve, "--account", "anna")
    said = two.typing(BORIS).done(*approve, "--account", "boris")
    assert said.index("30000007") < said.index("proposal 1 is approved")
    assert "anna, approved by boris" in club.done("log", SWISS, "--kind", "withdraw")
    entry = club.asked("log", SWISS, "--kind", "withdraw")["acts"][0]
    assert (entry["by"], entry["approved_by"]) == ("anna", "boris")
    kinds = [(one["kind"], one["actor"]) for one in club.asked("log", "--security")["entries"]]
    assert kinds[-2:] == [("proposed", "anna"), ("approved", "boris")]
    assert "head of the security log" in club.done("log", "--security", "--last", "2")
    assert club("verify").code == 0


def test_every_way_into_a_published_period_is_the_same(two: Two) -> None:
    club, reason = two.club, ("--reason", "x")
    wrong = ("--section", "1", "--player", "1", "--round", "1", "--result", "L2")
    ways = [
        ("correct", SWISS, *wrong, *reason),
        ("decide", "floor", "--member", "30000007", "--system", "OTBR", "--level", "2200", *reason),
        ("decide", "adjust", "--member", "30000007", "--system", "OTBR", "--level", "2200", *reason),
        ("decide", "fact", "--member", "30000007", "birth-date=2001-01-01", *reason),
        ("members", "merge", "30000007", "30000011", *reason),
        ("publish", "2026-07", "--cut-off", "now"),
        ("settings", "consent-limits", "--days", "9999"),
    ]
    head = club.asked("verify")["head"]
    for way in ways:
        ran = club(*way)
        assert (ran.code, "--account NAME" in ran.err) == (2, True), (way, ran.err)
    new = club.write("new.csv", "Member ID,Name,OTBR rating,OTBR games\n30000099,New Person,2300,50\n")
    ran = club("members", "import", new, "--ratings-as-of", "2026-06-01")
    assert (ran.code, "--account NAME" in ran.err) == (2, True)
    assert club.asked("verify")["head"] == head  # nothing was stored by any of them
    for at, way in enumerate(ways, 1):
        assert f"proposal {at}" in two.typing(ANNA).done(*way, "--account", "anna"), way
    valid(club.asked("proposals", "list"))
    assert "2 facts" not in club("decide", "fact", "--member", "30000007", "state=NJ", "name=X", *reason).out
    said = two.typing(ANNA).done("members", "import", new, "--ratings-as-of", "2026-06-01", "--account", "anna")
    assert "1 new member" in said
    assert "proposal 8" in said
    assert two.typing(BORIS).done("proposals", "refuse", "8", "--account", "boris") == "proposal 8 is refused\n"
    assert "refused by boris" in club.done("proposals", "list", "--all")
    assert "there is no proposal 99" in club.refused("proposals", "show", "99")


def test_what_a_file_says_of_somebody_is_no_way_around_two(two: Two) -> None:
    """A birth date in a members file, a FIDE rating by hand, and FIDE's list: each may change a published rating."""
    club, by_anna = two.club, ("--account", "anna")
    born = club.write("born.csv", 'Member ID,Name,Birth date,State\n30000007,"Hazel, Grace",2001-01-01,OH\n')
    line = f"{'2000001':<15}{'Player, Some':<61}{'USA':<4}{'':<33}{2200:<6}{9:<4}{'20':<3}{'1990':<6}"
    heading = f"{'ID Number':<15}{'Name':<61}Fed Sex Tit  WTit {'OTit':<15}FOA JUN25 Gms K  B-day Flag"
    listed = club.write("list.txt", f"{heading}\n{line}\n")
    id_file = club.write("id.csv", 'Member ID,Name,FIDE id\n30000007,"Hazel, Grace",2000001\n')
    assert "1 changed" in club.done("members", "import", id_file)
    ways = [
        ("members", "import", born),
        ("decide", "fact", "--member", "30000007", "fide-rating=2300@2025-06-01", "--reason", "x"),
        ("outside-ratings", "import", listed, "--federation", "FIDE", "--date", "2025-06-01", "--json"),
    ]
    head = club.asked("verify")["head"]
    for way in ways:
        ran = club(*way)
        assert (ran.code, "record facts about member 30000007" in ran.err, "--account NAME" in ran.err) == (
            2,
            True,
            True,
        )
    assert club.asked("verify")["head"] == head
    two.typing(ANNA).done(*ways[0], *by_anna)
    two.typing(ANNA).done(*ways[1], *by_anna)
    ran = two.typing(ANNA)(*ways[2], *by_anna)
    assert (json.loads(ran.out)["entry"], "proposal 3" in ran.err) == (None, True)
    assert "birth date 2001-01-01" in club.done("proposals", "show", "1")
    last = club.asked("log", "--security", "--last", "1")["entries"][0]
    assert (last["kind"], last["subject"]) == ("birth date read", "proposal 1")
    assert "is approved" in two.typing(BORIS).done("proposals", "approve", "1", "--account", "boris")
    assert club.asked("members", "show", "30000007")["birth_date"] == "2001-01-01"
    later = ("decide", "fact", "--member", "30000007", "fide-rating=2300@2030-01-01", "--reason", "x")
    assert "(entry" in club.done(*later)  # of a day that no list covers


def test_a_late_event_waits_for_two(two: Two) -> None:
    club = two.club
    file = json.loads((club.folder / "club-quick-night.json").read_text("utf-8"))
    file["event"] |= {"id": "202509010001", "name": "Forgotten", "start_date": "2025-09-01", "end_date": "2025-09-01"}
    for section in file["sections"]:
        section |= {"start_date": "2025-09-01", "end_date": "2025-09-01"}
    ran = club("submit", club.write("late.json", json.dumps(file)))
    assert (ran.code, "late-submission" in ran.err + ran.out or "held" in ran.out) == (1, True)
    assert "--account NAME" in club("confirm", "202509010001").err
    assert "proposal 1" in two.typing(ANNA).done("confirm", "202509010001", "--account", "anna")
    assert "is approved" in two.typing(BORIS).done("proposals", "approve", "1", "--account", "boris")


def test_bypass_5_accounts_of_the_office_take_two_as_well(two: Two) -> None:
    club = two.club
    kinds = (("add", "clara"), ("password", "boris"), ("disable", "boris"), ("second-factor", "boris"))
    for command in (("users", *one) for one in kinds):
        assert "--account NAME --account OTHER" in two.typing(CLARA, CLARA).__call__(*command).err
        ran = two.typing(ANNA, ANNA, CLARA)(*command, "--account", "anna", "--account", "anna")
        assert "--account NAME --account OTHER" in ran.err
    both = ("--account", "anna", "--account", "boris")
    assert "clara may log in" in two.typing(ANNA, BORIS, CLARA).done("users", "add", "clara", *both)
    last = club.asked("log", "--security", "--last", "1")["entries"][0]
    assert (last["kind"], last["actor"], last["subject"]) == ("account added", "anna and boris", "clara")
    assert two.typing(CLARA).done("users", "add", "tina", "--role", "td", "--affiliate", "A1234567")


def test_consent_is_switched_off_by_two_or_in_a_week(two: Two) -> None:
    club = two.club
    assert "in force in 7 days" in club.done("settings", "consent", "off", "--reason", "boris left")
    assert ", until " in club.done("settings", "show")
    assert "(entry" in club.done("settings", "consent", "on")
    assert "proposal 1" in two.typing(ANNA).done("settings", "consent", "off", "--account", "anna")
    two.typing(BORIS).done("proposals", "approve", "1", "--account", "boris", "--no-rate")
    assert "consent: off" in club.done("settings", "show")
    assert "consent limits: days 90" in club.done("settings", "consent-limits", "--days", "90")
    assert "(entry" in club.done("withdraw", CHAMPIONSHIP, "--reason", "x")


# What people may ask for.


def test_a_person_is_exported_and_erased(club: Desk, tmp_path: Path) -> None:
    club.done("backup", "before.zip")
    valid(json.loads(club.done("members", "export", "30000007")))
    assert "nothing was erased" in club.done("members", "erase", "30000007", "--reason", "asked for it")
    name = club.asked("members", "show", "30000007")["name"]
    said = club.done("members", "erase", "30000007", "--reason", "asked for it", "--yes")
    assert "member 30000007 is erased" in said
    assert "office.db.erasures" in said
    valid(json.loads((club.folder / "office.db.erasures").read_text()))
    for path in club.folder.iterdir():
        if path.name.startswith("office.db"):
            assert name.encode() not in path.read_bytes(), path
    assert club("verify").code == 0
    assert club.asked("members", "show", "30000007")["name"] == "(erased)"
    again = ("members", "import", "club-members.csv", "--ratings-as-of", "2025-08-31")
    assert "1 member left out: erased" in club.done(*again)
    (club.folder / "office.db").unlink()
    assert "1 person erased again, by office.db.erasures" in club.done("restore", "before.zip")
    assert name.encode() not in (club.folder / "office.db").read_bytes()
    assert club("verify").code == 0
    reads = [(one["kind"], one["subject"]) for one in club.asked("log", "--security")["entries"]]
    assert reads == [("birth date read", "everybody")]  # the backup itself; the rest came later


def test_a_list_of_erasures_is_kept_elsewhere_and_erases_again(club: Desk) -> None:
    """As for an office on PostgreSQL, where nothing lies beside the database, and whose server puts it back."""
    club.done("backup", "before.zip")
    assert club.done("members", "erasures", "kept") == "kept: 0 erasures\n"
    club.done("members", "erase", "30000007", "--reason", "asked for it", "--yes")
    assert club.done("members", "erasures", "kept") == "kept: 1 erasure\n"
    assert (club.folder / "kept").stat().st_mode & 0o777 == 0o600
    (club.folder / "office.db.erasures").unlink()
    club.done("restore", "before.zip", "--database", "again.db")
    where = ("--database", "again.db")
    ran = club("members", "erasures", "kept", *where)
    assert (ran.code, "1 person of kept not erased here" in ran.err) == (1, True)
    assert club.done("members", "erasures", "kept", "--again", *where) == (
        "1 person erased again, by kept\nkept: 1 erasure\n"
    )
    assert club.asked("members", "show", "30000007", *where)["name"] == "(erased)"
    assert "everything follows" in club.done("verify", *where)


def test_what_is_no_longer_kept_goes(club: Desk) -> None:
    assert club.done("clear") == "nothing is older than it is kept\n"
    said = club.done("settings", "keep", "--security-log", "1", "--originals", "3650")
    assert "originals 3,650 days, proposals for ever, security-log 1 day, access for ever (entry" in said
    assert "originals for ever" in club.done("settings", "keep", "--originals", "0")
    assert "keep: originals for ever" in club.done("settings", "show")
    assert club.done("clear", "--scrub") == "nothing is older than it is kept\n"


def test_the_commands_of_the_page_do_what_it_says(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody has the same password here, and types it as often as it is asked for."""
    club.done("publish", "2026-06", "--cut-off", "played")
    seen = []
    for line in typed((ROOT / "docs" / "privacy.md").read_text("utf-8")):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{ANNA}\n" * 3))
        assert line.words[:2] == ("crosstable", "office")
        seen.append(club.done(*line.words[2:]))
    assert len(seen) == 11
    assert any("proposal 1 is approved" in said for said in seen)
    assert any("member 30000007 is erased" in said for said in seen)

"""``office ratings``, ``history``, ``explain``, ``log``, ``changes``: what they say, and what they hide."""

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from crosstable.cli.printing import plain_table
from crosstable.office.database import open_office
from crosstable.office.ledger.journal import acts
from tests.architecture.source import ROOT
from tests.cli.club import BIRTH_DATES, CHAMPIONSHIP, QUICK, SWISS, Desk
from tests.cli.conftest import Run
from tests.event_files import event_file, player

HAZEL = "30000007"


def instant_of(act: int) -> str:
    """The instant of an act, as --known-on takes it."""
    made = open_office("office.db")
    with made.reading() as connection:
        found = next(one.at for one in acts(connection) if one.seq == act)
    made.close()
    return found.isoformat()


def test_standings_and_history_say_the_same(club: Desk) -> None:
    ratings = club.asked("ratings", HAZEL)["ratings"]
    lines = club.asked("history", HAZEL)["lines"]
    for system in ("OTBR", "OTBQ"):
        last = [line for line in lines if line["system"] == system][-1]
        assert ratings[system]["rating"] == last["after"]["rating"]
        assert ratings[system]["last"] == {name: last[name] for name in ("ended", "event", "section")}
    # by hand: 18 games, then 3 of the Swiss (one bye) and 7 of the championship
    assert ratings["OTBR"]["games"] == 18 + 3 + 7


def test_the_history_links_before_to_after(club: Desk) -> None:
    lines = club.asked("history", HAZEL, "--system", "OTBR")["lines"]
    assert [line["event"] for line in lines] == [None, SWISS, CHAMPIONSHIP]
    for earlier, later in pairwise(lines):
        assert later["before"] == earlier["after"]


def test_a_member_without_a_rating_is_told_so(desk: Desk) -> None:
    desk.done("init")
    desk.write("m.csv", "ID,Name\n40000001,Ann\n")
    desk.done("members", "import", "m.csv")
    assert desk.done("ratings", "40000001") == "Ann (40000001)\nno rating yet\n"
    assert desk.done("history", "40000001") == "Ann (40000001)\nnothing rated yet\n"
    assert desk.done("changes") == "no rating changed\n"


# As known on


def test_a_question_is_answered_as_it_was_known_then(club: Desk) -> None:
    before = club.done("history", HAZEL)
    instant = club.asked("log")["acts"][-1]["at"]
    club.done("withdraw", SWISS, "--reason", "x", "--rate")
    assert club.done("history", HAZEL) != before
    assert club.done("history", HAZEL, "--known-on", instant) == before
    tomorrow = (datetime.now(tz=UTC) + timedelta(days=1)).date().isoformat()
    assert club.done("history", HAZEL, "--known-on", tomorrow) == club.done("history", HAZEL)
    explained = club.done("explain", HAZEL, SWISS, "--known-on", instant)
    assert "Hazel, Grace, section 1, OTBR" in explained
    assert "is withdrawn, so it is not rated" in club.refused("explain", HAZEL, f"{SWISS}/1")


def test_the_log_ends_where_it_was_known_to(club: Desk) -> None:
    every = club.asked("log")["acts"]
    some = club.asked("log", "--known-on", instant_of(4))["acts"]
    assert some == every[:4]


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "2026-01-01Tnoon"])
def test_a_day_that_is_none_is_wrong_usage(club: Desk, text: str) -> None:
    assert club("ratings", HAZEL, "--known-on", text).code == 2


# Explain


def test_the_office_explains_as_the_file_does(club: Desk, run: Run) -> None:
    """The Swiss came first, so the members file is all that the players brought: the same lines, word for word."""
    plain = run("explain", "club-autumn-swiss.csv", "--player", "6", "--members", "club-members.csv")
    assert plain.code == 0, plain.err
    office = club.done("explain", HAZEL, f"{SWISS}/1")
    assert office.split() == plain.out.split()
    assert len(office.splitlines()) > 20


def test_both_systems_and_the_only_section_need_not_be_named(club: Desk) -> None:
    assert club.done("explain", HAZEL, QUICK) == club.done("explain", HAZEL, f"{QUICK}/2")
    assert club.done("explain", HAZEL, QUICK, "--system", "OTBQ") == club.done("explain", HAZEL, QUICK)
    document = club.asked("explain", HAZEL, QUICK)
    assert (document["event"], document["member"], document["system"]) == (QUICK, HAZEL, "OTBQ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((HAZEL, "999999999999/1"), "there is no event 999999999999"),
        ((HAZEL, "999999999999"), "did not play in event 999999999999"),
        ((HAZEL, f"{QUICK}/9"), "has no section 9"),
        ((HAZEL, f"{QUICK}/1"), "did not play in section 1"),
        ((HAZEL, f"{QUICK}/2", "--system", "OTBR"), "is rated OTBQ, not OTBR"),
        (("39999999", f"{QUICK}/2"), "did not play in section 2"),
    ],
)
def test_what_cannot_be_explained_is_refused(club: Desk, words: tuple[str, ...], said: str) -> None:
    assert said in club.refused("explain", *words)


def test_an_explanation_of_what_is_not_rated_yet_says_so(club: Desk) -> None:
    assert club("explain", HAZEL, QUICK).err == ""
    where = ("--section", "2", "--player", "2", "--round", "1", "--result", "D5w")
    club.done("correct", QUICK, *where, "--reason", "x")
    assert "the record changed since the last run; to rate: " in club("explain", HAZEL, QUICK).err


# The log


def test_the_log_tells_every_kind_of_act_in_words(club: Desk) -> None:
    club.done("correct", SWISS, "--section", "1", "--player", "1", "--round", "4", "--result", "D5b", "--reason", "a")
    club.done("withdraw", QUICK, "--section", "2", "--reason", "b")
    club.done("decide", "floor", "--member", HAZEL, "--system", "OTBR", "--level", "1000", "--reason", "c")
    club.done("decide", "fact", "--member", HAZEL, "birth-date=2012-09-05", "state=KY", "--reason", "d")
    club.done("members", "merge", "30000008", "30000003", "--reason", "e")
    club.done("members", "unmerge", "30000008", "--reason", "f")
    club.done("rerate")
    club.done("publish", "2026-06", "--cut-off", "played")
    out = club.done("log")
    for text in (
        "founded",
        "members: 12 new, 14 starting ratings",
        "submit: 2 sections",
        "correct: section 1: player 1 (Ash, Miriam): round 4 was W5b and is D5b and 1 more",
        "withdraw: section 2",
        "decide: floor 1000",
        "members: birth date, state",
        "merge: into 30000003",
        "unmerge: from 30000003",
        "publish: ",
    ):
        assert text in out, text
    assert len(club.done("log", "--last", "2").splitlines()) == 1 + 2
    assert {act["kind"] for act in club.asked("log", "--kind", "merge", "--kind", "unmerge")["acts"]} == {
        "merge",
        "unmerge",
    }
    assert club.done("log", "nobody") == "no such journal entry\n"


def test_the_ripple_of_a_run_and_of_a_member(club: Desk) -> None:
    assert club.done("changes", "5") == club.done("changes", "5")
    assert "is not a rating run" in club.refused("changes", "1")
    out = club.done("changes", "--member", HAZEL)
    assert f"{CHAMPIONSHIP}/1" in out
    assert "run " in out
    assert club.asked("changes", "--member", HAZEL)["lines"][0]["member"] == HAZEL


def test_a_long_ripple_is_cut_after_a_run_and_whole_when_asked_for(desk: Desk) -> None:
    """40 newcomers meet in 20 events: a run prints 30 lines and 10 acts, and says where the rest is."""
    desk.done("init")
    for at in range(20):
        pair = (player(1, "W2", adult=True), player(2, "L1", adult=True))
        event = event_file(*(row | {"member_id": f"5000{at:02}{row['number']}"} for row in pair))
        event["event"]["id"] = f"E{at}"
        desk.write(f"e{at}.json", json.dumps(event))
    out = desk.done("submit", *(f"e{at}.json" for at in range(20)), "--new-members")
    assert "and 10 more: crosstable office changes" in out
    assert "more entries: crosstable office log" in out
    assert len(desk.asked("changes")["lines"]) == 40
    assert desk.done("changes").count("5000") >= 40


def test_a_run_prints_its_ripple_as_json(club: Desk) -> None:
    club.done("withdraw", SWISS, "--reason", "x")
    document = club.asked("rerate")
    assert document == club.asked("changes", str(document["run"]))
    assert {act["kind"] for act in document["acts"].values()} == {"withdraw"}
    assert club.asked("rerate") == {"format": "crosstable-office-ripple/1", "run": None, "lines": [], "acts": {}}


def test_a_member_of_two_sections_must_say_which(club: Desk) -> None:
    club.done("correct", QUICK, "--member", "30000012=30000001", "--reason", "x", "--rate")
    said = club.refused("explain", "30000001", QUICK)
    assert f"say {QUICK}/1 or {QUICK}/2" in said


# What is never shown


QUESTIONS = (
    ("ratings", HAZEL),
    ("history", HAZEL),
    ("explain", HAZEL, SWISS),
    ("log",),
    ("changes",),
    ("status",),
    ("verify",),
)


@pytest.mark.parametrize("words", QUESTIONS, ids=[words[0] for words in QUESTIONS])
def test_no_birth_date_is_shown_but_by_members_show(club: Desk, words: tuple[str, ...]) -> None:
    club.done("decide", "fact", "--member", HAZEL, "birth-date=2012-09-04", "state=KY", "--reason", "moved")
    shown = club(*words).out + club(*words, "--json").out
    assert len(shown) > 100
    assert [day for day in BIRTH_DATES if day in shown] == []


@pytest.mark.parametrize("words", [("ratings",), ("history",), ("explain", QUICK), ("explain", SWISS)])
@pytest.mark.parametrize("member", [HAZEL, "30000011"])
def test_the_public_sees_whole_numbers_and_no_age(club: Desk, words: tuple[str, ...], member: str) -> None:
    """Oak began by age and Hazel met them: no rating has decimals, and no age is told."""
    command, *rest = words
    own, public = club.done(command, member, *rest), club.done(command, member, *rest, "--public")
    assert public != own
    assert re.search(r"\d\.\d\d", own) or (command, member) == ("history", "30000011")  # nothing but first ratings
    assert not re.search(r"\d\d\d\.\d", public)
    shown = public + club(command, member, *rest, "--public", "--json").out
    assert [day for day in BIRTH_DATES if day in shown] == []
    assert "the age at" not in shown.lower()


def test_public_decimals_are_a_setting_of_the_office(club: Desk) -> None:
    """Two places once they are on, as the office's own number rounds (half up, like official ratings)."""
    own = [line["after"]["rating"] for line in club.asked("history", "30000002")["lines"]]
    assert club.done("settings", "show") == (
        "public-decimals: off\nuncertainty: off\nmemberships: off\ntotp: off\nconsent: off\n"
        "consent-limits: days 60, players 100, changes 200\n"
        "keep: originals for ever, proposals for ever, security-log for ever, access for ever\nclock-days: 90\n"
        "name: Riverside Chess Club\ncontact: not set\ncolor: not set\nlogo: not set\n"
    )
    assert club.done("settings", "public-decimals", "off") == "public-decimals: off already\n"
    assert "public-decimals: on (entry " in club.done("settings", "public-decimals", "on", "--reason", "members agreed")
    assert club.asked("settings", "show")["public_decimals"] is True
    public = [line["after"]["rating"] for line in club.asked("history", "30000002", "--public")["lines"]]
    assert public == [pytest.approx(rating, abs=0.005 + 1e-9) for rating in own]
    assert all(rating == round(rating, 2) for rating in public)
    assert any(rating % 1.0 for rating in public)
    assert "settings: public decimals on" in club.done("log", "--last", "1")
    assert "everything follows" in club.done("verify")


def test_the_public_log_and_ripple_tell_no_more_than_they_may(club: Desk) -> None:
    fact = ("decide", "fact", "--member", "30000011", "birth-date=2014-04-10", "--reason", "born 2014-04-10, not 09")
    club.done(*fact, "--rate")
    out = club.done("log", "--public") + club("log", "--public", "--json").out
    assert "2014-04-10" not in out
    assert "digest" not in out
    assert "2014-04-10" in club.done("log")
    assert len(club.done("log", "--public", "--last", "2").splitlines()) == 1 + 2
    assert club.done("log", "nobody", "--public") == "no such journal entry\n"
    run = club.asked("changes")["run"]
    public = club.done("changes", str(run), "--public")
    assert public == club.done("changes", "--public")
    assert not re.search(r"\d\.\d\d", public)
    assert club.asked("changes", str(run), "--public")["public"] is True
    assert "is not a rating run" in club.refused("changes", "1", "--public")
    assert "for one run" in club.refused("changes", "--member", HAZEL, "--public")


def test_what_the_public_asks_in_vain_is_refused(club: Desk) -> None:
    assert "is not known" in club.refused("ratings", "39999999", "--public")
    assert "has no rating in section 1" in club.refused("explain", HAZEL, f"{QUICK}/1", "--public")
    assert "has no section 9" in club.refused("explain", HAZEL, f"{QUICK}/9", "--public")


def test_hostile_names_are_shown_escaped(club: Desk) -> None:
    """A name typed at the administration may hold what a terminal would obey; a file's reader refuses such names."""
    hostile = "Evil\x1b[2J\u202egnp.exe\nact 99"
    club.done("decide", "fact", "--member", HAZEL, f"name={hostile}", "--reason", "a\nb\x07", "--by", "\u202eroot")
    club.done("rerate")
    for words in (("ratings", HAZEL), ("history", HAZEL), ("members", "show", HAZEL), ("log",), ("changes", "5")):
        out = club.done(*words)
        assert all(character.isprintable() or character == "\n" for character in out), words
    assert "Evil\\u001b[2J\\u202egnp.exe\\u000aact 99" in club.done("ratings", HAZEL)


def test_a_plain_table_leaves_no_column_ragged() -> None:
    columns = (("Name", False, False), ("Rating", True, False))
    assert plain_table(columns, [("Ann", "9"), ("Bartholomew", "1500")]) == (
        "Name         Rating\nAnn               9\nBartholomew    1500\n"
    )


@pytest.mark.parametrize(
    ("earlier", "words"),
    [
        ("standings", ("ratings", HAZEL)),
        ("standings", ("ratings", HAZEL, "--public")),
        ("ripple", ("changes",)),
        ("ripple", ("changes", "5")),
        ("lists", ("supplements",)),
        ("lists", ("supplements", "2026-06", "--top", "3")),
    ],
)
def test_an_earlier_name_of_a_command_works_as_before_and_is_told_nowhere(
    club: Desk, run: Run, earlier: str, words: tuple[str, ...]
) -> None:
    club.done("publish", "2026-06", "--cut-off", "played")
    for form in ((), ("--json",)):
        assert club(earlier, *words[1:], *form) == club(*words, *form)
        assert club(earlier, *words[1:], *form).code == 0
    documented = "".join(page.read_text("utf-8") for page in (ROOT / "docs").glob("commands-office*.md"))
    for page in (run("office", "--help").out, documented):
        assert not re.search(rf"^ *(### crosstable office )?{earlier}\b", page, flags=re.MULTILINE)
        assert re.search(rf"^ *(### crosstable office )?{words[0]}\b", page, flags=re.MULTILINE)

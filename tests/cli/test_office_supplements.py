"""``office publish`` and ``office supplements``: what is on one, when it may be published, that it never changes."""

import csv
import io
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.cli.club import CHAMPIONSHIP, SWISS, Desk


def rows_of(document: Any) -> dict[tuple[str, str], Any]:
    """The ratings of a list by member and system."""
    return {(one["member"], system): row for one in document["members"] for system, row in one["ratings"].items()}


@pytest.fixture
def published(club: Desk) -> Desk:
    """The club with its list of June 2026."""
    club.done("publish", "2026-06", "--cut-off", "played")
    return club


def test_a_list_is_published_once_and_survives_a_correction(published: Desk) -> None:
    before = published.asked("supplements", "2026-06")
    assert "a list is never changed" in published.refused("publish", "2026-06", "--cut-off", "now")
    published.done("withdraw", SWISS, "--reason", "x", "--rate")
    assert published.asked("supplements", "2026-06") == before
    assert "everything follows" in published.done("verify")
    published.done("publish", "2026-07", "--cut-off", "played")
    assert published.asked("supplements", "2026-07")["members"] != before["members"]


def test_a_list_holds_whole_numbers_on_four_games_or_more(published: Desk) -> None:
    """Oak and Pine have 3 Regular games each (a bye in four rounds): not on the list. Juniper's count is not known."""
    rows = rows_of(published.asked("supplements", "2026-06"))
    assert ("30000011", "OTBR") not in rows
    assert ("30000012", "OTBR") not in rows
    standings = published.asked("ratings", "30000007")["ratings"]
    for system in ("OTBR", "OTBQ"):
        assert rows["30000007", system]["rating"] == standings[system]["rounded"]
        assert standings[system]["official"]["month"] == "2026-06"
    assert rows["30000007", "OTBR"]["provisional"] is False
    assert rows["30000007", "OTBQ"]["provisional"] is True
    assert rows["30000008", "OTBR"]["games"] is None


def test_played_by_the_cut_off_leaves_out_what_came_later(club: Desk) -> None:
    """The cut-off of February 2026 is 21 January, of April 18 March: the championship ended on 20 March."""
    assert "cut off on January 21, 2026" in club.done("publish", "2026-02", "--cut-off", "played")
    assert "cut off on March 18, 2026" in club.done("publish", "2026-04", "--cut-off", "played")
    february, april = (rows_of(club.asked("supplements", month)) for month in ("2026-02", "2026-04"))
    assert february == april
    club.done("publish", "2026-05", "--cut-off", "played")
    assert rows_of(club.asked("supplements", "2026-05")) != april
    (line,) = [one for one in club.asked("history", "30000002")["lines"] if one["event"] == SWISS]
    assert april["30000002", "OTBR"]["rating"] == line["after"]["rounded"]
    assert CHAMPIONSHIP not in str(april)


def test_the_rule_takes_what_was_rated_in_time(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The office was made today: nothing was rated by a cut-off in the past, and one in the future is not there yet."""
    said = club.refused("publish", "2026-06")
    assert "nothing was rated by its cut-off on May 20, 2026" in said
    assert "--cut-off played" in said
    monkeypatch.setattr("crosstable.cli.office_access.system_clock", lambda: datetime(2099, 1, 1, tzinfo=UTC))
    club.done("clock", "--confirm")
    assert "cut off on November 19, 2098 (rule)" in club.done("publish", "2098-12")
    assert "is still to come" in club.refused("publish", "2099-02")
    assert "cut off on December 31, 2098 (now)" in club.done("publish", "2099-02", "--cut-off", "now")


def test_a_list_on_which_nobody_would_stand_is_refused(desk: Desk) -> None:
    desk.done("init")
    for cut_off in ("rule", "played", "now"):
        assert "would be empty" in desk.refused("publish", "2026-06", "--cut-off", cut_off)
    assert desk.done("supplements") == "no supplement is published yet\n"


@pytest.mark.parametrize("month", ["2026-13", "2026", "June", "2026-6"])
def test_a_month_that_is_none_is_refused(club: Desk, month: str) -> None:
    assert "is not a month" in club.refused("publish", month)
    assert "is not a month" in club.refused("supplements", month)


def test_lists_are_named_and_shown(published: Desk) -> None:
    (one,) = published.asked("supplements")["lists"]
    assert (one["month"], one["basis"], len(one["digest"])) == ("2026-06", "played", 64)
    assert one["digest"][:16] in published.done("supplements")
    out = published.done("supplements", "2026-06")
    assert "Hazel, Grace" in out
    assert "OTBR" in out
    assert "the supplement of 2026-07 is not published" in published.refused("supplements", "2026-07")
    assert "is not published" in published.refused("supplements", "2026-06", "--known-on", "2026-01-01")


def test_a_list_of_one_system_goes_by_rating(published: Desk) -> None:
    rows = published.asked("supplements", "2026-06", "--system", "OTBR")["members"]
    ratings = [row["ratings"]["OTBR"]["rating"] for row in rows]
    assert ratings == sorted(ratings, reverse=True)
    ohio = published.asked("supplements", "2026-06", "--system", "OTBR", "--state", "oh")["members"]
    assert ohio == [row for row in rows if row["state"] == "OH"]


# Top lists


def test_a_top_list_is_the_top_of_the_list(published: Desk) -> None:
    """Fir (2009) and Hazel (2012) are the established members of 20 or under at the start of 2026; Larch is not."""
    every = published.asked("supplements", "2026-06", "--system", "OTBR", "--state", "OH")["members"]
    top = published.asked("supplements", "2026-06", "--top", "3", "--state", "OH")
    assert [row["member_id"] for row in top["rows"]] == [one["member"] for one in every[:3]]
    assert [row["rank"] for row in top["rows"]] == [1, 2, 3]
    assert published.asked("supplements", "2026-06", "--age", "20 and under")["rows"] == []  # nobody asked to be listed
    for member in ("30000006", "30000007", "30000009"):
        published.done("members", "age-lists", member, "list", "--reason", "the parents asked for it")
    young = published.asked("supplements", "2026-06", "--age", "20 and under")["rows"]
    assert [row["name"] for row in young] == ["Fir, Leo", "Hazel, Grace"]
    out = published.done("supplements", "2026-06", "--age", "20 and under", "--provisional")
    assert "Larch, Ivy" in out
    published.done("members", "age-lists", "30000007", "leave-out", "--reason", "asked for it")
    assert "on age lists: no" in published.done("members", "show", "30000007")
    young = published.asked("supplements", "2026-06", "--age", "20 and under")["rows"]
    assert [row["name"] for row in young] == ["Fir, Leo"]
    assert "is no age band; there are 8 and under" in published.refused("supplements", "2026-06", "--age", "young")


# Files


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet", "txt"])
@pytest.mark.parametrize("words", [(), ("--top", "5"), ("--state", "OH")])
def test_a_list_goes_into_a_file_of_every_form(published: Desk, ending: str, words: tuple[str, ...]) -> None:
    out = published.done("supplements", "2026-06", "--out", f"june.{ending}", *words)
    assert out.startswith(f"june.{ending}: ")
    found = (published.folder / f"june.{ending}").read_bytes()
    start = {"xlsx": b"PK", "parquet": b"PAR1", "csv": b"\xef\xbb\xbf", "txt": b""}[ending]
    assert found.startswith(start)
    assert len(found) > 100


def test_a_file_says_what_the_list_says(published: Desk) -> None:
    published.done("supplements", "2026-06", "--out", "june.csv")
    text = (published.folder / "june.csv").read_text("utf-8-sig")
    rows = {row["member_id"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    shown = rows_of(published.asked("supplements", "2026-06"))
    assert {member for member, _ in shown} == rows.keys()
    for (member, system), row in shown.items():
        assert rows[member][f"{system}_rating"] == str(row["rating"])
    assert "1979-05-14" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("2026-06", "--out", "june.pdf"), "must end in .csv, .xlsx, .parquet, .txt, .dbf, .tsv"),
        (("2026-06", "--out", "june.dbf", "--top", "5"), "load whole supplements"),
        (("--out", "june.csv"), "say which supplement"),
        (("--top", "3"), "say which supplement"),
        (("2026-06", "--top", "0"), "is not a whole number of at least 1"),
        (("2026-06", "--age", "9-10", "--state", "OH"), "--age and --state do not go together"),
    ],
)
def test_a_list_that_cannot_be_given_is_wrong_usage(published: Desk, words: tuple[str, ...], said: str) -> None:
    ran = published("supplements", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_library_that_a_form_needs_is_named(published: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    ran = published("supplements", "2026-06", "--out", "june.xlsx")
    assert ran.code == 1
    assert "xlsxwriter" in ran.err
    assert not (published.folder / "june.xlsx").exists()


def test_a_list_is_not_frozen_while_something_waits_that_would_be_on_it(club: Desk) -> None:
    swiss = ("correct", "202510180012", "--section", "1", "--player", "1", "--round", "4", "--result", "D5b")
    club.done(*swiss, "--reason", "scoresheets found")
    for cut_off in ("played", "now"):
        said = club.refused("publish", "2026-06", "--cut-off", cut_off)
        assert "entries of the journal wait for a rating run: the list of 2026-06 would be without them" in said
    assert "entries of the journal wait" not in club.refused(
        "publish", "2025-10"
    )  # by the rule: nothing could be on it
    assert "would be without them" not in club.done("publish", "2025-10", "--cut-off", "played", "--anyway")
    club.done("rerate")
    club("submit", "club-blitz.csv")  # a section is held; it was played in May, after the cut-off for May
    club.done("publish", "2026-05", "--cut-off", "played")
    assert "sections are held: the list of 2026-06" in club.refused("publish", "2026-06", "--cut-off", "played")
    club.done("publish", "2026-06", "--cut-off", "played", "--anyway")

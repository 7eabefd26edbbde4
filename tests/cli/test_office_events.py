"""``office submit``, ``correct``, ``confirm``, ``withdraw``: files into the record, put right, taken back."""

import json

import pytest

from tests.cli.club import CHAMPIONSHIP, QUICK, SWISS, Desk, founded
from tests.event_files import event_file, player


@pytest.fixture
def office(desk: Desk) -> Desk:
    """The club before its season."""
    (desk.folder / "office.db").write_bytes(founded())
    return desk


# Submitting


@pytest.mark.parametrize(
    ("name", "event"),
    [("club-autumn-swiss.csv", SWISS), ("club-championship.trf", CHAMPIONSHIP)],
    ids=["wallchart", "TRF26"],
)
def test_files_of_several_formats_are_recorded_and_rated(office: Desk, name: str, event: str) -> None:
    out = office.done("submit", name)
    assert f"{name}: event {event} " in out
    assert "section 1 accepted" in out
    assert "1 section rated" in out
    assert "everything follows" in office.done("verify")


def test_the_three_dbf_files_are_one_submission(office: Desk) -> None:
    from crosstable.cli import main

    assert main(["convert", "club-autumn-swiss.csv", "--to", "dbf", "--out", "dbf"]) == 0
    names = sorted(str(path.relative_to(office.folder)) for path in (office.folder / "dbf").iterdir())
    assert len(names) == 3
    assert "section 1 accepted" in office.done("submit", *names)
    assert "nothing to do" in office.done("submit", "dbf")


def test_the_same_file_twice_is_answered_not_repeated(office: Desk) -> None:
    office.done("submit", "club-autumn-swiss.csv")
    acts = office.asked("status")["head"]
    out = office.done("submit", "club-autumn-swiss.csv")
    assert f"this file came in as event {SWISS}" in out
    assert office.asked("status")["head"] == acts


def test_the_same_event_with_other_bytes_is_offered_as_a_correction(office: Desk) -> None:
    office.done("submit", "club-autumn-swiss.csv")
    text = (office.folder / "club-autumn-swiss.csv").read_text("utf-8")
    office.write("again.csv", text.replace("W5b,4", "D5b,3.5").replace("L1w,2.5", "D1w,3"))
    ran = office("submit", "again.csv")
    assert ran.code == 1
    assert f"crosstable office correct {SWISS} again.csv --reason" in ran.out
    assert "player 1 (Ash, Miriam): round 4 was W5b and is D5b" in ran.out
    assert "player 5 (Fir, Leo): round 4 was L1w and is D1w" in ran.out
    assert office.asked("status")["pending"] == []


def test_another_spelling_of_the_same_event_has_nothing_new(office: Desk) -> None:
    office.done("submit", "club-autumn-swiss.csv")
    text = (office.folder / "club-autumn-swiss.csv").read_text("utf-8")
    office.write("again.csv", text + "\n")
    assert "nothing differs" in office.done("submit", "again.csv")


def test_a_section_with_errors_is_held_while_the_others_go_on(office: Desk) -> None:
    ran = office("submit", "club-quick-night.json")
    assert ran.code == 1
    assert "section 2 accepted" in ran.out
    assert "held: section 1 Top boards, 1 error" in ran.out
    assert "Nobody here has the id 30000021" in ran.err
    assert "1 section rated" in ran.out
    (held,) = office.asked("status")["held"]
    assert (held["event"], held["section"]) == (QUICK, 1)
    assert [fault["code"] for fault in held["faults"]] == ["late-report", "member-not-known"]
    assert "section 1 is held" in office.done("submit", "club-quick-night.json")


def test_a_file_that_cannot_be_read_does_not_keep_the_others_back(office: Desk) -> None:
    office.write("notes.txt", "Dear all, the tournament was lovely.")
    ran = office("submit", "notes.txt", "gone.json", "club-autumn-swiss.csv")
    assert ran.code == 1
    assert "notes.txt: refused" in ran.out
    assert "gone.json: refused" in ran.out
    assert "section 1 accepted" in ran.out
    assert office.asked("status")["events"] == 1


def test_new_members_come_in_with_the_ratings_that_the_file_gives_them(desk: Desk) -> None:
    desk.done("init")
    event = event_file(player(1, "W2", 1850.0, 120), player(2, "L1", 1700.0, 30))
    desk.write("event.json", json.dumps(event))
    assert desk("submit", "event.json", "--openings").code == 2
    assert "--openings" not in desk("submit", "--help").out  # the earlier name
    desk.done("submit", "event.json", "--new-members", "--starting-ratings")
    lines = desk.asked("history", "10000001")["lines"]
    assert [line["name"] for line in lines] == ["opening standing", "Test"]
    assert lines[0]["after"] == {"rating": 1850.0, "rounded": 1850, "games": 120}


def test_submitting_can_leave_the_rating_to_a_later_run(office: Desk) -> None:
    assert "not rated yet" in office.done("submit", "club-autumn-swiss.csv", "--no-rate")
    assert len(office.asked("status")["pending"]) == 1
    assert "1 section rated" in office.done("rerate")
    assert "nothing to rate" in office.done("rerate")


def test_a_stopped_rating_is_made_good_by_the_same_command(office: Desk) -> None:
    office.done("submit", "club-autumn-swiss.csv", "--no-rate")
    assert "1 section rated" in office.done("submit", "club-autumn-swiss.csv")


def test_who_and_why_stand_in_the_record(office: Desk) -> None:
    office.done("submit", "club-autumn-swiss.csv", "--by", "A. Director", "--reason", "by post")
    act = office.asked("log", SWISS)["acts"][0]
    assert (act["kind"], act["by"], act["reason"]) == ("submit", "A. Director", "by post")
    run = office.asked("log", "--kind", "rate")["acts"][-1]
    assert (run["by"], run["reason"]) == ("A. Director", "after submitting 1 event")


# Corrections


def test_one_result_is_put_right_on_both_rows_and_ripples(club: Desk) -> None:
    out = club.done(
        *("correct", SWISS, "--section", "1", "--player", "1", "--round", "4", "--result", "D5b"),
        *("--reason", "the scoresheet", "--rate"),
    )
    assert "player 1 (Ash, Miriam): round 4 was W5b and is D5b" in out
    assert "player 5 (Fir, Leo): round 4 was L1w and is D1w" in out
    lines = {(line["member"], line["system"]): line for line in club.asked("changes")["lines"]}
    assert [SWISS, 1] in lines["30000001", "OTBR"]["sections"]
    assert [CHAMPIONSHIP, 1] in lines["30000001", "OTBR"]["sections"]
    assert lines["30000006", "OTBR"]["change"] > 0 > lines["30000001", "OTBR"]["change"]
    # Cedar did not play the Swiss: she moves only because her later opponents did
    assert lines["30000003", "OTBR"]["sections"] == [[CHAMPIONSHIP, 1]]
    assert "everything follows" in club.done("verify")


def test_a_correction_and_its_reversal_restore_every_rating(club: Desk) -> None:
    before = club.done("history", "30000001")
    where = ("correct", SWISS, "--section", "1", "--player", "1", "--round", "4", "--rate", "--reason", "x")
    club.done(*where, "--result", "D5b")
    assert club.done("history", "30000001") != before
    club.done(*where, "--result", "W5b")
    assert club.done("history", "30000001") == before


def test_another_file_takes_the_place_of_the_event(club: Desk) -> None:
    text = (club.folder / "club-autumn-swiss.csv").read_text("utf-8")
    club.write("again.csv", text.replace("W5b,4", "D5b,3.5").replace("L1w,2.5", "D1w,3"))
    assert f"event {SWISS} is corrected" in club.done("correct", SWISS, "again.csv", "--reason", "x", "--rate")
    assert f"event {SWISS} is corrected" in club.done(
        "correct", SWISS, "club-autumn-swiss.csv", "--reason", "the first was right", "--rate"
    )
    assert "everything follows" in club.done("verify")


def test_a_wrong_member_id_is_put_right_everywhere(club: Desk) -> None:
    out = club.done("correct", CHAMPIONSHIP, "--member", "30000007=30000009", "--reason", "two digits", "--rate")
    assert "the member id was 30000007 and is 30000009" in out
    assert CHAMPIONSHIP in club.done("history", "30000009")
    assert CHAMPIONSHIP not in club.done("history", "30000007")


def test_a_correction_that_is_asked_for_waits_to_be_confirmed(club: Desk) -> None:
    where = ("correct", SWISS, "--section", "1", "--player", "1", "--round", "4", "--result", "D5b")
    out = club.done(*where, "--request", "--reason", "says the director", "--by", "the director")
    assert f"crosstable office confirm {SWISS}" in out
    assert "nothing to rate" in club.done("rerate")
    assert [one["section"] for one in club.asked("status")["requested"]] == [1]
    assert "requested: event" in club.done("status")
    assert "section 1 is confirmed" in club.done("confirm", SWISS, "--rate")
    assert club.asked("status")["requested"] == []
    assert "D5b" in club.done("log", SWISS)


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ((), "give a FILE"),
        (("--section", "1", "--player", "1"), "--round, --result"),
        (("again.csv", "--member", "1=2"), "give a FILE"),
        (("--member", "30000001"), "WRONG=RIGHT"),
        (("a.csv", "b.csv"), "give one file"),
    ],
)
def test_a_correction_says_one_thing(club: Desk, words: tuple[str, ...], missing: str) -> None:
    ran = club("correct", SWISS, *words, "--reason", "x")
    assert (ran.code, ran.out) == (2, "")
    assert missing in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("9" * 12, "--member", "1=2"), "there is no event 999999999999"),
        ((SWISS, "--member", "1=2"), "has no player with the id 1"),
        ((SWISS, "--section", "3", "--player", "1", "--round", "1", "--result", "W2"), "has no section 3"),
        ((SWISS, "--section", "1", "--player", "99", "--round", "1", "--result", "W2"), "has no player 99"),
        ((SWISS, "--section", "1", "--player", "1", "--round", "9", "--result", "W2"), "has no round 9"),
        ((SWISS, "--section", "1", "--player", "1", "--round", "1", "--result", "Q2"), "is no result"),
    ],
)
def test_a_correction_of_what_is_not_there_is_refused(club: Desk, words: tuple[str, ...], said: str) -> None:
    assert said in club.refused("correct", *words, "--reason", "x")


def test_a_correction_that_makes_an_error_or_changes_nothing_stores_nothing(club: Desk) -> None:
    head = club.asked("status")["head"]
    where = ("correct", SWISS, "--section", "1", "--player", "1", "--round", "4", "--reason", "x")
    same = club(*where, "--result", "W5b")
    assert same.code == 1
    assert "nothing differs" in same.err
    twice = club(*where, "--result", "W3b")
    assert twice.code == 1
    assert "the corrected event has errors" in twice.err
    gone = club("correct", SWISS, "gone.csv", "--reason", "x")
    assert gone.code == 1
    assert club.asked("status")["head"] == head


# Confirming and withdrawing


def test_a_held_section_is_confirmed_when_its_members_are_known(office: Desk) -> None:
    assert office("submit", "club-quick-night.json").code == 1
    still = office("confirm", QUICK)
    assert still.code == 1
    assert "there are still errors" in still.err
    out = office.done("confirm", QUICK, "--new-members", "--rate")
    assert "1 new member" in out
    assert "section 1 is confirmed" in out
    assert "Quince, Adela" in office.done("ratings", "30000021")
    assert "nothing of event" in office.refused("confirm", QUICK)


def test_a_withdrawn_event_rates_nobody_and_comes_back_as_a_correction(club: Desk) -> None:
    before = club.done("history", "30000007")
    assert "is withdrawn" in club.done("withdraw", SWISS, "--reason", "reported twice", "--rate")
    assert SWISS not in club.done("history", "30000007")
    assert "section 1 is withdrawn" in club.done("submit", "club-autumn-swiss.csv")
    assert "is withdrawn already" in club.refused("withdraw", SWISS, "--reason", "x")
    club.done("correct", SWISS, "club-autumn-swiss.csv", "--reason", "it was right", "--rate")
    assert club.done("history", "30000007") == before


def test_one_section_is_withdrawn_alone(club: Desk) -> None:
    assert ": section 2 withdrawn" in club.done("withdraw", QUICK, "--section", "2", "--reason", "x", "--rate")
    assert QUICK in club.done("history", "30000001")
    assert QUICK not in club.done("history", "30000007")
    assert "has no section 7" in club.refused("withdraw", QUICK, "--section", "7", "--reason", "x")


def test_the_ripple_of_a_section_that_no_rule_can_rate_names_it(desk: Desk) -> None:
    """Rules before 2001 are not known: the check holds such a section, so it never reaches a run."""
    desk.done("init")
    event = event_file(player(1, "W2", 1850.0), player(2, "L1", 1700.0), on="1995-06-01")
    desk.write("old.json", json.dumps(event))
    ran = desk("submit", "old.json", "--new-members")
    assert ran.code == 1
    assert "held: section 1" in ran.out

"""``office members``: imports with openings, what is left alone, merges; and what the record keeps of a file."""

import json
import math
from datetime import date

import pytest

from crosstable.office.database import open_office
from crosstable.office.ledger.facts import Person
from crosstable.office.members_files import games_of_2001
from crosstable.office.views import known, member_view
from crosstable.terms import OutsideRating
from tests.cli.club import OPENED, Desk
from tests.documents import valid

ONE = "Member ID,Name,State,Birth date,Adult,Canadian resident,FIDE id,CFC id,FIDE flag,Member until,"
TWO = "FIDE rating,FIDE as of,Regular rating,Regular games,Regular as of\n"
ROW = '40000001,"Test, Tessa",NY,1990-02-03,yes,yes,200001,100123,USA,2027-12-31,1850,2026-05-01,1700.5,40,2026-04-30\n'


@pytest.fixture
def office(desk: Desk) -> Desk:
    desk.done("init")
    return desk


def person_of(member_id: str) -> Person:
    made = open_office("office.db")
    with made.reading() as connection:
        found = known(connection).record.people([member_id])[member_id]
    made.close()
    return found


def test_everything_that_a_members_file_says_is_kept(office: Desk) -> None:
    office.write("m.csv", ONE + TWO + ROW)
    assert office.done("members", "import", "m.csv").startswith("m.csv: 1 new member, 1 starting rating (entry 2)\n")
    assert person_of("40000001") == Person(
        "40000001",
        "Test, Tessa",
        "NY",
        date(1990, 2, 3),
        adult=True,
        canadian_resident=True,
        fide_id="200001",
        cfc_id="100123",
        fide_flag="USA",
        member_until=date(2027, 12, 31),
        fide=(OutsideRating(1850.0, date(2026, 5, 1)),),
    )
    rating = office.asked("ratings", "40000001")["ratings"]["OTBR"]
    assert (rating["rating"], rating["games"], rating["last"]["ended"]) == (1700.5, 40, "2026-04-30")


def test_json_members_are_kept_the_same(office: Desk) -> None:
    office.write("m.csv", ONE + TWO + ROW)
    member = {
        "member_id": "40000001",
        "name": "Test, Tessa",
        "state": "NY",
        "birth_date": "1990-02-03",
        "adult": True,
        "canadian_resident": True,
        "fide_id": "200001",
        "cfc_id": "100123",
        "fide_flag": "USA",
        "member_until": "2027-12-31",
        "ratings": {
            "FIDE": {"rating": 1850, "as_of": "2026-05-01"},
            "OTBR": {"rating": 1700.5, "games": 40, "as_of": "2026-04-30"},
        },
    }
    office.write("m.json", json.dumps([member]))
    office.done("members", "import", "m.csv")
    assert office.done("members", "import", "m.json") == "m.json: nothing new about 1 member\n"


def test_members_show_is_the_offices_own_view(office: Desk) -> None:
    office.write("m.csv", ONE + TWO + ROW)
    office.done("members", "import", "m.csv")
    out = office.done("members", "show", "40000001")
    for text in (
        "Test, Tessa",
        "born: February 3, 1990",
        "state: NY",
        "FIDE ratings: 1850 as of May 1, 2026",
        "OTBR 1701",
    ):
        assert text in out
    found = office.asked("members", "show", "40000001")
    assert (found["birth_date"], found["fide"]) == ("1990-02-03", [{"rating": 1850.0, "as_of": "2026-05-01"}])


def test_a_rating_without_a_day_is_refused_and_nothing_is_stored(office: Desk) -> None:
    said = office.refused("members", "import", "club-members.csv")
    assert said.startswith("the OTBR rating of member 30000001 has no date")
    assert "--ratings-as-of" in said
    assert office.asked("status")["members"] == 0


def test_faults_of_one_file_hold_up_all_of_them(office: Desk) -> None:
    office.write("bad.csv", "ID,Regular,DOB\n40000001,high,2013-02-30\n")
    ran = office("members", "import", "club-members.csv", "bad.csv", "gone.csv", "--ratings-as-of", OPENED)
    assert ran.code == 1
    for text in ("column Regular", "column DOB", "gone.csv: The file cannot be opened", "nothing was stored"):
        assert text in ran.err
    assert office.asked("status")["members"] == 0


def test_an_unknown_column_is_only_a_warning(office: Desk) -> None:
    office.write("m.csv", "ID,Name,Shoe size\n40000001,Ann,38\n")
    ran = office("members", "import", "m.csv")
    assert ran.code == 0
    assert "warning" in ran.err


def test_an_office_that_has_a_record_does_not_take_newer_ratings_unasked(club: Desk) -> None:
    club.write("new.csv", 'ID,Name,Regular,Regular games,Regular as of\n30000001,"Ash, Miriam",2100,420,2026-05-01\n')
    before = club.asked("ratings", "30000001")["ratings"]["OTBR"]["rating"]
    out = club.done("members", "import", "new.csv")
    assert "1 rating not taken" in out
    assert club.asked("ratings", "30000001")["ratings"]["OTBR"]["rating"] == before
    out = club.done("members", "import", "new.csv", "--replace-ratings")
    assert "1 starting rating" in out
    assert club.asked("ratings", "30000001")["ratings"]["OTBR"]["rating"] == 2100.0


@pytest.mark.parametrize("rating", [100.0, 1400.0, 1650.0, 1700.0, 1850.0, 1999.5, 2150.0, 2199.0, 2200.0, 2600.0])
def test_the_count_of_2001_is_the_printed_formula(rating: float) -> None:
    """Rules history §13, written out here: 50 from 2200 up, else max(26, 50/√(1 + (2200 − R)²/100000)), nearest."""
    printed = 50.0 if rating >= 2200.0 else 50.0 / math.sqrt(1.0 + (2200.0 - rating) ** 2 / 100000.0)
    assert games_of_2001(rating) == max(26, math.floor(printed + 0.5))


def test_a_count_is_given_only_when_asked_for(office: Desk) -> None:
    """30000008 is the one member of the file without a count; 1488 is too low for more than 26 games."""
    out = office.done("members", "import", "club-members.csv", "--ratings-as-of", OPENED)
    assert "1 rating without a game count" in out
    assert office.asked("ratings", "30000008")["ratings"]["OTBR"]["games"] is None
    # the earlier names of the two options, which help no longer tells
    args = ("--count-by-2001-rule", "--replace-openings", "--openings-as-of", OPENED)
    assert "openings" not in office("members", "import", "--help").out
    assert "without a game count" not in office.done("members", "import", "club-members.csv", *args)
    assert office.asked("ratings", "30000008")["ratings"]["OTBR"]["games"] == 26
    made = open_office("office.db")
    with made.reading() as connection:
        sources = {one.source for one in known(connection).record.openings(["30000008"])}
    made.close()
    assert sources == {"members file club-members.csv, games by the rule of 2001"}


def test_an_import_can_leave_the_rating_to_a_later_run(office: Desk) -> None:
    out = office.done("members", "import", "club-members.csv", "--ratings-as-of", OPENED, "--no-rate")
    assert "run" not in out
    assert office.asked("ratings", "30000001")["ratings"] == {}
    assert "14 ratings new or changed" in office.done("rerate")


@pytest.mark.parametrize("member_id", ["@1", "a b", "1" * 41])
def test_an_id_that_cannot_be_one_is_refused(office: Desk, member_id: str) -> None:
    office.write("m.csv", f"ID,Name\n{member_id},Ann\n")
    assert office("members", "import", "m.csv").code == 1
    assert office.asked("status")["members"] == 0


# Merges


def test_a_merge_and_its_undoing_restore_every_rating(club: Desk) -> None:
    before = [club.done("history", one) for one in ("30000003", "30000008", "30000001")]
    out = club.done("members", "merge", "30000008", "30000003", "--reason", "two cards", "--rate")
    assert "30000008 is merged into 30000003" in out
    assert "Cedar, Nadia (30000003, also 30000008, OH)" in club.done("ratings", "30000008")
    assert "30000008 is merged into 30000003" in club.done("members", "show", "30000008")
    assert club.done("history", "30000001") != before[2]
    club.done("members", "unmerge", "30000008", "--reason", "two people after all", "--rate")
    assert [club.done("history", one) for one in ("30000003", "30000008", "30000001")] == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("merge", "30000001", "30000002"), "played each other"),
        (("merge", "30000001", "39999999"), "member 39999999 is not known"),
        (("merge", "30000001", "30000001"), "are the same member already"),
        (("unmerge", "30000001"), "is not merged into another"),
    ],
)
def test_merges_that_make_no_sense_are_refused(club: Desk, words: tuple[str, ...], said: str) -> None:
    assert said in club.refused("members", *words, "--reason", "x")


def test_a_merge_needs_a_reason(club: Desk) -> None:
    ran = club("members", "merge", "30000008", "30000003")
    assert ran.code == 2
    assert "--reason" in ran.err


def test_the_members_of_the_office_are_those_of_the_past_day(club: Desk) -> None:
    assert club.refused("members", "show", "30000001", "--known-on", "2020-01-01") == (
        "member 30000001 is not known (as known on 2020-01-01)"
    )
    made = open_office("office.db")
    with made.reading() as connection:
        assert member_view(connection, "30000001").person.name == "Ash, Miriam"
    made.close()


def test_a_fide_list_is_imported_with_who_is_rated_abroad(club: Desk) -> None:
    """§6: Ash, established, 2200 FIDE, by herself; Birch below it must opt in; the heading names the month."""
    for member, fide_id in (("30000001", "2000001"), ("30000002", "2000002")):
        club.done("decide", "fact", "--member", member, f"fide-id={fide_id}", "--reason", "the player's profile")
    lines = [f"{'ID Number':<15}{'Name':<61}Fed Sex Tit  WTit {'OTit':<15}FOA JUN26 Gms K  B-day Flag"]
    for fide_id, rating, games in (("2000001", 2200, 9), ("2000002", 1900, 1), ("2000003", 2500, 4)):
        lines.append(f"{fide_id:<15}{'Player, Some':<61}{'USA':<4}{'':<33}{rating:<6}{games:<4}{'20':<3}{'1990':<6}")
    club.write("list.txt", "\n".join(lines))
    given = ("outside-ratings", "import", "list.txt", "--federation", "FIDE", "--date")
    ran = club(*given, "2026-07-01")
    assert (ran.code, "list.txt is the list of June 2026, not of July 2026" in ran.err) == (2, True)
    said = club.done(*given, "2026-06-01")
    assert "FIDE list of June 1, 2026: 3 players, 2 of them members (entry " in said
    assert "Rated abroad automatically:\nmember    name" in said
    assert "Not rated abroad unless they opt in" in said
    document = valid(club.asked(*given, "2026-06-01"))
    assert (document["players"], document["members"], document["entry"]) == (3, 2, None)
    abroad = [(one["member_id"], one["fide"], one["games"], one["abroad"]) for one in document["candidates"]]
    assert abroad == [("30000001", 2200.0, 9, "automatic"), ("30000002", 1900.0, 1, "not opted in")]
    assert person_of("30000001").fide == (OutsideRating(2200.0, date(2026, 6, 1)),)
    club.write("rapid.txt", "\n".join(lines))
    ran = club("outside-ratings", "import", "rapid.txt", "--federation", "FIDE", "--date", "2026-06-01")
    assert (ran.code, "rapid or blitz ratings" in ran.err, "nothing was stored" in ran.err) == (1, True, True)


def test_a_cfc_rating_of_a_file_waits_for_the_office(club: Desk) -> None:
    """§2.2, footnote 2: told by the director, entered by hand."""
    event = json.loads((club.folder / "club-quick-night.json").read_text())
    event["event"]["id"] = "202605010001"
    section = event["sections"][1]
    section["players"][0]["ratings"] = {"CFC": {"rating": 1610, "as_of": "2025-12-01"}}
    event["sections"] = [section]
    club.write("cfc.json", json.dumps(event))
    club("submit", "cfc.json")
    member = section["players"][0]["member_id"]
    (question,) = club.asked("status")["questions"]
    assert "has a CFC rating of 1610, says the report of event 202605010001." in question["message"]
    assert f"decide fact --member {member} cfc-rating=1610@2025-12-01" in question["remedy"]
    club.done("decide", "fact", "--member", member, "cfc-rating=1610@2025-12-01", "--reason", "looked up")
    assert club.asked("status")["questions"] == []

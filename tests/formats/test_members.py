"""Members files: a table or JSON of what members bring, by id."""

import csv
import io
import json
import re
from datetime import date

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, members
from crosstable.formats.members import TEMPLATE, MemberDetails, MembersFile
from crosstable.terms import (
    Background,
    Floor,
    FloorKind,
    GivenStart,
    OutsideRating,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedPlayer,
    ReportedSection,
    SectionType,
)
from tests.formats.mutations import Shape, must_read_or_refuse, mutations

OTBR, OTBQ = RatingSystem.OTBR, RatingSystem.OTBQ


def read(data: str | bytes) -> MembersFile:
    return members.read(data.encode() if isinstance(data, str) else data, "members.csv")


def codes(found: MembersFile) -> list[tuple[str, str]]:
    return [(fault.code, fault.place) for fault in found.faults]


def test_the_template_is_read_without_a_fault() -> None:
    found = read(TEMPLATE)
    assert found.faults == ()
    assert found.names == {"12345678": "Player, One", "12345679": "Player, Two", "12345680": "Player, Three"}
    one, two, three = found.backgrounds.values()
    assert one == Background(
        standings={
            OTBR: PlayerRating(554.22, 120.0, 60, 5, 55, 30, 701.5, as_of=date(2026, 7, 1), published=550.0),
            OTBQ: PlayerRating(546.49),
        },
        birth_date=date(2014, 2, 3),
        adult=False,
    )
    assert two.standings[OTBR].floors == (Floor(FloorKind.MONEY, 2000.0),)
    assert (two.fide, two.adult) == (OutsideRating(2150.0, date(2026, 7, 1)), True)
    assert (three.cfc, three.canadian_resident) == (OutsideRating(1300.0, date(2025, 12, 1)), True)
    assert list(found.details.values()) == [
        MemberDetails("TX", member_until=date(2027, 3, 31)),
        MemberDetails("OH", fide_id="200001", fide_flag="USA"),
        MemberDetails(cfc_id="100123"),
    ]


@pytest.mark.parametrize("title", ["birth year", "Birth_Year", "BirthYear", "Year of birth"])
def test_a_year_of_birth_stands_beside_a_birth_date(title: str) -> None:
    found = read(f"member id,name,{title}\n12345678,One,2014\n12345679,Two,\n")
    assert found.faults == ()
    assert [one.birth_year for one in found.backgrounds.values()] == [2014, None]
    wrong = read(f"member id,name,{title}\n12345678,One,14\n12345679,Two,2014.5\n")
    assert [one.code for one in wrong.faults] == ["bad-value", "wrong-type"]
    (one,) = read('[{"member_id": "12345678", "name": "One", "birth_year": 2014}]').backgrounds.values()
    assert one.birth_year == 2014


@pytest.mark.parametrize("title", ["Birth", "Born", "Birth date"])
def test_a_birth_date_may_be_a_mere_year(title: str) -> None:
    found = read(f"member id,name,{title}\n12345678,One,2014\n12345679,Two,2014-02-03\n12345680,Three,\n")
    assert found.faults == ()
    known = [(one.birth_year, one.birth_date) for one in found.backgrounds.values()]
    assert known == [(2014, None), (None, date(2014, 2, 3)), (None, None)]
    assert codes(read(f"id,name,{title}\n12345678,One,0014\n")) == [
        ("bad-value", f"members.csv, line 2, column {title}")
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_every_separator_gives_the_same(separator: str) -> None:
    rows = list(csv.reader(io.StringIO(TEMPLATE, newline="")))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(rows)
    assert read(text.getvalue()) == read(TEMPLATE)


@pytest.mark.parametrize(
    ("title", "system"),
    [
        ("OTBR rating", OTBR),
        ("Regular rating", OTBR),
        ("Regular", OTBR),
        ("reg. rtg", OTBR),
        ("Quick rating", OTBQ),
        ("OTBQ", OTBQ),
        ("BLITZ RATING", RatingSystem.OTBB),
        ("Online Regular", RatingSystem.OLR),
        ("online-quick rating", RatingSystem.OLQ),
        ("OLB rating", RatingSystem.OLB),
    ],
)
def test_all_six_systems_have_columns(title: str, system: RatingSystem) -> None:
    found = read(f"USCF ID,{title}\n12345678,1500.5\n")
    assert found.faults == ()
    assert found.backgrounds["12345678"].standings == {system: PlayerRating(1500.5)}


@pytest.mark.parametrize(
    ("title", "text", "details"),
    [
        ("State", "TX", MemberDetails(state="TX")),
        ("FIDE id", "200001", MemberDetails(fide_id="200001")),
        ("FIDE No.", "200001", MemberDetails(fide_id="200001")),
        ("CFC ID", "100123", MemberDetails(cfc_id="100123")),
        ("FIDE flag", "USA", MemberDetails(fide_flag="USA")),
        ("Member until", "2027-03-31", MemberDetails(member_until=date(2027, 3, 31))),
        ("Expiration date", "3/31/2027", MemberDetails(member_until=date(2027, 3, 31))),
        ("Member", "yes", MemberDetails()),
    ],
)
def test_what_an_office_keeps_of_its_members_is_read(title: str, text: str, details: MemberDetails) -> None:
    found = read(f"ID,Name,{title}\n12345678,Ann,{text}\n")
    assert found.faults == ()
    assert found.details == {"12345678": details}


def test_the_same_is_read_from_json() -> None:
    member = {"member_id": "12345678", "state": "TX", "fide_id": 200001, "cfc_id": "1", "fide_flag": "USA"}
    found = read(json.dumps([member | {"member_until": "2027-03-31"}]))
    assert found.faults == ()
    assert found.details == {"12345678": MemberDetails("TX", "200001", "1", "USA", date(2027, 3, 31))}


def test_state_and_name_are_welcome_and_rounds_are_not_known() -> None:
    found = read("ID,Name,State,Rd 1,Regular\n12345678,Ann,TX,W2,1500\n")
    assert codes(found) == [("unknown-field", "members.csv, line 1")]
    assert found.names == {"12345678": "Ann"}


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("ID,Regular\n12345678,1500\n12345678,1600\n", "bad-value", "members.csv, line 3"),
        ("ID,Regular\n,1500\n", "missing-field", "members.csv, line 2"),
        ("ID,Name,Regular\n,Ann,\n", "ignored-record", "members.csv, line 2"),
        ("ID,Regular\n12345678,high\n", "wrong-type", "members.csv, line 2, column Regular"),
        ("ID,Regular\n12345678,5000\n", "bad-value", "members.csv, line 2, column Regular"),
        ("ID,Regular games\n12345678,5\n", "missing-field", "members.csv, line 2, column Regular games"),
        ("ID,DOB\n12345678,13/13/2014\n", "bad-date", "members.csv, line 2, column DOB"),
        ("ID,Expires\n12345678,soon\n", "bad-date", "members.csv, line 2, column Expires"),
        ("ID,Name\n12345678,A\u202eB\n", "bad-value", "members.csv, line 2, column Name"),
        ("ID,Regular\n12345678,1500,more\n", "bad-value", "members.csv, line 2, column 3"),
        ("ID,ID,Regular\n12345678,12345679,1500\n", "bad-value", "members.csv, line 1"),
        ("Our members\nID,Regular\n12345678,1500\n", "ignored-record", "members.csv, line 1"),
        ("ID,Start rating\n12345678,1500\n", "missing-field", "members.csv, line 2, column Start rating"),
        ("ID,Regular,FIDE wins\n12345678,1500,15\n", "unknown-field", "members.csv, line 1"),
    ],
)
def test_what_is_wrong_is_a_fault_with_its_place(text: str, code: str, place: str) -> None:
    assert codes(read(text)) == [(code, place)]


@pytest.mark.parametrize("title", ["Rating", "R", "USCF Rating", "Ratng", "Std"])
def test_a_column_of_ratings_that_names_no_system_makes_nobody_unrated(title: str) -> None:
    found = read(f"Member ID,Name,{title}\n12345678,Ann,1512\n12345679,Bo,1641P17\n12345680,Cy,NEW\n")
    assert codes(found) == [("rating-column-not-known", "members.csv, line 1")]
    assert "Regular rating or Quick rating" in found.faults[0].remedy


def test_beside_a_column_of_ratings_and_under_other_titles_numbers_are_only_ignored() -> None:
    known = read("Member ID,Regular,Rapid\n12345678,1512,1500\n12345679,1600,1550\n")
    dates = read("Member ID,Birth date,Member since,House no,Fee\n12345678,2014-02-03,2004,120,20\n")
    assert {fault.code for fault in (*known.faults, *dates.faults)} == {"unknown-field"}


@pytest.mark.parametrize("title", ["Rating", "USCF Rtg", "Std", "Pre-event rating"])
def test_quick_ratings_do_not_hide_a_column_that_may_have_the_regular_ones(title: str) -> None:
    found = read(f"Member ID,Quick rating,{title}\n12345678,1400,1512\n12345679,1600,1641P17\n")
    assert codes(found)[0] == ("rating-column-not-known", "members.csv, line 1")
    beside = read(f"Member ID,Regular rating,{title}\n12345678,1400,1512\n12345679,1600,1641P17\n")
    assert {fault.code for fault in beside.faults} == {"unknown-field"}


@pytest.mark.parametrize("title", ["Games", "Pre-event games", "Games before"])
def test_games_that_name_no_rating_are_an_error_and_no_provisional_rating_becomes_established(title: str) -> None:
    found = read(f"Member ID,Regular rating,{title}\n12345678,1512,17\n12345679,1641,120\n")
    (first, *_) = found.faults
    assert (first.code, first.place, first.severity) == ("bad-value", "members.csv, line 1", "error")
    assert first.remedy == "Call it Regular games, or delete it."
    known = read(f"Member ID,Regular rating,Regular games,{title}\n12345678,1512,17,3\n")
    assert {fault.code for fault in known.faults} == {"unknown-field"}
    empty = read(f"Member ID,Regular rating,{title}\n12345678,1512,\n")
    assert {fault.code for fault in empty.faults} == {"unknown-field"}


@pytest.mark.parametrize(
    "written", ["12345678.0", "'12345678", '"=""12345678"""', "1234 5678", "1234-5678", " 12345678 "]
)
def test_an_id_as_spreadsheets_write_it_is_the_members(written: str) -> None:
    """Otherwise the member would not be found and be rated as unrated."""
    found = read(f"Member ID,Regular rating\n{written},1512\n")
    assert found.faults == ()
    assert found.backgrounds["12345678"].standings[OTBR].rating == 1512


@pytest.mark.parametrize("written", ["US12345678", "A-12", "12345678a", "1234567890123456"])
def test_other_ids_stay_as_they_are(written: str) -> None:
    assert set(read(f"Member ID,Regular rating\n{written},1512\n").backgrounds) == {written}


def test_of_two_rows_with_one_id_the_first_stands() -> None:
    found = read("ID,Regular\n12345678,1500\n12345678,1600\n")
    assert found.backgrounds["12345678"].standings == {OTBR: PlayerRating(1500.0)}


PLAYERS = [
    {
        "member_id": "12345678",
        "name": "Player, One",
        "birth_date": "2014-02-03",
        "ratings": {"OTBR": {"rating": 554.22, "games": 120}, "FIDE": {"rating": 1420, "as_of": "2026-08-01"}},
    },
    {"member_id": 12345679, "number": 2, "rounds": ["W1"], "start": {"rating": 750, "games": 0}},
]


def test_json_members_look_like_the_players_of_an_event_file() -> None:
    for value in (PLAYERS, {"members": PLAYERS}):
        found = read(json.dumps(value))
        assert found.faults == ()
        one, two = found.backgrounds["12345678"], found.backgrounds["12345679"]
        assert one.standings == {OTBR: PlayerRating(554.22, 120.0)}
        assert one.fide == OutsideRating(1420.0, date(2026, 8, 1))
        assert two.given_start == GivenStart(750.0, 0.0)
        assert found.names == {"12345678": "Player, One"}


def test_one_json_member_needs_no_list() -> None:
    assert list(read(json.dumps(PLAYERS[0])).backgrounds) == ["12345678"]


API = {
    "id": "12345671",
    "firstName": "One",
    "lastName": "Player",
    "ratings": [{"rating": 1512, "ratingSystem": "R", "gamesPlayed": 120, "isProvisional": False, "floor": 1300}],
}


def test_members_of_the_ratings_api_are_read() -> None:
    for value in (API, [API], {"items": [API], "hasNextPage": False}):
        found = read(json.dumps(value))
        assert found.faults == ()
        assert found.names == {"12345671": "Player, One"}
        floors = (Floor(FloorKind.OFFICE, 1300.0),)
        assert found.backgrounds["12345671"].standings == {OTBR: PlayerRating(1512.0, 120.0, floors=floors)}


@pytest.mark.parametrize(
    ("value", "code", "place"),
    [
        ([PLAYERS[0], PLAYERS[0]], "bad-value", "members[1]"),
        ([{"name": "Ann"}], "missing-field", "members[0]"),
        (
            [{"member_id": "12345678", "ratings": {"OTBR": {"rating": "high"}}}],
            "wrong-type",
            "members[0].ratings.OTBR.rating",
        ),
        ([{"member_id": "12345678", "hair": "brown"}], "unknown-field", "members[0].hair"),
        ([{"member_id": "12345678", "rating": 1512}], "bad-value", "members[0].rating"),
        ([{"member_id": "12345678", "uscf_rating": "1512P17"}], "bad-value", "members[0].uscf_rating"),
        ({"items": [API], "hasNextPage": True}, "damaged-file", "members.csv"),
        ({"members": {}}, "wrong-type", "members"),
        ({"name": "Ann"}, "missing-field", "members.csv"),
    ],
)
def test_what_is_wrong_in_json_is_a_fault_with_its_place(value: object, code: str, place: str) -> None:
    assert codes(read(json.dumps(value))) == [(code, place)]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Name,Rating\nAnn,1500\n",
        b"[",
        b"\0",
        b"ID,Regular\n" + b"12345678,1500\n" * (members.MOST_ROWS + 1),
        b'ID,Regular\n"12345678,1500\n',
        b" " * (members.LARGEST + 1),
    ],
)
def test_what_is_no_members_file_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        read(data)
    assert refusal.value.fault.place.startswith("members.csv")


def _as_report(data: bytes) -> Reading:
    """The members as players of one section, so that they are held to the law of all readers."""
    found = read(data)
    players = tuple(ReportedPlayer(None, each, "", (), Background(), "") for each in found.backgrounds)
    section = ReportedSection(1, "", SectionType.SWISS, False, (), (), None, None, players, "")
    return Reading(Report("", "", None, None, (section,), ""), found.faults)


def _is_head(row: list[str]) -> bool:
    titles = [re.sub(r"[\W_]+", " ", cell).strip().lower() for cell in row if re.search("[A-Za-z]", cell)]
    return len(titles) > 1 and bool({"member id", "id"} & set(titles))


def _stated_rows(data: bytes) -> Shape | None:
    """Counted in a way of its own: rows with an id below the first that has titles."""
    text = data.decode("utf-8-sig", "replace")
    best = None
    for separator in ",;\t|":
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(map(str.strip, row))
        ]
        while rows and not _is_head(rows[0]):
            rows.pop(0)
        if rows:
            best = Shape(1, sum(bool(row[0].strip()) for row in rows[1:]))
    return best


def test_damaged_tables_are_read_or_refused() -> None:
    data = TEMPLATE.encode()
    assert _stated_rows(data) == Shape(1, 3)
    for mutated in mutations(data, seed=23):
        must_read_or_refuse(_as_report, _as_report(data), mutated, _stated_rows)


def _stated_json(data: bytes) -> Shape | None:
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return Shape(1, len(value)) if isinstance(value, list) else None


def test_damaged_json_is_read_or_refused() -> None:
    data = json.dumps([*PLAYERS, API], indent=1).encode()
    for mutated in mutations(data, seed=29):
        must_read_or_refuse(_as_report, _as_report(data), mutated, _stated_json)

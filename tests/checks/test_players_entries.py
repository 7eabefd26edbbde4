"""Before round 1: what ``check`` says of an entry list; and, then or later, who differs from everybody else.

The 200 points of the hint on ratings are those of the old TD/A validation; the other limits are our own.
"""

import pytest

import crosstable as ct
from crosstable.catalogue import CATALOGUE
from crosstable.checks.players import agree, limit_of
from crosstable.errors import Level, Severity
from crosstable.formats import members
from tests.event_files import EventFile, Player, event_file, player, record

CLUB = members.read(
    b"Member ID,Name,Member until,OTBR rating\n"
    b'10000001,"Player, 1",2026-07-31,1650\n'
    b'10000002,"Quite, Otherwise",2027-12-31,1500\n'
    b'10000003,"Player, 3",2026-08-30,1400\n',
    "club.csv",
)


def entry(number: int, rating: float | None = None, **more: object) -> Player:
    """An entry; ``more`` are other fields."""
    return player(number, [], rating) | more


def entries(*players: Player, **section: object) -> EventFile:
    event = event_file(*players, on="2999-08-30", **section)
    del event["sections"][0]["time_control"]
    return event


def said(source: object, **options: object) -> list[tuple[str, str, str]]:
    """Code, place before the file's own, and message of every finding."""
    checked = ct.check(source, **options)  # type: ignore[arg-type]
    assert not checked.has_errors
    return [(one.code, one.place.partition(" [")[0], one.message) for one in checked.faults if one.code != "entry-list"]


def test_an_entry_list_needs_no_control_no_dates_and_lies_in_the_future() -> None:
    event = entries(entry(1, 1500.0), entry(2, 1400.0))
    assert said(event) == []
    event["event"] = {"name": "Open"}
    assert said(event) == []
    assert {one.code for one in ct.rate(event).faults} == {"no-game", "no-time-control", "no-dates"}


def test_who_is_entered_twice_over_the_limit_or_unrated_is_told() -> None:
    rows = [entry(1, 1599.0), entry(2, 1600.0), entry(3), entry(4, 1500.0)]
    rows[3] |= {"member_id": "10000001", "name": "Player, One"}
    other = [entry(1, 1650.0, name="Player, 2"), entry(5, 1700.0, name="Player, 9", member_id="")]
    event = entries(*rows, name="Reserve U1600")
    event["sections"].append({"number": 2, "name": "Open", "type": "swiss", "players": other})
    other.append(entry(6, 1700.0, name="player 9"))
    assert [one for one in said(event) if one[0] not in ("no-member-id", "duplicate-name", "id-with-two-names")] == [
        (
            "over-limit",
            "section 1, player 2 (Player, 2)",
            "The rating 1600 is over the limit of the section 'Reserve U1600'.",
        ),
        ("unrated-player", "section 1, player 3 (Player, 3)", "The player has no rating."),
        ("duplicate-entry", "section 1, player 4 (Player, One)", "Player, One is entered here and as player 1."),
        ("duplicate-entry", "section 2, player 1 (Player, 2)", "Player, 2 is entered here and in section 1."),
        ("duplicate-entry", "section 2, player 6 (player 9)", "player 9 is entered here and as player 5."),
    ]


def test_memberships_names_and_ratings_come_from_the_members_file() -> None:
    """The end counts: a membership through August 30 is good on that day (rule 23C); without a date nothing is."""
    rows = [entry(1), entry(2), entry(3), entry(4)]
    event = entries(*rows, name="U1600")
    event["event"] = {"start_date": "2026-08-30"}
    found = said(event, members=CLUB, end="2026-08-30")
    assert [one[:2] for one in found] == [
        ("over-limit", "section 1, player 1 (Player, 1)"),
        ("unrated-player", "section 1, player 4 (Player, 4)"),
        ("membership", "section 1, player 1 (Player, 1)"),
        ("other-name", "section 1, player 2 (Player, 2)"),
        ("not-in-members-file", "section 1, player 4 (Player, 4)"),
    ]
    event["event"] = {}
    codes = [one[0] for one in said(event, members=CLUB)]
    assert ("memberships-not-checked" in codes, "membership" in codes) == (True, False)


@pytest.mark.parametrize(
    ("entered", "listed", "is_same"),
    [
        *(("Smith, John", "SMITH, JOHN", True), ("John Smith", "SMITH,JOHN ALLEN", True)),
        *(("Smith, J", "SMITH, JOHN", True), ("Smith Jr., John", "SMITH, JOHN", True)),
        *(("O'Neil, Rob", "ONEIL, ROBERT", True), ("Núñez, Ana", "NUNEZ, ANA", True)),
        *(("Smith, John", "SMITH, JANE", False), ("Smith, Mike", "SMITH, MICHAEL", False)),
        ("Lee, Ann", "CHEN, CY", False),
        *(("", "SMITH, JOHN", True), ("Smith, John", "", True)),
    ],
)
def test_the_name_of_an_entry_is_that_of_the_member(entered: str, listed: str, is_same: bool) -> None:
    """A brother's id is the commonest mistake; a nickname is told too, as US Chess's validation tells it."""
    assert agree(entered, listed) == is_same
    known = members.read(f'Member ID,Name,OTBR rating\n10000001,"{listed}",1500\n'.encode(), "club.csv")
    codes = [one[0] for one in said(entries(entry(1, name=entered), entry(2, 1400.0)), members=known)]
    assert ("other-name" not in codes) == is_same


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        *(("U1600", 1600.0), ("Reserve (under 1200)", 1200.0), ("u/800 K-5", 800.0), ("Below 2000", 2000.0)),
        *(("1600-1999", 2000.0), ("Premier 1400 - 1799", 1800.0), ("U1000/U1200", 1200.0)),
        *(("Open", None), ("2000+", None), ("U14", None), ("League 2025-2026", None), ("K-12", None), ("", None)),
    ],
)
def test_the_name_of_a_section_gives_its_limit(name: str, limit: float | None) -> None:
    assert limit_of(name) == limit


def eight(**last: object) -> EventFile:
    """Eight players of Ohio, born in 2010 to 2017, rated 1000 to 1007; the last as given."""
    rows = [
        entry(n, state="OH", ratings={"OTBR": record(999.0 + n)}, birth_date=f"{2009 + n}-06-01") for n in range(1, 9)
    ]
    rows[-1] |= last
    return entries(*rows)


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ({"state": "TX"}, "The player is from TX; 7 of 8 players are from OH."),
        ({"ratings": {"OTBR": record(1206.5)}}, "The rating 1206.5 is 200 points above everybody else's."),
        ({"birth_date": "1989-05-31"}, "The player is 21 years older than everybody else."),
        ({"birth_date": "2036-06-30"}, "The player is 20 years younger than everybody else."),
        ({"ratings": {"OTBR": record(1206.0)}}, ""),
        ({"birth_date": "1990-06-02"}, ""),
        ({"state": "oh"}, ""),
        ({"state": ""}, ""),
    ],
)
def test_who_differs_from_everybody_else_is_told(last: Player, message: str) -> None:
    event = eight(**last)
    told = [one[2] for one in said(event) if one[0] == "odd-one-out"]
    assert told == ([message] if message else [])
    event["sections"][0]["players"].pop(0)
    assert "odd-one-out" not in [one[0] for one in said(event)]  # seven are too few


def test_three_from_elsewhere_are_no_odd_ones() -> None:
    event = eight()
    for row, state in zip(event["sections"][0]["players"], ("TX", "NM", "OK"), strict=False):
        row["state"] = state
    assert said(event) == []


def test_a_column_of_sections_parts_an_entry_list_and_withdrawn_entries_go() -> None:
    rows = ("1,Ann,10000001,1700,Open", "2,Bo,10000002,1200,U1400", "3,Cy (Withdrawn),,,Open", "4,Di,,900,U1400")
    table = "\n".join(("#,Name,USCF ID,Rating,Section", *rows)).encode()
    report = ct.read(table, name="list.csv")
    parts = {one.name: [(row.number, row.name) for row in one.players] for one in report.sections}
    assert parts == {"Open": [(1, "Ann")], "U1400": [(2, "Bo"), (4, "Di")]}
    assert [one.message for one in report.faults] == ["The entry was withdrawn and was left out."]
    assert ct.read(table.replace(b"Open", b"").replace(b"U1400", b""), name="list.csv").sections[0].name == ""


def test_an_entry_list_of_onlineregistration_has_no_titles() -> None:
    """The layout of a real list of that site: FIDE's Unr says nothing of the US Chess rating."""
    ann_said = "Adams, Ann\t2000001 [USA]\tUnr\t12345671\t1590\tTX\tU2000\t1/2:R2 R4"
    text = f"{ann_said}\nBaker, Bo\t\t\t12345672\tUnr\t\tOpen\t\nCole, Cy\t2000002\t-\tNEW\tNew\tON\tOpen\n"
    first, second = ct.read(text.encode(), name="list.tsv").sections
    ann, bo = first.players[0], second.players[0]
    assert (first.name, ann.name, ann.member_id, ann.pairing_rating, ann.state) == (
        *("U2000", "Adams, Ann", "12345671", 1590.0, "TX"),
    )
    assert ann.background.fide is None
    assert ann.details == {"federation": "USA", "fide_id": "2000001"}
    assert (second.name, bo.pairing_rating) == ("Open", None)
    cy = second.players[1]
    assert (cy.member_id, cy.pairing_rating, cy.state, cy.details) == ("", None, "ON", {"fide_id": "2000002"})


def test_every_code_has_a_level_and_only_errors_are_fatal() -> None:
    """The four levels of the ratings API's validation (RatingValidationErrorLevel)."""
    levels = {code: kind.level for code, kind in CATALOGUE.items()}
    assert set(levels.values()) == set(Level)
    for code, kind in CATALOGUE.items():
        assert (levels[code] is Level.FATAL) == (kind.severity is Severity.ERROR), code
        assert kind.severity is not Severity.CONFIRM or levels[code] is Level.HOT, code

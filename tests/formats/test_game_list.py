"""Lists of games: round, White, Black, result, as a spreadsheet or chess-results holds them."""

import io

import pytest
from xlsxwriter import Workbook  # type: ignore[import-untyped]

from crosstable.formats import Reading, detect, wallchart
from crosstable.formats.game_list import NOBODY, RESULTS
from tests.formats.mutations import must_read_or_refuse, mutations, shape_of
from tests.formats.reports import errors, players, texts

HEAD = "Round,White,Black,Result\n"


def reading(text: str) -> Reading:
    return detect.read_data(text.encode(), "games.csv")


def test_games_become_rows_of_players_in_the_order_of_their_appearance() -> None:
    found = reading(
        "Event: Quad\nDate: June 14, 2026\nTime control: 60 min + 5 sec\n"
        "Round,White,Black,Result,White ID,Black ID,White Rating,Black Rating\n"
        "1,Ann,Bob,1-0,12345671,12345672,1850,1700\n1,Cy,Dee,½-½,12345673,12345674,1500,unr\n"
        "2,Bob,Cy,0-1,12345672,12345673,1700,1500\n2,Dee,Ann,1-0F,12345674,12345671,,1850\n"
        "3,Bob,bye,½,,,,\n3,Ann,Cy,1-0,,,,\n"
    )
    assert found.faults == ()
    assert [(p.number, p.name, p.member_id, p.pairing_rating) for p in players(found)] == [
        (1, "Ann", "12345671", 1850.0),
        (2, "Bob", "12345672", 1700.0),
        (3, "Cy", "12345673", 1500.0),
        (4, "Dee", "12345674", None),
    ]
    assert [texts(player) for player in players(found)] == [
        ["W2w", "F4b", "W3w"],
        ["L1b", "L3w", "H"],
        ["D4w", "W2b", "L1b"],
        ["D3b", "X1w", "U"],
    ]
    assert (found.report.name, found.report.sections[0].time_controls) == ("Quad", ("60 min + 5 sec",))


@pytest.mark.parametrize(
    ("letters", "text"),
    [(letters, text) for letters, written in RESULTS.items() for text in (*written, written[0].upper())],
)
def test_every_result_of_the_reference_page(letters: tuple[str, str], text: str) -> None:
    found = reading(f"{HEAD}1,Ann,Bob,1-0\n2,Ann,Bob,{text}\n")
    white, black = letters
    assert [texts(player)[1:] for player in players(found) if len(player.cells) > 1] == [
        [f"{white}2w" if white else ""],
        [f"{black}1b" if black else ""],
    ]
    assert [fault.code for fault in found.faults] == ([] if white else ["result-missing"])


@pytest.mark.parametrize("name", NOBODY)
def test_nobody_is_no_player(name: str) -> None:
    found = reading(f"{HEAD}1,Ann,Bob,1-0\n2,Ann,{name},\n")
    assert len(players(found)) == 2
    assert texts(players(found)[0])[1] == (
        "H" if name == "half bye" else "B" if "ull bye" in name or name == "bye" else "U"
    )


@pytest.mark.parametrize(("result", "cell"), [("1", "B"), ("½", "H"), ("0", "Z"), ("", "B")])
def test_the_result_says_what_a_bye_is_worth(result: str, cell: str) -> None:
    assert texts(players(reading(f"{HEAD}1,Ann,Bob,1-0\n2,Bye,Ann,{result}\n"))[0]) == ["W2w", cell]


def test_rounds_may_stand_above_their_games_and_columns_on_both_sides_of_the_result() -> None:
    """As chess-results lists the games of a round robin."""
    found = reading(
        "From the Tournament-Database of Chess-Results https://example.org\nClub Cup\nRound 1 on 2026/08/08 at 10:00\n"
        "Bo.,No.,,White,Rtg,Pts.,Result,Pts.,,Black,Rtg,No.\n1,1,FM,Ann,2100,0,1 - 0,0,,Bob,1900,4\n"
        "2,2,,Cy,2000,0,- - +,0,,Dee,1800,3\n"
        "Round 2 on 2026/08/09 at 10:00\nBo.,No.,,White,Rtg,Pts.,Result,Pts.,,Black,Rtg,No.\n"
        "1,4,,Bob,1900,0,½ - ½,1,,Dee,1800,3\n2,1,,Ann,2100,1,0 - 1,0,,Cy,2000,2\n"
        "You find all details to this tournament under https://example.org\n"
    )
    assert found.faults == ()
    assert found.report.name == "Club Cup"
    assert {p.number: (p.name, p.pairing_rating, texts(p)) for p in players(found)} == {
        1: ("Ann", 2100.0, ["W4w", "L2w"]),
        4: ("Bob", 1900.0, ["L1b", "D3w"]),
        2: ("Cy", 2000.0, ["F3w", "W1b"]),
        3: ("Dee", 1800.0, ["X2b", "D4b"]),
    }


def test_a_column_section_makes_sections() -> None:
    found = reading("Section,Round,White,Black,Result\nOpen,1,Ann,Bob,1-0\nU1200,1,Cy,Dee,0-1\nOpen,2,Bob,Ann,1-0\n")
    assert [(section.name, [p.name for p in section.players]) for section in found.report.sections] == [
        ("Open", ["Ann", "Bob"]),
        ("U1200", ["Cy", "Dee"]),
    ]
    assert texts(found.report.sections[0].players[0]) == ["W2w", "L2b"]


@pytest.mark.parametrize(
    ("rows", "code", "place"),
    [
        ("1,Ann,Bob,2-0\n", "unknown-code", "games.csv, line 2"),
        ("1,Ann,Bob,1-0\n1,Cy,Ann,1-0\n", "bad-value", "games.csv, line 3"),
        (",Ann,Bob,1-0\n", "bad-value", "games.csv, line 2"),
        ("one,Ann,Bob,1-0\n", "bad-value", "games.csv, line 2"),
        ("99999999999,Ann,Bob,1-0\n", "bad-value", "games.csv, line 2"),
    ],
)
def test_what_is_wrong_with_a_game_is_told_with_its_row(rows: str, code: str, place: str) -> None:
    assert (code, place) in [(found.code, found.place) for found in reading(HEAD + rows).faults]
    assert errors(reading(HEAD + rows))


def test_two_people_of_one_name_are_told_apart_by_their_ids() -> None:
    found = reading(f"{HEAD.strip()},White ID,Black ID\n1,Ann,Ann,1-0,12345671,12345672\n")
    assert [(p.member_id, texts(p)) for p in players(found)] == [("12345671", ["W2w"]), ("12345672", ["L1b"])]


def test_games_in_a_workbook() -> None:
    made = io.BytesIO()
    with Workbook(made, {"in_memory": True}) as workbook:
        sheet = workbook.add_worksheet("Games")
        for at, row in enumerate(
            [("Round", "White", "Black", "Result"), (1, "Ann", "Bob", "1-0"), (2, "Bob", "Ann", 0)]
        ):
            sheet.write_row(at, 0, row)
    found = detect.read_data(made.getvalue(), "games.xlsx")
    assert [texts(player) for player in players(found)] == [["W2w", "W2b"], ["L1b", "L1w"]]


def test_a_result_on_each_side_is_one_result() -> None:
    """As SwissSys titles its pairings: Res, White, Res, Black."""
    found = reading(
        "Round,Bd,Res,White,Res,Black\n1,1,1,Ann,0,Bob\n1,2,½,Cy,½,Dee\n2,1,0F,Bob,1X,Cy\n2,,½,Ann,,BYE\n3,1,,Ann,,Cy\n"
    )
    assert [texts(player)[:2] for player in players(found)] == [
        ["W2w", "H"],
        ["L1b", "F3w"],
        ["D4w", "X2b"],
        ["D3b", "U"],
    ]
    assert [fault.code for fault in reading("Round,Res,White,Res,Black\n1,1,Ann,,Bob\n").faults] == ["unknown-code"]


def test_ratings_of_a_side_may_be_titled_shortly_and_other_columns_are_told() -> None:
    found = reading("Rd,White,WRtg,Black,B Elo,Result,Coach\n1,Ann,1850,Bob,1700,1-0,Di\n")
    assert [(p.pairing_rating, p.background.fide and p.background.fide.rating) for p in players(found)] == [
        *((1850.0, None), (None, 1700.0)),
    ]
    assert [(fault.code, "Coach" in fault.message) for fault in found.faults] == [("unknown-field", True)]
    codes = [fault.code for fault in reading("Rd,White,WSupp,Black,BSupp,Result\n1,Ann,1850,Bob,1700,1-0\n").faults]
    assert codes.count("rating-column-not-known") == 2


@pytest.mark.parametrize(
    ("one", "other", "may_be_one"),
    [
        ("Ann Abbott,1850", "Ann Abbot,1850", True),
        ("Ann Abbott,", '"Abbott, Ann",', True),
        ("Ann Abbott,1850", "Ann Abbot,1700", False),
        ("Player 0001,", "Player 0002,", False),
        ("Ann Abbott,", "Dan Abbott,", False),
    ],
)
def test_a_player_under_two_spellings_has_to_be_confirmed(one: str, other: str, may_be_one: bool) -> None:
    """They never play in the same round; where ratings or ids differ they are two."""
    rows = f"1,{one},Bob Hill,1600,1-0\n2,{other},Bob Hill,1600,1-0\n"
    found = reading(f"Round,White,White rating,Black,Black rating,Result\n{rows}")
    assert ("similar-names" in [fault.code for fault in found.faults]) is may_be_one


LISTED = (
    "Event: Quad\nDate: June 14, 2026\nTime control: G/60;d5\nRound,White,Black,Result,White ID,Black ID\n"
    "1,Ann Lee,Bob Hill,1-0,12345671,12345672\n1,Cy Dahl,Dee Park,½-½,12345673,12345674\n"
    "2,Bob Hill,Cy Dahl,0-1,12345672,12345673\n2,Dee Park,Ann Lee,1-0F,12345674,12345671\n"
    "3,Bob Hill,bye,½,12345672,\n3,Ann Lee,Cy Dahl,1-0,12345671,12345673\n"
).encode()


def test_damaged_lists_of_games_are_refused_or_every_game_stands_on_both_rows() -> None:
    def read(data: bytes) -> Reading:
        return wallchart.read(data, "games.csv")

    other_side = {"W": "L", "L": "W", "D": "D", "X": "F", "F": "XF"}
    original = read(LISTED)
    for mutated in mutations(LISTED, seed=23):
        found = must_read_or_refuse(read, original, mutated, lambda data: shape_of(read(data)))
        if found is None or errors(found) or b"Rd" in mutated:
            continue
        for section in found.report.sections:
            cells = {(p.number, at): cell for p in section.players for at, cell in enumerate(p.cells)}
            for (number, at), cell in cells.items():
                if cell.opponent and cell.result is not None:
                    back = cells[cell.opponent, at]
                    assert (back.opponent, str(back.result) in other_side[cell.result]) == (number, True), mutated

"""Rulebook 34E: tie-breaks and standings, on worked examples.

Those of T1 to T4 were computed with an independent script from games published with a pairing program's tests, those of
T5 to T11 by hand; T5 (first), T6 and T8 are also printed by the rulebook, WinTD's help and a club's page.
"""

import re

import pytest

from crosstable.output.tie_breaks import (
    METHODS,
    ROUND_ROBIN,
    SWISS,
    Field,
    field_of,
    performance,
    standings,
    usual_methods,
)
from crosstable.terms import Cell, Entry, Result, SectionType
from tests.event_files import event_file, player
from tests.output.rated_events import crossed, rated

RESULTS = {"1-0": "WL", "0-1": "LW", "draw": "DD", "forfeit": "XF", "full": "B", "half": "H"}


def field(*rounds: str, **ratings: float) -> Field:
    """A section from its rounds, ``A-B 1-0, C full``: White first; who is not named did not play."""
    names = sorted(set(re.findall(r"\b[A-H]\b", " ".join(rounds))))
    cells: dict[str, list[Cell]] = {name: [] for name in names}
    for at, text in enumerate(rounds):
        for game in text.split(", "):
            who, result = game.split()
            for side, name in enumerate(who.split("-")):
                other = names.index(who.split("-")[1 - side]) + 1 if "-" in who else 0
                cells[name].append(Cell(Result(RESULTS[result][side]), other, "wb"[side] if other else ""))
        for row in cells.values():
            row += [Cell(Result.BLANK, 0, "")] * (at + 1 - len(row))
    entries = {at: Entry(at, "", name, tuple(cells[name])) for at, name in enumerate(names, start=1)}
    return Field(entries, tuple(range(len(rounds))), {names.index(name) + 1: value for name, value in ratings.items()})


def values(of: Field, method: str) -> dict[str, float]:
    """The value of a method for every player by name, tied with nobody."""
    return {entry.name: METHODS[method].value(of, number, ()) for number, entry in of.entries.items()}


def against(own: str, *scores: str) -> Field:
    """Player 1 with their results, each against an opponent whose whole row is given."""
    rows = [tuple(Cell(Result(one[0]), int(one[1:] or 0), "") for one in score.split()) for score in scores]
    mine = [Cell(Result(letter), at, "") for at, letter in enumerate(own.split(), start=2)]
    entries = {1: Entry(1, "", "A", tuple(mine))} | {
        at: Entry(at, "", f"{at}", cells) for at, cells in enumerate(rows, start=2)
    }
    return Field(entries, tuple(range(len(mine))), {})


def scored(points: float, rounds: int) -> str:
    """A row of played games with so many points."""
    wins, draws = int(points), int(2 * points) % 2
    return " ".join(["W1"] * wins + ["D1"] * draws + ["L1"] * (rounds - wins - draws))


T1 = (
    "A-B 1-0, C-D 1-0, E-F 1-0, G-H 1-0",
    "C-A 0-1, E-G 1-0, B-D 0-1, F-H 1-0",
    "A-E 0-1, C-G 1-0, D-F 1-0, B-H 1-0",
    "E-C draw, A-D 1-0, G-B draw, H-F 0-1",
)
T1_COLUMNS = (
    *("modified-median", "solkoff", "median", "cumulative", "cumulative-of-opposition", "kashdan"),
    *("sonneborn-berger", "most-blacks"),
)
T1_VALUES = {
    "A": (8, 9.5, 4.5, 8, 23.5, 13, 6, 1),
    "B": (3.5, 6.5, 3.5, 2.5, 17.5, 8, 0.75, 2),
    "C": (8.5, 10, 5, 6.5, 27, 11, 5.25, 1),
    "D": (4.5, 9, 4.5, 5, 21, 10, 3.5, 3),
    "E": (7.5, 9, 4.5, 9.5, 23, 14, 7.75, 1),
    "H": (5, 7, 3.5, 0, 15, 4, 0, 3),
}


@pytest.mark.parametrize(("at", "method"), list(enumerate(T1_COLUMNS)), ids=T1_COLUMNS)
def test_four_rounds_with_every_game_played(at: int, method: str) -> None:
    """T1."""
    found = values(field(*T1), method)
    assert {name: found[name] for name in T1_VALUES} == {name: row[at] for name, row in T1_VALUES.items()}


def test_forfeits_and_byes_count_half_for_opponents_and_nothing_for_the_player() -> None:
    """T2; and the rulebook's example: won, won, lost, withdrew in five rounds is 3."""
    made = field("A-B forfeit, C-D 1-0", "B-C 1-0, A full, D half", "A-C 1-0, B-D 1-0")
    assert [made.adjusted(number) for number in made.entries] == [2, 2.5, 1, 0.5]
    assert values(made, "solkoff") == {"A": 1, "B": 1.5, "C": 5, "D": 3.5}
    assert values(made, "modified-median") == {"A": 1, "B": 1.5, "C": 2.5, "D": 1}
    assert values(made, "cumulative") == {"A": 4, "B": 3, "C": 3, "D": 0.5}
    assert against("W W L L L", "W1 W1 L1").adjusted(2) == 3


def test_unplayed_points_are_taken_from_the_cumulative_score() -> None:
    """T3: a forfeited opponent is none for the cumulative score of the opposition. T5: the sums of the rulebook."""
    made = field("A-B forfeit, C full, D half", "A-C 1-0, B-D 1-0", "A-D 1-0, B-C 1-0")
    assert values(made, "cumulative") == {"A": 5, "B": 3, "C": 2, "D": 1}
    assert values(made, "cumulative-of-opposition") == {"A": 3, "B": 3, "C": 8, "D": 8}
    assert METHODS["cumulative"].value(against("W L W D L"), 1, ()) == 9
    assert METHODS["cumulative"].value(against("B W L D W"), 1, ()) == 10


def test_kashdan_sonneborn_berger_blacks_and_average_opposition() -> None:
    """T4: D is unrated, and A's win over D a forfeit. T11: four wins and a loss, three wins and two draws."""
    made = field("A-B 1-0, C-D draw", "C-A draw, D-B 1-0", "A-D forfeit, B-C 0-1", B=1600, C=1700)
    assert values(made, "kashdan") == {"A": 6, "B": 3, "C": 8, "D": 6}
    assert {name: values(made, "sonneborn-berger")[name] for name in "AC"} == {"A": 1, "C": 2}
    assert {name: values(made, "most-blacks")[name] for name in "ABD"} == {"A": 1, "B": 2, "D": 1}
    assert {name: values(made, "average-opposition")[name] for name in "AD"} == {"A": 1650, "D": 1650}
    found = [METHODS["kashdan"].value(against(own), 1, ()) for own in ("W W W W L", "W W W D D")]
    assert found == [17, 16]


@pytest.mark.parametrize(
    ("own", "scores", "expected"),
    [
        ("W W W W L", (0, 3, 3, 4, 5), (15, 15, 10)),  # T6
        ("W W W W L", (3, 2, 5, 3, 3), (16, 14, 9)),
        ("W W W W L", (1, 2, 3, 3.5, 4), (13.5, 12.5, 8.5)),  # T7; the median by hand
        ("W W W W L", (2, 2.5, 3, 3, 4), (14.5, 12.5, 8.5)),
        ("W W W W W W W W W", (2, 2, 2, 2, 2, 2.5, 2.5, 2.5, 2.5), (20, 16, 11)),  # T9
        ("W", (1,), (1, 0, 0)),
    ],
)
def test_what_is_left_out_of_the_scores(
    own: str, scores: tuple[float, ...], expected: tuple[float, float, float]
) -> None:
    """Solkoff, Modified Median, Median; from nine rounds on, two scores are left out; one alone is the lowest."""
    made = against(own, *(scored(points, len(scores)) for points in scores))
    assert tuple(METHODS[name].value(made, 1, ()) for name in ("solkoff", "modified-median", "median")) == expected


def test_the_bye_of_an_opponent_counts_half() -> None:
    """T8: seven wins; the opponent on 6 points had a full-point bye, so counts 5.5, and the lowest 2 is left out."""
    opponents = [scored(points, 7) for points in (2, 2, 3.5, 4, 5, 5)]
    made = against("W W W W W W W", *opponents, "B W1 W1 W1 W1 W1 L1")
    assert METHODS["modified-median"].value(made, 1, ()) == 25


def test_the_performance_of_the_opposition_leaves_out_games_between_tied_players() -> None:
    """T10: wins over 1400 and 1500, a draw with 1600, a loss to 1700 perform at 1650. Then 34E10 by hand: B and C."""
    made = against("W W D L", *[""] * 4)._replace(ratings={2: 1400.0, 3: 1500.0, 4: 1600.0, 5: 1700.0})
    assert performance(made, 1) == 1650
    three = field("A-B 1-0", "B-C 1-0", "C-A draw", A=1500, B=1600, C=1700)
    # B lost to 1500 and beat 1700: (1100 + 2100) / 2; C lost to 1600 and drew 1500: (1200 + 1500) / 2.
    assert METHODS["performance-of-opposition"].value(three, 1, ()) == (1600 + 1350) / 2
    assert METHODS["performance-of-opposition"].value(three, 1, [1, 3]) == 1600
    assert METHODS["performance-of-opposition"].value(field("A-B 1-0"), 1, ()) == 0


def test_standings_follow_points_then_each_tie_break() -> None:
    """T1 by the usual order: D and F have 2 points, Modified Median 4.5 and 2; G and B 1.5, 4 and 3.5."""
    made = field(*T1)
    found = standings(made, SWISS)
    assert [made.entries[one.number].name for one in found] == list("EACDFGBH")
    assert [one.place for one in found] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert found[0].values == (7.5, 9, 9.5, 23)


def test_the_result_between_tied_players_counts_only_among_those_still_tied() -> None:
    """A, B and C beat each other in turn; where their opposition parts A and B from C, B's win over A decides."""
    made = field("B-A 1-0", "C-B 1-0", "A-C 1-0", A=1500, B=1500, C=1800)
    assert [one.place for one in standings(made, ["result-between-tied"])] == [1, 1, 1]
    found = standings(made, ["average-opposition", "result-between-tied"])
    assert [(one.place, made.entries[one.number].name) for one in found] == [(1, "B"), (2, "A"), (3, "C")]
    assert [one.values for one in found] == [(1650, 1), (1650, -1), (1500, 0)]


def test_a_round_that_nobody_played_and_an_own_column_are_no_rounds() -> None:
    """The crossed round robin: 2 beat 1 and 3, who drew; Sonneborn-Berger by hand. Round 3 below was not held."""
    ((section,),) = rated(crossed()).rated
    made = field_of(section)
    assert [len(made.rounds(number)) for number in (1, 2, 3)] == [2, 2, 2]
    assert values(made, "sonneborn-berger") == {"Player, 1": 0.25, "Player, 2": 1.0, "Player, 3": 0.25}
    assert [one.place for one in standings(made, ROUND_ROBIN)] == [1, 2, 2]
    ((section,),) = rated(
        event_file(player(1, ["W2", "D3", ""], 1500.0), player(2, ["L1"], 1500.0), player(3, ["U", "D1"]))
    ).rated
    made = field_of(section)
    assert (made.held, made.adjusted(2), made.ratings) == ((0, 1), 0.5, {1: 1500.0, 2: 1500.0})
    assert made.opposition(3) == [0.0, 1.5]


def test_the_usual_order_is_the_rulebooks() -> None:
    """34E: 34E1, 34E2, 34E3, 34E9; 34F for a round robin: 34E8, then 34E5."""
    assert [METHODS[name].title for name in usual_methods(SectionType.SWISS)] == [
        "ModMed",
        "Solkoff",
        "Cumul",
        "CumOpp",
    ]
    assert [METHODS[name].title for name in usual_methods(SectionType.ROUND_ROBIN)] == ["S-B", "Tied"]

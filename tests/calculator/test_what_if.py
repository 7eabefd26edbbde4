"""What if, points and norm chances: the engine asked once per outcome; parts that add up; official norms."""

from datetime import date
from pathlib import Path

import pytest

from crosstable.calculator.estimate import estimate, points_sentence, results_worth
from crosstable.calculator.reading import read_game
from crosstable.calculator.requests import EstimateRequest, Opponent
from crosstable.calculator.what_if import MOST_TO_COME, next_game, norm_chances, norm_title, outcomes, score_needed
from crosstable.errors import UnratableSectionError
from crosstable.terms import GAME_SCORES
from tests.calculator.requested import asked
from tests.engine.wallcharts import Played, post_event, rate_wallchart, wallchart

CASE = (Path(__file__).parents[1] / "cases" / "official-2015-64-players.txt").read_text(encoding="utf-8")


# Points per game


def test_points_of_the_standard_formula_add_up() -> None:
    """§4.2: each game's K(S - E), the bonus beside them. K of the example is 33.316971 (readings, Part 1)."""
    found = estimate(asked("1700/30", "W1600 L1750 D1800"))
    assert found.k is not None
    assert found.bonus == 0.0
    assert sum(game.points for game in found.points) == pytest.approx(found.gain, abs=1e-9)
    win = found.points[0]
    assert win.points == pytest.approx(found.k * (1.0 - 0.640065), abs=1e-4)
    assert [game.opponent for game in found.points] == [1, 2, 3]
    assert not win.is_leave_one_out


def test_points_of_the_special_formula_leave_one_out() -> None:
    """§4.1, the official example: 1511.11; without the draw with 1650 it is 1500 + 25/8 × 2 by hand below.

    Without the draw: f = 6 (0.5 + (M - 1500)/800) + PWe(M, 1400) + PWe(M, 1550) = 4, so 8 (M - 1500) + 100 - 50 = 0 and
    M = 1493.75; the draw brought 17.361111.
    """
    found = estimate(asked("1500/6", "W1400 L1550 D1650"))
    assert found.points[2].points == pytest.approx(1511.111111 - 1493.75, abs=1e-6)
    assert all(game.is_leave_one_out for game in found.points)
    for at, game in enumerate(found.points):
        rest = [text for position, text in enumerate(("W1400", "L1550", "D1650")) if position != at]
        without = estimate(asked("1500/6", " ".join(rest)))
        assert game.points == pytest.approx(found.rating - without.rating, abs=1e-9)


def test_a_first_game_is_measured_from_the_start() -> None:
    """§4.1: without the only game an unrated adult would stand at 1300; a win over 1300 on no games gives 1700."""
    (game,) = estimate(asked("U", "W1300", adult="1")).points
    assert game.points == pytest.approx(400.0, abs=1e-6)


@pytest.mark.parametrize(
    ("score", "points", "words"),
    [
        (0.0, -14.2, "this loss cost 14"),
        (1.0, 26.6, "this win brought 27"),
        (0.5, 0.3, "this draw changed next to nothing"),
        (0.5, -3.0, "this draw cost 3"),
    ],
)
def test_points_in_plain_words(score: float, points: float, words: str) -> None:
    assert points_sentence(score, points) == words


# What if


def test_every_outcome_is_an_estimate_of_its_own() -> None:
    """Games to come in all ways; with opponents held only the total counts, so who was beaten does not."""
    request = asked("1512/40", "W1640 D1720 T1600 T1800")
    found = outcomes(request)
    assert (found.before, found.score, found.played, found.to_come) == (1512.0, 1.5, 2, 2)
    assert [each.score for each in found.possibilities] == [1.5, 2.0, 2.5, 3.0, 3.5]
    for letters in ("LL", "LD", "DL", "WL", "LW", "DD", "WD", "WW"):
        one = estimate(asked("1512/40", f"W1640 D1720 {letters[0]}1600 {letters[1]}1800"))
        same = next(each for each in found.possibilities if each.score == one.score)
        assert (same.rating, same.official, same.bonus) == pytest.approx(
            (one.rating, one.official, one.bonus), abs=1e-9
        )
        assert same.change == pytest.approx(one.gain, abs=1e-9)


@pytest.mark.parametrize(
    ("player", "games", "more"),
    [
        ("1500/3", "W1600 T1700 T1550", {}),
        ("U", "T900 T1200 D1050 T1100", {"age": "12"}),
        ("2105/60", "L1800 T1700 T1900 T1750", {"peak": "2310"}),
        ("1500/30", "TTTT1600", {"match": "1"}),
        ("1500/30", "W1600:1580 T1700:1720 T1550", {}),
    ],
)
def test_outcomes_that_are_rated_together_are_what_each_is_alone(player: str, games: str, more: dict[str, str]) -> None:
    """One section with a row per outcome: by either formula, with a floor, in a match, the rows leave each other be."""
    request = asked(player, games, **more)
    for way in outcomes(request).possibilities:
        left = way.score - sum(GAME_SCORES[one] for each in request.opponents for one in each.results if one)
        results = results_worth(left, request.games_to_come)
        filled = tuple(
            each._replace(results=tuple(one or next(results) for one in each.results)) for each in request.opponents
        )
        alone = estimate(request._replace(opponents=filled))
        assert (way.score, way.rating, way.bonus) == (alone.score, alone.rating, alone.bonus or 0.0)


def test_finished_games_can_all_be_varied() -> None:
    found = outcomes(asked("1512/4", "W1640 D1720:1700"))
    assert [each.score for each in found.possibilities] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert (found.played, found.to_come) == (0, 2)
    assert found.possibilities[3].rating == pytest.approx(
        estimate(asked("1512/4", "W1640 D1720:1700")).rating, abs=1e-9
    )


def test_outcomes_of_an_unrated_player_count_from_the_start() -> None:
    found = outcomes(asked("U", "T1300", adult="1"))
    assert found.before == 1300.0
    assert [each.rating for each in found.possibilities] == pytest.approx([900.0, 1300.0, 1700.0], abs=1e-6)


def test_too_many_outcomes_are_refused() -> None:
    with pytest.raises(UnratableSectionError, match="at most 40"):
        outcomes(asked("1500", ",".join(["T1500"] * (MOST_TO_COME + 1))))


def test_the_score_that_a_target_needs() -> None:
    """The least score whose published figure reaches the target."""
    found = outcomes(asked("1512/40", "W1640 D1720 T1600 T1800"))
    ratings = [each.official for each in found.possibilities]
    assert score_needed(found, ratings[2]) == found.possibilities[2]
    assert score_needed(found, ratings[2] + 1) == found.possibilities[3]
    assert score_needed(found, 100) == found.possibilities[0]
    assert score_needed(found, ratings[-1] + 1) is None


def test_the_next_game() -> None:
    """A win, a draw and a loss, each the whole event rated anew, against the estimate so far."""
    request = asked("1512/40", "W1640 D1720")
    found = next_game(request, read_game("?1800"))
    now = estimate(request).rating
    assert found.now == now
    for way, letter in ((found.win, "W"), (found.draw, "D"), (found.loss, "L")):
        wanted = estimate(asked("1512/40", f"W1640 D1720 {letter}1800"))
        assert way.rating == pytest.approx(wanted.rating, abs=1e-9)
        assert way.change == pytest.approx(wanted.rating - now, abs=1e-9)


def test_the_first_game_of_an_unrated_player() -> None:
    """§2.3, §4.1: an adult starts at 1300; the first game is measured from there."""
    request = asked("U", "T1300", adult="1")._replace(opponents=())
    found = next_game(request, Opponent(1300.0, ()))
    assert found.now == 1300.0
    assert [way.change for way in (found.win, found.draw, found.loss)] == pytest.approx([400.0, 0.0, -400.0], abs=1e-6)


def test_the_first_game_of_an_event() -> None:
    """§4.2 by hand: 2000 on 100 games against 1800: K = 800/(N' + 1), expected 0.759747."""
    request = asked("2000/100", "T1800")._replace(opponents=())
    found = next_game(request, Opponent(1800.0, ()))
    assert found.now == 2000.0
    one = estimate(asked("2000/100", "W1800"))
    assert one.k is not None
    assert [way.change for way in (found.win, found.draw, found.loss)] == pytest.approx(
        [one.k * (score - 0.7597469) for score in (1.0, 0.5, 0.0)], abs=1e-4
    )


def test_a_next_opponent_that_is_none_is_refused() -> None:
    with pytest.raises(UnratableSectionError) as caught:
        next_game(asked("1512/40", "W1640"), Opponent(99_999.0, ()))
    assert [(fault.code, fault.place) for fault in caught.value.faults] == [("bad-value", "game 2")]


# Norm chances


def test_norm_chances_find_every_norm_of_an_official_event() -> None:
    """Official facts §1: the printed norms of all 64 players of 2015, from post-event ratings of the opponents."""
    rated = rate_wallchart(CASE, Played(start=date(2015, 6, 1)))
    norms = 0
    for row in wallchart(CASE):
        cells = [cell for cell in row.cells if cell.result.is_game]
        if len(cells) < 4:
            assert row.norm is None
            continue
        opponents = tuple(
            Opponent(1500.0, (cell.result,), post_event=post_event(rated, cell.opponent)) for cell in cells
        )
        found = norm_chances(EstimateRequest(date(2015, 6, 1), opponents, 1500.0))
        reached = [chance.code for chance in found.chances if chance.from_rest == 0.0]
        assert (reached[-1] if reached else None) == row.norm
        norms += row.norm is not None
    assert norms == 33


def test_what_a_norm_needs() -> None:
    """By hand at 1800: C of 2200, 2000, 1800, 1700 is 0, 0.25, 0.5, 0.75, so 1.5; it takes more than 2.5, so 3."""
    found = norm_chances(asked("1700", "W2200 T2000 T1800 T1700"))
    chance = next(each for each in found.chances if each.level == 1800)
    assert (chance.code, chance.title, chance.expected, chance.needed, chance.from_rest) == (
        "1",
        "1st Category",
        1.5,
        3.0,
        2.0,
    )
    lost = norm_chances(asked("1700", "L2200 L2000 T1800 T1700"))
    out_of_reach = next(each for each in lost.chances if each.level == 1800)
    assert (out_of_reach.needed, out_of_reach.from_rest) == (3.0, None)
    highest = found.chances[-1]
    assert (highest.level, highest.needed, highest.from_rest) == (2400, None, None)
    assert norm_title("S") == "Senior Life Master"


@pytest.mark.parametrize(
    ("games", "fields", "words"),
    [
        ("W1500 W1500 W1500", {}, "at least 4 games"),
        ("WWW1500 W1500", {}, "more than twice"),
        ("WWWW1500", {"match": "1"}, "Matches"),
        ("W1500 W1500 W1500 W1500", {"control": "G/5;d0"}, "Regular"),
        ("W1500 W1500 W1500 W1500", {"control": "G/60;d5", "system": "OTBQ"}, "Regular"),
        ("W1500 W1500 W1500 WU", {}, "unrated"),
    ],
)
def test_why_there_is_no_norm(games: str, fields: dict[str, str], words: str) -> None:
    """Official facts §1: four games, nobody more than twice, Regular over the board, no matches."""
    found = norm_chances(asked("1500", games, **fields))
    assert found.chances == ()
    assert words in found.reason


def test_a_dual_section_gives_norms() -> None:
    """Official facts §1: dual counts."""
    found = norm_chances(asked("1500", "W1500 W1500 W1500 W1500", control="G/60;d5"))
    assert found.chances

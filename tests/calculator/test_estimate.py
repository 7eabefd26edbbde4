"""§1 to §5: estimates are the engine's own numbers; reference values, official results and the second engine agree."""

import random
import statistics
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from crosstable.calculator.estimate import Estimate, estimate, working
from crosstable.calculator.requests import EstimateRequest, Opponent, OpponentsAt
from crosstable.engine import RatedPlayer
from crosstable.errors import UnratableSectionError
from crosstable.terms import GAME_SCORES, FloorKind, Formula, RatingSystem, Result
from tests.calculator.requested import asked
from tests.engine.wallcharts import Played, Row, rate_wallchart, wallchart
from tests.event_files import event_file, player, record
from tests.second_engine import rate_section

CASES = Path(__file__).parents[1] / "cases"
CASE_2015 = (CASES / "official-2015-64-players.txt").read_text(encoding="utf-8")
CASE_2026 = (CASES / "official-2026-dual-section.txt").read_text(encoding="utf-8")
REGULAR = RatingSystem.OTBR
RESULTS = {1.0: Result.WIN, 0.5: Result.DRAW, 0.0: Result.LOSS}


@pytest.mark.parametrize(
    ("day", "rating"), [("2015-07-01", 1831.3377), ("2018-01-01", 1827.3377), ("2026-01-01", 1835.3377)]
)
def test_the_rules_of_the_day(day: str, rating: float) -> None:
    """Readings, Part 1: 1700 on 30 games, 4/4 against 1600, 1750, 1800, 1900, with B = 12, 14 and 10."""
    found = estimate(asked("1700/30", "W1600 W1750 W1800 W1900", date=day))
    assert found.k == pytest.approx(33.316971, abs=5.1e-7)
    assert found.expected == pytest.approx(1.668790, abs=5.1e-7)
    assert found.change == pytest.approx(77.668857, abs=5.1e-7)
    assert found.rating == pytest.approx(rating, abs=5.1e-5)


def test_what_an_estimate_says() -> None:
    """Readings, Part 1, the same player: N* at 1700 is 20.01178675, the bonus 77.668857 - 20."""
    found = estimate(asked("1700/30", "W1600 W1750 W1800 W1900"))
    assert found.effective_games == pytest.approx(20.01178675, abs=5.1e-9)
    assert found.bonus == pytest.approx(57.668857, abs=5.1e-7)
    assert (found.formula, found.score, found.played, found.games_after) == (Formula.STANDARD, 4.0, 4, 34.0)
    assert (found.official, found.class_before.title if found.class_before else "", found.class_after.title) == (
        1835,
        "Class B",
        "Class A",
    )
    assert found.gain == pytest.approx(135.3377, abs=5.1e-5)
    assert (found.edition, found.system, found.kind) == ("2025-01-01", REGULAR, OpponentsAt.BEFORE)
    assert sum(game.points for game in found.points) + (found.bonus or 0.0) == pytest.approx(found.gain, abs=1e-9)


@pytest.mark.parametrize(
    ("player_text", "games", "rating"),
    [
        ("1500/6", "W1400 L1550 D1650", 1511.111111),  # official special example
        ("1500/7", "W1600 W1200", 1566.666667),  # US Chess web estimator: 1611
        ("1500/6", "W900", 1500.0),  # averages lose 29
        ("1000/1", "D2000", 1400.0),  # bisection gives 1500
        ("554.22", "W499.22 W494.53 W142.69", 656.85),  # official, opponents as the first pass left them
    ],
)
def test_reference_values(player_text: str, games: str, rating: float) -> None:
    """§4.1, §4.2: readings Part 1, and cases in which other calculators err, computed independently."""
    precise = 5.1e-7 if rating != 656.85 else 0.01
    assert estimate(asked(player_text, games)).rating == pytest.approx(rating, abs=precise)


def rows_with_games(case: str) -> list[Row]:
    """Rows of a wallchart with at least one rated game."""
    return [row for row in wallchart(case) if any(cell.result.is_game for cell in row.cells)]


def from_row(rated: RatedPlayer, row: Row, system: RatingSystem, day: date, is_dual: bool) -> EstimateRequest:
    """What a player of a wallchart can ask, with opponents after the first pass where posts belong."""
    before = row.before[system]
    by_opponent: dict[int, list[int]] = {}
    for at, game in enumerate(rated.games):
        by_opponent.setdefault(game.opponent, []).append(at)
    opponents = tuple(
        Opponent(
            rating=rated.games[at[0]].prior,
            results=tuple(RESULTS[rated.games[one].score] for one in at),
            post_event=rated.games[at[0]].intermediate,
        )
        for at in by_opponent.values()
    )
    games = None if before.games is None else float(before.games)
    return EstimateRequest(day, opponents, before.rating, games, system=system, is_dual=is_dual)


@pytest.mark.parametrize(
    ("case", "system", "played"),
    [
        (CASE_2015, RatingSystem.OTBR, Played(start=date(2015, 6, 1))),
        (CASE_2026, RatingSystem.OTBR, Played(start=date(2026, 8, 30), control="G/25;d5")),
        (CASE_2026, RatingSystem.OTBQ, Played(start=date(2026, 8, 30), control="G/25;d5")),
    ],
)
def test_an_estimate_is_the_crosstable_once_the_first_pass_is_known(
    case: str, system: RatingSystem, played: Played
) -> None:
    """§1: Step 5 meets opponents at the results of Step 4; given those, one row alone gives the section's number."""
    section = rate_wallchart(case, played, system)
    by_number = {one.number: one for one in section.players}
    compared = 0
    for row in rows_with_games(case):
        rated = by_number[row.number]
        if system not in row.before:
            continue
        request = from_row(rated, row, system, played.start, is_dual=played.control == "G/25;d5")
        found = estimate(request)
        assert rated.after is not None
        assert found.rating == pytest.approx(rated.after.rating, abs=1e-9)
        assert (found.k or 0.0, found.bonus or 0.0) == pytest.approx((rated.final.k, rated.final.bonus), abs=1e-9)
        compared += 1
    assert compared >= 5


def test_one_pass_errs_as_measured_elsewhere() -> None:
    """Rules history §15, computed by another program: one pass has a median error of 5.6 and a largest of 29."""
    played = Played(start=date(2015, 6, 1))
    by_number = {one.number: one for one in rate_wallchart(CASE_2015, played).players}
    errors = []
    for row in rows_with_games(CASE_2015):
        request = from_row(by_number[row.number], row, REGULAR, played.start, is_dual=False)
        found = estimate(request._replace(opponents_at=OpponentsAt.BEFORE))
        errors.append(abs(found.rating - row.after[REGULAR].rating))
    assert statistics.median(errors) == pytest.approx(5.6, abs=0.15)
    assert max(errors) == pytest.approx(29.0, abs=0.5)


def second_opinion(request: EstimateRequest) -> dict[str, Any]:
    """The second engine on the same question: opponents who keep their rating, results on the player's row alone."""
    letters = {Result.WIN: "N", Result.DRAW: "R", Result.LOSS: "S"}
    cells = [
        f"{letters[result]}{at}"
        for at, opponent in enumerate(request.opponents, start=2)
        for result in opponent.results
        if result is not None
    ]
    assert request.rating is not None
    own = record(request.rating, None if request.games is None else int(request.games))
    rows = [player(1, " ".join(cells), ratings={"OTBR": own})]
    for at, opponent in enumerate(request.opponents, start=2):
        rows.append(player(at, "U", ratings={"OTBR": record(opponent.rating or 0.0, 50)}))
    day = request.section_date.isoformat()
    control = "G/60;d5" if request.is_dual else "G/90;d5"
    event = event_file(*rows, start_date=day, end_date=day, time_control=control)
    return dict(rate_section(event, event["sections"][0], "OTBR")[1])


def random_request(seed: int) -> EstimateRequest:
    """A random player in a random year, with one to seven opponents, some met twice."""
    chance = random.Random(seed)
    year = chance.choice((2014, 2016, 2019, 2022, 2024, 2026))
    digits = (0,) if year == 2014 else (0, 2)  # whole numbers were stored until September 2014
    opponents = tuple(
        Opponent(
            float(round(chance.uniform(100, 2600), chance.choice(digits))),
            tuple(chance.choices((Result.WIN, Result.DRAW, Result.LOSS), k=chance.choice((1, 1, 1, 2)))),
        )
        for _ in range(chance.randint(1, 7))
    )
    rating = float(round(chance.uniform(100, 2600), chance.choice(digits)))
    games = chance.choice((1, 3, 8, 9, 20, 26, 300))
    return EstimateRequest(
        section_date=date(year, chance.randint(1, 12), 15),
        opponents=opponents,
        rating=rating,
        games=float(games),
        record=(games // 3, 0, games // 3),
        events=0,
        peak=rating,
        is_dual=chance.random() < 0.3,
    )


@pytest.mark.parametrize("chunk", range(4))
def test_the_second_engine_agrees(chunk: int) -> None:
    """§3, §4.1, §4.2: 200 random requests against the independent engine of the tests, within 1e-9."""
    for seed in range(chunk * 50, chunk * 50 + 50):
        request = random_request(seed)
        found, wanted = estimate(request), second_opinion(request)
        assert found.rating == pytest.approx(wanted["post"], abs=1e-9), seed
        assert found.games_after == wanted["games_after"], seed
        assert found.formula.name.lower() == wanted["formula"], seed
        if found.k is not None:
            assert (found.k, found.expected, found.bonus) == pytest.approx(
                (wanted["k"], wanted["expected"], wanted["bonus"]), abs=1e-9
            ), seed


def test_opponents_rated_from_their_scores() -> None:
    """§1, Steps 4 and 5, by the second engine: one opponent scores 3 of 4, the other three games against 1578 each.

    The average of 1512 and 1600 is 1556, and 1578 is halfway to 1600; who stands there is untouched.
    """
    request = asked("1512/40", "L1600/50@3/4")
    event = event_file(
        player(1, "L2", ratings={"OTBR": record(1512.0, 40)}),
        player(2, "W1 N3 N4 S5", ratings={"OTBR": record(1600.0, 50)}),
        *(player(at, "U", ratings={"OTBR": record(1578.0, 50)}) for at in (3, 4, 5)),
        start_date=request.section_date.isoformat(),
        end_date=request.section_date.isoformat(),
        time_control="G/90;d5",
    )
    wanted = rate_section(event, event["sections"][0], "OTBR")[1]["post"]
    found = estimate(request)
    assert found.kind is OpponentsAt.SCORES
    assert found.rating == pytest.approx(wanted, abs=1e-9)
    assert [other.kind for other in found.others] == [OpponentsAt.BEFORE]
    given = estimate(request._replace(field_rating=1578.0))
    assert given.rating == pytest.approx(wanted, abs=1e-9)
    assert estimate(request._replace(field_rating=1800.0)).rating > found.rating


def test_the_best_known_kind_is_taken_and_can_be_overruled() -> None:
    """Opponents are met before, after (colon) or from their scores (at sign)."""
    plain, after, scored = asked("1512", "W1640"), asked("1512", "W1640:1620"), asked("1512", "W1640@2/4")
    assert [estimate(each).kind for each in (plain, after, scored)] == ["before", "after", "scores"]
    both = asked("1512", "W1640:1620@2/4")
    assert estimate(after).points[0].met_at == 1620.0
    overruled = estimate(after._replace(opponents_at=OpponentsAt.BEFORE))
    assert overruled.rating == estimate(plain).rating
    assert estimate(both).rating == estimate(after).rating
    assert {other.kind: other.rating for other in estimate(both).others} == {
        OpponentsAt.BEFORE: estimate(plain).rating,
        OpponentsAt.SCORES: estimate(scored).rating,
    }


def test_an_unrated_player_starts_by_age() -> None:
    """§2.3: 12 years are 600 points; an adult has 1300, nobody known 750."""
    for fields, start in (({"age": "12"}, 600.0), ({"adult": "yes"}, 1300.0), ({}, 750.0)):
        found = estimate(asked("U", "W900 L1000", **fields))
        assert found.start is not None
        assert found.start.initial.rating == pytest.approx(start, abs=0.5)
        assert (found.before, found.class_before, found.games_after) == (None, None, 2.0)


def test_an_unrated_player_starts_from_other_ratings() -> None:
    """§2.1: FIDE 1500 is 1277 on 5 games since 2024-03-01 (-1073 + 1.5667 × 1500 = 1277.05, rounded)."""
    found = estimate(asked("U", "D1277", fide="1500", adult="yes"))
    assert found.start is not None
    assert found.start.initial[-2:] == (1277.0, 5.0)
    assert found.games_after == 6.0
    other = estimate(asked("U", "D1300", other="OTBQ:1300/20", adult="yes"))
    assert other.start is not None
    assert other.start.initial[-2:] == (1300.0, 5.0)


def test_an_unrated_opponent_is_met_at_his_start() -> None:
    """§2.3: somebody of whom nothing is known stands at 750."""
    assert estimate(asked("1200/30", "WU")).points[0].met_at == 750.0


def test_a_floor_holds_the_rating() -> None:
    """§5: the highest rating of 1500 makes a floor of 1300; a floor known from elsewhere does so too."""
    found = estimate(asked("1310", "L900 L900 L900", peak="1500"))
    assert (found.rating, found.floor_kind, found.floor_level) == (1300.0, FloorKind.PEAK, 1300.0)
    assert found.computed < 1300.0
    told = estimate(asked("1310/20", "L900 L900 L900", floor="1305"))
    assert (told.rating, told.floor_kind) == (1305.0, FloorKind.OFFICE)


def test_a_match_has_no_bonus_and_moves_fifty_points_at_most() -> None:
    """§7: 50 points a match."""
    found = estimate(asked("1500", "WWWW1600", match="1"))
    assert (found.rating, found.bonus, found.limited_change) == (1550.0, 0.0, 50.0)


def test_all_wins_are_known_from_the_record() -> None:
    """§4.1: after nothing but wins R0 is taken 400 lower; 3 wins, then a win over 1600 and a loss to 1700.

    By hand: R0' = 1100, S' = 3 + 1; at M = 1650 both opponents give 1 together (0.5625 + 0.4375) and the past 3.
    """
    found = estimate(asked("1500/30", "W1600 L1700", record="30-0-0"))
    assert found.formula is Formula.SPECIAL
    few = estimate(asked("1500/3", "W1600 L1700", record="3-0-0"))
    assert few.rating == pytest.approx(1650.0, abs=1e-9)
    assert estimate(asked("1500/3", "W1600 L1700")).rating != few.rating


def test_the_control_says_the_system_and_the_smaller_k() -> None:
    """§1, §4.2: G/60;d5 is dual-rated, at 2300 with K = 600/(N' + m); G/5;d0 is Blitz; online 65 is not dual."""
    dual = estimate(asked("2300/200", "W2300", control="G/60;d5"))
    assert (dual.system, dual.systems, dual.is_dual) == (REGULAR, (REGULAR, RatingSystem.OTBQ), True)
    slow = estimate(asked("2300/200", "W2300", control="G/90;d5"))
    assert dual.k is not None
    assert slow.k is not None
    assert dual.k == pytest.approx(0.75 * slow.k, abs=1e-9)
    assert estimate(asked("2300/200", "W2300", dual="1")).k == dual.k
    quick = estimate(asked("2300/200", "W2300", control="G/60;d5", system="OTBQ"))
    assert (quick.system, quick.k) == (RatingSystem.OTBQ, slow.k)
    assert estimate(asked("1500", "W1500", control="G/5;d0")).system is RatingSystem.OTBB
    online = estimate(asked("1500", "W1500", control="G/60;d5", online="1"))
    assert (online.system, online.is_dual) == (RatingSystem.OLR, False)


def test_a_repeated_opponent_costs_the_bonus() -> None:
    """§4.2: nobody may be met three times; four different people with the same rating may."""
    once, thrice = estimate(asked("1500", "W1600 W1600 W1600 W1600")), estimate(asked("1500", "WWW1600 W1600"))
    assert once.bonus
    assert thrice.bonus == 0.0


def test_the_working_is_the_engine_s_own_explanation() -> None:
    """§1: every step as a line; the last number is the estimate's."""
    found: Estimate = estimate(asked("1700/30", "W1600 W1750 W1800 W1900"))
    values = {line.name: line.value for line in working(found)}
    assert values["rating"] == found.rating
    assert values["effective"] == found.effective_games
    assert sum(GAME_SCORES[Result.WIN] for _ in found.points) == values["score"]


def test_what_cannot_be_answered_is_refused_with_every_fault() -> None:
    """A request made by a program is checked like any other."""
    wrong = EstimateRequest(date(1999, 1, 1), (Opponent(float("nan"), (Result.WIN,)),), rating=float("inf"))
    with pytest.raises(UnratableSectionError) as caught:
        estimate(wrong)
    assert {(fault.code, fault.place) for fault in caught.value.faults} == {
        ("no-rules", "date"),
        ("bad-value", "rating"),
        ("bad-value", "game 1"),
    }
    with pytest.raises(UnratableSectionError, match="No game has a result"):
        estimate(asked("1500", "T1600"))


def test_a_start_whose_document_was_not_found_is_a_fault() -> None:
    """Readings 112: the FIDE conversion between July 2008 and May 2015 was not found above 2000."""
    with pytest.raises(UnratableSectionError) as caught:
        estimate(asked("U", "W1500", date="2012-01-15", fide="2100", adult="1"))
    assert [fault.code for fault in caught.value.faults] == ["rule-not-found"]

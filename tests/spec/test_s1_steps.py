"""§1 of the 2025 text: the five steps."""

import math
from datetime import date

import pytest

from crosstable.engine import RatedSection, rate
from crosstable.engine.after import blank_sheet
from crosstable.engine.records import known_games
from crosstable.errors import ConvergenceError
from crosstable.formulas.outcome import is_established
from crosstable.formulas.steps import Field, Sheet, five_steps, formula_for, past_of, section_k
from crosstable.rules.editions import edition_for
from crosstable.terms import (
    Background,
    Formula,
    KRule,
    OutsideRating,
    Past,
    PlayerRating,
    RatingSystem,
)
from tests.engine.wallcharts import Played, player, post_event, rate_wallchart, section_of, wallchart

CONSTANTS = edition_for(date(2026, 7, 4)).constants
ADULT = Background(adult=True)
FLOAT_NOISE = 1e-9

# Reference values printed with six decimals.
SIX_DECIMALS = 5.001e-7

# Readings, Part 1: a, b, c and an unrated adult d in a round robin, with the results of every step.
ROUND_ROBIN = """
    1 | W2 D3 W4 | R: 1850/120
    2 | L1 L4 L3 | R: 1700/30
    3 | L4 D1 W2 | R: 1500/12
    4 | W3 W2 L1 | R: Unrated
"""
STEP_3 = (1850.0, 1700.0, 1500.0, 1687.5)
STEP_4 = (1855.894126, 1645.268288, 1574.768392, 1816.666667)
STEP_5 = (1860.750324, 1654.787342, 1580.735741, 1825.310269)
NEW_GAMES = (123, 33, 15, 3)


def round_robin() -> RatedSection:
    """The reference round robin through the engine."""
    return rate_wallchart(ROUND_ROBIN, known={4: ADULT})


def round_robin_sheet() -> Sheet:
    """The reference round robin through the formulas alone, laid out as columns by hand."""
    field = Field(
        prior=[1850.0, 1700.0, 1500.0, 1300.0],
        games=[120.0, 30.0, 12.0, 0.0],
        past=[Past.MIXED] * 4,
        starts_at_zero=[False, False, False, True],
        score=[2.5, 0.0, 1.5, 2.0],
        earns_bonus=[True] * 4,
        first=[0, 3, 6, 9, 12],
        opponent=[1, 2, 3, 0, 3, 2, 3, 0, 1, 2, 1, 0],
    )
    sheet = blank_sheet(4, 12)
    assert five_steps(CONSTANTS, KRule.FULL, field, sheet)
    return sheet


def test_step_1_starts_an_adult_without_ratings_at_1300_on_no_games() -> None:
    """§1 Step 1, §2.3 (2025 text): d of the reference round robin."""
    newcomer = player(round_robin(), 4)
    assert (newcomer.prior, newcomer.games_before) == (1300.0, 0.0)
    assert newcomer.before is None


def test_step_2_takes_the_smaller_of_games_and_their_cap() -> None:
    """§1 Step 2, §3 (2025 text): equation (1) written out for a and b; c and d have fewer games than their caps."""
    of_a = 50 / math.sqrt(0.662 + 0.00000739 * (2569 - 1850) ** 2)
    of_b = 50 / math.sqrt(0.662 + 0.00000739 * (2569 - 1700) ** 2)
    expected = pytest.approx([of_a, of_b, 12.0, 0.0], abs=FLOAT_NOISE)
    assert list(round_robin_sheet().effective) == expected
    assert [p.effective for p in round_robin().players] == expected


def test_step_3_gives_the_reference_values() -> None:
    """§1 Step 3 (readings, Part 1): d is met at 1687.5, everybody else at their own rating."""
    assert list(round_robin_sheet().strength) == pytest.approx(STEP_3, abs=FLOAT_NOISE)
    assert [p.strength for p in round_robin().players] == pytest.approx(STEP_3, abs=FLOAT_NOISE)


def test_step_4_gives_the_reference_values() -> None:
    """§1 Step 4 (readings, Part 1)."""
    assert list(round_robin_sheet().intermediate.rating) == pytest.approx(STEP_4, abs=SIX_DECIMALS)
    assert [p.intermediate.rating for p in round_robin().players] == pytest.approx(STEP_4, abs=SIX_DECIMALS)


def test_step_5_gives_the_reference_values() -> None:
    """§1 Step 5 (readings, Part 1)."""
    assert list(round_robin_sheet().final.rating) == pytest.approx(STEP_5, abs=SIX_DECIMALS)
    rated = round_robin()
    assert [post_event(rated, number) for number in (1, 2, 3, 4)] == pytest.approx(STEP_5, abs=SIX_DECIMALS)


def test_every_count_grows_by_the_games_played() -> None:
    """§7 (readings, Part 1): new N 123, 33, 15, 3."""
    after = [p.after for p in round_robin().players]
    assert tuple(standing.games for standing in after if standing is not None) == NEW_GAMES


def test_a_first_estimate_serves_the_opponents_only() -> None:
    """§1 Step 3, readings 37: d is rated with N' = 0; by hand, 1816.67 is (1850+1700+1500+400)/3."""
    newcomer = player(round_robin(), 4)
    assert newcomer.effective == 0.0
    assert newcomer.intermediate.rating == pytest.approx((1850 + 1700 + 1500 + 400 * (2 * 2 - 3)) / 3, abs=FLOAT_NOISE)


def test_a_newcomer_with_credited_games_makes_no_first_estimate() -> None:
    """§1 Steps 3 and 4, readings 55: an unrated opponent with N > 0 is met at their rating of Step 1."""
    rated = rate_wallchart(
        """
        1 | W2 W3 | R: 1500/40
        2 | L1 D3 | R: Unrated
        3 | L1 D2 | R: 1200/5
        """,
        known={2: Background(fide=OutsideRating(2100.0))},
    )
    start = player(rated, 2)
    assert start.games_before == 10.0
    assert start.strength == start.prior == 20 + 1.02 * 2100
    met = [game.strength for game in player(rated, 1).games]
    assert met == [2162.0, 1200.0]


def test_newcomers_meet_each_other_at_their_starts() -> None:
    """§1 Step 3: unrated opponents stand at Step 1; by hand, 1300 with N' = 1 and a win over 1300 is 1500."""
    rated = rate_wallchart("1 | W2 | R: Unrated \n 2 | L1 | R: Unrated", known={1: ADULT, 2: ADULT})
    # 1 x PWe(R, 1300) + PWe(R, 1300) = 1.5 at R = 1500, and 0.5 at R = 1100.
    assert [p.strength for p in rated.players] == pytest.approx([1500.0, 1100.0], abs=FLOAT_NOISE)
    assert [game.strength for game in player(rated, 1).games] == pytest.approx([1100.0], abs=FLOAT_NOISE)


def test_a_provisional_opponent_is_met_at_their_pre_event_rating() -> None:
    """§1 Step 4, readings 55: three games or three hundred make no difference to the opponent."""
    rated = rate_wallchart("1 | W2 | R: 1500/40 \n 2 | L1 | R: 1432.5/3")
    assert player(rated, 1).games[0].strength == 1432.5


def test_step_5_meets_everybody_at_their_result_of_step_4() -> None:
    """§1 Step 5, readings 55."""
    rated = round_robin()
    for p in rated.players:
        assert [game.intermediate for game in p.games] == pytest.approx(
            [STEP_4[game.opponent - 1] for game in p.games], abs=SIX_DECIMALS
        )


def test_a_game_keeps_its_round_opponent_and_colour() -> None:
    """§1: what an explanation names; unplayed rounds keep their places."""
    rated = rate_wallchart("1 | W2w U D3b | R: 1500/40 \n 2 | L1b | R: 1500/40 \n 3 | U B D1w | R: 1500/40")
    games = player(rated, 1).games
    assert [(game.round_number, game.opponent, game.colour, game.score) for game in games] == [
        (1, 2, "w", 1.0),
        (3, 3, "b", 0.5),
    ]
    assert [game.prior for game in games] == [1500.0, 1500.0]
    assert [game.post_event for game in games] == [post_event(rated, 2), post_event(rated, 3)]


# Readings, Part 1: 1700 on 30 games scores 4 out of 4; K 33.316971, E 1.668790, change 77.668857, B = 10.
FOUR_WINS = """
    1 | W2 W3 W4 W5 {byes} | R: 1700/30
    2 | L1 | R: 1600
    3 | U L1 | R: 1750
    4 | U U L1 | R: 1800
    5 | U U U L1 | R: 1900
"""


def test_the_bonus_counts_in_the_intermediate_pass_too() -> None:
    """§1 Step 4, readings 43: the reference update 1835.3377 stands already in Step 4, its bonus 77.668857 - 20."""
    working = player(rate_wallchart(FOUR_WINS.format(byes="")), 1).intermediate
    assert working.bonus == pytest.approx(57.668857, abs=SIX_DECIMALS)
    assert working.rating == pytest.approx(1835.3377, abs=5.001e-5)


def test_effective_games_are_not_rounded() -> None:
    """§3, readings 44: 20.01178675 and not 20."""
    assert player(rate_wallchart(FOUR_WINS.format(byes="")), 1).effective == pytest.approx(20.01178675, abs=5.001e-9)


@pytest.mark.parametrize("byes", ["B", "H U", "X", "F3 Z", "X2 B H"])
def test_unplayed_rounds_change_nothing(byes: str) -> None:
    """§7, readings 44: m counts played games only, so K stays 33.316971."""
    winner = player(rate_wallchart(FOUR_WINS.format(byes=byes)), 1)
    assert winner.played == 4
    assert winner.intermediate.k == pytest.approx(33.316971, abs=SIX_DECIMALS)
    assert winner.after == player(rate_wallchart(FOUR_WINS.format(byes="")), 1).after


def test_there_are_exactly_two_passes() -> None:
    """§1, readings 44: the final rating is the standard formula of Step 5 by hand, and no further pass."""
    rated = rate_wallchart("1 | W2 | R: 1500 \n 2 | L1 | R: 1500")
    k = 800 / (50 / math.sqrt(0.662 + 0.00000739 * (2569 - 1500) ** 2) + 1)
    loser_after_step_4 = 1500 - k / 2
    expected = 1 / (1 + 10 ** (-(1500 - loser_after_step_4) / 400))
    assert post_event(rated, 1) == pytest.approx(1500 + k * (1 - expected), abs=FLOAT_NOISE)


def test_floors_do_not_reach_into_the_steps() -> None:
    """§1 Step 4, readings 45: only 100 acts there; a peak floor acts once, on the result of Step 5."""
    rated = rate_wallchart(
        "1 | L2 L2 L2 | R: Unrated \n 2 | W1 W1 W1 | R: 1200/40",
        known={1: Background({RatingSystem.OTBR: PlayerRating(1500.0, 99.0, peak=1700.0)})},
    )
    assert post_event(rated, 1) == 1500.0
    assert player(rated, 1).final.rating < 1500.0
    assert player(rated, 2).games[0].intermediate == player(rated, 1).intermediate.rating < 1500.0


def test_no_step_gives_less_than_100() -> None:
    """§1 Steps 3 to 5: by hand, Step 3 gives 33.33 (three losses to 300 from 750 with N' = 1), so 100."""
    rated = rate_wallchart(
        """
        1 | L2 L3 L4 L5 | R: 110/12
        2 | W1 | R: 100/40
        3 | U W1 | R: 100/40
        4 | U U W1 | R: 100/40
        5 | U U U W1 | R: 100/40
        """
    )
    loser = player(rated, 1)
    assert loser.intermediate.computed < 100.0
    assert (loser.intermediate.rating, loser.final.rating) == (100.0, 100.0)
    assert [game.intermediate for game in player(rated, 2).games] == [100.0]
    newcomer = player(
        rate_wallchart("1 | L2 L3 L4 | R: Unrated \n 2 | W1 | R: 300 \n 3 | U W1 | R: 300 \n 4 | U U W1 | R: 300"), 1
    )
    assert (newcomer.prior, newcomer.strength) == (750.0, 100.0)


def test_a_player_without_a_rated_game_is_untouched() -> None:
    """§7, readings 40: byes and forfeits rate nobody, and an unrated player stays unrated."""
    rated = rate_wallchart(
        """
        1 | X2 H  B  | R: 1500/30
        2 | F1 U  Z  | R: Unrated
        3 | W4 *  U  | R: 1400/30
        4 | L3 U  U  | R: 1400/30
        """,
        known={2: Background(fide=OutsideRating(1900.0))},
    )
    idle, unrated = player(rated, 1), player(rated, 2)
    assert idle.formula is unrated.formula is Formula.NONE
    assert idle.after == PlayerRating(1500.0, 30)
    assert unrated.after is None
    assert idle.assumed == unrated.assumed == ()
    assert (idle.played, idle.score, idle.most_meetings, idle.earns_bonus) == (0, 0.0, 0, False)


def test_nobody_who_does_not_play_needs_a_start() -> None:
    """§2, readings 40: a FIDE rating that could not be converted in 2010 stops nobody while its owner sits out."""
    rated = rate_wallchart(
        "1 | W2 | R: 1500/30 \n 2 | L1 | R: 1400/30 \n 3 | U | R: Unrated",
        Played(start=date(2010, 5, 1)),
        known={3: Background(fide=OutsideRating(2300.0))},
    )
    assert player(rated, 3).after is None


def test_a_game_on_one_row_alone_is_rated_on_that_row() -> None:
    """§7, readings 92: N and R count for their own rows; the other player is met, but not rated."""
    rated = rate_wallchart("1 | N2 | R: 1500/30 \n 2 | U | R: Unrated \n 3 | R1 | R: 1500/30")
    winner, met, drawer = rated.players
    assert met.after is None
    assert (met.strength, winner.games[0].strength, winner.games[0].post_event) == (750.0, 750.0, 750.0)
    assert (winner.score, drawer.score) == (1.0, 0.5)
    assert winner.after is not None
    assert winner.after.games == 31


def test_two_rows_of_one_member_are_rated_once() -> None:
    """§1, readings 104 and 106: one result on all games of both rows; repeats are counted by member."""
    rows = wallchart(
        """
        1 | W2 W3 | R: 1000/99
        2 | L1 U L4 | R: 2200/99
        3 | U L1 U L4 | R: 2200/99
        4 | U U W2 W3 | R: 1000/99
        """
    )
    section = section_of(rows, Played())
    again = section.entries[3]._replace(member_id=section.entries[0].member_id)
    section = section._replace(entries=(*section.entries[:3], again))
    rated = rate(section, RatingSystem.OTBR, edition_for(section.start))
    first, _, _, last = rated.players
    assert (first.merged_with, last.merged_with) == ((4,), (1,))
    assert first.after == last.after
    assert first.after is not None
    assert (first.played, first.score, first.after.games, first.most_meetings) == (4, 4.0, 103, 2)
    # Seen from the others: one opponent, met twice.
    assert player(rated, 2).most_meetings == 2


@pytest.mark.parametrize(("games", "established"), [(25.0, False), (25.5, True), (26.0, True), (None, True)])
def test_a_rating_on_more_than_25_games_is_established(games: float | None, established: bool) -> None:
    """§1 (2025 text): 25 is not, 26 is, nor is half a game of the half-K days lost; an unknown count is."""
    assert is_established(CONSTANTS, known_games(PlayerRating(1500.0, games))) is established


@pytest.mark.parametrize(
    ("games", "past", "formula"),
    [
        (0.0, Past.MIXED, Formula.SPECIAL),
        (8.0, Past.MIXED, Formula.SPECIAL),
        (9.0, Past.MIXED, Formula.STANDARD),
        (10.0, Past.MIXED, Formula.STANDARD),
        (300.0, Past.ALL_WINS, Formula.SPECIAL),
        (300.0, Past.ALL_LOSSES, Formula.SPECIAL),
    ],
)
def test_eight_games_or_a_past_of_one_kind_take_the_special_formula(games: float, past: Past, formula: Formula) -> None:
    """§1 Step 4 (2025 text), readings 39 and 54: judged on N, regardless of N where all were wins or losses."""
    assert formula_for(CONSTANTS, games, past) is formula


def test_the_standard_formula_is_used_even_where_effective_games_are_eight_or_fewer() -> None:
    """§1 Step 4 (2025 text): 150 on 300 games has N' below 8 and is rated by the standard formula."""
    low = player(rate_wallchart("1 | W2 | R: 150/300 \n 2 | L1 | R: 150/300"), 1)
    assert low.effective < 8.0
    assert low.formula is Formula.STANDARD


@pytest.mark.parametrize(
    ("games", "wins", "draws", "losses", "past"),
    [
        (0.0, 0.0, 0.0, 0.0, Past.MIXED),
        (1.0, 1.0, 0.0, 0.0, Past.ALL_WINS),
        (1.0, 0.0, 0.0, 1.0, Past.ALL_LOSSES),
        (5.0, 5.0, 0.0, 0.0, Past.ALL_WINS),
        (5.0, 5.0, math.nan, 0.0, Past.ALL_WINS),
        (5.0, 0.0, 0.0, 5.0, Past.ALL_LOSSES),
        (5.0, 4.0, 1.0, 0.0, Past.MIXED),
        (15.0, 5.0, 0.0, 0.0, Past.MIXED),
        (math.inf, 40.0, 0.0, 0.0, Past.MIXED),
        (2.0, 4.0, 0.0, 0.0, Past.ALL_WINS),
        (2.0, 0.0, 0.0, 4.0, Past.ALL_LOSSES),
        (3.0, 4.0, 2.0, 0.0, Past.MIXED),
        (3.0, 4.0, 0.0, 2.0, Past.MIXED),
    ],
    ids=[
        *("no games", "one win", "one loss", "all wins", "all wins, draws unknown", "all losses", "a draw"),
        *("credited games", "count unknown", "wins at half K", "losses at half K", "draws at half K", "mixed half K"),
    ],
)
def test_a_past_of_one_kind_needs_games_and_no_other_result(
    games: float, wins: float, draws: float, losses: float, past: Past
) -> None:
    """§4.1, readings 38, 39 and 93: no games are no wins; credited games are neither wins nor losses.

    2004 text: a half-K section counts half in N, so four wins in it are two games, all of them won.
    """
    assert past_of(games, wins, draws, losses) is past


def test_an_unrated_player_with_credited_games_is_rated_by_the_standard_formula() -> None:
    """§1 Step 4, readings 38: on 10 credited games they have won and lost nothing, so their past is mixed."""
    rated = rate_wallchart(
        "1 | W2 | R: Unrated \n 2 | L1 | R: 1800/50", known={1: Background(fide=OutsideRating(2100.0))}
    )
    assert (player(rated, 1).games_before, player(rated, 1).formula) == (10.0, Formula.STANDARD)


def test_a_record_of_wins_alone_is_rated_by_the_special_formula() -> None:
    """§1 Step 4, readings 39: 30 wins in 30 games; without the counts a mixed past is assumed."""
    chart = "1 | W2 | R: 1500/30 \n 2 | L1 | R: 1500/50"
    winner = Background({RatingSystem.OTBR: PlayerRating(1500.0, 30.0, wins=30, draws=0, losses=0, events=8)})
    assert player(rate_wallchart(chart, known={1: winner}), 1).formula is Formula.SPECIAL
    assert player(rate_wallchart(chart), 1).formula is Formula.STANDARD
    for half_known in (PlayerRating(1500.0, 30.0, wins=30), PlayerRating(1500.0, 30.0, losses=30)):
        rated = rate_wallchart(chart, known={1: Background({RatingSystem.OTBR: half_known})})
        assert player(rated, 1).formula is Formula.STANDARD


@pytest.mark.parametrize(("rule", "numerator"), [(KRule.FULL, 800.0), (KRule.HALF, 400.0), (KRule.DUAL, 400.0)])
def test_the_kind_of_section_picks_k(rule: KRule, numerator: float) -> None:
    """§4.2: at 2400 with N' = 50 and four games, 800/54, half K 400/52, and the smaller K of dual sections 400/54."""
    games = 52.0 if rule is KRule.HALF else 54.0
    assert section_k(CONSTANTS, rule, 2400.0, 50.0, 4.0) == pytest.approx(numerator / games, abs=FLOAT_NOISE)


def test_a_rating_that_cannot_be_found_is_an_error_with_the_field_to_replay() -> None:
    """§4.1: no number solves f(R) = 0 for a rating that is no number; the error says which section and which field."""
    broken = Background({RatingSystem.OTBR: PlayerRating(math.nan, 3.0)})
    with pytest.raises(ConvergenceError, match=r"section 1, OTBR, edition 2025-01-01: .*prior=\[nan, 1500"):
        rate_wallchart("1 | W2 | R: Unrated \n 2 | L1 | R: 1500/50", known={1: broken})

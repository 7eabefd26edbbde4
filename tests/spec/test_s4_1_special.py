"""§4.1 of the 2025 text: the special rating formula."""

import math
import random
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.formulas.special import (
    Piece,
    adjusted_prior,
    adjusted_score,
    is_anchored,
    nearest_to_prior,
    only_zero,
    piece_at,
    provisional_expectancy,
    special_rating,
    surplus,
    toward_zero,
    walk,
)
from crosstable.rules.editions import edition_for
from crosstable.terms import Background, Past, PlayerRating, RatingSystem
from tests.amounts import amount
from tests.engine.wallcharts import player, post_event, rate_wallchart
from tests.second_engine import special_rating_exact

CONSTANTS = edition_for(date(2026, 7, 4)).constants
SPREAD = 400.0
# The walk ends where |f| <= 1e-7 (ε of the text); in practice it ends within the noise of doubles.
FLOAT_NOISE = 1e-9
MIXED, WINS, LOSSES = Past.MIXED, Past.ALL_WINS, Past.ALL_LOSSES
NAMES = {MIXED: "mixed", WINS: "wins", LOSSES: "losses"}


class Case(NamedTuple):
    """What the special formula is asked: R0, N', the past, S and the opponents."""

    prior: float
    effective: float
    past: Past
    score: float
    opponents: tuple[float, ...]


def found(case: Case) -> float:
    """What the formula answers; the walk must have ended."""
    answer = special_rating(CONSTANTS, case.prior, case.effective, case.past, case.score, case.opponents)
    assert answer.converged
    return answer.rating


def exact(case: Case) -> float:
    """What exact arithmetic answers, by the zero set of f and not by a walk."""
    return float(
        special_rating_exact(
            Fraction(case.prior),
            Fraction(case.effective),
            NAMES[case.past],
            Fraction(case.score),
            [Fraction(opponent) for opponent in case.opponents],
        )
    )


# Worked examples


def test_the_official_example_of_the_approximating_sheet() -> None:
    """§4.1, rules history §14: 1500 on 6 games, 1400 won, 1550 lost, 1650 drawn: 13600/9 = 1511.11."""
    case = Case(1500.0, 6.0, MIXED, 1.5, (1400.0, 1550.0, 1650.0))
    assert found(case) == pytest.approx(1511.111111, abs=5.001e-7)
    assert found(case) == pytest.approx(13600 / 9, abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("rating", "expectancy"),
    [
        (1000.0, 0.0),
        (1100.0, 0.0),
        (1101.0, 0.00125),
        (1300.0, 0.25),
        (1500.0, 0.5),
        (1700.0, 0.75),
        (1900.0, 1.0),
        (2400.0, 1.0),
    ],
)
def test_provisional_expectancy_is_linear_within_400_points(rating: float, expectancy: float) -> None:
    """§4.1 (2025 text): PWe against 1500."""
    assert provisional_expectancy(rating, 1500.0, SPREAD) == pytest.approx(expectancy, abs=FLOAT_NOISE)


@pytest.mark.parametrize(("past", "prior", "score"), [(MIXED, 1500.0, 5.0), (WINS, 1100.0, 8.0), (LOSSES, 1900.0, 2.0)])
def test_a_past_of_one_kind_shifts_the_prior_and_the_score(past: Past, prior: float, score: float) -> None:
    """§4.1 (2025 text): R0' and S' for R0 = 1500, N' = 6, S = 2."""
    assert adjusted_prior(CONSTANTS, 1500.0, past) == prior
    assert adjusted_score(2.0, 6.0, past) == score


def test_the_objective_of_the_text_is_zero_at_the_official_example() -> None:
    """§4.1: f is 0 at 13600/9, below it negative, above it positive."""
    opponents = (1400.0, 1550.0, 1650.0)
    assert surplus(13600 / 9, 1500.0, 6.0, 4.5, opponents, SPREAD) == pytest.approx(0.0, abs=FLOAT_NOISE)
    assert (
        surplus(1500.0, 1500.0, 6.0, 4.5, opponents, SPREAD) < 0.0 < surplus(1520.0, 1500.0, 6.0, 4.5, opponents, 400)
    )


def test_all_wins_before_and_now_stand_400_above_the_best_opponent() -> None:
    """§4.1, readings 39: R0' = 1100 and S' = N' + 2; by hand 4(0.5 + (R - 1100)/800) is full at 1500 already."""
    assert found(Case(1500.0, 4.0, WINS, 2.0, (1500.0, 1700.0))) == 2100.0
    # A loss after four wins: 4 PWe(R, 1100) + PWe(R, 1500) = 4, so 5R - 5900 = 1200 and R = 1420.
    assert found(Case(1500.0, 4.0, WINS, 0.0, (1500.0,))) == pytest.approx(1420.0, abs=FLOAT_NOISE)
    # A draw: 5R - 5900 = 1600 and R = 1500.
    assert found(Case(1500.0, 4.0, WINS, 0.5, (1500.0,))) == pytest.approx(1500.0, abs=FLOAT_NOISE)


def test_all_losses_before_and_now_stand_400_below_the_weakest_opponent() -> None:
    """§4.1, readings 39: the mirror image of all wins."""
    assert found(Case(900.0, 4.0, LOSSES, 0.0, (700.0, 900.0))) == 300.0
    # A win after four losses: 4 PWe(R, 1300) + PWe(R, 900) = 1, so 5R - 6100 = -1200 and R = 980.
    assert found(Case(900.0, 4.0, LOSSES, 1.0, (900.0,))) == pytest.approx(980.0, abs=FLOAT_NOISE)


def test_a_record_of_wins_in_a_section() -> None:
    """§4.1, readings 39: through the engine, 1500 on three wins who wins again stands 400 above their opponent."""
    winner = Background({RatingSystem.OTBR: PlayerRating(1500.0, 3.0, wins=3, draws=0, losses=0, events=1)})
    rated = rate_wallchart("1 | W2 | R: Unrated \n 2 | L1 | R: 1500/50", known={1: winner})
    assert post_event(rated, 1) == pytest.approx(player(rated, 2).intermediate.rating + 400, abs=FLOAT_NOISE)


# Flat stretches


def test_beating_only_much_weaker_players_changes_nothing() -> None:
    """§4.1, readings 46: 1300, N' = 0, four wins over 500: 1300 from R0', 900 from the weighted mean."""
    assert found(Case(1300.0, 0.0, MIXED, 4.0, (500.0,) * 4)) == 1300.0


def test_an_adult_beating_only_900s_stays_1300() -> None:
    """§4.1, readings 49: the club note of the time."""
    assert found(Case(1300.0, 0.0, MIXED, 3.0, (900.0, 900.0, 900.0))) == 1300.0


@pytest.mark.parametrize(
    ("prior", "opponents", "rating"),
    [
        (1300.0, (1500.0, 1200.0), 1900.0),
        (1300.0, (900.0, 500.0), 1300.0),
        (1300.0, (901.0, 500.0), 1301.0),
        (750.0, (1000.0,), 1400.0),
    ],
)
def test_wins_without_earlier_games_give_the_best_opponent_and_400(
    prior: float, opponents: tuple[float, ...], rating: float
) -> None:
    """§4.1, readings 49: max(R0, best opponent + 400)."""
    assert found(Case(prior, 0.0, MIXED, float(len(opponents)), opponents)) == rating


@pytest.mark.parametrize(
    ("prior", "opponents", "rating"),
    [
        (1300.0, (1500.0, 1200.0), 800.0),
        (1300.0, (1700.0, 2500.0), 1300.0),
        (1300.0, (1699.0, 2500.0), 1299.0),
        (750.0, (300.0,), -100.0),
    ],
)
def test_losses_without_earlier_games_give_the_weakest_opponent_less_400(
    prior: float, opponents: tuple[float, ...], rating: float
) -> None:
    """§4.1, readings 49: min(R0, weakest opponent - 400); the 100 belongs to the steps, not to the formula."""
    assert found(Case(prior, 0.0, MIXED, 0.0, opponents)) == rating


def test_a_zero_stretch_keeps_the_point_nearest_to_the_prior() -> None:
    """§4.1, readings 49: one win and one loss, 500 and 2000: f is 0 from 900 to 1600."""
    for prior, rating in ((700.0, 900.0), (1000.0, 1000.0), (1600.0, 1600.0), (1900.0, 1600.0)):
        assert found(Case(prior, 0.0, MIXED, 1.0, (500.0, 2000.0))) == rating


def test_a_knot_missed_by_a_rounding_error_still_counts() -> None:
    """§4.1, readings 47: R0 228.8, N' 0, opponents 745.4 and 1916, score 1: right 1145.4, naive 628.8."""
    assert found(Case(228.8, 0.0, MIXED, 1.0, (745.4, 1916.0))) == pytest.approx(1145.4, abs=FLOAT_NOISE)


def test_the_trap_is_real() -> None:
    """§4.1, readings 47: in doubles (745.4 + 400) - 745.4 exceeds 400, so the count p needs its slack."""
    knot = 745.4 + 400.0
    assert abs(knot - 745.4) > 400.0
    assert is_anchored(knot, 228.8, (745.4, 1916.0), SPREAD)


def test_nobody_within_400_points_is_no_anchor() -> None:
    """§4.1, step 4: p counts the opponents and R0' within 400 points of M."""
    assert not is_anchored(1500.0, 1000.0, (1000.0, 2000.0), SPREAD)
    assert is_anchored(1500.0, 1100.0, (1000.0, 2000.0), SPREAD)
    assert is_anchored(1500.0, 1000.0, (1000.0, 1900.0), SPREAD)


# The parts of the walk


def test_knots_lie_400_points_on_both_sides() -> None:
    """§4.1 (2025 text): S_z of a prior 1000 and opponents 1500 and 2300 is 600, 1100, 1400, 1900, 1900, 2700."""
    opponents = (1500.0, 2300.0)

    def piece(guess: float) -> Piece:
        return piece_at(guess, 1000.0, 4.0, 0.0, opponents, SPREAD)

    below = [piece(guess).below for guess in (600.0, 601.0, 1250.0, 1900.0, 3000.0)]
    assert below == [-math.inf, 600.0, 1100.0, 1400.0, 2700.0]
    above = [piece(guess).above for guess in (0.0, 600.0, 1250.0, 1900.0, 2700.0)]
    assert above == [600.0, 1100.0, 1400.0, 2700.0, math.inf]


@pytest.mark.parametrize(
    ("guess", "below", "above"),
    [(599.0, 0, 0), (600.0, 0, 4), (1000.0, 4, 4), (1100.0, 4, 5), (1400.0, 5, 1), (1900.0, 1, 1), (2700.0, 1, 0)],
)
def test_f_slopes_by_one_over_800_for_everybody_within_400_points(guess: float, below: int, above: int) -> None:
    """§4.1 (2025 text): PWe is linear within 400 points; N' = 4 at 1000, opponents 1500 and 2300."""
    piece = piece_at(guess, 1000.0, 4.0, 0.0, (1500.0, 2300.0), SPREAD)
    assert (piece.slope_below, piece.slope_above) == (below / 800, above / 800)


@pytest.mark.parametrize(
    ("piece", "moved"),
    [
        (Piece(1.0, 1100.0, 1900.0, 0.0, 0.0), 1100.0),
        (Piece(1.0, -math.inf, 1900.0, 0.0, 0.0), -math.inf),
        (Piece(1.0, 1100.0, 1900.0, 0.5 / 400, 0.0), 1100.0),
        (Piece(1.0, 1100.0, 1900.0, 2.0 / 400, 0.0), 1300.0),
        (Piece(-1.0, 1100.0, 1900.0, 0.0, 0.0), 1900.0),
        (Piece(-1.0, 1100.0, math.inf, 0.0, 0.0), math.inf),
        (Piece(-1.0, 1100.0, 1900.0, 0.0, 0.5 / 400), 1900.0),
        (Piece(-1.0, 1100.0, 1900.0, 0.0, 2.0 / 400), 1700.0),
    ],
    ids=[
        *("flat down", "no knot down", "past the knot down", "zero down"),
        *("flat up", "no knot up", "past the knot up", "zero up"),
    ],
)
def test_a_move_goes_to_the_zero_or_to_the_knot_before_it(piece: Piece, moved: float) -> None:
    """§4.1, steps 2b and 3b: M* = M - f(M)(M - z)/(f(M) - f(z)), held at z; straight to z where f is flat.

    (f(M) - f(z))/(M - z) is the slope of the piece; M is 1500.
    """
    assert toward_zero(1500.0, piece) == moved


@pytest.mark.parametrize(("prior", "rating"), [(1000.0, 1100.0), (1200.0, 1200.0), (1300.0, 1300.0), (1500.0, 1300.0)])
def test_with_nobody_near_the_prior_is_held_between_the_knots(prior: float, rating: float) -> None:
    """§4.1, step 4b, readings 48: between z_a = 1100 and z_b = 1300, R0 itself or the nearer knot."""
    assert nearest_to_prior(1250.0, prior, 2500.0, (700.0, 1700.0), SPREAD) == rating


def test_step_4b_acts_where_doubles_cannot_hold_400_points() -> None:
    """§4.1, step 4b, readings 48: unreachable for ratings; at 2^57 doubles are 32 apart, and a knot is 416 away."""
    huge = 2.0**57
    opponent = huge + 96.0
    assert opponent + 400.0 - opponent == 416.0
    # M stops at the knot opponent + 400 = huge + 512, with nobody within 400; z_a is R0 + 400, which is huge + 384.
    answer = special_rating(CONSTANTS, huge, 0.0, MIXED, 1.0, (opponent,))
    assert answer.converged
    assert answer.uncapped == huge + 384.0
    assert answer.rating == 2700.0


# The cap


@pytest.mark.parametrize(
    ("case", "rating"),
    [
        (Case(1300.0, 0.0, MIXED, 3.0, (2299.0,) * 3), 2699.0),
        (Case(1300.0, 0.0, MIXED, 3.0, (2300.0,) * 3), 2700.0),
        (Case(1300.0, 0.0, MIXED, 3.0, (2400.0,) * 3), 2700.0),
        (Case(2750.0, 20.0, WINS, 1.0, (2000.0,)), 2700.0),
    ],
)
def test_a_special_rating_is_at_most_2700(case: Case, rating: float) -> None:
    """§4.1 (2025 text), readings 52: also for a player already above 2700 with nothing but wins."""
    assert found(case) == rating


# Laws

RATINGS = st.one_of(
    st.integers(1, 28).map(lambda hundreds: 100.0 * hundreds),
    st.integers(100, 2800).map(float),
    st.floats(100.0, 2800.0).map(lambda rating: round(rating, 2)),
)
EFFECTIVE = st.one_of(st.just(0.0), st.integers(1, 8).map(float), st.floats(0.5, 50.0))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A question the special formula can be asked; no past of one kind without games (readings 51)."""
    effective = draw(EFFECTIVE)
    past = draw(st.sampled_from(Past)) if effective > 0.0 else MIXED
    opponents = tuple(draw(st.lists(RATINGS, min_size=1, max_size=8)))
    score = draw(st.integers(0, 2 * len(opponents))) / 2.0
    return Case(draw(RATINGS), effective, past, score, opponents)


@given(cases(), st.sampled_from([0.5, 1.0]))
def test_a_better_result_never_lowers_a_rating(case: Case, more: float) -> None:
    """§4.1: turning a loss into a draw or a win raises S and nothing else."""
    better = min(case.score + more, float(len(case.opponents)))
    assert found(case._replace(score=better)) >= found(case) - FLOAT_NOISE


@given(cases(), RATINGS)
def test_another_win_never_lowers_and_another_loss_never_raises_a_rating(case: Case, opponent: float) -> None:
    """§4.1 (2025 text): "a rating does not decrease from wins or increase from losses"."""
    longer = case._replace(opponents=(*case.opponents, opponent))
    assert found(longer._replace(score=case.score + 1.0)) >= found(case) - FLOAT_NOISE
    assert found(longer) <= found(case) + FLOAT_NOISE


@given(cases())
def test_nothing_but_wins_never_ends_below_the_start_nor_losses_above(case: Case) -> None:
    """§4.1 (2025 text): the same promise over a whole section, up to the cap at 2700 (readings 52)."""
    won = case._replace(score=float(len(case.opponents)), past=MIXED if case.past is LOSSES else case.past)
    assert found(won) >= min(case.prior, 2700.0) - FLOAT_NOISE
    lost = case._replace(score=0.0, past=MIXED if case.past is WINS else case.past)
    assert found(lost) <= case.prior + FLOAT_NOISE


@given(cases())
def test_the_result_solves_the_equation(case: Case) -> None:
    """§4.1 (2025 text), readings 50: f(R) = 0 within ε = 1e-7 at the uncapped result."""
    answer = special_rating(CONSTANTS, case.prior, case.effective, case.past, case.score, case.opponents)
    at_answer = surplus(
        answer.uncapped, answer.adjusted_prior, case.effective, answer.adjusted_score, case.opponents, SPREAD
    )
    assert abs(at_answer) <= 1e-7


@given(cases())
def test_the_order_of_opponents_does_not_matter(case: Case) -> None:
    """§4.1: f is a sum."""
    assert found(case._replace(opponents=case.opponents[::-1])) == pytest.approx(found(case), abs=FLOAT_NOISE)


# The second engine


def random_cases(seed: int, count: int, step: float) -> Iterator[Case]:
    """Seeded questions with ratings on a grid: the coarser the grid, the more knots coincide."""
    rng = random.Random(seed)

    def rating() -> float:
        return round(rng.randint(round(100 / step), round(2800 / step)) * step, 2)

    for _ in range(count):
        effective = rng.choice((0.0, 0.0, 1.0, float(rng.randint(1, 8)), rng.uniform(0.5, 50.0)))
        past = rng.choice(list(Past)) if effective > 0.0 else MIXED
        opponents = tuple(rating() for _ in range(rng.randint(1, 9)))
        yield Case(rating(), effective, past, rng.randint(0, 2 * len(opponents)) / 2.0, opponents)


@pytest.mark.parametrize("step", [0.01, 0.1, 1.0, 25.0, 100.0, 400.0])
def test_the_walk_agrees_with_exact_arithmetic(step: float) -> None:
    """§4.1, readings 46 to 49: random questions on each grid, the zero nearest to R0' in fractions and in doubles."""
    for case in random_cases(41, amount(400, 15_000), step):
        assert found(case) == pytest.approx(exact(case), abs=FLOAT_NOISE), case


@given(cases())
def test_the_zero_that_is_found_at_once_is_where_the_walk_ends(case: Case) -> None:
    """§4.1: f rises through it, so there is no other; whatever is near a knot or R0' is left to the walk."""
    start = adjusted_prior(CONSTANTS, case.prior, case.past)
    target = adjusted_score(case.score, case.effective, case.past)
    at_once = only_zero(start, case.effective, target, case.opponents, SPREAD)
    walked = walk(case.prior, start, case.effective, target, case.opponents, SPREAD)
    assert walked.converged
    assert math.isnan(at_once) or at_once == pytest.approx(walked.rating, abs=FLOAT_NOISE)


@pytest.mark.parametrize(
    ("start", "effective", "target", "opponents"),
    [
        pytest.param(1500.0, 4.0, 5.0, (1500.0,), id="everything won: f is zero from 1900 on"),
        pytest.param(1500.0, 0.0, 1.0, (1000.0, 2000.0), id="no slope between 1400 and 1600"),
        pytest.param(1500.0, 1.0, 1.0, (1500.0,), id="the zero is R0' itself"),
        pytest.param(1500.0, 0.0, 0.0, (), id="nobody was met and nothing is known"),
    ],
)
def test_where_f_is_flat_or_the_walk_would_not_move_nothing_is_found_at_once(
    start: float, effective: float, target: float, opponents: tuple[float, ...]
) -> None:
    """§4.1: of many zeros the nearest to R0' counts (readings 49), which only the walk knows."""
    assert math.isnan(only_zero(start, effective, target, opponents, SPREAD))

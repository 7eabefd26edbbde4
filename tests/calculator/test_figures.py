"""§4.1: performance ratings, badges and classes, and every worked example of the old calculator page.

Of an example, what the page printed and the corrected value (readings, Part 1).
"""

from statistics import NormalDist

import pytest

from crosstable.calculator.figures import (
    BADGES,
    CLASSES,
    FIDE_DP,
    algorithm_of_400,
    badge,
    fide_difference,
    fide_performance,
    linear_performance,
    logarithmic_performance,
    old_page,
    page_bonus,
    page_class,
    page_k,
    performance_ratings,
    rating_class,
    special_performance,
)
from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.rules.editions import EDITIONS

CONSTANTS = EDITIONS[-1].constants


def test_fide_s_table_is_a_normal_curve_but_for_its_end() -> None:
    """FIDE Regulations 8.1.1 follow a normal distribution with deviation 2000/7, recomputed here; dp ends at 800."""
    assert len(FIDE_DP) == 51
    curve = NormalDist(0.0, 2000.0 / 7.0)
    for per_cent, printed in list(enumerate(FIDE_DP, start=50))[:48]:
        assert printed == pytest.approx(curve.inv_cdf(per_cent / 100.0), abs=1.2)
    assert FIDE_DP[-3:] == (589, 677, 800)


def test_fide_s_table_is_read_on_both_sides_of_one_half() -> None:
    """75 per cent is 193 (readings 114), 25 the same downwards; 2.5 of 4 is 62.5, which rounds up to 63: 95."""
    assert [fide_difference(score, 4) for score in (4.0, 3.0, 2.5, 2.0, 1.0, 0.0)] == [800, 193, 95, 0, -193, -800]


def test_a_full_score_and_none_have_a_limit() -> None:
    """Readings 88: the logarithm has no value there, 800 is used; the special formula ends 400 beyond the last one."""
    full = performance_ratings(CONSTANTS, [1500.0, 1700.0], [1.0, 1.0])
    assert (full.logarithmic, full.fide_table, full.special, full.is_limit) == (2400.0, 2400, 2100.0, True)
    none = performance_ratings(CONSTANTS, [1500.0, 1700.0], [0.0, 0.0])
    assert (none.logarithmic, none.fide_table, none.special, none.is_limit) == (800.0, 800, 1100.0, True)


def test_the_special_performance_weighs_each_opponent() -> None:
    """§4.1 by hand: 1 of 2 against 2000 and 1000 fits all of 1400 to 1600, where the average of the two, 1500, lies."""
    assert special_performance(CONSTANTS, [2000.0, 1000.0], 1.0) == pytest.approx(1500.0, abs=1e-6)
    # One and a half of two: 1 from the weak one, one half from the strong one, so exactly the strong one's rating.
    assert special_performance(CONSTANTS, [2000.0, 1000.0], 1.5) == pytest.approx(2000.0, abs=1e-6)


def test_the_special_performance_is_not_cut_at_2700() -> None:
    """§4.1 caps a rating at 2700; a performance is no rating. 1.5 of 2 against 2700 and 2900: 2800 + 200 by hand."""
    assert special_performance(CONSTANTS, [2700.0, 2900.0], 1.5) == pytest.approx(3000.0, abs=1e-6)


def test_the_five_badges_have_symbols_and_words() -> None:
    """The page's names; its symbols are damaged in the file (UTF-8 read as Mac Roman) and are put right here."""
    damaged = ["\uf8ffüèÜ", "\uf8ffüìà", "\u201aöñÔ∏è", "\uf8ffüìâ", "\u201aö†Ô∏è"]
    assert [each.symbol for each in BADGES] == [text.encode("mac_roman").decode("utf-8") for text in damaged]
    assert [each.name for each in BADGES] == [
        "Outstanding Performance",
        "Strong Showing",
        "Consistent Player",
        "Room for Improvement",
        "Needs Work",
    ]
    assert [each.colour for each in BADGES] == ["green", "blue", "gray", "orange", "red"]
    assert all(each.words.endswith(".") for each in BADGES)


@pytest.mark.parametrize(
    ("rating", "title"),
    [
        (2400.0, "Senior Master"),
        (2399.49, "National Master"),
        (2399.5, "Senior Master"),
        (2200.0, "National Master"),
        (2199.0, "Expert"),
        (1999.0, "Class A"),
        (1799.0, "Class B"),
        (1599.0, "Class C"),
        (1399.0, "Class D"),
        (1199.0, "Class E"),
        (999.0, "Class F"),
        (799.0, "Class G"),
        (599.0, "Class H"),
        (399.0, "Class I"),
        (199.0, "Class J"),
        (100.0, "Class J"),
    ],
)
def test_the_classes_go_from_senior_master_to_j(rating: float, title: str) -> None:
    """Official facts §2, from the rounded rating."""
    assert rating_class(rating).title == title


def test_the_page_s_classes_end_with_f() -> None:
    """The page: Class F is everything below 1000; from there up the lists agree."""
    assert [page_class(rating).title for rating in (999.0, 450.0, 100.0)] == ["Class F"] * 3
    assert all(page_class(each.lowest) == each for each in CLASSES if each.lowest >= 1000)


# Readings, Part 1 gives six decimals.
SIX_DECIMALS = 5.1e-7


def test_a_2000_against_an_1800() -> None:
    """The page printed 0.76 and 3.84, -4.16, -12.16, which is right as rounded."""
    expected = winning_expectancy(odds(2000.0), odds(1800.0))
    assert expected == pytest.approx(0.759747, abs=SIX_DECIMALS)
    changes = [old_page(2000.0, 50.0, [1800.0], [score]).change for score in (1.0, 0.5, 0.0)]
    assert changes == pytest.approx([3.844049, -4.155951, -12.155951], abs=SIX_DECIMALS)


def test_the_expected_scores_of_the_tournament_example() -> None:
    """The page printed 0.36, 0.40, 0.53 and 0.57; the last three are wrong."""
    own = odds(1500.0)
    found = [winning_expectancy(own, odds(opponent)) for opponent in (1600.0, 1550.0, 1450.0, 1400.0)]
    assert found == pytest.approx([0.359935, 0.428537, 0.571463, 0.640065], abs=SIX_DECIMALS)


def test_the_change_of_the_tournament_example() -> None:
    """The page printed 15.36; with its own K of 24 it is 24 × (2.5 - 2) = 12."""
    found = old_page(1500.0, 15.0, [1600.0, 1550.0, 1450.0, 1400.0], [1.0, 0.5, 1.0, 0.0])
    assert found.k == 24.0
    assert found.change == pytest.approx(12.0, abs=1e-9)


@pytest.mark.parametrize(
    ("games", "k"), [(0, 32.0), (5, 32.0), (7, 32.0), (8, 24.0), (15, 24.0), (19, 24.0), (20, 16.0), (50, 16.0)]
)
def test_the_page_s_own_k(games: int, k: float) -> None:
    """Readings 59, the page: 32 below 8 games, 24 for 8 to 19, then 16; its examples have 5, 15 and 50 games."""
    assert page_k(games) == k


def test_the_page_s_own_bonus() -> None:
    """The page printed 94 for a 1200 on 5 games who performs at 1400, and none for a 2000 on 30; no rule says so."""
    assert page_bonus(1200.0, 1400.0, 5.0) == 94.0
    assert page_bonus(2000.0, 2200.0, 30.0) == 0.0
    assert page_bonus(1200.0, 1200.0, 5.0) == 0.0
    assert page_bonus(1200.0, 1400.0, 26.0) > 0.0


def test_the_logarithmic_performance_of_two_and_a_half_of_four() -> None:
    """The page printed 98 and 1598; it is 88.739500 and 1588.74."""
    assert logarithmic_performance(1500.0, 2.5, 4) == pytest.approx(1588.739500, abs=SIX_DECIMALS)


def test_the_logarithmic_performance_of_three_of_four() -> None:
    """The page printed 190 and 1690; it is 190.848502, so 1691. FIDE's own table has 193 (readings 114)."""
    assert logarithmic_performance(1500.0, 3.0, 4) == pytest.approx(1690.848502, abs=SIX_DECIMALS)
    assert fide_performance(1500.0, 3.0, 4) == 1693


def test_the_linear_performance_of_three_of_four() -> None:
    """The page printed 1700, which is right."""
    assert linear_performance(1500.0, 3.0, 4) == 1700.0


def test_the_algorithm_of_400() -> None:
    """The page printed 1700; it is (6200 + 800)/4 = 1750, and so is the linear method: they are one formula."""
    opponents = [1500.0, 1600.0, 1400.0, 1700.0]
    assert algorithm_of_400(opponents, 3, 1) == 1750.0
    assert linear_performance(1550.0, 3.0, 4) == 1750.0
    found = performance_ratings(CONSTANTS, opponents, [1.0, 1.0, 1.0, 0.0])
    assert (found.algorithm_of_400, found.linear, found.average) == (1750.0, 1750.0, 1550.0)
    assert special_performance(CONSTANTS, opponents, 3.0) == pytest.approx(1750.0, abs=1e-9)


@pytest.mark.parametrize(
    ("difference", "played", "name"),
    [
        (1.0, 3, "Outstanding Performance"),
        (0.99, 3, "Strong Showing"),
        (0.31, 3, "Strong Showing"),
        (0.3, 3, "Consistent Player"),
        (-0.3, 3, "Consistent Player"),
        (-0.31, 3, "Room for Improvement"),
        (-1.0, 3, "Needs Work"),
        (1.5, 4, "Outstanding Performance"),
        (1.49, 4, "Strong Showing"),
        (0.5, 4, "Consistent Player"),
        (-0.5, 4, "Consistent Player"),
        (-0.51, 4, "Room for Improvement"),
        (-1.49, 4, "Room for Improvement"),
        (-1.5, 4, "Needs Work"),
    ],
)
def test_the_badges_of_the_page(difference: float, played: int, name: str) -> None:
    """The page's thresholds: 1.0 and 0.3 up to three games, 1.5 and 0.5 above."""
    assert badge(1.0 + difference, 1.0, played).name == name

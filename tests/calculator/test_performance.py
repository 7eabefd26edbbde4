"""§4.1: performance ratings beyond the page's examples, badges and classes as data."""

from statistics import NormalDist

import pytest

from crosstable.calculator.figures import (
    BADGES,
    CLASSES,
    FIDE_DP,
    fide_difference,
    page_class,
    performance_ratings,
    rating_class,
    special_performance,
)
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

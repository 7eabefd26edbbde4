"""§5 and §7 of the 2025 text: what nothing holds stands as it was computed."""

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.engine.records import numbers_of
from crosstable.formulas.outcome import Level
from crosstable.formulas.section import Limits, SectionFacts, is_held, no_limits, section_outcome, share_of
from crosstable.rules.amending import Edition
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.terms import FloorKind, PlayerRating, RatingSystem

TODAY = date(2026, 7, 4)
CONSTANTS = edition_for(TODAY).constants
FACTS = SectionFacts(int(RatingSystem.OTBR), False, False, TODAY.toordinal(), True)
# 1500 on 40 games who never was higher: nothing holds 1450, and at 1300 their peak does.
RECORD = numbers_of(PlayerRating(1500.0, 40.0, 20, 10, 10, 10, 1500.0, 1500.0))
FREE = no_limits()


@pytest.mark.parametrize(
    ("facts", "limits", "computed", "held"),
    [
        (FACTS, FREE, 1450.0, False),
        (FACTS, FREE, 1300.0, True),
        (FACTS, FREE._replace(decided=Level(FloorKind.MONEY, 1500.0)), 1450.0, True),
        (FACTS, FREE._replace(decided=Level(FloorKind.MONEY, 1400.0)), 1450.0, False),
        (FACTS, FREE._replace(ceiling=1440.0), 1450.0, True),
        (FACTS._replace(is_match=True), FREE, 1450.0, True),
    ],
)
def test_floors_ceilings_and_matches_hold(facts: SectionFacts, limits: Limits, computed: float, held: bool) -> None:
    assert is_held(CONSTANTS, facts, RECORD, computed, limits) is held


def test_whole_numbers_hold_everything() -> None:
    """2004 text: until 2014 the office stored whole numbers."""
    constants = edition_for(date(2012, 6, 6)).constants
    assert constants.stores_whole_numbers
    assert is_held(constants, FACTS, RECORD, 1450.0, FREE)


RATINGS = st.floats(100.0, 2900.0)


@given(
    st.sampled_from(EDITIONS),
    st.tuples(RATINGS, RATINGS, RATINGS),
    st.sampled_from([(20.0, 0), (40.0, 0), (5000.0, 300)]),
    st.tuples(st.one_of(st.just(-math.inf), RATINGS), st.one_of(st.just(math.inf), RATINGS)),
    st.sampled_from(RatingSystem),
)
def test_what_is_not_held_is_what_the_whole_working_gives(
    edition: Edition,
    ratings: tuple[float, float, float],
    past: tuple[float, int],
    bounds: tuple[float, float],
    system: RatingSystem,
) -> None:
    rating, peak, computed = ratings
    games, at_2200 = past
    record = numbers_of(PlayerRating(rating, games, 9, 9, 9, 9, max(rating, peak), None, at_2200))
    limits = FREE._replace(decided=Level(FloorKind.OFFICE, bounds[0]), ceiling=bounds[1])
    facts = FACTS._replace(system=int(system))
    if not is_held(edition.constants, facts, record, computed, limits):
        made = section_outcome(edition.constants, facts, record, share_of(facts, 2, 1, 1), computed, limits)
        assert made.rating == computed
        assert (made.floor_kind, made.is_at_ceiling) == (FloorKind.NONE, False)

"""Interpreted and compiled are one text: the same bits under every rule set within the documented ranges."""

from datetime import date

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from crosstable.history.archive import Archive
from crosstable.history.replay import ArrayRecords
from crosstable.lab.simulate import simulate
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from tests.amounts import amount
from tests.history.interpreted import interpreted_replay
from tests.history.random_rules import random_rules, with_odd_entries
from tests.history.test_index import three_matches
from tests.history.test_replay import BUSY, folded_lines, lines_of, walked

EXAMPLES = amount(5, 400)


def assert_same_by(archive: Archive, rules: RuleSet) -> int:
    """Every line, every record at the end, and why sections cannot be rated; returns how many lines."""
    replayer, folded = walked(archive, rules=rules), interpreted_replay(archive, rules=rules)
    faulty = np.flatnonzero(replayer.results.faults).tolist()
    assert {section: replayer.why_not(section) for section in faulty} == folded.unratable
    found = lines_of(replayer)
    assert found == folded_lines(folded)
    arrays = ArrayRecords(replayer.standings, replayer.index.history.place_of)
    for member in range(archive.members.height):
        assert arrays.of(member) == folded.standings.get(member, {})
    return len(found)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**31), years=st.sampled_from([1, 7, 25]), start=st.integers(2001, 2025))
@example(seed=0, years=25, start=2001)
def test_random_rule_sets_give_the_same_bits_interpreted_and_compiled(seed: int, years: int, start: int) -> None:
    first = date(min(start, 2026 - years), 1, 1)
    archive = with_odd_entries(simulate(BUSY._replace(seed=seed, years=years, start=first)), seed)
    assert assert_same_by(archive, random_rules(seed)) > 100


def test_sections_that_nobody_can_rate_are_told_with_the_reason_of_the_engine() -> None:
    """Between July 2008 and May 2015 no conversion of FIDE ratings from 2000 on is known."""
    archive = with_odd_entries(simulate(BUSY._replace(seed=3, years=2, start=date(2010, 1, 1))), 3)
    assert assert_same_by(archive, OFFICIAL) > 100
    reasons = set(interpreted_replay(archive).unratable.values())
    assert any("is not known at 2450" in reason for reason in reasons)


@pytest.mark.parametrize(
    "rules", [rule_set(established_above=0), rule_set(k_numerator=100000, k_effective_weight=0), rule_set(k_cap=0.01)]
)
def test_the_ends_of_a_range_are_rated_too(rules: RuleSet) -> None:
    """Ratings of some hundred thousand points, and everybody established from the first game on."""
    archive = with_odd_entries(simulate(BUSY._replace(seed=5)), 5)
    assert assert_same_by(archive, rules) > 500


def test_a_start_by_hand_on_many_games_is_no_established_rating_before_the_first_section() -> None:
    """§5, readings 62: a peak is a post-event rating, so the first one is that of the first section."""
    archive = three_matches()
    entries = archive.entries.with_columns(start_games=archive.entries["start_games"].replace(20.0, 26.0))
    archive = archive._replace(entries=entries)
    assert assert_same_by(archive, OFFICIAL) == 6
    record = interpreted_replay(archive).standings[1]
    after = next(iter(record.values()))
    assert after.games == 32.0
    assert after.peak == after.peak_since_2010 == after.rating
    assert after.games_at_2200 == 0

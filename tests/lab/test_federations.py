"""Fitted federations: their parameters are known ones, and they neither grow nor shrink."""

import numpy as np
import pytest

from crosstable.cli.lab_answers import FITTED
from crosstable.errors import HistoryError
from crosstable.lab.federations import PRESETS, preset, presets
from crosstable.lab.population import PARAMETERS, made_population


def test_every_fitted_federation_has_known_parameters() -> None:
    assert tuple(presets()) == PRESETS == FITTED
    for one in presets().values():
        assert set(one.parameters) <= set(PARAMETERS)
        assert one.meaning
        assert one.sections_a_year > 0.0


@pytest.mark.parametrize("name", PRESETS)
def test_a_fitted_federation_is_as_large_at_its_end_as_at_its_beginning(name: str) -> None:
    """Members who are there in the second year, and in the last but one; a fifth of luck."""
    made = preset(name, 20_000, seed=3)
    people = made_population(made, np.random.Generator(np.random.PCG64(3)))
    day = made.first_day + 365 * np.array([1, 12, 23])
    there = [int(np.sum((people.joined <= one) & (people.left > one))) for one in day]
    assert max(there) < 1.2 * min(there)


def test_more_years_play_more_sections() -> None:
    """As many a year for each member who is there: with half of the years fewer join for as many who are there."""
    long, short = preset(PRESETS[0], 10_000, years=20), preset(PRESETS[0], 10_000, years=10)
    of_long, of_short = long.founders * 20, short.founders * 10
    assert long.sections / of_long == pytest.approx(short.sections / of_short, rel=1e-3)


def test_an_unknown_federation_is_told() -> None:
    with pytest.raises(HistoryError, match="there is no federation 'nowhere'; there are quick-growth"):
        preset("nowhere", 100)

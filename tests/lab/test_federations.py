"""Fitted federations: their parameters are known ones, and they neither grow nor shrink."""

from pathlib import Path

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
    """Members who are there in the second year, in the middle and near the end; who pauses stays on longer."""
    made = preset(name, 20_000, seed=3)
    people = made_population(made, np.random.Generator(np.random.PCG64(3)))
    day = made.first_day + 365 * np.array([1, 12, 23])
    there = [int(np.sum((people.joined <= one) & (people.left > one))) for one in day]
    assert max(there) < 1.3 * min(there)


def test_more_years_play_more_sections() -> None:
    """As many a year for each member who is there: with half of the years fewer join for as many who are there."""
    long, short = preset(PRESETS[0], 10_000, years=20), preset(PRESETS[0], 10_000, years=10)
    of_long, of_short = long.founders * 20, short.founders * 10
    assert long.sections / of_long == pytest.approx(short.sections / of_short, rel=1e-3)


def test_the_documentation_tells_what_every_fitted_federation_is_like() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lab-federation.md").read_text("utf-8")
    for name in PRESETS:
        assert f"| `{name}` | " in page
    figures = next(line for line in page.splitlines() if line.startswith("| figure | official, other half"))
    assert figures.split(" | ")[3:] == [*PRESETS[:-1], f"{PRESETS[-1]} |"]


def test_only_growth_and_decline_lets_strong_members_improve_more_and_everybody_decline() -> None:
    """Ten points a year after 40, as the documentation says; the two that were there before stay as they were."""
    assert {name: round(preset(name, 100).decline) for name in PRESETS} == dict(zip(PRESETS, (0, 0, 10), strict=True))
    assert [name for name in PRESETS if preset(name, 100).talent > 0.0] == ["growth-and-decline"]


def test_an_unknown_federation_is_told() -> None:
    with pytest.raises(HistoryError, match="there is no federation 'nowhere'; there are quick-growth"):
        preset("nowhere", 100)

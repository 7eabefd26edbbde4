"""§1 to §4 of the 2025 text against a dual-rated section of 2026, whose results were published to two decimals."""

from datetime import date
from pathlib import Path

import pytest

from crosstable.engine import rate
from crosstable.formulas.outcome import official_rating
from crosstable.rules.editions import edition_for
from crosstable.terms import RatingSystem
from tests.engine.wallcharts import (
    Played,
    player,
    post_event,
    rate_wallchart,
    section_of,
    wallchart,
)

CASE = (Path(__file__).parents[1] / "cases" / "official-2026-dual-section.txt").read_text(encoding="utf-8")
ROWS = wallchart(CASE)
PLAYED = Played(start=date(2026, 8, 30), control="G/25;d5")
BOTH = (RatingSystem.OTBR, RatingSystem.OTBQ)

# Ratings before and after are published to two decimals; the half hundredths of both add up to this.
TWO_DECIMALS = 0.01


def test_the_section_is_dual_rated_by_its_control() -> None:
    """§1: mm + ss = 30 is the least that is rated Regular and Quick (2025 text, footnote 1)."""
    assert section_of(ROWS, PLAYED).systems == BOTH
    assert len(ROWS) == 6


@pytest.mark.parametrize("system", BOTH)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"row {row.number}")
def test_every_row_ends_at_the_published_rating(row: object, system: RatingSystem) -> None:
    """§1, §4.2: all six players in both systems (published results of a dual-rated section of 2026)."""
    rated = rate_wallchart(CASE, PLAYED, system)
    (wanted,) = (other for other in ROWS if other == row)
    assert post_event(rated, wanted.number) == pytest.approx(wanted.after[system].rating, abs=TWO_DECIMALS)


@pytest.mark.parametrize("system", BOTH)
def test_game_counts_grow_by_the_games_that_were_played(system: RatingSystem) -> None:
    """§7: N grows by m, and byes are not games (published results of a dual-rated section of 2026)."""
    rated = rate_wallchart(CASE, PLAYED, system)
    for row in ROWS:
        after = player(rated, row.number).after
        assert after is not None
        assert after.games == row.after[system].games


def test_whole_numbers_are_published_half_up() -> None:
    """§1: the published whole numbers of the six Regular ratings."""
    rated = rate_wallchart(CASE, PLAYED)
    assert [official_rating(post_event(rated, row.number)) for row in ROWS] == [657, 500, 134, 514, 188, 149]


def test_two_systems_of_a_dual_section_share_nothing() -> None:
    """§7, readings 18: without any Regular rating in sight the Quick results are the same."""
    section = section_of(ROWS, PLAYED)
    quick_only = {
        number: background._replace(standings={RatingSystem.OTBQ: background.standings[RatingSystem.OTBQ]})
        for number, background in section.backgrounds.items()
    }
    edition = edition_for(PLAYED.start)
    alone = rate(section.with_backgrounds(quick_only), RatingSystem.OTBQ, edition)
    assert [p.after for p in alone.players] == [p.after for p in rate(section, RatingSystem.OTBQ, edition).players]

"""Sections whose entries tell more than games: starts set by hand, on one thread and on several."""

from datetime import date

import polars as pl
import pytest

from crosstable.history.archive import Archive, empty_table, table_of
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from tests.history.test_replay import assert_same, walked

WELL_VISITED = Federation(members=500, sections=600, seed=2, years=3, start=date(2021, 1, 1), matches=0.1)


def with_starts_by_hand(archive: Archive, every: int) -> Archive:
    """The same history, with a start set by hand in every so many sections."""
    is_given = (pl.col("section") % every == 0) & (pl.col("number") == 1)
    given = [
        pl.when(is_given).then(value).cast(pl.Float64).alias(name)
        for name, value in (("start_rating", 1500.0), ("start_games", 10.0))
    ]
    return archive._replace(entries=archive.entries.with_columns(given))


@pytest.mark.parametrize("every", [1, 3, 20])
def test_several_threads_give_the_same_bits_as_one(every: int) -> None:
    archive = with_starts_by_hand(simulate(WELL_VISITED), every)
    one = walked(archive, 1)
    assert (one.index.history.sections["told"] > 0).sum() > 20
    for threads in (2, 3):
        several = walked(archive, threads)
        assert several.results.ratings.tobytes() == one.results.ratings.tobytes()
        assert several.standings.standings.tobytes() == one.standings.standings.tobytes()


def test_starts_by_hand_give_the_bits_of_the_plain_fold() -> None:
    """Matches are among these sections: their changes count in the later ones."""
    archive = with_starts_by_hand(simulate(WELL_VISITED), 3)
    told = archive.sections.with_row_index().filter(pl.col("index") % 3 == 0)
    assert told.filter(pl.col("kind") == 2).height > 5
    assert_same(archive)


def three_matches() -> Archive:
    """A player of 1500 wins three matches in three months; the first opponent's start is set by hand."""
    days = [date(2021, month, 1) for month in (3, 4, 5)]
    texts = ("event_name", "name", "time_control", "match_waiver")
    return Archive(
        table_of(
            "members",
            {
                "member_id": ["1", "2", "3"],
                "name": ["One", "Two", "Three"],
                "birth_date": [date(1980, 1, 1)] * 3,
                **{name: [""] * 3 for name in ("state", "fide_id", "cfc_id", "fide_flag")},
                "canadian_resident": [False] * 3,
            },
        ),
        empty_table("outside"),
        table_of(
            "openings",
            {
                "member": [0, 2],
                "system": [0, 0],
                "as_of": [date(2021, 1, 1)] * 2,
                "rating": [1500.0, 1550.0],
                "games": [20.0, 20.0],
                "games_at_2200": [0, 0],
                "source": ["list", "list"],
                "act": [1, 1],
            },
        ),
        empty_table("decisions"),
        table_of(
            "sections",
            {
                "event_id": ["1", "2", "3"],
                "number": [1] * 3,
                **{name: [""] * 3 for name in texts},
                "start": days,
                "end": days,
                "kind": [2] * 3,
                "systems": [1] * 3,
                "asked_systems": [1] * 3,
                **{name: [False] * 3 for name in ("is_online", "is_dual_control", "is_half_k")},
            },
        ),
        table_of(
            "entries",
            {
                "section": [0, 0, 1, 1, 2, 2],
                "number": [1, 2] * 3,
                "member": [0, 1, 0, 2, 0, 2],
                "start_rating": [None, 1500.0, None, None, None, None],
                "start_games": [None, 20.0, None, None, None, None],
            },
        ),
        table_of(
            "games",
            {
                "section": [section for section in range(3) for _ in range(6)],
                "round": [*range(1, 7)] * 3,
                **{name: [value] * 18 for name, value in (("first", 0), ("second", 1), ("result", 2), ("colour", 0))},
            },
        ),
    )


def test_a_match_with_a_start_by_hand_counts_in_the_half_year_after_it() -> None:
    """Each match wins 50 points at most, all of a half year 100 at most (§7): the third one wins nothing."""
    archive = three_matches()
    replayer = assert_same(archive)
    assert replayer.index.history.sections["told"].tolist() == [1, 0, 0, 0]
    assert replayer.standings.standings[replayer.index.history.place_of[0, 0]]["rating"] == 1600.0

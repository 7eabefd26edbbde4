"""The compiled replay against the plain fold: the same bits, whatever happens in a history."""

import math
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosstable.errors import HistoryError
from crosstable.history import index as indexing
from crosstable.history import replay
from crosstable.history.adjustments import Adjustments
from crosstable.history.archive import Archive, digest, write
from crosstable.history.kernel.arrays import AFTER
from crosstable.history.kernel.replaying import lay_order
from crosstable.history.replay import ArrayRecords, Replayer
from crosstable.history.running import ReplayOptions, ratings_frame, records_frame, replay_archive
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import NORM_CODES, RatingSystem
from tests.amounts import amount
from tests.history.interpreted import Interpreted, interpreted_replay
from tests.history.small_archives import small_archive

# The first test to come here waits for the compiler.
EXAMPLES = amount(4, 60)
# Everything rare made common, so that a small history meets all of it.
BUSY = Federation(
    members=90,
    sections=140,
    founders=0.4,
    matches=0.12,
    abroad=0.06,
    half_k=0.1,
    prizes=0.08,
    ceilings=0.08,
    double_games=0.1,
    canadians=0.2,
)


def walked(archive: Archive, threads: int = 1, rules: RuleSet = OFFICIAL) -> Replayer:
    index = indexing.build(archive)
    replayer = Replayer(index, threads, keeps_working=True, rules=rules)
    adjustments = Adjustments(archive, index)
    adjustments.prepare(replayer)
    replayer.replay(adjustments.checkpoints())
    return replayer


def lines_of(replayer: Replayer) -> dict[tuple[int, int, int], tuple[float | None, float, float | None]]:
    frame = ratings_frame(replayer)
    return {
        (section, member, system): (before, after, None if math.isinf(games) else games)
        for section, member, system, before, after, games in frame.iter_rows()
    }


def folded_lines(folded: Interpreted) -> dict[tuple[int, int, int], tuple[float | None, float, float | None]]:
    return {
        (line.section, line.member, int(line.system)): (line.rating_before, line.rating_after, line.games_after)
        for line in folded.lines
    }


def assert_same(archive: Archive) -> Replayer:
    """Every line and every standing at the end, bit for bit; the plain fold is the measure."""
    replayer, folded = walked(archive), interpreted_replay(archive)
    assert lines_of(replayer) == folded_lines(folded)
    arrays = ArrayRecords(replayer.standings, replayer.index.history.place_of)
    for member in range(archive.members.height):
        assert arrays.of(member) == folded.standings.get(member, {})
    return replayer


def test_the_small_archive_with_every_kind_of_row_is_the_same_bit_for_bit() -> None:
    assert_same(small_archive())


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**31), years=st.sampled_from([1, 7, 25]), start=st.integers(2001, 2025))
def test_replay_gives_the_bits_of_the_plain_fold_over_all_editions_and_systems(
    seed: int, years: int, start: int
) -> None:
    first = date(min(start, 2026 - years), 1, 1)
    assert_same(simulate(BUSY._replace(seed=seed, years=years, start=first)))


def test_a_quarter_century_of_one_busy_federation_is_the_same_bit_for_bit() -> None:
    archive = simulate(BUSY._replace(members=300, sections=400, seed=1))
    replayer = assert_same(archive)
    assert set(archive.sections["kind"].unique()) >= {0, 1, 2, 3}
    assert archive.decisions.height > 10
    assert replayer.index.match_slots >= 10


def with_a_re_entry(archive: Archive) -> tuple[Archive, int]:
    """The same history, where somebody entered a section twice, on two rows that follow each other; and the second."""
    entries, games = archive.entries, archive.games
    sections = entries["section"].to_list()
    met = {(section, *sorted(pair)) for section, *pair in games.select("section", "first", "second").iter_rows()}
    for row in range(1001, entries.height):
        place = row - sections.index(sections[row])
        if place > 0 and (sections[row], place - 1, place) not in met:
            member = entries["member"].to_list()
            member[row] = member[row - 1]
            return archive._replace(entries=entries.with_columns(pl.Series("member", member, pl.Int32))), row
    raise AssertionError("everybody met their neighbour")


def test_a_history_that_is_laid_out_in_parts_is_the_same_bit_for_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts beside each other and memory of its own are for long histories; the plain fold is the measure here too."""
    archive, cut = with_a_re_entry(simulate(BUSY._replace(members=300, sections=400, seed=3)))
    whole = indexing.build(archive)
    assert len(whole.history.competitors) - 1 == archive.entries.height - 1
    monkeypatch.setattr("crosstable.history.kernel.indexing.WORTH_SHARING", 1)
    monkeypatch.setattr("crosstable.history.kernel.arrays._LARGE", 1)
    chunked = archive._replace(
        games=pl.concat([archive.games[:1000], archive.games[1000:]], rechunk=False),
        entries=pl.concat([archive.entries[:cut], archive.entries[cut:]], rechunk=False),
    )
    assert chunked.games.n_chunks() == chunked.entries.n_chunks() == 2
    assert [array.tobytes() for array in indexing.build(chunked).history] == [
        array.tobytes() for array in whole.history
    ]
    assert_same(chunked)


def test_an_index_of_other_windows_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = simulate(BUSY._replace(seed=5))
    write(archive, str(tmp_path))
    indexing.save(indexing.build(archive), str(tmp_path), digest(str(tmp_path)))
    assert indexing.saved(str(tmp_path), digest(str(tmp_path))) is not None
    monkeypatch.setattr(indexing, "WINDOW", 7)
    assert indexing.saved(str(tmp_path), digest(str(tmp_path))) is None


def test_ratings_are_taken_from_a_walk_once() -> None:
    replayer = walked(simulate(BUSY._replace(seed=5)))
    ratings_frame(replayer)
    with pytest.raises(ValueError, match="already taken"):
        ratings_frame(replayer)


def test_norms_and_working_are_those_of_the_engine() -> None:
    archive = simulate(BUSY._replace(seed=5))
    replayer, folded = walked(archive), interpreted_replay(archive)
    norms = {(line.section, line.member): line.norm for line in folded.lines if line.system is RatingSystem.OTBR}
    rows = np.flatnonzero(~np.isnan(replayer.results.ratings[AFTER]))
    frame = ratings_frame(replayer).with_row_index("at")
    found = {}
    for at, section, member, system in frame.select("at", "section", "member", "system").iter_rows():
        if system == 0:
            norm = int(replayer.results.working[rows[at]]["norm"])
            found[section, member] = None if norm < 0 else NORM_CODES[norm]
    assert found == norms
    assert any(norms.values())


def test_a_walk_that_fails_ends_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:

    def fails(*_: object) -> None:
        raise MemoryError("no room for this")

    archive = simulate(BUSY._replace(members=300, sections=400, seed=1))
    index = indexing.build(archive)
    adjustments = Adjustments(archive, index)
    replayer = Replayer(index, 2)
    adjustments.prepare(replayer)
    monkeypatch.setattr(replay, "replay_share", fails)
    with pytest.raises(MemoryError, match="no room for this"):
        replayer.replay(adjustments.checkpoints())


@pytest.mark.parametrize("first", [0, 1, 5])
def test_sections_are_taken_after_those_they_depend_on(first: int) -> None:
    index = indexing.build(simulate(BUSY._replace(members=300, sections=400, seed=1)))
    sections, competitors = index.history.sections, index.history.competitors
    order = np.zeros(index.sections, dtype=np.int32)
    lay_order(index.history, first, index.sections, order)
    taken = order[first:].tolist()
    assert sorted(taken) == list(range(first, index.sections))
    places = {number: place for place, number in enumerate(taken)}
    before = {
        number: set(competitors["previous"][sections[number]["first"] : sections[number + 1]["first"]].tolist())
        for number in taken
    }
    assert all(places.get(one, -1) < places[number] for number in taken for one in before[number])


def test_a_replay_from_a_snapshot_ends_where_the_whole_replay_ends(tmp_path: Path) -> None:
    archive = simulate(BUSY._replace(seed=8))
    folder, whole, part = (str(tmp_path / name) for name in ("archive", "whole", "part"))
    write(archive, folder)
    replay_archive(folder, whole)
    replay_archive(folder, part)
    replay_archive(folder, part, ReplayOptions(from_year=2012))
    complete = pl.read_parquet(Path(whole) / "ratings.parquet")
    tail = pl.read_parquet(Path(part) / "ratings.parquet")
    assert 0 < tail.height < complete.height
    assert complete.tail(tail.height).equals(tail)
    ends = [pl.read_parquet(Path(name) / "standings.parquet") for name in (whole, part)]
    assert ends[0].equals(ends[1])


@pytest.mark.parametrize(
    "rules",
    [
        rule_set(bonus_threshold=4, k_numerator=400, fide={"1": {"intercept": 90}}),
        rule_set("2025-02-01", initialisation="priority", peak_drop=50, game_factors={"OTBR": {"OTBQ": 9}}),
    ],
    ids=["by date", "of a day"],
)
def test_a_replay_by_a_rule_set_gives_the_bits_of_the_plain_fold_by_it(rules: RuleSet) -> None:
    """Foreign events follow the rule set too."""
    archive = simulate(BUSY._replace(members=300, sections=400, seed=1))
    assert archive.sections.filter(pl.col("kind") >= 3).height >= 3
    replayer, folded = walked(archive, rules=rules), interpreted_replay(archive, rules=rules)
    found = lines_of(replayer)
    assert found == folded_lines(folded)
    official = lines_of(walked(archive))
    changed = [key for key, line in found.items() if key not in official or official[key] != line]
    assert len(changed) > len(official) / 2


def test_a_snapshot_of_another_history_is_refused(tmp_path: Path) -> None:
    folder, out = str(tmp_path / "archive"), str(tmp_path / "out")
    write(simulate(BUSY._replace(seed=8)), folder)
    replay_archive(folder, out)
    write(simulate(BUSY._replace(seed=9)), folder)
    with pytest.raises(HistoryError, match="differs from the replayed one before the end of 2012"):
        replay_archive(folder, out, ReplayOptions(from_year=2012))
    with pytest.raises(HistoryError, match="there is no snapshot of 1999"):
        replay_archive(folder, out, ReplayOptions(from_year=1999))
    with pytest.raises(HistoryError, match="under other rules"):
        replay_archive(folder, out, ReplayOptions(from_year=2012, rules=rule_set("2025-02-01")))
    with pytest.raises(HistoryError, match="no finished replay"):
        replay_archive(folder, str(tmp_path / "nowhere"), ReplayOptions(from_year=2012))


def test_a_kept_index_is_used_again_and_another_content_makes_another(tmp_path: Path) -> None:
    folder = str(tmp_path / "archive")
    archive = simulate(BUSY._replace(seed=8))
    write(archive, folder)
    content = digest(folder)
    assert indexing.saved(folder, content) is None
    indexing.save(indexing.build(archive), folder, content)
    again = indexing.saved(folder, content)
    assert again is not None
    assert all(
        one.tobytes() == other.tobytes()
        for one, other in zip(again.history, indexing.build(archive).history, strict=True)
    )
    write(simulate(BUSY._replace(seed=9)), folder)
    assert indexing.saved(folder, digest(folder)) is None


def test_one_rule_set_for_all_years_changes_old_ratings_and_not_those_of_its_own_day(tmp_path: Path) -> None:
    new, old = (simulate(BUSY._replace(years=1, start=date(year, 2, 1), seed=4)) for year in (2025, 2003))
    for archive, is_same in ((new, True), (old, False)):
        folder, own, today = (str(tmp_path / f"{name}-{is_same}") for name in ("archive", "own", "today"))
        write(archive, folder)
        replay_archive(folder, own, ReplayOptions(keeps_snapshots=False))
        replay_archive(folder, today, ReplayOptions(keeps_snapshots=False, rules=rule_set("2025-02-01")))
        ends = [pl.read_parquet(Path(name) / "standings.parquet") for name in (own, today)]
        assert ends[0].equals(ends[1]) is is_same


def test_standings_are_written_for_members_only() -> None:
    archive = simulate(BUSY._replace(seed=6))
    frame = records_frame(walked(archive))
    assert frame["member"].max() < archive.members.height  # type: ignore[operator]
    assert frame.height == len(set(zip(frame["member"], frame["system"], strict=True)))

"""The back-test against definitions, hand-made numbers and a known truth."""

import math
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crosstable import lab
from crosstable.errors import HistoryError
from crosstable.history import index as indexing
from crosstable.history.archive import write
from crosstable.lab import Backtest, Draws, backtest, rule_set
from crosstable.lab.judgements import backtest_document, backtest_text
from crosstable.lab.population import Federation
from crosstable.lab.simulate import FILE, Simulated, simulated, write_truth, write_with_truth
from tests.lab.textbook import Prediction, by_rating_band, mean, predictions

# The first test to come here waits for the compiler.
FEW = Draws(seed=3, replicates=60, threads=1)
LIVELY = Federation(
    members=260, sections=320, years=6, start=date(2012, 1, 1), seed=4, founders=0.5, abroad=0.01, matches=0.03
)
SLOW = rule_set(name="a tenth of K", k_numerator=80)


@pytest.fixture(scope="module")
def made() -> Simulated:
    return simulated(LIVELY)


@pytest.fixture(scope="module")
def folder(made: Simulated, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("lab") / "archive")
    write(made.archive, path)
    write_truth(made.truth, path)
    return path


@pytest.fixture(scope="module")
def compared(folder: str) -> Backtest:
    return backtest(folder, SLOW, "official", draws=FEW)


@pytest.fixture(scope="module")
def known(made: Simulated) -> list[Prediction]:
    return list(predictions(made.archive))


def measured(found: Backtest, metric: str, grouping: str) -> dict[str, float]:
    assert found.against is not None
    return {one.group: getattr(one, metric).value for one in found.against.measures if one.grouping == grouping}


def test_measures_are_those_of_the_definitions(compared: Backtest, known: list[Prediction]) -> None:
    """The other side is plain Python over the plain engine (tests/lab/textbook.py); 1e-9 for the order of sums."""
    assert compared.games == len(known) > 3000
    assert compared.sections == len({one.section for one in known})
    assert measured(compared, "deviance", "all")["all"] == pytest.approx(mean([p.deviance for p in known]), abs=1e-9)
    assert measured(compared, "brier", "all")["all"] == pytest.approx(mean([p.brier for p in known]), abs=1e-9)
    # Of two who are equal neither is the favourite.
    above = [(p.score - p.expected) * math.copysign(1.0, p.expected - 0.5) for p in known]
    surplus = [0.0 if p.expected == 0.5 else one for p, one in zip(known, above, strict=True)]
    assert measured(compared, "surplus", "all")["all"] == pytest.approx(mean(surplus), abs=1e-9)
    by_system = measured(compared, "brier", "system")
    for system in {one.system for one in known}:
        own = [one.brier for one in known if one.system == system]
        assert by_system.pop(system) == pytest.approx(mean(own), abs=1e-9)
    assert not by_system
    bands = by_rating_band(known)
    assert measured(compared, "deviance", "rating") == pytest.approx(
        {name: mean(own) for name, own in bands.items()}, abs=1e-9
    )


def test_unrated_players_are_those_without_a_rating_before(compared: Backtest, known: list[Prediction]) -> None:
    unrated = [one for one in known for had in one.had_rating if not had]
    assert compared.against is not None
    (found,) = [one for one in compared.against.measures if one.group == "unrated"]
    assert found.games == len(unrated) > 100
    assert found.brier.value == pytest.approx(mean([one.brier for one in unrated]), abs=1e-9)


def test_calibration_counts_favourites(compared: Backtest, known: list[Prediction]) -> None:
    """A favourite of 0.5 to 1 in ten bins; mean expected and mean scored of each by plain Python."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for one in known:
        is_first = one.expected >= 0.5
        expected, score = (one.expected, one.score) if is_first else (1.0 - one.expected, 1.0 - one.score)
        score = 0.5 if expected == 0.5 else score  # a tie, of which neither is the favourite
        bins.setdefault(min(int((expected - 0.5) * 20), 9), []).append((expected, score))
    assert compared.against is not None
    overall = [one for one in compared.against.calibration if one.grouping == "all"]
    for found, number in zip(overall, sorted(bins), strict=True):
        assert found.at_least == pytest.approx(0.5 + number / 20)
        assert found.games == len(bins[number])
        assert found.expected.value == pytest.approx(mean([e for e, _ in bins[number]]), abs=1e-9)
        assert found.scored.value == pytest.approx(mean([s for _, s in bins[number]]), abs=1e-9)
    gaps = [abs(sum(s - e for e, s in inside)) for inside in bins.values()]
    assert compared.against.calibration_error.value == pytest.approx(sum(gaps) / len(known), abs=1e-9)


def test_calibration_of_a_band_counts_its_players(compared: Backtest, known: list[Prediction]) -> None:
    """Unrated players, whatever their opponents: tenths of what was expected of them, by plain Python."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for one in known:
        sides = ((one.expected, one.score), (1.0 - one.expected, 1.0 - one.score))
        for had, (expected, score) in zip(one.had_rating, sides, strict=True):
            if not had:
                bins.setdefault(min(int(expected * 10), 9), []).append((expected, score))
    assert compared.against is not None
    of_unrated = [one for one in compared.against.calibration if one.group == "unrated"]
    for found, number in zip(of_unrated, sorted(bins), strict=True):
        assert found.at_least == pytest.approx(number / 10)
        assert found.games == len(bins[number])
        assert found.scored.value == pytest.approx(mean([s for _, s in bins[number]]), abs=1e-9)
    assert len(of_unrated) == 10


def test_intervals_hold_the_value_and_groups_of_few_sections_have_none(compared: Backtest) -> None:
    assert compared.against is not None
    for one in compared.against.measures:
        for metric in (one.deviance, one.brier):
            assert math.isnan(metric.low) == (one.sections < 30)
            assert math.isnan(metric.low) or metric.low < metric.value < metric.high


def test_differences_are_paired(compared: Backtest, made: Simulated, known: list[Prediction]) -> None:
    """The same games under both: the difference of the means, with an interval narrower than those of either."""
    slow = list(predictions(made.archive, SLOW))
    assert [one[:2] for one in slow] == [one[:2] for one in known]
    assert compared.differences is not None
    found = compared.differences.overall
    expected = mean([one.deviance for one in slow]) - mean([one.deviance for one in known])
    assert found.deviance.value == pytest.approx(expected, abs=1e-9)
    own = compared.judged.overall.deviance
    assert found.deviance.high - found.deviance.low < own.high - own.low
    assert found.deviance.low > 0.0


def test_differences_of_points_and_cohorts_are_those_of_the_two(compared: Backtest) -> None:
    assert compared.against is not None
    assert compared.differences is not None
    for one, slow, official in zip(
        compared.differences.points, compared.judged.points, compared.against.points, strict=True
    ):
        assert one.bonus_points == pytest.approx(slow.bonus_points - official.bonus_points)
        gap = slow.change_a_rating.value - official.change_a_rating.value
        assert one.change_a_rating.value == pytest.approx(gap)
    slow_by = {one[:2]: one.added_up.value for one in compared.judged.cohorts}
    official_by = {one[:2]: one.added_up.value for one in compared.against.cohorts}
    assert len(compared.differences.cohorts) > 10
    for cohort in compared.differences.cohorts:
        gap = slow_by[cohort[:2]] - official_by[cohort[:2]]
        assert cohort.added_up.value == pytest.approx(gap)
        assert cohort.true_change == 0.0


def test_a_rule_set_against_itself_differs_in_nothing(folder: str) -> None:
    found = backtest(folder, "official", rule_set(name="the same again"), draws=FEW)
    assert found.differences is not None
    assert {one.deviance for one in found.differences.measures if one.sections >= 30} == {(0.0, 0.0, 0.0)}
    assert {one.bonus_a_rating.value for one in found.differences.points} == {0.0}
    assert {one.added_up.value for one in found.differences.cohorts} == {0.0}


def test_a_tenth_of_k_is_worse_in_every_metric(compared: Backtest) -> None:
    slow, official = compared.judged, compared.against
    assert official is not None
    assert compared.differences is not None
    gap = compared.differences.overall
    assert min(gap.deviance.low, gap.brier.low, gap.rms.low) > 0.0
    assert slow.calibration_error.value > official.calibration_error.value
    assert abs(slow.overall.bias.value) > abs(official.overall.bias.value)
    assert slow.showing is not None
    assert official.showing is not None
    assert slow.showing.rises == official.showing.rises > 20
    assert slow.showing.shown < official.showing.shown
    assert slow.showing.median_games.value > official.showing.median_games.value
    assert slow.showing.median_days.value > official.showing.median_days.value


def test_the_truth_is_the_best_prediction_and_unbiased(compared: Backtest) -> None:
    """Games are drawn by the true strengths' expectancies, so these score as expected: 0 within the interval."""
    best = compared.best
    assert best is not None
    assert compared.against is not None
    assert best.surplus.low < 0.0 < best.surplus.high
    assert best.deviance.high < compared.against.overall.deviance.low


def test_the_error_against_true_strength_is_that_of_the_ratings_brought(
    compared: Backtest, made: Simulated, folder: str
) -> None:
    """By hand: the strength of each entry, and its rating before, from the plain engine."""
    strength: dict[tuple[int, int], float] = {}
    for section, member, value in made.truth.select("section", "member", "strength").iter_rows():
        strength.setdefault((section, member), value)
    errors = _errors(made, strength)
    assert compared.against is not None
    overall = compared.against.overall
    assert overall.rms.value == pytest.approx(math.sqrt(mean([one * one for one in errors])), abs=1e-6)
    assert overall.bias.value == pytest.approx(mean(errors), abs=1e-6)


def _errors(made: Simulated, strength: dict[tuple[int, int], float]) -> list[float]:
    """One error for each side of each game."""
    from crosstable.terms import Result
    from tests.history.interpreted import InterpretedReplay

    found = []
    for taken in InterpretedReplay(made.archive):
        if taken.archived.section.kind.is_foreign:
            continue
        member = {entry.number: row for entry, row in taken.archived.rows}
        for rated in taken.rated:
            for player, entry in zip(rated.players, taken.archived.section.entries, strict=True):
                games = sum(cell.result in (Result.WIN, Result.DRAW, Result.LOSS) for cell in entry.cells)
                error = player.prior - strength[taken.archived.at, member[player.number]]
                found += [error] * games
    return found


def test_the_same_seed_gives_the_same_numbers_on_one_thread_and_on_two(folder: str, compared: Backtest) -> None:
    again = backtest(folder, SLOW, "official", draws=FEW._replace(threads=2))
    assert backtest_document(again) == backtest_document(compared)
    other = backtest(folder, SLOW, "official", draws=FEW._replace(seed=4))
    assert other.judged.overall.deviance.value == compared.judged.overall.deviance.value
    assert other.judged.overall.deviance.low != compared.judged.overall.deviance.low


def test_a_span_judges_fewer_sections_of_the_same_replay(folder: str, made: Simulated, compared: Backtest) -> None:
    low, high = date(2014, 3, 20), date(2015, 5, 31)
    found = backtest(folder, span=("2014-03-20", high), draws=FEW)
    start = made.archive.sections["start"]
    known = [one for one in predictions(made.archive) if low <= start[one.section] <= high]
    assert found.games == len(known) > 300
    assert found.judged.overall.deviance.value == pytest.approx(mean([one.deviance for one in known]), abs=1e-9)
    assert {one.group for one in found.judged.measures if one.grouping == "era"} == {"from 2014-03-20"}
    assert found.against is None
    assert found.differences is None
    assert sum(point.ratings for point in found.judged.points if point.grouping == "era") < sum(
        point.ratings for point in compared.judged.points if point.grouping == "era"
    )


def test_frames_hold_every_measure(compared: Backtest) -> None:
    assert compared.differences is not None
    frame = compared.frame
    row = frame.row(
        by_predicate=(pl.col("rules") == "a tenth of K less official")
        & (pl.col("group") == "all")
        & (pl.col("metric") == "rms"),
        named=True,
    )
    assert (row["value"], row["low"], row["high"]) == tuple(compared.differences.overall.rms)
    calibration = compared.calibration_frame
    assert compared.against is not None
    assert calibration.height == len(compared.judged.calibration) + len(compared.against.calibration)
    assert calibration.row(0, named=True)["scored_low"] == compared.judged.calibration[0].scored.low
    assert compared.judged.rules.title in backtest_text(compared) == str(compared)
    assert repr(compared).startswith("<Backtest of a tenth of K against official: ")


def test_the_laboratory_offers_no_other_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'sweeep'"):
        getattr(lab, "sweeep")  # noqa: B009 (the name is not there for a type checker either)


def test_an_archive_without_truth_says_nothing_of_it(made: Simulated, tmp_path: Path) -> None:
    write(made.archive, str(tmp_path))
    found = backtest(str(tmp_path), draws=FEW)
    assert found.judged.showing is None
    assert found.best is None
    assert math.isnan(found.judged.overall.rms.value)
    assert not {"rms", "bias"} & set(found.frame["metric"])
    assert all(math.isnan(one.true_change) for one in found.judged.cohorts)
    assert "true" not in backtest_text(found)


def test_a_truth_about_other_entries_is_refused(made: Simulated, tmp_path: Path) -> None:
    write(made.archive, str(tmp_path))
    write_truth(made.truth.reverse(), str(tmp_path))
    with pytest.raises(HistoryError, match="is about other entries"):
        backtest(str(tmp_path))
    unknown = pl.when(pl.int_range(pl.len()) == 3).then(math.nan).otherwise("strength").alias("strength")
    write_truth(made.truth.with_columns(unknown), str(tmp_path))
    with pytest.raises(HistoryError, match="the strength in row 3 is no number"):
        backtest(str(tmp_path))
    made.truth.drop("strength").write_parquet(tmp_path / FILE)
    with pytest.raises(HistoryError, match="should have the columns section, member, strength"):
        backtest(str(tmp_path))
    (tmp_path / FILE).write_bytes(b"nothing")
    with pytest.raises(HistoryError, match="cannot be read"):
        backtest(str(tmp_path))


def test_an_archive_beside_which_no_index_can_be_kept_is_judged_too(
    made: Simulated, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    write_with_truth(made.archive, made.truth, str(tmp_path))
    monkeypatch.setattr(indexing, "save", read_only)
    found = backtest(tmp_path, draws=FEW)
    assert found.judged.overall == backtest(folder, draws=FEW).judged.overall
    assert not list(tmp_path.glob("index-*"))


def test_a_truth_never_lies_beside_the_heading_of_another_archive(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is stopped between the two leaves no archive behind, though there was one before."""
    write(made.archive, str(tmp_path))

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("crosstable.lab.simulate.write", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_with_truth(made.archive, made.truth, str(tmp_path))
    assert (tmp_path / FILE).exists()
    assert not (tmp_path / "archive.json").exists()


def test_nothing_to_judge_is_said(made: Simulated, folder: str, tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="there is no game to judge"):
        backtest(folder, span=("2030-01-01", None))
    empty = made.archive._replace(
        sections=made.archive.sections.clear(), entries=made.archive.entries.clear(), games=made.archive.games.clear()
    )
    write(empty, str(tmp_path))
    with pytest.raises(HistoryError, match="there is no game to judge"):
        backtest(tmp_path)


def test_true_strengths_are_those_that_decided_the_games(made: Simulated) -> None:
    """The members who stand in truth are those of the entries, and strengths are whole numbers of the scale."""
    assert made.truth.select("section", "member").equals(made.archive.entries.select("section", "member"))
    strength = made.truth["strength"].to_numpy()
    assert np.all(strength == np.rint(strength))
    assert 100 <= strength.min() < strength.max() <= 2800

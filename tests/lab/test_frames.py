"""Single predictions and single ratings: the same that a back-test sums up."""

from datetime import date
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from crosstable.errors import HistoryError
from crosstable.lab import Draws, backtest, players_frame, predictions_frame
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulated, write_with_truth

SMALL = Federation(members=40, sections=20, years=1, start=date(2015, 1, 1), seed=5, founders=0.5)
NONE = Draws(replicates=0)
LATER = ("2015-06-01", None)
HALF = SimpleNamespace(
    __name__="half",
    parameters={},
    start=lambda newcomer, p: (newcomer.official,),
    predict=lambda one, other, day, p: 0.5,
    update=lambda people, section, p: None,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frames") / "archive"
    write_with_truth(*simulated(SMALL), str(path))
    return path


def test_predictions_add_up_to_what_a_back_test_tells(folder: Path) -> None:
    found = backtest(folder, against=HALF, span=LATER, draws=NONE)  # type: ignore[arg-type]
    ruled = predictions_frame(folder, span=LATER)
    assert ruled.height == found.games > 100
    assert ruled["deviance"].mean() == pytest.approx(found.judged.overall.deviance.value, abs=1e-12)
    assert ruled.select(((pl.col("score") - pl.col("expected")) ** 2).mean()).item() == pytest.approx(
        found.judged.overall.brier.value, abs=1e-12
    )
    assert ruled["day"].min() >= date(2015, 6, 1)  # type: ignore[operator]
    other = predictions_frame(folder, HALF, span=LATER)  # type: ignore[arg-type]
    assert set(other["expected"]) == {0.5}
    assert other["score"].to_list() == ruled["score"].to_list()


def test_players_are_the_rows_behind_the_predictions(folder: Path) -> None:
    """The bias of a back-test is the mean, over games, of how far ratings before sections are from true strengths."""
    players = players_frame(folder)
    games = predictions_frame(folder)
    known = players.select("section", "system", "member", "prior", "strength")
    errors = []
    for who in ("member", "opponent"):
        met = games.join(known, left_on=["section", "system", who], right_on=["section", "system", "member"])
        assert met.height == games.height
        errors.append(met.select((pl.col("prior") - pl.col("strength")).mean()).item())
    bias = backtest(folder, draws=NONE).judged.overall.bias.value
    assert sum(errors) / 2.0 == pytest.approx(bias, abs=1e-9)
    assert players.filter(pl.col("before").is_null())["prior"].null_count() == 0
    with pytest.raises(HistoryError, match="tells no ratings after sections"):
        players_frame(folder, HALF)  # type: ignore[arg-type]

"""``crosstable lab backtest``: what it prints and writes, and what it refuses."""

import gc
import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from crosstable.cli import main
from crosstable.lab.backtest_document import backtest_document
from crosstable.lab.backtesting import backtest
from crosstable.lab.bootstrap import Draws
from tests.documents import valid

QUICK = ("--draws", "40", "--threads", "1")


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    """A command may switch the collector off for its short life; the tests live longer."""
    yield
    gc.enable()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A federation as the command makes it, with its truth beside it."""
    folder = str(tmp_path_factory.mktemp("door") / "fed")
    arguments = ("--members", "200", "--sections", "150", "--years", "4", "--seed", "5", "--out", folder)
    assert main(["lab", "simulate", *arguments]) == 0
    return folder


def run(*arguments: str) -> int:
    return main(["lab", "backtest", *arguments])


def test_a_back_test_is_told_in_words(archive: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(archive, *QUICK) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "Rules: official (" in said.out
    assert "seed 1" in said.out
    for word in ("deviance", "Brier score", "Favourites", "bonus earners", "added up", "rises of true strength"):
        assert word in said.out
    assert "Differences" not in said.out


def test_two_rule_sets_are_compared_and_written(
    archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "slow.toml"
    rules.write_text('name = "Slow"\n[changes]\nk_numerator = 80\n', encoding="utf-8")
    out = tmp_path / "report"
    capsys.readouterr()
    code = run(archive, "--rules", str(rules), "--against", "official", *QUICK, "--json", "--out", str(out))
    assert code == 0
    document = valid(json.loads(capsys.readouterr().out))
    assert document == json.loads((out / "backtest.json").read_text("utf-8"))
    assert document["format"] == "crosstable-backtest/1"
    assert document["judged"]["rules"]["name"] == "Slow"
    assert document["against"][0]["rules"]["base"] == "by date"
    assert document["against"][0]["differences"]["measures"][0]["deviance"]["low"] > 0
    found = backtest(archive, str(rules), "official", draws=Draws(1, 40, 2))
    assert backtest_document(found) == document
    assert sorted(path.name for path in out.iterdir()) == [
        "backtest.json",
        "backtest.txt",
        "calibration.csv",
        "cohorts.csv",
        "measures.csv",
        "points.csv",
    ]
    measures = pl.read_csv(out / "measures.csv")
    assert set(measures["rules"]) == {"Slow", "official", "Slow less official"}
    assert "Differences, Slow less official" in (out / "backtest.txt").read_text("utf-8")


def test_a_span_is_judged(archive: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(archive, *QUICK, "--from", "2002-06-01", "--to", "2003-12-31") == 0
    assert "from 2002-06-01 to 2003-12-31" in capsys.readouterr().out


def test_what_cannot_be_judged_is_said(archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(tmp_path)) == 1
    assert "archive.json" in capsys.readouterr().err
    assert run(archive, "--from", "2030-01-01") == 1
    assert "there is no game to judge" in capsys.readouterr().err
    assert run(archive, "--from", "2003-01-02", "--to", "2003-01-01") == 2
    assert "--from is after --to" in capsys.readouterr().err
    assert run(archive, "--from", "then") == 2
    assert "'then' is not a date" in capsys.readouterr().err
    assert run(archive, "--draws", "0") == 2
    assert "'0' is not a whole number of at least 1" in capsys.readouterr().err
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[changes]\nB = 12\n", encoding="utf-8")
    assert run(archive, "--against", str(wrong)) == 1
    assert f"{wrong}: B: There is no constant 'B'." in capsys.readouterr().err


def test_an_older_report_is_never_taken_for_a_newer_one(archive: str, tmp_path: Path) -> None:
    """The document of an older report goes before anything is written, and the new one comes last."""
    out = tmp_path / "report"
    (out / "measures.csv").mkdir(parents=True)
    (out / "backtest.json").write_text("{}", encoding="utf-8")
    assert run(archive, *QUICK, "--out", str(out)) == 1
    assert not (out / "backtest.json").exists()

"""``crosstable lab simulate`` and ``lab backtest``: what they print and write, and what they refuse."""

import gc
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from crosstable.cli import main
from crosstable.history.archive import read
from crosstable.lab.backtesting import backtest
from crosstable.lab.drawing import Draws
from crosstable.lab.judgements import backtest_document
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from tests.documents import valid

SMALL = ("--members", "200", "--years", "2")


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    """A command may switch the collector off for its short life; the tests live longer."""
    yield
    gc.enable()


def run(*arguments: str) -> int:
    return main(["lab", *arguments])


def test_an_archive_is_written_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "made"
    assert run("simulate", *SMALL, "--sections", "30", "--seed", "7", "--out", str(folder)) == 0
    archive = read(str(folder))
    made = simulate(Federation(members=200, sections=30, years=2, seed=7))
    assert all(frame.equals(made.tables[name]) for name, frame in archive.tables.items())
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out.startswith(f"written to {folder}\n")
    lines = dict(line.split(maxsplit=1) for line in said.out.splitlines()[1:])
    assert lines["members"].startswith("200  of whom ")
    assert lines["sections"].startswith(f"{archive.sections.height}  ")
    assert lines["games"].startswith(f"{archive.games.height:,}  ")
    regular = archive.sections.filter(pl.col("systems").is_in([1, 3])).height
    assert lines["OTBR"].endswith(f" games in {regular} sections, Regular")


def test_games_may_be_asked_for(tmp_path: Path) -> None:
    """About as many as were asked for: sections are drawn, not filled up, and small federations have smaller ones."""
    arguments = ("--members", "1000", "--years", "5", "--games", "6000")
    assert run("simulate", *arguments, "--out", str(tmp_path / "made")) == 0
    assert 4000 < read(str(tmp_path / "made")).games.height < 7500


def test_without_a_number_there_are_five_sections_for_six_members(tmp_path: Path) -> None:
    assert run("simulate", "--members", "60", "--years", "1", "--out", str(tmp_path / "made")) == 0
    assert 42 <= read(str(tmp_path / "made")).sections.height <= 50


def test_the_same_options_give_the_same_bytes(tmp_path: Path) -> None:
    """Everything but the heading's hashes is tables; the truth is written beside them."""
    for name in ("one", "two"):
        assert run("simulate", *SMALL, "--sections", "30", "--seed", "3", "--out", str(tmp_path / name)) == 0
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(names) == 9
    assert "truth.parquet" in names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        (("--returners", "0.4", "--sandbaggers", "0.2"), {"returners": 0.4, "sandbaggers": 0.2}),
        (("--regions", "4", "--national", "0"), {"regions": 4, "national": 0.0}),
        (("--no-pandemic",), {"pandemic_from": None, "pandemic_to": None}),
        (
            ("--pandemic", "2001-06-01", "2001-12-31"),
            {"pandemic_from": date(2001, 6, 1), "pandemic_to": date(2001, 12, 31)},
        ),
        (("--set", "juniors=0.1", "--set", "start=2019-01-01"), {"juniors": 0.1, "start": date(2019, 1, 1)}),
    ],
)
def test_options_change_the_federation(tmp_path: Path, options: tuple[str, ...], changes: dict[str, Any]) -> None:
    assert run("simulate", *SMALL, "--sections", "20", *options, "--out", str(tmp_path / "made")) == 0
    made = simulate(Federation(members=200, sections=20, years=2)._replace(**changes))
    archive = read(str(tmp_path / "made"))
    assert all(frame.equals(made.tables[name]) for name, frame in archive.tables.items())
    said = archive.source["simulated"]
    assert all(said[name] == (str(value) if isinstance(value, date) else value) for name, value in changes.items())


def test_parameters_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("parameters") == 0
    lines = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines()}
    assert set(lines) == set(Federation._fields)
    assert lines["pandemic_from"][1:3] == ["2020-03-01", "day"]
    assert lines["years"][1:3] == ["25", "count"]


def test_a_parameter_that_is_none_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("simulate", *SMALL, "--set", "yeers=3", "--out", str(tmp_path / "made")) == 1
    assert capsys.readouterr().err == "crosstable lab: there is no parameter 'yeers'; 'years' is one\n"
    assert not (tmp_path / "made").exists()
    assert run("simulate", *SMALL, "--pandemic", "2020-01-02", "2020-01-01", "--out", str(tmp_path / "made")) == 1
    assert capsys.readouterr().err == "crosstable lab: the pandemic ends before it begins\n"


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine")
    arguments = ("simulate", *SMALL, "--sections", "5", "--out", str(tmp_path))
    assert run(*arguments) == 1
    assert capsys.readouterr().err == (
        f"crosstable lab simulate: {tmp_path} is not empty; give another folder, or --force to write into it\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert run(*arguments, "--force") == 0
    assert (tmp_path / "mine").read_text() == "mine"
    assert read(str(tmp_path)).members.height == 200


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    assert run("simulate", *SMALL, "--out", str(path)) == 1
    assert capsys.readouterr().err == f"crosstable lab simulate: {path} is a file; give a folder\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--members", "19"), "19 members are too few; give at least 20"),
        (("--members", "x"), "'x' is not a whole number of at least 1"),
        (("--members", "20", "--years", "41"), "41 years are too many; give at most 40"),
        (("--members", "20", "--seed", "0"), "'0' is not a whole number of at least 1"),
        (("--members", "20", "--sections", "1", "--games", "1"), "not allowed with argument"),
        (("--members", "20", "--regions", "45"), "45 regions are too many; give at most 44"),
        (("--members", "20", "--returners", "2"), "'2' is not a number from 0 to 1"),
        (("--members", "20", "--pandemic", "2020", "2021"), "'2020' is not a date; write it as 2026-06-14 or"),
        (("--members", "20", "--pandemic", "2020-01-01", "2020-01-02", "--no-pandemic"), "not allowed with argument"),
        ((), "the following arguments are required: --members"),
    ],
)
def test_wrong_usage_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert run("simulate", *arguments, "--out", str(tmp_path / "made")) == 2
    assert said in capsys.readouterr().err


def test_a_missing_library_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "polars" else object())
    assert run("simulate", *SMALL, "--out", str(tmp_path / "made")) == 1
    assert capsys.readouterr().err.startswith("crosstable lab: polars is not installed; ")


QUICK = ("--draws", "40", "--threads", "1")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A federation as the command makes it, with its truth beside it."""
    folder = str(tmp_path_factory.mktemp("command") / "fed")
    arguments = ("--members", "200", "--sections", "150", "--years", "4", "--seed", "5", "--out", folder)
    assert main(["lab", "simulate", *arguments]) == 0
    return folder


def backtest_command(*arguments: str) -> int:
    return main(["lab", "backtest", *arguments])


def test_a_back_test_is_told_in_words(archive: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert backtest_command(archive, *QUICK) == 0
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
    code = backtest_command(
        archive, "--rules", str(rules), "--against", "official", *QUICK, "--json", "--out", str(out)
    )
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
    assert backtest_command(archive, *QUICK, "--from", "2002-06-01", "--to", "2003-12-31") == 0
    assert "from 2002-06-01 to 2003-12-31" in capsys.readouterr().out


def test_what_cannot_be_judged_is_said(archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert backtest_command(str(tmp_path)) == 1
    assert "archive.json" in capsys.readouterr().err
    assert backtest_command(archive, "--from", "2030-01-01") == 1
    assert "there is no game to judge" in capsys.readouterr().err
    assert backtest_command(archive, "--from", "2003-01-02", "--to", "2003-01-01") == 2
    assert "--from is after --to" in capsys.readouterr().err
    assert backtest_command(archive, "--from", "then") == 2
    assert "'then' is not a date" in capsys.readouterr().err
    assert backtest_command(archive, "--draws", "0") == 2
    assert "'0' is not a whole number of at least 1" in capsys.readouterr().err
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[changes]\nB = 12\n", encoding="utf-8")
    assert backtest_command(archive, "--against", str(wrong)) == 1
    assert f"{wrong}: B: There is no constant 'B'." in capsys.readouterr().err


def test_an_older_report_is_never_taken_for_a_newer_one(archive: str, tmp_path: Path) -> None:
    """The document of an older report goes before anything is written, and the new one comes last."""
    out = tmp_path / "report"
    (out / "measures.csv").mkdir(parents=True)
    (out / "backtest.json").write_text("{}", encoding="utf-8")
    assert backtest_command(archive, *QUICK, "--out", str(out)) == 1
    assert not (out / "backtest.json").exists()

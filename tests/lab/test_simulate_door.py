"""``crosstable lab simulate``: what it writes, what it says, what it refuses."""

import gc
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from crosstable.cli import main
from crosstable.history.archive import read
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate

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
        (("--members", "20", "--pandemic", "2020", "2021"), "'2020' is not a date; write it as YYYY-MM-DD"),
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

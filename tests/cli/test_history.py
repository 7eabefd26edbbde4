"""``crosstable history`` as somebody would call it."""

import json
from pathlib import Path

import polars as pl
import pytest

from crosstable.cli import main
from crosstable.history.archive import write
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from tests.documents import valid
from tests.office.made_office import document, quad


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    write(simulate(Federation(members=60, sections=40, years=4, seed=2)), str(folder))
    return folder


def test_replay_writes_ratings_standings_and_snapshots(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["history", "replay", str(archive), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    ratings = pl.read_parquet(out / "ratings.parquet")
    assert f"{ratings.height:,} ratings" in said
    assert ratings.columns == ["section", "member", "system", "before", "after", "games_after"]
    assert pl.read_parquet(out / "standings.parquet").height > 0
    assert sorted(path.name for path in (out / "snapshots").glob("20??.parquet")) == [
        "2001.parquet",
        "2002.parquet",
        "2003.parquet",
    ]
    whole = valid(json.loads((out / "replay.json").read_text("utf-8")))
    assert [one["year"] for one in whole["snapshots"]] == [2001, 2002, 2003]
    assert main(["history", "replay", str(archive), "--out", str(out), "--from-year", "2002"]) == 0
    assert valid(json.loads((out / "replay.json").read_text("utf-8")))["first"] > 0
    tail = pl.read_parquet(out / "ratings.parquet")
    assert ratings.tail(tail.height).equals(tail)


def test_what_cannot_be_replayed_is_said_in_a_sentence(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "nowhere")
    assert main(["history", "replay", nowhere, "--out", str(tmp_path / "out")]) == 1
    assert "archive.json" in capsys.readouterr().err
    assert main(["history", "replay", str(archive), "--out", str(tmp_path / "out"), "--from-year", "2002"]) == 1
    assert "no finished replay to start from" in capsys.readouterr().err
    assert main(["history", "replay", str(archive), "--out", str(tmp_path / "out"), "--rules", "soon"]) == 2
    assert "YYYY-MM-DD" in capsys.readouterr().err
    (archive / "games.parquet").write_bytes(b"not Parquet")
    assert main(["history", "replay", str(archive), "--out", str(tmp_path / "out")]) == 1
    assert "games.parquet" in capsys.readouterr().err


def test_an_archive_goes_through_an_office_and_comes_out_the_same(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database, out = str(tmp_path / "office.db"), tmp_path / "out"
    assert main(["office", "init", "--name", "Office", "--by", "clerk", "--database", database]) == 0
    assert main(["history", "import", str(archive), "--database", database, "--by", "clerk"]) == 0
    assert "to compute the ratings: crosstable office rerate" in capsys.readouterr().out
    assert main(["office", "rerate", "--database", database, "--by", "clerk", "--times"]) == 0
    said = capsys.readouterr()
    assert f"{pl.read_parquet(archive / 'sections.parquet').height} sections rated" in said.out
    assert "find what is touched" in said.err
    assert main(["history", "export", "--database", database, "--out", str(out)]) == 0
    assert "60 members" in capsys.readouterr().out
    for name in ("members", "sections", "entries", "games"):
        assert pl.read_parquet(out / f"{name}.parquet").equals(pl.read_parquet(archive / f"{name}.parquet"))
    assert main(["history", "import", str(archive), "--database", database, "--by", "clerk"]) == 1
    assert "the office is not empty" in capsys.readouterr().err
    (archive / "games.parquet").write_bytes(b"not Parquet")
    assert main(["history", "import", str(archive), "--database", database, "--by", "clerk"]) == 1
    assert "games.parquet" in capsys.readouterr().err


def test_an_export_counts_the_sections_that_are_not_rated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Held since nobody in it is known."""
    database, out, file = str(tmp_path / "office.db"), tmp_path / "out", tmp_path / "q.json"
    assert main(["office", "init", "--name", "Office", "--by", "clerk", "--database", database]) == 0
    file.write_bytes(document(quad("q")).content)
    assert main(["office", "submit", str(file), "--by", "clerk", "--database", database]) == 1
    capsys.readouterr()
    assert main(["history", "export", "--database", database, "--out", str(out)]) == 0
    assert "sections that are not rated were left out: 1 held\n" in capsys.readouterr().out

"""Posted pages as a history: everybody brings what was posted, on every page or on their first one."""

from pathlib import Path

import polars as pl
import pytest

from crosstable.cli import main
from crosstable.errors import HistoryError
from crosstable.history.archive import write
from crosstable.lab import Draws, backtest
from crosstable.lab.posted_pages import history_of, pages_in
from tests.history.interpreted import interpreted_replay
from tests.verification.made_pages import archive_bytes, line, quad


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A quad of 2015 and again of 2016, posted by the second engine, the second time with 1800 for the first player."""
    lines = (
        line("201501010001", "2015-01-01", quad()),
        line("201601010001", "2016-01-01", quad(p1={"rating": 1800.0})),
    )
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "made.jsonl.gz").write_bytes(archive_bytes(*lines))
    return str(tmp_path / "pages")


def before(folder: str, *, is_carried: bool) -> list[list[float | None]]:
    """The ratings before each page, by pairing number."""
    found = interpreted_replay(history_of(pages_in(folder), is_carried=is_carried)).lines
    return [[one.rating_before for one in found if one.section == section] for section in (0, 1)]


def test_pages_of_which_none_can_be_rated_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of 1999, before the rules began; and one on which nobody is rated is an archive without starting ratings."""
    days = {"start_date": "1999-01-01", "end_date": "1999-01-01"}
    (tmp_path / "made.jsonl.gz").write_bytes(archive_bytes(line("199901010001", "2015-01-01", quad(), **days)))
    with pytest.raises(HistoryError, match="holds no page that can be rated"):
        pages_in(str(tmp_path))
    assert main(["lab", "pages", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "holds no page that can be rated" in capsys.readouterr().err
    unrated = {f"p{number}": {"rating": None, "games": None} for number in range(1, 5)}
    (tmp_path / "made.jsonl.gz").write_bytes(archive_bytes(line("201501010001", "2015-01-01", quad(**unrated))))
    assert history_of(pages_in(str(tmp_path))).openings.height == 0


def test_every_page_begins_with_what_was_posted(folder: str) -> None:
    assert before(folder, is_carried=False) == [[1850.0, 1700.0, 1500.0, 1300.0], [1800.0, 1700.0, 1500.0, 1300.0]]


def test_carried_pages_begin_with_what_the_page_before_gave(folder: str) -> None:
    first, second = before(folder, is_carried=True)
    assert first == [1850.0, 1700.0, 1500.0, 1300.0]
    after = [one.rating_after for one in interpreted_replay(history_of(pages_in(folder), is_carried=True)).lines][:4]
    assert second == after != first


def test_games_of_those_without_a_rating_are_rated_but_not_predicted(tmp_path: Path) -> None:
    """The fourth has no rating: of the four games above, the two with the first and the second are not predicted."""
    (tmp_path / "made.jsonl.gz").write_bytes(
        archive_bytes(line("201501010001", "2015-01-01", quad(p4={"rating": None, "games": None})))
    )
    pages = pages_in(str(tmp_path))
    posted, carried = history_of(pages), history_of(pages, is_carried=True)
    assert [one.rating_after for one in interpreted_replay(posted).lines] == [
        one.rating_after for one in interpreted_replay(carried).lines
    ]
    write(posted, str(tmp_path / "posted"))
    assert backtest(tmp_path / "posted", draws=Draws(1, 5, 1)).games == 2


def test_the_door_writes_an_archive_that_can_be_judged(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "official")
    assert main(["lab", "pages", folder, "--out", out]) == 0
    assert capsys.readouterr().out == f"written to {out}: 2 pages, 8 rows\n"
    assert pl.read_parquet(Path(out, "members.parquet")).height == 8
    found = backtest(out, draws=Draws(1, 5, 1))
    # Of the six games of each quad two stand in different columns of their rows; each side of them counts by itself,
    # and nobody is told by them who won: four are predicted.
    assert found.games == 8
    assert main(["lab", "pages", folder, "--out", out]) == 1
    assert "is not empty; give another folder, or --force" in capsys.readouterr().err
    assert main(["lab", "pages", folder, "--out", out, "--force", "--carried"]) == 0
    assert pl.read_parquet(Path(out, "members.parquet")).height == 4


def test_a_folder_without_pages_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(HistoryError, match="holds no pages"):
        pages_in(str(tmp_path))
    assert main(["lab", "pages", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "holds no pages" in capsys.readouterr().err
    (tmp_path / "broken.jsonl.gz").write_bytes(b"nothing")
    assert main(["lab", "pages", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "not a gzipped archive" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

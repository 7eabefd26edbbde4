"""Comparing a federation with official crosstables: figures of numbers small enough for a pencil, and the command."""

import gzip
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from crosstable.cli import main
from crosstable.errors import HistoryError
from crosstable.formats import archive as crosstables
from crosstable.history.archive import write
from crosstable.history.index import build
from crosstable.lab.population import Federation
from crosstable.lab.posted_pages import (
    ESTABLISHED,
    PAGES,
    PROVISIONAL,
    UNRATED,
    Figure,
    Observed,
    observed_archive,
    observed_pages,
    quantile,
    resemblance,
    resemblance_text,
)
from crosstable.lab.simulate import simulate
from tests.documents import valid
from tests.lab.textbook import predictions

ROWS = {"page": pl.Int64, "status": pl.Int64, "rating": pl.Float64, "before": pl.Float64, "played": pl.Int64}
GAMES = dict.fromkeys(("page", "status"), pl.Int64) | dict.fromkeys(("difference", "mean", "low_score"), pl.Float64)

# The first test to come here waits for the compiler.


def line(system: str, end: str, players: list[dict[str, Any]]) -> str:
    """A page as a line of an archive of crosstables."""
    about = {"section_no": 1, "time_control": "G/60;d5", "tnmt_type": "S", "rating_sys_code": "R", "k_factor_code": "F"}
    event = {**about, "id": f"{end.replace('-', '')}0001", "start_date": end, "end_date": end, "this_system": system}
    return json.dumps({"event": event, "players": players})


def player(number: int, rating: int | None, games: int | None, *cells: str) -> dict[str, Any]:
    """A row: rating and provisional games before, cells as ``W2`` or ``H``."""
    rounds = [{"result": cell[0], "opp": int(cell[1:] or 0) or None, "color": ""} for cell in cells]
    posted = {"post": 1500, "post_games": None, "score": None, "status": "", "quality": "clean"}
    return {"no": number, "id": str(number), "name": "", "pre": rating, "pre_games": games, "rounds": rounds, **posted}


# Two draws and a win of the lower rated; 4 is unrated, 5 only has a bye.
OPEN = line(
    "R",
    "2015-05-02",
    [
        player(1, 1800, None, "D2", "W3", "L4"),
        player(2, 1600, None, "D1", "W4", "L3"),
        player(3, 1500, 12, "D4", "L1", "W2"),
        player(4, None, None, "D3", "L2", "W1"),
        player(5, 1400, None, "H", "H", "H"),
    ],
)
QUICK = line("Q", "2018-05-02", [player(1, 2000, None, "W2"), player(2, 1900, None, "L1")])


def pages(*lines: str) -> bytes:
    return gzip.compress("\n".join(lines).encode())


def official(*lines: str) -> Observed:
    return observed_pages(crosstables.read(pages(*lines), "2015.jsonl.gz"))


def test_pages_show_who_played_and_with_what() -> None:
    found = official(OPEN, QUICK)
    assert found.pages.rows() == [(0, 2015, 0, 4, 6), (1, 2018, 1, 2, 1)]
    assert found.rows.filter(pl.col("page") == 0).rows() == [
        (0, ESTABLISHED, 1800.0, None, 3),
        (0, ESTABLISHED, 1600.0, None, 3),
        (0, PROVISIONAL, 1500.0, 12.0, 3),
        (0, UNRATED, None, None, 3),
    ]
    # Games of the unrated player have no difference; of 1500 against 1600 the lower rated wins.
    assert sorted(found.games.filter(pl.col("page") == 0).rows()) == [
        (0, PROVISIONAL, 100.0, 1550.0, 1.0),
        (0, PROVISIONAL, 300.0, 1650.0, 0.0),
        (0, ESTABLISHED, 200.0, 1700.0, 0.5),
    ]


def test_archives_show_what_pages_would() -> None:
    """Against the plain engine: every game between rated players, its difference and the score of the lower rated."""
    archive = simulate(Federation(members=120, sections=60, years=6, seed=4, founders=0.5, abroad=0.02, matches=0.03))
    found = observed_archive(archive, build(archive), 1)
    due: Counter[tuple[int, float, float]] = Counter()
    for one in predictions(archive):
        if all(one.had_rating):
            high, low = max(one.ratings), min(one.ratings)
            score = one.score if one.ratings[0] <= one.ratings[1] else 1.0 - one.score
            due[one.section, round(high - low, 6), score] += 1
    got = Counter(
        (page // 6, round(difference, 6), score)
        for page, difference, score in found.games.select("page", "difference", "low_score").iter_rows()
    )
    assert got == due
    assert due.total() > 500
    kinds = dict(enumerate(archive.sections["kind"].to_list()))
    assert {kinds[page // 6] for page in found.pages["page"]} == {kind for kind in kinds.values() if kind < 3}
    assert found.rows["played"].sum() == 2 * found.pages["games"].sum()
    unrated = found.rows.filter(pl.col("status") == UNRATED)
    assert unrated["rating"].null_count() == unrated.height > 0
    assert found.rows.filter(pl.col("status") == PROVISIONAL)["before"].max() <= 25.0  # type: ignore[operator]
    assert found.rows.filter(pl.col("status") == ESTABLISHED)["before"].null_count() > 0


def test_a_quantile_is_where_its_share_of_the_weights_is_reached() -> None:
    values, weights = np.array([30.0, 10.0, 20.0]), np.array([1.0, 2.0, 1.0])
    assert [quantile(values, weights, share) for share in (0.1, 0.5, 0.51, 0.75, 0.76, 1.0)] == [10, 10, 20, 20, 30, 30]
    assert quantile(np.array([1.0, 2.0]), np.array([0.1, 0.2]), 1 / 3) == 1.0


def observed(years: list[int], rows: list[tuple[int, int, float | None]], games: list[tuple[Any, ...]]) -> Observed:
    """Regular pages of some years; rows as page, status and rating, four games each."""
    sizes = Counter(page for page, _, _ in rows)
    table = [(page, year, 0, sizes[page], 2 * sizes[page]) for page, year in enumerate(years)]
    return Observed(
        pl.DataFrame(table, PAGES, orient="row"),
        pl.DataFrame([(page, status, rating, None, 4) for page, status, rating in rows], ROWS, orient="row"),
        pl.DataFrame(games, GAMES, orient="row"),
    )


THERE = observed(
    [2010, 2010, 2011],
    [
        (0, ESTABLISHED, 1500.0),
        (0, ESTABLISHED, 1700.0),
        (1, PROVISIONAL, 900.0),
        (1, UNRATED, None),
        (2, UNRATED, None),
    ],
    [(0, ESTABLISHED, 200.0, 1600.0, 0.5), (0, ESTABLISHED, 210.0, 1600.0, 0.0), (0, ESTABLISHED, 20.0, 1600.0, 1.0)],
)
# One page of 2010, where the official ones have two, two of 2011, where they have one, and one of a year of its own.
MADE = observed(
    [2010, 2011, 2011, 2012],
    [(0, ESTABLISHED, 1400.0), (0, UNRATED, None), (1, ESTABLISHED, 1000.0), (2, UNRATED, None), (3, UNRATED, None)],
    [(0, ESTABLISHED, 200.0, 1600.0, 1.0), (1, ESTABLISHED, 240.0, 1600.0, 0.0), (3, ESTABLISHED, 200.0, 1600.0, 1.0)],
)


def figures() -> dict[tuple[str, str], Figure]:
    return {(one.group, one.name): one for one in resemblance(THERE, MADE).figures}


def test_sections_count_as_often_as_there_are_pages_of_their_year_and_system() -> None:
    """2010 counts twice, each of 2011 a half, 2012 not at all: 2.5 of 5 parts of the rows are unrated."""
    found = figures()["experience of entrants, all systems", "unrated, %"]
    assert found.official == pytest.approx(40.0)
    assert found.simulated == pytest.approx(100.0 * (2.0 + 0.5) / (2.0 + 2.0 + 0.5 + 0.5))
    assert found.difference == pytest.approx(10.0)
    assert found.seen == 5
    size = figures()["sections", "players, mean"]
    assert size.official == pytest.approx(5 / 3)
    assert size.simulated == pytest.approx((2.0 * 2 + 0.5 + 0.5) / 3.0)


def test_games_an_unrated_player_are_games_over_unrated_entrants() -> None:
    """Five rows of four games and two unrated: ten games for each of them."""
    found = figures()["experience of entrants, all systems", "games an unrated player"]
    assert found.official == pytest.approx(10.0)
    assert found.simulated == pytest.approx(8.0)


def test_upsets_and_draws_by_band() -> None:
    """From 200 to 249: a draw and a loss; simulated a win that counts twice and a loss that counts a half."""
    title = "score of the lower rated, both established, by difference"
    found = figures()[title, "200 to 249"]
    assert (found.official, found.seen) == (25.0, 2)
    assert found.simulated == pytest.approx(100.0 * 2.0 / 2.5)
    assert math.isnan(figures()[title, "0 to 49"].simulated)
    draws = figures()["draws, both established, by mean rating", "1600 to 1799"]
    assert draws.official == pytest.approx(100.0 / 3.0)
    assert draws.simulated == 0.0


def test_ratings_by_decile() -> None:
    """Official 900, 1500 and 1700; simulated 1400 four times as often as 1000."""
    found = [figures()["ratings of entrants, all systems", f"{share} %"] for share in (10, 30, 40, 60, 70)]
    assert [one.official for one in found] == [900.0, 900.0, 1500.0, 1500.0, 1700.0]
    assert [one.simulated for one in found] == [1000.0, 1400.0, 1400.0, 1400.0, 1400.0]


def test_years_that_are_not_there_are_told() -> None:
    found = resemblance(THERE, MADE._replace(pages=MADE.pages.filter(pl.col("year") != 2011)))
    assert found.matched == pytest.approx(2 / 3)
    assert "; 66.7 % of the pages have such" in resemblance_text(found)
    with pytest.raises(HistoryError, match="the archive has no section of a year and system of the pages"):
        resemblance(THERE, MADE._replace(pages=MADE.pages.filter(pl.col("year") == 2012)))


# The command


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """An archive, and a folder of pages."""
    folder = tmp_path_factory.mktemp("compare")
    write(simulate(Federation(members=150, sections=60, years=3, seed=1)._replace(founders=0.6)), str(folder / "made"))
    (folder / "pages").mkdir()
    (folder / "pages" / "2002.jsonl.gz").write_bytes(pages(OPEN.replace("2015", "2002")))
    return str(folder / "made"), str(folder / "pages")


def test_a_comparison_is_printed(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    archive, official_pages = folders
    assert main(["lab", "compare", archive, "--pages", official_pages, "--threads", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "official: 1 pages, 4 entrants"
    assert lines[1].endswith(" pages of the same years and systems, weighed as the official ones")
    unrated = next(line for line in lines if line.startswith("  unrated, %")).split()
    assert unrated[2] == "25.0"
    assert float(unrated[4]) == pytest.approx(float(unrated[3]) - 25.0, abs=0.11)


def test_a_comparison_as_json(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    archive, official_pages = folders
    assert main(["lab", "compare", archive, "--pages", official_pages, "--threads", "1", "--json"]) == 0
    found = valid(json.loads(capsys.readouterr().out))
    assert found["format"] == "crosstable-comparison/1"
    assert (found["pages"], found["rows"], found["matched"]) == (1, 4, 1.0)
    deciles = [one for one in found["figures"] if one["group"] == "ratings of entrants, all systems"]
    assert [one["official"] for one in deciles] == [1500.0] * 3 + [1600.0] * 3 + [1800.0] * 3
    assert all(one["difference"] == one["simulated"] - one["official"] for one in deciles)


@pytest.mark.parametrize(
    ("which", "said"),
    [("none", "none is not a folder of crosstables"), ("empty", "there is no crosstable with posted ratings in ")],
)
def test_a_folder_without_pages_is_told(
    folders: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], which: str, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["lab", "compare", folders[0], "--pages", str(tmp_path / which)]) == 1
    assert said in capsys.readouterr().err


def test_an_archive_that_is_none_is_told(
    folders: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", "compare", str(tmp_path), "--pages", folders[1]]) == 1
    assert str(tmp_path) in capsys.readouterr().err

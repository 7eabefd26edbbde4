"""What crosstables show of a federation, the same for official pages and for an archive that was replayed.

Three tables: pages (a section in one system), rows (a player on a page, with the rating and the games that he brought)
and games (with both ratings before the section). Games of more than the provisional count are not shown on pages, so
they are hidden here for archives too: an official page and a simulated one are then read with the same eyes.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.formulas.tally import is_established
from crosstable.history.archive import Archive
from crosstable.history.archive_tables import KINDS
from crosstable.history.index import Index
from crosstable.history.replay import in_silence
from crosstable.lab.predictions import Brought, Games, People, Progress, games_of, people_of, rated_by
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_sets import OFFICIAL
from crosstable.terms import RatingSystem, Report, ReportedSection, Result

UNRATED, PROVISIONAL, ESTABLISHED = range(3)
_SCORES = {Result.WIN: 1.0, Result.DRAW: 0.5, Result.LOSS: 0.0}
PAGES = {"page": pl.Int64, "year": pl.Int64, "system": pl.Int64, "size": pl.Int64, "games": pl.Int64}
ROWS = {"page": pl.Int64, "status": pl.Int64, "rating": pl.Float64, "before": pl.Float64, "played": pl.Int64}
# ``low_score`` is what the lower rated of the two scored; ``status`` is that of the less settled of them.
GAMES = {
    "page": pl.Int64,
    "status": pl.Int64,
    "difference": pl.Float64,
    "mean": pl.Float64,
    "low_score": pl.Float64,
}


class Observed(NamedTuple):
    """Pages, their rows, and the games whose two players were rated before; ``page`` refers to a row of ``pages``."""

    pages: pl.DataFrame
    rows: pl.DataFrame
    games: pl.DataFrame


def observed_pages(reports: Iterable[Report]) -> Observed:
    """What pages with posted figures show; sections abroad and rows without a game are left out."""
    pages: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    games: list[dict[str, Any]] = []
    for report in reports:
        for section in report.sections:
            for system in _posted_systems(section):
                page = len(pages)
                own = [row for row in _rows(section, system) if row["played"]]
                played = sum(row["played"] for row in own)
                end = section.end or report.end
                year = end.year if end is not None else 0
                pages.append(
                    {"page": page, "year": year, "system": int(system), "size": len(own), "games": played // 2}
                )
                rows += [{"page": page, **row} for row in own]
                games += [{"page": page, **game} for game in _games(section, system)]
    return Observed(pl.DataFrame(pages, PAGES), pl.DataFrame(rows, ROWS), pl.DataFrame(games, GAMES))


def _posted_systems(section: ReportedSection) -> list[RatingSystem]:
    if section.kind.is_foreign:
        return []
    return [system for system in RatingSystem if any(system in player.posted for player in section.players)]


def _rows(section: ReportedSection, system: RatingSystem) -> Iterator[dict[str, Any]]:
    numbers = {player.number for player in section.players}
    for player in section.players:
        opponents = [cell.opponent for cell in player.cells if cell.result is not None and cell.result.is_game]
        played = sum(opponent in numbers and opponent != player.number for opponent in opponents)
        standing = player.background.standings.get(system)
        if standing is None:
            yield {"status": UNRATED, "rating": None, "before": None, "played": played}
        else:
            status = _status(standing.games)
            shown = standing.games if status == PROVISIONAL else None
            yield {"status": status, "rating": standing.rating, "before": shown, "played": played}


def _status(games: float | None) -> int:
    return ESTABLISHED if games is None or is_established(_constants(), games) else PROVISIONAL


def _constants() -> Constants:
    return EDITIONS[-1].constants


def _games(section: ReportedSection, system: RatingSystem) -> Iterator[dict[str, Any]]:
    """The games between players rated before, each once, from the row with the lower number."""
    players = {player.number: player for player in section.players if player.number is not None}
    for number, player in players.items():
        for cell in player.cells:
            other = players.get(cell.opponent)
            if cell.result not in _SCORES or other is None or cell.opponent <= number:
                continue
            one, two = player.background.standings.get(system), other.background.standings.get(system)
            if one is None or two is None:
                continue
            score = _SCORES[cell.result]
            yield {
                "status": min(_status(one.games), _status(two.games)),
                "difference": abs(one.rating - two.rating),
                "mean": (one.rating + two.rating) / 2.0,
                "low_score": score if one.rating <= two.rating else 1.0 - score,
            }


def observed_archive(archive: Archive, index: Index, threads: int, progress: Progress = in_silence) -> Observed:
    """What an archive's crosstables would show, rated by the official rules of each day."""
    brought = rated_by(archive, index, OFFICIAL, threads, progress)
    people = people_of(archive, index, None)
    games = games_of(archive, index, (None, None))
    is_foreign = np.array([kind.is_foreign for kind in KINDS])[archive.sections["kind"].to_numpy()]
    shown = brought.is_rated & ~is_foreign[people.section]
    kept = games.where(shown[games.one] & shown[games.other])
    played = np.bincount(kept.one, minlength=len(shown)) + np.bincount(kept.other, minlength=len(shown))
    page_of = people.section.astype(np.int64) * len(RatingSystem) + people.system
    status = _statuses(people, brought)
    rows = pl.DataFrame(
        {
            "page": page_of,
            "status": status,
            "rating": brought.before,
            "before": np.where(status == PROVISIONAL, brought.games_after - people.counted, np.nan),
            "played": played,
        }
    ).filter(pl.Series(shown))
    rows = rows.filter(pl.col("played") > 0)
    return _numbered(archive, rows, _rated_games(kept, page_of, status, brought))


def _statuses(people: People, brought: Brought) -> Any:  # noqa: ANN401 (numpy's own type of a choice of numbers)
    is_settled = brought.games_after - people.counted > _constants().established_above
    return np.where(np.isnan(brought.before), UNRATED, np.where(is_settled, ESTABLISHED, PROVISIONAL))


def _rated_games(games: Games, page_of: Any, status: Any, brought: Brought) -> pl.DataFrame:  # noqa: ANN401
    one, two = brought.before[games.one], brought.before[games.other]
    frame = pl.DataFrame(
        {
            "page": page_of[games.one],
            "status": np.minimum(status[games.one], status[games.other]),
            "difference": np.abs(one - two),
            "mean": (one + two) / 2.0,
            "low_score": np.where(one <= two, games.score, 1.0 - games.score),
        }
    )
    return frame.filter(pl.col("status") > UNRATED)


def _numbered(archive: Archive, rows: pl.DataFrame, games: pl.DataFrame) -> Observed:
    """The three tables with pages in one table of their own."""
    years = archive.sections.select(section=pl.int_range(pl.len(), dtype=pl.Int64), year=pl.col("end").dt.year())
    systems = len(RatingSystem)
    pages = rows.group_by("page", maintain_order=True).agg(size=pl.len(), games=pl.col("played").sum() // 2)
    pages = pages.with_columns(section=pl.col("page") // systems, system=pl.col("page") % systems)
    pages = pages.join(years, on="section", how="left", maintain_order="left").select(*PAGES).cast(PAGES)  # type: ignore[arg-type]
    rows = rows.with_columns(pl.col("rating", "before").fill_nan(None)).select(*ROWS).cast(ROWS)  # type: ignore[arg-type]
    return Observed(pages, rows, games.select(*GAMES).cast(GAMES))  # type: ignore[arg-type]

"""Posted crosstables: official pages as a history for the laboratory, and how much a federation resembles them.

Every page, a section in one system, becomes a section. Each row brings the rating that was posted before it; so what a
player did between two pages is not lost, and one page says nothing of the next: everybody is somebody new on every
page. Where somebody without a posted rating started is not published: their games are rated, but not predicted.
*Carried*, a member is the same on all pages and brings what the replay made of them, from their first page on. Pages
show no birth dates, and of an established player no number of games.

``resemblance`` holds official pages and a replayed archive side by side, as three tables: pages, rows (a player on a
page, with the rating and the games that they brought) and games (with both ratings before the section). Pages do not
show games of more than the provisional count, so archives hide them here too. Official pages are a sample, with more of
some years and systems than of others: sections of the archive count as often as pages of their year and system are in
the sample; everything else is left as it is.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from datetime import date
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.errors import HistoryError
from crosstable.formats import archive as crosstables
from crosstable.formats import file_bytes
from crosstable.history.archive import Archive, empty_table, table_of
from crosstable.history.archive_tables import COLOURS, KINDS, RESULTS
from crosstable.history.index import Index
from crosstable.history.replay import in_silence
from crosstable.lab.measures import bands
from crosstable.lab.predictions import Floats, Progress, games_of, people_of, rated_by
from crosstable.record_rows import MORE_THAN_NUMBERS, POSTED, row_of
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_sets import OFFICIAL
from crosstable.terms import (
    AS_ONE_SIDED,
    GAME_SCORES,
    MIRRORED,
    Entry,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedSection,
    Section,
)
from crosstable.verification.pages import Page, pages_of

CODES = {own: code for code, (own, _) in RESULTS.items()}


def pages_in(folder: str) -> list[Page]:
    """Every page that the engine can rate, in the order of the replay."""
    found = []
    paths = sorted(Path(folder).glob("*.jsonl.gz"))
    if not paths:
        raise HistoryError(f"{folder} holds no pages: give a folder of posted crosstables (*.jsonl.gz)")
    for path in paths:
        for report in crosstables.read(file_bytes(str(path)), path.name):
            found += [page for page in pages_of(report) if not page.checked.section.kind.is_foreign]
    if not found:
        raise HistoryError(f"{folder} holds no page that can be rated")
    return sorted(found, key=lambda page: (*page.order[:3], number_of(page)))


def number_of(page: Page) -> int:
    """A number of its own for each page of a section: one is posted per system."""
    return page.checked.section.number * 10 + int(page.system)


def games_on(section: Section, at: int, unknown: AbstractSet[int] = frozenset()) -> Iterator[dict[str, Any]]:
    """The games of a section, each once; those of players who are not known as two games, one for each side.

    So they count for both, but nobody is judged by what was expected of them.
    """
    row_of = {entry.number: row for row, entry in enumerate(section.entries)}
    for row, entry in enumerate(section.entries):
        for round_number, cell in enumerate(entry.cells, 1):
            other = row_of.get(cell.opponent)
            if cell.result not in CODES or other is None:
                continue
            result = cell.result
            if result in MIRRORED:
                there = section.entries[other].cells[round_number - 1]
                if (there.result, there.opponent) != (MIRRORED[result], entry.number):
                    result = AS_ONE_SIDED[result]  # the other row shows the game in another column
                elif {entry.number, cell.opponent} & unknown:
                    result = AS_ONE_SIDED[result]
                elif other < row:
                    continue
            colour = next((code for code, (own, _) in enumerate(COLOURS) if own == cell.colour), 0)
            values = at, round_number, row, other, CODES[result], colour
            yield dict(zip(("section", "round", "first", "second", "result", "colour"), values, strict=True))


def section_row(page: Page) -> dict[str, Any]:
    """A page as a section of the archive."""
    section = page.checked.section
    return {
        "event_id": page.event_id,
        "number": number_of(page),
        **dict.fromkeys(("event_name", "name", "time_control", "match_waiver"), ""),
        "start": section.start,
        "end": section.end,
        "kind": KINDS.index(section.kind),
        "is_online": section.is_online,
        "asked_systems": 0,
        "systems": 1 << page.system,
        "is_dual_control": section.is_dual_control,
        "is_half_k": section.is_half_k,
    }


def history_of(pages: list[Page], *, is_carried: bool = False) -> Archive:
    """The pages as one archive; carried, a member is the same on all of them."""
    ids: dict[str, int] = {}
    births: dict[int, date | None] = {}
    sections: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    games: list[dict[str, Any]] = []
    openings: list[dict[str, Any]] = []
    opened: set[tuple[int, int]] = set()
    for at, page in enumerate(pages):
        section = page.checked.section
        sections.append(section_row(page))
        for entry in section.entries:
            member = ids.setdefault(name_of(entry, at, is_carried=is_carried), len(ids))
            background = entry.background
            births.setdefault(member, background.birth_date)
            entries.append({"section": at, "number": entry.number, "member": member})
            rating = background.standings.get(page.system)
            if rating is not None and (member, int(page.system)) not in opened:
                openings.append(starting_rating(member, page, rating, len(openings)))
            opened.add((member, int(page.system)))
        unknown = frozenset() if is_carried else _unknown(page)
        games += sorted(games_on(section, at, unknown), key=lambda game: (game["round"], game["first"]))
    members = {
        "member_id": list(ids),
        **{name: [""] * len(ids) for name in ("name", "state", "fide_id", "cfc_id", "fide_flag")},
        "birth_date": pl.Series([births[member] for member in ids.values()], dtype=pl.Date),
        "canadian_resident": [False] * len(ids),
    }
    return Archive(
        table_of("members", members),
        empty_table("outside"),
        _table("openings", openings),
        empty_table("decisions"),
        _table("sections", sections),
        _table("entries", entries),
        _table("games", games),
        source={"pages": len(pages), "carried": is_carried},
    )


def _unknown(page: Page) -> frozenset[int]:
    """The pairing numbers of those without a posted rating: where they started is not published."""
    entries = page.checked.section.entries
    return frozenset(entry.number for entry in entries if entry.background.standings.get(page.system) is None)


def name_of(entry: Entry, at: int, *, is_carried: bool) -> str:
    """Who a row is: a member, or somebody new; the rows of a re-entry are one."""
    if is_carried:
        return entry.member_id or f"row {entry.number} of page {at}"
    return f"{entry.member_id or f'row {entry.number}'} of page {at}"


def starting_rating(member: int, page: Page, rating: PlayerRating, entry: int) -> dict[str, Any]:
    """What a member brought to their first page in a system."""
    return {
        "member": member,
        "system": int(page.system),
        **row_of(rating, [name for name in POSTED if name not in MORE_THAN_NUMBERS]),
        "as_of": page.checked.section.end,
        "source": "official",
        "act": entry,
    }


def _table(name: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return table_of(name, {column: [row[column] for row in rows] for column in rows[0]}) if rows else empty_table(name)


UNRATED, PROVISIONAL, ESTABLISHED = range(3)
_MANY_GAMES = EDITIONS[-1].constants.established_above
PAGES = {"page": pl.Int64, "year": pl.Int64, "system": pl.Int64, "size": pl.Int64, "games": pl.Int64}
# What is known of a row, and of a game: both ratings, the smaller of the two counts, what the first player scored.
_ROWS = {"page": pl.Int64, "rating": pl.Float64, "games": pl.Float64, "played": pl.Int64}
_GAMES = {"page": pl.Int64, "one": pl.Float64, "two": pl.Float64, "games": pl.Float64, "score": pl.Float64}


class Observed(NamedTuple):
    """Pages, their rows, and the games whose two players were rated before; ``page`` refers to a row of ``pages``.

    Of a game, ``low_score`` is what the lower rated of the two scored, and ``status`` that of the less settled of them.
    """

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
    return _observed(pl.DataFrame(pages, PAGES), pl.DataFrame(rows, _ROWS), pl.DataFrame(games, _GAMES))


def _posted_systems(section: ReportedSection) -> list[RatingSystem]:
    if section.kind.is_foreign:
        return []
    return [system for system in RatingSystem if any(system in player.posted for player in section.players)]


def _rows(section: ReportedSection, system: RatingSystem) -> Iterator[dict[str, Any]]:
    numbers = {player.number for player in section.players}
    for player in section.players:
        opponents = [cell.opponent for cell in player.cells if cell.result is not None and cell.result.is_game]
        played = sum(opponent in numbers and opponent != player.number for opponent in opponents)
        rating = player.background.standings.get(system)
        known = (None, None) if rating is None else (rating.rating, rating.games)
        yield {"rating": known[0], "games": known[1], "played": played}


def _games(section: ReportedSection, system: RatingSystem) -> Iterator[dict[str, Any]]:
    """The games between players rated before, each once, from the row with the lower number."""
    players = {player.number: player for player in section.players if player.number is not None}
    for number, player in players.items():
        for cell in player.cells:
            other = players.get(cell.opponent)
            if cell.result not in MIRRORED or other is None or cell.opponent <= number:
                continue
            one, two = player.background.standings.get(system), other.background.standings.get(system)
            if one is not None and two is not None:
                fewest = min((games for games in (one.games, two.games) if games is not None), default=None)
                score = GAME_SCORES[cell.result]
                yield {"one": one.rating, "two": two.rating, "games": fewest, "score": score}


def _observed(pages: pl.DataFrame, rows: pl.DataFrame, games: pl.DataFrame) -> Observed:
    """What pages show of rows and games: of established players no number of games."""
    before = pl.when(pl.col("status") == PROVISIONAL).then("games").alias("before")
    shown = _with_status(rows).select("page", "status", "rating", before, "played")
    one, two, score = pl.col("one"), pl.col("two"), pl.col("score")
    compared = _with_status(games.with_columns(rating=(one + two) / 2.0)).select(
        *("page", "status"),
        difference=(one - two).abs(),
        mean="rating",
        low_score=pl.when(one <= two).then(score).otherwise(1.0 - score),
    )
    return Observed(pages, shown, compared.filter(pl.col("status") > UNRATED))


def _with_status(frame: pl.DataFrame) -> pl.DataFrame:
    """A table with the status of a rating on so many games; where the number is not known, it is established."""
    is_settled = pl.col("games").is_null() | (pl.col("games") > _MANY_GAMES)
    settled = pl.when(is_settled).then(pl.lit(ESTABLISHED)).otherwise(pl.lit(PROVISIONAL))
    status = pl.when(pl.col("rating").is_null()).then(pl.lit(UNRATED)).otherwise(settled)
    return frame.with_columns(status=status.cast(pl.Int64))


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
    rating, count = brought.before, brought.games_after - people.counted
    rows = pl.DataFrame({"page": page_of, "rating": rating, "games": count, "played": played}, _ROWS, nan_to_null=True)
    both = {"one": rating[kept.one], "two": rating[kept.other]}
    fewest = np.minimum(count[kept.one], count[kept.other])
    met = {"page": page_of[kept.one], **both, "games": fewest, "score": kept.score}
    rows = rows.filter(pl.Series(shown) & (pl.col("played") > 0))
    return _observed(_pages(archive, rows), rows, pl.DataFrame(met, _GAMES, nan_to_null=True))


def _pages(archive: Archive, rows: pl.DataFrame) -> pl.DataFrame:
    """The pages that rows of an archive are on."""
    years = archive.sections.select(section=pl.int_range(pl.len(), dtype=pl.Int64), year=pl.col("end").dt.year())
    systems = len(RatingSystem)
    pages = rows.group_by("page", maintain_order=True).agg(size=pl.len(), games=pl.col("played").sum() // 2)
    pages = pages.with_columns(section=pl.col("page") // systems, system=pl.col("page") % systems)
    return pages.join(years, on="section", how="left", maintain_order="left").select(*PAGES).cast(PAGES)  # type: ignore[arg-type]


DECILES = tuple(range(10, 100, 10))
QUARTILES = (10, 25, 50, 75, 90)
# A system has figures of its own from so many rated rows on.
ENOUGH_ROWS = 500
MEANS = (600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400)
DIFFERENCES = (0, 50, 100, 150, 200, 250, 300, 400, 500, 600, 800)
WIDE_DIFFERENCES = (0, 100, 200, 300, 400, 600, 800)
WEIGHT = "weight"


class Figure(NamedTuple):
    """A figure of the official pages and of the archive; ``seen`` is on how many official rows or games it rests.

    ``digits`` says how many digits after the point are worth printing.
    """

    group: str
    name: str
    official: float
    simulated: float
    seen: int
    digits: int

    @property
    def difference(self) -> float:
        """By how much the archive's figure exceeds the official one."""
        return self.simulated - self.official


class Resemblance(NamedTuple):
    """Figures side by side; ``matched`` is the share of the pages whose year and system the archive has too."""

    pages: int
    rows: int
    sections: int
    matched: float
    figures: list[Figure]

    @property
    def frame(self) -> pl.DataFrame:
        """Every figure as a row of a table."""
        columns = [*Figure._fields[:4], "difference", "seen"]
        return pl.DataFrame([{name: getattr(one, name) for name in columns} for one in self.figures])


# A figure of one side: its name, its value, how much it rests on and its digits.
Found = tuple[str, float, int, int]
Side = Callable[[Observed], Iterator[Found]]


def resemblance(official: Observed, simulated: Observed) -> Resemblance:
    """Compare what an archive would show with what official pages show."""
    official = official._replace(pages=official.pages.with_columns(pl.lit(1.0).alias(WEIGHT)))
    weighted = _weighted(official.pages, simulated)
    figures = []
    for group, side in _groups(official):
        ours = {name: value for name, value, _, _ in side(weighted)}
        figures += [
            Figure(group, name, value, ours.get(name, math.nan), seen, digits)
            for name, value, seen, digits in side(official)
        ]
    matched = official.pages.join(weighted.pages, on=["year", "system"], how="semi").height / official.pages.height
    return Resemblance(official.pages.height, official.rows.height, weighted.pages.height, matched, figures)


def _weighted(official: pl.DataFrame, simulated: Observed) -> Observed:
    """An archive whose sections count as often as pages of their year and system."""
    kinds = ["year", "system"]
    due, there = official.group_by(kinds).len("due"), simulated.pages.group_by(kinds).len("there")
    shares = due.join(there, on=kinds).select(*kinds, (pl.col("due") / pl.col("there")).alias(WEIGHT))
    pages = simulated.pages.join(shares, on=kinds, maintain_order="left")
    if pages.is_empty():
        raise HistoryError("the archive has no section of a year and system of the pages")
    return simulated._replace(pages=pages)


def _groups(official: Observed) -> Iterator[tuple[str, Side]]:
    """The groups of figures; systems with few official rows have none of their own."""
    rated = official.rows.filter(pl.col("status") > UNRATED).join(official.pages, on="page")
    counts = dict(rated["system"].value_counts().iter_rows())
    systems = [system for system in RatingSystem if counts.get(int(system), 0) >= ENOUGH_ROWS]
    for name, side in (("ratings", _ratings), ("experience", _experience)):
        yield f"{name} of entrants, all systems", side
        for system in systems:
            yield f"{name} of entrants, {system.title}", partial(_of_system, side, system)
    yield "sections", _sections
    yield (
        "rating differences in games",
        lambda one: _quantiles(_with_weights(one.games, one.pages), "difference", QUARTILES),
    )
    is_drawn = ("mean", pl.col("low_score") == 0.5)
    yield "draws, both established, by mean rating", partial(_by_band, ESTABLISHED, is_drawn, MEANS)
    scored = ("difference", pl.col("low_score"))
    title = "score of the lower rated, {}, by difference"
    yield title.format("both established"), partial(_by_band, ESTABLISHED, scored, DIFFERENCES)
    yield title.format("somebody provisional"), partial(_by_band, PROVISIONAL, scored, WIDE_DIFFERENCES)


def _of_system(side: Side, system: RatingSystem, one: Observed) -> Iterator[Found]:
    return side(one._replace(pages=one.pages.filter(pl.col("system") == int(system))))


def _with_weights(frame: pl.DataFrame, pages: pl.DataFrame) -> pl.DataFrame:
    return frame.join(pages.select("page", WEIGHT), on="page")


def quantile(values: Floats, weights: Floats, share: float) -> float:
    """The least value up to which at least so great a share of the weights lies."""
    order = np.argsort(values, kind="stable")
    through = np.cumsum(weights[order])
    # Sums of many shares end a little beside the whole.
    at = int(np.searchsorted(through, share * through[-1] * (1.0 - 1e-12)))
    return float(values[order][at])


def _quantiles(frame: pl.DataFrame, column: str, shares: tuple[int, ...], name: str = "") -> Iterator[Found]:
    known = frame.filter(pl.col(column).is_not_null())
    if known.is_empty():
        return
    values, weights = known[column].cast(pl.Float64).to_numpy(), known[WEIGHT].to_numpy()
    for share in shares:
        yield f"{name}{share} %", quantile(values, weights, share / 100.0), known.height, 0


def _mean(frame: pl.DataFrame, value: pl.Expr) -> float:
    found = frame.select((value.cast(pl.Float64) * pl.col(WEIGHT)).sum() / pl.col(WEIGHT).sum()).item()
    return float(found) if found is not None else math.nan


def _ratings(one: Observed) -> Iterator[Found]:
    return _quantiles(_with_weights(one.rows, one.pages), "rating", DECILES)


def _experience(one: Observed) -> Iterator[Found]:
    """Shares of entrants by status, provisional games, and what both say about the games of a member's life.

    Every member is unrated once. Where members come and go evenly, games per unrated entrant are games per member.
    """
    rows = _with_weights(one.rows, one.pages)
    for name, status in (("unrated", UNRATED), ("provisional", PROVISIONAL), ("established", ESTABLISHED)):
        yield f"{name}, %", 100.0 * _mean(rows, pl.col("status") == status), rows.height, 1
    yield from _quantiles(rows, "before", QUARTILES, "games of the provisional, ")
    yield "games an entry", _mean(rows, pl.col("played")), rows.height, 2
    unrated = _mean(rows, pl.col("status") == UNRATED)
    for name, value in (("entries an unrated player", 1.0), ("games an unrated player", _mean(rows, pl.col("played")))):
        yield name, value / unrated if unrated else math.nan, rows.height, 1


def _sections(one: Observed) -> Iterator[Found]:
    for column in ("size", "games"):
        name = "players" if column == "size" else "games"
        yield from _quantiles(one.pages, column, QUARTILES, f"{name}, ")
        yield f"{name}, mean", _mean(one.pages, pl.col(column)), one.pages.height, 1


def _by_band(status: int, what: tuple[str, pl.Expr], limits: tuple[int, ...], one: Observed) -> Iterator[Found]:
    """The mean of something in percent, in bands of a column, where the less settled of two players has a status."""
    by, value = what
    games = _with_weights(one.games.filter(pl.col("status") == status), one.pages)
    for name, (low, high) in zip(bands(limits), pairwise((-math.inf, *limits, math.inf)), strict=True):
        inside = games.filter((pl.col(by) >= low) & (pl.col(by) < high))
        if not inside.is_empty():
            yield name, 100.0 * _mean(inside, value), inside.height, 1
    yield "all", 100.0 * _mean(games, value), games.height, 1


def resemblance_text(found: Resemblance) -> str:
    """The whole text: a line per figure, official and simulated side by side."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Resemblance) -> Iterator[str]:
    yield f"official: {found.pages:,} pages, {found.rows:,} entrants"
    weighed = "" if math.isclose(found.matched, 1.0) else f"; {100.0 * found.matched:.1f} % of the pages have such"
    yield f"simulated: {found.sections:,} pages of the same years and systems, weighed as the official ones{weighed}"
    yield ""
    yield f"  {'':<34} {'official':>9} {'simulated':>9} {'difference':>10}  {'seen':>7}"
    for group, figures in groupby(found.figures, lambda one: one.group):
        yield group
        yield from (_line(one) for one in figures)


def _line(one: Figure) -> str:
    official, simulated, difference = (
        "–" if math.isnan(value) else f"{value:{sign}.{one.digits}f}"
        for value, sign in ((one.official, ""), (one.simulated, ""), (one.difference, "+"))
    )
    return f"  {one.name:<34} {official:>9} {simulated:>9} {difference:>10}  {one.seen:>7,}"

"""Targets: figures of US Chess that a simulated federation should show, and how far it is from each of them.

One text computes them from official crosstables and from a replayed federation. All are of Regular ratings: what rows
of crosstables show (first ratings, changes by event and by year, bonus), what games show (draws, scores, slope), and
what published lists show (classes of the active, how many are established). Nobody can see ages on crosstables, nor
true strengths. ``targets.json`` holds the official figures with their standard errors, of two halves of the events:
one half to fit on, the other to judge by.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.history.archive import Archive
from crosstable.history.index import Index, build
from crosstable.history.replay import in_silence
from crosstable.lab.documents import plain
from crosstable.lab.measures import PROVISIONAL
from crosstable.lab.posted_pages import history_of, quantile
from crosstable.lab.predictions import Brought, Floats, Progress, games_of, people_of, rated_by
from crosstable.rules.rule_sets import OFFICIAL
from crosstable.terms import RatingSystem
from crosstable.verification.pages import Page

FILE = "targets.json"
HALVES = ("fitted", "judged")
EPOCH = date(1970, 1, 1)
_ORDINAL = EPOCH.toordinal()
SHARES = (25, 50, 75, 90)
BANDS = ((1000, 1199), (1200, 1399), (1400, 1599), (1600, 1799), (1800, 1999))
YEARLY = (*BANDS[:3], (1600, 1999))
# A year between two rows of a member: the first that follows after so many days, and not after so many.
A_YEAR, AT_MOST = 300, 430
# A career: from such a rating on, over so many years.
STRONG, MANY_YEARS = 1600.0, 8.0
WIDE = ((200, 399), (400, 599))
BONUS_ERAS = (("2008-06-01", "2015-05-31"), ("2015-06-01", "2021-12-31"))
DRAWN = ((1200, 1599), (1600, 1999), (2000, 2999))
# Published lists: on which day, of those who played in the twelve months before.
CLASSES = (("2004-12-31", 1600), ("2004-12-31", 2000), ("2004-12-31", 2200), ("2011-04-30", 2093), ("2011-04-30", 2230))
MEAN_DAY, AGE_DAY, EVER_DAY = "2004-12-31", "2011-04-30", "2014-08-31"
YOUNG = 21
POINTS_A_DECADE = 400.0 / math.log(10.0)
NEAR_ERRORS, NEAR_SHARE = 2.0, 0.05


class Seen(NamedTuple):
    """Regular crosstables as tables: a row of ``rows`` per player and section, one of ``games`` per game of the rated.

    ``before`` is null for the unrated. Of a game, ``low_score`` is what the lower rated scored; only games of two
    established players are kept. ``pairs`` are rows of a member about a year apart, ``careers`` the first row of a
    strong member and their last one, many years apart.
    """

    rows: pl.DataFrame
    games: pl.DataFrame
    pairs: pl.DataFrame
    careers: pl.DataFrame


class Target(NamedTuple):
    """A figure with its standard error, and on how many rows or games it rests."""

    group: str
    name: str
    value: float
    error: float
    seen: int
    source: str = ""

    def is_near(self, value: float) -> bool:
        """Whether a value is within two standard errors, or five percent."""
        return abs(value - self.value) <= max(NEAR_ERRORS * self.error, NEAR_SHARE * abs(self.value))


def seen_archive(archive: Archive, threads: int, progress: Progress = in_silence) -> Seen:
    """What the Regular crosstables of an archive show, rated by the official rules of each day."""
    index = build(archive)
    return _seen(archive, index, rated_by(archive, index, OFFICIAL, threads, progress))


def seen_pages(pages: Sequence[Page], threads: int) -> Seen:
    """What posted Regular crosstables show: ratings before and after as posted, bonus as the rules give it."""
    kept = [page for page in pages if page.system is RatingSystem.OTBR]
    archive = history_of(kept)
    index = build(archive)
    brought = rated_by(archive, index, OFFICIAL, threads)
    posted = [
        {"section": at, "member_id": f"{entry.member_id or f'row {entry.number}'} of page {at}", "posted": after}
        for at, page in enumerate(kept)
        for entry in page.checked.section.entries
        if (after := _posted(page, entry.number)) is not None
    ]
    return _seen(archive, index, brought, pl.DataFrame(posted).unique(["section", "member_id"], keep="first"))


def _posted(page: Page, number: int) -> float | None:
    posted = page.players[number].posted.get(page.system)
    return None if posted is None else posted.rating


def _seen(archive: Archive, index: Index, brought: Brought, posted: pl.DataFrame | None = None) -> Seen:
    people = people_of(archive, index, None)
    section = people.section.astype(np.int64)
    chosen = (people.system == RatingSystem.OTBR) & (people.member >= 0) & brought.is_rated
    day = index.history.sections["end"][section].astype(np.int64) - _ORDINAL
    held = archive.sections.select(section=pl.int_range(pl.len(), dtype=pl.Int64), event="event_id")
    rows = pl.DataFrame(
        {
            "row": np.arange(len(section)),
            "section": section,
            "member": people.member.astype(np.int64),
            "day": day,
            "before": brought.before,
            "is_settled": brought.games_after - people.counted > PROVISIONAL,
            "after": brought.after,
            "after_games": brought.games_after,
            "age": people.age,
            "played": people.counted,
            "bonus": np.nan_to_num(brought.bonus),
        },
        nan_to_null=True,
    ).filter(pl.Series(chosen))
    rows = rows.join(held, on="section", maintain_order="left")
    if posted is not None:
        ids = archive.members.select(member=pl.int_range(pl.len(), dtype=pl.Int64), member_id="member_id")
        rows = rows.join(ids, on="member", maintain_order="left").join(posted, on=["section", "member_id"])
        who = pl.col("member_id").str.replace(" of page .*", "")
        rows = rows.with_columns(after="posted", member=who.rank("dense").cast(pl.Int64))
    rows = rows.with_columns(year=pl.from_epoch("day", time_unit="d").dt.year().cast(pl.Int64))
    games = games_of(archive, index, (None, None))
    before, settled = brought.before, brought.games_after - people.counted > PROVISIONAL
    rated = ~np.isnan(before) & settled & chosen
    met = games.where(rated[games.one] & rated[games.other] & (games.system == RatingSystem.OTBR))
    one, other = before[met.one], before[met.other]
    compared = pl.DataFrame(
        {
            "section": met.section.astype(np.int64),
            "day": day[met.one],
            "difference": np.abs(one - other),
            "mean": (one + other) / 2.0,
            "low_score": np.where(one <= other, met.score, 1.0 - met.score),
        }
    ).join(held, on="section", maintain_order="left")
    compared = compared.with_columns(year=pl.from_epoch("day", time_unit="d").dt.year().cast(pl.Int64))
    return Seen(rows, compared, _pairs(rows), _careers(rows))


def _pairs(rows: pl.DataFrame) -> pl.DataFrame:
    """Established rows and the next of the same member about a year later; changes are told for a year."""
    first = rows.filter(pl.col("is_settled") & pl.col("before").is_not_null()).with_columns(then=pl.col("day") + A_YEAR)
    later = rows.filter(pl.col("before").is_not_null()).select("member", then="day", later="before")
    found = first.sort("then").join_asof(
        later.sort("then").with_columns(at="then"),
        on="then",
        by="member",
        strategy="forward",
        tolerance=AT_MOST - A_YEAR,
        check_sortedness=False,
    )
    found = found.filter(pl.col("later").is_not_null())
    years = (pl.col("at") - pl.col("day")) / 365.25
    return found.select("event", "year", "before", change=(pl.col("later") - pl.col("before")) / years)


def _careers(rows: pl.DataFrame) -> pl.DataFrame:
    """Members who were established and strong, and are seen many years later: how they changed, for a year."""
    rated = rows.filter(pl.col("before").is_not_null()).sort("day", "row")
    strong = rated.filter(pl.col("is_settled") & (pl.col("before") >= STRONG))
    first = strong.unique("member", keep="first", maintain_order=True)
    last = rated.unique("member", keep="last", maintain_order=True).select("member", later="before", at="day")
    years = (pl.col("at") - pl.col("day")) / 365.25
    found = first.join(last, on="member", maintain_order="left").filter(years >= MANY_YEARS)
    return found.select("event", "year", change=(pl.col("later") - pl.col("before")) / years)


def half_of(event: str) -> int:
    """Which half an event is in: 0 to fit on, 1 to judge by."""
    return hashlib.sha256(event.encode()).digest()[0] & 1


def only_half(seen: Seen, half: int) -> Seen:
    """One half of the events."""
    events = {event for table in seen for event in table["event"].unique()}
    kept = pl.Series([event for event in sorted(events) if half_of(event) == half], dtype=pl.String)
    return Seen(*(table.filter(pl.col("event").is_in(kept.implode())) for table in seen))


class Weighed(NamedTuple):
    """A table's columns with a weight for each of its rows."""

    columns: Mapping[str, Floats]
    weight: Floats

    def where(self, kept: Any) -> "Weighed":  # noqa: ANN401 (truth values)
        """Some of the rows."""
        return Weighed({name: column[kept] for name, column in self.columns.items()}, self.weight[kept])

    def between(self, column: str, ends: tuple[float, float]) -> "Weighed":
        """The rows between two values, both included when they are whole."""
        values = self.columns[column]
        return self.where((values >= ends[0]) & (values < ends[1] + 1))

    def mean(self, column: str) -> float:
        """The mean of a column."""
        total = float(self.weight.sum())
        return float((self.columns[column] * self.weight).sum()) / total if total else math.nan


Found = tuple[str, str, float, int]


def figures_of(tables: Sequence[Weighed]) -> Iterator[Found]:
    """What crosstables show: group, name, value, and on how many rows or games it rests."""
    rows, games, pairs, careers = tables
    unrated = rows.where(np.isnan(rows.columns["before"]))
    for share in SHARES:
        known = len(unrated.weight) and unrated.weight.sum()
        value = quantile(unrated.columns["after"], unrated.weight, share / 100.0) if known else math.nan
        yield "first rating", f"{share} %", value, len(unrated.weight)
    settled = rows.where((rows.columns["is_settled"] > 0) & ~np.isnan(rows.columns["before"]))
    for ends in BANDS:
        inside = settled.between("before", ends)
        yield "change in an event, established", f"{ends[0]} to {ends[1]}", inside.mean("change"), len(inside.weight)
    for ends in YEARLY:
        inside = pairs.between("before", ends)
        yield "change in a year, established", f"{ends[0]} to {ends[1]}", inside.mean("change"), len(inside.weight)
    known = len(careers.weight) and careers.weight.sum()
    middle = quantile(careers.columns["change"], careers.weight, 0.5) if known else math.nan
    name = f"{STRONG:g} and over, {MANY_YEARS:g} years or more apart, median"
    yield "change in a year, established", name, middle, len(careers.weight)
    for since, until in BONUS_ERAS:
        inside = rows.between("day", (_day(since), _day(until)))
        name = f"{since[:7]} to {until[:7]}"
        yield "bonus points a rating", name, inside.mean("bonus"), len(inside.weight)
    drawn = games._replace(columns={**games.columns, "drawn": 100.0 * (games.columns["low_score"] == 0.5)})
    for ends in DRAWN:
        inside = drawn.between("mean", ends)
        yield (
            "draws, both established, %",
            f"mean rating {ends[0]} to {ends[1]}",
            inside.mean("drawn"),
            len(inside.weight),
        )
    for ends in WIDE:
        inside = games.between("difference", ends)
        name = f"difference {ends[0]} to {ends[1]}"
        yield (
            "score of the lower rated, both established, %",
            name,
            100.0 * inside.mean("low_score"),
            len(inside.weight),
        )
    slope, cost = slope_and_deviance(games)
    yield "expectancies, both established", "best slope", slope, len(games.weight)
    yield "expectancies, both established", "deviance", cost, len(games.weight)


def slope_and_deviance(games: Weighed) -> tuple[float, float]:
    """By what differences are best multiplied (Newton's steps), and the deviance of expectancies as they are."""
    far, score, weight = -games.columns["difference"] / POINTS_A_DECADE, games.columns["low_score"], games.weight
    if not weight.sum():
        return math.nan, math.nan
    slope = 1.0
    for _ in range(8):
        expected = 1.0 / (1.0 + np.exp(-slope * far))
        slope += float((weight * far * (score - expected)).sum() / (weight * far**2 * expected * (1 - expected)).sum())
    cost = np.log1p(np.exp(-far)) + (1.0 - score) * far
    return slope, float((cost * weight).sum() / weight.sum())


def lists_of(rows: pl.DataFrame) -> Iterator[Found]:
    """What lists would show: classes of those who played in the last twelve months, and who ever became established."""
    on = {day: _list_of(rows, day, 365) for day in dict.fromkeys(day for day, _ in CLASSES)}
    for day, rating in CLASSES:
        active = on[day]["after"]
        yield "active members' ratings", f"{rating} and over, {day[:4]}, %", _percent(active >= rating), len(active)
    ratings = on[MEAN_DAY]["after"]
    yield "active members' ratings", f"mean, {MEAN_DAY[:4]}", float(ratings.mean() or math.nan), len(ratings)  # type: ignore[arg-type]
    young, games = on[AGE_DAY]["age"].drop_nulls(), on[AGE_DAY]["in_year"]
    yield "active members", f"under {YOUNG}, {AGE_DAY[:4]}, %", _percent(young < YOUNG), len(young)
    yield "active members", f"games a year, {AGE_DAY[:4]}", float(games.mean() or math.nan), len(games)  # type: ignore[arg-type]
    ever = _list_of(rows, EVER_DAY, None)["after_games"]
    yield "everybody ever rated", f"established, {EVER_DAY[:4]}, %", _percent(ever > PROVISIONAL), len(ever)


def _list_of(rows: pl.DataFrame, day: str, days: int | None) -> pl.DataFrame:
    end = _day(day)
    inside = rows.filter((pl.col("day") <= end) & (pl.col("day") > (end - days if days else -(10**6))))
    return inside.with_columns(in_year=pl.col("played").sum().over("member")).unique("member", keep="last")


def _percent(truths: pl.Series) -> float:
    return 100.0 * float(truths.mean()) if len(truths) else math.nan  # type: ignore[arg-type]


def _day(text: str) -> int:
    return (date.fromisoformat(text) - EPOCH).days


def weighed(seen: Seen, weights: Sequence[Floats] | None = None) -> list[Weighed]:
    """The tables of crosstables as columns; without weights every row counts once."""
    found = []
    for at, table in enumerate(seen):
        if "after" in table.columns:
            table = table.with_columns(change=pl.col("after") - pl.col("before"))
        names = [name for name, kind in table.schema.items() if kind.is_numeric() or kind == pl.Boolean]
        columns = {name: table[name].cast(pl.Float64).fill_null(math.nan).to_numpy() for name in names}
        found.append(Weighed(columns, np.ones(table.height) if weights is None else weights[at]))
    return found


def as_years(seen: Seen, years: Mapping[int, float]) -> list[Weighed]:
    """The tables of a federation, whose years count as often as rows of these years are on official pages."""
    weights = []
    for table in seen:
        there = dict(table["year"].value_counts().iter_rows())
        each = {year: years.get(year, 0.0) / count for year, count in there.items()}
        weights.append(table["year"].replace_strict(each, default=0.0, return_dtype=pl.Float64).to_numpy())
    return weighed(seen, weights)


def official(seen: Seen, replicates: int = 200, seed: int = 1) -> list[Target]:
    """The figures of official crosstables with standard errors from drawing events anew."""
    events = sorted({event for table in seen for event in table["event"].unique()})
    place = {event: at for at, event in enumerate(events)}
    where = [table["event"].replace_strict(place, return_dtype=pl.Int64).to_numpy() for table in seen]
    tables = weighed(seen)
    drawn = []
    for one in range(replicates):
        rng = np.random.Generator(np.random.PCG64([seed, one]))
        times = rng.multinomial(len(events), np.full(len(events), 1.0 / len(events))).astype(np.float64)
        fresh = [table._replace(weight=times[at]) for table, at in zip(tables, where, strict=True)]
        drawn.append([value for _, _, value, _ in figures_of(fresh)])
    errors = [_spread([one for one in column if math.isfinite(one)]) for column in zip(*drawn, strict=True)]
    return [
        Target(group, name, value, error, count)
        for (group, name, value, count), error in zip(figures_of(tables), errors, strict=True)
    ]


def _spread(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def years_of(seen: Seen) -> dict[int, int]:
    """How many rows there are of each year."""
    return dict(sorted(seen.rows["year"].value_counts().iter_rows()))


def simulated_figures(seen: Seen, years: Mapping[int, float]) -> dict[tuple[str, str], float]:
    """Every figure of a federation."""
    found = [*figures_of(as_years(seen, years)), *lists_of(seen.rows)]
    return {(group, name): value for group, name, value, _ in found}


class Official(NamedTuple):
    """The official figures of one half, and how many rows there are of each year."""

    half: str
    targets: list[Target]
    years: dict[int, float]


def packaged(half: str) -> Official:
    """The figures that come with the program."""
    document = json.loads(files("crosstable.lab").joinpath(FILE).read_text(encoding="utf-8"))
    found = [Target(**one) for one in (*document[half]["figures"], *document["published"])]
    return Official(half, found, {int(year): float(count) for year, count in document[half]["years"].items()})


class Distance(NamedTuple):
    """A target and what a federation shows of it; ``spread`` is its deviation over seeds, if there are some."""

    target: Target
    value: float
    spread: float

    @property
    def errors(self) -> float:
        """How many standard errors of the target it is away."""
        return (self.value - self.target.value) / self.target.error

    @property
    def is_near(self) -> bool:
        """Whether it is within two standard errors, or five percent."""
        return self.target.is_near(self.value)


def distances(seen: Sequence[Seen], known: Official) -> list[Distance]:
    """How far federations that differ only in their seed are from every target, in the mean."""
    every = [simulated_figures(one, known.years) for one in seen]
    found = []
    for target in known.targets:
        values = [value for one in every if math.isfinite(value := one[target.group, target.name])]
        mean = math.fsum(values) / len(values) if values else math.nan
        found.append(Distance(target, mean, _spread(values)))
    return found


def distances_text(found: Sequence[Distance]) -> str:
    """A line for every target; a star marks those that are not near."""
    lines = [f"  {'':<30} {'official':>9} {'error':>7} {'simulated':>9} {'errors away':>11}"]
    last = ""
    for one in found:
        target = one.target
        if target.group != last:
            last = target.group
            lines.append(last)
        digits = 3 if abs(target.value) < 2.0 else 1
        mark = "" if one.is_near else "  *"
        numbers = (
            f"{target.value:>9.{digits}f} {target.error:>7.{digits}f} {one.value:>9.{digits}f} {one.errors:>+11.1f}"
        )
        lines.append(f"  {target.name:<30} {numbers}{mark}")
    near = [one.is_near for one in found].count(True)
    lines.append(
        f"{near} of {len(found)} within {NEAR_ERRORS:g} standard errors or {100 * NEAR_SHARE:g} %; * the others"
    )
    return "\n".join(lines) + "\n"


FORMAT = "crosstable-lab-targets/1"


def distances_document(found: Sequence[Distance], known: Official, federations: int) -> dict[str, Any]:
    """The distances for programs; a number that nobody knows is null."""
    return {
        "format": FORMAT,
        "half": known.half,
        "federations": federations,
        "near": [one.is_near for one in found].count(True),
        "targets": [
            {
                "group": one.target.group,
                "name": one.target.name,
                "official": one.target.value,
                "error": one.target.error,
                "seen": one.target.seen,
                "source": one.target.source,
                "simulated": plain(one.value),
                "spread": plain(one.spread),
                "errors_away": plain(one.errors),
                "is_near": one.is_near,
            }
            for one in found
        ],
    }

"""What the record knows of a made-up federation's people beside their results: members, outside ratings, openings."""

from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.history.archive import table_of
from crosstable.lab.names import STATES, member_names
from crosstable.lab.population import EPOCH, WEAKEST, Federation, Population, strength_on
from crosstable.rules.editions import edition_for

FIRST_ID = 10_000_000


class Facts(NamedTuple):
    """What the record knows of members beside their results: the archive's first three tables."""

    members: pl.DataFrame
    outside: pl.DataFrame
    openings: pl.DataFrame


def made_facts(federation: Federation, people: Population, rng: np.random.Generator) -> Facts:
    """What the record knows of the people of a federation."""
    fide, cfc = _has_fide(people, rng), rng.random(len(people.joined)) < federation.canadians
    lists = pl.concat(
        [
            _lists(federation, people, np.flatnonzero(fide), 0, rng),
            _lists(federation, people, np.flatnonzero(cfc), 1, rng),
        ]
    )
    members = _members(federation, people, (fide, cfc), rng)
    outside = table_of("outside", lists.sort("member", "body", "as_of").to_dict())
    return Facts(members, outside, _openings(federation, people, rng))


def _members(
    federation: Federation,
    people: Population,
    outside: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    rng: np.random.Generator,
) -> pl.DataFrame:
    count = len(people.joined)
    fide, cfc = outside
    number = pl.int_range(count, eager=True, dtype=pl.Int64)
    columns = pl.DataFrame(
        {
            "number": number,
            "name": member_names(count, rng),
            "state": pl.Series(STATES).gather(people.region),
            "born": people.born,
            "is_dated": rng.random(count) < federation.dated,
            "is_junior": people.is_junior,
            "says_age": rng.random(count) < np.where(people.is_junior, 0.3, 0.6),
            "canadian_resident": cfc & (rng.random(count) < 0.6),
            "fide": fide,
            "cfc": cfc,
            "flag": rng.random(count) < 0.9,
            "until": people.left + 365,
        }
    )
    made = columns.select(
        member_id=(pl.col("number") + FIRST_ID).cast(pl.String),
        name="name",
        state="state",
        birth_date=pl.when("is_dated").then(pl.col("born").cast(pl.Int32).cast(pl.Date)),
        adult=pl.when(~pl.col("is_dated") & pl.col("says_age")).then(~pl.col("is_junior")),
        canadian_resident="canadian_resident",
        fide_id=pl.when("fide").then((pl.col("number") + 2_000_000).cast(pl.String)).otherwise(pl.lit("")),
        cfc_id=pl.when("cfc").then((pl.col("number") + 100_000).cast(pl.String)).otherwise(pl.lit("")),
        fide_flag=pl.when(~pl.col("fide")).then(pl.lit("")).when("flag").then(pl.lit("USA")).otherwise(pl.lit("CAN")),
        member_until=pl.col("until").cast(pl.Int32).cast(pl.Date),
    )
    return table_of("members", made.to_dict())


def _has_fide(people: Population, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Who has a FIDE rating: most masters, some experts, few others."""
    share = np.select([people.peak >= 2200, people.peak >= 2000, people.peak >= 1700], [0.6, 0.25, 0.03], 0.0)
    return np.asarray(rng.random(len(people.joined)) < share)


# From July 2008 to May 2015 nobody knows how a FIDE rating of 2000 or more was converted (rules history §7). A
# newcomer who brings one then cannot be rated, and a made-up federation keeps clear of that.
GAP_FROM, GAP_TO = (date(2008, 7, 1) - EPOCH).days, (date(2015, 6, 1) - EPOCH).days
HIGHEST_IN_GAP = 2000


def _lists(
    federation: Federation, people: Population, who: NDArray[np.int64], body: int, rng: np.random.Generator
) -> pl.DataFrame:
    """Outside ratings, a list a year: from before joining for those who come from abroad, from later for the others."""
    begins = people.joined[who] + np.where(rng.random(len(who)) < 0.3, -200, rng.integers(200, 1500, len(who)))
    ends = np.minimum(people.left[who], federation.last_day)
    first = _year_of(begins) + 1
    count = np.maximum(_year_of(ends) - first + 1, 0)
    member = np.repeat(who, count)
    year = np.repeat(first, count) + np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    as_of = _first_day_of(year)
    rating = strength_on(people, member, as_of) - 60 + np.rint(rng.normal(0.0, 40.0, len(member))).astype(np.int64)
    is_clear = (rating < HIGHEST_IN_GAP) | (as_of >= GAP_TO) | (people.left[member] < GAP_FROM)
    kept = is_clear & (rating >= 1000) if body == 0 else rating >= 400
    return pl.DataFrame(
        {
            "member": member[kept],
            "body": np.full(int(kept.sum()), body),
            "as_of": pl.Series(as_of[kept], dtype=pl.Int32).cast(pl.Date),
            "rating": rating[kept].astype(np.float64),
        }
    )


def _year_of(days: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(days.astype("M8[D]").astype("M8[Y]").astype(np.int64) + 1970)


def _first_day_of(years: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray((years - 1970).astype("M8[Y]").astype("M8[D]").astype(np.int64))


def _openings(federation: Federation, people: Population, rng: np.random.Generator) -> pl.DataFrame:
    """Regular ratings that founders bring; of half of them the record of wins, draws and losses is not known."""
    founders = np.flatnonzero(people.joined < federation.first_day)
    who = founders[rng.random(len(founders)) < federation.opened]
    count = len(who)
    games = np.rint(rng.lognormal(3.7, 0.8, count)) + 1.0
    rating = strength_on(people, who, federation.first_day) + np.rint(rng.normal(0.0, 60.0, count))
    rating = np.maximum(rating, WEAKEST)
    is_counted = rng.random(count) < 0.5
    wins, losses = np.floor(games * 0.4), np.floor(games * 0.45)
    columns = pl.DataFrame(
        {
            "member": who,
            "rating": rating,
            "games": games,
            "wins": wins,
            "draws": games - wins - losses,
            "losses": losses,
            "events": np.ceil(games / 5.0),
            "peak": rating + np.rint(rng.exponential(40.0, count)),
            "is_counted": is_counted,
        }
    )
    is_established = pl.col("games") > edition_for(federation.start).constants.established_above
    made = columns.select(
        "member",
        "rating",
        system=pl.lit(0),
        as_of=pl.lit(date.fromordinal(federation.start.toordinal() - 1)),
        games=pl.when(pl.col("is_counted") | ~is_established).then("games"),
        **{name: pl.when("is_counted").then(pl.col(name)) for name in ("wins", "draws", "losses", "events")},
        peak=pl.when(pl.col("is_counted") & is_established).then("peak"),
        games_at_2200=pl.lit(0),
        source=pl.lit("the list of the founding day"),
        act=pl.lit(1),
    )
    return table_of("openings", made.to_dict())

"""The people of a made-up federation: when they join and leave, how often they play, how strong they are and become.

Days are counted from 1970-01-01, as the archive's dates are. Strengths are on the scale of the ratings and whole
numbers, so that no machine's library of functions can change who plays whom.
"""

from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.history.archive import table_of
from crosstable.lab.names import STATES, member_names

EPOCH = date(1970, 1, 1)
DAYS_A_YEAR = 365.25
FIRST_ID = 10_000_000
WEAKEST, STRONGEST = 100, 2800


class Federation(NamedTuple):
    """What a federation is like. The same values give the same federation.

    Shares are of members (``juniors`` who improve, ``founders`` who are there on the first day, ``opened`` of them who
    bring a rating, ``dated`` by their birth date, ``canadians``), of sections (``round_robins`` to ``ceilings``), of
    rows in each round (``withdrawals``, ``half_byes``) or of pairings (``forfeits``).
    """

    members: int = 20_000
    sections: int = 10_000
    start: date = date(2001, 1, 1)
    years: int = 25
    seed: int = 1
    # people
    juniors: float = 0.65
    founders: float = 0.12
    opened: float = 0.6
    dated: float = 0.7
    canadians: float = 0.006
    adult_strength: float = 1600.0
    junior_strength: float = 1450.0
    career_years: float = 5.0
    activity_spread: float = 1.1
    members_a_region: int = 2_500
    # sections
    median_size: float = 13.0
    size_spread: float = 0.8
    round_robins: float = 0.10
    double_games: float = 0.03
    matches: float = 0.01
    abroad: float = 0.001
    half_k: float = 0.01
    no_control: float = 0.1
    prizes: float = 0.002
    ceilings: float = 0.0005
    spread_of_strength: float = 150.0
    # rounds
    withdrawals: float = 0.03
    half_byes: float = 0.03
    forfeits: float = 0.005

    @property
    def first_day(self) -> int:
        """The first day, counted from 1970-01-01."""
        return (self.start - EPOCH).days

    @property
    def last_day(self) -> int:
        """The last day, counted from 1970-01-01."""
        return self.first_day + round(self.years * DAYS_A_YEAR) - 1


class Population(NamedTuple):
    """Members in the order they joined, a column per fact. Strength grows from ``peak - gap`` toward ``peak``."""

    joined: NDArray[np.int64]
    left: NDArray[np.int64]
    activity: NDArray[np.float64]
    is_junior: NDArray[np.bool_]
    born: NDArray[np.int64]
    peak: NDArray[np.float64]
    gap: NDArray[np.float64]
    pace_years: NDArray[np.float64]
    region: NDArray[np.int64]


def made_population(federation: Federation, rng: np.random.Generator) -> Population:
    """The people of a federation."""
    count = federation.members
    founders = round(count * federation.founders)
    span = federation.last_day - federation.first_day + 1
    joined = federation.first_day + np.sort(rng.integers(0, span, count - founders))
    joined = np.concatenate((np.full(founders, federation.first_day), joined))
    stays = np.rint(rng.exponential(federation.career_years * DAYS_A_YEAR, count)).astype(np.int64)
    is_junior = rng.random(count) < federation.juniors
    age = np.where(is_junior, rng.triangular(5.0, 9.0, 17.0, count), rng.triangular(17.0, 24.0, 75.0, count))
    peak = np.where(
        is_junior,
        rng.normal(federation.junior_strength, 380.0, count),
        rng.normal(federation.adult_strength, 320.0, count),
    )
    gap = np.where(is_junior, rng.triangular(100.0, 700.0, 1200.0, count), rng.triangular(0.0, 0.0, 250.0, count))
    regions = max(1, min(len(STATES), count // federation.members_a_region))
    return Population(
        joined=joined,
        left=joined + stays,
        activity=rng.lognormal(0.0, federation.activity_spread, count),
        is_junior=is_junior,
        born=joined - np.rint(age * DAYS_A_YEAR).astype(np.int64),
        peak=np.rint(peak),
        gap=np.rint(gap),
        pace_years=rng.triangular(1.0, 3.0, 8.0, count),
        region=rng.integers(0, regions, count),
    )


def strength_on(people: Population, who: NDArray[np.int64], day: int | NDArray[np.int64]) -> NDArray[np.int64]:
    """The true strength of some members on a day."""
    years = np.maximum(day - people.joined[who], 0) / DAYS_A_YEAR
    strength = people.peak[who] - people.gap[who] * np.exp(-years / people.pace_years[who])
    return np.clip(np.rint(strength), WEAKEST, STRONGEST).astype(np.int64)


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
    founders = np.flatnonzero(people.joined == federation.first_day)
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
    is_established = pl.col("games") > 25
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

"""The people of a made-up federation: when they join, pause and leave, how often they play, how strong they are.

Days are counted from 1970-01-01, as the archive's dates are. Strengths are on the scale of the ratings and whole
numbers, so that no machine's library of functions can change who plays whom.
"""

from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.lab.names import STATES

EPOCH = date(1970, 1, 1)
DAYS_A_YEAR = 365.25
WEAKEST, STRONGEST = 100, 2800
# Where nobody says how many regions there are: so many members for each, as far as there are states.
MEMBERS_A_REGION = 2_500
# A day that no federation reaches.
NEVER = 10**7
# Nobody comes at a greater age, nobody plays at a greater one.
OLDEST_COMER, OLDEST = round(80 * DAYS_A_YEAR), round(95 * DAYS_A_YEAR)
# Nobody loses more than so many points by being away; what was lost is won back at this pace.
MOST_RUST, RUST_YEARS = 200.0, 1.0
# Sandbaggers are adults who stay at least so long and have something to hold back.
SANDBAGGER_YEARS, SANDBAGGER_STRENGTH = 3.0, 1200.0
# How much more often people play who are so many points stronger is told by ``keenness``.
KEEN_POINTS, KEEN_MIDDLE = 400.0, 1500.0
# Fast games are for those who know the game: nobody of 800 points, as many as are asked for of 1600, twice as many of
# 2400. Online more juniors play than adults.
FAST_POINTS, FAST_LEAST = 800.0, 1.0
ONLINE_ADULTS = 0.4

Whole = NDArray[np.int64]


class Federation(NamedTuple):
    """What a federation is like. The same values give the same federation.

    ``crosstable.lab.parameters`` says what each value means, and so does docs/lab.md.
    """

    members: int = 20_000
    sections: int = 10_000
    start: date = date(2001, 1, 1)
    years: int = 25
    seed: int = 1
    # people
    juniors: float = 0.62
    founders: float = 0.2
    opened: float = 0.9
    dated: float = 0.7
    canadians: float = 0.006
    adult_strength: float = 1740.0
    adult_spread: float = 350.0
    junior_strength: float = 1400.0
    junior_spread: float = 450.0
    junior_growth: float = 1050.0
    growth_years: float = 3.0
    career_years: float = 5.0
    adult_stay: float = 2.0
    activity_spread: float = 1.25
    keenness: float = 0.35
    returners: float = 0.15
    away_years: float = 5.0
    rust: float = 15.0
    sandbaggers: float = 0.01
    held_back: float = 200.0
    regions: int = 0
    region_spread: float = 50.0
    fast_players: float = 0.07
    online_players: float = 0.35
    # sections
    national: float = 0.1
    online: float = 0.06
    pandemic_from: date | None = date(2020, 3, 1)
    pandemic_to: date | None = date(2021, 6, 30)
    pandemic_board: float = 0.1
    pandemic_online: float = 0.6
    median_size: float = 13.0
    size_spread: float = 0.8
    round_robins: float = 0.10
    double_games: float = 0.03
    matches: float = 0.01
    abroad: float = 0.001
    half_k: float = 0.01
    no_control: float = 0.1
    money: float = 0.05
    prizes: float = 0.004
    ceilings: float = 0.0005
    spread_of_strength: float = 180.0
    # rounds and games
    withdrawals: float = 0.02
    half_byes: float = 0.03
    forfeits: float = 0.005
    white_advantage: int = 30
    draws: float = 0.05
    draws_growth: float = 0.082

    @property
    def first_day(self) -> int:
        """The first day, counted from 1970-01-01."""
        return (self.start - EPOCH).days

    @property
    def last_day(self) -> int:
        """The last day, counted from 1970-01-01."""
        return self.first_day + round(self.years * DAYS_A_YEAR) - 1

    def is_pandemic(self, day: int) -> bool:
        """Whether there are no halls to play in on a day, counted from 1970-01-01."""
        if self.pandemic_from is None or self.pandemic_to is None:
            return False
        return (self.pandemic_from - EPOCH).days <= day <= (self.pandemic_to - EPOCH).days


class Population(NamedTuple):
    """Members in the order they joined, a column per fact. Strength grows from ``peak - gap`` toward ``peak``.

    Those who return are away from ``away`` until ``back`` and come back with ``rust``. Sandbaggers hold ``held_back``
    points back from ``holds`` on, show their strength in money sections from ``collects`` on, and everywhere from
    ``honest`` on.
    """

    joined: Whole
    left: Whole
    away: Whole
    back: Whole
    activity: NDArray[np.float64]
    is_junior: NDArray[np.bool_]
    born: Whole
    peak: NDArray[np.float64]
    gap: NDArray[np.float64]
    pace_years: NDArray[np.float64]
    rust: NDArray[np.float64]
    region: Whole
    plays_fast: NDArray[np.bool_]
    plays_online: NDArray[np.bool_]
    held_back: Whole
    holds: Whole
    collects: Whole
    honest: Whole


def made_population(federation: Federation, rng: np.random.Generator) -> Population:
    """The people of a federation."""
    count = federation.members
    came, joined, is_junior = _comers(federation, rng)
    stays = rng.exponential(1.0, count) * _career(federation, is_junior)
    away, back, away_years = _absences(federation, came, stays, rng)
    age = np.where(is_junior, rng.triangular(5.0, 9.0, 17.0, count), rng.triangular(17.0, 24.0, 75.0, count))
    born = np.maximum(joined - _days(age), came - OLDEST_COMER)
    region, home_strength = _regions(federation, rng)
    peak = home_strength + np.where(
        is_junior,
        rng.normal(federation.junior_strength, federation.junior_spread, count),
        rng.normal(federation.adult_strength, federation.adult_spread, count),
    )
    growth = federation.junior_growth
    gap = np.where(
        is_junior, rng.triangular(growth / 12.0, growth * 7.0 / 12.0, growth, count), rng.triangular(0, 0, 250, count)
    )
    is_sandbagger = ~is_junior & (stays >= SANDBAGGER_YEARS) & (peak >= SANDBAGGER_STRENGTH)
    is_sandbagger &= rng.random(count) < federation.sandbaggers
    return Population(
        joined=joined,
        left=np.minimum(came + _days(stays + away_years), born + OLDEST),
        away=away,
        back=back,
        activity=_activity(federation, peak, rng),
        is_junior=is_junior,
        born=born,
        peak=np.rint(peak),
        gap=np.rint(gap),
        pace_years=federation.growth_years * rng.triangular(0.25, 0.75, 2.0, count),
        rust=np.rint(np.minimum(federation.rust * away_years, MOST_RUST)),
        region=region,
        plays_fast=rng.random(count) < federation.fast_players * np.clip(peak / FAST_POINTS - FAST_LEAST, 0.0, 2.0),
        plays_online=rng.random(count) < federation.online_players * np.where(is_junior, 1.0, ONLINE_ADULTS),
        **_pretences(federation, joined, is_sandbagger, rng),
    )


def _days(years: NDArray[np.float64]) -> Whole:
    return np.rint(years * DAYS_A_YEAR).astype(np.int64)


def _career(federation: Federation, is_junior: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How many years juniors and adults stay, in the mean."""
    return federation.career_years * np.where(is_junior, 1.0, federation.adult_stay)


def _comers(federation: Federation, rng: np.random.Generator) -> tuple[Whole, Whole, NDArray[np.bool_]]:
    """From when on people may play, when they joined, and who is a junior, in the order in which they joined.

    Founders joined before the first day, as long ago as others will stay: the federation is not young when it begins.
    """
    founders = round(federation.members * federation.founders)
    span = federation.last_day - federation.first_day + 1
    came = federation.first_day + np.sort(rng.integers(0, span, federation.members - founders))
    is_junior = rng.random(federation.members) < federation.juniors
    been = _days(rng.exponential(1.0, founders) * _career(federation, is_junior[:founders]))
    order = np.argsort(-been, kind="stable")
    is_junior[:founders] = is_junior[:founders][order]
    first = np.full(founders, federation.first_day)
    return np.concatenate((first, came)), np.concatenate((first - been[order], came)), is_junior


def _absences(
    federation: Federation, came: Whole, stays: NDArray[np.float64], rng: np.random.Generator
) -> tuple[Whole, Whole, NDArray[np.float64]]:
    """When those who return stop and start again, and for how many years: at least one, as many as are asked for."""
    count = len(came)
    returns = rng.random(count) < federation.returners
    stops = came + _days(stays * (0.2 + 0.6 * rng.random(count)))
    years = np.where(returns, 1.0 + rng.exponential(max(federation.away_years - 1.0, 0.0), count), 0.0)
    away = np.where(returns, stops, NEVER)
    return away, np.where(returns, stops + _days(years), NEVER), years


def _regions(federation: Federation, rng: np.random.Generator) -> tuple[Whole, NDArray[np.float64]]:
    """Where everybody lives, in large regions and in small ones, and what that adds to his strength."""
    regions = federation.regions or max(1, min(len(STATES), federation.members // MEMBERS_A_REGION))
    shares = 1.0 / np.sqrt(np.arange(1, regions + 1))
    shares /= shares.sum()
    region = np.searchsorted(np.cumsum(shares)[:-1], rng.random(federation.members), side="right")
    strength = rng.normal(0.0, federation.region_spread, regions)
    return region, np.rint(strength - (strength * shares).sum())[region]


def _activity(federation: Federation, peak: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    chance = rng.lognormal(0.0, federation.activity_spread, len(peak))
    return np.asarray(chance * np.exp(federation.keenness * (peak - KEEN_MIDDLE) / KEEN_POINTS))


def _pretences(
    federation: Federation, joined: Whole, is_sandbagger: NDArray[np.bool_], rng: np.random.Generator
) -> dict[str, Whole]:
    """What sandbaggers hold back, and the three days between their spans: half a year to one and a half each."""
    count = len(joined)
    points = np.rint(federation.held_back * rng.triangular(0.5, 1.0, 1.5, count)).astype(np.int64)
    spans = _days(0.5 + rng.random((3, count)))
    days = joined + np.cumsum(spans, axis=0)
    found = {"held_back": np.where(is_sandbagger, points, 0)}
    for name, day in zip(("holds", "collects", "honest"), days, strict=True):
        found[name] = np.where(is_sandbagger, day, NEVER)
    return found


def strength_on(people: Population, who: Whole, day: int | Whole) -> Whole:
    """The true strength of some members on a day: they do not grow while they are away."""
    stood_still = np.clip(day - people.away[who], 0, people.back[who] - people.away[who])
    years = np.maximum(day - people.joined[who] - stood_still, 0) / DAYS_A_YEAR
    strength = people.peak[who] - people.gap[who] * np.exp(-years / people.pace_years[who])
    since = np.maximum(day - people.back[who], 0) / DAYS_A_YEAR
    strength -= np.where(stood_still > 0, people.rust[who] * np.exp(-since / RUST_YEARS), 0.0)
    return np.clip(np.rint(strength), WEAKEST, STRONGEST).astype(np.int64)


def known_on(people: Population, who: Whole, strength: Whole, day: int) -> Whole:
    """What members of a strength are taken for on a day: sandbaggers for less."""
    pretends = (people.holds[who] <= day) & (day < people.honest[who])
    return np.where(pretends, np.maximum(strength - people.held_back[who], WEAKEST), strength)

"""A made-up federation: its parameters, and its people: when they join, pause and leave, how strong they are.

Days are counted from 1970-01-01, as the archive's dates are. Strengths are on the scale of the ratings and whole
numbers, so that no machine's library of functions can change who plays whom.
"""

import difflib
import math
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Annotated, NamedTuple, get_type_hints

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.errors import HistoryError
from crosstable.rules.editions import EDITIONS

_FIRST_PARTS = ("Al", "Be", "Ca", "Do", "El", "Fa", "Ga", "He", "Il", "Jo", "Ka", "Lo", "Ma", "Ne", "Or", "Ro")
_MIDDLE_PARTS = ("", "ba", "di", "lo", "mi", "na", "ri", "ta", "ve", "lan", "ren", "sil")
_LAST_PARTS = ("dra", "kin", "la", "len", "mar", "na", "ric", "ron", "ssa", "tan", "via", "vin")
_ENDINGS = ("bech", "dale", "fell", "gard", "hurst", "lund", "mere", "nall", "quist", "rell", "thorpe", "wick")
_TOWN_ENDINGS = ("borough", "bridge", "bury", "field", "ford", "haven", "ton", "ville", "water", "wood")
# Coprime to every number of combinations below, so that stepping by it meets each of them once.
_STEP = 1_000_003
# Two letters that no real state has.
STATES = tuple(f"{letter}Q" for letter in "ABCDEFGHIKLMNOPRSTUVWXYZ") + tuple(
    f"{letter}X" for letter in "ABCDEFGHIKLMNOPRSUVW"
)


def member_names(count: int, rng: np.random.Generator) -> pl.Series:
    """Names as "Last, First", all different up to some five million."""
    given = [one + two + three for one in _FIRST_PARTS for two in _MIDDLE_PARTS for three in _LAST_PARTS]
    family = [one + two + three for one in _FIRST_PARTS for two in _MIDDLE_PARTS for three in _ENDINGS]
    combinations = len(given) * len(family)
    start = int(rng.integers(combinations))
    chosen = (np.arange(count, dtype=np.int64) * _STEP + start) % combinations
    table = pl.DataFrame(
        {
            "family": pl.Series(family).gather(chosen // len(given)),
            "given": pl.Series(given).gather(chosen % len(given)),
        }
    )
    return table.select(pl.concat_str("family", "given", separator=", ").alias("name"))["name"]


def town_names(count: int, rng: np.random.Generator) -> list[str]:
    """Names of places, all different up to some two thousand."""
    towns = [one + two + three for one in _FIRST_PARTS for two in _MIDDLE_PARTS for three in _TOWN_ENDINGS]
    return [towns[at] for at in rng.permutation(len(towns))[:count]]


EPOCH = date(1970, 1, 1)
DAYS_A_YEAR = 365.25
WEAKEST, STRONGEST = 100, 2800
# Where nobody says how many regions there are: so many members for each, as far as there are states.
MEMBERS_A_REGION = 2_500
# A day that no federation reaches.
NEVER = 10**7
# Nobody comes at a greater age, nobody plays at a greater one.
OLDEST_COMER, OLDEST = round(80 * DAYS_A_YEAR), round(95 * DAYS_A_YEAR)
# Nobody has been a member for more years on the first day.
OLDEST_MEMBERSHIP = 60.0
# Nobody improves more than so many times as fast, or as slowly, as others for playing more or less.
MOST_PRACTICE = 5.0
# Nobody loses more than so many points by being away; what was lost is won back at this pace.
MOST_RUST, RUST_YEARS = 200.0, 1.0
# From this age on members get weaker, if they do at all.
DECLINE_AGE = 40.0
# Sandbaggers are adults who stay at least so long and have something to hold back.
SANDBAGGER_YEARS, SANDBAGGER_STRENGTH = 3.0, 1200.0
# How much more often people play who are so many points stronger is told by ``keenness``.
KEEN_POINTS, KEEN_MIDDLE = 400.0, 1500.0
# Fast games are for those who know the game: nobody of 800 points, as many as are asked for of 1600, twice as many of
# 2400. Online more juniors play than adults.
FAST_POINTS, FAST_LEAST = 800.0, 1.0
ONLINE_ADULTS = 0.4
# From July 2008 to May 2015 nobody knows how a FIDE rating of 2000 or more was converted (rules history §7). An
# unrated player who brings one then cannot be rated, and a made-up federation keeps clear of that.
GAP_FROM, GAP_TO = (date(2008, 7, 1) - EPOCH).days, (date(2015, 6, 1) - EPOCH).days
HIGHEST_IN_GAP = 2000

Whole = NDArray[np.int64]


class Parameter(NamedTuple):
    """What a parameter is (a share from 0 to 1, an amount from 0 on, any number, a count, a day), and what it means."""

    sort: str
    meaning: str
    least: float = 0.0


_share, _amount, _number, _count, _day = (
    partial(Parameter, sort) for sort in ("share", "amount", "number", "count", "day")
)


class Federation(NamedTuple):
    """What a federation is like; docs/lab-federation.md lists the same. The same values give the same federation."""

    members: Annotated[int, _count("members who join in all", 20)] = 20_000
    sections: Annotated[int, _count("sections that are played, about", 1)] = 10_000
    start: Annotated[date, _day("the first day")] = date(2001, 1, 1)
    years: Annotated[int, _count("years from the first day on", 1)] = 25
    seed: Annotated[int, _count("another seed, another federation", 1)] = 1
    # people
    juniors: Annotated[float, _share("members who join as juniors and improve")] = 0.62
    founders: Annotated[float, _share("members who are there on the first day, having joined before it")] = 0.2
    opened: Annotated[float, _share("founders who bring a rating")] = 0.9
    opened_below: Annotated[float, _number("points by which these ratings are below their strength, in the mean")] = 0.0
    dated: Annotated[float, _share("members whose birth date is known")] = 0.7
    canadians: Annotated[float, _share("members with a CFC rating")] = 0.006
    adult_strength: Annotated[float, _number("mean strength that adults reach")] = 1740.0
    adult_spread: Annotated[float, _amount("standard deviation of it")] = 350.0
    junior_strength: Annotated[float, _number("mean strength that juniors would reach if they stayed")] = 1400.0
    junior_spread: Annotated[float, _amount("standard deviation of it")] = 450.0
    junior_growth: Annotated[
        float, _amount("the most that a junior improves, in points; the likeliest improvement is 7/12 of it", 1.0)
    ] = 1050.0
    adult_growth: Annotated[
        float,
        _amount("the most that an adult improves, in points; small improvements are likelier than large ones", 1.0),
    ] = 250.0
    growth_years: Annotated[float, _amount("years in which about two thirds of an improvement happen", 0.01)] = 3.0
    talent: Annotated[
        float,
        _number("points that members improve more for each point that they get stronger than the mean"),
    ] = 0.0
    decline: Annotated[float, _amount("points lost for each year after the age of 40")] = 0.0
    practice: Annotated[
        float,
        _amount("exponent: the speed of improvement is proportional to how often a member plays, to this power"),
    ] = 0.0
    career_years: Annotated[float, _amount("years that a junior stays, in the mean")] = 5.0
    adult_stay: Annotated[float, _amount("how many times as long an adult stays")] = 2.0
    stay_shape: Annotated[
        float,
        _amount("at 1, a member is equally likely to leave on any day; below 1, more leave soon after joining", 0.2),
    ] = 1.0
    activity_spread: Annotated[float, _amount("standard deviation of the logarithm of how often members play")] = 1.25
    keenness: Annotated[float, _number("what 400 points of strength add to that logarithm")] = 0.35
    returners: Annotated[float, _share("members who stop for some years and return")] = 0.15
    away_years: Annotated[float, _amount("years that they are away, in the mean, and at least one", 1.0)] = 5.0
    rust: Annotated[
        float, _amount("points lost for each year away, at most 200; two thirds of the loss is recovered in a year")
    ] = 15.0
    sandbaggers: Annotated[
        float, _share("share of sandbaggers among the adults who reach 1200 and stay three years or more")
    ] = 0.01
    held_back: Annotated[
        float, _amount("points that a sandbagger holds back, on average; each holds back 0.5 to 1.5 times this")
    ] = 200.0
    regions: Annotated[int, _count("number of regions, at most 44; 0 means one region per 2500 members")] = 0
    region_spread: Annotated[float, _amount("standard deviation of the mean strengths of regions")] = 50.0
    fast_players: Annotated[
        float, _share("share of members of strength 1600 who play Quick and Blitz; stronger members do more often")
    ] = 0.07
    online_players: Annotated[float, _share("share of juniors who play online; for adults it is 0.4 times this")] = 0.35
    # sections
    national: Annotated[
        float, _share("share of sections over the board that are open to the whole country; of online sections 0.8 are")
    ] = 0.1
    online: Annotated[float, _share("sections online, from October 2014 on")] = 0.06
    pandemic_from: Annotated[date | None, _day("the first day of the pandemic; none: no pandemic")] = date(2020, 3, 1)
    pandemic_to: Annotated[date | None, _day("the last day of the pandemic; none: no pandemic")] = date(2021, 6, 30)
    pandemic_board: Annotated[
        float, _amount("sections over the board in these months, as a share of all usual ones")
    ] = 0.1
    pandemic_online: Annotated[float, _amount("sections online in these months, as a share of all usual ones")] = 0.6
    median_size: Annotated[float, _amount("median number of players of a Swiss section", 2.0)] = 13.0
    size_spread: Annotated[float, _amount("standard deviation of the logarithm of that number")] = 0.8
    round_robins: Annotated[float, _share("sections that are round robins, most of four players")] = 0.10
    double_games: Annotated[float, _share("sections with two games a pairing; of Blitz sections nine tenths")] = 0.03
    matches: Annotated[float, _share("sections that are matches")] = 0.01
    abroad: Annotated[float, _share("sections that are foreign FIDE events")] = 0.001
    half_k: Annotated[float, _share("share of sections rated with half K, while the rules allowed it")] = 0.01
    no_control: Annotated[float, _share("early sections whose reports name systems instead of a time control")] = 0.1
    money: Annotated[float, _share("Swiss sections for slow games that are played for money")] = 0.05
    prizes: Annotated[float, _share("Swiss sections for slow games whose winner earns a floor by the prize")] = 0.004
    ceilings: Annotated[float, _share("sections after which somebody is given a ceiling")] = 0.0005
    spread_of_strength: Annotated[float, _amount("points by which a director misjudges a player's strength")] = 180.0
    # rounds and games
    withdrawals: Annotated[float, _share("players who withdraw before a round")] = 0.02
    half_byes: Annotated[float, _share("players who take a half-point bye in a round")] = 0.03
    forfeits: Annotated[float, _share("pairings that are forfeited")] = 0.005
    white_advantage: Annotated[int, _count("points of strength that White is worth")] = 30
    draws: Annotated[float, _share("games between equal beginners that are drawn")] = 0.05
    draws_growth: Annotated[
        float,
        _amount("what is added to that share for two players of strength 1000; for two of 2000, four times as much"),
    ] = 0.082
    form: Annotated[float, _amount("standard deviation of how much stronger or weaker somebody plays in a section")] = (
        0.0
    )

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

    From the age of ``DECLINE_AGE`` on a member loses ``decline`` points a year.
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
    decline: NDArray[np.float64]
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
    stays = _evened(federation, rng.exponential(1.0, count)) * _career(federation, is_junior)
    if federation.stay_shape != 1.0:
        _settle_founders(federation, (joined, is_junior, stays), rng)
    away, back, away_years = _absences(federation, came, stays, rng)
    age = np.where(is_junior, rng.triangular(5.0, 9.0, 17.0, count), rng.triangular(17.0, 24.0, 75.0, count))
    born = np.maximum(joined - _days(age), came - OLDEST_COMER)
    region, home_strength = _regions(federation, rng)
    peak, gap = _strengths(federation, is_junior, home_strength, rng)
    is_sandbagger = ~is_junior & (stays >= SANDBAGGER_YEARS) & (peak >= SANDBAGGER_STRENGTH)
    is_sandbagger &= rng.random(count) < federation.sandbaggers
    plays = rng.lognormal(0.0, federation.activity_spread, count)
    return Population(
        joined=joined,
        left=np.minimum(came + _days(stays + away_years), born + OLDEST),
        away=away,
        back=back,
        activity=plays * np.exp(federation.keenness * (peak - KEEN_MIDDLE) / KEEN_POINTS),
        is_junior=is_junior,
        born=born,
        peak=np.rint(peak),
        gap=np.rint(gap),
        pace_years=federation.growth_years
        * rng.triangular(0.25, 0.75, 2.0, count)
        * np.clip(plays, 1.0 / MOST_PRACTICE, MOST_PRACTICE) ** -federation.practice,
        rust=np.rint(np.minimum(federation.rust * away_years, MOST_RUST)),
        decline=np.full(count, federation.decline),
        region=region,
        plays_fast=rng.random(count) < federation.fast_players * np.clip(peak / FAST_POINTS - FAST_LEAST, 0.0, 2.0),
        plays_online=rng.random(count) < federation.online_players * np.where(is_junior, 1.0, ONLINE_ADULTS),
        **_pretences(federation, joined, is_sandbagger, rng),
    )


def _strengths(
    federation: Federation, is_junior: NDArray[np.bool_], home_strength: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How strong members get, and how far below that they start: those who get stronger improve more, by ``talent``."""
    count = len(is_junior)
    mean = np.where(is_junior, federation.junior_strength, federation.adult_strength)
    peak = home_strength + np.where(
        is_junior,
        rng.normal(federation.junior_strength, federation.junior_spread, count),
        rng.normal(federation.adult_strength, federation.adult_spread, count),
    )
    growth = federation.junior_growth
    gap = np.where(
        is_junior,
        rng.triangular(growth / 12.0, growth * 7.0 / 12.0, growth, count),
        rng.triangular(0, 0, federation.adult_growth, count),
    )
    return peak, np.maximum(gap + federation.talent * (peak - home_strength - mean), 0.0)


def _days(years: NDArray[np.float64]) -> Whole:
    return np.rint(years * DAYS_A_YEAR).astype(np.int64)


def _career(federation: Federation, is_junior: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How many years juniors and adults stay, in the mean."""
    return federation.career_years * np.where(is_junior, 1.0, federation.adult_stay)


def _evened(federation: Federation, waits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exponential waits of mean 1 as Weibull's, of mean 1 too: below a shape of 1 more are short, and some long."""
    shape = federation.stay_shape
    return np.asarray(waits ** (1.0 / shape) / math.gamma(1.0 + 1.0 / shape))


def _settle_founders(
    federation: Federation, comers: tuple[Whole, NDArray[np.bool_], NDArray[np.float64]], rng: np.random.Generator
) -> None:
    """Founders as those who are there on a day: the longer somebody stays, the likelier they are among them.

    Who leaves on any day alike goes on as they came; otherwise who has been there for long stays on for long.
    """
    joined, is_junior, stays = comers
    founders, shape = round(federation.members * federation.founders), federation.stay_shape
    adults = (1.0 - federation.juniors) * federation.adult_stay
    is_junior[:founders] = rng.random(founders) * (federation.juniors + adults) >= adults
    whole = rng.gamma(1.0 + 1.0 / shape, 1.0, founders) ** (1.0 / shape) / math.gamma(1.0 + 1.0 / shape)
    whole *= _career(federation, is_junior[:founders])
    been = np.minimum(whole * rng.random(founders), OLDEST_MEMBERSHIP)
    order = np.argsort(-been, kind="stable")
    is_junior[:founders] = is_junior[:founders][order]
    joined[:founders] = federation.first_day - _days(been[order])
    stays[:founders] = (whole - been)[order]


def _comers(federation: Federation, rng: np.random.Generator) -> tuple[Whole, Whole, NDArray[np.bool_]]:
    """From when on people may play, when they joined, and who is a junior, in the order in which they joined.

    Founders joined before the first day, as long ago as others will stay: the federation is not young when it begins.
    """
    founders = round(federation.members * federation.founders)
    span = federation.last_day - federation.first_day + 1
    came = federation.first_day + np.sort(rng.integers(0, span, federation.members - founders))
    is_junior = rng.random(federation.members) < federation.juniors
    been = _days(_evened(federation, rng.exponential(1.0, founders)) * _career(federation, is_junior[:founders]))
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
    """Where everybody lives, in large regions and in small ones, and what that adds to their strength."""
    regions = federation.regions or max(1, min(len(STATES), federation.members // MEMBERS_A_REGION))
    shares = 1.0 / np.sqrt(np.arange(1, regions + 1))
    shares /= shares.sum()
    region = np.searchsorted(np.cumsum(shares)[:-1], rng.random(federation.members), side="right")
    strength = rng.normal(0.0, federation.region_spread, regions)
    return region, np.rint(strength - (strength * shares).sum())[region]


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


def numbered(sizes: Whole) -> Whole:
    """Numbers from 0 on in groups of these sizes, one group after the other."""
    return np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def strength_on(people: Population, who: Whole, day: int | Whole) -> Whole:
    """The true strength of some members on a day: they do not grow while they are away."""
    stood_still = np.clip(day - people.away[who], 0, people.back[who] - people.away[who])
    years = np.maximum(day - people.joined[who] - stood_still, 0) / DAYS_A_YEAR
    strength = people.peak[who] - people.gap[who] * np.exp(-years / people.pace_years[who])
    age = (day - people.born[who]) / DAYS_A_YEAR
    strength -= people.decline[who] * np.maximum(age - DECLINE_AGE, 0.0)
    since = np.maximum(day - people.back[who], 0) / DAYS_A_YEAR
    strength -= np.where(stood_still > 0, people.rust[who] * np.exp(-since / RUST_YEARS), 0.0)
    return np.clip(np.rint(strength), WEAKEST, STRONGEST).astype(np.int64)


def known_on(people: Population, who: Whole, strength: Whole, day: int) -> Whole:
    """What members of a strength are taken for on a day: sandbaggers for less."""
    pretends = (people.holds[who] <= day) & (day < people.honest[who])
    return np.where(pretends, np.maximum(strength - people.held_back[who], WEAKEST), strength)


# Beyond these nothing is a federation any more.
MOST_YEARS = 40
HIGHEST = 1e7

PARAMETERS: Mapping[str, Parameter] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(Federation, include_extras=True).items()
}


def changed(federation: Federation, changes: list[str]) -> Federation:
    """A federation with some parameters changed, each written as ``name=value``; raises ``HistoryError``."""
    for change in changes:
        name, is_set, text = change.partition("=")
        name = name.strip()
        if not is_set:
            raise HistoryError(f"{change!r} changes nothing; write it as NAME=VALUE")
        if name not in PARAMETERS:
            near = difflib.get_close_matches(name, PARAMETERS, 1)
            raise HistoryError(f"there is no parameter {name!r}" + (f"; {near[0]!r} is one" if near else ""))
        federation = federation._replace(**{name: _value(name, text.strip())})  # type: ignore[arg-type]
    return federation


def _value(name: str, text: str) -> int | float | date | None:
    sort, _, least = PARAMETERS[name]
    try:
        if sort == "day":
            return None if text == "none" and name != "start" else _day_of_rules(name, date.fromisoformat(text))
        value = int(text) if sort == "count" else float(text)
    except ValueError:
        raise HistoryError(f"{name} is a {sort}, and {text!r} is none") from None
    low = -HIGHEST if sort == "number" else least
    high = {"years": MOST_YEARS, "regions": len(STATES)}.get(name, 1.0 if sort == "share" else HIGHEST)
    if not low <= value <= high:
        raise HistoryError(f"{name} should be from {low:g} to {high:g}, and is {text}")
    return value


def _day_of_rules(name: str, day: date) -> date:
    """A day on which there are rules to rate by, where sections begin on it."""
    if name == "start" and day < EDITIONS[0].effective:
        raise HistoryError(
            f"start should be {EDITIONS[0].effective} or later, and is {day}: no rules are known from before"
        )
    return day


def parameter_lines(federation: Federation) -> list[str]:
    """Every parameter with its value and its meaning."""
    width = max(len(name) for name in PARAMETERS)
    values = {name: written(getattr(federation, name)) for name in PARAMETERS}
    longest = max(len(value) for value in values.values())
    return [
        f"{name:<{width}}  {values[name]:>{longest}}  {PARAMETERS[name].sort:<6}  {PARAMETERS[name].meaning}"
        for name in PARAMETERS
    ]


def written(value: int | float | date | str | None) -> str:
    """A value as it is written in a change, with every digit that it has."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return str(value)

"""The parameters of a made-up federation: what each one means, how it is written, and what it may be."""

import difflib
from datetime import date
from enum import Enum
from typing import NamedTuple

from crosstable.errors import HistoryError
from crosstable.lab.names import STATES
from crosstable.lab.population import Federation
from crosstable.rules.editions import EDITIONS


class Sort(Enum):
    """What a parameter is: a share from 0 to 1, another amount from 0 on, any number, a whole number, a day."""

    SHARE = "share"
    AMOUNT = "amount"
    NUMBER = "number"
    COUNT = "count"
    DAY = "day"


class Parameter(NamedTuple):
    """What a parameter is and means; ``least`` is the least that it may be."""

    sort: Sort
    meaning: str
    least: float = 0.0


_SHARE, _AMOUNT, _NUMBER, _COUNT, _DAY = Sort
# Beyond these nothing is a federation any more.
MOST_YEARS = 40
HIGHEST = 1e7

PARAMETERS: dict[str, Parameter] = {
    "members": Parameter(_COUNT, "members who join in all", 20),
    "sections": Parameter(_COUNT, "sections that are played, about", 1),
    "start": Parameter(_DAY, "the first day"),
    "years": Parameter(_COUNT, "years from the first day on", 1),
    "seed": Parameter(_COUNT, "another seed, another federation", 1),
    "juniors": Parameter(_SHARE, "members who join as juniors and improve"),
    "founders": Parameter(_SHARE, "members who are there on the first day, having joined before it"),
    "opened": Parameter(_SHARE, "founders who bring a rating"),
    "dated": Parameter(_SHARE, "members whose birth date is known"),
    "canadians": Parameter(_SHARE, "members with a CFC rating"),
    "adult_strength": Parameter(_NUMBER, "mean strength that adults reach"),
    "adult_spread": Parameter(_AMOUNT, "standard deviation of it"),
    "junior_strength": Parameter(_NUMBER, "mean strength that juniors would reach if they stayed"),
    "junior_spread": Parameter(_AMOUNT, "standard deviation of it"),
    "junior_growth": Parameter(_AMOUNT, "the most by which a junior improves; seven twelfths of it are likeliest", 1.0),
    "growth_years": Parameter(_AMOUNT, "years in which about two thirds of an improvement happen", 0.01),
    "career_years": Parameter(_AMOUNT, "years that a junior stays, in the mean"),
    "adult_stay": Parameter(_AMOUNT, "how many times as long an adult stays"),
    "activity_spread": Parameter(_AMOUNT, "standard deviation of the logarithm of how often members play"),
    "keenness": Parameter(_NUMBER, "what 400 points of strength add to that logarithm"),
    "returners": Parameter(_SHARE, "members who stop for some years and return"),
    "away_years": Parameter(_AMOUNT, "years that they are away, in the mean, and at least one", 1.0),
    "rust": Parameter(_AMOUNT, "points lost for each year away, at most 200 in all; two thirds are back in a year"),
    "sandbaggers": Parameter(_SHARE, "adults of 1200 and more who stay three years and are sandbaggers"),
    "held_back": Parameter(_AMOUNT, "points that they hold back, in the mean; from half of it to one and a half"),
    "regions": Parameter(_COUNT, "regions, at most 44; 0 for one for every 2500 members"),
    "region_spread": Parameter(_AMOUNT, "standard deviation of the mean strengths of regions"),
    "fast_players": Parameter(_SHARE, "members of 1600 who play Quick and Blitz sections; more the stronger they are"),
    "online_players": Parameter(_SHARE, "juniors who play online; of adults four tenths of that"),
    "national": Parameter(_SHARE, "sections open to the whole country; of those online eight tenths are"),
    "online": Parameter(_SHARE, "sections online, from October 2014 on"),
    "pandemic_from": Parameter(_DAY, "the day from which there are no halls to play in, or none"),
    "pandemic_to": Parameter(_DAY, "the last such day, or none"),
    "pandemic_board": Parameter(
        _AMOUNT, "sections over the board in months that begin then, as a share of all usual ones"
    ),
    "pandemic_online": Parameter(_AMOUNT, "sections online in those months, as a share of all usual ones"),
    "median_size": Parameter(_AMOUNT, "median number of players of a Swiss section", 2.0),
    "size_spread": Parameter(_AMOUNT, "standard deviation of the logarithm of that number"),
    "round_robins": Parameter(_SHARE, "sections that are round robins, most of four players"),
    "double_games": Parameter(_SHARE, "sections with two games in every pairing; of Blitz sections nine tenths"),
    "matches": Parameter(_SHARE, "sections that are matches"),
    "abroad": Parameter(_SHARE, "sections that are foreign FIDE events"),
    "half_k": Parameter(_SHARE, "sections rated with half K, as long as the rules knew that"),
    "no_control": Parameter(_SHARE, "sections of the first years whose reports name systems instead of a time control"),
    "money": Parameter(_SHARE, "Swiss sections for slow games that are played for money"),
    "prizes": Parameter(_SHARE, "Swiss sections for slow games whose winner earns a floor by his prize"),
    "ceilings": Parameter(_SHARE, "sections after which somebody is given a ceiling"),
    "spread_of_strength": Parameter(
        _AMOUNT, "points by which a player is misplaced when sections are made by strength"
    ),
    "withdrawals": Parameter(_SHARE, "players who withdraw before a round"),
    "half_byes": Parameter(_SHARE, "players who take a half-point bye in a round"),
    "forfeits": Parameter(_SHARE, "pairings that are forfeited"),
    "white_advantage": Parameter(_COUNT, "points of strength that White is worth"),
    "draws": Parameter(_SHARE, "games between equal beginners that are drawn"),
    "draws_growth": Parameter(
        _AMOUNT, "what is added to it for equals of 1000 points; at 2000 it is four times as much"
    ),
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
        if sort is Sort.DAY:
            return None if text == "none" and name != "start" else _day(name, date.fromisoformat(text))
        if sort is Sort.COUNT:
            value: int | float = int(text)
        else:
            value = float(text)
    except ValueError:
        raise HistoryError(f"{name} is a {sort.value}, and {text!r} is none") from None
    low = -HIGHEST if sort is Sort.NUMBER else least
    high = {"years": MOST_YEARS, "regions": len(STATES)}.get(name, 1.0 if sort is Sort.SHARE else HIGHEST)
    if not low <= value <= high:
        raise HistoryError(f"{name} should be from {low:g} to {high:g}, and is {text}")
    return value


def _day(name: str, day: date) -> date:
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
        f"{name:<{width}}  {values[name]:>{longest}}  {PARAMETERS[name].sort.value:<6}  {PARAMETERS[name].meaning}"
        for name in PARAMETERS
    ]


def written(value: int | float | date | str | None) -> str:
    """A value as it is written in a change, with every digit that it has."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return str(value)

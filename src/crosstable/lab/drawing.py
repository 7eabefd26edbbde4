"""Who is drawn into the sections of a month: pools of members, by what they like to play and where they live.

Everybody plays slow games over the board; only some play fast ones, and only some play online. Most sections are of one
region, the others, and most of those online, are open to the whole country.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.lab.playing import MOST_PLAYERS, Whole
from crosstable.lab.population import Federation, Population, known_on, strength_on

BOARD, FAST, ONLINE = POOLS = range(3)
# How many of the sections over the board are for fast games alone.
FAST_SHARE = 0.17
# Online hardly anybody asks where a player lives.
ONLINE_NATIONAL = 0.8
# A pool or a region with fewer players holds no section of its own.
FEWEST_IN_POOL = 24
SMALLEST_SWISS = 4
ONLINE_FROM = int(np.datetime64("2014-10-01", "D").astype(np.int64))
NATIONAL = -1


class Present(NamedTuple):
    """Who may play in a month: the members who are active, by region, and what a director would know of them.

    ``regular_games`` counts every member's Regular games so far; ``goes_abroad`` says whose foreign events are rated.
    """

    day: int
    active: Whole
    regular_games: Whole
    goes_abroad: NDArray[np.bool_]


class Rows(NamedTuple):
    """The rows of a month's open sections, section by section: true strength, and what the player is taken for."""

    section: Whole
    member: Whole
    strength: Whole
    known: Whole


class Pool(NamedTuple):
    """Members by region; ``through`` adds up how often they play, ``first`` says where each region begins."""

    who: Whole
    through: NDArray[np.float64]
    first: Whole

    @property
    def bounds(self) -> NDArray[np.float64]:
        """What is added up where each region begins, and at the end."""
        return np.concatenate(([0.0], self.through))[self.first]


def online_share(federation: Federation, day: int) -> float:
    """How many of a month's sections are online."""
    if day < ONLINE_FROM:
        return 0.0
    if not federation.is_pandemic(day):
        return federation.online
    return federation.pandemic_online / max(federation.pandemic_board + federation.pandemic_online, 1e-9)


def pools_of(people: Population, present: Present) -> list[Pool]:
    """Who plays what; where too few play something, everybody does."""
    regions = int(people.region.max(initial=0)) + 1
    found = []
    for likes in (None, people.plays_fast, people.plays_online):
        who = present.active if likes is None else present.active[likes[present.active]]
        if len(who) < FEWEST_IN_POOL:
            who = present.active
        first = np.searchsorted(people.region[who], np.arange(regions + 1))
        found.append(Pool(who, np.cumsum(people.activity[who]), first))
    return found


class Places(NamedTuple):
    """Where sections are held: the pool, the region (or the whole country), and how many players it could have."""

    pool: Whole
    region: Whole
    most: Whole


def placed(federation: Federation, pools: list[Pool], sections: int, day: int, rng: np.random.Generator) -> Places:
    """Where a month's sections are held, in the order of pools and regions."""
    is_online = rng.random(sections) < online_share(federation, day)
    pool = np.where(is_online, ONLINE, np.where(rng.random(sections) < FAST_SHARE, FAST, BOARD))
    is_national = rng.random(sections) < np.where(is_online, ONLINE_NATIONAL, federation.national)
    chance = rng.random(sections)
    region = np.full(sections, NATIONAL)
    most = np.zeros(sections, dtype=np.int64)
    for at, one in enumerate(pools):
        here = np.flatnonzero(pool == at)
        # As many sections as its players play.
        home = np.searchsorted(one.bounds[1:-1], chance[here] * one.bounds[-1], side="right")
        count = np.diff(one.first)[home]
        stays = ~is_national[here] & (count >= FEWEST_IN_POOL)
        region[here] = np.where(stays, home, NATIONAL)
        most[here] = np.where(stays, count, len(one.who)) // 2
    order = np.lexsort((region, pool))
    return Places(pool[order], region[order], np.clip(most[order], SMALLEST_SWISS, MOST_PLAYERS))


def drawn(
    people: Population,
    pools: list[Pool],
    places: Places,
    size: Whole,
    judging: tuple[int, float],
    rng: np.random.Generator,
) -> Rows:
    """Members by how often they play, those of about one strength in one section, each at most once in it.

    ``judging`` is the day and how far a director misjudges strengths.
    """
    day, spread = judging
    section = np.repeat(np.arange(len(size)), size)
    pool, region = places.pool[section], places.region[section]
    chance = rng.random(len(section))
    member = np.zeros(len(section), dtype=np.int64)
    for at, one in enumerate(pools):
        here = np.flatnonzero(pool == at)
        home = region[here]
        is_national = home == NATIONAL
        low = np.where(is_national, 0.0, one.bounds[home])
        high = np.where(is_national, one.bounds[-1], one.bounds[home + 1])
        found = np.searchsorted(one.through, low + chance[here] * (high - low), side="right")
        member[here] = one.who[np.minimum(found, len(one.who) - 1)]
    strength = strength_on(people, member, day)
    known = known_on(people, member, strength, day)
    order = np.lexsort((known + rng.normal(0.0, spread, len(section)), region, pool))
    return _once(Rows(section, member[order], strength[order], known[order]))


def _once(rows: Rows) -> Rows:
    """Rows without those in which a member stands a second time in one section."""
    order = np.lexsort((rows.member, rows.section))
    section, member = rows.section[order], rows.member[order]
    is_again = np.zeros(len(order), dtype=np.bool_)
    is_again[order[1:]] = (section[1:] == section[:-1]) & (member[1:] == member[:-1])
    return Rows(*(column[~is_again] for column in rows))

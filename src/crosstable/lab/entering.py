"""Who plays in the sections of a month: draws of members, matched by strength and region.

Everybody plays slow games over the board; only some play fast ones, and only some play online. Most sections are of one
region, the others, and most of those online, are open to the whole country. A ``Draft`` is a month's sections before
they have dates: a column per fact of a section, a column per fact of a row.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.history.archive_tables import KINDS, NO_MEMBER
from crosstable.lab.pairings import ABROAD, MOST_PLAYERS, ROUND_ROBIN, SWISS
from crosstable.lab.population import GAP_FROM, GAP_TO, Federation, Population, Whole, known_on, numbered, strength_on
from crosstable.terms import SectionType

BOARD, FAST, ONLINE = range(3)
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


FEWEST_PLAYERS = 3
MOST_ROUNDS = 9
ROUND_ROBIN_SIZES = np.array([4, 4, 4, 4, 4, 4, 5, 6, 6, 8])
MATCH_GAMES = np.array([4, 4, 6, 8])
# Matches and foreign events ask for established ratings: so many Regular games make sure of that.
ESTABLISHED_GAMES = 60
CLOSEST = 60
# Sections over the board rated in two systems: how many at a middling strength, and how many more for each point less.
DUAL_SHARE, DUAL_MIDDLE, DUAL_SLOPE = 0.52, 1400.0, 0.0006
# Of fast sections over the board so many are Blitz.
BLITZ_SHARE = 0.3
# Shares of Regular, Quick and Blitz online at a middling strength; for each point more so much goes from the first to
# the last.
ONLINE_SHARES, ONLINE_MIDDLE, ONLINE_SLOPE = (0.3, 0.45, 0.25), 1250.0, 0.0002
# So many Blitz sections play two games in every pairing.
DOUBLE_BLITZ = 0.9
ABROAD_ROUNDS = 9
_SWISS, _ROUND_ROBIN, _MATCH, _FOREIGN, _YOUTH = range(len(KINDS))
assert KINDS[_MATCH] is SectionType.MATCH
assert KINDS[_YOUTH] is SectionType.FOREIGN_FIDE_YOUTH


class Speed(IntEnum):
    """What a section is meant to be, before the rules of the day say what that is."""

    REGULAR = 0
    DUAL = 1
    QUICK = 2
    BLITZ = 3
    ONLINE_REGULAR = 4
    ONLINE_QUICK = 5
    ONLINE_BLITZ = 6


class Draft(NamedTuple):
    """Sections of a month with their rows, in order; ``fide`` is there for opponents abroad who are no members.

    Of a row: ``strength`` is true, ``known`` what the player is taken for, ``shown`` what they play with. The last
    two are less while a sandbagger holds back, who shows all of it where there is money.
    """

    kind: Whole
    manner: Whole
    rounds: Whole
    games: Whole
    guests: Whole
    speed: Whole
    region: Whole
    is_money: NDArray[np.bool_]
    section: Whole
    member: Whole
    strength: Whole
    known: Whole
    shown: Whole
    fide: NDArray[np.float64]


def drafted(
    federation: Federation, people: Population, present: Present, sections: int, rng: np.random.Generator
) -> Draft:
    """So many sections, or a few less where the same member was drawn twice into one."""
    chosen = rng.random(sections)
    matches = int(np.count_nonzero(chosen < federation.matches))
    abroad = int(np.count_nonzero(chosen > 1.0 - federation.abroad))
    parts = [
        _open_sections(federation, people, present, sections - matches - abroad, rng),
        _matches(people, present, matches, rng),
        _abroad(people, present, abroad, rng),
    ]
    found = [len(part.kind) for part in parts]
    before = [0, found[0], found[0] + found[1]]
    moved = [part._replace(section=part.section + first) for part, first in zip(parts, before, strict=True)]
    return Draft(*(np.concatenate(columns) for columns in zip(*moved, strict=True)))


def _open_sections(
    federation: Federation, people: Population, present: Present, sections: int, rng: np.random.Generator
) -> Draft:
    """Swiss sections and round robins of players of one region, or of the whole country, and about one strength."""
    pools = pools_of(people, present)
    places = placed(federation, pools, sections, present.day, rng)
    is_round_robin = rng.random(sections) < federation.round_robins
    size = np.rint(rng.lognormal(np.log(federation.median_size), federation.size_spread, sections)).astype(np.int64)
    size = np.clip(size, SMALLEST_SWISS, places.most)
    size = np.where(is_round_robin, rng.choice(ROUND_ROBIN_SIZES, sections), size)
    rows = drawn(people, pools, places, size, (present.day, federation.spread_of_strength), rng)
    size = np.bincount(rows.section, minlength=sections)
    is_held = size >= FEWEST_PLAYERS
    rows = Rows(*(column[is_held[rows.section]] for column in rows))
    rows = rows._replace(section=(np.cumsum(is_held) - 1)[rows.section])
    is_round_robin, size = is_round_robin[is_held], size[is_held]
    pool, region = places.pool[is_held], places.region[is_held]
    rounds = np.clip(np.ceil(np.log2(size)).astype(np.int64) + rng.integers(0, 2, len(size)), 3, MOST_ROUNDS)
    speed = _speeds(pool, np.bincount(rows.section, rows.known, len(size)) / size, rng)
    is_money = ~is_round_robin & (pool == BOARD) & (rng.random(len(size)) < max(federation.money, federation.prizes))
    doubles = np.where((speed == Speed.BLITZ) & ~is_round_robin, DOUBLE_BLITZ, federation.double_games)
    return _draft(
        rows,
        kind=np.where(is_round_robin, _ROUND_ROBIN, _SWISS),
        manner=np.where(is_round_robin, ROUND_ROBIN, SWISS),
        rounds=np.where(is_round_robin, size - 1 + size % 2, np.minimum(rounds, size - 1)),
        games=1 + (rng.random(len(size)) < doubles).astype(np.int64),
        speed=speed,
        region=region,
        is_money=is_money,
        shown=_shown(people, rows, is_money, present.day),
    )


def _speeds(pool: Whole, strength: NDArray[np.float64], rng: np.random.Generator) -> Whole:
    """What sections are meant to be: the stronger their players, the longer their games over the board."""
    count = len(pool)
    is_dual = rng.random(count) < np.clip(DUAL_SHARE + (DUAL_MIDDLE - strength) * DUAL_SLOPE, 0.0, 1.0)
    fast = np.where(rng.random(count) < BLITZ_SHARE, Speed.BLITZ, Speed.QUICK)
    shift = np.clip((strength - ONLINE_MIDDLE) * ONLINE_SLOPE, -ONLINE_SHARES[-1], ONLINE_SHARES[0])
    chance = rng.random(count)
    is_long, is_blitz = chance < ONLINE_SHARES[0] - shift, chance >= ONLINE_SHARES[0] + ONLINE_SHARES[1] - shift
    online = np.select([is_long, is_blitz], [Speed.ONLINE_REGULAR, Speed.ONLINE_BLITZ], Speed.ONLINE_QUICK)
    board = np.where(is_dual, Speed.DUAL, Speed.REGULAR)
    return np.select([pool == BOARD, pool == FAST], [board, fast], online).astype(np.int64)


def _shown(people: Population, rows: Rows, is_money: NDArray[np.bool_], day: int) -> Whole:
    """What players play with: sandbaggers what they are taken for, or all they have where they came for the money."""
    collects = is_money[rows.section] & (people.collects[rows.member] <= day)
    return np.where(collects, rows.strength, rows.known)


def _matches(people: Population, present: Present, matches: int, rng: np.random.Generator) -> Draft:
    """Matches between settled players of nearly the same strength."""
    settled = present.active[present.regular_games[present.active] >= ESTABLISHED_GAMES]
    settled = settled[~people.is_junior[settled]]
    strength = strength_on(people, settled, present.day)
    known = known_on(people, settled, strength, present.day)
    order = np.argsort(known, kind="stable")
    settled, strength, known = settled[order], strength[order], known[order]
    first = rng.integers(0, max(len(settled) - 1, 1), matches if len(settled) > 1 else 0)
    first = first[known[first + 1] - known[first] <= CLOSEST] if len(first) else first
    count = len(first)
    pair = np.stack((first, first + 1), axis=1).ravel()
    rows = Rows(np.repeat(np.arange(count), 2), settled[pair], strength[pair], known[pair])
    kind, manner = np.full(count, _MATCH), np.full(count, ROUND_ROBIN)
    return _draft(rows, kind=kind, manner=manner, rounds=rng.choice(MATCH_GAMES, count))


def _abroad(people: Population, present: Present, sections: int, rng: np.random.Generator) -> Draft:
    """Foreign FIDE events: one or two members, who stand first, among opponents who are no members."""
    is_known = not GAP_FROM - 60 <= present.day < GAP_TO + 60
    who = present.active[
        present.goes_abroad[present.active] & (present.regular_games[present.active] >= ESTABLISHED_GAMES)
    ]
    count = sections if is_known and len(who) > 1 else 0
    guests = rng.integers(1, 3, count)
    opponents = rng.integers(ABROAD_ROUNDS, 2 * ABROAD_ROUNDS, count)
    section = np.repeat(np.arange(count), guests + opponents)
    place = numbered(guests + opponents)
    is_guest = place < guests[section]
    drawn = rng.integers(0, max(len(who) - 1, 1), count)
    member = np.full(len(section), NO_MEMBER)
    member[is_guest] = who[drawn[section[is_guest]] + place[is_guest]]
    host = strength_on(people, who[drawn], present.day)
    strength = host[section] + np.rint(rng.normal(0.0, 150.0, len(section))).astype(np.int64)
    strength[is_guest] = strength_on(people, member[is_guest], present.day)
    strength = np.clip(strength, 1400, 2750)
    rating = np.where(is_guest | (rng.random(len(section)) < 0.1), np.nan, strength - 60.0)
    is_youth = (
        people.is_junior[who[drawn]] & (present.day >= GAP_TO) & (rng.random(count) < 0.5) if count else guests > 2
    )
    return _draft(
        Rows(section, member, strength, strength),
        kind=np.where(is_youth, _YOUTH, _FOREIGN),
        manner=np.full(count, ABROAD),
        rounds=np.full(count, ABROAD_ROUNDS),
        guests=guests,
        fide=rating,
    )


def _draft(rows: Rows, **columns: Any) -> Draft:  # noqa: ANN401 (whole numbers, truth values, floats)
    """Sections with what is said of them; unsaid, as matches and foreign events are: long games, no money, alone."""
    count = len(columns["kind"])
    usual = {
        "games": np.ones(count, dtype=np.int64),
        "guests": np.zeros(count, dtype=np.int64),
        "speed": np.full(count, Speed.REGULAR, dtype=np.int64),
        "region": np.full(count, NATIONAL),
        "is_money": np.zeros(count, dtype=np.bool_),
        "shown": rows.known,
        "fide": np.full(len(rows.section), np.nan),
    }
    return Draft(**{**usual, **columns, **rows._asdict()})

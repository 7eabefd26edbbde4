"""Who plays in the sections of a month: draws of members, matched by strength and region.

A ``Draft`` is a month's sections before they have dates: a column per fact of a section, a column per fact of a row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.history.archive_tables import KINDS, NO_MEMBER
from crosstable.lab.pairings import ABROAD, ROUND_ROBIN, SWISS
from crosstable.lab.playing import MOST_PLAYERS, Whole
from crosstable.lab.population import GAP_FROM, GAP_TO, Federation, Population, strength_on
from crosstable.terms import SectionType

FEWEST_PLAYERS = 3
SMALLEST_SWISS = 4
MOST_ROUNDS = 9
ROUND_ROBIN_SIZES = np.array([4, 4, 4, 4, 4, 4, 5, 6, 6, 8])
MATCH_GAMES = np.array([4, 4, 6, 8])
# Matches and foreign events ask for established ratings: so many Regular games make sure of that.
ESTABLISHED_GAMES = 60
CLOSEST = 60
# Some sections are open to the whole country.
NATIONAL = 0.1
ABROAD_ROUNDS = 9
_SWISS, _ROUND_ROBIN, _MATCH, _FOREIGN, _YOUTH = range(len(KINDS))
assert KINDS[_MATCH] is SectionType.MATCH
assert KINDS[_YOUTH] is SectionType.FOREIGN_FIDE_YOUTH


class Draft(NamedTuple):
    """Sections of a month with their rows, in order; ``fide`` is there for opponents abroad who are no members."""

    kind: Whole
    manner: Whole
    rounds: Whole
    games: Whole
    guests: Whole
    section: Whole
    member: Whole
    strength: Whole
    fide: NDArray[np.float64]


class Present(NamedTuple):
    """Who may play in a month: the members who are active, and what a director would know of them.

    ``regular_games`` counts every member's Regular games so far; ``goes_abroad`` says whose foreign events are rated.
    """

    day: int
    active: Whole
    regular_games: Whole
    goes_abroad: NDArray[np.bool_]


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
    """Swiss sections and round robins of players of one region and about one strength."""
    is_round_robin = rng.random(sections) < federation.round_robins
    most = max(SMALLEST_SWISS, min(MOST_PLAYERS, len(present.active) // 2))
    size = np.rint(rng.lognormal(np.log(federation.median_size), federation.size_spread, sections)).astype(np.int64)
    size = np.where(is_round_robin, rng.choice(ROUND_ROBIN_SIZES, sections), np.clip(size, SMALLEST_SWISS, most))
    member, strength = _drawn(federation, people, present, int(size.sum()), rng)
    section, member, strength = _once(np.repeat(np.arange(sections), size), member, strength)
    size = np.bincount(section, minlength=sections)
    is_held = size >= FEWEST_PLAYERS
    kept = is_held[section]
    section = (np.cumsum(is_held) - 1)[section[kept]]
    is_round_robin, size = is_round_robin[is_held], size[is_held]
    rounds = np.clip(np.ceil(np.log2(size)).astype(np.int64) + rng.integers(0, 2, len(size)), 3, MOST_ROUNDS)
    nothing = np.zeros(len(size), dtype=np.int64)
    return Draft(
        kind=np.where(is_round_robin, _ROUND_ROBIN, _SWISS),
        manner=np.where(is_round_robin, ROUND_ROBIN, SWISS),
        rounds=np.where(is_round_robin, size - 1 + size % 2, np.minimum(rounds, size - 1)),
        games=1 + (rng.random(len(size)) < federation.double_games).astype(np.int64),
        guests=nothing,
        section=section,
        member=member[kept],
        strength=strength[kept],
        fide=np.full(int(kept.sum()), np.nan),
    )


def _drawn(
    federation: Federation, people: Population, present: Present, count: int, rng: np.random.Generator
) -> tuple[Whole, Whole]:
    """Members by how often they play, in order of region and of strength as a director would judge it."""
    weights = np.cumsum(people.activity[present.active])
    at = np.searchsorted(weights, rng.random(count) * weights[-1], side="right") if count else np.zeros(0, np.int64)
    member = present.active[np.minimum(at, len(weights) - 1)]
    strength = strength_on(people, member, present.day)
    region = np.where(rng.random(count) < NATIONAL, -1, people.region[member])
    order = np.lexsort((strength + rng.normal(0.0, federation.spread_of_strength, count), region))
    return member[order], strength[order]


def _once(section: Whole, member: Whole, strength: Whole) -> tuple[Whole, Whole, Whole]:
    """Rows without those in which a member stands a second time in one section."""
    order = np.lexsort((member, section))
    is_again = np.zeros(len(order), dtype=np.bool_)
    same_section = section[order][1:] == section[order][:-1]
    is_again[order[1:]] = same_section & (member[order][1:] == member[order][:-1])
    return section[~is_again], member[~is_again], strength[~is_again]


def _matches(people: Population, present: Present, matches: int, rng: np.random.Generator) -> Draft:
    """Matches between settled players of nearly the same strength."""
    settled = present.active[present.regular_games[present.active] >= ESTABLISHED_GAMES]
    settled = settled[~people.is_junior[settled]]
    strength = strength_on(people, settled, present.day)
    order = np.argsort(strength, kind="stable")
    settled, strength = settled[order], strength[order]
    first = rng.integers(0, max(len(settled) - 1, 1), matches if len(settled) > 1 else 0)
    first = first[strength[first + 1] - strength[first] <= CLOSEST] if len(first) else first
    count = len(first)
    pair = np.stack((first, first + 1), axis=1).ravel()
    return Draft(
        kind=np.full(count, _MATCH),
        manner=np.full(count, ROUND_ROBIN),
        rounds=rng.choice(MATCH_GAMES, count),
        games=np.ones(count, dtype=np.int64),
        guests=np.zeros(count, dtype=np.int64),
        section=np.repeat(np.arange(count), 2),
        member=settled[pair],
        strength=strength[pair],
        fide=np.full(2 * count, np.nan),
    )


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
    place = np.arange(len(section)) - np.repeat(np.cumsum(guests + opponents) - guests - opponents, guests + opponents)
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
    return Draft(
        kind=np.where(is_youth, _YOUTH, _FOREIGN),
        manner=np.full(count, ABROAD),
        rounds=np.full(count, ABROAD_ROUNDS),
        games=np.ones(count, dtype=np.int64),
        guests=guests,
        section=section,
        member=member,
        strength=strength,
        fide=rating,
    )

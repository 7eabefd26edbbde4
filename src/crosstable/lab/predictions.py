"""Every game of a history with what was known of its players before its section, and what the prediction of it cost.

A game is predicted in every system in which its section is rated, from the ratings that both players brought into the
section; an unrated player brings the rating that Step 1 gives. Left out are games that no rule set predicts: those of
foreign events, against opponents who have no rating of this system, and those whose two sides report different results.

The expectancy is that of §4.2, compiled, never written again. Deviance is in natural units: ln 2 a game is what
somebody gets who always expects one half; a draw counts as half a win and half a loss.
"""

import math
from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.errors import HistoryError
from crosstable.formulas.section import games_counted
from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.history.adjustments import Adjustments
from crosstable.history.archive import Archive, digest
from crosstable.history.archive_tables import ONE_SIDED
from crosstable.history.index import Index, entry_rows
from crosstable.history.kernel.arrays import SYSTEMS, Array
from crosstable.history.kernel.compiling import compiled
from crosstable.history.kernel.indexing import numbered
from crosstable.history.kernel.replaying import row_places
from crosstable.history.replay import Replayer, in_silence
from crosstable.history.running import index_of
from crosstable.rules.rule_sets import RuleSet

# So many games are looked up at a time.
AT_ONCE = 500_000

Progress = Callable[[int], None]
Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Truths = NDArray[np.bool_]
Span = tuple[date | None, date | None]


def index_beside(archive: Archive, folder: str) -> Index:
    """The index kept beside an archive; where none can be kept, as in a folder that is read-only, one in memory."""
    try:
        return index_of(archive, folder, digest(folder))
    except HistoryError:
        return index_of(archive, folder, None)


class Games(NamedTuple):
    """Games as they are predicted: a row per game and system; players are rows of results.

    ``score`` is that of the first player.
    """

    section: NDArray[np.int32]
    system: NDArray[np.uint8]
    one: NDArray[np.int32]
    other: NDArray[np.int32]
    score: Floats

    def where(self, kept: Truths) -> "Games":
        """Some of the games."""
        return Games(self.section[kept], self.system[kept], self.one[kept], self.other[kept], self.score[kept])


class People(NamedTuple):
    """What every row of results is about, whatever the rules: section, member (-1 for none), system, age, strength.

    Ages are in years on the day a section starts, NaN where no birth date is known. ``strength`` is the true one, NaN
    where nobody knows it. ``counted`` is by how much the section raises N.
    """

    section: NDArray[np.uint32]
    member: NDArray[np.int32]
    system: NDArray[np.uint8]
    age: Floats
    strength: Floats
    counted: Floats


class Brought(NamedTuple):
    """What a rule set made of every row of results."""

    prior: Floats
    before: Floats
    after: Floats
    games_after: Floats
    computed: Floats
    bonus: Floats
    floor_level: Floats

    @property
    def is_rated(self) -> Truths:
        """Whether a row has a result at all."""
        return np.asarray(~np.isnan(self.after))


def rated_by(archive: Archive, index: Index, rules: RuleSet, threads: int, progress: Progress = in_silence) -> Brought:
    """Replay a history by a rule set."""
    replayer = Replayer(index, threads, keeps_working=True, rules=rules)
    adjustments = Adjustments(archive, index)
    adjustments.prepare(replayer)
    replayer.replay(adjustments.checkpoints(), progress)
    working = replayer.results.working
    columns = [*replayer.results.ratings, *(working[name] for name in ("computed", "bonus", "floor_level"))]
    return Brought(*(np.ascontiguousarray(column) for column in (working["prior"], *columns)))


def games_of(archive: Archive, index: Index, span: Span) -> Games:
    """The games of the sections that start in a span of days, both ends included, in the order of sections."""
    position = _positions(archive, index)
    section = archive.games["section"].to_numpy()
    # Some at a time: what is needed in between would take more room than the games. Sections are not parted.
    is_ordered = bool(np.all(section[:-1] <= section[1:]))
    ends = np.searchsorted(section, section[AT_ONCE::AT_ONCE]).tolist() if is_ordered else []
    limits = [0, *dict.fromkeys(end for end in ends if end), len(section)]
    parts = [_games_between(archive, index, span, position, limits[at : at + 2]) for at in range(len(limits) - 1)]
    return Games(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _games_between(archive: Archive, index: Index, span: Span, position: Whole, limits: list[int]) -> Games:
    """Some of the games of an archive."""
    sections = index.history.sections
    chosen = in_span(sections[:-1]["start"], span)
    games = archive.games[limits[0] : limits[1]]
    section, result = games["section"].to_numpy(), games["result"].to_numpy()
    first = np.searchsorted(archive.entries["section"].to_numpy(), np.arange(index.sections))
    one = position[first[section] + games["first"].to_numpy()]
    other = position[first[section] + games["second"].to_numpy()]
    kept = (result < ONE_SIDED) & chosen[section] & (one != other)
    section, one, other, result = section[kept], one[kept], other[kept], result[kept]
    width = np.diff(sections["first"])
    masks = sections[:-1]["systems"]
    parts = []
    for system in range(SYSTEMS):
        inside = np.flatnonzero((masks[section] >> system) & 1)
        at = section[inside]
        base = sections["row"][at] + _rank(masks, system)[at] * width[at]
        numbers = np.full(len(inside), system, dtype=np.uint8)
        parts.append((at, numbers, base + one[inside], base + other[inside], result[inside] / 2.0))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    kinds: tuple[Any, ...] = (np.int32, np.uint8, np.int32, np.int32, np.float64)
    return Games(*(column[order].astype(kind) for column, kind in zip(columns, kinds, strict=True)))


def _rank(masks: Array, system: int) -> Whole:
    """Which of a section's systems one is, counted from 0."""
    found = np.zeros(len(masks), dtype=np.int64)
    for before in range(system):
        found += (masks >> before) & 1
    return found


def in_span(start: Array, span: Span) -> Truths:
    """Which days lie in a span, both ends included."""
    low, high = (day or end for day, end in zip(span, (date.min, date.max), strict=True))
    return np.asarray((start >= low.toordinal()) & (start <= high.toordinal()))


def _positions(archive: Archive, index: Index) -> Whole:
    """The competitor of every entry, counted in its section: both rows of a re-entry are one."""
    rows, people = entry_rows(archive)
    room = np.zeros(archive.entries.height, dtype=np.int32)
    part = numbered(rows, (0, index.sections), people.everybody, people.members, room)
    return np.asarray(part.position, dtype=np.int64)


def people_of(archive: Archive, index: Index, strength: Floats | None) -> People:
    """Who every row of results is about; ``strength`` is by entry."""
    history = index.history
    sections, competitors = history.sections, history.competitors
    section, member, system = row_places(sections, competitors, 0)
    width = np.diff(sections["first"])[section]
    competitor = sections["first"][section] + (np.arange(len(section)) - sections["row"][section]) % width
    born = history.people["born"][member]
    age = (sections["start"][section] - born) / 365.25
    true = np.full(len(competitors), np.nan)
    if strength is not None:
        entry_section = archive.entries["section"].to_numpy()
        # Written backwards, so that of two rows of a re-entry the first one counts.
        true[(sections["first"][entry_section] + _positions(archive, index))[::-1]] = strength[::-1]
    played = (np.diff(competitors["first"]))[competitor]
    return People(
        section,
        np.where(member < index.members, member, -1).astype(np.int32),
        system,
        np.where(born > 0, age, np.nan),
        true[competitor],
        _counted(played, sections["is_half_k"][section] != 0),
    )


def _counted(played: Array, is_half_k: Truths) -> Floats:
    """By how much sections raise N, by the formula of each."""
    most = int(played.max(initial=0))
    table = np.array([[games_counted(games, half) for games in range(most + 1)] for half in (False, True)])
    return np.asarray(table[is_half_k.astype(np.int64), played])


class Losses(NamedTuple):
    """Predictions of games and what they cost: the expected score of the first player, and the deviance."""

    expected: Floats
    deviance: Floats


@compiled
def deviance(score: float, expected: float, complement: float) -> float:
    """The binomial deviance of a score, of which ``expected`` and ``complement``, which add up to 1, were expected."""
    cost = 0.0
    if score > 0.0:
        cost -= score * math.log(expected)
    if score < 1.0:
        cost -= (1.0 - score) * math.log(complement)
    return cost


@compiled
def brier(score: float, expected: float) -> float:
    """The Brier score: the squared difference."""
    return (score - expected) * (score - expected)


@compiled
def lay_losses(prior: Array, one: Array, other: Array, score: Array, out: Array) -> None:
    """The losses of every game, from the ratings of its players."""
    for at in range(len(one)):
        own, others = odds(prior[one[at]]), odds(prior[other[at]])
        expected = winning_expectancy(own, others)
        out[0, at] = expected
        out[1, at] = deviance(score[at], expected, winning_expectancy(others, own))


def losses_of(games: Games, rating: Floats) -> Losses:
    """What predictions from these ratings, by row of results, cost."""
    out = np.empty((2, len(games.one)))
    lay_losses(rating, games.one, games.other, games.score, out)
    return Losses(out[0], out[1])


def losses_from(expected: Floats, score: Floats) -> Losses:
    """What expectations that somebody else had cost; none of them is sure."""
    return Losses(expected, -(score * np.log(expected) + (1.0 - score) * np.log(1.0 - expected)))

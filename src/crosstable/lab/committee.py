"""The committee's report: what a proposed change of the rules would do, over seeds and over plausible federations.

Each federation is simulated with several seeds. On each of them the same games are rated twice, by the rules as they
are and by the proposed ones, and every figure is taken of both. A figure's difference is told for each federation with
an interval over its seeds, and as a range over federations: what moves, by how much, how sure.

    from crosstable.lab import committee, rule_set
    print(committee(rule_set(bonus_threshold=14), against=rule_set(bonus_threshold=10)))
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable import __version__
from crosstable.history.archive import Archive
from crosstable.history.index import Index, build
from crosstable.history.kernel.arrays import Array
from crosstable.history.replay import in_silence
from crosstable.lab.documents import plain
from crosstable.lab.drawing import Estimate
from crosstable.lab.effects import repeated, year_ends
from crosstable.lab.federations import PRESETS, preset
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.measures import of_status
from crosstable.lab.predictions import (
    Brought,
    Floats,
    Games,
    Losses,
    People,
    Progress,
    games_of,
    losses_of,
    people_of,
    rated_by,
)
from crosstable.lab.seeds import interval_of
from crosstable.lab.simulate import HELD_BACK, simulated, strengths_of
from crosstable.lab.systems import course_of, predicted_by
from crosstable.rules.rule_sets import OFFICIAL, RuleSet, document_of
from crosstable.terms import RatingSystem

FORMAT = "crosstable-lab-committee/1"
# Those whose strength hardly changes; juniors, and everybody else.
DRIFT_AGES, JUNIOR_AGE = (35.0, 45.0), 18.0
# More members hold back than in life, so that there are enough to find.
PLANTED = 0.05
# Who is suspected: a section so many standard deviations above what was expected, at a rating so far below the peak.
SURPRISE, BELOW_PEAK, FEWEST_GAMES = 2.5, 100.0, 4
# A rating counts in comparisons of systems from so many games on.
COMPARED_GAMES = 10.0
UNRATED, PROVISIONAL, SETTLED = range(3)


class Figure(NamedTuple):
    """A figure of one topic; ``digits`` says how many digits after the point are worth printing."""

    topic: str
    name: str
    digits: int


FIGURES = (
    Figure("drift", "ratings of those of 35 to 45 less their true strength, points a year", 1),
    Figure("juniors", "bias of juniors less that of adults, points", 0),
    Figure("juniors", "bias of everybody, rating less true strength, points", 0),
    Figure("floors", "ratings held by a floor, %", 2),
    Figure("floors", "points that floors create, a rating", 2),
    Figure("sandbaggers", "planted ones who are found, %", 0),
    Figure("sandbaggers", "others who are suspected, %", 2),
    Figure("online", "online ratings less those over the board, points", 0),
    Figure("quick", "Quick ratings less Regular ratings, points", 0),
    Figure("provisional", "error of provisional ratings (root of the mean square), points", 0),
    Figure("provisional", "error of first ratings (root of the mean square), points", 0),
    Figure("points", "bonus points, a rating", 2),
    Figure("points", "points created in all, a rating", 2),
    Figure("predictions", "deviance, no unrated player", 4),
    Figure("predictions", "error of differences between established opponents, points", 1),
)
TOPICS = {
    "drift": "Drift of adults",
    "juniors": "Juniors",
    "floors": "Floors",
    "sandbaggers": "Sandbaggers",
    "online": "Online against over the board",
    "quick": "Quick against Regular",
    "provisional": "Provisional ratings",
    "points": "Points created",
    "predictions": "Predictions",
}


class Moved(NamedTuple):
    """A figure of one federation: as the rules are, as they would be, and the difference, over seeds."""

    federation: str
    now: Estimate
    then: Estimate
    difference: Estimate


class Answer(NamedTuple):
    """A figure in every federation, and what can be said of all of them."""

    figure: Figure
    moved: tuple[Moved, ...]

    @property
    def span(self) -> tuple[float, float]:
        """The least and the greatest end of the intervals of all federations."""
        return min(one.difference.low for one in self.moved), max(one.difference.high for one in self.moved)

    @property
    def verdict(self) -> str:
        """Whether it rises or falls, in all federations or in some."""
        rises = [one.difference.low > 0.0 for one in self.moved]
        falls = [one.difference.high < 0.0 for one in self.moved]
        if all(rises):
            return "rises"
        if all(falls):
            return "falls"
        if any(rises) and any(falls):
            return "rises in some federations, falls in others"
        if any(rises) or any(falls):
            word, which = ("rises", rises) if any(rises) else ("falls", falls)
            return f"{word} in {which.count(True)} of {len(which)} federations, of the others it cannot be told"
        if all(one.difference.value == one.difference.low == one.difference.high == 0.0 for one in self.moved):
            return "does not change"
        return "cannot be told"


class Committee(NamedTuple):
    """What a change does: the rules, the federations with their seeds, and every figure."""

    rules: RuleSet | OtherSystem
    against: RuleSet | OtherSystem
    federations: tuple[str, ...]
    members: int
    seeds: tuple[int, ...]
    answers: tuple[Answer, ...]

    def __str__(self) -> str:
        """The report as the command prints it."""
        return committee_text(self)


class View(NamedTuple):
    """One rated federation as the figures look at it; columns are by row of results."""

    people: People
    brought: Brought
    games: Games
    end: Array
    held_back: Floats

    @property
    def error(self) -> Floats:
        """Rating before the section less true strength."""
        return np.asarray(self.brought.prior - self.people.strength)

    def of_system(self, system: RatingSystem) -> Any:  # noqa: ANN401 (truth values)
        """The rated rows of members in one system."""
        return (self.people.system == system) & (self.people.member >= 0) & self.brought.is_rated


class Size(NamedTuple):
    """How many members federations have, how many of each kind there are, from which seed on; and threads."""

    members: int = 3000
    seeds: int = 10
    first_seed: int = 1
    threads: int = 1


USUAL = Size()


def committee(
    rules: RuleSet | OtherSystem,
    against: RuleSet | OtherSystem = OFFICIAL,
    federations: Sequence[str] = tuple(PRESETS),
    size: Size = USUAL,
    progress: Progress = in_silence,
) -> Committee:
    """What a change of the rules does in so many federations of each kind.

    Instead of rule sets, other systems may be compared: ``standard:k_cap=32,same_starts=1`` with
    ``standard:same_starts=1``; of them nothing is told about floors and points.
    """
    every = tuple(range(size.first_seed, size.first_seed + size.seeds))
    by_federation: dict[str, list[tuple[list[float], list[float]]]] = {name: [] for name in federations}
    for at, (name, seed) in enumerate((name, seed) for name in federations for seed in every):
        made = preset(name, size.members, seed=seed)._replace(sandbaggers=PLANTED)
        archive, truth = simulated(made, is_compiled=True)
        index = build(archive)
        held = truth[HELD_BACK].to_numpy()
        people = people_of(archive, index, strengths_of(archive, truth))
        held_back = people_of(archive, index, held).strength
        pair = [_figures(archive, index, (people, held_back), one, size.threads) for one in (against, rules)]
        by_federation[name].append((pair[0], pair[1]))
        progress(at + 1)
    answers = [
        Answer(
            figure,
            tuple(_moved(name, [(one[0][at], one[1][at]) for one in by_federation[name]]) for name in federations),
        )
        for at, figure in enumerate(FIGURES)
    ]
    return Committee(rules, against, tuple(federations), size.members, every, tuple(answers))


def _moved(name: str, pairs: Sequence[tuple[float, float]]) -> Moved:
    now, then = zip(*pairs, strict=True)
    return Moved(name, interval_of(now), interval_of(then), interval_of([b - a for a, b in pairs]))


def _figures(
    archive: Archive, index: Index, known: tuple[People, Floats], rules: RuleSet | OtherSystem, threads: int
) -> list[float]:
    """Every figure of one federation rated by one rule set, in the order of ``FIGURES``."""
    people, held_back = known
    is_rules = isinstance(rules, RuleSet)
    brought = rated_by(archive, index, rules if isinstance(rules, RuleSet) else OFFICIAL, threads)
    games = games_of(archive, index, (None, None))
    games = games.where(brought.is_rated[games.one] & brought.is_rated[games.other])
    end = np.asarray(index.history.sections["end"][:-1])
    losses = losses_of(games, brought.prior)
    if isinstance(rules, OtherSystem):
        losses, ratings = predicted_by(rules, games, course_of(index, people, brought.prior))
        brought = _as_brought(brought, ratings)
    view = View(people, brought, games, end, held_back)
    lifted = _lifted(view) if is_rules else np.full(len(brought.prior), np.nan)
    regular = view.of_system(RatingSystem.OTBR)
    rated = brought.is_rated & (people.member >= 0)
    return [
        _drift(view),
        _juniors(view, regular),
        _mean(view.error[regular & ~np.isnan(brought.before)]),
        100.0 * _mean(np.where(np.isnan(lifted), np.nan, lifted > 0.0)[rated]),
        _mean(lifted[rated]),
        *_sandbaggers(view, losses, regular),
        _offset(
            view,
            {
                RatingSystem.OLR: RatingSystem.OTBR,
                RatingSystem.OLQ: RatingSystem.OTBQ,
                RatingSystem.OLB: RatingSystem.OTBB,
            },
        ),
        _offset(view, {RatingSystem.OTBQ: RatingSystem.OTBR}),
        *_first_errors(view, regular),
        _mean(np.nan_to_num(brought.bonus[rated])) if is_rules else math.nan,
        _mean((brought.after - brought.prior)[rated]) if is_rules else math.nan,
        *_predictions(view, losses),
    ]


def _as_brought(brought: Brought, ratings: Floats) -> Brought:
    """What another system made of rows: it tells ratings before sections only, and those stand for what is after them.

    Who was unrated, and on how many games a rating rests, is as by the rules.
    """
    before = np.where(np.isnan(brought.before), np.nan, ratings)
    return brought._replace(prior=ratings, before=before, after=ratings)


def _mean(values: Any) -> float:  # noqa: ANN401 (numbers or truth values)
    return float(np.mean(values)) if len(values) else math.nan


def _root(errors: Floats) -> float:
    return math.sqrt(_mean(errors**2)) if len(errors) else math.nan


def _drift(view: View) -> float:
    """How much ratings of one age rise above what their owners' strengths rise, a year."""
    regular = view.of_system(RatingSystem.OTBR)
    pairs = repeated(year_ends(view.people, view.brought, view.end, regular))
    low, high = DRIFT_AGES
    kept = pairs.filter((pl.col("age") >= low) & (pl.col("age") <= high))
    return _mean((kept["change"] - kept["true_change"]).to_numpy())


def _juniors(view: View, regular: Any) -> float:  # noqa: ANN401 (truth values)
    rated = regular & ~np.isnan(view.brought.before)
    young = view.people.age < JUNIOR_AGE
    old = view.people.age >= JUNIOR_AGE
    return _mean(view.error[rated & young]) - _mean(view.error[rated & old])


def _lifted(view: View) -> Floats:
    """By how much a floor lifted each rating; matches have limits of their own and are left out with NaN floors."""
    level = view.brought.floor_level
    return np.where(np.isfinite(level), np.maximum(level - view.brought.computed, 0.0), 0.0)


def _sandbaggers(view: View, losses: Losses, regular: Any) -> tuple[float, float]:  # noqa: ANN401 (truth values)
    """How many of those who hold back are suspected, and how many of the others, in percent."""
    games, count = view.games, len(view.people.member)
    surplus, spread, played = np.zeros(count), np.zeros(count), np.zeros(count)
    above, varied = games.score - losses.expected, losses.expected * (1.0 - losses.expected)
    for rows, sign in ((games.one, 1.0), (games.other, -1.0)):
        surplus += np.bincount(rows, sign * above, count)
        spread += np.bincount(rows, varied, count)
        played += np.bincount(rows, minlength=count)
    kept = np.flatnonzero(regular & (of_status(view.brought, view.people.counted) == SETTLED))
    frame = pl.DataFrame(
        {
            "member": view.people.member[kept],
            "before": view.brought.before[kept],
            "surprise": surplus[kept] / np.sqrt(np.maximum(spread[kept], 1e-9)),
            "played": played[kept],
            "held": view.held_back[kept] > 0.0,
        }
    )
    peak = pl.col("before").cum_max().over("member")
    is_odd = (
        (pl.col("surprise") >= SURPRISE) & (pl.col("played") >= FEWEST_GAMES) & (pl.col("before") <= peak - BELOW_PEAK)
    )
    found = frame.with_columns(odd=is_odd).group_by("member").agg(pl.col("odd").any(), pl.col("held").any())
    planted, others = found.filter("held")["odd"], found.filter(~pl.col("held"))["odd"]
    return 100.0 * _mean(planted.to_numpy()), 100.0 * _mean(others.to_numpy())


def _offset(view: View, systems: dict[RatingSystem, RatingSystem]) -> float:
    """By how much the last ratings of one system exceed those of another, of members who have both."""
    gaps: list[float] = []
    for one, other in systems.items():
        first, second = _last(view, one), _last(view, other)
        gaps += first.join(second, on="member").select(pl.col("after") - pl.col("after_right"))["after"].to_list()
    return _mean(gaps)


def _last(view: View, system: RatingSystem) -> pl.DataFrame:
    rows = np.flatnonzero(view.of_system(system))
    columns = {
        "member": view.people.member[rows],
        "after": view.brought.after[rows],
        "games": view.brought.games_after[rows],
    }
    last = pl.DataFrame(columns).unique("member", keep="last", maintain_order=True)
    return last.filter(pl.col("games") >= COMPARED_GAMES).select("member", "after")


def _first_errors(view: View, regular: Any) -> tuple[float, float]:  # noqa: ANN401 (truth values)
    """The error of provisional ratings before sections, and of first ratings after them, beside that of everybody."""
    status = of_status(view.brought, view.people.counted)
    level = _mean(view.error[regular & (status > UNRATED)])
    provisional = view.error[regular & (status == PROVISIONAL)]
    first = (view.brought.after - view.people.strength)[regular & (status == UNRATED)]
    return _root(provisional - level), _root(first - level)


def _predictions(view: View, losses: Losses) -> tuple[float, float]:
    games = view.games
    status = of_status(view.brought, view.people.counted)
    least = np.minimum(status[games.one], status[games.other])
    gap = view.error[games.one] - view.error[games.other]
    return _mean(losses.deviance[least > UNRATED]), _root(gap[least == SETTLED])


def committee_text(found: Committee) -> str:
    """The whole text."""
    return "\n".join(_lines(found)) + "\n"


def lead_of(found: Committee) -> str:
    """What was asked and of whom."""
    *early, last = found.federations
    kinds = f"{', '.join(early)} and {last}" if early else last
    return (
        f"{found.rules.name} instead of {found.against.name}: {len(found.seeds)} simulated federations of "
        f"{found.members:,} members of each kind ({kinds}), seeds {found.seeds[0]} to {found.seeds[-1]}; "
        "intervals of 95 % over the seeds."
    )


def _lines(found: Committee) -> Iterator[str]:
    yield lead_of(found)
    last = ""
    for answer in found.answers:
        if answer.figure.topic != last:
            last = answer.figure.topic
            yield ""
            yield TOPICS[last]
        yield f"  {answer.figure.name}: {answer.verdict}"
        digits = answer.figure.digits
        for one in answer.moved:
            low, high = (signed(end, digits) for end in one.difference[1:])
            now, then = (number(value.value, digits) for value in (one.now, one.then))
            gap = signed(one.difference.value, digits)
            yield f"    {one.federation:<12} {now:>9} -> {then:>9}   difference {gap:>9}  [{low}, {high}]"


def number(value: float, digits: int) -> str:
    """A number, a dash where nobody knows it."""
    return f"{value:,.{digits}f}" if math.isfinite(value) else "–"


def signed(value: float, digits: int) -> str:
    """A number with its sign, with a digit more than a level deserves: differences are smaller."""
    return f"{value:+,.{digits + 1}f}" if math.isfinite(value) else "–"


def committee_document(found: Committee) -> dict[str, Any]:
    """The report for programs; a number that nobody knows is null."""
    return {
        "format": FORMAT,
        "made_by": f"crosstable {__version__}",
        "rules": _document(found.rules),
        "against": _document(found.against),
        "federations": list(found.federations),
        "members": found.members,
        "seeds": list(found.seeds),
        "planted": PLANTED,
        "figures": [
            {
                "topic": one.figure.topic,
                "name": one.figure.name,
                "verdict": one.verdict,
                "low": plain(one.span[0]),
                "high": plain(one.span[1]),
                "federations": [plain(moved) for moved in one.moved],
            }
            for one in found.answers
        ],
    }


def _document(rules: RuleSet | OtherSystem) -> dict[str, Any]:
    return rules.document if isinstance(rules, OtherSystem) else document_of(rules)

"""How often intervals over simulated federations hold the truth, on federations that nobody looked at before.

    python -m tools.study_coverage FIGURES.csv [PROCESSES]

Everything about the study stands in this file and was fixed before its federations were made: the seeds, the
federations, the contrasts, the figures and how many intervals there are. Each interval is that of ``lab backtest
--seeds 30``: of thirty federations that differ only in their seed. No federation is in two intervals. The truth is the
mean of all of them. The figures of every federation go to a file as they are found, so a study that was stopped goes
on; at the end the table of docs/lab.md is printed.
"""

import csv
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.history.index import build
from crosstable.lab import other_system, rule_set
from crosstable.lab.federations import preset
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.measures import of_status
from crosstable.lab.population import Federation
from crosstable.lab.predictions import Floats, Losses, games_of, losses_of, people_of, rated_by
from crosstable.lab.seeds import interval_of
from crosstable.lab.simulate import simulated, strengths_of
from crosstable.lab.systems import course_of, predicted_by
from crosstable.rules.rule_sets import OFFICIAL, RuleSet

FIRST_SEED, INTERVALS, FEDERATIONS = 41_000_001, 200, 30
FEDERATION = preset("quick-growth", 1000, years=5)
CONTRASTS: dict[str, RuleSet | OtherSystem] = {
    "K from 800 to 600": rule_set(k_numerator=600.0),
    "B = 6": rule_set(bonus_threshold=6.0),
    "no floors": rule_set(
        personal_floor_is_used=False, peak_drop=3000.0, money_prize=1_000_000.0, life_master_games=10_000
    ),
    "adults start at 1000": rule_set(adult_start=1000.0),
    "Elo": other_system("elo"),
    "Glicko-2": other_system("glicko2"),
}
FIGURES = ("deviance", "deviance, no unrated player", "bias")


def differences_of(federation: Federation, contrasts: Sequence[RuleSet | OtherSystem]) -> list[list[float]]:
    """The official rules less each contrast: every figure of one federation, as a back-test computes it."""
    archive, truth = simulated(federation, is_compiled=True)
    index = build(archive)
    people = people_of(archive, index, strengths_of(archive, truth))
    every = [OFFICIAL, *contrasts]
    brought = {at: rated_by(archive, index, one, 1) for at, one in enumerate(every) if isinstance(one, RuleSet)}
    is_rated = np.logical_and.reduce([one.is_rated for one in brought.values()])
    games = games_of(archive, index, (None, None))
    games = games.where(is_rated[games.one] & is_rated[games.other])
    status = of_status(brought[0], people.counted)
    has_unrated = np.minimum(status[games.one], status[games.other]) == 0
    strengths = (people.strength[games.one] + people.strength[games.other]) / 2.0
    course = course_of(index, people, brought[0].prior)

    def figures(losses: Losses, ratings: Floats) -> list[float]:
        bias = (ratings[games.one] + ratings[games.other]) / 2.0 - strengths
        means = (losses.deviance, losses.deviance[~has_unrated], bias)
        return [float(np.mean(one)) for one in means]

    found = []
    for at, one in enumerate(every):
        if isinstance(one, OtherSystem):
            found.append(figures(*predicted_by(one, games, course)))
        else:
            found.append(figures(losses_of(games, brought[at].prior), brought[at].prior))
    return [[own - other for own, other in zip(found[0], one, strict=True)] for one in found[1:]]


class Held(NamedTuple):
    """How many of some intervals hold the truth, by figure and contrast, in percent."""

    shares: NDArray[np.float64]

    @property
    def pooled(self) -> NDArray[np.float64]:
        """The same of all contrasts together."""
        return np.asarray(self.shares.mean(axis=1))


def held(values: NDArray[np.float64], federations: int) -> Held:
    """Which share of the intervals of so many federations each holds the mean of all; values by federation."""
    count, contrasts, figures = values.shape
    shares = np.zeros((figures, contrasts))
    for figure in range(figures):
        for contrast in range(contrasts):
            column = values[:, contrast, figure]
            truth = float(column.mean())
            ends = [interval_of(column[at : at + federations].tolist()) for at in range(0, count, federations)]
            shares[figure, contrast] = 100.0 * np.mean([one.low <= truth <= one.high for one in ends])
    return Held(shares)


def table(found: Held) -> str:
    """The table of docs/lab.md."""
    lines = [f"| official less | {' | '.join(CONTRASTS)} | all six |", "|---" * (len(CONTRASTS) + 2) + "|"]
    for name, row, pooled in zip(FIGURES, found.shares, found.pooled, strict=True):
        lines.append(f"| {name} | {' | '.join(f'{one:.1f} %' for one in row)} | {pooled:.1f} % |")
    return "\n".join(lines) + "\n"


def row_of(seed: int) -> list[float]:
    """A seed and the differences of its federation, as a row of the file."""
    every = differences_of(FEDERATION._replace(seed=seed), tuple(CONTRASTS.values()))
    return [seed, *(value for one in every for value in one)]


def main(path: str, processes: str = "1") -> None:
    """Make what is missing of the study, then print its table."""
    seeds = range(FIRST_SEED, FIRST_SEED + INTERVALS * FEDERATIONS)
    file = Path(path)
    done = {int(row[0]) for row in csv.reader(file.open(encoding="utf-8"))} if file.exists() else set()
    with file.open("a", encoding="utf-8", newline="") as out, ProcessPoolExecutor(int(processes)) as pool:
        for row in pool.map(row_of, [seed for seed in seeds if seed not in done], chunksize=FEDERATIONS):
            csv.writer(out).writerow(row)
            out.flush()
    rows = sorted([float(value) for value in row] for row in csv.reader(file.open(encoding="utf-8")))
    assert [int(row[0]) for row in rows] == list(seeds), "the file holds another study"
    values = np.array(rows)[:, 1:].reshape(len(rows), len(CONTRASTS), len(FIGURES))
    print(table(held(values, FEDERATIONS)))


if __name__ == "__main__":
    main(*sys.argv[1:])

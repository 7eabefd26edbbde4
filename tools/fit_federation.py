"""Fit simulated federations to figures of US Chess, by simulated moments.

    python -m tools.fit_federation targets PAGES     writes src/crosstable/lab/targets.json
    python -m tools.fit_federation fit START.json    prints better parameters, step by step
    python -m tools.fit_federation judge             every fitted federation on the other half of the events

The figures of crosstables are computed from the posted pages in a folder, on two halves of the events. Fitting sees one
half and the published figures.
"""

import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstable.lab.documents import plain
from crosstable.lab.federations import fitted, preset, presets
from crosstable.lab.population import Federation
from crosstable.lab.posted_pages import pages_in
from crosstable.lab.simulate import simulated
from crosstable.lab.targets import (
    FILE,
    HALVES,
    Official,
    Target,
    distances,
    distances_text,
    official,
    only_half,
    packaged,
    seen_archive,
    seen_pages,
    simulated_figures,
    years_of,
)

LAB = Path(__file__).parents[1] / "src" / "crosstable" / "lab"
RATED, CLUB, LIST = "active members' ratings", "active members", "everybody ever rated"
OF_2004 = "a table of the ratings of active members of 2004, quoted by a chess teacher; errors are guesses"
OF_2011 = "ranks among 47,241 active members in April 2011, quoted from member pages; errors are guesses"
PUBLISHED = (
    Target(RATED, "1600 and over, 2004, %", 17.0, 1.0, 0, OF_2004),
    Target(RATED, "2000 and over, 2004, %", 4.0, 0.4, 0, OF_2004),
    Target(RATED, "2200 and over, 2004, %", 1.0, 0.2, 0, OF_2004),
    Target(RATED, "2093 and over, 2011, %", 2.73, 0.2, 47241, OF_2011),
    Target(RATED, "2230 and over, 2011, %", 1.06, 0.1, 47241, OF_2011),
    Target(RATED, "mean, 2004", 1068.0, 30.0, 0, OF_2004),
    Target(CLUB, "under 21, 2011, %", 73.0, 2.0, 47241, OF_2011),
    Target(
        CLUB, "games a year, 2011", 25.0, 3.0, 0, "500,000 to 700,000 games a year by annual reports, two players each"
    ),
    Target(
        LIST,
        "established, 2014, %",
        44.7,
        2.0,
        577271,
        "258,165 of 577,271 rated ids in August 2014; the error is a guess",
    ),
)
YEARS, MEMBERS = 21, 12_000
# A figure that is farther than so many errors away pulls less, so that no single one decides.
FAR, LESS = 4.0, 0.3
# Points so many steps away count half as much; slopes and moves are held this small where nothing speaks for them.
NEAR_STEPS, RIDGE, DAMPING = 1.5, 4.0, 1.5
Floats = NDArray[np.float64]


def write_targets(folder: str) -> None:
    """Compute the figures of both halves and write them into the package."""
    seen = seen_pages(pages_in(folder), 1)
    document: dict[str, object] = {
        "source": "1,133 posted crosstables of 2001 to 2021, halved by a hash of the event's id; "
        "errors from 200 draws of events",
    }
    for half, name in enumerate(HALVES):
        own = only_half(seen, half)
        figures = [_short(one) for one in official(own)]
        document[name] = {"figures": plain(figures), "years": years_of(own)}
    document["published"] = plain(PUBLISHED)
    (LAB / FILE).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _short(one: Target) -> Target:
    return one._replace(value=float(f"{one.value:.5g}"), error=float(f"{one.error:.3g}"))


def federation_of(values: Mapping[str, float], members: int, seed: int) -> Federation:
    """The federation of some parameters; one of them says how many sections are played."""
    rest = {name: value for name, value in values.items() if name != "sections_a_year"}
    return fitted(Federation(members, years=YEARS, seed=seed), values["sections_a_year"], rest)


def distance(federation: Federation, known: Official) -> Floats:
    """How far each figure is from its target, in errors, or in fortieths of it where that is more."""
    found = simulated_figures(seen_archive(simulated(federation, is_compiled=True).archive, 1), known.years)
    far = []
    for one in known.targets:
        value = found[one.group, one.name]
        away = (value - one.value) / max(one.error, abs(one.value) / 40.0) if math.isfinite(value) else FAR
        far.append(math.copysign(FAR + LESS * (abs(away) - FAR), away) if abs(away) > FAR else away)
    return np.array(far)


def fit(path: str, rounds: int = 3, points: int = 60, first_seed: int = 1) -> None:
    """Improve the parameters of a file (name: value, step, least, greatest); least = greatest holds one fixed.

    No two federations have the same luck, so slopes between two of them would be luck too. Each round simulates many
    points around the best one, each with its own seed, takes every figure as a plane through all points so far, the
    nearer ones more, and goes where the planes are nearest to the targets, at most two steps.
    """
    given = json.loads(Path(path).read_text())
    names = list(given)
    at, width, low, high = (np.array([given[name][column] for name in names], float) for column in range(4))
    known, rng = packaged(HALVES[0]), np.random.default_rng(first_seed)
    where: list[Floats] = []
    found: list[Floats] = []
    for turn in range(rounds):
        for one in range(points):
            there = np.clip(at + rng.normal(0.0, 1.0, len(at)) * width, low, high)
            seed = first_seed + turn * points + one
            far = distance(federation_of(dict(zip(names, there.tolist(), strict=True)), MEMBERS, seed), known)
            where.append(there)
            found.append(far)
        at = np.clip(at + _stepped(np.array(where), np.array(found), at, width) * width, low, high)
        mean = float(np.mean([one @ one for one in found[turn * points :]]))
        print(f"round {turn + 1}: mean of the points {mean:.1f}")
        print(
            json.dumps({name: [round(one, 4), *given[name][1:]] for name, one in zip(names, at.tolist(), strict=True)})
        )
        sys.stdout.flush()


def _stepped(where: Floats, found: Floats, at: Floats, width: Floats) -> Floats:
    """Where planes through all points are nearest to the targets, in steps."""
    steps = (where - at) / width
    weight = np.sqrt(np.exp(-0.5 * (steps**2).mean(axis=1) / NEAR_STEPS**2))[:, None]
    design = np.hstack((np.ones((len(steps), 1)), steps))
    ridge = np.diag([0.0, *np.full(len(at), RIDGE)])
    planes = np.linalg.solve((design * weight).T @ (design * weight) + ridge, (design * weight).T @ (found * weight))
    level, slopes = planes[0], planes[1:].T
    moved = np.linalg.solve(slopes.T @ slopes + DAMPING * np.eye(len(at)), -slopes.T @ level)
    print(f"expected {level @ level:.1f} -> {np.sum((level + slopes @ np.clip(moved, -2, 2)) ** 2):.1f}", flush=True)
    return np.clip(moved, -2.0, 2.0)


def judge(members: int = 20_000, seeds: int = 3) -> None:
    """Print every fitted federation beside the half that nobody fitted on."""
    for name in presets():
        archives = [simulated(preset(name, members, seed=1001 + at), is_compiled=True).archive for at in range(seeds)]
        print(name)
        print(distances_text(distances([seen_archive(one, 1) for one in archives], packaged(HALVES[1]))))


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    commands: dict[str, Callable[..., None]] = {"targets": write_targets, "fit": fit, "judge": judge}
    commands[command](*(int(one) if one.isdigit() else one for one in rest))

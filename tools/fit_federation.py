"""Fit simulated federations to figures of US Chess, by simulated moments.

    python -m tools.fit_federation targets PAGES     writes src/crosstable/lab/targets.json
    python -m tools.fit_federation fit START.json    prints better parameters, step by step
    python -m tools.fit_federation judge             every fitted federation on the other half of the events

The figures of crosstables are computed from the posted pages in a folder, on two halves of the events. Fitting sees one
half and the published figures; each step is Levenberg's and Marquardt's, with slopes from the same seed.
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
DAMPINGS = (0.2, 1.0, 5.0, 25.0)
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


def fit(path: str, steps: int = 5, first_seed: int = 1) -> None:
    """Improve the parameters of a file (name: value, step, least, greatest), each step with a seed of its own."""
    given = json.loads(Path(path).read_text())
    names = list(given)
    at, width, low, high = (np.array([given[name][column] for name in names], float) for column in range(4))
    known, damping = packaged(HALVES[0]), 1.0
    for seed in range(first_seed, first_seed + steps):

        def far(values: Floats, seed: int = seed) -> Floats:
            return distance(federation_of(dict(zip(names, values.tolist(), strict=True)), MEMBERS, seed), known)

        here = far(at)
        slopes = np.empty((len(here), len(at)))
        for one in range(len(at)):
            sign = 1.0 if at[one] + width[one] <= high[one] else -1.0
            there = at.copy()
            there[one] += sign * width[one]
            slopes[:, one] = sign * (far(there) - here)
        square = slopes.T @ slopes
        best = (float(here @ here), at, damping * DAMPINGS[2])
        for times in DAMPINGS:
            damped = square + damping * times * np.diag(np.diag(square) + 1.0)
            moved = np.clip(at + np.clip(np.linalg.solve(damped, -slopes.T @ here), -3, 3) * width, low, high)
            there = far(moved)
            if (cost := float(there @ there)) < best[0]:
                best = (cost, moved, damping * times)
        print(f"seed {seed}: {here @ here:.1f} -> {best[0]:.1f}", flush=True)
        at, damping = best[1], min(max(best[2], 0.05), 50.0)
        print(
            json.dumps(
                {name: [round(value, 4), *given[name][1:]] for name, value in zip(names, at.tolist(), strict=True)}
            )
        )


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

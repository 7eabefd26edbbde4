"""Fit the ± of Regular ratings on one half of the official events and count on the other half how often it holds.

The halves are also exchanged, so that every score is counted once with constants from events that are not its own. The
last line says how much of all this is chance: events are halved at random, with constants fitted on all of them.

python -m tools.fit_uncertainty PAGES
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.calculator.uncertainty import CONFIDENCE_ERRORS, FITTED, Deviations
from crosstable.history.index import build
from crosstable.lab.measures import PROVISIONAL
from crosstable.lab.posted_pages import history_of, pages_in
from crosstable.lab.predictions import Games, games_of, people_of, rated_by
from crosstable.lab.targets import half_of
from crosstable.lab.uncertainty import deviations_of, scores_of
from crosstable.rules.rule_sets import OFFICIAL
from crosstable.terms import RatingSystem

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
FEWEST_GAMES = 3
# A group counts for no more than so many rows, so that large ones do not decide alone; counting is softened so much.
MOST_ROWS, SOFT = 800, 0.08
WANTED, NARROWEST, WIDEST = 0.95, 0.93, 0.97
# Where a fit starts that should know nothing of the other half; so many random halves show what is chance.
NEUTRAL = Deviations((200.0, 200.0, 200.0, 200.0), 600.0)
RANDOM_HALVES, SEED = 500, 26


class Posted(NamedTuple):
    """Rows of posted pages: what players brought, when they were last seen, their event's number and its half."""

    games: Games
    rating: Floats
    resting: Floats
    away: Floats
    event: NDArray[np.int64]
    half: NDArray[np.int64]

    def groups(self) -> Iterator[tuple[str, Truths]]:
        """Rows by what should not matter to how often intervals hold."""
        settled = self.resting > PROVISIONAL
        yield "everybody", np.ones(len(self.resting), dtype=np.bool_)
        for low, high in ((0, 4), (5, 8), (9, 15), (16, PROVISIONAL)):
            yield f"{low} to {high} games", (self.resting >= low) & (self.resting <= high)
        for low, high in ((100, 799), (800, 1199), (1200, 1599), (1600, 1999), (2000, 2999)):
            yield f"established, {low} to {high}", settled & (self.rating >= low) & (self.rating < high + 1)
        for name, least, most in (("60 days", 0.0, 60.0), ("a year", 60.0, 365.0), ("longer", 365.0, np.inf)):
            yield (
                f"last seen within {name}".replace("within longer", "longer ago"),
                (self.away >= least) & (self.away < most),
            )
        few = np.bincount(self.games.one, ~settled[self.games.other], len(self.resting))
        few += np.bincount(self.games.other, ~settled[self.games.one], len(self.resting))
        met = np.bincount(self.games.one, minlength=len(few)) + np.bincount(self.games.other, minlength=len(few))
        yield "half of the opponents provisional", few >= np.maximum(met, 1) / 2
        yield "no opponent provisional", (few == 0) & (met > 0)


def posted(folder: str) -> Posted:
    """The Regular pages of a folder."""
    archive = history_of([page for page in pages_in(folder) if page.system is RatingSystem.OTBR])
    index = build(archive)
    people, brought = people_of(archive, index, None), rated_by(archive, index, OFFICIAL, 1)
    games = games_of(archive, index, (None, None))
    is_rated = ~np.isnan(brought.before)
    frame = pl.DataFrame(
        {
            "who": archive.members["member_id"].str.replace(" of page .*", "").gather(people.member),
            "day": index.history.sections["end"][people.section].astype(np.int64),
        }
    )
    since = frame.with_columns(away=(pl.col("day") - pl.col("day").shift(1).over("who")).cast(pl.Float64))
    events = archive.sections["event_id"].gather(people.section)
    return Posted(
        games.where(is_rated[games.one] & is_rated[games.other]),
        np.nan_to_num(brought.before),
        brought.games_after - people.counted,
        since["away"].fill_null(np.nan).to_numpy(),
        events.rank("dense").to_numpy().astype(np.int64) - 1,
        np.array([half_of(event) for event in events]),
    )


def errors_of(seen: Posted, constants: Deviations) -> tuple[Floats, Truths]:
    """How many errors each score is away, and which scores are of enough games."""
    found = scores_of(seen.games, seen.rating, deviations_of(seen.rating, seen.resting, constants))
    return np.abs(found.errors), found.played >= FEWEST_GAMES


def cost_of(seen: Posted, constants: Deviations, chosen: Truths) -> float:
    """How far the groups of the chosen rows are from what is wanted."""
    away, enough = errors_of(seen, constants)
    total = 0.0
    for _, inside in seen.groups():
        rows = away[inside & enough & chosen]
        if not len(rows):
            continue
        held = np.mean(1.0 / (1.0 + np.exp((rows - CONFIDENCE_ERRORS) / SOFT)))
        total += min(len(rows), MOST_ROWS) * float((held - WANTED) ** 2)
    return total


def fitted(seen: Posted, chosen: Truths, start: Deviations) -> Deviations:
    """The constants of the chosen rows: each goes up and down by shares that become smaller, as long as that helps."""
    at, step = np.log([*start.settled, start.beginner]), 0.3
    made = _constants(at)
    best = cost_of(seen, made, chosen)
    while step > 0.01:
        before = best
        for one in range(len(at)):
            for sign in (1.0, -1.0):
                there = at.copy()
                there[one] += sign * step
                # A stronger player's rating is not less certain.
                if np.any(np.diff(there[: len(start.settled)]) > 0.0):
                    continue
                if (cost := cost_of(seen, _constants(there), chosen)) < best:
                    at, best = there, cost
        step = step if best < before else step / 2.0
    return _constants(at)


def _constants(logarithms: Floats) -> Deviations:
    *settled, beginner = np.exp(logarithms).tolist()
    return Deviations(tuple(settled), beginner)


def inside_by_chance(seen: Posted, held: Truths, enough: Truths) -> list[int]:
    """How many groups lie within the limits on each of many random halves of the events."""
    rng, groups = np.random.default_rng(SEED), [inside & enough for _, inside in seen.groups()]
    counts = []
    for _ in range(RANDOM_HALVES):
        half = (rng.random(seen.event.max() + 1) < 0.5)[seen.event]
        shares = [float(np.mean(held[inside & half])) for inside in groups]
        counts.append(sum(NARROWEST <= share <= WIDEST for share in shares))
    return counts


def main(folder: str) -> None:
    """Print the constants and how often intervals hold: on both halves, and on each half by the other's constants."""
    seen = posted(folder)
    first = seen.half == 0
    constants = fitted(seen, first, FITTED)
    rounded = Deviations(tuple(round(one) for one in constants.settled), round(constants.beginner))
    exchanged, common = fitted(seen, ~first, NEUTRAL), fitted(seen, first | ~first, NEUTRAL)
    print(f"fitted on half A: {constants}\nfitted on half B: {exchanged}\nfitted on both: {common}")
    away, enough = errors_of(seen, rounded)
    unseen = np.where(first, errors_of(seen, exchanged)[0], away)
    columns = ((away, first), (away, ~first), (unseen, first), (unseen, first | ~first))
    titles = ("A, fitted on A", "B, fitted on A", "A, fitted on B", "A and B, each fitted on the other")
    print(f"| {'group':<36} | {' | '.join(f'{title} | scores' for title in titles)} |")
    for name, inside in seen.groups():
        cells = []
        for errors, chosen in columns:
            rows = errors[inside & enough & chosen]
            cells += [f"{100.0 * np.mean(rows <= CONFIDENCE_ERRORS):.1f} %", f"{len(rows):,}"]
        print(f"| {name:<36} | {' | '.join(cells)} |")
    counts = inside_by_chance(seen, errors_of(seen, common)[0] <= CONFIDENCE_ERRORS, enough)
    print(f"groups within the limits on random halves: {np.bincount(counts).tolist()}")


if __name__ == "__main__":
    main(sys.argv[1])

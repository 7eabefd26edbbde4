"""How much of a birth date the public output of a section gives away, measured by somebody who tries them all.

The solver has this engine, everything that is posted of a random section, and more than anybody has: everybody else's
rating before the section with all decimals, and the birth dates of the other unrated players. It rates the section for
every birth date of the plausible range and counts those that fit: with the posted whole numbers alone, and with all
public lines of all players.
"""

import argparse
import random
import statistics
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from crosstable.engine import RatedSection, rate
from crosstable.engine.starts import start_of
from crosstable.explanation.lines import public_lines
from crosstable.formulas.initial import DAYS_A_YEAR, age_based_rating
from crosstable.formulas.outcome import official_rating
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.terms import Background, Cell, Entry, PlayerRating, RatingSystem, Result, Section, SectionType

YOUNGEST, OLDEST = 3, 30
SOUGHT = 1
SYSTEM = RatingSystem.OTBR
LAST_DAY = date(2026, 6, 30)
# What is asked for: half of the days in the median, and never fewer than 30 unless the posted numbers alone do that.
MEDIAN_SHARE, FEWEST_DAYS = 0.5, 30


class Case(NamedTuple):
    """A section, what its players brought, and the day on which the sought player was born."""

    section: Section
    backgrounds: dict[int, Background]
    born: date


class Left(NamedTuple):
    """How many birth dates are left: by what is posted alone, and by all public output."""

    posted: int
    public: int


class Same(NamedTuple):
    """Birth dates with the same start, which nothing can tell apart: the first of them, and how many."""

    start: float
    games: float
    born: date
    days: int


def random_case(seed: int) -> Case:
    """A section of two to twelve players: established, provisional and unrated ones, under any edition."""
    rng = random.Random(seed)
    edition = rng.choice(EDITIONS)
    day = min(edition.effective + timedelta(days=rng.randrange(200)), LAST_DAY)
    if rng.random() < 0.5:  # most are of today
        day = date(2020, 6, 1) + timedelta(days=rng.randrange(2200))
    born = day - timedelta(days=rng.randrange(int(4 * 365.25), int(26 * 365.25)))
    players = rng.choice((2, 3, 4, 4, 5, 6, 8, 10, 12))
    level = rng.choice((250.0, 500.0, 800.0, 1100.0, 1500.0, 1900.0))
    established = rng.choice((0.0, 0.5, 0.8, 1.0))
    backgrounds = {SOUGHT: _sought(rng, born, day, level)}
    for number in range(2, players + 1):
        backgrounds[number] = _other(rng, day, level, established)
    strengths = {number: rng.gauss(level, 200.0) for number in backgrounds}
    section = _played(rng, day, strengths, rng.choice((1, 2, 3, 4, 4, 5, 6)))
    return Case(section, backgrounds, born)


def _sought(rng: random.Random, born: date, day: date, level: float) -> Background:
    """The player whose birth date is sought: unrated everywhere, or now and then with an old Quick rating."""
    if rng.random() < 0.85:
        return Background(birth_date=born)
    others = {
        system: PlayerRating(round(rng.gauss(level, 150.0)), 30.0, as_of=day - timedelta(days=rng.randrange(2000)))
        for system in (RatingSystem.OTBQ, RatingSystem.OTBB)
    }
    return Background(birth_date=born, standings=others)


def _other(rng: random.Random, day: date, level: float, established: float) -> Background:
    if rng.random() < 0.15:
        return Background(birth_date=day - timedelta(days=rng.randrange(1500, 9000)))
    games = rng.choice((26, 40, 120, 300)) if rng.random() < established else rng.choice((1, 3, 4, 7, 9, 15, 25))
    rating = max(100.0, round(rng.gauss(level, 200.0), 4))
    if day < date(2014, 9, 1):
        rating = float(round(rating))
    third = games // 3
    peak = rating if games > 25 else None
    standing = PlayerRating(rating, float(games), third, games - 2 * third, third, third, peak, peak, as_of=day)
    return Background(standings={SYSTEM: standing})


def _played(rng: random.Random, day: date, strengths: dict[int, float], rounds: int) -> Section:
    cells: dict[int, list[Cell]] = {number: [] for number in strengths}
    for _ in range(rounds):
        order = sorted(strengths, key=lambda number: (number != SOUGHT) * rng.random())
        for one, other in zip(order[::2], order[1::2], strict=False):
            expected = 1.0 / (1.0 + 10.0 ** ((strengths[other] - strengths[one]) / 400.0))
            chance = rng.random()
            letters = "WL" if chance < expected - 0.08 else "DD" if chance < expected + 0.08 else "LW"
            cells[one].append(Cell(Result(letters[0]), other, ""))
            cells[other].append(Cell(Result(letters[1]), one, ""))
    entries = tuple(Entry(number, f"m{number}", f"Player {number}", tuple(own)) for number, own in cells.items())
    dual = rng.random() < 0.2
    return Section(1, "", SectionType.SWISS, False, None, (SYSTEM,), day, day, entries, is_dual_control=dual)


# What the solver sees.


def rated_with(case: Case, born: date) -> RatedSection:
    """The section as it is rated if the sought player was born on a day."""
    sought = case.backgrounds[SOUGHT]._replace(birth_date=born)
    section = case.section.with_backgrounds(case.backgrounds | {SOUGHT: sought})
    return rate(section, SYSTEM, edition_for(section.start))


def posted(rated: RatedSection) -> tuple[Any, ...]:
    """What is posted: whole numbers, games, norms."""
    return tuple(
        None if player.after is None else (official_rating(player.after.rating), player.after.games, player.norm)
        for player in rated.players
    )


def public(rated: RatedSection) -> tuple[Any, ...]:
    """Everything that is public: what is posted, and all lines of all players with their values."""
    lines = [line for player in rated.players for line in public_lines(rated, player.number)]
    return posted(rated), *((line.key, line.text, repr(line.value), repr(line.values)) for line in lines)


def start_if(case: Case, born: date) -> tuple[float, float]:
    """Rating and games that the sought player starts with if born on a day."""
    edition, days = edition_for(case.section.start), (case.section.start, case.section.end)
    sought = case.backgrounds[SOUGHT]
    if not sought.standings:  # age alone decides, which is quicker to say
        return age_based_rating(edition.constants, (days[1] - born).days / DAYS_A_YEAR, False), 0.0
    initial = start_of(sought._replace(birth_date=born), SYSTEM, days, edition)[0].initial
    return initial.rating, initial.games


def birth_dates(case: Case) -> list[Same]:
    """Every birth date of the plausible range, those with the same start together, in the order of starts."""
    by_start: dict[tuple[float, float], list[date]] = {}
    for days in range(int(YOUNGEST * DAYS_A_YEAR) + 1, int(OLDEST * DAYS_A_YEAR)):
        born = case.section.end - timedelta(days=days)
        by_start.setdefault(start_if(case, born), []).append(born)
    return [Same(*start, days[0], len(days)) for start, days in sorted(by_start.items())]


def days_left(case: Case, seen: Callable[[RatedSection], tuple[Any, ...]], every: Sequence[Same], truth: int) -> int:
    """How many birth dates look the same as the true one.

    Every rating of a section rises with the start of an unrated player, so births that fit lie beside each other in the
    order of starts, and the ends are found by halving. Where starts are blended they also differ in their games and
    are few: each is tried.
    """
    true = seen(rated_with(case, every[truth].born))

    def fits(at: int) -> bool:
        return seen(rated_with(case, every[at].born)) == true

    if len({one.games for one in every}) > 1 or len(every) < 40:
        return sum(one.days for at, one in enumerate(every) if fits(at))
    first = _edge(truth, 0, fits)
    last = _edge(truth, len(every) - 1, fits)
    return sum(one.days for one in every[first : last + 1])


def _edge(truth: int, end: int, fits: Callable[[int], bool]) -> int:
    """The last position from the truth to an end that fits."""
    if fits(end):
        return end
    way = 1 if end > truth else -1
    outside = bisect_left(range(1, abs(end - truth) + 1), 1, key=lambda steps: 0 if fits(truth + way * steps) else 1)
    return truth + way * outside


def solved(case: Case) -> Left:
    """How much is left of one birth date."""
    every = birth_dates(case)
    own = start_if(case, case.born)
    truth = next(at for at, one in enumerate(every) if (one.start, one.games) == own)
    return Left(days_left(case, posted, every, truth), days_left(case, public, every, truth))


class Measured(NamedTuple):
    """What many sections give away: the share of birth dates that is left, and the fewest where 30 were left anyway."""

    sections: int
    posted: float
    public: float
    median_share: float
    tenth_share: float
    unharmed: int
    fewest: int

    @property
    def is_enough(self) -> bool:
        """Whether what is published beside the posted numbers gives away little enough."""
        return self.median_share >= MEDIAN_SHARE and self.fewest >= FEWEST_DAYS

    def __str__(self) -> str:
        return (
            f"{self.sections} sections. Birth dates that fit, median: {self.posted:g} days by the posted numbers "
            f"alone, {self.public:g} by all public output. Of the days that the posted numbers leave, all public "
            f"output leaves {self.median_share:.0%} in the median and {self.tenth_share:.0%} in the worst tenth; "
            f"nothing is lost in {self.unharmed} sections. The fewest days left where the posted numbers leave "
            f"{FEWEST_DAYS} or more: {self.fewest}."
        )


def measured(found: Sequence[Left]) -> Measured:
    """What was found, in few numbers."""
    shares = sorted(left.public / left.posted for left in found)
    return Measured(
        len(found),
        statistics.median(left.posted for left in found),
        statistics.median(left.public for left in found),
        statistics.median(shares),
        shares[len(shares) // 10],
        shares.count(1.0),
        min(left.public for left in found if left.posted >= FEWEST_DAYS),
    )


def main() -> int:
    """Measure, and say what was found; exit code 1 where too much is given away."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sections", type=int, default=500, help="how many random sections (default 500)")
    result = measured([solved(random_case(seed)) for seed in range(parser.parse_args().sections)])
    sys.stdout.write(f"{result}\n")
    return 0 if result.is_enough else 1


if __name__ == "__main__":
    sys.exit(main())

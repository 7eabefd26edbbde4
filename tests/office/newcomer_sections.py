"""Seeded sections with a newcomer who starts by age, and what an attacker makes of their public form.

Member 1 is the newcomer. The others bring ratings: established ones, provisional ones, or both. The attacker has our
engine, every public row, the games, and is even told in which block of years the newcomer was born.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from crosstable.engine import RatedSection, rate
from crosstable.formulas.rounding import official_rating
from crosstable.office.public import PublicRow, Shown, public_rows
from crosstable.office.veils import Span, Veil, block_of, veil_of
from crosstable.rules.editions import edition_for
from crosstable.terms import Background, Cell, Entry, RatingSystem, Result, Section, SectionType, Standing

OTBR = RatingSystem.OTBR
DAY = date(2026, 7, 4)
NEWCOMER = 1
ESTABLISHED = (30, 45, 80, 200)
PROVISIONAL = (2, 3, 4, 6, 8, 10)
MIXED = (4, 6, 8, 12, 20, 40, 100)
STEP_DAYS = 45


class Circle(NamedTuple):
    """A newcomer's sections, one after the other, what the others brought, and the birth date that is sought."""

    sections: Sequence[Section]
    brought: Mapping[int, Standing]
    birth_date: date


class Shape(NamedTuple):
    """How many players and rounds, how often they meet again, and on how many games the others stand."""

    players: int
    rounds: int
    sections: int = 1
    games: Sequence[int] = MIXED


def circle(seed: int, shape: Shape) -> Circle:
    """A random circle; everybody plays about as well as his rating, the newcomer as his age says, give or take 200."""
    rng = random.Random(seed)
    birth_date = DAY - timedelta(days=rng.randrange(5 * 366, 19 * 365))
    level = rng.choice((300.0, 600.0, 900.0, 1300.0, 1700.0))
    brought = {number: _standing(rng, level, shape) for number in range(2, shape.players + 1)}
    strengths = {number: standing.rating for number, standing in brought.items()}
    strengths[NEWCOMER] = 50.0 * (DAY - birth_date).days / 365.25 + rng.gauss(0.0, 200.0)
    sections = [_section(rng, shape, strengths, DAY + timedelta(days=30 * at)) for at in range(shape.sections)]
    return Circle(sections, brought, birth_date)


def _standing(rng: random.Random, level: float, shape: Shape) -> Standing:
    games = rng.choice(shape.games)
    rating = max(100.0, rng.gauss(level, 200.0))
    third = games // 3
    peak = rating if games > 25 else None
    return Standing(rating, float(games), third, games - 2 * third, third, third, peak, peak, as_of=DAY)


def _section(rng: random.Random, shape: Shape, strengths: Mapping[int, float], day: date) -> Section:
    cells: dict[int, list[Cell]] = {number: [] for number in range(1, shape.players + 1)}
    for _ in range(shape.rounds):
        order = sorted(cells, key=lambda number: rng.random())
        for one, other in zip(order[::2], order[1::2], strict=False):
            lead = strengths[one] - strengths[other]
            chance, expected = rng.random(), 1.0 / (1.0 + 10.0 ** (-lead / 400.0))
            letters = "WL" if chance < expected - 0.08 else "DD" if chance < expected + 0.08 else "LW"
            cells[one].append(Cell(Result(letters[0]), other, ""))
            cells[other].append(Cell(Result(letters[1]), one, ""))
    entries = tuple(Entry(number, f"m{number}", f"M {number}", tuple(mine)) for number, mine in cells.items())
    return Section(1, "", SectionType.SWISS, False, None, (OTBR,), day, day, entries)


# What becomes of it.


class Seen(NamedTuple):
    """A section as the office rated it, with its veil and its public rows."""

    rated: RatedSection
    veil: Veil
    rows: tuple[PublicRow, ...]


def seen(made: Circle, birth_date: date | None = None) -> list[Seen]:
    """All sections of a circle in public form, for the true birth date or another one."""
    standings = dict(made.brought)
    spans: dict[tuple[str, RatingSystem], Span] = {}
    newcomer = Background(birth_date=birth_date or made.birth_date)
    found: list[Seen] = []
    for section in made.sections:
        backgrounds = {
            entry.number: Background(standings={OTBR: standings[entry.number]})
            if entry.number in standings
            else newcomer
            for entry in section.entries
        }
        rated = rate(section, OTBR, backgrounds, edition_for(section.start))
        veil = veil_of(rated, spans, has_hidden_decimals=bool(found))
        found.append(Seen(rated, veil, public_rows(rated, veil)))
        spans = {(f"m{number}", OTBR): span for number, span in veil.after.items()}
        standings = {player.number: player.after for player in rated.players if player.after is not None}
    return found


def candidates(made: Circle, step_days: int = STEP_DAYS) -> Iterator[date]:
    """Births of the newcomer's block of years, the true one among them."""
    first, last = block_of(made.birth_date)
    day = first + timedelta(days=(made.birth_date - first).days % step_days)
    while day <= last:
        yield day
        day += timedelta(days=step_days)


def span_days(days: Sequence[date]) -> int:
    """From the first to the last of the births that are left."""
    return (max(days) - min(days)).days


# The attacker who knows what is public.


class _Interval(NamedTuple):
    low: float
    high: float

    def meets(self, other: "_Interval") -> bool:
        return self.low <= other.high and other.low <= self.high

    def within(self, other: "_Interval") -> "_Interval":
        return _Interval(max(self.low, other.low), min(self.high, other.high))


def _bounds(shown: Shown) -> _Interval:
    """What a shown rating says: a whole number was rounded, a range is its ends."""
    if shown.between is not None:
        return _Interval(*map(float, shown.between))
    assert shown.rating is not None
    assert shown.rating == official_rating(shown.rating)
    return _Interval(shown.rating - 0.5, shown.rating + 0.5)


def is_possible(made: Circle, public: Sequence[tuple[PublicRow, ...]], birth_date: date) -> bool:
    """Whether a birth date agrees with every public number, whatever the decimals are that nobody shows.

    A rating grows with everybody's pre-event ratings, so rating the section with all of them at their lowest and at
    their highest bounds what each result can be.
    """
    known: dict[int, _Interval] = {}
    for section, rows in zip(made.sections, public, strict=True):
        for row in rows:
            if row.before is not None:
                bounds = _bounds(row.before)
                known[row.number] = known[row.number].within(bounds) if row.number in known else bounds
        ends = [_rate_at(made, section, known, birth_date, at) for at in (0, 1)]
        for row in rows:
            if row.after is None:
                continue
            low, high = sorted(end[row.number] for end in ends)
            if not _Interval(low, high).meets(_bounds(row.after)):
                return False
            known[row.number] = _Interval(low, high).within(_bounds(row.after))
    return True


def _rate_at(
    made: Circle, section: Section, known: Mapping[int, _Interval], birth_date: date, end: int
) -> dict[int, float]:
    backgrounds = {}
    for entry in section.entries:
        if entry.number not in known:
            backgrounds[entry.number] = Background(birth_date=birth_date)
            continue
        counted = _counted(made, section, entry.number)
        backgrounds[entry.number] = Background(standings={OTBR: counted._replace(rating=known[entry.number][end])})
    rated = rate(section, OTBR, backgrounds, edition_for(section.start))
    return {player.number: player.outcome.rating for player in rated.players}


def _counted(made: Circle, section: Section, number: int) -> Standing:
    """Games, wins, draws, losses and events before a section, which everybody can count."""
    standing = made.brought.get(number, Standing(0.0, 0.0, 0, 0, 0, 0))
    rows = [
        [cell.result for cell in entry.cells]
        for earlier in made.sections[: made.sections.index(section)]
        for entry in earlier.entries
        if entry.number == number
    ]
    letters = [letter for row in rows for letter in row]
    wins, draws, losses = (letters.count(result) for result in (Result.WIN, Result.DRAW, Result.LOSS))
    assert standing.games is not None
    return standing._replace(
        games=standing.games + len(letters),
        wins=(standing.wins or 0) + wins,
        draws=(standing.draws or 0) + draws,
        losses=(standing.losses or 0) + losses,
        events=(standing.events or 0) + sum(len(row) >= 3 for row in rows),
    )

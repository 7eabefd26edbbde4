"""Tie-breaks of the rulebook, 34E (7th edition), and the standings they give; larger is better in each of them.

They decide indivisible prizes only (34C), and the methods must be posted before round 1 (34B). An unplayed game is a
bye of any value, a forfeit, or a round before a late entry or after a withdrawal. It counts half a point in the score
that opponents take from it, and among the player's own opponents it is one with 0 points. Who forfeited is no opponent.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from crosstable.engine import RatedSection
from crosstable.terms import GAME_SCORES, POINTS, Cell, Entry, Result, SectionType, total

# 34E1: from so many rounds on, two scores are left out instead of one.
MANY_ROUNDS = 9
# 34E7: a win, a draw, a loss; an unplayed game counts nothing.
KASHDAN = {1.0: 4.0, 0.5: 2.0, 0.0: 1.0}
# 34E10: what a win adds to the opponent's rating and a loss takes from it.
PERFORMANCE = {1.0: 400.0, 0.5: 0.0, 0.0: -400.0}
HALF = 0.5


class Field(NamedTuple):
    """The players of a section by number, the columns of rounds that were held, and ratings before the section."""

    entries: Mapping[int, Entry]
    held: tuple[int, ...]
    ratings: Mapping[int, float]

    def rounds(self, number: int) -> list[Cell]:
        """What a player has for every round held; their own column of a round robin is none."""
        cells = self.entries[number].cells
        found = [cells[at] if at < len(cells) else Cell(Result.BLANK, 0, "") for at in self.held]
        return [cell for cell in found if cell.result is not Result.OWN_COLUMN]

    def games(self, number: int) -> list[Cell]:
        """The games that a player played."""
        return [cell for cell in self.rounds(number) if cell.result.is_game]

    def adjusted(self, number: int) -> float:
        """The score that counts for a player's opponents: every unplayed game is half a point."""
        return total(GAME_SCORES.get(cell.result, HALF) for cell in self.rounds(number))

    def opposition(self, number: int) -> list[float]:
        """The adjusted scores of the opponents, lowest first; 0 for each round that the player did not play."""
        return sorted(self.adjusted(cell.opponent) if cell.result.is_game else 0.0 for cell in self.rounds(number))


Tied = Collection[int]


def field_of(rated: RatedSection) -> Field:
    """What tie-breaks ask of a section; a round in which nobody has a result was not held."""
    entries = {entry.number: entry for entry in rated.section.entries}
    columns = max((len(entry.cells) for entry in entries.values()), default=0)
    empty = (Result.BLANK, Result.OWN_COLUMN)
    held = (
        at
        for at in range(columns)
        if any(entry.cells[at].result not in empty for entry in entries.values() if at < len(entry.cells))
    )
    ratings = {player.number: player.before.rating for player in rated.players if player.before is not None}
    return Field(entries, tuple(held), ratings)


def modified_median(field: Field, number: int, tied: Tied) -> float:
    """34E1: without the lowest score for a plus score, the highest for a minus score, both for an even one."""
    scores, even = field.opposition(number), HALF * len(field.rounds(number))
    points = field.entries[number].points
    return total(_without(scores, field, low=points >= even, high=points <= even))


def solkoff(field: Field, number: int, tied: Tied) -> float:
    """34E2: the adjusted scores of all opponents."""
    return total(field.opposition(number))


def cumulative(field: Field, number: int, tied: Tied) -> float:
    """34E3: the running score after every round, less the points of unplayed games."""
    points = [POINTS.get(cell.result, 0.0) for cell in field.rounds(number)]
    unplayed = [one for one, cell in zip(points, field.rounds(number), strict=True) if not cell.result.is_game]
    running = (one * (len(points) - at) for at, one in enumerate(points))
    return total(running) - total(unplayed)


def median(field: Field, number: int, tied: Tied) -> float:
    """34E4: without the highest and the lowest score."""
    return total(_without(field.opposition(number), field, low=True, high=True))


def between_tied(field: Field, number: int, tied: Tied) -> float:
    """34E5: wins less losses in games among the tied players."""
    games = (cell for cell in field.games(number) if cell.opponent in tied)
    return total(2.0 * GAME_SCORES[cell.result] - 1.0 for cell in games)


def most_blacks(field: Field, number: int, tied: Tied) -> float:
    """34E6: games played with Black."""
    return float(len([cell for cell in field.games(number) if cell.colour == "b"]))


def kashdan(field: Field, number: int, tied: Tied) -> float:
    """34E7: 4 for a win, 2 for a draw, 1 for a loss."""
    return total(KASHDAN[GAME_SCORES[cell.result]] for cell in field.games(number))


def sonneborn_berger(field: Field, number: int, tied: Tied) -> float:
    """34E8: final scores of the opponents beaten, and half of those drawn."""
    return total(GAME_SCORES[cell.result] * field.entries[cell.opponent].points for cell in field.games(number))


def cumulative_of_opposition(field: Field, number: int, tied: Tied) -> float:
    """34E9: the cumulative scores of the opponents played."""
    return total(cumulative(field, cell.opponent, tied) for cell in field.games(number))


def performance_of_opposition(field: Field, number: int, tied: Tied) -> float:
    """34E10: the mean performance of the opponents; games between tied players are left out."""
    opponents = (cell.opponent for cell in field.games(number) if cell.opponent not in tied)
    return _mean(found for one in opponents if (found := performance(field, one)))


def performance(field: Field, number: int) -> float:
    """The mean of the opponents' ratings, each with 400 more for a win or less for a loss; 0 where none is rated."""
    games = (cell for cell in field.games(number) if cell.opponent in field.ratings)
    return _mean(field.ratings[cell.opponent] + PERFORMANCE[GAME_SCORES[cell.result]] for cell in games)


def average_opposition(field: Field, number: int, tied: Tied) -> float:
    """34E11: the mean rating of the opponents; those unrated are left out."""
    return _mean(field.ratings[cell.opponent] for cell in field.games(number) if cell.opponent in field.ratings)


def _without(scores: list[float], field: Field, *, low: bool, high: bool) -> list[float]:
    count = 2 if len(field.held) >= MANY_ROUNDS else 1
    return scores[count if low else 0 : len(scores) - (count if high else 0)]


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return total(found) / len(found) if found else 0.0


class Method(NamedTuple):
    """A tie-break: the title of its column, its name, and its value for a player among those still tied."""

    title: str
    name: str
    value: Callable[[Field, int, Tied], float]


METHODS: Mapping[str, Method] = {
    "modified-median": Method("ModMed", "Modified Median", modified_median),
    "solkoff": Method("Solkoff", "Solkoff", solkoff),
    "cumulative": Method("Cumul", "Cumulative", cumulative),
    "median": Method("Median", "Median", median),
    "result-between-tied": Method("Tied", "the result between the tied", between_tied),
    "most-blacks": Method("Blacks", "most games with Black", most_blacks),
    "kashdan": Method("Kashdan", "Kashdan", kashdan),
    "sonneborn-berger": Method("S-B", "Sonneborn-Berger", sonneborn_berger),
    "cumulative-of-opposition": Method("CumOpp", "Cumulative of Opposition", cumulative_of_opposition),
    "performance-of-opposition": Method("OppPerf", "the performance of the opposition", performance_of_opposition),
    "average-opposition": Method("OppAvg", "the average rating of the opposition", average_opposition),
}
SWISS = ("modified-median", "solkoff", "cumulative", "cumulative-of-opposition")
# 34F
ROUND_ROBIN = ("sonneborn-berger", "result-between-tied")


def usual_methods(kind: SectionType) -> tuple[str, ...]:
    """The rulebook's order where none was announced."""
    return ROUND_ROBIN if kind is SectionType.ROUND_ROBIN else SWISS


class Placed(NamedTuple):
    """A player's place, shared where nothing parts them from the next, and the value of each method."""

    place: int
    number: int
    values: tuple[float, ...]


def standings(field: Field, methods: Sequence[str]) -> list[Placed]:
    """Players by points, then by each method among those still tied; by number where nothing parts them."""
    values: dict[int, list[float]] = {number: [] for number in field.entries}
    groups = _parted(sorted(values), lambda number: field.entries[number].points)
    for name in methods:
        parted = []
        for group in groups:
            found = {number: METHODS[name].value(field, number, group) for number in group}
            for number, value in found.items():
                values[number].append(value)
            parted += _parted(group, found.__getitem__)
        groups = parted
    placed: list[Placed] = []
    for group in groups:
        place = len(placed) + 1
        placed += [Placed(place, number, tuple(values[number])) for number in group]
    return placed


def _parted(numbers: Sequence[int], value: Callable[[int], float]) -> list[list[int]]:
    """The players in groups of equal values, the largest first."""
    groups: dict[float, list[int]] = {}
    for number in numbers:
        groups.setdefault(value(number), []).append(number)
    return [groups[one] for one in sorted(groups, reverse=True)]

"""What could have gone wrong where a posted rating differs: each hypothesis rates the section again with one change.

A hypothesis is a reading of the page in which one thing was taken otherwise: a result, a rating or a count before the
event, the rules, the bonus, a floor, a start, a re-entry. It is judged by all posted rows of the section, because a
wrong input moves opponents too. One that fits is a lead and no proof.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from crosstable.engine.competitors import competitors
from crosstable.engine.rating import rated_field
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.effective import most_effective_games
from crosstable.formulas.tally import is_established
from crosstable.rules.amending import Edition
from crosstable.rules.editions import EDITIONS
from crosstable.terms import Background, Cell, GivenStart, PlayerRating, Result, Section, total
from crosstable.verification.pages import Page, circle
from crosstable.verification.rows import WITHIN, WITHIN_DECIMALS, Row, Verdict, verdict_of
from crosstable.verification.starts import bounds_of, credited_games
from crosstable.verification.trials import Trials

SOLVING = "another order of events, or a section missing"
SOLVED = 0.3
MOST_STEPS = 12
MOST_ROWS = 6
MOST_HYPOTHESES = 8
NEAR = 0.05
Fact = TypeVar("Fact", PlayerRating, GivenStart)
# So far from the shown rating before the event another one is looked for.
FURTHEST = 450.0
# Players rated again for one kind of hypothesis, so that an answer comes within a second or two.
MOST_WORK = 4000
TURNED = {
    Result.WIN: (Result.LOSS, Result.DRAW),
    Result.LOSS: (Result.WIN, Result.DRAW),
    Result.DRAW: (Result.WIN, Result.LOSS),
}
POINTS = {Result.WIN: "1", Result.LOSS: "0", Result.DRAW: "½"}
OTHER_SIDE = {Result.WIN: Result.LOSS, Result.LOSS: Result.WIN, Result.DRAW: Result.DRAW, Result.BLANK: Result.BLANK}


class Hypothesis(NamedTuple):
    """What may have been otherwise, the ratings that it gives by number, how many posted rows it brings about.

    ``error`` adds up what is left between computed and posted. A number that was solved for has nothing left on its own
    row, so it is charged with what rounding leaves.
    """

    what: str
    ratings: Mapping[int, float]
    rows: int
    error: float


class Suspicion(NamedTuple):
    """A page, what its players brought (with fitted starts), its rows, and the numbers of those that differ."""

    page: Page
    backgrounds: Mapping[int, Background]
    rows: Sequence[Row]
    numbers: frozenset[int]


def hypotheses(about: Suspicion) -> list[Hypothesis]:
    """Every hypothesis that brings at least one of the rows in question to its posted figure, the best first.

    The best one brings most rows about. Among equals those that are tried first are likelier.
    """
    found: list[Hypothesis] = []
    by_number = {row.number: row for row in about.rows}
    constants = about.page.checked.edition.constants
    right = [number for number, row in by_number.items() if number not in about.numbers]
    for what, ratings in _tried(about):
        met = {
            number
            for number, row in by_number.items()
            if number in ratings and _is_met(verdict_of(constants, row.pre, ratings[number], row.posted), row, ratings)
        }
        if met & about.numbers and sum(number in met for number in right) >= len(right) - 1:
            left = [math.fabs(ratings[number] - by_number[number].posted) for number in met]
            error = total(min(one, 1.0) for one in left) + (SOLVED if SOLVING in what else 0.0)
            found.append(Hypothesis(what, ratings, len(met), error))
    return sorted(found, key=lambda one: (-one.rows, one.error))


def fitting(tried: Sequence[Hypothesis], row: Row) -> list[Hypothesis]:
    """The likeliest of what was tried that give a row its posted figure."""
    return [one for one in tried if math.fabs(one.ratings[row.number] - row.posted) <= WITHIN][:MOST_HYPOTHESES]


def _is_met(verdict: Verdict, row: Row, ratings: Mapping[int, float]) -> bool:
    is_exact = row.has_decimals and math.isfinite(row.pre) and row.pre != math.floor(row.pre)
    near = 2.0 * WITHIN_DECIMALS if is_exact else WITHIN
    return math.fabs(ratings[row.number] - row.posted) <= near or verdict is Verdict.AT_FLOOR


def _tried(about: Suspicion) -> Iterator[tuple[str, Mapping[int, float]]]:
    """What is tried, in the order of how often it happens."""
    page = about.page
    if page.checked.section.kind.is_foreign:
        return
    most = max(1, MOST_WORK // len(page.players))
    for kind in (_floors_left_out, _turned_results, _re_entries, _other_rules, _own_facts, _opponents_facts):
        yield from islice(kind(about), most)


def rated_again(about: Suspicion, section: Section, edition: Edition) -> Mapping[int, float] | None:
    """The ratings by number of a section that was read otherwise; nothing where a rule of its day is missing."""
    who = competitors(section, about.backgrounds)
    try:
        finals = rated_field(section, about.page.system, who, edition).finals
    except UnsupportedEditionError:
        return None
    return {entry.number: finals[at] for at, one in enumerate(who) for entry in one.entries}


def _floors_left_out(about: Suspicion) -> Iterator[tuple[str, Mapping[int, float]]]:
    """The computed rating of somebody whom a floor held."""
    trials = Trials(about.page, about.backgrounds)
    ratings, computed = trials.ratings(), trials.computed()
    by_number = {number: ratings[at] for number, at in trials.position.items()}
    for number in sorted(about.numbers):
        at = trials.position[number]
        if computed[at] < ratings[at] - 1.0:
            yield (
                f"the floor of {ratings[at]:g} left out for player {number}",
                {**by_number, number: computed[at]},
            )


def _turned_results(about: Suspicion) -> Iterator[tuple[str, Mapping[int, float]]]:
    """Every game of the rows in question with another result, or left out."""
    section, edition = about.page.checked.section, about.page.checked.edition
    entries = {entry.number: entry for entry in section.entries}
    seen: set[tuple[int, int, int]] = set()
    for number in _worst(about):
        for at, cell in enumerate(entries[number].cells):
            game = (at, *sorted((number, cell.opponent)))
            if cell.result not in TURNED or cell.opponent not in entries or game in seen:
                continue
            seen.add((game[0], game[1], game[2]))
            for result in (*TURNED[cell.result], Result.BLANK):
                ratings = rated_again(about, with_result(section, number, at, result), edition)
                if ratings is not None:
                    said = "left out" if result is Result.BLANK else f"counted as {POINTS[result]}"
                    whom = f"player {number} against player {cell.opponent} in round {at + 1}"
                    yield f"the game of {whom} {said} instead of {POINTS[cell.result]}", ratings


def with_result(section: Section, number: int, at: int, result: Result) -> Section:
    """A section with another result of one game, on both rows."""
    opponent = next(entry.cells[at].opponent for entry in section.entries if entry.number == number)
    entries = []
    for entry in section.entries:
        cells = list(entry.cells)
        if entry.number == number:
            cells[at] = _cell(cells[at], result)
        elif entry.number == opponent and at < len(cells) and cells[at].opponent == number:
            cells[at] = _cell(cells[at], OTHER_SIDE[result])
        entries.append(entry._replace(cells=tuple(cells)))
    return section._replace(entries=tuple(entries))


def _cell(cell: Cell, result: Result) -> Cell:
    return Cell(result, 0, "") if result is Result.BLANK else cell._replace(result=result)


def _re_entries(about: Suspicion) -> Iterator[tuple[str, Mapping[int, float]]]:
    """Rows of one member rated as if they were different people, or only one of them rated."""
    section, edition = about.page.checked.section, about.page.checked.edition
    counted: dict[str, list[int]] = {}
    for entry in section.entries:
        if entry.member_id:
            counted.setdefault(entry.member_id, []).append(entry.number)
    for numbers in counted.values():
        if len(numbers) < 2 or not about.numbers & set(numbers):
            continue
        entries = tuple(
            entry._replace(member_id=f"{entry.member_id} row {entry.number}") if entry.number in numbers else entry
            for entry in section.entries
        )
        ratings = rated_again(about, section._replace(entries=entries), edition)
        if ratings is None:
            continue
        for number in numbers:
            others = dict.fromkeys(numbers, ratings[number])
            yield f"the re-entry of player {numbers[0]}: only the games of row {number} counted", {**ratings, **others}


def _other_rules(about: Suspicion) -> Iterator[tuple[str, Mapping[int, float]]]:
    """The section under other bonuses and under the rules of other times."""
    section, edition = about.page.checked.section, about.page.checked.edition
    constants = edition.constants
    bonuses = dict.fromkeys(one.constants.bonus_threshold for one in EDITIONS)
    for threshold in (*bonuses, math.inf):
        if threshold != constants.bonus_threshold:
            ratings = rated_again(
                about, section, edition._replace(constants=constants._replace(bonus_threshold=threshold))
            )
            said = "no bonus" if math.isinf(threshold) else f"a bonus threshold of {threshold:g}"
            if ratings is not None:
                yield f"{said} instead of {constants.bonus_threshold:g}", ratings
    for other in EDITIONS:
        if other.constants not in (constants, constants._replace(bonus_threshold=other.constants.bonus_threshold)):
            ratings = rated_again(about, section, other)
            if ratings is not None:
                yield f"the rules of {other.name} instead of those of {edition.name}", ratings


def _own_facts(about: Suspicion) -> Iterator[tuple[str, Mapping[int, float]]]:
    """Ratings before the event, counts and starts of the rows in question."""
    return _other_facts(about, _worst(about)[:MOST_ROWS])


def _opponents_facts(about: Suspicion) -> Iterator[tuple[str, Mapping[int, float]]]:
    """The same of their opponents."""
    return _other_facts(about, sorted(circle(about.page, set(_worst(about)[:2]), 1) - about.numbers)[:MOST_ROWS])


def _worst(about: Suspicion) -> list[int]:
    """The rows in question, those that differ most first."""
    error = {row.number: math.fabs(row.error) for row in about.rows}
    return sorted(about.numbers, key=lambda number: -error[number])


def _other_facts(about: Suspicion, numbers: Sequence[int]) -> Iterator[tuple[str, Mapping[int, float]]]:
    trials = Trials(about.page, about.backgrounds)
    rows = {row.number: row for row in about.rows}
    for number in numbers:
        if number not in trials.position:
            continue
        prepared = trials.prepared(number)
        for what, fact in _facts(about, trials, rows, number):
            trials.with_fact(number, fact)
            ratings = trials.ratings()
            trials.put_back(number, prepared)
            yield what, {one: ratings[at] for one, at in trials.position.items()}


def _facts(
    about: Suspicion, trials: Trials, rows: Mapping[int, Row], number: int
) -> Iterator[tuple[str, PlayerRating | GivenStart]]:
    prepared, constants = trials.prepared(number), about.page.checked.edition.constants
    asked = [number] if number in about.numbers else _worst(about)[:2]
    if prepared.start is not None:
        credited = credited_games(about.page, number)
        games = prepared.start.initial.games if credited is None else credited
        low, high = bounds_of(constants, games)
        for row in asked:
            start = _solved(trials, rows[row], number, lambda rating: GivenStart(rating, games), (low, high))
            if start is not None:
                yield f"another start of player {number}, who was unrated: from other sources", start
        return
    record = prepared.record
    for row in asked:
        span = (max(record.rating - FURTHEST, constants.absolute_floor), record.rating + FURTHEST)
        before = _solved(trials, rows[row], number, lambda rating: record._replace(rating=rating), span)
        if before is not None and math.fabs(before.rating - record.rating) > 0.5:
            said = f"player {number} at {before.rating:.0f} before the event instead of {record.rating:.0f}"
            yield f"{said} ({SOLVING})", before
    if record.games is not None and not is_established(constants, record.games) and record.wins is None:
        count = int(record.games)
        yield f"player {number} had won all earlier games", record._replace(wins=count, draws=0, losses=0)
        yield f"player {number} had lost all earlier games", record._replace(wins=0, draws=0, losses=count)
    established = math.floor(constants.established_above) + 1
    most = math.ceil(most_effective_games(constants, record.rating))
    for games in range(0 if record.games is not None else established, max(most, established) + 1):
        if games != record.games:
            yield f"a count of {games} games before the event for player {number}", record._replace(games=float(games))


def _solved(
    trials: Trials, row: Row, number: int, made: Callable[[float], Fact], span: tuple[float, float]
) -> Fact | None:
    """The fact of a player that gives a row its posted figure; none where no value of a span does.

    Regula falsi, the end that stays halved (Illinois): a rating hardly ever takes more than eight trials.
    """
    prepared = trials.prepared(number)

    def error(rating: float) -> float:
        trials.with_fact(number, made(rating))
        return row.posted - trials.ratings()[trials.position[row.number]]

    (low, high), found = span, None
    at_low, at_high = error(low), error(high)
    if at_low * at_high < 0.0:
        for _ in range(MOST_STEPS):
            middle = (low * at_high - high * at_low) / (at_high - at_low)
            found, left = made(middle), error(middle)
            if math.fabs(left) < NEAR:
                break
            if left * at_high < 0.0:
                low, at_low = high, at_high
            else:
                at_low /= 2.0
            high, at_high = middle, left
    trials.put_back(number, prepared)
    return found

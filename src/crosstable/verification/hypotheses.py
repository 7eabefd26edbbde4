"""What could have gone wrong where a posted rating differs: each hypothesis rates the section again with one change.

A hypothesis is a reading of the page in which one thing was taken otherwise: a result, a rating or a count before the
event, the rules, the bonus, a floor, a start, a re-entry. It is tried first on the few players that a differing row
rests on. One that brings the row about is judged by all posted rows that it can move, because a wrong input moves
opponents too. One that fits is a lead and no proof.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from crosstable.engine.rating import rated_field
from crosstable.engine.starts import Competitor, GameSide, competitors
from crosstable.errors import UnsupportedEditionError
from crosstable.formulas.outcome import fewest_established, is_established
from crosstable.formulas.standard import most_effective_games
from crosstable.rules.amending import Edition
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.terms import GAME_SCORES, Background, GivenStart, PlayerRating, Result, Section, total
from crosstable.verification.pages import WITHIN, Page, Row, Verdict, circle, steps_of, verdict_of
from crosstable.verification.starts import bounds_of, credited_games
from crosstable.verification.trials import Trials

SOLVING = "another order of events, or a section missing"
SOLVED = 0.3
MOST_STEPS = 12
# The rows in question, those that differ most first, for which results and for which facts of others are tried.
MOST_ROWS = 24
MOST_INQUIRED = 2
MOST_OPPONENTS = 6
MOST_HYPOTHESES = 8
NEAR = 0.05
Fact = TypeVar("Fact", PlayerRating, GivenStart)
# So far from the shown rating before the event another one is looked for.
FURTHEST = 450.0
TURNED = {
    Result.WIN: (Result.LOSS, Result.DRAW),
    Result.LOSS: (Result.WIN, Result.DRAW),
    Result.DRAW: (Result.WIN, Result.LOSS),
}
POINTS = {Result.WIN: "1", Result.LOSS: "0", Result.DRAW: "½"}
OTHER_SIDE = {Result.WIN: Result.LOSS, Result.LOSS: Result.WIN, Result.DRAW: Result.DRAW, Result.BLANK: Result.BLANK}


class Hypothesis(NamedTuple):
    """What may have been otherwise, the ratings that it gives by number, and the numbers of the rows it brings about.

    ``error`` adds up what is left between computed and posted. A number that was solved for has nothing left on its own
    row, so it is charged with what rounding leaves. ``is_hidden``: it is a fact that a page does not show.
    """

    what: str
    ratings: Mapping[int, float]
    met: frozenset[int]
    error: float
    is_hidden: bool


class Suspicion(NamedTuple):
    """A page, what its players brought (with fitted starts), its rows, and the numbers of those that differ.

    ``tolerance`` says by number how near computed and posted have to be, where that is less than a point.
    """

    page: Page
    backgrounds: Mapping[int, Background]
    rows: Sequence[Row]
    numbers: frozenset[int]
    tolerance: Mapping[int, float] = {}

    def is_met(self, row: Row, rating: float) -> bool:
        """Whether this rating would give a row its posted figure."""
        if math.fabs(rating - row.posted) <= self.tolerance.get(row.number, WITHIN):
            return True
        constants = self.page.checked.edition.constants
        return verdict_of(constants, row.pre, rating, row.posted) is Verdict.AT_FLOOR


class Change(NamedTuple):
    """One thing that may have been otherwise: players who came otherwise, or another way to rate the page.

    ``rated`` gives the ratings of a page, or of a part of it. ``is_hidden``: it is a fact that a page does not show.
    """

    what: str
    players: Mapping[int, Competitor] = {}
    rated: Callable[[Suspicion], Mapping[int, float] | None] = lambda about: None
    is_hidden: bool = False


def hypotheses(about: Suspicion, trials: Trials | None = None) -> list[Hypothesis]:
    """Every hypothesis that brings at least one of the rows in question to its posted figure, the best first.

    The best one brings most rows about. Among equals those that are tried first are likelier. ``trials`` are those of
    the page with what its players brought, where somebody has them; they stay as they are.
    """
    if about.page.checked.section.kind.is_foreign:
        return []
    found: dict[str, Hypothesis] = {}
    trials = Trials(about.page, about.backgrounds) if trials is None else trials
    judge = _Judge(about, trials)
    for changes in (_tried, _two_results):
        for change in changes(about, trials):
            judged = judge.judged(change) if change.what not in found else None
            if judged is not None:
                found[change.what] = judged
        if any(about.numbers <= one.met for one in found.values()):
            break
    return sorted(found.values(), key=lambda one: (-len(one.met), one.error))


def fitting(about: Suspicion, tried: Sequence[Hypothesis], row: Row) -> tuple[Hypothesis, ...]:
    """The likeliest of what was tried that give a row its posted figure."""
    near = about.tolerance.get(row.number, WITHIN)
    return tuple(one for one in tried if math.fabs(one.ratings[row.number] - row.posted) <= near)[:MOST_HYPOTHESES]


class _Judge:
    """What a change makes of all rows; most of them stay as they are without it."""

    def __init__(self, about: Suspicion, trials: Trials) -> None:
        self._about, self._trials = about, trials
        self._before = trials.ratings_if({})
        self._met = frozenset(row.number for row in about.rows if about.is_met(row, self._before[row.number]))
        self._right = {row.number for row in about.rows} - about.numbers

    def judged(self, change: Change) -> Hypothesis | None:
        """A change as a hypothesis; none where it brings no row in question about, or makes two right ones wrong."""
        about, before = self._about, self._before
        ratings = self._trials.ratings_if(change.players) if change.players else change.rated(about)
        if ratings is None:
            return None
        moved = [row for row in about.rows if ratings[row.number] != before[row.number]]
        met = self._met.difference(row.number for row in moved)
        met |= {row.number for row in moved if about.is_met(row, ratings[row.number])}
        if not met & about.numbers or len(self._right - met) > 1:
            return None
        left = [math.fabs(ratings[row.number] - row.posted) for row in about.rows if row.number in met]
        error = total(min(one, 1.0) for one in left) + (SOLVED if SOLVING in change.what else 0.0)
        return Hypothesis(change.what, ratings, met, error, change.is_hidden)


def part_of(about: Suspicion, numbers: Collection[int]) -> Suspicion:
    """The part of a page that some rows rest on; only the ratings of these rows are those of the whole page (§1).

    Step 5 meets opponents with their Step 4, which meets theirs with the first estimates of Step 3. So the opponents
    come with all their games, the next ones only where they were unrated, the others with what they brought.
    """
    page, section = about.page, about.page.checked.section
    own = _all_rows(section, set(numbers))
    first = _all_rows(section, circle(page, own, 1))
    second = _all_rows(section, circle(page, first, 1))
    whole = first | {one for one in second if page.system not in about.backgrounds[one].standings}
    kept = circle(page, whole, 1)
    if len(kept) == len(section.entries):
        return about
    entries = tuple(
        entry if entry.number in whole else entry._replace(cells=())
        for entry in section.entries
        if entry.number in kept
    )
    checked = page.checked._replace(section=section._replace(entries=entries))
    players = {number: player for number, player in page.players.items() if number in kept}
    rows = [row for row in about.rows if row.number in own]
    return about._replace(page=page._replace(checked=checked, players=players), rows=rows)


def _all_rows(section: Section, numbers: set[int]) -> set[int]:
    """These rows and the other rows of the same members."""
    ids = {entry.member_id for entry in section.entries if entry.number in numbers and entry.member_id}
    return numbers | {entry.number for entry in section.entries if entry.member_id in ids}


def _tried(about: Suspicion, trials: Trials) -> Iterator[Change]:
    """What is worth judging, in the order of how often it happens: what brings a row in question about."""
    rows = {row.number: row for row in about.rows}
    worst = sorted(about.numbers, key=lambda number: -math.fabs(rows[number].error))[:MOST_ROWS]
    yield from _floors_left_out(about, trials)
    for number in worst:
        turned = _turned_results(trials, number, rows[number].error)
        yield from (one for one in turned if about.is_met(rows[number], trials.rating_if(number, one.players)))
    for number in worst:
        yield from _re_entries(about, rows[number])
    yield from _other_rules(about, trials, worst[:MOST_INQUIRED])
    for number in worst:
        yield from _other_facts(about, trials, rows[number], [number])
    for number in worst[:MOST_INQUIRED]:
        others = circle(about.page, {number}, 1) - about.numbers
        yield from _other_facts(about, trials, rows[number], sorted(others)[:MOST_OPPONENTS])


def rated_again(about: Suspicion, section: Section, edition: Edition) -> Mapping[int, float] | None:
    """The ratings by number of a section that was read otherwise; nothing where a rule of its day is missing."""
    section = section.with_backgrounds(about.backgrounds)
    who = competitors(section)
    try:
        finals = rated_field(section, about.page.system, who, edition, steps_of(about.page)).finals
    except UnsupportedEditionError:
        return None
    return {entry.number: finals[at] for at, one in enumerate(who) for entry in one.entries}


def _floors_left_out(about: Suspicion, trials: Trials) -> Iterator[Change]:
    """The computed rating of somebody whom a floor held."""
    ratings, computed = trials.ratings(), trials.computed()
    by_number = {number: ratings[at] for number, at in trials.position.items()}
    for number in sorted(about.numbers):
        at = trials.position[number]
        if computed[at] < ratings[at] - 1.0:
            what = f"the floor of {ratings[at]:g} left out for player {number}"
            yield Change(what, rated=partial(_as_rated, {**by_number, number: computed[at]}))


def _as_rated(ratings: Mapping[int, float], _: Suspicion) -> Mapping[int, float]:
    return ratings


def _turned_results(trials: Trials, number: int, toward: float = 0.0) -> Iterator[Change]:
    """Every game of a row in question with another result, or left out; to more points only where it needs more."""
    meetings: Counter[int] = Counter()
    for side in trials.prepared(number).sides:
        opponent = side.opponent_number
        meetings[opponent] += 1
        for result in (*TURNED[side.result], Result.BLANK) if side.result in TURNED else ():
            if result is not Result.BLANK and (GAME_SCORES[result] - side.score) * toward < 0.0:
                continue
            own = _with_result(trials.prepared(number), opponent, meetings[opponent], result)
            other = _with_result(trials.prepared(opponent), number, meetings[opponent], OTHER_SIDE[result])
            yield Change(_turned(number, side, result), {number: own, opponent: other})


def _two_results(about: Suspicion, trials: Trials) -> Iterator[Change]:
    """Two results turned, where one thing alone does not bring all rows about: of the worst row, then of the next."""
    rows = {row.number: row for row in about.rows}
    worst = max(about.numbers, key=lambda number: math.fabs(rows[number].error))
    for one in list(_turned_results(trials, worst)):
        if any(_is_spoiled(about, trials, rows, one, number) for number in one.players.keys() - {worst}):
            continue
        ratings = trials.ratings_if(one.players)
        left = {row.number: row.posted - ratings[row.number] for row in about.rows}
        left = {number: error for number, error in left.items() if not about.is_met(rows[number], ratings[number])}
        if not left or len(left) > 2 * len(about.numbers):
            continue
        before = {number: trials.prepared(number) for number in one.players}
        for number, player in one.players.items():
            trials.put_back(number, player)
        following = max(left, key=lambda number: math.fabs(left[number]))
        pairs = [
            Change(f"{one.what}, and {other.what}", {**one.players, **other.players})
            for other in _turned_results(trials, following, left[following])
            if about.is_met(rows[following], trials.rating_if(following, other.players))
        ]
        for number, player in before.items():
            trials.put_back(number, player)
        yield from pairs


def _is_spoiled(about: Suspicion, trials: Trials, rows: Mapping[int, Row], change: Change, number: int) -> bool:
    """Whether a change makes the right row of an opponent wrong, and no other row in question met that opponent."""
    if number in about.numbers or number not in rows:
        return False
    is_alone = len(circle(about.page, {number}, 1) & about.numbers - change.players.keys()) == 0
    return is_alone and not about.is_met(rows[number], trials.rating_if(number, change.players))


def _turned(number: int, side: GameSide, result: Result) -> str:
    first, second = sorted((number, side.opponent_number))
    was, then = (side.result, result) if first == number else (OTHER_SIDE[side.result], OTHER_SIDE[result])
    said = "left out" if result is Result.BLANK else f"counted as {POINTS[then]} instead of {POINTS[was]}"
    return f"the game of player {first} against player {second} in round {side.round_number} {said}"


def _with_result(player: Competitor, opponent: int, meeting: int, result: Result) -> Competitor:
    """A player with another result of the first, second, ... game with an opponent, or without it.

    The rows of a round robin show a game in two columns, so rounds do not tell.
    """
    sides = []
    for side in player.sides:
        meeting -= side.opponent_number == opponent
        if side.opponent_number != opponent or meeting:
            sides.append(side)
        elif result is not Result.BLANK:
            sides.append(side._replace(result=result, score=GAME_SCORES[result]))
    return player.with_games(tuple(sides))


def _re_entries(about: Suspicion, row: Row) -> Iterator[Change]:
    """Rows of one member rated as if they were different people, and only one of them counted, where that is met."""
    entries = about.page.checked.section.entries
    member = next(entry.member_id for entry in entries if entry.number == row.number)
    numbers = [entry.number for entry in entries if member and entry.member_id == member]
    near = _rated_apart(part_of(about, {row.number}), numbers) if len(numbers) > 1 else None
    for one in numbers:
        if near is not None and about.is_met(row, near[one]):
            what = f"the re-entry of player {numbers[0]}: only the games of row {one} counted"
            yield Change(what, rated=partial(_only_row, one, numbers))


def _rated_apart(about: Suspicion, numbers: Sequence[int]) -> Mapping[int, float] | None:
    """The ratings by number if these rows were those of different people."""
    section = about.page.checked.section
    apart = tuple(
        entry._replace(member_id=f"{entry.member_id} row {entry.number}") if entry.number in numbers else entry
        for entry in section.entries
    )
    return rated_again(about, section._replace(entries=apart), about.page.checked.edition)


def _only_row(one: int, numbers: Sequence[int], about: Suspicion) -> Mapping[int, float] | None:
    ratings = _rated_apart(about, numbers)
    return None if ratings is None else {**ratings, **dict.fromkeys(numbers, ratings[one])}


def _other_rules(about: Suspicion, whole: Trials, numbers: Sequence[int]) -> Iterator[Change]:
    """The section under other bonuses and under the rules of other times, where they bring one of some rows about."""
    part, rows = part_of(about, numbers), [row for row in about.rows if row.number in numbers]
    checked, players = part.page.checked, Trials(part.page, about.backgrounds).players
    fits: dict[Constants, bool] = {}  # what else an edition changes moves no rating
    for what, edition in _editions(checked.edition):
        if edition.constants not in fits:
            page = part.page._replace(checked=checked._replace(edition=edition))
            try:
                trials = Trials(page, about.backgrounds, players)
            except UnsupportedEditionError:
                continue
            met = any(about.is_met(row, trials.rating_alone(row.number)) for row in rows)
            fits[edition.constants] = met
        if fits[edition.constants]:
            yield Change(what, rated=partial(_under, edition, whole))


def _under(edition: Edition, trials: Trials, about: Suspicion) -> Mapping[int, float] | None:
    page = about.page._replace(checked=about.page.checked._replace(edition=edition))
    try:
        again = Trials(page, about.backgrounds, trials.players)
    except UnsupportedEditionError:
        return None
    ratings = again.ratings()
    return {number: ratings[at] for number, at in again.position.items()}


def _editions(edition: Edition) -> Iterator[tuple[str, Edition]]:
    constants = edition.constants
    bonuses = dict.fromkeys(one.constants.bonus_threshold for one in EDITIONS)
    for threshold in (*bonuses, math.inf):
        if threshold != constants.bonus_threshold:
            said = "no bonus" if math.isinf(threshold) else f"a bonus threshold of {threshold:g}"
            other = edition._replace(constants=constants._replace(bonus_threshold=threshold))
            yield f"{said} instead of {constants.bonus_threshold:g}", other
    # A page rated with the online fault stays so under other rules: one thing is changed at a time.
    for official in EDITIONS:
        changed = official.constants._replace(k_effective_weight=constants.k_effective_weight)
        if changed not in (constants, constants._replace(bonus_threshold=changed.bonus_threshold)):
            said = f"the rules of {official.name} instead of those of {edition.name}"
            yield said, official._replace(constants=changed)


def _other_facts(about: Suspicion, trials: Trials, row: Row, numbers: Sequence[int]) -> Iterator[Change]:
    """Ratings before the event, counts and starts of players that bring a row about."""
    for number in numbers:
        for what, fact, is_hidden in _facts(about, trials, row, number):
            players = {number: trials.brought(number, fact)}
            if about.is_met(row, trials.rating_if(row.number, players)):
                yield Change(what, players, is_hidden=is_hidden)


def _facts(
    about: Suspicion, trials: Trials, row: Row, number: int
) -> Iterator[tuple[str, PlayerRating | GivenStart, bool]]:
    """What a player may have brought instead; with each whether a page would not show it."""
    prepared, constants = trials.prepared(number), about.page.checked.edition.constants
    if prepared.start is not None:
        credited = credited_games(about.page, number)
        games = prepared.start.initial.games if credited is None else credited
        start = _solved(trials, row, number, lambda rating: GivenStart(rating, games), bounds_of(constants, games))
        if start is not None:
            yield f"another start of player {number}, who was unrated: from other sources", start, False
        return
    record = prepared.record
    span = (max(record.rating - FURTHEST, constants.absolute_floor), record.rating + FURTHEST)
    before = _solved(trials, row, number, lambda rating: record._replace(rating=rating), span)
    if before is not None and math.fabs(before.rating - record.rating) > 0.5:
        was, then = f"{record.rating:.0f}", f"{before.rating:.0f}"
        yield f"player {number} at {then} before the event instead of {was} ({SOLVING})", before, False
    if record.games is not None and not is_established(constants, record.games) and record.wins is None:
        count = int(record.games)
        yield f"player {number} had won all earlier games", record._replace(wins=count, draws=0, losses=0), True
        yield f"player {number} had lost all earlier games", record._replace(wins=0, draws=0, losses=count), True
    fewest = 1 if record.games is not None else fewest_games(about.page, number)
    most = math.ceil(most_effective_games(constants, record.rating))
    for games in range(fewest, max(most, int(fewest_established(constants))) + 1):
        if games != record.games:
            what = f"a count of {games} games before the event for player {number}"
            yield what, record._replace(games=float(games)), record.games is None


def fewest_games(page: Page, number: int) -> int:
    """The fewest games that a rating shown without a count can stand on before the section.

    It is established, except where counts are shown after the section only: then it may have become so in it.
    """
    established = int(fewest_established(page.checked.edition.constants))
    posted = page.players[number].posted.get(page.system)
    if page.checked.report.details.get("counts") != "after" or posted is None:
        return established
    games = [cell for cell in page.players[number].cells if cell.result is not None and cell.result.is_game]
    return max(1, established - len(games))


def _solved(
    trials: Trials, row: Row, number: int, made: Callable[[float], Fact], span: tuple[float, float]
) -> Fact | None:
    """The fact of a player that gives a row its posted figure; none where no value of a span does.

    Regula falsi, the end that stays halved (Illinois): a rating hardly ever takes more than eight trials.
    """

    def error(rating: float) -> float:
        return row.posted - trials.rating_if(row.number, {number: trials.brought(number, made(rating))})

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
    return found

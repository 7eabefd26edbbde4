"""Single predictions and single ratings of a history as tables, for work that the back-test does not do.

    from crosstable.lab import players_frame, predictions_frame
    predictions_frame("archive", "official")  # a row for every game and system: what was expected, what was scored
    players_frame("archive", "official")      # a row for every player, section and system: before, after, true strength

Both take what ``backtest`` takes: rule sets and other systems, and a span of days.
"""

import os

import numpy as np
import polars as pl

from crosstable.errors import HistoryError
from crosstable.history.kernel.arrays import Array
from crosstable.lab import predictions
from crosstable.lab.backtesting import Against, Day, History, day_of, opened_history, rival_of
from crosstable.lab.systems import course_of, predicted_by
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import RatingSystem

Span = tuple[Day, Day]


def predictions_frame(
    archive: str | os.PathLike[str], rules: Against = OFFICIAL, *, span: Span = (None, None), threads: int = 1
) -> pl.DataFrame:
    """A row for every game and system: section and day, both members (none: null), ratings, expected, scored, deviance.

    Another system learns from all games that the official rules predict, whatever the span.
    """
    history = opened_history(os.fspath(archive), (day_of(span[0]), day_of(span[1])))
    given = rival_of(rules)
    ruled = given if isinstance(given, RuleSet) else OFFICIAL
    brought = predictions.rated_by(history.archive, history.indexed, ruled, threads)
    games = predictions.games_of(history.archive, history.indexed, (None, None))
    games = games.where(brought.is_rated[games.one] & brought.is_rated[games.other])
    if isinstance(given, RuleSet):
        losses, ratings = predictions.losses_of(games, brought.prior), brought.prior
    else:
        losses, ratings = predicted_by(given, games, course_of(history.indexed, history.people, brought.prior))
    made = pl.DataFrame(
        {
            "section": games.section,
            "day": _days(history, games.section),
            "system": _systems(games.system),
            "member": _members(history, games.one),
            "opponent": _members(history, games.other),
            "rating": ratings[games.one],
            "opponent_rating": ratings[games.other],
            "expected": losses.expected,
            "score": games.score,
            "deviance": losses.deviance,
        }
    )
    return made.filter(predictions.in_span(history.start[games.section], history.days))


def players_frame(
    archive: str | os.PathLike[str], rules: Against = OFFICIAL, *, span: Span = (None, None), threads: int = 1
) -> pl.DataFrame:
    """A row for every rated player, section and system: age, start or rating before, rating and games after, bonus.

    ``before`` is null for an unrated player, ``prior`` is then their start (§2); ``strength`` is the true one, null
    where nobody knows it.
    """
    history = opened_history(os.fspath(archive), (day_of(span[0]), day_of(span[1])))
    given = rival_of(rules)
    if not isinstance(given, RuleSet):
        raise HistoryError(f"{given.name} tells no ratings after sections; predictions_frame tells those before them")
    brought = predictions.rated_by(history.archive, history.indexed, given, threads)
    people = history.people
    made = pl.DataFrame(
        {
            "section": people.section,
            "day": _days(history, people.section),
            "system": _systems(people.system),
            "member": _members(history, np.arange(len(people.member))),
            "age": people.age,
            "prior": brought.prior,
            "before": brought.before,
            "after": brought.after,
            "games_after": brought.games_after,
            "bonus": brought.bonus,
            "strength": people.strength,
        }
    ).with_columns(pl.col("age", "before", "games_after", "bonus", "strength").fill_nan(None))
    return made.filter(brought.is_rated & history.kept)


def _days(history: History, section: Array) -> pl.Series:
    """The day that sections start."""
    return history.archive.sections["start"].gather(section)


def _systems(system: Array) -> pl.Series:
    names = pl.Series([one.name for one in RatingSystem], dtype=pl.Categorical)
    return names.gather(system)


def _members(history: History, rows: Array) -> pl.Series:
    """The ids of the members of rows of results; null for somebody without an id."""
    member = pl.Series(history.people.member[rows])
    ids = history.archive.members["member_id"]
    return ids.gather(member.set(member < 0, None))

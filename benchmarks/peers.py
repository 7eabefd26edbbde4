"""Other rating libraries over the first games of an archive, each in its natural form; run in their own environment.

Called as a program with the folder of an archive and, if not all are wanted, their names; prints one JSON object: games
per second by library, the best of some rounds. Reading the archive and converting it to what a library wants are not
timed.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROUNDS = 3


class Games(NamedTuple):
    """Games in the order of the history: who, against whom, the score, and where each section begins."""

    first: list[int]
    second: list[int]
    score: list[float]
    begins: list[int]
    members: int


def games_of(folder: str, count: int | None) -> Games:
    """The first games of an archive, or all of them."""
    import numpy as np
    import polars as pl

    games = pl.read_parquet(Path(folder, "games.parquet"), n_rows=count)
    entries = pl.read_parquet(Path(folder, "entries.parquet"), columns=["section", "member"])
    section, member = games["section"].to_numpy(), entries["member"].to_numpy()
    begin = np.searchsorted(entries["section"].to_numpy(), section)
    first, second = member[begin + games["first"].to_numpy()], member[begin + games["second"].to_numpy()]
    ours = (first >= 0) & (second >= 0)
    changes = np.flatnonzero(np.diff(section[ours])) + 1
    score = (games["result"].to_numpy()[ours] & 3) / 2.0
    begins = [0, *changes.tolist(), int(ours.sum())]
    return Games(first[ours].tolist(), second[ours].tolist(), score.tolist(), begins, int(member.max()) + 1)


def timed(work: Callable[[], None]) -> float:
    """Seconds of one run."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def riix_elo(games: Games, method: str) -> Callable[[], None]:
    """Elo of riix, a section at a time."""
    import numpy as np
    from riix.models.elo import Elo

    pairs = np.array([games.first, games.second], dtype=np.int64).T
    scores = np.array(games.score)
    model = Elo(list(range(games.members)), update_method=method)

    def work() -> None:
        for low, high in zip(games.begins, games.begins[1:], strict=False):
            model.update(pairs[low:high], scores[low:high], time_step=0, use_cache=False)

    return work


def elote_elo(games: Games) -> Callable[[], None]:
    """Elo of elote, a game at a time."""
    from elote import EloCompetitor

    players: dict[int, Any] = {}
    for one in (*games.first, *games.second):
        players.setdefault(one, EloCompetitor(initial_rating=1300))

    def work() -> None:
        for one, other, score in zip(games.first, games.second, games.score, strict=True):
            if score == 1.0:
                players[one].beat(players[other])
            elif score == 0.0:
                players[other].beat(players[one])
            else:
                players[one].tied(players[other])

    return work


def glicko2_periods(games: Games) -> Callable[[], None]:
    """Glicko-2 of glicko2, a section as a period."""
    from glicko2 import Player

    players = {one: Player() for one in {*games.first, *games.second}}

    def work() -> None:
        for low, high in zip(games.begins, games.begins[1:], strict=False):
            played: dict[int, tuple[list[float], list[float], list[float]]] = {}
            for at in range(low, high):
                for own, other, score in (
                    (games.first[at], games.second[at], games.score[at]),
                    (games.second[at], games.first[at], 1.0 - games.score[at]),
                ):
                    ratings, deviations, scores = played.setdefault(own, ([], [], []))
                    ratings.append(players[other].rating)
                    deviations.append(players[other].rd)
                    scores.append(score)
            for own, (ratings, deviations, scores) in played.items():
                players[own].update_player(ratings, deviations, scores)

    return work


def openskill_games(games: Games) -> Callable[[], None]:
    """Bradley-Terry of openskill, a game at a time."""
    from openskill.models import BradleyTerryFull

    model = BradleyTerryFull()
    players = {one: model.rating() for one in {*games.first, *games.second}}

    def work() -> None:
        for one, other, score in zip(games.first, games.second, games.score, strict=True):
            (own,), (others,) = model.rate([[players[one]], [players[other]]], scores=[score, 1.0 - score])
            players[one], players[other] = own, others

    return work


def trueskill_games(games: Games) -> Callable[[], None]:
    """TrueSkill of trueskill, a game at a time."""
    import trueskill

    players = {one: trueskill.Rating() for one in {*games.first, *games.second}}

    def work() -> None:
        for one, other, score in zip(games.first, games.second, games.score, strict=True):
            winner, loser = (one, other) if score >= 0.5 else (other, one)
            players[winner], players[loser] = trueskill.rate_1vs1(players[winner], players[loser], drawn=score == 0.5)

    return work


# Each library with as many games as it rates in a second or two; the one that ours is measured by gets all of them.
PEERS: dict[str, tuple[int | None, Callable[[Games], Callable[[], None]]]] = {
    "riix Elo, batched by section": (None, lambda games: riix_elo(games, "batched")),
    "riix Elo, game by game": (400_000, lambda games: riix_elo(games, "iterative")),
    "elote Elo": (200_000, elote_elo),
    "glicko2 Glicko-2": (100_000, glicko2_periods),
    "openskill Bradley-Terry": (30_000, openskill_games),
    "trueskill TrueSkill": (10_000, trueskill_games),
}


def main() -> None:
    """Print games per second by library."""
    folder, wanted = sys.argv[1], sys.argv[2:] or list(PEERS)
    best: dict[str, float] = {}
    for name in wanted:
        count, prepared = PEERS[name]
        games = games_of(folder, count)
        for _ in range(ROUNDS if count else 1):  # a whole history is its own rounds
            speed = len(games.first) / timed(prepared(games))
            best[name] = max(best.get(name, 0.0), speed)
    print(json.dumps(best))


if __name__ == "__main__":
    main()

"""Effective games, K and the standard rating formula (2025 text §3 and §4.2)."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .law import NEW_EFFECTIVE_GAMES, REDUCED_K, Case


@dataclass(frozen=True)
class Standard:
    """The working of one application of the standard formula."""

    rating: float
    k: float
    expected: float
    bonus: float


def effective_games(case: Case, rating: float, games: float | None) -> float:
    """Give N', the smaller of N and N*; an unknown N counts as large (2025 text §3; rules history §3)."""
    if case.start >= NEW_EFFECTIVE_GAMES:
        cap = 50 / math.sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2) if rating <= 2355 else 50.0
    else:
        cap = 50 / math.sqrt(1 + (2200 - rating) ** 2 / 100000) if rating <= 2200 else 50.0
    return cap if games is None else min(float(games), cap)


def winning_expectancy(rating: float, opponent: float) -> float:
    """Give We(R, Ri) (2025 text §4.2)."""
    return float(1 / (1 + 10 ** (-(rating - opponent) / 400)))


def k_factor(case: Case, rating: float, effective: float, games: int) -> float:
    """Give K, half K, or the smaller K over 2200 (2025 text §4.2; rules history §8; readings 56-58)."""
    if case.half_k:
        return 400 / (effective + games / 2)
    reduced = case.system == "OTBR" and case.dual_control and case.start >= REDUCED_K
    if reduced and rating >= 2500:
        return 200 / (effective + games)
    if reduced and rating > 2200:
        return 800 * (6.5 - 0.0025 * rating) / (effective + games)
    return 800 / (effective + games)


def may_have_bonus(case: Case, met: Counter[int]) -> bool:
    """Say whether the bonus applies (2025 text §4.2 and §7; readings 41, 42, 91, 106)."""
    games = sum(met.values())
    if case.kind == "match" or games < 3:
        return False
    most = max(met.values())
    return most == 1 if games == 3 else most <= 2


def standard_rating(
    rating: float, k: float, score: float, opponents: Sequence[float], multiplier: float | None
) -> Standard:
    """Apply the standard formula once; `multiplier` is B, None if there is no bonus (2025 text §4.2)."""
    expected = sum(winning_expectancy(rating, opponent) for opponent in opponents)
    change = k * (score - expected)
    bonus = 0.0
    if multiplier is not None:
        bonus = max(0.0, change - multiplier * math.sqrt(max(len(opponents), 4)))
    return Standard(rating + change + bonus, k, expected, bonus)

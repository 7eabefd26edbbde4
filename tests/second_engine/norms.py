"""Norms (official facts §1)."""

from fractions import Fraction

from .law import Case
from .rows import Member

LEVELS = (("S", 2400), ("M", 2200), ("C", 2000), ("1", 1800), ("2", 1600), ("3", 1400), ("4", 1200))


def norm_expectancy(level: int, opponent: Fraction) -> Fraction:
    """Give C for a level and an opponent's rating (official facts §1)."""
    distance = level - opponent
    if distance <= -400:
        return Fraction(0)
    if distance <= 0:
        return Fraction(1, 2) + distance / 800
    if distance <= 200:
        return Fraction(1, 2) + distance / 400
    return Fraction(1)


def norm_of(case: Case, member: Member, final: dict[int, float]) -> str | None:
    """Give the highest norm earned, with opponents at their post-event ratings (official facts §1)."""
    if case.system != "OTBR" or case.kind not in ("swiss", "round_robin"):
        return None
    if len(member.games) < 4 or max(member.met.values()) > 2:
        return None
    score = Fraction(member.score)
    for code, level in LEVELS:
        if score - sum(norm_expectancy(level, Fraction(final[game.opponent])) for game in member.games) > 1:
            return code
    return None

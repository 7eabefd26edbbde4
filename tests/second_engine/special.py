"""The special rating formula, solved exactly (2025 text §4.1; readings 46-49)."""

from collections.abc import Sequence
from fractions import Fraction

HIGHEST = Fraction(2700)
PASTS = ("mixed", "wins", "losses")


def provisional_expectancy(rating: Fraction, opponent: Fraction) -> Fraction:
    """Give PWe(R, Ri) (2025 text §4.1)."""
    if rating <= opponent - 400:
        return Fraction(0)
    if rating >= opponent + 400:
        return Fraction(1)
    return Fraction(1, 2) + (rating - opponent) / 800


def special_rating_exact(
    prior: Fraction, effective: Fraction, past: str, score: Fraction, opponents: Sequence[Fraction]
) -> Fraction:
    """Find the special rating from the exact zero set of f, nearest to R0' (2025 text §4.1; readings 49, 52).

    `past` is "wins" or "losses" if all earlier games were such, else "mixed". The limit of 2700 is applied,
    that of 100 is not (it belongs to the steps).
    """
    if past not in PASTS:
        raise ValueError(f"past must be one of {PASTS}")
    if not 0 <= score <= len(opponents):
        raise ValueError("the score lies outside 0 and the number of games")
    centre = {"wins": prior - 400, "losses": prior + 400, "mixed": prior}[past]
    target = {"wins": score + effective, "losses": score, "mixed": score + effective / 2}[past]

    def surplus(rating: Fraction) -> Fraction:
        """Give f(R) (2025 text §4.1)."""
        expected = sum((provisional_expectancy(rating, opponent) for opponent in opponents), Fraction(0))
        return effective * provisional_expectancy(rating, centre) + expected - target

    knots = sorted({rating + shift for rating in (centre, *opponents) for shift in (-400, 400)})
    values = [surplus(knot) for knot in knots]
    answer = centre
    lowest = lower_end(knots, values)
    if lowest is not None:
        answer = max(answer, lowest)
    highest = upper_end(knots, values)
    if highest is not None:
        answer = min(answer, highest)
    return min(answer, HIGHEST)


def lower_end(knots: list[Fraction], values: list[Fraction]) -> Fraction | None:
    """Give the least R with f(R) = 0, None if f is 0 all the way down (2025 text §4.1; readings 49)."""
    if values[0] == 0:
        return None
    for place in range(1, len(knots)):
        if values[place - 1] < 0 <= values[place]:
            return crossing(knots, values, place)
    raise AssertionError("f is nowhere 0")


def upper_end(knots: list[Fraction], values: list[Fraction]) -> Fraction | None:
    """Give the greatest R with f(R) = 0, None if f is 0 all the way up (2025 text §4.1; readings 49)."""
    if values[-1] == 0:
        return None
    for place in range(len(knots) - 1, 0, -1):
        if values[place - 1] <= 0 < values[place]:
            return crossing(knots, values, place)
    raise AssertionError("f is nowhere 0")


def crossing(knots: list[Fraction], values: list[Fraction], place: int) -> Fraction:
    """Give the point where the straight piece that ends at a knot meets 0 (2025 text §4.1)."""
    left, right = knots[place - 1], knots[place]
    rise = values[place] - values[place - 1]
    return left - values[place - 1] * (right - left) / rise

"""The five steps, one function each (2025 text §1)."""

from dataclasses import dataclass
from fractions import Fraction

from .initial import initial_rating
from .law import Case, bonus_multiplier
from .rows import Member
from .special import special_rating_exact
from .standard import effective_games, k_factor, may_have_bonus, standard_rating

Members = dict[int, Member]
Values = dict[int, float]


@dataclass(frozen=True)
class Prior:
    """What a player comes with: R0, N (None if unknown), whether unrated, and the kind of past."""

    rating: float
    games: float | None
    unrated: bool
    past: str


@dataclass(frozen=True)
class Outcome:
    """What one pass gives a player; `below` says that the limit of 100 acted."""

    rating: float
    below: bool
    formula: str
    k: float | None
    expected: float | None
    bonus: float | None


def past_of(member: Member, system: str) -> str:
    """Say whether all earlier games were wins or all were losses (2025 text §4.1; readings 38, 39, 93)."""
    record = member.record(system)
    games = record.get("games")
    if games is None or games < 1:
        return "mixed"
    wins, draws, losses = (record.get(name) or 0 for name in ("wins", "draws", "losses"))
    if draws:
        return "mixed"
    if wins >= games and not losses:  # half-K games count half in N, so there may be more wins than games
        return "wins"
    return "losses" if losses >= games and not wins else "mixed"


def prior_of(case: Case, member: Member) -> Prior:
    """Give a player's pre-event rating, or the initial one (2025 text §1 Step 1)."""
    record = member.record(case.system)
    if record:
        return Prior(float(record["rating"]), record.get("games"), False, past_of(member, case.system))
    rating, games = initial_rating(case, member)
    return Prior(rating, games, True, "mixed")


def step_1(case: Case, members: Members) -> dict[int, Prior]:
    """Set the ratings to start from, of all who played or were met (2025 text §1 Step 1; readings 40)."""
    playing = {number for number, member in members.items() if member.games}
    met = {game.opponent for member in members.values() for game in member.games}
    return {number: prior_of(case, members[number]) for number in members if number in playing | met}


def step_2(case: Case, priors: dict[int, Prior]) -> Values:
    """Calculate the effective number of games (2025 text §1 Step 2)."""
    return {number: effective_games(case, prior.rating, prior.games) for number, prior in priors.items()}


def special(prior: Prior, effective: float, member: Member, values: Values) -> float:
    """Apply the special formula with the opponents at the given values (2025 text §4.1)."""
    opponents = [Fraction(values[game.opponent]) for game in member.games]
    before, score = Fraction(prior.rating), Fraction(member.score)
    return float(special_rating_exact(before, Fraction(effective), prior.past, score, opponents))


def step_3(members: Members, priors: dict[int, Prior]) -> Values:
    """Estimate unrated players with N = 0, with one effective game (2025 text §1 Step 3; readings 37).

    Returns the ratings that Step 4 uses for opponents (readings 55).
    """
    before = {number: prior.rating for number, prior in priors.items()}
    after = dict(before)
    for number, prior in priors.items():
        if prior.unrated and prior.games == 0 and members[number].games:
            after[number] = max(100.0, special(prior, 1.0, members[number], before))
    return after


def uses_special(prior: Prior) -> bool:
    """Say which formula applies (2025 text §1 Step 4; readings 39, 54)."""
    return prior.past != "mixed" or (prior.games is not None and prior.games <= 8)


def one_outcome(case: Case, member: Member, prior: Prior, effective: float, values: Values) -> Outcome:
    """Rate one player with the opponents at the given values (2025 text §1 Step 4)."""
    if uses_special(prior):
        rating = special(prior, effective, member, values)
        return Outcome(max(100.0, rating), rating < 100, "special", None, None, None)
    k = k_factor(case, prior.rating, effective, len(member.games))
    multiplier = bonus_multiplier(case.start) if may_have_bonus(case, member.met) else None
    opponents = [values[game.opponent] for game in member.games]
    done = standard_rating(prior.rating, k, member.score, opponents, multiplier)
    return Outcome(max(100.0, done.rating), done.rating < 100, "standard", done.k, done.expected, done.bonus)


def one_pass(
    case: Case, members: Members, priors: dict[int, Prior], effective: Values, values: Values
) -> dict[int, Outcome]:
    """Rate everyone who played (2025 text §1 Steps 4 and 5; readings 40)."""
    return {
        number: one_outcome(case, members[number], prior, effective[number], values)
        for number, prior in priors.items()
        if members[number].games
    }


def step_4(case: Case, members: Members, priors: dict[int, Prior], effective: Values, estimates: Values) -> Values:
    """Calculate intermediate ratings; who did not play keeps theirs (2025 text §1 Step 4; readings 43, 45)."""
    outcomes = one_pass(case, members, priors, effective, estimates)
    return estimates | {number: outcome.rating for number, outcome in outcomes.items()}


def step_5(
    case: Case, members: Members, priors: dict[int, Prior], effective: Values, intermediate: Values
) -> dict[int, Outcome]:
    """Repeat with the opponents at their Step 4 ratings (2025 text §1 Step 5; readings 44)."""
    return one_pass(case, members, priors, effective, intermediate)

"""One section in one system, from rows to results (2025 text §1, §6, §7)."""

from dataclasses import replace
from typing import Any

from .controls import is_dual_control
from .conversions import fide_to_us, on_scale, youth_fide_to_us
from .errors import NotRatable
from .law import HALF_K_ENDS, Case, bonus_multiplier, demand_system, half_up, section_dates
from .limits import final_rating
from .norms import norm_of
from .rows import Member, read_members
from .standard import effective_games, k_factor, may_have_bonus, standard_rating
from .steps import Outcome, Prior, step_1, step_2, step_3, step_4, step_5

Row = dict[str, Any]
KINDS = ("swiss", "round_robin", "match", "foreign_fide", "foreign_fide_youth")


def case_of(event: dict[str, Any], section: dict[str, Any], system: str) -> Case:
    """Frame a section in one system (2025 text §8; rules history §8)."""
    start, end = section_dates(event, section)
    demand_system(system, start)
    kind = section.get("type") or "swiss"
    if kind not in KINDS:
        raise NotRatable(f"{kind!r} is not a type of section")
    half_k = section.get("k_factor") == "half"
    if half_k and start >= HALF_K_ENDS:
        raise NotRatable("half-K sections ended on 2006-03-01")
    if kind.startswith("foreign") and system != "OTBR":
        raise NotRatable("foreign FIDE events are rated in the Regular system alone")
    dual = is_dual_control(section) and not kind.startswith("foreign")
    return Case(system, start, end, kind, half_k, dual)


def tidy(count: float | None) -> int | float | None:
    """Give a count as a whole number where it is one."""
    return int(count) if count is not None and count == int(count) else count


def untouched(case: Case, member: Member) -> Row:
    """Make the row of a player without a rated game (readings 40)."""
    record = member.record(case.system)
    rating = float(record["rating"]) if record else None
    return {
        "pre": rating,
        "games_before": record.get("games"),
        "initial": None,
        "post": rating,
        "rounded": None if rating is None else half_up(rating),
        "games_after": record.get("games"),
        "formula": None,
        "effective_games": None,
        "k": None,
        "score": 0.0,
        "expected": None,
        "bonus": None,
        "floor": None,
        "norm": None,
    }


def rated(case: Case, member: Member, prior: Prior, effective: float, outcome: Outcome) -> Row:
    """Make the row of a player from the last pass (2025 text §5, §7; readings 60)."""
    post, floor, requested = final_rating(case, member, outcome.rating, outcome.below)
    grown = len(member.games) / 2 if case.half_k else len(member.games)
    return untouched(case, member) | {
        "initial": {"rating": prior.rating, "games": tidy(prior.games)} if prior.unrated else None,
        "post": post,
        "rounded": half_up(post),
        "games_after": None if prior.games is None else tidy(prior.games + grown),
        "formula": outcome.formula,
        "effective_games": effective,
        "k": outcome.k,
        "score": member.score,
        "expected": outcome.expected,
        "bonus": outcome.bonus,
        "floor": floor,
        "floor_requested": requested,
    }


def rate_ordinary(case: Case, members: dict[int, Member]) -> dict[int, Row]:
    """Rate a Swiss, a round robin or a match in the five steps (2025 text §1)."""
    priors = step_1(case, members)
    effective = step_2(case, priors)
    estimates = step_3(members, priors)
    intermediate = step_4(case, members, priors, effective, estimates)
    outcomes = step_5(case, members, priors, effective, intermediate)
    rows = {number: untouched(case, member) for number, member in members.items()}
    final = {number: prior.rating for number, prior in priors.items()}
    for number, outcome in outcomes.items():
        rows[number] = rated(case, members[number], priors[number], effective[number], outcome)
        final[number] = rows[number]["post"]
    for number in outcomes:
        rows[number]["norm"] = norm_of(case, members[number], final)
    return rows


def rate_abroad(case: Case, members: dict[int, Member], member: Member) -> Row:
    """Rate a player of a foreign FIDE event in one pass (2025 text §6; readings 78, 79, 110)."""
    record = member.record("OTBR")
    counted = replace(member, games=tuple(g for g in member.games if members[g.opponent].record("FIDE")))
    if not (member.rate and record and counted.games):
        return untouched(case, member)
    convert = youth_fide_to_us if case.kind == "foreign_fide_youth" else fide_to_us
    listed = [members[game.opponent].record("FIDE") for game in counted.games]
    opponents = [convert(case.start, on_scale(case.start, record)) for record in listed]
    prior = Prior(float(record["rating"]), record.get("games"), False, "mixed")
    effective = effective_games(case, prior.rating, prior.games)
    k = k_factor(case, prior.rating, effective, len(opponents))
    multiplier = bonus_multiplier(case.start) if may_have_bonus(case, counted.met) else None
    done = standard_rating(prior.rating, k, counted.score, opponents, multiplier)
    outcome = Outcome(max(100.0, done.rating), done.rating < 100, "standard", k, done.expected, done.bonus)
    return rated(case, counted, prior, effective, outcome)


def rate_section(event: dict[str, Any], section: dict[str, Any], system: str) -> dict[int, Row]:
    """Rate a section in one system: player number to result (2025 text §1, §6).

    `event` is the whole event file or its "event" part. All rows of a member show the same (readings 104).
    """
    case = case_of(event, section, system)
    members = read_members(section)
    if case.kind.startswith("foreign"):
        rows = {number: rate_abroad(case, members, member) for number, member in members.items()}
    else:
        rows = rate_ordinary(case, members)
    return {number: dict(rows[member.number]) for member in members.values() for number in member.rows}

"""Step 1: the initial rating of an unrated player (2025 text §2; 2015 text §2; rules history §7)."""

import math
from dataclasses import dataclass
from datetime import date

from .conversions import age_based, cfc_to_us, fide_to_us, on_scale
from .law import BLEND, BORN, Case, half_up, read_date
from .rows import Member

# Source, least games it rests on, and the games credited: "fide", "cfc", "own" (at most 10), "ten", "none".
Rule = tuple[str, float, str]
FIDE: Rule = ("FIDE", 0, "fide")
CFC: Rule = ("CFC", 0, "cfc")
ESTABLISHED = 25.5  # more than 25 games; counts come in halves at the least

LISTS_2001: dict[str, tuple[Rule, ...]] = {
    "OTBR": (FIDE, CFC, ("OTBQ", 4, "none")),
    "OTBQ": (FIDE, CFC, ("OTBR", 4, "own")),
}
LISTS_2013: dict[str, tuple[Rule, ...]] = {
    "OTBR": (FIDE, CFC, ("OTBQ", 4, "none")),
    "OTBQ": (("OTBR", 4, "own"), FIDE, CFC),
    "OTBB": (("OTBR", ESTABLISHED, "own"), FIDE, CFC, ("OTBR", 4, "own"), ("OTBQ", 4, "none")),
    "OLQ": (
        ("OLB", 0, "ten"),
        ("OTBQ", 0, "none"),
        ("OTBB", 0, "none"),
        ("OTBR", 0, "none"),
        ("FIDE", 0, "none"),
        ("CFC", 0, "none"),
    ),
    "OLB": (
        ("OLQ", 0, "none"),
        ("OTBB", 0, "none"),
        ("OTBQ", 0, "none"),
        ("OTBR", 0, "none"),
        ("FIDE", 0, "none"),
        ("CFC", 0, "none"),
    ),
}
LISTS_CHANGE = date(2013, 3, 1)


@dataclass(frozen=True)
class Source:
    """One source k of the blend: rating X, Game Factor G, staleness D in days, P, Z, S and weight W."""

    name: str
    rating: float
    game_factor: float
    days: int
    age_rating: float
    z: float
    staleness: float
    weight: float


def rating_by_age(case: Case, member: Member, day: date) -> float:
    """Give the age-based rating of a member on a day (2025 text §2.3; readings 23)."""
    born, year = member.data.get("birth_date"), member.data.get("birth_year")
    known = read_date(born) if born else date(year, 7, 1) if year else None  # of a year alone, July 1
    return age_based(case.start, known, member.data.get("adult") is True, day)


def source_games(member: Member, name: str) -> float:
    """Give the games a source rests on; an unknown count is an established one."""
    games = member.record(name).get("games")
    return math.inf if games is None else float(games)


def converted(case: Case, member: Member, name: str) -> float:
    """Give a source's rating on the US scale, with its decimals (2025 text §2.1, §2.2; readings 105)."""
    rating = float(member.record(name)["rating"])
    if name == "FIDE":
        return fide_to_us(case.start, on_scale(case.start, member.record(name)))
    if name == "CFC":
        return cfc_to_us(case.start, rating)
    return rating


def credited_games(member: Member, rule: Rule) -> float:
    """Give the N of a rule of the lists (2015 text §2.1-2.5; rules history §5-7)."""
    name, _, credit = rule
    rating = float(member.record(name)["rating"])
    if credit == "fide":
        return 10.0 if rating > 2150 else 5.0
    if credit == "cfc":
        return 5.0 if rating > 1500 else 0.0
    if credit == "own":
        return min(10.0, source_games(member, name))
    return 10.0 if credit == "ten" else 0.0


def initial_by_list(case: Case, member: Member) -> tuple[float, float]:
    """Take the first source of the list, until the blend (2015 text §2.1-2.5; rules history §7)."""
    lists = LISTS_2013 if case.start >= LISTS_CHANGE else LISTS_2001
    for rule in lists[case.system]:
        if member.record(rule[0]) and source_games(member, rule[0]) >= rule[1]:
            return converted(case, member, rule[0]), credited_games(member, rule)
    return rating_by_age(case, member, case.end), 0.0


def game_factor(case: Case, member: Member, name: str) -> float:
    """Give the Game Factor of a source (2025 text §2 item 1, §2.1, §2.2; readings 26-28)."""
    if name == "FIDE":
        return 10.0 if member.record("FIDE")["rating"] > 2000 else 5.0
    if name == "CFC":
        return 5.0
    ten = name == "OTBR" or (case.system, name) in (("OLB", "OTBB"), ("OLQ", "OTBQ"))
    return min(10.0 if ten else 5.0, source_games(member, name))


def blend_source(case: Case, member: Member, name: str) -> Source:
    """Work out one source of the blend (2025 text §2 items 1-5; readings 24, 25, 30)."""
    stamp = member.record(name).get("as_of")
    as_of = read_date(stamp) if stamp else case.end
    rating = converted(case, member, name)
    factor = game_factor(case, member, name)
    days = max(0, (case.end - as_of).days)
    age_rating = rating_by_age(case, member, as_of)
    z = min(6.0, (rating - age_rating) / 350)
    staleness = math.exp(0.06 * (z - 6) * days / 365.25)
    return Source(name, rating, factor, days, age_rating, z, staleness, factor * staleness)


def blend_sources(case: Case, member: Member) -> list[Source]:
    """List the sources: other US ratings, FIDE, CFC of Canadian residents (2025 text §2; readings 33)."""
    names = [name for name in (*BORN, "FIDE") if name != case.system and member.record(name)]
    if member.data.get("canadian_resident") is True and member.record("CFC"):
        names.append("CFC")
    return [blend_source(case, member, name) for name in names]


def initial_by_blend(case: Case, member: Member) -> tuple[float, float]:
    """Average the sources by their weights, since 2020-06-01 (2025 text §2; readings 29)."""
    sources = blend_sources(case, member)
    total = sum(source.weight for source in sources)
    if total <= 0:
        return rating_by_age(case, member, case.end), 0.0
    mean = sum(source.weight * source.rating for source in sources) / total
    return float(half_up(mean + 1e-9)), float(max(1, math.ceil(min(10.0, total) - 1e-9)))


def initial_rating(case: Case, member: Member) -> tuple[float, float]:
    """Give R0 and N of an unrated player (2025 text §1 Step 1; by hand, 2015 text §2, readings 36)."""
    by_hand = member.data.get("start")
    if by_hand:
        return float(by_hand["rating"]), float(by_hand["games"])
    if case.start >= BLEND:
        return initial_by_blend(case, member)
    return initial_by_list(case, member)

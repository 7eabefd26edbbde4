"""What follows Step 5: match limits, floors, ceilings, whole numbers (2025 text §5 and §7)."""

import math
from datetime import date, timedelta
from typing import Any

from .law import FLOATING_POINT, OVER_THE_BOARD, Case, half_up, read_date
from .rows import Member

Floor = dict[str, Any]
PERSONAL_FLOORS = date(2008, 8, 7)
LOW_PEAK_FLOORS = date(2010, 4, 1)
FLOOR_ORDER = ("peak", "life_master", "money", "office", "personal", "absolute")
LIFE_MASTER_GAMES = 300
FLOOR_REQUESTS = date(2006, 2, 1)
SLACK = 1e-9


def three_years_before(day: date) -> date:
    """Give the same calendar date three years earlier; 29 February gives 28 February (readings 107)."""
    if (day.month, day.day) == (2, 29):
        return date(day.year - 3, 2, 28)
    return day.replace(year=day.year - 3)


def match_windows(case: Case) -> list[tuple[date, float]]:
    """List the match limits: first day counted, greatest net change (2025 text §7; rules history §11)."""
    windows: list[tuple[date, float]] = []
    if case.start >= date(2006, 2, 1):
        windows.append((case.end - timedelta(days=180), 100.0))
    windows.append((three_years_before(case.end), 200.0))
    return windows


def limited_in_match(case: Case, record: dict[str, Any], rating: float) -> float:
    """Hold a match's change to 50, then to 180 days, then to three years (2025 text §7; readings 74, 75)."""
    if case.kind != "match" or not record:
        return rating
    change = rating - record["rating"]
    within = change
    if case.start >= date(2006, 1, 1):
        within = max(-50.0, min(50.0, within))
    earlier = [(read_date(item["date"]), float(item["change"])) for item in record.get("match_changes") or []]
    for first, limit in match_windows(case):
        net = sum(past for day, past in earlier if first <= day <= case.end)
        most = max(0.0, limit - net)
        least = min(0.0, -limit - net)
        within = max(least, min(most, within))
    return rating if within == change else float(record["rating"]) + within


def hundreds_below(peak: float) -> int:
    """Give the hundred at or below the rounded peak less 200, 2100 at most (2025 text §5; readings 63)."""
    return min(2100, (half_up(peak) - 200) // 100 * 100)


def peak_floor(case: Case, record: dict[str, Any]) -> int | None:
    """Give the floor from the highest established rating (2025 text §5; readings 61-64, 94)."""
    if not record or (record.get("games") is not None and record["games"] <= 25):
        return None
    peak = record["rating"] if record.get("peak") is None else record["peak"]
    recent = peak if record.get("peak_since_2010") is None else record["peak_since_2010"]
    levels = [hundreds_below(peak)] if hundreds_below(peak) >= 1400 else []
    if case.start >= LOW_PEAK_FLOORS and hundreds_below(recent) >= 1200:
        levels.append(hundreds_below(recent))
    lowered = record.get("lowered_floor")
    return min([max(levels), *([] if lowered is None else [lowered])]) if levels else None


def personal_floor(case: Case, record: dict[str, Any], member: Member) -> int | None:
    """Give the personal absolute floor, this section included (2025 text §5; readings 65, 66, 97)."""
    if case.system not in OVER_THE_BOARD or case.start < PERSONAL_FLOORS:
        return None
    wins = (record.get("wins") or 0) + sum(game.points == 1 for game in member.games)
    draws = (record.get("draws") or 0) + sum(game.points == 0.5 for game in member.games)
    events = (record.get("events") or 0) + (len(member.games) >= 3)
    return int(min(100 + 4 * wins + 2 * draws + events, 150))


def further_floors(record: dict[str, Any]) -> list[tuple[str, float]]:
    """List the floors known from elsewhere: money, life master, office (2025 text §5; readings 67, 71, 96)."""
    given = record.get("floor")
    if given is None:
        return []
    if isinstance(given, list):
        return [floor for one in given for floor in further_floors({"floor": one})]
    if isinstance(given, dict):
        return [(str(given.get("origin") or "office"), given["level"])]
    return [("office", given)]


def floors_of(case: Case, record: dict[str, Any], member: Member) -> list[tuple[str, float]]:
    """List a player's floors above the absolute one (2025 text §5)."""
    floors: list[tuple[str, float]] = []
    peak = peak_floor(case, record)
    if peak is not None:
        floors.append(("peak", peak))
    personal = personal_floor(case, record, member)
    if personal is not None:
        floors.append(("personal", personal))
    if case.system == "OTBR" and (record.get("games_at_2200") or 0) >= LIFE_MASTER_GAMES:
        lowered = record.get("lowered_floor")
        floors.append(("life_master", 2200 if lowered is None else min(2200, lowered)))
    return floors + further_floors(record)


def with_floors(case: Case, member: Member, rating: float, below: bool) -> tuple[float, Floor | None]:
    """Raise a result to the highest floor and name the floor that acted (2025 text §5; readings 45, 76, 95).

    `below` says that Step 5 had to be raised to 100.
    """
    floors = floors_of(case, member.record(case.system), member)
    acting = [(name, level) for name, level in floors if level > rating]
    if acting:
        name, level = min(acting, key=lambda floor: (-floor[1], FLOOR_ORDER.index(floor[0])))
        return float(level), {"name": name, "level": level}
    if below and rating == 100:
        return rating, {"name": "absolute", "level": 100}
    return rating, None


def stored(case: Case, before: float | None, rating: float) -> float:
    """Give the rating as stored: whole numbers before 2014-09-01 (rules history §9; readings 81)."""
    if case.start >= FLOATING_POINT:
        return rating
    if abs(rating - round(rating)) <= SLACK:
        return float(round(rating))
    if before is None:
        return float(math.floor(rating + 0.5 + SLACK))
    if rating == before:
        return rating
    return float(math.ceil(rating) if rating > before else math.floor(rating))


def requested_floor(case: Case, floor: Floor | None) -> float | None:
    """Give the floor that a match asks for, 100 below the one that it met (2025 text §7 item 4; readings 76)."""
    if (
        case.kind != "match"
        or case.start < FLOOR_REQUESTS
        or floor is None
        or floor["name"] in ("personal", "absolute")
    ):
        return None
    return float(floor["level"] - 100)


def final_rating(case: Case, member: Member, rating: float, below: bool) -> tuple[float, Floor | None, float | None]:
    """Turn a Step 5 result into the post-event rating (2025 text §5, §7; readings 72, 75, 76, 81)."""
    record = member.record(case.system)
    rating, floor = with_floors(case, member, limited_in_match(case, record, rating), below)
    requested = requested_floor(case, floor)
    ceiling = record.get("ceiling")
    if ceiling is not None and rating > ceiling:
        rating, floor = float(ceiling), None  # not the floor but the ceiling holds the rating
    return stored(case, record.get("rating"), rating), floor, requested

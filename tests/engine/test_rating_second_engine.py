"""§1 to §8: the engine against the second engine of the tests, over random events of every edition.

The second engine is slow and literal, works in exact fractions where the document allows it, and shares no line with
the engine. Where both are right they differ by rounding of floats alone: sums of a few expectancies times K, so 1e-9
is a thousand times more than is ever seen, and a millionth of what is published.
"""

from collections import Counter
from datetime import date
from typing import Any

import pytest

from crosstable.rules.editions import EDITIONS
from tests.amounts import amount
from tests.engine.by_file import EventFile, Row, error_codes, rated_file, rows_by_system
from tests.engine.random_events import EDITION_DAYS, random_event, random_schedule
from tests.event_files import event_file, player, record
from tests.second_engine import NotKnown, NotRatable, rate_section, systems_of

TOLERANCE = 1e-9
CHUNK = amount(150, 4000)
CHUNKS = 8
SCHEDULES = amount(100, 10_000)
# What an event's time control may be refused for.
NO_SYSTEM = {"time-control-not-rated", "system-not-in-force"}


def wanted(event: EventFile) -> dict[str, dict[int, Row]]:
    """What the second engine says, by system and pairing number."""
    section = event["sections"][0]
    return {system: rate_section(event, section, system) for system in systems_of(section, event)}


def differences(seed: int) -> list[str]:
    """Where the two engines differ on one random event."""
    event, system = random_event(seed)
    rated = rated_file(event)
    try:
        expected = wanted(event)
    except NotKnown:
        return [] if error_codes(rated) == ["rule-not-found"] else [f"{seed}: not known"]
    if error_codes(rated) == ["no-game"] and not any(
        row["formula"] for rows in expected.values() for row in rows.values()
    ):
        return []
    if error_codes(rated):
        return [f"{seed}: {error_codes(rated)}"]
    systems = rated.to_dict()["sections"][0]["systems"]
    if set(systems) != set(expected) or system not in systems:
        return [f"{seed}: systems {list(systems)} and {list(expected)}"]
    return [
        f"{seed}, {name}, player {row['number']}, {field}: {row[field]} and {value}"
        for name, result in systems.items()
        for row in result["players"]
        for field, value in expected[name][row["number"]].items()
        if not agree(field, row, value)
    ]


def agree(field: str, row: Row, value: object) -> bool:
    """Whether a field says the same; the published whole number of a rating on the edge of a half may be either."""
    ours = row.get(field) if field == "floor_requested" else row[field]  # not printed where there is none
    if field == "rounded" and ours is not None and abs(row["post"] % 1.0 - 0.5) <= TOLERANCE:
        return True
    if field == "initial" and isinstance(ours, dict) and isinstance(value, dict):
        return all(close(ours[name], value[name]) for name in ("rating", "games"))
    return close(ours, value)


def close(ours: object, value: object) -> bool:
    """Numbers within the tolerance, everything else equal."""
    if isinstance(ours, int | float) and isinstance(value, int | float):
        return abs(ours - value) <= TOLERANCE
    return ours == value


def features(event: EventFile, systems: dict[str, Any]) -> Counter[str]:
    """What an event visited: things whose absence from the sample would make the comparison say less."""
    section = event["sections"][0]
    seen: Counter[str] = Counter([f"type {section['type']}"])
    if "systems" not in section and not section["type"].startswith("foreign"):
        seen["systems by control"] += 1
        seen["merged schedule"] += isinstance(section["time_control"], list) and len(set(section["time_control"])) > 1
    seen["no control"] += "time_control" not in section
    seen["own dates"] += "start_date" in section
    seen["half K"] += section.get("k_factor") == "half"
    seen["dual rated"] += len(systems) == 2
    for entry in section["players"]:
        for cell in entry["rounds"]:
            seen[f"cell {cell[:1]}"] += 1
    for system, result in systems.items():
        seen[f"edition {result['edition']}"] += 1
        seen[f"system {system}"] += 1
        for row in result["players"]:
            seen.update(row_features(row, section, result["edition"], system))
    return seen


def row_features(row: Row, section: dict[str, Any], edition: str, system: str) -> list[str]:
    """What one player's result visited."""
    player = next(player for player in section["players"] if player["number"] == row["number"])
    seen = [f"formula {row['formula']}"]
    if row["formula"] is None:
        return seen
    if row["floor"]:
        seen.append(f"floor {row['floor']['name']}")
    if row["norm"]:
        seen.append(f"norm {row['norm']}")
    if "merged_with" in row:
        seen.append("re-entry abroad" if section["type"].startswith("foreign") else "re-entry")
    if row["bonus"]:
        seen.append("bonus")
    if row["k"] is not None and (row["pre"] or 0) > 2200 and row["k"] * (row["effective_games"] + games(row)) < 799:
        seen.append("smaller K")
    if row["initial"]:
        by_age = row["initial"]["sources"][0]["source"] == "AGE"
        kind = "age" if by_age else "blend" if edition >= "2020-06-01" else "priority"
        kind = "hand" if "start" in player else kind
        seen.append(f"start by {kind}, {'N = 0' if row['initial']['games'] == 0 else 'N > 0'}")
        return seen
    record = player["ratings"][system]
    if row.get("floor_requested"):
        seen.append("floor requested")
    seen += [name for name, is_so in record_features(row, record, section["type"]).items() if is_so]
    return seen


def record_features(row: Row, record: dict[str, Any], kind: str) -> dict[str, bool]:
    """What the record of a player who was rated brought to the result."""
    is_match = kind == "match"
    counted = record["games"] is not None
    return {
        "unknown games": not counted,
        "halves of games": counted and record["games"] % 1 != 0,
        "all wins before": counted and record.get("wins") == record["games"],
        "all losses before": counted and record.get("losses") == record["games"],
        "ceiling": row["post"] == record.get("ceiling"),
        "lowered floor": (row["floor"] or {}).get("level") == record.get("lowered_floor", 0.0),
        "life master by games": (row["floor"] or {}).get("level") == 2200 and record.get("games_at_2200") == 300,
        "held to 50 in a match": is_match and abs(row["post"] - row["pre"]) == 50,
        "net match limit": is_match and "match_changes" in record and row["post"] == row["pre"],
        "special cap": row["formula"] == "special" and row["post"] == 2700,
    }


def games(row: Row) -> float:
    """The games m of a row whose N is known, else a number that says nothing."""
    return float("nan") if row["games_after"] is None else float(row["games_after"] - row["games_before"])


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_events_are_rated_as_the_second_engine_rates_them(chunk: int) -> None:
    """§1, §2, §3, §4.1, §4.2, §5, §6, §7: every player and every field."""
    found = [each for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK) for each in differences(seed)]
    assert not found, "\n".join(found[:20])


def test_the_random_events_visit_every_rule() -> None:
    """§8: a generator that stops making some kind of event would leave its rules unwatched."""
    seen: Counter[str] = Counter()
    for seed in range(CHUNK * CHUNKS):
        if seed % 50 == 0 and all(seen[name] >= 3 for name in MUST_BE_SEEN):
            break
        event, _ = random_event(seed)
        rated = rated_file(event)
        if rated.has_errors:
            seen["not known"] += error_codes(rated) == ["rule-not-found"]
        else:
            seen += features(event, rated.to_dict()["sections"][0]["systems"])
    missing = sorted(name for name in MUST_BE_SEEN if seen[name] < 3)
    assert not missing, f"hardly seen: {missing}"


MUST_BE_SEEN = {
    "not known",
    "systems by control",
    "merged schedule",
    "no control",
    "own dates",
    "half K",
    "smaller K",
    "dual rated",
    "re-entry",
    "re-entry abroad",
    "bonus",
    "start by age, N = 0",
    "start by blend, N > 0",
    "start by priority, N = 0",
    "start by priority, N > 0",
    "start by hand, N = 0",
    "start by hand, N > 0",
    "floor requested",
    "lowered floor",
    "life master by games",
    "unknown games",
    "halves of games",
    "all wins before",
    "all losses before",
    "ceiling",
    "held to 50 in a match",
    "net match limit",
    "special cap",
    *(f"edition {edition.name}" for edition in EDITIONS),
    *(f"system {name}" for name in ("OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB")),
    *(f"type {name}" for name in ("swiss", "round_robin", "match", "foreign_fide", "foreign_fide_youth")),
    *(f"cell {letter}" for letter in ("W", "L", "D", "N", "R", "S", "X", "F", "B", "H", "U", "")),
    *(f"formula {name}" for name in ("special", "standard", None)),
    *(f"floor {name}" for name in ("absolute", "personal", "peak", "life_master", "money", "office")),
    *(f"norm {code}" for code in "4321CMS"),
}


def test_the_random_events_know_every_edition_date() -> None:
    """§8: sections start on, before and after each date on which anything changed."""
    assert [edition.name for edition in EDITIONS] == EDITION_DAYS
    starts = {date.fromisoformat(_start(seed)) for seed in range(CHUNK * CHUNKS)}
    days = {date.fromisoformat(day) for day in EDITION_DAYS}
    assert days <= starts
    assert {date.fromordinal(day.toordinal() - 1) for day in days - {date(2001, 1, 1)}} <= starts


def _start(seed: int) -> str:
    event, _ = random_event(seed)
    return str(event["sections"][0].get("start_date") or event["event"]["start_date"])


@pytest.mark.parametrize("chunk", range(4))
def test_random_time_controls_belong_to_the_systems_the_second_engine_names(chunk: int) -> None:
    """§1, footnote 1: single controls and merged schedules, on every day, over the board and online."""
    found = []
    for seed in range(chunk * SCHEDULES, (chunk + 1) * SCHEDULES):
        event = random_schedule(seed)
        rated = rated_file(event)
        systems = [result.system.name for by_system in rated.rated for result in by_system]
        try:
            expected = systems_of(event["sections"][0], event)
        except NotRatable:
            expected = []
        if systems != expected or (not systems and not NO_SYSTEM.intersection(error_codes(rated))):
            found.append(f"{seed}, {event['sections'][0]['time_control']}: {systems} and {expected}")
    assert not found, "\n".join(found[:20])


def test_who_is_only_met_stays_where_he_is() -> None:
    """§1, readings 40 and 92: a one-sided draw with somebody of 2761 who played nothing and has lost 26 of 26.

    They are not rated, so the 2700 of the special formula does not concern them: E is We(1482, 2761) in both passes.
    """
    idle = player(1, "U", ratings={"OTBR": record(2761.0, 26, wins=0, losses=26)})
    (rows,) = rows_by_system(event_file(idle, player(2, "R1", 1482.0))).values()
    assert rows[2]["expected"] == pytest.approx(1 / (1 + 10 ** ((2761 - 1482) / 400)), abs=1e-12)
    assert (rows[1]["post"], rows[1]["formula"]) == (2761.0, None)


def test_a_difference_would_be_seen() -> None:
    """The comparison itself: a point more, another letter, a missing start."""
    row = {"post": 1500.0, "rounded": 1500, "norm": "4", "initial": {"rating": 750.0, "games": 0}}
    assert agree("post", row, 1500.0 + 5e-10)
    assert not agree("post", row, 1500.0 + 2e-9)
    assert not agree("rounded", row, 1501)
    assert not agree("norm", row, None)
    assert not agree("initial", row, None)
    assert not agree("initial", row, {"rating": 750.0, "games": 1})
    assert agree("rounded", {"post": 1499.5, "rounded": 1499}, 1500)

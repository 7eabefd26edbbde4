"""The season of the guide's club once more, by the second engine of the tests, which shares nothing with the first.

What a member carries from section to section is kept here by hand, from the words of the rules: the rating in full, the
games, the results, the sections of three games, the highest established rating.
"""

import csv
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.second_engine import rate_section, systems_of

ESTABLISHED = 25
FEWEST_PUBLISHED = 4
NAMES = {"OTBR": "Regular", "OTBQ": "Quick"}
Member = dict[str, Any]


def opened(members: Path, as_of: str) -> dict[str, Member]:
    """The members of the club's file, with what they bring."""
    found = {}
    for row in csv.DictReader(members.read_text("utf-8").splitlines()):
        ratings = {system: _opening(row, name, as_of) for system, name in NAMES.items() if row[f"{name} rating"]}
        found[row["Member ID"]] = {"name": row["Name"], "birth_date": row["Birth date"], "ratings": ratings}
    return found


def _opening(row: dict[str, str], name: str, as_of: str) -> dict[str, Any]:
    record: dict[str, Any] = {"rating": float(row[f"{name} rating"]), "games": None, "as_of": as_of}
    for quantity in ("games", "wins", "draws", "losses", "events"):
        if row.get(f"{name} {quantity}"):
            record[quantity] = int(row[f"{name} {quantity}"])
    if row.get(f"{name} peak"):
        record["peak"] = float(row[f"{name} peak"])
    return record


def played(members: dict[str, Member], events: Iterable[dict[str, Any]]) -> None:
    """Rate events in their order, section by section, and let the members carry what follows."""
    for event in events:
        for section in event["sections"]:
            for player in section["players"]:
                known = members.setdefault(player["member_id"], {"name": player["name"], "ratings": {}})
                known.setdefault("birth_date", player.get("birth_date"))
                player["birth_date"] = known["birth_date"]
                player["ratings"] = json.loads(json.dumps(known["ratings"]))
            results = {system: rate_section(event, section, system) for system in systems_of(section, event)}
            for system, rows in results.items():
                for player in section["players"]:
                    if rows[player["number"]]["formula"] is not None:
                        _carry(members[player["member_id"]], system, player, rows[player["number"]], event)


def _carry(member: Member, system: str, player: dict[str, Any], row: dict[str, Any], event: dict[str, Any]) -> None:
    old = member["ratings"].get(system, {})
    letters = [cell[0] for cell in player["rounds"] if cell[0] in "WDL"]
    record = {"rating": row["post"], "games": row["games_after"], "as_of": event["event"]["end_date"]}
    is_new = not old
    for name, letter in (("wins", "W"), ("draws", "D"), ("losses", "L")):
        if is_new or name in old:
            record[name] = old.get(name, 0) + letters.count(letter)
    if is_new or "events" in old:
        record["events"] = old.get("events", 0) + (len(letters) >= 3)
    is_established = record["games"] is None or record["games"] > ESTABLISHED
    was_established = bool(old) and (old["games"] is None or old["games"] > ESTABLISHED)
    peaks = [old["peak"]] if "peak" in old else [old["rating"]] if was_established else []
    if peaks or is_established:
        record["peak"] = max([*peaks, *([row["post"]] if is_established else [])])
    member["ratings"][system] = record


def official(members: dict[str, Member], system: str) -> dict[str, int]:
    """The list of one system: rounded half up, from four games on."""
    found = {}
    for member_id, member in members.items():
        record = member["ratings"].get(system)
        if record is not None and (record["games"] is None or record["games"] >= FEWEST_PUBLISHED):
            found[member_id] = math.floor(record["rating"] + 0.5)
    return found

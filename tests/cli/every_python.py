"""What every Python prints to the same bytes: examples, a calculator's questions, and a season rated event by event.

Run as a script by each Python at hand, which need have nothing installed: it imports the package and the standard
library alone.
"""

import json
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crosstable.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QUADS, QUICK = str(EXAMPLES / "summer-quads.json"), str(EXAMPLES / "club-quick-night.json")
MEMBERS = str(EXAMPLES / "club-members.csv")
# The expected scores against these, added with and without compensation, differ in the last digit.
MET = ["D1512", "W1640", "L1720.1", "W1333", "D1444.7", "W1111", "L1999", "L1387", "W1654"]
PLAYERS, EVENTS, ROUNDS = 24, 10, 5


def ran(*arguments: str) -> None:
    """One command; all that it prints counts, and it must not fail."""
    code = main(arguments)
    if code:
        sys.exit(f"{arguments} ended with {code}")


def questions() -> None:
    """Files rated and explained, estimates, and every figure of the calculator."""
    ran("rate", QUADS, "--json")
    ran("rate", QUICK, "--members", MEMBERS, "--json")
    for number in range(1, 5):
        ran("explain", QUADS, "--section", "1", "--player", str(number))
        ran("explain", QUADS, "--section", "1", "--player", str(number), "--json")
    ran("estimate", "1512.25/40", *MET, "--date", "2026-08-30", "--json")
    ran("estimate", "unrated", "--adult", *MET, "--date", "2026-08-30", "--json")
    ran("calculator", "expected", "1500.3", *(game[1:] for game in MET), "--json")
    for figure in ("performance", "badge", "old-page"):
        own = [] if figure == "performance" else ["1500.3"]
        ran("calculator", figure, *own, *MET, "--json")


def season(folder: Path) -> None:
    """Events that follow each other, each begun with the ratings that the one before it gave, all decimals kept."""
    dice = random.Random(20260830)
    ratings: dict[int, dict[str, Any]] = {
        number: {"rating": dice.randrange(60_000, 240_000) / 100.0, "games": dice.randrange(1, 60)}
        for number in range(1, PLAYERS)  # the last one is unrated
    }
    path = folder / "event.json"
    for event in range(EVENTS):
        path.write_text(json.dumps(_event(event, dice, ratings)), encoding="utf-8")
        printed = folder / "rated.json"
        with printed.open("w", encoding="utf-8") as stream:
            kept, sys.stdout = sys.stdout, stream
            try:
                ran("rate", str(path), "--json")
            finally:
                sys.stdout = kept
        text = printed.read_text(encoding="utf-8")
        sys.stdout.write(text)
        for row in json.loads(text)["sections"][0]["systems"]["OTBR"]["players"]:
            ratings[row["number"]] = {"rating": row["post"], "games": row["games_after"]}


def _event(event: int, dice: random.Random, ratings: dict[int, dict[str, Any]]) -> dict[str, Any]:
    day = f"2026-{event + 1:02}-01"
    rounds: dict[int, list[str]] = {number: [] for number in range(1, PLAYERS + 1)}
    for _ in range(ROUNDS):
        order = list(rounds)
        dice.shuffle(order)
        for one, other in zip(order[::2], order[1::2], strict=True):
            mine, theirs = dice.choice(("WL", "LW", "DD"))
            rounds[one].append(f"{mine}{other}")
            rounds[other].append(f"{theirs}{one}")
    section = {
        "number": 1,
        "name": "Open",
        "type": "swiss",
        "time_control": "G/90;d5",
        "players": [
            {
                "number": number,
                "member_id": f"{10_000_000 + number}",
                "name": f"Player, {number}",
                "adult": True,
                "ratings": {"OTBR": ratings[number] | {"as_of": "2025-12-31"}} if number in ratings else {},
                "rounds": cells,
            }
            for number, cells in rounds.items()
        ],
    }
    heading = {"id": f"season-{event}", "name": "Season", "start_date": day, "end_date": day}
    return {"format": "crosstable-event/1", "event": heading, "sections": [section]}


if __name__ == "__main__":
    questions()
    with TemporaryDirectory() as made:
        season(Path(made))

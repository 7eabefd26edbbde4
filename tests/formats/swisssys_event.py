"""A small SwissSys 11 tournament, written out by hand."""

import json
from typing import Any


def player(number: int, *results: str, byes: str = "") -> dict[str, object]:
    return {
        "Pair number": number,
        "Name": f"Player, {'ABCD'[number - 1]}",
        "ID": f"3000000{number}",
        "Rating": 1600 - 100 * number,
        "Club": "Chess Club",
        "State": "OR",
        "Reserved byes": byes,
        "Current result": "\N{VULGAR FRACTION ONE HALF}",
        "Results": list(results),
    }


EVENT: dict[str, Any] = {
    "Overview": {
        "Program": "SwissSys",
        "Version": 11.79,
        "VersionString": "11.79.7",
        "Tournament title": "Spring Open ",
        "Tournament time controls": "G/45;d5",
        "Starting date": "2026-04-04",
        "Ending date": "2026-04-05",
        "NACH passcode": "s3cret",
    },
    "Sections": [
        {
            "Section name": "Open",
            "Section title": "Open Section",
            "Type": 0,
            "Section time control": "G/60;d5",
            "Number of players": 4,
            "Rounds paired": 3,
            "Rounds played": 3,
            "Final round": 3,
            "Blitz": False,
            "Players": [
                player(1, "+;4;B;1;4;4;0", "+;2;W;1;2;2;0", "=;3;B;1;3;3;0")
                | {"Rating": 1951, "Player title": "NM", "Team": "Knights"},
                player(2, "+;3;W;2;3;3;0", "-;1;B;1;1;1;0", "H;-1;-;0;-1;-1;0", byes="3 "),
                player(3, "-;2;B;2;2;2;0", "X;4;*;2;4;4;0", "=;1;W;1;1;1;0")
                | {"Email": "someone@example", "Phone": "555-0100", "Birth date": "2011-12-13"},
                player(4, "-;1;W;1;1;1;0", "F;3;-;2;3;3;0", "U;0;-;0;0;0;0")
                | {"ID": "00000000", "Rating": 0, "Withdrew": True},
            ],
        },
        {
            "Section name": "Side game",
            "Type": 1,
            "Number of players": 2,
            "Rounds paired": 1,
            "Rounds played": 1,
            "Final round": 1,
            "Blitz": False,
            "Players": [player(1, "+;2;W;9;2;2;0"), player(2, "-;1;B;9;1;1;0")],
        },
    ],
}


def packed(event: dict[str, Any]) -> bytes:
    return json.dumps(event, indent=1, ensure_ascii=False).encode()

"""Pages with errors of a federation: what the page shows, with the ratings that followed from something else."""

from collections.abc import Mapping
from typing import Any

import crosstable as ct

RATINGS = (1512, 1640, 1388, 1455, 1700, 1295, 1580, 1433)
ROUNDS = (
    ("W2", "W5", "L7", "W8"),
    ("L1", "W6", "W5", "D7"),
    ("D4", "L7", "W8", "W6"),
    ("D3", "L8", "W6", "L5"),
    ("W6", "L1", "L2", "W4"),
    ("L5", "L2", "L4", "L3"),
    ("W8", "W3", "W1", "D2"),
    ("L7", "W4", "L3", "L1"),
)


def event(rounds: tuple[tuple[str, ...], ...] = ROUNDS, **changed: Mapping[str, Any]) -> dict[str, Any]:
    """Eight established players and four rounds; ``p3={"rating": …}`` changes what player 3 brought."""
    players = [
        {
            "number": at,
            "member_id": f"9000000{at}",
            "name": f"Player, {at}",
            "ratings": {"OTBR": {"rating": rating, "games": 200, **changed.get(f"p{at}", {})}},
            "rounds": list(results),
        }
        for at, (rating, results) in enumerate(zip(RATINGS, rounds, strict=True), start=1)
    ]
    days = {"start_date": "2026-05-02", "end_date": "2026-05-02"}
    section = {"number": 1, "name": "Open", "time_control": "G/90;d5", "players": players}
    return {
        "format": "crosstable-event/1",
        "event": {"id": "202605020012", "name": "Open", **days},
        "sections": [section],
    }


def posted(shown: dict[str, Any], used: dict[str, Any], **options: Any) -> dict[str, Any]:
    """What the page shows, with the ratings that followed from what was used."""
    results = ct.rate(ct.read(used), **options).sections[0].systems["OTBR"].players
    for player, row in zip(shown["sections"][0]["players"], results, strict=True):
        player["posted"] = {"OTBR": {"rating": row.rounded}}
    return shown


def turned() -> dict[str, Any]:
    """A page whose posted ratings follow from the first game turned round."""
    return posted(event(), event((("L2", *ROUNDS[0][1:]), ("W1", *ROUNDS[1][1:]), *ROUNDS[2:])))

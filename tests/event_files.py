"""Small event files written by hand, for tests that go the whole way of a file."""

from typing import Any

EventFile = dict[str, Any]
Player = dict[str, Any]
Ratings = dict[str, Any]

DAY = "2025-08-01"


def player(
    number: int, rounds: str | list[str], rating: float | None = None, games: float | None = 40, **more: object
) -> Player:
    """A row with an OTBR rating, if one is given; ``more`` are other fields. Rounds may be one text: ``W2 D3 H``."""
    cells = rounds.split() if isinstance(rounds, str) else rounds
    row: Player = {
        "number": number,
        "member_id": f"{10_000_000 + number}",
        "name": f"Player, {number}",
        "rounds": cells,
    }
    ratings: Ratings = {} if rating is None else {"OTBR": record(rating, games)}
    given = more.pop("ratings", {})
    assert isinstance(given, dict)
    return row | {"ratings": ratings | given} | more


def record(rating: float, games: float | None = 40, **more: object) -> Ratings:
    """A rating with its games, a mixed past and no floors, so that nothing about it has to be assumed."""
    if games is None:
        return {"rating": rating, "games": None} | more
    third = int(games) // 3
    counts = {"wins": third, "draws": 0, "losses": third, "events": 0, "peak": rating, "peak_since_2010": rating}
    return {"rating": rating, "games": games, "as_of": "2000-12-31", **counts} | more


def event_file(*players: Player, on: str = DAY, **section: object) -> EventFile:
    """An event with one section of one day, at a control that is Regular alone unless ``section`` says otherwise."""
    own: dict[str, object] = {"number": 1, "name": "Open", "type": "swiss", "time_control": "G/90;d5"}
    return {
        "format": "crosstable-event/1",
        "event": {"id": "test-1", "name": "Test", "start_date": on, "end_date": on},
        "sections": [own | section | {"players": list(players)}],
    }


def quad(on: str = DAY, **section: object) -> EventFile:
    """The round robin of readings, Part 1: 1850, 1700, 1500 and an unrated adult, all results known."""
    return event_file(
        player(1, "W2 D3 W4", 1850.0, 120),
        player(2, "L1 L4 L3", 1700.0, 30),
        player(3, "L4 D1 W2", 1500.0, 12),
        player(4, "W3 W2 L1", adult=True),
        on=on,
        type="round_robin",
        **section,
    )

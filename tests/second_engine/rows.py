"""The rows of a section: result codes, games, and members listed more than once."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

GAME = re.compile(r"([WLDNRS])\s*(\d+)\s*([WB])?")
POINTS = {"W": 1.0, "N": 1.0, "D": 0.5, "R": 0.5, "L": 0.0, "S": 0.0}
NOT_GAMES = "XFYBHUZ*"


@dataclass(frozen=True)
class Game:
    """One rated game of a member: the opponent's number and the points made."""

    opponent: int
    points: float


@dataclass(frozen=True)
class Member:
    """One member of the section; `number` is their first row, `rows` are all their rows."""

    number: int
    rows: tuple[int, ...]
    data: dict[str, Any]
    rate: bool
    games: tuple[Game, ...]

    @property
    def score(self) -> float:
        """The total score S (2025 text §4.1)."""
        return sum(game.points for game in self.games)

    @property
    def met(self) -> Counter[int]:
        """How often each opposing member was met (readings 42, 106)."""
        return Counter(game.opponent for game in self.games)

    def record(self, system: str) -> dict[str, Any]:
        """Give the rating record of a system, FIDE or CFC; empty if there is no rating in it."""
        record = (self.data.get("ratings") or {}).get(system)
        if record is None or record.get("rating") is None:
            return {}
        return dict(record)


def read_cell(cell: str | None) -> tuple[int, float] | None:
    """Read one round: opponent and points, or None if not a rated game (2025 text §7; readings 92)."""
    text = (cell or "").strip().upper()
    if not text or text[0] in NOT_GAMES:
        return None
    found = GAME.fullmatch(text)
    if found is None:
        raise ValueError(f"round code {cell!r} cannot be read")
    return int(found[2]), POINTS[found[1]]


def read_members(section: dict[str, Any]) -> dict[int, Member]:
    """Read all rows; several rows of one member become one, with all their games (readings 104, 106)."""
    players: dict[int, dict[str, Any]] = {player["number"]: player for player in section["players"]}
    first_row: dict[str, int] = {}
    owner: dict[int, int] = {}
    for number, player in players.items():
        identity = player.get("member_id")
        owner[number] = first_row.setdefault(str(identity), number) if identity else number
    members: dict[int, Member] = {}
    for number in players:
        if owner[number] != number:
            continue
        rows = tuple(row for row in players if owner[row] == number)
        games: list[Game] = []
        for row in rows:
            for cell in players[row].get("rounds") or []:
                read = read_cell(cell)
                if read is not None:
                    games.append(Game(owner[read[0]], read[1]))
        rate = any(players[row].get("rate") is True for row in rows)
        members[number] = Member(number, rows, players[number], rate, tuple(games))
    return members

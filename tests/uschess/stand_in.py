"""A stand-in for the ratings API: every path that the client reads, with the manners that are known of the real one.

Pages hold at most 100 items; parameters that are not spelled with capitals are ignored in silence; rows from before
decimals were kept carry zeros there; errors are problem documents. ``troubles`` are what the next requests meet
instead of an answer.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import crosstable as ct
from crosstable.formats import ratings_api
from crosstable.formats.msa_header import SYSTEMS

MOST_ITEMS = 100
CODES = {system.name: code for code, system in SYSTEMS.items()}
# The API has no word of its own for a zero-point bye.
OUTCOMES = {"Z": "Unpaired"} | {result.value: name for name, result in ratings_api.OUTCOMES.items()}
FORMATS = {"match": "Match", "round_robin": "RoundRobin"}
Trouble = Callable[["Handler"], None]


class StandIn:
    """The server; ``answers`` by path below ``/api/v1/``, lists become pages."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers
        self.troubles: list[Trouble] = []
        self.asked: list[str] = []
        self.keys: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.stand_in = self  # type: ignore[attr-defined]
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    def do_GET(self) -> None:
        """Answer it, or be trouble."""
        stand_in: StandIn = self.server.stand_in  # type: ignore[attr-defined]
        stand_in.asked.append(self.path)
        stand_in.keys.append(self.headers.get("X-Api-Key", ""))
        if stand_in.troubles:
            stand_in.troubles.pop(0)(self)
            return
        split = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(split.query).items()}
        path = split.path.removeprefix("/api/v1/").removeprefix("/api/v2/")
        if path not in stand_in.answers:
            self.say(404, {"title": "Not Found", "status": 404})
            return
        answer = stand_in.answers[path]
        self.say(200, paged(answer, asked) if isinstance(answer, list) else answer)

    def say(self, status: int, answer: object, **headers: str) -> None:
        """Send JSON."""
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Be silent."""


def paged(items: list[Any], asked: Mapping[str, str]) -> dict[str, Any]:
    """A page of a list; only ``Offset`` and ``Size`` are heard."""
    offset, size = int(asked.get("Offset", 0)), min(int(asked.get("Size", 25)), MOST_ITEMS)
    part = items[offset : offset + size]
    has_next = offset + size < len(items)
    return {"items": part, "offset": offset, "pageSize": size, "hasPreviousPage": offset > 0, "hasNextPage": has_next}


def busy(status: int, **headers: str) -> Trouble:
    """A status instead of an answer."""
    return lambda handler: handler.say(status, {"status": status}, **headers)


def cut_short(handler: Handler) -> None:
    """Half of an answer."""
    handler.say(200, b'{"id": "2026')


def slow(seconds: float) -> Trouble:
    """An answer that takes longer than anybody waits."""
    return lambda handler: time.sleep(seconds)


def hung_up(handler: Handler) -> None:
    """A connection that ends without a word."""
    handler.close_connection = True
    handler.connection.close()


def api_of(event: Mapping[str, Any], *, decimals: bool = True) -> dict[str, Any]:
    """An event file as the API answers about it once it is rated.

    Posted ratings are those of the file; where it has none, those of our own calculation.
    """
    about, event_id = event["event"], event["event"]["id"]
    days = {"startDate": about.get("start_date"), "endDate": about.get("end_date")}
    found: dict[str, Any] = {}
    for section in event["sections"]:
        number, players = section["number"], _posted(event, section, decimals=decimals)
        systems = section.get("systems") or list(dict.fromkeys(one for player in players for one in player["posted"]))
        details = {"rated": about.get("end_date"), **section.get("details", {})}
        control = section.get("time_control", "")
        found[f"rated-events/{event_id}/sections/{number}"] = {
            "id": f"s{number}",
            "number": number,
            "name": section.get("name", ""),
            "playerCount": len(players),
            "roundCount": max(len(player["rounds"]) for player in players),
            "startDate": section.get("start_date", days["startDate"]),
            "endDate": section.get("end_date", days["endDate"]),
            "format": FORMATS.get(section.get("type", ""), "Swiss"),
            "timeControl": control if isinstance(control, str) else "; ".join(control),
            "ratingSystem": "D" if len(systems) > 1 else CODES[systems[0]],
            "isOnline": section.get("online", False),
            "firstRatedDate": details["rated"],
            "lastRatedDate": details.get("re_rated", details["rated"]),
        }
        found[f"rated-events/{event_id}/sections/{number}/standings"] = [
            _standing(at, player, decimals=decimals) for at, player in enumerate(players, start=1)
        ]
    listed = [
        {"id": f"s{one['number']}", "number": one["number"], "name": one.get("name")} for one in event["sections"]
    ]
    described = {"id": event_id, "name": about.get("name", ""), **days}
    found[f"rated-events/{event_id}"] = {**described, "sections": listed, "sectionCount": len(listed)}
    return found


def _posted(event: Mapping[str, Any], section: Mapping[str, Any], *, decimals: bool) -> list[dict[str, Any]]:
    """The players of a section with what was posted."""
    if any("posted" in player for player in section["players"]):
        return [{"posted": {}, **player} for player in section["players"]]
    systems = ct.rate(ct.read({**event, "sections": [section]})).sections[0].systems
    players: list[dict[str, Any]] = [{**player, "posted": {}} for player in section["players"]]
    for name, rated in systems.items():
        for player, row in zip(players, rated.players, strict=True):
            if row.post is not None:
                player["posted"][name] = {"rating": round(row.post, 2) if decimals else row.rounded}
    return players


def _standing(at: int, player: Mapping[str, Any], *, decimals: bool) -> dict[str, Any]:
    last, _, first = player.get("name", "").partition(", ")
    rounds = [_outcome(at, number, cell) for number, cell in enumerate(player["rounds"], start=1) if cell != "*"]
    records = []
    for name, posted in player["posted"].items():
        pre, post = player.get("ratings", {}).get(name, {}).get("rating"), posted["rating"]
        records.append(
            {
                "ratingSystem": CODES[name],
                "preRating": None if pre is None else round(pre),
                "preRatingDecimal": pre if decimals and pre and pre % 1 else 0,
                "postRating": round(post),
                "postRatingDecimal": post if decimals and post % 1 else 0,
                "postProvisionalGameCount": posted.get("games"),
            }
        )
    return {
        "ordinal": at,
        "pairingNumber": player["number"],
        "playerId": f"p{player['number']}",
        "memberId": player.get("member_id", ""),
        "firstName": first,
        "lastName": last,
        "stateRep": "NC",
        "score": None,
        "roundOutcomes": rounds,
        "ratings": records,
    }


def _outcome(at: int, number: int, cell: str) -> dict[str, Any]:
    opponent = cell[1:].rstrip("wb")
    return {
        "id": f"{at}-{number}",
        "roundNumber": number,
        "outcome": OUTCOMES[cell[:1]],
        "color": {"w": "White", "b": "Black"}.get(cell[-1:], "Unknown"),
        "opponentOrdinal": int(opponent or 0),
        "opponentPairingNumber": int(opponent or 0),
        "opponentPlayerId": f"p{opponent}" if opponent else "",
    }

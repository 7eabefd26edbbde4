"""Pages of an archive made from event files: the posted figures come from the second, independent engine.

``hide`` takes away what a posted page does not show (wins and losses, counts of established players, peaks), so that
``verify`` has to find its way with what is left.
"""

import gzip
import json
import math
import re
from typing import Any

from crosstable.formats import archive, msa
from crosstable.terms import Report
from crosstable.verification import Page, pages_of
from tests.formats import msa_pages
from tests.second_engine import rate_section

CODES = {"OTBR": "R", "OTBQ": "Q", "OTBB": "B", "OLR": "OR", "OLQ": "OQ", "OLB": "OB"}
TYPES = {"swiss": "S", "round_robin": "R", "match": "M"}


def player(number: int, rating: float | None, games: int | None, rounds: list[str], **more: Any) -> dict[str, Any]:
    """A player of an event file with a Regular rating, or none."""
    extra: dict[str, Any] = {key: more.pop(key) for key in ("birth_date", "adult") if key in more}
    member = more.pop("member", f"M{number:05}")
    ratings = {} if rating is None else {"OTBR": {"rating": rating, "games": games, **more}}
    return {"number": number, "member_id": member, "name": f"P{number}", "ratings": ratings, "rounds": rounds, **extra}


def page_line(event_id: str, day: str, players: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """A line of the archive: the players' games with what the second engine posts for them."""
    kind = changes.pop("kind", "swiss")
    section = {"number": 1, "type": kind, "time_control": "G/90;d5", "systems": ["OTBR"], "players": players}
    posted = rate_section({"id": event_id, "start_date": day, "end_date": day}, section, "OTBR")
    rows = [_row(one, posted[one["number"]]) for one in players]
    event = {
        "id": event_id,
        "section_no": 1,
        "start_date": day,
        "end_date": day,
        "time_control": "G/90;d5",
        "systems": ["R"],
        "this_system": "R",
        "rating_sys_code": "R",
        "k_factor_code": "F",
        "tnmt_type": TYPES[kind],
        "rounds": len(players[0]["rounds"]),
        "processed": f"Received: {day} Entered: {day} Rated: {day} Re-Rated: 2022-01-01",
        **changes,
    }
    return {"source": "made for tests", "event": event, "players": rows}


def _row(one: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    standing = one["ratings"].get("OTBR")
    games = None if standing is None else standing["games"]
    return {
        "no": one["number"],
        "name": one["name"],
        "id": one["member_id"],
        "pre": None if standing is None else math.floor(standing["rating"] + 0.5),
        "pre_games": games if games is not None and games <= 25 else None,
        "post": result["rounded"],
        "post_games": result["games_after"] if result["games_after"] and result["games_after"] <= 25 else None,
        "status": "unrated" if standing is None else "established",
        "quality": "clean",
        "score": 0.0,
        "norm": f"N:{result['norm']}" if result["norm"] else None,
        "rounds": [_cell(text) for text in one["rounds"]],
    }


def _cell(text: str) -> dict[str, Any]:
    digits = text[1:].strip("wb")
    return {"result": text[:1], "opp": int(digits) if digits else None}


def quad(**changes: Any) -> list[dict[str, Any]]:
    """Four rated players, all games mirrored; ``p1`` … give a player's own facts."""
    facts: list[dict[str, Any]] = [
        {"rating": 1850.0, "games": 120},
        {"rating": 1700.0, "games": 60},
        {"rating": 1500.0, "games": 12},
        {"rating": 1300.0, "games": 3},
    ]
    rounds = [["W2", "W3", "W4"], ["L1", "W4", "D3"], ["L1", "W4", "D2"], ["L3", "L2", "L1"]]
    for at, own in enumerate(facts):
        own.update(changes.get(f"p{at + 1}", {}))
    return [player(at + 1, own.pop("rating"), own.pop("games"), rounds[at], **own) for at, own in enumerate(facts)]


def line(event_id: str, day: str, players: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """A line of such four: a round robin, matched pair by pair, since their rounds do not mirror round by round."""
    return page_line(event_id, day, players, kind="round_robin", **changes)


def raw_page(made: dict[str, Any], processed: str, control: str = "G/90;d5") -> bytes:
    """A line as the page that people save: the same section as HTML, with the days on which it was processed."""
    event, players = made["event"], made["players"]
    rows = [_raw_row(event["this_system"], one) for one in players]
    kind = f"Rating Sys: {event['rating_sys_code']}  &nbsp;Tnmt Type: {event['tnmt_type']}"
    stats = (
        f"{event['rounds']} Rounds,&nbsp; {len(players)} Players;  &nbsp;K Factor: F  &nbsp;{kind}  <br>Time Control: "
    )
    days = f"{event['start_date']} thru {event['end_date']}"
    html = msa_pages.page(msa_pages.section(1, "OPEN", stats + control, msa_pages.table(rows), days)).decode()
    html = re.sub(r"Received: .*?</b>", f"Received: {event['end_date']} &nbsp; {processed}</b>", html)
    return html.replace("202608300103", event["id"]).encode()


def _raw_row(system: str, one: dict[str, Any]) -> msa_pages.Row:
    before, after = (_raw_rating(one[name], one[f"{name}_games"]) for name in ("pre", "post"))
    cells = tuple(f"{cell['result']}{cell['opp'] or '':>4}" for cell in one["rounds"])
    ratings = f"{one['no']:08} / {system}: {before}->{after}"
    return (str(one["no"]), one["name"], f"{one['score']:.1f}", cells, "TX", ratings, "", " " * len(cells))


def _raw_rating(rating: int | None, games: int | None) -> str:
    if rating is None:
        return "Unrated"
    return f"{rating:4}" + (f"P{games:g}" if games is not None else "")


def raw_report(made: dict[str, Any], processed: str, control: str = "G/90;d5") -> Report:
    """That page read."""
    return msa.read(raw_page(made, processed, control), "saved.html").report


def archive_bytes(*lines: dict[str, Any]) -> bytes:
    """A file of the archive."""
    return gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode())


def reports(*lines: dict[str, Any]) -> list[Report]:
    """The lines read back."""
    return list(archive.read(archive_bytes(*lines), "made.jsonl.gz"))


def pages(*lines: dict[str, Any]) -> list[Page]:
    """The pages of the lines."""
    return [page for report in reports(*lines) for page in pages_of(report)]

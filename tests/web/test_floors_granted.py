"""§7, item 4: a match takes players to floors of every origin, the office grants the lower ones, and they hold.

Levels are those of the document: 100 below the floor that held, 50 points at most by one match, 2200 of an Original
Life Master, $4,000 under 1500 for a money floor (§5).
"""

import html
import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from crosstable.office.audit import audit
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.views import log, member_view
from crosstable.terms import Floor, FloorKind, RatingSystem
from tests.office.made_office import AUTHOR, OTBR, join, last_posting, member_id, opening, person, posted, run
from tests.web.people import OWN, Site, site

SPRING = date(2026, 5, 1)
PRIZE = {"prize": 4000, "limit": 1500}
# By origin: what the loser's starting rating says, or what was decided about them.
ORIGINS: dict[str, tuple[FloorKind, dict[str, Any], Ruling | None]] = {
    "peak": (FloorKind.PEAK, {"peak": 1700.0}, None),
    "prize": (FloorKind.MONEY, {}, Ruling(DecisionKind.MONEY_FLOOR, effective=SPRING, details=PRIZE)),
    "office": (FloorKind.OFFICE, {}, Ruling(DecisionKind.FLOOR, system=OTBR, effective=SPRING, value=1500.0)),
    "brought": (FloorKind.MONEY, {"floors": (Floor(FloorKind.MONEY, 1500.0),)}, None),
    "title": (FloorKind.LIFE_MASTER, {}, Ruling(DecisionKind.LIFE_MASTER, effective=SPRING)),
    "300 games": (FloorKind.LIFE_MASTER, {"games_at_2200": 300}, None),
}
LEVELS = dict(zip(ORIGINS, (1500.0, 1500.0, 1500.0, 1500.0, 2200.0, 2200.0), strict=True))
WINNERS = {origin: 20 + 2 * at for at, origin in enumerate(ORIGINS)}
LOSERS = {origin: 21 + 2 * at for at, origin in enumerate(ORIGINS)}


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        for origin, (_, brings, ruling) in ORIGINS.items():
            level, pair = LEVELS[origin], (WINNERS[origin], LOSERS[origin])
            ratings = [opening(pair[0], level), opening(pair[1], level + 5.0, 400.0, **brings)]
            join(made.office, [person(number) for number in pair], ratings)
            if ruling is not None:
                decide(made.office, AUTHOR, ruling._replace(member_id=member_id(pair[1])))
        run(made.office)
        yield made


def sent(made: Site, event_id: str, day: str, *sections: dict[str, Any]) -> None:
    """A director's file."""
    event = {"id": event_id, "name": event_id, "start_date": day, "end_date": day, "details": {"affiliate": OWN}}
    numbered = [{"number": at, "time_control": "G/90;d5", **one} for at, one in enumerate(sections, start=1)]
    whole = {"format": "crosstable-event/1", "event": event, "sections": numbered}
    mark = made.come_in("tina")
    file = [("files", ("event.json", json.dumps(whole).encode()))]
    assert made.client.post("/upload/submit", data={"mark": mark}, files=file).status_code == 303


def rows(charts: dict[int, str], *numbers: int) -> list[dict[str, Any]]:
    people = [person(number) for number in numbers]
    return [
        {"number": at, "member_id": one.member_id, "name": one.name, "rounds": charts[at].split()}
        for at, one in enumerate(people, start=1)
    ]


def match(origin: str) -> dict[str, Any]:
    """A match of eight games, all lost; the players are not on the list in force, so it asks for a waiver."""
    chart = {1: "W2 W2 W2 W2 W2 W2 W2 W2", 2: "L1 L1 L1 L1 L1 L1 L1 L1"}
    return {"type": "match", "match_waiver": "a club final", "players": rows(chart, WINNERS[origin], LOSERS[origin])}


def lost(*origins: str) -> dict[str, Any]:
    """A section in which the losers lose twelve games each to the winners of the same level."""
    size = len(origins)
    charts = {at: " ".join(f"W{size + 1 + (at - 1 + r) % size}" for r in range(12)) for at in range(1, size + 1)}
    charts |= {size + at: " ".join(f"L{1 + (at - 1 - r) % size}" for r in range(12)) for at in range(1, size + 1)}
    return {"players": rows(charts, *(WINNERS[one] for one in origins), *(LOSERS[one] for one in origins))}


def ratings(made: Site) -> dict[str, float]:
    found = posted(made.office).values()
    return {one: last_posting(found, member_id(number)).rating_after or 0.0 for one, number in LOSERS.items()}


def test_granted_floors_of_every_origin(here: Site) -> None:
    sent(here, "matches", "2026-11-14", *(match(origin) for origin in ORIGINS))
    assert not any(about.event_id == "matches" for about in posted(here.office))
    assert here.accept("anna", "matches")[0] == 200
    run(here.office)
    assert ratings(here) == LEVELS
    granted = {}
    for section, (origin, number) in enumerate(LOSERS.items(), start=1):
        mark = here.come_in("anna")
        form = {"mark": mark, "member": member_id(number), "event": "matches", "section": section, "reason": "granted"}
        reply = here.after(here.client.post("/administration/decisions/grant-match-floor", data=form))
        assert reply.status_code == 200, html.unescape(reply.text)
        with here.office.reading() as connection:
            granted[origin] = [one for one in log(connection) if one.kind.value == "decide"][-1]
        assert granted[origin].after["value"] == LEVELS[origin] - 100.0
    run(here.office)
    assert ratings(here) == {origin: level - 45.0 for origin, level in LEVELS.items()}  # 5 above, less 50
    sent(here, "later", "2026-11-15", lost(*list(ORIGINS)[:4]), lost(*list(ORIGINS)[4:]))
    run(here.office)
    assert ratings(here) == {origin: level - 100.0 for origin, level in LEVELS.items()}
    held = {about.member_id: one.floor_kind for about, one in posted(here.office).items() if about.event_id == "later"}
    assert {origin: held[member_id(number)] for origin, number in LOSERS.items()} == {
        origin: kind for origin, (kind, _, _) in ORIGINS.items()
    }
    assert not audit(here.office).findings
    for origin, number in LOSERS.items():
        with here.office.reading() as connection:
            (system,) = member_view(connection, member_id(number)).systems
        (floor,) = (one for one in system.floors if one.level == LEVELS[origin] - 100.0)
        assert (floor.origin, floor.was, floor.lowered_by) == (
            ORIGINS[origin][0],
            LEVELS[origin],
            granted[origin].seq,
        )
    assert system.system is RatingSystem.OTBR
    _a_withdrawn_prize(here)


def _a_withdrawn_prize(here: Site) -> None:
    """The desk asks about a floor whose event is withdrawn; the office ends it there, and it stops counting."""
    prize = {"member": member_id(LOSERS["peak"]), "prize": "4000", "limit": "1900", "event": "later"}
    for path, form in (
        ("/administration/decisions/money-floor", prize),
        ("/administration/events/later/withdraw", {"section": "2"}),
        ("/administration/events/later/withdraw", {"section": "1"}),
    ):
        mark = here.come_in("anna")
        assert here.client.post(path, data={"mark": mark, "reason": "a slip", **form}).status_code == 303
    page = html.unescape(here.client.get("/administration").text)
    assert "The money floor of 1900 rests on a prize in event later, which is withdrawn" in page
    (entry,) = re.findall(r'name="act" value="(\d+)"', page)
    revoked = here.client.post("/administration/decisions/revoke", data={"mark": mark, "act": entry, "reason": "gone"})
    assert revoked.status_code == 303
    assert "rests on a prize" not in html.unescape(here.client.get("/administration").text)

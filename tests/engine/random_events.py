"""Random events over all editions (§8), systems and kinds of section, as event files.

Seeded and plain: the same seed gives the same event. Ratings crowd together, so that floors, knots and limits are met
often; every fact of the event file that rating can depend on is sometimes there and sometimes not.
"""

import random
from datetime import date, timedelta
from typing import Any

from tests.second_engine import NotRatable, systems_of

SYSTEM_STARTS = {
    "OTBR": date(2001, 1, 1),
    "OTBQ": date(2001, 1, 1),
    "OTBB": date(2013, 3, 1),
    "OLB": date(2014, 10, 1),
    "OLQ": date(2015, 3, 1),
    "OLR": date(2020, 6, 1),
}
CONTROLS = {
    "OTBR": ("G/90;d5", "40/90,SD/30;d5", "G/60;d5", "G/45;d5", "G/30;d5"),
    "OTBQ": ("G/25;d3", "G/15;d5", "G/45;d5"),
    "OTBB": ("G/5;d0", "G/3;+2"),
    "OLR": ("G/60;+5", "G/90;+30"),
    "OLQ": ("G/15;+2",),
    "OLB": ("G/5;+0",),
}
SLOW_CONTROLS = (
    "G/30;d0",
    "G/30;d5",
    "G/45;d5",
    "G/45;+30",
    "G/45;+15",
    "G/45;+16",
    "G/60;d5",
    "G/61;d5",
    "G/62",
    "30/30,SD/30;d5",
    "40/90,SD/30;d5",
    "G/90;+30",
)
RANDOM_CONTROLS = (
    *SLOW_CONTROLS,
    "G/1;d2",
    "G/2;+3",
    "G/3;+2",
    "G/4;+25",
    "G/4;+26",
    "G/5",
    "G/5;d0",
    "G/5 d0",
    "G/5;+0",
    "G/7;d3",
    "G/9;d0",
    "G/10;d0",
    "G/10;+1",
    "G/20;+5",
    "G/20;d10",
    "G/25;d4",
    "G/25;d5",
    "G/26;d3",
    "G/28",
    "G/29;d5",
    "20/10,SD/10;d5",
    "30/25;d3",
)
LAST_DAY = date(2026, 6, 30)
EDITION_DAYS = [
    "2001-01-01",
    "2002-01-01",
    "2004-01-01",
    "2006-01-01",
    "2006-02-01",
    "2006-03-01",
    "2006-07-01",
    "2007-02-01",
    "2008-01-01",
    "2008-06-06",
    "2008-07-01",
    "2008-08-01",
    "2008-08-07",
    "2009-01-01",
    "2010-04-01",
    "2012-01-01",
    "2012-08-03",
    "2012-10-01",
    "2013-03-01",
    "2013-05-08",
    "2013-09-01",
    "2014-03-20",
    "2014-09-01",
    "2014-10-01",
    "2015-03-01",
    "2015-06-01",
    "2017-01-01",
    "2017-06-01",
    "2020-03-25",
    "2020-06-01",
    "2023-02-01",
    "2024-03-01",
    "2025-01-01",
]


def random_event(seed: int) -> tuple[dict[str, Any], str]:
    """An event file with one section, and one of the systems it is rated in."""
    rng = random.Random(seed)
    start = _start(rng)
    end = start + timedelta(days=rng.choice((0, 0, 1, 2, 9)))
    kind = rng.choices(
        ("swiss", "round_robin", "match", "foreign_fide", "foreign_fide_youth"), weights=(60, 14, 12, 8, 6)
    )[0]
    days = {"start_date": start.isoformat(), "end_date": end.isoformat()}
    section: dict[str, Any] = {"number": 1, "name": "Random", "type": kind, **_timing(rng, kind, days)}
    systems = systems_of(section, days)
    section["players"] = _players(rng, kind, systems, start)
    if kind == "match":
        section["match_waiver"] = "random"
    if start < date(2006, 3, 1) and rng.random() < 0.15 and not kind.startswith("foreign"):
        section["k_factor"] = "half"
    for player in section["players"]:
        _office_facts(random.Random(f"{seed} {player['member_id']}"), player)
    return _event_file(rng, section, days), rng.choice(systems)


def _event_file(rng: random.Random, section: dict[str, Any], days: dict[str, str]) -> dict[str, Any]:
    """The section in an event of its days, or of longer ones, the section then having its own."""
    event = {"id": "202601010001", "name": "Random", **days}
    if rng.random() < 0.15:
        section |= days
        event["start_date"] = (date.fromisoformat(days["start_date"]) - timedelta(days=40)).isoformat()
        event["end_date"] = LAST_DAY.isoformat()
    return {"format": "crosstable-event/1", "event": event, "sections": [section]}


def _timing(rng: random.Random, kind: str, days: dict[str, str]) -> dict[str, Any]:
    """Time control, systems and whether online: the systems named, or left for the control to say."""
    start = date.fromisoformat(days["start_date"])
    if kind.startswith("foreign"):
        return rng.choice(({"systems": ["OTBR"]}, {"time_control": "G/90;+30"}))
    system = rng.choice([name for name, since in SYSTEM_STARTS.items() if since <= start])
    online = system.startswith("OL")
    named = {"online": online, "time_control": rng.choice(CONTROLS[system]), "systems": [system]}
    chance = rng.random()
    if chance < 0.1:
        return {"online": online, "systems": [system]}
    if chance < 0.5:
        told = {"online": online, "time_control": random_control(rng)}
        try:
            systems_of(told, days)
        except NotRatable:
            return named
        return told
    return named


def random_control(rng: random.Random) -> str | list[str]:
    """A time control, or one for each of some rounds; not always one that is rated."""
    if rng.random() < 0.6:
        return rng.choice(RANDOM_CONTROLS)
    speed = rng.choice((RANDOM_CONTROLS, SLOW_CONTROLS, SLOW_CONTROLS))
    return [rng.choice(speed) for _ in range(rng.randint(1, 3))]


def random_schedule(seed: int) -> dict[str, Any]:
    """An event file with a section of two players, to ask which systems its time controls belong to."""
    rng = random.Random(seed)
    day = _start(rng).isoformat()
    players = [{"number": 1, "rounds": ["W2"]}, {"number": 2, "rounds": ["L1"]}]
    section = {"number": 1, "online": rng.random() < 0.3, "time_control": random_control(rng), "players": players}
    event = {"id": "1", "name": "Schedule", "start_date": day, "end_date": day}
    return {"format": "crosstable-event/1", "event": event, "sections": [section]}


def _start(rng: random.Random) -> date:
    if rng.random() < 0.4:
        around = date.fromisoformat(rng.choice(EDITION_DAYS)) + timedelta(days=rng.choice((-1, 0, 1)))
        return max(around, date(2001, 1, 1))
    first = date(2001, 1, 1)
    return first + timedelta(days=rng.randrange((LAST_DAY - first).days))


def _players(rng: random.Random, kind: str, systems: list[str], start: date) -> list[dict[str, Any]]:
    count = 2 if kind == "match" else rng.choice((2, 3, 4, 4, 5, 6, 8, 12, 17))
    players = [_player(rng, number, kind, systems, start) for number in range(1, count + 1)]
    pair_up = _round_robin if kind == "round_robin" else _swiss
    pair_up(rng, players, kind)
    if count > 5 and kind not in ("match", "round_robin") and rng.random() < (0.15 if kind == "swiss" else 0.5):
        _re_enter(rng, players)
    return players


def _re_enter(rng: random.Random, players: list[dict[str, Any]]) -> None:
    """The last two rows become one member, if they never met; abroad one mark on either row is enough."""
    one, other = players[-2], players[-1]
    for row, met in ((one, other), (other, one)):  # a one-sided result stands on one of the two rows
        if any(cell.strip("wb")[1:] == str(met["number"]) for cell in row["rounds"]):
            return
    for key in ("member_id", "ratings", "birth_date", "adult", "canadian_resident"):
        if key in one:
            other[key] = one[key]
        else:
            other.pop(key, None)
    if one.get("rate"):
        one["rate"], other["rate"] = rng.choice(((True, True), (True, False), (False, True)))
    elif "rate" in other:
        other["rate"] = False


def _player(rng: random.Random, number: int, kind: str, systems: list[str], start: date) -> dict[str, Any]:
    player: dict[str, Any] = {
        "number": number,
        "member_id": str(10000000 + number),
        "name": f"Player, {number}",
        "ratings": {},
        "rounds": [],
    }
    level = rng.choice((120.0, 400.0, 900.0, 1250.0, 1500.0, 1800.0, 2150.0, 2300.0, 2520.0, 2690.0))
    is_rated = rng.random() < 0.75 or kind == "match"
    for name, since in SYSTEM_STARTS.items():
        wanted = is_rated if name == systems[0] else rng.random() < (0.6 if name in systems else 0.35)
        if wanted and since < start:
            player["ratings"][name] = _standing(rng, level, start)
    if kind.startswith("foreign"):
        player["rate"] = rng.random() < 0.6 and "OTBR" in player["ratings"]
        player["fide_opt_in"] = True
        if player["rate"] and start >= date(2020, 6, 1):
            player["ratings"]["OTBR"] = {
                "rating": player["ratings"]["OTBR"]["rating"],
                "games": rng.choice((26, 300, None)),
            }
    if rng.random() < (0.8 if kind.startswith("foreign") else 0.25):
        player["ratings"]["FIDE"] = {"rating": rng.choice((1420, 1999, 2000, 2001, 2150, 2151, 2210, 1700))}
        if rng.random() < 0.7:
            player["ratings"]["FIDE"]["as_of"] = (start - timedelta(days=rng.randrange(0, 400))).isoformat()
    if rng.random() < 0.2:
        player["ratings"]["CFC"] = {"rating": rng.choice((250, 1149, 1150, 1500, 1501, 1609, 1610, 1999, 2000, 2300))}
    if rng.random() < 0.7:
        player["birth_date"] = (start - timedelta(days=rng.randrange(300, 22000))).isoformat()
    if rng.random() < 0.4:
        player["adult"] = rng.random() < 0.5
    if rng.random() < 0.3:
        player["canadian_resident"] = True
    return player


def _standing(rng: random.Random, level: float, start: date) -> dict[str, Any]:
    rating = max(100.0, level + rng.gauss(0, 60))
    rating = float(round(rating)) if rng.random() < 0.5 or start < date(2014, 9, 1) else round(rating, 2)
    games = rng.choice((1, 2, 3, 4, 7, 8, 9, 12, 25, 26, 40, 300, None, None, 8.5, 25.5))
    standing: dict[str, Any] = {"rating": rating, "games": games}
    if rng.random() < 0.8:
        standing["as_of"] = (start - timedelta(days=rng.randrange(1, 3000))).isoformat()
    if isinstance(games, int) and rng.random() < 0.7:
        wins = rng.choice((0, games, rng.randint(0, games)))
        losses = rng.choice((0, games - wins))
        standing.update(wins=wins, losses=losses, draws=rng.randint(0, games - wins - losses))
        standing["events"] = rng.randint(0, games)
    if rng.random() < 0.5:
        standing["peak"] = rating + rng.choice((0.0, 49.51, 120.0, 210.0, 400.0))
        if rng.random() < 0.6:
            standing["peak_since_2010"] = min(standing["peak"], rating + rng.choice((0.0, 130.0)))
    if rng.random() < 0.1:
        standing["floor"] = rng.choice(
            (1200, {"level": 1800, "origin": "money"}, {"level": 2200, "origin": "life_master"})
        )
    if rng.random() < 0.05:
        standing["ceiling"] = rng.choice((150.0, 1400.0, 2199.0))
    if rng.random() < 0.4:
        standing["match_changes"] = [
            {
                "date": (start - timedelta(days=rng.choice((1, 60, 180, 181, 400, 1095, 1096, 1200)))).isoformat(),
                "change": rng.choice((-50.0, 50.0, 30.5, -20.25)),
            }
            for _ in range(rng.randint(1, 4))
        ]
    return standing


def _office_facts(rng: random.Random, player: dict[str, Any]) -> None:
    """What an office may know of a member beside the rest; the rows of one member say the same."""
    if "birth_date" in player and rng.random() < 0.15:
        player["birth_year"] = int(player.pop("birth_date")[:4])
    if rng.random() < 0.08:
        player["start"] = {"rating": rng.choice((850, 1500.5, 2100)), "games": rng.choice((0, 0, 4, 9))}
    for name, record in player["ratings"].items():
        if name not in SYSTEM_STARTS or (record["games"] or 300) < 300:
            continue
        if rng.random() < 0.5 and record["rating"] > 2000:
            record["games_at_2200"] = rng.choice((299, 300, 300))
        if rng.random() < 0.4:
            record["lowered_floor"] = max(100.0, record["rating"] // 100 * 100 - rng.choice((0, 100)))
        if rng.random() < 0.1:
            record["floor"] = [{"level": 1300, "origin": "money"}, {"level": 1350, "origin": "office"}]


def _swiss(rng: random.Random, players: list[dict[str, Any]], kind: str) -> None:
    rounds = rng.choice((1, 2, 3, 3, 4, 4, 5, 7)) if kind != "match" else rng.randint(1, 8)
    for _ in range(rounds):
        order = players[:]
        rng.shuffle(order)
        while len(order) > 1:
            _play(rng, order.pop(), order.pop())
        for left in order:
            left["rounds"].append(rng.choice(("B", "H", "U", "")))


def _round_robin(rng: random.Random, players: list[dict[str, Any]], kind: str) -> None:
    for at, one in enumerate(players):
        for other in players[at + 1 :]:
            for _ in range(rng.choice((1, 1, 2, 3)) if len(players) < 4 else 1):
                _play(rng, one, other)


def _play(rng: random.Random, one: dict[str, Any], other: dict[str, Any]) -> None:
    letters = rng.choices(
        ("WL", "LW", "DD", "XF", "FF", "N", "R", "S", "NN", "NS", "RR"), weights=(72, 72, 36, 8, 2, 1, 1, 1, 1, 1, 1)
    )[0]
    if len(letters) == 1:  # a result on one row alone
        one["rounds"].append(f"{letters}{other['number']}")
        other["rounds"].append("U")
        return
    one["rounds"].append(f"{letters[0]}{other['number']}w")
    other["rounds"].append(f"{letters[1]}{one['number']}b")

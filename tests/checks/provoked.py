"""Small event files with one thing wrong each: the fault that must be reported, and where.

The dates and limits are those of the documents: half-K until March 2006, Blitz from 2013-03-01, no FIDE conversion
from 2000 up between July 2008 and May 2015, matches of established players within 400 points (§7), foreign events for
established members, from 2200 FIDE with the flag or by opting in (§6).
"""

from datetime import date, timedelta
from typing import Any, NamedTuple

from tests.event_files import EventFile, Player, Ratings, event_file, player, record


class Provoked(NamedTuple):
    """A file, the code it must provoke, the places, and the codes that follow from the same mistake."""

    code: str
    event: Any
    places: tuple[str, ...]
    follows: frozenset[str] = frozenset()


def sound() -> EventFile:
    """A file with nothing wrong and nothing assumed."""
    return event_file(player(1, "W2w D3b H", 1700.0), player(2, "L1b U W3w", 1650.0), player(3, "U D1w L2b", 1600.0))


def pair(one: str, other: str, on: str = "2025-08-01", **section: object) -> EventFile:
    """Two established players with these rounds."""
    return event_file(player(1, one, 1700.0), player(2, other, 1650.0), on=on, **section)


def with_section(**fields: object) -> EventFile:
    """The sound file with other fields of its section."""
    event = sound()
    event["sections"][0].update(fields)
    return event


def two_days(**fields: object) -> EventFile:
    """The same, played on two days."""
    event = with_section(**fields)
    event["event"]["end_date"] = "2025-08-02"
    return event


def with_player(**fields: object) -> EventFile:
    """The sound file with other fields of its first player."""
    event = sound()
    event["sections"][0]["players"][0].update(fields)
    return event


def with_event(**fields: object) -> EventFile:
    """The sound file with other fields of its event."""
    event = sound()
    event["event"].update(fields)
    return event


def without(name: str) -> EventFile:
    """The sound file without one of its three parts."""
    event = sound()
    del event[name]
    return event


def third_round(cell: object) -> EventFile:
    """The sound file with this in the third round of player 1, where they have a bye."""
    return with_player(rounds=["W2w", "D3b", cell])


def re_entry(first: Ratings, second: Ratings) -> EventFile:
    """One member on rows 1 and 2, who bring these OTBR records."""
    rows = [player(1, "W3 U", ratings={"OTBR": first}), player(2, "U L3", ratings={"OTBR": second})]
    rows[1] |= {"member_id": rows[0]["member_id"], "name": rows[0]["name"]}
    return event_file(*rows, player(3, "L1 W2 D4", 1700.0), player(4, "U U D3", 1700.0))


def self_paired() -> EventFile:
    """Two rows of one member, paired with each other."""
    event = pair("W2", "L1")
    for row in event["sections"][0]["players"]:
        row.update(member_id="10000001", name="Player, 1", ratings={})
    return event


def beside_a_played_one(event: EventFile) -> EventFile:
    """The sections of an event after the sound one."""
    made = sound()
    made["sections"] += event["sections"]
    return made


def paired_twice() -> EventFile:
    """Players 1 and 3 both show a game against player 2 in the first round."""
    return event_file(player(1, "W2", 1700.0), player(2, "L1", 1650.0), player(3, "W2", 1600.0))


def two_rounds_at_once() -> EventFile:
    """One member on rows 1 and 2, both with a game in the first round."""
    event = event_file(
        player(1, "W3", 1500.0), player(2, "W4", 1500.0), player(3, "L1", 1500.0), player(4, "L2", 1500.0)
    )
    event["sections"][0]["players"][1] |= {"member_id": "10000001", "name": "Player, 1"}
    return event


def two_names() -> EventFile:
    """Member 10000001 under another name in a second section."""
    event = sound()
    again = sound()["sections"][0] | {"number": 2}
    again["players"][0]["name"] = "Somebody, Else"
    return event | {"sections": [*event["sections"], again]}


def match(one: Ratings, other: Ratings, on: str = "2025-08-01", **section: object) -> EventFile:
    """A match of one game between players with these OTBR records (empty: unrated)."""
    rows = [
        player(number, cell, ratings={"OTBR": own} if own else {})
        for number, cell, own in ((1, "W2", one), (2, "L1", other))
    ]
    return event_file(*rows, on=on, type="match", **section)


def long_series(games: int, on: str = "2025-08-01") -> EventFile:
    """A match of so many drawn games between equals, in a fortnight."""
    rows = [
        player(1, ["D2"] * games, ratings={"OTBR": published(1700.0)}),
        player(2, ["D1"] * games, ratings={"OTBR": published(1700.0)}),
    ]
    event = event_file(*rows, on=on, type="match")
    event["event"]["end_date"] = (date.fromisoformat(on) + timedelta(days=13)).isoformat()
    return event


def two_pairs() -> EventFile:
    """Players 1 and 2 met twice and nobody else; 3, 4 and 5 met each other."""
    return event_file(
        player(1, "W2 U D2", 1700.0),
        player(2, "L1 U D1", 1650.0),
        player(3, "W4 D5 U", 1600.0),
        player(4, "L3 U W5", 1600.0),
        player(5, "U D3 L4", 1600.0),
    )


def dual_match() -> EventFile:
    """A dual-rated match of players who are established in Regular; one has ten games in Quick."""
    rows = [
        player(1, "W2", ratings={"OTBR": published(1700.0), "OTBQ": published(1700.0, 10)}),
        player(2, "L1", ratings={"OTBR": published(1650.0), "OTBQ": published(1650.0)}),
    ]
    return event_file(*rows, type="match", time_control="G/60;d5")


def published(rating: float, games: int | None = 40) -> Ratings:
    """A record with the rating of the last list."""
    return record(rating, games, published=rating)


def abroad(on: str = "2025-08-01", systems: list[str] | None = None, **fields: object) -> EventFile:
    """A foreign event of a member with a Regular rating who opted in and meets one opponent with a FIDE rating."""
    me: Player = player(1, "W2", 2100.0, rate=True, member=True, fide_flag="USA", fide_opt_in=True) | fields
    rival = player(2, "L1", ratings={"FIDE": {"rating": 2100}})
    return event_file(me, rival, on=on, type="foreign_fide", systems=systems)


def newcomer_of_fide(rating: int, on: str) -> EventFile:
    """A player without a US Chess rating but with a FIDE one."""
    return event_file(player(1, "W2", ratings={"FIDE": {"rating": rating}}), player(2, "L1", 1700.0), on=on)


def list_of_the_second_day() -> EventFile:
    """A section of two days, with a FIDE rating of the second."""
    event = with_player(ratings={"OTBR": record(1700.0), "FIDE": {"rating": 1700, "as_of": "2025-08-02"}})
    event["event"]["end_date"] = "2025-08-02"
    return event


FIRST = "sections[0].players[0]"
ROUND_3 = "section 1, player 1, round 3"
UNPAIRED = frozenset({"opponent-missing", "not-mirrored"})

SHAPES = [
    Provoked("wrong-type", with_player(rounds="W2"), (f"{FIRST}.rounds",), frozenset({"not-mirrored"})),
    Provoked("wrong-type", with_player(number=1.5), (f"{FIRST}.number",), UNPAIRED | {"no-number"}),
    Provoked("wrong-type", with_player(number=True), (f"{FIRST}.number",), UNPAIRED | {"no-number"}),
    Provoked("wrong-type", with_player(name=["Player"]), (f"{FIRST}.name",)),
    Provoked("wrong-type", with_player(adult="yes"), (f"{FIRST}.adult",)),
    Provoked(
        "wrong-type", with_player(ratings={"OTBR": 1700}), (f"{FIRST}.ratings.OTBR",), frozenset({"missing-field"})
    ),
    Provoked("wrong-type", with_player(ratings=[]), (f"{FIRST}.ratings",)),
    Provoked("wrong-type", with_player(ratings={"OTBR": record(1700.0, wins=1.5)}), (f"{FIRST}.ratings.OTBR.wins",)),
    Provoked("wrong-type", with_section(online="no"), ("sections[0].online",)),
    Provoked("wrong-type", with_section(time_control=["G/90;d5", 90]), ("sections[0].time_control[1]",)),
    Provoked("wrong-type", [1, 2], ("the file",), frozenset({"missing-field", "no-section"})),
    Provoked("missing-field", without("event"), ("event",), frozenset({"no-dates"})),
    Provoked("missing-field", without("format"), ("format",)),
    Provoked("missing-field", without("sections"), ("sections",), frozenset({"no-section"})),
    Provoked("missing-field", with_section(players=None), ("sections[0].players",), frozenset({"no-player"})),
    Provoked("missing-field", with_player(rounds=None), (f"{FIRST}.rounds",), frozenset({"not-mirrored"})),
    Provoked("missing-field", with_player(ratings={"OTBR": {"games": 4}}), (f"{FIRST}.ratings.OTBR.rating",)),
    Provoked("missing-field", with_player(ratings={"FIDE": {}}), (f"{FIRST}.ratings.FIDE.rating",)),
    Provoked("missing-field", with_player(start={"rating": 1500}), (f"{FIRST}.start.games",)),
    Provoked(
        "missing-field",
        with_player(ratings={"OTBR": record(1700.0, match_changes=[{"change": 5}])}),
        (f"{FIRST}.ratings.OTBR.match_changes[0].date",),
    ),
    Provoked(
        "missing-field",
        with_player(ratings={"OTBR": record(1700.0, floor={"origin": "money"})}),
        (f"{FIRST}.ratings.OTBR.floor.level",),
    ),
    Provoked("unknown-field", with_player(colour="w"), (f"{FIRST}.colour",)),
    Provoked("unknown-field", with_event(city="Reno"), ("event.city",)),
    Provoked("bad-value", with_player(ratings={"ELO": {"rating": 1700}}), (f"{FIRST}.ratings.ELO",)),
    Provoked("bad-value", sound() | {"format": "crosstable-event/2"}, ("format",)),
    Provoked("bad-value", with_section(k_factor="double"), ("sections[0].k_factor",)),
    Provoked("bad-value", with_section(type="quads"), ("sections[0].type",)),
    Provoked("bad-value", with_section(number=0), ("sections[0].number",)),
    Provoked("bad-value", with_section(systems=["OTBR", "OTBX"]), ("sections[0].systems[1]",)),
    Provoked("bad-value", with_player(name="Bell\x07"), (f"{FIRST}.name",)),
    Provoked("bad-value", with_player(name="x" * 501), (f"{FIRST}.name",)),
    Provoked("bad-value", with_player(ratings={"OTBR": {"rating": 4001}}), (f"{FIRST}.ratings.OTBR.rating",)),
    Provoked("bad-value", with_player(ratings={"OTBR": {"rating": -1}}), (f"{FIRST}.ratings.OTBR.rating",)),
    Provoked("bad-value", with_player(start={"rating": 1500, "games": 11}), (f"{FIRST}.start.games",)),
    Provoked("bad-value", with_player(details={"a\x00": "b"}), (f"{FIRST}.details",)),
    Provoked("bad-date", with_section(start_date="2025-02-29"), ("sections[0].start_date",)),
    Provoked("bad-date", with_player(birth_date="1/2/1990"), (f"{FIRST}.birth_date",)),
    Provoked("bad-date", with_event(start_date=20250801), ("event.start_date",), frozenset({"no-dates"})),
]

SECTIONS = [
    Provoked("no-section", sound() | {"sections": []}, ("event.json",)),
    Provoked("no-player", with_section(players=[]), ("section 1",)),
    Provoked("duplicate-section", sound() | {"sections": sound()["sections"] * 2}, ("section 1",)),
    Provoked("no-dates", with_event(end_date=None), ("section 1",)),
    Provoked("dates-reversed", with_section(start_date="2025-08-01", end_date="2025-07-31"), ("section 1",)),
    Provoked("long-section", with_event(end_date="2025-09-16"), ("section 1",)),
    Provoked("long-days", with_section(time_control="G/176;d5"), ("section 1",)),
    Provoked("section-outside-event", with_section(start_date="2025-07-31"), ("section 1",)),
    Provoked("section-outside-event", with_section(end_date="2025-08-02"), ("section 1",)),
    Provoked("event-id-date", with_event(id="202508020011"), ("event.json",)),
    Provoked("affiliate-id-shape", with_event(details={"affiliate": "12345678"}), ("event.json",)),
    Provoked("director-id-shape", with_event(details={"chief_td": "1234567"}), ("event.json",)),
    Provoked("no-rules", pair("W2", "L1", "2000-12-31"), ("section 1",)),
    Provoked("rule-not-found", newcomer_of_fide(2000, "2008-07-01"), ("section 1",)),
    Provoked("rule-not-found", newcomer_of_fide(2000, "2015-05-31"), ("section 1",)),
    Provoked("half-k", pair("W2", "L1", "2006-03-01", k_factor="half"), ("section 1",)),
    Provoked("no-time-control", with_section(time_control=None), ("section 1",)),
    Provoked("time-control-not-read", with_section(time_control="quite fast"), ("section 1",)),
    Provoked("time-control-not-rated", with_section(time_control="G/1;d2"), ("section 1",)),
    Provoked("time-control-not-rated", with_section(time_control="30/25;d3"), ("section 1",)),
    Provoked("time-control-not-rated", with_section(time_control=["G/90;d5", "G/25;d3"]), ("section 1",)),
    Provoked("time-control-not-rated", with_section(time_control=["G/5;d0", "G/3;+2"]), ("section 1",)),
    Provoked("delay-not-given", with_section(time_control="G/28"), ("section 1",)),
    Provoked("delays-differ", with_section(time_control="40/90;d5,SD/30;d10"), ("section 1",)),
    Provoked(
        "system-not-in-force", pair("W2", "L1", "2013-02-28", systems=["OTBB"], time_control=None), ("section 1",)
    ),
    Provoked("systems-disagree", with_section(systems=["OTBQ"]), ("section 1",)),
    Provoked("system-code", with_section(details={"system_code": "Q"}), ("section 1",)),
]

PLAYERS = [
    Provoked("no-number", with_player(number=None), ("section 1, row 1",), UNPAIRED),
    Provoked("duplicate-number", with_player(number=2), ("section 1",), UNPAIRED | {"plays-self"}),
    Provoked("member-id-shape", with_player(member_id="1234567"), ("section 1, player 1",)),
    Provoked("member-id-shape", with_player(member_id="١٢٣٤٥٦٧٨"), ("section 1, player 1",)),
    Provoked("re-entry", re_entry(record(1500.0), record(1500.0)), ("section 1, player 2",)),
    Provoked(
        "re-entry-differs", re_entry(record(1500.0), record(1501.0)), ("section 1, player 2",), frozenset({"re-entry"})
    ),
    Provoked("re-entry-same-round", two_rounds_at_once(), ("section 1, player 2",), frozenset({"re-entry"})),
    Provoked("no-member-id", with_player(member_id=""), ("section 1, player 1",)),
    Provoked("duplicate-name", with_player(name="Player, 2"), ("section 1, player 2",)),
    Provoked("id-with-two-names", two_names(), ("section 2, player 1",)),
    Provoked("birth-date", with_player(birth_date="2025-08-02"), ("section 1, player 1",)),
    Provoked("birth-date-early", with_player(birth_date="1899-12-31"), ("section 1, player 1",)),
    Provoked(
        "counts-disagree",
        with_player(ratings={"OTBR": record(1700.0, 10, wins=16, draws=2, losses=3)}),
        ("section 1, player 1",),
    ),
    Provoked(
        "counts-half-k",
        with_player(ratings={"OTBR": record(1700.0, 10, wins=6, draws=2, losses=3)}),
        ("section 1, player 1",),
    ),
    Provoked(
        "list-after-end",
        with_player(ratings={"OTBR": record(1700.0), "FIDE": {"rating": 1700, "as_of": "2025-08-02"}}),
        ("section 1, player 1",),
    ),
    Provoked("list-after-start", list_of_the_second_day(), ("section 1, player 1",)),
    Provoked("rating-too-low", with_player(ratings={"OTBR": record(99.0)}), ("section 1, player 1",)),
    Provoked("rating-too-low", with_player(ratings={"OTBR": record(0.0)}), ("section 1, player 1",)),
    Provoked(
        "rating-too-low",
        with_player(ratings={"OTBR": record(1700.0), "FIDE": {"rating": 50}}),
        ("section 1, player 1",),
    ),
    Provoked("rating-too-low", with_player(pairing_rating=1), ("section 1, player 1",)),
    Provoked("membership", with_player(member=False), ("section 1, player 1",)),
]

GAMES = [
    Provoked("unknown-code", third_round("Q"), (ROUND_3,)),
    Provoked("unknown-code", third_round(2), (ROUND_3,)),
    Provoked("unknown-code", third_round("W-2"), (ROUND_3,)),
    Provoked("unknown-code", third_round("W²"), (ROUND_3,)),
    Provoked("no-opponent", third_round("W"), (ROUND_3,)),
    Provoked("opponent-missing", third_round("W9"), (ROUND_3,)),
    Provoked("plays-self", third_round("D1"), (ROUND_3,)),
    Provoked(
        "plays-self",
        self_paired(),
        tuple(f"section 1, player {n}, round 1" for n in (1, 2)),
        frozenset({"re-entry", "re-entry-same-round", "all-unrated"}),
    ),
    Provoked("not-mirrored", pair("W2", "W1"), ("section 1, player 1, round 1", "section 1, player 2, round 1")),
    Provoked("not-mirrored", pair("W2 U", "U L1"), ("section 1, player 1, round 1", "section 1, player 2, round 2")),
    Provoked("not-mirrored", pair("W2", ""), ("section 1, player 1, round 1",)),
    Provoked("not-mirrored", pair("W2", "F1"), ("section 1, player 1, round 1",)),
    Provoked(
        "not-mirrored",
        pair("W2", "D1", type="round_robin"),
        ("section 1, player 1", "section 1, player 2"),
    ),
    Provoked("paired-twice", paired_twice(), ("section 1, player 2, round 1",), frozenset({"not-mirrored"})),
    Provoked("round-not-announced", with_section(details={"rounds": "1"}), ("section 1, player 1, round 2",)),
    Provoked("total-disagrees", with_player(total=1.5), ("section 1, player 1",)),
    Provoked("entry-list", beside_a_played_one(pair("U", "H", number=2)), ("section 2",)),
    Provoked("two-player-section", pair("W2 D2", "L1 D1"), ("section 1",)),
    Provoked("pair-alone", two_pairs(), ("section 1, player 1",)),
    Provoked("one-sided", pair("N2", "U"), ("section 1, player 1, round 1",)),
    Provoked("one-sided", pair("R2", "R1"), ("section 1, player 1, round 1", "section 1, player 2, round 1")),
    Provoked("one-sided", pair("S2", "N1"), ("section 1, player 1, round 1", "section 1, player 2, round 1")),
    Provoked("same-colour", pair("W2b", "L1b"), ("section 1, player 1, round 1",)),
    Provoked("too-many-rounds", with_player(rounds=["W2w", "D3b", *["U"] * 199]), ("section 1, player 1",)),
]

ELIGIBILITY = [
    Provoked("match-players", with_section(type="match"), ("section 1",)),
    Provoked("match-not-eligible", match(published(1700.0), {}), ("section 1, player 2",)),
    Provoked("match-not-eligible", match(published(1700.0, 25), published(1700.0, 26)), ("section 1, player 1",)),
    Provoked(
        "match-not-eligible",
        match(published(1700.0), published(2101.0)),
        ("section 1, player 1", "section 1, player 2"),
    ),
    Provoked("match-system", dual_match(), ("section 1, player 1",)),
    Provoked("match-long", long_series(21), ("section 1",)),
    Provoked("match-too-long", long_series(33), ("section 1",)),
    Provoked("match-waived", match(published(1700.0), published(2101.0), match_waiver="by letter"), ("section 1",)),
    Provoked("foreign-system", abroad(systems=["OTBQ"]), ("section 1",), frozenset({"opted-in"})),
    Provoked("opted-in", abroad(), ("section 1, player 1",)),
    Provoked(
        "opted-in",
        abroad(fide_flag="CAN", ratings={"OTBR": record(2300.0), "FIDE": {"rating": 2300}}),
        ("section 1, player 1",),
    ),
    Provoked("start-given", with_player(start={"rating": 1500, "games": 4}), ("section 1, player 1",)),
    Provoked("foreign-nobody", abroad(rate=False), ("section 1",)),
    Provoked("foreign-not-eligible", abroad(ratings={}), ("section 1, player 1",)),
    Provoked("foreign-not-eligible", abroad(member=False), ("section 1, player 1",)),
    Provoked("foreign-not-eligible", abroad(fide_opt_in=False), ("section 1, player 1",)),
    Provoked("foreign-not-eligible", abroad(fide_opt_in=None), ("section 1, player 1",)),
    Provoked(
        "foreign-not-eligible",
        abroad(fide_opt_in=None, fide_flag="CAN", ratings={"OTBR": record(2300.0), "FIDE": {"rating": 2300}}),
        ("section 1, player 1",),
    ),
    Provoked("foreign-not-eligible", abroad(ratings={"OTBR": record(2100.0, 25)}), ("section 1, player 1",)),
    Provoked(
        "foreign-not-eligible",
        abroad(fide_opt_in=False, fide_flag="CAN", ratings={"OTBR": record(2300.0), "FIDE": {"rating": 2250}}),
        ("section 1, player 1",),
    ),
]

CASES = [*SHAPES, *SECTIONS, *PLAYERS, *GAMES, *ELIGIBILITY]

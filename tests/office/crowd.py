"""A crowd of clients that submit at once: who sends which version of which event, and what each must be told."""

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from crosstable.office.submissions import Document
from tests.amounts import amount
from tests.engine.wallcharts import Played
from tests.office.made_office import document, report, section

MEMBERS = 200
_FIRST_DAY = date(2024, 1, 1)
_EVENTS_A_DAY = amount(1)
# So far from its place in the calendar an event may come in, counted in events.
_DISORDER = 40.0
_RESULTS = (("W", "L"), ("D", "D"))


class Turn(NamedTuple):
    """One submission: the event, and which of its two versions."""

    event: int
    version: int


def file_of(turn: Turn) -> Document:
    """A small section of four; the versions differ in one game."""
    one, two, three, four = Random(turn.event).sample(range(1, MEMBERS + 1), 4)
    mine, theirs = _RESULTS[turn.version]
    chart = f"1 ={one} | {mine}2 W3\n2 ={two} | {theirs}1 W4\n3 ={three} | W4 L1\n4 ={four} | L3 L2"
    day = _FIRST_DAY + timedelta(days=min(turn.event // _EVENTS_A_DAY, 1000))
    return document(report(f"event-{turn.event:05}", section(chart, Played(start=day))))


class Crowd(NamedTuple):
    """How many clients, how many submissions of each, and which part repeats or contradicts another one."""

    clients: int
    submissions: int
    duplicates: float
    conflicting: float

    def turns(self, seed: int) -> list[list[Turn]]:
        """What each client submits: roughly in the order of the calendar, so that they meet at the same events."""
        total = self.clients * self.submissions
        repeated, contradicted = round(total * self.duplicates), round(total * self.conflicting)
        events = total - repeated - contradicted
        chance = Random(seed)
        turns = [Turn(event, 0) for event in range(events)]
        turns += [Turn(event, 0) for event in chance.sample(range(events), repeated)]
        turns += [Turn(event, 1) for event in chance.sample(range(events), contradicted)]
        turns.sort(key=lambda turn: turn.event + chance.uniform(0.0, _DISORDER))
        return [turns[at :: self.clients] for at in range(self.clients)]


def contradictions(told: Sequence[tuple[int, int, str]]) -> list[str]:
    """Where the answers to a crowd do not fit together.

    One submission of each event is accepted; the same version of it is known, the other one differs.
    """
    accepted: dict[int, int] = {}
    found = []
    for event, version, status in told:
        if status == "accepted":
            if event in accepted:
                found.append(f"event {event} was accepted twice")
            accepted[event] = version
    for event, version, status in told:
        due = "known" if version == accepted.get(event) else "differs"
        if event not in accepted:
            found.append(f"event {event} was never accepted")
        elif status not in ("accepted", due):
            found.append(f"event {event}: {status}, and not {due}")
    return found

"""A season of dual-rated quads in a club of eight, its files, and what must be posted after each of them."""

import os
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crosstable.office.database import Office
from crosstable.office.ledger.digests import text_of
from crosstable.office.submissions import Document, submit
from tests.amounts import amount
from tests.engine.wallcharts import Played
from tests.office.faults import raw
from tests.office.made_office import AUTHOR, HandClock, club, derived, document, quad

TODAY = date(2026, 11, 15)
# Late events come in after those that were played later, so that runs have something to do over again.
_DAYS = (3, 11, 7, 19, 5, 13, 17, 2, 27, 23)
_MONTHS = 34  # after the starting ratings and before today
_WALLCHARTS = (
    "1 =1 | W2 D3 W4\n2 =2 | L1 L4 L3\n3 =3 | L4 D1 W2\n4 =4 | W3 W2 L1",
    "1 =5 | W2 D3 W4\n2 =2 | L1 L4 L3\n3 =7 | L4 D1 W2\n4 =4 | W3 W2 L1",
    "1 =1 | L2 W3 W4\n2 =6 | W1 D4 L3\n3 =3 | L4 L1 W2\n4 =8 | W3 D2 L1",
)


@cache
def file_number(number: int) -> Document:
    """The file of one event; every number is another event."""
    month = number // len(_DAYS) // amount(1)
    assert month < _MONTHS, "there are not so many events in this season"
    played = Played(start=date(2024 + month // 12, 1 + month % 12, _DAYS[number % len(_DAYS)]), control="G/45;d5")
    return document(quad(f"event-{number:04}", played, _WALLCHARTS[number % len(_WALLCHARTS)]))


class Progress(NamedTuple):
    """How far an office has come: how many events it has, and which states its runs gave after how many events."""

    events: int
    states: Sequence[tuple[int, str]]


def progress_of(address: str) -> Progress:
    """How far an office has come."""
    with raw(address) as connection:
        submitted = [act for (act,) in connection.rows("SELECT seq FROM act WHERE kind = 'submit'")]
        runs = connection.rows("SELECT act, state_after FROM run ORDER BY act")
        return Progress(len(submitted), [(sum(seq < act for seq in submitted), state) for act, state in runs])


def states_from_zero(path: Path, events: int) -> list[str]:
    """The state after 0, 1, 2 … events, each derived from nothing by the fold; no run was ever made there."""
    office = club(str(path))
    states = [state_from_zero(office)]
    for number in range(events):
        submit(office, AUTHOR, file_number(number), TODAY)
        states.append(state_from_zero(office))
    office.close()
    return states


def state_from_zero(office: Office) -> str:
    """The state that follows from the facts of an office."""
    return text_of(sum(posting.fingerprint for posting in derived(office).values()))


def new_season(path: Path) -> Path:
    """A club before its first event, in one file that can be copied."""
    club(str(path), clock=HandClock()).close()
    assert not os.path.exists(f"{path}-wal"), "something of the club is not in its file"
    return path

"""When a federation plays: months and how much is played in them, events with their dates, time controls and names."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.errors import TimeControlError
from crosstable.history.archive_tables import KINDS
from crosstable.lab.entering import Draft, Speed
from crosstable.lab.population import EPOCH, Federation, Population, Whole, numbered
from crosstable.rules.amending import Edition
from crosstable.rules.editions import EDITIONS
from crosstable.rules.time_controls import is_dual_control, parse_time_control, systems_for
from crosstable.terms import RatingSystem, SectionType

OVER_THE_BOARD = (
    *("G/120;d5", "40/120,SD/60;d5", "G/90;+30", "40/90,SD/30;d5", "G/75;d5"),
    *("G/60;d5", "G/45;d5", "G/30;d5", "G/25;d5"),
    *("G/24;d5", "G/20;d5", "G/15;d3", "G/12;d3", "G/10;d3"),
    *("G/5;d0", "G/3;+2"),
)
ONLINE = ("G/60;+5", "G/90;+30", "G/15;+2", "G/10;+5", "G/5;+0", "G/3;+2")


_MEANT: dict[tuple[RatingSystem, ...], Speed] = {
    (RatingSystem.OTBR,): Speed.REGULAR,
    (RatingSystem.OTBR, RatingSystem.OTBQ): Speed.DUAL,
    (RatingSystem.OTBQ,): Speed.QUICK,
    (RatingSystem.OTBB,): Speed.BLITZ,
    (RatingSystem.OLR,): Speed.ONLINE_REGULAR,
    (RatingSystem.OLQ,): Speed.ONLINE_QUICK,
    (RatingSystem.OLB,): Speed.ONLINE_BLITZ,
}
# What is played instead, where the rules of the day do not know it yet: the first of these that they know.
_INSTEAD: dict[Speed, Sequence[Speed]] = {
    Speed.REGULAR: (),
    Speed.DUAL: (Speed.REGULAR,),
    Speed.QUICK: (Speed.REGULAR,),
    Speed.BLITZ: (Speed.QUICK,),
    Speed.ONLINE_REGULAR: (Speed.ONLINE_QUICK, Speed.ONLINE_BLITZ, Speed.REGULAR),
    Speed.ONLINE_QUICK: (Speed.ONLINE_BLITZ, Speed.QUICK),
    Speed.ONLINE_BLITZ: (Speed.QUICK,),
}


class Choices(NamedTuple):
    """Every control, and by edition and speed which of them may be chosen.

    ``systems`` and ``is_dual`` are by edition and control; ``controls`` holds positions, ``counts`` how many there are.
    """

    texts: tuple[str, ...]
    effective: NDArray[np.int64]
    systems: NDArray[np.uint8]
    is_dual: NDArray[np.bool_]
    half_k: NDArray[np.bool_]
    controls: NDArray[np.int64]
    counts: NDArray[np.int64]


@cache
def choices() -> Choices:
    """What may be chosen on any day since 2001."""
    texts = (*OVER_THE_BOARD, *ONLINE)
    is_online = np.arange(len(texts)) >= len(OVER_THE_BOARD)
    systems = np.zeros((len(EDITIONS), len(texts)), dtype=np.uint8)
    is_dual = np.zeros((len(EDITIONS), len(texts)), dtype=np.bool_)
    controls = np.zeros((len(EDITIONS), len(Speed), len(texts)), dtype=np.int64)
    counts = np.zeros((len(EDITIONS), len(Speed)), dtype=np.int64)
    for at, edition in enumerate(EDITIONS):
        by_speed: dict[Speed, list[int]] = {}
        for control, text in enumerate(texts):
            found = _systems(text, bool(is_online[control]), edition)
            if found:
                systems[at, control] = sum(1 << system for system in found)
                is_dual[at, control] = not is_online[control] and is_dual_control(
                    parse_time_control(text), edition.controls
                )
                by_speed.setdefault(_MEANT[found], []).append(control)
        for speed in Speed:
            chosen = next(by_speed[one] for one in (speed, *_INSTEAD[speed]) if one in by_speed)
            controls[at, speed, : len(chosen)] = chosen
            counts[at, speed] = len(chosen)
    effective = np.array([(edition.effective - EPOCH).days for edition in EDITIONS], dtype=np.int64)
    half_k = np.array([edition.constants.half_k_is_allowed for edition in EDITIONS])
    return Choices(texts, effective, systems, is_dual, half_k, controls, counts)


def _systems(text: str, is_online: bool, edition: Edition) -> tuple[RatingSystem, ...]:
    """The systems of a control, none where it is not rated or its systems do not exist yet."""
    try:
        found = systems_for(parse_time_control(text), is_online=is_online, ranges=edition.controls)
    except TimeControlError:
        return ()
    return found if all(system in edition.systems for system in found) else ()


# Below so many members nobody holds a tournament.
FEWEST_ACTIVE = 8
MOST_SECTIONS_OF_EVENT = 6
MOST_EVENTS_A_DAY = 9_999
# How many days an event lasts, and how likely that is: a day, a weekend, a long one, four weeks at a club.
LENGTHS = np.array([1, 2, 3, 5, 29])
LENGTH_SHARES = np.array([0.6, 0.25, 0.08, 0.02, 0.05])
# So many sections of longer events begin a day later than the others.
LATER_START = 0.15
# How likely an event ends on each day of the week, from Monday.
WEEKDAYS = np.array([0.03, 0.04, 0.04, 0.05, 0.09, 0.35, 0.40])
MONDAY_OFFSET = 3  # 1970-01-01 was a Thursday
# Reports of the first years often name no control.
CONTROLS_NAMED_FROM = np.datetime64("2004-01-01")


class Month(NamedTuple):
    """A month: its first and last day and how many sections end in it."""

    first: int
    last: int
    sections: int


class Headings(NamedTuple):
    """The sections of a month in the order of the replay; ``draft`` says which section of the draft each one is."""

    draft: Whole
    event: Whole
    number: Whole
    start: Whole
    end: Whole
    control: Whole
    asked_systems: Whole
    systems: Whole
    is_dual_control: NDArray[np.bool_]
    is_half_k: NDArray[np.bool_]


def months_of(federation: Federation, people: Population) -> list[Month]:
    """The months of a federation; as much is played in each as its members are active."""
    start, after = federation.start, np.datetime64(federation.last_day + 1, "D")
    month = np.timedelta64(1, "M")
    firsts = (
        np.arange(np.datetime64(start, "M") + month, after.astype("M8[M]") + month).astype("M8[D]").astype(np.int64)
    )
    firsts = np.concatenate(([federation.first_day], firsts[firsts <= federation.last_day]))
    weight, active = _active(firsts, people)
    in_pandemic = federation.pandemic_board + federation.pandemic_online
    amounts = [in_pandemic if federation.is_pandemic(int(first)) else 1.0 for first in firsts]
    played = np.where(active >= FEWEST_ACTIVE, weight, 0.0) * amounts
    through = np.rint(np.cumsum(played) / max(played.sum(), 1e-9) * federation.sections).astype(np.int64)
    counts = np.diff(through, prepend=0)
    lasts = np.append(firsts[1:] - 1, federation.last_day)
    return [Month(int(one), int(last), int(count)) for one, last, count in zip(firsts, lasts, counts, strict=True)]


def _active(firsts: Whole, people: Population) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much the members who are active on the first of each month play, and how many they are."""
    begins, ends = np.searchsorted(firsts, people.joined), np.searchsorted(firsts, people.left, side="right")
    away, back = np.searchsorted(firsts, people.away), np.searchsorted(firsts, people.back)
    ends = np.maximum(begins, ends)
    found = []
    for amount in (people.activity, np.ones(len(begins))):
        change = np.zeros(len(firsts) + 1)
        for sign, days in ((1.0, begins), (-1.0, ends), (-1.0, away), (1.0, back)):
            # Who leaves while away does not leave twice.
            change += sign * np.bincount(np.clip(days, begins, ends), amount, len(change))
        found.append(np.cumsum(change)[:-1])
    return found[0], found[1]


def scheduled(
    federation: Federation, month: Month, draft: Draft, choices: Choices, rng: np.random.Generator
) -> Headings:
    """A month's sections with dates and controls, in the order of the replay."""
    event, number = _events(draft, rng)
    events = int(event.max()) + 1
    end = _end_days(month, events, rng)
    length = rng.choice(LENGTHS, events, p=LENGTH_SHARES)
    starts_later = (length[event] > 1) & (length[event] < LENGTHS[-1]) & (rng.random(len(event)) < LATER_START)
    start = np.maximum(end[event] - length[event] + 1 + starts_later, federation.first_day)
    edition = np.searchsorted(choices.effective, start, side="right") - 1
    at = np.floor(rng.random(len(event)) * choices.counts[edition, draft.speed]).astype(np.int64)
    control = choices.controls[edition, draft.speed, at]
    systems = choices.systems[edition, control].astype(np.int64)
    is_foreign = draft.kind >= KINDS.index(SectionType.FOREIGN_FIDE)
    regular = 1 << RatingSystem.OTBR
    is_unnamed = (start < CONTROLS_NAMED_FROM.astype(np.int64)) & (rng.random(len(event)) < federation.no_control)
    half_k = choices.half_k[edition] & (rng.random(len(event)) < federation.half_k) & ~is_foreign
    order = np.lexsort((number, event, start, end[event]))
    found = Headings(
        draft=np.arange(len(event)),
        event=event,
        number=number,
        start=start,
        end=end[event],
        control=np.where(is_foreign | is_unnamed, -1, control),
        asked_systems=np.where(is_unnamed & ~is_foreign, systems, 0),
        systems=np.where(is_foreign, regular, systems),
        is_dual_control=choices.is_dual[edition, control] & ~is_foreign,
        is_half_k=half_k,
    )
    return Headings(*(cast(Any, column[order]) for column in found))


def _events(draft: Draft, rng: np.random.Generator) -> tuple[Whole, Whole]:
    """The event of each section and its number there: neighbours share one, matches and foreign events do not."""
    sections = len(draft.kind)
    stands_alone = draft.kind >= KINDS.index(SectionType.MATCH)
    begins = (rng.random(sections) < 0.45) | stands_alone
    is_online = draft.speed >= Speed.ONLINE_REGULAR
    # Sections of one event are held in one place.
    begins[1:] |= (np.diff(draft.region) != 0) | (np.diff(is_online.astype(np.int64)) != 0)
    begins[:1] = True
    event = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    number = np.arange(sections) - first[event]
    begins |= number % MOST_SECTIONS_OF_EVENT == 0
    event = np.cumsum(begins) - 1
    return event, np.arange(sections) - np.flatnonzero(begins)[event] + 1


def _end_days(month: Month, events: int, rng: np.random.Generator) -> Whole:
    """The days on which events end, weekends before other days, in ascending order of the events."""
    days = np.arange(month.first, month.last + 1)
    shares = WEEKDAYS[(days + MONDAY_OFFSET) % 7]
    return np.asarray(rng.choice(days, events, p=shares / shares.sum()))


_WORDS = (
    "Open",
    "Classic",
    "Congress",
    "Quads",
    "Swiss",
    "Festival",
    "Championship",
    "Club Night",
    "Scholastic",
    "Cup",
)
_SECTION_WORDS = ("Open", "Premier", "Reserve", "Booster", "Amateur", "Novice")


def event_columns(headings: Headings, towns: list[str], rng: np.random.Generator) -> tuple[pl.Series, pl.Series]:
    """Ids and names of the events of a month's sections. An id begins with the day the event ended."""
    events = int(headings.event.max()) + 1
    end = np.zeros(events, dtype=np.int64)
    end[headings.event] = headings.end
    order = np.lexsort((np.arange(events), end))
    serial = np.zeros(events, dtype=np.int64)
    serial[order] = numbered(np.unique(end, return_counts=True)[1]) + 1
    assert serial.max() <= MOST_EVENTS_A_DAY, "more events end on one day than ids can tell apart"
    frame = pl.DataFrame(
        {
            "end": pl.Series(end, dtype=pl.Int32).cast(pl.Date),
            "serial": serial,
            "town": pl.Series(towns).gather(rng.integers(0, len(towns), events)),
            "word": pl.Series(_WORDS).gather(rng.integers(0, len(_WORDS), events)),
        }
    ).select(
        event_id=pl.col("end").dt.strftime("%Y%m%d") + pl.col("serial").cast(pl.String).str.zfill(4),
        name=pl.col("town") + " " + pl.col("word"),
    )
    return frame["event_id"].gather(headings.event), frame["name"].gather(headings.event)


def section_names(headings: Headings, draft: Draft) -> pl.Series:
    """What sections are called: by their kind, and where there are several by their number."""
    kind = draft.kind[headings.draft]
    word = np.minimum(headings.number - 1, len(_SECTION_WORDS) - 1)
    frame = pl.DataFrame({"kind": kind, "number": headings.number, "word": pl.Series(_SECTION_WORDS).gather(word)})
    named = (
        pl.when(pl.col("kind") == KINDS.index(SectionType.SWISS))
        .then("word")
        .when(pl.col("kind") == KINDS.index(SectionType.ROUND_ROBIN))
        .then(pl.format("Round Robin {}", "number"))
        .when(pl.col("kind") == KINDS.index(SectionType.MATCH))
        .then(pl.lit("Match"))
        .otherwise(pl.lit("International"))
    )
    return frame.select(named.alias("name"))["name"]

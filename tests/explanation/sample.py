"""Random sections of all editions, systems and kinds with the explanations of all their players, made once."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from crosstable.checks import check
from crosstable.checks.report import CheckedSection
from crosstable.engine import RatedPlayer, RatedSection, rate
from crosstable.errors import UnsupportedEditionError
from crosstable.explanation import Line, explain
from crosstable.formats import event_json
from crosstable.terms import Formula
from tests.engine.random_events import random_event

SEEDS = 300


class Told(NamedTuple):
    """A player of a random section: the section as its file has it, as it was rated, and the explanation."""

    section: dict[str, Any]
    rated: RatedSection
    player: RatedPlayer
    lines: tuple[Line, ...]


class Rated(NamedTuple):
    """A random section: as its file has it, as it was checked, and as it was rated in one system."""

    section: dict[str, Any]
    checked: CheckedSection
    rated: RatedSection


def rated_from(seed: int) -> Iterator[Rated]:
    """The section of a random event in each system, unless it has faults or its document was not found."""
    event, _ = random_event(seed)
    (section,) = event["sections"]
    for checked in check(event_json.read(json.dumps(event).encode(), "event.json").report).sections:
        for system in checked.section.systems:
            with suppress(UnsupportedEditionError):
                rated = rate(checked.section, system, checked.edition)
                yield Rated(section, checked, rated)


def told_from(sections: Iterable[Rated]) -> Iterator[Told]:
    """Every player of some sections."""
    for section, _, rated in sections:
        for player in rated.players:
            yield Told(section, rated, player, explain(rated, player.number))


@cache
def rated_sections() -> tuple[Rated, ...]:
    """The sections of the first random events."""
    return tuple(rated for seed in range(SEEDS) for rated in rated_from(seed))


@cache
def everybody() -> tuple[Told, ...]:
    """Every player of those sections."""
    return tuple(told_from(rated_sections()))


def who_played() -> list[Told]:
    """Every player of the sample with a rated game."""
    return [told for told in everybody() if told.player.formula is not Formula.NONE]

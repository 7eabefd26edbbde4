"""Time controls that a federation of a day would use, and what they are rated in by the rules of that day."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.errors import TimeControlError
from crosstable.lab.population import EPOCH
from crosstable.rules.editions import EDITIONS
from crosstable.rules.law import Edition
from crosstable.rules.systems import is_dual_control, systems_for
from crosstable.rules.time_controls import parse_time_control
from crosstable.terms import RatingSystem

OVER_THE_BOARD = (
    *("G/120;d5", "40/120,SD/60;d5", "G/90;+30", "40/90,SD/30;d5", "G/75;d5"),
    *("G/60;d5", "G/45;d5", "G/30;d5", "G/25;d5"),
    *("G/24;d5", "G/20;d5", "G/15;d3", "G/12;d3", "G/10;d3"),
    *("G/5;d0", "G/3;+2"),
)
ONLINE = ("G/60;+5", "G/90;+30", "G/15;+2", "G/10;+5", "G/5;+0", "G/3;+2")


class Speed(IntEnum):
    """What a section is meant to be, before the rules of the day say what that is."""

    REGULAR = 0
    DUAL = 1
    QUICK = 2
    BLITZ = 3
    ONLINE_REGULAR = 4
    ONLINE_QUICK = 5
    ONLINE_BLITZ = 6


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
    """Every control with its online mark, and by edition and speed which of them may be chosen.

    ``systems`` and ``is_dual`` are by edition and control; ``controls`` holds positions, ``counts`` how many there are.
    """

    texts: tuple[str, ...]
    is_online: NDArray[np.bool_]
    effective: NDArray[np.int64]
    systems: NDArray[np.uint8]
    is_dual: NDArray[np.bool_]
    half_k: NDArray[np.bool_]
    controls: NDArray[np.int64]
    counts: NDArray[np.int64]


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
    return Choices(texts, is_online, effective, systems, is_dual, half_k, controls, counts)


def _systems(text: str, is_online: bool, edition: Edition) -> tuple[RatingSystem, ...]:
    """The systems of a control, none where it is not rated or its systems do not exist yet."""
    try:
        found = systems_for(parse_time_control(text), is_online=is_online, ranges=edition.controls)
    except TimeControlError:
        return ()
    return found if all(system in edition.systems for system in found) else ()

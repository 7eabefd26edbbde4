"""Which rating systems a time control belongs to, by the ranges of the day (§1, footnote 1).

The ranges are data of the edition; this module only applies them. Dual rating exists over the board only
(readings 17): between ``regular_from`` and ``dual_to`` a section is rated Regular and Quick.
"""

from collections.abc import Sequence
from typing import NamedTuple

from crosstable.errors import TimeControlError
from crosstable.terms import RatingSystem, TimeControl


class ControlRanges(NamedTuple):
    """The ranges of total time, in minutes, that separate the systems, and the limits on main time."""

    counts_seconds: bool
    regular_from: int
    dual_to: int
    dual_seconds_to: int
    quick_from: int
    blitz_from: int
    blitz_to: int
    quick_main_from: int
    blitz_main_from: int


NO_DUAL = 0
NO_BLITZ = 0
ANY_SECONDS = 10**6

RANGES_2001 = ControlRanges(
    counts_seconds=False,
    regular_from=30,
    dual_to=NO_DUAL,
    dual_seconds_to=ANY_SECONDS,
    quick_from=10,
    blitz_from=5,
    blitz_to=NO_BLITZ,
    quick_main_from=5,
    blitz_main_from=3,
)


def counted_time(control: TimeControl, ranges: ControlRanges) -> int:
    """The time that decides: mm + ss since 2012, the main time alone before (rules history §12)."""
    return control.total if ranges.counts_seconds else control.main_minutes


def is_dual_control(control: TimeControl, ranges: ControlRanges) -> bool:
    """Whether over-the-board games at this control are rated both Regular and Quick (readings 18, 58)."""
    within = ranges.regular_from <= counted_time(control, ranges) <= ranges.dual_to
    return within and control.seconds <= ranges.dual_seconds_to


def systems_for(control: TimeControl, *, is_online: bool, ranges: ControlRanges) -> tuple[RatingSystem, ...]:
    """The systems in which games at this control are rated, or an error with the reason (readings 14, 16, 17)."""
    time = counted_time(control, ranges)
    if time >= ranges.regular_from:
        return _slow_systems(control, is_online=is_online, ranges=ranges)
    if len(control.stages) > 1 or control.stages[0].moves:
        raise TimeControlError(
            f"{control.text} is under {ranges.regular_from} minutes but not one sudden-death stage, which a Quick or "
            "Blitz control must be"
        )
    if ranges.blitz_to and time <= ranges.blitz_to:
        _require_blitz(control, time, ranges)
        return (RatingSystem.OLB if is_online else RatingSystem.OTBB,)
    _require_quick(control, time, ranges)
    return (RatingSystem.OLQ if is_online else RatingSystem.OTBQ,)


def _slow_systems(control: TimeControl, *, is_online: bool, ranges: ControlRanges) -> tuple[RatingSystem, ...]:
    if control.main_minutes < ranges.quick_main_from:
        raise TimeControlError(
            f"{control.text} has a main time of {control.main_minutes} minutes; at least "
            f"{ranges.quick_main_from} are needed"
        )
    if is_online:
        return (RatingSystem.OLR,)
    if is_dual_control(control, ranges):
        return (RatingSystem.OTBR, RatingSystem.OTBQ)
    return (RatingSystem.OTBR,)


def _require_blitz(control: TimeControl, time: int, ranges: ControlRanges) -> None:
    if time < ranges.blitz_from or control.main_minutes < ranges.blitz_main_from:
        raise TimeControlError(
            f"{control.text} is too fast to be rated: Blitz needs a total of {ranges.blitz_from} or more and a "
            f"main time of {ranges.blitz_main_from} minutes or more"
        )


def _require_quick(control: TimeControl, time: int, ranges: ControlRanges) -> None:
    if time < ranges.quick_from or control.main_minutes < ranges.quick_main_from:
        raise TimeControlError(
            f"{control.text} is too fast to be rated: Quick needs a total of {ranges.quick_from} or more and a "
            f"main time of {ranges.quick_main_from} minutes or more"
        )


def systems_of_schedule(
    controls: Sequence[TimeControl], *, is_online: bool, ranges: ControlRanges
) -> tuple[RatingSystem, ...]:
    """The systems of a section whose rounds may differ: the slowest control decides (official facts §5).

    Blitz rounds must all share one control, and faster rounds that alone would be Quick or Blitz only may not
    be mixed into a slower section.
    """
    by_control = {
        control: systems_for(control, is_online=is_online, ranges=ranges) for control in dict.fromkeys(controls)
    }
    # A round that is Regular alone is slower than a dual-rated one, whatever its main time.
    regular_alone = (RatingSystem.OTBR,)
    slowest = max(by_control, key=lambda control: (by_control[control] == regular_alone, counted_time(control, ranges)))
    systems = by_control[slowest]
    blitz = {RatingSystem.OTBB, RatingSystem.OLB}
    for control, own in by_control.items():
        if own[0] != systems[0]:
            raise TimeControlError(
                f"{control.text} and {slowest.text} are mixed in one section; rounds under "
                f"{ranges.regular_from} minutes can not be part of a slower section"
            )
        if own[0] in blitz and (control.main_minutes, control.total) != (slowest.main_minutes, slowest.total):
            raise TimeControlError(f"{control.text} and {slowest.text}: all Blitz rounds must share one control")
    return systems

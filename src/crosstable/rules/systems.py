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
    online_quick_to: int
    online_to: int


NO_DUAL = 0
NO_BLITZ = 0
ANY_SECONDS = 10**6
# Online Quick ends where Regular begins; nothing online is too slow to be rated.
NO_SLOW_QUICK = 0
ANY_LENGTH = 10**6
# Where a limit stands: the rating document gives ranges of the total, the rulebook the least main time.
FOOTNOTE_1 = "(rating document, footnote 1)"
RULE_5C = "(rulebook, rule 5C)"

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
    online_quick_to=NO_SLOW_QUICK,
    online_to=ANY_LENGTH,
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
    if is_online and time > ranges.online_to:
        raise TimeControlError(
            f"{control.text} is too slow to be rated online: from 2020-03-25 until online Regular ratings began on "
            f"2020-06-01 nothing slower than G/{ranges.online_to} was (Executive Board, 2020-03-25)"
        )
    if time >= ranges.regular_from:
        return _slow_systems(control, is_online=is_online, ranges=ranges)
    if len(control.stages) > 1 or control.stages[0].moves:
        raise TimeControlError(
            f"{control.text} is under {ranges.regular_from} minutes but not one sudden-death stage, which a Quick or "
            f"Blitz control must be {RULE_5C}"
        )
    if ranges.blitz_to and time <= ranges.blitz_to:
        _require(control, "Blitz", ranges.blitz_from, ranges.blitz_main_from, ranges)
        return (RatingSystem.OLB if is_online else RatingSystem.OTBB,)
    _require(control, "Quick", ranges.quick_from, ranges.quick_main_from, ranges)
    return (RatingSystem.OLQ if is_online else RatingSystem.OTBQ,)


def _slow_systems(control: TimeControl, *, is_online: bool, ranges: ControlRanges) -> tuple[RatingSystem, ...]:
    if control.main_minutes < ranges.quick_main_from:
        raise TimeControlError(
            f"{control.text} has a main time of {control.main_minutes} minutes; at least "
            f"{ranges.quick_main_from} are needed {RULE_5C}"
        )
    if is_online:
        return (RatingSystem.OLQ if is_slow_online_quick(control, ranges) else RatingSystem.OLR,)
    if is_dual_control(control, ranges):
        return (RatingSystem.OTBR, RatingSystem.OTBQ)
    return (RatingSystem.OTBR,)


def is_slow_online_quick(control: TimeControl, ranges: ControlRanges) -> bool:
    """Whether online games at this control are Quick only by the letter of the 2015 text, slower than Quick is now."""
    return ranges.regular_from <= counted_time(control, ranges) <= ranges.online_quick_to


def _require(control: TimeControl, system: str, least: int, least_main: int, ranges: ControlRanges) -> None:
    """Raise where a control is too fast for a system, with the document that says so."""
    is_in_range = counted_time(control, ranges) >= least
    if not is_in_range or control.main_minutes < least_main:
        raise TimeControlError(
            f"{control.text} is too fast to be rated: {system} needs a total of {least} or more and a "
            f"main time of {least_main} minutes or more {RULE_5C if is_in_range else FOOTNOTE_1}"
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
                f"{ranges.regular_from} minutes can not be part of a slower section {RULE_5C}"
            )
        if own[0] in blitz and (control.main_minutes, control.total) != (slowest.main_minutes, slowest.total):
            raise TimeControlError(
                f"{control.text} and {slowest.text}: all Blitz rounds must share one control {RULE_5C}"
            )
    return systems

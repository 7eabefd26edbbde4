"""Time control and systems of a section: what the control says, what the report names, what the day allows."""

from collections.abc import Iterable

from crosstable.engine.records import Assumption
from crosstable.errors import Fault, TimeControlError
from crosstable.faults import fault
from crosstable.rules.amending import Edition
from crosstable.rules.time_controls import (
    ControlRanges,
    counted_time,
    is_dual_control,
    is_slow_online_quick,
    parse_time_control,
    stages_disagree,
    systems_for,
    systems_of_schedule,
)
from crosstable.sentences import sentence_of
from crosstable.terms import RatingSystem, ReportedSection, TimeControl
from crosstable.tuples import NamedTuple

# The delays that were taken for granted where none was written (official facts §5).
USUAL_DELAYS = (3, 5)
# The letters of a rating report; it has none for Blitz, so pairing programs write another one there.
SYSTEM_LETTERS = {
    "R": {RatingSystem.OTBR},
    "Q": {RatingSystem.OTBQ},
    "D": {RatingSystem.OTBR, RatingSystem.OTBQ},
    "B": {RatingSystem.OTBB},
}


class Timing(NamedTuple):
    """The deciding control, the systems of the section, whether the control is dual-rated, and what was assumed."""

    control: TimeControl | None
    systems: tuple[RatingSystem, ...]
    is_dual: bool
    assumed: tuple[Assumption, ...] = ()


def timing(
    section: ReportedSection, place: str, edition: Edition, *, is_posted: bool = False
) -> tuple[Timing, list[Fault]]:
    """What a section is rated in, and every fault of its time controls.

    Where results are posted, the systems that the file names are those of the posted ratings, whatever the control.
    """
    if section.kind.is_foreign:
        return _foreign_timing(section, place)
    faults: list[Fault] = []
    controls = _parsed(section, place, faults)
    if controls is None:
        return Timing(None, section.systems, False), faults
    if not controls:
        if not section.systems:
            faults.append(fault("no-time-control", place))
        faults += _systems_in_force(section.systems, place, edition)
        return Timing(None, section.systems, _are_dual(section.systems)), faults
    ranges = edition.controls
    slowest = max(controls, key=lambda control: counted_time(control, ranges))
    by_control = _by_control(section, controls, place, ranges, [] if is_posted and section.systems else faults)
    systems = section.systems or by_control
    assumed = []
    if section.systems and by_control and set(section.systems) != set(by_control):
        named = {"named": _names(section.systems), "by_control": _names(by_control)}
        faults.append(fault("systems-disagree", place, control=slowest.text, **named))
        assumed.append(Assumption.SYSTEMS_NAMED)
    elif by_control:
        faults += _system_code(section, by_control, place, slowest)
        if section.is_online and is_slow_online_quick(slowest, ranges):
            assumed.append(Assumption.SLOW_ONLINE_QUICK)
    faults += _systems_in_force(systems, place, edition)
    is_dual = is_dual_control(slowest, ranges) and not section.is_online
    return Timing(slowest, tuple(sorted(systems)), is_dual, tuple(assumed)), faults


def _foreign_timing(section: ReportedSection, place: str) -> tuple[Timing, list[Fault]]:
    faults = []
    if section.systems and section.systems != (RatingSystem.OTBR,):
        faults.append(fault("foreign-system", place, systems=_names(section.systems)))
    return Timing(None, (RatingSystem.OTBR,), False), faults


def _parsed(section: ReportedSection, place: str, faults: list[Fault]) -> list[TimeControl] | None:
    controls = []
    for text in dict.fromkeys(section.time_controls):
        try:
            control = parse_time_control(text)
        except TimeControlError as error:
            faults.append(fault("time-control-not-read", place, sentence_of(error)))
            return None
        controls.append(control)
        if stages_disagree(control):
            faults.append(fault("delays-differ", place, control=text))
    return controls


def _by_control(
    section: ReportedSection,
    controls: list[TimeControl],
    place: str,
    ranges: ControlRanges,
    faults: list[Fault],
) -> tuple[RatingSystem, ...]:
    try:
        systems = systems_of_schedule(controls, is_online=section.is_online, ranges=ranges)
    except TimeControlError as error:
        faults.append(fault("time-control-not-rated", place, sentence_of(error)))
        return ()
    for control in controls:
        if control.seconds < 0 and ranges.counts_seconds and not section.systems:
            faults += _unwritten_delay(control, place, section.is_online, ranges)
    return systems


def _unwritten_delay(control: TimeControl, place: str, is_online: bool, ranges: ControlRanges) -> list[Fault]:
    """A warning where a delay that people take for granted would put the control in another system."""
    as_written = systems_for(control, is_online=is_online, ranges=ranges)
    for seconds in USUAL_DELAYS:
        usual = control._replace(seconds=seconds)
        if systems_for(usual, is_online=is_online, ranges=ranges) != as_written:
            would_be = _names(systems_for(usual, is_online=is_online, ranges=ranges))
            values = {"control": control.text, "systems": _names(as_written), "seconds": seconds, "usual": would_be}
            return [fault("delay-not-given", place, **values)]
    return []


def _system_code(
    section: ReportedSection, by_control: tuple[RatingSystem, ...], place: str, slowest: TimeControl
) -> list[Fault]:
    """A warning where the report's letter has nothing in common with the control, which decides the system.

    Pairing programs write R for dual-rated controls and D for Blitz, which has no letter; US Chess takes both.
    """
    letter = section.details.get("system_code", "").upper()
    meant = SYSTEM_LETTERS.get(letter)
    told_by_control = {RatingSystem(system % 3) for system in by_control}
    if meant is None or meant & told_by_control or told_by_control == {RatingSystem.OTBB}:
        return []
    titles = {"meant": _titles(sorted(meant)), "by_control": _titles(by_control)}
    return [fault("system-code", place, letter=letter, control=slowest.text, **titles)]


def _systems_in_force(systems: tuple[RatingSystem, ...], place: str, edition: Edition) -> list[Fault]:
    return [
        fault("system-not-in-force", place, system=system.name) for system in systems if system not in edition.systems
    ]


def _are_dual(systems: tuple[RatingSystem, ...]) -> bool:
    return {RatingSystem.OTBR, RatingSystem.OTBQ} <= set(systems)


def _names(systems: tuple[RatingSystem, ...]) -> str:
    return " and ".join(system.name for system in systems)


def _titles(systems: Iterable[RatingSystem]) -> str:
    return " and ".join(system.title for system in systems)

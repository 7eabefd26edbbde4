"""Time controls and the systems a section is rated in (2025 text footnote 1; rules history §12)."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from .errors import NotRatable
from .law import SINCE_THE_START, demand_system, section_dates

TOKEN = re.compile(
    r"(?P<stage>(?P<kind>GAME|G|SD|\d+)\s*/\s*(?P<minutes>\d+))"
    r"|(?P<delay>(?:DELAY|D|INC|\+)\s*/?\s*(?P<seconds>\d+))"
    r"|(?P<space>[\s,;]+)"
)

DUAL_RATING = date(2002, 1, 1)
QUICK_FROM_FIVE = date(2004, 1, 1)
LONG_DELAY_IS_REGULAR = date(2008, 8, 1)
MAIN_PLUS_SECONDS = date(2012, 1, 1)
BLITZ = date(2013, 3, 1)
ONLINE_QUICK = date(2015, 3, 1)
ONLINE_UP_TO_29 = date(2020, 3, 25)
ONLINE_REGULAR = date(2020, 6, 1)

SLOWEST_FIRST = ("regular", "dual", "quick", "blitz")
BOARD_NAMES = {"regular": ("OTBR",), "dual": ("OTBR", "OTBQ"), "quick": ("OTBQ",), "blitz": ("OTBB",)}
ONLINE_NAMES = {"regular": ("OLR",), "quick": ("OLQ",), "blitz": ("OLB",)}


@dataclass(frozen=True)
class Control:
    """A time control: minutes of all stages together, seconds of delay or increment, number of stages."""

    minutes: int
    seconds: int
    stages: int
    sudden_death: bool

    @property
    def total(self) -> int:
        """The sum mm + ss (2025 text footnote 1; readings 15)."""
        return self.minutes + self.seconds


def read_control(text: str) -> Control:
    """Read a control such as "40/90,SD/30;d5" (official facts §5; readings 15: the first delay counts)."""
    minutes: list[int] = []
    seconds: list[int] = []
    last_kind = ""
    place = 0
    upper = text.strip().upper()
    while place < len(upper):
        found = TOKEN.match(upper, place)
        if found is None:
            raise NotRatable(f"time control {text!r} cannot be read")
        if found["stage"]:
            minutes.append(int(found["minutes"]))
            last_kind = found["kind"]
        elif found["delay"]:
            seconds.append(int(found["seconds"]))
        place = found.end()
    if not minutes:
        raise NotRatable(f"time control {text!r} has no main time")
    return Control(sum(minutes), seconds[0] if seconds else 0, len(minutes), not last_kind.isdigit())


def controls_of(section: dict[str, Any]) -> list[Control]:
    """Read the section's control, or its list of controls, one per round (readings 15)."""
    given = section.get("time_control")
    if isinstance(given, str):
        given = [given]
    texts = [text for text in given or [] if text and text.strip()]
    if not texts:
        raise NotRatable("the section has no time control")
    return [read_control(text) for text in texts]


def class_by_main_time(control: Control, start: date) -> str:
    """Classify before 2012, when the main time alone counted (rules history §12)."""
    main = control.minutes
    if main < (5 if start >= QUICK_FROM_FIVE else 10):
        raise NotRatable(f"a main time of {main} minutes is too fast to be rated")
    if main < 30:
        return "quick"
    if start < DUAL_RATING or main > 60:
        return "regular"
    if start >= LONG_DELAY_IS_REGULAR and control.seconds > 15:
        return "regular"
    return "dual"


def class_by_sum(control: Control, start: date) -> str:
    """Classify from 2012 on by mm + ss, with the lowest main times (rules history §12; readings 14, 16)."""
    blitz = start >= BLITZ and control.total <= 10
    if control.minutes < (3 if blitz else 5) or control.total < 5:
        raise NotRatable(f"{control.minutes} minutes and {control.seconds} seconds are too fast to be rated")
    if blitz:
        return "blitz"
    if control.total < 30:
        return "quick"
    return "dual" if control.total <= 65 else "regular"


def class_of(control: Control, start: date, online: bool) -> str:
    """Classify one control; Quick and Blitz are one sudden-death stage (official facts §5; readings 17)."""
    classify = class_by_main_time if start < MAIN_PLUS_SECONDS else class_by_sum
    name = classify(control, start)
    if name in ("quick", "blitz") and (control.stages > 1 or not control.sudden_death):
        raise NotRatable("Quick and Blitz need a single sudden-death stage")
    if not online or name not in ("dual", "regular"):
        return name
    if ONLINE_QUICK <= start < ONLINE_UP_TO_29 and control.total <= 65:
        return "quick"  # 2015 text, introduction: both Quick systems through G/60+5
    if ONLINE_UP_TO_29 <= start < ONLINE_REGULAR:
        raise NotRatable("online games slower than G/29 are not rated yet")
    return "regular"


def class_of_section(section: dict[str, Any], start: date, online: bool) -> str:
    """Let the slowest round decide; Blitz and Quick-only rounds may not be mixed in (official facts §5)."""
    controls = controls_of(section)
    classes = {class_of(control, start, online) for control in controls}
    slowest = next(name for name in SLOWEST_FIRST if name in classes)
    if classes & {"quick", "blitz"} and len(classes) > 1:
        raise NotRatable("Blitz or Quick-only rounds may not be mixed with slower ones")
    if slowest == "blitz" and len({(control.minutes, control.seconds) for control in controls}) > 1:
        raise NotRatable("all rounds of a Blitz section must share one control")
    return slowest


def systems_of(section: dict[str, Any], event: dict[str, Any]) -> list[str]:
    """Name the systems a section is rated in (2025 text footnote 1; rules history §12; readings 14-18).

    A `systems` entry of the section overrides what the control says, but not that it is not rated at all; a foreign
    FIDE event is Regular (2025 text §6).
    """
    start, _ = section_dates(event, section)
    if start < SINCE_THE_START:
        raise NotRatable("sections before 2001-01-01 are out of scope")
    is_foreign = str(section.get("type") or "swiss").startswith("foreign_fide")
    if section.get("systems"):
        systems = list(section["systems"])
        if section.get("time_control") and not is_foreign:
            class_of_section(section, start, bool(section.get("online")))
    elif is_foreign:
        systems = ["OTBR"]
    else:
        online = bool(section.get("online"))
        names = ONLINE_NAMES if online else BOARD_NAMES
        systems = list(names[class_of_section(section, start, online)])
    for system in systems:
        demand_system(system, start)
    return systems


def is_dual_control(section: dict[str, Any]) -> bool:
    """Say whether the control itself is dual-rated, 30 <= mm + ss <= 65 (2025 text §4.2; readings 58)."""
    try:
        slowest = max(control.total for control in controls_of(section))
    except NotRatable:
        return False
    return 30 <= slowest <= 65

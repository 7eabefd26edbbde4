"""Time controls in a TRF: the coded one of TRF26 (record 222, in seconds) and the free text of record 122.

``5400+30`` is 90 minutes and 30 seconds a move, ours ``G/90;+30``; ``40/6000+30:900+30`` is ``40/100,SD/15;+30``.
The code knows increments only. A delay, and a control that leaves it open, can be written as text alone.
"""

import re

from crosstable.errors import TimeControlError
from crosstable.rules.time_controls import parse_time_control, split_schedule, stages_disagree
from crosstable.terms import Stage, TimeControl

_PERIOD = re.compile(r"(?:(?P<moves>[0-9]{1,3})/)?(?P<seconds>[0-9]{1,6})(?:\+(?P<increment>[0-9]{1,3}))?")


def from_code(coded: str) -> str:
    """Our notation of a coded time control, or nothing where it has none."""
    periods = [_PERIOD.fullmatch(part) for part in coded.replace(" ", "").split(":")]
    stages, increments = [], []
    for at, period in enumerate(periods):
        is_last = at == len(periods) - 1
        if period is None or int(period["seconds"]) % 60 or (period["moves"] is None and not is_last):
            return ""
        stages.append(Stage(int(period["moves"] or 0), int(period["seconds"]) // 60))
        increments.append(int(period["increment"] or 0))
    text = _notation(stages, increments)
    control = _parsed(text)
    return text if control is not None and control.stages == tuple(stages) else ""


def _notation(stages: list[Stage], increments: list[int]) -> str:
    names = [
        f"{stage.moves}/{stage.minutes}" if stage.moves else f"{'SD' if at else 'G'}/{stage.minutes}"
        for at, stage in enumerate(stages)
    ]
    if len(set(increments)) > 1:
        return ",".join(f"{name};+{increment}" for name, increment in zip(names, increments, strict=True))
    return ",".join(names) + (f";+{increments[0]}" if increments[0] else ";d0")


def to_code(text: str) -> str:
    """The coded time control of one in our notation, or nothing where the code cannot say the same."""
    control = _parsed(text)
    if control is None or control.seconds < 0 or stages_disagree(control):
        return ""
    if control.seconds and not control.is_increment:
        return ""
    increment = f"+{control.seconds}" if control.seconds else ""
    coded = ":".join(
        f"{f'{stage.moves}/' if stage.moves else ''}{stage.minutes * 60}{increment}" for stage in control.stages
    )
    back = _parsed(from_code(coded))
    return coded if back is not None and back.stages == control.stages else ""


def from_text(text: str) -> tuple[str, ...]:
    """The time controls that record 122 announces, one or one a round; none where the text has no number."""
    return split_schedule(text) if any(map(str.isdigit, text)) else ()


def to_text(controls: tuple[str, ...]) -> str:
    """Time controls as record 122 announces them."""
    if len(controls) == 1:
        return controls[0]
    return ", ".join(f"Round {at}: {control}" for at, control in enumerate(controls, start=1))


def _parsed(text: str) -> TimeControl | None:
    try:
        return parse_time_control(text)
    except TimeControlError:
        return None

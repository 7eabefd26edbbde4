"""Reading a time control as directors write it: ``G/60;d5``, ``40/90,SD/30;d5``, ``G60 d/5``, ``G/25+5``.

Official notation is ``G/`` for one sudden-death stage, ``moves/minutes`` for a stage with a move count, ``SD/``
for the last stage, ``d`` for a delay and ``+`` or ``inc`` for an increment, in seconds (official facts §5).
Looser spellings are read where they can mean only one thing.
"""

import re

from crosstable.errors import TimeControlError
from crosstable.terms import Stage, TimeControl

# Patterns are compiled when first used: the official notation, read first, is all that most files need.
_OFFICIAL = r"G/(\d{1,4})\s*;?\s*(D|\+)(\d{1,3})"
_STAGE = (
    r"(?:(?P<moves>\d+)\s*(?:MOVES?\s*)?(?:/|IN\b)|(?:GAME|G|SD|S/D|SUDDEN DEATH)\s*(?:/|IN\b|-)?)\s*(?P<minutes>\d+)"
    r"(?P<hours>\s*H(?:OURS?|RS?)?\b)?"
)
_SECONDS = (
    r"(?:(?P<plus>\+|PLUS\b)|(?P<word>INCREMENT|INCR|INC|DELAY|DEL|TD|D|I))[.\s]*[/:=]?\s*(?P<seconds>\d+)"
    r"\s*(?:SECONDS?|SECS?\b|S\b|\")?"
)
_SECONDS_FIRST = r"(?P<seconds>\d+)[\s-]*(?:SECONDS?|SECS?\b|S\b|\")\s*(?P<word>INC\w*|DEL\w*)"
_NO_DELAY = r"NO\s*(?:DELAY|INC(?:REMENT)?)"
_FILLER = r"(?:[\s,;:.&()]|MINUTES?\b|MINS?\b|MOVES?\b|AND\b|THEN\b|WITH\b)*"
_BARE = r"(\d+)\s*\+\s*(\d+)"
_ROUND = r"(?:SCHEDULE\s*\d+\s*)?(?:ROUND|RD)\s*\d+\s*:"
_TIDY = str.maketrans({"\\": "/", "\N{EN DASH}": "-", "\N{EM DASH}": "-", "'": " ", "\N{PRIME}": " "})
_LONGEST_TEXT = 80
_LONGEST_MINUTES = 24 * 60
_MOST_HOURS = 3


def parse_time_control(text: str) -> TimeControl:
    """Read one time control; raises with the text where it cannot be understood."""
    tidy = text.strip().upper().translate(_TIDY)
    if not tidy or len(tidy) > _LONGEST_TEXT:
        raise _not_understood(text)
    official = re.fullmatch(_OFFICIAL, tidy, re.ASCII)
    if official is not None:
        return _control(text, [Stage(0, int(official[1]))], int(official[3]), is_increment=official[2] == "+")
    bare = re.fullmatch(_BARE, tidy, re.ASCII)
    if bare is not None:  # "90+30": minutes and increment, the way FIDE events are announced
        return _control(text, [Stage(0, int(bare[1]))], int(bare[2]), is_increment=True)
    return _read_parts(text, tidy)


def _control(text: str, stages: list[Stage], seconds: int, *, is_increment: bool) -> TimeControl:
    if not stages or max(stage.minutes for stage in stages) > _LONGEST_MINUTES:
        raise _not_understood(text)
    return TimeControl(text.strip(), tuple(stages), seconds, is_increment)


def _match(pattern: str, tidy: str, at: int) -> re.Match[str] | None:
    return re.compile(pattern, re.ASCII).match(tidy, at)


def _read_parts(text: str, tidy: str) -> TimeControl:
    stages: list[Stage] = []
    extra: list[tuple[int, bool]] = []
    at = _skip(tidy, 0)
    while at < len(tidy):
        if found := _match(_NO_DELAY, tidy, at):
            extra.append((0, False))
        elif stages and (found := _match(_SECONDS_FIRST, tidy, at)):
            extra.append((int(found["seconds"]), found["word"].startswith("I")))
        elif stages and (found := _match(_SECONDS, tidy, at)):
            extra.append((int(found["seconds"]), bool(found["plus"]) or found["word"].startswith("I")))
        elif found := _match(_STAGE, tidy, at):
            stages.append(_stage(found))
        else:
            raise _not_understood(text)
        at = _skip(tidy, found.end())
    seconds, is_increment = extra[0] if extra else (-1, False)
    return _control(text, _hours_as_minutes(stages), seconds, is_increment=is_increment)


def _hours_as_minutes(stages: list[Stage]) -> list[Stage]:
    """Old reports write 40/2;SD/1 for two hours and one: where a stage counts moves, 1 to 3 are hours."""
    if not any(stage.moves for stage in stages):
        return stages
    return [Stage(s.moves, s.minutes * 60 if s.minutes <= _MOST_HOURS else s.minutes) for s in stages]


def _skip(tidy: str, at: int) -> int:
    found = _match(_FILLER, tidy, at)
    return found.end() if found else at


def _stage(found: re.Match[str]) -> Stage:
    moves = int(found["moves"] or 0)
    minutes = int(found["minutes"]) * (60 if found["hours"] else 1)
    return Stage(moves, minutes)


def split_schedule(text: str) -> tuple[str, ...]:
    """The controls of a text that names them round by round (``Round 1: G/45;d5, Round 2: G/60;d5``)."""
    if ":" not in text:
        return (text.strip(),)
    parts = re.split(_ROUND, text, flags=re.IGNORECASE | re.ASCII)
    return tuple(part.strip(" ,;") for part in parts if part.strip(" ,;"))


def stages_disagree(control: TimeControl) -> bool:
    """Whether a control writes different delays for different stages; the first one counts (readings 15)."""
    if len(control.stages) < 2:
        return False
    tidy = control.text.upper().translate(_TIDY)
    found = re.finditer(r"(?<![A-Z])" + _SECONDS, tidy, re.ASCII)
    return len({match["seconds"] for match in found}) > 1


def _not_understood(text: str) -> TimeControlError:
    return TimeControlError(
        f"the time control {text.strip()!r} cannot be read; write it like G/60;d5, G/90;+30 or 40/90,SD/30;d5"
    )

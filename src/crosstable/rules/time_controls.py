"""The one reader of time controls, as directors and programs write them, for all formats.

Official notation is ``G/60;d5``, ``40/90,SD/30;d5``: ``G/`` for one sudden-death stage, ``moves/minutes`` for a stage
with a move count, ``SD/`` for the last stage, ``d`` for a delay and ``+`` or ``inc`` for an increment, in seconds
(official facts §5). Looser spellings are read where they can mean only one thing: ``G60 d/5``, ``G/30+5DELAY``,
``G150/5S``, ``GAME 100 + 30 SEC INCREMENT``, ``40/120, ALL/60``, minutes first as federations announce them (``90+30``,
``90'+30"``, ``60 min + 5 sec``, ``1h30+30s``, ``100'x40 + 15' + 30"``). What can mean two things is an error that names
both.
"""

import re

from crosstable.errors import TimeControlError
from crosstable.terms import Stage, TimeControl

# Patterns are compiled when first used: the official notation, read first, is all that most files need.
_OFFICIAL = r"G/(\d{1,4})\s*;?\s*(D|\+)(\d{1,3})"
_STAGE = (
    r"(?:(?P<moves>\d+)\s*(?:MOVES?\s*)?(?:/|IN\b)"
    r"|(?:GAME|G|SD|S/D|SUDDEN DEATH|ALL(?: MOVES)?|REST)\s*(?:/|IN\b|-)?)\s*(?P<minutes>\d+)"
    r"(?P<hours>\s*H(?:OURS?|RS?)?\b)?"
)
# 90', 60 min, 1h30, 100'x40, 90 min for 40 moves: how federations announce a stage.
_MINUTES_FIRST = (
    r"(?:\+|PLUS\b)?\s*(?:(?P<minutes>\d{1,4})\s*(?:'|MINUTES?\b|MINS?\b\.?|M\b)"
    r"|(?P<hours>\d{1,2})\s*H(?:OURS?|RS?)?(?![A-Z])\.?\s*(?:AND\s*)?"
    r"(?:(?P<more>\d{1,2})(?![\d\"])(?!\s*S)\s*(?:'|MINUTES?\b|MINS?\b|M\b)?)?)"
    r"(?:\s*(?:/|X|FOR\b(?:\s*THE\b)?(?:\s*(?:FIRST|NEXT)\b)?)\s*(?P<moves>[2-6]\d)(?!\d)(?!\s*[S\"])"
    r"\s*(?:MM\b|MOVES?\b)?)?"
)
_BARE_NUMBER = r"(?P<number>\d{1,4})(?=\s*(?:$|[,;]))"
_UNIT = r"(?:SECONDS?\b|SECS?\b\.?|S\b|\")"
# A bare number before seconds that say what they are: 60;d5, 90 + 30 sec.
_BARE_MINUTES = (
    r"(?P<minutes>\d{1,4})(?=[\s;,]*(?:(?:D|TD|DEL\w*|INC\w*)[\s/:=.]*\d"
    rf"|\+\s*\d+\s*{_UNIT}|\d+[\s-]*{_UNIT}\s*(?:INC|DEL)))"
)
_NO_UNIT_OF_A_STAGE = r"(?!\d|\s*(?:'|M\b|MIN|H))"
_SECONDS = (
    r"(?:(?P<plus>\+|PLUS\b)|(?P<word>INCREMENT|INCR|INC|DELAY|DEL|TD|D|I))[.\s]*[/:=]?\s*(?P<seconds>\d+)"
    rf"{_NO_UNIT_OF_A_STAGE}\s*{_UNIT}?\s*(?P<after>DEL\w*|D\b)?"
)
_SECONDS_FIRST = rf"(?P<plus>\+|PLUS\b|/)?\s*(?P<seconds>\d+)[\s-]*{_UNIT}\s*(?P<word>INC\w*|DEL\w*)?"
_NO_DELAY = r"NO\s*(?:DELAY|INC(?:REMENT)?)"
_FILLER = (
    r"(?:[\s,;:.&()']|(?:PER|EACH|EVERY|A|/)\s*(?:MOVES?|PLAYER|SIDE)\b|(?:STARTING\s*)?FROM\s*(?:THE\s*)?(?:FIRST\s*MOVE|MOVE\s*(?:1|ONE))\b"
    r"|FOR\s*(?:THE\s*)?REST(?:\s*OF\s*THE\s*GAME)?\b|MINUTES?\b|MINS?\b|MOVES?\b|AND\b|THEN\b|WITH\b)*"
)
_BARE = r"(\d+)\s*\+\s*(\d+)"
# Between the controls of a schedule: "Round 1:", "Schedule 2 Round 1:", "in rounds 1-3, then".
_ROUNDS = (
    r"\(?(?:\d\W?DAY\s*)?(?:SCHEDULE\W*\d*\W*)?(?:(?:IN|FOR)\s*)?\b(?:ROUNDS?|RDS?)\s*\d+(?:\s*(?:-|TO|&|AND|THRU)\s*\d+)*"
    r"\s*[:)]?[\s,;]*(?:\bTHEN\b)?|\(\d\W?DAY\s*SCHEDULE\b"
)
_TIDY = str.maketrans(
    {"\\": "/", "\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{PRIME}": "'", "\N{RIGHT SINGLE QUOTATION MARK}": "'"}
    | dict.fromkeys(map(ord, "\N{DOUBLE PRIME}\N{RIGHT DOUBLE QUOTATION MARK}\N{LEFT DOUBLE QUOTATION MARK}"), '"')
)
_STORED = r"(?:G(?:AME)?[\s/]*|\d+/)\d+(?:\d+/\d+|[\d\s;,+]|SD/?|D/?)*"
_LONGEST_TEXT = 80
_LONGEST_MINUTES = 24 * 60
_MOST_HOURS = 3
_FEWEST_MINUTES = 60


def parse_time_control(text: str) -> TimeControl:
    """Read one time control; raises with the text where it cannot be understood."""
    tidy = text.strip().upper().translate(_TIDY).replace("''", '"')
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
        elif stages and (found := _match(_SECONDS_FIRST, tidy, at) or _match(_SECONDS, tidy, at)):
            extra.append((int(found["seconds"]), _is_increment(found)))
        elif found := _match(_STAGE, tidy, at):
            if stages and not stages[-1].moves and found[0].startswith("G"):  # G/20;d5, G/10;d5: of different rounds
                raise _unclear(text, f"G/{stages[-1].minutes}", f"G/{found['minutes']}")
            stages.append(_stage(found))
        elif (stages or tidy[at] != "+") and (found := _match(_MINUTES_FIRST, tidy, at)):
            stages.append(_announced_stage(found))
        elif not stages and (found := _match(_BARE_MINUTES, tidy, at)):
            stages.append(Stage(0, int(found["minutes"])))
        elif stages and (found := _match(_BARE_NUMBER, tidy, at)):
            stages.append(_last_stage(text, stages, int(found["number"])))
        else:
            raise _not_understood(text)
        at = _skip(tidy, found.end())
    if not extra:
        _refuse_moves_alone(text, stages)
    seconds, is_increment = extra[0] if extra else (-1, False)
    return _control(text, _hours_as_minutes(stages), seconds, is_increment=is_increment)


def _is_increment(found: re.Match[str]) -> bool:
    """Whether seconds are added to the clock: by the word, else by the plus."""
    groups = found.groupdict()
    word = groups.get("after") or groups["word"] or ""
    return word.startswith("I") if word else groups["plus"] not in (None, "/")


def _last_stage(text: str, stages: list[Stage], number: int) -> Stage:
    """A bare number at the end: the last stage of ``40/120, 60``; a small one may be seconds as well."""
    before = text.strip().rstrip(" .;,").removesuffix(str(number)).rstrip(" ;,")
    if not stages[-1].moves:
        raise _unclear(text, f"{before};d{number}", f"{before};+{number}")
    if number < _FEWEST_MINUTES:
        raise _unclear(text, f"{before},SD/{number}", f"{before};+{number}")
    return Stage(0, number)


def _refuse_moves_alone(text: str, stages: list[Stage]) -> None:
    """``25/5`` alone may be 25 moves in 5 minutes, or 25 minutes with 5 seconds."""
    if "move" not in text.lower() and len(stages) == 1 and _MOST_HOURS < stages[0].minutes <= stages[0].moves:
        moves, minutes = stages[0]
        raise _unclear(text, f"G/{moves};d{minutes}", f"{moves} moves in {minutes} minutes")


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


def _announced_stage(found: re.Match[str]) -> Stage:
    hours, more = int(found["hours"] or 0), int(found["more"] or 0)
    return Stage(int(found["moves"] or 0), int(found["minutes"] or 60 * hours + more))


def split_schedule(text: str) -> tuple[str, ...]:
    """The controls of a text that names them round by round.

    ``Round 1: G/45;d5, Round 2: G/60;d5`` or ``G/40;d10 in rounds 1-3, then 40/120,SD/30;d10``.
    """
    if "R" not in text.upper():
        return (text.strip(),)
    parts = re.split(_ROUNDS, text, flags=re.IGNORECASE | re.ASCII)
    return tuple(part.strip(" ,;()") for part in parts if part.strip(" ,;()")) if len(parts) > 1 else (text.strip(),)


def stored_spelling(text: str) -> str:
    """A control as US Chess stores it (``G/90;+30``, ``40/90,SD/30;d5``), where it is announced in another way.

    What stands in that notation already, with its blanks, stays as it is, as does what cannot be read.
    """
    try:
        control = parse_time_control(text)
    except TimeControlError:
        return text
    if re.fullmatch(_STORED, text, re.ASCII | re.IGNORECASE) or stages_disagree(control):
        return text
    stages = ",".join(
        f"{stage.moves}/{stage.minutes}" if stage.moves else f"{'SD' if at else 'G'}/{stage.minutes}"
        for at, stage in enumerate(control.stages)
    )
    return stages if control.seconds < 0 else f"{stages};{'+' if control.is_increment else 'd'}{control.seconds}"


def stages_disagree(control: TimeControl) -> bool:
    """Whether a control writes different delays for different stages; the first one counts (readings 15)."""
    if len(control.stages) < 2:
        return False
    tidy = control.text.upper().translate(_TIDY)
    found = re.finditer(r"(?<![A-Z])" + _SECONDS, tidy, re.ASCII)
    return len({match["seconds"] for match in found}) > 1


def _unclear(text: str, *meanings: str) -> TimeControlError:
    return TimeControlError(f"the time control {text.strip()!r} can be read as {' or as '.join(meanings)}; write which")


def _not_understood(text: str) -> TimeControlError:
    return TimeControlError(
        f"the time control {text.strip()!r} cannot be read; write it like G/60;d5, G/90;+30 or 40/90,SD/30;d5"
    )

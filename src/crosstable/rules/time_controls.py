"""Time controls: the one reader of them for all formats, and which rating systems each belongs to (§1, footnote 1).

Official notation is ``G/60;d5``, ``40/90,SD/30;d5``: ``G/`` for one sudden-death stage, ``moves/minutes`` for a stage
with a move count, ``SD/`` for the last stage, ``d`` for a delay and ``+`` or ``inc`` for an increment, in seconds
(official facts §5). Looser spellings are read where they can mean only one thing: ``G60 d/5``, ``G/30+5DELAY``,
``G150/5S``, ``GAME 100 + 30 SEC INCREMENT``, ``40/120, ALL/60``, minutes first as federations announce them (``90+30``,
``90'+30"``, ``60 min + 5 sec``, ``1h30+30s``, ``100'x40 + 15' + 30"``). What can mean two things is an error that names
both.

The ranges that separate the systems are data of the edition; here they are only applied. Dual rating exists over the
board only (readings 17): between ``regular_from`` and ``dual_to`` a section is rated Regular and Quick.
"""

import re
from collections.abc import Sequence

from crosstable.errors import TimeControlError
from crosstable.terms import RatingSystem, Stage, TimeControl
from crosstable.tuples import NamedTuple


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

# Before 2012 the main time alone decided; Blitz and dual rating came later (rules history §12).
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
    # The delay mattered by itself from 2008 to 2011 only, when it was not part of the total (rules history §12).
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
    # Exactly the limit is Blitz: the 2015 text names it under both, the others here (readings 14).
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
    # Online there is no dual rating (readings 17).
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
    # Without a count of moves minutes are minutes: G/3;+2 is Blitz.
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

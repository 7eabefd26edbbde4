"""The tournament lines of a TRF: name, dates, number of players and rounds, and what is kept to be written back."""

import re
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from crosstable.formats.dates import FIDE, read_day
from crosstable.formats.trf_lines import LONGEST_TEXT, Findings, Line
from crosstable.formats.trf_time import from_code, from_text
from crosstable.terms import SectionType

# record → the detail that keeps its text
KEPT: Mapping[str, str] = {
    "022": "city",
    "032": "federation",
    "092": "tournament_type",
    "102": "chief_arbiter",
    "122": "allotted_time",
    "152": "first_colour",
    "162": "points",
    "172": "ranking_method",
    "182": "program",
    "192": "tournament_type_code",
    "202": "tie_breaks",
    "212": "standings_tie_breaks",
    "222": "coded_time_control",
    "352": "board_colours",
    "362": "team_points",
}
# records that may stand several times; their texts are kept together, parted by semicolons
SEVERAL: Mapping[str, str] = {
    "112": "deputy_arbiters",
    "XXS": "javafo_points",
    "XXC": "javafo_settings",
    **dict.fromkeys(("BBW", "BBD", "BBL", "BBZ", "BBF", "BBU"), "bbp_points"),
}
READ = frozenset({"012", "042", "052", "062", "072", "082", "132", "142", "XXR"})
CODES = frozenset({*KEPT, *SEVERAL, *READ})
DATE_CODES = {"042": "start-not-read", "052": "end-not-read"}
NO_METHOD = "OTHER"  # what record 172 says after the federation where the ranking method is not known
FIRST_DATE = 92
_ROUND_ROBIN = re.compile(r"round[\s_-]*robin|berger", re.IGNORECASE)
_WHOLE = re.compile(r"[0-9]{1,9}")
_OF_TEAMS = frozenset({"352", "362"})


class Heading(NamedTuple):
    """What the tournament lines say; ``None`` where they say nothing."""

    name: str
    start: date | None
    end: date | None
    players: int | None
    rounds: int | None
    has_teams: bool | None
    kind: SectionType
    time_controls: tuple[str, ...]
    details: Mapping[str, str]


def read_heading(lines: list[Line], findings: Findings) -> Heading:
    """Read all tournament lines; a record that stands twice and says two things is a fault."""
    first: dict[str, Line] = {}
    several: dict[str, list[str]] = {}
    for line in lines:
        line = _shortened(line, findings)
        if line.code in SEVERAL:
            several.setdefault(SEVERAL[line.code], []).extend(_parts(line))
        elif first.setdefault(line.code, line).content != line.content:
            message = f"Record {line.code} already stands in line {first[line.code].number} and says something else."
            findings.report("bad-value", line.place, message, "Keep the one that is right.")
    details = {KEPT[code]: line.content for code, line in first.items() if code in KEPT}
    details |= {name: "; ".join(parts) for name, parts in several.items()}
    if details.get("ranking_method", "").endswith(f" {NO_METHOD}"):
        del details["ranking_method"]
    _check_code(first.get("222"), findings)
    rounds = _rounds(first, findings)
    details |= {"rounds": str(rounds or ""), "round_dates": _round_dates(first.get("132"), findings)}
    return Heading(
        name=first["012"].content if "012" in first else "",
        start=_day(first.get("042"), first.get("052"), findings),
        end=_day(first.get("052"), first.get("042"), findings),
        players=_whole(first.get("062"), findings),
        rounds=rounds,
        has_teams=_has_teams(first, findings),
        kind=kind_of(details),
        time_controls=time_controls_of(details),
        details={name: text for name, text in details.items() if text},
    )


def kind_of(details: Mapping[str, str]) -> SectionType:
    """How the section was run: a round robin where the type or its code says so, else a Swiss."""
    said = f"{details.get('tournament_type', '')} {details.get('tournament_type_code', '')}"
    return SectionType.ROUND_ROBIN if _ROUND_ROBIN.search(said) else SectionType.SWISS


def _parts(line: Line) -> list[str]:
    parts = [part.strip() for part in line.content.split(";") if part.strip()]
    return [f"{line.code} {' '.join(parts)}"] if parts and SEVERAL[line.code] == "bbp_points" else parts


def _shortened(line: Line, findings: Findings) -> Line:
    if line.code == "132" or len(line.content) <= LONGEST_TEXT:
        return line
    message = f"Record {line.code} has {len(line.content)} characters; at most {LONGEST_TEXT} are read."
    findings.report("bad-value", line.place, message, "Shorten it.")
    return line._replace(text=line.text[: 4 + LONGEST_TEXT])


def _whole(line: Line | None, findings: Findings) -> int | None:
    if line is None or not line.content:
        return None
    if not _WHOLE.fullmatch(line.content):
        findings.report("wrong-type", line.at(5, len(line.text), "number"), f"{line.content!r} is not a whole number.")
        return None
    return int(line.content)


def _rounds(first: Mapping[str, Line], findings: Findings) -> int | None:
    """The number of rounds, which record 142 gives and before it the pairing program JaVaFo's XXR."""
    official, extension = _whole(first.get("142"), findings), _whole(first.get("XXR"), findings)
    if official and extension and official != extension:
        message = f"Record XXR says {extension} rounds, record 142 says {official}."
        findings.report("bad-value", first["XXR"].place, message, "Keep the one that is right.")
    return official or extension


def _has_teams(first: Mapping[str, Line], findings: Findings) -> bool | None:
    teams = _whole(first.get("082"), findings)
    if teams is not None:
        return teams > 0
    return None if _OF_TEAMS.isdisjoint(first) else True


def _day(line: Line | None, other: Line | None, findings: Findings) -> date | None:
    """The date of a line; the other date of the tournament may settle whether the day or the month comes first."""
    if line is None or not line.content:
        return None
    try:
        return read_day(line.content, FIDE, like=other.content if other is not None else "")
    except ValueError as error:
        findings.report(DATE_CODES[line.code], line.at(5, len(line.text), "date"), str(error))
        return None


def _round_dates(line: Line | None, findings: Findings) -> str:
    """The dates of the rounds as YYYY-MM-DD, one after another, a dash where a round has none."""
    if line is None:
        return ""
    dates: list[str] = []
    for column in range(FIRST_DATE, len(line.text) + 1, 10):
        text = line.columns(column, column + 9)
        try:
            dates.append(read_day(text, FIDE).isoformat() if text else "-")
        except ValueError as error:
            place = line.at(column, column + 7, f"date of round {len(dates) + 1}")
            findings.report("bad-date", place, str(error), "Write it as YY/MM/DD.")
            dates.append("-")
    return " ".join(dates) if any(text != "-" for text in dates) else ""


def time_controls_of(details: Mapping[str, str]) -> tuple[str, ...]:
    """The time controls that the texts of records 222 and 122 give; the coded one stands before the announced."""
    control = from_code(details.get("coded_time_control", ""))
    return (control,) if control else from_text(details.get("allotted_time", ""))


def _check_code(line: Line | None, findings: Findings) -> None:
    if line is not None and line.content and not from_code(line.content):
        message = f"{line.content!r} is no time control in whole minutes that is the same for both sides."
        remedy = "Write it in seconds, like 5400+30 or 40/6000+30:900+30."
        findings.report("bad-value", line.at(5, len(line.text), "coded time control"), message, remedy)

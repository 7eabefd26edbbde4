"""What stands above a published crosstable: the event, its dates and directors, and the heading of each section.

The pages label each value (``Event Date(s)``, ``Chief TD`` …), on the line before it or on the same line.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from crosstable.formats.dates import iso_day
from crosstable.formats.json_fields import LONGEST_TEXT
from crosstable.rules.time_controls import split_schedule
from crosstable.terms import RatingSystem, ReportedSection, SectionType

SYSTEMS: Mapping[str, RatingSystem] = {
    "R": RatingSystem.OTBR,
    "Q": RatingSystem.OTBQ,
    "B": RatingSystem.OTBB,
    "OR": RatingSystem.OLR,
    "OQ": RatingSystem.OLQ,
    "OB": RatingSystem.OLB,
}
DUAL = (RatingSystem.OTBR, RatingSystem.OTBQ)
_LABELS: Mapping[str, str] = {
    "event": "event",
    "location": "location",
    "event date(s)": "dates",
    "section date(s)": "dates",
    "sponsoring affiliate": "affiliate",
    "organizer": "organizer",
    "chief td": "chief_td",
    "chief assist. td": "assistant_td",
    "chf. asst. td": "assistant_td",
    "assist. td": "other_tds",
    "asst. td": "other_tds",
    "other tds": "other_tds",
    "processed": "processed",
    "stats": "stats",
    "sections": "sections",
}
_LONGEST_LINE = 5000
_MOST_VALUES = 30
_SEPARATOR = re.compile(r"\t|\s{2,}|:\s")
_HEADING = re.compile(r"Section\s+(\d{1,3})\s+-\s+(.*)", re.ASCII)
_TITLE = re.compile(r"Cross ?[Tt]able for (.*?)\s*\(Event (\d{12})\)", re.ASCII)
_NAMED = re.compile(r"(.*?)\s*\((\d{12})\)", re.ASCII)
_SIZE = re.compile(r"\b(\d{1,3})\s+Rounds?,\s+(\d{1,5})\s+Players?\b", re.ASCII)
_SECTIONS = re.compile(r"\b(\d{1,3})\s+Section\(s\),", re.ASCII)
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b", re.ASCII)
_PROCESSED = re.compile(r"\b(Received|Entered|Re-Rated|Rated):\s*(\d{4}-\d{2}-\d{2})", re.ASCII)
_LOCATION = re.compile(r"(.*?),\s*([A-Z]{2})\b\s*(\d{5}(?:-\d{4})?)?\s*([A-Z]{2,3})?", re.ASCII)
_AFFILIATE = re.compile(r"\(([A-Z]\d{7})\)", re.ASCII)
_DIRECTOR = re.compile(r"\((\d{8})\)", re.ASCII)


class Size(NamedTuple):
    """How many rounds and players a section says that it has."""

    rounds: int
    players: int


class Header:
    """The labelled values above one table, or above all of them."""

    def __init__(self, number: int | None = None, name: str = "") -> None:
        self.number = number
        self.name = name
        self.size: Size | None = None
        self.sections: int | None = None
        self._values: dict[str, list[str]] = {}
        self._label = ""

    def take(self, line: str) -> None:
        """Take in one line of text."""
        tidy = " ".join(line[:_LONGEST_LINE].split())
        if not tidy:
            return
        if found := _SIZE.search(tidy):
            self.size = Size(int(found[1]), int(found[2]))
        if found := _SECTIONS.search(tidy):
            self.sections = int(found[1])
        for pattern, label in _CODES:
            if code := pattern.search(tidy):
                self._values[label] = [code[1].strip()]
        if found := _TITLE.search(tidy):
            self._values["title"] = [found[1], found[2]]
        label, rest = _labelled(line[:_LONGEST_LINE].strip(), tidy)
        if label:
            self._label = label
        values = self._values.setdefault(self._label, [])
        if rest and len(values) < _MOST_VALUES:
            values.append(rest)

    def code(self, label: str) -> str:
        """The one value of a label, or nothing."""
        values = self._values.get(label, [])
        return values[0][:LONGEST_TEXT] if values and values[0].isprintable() else ""

    def identity(self) -> tuple[str, str]:
        """The event's id and name."""
        title = self._values.get("title", ["", ""])
        found = _NAMED.fullmatch(self.code("event"))
        name, event_id = (found[1], found[2]) if found else (self.code("event") or title[0], title[1])
        return event_id, name if name.isprintable() else ""

    def days(self) -> tuple[date | None, date | None]:
        """First and last day; one day alone is both."""
        days = [iso_day(text) for text in _DAY.findall(" ".join(self._values.get("dates", [])))]
        return (days[0], days[-1]) if days else (None, None)

    def details(self) -> dict[str, str]:
        """What rating does not need, under the names that all formats use."""
        details: dict[str, str] = {}
        place = _LOCATION.fullmatch(self.code("location"))
        if place is not None:
            details |= dict(zip(("city", "state", "zip", "country"), place.groups(default=""), strict=True))
        details["affiliate"] = ",".join(_AFFILIATE.findall(" ".join(self._values.get("affiliate", [])))[:1])
        for label in ("chief_td", "assistant_td", "other_tds"):
            details[label] = ",".join(_DIRECTOR.findall(" ".join(self._values.get(label, []))))
        details |= processed_days(" ".join(self._values.get("processed", [])))
        return {name: text[:LONGEST_TEXT] for name, text in details.items() if text}


_CODES = (
    (re.compile(r"\bK Factor:\s*([A-Z])\b", re.ASCII), "k_factor"),
    (re.compile(r"\bRating Sys:\s*([A-Z]{1,2})\b", re.ASCII), "system_code"),
    (re.compile(r"\bTnmt Type:\s*([A-Z0-9])\b", re.ASCII), "type_code"),
    (re.compile(r"\bTime Control:\s*(\S.*)", re.ASCII), "time_control"),
    (re.compile(r"\bRating Sys:\s*[A-Z]{1,2}\s*\((FIDE) Rated\)", re.ASCII), "fide"),
)


def processed_days(text: str) -> dict[str, str]:
    """The days on which a section was received, entered, rated and last re-rated; whether it was corrected since."""
    details: dict[str, str] = {}
    for name, day in _PROCESSED.findall(text):
        key = name.lower().replace("-", "_")
        details[key] = max(day, details.get(key, ""))
    return details | ({"corrected_since": "Y"} if "correction has been made" in text else {})


def _labelled(line: str, tidy: str) -> tuple[str, str]:
    """The label of a line and what follows it, or no label and the whole line."""
    if label := _LABELS.get(tidy.lower().rstrip(":")):
        return label, ""
    head, *rest = _SEPARATOR.split(line, maxsplit=1)
    label = _LABELS.get(" ".join(head.lower().split()), "")
    return (label, " ".join(rest[0].split())) if label and rest else ("", tidy)


def states_size(line: str) -> bool:
    """Whether a line says how many rounds and players a section has."""
    return _SIZE.search(line[:_LONGEST_LINE]) is not None


def heading(line: str) -> Header | None:
    """The header that a line like ``Section 2 - RESERVE`` opens, or ``None``."""
    found = _HEADING.fullmatch(line.strip()[:LONGEST_TEXT])
    if found is None:
        return None
    name = " ".join(found[2].split())
    return Header(int(found[1]), name if name.isprintable() and name != "(unnamed)" else "")


def described(section: ReportedSection, header: Header) -> ReportedSection:
    """A section with everything its header says of it."""
    code, kind = header.code("system_code"), header.code("type_code")
    start, end = header.days()
    details = header.details() | {
        "system_code": code,
        "type_code": kind,
        "k_factor": header.code("k_factor"),
        "rounds": str(header.size.rounds) if header.size else "",
        "fide": "Y" if header.code("fide") else "",
    }
    control = header.code("time_control")
    return section._replace(
        number=header.number or section.number,
        name=header.name,
        kind=_kind(kind, len(section.players)),
        is_online=code in ("OR", "OQ", "OB"),
        time_controls=split_schedule(control) if control else (),
        systems=DUAL if code == "D" else tuple(system for name, system in SYSTEMS.items() if name == code),
        start=start,
        end=end,
        is_half_k=header.code("k_factor") == "H",
        details={name: text for name, text in details.items() if text},
    )


def _kind(code: str, players: int) -> SectionType:
    """Type R is a round robin, M a match; a team match stands as one section of type M with many players."""
    if code == "R":
        return SectionType.ROUND_ROBIN
    return SectionType.MATCH if code == "M" and players == 2 else SectionType.SWISS

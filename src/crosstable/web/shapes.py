"""Shapes that several views share: a rating as it is shown, a place in the record, an act."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from crosstable.app.templating import SYSTEM_NAMES as SYSTEM_NAMES
from crosstable.explanation.words import FLOOR_NAMES
from crosstable.formulas.outcome import Level
from crosstable.office.public import PublicEntry, Shown
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.terms import FloorKind
from crosstable.web.reading import Snapshot

LETTERS = ("R", "Q", "B", "OR", "OQ", "OB")


class Rating(BaseModel):
    """A rating as crosstables print it (``text``), with its number."""

    text: str
    rating: float
    games: float | None
    provisional: bool


def rating_of(shown: Shown | None) -> Rating | None:
    """A rating as it is shown; nothing for no rating."""
    if shown is None:
        return None
    return Rating(text=shown.text, rating=shown.rating, games=shown.games, provisional=shown.is_provisional)


def change_of(before: Rating | None, after: Rating | None) -> float | None:
    """By how much a rating moved; nothing where there was none before or is none after."""
    if before is None or after is None:
        return None
    return round(after.rating - before.rating, 4)


class Place(BaseModel):
    """A section of an event, by its numbers and in words."""

    event: str
    section: int
    name: str


def place_of(read: Snapshot, event_id: str, number: int) -> Place:
    """A section in words."""
    return Place(event=event_id, section=number, name=read.section_name(event_id, number))


class Floor(BaseModel):
    """A floor: its level, its kind, and why there is one."""

    level: float
    kind: str
    name: str
    why: str


def floor_of(level: Level | None) -> Floor | None:
    """A floor in words."""
    if level is None:
        return None
    why = _WHY[level.kind].format(**_figures(EDITIONS[-1].constants))
    return Floor(level=level.level, kind=level.kind.name.lower(), name=FLOOR_NAMES[level.kind], why=why)


def _figures(constants: Constants) -> dict[str, str]:
    names = (
        *("absolute_floor", "personal_per_win", "personal_per_draw", "personal_per_event", "personal_event_games"),
        *("personal_floor_top", "peak_drop", "life_master_level"),
    )
    return {name: f"{getattr(constants, name):g}" for name in names}


_WHY: Mapping[FloorKind, str] = {
    FloorKind.ABSOLUTE: "No rating goes below {absolute_floor} (§5).",
    FloorKind.PERSONAL: "{absolute_floor} points, and {personal_per_win} for each win, {personal_per_draw} for each "
    "draw and {personal_per_event} for each section of {personal_event_games} games or more, up to "
    "{personal_floor_top} (§5).",
    FloorKind.PEAK: "The highest established rating, less {peak_drop} points, down to a full hundred (§5).",
    FloorKind.LIFE_MASTER: "Original Life Masters do not fall below {life_master_level} (§5).",
    FloorKind.MONEY: "A large prize in a section with a rating limit was won (§5).",
    FloorKind.OFFICE: "The ratings office set it.",
}


class JournalEntryShape(BaseModel):
    """A journal entry of the office: who did what, when and why."""

    act: int
    at: str
    kind: str
    actor: str
    reason: str
    about: str
    words: str
    said: dict[str, Any]


def act_of(act: PublicEntry) -> JournalEntryShape:
    """An act as the log has it."""
    return JournalEntryShape(
        act=act.seq,
        at=act.at.isoformat(),
        kind=act.kind,
        actor=act.actor,
        reason=act.reason,
        about=act.subject,
        words=act_words(act),
        said=dict(act.said),
    )


def act_words(act: PublicEntry) -> str:
    """What an act did, in a few words."""
    if act.kind == "members":
        return _members(act.said)
    words = _DEEDS.get(act.kind, act.kind)
    if act.kind == "correct" and act.said.get("requested"):
        words = "asked for a correction of event {about}"
    if act.kind == "confirm" and act.said.get("withdrawn"):
        both = "confirmed and withdrew" if act.said.get("sections") else "withdrew"
        words = f"{both} sections of event {{about}}, as it was asked for"
    sections = act.said.get("sections", 0)
    return words.format(
        about=act.subject,
        member=act.said.get("member", act.subject),
        into=act.said.get("into", ""),
        what=str(act.said.get("kind", "")).replace("_", " "),
        sections=_number(sections if isinstance(sections, int) else len(sections), "section"),
    )


_DEEDS = {
    "founded": "founded the office",
    "opening": "recorded an opening standing",
    "merge": "merged member {member} into {into}",
    "unmerge": "took back the merge of {member} with {into}",
    "submit": "submitted event {about}, {sections}",
    "import": "imported an archive",
    "confirm": "confirmed sections of event {about}",
    "correct": "corrected event {about}",
    "withdraw": "withdrew sections of event {about}",
    "decide": "decided: {what}",
    "rate": "rated {sections}",
    "publish": "published the list of {about}",
    "settings": "changed a setting of the office",
    "upgrade": "upgraded the office",
    "clock": "said that the clock is right",
    "erase": "erased personal values",
}


def _members(said: Mapping[str, Any]) -> str:
    parts = [f"{said[name]} {word}" for name, word in (("new", "new"), ("changed", "changed")) if said.get(name)]
    return f"members: {', '.join(parts)}" if parts else "changed a member's particulars"


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

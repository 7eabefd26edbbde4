"""Findings: how one says where it is, and those that a director has looked at and accepts.

A place is in a director's words, then in brackets where the file has it: ``section 2, player 7 (Smith, J), round 3
[TDEXPORT.DBF, record 12]``. A code is accepted with a reason, which is kept with the result.
"""

import re
from collections.abc import Iterable, Mapping

from crosstable.errors import AcceptanceError, Fault, Severity
from crosstable.terms import ReportedPlayer, ReportedSection
from crosstable.tuples import NamedTuple

LONGEST_NAME = 40
_IN_FILE = re.compile(r"(?P<words>.*?) \[[^][]*(?:\[\d+\][^][]*)*\]$", re.DOTALL)


class SectionPlace(NamedTuple):
    """A section as a director calls it, and where in the file it stands."""

    words: str
    file: str

    @property
    def whole(self) -> str:
        """The place of the section."""
        return in_file(self.words, self.file)

    def row(self, player: ReportedPlayer, at: int = 0) -> str:
        """The place of a player; a row without a number is counted from the top."""
        who = f"row {at + 1}" if player.number is None else player_words(player.number, player.name)
        return in_file(f"{self.words}, {who}", player.place)

    def cell(self, player: ReportedPlayer, at: int) -> str:
        """The place of a player's cell; ``at`` counts rounds from 0."""
        who = "row without a number" if player.number is None else player_words(player.number, player.name)
        return in_file(f"{self.words}, {who}, round {at + 1}", player.place)


class Accepted(NamedTuple):
    """A warning, or a finding to confirm, that was accepted, and why."""

    fault: Fault
    reason: str


def section_place(section: ReportedSection, at: int) -> SectionPlace:
    """The place of a section: called by its number, or by where it stands, which ``at`` counts from 0."""
    return SectionPlace(f"section {section_number(section, at)}", section.place)


def section_number(section: ReportedSection, at: int) -> int:
    """The number of a section, or where it stands if it has none."""
    return at + 1 if section.number is None else section.number


def player_words(number: int, name: str) -> str:
    """A player by number and name."""
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return f"player {number} ({short})" if short else f"player {number}"


def words_of(place: str) -> str:
    """A place in words, without where the file has it."""
    found = _IN_FILE.fullmatch(place)
    return found["words"] if found else place


def in_file(words: str, file: str) -> str:
    """Words, and where the file has what they are about, if that is known."""
    return f"{words} [{file}]" if file else words


def accept(faults: Iterable[Fault], accepted: Mapping[str, str]) -> tuple[list[Fault], list[Accepted]]:
    """The faults that are left, and those whose code is accepted; ``accepted`` gives the reason of each code.

    Raises ``AcceptanceError`` for a code that is not known, that is an error, or that has no reason.
    """
    reasons = {code.strip(): reason.strip() for code, reason in accepted.items()}
    for code, reason in reasons.items():
        _check_code(code, reason)
    left = []
    kept = []
    for found in faults:
        if found.code in reasons and found.severity is not Severity.ERROR:
            kept.append(Accepted(found, reasons[found.code]))
        else:
            left.append(found)
    return left, kept


def _check_code(code: str, reason: str) -> None:
    from crosstable.catalogue import CATALOGUE

    kind = CATALOGUE.get(code)
    if kind is None:
        raise AcceptanceError(f"there is no check {code!r}; did you mean {_nearest(code, CATALOGUE)}?")
    if kind.severity is Severity.ERROR:
        raise AcceptanceError(f"{code} is an error, which cannot be accepted. {kind.remedy}")
    if not reason:
        raise AcceptanceError(f"{code} is accepted only with a reason: {code}=the reason in a few words")


def _nearest(code: str, codes: Iterable[str]) -> str:
    from difflib import get_close_matches

    (near,) = get_close_matches(code.lower(), list(codes), n=1, cutoff=0.0)
    return near

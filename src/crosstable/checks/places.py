"""How a fault says where it is: in a director's words, then in brackets where the file has it.

``section 2, player 7 (Smith, J), round 3 [TDEXPORT.DBF, record 12]``
"""

import re

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

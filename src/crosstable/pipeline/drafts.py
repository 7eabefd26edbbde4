"""Drafts of the workbench: where a finding stands in one, and where its ratings come from."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

from crosstable.checks import CheckedSection
from crosstable.checks.findings import section_number, section_place
from crosstable.checks.players import are_alike, membership_faults, odd_ones_out
from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats.event_json import read_cell
from crosstable.formats.members import MembersFile
from crosstable.formats.members import read as read_members
from crosstable.formats.rating_lists import is_list, opened
from crosstable.notation import read_rating
from crosstable.pipeline.rating import RatedEvent, RatingSource
from crosstable.pipeline.reading import all_unrated, members_faults, ratings_not_given, with_members
from crosstable.terms import (
    MIRRORED,
    Background,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
)

NOT_TAKEN = "The office's rating is not taken for this row. Choose the member, or say that this is the player."
Draft = Mapping[str, Any]


class Named(Protocol):
    """Somebody with a name."""

    @property
    def name(self) -> str:
        """The name."""


class OfficeSource(RatingSource, Protocol):
    """What an office knows of the players of a report."""

    @property
    def people(self) -> Mapping[str, Named]:
        """The members it knows, by id."""

    def of_event(self, report: Report) -> Sequence[Fault]:
        """What only the office finds about the report as a whole."""

    def looked_at(self, event: RatedEvent) -> RatedEvent:
        """The event with what waits because of the ratings that it would give."""


class Sources:
    """Where the ratings of a draft come from: by hand, from lists, from an office, from the file; the first known."""

    def __init__(
        self,
        draft: Draft,
        report: Report,
        hands: Mapping[tuple[int, int], str],
        office: OfficeSource | None,
    ) -> None:
        self.hands, self.office = hands, office
        self.confirmed = frozenset(map(str, draft.get("names", ())))
        self.takes_fide = bool(draft.get("ratings", {}).get("pairing", True))
        ids = {player.member_id for section in report.sections for player in section.players if player.member_id}
        self.unread: list[Fault] = []
        self.lists: list[MembersFile] = []
        for one in draft.get("members", ()):
            try:
                self.lists.append(members_of(one, ids))
            except FormatError as error:
                self.unread.append(error.fault)
        self.names = {member: name for one in self.lists for member, name in one.names.items()}
        self.until = {
            member: details.member_until
            for one in self.lists
            for member, details in one.details.items()
            if details.member_until
        }
        self.known = frozenset(member for one in self.lists for member in one.backgrounds)
        by_office = frozenset(office.people) if office else frozenset()
        self.chained = self.waiting = (self.known | by_office) & ids

    def named(self, name: str) -> list[tuple[str, str]]:
        """The members of the lists who have every word of a name."""
        words = set(re.findall(r"\w+", name.casefold()))
        return [
            (member, known)
            for member, known in self.names.items()
            if words and words <= set(re.findall(r"\w+", known.casefold()))
        ]

    def filled(self, report: Report) -> Report:
        """The report whose players bring what is known of them, each with where it is from."""
        if self.office is not None:
            report = self._merged(report, self.office.filled(report), self.office.people)
        for one in self.lists:
            report = with_members(report, one.backgrounds, one.name)
        sections = []
        for at, section in enumerate(report.sections):
            rows = enumerate(section.players)
            players = tuple(_by_hand(player, section, self.hands.get((at, row), "")) for row, player in rows)
            sections.append(section._replace(players=players))
        return report._replace(sections=tuple(sections))

    def faults(
        self, report: Report, at: int, checked: CheckedSection | None, found: Sequence[Fault]
    ) -> Sequence[Fault]:
        """The findings about a section, and those about where its ratings come from."""
        section = report.sections[at]
        place = section_place(section, at)
        told = [*found, *(ratings_not_given(report, at, takes_fide=self.takes_fide) or all_unrated(report, at))]
        told += membership_faults(section, place, self.until, section.end or report.end)
        told += odd_ones_out(section, place)
        if self.lists:
            told += members_faults(report, at, self.names, self.known)
        if self.office is not None:
            number, rows = section_number(section, at), enumerate(section.players)
            own = {place.row(player, row) for row, player in rows if self._is_confirmed(player, number)}
            others = [one for one in self.office.faults(report, at, checked, ()) if one.code == "other-name"]
            told += [one._replace(remedy=NOT_TAKEN) for one in others if one.place not in own]
        for (of, row), text in self.hands.items():
            if of == at:
                told += _hand_faults(place.row(section.players[row], row), text)
        return [*told, *(self.unread if at == 0 else ())]

    def _merged(self, report: Report, known: Report, people: Mapping[str, Named]) -> Report:
        """The report with what an office knows of its members; of everybody else it keeps what the file says."""
        sections = []
        for at, (own, theirs) in enumerate(zip(report.sections, known.sections, strict=True)):
            number = section_number(own, at)
            players = tuple(
                other._replace(member_id=player.member_id)
                if _says(other) and self._is_member(player, number, people)
                else player
                for player, other in zip(own.players, theirs.players, strict=True)
            )
            sections.append(own._replace(players=players))
        return report._replace(sections=tuple(sections))

    def _is_member(self, player: ReportedPlayer, section: int, people: Mapping[str, Named]) -> bool:
        """Whether a row is the member whom an office knows by its id: their names are alike, or somebody said so."""
        person = people.get(player.member_id)
        return person is not None and (are_alike(player.name, person.name) or self._is_confirmed(player, section))

    def _is_confirmed(self, player: ReportedPlayer, section: int) -> bool:
        return f"{section}:{player.number}" in self.confirmed


Path = tuple[str | int, ...]
Change = tuple[Path, Any]
_IN_FILE = re.compile(r"sections\[(\d+)\](?:\.players\[(\d+)\])?(?:\.rounds\[(\d+)\])?")
_ROUND = re.compile(r", round (\d+)(?: \[[^][]*(?:\[\d+\][^][]*)*\])?$")
_SECTION = re.compile(r"section (\d+)")


class Spot(NamedTuple):
    """A place of the draft, counted from 0: a section, a row of it, a round of the row."""

    section: int
    row: int | None
    round: int | None


class Fix(NamedTuple):
    """What a button says and what it changes; ``is_single``: it is said of one finding at a time, never of many."""

    label: str
    changes: tuple[Change, ...]
    is_single: bool = False


class Affiliate(NamedTuple):
    """An affiliate by its id and, where that is known, its name."""

    affiliate_id: str = ""
    name: str = ""


class Neighbors(NamedTuple):
    """The event of a draft, who is called like a name (ids and names), the day and the affiliate of whoever asks."""

    event: Mapping[str, Any]
    find: Callable[[str], Sequence[tuple[str, str]]]
    today: date
    own: Affiliate = Affiliate()

    def section(self, spot: Spot) -> Mapping[str, Any]:
        """The section of a place."""
        found: Mapping[str, Any] = self.event["sections"][spot.section]
        return found

    def player(self, spot: Spot) -> Mapping[str, Any]:
        """The row of a place."""
        found: Mapping[str, Any] = self.section(spot)["players"][spot.row]
        return found

    def cell(self, spot: Spot) -> ReportedCell:
        """The cell of a place; one that is not there is blank."""
        rounds = self.player(spot).get("rounds", [])
        text = rounds[spot.round] if spot.round is not None and spot.round < len(rounds) else ""
        return read_cell(text if isinstance(text, str) else "")

    def row_of(self, spot: Spot, number: int) -> Spot | None:
        """The cell of another player in the same round."""
        for row, player in enumerate(self.section(spot)["players"]):
            if player.get("number") == number:
                return spot._replace(row=row)
        return None

    def naming(self, spot: Spot) -> Iterator[tuple[Spot, ReportedCell]]:
        """The games of other rows in the same round that name the player of this one."""
        number = self.player(spot).get("number")
        for row in range(len(self.section(spot)["players"])):
            other = spot._replace(row=row)
            cell = self.cell(other)
            if row != spot.row and cell.result in MIRRORED and cell.opponent == number:
                yield other, cell


def _says(player: ReportedPlayer) -> bool:
    return bool(player.background.standings)


def _by_hand(player: ReportedPlayer, section: ReportedSection, text: str) -> ReportedPlayer:
    """The player with a rating that was written by hand in every system that the section may be rated in."""
    if not text or _hand_faults("", text):
        return player
    written_rating = read_rating(text)
    systems = section.systems or [one for one in RatingSystem if one.is_online == section.is_online]
    standings: dict[RatingSystem, PlayerRating] = {}
    if written_rating.rating is not None:
        standings = dict.fromkeys(systems, PlayerRating(written_rating.rating, written_rating.games))
    own = player.background
    background = Background(
        standings, own.fide, own.cfc, own.birth_date, own.adult, origin="by hand", birth_year=own.birth_year
    )
    return player._replace(background=background, pairing_rating=None)


def _hand_faults(place: str, text: str) -> list[Fault]:
    try:
        read_rating(text)
    except ValueError as error:
        return [fault("bad-value", place, str(error))]
    return []


def members_of(given: Mapping[str, str], ids: Iterable[str]) -> MembersFile:
    """A members file or rating list from its text; raises ``FormatError`` where it is neither."""
    name, data = os.path.basename(given["name"]) or "members", given["text"].encode("utf-8", "replace")
    if not is_list(data, name):
        return read_members(data, name)
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, re.sub(r"[^\w.-]", "_", name) or "list")
        with open(path, "wb") as file:
            file.write(data)
        return opened(path).of(sorted(set(ids)))._replace(name=name)


def spot_of(place: str, report: Report) -> Spot | None:
    """Which section, row and round of the draft a place names, each counted from 0."""
    within = _IN_FILE.search(place.rpartition(" [")[2] if " [sections[" in place else place)
    if within is None:
        named = _SECTION.match(place)
        numbers = {section_number(one, at): at for at, one in enumerate(report.sections)}
        at = numbers.get(int(named[1])) if named else None
        return None if at is None else Spot(at, None, None)
    section, row, cell = (None if part is None else int(part) for part in within.groups())
    round_number = _ROUND.search(place)
    if section is None or section >= len(report.sections):
        return None
    if row is not None and row >= len(report.sections[section].players):
        return None
    return Spot(section, row, int(round_number[1]) - 1 if round_number else cell)

"""An office as anybody may see it: members, histories, sections, explanations, log and rating changes."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection

from crosstable.engine import RatedSection
from crosstable.errors import OfficeError
from crosstable.explanation import Line
from crosstable.formulas.outcome import Level
from crosstable.office.ledger.backgrounds import postings_of_member
from crosstable.office.ledger.facts import Heading, Record
from crosstable.office.ledger.journal import act_of
from crosstable.office.ledger.postings import Posting
from crosstable.office.public import (
    PublicChange,
    PublicEntry,
    PublicPosting,
    PublicRow,
    Shown,
    public_act,
    public_lines,
    public_posting,
    public_ripple,
    public_rows,
    shown,
)
from crosstable.office.settings import UNCERTAINTY, is_on, public_places
from crosstable.office.titles import Title, titles_of
from crosstable.office.views import KnownOn, history, known, log, member_view, rated_section, ripple
from crosstable.terms import FloorKind, RatingSystem


class PublicSystem(NamedTuple):
    """A member in one system: the live rating, and the one of the newest list with its month."""

    system: RatingSystem
    live: Shown
    official: Shown | None
    month: str | None
    floor: Level | None = None


class PublicMember(NamedTuple):
    """A member without anything that only the office needs to know."""

    member_id: str
    other_ids: tuple[str, ...]
    name: str
    state: str
    fide_id: str
    systems: tuple[PublicSystem, ...]
    titles: tuple[Title, ...]


class PublicHistoryLine(NamedTuple):
    """One posting of a member with the names of its event and section."""

    posting: PublicPosting
    event_name: str
    section_name: str


class PublicSection(NamedTuple):
    """A section in one system."""

    event_id: str
    number: int
    name: str
    system: RatingSystem
    edition: str
    rows: tuple[PublicRow, ...]


class PublicOffice:
    """What anybody may ask of an office, as known now or on a past day.

    ``record`` is the record as the newest run knew it, ``places`` how many decimals of a rating are public;
    ``has_uncertainty`` says whether the ± of Regular ratings is.
    """

    def __init__(self, connection: Connection, known_on: KnownOn = None) -> None:
        self._connection = connection
        self._known_on = known_on
        self._newest, self.run = known(connection, known_on)
        self.record = Record(connection, self.run)
        self.places = public_places(connection, self._newest.through)
        self.has_uncertainty = is_on(connection, UNCERTAINTY, self._newest.through)

    def member(self, member_id: str) -> PublicMember:
        """A member and their ratings."""
        view = member_view(self._connection, member_id, self._known_on)
        systems = []
        for one in view.systems:
            live = self._posting(one.last).after
            assert live is not None
            official = None if one.official is None else shown(float(one.official.rating), one.official.games)
            floor = None if one.floor.kind is FloorKind.NONE else one.floor
            systems.append(PublicSystem(one.system, live, official, one.official and one.official.month, floor))
        person = view.person
        titles = tuple(titles_of(self._connection, member_id, self._known_on))
        return PublicMember(
            view.member_id, view.other_ids, person.name, person.state, person.fide_id, tuple(systems), titles
        )

    def history(self, member_id: str) -> list[PublicHistoryLine]:
        """Everything that moved a member's ratings."""
        return [
            PublicHistoryLine(self._posting(line.posting), line.event_name, line.section_name)
            for line in history(self._connection, member_id, self._known_on)
        ]

    def postings(self, member_id: str) -> list[PublicPosting]:
        """The same without names, for who knows them already."""
        root = self._newest.one_id(member_id)
        return [self._posting(posting) for posting in postings_of_member(self._connection, root, self.run)]

    def _posting(self, posting: Posting) -> PublicPosting:
        return public_posting(posting, self.places)

    def rated(self, heading: Heading) -> tuple[RatedSection, ...]:
        """A section as it is rated, in each of its systems."""
        return rated_section(self.record, self.run, heading)

    def section(self, event_id: str, number: int) -> list[PublicSection]:
        """A section, in each system that it is rated in."""
        heading = self.record.heading(event_id, number)
        if heading is None:
            raise OfficeError(f"event {event_id} has no section {number}")
        return [
            PublicSection(
                event_id, number, heading.name, rated.system, rated.edition.name, public_rows(rated, self.places)
            )
            for rated in self.rated(heading)
        ]

    def explain(self, event_id: str, number: int, player: int) -> dict[RatingSystem, tuple[Line, ...]]:
        """The calculation of one row of a section, in each system; raises ``KeyError`` where there is no such row."""
        heading = self.record.heading(event_id, number)
        rated = () if heading is None else self.rated(heading)
        if not rated:
            raise OfficeError(f"event {event_id} has no rated section {number}")
        return {one.system: public_lines(one, player, self.places) for one in rated}

    def log(self) -> list[PublicEntry]:
        """The acts of the office, oldest first."""
        return [public_act(act) for act in log(self._connection, self._known_on)]

    def acts(self, numbers: Iterable[int]) -> list[PublicEntry]:
        """Some journal entries, oldest first."""
        found = (act_of(self._connection, number) for number in sorted(numbers))
        return [public_act(act) for act in found if act is not None]

    def ripple(self, run: int) -> list[PublicChange]:
        """What a run did to whom."""
        return [public_ripple(row, self.places) for row in ripple(self._connection, run)]

"""An office as anybody may see it: members, histories, sections, explanations, log, ripples, each in its public form.

Making a ``PublicOffice`` walks the record once, to find what hangs on birth dates; a door makes one per run and keeps
it.
"""

from typing import NamedTuple

from sqlalchemy import Connection, func, select

from crosstable.errors import OfficeError
from crosstable.explain import Line
from crosstable.formulas.floors import Level
from crosstable.office import tables
from crosstable.office.ledger.chains import Chains
from crosstable.office.ledger.facts import State
from crosstable.office.ledger.fold import Progress, in_silence
from crosstable.office.ledger.postings import Posting
from crosstable.office.public import (
    PublicAct,
    PublicPosting,
    PublicRipple,
    PublicRow,
    Shown,
    public_act,
    public_lines,
    public_posting,
    public_ripple,
    public_rows,
    shown,
)
from crosstable.office.supplements import Basis, supplements
from crosstable.office.titles import Title, titles_of
from crosstable.office.veiled_record import RecordVeils, spans_on_list
from crosstable.office.veils import Spans
from crosstable.office.views import KnownOn, OfficialRating, history, known, log, member_view, ripple
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
    is_clear: bool
    rows: tuple[PublicRow, ...]


class PublicOffice:
    """What anybody may ask of an office, as known now or on a past day."""

    def __init__(
        self,
        connection: Connection,
        known_on: KnownOn = None,
        progress: Progress = in_silence,
        *,
        veils: RecordVeils | None = None,
        lists: dict[str, Spans] | None = None,
    ) -> None:
        """Find out what is hidden; ``progress`` is told how many steps of the record are done.

        ``veils`` of the same run, and what is hidden on ``lists``, may be handed on: neither ever changes.
        """
        self._connection = connection
        self._known_on = known_on
        self._record, self._run = known(connection, known_on)
        self.run = self._run
        self.veils = RecordVeils(connection, self._run, progress) if veils is None else veils
        self._lists: dict[str, Spans] = {} if lists is None else lists

    def member(self, member_id: str) -> PublicMember:
        """A member and his ratings."""
        view = member_view(self._connection, member_id, self._known_on)
        systems = []
        for one in view.systems:
            live = self._posting(one.last).after
            assert live is not None
            official = self._official(view.member_id, one.system, one.official)
            floor = None if live.between is not None or one.floor.kind is FloorKind.NONE else one.floor
            systems.append(PublicSystem(one.system, live, official, one.official and one.official.month, floor))
        person = view.person
        titles = tuple(titles_of(self._connection, member_id, self._known_on))
        return PublicMember(
            view.member_id, view.other_ids, person.name, person.state, person.fide_id, tuple(systems), titles
        )

    def _official(self, member_id: str, system: RatingSystem, listed: OfficialRating | None) -> Shown | None:
        if listed is None:
            return None
        span = self.hidden_on_list(listed.month).get((member_id, system))
        return shown(float(listed.rating), listed.games, span, is_clear=False)

    def hidden_on_list(self, month: str) -> Spans:
        """The ratings of a published list that are hidden; found once."""
        found = self._lists.get(month)  # whoever keeps them may forget one meanwhile
        if found is None:
            supplement = next(one for one in supplements(self._connection) if one.month == month)
            if supplement.run == self._run and supplement.basis is not Basis.PLAYED:
                found = self.veils.spans_by(None)
            else:
                found = spans_on_list(self._connection, supplement)
            self._lists[month] = found
        return found

    def history(self, member_id: str) -> list[PublicHistoryLine]:
        """Everything that moved a member's ratings."""
        return [
            PublicHistoryLine(self._posting(line.posting), line.event_name, line.section_name)
            for line in history(self._connection, member_id, self._known_on)
        ]

    def postings(self, member_id: str) -> list[PublicPosting]:
        """The same without names, for who knows them already."""
        root = self._record.one_id(member_id)
        chains = Chains(self._connection, self._run)
        chains.load([root])
        return [self._posting(posting) for posting in chains.postings(root)]

    def _posting(self, posting: Posting) -> PublicPosting:
        return public_posting(posting, self.veils.hidden(posting))

    def section(self, event_id: str, number: int) -> list[PublicSection]:
        """A section, in each system that it is rated in."""
        heading = self.veils.record.heading(event_id, number)
        if heading is None:
            raise OfficeError(f"event {event_id} has no section {number}")
        if heading.state is not State.ACCEPTED:
            return []
        return [
            PublicSection(
                event_id,
                number,
                heading.name,
                rated.system,
                rated.edition.name,
                veil.is_clear,
                public_rows(rated, veil),
            )
            for rated, veil in self.veils.rated(heading)
        ]

    def explain(self, event_id: str, number: int, player: int) -> dict[RatingSystem, tuple[Line, ...]]:
        """The calculation of one row of a section, in each system; raises ``KeyError`` where there is no such row."""
        heading = self.veils.record.heading(event_id, number)
        if heading is None or heading.state is not State.ACCEPTED:
            raise OfficeError(f"event {event_id} has no rated section {number}")
        return {rated.system: public_lines(rated, player, veil) for rated, veil in self.veils.rated(heading)}

    def log(self) -> list[PublicAct]:
        """The acts of the office, oldest first."""
        return [public_act(act) for act in log(self._connection, self._known_on)]

    def ripple(self, run: int, earlier: RecordVeils | None = None) -> list[PublicRipple]:
        """What a run did to whom; the veils of the run before it are found unless they are given."""
        if earlier is None:
            table = tables.run
            query = select(func.max(table.c.act)).where(table.c.act < run)
            earlier = RecordVeils(self._connection, self._connection.execute(query).scalar() or 0)
        later = self.veils if run == self._run else RecordVeils(self._connection, run)
        return [
            public_ripple(row, earlier.span_of(row.member_id, row.system), later.span_of(row.member_id, row.system))
            for row in ripple(self._connection, run)
        ]

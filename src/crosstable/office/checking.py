"""Checking a report against the record: every check of a file, and those that only an office can make."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from crosstable.checks import CheckedSection
from crosstable.checks.findings import SectionPlace, section_number, section_place
from crosstable.checks.owners import REQUESTS, asked_in
from crosstable.checks.players import are_alike, membership_faults
from crosstable.checks.report import birth_faults
from crosstable.engine import RatedPlayer
from crosstable.errors import Fault, OfficeError, Severity
from crosstable.faults import fault
from crosstable.limits import LARGE_CHANGE, LATEST_REPORT, LONGEST_EVENT_ID, SAME_GAMES
from crosstable.office.accounts import affiliate_id
from crosstable.office.comparing import differing, prizes_in
from crosstable.office.erased import erased_in, said_of_erased, told_without, without_erased
from crosstable.office.ledger.backgrounds import Backgrounds
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.postings import OWN, Key
from crosstable.office.published import Published, published_before
from crosstable.office.sections import SectionRows, granted_in, section_rows
from crosstable.office.settings import MEMBERSHIPS, half_up, is_on
from crosstable.pipeline.rating import RatedEvent, rate
from crosstable.sentences import american
from crosstable.terms import (
    NOT_PUBLISHED,
    Background,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    SectionType,
)

CONFIRM = Severity.CONFIRM
WAITS = "The section waits until the office agrees, or the file comes without it."
NAME_ASKED = "Correct the id, or confirm that this is the player."
NAME_WAITS = "The name does not fit the id and the rating would change much: the office looks at it first."
# What a preview for the public says of somebody whose birth date it does without.
WITHHELD = "birth_date: what the office knows is not public, so a preview does without it"
# What a birth date alone decides: told of what the report says itself, never of what the office knows.
_OF_BIRTH_DATES = frozenset({"birth-date", "birth-date-early"})


class Sender(NamedTuple):
    """Who sends a report: a director confirms names row by row (``names``: section and number); the office need not.

    ``newcomers`` are ids that nobody has here and that the sender reports as those of new members. ``affiliate`` is the
    one that a director acts for.
    """

    is_director: bool = False
    names: frozenset[tuple[int, int]] = frozenset()
    newcomers: frozenset[str] = frozenset()
    affiliate: str = ""


OFFICE = Sender()


class CheckedRows(NamedTuple):
    """A section of a submission: whether it is accepted or held, and its rows."""

    number: int
    state: State
    rows: SectionRows
    faults: tuple[Fault, ...]


class CheckedSubmission(NamedTuple):
    """A whole report as the office would store it, and as it would be rated now."""

    report: Report
    sections: tuple[CheckedRows, ...]
    faults: tuple[Fault, ...]
    rated: RatedEvent
    is_refused: bool


def check_submission(
    record: Record,
    report: Report,
    read: Sequence[Fault],
    today: date | None,
    public_places: int | None = None,
    sender: Sender = OFFICE,
) -> CheckedSubmission:
    """Check a report section by section. Errors of the whole report refuse it; those of a section hold that section.

    No finding quotes a birth date that only the office knows. With ``public_places`` players bring what is public of
    them, ratings to so many places: whoever made events up could otherwise read the rest off the results.
    """
    if gone := erased_in(record, report):
        read = (*told_without(read, report, gone), *said_of_erased(report, gone))
        report = without_erased(record, report, gone)
    source = KnownPlayers(record, report, public_places, today, sender)
    whole = report._replace(faults=(*source.of_event(report), *read))
    rated = source.looked_at(rate(whole, source=source, today=today, ranges=False))
    sections = tuple(
        CheckedRows(
            examined.number,
            State.HELD if examined.checked is None or examined.has_errors else State.ACCEPTED,
            section_rows(report.event_id, examined.number, section, examined.checked, _days(report, section)),
            examined.faults,
        )
        for section, examined in zip(report.sections, rated.examined, strict=True)
    )
    return CheckedSubmission(report, sections, rated.faults, rated, rated.is_refused)


def _held_for_names(event: RatedEvent, sender: Sender) -> RatedEvent:
    """A name that a director confirmed waits for the office all the same where the rating would change much."""
    if not sender.names:
        return event
    examined = []
    for one in event.examined:
        moved = {
            player.number
            for rated in one.rated
            for player in rated.players
            if (one.number, player.number) in sender.names and _moves_much(player)
        }
        place = section_place(one.report, 0)._replace(words=f"section {one.number}")
        rows = {place.row(player, row) for row, player in enumerate(one.report.players) if player.number in moved}
        faults = tuple(
            found._replace(severity=CONFIRM, remedy=NAME_WAITS)
            if found.code == "other-name" and found.place in rows
            else found
            for found in one.faults
        )
        examined.append(one._replace(faults=faults))
    return event._replace(examined=tuple(examined))


def _moves_much(player: RatedPlayer) -> bool:
    if player.after is None:
        return False
    return player.before is None or abs(player.after.rating - player.before.rating) >= LARGE_CHANGE


def _days(report: Report, section: ReportedSection) -> tuple[date | None, date | None]:
    return section.start or report.start, section.end or report.end


def _in_public(known: Background, own: Background, places: int) -> Background:
    """What is public of a member: posted ratings, and the birth date that the report itself gives, if any."""
    standings = {system: one._replace(rating=half_up(one.rating, places)) for system, one in known.standings.items()}
    bare = known._replace(standings=standings, birth_date=own.birth_date, birth_year=own.birth_year, adult=own.adult)
    is_withheld = known.born not in (None, own.born) or known.adult not in (None, own.adult)
    return bare._replace(assumed=(*known.assumed, WITHHELD)) if is_withheld and not standings else bare


def _event_id_faults(report: Report) -> list[Fault]:
    given = report.event_id
    plain = given.isprintable() and not any(character.isspace() for character in given)
    if given and (len(given) > LONGEST_EVENT_ID or given.startswith(OWN) or not plain):
        return [fault("event-id-shape", "event", given=given)]
    return []


def _affiliate_faults(report: Report, own: str) -> list[Fault]:
    """A director sends events of their own affiliate; a report that names none is theirs."""
    named = affiliate_of(report)
    return [fault("other-affiliate", "event", named=named, own=own)] if own and named and named != own else []


def affiliate_of(report: Report) -> str:
    """The affiliate that a report names, in its one spelling; one that cannot be an id is kept as it stands."""
    given = report.details.get("affiliate", "")
    try:
        return affiliate_id(given)
    except OfficeError:
        return given


class KnownPlayers:
    """What the record knows of the people of a report; what is sound is rated at once and the rest later."""

    waiting: frozenset[str] = frozenset()

    def __init__(
        self,
        record: Record,
        report: Report,
        public_places: int | None,
        today: date | None = None,
        sender: Sender = OFFICE,
    ) -> None:
        self.record = record
        self.sender = sender
        self.today = today
        is_required = is_on(record.connection, MEMBERSHIPS, record.through)
        self.membership = "not-a-member" if is_required else "membership"
        self.public_places = public_places
        self.report = report
        self.chained = frozenset(
            player.member_id for section in report.sections for player in section.players if player.member_id
        )
        ids = {player.member_id for section in report.sections for player in section.players if player.member_id}
        roots = {record.one_id(one) for one in ids}
        self.people = record.people([*ids, *roots])
        until = {one: self.people[record.one_id(one)].member_until for one in self.people}
        self.until = {one: last for one, last in until.items() if last is not None}
        self.backgrounds = Backgrounds(record, roots & self.people.keys())
        self.openings: dict[str, date] = {}
        for opening in record.openings({other for one in roots for other in record.same_member(one)}):
            assert opening.standing.as_of is not None
            root = record.one_id(opening.member_id)
            self.openings[root] = min(opening.standing.as_of, self.openings.get(root, date.max))

    def of_event(self, report: Report) -> list[Fault]:
        """What only an office finds about the report as a whole."""
        return [*_event_id_faults(report), *_affiliate_faults(report, self.sender.affiliate)]

    def looked_at(self, event: RatedEvent) -> RatedEvent:
        """The event with what waits because of the ratings that it would give."""
        return _held_for_names(event, self.sender)

    def filled(self, report: Report) -> Report:
        """A report whose players bring what the office knows of them, not what the report says."""
        return report._replace(sections=tuple(self._filled(at) for at in range(len(report.sections))))

    def _filled(self, at: int) -> ReportedSection:
        section = self.report.sections[at]
        start, end = section.start or self.report.start, section.end or self.report.end
        if start is None or end is None:
            return section
        key = Key(end, start, self.report.event_id, section_number(section, at))
        listed = {player.member_id for player in section.players} & self.people.keys()
        self.backgrounds.know({self.record.one_id(one) for one in listed}, key)
        return section._replace(players=tuple(self._brings(player, section, key) for player in section.players))

    def _brings(self, player: ReportedPlayer, section: ReportedSection, key: Key) -> ReportedPlayer:
        """A player as the record has them: what a file says of them counts only where the office may agree to it."""
        own = player.background
        member = self.record.one_id(player.member_id)
        if player.member_id not in self.people:
            return player._replace(background=Background(fide=own.fide, given_start=own.given_start))
        known = self.backgrounds.background(member, key)
        if self.public_places is not None:
            known = _in_public(known, own, self.public_places)
        if section.kind is SectionType.MATCH:
            known = self._with_published(member, known, key)
        opted = player.has_opted_in
        if section.kind.is_foreign and not opted:
            opted = self.backgrounds.decisions.has_opted_in(member, key.started)
        return player._replace(
            member_id=member,
            background=known._replace(fide=known.fide or own.fide, given_start=own.given_start),
            has_opted_in=opted,
            fide_flag=self.people[member].fide_flag or player.fide_flag,
            pairing_rating=None,
        )

    def _with_published(self, member: str, known: Background, key: Key) -> Background:
        standings = {
            system: standing._replace(
                published=published_before(self.record, member, system, key.started) or NOT_PUBLISHED
            )
            for system, standing in known.standings.items()
        }
        return known._replace(standings=standings)

    def faults(
        self, report: Report, at: int, checked: CheckedSection | None, found: Sequence[Fault]
    ) -> Sequence[Fault]:
        """What may be told of the findings about a section, and what only the office can find in it.

        What the section asks the office for waits until the office agrees, unless the section stands with it already.
        """
        own = [one for one in found if one.code not in _OF_BIRTH_DATES and not self._is_own_id(one, at)]
        own += self._known_faults(at)
        if self.public_places is None:
            own += self._compared(report.sections[at], at, checked)
        section = self.report.sections[at]
        place = section_place(section, at)
        asked = asked_in(section)
        granted = granted_in(self.record, self.report.event_id, section_number(section, at)) if asked else {}
        member_at = {place.row(one, row): one.member_id for row, one in enumerate(section.players)}
        told = []
        for one in own:
            key = one.code, member_at.get(one.place, "")
            if one.code not in REQUESTS:
                told.append(one)
            elif key not in asked:
                continue  # the office's own decision
            else:
                told.append(one if asked[key] == granted.get(key) else one._replace(severity=CONFIRM, remedy=WAITS))
        return told

    def _is_own_id(self, found: Fault, at: int) -> bool:
        """Whether a finding is about the shape of an id that the office gave: a club may have ids of its own."""
        if found.code != "member-id-shape":
            return False
        section = self.report.sections[at]
        place = section_place(section, at)
        rows = enumerate(section.players)
        return any(one.member_id in self.people and place.row(one, row) == found.place for row, one in rows)

    def _compared(self, filled: ReportedSection, at: int, checked: CheckedSection | None) -> list[Fault]:
        """What the file says of its players otherwise than the record."""
        section = self.report.sections[at]
        if checked is None:
            return []
        place, found = section_place(section, at), []
        published = Published(self.record, (one.member_id for one in filled.players if one.member_id))
        for row, (player, brought) in enumerate(zip(section.players, filled.players, strict=True)):
            if player.member_id in self.people:
                said = differing(published, player, brought, self.people[brought.member_id], checked.section)
                found += [fault(key, place.row(player, row), **values) for key, values in said]
        return found

    def _known_faults(self, at: int) -> list[Fault]:
        section = self.report.sections[at]
        place = section_place(section, at)
        end = section.end or self.report.end
        found: list[Fault] = [] if end is None else birth_faults(section, place, end)
        found += membership_faults(section, place, self.until, end, self.membership)
        found += self._played_before(at, place)
        if end is not None and self.today is not None and (days := (self.today - end).days) > LATEST_REPORT:
            is_new = self.record.heading(self.report.event_id, section_number(section, at)) is None
            found += [fault("late-report", place.whole, end=end, days=days)] * is_new
        if section.systems and not section.time_controls and not section.kind.is_foreign:
            found.append(fault("systems-named", place.whole, systems=" and ".join(one.name for one in section.systems)))
        for won in () if end is None else prizes_in(section, end):
            said = {"amount": won.amount, "limit": won.limit, "level": won.level}
            found.append(fault("money-prize", place.row(won.player), **said))
        for row, player in enumerate(section.players):
            where = place.row(player, row)
            if section.kind.is_foreign and not player.is_rated:
                continue
            if not player.member_id:
                found.append(fault("id-needed", where, name=player.name or "The player"))
            elif player.member_id not in self.people:
                code = "new-member" if player.member_id in self.sender.newcomers else "member-not-known"
                found.append(fault(code, where, member_id=player.member_id))
            else:
                is_confirmed = (section_number(section, at), player.number) in self.sender.names
                found += self._about(player, where, end, is_confirmed=is_confirmed)
        return found

    def _played_before(self, at: int, place: SectionPlace) -> list[Fault]:
        """Another event of the record with the same games on the same day; an event that stands was looked at."""
        section, own = self.report.sections[at], self.report.event_id
        standing = self.record.heading(own, section_number(section, at))
        end = section.end or self.report.end
        if end is None or (standing is not None and standing.state is State.ACCEPTED):
            return []
        games = _games((one.number, one.member_id, one.cells) for one in section.players)
        for other in self.record.headings_on(end):
            if other.event_id == own or other.state is State.WITHDRAWN or not games:
                continue
            entries = self.record.entries([other])[other.event_id, other.number]
            theirs = _games((one.number, one.member_id, one.cells) for one in entries)
            if len(games & theirs) >= SAME_GAMES * max(len(games), len(theirs)):
                values = {"event": other.event_id, "section": other.number, "end": american(end)}
                found = fault("played-before", place.whole, **values)
                return [found if self.sender.is_director else found._replace(severity=Severity.WARNING)]
        return []

    def _about(
        self, player: ReportedPlayer, where: str, end: date | None, *, is_confirmed: bool = False
    ) -> list[Fault]:
        found = []
        known = self.people[player.member_id]
        if not are_alike(player.name, known.name):
            names = {"reported": player.name, "known": known.name}
            other = fault("other-name:office", where, member_id=player.member_id, **names)
            waits = self.sender.is_director and not is_confirmed
            found.append(other._replace(severity=CONFIRM, remedy=NAME_ASKED) if waits else other)
        opened = self.openings.get(self.record.one_id(player.member_id))
        if opened is not None and end is not None and end < opened:
            found.append(fault("before-opening", where, name=known.name, opened=opened))
        return found


def _games(
    rows: Iterable[tuple[int | None, str, Sequence[ReportedCell]]],
) -> frozenset[tuple[str, str, int, str]]:
    """The games of a section by the members who played them, each from both sides."""
    listed = list(rows)
    members = {number: member for number, member, _ in listed}
    return frozenset(
        (member, members[cell.opponent], at, cell.result.value)
        for _, member, cells in listed
        for at, cell in enumerate(cells)
        if cell.result is not None and cell.result.is_game and member and members.get(cell.opponent)
    )


def members_in(reports: Iterable[Report]) -> Mapping[str, str]:
    """The ids and names in reports."""
    return {
        player.member_id: player.name
        for report in reports
        for section in report.sections
        for player in section.players
        if player.member_id
    }

"""Which ratings are published when: cut-offs of monthly lists, and the published rating of a day.

Lists are facts of the record. Where the record has none for a month, the list of that month is derived by the cut-off
rule of its time (readings 108).
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import select

from crosstable.errors import NoEditionError, OfficeError
from crosstable.formulas.outcome import official_rating
from crosstable.office import tables
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.postings import Posting, current_of_members
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.terms import RatingSystem

CENTRAL = ZoneInfo("America/Chicago")
_NIGHT = time(23, 45)
_WEEK = 7
_MONTHS = 12
# Years that a list can have.
_YEARS = range(1900, 2200)


class Month(NamedTuple):
    """The month of a list; the list is official from its first day."""

    year: int
    month: int

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}"

    @property
    def first_day(self) -> date:
        """The day from which the list is official."""
        return date(self.year, self.month, 1)


def month_of(text: str) -> Month:
    """A month written as 2026-12."""
    found = re.fullmatch(r"(\d{4})-(\d{2})", text)
    if not found or int(found[1]) not in _YEARS or not 1 <= int(found[2]) <= _MONTHS:
        raise OfficeError(f"{text!r} is not a month; write it as 2026-12")
    return Month(int(found[1]), int(found[2]))


def list_in_force(day: date) -> Month:
    """The month whose list is official on a day: every month since 2007, the even ones before."""
    month = Month(day.year, day.month)
    if edition_for(month.first_day).lists.lists_a_year == _MONTHS or month.month % 2 == 0:
        return month
    return Month(day.year, day.month - 1) if day.month > 1 else Month(day.year - 1, _MONTHS)


def cut_off(month: Month) -> datetime:
    """The instant until which everything received and rated is in a month's list (official facts §3)."""
    try:
        rule = edition_for(month.first_day).lists
    except NoEditionError as error:
        raise OfficeError(f"the cut-off of the list of {month} is not known: {error}") from error
    if rule.cutoff_week == 0:
        raise OfficeError(f"the cut-off of the list of {month} is not known: no document of that time was found")
    before = month.first_day - timedelta(days=1)
    first = before.replace(day=1)
    day = first + timedelta(days=(rule.cutoff_weekday - first.weekday()) % _WEEK + _WEEK * (rule.cutoff_week - 1))
    return datetime.combine(day, _NIGHT, tzinfo=CENTRAL).astimezone(UTC)


def cut_off_day(month: Month) -> date:
    """The day of a cut-off, in US Central time."""
    return cut_off(month).astimezone(CENTRAL).date()


class Published:
    """The ratings of some members on lists; what is posted about all of them is read when it is first needed."""

    def __init__(self, record: Record, members: Iterable[str]) -> None:
        self.record, self._members = record, {*members}
        self._entries: dict[Month, int | None] = {}

    def before(self, member: str, system: RatingSystem, start: date) -> float | None:
        """A member's rating on the list in force on a day, nothing where they are not on it."""
        record, month, row = self.record, list_in_force(start), tables.supplement_row
        act = self._entry(month)
        if act is not None and act <= record.through:
            ids = record.same_member(member)
            query = select(row.c.rating).where(
                row.c.month == str(month), row.c.member_id.in_(ids), row.c.system == int(system)
            )
            found = record.connection.execute(query).scalar()
            return None if found is None else float(found)
        return _derived(record, self._posted.get(member, ()), member, system, month)

    def _entry(self, month: Month) -> int | None:
        """The journal entry of a list that was published."""
        if month not in self._entries:
            query = select(tables.supplement.c.act).where(tables.supplement.c.month == str(month))
            self._entries[month] = self.record.connection.execute(query).scalar()
        return self._entries[month]

    @cached_property
    def _posted(self) -> Mapping[str, list[Posting]]:
        found: dict[str, list[Posting]] = {}
        for stored in current_of_members(self.record.connection, self._members):
            found.setdefault(stored.posting.member_id, []).append(stored.posting)
        return found


def published_before(record: Record, member: str, system: RatingSystem, start: date) -> float | None:
    """A member's rating on the list in force on a day, nothing where they are not on it."""
    return Published(record, [member]).before(member, system, start)


def _brought(record: Record, member: str, system: RatingSystem, month: Month) -> float | None:
    """The rating with which a member came into the office: it was published where they came from."""
    for opening in record.openings(record.same_member(member)):
        standing = opening.standing
        if opening.system is system and standing.as_of is not None and standing.as_of <= _last_day(month):
            return float(official_rating(standing.rating if standing.published is None else standing.published))
    return None


def _last_day(month: Month) -> date:
    after = Month(month.year + 1, 1) if month.month == _MONTHS else Month(month.year, month.month + 1)
    return after.first_day - timedelta(days=1)


def _derived(
    record: Record, posted: Iterable[Posting], member: str, system: RatingSystem, month: Month
) -> float | None:
    try:
        day = cut_off_day(month)
    except OfficeError:  # before 2007 no cut-off is known: the rating of the eve of the list stands for it
        day = month.first_day - timedelta(days=1)
    found = [posting for posting in posted if posting.system is system and posting.ended <= day]
    if not found:
        return _brought(record, member, system, month)
    last = max(found, key=lambda posting: posting.key)
    assert last.rating_after is not None
    edition = edition_for(max(month.first_day, EDITIONS[0].effective))  # the list before the first rules is theirs too
    if last.games_after is not None and last.games_after < edition.lists.fewest_games:
        return None
    return float(official_rating(last.rating_after))

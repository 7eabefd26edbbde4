"""Top lists of a published list: by system, and by state or by age group; ties share a rank.

Age is that of the last day of the year before the list, so it follows from the year of birth alone. Counted on the
first day of each month it would tell the month of birth of everybody who moves from one band to the next between two
lists. No list shows an age or a birth date, only its band; who has no year of birth in the record is on no age list.

An age group of one state can be a handful of children, so age groups are those of the whole list. Members who asked to
be left out are on none of them, and people under 18 only where they, or their parents, asked for it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from crosstable.errors import OfficeError
from crosstable.office.ledger.facts import Person, Record
from crosstable.office.ledger.journal import last_act_of
from crosstable.office.published import month_of
from crosstable.office.supplements import ListRow, Supplement, published_rows, supplements
from crosstable.terms import RatingSystem

DEFAULT_SIZE = 100
# No public list is longer.
MOST_TOP = 500
# Younger people are on age lists only where that was asked for.
OF_AGE = 18
NOT_BY_STATE = "age groups are those of the whole list, not of one state"


class AgeBand(NamedTuple):
    """Ages from ``youngest`` to ``oldest``, both included."""

    name: str
    youngest: int
    oldest: int


_OPEN = 200
AGE_BANDS = (
    AgeBand("8 and under", 0, 8),
    *(AgeBand(f"{age}-{age + 1}", age, age + 1) for age in range(9, 21, 2)),
    AgeBand("20 and under", 0, 20),
    AgeBand("21-49", 21, 49),
    AgeBand("50 and over", 50, _OPEN),
    AgeBand("65 and over", 65, _OPEN),
)


class Wanted(NamedTuple):
    """Which top list: a system, and where asked for one state or one age band, provisional ratings too."""

    system: RatingSystem
    state: str = ""
    band: AgeBand | None = None
    size: int = DEFAULT_SIZE
    has_provisional: bool = False

    @property
    def title(self) -> str:
        """The list in words."""
        words = [f"Top {self.size}", self.system.title]
        if self.state:
            words.append(self.state)
        if self.band is not None:
            words.append(f"age {self.band.name}")
        return ", ".join(words)


class TopRow(NamedTuple):
    """A member on a top list; ties share a rank."""

    rank: int
    member_id: str
    name: str
    state: str
    rating: int
    games: float | None
    is_provisional: bool


class TopList(NamedTuple):
    """A top list of a month; ``digest`` is that of the published list it was made from."""

    title: str
    month: str
    digest: str
    rows: tuple[TopRow, ...]


def band_of(name: str) -> AgeBand:
    """The age band of that name."""
    for band in AGE_BANDS:
        if band.name == name:
            return band
    raise OfficeError(f"{name!r} is no age band; there are {', '.join(band.name for band in AGE_BANDS)}")


def top_list(connection: Connection, month: str, wanted: Wanted) -> TopList:
    """The top of a published list; years of birth as the record knew them then, wishes of members as it knows now."""
    if wanted.band is not None and wanted.state:
        raise OfficeError(NOT_BY_STATE)
    listed = next((one for one in supplements(connection) if one.month == month), None)
    if listed is None:
        raise OfficeError(f"the list of {month} is not published")
    rows = published_rows(connection, month)
    people = {} if wanted.band is None else _people(connection, listed, rows)
    return TopList(wanted.title, month, listed.digest, ranked(rows, wanted, people, month_of(month).year))


class AgeRank(NamedTuple):
    """A place on the list of an age group."""

    band: str
    rank: int


AgeRanks = dict[tuple[str, RatingSystem], list[AgeRank]]


def age_ranks(connection: Connection, month: str) -> AgeRanks:
    """Where members stand on the age lists of a month; whoever is on none of them that is shown has no place."""
    listed = next(one for one in supplements(connection) if one.month == month)
    rows = published_rows(connection, month)
    people = _people(connection, listed, rows)
    found: AgeRanks = {}
    for system in RatingSystem:
        own = [row for row in rows if row.system is system and not row.is_provisional]
        for band in AGE_BANDS:
            for row in ranked(own, Wanted(system, band=band, size=MOST_TOP), people, month_of(month).year):
                found.setdefault((row.member_id, system), []).append(AgeRank(band.name, row.rank))
    return found


def _people(connection: Connection, listed: Supplement, rows: Sequence[ListRow]) -> dict[str, Person]:
    """The members of a list with the years of birth of then and the wishes of now."""
    ids = {row.member_id for row in rows}
    now, then = Record(connection, last_act_of(connection, None)), Record(connection, listed.act).people(ids)
    wishes = now.people({now.one_id(one) for one in ids})
    return {one: person._replace(age_lists=wishes[now.one_id(one)].age_lists) for one, person in then.items()}


def ranked(rows: Sequence[ListRow], wanted: Wanted, people: Mapping[str, Person], year: int) -> tuple[TopRow, ...]:
    """The highest ratings among rows, those that tie with the last one included; ``year`` is the list's."""
    chosen = [
        row
        for row in rows
        if row.system is wanted.system
        and (wanted.has_provisional or not row.is_provisional)
        and (not wanted.state or row.state.casefold() == wanted.state.casefold())
        and (wanted.band is None or _is_in(wanted.band, people.get(row.member_id), year))
    ]
    chosen.sort(key=lambda row: (-row.rating, row.name.casefold(), row.member_id))
    found: list[TopRow] = []
    for at, row in enumerate(chosen, start=1):
        is_tied = bool(found) and found[-1].rating == row.rating
        if at > wanted.size and not is_tied:
            break
        rank = found[-1].rank if is_tied else at
        found.append(TopRow(rank, row.member_id, row.name, row.state, row.rating, row.games, row.is_provisional))
    return tuple(found)


def _is_in(band: AgeBand, person: Person | None, year: int) -> bool:
    if person is None or person.age_lists is False:
        return False
    born = person.birth_year if person.birth_date is None else person.birth_date.year
    if born is None:
        return False
    age = year - 1 - born
    return band.youngest <= age <= band.oldest and (age >= OF_AGE or person.age_lists is True)

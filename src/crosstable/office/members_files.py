"""A members file as an office takes it: who its members are, and the starting ratings that its ratings give.

A rating opens a member's record where the office has none for them in that system; one that is there is replaced only
when asked for, because everything rated since stands on it.
"""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from crosstable.errors import Fault, OfficeError
from crosstable.faults import fault
from crosstable.formats.members import MemberDetails, MembersFile
from crosstable.formulas.outcome import fewest_established, official_rating
from crosstable.formulas.standard import most_effective_games
from crosstable.limits import EARLIEST_BIRTH
from crosstable.office.erased import erased_members
from crosstable.office.ledger.facts import Person, Record
from crosstable.office.ledger.postings import current_of_members
from crosstable.office.members import FIRST_BIRTH, NewStartingRating, could_be_born, could_be_born_in
from crosstable.rules.editions import EDITIONS
from crosstable.terms import Background, OutsideRating, PlayerRating, RatingSystem

# An established rating of 2001 stands on at least so many games (rules history §13).
FEWEST_ESTABLISHED = fewest_established(EDITIONS[0].constants)


class StartingRatingOptions(NamedTuple):
    """How the ratings of a members file are taken."""

    as_of: date | None = None
    counts_by_2001: bool = False
    replaces: bool = False


class TakenFile(NamedTuple):
    """What an office takes from a members file, and how many ratings it leaves because it has its own.

    ``erased`` are people who were erased: a file does not bring them back.
    """

    people: tuple[Person, ...]
    openings: tuple[NewStartingRating, ...]
    left: int
    uncounted: int
    erased: int = 0


def without_ratings(found: MembersFile) -> MembersFile:
    """A members file that says only who its members are: ratings set by hand may take two people."""
    bare = {
        member: Background(birth_date=one.birth_date, birth_year=one.birth_year, adult=one.adult)
        for member, one in found.backgrounds.items()
    }
    return found._replace(backgrounds=bare)


def birth_faults(found: MembersFile, today: date) -> list[Fault]:
    """Birth dates of a members file that cannot be, or hardly, each at its place."""
    faults = []
    for member_id, background in found.backgrounds.items():
        born, place = background.birth_date, found.places.get(member_id, f"member {member_id}")
        if not could_be_born(born, today):
            why = "which is still to come" if born is not None and born > today else f"before {FIRST_BIRTH.year}"
            remedy = "Correct the birth date, or leave it out."
            faults.append(fault("birth-date", place, f"Member {member_id} is born on {born}, {why}.", remedy))
        elif born is not None and born.year < EARLIEST_BIRTH:
            faults.append(fault("birth-date-early:member", place, member_id=member_id, born=born))
        year = background.birth_year
        if not could_be_born_in(year, today):
            message = f"Member {member_id} is born in {year}, which cannot be."
            faults.append(fault("birth-date", place, message, "Correct the year of birth, or leave it out."))
    return faults


def taken(record: Record, found: MembersFile, name: str, wishes: StartingRatingOptions) -> TakenFile:
    """Members and starting ratings of a members file called ``name``; a rating without a date is an error."""
    source = f"members file {name}"
    gone = erased_members(record.connection) & found.backgrounds.keys()
    found = found._replace(backgrounds={one: said for one, said in found.backgrounds.items() if one not in gone})
    people = tuple(
        _person(member_id, found.names.get(member_id, ""), background, found.details.get(member_id, MemberDetails()))
        for member_id, background in _dated(found, wishes.as_of)
    )
    rated = _rated(record, found)
    openings: list[NewStartingRating] = []
    left = uncounted = 0
    for member_id, background in _dated(found, wishes.as_of):
        for system, standing in background.standings.items():
            counted, how = _counted(standing, wishes)
            own = (record.one_id(member_id), system)
            if own in rated and not wishes.replaces:
                left += rated[own] != counted
                continue
            uncounted += counted.games is None
            openings.append(NewStartingRating(member_id, system, counted, source + how))
    return TakenFile(people, tuple(openings), left, uncounted, len(gone))


def _dated(found: MembersFile, as_of: date | None) -> Iterator[tuple[str, Background]]:
    """What the file says of each member, every rating with a day: its own, or the one that was given for all."""
    for member_id, background in found.backgrounds.items():
        standings = {
            system: standing._replace(as_of=_day(standing.as_of, as_of, member_id, system.name))
            for system, standing in background.standings.items()
        }
        yield (
            member_id,
            background._replace(
                standings=standings,
                fide=_outside(background.fide, as_of, member_id, "FIDE"),
                cfc=_outside(background.cfc, as_of, member_id, "CFC"),
            ),
        )


def _outside(rating: OutsideRating | None, as_of: date | None, member_id: str, body: str) -> OutsideRating | None:
    return None if rating is None else rating._replace(as_of=_day(rating.as_of, as_of, member_id, body))


def _day(own: date | None, for_all: date | None, member_id: str, what: str) -> date:
    day = own or for_all
    if day is None:
        raise OfficeError(
            f"the {what} rating of member {member_id} has no date: give its column '{what} as of', or say of which day "
            "all ratings of the file are with --ratings-as-of DATE; nothing was stored"
        )
    return day


def _person(member_id: str, name: str, background: Background, details: MemberDetails) -> Person:
    return Person(
        member_id=member_id,
        name=name,
        birth_date=background.birth_date,
        birth_year=background.birth_year,
        adult=background.adult,
        canadian_resident=background.canadian_resident,
        fide=() if background.fide is None else (background.fide,),
        cfc=() if background.cfc is None else (background.cfc,),
        **details._asdict(),
    )


def _rated(record: Record, found: MembersFile) -> dict[tuple[str, RatingSystem], PlayerRating | None]:
    """Members and systems that the office has a record of already, with the standing that opened it, if one did."""
    ids = [record.one_id(one) for one in found.backgrounds]
    rated: dict[tuple[str, RatingSystem], PlayerRating | None] = {
        (one.posting.member_id, one.posting.system): None for one in current_of_members(record.connection, ids)
    }
    for one in record.openings({other for member in ids for other in record.same_member(member)}):
        rated[record.one_id(one.member_id), one.system] = one.standing
    return rated


def _counted(standing: PlayerRating, wishes: StartingRatingOptions) -> tuple[PlayerRating, str]:
    if standing.games is not None or not wishes.counts_by_2001:
        return standing, ""
    return standing._replace(games=games_of_2001(standing.rating)), ", games by the rule of 2001"


def games_of_2001(rating: float) -> float:
    """The games that an established rating without a count opened with in 2001 (rules history §13).

    The larger of the fewest that make a rating established and N* of that time, rounded to nearest.
    """
    counted = official_rating(most_effective_games(EDITIONS[0].constants, rating))
    return max(FEWEST_ESTABLISHED, float(counted))

"""FIDE's list of a month: ratings and flags of members, and who of them is rated abroad (§6)."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from crosstable.errors import OfficeError
from crosstable.formats.fide_list import ListedPlayer
from crosstable.formulas.foreign import has_enough_games, is_automatic
from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.late_facts import Divided, divided
from crosstable.office.ledger.backgrounds import Backgrounds
from crosstable.office.ledger.facts import Person, Record, latest
from crosstable.office.ledger.journal import Author
from crosstable.office.members import Imported, import_members
from crosstable.office.views import known
from crosstable.replaying import Key
from crosstable.rules.editions import edition_for
from crosstable.terms import OutsideRating, RatingSystem, is_of_usa

# What is done with facts that two people have to agree on.
Propose = Callable[[Sequence[Person]], None]


class Abroad(StrEnum):
    """Whether foreign events of a candidate are rated (§6)."""

    AUTOMATIC = "automatic"
    OPTED_IN = "opted in"
    INCLUDED = "included"
    NOT_OPTED_IN = "not opted in"


class Candidate(NamedTuple):
    """A current member with an established Regular rating and games in the period of a list."""

    member_id: str
    name: str
    fide_id: str
    fide: float | None
    games: int
    abroad: Abroad


class ImportedList(NamedTuple):
    """What an import of a list did, how many players and members are on it, and §6's candidates."""

    imported: Imported
    listed: int
    members: int
    candidates: tuple[Candidate, ...]


def import_fide_list(
    office: Office, author: Author, players: Iterable[ListedPlayer], on: date, propose: Propose | None = None
) -> ImportedList:
    """Record the ratings and flags that a list has of members, by FIDE id; the same list again changes nothing.

    With ``propose``, what takes two people is not recorded but given to it, before anything is stored.
    """
    with office.reading() as connection:
        record = known(connection).record
        by_id = _members_by_fide_id(record)
        listed = 0
        found: dict[str, ListedPlayer] = {}
        for player in players:
            listed += 1
            if player.fide_id in by_id:
                found[by_id[player.fide_id]] = player
        people = record.people(found)
        said = [_said(people[member], player, on) for member, player in found.items()]
        chosen = candidates(record, found, on)
        what = Divided(tuple(said), ()) if propose is None else divided(record, said)
    if propose is not None and what.by_two:
        propose(what.by_two)
    return ImportedList(import_members(office, author, what.now), listed, len(found), chosen)


def _members_by_fide_id(record: Record) -> dict[str, str]:
    """The member who is rated under each FIDE id; two members cannot have the same."""
    member = tables.member
    by_id: dict[str, str] = {}
    rows = record.connection.execute(latest(member, ("member_id",), record.through, member.c.fide_id != "")).mappings()
    for row in sorted(rows, key=lambda row: str(row["member_id"])):
        one = record.one_id(row["member_id"])
        other = by_id.setdefault(row["fide_id"], one)
        if other != one:
            raise OfficeError(
                f"members {other} and {one} have the same FIDE id {row['fide_id']}; correct or merge them"
            )
    return by_id


def _said(person: Person, player: ListedPlayer, on: date) -> Person:
    rating = () if player.rating is None else (OutsideRating(player.rating, on),)
    return Person(person.member_id, person.name, fide_flag=player.federation, fide=rating)


def candidates(record: Record, listed: Mapping[str, ListedPlayer], on: date) -> tuple[Candidate, ...]:
    """The members whose foreign events of a list's period are rated or could be (§6).

    They have the USA flag and at least one rated game in the period, or the office includes them: they opted in under
    another flag. A membership without a last day counts as current.
    """
    people = record.people(listed)
    backgrounds, key = Backgrounds(record, listed), Key(on, on, "", 0)
    backgrounds.know(listed, key)
    constants = edition_for(on).constants
    found = []
    for member, player in sorted(listed.items()):
        person = people[member]
        opted = backgrounds.decisions.has_opted_in(member, on)
        regular = backgrounds.background(member, key).standings.get(RatingSystem.OTBR)
        is_current = person.member_until is None or person.member_until >= on
        has_flag = is_of_usa(player.federation)
        if not (player.games and is_current and (has_flag or opted) and regular):
            continue
        games = math.inf if regular.games is None else regular.games
        if not has_enough_games(constants, games):
            continue
        needs_nothing = is_automatic(constants, player.rating or 0.0, has_flag)
        abroad = Abroad.AUTOMATIC if needs_nothing else Abroad.OPTED_IN if has_flag else Abroad.INCLUDED
        abroad = abroad if needs_nothing or opted else Abroad.NOT_OPTED_IN
        found.append(Candidate(member, person.name, player.fide_id, player.rating, player.games, abroad))
    return tuple(found)

"""Who may say what in an event file: the owner of each of its fields.

The director says what happened. What the record knows is taken from the record, and a file that says otherwise is told
so. What only the office may say is a request in a director's file: the section waits until the office agrees. On the
command line, where one person is everything, all fields are taken, with a warning, and listed as assumed.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from crosstable.terms import ReportedPlayer, ReportedSection


class Owner(StrEnum):
    """Whose word counts for a field of a submitted file."""

    DIRECTOR = "director"
    RECORD = "record"
    OFFICE = "office"


class Owned(NamedTuple):
    """The owner of a field, and the codes of the findings that tell of a value somebody else gives."""

    owner: Owner
    codes: tuple[str, ...] = ()


_DIRECTOR = Owned(Owner.DIRECTOR)
_DIFFERS = Owned(Owner.RECORD, ("record-differs",))
_NOTICE = Owned(Owner.RECORD, ("cfc-notice",))

# Every field of an event file, by the object that has it.
FIELDS: Mapping[str, Owned] = {
    **{f"event.{name}": _DIRECTOR for name in ("id", "name", "start_date", "end_date", "details")},
    **{
        f"section.{name}": _DIRECTOR
        for name in (
            *("number", "name", "type", "online", "time_control", "k_factor"),
            *("start_date", "end_date", "details", "players"),
        )
    },
    "section.systems": Owned(Owner.OFFICE, ("systems-disagree", "systems-named")),
    "section.match_waiver": Owned(Owner.OFFICE, ("match-waived",)),
    **{
        f"player.{name}": _DIRECTOR
        for name in (
            *("number", "member_id", "name", "state", "rate", "pairing_rating", "rounds"),
            *("posted", "total", "details"),
        )
    },
    "player.ratings": _DIFFERS,
    "player.ratings.FIDE": Owned(Owner.RECORD, ("record-differs", "fide-not-on-record")),
    "player.ratings.CFC": _NOTICE,
    "player.canadian_resident": _NOTICE,
    **{f"player.{name}": _DIFFERS for name in ("birth_date", "birth_year", "adult", "fide_flag", "member")},
    "player.start": Owned(Owner.OFFICE, ("start-given",)),
    "player.fide_opt_in": Owned(Owner.OFFICE, ("opted-in",)),
}
# Findings about what somebody asks the office for.
REQUESTS = frozenset(
    {code for field in FIELDS.values() if field.owner is Owner.OFFICE for code in field.codes} | {"fide-not-on-record"}
)

# A value that is asked for, by the code of its finding and the member it is about; no member: the section.
Asked = Mapping[tuple[str, str], object]


def asked_in(section: ReportedSection) -> Asked:
    """Everything in a section that is the office's to say."""
    found: dict[tuple[str, str], object] = {("match-waived", ""): section.match_waiver}
    found |= {(code, ""): section.systems for code in FIELDS["section.systems"].codes}
    for player in section.players:
        found |= {(code, player.member_id): value for code, value in _of_player(player).items()}
    return {key: value for key, value in found.items() if value}


def _of_player(player: ReportedPlayer) -> Mapping[str, object]:
    own = player.background
    return {"start-given": own.given_start, "opted-in": player.has_opted_in, "fide-not-on-record": own.fide}


def without_requests(section: ReportedSection, granted: Asked) -> ReportedSection:
    """A section as it is when the office refuses what is asked for in it and was not granted before."""
    asked = asked_in(section)
    refused = {key for key in asked if asked[key] != granted.get(key)}
    changed: dict[str, object] = {}
    if ("match-waived", "") in refused:
        changed["match_waiver"] = ""
    if ("systems-disagree", "") in refused and section.time_controls:
        changed["systems"] = ()
    players = tuple(
        _without(player, {code for code, member in refused if member == player.member_id})
        if player.is_rated or not section.kind.is_foreign
        else player
        for player in section.players
    )
    return section._replace(players=players, **changed)  # type: ignore[arg-type]


def _without(player: ReportedPlayer, refused: set[str]) -> ReportedPlayer:
    own = player.background
    background = own._replace(
        given_start=None if "start-given" in refused else own.given_start,
        fide=None if "fide-not-on-record" in refused else own.fide,
    )
    return player._replace(background=background, has_opted_in=None if "opted-in" in refused else player.has_opted_in)

"""Events and members of the API as the files and records that everything else here works with."""

import json
from collections.abc import Callable, Collection, Iterable
from datetime import date
from typing import Any

from crosstable.errors import FetchError, NotThereError
from crosstable.formats import Reading, members, ratings_api
from crosstable.formats.members import MembersFile
from crosstable.formats.msa_header import SYSTEMS
from crosstable.formats.ratings_api import Member
from crosstable.terms import RatingSystem
from crosstable.uschess.client import FetchOptions, RatingsApi


def event_of(api: RatingsApi, event_id: str) -> Reading:
    """A rated event with all its sections, as its file would be read."""
    event = api.event(event_id)
    numbers = _numbers(event.get("sections"))
    if numbers is None:
        raise FetchError(f"{api.base} answered in a shape that is not known: event {event_id} has no section numbers.")
    sections = [{**api.section(event_id, at), "standings": api.standings(event_id, at)} for at in numbers]
    whole = json.dumps({"event": {**event, "sections": []}, "sections": sections})
    return ratings_api.read(whole.encode(), f"event {event_id}")


def with_counts(api: RatingsApi, reading: Reading, matters: Callable[[date, float], bool]) -> Reading:
    """An event with the game counts of established players, where they matter, counted from the members' sections.

    ``matters`` says so of a day and a rating. A count that cannot be had stays unknown.
    """
    report = reading.report
    sections = []
    for section in report.sections:
        start, players = section.start or report.start, []
        for player in section.players:
            known = dict(player.background.standings)
            for system, record in known.items():
                is_asked = player.member_id and record.games is None and system in player.posted
                if start is not None and is_asked and matters(start, record.rating):
                    place = (report.event_id, section.number or 0)
                    known[system] = record._replace(games=games_before(api, player.member_id, system, place))
            players.append(player._replace(background=player.background._replace(standings=known)))
        sections.append(section._replace(players=tuple(players)))
    return reading._replace(report=report._replace(sections=tuple(sections)))


def games_before(api: RatingsApi, member_id: str, system: RatingSystem, place: tuple[str, int]) -> float | None:
    """How many games a member's rating stood on before a section (event id and number).

    Counted are the games of every section since the last one that shows a count, which is that of a provisional rating.
    Nothing where the section is not among the member's, or none shows a count.
    """
    played = api.member_sections(member_id)
    before = False
    since: set[tuple[str, int]] = set()
    for section in played:  # newest first
        change = next((one for one in section.changes if one.system is system), None)
        if before and change is not None:
            if change.games_after is not None:
                code = next(name for name, one in SYSTEMS.items() if one is system)
                games = api.member_games(member_id, system=code)
                return change.games_after + sum(
                    one.result.is_game and (one.event_id, one.section) in since for one in games
                )
            since.add((section.event_id, section.number))
        before = before or (section.event_id, section.number) == place
    return None


def _numbers(listed: object) -> list[int] | None:
    """The numbers of the sections of an event; nothing where they are not as published."""
    if not isinstance(listed, list):
        return None
    found = [one["number"] for one in listed if isinstance(one, dict) and isinstance(one.get("number"), int)]
    return found if len(found) == len(listed) else None


def member_of(api: RatingsApi, member_id: str) -> Member:
    """A member and their ratings of today."""
    return ratings_api.read_member(json.dumps(api.member(member_id)).encode(), f"member {member_id}")


def members_file(api: RatingsApi, ids: Iterable[str]) -> dict[str, Any]:
    """Members as a members file: their answers themselves. Who is not there is left out."""
    found = []
    for one in ids:
        try:
            found.append(api.member(one))
        except NotThereError:
            continue
    return {"members": found}


class ApiMembers:
    """The members of the API as the ratings before an event (``--members uschess``)."""

    name = "US Chess ratings API"
    federation = ""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options

    def of(self, ids: Collection[str]) -> MembersFile:
        """What the API says of these ids today."""
        with RatingsApi(self._options) as api:
            found = members_file(api, sorted(one for one in ids if one.isdigit()))
        return members.read(json.dumps(found).encode(), self.name)

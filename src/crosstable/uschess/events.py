"""Events and members of the API as the files and records that everything else here works with."""

import json
from collections.abc import Collection, Iterable
from typing import Any

from crosstable.errors import FetchError, NotThereError
from crosstable.formats import Reading, members, ratings_api
from crosstable.formats.members import MembersFile
from crosstable.formats.ratings_api import Member
from crosstable.uschess.client import FetchOptions, RatingsApi


def event_of(api: RatingsApi, event_id: str) -> Reading:
    """A rated event with all its sections, as its file would be read."""
    event = api.event(event_id)
    numbers = _numbers(event.get("sections"))
    if numbers is None:
        raise FetchError(f"{api.base} answered in a shape that is not known: event {event_id} has no sections.")
    sections = [{**api.section(event_id, at), "standings": api.standings(event_id, at)} for at in numbers]
    whole = json.dumps({"event": {**event, "sections": []}, "sections": sections})
    return ratings_api.read(whole.encode(), f"event {event_id}")


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

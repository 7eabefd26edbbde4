"""Events and members of the API as the files and records that everything else here works with."""

import json

from crosstable.errors import FetchError
from crosstable.formats import Reading, ratings_api
from crosstable.formats.ratings_api import Member
from crosstable.uschess.client import RatingsApi


def event_of(api: RatingsApi, event_id: str) -> Reading:
    """A rated event with all its sections, as its file would be read."""
    event = api.event(event_id)
    listed = event.get("sections")
    if not isinstance(listed, list) or not all(isinstance(one, dict) and "number" in one for one in listed):
        raise FetchError(f"{api.base} answered in a shape that is not known: event {event_id} has no sections.")
    numbers = [int(one["number"]) for one in listed]
    sections = [{**api.section(event_id, at), "standings": api.standings(event_id, at)} for at in numbers]
    whole = json.dumps({"event": {**event, "sections": []}, "sections": sections})
    return ratings_api.read(whole.encode(), f"event {event_id}")


def member_of(api: RatingsApi, member_id: str) -> Member:
    """A member and their ratings of today."""
    return ratings_api.read_member(json.dumps(api.member(member_id)).encode(), f"member {member_id}")

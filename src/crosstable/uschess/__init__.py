"""Reading the US Chess ratings API: events, standings, members, their sections, games, supplements and norms.

Nothing is fetched unless somebody asks. Every answer is kept on disk, so that a repeat costs the server nothing and an
interrupted fetch goes on where it stopped. The client was written from the published description of the API; it has met
no other server than the stand-in of our tests.
"""

from crosstable.uschess.answers import (
    EventSummary,
    MemberGame,
    MemberNorm,
    MemberSection,
    PostedChange,
    Supplement,
    SupplementRating,
)
from crosstable.uschess.client import (
    Answers,
    ApiMembers,
    FetchOptions,
    RatingsApi,
    event_of,
    games_before,
    member_of,
    members_file,
    with_counts,
)

__all__ = [
    "Answers",
    "ApiMembers",
    "EventSummary",
    "FetchOptions",
    "MemberGame",
    "MemberNorm",
    "MemberSection",
    "PostedChange",
    "RatingsApi",
    "Supplement",
    "SupplementRating",
    "event_of",
    "games_before",
    "member_of",
    "members_file",
    "with_counts",
]

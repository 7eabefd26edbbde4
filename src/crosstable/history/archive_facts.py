"""The facts of an archive beside its sections: outside ratings, openings and decisions, as every fold reads them."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from crosstable.history.archive import Archive
from crosstable.history.archive_tables import FIDE
from crosstable.record_rows import rating_from
from crosstable.replaying import Decision, DecisionKind, StartingRating
from crosstable.terms import OutsideRating, RatingSystem

# The details of a decision that has none, as most have.
NO_DETAILS = "{}"


class Opened(NamedTuple):
    """An opening standing and the row of its member."""

    member: int
    opening: StartingRating


class Decided(NamedTuple):
    """A decision and the row of its member, -1 where it is about none."""

    member: int
    decision: Decision


Outside = tuple[list[OutsideRating], list[OutsideRating]]


def outside_of(archive: Archive) -> dict[int, Outside]:
    """FIDE and CFC ratings by member, oldest first."""
    found: dict[int, Outside] = {}
    for member, body, as_of, rating in archive.outside.iter_rows():
        fide, cfc = found.setdefault(member, ([], []))
        (fide if body == FIDE else cfc).append(OutsideRating(rating, as_of))
    return found


def openings_of(archive: Archive) -> list[Opened]:
    """Every opening standing; a column ``member_id``, where there is one, says under which id it was recorded."""
    ids = archive.members["member_id"]
    rows = archive.openings.iter_rows(named=True)
    return [_opened(row.get("member_id") or ids[row["member"]], row) for row in rows]


def _opened(member_id: str, row: Mapping[str, Any]) -> Opened:
    opening = StartingRating(row["act"], member_id, RatingSystem(row["system"]), rating_from(row), row["source"])
    return Opened(row["member"], opening)


def decisions_of(archive: Archive) -> list[Decided]:
    """Every decision, in the order of the archive; ``member_id`` as with openings."""
    numbers = archive.decisions["member"]
    ids = archive.members["member_id"].gather(numbers.set(numbers < 0, None)).fill_null("")
    found = []
    for own_id, row in zip(ids, archive.decisions.iter_rows(named=True), strict=True):
        member_id = row.get("member_id") or own_id
        decision = Decision(
            row["act"],
            DecisionKind(row["kind"]),
            member_id,
            None if row["system"] is None else RatingSystem(row["system"]),
            row["effective"],
            row["value"],
            row["event_id"],
            row["section"],
            {} if row["details"] == NO_DETAILS else json.loads(row["details"]),
        )
        found.append(Decided(row["member"], decision))
    return _placed(archive, found)


def _placed(archive: Archive, decisions: list[Decided]) -> list[Decided]:
    """Decisions, of which those that grant a lower floor go with their match wherever it is; without it they wait."""
    granting = DecisionKind.GRANT_MATCH_FLOOR
    if not any(decision.kind is granting for _, decision in decisions):
        return decisions
    frame = archive.sections
    ends = dict(zip(zip(frame["event_id"], frame["number"], strict=True), frame["end"], strict=True))
    return [
        Decided(who, one._replace(effective=ends.get((one.event_id, one.section), date.max)))
        if one.kind is granting
        else Decided(who, one)
        for who, one in decisions
    ]

"""The rating records and histories of members as programs read them.

The public form is the same shape with what anybody may see: ``"public": true`` says that it is this form, and what is
not public is left out.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from crosstable.explanation.lines import FLOOR_NAMES
from crosstable.formulas.floors import Level
from crosstable.formulas.rounding import official_rating
from crosstable.office.ledger.postings import OWN, Posting
from crosstable.office.public import Shown
from crosstable.office.public_views import PublicHistoryLine, PublicMember, PublicSystem
from crosstable.office.titles import Title
from crosstable.office.views import HistoryLine, MemberView, SystemView
from crosstable.terms import FloorKind

RATINGS = {"format": "crosstable-office-standings/1"}
HISTORY = {"format": "crosstable-office-history/1"}


def _member(member_id: str, name: str, other_ids: Sequence[str], titles: Sequence[Title]) -> dict[str, Any]:
    earned = [{"title": one.kind.value, "earned": one.earned, "event": one.event_id or None} for one in titles]
    return {"member": member_id, "name": name, "other_ids": list(other_ids), "titles": earned}


def _own(view: MemberView, titles: Sequence[Title]) -> dict[str, Any]:
    return _member(view.member_id, view.person.name, view.other_ids, titles)


def _public(member: PublicMember) -> dict[str, Any]:
    return {"public": True, **_member(member.member_id, member.name, member.other_ids, member.titles)}


# Rating records


def ratings_document(view: MemberView, titles: Sequence[Title]) -> dict[str, Any]:
    """A member's rating records as the office has them."""
    return {**RATINGS, **_own(view, titles), "ratings": {one.system.name: system_object(one) for one in view.systems}}


def public_ratings_document(member: PublicMember, last: Mapping[str, Posting]) -> dict[str, Any]:
    """The same as anybody may see it; ``last`` has the newest posting in each system."""
    ratings = {one.system.name: _public_system(one, last[one.system.name]) for one in member.systems}
    return {**RATINGS, **_public(member), "ratings": ratings}


def system_object(one: SystemView) -> dict[str, Any]:
    """A member in one system as the office has it."""
    record, official = one.standing, one.official
    return {
        **(rating_object(record.rating, record.games) or {}),
        **{name: getattr(record, name) for name in ("wins", "draws", "losses", "peak")},
        "floor": None if one.floor.kind is FloorKind.NONE else _floor(one.floor),
        "ceiling": record.ceiling,
        "last": {"ended": one.last.ended, **_place(one.last)},
        "official": None if official is None else _official(official.month, official.rating, official.games),
    }


def _public_system(one: PublicSystem, last: Posting) -> dict[str, Any]:
    shown = one.official
    return {
        **(_shown_rating(one.live, last.rating_after) or {}),
        "floor": None if one.floor is None else _floor(one.floor),
        "last": {"ended": last.ended, **_place(last)},
        "official": None if shown is None else _official(one.month, official_rating(shown.rating), shown.games),
    }


def _floor(floor: Level) -> dict[str, Any]:
    return {"name": floor.kind.name.lower(), "level": floor.level}


def _official(month: str | None, rating: int, games: float | None) -> dict[str, Any]:
    return {"month": month, "rating": rating, "games": games_count(games)}


def _place(posting: Posting) -> dict[str, Any]:
    """The section that a posting comes from; a starting rating or a decision is the member's own and has none."""
    is_own = posting.event_id.startswith(OWN)
    return {"event": None if is_own else posting.event_id, "section": None if is_own else posting.section}


def games_count(games: float | None) -> float | int | None:
    """N for programs: a whole number where it is one."""
    return games if games is None or games != int(games) else int(games)


def rating_object(rating: float | None, games: float | None) -> dict[str, Any] | None:
    """A rating for programs, in full and rounded."""
    if rating is None or math.isnan(rating):
        return None
    return {"rating": rating, "rounded": official_rating(rating), "games": games_count(games)}


def _shown_rating(shown: Shown | None, exact: float | None) -> dict[str, Any] | None:
    """A rating as it is shown; the whole number is that of the exact one, which is not rounded twice."""
    if shown is None or exact is None:
        return None
    return {"rating": shown.rating, "rounded": official_rating(exact), "games": games_count(shown.games)}


# Histories


def history_document(view: MemberView, titles: Sequence[Title], lines: Sequence[HistoryLine]) -> dict[str, Any]:
    """A member's history as the office has it."""
    return {**HISTORY, **_own(view, titles), "lines": [_history_line(line) for line in lines]}


def public_history_document(member: PublicMember, lines: Sequence[PublicHistoryLine]) -> dict[str, Any]:
    """The same as anybody may see it."""
    return {**HISTORY, **_public(member), "lines": [_public_history_line(line) for line in lines]}


def _history_line(line: HistoryLine) -> dict[str, Any]:
    one = line.posting
    before = rating_object(one.rating_before, one.games_before)
    after = rating_object(one.rating_after, one.games_after)
    return {**_posting(line, one, before, after), "note": posting_note(one) or None}


def _public_history_line(line: PublicHistoryLine) -> dict[str, Any]:
    one, shown = line.posting.posting, line.posting
    before = _shown_rating(shown.before, one.rating_before)
    return _posting(line, one, before, _shown_rating(shown.after, one.rating_after))


def _posting(
    line: HistoryLine | PublicHistoryLine, one: Posting, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "ended": one.ended,
        **_place(one),
        "name": line.event_name,
        "section_name": line.section_name,
        "system": one.system.name,
        "before": before,
        "after": after,
        "played": one.played,
        "score": one.score,
    }


def posting_note(one: Posting) -> str:
    """What is special about a posting: its floor, its norm, what was assumed."""
    notes = []
    if one.floor_kind is not None:
        notes.append(f"{FLOOR_NAMES[FloorKind(one.floor_kind)]} {one.floor_level:g}")
    if one.requested_floor is not None:
        notes.append(f"asks for the floor {one.requested_floor:g}")
    if one.norm:
        notes.append(f"norm {one.norm}")
    if one.assumed:
        notes.append("something assumed")
    return ", ".join(notes)

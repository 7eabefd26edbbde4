"""The journal, rating changes, rating records and histories of an office as programs read them.

Each has one writer. The public form is the same shape with what anybody may see: ``"public": true`` says that it is
this form, and what is not public is left out.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crosstable.cli.office_drawing import games_count, rating_object
from crosstable.cli.office_titles import title_objects
from crosstable.explanation.lines import FLOOR_NAMES
from crosstable.formulas.floors import Level
from crosstable.formulas.rounding import official_rating
from crosstable.office.ledger.acts import Act
from crosstable.office.ledger.postings import OWN, Posting
from crosstable.office.public import PublicAct, PublicRipple, Shown
from crosstable.office.public_views import PublicHistoryLine, PublicMember, PublicSystem
from crosstable.office.titles import Title
from crosstable.office.views import HistoryLine, MemberView, RippleRow, SystemView
from crosstable.terms import FloorKind

# What reveals more of a member than the journal may show.
PRIVATE = ("birth_date", "birth_year")


# log


def log_document(acts: Sequence[Act | PublicAct], *, is_public: bool) -> dict[str, Any]:
    """``crosstable-office-log/1``."""
    public = {"public": True} if is_public else {}
    return {"format": "crosstable-office-log/1", **public, "acts": [_act(act) for act in acts]}


def _act(act: Act | PublicAct) -> dict[str, Any]:
    found = {
        "act": act.seq,
        "at": act.at.isoformat(),
        "kind": str(act.kind),
        "by": act.actor,
        "reason": act.reason,
        "about": act.subject,
    }
    if isinstance(act, PublicAct):
        return {**found, "after": dict(act.said)}
    return {**found, "before": _shown(act.before), "after": _shown(act.after), "digest": act.digest}


def _shown(value: Any) -> Any:  # noqa: ANN401 (what an entry wrote is any JSON)
    """What a journal entry wrote, without the birth date of a member."""
    if not isinstance(value, dict):
        return value
    return {name: "not shown" if name in PRIVATE and inner else inner for name, inner in value.items()}


# ripple


def ripple_document(
    run: int | None, lines: Sequence[RippleRow | PublicRipple], causes: Iterable[Act | PublicAct], *, is_public: bool
) -> dict[str, Any]:
    """``crosstable-office-ripple/1``: the rating changes of a run, and the journal entries that caused them."""
    return {
        "format": "crosstable-office-ripple/1",
        **({"public": True} if is_public else {}),
        "run": run if run is not None else lines[0].run if lines else None,
        "lines": [_ripple_line(line) for line in lines],
        "acts": {
            str(act.seq): {"kind": str(act.kind), "subject": act.subject, "by": act.actor, "reason": act.reason}
            for act in causes
        },
    }


def _ripple_line(line: RippleRow | PublicRipple) -> dict[str, Any]:
    if isinstance(line, PublicRipple):
        before, after = (None if end is None else end.rating for end in (line.before, line.after))
        change = line.change
    else:
        before, after = line.rating_before, line.rating_after
        change = None if math.isnan(line.change) else line.change
    return {
        "run": line.run,
        "member": line.member_id,
        "name": line.name,
        "system": line.system.name,
        "before": before,
        "after": after,
        "change": change,
        "sections": [list(place) for place in line.sections],
        "acts": list(line.causes),
    }


# standings


def standings_document(view: MemberView, titles: Sequence[Title]) -> dict[str, Any]:
    """``crosstable-office-standings/1`` as the office has it."""
    ratings = {one.system.name: system_object(one) for one in view.systems}
    return _standings(_member(view, titles), ratings)


def public_standings_document(member: PublicMember, last: Mapping[str, Posting]) -> dict[str, Any]:
    """The same as anybody may see it; ``last`` has the newest posting in each system."""
    ratings = {one.system.name: _public_system(one, last[one.system.name]) for one in member.systems}
    return _standings(_public_member(member), ratings)


def _standings(member: Mapping[str, Any], ratings: Mapping[str, Any]) -> dict[str, Any]:
    return {"format": "crosstable-office-standings/1", **member, "ratings": ratings}


def _member(view: MemberView, titles: Sequence[Title]) -> dict[str, Any]:
    return {
        "member": view.member_id,
        "name": view.person.name,
        "other_ids": list(view.other_ids),
        "titles": title_objects(titles),
    }


def _public_member(member: PublicMember) -> dict[str, Any]:
    return {
        "public": True,
        "member": member.member_id,
        "name": member.name,
        "other_ids": list(member.other_ids),
        "titles": title_objects(member.titles),
    }


def system_object(one: SystemView) -> dict[str, Any]:
    """A member in one system as the office has it."""
    standing, official = one.standing, one.official
    return {
        **(rating_object(standing.rating, standing.games) or {}),
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "peak": standing.peak,
        "floor": None if one.floor.kind is FloorKind.NONE else _floor(one.floor),
        "ceiling": standing.ceiling,
        "last": {"ended": one.last.ended, **_place(one.last)},
        "official": None if official is None else _official(official.month, official.rating, official.games),
    }


def _public_system(one: PublicSystem, last: Posting) -> dict[str, Any]:
    official = one.official
    return {
        **(_shown_rating(one.live, last.rating_after) or {}),
        "floor": None if one.floor is None else _floor(one.floor),
        "last": {"ended": last.ended, **_place(last)},
        "official": None
        if official is None
        else _official(one.month, official_rating(official.rating), official.games),
    }


def _floor(floor: Level) -> dict[str, Any]:
    return {"name": floor.kind.name.lower(), "level": floor.level}


def _official(month: str | None, rating: int, games: float | None) -> dict[str, Any]:
    return {"month": month, "rating": rating, "games": games_count(games)}


def _place(posting: Posting) -> dict[str, Any]:
    """The section that a posting comes from; a starting rating or a decision is the member's own and has none."""
    is_own = posting.event_id.startswith(OWN)
    return {"event": None if is_own else posting.event_id, "section": None if is_own else posting.section}


def _shown_rating(shown: Shown | None, exact: float | None) -> dict[str, Any] | None:
    """A rating as it is shown; the whole number is that of the exact one, which is not rounded twice."""
    if shown is None or exact is None:
        return None
    return {"rating": shown.rating, "rounded": official_rating(exact), "games": games_count(shown.games)}


# history


def history_document(view: MemberView, titles: Sequence[Title], lines: Sequence[HistoryLine]) -> dict[str, Any]:
    """``crosstable-office-history/1`` as the office has it."""
    return _history(_member(view, titles), [_history_line(line) for line in lines])


def public_history_document(member: PublicMember, lines: Sequence[PublicHistoryLine]) -> dict[str, Any]:
    """The same as anybody may see it."""
    return _history(_public_member(member), [_public_history_line(line) for line in lines])


def _history(member: Mapping[str, Any], lines: list[dict[str, Any]]) -> dict[str, Any]:
    return {"format": "crosstable-office-history/1", **member, "lines": lines}


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

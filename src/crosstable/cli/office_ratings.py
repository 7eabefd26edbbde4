"""``office ratings``, ``history``, ``explain``: what a member has, and how it came about, now or on a past day.

With ``--public`` the answers are those that anybody may see, in posted numbers.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import Any

from crosstable.cli.event_files import explained_text
from crosstable.cli.office_access import office_command, opened
from crosstable.cli.office_changes import change_text, rating_figure
from crosstable.cli.options import Parser, option
from crosstable.cli.printing import columns, print_json, print_table, say, warn
from crosstable.engine import RatedSection
from crosstable.errors import OfficeError
from crosstable.explanation import explain, lines_text
from crosstable.explanation.words import FLOOR_NAMES
from crosstable.formulas.outcome import Level, official_rating
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.postings import OWN, Posting
from crosstable.office.public import PublicHistoryLine, PublicMember, PublicOffice, PublicSystem, Shown
from crosstable.office.titles import Title, titles_of
from crosstable.office.views import (
    FloorView,
    HistoryLine,
    MemberView,
    SectionView,
    SystemView,
    known,
    member_view,
    section_view,
)
from crosstable.office.views import history as history_of
from crosstable.output.words import rating_text
from crosstable.pipeline.explaining import explained_document
from crosstable.rules.editions import EDITIONS
from crosstable.sentences import american
from crosstable.terms import FloorKind, PlayerRating

RATING_COLUMNS = columns("System", ">Rating", ">Exact", ">Games", ">Official", "Floor", ">Peak", "Last rated")
PUBLIC_RATING_COLUMNS = columns("System", ">Rating", ">Official")
HISTORY_COLUMNS = columns("Ended", "Event/section", "Name", "System", ">Before", ">After", ">Change", ">Score", "Note")
RATINGS = {"format": "crosstable-office-standings/1"}
HISTORY = {"format": "crosstable-office-history/1"}
SHARED = ("member", "--known-on", "--json", "--public")


def posted_text(rating: float | None, games: float | None) -> str:
    """A rating as crosstables print it: ``1641P17``."""
    return "" if rating is None else rating_text(EDITIONS[-1].constants, PlayerRating(rating, games))


def _title(member_id: str, name: str, other_ids: Sequence[str], state: str) -> str:
    also = f", also {', '.join(other_ids)}" if other_ids else ""
    return f"{name or '(no name)'} ({member_id}{also}{f', {state}' if state else ''})"


def _title_of(view: MemberView) -> str:
    return _title(view.member_id, view.person.name, view.other_ids, view.person.state)


def _public_title(member: PublicMember) -> str:
    return _title(member.member_id, member.name, member.other_ids, member.state)


def add_ratings(made: Parser) -> None:
    """What ``office ratings`` takes."""
    office_command(made, _ratings, *SHARED)


def _ratings(options: argparse.Namespace) -> None:
    titles: Sequence[Title]
    with opened(options) as office, office.reading() as connection:
        if options.public:
            public = PublicOffice(connection, options.known_on)
            member = public.member(options.member)
            last = {one.posting.system.name: one.posting for one in public.postings(options.member)}
            document, titles, title = _public_ratings_document(member, last), member.titles, _public_title(member)
            shown, rows = PUBLIC_RATING_COLUMNS, [_public_row(one) for one in member.systems]
        else:
            view = member_view(connection, options.member, options.known_on)
            titles = titles_of(connection, options.member, options.known_on)
            document, title = _ratings_document(view, titles), _title_of(view)
            shown, rows = RATING_COLUMNS, [_rating_row(one) for one in view.systems]
    if options.json:
        print_json(document)
        return
    say(title)
    if titles:
        say("titles: " + ", ".join(f"{title.kind.value} ({american(title.earned)})" for title in titles))
    print_table(shown, rows, "no rating yet")
    for one in () if options.public else view.systems:
        for floor in one.floors:
            if floor.entry is not None or floor.lowered_by is not None:
                say(f"{one.system.name}: {_floor_words(floor)}")


def _floor_words(floor: FloorView) -> str:
    """A floor that somebody set or lowered: its level, since when, and by which entries."""
    since = "" if floor.since is None else f" since {american(floor.since)}"
    entry = "" if floor.entry is None else f" (entry {floor.entry})"
    lowered = "" if floor.lowered_by is None else f", lowered from {floor.was:g} by entry {floor.lowered_by}"
    return f"{FLOOR_NAMES[floor.origin]} {floor.level:g}{since}{entry}{lowered}"


def _rating_row(one: SystemView) -> tuple[str, ...]:
    record, official = one.standing, one.official
    return (
        one.system.name,
        posted_text(record.rating, record.games),
        rating_figure(record.rating),
        "" if record.games is None else f"{record.games:g}",
        "" if official is None else f"{posted_text(float(official.rating), official.games)} ({official.month})",
        _floor_text(one),
        rating_figure(record.peak),
        f"{one.last.ended} {f'({_place(one.last)})' if one.last.event_id.startswith(OWN) else _place(one.last)}",
    )


def _public_row(one: PublicSystem) -> tuple[str, ...]:
    official = "" if one.official is None else f"{one.official.text} ({one.month})"
    return one.system.name, one.live.text, official


def _floor_text(one: SystemView) -> str:
    """A member's floor and where it comes from."""
    if one.floor.kind is FloorKind.NONE:
        return ""
    ceiling = "" if one.standing.ceiling is None else f", ceiling {one.standing.ceiling:g}"
    return f"{one.floor.level:g} {FLOOR_NAMES[one.floor.kind]}{ceiling}"


def _place(posting: Posting) -> str:
    """Where a posting comes from: its section, or the journal entry of the member's own starting rating or decision."""
    is_own = posting.event_id.startswith(OWN)
    return f"entry {posting.section}" if is_own else f"{posting.event_id}/{posting.section}"


def system_line(one: SystemView) -> str:
    """A member in one system, in one line."""
    floor = _floor_text(one)
    exact = f"{rating_figure(one.standing.rating)}{f', floor {floor}' if floor else ''}"
    return f"{one.system.name} {posted_text(one.standing.rating, one.standing.games)} ({exact})"


def add_history(made: Parser) -> None:
    """What ``office history`` takes."""
    office_command(made, _history, *SHARED, "--system")


def _history(options: argparse.Namespace) -> None:
    with opened(options) as office, office.reading() as connection:
        if options.public:
            public = PublicOffice(connection, options.known_on)
            member, every = public.member(options.member), public.history(options.member)
            some = [line for line in every if options.system in (None, line.posting.posting.system.name)]
            document, title = _public_history_document(member, some), _public_title(member)
            rows = [_public_history_row(line) for line in some]
        else:
            view = member_view(connection, options.member, options.known_on)
            lines = history_of(connection, options.member, options.known_on)
            chosen = [line for line in lines if options.system in (None, line.posting.system.name)]
            titles = titles_of(connection, options.member, options.known_on)
            document, title = _history_document(view, titles, chosen), _title_of(view)
            rows = [_history_row(line) for line in chosen]
    if options.json:
        print_json(document)
        return
    say(title)
    print_table(HISTORY_COLUMNS, rows, "nothing rated yet")


def _history_row(line: HistoryLine) -> tuple[str, ...]:
    one = line.posting
    return (
        *_played(line, one),
        posted_text(one.rating_before, one.games_before) or "Unrated",
        posted_text(one.rating_after, one.games_after),
        change_text(one.rating_before, one.rating_after),
        "" if one.played is None else f"{one.score:g}/{one.played}",
        _posting_note(one),
    )


def _public_history_row(line: PublicHistoryLine) -> tuple[str, ...]:
    one, shown = line.posting.posting, line.posting
    before, after = ("Unrated" if shown.before is None else shown.before.text), shown.after
    score = "" if one.played is None else f"{one.score:g}/{one.played}"
    return *_played(line, one), before, "" if after is None else after.text, "", score, ""


def _played(line: HistoryLine | PublicHistoryLine, one: Posting) -> tuple[str, ...]:
    is_told = line.section_name in ("", line.event_name)
    name = line.event_name if is_told else f"{line.event_name}, {line.section_name}"
    return one.ended.isoformat(), _place(one), name, one.system.name


def add_explain(made: Parser) -> None:
    """What ``office explain`` takes."""
    office_command(made, _explain, *SHARED, "--system")
    option(made, "section EVENT/SECTION", "the event's id, and the section's number if needed")


def _explain(options: argparse.Namespace) -> None:
    """The calculation of a member's rating in a section, replayed from what stood before it."""
    with opened(options) as office, office.reading() as connection:
        if options.public:
            _explain_public(PublicOffice(connection, options.known_on), options)
            return
        record = known(connection, options.known_on).record
        member = record.one_id(options.member)
        event_id, number = _place_of(record, options.section, member)
        chosen = _chosen(section_view(connection, event_id, number, options.known_on), member, options)
        postings = [line.posting for line in history_of(connection, member, options.known_on)]
    posted = {(one.event_id, one.section, one.system): one.rating_after for one in postings}
    for rated in chosen:
        player = next(player for player in rated.players if player.member_id == member)
        lines = explain(rated, player.number)
        if options.json:
            print_json({**explained_document(rated, player.number, lines), "event": event_id, "member": member})
            continue
        for line in explained_text(rated, player.number, lines).splitlines():
            say(line)
        found = posted.get((event_id, number, rated.system))
        if player.after is not None and found != player.after.rating:
            shown = rating_figure(found) or "nothing"
            warn(f"note: {shown} is posted; the record changed since the last run; to rate: crosstable office rerate")


def _explain_public(office: PublicOffice, options: argparse.Namespace) -> None:
    member = office.record.one_id(options.member)
    event_id, number = _place_of(office.record, options.section, member)
    rows = [row for one in office.section(event_id, number) for row in one.rows if row.member_id == member]
    if not rows:
        raise OfficeError(f"member {options.member} has no rating in section {number} of event {event_id}")
    row = rows[0]
    words = office.explain(event_id, number, row.number)
    heading = office.record.heading(event_id, number)
    for one in () if heading is None else office.rated(heading):
        if options.system not in (None, one.system.name):
            continue
        lines = words[one.system]
        if options.json:
            where = {"public": True, "event": event_id, "member": member}
            print_json({**explained_document(one, row.number, lines), **where})
        else:
            text = f"{row.name or member}, section {number}, {one.system.name}\n{lines_text(lines)}\n"
            for line in text.splitlines():
                say(line)


def _place_of(record: Record, text: str, member: str) -> tuple[str, int]:
    """An event and a section as they were typed; without a section, the only one that the member played in."""
    event_id, slash, number = text.rpartition("/")
    if slash and number.isdecimal():
        return event_id, int(number)
    played = sorted(place[1] for place in record.sections_of(record.same_member(member)) if place[0] == text)
    if len(played) == 1:
        return text, played[0]
    if not played:
        raise OfficeError(
            f"member {member} did not play in event {text}; crosstable office history {member} lists their events"
        )
    which = " or ".join(f"{text}/{one}" for one in played)
    raise OfficeError(f"member {member} played in several sections of event {text}; say {which}")


def _chosen(view: SectionView, member: str, options: argparse.Namespace) -> list[RatedSection]:
    heading = view.heading
    where = f"section {heading.number} of event {heading.event_id}"
    if heading.state is not State.ACCEPTED:
        raise OfficeError(f"{where} is {heading.state.value}, so it is not rated")
    if not any(player.member_id == member for rated in view.rated for player in rated.players):
        raise OfficeError(f"member {options.member} did not play in {where}")
    chosen = [rated for rated in view.rated if options.system in (None, rated.system.name)]
    if not chosen:
        systems = ", ".join(rated.system.name for rated in view.rated)
        raise OfficeError(f"{where} is rated {systems}, not {options.system}")
    return chosen


# A member for programs. The public form is the same shape with what anybody may see, and says so.


def _member(member_id: str, name: str, other_ids: Sequence[str], titles: Sequence[Title]) -> dict[str, Any]:
    earned = [{"title": one.kind.value, "earned": one.earned, "event": one.event_id or None} for one in titles]
    return {"member": member_id, "name": name, "other_ids": list(other_ids), "titles": earned}


def _own(view: MemberView, titles: Sequence[Title]) -> dict[str, Any]:
    return _member(view.member_id, view.person.name, view.other_ids, titles)


def _public(member: PublicMember) -> dict[str, Any]:
    return {"public": True, **_member(member.member_id, member.name, member.other_ids, member.titles)}


def _ratings_document(view: MemberView, titles: Sequence[Title]) -> dict[str, Any]:
    """A member's rating records as the office has them."""
    return {**RATINGS, **_own(view, titles), "ratings": {one.system.name: system_object(one) for one in view.systems}}


def _public_ratings_document(member: PublicMember, last: Mapping[str, Posting]) -> dict[str, Any]:
    """The same as anybody may see it; ``last`` has the newest posting in each system."""
    ratings = {one.system.name: _public_system(one, last[one.system.name]) for one in member.systems}
    return {**RATINGS, **_public(member), "ratings": ratings}


def system_object(one: SystemView) -> dict[str, Any]:
    """A member in one system as the office has it."""
    record, official = one.standing, one.official
    return {
        **(_rating_object(record.rating, record.games) or {}),
        **{name: getattr(record, name) for name in ("wins", "draws", "losses", "peak")},
        "floor": None if one.floor.kind is FloorKind.NONE else _floor(one.floor),
        "floors": [{**each._asdict(), "origin": each.origin.name.lower()} for each in one.floors],
        "ceiling": record.ceiling,
        "last": {"ended": one.last.ended, **_place_object(one.last)},
        "official": None if official is None else _official(official.month, official.rating, official.games),
    }


def _public_system(one: PublicSystem, last: Posting) -> dict[str, Any]:
    shown = one.official
    return {
        **(_shown_rating(one.live, last.rating_after) or {}),
        "floor": None if one.floor is None else _floor(one.floor),
        "last": {"ended": last.ended, **_place_object(last)},
        "official": None if shown is None else _official(one.month, official_rating(shown.rating), shown.games),
    }


def _floor(floor: Level) -> dict[str, Any]:
    return {"name": floor.kind.name.lower(), "level": floor.level}


def _official(month: str | None, rating: int, games: float | None) -> dict[str, Any]:
    return {"month": month, "rating": rating, "games": games_count(games)}


def _place_object(posting: Posting) -> dict[str, Any]:
    """The section that a posting comes from; a starting rating or a decision is the member's own and has none."""
    is_own = posting.event_id.startswith(OWN)
    return {"event": None if is_own else posting.event_id, "section": None if is_own else posting.section}


def games_count(games: float | None) -> float | int | None:
    """N for programs: a whole number where it is one."""
    return games if games is None or games != int(games) else int(games)


def _rating_object(rating: float | None, games: float | None) -> dict[str, Any] | None:
    """A rating for programs, in full and rounded."""
    if rating is None or math.isnan(rating):
        return None
    return {"rating": rating, "rounded": official_rating(rating), "games": games_count(games)}


def _shown_rating(shown: Shown | None, exact: float | None) -> dict[str, Any] | None:
    """A rating as it is shown; the whole number is that of the exact one, which is not rounded twice."""
    if shown is None or exact is None:
        return None
    return {"rating": shown.rating, "rounded": official_rating(exact), "games": games_count(shown.games)}


# Histories for programs


def _history_document(view: MemberView, titles: Sequence[Title], lines: Sequence[HistoryLine]) -> dict[str, Any]:
    """A member's history as the office has it."""
    return {**HISTORY, **_own(view, titles), "lines": [_history_line(line) for line in lines]}


def _public_history_document(member: PublicMember, lines: Sequence[PublicHistoryLine]) -> dict[str, Any]:
    """The same as anybody may see it."""
    return {**HISTORY, **_public(member), "lines": [_public_history_line(line) for line in lines]}


def _history_line(line: HistoryLine) -> dict[str, Any]:
    one = line.posting
    before = _rating_object(one.rating_before, one.games_before)
    after = _rating_object(one.rating_after, one.games_after)
    return {**_posting(line, one, before, after), "note": _posting_note(one) or None}


def _public_history_line(line: PublicHistoryLine) -> dict[str, Any]:
    one, shown = line.posting.posting, line.posting
    before = _shown_rating(shown.before, one.rating_before)
    return _posting(line, one, before, _shown_rating(shown.after, one.rating_after))


def _posting(
    line: HistoryLine | PublicHistoryLine, one: Posting, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "ended": one.ended,
        **_place_object(one),
        "name": line.event_name,
        "section_name": line.section_name,
        "system": one.system.name,
        "before": before,
        "after": after,
        "played": one.played,
        "score": one.score,
    }


def _posting_note(one: Posting) -> str:
    """What is special about a posting: its floor, its norm, what was assumed."""
    notes = []
    if one.floor_kind is not None:
        notes.append(f"{FLOOR_NAMES[FloorKind(one.floor_kind)]} {one.floor_level:g}")
    if one.requested_floor is not None:
        notes.append(f"floor {one.requested_floor:g} requested")
    if one.norm:
        notes.append(f"norm {one.norm}")
    if one.assumed:
        notes.append("with assumptions")
    return ", ".join(notes)

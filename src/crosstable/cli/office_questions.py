"""``office ratings`` and ``history``: what a member has, and how it came about, as known now or on a past day."""

import argparse
from typing import TYPE_CHECKING

from crosstable.cli.office_desk import SYSTEMS, add_command, add_public_option, add_question_options, opened
from crosstable.cli.office_documents import history_document, posting_note, standings_document
from crosstable.cli.office_drawing import (
    Column,
    change_text,
    print_json,
    print_table,
    rating_figure,
    say,
    standing_text,
)
from crosstable.cli.office_explain import add_explain
from crosstable.cli.office_log import add_log
from crosstable.cli.office_titles import titles_text
from crosstable.explanation.lines import FLOOR_NAMES
from crosstable.office.ledger.postings import OWN, Posting
from crosstable.office.titles import titles_of
from crosstable.office.views import (
    HistoryLine,
    MemberView,
    SystemView,
    history,
    member_view,
)
from crosstable.terms import FloorKind

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands

STANDING_COLUMNS = (
    Column("System"),
    Column("Rating", is_right=True),
    Column("Exact", is_right=True),
    Column("Games", is_right=True),
    Column("Official", is_right=True),
    Column("Floor"),
    Column("Peak", is_right=True),
    Column("Last rated"),
)
HISTORY_COLUMNS = (
    Column("Ended"),
    Column("Event/section"),
    Column("Name"),
    Column("System"),
    Column("Before", is_right=True),
    Column("After", is_right=True),
    Column("Change", is_right=True),
    Column("Score", is_right=True),
    Column("Note"),
)


def add(commands: "Commands") -> None:
    """The commands of this module."""
    standings = add_command(commands, "ratings", "a member's ratings in every system, with floors", _standings)
    lines = add_command(commands, "history", "everything that moved a member's ratings, section by section", _history)
    lines.add_argument("--system", choices=SYSTEMS, help="one system (default: all)")
    for made in (standings, lines):
        made.add_argument("member", metavar="MEMBER", help="the member's id")
        add_question_options(made)
        add_public_option(made)
    add_explain(commands)
    add_log(commands)


# standings


def _standings(options: argparse.Namespace) -> int:
    if options.public:
        from crosstable.cli import office_public

        return office_public.standings(options)
    with opened(options) as office, office.reading() as connection:
        view = member_view(connection, options.member, options.known_on)
        titles = titles_of(connection, options.member, options.known_on)
    if options.json:
        print_json(standings_document(view, titles))
        return 0
    say(member_title(view))
    if titles:
        say(titles_text(titles))
    if view.systems:
        print_table(STANDING_COLUMNS, [_standing_row(one) for one in view.systems])
    else:
        say("no rating yet")
    return 0


def member_title(view: MemberView) -> str:
    """A member in one line."""
    also = f", also {', '.join(view.other_ids)}" if view.other_ids else ""
    state = f", {view.person.state}" if view.person.state else ""
    return f"{view.person.name or 'a member without a name'} ({view.member_id}{also}{state})"


def _standing_row(one: SystemView) -> tuple[str, ...]:
    standing = one.standing
    return (
        one.system.name,
        standing_text(standing.rating, standing.games),
        rating_figure(standing.rating),
        "" if standing.games is None else f"{standing.games:g}",
        _official_text(one),
        floor_text(one),
        "" if standing.peak is None else rating_figure(standing.peak),
        place_text(one.last),
    )


def _official_text(one: SystemView) -> str:
    official = one.official
    if official is None:
        return ""
    return f"{standing_text(float(official.rating), official.games)} ({official.month})"


def floor_text(one: SystemView) -> str:
    """A member's floor and where it comes from."""
    if one.floor.kind is FloorKind.NONE:
        return ""
    ceiling = "" if one.standing.ceiling is None else f", ceiling {one.standing.ceiling:g}"
    return f"{one.floor.level:g} {FLOOR_NAMES[one.floor.kind]}{ceiling}"


def place_text(posting: Posting) -> str:
    """Where a posting comes from: its section, or the member's own opening or decision."""
    if posting.event_id.startswith(OWN):
        return f"{posting.ended} (act {posting.section})"
    return f"{posting.ended} {posting.event_id}/{posting.section}"


def system_line(one: SystemView) -> str:
    """A member in one system, in one line."""
    floor = floor_text(one)
    exact = f"{rating_figure(one.standing.rating)}{f', floor {floor}' if floor else ''}"
    return f"{one.system.name} {standing_text(one.standing.rating, one.standing.games)} ({exact})"


# history


def _history(options: argparse.Namespace) -> int:
    if options.public:
        from crosstable.cli import office_public

        return office_public.history(options)
    with opened(options) as office, office.reading() as connection:
        view = member_view(connection, options.member, options.known_on)
        lines = history(connection, options.member, options.known_on)
        titles = titles_of(connection, options.member, options.known_on)
    chosen = [line for line in lines if options.system in (None, line.posting.system.name)]
    if options.json:
        print_json(history_document(view, titles, chosen))
        return 0
    say(member_title(view))
    if chosen:
        print_table(HISTORY_COLUMNS, [_history_row(line) for line in chosen])
    else:
        say("nothing rated yet")
    return 0


def _history_row(line: HistoryLine) -> tuple[str, ...]:
    one = line.posting
    is_told = line.section_name in ("", line.event_name)
    name = line.event_name if is_told else f"{line.event_name}, {line.section_name}"
    place = f"act {one.section}" if one.event_id.startswith(OWN) else f"{one.event_id}/{one.section}"
    return (
        one.ended.isoformat(),
        place,
        name,
        one.system.name,
        standing_text(one.rating_before, one.games_before) or "Unrated",
        standing_text(one.rating_after, one.games_after),
        change_text(one.rating_before, one.rating_after),
        "" if one.played is None else f"{one.score:g}/{one.played}",
        posting_note(one),
    )

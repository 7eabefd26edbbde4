"""Questions with ``--public``: the same answers as anybody may see them, in posted numbers."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from crosstable.cli.explain import lines_text
from crosstable.cli.office_desk import opened
from crosstable.cli.office_documents import (
    log_document,
    public_history_document,
    public_standings_document,
    ripple_document,
)
from crosstable.cli.office_drawing import Column, print_json, print_table, say
from crosstable.cli.office_explain import place_of
from crosstable.cli.office_titles import titles_text
from crosstable.errors import OfficeError
from crosstable.office.ledger.postings import OWN
from crosstable.office.public_views import PublicHistoryLine, PublicMember, PublicOffice, PublicSystem
from crosstable.pipeline.explaining import explained_document

STANDING_COLUMNS = (
    Column("System"),
    Column("Rating", is_right=True),
    Column("Official", is_right=True),
)
HISTORY_COLUMNS = (
    Column("Ended"),
    Column("Event/section"),
    Column("Name"),
    Column("System"),
    Column("Before", is_right=True),
    Column("After", is_right=True),
    Column("Score", is_right=True),
)


LOG_COLUMNS = (
    Column("Act", is_right=True),
    Column("When (UTC)"),
    Column("Who"),
    Column("What"),
    Column("About"),
    Column("Why", is_broken=True),
)
RIPPLE_COLUMNS = (
    Column("Member"),
    Column("Name"),
    Column("System"),
    Column("Before", is_right=True),
    Column("After", is_right=True),
    Column("Through"),
    Column("Because of"),
)


@contextmanager
def public_office(options: argparse.Namespace) -> Iterator[PublicOffice]:
    """The office as anybody may see it."""
    with opened(options) as office, office.reading() as connection:
        yield PublicOffice(connection, options.known_on)


def standings(options: argparse.Namespace) -> int:
    """``office ratings --public``."""
    with public_office(options) as office:
        member = office.member(options.member)
        last = {one.posting.system.name: one.posting for one in office.postings(options.member)}
    if options.json:
        print_json(public_standings_document(member, last))
        return 0
    say(_title(member))
    if member.titles:
        say(titles_text(member.titles))
    if member.systems:
        print_table(STANDING_COLUMNS, [_standing_row(one) for one in member.systems])
    else:
        say("no rating yet")
    return 0


def _title(member: PublicMember) -> str:
    also = f", also {', '.join(member.other_ids)}" if member.other_ids else ""
    state = f", {member.state}" if member.state else ""
    return f"{member.name or 'a member without a name'} ({member.member_id}{also}{state})"


def _standing_row(one: PublicSystem) -> tuple[str, ...]:
    official = "" if one.official is None else f"{one.official.text} ({one.month})"
    return one.system.name, one.live.text, official


def history(options: argparse.Namespace) -> int:
    """``office history --public``."""
    with public_office(options) as office:
        member = office.member(options.member)
        every = office.history(options.member)
    lines = [line for line in every if options.system in (None, line.posting.posting.system.name)]
    if options.json:
        print_json(public_history_document(member, lines))
        return 0
    say(_title(member))
    if lines:
        print_table(HISTORY_COLUMNS, [_history_row(line) for line in lines])
    else:
        say("nothing rated yet")
    return 0


def _history_row(line: PublicHistoryLine) -> tuple[str, ...]:
    one, shown = line.posting.posting, line.posting
    is_told = line.section_name in ("", line.event_name)
    return (
        one.ended.isoformat(),
        f"act {one.section}" if one.event_id.startswith(OWN) else f"{one.event_id}/{one.section}",
        line.event_name if is_told else f"{line.event_name}, {line.section_name}",
        one.system.name,
        "Unrated" if shown.before is None else shown.before.text,
        "" if shown.after is None else shown.after.text,
        "" if one.played is None else f"{one.score:g}/{one.played}",
    )


def explain(options: argparse.Namespace) -> int:
    """``office explain --public``."""
    with public_office(options) as office:
        record = office.record
        member = record.one_id(options.member)
        event_id, number = place_of(record, options.section, member)
        sections = office.section(event_id, number)
        row = next((row for one in sections for row in one.rows if row.member_id == member), None)
        if row is None:
            raise OfficeError(f"member {options.member} has no rating in section {number} of event {event_id}")
        words = office.explain(event_id, number, row.number)
        rated = office.rated(heading) if (heading := record.heading(event_id, number)) is not None else ()
    for one in rated:
        if options.system not in (None, one.system.name):
            continue
        lines = words[one.system]
        if options.json:
            where = {"public": True, "event": event_id, "member": member}
            print_json({**explained_document(one, row.number, lines), **where})
        else:
            say(f"{row.name or member}, section {number}, {one.system.name}")
            for line in lines_text(lines).splitlines():
                say(line)
            say("")
    return 0


def log(options: argparse.Namespace) -> int:
    """``office log --public``."""
    with public_office(options) as office:
        every = office.log()
    found = [act for act in every if options.subject in ("", act.subject) and act.kind in (options.kind or [act.kind])]
    if options.last is not None:
        found = found[-options.last :]
    if options.json:
        print_json(log_document(found, is_public=True))
    elif found:
        rows = [
            (str(act.seq), f"{act.at:%Y-%m-%d %H:%M}", act.actor, act.kind, act.subject, act.reason) for act in found
        ]
        print_table(LOG_COLUMNS, rows)
    else:
        say("no such act")
    return 0


def ripple(options: argparse.Namespace, run: int) -> int:
    """``office changes RUN --public``."""
    with public_office(options) as office:
        lines = office.ripple(run)
        causes = office.acts({act for line in lines for act in line.causes})
    if options.json:
        print_json(ripple_document(run, lines, causes, is_public=True))
        return 0
    rows = [
        (
            line.member_id,
            line.name,
            line.system.name,
            "" if line.before is None else line.before.text,
            "" if line.after is None else line.after.text,
            ", ".join(f"{event}/{number}" for event, number in line.sections if not event.startswith(OWN)),
            f"act {', '.join(map(str, line.causes))}",
        )
        for line in lines
    ]
    if rows:
        print_table(RIPPLE_COLUMNS, rows)
    else:
        say("nobody's rating changed")
    return 0

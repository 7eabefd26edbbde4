"""Who was erased, and reports that name them again: what a file says of such a person is not taken in.

A director's file, or a correction of an old event, has the name that the office has erased. Every report goes through
``without_erased`` before it is checked, so that neither rows nor findings, journal or answers say it; the file itself
is not kept then. The results count as before, and so does a start that was kept for them.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from crosstable.checks.findings import section_number
from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.office import tables
from crosstable.office.ledger.commitments import ERASED
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import EntryKind
from crosstable.office.sections import reported_section
from crosstable.terms import Background, GivenStart, Report, ReportedPlayer

# How the hash of a file begins of which nothing is kept.
NOT_KEPT = "erased-"


def erasures(connection: Connection) -> list[tuple[int, datetime, tuple[str, ...]]]:
    """Every erasure of a person: the journal entry, when it was, and whose ids."""
    table = tables.act.c
    query = select(table.seq, table.at, table.after).where(table.kind == EntryKind.ERASE.value).order_by(table.seq)
    rows = connection.execute(query).all()
    return [(seq, datetime.fromisoformat(at), tuple(json.loads(after)["members"])) for seq, at, after in rows]


def erased_members(connection: Connection) -> frozenset[str]:
    """The ids of everybody who was erased."""
    return frozenset(one for _, _, members in erasures(connection) for one in members)


def named_again(connection: Connection, ids: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Rows that name somebody of these again: the id, the table, and where in it."""
    if not ids:
        return
    for table in (tables.member, tables.entry, tables.supplement_row):
        keys = [key.name for key in table.primary_key.columns]
        said = table.c.member_id.in_(sorted(ids)), table.c.name.not_in(("", ERASED))
        for row in connection.execute(select(table).where(*said)).mappings():
            yield row["member_id"], table.name, " ".join(str(row[name]) for name in keys)


def erased_in(record: Record, report: Report) -> frozenset[str]:
    """The ids of a report whose people were erased."""
    ids = {player.member_id for section in report.sections for player in section.players}
    return erased_members(record.connection) & ids


def without_erased(record: Record, report: Report, gone: Collection[str]) -> Report:
    """A report without what it says of people who were erased, but for their results."""
    sections = []
    for at, section in enumerate(report.sections):
        starts = _kept_starts(record, report.event_id, section_number(section, at), gone)
        players = tuple(_nameless(one, starts) if one.member_id in gone else one for one in section.players)
        sections.append(section._replace(players=players))
    return report._replace(sections=tuple(sections))


def told_without(found: Sequence[Fault], report: Report, gone: Collection[str]) -> tuple[Fault, ...]:
    """Findings of a reader without the names that a report gives people who were erased."""
    names = {one.name for section in report.sections for one in section.players if one.member_id in gone} - {""}
    told = []
    for one in found:
        said = one._asdict()
        for name in names:
            said = {key: text.replace(name, ERASED) if isinstance(text, str) else text for key, text in said.items()}
        told.append(one._replace(**{**said, "severity": one.severity}))
    return tuple(told)


def said_of_erased(report: Report, gone: Collection[str]) -> list[Fault]:
    """That a report names people who were erased, where it does."""
    rows = [one for section in report.sections for one in section.players if one.member_id in gone]
    named = sorted({one.member_id for one in rows if one.name not in ("", ERASED)})
    return [fault("erased-member", "event", members=", ".join(named))] if named else []


def _nameless(player: ReportedPlayer, starts: Mapping[str, GivenStart]) -> ReportedPlayer:
    own = player.background
    kept = Background(fide=own.fide, cfc=own.cfc, given_start=own.given_start or starts.get(player.member_id))
    return player._replace(name=ERASED if player.name else "", state="", details={}, background=kept)


def _kept_starts(record: Record, event_id: str, number: int, gone: Collection[str]) -> dict[str, GivenStart]:
    """The starts that erasures set in the section as it stands: no file has them."""
    heading = record.heading(event_id, number) if event_id else None
    if heading is None or heading.state is State.WITHDRAWN:
        return {}
    standing = reported_section(heading, record.entries([heading])[event_id, number])
    return {
        one.member_id: one.background.given_start
        for one in standing.players
        if one.member_id in gone and one.background.given_start is not None
    }

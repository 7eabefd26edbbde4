"""What the record asks its office: money floors whose event is gone or changed, prizes, ceilings, CFC ratings.

Nothing here changes a rating. The office answers with a decision, and each question says which.
"""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from crosstable.office import tables
from crosstable.office.comparing import prizes_in
from crosstable.office.ledger.facts import Decision, DecisionKind, Heading, Record, State
from crosstable.office.sections import reported_section
from crosstable.office.views import member_view
from crosstable.terms import RatingSystem

# As the findings of a section hold it.
_PRIZE, _CFC = '%"money-prize"%', '%"cfc-notice"%'


class Question(NamedTuple):
    """A question about a member: what it is, and what to do. ``entry`` is the decision it is about, if any."""

    member_id: str
    event_id: str
    message: str
    remedy: str
    entry: int | None = None


def questions(record: Record, since: date | None = None) -> list[Question]:
    """Every open question; of prizes and CFC ratings those of sections that ended since a day."""
    money = {(one.member_id, one.event_id): one for one in record.decisions(kinds=(DecisionKind.MONEY_FLOOR,))}
    return [*_money_floors(record, money), *_prizes(record, since), *_ceilings(record), *_cfc(record, since)]


def about_event(record: Record, event_id: str) -> list[Question]:
    """The questions about the money floors of one event, for whoever withdraws or changes it."""
    money = record.decisions(kinds=(DecisionKind.MONEY_FLOOR,))
    return list(_money_floors(record, {(one.member_id, event_id): one for one in money if one.event_id == event_id}))


def _money_floors(record: Record, money: dict[tuple[str, str], Decision]) -> Iterator[Question]:
    """Floors of prizes that were won in events which are withdrawn, or changed since; of each the newest decision."""
    for (member_id, event_id), one in money.items():
        standing = [each for each in record.headings_of(event_id) if each.state is State.ACCEPTED]
        ids, entries = record.same_member(member_id), record.entries(standing)
        played = [each for each in standing if any(row.member_id in ids for row in entries[each.event_id, each.number])]
        why = ""
        if event_id and not played:
            why = "is withdrawn, or no longer has the player"
        elif event_id and (newest := max(each.act for each in played)) > one.act:
            why = f"was changed since (entry {newest})"
        if why:
            yield Question(
                member_id,
                event_id,
                f"The money floor of {one.value:g} rests on a prize in event {event_id}, which {why}.",
                f"To end the floor: crosstable office decide revoke --entry {one.act}. To keep it, decide it again.",
                one.act,
            )


def _prizes(record: Record, since: date | None) -> Iterator[Question]:
    """Prizes that set a floor, in sections that are rated, about which nothing was decided."""
    decision = tables.decision.c
    for heading in _told(record, _PRIZE, since):
        assert heading.ended is not None
        decided = record.decisions_where(
            (decision.event_id == heading.event_id) & (decision.kind == DecisionKind.MONEY_FLOOR.value)
        )
        done = {record.one_id(one.member_id) for one in decided}
        yield from _prizes_of(record, heading, heading.ended, done)


def _told(record: Record, finding: str, since: date | None) -> Iterator[Heading]:
    """The rated sections with a finding that ended since a day."""
    section = tables.section.c
    where = [section.faults.like(finding), *([] if since is None else [section.ended >= since])]
    told = record.standing_sections(*where).with_only_columns(section.event_id, section.number)
    for event_id, number in sorted({(row[0], row[1]) for row in record.connection.execute(told)}):
        heading = record.heading(event_id, number)
        if heading is not None and heading.state is State.ACCEPTED and heading.ended is not None:
            yield heading


def _prizes_of(record: Record, heading: Heading, end: date, done: set[str]) -> Iterator[Question]:
    section = reported_section(heading, record.entries([heading])[heading.event_id, heading.number])
    for won in prizes_in(section, end):
        member_id = record.one_id(won.player.member_id)
        if member_id not in done:
            prize = f"${won.amount:,.0f} under {won.limit:g} in event {heading.event_id}"
            yield Question(
                member_id,
                heading.event_id,
                f"{won.player.name} won {prize}, which sets a money floor of {won.level:g}.",
                f"To set it: crosstable office decide money-floor --member {member_id} --event {heading.event_id} "
                f"--prize {won.amount:g} --limit {won.limit:g}",
            )


def _ceilings(record: Record) -> Iterator[Question]:
    """Ceilings below a floor of the same member: the ceiling holds (decision 0008)."""
    last: dict[tuple[str, RatingSystem | None], Decision] = {}
    for one in record.decisions(kinds=(DecisionKind.CEILING,)):
        last[record.one_id(one.member_id), one.system] = one
    for (member_id, system), one in last.items():
        for view in member_view(record.connection, member_id).systems:
            if view.system is system and one.value is not None and one.value < view.floor.level:
                kind = view.floor.kind.name.lower().replace("_", " ")
                yield Question(
                    member_id,
                    "",
                    f"The ceiling of {one.value:g} in {system.name} is below the {kind} floor of {view.floor.level:g}; "
                    "the ceiling holds.",
                    f"To end the ceiling: crosstable office decide revoke --entry {one.act}.",
                    one.act,
                )


def _cfc(record: Record, since: date | None) -> Iterator[Question]:
    """CFC ratings that directors tell of and nobody entered (§2.2, footnote 2)."""
    for heading in _told(record, _CFC, since):
        for player in reported_section(heading, record.entries([heading])[heading.event_id, heading.number]).players:
            member_id, cfc = record.one_id(player.member_id), player.background.cfc
            person = record.people([member_id]).get(member_id)
            if cfc is not None and person is not None and not person.cfc:
                day = cfc.as_of or heading.ended
                yield Question(
                    member_id,
                    heading.event_id,
                    f"{person.name} has a CFC rating of {cfc.rating:g}, says the report of event {heading.event_id}.",
                    f"To enter it: crosstable office decide fact --member {member_id} cfc-rating={cfc.rating:g}@{day} "
                    "--reason WHY, and the same with canadian-resident=yes if they live in Canada.",
                )

"""Two people: what touches a published period, sets a rating by hand, or publishes a list is proposed and approved.

A proposal waits beside the record and changes nothing. Somebody else of the office approves it with their credential;
only then is it an act, and a row beside it says who agreed, and with what. What the host does on the command line needs
a second person where the office has switched consent on.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from crosstable.errors import NoEditionError, OfficeError, Severity
from crosstable.office import account_tables as tables
from crosstable.office.accounts import PATIENCE, instant
from crosstable.office.consent import ConsentLimits, is_consent_on, set_consent_limits, switch_consent
from crosstable.office.consent import ProposalKind as ProposalKind
from crosstable.office.consent import ProposedAction as ProposedAction
from crosstable.office.consent import published_through as published_through
from crosstable.office.corrections import Seen, confirm, require_versions, waiting_of, withdraw
from crosstable.office.credentials import Proven, require_still
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, completed, decide, require_facts, set_fact
from crosstable.office.late_facts import record_facts
from crosstable.office.ledger.facts import DecisionKind, Person, Record
from crosstable.office.ledger.journal import Approval, Author, act_of, canonical, head
from crosstable.office.ledger.postings import current_of_members
from crosstable.office.members import (
    NewStartingRating,
    import_members,
    merge_members,
    read_fact,
    read_person,
    unmerge_members,
    written_person,
)
from crosstable.office.published import month_of
from crosstable.office.security_log import SecurityKind, note_apart
from crosstable.office.supplements import Basis, publish, require_publishable
from crosstable.office.views import known
from crosstable.record_rows import rating_from, row_of
from crosstable.sentences import counted
from crosstable.terms import RECORD_FIELDS, FieldKind, PlayerRating, RatingSystem


class ProposalState(StrEnum):
    """What has become of a proposal."""

    OPEN = "open"
    DONE = "done"
    REFUSED = "refused"


class Proposal(NamedTuple):
    """A wish that waits for a second person, or waited."""

    number: int
    wish: ProposedAction
    reason: str
    proposed_by: str
    proposed_at: datetime
    state: ProposalState
    settled_by: str | None
    settled_at: datetime | None
    act: int | None


# Wishes.


def confirmation(
    record: Record,
    event_id: str,
    sections: Collection[int] = (),
    newcomers: Sequence[Person] = (),
    *,
    refuses: bool = False,
) -> ProposedAction:
    """Accept what is held or was asked for; which versions, and who comes in with them, is part of the wish."""
    waiting = waiting_of(record, event_id, sections)
    versions = waiting.versions
    asked = {one.number for one in waiting.requests}
    what = []
    for numbers, words in (
        (asked - waiting.gone, "accept section {} of event {} as it was asked for"),
        (versions.keys() - asked, "accept section {} of event {}, which is held"),
        (waiting.gone, "take section {} of event {} out of the ratings"),
    ):
        if numbers:
            what.append(words.format(", ".join(map(str, sorted(numbers))), event_id))
    if newcomers:
        what.append(f"add {len(newcomers)} new member{'' if len(newcomers) == 1 else 's'}")
    arguments: dict[str, Any] = {"event": event_id, "versions": [[number, versions[number]] for number in versions]}
    if refuses:
        what.append("without what only the office may say")
        arguments["refuses"] = True
    if newcomers:
        arguments["members"] = [written_person(one) for one in newcomers]
    return ProposedAction(ProposalKind.CONFIRM, arguments, "; ".join(what))


def withdrawal(event_id: str, sections: tuple[int, ...] = ()) -> ProposedAction:
    """Take an event, or sections of it, out of the ratings."""
    what = f"section {', '.join(map(str, sections))} of event {event_id}" if sections else f"event {event_id}"
    arguments = {"event": event_id, "sections": list(sections)}
    return ProposedAction(ProposalKind.WITHDRAW, arguments, f"take {what} out of the ratings")


def ruling_wish(ruling: Ruling) -> ProposedAction:
    """A decision."""
    fields = ruling._asdict() | {
        "kind": ruling.kind.value,
        "system": None if ruling.system is None else ruling.system.name,
        "effective": None if ruling.effective is None else ruling.effective.isoformat(),
    }
    about = f"member {ruling.member_id}" if ruling.member_id else f"event {ruling.event_id} section {ruling.section}"
    if ruling.kind is DecisionKind.REVOKE:
        about = f"act {ruling.details.get('act')}"
    level = "" if ruling.value is None else f", {ruling.value:g}"
    system = "" if ruling.system is None else f", {ruling.system.name}"
    return ProposedAction(ProposalKind.DECIDE, fields, f"decide {ruling.kind.value}: {about}{system}{level}")


def _ruling(arguments: Mapping[str, Any]) -> Ruling:
    system, effective = arguments["system"], arguments["effective"]
    changed = {
        "kind": DecisionKind(arguments["kind"]),
        "system": None if system is None else RatingSystem[system],
        "effective": None if effective is None else date.fromisoformat(effective),
    }
    return Ruling(**{**arguments, **changed})


def fact_wish(member_id: str, fact: str) -> ProposedAction:
    """A fact about a member, written as ``birth-date=2014-02-03``."""
    name, _ = _fact(fact)
    arguments = {"member": member_id, "fact": fact}
    return ProposedAction(ProposalKind.FACT, arguments, f"put {name.replace('_', ' ')} of member {member_id} right")


def _fact(fact: str) -> tuple[str, Any]:
    try:
        return read_fact(fact)
    except ValueError as error:
        raise OfficeError(str(error)) from error


def merging(member_id: str, into: str) -> ProposedAction:
    """Two ids of one person."""
    arguments = {"member": member_id, "into": into}
    return ProposedAction(ProposalKind.MERGE, arguments, f"merge member {member_id} into {into}")


def unmerging(member_id: str) -> ProposedAction:
    """Two ids of one person become two again."""
    return ProposedAction(ProposalKind.UNMERGE, {"member": member_id}, f"undo the merge of member {member_id}")


def starts_wish(starts: Sequence[NewStartingRating]) -> ProposedAction:
    """Starting ratings that members bring."""
    rows = [
        {"member": one.member_id, "system": one.system.name, "source": one.source, **plain_row(one.standing)}
        for one in starts
    ]
    what = f"give {counted(len(rows), 'starting rating')}" + (
        f" to member {rows[0]['member']}" if len(rows) == 1 else ""
    )
    return ProposedAction(ProposalKind.STARTS, {"starts": rows}, what)


def plain_row(standing: PlayerRating) -> dict[str, Any]:
    """A rating record as JSON has it."""
    found = {name: value for name, value in row_of(standing).items() if value is not None}
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in found.items()}


def _start(row: Mapping[str, Any]) -> NewStartingRating:
    standing = {name: row.get(name) for name in PlayerRating._fields}
    for name, field in RECORD_FIELDS.items():
        if field.kind is FieldKind.DAY and standing.get(name) is not None:
            standing[name] = date.fromisoformat(str(standing[name]))
    return NewStartingRating(row["member"], RatingSystem[row["system"]], rating_from(standing), row["source"])


def consent_wish(limits: ConsentLimits | None = None) -> ProposedAction:
    """Switch consent off, or change its limits."""
    if limits is None:
        return ProposedAction(ProposalKind.CONSENT, {}, "switch consent off")
    said = ", ".join(f"{name} {value}" for name, value in limits._asdict().items())
    return ProposedAction(ProposalKind.CONSENT, limits._asdict(), f"change the limits of consent: {said}")


def publication(month: str, basis: Basis = Basis.RULE, *, anyway: bool = False) -> ProposedAction:
    """The list of a month; ``anyway``: also while something waits that would be on it."""
    arguments = {"month": str(month_of(month)), "basis": basis.value, "anyway": anyway}
    return ProposedAction(ProposalKind.PUBLISH, arguments, f"publish the list of {month} ({basis.value})")


# Who has to agree.


def needs_two(office: Office, wish: ProposedAction) -> bool:
    """Whether a second person has to agree: a list, a rating by hand, or anything within a published period."""
    with office.reading() as connection:
        return _needs_two(known(connection).record, wish, office.clock())


def _needs_two(record: Record, wish: ProposedAction, now: datetime) -> bool:
    if wish.kind in (ProposalKind.PUBLISH, ProposalKind.STARTS, ProposalKind.FACTS, ProposalKind.CONSENT):
        return True
    through = published_through(record.connection)
    if wish.kind is ProposalKind.DECIDE:
        return _decision_needs_two(record, _ruling(wish.arguments), through, now)
    return through is not None and _first_day(record, wish) <= through


def correction_needs_two(record: Record, event_id: str, new_ends: Iterable[date] = ()) -> bool:
    """The same for another version of an event: the days it has, whatever became of it, and those it is to have."""
    through = published_through(record.connection)
    return through is not None and min([_first_day(record, withdrawal(event_id)), *new_ends]) <= through


# Decisions that set a rating by hand, at once or with the next game.
_BY_HAND = frozenset(
    {
        DecisionKind.FLOOR,
        DecisionKind.LOWER_FLOOR,
        DecisionKind.CEILING,
        DecisionKind.MONEY_FLOOR,
        DecisionKind.LIFE_MASTER,
        DecisionKind.GRANT_MATCH_FLOOR,
    }
)


def _decision_needs_two(record: Record, ruling: Ruling, through: date | None, now: datetime) -> bool:
    effective = ruling.effective or now.date()
    if ruling.kind is DecisionKind.REVOKE:
        revoked = record.decision(int(ruling.details.get("act", 0)))
        if revoked is None:
            return False  # the office refuses it by itself
        ruling, effective = ruling._replace(kind=revoked.kind), revoked.effective
    if ruling.kind is DecisionKind.ADJUST:
        return True
    if ruling.kind in _BY_HAND and is_consent_on(record.connection, now):
        return True
    if ruling.event_id:
        ends = [one.ended for one in record.headings_of(ruling.event_id) if one.ended]
        effective = min([effective, *ends])
    return through is not None and effective <= through


def _first_day(record: Record, wish: ProposedAction) -> date:
    """The first day whose ratings a wish touches, far ahead where it touches none."""
    if wish.kind in (ProposalKind.MERGE, ProposalKind.UNMERGE, ProposalKind.FACT):
        ids = {record.one_id(wish.arguments[name]) for name in ("member", "into") if name in wish.arguments}
        return min((one.posting.ended for one in current_of_members(record.connection, ids)), default=date.max)
    arguments = wish.arguments
    numbers = [number for number, _ in arguments["versions"]] if "versions" in arguments else arguments["sections"]
    # Held or withdrawn, an event that is known is not new; and what was asked for may move its days.
    versions = record.headings_of(arguments["event"])
    if wish.kind is ProposalKind.CONFIRM:
        versions += record.requests(arguments["event"])
    ends = [one.ended for one in versions if one.ended and (not numbers or one.number in numbers)]
    return min(ends, default=date.max)


# Proposing, approving, refusing.


def propose(office: Office, author: Author, wish: ProposedAction, credential: str = "session") -> int:
    """Write a proposal down; returns its number. Whoever proposes has shown their credential."""
    if not author.reason:
        raise OfficeError("a proposal needs a reason")
    with office.writing(author.actor, f"proposing to {wish.summary}", PATIENCE) as connection:
        _require_sense(known(connection).record, wish, office.clock().date())
        _require_new(connection, wish)
        number = _write(office, connection, author, wish)
    note_proposed(office, Proven(author.actor, credential), number, wish.kind)
    return number


def note_proposed(office: Office, who: Proven, number: int, kind: ProposalKind = ProposalKind.CONFIRM) -> None:
    """Let the security log say who proposed something, once it is stored."""
    _note(office, SecurityKind.PROPOSED, who, number, what=kind.value)


def _note(office: Office, kind: SecurityKind, who: Proven, number: int, **more: object) -> None:
    note_apart(office, kind, who.name, f"proposal {number}", credential=who.credential, **more)


def propose_request(office: Office, record: Record, author: Author, act: int) -> int:
    """Propose to accept what an act has just asked for, and nothing else that waits, inside its transaction."""
    made = act_of(record.connection, act)
    assert made is not None
    asked = [one.number for one in record.requests(made.subject) if one.act == act]
    return _write(office, record.connection, author, confirmation(record, made.subject, asked))


def _write(office: Office, connection: Connection, author: Author, wish: ProposedAction) -> int:
    table = tables.proposal
    number = (connection.execute(select(func.max(table.c.number))).scalar() or 0) + 1
    row = {
        "number": number,
        "kind": wish.kind.value,
        "wish": canonical(wish.arguments),
        "summary": wish.summary,
        "reason": author.reason,
        "proposed_by": author.actor,
        "proposed_at": instant(office.clock()),
        "state": ProposalState.OPEN.value,
    }
    connection.execute(insert(table), row)
    return int(number)


def _require_new(connection: Connection, wish: ProposedAction) -> None:
    """What waits for a second person is not proposed again."""
    table = tables.proposal
    same = (table.c.kind == wish.kind.value) & (table.c.wish == canonical(wish.arguments))
    query = select(table.c.number, table.c.proposed_by).where(same, table.c.state == ProposalState.OPEN.value)
    if found := connection.execute(query).first():
        raise OfficeError(f"that is proposed already: proposal {found[0]}, by {found[1]}")


def _require_sense(record: Record, wish: ProposedAction, today: date) -> None:
    """Nobody is asked to approve what the office would refuse whoever wants it."""
    if wish.kind is ProposalKind.DECIDE:
        completed(record, _ruling(wish.arguments), today)
    elif wish.kind is ProposalKind.FACT:
        require_facts(dict([_fact(wish.arguments["fact"])]), today)
    elif wish.kind is ProposalKind.CONFIRM:
        event_id, versions = wish.arguments["event"], dict(wish.arguments["versions"])
        require_versions(waiting_of(record, event_id, versions), event_id, versions)


def proposals(office: Office, *, is_open: bool | None = None, most: int | None = None) -> list[Proposal]:
    """Proposals, newest first: all, those that wait, or those that are settled; at most so many."""
    table = tables.proposal
    query = select(table).order_by(table.c.number.desc()).limit(most)
    if is_open is not None:
        waits = table.c.state == ProposalState.OPEN.value
        query = query.where(waits if is_open else ~waits)
    with office.reading() as connection:
        return [_proposal(row) for row in connection.execute(query).mappings()]


def proposal_of(office: Office, number: int) -> Proposal | None:
    """One proposal, nothing where there is none."""
    table = tables.proposal
    with office.reading() as connection:
        row = connection.execute(select(table).where(table.c.number == number)).mappings().first()
    return None if row is None else _proposal(row)


def _proposal(row: Mapping[Any, Any]) -> Proposal:
    settled = row["settled_at"]
    return Proposal(
        row["number"],
        ProposedAction(ProposalKind(row["kind"]), json.loads(row["wish"]), row["summary"]),
        row["reason"],
        row["proposed_by"],
        datetime.fromisoformat(row["proposed_at"]),
        ProposalState(row["state"]),
        row["settled_by"],
        None if settled is None else datetime.fromisoformat(settled),
        row["act"],
    )


def approve(office: Office, approver: Proven, number: int) -> int:
    """Carry a proposal out as a second person; returns its act. Whatever goes wrong, it stays open."""
    proposal = proposal_of(office, number)
    if proposal is None or proposal.state is not ProposalState.OPEN:
        raise OfficeError(f"there is no open proposal {number}")
    if proposal.proposed_by == approver.name:
        raise OfficeError("this takes two people: somebody else has to approve what you proposed")
    approval = Approval(number, approver.name, approver.credential)
    author = Author(proposal.proposed_by, proposal.reason, approval=approval)
    act = carry_out(office.guarded(_approving(office, approver, number)), author, proposal.wish)
    _note(office, SecurityKind.APPROVED, approver, number, entry=act)
    return act


def _approving(office: Office, approver: Proven, number: int) -> Callable[[Connection], AbstractContextManager[None]]:
    """A proposal is settled in the transaction of its act: taken back or approved meanwhile, it is not carried out."""

    @contextmanager
    def guard(connection: Connection) -> Iterator[None]:
        require_still(connection, approver)
        _settle(office, connection, (approver.name, number), ProposalState.DONE)
        yield
        made = head(connection)
        assert made is not None
        table = tables.proposal
        connection.execute(update(table).where(table.c.number == number).values(act=made.seq))

    return guard


def _settle(office: Office, connection: Connection, who: tuple[str, int], state: ProposalState) -> None:
    """Whoever comes first settles a proposal; asked under the lock, for two may try at once."""
    table = tables.proposal
    name, number = who
    is_open = (table.c.number == number) & (table.c.state == ProposalState.OPEN.value)
    changed = {"state": state.value, "settled_by": name, "settled_at": instant(office.clock())}
    if connection.execute(update(table).where(is_open).values(changed)).rowcount != 1:
        raise OfficeError(f"there is no open proposal {number}")


def refuse(office: Office, who: str, number: int) -> None:
    """Turn a proposal down, or take one's own back."""
    with office.writing(who, f"proposal {number}", PATIENCE) as connection:
        _settle(office, connection, (who, number), ProposalState.REFUSED)
    note_apart(office, SecurityKind.REFUSED, who, f"proposal {number}")


def carry_out_alone(office: Office, author: Author, wish: ProposedAction) -> int:
    """Do what takes no second person; a list that is published before it is written makes it take one."""

    @contextmanager
    def guard(connection: Connection) -> Iterator[None]:
        if _needs_two(known(connection).record, wish, office.clock()):
            raise OfficeError("this takes two people since a moment ago; look at it again")
        yield

    return carry_out(office.guarded(guard), author, wish)


def carry_out(office: Office, author: Author, wish: ProposedAction) -> int:
    """Do what a wish says; returns the act."""
    arguments = wish.arguments
    if wish.kind is ProposalKind.PUBLISH:
        return _publish(office, author, arguments)
    if wish.kind is ProposalKind.DECIDE:
        return decide(office, author, _ruling(arguments))
    if wish.kind is ProposalKind.FACT:
        return set_fact(office, author, arguments["member"], dict([_fact(arguments["fact"])]))
    if wish.kind is ProposalKind.MERGE:
        return merge_members(office, author, arguments["member"], arguments["into"])
    if wish.kind is ProposalKind.UNMERGE:
        return unmerge_members(office, author, arguments["member"])
    if wish.kind is ProposalKind.STARTS:
        return _give_starts(office, author, arguments)
    if wish.kind is ProposalKind.FACTS:
        return record_facts(office, author, arguments)
    if wish.kind is ProposalKind.CONSENT:
        return _change_consent(office, author, arguments)
    if wish.kind is ProposalKind.WITHDRAW:
        return withdraw(office, author, arguments["event"], tuple(arguments["sections"]))
    return _confirm(office, author, arguments)


def _give_starts(office: Office, author: Author, arguments: Mapping[str, Any]) -> int:
    made = import_members(office, author, (), [_start(row) for row in arguments["starts"]])
    if made.act is None:
        raise OfficeError("the office has these starting ratings already")
    return made.act


def _change_consent(office: Office, author: Author, arguments: Mapping[str, Any]) -> int:
    is_limits = bool(arguments)
    limits = ConsentLimits(**arguments)
    act = set_consent_limits(office, author, limits) if is_limits else switch_consent(office, author, on=False)
    if act is None:
        raise OfficeError("it is so already")
    return act


def _publish(office: Office, author: Author, arguments: Mapping[str, Any]) -> int:
    month, basis = month_of(arguments["month"]), Basis(arguments["basis"])
    try:
        require_publishable(office, month, basis, anyway=arguments.get("anyway", False))
        return publish(office, author, month, basis).act
    except NoEditionError as error:
        raise OfficeError(f"there can be no list of {arguments['month']}: {error}") from error


def _confirm(office: Office, author: Author, arguments: Mapping[str, Any]) -> int:
    event_id = arguments["event"]
    newcomers = [read_person(one) for one in arguments.get("members", ())]
    seen = Seen(dict(arguments["versions"]), newcomers, arguments.get("refuses", False))
    made = confirm(office, author, event_id, office.clock().date(), seen=seen)
    if not made.is_stored:
        wrong = next((fault for fault in made.faults if fault.severity is Severity.ERROR), None)
        why = f": {wrong.place}: {wrong.message}" if wrong else ""
        raise OfficeError(f"event {event_id} cannot be accepted as it is{why}")
    return made.act

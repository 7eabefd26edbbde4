"""Decisions of an office: floors, ceilings, titles, match floors, adjustments, opting in, facts that arrive late."""

from datetime import date, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection

from crosstable.errors import NoEditionError, OfficeError, Severity
from crosstable.formulas.outcome import money_floor
from crosstable.limits import HIGHEST_RATING
from crosstable.office import tables
from crosstable.office.checking import check_submission
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import write_rows
from crosstable.office.ledger.facts import DecisionKind, Heading, Person, Record, State
from crosstable.office.ledger.journal import Author, Change, EntryKind, append, canonical, head
from crosstable.office.ledger.postings import current_of_section
from crosstable.office.members import could_be_born, could_be_born_in, replace_person
from crosstable.office.sections import reported_event, write_section
from crosstable.office.submissions import event_of
from crosstable.rules.constants import Constants
from crosstable.rules.editions import LOWEST_FLOOR, edition_for
from crosstable.terms import RatingSystem, SectionType

# Days that can be meant: of a decision from before there were ratings, until far ahead.
_FIRST_EFFECTIVE = date(1900, 1, 1)
_AHEAD = timedelta(days=366)


class Ruling(NamedTuple):
    """A decision to be recorded."""

    kind: DecisionKind
    member_id: str = ""
    system: RatingSystem | None = None
    effective: date | None = None
    value: float | None = None
    event_id: str = ""
    section: int | None = None
    details: dict[str, Any] = {}  # noqa: RUF012 (a named tuple's default is never changed)


def decide(office: Office, author: Author, ruling: Ruling) -> int:
    """Record a decision; what it means for ratings follows with the next run."""
    if not author.reason:
        raise OfficeError("a decision needs a reason")
    with office.writing(author.actor, f"deciding {ruling.kind.value}") as connection:
        last = head(connection)
        assert last is not None
        record = Record(connection, last.seq)
        ruling = completed(record, ruling, office.clock().date())
        return _write(office, connection, author, ruling)


def _write(office: Office, connection: Connection, author: Author, ruling: Ruling) -> int:
    row = {
        "kind": ruling.kind.value,
        "member_id": ruling.member_id,
        "system": None if ruling.system is None else int(ruling.system),
        "effective": ruling.effective,
        "value": ruling.value,
        "event_id": ruling.event_id,
        "section": ruling.section,
        "details": canonical(ruling.details),
    }
    subject = ruling.member_id or f"{ruling.event_id} section {ruling.section}"
    act = append(connection, office.clock, author, Change(EntryKind.DECIDE, subject, row))
    write_rows(connection, tables.decision, [{**row, "act": act}])
    if ruling.kind is DecisionKind.WAIVE_MATCH:
        _waive(Record(connection, act), author.reason, ruling, office.clock().date())
    return act


def completed(record: Record, ruling: Ruling, today: date) -> Ruling:
    """A decision with everything that follows from the record, or an error that says what is missing."""
    effective = ruling.effective or today
    if not _FIRST_EFFECTIVE <= effective <= today + _AHEAD:
        raise OfficeError(f"{ruling.kind.value}: {effective} is no day from which it could hold")
    ruling = ruling._replace(effective=effective)
    if ruling.kind is DecisionKind.REVOKE:
        return _revocation(record, ruling)
    if ruling.kind is DecisionKind.WAIVE_MATCH:
        _require_only_conditions(_match(record, ruling))
        return ruling
    _require_member(record, ruling.member_id)
    completions = {
        DecisionKind.LIFE_MASTER: _life_master,
        DecisionKind.MONEY_FLOOR: _money_floor,
        DecisionKind.GRANT_MATCH_FLOOR: _match_floor,
        DecisionKind.REFUSE_MATCH_FLOOR: _match_floor,
    }
    if ruling.kind in completions:
        ruling = completions[ruling.kind](record, ruling)
    elif ruling.kind not in (DecisionKind.OPT_IN, DecisionKind.OPT_OUT):
        _require_level(ruling)
    return ruling


def _require_member(record: Record, member_id: str) -> Person:
    person = record.people([member_id]).get(member_id)
    if person is None:
        raise OfficeError(f"member {member_id or '(none given)'} is not known")
    return person


def _require_level(ruling: Ruling) -> None:
    if ruling.system is None:
        raise OfficeError(f"{ruling.kind.value}: say for which system (OTBR, OTBQ …)")
    if ruling.value is None or not LOWEST_FLOOR <= ruling.value <= HIGHEST_RATING:
        raise OfficeError(f"{ruling.kind.value}: give a level between {LOWEST_FLOOR:.0f} and {HIGHEST_RATING:.0f}")


def _constants(ruling: Ruling, day: date) -> Constants:
    try:
        return edition_for(day).constants
    except NoEditionError as error:
        raise OfficeError(f"{ruling.kind.value}: {error}") from error


def _life_master(record: Record, ruling: Ruling) -> Ruling:
    assert ruling.effective is not None
    level = _constants(ruling, ruling.effective).life_master_level
    return ruling._replace(system=RatingSystem.OTBR, value=level)


def _money_floor(record: Record, ruling: Ruling) -> Ruling:
    """The floor that a prize sets (§5): by the sums of the day it was won, from the day after (readings 67, 68)."""
    amount, limit = ruling.details.get("prize"), ruling.details.get("limit")
    if amount is None or limit is None:
        raise OfficeError("money-floor: give the prize and the rating limit it was won under (--prize, --limit)")
    won = ruling.effective
    assert won is not None
    if ruling.event_id:
        ends = [one.ended for one in record.headings_of(ruling.event_id) if one.ended is not None]
        if not ends:
            raise OfficeError(f"there is no event {ruling.event_id}")
        won = max(ends)
    constants = _constants(ruling, won)
    level = money_floor(constants, float(amount), float(limit))
    if level < constants.absolute_floor:
        raise OfficeError(
            f"a prize of {amount:g} under {limit:g} sets no floor: it takes {constants.money_prize:g} or more, in a "
            f"section under {constants.money_highest:g} or less"
        )
    return ruling._replace(system=ruling.system or RatingSystem.OTBR, value=level, effective=won + timedelta(days=1))


def _match(record: Record, ruling: Ruling) -> Heading:
    heading = None if ruling.section is None else record.heading(ruling.event_id, ruling.section)
    if heading is None:
        raise OfficeError(f"there is no section {ruling.section} in event {ruling.event_id}")
    return heading


def _require_only_conditions(heading: Heading) -> None:
    """A waiver waives the conditions of a match, and nothing else that is wrong with a section."""
    where = f"section {heading.number} of event {heading.event_id}"
    if heading.kind is not SectionType.MATCH:
        raise OfficeError(f"{where} is no match")
    if heading.state is State.WITHDRAWN:
        raise OfficeError(f"{where} is withdrawn")
    of_match = ("match-not-eligible", "match-waived")
    stopping = [one for one in heading.faults if one["severity"] != Severity.WARNING and one["code"] not in of_match]
    if heading.state is State.HELD and stopping:
        raise OfficeError(f"{where} is held for more than the conditions of a match: {stopping[0]['message']}")


def _match_floor(record: Record, ruling: Ruling) -> Ruling:
    """A request that the result of a match made (§7, item 4): it must have been made."""
    heading = _match(record, ruling)
    root = record.one_id(ruling.member_id)
    asked = [
        stored.posting
        for stored in current_of_section(record.connection, heading.event_id, heading.number)
        if stored.posting.member_id == root
        and stored.posting.requested_floor is not None
        and (ruling.system is None or stored.posting.system is ruling.system)
    ]
    if len(asked) != 1:
        raise OfficeError(
            f"the match asks for {'no' if not asked else 'more than one'} lower floor of member {ruling.member_id}"
            + ("; say for which system" if asked else "")
        )
    return ruling._replace(
        system=asked[0].system, value=asked[0].requested_floor, effective=heading.key.ended, member_id=root
    )


def _revocation(record: Record, ruling: Ruling) -> Ruling:
    act = ruling.details.get("act")
    found = None if act is None else record.decision(int(act))
    if found is None:
        raise OfficeError(f"act {act} is no decision; crosstable office log shows them")
    if found.kind in (DecisionKind.REVOKE, DecisionKind.WAIVE_MATCH):
        raise OfficeError(f"act {act} cannot be revoked; decide anew, or withdraw the match")
    if found.act not in {one.act for one in record.decisions()}:
        raise OfficeError(f"act {act} is revoked already")
    return ruling._replace(member_id=found.member_id, event_id=found.event_id, section=found.section)


def _waive(record: Record, reason: str, ruling: Ruling, today: date) -> None:
    """A match whose conditions are waived is checked again with that reason, and accepted (readings 100).

    A system in which the two could not play it is rated again then.
    """
    heading = _match(record, ruling)
    report = reported_event(record, event_of(record, heading.event_id))
    sections = tuple(
        one._replace(match_waiver=reason) if one.number == heading.number else one for one in report.sections
    )
    checked = check_submission(record, report._replace(sections=sections), (), today)
    (waived,) = (one for one in checked.sections if one.number == heading.number)
    if wrong := [one for one in (*checked.rated.general, *waived.faults) if one.severity is Severity.ERROR]:
        raise OfficeError(f"the match has errors beside the conditions of a match: {wrong[0].message}")
    write_section(record.connection, record.through, waived.rows, State.ACCEPTED, waived.faults)


def require_facts(facts: dict[str, Any], today: date) -> None:
    """Whether facts are such as the office keeps, and can be true."""
    unknown = facts.keys() - set(Person._fields) | facts.keys() & {"member_id", "fide", "cfc"}
    if unknown:
        raise OfficeError(f"{', '.join(sorted(unknown))}: not something the office keeps about a member")
    born, year = facts.get("birth_date"), facts.get("birth_year")
    if not could_be_born(born, today):
        raise OfficeError(f"{born} is no day on which a member could be born")
    if not could_be_born_in(year, today):
        raise OfficeError(f"{year} is no year in which a member could be born")


def set_fact(office: Office, author: Author, member_id: str, facts: dict[str, Any]) -> int:
    """A fact that arrived late, or was wrong: a birth date, a FIDE id, whether a member is an adult."""
    if not author.reason:
        raise OfficeError("a decision needs a reason")
    require_facts(facts, office.clock().date())
    with office.writing(author.actor, f"facts of {member_id}") as connection:
        last = head(connection)
        assert last is not None
        person = _require_member(Record(connection, last.seq), member_id)
        changed = person._replace(**facts)
        if changed == person:
            raise OfficeError(f"nothing of that is new about member {member_id}")
        return replace_person(office, connection, author, changed)

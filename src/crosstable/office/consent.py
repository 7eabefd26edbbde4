"""Consent of two people, where an office asks for it: whether it is on, from which size a late event waits for it.

It is off until the office switches it on, which takes two accounts of the office. Two people switch it off at once;
one alone only after a week, so that the other can take that back, and so that a lost password does not shut an office.
What somebody proposes is a ``ProposedAction``: its kind, its arguments and one sentence, all of it for whoever agrees.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from crosstable.errors import Fault, OfficeError
from crosstable.faults import fault
from crosstable.office import account_tables, tables
from crosstable.office.database import Office
from crosstable.office.ledger.journal import Author, Change, EntryKind, append
from crosstable.office.published import CENTRAL
from crosstable.office.supplements import supplements
from crosstable.sentences import american, counted
from crosstable.terms import Report

CONSENT = "consent"
# From when on it is off, where one person alone switched it off.
_FROM = "consent_off_from"
# One person alone waits so long.
ALONE_AFTER = timedelta(days=7)
_OFFICE_ROLE = "office"


class ConsentLimits(NamedTuple):
    """How late, how large and of how many rating changes a late first submission may be without a second person.

    ``days`` is counted from the end of a section, ``players`` are those of all its sections.
    """

    days: int = 60
    players: int = 100
    changes: int = 200


class ConsentState(NamedTuple):
    """Whether two people have to agree, until when where one alone switched it off, and the limits."""

    is_on: bool
    until: datetime | None
    limits: ConsentLimits


def consent_state(connection: Connection, now: datetime) -> ConsentState:
    """Whether consent is on now."""
    act = tables.act.c
    query = select(act.after).where(act.kind == EntryKind.SETTINGS.value).order_by(act.seq)
    is_on, until, limits = False, None, ConsentLimits()
    for after in connection.execute(query).scalars():
        said = json.loads(after)
        if CONSENT in said:
            until = datetime.fromisoformat(said[_FROM]) if said.get(_FROM) else None
            is_on = bool(said[CONSENT]) or until is not None
        limits = limits._replace(
            **{name: said[f"consent_{name}"] for name in limits._fields if f"consent_{name}" in said}
        )
    if until is not None and now >= until:
        is_on, until = False, None
    return ConsentState(is_on, until, limits)


def is_consent_on(connection: Connection, now: datetime) -> bool:
    """Whether two people have to agree."""
    return consent_state(connection, now).is_on


def office_accounts(connection: Connection, *, enabled: bool = False) -> int:
    """How many accounts of the office there are, or those that are enabled."""
    table = account_tables.account.c
    query = select(func.count()).where(table.role == _OFFICE_ROLE)
    return connection.execute(query.where(table.is_disabled.is_(False)) if enabled else query).scalar() or 0


def is_by_two(connection: Connection, now: datetime) -> bool:
    """Whether somebody of the office needs a second person on the site: consent is on, or there are two of them."""
    return is_consent_on(connection, now) or office_accounts(connection) > 1


def switch_consent(office: Office, author: Author, *, on: bool) -> int | None:
    """Switch it on or off; returns the journal entry, nothing where it is so already."""
    with office.writing(author.actor, "settings") as connection:
        now = office.clock()
        before = consent_state(connection, now)
        is_coming_off = before.until is not None
        if (on and before.is_on and not is_coming_off) or (not on and not before.is_on):
            return None
        if not on and is_coming_off and author.approval is None:
            return None  # said already: the week goes on
        if on and office_accounts(connection, enabled=True) < 2:
            raise OfficeError("consent takes two people: add a second account (crosstable office users add NAME)")
        after: dict[str, object] = {CONSENT: on}
        if not on and author.approval is None:
            after[_FROM] = (now + ALONE_AFTER).isoformat(timespec="seconds")
        return append(
            connection, office.clock, author, Change(EntryKind.SETTINGS, CONSENT, after, {CONSENT: before.is_on})
        )


def set_consent_limits(office: Office, author: Author, limits: ConsentLimits) -> int | None:
    """Change the limits; while consent is on, that takes two people as well."""
    if min(limits) < 0:
        raise OfficeError("a limit is a number from 0 up")
    with office.writing(author.actor, "settings") as connection:
        before = consent_state(connection, office.clock())
        if before.limits == limits:
            return None
        if before.is_on and author.approval is None:
            raise OfficeError("consent is on: its limits are changed by two people; propose it")
        said = [{f"consent_{name}": value for name, value in one._asdict().items()} for one in (limits, before.limits)]
        return append(connection, office.clock, author, Change(EntryKind.SETTINGS, "consent limits", *said))


def published_through(connection: Connection) -> date | None:
    """The last day that a published list covers."""
    days = [one.cut_off.astimezone(CENTRAL).date() for one in supplements(connection)]
    return max(days, default=None)


def late_faults(connection: Connection, report: Report, now: datetime, changes: int = 0) -> dict[int | None, Fault]:
    """Of a first submission, by section: why it waits for two people. ``changes``: how many ratings it would change."""
    state, through = consent_state(connection, now), published_through(connection)
    if not state.is_on or through is None:
        return {}
    players = sum(len(section.players) for section in report.sections)
    found = {}
    for section in report.sections:
        ended = section.end or report.end
        if ended is not None and ended <= through:
            why = [*_over(state.limits, (now.date() - ended).days, players, changes)]
            if why:
                said = {"ended": american(ended), "through": american(through), "why": ", ".join(why)}
                found[section.number] = fault("late-submission", f"section {section.number}", **said)
    return found


def _over(limits: ConsentLimits, days: int, players: int, changes: int) -> Iterator[str]:
    if days > limits.days:
        yield f"{counted(days, 'day')} ago (limit {limits.days})"
    if players > limits.players:
        yield f"{counted(players, 'player')} (limit {limits.players})"
    if changes > limits.changes:
        yield f"{counted(changes, 'rating')} changed (limit {limits.changes})"


class ProposalKind(StrEnum):
    """What can be proposed."""

    CONFIRM = "confirm"
    WITHDRAW = "withdraw"
    DECIDE = "decide"
    FACT = "fact"
    MERGE = "merge"
    UNMERGE = "unmerge"
    STARTS = "starts"
    FACTS = "facts"
    PUBLISH = "publish"
    CONSENT = "consent"


class ProposedAction(NamedTuple):
    """What somebody of the office proposes to do: of which kind, with which arguments, in one sentence."""

    kind: ProposalKind
    arguments: Mapping[str, Any]
    summary: str

    @property
    def particulars(self) -> list[tuple[str, str]]:
        """All of it by name, for whoever has to agree; birth dates may stand among it."""
        return list(_particulars(self.arguments))


def _particulars(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in said.items():
        if value is None or value in ("", [], {}):
            continue
        if name == "versions":
            yield "as of", ", ".join(f"section {number}: act {act}" for number, act in value)
        elif name == "members":
            for one in value:
                known = [f"{word.replace('_', ' ')} {text}" for word, text in one.items() if text not in (None, "", [])]
                yield "new member", ", ".join(known)
        elif name == "people":
            for one in value:
                known = [f"{word.replace('_', ' ')} {_text(said)}" for word, said in one.items() if said]
                yield "member", ", ".join(known)
        elif name == "starts":
            for one in value:
                games = f" on {one['games']:g} games" if one.get("games") is not None else ""
                yield "starting rating", f"{one['member']} {one['system']} {one['rating']:g}{games}, {one['source']}"
        elif isinstance(value, dict):
            yield from _particulars(value)
        else:
            yield name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _text(value: object) -> str:
    """A value of a member: ratings of other federations are pairs of a rating and its day."""
    return "; ".join(f"{rating:g} of {day}" for rating, day in value) if isinstance(value, list) else str(value)

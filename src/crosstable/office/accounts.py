"""Accounts: who may come in through the site, in which role, for which affiliate, and by which password.

Passwords are kept as argon2id hashes. An unknown name costs as much time as a wrong password and gets the same answer.
"""

import re
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, or_, select, update

from crosstable.errors import OfficeError, install_line
from crosstable.office import account_tables as tables
from crosstable.office.account_proof import PROOF, proof_in
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import head_in
from crosstable.office.security_log import SecurityKind, note

if TYPE_CHECKING:
    from argon2 import PasswordHasher

# Who writes an account waits so long for another writer, in seconds: a person sits before the page.
PATIENCE = 8.0
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 200
# Ten wrong tries in fifteen minutes are free, for a name as for an address; then an address waits until they are old,
# and tries for a name have pauses of 2, 4, 8 ... seconds between them.
MOST_TRIES = 10
TRIES_WITHIN = timedelta(minutes=15)
LONGEST_PAUSE = timedelta(minutes=1)
# The cost of an argon2id hash: passes, and KiB of memory. Hashes carry their own, so it may be raised later.
PASSES = 3
MEMORY_KIB = 65_536
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}", re.ASCII)
# Good enough to send to; whether anybody reads it, only a mail shows.
_ADDRESS = re.compile(r"[^@\s,;<>\"()\\\[\]]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", re.ASCII)
LONGEST_ADDRESS = 254
_AFFILIATE = re.compile(r"[A-Z0-9-]{1,16}", re.ASCII)


class Role(StrEnum):
    """What somebody is to the office (the host works on the command line and needs no account)."""

    TD = "td"
    CLUB = "club"
    OFFICE = "office"
    RESEARCH = "research"


# Roles that act for one affiliate only.
BOUND = frozenset({Role.TD, Role.CLUB})


class Account(NamedTuple):
    """Somebody who may come in; the hash of the password never leaves this room."""

    name: str
    full_name: str
    role: Role
    affiliate: str
    is_disabled: bool
    made: datetime
    last_login: datetime | None


class NewAccount(NamedTuple):
    """An account to be made."""

    name: str
    role: Role
    affiliate: str = ""
    full_name: str = ""


def add_account(office: Office, who: str, wanted: NewAccount, password: str) -> Account:
    """Make an account; raises ``OfficeError`` where the name is taken or something is missing."""
    wanted = _sound(wanted)
    row = {
        **wanted._asdict(),
        "role": wanted.role.value,
        "password": hashed(password),
        "is_disabled": False,
        "made": instant(office.clock()),
    }
    with office.writing_accounts(who, f"adding the account {wanted.name}", PATIENCE) as connection:
        if account_in(connection, wanted.name) is not None:
            raise OfficeError(f"there is an account {wanted.name} already")
        connection.execute(insert(tables.account), row)
        said = {"role": wanted.role.value, "affiliate": wanted.affiliate, PROOF: proof_in(connection, wanted.name)}
        note(connection, office.clock(), SecurityKind.ACCOUNT_ADDED, who, wanted.name, **said)
        found = account_in(connection, wanted.name)
    assert found is not None
    return found


def _sound(wanted: NewAccount) -> NewAccount:
    name = wanted.name.strip().lower()
    if not _NAME.fullmatch(name):
        raise OfficeError(f"{wanted.name!r} is no name to log in with: up to 40 letters, digits, dots and dashes")
    affiliate = affiliate_id(wanted.affiliate)
    if wanted.role in BOUND and not affiliate:
        raise OfficeError(f"a {wanted.role.value} acts for one affiliate; say which")
    if wanted.role not in BOUND and affiliate:
        raise OfficeError(f"the role {wanted.role.value} acts for no affiliate")
    full_name = " ".join(wanted.full_name.split())[:100] or name
    if not full_name.isprintable():
        raise OfficeError("a name has only printable characters")
    return NewAccount(name, wanted.role, affiliate, full_name)


def affiliate_id(given: str) -> str:
    """An affiliate's id in its one spelling, empty for none."""
    found = given.strip().upper()
    if found and not _AFFILIATE.fullmatch(found):
        raise OfficeError(f"{given!r} is no affiliate's id; it looks like A1234567")
    return found


def accounts(office: Office) -> list[Account]:
    """Every account, by name."""
    with office.reading() as connection:
        rows = connection.execute(select(tables.account).order_by(tables.account.c.name)).mappings()
        return [_account(row) for row in rows]


class AccountsAsked(NamedTuple):
    """Which accounts are asked for: of which roles, of one affiliate or of any, with a text in the name or of any."""

    roles: tuple[Role, ...]
    affiliate: str = ""
    text: str = ""


def some_accounts(office: Office, asked: AccountsAsked, most: int) -> tuple[list[Account], int]:
    """The first accounts of those that are asked for, by name, and how many there are."""
    table = tables.account
    conditions: list[ColumnElement[bool]] = [table.c.role.in_([role.value for role in asked.roles])]
    if asked.affiliate:
        conditions.append(table.c.affiliate == asked.affiliate)
    if asked.text:
        names = (table.c.name, table.c.full_name, table.c.affiliate)
        conditions.append(or_(*(name.icontains(asked.text, autoescape=True) for name in names)))
    where = and_(*conditions)
    with office.reading() as connection:
        total = connection.execute(select(func.count()).select_from(table).where(where)).scalar() or 0
        rows = connection.execute(select(table).where(where).order_by(table.c.name).limit(most)).mappings()
        return [_account(row) for row in rows], total


def account_of(office: Office, name: str) -> Account | None:
    """One account."""
    with office.reading() as connection:
        return account_in(connection, name)


def has_accounts(office: Office) -> bool:
    """Whether anybody was given an account; until then only the person at the machine itself may write."""
    with office.reading() as connection:
        return connection.execute(select(tables.account.c.name).limit(1)).first() is not None


def account_in(connection: Connection, name: str) -> Account | None:
    """One account inside an open transaction."""
    row = connection.execute(select(tables.account).where(tables.account.c.name == name)).mappings().first()
    return None if row is None else _account(row)


def _account(row: Mapping[Any, Any]) -> Account:
    fields = {name: row[name] for name in Account._fields}
    fields["role"] = Role(row["role"])
    fields["made"] = datetime.fromisoformat(row["made"])
    fields["last_login"] = row["last_login"] and datetime.fromisoformat(row["last_login"])
    return Account(**fields)


def set_disabled(office: Office, who: str, name: str, *, is_disabled: bool) -> None:
    """Shut an account, or open it again; whoever is logged in with it is out at once, and its tokens with them."""
    with office.writing_accounts(who, f"the account {name}", PATIENCE) as connection:
        _require(connection, name)
        table = tables.account
        connection.execute(update(table).where(table.c.name == name).values(is_disabled=is_disabled))
        connection.execute(delete(tables.session).where(tables.session.c.account == name))
        kind = SecurityKind.ACCOUNT_DISABLED if is_disabled else SecurityKind.ACCOUNT_ENABLED
        note(connection, office.clock(), kind, who, name, **{PROOF: proof_in(connection, name)})


def set_password(office: Office, who: str, name: str, password: str) -> None:
    """Give an account another password; every session of it ends, and every token."""
    made, now = hashed(password), instant(office.clock())
    with office.writing_accounts(who, f"the password of {name}", PATIENCE) as connection:
        _require(connection, name)
        table = tables.account
        connection.execute(update(table).where(table.c.name == name).values(password=made))
        connection.execute(delete(tables.session).where(tables.session.c.account == name))
        connection.execute(delete(tables.failed_login).where(tables.failed_login.c.name == name))
        token = tables.token
        connection.execute(update(token).where(token.c.owner == name, token.c.revoked.is_(None)).values(revoked=now))
        said = {PROOF: proof_in(connection, name)}
        note(connection, office.clock(), SecurityKind.PASSWORD_CHANGED, who, name, **said)


def _require(connection: Connection, name: str) -> Account:
    found = account_in(connection, name)
    if found is None:
        raise OfficeError(f"there is no account {name}; crosstable office users list shows them")
    return found


# Mailboxes.


class Mailbox(NamedTuple):
    """Where notices for somebody's affiliate are mailed to, and the last journal entry that was told."""

    account: str
    affiliate: str
    address: str
    told: int


def mail_address(office: Office, name: str) -> str:
    """Where the notices of an account are mailed to, empty for nowhere."""
    table = tables.mailbox
    with office.reading() as connection:
        return connection.execute(select(table.c.address).where(table.c.account == name)).scalar() or ""


def set_mail_address(office: Office, who: str, name: str, address: str) -> None:
    """Mail what happens from now on to an address; to none where it is empty."""
    if address and not (_ADDRESS.fullmatch(address) and len(address) <= LONGEST_ADDRESS):
        raise OfficeError(f"{address!r} is no address for mail; it looks like name@example.org")
    table = tables.mailbox
    with office.reading() as connection:
        told = head_in(connection)[0]
    with office.writing_accounts(who, f"the mail address of {name}", PATIENCE) as connection:
        _require(connection, name)
        connection.execute(delete(table).where(table.c.account == name))
        if address:
            connection.execute(insert(table), {"account": name, "address": address, "told": told})


def mailboxes_behind(connection: Connection, newest: int) -> list[Mailbox]:
    """The mailboxes that were not told of everything; those of disabled accounts are left alone."""
    account, box = tables.account, tables.mailbox
    columns = (box.c.account, account.c.affiliate, box.c.address, box.c.told)
    query = select(*columns).join_from(box, account, box.c.account == account.c.name)
    wanted = (box.c.told < newest) & account.c.is_disabled.is_(False)
    return [Mailbox(*row) for row in connection.execute(query.where(wanted).order_by(box.c.account))]


def set_told(office: Office, box: Mailbox, told: int) -> bool:
    """Note what a mailbox is told of; not where somebody else has noted it already."""
    table = tables.mailbox
    same = (table.c.account == box.account) & (table.c.told == box.told) & (table.c.address == box.address)
    with office.writing_accounts("the site", "mail", PATIENCE) as connection:
        return connection.execute(update(table).where(same).values(told=told)).rowcount == 1


# Passwords.


def hashed(password: str) -> str:
    """The argon2id hash of a new password; one that is too short or too long is refused."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise OfficeError(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return _hasher().hash(password)


def _hasher() -> "PasswordHasher":
    try:
        from argon2 import PasswordHasher, Type
    except ImportError as error:
        raise OfficeError(f"argon2-cffi is not installed; accounts need it: {install_line('site')}") from error
    return PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=1, type=Type.ID)


_OF_NOBODY: dict[tuple[int, int], str] = {}


def _hash_of_nobody() -> str:
    """A hash that no password fits, at today's cost: it is tried where there is no account."""
    cost = PASSES, MEMORY_KIB
    if cost not in _OF_NOBODY:
        _OF_NOBODY[cost] = _hasher().hash(secrets.token_hex(32))
    return _OF_NOBODY[cost]


def proven(office: Office, name: str, password: str) -> Account | None:
    """The account that a name and a password open; nothing for a wrong one, an unknown one and a shut one alike."""
    from argon2.exceptions import VerificationError

    name = name.strip().lower()[:40]
    with office.reading() as connection:
        table = tables.account
        row = connection.execute(select(table).where(table.c.name == name)).mappings().first()
    kept = _hash_of_nobody() if row is None else row["password"]
    try:
        _hasher().verify(kept, password[: LONGEST_PASSWORD + 1])
    except VerificationError:
        return None
    return None if row is None or row["is_disabled"] else _account(row)


# Tries to log in.


class Begun(NamedTuple):
    """A try that was written down, or how long to wait before the next one."""

    failure_id: str | None
    wait: timedelta = timedelta(0)


def begin_try(office: Office, name: str, address: str, browser: str = "") -> Begun:
    """Write a try down before it is looked at, unless an address or a name has failed too often of late.

    An address that did has to wait until its failures are old. A name is never shut, for anybody could shut it: its
    tries only come more and more slowly. A ``browser`` that this name has logged in with before (``known_browser``) is
    counted by itself: whatever others try, at the same address or for the same name, its owner does not wait for them.

    Counted and written under one lock: however many try at once, no more than the limit are looked at.
    """
    now, table = office.clock(), tables.failed_login
    name, address = name.strip().lower()[:40], address[:48]
    if browser:  # of whom it is, the browser says
        name, address = "", ("browser " + browser)[:48]
    query = select(table.c.name, table.c.address, table.c.at).where(
        or_(table.c.name == name, table.c.address == address)
    )
    row = {"failure_id": secrets.token_hex(16), "at": instant(now), "name": name, "address": address}
    with office.writing_accounts("the site", "a login", PATIENCE) as connection:
        connection.execute(delete(table).where(table.c.at <= instant(now - TRIES_WITHIN)))
        rows = connection.execute(query).all()
        of_name = [datetime.fromisoformat(at) for one, _, at in rows if one == name and not browser]
        of_address = [datetime.fromisoformat(at) for _, one, at in rows if one == address]
        if len(of_address) >= MOST_TRIES:
            return Begun(None, of_address[-MOST_TRIES] + TRIES_WITHIN - now)
        if len(of_name) >= MOST_TRIES:
            pause = min(LONGEST_PAUSE, timedelta(seconds=2) * 2 ** min(len(of_name) - MOST_TRIES, 10))
            if now < of_name[-1] + pause:
                return Begun(None, of_name[-1] + pause - now)
        connection.execute(insert(table), row)
    return Begun(row["failure_id"])


def forget_try(office: Office, failure_id: str) -> None:
    """A try that did not fail counts no more."""
    table = tables.failed_login
    with office.writing_accounts("the site", "a login", PATIENCE) as connection:
        connection.execute(delete(table).where(table.c.failure_id == failure_id))


def instant(at: datetime) -> str:
    """A time as these tables hold it: UTC, one spelling, so that texts compare as times do."""
    return at.isoformat(timespec="microseconds")

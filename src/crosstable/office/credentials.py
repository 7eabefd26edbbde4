"""What a visitor shows instead of a password: tokens of programs, sessions of browsers, the one-time link of a machine.

Each is 256 random bits; only its SHA-256 is kept, so a copy of the database lets nobody in.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from crosstable.errors import OfficeBusyError, OfficeError
from crosstable.office import account_tables as tables
from crosstable.office.account_proof import PROOF, proof_of
from crosstable.office.accounts import BOUND, PATIENCE, Account, Role, account_in, affiliate_id, instant, proven
from crosstable.office.database import Office
from crosstable.office.security_log import SecurityKind, note

# Scanners for leaked secrets find a token by this.
PREFIX = "crosstable_"
_TOKEN = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}", re.ASCII)
LONGEST_DAYS = 365
SESSION_LASTS = timedelta(hours=12)
LINK_LASTS = timedelta(minutes=30)
# So long a browser is known by which somebody has logged in, and so many of an account.
KNOWN_LASTS = timedelta(days=LONGEST_DAYS)
MOST_KNOWN = 20
# So long there is to type the second factor.
HALF_LASTS = timedelta(minutes=10)
# A token's last use is written down at most so often.
_USE_NOTED_AFTER = timedelta(minutes=5)
_BITS = 256


class Scope(StrEnum):
    """What a token is good for: submitting events and asking for corrections, or looking after them only."""

    SUBMIT = "submit"
    READ = "read"


class Token(NamedTuple):
    """A token, without its secret."""

    token_id: str
    owner: str
    scope: Scope
    affiliate: str
    made: datetime
    expires: datetime
    last_used: datetime | None
    revoked: datetime | None

    def is_valid(self, now: datetime) -> bool:
        """Whether the token still opens anything."""
        return self.revoked is None and now < self.expires


class NewToken(NamedTuple):
    """A token to be made."""

    owner: str
    scope: Scope = Scope.SUBMIT
    affiliate: str = ""
    days: int = LONGEST_DAYS


class Bearer(NamedTuple):
    """Who shows a token."""

    token: Token
    account: Account


class Kind(StrEnum):
    """What a row of the sessions is: a browser that is logged in, half so, or was once; a link; a feed's address."""

    BROWSER = "browser"
    HALF = "half"
    LINK = "link"
    FEED = "feed"
    KNOWN = "known"


class Session(NamedTuple):
    """A browser that is logged in; without an account it is the person at the machine itself."""

    account: Account | None
    expires: datetime


def digest_of_secret(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _secret() -> str:
    return secrets.token_urlsafe(_BITS // 8)


# Tokens.


def add_token(office: Office, who: str, wanted: NewToken) -> tuple[Token, str]:
    """Make a token; its secret is returned once and kept nowhere."""
    if not 1 <= wanted.days <= LONGEST_DAYS:
        raise OfficeError(f"a token lasts 1 to {LONGEST_DAYS} days")
    now = office.clock()
    secret = f"{PREFIX}{_secret()}"
    with office.writing_accounts(who, f"a token of {wanted.owner}", PATIENCE) as connection:
        affiliate = _affiliate_of(connection, wanted)
        token_id = secrets.token_hex(4)
        row = {
            "token_id": token_id,
            "digest": digest_of_secret(secret),
            "owner": wanted.owner,
            "scope": wanted.scope.value,
            "affiliate": affiliate,
            "made": instant(now),
            "expires": instant(now + timedelta(days=wanted.days)),
        }
        connection.execute(insert(tables.token), row)
        said = {name: row[name] for name in ("scope", "affiliate", "expires")}
        said |= {"token": token_id, PROOF: proof_of(tables.token, row)}
        note(connection, now, SecurityKind.TOKEN_ADDED, who, wanted.owner, **said)
    made = Token(token_id, wanted.owner, wanted.scope, affiliate, now, now + timedelta(days=wanted.days), None, None)
    return made, secret


def _affiliate_of(connection: Connection, wanted: NewToken) -> str:
    """A token acts for its owner's affiliate; the office's own tokens for the one they are made for."""
    owner = account_in(connection, wanted.owner)
    if owner is None or owner.is_disabled:
        raise OfficeError(f"there is no account {wanted.owner} that could have a token")
    affiliate = affiliate_id(wanted.affiliate)
    if owner.role in BOUND:
        if affiliate not in ("", owner.affiliate):
            raise OfficeError(f"{owner.name} acts for {owner.affiliate}, not for {affiliate}")
        return owner.affiliate
    if not affiliate:
        raise OfficeError("a token acts for one affiliate; say which")
    return affiliate


def tokens(office: Office, owner: str | None = None) -> list[Token]:
    """Every token, or those of one account, newest first."""
    return some_tokens(office, None if owner is None else [owner], None)


def some_tokens(office: Office, owners: Collection[str] | None, most: int | None) -> list[Token]:
    """The newest tokens, of some accounts or of all; at most so many."""
    table = tables.token
    query = select(table).order_by(table.c.made.desc(), table.c.token_id).limit(most)
    if owners is not None:
        query = query.where(table.c.owner.in_(sorted(owners)))
    with office.reading() as connection:
        return [_token(row) for row in connection.execute(query).mappings()]


def token_of(office: Office, token_id: str) -> Token | None:
    """One token."""
    table = tables.token
    with office.reading() as connection:
        row = connection.execute(select(table).where(table.c.token_id == token_id)).mappings().first()
    return None if row is None else _token(row)


def _token(row: Mapping[Any, Any]) -> Token:
    fields = {name: row[name] for name in Token._fields}
    fields["scope"] = Scope(row["scope"])
    for name in ("made", "expires", "last_used", "revoked"):
        fields[name] = row[name] and datetime.fromisoformat(row[name])
    return Token(**fields)


def revoke_token(office: Office, who: str, token_id: str) -> Token:
    """Make a token worthless, at once and for good."""
    table = tables.token
    with office.writing_accounts(who, f"revoking the token {token_id}", PATIENCE) as connection:
        row = connection.execute(select(table).where(table.c.token_id == token_id)).mappings().first()
        if row is None:
            raise OfficeError(f"there is no token {token_id}; crosstable office tokens list shows them")
        if row["revoked"] is None:
            now = instant(office.clock())
            connection.execute(update(table).where(table.c.token_id == token_id).values(revoked=now))
            note(connection, office.clock(), SecurityKind.TOKEN_REVOKED, who, row["owner"], token=token_id)
    return _token(row)


def bearer_of(office: Office, secret: str) -> Bearer | None:
    """Who shows a token; nothing for one that is unknown, revoked, too old, or whose owner is shut out."""
    if not _TOKEN.fullmatch(secret):
        return None
    digest, table = digest_of_secret(secret), tables.token
    with office.reading() as connection:
        row = connection.execute(select(table).where(table.c.digest == digest)).mappings().first()
        if row is None or not hmac.compare_digest(row["digest"], digest):
            return None
        account = account_in(connection, row["owner"])
    token = _token(row)
    if account is None or account.is_disabled or not token.is_valid(office.clock()):
        return None
    _note_use(office, token)
    return Bearer(token, account)


def _note_use(office: Office, token: Token) -> None:
    now = office.clock()
    if token.last_used is not None and now - token.last_used < _USE_NOTED_AFTER:
        return
    table = tables.token
    try:
        with office.writing_accounts("the site", "the last use of a token", 0.0) as connection:
            connection.execute(update(table).where(table.c.token_id == token.token_id).values(last_used=instant(now)))
    except OfficeBusyError:  # somebody is writing the record: the next use will be noted
        return


# Sessions, and the link of a machine.


def open_session(office: Office, name: str) -> str:
    """Let a browser in as an account (empty: the person at the machine) and return its secret, always a new one."""
    secret, now = _secret(), office.clock()
    with office.writing_accounts(name or "the machine", "logging in", PATIENCE) as connection:
        connection.execute(delete(tables.session).where(tables.session.c.expires <= instant(now)))
        _keep(connection, secret, Kind.BROWSER, name, now + SESSION_LASTS)
        table = tables.account
        connection.execute(update(table).where(table.c.name == name).values(last_login=instant(now)))
        account = account_in(connection, name)
        if account is None or account.role is Role.OFFICE:
            note(connection, now, SecurityKind.LOGIN, name or "the machine", session=session_name(secret))
    return secret


def session_name(secret: str) -> str:
    """What a session is called in the logs: enough to tell it from others, too little to come in with."""
    return digest_of_secret(secret)[:12]


def open_half_session(office: Office, name: str) -> str:
    """The secret of a browser whose password was right and which has no second factor shown yet: it opens nothing."""
    secret = _secret()
    with office.writing_accounts(name, "logging in", PATIENCE) as connection:
        _keep(connection, secret, Kind.HALF, name, office.clock() + HALF_LASTS)
    return secret


def half_session_of(office: Office, secret: str) -> Account | None:
    """Whose password was right in this browser a moment ago."""
    return _account_by(office, secret, Kind.HALF)


def _account_by(office: Office, secret: str, kind: Kind) -> Account | None:
    table = tables.session
    mine = (table.c.digest == digest_of_secret(secret)) & (table.c.kind == kind.value)
    with office.reading() as connection:
        row = connection.execute(select(table.c.account, table.c.expires).where(mine)).first()
        account = None if row is None else account_in(connection, row[0])
    if row is None or account is None or account.is_disabled:
        return None
    return account if office.clock() < datetime.fromisoformat(row[1]) else None


def know_browser(office: Office, name: str) -> str:
    """The secret by which a browser is known that somebody has logged in with; it opens nothing by itself."""
    secret, table = _secret(), tables.session
    known = (table.c.account == name) & (table.c.kind == Kind.KNOWN.value)
    with office.writing_accounts(name, "logging in", PATIENCE) as connection:
        newest = select(table.c.digest).where(known).order_by(table.c.expires.desc())
        if old := connection.execute(newest.offset(MOST_KNOWN - 1)).scalars().all():
            connection.execute(delete(table).where(table.c.digest.in_(old)))
        _keep(connection, secret, Kind.KNOWN, name, office.clock() + KNOWN_LASTS)
    return secret


def known_browser(office: Office, name: str, secret: str) -> str:
    """What a browser is called by which somebody has logged in; empty for any other, and after a new password."""
    account = _account_by(office, secret, Kind.KNOWN) if secret else None
    return digest_of_secret(secret)[:40] if account is not None and account.name == name.strip().lower() else ""


def _keep(connection: Connection, secret: str, kind: Kind, name: str, expires: datetime) -> None:
    row = {"digest": digest_of_secret(secret), "kind": kind.value, "account": name, "expires": instant(expires)}
    connection.execute(insert(tables.session), row)


def session_of(office: Office, secret: str) -> Session | None:
    """The session that a browser's secret opens."""
    table = tables.session
    with office.reading() as connection:
        row = connection.execute(select(table).where(table.c.digest == digest_of_secret(secret))).mappings().first()
        if row is None or row["kind"] != Kind.BROWSER.value:
            return None
        account = account_in(connection, row["account"]) if row["account"] else None
        is_sound = _is_alone(connection) if not row["account"] else account is not None and not account.is_disabled
    expires = datetime.fromisoformat(row["expires"])
    return Session(account, expires) if is_sound and office.clock() < expires else None


def _is_alone(connection: Connection) -> bool:
    """Whether there are no accounts: only then is there a person at the machine who needs none."""
    return connection.execute(select(tables.account.c.name).limit(1)).first() is None


class Proven(NamedTuple):
    """Somebody who has just shown who they are, and with what: a session or a password. No text of theirs makes one."""

    name: str
    credential: str


def proven_by_session(office: Office, secret: str) -> Proven:
    """Who holds a session of the office; without accounts it is the person at the machine."""
    session = session_of(office, secret)
    if session is None or (session.account is not None and session.account.role is not Role.OFFICE):
        raise OfficeError("log in again with an account of the office")
    name = "the machine" if session.account is None else session.account.name
    return Proven(name, f"session {session_name(secret)}")


def proven_by_password(office: Office, name: str, password: str) -> Proven:
    """Who knows the password of an account of the office."""
    account = proven(office, name, password)
    if account is None or account.role is not Role.OFFICE:
        raise OfficeError(f"that is not the password of {name}, or {name} is no enabled account of the office")
    return Proven(account.name, "password")


def require_still(connection: Connection, who: Proven) -> None:
    """Whether the account of somebody who has shown who they are is still one of the office's."""
    account = account_in(connection, who.name)
    is_alone = account is None and _is_alone(connection)
    if not is_alone and (account is None or account.is_disabled or account.role is not Role.OFFICE):
        raise OfficeError(f"{who.name} is no enabled account of the office any more")


def close_session(office: Office, secret: str) -> None:
    """Log a browser out."""
    with office.writing_accounts("the site", "logging out", PATIENCE) as connection:
        connection.execute(delete(tables.session).where(tables.session.c.digest == digest_of_secret(secret)))


def make_feed(office: Office, name: str) -> str:
    """The secret in the address of an account's feed; the address before it ends, and so does this one with a year."""
    secret, table = _secret(), tables.session
    with office.writing_accounts(name, "the address of a feed", PATIENCE) as connection:
        connection.execute(delete(table).where((table.c.account == name) & (table.c.kind == Kind.FEED.value)))
        _keep(connection, secret, Kind.FEED, name, office.clock() + timedelta(days=LONGEST_DAYS))
    return secret


def feed_of(office: Office, secret: str) -> Account | None:
    """Whose feed has this secret; nothing for one that is unknown, too old, or whose owner is shut out."""
    return _account_by(office, secret, Kind.FEED)


def make_link(office: Office) -> str:
    """The secret of a link that lets the person at the machine in, once; raises where there are accounts."""
    secret = _secret()
    with office.writing_accounts("the machine", "a link to come in", PATIENCE) as connection:
        if not _is_alone(connection):
            raise OfficeError("this office has accounts; log in with one of them")
        connection.execute(delete(tables.session).where(tables.session.c.kind == Kind.LINK.value))
        _keep(connection, secret, Kind.LINK, "", office.clock() + LINK_LASTS)
    return secret


def follow_link(office: Office, secret: str) -> bool:
    """Use a link up; whether it was one."""
    table = tables.session
    mine = (table.c.digest == digest_of_secret(secret)) & (table.c.kind == Kind.LINK.value)
    with office.writing_accounts("the machine", "coming in", PATIENCE) as connection:
        row = connection.execute(select(table.c.expires).where(mine)).first()
        connection.execute(delete(table).where(mine))
        is_alone = _is_alone(connection)
    return row is not None and is_alone and office.clock() < datetime.fromisoformat(row[0])

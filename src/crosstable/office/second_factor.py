"""The second factor of a login: codes of an app by RFC 6238 (SHA-1, six digits, thirty seconds), and recovery codes.

Accounts of the office need one when the office has switched it on (``office settings totp on``). The key has to be kept
as it is, for codes are computed from it; of recovery codes only hashes are kept. A code opens once.
"""

import base64
import hashlib
import hmac
import json
import secrets
import struct
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote, urlencode

from sqlalchemy import Connection, delete, insert, select, update

from crosstable.errors import OfficeError
from crosstable.office import account_tables as tables
from crosstable.office.account_proof import PROOF, proof_of_factor
from crosstable.office.accounts import PATIENCE, Account, Role, account_in, instant
from crosstable.office.database import Office
from crosstable.office.security_log import SecurityKind, note
from crosstable.office.settings import TOTP, is_on

SECONDS = 30
DIGITS = 6
# Clocks of telephones are a little off: so many steps before and after are good.
WINDOW = 1
RECOVERY_CODES = 10
_KEY_BYTES = 20


def code_of(key: str, step: int) -> str:
    """The code of a step (RFC 4226, dynamic truncation)."""
    digest = hmac.new(base64.b32decode(key), struct.pack(">Q", step), hashlib.sha1).digest()
    at = digest[-1] & 0x0F
    number = struct.unpack(">I", digest[at : at + 4])[0] & 0x7FFF_FFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def step_at(now: datetime) -> int:
    """The step of an instant."""
    return int(now.timestamp()) // SECONDS


def otpauth(key: str, account: str, issuer: str) -> str:
    """The address by which an app takes a key."""
    asked = urlencode({"secret": key, "issuer": issuer, "digits": DIGITS, "period": SECONDS}, quote_via=quote)
    return f"otpauth://totp/{quote(issuer)}:{quote(account)}?{asked}"


def needs_second(office: Office, account: Account) -> bool:
    """Whether a login takes a second factor: where the account has one, and for the office where it is switched on."""
    with office.reading() as connection:
        row = _row(connection, account.name)
        if row is not None and row.confirmed is not None:
            return True
        return account.role is Role.OFFICE and is_on(connection, TOTP)


def is_enrolled(office: Office, name: str) -> bool:
    """Whether an account has a second factor that worked once."""
    with office.reading() as connection:
        row = _row(connection, name)
    return row is not None and row.confirmed is not None


class _Factor(NamedTuple):
    """A second factor as its table holds it."""

    secret: str
    used: int
    recovery: str
    confirmed: str | None


def _row(connection: Connection, name: str) -> _Factor | None:
    table = tables.second_factor
    columns = [table.c[field] for field in _Factor._fields]
    found = connection.execute(select(*columns).where(table.c.account == name)).first()
    return None if found is None else _Factor(*found)


def begin_enrolling(office: Office, name: str) -> str:
    """The key of an account that has no second factor yet; the same until a first code was right."""
    table = tables.second_factor
    with office.writing_accounts(name, "a second factor", PATIENCE) as connection:
        row = _row(connection, name)
        if row is not None:
            if row.confirmed is not None:
                raise OfficeError(f"{name} has a second factor already")
            return row.secret
        if account_in(connection, name) is None:
            raise OfficeError(f"there is no account {name}")
        key = base64.b32encode(secrets.token_bytes(_KEY_BYTES)).decode()
        connection.execute(insert(table), {"account": name, "secret": key, "used": 0, "recovery": "[]"})
        return key


def confirm(office: Office, name: str, code: str) -> list[str] | None:
    """Take a first code, and return recovery codes: from now on logins need it. Nothing for a wrong one."""
    table, now = tables.second_factor, office.clock()
    with office.writing_accounts(name, "a second factor", PATIENCE) as connection:
        row = _row(connection, name)
        if row is None or row.confirmed is not None:
            raise OfficeError(f"{name} is not about to get a second factor")
        step = _right_step(row.secret, code, row.used, now)
        if step is None:
            return None
        codes = [secrets.token_hex(5) for _ in range(RECOVERY_CODES)]
        values = {"used": step, "recovery": json.dumps([_hash(one) for one in codes]), "confirmed": instant(now)}
        connection.execute(update(table).where(table.c.account == name).values(values))
        said = {PROOF: proof_of_factor(connection, name)}
        note(connection, now, SecurityKind.SECOND_FACTOR_ADDED, name, name, **said)
    return codes


def opens(office: Office, name: str, code: str) -> bool:
    """Whether a code of the app, or a recovery code, is right; neither opens a second time."""
    table = tables.second_factor
    with office.writing_accounts(name, "a login", PATIENCE) as connection:
        row = _row(connection, name)
        if row is None or row.confirmed is None:
            return False
        mine = table.c.account == name
        step = _right_step(row.secret, code, row.used, office.clock())
        if step is not None:
            connection.execute(update(table).where(mine).values(used=step))
            return True
        left: list[str] = json.loads(row.recovery)
        given = _hash("".join(code.split()).replace("-", "").lower())
        if given not in left:
            return False
        left.remove(given)
        connection.execute(update(table).where(mine).values(recovery=json.dumps(left)))
        return True


def _right_step(key: str, code: str, used: int, now: datetime) -> int | None:
    given, step = "".join(code.split()), step_at(now)
    for one in range(max(step - WINDOW, used + 1), step + WINDOW + 1):
        if hmac.compare_digest(code_of(key, one).encode(), given.encode()):
            return one
    return None


def _hash(code: str) -> str:
    """Forty random bits, tried at most as often as passwords are."""
    return hashlib.sha256(code.encode()).hexdigest()


def remove(office: Office, who: str, name: str) -> None:
    """Take the second factor from an account, whose owner lost it; the next login asks for a new one where it must."""
    table = tables.second_factor
    with office.writing_accounts(who, f"the second factor of {name}", PATIENCE) as connection:
        if not connection.execute(delete(table).where(table.c.account == name)).rowcount:
            raise OfficeError(f"{name} has no second factor")
        connection.execute(delete(tables.session).where(tables.session.c.account == name))
        note(connection, office.clock(), SecurityKind.SECOND_FACTOR_REMOVED, who, name)

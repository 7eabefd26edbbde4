"""Settings of an office, switches and texts, kept in the record by journal entries of their own.

Also how the office rounds.
"""

import base64
import json
import math
import re
from typing import NamedTuple

from sqlalchemy import Connection, select

from crosstable.errors import OfficeError
from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.journal import CLOCK_DAYS, Author, Change, EntryKind, append, clock_days, head, setting_of

PUBLIC_DECIMALS = "public_decimals"
UNCERTAINTY = "uncertainty"
MEMBERSHIPS = "memberships"
TOTP = "totp"
# Every setting, and what it means where it is on; all are off until the office switches them on.
SETTINGS = {
    PUBLIC_DECIMALS: "the public sees two decimals of ratings",
    UNCERTAINTY: "the public sees by how many points a Regular rating may be off",
    MEMBERSHIPS: "sections with a player who was no member are held",
    TOTP: "accounts of the office log in with a second factor",
}


def is_on(connection: Connection, setting: str, through: int | None = None) -> bool:
    """Whether a setting is on, as known at a journal entry or now."""
    return bool(setting_of(connection, setting, through))


def set_clock_days(office: Office, author: Author, days: int) -> int | None:
    """Change how far the clock may be ahead of the last entry; returns the journal entry, if it was otherwise."""
    if days < 1:
        raise OfficeError("the clock may be ahead of the last entry by one day at least")
    with office.writing(author.actor, "settings") as connection:
        before = clock_days(connection)
        change = Change(EntryKind.SETTINGS, "clock days", {CLOCK_DAYS: days}, {CLOCK_DAYS: before})
        return None if before == days else append(connection, office.clock, author, change)


def confirm_clock(office: Office, author: Author) -> int:
    """Record that the clock is right now; entries go on from its time, even if earlier ones are ahead."""
    with office.writing(author.actor, "clock") as connection:
        last = head(connection)
        assert last is not None
        times = {"clock": office.clock().isoformat(), "last": last.at.isoformat()}
        return append(connection, office.clock, author, Change(EntryKind.CLOCK, "clock", times))


class Identity(NamedTuple):
    """How an office shows itself on its site; what is empty is left to the program.

    ``color`` is that of buttons (``#1f5c4a``), ``logo`` a small PNG in base64.
    """

    name: str = ""
    contact: str = ""
    color: str = ""
    logo: str = ""


LONGEST_TEXT = 200
MOST_LOGO = 32 * 1024
_PNG = b"\x89PNG\r\n\x1a\n"
# White letters must be readable on the color of buttons (WCAG 2.2, 1.4.3).
LEAST_CONTRAST = 4.5


def identity(connection: Connection) -> Identity:
    """How the office shows itself now."""
    act = tables.act.c
    query = select(act.after).where(act.kind == EntryKind.SETTINGS.value).order_by(act.seq)
    found: dict[str, str] = {}
    for after in connection.execute(query).scalars():
        found |= {name: str(text) for name, text in json.loads(after).items() if name in Identity._fields}
    return Identity(**found)


def show_as(office: Office, author: Author, setting: str, text: str) -> int | None:
    """Change a part of the identity; returns the journal entry, nothing where it is so already."""
    _require_sound(setting, text)
    with office.writing(author.actor, "settings") as connection:
        before = getattr(identity(connection), setting)
        if before == text:
            return None
        return append(
            connection, office.clock, author, Change(EntryKind.SETTINGS, setting, {setting: text}, {setting: before})
        )


def _require_sound(setting: str, text: str) -> None:
    if setting == "logo":
        content = base64.b64decode(text)
        if text and (not content.startswith(_PNG) or len(content) > MOST_LOGO):
            raise OfficeError(f"a logo is a PNG of at most {MOST_LOGO // 1024} KB")
    elif len(text) > LONGEST_TEXT or not text.isprintable():
        raise OfficeError(f"the text has more than {LONGEST_TEXT} characters, or some that cannot be printed")
    elif setting == "color" and text:
        if not re.fullmatch(r"#[0-9a-f]{6}", text):
            raise OfficeError(f"{text!r} is not a color; write it as #1f5c4a")
        if contrast_with_white(text) < LEAST_CONTRAST:
            raise OfficeError(f"white letters on {text} are hard to read; choose a darker color")


def contrast_with_white(color: str) -> float:
    """The contrast of a color with white (WCAG 2.2): 1 for white itself, 21 for black."""
    parts = [int(color[at : at + 2], 16) / 255.0 for at in (1, 3, 5)]
    light = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 1.05 / (0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05)


def public_places(connection: Connection, through: int | None = None) -> int:
    """To how many places the public sees ratings."""
    return DECIMALS if is_on(connection, PUBLIC_DECIMALS, through) else WHOLE


def switch(office: Office, author: Author, setting: str, *, on: bool) -> int | None:
    """Switch a setting on or off; returns the journal entry, nothing where it is so already."""
    with office.writing(author.actor, "settings") as connection:
        before = is_on(connection, setting)
        if before is on:
            return None
        change = Change(EntryKind.SETTINGS, setting.replace("_", " "), {setting: on}, {setting: before})
        return append(connection, office.clock, author, change)


# In how many places the public sees a rating, and where the office shows decimals.
WHOLE, DECIMALS = 0, 2


def half_up(value: float, places: int) -> float:
    """A number to so many places, halves upward as official ratings are rounded."""
    unit = 10.0**places
    return math.floor(value * unit + 0.5) / unit

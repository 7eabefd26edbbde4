"""How mail leaves this machine, as the environment of the server says it."""

import os
import smtplib
from collections.abc import Mapping
from typing import NamedTuple

from crosstable.errors import OfficeError

PREFIX = "CROSSTABLE_SMTP_"
SITE = "CROSSTABLE_URL"
PORTS = {"starttls": 587, "tls": smtplib.SMTP_SSL_PORT, "none": smtplib.SMTP_PORT}
_HERE = ("127.0.0.1", "localhost", "::1")


class MailServer(NamedTuple):
    """How mail leaves this machine, from whom, and where its links lead."""

    host: str
    port: int
    security: str
    sender: str
    site: str
    user: str = ""
    password: str = ""


def mail_server(environment: Mapping[str, str] = os.environ) -> MailServer | None:
    """The mail server that the environment names, nothing where it names none; half a setting is refused."""
    given = {name: environment.get(f"{PREFIX}{name}", "").strip() for name in ("HOST", "FROM", "PORT", "TLS", "USER")}
    if not given["HOST"]:
        return None
    site, security = environment.get(SITE, "").rstrip("/"), given["TLS"].lower() or "starttls"
    password = environment.get(f"{PREFIX}PASSWORD", "")
    if security not in PORTS:
        raise OfficeError(f"{PREFIX}TLS is {given['TLS']!r}; it is starttls, tls or none")
    if "@" not in given["FROM"] or not site.startswith(("https://", "http://")):
        raise OfficeError(f"mail needs {PREFIX}FROM (ratings@example.org) and {SITE} (https://ratings.example.org)")
    if given["PORT"] and not given["PORT"].isdecimal():
        raise OfficeError(f"{PREFIX}PORT is {given['PORT']!r}, which is no port")
    if password and security == "none" and given["HOST"] not in _HERE:
        raise OfficeError(f"{PREFIX}TLS is none: the password would travel in clear")
    port = int(given["PORT"] or PORTS[security])
    return MailServer(given["HOST"], port, security, given["FROM"], site, given["USER"], password)

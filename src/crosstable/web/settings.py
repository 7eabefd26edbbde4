"""What the server is told when it starts; worker processes get it through the environment."""

import json
import os
from collections.abc import MutableMapping
from typing import NamedTuple

VARIABLE = "CROSSTABLE_SITE"
MEGABYTE = 1024 * 1024
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


class Settings(NamedTuple):
    """Where the office is, under which names the site may be called, and how much it may keep in memory."""

    database: str
    hosts: tuple[str, ...] = ()
    is_demo: bool = False
    cache_bytes: int = 64 * MEGABYTE
    body_bytes: int = 10 * MEGABYTE
    # How often the record is asked whether it has grown, in seconds.
    watch_every: float = 1.0
    # The networks that may read the figures; this machine always may.
    metrics_from: tuple[str, ...] = ()
    # How often notices are mailed, in seconds, where a mail server is configured.
    mail_every: float = 15.0
    has_json_log: bool = False
    has_access_log: bool = False
    # Where several workers count calls together.
    counts_file: str = ""

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The names that a Host header may hold; a foreign one is a sign of DNS rebinding."""
        return frozenset(host.casefold() for host in (*LOOPBACK, *self.hosts))

    def hand_over(self, environment: MutableMapping[str, str] = os.environ) -> None:
        """Leave the settings for worker processes."""
        environment[VARIABLE] = json.dumps(self._asdict())


def handed_over(environment: MutableMapping[str, str] = os.environ) -> Settings:
    """The settings that the starting process left."""
    fields = json.loads(environment[VARIABLE])
    several = {name: tuple(fields[name]) for name in ("hosts", "metrics_from") if name in fields}
    return Settings(**{**fields, **several})

"""Who may call what: every address of the site with its policy. One without a policy fails the suite.

A page stands for up to three routes: ``PATH`` (HTML), ``PATH.json`` (its twin), and an operation of ``/api/v1``.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

API = "/api/v1"


class Policy(StrEnum):
    """Who may call a route; ``policies`` says how that is known and enforced."""

    PUBLIC = "public"  # anybody, as often as they like
    LIMITED = "limited"  # anybody, within limits: work is done for them and nothing is stored
    SIGNED_IN = "signed in"  # anybody with an account or a token
    TD = "td"  # directors and clubs for their own affiliate, and the office
    OFFICE = "office"  # office staff
    HOST = "host"  # nobody over the network: the command line of the host


class Page(NamedTuple):
    """A page: ``make`` takes the record (a ``Snapshot``) and what the address asks, and returns a view.

    ``api`` is the path below ``/api/v1`` where the same view is an operation; without it there is only the twin.
    Without a template it is an operation alone. ``prepare`` takes the record and the parameters and returns what has
    to be done first, where that takes long: it is done in a queue, while the record is free for others. A page that
    ``holds_record`` asks the snapshot itself, and nobody else does meanwhile.
    """

    path: str
    make: Callable[..., Any]
    template: str
    api: str = ""
    summary: str = ""
    tag: str = "pages"
    policy: Policy = Policy.PUBLIC
    prepare: Callable[[Any, Mapping[str, Any]], Callable[[], object] | None] | None = None
    holds_record: bool = True


class Route(NamedTuple):
    """An address of the site. ``options`` go to FastAPI's ``add_api_route`` as they are."""

    path: str
    endpoint: Callable[..., Any]
    policy: Policy
    methods: tuple[str, ...] = ("GET",)
    in_schema: bool = False
    options: Mapping[str, Any] = {}

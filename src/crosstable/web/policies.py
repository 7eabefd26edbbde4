"""Who may do what, as one table: for every policy of a route, what each kind of actor reaches.

``gate`` finds out who asks and holds them to this table; a test goes through every route and every kind of actor.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from crosstable.office.accounts import Role
from crosstable.office.checking import Sender
from crosstable.office.credentials import Scope
from crosstable.web.routes import Policy


class ActorKind(StrEnum):
    """Who may ask. The host works on the command line and is not asked here."""

    ANYBODY = "anybody"
    TD = "td"
    CLUB = "club"
    RESEARCH = "research"
    OFFICE = "office"
    # the person at the machine of an office that has no accounts, come in by the link that ``serve`` printed
    MACHINE = "machine"


class Reach(StrEnum):
    """How far a policy lets an actor go."""

    NONE = "nothing"
    OWN = "own affiliate"
    ALL = "everything"


class Actor(NamedTuple):
    """Who asks, for whom, and with which proof: a session's secret, or the scope of a token."""

    kind: ActorKind
    name: str = ""
    affiliate: str = ""
    secret: str = ""
    scope: Scope | None = None

    @property
    def is_known(self) -> bool:
        """Whether somebody has proven who they are."""
        return self.kind is not ActorKind.ANYBODY

    @property
    def is_office(self) -> bool:
        """Whether the actor does the work of the office."""
        return self.kind in (ActorKind.OFFICE, ActorKind.MACHINE)

    @property
    def needs_second(self) -> bool:
        """Whether acts on published periods take a second person; the person at the machine is the host."""
        return self.kind is not ActorKind.MACHINE


def sender_of(
    actor: Actor, names: frozenset[tuple[int, int]] = frozenset(), newcomers: frozenset[str] = frozenset()
) -> Sender:
    """Who sends a report, as the office looks at it: whoever is not the office sends for their own affiliate."""
    is_director = may(Policy.TD, actor) and not actor.is_office
    return Sender(is_director, names, newcomers, actor.affiliate if is_director else "")


NOBODY = Actor(ActorKind.ANYBODY)
BY_ROLE: Mapping[Role, ActorKind] = {
    Role.TD: ActorKind.TD,
    Role.CLUB: ActorKind.CLUB,
    Role.RESEARCH: ActorKind.RESEARCH,
    Role.OFFICE: ActorKind.OFFICE,
}
_EVERYBODY = dict.fromkeys(ActorKind, Reach.ALL)
_OFFICE = {ActorKind.OFFICE: Reach.ALL, ActorKind.MACHINE: Reach.ALL}

# What is not named here reaches nothing.
REACH: Mapping[Policy, Mapping[ActorKind, Reach]] = {
    Policy.PUBLIC: _EVERYBODY,
    Policy.LIMITED: _EVERYBODY,
    Policy.SIGNED_IN: {kind: Reach.ALL for kind in ActorKind if kind is not ActorKind.ANYBODY},
    Policy.TD: {ActorKind.TD: Reach.OWN, ActorKind.CLUB: Reach.OWN, **_OFFICE},
    Policy.OFFICE: _OFFICE,
    Policy.HOST: {},
}


def reach(policy: Policy, kind: ActorKind) -> Reach:
    """How far a policy lets a kind of actor go."""
    return REACH[policy].get(kind, Reach.NONE)


def may(policy: Policy, actor: Actor, affiliate: str | None = None) -> bool:
    """Whether an actor may do it: for an affiliate (empty: what belongs to none), or, without one, for any at all."""
    found = reach(policy, actor.kind)
    if found is Reach.OWN:
        return affiliate is None or (bool(affiliate) and affiliate == actor.affiliate)
    return found is Reach.ALL

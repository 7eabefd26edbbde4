"""The recorded chain of each member: his current postings in the order of the fold."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection

from crosstable.office.ledger.postings import Key, Posting, current_of_members
from crosstable.terms import PlayerRating, RatingSystem


class _Chain(NamedTuple):
    keys: list[Key]
    postings: list[Posting]


class Chains:
    """Chains of the members that were loaded; each answers what stood before any place of the fold."""

    def __init__(self, connection: Connection, run: int | None = None) -> None:
        """The chains as they stand, or as they stood after a run."""
        self._connection = connection
        self._run = run
        self._chains: dict[str, dict[RatingSystem, _Chain]] = {}

    def load(self, members: Iterable[str]) -> None:
        """Read the chains of members that are not here yet."""
        fresh = [member for member in members if member not in self._chains]
        for member in fresh:
            self._chains[member] = {}
        stored = current_of_members(self._connection, fresh, self._run)
        for posting in sorted((one.posting for one in stored), key=_by_key):
            chain = self._chains[posting.member_id].setdefault(posting.system, _Chain([], []))
            chain.keys.append(posting.key)
            chain.postings.append(posting)

    def before(self, member: str, key: Key) -> Mapping[RatingSystem, PlayerRating]:
        """A member's recorded standings before a place of the fold."""
        found = {}
        for system, chain in self._chains[member].items():
            at = bisect_left(chain.keys, key)
            if at:
                standing = chain.postings[at - 1].standing
                assert standing is not None
                found[system] = standing
        return found

    def last(self, member: str, system: RatingSystem) -> PlayerRating | None:
        """A member's recorded standing after everything."""
        chain = self._chains[member].get(system)
        return None if chain is None else chain.postings[-1].standing

    def postings(self, member: str) -> list[Posting]:
        """A member's postings in all systems, in the order of the fold."""
        return sorted((posting for chain in self._chains[member].values() for posting in chain.postings), key=_by_key)


def _by_key(posting: Posting) -> tuple[Key, RatingSystem]:
    return posting.key, posting.system

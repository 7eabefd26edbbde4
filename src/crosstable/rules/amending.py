"""The shape of the rules: amendments that name only what they change, folded into complete immutable editions (§8)."""

from collections.abc import Iterable, Mapping
from datetime import date
from enum import StrEnum
from typing import Any

from crosstable.rules.constants import Constants
from crosstable.rules.time_controls import ControlRanges
from crosstable.terms import RatingSystem
from crosstable.tuples import NamedTuple


class Knowledge(StrEnum):
    """How a rule is known: from a text, from official results that follow it, or assumed (readings 112)."""

    TEXT = "text"
    RESULTS = "official results"
    ASSUMED = "assumed"


class ListRule(NamedTuple):
    """How official lists are made: lists a year, and the cut-off as the nth weekday (Monday is 0) of a month.

    A rating is on them from ``fewest_games`` on, credited games included (official facts §3; readings 109).
    """

    lists_a_year: int
    cutoff_week: int
    cutoff_weekday: int
    fewest_games: float = 4.0


class Amendment(NamedTuple):
    """One dated change of the rules; it names only what it changes.

    ``printed`` is the first day cited by a text that has the rule, where older whole texts say otherwise or nothing.
    """

    effective: date
    stated: str
    template: str
    knowledge: Knowledge
    source: str
    changes: Mapping[str, Any]
    announced: date | None = None
    ended_from: date | None = None
    keyed_to_start: bool = False
    could_be: tuple[date, date] | None = None
    printed: date | None = None

    @property
    def summary(self) -> str:
        """What it changes, in words that print the numbers of this amendment."""
        return self.template.format_map(self.changes)

    @property
    def is_uncertain(self) -> bool:
        """Whether the effective date is assumed."""
        return self.could_be is not None


class Ruled(NamedTuple):
    """The rule set that changed an edition, by its name and the digest of its numbers."""

    name: str
    digest: str


class Edition(NamedTuple):
    """All rules on a day: what formulas read, which systems exist, which controls belong to them.

    An edition that a rule set changed is no official one any more, and says by which (``ruled``).
    """

    effective: date
    constants: Constants
    systems: tuple[RatingSystem, ...]
    controls: ControlRanges
    lists: ListRule
    amendments: tuple[Amendment, ...]
    ruled: Ruled | None = None

    @property
    def name(self) -> str:
        """The name under which a result says by which edition it was computed."""
        return self.effective.isoformat()

    @property
    def title(self) -> str:
        """The name, and the rule set where one changed the edition."""
        return self.name if self.ruled is None else f"{self.name}, rule set {self.ruled.name} ({self.ruled.digest})"


def amended(edition: Edition, amendment: Amendment) -> Edition:
    """The edition after one more amendment; an unknown name in it fails at once."""
    # Constants and the rest of an edition share one mapping, so that an amendment names a rule and no place.
    constants = {k: v for k, v in amendment.changes.items() if k in Constants._fields}
    scope = {k: v for k, v in amendment.changes.items() if k not in constants}
    if "adds_systems" in scope:
        scope["systems"] = (*edition.systems, *scope.pop("adds_systems"))
    return edition._replace(
        effective=amendment.effective,
        constants=edition.constants._replace(**constants),
        amendments=(*edition.amendments, amendment),
        **scope,
    )


def fold(first: Edition, amendments: Iterable[Amendment]) -> tuple[Edition, ...]:
    """All editions, oldest first: one per date on which anything changed."""
    editions: list[Edition] = []
    current = first
    for amendment in amendments:
        assert amendment.effective >= current.effective, f"{amendment.summary} is out of order"
        current = amended(current, amendment)
        # Several amendments of one day are one edition: no section can be rated between them.
        if editions and editions[-1].effective == current.effective:
            editions.pop()
        editions.append(current)
    return tuple(editions)

"""Rule sets: the official rules, or an edition of them, with some constants changed.

A rule set stands on one edition for every section, or *by date* on each section's own, and changes the same constants
in every edition it stands on. ``rule_files`` reads and checks them; this module applies them. A result says under
which rule set it was computed: its name, and a digest of every number that it leads to.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import date
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

from crosstable.rules.amending import Edition, Ruled
from crosstable.rules.constants import NO_LIMIT, Constants, Conversion, Credit, Piece, Priority, PriorityList
from crosstable.rules.constants import conversion as conversion_of
from crosstable.rules.constants import priority_list as priority_list_of
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.terms import RatingSystem, Source

BY_DATE = "by date"
CONVERSIONS = ("fide", "fide_youth", "cfc")
_FILLING = Priority(Source.AGE, 0.0, NO_LIMIT, Credit.NOTHING)


class RuleSet(NamedTuple):
    """Rules to rate by: a base, which is an edition or by date, and what is changed in it, by name.

    Names are those of ``Constants``; inside tables they go on: ``fide.1.slope``, ``priorities.OTBQ.2.credit``,
    ``game_factors.OTBR.OTBQ``. A rule set may hold for a time only: in the editions from the day ``since`` and before
    the day ``until``; before and after it the official rules hold.
    """

    name: str = "official"
    base: date | None = None
    changes: Mapping[str, Any] = {}
    since: date | None = None
    until: date | None = None

    @property
    def is_official(self) -> bool:
        """Whether every section is rated by the official rules of its own day."""
        return self.base is None and not self.changes

    @property
    def digest(self) -> str:
        """A hash of every constant on every day: equal rules have equal digests, however they are written."""
        return _digest(self.base, tuple(self.changes.items()), self.since, self.until)

    @property
    def title(self) -> str:
        """How a result names the rules it was computed by."""
        return f"{self.name} ({self.digest})"

    @property
    def base_name(self) -> str:
        """``by date``, or the edition that every section is rated by."""
        return BY_DATE if self.base is None else edition_for(self.base).name

    def holds_in(self, official: Edition) -> bool:
        """Whether the rule set holds for sections of an official edition."""
        begun = self.since is None or self.since <= official.effective
        return begun and (self.until is None or official.effective < self.until)

    def edition(self, official: Edition) -> Edition:
        """The edition by which a section is rated whose official edition is this.

        Which systems exist and which controls belong to them stays with the section's own day.
        """
        if self.is_official or not self.holds_in(official):
            return official
        stands_on = official if self.base is None else edition_for(self.base)
        return stands_on._replace(
            constants=changed(stands_on.constants, self.changes),
            systems=official.systems,
            controls=official.controls,
            lists=official.lists,
            ruled=Ruled(self.name, self.digest),
        )


OFFICIAL = RuleSet()


def rules_of_day(day: date) -> RuleSet:
    """The edition of a day for every section; raises where there is none."""
    return RuleSet(f"{edition_for(day).name} for every section", day)


def document_of(rules: RuleSet) -> dict[str, Any]:
    """A rule set as JSON: its name, digest, base and changes."""
    changes = {name: plain_value(value) for name, value in rules.changes.items()}
    days = {"since": rules.since, "until": rules.until}
    return {
        **{"name": rules.name, "digest": rules.digest, "base": rules.base_name, "changes": changes},
        **{name: day.isoformat() for name, day in days.items() if day is not None},
    }


@lru_cache(maxsize=256)
def _digest(base: date | None, changes: tuple[tuple[str, Any], ...], since: date | None, until: date | None) -> str:
    rules = RuleSet("", base, dict(changes), since, until)
    digest = hashlib.sha256()
    # Over all days, so that one set of rules has one digest however it is written.
    for official in EDITIONS:
        constants = official.constants
        if rules.holds_in(official):
            stands_on = official if rules.base is None else edition_for(rules.base)
            constants = changed(stands_on.constants, rules.changes)
        digest.update(json.dumps([official.name, constants._asdict()]).encode())
    return digest.hexdigest()[:16]


def changed(constants: Constants, changes: Mapping[str, Any]) -> Constants:
    """The constants with the changes of a rule set."""
    for name, value in changes.items():
        first, *path = name.split(".")
        constants = constants._replace(**{first: _placed(first, getattr(constants, first), path, value)})
    return constants


def folded(changes: Mapping[str, Any]) -> dict[str, Any]:
    """The same changes with those inside of a table that is changed as a whole put into it.

    Which is how files have them: TOML does not go on inside of a table that it has written.
    """
    found: dict[str, Any] = {}
    for name, value in changes.items():
        for inside in [one for one in found if one.startswith(f"{name}.")]:
            del found[inside]  # the whole, which came later, replaces it
        # What lies inside of a table that was changed before it goes into that table.
        whole = next((one for one in found if name.startswith(f"{one}.")), None)
        if whole is None:
            found[name] = value
            continue
        path = name.removeprefix(f"{whole}.").split(".")
        table = found[whole]
        found[whole] = _placed(whole, table, path, value) if whole in CONVERSIONS else _listed(table, path, value)
    return found


def _placed(name: str, table: Any, path: list[str], value: Any) -> Any:  # noqa: ANN401 (any constant, any table)
    """A constant with a value put where a path leads to."""
    if not path:
        return value
    if name in CONVERSIONS:
        pieces = printed_pieces(table)
        pieces[int(path[0]) - 1] = pieces[int(path[0]) - 1]._replace(**{path[1]: value})
        return conversion_of(*pieces)
    rows = list(table)
    at = int(RatingSystem[path[0]])
    rows[at] = _factored(rows[at], path[1], value) if name == "game_factors" else _listed(rows[at], path[1:], value)
    return tuple(rows)


def _factored(factors: tuple[float, ...], source: str, value: float) -> tuple[float, ...]:
    at = int(RatingSystem[source])
    return (*factors[:at], value, *factors[at + 1 :])


def _listed(lines: PriorityList, path: list[str], value: Any) -> PriorityList:  # noqa: ANN401 (a list, or one field)
    if not path:
        found: PriorityList = value
        return found
    printed = printed_lines(lines)
    printed[int(path[0]) - 1] = printed[int(path[0]) - 1]._replace(**{path[1]: value})
    return priority_list_of(*printed)


def printed_pieces(pieces: Conversion) -> list[Piece]:
    """The pieces of a conversion as it is printed, without those that only fill it up."""
    last = next(at for at, piece in enumerate(pieces) if piece.limit == NO_LIMIT)
    return list(pieces[: last + 1])


def printed_lines(lines: PriorityList) -> list[Priority]:
    """The lines of a priority list as it is printed, without those that only fill it up."""
    count = len(lines)
    while count and lines[count - 1] == _FILLING:
        count -= 1
    return list(lines[:count])


def plain_value(value: Any) -> Any:  # noqa: ANN401 (any constant)
    """A constant as JSON and TOML write it."""
    if isinstance(value, IntEnum):
        return value.name if isinstance(value, Source) else value.name.lower()
    if isinstance(value, Piece | Priority):
        return {name: plain_value(one) for name, one in value._asdict().items()}
    if isinstance(value, tuple):
        rows: Any = value
        printed = printed_pieces(rows) if isinstance(value[0], Piece) else printed_lines(rows)
        return [plain_value(one) for one in printed]
    return "inf" if value == NO_LIMIT else value

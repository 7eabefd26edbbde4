"""What if a change of the rules had not happened: for each change of a constant, a rule set that keeps the old value.

    from crosstable.lab import backtest, undone
    for change in undone("bonus_threshold"):
        print(change.name, backtest("archive", against=change.rules, span=change.span))

Each rule set holds from the day of the change until the next change of the same constant, so that nothing but this
change is undone; before and after it the official rules hold.
"""

import math
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from crosstable.errors import HistoryError
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_changes import nearest
from crosstable.rules.rule_sets import CONVERSIONS, RuleSet, plain_value, printed_lines
from crosstable.terms import RatingSystem

TABLES = (*CONVERSIONS, "priorities", "game_factors")


class Undone(NamedTuple):
    """A change of one constant, from which day until which (the next change, if there was one), and the rules without.

    ``before`` and ``after`` are its values.
    """

    constant: str
    day: date
    until: date | None
    before: Any
    after: Any
    rules: RuleSet

    @property
    def name(self) -> str:
        """The change in words."""
        if self.constant in TABLES:
            return f"{self.constant}, {self.day}"
        return f"{self.constant} {_said(self.before)} to {_said(self.after)}, {self.day}"

    @property
    def span(self) -> tuple[date, date | None]:
        """The days on which the change held, both included."""
        return self.day, None if self.until is None else self.until - timedelta(days=1)


def _said(value: Any) -> str:  # noqa: ANN401 (a number, a truth value or a word)
    plain = plain_value(value)
    return f"{plain:g}" if isinstance(plain, float) else str(plain)


def undone(constant: str) -> list[Undone]:
    """Every change of a constant, oldest first; of a table too. What nobody knows any more cannot be put back."""
    if constant not in Constants._fields:
        raise HistoryError(f"there is no constant {constant!r}.{nearest(constant, Constants._fields)}")
    changes = [
        (after.effective, getattr(before.constants, constant), getattr(after.constants, constant))
        for before, after in pairwise(EDITIONS)
        if getattr(before.constants, constant) != getattr(after.constants, constant)
    ]
    ends = [*(day for day, _, _ in changes[1:]), None]
    return [
        Undone(constant, day, until, before, after, _without(constant, (day, until), (before, after)))
        for (day, before, after), until in zip(changes, ends, strict=False)
        if _is_known(before)
    ]


def _is_known(value: Any) -> bool:  # noqa: ANN401 (any constant)
    if isinstance(value, tuple):
        return all(_is_known(one) for one in value)
    return not (isinstance(value, float) and math.isnan(value))


def _without(constant: str, span: tuple[date, date | None], values: tuple[Any, Any]) -> RuleSet:
    before, after = values
    if constant not in TABLES:
        return RuleSet(f"{constant} still {_said(before)} from {span[0]}", None, {constant: before}, *span)
    return RuleSet(f"{constant} still as before {span[0]}", None, dict(_inside(constant, before, after)), *span)


def _inside(constant: str, before: Any, after: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 (any table)
    """What to change in a table, by the names that rule sets have for its parts."""
    if constant in CONVERSIONS:
        yield constant, before
        return
    for system in RatingSystem:
        old, new = before[system], after[system]
        if old == new or (constant == "priorities" and not printed_lines(old)):
            continue  # a system that was not there had no list
        if constant == "priorities":
            yield f"{constant}.{system.name}", old
        else:
            yield from (
                (f"{constant}.{system.name}.{one.name}", old[one]) for one in RatingSystem if old[one] != new[one]
            )

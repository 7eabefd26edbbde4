"""What if a change of the rules had not happened: for each change of a constant, a rule set that keeps the old value.

    from crosstable.lab import backtest, undone
    for change in undone("bonus_threshold"):
        print(change.name, backtest("archive", against=change.rules, span=change.span))

Each rule set holds from the day of the change until the next change of the same constant, so that nothing but this
change is undone; before and after it the official rules hold.
"""

from datetime import date, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import RuleSet, plain_value


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
        return f"{self.constant} {self.before:g} to {self.after:g}, {self.day}"

    @property
    def span(self) -> tuple[date, date | None]:
        """The days on which the change held, both included."""
        return self.day, None if self.until is None else self.until - timedelta(days=1)


def undone(constant: str) -> list[Undone]:
    """Every change of a constant that is a number, oldest first."""
    changes = [
        (after.effective, getattr(before.constants, constant), getattr(after.constants, constant))
        for before, after in pairwise(EDITIONS)
        if getattr(before.constants, constant) != getattr(after.constants, constant)
    ]
    ends = [*(day for day, _, _ in changes[1:]), None]
    return [
        Undone(constant, day, until, before, after, _without(constant, (day, until), before))
        for (day, before, after), until in zip(changes, ends, strict=False)
    ]


def _without(constant: str, span: tuple[date, date | None], before: float) -> RuleSet:
    name = f"{constant} still {before:g} from {span[0]}"
    return rule_set(name=name, since=span[0], until=span[1], **{constant: plain_value(before)})

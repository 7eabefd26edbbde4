"""Rule sets at random within the documented ranges, and histories in which every kind of start and entry occurs."""

import math
import random
from collections.abc import Mapping
from datetime import date
from typing import Any

import polars as pl

from crosstable.errors import RuleSetError
from crosstable.history.archive import Archive
from crosstable.rules.constants import CONSTANTS_2001
from crosstable.rules.editions import EDITIONS
from crosstable.rules.in_words import DESCRIBED, INSIDE, Described
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import RatingSystem

# Where a range has no upper end, numbers are taken up to this.
_FAR = 5000.0


def random_rules(seed: int) -> RuleSet:
    """A rule set whose constants lie anywhere in their ranges, at their ends often."""
    choice = random.Random(seed)
    share = choice.choice((0.03, 0.15, 0.6))
    while True:
        changes = {name: _value(choice, name) for name in DESCRIBED if choice.random() < share}
        bases: list[RuleSet | date] = [OFFICIAL, *(edition.effective for edition in EDITIONS)]
        base = choice.choice(bases)
        try:
            return rule_set(base, **{name: value for name, value in changes.items() if value is not None})
        except RuleSetError:  # two constants in the wrong order
            continue


def _value(choice: random.Random, name: str) -> Any:
    if name in ("fide", "fide_youth", "cfc"):
        return _conversion(choice)
    if name == "game_factors":
        systems = [system.name for system in RatingSystem]
        return {choice.choice(systems): {choice.choice(systems): _number(choice, DESCRIBED[name])}}
    if name == "priorities":
        return None
    if name == "initialisation":
        return choice.choice(("priority", "blend"))
    like = getattr(CONSTANTS_2001, name)
    if isinstance(like, bool):
        return choice.random() < 0.5
    return _number(choice, DESCRIBED[name], whole=isinstance(like, int))


def _number(choice: random.Random, described: Described, *, whole: bool = False) -> float:
    least, most = described.least, described.most
    far = _FAR if math.isinf(most) else most
    if whole:
        return choice.choice((int(least), int(far), choice.randint(int(least), int(far)), int(least) + 1))
    return choice.choice((least, most, choice.uniform(least, far), least + choice.random() * min(10.0, far - least)))


def _conversion(choice: random.Random) -> list[Mapping[str, float]]:
    limits = sorted({round(choice.uniform(500.0, 2500.0)) for _ in range(choice.randint(0, 3))})
    pieces = [{"limit": float(limit), **_line(choice)} for limit in limits]
    return [*pieces, _line(choice)]


def _line(choice: random.Random) -> dict[str, float]:
    if choice.random() < 0.2:
        return {name: choice.choice((INSIDE[name].least, INSIDE[name].most)) for name in ("intercept", "slope")}
    return {"intercept": choice.uniform(-500.0, 500.0), "slope": choice.uniform(0.5, 1.5)}


def with_odd_entries(archive: Archive, seed: int) -> Archive:
    """The same history with starts by hand, some of them on many games, FIDE ratings of reports, and re-entries."""
    choice = random.Random(seed)
    ratings: list[float | None] = [None] * archive.entries.height
    games: list[float | None] = [None] * archive.entries.height
    for row in choice.sample(range(archive.entries.height), archive.entries.height // 8):
        ratings[row] = round(choice.uniform(100.0, 2600.0), choice.choice((0, 2)))
        games[row] = float(choice.choice((0, 1, 8, 9, 10, 25, 26, 40)))
    fide = archive.entries["fide"].to_list()
    for row in choice.sample(range(archive.entries.height), archive.entries.height // 10):
        fide[row] = choice.choice((None, 1400.0, 1999.0, 2450.0))
    entries = archive.entries.with_columns(
        pl.Series("start_rating", ratings, pl.Float64),
        pl.Series("start_games", games, pl.Float64),
        pl.Series("fide", fide, pl.Float64),
    )
    return archive._replace(entries=entries.with_columns(pl.Series("member", _re_entered(archive, choice), pl.Int32)))


def _re_entered(archive: Archive, choice: random.Random) -> list[int]:
    """The members of all entries, where somebody entered a few sections twice, on rows that did not meet."""
    member = archive.entries["member"].to_list()
    sections = archive.entries["section"].to_list()
    first = {section: at for at, section in reversed(list(enumerate(sections)))}
    met = {(section, *sorted(pair)) for section, *pair in archive.games.select("section", "first", "second").rows()}
    for row in choice.sample(range(1, len(member)), len(member) // 40):
        place = row - first[sections[row]]
        if place > 0 and (sections[row], place - 1, place) not in met and member[row - 1] >= 0:
            member[row] = member[row - 1]
    return member

"""Federations fitted to US Chess: parameters of the simulation that come near its figures, several of them.

No set of parameters is the true one: ``federations.json`` keeps some that fit about as well and differ in what no
crosstable shows. Answers that hold in all of them can be trusted more. tools/fit_federation.py finds them.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from crosstable.errors import HistoryError
from crosstable.lab.population import Federation

FILE = "federations.json"
YEARS = 25


class Preset(NamedTuple):
    """A fitted federation: what it is like, how many sections a year it plays for each member, and its parameters."""

    meaning: str
    sections_a_year: float
    parameters: Mapping[str, float]


@cache
def presets() -> Mapping[str, Preset]:
    """Every fitted federation by name."""
    document: dict[str, Any] = json.loads(files("crosstable.lab").joinpath(FILE).read_text(encoding="utf-8"))
    return {name: Preset(**one) for name, one in document["federations"].items()}


PRESETS = ("quick-growth", "long-growth", "growth-and-decline")


def preset(name: str, members: int, *, years: int = YEARS, seed: int = 1) -> Federation:
    """A fitted federation of so many members."""
    known = presets()
    if name not in known:
        raise HistoryError(f"there is no federation {name!r}; there are {', '.join(known)}")
    return fitted(Federation(members, years=years, seed=seed), known[name].sections_a_year, known[name].parameters)


def fitted(plain: Federation, sections_a_year: float, parameters: Mapping[str, float]) -> Federation:
    """A federation with some parameters that neither grows nor shrinks: as many are there on the first day as later.

    ``sections_a_year`` is for each member who is there.
    """
    made = plain._replace(**parameters, opened=1.0)  # type: ignore[arg-type]
    stay = made.career_years * (made.juniors + (1.0 - made.juniors) * made.adult_stay)
    founders = stay / (stay + made.years)
    sections = max(1, round(made.members * founders * made.years * sections_a_year))
    return made._replace(founders=founders, sections=sections)

"""Compiling formulas from outside: they know nothing of Numba, and importing them does not import it.

Numba's cache does not notice changes in other files than the one it compiled, so the cache lies in a folder whose name
is a hash of every source that goes into it.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.extending import register_jitable

import crosstable
from crosstable.formulas import (
    effective,
    floors,
    foreign,
    initial,
    matches,
    norms,
    outcome,
    rounding,
    special,
    standard,
    steps,
    tally,
)
from crosstable.rules.constants import Constants

FORMULAS = (
    rounding, effective, special, standard, initial, floors, matches, foreign, norms, outcome, tally, steps,
)  # fmt: skip
SOURCES = ("formulas", "history/kernel", "rules/constants.py", "terms.py")
Compiled = TypeVar("Compiled", bound=Callable[..., Any])


def sources_digest() -> str:
    """A hash of every source that the compiled code comes from, and of the compiler."""
    package = Path(crosstable.__file__).parent
    digest = hashlib.sha256(f"{numba.__version__}".encode())
    for name in SOURCES:
        path = package / name
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for file in files:
            digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled code is kept between runs."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "crosstable" / f"compiled-{sources_digest()}"


def is_cached() -> bool:
    """Whether compiled code is there, so that no compiling has to be waited for."""
    folder = cache_folder()
    return folder.is_dir() and any(folder.rglob("*.nbc"))


def _register(module: ModuleType) -> None:
    for value in list(vars(module).values()):
        if callable(value) and getattr(value, "__module__", None) == module.__name__ and not isinstance(value, type):
            register_jitable(value)


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
for formulas_of_section in FORMULAS:
    _register(formulas_of_section)


_PIECE = np.dtype([("limit", "f8"), ("is_closed", "?"), ("intercept", "f8"), ("slope", "f8")])
_PRIORITY = np.dtype([("source", "i8"), ("at_least", "f8"), ("at_most", "f8"), ("credit", "i8")])


def constants_for(constants: Constants) -> Constants:
    """The numbers of an edition as compiled formulas take them: its tables as arrays, which are passed by their place.

    As tuples they would be some three hundred arguments of every formula.
    """

    def table(rows: Any, dtype: np.dtype[Any]) -> Any:  # noqa: ANN401 (a tuple's place is taken by an array)
        return np.array([tuple(row) for row in rows], dtype=dtype)

    priorities: Any = np.stack([table(lines, _PRIORITY) for lines in constants.priorities])
    game_factors: Any = np.array(constants.game_factors)
    return constants._replace(
        priorities=priorities,
        game_factors=game_factors,
        fide=table(constants.fide, _PIECE),
        fide_youth=table(constants.fide_youth, _PIECE),
        cfc=table(constants.cfc, _PIECE),
    )


def compiled(function: Compiled) -> Compiled:
    """A function compiled when it is first called, without the interpreter's lock; kept on disk."""
    made: Any = numba.njit(cache=True, nogil=True)(function)
    return cast(Compiled, made)


def inner(function: Compiled) -> Compiled:
    """A function that only compiled functions call."""
    made: Any = numba.njit(nogil=True)(function)
    return cast(Compiled, made)

"""Compiling formulas from outside, and what compiled code asks of the processor itself.

Formulas know nothing of Numba, and importing them does not import it. Numba's cache does not notice changes in other
files than the one it compiled, so the cache lies in a folder whose name is a hash of every source that goes into it.
"""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, register_jitable

import crosstable
from crosstable.formulas import foreign, initial, norms, outcome, section, special, standard, steps
from crosstable.history.compiled_folders import COMPLETE, compiled_folder
from crosstable.history.kernel.arrays import Array
from crosstable.rules.constants import Constants

# What the compiler deals in.
Type = Any
item_pointer: Any = cgutils.get_item_pointer

# The operating system's own, found by its name when the code is linked.
give_way = types.ExternalFunction("sched_yield", types.int32())


def _place(context: Type, builder: Type, array_type: Type, array: Type, number: Type) -> Type:
    """The address of an element, or of the first one of a row."""
    made = context.make_array(array_type)(context, builder, array)
    zero = context.get_constant(types.intp, 0)
    return item_pointer(context, builder, array_type, made, [number, *[zero] * (array_type.ndim - 1)])


@intrinsic
def _read_flag(typing_context: Type, flags: Type, number: Type) -> Type:
    def generate(context: Type, builder: Type, signature: Type, values: Type) -> Type:
        return builder.load_atomic(_place(context, builder, signature.args[0], *values), "acquire", 1)

    return types.uint8(flags, types.int64), generate


@intrinsic
def _set_flag(typing_context: Type, flags: Type, number: Type) -> Type:
    def generate(context: Type, builder: Type, signature: Type, values: Type) -> Type:
        place = _place(context, builder, signature.args[0], *values)
        builder.store_atomic(context.get_constant(types.uint8, 1), place, "release", 1)
        return context.get_dummy_value()

    return types.void(flags, types.int64), generate


@intrinsic
def _take_number(typing_context: Type, counter: Type) -> Type:
    def generate(context: Type, builder: Type, signature: Type, values: Type) -> Type:
        place = _place(context, builder, signature.args[0], values[0], context.get_constant(types.intp, 0))
        return builder.atomic_rmw("add", place, context.get_constant(types.int64, 1), "monotonic")

    return types.int64(counter), generate


@intrinsic
def _fetch(typing_context: Type, array: Type, number: Type) -> Type:
    def generate(context: Type, builder: Type, signature: Type, values: Type) -> Type:
        place = _place(context, builder, signature.args[0], *values)
        address = builder.bitcast(place, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [address.type], shape)
        to_write, keep, data = number(1), number(3), number(1)
        builder.call(prefetch, [address, to_write, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


# Whether a flag is set, read so that everything written before it was set is seen too.
read_flag: Any = _read_flag
# Set a flag, after everything that was written before.
set_flag: Any = _set_flag
# The first number of an array, which grows by one: no two threads get the same.
take_number: Any = _take_number
# Ask for an element that will be needed soon; whether it comes changes the speed and nothing else.
fetch: Any = _fetch


FORMULAS = (special, standard, initial, foreign, norms, outcome, steps, section)
SOURCES = ("formulas", "history/kernel", "lab/predictions.py", "lab/sweep_lanes.py", "rules/constants.py", "terms.py")
Compiled = TypeVar("Compiled", bound=Callable[..., Any])
njit: Any = numba.njit
# Numba would make two more entrances of every function, for C and for Python, and compile all of it into each.
_NOT_FOR_C = {"no_cfunc_wrapper": True}
_INSIDE = {**_NOT_FOR_C, "no_cpython_wrapper": True}
# Walking functions make no arrays, so no reference to one has to be counted; and they divide by nothing that may be 0.
_WALKING = {"nogil": True, "_nrt": False, "error_model": "numpy"}


def sources_digest(*more: str) -> str:
    """A hash of the compiler and of every source that the compiled code comes from, and of more of the package."""
    package = Path(crosstable.__file__).parent
    digest = hashlib.sha256(f"{numba.__version__}".encode())
    for name in (*SOURCES, *more):
        path = package / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled code is kept between runs."""
    return compiled_folder(sources_digest())


def is_cached() -> bool:
    """Whether all compiled code is there, so that no compiling has to be waited for."""
    return (cache_folder() / COMPLETE).exists()


def say_cached() -> None:
    """Note that everything was compiled and kept; where nothing can be kept, it is compiled each time."""
    with suppress(OSError):
        (cache_folder() / COMPLETE).touch()


def _register(module: ModuleType) -> None:
    for value in list(vars(module).values()):
        if callable(value) and getattr(value, "__module__", None) == module.__name__ and not isinstance(value, type):
            register_jitable(**_INSIDE)(value)


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
for formulas_of_section in FORMULAS:
    _register(formulas_of_section)


_PIECE = np.dtype([("limit", "f8"), ("is_closed", "?"), ("intercept", "f8"), ("slope", "f8")])
_PRIORITY = np.dtype([("source", "i8"), ("at_least", "f8"), ("at_most", "f8"), ("credit", "i8")])


_TABLES: Mapping[str, tuple[np.dtype[Any], tuple[int, ...]]] = {
    "fide": (_PIECE, (4,)),
    "fide_youth": (_PIECE, (4,)),
    "cfc": (_PIECE, (4,)),
    "priorities": (_PRIORITY, (6, 8)),
    "game_factors": (np.dtype("f8"), (6, 6)),
}


def _column(name: str, value: object) -> tuple[Any, ...]:
    if name in _TABLES:
        return (name, *_TABLES[name])
    return (name, "?" if isinstance(value, bool) else "i8" if isinstance(value, int) else "f8")


def _plain(value: object) -> object:
    """Tables as lists of rows: rows are tuples, everything around them is a list."""
    if not isinstance(value, tuple):
        return value
    if hasattr(value, "_fields") or not isinstance(value[0], tuple):
        return tuple(value)
    return [_plain(one) for one in value]


def constants_for(constants: Constants) -> Array:
    """The numbers of an edition as compiled formulas take them: one row whose fields are those of ``Constants``.

    A row is passed by its place; a tuple would be some three hundred arguments of every formula.
    """
    row = np.zeros(1, dtype=[_column(name, value) for name, value in constants._asdict().items()])
    for name, value in constants._asdict().items():
        row[name][0] = _plain(value)
    return row


def compiled(function: Compiled) -> Compiled:
    """A function compiled when it is first called, without the interpreter's lock; kept on disk."""
    return cast(Compiled, njit(cache=True, nogil=True, **_NOT_FOR_C)(function))


def walking(function: Compiled) -> Compiled:
    """A function compiled as ``compiled`` does, for the replay over sections."""
    return cast(Compiled, njit(cache=True, **_NOT_FOR_C, **_WALKING)(function))


def inner(function: Compiled) -> Compiled:
    """A function that only walking functions call, made part of them.

    A call would hand over every array of the tables, one by one, for each section or even each competitor.
    """
    return cast(Compiled, njit(forceinline=True, **_INSIDE, **_WALKING)(function))

"""Many sections in the order of the fold, on several threads, with the results of one.

A section may be rated once every competitor's section before it is. Threads take sections in turn, in the order of the
fold, and wait for those they depend on; everything a section depends on comes earlier, so the oldest section that is
not done can always go on. Each section reads the same numbers whoever rates it, so the results do not depend on the
threads.
"""

from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from crosstable.history.kernel.arrays import Array, History, Tables
from crosstable.history.kernel.compiling import compiled, inner
from crosstable.history.kernel.section import Scratch, rate_section

# What the compiler deals in.
Type = Any
item_pointer: Any = cgutils.get_item_pointer

# Sections that a thread takes at a time.
TURN = 1
# A thread that looked so often in vain lets others have the processor.
PATIENCE = 200
# The operating system's own, found by its name when the code is linked.
give_way = types.ExternalFunction("sched_yield", types.int32())


@intrinsic
def is_done(typing_context: Type, done: Type, number: Type) -> Type:
    """Whether a section is rated, read so that its results are seen too."""
    signature = types.uint8(done, types.int64)

    def generate(context: Type, builder: Type, signature: Type, values: Type) -> Type:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        place = item_pointer(context, builder, signature.args[0], array, [values[1]])
        return builder.load_atomic(place, "acquire", 1)

    return signature, generate


@intrinsic
def set_done(typing_context: Type, done: Type, number: Type) -> Type:
    """Say that a section is rated, after its results are written."""
    signature = types.void(done, types.int64)

    def generate(context: Type, builder: Type, signature: Type, values: Type) -> Type:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        place = item_pointer(context, builder, signature.args[0], array, [values[1]])
        one = context.get_constant(types.uint8, 1)
        builder.store_atomic(one, place, "release", 1)
        return context.get_dummy_value()

    return signature, generate


read_done: Any = is_done
write_done: Any = set_done


@inner
def not_yet(done: Array, number: int) -> bool:
    """Whether a section is still to be rated."""
    return bool(read_done(done, number) == 0)


@inner
def say_done(done: Array, number: int) -> None:
    """Say that a section is rated."""
    write_done(done, np.int64(number))


@compiled
def walk_share(numbers: Array, tables: Tables, span: Array, done: Array, scratch: Scratch) -> None:
    """Rate one thread's share of the sections from ``span[0]`` up to ``span[1]``: thread ``span[2]`` of ``span[3]``."""
    constants = numbers[0]
    first, last, thread, threads = span[0], span[1], span[2], span[3]
    for number in range(first, last):
        if ((number - first) // TURN) % threads != thread:
            continue
        if threads > 1:
            wait_for(tables.history, number, first, done)
        rate_section(constants, tables, number, scratch)
        if threads > 1:
            say_done(done, number)


@inner
def wait_for(history: History, number: int, first: int, done: Array) -> None:
    """Wait until every competitor's section before is rated."""
    for at in range(history.sections[number].first, history.sections[number + 1].first):
        before = history.competitors[at].previous
        if before >= first:
            spins = 0
            while not_yet(done, before):
                spins += 1
                if spins > PATIENCE:
                    give_way()

"""Many sections in the order of the fold, on several threads, with the results of one.

A section may be rated once every competitor's section before it is. Threads take sections in turn, in the order of the
fold, and wait for those they depend on; everything a section depends on comes earlier, so the oldest section that is not
done can always go on. Each section reads the same numbers whoever rates it, so the results do not depend on the threads.
"""

from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from crosstable.history.kernel.arrays import Array, History, Results, Standings
from crosstable.history.kernel.compiling import compiled
from crosstable.history.kernel.section import Scratch, rate_section
from crosstable.rules.constants import Constants

# Sections that a thread takes at a time.
TURN = 1
# A thread that looked so often in vain lets others have the processor.
PATIENCE = 200
# The operating system's own, found by its name when the code is linked.
give_way = types.ExternalFunction("sched_yield", types.int32())


@intrinsic  # type: ignore[untyped-decorator]
def is_done(typing_context: Any, done: Any, number: Any) -> Any:  # noqa: ANN401 (types of the compiler)
    """Whether a section is rated, read so that its results are seen too."""
    signature = types.uint8(done, types.int64)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
        array = context.make_array(signature.args[0])(context, builder, values[0])
        place = cgutils.get_item_pointer(context, builder, signature.args[0], array, [values[1]])
        return builder.load_atomic(place, "acquire", 1)

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def set_done(typing_context: Any, done: Any, number: Any) -> Any:  # noqa: ANN401
    """Say that a section is rated, after its results are written."""
    signature = types.void(done, types.int64)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
        array = context.make_array(signature.args[0])(context, builder, values[0])
        place = cgutils.get_item_pointer(context, builder, signature.args[0], array, [values[1]])
        one = context.get_constant(types.uint8, 1)
        builder.store_atomic(one, place, "release", 1)
        return context.get_dummy_value()

    return signature, generate


@compiled
def walk_share(
    constants: Constants,
    history: History,
    standings: Standings,
    span: Array,
    done: Array,
    scratch: Scratch,
    results: Results,
) -> None:
    """Rate one thread's share of the sections from ``span[0]`` up to ``span[1]``: thread ``span[2]`` of ``span[3]``."""
    first, last, thread, threads = span[0], span[1], span[2], span[3]
    for number in range(first, last):
        if ((number - first) // TURN) % threads != thread:
            continue
        if threads > 1:
            for at in range(history.sections[number].first, history.sections[number + 1].first):
                before = history.competitors[at].previous
                if before >= first:
                    spins = 0
                    while is_done(done, before) == 0:
                        spins += 1
                        if spins > PATIENCE:
                            give_way()
        rate_section(constants, history, standings, number, scratch, results)
        if threads > 1:
            set_done(done, np.int64(number))

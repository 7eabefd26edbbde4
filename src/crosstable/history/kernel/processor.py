"""What compiled code asks of the processor itself: words that threads share, and memory that is fetched in time."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

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

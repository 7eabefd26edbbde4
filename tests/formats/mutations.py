"""Damage for readers: seeded mutations of a file, and the law that every reader keeps on them.

``CROSSTABLE_FUZZ`` in the environment sets how many mutations each format meets (150 unless told). The same
seed gives the same files on every machine.
"""

import os
import random
import re
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

from crosstable.errors import Fault, FormatError, Severity
from crosstable.formats import Reading

_ASKED = os.environ.get("CROSSTABLE_FUZZ")
MUTATIONS = int(_ASKED or 150)


def share(parts: int) -> int:
    """The mutations of each of so many files: a share with every change, the full number in ``make fuzz``."""
    return MUTATIONS if _ASKED else MUTATIONS // parts + 1


# ``make fuzz`` holds the limit; beside coverage's tracing and other work this only tells a reader that never ends.
SECONDS = 2.0 if _ASKED else 20.0
MEMORY = 256_000_000

_Change = Callable[[random.Random, bytes], bytes]
_NUMBER = re.compile(rb"\d+")
_NUMBERS = b" 0 -1 1 00 7 255 256 65536 99999999 4294967296 1e999".split(b" ")
_LENGTHS = (0, 1, 2, 13, 26, 31, 32, 33, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**32 - 1)
_TEXTS = (
    *(b"\x00", b"\r\n", b"\n", b"\t", b" ", b"\r", b"\x1a", b'"', b"'", b"\\", b"\x1b[2J"),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xe2\x80\xae"),
    *b"* , ; | / { } [ ] null NaN =1+1 ../../ W1 D99999".split(b" "),
    b"A" * 600,
)


class Shape(NamedTuple):
    """How many sections and players a file has."""

    sections: int
    players: int


class TookTooLongError(BaseException):
    """A reader ran longer than it may; no ordinary ``except`` swallows this."""


def mutations(data: bytes, seed: int, count: int = MUTATIONS) -> Iterator[bytes]:
    """So many damaged copies of a file, each with one to four changes."""
    dice = random.Random(seed)
    for _ in range(count):
        damaged = data
        while damaged == data:
            for _ in range(dice.choice((1, 1, 1, 2, 3, 4))):
                damaged = dice.choice(_CHANGES)(dice, damaged)
        yield damaged


def shape_of(reading: Reading) -> Shape:
    """The shape of what was read."""
    sections = reading.report.sections
    return Shape(len(sections), sum(len(section.players) for section in sections))


def must_read_or_refuse(
    read: Callable[[bytes], Reading],
    original: Reading,
    mutated: bytes,
    states: Callable[[bytes], Shape | None] | None = None,
) -> Reading | None:
    """A damaged file is read, or refused by ``FormatError`` alone: in time, in memory, never with rows amiss.

    Where it reads without an error, the shape must be the original's or what the mutated bytes themselves
    state, which ``states`` counts in a way of its own (``None`` where it cannot tell).
    """
    reading, faults = _read(read, mutated)
    assert all(found.place and found.message and found.remedy for found in faults), mutated
    if reading is None:
        assert faults[0].severity is Severity.ERROR, mutated
        return None
    if not any(found.severity is Severity.ERROR for found in faults):
        stated = states(mutated) if states is not None else None
        assert shape_of(reading) in (shape_of(original), stated), mutated
    return reading


def _read(read: Callable[[bytes], Reading], data: bytes) -> tuple[Reading | None, tuple[Fault, ...]]:
    try:
        with _limits():
            reading = read(data)
    except FormatError as refusal:
        return None, (refusal.fault,)
    return reading, reading.faults


@contextmanager
def _limits() -> Iterator[None]:
    """``SECONDS`` of this process's own time (others' work does not count), 256 MB more than it has now."""

    def too_long(_signal: int, _frame: FrameType | None) -> None:
        raise TookTooLongError

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (_memory_in_use() + MEMORY, hard))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGPROF, handler)


def _memory_in_use() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _place(dice: random.Random, data: bytes) -> int:
    """Anywhere, but often near the start, where files say what they are."""
    end = len(data) if dice.random() < 0.7 else min(len(data), 96)
    return dice.randrange(end + 1)


def _block(dice: random.Random, data: bytes) -> tuple[int, int]:
    start = _place(dice, data)
    return start, min(len(data), start + dice.choice((1, 2, 4, 8, 16, 32, 33, 64, 128, 512)))


def _line(dice: random.Random, data: bytes) -> tuple[int, int]:
    """Start and end of one line, its end mark included."""
    at = dice.randrange(len(data) + 1)
    start = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", at)
    return start, len(data) if end < 0 else end + 1


def _flip_bit(dice: random.Random, data: bytes) -> bytes:
    at = _place(dice, data)
    flipped = bytes(byte ^ (1 << dice.randrange(8)) for byte in data[at : at + 1])
    return data[:at] + flipped + data[at + 1 :]


def _set_byte(dice: random.Random, data: bytes) -> bytes:
    at = _place(dice, data)
    return data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :]


def _set_text(dice: random.Random, data: bytes) -> bytes:
    at, text = _place(dice, data), dice.choice(_TEXTS)
    return data[:at] + text + data[at + len(text) :]


def _insert_text(dice: random.Random, data: bytes) -> bytes:
    at = _place(dice, data)
    return data[:at] + dice.choice(_TEXTS) + data[at:]


def _insert_bytes(dice: random.Random, data: bytes) -> bytes:
    at = _place(dice, data)
    return data[:at] + dice.randbytes(dice.randrange(1, 40)) + data[at:]


def _delete_block(dice: random.Random, data: bytes) -> bytes:
    start, end = _block(dice, data)
    return data[:start] + data[end:]


def _repeat_block(dice: random.Random, data: bytes) -> bytes:
    start, end = _block(dice, data)
    return data[:end] + data[start:end] * dice.choice((1, 1, 2, 50)) + data[end:]


def _delete_line(dice: random.Random, data: bytes) -> bytes:
    start, end = _line(dice, data)
    return data[:start] + data[end:]


def _repeat_line(dice: random.Random, data: bytes) -> bytes:
    start, end = _line(dice, data)
    return data[:end] + data[start:end] + data[end:]


def _move_line(dice: random.Random, data: bytes) -> bytes:
    start, end = _line(dice, data)
    rest = data[:start] + data[end:]
    to, _ = _line(dice, rest)
    return rest[:to] + data[start:end] + rest[to:]


def _truncate(dice: random.Random, data: bytes) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _splice(dice: random.Random, data: bytes) -> bytes:
    """One part of the file written over another."""
    start, end = _block(dice, data)
    at = _place(dice, data)
    return data[:at] + data[start:end] + data[at + end - start :]


def _swap_numbers(dice: random.Random, data: bytes) -> bytes:
    found = [match.span() for match in _NUMBER.finditer(data)]
    if len(found) < 2:
        return data
    (a, b), (c, d) = sorted(dice.sample(found, 2))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _set_number(dice: random.Random, data: bytes) -> bytes:
    found = [match.span() for match in _NUMBER.finditer(data)]
    if not found:
        return data
    start, end = dice.choice(found)
    return data[:start] + dice.choice(_NUMBERS) + data[end:]


def _set_length(dice: random.Random, data: bytes) -> bytes:
    """A binary length, small or huge, or off by one, in either byte order."""
    size, at = dice.choice((1, 2, 4)), _place(dice, data)
    order = dice.choice(("little", "big"))
    now = int.from_bytes(data[at : at + size], order)  # type: ignore[arg-type]
    value = dice.choice((*_LENGTHS, now + 1, now - 1, now + 32, now * 2)) % (1 << 8 * size)
    return data[:at] + value.to_bytes(size, order) + data[at + size :]  # type: ignore[arg-type]


_CHANGES: tuple[_Change, ...] = (
    *(_flip_bit, _set_byte, _set_text, _insert_text, _insert_bytes, _delete_block, _repeat_block),
    *(_delete_line, _repeat_line, _move_line, _truncate, _splice, _swap_numbers, _set_number, _set_length),
)

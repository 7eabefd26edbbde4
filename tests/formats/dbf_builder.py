"""dBASE III tables put together byte by byte, so that readers and writers are held against something not our own."""

import struct
from collections.abc import Collection, Mapping, Sequence

Layout = Sequence[tuple[str, str, int]]


def table(
    layout: Layout,
    rows: Sequence[Mapping[str, str | bytes]],
    *,
    deleted: Collection[int] = (),
    head: bytes = b"\x03\x7e\x04\x04",
    junk: bytes = bytes(20),
    after_fields: bytes = b"\r",
) -> bytes:
    """A table; ``deleted`` are records counted from 1, ``head`` is version and date, ``junk`` the bytes 12 to 31."""
    width = 1 + sum(size for _, _, size in layout)
    start = 32 + 32 * len(layout) + len(after_fields)
    data = head + struct.pack("<IHH", len(rows), start, width) + junk
    for name, kind, size in layout:
        data += struct.pack("<11sc4xBB14x", name.encode(), kind.encode(), size, 0)
    data += after_fields
    for number, row in enumerate(rows, 1):
        data += b"*" if number in deleted else b" "
        for name, _, size in layout:
            value = row.get(name, "")
            raw = value if isinstance(value, bytes) else value.encode("ascii")
            assert len(raw) <= size, f"{name} is too narrow for {value!r}"
            data += raw.ljust(size)
    return data + b"\x1a"


def with_bytes(data: bytes, at: int, changed: bytes) -> bytes:
    """A copy of some bytes with others written over them."""
    return data[:at] + changed + data[at + len(changed) :]

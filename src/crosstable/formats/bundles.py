"""Several files as one report: a folder, files given together, or a zip of them.

A zip is read in memory and within limits; nothing is unpacked to a disk, so its names serve messages only.
"""

import os
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import Reading, dbf, file_bytes, uschess_dbf

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

MOST_MEMBERS = 20
MOST_BYTES = 50_000_000
MOST_RATIO = 100

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_LISTED = b"PK\x01\x02"
_SPREADSHEET = b"[Content_Types].xml"
_ENCRYPTED = 0x1
_STORED, _DEFLATED = 0, 8
_STANDARD_NAMES = frozenset({"thexport.dbf", "tsexport.dbf", "tdexport.dbf"})


def looks_like(data: bytes) -> bool:
    """Whether these bytes are a zip that is no spreadsheet."""
    return data.startswith((_ZIP, _EMPTY_ZIP)) and _SPREADSHEET not in data


def read_folder(path: str) -> Reading:
    """Read the tables of a rating report from a folder: those with the usual names, else every DBF file in it.

    Links are not followed, and folders within the folder are not looked into.
    """
    name = os.path.basename(os.path.normpath(path)) or path
    try:
        with os.scandir(path) as entries:
            files = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
            sizes = {entry.name: entry.stat(follow_symlinks=False).st_size for entry in files}
    except OSError as error:
        raise _refused(name, f"The folder cannot be opened: {error.strerror}.", "Check its name.") from error
    tables = sorted(each for each in sizes if each.casefold().endswith(".dbf"))
    usual = [each for each in tables if each.casefold() in _STANDARD_NAMES]
    chosen = usual if len(usual) >= len(_STANDARD_NAMES) else tables
    _require_few(len(chosen), name)
    if sum(sizes[each] for each in chosen) > MOST_BYTES:
        raise _too_large(name)
    return read_files([(each, file_bytes(os.path.join(path, each))) for each in chosen], name)


def read_files(files: Sequence[tuple[str, bytes]], name: str) -> Reading:
    """Read files that were given together: the three tables in any order, or one zip of them."""
    if len(files) == 1 and looks_like(files[0][1]):
        return read_zip(files[0][1], files[0][0])
    _require_few(len(files), name)
    if sum(len(data) for _, data in files) > MOST_BYTES:
        raise _too_large(name)
    tables: dict[str, bytes] = {}
    others = []
    for file, data in files:
        if data.startswith((_ZIP, _EMPTY_ZIP)):
            raise _refused(f"{name}, {_printable(file)}", "A zip among other files is not read.", _TOGETHER)
        if dbf.looks_like(data):
            tables[_unused(file, tables)] = data
        else:
            others.append(file)
    if not tables:
        raise _refused(name, "There is no DBF table here.", _TOGETHER)
    reading = uschess_dbf.read(tables, name)
    ignored = [
        fault("ignored-record", f"{name}, {_printable(file)}", "The file is no DBF table and was left out.")
        for file in others
    ]
    return reading._replace(faults=(*reading.faults, *ignored))


def read_zip(data: bytes, name: str) -> Reading:
    """Read the tables of a rating report from a zip; raises ``FormatError`` where it breaks a limit."""
    import struct
    import zipfile
    import zlib

    wrong = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, OSError, ValueError)
    if len(data) > MOST_BYTES:
        raise _too_large(name)
    # Counted before the list is read: a list of a million members would take its time.
    _require_few(data.count(_LISTED), name)
    try:
        with zipfile.ZipFile(_stream(data)) as archive:
            files = list(_members(archive, name))
    except (*wrong, LookupError, RuntimeError, OverflowError) as error:
        raise _refused(name, "The zip is damaged.", "Pack or copy it again.") from error
    return read_files(files, name)


_TOGETHER = "Give the three DBF files together, in a folder or a zip."


def _stream(data: bytes) -> IO[bytes]:
    import io

    return io.BytesIO(data)


def _members(archive: "ZipFile", name: str) -> Iterable[tuple[str, bytes]]:
    """The files in a zip, each checked before it is unpacked and counted while it is."""
    members = [member for member in archive.infolist() if not member.filename.endswith("/")]
    for member in members:
        _require_harmless(member, f"{name}, {_printable(member.filename)}")
    if sum(member.file_size for member in members) > MOST_BYTES:
        raise _too_large(name)
    for member in members:
        with archive.open(member) as file:
            unpacked = file.read(member.file_size + 1)
        if unpacked.startswith((_ZIP, _EMPTY_ZIP)):
            raise _refused(f"{name}, {_printable(member.filename)}", "A zip within a zip is not read.", _TOGETHER)
        yield member.filename, unpacked


def _require_harmless(member: "ZipInfo", place: str) -> None:
    if member.flag_bits & _ENCRYPTED:
        raise _refused(place, "The file is encrypted.", "Pack the files without a password.")
    if member.compress_type not in (_STORED, _DEFLATED):
        raise _refused(place, "The file is packed in a way that is not read.", "Pack the files as an ordinary zip.")
    if member.file_size > MOST_RATIO * max(member.compress_size, 1):
        raise _refused(place, f"The file would unpack to more than {MOST_RATIO} times its size.", _TOGETHER)


def _require_few(count: int, name: str) -> None:
    if count > MOST_MEMBERS:
        raise _refused(name, f"There are {count} files; at most {MOST_MEMBERS} are read together.", _TOGETHER)


def _unused(file: str, taken: dict[str, bytes]) -> str:
    """A name that no other file has: two files may come from different folders under one name."""
    name, copy = file, 1
    while name in taken:
        copy += 1
        name = f"{file} ({copy})"
    return name


def _printable(file: str) -> str:
    return "".join(letter for letter in file if letter.isprintable())[:80] or "a file without a name"


def _too_large(name: str) -> FormatError:
    return _refused(name, f"The files are larger than {MOST_BYTES // 1_000_000} MB together.", _TOGETHER)


def _refused(place: str, message: str, remedy: str) -> FormatError:
    return FormatError(fault("not-readable", place, message, remedy))

"""Files that are complete, or not there; and encrypted ones.

Encryption is AES-256-GCM over pieces of a stream, under a key made from what the user gave and a salt. Every piece is
bound to its place, and the last one says that it is the last: a file that was changed, mixed or cut does not open.
"""

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from crosstable.errors import OfficeError
from crosstable.machine import open_folder

# Where Linux shows a program its open files; a file without a name gets one through it.
_OPEN_FILES = "/proc/self/fd"


@contextmanager
def complete_file(path: str) -> Iterator[IO[bytes]]:
    """A file to write that only its owner may read, and that takes its place when it is complete.

    Until then it has no name where the system can do that, so that nothing is left when the program is killed;
    elsewhere it ends in ``.partial``, and the next one cleans it up.
    """
    partial, folder = f"{path}.partial", os.path.dirname(path) or "."
    with suppress(FileNotFoundError):
        os.remove(partial)
    unnamed = getattr(os, "O_TMPFILE", 0) if os.path.isdir(_OPEN_FILES) else 0
    try:
        handle = os.open(folder, unnamed | os.O_RDWR, 0o600)
    except OSError:  # a folder is opened like this only where files without a name can be
        unnamed, handle = 0, os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    directory = open_folder(folder)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if unnamed:
                os.link(f"{_OPEN_FILES}/{file.fileno()}", partial, src_dir_fd=directory)
        os.replace(partial, path)
        if directory is not None:
            with suppress(OSError):
                os.fsync(directory)  # the name outlasts a power cut
    finally:
        if directory is not None:
            os.close(directory)
        with suppress(FileNotFoundError):
            os.remove(partial)


MAGIC = b"crosstable-sealed/1\n"
SHORTEST_KEY = 16
_SALT = 16
_TAG = 16
_PIECE = 1 << 20
# The cost of trying a key: 64 MB and about a tenth of a second.
_COST = {"n": 1 << 16, "r": 8, "p": 1, "maxmem": 1 << 27}


def _cipher(key: str, salt: bytes) -> Any:  # noqa: ANN401
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(key) < SHORTEST_KEY:
        raise OfficeError(f"the key of a backup has {SHORTEST_KEY} characters or more")
    return AESGCM(hashlib.scrypt(key.encode(), salt=salt, dklen=32, **_COST))


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])


class Sealing(io.RawIOBase):
    """A file to write into; what reaches the other file is encrypted. Closing writes the last piece."""

    def __init__(self, target: IO[bytes], key: str) -> None:
        self._target, self._number, self._waiting = target, 0, bytearray()
        salt = os.urandom(_SALT)
        self._cipher = _cipher(key, salt)
        target.write(MAGIC + salt)

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401
        """Take more; whole pieces go on."""
        self._waiting += data
        while len(self._waiting) > _PIECE:
            self._seal(bytes(self._waiting[:_PIECE]), is_last=False)
            del self._waiting[:_PIECE]
        return len(data)

    def close(self) -> None:
        """Write the last piece."""
        if not self.closed:
            self._seal(bytes(self._waiting), is_last=True)
        super().close()

    def _seal(self, piece: bytes, *, is_last: bool) -> None:
        self._target.write(self._cipher.encrypt(_nonce(self._number, is_last=is_last), piece, MAGIC))
        self._number += 1


def unseal(path: str, key: str, plain: IO[bytes]) -> None:
    """Write what is in an encrypted file into another one."""
    from cryptography.exceptions import InvalidTag

    with open(path, "rb") as source:
        source.seek(len(MAGIC))
        cipher = _cipher(key, source.read(_SALT))
        try:
            for number, (piece, is_last) in enumerate(_pieces(source)):
                plain.write(cipher.decrypt(_nonce(number, is_last=is_last), piece, MAGIC))
        except InvalidTag as error:
            raise OfficeError(f"{path}: the key does not open it, or the file is damaged") from error


def _pieces(source: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    piece = source.read(_PIECE + _TAG)
    while True:
        following = source.read(_PIECE + _TAG)
        yield piece, not following
        if not following:
            return
        piece = following


def is_sealed(path: str) -> bool:
    """Whether a file is encrypted."""
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC

"""Files that are sent to the site: taken apart into events, looked at from outside, read in a child, kept together.

Nothing is stored until somebody submits. The page with the findings carries the files along, packed, so that the
second step needs no second choice of files and the server remembers nothing.
"""

import base64
import binascii
import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.formats.bundles import MOST_BYTES
from crosstable.office.checking import affiliate_of
from crosstable.office.submissions import Document, zipped
from crosstable.output.words import printable
from crosstable.pipeline.reading import of_reading
from crosstable.terms import Report
from crosstable.web.child_reading import File, read_in_child
from crosstable.web.gate import form_of
from crosstable.web.problems import Problem

MOST_FILES = 10
# What a page carries along is base64: longer than this it would not come back through the limit of a body.
MOST_CARRIED = 4 * 1024 * 1024
_LONGEST_NAME = 80
_JSON = (b"{", b"[")
_ZIP = b"PK\x03\x04"
_ENCRYPTED = 0x1
# Which first bytes a file may have, by the ending of its name; other endings say nothing about the content.
_TEXTS = frozenset({"trf", "txt", "csv", "tsv", "html", "htm"})


class Upload(NamedTuple):
    """One event's files: what they are called, and either what they say or why they cannot be read."""

    name: str
    files: tuple[File, ...]
    document: Document | None
    fault: Fault | None

    @property
    def found(self) -> Report | Fault:
        """What they say, or why they cannot be read."""
        if self.document is not None:
            return of_reading(self.document.reading)
        assert self.fault is not None
        return self.fault

    @property
    def carried(self) -> str:
        """The files as a page carries them along, empty where they are too long for that."""
        packed = zipped([(file.name, file.content) for file in self.files])
        return base64.b64encode(packed).decode() if len(packed) <= MOST_CARRIED else ""


async def files_of(form: FormData, field: str = "files") -> list[File]:
    """The files of a form; fields that were left empty count for nothing."""
    found = []
    for value in form.getlist(field):
        if isinstance(value, UploadFile):
            content = await value.read()
            if content or value.filename:
                found.append(File(shown_name(value.filename or ""), content))
    found = list(_named_apart(found))
    if len(found) > MOST_FILES:
        raise Problem(413, f"At most {MOST_FILES} files can be sent together.")
    return found


def shown_name(given: str) -> str:
    """A name for messages: never a path, never anything that cannot be printed."""
    last = given.replace("\\", "/").rsplit("/", 1)[-1]
    return printable(last)[:_LONGEST_NAME].strip(". ") or "file"


async def sent_files(request: Request, name: str = "report") -> list[File]:
    """The files of a call: those of a form (multipart), or the body as it is."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "multipart/form-data":
        found = await files_of(await form_of(request))
    else:
        content = await request.body()
        found = [File(shown_name(name), content)] if content else []
    if not found:
        raise Problem(400, "The body is empty; send a tournament report, as the body itself or as files of a form.")
    return found


def _named_apart(files: Sequence[File]) -> Iterator[File]:
    """The files under names of their own: two may come from different folders under one."""
    taken: set[str] = set()
    for file in files:
        name, copy = file.name, 1
        while name.lower() in taken:
            copy += 1
            stem, dot, ending = file.name.rpartition(".")
            name = f"{stem} ({copy}){dot}{ending}" if dot else f"{file.name} ({copy})"
        taken.add(name.lower())
        yield file._replace(name=name)


def carried_files(given: str) -> list[File]:
    """The files that a page carried along; a problem where they are not what we packed."""
    try:
        packed = base64.b64decode(given, validate=True)
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            members = archive.infolist()
            if len(members) > MOST_FILES or sum(one.file_size for one in members) > MOST_BYTES:
                raise Problem(413, "These files are too long, or too many.")
            if any(one.flag_bits & _ENCRYPTED for one in members):
                raise Problem(400, "The files that came with this page are damaged; choose them again.")
            return [File(shown_name(one.filename), archive.read(one)) for one in members]
    except (binascii.Error, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError, OSError) as bad:
        raise Problem(400, "The files that came with this page are damaged; choose them again.") from bad


def uploads_of(files: Sequence[File]) -> list[Upload]:
    """The events in some files, each read in a child: DBF tables are one event together, every other file is one."""
    return [_read(together) for together in _events(files)]


def _events(files: Sequence[File]) -> Iterator[tuple[File, ...]]:
    tables = tuple(file for file in files if _ending(file) == "dbf")
    if tables:
        yield tables
    for file in files:
        if _ending(file) != "dbf":
            yield (file,)


def _ending(file: File) -> str:
    return file.name.rpartition(".")[2].lower() if "." in file.name else ""


def _read(files: tuple[File, ...]) -> Upload:
    name = " + ".join(file.name for file in files)
    try:
        for file in files:
            _require_agreement(file)
        reading = read_in_child(files)
    except FormatError as error:
        return Upload(name, files, None, error.fault)
    content = files[0].content if len(files) == 1 else zipped([(file.name, file.content) for file in files])
    return Upload(name, files, Document(name, content, reading), None)


def _require_agreement(file: File) -> None:
    """A name that promises one thing over a content that is another is a mistake, or a trick."""
    ending, content = _ending(file), file.content
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not content:
        raise _disagrees(file, "The file is empty.")
    if ending in ("json", "sjson") and start not in _JSON:
        raise _disagrees(file, "The name says JSON, the content is something else.")
    if ending in ("zip", "xlsx") and not content.startswith(_ZIP):
        raise _disagrees(file, f"The name says {ending.upper()}, the content is something else.")
    if ending == "dbf" and content[:1] not in (b"\x03", b"\x04", b"\x05", b"\x30", b"\x83", b"\x8b", b"\xf5"):
        raise _disagrees(file, "The name says DBF, the content is something else.")
    if ending in _TEXTS and (b"\x00" in content or content.startswith((_ZIP, b"%PDF", b"\x1f\x8b", b"MZ", b"\x7fELF"))):
        raise _disagrees(file, "The name says text, the content is something else.")


def _disagrees(file: File, message: str) -> FormatError:
    return FormatError(fault("not-readable", file.name, message, "Export the file again and send it as it is."))


def for_affiliate(document: Document, affiliate: str) -> Document:
    """The file as an affiliate's: where it names none, it is the one of whoever sends it."""
    report = document.reading.report
    named = affiliate_of(report)
    if named == affiliate or not affiliate:
        return document
    if named:
        raise Problem(403, f"This event belongs to affiliate {named}; you act for {affiliate}.")
    changed = report._replace(details={**report.details, "affiliate": affiliate})
    return document._replace(reading=Reading(changed, document.reading.faults))


def confirmed(given: Iterable[str]) -> frozenset[tuple[int, int]]:
    """Rows by section and number, as forms and programs write them: ``1:3``; anything else names none."""
    parts = (one.split(":") for one in given)
    return frozenset(
        (int(both[0]), int(both[1]))
        for both in parts
        if len(both) == 2 and all(part.isdecimal() and len(part) < 7 for part in both)
    )

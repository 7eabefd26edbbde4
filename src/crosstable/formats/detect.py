"""Which format a file has, by its content and never by its name alone, and reading it."""

import os
from collections.abc import Callable, Sequence

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats import OWN_DOCUMENT, OWN_PAGE, OWN_TITLES, Reading, file_bytes, own_output
from crosstable.tuples import NamedTuple

KNOWN = (
    "our event file (JSON), the three US Chess DBF files (together, as a folder or zipped), FIDE TRF, SwissSys sjson "
    "and web JSON, crosstables and rating reports of US Chess, the ratings API's JSON, standings as a page or text, "
    "CSV and XLSX wallcharts and lists of games"
)
EVENT_MARK = b'"crosstable-event/'
SECTIONS = b'"sections"'
PGN = b'[Event "'
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
OF_RATING_LISTS = (b"CFC#,", b"ID Number  ", b"\trtglistdate\t")  # in the first line, which a wallchart may have too
GZIP = b"\x1f\x8b"
LONGEST_LINE, FEWEST_SEPARATORS = 2000, 3
BOM = b"\xef\xbb\xbf"
# A page and a program read these otherwise (``remedies.NEARER``).
GIVE_APART = "Give it with --members FILE to rate or check an event."
GIVE_MEMBERS_APART = "If it is a members file, give it with --members FILE."
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # "Unicode text" of Excel


class Input(NamedTuple):
    """What one reading is made of: a name to show and the paths behind it."""

    name: str
    paths: tuple[str, ...]


def inputs(paths: Sequence[str]) -> list[Input]:
    """The inputs that paths stand for: DBF files of one folder belong together, in whatever order they are given."""
    together: dict[str, list[str]] = {}
    found: list[Input | str] = []
    for path in paths:
        if path.lower().endswith(".dbf") and not os.path.isdir(path):
            folder = os.path.dirname(path)
            if folder not in together:
                found.append(folder)
            together.setdefault(folder, []).append(path)
        else:
            found.append(Input(path, (path,)))
    return [one if isinstance(one, Input) else Input(" + ".join(together[one]), tuple(together[one])) for one in found]


def _joined(paths: Sequence[str]) -> str:
    return " + ".join(os.path.basename(path) for path in paths)


def read_input(given: Input) -> Reading:
    """Read one input; raises ``FormatError`` where nothing of it can be read."""
    path = given.paths[0]
    if os.path.isdir(path):
        from crosstable.formats.bundles import read_folder

        return read_folder(path)
    if len(given.paths) > 1 or path.lower().endswith(".dbf"):
        from crosstable.formats.bundles import read_files

        return read_files([(os.path.basename(one), file_bytes(one)) for one in given.paths], given.name)
    return read_data(file_bytes(path), os.path.basename(path))


def read_data(data: bytes, name: str) -> Reading:
    """Read the bytes of one file of any known format."""
    if data.startswith(UTF_16) or 0 in data[:2]:
        from crosstable.formats.pages import as_utf8

        data = as_utf8(data)
    start = data.removeprefix(BOM).lstrip()[:1]
    if start in (b"{", b"["):
        return _read_json(data, name)
    if data.startswith(b"PK"):
        return _read_zip(data, name)
    if data.startswith(OLD_WORKBOOK):
        message, remedy = "This is a workbook of an old Excel (.xls).", "Open it and save it as .xlsx or as CSV."
        raise FormatError(fault("not-readable", name, message, remedy))
    if data.startswith(GZIP):
        raise FormatError(
            fault("not-readable", name, "This is a compressed archive.", "Compare archives with crosstable verify.")
        )
    return _read_text(data, name)


def _read_json(data: bytes, name: str) -> Reading:
    from crosstable.formats import event_json
    from crosstable.formats.json_fields import load_json

    if OWN_DOCUMENT.search(data[:4000]):
        raise FormatError(own_output(name))
    if EVENT_MARK not in data[:4000]:
        from crosstable.formats import ratings_api, swisssys

        if swisssys.looks_like(data):
            return swisssys.read(data, name)
        if swisssys.looks_like_web(data):
            return swisssys.read_web(data, name)
        if ratings_api.looks_like(data):
            return ratings_api.read(data, name)
        if data.lstrip().startswith(PGN):
            message = "The file holds games (PGN), which tell neither byes nor forfeits."
            remedy = "Save the crosstable, or write the games as CSV: Round, White, Black, Result."
            raise FormatError(fault("not-readable", name, message, remedy))
        if data.lstrip().startswith(b"{") and SECTIONS not in data:
            load_json(data, name)
            message = "The file is JSON, but no event: it has no sections."
            raise FormatError(fault("not-readable", name, message, GIVE_MEMBERS_APART))
    return event_json.read(data, name)


def _read_zip(data: bytes, name: str) -> Reading:
    from crosstable.formats import bundles, wallchart_xlsx

    if wallchart_xlsx.looks_like(data):
        return wallchart_xlsx.read(data, name)
    return bundles.read_zip(data, name)


def _read_text(data: bytes, name: str) -> Reading:
    from crosstable.formats import member_pages, msa, rating_report, standings, trf, uschess_dbf, wallchart
    from crosstable.formats.bundles import read_files

    if OWN_PAGE.encode() in data[:4000] or data.removeprefix(BOM).startswith(",".join(OWN_TITLES).encode()):
        raise FormatError(own_output(name))
    if member_pages.looks_like(data):
        message = "This is the page of one member, not of an event."
        raise FormatError(fault("not-readable", name, message, GIVE_APART))
    if uschess_dbf.looks_like(data):
        return read_files([(name, data)], name)
    if any(mark in data[:LONGEST_LINE].partition(b"\n")[0] for mark in OF_RATING_LISTS):
        raise FormatError(_not_known(data, name))
    readers: tuple[tuple[Callable[[bytes], bool], Callable[[bytes, str], Reading]], ...] = (
        (trf.looks_like, trf.read),
        (msa.looks_like, msa.read),
        (rating_report.looks_like, rating_report.read),
        (standings.is_page, standings.read),
        (wallchart.looks_like, wallchart.read),
        (standings.looks_like, standings.read),
    )
    for looks_like, read in readers:
        if looks_like(data):
            return read(data, name)
    raise FormatError(_not_known(data, name))


def _not_known(data: bytes, name: str) -> Fault:
    """Why a file is refused, as well as its bytes tell."""
    from crosstable.formats.rating_lists import is_list

    if is_list(data, name):
        message = "The file is a list of members or players, not an event."
        return fault("not-readable", name, message, GIVE_APART)
    first = data[:LONGEST_LINE].partition(b"\n")[0]
    if max(map(first.count, (b"\t", b";", b","))) >= FEWEST_SEPARATORS and b"\0" not in first:
        remedy = "Add a row of titles: No, Name, ID …"
        return fault("not-readable", name, "No row of the file names its columns.", remedy)
    return fault("not-readable", name, "The file is of no format that is known here.", f"Known are {KNOWN}.")

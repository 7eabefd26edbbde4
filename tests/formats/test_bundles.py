"""Several files as one report: folders, files together, zips, and the limits that keep a zip harmless."""

import io
import os
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, bundles
from tests.formats.dbf_builder import table
from tests.formats.mutations import Shape, shape_of
from tests.formats.uschess_event import tables

SMALL = Shape(2, 7)
OTHER = table([("MEMBER", "C", 8)], [{"MEMBER": "1"}])


def zipped(files: Sequence[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return packed.getvalue()


def in_folder(folder: Path, files: Sequence[tuple[str, bytes]]) -> str:
    for name, data in files:
        (folder / name).write_bytes(data)
    return str(folder)


def refusal(data: bytes) -> str:
    with pytest.raises(FormatError) as caught:
        bundles.read_zip(data, "event.zip")
    assert caught.value.fault.code == "not-readable"
    return f"{caught.value.fault.place}: {caught.value.fault.message}"


def clean(reading: Reading) -> Shape:
    assert reading.faults == ()
    return shape_of(reading)


FILES = list(tables().items())
LOWER = [(name.lower(), data) for name, data in FILES]


@pytest.mark.parametrize("files", [FILES, LOWER, [(f"{at}.Dbf", data) for at, (_, data) in enumerate(FILES)]])
def test_a_folder_is_one_event_whatever_the_case_of_its_names(
    tmp_path: Path, files: Sequence[tuple[str, bytes]]
) -> None:
    reading = bundles.read_folder(in_folder(tmp_path, files))
    assert clean(reading) == SMALL
    assert reading.report.place == tmp_path.name


def test_other_files_of_a_folder_are_not_looked_at_where_the_three_are_there(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    more = [("MEMBERS.DBF", OTHER), ("notes.txt", b"hello"), ("BROKEN.DBF", b"\x03")]
    assert clean(bundles.read_folder(in_folder(tmp_path, [*FILES, *more]))) == SMALL


def test_another_table_of_a_folder_is_named_where_names_do_not_tell(tmp_path: Path) -> None:
    files = [(f"{at}.dbf", data) for at, (_, data) in enumerate(FILES)]
    reading = bundles.read_folder(in_folder(tmp_path, [*files, ("9.dbf", OTHER), ("8.dbf", b"no table")]))
    assert shape_of(reading) == SMALL
    assert [(found.code, found.place.rpartition("/")[2]) for found in reading.faults] == [
        ("ignored-record", "9.dbf"),
        ("ignored-record", f"{tmp_path.name}, 8.dbf"),
    ]


def test_a_table_that_is_in_a_folder_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="both list the players"):
        bundles.read_folder(in_folder(tmp_path, [*FILES, ("tdexport.dbf", FILES[2][1])]))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(FILES[2][1])
    folder = tmp_path / "event"
    folder.mkdir()
    in_folder(folder, FILES[:2])
    os.symlink(tmp_path / "outside", folder / "TDEXPORT.DBF")
    with pytest.raises(FormatError, match="the players"):
        bundles.read_folder(str(folder))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "no DBF table here"),
        ([("notes.txt", b"hello")], "no DBF table here"),
        ([("A.DBF", b"hello")], "no DBF table here"),
        (FILES[:2], "the players"),
        ([(f"{at}.dbf", b"") for at in range(21)], "21 files; at most 20"),
    ],
)
def test_a_folder_without_a_report_is_refused(tmp_path: Path, files: Sequence[tuple[str, bytes]], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        bundles.read_folder(in_folder(tmp_path, files))


def test_a_folder_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with open(tmp_path / "A.DBF", "wb") as file:
        file.truncate(bundles.MOST_BYTES + 1)
    with pytest.raises(FormatError, match="larger than 50 MB"):
        bundles.read_folder(str(tmp_path))


@pytest.mark.parametrize("name", ["nowhere", "a-file"])
def test_what_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a-file").write_bytes(b"")
    with pytest.raises(FormatError, match="cannot be opened"):
        bundles.read_folder(str(tmp_path / name))


def test_files_given_together_are_read_in_any_order() -> None:
    assert clean(bundles.read_files(FILES[::-1], "upload")) == SMALL
    assert clean(bundles.read_files([("x", data) for _, data in FILES], "upload")) == SMALL


def test_one_zip_is_read_as_what_it_holds() -> None:
    assert clean(bundles.read_files([("event.zip", zipped(FILES))], "upload")) == SMALL


def test_files_that_are_too_large_together_are_refused() -> None:
    with pytest.raises(FormatError, match="larger than 50 MB"):
        bundles.read_files([*FILES, ("x", bytes(bundles.MOST_BYTES))], "upload")


def test_a_zip_among_other_files_is_refused() -> None:
    with pytest.raises(FormatError, match="zip among other files"):
        bundles.read_files([*FILES, ("x.zip", zipped(FILES))], "upload")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_is_one_event(method: int) -> None:
    data = zipped(FILES, method)
    assert bundles.looks_like(data)
    reading = bundles.read_zip(data, "event.zip")
    assert clean(reading) == SMALL
    assert reading.report.place == "event.zip"


@pytest.mark.parametrize(
    "names",
    [
        ("../../x/THEXPORT.DBF", "/etc/passwd", "C:\\TDEXPORT.DBF"),
        ("event/", "event/TSEXPORT.DBF", "event/TDEXPORT.DBF"),
        ("same.dbf", "same.dbf", "same.dbf"),
        ("\x1b[2J", "\N{RIGHT-TO-LEFT OVERRIDE}FBD", "x" * 5000),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_names_in_a_zip_do_no_harm(names: tuple[str, str, str], tmp_path: Path) -> None:
    files = [(name, data) for name, (_, data) in zip(names, FILES, strict=True)]
    files += [] if not names[0].endswith("/") else [("event/THEXPORT.DBF", FILES[0][1])]
    before = sorted(tmp_path.iterdir())
    assert clean(bundles.read_zip(zipped(files), "event.zip")) == SMALL
    assert sorted(tmp_path.iterdir()) == before


def test_a_file_in_a_zip_that_is_no_table_is_left_out_with_a_warning() -> None:
    reading = bundles.read_zip(zipped([*FILES, ("__MACOSX/._x\x07", b"\0\5\x16\7")]), "event.zip")
    assert [(found.code, found.place) for found in reading.faults] == [("ignored-record", "event.zip, __MACOSX/._x")]


def encrypted(data: bytes) -> bytes:
    """The same zip with the mark of encryption on its first member."""
    at = data.index(b"PK\x01\x02") + 8
    return data[:at] + struct.pack("<H", 1) + data[at + 2 :]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "The zip is damaged"),
        (b"PK\x03\x04 and no more", "The zip is damaged"),
        (zipped([]), "no DBF table here"),
        (zipped(FILES[:2]), "TDEXPORT.DBF (the players) cannot be found"),
        (zipped([*FILES, ("COPY.DBF", FILES[1][1])]), "both list the sections"),
        (zipped([(str(at), b"") for at in range(21)]), "21 files; at most 20"),
        (zipped([*FILES, ("inner.zip", zipped(FILES))], zipfile.ZIP_STORED), "inner.zip: A zip within a zip"),
        (zipped([("inner.zip", zipped([]))]), "inner.zip: A zip within a zip"),
        (encrypted(zipped(FILES)), "THEXPORT.DBF: The file is encrypted"),
        (zipped([("bomb", bytes(1_000_000))]), "bomb: The file would unpack to more than 100 times"),
        (zipped(FILES, zipfile.ZIP_LZMA), "packed in a way"),
        (zipped(FILES, zipfile.ZIP_BZIP2), "packed in a way"),
        (zipped(FILES)[:-40], "The zip is damaged"),
        (bytes(bundles.MOST_BYTES + 1), "larger than 50 MB"),
    ],
)
def test_a_zip_that_breaks_a_limit_is_refused_with_the_reason(data: bytes, words: str) -> None:
    assert words in refusal(data)


def test_members_that_are_too_large_together_are_refused_unseen() -> None:
    """Each within the ratio, all together over the limit: 52 MB that hardly shrink by their own account."""
    data = bytearray(zipped([(str(at), bytes(2_600_000)) for at in range(20)]))
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into("<I", data, at + 20, 2_600_000)  # the size it claims to have in the zip
        at = data.find(b"PK\x01\x02", at + 1)
    assert "larger than 50 MB" in refusal(bytes(data))


def test_a_member_whose_bytes_were_changed_is_refused() -> None:
    data = zipped(FILES, zipfile.ZIP_STORED).replace(b"PLAYER, A", b"PLAYER, X")
    assert "The zip is damaged" in refusal(data)


def test_a_spreadsheet_does_not_look_like_a_bundle() -> None:
    assert not bundles.looks_like(zipped([("[Content_Types].xml", b"<x/>")]))
    assert not bundles.looks_like(b"")

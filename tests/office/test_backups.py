"""Backups: a whole office in one file, from which either store can be restored; a damaged one is refused."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from crosstable.errors import NoOfficeError, OfficeError
from crosstable.office import complete_files
from crosstable.office.audit import audit
from crosstable.office.backups import backup, restore
from crosstable.office.database import Office, open_office
from crosstable.office.erased import erased_members
from crosstable.office.erasing import erase_member
from crosstable.office.erasure_list import write_list
from crosstable.office.ledger.journal import Author, acts, head
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from tests.amounts import IS_SOAK, amount
from tests.architecture.source import ROOT
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, filled, member_id, posted, quad, run, send
from tests.office.postgres import Server, program
from tests.office.random_federation import federation

Contents = dict[str, bytes]
FLIPS = amount(12, 240)


@pytest.fixture
def full(copy_of: CopyOf) -> Office:
    return copy_of(with_a_list)


def with_a_list(office: Office) -> None:
    federation(2, 8, 4).settle(office)
    run(office)
    publish(office, AUTHOR, Month(2026, 12), Basis.NOW)


def test_what_is_backed_up_and_restored_is_the_same_office(full: Office, address: str, tmp_path: Path) -> None:
    seen: list[int] = []
    made = backup(full, str(tmp_path / "office.zip"), seen.append)
    assert restore(str(tmp_path / "office.zip"), address, progress=seen.append) == made
    again = open_office(address)
    assert posted(again) == posted(full)
    assert audit(again).findings == ()
    with full.reading() as connection, again.reading() as other:
        assert head(connection) == head(other)
    assert made.acts == 9  # founded, members, a run, four events, a run, a list
    assert len(seen) == 2 * len(made.rows)
    again.close()


def test_a_backup_of_one_store_is_restored_into_the_other(full: Office, store: str, tmp_path: Path) -> None:
    """Byte for byte the same file, whichever store it comes from."""
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    backup(full, str(first))
    other = str(tmp_path / "other.db")
    restore(str(first), other)
    again = open_office(other)
    backup(again, str(second))
    again.close()
    assert contents(first) == contents(second)
    assert store in ("sqlite", "postgresql")


def contents(path: Path) -> Contents:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_backup_is_restored_only_where_there_is_no_office(full: Office, tmp_path: Path) -> None:
    path = str(tmp_path / "office.zip")
    backup(full, path)
    with pytest.raises(OfficeError, match="already; restore into an empty place"):
        restore(path, full.url)


def test_a_backup_that_cannot_be_finished_leaves_nothing(full: Office, tmp_path: Path) -> None:
    def stop(done: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "office.zip"
    path.write_bytes(b"the backup of yesterday")
    with pytest.raises(KeyboardInterrupt):
        backup(full, str(path), stop)
    assert [one.name for one in tmp_path.iterdir() if ".zip" in one.name] == ["office.zip"]
    assert path.read_bytes() == b"the backup of yesterday"


@pytest.mark.parametrize("store", ["sqlite"])
def test_where_a_file_must_have_a_name_it_is_the_owners_alone_and_goes(
    full: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complete_files, "_OPEN_FILES", str(tmp_path / "nowhere"))
    partial, rights = tmp_path / "office.zip.partial", set[int]()
    partial.write_bytes(b"left by a backup that was killed")
    backup(full, str(tmp_path / "office.zip"), lambda _: rights.add(partial.stat().st_mode & 0o777))
    assert rights == {0o600}
    assert not partial.exists()
    restore(str(tmp_path / "office.zip"), str(tmp_path / "again.db"))


def test_what_comes_in_after_a_backup_is_not_in_it(full: Office, tmp_path: Path) -> None:
    made = backup(full, str(tmp_path / "office.zip"))
    send(full, quad("later"))
    restore(str(tmp_path / "office.zip"), str(tmp_path / "again.db"))
    again = open_office(str(tmp_path / "again.db"))
    with again.reading() as connection:
        last = head(connection)
    again.close()
    assert last is not None
    assert last.digest == made.head


@pytest.mark.parametrize("store", ["sqlite"])
def test_an_encrypted_backup_opens_with_its_key_alone(
    full: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed, cut at a piece or anywhere, with pieces exchanged or repeated: it does not open."""
    monkeypatch.setattr(complete_files, "_PIECE", piece := 4096)
    # A real one takes a tenth of a second.
    monkeypatch.setattr(complete_files, "_COST", {**complete_files._COST, "n": 2})
    key, path, again = "a key of 22 characters", tmp_path / "sealed.zip", str(tmp_path / "again.db")
    made = backup(full, str(path), key=key)
    sound = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert b"act.jsonl" not in sound
    assert b"PK" not in sound[:4]
    begin, step = len(complete_files.MAGIC) + 16, piece + 16
    first, second = sound[begin : begin + step], sound[begin + step : begin + 2 * step]
    for bad, tried in (
        (sound[: begin + step], key),
        (sound[:-1], key),
        (sound[:begin], key),
        (sound[:begin] + second + first + sound[begin + 2 * step :], key),
        (sound[:begin] + first + sound[begin:], key),
        (sound[:-40] + bytes([sound[-40] ^ 1]) + sound[-39:], key),
        (sound, key + "!"),
    ):
        path.write_bytes(bad)
        with pytest.raises(OfficeError, match="the key does not open it, or the file is damaged"):
            restore(str(path), again, key=tried)
    with pytest.raises(OfficeError, match="16 characters or more"):
        restore(str(path), again, key="short")
    with pytest.raises(OfficeError, match=r"is encrypted; give .* office restore .* --key-file KEY"):
        restore(str(path), again)
    assert restore(str(path), again, key=key) == made


def test_a_backup_under_write_load_is_one_state_of_the_office(full: Office, tmp_path: Path) -> None:
    """Events come in while backups are made: each restores to a record that holds, of so many entries as it says."""
    numbers = iter(range(1000))

    def write_one(done: int) -> None:
        if done % 4 == 0:
            send(full, quad(f"during-{next(numbers)}"))

    for number in range(amount(1, 12)):
        path, again = str(tmp_path / f"{number}.zip"), str(tmp_path / f"{number}.db")
        with full.reading() as connection:
            before = head(connection)
        made = backup(full, path, write_one)
        assert before is not None
        assert (made.head, made.acts) == (before.digest, before.seq)
        restore(path, again)
        with closing(open_office(again)) as restored:
            assert audit(restored).findings == ()
            with restored.reading() as connection, full.reading() as other:
                assert list(acts(connection)) == list(acts(other))[: before.seq]


def manifest(**changes: object) -> Callable[[Contents], None]:
    def change(files: Contents) -> None:
        told = json.loads(files["manifest.json"])
        files["manifest.json"] = json.dumps(told | changes).encode()

    return change


def without(name: str) -> Callable[[Contents], None]:
    def take(files: Contents) -> None:
        del files[name]

    return take


def with_line(name: str, change: Callable[[bytes], bytes]) -> Callable[[Contents], None]:
    def rewrite(files: Contents) -> None:
        files[name] = change(files[name])

    return rewrite


def hashed_again(name: str, change: Callable[[bytes], bytes]) -> Callable[[Contents], None]:
    """A change by somebody who knows about the hashes of the manifest."""

    def rewrite(files: Contents) -> None:
        files[f"{name}.jsonl"] = change(files[f"{name}.jsonl"])
        told = json.loads(files["manifest.json"])
        told["sha256"][name] = hashlib.sha256(files[f"{name}.jsonl"]).hexdigest()
        files["manifest.json"] = json.dumps(told).encode()

    return rewrite


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (manifest(format="another/1"), "is a another/1"),
        (manifest(schema="0099"), "has schema 0099"),
        (manifest(head="0" * 64), "does not hold together"),
        (manifest(rows={"act": 1}), "act has not as many rows"),
        (manifest(rows={"nothing": 1}), "not a backup of an office"),
        (manifest(rows=None), "not a backup of an office"),
        (without("manifest.json"), "not a backup of an office"),
        (without("posting.jsonl"), "posting cannot be read"),
        (with_line("manifest.json", lambda text: text[:-9]), "not a backup of an office"),
        (with_line("act.jsonl", lambda text: text.replace(b"registrar", b"nobody at all", 1)), "act is not what was"),
        (with_line("member.jsonl", lambda text: text[:-20]), "member cannot be read"),
        (hashed_again("act", lambda text: text.replace(b"registrar", b"nobody at all", 1)), "does not hold together"),
        (hashed_again("posting", lambda text: text.split(b"\n", 1)[1]), "posting has not as many rows"),
    ],
)
def test_a_damaged_backup_is_refused_and_nothing_is_restored(
    tmp_path: Path, damage: Callable[[Contents], None], told: str
) -> None:
    source = tmp_path / "source.db"
    source.write_bytes(filled(with_a_list))
    office = Office(str(source))
    path = tmp_path / "office.zip"
    backup(office, str(path))
    office.close()
    files = contents(path)
    damage(files)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with pytest.raises(OfficeError, match=told):
        restore(str(path), str(tmp_path / "again.db"))
    with pytest.raises(NoOfficeError):
        open_office(str(tmp_path / "again.db"))


def test_a_file_that_is_no_backup_is_named_as_such(tmp_path: Path) -> None:
    with pytest.raises(NoOfficeError, match="there is no such file"):
        restore(str(tmp_path / "nowhere.zip"), str(tmp_path / "again.db"))
    (tmp_path / "letter.zip").write_text("Dear director", encoding="utf-8")
    with pytest.raises(OfficeError, match="is not a backup of an office"):
        restore(str(tmp_path / "letter.zip"), str(tmp_path / "again.db"))


def test_a_backup_in_portions_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: Office) -> None:
    monkeypatch.setattr("crosstable.office.backups._PORTION", 3)
    made = backup(full, str(tmp_path / "office.zip"))
    assert restore(str(tmp_path / "office.zip"), str(tmp_path / "again.db")) == made


def test_every_flipped_byte_of_a_backup_is_found_or_changes_nothing(tmp_path: Path) -> None:
    """A flip in the parts is refused; one in the padding of the zip restores the same office."""
    source, path = tmp_path / "source.db", tmp_path / "office.zip"
    source.write_bytes(filled(with_a_list))
    office = Office(str(source))
    made = backup(office, str(path))
    office.close()
    whole = path.read_bytes()
    found = 0
    for at in range(0, len(whole), len(whole) // FLIPS):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            assert restore(str(path), str(tmp_path / f"again-{at}.db")) == made
        except OfficeError:
            found += 1
    assert found > FLIPS * 3 // 4


if IS_SOAK:

    def test_the_script_of_the_operations_page_dumps_and_restores_an_office(full: Office, tmp_path: Path) -> None:
        """As its owner, on a server of the tests; the script verifies what it restored."""
        backup(full, str(tmp_path / "office.zip"))
        page = (ROOT / "docs" / "operations.md").read_text("utf-8")
        typed = [
            line.replace("/opt/crosstable/bin/", "deploy/")
            for line in page.splitlines()
            if line.startswith("sudo -u crosstable /opt/crosstable/bin/postgresql-backup.sh")
        ]
        assert len(typed) == 2
        with Server() as server:
            restore(str(tmp_path / "office.zip"), server.new_database("crosstable"))
            path = os.pathsep.join((str(Path(program("pg_dump")).parent), os.environ["PATH"]))
            where = {"PGHOST": str(server.folder), "PGUSER": "office", "CROSSTABLE": f"{sys.executable} -m crosstable"}
            printed = ""
            for line in typed:
                if printed:  # the dump is made
                    with closing(open_office(server.url("crosstable"))) as crosstable:
                        erase_member(crosstable, Author("anna", "asked for it"), member_id(1))
                        write_list(crosstable, str(tmp_path / "crosstable.erasures"))
                words = [str(tmp_path) if word.startswith("/var/") else word for word in shlex.split(line)[3:]]
                words = [printed.strip() if words[1] == "restore" and word == str(tmp_path) else word for word in words]
                done = subprocess.run(words, cwd=ROOT, env={**os.environ, "PATH": path, **where}, capture_output=True)
                assert done.returncode == 0, done.stderr
                printed = done.stdout.decode()
            assert "everything follows from the record" in printed
            with closing(open_office(server.url("again"))) as again:
                assert posted(again) == posted(full)
                with again.reading() as connection:
                    assert erased_members(connection) == {member_id(1)}

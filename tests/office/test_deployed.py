"""The files of ``deploy`` that are programs: what they run, as whom, and for which office."""

import getpass
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

SCRIPT = (ROOT / "deploy" / "crosstable.sh").read_text("utf-8")


def ran(script: str, folder: Path, *words: str, **given: str) -> list[str]:
    """What the script runs: the program and ``sudo`` are replaced by one that prints its variables and words."""
    tell = folder / "tell"
    tell.write_text('#!/bin/sh\nprintf "%s\\n" "$CROSSTABLE_OFFICE" "$XDG_CACHE_HOME" "$@"\n')
    tell.chmod(0o755)
    (folder / "sudo").symlink_to(tell)
    ours = folder / "crosstable"
    ours.write_text(script.replace("/opt/crosstable/bin/crosstable", str(tell)))
    path = os.pathsep.join((str(folder), os.environ["PATH"]))
    known = {name: value for name, value in os.environ.items() if name not in ("CROSSTABLE_OFFICE", "XDG_CACHE_HOME")}
    done = subprocess.run(
        ["/bin/sh", str(ours), *words],
        env={**known, "PATH": path, **given},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_the_script_of_a_server_becomes_the_user_of_the_service(tmp_path: Path) -> None:
    said = ran(SCRIPT, tmp_path, "office", "init", "--name", "A club")
    assert said == ["", "", "-u", "crosstable", str(tmp_path / "crosstable"), "office", "init", "--name", "A club"]


@pytest.mark.parametrize("given", [{}, {"CROSSTABLE_OFFICE": "postgresql:///again"}])
def test_the_script_runs_a_command_for_the_office_of_the_service(tmp_path: Path, given: dict[str, str]) -> None:
    ours = SCRIPT.replace("= crosstable ]", f"= {getpass.getuser()} ]")
    said = ran(ours, tmp_path, "office", "status", **given)
    office = given.get("CROSSTABLE_OFFICE", "/var/lib/crosstable/office.db")
    assert said == [office, "/var/cache/crosstable", "office", "status"]


def test_script_and_units_speak_of_the_same_program_office_and_cache() -> None:
    for name in ("crosstable", "crosstable-backup"):
        unit = (ROOT / "deploy" / f"{name}.service").read_text("utf-8")
        (office,) = re.findall(r"^Environment=CROSSTABLE_OFFICE=(.*)$", unit, flags=re.MULTILINE)
        assert f":-{office}}}" in SCRIPT
        assert "/opt/crosstable/bin/crosstable office" in unit or "/opt/crosstable/bin/crosstable serve" in unit
    site = (ROOT / "deploy" / "crosstable.service").read_text("utf-8")
    (cache,) = re.findall(r"^Environment=XDG_CACHE_HOME=(.*)$", site, flags=re.MULTILINE)
    assert f"export XDG_CACHE_HOME={cache}\n" in SCRIPT


def test_every_unit_that_makes_backups_keeps_the_list_of_erasures_beside_them() -> None:
    unit = (ROOT / "deploy" / "crosstable-backup.service").read_text("utf-8")
    lines = re.findall(r"^ExecStart=(.*)$", unit, flags=re.MULTILINE)
    assert "office backup /var/lib/crosstable/backup-" in lines[0]
    assert lines[1].endswith("office members erasures /var/lib/crosstable/backup.erasures")

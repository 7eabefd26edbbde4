"""What a shell is told to complete, and what ``doctor`` says of an installation."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import crosstable.cli
from crosstable.cli import COMMANDS, main, office, reference
from crosstable.errors import install_line
from tests.architecture.source import ROOT
from tests.documents import valid


def test_the_first_word_is_a_command() -> None:
    assert reference.words("ra", []) == ["rate"]
    assert set(COMMANDS) < set(reference.words("", []))


def test_words_follow_what_was_typed_before() -> None:
    assert reference.words("su", ["office"]) == ["submit", "supplements"]
    assert reference.words("", ["office"]) == list(office.COMMANDS)
    assert reference.words("--reas", ["office", "decide", "floor"]) == ["--reason"]
    assert reference.words("OTB", ["explain", "a.json", "--system"]) == ["OTBR", "OTBQ", "OTBB"]


def test_where_a_file_can_stand_nothing_is_said() -> None:
    assert reference.words("", ["rate"]) == []
    assert reference.words("my", ["rate", "--members"]) == []
    assert reference.words("", ["no-such-command"]) == []


def test_hidden_words_are_not_offered() -> None:
    assert reference.words("", ["completion"]) == ["bash", "zsh", "fish", "powershell"]


def test_a_real_bash_completes(tmp_path: Path) -> None:
    folder = str(Path(sys.executable).parent)
    script = """
        eval "$(crosstable completion bash)"
        COMP_WORDS=(crosstable explain event.json --system OTB); COMP_CWORD=4; _crosstable; echo "${COMPREPLY[*]}"
        COMP_WORDS=(crosstable rate ""); COMP_CWORD=2; _crosstable; echo "none: ${COMPREPLY[*]}"
    """
    ran = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["OTBR", "OTBQ", "OTBB", "none:"]
    assert ran.stderr == ""


def test_doctor_names_versions_extras_and_places(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    document = valid(json.loads(capsys.readouterr().out))
    assert {"rich", "xlsxwriter"} == set(document["extras"]["plain"])
    assert document["extras"]["site"]["sqlalchemy"]
    assert document["data"]["office"].endswith("office.db")


def test_doctor_says_the_line_that_brings_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    has = reference._version
    monkeypatch.setattr(reference, "_version", lambda name: None if name == "httpx" else has(name))
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert f"uschess: lacks httpx; type: {install_line('uschess')}\n" in said
    assert "site: installed\n" in said


WHEEL = "https://club.example/crosstable-0.1.0-py3-none-any.whl"


@pytest.mark.parametrize(
    ("came", "line"),
    [
        (f'{{"url": "{WHEEL}", "archive_info": {{}}}}', f'pip install "crosstable[site] @ {WHEEL}"'),
        ('{"url": "file:///crosstable", "dir_info": {}}', 'pip install "crosstable[site] @ file:///crosstable"'),
        ('{"url": "file:///my%20club", "dir_info": {"editable": true}}', 'pip install --editable "/my club[site]"'),
        (None, 'pip install "crosstable[site]"'),
    ],
    ids=["wheel", "folder", "editable", "index"],
)
def test_the_line_names_what_crosstable_came_from(came: str | None, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pip notes of an install from a file: direct_url.json, as the packaging specifications have it."""
    monkeypatch.setattr("importlib.metadata.PathDistribution.read_text", lambda _own, _name: came)
    assert install_line("site") == line


def test_an_extra_goes_where_pipx_put_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a file is in the environment of each program that pipx installed."""
    (tmp_path / "pipx_metadata.json").touch()
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setattr("importlib.metadata.PathDistribution.read_text", lambda _own, _name: None)
    assert install_line("site") == 'pipx install --force "crosstable[site]"'


@pytest.mark.parametrize("library", crosstable.cli.EXTRA_OF)
def test_a_library_that_a_command_misses_half_way_is_one_line_to_type(
    library: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What pyproject.toml says of the extra: it brings the library."""

    def missing(*arguments: object) -> None:
        raise ModuleNotFoundError("No module", name=f"{library}.inner")

    monkeypatch.setattr("crosstable.cli.reference._rules", missing)
    assert main(["rules"]) == 1
    said = capsys.readouterr().err
    extra = crosstable.cli.EXTRA_OF[library]
    assert said == f"crosstable rules: {library} is not installed; type: {install_line(extra)}\n"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert any(one.startswith(library) for one in project["optional-dependencies"][extra])


def test_a_module_that_no_extra_brings_is_an_error_of_our_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*arguments: object) -> None:
        raise ModuleNotFoundError("No module", name="crosstable.nothing")

    monkeypatch.setattr("crosstable.cli.reference._rules", missing)
    assert main(["rules"]) == 3
    assert "has hit an internal error" in capsys.readouterr().err

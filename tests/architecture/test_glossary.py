"""The names of classes, modules and commands follow docs/glossary.md: no word of its last column is in them."""

import ast
import re
from collections.abc import Iterator

import pytest

from crosstable.cli import COMMANDS
from crosstable.cli.office import COMMANDS as OFFICE_COMMANDS
from tests.architecture.source import ROOT, modules

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
# The standings of a tournament, in files of pairing programs.
OF_TOURNAMENTS = {"crosstable.formats.standings"}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def avoided() -> dict[str, str]:
    """Words that no name holds, and what to say instead."""
    found: dict[str, str] = {}
    for line in GLOSSARY.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] != "say":
            found |= {word.strip(): cells[0] for word in cells[2].split(",") if word.strip()}
    return found


def faults_in(name: str) -> list[str]:
    """The words of a name that the glossary avoids; a plural is its singular."""
    words = {word.lower() for word in _WORDS.findall(name)}
    words |= {word.removesuffix("s") for word in words}
    return [f"{name}: say {say}, not {word}" for word, say in avoided().items() if word in words]


def names() -> Iterator[str]:
    """Every module below the package, every class, every command."""
    for module in modules():
        if module.name not in OF_TOURNAMENTS:
            yield module.name.rpartition(".")[2]
        yield from (node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))
    yield from COMMANDS
    yield from OFFICE_COMMANDS


def test_names_follow_the_glossary() -> None:
    assert len(avoided()) > 15
    assert [fault for name in names() for fault in faults_in(name)] == []


@pytest.mark.parametrize("name", ["RippleLine", "PlayerStanding", "desk_events", "openings", "Wishes"])
def test_a_name_of_another_tongue_is_found(name: str) -> None:
    assert faults_in(name)


@pytest.mark.parametrize("name", ["Actor", "Folder", "record_after", "starting_rating"])
def test_a_name_that_only_looks_like_one_is_not(name: str) -> None:
    assert faults_in(name) == []


def test_a_player_is_they() -> None:
    """Players are of any sex: no text of the program or of its pages says he of somebody."""
    texts = [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.html"), *(ROOT / "docs").glob("*.md")]
    said = re.compile(r"\b(?:[Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b")
    wrong = {
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in texts
        for line in path.read_text(encoding="utf-8").splitlines()
        for found in [said.search(line)]
        if found and '"Ga", "He", "Il"' not in line
    }
    assert wrong == set()

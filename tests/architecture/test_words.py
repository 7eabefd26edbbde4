"""Names that say something, docstrings on what is public, and nothing of one machine in the project."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGES_THAT_EXIST, ROOT, Module, modules, snippet

# A function without a home lacks a noun, not a drawer.
DRAWERS = frozenset({"utils", "util", "helpers", "helper", "common", "core", "models", "services", "misc"})
PACKAGE_DOCSTRING_LINES = 10

# The patterns are put together from pieces so that this file does not hold what it forbids.
_MACHINE_FOLDERS = "|".join(["work", "root", "home", "Users"])
_INDEX_HOSTS = "|".join([r"pypi\." + "org", r"python" + r"hosted\.", r"npm" + r"js\.", r"deb\." + "debian"])
FORBIDDEN: dict[str, re.Pattern[str]] = {
    "a path of one machine": re.compile(rf"(?<![\w.~-])/(?:{_MACHINE_FOLDERS})/|/(?:opt)/{'py'}|\.{'py'}env\b"),
    "the address of a package index": re.compile(rf"{_INDEX_HOSTS}|index-{'url'}\s*[= ]\s*\w+:"),
    "a folder beside the project": re.compile(rf"\.\./{'shared'}"),
}
MAY_LOOK_BESIDE = ("Makefile", ".ci/")
_MADE_BY_TOOLS = frozenset(
    {
        ".git",
        ".venv",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".hypothesis",
        "__pycache__",
        ".coverage",
    }
)


def name_faults(module: Module) -> Iterator[str]:
    """Modules called after a drawer."""
    for part in module.name.split("."):
        if part in DRAWERS:
            yield f"{module.name}: {part} says nothing"


def docstring_faults(module: Module) -> Iterator[str]:
    """Public modules, classes and functions that do not say what they are."""
    docstring = ast.get_docstring(module.tree)
    if not docstring:
        yield f"{module.name} has no docstring"
    elif module.is_package and docstring.count("\n") >= PACKAGE_DOCSTRING_LINES:
        yield f"{module.name}: at most {PACKAGE_DOCSTRING_LINES} lines introduce a package"
    for name, node in _public(module.name, module.tree):
        if not ast.get_docstring(node):
            yield f"{name} has no docstring"


def _public(
    prefix: str, parent: ast.Module | ast.ClassDef
) -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in parent.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("_"):
            continue
        yield f"{prefix}.{node.name}", node
        if isinstance(node, ast.ClassDef):
            yield from _public(f"{prefix}.{node.name}", node)


def text_faults(name: str, text: str) -> Iterator[str]:
    """What may not stand in a file of the project, as sentences."""
    for what, pattern in FORBIDDEN.items():
        if what == "a folder beside the project" and name.startswith(MAY_LOOK_BESIDE):
            continue
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name}:{line} holds {what}: {found.group()!r}"


def project_files() -> list[str]:
    """Every file that is or could be committed; without git, every file that no tool made."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())
    walked = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in walked if _MADE_BY_TOOLS.isdisjoint(path.parts))


def test_no_module_is_a_drawer() -> None:
    faults = [fault for module in modules() for fault in name_faults(module)]
    assert not faults, "\n".join(faults)


def test_everything_public_says_what_it_is() -> None:
    found = modules()
    assert {module.package for module in found} >= PACKAGES_THAT_EXIST
    faults = [fault for module in found for fault in docstring_faults(module)]
    assert not faults, "\n".join(faults)


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    names = project_files()
    assert {"pyproject.toml", "Makefile", "requirements/dev.txt", "src/crosstable/terms.py"} <= set(names)
    faults = [fault for name in names for fault in text_faults(name, _text(ROOT / name))]
    assert not faults, "\n".join(faults)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


@pytest.mark.parametrize("name", ["crosstable.utils", "crosstable.core.rating", "crosstable.formats.helpers"])
def test_a_drawer_is_found(name: str) -> None:
    assert len(list(name_faults(snippet(name, "")))) == 1


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("x = 1", ["crosstable.engine"]),
        ('"""Steps."""\ndef rate(): ...', ["crosstable.engine.rate"]),
        ('"""Steps."""\nasync def rate(): ...', ["crosstable.engine.rate"]),
        ('"""Steps."""\nclass Pass: ...', ["crosstable.engine.Pass"]),
        ('"""Steps."""\nclass Pass:\n    """One."""\n    def go(self): ...', ["crosstable.engine.Pass.go"]),
        ('"""Steps."""\ndef _inner(): ...\nclass Pass:\n    """One."""\n    def __len__(self): ...', []),
    ],
)
def test_a_missing_docstring_is_found(text: str, missing: list[str]) -> None:
    faults = list(docstring_faults(snippet("crosstable.engine", text)))
    assert faults == [f"{name} has no docstring" for name in missing]


def test_a_long_introduction_of_a_package_is_found() -> None:
    long = snippet("crosstable.rules", '"""Rules.\n' + "\nand so on" * 10 + '\n"""')
    assert list(docstring_faults(long)) == []
    assert len(list(docstring_faults(long._replace(is_package=True)))) == 1


@pytest.mark.parametrize(
    "pieces",
    [
        ("see /wo", "rk/main/x"),
        ("file:///wo", "rk/main/x"),
        ("'/ro", "ot/.cache'"),
        ("/ho", "me/me/x"),
        ("https://py", "pi.", "org/simple"),
        ("https://files.python", "hosted.", "org/x"),
        ("--index-", "url https://here"),
        ("--extra-index-", "url=https://here"),
        ("../", "shared/spec"),
    ],
)
def test_what_belongs_to_one_machine_is_found(pieces: tuple[str, ...]) -> None:
    (fault,) = text_faults("docs/page.md", f"first line\n{''.join(pieces)}\n")
    assert fault.startswith("docs/page.md:2 ")


@pytest.mark.parametrize(
    "pieces", [("net/wo", "rk/load"), ("src/ro", "ot/x"), ("--no-emit-index-", "url"), ("~/wo", "rk/x")]
)
def test_what_only_looks_like_it_passes(pieces: tuple[str, ...]) -> None:
    assert list(text_faults("docs/page.md", "".join(pieces))) == []


@pytest.mark.parametrize("name", ["Makefile", ".ci/run"])
def test_only_the_makefile_and_ci_look_beside_the_project(name: str) -> None:
    assert list(text_faults(name, "../" + "shared/check")) == []

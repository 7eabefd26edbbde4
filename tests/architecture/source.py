"""The source of the package as syntax trees: what the house tests read."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "crosstable"

# A house test that did not see these packages has looked at nothing.
PACKAGES_THAT_EXIST = frozenset({"terms", "errors", "rules", "formulas", "engine"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """One module: its dotted name, whether it is a package's ``__init__``, its text and its syntax tree."""

    name: str
    is_package: bool
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The second part of the dotted name; the package itself is the package ``crosstable``."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 1 else parts[0]


def snippet(name: str, text: str) -> Module:
    """A module written in a test."""
    return Module(name, is_package=False, text=text, tree=ast.parse(text))


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, in the order of their names; read once, nobody changes a tree."""
    return tuple(_module(path) for path in sorted(PACKAGE.rglob("*.py")))


def _module(path: Path) -> Module:
    parts = list(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    is_package = parts[-1] == "__init__"
    if is_package:
        parts.pop()
    text = path.read_text(encoding="utf-8")
    return Module(".".join(parts), is_package, text, ast.parse(text, filename=str(path)))


class Import(NamedTuple):
    """One imported module or name, resolved to a dotted path, and where it stands."""

    target: str
    line: int
    at_top_level: bool
    for_types_only: bool


@cache
def imports(module: Module) -> tuple[Import, ...]:
    """Every import of a module, relative ones resolved; ``from a import b`` counts as ``a.b``."""
    return tuple(_imports_in(module, module.tree, at_top_level=True, for_types_only=False))


def _imports_in(module: Module, node: ast.AST, *, at_top_level: bool, for_types_only: bool) -> Iterator[Import]:
    for target in _targets(module, node):
        yield Import(target, getattr(node, "lineno", 0), at_top_level, for_types_only)
    runs_later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        guarded = set(map(id, node.body))
    else:
        guarded = set()
    for child in ast.iter_child_nodes(node):
        yield from _imports_in(
            module,
            child,
            at_top_level=at_top_level and not runs_later,
            for_types_only=for_types_only or id(child) in guarded,
        )


def _targets(module: Module, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _base(module, node)
        yield from (base if alias.name == "*" else f"{base}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and _last_name(node.func).endswith(("import_module", "__import__")):
        yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _base(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    parts = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*parts, node.module] if node.module else parts)


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node

"""Imports go one way: who may see whom, and where heavy libraries may stand."""

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence

import pytest

from tests.architecture.source import PACKAGES_THAT_EXIST, ROOT, Import, Module, imports, modules, snippet
from tools.make_app import LEFT_OUT

SECOND_ENGINE = ROOT / "tests" / "second_engine"
NOUNS = frozenset({"terms", "record_rows", "errors", "notation", "sentences", "limits", "machine"})
FOR_ALL = frozenset({"tuples"})
ENGINE_AND_BELOW = NOUNS | {"rules", "formulas", "engine"}
ABOUT_A_SECTION = frozenset({"explanation", "calculator", "checks", "verification", "pipeline", "replaying"})
INSIDE = ENGINE_AND_BELOW | ABOUT_A_SECTION | {"catalogue", "faults", "remedies", "formats", "output", "history"}

# package → what it may import. "rules.constants" is that module alone; "rules" is the whole package.
# "crosstable" is the package itself, which holds the version. Nobody imports the command line or the site.
MAY_SEE: dict[str, frozenset[str]] = {
    "tuples": frozenset(),
    "terms": frozenset({"errors"}),
    "errors": frozenset(),
    "record_rows": frozenset({"terms"}),
    "notation": frozenset({"terms"}),
    "sentences": frozenset(),
    "limits": frozenset(),
    "machine": frozenset(),
    "languages": frozenset(),
    "log_lines": frozenset(),
    "remedies": NOUNS,
    "finding_kinds": frozenset({"errors", "limits"}),
    "catalogue": NOUNS | {"finding_kinds"},
    "faults": frozenset({"catalogue", "finding_kinds", "errors"}),
    "rules": NOUNS,
    "formulas": frozenset({"terms", "rules.constants"}),
    "engine": NOUNS | {"rules", "formulas", "crosstable"},
    "explanation": ENGINE_AND_BELOW | {"sentences", "crosstable"},
    "calculator": ENGINE_AND_BELOW | {"faults", "explanation", "crosstable"},
    "checks": ENGINE_AND_BELOW | {"catalogue", "faults", "crosstable"},
    "verification": ENGINE_AND_BELOW | {"checks", "crosstable"},
    "formats": NOUNS | {"faults", "rules.editions", "rules.time_controls", "crosstable"},
    "pipeline": ENGINE_AND_BELOW
    | {"faults", "checks", "explanation", "formats", "remedies", "verification", "crosstable"},
    "output": ENGINE_AND_BELOW
    | {"faults", "explanation", "calculator", "verification", "pipeline", "formats.sheet_rows", "crosstable"},
    "replaying": ENGINE_AND_BELOW | {"crosstable"},
    "history": ENGINE_AND_BELOW | {"replaying", "crosstable"},
    "office": INSIDE | {"crosstable"},
    "lab": INSIDE | {"crosstable"},
    "schemas": frozenset(),
    "uschess": NOUNS | {"formats", "crosstable"},
    "cli": INSIDE | {"log_lines", "office", "lab", "schemas", "uschess", "crosstable"},
    "app": INSIDE - {"history", "replaying"} | {"crosstable", "languages"},
    "web": INSIDE | {"app", "languages", "log_lines", "office", "lab", "schemas", "crosstable"},
    "library": INSIDE,
    "crosstable": INSIDE | {"library"},
    "__main__": frozenset({"cli"}),
}

# library → the packages or modules that may import it when they are themselves imported.
# Everybody else imports it inside the function that uses it, so that a quick question stays quick.
HEAVY: dict[str, frozenset[str]] = {
    "numpy": frozenset({"history", "lab", "office.bulk"}),
    "numba": frozenset({"history.kernel"}),
    "polars": frozenset({"history", "lab", "office.bulk"}),
    "joblib": frozenset({"lab"}),
    "pydantic": frozenset({"office", "web"}),
    "sqlalchemy": frozenset({"office"}),
    "alembic": frozenset({"office"}),
    "psycopg": frozenset({"office"}),
    "fastapi": frozenset({"web"}),
    "starlette": frozenset({"web"}),
    "uvicorn": frozenset({"web"}),
    "jinja2": frozenset({"app", "languages", "web"}),
    "httpx": frozenset(),
    "rich": frozenset(),
    "xlsxwriter": frozenset(),
    "python_calamine": frozenset(),
}
# Only here may the library be named at all, inside functions included.
NOWHERE_ELSE = frozenset({"numba"})


def layer_faults(module: Module) -> Iterator[str]:
    """Imports that the layers forbid, as sentences."""
    if module.package not in MAY_SEE:
        yield f"{module.name}: no package of the house has this name"
        return
    for found in imports(module):
        parts = found.target.split(".")
        if parts[0] == "crosstable" and not _may_see(module.package, parts[1:]):
            yield f"{module.name}:{found.line} may not import {found.target}"


def _may_see(package: str, path: Sequence[str]) -> bool:
    """Whether a package may import crosstable.<path>; the path may end in a name inside a module."""
    target = path[0] if path and path[0] in MAY_SEE else "crosstable"
    may_see = MAY_SEE[package] | FOR_ALL
    return target in may_see or target == package or ".".join(path[:2]) in may_see


def heavy_faults(module: Module) -> Iterator[str]:
    """Heavy libraries imported where they slow every start, as sentences."""
    for found in imports(module):
        library = found.target.split(".")[0]
        if library not in HEAVY or _is_at_home(module, library):
            continue
        if library in NOWHERE_ELSE or (found.at_top_level and not found.for_types_only):
            yield f"{module.name}:{found.line} may not import {library} here"


def _is_at_home(module: Module, library: str) -> bool:
    inside = module.name.removeprefix("crosstable.")
    return any(inside == home or inside.startswith(f"{home}.") for home in HEAVY[library])


def leans_on_the_package(text: str) -> bool:
    """Whether a text imports anything of the package."""
    found = imports(snippet("tests.second_engine.module", text))
    return any(each.target.split(".")[0] == "crosstable" for each in found)


def test_every_import_follows_the_layers() -> None:
    found = modules()
    assert {module.package for module in found} >= PACKAGES_THAT_EXIST
    assert sum(1 for module in found for _ in imports(module)) > len(PACKAGES_THAT_EXIST)
    faults = [fault for module in found for fault in layer_faults(module)]
    assert not faults, "\n".join(faults)


def test_what_goes_into_the_browser_leans_on_nothing_that_stays_out() -> None:
    inside = [module for module in modules() if module.package not in LEFT_OUT]
    assert {"app", "pipeline", "formats"} <= {module.package for module in inside}
    stays_out = [
        f"{module.name}:{found.line} {found.target}"
        for module in inside
        for found in imports(module)
        if found.at_top_level
        and not found.for_types_only
        and found.target.split(".")[1:2] in [[one] for one in LEFT_OUT]
        if found.target.startswith("crosstable.")
    ]
    assert not stays_out


def test_heavy_libraries_are_imported_only_where_they_live() -> None:
    faults = [fault for module in modules() for fault in heavy_faults(module)]
    assert not faults, "\n".join(faults)


def test_the_second_engine_shares_nothing_with_the_first() -> None:
    """Two engines that agree prove something only if neither leans on the other."""
    paths = [path for path in sorted(SECOND_ENGINE.glob("*.py")) if not path.name.startswith("test_")]
    assert len(paths) > 1
    assert not [path.name for path in paths if leans_on_the_package(path.read_text(encoding="utf-8"))]


def test_a_second_engine_that_leans_on_the_first_is_found() -> None:
    assert leans_on_the_package("def rate():\n    from crosstable.terms import Result")
    assert not leans_on_the_package("from tests.second_engine.rows import Row")


def test_nobody_may_import_the_command_line_or_the_site() -> None:
    assert all(not seen & {"cli", "web"} for package, seen in MAY_SEE.items() if package != "__main__")


def test_the_layers_have_no_circle_above_the_nouns() -> None:
    """If everyone waits for a package that waits for them, the table itself is wrong."""
    left = {package: {s.split(".")[0] for s in seen} - NOUNS for package, seen in MAY_SEE.items()}
    left["crosstable"] = set()
    while left:
        free = {package for package, waits in left.items() if not waits & left.keys()}
        assert free, f"a circle among {sorted(left)}"
        left = {package: waits for package, waits in left.items() if package not in free}


def circles(found: Sequence[Module]) -> set[frozenset[str]]:
    """Modules that wait for each other: each imports all others of its circle, itself or through them."""
    names = {module.name for module in found}
    seen = {module.name: {_module_of(each.target, names) for each in imports(module)} for module in found}
    behind = {name: _reached(name, seen) for name in names}
    return {frozenset({name, *(one for one in behind[name] if name in behind[one])}) for name in names} - {
        frozenset({name}) for name in names
    }


def _module_of(target: str, names: set[str]) -> str:
    """The module of an import, which may end in a name inside of it; nothing where it is none of ours."""
    while target and target not in names:
        target = target.rpartition(".")[0]
    return target


def _reached(name: str, seen: dict[str, set[str]]) -> set[str]:
    """Every module that one imports, itself or through others."""
    found: set[str] = set()
    left = [name]
    while left:
        more = seen.get(left.pop(), set()) - found - {""}
        found |= more
        left += more
    return found - {name}


def test_no_modules_import_each_other() -> None:
    """Imports inside functions count: they only hide that two modules are one."""
    assert circles(modules()) == set()


def test_modules_that_import_each_other_inside_functions_are_found() -> None:
    one = snippet("crosstable.engine.one", "def f():\n    from crosstable.engine.two import g")
    two = snippet("crosstable.engine.two", "from crosstable.engine import three")
    three = snippet("crosstable.engine.three", "import crosstable.engine.one")
    four = snippet("crosstable.engine.four", "from crosstable.engine.one import f")
    assert circles([one, two, three, four]) == {frozenset({one.name, two.name, three.name})}
    assert circles([one, two, four]) == set()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crosstable.rules.editions", "from crosstable.engine import rate"),
        ("crosstable.rules.editions", "from crosstable import formulas"),
        ("crosstable.formulas.standard", "from crosstable.rules.editions import edition_for"),
        ("crosstable.formulas.standard", "from crosstable.errors import ConvergenceError"),
        ("crosstable.formulas.standard", "from ..rules import editions"),
        ("crosstable.formats.trf", "import crosstable.rules"),
        ("crosstable.formats.trf", "from crosstable.checks import check"),
        ("crosstable.engine", "def rate():\n    from crosstable.history import replay"),
        ("crosstable.engine", "if TYPE_CHECKING:\n    from crosstable.office import ledger"),
        ("crosstable.explanation", "import importlib\nimportlib.import_module('crosstable.cli')"),
        ("crosstable.explanation", "from crosstable.checks import CHECKS"),
        ("crosstable.lab.sweep", "from crosstable.office.ledger import post"),
        ("crosstable.history.replay", "from crosstable.lab import metrics"),
        ("crosstable.web.pages", "from crosstable.cli import main"),
        ("crosstable.cli.serve", "from crosstable.web import app"),
        ("crosstable.terms", "from crosstable import __version__"),
        ("crosstable.toolbox", "import math"),
    ],
)
def test_an_import_against_the_layers_is_found(name: str, text: str) -> None:
    assert len(list(layer_faults(snippet(name, text)))) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crosstable.rules.editions", "import re\nfrom crosstable.rules.amendments import FIRST"),
        ("crosstable.formulas.standard", "from crosstable.rules.constants import Constants"),
        ("crosstable.formulas.standard", "from crosstable.rules import constants"),
        ("crosstable.formulas.standard", "from . import effective"),
        ("crosstable.formats.trf", "from crosstable.rules.time_controls import systems_of"),
        ("crosstable.formats.trf", "from crosstable import __version__"),
        ("crosstable.checks", "from crosstable.terms import Report"),
        ("crosstable.cli", "from crosstable import __version__, checks, engine, explanation, formats, verification"),
        ("crosstable.lab.sweep", "from crosstable.history.replay import replay"),
    ],
)
def test_an_import_along_the_layers_passes(name: str, text: str) -> None:
    assert list(layer_faults(snippet(name, text))) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crosstable.engine", "import numpy as np"),
        ("crosstable.cli.draw", "from rich.table import Table"),
        ("crosstable.cli.draw", "try:\n    import rich\nexcept ImportError:\n    pass"),
        ("crosstable.cli.draw", "class Drawing:\n    from rich import box"),
        ("crosstable.history.replay", "def replay():\n    import numba"),
        ("crosstable.history_notes", "import polars"),
        ("crosstable.checks", "from pydantic import BaseModel"),
    ],
)
def test_a_heavy_import_is_found(name: str, text: str) -> None:
    assert len(list(heavy_faults(snippet(name, text)))) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crosstable.cli.draw", "def draw():\n    from rich.table import Table"),
        ("crosstable.cli.draw", "if TYPE_CHECKING:\n    from rich.table import Table"),
        ("crosstable.history.kernel", "import numba\nimport numpy"),
        ("crosstable.history", "import polars"),
        ("crosstable.office.ledger", "import sqlalchemy"),
    ],
)
def test_a_heavy_import_in_its_place_passes(name: str, text: str) -> None:
    assert list(heavy_faults(snippet(name, text))) == []


def test_relative_imports_are_resolved() -> None:
    package = snippet("crosstable.formats", "from . import trf\nfrom ..terms import Report")
    found = [each.target for each in imports(package._replace(is_package=True))]
    assert found == ["crosstable.formats.trf", "crosstable.terms.Report"]
    module = snippet("crosstable.formats.trf", "from .. import terms\nfrom .dbf import read\nfrom .dbf import *")
    found = [each.target for each in imports(module)]
    assert found == ["crosstable.terms", "crosstable.formats.dbf.read", "crosstable.formats.dbf"]


def test_the_else_branch_of_a_type_guard_is_run() -> None:
    text = "if TYPE_CHECKING:\n    import rich\nelse:\n    import numpy"
    assert list(imports(snippet("crosstable.cli", text))) == [
        Import("rich", 2, at_top_level=True, for_types_only=True),
        Import("numpy", 4, at_top_level=True, for_types_only=False),
    ]


def test_no_module_needs_a_library_that_no_install_brings() -> None:
    """Every library that is imported anywhere, inside functions too, is named in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = [*project["dependencies"], *(one for some in project["optional-dependencies"].values() for one in some)]
    brought = {re.split(r"[^\w-]", one)[0].lower().replace("-", "_") for one in listed}
    # Under other names, or brought along by what is listed.
    brought |= {
        "argon2",
        "python_multipart",
        "starlette",
        "anyio",
        "pydantic",
        "pydantic_core",
        "markupsafe",
        "llvmlite",
        "dask",
    }
    found = {each.target.split(".")[0] for module in modules() for each in imports(module) if not each.for_types_only}
    assert found - brought - sys.stdlib_module_names == set()

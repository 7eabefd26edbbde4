"""Sums have the same bits under every Python: the built-in ``sum`` adds whole numbers only.

Since Python 3.12 ``sum`` compensates rounding errors of floats, so that a float summed by it prints another last digit
than under 3.11, and another one than the compiled replay, which adds in a loop. Floats are added by
``crosstable.terms.total``; what the built-in may add is proven from the syntax tree.
"""

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.architecture.source import Module, modules, snippet

WHOLE = frozenset({"int", "bool", "int | None", "IntEnum"})
WHOLE_CALLS = frozenset({"len", "int", "bool", "any", "all", "isinstance"})
# Attributes of the standard library that are whole numbers by its documentation (zipfile).
WHOLE_OUTSIDE = frozenset({"file_size", "compress_size"})
OF_BITS = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr)  # floats do not have them
KEEPING_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
# Sums of whole numbers that the tree alone does not prove, and what does; a bare name says little without its module.
KNOWN_WHOLE = {
    "request.record": "wins, draws and losses, a tuple of three ints",
    "opponent.played or 0": "an opponent's games, int | None",
    "_games(player, rows)": "declared int in the checks of pairings",
    "made.rows.values()": "rows by table, ints",
    "sizes[each]": "bytes of a file",
    "counts[:at]": "a list of ints",
    "row['played']": "a column of integers",
    "client.nthreads().values()": "threads by worker, ints",
    "connection.execute(count).scalar() or 0": "the answer of SELECT count(*)",
    "fit.rows": "declared int in verify",
    "fit.within": "declared int in verify",
    "one.entries": "declared int in the public index",
    "self._size": "bytes of a reply",
    "lab: ways": "a list of bools",
    "ratings_api: width": "characters of a column",
    "swisssys: results": "lengths of lists",
    "kept_files: size": "bytes of a file",
}


class Names:
    """What is declared about names: those whose every annotation in the package is a whole number."""

    def __init__(self, found: Iterable[Module]) -> None:
        declared: dict[str, set[str]] = {}
        for module in found:
            for name, annotation in _declared(module.tree):
                declared.setdefault(name, set()).add(ast.unparse(annotation))
        self._declared = declared

    def are(self, name: str, types: Iterable[str]) -> bool:
        """Whether a name is declared, and always as one of these types."""
        return bool(self._declared.get(name)) and self._declared[name] <= set(types)


def _declared(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            target = node.target
            if isinstance(target, ast.Name | ast.Attribute):
                yield (target.id if isinstance(target, ast.Name) else target.attr), node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.name, node.returns
        elif isinstance(node, ast.arg) and node.annotation is not None:
            yield node.arg, node.annotation


def sum_faults(module: Module, names: Names) -> Iterator[str]:
    """Built-in sums that are not proven to be of whole numbers, and other ways to add floats, as sentences."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and "statistics" in ast.unparse(node).split():
            yield f"{module.name}:{node.lineno} imports statistics, whose last bits are Python's own affair"
        if isinstance(node, ast.Attribute) and node.attr == "sumprod":
            yield f"{module.name}:{node.lineno} uses sumprod, whose last bits are Python's own affair"
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"):
            continue
        if not _adds_whole_numbers(node.args[0], names) and _summed(module, node.args[0]) not in KNOWN_WHOLE:
            yield f"{module.name}:{node.lineno} {ast.unparse(node)}: floats are added by crosstable.terms.total"


def _summed(module: Module, values: ast.expr) -> str:
    """What is added: the element of a generator, the function of a map, else the argument; a name with its module."""
    if isinstance(values, ast.GeneratorExp | ast.ListComp):
        values = values.elt
    elif isinstance(values, ast.Call) and isinstance(values.func, ast.Name) and values.func.id == "map":
        values = values.args[0]
    text = ast.unparse(values)
    return f"{module.name.rpartition('.')[2]}: {text}" if isinstance(values, ast.Name) else text


def _adds_whole_numbers(values: ast.expr, names: Names) -> bool:
    if isinstance(values, ast.GeneratorExp | ast.ListComp):
        return _is_whole(values.elt, names)
    if isinstance(values, ast.Call) and isinstance(values.func, ast.Name) and values.func.id == "map":
        called = values.args[0]
        name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
        return name in WHOLE_CALLS or names.are(name, WHOLE)
    name = _name(values)
    return names.are(name, {"list[int]", "tuple[int, ...]", "Sequence[int]", "dict[str, int]", "Mapping[str, int]"})


def _name(node: ast.expr) -> str:
    """The last name of ``a.b[c]`` or ``a.b.values()``."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "values":
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_whole(node: ast.expr, names: Names) -> bool:
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=parts):
            return all(_is_whole(part, names) for part in parts)
        case ast.Constant(value=value):
            return isinstance(value, int)
        case ast.BinOp(left=left, op=op, right=right):
            is_kept = isinstance(op, KEEPING_WHOLE) and _is_whole(left, names) and _is_whole(right, names)
            return is_kept or isinstance(op, OF_BITS)
        case ast.Call(func=ast.Name(id=name)):
            return name in WHOLE_CALLS or names.are(name, WHOLE)
        case ast.Call(func=ast.Attribute(attr="count"), args=[_]):  # how often a sequence has a value
            return True
        case ast.Attribute(attr=name):
            return name in WHOLE_OUTSIDE or names.are(name, WHOLE)
        case _:
            return False


def test_every_sum_that_is_vouched_for_is_there() -> None:
    sums = {
        _summed(module, node.args[0])
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"
    }
    assert sorted(KNOWN_WHOLE.keys() - sums) == []


def test_the_built_in_sum_adds_whole_numbers_only() -> None:
    names = Names(modules())
    faults = [fault for module in modules() for fault in sum_faults(module, names)]
    assert not faults, "\n".join(faults)


DECLARED = """
class Row:
    games: int
    rating: float
    counts: list[int]
    ratings: list[float]

def size(row) -> int: ...
def odds(row) -> float: ...
"""


@pytest.mark.parametrize(
    "text",
    [
        "sum(row.games for row in rows)",
        "sum(size(row) for row in rows)",
        "sum(map(size, rows))",
        "sum(map(len, rows))",
        "sum(row.counts)",
        "sum(row.rating > 2000.0 for row in rows)",
        "sum(row.games > 2 and row.rating > 2000.0 for row in rows)",
        "sum(row.games * 2 for row in rows)",
        "sum(1 << row.games for row in rows)",
        "total(row.rating for row in rows)",
    ],
)
def test_a_sum_of_whole_numbers_is_let_through(text: str) -> None:
    module = snippet("crosstable.engine.module", DECLARED + text)
    assert not list(sum_faults(module, Names([module])))


@pytest.mark.parametrize(
    "text",
    [
        "sum(row.rating for row in rows)",
        "sum(odds(row) for row in rows)",
        "sum(map(odds, rows))",
        "sum(row.ratings)",
        "sum(scores)",
        "sum([0.5, 1.0])",
        "sum(row.games * 0.5 for row in rows)",
        "sum(row.games / 2 for row in rows)",
        "sum(row.games and row.rating for row in rows)",
        "sum(row.unheard_of for row in rows)",
        "import statistics",
        "from statistics import fmean",
        "math.sumprod(games, scores)",
    ],
)
def test_a_sum_of_anything_else_is_found(text: str) -> None:
    module = snippet("crosstable.engine.module", DECLARED + text)
    assert list(sum_faults(module, Names([module])))

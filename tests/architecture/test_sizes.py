"""Functions fit a screen, files fit a sitting, calls fit a line."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source import PACKAGES_THAT_EXIST, Function, Module, functions, modules, snippet

FUNCTION_LINES = 50
FILE_LINES = 500
PARAMETERS = 6

# module.function → why it needs more parameters than six. A record is nearly always the better answer.
LONG_PARAMETER_LISTS: dict[str, str] = {}


def size_faults(module: Module) -> Iterator[str]:
    """What is too long in a module, as sentences."""
    lines = module.text.count("\n")
    if lines > FILE_LINES:
        yield f"{module.name}: {lines} lines, at most {FILE_LINES}"
    for function in functions(module.tree):
        name = f"{module.name}.{function.name}"
        if length(function) > FUNCTION_LINES:
            yield f"{name}: {length(function)} lines, at most {FUNCTION_LINES}"
        if parameters(function) > PARAMETERS and name not in LONG_PARAMETER_LISTS:
            yield f"{name}: {parameters(function)} parameters, at most {PARAMETERS}"


def length(function: Function) -> int:
    """Lines from ``def`` to the last line, docstring included."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def parameters(function: Function) -> int:
    """How many arguments a caller may give; ``self`` and ``cls`` are not given by callers."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return sum(argument is not None and argument.arg not in {"self", "cls"} for argument in every)


def test_nothing_is_too_long() -> None:
    found = modules()
    assert {module.package for module in found} >= PACKAGES_THAT_EXIST
    faults = [fault for module in found for fault in size_faults(module)]
    assert not faults, "\n".join(faults)


def test_every_exception_is_still_needed() -> None:
    longer = {
        f"{module.name}.{function.name}"
        for module in modules()
        for function in functions(module.tree)
        if parameters(function) > PARAMETERS
    }
    assert set(LONG_PARAMETER_LISTS) <= longer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f() -> None:\n" + "    x = 1\n" * 50, "51 lines, at most 50"),
        ("class A:\n    async def f(self) -> None:\n" + "        x = 1\n" * 50, "51 lines, at most 50"),
        ("x = 1\n" * 501, "501 lines, at most 500"),
        ("def f(a, b, c, d, e, g, h): ...\n", "7 parameters, at most 6"),
        ("def f(a, b, /, c, *d, e, g, **h): ...\n", "7 parameters, at most 6"),
    ],
)
def test_what_is_too_long_is_found(text: str, words: str) -> None:
    (fault,) = size_faults(snippet("crosstable.engine", text))
    assert fault.endswith(words)


@pytest.mark.parametrize(
    "text",
    [
        "def f() -> None:\n" + "    x = 1\n" * 49,
        "x = 1\n" * 500,
        "class A:\n    def f(self, a, b, c, d, e, g): ...\n",
    ],
)
def test_what_is_just_short_enough_passes(text: str) -> None:
    assert list(size_faults(snippet("crosstable.engine", text))) == []


def test_a_function_is_measured_without_its_decorators() -> None:
    tree = ast.parse("@one\n@two\ndef f() -> None:\n    x = 1\n")
    assert [length(function) for function in functions(tree)] == [2]

"""The formula dialect: what a module of ``formulas`` may be written in, checked on its syntax tree.

A formula has three readers: a person with the document beside them, the interpreter, and the compiler of the
replay. The dialect is what all three read alike. Each fault begins with the number of the rule it breaks:

1. arguments and results are floats, ints, enums, named tuples and sequences of them; a record that is changed in place,
   an object to the interpreter and a row of an array to the compiler, is a protocol of such fields;
2. imports: math, typing, collections.abc, named tuples, the terms, the constants, other formulas;
3. no power operator: ``x * x``, or ``math.pow`` for real exponents;
4. sums are loops, so that the order of addition is written down;
5. every loop has a stated bound;
6. no exceptions, no text, no default or keyword-only arguments, nothing the compiler cannot take;
7. no rounding by ``round``, which takes halves to even.
"""

import ast
from collections.abc import Iterator

from tests.architecture.source import Function, Module, functions, imports

_LIBRARIES = frozenset({"math", "typing", "collections", "__future__"})
_OWN = ("crosstable.terms", "crosstable.tuples", "crosstable.rules.constants", "crosstable.formulas")

_NOT_IN_ANNOTATIONS = frozenset(
    {
        *("Any", "object", "Optional", "Callable", "Iterator", "Iterable", "Generator"),
        *("dict", "Dict", "Mapping", "MutableMapping", "set", "frozenset", "Set"),
        *("str", "bytes", "date", "datetime", "timedelta", "complex", "Decimal", "Fraction"),
    }
)
_CALLS: dict[str, str] = {
    "sum": "4: sum with a loop",
    "fsum": "4: sum with a loop",
    "pow": "3: write x * x, or math.pow for a real exponent",
    "round": "7: round() takes halves to even; name the rounding of the text as a function of its own",
    **{
        name: f"6: {name}() has no place in a formula"
        for name in ("print", "open", "input", "eval", "exec", "getattr", "setattr", "hasattr", "isinstance")
    },
    **{name: f"6: {name}() makes what the compiler cannot take" for name in ("dict", "set", "frozenset", "str")},
    **{name: f"5: {name}() hides a loop" for name in ("iter", "next", "map", "filter")},
}
_NODES: dict[type[ast.AST], str] = {
    ast.Try: "6: no try",
    ast.TryStar: "6: no try",
    ast.Raise: "6: no raise; say it in a flag of the record",
    ast.With: "6: no with",
    ast.AsyncWith: "6: no with",
    ast.Lambda: "6: no lambda",
    ast.Dict: "1: no dict",
    ast.DictComp: "1: no dict",
    ast.Set: "1: no set",
    ast.SetComp: "1: no set",
    ast.GeneratorExp: "6: no generator expression; write the loop",
    ast.JoinedStr: "6: no formatted text",
    ast.Match: "6: no match",
    ast.Yield: "6: no generator",
    ast.YieldFrom: "6: no generator",
    ast.Global: "6: no global",
    ast.Nonlocal: "6: no nonlocal",
    ast.AsyncFunctionDef: "6: no async",
    ast.AsyncFor: "6: no async",
    ast.Await: "6: no async",
    ast.While: "5: no while; for _ in range(BOUND) states its bound",
    ast.Pow: "3: no power operator",
}


def dialect_faults(module: Module) -> list[str]:
    """Everything in a module that is not in the dialect, as sentences with line numbers."""
    found = [
        *_import_faults(module),
        *_node_faults(module.tree),
        *_constant_faults(module.tree),
        *_call_and_loop_faults(module.tree),
        *_class_faults(module.tree),
        *_annotation_faults(module.tree),
    ]
    for function in functions(module.tree):
        found += _signature_faults(function)
        found += _body_faults(function)
    return [f"{module.name}:{line} {message}" for line, message in sorted(set(found))]


Findings = Iterator[tuple[int, str]]


def _import_faults(module: Module) -> Findings:
    for found in imports(module):
        if not _is_allowed(found.target):
            yield found.line, f"2: {found.target} may not be imported"
        if not found.at_top_level or found.for_types_only:
            yield found.line, "2: imports stand at the top"


def _is_allowed(target: str) -> bool:
    if target.split(".")[0] in _LIBRARIES:
        return not target.startswith("collections") or target.startswith("collections.abc")
    return any(target == own or target.startswith(f"{own}.") for own in _OWN)


def _node_faults(tree: ast.Module) -> Findings:
    line = 0
    for node in ast.walk(tree):
        line = getattr(node, "lineno", line)
        message = _NODES.get(type(node))
        if message:
            yield line, message


def _constant_faults(tree: ast.Module) -> Findings:
    """Text and None, except docstrings, ``__all__``, the annotation ``-> None`` and quoted annotations."""
    allowed = {id(node) for node in _where_text_is_allowed(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in allowed:
            if node.value is None:
                yield node.lineno, "1: no None"
            elif isinstance(node.value, str | bytes):
                yield node.lineno, "1: no text"


def _where_text_is_allowed(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        # A docstring, and the text under a constant that says what it is.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield from ast.walk(node.value)
        elif isinstance(node, ast.JoinedStr):  # already a fault of its own
            yield from ast.walk(node)
    for annotation in _annotations(tree):  # these have a rule of their own
        yield from ast.walk(annotation)


def _call_and_loop_faults(tree: ast.Module) -> Findings:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _called(node)
            is_plain = isinstance(node.func, ast.Name) or name == "fsum"
            if is_plain and name in _CALLS:
                yield node.lineno, _CALLS[name]
            if any(keyword.arg is None for keyword in node.keywords):
                yield node.lineno, "6: no ** in a call"
        elif isinstance(node, ast.For) and not _is_bounded(node.iter):
            yield node.lineno, "5: loop over a range or a sequence"


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func).split(".")[-1]


def _is_bounded(iterated: ast.expr) -> bool:
    if isinstance(iterated, ast.Call):
        return _called(iterated) in {"range", "enumerate", "zip", "reversed", "sorted"}
    return isinstance(iterated, ast.Name | ast.Attribute | ast.Subscript | ast.Tuple | ast.List)


def _class_faults(tree: ast.Module) -> Findings:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        if [ast.unparse(base).split(".")[-1] for base in node.bases] not in (["NamedTuple"], ["Protocol"]):
            yield node.lineno, f"1: {node.name} is neither a named tuple nor a protocol"
        for member in node.body:
            if isinstance(member, ast.AnnAssign) and member.value is not None:
                yield member.lineno, "6: no default values"
            elif isinstance(member, ast.FunctionDef):
                yield member.lineno, "6: no methods; a record is only its fields"


def _signature_faults(function: Function) -> Findings:
    given = function.args
    if given.defaults or any(default is not None for default in given.kw_defaults):
        yield function.lineno, "6: no default values"
    if given.kwonlyargs:
        yield function.lineno, "6: no keyword-only arguments"
    if given.vararg or given.kwarg:
        yield function.lineno, "6: no *args or **kwargs"
    if function.decorator_list:
        yield function.lineno, "6: no decorators; formulas are compiled from outside"
    if any(argument.annotation is None for argument in _arguments(function)) or function.returns is None:
        yield function.lineno, "1: arguments and results have types"
    if _is_none(function.returns) and not _writes(function):
        yield function.lineno, "1: returns nothing and writes nothing"


def _annotation_faults(tree: ast.Module) -> Findings:
    results = {id(function.returns) for function in functions(tree)}
    for annotation in _annotations(tree):
        if id(annotation) in results and _is_none(annotation):
            continue
        for node in ast.walk(_unquoted(annotation)):
            if _is_none(node):
                yield annotation.lineno, "1: no None"
            elif isinstance(node, ast.Name | ast.Attribute) and _last(node) in _NOT_IN_ANNOTATIONS:
                yield annotation.lineno, f"1: no {_last(node)}"


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns


def _unquoted(annotation: ast.expr) -> ast.expr:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _arguments(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _writes(function: Function) -> bool:
    """Whether a function writes into a sequence or a record, or calls on others to do it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return True
    return False


def _body_faults(function: Function) -> Findings:
    for node in ast.walk(function):
        if node is not function and isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, f"6: {node.name} stands inside a function"
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function.name:
            yield node.lineno, f"5: {function.name} calls itself"

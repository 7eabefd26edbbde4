"""A small evaluator of the formulas that explanations print: numbers, four operations, powers, and seven functions."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "min": min,
    "max": max,
    "floor": math.floor,
    "ceil": math.ceil,
    "sum": sum,
}


def evaluated(formula: str) -> float:
    """The number that a formula gives; anything else than the arithmetic of the interface raises ``ValueError``."""
    return float(_value(ast.parse(formula, mode="eval").body))


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in OPERATIONS:
            return OPERATIONS[type(operation)](_value(left), _value(right))
        case ast.Tuple(elts=items):
            return tuple(_value(item) for item in items)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*map(_value, arguments))
    raise ValueError(f"no formula: {ast.unparse(node)}")

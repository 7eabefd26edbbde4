"""``NamedTuple`` as in ``typing``, made in a fifth of the time.

Rating one event loads some eighty record types, and the standard library compiles a constructor for each of them: a
sixth of the whole command. Here all types with the same number of fields share one compiled constructor, each under its
own field names. The rest is the same: fields, defaults, ``_replace``, ``_asdict``, matching, pickling, and what Numba
asks of a named tuple. Python 3.14 hands annotations over in another way; there, the standard one is used.
"""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 14):
    from typing import NamedTuple as NamedTuple
else:
    from collections import namedtuple
    from functools import lru_cache
    from types import CodeType, FunctionType

    _GLOBALS = {"__builtins__": {}, "new": tuple.__new__}
    _GETTER = type(namedtuple("_Pattern", "first").first)  # the quick way to a field, which has no public name

    @lru_cache
    def _constructor(fields: int) -> CodeType:
        """The code that makes a tuple of so many fields."""
        names = "".join(f"f{number}, " for number in range(fields))
        return eval(f"lambda _cls, {names}: new(_cls, ({names}))", _GLOBALS).__code__

    def _make(cls: type, values: Iterable) -> tuple:
        """A record from all its values in order."""
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self: tuple, /, **changes: object) -> tuple:
        """A copy with other values in the named fields."""
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            refused = TypeError if sys.version_info >= (3, 13) else ValueError  # as the standard one of each Python
            raise refused(f"Got unexpected field names: {list(changes)!r}")
        return made

    def _asdict(self: tuple) -> dict:
        """The values by the names of their fields."""
        return dict(zip(self._fields, self, strict=True))

    def _repr(self: tuple) -> str:
        return f"{type(self).__name__}({', '.join(map('{}={!r}'.format, self._fields, self))})"

    def _as_tuple(self: tuple) -> tuple:
        return tuple(self)

    _SHARED = {
        "__slots__": (),
        "__repr__": _repr,
        "__getnewargs__": _as_tuple,
        "_make": classmethod(_make),
        "_replace": _replace,
        "_asdict": _asdict,
    }

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple, body: dict) -> type:
            """The record type: a plain subclass of ``tuple``."""
            types = body["__annotations__"]
            fields = tuple(types)
            defaults = {field: body[field] for field in fields if field in body}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one with a default")
            code = _constructor(len(fields))
            code = code.replace(co_varnames=("_cls", *fields), co_name="__new__", co_qualname=f"{name}.__new__")
            new = FunctionType(code, _GLOBALS, "__new__", tuple(defaults.values()))
            new.__annotations__ = types
            getters = {field: _GETTER(number, None) for number, field in enumerate(fields)}
            named = {"__new__": new, "_fields": fields, "__match_args__": fields, "_field_defaults": defaults}
            return type(name, (tuple,), _SHARED | body | getters | named)

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})

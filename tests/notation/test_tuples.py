"""Our ``NamedTuple`` does what the one of the standard library does: that one is the measure of every answer here."""

import inspect
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from crosstable.tuples import NamedTuple


class Ours(NamedTuple):
    """A record."""

    first: int
    second: "str | None" = None
    third: float = 0.5

    def doubled(self) -> int:
        """A method of the record."""
        return self.first * 2


class Theirs(typing.NamedTuple):
    """A record."""

    first: int
    second: "str | None" = None
    third: float = 0.5

    def doubled(self) -> int:
        """A method of the record."""
        return self.first * 2


class Single(NamedTuple):
    """A record of one field."""

    only: int


ANSWERS: tuple[Callable[[Any], object], ...] = (
    lambda kind: tuple(kind(1)),
    lambda kind: tuple(kind(1, third=2.0)),
    lambda kind: repr(kind(1, "a")).replace("Theirs", "Ours"),
    lambda kind: tuple(kind(1)._replace(second="b")),
    lambda kind: kind(1)._asdict(),
    lambda kind: tuple(kind._make([1, 2, 3])),
    lambda kind: kind(3).doubled(),
    lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__, kind.__doc__, kind.__bases__),
    lambda kind: (
        [str(each).partition(":")[0] for each in inspect.signature(kind).parameters.values()],
        typing.get_type_hints(kind),
    ),
    lambda kind: (kind(1) == (1, None, 0.5), hash(kind(1)), kind(1) < kind(2), len(kind(1))),
    lambda kind: (pickle.loads(pickle.dumps(kind(1))) == kind(1), type(pickle.loads(pickle.dumps(kind(1)))) is kind),
    lambda kind: hasattr(kind(1), "__dict__"),
)
MISTAKES: tuple[Callable[[Any], object], ...] = (
    lambda kind: kind(),
    lambda kind: kind(1, fourth=2),
    lambda kind: kind(1, "a", 2.0, 3),
    lambda kind: kind(1)._replace(fourth=2),
    lambda kind: kind._make([1]),
    lambda kind: setattr(kind(1), "first", 2),
)


@pytest.mark.parametrize("answer", ANSWERS)
def test_it_answers_as_the_standard_one(answer: Callable[[Any], object]) -> None:
    assert answer(Ours) == answer(Theirs)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_it_refuses_what_the_standard_one_refuses(mistake: Callable[[Any], object]) -> None:
    with pytest.raises(Exception, match=r".") as theirs:
        mistake(Theirs)
    with pytest.raises(theirs.type):
        mistake(Ours)


def test_types_of_as_many_fields_keep_their_own_names() -> None:
    class Other(NamedTuple):
        left: int
        middle: int
        right: int

    assert Other(right=3, left=1, middle=2) == (1, 2, 3)
    assert Ours(first=1) == (1, None, 0.5)
    assert Single(7).only == 7
    with pytest.raises(TypeError, match=r"Other.__new__\(\) missing 1 required positional argument: 'right'"):
        Other(1, 2)  # type: ignore[call-arg]


def test_a_field_without_a_default_after_one_with_a_default_is_refused() -> None:
    body = {"__annotations__": {"first": int, "second": int}, "first": 1}
    with pytest.raises(TypeError, match="default"):
        type(NamedTuple)("Wrong", (NamedTuple,), body)  # type: ignore[misc]

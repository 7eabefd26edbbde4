"""A rating record as one row of plain values, as tables and archives keep it; floors and match changes are JSON.

And the rows in which the page of a member shows rating records.
"""

import json
from collections import namedtuple
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from crosstable.terms import (
    RECORD_FIELDS,
    Background,
    FieldKind,
    Floor,
    FloorKind,
    MatchChange,
    PlayerRating,
    RatingSystem,
)
from crosstable.tuples import NamedTuple

_DEFAULTS = PlayerRating._field_defaults
# What a posting keeps of the record after a section.
POSTED = tuple(name for name, kept in RECORD_FIELDS.items() if kept.is_posted)
_MORE = (FieldKind.LEVEL, FieldKind.FLOORS, FieldKind.CHANGES)
# What few records have: floors, a ceiling, changes by matches.
MORE_THAN_NUMBERS = tuple(name for name, kept in RECORD_FIELDS.items() if kept.kind in _MORE)


def starts_by_system(named: Mapping[str, Sequence[float]]) -> dict[RatingSystem, tuple[float, float]]:
    """Starts set by hand by the names of systems: rating and games of each."""
    return {RatingSystem[name]: (float(rating), float(games)) for name, (rating, games) in named.items()}


def posted_name(name: str) -> str:
    """The name of a field in a posting, which also has the rating and the games before."""
    return f"{name}_after" if name in ("rating", "games") else name


def with_posted(kind: Any) -> Any:  # noqa: ANN401 (a type checker sees the class as it is written)
    """A named tuple that has everything a posting keeps of the record; what is not written in it comes last, empty."""
    more = [name for name in map(posted_name, POSTED) if name not in kind._fields]
    if not more:
        return kind
    defaults = [*kind._field_defaults.values(), *[None for _ in more]]
    make: Any = namedtuple  # its type wants names that are written out
    base = make(kind.__name__, (*kind._fields, *more), defaults=defaults)
    own = {name: value for name, value in vars(kind).items() if isinstance(value, property)}
    return type(kind.__name__, (base,), {"__slots__": (), "__module__": kind.__module__, **own})


def is_needed(name: str) -> bool:
    """Whether a row must have a value for a field."""
    kind = RECORD_FIELDS[name].kind
    return kind not in (FieldKind.FLOORS, FieldKind.CHANGES) and _DEFAULTS.get(name, 0) is not None


def row_of(rating: PlayerRating, names: Sequence[str] = PlayerRating._fields) -> dict[str, Any]:
    """The values of fields by name; nothing where there is none."""
    return {name: _written(rating, name) for name in names}


def _written(rating: PlayerRating, name: str) -> object:
    value = getattr(rating, name)
    match RECORD_FIELDS[name].kind:
        case FieldKind.FLOORS:
            return _text([[floor.kind.name, floor.level] for floor in value])
        case FieldKind.CHANGES:
            return changes_text(value)
        case _:
            return value


def changes_text(changes: Sequence[MatchChange]) -> str | None:
    """Match changes as a row holds them."""
    return _text([[change.on.isoformat(), change.change] for change in changes])


def _text(values: Sequence[Sequence[Any]]) -> str | None:
    return json.dumps(values, separators=(",", ":")) if values else None


def rating_from(row: Mapping[str, Any], names: Sequence[str] = PlayerRating._fields) -> PlayerRating:
    """A rating record from the values of its fields; what has none gets its default."""
    return PlayerRating(**{name: _read(row, name) for name in names if row[name] is not None})


def _read(row: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401
    value = row[name]
    match RECORD_FIELDS[name].kind:
        case FieldKind.FLOORS:
            return tuple(Floor(FloorKind[kind], level) for kind, level in json.loads(value))
        case FieldKind.CHANGES:
            return tuple(MatchChange(date.fromisoformat(on), change) for on, change in json.loads(value))
        case _:
            return value


class CareerRow(NamedTuple):
    """One event of a member in one system: its last day and id, and the rating before, if there was one, and after."""

    on: date
    event: str
    system: RatingSystem
    before: PlayerRating | None
    after: PlayerRating


class MemberPage(NamedTuple):
    """What a page shows of a member; ``is_whole`` says that the career, oldest first, has all events since 1991."""

    member_id: str
    name: str
    standings: Mapping[RatingSystem, PlayerRating]
    career: tuple[CareerRow, ...] = ()
    is_whole: bool = False

    @property
    def background(self) -> Background:
        """What the member brings to the next event: what is published, or what the last events of a history left."""
        last = {row.system: row.after._replace(as_of=row.on) for row in self.career}
        return Background({**last, **self.standings})

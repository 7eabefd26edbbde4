"""``read``: a report of whatever holds an event: a path, some bytes, an open file, or plain Python data."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from crosstable.errors import Fault
from crosstable.formats import Reading
from crosstable.formats.detect import Input, inputs, read_data, read_input
from crosstable.terms import Report

_TAKES = "a path, bytes, an open file, an event as a mapping, or one section as a mapping with players"


class Readable(Protocol):
    """An open file."""

    def read(self) -> bytes | str:
        """What is left of it."""


Path = str | os.PathLike[str]
Source = Path | bytes | bytearray | Readable | Mapping[str, Any] | Report


def read(source: Source | Sequence[Path], name: str = "") -> Report:
    """The report that a source holds; raises ``FormatError`` where nothing of it can be read.

    ``name`` is what messages call it. Several paths are the DBF files of one event.
    """
    if isinstance(source, Report):
        return source
    if isinstance(source, Mapping):
        return of_reading(_of_data(source, name or "data"))
    if isinstance(source, bytes | bytearray):
        return of_reading(read_data(bytes(source), name or "data"))
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return of_reading(read_input(Input(name or path, (path,))))
    if not isinstance(source, Sequence):
        if not hasattr(source, "read"):
            raise TypeError(f"{type(source).__name__} is no source of an event: give {_TAKES}")
        content = source.read()
        data = content.encode() if isinstance(content, str) else content
        return of_reading(read_data(data, name or str(getattr(source, "name", "data"))))
    return of_reading(_of_paths(cast("Sequence[Path]", source)))


def _of_paths(paths: Sequence[Path]) -> Reading:
    """The DBF files of one event."""
    if not paths or not all(isinstance(path, str | os.PathLike) for path in paths):
        raise TypeError(f"a list holds the paths of DBF files; otherwise give {_TAKES}")
    found = inputs([os.fspath(path) for path in paths])
    if len(found) != 1:
        raise ValueError(f"{len(found)} events are given; read them one by one")
    return read_input(found[0])


def of_reading(reading: Reading) -> Report:
    """The report with what reading it found."""
    return reading.report._replace(faults=(*reading.report.faults, *reading.faults))


def _of_data(data: Mapping[str, Any], name: str) -> Reading:
    """Plain data: an event file as a mapping, or the mapping of one section."""
    from crosstable.formats.event_json import FORMAT, read_value

    faults: list[Fault] = []
    if "players" in data:
        data = {"event": {}, "sections": [data]}
    sections = [_section(section, at) for at, section in enumerate(data.get("sections", ()), start=1)]
    event = {"format": FORMAT, "event": {}, **data, "sections": sections}
    return read_value(_plain(event), name, faults)


def _section(section: object, at: int) -> object:
    if not isinstance(section, Mapping):
        return section
    players = section.get("players")
    found = {"number": at, **section}
    if isinstance(players, Iterable) and not isinstance(players, str | Mapping):
        found["players"] = [_player(player, row) for row, player in enumerate(players, start=1)]
    return found


def _player(player: object, row: int) -> object:
    """A row: numbered by its place, rounds in one text, ratings as people write them."""
    if not isinstance(player, Mapping):
        return player
    found = {"number": row, **player}
    if isinstance(found.get("rounds"), str):
        found["rounds"] = found["rounds"].split()
    ratings = found.get("ratings")
    if isinstance(ratings, Mapping):
        written = {system: _rating(rating) for system, rating in ratings.items()}
        found["ratings"] = {system: rating for system, rating in written.items() if rating is not None}
    return found


def _rating(rating: object) -> object:
    """A rating record: a mapping as it is, a number, or a text such as ``1512/40``; unrated is none."""
    if isinstance(rating, str):
        from crosstable.notation import read_rating

        try:
            written = read_rating(rating)
        except ValueError:
            return {"rating": rating}  # the reader of event files says where it stands and what is wrong
        return None if written.rating is None else _known(written.rating, written.games)
    if isinstance(rating, int | float) and not isinstance(rating, bool):
        return _known(rating, None)
    return rating


def _known(rating: float, games: float | None) -> dict[str, float]:
    return {"rating": rating} if games is None else {"rating": rating, "games": games}


def _plain(value: object) -> object:
    """Data as JSON would hold it: days as texts, sequences as lists, any mapping as a dict."""
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, str | bytes | int | float) or value is None:
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return [_plain(inner) for inner in value] if isinstance(value, Iterable) else value

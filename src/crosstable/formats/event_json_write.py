"""Writing our own event file, ``crosstable-event/1``: only what is known, always in the same order.

What ``event_json`` reads is written so that reading it again gives an equal report. A player stands on one line, so
that two files can be compared line by line.
"""

import json
from collections.abc import Mapping
from datetime import date

from crosstable.formats.event_json import FLOOR_ORIGINS, FORMAT, read_cell
from crosstable.formats.json_fields import LONGEST_TEXT
from crosstable.rules.time_controls import split_schedule
from crosstable.terms import (
    RECORD_FIELDS,
    Background,
    FieldKind,
    Floor,
    FloorKind,
    OutsideRating,
    PlayerRating,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
)

Value = str | int | float | bool | list["Value"] | dict[str, "Value"]
_ORIGINS = {kind: origin for origin, kind in FLOOR_ORIGINS.items()}
_DEFAULTS = PlayerRating._field_defaults


def write(report: Report) -> bytes:
    """The event file of a report, as UTF-8."""
    text = _text(report, ascii_only=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half a character, as only an escape can have brought it in
        return _text(report, ascii_only=True).encode("ascii")


def _text(report: Report, *, ascii_only: bool) -> str:
    def one_line(value: Value) -> str:
        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)

    sections = []
    for section in report.sections:
        players = ",\n".join(f"      {one_line(_player(player))}" for player in section.players)
        rows = f"[\n{players}\n    ]" if players else "[]"
        sections.append(f'    {one_line(_section(section))[:-1]},\n    "players": {rows}}}')
    listed = ",\n".join(sections)
    return (
        f'{{\n  "format": {one_line(FORMAT)},\n  "event": {one_line(_event(report))},\n'
        f'  "sections": {f"[{chr(10)}{listed}{chr(10)}  ]" if listed else "[]"}\n}}\n'
    )


def _event(report: Report) -> dict[str, Value]:
    return _known(
        id=report.event_id,
        name=report.name,
        start_date=report.start,
        end_date=report.end,
        details=dict(report.details),
    )


def _section(section: ReportedSection) -> dict[str, Value]:
    return _known(
        number=section.number,
        name=section.name,
        type=section.kind.value,
        online=section.is_online,
        time_control=_time_control(section.time_controls),
        systems=[system.name for system in section.systems],
        k_factor="half" if section.is_half_k else None,
        start_date=section.start,
        end_date=section.end,
        match_waiver=section.match_waiver,
        details=dict(section.details),
    )


def _time_control(controls: tuple[str, ...]) -> Value | None:
    """One control as a text, several as a list; a text that would be read as a schedule is a list too."""
    if len(controls) == 1 and split_schedule(controls[0]) == controls and len(controls[0]) <= LONGEST_TEXT:
        return controls[0]
    return list(controls)


def _player(player: ReportedPlayer) -> dict[str, Value]:
    background = player.background
    who = _known(
        number=player.number,
        member_id=player.member_id,
        name=player.name,
        state=player.state,
        birth_date=background.birth_date,
        birth_year=background.birth_year,
        adult=background.adult,
        canadian_resident=background.canadian_resident or None,
        rate=player.is_rated,
        member=player.is_member,
        fide_opt_in=player.has_opted_in,
        pairing_rating=player.pairing_rating,
        ratings=_ratings(background),
        start=_given_start(background),
    )
    if player.fide_flag is not None:  # an empty flag says something too
        who["fide_flag"] = player.fide_flag
    rounds: Value = [written_cell(cell) for cell in player.cells]
    after = _known(total=player.total, posted=_posted(player.posted), details=dict(player.details))
    return {**who, "rounds": rounds, **after}


def written_cell(cell: ReportedCell) -> str:
    """A cell as ``W4b``; what is no known result stays as it was written, and never becomes one."""
    if cell.result is not None:
        return f"{cell.result.value}{cell.opponent or ''}{cell.colour}"
    return cell.text if read_cell(cell.text).result is None else f"?{cell.text}"


def _ratings(background: Background) -> dict[str, Value]:
    ratings: dict[str, Value] = {
        system.name: _standing(background.standings[system])
        for system in RatingSystem
        if system in background.standings
    }
    for name, outside in (("FIDE", background.fide), ("CFC", background.cfc)):
        if outside is not None:
            ratings[name] = _outside(outside)
    return ratings


def _given_start(background: Background) -> dict[str, Value]:
    start = background.given_start
    if start is None:
        return {}
    others = {one.name: _known(rating=rating, games=games) for one, (rating, games) in start.others.items()}
    return _known(rating=start.rating, games=start.games, **others)


def _outside(outside: OutsideRating) -> dict[str, Value]:
    return _known(rating=outside.rating, as_of=outside.as_of)


def _standing(standing: PlayerRating) -> dict[str, Value]:
    said = {name: kept for name, kept in RECORD_FIELDS.items() if getattr(standing, name) != _DEFAULTS.get(name)}
    return _known(**{kept.in_files or name: _field(standing, name) for name, kept in said.items()})


def _field(rating: PlayerRating, name: str) -> object:
    kind = RECORD_FIELDS[name].kind
    if kind is FieldKind.FLOORS:
        return _floor(rating.floors)
    if kind is FieldKind.CHANGES:
        return [_known(date=change.on, change=change.change) for change in rating.match_changes]
    return getattr(rating, name)


def _floor(floors: tuple[Floor, ...]) -> Value | None:
    if len(floors) == 1 and floors[0].kind is FloorKind.OFFICE:
        return floors[0].level
    return [_known(level=floor.level, origin=_ORIGINS.get(floor.kind, "office")) for floor in floors]


def _posted(posted: Mapping[RatingSystem, Posted]) -> dict[str, Value]:
    return {
        system.name: _known(rating=posted[system].rating, games=posted[system].games)
        for system in RatingSystem
        if system in posted
    }


def _known(**values: object) -> dict[str, Value]:
    """The values that say something, in the order given: nothing that is missing or empty."""
    return {name: _plain(value) for name, value in values.items() if value is not None and value not in ("", [], {})}


def _plain(value: object) -> Value:
    """A value as JSON has it: days as YYYY-MM-DD, whole numbers without a point."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value == int(value):
        return int(value)
    assert isinstance(value, str | int | float | list | dict)
    return value

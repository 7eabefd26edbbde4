"""``read``: a report of whatever holds an event (a path, bytes, an open file, plain data); and what completes it.

What completes a report before it is checked: ratings from members files, a time control, dates, fewer rounds. Pairing
files hold the rating used for pairing, without games or birth dates. Rating records come from a members file; the
pairing rating is taken for a rating only when asked for, and then says so. Whatever replaces what the file says is
listed in ``assumed``.
"""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Protocol, cast

from crosstable.checks import CheckedSection
from crosstable.checks.findings import section_number, section_place
from crosstable.checks.players import agree, are_alike
from crosstable.engine.records import Assumption
from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.formats.detect import Input, inputs, read_data, read_input
from crosstable.terms import (
    NOT_GIVEN,
    PAIRING_GAMES,
    RATINGS,
    UNNAMED,
    Background,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedPlayer,
    ReportedSection,
)

_TAKES = "a path, bytes, an open file, an event as a mapping, or one section as a mapping with players"


class Readable(Protocol):
    """An open file."""

    def read(self) -> bytes | str:
        """What is left of it."""


Path = str | os.PathLike[str]
Source = Path | bytes | bytearray | memoryview | Readable | Mapping[str, Any] | Report

MOST_NAMED = 8
FEWEST_RATED = 2  # as many have a rating where their file gives the ratings of a system
Change = Callable[[ReportedPlayer], ReportedPlayer]


def read(source: Source | Sequence[Path], name: str = "") -> Report:
    """The report that a source holds; raises ``FormatError`` where nothing of it can be read.

    ``name`` is what messages call it. Several paths are the DBF files of one event.
    """
    if isinstance(source, Report):
        return source
    if isinstance(source, Mapping):
        return of_reading(_of_data(source, name or "data"))
    if isinstance(source, bytes | bytearray | memoryview):
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
        return None if written.rating is None else _rating_object(written.rating, written.games)
    number = of_python(rating)
    if isinstance(number, int | float) and not isinstance(number, bool):
        return _rating_object(number, None)
    return rating


def _rating_object(rating: float, games: float | None) -> dict[str, float]:
    return {"rating": rating} if games is None else {"rating": rating, "games": games}


def _plain(value: object) -> object:
    """Data as JSON would hold it: days as texts, sequences as lists, any mapping as a dict."""
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    value = of_python(value)
    if isinstance(value, str | bytes | int | float) or value is None:
        return value
    if isinstance(value, datetime):  # as frames hold days
        return value.date().isoformat()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return [_plain(inner) for inner in value] if isinstance(value, Iterable) else value


def of_python(value: Any) -> object:  # noqa: ANN401 - whatever stands in plain data
    """A number or a day of another library (an array's, a decimal) as Python has it; anything else as it is."""
    if value is None or isinstance(value, str | bytes | int | float | date):
        return value
    if hasattr(value, "dtype") and not getattr(value, "shape", ()):
        return (value.astype("datetime64[D]") if value.dtype.kind == "M" else value).item()
    return float(value) if hasattr(value, "__float__") and not hasattr(value, "__len__") else value


def with_members(report: Report, members: Mapping[str, Background], origin: str) -> Report:
    """A report whose players bring what a members file says of them; those it does not know stay as they are."""
    return _each_player(report, lambda player: _known(player, members, origin))


def with_outside(report: Report, found: Mapping[str, Background], ids: Callable[[ReportedPlayer], str]) -> Report:
    """A report whose players bring a list's FIDE or CFC rating where the file has none; ``ids`` are that list's."""

    def changed(player: ReportedPlayer) -> ReportedPlayer:
        own, other = player.background, found.get(ids(player))
        if other is None:
            return player
        own = own._replace(fide=own.fide or other.fide, cfc=own.cfc or other.cfc)
        return player._replace(background=own._replace(birth_year=own.birth_year or other.birth_year))

    return _each_player(report, changed)


def _each_player(report: Report, change: Change) -> Report:
    sections = tuple(
        section._replace(players=tuple(change(player) for player in section.players)) for section in report.sections
    )
    return report._replace(sections=sections)


def _known(player: ReportedPlayer, members: Mapping[str, Background], origin: str) -> ReportedPlayer:
    background = members.get(player.member_id) if player.member_id else None
    if background is None:
        return player
    own = player.background
    completed = background._replace(
        fide=background.fide or own.fide,
        cfc=background.cfc or own.cfc,
        birth_date=background.birth_date or own.birth_date,
        birth_year=background.birth_year or own.birth_year,
        adult=own.adult if background.adult is None else background.adult,
        origin=origin,
    )
    return player._replace(background=completed)


def after_round(report: Report, last: int) -> Report:
    """The report as it stood after a round: later cells are not there yet."""
    return _each_player(report, lambda player: player._replace(cells=player.cells[:last], total=None))


def chosen(report: Report, sections: Collection[int], exclude: Collection[int]) -> Report:
    """The report with the sections that are wanted, and what was found of them; an empty choice is all of them."""
    kept = tuple(
        section._replace(number=number)
        for at, section in enumerate(report.sections)
        if (number := section_number(section, at)) not in exclude and (not sections or number in sections)
    )
    gone = {section.place for section in report.sections} - {section.place for section in kept}
    faults = tuple(found for found in report.faults if section_of(report, found) not in gone)
    return report._replace(sections=kept, faults=faults)


def section_of(report: Report, found: Fault) -> str | None:
    """The place of the section that a fault of reading belongs to, nothing where it concerns the whole file."""
    for section in report.sections:
        rest = found.place.removeprefix(section.place)
        if section.place and rest != found.place and not rest[:1].isdigit():
            return section.place
    return None


def completed(report: Report, control: str, start: date | None, end: date | None, *, override: bool) -> Report:
    """The report with a time control and dates where it has none, or in place of its own with ``override``."""
    sections = tuple(_completed(report, section, control, start, end, override) for section in report.sections)
    return report._replace(sections=sections)


def _completed(
    report: Report, section: ReportedSection, control: str, start: date | None, end: date | None, override: bool
) -> ReportedSection:
    notes, own_end = [], section.end or report.end
    if control and (override or not section.time_controls):
        notes.append(Assumption.CONTROL_GIVEN)
        section = section._replace(time_controls=(control,), systems=() if override else section.systems)
        if section.details.get(RATINGS) == UNNAMED:
            from crosstable.formats.wallchart import with_named_system

            section = with_named_system(section)
    if start is not None and (override or (section.start or report.start) is None):
        notes.append(Assumption.START_GIVEN)
        section = section._replace(start=start)
    if end is not None and (override or own_end is None):
        notes.append(Assumption.END_GIVEN)
        section = section._replace(end=end)
    elif start is not None and own_end is None and section.start == start:
        notes.append(Assumption.END_IS_START)
        section = section._replace(end=start)
    if not notes:
        return section
    players = tuple(
        player._replace(background=player.background._replace(assumed=(*player.background.assumed, *notes)))
        for player in section.players
    )
    return section._replace(players=players)


def is_settled(found: Fault, start: date | None, end: date | None) -> bool:
    """Whether a date that was given takes the place of one that cannot be read."""
    return (found.code == "start-not-read" and start is not None) or (found.code == "end-not-read" and end is not None)


def unknown_sections(report: Report, numbers: Collection[int]) -> list[Fault]:
    """A finding for every number of a section that the report does not have."""
    there = {section_number(section, at): section.name for at, section in enumerate(report.sections)}
    listed = ", ".join(f"{number} ({name})" if name else str(number) for number, name in there.items()) or "none"
    missing = sorted(set(numbers) - there.keys())
    return [fault("no-such-section", report.place, number=number, there=listed) for number in missing]


def unused(report: Report, at: int, control: str, start: date | None, end: date | None) -> list[Fault]:
    """What was given for a section that has its own, which stands."""
    section = report.sections[at]
    own_days = {"start date": (start, section.start or report.start), "end date": (end, section.end or report.end)}
    found = {
        what: (given.isoformat(), own.isoformat())
        for what, (given, own) in own_days.items()
        if given is not None and own is not None and given != own
    }
    if control and section.time_controls and section.time_controls != (control,):
        found["time control"] = control, ", ".join(section.time_controls)
    place = f"section {section_number(section, at)}"
    return [fault("not-used", place, what=what, given=given, own=own) for what, (given, own) in found.items()]


def members_faults(
    report: Report, at: int, names: Mapping[str, str], known: Collection[str], *, are_entries: bool = False
) -> list[Fault]:
    """Players of a section whom the members files do not have, or have under quite another name.

    Of an entry list everybody is told whom the files do not have, and every name that is not the member's.
    """
    section = report.sections[at]
    place = section_place(section, at)
    alike = agree if are_entries else are_alike
    found = []
    for row, player in enumerate(section.players):
        where, member_id = place.row(player, row), player.member_id
        if not member_id or (section.kind.is_foreign and not player.is_rated):
            continue
        if member_id not in known and (are_entries or not _brings_rating(player)):
            kind = "entry" if are_entries else "unrated"
            found.append(fault(f"not-in-members-file:{kind}", where, member_id=member_id))
        elif not alike(player.name, names.get(member_id, "")):
            named = {"reported": player.name, "known": names[member_id], "member_id": member_id}
            found.append(fault("other-name:file", where, **named))
    return found


def all_unrated(report: Report, at: int) -> list[Fault]:
    """A finding where nobody in a section has a rating: more often a file without ratings than a section without."""
    section = report.sections[at]
    several = len(section.players) > 1 and not section.kind.is_foreign
    if not several or any(_brings_rating(player) for player in section.players):
        return []
    return [fault("all-unrated", section_place(section, at).whole, count=len(section.players))]


def unrated_in_a_system(section: ReportedSection, checked: CheckedSection | None, place: str) -> list[Fault]:
    """A finding for a system in which nobody has a rating, where several have one in another: it was not given.

    The other is one of the section's, or any if it is Regular: few people have a Quick rating and no Regular one.
    """
    if checked is None or section.kind.is_foreign:
        return []
    known = [set(player.background.standings) for player in section.players]
    systems = checked.section.systems
    others = RatingSystem if RatingSystem.OTBR in systems else systems
    if max((sum(system in ratings for ratings in known) for system in others), default=0) < FEWEST_RATED:
        return []
    counts = {system: sum(system in ratings for ratings in known) for system in systems}
    message = "None of the {} players has a {} rating; all are rated as unrated in it."
    return [
        fault("all-unrated", place, message.format(len(known), system.title.capitalize()))
        for system, count in counts.items()
        if not count
    ]


def ratings_not_given(report: Report, at: int, *, takes_fide: bool) -> list[Fault]:
    """An error where a file has no ratings, or FIDE ratings alone, and nothing else says what the players have.

    Readers of tables note in the section's details what its rating columns hold.
    """
    section = report.sections[at]
    players, is_noted = section.players, section.details.get(RATINGS) == NOT_GIVEN
    if not is_noted or section.kind.is_foreign or any(one.background.origin or _rated(one) for one in players):
        return []
    code = "fide-ratings-only" if any(player.background.fide for player in players) else "no-ratings"
    place = section_place(section, at).whole
    return [] if takes_fide and code == "fide-ratings-only" else [fault(code, place, count=len(players))]


def has_game(section: ReportedSection) -> bool:
    """Whether any game of a section has a result."""
    return any(cell.result is None or cell.result.is_game for player in section.players for cell in player.cells)


def _rated(player: ReportedPlayer) -> bool:
    own = player.background
    return bool(own.standings or own.given_start or own.cfc or player.pairing_rating)


def _brings_rating(player: ReportedPlayer) -> bool:
    return _rated(player) or player.background.fide is not None


def _lacks_rating(section: ReportedSection, player: ReportedPlayer, background: Background) -> bool:
    """Whether only a pairing rating is known of a player, who was rated, and nothing says how."""
    if player.number is None or not player.pairing_rating:
        return False
    return not background.standings and background.given_start is None and not section.kind.is_foreign


def missing_ratings(section: ReportedSection, checked: CheckedSection | None, place: str) -> list[Fault]:
    """A fault where players of a section, which may not be sound otherwise, carry nothing but pairing ratings."""
    if section.details.get(RATINGS) == UNNAMED and not section.time_controls:
        return []  # a time control tells of which system they are
    known = {} if checked is None else checked.section.backgrounds
    who = [
        player
        for player in section.players
        if _lacks_rating(section, player, known.get(player.number or 0, player.background))
    ]
    if not who:
        return []
    some = ", ".join(str(player.number) for player in who[:MOST_NAMED]) + (" …" if len(who) > MOST_NAMED else "")
    noun = "player" if len(who) == 1 else "players"
    message = f"Nothing but a pairing rating is known of {noun} {some}."
    return [fault("rating-not-known", place, message)]


def with_pairing_ratings(checked: CheckedSection) -> CheckedSection:
    """A section with pairing ratings taken for ratings, in each of its systems, where nothing else is known."""
    backgrounds = checked.section.backgrounds
    for player in checked.report.players:
        background = backgrounds.get(player.number or 0, player.background)
        if player.number is not None and _lacks_rating(checked.report, player, background):
            games = player.details.get(PAIRING_GAMES, "")
            rating = PlayerRating(player.pairing_rating or 0.0, float(games) if games.isdecimal() else None)
            backgrounds[player.number] = background._replace(
                standings=dict.fromkeys(checked.section.systems, rating),
                origin="pairing rating",
                assumed=(*background.assumed, Assumption.PAIRING_RATING),
            )
    return checked._replace(section=checked.section.with_backgrounds(backgrounds))

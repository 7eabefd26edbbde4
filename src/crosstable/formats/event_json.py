"""Our own event file, ``crosstable-event/1``: JSON, read and written (its schema is ``event.schema.json``)."""

from typing import Any

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.formats.json_fields import LONGEST_TEXT, Fields, in_short, load_json, read_field
from crosstable.limits import FIRST_BIRTH_YEAR, HIGHEST_RATING, LAST_BIRTH_YEAR
from crosstable.rules.editions import LOWEST_FLOOR, MOST_CREDITED_GAMES
from crosstable.rules.time_controls import split_schedule
from crosstable.terms import (
    RECORD_FIELDS,
    Background,
    FieldKind,
    Floor,
    FloorKind,
    GivenStart,
    Kept,
    MatchChange,
    OutsideRating,
    PlayerRating,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)

FORMAT = "crosstable-event/1"
LONGEST_NUMBER = 6
MOST_SECTIONS = 9999
MOST_PLAYERS = 100_000
LONGEST_NAME = 60
LONGEST_CELL = 20
LONGEST_SCHEDULE = 10_000
SYSTEM_NAMES = tuple(system.name for system in RatingSystem)
FLOOR_ORIGINS = {"money": FloorKind.MONEY, "life_master": FloorKind.LIFE_MASTER, "office": FloorKind.OFFICE}
_LETTERS = {result.value: result for result in Result}
# What decides how a section is rated; a misspelt one of them must not be passed over.
_OF_EVENTS = ("start_date", "end_date")
_OF_SECTIONS = (
    *("type", "online", "time_control", "systems", "start_date", "end_date", "k_factor", "match_waiver", "players"),
)
_OF_PLAYERS = (
    *("ratings", "rounds", "birth_date", "birth_year", "adult", "canadian_resident", "start", "pairing_rating"),
)
# The fields of a rating record beside the rating, by their names in files.
_TOLD = {kept.in_files or name: (name, kept) for name, kept in RECORD_FIELDS.items() if name != "rating"}


def read(data: bytes, name: str) -> Reading:
    """Read an event file; raises ``FormatError`` where it is no JSON."""
    value, faults = load_json(data, name)
    return read_value(value, name, faults)


def read_value(value: object, name: str, faults: list[Fault]) -> Reading:
    """Read what a JSON document of an event holds; ``faults`` are those of its text."""
    fields = Fields(value, "", faults)
    return Reading(_report(fields, name), tuple(faults))


def _report(fields: Fields, name: str) -> Report:
    format_name = fields.text("format", needed=True)
    if format_name and format_name != FORMAT:
        fields.report("bad-value", "format", f"format is {format_name!r}; this program reads {FORMAT}.")
    event = fields.inner("event")
    if "event" not in fields:
        fields.report("missing-field", "event", "event is needed.")
    _refuse_crowds(fields, name)
    report = Report(
        event_id=event.text("id"),
        name=event.text("name"),
        start=event.day("start_date"),
        end=event.day("end_date"),
        sections=tuple(_section(section) for section in fields.each("sections", needed=True)),
        place=name,
        details=_details(event),
    )
    event.refuse_misspelt(_OF_EVENTS)
    event.warn_of_unknown()
    fields.warn_of_unknown()
    return report


def _refuse_crowds(fields: Fields, name: str) -> None:
    """Past what any event holds nothing is read: finding every fault there would take minutes."""
    sections = fields.raw("sections")
    if not isinstance(sections, list):
        return
    rows = (one.get("players") for one in sections if isinstance(one, dict))
    players = sum(len(some) for some in rows if isinstance(some, list))
    for count, most, word in ((len(sections), MOST_SECTIONS, "sections"), (players, MOST_PLAYERS, "players")):
        if count > most:
            message = f"There are {count:,} {word}; at most {most:,} are read."
            raise FormatError(fault("not-readable", name, message, "Make a file of each event."))


def _section(fields: Fields) -> ReportedSection:
    section = ReportedSection(
        number=fields.whole("number", least=1, most=MOST_SECTIONS),
        name=fields.text("name"),
        kind=SectionType(fields.choice("type", [kind.value for kind in SectionType], "swiss")),
        is_online=bool(fields.flag("online")),
        time_controls=_time_controls(fields),
        systems=_systems(fields),
        start=fields.day("start_date"),
        end=fields.day("end_date"),
        players=tuple(_player(player) for player in fields.each("players", needed=True)),
        place=fields.place,
        is_half_k=fields.choice("k_factor", ("full", "half"), "full") == "half",
        match_waiver=fields.text("match_waiver"),
        details=_details(fields),
    )
    fields.refuse_misspelt(_OF_SECTIONS)
    fields.warn_of_unknown()
    return section


def _details(fields: Fields) -> dict[str, str]:
    """What rating does not need but a file carried: an object of texts."""
    if "details" not in fields:
        return {}
    inner = fields.inner("details")
    details = {}
    for name in inner.names():
        if len(name) > LONGEST_NAME or not name.isprintable():
            fields.report("bad-value", "details", "A name is too long or holds characters that cannot be printed.")
        elif text := inner.text(name):
            details[name] = text
    return details


def _time_controls(fields: Fields) -> tuple[str, ...]:
    if isinstance(fields.raw("time_control"), list):
        found = []
        for at, item in enumerate(fields.items("time_control")):
            if not isinstance(item, str):
                fields.report("wrong-type", f"time_control[{at}]", "A time control must be a text.")
            elif len(item) > LONGEST_TEXT or not item.isprintable():
                fields.report("bad-value", f"time_control[{at}]", "The time control is too long or cannot be printed.")
            elif item.strip():
                found.append(item.strip())
        return tuple(found)
    text = fields.raw("time_control")
    if isinstance(text, str) and LONGEST_TEXT < len(text) <= LONGEST_SCHEDULE and text.isprintable():
        return split_schedule(text)  # round by round, as old crosstables write it
    single = fields.text("time_control")
    return split_schedule(single) if single else ()


def _systems(fields: Fields) -> tuple[RatingSystem, ...]:
    systems = []
    for at, item in enumerate(fields.items("systems")):
        if isinstance(item, str) and item in SYSTEM_NAMES:
            systems.append(RatingSystem[item])
        else:
            message = f"{in_short(item)} is no rating system; the systems are {', '.join(SYSTEM_NAMES)}."
            fields.report("bad-value", f"systems[{at}]", message)
    return tuple(dict.fromkeys(systems))


def _player(fields: Fields) -> ReportedPlayer:
    player = ReportedPlayer(
        number=fields.whole("number", least=1, most=99999),
        member_id=fields.text("member_id"),
        name=fields.text("name"),
        cells=tuple(_cell(item) for item in fields.items("rounds", needed=True)),
        background=background_from(fields),
        place=fields.place,
        state=fields.text("state"),
        pairing_rating=fields.number("pairing_rating", most=HIGHEST_RATING),
        posted=_posted(fields.inner("posted")) if "posted" in fields else {},
        is_rated=fields.flag("rate"),
        fide_flag=fields.text("fide_flag") if "fide_flag" in fields else None,
        is_member=fields.flag("member"),
        has_opted_in=fields.flag("fide_opt_in"),
        total=fields.number("total"),
        details=_details(fields),
    )
    refuse_unread(fields)
    fields.warn_of_unknown(also=("fide_flag", "posted", "start"))
    return player


def refuse_unread(fields: Fields) -> None:
    """An error for what a player of an event, or a member, brings under a name that is not known here."""
    fields.refuse_misspelt(_OF_PLAYERS)
    if not fields.raw("ratings"):
        fields.refuse_ratings()


def _cell(item: object) -> ReportedCell:
    if item is None:
        return ReportedCell("", Result.BLANK, 0, "")
    if not isinstance(item, str):
        return ReportedCell(in_short(item)[:LONGEST_CELL], None, 0, "")
    return read_cell(item)


def read_cell(written: str) -> ReportedCell:
    """A cell as people write it: a letter, the opponent's number, the colour (``W4``, ``D12b``, ``H``), tidied."""
    text = written.strip()
    letter, rest = text[:1].upper(), text[1:]
    result = _LETTERS.get(letter)
    colour = rest[-1:].lower()
    if colour in ("w", "b"):
        rest = rest[:-1]
    else:
        colour = ""
    digits = rest.strip() or "0"
    if result is None or not (digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER):
        return ReportedCell(text[:LONGEST_CELL].rstrip(), None, 0, "")
    number = int(digits)
    return ReportedCell(f"{letter}{number or ''}{colour}", result, number, colour)


def background_from(fields: Fields) -> Background:
    """What a player of an event file brings."""
    ratings = fields.inner("ratings")
    standings = {RatingSystem[name]: _standing(ratings.inner(name)) for name in SYSTEM_NAMES if name in ratings}
    background = Background(
        standings={system: standing for system, standing in standings.items() if standing is not None},
        fide=_outside(ratings, "FIDE"),
        cfc=_outside(ratings, "CFC"),
        birth_date=fields.day("birth_date"),
        birth_year=fields.whole("birth_year", least=FIRST_BIRTH_YEAR, most=LAST_BIRTH_YEAR),
        adult=fields.flag("adult"),
        canadian_resident=bool(fields.flag("canadian_resident")),
        given_start=_given_start(fields) if "start" in fields else None,
    )
    # a rating that is not understood is no rating of an unrated player
    ratings.warn_of_unknown(also=SYSTEM_NAMES, code="bad-value", known="the rating systems")
    return background


def _given_start(fields: Fields) -> GivenStart | None:
    inner = fields.inner("start")
    start = _start(inner)
    systems = {name: inner.inner(name) for name in SYSTEM_NAMES if name in inner}
    others = {RatingSystem[name]: _start(one) for name, one in systems.items()}
    for one in systems.values():
        one.warn_of_unknown()
    inner.warn_of_unknown(also=SYSTEM_NAMES)
    sound = {system: other for system, other in others.items() if other is not None}
    return None if start is None or len(sound) < len(others) else GivenStart(*start, sound)


def _start(inner: Fields) -> tuple[float, float] | None:
    rating, games = inner.number("rating", most=HIGHEST_RATING), inner.number("games", most=MOST_CREDITED_GAMES)
    for name in ("rating", "games"):
        if name not in inner:
            inner.report("missing-field", name, f"{name} is needed.")
    return None if rating is None or games is None else (rating, games)


def _outside(ratings: Fields, name: str) -> OutsideRating | None:
    if name not in ratings:
        ratings.raw(name)
        return None
    fields = ratings.inner(name)
    rating = fields.number("rating", most=HIGHEST_RATING)
    if "rating" not in fields:
        fields.report("missing-field", "rating", "rating is needed.")
    outside = OutsideRating(rating or 0.0, fields.day("as_of"))
    fields.refuse_misspelt(("as_of",))
    fields.warn_of_unknown()
    return None if rating is None else outside


def _standing(fields: Fields) -> PlayerRating | None:
    rating = fields.number("rating", most=HIGHEST_RATING)
    if "rating" not in fields:
        fields.report("missing-field", "rating", "rating is needed.")
    read: dict[str, Any] = {"rating": rating or 0.0}
    for told in fields.names():
        if told in _TOLD:
            name, kept = _TOLD[told]
            if (value := _field(fields, told, kept)) is not None:
                read[name] = value
    standing = PlayerRating(**read)
    fields.refuse_misspelt(_TOLD)
    fields.warn_of_unknown(also=_TOLD)
    return None if rating is None else standing


def _field(fields: Fields, name: str, kept: Kept) -> object:
    if kept.kind is FieldKind.FLOORS:
        return _floors(fields, name)
    return _match_changes(fields, name) if kept.kind is FieldKind.CHANGES else read_field(fields, name, kept)


def _match_changes(fields: Fields, name: str) -> tuple[MatchChange, ...]:
    changes = []
    for item in fields.each(name):
        day = item.day("date")
        change = item.number("change", least=-HIGHEST_RATING, most=HIGHEST_RATING)
        for name in ("date", "change"):
            if name not in item:
                item.report("missing-field", name, f"{name} is needed.")
        if day is not None and change is not None:
            changes.append(MatchChange(day, change))
        item.warn_of_unknown()
    return tuple(changes)


def _floors(fields: Fields, name: str) -> tuple[Floor, ...]:
    """A number, an object with level and origin, or a list of such objects."""
    value = fields.raw(name)
    if value is None:
        return ()
    if isinstance(value, int | float) and not isinstance(value, bool):
        level = fields.number(name, least=LOWEST_FLOOR, most=HIGHEST_RATING)
        return () if level is None else (Floor(FloorKind.OFFICE, level),)
    objects = list(fields.each(name)) if isinstance(value, list) else [fields.inner(name)]
    floors = []
    for item in objects:
        level = item.number("level", least=LOWEST_FLOOR, most=HIGHEST_RATING)
        if "level" not in item:
            item.report("missing-field", "level", "level is needed.")
        origin = item.choice("origin", tuple(FLOOR_ORIGINS), "office")
        if level is not None:
            floors.append(Floor(FLOOR_ORIGINS[origin], level))
        item.warn_of_unknown()
    return tuple(floors)


def _posted(fields: Fields) -> dict[RatingSystem, Posted]:
    posted = {}
    for name in SYSTEM_NAMES:
        if name in fields:
            inner = fields.inner(name)
            rating = inner.number("rating", most=HIGHEST_RATING)
            if rating is not None:
                posted[RatingSystem[name]] = Posted(rating, inner.number("games"))
            inner.warn_of_unknown(also=("norm",))
    fields.warn_of_unknown(also=SYSTEM_NAMES)
    return posted

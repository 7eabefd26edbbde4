"""The columns of sheets: which titles are known, what they hold, and what is not understood.

``COLUMNS`` and ``IGNORED`` list them for the reference page. A column of ratings whose title is not known is an error,
never a section of unrated players.

The columns that say what a player brings: ratings of all systems with their history, outside ratings, age. A column
names a system and a quantity: ``OTBR rating``, ``Regular games``, ``Quick as of``, ``FIDE rating``. The rating itself
may be named by its system alone (``Regular``). Floors are levels with their origin (``1400 money``), match changes are
days with a change (``2026-05-01 +12.5``), several of either parted by a slash.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.formats.dates import iso_day
from crosstable.formats.event_json import FLOOR_ORIGINS
from crosstable.formats.json_fields import in_short, read_field
from crosstable.formats.sheet_rows import LONGEST_TITLE, Cells, Row, as_text, columns_of, tidy_title
from crosstable.limits import FIRST_BIRTH_YEAR, HIGHEST_RATING, LAST_BIRTH_YEAR, MOST_ROUNDS
from crosstable.rules.editions import LOWEST_FLOOR, MOST_CREDITED_GAMES
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
    RatingSystem,
)

SECTION = "section"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "number": (
        *("no", "number", "num", "nr", "pair", "pair no", "pair num", "pair number", "pairing", "pairing no"),
        *("pairing number", "sno", "snr", "start no", "starting no", "starting number", "seed"),
    ),
    "name": ("name", "player", "player name", "players", "player s name", "full name", "names"),
    "last name": ("last name", "last", "surname", "family name"),
    "first name": ("first name", "first", "given name"),
    "member id": (
        *("id", "uscf id", "us chess id", "uschess id", "uscfid", "member id", "member no", "member number", "mem id"),
        *("memid", "uscf", "uscf no", "uscf number", "us chess no", "us chess number", "id no", "id number"),
        *("uscf member id", "us chess member id", "player id"),
    ),
    "state": ("state", "st"),
    "rating": (
        *("rating", "rtg", "rtng", "rat", "ratng", "pairing rating", "pairing rtg", "current rating", "current rtg"),
        *("uscf rating", "uscf rtg", "uscf rtng", "us chess rating", "us chess rtg", "uschess rating", "us rating"),
        *("us rtg", "rtgn", "nrtg", "rtg n", "nat rating", "rating nat", "rtg nat", "official rating", "live rating"),
    ),
    "pre": (
        *("pre", "pre rating", "pre rtg", "pre rtng", "pre event rating", "pre event rtg", "pre event"),
        *("rating before", "old rating", "old rtg"),
    ),
    "FIDE rating": ("elo", "rtgi", "rtg i", "irtg", "int rating", "rating int", "rtg int", "fide elo", "elo fide"),
    "games": ("games", "pre games", "pre event games", "games before"),
    "total": ("total", "tot", "score", "points", "pts", "pt", "total pts", "total points", "total score"),
    "rate": ("rate",),
    "fide flag": ("fide flag",),
    "member": ("member",),
    "fide opt in": ("fide opt in",),
    "title": ("ti", "chess title"),
    "federation": ("fed", "fide fed"),
    "fide id": ("fideid", "fide no", "fide number", "fide id no"),
    SECTION: ("section", "sec", "section name", "division"),
    "rank": ("rk", "place", "pl", "plc", "final rank", "standing"),
}
PLAYER_DETAILS = ("title", "sex", "federation", "fide id", "rank", "national rating", "team", "norm")
# Known, and not needed to rate: nothing is said about them.
IGNORED = (
    *("clubno", "atitle"),
    *("club", "school", "city", "grade", "age", "group", "gr", "typ", "type", "bd", "board", "prize", "prizes", "fee"),
    *("email", "e mail", "phone", "paid", "notes", "note", "remarks", "comment", "byes", "perf", "performance", "tpr"),
    *("rp", "k", "w", "we", "w we", "post", "post rating", "post rtg", "new rating", "new rtg", "rating after", "diff"),
    *("change", "rating change", "mod med", "modified median", "solkoff", "cumulative", "cumul", "med", "median", "sb"),
    *(
        "sonneborn berger",
        "buchholz",
        "bh",
        "tie break",
        "tiebreak",
        "tie breaks",
        "tiebreaks",
        "opp avg",
        "short name",
    ),
)
# What chess-results and Swiss-Manager write around their tables.
OTHER_LINES = re.compile(
    r"last update.*|.*crosstable.*|(?:starting|final) rank.*|you find all details.*|chess (?:tournament )?results.*"
    r"|program swiss manager.*|.*swiss manager.*|created by.*|copyright.*|rank after.*|standings.*"
)
CHESS_TITLES = frozenset(
    ["gm", "im", "fm", "cm", "wgm", "wim", "wfm", "wcm", "nm", "lm", "sm", "wnm", "agm", "aim", "afm", "acm"]
)
_TITLES = {title: column for column, titles in COLUMNS.items() for title in titles}
_NAMING = ("name", "last name", "member id")
_ROUND = re.compile(r"(?:rd|rnd|round|r)?\s*0{0,2}(\d{1,3})(?:\s*(?:rd|rnd|round|r|st|nd|rd|th))?", re.ASCII)
_TIE_BREAK = re.compile(r"(?:tb|tie break|tiebreak)\s*\d{1,2}(?: .{0,40})?|.*rtg \+/-.*", re.ASCII)
FEWEST = 3  # players of a round robin
ID_OR_RATING = ("uscf", "us chess")

SYSTEM_WORDS: Mapping[str, str] = {
    "otbr": "OTBR",
    "regular": "OTBR",
    "reg": "OTBR",
    "otbq": "OTBQ",
    "quick": "OTBQ",
    "otbb": "OTBB",
    "blitz": "OTBB",
    "olr": "OLR",
    "online regular": "OLR",
    "olq": "OLQ",
    "online quick": "OLQ",
    "olb": "OLB",
    "online blitz": "OLB",
    "fide": "FIDE",
    "cfc": "CFC",
}
OUTSIDE = ("FIDE", "CFC")
OUTSIDE_QUANTITIES = ("rating", "as of")
QUANTITIES = {(kept.in_files or name).replace("_", " "): name for name, kept in RECORD_FIELDS.items()}
PERSON = ("birth date", "birth year", "adult", "canadian resident", "start rating", "start games")
_OTHER_WORDS = {"rtg": "rating", "": "rating", "date": "as of", "asof": "as of", "n": "games", "list": "published"}
PERSON_WORDS = {
    **dict.fromkeys(("birthdate", "dob", "date of birth", "born", "birth", "birthday"), "birth date"),
    **dict.fromkeys(("birthyear", "year of birth"), "birth year"),
}
_LEVEL = re.compile(r"(\d{3,4}(?:\.\d{1,17})?)(?:\s+(\w+(?: \w+)?))?", re.ASCII)
_CHANGE = re.compile(r"(\d{4}-\d{2}-\d{2})\s+([+-]?\d{1,4}(?:\.\d{1,17})?(?:e-?\d{1,3})?)", re.ASCII)
_ORIGINS = {kind: origin for origin, kind in FLOOR_ORIGINS.items()}
_DEFAULTS = PlayerRating._field_defaults


def column_name(title: str) -> str:
    """The name under which a column is known here: ``name``, ``round 3``, ``OTBR rating`` …, or nothing."""
    tidy = tidy_title(title)
    if is_ignored(title):
        return ""
    if found := _ROUND.fullmatch(tidy):
        return f"round {int(found[1])}" if 1 <= int(found[1]) <= MOST_ROUNDS else ""
    return tidy if tidy in PLAYER_DETAILS else _TITLES.get(tidy) or column_of(title)


def is_ignored(title: str) -> bool:
    """Whether a column is known and not needed to rate."""
    tidy = tidy_title(title)
    return tidy in IGNORED or "+/-" in title or _TIE_BREAK.fullmatch(tidy) is not None


def title_score(cells: Sequence[str]) -> int:
    """How many columns of a wallchart a row names; 0 where it is no row of titles."""
    if not any(_TITLES.get(tidy_title(cell)) in _NAMING for cell in cells if len(cell) <= LONGEST_TITLE):
        return 0
    found = {column_name(cell) for cell in cells} - {""}
    return len(found) if len(found) > 1 else 0


def opens_table(cells: Sequence[str]) -> bool:
    """Whether a row within a table is the titles of the next one, and not a player called Name or Player."""
    if not title_score(cells):
        return False
    filled = [cell for cell in cells if cell.strip() and not is_ignored(cell)]
    titles = {column_name(cell) for cell in filled if not cell.strip().isdigit()} - {""}
    return len(titles) > 1 and 2 * len(titles) >= len(filled)


def rounds_of(columns: Mapping[str, int]) -> int:
    """The last round that has a column."""
    return max((int(name.removeprefix("round ")) for name in columns if name.startswith("round ")), default=0)


def brings_ratings(columns: Mapping[str, int]) -> bool:
    """Whether a column holds ratings from before the event without naming their system."""
    return "pre" in columns or ("rating" in columns and "games" in columns)


def has_ratings(columns: Mapping[str, int]) -> bool:
    """Whether a column holds US Chess ratings of any kind."""
    own = {"rating", "pre", "start rating", *(f"{system.name} rating" for system in RatingSystem)}
    return not own.isdisjoint(columns)


def titles_of(row: Row, faults: list[Fault]) -> dict[str, int]:
    """Where each known column stands; a round that has none is a fault, as are unknown and double titles."""
    cells = list(row.cells)
    names = [at for at, cell in enumerate(cells) if column_name(cell) == "name"]
    for at, cell in enumerate(cells):
        if is_ignored(cell) or at in names[1:]:  # the second column Name of Swiss-Manager is the name in short
            cells[at] = ""
        elif tidy_title(cell) in ID_OR_RATING and sum(column_name(other) == "member id" for other in cells) > 1:
            cells[at] = "USCF rating"
    columns = columns_of(row._replace(cells=tuple(cells)), column_name, faults)
    missing = [number for number in range(1, rounds_of(columns) + 1) if f"round {number}" not in columns]
    if missing:
        faults.append(fault("missing-field", row.place, f"There is no column for round {missing[0]}."))
    return columns


def with_numbered_grids(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows; where a table has a column for each of its players, titled by names or A, B, C, their numbers instead.

    The numbers are those of the rows; a table that has numbers of its own in another order keeps its titles.
    """
    heads = [at for at, row in enumerate(rows) if title_score(row.cells)]
    made = list(rows)
    for at, end in zip(heads, [*heads[1:], len(rows)], strict=False):
        titles = rows[at].cells
        name = next((place for place, title in enumerate(titles) if column_name(title) in ("name", "last name")), None)
        open_ = [place for place, title in enumerate(titles) if title.strip() and not column_name(title)]
        open_ = [place for place in open_ if not is_ignored(titles[place])]
        if name is None or len(open_) < FEWEST or open_[-1] - open_[0] + 1 != len(open_):
            continue
        names = [row.cells[name] for row in rows[at + 1 : end] if len(row.cells) > max(open_[-1], name)]
        wanted = [tidy_title(titles[place]) for place in open_]
        known = [{tidy_title(one), *tidy_title(one).split()} for one in names[: len(wanted)]]
        letters = [chr(ord("a") + number) for number in range(len(wanted))]
        if len(known) == len(wanted) and (
            wanted == letters or all(title in forms for title, forms in zip(wanted, known, strict=True))
        ):
            numbered = dict(zip(open_, range(1, len(open_) + 1), strict=True))
            cells = tuple(str(numbered.get(place, title)) for place, title in enumerate(titles))
            made[at] = rows[at]._replace(cells=cells)
    return made


def column_of(title: str) -> str:
    """The name under which a column is known here (``OTBR rating``, ``birth date``), or nothing."""
    tidy = tidy_title(title)
    if tidy in PERSON or tidy in PERSON_WORDS:
        return PERSON_WORDS.get(tidy, tidy)
    for words, system in SYSTEM_WORDS.items():
        if tidy == words or tidy.startswith(f"{words} "):
            rest = tidy.removeprefix(words).strip()
            quantity = _OTHER_WORDS.get(rest, rest)
            known = OUTSIDE_QUANTITIES if system in OUTSIDE else (*QUANTITIES, "posted", "posted games")
            return f"{system} {quantity}" if quantity in known else ""
    return ""


def background_of(cells: Cells) -> Background:
    """What the columns of a row say of a player."""
    named = cells.systems
    standings = {system: _standing(cells, system.name) for system in RatingSystem if system.name in named}
    return Background(
        standings={system: standing for system, standing in standings.items() if standing is not None},
        fide=_outside(cells, "FIDE"),
        cfc=_outside(cells, "CFC"),
        birth_date=None if _year_column(cells) else cells.day("birth date"),
        birth_year=cells.whole(_year_column(cells) or "birth year", least=FIRST_BIRTH_YEAR, most=LAST_BIRTH_YEAR),
        adult=cells.flag("adult"),
        canadian_resident=bool(cells.flag("canadian resident")),
        given_start=_given_start(cells),
    )


def _year_column(cells: Cells) -> str:
    """The column of birth dates where it holds a mere year, as lists of pairing programs have it."""
    text = cells.text("birth date")
    return "birth date" if len(text) == 4 and text.isascii() and text.isdigit() else ""


def _given_start(cells: Cells) -> GivenStart | None:
    """An unrated player's start set by hand; both its columns are needed."""
    rating, games = (
        cells.number("start rating", most=HIGHEST_RATING),
        cells.number("start games", most=MOST_CREDITED_GAMES),
    )
    for column, other in (("start rating", "start games"), ("start games", "start rating")):
        if column in cells and other not in cells:
            cells.report(column, "missing-field", f"A start needs a {other} too.")
    return None if rating is None or games is None else GivenStart(rating, games)


def _standing(cells: Cells, name: str) -> PlayerRating | None:
    rating, behind = cells.rating(f"{name} rating")
    if not rating:  # rating lists write 0 for unrated
        for quantity in QUANTITIES:
            if quantity != "rating" and f"{name} {quantity}" in cells and f"{name} rating" not in cells:
                cells.report(f"{name} {quantity}", "missing-field", f"The {name} rating itself is missing.")
        return None
    read: dict[str, Any] = {"rating": rating}
    for quantity, field in QUANTITIES.items():
        if field != "rating" and (value := _field(cells, f"{name} {quantity}", RECORD_FIELDS[field])) is not None:
            read[field] = value
    if behind is not None:
        games = read.setdefault("games", behind)
        if games != behind:
            cells.report(f"{name} games", "bad-value", f"The rating says {behind:g} games, the column {games:g}.")
    return PlayerRating(**read)


def _field(cells: Cells, column: str, kept: Kept) -> object:
    if kept.kind is FieldKind.FLOORS:
        return tuple(_floors(cells, column))
    return tuple(_match_changes(cells, column)) if kept.kind is FieldKind.CHANGES else read_field(cells, column, kept)


def _outside(cells: Cells, name: str) -> OutsideRating | None:
    rating = cells.rating(f"{name} rating").rating
    as_of = cells.day(f"{name} as of")
    return OutsideRating(rating, as_of) if rating else None


def _floors(cells: Cells, column: str) -> list[Floor]:
    floors = []
    for part in filter(None, map(str.strip, cells.text(column).split("/"))):
        found = _LEVEL.fullmatch(part)
        origin = (found[2] or "office").lower().replace(" ", "_") if found else ""
        if found is None or origin not in FLOOR_ORIGINS or not LOWEST_FLOOR <= float(found[1]) <= HIGHEST_RATING:
            cells.report(column, "bad-value", f"{in_short(part)} is no floor; write 1400 or 1400 money.")
        else:
            floors.append(Floor(FLOOR_ORIGINS[origin], float(found[1])))
    return floors


def _match_changes(cells: Cells, column: str) -> list[MatchChange]:
    changes = []
    for part in filter(None, map(str.strip, cells.text(column).split("/"))):
        found = _CHANGE.fullmatch(part)
        day = iso_day(found[1]) if found else None
        if found is None or day is None or abs(float(found[2])) > HIGHEST_RATING:
            cells.report(column, "bad-value", f"{in_short(part)} is no change in a match; write 2026-05-01 +12.5.")
        else:
            changes.append(MatchChange(day, float(found[2])))
    return changes


def columns_for(backgrounds: Sequence[Background]) -> list[str]:
    """The columns that are needed so that nothing of these backgrounds is lost, in their usual order."""
    filled = {column for background in backgrounds for column, text in written(background).items() if text}
    known = [f"{system.name} {quantity}" for system in RatingSystem for quantity in QUANTITIES]
    known += [f"{outside} {quantity}" for outside in OUTSIDE for quantity in OUTSIDE_QUANTITIES]
    return [column for column in (*PERSON, *known) if column in filled]


def written(background: Background) -> dict[str, str]:
    """The cells of a background, by column."""
    cells = {
        "birth date": as_text(background.birth_date),
        "birth year": as_text(background.birth_year),
        "adult": as_text(background.adult),
        "canadian resident": as_text(background.canadian_resident or None),
    }
    if background.given_start is not None:
        cells["start rating"] = as_text(background.given_start.rating)
        cells["start games"] = as_text(background.given_start.games)
    for system, standing in background.standings.items():
        cells |= {f"{system.name} {quantity}": text for quantity, text in _written_rating(standing).items()}
    for name, outside in (("FIDE", background.fide), ("CFC", background.cfc)):
        if outside is not None:
            cells |= {f"{name} rating": as_text(outside.rating), f"{name} as of": as_text(outside.as_of)}
    return cells


def _written_rating(rating: PlayerRating) -> dict[str, str]:
    """What differs from the default of its field."""
    said = {quantity: name for quantity, name in QUANTITIES.items() if getattr(rating, name) != _DEFAULTS.get(name)}
    return {quantity: _written_field(rating, name) for quantity, name in said.items()}


def _written_field(rating: PlayerRating, name: str) -> str:
    kind = RECORD_FIELDS[name].kind
    if kind is FieldKind.FLOORS:
        return " / ".join(_written_floor(floor) for floor in rating.floors)
    if kind is FieldKind.CHANGES:
        return " / ".join(f"{change.on.isoformat()} {as_text(change.change)}" for change in rating.match_changes)
    return as_text(getattr(rating, name))


def _written_floor(floor: Floor) -> str:
    origin = "" if floor.kind is FloorKind.OFFICE else f" {_ORIGINS.get(floor.kind, 'office')}"
    return f"{as_text(floor.level)}{origin}"

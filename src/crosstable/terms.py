"""The nouns of the field: rating systems, results, sections, rating records, and what a report says of them.

Everything here is a plain immutable record. Records are named tuples so that the compiled replay can take the
ones that formulas use, and so that starting the program costs little. Anyone may import this module.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from enum import IntEnum, StrEnum
from typing import Annotated

from crosstable.errors import Fault
from crosstable.tuples import NamedTuple


class RatingSystem(IntEnum):
    """The six rating systems (§1, footnote 1): over the board and online, Regular, Quick and Blitz."""

    OTBR = 0
    OTBQ = 1
    OTBB = 2
    OLR = 3
    OLQ = 4
    OLB = 5

    @property
    def is_online(self) -> bool:
        """Whether this is one of the three online systems."""
        return self >= RatingSystem.OLR

    @property
    def title(self) -> str:
        """The name people say: Regular, online Blitz …"""
        speed = ("Regular", "Quick", "Blitz")[self % 3]
        return f"online {speed}" if self.is_online else speed


class Source(IntEnum):
    """Where an unrated player's start may come from (§2): the six systems, FIDE, CFC, age, or the office's word."""

    OTBR = 0
    OTBQ = 1
    OTBB = 2
    OLR = 3
    OLQ = 4
    OLB = 5
    FIDE = 6
    CFC = 7
    AGE = 8
    GIVEN = 9


class Past(IntEnum):
    """What all previous rated games of a player in one system were (§4.1)."""

    MIXED = 0
    ALL_WINS = 1
    ALL_LOSSES = 2


class Formula(IntEnum):
    """Which formula rates a player (§1, Step 4)."""

    NONE = 0
    SPECIAL = 1
    STANDARD = 2


class KRule(IntEnum):
    """Which K a section uses: full, half (until 2006), or the smaller one of dual-rated sections (§4.2)."""

    FULL = 0
    HALF = 1
    DUAL = 2


class FloorKind(IntEnum):
    """The floors of §5, in the order in which equal levels are named."""

    NONE = 0
    PEAK = 1
    LIFE_MASTER = 2
    MONEY = 3
    OFFICE = 4
    ABSOLUTE = 5
    PERSONAL = 6


class Result(StrEnum):
    """The letter of a wallchart cell. W, L, D and the one-sided N, R, S are rated games; the rest are not."""

    WIN = "W"
    LOSS = "L"
    DRAW = "D"
    WIN_ONE_SIDED = "N"
    DRAW_ONE_SIDED = "R"
    LOSS_ONE_SIDED = "S"
    FORFEIT_WIN = "X"
    FORFEIT_LOSS = "F"
    FORFEIT_DRAW = "Y"
    FULL_BYE = "B"
    HALF_BYE = "H"
    UNPAIRED = "U"
    ZERO_BYE = "Z"
    OWN_COLUMN = "*"
    BLANK = ""

    @property
    def is_game(self) -> bool:
        """Whether the cell is a played, rated game (§7)."""
        return self in GAME_SCORES


GAME_SCORES: Mapping[Result, float] = {
    Result.WIN: 1.0,
    Result.DRAW: 0.5,
    Result.LOSS: 0.0,
    Result.WIN_ONE_SIDED: 1.0,
    Result.DRAW_ONE_SIDED: 0.5,
    Result.LOSS_ONE_SIDED: 0.0,
}
# A game as its other row shows it, and as one that only its own row shows.
MIRRORED = {Result.WIN: Result.LOSS, Result.DRAW: Result.DRAW, Result.LOSS: Result.WIN}
AS_ONE_SIDED = {
    Result.WIN: Result.WIN_ONE_SIDED,
    Result.DRAW: Result.DRAW_ONE_SIDED,
    Result.LOSS: Result.LOSS_ONE_SIDED,
}
ONE_SIDED = frozenset(AS_ONE_SIDED.values())
POINTS: Mapping[Result, float] = {
    **GAME_SCORES,
    Result.FORFEIT_WIN: 1.0,
    Result.FORFEIT_DRAW: 0.5,
    Result.FULL_BYE: 1.0,
    Result.HALF_BYE: 0.5,
}


def total(values: Iterable[float]) -> float:
    """The sum of floats, added one after the other as formulas do.

    The built-in ``sum`` carries rounding errors along since Python 3.12: its last bits depend on who runs the program.
    """
    found = 0.0
    for value in values:
        found += value
    return found


# The codes of the seven norm levels, from fourth category to senior life master (official facts §1).
NORM_CODES = "4321CMS"


class SectionType(StrEnum):
    """How a section was run, where that changes how it is rated (§6, §7)."""

    SWISS = "swiss"
    ROUND_ROBIN = "round_robin"
    MATCH = "match"
    FOREIGN_FIDE = "foreign_fide"
    FOREIGN_FIDE_YOUTH = "foreign_fide_youth"

    @property
    def is_foreign(self) -> bool:
        """Whether the section is a foreign FIDE event (§6)."""
        return self in (SectionType.FOREIGN_FIDE, SectionType.FOREIGN_FIDE_YOUTH)


class Stage(NamedTuple):
    """One stage of a time control: so many moves (0: the rest of the game) in so many minutes."""

    moves: int
    minutes: int


class TimeControl(NamedTuple):
    """A time control: its stages and the delay or increment in seconds, -1 where none was written."""

    text: str
    stages: tuple[Stage, ...]
    seconds: int
    is_increment: bool

    @property
    def main_minutes(self) -> int:
        """The minutes of all stages, mm (readings 15)."""
        return sum(stage.minutes for stage in self.stages)

    @property
    def total(self) -> int:
        """The total mm + ss, a missing delay counted as none (§1, footnote 1)."""
        return self.main_minutes + max(self.seconds, 0)


class Cell(NamedTuple):
    """A cell of the wallchart: result, opponent's number (0: none), colour (``w``, ``b`` or empty)."""

    result: Result
    opponent: int
    colour: str


class MatchChange(NamedTuple):
    """An earlier rating change from match play, with the match's end date (§7)."""

    on: date
    change: float


class Floor(NamedTuple):
    """A floor known from a decision: its level and where it comes from (§5)."""

    kind: FloorKind
    level: float


class FieldKind(StrEnum):
    """What a field of the rating record holds."""

    RATING = "rating"
    GAMES = "games"
    COUNT = "count"
    DAY = "day"
    LEVEL = "level"
    FLOORS = "floors"
    CHANGES = "match changes"


class Kept(NamedTuple):
    """What a field of the rating record means, and how it is kept wherever the record is written.

    ``in_files`` is its name in event files, where that differs. Postings do not repeat what follows from decisions.
    A field that ``is_added`` came when there were offices already: their rows keep their digests.
    """

    kind: FieldKind
    meaning: str
    in_files: str = ""
    is_posted: bool = True
    is_added: bool = False


# The ``published`` of a player who is not on the last official list.
NOT_PUBLISHED = 0.0


class PlayerRating(NamedTuple):
    """A player's rating record in one system before or after a section; ``None`` means that it is not known.

    This is the one list of its fields: arrays, tables, archives, event files, sheets, schemas and the documentation
    follow from it, by the kind of each; offices that are there need a revision of their tables.
    """

    rating: Annotated[float, Kept(FieldKind.RATING, "The rating, to full precision.")]
    games: Annotated[
        float | None,
        Kept(FieldKind.GAMES, "N, the games it is based on; not known: established, with a count nobody kept."),
    ] = None
    wins: Annotated[int | None, Kept(FieldKind.COUNT, "Rated games won.")] = None
    draws: Annotated[int | None, Kept(FieldKind.COUNT, "Rated games drawn.")] = None
    losses: Annotated[int | None, Kept(FieldKind.COUNT, "Rated games lost.")] = None
    events: Annotated[
        int | None, Kept(FieldKind.COUNT, "Sections with enough rated games to count toward the personal floor.")
    ] = None
    peak: Annotated[float | None, Kept(FieldKind.RATING, "The highest established rating.")] = None
    peak_since_2010: Annotated[
        float | None, Kept(FieldKind.RATING, "The highest established rating since 2010-04-01.")
    ] = None
    games_at_2200: Annotated[
        int, Kept(FieldKind.COUNT, "Games played while established at the level of a Life Master.")
    ] = 0
    match_changes: Annotated[
        tuple[MatchChange, ...], Kept(FieldKind.CHANGES, "Changes of the rating by matches, the oldest first.")
    ] = ()
    as_of: Annotated[date | None, Kept(FieldKind.DAY, "The last day of the section it is from.")] = None
    floors: Annotated[
        tuple[Floor, ...],
        Kept(FieldKind.FLOORS, "Further floors, from a prize, a title or the office.", "floor", is_posted=False),
    ] = ()
    ceiling: Annotated[
        float | None, Kept(FieldKind.LEVEL, "The rating that the office does not let them pass.", is_posted=False)
    ] = None
    lowered_floor: Annotated[
        float | None, Kept(FieldKind.LEVEL, "The level to which the office lowered the floor of the peak or title.")
    ] = None
    published: Annotated[
        float | None,
        Kept(FieldKind.RATING, "The rating of the last official list, which matches need; 0: none.", is_posted=False),
    ] = None


# The fields of the rating record in their order, each with its meaning and kind.
RECORD_FIELDS: Mapping[str, Kept] = {
    name: annotation.__metadata__[0] for name, annotation in PlayerRating.__annotations__.items()
}


class OutsideRating(NamedTuple):
    """A FIDE or CFC rating with the date of its list."""

    rating: float
    as_of: date | None = None


# What FIDE calls the federation.
USA = "USA"


def is_of_usa(flag: str | None) -> bool:
    """Whether a FIDE flag is that of the USA; one that is not told is not held against anybody (§6)."""
    return flag is None or flag.upper() == USA


class GivenStart(NamedTuple):
    """An unrated player's start set by hand: its rating and the games it counts for (readings 36).

    ``others`` has the systems of the section in which it is another one: rating and games of each. ``is_hidden`` says
    that it is not public: an age is in it.
    """

    rating: float
    games: float
    others: Mapping[RatingSystem, tuple[float, float]] = {}
    is_hidden: bool = False

    def of(self, system: RatingSystem) -> tuple[float, float]:
        """Rating and games in a system."""
        return self.others.get(system, (self.rating, self.games))


class Background(NamedTuple):
    """What a player brings to a section: standings in all systems, outside ratings, age and residence.

    ``origin`` says where the ratings come from, if not from the event file itself. ``birth_year`` serves where no
    birth date is known.
    """

    standings: Mapping[RatingSystem, PlayerRating] = {}
    fide: OutsideRating | None = None
    cfc: OutsideRating | None = None
    birth_date: date | None = None
    adult: bool | None = None
    canadian_resident: bool = False
    given_start: GivenStart | None = None
    origin: str = ""
    assumed: tuple[str, ...] = ()
    birth_year: int | None = None

    @property
    def born(self) -> date | None:
        """The birth date that age is counted from: July 1 where only the year is known."""
        if self.birth_date is not None or self.birth_year is None:
            return self.birth_date
        return date(self.birth_year, 7, 1)


class Entry(NamedTuple):
    """A player's row in a section: the pairing number, the member, a cell per round, and what the player brings.

    In a foreign event ``is_rated`` is whom the report asks to rate, ``fide_flag`` and ``has_opted_in`` what it says.
    """

    number: int
    member_id: str
    name: str
    cells: tuple[Cell, ...]
    is_rated: bool = True
    background: Background = Background()
    fide_flag: str | None = None
    has_opted_in: bool | None = None

    @property
    def points(self) -> float:
        """The points of the wallchart: games, byes and forfeits."""
        return total(POINTS.get(cell.result, 0.0) for cell in self.cells)


class Key(NamedTuple):
    """A place in the replay: end, start, event id, section number (readings 83)."""

    ended: date
    started: date
    event_id: str
    section: int


class Section(NamedTuple):
    """A checked section with its players, from ``check`` to the postings.

    Its start date picks the edition, its end date ages (§8, §2.3).
    """

    number: int
    name: str
    kind: SectionType
    is_online: bool
    time_control: TimeControl | None
    systems: tuple[RatingSystem, ...]
    start: date
    end: date
    entries: tuple[Entry, ...]
    is_half_k: bool = False
    is_dual_control: bool = False
    event_id: str = ""

    @property
    def key(self) -> Key:
        """Where the section stands in the replay."""
        return Key(self.end, self.start, self.event_id, self.number)

    @property
    def backgrounds(self) -> dict[int, Background]:
        """What the players bring, by pairing number."""
        return {entry.number: entry.background for entry in self.entries}

    def with_backgrounds(self, backgrounds: Mapping[int, Background]) -> "Section":
        """The section if its players brought this, by pairing number."""
        entries = tuple([entry._replace(background=backgrounds[entry.number]) for entry in self.entries])
        return self._replace(entries=entries)


class ReportedCell(NamedTuple):
    """A wallchart cell as written; ``result`` is ``None`` where the text is no known code."""

    text: str
    result: Result | None
    opponent: int
    colour: str


class Posted(NamedTuple):
    """What the federation posted for a player after the section."""

    rating: float
    games: float | None = None


class ReportedPlayer(NamedTuple):
    """A row of a report as read, with what the file knew of the player's ratings."""

    number: int | None
    member_id: str
    name: str
    cells: tuple[ReportedCell, ...]
    background: Background
    place: str
    state: str = ""
    pairing_rating: float | None = None
    posted: Mapping[RatingSystem, Posted] = {}
    is_rated: bool | None = None
    fide_flag: str | None = None
    is_member: bool | None = None
    has_opted_in: bool | None = None
    total: float | None = None
    details: Mapping[str, str] = {}


# The detail of a section in which a reader notes that its table has no US Chess ratings, or that they are from before
# the event, of a system that only a time control would tell.
RATINGS = "ratings"
NOT_GIVEN = "not given"
UNNAMED = "before the event, of a system that is not named"
# The detail of a player with the games behind a provisional pairing rating (``1322P11``).
PAIRING_GAMES = "pairing_games"


class ReportedSection(NamedTuple):
    """A section of a report as read; empty dates fall back to the event's."""

    number: int | None
    name: str
    kind: SectionType
    is_online: bool
    time_controls: tuple[str, ...]
    systems: tuple[RatingSystem, ...]
    start: date | None
    end: date | None
    players: tuple[ReportedPlayer, ...]
    place: str
    is_half_k: bool = False
    match_waiver: str = ""
    details: Mapping[str, str] = {}


class Report(NamedTuple):
    """What a tournament director sent, as it was read. It may contain mistakes; ``check`` finds them.

    ``details`` keeps what the rating does not need (affiliate, city, director …), so that the report can be written to
    a file again without loss. ``faults`` has the mistakes that were found while reading the file.
    """

    event_id: str
    name: str
    start: date | None
    end: date | None
    sections: tuple[ReportedSection, ...]
    place: str
    details: Mapping[str, str] = {}
    faults: tuple[Fault, ...] = ()

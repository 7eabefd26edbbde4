"""The arrays that compiled code reads and writes: a history, rating records, results."""

import math
import mmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from crosstable.formulas.initial import NO_DAY as NO_DAY
from crosstable.formulas.initial import SOURCES
from crosstable.formulas.norms import NO_NORM
from crosstable.formulas.section import NO_COUNT as NO_COUNT
from crosstable.terms import RECORD_FIELDS, FieldKind

# An array, or one row of it with its fields as attributes: what compiled code takes for granted and type checkers
# cannot express. Its layout is one of the dtypes below.
Array = Any

# Whole numbers of one width: compiled records of two widths are two types.
whole: Any = np.int64

SYSTEMS = 6
# From so many bytes on NumPy asks for large pages.
_LARGE = 1 << 22
# Sections are rated level by level within windows of so many, so that threads seldom wait for each other.
WINDOW = 2048
TOP_LEVEL = WINDOW - 1


def _fields(form: str, *kinds: FieldKind) -> list[tuple[str, str]]:
    """The fields of the rating record of some kinds; what follows from decisions is kept elsewhere."""
    return [(name, form) for name, kept in RECORD_FIELDS.items() if kept.is_posted and kept.kind in kinds]


_LINE = 64  # bytes of a line of the processor's cache


def _in_lines(fields: list[tuple[str, str]]) -> np.dtype[Any]:
    """A layout that fills whole lines of the cache."""
    packed = np.dtype(fields)
    offsets = [packed.fields[name][1] for name in packed.names or () if packed.fields]
    names, formats = zip(*fields, strict=True)
    size = -(-packed.itemsize // _LINE) * _LINE
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


# One rating record, today in one line of the cache, floats first; ``formulas.section`` says what its numbers mean.
RECORD = _in_lines(
    [
        *_fields("f8", FieldKind.RATING, FieldKind.GAMES),
        *_fields("i4", FieldKind.COUNT, FieldKind.DAY),
        ("decided", "i4"),  # position among the decided limits, 0 for none
        ("match", "i4"),  # position of the newest match change, 0 for none
    ]
)

# What decisions say of one member in one system. A rating record points to the first of the member's rows, which holds
# the floor that was lowered; what was decided later follows in rows of its own, each from the section whose results
# begin at ``since``.
DECIDED = np.dtype(
    [
        ("floor_kind", "i8"),
        ("floor_level", "f8"),
        ("ceiling", "f8"),
        ("lowered_floor", "f8"),
        ("since", "i8"),
        ("later", "i8"),  # the row after this one, 0 for none
    ]
)
# A change of a rating by match play; ``earlier`` is the position of the one before, 0 for none.
MATCH_CHANGE = np.dtype([("day", "i4"), ("earlier", "i4"), ("change", "f8")])

PERSON = np.dtype([("born", "i4"), ("is_adult", "u1"), ("is_canadian", "u1"), ("outside", "i4"), ("outside_end", "i4")])
OUTSIDE = np.dtype([("body", "u1"), ("as_of", "i4"), ("rating", "f8")])

SECTION = np.dtype(
    [
        ("edition", "i2"),
        ("kind", "u1"),
        ("systems", "u1"),
        ("is_dual_control", "u1"),
        ("is_half_k", "u1"),
        ("told", "i4"),  # where what is told of its competitors begins, 0 where nothing is
        ("start", "i4"),
        ("end", "i4"),
        ("first", "i8"),  # of its competitors
        ("row", "i8"),  # of its results
        ("match", "i4"),  # where its match changes go
        ("level", "u2"),  # how many sections of its window have to be rated before it, one after the other
    ]
)
COMPETITOR = np.dtype(
    [
        ("member", "i4"),
        ("previous", "i4"),  # the member's section before, -1 for none
        ("first", "i8"),  # of the sides of the games
        ("wins", "u2"),
        ("draws", "u2"),
        ("losses", "u2"),
        ("most_meetings", "u2"),
        ("is_met", "u1"),
    ]
)
# What entries tell of a competitor beside games: the FIDE rating (NaN for none) with its day, in each system a start
# set by hand, and for foreign events whether a member asked to be rated, or has the flag and a FIDE rating by which
# rating is automatic.
TOLD = np.dtype(
    [
        ("fide", "f8"),
        ("automatic_fide", "f8"),
        ("start_rating", "f8", (SYSTEMS,)),
        ("start_games", "f8", (SYSTEMS,)),
        ("fide_as_of", "i4"),
        ("has_opted_in", "u1"),
    ]
)

# The columns of results, which have a row for each competitor and system. NaN after: not rated (no game, or no known
# rule).
BEFORE, AFTER, GAMES_AFTER = range(3)
RATING_COLUMNS = 3
# The working of the final pass, kept where it is asked for.
WORKING = np.dtype(
    [
        ("prior", "f8"),
        ("start_games", "f8"),
        ("effective", "f8"),
        ("k", "f8"),
        ("expected", "f8"),
        ("bonus", "f8"),
        ("computed", "f8"),
        ("floor_level", "f8"),
        ("requested_floor", "f8"),
        ("floor_kind", "i1"),
        ("formula", "i1"),
        ("norm", "i1"),
    ]
)
# How an unrated player started, kept where it is asked for: the source taken, those that counted as bits, what they
# gave (§2).
START = np.dtype(
    [
        ("source", "i8"),
        ("total_weight", "f8"),
        ("mean", "f8"),
        ("rating", "f8"),
        ("games", "f8"),
        ("counted", "u1"),
        ("is_new", "u1"),
        ("is_undated", "u1"),  # the FIDE rating that counted has no date
        ("is_carried", "u1"),  # it is of a list on another scale
    ]
)
LOWERED = np.dtype([("before", "f8"), ("after", "f8")])

OUTSIDE_FIDE, OUTSIDE_CFC = 0, 1


class History(NamedTuple):
    """What does not change while a history is replayed; ``sections`` has one more row, which ends the last one."""

    sections: Array
    competitors: Array
    opponents: Array
    people: Array
    outside: Array
    told: Array
    places: Array  # by row of results: the place of that member's rating record in that system
    place_of: Array  # the same by member and system, 0 where a member is never rated


class RecordArrays(NamedTuple):
    """What changes: rating records, what is decided, and match changes.

    Records lie in the order in which members are first rated, so that those who play at one time lie together; the
    first stands for everybody who is not rated.
    """

    standings: Array
    decided: Array
    match_changes: Array
    rated: Array  # by member: the systems of possible ratings, as bits; where there is none, none is looked for


class Records(NamedTuple):
    """The rating records before and after sections, where they are kept: a row per row of results from ``base`` on."""

    base: int
    before: Array
    after: Array
    lowered: Array
    starts: Array


class Results(NamedTuple):
    """What a replay leaves: ratings by column and row, the working and the records where they are kept.

    Rows are counted from the ``base`` of the records on, which is 0 where the results of a whole history are kept. By
    section, what stood in the way of rating it, and the FIDE rating for which no conversion was found.
    """

    ratings: Array
    working: Array
    faults: Array
    missing: Array
    records: Records


class Scratch(NamedTuple):
    """Room to work in, as large as the largest section, for each of its systems; one per thread."""

    numbers: Array
    sides: Array
    past: Array
    flags: Array
    first: Array
    sources: Array


# Columns of ``numbers`` and of ``flags``.
PRIOR, GAMES, SCORE, EFFECTIVE, STRENGTH, ODDS = 0, 1, 2, 3, 4, 5
FOURTH, FIFTH = 6, 11
FINAL, PRIOR_ODDS, NUMBERS = 16, 17, 18
AT_ZERO, BONUS, RATED, FLAGS = 0, 1, 2, 3


def scratch_for(competitors: int, sides: int) -> Scratch:
    """Room for sections of at most so many competitors and sides of games."""
    return Scratch(
        numbers=np.zeros((SYSTEMS, NUMBERS, competitors)),
        sides=np.zeros(sides),
        past=np.zeros((SYSTEMS, competitors), dtype=np.int64),
        flags=np.zeros((SYSTEMS, FLAGS, competitors), dtype=np.bool_),
        first=np.zeros(competitors + 1, dtype=np.int64),
        sources=np.zeros((5, SOURCES)),
    )


class Tables(NamedTuple):
    """Everything a replay reads and writes."""

    history: History
    standings: RecordArrays
    results: Results


def fresh(shape: int | tuple[int, ...], dtype: DTypeLike = np.float64) -> Array:
    """Zeros for an array that is written from its beginning to its end.

    NumPy asks the system for large pages, which make random reads quicker, but are slow to come by. A history has
    hundreds of megabytes that nobody reads at random.
    """
    size = math.prod((shape,) if isinstance(shape, int) else shape) * np.dtype(dtype).itemsize
    if size < _LARGE or not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.zeros(shape, dtype)
    try:
        room = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"no room for {size:,} bytes") from error
    return np.frombuffer(room, dtype).reshape(shape)


def no_ratings(rows: int) -> Array:
    """Results that are not there yet."""
    made = fresh((RATING_COLUMNS, rows))
    made[:] = np.array([[0.0], [np.nan], [0.0]])  # written here, so that the replay does not wait for fresh memory
    return made


def working_for(rows: int) -> Array:
    """Room for the working of so many rows of results."""
    made = np.zeros(rows, dtype=WORKING)
    made["norm"] = NO_NORM
    return made


def records_for(base: int, rows: int) -> Records:
    """Room for the records of so many rows of results from ``base`` on."""
    kinds = (RECORD, RECORD, LOWERED, START)
    return Records(base, *(np.zeros(rows, dtype=kind) for kind in kinds))


def unrated(places: int) -> Array:
    """Rating records that nobody has yet."""
    line = RECORD.itemsize
    room = np.zeros((places + 1) * line, dtype=np.uint8)
    begin = -room.ctypes.data % line  # each record in a line of the cache, not across two
    made = room[begin : begin + places * line].view(RECORD)
    for name in ("rating", "peak", "peak_since_2010"):
        made[name] = np.nan
    return made

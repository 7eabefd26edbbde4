"""TRF lines for the tests, put together column by column as the format's tables number them."""

from collections.abc import Mapping

from crosstable.errors import Severity
from crosstable.formats import Reading, trf
from crosstable.terms import Report, ReportedPlayer

FILE = "club.trf"

# Four players, two rounds: a win, a draw, a forfeit, a half-point bye and a bye that the pairing gave.
QUAD = (
    "012 Summer Quads",
    "022 Springfield",
    "032 USA",
    "042 2026/08/29",
    "052 2026/08/30",
    "062 4",
    "072 2",
    "082 0",
    "092 Individual: Swiss-System",
    "102 Arbiter, Alice",
    "112 Deputy, Dora",
    "112 Deputy, Emil",
    "122 G/60;d5",
    "XXR 2",
)
QUAD_PLAYERS = (
    {5: "   1", 10: "m", 11: " GM", 15: "Adams, Ann", 49: "2510", 54: "USA", 58: "    2000001"},
    {5: "   2", 10: "w", 15: "Brown, Bea", 49: "1702", 54: "CAN", 70: "1990/02/28"},
    {5: "   3", 15: "Clark, Cy", 70: "1988"},
    {5: "   4", 15: "Davis, Dee"},
)
QUAD_RESULTS = (
    {81: " 1.5", 86: "   1", 92: "   2 w 1", 102: "0000 - H"},
    {81: " 0.0", 86: "   4", 92: "   1 b 0", 102: "   3 b -"},
    {81: " 1.5", 86: "   1", 92: "   4 w =", 102: "   2 w +"},
    {81: " 1.5", 86: "   1", 92: "   3 b =", 102: "0000 - U"},
)


def columns(fields: Mapping[int, str]) -> str:
    """A line with each text at its column, counted from 1."""
    line = ""
    for column, text in sorted(fields.items()):
        assert len(line) < column, f"column {column} is taken: {line}"
        line = f"{line:<{column - 1}}{text}"
    return line


def player(fields: Mapping[int, str]) -> str:
    """A player line; starting rank 1 and a name unless told."""
    return columns({1: "001", 5: "   1", 15: "Adams, Ann", **fields})


def quad(*extra: str) -> tuple[str, ...]:
    """The lines of the sample tournament and whatever records are to be added."""
    rows = (columns({1: "001", **who, **how}) for who, how in zip(QUAD_PLAYERS, QUAD_RESULTS, strict=True))
    return (*QUAD, *rows, *extra)


def file(*lines: str, end: str = "\n", encoding: str = "utf-8") -> bytes:
    """The bytes of a file with these lines."""
    return "".join(f"{line}{end}" for line in lines).encode(encoding)


def read(*lines: str) -> Reading:
    """Read a file with these lines."""
    return trf.read(file(*lines), FILE)


def read_clean(*lines: str) -> Report:
    """The report of a file with these lines, in which nothing at all may be wrong."""
    reading = read(*lines)
    assert reading.faults == ()
    return reading.report


def players(report: Report) -> tuple[ReportedPlayer, ...]:
    """The players of the one section."""
    (section,) = report.sections
    return section.players


def only(fields: Mapping[int, str]) -> ReportedPlayer:
    """The player of a file that has one faultless player line."""
    (found,) = players(read_clean(player(fields)))
    return found


def errors(reading: Reading) -> list[tuple[str, str]]:
    """Code and place of every error, the file's name left out."""
    found = [each for each in reading.faults if each.severity is Severity.ERROR]
    return [(each.code, each.place.removeprefix(f"{FILE}, ")) for each in found]


def warnings(reading: Reading) -> list[str]:
    """The messages of every warning; each is an ignored record."""
    found = [each for each in reading.faults if each.severity is Severity.WARNING]
    assert all(each.code == "ignored-record" for each in found)
    return [each.message for each in found]


def without_places(report: Report) -> Report:
    """The report without the places, which name the file."""
    sections = tuple(
        section._replace(place="", players=tuple(each._replace(place="") for each in section.players))
        for section in report.sections
    )
    return report._replace(place="", sections=sections)

"""FIDE's tournament report file, TRF16 and TRF26, with the extensions of JaVaFo, bbpPairings and Tornelo.

One file is one section. The rating in a player line is FIDE's; the US Chess rating and id stand in a record that
begins with USA (TRF26), the id also in Tornelo's ``DAT 0001 ID:USCF 12345678``. A TRF does not say of which version
it is; both are read alike.
"""

import re

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.formats.trf_additions import Rows, add
from crosstable.formats.trf_heading import CODES, Heading, read_heading
from crosstable.formats.trf_lines import PLAYER, Findings, Line, read_lines
from crosstable.formats.trf_players import read_player
from crosstable.sentences import counted
from crosstable.terms import NOT_GIVEN, RATINGS, Report, ReportedPlayer, ReportedSection

MOST_PLAYERS = 9_999
_SEARCHED = 65_536
_PLAYER_LINE = re.compile(rb"(?:^|[\r\n])001 [ 0-9]{3}[0-9] ")
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?012 ")


def looks_like(data: bytes) -> bool:
    """Whether this is a TRF: it begins with the tournament's name, or a line of it is a player's."""
    return _FIRST_LINE.match(data) is not None or _PLAYER_LINE.search(data[:_SEARCHED]) is not None


def read(data: bytes, name: str) -> Reading:
    """Read a TRF; raises ``FormatError`` where it has no player, or more than a TRF can have."""
    findings = Findings(name)
    lines = read_lines(data, name, findings)
    of_players = [line for line in lines if line.code == PLAYER]
    if not of_players:
        message = f"The file has no player: no line of it begins with {PLAYER}."
        raise FormatError(fault("not-readable", name, message))
    if len(of_players) > MOST_PLAYERS:
        message = f"The file has {len(of_players)} players; a TRF numbers at most {MOST_PLAYERS}."
        raise FormatError(fault("damaged-file", name, message))
    heading = read_heading([line for line in lines if line.code in CODES], findings)
    rows = Rows(read_player(line, findings) for line in of_players)
    others = [line for line in lines if line.code != PLAYER and line.code not in CODES]
    add(others, rows, findings, has_teams=heading.has_teams)
    _compare(heading, rows.players, lines, findings)
    return Reading(_report(heading, tuple(rows.players), name), findings.faults())


def _compare(heading: Heading, players: list[ReportedPlayer], lines: list[Line], findings: Findings) -> None:
    """Where the file says one thing in its tournament lines and another in its player lines."""
    if heading.players is not None and heading.players != len(players):
        line = next(line for line in lines if line.code == "062")
        message = f"Record 062 says {counted(heading.players, 'player')}, but the file has {len(players)}."
        remedy = "Add the missing player lines, or correct record 062."
        findings.report("bad-value", line.at(5, len(line.text), "number of players"), message, remedy)
    for player in players:
        if heading.rounds and len(player.cells) > heading.rounds:
            message = f"The line has {counted(len(player.cells), 'round')}, but the tournament has {heading.rounds}."
            findings.report("bad-value", player.place, message)


def _report(heading: Heading, players: tuple[ReportedPlayer, ...], name: str) -> Report:
    section = ReportedSection(
        number=1,
        name=heading.name,
        kind=heading.kind,
        is_online=False,
        time_controls=heading.time_controls,
        systems=(),
        start=None,
        end=None,
        players=players,
        place=name,
        details={} if any(player.pairing_rating for player in players) else {RATINGS: NOT_GIVEN},
    )
    return Report("", heading.name, heading.start, heading.end, (section,), name, heading.details)

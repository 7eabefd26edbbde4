"""FIDE's tournament report file, TRF16 and TRF26, with the extensions of JaVaFo, bbpPairings and Tornelo.

One file is one section. The rating in a player line is FIDE's; the US Chess rating and id stand in a record that
begins with USA (TRF26), the id also in Tornelo's ``DAT 0001 ID:USCF 12345678``. A TRF does not say of which version
it is; both are read alike.

The player line of a TRF (record 001): who, with which rating, and a cell for every round. Result codes, in either
case: ``1 = 0`` are games; ``+ -`` forfeits; ``W D L`` ended before the first move, which TRF does not rate; ``H F U
Z`` are byes of a half, a full, the pairing's full and no point; blank is no point too.

What other records of a TRF add to its players: national ratings and ids, teams, byes, Tornelo's DAT lines. TRF26 gives
each federation records of its own, with its code in place of 001. Those of USA hold the US Chess rating and member id;
the ratings of other federations are kept as details.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.formats.dates import FIDE, read_day
from crosstable.formats.trf_heading import (
    CODES,
    PLAYER,
    Findings,
    Heading,
    Line,
    numbers_from,
    read_heading,
    read_lines,
    whole_number,
)
from crosstable.limits import HIGHEST_RATING
from crosstable.sentences import counted
from crosstable.terms import (
    NOT_GIVEN,
    RATINGS,
    Background,
    OutsideRating,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
)

MOST_PLAYERS = 9_999
_SEARCHED = 65_536
_PLAYER_LINE = re.compile(rb"(?:^|[\r\n])001 [ 0-9]{3}[0-9] ")
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?012 ")

RESULTS: Mapping[str, Result] = {
    "1": Result.WIN,
    "=": Result.DRAW,
    "0": Result.LOSS,
    "+": Result.FORFEIT_WIN,
    "-": Result.FORFEIT_LOSS,
    "W": Result.FORFEIT_WIN,
    "D": Result.FORFEIT_DRAW,
    "L": Result.FORFEIT_LOSS,
    "F": Result.FULL_BYE,
    "U": Result.FULL_BYE,
    "H": Result.HALF_BYE,
    "Z": Result.ZERO_BYE,
}
NO_CELL = ReportedCell("", Result.BLANK, 0, "")
MOST_ROUNDS = 999
FIRST_ROUND = 92
_COLUMNS_A_ROUND = 10
_BETWEEN_FIELDS = (4, 9, 14, 48, 53, 57, 69, 80, 85, 90, 91)
_NATIONAL_FIELDS = 8  # the first so many of them stand in a national record too
_BETWEEN_PARTS = (4, 6, 8, 9)
_POINTS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{0,2})?|[.,][0-9]")
_OPPONENT = re.compile(r" *[0-9]* *")
_PART_OF_DATE = re.compile(r"[0-9]{4}(?:[/.-][0-9]{2}[/.-]00)?")
_COLOURS = {"w": "w", "b": "b", "-": "", " ": ""}


class _Read(NamedTuple):
    """A cell, and where something in it is wrong: the first and last column counted from its start, and what."""

    cell: ReportedCell
    wrong: tuple[int, int, str] | None


US_CHESS = "USA"
# record → what it holds; nothing of it is needed to rate
FOR_PAIRING: Mapping[str, str] = {
    "250": "accelerated rounds",
    "260": "players who may not be paired",
    "299": "points given outside the rules",
    "300": "order of boards",
    "320": "byes of teams",
    "330": "forfeited team matches",
    "801": "team results",
    "802": "team results",
    "XXA": "accelerated rounds",
    "XXP": "players who may not be paired",
    "XXZ": "absent players",
}
TEAM_RECORDS: Mapping[str, tuple[tuple[int, int], int]] = {"013": ((5, 36), 37), "310": ((9, 40), 74)}
OF_TEAMS = frozenset({*TEAM_RECORDS, "300", "320", "330", "801", "802"})
_NOT_FEDERATIONS = ("XX", "BB", "DAT")
_DATUM = re.compile(r"(?P<number>[0-9]{1,4}) +(?P<kind>\S+) *(?P<value>.*)")
_ROUND_BYES = frozenset("FHZ")


class Rows:
    """The players of a file, found by starting rank and changed one by one."""

    def __init__(self, players: Iterable[ReportedPlayer]) -> None:
        self.players = list(players)
        self._at: dict[int, int] = {}
        for at, player in enumerate(self.players):
            if player.number is not None:
                self._at.setdefault(player.number, at)
        self.rounds = max((len(player.cells) for player in self.players), default=0)

    def get(self, number: int | None) -> ReportedPlayer | None:
        """The player with this starting rank."""
        return self.players[self._at[number]] if number in self._at else None

    def put(self, player: ReportedPlayer) -> None:
        """Set the player with this one's starting rank anew."""
        assert player.number is not None
        self.players[self._at[player.number]] = player


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


def read_player(line: Line, findings: Findings) -> ReportedPlayer:
    """The player of a 001 line."""
    number = starting_rank(line, findings)
    line = line._replace(owner=f"player {number}" if number else "")
    check_gaps(line, findings)
    background, details = read_birth(line, findings)
    rating = read_rating(line, "FIDE rating", findings)
    if rating is not None:
        background = background._replace(fide=OutsideRating(rating))
    rank = whole_number(line, (86, 89), "rank", findings)
    details |= {
        "sex": line.columns(10, 10),
        "title": line.columns(11, 13),
        "federation": line.columns(54, 56),
        "fide_id": line.columns(58, 68),
        "rank": "" if rank is None else str(rank),
    }
    name = line.columns(15, 47)
    if not name:
        findings.report("missing-field", line.at(15, 47, "name"), "The player has no name.")
    return ReportedPlayer(
        number=number,
        member_id="",
        name=name,
        cells=_cells(line, findings),
        background=background,
        place=line.place,
        total=_points(line, findings),
        details={key: value for key, value in details.items() if value},
    )


def starting_rank(line: Line, findings: Findings) -> int | None:
    """The number by which everything else in the file names the player."""
    number = whole_number(line, (5, 8), "starting rank", findings)
    if number:
        return number
    if not line.columns(5, 8).strip("0"):
        findings.report("missing-field", line.at(5, 8, "starting rank"), "The starting rank is missing.")
    return None


def check_gaps(line: Line, findings: Findings, *, is_national: bool = False) -> None:
    """The columns between fields are blank; where one is not, the fields have slipped and none can be trusted."""
    for column in _BETWEEN_FIELDS[: _NATIONAL_FIELDS if is_national else None]:
        if line.columns(column, column):
            message = f"Column {column} must be blank, but holds {line.columns(column, column)!r}."
            remedy = "Move the fields of this line back to their columns."
            findings.report("bad-value", line.at(column, column, "between two fields"), message, remedy)
            return


def read_rating(line: Line, what: str, findings: Findings) -> float | None:
    """The rating at columns 49 to 52; blank and 0 mean none."""
    rating = whole_number(line, (49, 52), what, findings)
    if rating is not None and rating > HIGHEST_RATING:
        message = f"The rating {rating} is above {HIGHEST_RATING:g}."
        findings.report("bad-value", line.at(49, 52, what), message)
        return None
    return float(rating) if rating else None


def read_birth(line: Line, findings: Findings) -> tuple[Background, dict[str, str]]:
    """The birth date; where only its year or month is given, the text as a detail, because it is no date."""
    text = line.columns(70, 79)
    if not text.strip("0/.- "):
        return Background(), {}
    if _PART_OF_DATE.fullmatch(text):
        return Background(), {"birth_date": text}
    try:
        return Background(birth_date=read_day(text, FIDE, short_years=False)), {}
    except ValueError as error:
        findings.report("bad-date", line.at(70, 79, "birth date"), str(error), _AS_DATE)
        return Background(), {}


_AS_DATE = "Write it as YYYY/MM/DD, or the year alone."


def _points(line: Line, findings: Findings) -> float | None:
    text = line.columns(81, 84)
    if not text:
        return None
    if not _POINTS.fullmatch(text):
        findings.report("bad-value", line.at(81, 84, "points"), f"{text!r} is no number of points.")
        return None
    return float(text.replace(",", "."))


def _cells(line: Line, findings: Findings) -> tuple[ReportedCell, ...]:
    starts = range(FIRST_ROUND, len(line.text) + 1, _COLUMNS_A_ROUND)
    if len(starts) > MOST_ROUNDS:
        message = f"The line has {len(starts)} rounds; a TRF has at most {MOST_ROUNDS}."
        findings.report("bad-value", line.place, message)
        starts = starts[:MOST_ROUNDS]
    cells = []
    for at, start in enumerate(starts, start=1):
        cell, wrong = _cell(line.text[start - 1 : start - 1 + _COLUMNS_A_ROUND])
        if wrong is not None:
            first, last, message = wrong
            findings.report("bad-value", line.at(start + first, start + last, f"round {at}"), message)
        cells.append(cell)
    while cells and cells[-1] is NO_CELL:
        cells.pop()
    return tuple(cells)


@lru_cache(maxsize=8192)
def _cell(raw: str) -> _Read:
    """The cell of ten columns: opponent, colour, result, with blanks between.

    Its text is what is written with the blanks evened out, ``26 w 1`` or ``0000 - H``, so that a code that has no
    letter of ours (``W``, ``U``) is not lost.
    """
    raw = f"{raw:<{_COLUMNS_A_ROUND}}"
    opponent, colour, code = raw[:4], raw[5].lower(), raw[7].strip()
    for at in _BETWEEN_PARTS:
        if raw[at] != " ":
            return _wrong(raw, at, at, f"This column must be blank, but holds {raw[at]!r}.")
    if not _OPPONENT.fullmatch(opponent):
        return _wrong(raw, 0, 3, f"The opponent {opponent.strip()!r} is not a number.")
    if colour not in _COLOURS:
        return _wrong(raw, 5, 5, f"{raw[5]!r} is no colour; it must be w, b or -.")
    number = int(opponent.strip() or 0)
    if not number and not _COLOURS[colour] and not code:
        return _Read(NO_CELL, None)
    text = f"{number or '0000'} {_COLOURS[colour] or '-'} {code}".rstrip()
    result = RESULTS.get(code.upper()) if code else Result.BLANK
    return _Read(ReportedCell(text, result, number, _COLOURS[colour]), None)


def _wrong(raw: str, first: int, last: int, message: str) -> _Read:
    return _Read(ReportedCell(" ".join(raw.split()), None, 0, ""), (first, last, message))


def add(lines: list[Line], rows: Rows, findings: Findings, *, has_teams: bool | None) -> None:
    """Add to the players what the records that are neither theirs nor the tournament's say."""
    if has_teams is None:
        has_teams = any(line.code in OF_TEAMS for line in lines)
    seen: set[tuple[str, int]] = set()
    for line in lines:
        if line.code in FOR_PAIRING:
            findings.leave_out(line.code, line, f"{FOR_PAIRING[line.code]}, which rating does not need")
        elif line.code in TEAM_RECORDS:
            _add_team(line, rows, findings)
        elif line.code == "240":
            _add_byes(line, rows, findings, has_teams=has_teams)
        elif line.code == "DAT":
            _add_datum(line, rows, findings)
        elif _is_national(line):
            _add_national(line, rows, findings, seen)
        else:
            _pass_over(line, findings)


def _is_national(line: Line) -> bool:
    is_extension = line.code.startswith(_NOT_FEDERATIONS)
    return line.code.isalpha() and not is_extension and line.columns(5, 8).isdigit() and bool(line.columns(49, 68))


def _pass_over(line: Line, findings: Findings) -> None:
    """A record that nobody knows: a warning, unless it looks like a player whose code was damaged."""
    if line.code.isdigit() and line.columns(5, 8).isdigit() and line.columns(81, 84) and line.columns(15, 47):
        message = f"The line looks like a player's, but begins with {line.code} instead of {PLAYER}."
        findings.report("bad-value", line.at(1, 3, "kind of record"), message)
    else:
        findings.leave_out(line.code, line, "this kind is not known")


def _add_national(line: Line, rows: Rows, findings: Findings, seen: set[tuple[str, int]]) -> None:
    number = starting_rank(line, findings)
    player = rows.get(number)
    if number is None or player is None:
        if number is not None:
            findings.report("bad-value", line.at(5, 8, "starting rank"), f"There is no player {number}.")
        return
    line = line._replace(owner=f"player {number}")
    if (line.code, number) in seen:
        message = f"Player {number} already has a record of {line.code}."
        findings.report("bad-value", line.place, message, "Keep the one that is right.")
        return
    seen.add((line.code, number))
    check_gaps(line, findings, is_national=True)
    rating = read_rating(line, f"rating of {line.code}", findings)
    if line.code == US_CHESS:
        rows.put(_with_us_chess(line, player, rating, findings))
    else:
        findings.leave_out(line.code, line, "another federation's ratings, kept but not used")
        rows.put(_with_other(line, player, rating))


def _with_us_chess(line: Line, player: ReportedPlayer, rating: float | None, findings: Findings) -> ReportedPlayer:
    born, details = read_birth(line, findings)
    if player.background.birth_date is None and born.birth_date is not None:
        details = {}
        player = player._replace(background=player.background._replace(birth_date=born.birth_date))
    details = {**details, **player.details, "national_title": line.columns(11, 13)}
    if player.background.birth_date is not None:
        details.pop("birth_date", None)
    player = _with_member_id(line, player, line.columns(58, 68), findings)
    return player._replace(
        pairing_rating=rating, state=line.columns(54, 56), details={k: text for k, text in details.items() if text}
    )


def _with_other(line: Line, player: ReportedPlayer, rating: float | None) -> ReportedPlayer:
    number = " ".join(line.columns(58, 68).replace(";", " ").split())  # a semicolon parts federations
    said = {"national_rating": f"{rating:.0f}" if rating else "", "national_id": number}
    details = dict(player.details)
    for name, value in said.items():
        if value:
            before = f"{details[name]}; " if name in details else ""
            details[name] = f"{before}{line.code} {value}"
    return player._replace(details=details)


def _with_member_id(line: Line, player: ReportedPlayer, member_id: str, findings: Findings) -> ReportedPlayer:
    if player.member_id and member_id and player.member_id != member_id:
        message = f"The member id is {member_id} here and {player.member_id} in another record."
        findings.report("bad-value", line.place, message, "Keep the one that is right.")
        return player
    return player._replace(member_id=member_id or player.member_id)


def _add_datum(line: Line, rows: Rows, findings: Findings) -> None:
    """``DAT 0012 ID:USCF 12345678``; addresses and the like are not kept."""
    found = _DATUM.fullmatch(line.content)
    player = rows.get(int(found["number"])) if found is not None else None
    if found is None or player is None:
        message = f"{line.content[:40]!r} names no player of this file, or nothing about them."
        findings.report("ignored-record", line.place, message)
        return
    add_to = _DATA.get(found["kind"].upper())
    if add_to is None:
        findings.leave_out(f"DAT {found['kind'][:20]}", line, "rating does not need it")
        return
    line = line._replace(owner=f"player {player.number}")
    rows.put(add_to(line, player, found["value"].strip(), findings))


def _with_group(line: Line, player: ReportedPlayer, group: str, findings: Findings) -> ReportedPlayer:
    return player._replace(details={**player.details, "group": group}) if group else player


_DATA: Mapping[str, Callable[[Line, ReportedPlayer, str, Findings], ReportedPlayer]] = {
    "ID:USCF": _with_member_id,
    "GROUP": _with_group,
}


def _add_team(line: Line, rows: Rows, findings: Findings) -> None:
    (first, last), column = TEAM_RECORDS[line.code]
    team = line.columns(first, last)
    for number in numbers_from(line, column, findings) if team else ():
        player = rows.get(number)
        if player is None:
            message = f"The team {team} has a player {number}, who is not in the file."
            findings.report("ignored-record", line.place, message)
        elif "team" not in player.details:
            rows.put(player._replace(details={**player.details, "team": team}))


def _add_byes(line: Line, rows: Rows, findings: Findings, *, has_teams: bool) -> None:
    """Byes that the player lines may leave out; in a team event the numbers are those of teams."""
    code, at = line.columns(5, 5).upper(), whole_number(line, (7, 9), "round", findings)
    if has_teams or not at or at > rows.rounds:
        why = "byes of teams" if has_teams else "byes of rounds that are not played yet"
        findings.leave_out(line.code, line, why)
        return
    if code not in _ROUND_BYES:
        findings.report("ignored-record", line.at(5, 5, "kind of bye"), f"{code!r} is no bye; F, H and Z are.")
        return
    for number in numbers_from(line, 11, findings):
        player = rows.get(number)
        cells = list(player.cells) if player is not None else []
        cells += [NO_CELL] * (at - len(cells))
        if player is None or cells[at - 1] not in (NO_CELL, _bye(code)):
            message = f"There is no player {number}." if player is None else f"Player {number} has a result there."
            findings.report("ignored-record", f"{line.place}, round {at}", message)
            continue
        cells[at - 1] = _bye(code)
        rows.put(player._replace(cells=tuple(cells)))


def _bye(code: str) -> ReportedCell:
    return ReportedCell(f"0000 - {code}", RESULTS[code], 0, "")

"""What other records of a TRF add to its players: national ratings and ids, teams, byes, Tornelo's DAT lines.

TRF26 gives each federation records of its own, with its code in place of 001. Those of USA hold the US Chess rating
and member id; the ratings of other federations are kept as details.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from crosstable.formats.trf_lines import PLAYER, Findings, Line, numbers_from, whole_number
from crosstable.formats.trf_players import (
    NO_CELL,
    RESULTS,
    check_gaps,
    read_birth,
    read_rating,
    starting_rank,
)
from crosstable.terms import ReportedCell, ReportedPlayer

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

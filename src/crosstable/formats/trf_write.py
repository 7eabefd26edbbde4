"""Writing a TRF, as TRF16 or TRF26.

Lines end in CR LF: the format asks for a CR as the last character of every line, files in use end theirs in LF, and
the two together satisfy readers of either habit. Text is UTF-8. TRF16 leaves out the tournament records that came
with TRF26; records with letters for a code, such as USA with the US Chess rating and id, are extensions that older
readers pass over, and stand in both.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats.dates import iso_day
from crosstable.formats.trf import RESULTS, US_CHESS
from crosstable.formats.trf_heading import (
    FIRST_DATE,
    KEPT,
    NO_METHOD,
    SEVERAL,
    kind_of,
    time_controls_of,
    to_code,
    to_text,
)
from crosstable.terms import (
    POINTS,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
    total,
)

LINE_END = "\r\n"
VERSIONS = (16, 26)
LAST_OF_TRF16 = "132"
_CELL = re.compile(r"(?P<opponent>0000|[1-9][0-9]{0,3}) (?P<colour>[wb-])(?: (?P<code>\S))?")
_CODES: Mapping[Result, str] = {
    Result.WIN: "1",
    Result.WIN_ONE_SIDED: "1",
    Result.DRAW: "=",
    Result.DRAW_ONE_SIDED: "=",
    Result.LOSS: "0",
    Result.LOSS_ONE_SIDED: "0",
    Result.FORFEIT_WIN: "+",
    Result.FORFEIT_LOSS: "-",
    Result.FORFEIT_DRAW: "D",
    Result.FULL_BYE: "F",
    Result.HALF_BYE: "H",
    Result.ZERO_BYE: "Z",
    Result.UNPAIRED: "Z",
}
_OF_FEDERATION = re.compile(r"(?P<federation>[A-Z]{3}) (?P<said>.+)")
_SEXES = {"m": "m", "w": "w", "f": "w"}
_EMPTY_CELL = " " * 8
_NEW_DETAILS = frozenset(name for code, name in KEPT.items() if code > LAST_OF_TRF16)
_ROUNDS = "142"
_EXTENSIONS = ("javafo_points", "javafo_settings", "bbp_points")
_SHORT_YEARS = range(1970, 2070)


def write(report: Report, version: int = 26) -> bytes:
    """The TRF of a report with one section; raises ``FormatError`` where it has several or does not fit."""
    if version not in VERSIONS:
        raise _refused(report.place, f"There is no TRF{version}.", "Ask for version 16 or 26.")
    if len(report.sections) != 1:
        message = f"The report has {len(report.sections)} sections, and a TRF holds exactly one."
        raise _refused(report.place, message, "Choose a section.")
    section = report.sections[0]
    if not section.players:
        raise _refused(section.place, "The section has no player, and a TRF needs one.", "Add the players.")
    lines = [*_heading(report, section, version), *_players(section), *_national(section), *_teams(section)]
    return "".join(f"{line}{LINE_END}" for line in lines).encode()


def _refused(place: str, message: str, remedy: str) -> FormatError:
    return FormatError(fault("bad-value", place, message, remedy))


def _heading(report: Report, section: ReportedSection, version: int) -> Iterator[str]:
    texts = _texts(report, section, version)
    for code in sorted(texts):
        if version >= 26 or code <= LAST_OF_TRF16:
            yield from (f"{code} {_plain(text)}".rstrip() for text in texts[code])
    rounds = texts.get(_ROUNDS, ()) if version < 26 else ()
    yield from (f"XXR {_plain(text)}" for text in rounds)
    for name in _EXTENSIONS:
        for part in _parts(report.details.get(name, "")):
            if name != "bbp_points":
                yield f"{_code_of(name)} {part}"
            elif SEVERAL.get(part[:3]) == name:
                yield part


def _parts(text: str) -> list[str]:
    return [_plain(part) for part in text.split("; ") if part]


def _texts(report: Report, section: ReportedSection, version: int) -> dict[str, list[str]]:
    """The records of the tournament: code, and the text of each line."""
    details = {name: text for name, text in report.details.items() if version >= 26 or name not in _NEW_DETAILS}
    texts = {code: [details[name]] for code, name in KEPT.items() if name in details}
    texts["112"] = _parts(details.get("deputy_arbiters", ""))
    names = dict.fromkeys(name for name in (report.name, section.name) if name)
    days = {"042": section.start or report.start, "052": section.end or report.end}
    texts["012"] = [": ".join(names)]
    texts |= {code: [_day(day)] for code, day in days.items() if day is not None}
    texts["062"] = [str(len(section.players))]
    texts["072"] = [str(sum(player.background.fide is not None for player in section.players))]
    texts["082"] = [str(len(_by_team(section)))]
    rounds = details.get("rounds") or section.details.get("rounds")
    if rounds:
        texts[_ROUNDS] = [rounds]
    if "round_dates" in details:
        texts["132"] = [_round_dates(details["round_dates"])]
    if "points" in details:
        texts["162"] = [f" {details['points']}"]  # its first field stands at column 6
    national = next(_national(section), "")
    if national and "ranking_method" not in details:
        texts["172"] = [f"{national[:3]} {NO_METHOD}"]
    return texts | _kind(details, section) | _time_control(details, section)


def _code_of(name: str) -> str:
    return next(code for code, kept in SEVERAL.items() if kept == name)


def _kind(details: Mapping[str, str], section: ReportedSection) -> dict[str, list[str]]:
    """The type of the tournament, where what was read does not say that it is a round robin."""
    is_round_robin = section.kind is SectionType.ROUND_ROBIN
    if is_round_robin == (kind_of(details) is SectionType.ROUND_ROBIN):
        return {}
    return {"092": ["Individual: Round Robin" if is_round_robin else "Individual: Swiss-System"], "192": []}


def _time_control(details: Mapping[str, str], section: ReportedSection) -> dict[str, list[str]]:
    """The time control where what was read does not say it: as text, and coded where the code can say it."""
    controls = section.time_controls
    if controls == time_controls_of(details):
        return {}
    coded = to_code(controls[0]) if len(controls) == 1 else ""
    return {"122": [to_text(controls)] if controls else [], "222": [coded] if coded else []}


def _round_dates(dates: str) -> str:
    slots = [_round_date(iso_day(text)) for text in dates.split()]
    return " " * (FIRST_DATE - 5) + "".join(f"{slot:<10}" for slot in slots)


def _round_date(day: date | None) -> str:
    if day is None:
        return ""
    return f"{day:%y/%m/%d}" if day.year in _SHORT_YEARS else _day(day)


def _day(day: date) -> str:
    return day.isoformat().replace("-", "/")


def _players(section: ReportedSection) -> Iterator[str]:
    for player, (points, rank) in zip(section.players, _standings(section), strict=True):
        details, background = player.details, player.background
        born = _day(background.birth_date) if background.birth_date else details.get("birth_date", "")
        fields = (
            (player.number or 0, 4, "starting rank"),
            (_sex(details.get("sex", "")), 1, "sex"),
            (details.get("title", ""), 3, "title"),
            (_rating(background.fide.rating if background.fide else None), 4, "FIDE rating"),
            (details.get("federation", ""), 3, "federation"),
            (details.get("fide_id", ""), 11, "FIDE number"),
            (born, 10, "birth date"),
            ("" if points is None else _points(points), 4, "points"),
            (rank, 4, "rank"),
        )
        number, sex, title, rating, federation, fide_id, born, score, rank = _fitted(player, fields)
        line = f"001 {number:>4} {sex:1}{title:>3} {_name(player.name)} {rating:>4} {federation:<3} "
        line += f"{fide_id:>11} {born:<10} {score:>4} {rank:>4}"
        cells = "".join(f"  {_cell(cell, player)}" for cell in player.cells)
        yield line + cells if cells else line.rstrip()


def _fitted(player: ReportedPlayer, fields: Iterable[tuple[object, int, str]]) -> list[str]:
    """The texts of fields; one that is wider than its columns is refused, and so is a row without a number."""
    if not player.number:
        raise _refused(player.place, "The player has no number, and a TRF needs one.", "Number the players.")
    texts = []
    for value, width, what in fields:
        text = _plain(str(value)).strip()
        if len(text) > width:
            message = f"The {what} {text!r} does not fit the {width} columns that a TRF has for it."
            raise _refused(player.place, message, "Shorten it.")
        texts.append(text)
    return texts


def _name(name: str) -> str:
    return f"{_plain(name).strip()[:33]:<33}"


def _sex(sex: str) -> str:
    return sex if len(sex) <= 1 else _SEXES.get(sex[0].lower(), "")


def _rating(rating: float | None) -> str:
    return "" if rating is None else str(math.floor(rating + 0.5))


def _points(points: float) -> str:
    return f"{points:.1f}" if points < 100 and points * 10 == int(points * 10) else f"{points:g}"


def _standings(section: ReportedSection) -> list[tuple[float | None, str]]:
    """Points and ranks; computed where another kind of file gave the report, because nobody wrote them down."""
    players = section.players
    if all(_is_trf(cell) for player in players for cell in player.cells):
        return [(player.total, player.details.get("rank", "")) for player in players]
    points = [_score(player) for player in players]
    ranks: dict[float, int] = {}
    for rank, score in enumerate(sorted(points, reverse=True), start=1):
        ranks.setdefault(score, rank)
    return [(score, str(ranks[score])) for score in points]


def _score(player: ReportedPlayer) -> float:
    if player.total is not None:
        return player.total
    return total(POINTS.get(cell.result, 0.0) for cell in player.cells if cell.result is not None)


def _is_trf(cell: ReportedCell) -> bool:
    return not cell.text or _CELL.fullmatch(cell.text) is not None


def _cell(cell: ReportedCell, player: ReportedPlayer) -> str:
    """The eight columns of a round: as it was read where it was read from a TRF, else by the meaning."""
    found = _CELL.fullmatch(cell.text)
    if found is not None and RESULTS.get((found["code"] or "").upper()) is (cell.result or None):
        return f"{found['opponent']:>4} {found['colour']} {_plain(found['code'] or ' ')}"
    if cell.result in (Result.BLANK, Result.OWN_COLUMN):
        return _EMPTY_CELL
    if cell.result is None or cell.opponent > 9999:
        raise _refused(player.place, f"The result {cell.text!r} cannot be written in a TRF.", "Correct it.")
    return f"{cell.opponent or '0000':>4} {cell.colour or '-'} {_CODES[cell.result]}"


def _national(section: ReportedSection) -> Iterator[str]:
    """The records of federations: US Chess, then whatever others were read."""
    for player in section.players:
        title, state = player.details.get("national_title", ""), player.state[:3]
        if title or state or player.member_id or player.pairing_rating is not None:
            yield _national_line(US_CHESS, player, (_rating(player.pairing_rating), player.member_id, title, state))
    for player in section.players:
        ratings, ids = (_by_federation(player.details.get(f"national_{what}", "")) for what in ("rating", "id"))
        for federation in dict.fromkeys([*ratings, *ids]):
            others = ratings.get(federation, ""), ids.get(federation, ""), "", ""
            yield _national_line(federation, player, others)


def _by_federation(text: str) -> dict[str, str]:
    found = (_OF_FEDERATION.fullmatch(part) for part in text.split("; "))
    return {match["federation"]: match["said"] for match in found if match is not None}


def _national_line(code: str, player: ReportedPlayer, said: tuple[str, str, str, str]) -> str:
    rating, member_id, title, origin = said
    fields = (
        (player.number, 4, "number"),
        (title, 3, "national title"),
        (rating, 4, "rating"),
        (origin, 3, "state"),
        (member_id, 11, "member id"),
    )
    number, title, rating, origin, member_id = _fitted(player, fields)
    return f"{code} {number:>4}  {title:>3} {_name('')} {rating:>4} {origin:<3} {member_id:>11}".rstrip()


def _by_team(section: ReportedSection) -> dict[str, list[int]]:
    teams: dict[str, list[int]] = {}
    for player in section.players:
        team = _plain(player.details.get("team", "")).strip()[:32]
        if team:
            teams.setdefault(team, []).append(player.number or 0)
    return teams


def _teams(section: ReportedSection) -> Iterator[str]:
    for team, numbers in _by_team(section).items():
        yield f"013 {team:<32}{' '.join(f'{number:>4}' for number in numbers)}"
    for player in section.players:
        if "group" in player.details:
            yield f"DAT {player.number:04} GROUP {_plain(player.details['group'])}"


def _plain(text: str) -> str:
    """Text that stays in its line: whatever cannot be printed becomes a blank."""
    return "".join(char if char.isprintable() else " " for char in text)

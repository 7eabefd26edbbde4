"""Standings and crosstables that pairing programs publish, as a page or as text, read as the wallcharts they are.

Pages: SwissSys, WinTD, chess-results, Vega and any other table whose titles a wallchart may have; a list of games with
numbers, round by round, is turned into one. Texts: columns lined up with blanks, under a row of such titles; the list
of players that SwissSys exports (``NAME = …``), and that of onlineregistration.cc, which has no titles. Opponents are
the numbers of the first column, whatever they count.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.formats.columns import opens_table, title_score
from crosstable.formats.pages import PageTable, decoded, lines_of, read_page
from crosstable.formats.sheet_rows import MOST_COLUMNS, Row
from crosstable.formats.wallchart import LARGEST, MOST_ROWS, read_rows, table_score
from crosstable.limits import MEMBER_ID_DIGITS

_LOOKED_AT = 200_000
_HEADING = re.compile(
    r"(?:SwissSys [\d.]{1,12} - )?(?:Standings|Wall ?chart|Cross ?table)\. (?P<event>.{1,200}): (?P<section>.{1,200}?)"
    r"(?: \(.{0,100}\))?",
    re.IGNORECASE | re.ASCII,
)
_SERVER = re.compile(r"Chess-Results Server Chess-results\.com - ")
_TWO_RATINGS = re.compile(r"(\S{1,12}) \([^()]{1,12}\)")
_PLAYER_LIST = re.compile(rb"(?:^|[\r\n])\s{0,20}NAME {0,4}=", re.IGNORECASE)
_FIELD = re.compile(r"\s*([A-Za-z][A-Za-z #0-9]{0,20}?)\s*=\s*(.*)")
_FIELD_TITLES = {"id#": "ID", "name": "Name", "rating": "Rating", "title": "Title", "club": "Club", "state": "State"}
_TITLES = {"rate": "Rating", "nimi": "Name"}  # as WinTD and Finnish pages say; Rate is another column of ours
# onlineregistration.cc lists without titles: name, FIDE id and flag, FIDE rating, US Chess id, rating, state, section.
_ENTRY = re.compile(
    r"(?P<name>[^\t]+)\t(?:(?P<fide>\d{1,10})(?: ?\[(?P<flag>[A-Z]{3})\])?)? ?\t(?P<elo>\d{3,4}|Unr\.?|-)?"
    rf"\t(?P<id>\d{{{MEMBER_ID_DIGITS}}})?(?:New|None|N/A|Pending)? ?"
    r"\t(?P<rating>\d{3,4}(?:[P/]\d{1,3})?|Unr\.?|New|-)?\t(?P<state>[A-Z]{2,3})?\t(?P<section>[^\t]*)"
    r"(?:\t(?P<byes>.*))?",
    re.IGNORECASE | re.ASCII,
)
_ENTRY_TITLES = ("Name", "FIDE id", "Federation", "FIDE rating", "ID", "Rating", "State", "Section")
# half-point byes in rounds 2 and 4 are written with the points, a colon, and each round behind an R
_BYES = re.compile(r"(1/2|\u00bd|0\.5|0|1) ?: ?((?:R\d{1,2}[ ,;]{0,3})+)", re.IGNORECASE | re.ASCII)
_BYE_CODES = {"0": "Z", "1": "B"}
_RULE = re.compile(r"[-=_+|\s]+")
_ROUND_WORD = re.compile(r"r|rd|rnd|round", re.IGNORECASE)
_MEMBER_ID = re.compile(rf"\d{{{MEMBER_ID_DIGITS}}}", re.ASCII)
_FEWEST_TITLES = 3


def is_page(data: bytes) -> bool:
    """Whether these bytes are HTML with a table."""
    return b"<table" in data[:LARGEST].lower()


def looks_like(data: bytes) -> bool:
    """Whether this is a page with tables, a list of players, or a text with columns under titles."""
    if is_page(data) or _PLAYER_LIST.search(data[:_LOOKED_AT]):
        return True
    try:
        lines = lines_of(decoded(data[:_LOOKED_AT], ""))
    except FormatError:
        return False
    return any(_is_titles(line) for line in lines) or _are_entries(lines)


def _are_entries(lines: Sequence[str]) -> bool:
    """Whether every line is an entry of a list without titles."""
    found = [_ENTRY.fullmatch(line) for line in lines if line.strip()]
    return None not in found and any(one and one["id"] for one in found)


def read(data: bytes, name: str) -> Reading:
    """Read standings; raises ``FormatError`` where no table has titles that are known."""
    if is_page(data):
        rows = list(_of_page(data, name))
    elif _PLAYER_LIST.search(data[:_LOOKED_AT]):
        rows = list(_of_player_list(lines_of(decoded(data, name)), name))
    elif _are_entries(lines := lines_of(decoded(data, name))):
        rows = list(_of_entries(lines, name))
    else:
        rows = list(_of_text(lines, name))
    if len(rows) > MOST_ROWS or any(len(row.cells) > MOST_COLUMNS for row in rows):
        raise FormatError(fault("not-readable", name, "The tables have more rows or columns than an event can have."))
    return read_rows(rows, name)


def _of_entries(lines: Sequence[str], name: str) -> Iterator[Row]:
    """A list without titles; byes asked for stand in their rounds, and what is no bye in a column that is told of."""
    entries = [(number, found) for number, line in enumerate(lines, 1) if (found := _ENTRY.fullmatch(line))]
    byes = {number: _byes_of(entry["byes"] or "") for number, entry in entries}
    rounds = max((at for cells in byes.values() for at in cells), default=0)
    other = {number: _BYES.sub("", entry["byes"] or "").strip() for number, entry in entries}
    notes = ("Byes asked for",) if any(other.values()) else ()
    yield Row(name, (*_ENTRY_TITLES, *(f"Rd {at}" for at in range(1, rounds + 1)), *notes))
    for number, entry in entries:
        cells = [byes[number].get(at, "") for at in range(1, rounds + 1)]
        yield Row(f"{name}, line {number}", (*entry.groups("")[:-1], *cells, *(other[number] for _ in notes)))


def _byes_of(text: str) -> dict[int, str]:
    """The byes asked for, by round."""
    return {
        int(number): _BYE_CODES.get(found[1], "H")
        for found in _BYES.finditer(text)
        for number in re.findall(r"\d+", found[2])
        if int(number)
    }


def _of_page(data: bytes, name: str) -> Iterator[Row]:
    page = read_page(data, name)
    if any(_is_pairings(table) for table in page.tables):
        message = "The page shows the pairings of a round, not the results of every round."
        raise FormatError(fault("not-readable", name, message, "Save the standings or the crosstable instead."))
    found = [(at, table) for at, table in enumerate(page.tables, 1) if any(map(_score, table.rows))]
    if not found:
        message = "No table of the page names players and rounds in its first row."
        raise FormatError(fault("not-readable", name, message, "Save the page of the standings or the crosstable."))
    event, _ = _named(found[0][1].headings)
    if event or page.title:
        yield Row(name, (f"Event: {event or _SERVER.sub('', page.title)}",))
    for at, table in found:
        place = f"{name}, table {at}"
        yield Row(place, (f"Section: {_named(table.headings)[1]}",))
        first = next(row for row, cells in enumerate(table.rows) if _score(cells) or _is_round(cells))
        for row, cells in enumerate(table.rows[first:], first + 1):
            yield _row(f"{place}, row {row}", cells, is_titles=row == first + 1)


def _row(place: str, cells: Iterable[str], *, is_titles: bool) -> Row:
    """A row for the reader of wallcharts: titles by their usual name, and the first of two ratings in a cell."""
    if is_titles:
        return Row(place, tuple(_TITLES.get(cell.lower(), cell) for cell in cells))
    return Row(place, tuple(_TWO_RATINGS.sub(r"\1", cell) for cell in cells))


def _score(cells: Sequence[str]) -> int:
    return table_score([_TITLES.get(cell.lower(), cell) for cell in cells])


def _is_round(cells: Sequence[str]) -> bool:
    """Whether a row alone says which round follows."""
    return len(cells) == 1 and cells[0].lower().startswith("round ")


def _is_pairings(table: PageTable) -> bool:
    """Whether a table lists White and Black under titles, and nothing in it names a round."""
    titles = [cell.lower() for row in table.rows[:3] for cell in row]
    names_round = any(map(_is_round, table.rows)) or bool({"round", "rd", "rnd"} & set(titles))
    return {"white", "black"} <= set(titles) and not names_round


def _named(headings: Sequence[str]) -> tuple[str, str]:
    """The event and the section that the headings above a table name."""
    for heading in reversed(headings):
        if found := _HEADING.fullmatch(heading):
            return found["event"], found["section"]
    return "", headings[-1][:100] if headings else ""


def _of_player_list(lines: Sequence[str], name: str) -> Iterator[Row]:
    """Players as SwissSys lists them: ``NAME = …``, ``ID# = …``, one block a player; local ids are no member ids."""
    titles = list(dict.fromkeys(_FIELD_TITLES.values()))
    yield Row(name, tuple(titles))
    player: dict[str, str] = {}
    for number, line in enumerate([*lines, ""], 1):
        found = _FIELD.fullmatch(line)
        title = _FIELD_TITLES.get(found[1].lower(), "") if found else ""
        if player and (not line.strip() or title in player):
            yield Row(f"{name}, line {number - len(player)}", tuple(player.get(one, "") for one in titles))
            player = {}
        if found and title:
            is_id = title == "ID"
            player[title] = "" if is_id and not _MEMBER_ID.fullmatch(found[2].strip()) else found[2].strip()


def _of_text(lines: Sequence[str], name: str) -> Iterator[Row]:
    """The tables of a text: lines of titles, and below each the lines that begin with a number."""
    at, before = 0, ""
    while at < len(lines):
        if not _is_titles(lines[at]):
            before = lines[at].strip() or before
            at += 1
            continue
        end = at + 1
        while end < len(lines) and (_is_row(lines[end]) or not lines[end].strip() or _RULE.fullmatch(lines[end])):
            end += 1
        rows = [(row, lines[row].expandtabs()) for row in range(at, end) if row == at or _is_row(lines[row])]
        event, section = _named([before])
        if event:
            yield Row(name, (f"Event: {event}",))
        yield Row(f"{name}, line {at + 1}", (f"Section: {section}",))
        columns = _columns([text for _, text in rows])
        for row, text in rows:
            cells = (text[first:last].strip() for first, last in columns)
            yield _row(f"{name}, line {row + 1}", cells, is_titles=row == at)
        at, before = end, ""


def _is_titles(line: str) -> bool:
    """Whether a line names the columns of a table that are lined up with blanks."""
    pieces = re.split(r"\s{2,}|\t", line.strip()[:2000])
    words = re.findall(r"(?:(?:rd|rnd|round)\.? ?)?\d{1,2}\b|\S+", line[:2000], re.IGNORECASE | re.ASCII)
    return any(opens_table(found) and title_score(found) >= _FEWEST_TITLES for found in (pieces, words))


def _is_row(line: str) -> bool:
    return line.strip()[:1].isdigit()


def _columns(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where the columns stand: they are parted by places that are blank in every line."""
    width = max(map(len, lines))
    is_blank = [all(at >= len(line) or line[at] == " " for line in lines) for at in range(width)]
    found: list[tuple[int, int]] = []
    for at in range(width):
        if is_blank[at]:
            continue
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    columns: list[tuple[int, int]] = []
    for first, last in found:
        title = lines[0][first:last].strip()
        before = lines[0][slice(*columns[-1])].strip() if columns else ""
        if columns and (not title or (title.isdigit() and _ROUND_WORD.fullmatch(before))):
            columns[-1] = (columns[-1][0], last)
        else:
            columns.append((first, last))
    return columns

"""The JSON of the US Chess ratings API (2025 on): standings of rated sections, and members.

Read are a page of standings, a list of them, or a file that people put together: an object with ``event``, ``section``
and ``standings``, or an event whose ``sections`` hold their ``standings``. Ratings to two decimals are preferred to
whole ones. The API says how many games a provisional rating stands on after the section only; the games of the section
are taken off for the count before it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.formats.event_json import LONGEST_CELL, read_cell
from crosstable.formats.json_fields import Fields, load_json
from crosstable.formats.msa_header import DUAL, SYSTEMS
from crosstable.limits import HIGHEST_RATING
from crosstable.rules.editions import EDITIONS, LOWEST_FLOOR
from crosstable.rules.time_controls import split_schedule
from crosstable.sentences import counted
from crosstable.terms import (
    Background,
    Floor,
    FloorKind,
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

LARGEST = 10_000_000
MOST_ROUNDS = 200
MOST_GAMES_A_ROUND = 4
MOST_CELLS = 1_000_000
OUTCOMES: Mapping[str, Result] = {
    "NotReported": Result.BLANK,
    "ReportNoResult": Result.BLANK,
    "Win": Result.WIN,
    "Loss": Result.LOSS,
    "Draw": Result.DRAW,
    "WinAsym": Result.WIN_ONE_SIDED,
    "LossAsym": Result.LOSS_ONE_SIDED,
    "DrawAsym": Result.DRAW_ONE_SIDED,
    "WinForfeit": Result.FORFEIT_WIN,
    "Forfeit": Result.FORFEIT_LOSS,
    "DrawForfeit": Result.FORFEIT_DRAW,
    "ByeFull": Result.FULL_BYE,
    "ByeHalf": Result.HALF_BYE,
    "Unpaired": Result.UNPAIRED,
}
# Game counts of provisional ratings are those after the section; before it, a rating without one may be provisional.
COUNTS_AFTER = "after"
_COLOURS = {"White": "w", "Black": "b"}
_KINDS = {
    "RoundRobin": SectionType.ROUND_ROBIN,
    "DoubleRoundRobin": SectionType.ROUND_ROBIN,
    "FideAdjustment": SectionType.FOREIGN_FIDE,
}


def looks_like(data: bytes) -> bool:
    """Whether this is JSON with the standings of the API."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and b'"roundOutcomes"' in data


def read(data: bytes, name: str) -> Reading:
    """Read standings; raises ``FormatError`` where the file holds none."""
    if len(data) > LARGEST:
        raise FormatError(fault("not-readable", name, f"The file is larger than {LARGEST // 1_000_000} MB."))
    value, faults = load_json(data, name)
    if isinstance(value, list):
        value = {"standings": value}
    top = Fields(value, "", faults)
    event = top.inner("event") if "event" in top else top
    sections = [_section(fields, *_page(holder), faults) for fields, holder in _parts(top, event)]
    if not sections:
        raise FormatError(fault("not-readable", name, "The file holds no standings.", "Save the standings themselves."))
    numbered = tuple(
        section if section.number else section._replace(number=at) for at, section in enumerate(sections, start=1)
    )
    report = Report("", "", None, None, numbered, name)
    is_event = "event" in top or "sections" in top
    return Reading(_described(report, event) if is_event else report, tuple(faults))


def _parts(top: Fields, event: Fields) -> list[tuple[Fields, Fields]]:
    """Every section, and the object that holds its standings."""
    wholes = (top,) if event is top else (top, event)
    holders = [fields for whole in wholes if "sections" in whole for fields in whole.each("sections")]
    found = [(holder, holder) for holder in holders if "standings" in holder or "items" in holder]
    if not found and ("standings" in top or "items" in top):
        found = [(top.inner("section") if "section" in top else top, top)]
    return found


def _page(holder: Fields) -> tuple[list[Fields], Fields]:
    """The rows of the standings, and the page that they stand on; a list is a page of its own."""
    if isinstance(holder.raw("standings"), list):
        return list(holder.each("standings")), holder
    page = holder.inner("standings") if "standings" in holder else holder
    return list(page.each("items", needed=True)), page


def _described(report: Report, event: Fields) -> Report:
    affiliate = event.inner("affiliate")
    details = {
        "city": event.text("city"),
        "state": event.text("stateCode"),
        "zip": event.text("zipCode"),
        "country": event.text("countryCode"),
        "affiliate": affiliate.text("id"),
        **_rated_days(event),
    }
    return report._replace(
        event_id=event.text("id"),
        name=event.text("name"),
        start=event.day("startDate"),
        end=event.day("endDate"),
        details={name: text for name, text in details.items() if text},
    )


def _rated_days(fields: Fields) -> dict[str, str]:
    first, last = fields.day("firstRatedDate"), fields.day("lastRatedDate")
    return {
        "rated": first.isoformat() if first else "",
        "re_rated": last.isoformat() if last and last != first else "",
    }


def _section(fields: Fields, rows: list[Fields], page: Fields, faults: list[Fault]) -> ReportedSection:
    place = fields.place or "standings"
    stated = fields.whole("playerCount")
    if page.flag("hasNextPage") or page.whole("offset"):
        message = "The standings are one page of several."
        faults.append(fault("damaged-file", page.place or "standings", message, "Join all pages in one list."))
    if stated is not None and stated != len(rows):
        message = f"The section says that it has {counted(stated, 'player')}; the file lists {len(rows)}."
        faults.append(fault("damaged-file", place, message, "Save the standings again."))
    code, form, control = fields.text("ratingSystem"), fields.text("format"), fields.text("timeControl")
    details = {
        "system_code": code,
        "type_code": form,
        "rounds": fields.text("roundCount"),
        "fide": "Y" if fields.flag("shouldSubmitToFide") else "",
        "counts": COUNTS_AFTER,
        **_rated_days(fields),
    }
    kind = SectionType.MATCH if form == "Match" and len(rows) == 2 else _KINDS.get(form, SectionType.SWISS)
    return ReportedSection(
        number=fields.whole("number", most=9999) or fields.whole("sectionNumber", most=9999),
        name=fields.text("name") or fields.text("sectionName"),
        kind=kind,
        is_online=bool(fields.flag("isOnline")),
        time_controls=split_schedule(control) if control else (),
        systems=DUAL if code == "D" else tuple(system for name, system in SYSTEMS.items() if name == code),
        start=fields.day("startDate"),
        end=fields.day("endDate"),
        players=_players(rows),
        place=place,
        details={name: text for name, text in details.items() if text},
    )


class _Row(NamedTuple):
    """A row of the standings while it is read: its number, its id, and its outcomes by round."""

    fields: Fields
    number: int | None
    member_id: str
    outcomes: tuple[tuple[int, ReportedCell], ...]


def _players(rows: Sequence[Fields]) -> tuple[ReportedPlayer, ...]:
    """The rows as players, numbered by pairing number where every row has its own, else by their order."""
    pairing = [fields.whole("pairingNumber", most=99999) or 0 for fields in rows]
    by_pairing = len(set(pairing) - {0}) == len(rows)
    ordinals = [fields.whole("ordinal", most=99999) for fields in rows]
    numbers: Sequence[int | None] = pairing if by_pairing else ordinals
    ids = (fields.text("playerId") for fields in rows)
    by_id = {player: number for player, number in zip(ids, numbers, strict=True) if player and number}
    opponent = "opponentPairingNumber" if by_pairing else "opponentOrdinal"
    standings = [
        _Row(fields, number, fields.text("memberId"), tuple(_outcomes(fields, by_id, opponent)))
        for fields, number in zip(rows, numbers, strict=True)
    ]
    columns = _columns(standings)
    if len(rows) * len(columns) * MOST_GAMES_A_ROUND > MOST_CELLS:
        raise FormatError(fault("not-readable", rows[0].place, "The standings are larger than any section's."))
    games = _games(standings)
    return tuple(
        _player(standing, columns, games[_who(standing)], ordinal)
        for standing, ordinal in zip(standings, ordinals, strict=True)
    )


def _outcomes(fields: Fields, by_id: Mapping[str, int], opponent: str) -> list[tuple[int, ReportedCell]]:
    found: list[tuple[int, ReportedCell]] = []
    games: Counter[int] = Counter()
    for item in fields.each("roundOutcomes"):
        round_number = item.whole("roundNumber", least=1, most=MOST_ROUNDS)
        outcome = item.text("outcome")
        number = by_id.get(item.text("opponentPlayerId")) or item.whole(opponent, most=99999) or 0
        if round_number is None:
            if "roundNumber" not in item:
                item.report("missing-field", "roundNumber", "roundNumber is needed.")
            continue
        games[round_number] += 1
        if games[round_number] > MOST_GAMES_A_ROUND:
            item.report("bad-value", "roundNumber", f"Round {round_number} has more than {MOST_GAMES_A_ROUND} games.")
            continue
        result = OUTCOMES.get(outcome)
        if result is None:
            found.append((round_number, ReportedCell(outcome[:LONGEST_CELL], None, 0, "")))
            continue
        colour = _COLOURS.get(item.text("color"), "") if number else ""
        found.append((round_number, read_cell(f"{result.value}{number or ''}{colour}" if result.value else "")))
    return found


def _columns(standings: Sequence[_Row]) -> dict[int, tuple[int, int]]:
    """Where the cells of each round begin and how many they are: two games a round take two columns."""
    most: dict[int, int] = {}
    for standing in standings:
        for number, count in Counter(number for number, _ in standing.outcomes).items():
            most[number] = max(most.get(number, 1), count)
    columns, at = {}, 0
    for number in range(1, max(most, default=0) + 1):
        width = most.get(number, 1)
        columns[number] = (at, width)
        at += width
    return columns


def _who(standing: _Row) -> str:
    return standing.member_id or standing.fields.place


def _games(standings: Sequence[_Row]) -> Counter[str]:
    """The rated games of each member, on all their rows."""
    games: Counter[str] = Counter()
    for standing in standings:
        games[_who(standing)] += sum(cell.result in _RATED for _, cell in standing.outcomes)
    return games


_RATED = frozenset(result for result in Result if result.is_game)


def _player(standing: _Row, columns: Mapping[int, tuple[int, int]], games: int, ordinal: int | None) -> ReportedPlayer:
    fields = standing.fields
    width = sum(width for _, width in columns.values())
    cells = [ReportedCell("", Result.BLANK, 0, "")] * width
    used: Counter[int] = Counter()
    for number, cell in standing.outcomes:
        cells[columns[number][0] + used[number]] = cell
        used[number] += 1
    before, posted = _ratings(fields, games)
    details = {
        "rank": str(ordinal) if ordinal else "",
        "fide_id": fields.text("fideId"),
        "fide_rating": fields.text("fideRating"),
        "federation": fields.text("fideCountry"),
    }
    return ReportedPlayer(
        number=standing.number or None,
        member_id=standing.member_id,
        name=full_name(fields),
        cells=tuple(cells),
        background=Background(before),
        place=fields.place,
        state=fields.text("stateRep"),
        posted=posted,
        total=fields.number("score"),
        details={name: text for name, text in details.items() if text},
    )


def full_name(fields: Fields) -> str:
    """The name of a person of the API as ``Last, First``."""
    return ", ".join(name for name in (fields.text("lastName"), fields.text("firstName")) if name)


def _ratings(fields: Fields, games: int) -> tuple[dict[RatingSystem, PlayerRating], dict[RatingSystem, Posted]]:
    before, posted = {}, {}
    for item in fields.each("ratings"):
        system = SYSTEMS.get(item.text("ratingSystem"))
        if system is None:
            continue
        pre, post = rating_of(item, "preRating"), rating_of(item, "postRating")
        count = item.number("postProvisionalGameCount")
        if pre is not None:
            earlier = None if count is None else count - games
            before[system] = PlayerRating(pre, earlier if earlier is not None and earlier >= 0 else None)
        if post is not None:
            posted[system] = Posted(post, count)
    return before, posted


def rating_of(item: Fields, name: str) -> float | None:
    """A rating with its decimals; rows from before decimals were kept say 0 there."""
    whole, decimal = item.number(name, most=HIGHEST_RATING), item.number(f"{name}Decimal", most=HIGHEST_RATING)
    return decimal or whole


class Member(NamedTuple):
    """A member of the API: id, name, and what the API knows of the ratings; and every fault of the file."""

    member_id: str
    name: str
    background: Background
    faults: tuple[Fault, ...]


def read_member(data: bytes, name: str) -> Member:
    """Read a member object; raises ``FormatError`` where the file is no JSON."""
    value, faults = load_json(data, name)
    fields = Fields(value, "", faults)
    background = member_background(fields)
    return Member(fields.text("id", needed=True), full_name(fields), background, tuple(faults))


def member_background(fields: Fields) -> Background:
    """What a member object says of the ratings; its floor counts as one that the office knows."""
    established_above = EDITIONS[-1].constants.established_above
    standings: dict[RatingSystem, PlayerRating] = {}
    outside: dict[str, OutsideRating] = {}
    for item in fields.each("ratings"):
        code, rating = item.text("ratingSystem"), item.number("rating", most=HIGHEST_RATING)
        games, floor = item.number("gamesPlayed"), item.number("floor", least=LOWEST_FLOOR, most=HIGHEST_RATING)
        is_provisional = item.flag("isProvisional")
        if rating is None:
            continue
        if code in ("F", "CFC"):
            outside[code] = OutsideRating(rating)
        elif code in SYSTEMS:
            if is_provisional is False and games is not None and games <= established_above:
                games = None  # established, so this is not the count of all games
            floors = () if floor is None else (Floor(FloorKind.OFFICE, floor),)
            standings[SYSTEMS[code]] = PlayerRating(rating, games, floors=floors)
    return Background(standings, outside.get("F"), outside.get("CFC"))

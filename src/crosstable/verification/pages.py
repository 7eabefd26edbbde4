"""A page: one posted section in one system, with the law as it was known when it was last rated (readings 111)."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import NamedTuple

from crosstable.checks import CheckedSection, check
from crosstable.errors import TimeControlError
from crosstable.rules.editions import Calendar, edition_known_on
from crosstable.rules.time_controls import parse_time_control
from crosstable.terms import (
    AS_ONE_SIDED,
    MIRRORED,
    Background,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    SectionType,
)

# Online pages last rated by this day follow a fault that was repaired afterwards (readings 103).
LAST_DAY_OF_ONLINE_FAULT = date(2021, 6, 16)
ONLINE_FAULT = "online_fault"
CORRECTED_SINCE = "corrected_since"


class Page(NamedTuple):
    """One posted section in one system; ``apart`` names why it is not compared, if it is not."""

    event_id: str
    checked: CheckedSection
    system: RatingSystem
    players: dict[int, ReportedPlayer]
    rated_on: date | None
    apart: str

    @property
    def order(self) -> tuple[date, date, str, int]:
        """The place of the section in the fold (readings 83)."""
        section = self.checked.section
        return section.end, section.start, self.event_id, section.number


def pages_of(report: Report, calendar: Calendar = Calendar.LISTED) -> Iterator[Page]:
    """The pages of a report: every section that can be rated, once per system with posted figures."""
    as_posted = report._replace(sections=tuple(_as_posted(section) for section in report.sections))
    for checked in check(as_posted, calendar=calendar, is_posted=True).sections:
        section = checked.report
        rated_on = _rated_on(section.details) or _rated_on(report.details)
        players = {player.number: player for player in section.players if player.number is not None}
        if rated_on is not None:
            start, end = checked.section.start, checked.section.end
            checked = checked._replace(edition=edition_known_on(rated_on, calendar, start, end))
        for system in checked.section.systems:
            if any(system in player.posted for player in section.players):
                yield Page(report.event_id, checked, system, players, rated_on, _apart(section, system, rated_on))


def _rated_on(details: Mapping[str, str]) -> date | None:
    """The day on which a section, or a whole event, was last rated."""
    days = [details[name] for name in ("rated", "re_rated") if name in details]
    return date.fromisoformat(max(days)) if days else None


def _apart(section: ReportedSection, system: RatingSystem, rated_on: date | None) -> str:
    if CORRECTED_SINCE in section.details:
        return CORRECTED_SINCE
    if system.is_online and rated_on is not None and rated_on <= LAST_DAY_OF_ONLINE_FAULT:
        return ONLINE_FAULT
    return ""


def _as_posted(section: ReportedSection) -> ReportedSection:
    """A section as its page was rated: a result that the other row lacks counts on its own row (readings 92).

    A page coded as a match but with more than two players is an ordinary section: the results show its bonus. Where
    no systems are named, those of the posted ratings are the section's, whatever its time control; a control of a
    published page that cannot be read loses nothing then.
    """
    posted = {system for player in section.players for system in player.posted}
    section = section._replace(systems=section.systems or tuple(sorted(posted)))
    is_published = _rated_on(section.details) is not None
    if is_published and section.systems and not all(_is_control(text) for text in section.time_controls):
        section = section._replace(time_controls=())
    if section.kind is SectionType.MATCH and len(section.players) != 2:
        section = section._replace(kind=SectionType.SWISS)
    if section.kind is SectionType.ROUND_ROBIN or not is_published:
        return section
    rows = {player.number: player for player in section.players}
    players = tuple(player._replace(cells=_one_sided(player, rows)) for player in section.players)
    return section._replace(players=players)


def _is_control(text: str) -> bool:
    try:
        parse_time_control(text)
    except TimeControlError:
        return False
    return True


def _one_sided(player: ReportedPlayer, rows: dict[int | None, ReportedPlayer]) -> tuple[ReportedCell, ...]:
    cells = []
    for at, cell in enumerate(player.cells):
        other = rows.get(cell.opponent)
        if cell.result in MIRRORED and other is not None:
            seen = other.cells[at] if at < len(other.cells) else None
            if seen is None or seen.opponent != player.number or seen.result is not MIRRORED[cell.result]:
                cell = cell._replace(result=AS_ONE_SIDED[cell.result])
        cells.append(cell)
    return tuple(cells)


def clean_rows(page: Page) -> set[int]:
    """The rows of which all inputs are known: the player's own, the opponents' and their opponents'."""
    meets = {number: {cell.opponent for cell in _games(page, number)} for number in page.players}
    against = {number for number in page.players if contradicts_itself(page, number)}
    hidden = {number for number, player in page.players.items() if not is_known(page, player.background)}
    found = set()
    for number, player in page.players.items():
        quality, first = player.details.get("quality"), meets[number]
        if quality is None or quality == "clean":
            around = {number}.union(first, *(meets[one] for one in first))
            is_known_by_now = quality is not None or (bool(first) and around.isdisjoint(hidden))
            if is_known_by_now and around.isdisjoint(against):
                found.add(number)
    return found


def circle(page: Page, numbers: set[int], hops: int) -> set[int]:
    """Players, their opponents, and so on for so many hops."""
    around = set(numbers)
    for _ in range(hops):
        around |= {cell.opponent for one in around for cell in _games(page, one)}
    return around


def contradicts_itself(page: Page, number: int) -> bool:
    """Whether a page's counts before and after cannot both be right: N grows by m (§7), so the input is not known."""
    player = page.players[number]
    posted = player.posted.get(page.system)
    standing = player.background.standings.get(page.system)
    if posted is None or standing is None or standing.games is None or posted.games is None:
        return False
    if standing.games + len(_games(page, number)) == posted.games:
        return False
    return sum(other.member_id == player.member_id for other in page.players.values()) == 1  # else a re-entry


def _games(page: Page, number: int) -> list[ReportedCell]:
    cells = page.players[number].cells
    return [cell for cell in cells if cell.result is not None and cell.result.is_game and cell.opponent in page.players]


def is_known(page: Page, background: Background) -> bool:
    """Whether a player's rating or start is given; a published page does not give what a start is computed from."""
    if page.system in background.standings or background.given_start is not None:
        return True
    has_source = bool(background.standings) or background.fide is not None
    is_given = has_source or background.born is not None or background.adult is not None
    return is_given and page.rated_on is None

"""A page: one posted section in one system, with the law as it was known when it was last rated (readings 111).

Rows: what was computed beside what was posted, and the verdict.

Named quirks of official pages: never the default, only for telling a fault of the past from one of ours.
"""

import math
from collections.abc import Iterator, Mapping
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from crosstable.checks import CheckedSection, check
from crosstable.engine import RatedPlayer, RatedSection, rate
from crosstable.engine.rating import Steps
from crosstable.errors import TimeControlError
from crosstable.formulas.outcome import stored_first, stored_whole
from crosstable.formulas.steps import Field, PassColumns, Sheet, five_steps, formula_for, one_pass, step_2, step_3
from crosstable.rules.amending import Edition
from crosstable.rules.constants import CONSTANTS_2001, Constants
from crosstable.rules.editions import Calendar, edition_known_on
from crosstable.rules.time_controls import parse_time_control
from crosstable.terms import (
    AS_ONE_SIDED,
    MIRRORED,
    Background,
    FloorKind,
    Formula,
    Key,
    KRule,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Section,
    SectionType,
)

# Online pages last rated by this day follow a fault that was repaired afterwards (readings 103).
LAST_DAY_OF_ONLINE_FAULT = date(2021, 6, 16)
ONLINE_FAULT = "online_fault"
CORRECTED_SINCE = "corrected_since"


class Page(NamedTuple):
    """One posted section in one system; ``apart`` names why it is not compared, if it is not."""

    checked: CheckedSection
    system: RatingSystem
    players: dict[int, ReportedPlayer]
    rated_on: date | None
    apart: str

    @property
    def backgrounds(self) -> dict[int, Background]:
        """What the players bring by what the page shows."""
        return self.checked.section.backgrounds

    @property
    def event_id(self) -> str:
        """The event that the section is of."""
        return self.checked.section.event_id

    @property
    def order(self) -> Key:
        """The place of the section in the replay."""
        return self.checked.section.key


# The posted figure is a whole number and so was the pre-event rating it was computed from; each is off by up to a
# half, and an unrounded rating moves its owner and their opponents by at most as much as itself.
WITHIN = 1.0
WITHIN_DECIMALS = 0.01
EXACT_PAGES_FROM = date(2004, 1, 1)


class Verdict(StrEnum):
    """What became of the comparison of one row."""

    WITHIN = "within_1"
    AT_FLOOR = "at_floor"
    UNEXPLAINED = "unexplained"


class Row(NamedTuple):
    """One player of one page: computed, posted, and the verdict; ``is_clean`` says whether it counts.

    ``inputs_known``: with carried state, nothing that bears on the row is hidden, floors apart.
    ``is_whole_number_era``: whole numbers were stored, and the page was last rated in 2004 or later, so that the
    figures are exact to the point. ``is_floor_level``: a floor can stand at the posted figure. ``tried``: what would
    give the posted figure of a row that differs, the likeliest first, and what it gives.
    """

    event: str
    section: int
    system: RatingSystem
    number: int
    member_id: str
    era: str
    start: date
    pre: float
    computed: float
    posted: float
    is_clean: bool
    verdict: Verdict
    floor_kind: FloorKind
    is_whole_number_era: bool
    is_floor_level: bool
    cause: str = ""
    inputs_known: bool = False
    tried: tuple[tuple[str, float], ...] = ()

    @property
    def error(self) -> float:
        """Posted less computed."""
        return self.posted - self.computed

    @property
    def has_decimals(self) -> bool:
        """Whether the posted figure is more than a whole number."""
        return self.posted != math.floor(self.posted)


# The program that rated before this day stored whole numbers after each pass (readings 81).
NEW_PROGRAM_FROM = date(2004, 1, 1)

FAULT = "an error in online ratings that was repaired after June 16, 2021"
REPAIRED = "the rules without the error in online ratings that was repaired after June 16, 2021"


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
                yield Page(checked, system, players, rated_on, _apart(section, system, rated_on))


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


def verdict_of(constants: Constants, pre: float, computed: float, posted: float) -> Verdict:
    """Within one point, stopped at a floor that the row alone does not show, or neither (§5)."""
    if math.fabs(posted - computed) <= WITHIN:
        return Verdict.WITHIN
    is_stopped = posted > computed and is_floor_level(constants, pre, posted)
    return Verdict.AT_FLOOR if is_stopped else Verdict.UNEXPLAINED


def is_floor_level(constants: Constants, pre: float, posted: float) -> bool:
    """Whether a floor can stand at a posted figure: the lowest ones, or a hundred not above the rating before (§5)."""
    lowest = min(constants.peak_lowest, constants.peak_lowest_since_2010)
    is_between = lowest <= posted <= constants.life_master_level and posted <= pre
    return posted <= constants.personal_floor_top or (is_between and posted % constants.peak_step == 0)


def judged(row: Row, computed: float) -> Verdict:
    """The verdict on a row if this were computed."""
    if math.fabs(row.posted - computed) <= WITHIN:
        return Verdict.WITHIN
    return Verdict.AT_FLOOR if row.posted > computed and row.is_floor_level else Verdict.UNEXPLAINED


def is_right(row: Row, verdict: Verdict, computed: float) -> bool:
    """Whether nothing is left to explain on a row: while whole numbers were stored, only to the point."""
    if verdict is Verdict.WITHIN and row.is_whole_number_era:
        return computed == row.posted or (row.is_floor_level and computed < row.posted)
    return verdict is not Verdict.UNEXPLAINED


def rows_of(page: Page, rated: RatedSection) -> list[Row]:
    """The rows of a rated page that have a posted figure; a re-entry counts once, on its first row."""
    rows, clean, brought = [], clean_rows(page), page.backgrounds
    for player in rated.players:
        posted = page.players[player.number].posted.get(page.system)
        is_second_row = any(other < player.number for other in player.merged_with)
        if posted is None or player.after is None or not player.games or is_second_row:
            continue
        shown = brought[player.number].standings.get(page.system)
        rows.append(_row(page, rated, player, shown, posted.rating, is_clean=player.number in clean))
    return rows


def _row(
    page: Page, rated: RatedSection, player: RatedPlayer, shown: PlayerRating | None, posted: float, *, is_clean: bool
) -> Row:
    assert player.after is not None
    pre = player.prior if shown is None else shown.rating
    highest_floor = -math.inf if shown is None else pre  # who was unrated has no hundred for a floor
    computed = player.after.rating
    start = rated.section.start
    return Row(
        event=page.event_id,
        section=rated.section.number,
        system=page.system,
        number=player.number,
        member_id=player.member_id,
        era=rated.edition.name,
        start=start,
        pre=pre,
        computed=computed,
        posted=posted,
        is_clean=is_clean,
        verdict=verdict_of(rated.edition.constants, highest_floor, computed, posted),
        floor_kind=player.outcome.floor_kind,
        is_whole_number_era=rated.edition.constants.stores_whole_numbers
        and page.rated_on is not None
        and page.rated_on >= EXACT_PAGES_FROM,
        is_floor_level=is_floor_level(rated.edition.constants, highest_floor, posted),
    )


def with_online_fault(page: Page) -> Page:
    """A page of before 2021-06-17 online, rated with the fault of that time: K = 800/(2N' + m) (readings 103)."""
    if page.apart != ONLINE_FAULT:
        return page
    edition = page.checked.edition
    faulty = edition._replace(constants=edition.constants._replace(k_effective_weight=2.0))
    return page._replace(checked=page.checked._replace(edition=faulty), apart="")


def without_online_fault(edition: Edition) -> Edition:
    """The rules that such a page is rated under, without the fault; others as they are."""
    weight = CONSTANTS_2001.k_effective_weight
    if edition.constants.k_effective_weight == weight:
        return edition
    return edition._replace(constants=edition.constants._replace(k_effective_weight=weight))


def is_of_old_program(page: Page) -> bool:
    """Whether a page was last rated by the program of before 2004; that of since then rates older sections its way."""
    is_older = page.rated_on is not None and page.rated_on < NEW_PROGRAM_FROM
    return is_older and page.checked.edition.constants.stores_whole_numbers


def steps_of(page: Page) -> Steps:
    """The steps by which a page was rated."""
    return old_steps if is_of_old_program(page) else five_steps


def old_steps(constants: Constants, rule: KRule, field: Field, sheet: Sheet) -> bool:
    """The five steps as the program of before 2004 took them: both passes end in whole numbers (readings 81)."""
    step_2(constants, field, sheet)
    third = step_3(constants, field, sheet)
    fourth = one_pass(constants, rule, field, sheet, sheet.strength, sheet.intermediate)
    _store(constants, field, sheet.intermediate)
    fifth = one_pass(constants, rule, field, sheet, sheet.intermediate.rating, sheet.final)
    _store(constants, field, sheet.final)
    return third and fourth and fifth


def _store(constants: Constants, field: Field, result: PassColumns) -> None:
    for at, prior in enumerate(field.prior):
        if field.first[at] < field.first[at + 1]:
            formula = formula_for(constants, field.games[at], field.past[at])
            result.computed[at] = stored_by_pass(formula, prior, result.computed[at])
            result.rating[at] = max(result.computed[at], constants.absolute_floor)


def stored_by_pass(formula: Formula, prior: float, computed: float) -> float:
    """What that program kept of a pass: a special rating to the nearest, a standard one up on a gain, else down."""
    return stored_first(computed) if formula is Formula.SPECIAL else stored_whole(prior, computed)


def rated_as_then(
    page: Page, backgrounds: Mapping[int, Background], section: Section | None = None, edition: Edition | None = None
) -> RatedSection:
    """A page rated by the program of its day, or a section that was read otherwise, or under other rules."""
    checked = page.checked._replace(edition=edition or page.checked.edition)
    steps = steps_of(page._replace(checked=checked))
    return rate((section or checked.section).with_backgrounds(backgrounds), page.system, checked.edition, steps)

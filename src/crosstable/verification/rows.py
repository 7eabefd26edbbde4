"""Rows: what was computed beside what was posted, and the verdict."""

import math
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.rules.constants import Constants
from crosstable.terms import FloorKind, RatingSystem
from crosstable.verification.pages import Page, clean_rows

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
    rows, clean = [], clean_rows(page)
    for player in rated.players:
        posted = page.players[player.number].posted.get(page.system)
        is_second_row = any(other < player.number for other in player.merged_with)
        if posted is None or player.after is None or not player.games or is_second_row:
            continue
        rows.append(_row(page, rated, player, posted.rating, is_clean=player.number in clean))
    return rows


def _row(page: Page, rated: RatedSection, player: RatedPlayer, posted: float, *, is_clean: bool) -> Row:
    assert player.after is not None
    shown = page.checked.backgrounds[player.number].standings.get(page.system)
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

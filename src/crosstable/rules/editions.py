"""The rules on a day: every edition, and the two calendars that pick one for a section (§8).

``edition_for(section_start)`` is the default calendar: the 2025 list, keyed to the day a section starts.
``announced_edition_for`` is the calendar of the announcements of the time, which were keyed to the day a
section ends. A section before 2001 has no edition, and asking for one is an error.
"""

from bisect import bisect_right
from datetime import date
from enum import StrEnum
from functools import lru_cache

from crosstable.errors import NoEditionError
from crosstable.rules.amending import Amendment, Edition, fold
from crosstable.rules.amendments import AMENDMENTS, FIRST_EDITION


class Calendar(StrEnum):
    """Which dates pick the edition: the 2025 list by section start, or the notices by section end (readings 1)."""

    LISTED = "listed"
    ANNOUNCED = "announced"


EDITIONS = fold(FIRST_EDITION, AMENDMENTS)
LAW_SEEN_THROUGH = date(2025, 7, 26)  # readings 113


def changed_on(rule: str) -> date:
    """The day on which an amendment first changed a rule."""
    return next(amendment.effective for amendment in AMENDMENTS if rule in amendment.changes)


def last_changed(edition: Edition, rule: str) -> date:
    """The day since which a rule is as an edition has it: of the last amendment that changed it, or of the first."""
    changes = [amendment.effective for amendment in edition.amendments if rule in amendment.changes]
    return changes[-1] if changes else edition.amendments[0].effective


HALF_K_ENDED = changed_on("half_k_is_allowed")
# Peaks of sections that end from this day on earn the floors that were added below the older ones (readings 94).
PEAKS_COUNT_FROM = changed_on("peak_lowest_since_2010")
# What no edition has ever gone beyond, for input that names no day.
LOWEST_FLOOR = min(edition.constants.absolute_floor for edition in EDITIONS)
MOST_CREDITED_GAMES = max(edition.constants.credited_cap for edition in EDITIONS)


def edition_for(section_start: date) -> Edition:
    """The edition in force for a section starting on this date (§8; readings 1, 2, 12, 85)."""
    # On its own date a rule holds: §8 says "at or after" (readings 12).
    at = bisect_right(EDITIONS, section_start, key=lambda edition: edition.effective)
    if at == 0:
        raise _no_edition(section_start)
    return EDITIONS[at - 1]


def doubts(section_start: date) -> tuple[Amendment, ...]:
    """The amendments whose date is assumed and whose true date may lie on the other side of this day (readings 11)."""
    return tuple(a for a in AMENDMENTS if a.could_be and a.could_be[0] <= section_start <= a.could_be[1])


def announced_edition_for(section_start: date, section_end: date) -> Edition:
    """The edition by the announcements of the time, which counted from the day a section ended."""
    if section_start < FIRST_EDITION.effective:
        raise _no_edition(section_start)
    return _folded(tuple(_was_announced_for(a, section_start, section_end) for a in AMENDMENTS))


def edition_by(calendar: Calendar, section_start: date, section_end: date) -> Edition:
    """The edition of a section under either calendar."""
    if calendar is Calendar.ANNOUNCED:
        return announced_edition_for(section_start, section_end)
    return edition_for(section_start)


def edition_known_on(known_on: date, calendar: Calendar, section_start: date, section_end: date) -> Edition:
    """The edition of a section as a page rated on that day knew it: without rules announced later (readings 111)."""
    if section_start < FIRST_EDITION.effective:
        raise _no_edition(section_start)
    if calendar is Calendar.ANNOUNCED:
        in_force = (_was_announced_for(a, section_start, section_end) for a in AMENDMENTS)
    else:
        in_force = (section_start >= a.effective for a in AMENDMENTS)
    # A page shows what was known when it was last rated; late announcements reached older sections by rerates only.
    was_known = (a.announced is None or a.announced <= known_on or a.announced <= a.effective for a in AMENDMENTS)
    return _folded(tuple(one and other for one, other in zip(in_force, was_known, strict=True)))


def _was_announced_for(amendment: Amendment, section_start: date, section_end: date) -> bool:
    # New systems and what came with them went by the start in the announcements too.
    if amendment.keyed_to_start:
        return section_start >= amendment.effective
    return section_end >= (amendment.ended_from or amendment.effective)


@lru_cache(maxsize=256)
def _folded(in_force: tuple[bool, ...]) -> Edition:
    chosen = [a for a, is_in_force in zip(AMENDMENTS, in_force, strict=True) if is_in_force]
    return fold(FIRST_EDITION, chosen)[-1]


def _no_edition(section_start: date) -> NoEditionError:
    return NoEditionError(
        f"no rules are known for a section starting {section_start}: the rating system of these documents "
        f"began on {FIRST_EDITION.effective}"
    )

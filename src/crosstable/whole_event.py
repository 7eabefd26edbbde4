"""A whole checked event, rated: every section in every system it belongs to.

Dual-rated sections are rated twice, each time from what the players brought; neither sees the other's result. Ratings
that come from a members file or an office chain: a member's later section starts where the earlier one ended.
"""

from collections.abc import Mapping
from typing import NamedTuple

from crosstable.catalogue import fault
from crosstable.checks import CheckedEvent, CheckedSection
from crosstable.engine import RatedPlayer, RatedSection, rate
from crosstable.engine.records import Assumption
from crosstable.errors import Fault, Severity, UnsupportedEditionError
from crosstable.terms import Background, RatingSystem, Report, Standing

FEWEST_ESTABLISHED = 26.0
# A range narrower than this is no range.
NARROW = 0.005

Ranges = Mapping[tuple[int, RatingSystem, int], tuple[float, float]]
NO_RANGES: Ranges = {}


class RatedEvent(NamedTuple):
    """An event's report, its rated sections by section and system, and every fault and warning.

    ``ranges`` holds, by section, system and player, the least and the greatest result where an assumption matters.
    """

    report: Report
    sections: tuple[tuple[RatedSection, ...], ...]
    faults: tuple[Fault, ...]
    ranges: Ranges = NO_RANGES

    @property
    def has_errors(self) -> bool:
        """Whether any fault stopped a section from being rated."""
        return any(found.severity is Severity.ERROR for found in self.faults)


def rate_event(checked: CheckedEvent, chained: frozenset[str] = frozenset(), *, with_ranges: bool = True) -> RatedEvent:
    """Rate every section that passed its checks; a rule that is missing becomes a fault of its section.

    ``chained`` names the members whose ratings follow from section to section, in the order of the fold. Where nobody
    asks what a missing count or age may change (``ranges``), a section with such players is not rated again for it.
    """
    faults = list(checked.faults)
    rated: dict[int, tuple[RatedSection, ...]] = {}
    ranges: dict[tuple[int, RatingSystem, int], tuple[float, float]] = {}
    latest: dict[str, dict[RatingSystem, Standing]] = {}
    order = sorted(range(len(checked.sections)), key=lambda at: _order(checked.sections[at]))
    for at in order:
        section = _chained(checked.sections[at], latest)
        try:
            rated[at] = tuple(
                rate(section.section, system, section.backgrounds, section.edition)
                for system in section.section.systems
            )
        except UnsupportedEditionError as error:
            text = str(error)
            place = f"section {section.section.number}"
            faults.append(fault("rule-not-found", place, f"{text[0].upper()}{text[1:]}."))
            continue
        for by_system in rated[at]:
            if with_ranges:
                ranges.update(_ranges(section, by_system))
            _remember(by_system, latest, chained)
    return RatedEvent(checked.report, tuple(rated[at] for at in sorted(rated)), tuple(faults), ranges)


def _order(section: CheckedSection) -> tuple[object, ...]:
    return section.section.end, section.section.start, section.section.number


def _chained(section: CheckedSection, latest: Mapping[str, Mapping[RatingSystem, Standing]]) -> CheckedSection:
    """The section with what its chained members now have."""
    if not latest:
        return section
    backgrounds = dict(section.backgrounds)
    for entry in section.section.entries:
        if entry.member_id in latest:
            background = backgrounds[entry.number]
            standings = {**background.standings, **latest[entry.member_id]}
            backgrounds[entry.number] = background._replace(standings=standings)
    return section._replace(backgrounds=backgrounds)


def _remember(rated: RatedSection, latest: dict[str, dict[RatingSystem, Standing]], chained: frozenset[str]) -> None:
    for player in rated.players:
        if player.member_id in chained and player.games and player.after is not None:
            latest.setdefault(player.member_id, {})[rated.system] = player.after


def _ranges(section: CheckedSection, rated: RatedSection) -> dict[tuple[int, RatingSystem, int], tuple[float, float]]:
    """What results may be where a count or an age is not known: the other case rated too, and both together."""
    ages = {player.number for player in rated.players if Assumption.NOT_ADULT in player.assumed}
    counts = {player.number for player in rated.players if Assumption.GAMES in player.assumed}
    cases = [(ages, set[int]()), (set[int](), counts), (ages, counts)] if ages and counts else [(ages, counts)]
    if not ages and not counts:
        return {}
    results = {player.number: [_result(player)] for player in rated.players if player.games}
    for adults, established in cases:
        backgrounds = _otherwise(section.backgrounds, rated.system, adults, established)
        other = rate(section.section, rated.system, backgrounds, section.edition)
        for player in other.players:
            if player.games:
                results[player.number].append(_result(player))
    return {
        (section.section.number, rated.system, number): (min(values), max(values))
        for number, values in results.items()
        if max(values) - min(values) > NARROW
    }


def _result(player: RatedPlayer) -> float:
    assert player.after is not None
    return player.after.rating


def _otherwise(
    backgrounds: Mapping[int, Background], system: RatingSystem, adults: set[int], established: set[int]
) -> dict[int, Background]:
    """The other case of each assumption: an adult after all, an established rating on as few games as can be."""
    changed = dict(backgrounds)
    for number in adults:
        changed[number] = changed[number]._replace(adult=True)
    for number in established:
        standing = changed[number].standings[system]._replace(games=FEWEST_ESTABLISHED)
        changed[number] = changed[number]._replace(standings={**changed[number].standings, system: standing})
    return changed


def with_plausibility(event: RatedEvent) -> RatedEvent:
    """The event with the warnings that only its result shows."""
    from crosstable.checks.places import section_number
    from crosstable.checks.plausibility import plausibility

    reports = {section_number(section, at): section for at, section in enumerate(event.report.sections)}
    found = [
        fault
        for by_system in event.sections
        for rated in by_system
        for fault in plausibility(rated, reports.get(rated.section.number))
    ]
    return event._replace(faults=(*event.faults, *found))

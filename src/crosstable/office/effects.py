"""What a correction would do to the ratings of its own event, before anybody sends or accepts it."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from crosstable.engine import RatedSection
from crosstable.errors import Fault
from crosstable.office.checking import check_submission
from crosstable.office.ledger.facts import Record, State
from crosstable.office.mending import ChangedResult, with_member, with_result
from crosstable.office.sections import reported_event
from crosstable.office.submissions import event_of
from crosstable.office.views import rated_section
from crosstable.terms import RatingSystem, Report


class Effect(NamedTuple):
    """A rating that an event as it would be gives otherwise than it is posted; ``None`` where there is none."""

    section: int
    system: RatingSystem
    number: int
    name: str
    posted: float | None
    would_be: float | None


def mended(record: Record, event_id: str, how: ChangedResult | tuple[str, str]) -> Report:
    """An event of the record with one result, or one member id, put right."""
    report = reported_event(record, event_of(record, event_id))
    return with_result(report, how) if isinstance(how, ChangedResult) else with_member(report, *how)


def effects_of(record: Record, run: int, report: Report, today: date) -> tuple[list[Effect], tuple[Fault, ...]]:
    """What an event as it would be changes in the ratings of its own players, and every finding about it."""
    checked = check_submission(record, report, (), today)
    seen = Record(record.connection, run)
    standing = [one for one in seen.headings_of(report.event_id) if one.state is State.ACCEPTED]
    posted = [one for heading in standing for one in rated_section(seen, run, heading)]
    before, after = _ratings(posted), _ratings([one for some in checked.rated.rated for one in some])
    found = [
        Effect(*key, (after.get(key) or before[key])[0], _rating(before.get(key)), _rating(after.get(key)))
        for key in sorted(before.keys() | after.keys())
        if _rating(before.get(key)) != _rating(after.get(key))
    ]
    return found, checked.faults


def _ratings(rated: Sequence[RatedSection]) -> dict[tuple[int, RatingSystem, int], tuple[str, float | None]]:
    return {
        (one.section.number, one.system, player.number): (
            player.name or player.member_id,
            None if player.after is None else player.after.rating,
        )
        for one in rated
        for player in one.players
    }


def _rating(found: tuple[str, float | None] | None) -> float | None:
    return None if found is None else found[1]

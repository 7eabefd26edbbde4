"""Ratings derived anew: all of them, what entries after a run touch, or one section from what was posted before it."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from crosstable.engine import RatedSection
from crosstable.errors import NoEditionError
from crosstable.history.archive_contents import decisions_of, openings_of, sections_of
from crosstable.office.bulk.causes import pending_since, sections_since
from crosstable.office.bulk.due import POSTING, Due, Replay, Span, span_of
from crosstable.office.bulk.frames import frame_of
from crosstable.office.bulk.hashes import digests_of, sum_of
from crosstable.office.bulk.interpreted import Interpreted, OfficeSections, records_of
from crosstable.office.bulk.record import known_at, known_for_replay, known_of_section, known_since
from crosstable.office.bulk.run import compiled_replay, is_worth_compiling
from crosstable.office.bulk.steps import KEY, STORED, current_since, records_before, steps_of
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.facts import Heading, Record, State
from crosstable.office.ledger.postings import LAYOUT, Key, Posting, PostingKey
from crosstable.office.ledger.runs import Progress, in_silence
from crosstable.replaying import DAWN


class Derived(NamedTuple):
    """Every posting that follows from the record, and the sections that no known rule can rate."""

    postings: Mapping[PostingKey, Posting]
    unratable: Mapping[Key, str]


def derived(record: Record, progress: Progress = in_silence) -> Derived:
    """Every posting of an office, from nothing, by the interpreted engine."""
    known = known_at(record, {})
    steps = steps_of(known)
    nothing = pl.DataFrame(schema={"posting_id": pl.Int64(), **POSTING})
    replay = Interpreted(span_of(known, steps, nothing))
    postings = {posting.about: posting for _, posting in replay.postings(progress)}
    rows = known.archive.sections.select("end", "start", "event_id", "number")
    return Derived(postings, {Key(*rows.row(at)): why for at, why in replay.unratable.items()})


def sum_due(record: Record, progress: Progress = in_silence) -> int:
    """The sum of the digests of every posting that follows from the record, from nothing, compiled where it is long."""
    is_sure = is_worth_compiling(sections_since(record.connection, DAWN))
    known = known_for_replay(record) if is_sure else known_at(record, {})
    steps = steps_of(known)
    span = span_of(known, steps, pl.DataFrame(schema={"posting_id": pl.Int64(), **POSTING}))
    replay = _replay_of(span, is_sure=is_sure)
    del known, span  # millions of rows, which the index has now
    return _sum_of_due(replay, progress)


def follows_since(record: Record, run: int, progress: Progress = in_silence) -> bool:
    """Whether everything since the first day that entries after a run touch is posted as it follows from the record.

    What was posted before that is where it begins.
    """
    pending = pending_since(record, run)
    if pending is None:
        return True
    connection, first = record.connection, pending.first
    known = known_since(record, first, (), {})
    before = records_before(connection, known.archive.members.select("member_id"), first)
    replay = _replay_of(span_of(known, steps_of(known), before))
    posted = frame_of(connection, current_since(first), STORED)
    stored = sum_of(digests_of(posted.select(*POSTING), LAYOUT))
    return text_of(_sum_of_due(replay, progress)) == text_of(stored)


def _replay_of(span: Span, *, is_sure: bool = False) -> Replay:
    """The replay of a span, compiled where that is worth it."""
    is_compiled = is_sure or is_worth_compiling(span.steps.frame.height)
    return compiled_replay(span) if is_compiled else Interpreted(span)


def _sum_of_due(replay: Replay, progress: Progress) -> int:
    """The sum of the digests of what is due."""
    total = 0

    def take(due: Due) -> None:
        nonlocal total
        total += sum_of(digests_of(due.postings.select(*POSTING), LAYOUT))

    replay.go(take, progress)
    return total


def rated_again(record: Record, run: int, heading: Heading) -> tuple[RatedSection, ...]:
    """A section in each of its systems, from what a run had posted before it.

    Nothing where it is not accepted, or where no rule of its day is known.
    """
    if heading.state is not State.ACCEPTED:
        return ()
    known = known_of_section(record, heading)
    starts = known.archive.members.select("member_id").with_columns(
        pl.lit(value).cast(POSTING[name]).alias(name) for name, value in zip(KEY, heading.key, strict=True)
    )
    span = span_of(known, steps_of(known), records_before(record.connection, starts, run=run))
    records, archive = records_of(span.before), span.known.archive
    rates = OfficeSections(archive, lambda who: records.get(who, {}), openings_of(archive), decisions_of(archive))
    try:
        return rates.take(next(sections_of(archive)))
    except NoEditionError:
        return ()

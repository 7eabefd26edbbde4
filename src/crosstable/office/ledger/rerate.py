"""Rating runs: what the journal entries since the last run may have changed, posted in one transaction.

What is pending is a function of the record: the entries after the last run. Nothing marks sections, so nothing can be
forgotten by a crash: a run that did not finish left no trace, and the next one finds the same entries.
"""

from sqlalchemy import Connection

from crosstable.office.database import Office
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import Author, last_act_of
from crosstable.office.ledger.runs import Progress, StageClock, Watch, in_silence
from crosstable.office.ledger.runs import Run as Run
from crosstable.office.ledger.runs import last_run as last_run


def rerate(
    office: Office,
    author: Author,
    progress: Progress = in_silence,
    *,
    patience: float = 30.0,
    watch: Watch | None = None,
) -> Run | None:
    """Rate what the entries since the last run touched; nothing is written where there is nothing to rate."""
    from crosstable.office.bulk.checkpoints import let_go

    with office.writing(author.actor, "rating run", patience) as connection:
        alone = (watch or Watch(progress, StageClock()))._replace(is_alone=True)
        done = rate_pending(office, connection, author, alone)
    let_go(office)
    return done


def rate_pending(office: Office, connection: Connection, author: Author, watch: Watch) -> Run | None:
    """A run inside a transaction that is already open."""
    from crosstable.office.bulk.run import run_pending

    return run_pending(office, connection, author, watch)


def is_pending(record: Record) -> bool:
    """Whether entries since the last run touch a rating."""
    from crosstable.office.bulk.causes import pending_since

    return pending_since(record, last_run(record.connection)) is not None


def sections_ahead(connection: Connection) -> int:
    """About how many sections a run will look at."""
    from crosstable.office.bulk.causes import pending_since, sections_since

    pending = pending_since(Record(connection, last_act_of(connection, None)), last_run(connection))
    return 0 if pending is None else sections_since(connection, pending.first)

"""First submissions into a published period: how many ratings one would change, before it is accepted by one person."""

from datetime import date

from crosstable.office.consent import consent_state, late_faults, published_through
from crosstable.office.database import Office
from crosstable.office.effects import foreseen
from crosstable.office.ledger.journal import Author
from crosstable.office.submissions import NO_OPTIONS, Document, Submission, SubmitOptions, submit


def submit_first(
    office: Office, author: Author, document: Document, today: date, wishes: SubmitOptions = NO_OPTIONS
) -> Submission:
    """Submit a file; where consent is on, it is tried first what a late one would do to ratings."""
    return submit(office, author, document, today, wishes._replace(changes=_changes(office, document, today, wishes)))


def _changes(office: Office, document: Document, today: date, wishes: SubmitOptions) -> int:
    report = document.reading.report
    with office.reading() as connection:
        state, through = consent_state(connection, office.clock()), published_through(connection)
        is_late_anyhow = bool(late_faults(connection, report, office.clock()))
    ends = [day for one in report.sections if (day := one.end or report.end) is not None]
    if not state.is_on or through is None or is_late_anyhow or min(ends, default=date.max) > through:
        return 0
    found = foreseen(office, lambda other: submit(other, Author("preview", "looked at"), document, today, wishes))
    return state.limits.changes + 1 if found is None else found.total  # nobody knows: two people look at it

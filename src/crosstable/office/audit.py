"""``office verify``: everything compared with what the journal commits to, and recomputed from the record.

The store itself, its tables and guards; every row against its journal entry; the original files; every current posting
against the replay from nothing; and every published supplement against what was posted when it was made.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, func, select

from crosstable.errors import OfficeBusyError, OfficeError, SchemaError
from crosstable.office import tables
from crosstable.office.bulk.deriving import derived, every_posting, is_list, sum_due
from crosstable.office.bulk.posting import sum_posted
from crosstable.office.database import Office, open_office
from crosstable.office.erasing import ERASED, erased_findings
from crosstable.office.former import broken_links, older_fingerprint
from crosstable.office.guards import store_findings
from crosstable.office.kept_lists import is_that_list
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import act_of, digest_of_rows, head, last_act_of
from crosstable.office.ledger.postings import Posting, PostingKey, Stored, all_current, is_current
from crosstable.office.ledger.runs import DIGESTS, last_run
from crosstable.office.ledger.watching import Progress, in_silence
from crosstable.office.list_files import FORMS
from crosstable.office.plain_errors import plain_os_errors
from crosstable.office.proof import UNREADABLE, Finding, one_line, proof
from crosstable.office.sections import rows_of
from crosstable.office.security_log import security_findings
from crosstable.office.stores import Sqlite
from crosstable.office.supplements import Supplement, as_row, published_rows, supplements

if TYPE_CHECKING:
    import polars as pl

_BYTES_AT_ONCE = 50


class Audit(NamedTuple):
    """What was compared, and every difference."""

    acts: int
    sections: int
    postings: int
    lists: int
    head: str
    held: tuple[str, ...]
    findings: tuple[Finding, ...]


class Kept(NamedTuple):
    """What somebody kept outside the office: a head of the journal, and the path of a published supplement."""

    head: str = ""
    supplement: str = ""


NOTHING_KEPT = Kept()


def verify(url: str, kept: Kept, progress: Progress = in_silence) -> Audit:
    """The audit of an office that may be damaged so much that it cannot even be opened."""
    try:
        with closing(open_office(url)) as office:
            return audit(office, progress, kept)
    except OfficeBusyError:
        raise
    except (OfficeError, *UNREADABLE) as error:
        store = Office(url).store
        is_its_own = isinstance(error, SchemaError) or isinstance(store, Sqlite)  # a server may just not be there
        if not store.is_there() or not is_its_own:
            raise
        return Audit(0, 0, 0, 0, "", (), (Finding(one_line(error)),))


def audit(office: Office, progress: Progress = in_silence, kept: Kept = NOTHING_KEPT) -> Audit:
    """Recompute everything; no finding means that every rating and every supplement follows from the record."""
    with office.reading() as connection:
        findings = [*store_findings(connection), *proof(connection)]
        findings += [*_beside(connection, erased_findings), *_beside(connection, security_findings)]
        told: list[Finding | str] = []
        counts = 0, 0, 0, 0, ""
        try:
            counts = _counts(connection)
            told = [*_kept(connection, kept), *_content(connection, progress)]
        except Exception as error:
            if not findings:  # nothing is damaged: this is a mistake of ours
                raise
            findings.append(Finding(f"the rest cannot be checked: {one_line(error)}"))
        findings += [one for one in told if isinstance(one, Finding)]
        held = tuple(one for one in told if isinstance(one, str))
        return Audit(*counts, held, tuple(dict.fromkeys(findings)))


def _beside(connection: Connection, check: Callable[[Connection], Iterator[Finding]]) -> list[Finding]:
    """What a check of its own finds, whatever the store holds."""
    try:
        return [*check(connection)]
    except (*UNREADABLE, TypeError, ValueError, AttributeError, KeyError) as error:
        connection.rollback()
        return [Finding(f"what was erased, or the security log, cannot be read: {one_line(error)}")]


def _kept(connection: Connection, kept: Kept) -> Iterator[Finding | str]:
    """What somebody kept, against the record: a finding, or a sentence that says where it stands."""
    if kept.head:
        chains = [
            select(one.c.seq).where(one.c.digest == kept.head) for one in (tables.commitment, tables.former_chain)
        ]
        seq = next((found for one in chains if (found := connection.execute(one).scalar()) is not None), None)
        if seq is None:
            yield Finding(
                f"the journal never had the head {kept.head}: it was cut off or rewritten, or that is no head"
            )
        else:
            yield f"the head {kept.head} is that of entry {seq}"
    if kept.supplement:
        yield kept_list(connection, kept.supplement)


def kept_list(connection: Connection, path: str) -> Finding | str:
    """A file with a published supplement against the record: the same rows, the same digest, the same head."""
    form = os.path.splitext(path)[1].lower()
    if form not in FORMS:
        raise OfficeError(f"{path}: a supplement is a file that ends in {', '.join(FORMS)}")
    with plain_os_errors(path), open(path, "rb") as file:
        content = file.read()
    for one in supplements(connection):
        if is_that_list(connection, one, form, content):
            return f"{path} is the supplement of {one.month}, published by entry {one.act}"
    return Finding(f"{path} is no supplement that this office published", table=tables.supplement.name)


def _counts(connection: Connection) -> tuple[int, int, int, int, str]:
    last = head(connection)
    if last is None:
        raise OfficeError("the journal is empty")
    section = tables.section.c
    sections = select(func.count()).select_from(select(section.event_id, section.number).distinct().subquery())
    lists = select(func.count()).select_from(tables.supplement)
    postings = select(func.count()).select_from(tables.posting).where(is_current())
    numbers = [connection.execute(one).scalar_one() for one in (sections, lists, postings)]
    return last.seq, numbers[0], numbers[2], numbers[1], last.digest


def _content(connection: Connection, progress: Progress) -> Iterator[Finding]:
    """What the rows say, against one another."""
    record = Record(connection, last_act_of(connection, None))
    yield from broken_links(connection)
    yield from _changed_sections(record)
    yield from _changed_documents(connection)
    yield from _wrong_postings(record, progress)
    published = supplements(connection)
    postings = every_posting(connection)
    for one in published:
        yield from _wrong_list(connection, one, postings)


def sections_to_check(connection: Connection) -> int:
    """About how many steps of progress an audit tells."""
    return connection.execute(select(func.count()).select_from(tables.section)).scalar_one()


def _changed_sections(record: Record) -> Iterator[Finding]:
    """Sections whose rows are no longer what was submitted."""
    headings = [one for one in record.headings() if one.state is not State.WITHDRAWN]
    for at in range(0, len(headings), _BYTES_AT_ONCE):
        some = headings[at : at + _BYTES_AT_ONCE]
        entries = record.entries(some)
        for one in some:
            if rows_of(one, entries[one.event_id, one.number]).heading["digest"] != one.digest:
                what = f"event {one.event_id}, section {one.number}: the rows are no longer what was submitted"
                yield Finding(what, one.act, tables.section.name, f"{one.event_id} {one.number}")


def _changed_documents(connection: Connection) -> Iterator[Finding]:
    table = tables.document
    for digest, name, act in connection.execute(select(table.c.digest, table.c.name, table.c.act)).all():
        content = connection.execute(select(table.c.content).where(table.c.digest == digest)).scalar_one()
        if content and hashlib.sha256(content).hexdigest() != digest:  # of an erased one nothing is left to hash
            yield Finding(f"the original file {name} is damaged", act, table.name, digest)


def _wrong_postings(record: Record, progress: Progress) -> Iterator[Finding]:
    """Sums of digests are compared, which takes no room; where they differ, every posting."""
    connection, run = record.connection, last_run(record.connection)
    as_rated, posted = Record(connection, run), sum_posted(connection)
    if text_of(sum_due(as_rated, progress)) != text_of(posted):
        computed = derived(as_rated).postings
        differences = [*posting_differences(computed, all_current(connection))]
        for what in differences or ["the postings do not follow from the record"]:
            yield Finding(what, run, tables.posting.name)
    last = act_of(connection, run)
    if last is None:
        return
    if last.after.get("digests") != DIGESTS:
        posted = sum(older_fingerprint(stored.posting) for stored in all_current(connection).values())
    table = tables.run
    stored_state = connection.execute(select(table.c.state_after).where(table.c.act == run)).scalar()
    if {stored_state, last.after["state"]} != {text_of(posted)}:
        yield Finding(f"the state after run {run} is not the one that the run wrote down", run, table.name)


def posting_differences(computed: Mapping[PostingKey, Posting], posted: Mapping[PostingKey, Stored]) -> Iterator[str]:
    """Every posting that is not what the record gives."""
    for about in sorted(computed.keys() | posted.keys()):
        where = f"member {about.member_id}, {about.system.name}, event {about.event_id}, section {about.section}"
        if about not in posted:
            yield f"{where}: {computed[about].rating_after:.2f} follows from the record and is not posted"
        elif about not in computed:
            yield f"{where}: {posted[about].posting.rating_after:.2f} is posted and does not follow from the record"
        elif computed[about] != posted[about].posting:
            found, made = posted[about].posting, computed[about]
            yield f"{where}: {found.rating_after} is posted, {made.rating_after} follows from the record"


def _wrong_list(connection: Connection, made: Supplement, postings: "pl.DataFrame") -> Iterator[Finding]:
    """A supplement against its digest, the entry it names, the head, and what was posted when it was made."""
    where = made.act, tables.supplement.name, made.month
    rows = published_rows(connection, made.month)
    is_whole = all(row.name != ERASED for row in rows)  # the rows of an erased person are bound by their commitments
    has_digest = not is_whole or digest_of_rows([as_row(made.month, row) for row in rows]) == made.digest
    if not has_digest or len(rows) != made.rows:
        yield Finding(f"the supplement of {made.month} is no longer what was published", *where)
        return
    if made.head not in heads_at(connection, made.act - 1):
        yield Finding(f"the supplement of {made.month} names a head that the journal did not have", *where)
    if not is_list(rows, postings, Record(connection, made.run), made):
        what = f"the supplement of {made.month} does not follow from what was posted at journal entry {made.run}"
        yield Finding(what, *where)


def heads_at(connection: Connection, seq: int) -> set[str]:
    """The digests of an entry: that of its commitment, and that of the chain of before an upgrade."""
    chains = (tables.commitment, tables.former_chain)
    found = (connection.execute(select(one.c.digest).where(one.c.seq == seq)).scalar() for one in chains)
    return {digest for digest in found if digest is not None}

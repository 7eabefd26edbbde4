"""``office verify``: everything compared with what the journal commits to, and recomputed from the record.

The store itself, its tables and guards; every row against its journal entry; the original files; every current posting
against the replay from nothing; and every published supplement against what was posted when it was made.
"""

import gc
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from crosstable.errors import OfficeBusyError, OfficeError, SchemaError
from crosstable.office import tables
from crosstable.office.bulk.checks import RowChecks
from crosstable.office.bulk.deriving import derived, follows_since, sum_due
from crosstable.office.database import Office, open_office
from crosstable.office.erasing import erased_findings
from crosstable.office.former import broken_links, older_fingerprint
from crosstable.office.guards import integrity_findings, store_findings
from crosstable.office.kept_lists import is_that_list
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import act_of, head, last_act_of
from crosstable.office.ledger.postings import Posting, PostingKey, Stored, all_current
from crosstable.office.ledger.runs import DIGESTS, last_run
from crosstable.office.ledger.watching import Progress, in_silence
from crosstable.office.list_files import FORMS
from crosstable.office.originals import read_again
from crosstable.office.plain_errors import plain_os_errors
from crosstable.office.proof import NOBODY, UNREADABLE, Finding, one_line, proof
from crosstable.office.security_log import security_findings
from crosstable.office.stores import Sqlite
from crosstable.office.supplements import supplements


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
    """What somebody kept outside the office: a head of the journal, and the path of a published supplement.

    ``since`` is a head up to which everything was verified: what was written before it is not looked at again.
    """

    head: str = ""
    supplement: str = ""
    since: str = ""


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
    with ThreadPoolExecutor(1) as beside, office.reading() as connection, _without_cycles():
        own_check = beside.submit(integrity_findings, office)  # which takes its time, and none of ours
        findings = [*store_findings(connection)]
        findings += [*_beside(connection, erased_findings), *_beside(connection, security_findings)]
        told: list[Finding | str] = []
        counts = 0, 0, 0, 0, ""
        failed, since, checks = None, 0, None
        try:
            since = _entry_of(connection, kept.since) if kept.since else 0
            made = supplements(connection)
            heads = {one.act: heads_at(connection, one.act - 1) for one in made}
            checks = RowChecks(connection, made, heads, since)
        except Exception as error:
            connection.rollback()
            failed = error
        findings += [*proof(connection, NOBODY if checks is None else checks.looks, since)]
        findings = own_check.result() + findings
        try:
            if checks is None:
                raise failed or AssertionError
            told = [*_kept(connection, kept, since), *_content(connection, checks, since, progress)]
            counts = _counts(connection, checks, since)
        except Exception as error:
            if not findings:  # nothing is damaged: this is a mistake of ours
                raise
            findings.append(Finding(f"the rest cannot be checked: {one_line(error)}"))
        findings += [one for one in told if isinstance(one, Finding)]
        held = tuple(one for one in told if isinstance(one, str))
        return Audit(*counts, held, tuple(dict.fromkeys(findings)))


@contextmanager
def _without_cycles() -> Iterator[None]:
    """Millions of rows make no cycles, and looking for some takes a tenth of the time."""
    was_looking = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_looking:
            gc.enable()


def _beside(connection: Connection, check: Callable[[Connection], Iterator[Finding]]) -> list[Finding]:
    """What a check of its own finds, whatever the store holds."""
    try:
        return [*check(connection)]
    except (*UNREADABLE, TypeError, ValueError, AttributeError, KeyError) as error:
        connection.rollback()
        return [Finding(f"what was erased, or the security log, cannot be read: {one_line(error)}")]


def _entry_of(connection: Connection, head: str) -> int:
    """The entry with a head, now or before an upgrade; 0 where there is none."""
    chains = [select(one.c.seq).where(one.c.digest == head) for one in (tables.commitment, tables.former_chain)]
    return next((found for one in chains if (found := connection.execute(one).scalar()) is not None), 0)


def _kept(connection: Connection, kept: Kept, since: int) -> Iterator[Finding | str]:
    """What somebody kept, against the record: a finding, or a sentence that says where it stands."""
    for given in dict.fromkeys(filter(None, (kept.head, kept.since))):
        seq = _entry_of(connection, given)
        if not seq:
            yield Finding(f"the journal never had the head {given}: it was cut off or rewritten, or that is no head")
        else:
            yield f"the head {given} is that of entry {seq}"
    if since:
        yield (
            f"what entries 1 to {since} wrote was not looked at again, nor ratings that no later entry touches: "
            "crosstable office verify without --since does that"
        )
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


def _counts(connection: Connection, checks: RowChecks, since: int) -> tuple[int, int, int, int, str]:
    last = head(connection)
    if last is None:
        raise OfficeError("the journal is empty")
    section, supplement = tables.section.c, tables.supplement.c
    written = select(section.event_id, section.number).where(section.act > since).distinct()
    sections = select(func.count()).select_from(written.subquery())
    lists = select(func.count()).select_from(tables.supplement).where(supplement.act > since)
    numbers = [connection.execute(one).scalar_one() for one in (sections, lists)]
    return last.seq, numbers[0], checks.postings, numbers[1], last.digest


def _content(connection: Connection, checks: RowChecks, since: int, progress: Progress) -> Iterator[Finding | str]:
    """What the rows say, against one another."""
    record = Record(connection, last_act_of(connection, None))
    yield from broken_links(connection)
    yield from checks.finish()
    yield from read_again(connection, since)
    run = last_run(connection, since) if since else 0
    if not run:
        yield from _wrong_postings(record, checks.state, progress)
    elif not follows_since(Record(connection, last_run(connection)), run, progress):
        what = f"what was posted since entry {since} does not follow from the record: verify without --since says more"
        yield Finding(what, last_run(connection), tables.posting.name)


def sections_to_check(connection: Connection) -> int:
    """About how many steps of progress an audit tells."""
    return connection.execute(select(func.count()).select_from(tables.section)).scalar_one()


def _wrong_postings(record: Record, posted: int, progress: Progress) -> Iterator[Finding]:
    """Sums of digests are compared, which takes no room; where they differ, every posting."""
    connection, run = record.connection, last_run(record.connection)
    as_rated = Record(connection, run)
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


def heads_at(connection: Connection, seq: int) -> set[str]:
    """The digests of an entry: that of its commitment, and that of the chain of before an upgrade."""
    chains = (tables.commitment, tables.former_chain)
    found = (connection.execute(select(one.c.digest).where(one.c.seq == seq)).scalar() for one in chains)
    return {digest for digest in found if digest is not None}

"""``office verify``: everything compared with what the journal commits to, and recomputed from the record.

The store itself, its tables and guards; every row against its journal entry; the original files; every current posting
against the replay from nothing; and every published supplement against what was posted when it was made.
"""

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection, Table, func, select

from crosstable.errors import OfficeBusyError, OfficeError, SchemaError
from crosstable.office import tables
from crosstable.office.account_proof import account_findings, unlogged_findings
from crosstable.office.bulk.checks import RowChecks
from crosstable.office.bulk.deriving import derived, follows_since, sum_due
from crosstable.office.database import Office, open_office
from crosstable.office.erasing import erased_findings
from crosstable.office.former import broken_links, older_fingerprint
from crosstable.office.guards import integrity_findings, store_findings
from crosstable.office.ledger.commitments import digest_at, head_in
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import act_of
from crosstable.office.ledger.postings import Posting, PostingKey, Stored, all_current
from crosstable.office.ledger.runs import DIGESTS, Progress, in_silence, last_run
from crosstable.office.list_files import FORMS, is_that_list
from crosstable.office.originals import read_again
from crosstable.office.plain_errors import plain_os_errors
from crosstable.office.proof import EVERYTHING, PARTS, UNREADABLE, Finding, Proof, Span, one_line, unreadable
from crosstable.office.security_log import security_findings
from crosstable.office.stores import Sqlite
from crosstable.office.supplements import supplements
from crosstable.office.verified_parts import NO_PARTS, NotesError, VerifiedParts


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
    ``resume`` is the path of a file that says how far a verify has come that was stopped (``verified_parts``).
    """

    head: str = ""
    supplement: str = ""
    since: str = ""
    resume: str = ""


NOTHING_KEPT = Kept()


def verify(url: str, kept: Kept, progress: Progress = in_silence) -> Audit:
    """The audit of an office that may be damaged so much that it cannot even be opened."""
    try:
        with closing(open_office(url)) as office:
            return audit(office, progress, kept)
    except (OfficeBusyError, NotesError):
        raise
    except (OfficeError, *UNREADABLE) as error:
        store, finding = Office(url).store, unreadable(error)
        is_its_own = isinstance(error, SchemaError) or isinstance(store, Sqlite)  # a server may just not be there
        if not store.is_there() or not (is_its_own or finding):
            raise
        return Audit(0, 0, 0, 0, "", (), (finding or Finding(one_line(error)),))


def record_findings(connection: Connection) -> tuple[Finding, ...]:
    """What is wrong with the record inside an open transaction, up to the newest entry that commits to its rows."""
    transaction = connection.get_transaction()
    found = _Verifying(connection, NOTHING_KEPT, in_silence, [], is_bounded=True).audit(list).findings
    if transaction is None or not transaction.is_active:  # what cannot be read has ended it
        raise OfficeError(f"the office is damaged: {found[0].what}; nothing was changed. Restore a backup")
    return found


def audit(office: Office, progress: Progress = in_silence, kept: Kept = NOTHING_KEPT) -> Audit:
    """Recompute everything; no finding means that every rating and every supplement follows from the record."""
    with ThreadPoolExecutor(1) as beside, office.reading() as connection, _without_cycles():
        own_check = beside.submit(integrity_findings, office)  # which takes its time, and none of ours
        findings = [*store_findings(connection)]
        for check in (erased_findings, security_findings, account_findings, unlogged_findings):
            findings += _beside(connection, check)
        return _Verifying(connection, kept, progress, findings).audit(own_check.result)


_Made = TypeVar("_Made")
# The part of the postings: what is noted of it is the sum of their digests, and how many are current.
_POSTINGS = "posting"


class _Verifying:
    """One verify: part after part of the record, each noted down while nothing was found."""

    def __init__(
        self,
        connection: Connection,
        kept: Kept,
        progress: Progress,
        findings: list[Finding],
        *,
        is_bounded: bool = False,
    ) -> None:
        # Whether rows of entries that commit to nothing yet are left out.
        self._is_bounded = is_bounded
        self._connection, self._kept, self._progress = connection, kept, progress
        self._findings = findings
        self._held: list[str] = []
        self._failed: Exception | None = None
        self._checks: RowChecks | None = None
        self._parts, self._span = NO_PARTS, EVERYTHING

    def audit(self, own_check: Callable[[], list[Finding]]) -> Audit:
        """All of it; ``own_check`` is what the store found beside."""
        self._tried(self._begin)
        self._rows()
        self._findings = own_check() + self._findings
        self._tried(self._content)
        counts = self._tried(self._counts) or (0, 0, 0, 0, "")
        if self._failed is not None:
            if not self._findings:  # nothing is damaged: this is a mistake of ours
                raise self._failed
            self._findings.append(Finding(f"the rest cannot be checked: {one_line(self._failed)}"))
        self._parts.finish()
        return Audit(*counts, tuple(self._held), tuple(dict.fromkeys(self._findings)))

    def _tried(self, step: Callable[[], _Made]) -> _Made | None:
        """What a step makes; after one that failed no other is taken, and whether that matters is known at the end."""
        if self._failed is None:
            try:
                return step()
            except NotesError:
                raise
            except Exception as error:
                self._connection.rollback()
                self._failed = error
        return None

    def _begin(self) -> None:
        """Where to begin and where to end."""
        connection, kept = self._connection, self._kept
        since = _entry_of(connection, kept.since) if kept.since else 0
        parts = self._parts = VerifiedParts.at(connection, kept.resume, kept.since)
        newest, _ = head_in(connection)
        if parts.before and digest_at(connection, parts.entry) != parts.head:
            what = f"{kept.resume} says that parts were verified to entry {parts.entry}, head {parts.head}"
            self._findings.append(Finding(f"{what}: the journal never had that head, it was cut off or rewritten"))
            parts.begin_anew(connection)
        self._span = span = Span(since, parts.entry if self._is_bounded or parts.entry < newest else None)
        if parts.before:
            what = "verified before this verify was stopped, and not looked at again"
            self._held.append(f"{what}: {', '.join(parts.before)}")
        if parts.entry < newest:
            more = f"entries {parts.entry + 1} to {newest} were written after this verify began"
            self._held.append(f"{more}: crosstable office verify --since {parts.head} looks at them")
        made = supplements(connection)
        heads = {one.act: heads_at(connection, one.act - 1) for one in made}
        self._checks = RowChecks(connection, made, heads, span)

    def _part(self, name: str, look: Callable[[], Iterable[Finding]]) -> None:
        """Look at a part, where that was not done before."""
        if name in self._parts.before:
            return
        self._findings += look()
        if self._failed is None and not self._findings:
            self._parts.note(name, self._posted() if name == _POSTINGS else None)

    def _rows(self) -> None:
        """Every row against the entry that wrote it."""
        proof, checks = Proof(self._connection, self._span), self._checks
        self._findings += proof.findings
        for part in PARTS:

            def look(part: Sequence[Table] = part) -> Iterator[Finding]:
                for table in part:
                    yield from proof.of_table(table, None if checks is None else checks.looks.get(table.name))
                if checks is not None:
                    yield from self._tried(lambda: checks.finish(part)) or ()

            self._part(part[0].name, look)

    def _posted(self) -> tuple[str, int]:
        """The sum of the digests of current postings, and how many they are: as they were seen, now or before."""
        noted = self._parts.before.get(_POSTINGS)
        if noted is not None:
            return noted[0], noted[1]
        assert self._checks is not None
        return text_of(self._checks.state), self._checks.postings

    def _content(self) -> None:
        """What the rows say, against one another."""
        connection, span = self._connection, self._span
        self._findings += self._told(_kept(connection, self._kept, span.since))
        self._findings += broken_links(connection)
        self._part("originals", lambda: self._told(read_again(connection, span)))
        self._part("ratings", self._wrong_ratings)

    def _told(self, said: Iterator[Finding | str]) -> Iterator[Finding]:
        """Findings; sentences that are none are put with what is said at the end."""
        for one in said:
            if isinstance(one, str):
                self._held.append(one)
            else:
                yield one

    def _wrong_ratings(self) -> Iterator[Finding]:
        connection, since = self._connection, self._span.since
        run = last_run(connection, since) if since else 0
        if not run:
            yield from _wrong_postings(connection, self._span.through, self._posted()[0], self._progress)
        elif not follows_since(Record(connection, last_run(connection)), run, self._progress):
            what = f"what was posted since entry {since} does not follow from the record"
            yield Finding(f"{what}: verify without --since says more", last_run(connection), tables.posting.name)

    def _counts(self) -> tuple[int, int, int, int, str]:
        connection, span, parts = self._connection, self._span, self._parts
        if not parts.entry:
            raise OfficeError("the journal is empty")
        section, supplement = tables.section.c, tables.supplement.c
        written = select(section.event_id, section.number).where(*span.of(section.act)).distinct()
        sections = select(func.count()).select_from(written.subquery())
        lists = select(func.count()).select_from(tables.supplement).where(*span.of(supplement.act))
        numbers = [connection.execute(one).scalar_one() for one in (sections, lists)]
        return parts.entry, numbers[0], self._posted()[1], numbers[1], parts.head


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
        return [Finding(f"what was erased, accounts or the security log cannot be read: {one_line(error)}")]


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


def _wrong_postings(connection: Connection, through: int | None, posted: str, progress: Progress) -> Iterator[Finding]:
    """Sums of digests are compared, which takes no room; where they differ, every posting."""
    run = last_run(connection, through)
    as_rated, then = Record(connection, run), None if through is None else run
    if text_of(sum_due(as_rated, progress)) != posted:
        computed = derived(as_rated).postings
        differences = [*posting_differences(computed, all_current(connection, then))]
        for what in differences or ["the postings do not follow from the record"]:
            yield Finding(what, run, tables.posting.name)
    last = act_of(connection, run)
    if last is None:
        return
    if last.after.get("digests") != DIGESTS:
        posted = text_of(sum(older_fingerprint(one.posting) for one in all_current(connection, then).values()))
    table = tables.run
    stored_state = connection.execute(select(table.c.state_after).where(table.c.act == run)).scalar()
    if {stored_state, last.after["state"]} != {posted}:
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

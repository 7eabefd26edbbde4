"""Supplements: the official list of a month, frozen with its digest and the head of the record; never changed."""

from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, func, select

from crosstable.errors import OfficeError
from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import write_rows
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import Author, Change, EntryKind, append, head, last_act_of
from crosstable.office.published import CENTRAL, Month, cut_off
from crosstable.sentences import american
from crosstable.terms import RatingSystem

if TYPE_CHECKING:
    import polars as pl

# More sections than anybody holds.
_MANY = 100_000


class Basis(StrEnum):
    """What is in a list: what was rated by the cut-off, what was played by it, or everything rated until now."""

    RULE = "rule"
    PLAYED = "played"
    NOW = "now"


class ListRow(NamedTuple):
    """A member's rating in one system on a list."""

    member_id: str
    system: RatingSystem
    name: str
    state: str
    rating: int
    games: float | None
    is_provisional: bool


class Supplement(NamedTuple):
    """A published list."""

    month: str
    act: int
    basis: Basis
    cut_off: datetime
    run: int
    head: str
    rows: int
    digest: str


def publish(office: Office, author: Author, month: Month, basis: Basis = Basis.RULE) -> Supplement:
    """Freeze the list of a month."""
    from crosstable.office.bulk.listing import digest_of_list, write_list

    now = office.clock()
    until = now if basis is Basis.NOW else cut_off(month)
    if basis is Basis.RULE and until > now:
        raise OfficeError(
            f"the cut-off of the list of {month} is {until.astimezone(CENTRAL):%A, %d %B %Y, %H:%M} Central, which is "
            "still to come; publish it then, or now with --cut-off now"
        )
    with office.writing(author.actor, f"publishing {month}") as connection:
        if _is_published(connection, month):
            raise OfficeError(f"the list of {month} is published; a list is never changed")
        last = head(connection)
        assert last is not None
        run = run_by(connection, until if basis is Basis.RULE else None)
        rows = list_rows(connection, basis, month, run)
        digest = digest_of_list(str(month), rows)
        line = {
            "month": str(month),
            "basis": basis.value,
            "cut_off": until.isoformat(),
            "run": run,
            "head": last.digest,
            "rows": rows.height,
            "digest": digest,
        }
        act = append(connection, office.clock, author, Change(EntryKind.PUBLISH, str(month), line))
        write_rows(connection, tables.supplement, [{**line, "act": act}])
        write_list(connection, str(month), act, rows)
    return Supplement(str(month), act, basis, until, run, last.digest, rows.height, digest)


def left_out(connection: Connection, month: Month, basis: Basis) -> str:
    """What waits and would be on the list of a month once it is rated, in words; nothing where nothing waits.

    A list by the rule has what was rated by its cut-off: of what waits now, nothing could be on it.
    """
    from crosstable.office.bulk.causes import pending_since

    record = Record(connection, last_act_of(connection, None))
    last = last_played(basis, month)
    pending = pending_since(record, run_by(connection, None))
    held = [one for one in record.waiting(State.HELD, _MANY)[0] if last is None or (one.ended or last) <= last]
    said = []
    if pending is not None and (last is None or pending.first <= last):
        said.append("entries of the journal wait for a rating run")
    if held:
        said.append("sections are held")
    return " and ".join(said)


def require_publishable(office: Office, month: Month, basis: Basis, *, anyway: bool) -> None:
    """Refuse to freeze an empty list, and one that a run, or settling what is held, would make another."""
    with office.reading() as connection:
        is_to_come = basis is not Basis.NOW and cut_off(month) > office.clock()
        if not is_to_come and not _is_published(connection, month):  # publish itself speaks of these two
            _require_rows(connection, month, basis)
        if basis is not Basis.RULE and not anyway and (waits := left_out(connection, month, basis)):
            raise OfficeError(
                f"{waits}: the list of {month} would be without them, and a list is never changed. Settle them first "
                "(crosstable office status, crosstable office rerate), or publish it all the same (--anyway)"
            )


def _require_rows(connection: Connection, month: Month, basis: Basis) -> None:
    """An empty list is nearly always a mistake, and it could never be changed."""
    run = run_by(connection, cut_off(month) if basis is Basis.RULE else None)
    if list_rows(connection, basis, month, run).height:
        return
    day = american(cut_off(month).astimezone(CENTRAL).date())
    if basis is Basis.RULE:
        raise OfficeError(
            f"the supplement of {month} would be empty: nothing was rated by its cut-off on {day}; --cut-off "
            "played takes what was played by then, --cut-off now everything that is rated"
        )
    raise OfficeError(f"the supplement of {month} would be empty: no rating on 4 games or more by {day}")


def _is_published(connection: Connection, month: Month) -> bool:
    table = tables.supplement
    return connection.execute(select(table.c.act).where(table.c.month == str(month))).first() is not None


def run_by(connection: Connection, until: datetime | None) -> int:
    """The newest run that was posted by an instant, 0 where none was."""
    query = select(func.max(tables.run.c.act)).where(tables.run.c.act <= last_act_of(connection, until))
    return connection.execute(query).scalar() or 0


def list_rows(connection: Connection, basis: Basis, month: Month, run: int) -> "pl.DataFrame":
    """The rows of a list, from the postings that were current after a run, by member id and system."""
    from crosstable.office.bulk.listing import PostedRatings, ends_in

    posted = PostedRatings(ends_in(connection, run))
    posted.read(connection, run)
    return posted.at(run, month, last_played(basis, month))


def last_played(basis: Basis, month: Month) -> date | None:
    """The last day of play that a list counts, where it counts by that."""
    return cut_off(month).astimezone(CENTRAL).date() if basis is Basis.PLAYED else None


def supplements(connection: Connection) -> list[Supplement]:
    """Every published list, oldest first."""
    table = tables.supplement
    found = []
    for row in connection.execute(select(table).order_by(table.c.month)).mappings():
        fields = {name: row[name] for name in Supplement._fields}
        fields["basis"] = Basis(row["basis"])
        fields["cut_off"] = datetime.fromisoformat(row["cut_off"])
        found.append(Supplement(**fields))
    return found


def published_rows(connection: Connection, month: str) -> list[ListRow]:
    """The rows of a published list as they were frozen."""
    table = tables.supplement_row
    query = select(*(table.c[name] for name in ListRow._fields)).where(table.c.month == month)
    found = [ListRow(*row) for row in connection.execute(query.order_by(table.c.member_id, table.c.system))]
    return sorted(row._replace(system=RatingSystem(row.system)) for row in found)

"""Merged ids in an archive: which member each stands for, and what must hold of everything said under them.

Tables speak of members by the row of the member who is rated, so whoever replays an archive needs no merges. The id
under which something was recorded stands beside it, where it is another one.
"""

from datetime import date

import polars as pl

from crosstable.errors import Fault
from crosstable.history.archive_checks import Rule, Tables, faults_of, not_after, text_faults
from crosstable.history.archive_tables import BODIES, NO_MEMBER


def roots_of(tables: Tables) -> pl.DataFrame:
    """Merged ids and the row of the member each stands for; -1 where there is none at the end of its merges."""
    rows = {one: at for at, one in enumerate(tables["members"]["member_id"])} if tables["merged"].height else {}
    into = dict(tables["merged"].select("member_id", "into_id").iter_rows())
    found = {one: _end_of(one, into) for one in into}
    columns = {"id": list(found), "root": [rows.get(one, NO_MEMBER) for one in found.values()]}
    return pl.DataFrame(columns, schema={"id": pl.String(), "root": pl.Int64()})


def _end_of(member_id: str, into: dict[str, str]) -> str:
    """Where merges lead, or nowhere if they lead back to where they began."""
    passed = set()
    while member_id in into and member_id not in passed:
        passed.add(member_id)
        member_id = into[member_id]
    return "" if member_id in passed else member_id


def merge_faults(tables: Tables) -> list[Fault]:
    """Every fault of merged ids, and of events, in tables that are sound otherwise."""
    roots = roots_of(tables)
    faults = _merged_faults(tables, roots)
    for table in ("openings", "earlier_openings", "decisions", "entries"):
        faults += _id_faults(tables, table, roots)
    return [*faults, *_order_faults(tables), *_event_faults(tables)]


def _merged_faults(tables: Tables, roots: pl.DataFrame) -> list[Fault]:
    merged = tables["merged"]
    if merged.is_empty():
        return []
    is_known = merged["member_id"].is_in(tables["members"]["member_id"].implode())
    faults = [
        *Rule("merged", not_after("member_id"), "the row is out of order, which is by id").faults(tables),
        *faults_of(Rule("merged", pl.lit(True), "the merged id is that of a member"), is_known),
    ]
    if not faults:
        leads_nowhere = roots["root"] == NO_MEMBER
        faults += faults_of(Rule("merged", pl.lit(True), "into_id leads to no member"), leads_nowhere)
    return faults + text_faults(tables, "merged", "outside", _is_outside)


def _is_outside(found: object) -> bool:
    if not isinstance(found, list):
        return False
    return all(
        body in BODIES and date.fromisoformat(on) >= date.min and isinstance(one, float) for body, on, one in found
    )


def _id_faults(tables: Tables, table: str, roots: pl.DataFrame) -> list[Fault]:
    """Ids under which something was recorded: merged ids of the member, or in entries those of nobody."""
    frame = tables[table]
    if "member_id" not in frame.columns:
        return []
    joined = frame.select(pl.col("member").cast(pl.Int64), id="member_id")
    joined = joined.join(roots, on="id", how="left", maintain_order="left")
    is_broken = joined["id"].is_not_null() & joined["root"].ne_missing(joined["member"])
    if table == "entries":
        ids = pl.concat([tables["members"]["member_id"], roots["id"]]).implode()
        is_broken &= ~((joined["member"] == NO_MEMBER) & ~joined["id"].is_in(ids).fill_null(False))
    return faults_of(Rule(table, pl.lit(True), "member_id is no merged id of the member"), is_broken)


def _order_faults(tables: Tables) -> list[Fault]:
    """Earlier starting ratings: each stands before another one of the member, and no id has two in one system."""
    earlier = tables["earlier_openings"]
    if earlier.is_empty():
        return []
    whole = pl.concat([_recorded(tables, name) for name in ("earlier_openings", "openings")])
    (day, next_day), (one, next_one) = (
        (pl.col(name), pl.col(name).shift(-1).over("member", "system")) for name in ("as_of", "id")
    )
    is_before = (day < next_day) | ((day == next_day) & (one < next_one))
    found = whole.select(~is_before.fill_null(False), pl.struct("id", "system").is_duplicated().alias("twice"))
    messages = "no later opening of the member follows", "the id has two openings in one system"
    return [
        fault
        for message, broken in zip(messages, found.head(earlier.height).iter_columns(), strict=True)
        for fault in faults_of(Rule("earlier_openings", pl.lit(True), message), broken)
    ]


def _recorded(tables: Tables, name: str) -> pl.DataFrame:
    """Starting ratings with the id under which each was recorded."""
    openings = tables[name]
    own = tables["members"]["member_id"].gather(openings["member"])
    given = openings["member_id"].fill_null(own) if "member_id" in openings.columns else own
    return openings.select("member", "system", "as_of").with_columns(given.alias("id"))


def _event_faults(tables: Tables) -> list[Fault]:
    events = tables["events"]
    if events.is_empty():
        return []
    is_unknown = ~events["event_id"].is_in(tables["sections"]["event_id"].implode())
    return [
        *Rule("events", not_after("event_id"), "the row is out of order, which is by event id").faults(tables),
        *faults_of(Rule("events", pl.lit(True), "the event has no section"), is_unknown),
    ]

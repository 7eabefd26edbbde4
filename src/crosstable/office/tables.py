"""The tables of an office. Facts carry the act that wrote them; the newest act not after a day is what was known then.

Nothing is ever updated or deleted: triggers refuse it. A posting is current while no other supersedes it. Every journal
entry commits to the rows it wrote; what is personal in them enters only through a salted hash (``ledger.commitments``).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)
from sqlalchemy.types import TypeEngine

from crosstable.record_rows import POSTED, is_needed, posted_name
from crosstable.terms import RECORD_FIELDS, FieldKind, Kept

metadata = MetaData()

# A 64-bit key that SQLite still takes for its row id.
BigKey = BigInteger().with_variant(Integer, "sqlite")

_TYPES: Mapping[FieldKind, type[TypeEngine[Any]]] = {
    FieldKind.RATING: Float,
    FieldKind.GAMES: Float,
    FieldKind.COUNT: Integer,
    FieldKind.DAY: Date,
    FieldKind.LEVEL: Float,
    FieldKind.FLOORS: Text,
    FieldKind.CHANGES: Text,
}


# A column that a table did not have at first: of rows in which it holds nothing, the digests are what they were.
ADDED = {"added": True}


def record_columns(*, needed: Sequence[str] = ()) -> list[Column[Any]]:
    """A rating record, a column for each of its fields."""
    return [
        Column(name, _TYPES[kept.kind], nullable=not is_needed(name) and name not in needed, info=_info(kept))
        for name, kept in RECORD_FIELDS.items()
    ]


def posted_columns() -> list[Column[Any]]:
    """What a posting keeps of the record after: the rating and its games beside those before."""
    kept = [(name, RECORD_FIELDS[name]) for name in POSTED]
    return [Column(posted_name(name), _TYPES[one.kind], info=_info(one)) for name, one in kept]


def _info(kept: Kept) -> dict[str, bool]:
    return ADDED if kept.is_added else {}


# What somebody may have to be erased from: it is committed to with the salt of its row.
PERSONAL = {"personal": True}


def salt() -> Column[Any]:
    """The salt of a row's personal values, or, once they are erased, what is left of them: their salted hash."""
    return Column("salt", String(64))


act = Table(
    "act",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", String(32), nullable=False),
    Column("kind", String(24), nullable=False),
    Column("actor", Text, nullable=False),
    Column("reason", Text, nullable=False, info=PERSONAL),
    Column("subject", Text, nullable=False),
    Column("before", Text, nullable=False, info=PERSONAL),
    Column("after", Text, nullable=False, info=PERSONAL),
    salt(),
)

# What each journal entry commits to: the rows it wrote, table by table, and the entry before it.
commitment = Table(
    "commitment",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("rows", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
)

# What is proven of an entry's author beside the name that they gave: the login on the command line, and who approved it
# with which credential. Only such a row says that somebody agreed; the text of an author never does.
authorship = Table(
    "authorship",
    metadata,
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("login", Text, nullable=False),
    Column("proposal", Integer),
    Column("approved_by", String(40)),
    Column("credential", Text),
)

# Rows whose personal values were erased: the entry that did it, and the hash of what it left in their place.
erasure = Table(
    "erasure",
    metadata,
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("of_table", String(24), primary_key=True),
    Column("key", String(200), primary_key=True),
    Column("left", String(64), nullable=False),
)

# The chain of hashes that an office had before entries committed to their rows, kept as evidence by its upgrade.
former_chain = Table(
    "former_chain",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("act", Integer, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("digest", String(64), primary_key=True, info=PERSONAL),
    Column("act", Integer, nullable=False),
    Column("event_id", String(48), nullable=False),
    Column("name", Text, nullable=False, info=PERSONAL),
    Column("content", LargeBinary, nullable=False, info=PERSONAL),
    salt(),
)

member = Table(
    "member",
    metadata,
    Column("member_id", String(40), primary_key=True),
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, info=PERSONAL),
    Column("state", Text, nullable=False, info=PERSONAL),
    Column("birth_date", Date, info=PERSONAL),
    Column("adult", Boolean, info=PERSONAL),
    Column("canadian_resident", Boolean, nullable=False),
    Column("fide_id", Text, nullable=False, info=PERSONAL),
    Column("cfc_id", Text, nullable=False, info=PERSONAL),
    Column("fide_flag", Text, nullable=False, info=PERSONAL),
    Column("member_until", Date),
    Column("birth_year", Integer, info=PERSONAL),
    # whether the member asked to be on age lists (true), or off them (false)
    Column("age_lists", Boolean),
    salt(),
)

outside_rating = Table(
    "outside_rating",
    metadata,
    Column("member_id", String(40), primary_key=True),
    Column("body", String(4), primary_key=True),
    Column("as_of", Date, primary_key=True),
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("rating", Float, nullable=False),
)

merge = Table(
    "merge",
    metadata,
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("member_id", String(40), nullable=False),
    Column("into_id", String(40), nullable=False),
    Column("is_undone", Boolean, nullable=False),
)

event = Table(
    "event",
    metadata,
    Column("event_id", String(48), primary_key=True),
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("started", Date),
    Column("ended", Date),
    Column("details", Text, nullable=False, info=PERSONAL),
    Column("document", String(64), nullable=False, info=PERSONAL),
    salt(),
)

section = Table(
    "section",
    metadata,
    Column("event_id", String(48), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("state", String(12), nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("is_online", Boolean, nullable=False),
    Column("time_controls", Text, nullable=False),
    Column("asked_systems", Text, nullable=False),
    Column("systems", Text, nullable=False),
    Column("is_dual_control", Boolean, nullable=False),
    Column("is_half_k", Boolean, nullable=False),
    Column("match_waiver", Text, nullable=False),
    Column("started", Date),
    Column("ended", Date),
    Column("details", Text, nullable=False, info=PERSONAL),
    Column("faults", Text, nullable=False, info=PERSONAL),
    Column("digest", String(64), nullable=False, info=PERSONAL),
    salt(),
)

Index("section_by_day", section.c.ended)

entry = Table(
    "entry",
    metadata,
    Column("event_id", String(48), primary_key=True),
    Column("section", Integer, primary_key=True, autoincrement=False),
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("row", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer),
    Column("member_id", String(40), nullable=False),
    Column("name", Text, nullable=False, info=PERSONAL),
    Column("rounds", Text, nullable=False),
    Column("extra", Text, info=PERSONAL),
    salt(),
)
Index("entry_of_member", entry.c.member_id)

opening = Table(
    "opening",
    metadata,
    Column("member_id", String(40), primary_key=True),
    Column("system", SmallInteger, primary_key=True, autoincrement=False),
    Column("act", Integer, primary_key=True, autoincrement=False),
    *record_columns(needed=("as_of",)),
    Column("source", Text, nullable=False),
)

decision = Table(
    "decision",
    metadata,
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(24), nullable=False),
    Column("member_id", String(40), nullable=False),
    Column("system", SmallInteger),
    Column("effective", Date, nullable=False),
    Column("value", Float),
    Column("event_id", String(48), nullable=False),
    Column("section", Integer),
    Column("details", Text, nullable=False, info=PERSONAL),
    salt(),
)
Index("decision_on_member", decision.c.member_id)

run = Table(
    "run",
    metadata,
    Column("act", Integer, primary_key=True, autoincrement=False),
    Column("engine_version", String(20), nullable=False),
    Column("sections", Integer, nullable=False),
    Column("postings", Integer, nullable=False),
    Column("state_before", String(64), nullable=False),
    Column("state_after", String(64), nullable=False),
)

rated_section = Table(
    "rated_section",
    metadata,
    Column("run", Integer, primary_key=True, autoincrement=False),
    Column("event_id", String(48), primary_key=True),
    Column("section", Integer, primary_key=True, autoincrement=False),
    Column("system", SmallInteger, primary_key=True, autoincrement=False),
    Column("edition", String(20), nullable=False),
)

posting = Table(
    "posting",
    metadata,
    Column("posting_id", BigKey, primary_key=True, autoincrement=False),
    Column("run", Integer, nullable=False),
    Column("supersedes", BigInteger),
    Column("member_id", String(40), nullable=False),
    Column("system", SmallInteger, nullable=False),
    Column("event_id", String(48), nullable=False),
    Column("section", Integer, nullable=False),
    Column("ended", Date, nullable=False),
    Column("started", Date, nullable=False),
    # the standing before and after; no rating after: this section no longer rates the member
    Column("rating_before", Float),
    Column("games_before", Float),
    *posted_columns(),
    # the working of the final pass
    Column("number", Integer),
    Column("prior", Float),
    Column("start_games", Float),
    Column("start_sources", Text),
    Column("formula", SmallInteger),
    Column("played", Integer),
    Column("score", Float),
    Column("effective", Float),
    Column("k", Float),
    Column("expected", Float),
    Column("bonus", Float),
    Column("computed", Float),
    Column("floor_kind", SmallInteger),
    Column("floor_level", Float),
    Column("requested_floor", Float),
    Column("norm", String(1)),
    Column("assumed", Text),
)
Index("posting_of_section", posting.c.event_id, posting.c.section)
# numbers, runs and days of postings go together but for corrections, so the smallest of indexes finds them
Index("posting_of_run", posting.c.run, postgresql_using="brin")
Index(
    "posting_of_member",
    *(posting.c[name] for name in ("member_id", "system", "ended", "started", "event_id", "section")),
    postgresql_ops={"event_id": 'COLLATE "C"'},  # the order of a replay, whatever the language of the server
)
_supersedes = posting.c.supersedes.is_not(None)
Index("posting_superseding", posting.c.supersedes, sqlite_where=_supersedes, postgresql_where=_supersedes)
Index("posting_by_day", posting.c.ended, postgresql_using="brin")

ripple = Table(
    "ripple",
    metadata,
    Column("run", Integer, primary_key=True, autoincrement=False),
    Column("member_id", String(40), primary_key=True),
    Column("system", SmallInteger, primary_key=True, autoincrement=False),
    Column("rating_before", Float),
    Column("games_before", Float),
    Column("rating_after", Float),
    Column("games_after", Float),
    Column("sections", Text, nullable=False),
    Column("causes", Text, nullable=False),
)

supplement = Table(
    "supplement",
    metadata,
    Column("month", String(7), primary_key=True),
    Column("act", Integer, nullable=False),
    Column("basis", String(12), nullable=False),
    Column("cut_off", String(32), nullable=False),
    Column("run", Integer, nullable=False),
    Column("head", String(64), nullable=False),
    Column("rows", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
)

supplement_row = Table(
    "supplement_row",
    metadata,
    Column("month", String(7), primary_key=True),
    Column("member_id", String(40), primary_key=True),
    Column("system", SmallInteger, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, info=PERSONAL),
    Column("state", Text, nullable=False, info=PERSONAL),
    Column("rating", Integer, nullable=False),
    Column("games", Float),
    Column("is_provisional", Boolean, nullable=False),
    salt(),
)

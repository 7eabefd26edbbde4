"""What must hold in an archive, rule by rule; every broken rule is a fault with the first row that breaks it.

Tables speak of members by the row of the member who is rated, so whoever replays an archive needs no merges. The id
under which something was recorded stands beside it, where it is another one.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from crosstable.errors import Fault, FormatError, Severity
from crosstable.history.archive_tables import BODIES, KINDS, NO_MEMBER, TABLES, file_of
from crosstable.replaying import DecisionKind
from crosstable.rules.editions import EDITIONS
from crosstable.terms import RECORD_FIELDS, FieldKind, FloorKind, RatingSystem

_MOST_ROWS = 1 << 16
_ALL_SYSTEMS = (1 << len(RatingSystem)) - 1
_UNPLAYED = r"^\d{1,3}:[XFYBHUZ*](\d{1,6}[wb]?)?( \d{1,3}:[XFYBHUZ*](\d{1,6}[wb]?)?)*$"
# A section of this many characters of cells has nothing to do with chess.
_LONGEST_UNPLAYED = 4000

Tables = Mapping[str, pl.DataFrame]


class ArchiveError(FormatError):
    """A folder that is no sound archive; carries every fault that was found."""

    def __init__(self, folder: str, faults: Sequence[Fault]) -> None:
        super().__init__(faults[0])
        self.folder = folder
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return f"{self.folder}: " + "; ".join(f"{fault.place}: {fault.message}" for fault in self.faults)


def archive_fault(place: str, message: str) -> Fault:
    """A fault of an archive."""
    remedy = "Write the archive again from where it came from; docs/archive.md says what each table holds."
    return Fault("archive", Severity.ERROR, place, message, remedy)


class Rule(NamedTuple):
    """What no row of a table may be, as an expression, and the sentence about a row that is."""

    table: str
    is_broken: pl.Expr
    message: str

    def is_about(self, columns: Set[str]) -> bool:
        """Whether it is about any of these columns of entries."""
        return self.table == "entries" and not columns.isdisjoint(self.is_broken.meta.root_names())

    def faults(self, tables: Tables) -> list[Fault]:
        """The fault of the rows that break it, if there are any."""
        return faults_of(self, tables[self.table].select(self.is_broken.fill_null(False)).to_series())


def content_faults(tables: Tables, unread: Set[str] = frozenset()) -> list[Fault]:
    """Every fault of tables whose columns are as they should be; some columns of entries may not have been read."""
    faults = [fault for name, frame in tables.items() for fault in _null_faults(name, frame, unread)]
    if faults:
        return faults
    rules = _rules(tables["members"].height)
    checks = [
        *(partial(rule.faults, tables) for rule in rules if not rule.is_about(unread)),
        partial(_id_faults, tables["members"]),
        partial(_twice_faults, tables["sections"]),
        *(partial(text_faults, tables, *text) for text in _TEXTS),
        partial(_row_faults, tables),
    ]
    with ThreadPoolExecutor() as pool:
        faults += [fault for found in pool.map(lambda check: check(), checks) for fault in found]
    if not faults:  # where a game points to can be asked once the tables that it points into are sound
        faults += _game_faults(tables)
    return faults


def unread_faults(entries: pl.LazyFrame, unread: Set[str]) -> int:
    """How many faults there are in columns of entries that are looked through and not kept."""
    rules = [rule for rule in _entry_rules() if rule.is_about(unread)]
    texts = {"unplayed"}  # the same few again and again, and slow to look at
    of_texts = [rule.is_broken.fill_null(False).sum() for rule in rules if rule.is_about(texts)]
    others = [rule.is_broken.fill_null(False).sum() for rule in rules if not rule.is_about(texts)]
    asked = (entries.select(*texts).drop_nulls().unique(), of_texts), (entries, others)
    counts = (rows.select(pl.sum_horizontal(broken)).collect(engine="streaming") for rows, broken in asked)
    return sum(int(count.item()) for count in counts)


def _null_faults(name: str, frame: pl.DataFrame, unread: Set[str]) -> Iterator[Fault]:
    for column in TABLES[name]:
        if (name == "entries" and column.name in unread) or column.name not in frame.columns:
            continue
        missing = frame[column.name].null_count()
        if missing and not column.may_be_null:
            at = frame[column.name].is_null().arg_max()
            yield archive_fault(f"{file_of(name)}, row {at}", f"{column.name} is missing{_and_more(missing)}.")


def faults_of(rule: Rule, wrong: pl.Series) -> list[Fault]:
    """The fault of the rows for which a rule was found broken, if there are any."""
    count = int(wrong.sum())
    if not count:
        return []
    place = f"{file_of(rule.table)}, row {wrong.arg_max()}"
    return [archive_fault(place, f"{rule.message}{_and_more(count)}.")]


def _and_more(count: int) -> str:
    return f", and so in {count - 1} more rows" if count > 1 else ""


def _rules(members: int) -> list[Rule]:
    return [
        Rule("members", pl.col("member_id") == "", "the member has no id"),
        *_outside_rules(members),
        *(rule for table in ("openings", "earlier_openings") for rule in _opening_rules(table, members)),
        *_decision_rules(members),
        *_section_rules(),
        *_entry_rules(),
    ]


def _is_number(name: str) -> pl.Expr:
    return pl.col(name).is_finite()


def not_after(*names: str) -> pl.Expr:
    """Whether a row does not come after the one before it, in the order of these columns."""
    found = pl.lit(True)
    for name in reversed(names):
        now, before = pl.col(name), pl.col(name).shift(1)
        found = (now < before) | ((now == before) & found)
    return found & (pl.int_range(pl.len()) > 0)


def _id_faults(members: pl.DataFrame) -> list[Fault]:
    """Ids that stand twice; looked for only where they do not ascend and there are fewer of them than members."""
    ids = members["member_id"]
    if (ids > ids.shift(1)).all() or ids.n_unique() == members.height:
        return []
    twice = pl.col("member_id").is_duplicated()
    return faults_of(Rule("members", twice, "the member id stands on two rows"), members.select(twice).to_series())


def _outside_rules(members: int) -> list[Rule]:
    return [
        Rule("outside", pl.col("member") >= members, f"there are only {members} members"),
        Rule("outside", pl.col("body") > 1, "body is neither 0 (FIDE) nor 1 (CFC)"),
        Rule("outside", ~_is_number("rating"), "the rating is not a number"),
        Rule(
            "outside", not_after("member", "body", "as_of"), "the row is out of order, which is member, body and date"
        ),
    ]


def _opening_rules(table: str, members: int) -> list[Rule]:
    numbers = [name for name, kept in RECORD_FIELDS.items() if kept.kind in (FieldKind.RATING, FieldKind.LEVEL)]
    rules = [
        Rule(table, pl.col("member") >= members, f"there are only {members} members"),
        Rule(table, pl.col("system") >= len(RatingSystem), "there is no such rating system"),
        *(Rule(table, ~_is_number(name), f"{name} is not a number") for name in numbers),
        Rule(table, ~(_is_number("games") & (pl.col("games") >= 0)), "games is not a number of games"),
    ]
    if table == "openings":
        twice = pl.struct("member", "system").is_duplicated()
        rules.append(Rule(table, twice, "the member has two starting ratings in one system"))
    return rules


def _decision_rules(members: int) -> list[Rule]:
    kind = pl.col("kind")
    about_levels = kind.is_in([one.value for one in _KEPT if one not in _WITHOUT_LEVEL])
    has_level = pl.col("system").is_not_null() & pl.col("value").is_not_null()
    return [
        Rule("decisions", ~kind.is_in([one.value for one in _KEPT]), "there is no such kind of decision"),
        Rule("decisions", (pl.col("member") < NO_MEMBER) | (pl.col("member") >= members), "there is no such member"),
        Rule("decisions", pl.col("system") >= len(RatingSystem), "there is no such rating system"),
        Rule("decisions", ~_is_number("value"), "value is not a number"),
        Rule(
            "decisions",
            about_levels & ~(has_level & (pl.col("member") >= 0)),
            "the decision does not say whose rating, in which system, or to which value",
        ),
        Rule("decisions", not_after("act"), "the row is out of order, which is by act"),
    ]


# An archive keeps what stands: facts are in its members, and what was revoked is not there.
_KEPT = [one for one in DecisionKind if one not in (DecisionKind.FACT, DecisionKind.REVOKE)]
_WITHOUT_LEVEL = frozenset(
    {DecisionKind.WAIVE_MATCH, DecisionKind.OPT_IN, DecisionKind.OPT_OUT, DecisionKind.REFUSE_MATCH_FLOOR}
)


def _section_rules() -> list[Rule]:
    return [
        Rule("sections", pl.col("event_id") == "", "the event has no id"),
        Rule("sections", pl.col("end") < pl.col("start"), "the section ends before it starts"),
        # Nobody can rate it: the replay finds constants by the number of an edition. No office accepts such a report.
        Rule(
            "sections",
            pl.col("start") < EDITIONS[0].effective,
            f"the section starts before {EDITIONS[0].effective}, and no rules are known from before",
        ),
        Rule("sections", pl.col("kind") >= len(KINDS), "there is no such kind of section"),
        Rule("sections", (pl.col("systems") == 0) | (pl.col("systems") > _ALL_SYSTEMS), "systems names no system"),
        Rule("sections", pl.col("asked_systems") > _ALL_SYSTEMS, "asked_systems names no system"),
        Rule(
            "sections",
            not_after("end", "start", "event_id", "number"),
            "the section is out of the order of the replay, which is end, start, event id and number",
        ),
    ]


def _entry_rules() -> list[Rule]:
    """What is said of few entries; what every row says is looked at by ``row_checks``."""
    is_half_given = pl.col("start_rating").is_null() != pl.col("start_games").is_null()
    return [
        *(Rule("entries", ~_is_number(name), f"{name} is not a number") for name in ("fide", "start_rating")),
        Rule("entries", ~(_is_number("start_games") & (pl.col("start_games") >= 0)), "start_games is no number"),
        Rule("entries", is_half_given, "a start needs both its rating and its games"),
        Rule(
            "entries",
            (pl.col("unplayed").str.len_bytes() > _LONGEST_UNPLAYED) | ~pl.col("unplayed").str.contains(_UNPLAYED),
            "unplayed is not written as round:cell",
        ),
    ]


def _twice_faults(sections: pl.DataFrame) -> list[Fault]:
    """Sections that stand twice; looked for only where two hashes are equal, which is cheaper to ask."""
    hashes = sections.select(pl.col("event_id").hash(1) + pl.col("number").hash(2)).to_series()
    if hashes.n_unique() == sections.height:
        return []
    twice = pl.struct("event_id", "number").is_duplicated()
    return faults_of(Rule("sections", twice, "the section stands in two rows"), sections.select(twice).to_series())


# Texts that hold JSON.


def _are_floors(found: object) -> bool:
    return isinstance(found, list) and all(
        len(one) == 2 and one[0] in FloorKind.__members__ and isinstance(one[1], int | float) for one in found
    )


def _are_changes(found: object) -> bool:
    return isinstance(found, list) and all(
        date.fromisoformat(on) >= date.min and isinstance(change, int | float) for on, change in found
    )


def _is_object(found: object) -> bool:
    return isinstance(found, dict)


def are_starts(found: Any) -> bool:  # noqa: ANN401
    """Whether these are starts by system."""
    if not isinstance(found, dict) or not set(found) <= set(RatingSystem.__members__):
        return False
    pairs = [one for one in found.values() if isinstance(one, list) and len(one) == 2]
    numbers = [value for pair in pairs for value in pair if type(value) in (int, float) and math.isfinite(value)]
    return len(numbers) == 2 * len(found) and all(games >= 0 for _, games in pairs)


_TEXTS = (
    *((table, "floors", _are_floors) for table in ("openings", "earlier_openings")),
    *((table, "match_changes", _are_changes) for table in ("openings", "earlier_openings")),
    *((table, "details", _is_object) for table in ("decisions", "sections", "events")),
    ("entries", "extra", _is_object),
    ("entries", "other_starts", are_starts),
)


def text_faults(tables: Tables, table: str, column: str, is_sound: Callable[[Any], bool]) -> list[Fault]:
    """The fault of the first text of a column that is not the JSON it should be; the column may not be there."""
    frame = tables[table]
    if column not in frame.columns:
        return []
    for text in frame[column].drop_nulls().unique(maintain_order=True):
        try:
            sound = is_sound(json.loads(text))
        except (ValueError, TypeError, RecursionError):
            sound = False
        if not sound:
            at = (frame[column] == text).arg_max()
            return [archive_fault(f"{file_of(table)}, row {at}", f"{column} is not the JSON it should be.")]
    return []


# Entries and games: compiled code looks at them, and only who reads whole archives waits for that.


def _row_faults(tables: Tables) -> list[Fault]:
    """Entries; pairing numbers that stand twice are looked for where they do not ascend."""
    from crosstable.history.row_checks import broken_entries

    entries = tables["entries"]
    found, ascends = broken_entries(entries, tables["sections"].height, tables["members"].height)
    faults = [
        archive_fault(f"{file_of('entries')}, row {first}", f"{message}{_and_more(count)}.")
        for message, first, count in found
    ]
    if ascends:
        return faults
    twice = pl.struct("section", "number").is_duplicated()
    rule = Rule("entries", twice, "the pairing number stands twice in the section")
    return faults + faults_of(rule, entries.select(twice).to_series())


def _game_faults(tables: Tables) -> list[Fault]:
    from crosstable.history.row_checks import broken_games, rows_per_section

    rows = rows_per_section(tables["entries"], tables["sections"].height)
    if rows.size and rows.max() > _MOST_ROWS:
        return [archive_fault(file_of("entries"), f"Section {rows.argmax()} has more than {_MOST_ROWS} rows.")]
    return [
        archive_fault(f"{file_of('games')}, row {first}", f"{message}{_and_more(count)}.")
        for message, first, count in broken_games(tables["games"], rows)
    ]


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
        faults += _merged_id_faults(tables, table, roots)
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
    return isinstance(found, list) and all(
        body in BODIES and date.fromisoformat(on) >= date.min and isinstance(one, float) for body, on, one in found
    )


def _merged_id_faults(tables: Tables, table: str, roots: pl.DataFrame) -> list[Fault]:
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
    messages = "no later starting rating of the member follows", "the id has two starting ratings in one system"
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

"""Export and import lose nothing: the copy of an office has its facts row by row, and its ratings bit for bit."""

import random
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sqlalchemy import Connection, Table

from crosstable.errors import OfficeError
from crosstable.history.archive import Archive, read, write
from crosstable.history.archive_tables import HEADING
from crosstable.history.replay import ArrayRecords
from crosstable.office import tables
from crosstable.office.audit import audit
from crosstable.office.bulk.archive_in import import_archive
from crosstable.office.bulk.archive_out import export_archive
from crosstable.office.corrections import ChangedResult, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.facts import DecisionKind, Record, State, latest
from crosstable.office.ledger.postings import OWN
from crosstable.office.members import direct_merges, merge_members, unmerge_members
from crosstable.terms import OutsideRating, PlayerRating, RatingSystem, SectionType
from tests.amounts import amount
from tests.engine.wallcharts import Played
from tests.history.interpreted import interpreted_replay
from tests.history.small_archives import merged_archive
from tests.office.conftest import CopyOf, NewOffice
from tests.office.machine import RULINGS, OfficeMachine, populate
from tests.office.made_office import (
    AUTHOR,
    club_members,
    enter,
    headings_of,
    join,
    member_id,
    opening,
    person,
    posted,
    quad,
    record_of,
    report,
    run,
    section,
    send,
)
from tests.office.test_archiving import walked
from tests.office.two_ways import LONG, rated

Rows = list[tuple[Any, ...]]
# What a table says beside the number of the act that wrote it, and what was found when it was checked.
_NOT_FACTS = {"act", "faults", "document"}


def facts_of(office: Office) -> Mapping[str, Rows]:
    """Every fact that stands in an office, by table."""
    with office.reading() as connection:
        record = record_of(connection)
        accepted = [one for one in headings_of(record) if one.state is State.ACCEPTED]
        events = {one.event_id for one in accepted}
        entries = record.entries(accepted)
        ids = {one.act for one in record.decisions()}
        return {
            **{
                name: standing(connection, record, tables.metadata.tables[name], keys)
                for name, keys in (
                    ("member", ("member_id",)),
                    ("outside_rating", ("member_id", "body", "as_of")),
                    ("opening", ("member_id", "system")),
                )
            },
            "merge": sorted(direct_merges(record).items()),
            "section": sorted(tuple(one._replace(act=0, faults=())) for one in accepted),
            "entry": sorted((key, repr(rows)) for key, rows in entries.items()),
            "event": standing(connection, record, tables.event, ("event_id",), lambda row: row["event_id"] in events),
            "decision": standing(connection, record, tables.decision, ("act",), lambda row: row["act"] in ids),
        }


def standing(
    connection: Connection,
    record: Record,
    table: Table,
    keys: tuple[str, ...],
    is_wanted: Callable[[Any], bool] = lambda row: True,
) -> Rows:
    """The newest rows about each thing."""
    rows = connection.execute(latest(table, keys, record.through)).mappings()
    found = [tuple(value for name, value in row.items() if name not in _NOT_FACTS) for row in rows if is_wanted(row)]
    return sorted(found, key=repr)


def ratings_of(office: Office) -> Mapping[tuple[str, RatingSystem], PlayerRating]:
    """The last rating record of every member and system."""
    found: dict[tuple[str, RatingSystem], PlayerRating] = {}
    for one in sorted(posted(office).values(), key=lambda posting: posting.key):
        assert one.standing is not None
        found[one.member_id, one.system] = one.standing
    return found


def content_of(folder: Path) -> Mapping[str, bytes]:
    """The files of an archive, but for the heading, which names the office."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != HEADING}


def assert_lossless(office: Office, copy: Office, folder: Path) -> Archive:
    """An office goes into an archive and comes out of it as it was; what is rated is rated the same."""
    export_archive(office, str(folder / "first"))
    import_archive(copy, AUTHOR, str(folder / "first"))
    export_archive(copy, str(folder / "second"))
    assert content_of(folder / "second") == content_of(folder / "first")
    ours, theirs = facts_of(office), facts_of(copy)
    for name, rows in ours.items():
        assert theirs[name] == rows, name
    run(office)
    rated(copy, LONG)
    assert ratings_of(copy) == ratings_of(office)
    assert by_section(copy) == by_section(office)
    assert audit(copy).findings == ()
    archive = read(str(folder / "first"))
    assert_replayed(archive, office)
    return archive


def by_section(office: Office) -> dict[object, object]:
    """The postings of sections; a starting rating stands under the number of the act that brought it."""
    return {about: one for about, one in posted(office).items() if not about.event_id.startswith(OWN)}


def assert_replayed(archive: Archive, office: Office) -> None:
    """Both replays of an archive give the rating records of the office for every member, bit for bit."""
    ids, expected = archive.members["member_id"], ratings_of(office)
    folded = interpreted_replay(archive).standings
    assert {(ids[member], system): one for member, own in folded.items() for system, one in own.items()} == expected
    replayer = walked(archive)
    arrays = ArrayRecords(replayer.standings, replayer.index.history.place_of)
    found = {(ids[member], system): one for member in range(ids.len()) for system, one in arrays.of(member).items()}
    assert found == expected


# Everything that an archive could lose, one by one


def test_what_is_known_of_members(new_office: NewOffice, tmp_path: Path) -> None:
    first, second = new_office(), new_office()
    people, openings = club_members()
    both = person(11, birth_date=date(2001, 7, 1), birth_year=2001)
    join(first, [*people, person(9, birth_year=2012, age_lists=True), person(10, age_lists=False), both], openings)
    enter(first, quad("q", wallchart="1 =9 | W2 D3 W4\n2 | L1 L4 L3\n3 =10 | L4 D1 W2\n4 =11 | W3 W2 L1"))
    archive = assert_lossless(first, second, tmp_path)
    only_years = archive.members.filter(pl.col("is_year_only"))
    assert only_years.select("member_id", "birth_date", "birth_year").rows() == [
        (member_id(9), date(2012, 7, 1), 2012),
    ]


def test_what_was_reported_of_events_sections_and_rows(new_office: NewOffice, tmp_path: Path) -> None:
    """Details, other days of the event, colours that one side alone gives, rounds that nobody played."""
    first, second = new_office(), new_office()
    join(first, *club_members())
    played = Played(start=date(2025, 3, 8))
    chart = "1 | W2w D3 W4 - -\n2 | L1 L4b L3 - -\n3 | L4 D1w W2 H -\n4 | W3 W2 L1 U -"
    systems = (RatingSystem.OTBR, RatingSystem.OTBQ)
    made = section(chart, played, details={"chief": "12345678", "note": 'a "word" | more'}, systems=systems)
    rows = list(made.players)
    rows[0] = rows[0]._replace(pairing_rating=1500.0, total=2.5, details={"team": "A"}, state="NJ", is_member=True)
    rows[1] = rows[1]._replace(fide_flag="USA", name="M., Boris", is_rated=False, has_opted_in=False)
    told = report("e", made._replace(players=tuple(rows)))
    told = told._replace(start=date(2025, 3, 7), end=date(2025, 3, 9), details={"city": "Springfield", "zip": "00501"})
    enter(first, told)
    enter(first, quad("plain", played))
    archive = assert_lossless(first, second, tmp_path)
    assert archive.events["event_id"].to_list() == ["e"]
    assert archive.entries.filter(pl.col("rounds").is_not_null()).height == 4


def test_merged_members_with_everything_of_theirs(new_office: NewOffice, tmp_path: Path) -> None:
    """Two starting ratings, entries and decisions under the old id, a merge of merges, and one that was undone."""
    first, second = new_office(), new_office()
    people, openings = club_members()
    fide = (OutsideRating(1900.0, date(2020, 1, 1)), OutsideRating(1950.0, date(2021, 1, 1)))
    four = person(4, birth_year=1990, fide=fide, cfc=fide[:1], state="NY")
    others = [one for one in people if one.member_id != member_id(4)]
    join(first, [*others, four, person(12, adult=True), person(13, birth_year=2010)], openings)
    join(first, [], [opening(4, 1800.0, as_of=date(2022, 1, 1), ceiling=1900.0)])
    unrated = "1 =4 | W2 D3 W4\n2 =8 | L1 L4 L3\n3 =12 | L4 D1 W2\n4 =13 | W3 W2 L1"
    enter(first, quad("a", Played(start=date(2023, 6, 3)), unrated), quad("b", Played(start=date(2024, 6, 1))))
    for number, kind in ((4, DecisionKind.OPT_IN), (5, DecisionKind.OPT_OUT)):
        decide(first, AUTHOR, Ruling(kind, member_id(number), effective=date(2024, 1, number)))
    lower = Ruling(DecisionKind.FLOOR, member_id(4), RatingSystem.OTBR, date(2024, 2, 1), 1500.0)
    decide(first, AUTHOR, lower)
    revoked = decide(first, AUTHOR, lower._replace(value=1700.0))
    decide(first, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": revoked}))
    merge_members(first, AUTHOR, member_id(4), member_id(5))
    merge_members(first, AUTHOR, member_id(5), member_id(7))
    merge_members(first, AUTHOR, member_id(6), member_id(8))
    unmerge_members(first, AUTHOR, member_id(6))
    run(first)
    archive = assert_lossless(first, second, tmp_path)
    assert archive.merged.select("member_id", "into_id").rows() == [
        (member_id(4), member_id(5)),
        (member_id(5), member_id(7)),
    ]
    assert [frame.height for frame in (archive.tables["openings"], archive.tables["earlier_openings"])] == [5, 2]
    for office in (first, second):  # what was merged can be undone in the copy too
        unmerge_members(office, AUTHOR, member_id(5))
        rated(office, LONG)
    assert ratings_of(first) == ratings_of(second)


def test_a_starting_rating_that_comes_late_replaces_a_past_with_matches(new_office: NewOffice, tmp_path: Path) -> None:
    """The change by match play belongs to the rating that is replaced, however the history is replayed."""
    first, second = new_office(), new_office()
    people, openings = club_members()
    join(first, people, [one for one in openings if one.member_id != member_id(1)])
    enter(first, quad("q", Played(start=date(2024, 3, 2))))
    played = Played(start=date(2024, 4, 6), kind=SectionType.MATCH)
    enter(first, report("m", section("1 | W2 W2\n2 | L1 L1", played, match_waiver="made up")))
    join(first, [], [opening(1, 1500.0, as_of=date(2024, 5, 1))])
    enter(first, quad("r", Played(start=date(2024, 6, 1))))
    assert_lossless(first, second, tmp_path)


def test_sections_that_are_not_rated_stay_behind_and_are_counted(office: Office, tmp_path: Path) -> None:
    """Held for a player who is not known, asked for by a director, withdrawn: work of the office, no facts yet."""
    join(office, *club_members())
    enter(office, quad("a"), quad("b"))
    assert send(office, quad("held", wallchart="1 | W2\n2 =77 | L1")).held
    change = ChangedResult(1, 1, 1, "L2")
    correct_result(office, AUTHOR, "a", change, date(2026, 11, 15), is_request=True)
    withdraw(office, AUTHOR, "b", [])
    done = export_archive(office, str(tmp_path / "out"))
    assert done.left_out == {"held": 1, "requested": 1, "withdrawn": 1}
    assert read(str(tmp_path / "out")).sections["event_id"].to_list() == ["a"]


def test_rounds_and_extras_that_say_something_else_are_refused(office: Office, tmp_path: Path) -> None:
    """They are kept as they were reported, so they must be the games, byes and marks that the archive has."""
    archive = merged_archive()
    for column, row, said, complaint in (
        ("rounds", 1, "W4 D1w N1 -", "rounds that are not"),
        ("rounds", 2, "L1b U X4 -", "rounds that are not"),
        ("extra", 6, '{"rate": false}', "extra that is not"),
        ("extra", 3, '{"start": [1450, 6]}', "extra that is not"),
    ):
        texts = archive.entries[column].to_list()
        texts[row] = said
        changed = archive.entries.with_columns(pl.Series(column, texts, dtype=pl.String))
        write(archive._replace(entries=changed), str(tmp_path))
        with pytest.raises(OfficeError, match=complaint):
            import_archive(office, AUTHOR, str(tmp_path))
    write(archive, str(tmp_path))
    assert import_archive(office, AUTHOR, str(tmp_path)).members == 4


def test_an_archive_that_was_not_written_by_an_office_is_kept_too(new_office: NewOffice, tmp_path: Path) -> None:
    first, second = new_office(), new_office()
    write(merged_archive(), str(tmp_path / "given"))
    import_archive(first, AUTHOR, str(tmp_path / "given"))
    archive = assert_lossless(first, second, tmp_path)
    for name, frame in merged_archive().tables.items():
        texts = [one for one in ("details", "extra") if one in frame.columns]  # JSON, which has many spellings
        assert archive.tables[name].drop(texts).equals(frame.drop(texts)), name


# Whatever happened to an office


STORY = (
    "an_event_comes_in",
    "a_match_comes_in",
    "a_member_id_is_corrected",
    "what_waits_is_confirmed",
    "an_event_is_withdrawn",
    "two_ids_are_merged",
    "two_ids_are_merged",
    "two_ids_are_merged",
    "a_merge_is_undone",
    "a_standing_is_opened",
    "a_standing_is_opened",
    "a_fact_becomes_known",
    "a_fact_was_wrong",
    "somebody_joins",
    "something_is_decided",
    "something_is_decided",
    "match_conditions_are_waived",
    "a_decision_is_revoked",
)


def tell(machine: OfficeMachine, seed: int, steps: int) -> None:
    """Let things happen to an office, and facts become known that the machine does not know of."""
    rng = random.Random(seed)
    for _ in range(steps):
        name = rng.choice([one for one in STORY if one != "a_merge_is_undone" or machine.merged])
        if name == "a_decision_is_revoked" and not machine.decided:
            continue
        more = {"kind": rng.choice(RULINGS)} if name == "something_is_decided" else {}
        getattr(machine, name)(seed=rng.randrange(2**20), **more)
        if rng.random() < 0.1:
            facts: dict[str, Any] = rng.choice(({"birth_year": 2011}, {"age_lists": True}, {"birth_date": None}))
            one = member_id(machine.member(rng))
            machine.attempt(lambda: set_fact(machine.office, AUTHOR, one, facts))  # noqa: B023 (done at once)


@pytest.mark.parametrize("seed", range(amount(1, 60)))
def test_any_office_and_its_copy_are_the_same(
    seed: int, copy_of: CopyOf, new_office: NewOffice, tmp_path: Path
) -> None:
    original, copy = copy_of(populate), new_office()
    machine = OfficeMachine(lambda clock: original)
    machine.opens(seed=seed, cadence=1)
    tell(machine, seed, 45)
    assert_lossless(original, copy, tmp_path)

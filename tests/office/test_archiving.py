"""Archives out of offices and into them: the same facts both ways, and the ratings that follow from them."""

import json
import math
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sqlalchemy import func, inspect, select

from crosstable.errors import OfficeError
from crosstable.history import index as indexing
from crosstable.history.adjustments import Adjustments
from crosstable.history.archive import Archive, read, write
from crosstable.history.archive_checks import ArchiveError
from crosstable.history.archive_tables import OPTIONAL, TABLES
from crosstable.history.replay import Replayer
from crosstable.history.running import ratings_frame
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office import tables
from crosstable.office.audit import audit
from crosstable.office.bulk import entry_rows
from crosstable.office.bulk.archive_in import import_archive
from crosstable.office.bulk.archive_out import export_archive
from crosstable.office.database import Office
from crosstable.office.ledger.journal import EntryKind, acts
from crosstable.office.ledger.postings import OWN
from crosstable.office.members import merge_members
from tests.history.small_archives import small_archive
from tests.office.conftest import NewOffice
from tests.office.made_office import (
    AUTHOR,
    HandClock,
    club_members,
    enter,
    join,
    member_id,
    opening,
    posted,
    quad,
    run,
)
from tests.office.random_federation import federation
from tests.office.two_ways import LONG, rated

# Everything rare made common, so that a small history meets all of it.
BUSY = Federation(
    members=90,
    sections=120,
    founders=0.4,
    matches=0.12,
    abroad=0.06,
    half_k=0.1,
    prizes=0.08,
    ceilings=0.08,
    double_games=0.1,
    canadians=0.2,
)


def exported(office: Office, folder: Path, known_on: date | None = None) -> Archive:
    """What an office writes out, read as anybody would read it: with every check."""
    export_archive(office, str(folder), known_on)
    return read(str(folder))


def brought(archive: Archive, office: Office, folder: Path) -> None:
    """An archive written down and imported."""
    write(archive, str(folder))
    import_archive(office, AUTHOR, str(folder))


def assert_same(one: Archive, other: Archive) -> None:
    """The same rows; the details of a decision are JSON and may be spelled otherwise."""
    for name, frame in one.tables.items():
        theirs = other.tables[name]
        if name == "decisions":
            assert [json.loads(text) for text in frame["details"]] == [json.loads(text) for text in theirs["details"]]
            frame, theirs = frame.drop("details"), theirs.drop("details")
        assert frame.equals(theirs), name


@pytest.mark.parametrize("archive", [small_archive(), simulate(BUSY._replace(seed=3))], ids=["by hand", "simulated"])
def test_what_is_imported_is_exported_again(archive: Archive, office: Office, tmp_path: Path) -> None:
    brought(archive, office, tmp_path / "in")
    assert_same(archive, exported(office, tmp_path / "out"))
    assert audit(office).findings == ()


def test_an_imported_archive_is_rated_as_its_replay(office: Office, tmp_path: Path) -> None:
    """Bit for bit, every section posting; the replay is itself measured by the plain engine."""
    archive = simulate(BUSY._replace(seed=4))
    brought(archive, office, tmp_path / "in")
    done = rated(office, LONG)
    assert done is not None
    ids, sections = archive.members["member_id"], archive.sections
    found = {
        (ids[member], system, sections["event_id"][section], sections["number"][section]): (
            before,
            after,
            None if math.isinf(games) else games,
        )
        for section, member, system, before, after, games in ratings_frame(walked(archive)).iter_rows()
    }
    stored = {
        (one.member_id, int(one.system), one.event_id, one.section): (
            one.rating_before,
            one.rating_after,
            one.games_after,
        )
        for one in posted(office).values()
        if not one.event_id.startswith(OWN)
    }
    assert stored == found
    assert audit(office).findings == ()


def walked(archive: Archive) -> Replayer:
    index = indexing.build(archive)
    replayer = Replayer(index, 1)
    adjustments = Adjustments(archive, index)
    adjustments.prepare(replayer)
    replayer.replay(adjustments.checkpoints())
    return replayer


def test_an_office_and_its_copy_through_an_archive_post_the_same(new_office: NewOffice, tmp_path: Path) -> None:
    """Sections as directors sent them, with all their letters, and everything that a report may say of a player."""
    first, second = new_office(), new_office()
    federation(5).settle(first)
    run(first)
    archive = exported(first, tmp_path / "first")
    brought(archive, second, tmp_path / "in")
    assert_same(archive, exported(second, tmp_path / "second"))
    rated(second, LONG)
    assert of_sections(second) == of_sections(first)
    assert audit(second).findings == ()


def of_sections(office: Office) -> dict[object, object]:
    """The postings of sections; an opening stands under the number of the act that brought it."""
    return {about: one for about, one in posted(office).items() if not about.event_id.startswith(OWN)}


def test_some_rows_at_a_time_give_the_same(office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_rows, "_TOGETHER", 50)
    archive = simulate(BUSY._replace(seed=6))
    brought(archive, office, tmp_path / "in")
    assert_same(archive, exported(office, tmp_path / "out"))


def test_a_merged_member_is_one_row_with_everything_of_both(office: Office, tmp_path: Path) -> None:
    people, openings = club_members()
    join(office, people, [*openings, opening(4, 1800.0, as_of=date(2025, 1, 1))])
    enter(office, quad("q"))
    merge_members(office, AUTHOR, member_id(4), member_id(5))
    archive = exported(office, tmp_path / "out")
    ids = archive.members["member_id"].to_list()
    assert member_id(4) not in ids
    five = ids.index(member_id(5))
    assert archive.entries["member"].to_list() == [*(ids.index(member_id(number)) for number in (1, 2, 3)), five]
    # Two starting ratings in one system: the one that stands later is the one that counts after both.
    kept = archive.openings.filter(pl.col("member") == five)
    assert kept.select("rating", "member_id").rows() == [(1700.0, None), (1800.0, member_id(4))]
    assert archive.tables["openings"].filter(pl.col("member") == five)["rating"].to_list() == [1800.0]


def test_an_archive_as_the_office_knew_it_on_a_day(office: Office, clock: HandClock, tmp_path: Path) -> None:
    clock.now = datetime.fromisoformat("2026-10-10T12:00+00:00")
    join(office, *club_members())
    enter(office, quad("early"))
    clock.go(days=10)
    enter(office, quad("late"))
    early = exported(office, tmp_path / "early", date(2026, 10, 15))
    assert early.sections["event_id"].to_list() == ["early"]
    assert exported(office, tmp_path / "now").sections["event_id"].to_list() == ["early", "late"]
    with pytest.raises(OfficeError, match="nothing was known on 1999-01-01"):
        export_archive(office, str(tmp_path / "never"), date(1999, 1, 1))


def test_an_archive_goes_into_an_empty_office_alone(office: Office, tmp_path: Path) -> None:
    join(office, *club_members())
    with pytest.raises(OfficeError, match="the office is not empty"):
        brought(small_archive(), office, tmp_path / "in")


def test_ids_that_an_office_cannot_keep_are_refused(office: Office, tmp_path: Path) -> None:
    archive = small_archive()
    for table, column, wrong in (("members", "member_id", "@1"), ("sections", "event_id", "an event")):
        frame = archive.tables[table]
        changed = frame.with_columns(pl.col(column).replace(frame[column][0], wrong))
        with pytest.raises((OfficeError, ArchiveError), match=wrong):
            brought(Archive(**{**archive._asdict(), table: changed}), office, tmp_path / table)
    reported = archive.entries.with_columns(member_id=pl.Series([*[None] * 7, "x" * 41], dtype=pl.String))
    with pytest.raises(OfficeError, match="more than 40 characters"):
        brought(archive._replace(entries=reported), office, tmp_path / "entries")
    with office.reading() as connection:
        assert connection.execute(select(func.count()).select_from(tables.member)).scalar() == 0


def test_the_acts_of_an_import_stand_in_the_record(office: Office, tmp_path: Path) -> None:
    """Members, all sections, then openings and decisions in the archive's order; the heading is kept as an original."""
    brought(small_archive(), office, tmp_path / "in")
    with office.reading() as connection:
        kinds = [act.kind for act in acts(connection)]
        content = connection.execute(select(tables.document.c.content)).scalar_one()
    opened, decided = EntryKind.OPENING, EntryKind.DECIDE
    assert kinds == [EntryKind.FOUNDED, EntryKind.MEMBERS, EntryKind.IMPORT, opened, decided, decided]
    assert bytes(content) == (tmp_path / "in" / "archive.json").read_bytes()


def test_every_index_is_there_again(new_office: NewOffice, tmp_path: Path) -> None:
    """An import and a first run make indexes after the rows."""
    fresh, used = new_office(), new_office()
    brought(small_archive(), used, tmp_path / "in")
    rated(used, LONG)
    assert indexes_of(used) == indexes_of(fresh)


def indexes_of(office: Office) -> dict[str, list[tuple[object, ...]]]:
    with office.reading() as connection:
        found = inspect(connection)
        return {
            name: sorted((one["name"], *one["column_names"]) for one in found.get_indexes(name))
            for name in ("entry", "posting")
        }


def test_an_empty_archive_is_an_empty_office(office: Office, tmp_path: Path) -> None:
    whole = small_archive().tables
    cleared: dict[str, Any] = {name: whole[name].clear() for name in TABLES.keys() - OPTIONAL}
    empty = Archive(**cleared)
    brought(empty, office, tmp_path / "in")
    assert_same(empty, exported(office, tmp_path / "out"))
    assert rated(office, LONG) is None
    assert audit(office).findings == ()

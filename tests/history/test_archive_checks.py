"""Archives that are not as they should be are refused, with every fault and its place, and never with a trace."""

import json
import random
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.exceptions import PolarsError

from crosstable.errors import FormatError, HistoryError
from crosstable.history.archive import Archive, digest, opened, read, read_for_replay, write
from crosstable.history.archive_checks import ArchiveError
from crosstable.history.archive_contents import sections_of
from crosstable.history.archive_tables import FIRST_ABROAD, LEAN_ENTRIES, NO_MEMBER, ONE_SIDED, TABLES
from crosstable.history.index import build
from crosstable.history.kernel import indexing
from crosstable.lab.measures import era_of
from tests.history.small_archives import merged_archive, small_archive


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small archive as it was written."""
    made = tmp_path_factory.mktemp("archive")
    write(small_archive(), str(made))
    return made


@pytest.fixture
def folder(tmp_path: Path, written: Path) -> Path:
    """A folder with a copy of it, which may be damaged."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return tmp_path


def refusal(folder: Path, reading: Callable[[str], Any] = read) -> list[str]:
    """The faults for which an archive is refused, as place: message."""
    with pytest.raises(ArchiveError) as caught:
        reading(str(folder))
    assert isinstance(caught.value, FormatError)
    assert all(fault.remedy for fault in caught.value.faults)
    assert str(folder) in str(caught.value)
    return [f"{fault.place}: {fault.message}" for fault in caught.value.faults]


def for_walk(folder: str) -> Archive:
    """Read what a walk needs."""
    return read_for_replay(opened(folder))


def changed(table: str, column: str, row: int, value: object, archive: Archive | None = None) -> Archive:
    """An archive, or the small one, with one value changed, its columns as they were."""
    archive = archive or small_archive()
    frame: pl.DataFrame = getattr(archive, table)
    values = frame[column].to_list()
    values[row] = value
    series = pl.Series(column, values, dtype=frame.schema[column])
    tables: dict[str, Any] = {table: frame.with_columns(series)}
    return archive._replace(**tables)


# The folder


def test_a_folder_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (said,) = refusal(tmp_path)
    assert said.startswith("archive.json: There is no archive.json in ")
    assert refusal(tmp_path / "nowhere", opened)


def test_a_file_instead_of_a_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    (said,) = refusal(path)
    assert said.startswith("archive.json: It cannot be read: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "It is not JSON."),
        ("[" * 100_000, "It is not JSON."),
        ("[]", "The format is None; this program reads 'crosstable-archive/1'."),
        ('{"format": "crosstable-archive/2"}', "The format is 'crosstable-archive/2'; this program reads"),
        ('{"format": "crosstable-archive/1", "source": {}}', "'rows' is not an object."),
        ('{"format": "crosstable-archive/1", "rows": {}, "source": 1}', "'source' is not an object."),
    ],
)
def test_a_heading_of_another_kind_is_refused(folder: Path, text: str, said: str) -> None:
    (folder / "archive.json").write_text(text)
    (found,) = refusal(folder)
    assert found.startswith(f"archive.json: {said}")


def test_a_heading_that_is_no_text_is_refused(folder: Path) -> None:
    (folder / "archive.json").write_bytes(b"\xff\xfe\x00")
    (found,) = refusal(folder)
    assert found.startswith("archive.json: It cannot be read: ")


def test_every_file_that_is_missing_is_told(folder: Path) -> None:
    (folder / "games.parquet").unlink()
    (folder / "members.parquet").unlink()
    assert refusal(folder) == ["members.parquet: The file is not there.", "games.parquet: The file is not there."]
    assert refusal(folder, digest) == refusal(folder)


def test_a_folder_in_the_place_of_a_file_is_refused(folder: Path) -> None:
    (folder / "games.parquet").unlink()
    (folder / "games.parquet").mkdir()
    (found,) = refusal(folder)
    assert found.startswith("games.parquet: The file cannot be read: ")


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(3))
def test_a_file_with_other_bytes_is_refused_before_it_is_read(folder: Path, table: str, seed: int) -> None:
    """Flipped bits, a cut, an added byte: all of them differ from the hash in the heading."""
    write(merged_archive(), str(folder))
    path = folder / f"{table}.parquet"
    content = bytearray(path.read_bytes())
    rng = random.Random(seed)
    if seed == 0:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif seed == 1:
        del content[rng.randrange(len(content)) :]
    else:
        content.append(0)
    path.write_bytes(content)
    (found,) = refusal(folder)
    assert found == f"{table}.parquet: The file is not the one that was written: archive.json has another hash."


def _without_hashes(folder: Path) -> None:
    path = folder / "archive.json"
    heading = json.loads(path.read_text())
    del heading["sha256"]
    path.write_text(json.dumps(heading))


def test_without_hashes_a_damaged_file_is_still_refused(folder: Path) -> None:
    (folder / "games.parquet").write_bytes(b"PAR1 and nothing else PAR1")
    _without_hashes(folder)
    (found,) = refusal(folder)
    assert found.startswith("games.parquet: The file cannot be read: ")
    assert refusal(folder, for_walk) == [found]


def test_damage_that_shows_only_when_rows_are_read_is_refused_by_a_walk(folder: Path) -> None:
    content = bytearray((folder / "games.parquet").read_bytes())
    content[4:40] = bytes(36)  # the first rows; the columns are described at the end
    (folder / "games.parquet").write_bytes(content)
    _without_hashes(folder)
    (found,) = refusal(folder, for_walk)
    assert found.startswith("games.parquet: The file cannot be read: ")


def test_without_hashes_a_sound_archive_is_read(folder: Path) -> None:
    _without_hashes(folder)
    assert read(str(folder)).games.height == 8


def test_rows_that_the_heading_does_not_count_are_told(folder: Path) -> None:
    path = folder / "archive.json"
    heading = json.loads(path.read_text())
    heading["rows"]["entries"] = 9
    path.write_text(json.dumps(heading))
    assert refusal(folder) == ["entries.parquet: The file has 8 rows; archive.json says 9."]


# Columns


def test_every_wrong_column_is_told(folder: Path) -> None:
    games = small_archive().games.drop("colour").with_columns(pl.col("round").cast(pl.Int64))
    games.write_parquet(folder / "games.parquet")
    _without_hashes(folder)
    assert refusal(folder, opened) == [
        "games.parquet: The column round holds Int64; it should hold UInt8.",
        "games.parquet: The column colour is missing.",
    ]


def test_columns_that_nobody_knows_are_ignored(folder: Path) -> None:
    small_archive().games.with_columns(note=pl.lit("x")).write_parquet(folder / "games.parquet")
    _without_hashes(folder)
    assert read(str(folder)).games.equals(small_archive().games)


# Rows: each case breaks one rule of docs/archive.md.

BROKEN: list[tuple[str, str, int, object, str]] = [
    ("members", "name", 2, None, "members.parquet, row 2: name is missing."),
    ("members", "member_id", 1, "", "members.parquet, row 1: the member has no id."),
    (
        "members",
        "member_id",
        3,
        "10000002",
        "members.parquet, row 1: the member id stands on two rows, and so in 1 more",
    ),
    (
        "sections",
        "event_id",
        1,
        "202102070001",
        "sections.parquet, row 0: the section stands in two rows, and so in 1 more",
    ),
    ("outside", "member", 2, 4, "outside.parquet, row 2: there are only 4 members."),
    ("outside", "body", 2, 2, "outside.parquet, row 2: body is neither 0 (FIDE) nor 1 (CFC)."),
    ("outside", "rating", 0, float("nan"), "outside.parquet, row 0: the rating is not a number."),
    ("outside", "as_of", 1, date(2020, 1, 1), "outside.parquet, row 1: the row is out of order"),
    ("outside", "member", 0, 1, "outside.parquet, row 1: the row is out of order"),
    ("openings", "member", 1, 4, "openings.parquet, row 1: there are only 4 members."),
    ("openings", "system", 1, 6, "openings.parquet, row 1: there is no such rating system."),
    ("openings", "rating", 0, float("inf"), "openings.parquet, row 0: rating is not a number."),
    ("openings", "peak", 1, float("nan"), "openings.parquet, row 1: peak is not a number."),
    ("openings", "games", 1, -1.0, "openings.parquet, row 1: games is not a number of games."),
    ("openings", "member", 1, 0, "earlier_openings.parquet, row 0: no later starting rating of the"),
    ("openings", "floors", 0, "[[1]]", "openings.parquet, row 0: floors is not the JSON it should be."),
    ("openings", "floors", 0, "{}", "openings.parquet, row 0: floors is not the JSON it should be."),
    ("openings", "match_changes", 1, '[["x", 1]]', "openings.parquet, row 1: match_changes is not the JSON"),
    ("openings", "match_changes", 1, "1", "openings.parquet, row 1: match_changes is not the JSON"),
    ("decisions", "kind", 0, "sit-down", "decisions.parquet, row 0: there is no such kind of decision."),
    ("decisions", "kind", 0, "revoke", "decisions.parquet, row 0: there is no such kind of decision."),
    ("decisions", "member", 0, 9, "decisions.parquet, row 0: there is no such member."),
    ("decisions", "system", 0, 7, "decisions.parquet, row 0: there is no such rating system."),
    ("decisions", "value", 0, float("nan"), "decisions.parquet, row 0: value is not a number."),
    ("decisions", "value", 0, None, "decisions.parquet, row 0: the decision does not say whose rating"),
    ("decisions", "member", 0, -1, "decisions.parquet, row 0: the decision does not say whose rating"),
    ("decisions", "act", 1, 2, "decisions.parquet, row 1: the row is out of order, which is by act."),
    ("decisions", "details", 1, "[]", "decisions.parquet, row 1: details is not the JSON it should be."),
    ("sections", "event_id", 0, "", "sections.parquet, row 0: the event has no id."),
    ("sections", "start", 1, date(2021, 3, 15), "sections.parquet, row 1: the section ends before it starts."),
    ("sections", "start", 1, date(2000, 12, 31), "sections.parquet, row 1: the section starts before 2001-01-01,"),
    ("sections", "start", 1, date(2001, 1, 1), ""),
    ("sections", "kind", 0, 5, "sections.parquet, row 0: there is no such kind of section."),
    ("sections", "systems", 0, 0, "sections.parquet, row 0: systems names no system."),
    ("sections", "systems", 0, 64, "sections.parquet, row 0: systems names no system."),
    ("sections", "asked_systems", 0, 64, "sections.parquet, row 0: asked_systems names no system."),
    ("sections", "end", 2, date(2021, 4, 3), ""),
    (
        "sections",
        "end",
        0,
        date(2021, 12, 31),
        "sections.parquet, row 1: the section is out of the order",
    ),
    ("entries", "section", 7, 3, "entries.parquet, row 7: there are only 3 sections."),
    ("entries", "section", 0, 1, "entries.parquet, row 1: the row is out of order, which is by section."),
    ("entries", "member", 0, 4, "entries.parquet, row 0: there is no such member."),
    ("entries", "member", 0, -2, "entries.parquet, row 0: there is no such member."),
    ("entries", "number", 0, 0, "entries.parquet, row 0: a pairing number is 1 or more."),
    ("entries", "number", 2, 9, ""),
    ("entries", "number", 2, 1, "entries.parquet, row 0: the pairing number stands twice in the section, and so in 1"),
    ("entries", "fide", 7, float("nan"), "entries.parquet, row 7: fide is not a number."),
    ("entries", "start_games", 3, -1.0, "entries.parquet, row 3: start_games is no number."),
    ("entries", "start_games", 3, None, "entries.parquet, row 3: a start needs both its rating and its games."),
    ("entries", "unplayed", 2, "2:W1", "entries.parquet, row 2: unplayed is not written as round:cell."),
    ("entries", "unplayed", 2, "2H", "entries.parquet, row 2: unplayed is not written as round:cell."),
    ("entries", "unplayed", 2, "2:H  3:U", "entries.parquet, row 2: unplayed is not written as round:cell."),
    ("games", "result", 1, 3, "games.parquet, row 1: the result is none of 0, 1, 2, 4, 5 and 6."),
    ("games", "result", 1, 7, "games.parquet, row 1: the result is none of 0, 1, 2, 4, 5 and 6."),
    ("games", "colour", 1, 3, "games.parquet, row 1: the colour is none of 0, 1 and 2."),
    ("games", "round", 0, 0, "games.parquet, row 0: rounds are counted from 1."),
    ("games", "second", 0, 0, "games.parquet, row 0: a player is paired with themselves."),
    ("games", "second", 0, 4, "games.parquet, row 0: the game names a row that its section does not have."),
    ("games", "section", 7, 3, "games.parquet, row 7: there are only 3 sections."),
    ("games", "first", 1, 0, "games.parquet, row 1: the game is out of order"),
    ("games", "round", 0, 2, "games.parquet, row 1: the game is out of order"),
    ("games", "round", 4, 4, ""),
    ("games", "section", 0, 1, "games.parquet, row 1: the game is out of order"),
]


@pytest.mark.parametrize(("table", "column", "row", "value", "said"), BROKEN)
def test_every_broken_rule_is_told_with_its_row(
    tmp_path: Path, table: str, column: str, row: int, value: object, said: str
) -> None:
    """Cases without a sentence stand close to a rule and break none."""
    write(changed(table, column, row, value), str(tmp_path))
    if not said:
        whole, lean = read(str(tmp_path)), for_walk(str(tmp_path))
        assert lean.tables["games"].equals(whole.games)
        assert lean.entries.equals(whole.entries.select(*LEAN_ENTRIES))
        return
    assert any(found.startswith(said) for found in refusal(tmp_path)), refusal(tmp_path)
    assert refusal(tmp_path, for_walk) == refusal(tmp_path)


BROKEN_MERGES: list[tuple[str, str, int, object, str]] = [
    ("merged", "member_id", 1, "20000001", "merged.parquet, row 1: the row is out of order, which is by id."),
    ("merged", "member_id", 0, "10000004", "merged.parquet, row 0: the merged id is that of a member."),
    ("merged", "into_id", 1, "20000001", "merged.parquet, row 0: into_id leads to no member, and so in 1 more"),
    ("merged", "into_id", 1, "10000009", "merged.parquet, row 0: into_id leads to no member, and so in 1 more"),
    ("merged", "into_id", 1, "10000001", "decisions.parquet, row 0: member_id is no merged id of the member."),
    ("merged", "into_id", 0, "10000002", ""),
    ("merged", "name", 0, None, "merged.parquet, row 0: name is missing."),
    ("merged", "outside", 1, "1", "merged.parquet, row 1: outside is not the JSON it should be."),
    ("merged", "outside", 1, '[["FIDE","2020-01-01"]]', "merged.parquet, row 1: outside is not the JSON it should be."),
    ("merged", "outside", 1, '[["DSB","2020-01-01",1.0]]', "merged.parquet, row 1: outside is not the JSON it should"),
    ("openings", "member_id", 0, "20000002", ""),
    (
        "openings",
        "member_id",
        0,
        "10000002",
        "earlier_openings.parquet, row 0: member_id is no merged id",
    ),
    (
        "openings",
        "member_id",
        2,
        "20000001",
        "earlier_openings.parquet, row 0: the id has two starting ratings in one system.",
    ),
    (
        "openings",
        "as_of",
        0,
        date(2021, 1, 1),
        "earlier_openings.parquet, row 0: no later starting rating of the",
    ),
    (
        "openings",
        "as_of",
        0,
        date(2020, 1, 1),
        "earlier_openings.parquet, row 0: no later starting rating of the",
    ),
    ("openings", "games", 0, -1.0, "earlier_openings.parquet, row 0: games is not a number of games."),
    ("decisions", "member_id", 1, "20000002", "decisions.parquet, row 1: member_id is no merged id of the member."),
    ("sections", "details", 1, "[]", "sections.parquet, row 1: details is not the JSON it should be."),
    ("events", "event_id", 0, "202102070009", "events.parquet, row 0: the event has no section."),
    ("events", "details", 0, "{", "events.parquet, row 0: details is not the JSON it should be."),
    ("entries", "other_starts", 3, "[]", "entries.parquet, row 3: other_starts is not the JSON it should be."),
    (
        "entries",
        "other_starts",
        3,
        '{"R":[1400.0,4.0]}',
        "entries.parquet, row 3: other_starts is not the JSON it should be.",
    ),
    (
        "entries",
        "other_starts",
        3,
        '{"OTBQ":[1400.0]}',
        "entries.parquet, row 3: other_starts is not the JSON it should be.",
    ),
    (
        "entries",
        "other_starts",
        3,
        '{"OTBQ":[1400.0,-1.0]}',
        "entries.parquet, row 3: other_starts is not the JSON it should be.",
    ),
    (
        "entries",
        "other_starts",
        3,
        '{"OTBQ":["1400",4]}',
        "entries.parquet, row 3: other_starts is not the JSON it should be.",
    ),
]
# What only whoever reads entries whole comes across.
BROKEN_ENTRIES: list[tuple[str, int, object, str]] = [
    ("member_id", 0, "20000001", "entries.parquet, row 0: member_id is no merged id of the member."),
    ("member_id", 0, "30000001", "entries.parquet, row 0: member_id is no merged id of the member."),
    ("member_id", 7, "20000001", "entries.parquet, row 7: member_id is no merged id of the member."),
    ("member_id", 7, "10000003", "entries.parquet, row 7: member_id is no merged id of the member."),
    ("extra", 4, "[1]", "entries.parquet, row 4: extra is not the JSON it should be."),
]


@pytest.mark.parametrize(("table", "column", "row", "value", "said"), BROKEN_MERGES)
def test_what_is_said_of_merged_ids_must_hold(
    tmp_path: Path, table: str, column: str, row: int, value: object, said: str
) -> None:
    write(changed(table, column, row, value, merged_archive()), str(tmp_path))
    if not said:
        assert read(str(tmp_path)).merged.height == 2
        assert for_walk(str(tmp_path)).openings.height == 3
        return
    assert any(found.startswith(said) for found in refusal(tmp_path)), refusal(tmp_path)
    assert refusal(tmp_path, for_walk) == refusal(tmp_path)


@pytest.mark.parametrize(("column", "row", "value", "said"), BROKEN_ENTRIES)
def test_what_entries_say_of_ids_must_hold(tmp_path: Path, column: str, row: int, value: object, said: str) -> None:
    write(changed("entries", column, row, value, merged_archive()), str(tmp_path))
    assert refusal(tmp_path) == [said]


def test_events_stand_in_order(tmp_path: Path) -> None:
    archive = merged_archive()
    write(archive._replace(events=pl.concat([archive.events, archive.events])), str(tmp_path))
    assert refusal(tmp_path) == ["events.parquet, row 1: the row is out of order, which is by event id."]


def test_a_table_that_the_heading_counts_must_be_there(folder: Path) -> None:
    write(merged_archive(), str(folder))
    (folder / "merged.parquet").unlink()
    assert refusal(folder) == ["merged.parquet: The file is not there."]


def test_an_optional_column_has_its_type_too(folder: Path) -> None:
    small_archive().sections.with_columns(details=pl.lit(1)).write_parquet(folder / "sections.parquet")
    _without_hashes(folder)
    assert refusal(folder) == ["sections.parquet: The column details holds Int32; it should hold String."]


def test_a_walk_is_told_everything_of_the_sections_that_plain_code_rates(folder: Path) -> None:
    """Section 0 has a start that was set by hand, section 2 is a match abroad."""
    whole, lean = read(str(folder)), for_walk(str(folder))
    rare = [at for at, kind in enumerate(whole.sections["kind"]) if kind >= FIRST_ABROAD]
    rare += whole.entries.filter(pl.col("start_rating").is_not_null())["section"].to_list()
    assert len(set(rare)) in range(1, whole.sections.height)
    assert lean.all_told.equals(whole.entries.filter(pl.col("section").is_in(rare)))
    assert whole.all_told is whole.entries


def test_what_only_a_walk_comes_across_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads by other ways than whoever reads everything, and may meet damage that others do not."""

    def fails(_: object) -> None:
        raise PolarsError("Invalid UTF8 in Statistics")

    monkeypatch.setattr("crosstable.history.archive._lean", fails)
    assert refusal(folder, for_walk) == [f"{folder}: The file cannot be read: Invalid UTF8 in Statistics."]


def test_a_section_from_before_the_rules_is_not_laid_out_either() -> None:
    """Its edition would be number -1: the last one, or a place before the first."""
    with pytest.raises(HistoryError, match="a section starts before 2001-01-01"):
        build(changed("sections", "start", 0, date(2000, 12, 31)))
    with pytest.raises(AssertionError):
        era_of(np.array([date(2000, 12, 31).toordinal()], dtype=np.int32))


def test_several_broken_rules_are_told_together(tmp_path: Path) -> None:
    archive = changed("sections", "systems", 1, 0)
    broken = changed("entries", "member", 0, 99)._replace(sections=archive.sections)
    write(broken, str(tmp_path))
    assert refusal(tmp_path) == [
        "sections.parquet, row 1: systems names no system.",
        "entries.parquet, row 0: there is no such member.",
    ]


def test_a_section_of_too_many_rows_is_refused(tmp_path: Path) -> None:
    archive = small_archive()
    many = 65_537
    entries = pl.concat([archive.entries.filter(pl.col("section") == 2).head(1)] * many)
    entries = entries.with_columns(number=pl.int_range(1, many + 1, dtype=pl.Int32))
    write(archive._replace(entries=entries, games=archive.games.clear()), str(tmp_path))
    assert refusal(tmp_path) == ["entries.parquet: Section 2 has more than 65536 rows."]


def test_games_without_sections_are_refused(tmp_path: Path) -> None:
    archive = small_archive()
    write(archive._replace(sections=archive.sections.clear(), entries=archive.entries.clear()), str(tmp_path))
    assert refusal(tmp_path) == ["games.parquet, row 0: there are only 0 sections, and so in 7 more rows."]


def test_order_is_held_across_the_portions_in_which_games_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crosstable.history.archive._ROWS_TOGETHER", 2)
    write(small_archive(), str(tmp_path))
    assert read(str(tmp_path)).games.n_chunks() > 2
    write(changed("games", "round", 2, 1), str(tmp_path))
    assert refusal(tmp_path) == [
        "games.parquet, row 2: the game is out of order, which is section, round and row of the first player."
    ]


def test_entries_are_held_across_the_portions_in_which_they_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crosstable.history.archive._ROWS_TOGETHER", 2)
    write(changed("entries", "number", 2, 1), str(tmp_path))
    said = "entries.parquet, row 0: the pairing number stands twice in the section, and so in 1 more rows."
    assert refusal(tmp_path) == [said]
    write(changed("entries", "section", 1, 1), str(tmp_path))
    assert refusal(tmp_path)[0] == "entries.parquet, row 2: the row is out of order, which is by section."


def test_what_compiled_checks_take_for_granted() -> None:
    assert all(column.may_be_null for column in TABLES["entries"] if column.name not in LEAN_ENTRIES)
    assert (indexing.ONE_SIDED, indexing._NO_MEMBER) == (ONE_SIDED, NO_MEMBER)


def test_two_cells_in_one_round_are_found_where_sections_are_walked() -> None:
    """The one rule that reading leaves to the walk: in round 1, row 2 plays row 0 and row 1."""
    with pytest.raises(ArchiveError, match=r"Player 3 of section 0 has two cells in round 1\."):
        list(sections_of(changed("games", "second", 1, 2)))

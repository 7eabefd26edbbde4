"""The demonstration holds, with lists and a ripple; members' files read the short and the long way are the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crosstable.office.audit import audit
from crosstable.office.database import Office, open_office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.ledger.journal import act_of
from crosstable.office.members import merge_members
from crosstable.office.titles import norms_of
from crosstable.office.views import ripple
from crosstable.terms import RatingSystem
from crosstable.web.reading import Reading, Snapshot
from tests.amounts import IS_SOAK
from tests.office.made_office import AUTHOR, HandClock, run
from tests.web.site import client

# Every so manieth member is read both ways; all of them in a soak.
LEAP = 1 if IS_SOAK else 4


@pytest.fixture(scope="module")
def demo(demonstration: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    path.write_bytes(demonstration)
    return path


def test_a_demonstration_has_lists_runs_and_a_ripple(demo: Path) -> None:
    office = open_office(str(demo))
    assert not audit(office).findings
    office.close()
    with client(demo, is_demo=True) as site:
        home = site.get("/index.json").json()
        assert home["members"] > 140
        assert home["newest_list"] is not None
        assert len(site.get("/changes.json?kind=correct").json()["acts"]) == 1
        assert site.get("/ripples.json").json()["runs"][0]["moved"] > 100
        assert "these people, clubs and results are invented" in site.get("/").text


@pytest.fixture(scope="module")
def read(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """The demonstration after two members were merged, a floor was set, and a title given."""
    path = tmp_path_factory.mktemp("changed") / "office.db"
    path.write_bytes(demo.read_bytes())
    office = Office(str(path), HandClock())
    decide(office, AUTHOR, Ruling(DecisionKind.FLOOR, "10000009", RatingSystem.OTBR, value=1500.0))
    decide(office, AUTHOR, Ruling(DecisionKind.LIFE_MASTER, "10000074", RatingSystem.OTBR))
    merge_members(office, AUTHOR, *_strangers(office))
    run(office)
    reading = Reading(office)
    yield reading.renew()
    reading.close()


def _strangers(office: Office) -> tuple[str, str]:
    """Two members who never met in a section, as one who was listed twice would be."""
    reading = Reading(office)
    snapshot = reading.renew()
    ids = [member.member_id for member in snapshot.members]
    first = ids[0]
    met = snapshot.record.sections_of([first])
    other = next(one for one in ids[1:] if not met & snapshot.record.sections_of([one]))
    snapshot.close()
    return other, first


def test_the_short_way_to_a_file_gives_what_the_long_way_gives(read: Snapshot) -> None:
    assert len(read.members) > 140
    assert any(member.also for member in read.members)
    for listed in read.members[::LEAP]:
        file = read.files.file(listed)
        assert file.member == read.public.member(listed.member_id)
        assert list(file.postings) == read.public.postings(listed.member_id)
        assert list(file.norms) == norms_of(read.connection, listed.member_id)
    assert any(read.files.file(listed).norms for listed in read.members)
    titles = {title.kind.value for listed in read.members for title in read.files.file(listed).member.titles}
    assert "Original Life Master" in titles


def test_moves_without_play_are_ripples_in_which_nothing_new_was_rated(read: Snapshot) -> None:
    moved = 0
    for listed in read.members:
        if listed.also:
            continue
        rows = {(row.run, row.system): row for row in ripple(read.connection, member_id=listed.member_id)}
        for move in read.files.file(listed).moves:
            assert rows[move.run, move.system] == move
            assert _kinds(read, move.causes) <= {"correct", "decide", "merge"}
            moved += 1
    assert moved > 50


def _kinds(read: Snapshot, seqs: tuple[int, ...]) -> set[str]:
    found = (act_of(read.connection, seq) for seq in seqs)
    return {act.kind.value for act in found if act is not None}

"""A long run that is interrupted: whoever takes it up goes on from the parts that it kept, and stores the same."""

import logging
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from crosstable.office.audit import audit
from crosstable.office.bulk import checkpoints, compiled
from crosstable.office.bulk.checkpoints import Parts, folder_of
from crosstable.office.bulk.run import Post, _Posting
from crosstable.office.database import Office
from crosstable.office.ledger.journal import EntryKind, acts
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.runs import Watch
from crosstable.office.submissions import Status, submit
from tests.office.children import Children
from tests.office.conftest import Cluster, CopyOf
from tests.office.made_office import AUTHOR, HandClock, club, club_members, derived, join, posted
from tests.office.small_season import TODAY, file_number
from tests.waiting import until

EVENTS = 7
LONG = Watch(long=0)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "BLOCK", 2)


def submit_all(office: Office) -> None:
    for number in range(EVENTS):
        assert submit(office, AUTHOR, file_number(number), TODAY).status is Status.ACCEPTED


def a_season(office: Office) -> None:
    join(office, *club_members())
    submit_all(office)


@pytest.fixture
def season(copy_of: CopyOf) -> Office:
    return copy_of(a_season)


class StoppedError(Exception):
    """Somebody stops a run."""


def interrupted(office: Office, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """A run that ends before it writes its third part."""
    real, count = Post.enter, 0

    def enter(post: Post, *given: object) -> None:
        nonlocal count
        count += 1
        if count > after:
            raise StoppedError
        real(post, *given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Post, "enter", enter)
        with pytest.raises(StoppedError):
            rerate(office, AUTHOR, watch=LONG)


def parts_in(office: Office) -> list[Path]:
    return sorted(Path(folder_of(office)).glob("*/*.zip"))


def worked_out(office: Office, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many parts a run worked out itself."""
    real, count = _Posting._part, 0

    def part(posting: _Posting, due: object) -> object:
        nonlocal count
        count += 1
        return real(posting, due)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(_Posting, "_part", part)
        assert rerate(office, AUTHOR, watch=LONG) is not None
    return count


def state_of(office: Office) -> str:
    """What the run says of the state of all postings."""
    with office.reading() as connection:
        last = [entry for entry in acts(connection) if entry.kind is EntryKind.RATE][-1]
    return str(last.after["state"])


def test_a_run_goes_on_from_the_parts_that_were_kept(copy_of: CopyOf, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, season = copy_of(a_season), copy_of(a_season)
    assert worked_out(whole, monkeypatch) == 4
    assert parts_in(whole) == [], "nothing is kept of a run that is stored"
    interrupted(season, monkeypatch, after=2)
    kept = parts_in(season)
    assert len(kept) == 3, "the third was worked out and not written"
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert worked_out(season, monkeypatch) == 1
    assert state_of(season) == state_of(whole)
    assert posted(season) == derived(season)
    assert audit(season).findings == ()
    assert parts_in(season) == []


def test_what_was_worked_out_from_another_record_is_not_taken_up(
    season: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(season, monkeypatch, after=2)
    before = parts_in(season)
    assert submit(season, AUTHOR, file_number(EVENTS), TODAY).status is Status.ACCEPTED
    interrupted(season, monkeypatch, after=0)
    assert not set(before) & set(parts_in(season))
    assert worked_out(season, monkeypatch) == 3
    assert posted(season) == derived(season)


def test_a_part_that_is_damaged_is_worked_out_again(season: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(season, monkeypatch, after=2)
    first, second, _ = parts_in(season)
    first.write_bytes(first.read_bytes()[:-100])
    content = bytearray(second.read_bytes())
    content[len(content) // 2] ^= 1
    second.write_bytes(content)
    assert worked_out(season, monkeypatch) == 3
    assert posted(season) == derived(season)


def test_a_run_that_cannot_keep_its_parts_goes_on(
    season: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "no folder"
    file.touch()
    real = Parts.__init__

    def init(parts: Parts, folder: str, head: str) -> None:
        real(parts, folder, head)
        parts.folder = str(file / "nowhere")

    monkeypatch.setattr(Parts, "__init__", init)
    assert worked_out(season, monkeypatch) == 4
    assert len([one for one in caplog.records if "cannot be kept" in one.message]) == 1
    assert posted(season) == derived(season)


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children() as made:
        yield made


def test_a_run_that_was_killed_is_taken_up(
    store: str, tmp_path: Path, children: Children, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    address = str(tmp_path / "office.db")
    if store == "postgresql":
        cluster: Cluster = request.getfixturevalue("cluster")
        address = cluster.empty()
    with closing(club(address)) as office:
        submit_all(office)
    children.load("crosstable.office.bulk.compiled")
    sign = tmp_path / "sign"
    child = children.start("rate_in_parts", address, str(sign))
    until(lambda: sign.exists() or children.is_over(child))
    assert children.stop(child, 0.0, signal.SIGKILL) == -signal.SIGKILL
    with closing(Office(address, HandClock())) as office, caplog.at_level(logging.INFO, "crosstable.office"):
        assert len([*Path(folder_of(office)).glob("*/*.zip")]) >= 2
        assert posted(office) == {}
        assert rerate(office, AUTHOR, watch=LONG) is not None
        said = [one.getMessage() for one in caplog.records if "interrupted" in one.getMessage()]
        assert said == ["this run goes on from one that was interrupted: 2 of its parts are taken up"]
        assert posted(office) == derived(office)
        assert audit(office).findings == ()
        assert not Path(checkpoints.folder_of(office)).exists()

"""What the tests of the doors share: files to rate, and the command run in this process."""

import gc
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from crosstable.cli import main
from tests.documents import printed
from tests.event_files import EventFile

if TYPE_CHECKING:
    from tests.cli.club import Desk


class Ran(NamedTuple):
    """What a command left behind: its exit code and both streams."""

    code: int
    out: str
    err: str


def in_short(text: str) -> str:
    """Printed faults with places in a director's words alone: no name of the player, no place in the file."""
    return re.sub(r" \(Player, \d+\)| \[sections[^:]*\](?=:)", "", text)


Run = Callable[..., Ran]
Write = Callable[..., str]


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    """A command switches the collector off for its short life; the tests live longer."""
    yield
    gc.enable()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process; documents that it prints must be valid by their schemas."""

    def ran(*arguments: str) -> Ran:
        code = main(arguments)
        out, err = capsys.readouterr()
        printed(out)
        return Ran(code, out, err)

    return ran


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write an event file, or any bytes, and say its path."""

    def written(event: EventFile | bytes, name: str = "event.json") -> str:
        path = tmp_path / name
        path.write_bytes(event if isinstance(event, bytes) else json.dumps(event).encode())
        return str(path)

    return written


@pytest.fixture
def desk(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> "Desk":
    """An empty folder with the club's example files, and nothing that says where an office is."""
    from tests.cli.club import Desk, copy_examples

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CROSSTABLE_OFFICE", raising=False)
    copy_examples(tmp_path)
    return Desk(tmp_path, run)


@pytest.fixture
def club(desk: "Desk") -> "Desk":
    """The club's office after its season."""
    from tests.cli.club import season

    (desk.folder / "office.db").write_bytes(season())
    return desk


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts as wide as they get: processes of a test run see another width than the test run itself."""
    monkeypatch.setenv("COLUMNS", "102")

"""The club of the guide: its example files in an empty folder, and its office, made once and copied."""

import io
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from crosstable.cli import main
from tests.architecture.source import ROOT
from tests.cli.conftest import Ran, Run

EXAMPLES = ROOT / "examples"
SWISS, QUICK, CHAMPIONSHIP = "202510180012", "202601090005", "202603200010"
OPENED = "2025-08-31"
FILES = ("club-autumn-swiss.csv", "club-quick-night.json", "club-championship.trf")
# Every day on which a member of the club was born: none of them may be printed but by members show.
BIRTH_DATES = ("1979-05-14", "1991-11-02", "2012-09-04", "2014-04-09", "2013-10-25", "2001-12-12")


class Desk:
    """A folder with the club's files, in which the commands of the office are run."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder = folder
        self._run = run

    def __call__(self, *arguments: str) -> Ran:
        """Run a command of the office, whatever its exit code."""
        return self._run("office", *arguments)

    def done(self, *arguments: str) -> str:
        """Run a command that must succeed, and return what it printed."""
        ran = self(*arguments)
        assert ran.code == 0, ran.err or ran.out
        return ran.out

    def asked(self, *arguments: str) -> Any:
        """The JSON of a question."""
        return json.loads(self.done(*arguments, "--json"))

    def refused(self, *arguments: str) -> str:
        """Run a command that the office refuses, and return its one sentence."""
        ran = self(*arguments)
        assert ran.code == 1, (ran.code, ran.out, ran.err)
        assert ran.err.startswith("crosstable office: "), ran.err
        assert ran.err.count("\n") == 1, ran.err
        return ran.err.removeprefix("crosstable office: ").strip()

    def write(self, name: str, content: str) -> str:
        """A further file in the folder."""
        (self.folder / name).write_text(content, encoding="utf-8")
        return name

    def change(self, statement: str, *values: Any) -> None:
        """Change the database behind the office's back, guards and all."""
        with sqlite3.connect(self.folder / "office.db") as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for (name,) in names:
                connection.execute(f'DROP TRIGGER "{name}"')
            connection.execute(statement, values)
        connection.close()


def copy_examples(folder: Path) -> None:
    """The club's files, as the guide has them copied."""
    for path in sorted(EXAMPLES.glob("club-*")):
        shutil.copy(path, folder)


@cache
def season() -> bytes:
    """The database of the club after its three events."""
    return _made([("members", "import", "club-members.csv", "--ratings-as-of", OPENED)], FILES)


@cache
def founded() -> bytes:
    """The database of the club with its members, before the season."""
    return _made([("members", "import", "club-members.csv", "--ratings-as-of", OPENED)], ())


def _made(commands: Sequence[tuple[str, ...]], files: Sequence[str]) -> bytes:
    folder = Path(tempfile.mkdtemp(prefix="crosstable-club-"))
    try:
        copy_examples(folder)
        database = str(folder / "office.db")
        submissions = [("submit", name, "--new-members") for name in files]
        for command in (("init", "--name", "Riverside Chess Club"), *commands, *submissions):
            paths = [str(folder / word) if word.startswith("club-") else word for word in command]
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                assert main(["office", *paths, "--database", database, "--by", "secretary"]) == 0
        return (folder / "office.db").read_bytes()
    finally:
        shutil.rmtree(folder)

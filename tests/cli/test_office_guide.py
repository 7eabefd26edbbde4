"""The guide ``docs/office.md``: every command runs, on SQLite and on PostgreSQL, and prints what the page shows."""

import json
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.amounts import IS_SOAK
from tests.architecture.source import ROOT
from tests.cli.club import FILES, OPENED, Desk
from tests.cli.conftest import Run
from tests.cli.season_again import official, opened, played
from tests.office.postgres import Server

GUIDE = ROOT / "docs" / "office.md"
TEN = 10
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"\s+# exit code (\d).*$")


class Step(NamedTuple):
    """A command of the guide, the exit code it should have, and lines that it should print."""

    words: tuple[str, ...]
    code: int
    prints: tuple[str, ...]


def steps(page: str) -> Iterator[Step]:
    """The commands of a page in their order; a ``text`` block shows what the command before it prints."""
    found: list[Step] = []
    for kind, text in _BLOCK.findall(page):
        if kind == "text":
            found[-1] = found[-1]._replace(prints=tuple(text.splitlines()))
        elif not kind:
            found += [_step(line) for line in text.splitlines()]
    return iter(found)


def _step(line: str) -> Step:
    code = _CODE.search(line)
    today = datetime.now(tz=UTC).date().isoformat()
    program, *words = shlex.split(_CODE.sub("", line).replace("$(date -u +%F)", today))
    assert program == "crosstable", line
    return Step(tuple(words), int(code[1]) if code else 0, ())


# On both stores in a soak.
@pytest.fixture(params=["sqlite", "postgresql"] if IS_SOAK else ["sqlite"])
def guided(request: pytest.FixtureRequest, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """The empty folder of the guide, and for PostgreSQL an empty database."""
    if request.param == "sqlite":
        yield desk
        return
    with Server() as server:
        monkeypatch.setenv("CROSSTABLE_OFFICE", server.new_database("club"))
        yield desk


def test_every_command_of_the_guide_does_what_the_guide_says(guided: Desk, run: Run) -> None:
    every = list(steps(GUIDE.read_text("utf-8")))
    assert len(every) > 3 * TEN
    for step in every:
        ran = run(*step.words)
        assert ran.code == step.code, (step, ran.out, ran.err)
        for line in step.prints:
            assert line.strip() in ran.out, (line, ran.out)


def test_ten_commands_lead_from_an_empty_folder_to_a_published_list() -> None:
    first = _BLOCK.search(GUIDE.read_text("utf-8"))
    assert first is not None
    lines = first[2].splitlines()
    assert len(lines) == TEN
    assert lines[0].startswith("crosstable office init")
    assert lines[-1].startswith("crosstable office supplements")


def test_the_list_of_the_guide_is_what_the_second_engine_gives(desk: Desk, run: Run) -> None:
    """The whole season by the independent engine: the same members, the same whole numbers."""
    events = []
    for name in FILES:
        event = json.loads(run("convert", name, "--to", "json").out)
        events.append(event)
    members = opened(desk.folder / "club-members.csv", OPENED)
    played(members, events)
    names = {member["name"]: member_id for member_id, member in members.items()}
    shown = next(step for step in steps(GUIDE.read_text("utf-8")) if step.words[1] == "supplements").prints
    ratings = dict(_shown_ratings(shown))
    assert len(ratings) > TEN - 1
    assert {names[name]: rating for name, rating in ratings.items()} == official(members, "OTBR")


def _shown_ratings(lines: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for line in lines:
        found = re.match(r"\s*(\d+)(?:P\d+)?\s+(\w+, \w+)\s", line)
        if found:
            yield found[2], int(found[1])


def test_a_guide_that_promises_too_much_is_found(desk: Desk, run: Run, tmp_path: Path) -> None:
    page = "```\ncrosstable office init\n```\n\n```text\nan office of gold\n```\n"
    (step,) = steps(page)
    assert step.prints == ("an office of gold",)
    assert step.prints[0] not in run(*step.words).out
    with pytest.raises(AssertionError):
        list(steps("```\nrm -rf office.db\n```\n"))


def test_the_guide_is_linked_and_its_links_lead_somewhere() -> None:
    links: list[Any] = re.findall(r"\]\(([\w./-]+\.md)[^)]*\)", GUIDE.read_text("utf-8"))
    assert links
    assert [link for link in links if not (GUIDE.parent / link).exists()] == []

"""Every command that a page tells people to type is run as it stands there, or stands below with the reason why not."""

import io
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from crosstable.cli import COMMANDS, reference
from tests.architecture.source import ROOT
from tests.cli.conftest import Run
from tests.cli.test_files_of_directors import MEMBERS, event
from tests.formats.swisssys_event import EVENT, packed
from tests.uschess.stand_in import StandIn, api_of
from tests.uschess.test_fetch import MEMBER, QUAD
from tests.verification.made_pages import line, quad, raw_page

# Pages whose commands have a test of their own.
ELSEWHERE = {
    "office.md": "tests/cli/test_office_guide.py",
    "privacy.md": "tests/cli/test_office_consent.py",
    "calculator.md": "tests/cli/test_estimate.py",
    **dict.fromkeys(
        ("lab.md", "lab-federation.md", "lab-committee.md", "lab-tutorial.md"), "tests/lab/test_tutorial.py"
    ),
}
# What is not run here, by how it begins, and why.
NOT_RUN = {
    "make test": "this suite",
    "make run": "serves until it is stopped; tests/web/test_demo.py starts the demonstration",
    "crosstable serve": "serves until it is stopped; tests/web/test_serve.py starts it",
    "crosstable app serve": "serves until it is stopped; tests/browser/test_app.py starts it",
    "sudo": "changes the machine; tests/cli/test_office_upkeep.py and test_office_accounts.py run the commands inside",
    "podman": "needs a container engine",
    "crosstable office users add": "asks for a password; tests/cli/test_office_accounts.py adds accounts",
}
# What a page takes for granted.
BEFORE = {
    "archive.md": ("office init", "office submit examples/club-quick-night.json --new-members"),
    "operations.md": ("office init",),
}
# The event and the members that the pages fetch.
ASKED_FOR = "202503213862"
MEMBERS_ASKED_FOR = ("12345678", "12345679")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"# exit code (\d)")


class Typed(NamedTuple):
    """A line that a page tells people to type, the file that is piped into it, its exit code, and what is shown."""

    words: tuple[str, ...]
    piped: str = ""
    code: int = 0
    prints: str = ""


def typed(page: str) -> Iterator[Typed]:
    """The command lines of a page in their order; a ``text`` block shows what one of the commands before it prints."""
    found: list[Typed] = []
    for kind, text in _BLOCK.findall(page):
        if kind == "text" and found:
            found[-1] = found[-1]._replace(prints=text)
        elif kind in ("", "sh", "console"):
            found += [line for raw in text.splitlines() if (line := _line(raw)).words]
    return iter(found)


def _line(text: str) -> Typed:
    line = text.removeprefix("$ ")
    code = _CODE.search(line)
    before, _, after = line.rpartition(" | ")
    words = shlex.split(re.sub(r"\s+#.*$", "", after))
    if words[:2] == ["make", "run"] and len(words) > 2:
        words = ["crosstable", *shlex.split(words[2].removeprefix("ARGS="))]
    return Typed(tuple(words), before.removeprefix("cat "), int(code[1]) if code else 0)


def _out(words: tuple[str, ...]) -> bool:
    """Whether a command writes a file that is there already."""
    return any(flag in ("--out", "--xlsx") and Path(name).exists() for flag, name in pairwise(words))


def pages() -> list[Path]:
    """Those that people write; the others are made from the code."""
    every = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in every if "<!-- Made by" not in page.read_text("utf-8")]


@pytest.fixture
def us_chess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A stand-in for the ratings API, which is asked without the pause between two questions."""
    answers = api_of({**QUAD, "event": {**QUAD["event"], "id": ASKED_FOR}})
    answers |= {f"members/{one}": {**MEMBER, "id": one} for one in MEMBERS_ASKED_FOR}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    monkeypatch.setattr("time.sleep", lambda _: None)
    with StandIn(answers) as server:
        monkeypatch.setenv("CROSSTABLE_API", server.address)
        yield


@pytest.fixture
def folder(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the pages speak of: an event as DBF files, a spreadsheet, lists, a SwissSys file, a saved page."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    two = event()
    first = two["sections"][0]
    more = [
        {
            "number": at,
            "member_id": f"2000000{at}",
            "name": f"More, {at}",
            "rounds": [f"W{at + 1}" if at % 2 else f"L{at - 1}"],
        }
        for at in range(1, 9)
    ]
    two["sections"].append({**first, "number": 2, "name": "B", "type": "swiss", "players": more})
    three = {**first, "number": 3, "name": "C"}
    two["sections"].append(three)
    two["event"]["id"] = "202606140012"
    Path("event.json").write_text(json.dumps(two))
    for form, out in (("dbf", "my-event"), ("dbf", "event.zip")):
        assert run("convert", "event.json", "--to", form, "--out", out).code == 0
    for file in Path("my-event").iterdir():
        shutil.copy(file, file.name)
    Path("list.csv").write_text('#,Name,USCF ID,Rating,R1\n1,"A, B",10000001,1500,W2\n2,"C, D",10000002,1400,L1\n')
    Path("entries.csv").write_text(
        'Name,USCF ID,Rating,Section\n"A, B",10000001,1500,Open\n"C, D",10000002,1400,Open\n'
    )
    others = (f'{one["member_id"]},"{one["name"]}",1500,40,2026-05-01,1980-01-01\n' for one in more)
    Path("list.txt").write_text(MEMBERS + "".join(others))
    Path("wanted.txt").write_text(f"{ASKED_FOR} an event\n")
    Path("event.sjson").write_bytes(packed(EVENT))
    Path("saved-page.html").write_bytes(raw_page(line("202606140012", "2026-06-14", quad()), "2026-06-15"))
    shutil.copy("saved-page.html", "page.txt")
    for page in (ROOT / "README.md", ROOT / "docs" / "directors.md"):
        for kind, text in _BLOCK.findall(page.read_text("utf-8")):
            if kind in ("json", "csv"):
                Path({"json": "quad.json", "csv": "saturday.csv"}[kind]).write_text(text)
    return tmp_path


WITH_COMMANDS = [page for page in pages() if page.name not in ELSEWHERE and any(typed(page.read_text("utf-8")))]


@pytest.mark.usefixtures("us_chess")
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_every_command_of_a_page_does_what_the_page_says(
    page: Path, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = ""
    assert not any(run(*line.split()).code for line in BEFORE.get(page.name, ()))
    for one in typed(page.read_text("utf-8")):
        line = " ".join(one.words)
        if any(line.startswith(begins) for begins in NOT_RUN):
            continue
        assert one.words[0] == "crosstable", f"{line}: add it to NOT_RUN, with the reason"
        if "-" in one.words:
            piped = Path(one.piped or "saved-page.html").read_bytes()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))
        ran = run(*one.words[1:], *(["--force"] if _out(one.words) else []))
        assert ran.code == one.code, (line, ran.out, ran.err)
        printed += ran.out + ran.err
        for shown in one.prints.splitlines():
            assert shown.strip() in printed, (line, shown)


def test_every_command_named_within_a_sentence_exists_with_its_options() -> None:
    """``crosstable rate --html``: the words before an option, and the option, are what the shell would complete."""
    lost, seen = [], 0
    for page in pages():
        for text in re.findall(r"`(?:py -m )?crosstable ([a-z][^`]*)`", page.read_text("utf-8")):
            words = [word.strip("[]…,\\") for word in text.split()]
            seen += 1
            if words[0] not in COMMANDS:
                lost.append(f"{page.name}: {text}")
            for at, word in enumerate(words):
                if word.startswith("--") and word not in reference.words(word, words[:at]):
                    lost.append(f"{page.name}: {text}: {word}")
    assert lost == []
    assert seen > 50


@pytest.mark.usefixtures("folder")
def test_the_commands_of_the_workflow_run(run: Run) -> None:
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")
    lines = re.findall(r"- run: crosstable (.*)", text)
    assert len(lines) > 4
    assert [(line, ran.err) for line in lines if (ran := run(*line.split())).code] == []


def test_a_page_that_promises_too_much_is_found(folder: Path, run: Run) -> None:
    (one,) = typed("```\ncat event.zip | crosstable rate - --no-such-option   # why\n```\n\n```text\ngold\n```\n")
    assert one == Typed(("crosstable", "rate", "-", "--no-such-option"), "event.zip", 0, "gold\n")
    assert run(*one.words[1:]).code != one.code
    assert list(NOT_RUN) == [begins for begins in NOT_RUN if any(map(_names(begins), pages()))]


def _names(begins: str) -> Callable[[Path], bool]:
    return lambda page: any(" ".join(one.words).startswith(begins) for one in typed(page.read_text("utf-8")))

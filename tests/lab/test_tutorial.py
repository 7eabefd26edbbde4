"""The tutorial of the laboratory: what it tells people to type is what the program takes."""

import ast
import re
import shlex
import socket
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest

from crosstable.cli import main
from crosstable.cli.lab import parser
from crosstable.errors import HistoryError
from crosstable.lab import undone
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_files import read_rule_set, rules_from, rules_text
from tests.amounts import IS_SOAK
from tests.verification.made_pages import archive_bytes, line, quad
from tests.waiting import until
from tools.make_tutorial import BEGIN, END, made, shown

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = (DOCS / "lab-tutorial.md").read_text(encoding="utf-8")
PAGES = ("lab-federation.md", "lab-committee.md", "lab.md")
# The pages' commands run with these amounts; ``make tutorial`` runs those of the tutorial as they stand.
SMALL = {"--members": "100", "--sections": "70", "--years": "12", "--seeds": "3", "--random": "3"}
# The folders of posted pages that a reader has, and what no test has: other machines.
PAGES_OF_THE_READER = ("FOLDER", "PAGES", "$PAGES")
ELSEWHERE = "tcp://HOST:8786"
DOZENS = ("committee", "compare")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", TUTORIAL, flags=re.DOTALL | re.MULTILINE)


def test_its_commands_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept-at-10.toml").write_text(blocks("toml")[0], encoding="utf-8")
    commands = [shlex.split(line) for block in blocks("sh") for line in block.splitlines()]
    asked = [words for words in commands if words[:2] == ["crosstable", "lab"]]
    assert len(asked) >= 4
    for words in asked:
        parser().parse_args(words[2:])
    assert {words[1] for words in commands if words[0] == "python"} == {"whatif.py", "systems.py", "posted.py"}
    assert all(ast.parse(block) for block in blocks("python"))


def test_its_rule_set_undoes_the_change_of_june_2008(tmp_path: Path) -> None:
    """The one written by hand is the first of those that the program makes."""
    path = tmp_path / "kept-at-10.toml"
    path.write_text(blocks("toml")[0], encoding="utf-8")
    assert read_rule_set(str(path)).digest == undone("bonus_threshold")[0].rules.digest


def test_every_change_is_undone_by_itself() -> None:
    """2025 text §8: the thresholds and the days since which they hold."""
    changes = undone("bonus_threshold")
    assert [(one.day.isoformat(), one.before, one.after) for one in changes] == [
        ("2008-06-06", 10.0, 6.0),
        ("2012-08-03", 6.0, 8.0),
        ("2014-03-20", 8.0, 10.0),
        ("2015-06-01", 10.0, 12.0),
        ("2017-06-01", 12.0, 14.0),
        ("2023-02-01", 14.0, 12.0),
        ("2025-01-01", 12.0, 10.0),
    ]
    assert changes[0].span == (date(2008, 6, 6), date(2012, 8, 2))
    assert changes[-1].span == (date(2025, 1, 1), None)
    assert changes[1].rules.since == date(2012, 8, 3)
    assert changes[1].rules.until == date(2014, 3, 20)
    assert changes[1].name == "bonus_threshold 6 to 8, 2012-08-03"
    assert undone("established_above") == []


def test_tables_are_undone_too_and_unknown_names_are_told() -> None:
    """Rules history §5: how FIDE ratings were converted from July 2008 to May 2015 is not known; so it stays."""
    for constant in ("fide", "cfc", "priorities", "initialisation"):
        for change in undone(constant):
            again = rules_from(tomllib.loads(rules_text(change.rules)), "again")
            assert (again.digest, again.name) == (change.rules.digest, change.rules.name)
            before = next(one for one in EDITIONS if one.effective == change.day)
            assert change.rules.edition(before).constants != before.constants
    assert [one.name for one in undone("fide")] == ["fide, 2008-01-01", "fide, 2008-07-01", "fide, 2024-03-01"]
    assert undone("fide")[1].until == date(2015, 6, 1)
    assert undone("initialisation")[0].name == "initialisation priority to blend, 2020-06-01"
    with pytest.raises(HistoryError, match=r"no constant 'bonus_treshold'\. Did you mean bonus_threshold\?"):
        undone("bonus_treshold")


def test_no_command_of_the_pages_writes_where_another_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copied one by one, each is taken, and none is refused because of an earlier one."""
    page = "".join((DOCS / name).read_text(encoding="utf-8") for name in PAGES) + TUTORIAL
    monkeypatch.chdir(tmp_path)
    for name in ("slow.toml", "plan.toml", "kept-at-10.toml"):
        (tmp_path / name).touch()
    lines = re.findall(r"^crosstable lab .*?(?=\s+#|$)", page, flags=re.MULTILINE)
    lines += re.findall(r"`(crosstable lab [^`]*)`", page)
    commands = [shlex.split(line) for line in lines]
    for words in commands:
        if len(words) > 3 and "--help" not in words:  # others name a command only
            parser().parse_args(words[2:])
    written = [words[words.index("--out") + 1] for words in commands if "--out" in words]
    written += re.findall(r'(?:out=|\.write\()"([^"]+)"', page)
    assert len(written) > 10
    assert len(set(written)) == len(written), written


def test_every_command_of_the_pages_runs(pages: Path) -> None:
    """In the order of the pages, with the files that they tell people to write.

    Those that simulate federations by the dozen, however small, run in a soak; for every change they are only parsed.
    """
    ran = 0
    for name in ("lab.md", "lab-federation.md", "lab-committee.md", "lab-tutorial.md"):
        for words in commands((DOCS / name).read_text(encoding="utf-8")):
            if ELSEWHERE not in words and (IS_SOAK or words[1] not in DOZENS):
                assert main(words) == 0, words
                ran += 1
    assert ran > 10


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a folder of posted pages in it."""
    monkeypatch.chdir(tmp_path)
    Path("pages").mkdir()
    Path("pages", "made.jsonl.gz").write_bytes(archive_bytes(line("201501010001", "2015-01-01", quad())))
    return tmp_path


def commands(page: str) -> list[list[str]]:
    """The commands of a page with small amounts and folders that are there; the files that it names are written."""
    for file, text in re.findall(r"into `([\w-]+\.(?:toml|py))`.*?```\w+\n(.*?)```", page, flags=re.DOTALL):
        Path(file).write_text(text, encoding="utf-8")
    lines = re.findall(r"^crosstable (lab .*?)(?=\s+#|$)", page, flags=re.MULTILINE)
    return [smaller(shlex.split(typed)) for typed in lines]


def smaller(words: list[str]) -> list[str]:
    """A command with folders that are there and small amounts."""
    found = ["pages" if word in PAGES_OF_THE_READER else word for word in words]
    return [SMALL.get(before, word) for before, word in zip(["", *found], found, strict=False)]


if IS_SOAK:  # minutes, most of them to compile

    def test_the_tutorial_runs_as_make_tutorial_runs_it(pages: Path) -> None:
        """Its scripts too, on a small federation of all years and on the one page."""
        small = TUTORIAL.replace("--members 12000 --sections 6000", "--members 300 --sections 400")
        assert small != TUTORIAL
        printed = made(small, pages, str(pages / "pages"))
        assert "| 2025-01-01 | 12 to 10 |" in printed
        assert "| glicko2 | over 100 |" in printed
        assert "| 2014-03-20 | 8 to 10 | 1 |" in printed
        assert (pages / "lab-changes.svg").stat().st_size > 1000

    def test_the_python_of_the_pages_runs(pages: Path) -> None:
        """A system of one's own, and what stands under *In a notebook*, as a program."""
        page = (DOCS / "lab.md").read_text(encoding="utf-8")
        simulate = commands(page)[0]
        assert main(simulate) == 0
        assert main(["lab", "backtest", "small", "--against", "mine.py:k=24"]) == 0
        own, *blocks = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
        assert "def predict" in own
        assert len(blocks) == 3
        guarded = "if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in "".join(blocks).splitlines())
        Path("notebook.py").write_text(guarded, encoding="utf-8")
        subprocess.run([sys.executable, "notebook.py"], check=True)
        assert Path("notebook.html").stat().st_size > 1000

    def test_a_sweep_runs_on_the_dask_cluster_that_the_page_starts(pages: Path) -> None:
        """On this machine alone, at a free port, and with the archive where the test has it."""
        page = (DOCS / "lab.md").read_text(encoding="utf-8")
        assert main(commands(page)[0]) == 0
        block = next(
            one for one in re.findall(r"^```\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE) if "dask" in one
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        block = block.replace("tcp://HOST:8786", f"tcp://127.0.0.1:{port}").replace("/data/small", "small")
        scheduler, worker, sweep = (shlex.split(re.sub(r"\s+#.*", "", typed)) for typed in block.splitlines())
        with ExitStack() as stack:
            for words in ([*scheduler, "--port", str(port), "--no-dashboard"], [*worker, "--no-dashboard"]):
                program = stack.enter_context(
                    subprocess.Popen([str(Path(sys.executable).parent / words[0]), *words[1:]])
                )
                stack.callback(program.terminate)
            until(lambda: listens(port))
            assert main(sweep[1:]) == 0
        assert (pages / "sweep-dask" / "sweep.json").is_file()


def listens(port: int) -> bool:
    """Whether somebody listens at a port of this machine."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_outputs_go_between_their_comments(tmp_path: Path) -> None:
    page = "# Page\nPut this into `a.txt`:\n\n```toml\nx = 1\n```\n\n```sh\ncat a.txt\necho $PAGES\n```\n"
    page += f"{BEGIN}old\n{END}\n\n## Next\nstays\n"
    assert made(page, tmp_path, "pages") == page.replace("old\n", "\n```text\nx = 1\npages\n```\n\n")
    assert shown("| a |\n") == "\n| a |\n\n"
    with pytest.raises(SystemExit, match="failed: exit 3"):
        made(f"```sh\nexit 3\n```\n{BEGIN}{END}", tmp_path, "")

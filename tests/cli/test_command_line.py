"""The command line itself: help, wrong usage, errors of our own, pipes, encodings, start-up, what is documented."""

import io
import json
import os
import re
import runpy
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import crosstable.cli
from crosstable import __version__
from crosstable.cli import COMMANDS, main, office, parser_of
from crosstable.cli.options import OPTIONS
from crosstable.office.address import DEFAULT, ENVIRONMENT
from tests.architecture.source import ROOT
from tests.checks.provoked import pair, with_player
from tests.cli.conftest import Run, Write
from tests.event_files import EventFile, event_file, player, quad
from tools.make_docs import inner_parsers, pages

SAMPLE = str(ROOT / "examples" / "summer-quads.json")
COMMAND_PAGES = sorted((ROOT / "docs").glob("commands*.md"), key=lambda page: len(page.name))
HEAVY = {"numpy", "pydantic", "rich", "pathlib", "dataclasses", "sqlalchemy", "fastapi", "click", "inspect", "asyncio"}


def started(*arguments: str, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """The real command in a process of its own."""
    environment = {**os.environ, **settings}
    command = [sys.executable, "-m", "crosstable", *arguments]
    return subprocess.run(command, capture_output=True, check=False, env=environment)


# Help and wrong usage


@pytest.mark.parametrize("argument", ["--help", "-h", "help"])
def test_the_overview_names_every_command(run: Run, argument: str) -> None:
    ran = run(argument)
    assert (ran.code, ran.err) == (0, "")
    in_one_line = " ".join(ran.out.split())
    for name, command in COMMANDS.items():
        assert f" {name} {command.summary} " in in_one_line


def test_no_command_at_all_is_wrong_usage_with_the_overview(run: Run) -> None:
    ran = run()
    assert ran.code == 2
    assert ran.out.startswith("usage: crosstable COMMAND")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run: Run, name: str) -> None:
    ran = run(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: crosstable {name} ")
    assert "--help" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_wrong_usage(run: Run, name: str) -> None:
    ran = run(name, "--no-such-option")
    assert (ran.code, ran.out) == (2, "")
    assert f"usage: crosstable {name}" in ran.err


def test_the_version_is_the_packages(run: Run) -> None:
    assert run("--version") == (0, f"crosstable {__version__}\n", "")


@pytest.mark.parametrize(("typed", "meant"), [("rates", "rate"), ("explian", "explain"), ("rule", "rules")])
def test_an_unknown_command_gets_a_hint(run: Run, typed: str, meant: str) -> None:
    ran = run(typed)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"crosstable: there is no command {typed!r}. Did you mean {meant}?\nTry crosstable --help.\n"


def test_an_unknown_command_like_nothing_gets_none(run: Run) -> None:
    assert run("xyzzy").err == "crosstable: there is no command 'xyzzy'.\nTry crosstable --help.\n"


@pytest.mark.parametrize(("columns", "widest"), [("60", 58), ("90", 88), ("500", 100), ("many", 100), ("", 100)])
def test_help_is_as_wide_as_the_terminal_up_to_a_hundred_columns(
    run: Run, monkeypatch: pytest.MonkeyPatch, columns: str, widest: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for words in (("rate", "--help"), ("office", "--help"), ("--help",), ("findings",)):
        _, text = run(*words).out.split("\n\n", 1)  # a choice of options is not broken in the usage above
        lines = [line for line in text.splitlines() if len(line.split()) > 1]
        assert widest - 12 < max(map(len, lines)) <= widest


def test_help_tells_where_an_office_is_when_nobody_says() -> None:
    """The option is said where nothing of an office is loaded, so the two names stand there once more."""
    assert f"(default: ${ENVIRONMENT}, else {DEFAULT} in this folder)" in OPTIONS["--database"]["help"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rate", SAMPLE, SAMPLE, "--csv"), "crosstable rate: --html, --csv, --xlsx and --out take one event"),
        (("rate", SAMPLE, "--accept", "x=y"), "crosstable rate: --accept: "),
        (("explain", SAMPLE, "--section", "1", "--player", "1", "--accept", "x=y"), "crosstable explain: --accept: "),
        (
            ("lab", "report", "a", "--from", "2026-02-01"),
            "crosstable lab report: add --out FILE for the page",
        ),
        (("office", "submit", "a.json", "--starting-ratings"), "crosstable office submit: --starting-ratings needs"),
    ],
)
def test_a_refusal_names_the_whole_command(run: Run, words: tuple[str, ...], said: str) -> None:
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(said)


# Errors of our own


def never_rated(rating: float) -> EventFile:
    """An event of no other test: what a process has rated lately is not rated again."""
    return event_file(player(1, "W2", rating), player(2, "L1", 1650.0))


def test_an_error_of_our_own_says_what_to_send(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3: the trace, the versions, the command line, and that nothing was stored."""

    def broken(*arguments: object) -> None:
        raise RuntimeError("boom")

    path = write(never_rated(1713.0))
    monkeypatch.setattr("crosstable.engine.rating.rate_competitors", broken)
    ran = run("rate", path, "--json")
    assert (ran.code, ran.out) == (3, "")
    assert "Traceback (most recent call last)" in ran.err
    assert "RuntimeError: boom" in ran.err
    assert f"crosstable {__version__} (Python {sys.version.split()[0]}) has hit an internal error" in ran.err
    assert "nothing was stored" in ran.err
    assert ran.err.endswith(f"  crosstable rate {path} --json\n")


def test_an_interrupt_stops_without_a_trace(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    path = write(never_rated(1714.0))
    monkeypatch.setattr("crosstable.engine.rating.rate_competitors", interrupted)
    assert run("rate", path) == (130, "", "\nstopped\n")


class PanicException(BaseException):
    """What Polars raises when something in it went wrong."""


@pytest.mark.parametrize("made_of_it", [TypeError("'<unprintable str object>' is no data type"), PanicException("…")])
def test_ctrl_c_that_a_library_calls_an_error_of_its_own_is_ctrl_c(
    run: Run, monkeypatch: pytest.MonkeyPatch, made_of_it: BaseException
) -> None:
    """As Polars does it: the interrupt is dropped while it asks for the name of a type; then the type is wrong."""

    def interrupted(*arguments: object) -> None:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise made_of_it

    monkeypatch.setitem(crosstable.cli.COMMANDS, "rules", COMMANDS["rules"]._replace(is_long=True))
    monkeypatch.setattr("crosstable.cli.reference._rules", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert run("rules") == (130, "", "\nstopped\n")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_collector_stays_on_for_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short command switches it off, since it ends before any garbage could add up."""
    switched: list[str] = []
    monkeypatch.setattr("crosstable.cli.gc.disable", lambda: switched.append("off"))
    monkeypatch.setitem(crosstable.cli.COMMANDS, "rules", COMMANDS["rules"]._replace(is_long=True))
    main(["rules"])
    assert switched == []
    main(["schema", "event"])
    assert switched == ["off"]


# The real process


def test_the_real_command_rates(write: Write) -> None:
    """§1: the round robin of readings, Part 1, through a process of its own."""
    ran = started("rate", write(quad()), "--json")
    assert (ran.returncode, ran.stderr) == (0, b"")
    rows = json.loads(ran.stdout)["sections"][0]["systems"]["OTBR"]["players"]
    assert [row["rounded"] for row in rows] == [1861, 1655, 1581, 1825]


@pytest.mark.parametrize(
    ("arguments", "code"), [(["rate", SAMPLE], 0), (["rate", "no-such-file"], 1), (["nothing"], 2), ([], 2)]
)
def test_the_real_command_leaves_with_its_exit_code(arguments: list[str], code: int) -> None:
    assert started(*arguments).returncode == code


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["rules"],
        ["rate", SAMPLE],
        ["rate", SAMPLE, "--json"],
        ["check", SAMPLE],
        ["schema", "event"],
        ["explain", SAMPLE, "--section", "1", "--player", "1"],
    ],
    ids=" ".join,
)
def test_a_pipe_that_nobody_reads_is_no_error(arguments: list[str]) -> None:
    """As in ``crosstable rules | head -1``: no trace, and not the exit code of a faulty file."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "crosstable", *arguments]
    try:
        ran = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["table", "json"])
def test_names_of_the_world_pass_through_any_pipe(write: Write, encoding: str, form: list[str]) -> None:
    """What is piped is UTF-8, whatever the machine's own encoding; JSON has to be."""
    path = write(with_player(name="Łukasz 山田 😀"))
    ran = started("rate", path, *form, PYTHONIOENCODING=encoding)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "Łukasz 山田 😀" in ran.stdout.decode("utf-8")


def test_faults_leave_the_real_standard_output_empty(write: Write) -> None:
    ran = started("rate", write(pair("W2", "W1")))
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert ran.stderr.count(b"[not-mirrored]") == 2


# What starting costs


def imported(tmp_path: Path, *arguments: str) -> set[str]:
    """The modules that one command imports on top of a bare interpreter."""
    names = tmp_path / "names"
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "from crosstable.cli import main\n"
        "assert main(sys.argv[2:]) == 0\n"
        "with open(sys.argv[1], 'w') as file: file.write('\\n'.join(set(sys.modules) - before))\n"
    )
    command = [sys.executable, "-c", program, str(names), *arguments]
    subprocess.run(command, check=True, capture_output=True)
    return set(names.read_text("utf-8").split())


def test_rating_to_json_imports_nothing_heavy(tmp_path: Path) -> None:
    """Design: within five bare interpreter starts, so only what rating needs."""
    found = imported(tmp_path, "rate", "--json", SAMPLE)
    assert "crosstable.engine.rating" in found
    assert {name.split(".")[0] for name in found} & HEAVY == set()
    assert {
        name for name in found if name.startswith(("crosstable.explanation", "crosstable.output.crosstable_text"))
    } == set()


def test_drawing_a_table_does_import_rich(tmp_path: Path) -> None:
    """The same look at a command that may: so the test above can fail."""
    found = imported(tmp_path, "rate", SAMPLE)
    assert {"rich", "crosstable.output.crosstable_text"} <= found
    assert {name.split(".")[0] for name in found} & {"numpy", "pydantic", "sqlalchemy", "fastapi", "click"} == set()


# What is documented


def test_every_command_is_on_the_page_of_commands() -> None:
    text = "".join(page.read_text("utf-8") for page in COMMAND_PAGES)
    assert [name for name in COMMANDS if text.count(f"\n## crosstable {name}\n") != 1] == []
    inner = [inner.prog for name in COMMANDS for inner in inner_parsers(parser_of(name))]
    assert [prog for prog in inner if text.count(f"## {prog}\n") != 1] == []


def test_a_command_that_is_not_documented_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    page, *_ = COMMAND_PAGES
    monkeypatch.setitem(crosstable.cli.COMMANDS, "extra", COMMANDS["schema"])
    assert pages()[page]() != page.read_text("utf-8")


# The way in and out, in this process


class Left(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Exit codes with which the process would have been left."""
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        raise Left

    monkeypatch.setattr(os, "_exit", leave)
    return codes


@pytest.mark.parametrize(("argument", "code"), [("--version", 0), ("nothing", 2)])
def test_the_installed_command_leaves_at_once(
    monkeypatch: pytest.MonkeyPatch, left: list[int], argument: str, code: int
) -> None:
    """Tidying up the interpreter would take as long as rating an event."""
    monkeypatch.setattr(sys, "argv", ["crosstable", argument])
    with pytest.raises(Left):
        crosstable.cli.entry()
    assert left == [code]


def test_the_module_is_the_command(monkeypatch: pytest.MonkeyPatch, left: list[int]) -> None:
    monkeypatch.setattr(sys, "argv", ["crosstable", "--version"])
    with pytest.raises(Left):
        runpy.run_module("crosstable", run_name="__main__")
    assert left == [0]


class NobodyReads(io.StringIO):
    """A stream whose reader went away."""

    def write(self, text: str) -> int:
        """Refuse, as a closed pipe does."""
        raise BrokenPipeError


def test_a_reader_who_goes_away_ends_the_command_quietly(monkeypatch: pytest.MonkeyPatch, left: list[int]) -> None:
    monkeypatch.setattr(sys, "stdout", NobodyReads())
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert main(["rules"]) == 0
    monkeypatch.setattr(sys, "argv", ["crosstable", "--help"])
    with pytest.raises(Left):
        crosstable.cli.entry()
    assert left == [0]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_pipe_speaks_utf8_and_a_terminal_its_own(
    monkeypatch: pytest.MonkeyPatch, left: list[int], is_terminal: bool
) -> None:
    """On a terminal that has no such letter its number is shown instead of an error."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "argv", ["crosstable", "--help"])
    with pytest.raises(Left):
        crosstable.cli.entry()
    stream.seek(0)
    first = stream.buffer.read().splitlines()[0]
    assert first == (rb"usage: crosstable COMMAND \u2026" if is_terminal else "usage: crosstable COMMAND …".encode())


def test_the_overview_of_the_office_is_that_of_its_commands_and_loads_none_of_them(tmp_path: Path) -> None:
    """Design: help within ten bare interpreter starts, so nothing of a database."""
    text = parser_of("office").format_help()
    assert [name for name in office.COMMANDS if not re.search(rf"^    {name} ", text, flags=re.MULTILINE)] == []
    for command in ("office", "serve"):
        program = (
            "import contextlib, sys\n"
            "from crosstable.cli import main\n"
            f"with contextlib.suppress(SystemExit): main(['{command}', '--help'])\n"
            "print(*sys.modules, sep='\\n', file=sys.stderr)\n"
        )
        ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        assert f"usage: crosstable {command}" in ran.stdout
        assert {name.split(".")[0] for name in ran.stderr.split()} & {*HEAVY, "sqlalchemy", "fastapi"} == set()

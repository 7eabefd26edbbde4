"""The browser application, from the folder that ``make app`` makes: the same numbers, hostile files, no network."""

import io
import json
import math
import os
import random
import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from crosstable.app.answering import PAGES, Request, reply_to
from crosstable.cli import main
from crosstable.formats import LARGEST_FILE, archive, event_json_write
from crosstable.formats.wallchart import TEMPLATE, read
from crosstable.formats.wallchart_xlsx import write
from tests.amounts import IS_SOAK, amount
from tests.browser.axe import complaints
from tests.browser.conftest import WIDE, Watched, context_of, watch
from tests.browser.served import PROGRAM
from tests.event_files import event_file, player
from tests.verification.made_pages import line, quad, raw_page
from tools import make_app

ROOT = Path(__file__).parents[2]
# The first visit of a phone; and digits behind the point that may differ, because each machine has its own exp().
MOST_BYTES = 8_000_000
WITHIN = 1e-9
ASKED = "estimate.html?rating=1512/40&game=W1640,D1720,L1600"
Files = list[tuple[str, bytes]]
ASK = """async ([address, fields, files]) => {
  const { answer } = await import(new URL("static/answer.js", location).href);
  const body = new FormData();
  for (const [name, text] of fields) body.append(name, text);
  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  for (const [name, text] of files) body.append("files", new File([bytes(text)], name));
  const reply = await answer(address, fields.length || files.length ? { method: "POST", body } : {});
  return [reply.status, await reply.text()];
}"""


class Folder(NamedTuple):
    """The application on a server of its own."""

    path: Path
    address: str
    server: "subprocess.Popen[str]"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    path = tmp_path_factory.mktemp("dist") / "club" / "ratings"
    make_app.make(path)
    command = [*PROGRAM, "app", "serve", str(path.parent), "--port", "0"]
    (path.parent / "worker.js").touch()  # the folder stands below the root of the server
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+/", server.stdout.readline())
        assert found
        yield Folder(path, f"{found[0]}ratings/", server)
        server.terminate()


@pytest.fixture(scope="module")
def visit(browser: Browser, app: Folder) -> Iterator[Page]:
    """One page for all tests: starting the engine is most of their time."""
    context = context_of(browser, viewport=WIDE, locale="en-US")
    made = context.new_page()
    seen = watch(made, app.address)
    made.goto(app.address + ASKED)
    expect(made.locator("html")).to_have_attribute("data-offline", "ready")
    yield made
    context.close()
    assert seen == Watched([], [])


def ask(page: Page, address: str, files: Files = (), **fields: str) -> tuple[int, str]:  # type: ignore[assignment]
    """What the engine of a page answers."""
    from base64 import b64encode

    given = [[name, b64encode(content).decode()] for name, content in files]
    status, text = page.evaluate(ASK, [address, list(fields.items()), given])
    return status, text


def here(address: str, files: Files = (), **fields: str) -> tuple[int, str]:  # type: ignore[assignment]
    """What the same code answers on this machine."""
    reply = reply_to(Request("POST", address, fields=list(fields.items()), files=files))
    return reply.status, reply.body


def events() -> Iterator[tuple[str, bytes]]:
    """The samples, made-up sections, and in a soak the official sections where they are at hand."""
    for path in sorted((ROOT / "examples").glob("club-*.[jct]*")):
        yield path.name, path.read_bytes()
    yield "summer-quads.json", (ROOT / "examples" / "summer-quads.json").read_bytes()
    for seed in range(amount(6, 200)):
        yield f"made-{seed}.json", json.dumps(made_up(random.Random(seed))).encode()
    for path in sorted(Path(os.environ.get("CROSSTABLE_CASES", os.devnull)).glob("*.gz")):
        for at, report in enumerate(archive.read(path.read_bytes(), path.name)):
            yield f"{path.stem}-{at}.json", event_json_write.write(report)


def made_up(chance: random.Random) -> dict[str, Any]:
    """A section of players with few games, with many, with none, and with ratings that are high or low."""
    count = 2 * chance.randint(2, 12)
    cells: list[list[str]] = [[] for _ in range(count)]
    for _ in range(chance.randint(1, 6)):
        order = chance.sample(range(count), count)
        for one, other in zip(order[::2], order[1::2], strict=True):
            result = chance.choice("WLD")
            cells[one].append(f"{result}{other + 1}")
            cells[other].append(f"{ {'W': 'L', 'L': 'W', 'D': 'D'}[result] }{one + 1}")
    rows = [
        player(
            at + 1,
            cells[at],
            None if chance.random() < 0.15 else chance.uniform(100.0, 2700.0),
            chance.choice([1, 5, 8, 17, 26, 120]),
        )
        for at in range(count)
    ]
    day = f"{chance.randint(2014, 2026)}-01-15"
    return event_file(*rows, on=day)


def differences(one: Any, other: Any, at: str = "") -> Iterator[str]:
    """Where two documents differ by more than the last digits of a float."""
    if isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=0.0, abs_tol=WITHIN):
            yield f"{at}: {one} {other}"
    elif type(one) is not type(other):
        yield f"{at}: {one!r} {other!r}"
    elif isinstance(one, dict):
        if list(one) != list(other):
            yield f"{at}: {list(one)} {list(other)}"
        else:
            for name, value in one.items():
                yield from differences(value, other[name], f"{at}.{name}")
    elif isinstance(one, list):
        if len(one) != len(other):
            yield f"{at}: {len(one)} {len(other)}"
        for number, (mine, theirs) in enumerate(zip(one, other, strict=False)):
            yield from differences(mine, theirs, f"{at}[{number}]")
    elif one != other:
        yield f"{at}: {one!r} {other!r}"


def test_a_first_visit_loads_little_and_a_second_nothing(app: Folder, visit: Page) -> None:
    size = sum(path.stat().st_size for path in app.path.rglob("*") if path.is_file())
    assert size <= MOST_BYTES
    assert {path.name for path in app.path.glob("*.html")} == {*PAGES.values()}
    expect(visit.locator("#result")).to_contain_text("1512 → ")
    assert visit.locator("#engine").inner_text().endswith("Ready, and kept for use without network.")


def test_every_number_is_the_command_lines(visit: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = list(events())
    for name, content in given:
        (tmp_path / name).write_bytes(content)
        main(["rate", str(tmp_path / name), "--json"])
        printed = capsys.readouterr().out
        status, text = ask(visit, "/rate.json", [(name, content)])
        assert status == 200
        expected, found = json.loads(printed), json.loads(text)[0]
        assert not list(differences(found.get("sections", []), expected["sections"])), name
        mine, theirs = ([one["message"] for one in document["faults"]] for document in (found, expected))
        assert mine == theirs
    assert len(given) > 9
    # Every digit that a page prints is the same too.
    for name, content in given[-3:]:
        _, shown = ask(visit, "/rate", [(name, content)], pairing="yes")
        _, own = here("/rate", [(name, content)], pairing="yes")
        assert re.sub(r"kept-\d+", "", shown) == re.sub(r"kept-\d+", "", own)
    question = "/estimate?rating=1641P17&game=W1640,D1720,L1600,T1800&target=1700&steps=1"
    query = [("rating", "1641P17"), ("game", "W1640,D1720,L1600,T1800"), ("target", "1700"), ("steps", "1")]
    assert ask(visit, question)[1] == reply_to(Request("GET", "/estimate", query)).body


def test_working_verification_and_audit_are_the_same(visit: Page) -> None:
    page = raw_page(line("202401010001", "2024-01-06", quad()), "Entered: 2024-01-07 &nbsp; Rated: 2024-01-08")
    quads = [("summer-quads.json", (ROOT / "examples" / "summer-quads.json").read_bytes())]
    for address, files, fields in (
        ("/explain.json", quads, {"section": "1", "player": "2"}),
        ("/audit.json", [("page.html", page)], {}),
    ):
        mine, theirs = ask(visit, address, files, **fields), here(address, files, **fields)
        assert mine[0] == theirs[0] == 200
        assert not list(differences(json.loads(mine[1]), json.loads(theirs[1])))
        assert "not-readable" not in mine[1]
    for address in ("/audit", "/verify"):
        shown = ask(visit, address, [("page.html", page)])
        assert shown == here(address, [("page.html", page)])
        assert shown[0] == 200
        assert "reproduced" in shown[1].lower() or "right" in shown[1]


def test_hostile_files_are_refused_as_on_the_command_line_and_the_page_lives(
    visit: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = write(read(TEMPLATE.encode(), "chart.csv").report)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", b" " * 60_000_000)
    bad = {
        "bomb.xlsx": bomb.getvalue(),
        "cut.xlsx": good[: len(good) // 2],
        "noise.dbf": b"\x03" + random.Random(1).randbytes(2000),
        "deep.json": b"[" * 100_000,
        "empty.csv": b"",
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        assert main(["check", str(tmp_path / name)]) == 1
        printed = " ".join(capsys.readouterr())
        _, text = ask(visit, "/rate.json", [(name, content)])
        (fault,) = json.loads(text)[0]["faults"]
        assert " ".join(fault["message"].split()) in " ".join(printed.split())
    large = "large.csv"
    said = visit.evaluate(
        """async ([name, size]) => {
          const { answer } = await import(new URL("static/answer.js", location).href);
          const body = new FormData();
          body.append("files", new File([new Uint8Array(size).fill(65)], name));
          return (await answer("/rate.json", { method: "POST", body })).text();
        }""",
        [large, LARGEST_FILE + 1],
    )
    (tmp_path / large).write_bytes(b"A" * (LARGEST_FILE + 1))
    assert main(["check", str(tmp_path / large)]) == 1
    assert json.loads(said)[0]["faults"][0]["message"] in "".join(capsys.readouterr())
    status, text = ask(visit, "/rate.json", [("chart.xlsx", good)])
    assert (status, json.loads(text)[0]["format"]) == (200, "crosstable-rated/1")


def test_a_director_in_a_hall_without_network(app: Folder, visit: Page, tmp_path: Path) -> None:
    """The server is gone: the page is opened, a file is chosen, rated, corrected, printed and written as a workbook."""
    app.server.terminate()
    app.server.wait()
    visit.goto(app.address + "event.html")
    chart = tmp_path / "chart.json"
    chart.write_bytes((ROOT / "examples" / "summer-quads.json").read_bytes())
    visit.locator("#files").set_input_files(chart)
    expect(visit.locator("#sum")).to_contain_text("rated")
    expect(visit.locator("td.result b").first).to_be_visible()
    assert visit.pdf()[:5] == b"%PDF-"
    with visit.expect_download() as download:
        visit.get_by_role("button", name="Export as Excel").click()
    assert download.value.path().read_bytes()[:2] == b"PK"
    assert complaints(visit) == []
    # the site has no such pages; the others are looked at there, and in a soak here too
    for name in sorted(PAGES.values()) if IS_SOAK else ("index.html", "verify.html"):
        visit.goto(app.address + name)
        assert (name, complaints(visit)) == (name, [])

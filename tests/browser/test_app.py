"""The browser application, from the folder that ``make app`` makes: the same numbers, hostile files, no network."""

import io
import json
import math
import os
import random
import re
import shutil
import subprocess
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from crosstable.app.answering import PAGES, Request, file_of, reply_to
from crosstable.cli import main
from crosstable.formats import LARGEST_FILE, archive, event_json_write
from crosstable.formats.wallchart import TEMPLATE, read
from crosstable.formats.wallchart_xlsx import write
from crosstable.languages.texts import LANGUAGES
from tests.amounts import IS_SOAK, amount
from tests.browser.axe import complaints
from tests.browser.conftest import PHONE, WIDE, Watched, context_of, watch
from tests.browser.served import PROGRAM
from tests.event_files import event_file, player
from tests.formats.swisssys_event import EVENT, packed
from tests.verification.made_pages import line, quad, raw_page
from tools import make_app, make_dist

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

DROPPED = """(files) => {
  const dataTransfer = new DataTransfer();
  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  for (const [name, text] of files) dataTransfer.items.add(new File([bytes(text)], name));
  const given = { dataTransfer, bubbles: true, cancelable: true };
  for (const kind of ["dragover", "drop"]) document.querySelector("main").dispatchEvent(new DragEvent(kind, given));
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
    given = [[name, b64encode(content).decode()] for name, content in files]
    status, text = page.evaluate(ASK, [address, list(fields.items()), given])
    return status, text


def here(address: str, files: Files = (), **fields: str) -> tuple[int, str]:  # type: ignore[assignment]
    """What the same code answers on this machine."""
    reply = reply_to(Request("POST", address, fields=list(fields.items()), files=files))
    return reply.status, reply.body


def events(folder: Path) -> Iterator[list[Path]]:
    """Batches of files to rate: the samples, made-up sections, and in a soak every official file that is at hand."""
    yield [*sorted((ROOT / "examples").glob("club-*.[jct]*")), ROOT / "examples" / "summer-quads.json"]
    made = {f"made-{seed}.json": json.dumps(made_up(random.Random(seed))) for seed in range(amount(6, 200))}
    yield [saved(folder / name, text.encode()) for name, text in made.items()]
    cases = Path(os.environ.get("CROSSTABLE_CASES", os.devnull))
    for path in sorted(cases.glob("official-2001-2021/*.gz")):
        reports = enumerate(archive.read(path.read_bytes(), path.name))
        yield [saved(folder / f"{path.stem}-{at}.json", event_json_write.write(one)) for at, one in reports]
    yield sorted(cases.glob("official-*/*.html")) + sorted(cases.glob("official-*.json"))
    for of in sorted(path for path in cases.glob("formats/**") if path.is_dir()):
        yield sorted(path for path in of.iterdir() if path.is_file() and path.suffix != ".md")


def saved(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


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
    assert {path.name for path in app.path.glob("*.html")} == {
        file_of(one, code) for one in PAGES for code in LANGUAGES
    }
    expect(visit.locator("#result")).to_contain_text("1512 → ")
    expect(visit.locator("#engine")).to_contain_text("Ready, and kept for use without network.")


def test_the_same_sources_give_the_same_files(app: Folder, tmp_path: Path) -> None:
    """No time, order or machine goes into the folder or into the file of a release that it is packed to."""
    (library,) = app.path.glob("files/crosstable.zip.*")
    with zipfile.ZipFile(library) as made:
        entries = made.infolist()
        compiled = [made.read(one)[4:8] for one in entries if one.filename.endswith(".pyc")]
    assert [one.date_time for one in entries] == [(1980, 1, 1, 0, 0, 0)] * len(entries)
    assert len(compiled) > 100
    assert set(compiled) == {b"\x01\x00\x00\x00"}  # PEP 552: a hash of the source in the place of its time
    copied = tmp_path / "copied"
    shutil.copytree(app.path, copied, copy_function=shutil.copyfile)
    for at, path in enumerate(sorted(copied.rglob("*"), reverse=True)):
        path.chmod(0o755)
        os.utime(path, (1_700_000_000 + at, 1_700_000_000 + at))
    if IS_SOAK:
        make_app.make(copied)
    packed_to = [tmp_path / "one.zip", tmp_path / "other.zip"]
    for folder, into in zip((app.path, copied), packed_to, strict=True):
        make_dist.pack(folder, into)
    one, other = (path.read_bytes() for path in packed_to)
    assert one == other


def test_every_number_is_the_command_lines(visit: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count = 0
    for paths in (batch[at : at + 30] for batch in events(tmp_path) for at in range(0, len(batch), 30)):
        main(["rate", *map(str, paths), "--pairing-ratings", "--json"])
        expected = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        files = [(path.name, path.read_bytes()) for path in paths]
        status, text = ask(visit, "/rate.json", files, pairing="yes")
        assert status == 200
        assert not list(differences(json.loads(text), expected)), paths
        rated = [section["systems"] for document in expected for section in document["sections"]]
        count += sum(len(one["players"]) for of in rated for one in of.values())
        # Every digit that a page prints is the same too.
        if IS_SOAK or paths[0].stem == "made-0":
            shown, own = (of("/rate", files, pairing="yes")[1] for of in (partial(ask, visit), here))
            assert re.sub(r"kept-\d+", "", shown) == re.sub(r"kept-\d+", "", own), paths
    assert count > amount(90, 3000)
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


def test_one_engine_answers_every_screen(browser: Browser, visit: Page) -> None:
    """Screens take the place of one another, Back included; a page is pasted as a person copies it."""
    page = raw_page(line("202401010001", "2024-01-06", quad()), "Entered: 2024-01-07 &nbsp; Rated: 2024-01-08").decode()
    with browser.new_page() as saved_page:
        saved_page.set_content(page)
        copied = saved_page.inner_text("body")
    (engine,) = visit.workers
    address, links = visit.url, visit.get_by_role("navigation", name="Site")
    title = visit.get_by_role("heading", level=1)
    links.get_by_role("link", name="Verify").click()
    visit.get_by_role("button", name="Compare").click()
    expect(visit.get_by_role("alert")).to_have_text("Paste a crosstable, or choose a file.")
    visit.get_by_label("The crosstable as text").fill(copied)
    visit.get_by_role("button", name="Compare").click()
    expect(visit.get_by_role("region", name="Comparison")).to_contain_text("4 rows whose inputs are known")
    expect(visit.get_by_label("The crosstable as text")).to_have_value(copied)
    links.get_by_role("link", name="Event").click()
    expect(title).to_have_text("Check an event")
    visit.get_by_role("link", name="demonstration event").click()
    rated = shown(visit)
    links.get_by_role("link", name="Audit").click()
    expect(title).to_have_text("Is a posted rating right?")
    expect(links.locator("[aria-current]")).to_have_text("Audit")
    visit.go_back()
    assert shown(visit) == rated
    links.get_by_role("link", name="Verify").click()
    expect(visit.get_by_role("region", name="Comparison")).to_be_visible()
    visit.go_back()
    assert shown(visit) == rated
    visit.go_back()  # before the file was opened
    expect(visit.locator("#sum")).to_have_count(0)
    visit.go_back()
    expect(title).to_have_text("Verify posted ratings")
    visit.go_back()
    expect(visit.locator("#result")).to_contain_text("1512 → ")
    assert visit.url == address
    assert visit.workers == [engine]


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


def test_a_large_file_dropped_leaves_the_page_alive(visit: Page) -> None:
    """While the engine works the page still answers, whoever waits can stop it, and the next file is rated."""
    visit.locator("header a[href='event.html']").click()
    expect(visit.get_by_role("heading", level=1)).to_have_text("Check an event")
    visit.evaluate(
        """(count) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(Array(count).fill(new Uint8Array(1_000_000).fill(65)), "large.csv"));
          document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
        }""",
        amount(51, 200),
    )
    expect(visit.locator(".benchnews")).to_contain_text("large.csv: The file is larger than 50 MB.")
    visit.workers[-1].evaluate(
        "() => { setTimeout(() => { for (const end = Date.now() + 600_000; Date.now() < end; ); }); }"
    )
    visit.get_by_role("link", name="demonstration event").click()
    visit.get_by_role("button", name="Stop").click()
    expect(visit.locator(".benchnews")).to_have_text("That did not work: It was stopped.")
    expect(visit.locator("#engine")).to_contain_text("Ready")
    visit.get_by_role("link", name="demonstration event").click()
    assert shown(visit)


def test_the_application_speaks_the_language_of_the_browser_or_the_one_that_was_chosen(
    browser: Browser, app: Folder, visit: Page
) -> None:
    context = context_of(browser, viewport=PHONE, locale="es-MX")
    other = context.new_page()
    other.goto(f"{app.address}{ASKED}#result")
    expect(other).to_have_url(f"{app.address}{ASKED.replace('.html', '.es.html')}#result")
    expect(other.locator("#progress")).to_contain_text("El motor")
    context.close()
    visit.get_by_role("link", name="Español").click()
    expect(visit.locator("html")).to_have_attribute("lang", "es")
    visit.goto(app.address)
    expect(visit).to_have_url(f"{app.address}index.es.html")
    visit.get_by_role("navigation").get_by_role("link", name="Torneo").click()
    expect(visit.get_by_role("heading", level=1)).to_have_text("Comprobar un torneo")
    expect(visit.locator("form.drop")).to_contain_text("en cualquier lugar de esta página")  # its script is there
    visit.evaluate(DROPPED, [["games.csv", b64encode(b"Name,Rating,Rd 1\nAsh,1500,W2\nElm,1400,L3\n").decode()]])
    expect(visit.locator("#found")).to_contain_text("Por corregir: La sección no tiene control de tiempo.")
    expect(visit.locator("#engine")).to_have_text(
        "Sus archivos nunca salen de esta máquina. Listo, y guardado para usarlo sin red."
    )
    assert complaints(visit) == []
    visit.set_viewport_size(WIDE)
    visit.get_by_role("link", name="English").click()
    expect(visit).to_have_url(re.compile(r"/event\.html#draft"))
    expect(visit.locator("#found")).to_contain_text("To put right: The section has no time control.")


def test_a_director_in_a_hall_without_network(app: Folder, visit: Page, capsys: pytest.CaptureFixture[str]) -> None:
    """The server is gone: files of every kind are dropped, rated, printed and exported, and the engine dies once."""
    app.server.terminate()
    app.server.wait()
    visit.goto(app.address + "event.html")
    visit.get_by_role("link", name="demonstration event").click()
    rated = shown(visit)
    chart, members = (ROOT / "examples" / name for name in make_app.DEMONSTRATION)
    main(["rate", str(chart), "--members", str(members), "--json"])
    (section,) = json.loads(capsys.readouterr().out)["sections"]
    assert rated == [str(one["rounded"]) for one in section["systems"]["OTBR"]["players"]]
    visit.set_viewport_size(PHONE)  # the new ratings are in sight without a push to the side
    ends = "(cells) => cells.map((one) => one.getBoundingClientRect().right)"
    assert max(visit.locator(".result").evaluate_all(ends)) <= PHONE["width"]
    visit.set_viewport_size(WIDE)
    slip = visit.get_by_label("Round 1 of Ash, Miriam")
    slip.fill("L2w")
    slip.press("Tab")
    expect(visit.locator("#sum")).to_contain_text("1 thing to put right")
    if "CROSSTABLE_SCREENSHOTS" in os.environ:
        visit.locator("main").evaluate("(main) => scrollTo(0, main.offsetTop)")
        visit.screenshot(path=Path(os.environ["CROSSTABLE_SCREENSHOTS"]) / "event-mistake.png")
    visit.get_by_role("button", name="Birch, Oliver is right: Ash, Miriam W2w").click()
    assert shown(visit) == rated
    made = {}
    for word, name in (("DBF", "zip"), ("TRF", "trf"), ("CSV", "csv"), ("Excel", "xlsx"), ("JSON", "json")):
        with visit.expect_download() as download:
            visit.get_by_role("button", name=f"Export as {word}").click()
        assert download.value.suggested_filename == f"Riverside-Autumn-Swiss.{name}"
        made[f"event.{name}"] = download.value.path().read_bytes()
    for name, content in made.items():
        drop(visit, (name, content), (members.name, members.read_bytes()))
        assert (name, shown(visit)) == (name, rated)
    page = raw_page(line("202401010001", "2024-01-06", quad()), "Entered: 2024-01-07 &nbsp; Rated: 2024-01-08")
    for name, content in (("page.html", page), ("club.sjson", packed(EVENT))):
        drop(visit, (name, content))
        assert shown(visit)
    visit.workers[-1].evaluate("() => { setTimeout(() => { throw new Error('planted'); }); }")
    expect(visit.locator("#engine")).to_contain_text("planted")
    visit.get_by_role("button", name="Another file").click()
    visit.locator("#files").set_input_files(ROOT / "examples" / "summer-quads.json")
    assert shown(visit)
    assert visit.pdf()[:5] == b"%PDF-"
    assert complaints(visit) == []
    # the site has no such pages; the others are looked at there, and in a soak here too
    for file in sorted(PAGES.values()) if IS_SOAK else ("index.html", "verify.html"):
        visit.locator(f"header a[href='{file}']").click()
        expect(visit).to_have_url(app.address + file)
        assert (file, complaints(visit)) == (file, [])


def drop(page: Page, *files: tuple[str, bytes]) -> None:
    """Files dropped, as a mouse drops them, on a page that asks for another file."""
    page.get_by_role("button", name="Another file").click()
    expect(page.locator("#sum")).to_have_count(0)
    page.evaluate(DROPPED, [[name, b64encode(content).decode()] for name, content in files])


def shown(page: Page) -> list[str]:
    """The ratings after the event, once it is rated."""
    expect(page.locator("#sum")).to_contain_text(re.compile(r"\b[1-9]\d* (of \d+ )?sections? rated"))
    expect(page.locator("td.result b")).not_to_have_count(0)  # the sum is told first
    return page.locator("td.result b").all_text_contents()  # of what is scrolled out of sight too

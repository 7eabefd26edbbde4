"""The browser application: what a visit loads, how soon the first answer stands, and how quick the next ones are.

Beside the clock stands the processor time of the browser, which a busy machine changes little.
"""

import json
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from crosstable.terms import total
from tests.browser.conftest import QUIET
from tests.browser.served import chromium
from tests.event_files import event_file, player
from tools import make_app

PLAYERS, ROUNDS = 200, 5
QUESTION = "estimate.html?rating=1512/40&game=W1640,D1720,L1600"
QUESTION_OF = f"/{QUESTION}"
TIMED = """async ([address, file, times]) => {
  const { answer } = await import(new URL("static/answer.js", location).href);
  const took = [];
  for (let at = 0; at < times; at++) {
    const body = new FormData();
    // nothing is asked twice: what was rated before may be remembered
    if (file) body.append("files", new File([file.replaceAll("2400.0", `${2400 + at}.0`)], "event.json"));
    const began = performance.now();
    await (await answer(address.replace("L1600", `L${1600 + at}`), file ? { method: "POST", body } : {})).text();
    took.push(performance.now() - began);
  }
  return took.sort((one, other) => one - other)[Math.floor(times / 2)];
}"""
STARTED = """() => new Promise(async (done) => {
  const { engine } = await import(new URL("static/answer.js", location).href);
  engine.addEventListener("ready", ({ detail }) => done([detail.bare, detail.took]));
})"""


def browser() -> str:
    """The figures, as lines."""
    sent: list[int] = []

    class Handler(SimpleHTTPRequestHandler):
        def copyfile(self, source: object, outputfile: object) -> None:
            data = source.read()  # type: ignore[attr-defined]
            sent.append(len(data))
            outputfile.write(data)  # type: ignore[attr-defined]

        def log_message(self, *_: object) -> None:
            """Nothing is said."""

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        make_app.make(Path(folder, "app"))
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started = playwright.chromium.launch(executable_path=chromium(), args=list(QUIET))
        page = started.new_context().new_page()
        address = f"http://127.0.0.1:{server.server_address[1]}/app/"
        said = [f"first visit: {_visit(page, address):.2f} s to the first answer, {sum(sent) / 1e6:.2f} MB"]
        sent.clear()
        said.append(f"second visit: {_visit(page, address):.2f} s to the first answer, {sum(sent)} bytes")
        page.goto(address)
        bare, took = page.evaluate(STARTED)
        first, _ = _timed(started, page, QUESTION_OF, "", 1)
        said.append(
            f"first answer beyond Pyodide's own start of {bare / 1000:.2f} s: "
            f"{(took + first) / 1000:.2f} s (at most 3), {(took + first) / bare:.2f} of it"
        )
        again, spent = _timed(started, page, QUESTION_OF, "", 21)
        said.append(f"estimate computed again: {again:.0f} ms (at most 100), {spent:.0f} ms of processor time")
        event, spent = _timed(started, page, "/rate.json", json.dumps(_event()), 5)
        said.append(
            f"event of {PLAYERS} players: {event / 1000:.2f} s (at most 1.5), {spent / 1000:.2f} s of processor time"
        )
        started.close()
        server.shutdown()
    return "\n".join(said)


def _timed(started: Browser, page: Page, address: str, file: str, times: int) -> tuple[float, float]:
    """The milliseconds of an answer: the median by the clock, and the mean of the browser's processor time."""
    session = started.new_browser_cdp_session()

    def spent() -> float:
        return total(float(one["cpuTime"]) for one in session.send("SystemInfo.getProcessInfo")["processInfo"])

    before = spent()
    median = page.evaluate(TIMED, [address, file, times])
    return median, 1000 * (spent() - before) / times


def _visit(page: Page, address: str) -> float:
    began = time.perf_counter()
    page.goto(address + QUESTION)
    page.wait_for_selector("#result", timeout=600_000)
    took = time.perf_counter() - began
    page.wait_for_selector("html[data-offline=ready]", timeout=600_000)
    return took


def _event() -> dict[str, object]:
    """Everybody meets neighbors at growing distances: the lower number wins, or draws every third time."""
    cells: list[list[str]] = [[] for _ in range(PLAYERS)]
    for turn in range(ROUNDS):
        for one in range(PLAYERS):
            other = one ^ (1 << turn)
            if other >= PLAYERS:
                cells[one].append("H")
            elif (min(one, other) + turn) % 3 == 0:
                cells[one].append(f"D{other + 1}")
            else:
                cells[one].append(f"{'W' if one < other else 'L'}{other + 1}")
    return event_file(*(player(at + 1, cells[at], 2400.0 - 8 * at) for at in range(PLAYERS)))

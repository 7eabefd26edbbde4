// A page of the browser application: how far the engine is, forms answered here, and what is kept for a hall without network.
import { answer, engine } from "./answer.js";
import { onDrop } from "./drop.js";

const told = document.getElementById("progress");
const bar = document.createElement("progress");
bar.setAttribute("aria-label", "The engine is loading");
told.replaceChildren("The engine is loading. ", bar);
let again = 0;
let ready = "Ready.";
let why = "";

engine.addEventListener("loading", ({ detail }) => {
  bar.max = detail.total;
  bar.value = detail.loaded;
});
engine.addEventListener("starting", ({ detail }) => {
  why = detail.why ?? why;
  told.replaceChildren(`${why} The engine is starting …`);
});
engine.addEventListener("failed", ({ detail }) => told.replaceChildren(`The engine did not start: ${detail.why}. Load the page again.`));
engine.addEventListener("ready", async ({ detail }) => {
  document.documentElement.dataset.engine = "ready";
  told.replaceChildren(ready);
  why = "";
  const kept = detail.isKept && (await keep());
  document.documentElement.dataset.offline = kept ? "ready" : "no";
  ready = kept ? "Ready, and kept for use without network." : "Ready. This browser keeps nothing for this address, so the network is needed next time (offline use needs https).";
  told.replaceChildren(ready);
});
engine.addEventListener("working", () => told.replaceChildren("Working …"));
engine.addEventListener("resting", () => told.replaceChildren(ready));

async function keep() {
  if (!navigator.serviceWorker) return false;
  try {
    await navigator.serviceWorker.register(new URL("../sw.js", import.meta.url));
    await navigator.serviceWorker.ready;
    return true;
  } catch (error) {
    console.info(`Not kept for offline use: ${error.message}`);
    return false;
  }
}

// A page in the place of this one, or of its answer, without starting the engine anew.
async function show(address, given, part) {
  const main = document.getElementById("main");
  main.setAttribute("aria-busy", "true");
  try {
    const page = new DOMParser().parseFromString(await (await answer(address, given)).text(), "text/html");
    const found = page.querySelector(part);
    if (!found) throw new Error(page.body.textContent);
    document.querySelector(part).replaceChildren(...found.childNodes);
    document.title = page.title;
  } catch (error) {
    const said = document.createElement("p");
    [said.className, said.role, said.textContent] = ["notice error", "alert", `That did not work: ${error.message}`];
    main.prepend(said);
  }
  main.removeAttribute("aria-busy");
}

const file = (address) => `/${new URL(address).pathname.split("/").at(-1)}`;

async function estimate() {
  await show(`/estimate${location.search}`, {}, "#main");
  await import(`./estimate.js?${++again}`);
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  event.preventDefault();
  const fields = new FormData(form, event.submitter);
  if (form.method === "get") {
    const asked = new URLSearchParams([...fields].filter(([, text]) => text.trim() !== ""));
    history.replaceState(null, "", `?${asked}`);
    await show(`${file(form.action)}?${asked}`, {}, "#answer");
    return;
  }
  await show(file(form.action), { method: "POST", body: fields }, "#main");
  (document.querySelector(new URL(form.action).hash || "#file1") ?? document.querySelector("[role=alert]"))?.scrollIntoView();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link?.search || file(link.href) !== file(location.href) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  estimate();
});
// A file dropped on a page is the one it asks for; the page Event takes files by itself.
if (!document.getElementById("bench")) {
  onDrop((files) => {
    const input = document.querySelector("form.drop [type=file]");
    if (!input) return;
    input.files = files;
    input.form.requestSubmit();
  });
}
addEventListener("popstate", () => location.search && document.querySelector("[data-estimate]") && estimate());
if (location.search && document.querySelector("[data-estimate]")) estimate();

// A page of the browser application: how far the engine is, forms answered here, and what is kept for a hall without network.
import { answer, engine, stop } from "./answer.js";
import { onDrop } from "./drop.js";
import { phrase } from "./words.js";

const told = document.getElementById("progress");
const bar = document.createElement("progress");
bar.setAttribute("aria-label", phrase("The engine is loading"));
told.replaceChildren(`${phrase("The engine is loading")}. `, bar);
const halt = document.createElement("button");
[halt.className, halt.textContent] = ["link", phrase("Stop")];
halt.addEventListener("click", stop);
let again = 0;
let ready = phrase("Ready.");
let why = "";

engine.addEventListener("loading", ({ detail }) => {
  bar.max = detail.total;
  bar.value = detail.loaded;
});
engine.addEventListener("starting", ({ detail }) => {
  why = detail.why ?? why;
  told.replaceChildren(`${why} ${phrase("The engine is starting …")}`);
});
engine.addEventListener("failed", ({ detail }) => told.replaceChildren(phrase("The engine did not start: {why}. Load the page again.", detail)));
engine.addEventListener("ready", async ({ detail }) => {
  document.documentElement.dataset.engine = "ready";
  told.replaceChildren(ready);
  why = "";
  const kept = detail.isKept && (await keep());
  document.documentElement.dataset.offline = kept ? "ready" : "no";
  ready = kept
    ? phrase("Ready, and kept for use without network.")
    : phrase("Ready. This browser keeps nothing for this address, so the network is needed next time (offline use needs https).");
  told.replaceChildren(ready);
});
engine.addEventListener("working", () => told.replaceChildren(`${phrase("Working …")} `, halt));
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

// What a page answers, in the place of this one or of a part of it.
async function show(address, given, part) {
  const main = document.getElementById("main");
  main.setAttribute("aria-busy", "true");
  try {
    const page = parsed(await (await answer(address, given)).text());
    const found = page.querySelector(part);
    if (!found) throw new Error(page.body.textContent);
    (part === "#main" ? main : main.querySelector(part)).replaceChildren(...found.childNodes);
    if (main.isConnected) document.title = page.title;
  } catch (error) {
    const said = document.createElement("p");
    [said.className, said.role, said.textContent] = ["notice error", "alert", phrase("That did not work: {why}", { why: error.message })];
    main.prepend(said);
  }
  main.removeAttribute("aria-busy");
  return main.isConnected;
}

const parsed = (text) => new DOMParser().parseFromString(text, "text/html");
const name = (address) => new URL(address).pathname.split("/").at(-1) || "index.html";
const file = (address) => `/${name(address)}`;

async function estimate() {
  if (!(await show(`/estimate${location.search}`, {}, "#main"))) return;
  await import(`./estimate.js?${++again}`);
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

// Screens: the pages of this folder take the place of one another, so that the engine is started once. Whoever comes back
// finds a screen as it was left.
const links = [...document.querySelectorAll("header a[href]")];
const screens = new Set(links.map((link) => name(link.href)));
const scripts = new Set([...document.querySelectorAll("script[src]")].map((one) => one.src));
const left = new Map();
let here = name(location.href);
let turns = 0;

// Go to a screen; ``address`` is empty where the browser went there already, back or forth.
async function enter(next, address) {
  const turn = ++turns;
  const { search } = new URL(address || location.href);
  const kept = left.get(next);
  const isNew = !kept || (search !== kept.search && kept.main.querySelector("[data-estimate]"));
  const screen = isNew ? await loaded(next, address) : kept;
  if (turn !== turns) return;
  // what is left by the button Back has lost its address by now
  const [from, was] = address ? [location.href, location.search] : [null, null];
  const main = document.getElementById("main");
  left.set(here, { main, title: document.title, at: scrollY, address: from, search: was });
  here = next;
  if (address) history.pushState(null, "", address);
  main.replaceWith(screen.main);
  document.title = screen.title;
  for (const link of links) link.removeAttribute("aria-current");
  for (const link of links) if (name(link.href) === next && link.closest("nav")) link.setAttribute("aria-current", "page");
  scrollTo(0, address ? 0 : screen.at);
  screen.main.focus({ preventScroll: true });
  dispatchEvent(new Event("screen"));
  if (!isNew) return;
  if (search && isEstimate()) await estimate();
  else for (const src of screen.scripts) await import(scripts.has(src) ? `${src}?${++again}` : src);
  for (const src of screen.scripts) scripts.add(src);
}

async function loaded(next, address) {
  try {
    const reply = await fetch(next);
    const page = parsed(await reply.text());
    const foot = (of) => of.querySelector("footer").textContent;
    if (!reply.ok || foot(page) !== foot(document)) throw new Error(`${next}: ${reply.status}, or of another version`);
    const all = (what, part) => [...page.querySelectorAll(what)].map((one) => new URL(one.getAttribute(part), location.href).href);
    for (const one of all("link[rel=stylesheet]", "href")) if (![...document.styleSheets].some((sheet) => sheet.href === one)) await styled(one);
    const own = all("script[src]", "src");
    return { main: document.adoptNode(page.getElementById("main")), title: page.title, at: 0, scripts: own.filter((src) => src !== import.meta.url) };
  } catch (error) {
    console.info(error.message);
    if (address) location.assign(address);
    else location.reload();
    return new Promise(() => {});
  }
}

function styled(address) {
  const link = document.createElement("link");
  [link.rel, link.href] = ["stylesheet", address];
  document.head.append(link);
  return new Promise((done) => (link.onload = link.onerror = done));
}

const isEstimate = () => document.querySelector("[data-estimate]");

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
  if (!(await show(file(form.action), { method: "POST", body: fields }, "#main"))) return;
  (document.querySelector(new URL(form.action).hash || "#file1") ?? document.querySelector("[role=alert]"))?.scrollIntoView();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const isPlain = !event.defaultPrevented && !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || !screens.has(name(link.href)) || link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  const next = name(link.href);
  if (next !== here) {
    enter(next, link.search ? link.href : (left.get(next)?.address ?? link.href));
    return;
  }
  history.pushState(null, "", link.href);
  if (isEstimate()) estimate();
  else dispatchEvent(new Event("screen"));
});

addEventListener("popstate", () => {
  if (name(location.href) !== here) enter(name(location.href), "");
  else if (location.search && location.hash !== "#main" && isEstimate()) estimate();
});
// A file dropped on a page is the one it asks for; the page Event takes files by itself.
onDrop((files) => {
  const input = document.querySelector("form.drop [type=file]");
  if (!input || document.getElementById("bench")) return;
  input.files = files;
  input.form.requestSubmit();
});
if (location.search && isEstimate()) estimate();

// Who answers the scripts of a page: Python in a worker of this browser. Nothing is sent anywhere.
import { phrase } from "./words.js";

const PATIENCE = 600_000;
const SOON = 400;
const MOST_BYTES = 50_000_000; // of a file that is larger no more is needed to refuse it
export const engine = new EventTarget();
const waiting = new Map();
let count = 0;
let worker;
let isReady = false;

function start() {
  worker = new Worker(new URL("../worker.js", import.meta.url));
  worker.addEventListener("message", ({ data }) => {
    if (!("id" in data)) say(data.news, data);
    else {
      const { done, failed } = waiting.get(data.id);
      rest(data.id);
      if (data.isFatal) again(phrase("The engine had to be started anew; try again."));
      if (data.error) failed(new Error(phrase(data.isFatal ? "the engine ran out of memory or broke ({error}) and starts anew" : "the program has a fault ({error})", data)));
      else done(data.reply);
    }
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    const why = event.message || phrase("its files could not be loaded");
    if (isReady) again(phrase("The engine stopped ({why}) and was started anew; try again.", { why }));
    else say("failed", { why });
  });
}

function say(news, detail = {}) {
  engine.dispatchEvent(new CustomEvent(news, { detail }));
}

function rest(id) {
  for (const timer of waiting.get(id).timers) clearTimeout(timer);
  waiting.delete(id);
  if (!waiting.size) say("resting");
}

// Whatever was asked of an engine that is gone has failed; everything else goes on with a new one.
function again(why) {
  worker.terminate();
  isReady = false;
  for (const [id, { failed }] of [...waiting]) {
    rest(id);
    failed(new Error(why));
  }
  say("starting", { why });
  start();
}

export const stop = () => again(phrase("It was stopped."));

const ready = new Promise((done) => engine.addEventListener("ready", done, { once: true }));
engine.addEventListener("ready", () => (isReady = true));

export async function answer(address, given = {}) {
  const { pathname, searchParams } = new URL(address, "http://here/");
  const asked = { method: given.method ?? "GET", path: pathname, query: [...searchParams], fields: [], body: "", language: document.documentElement.lang };
  const files = [];
  if (given.body instanceof FormData) {
    for (const [name, value] of given.body) {
      if (typeof value === "string") asked.fields.push([name, value]);
      else if (value.size || value.name) files.push([value.name, new Uint8Array(await value.slice(0, MOST_BYTES + 1).arrayBuffer())]);
    }
  } else asked.body = given.body ?? "";
  await ready;
  const reply = await new Promise((done, failed) => {
    const id = ++count;
    // What takes that long will not come.
    const timers = [setTimeout(() => say("working"), SOON), setTimeout(() => again(phrase("It took longer than {minutes} minutes and was stopped.", { minutes: PATIENCE / 60_000 })), PATIENCE)];
    waiting.set(id, { done, failed, timers });
    worker.postMessage({ id, asked: JSON.stringify(asked), files }, files.map(([, bytes]) => bytes.buffer));
  });
  const { status, kind, body } = JSON.parse(reply);
  return new Response(body, { status, headers: { "Content-Type": kind } });
}

if (!("leaving" in document.documentElement.dataset)) start();

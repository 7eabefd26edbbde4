// Who answers the scripts of a page: Python in a worker of this browser. Nothing is sent anywhere.
const PATIENCE = 120_000;
export const engine = new EventTarget();
const waiting = new Map();
let count = 0;
let worker;

function start() {
  worker = new Worker(new URL("../worker.js", import.meta.url));
  worker.addEventListener("message", ({ data }) => {
    if (!("id" in data)) engine.dispatchEvent(new CustomEvent(data.news, { detail: data }));
    else {
      const { done, failed, timer } = waiting.get(data.id);
      waiting.delete(data.id);
      clearTimeout(timer);
      if (data.isFatal) {
        worker.terminate();
        stop("The engine had to be started anew; try again.");
        start();
      }
      if (data.error) failed(new Error(data.error));
      else done(data.reply);
    }
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    engine.dispatchEvent(new CustomEvent("failed", { detail: { why: event.message || "its files could not be loaded" } }));
    stop("The engine has stopped; load the page again.");
  });
}

function stop(why) {
  for (const { failed, timer } of waiting.values()) {
    clearTimeout(timer);
    failed(new Error(why));
  }
  waiting.clear();
}

const ready = new Promise((done) => engine.addEventListener("ready", done, { once: true }));

export async function answer(address, given = {}) {
  const { pathname, searchParams } = new URL(address, "http://here/");
  const asked = { method: given.method ?? "GET", path: pathname, query: [...searchParams], fields: [], body: "" };
  const files = [];
  if (given.body instanceof FormData) {
    for (const [name, value] of given.body) {
      if (typeof value === "string") asked.fields.push([name, value]);
      else if (value.size || value.name) files.push([value.name, new Uint8Array(await value.arrayBuffer())]);
    }
  } else asked.body = given.body ?? "";
  await ready;
  const reply = await new Promise((done, failed) => {
    const id = ++count;
    // What takes that long will not come; everything else goes on with a new engine.
    const timer = setTimeout(() => {
      worker.terminate();
      stop(`It took longer than ${PATIENCE / 1000} seconds and was stopped.`);
      start();
    }, PATIENCE);
    waiting.set(id, { done, failed, timer });
    worker.postMessage({ id, asked: JSON.stringify(asked), files }, files.map(([, bytes]) => bytes.buffer));
  });
  const { status, kind, body } = JSON.parse(reply);
  return new Response(body, { status, headers: { "Content-Type": kind } });
}

start();

// Python in a worker: Pyodide and the library from files of this folder, which are stored compressed, whatever the server.
const { FILES, LOCK, TOTAL } = /* put in by tools/make_app.py */ {};
const here = new URL("./", self.location);
const CACHE = `crosstable-files ${here.pathname}`;
const network = self.fetch.bind(self);
const got = new Map();
let loaded = 0;
let isKept = "caches" in self;

function count(size) {
  loaded += size;
  postMessage({ news: "loading", loaded, total: TOTAL });
}

// A file from what this browser keeps, else from the server; what came from the server is kept.
async function load(name) {
  const { path, size } = FILES[name];
  const address = new URL(path, here).href;
  const cache = isKept ? await caches.open(CACHE) : null;
  const found = await cache?.match(address);
  if (found) {
    count(size);
    return found.blob();
  }
  const reply = await network(address);
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
  const parts = [];
  const reader = reply.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    count(part.value.length);
  }
  const made = new Blob(parts);
  // A full disk keeps nothing; the page says so.
  await cache?.put(address, new Response(made)).catch(() => (isKept = false));
  return made;
}

async function content(name) {
  const { kind, isPacked } = FILES[name];
  if (!got.has(name)) got.set(name, load(name));
  const body = (await got.get(name)).stream();
  return new Response(isPacked ? body.pipeThrough(new DecompressionStream("gzip")) : body, { headers: { "Content-Type": kind } });
}

// Pyodide asks for its files by their names.
self.fetch = (address, ...more) => {
  const name = `${address.url ?? address}`.split("/").at(-1);
  return name in FILES ? content(name) : network(address, ...more);
};

async function started() {
  await Promise.all(Object.keys(FILES).map(content));
  const [script, library] = [await content("pyodide.asm.js"), await content("crosstable.zip")];
  postMessage({ news: "starting" });
  const made = URL.createObjectURL(new Blob([await script.text()], { type: "text/javascript" }));
  importScripts(new URL("pyodide.js", here), made);
  URL.revokeObjectURL(made);
  const asked = performance.now();
  const python = await loadPyodide({ indexURL: here.href, lockFileContents: LOCK });
  got.clear();
  const began = performance.now();
  python.unpackArchive(await library.arrayBuffer(), "zip", { extractDir: "/lib/crosstable" });
  python.runPython("import sys; sys.path.insert(0, '/lib/crosstable')");
  const answer = python.pyimport("crosstable.app.answering").answer;
  postMessage({ news: "ready", isKept, bare: began - asked, took: performance.now() - began });
  return (asked, files) => {
    const given = python.toPy(files);
    try {
      return answer(asked, given);
    } finally {
      given.destroy();
    }
  };
}

const engine = started();
engine.catch((error) => postMessage({ news: "failed", why: error.message }));

self.addEventListener("message", async ({ data }) => {
  try {
    postMessage({ id: data.id, reply: (await engine)(data.asked, data.files) });
  } catch (error) {
    console.info(error.message);
    // Of an error in Python the last line says what it is. Whatever else is thrown, memory that cannot grow for one, leaves an engine nobody should trust.
    const last = error.message.trimEnd().split("\n").at(-1);
    const isFatal = error.name !== "PythonError" || last.startsWith("MemoryError");
    postMessage({ id: data.id, error: last, isFatal });
  }
});
